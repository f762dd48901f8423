//! Represents two pieces in f64 relative to a common origin near them. The precision then depends on the size of the
//! pieces, and not on their distance from the origin of the world.

use glam::DVec2;

use crate::geometry::{Piece, Pose};

/// A convex piece, with vertices relative to an origin near the piece.
#[derive(Clone, Debug)]
pub(crate) struct LocalPolygon {
    /// The vertices, relative to the origin. Each coordinate is computed with twice the bits of f64 and then rounded.
    pub(crate) vertices: Vec<DVec2>,
    /// For each vertex, the vector to the next vertex. The vector is not zero, even if the two vertices round to
    /// the same point. Only a point has a vector that is zero.
    pub(crate) edges: Vec<DVec2>,
}

/// Two pieces, with vertices relative to one origin.
#[derive(Clone, Debug)]
pub(crate) struct LocalPair {
    pub(crate) origin: DVec2,
    pub(crate) a: LocalPolygon,
    pub(crate) b: LocalPolygon,
}

impl LocalPair {
    /// Returns the two pieces relative to the first vertex of `a`, rounded to f64.
    pub(crate) fn new(a: Piece<'_>, b: Piece<'_>) -> Self {
        let origin = a.pose.apply(a.vertices[0]);
        Self { origin, a: LocalPolygon::new(a, origin), b: LocalPolygon::new(b, origin) }
    }
}

impl LocalPolygon {
    pub(crate) fn new(piece: Piece<'_>, origin: DVec2) -> Self {
        let numbers = 0..piece.vertices.len();
        Self {
            vertices: numbers.clone().map(|k| vertex_of(piece, k, origin)).collect(),
            edges: numbers.map(|k| edge_of(piece, k)).collect(),
        }
    }

    /// Returns the number of edges. A point has no edges. Any other polygon has as many edges as vertices.
    pub(crate) fn edge_count(&self) -> usize {
        if self.vertices.len() == 1 { 0 } else { self.vertices.len() }
    }

    /// Returns the outward unit normal of the edge with index `edge`.
    pub(crate) fn normal(&self, edge: usize) -> DVec2 {
        let edge = self.edges[edge].normalize();
        DVec2::new(edge.y, -edge.x)
    }
}

/// Returns the vertex with the index `number` of a piece, relative to `origin`. The pose of the piece is applied.
pub(crate) fn vertex_of(Piece { vertices, pose }: Piece<'_>, number: usize, origin: DVec2) -> DVec2 {
    image(pose, vertices[number], pose.translation(), -origin)
}

/// Returns the vector from the vertex with the index `number` to the next vertex of the piece.
pub(crate) fn edge_of(Piece { vertices, pose }: Piece<'_>, number: usize) -> DVec2 {
    let next = if number + 1 < vertices.len() { number + 1 } else { 0 };
    image(pose, vertices[next], image_terms(pose, -vertices[number]), DVec2::ZERO)
}

/// A vector that [`image`] adds to a rotated vertex.
trait Addend {
    /// Returns f64 numbers whose exact sums are the coordinates of the vector: four numbers for x, and four numbers for
    /// y.
    fn terms(self) -> [[f64; 4]; 2];
}

impl Addend for DVec2 {
    fn terms(self) -> [[f64; 4]; 2] {
        [[self.x, 0.0, 0.0, 0.0], [self.y, 0.0, 0.0, 0.0]]
    }
}

impl Addend for [[f64; 4]; 2] {
    fn terms(self) -> [[f64; 4]; 2] {
        self
    }
}

/// Returns a rotated vertex as exact sums: the sum of the first array is the x coordinate, and the sum of the second
/// array is the y coordinate.
fn image_terms(pose: Pose, v: DVec2) -> [[f64; 4]; 2] {
    let of = |c: f64, x: f64, s: f64, y: f64| {
        let ([cx, cx_rest], [sy, sy_rest]) = (product(c, x), product(s, y));
        [cx, sy, cx_rest, sy_rest]
    };
    [of(pose.cos(), v.x, -pose.sin(), v.y), of(pose.sin(), v.x, pose.cos(), v.y)]
}

/// Returns the sum of three vectors: the rotated vertex `v`, `moved` and `origin`. The sum is computed with twice the
/// bits of f64, and is then rounded to f64.
fn image(pose: Pose, v: DVec2, moved: impl Addend, origin: DVec2) -> DVec2 {
    let (turned, moved, origin) = (image_terms(pose, v), moved.terms(), origin.terms());
    let of = |axis: usize| {
        let [[a, b, c, d], [e, f, g, h], [o, ..]] = [turned[axis], moved[axis], origin[axis]];
        sum([o, e, a, b, f, c, d, g, h])
    };
    DVec2::new(of(0), of(1))
}

/// Returns the product of two f64 and the rounding error of this product.
fn product(x: f64, y: f64) -> [f64; 2] {
    let rounded = x * y;
    [rounded, x.mul_add(y, -rounded)]
}

/// Returns the sum of `terms`, computed with twice the bits of f64 and then rounded (Ogita, Rump and Oishi 2005,
/// "Accurate Sum and Dot Product", algorithm 4.4).
fn sum<const N: usize>(terms: [f64; N]) -> f64 {
    let (mut total, mut rest) = (0.0f64, 0.0f64);
    for term in terms {
        let next = total + term;
        let part = next - total;
        rest += (total - (next - part)) + (term - part);
        total = next;
    }
    total + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_from_the_origin_nothing_is_lost() {
        let triangle = [DVec2::from([1e6, 0.0]), DVec2::from([1e6 + 1.0, 0.0]), DVec2::from([1e6, 1.0])];
        let turned = Pose::from_cos_sin(0.6, 0.8, [-6e5, -8e5]).expect("a rotation");
        let piece = Piece { vertices: &triangle, pose: turned };
        let local = LocalPolygon::new(piece, DVec2::ZERO);
        for (vertex, expected) in local.vertices.iter().zip([[0.0, 0.0], [0.6, 0.8], [-0.8, 0.6]]) {
            // The rounding errors of 0.6 and 0.8 in f64, times a million.
            assert!((*vertex - DVec2::from(expected)).abs().max_element() < 1e-10, "{vertex} {expected:?}");
        }
        assert!((local.edges[0] - DVec2::new(0.6, 0.8)).length() < 1e-15);
        assert!((local.normal(0) - DVec2::new(0.8, -0.6)).length() < 1e-15);
    }

    #[test]
    fn edges_shorter_than_an_ulp_of_the_frame_are_there() {
        let sliver = [DVec2::from([1e-30, 0.0]), DVec2::from([2e-30, 0.0]), DVec2::from([0.0, 1.0])];
        let piece = Piece { vertices: &sliver, pose: Pose::IDENTITY };
        let local = LocalPolygon::new(piece, DVec2::new(1.0, 0.0));
        assert_eq!(local.vertices[0], local.vertices[1]);
        assert_eq!(local.edges[0], DVec2::new(1e-30, 0.0));
        assert_eq!(local.normal(0), DVec2::new(0.0, -1.0));
    }
}
