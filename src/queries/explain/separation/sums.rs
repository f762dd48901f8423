//! Computes the Minkowski sum of a convex polygon and the negative of another convex polygon.

use glam::DVec2;

use crate::geometry::Aabb;

/// The Minkowski sum of B and the negative of A. A translation of A makes A meet B if and only if the translation is a
/// point of the sum.
pub(super) struct Sum {
    /// The edges of the sum, in counter-clockwise order.
    pub(super) sides: Vec<Side>,
    pub(super) aabb: Aabb,
}

/// An edge of a Minkowski sum.
pub(super) struct Side {
    pub(super) from: DVec2,
    pub(super) along: DVec2,
    /// The outward unit normal of the edge.
    pub(super) normal: DVec2,
    /// The value of `normal · v`, which is the same for each point `v` of the edge.
    pub(super) offset: f64,
    pub(super) contact: Contact,
}

/// The features of A and B that meet along an edge of their sum.
pub(super) struct Contact {
    pub(super) edge: [DVec2; 2],
    pub(super) vertex: DVec2,
    /// Whether the edge of the contact belongs to A, which moves. Otherwise, it belongs to B.
    pub(super) edge_moves: bool,
}

impl Sum {
    /// Creates the sum of two counter-clockwise polygons. Its edges are the edges of `b` and of the negative of `a`,
    /// sorted by angle. Edges of length 0 are left out.
    pub(super) fn new(a: &[DVec2], b: &[DVec2]) -> Self {
        // The sum starts at the lowest vertex of B and the highest vertex of A, which is the lowest vertex of A's negative.
        let lowest = |vertices: &[DVec2], sign: f64| {
            let key = |&i: &usize| vertices[i] * sign;
            let below = |p: DVec2, q: DVec2| p.y.total_cmp(&q.y).then(p.x.total_cmp(&q.x));
            (0..vertices.len()).min_by(|i, j| below(key(i), key(j))).unwrap_or(0)
        };
        let (first_a, first_b) = (lowest(a, -1.0), lowest(b, 1.0));
        let vertex = |vertices: &[DVec2], first: usize, i: usize| vertices[(first + i) % vertices.len()];
        let mut sides = Vec::with_capacity(a.len() + b.len());
        let (mut i, mut j) = (0, 0);
        while i < a.len() || j < b.len() {
            let [p, q] = [vertex(a, first_a, i), vertex(a, first_a, i + 1)];
            let [r, s] = [vertex(b, first_b, j), vertex(b, first_b, j + 1)];
            // The edge of A's negative runs from -p to -q.
            let turn = (p - q).perp_dot(s - r);
            let by_a = j == b.len() || (i < a.len() && turn > 0.0);
            let along = if by_a { p - q } else { s - r };
            let length = along.length();
            if length > 0.0 {
                let from = r - p;
                let normal = -along.perp() / length;
                let contact = if by_a {
                    Contact { edge: [p, q], vertex: r, edge_moves: true }
                } else {
                    Contact { edge: [r, s], vertex: p, edge_moves: false }
                };
                sides.push(Side { from, along, normal, offset: normal.dot(from), contact });
            }
            if by_a { i += 1 } else { j += 1 }
        }
        let aabb = sides.iter().fold(Aabb::EMPTY, |aabb, side| Aabb {
            min: aabb.min.min(side.from),
            max: aabb.max.max(side.from),
        });
        Self { sides, aabb }
    }

    /// Returns the greatest magnitude of a coordinate of the sum.
    pub(super) fn size(&self) -> f64 {
        self.aabb.min.abs().max(self.aabb.max.abs()).max_element()
    }

    /// Returns the normal and the offset of the sum's edge nearest to the origin. The origin must be inside the sum.
    /// Returns `None` if the sum has no edges.
    pub(super) fn nearest_side(&self) -> Option<(DVec2, f64)> {
        let nearest = self.sides.iter().min_by(|p, q| p.offset.total_cmp(&q.offset));
        nearest.map(|side| (side.normal, side.offset.max(0.0)))
    }
}

impl Side {
    pub(super) fn at(&self, share: f64) -> DVec2 {
        self.from + self.along * share
    }

    /// Returns the position, on the line of the edge, of the point nearest to the origin: 0 at the start of the edge, 1
    /// at its end.
    pub(super) fn nearest_share(&self) -> f64 {
        -self.from.dot(self.along) / self.along.length_squared()
    }

    pub(super) fn aabb(&self) -> Aabb {
        let to = self.from + self.along;
        Aabb { min: self.from.min(to), max: self.from.max(to) }
    }
}

#[derive(Clone)]
/// The part of an edge that is inside a sum. `shares` has the positions of the two ends of the part: 0 is the start of
/// the edge, and 1 is its end. `normals` has one entry for each end of the part. If an edge of the sum cuts the edge
/// there, the entry is the normal of the sum's edge. If the part ends where the edge ends, the entry is `None`.
pub(super) struct Covered {
    pub(super) shares: [f64; 2],
    pub(super) normals: [Option<DVec2>; 2],
}

/// Returns the part of an edge that is inside a sum by more than `margin`, or `None` if there is no such part.
pub(super) fn covered(side: &Side, sum: &Sum, margin: f64) -> Option<Covered> {
    let (mut shares, mut normals) = ([0.0, 1.0], [None; 2]);
    for other in &sum.sides {
        let rate = other.normal.dot(side.along);
        let start = other.normal.dot(side.from) - (other.offset - margin);
        let share = -start / rate;
        if rate > 0.0 && share < shares[1] {
            (shares[1], normals[1]) = (share, Some(other.normal));
        } else if rate < 0.0 && share > shares[0] {
            (shares[0], normals[0]) = (share, Some(other.normal));
        } else if rate == 0.0 && start >= 0.0 {
            return None;
        }
        if shares[0] >= shares[1] {
            return None;
        }
    }
    Some(Covered { shares, normals })
}
