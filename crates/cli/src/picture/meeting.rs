//! Computes where two objects meet. Objects that touch meet along lines and in points. Objects that overlap meet in
//! areas.

use std::collections::BTreeMap;
use std::ops::Range;

use sat2d::glam::DVec2;

use crate::error::Result;
use sat2d::internal::orientation;
use sat2d::{Aabb, PolygonSet, broad_phase};

type Edge = [DVec2; 2];

/// The lines and points in which two objects touch.
#[derive(Default)]
pub(super) struct Contact {
    pub(super) lines: Vec<Edge>,
    pub(super) points: Vec<DVec2>,
}

/// The number of consecutive edges in a block. A box that does not meet the box of a block meets none of its edges.
/// Consecutive edges are near each other, so the box of a block is small.
const EDGES_A_BLOCK: usize = 64;

/// The pieces of one object, and its boundary.
pub(super) struct Shape {
    pieces: Vec<Vec<DVec2>>,
    /// The rings of the boundary, with the interior on the left.
    pub(super) rings: Vec<Vec<DVec2>>,
    /// The edges of all rings of the boundary.
    boundary: Vec<Edge>,
    /// The box of each block of [`EDGES_A_BLOCK`] edges of the boundary.
    blocks: Vec<Aabb>,
    pub(super) aabb: Aabb,
}

impl Shape {
    pub(super) fn new(set: &PolygonSet, pieces: Range<usize>) -> Result<Self> {
        let pieces: Vec<Vec<DVec2>> = pieces
            .map(|piece| {
                let pose = set.piece_pose(piece);
                // Adds 0, so that -0 becomes 0. Both zeros are the same position.
                set.piece_vertices(piece).iter().map(|&v| pose.apply(v) + DVec2::ZERO).collect()
            })
            .collect();
        let aabb = pieces.iter().fold(Aabb::EMPTY, |aabb, piece| aabb.union(Aabb::around(piece)));
        let rings = walks(&boundary(&pieces)?);
        let boundary: Vec<Edge> = rings.iter().flat_map(|ring| edges(ring)).collect();
        let blocks = boundary.chunks(EDGES_A_BLOCK).map(|block| Aabb::around(block.as_flattened())).collect();
        Ok(Self { pieces, rings, boundary, blocks, aabb })
    }

    /// Returns those edges of the boundary whose boxes meet the box `aabb`.
    fn boundary_near(&self, aabb: Aabb) -> Vec<Edge> {
        let blocks = self.boundary.chunks(EDGES_A_BLOCK).zip(&self.blocks);
        let near = blocks.filter(|(_, block)| block.meets(aabb)).flat_map(|(edges, _)| edges);
        near.copied().filter(|edge| Aabb::around(edge).meets(aabb)).collect()
    }

    /// Returns the lines along which this object touches the object `other`, and the other points in which the two objects
    /// touch. Returns the errors of the broad phase.
    pub(super) fn contact(&self, other: &Self) -> Result<Contact> {
        let (ours, theirs) = (self.boundary_near(other.aabb), other.boundary_near(self.aabb));
        let mut contact = Contact::default();
        for [i, j] in close_pairs(&ours, &theirs)? {
            let (edge, other) = (ours[i as usize], theirs[j as usize]);
            let ends: Vec<DVec2> = edge
                .into_iter()
                .filter(|&v| is_on(v, other))
                .chain(other.into_iter().filter(|&v| is_on(v, edge) && !edge.contains(&v)))
                .collect();
            match ends[..] {
                [] => {}
                [point] => contact.points.push(point),
                [p, q, ..] => contact.lines.push([p, q]),
            }
        }
        let mut ends: Vec<Key> = contact.lines.iter().flatten().map(|&v| key(v)).collect();
        ends.sort_unstable();
        contact.points.retain(|&point| ends.binary_search(&key(point)).is_err());
        contact.points.sort_unstable_by(by_place);
        contact.points.dedup();
        Ok(contact)
    }

    /// Returns the common area of two overlapping objects as convex parts, or the error of the broad phase. The coordinates are
    /// rounded.
    pub(super) fn common_area(&self, other: &Self) -> Result<Vec<Vec<DVec2>>> {
        let mut parts = Vec::new();
        for [i, j] in close_pairs(&self.pieces, &other.pieces)? {
            let (piece, other) = (self.pieces[i as usize].clone(), &other.pieces[j as usize]);
            let part = edges(other).fold(piece, |part, edge| left_of(&part, edge));
            if part.len() >= 3 {
                parts.push(part);
            }
        }
        Ok(parts)
    }
}

/// Returns the pairs of indices in `a` and `b` whose boxes meet, sorted, or the error of the broad phase.
fn close_pairs<A: AsRef<[DVec2]>, B: AsRef<[DVec2]>>(a: &[A], b: &[B]) -> Result<Vec<[u32; 2]>> {
    let boxes_a: Vec<Aabb> = a.iter().map(|points| Aabb::around(points.as_ref())).collect();
    let boxes_b: Vec<Aabb> = b.iter().map(|points| Aabb::around(points.as_ref())).collect();
    Ok(broad_phase::join(&boxes_a, &boxes_b)?.sorted())
}

fn by_place(p: &DVec2, q: &DVec2) -> std::cmp::Ordering {
    p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y))
}

fn is_on(v: DVec2, [p, q]: Edge) -> bool {
    Aabb::around(&[p, q]).meets(Aabb::around(&[v])) && orientation(p, q, v) == 0.0
}

/// Returns the part of a convex ring on the left of the line from `p` to `q`.
fn left_of(ring: &[DVec2], [p, q]: Edge) -> Vec<DVec2> {
    let mut part = Vec::with_capacity(ring.len() + 1);
    for [from, to] in edges(ring) {
        let (before, after) = (orientation(p, q, from), orientation(p, q, to));
        if before >= 0.0 {
            part.push(from);
        }
        if (before > 0.0 && after < 0.0) || (before < 0.0 && after > 0.0) {
            part.push(from + (to - from) * (before / (before - after)));
        }
    }
    part
}

/// Returns the part of a ring or a line that is inside the box `window`. The part of a ring has additional edges along the box.
pub(super) fn within(window: Aabb, ring: &[DVec2]) -> Vec<DVec2> {
    let Aabb { min, max } = window;
    let corners = [min, DVec2::new(max.x, min.y), max, DVec2::new(min.x, max.y)];
    edges(&corners).fold(ring.to_vec(), |part, edge| left_of(&part, edge))
}

fn edges(ring: &[DVec2]) -> impl Iterator<Item = Edge> + Clone + '_ {
    (0..ring.len()).map(|i| [ring[i], ring[(i + 1) % ring.len()]])
}

type Key = [u64; 2];

fn key(v: DVec2) -> Key {
    [v.x.to_bits(), v.y.to_bits()]
}

/// Returns the edges of the pieces without the diagonals between two pieces, or the error of the broad phase.
fn boundary(pieces: &[Vec<DVec2>]) -> Result<Vec<Edge>> {
    let mut vertices: Vec<[DVec2; 1]> = pieces.iter().flatten().map(|&v| [v]).collect();
    vertices.sort_unstable_by(|[p], [q]| by_place(p, q));
    vertices.dedup();
    let edges: Vec<Edge> = pieces.iter().flat_map(|piece| edges(piece)).collect();
    let mut kept: BTreeMap<[Key; 2], (Edge, usize)> = BTreeMap::new();
    for close in close_pairs(&edges, &vertices)?.chunk_by(|[i, _], [j, _]| i == j) {
        // The vertices of a piece do not lie in the middle of the piece's edges, but a vertex of a neighbouring piece may.
        let [p, q] = edges[close[0][0] as usize];
        let mut stops: Vec<DVec2> =
            close.iter().map(|&[_, v]| vertices[v as usize][0]).filter(|&v| is_on(v, [p, q])).collect();
        if by_place(&p, &q).is_gt() {
            stops.reverse();
        }
        for stretch in stops.windows(2) {
            let (from, to) = (key(stretch[0]), key(stretch[1]));
            match kept.get_mut(&[to, from]) {
                Some((_, 1)) => drop(kept.remove(&[to, from])),
                Some((_, count)) => *count -= 1,
                None => kept.entry([from, to]).or_insert(([stretch[0], stretch[1]], 0)).1 += 1,
            }
        }
    }
    Ok(kept.into_values().flat_map(|(edge, count)| std::iter::repeat_n(edge, count)).collect())
}

/// Connects edges to closed rings, and returns the vertices of each ring. At each vertex, as many edges must start as end.
fn walks(boundary: &[Edge]) -> Vec<Vec<DVec2>> {
    let mut next: BTreeMap<Key, Vec<DVec2>> = BTreeMap::new();
    for &[from, to] in boundary {
        next.entry(key(from)).or_default().push(to);
    }
    let mut rings = Vec::new();
    for &[start, _] in boundary {
        let mut ring = Vec::new();
        let mut here = start;
        while let Some(to) = next.get_mut(&key(here)).and_then(Vec::pop) {
            ring.push(here);
            here = to;
        }
        if !ring.is_empty() {
            rings.push(ring);
        }
    }
    rings
}

#[cfg(test)]
mod tests {
    use super::*;
    use sat2d::PolygonObject;

    fn shape(rings: &[Vec<[f64; 2]>]) -> Shape {
        let object = PolygonObject::from_polygon(rings).unwrap();
        let set = PolygonSet::from_objects(&[object]).unwrap();
        Shape::new(&set, 0..set.piece_count()).unwrap()
    }

    fn square(x: f64, y: f64, side: f64) -> Vec<[f64; 2]> {
        vec![[x, y], [x + side, y], [x + side, y + side], [x, y + side]]
    }

    #[test]
    fn a_boundary_has_no_diagonal() {
        let ring_with_hole = shape(&[square(0.0, 0.0, 6.0), square(2.0, 2.0, 2.0)]);
        let mut sizes: Vec<usize> = ring_with_hole.rings.iter().map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [4, 4]);
    }

    #[test]
    fn contact_is_lines_and_lone_points() {
        let a = shape(&[square(0.0, 0.0, 2.0)]);
        let Contact { lines, points } = a.contact(&shape(&[square(2.0, 1.0, 4.0)])).unwrap();
        assert_eq!(lines, [[DVec2::new(2.0, 2.0), DVec2::new(2.0, 1.0)]]);
        assert_eq!(points, []);
        let Contact { lines, points } = a.contact(&shape(&[square(2.0, 2.0, 1.0)])).unwrap();
        assert!(lines.is_empty());
        assert_eq!(points, [DVec2::new(2.0, 2.0)]);
    }

    #[test]
    fn contact_is_found_in_every_part_of_a_long_boundary() {
        // The shape is a comb with more edges than a block has. The squares stand on its teeth and between them.
        let teeth = 100;
        let mut ring = vec![[2.0 * f64::from(teeth), -1.0], [2.0 * f64::from(teeth), 0.0]];
        for tooth in (0..teeth).rev() {
            let x = 2.0 * f64::from(tooth);
            ring.extend([[x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0], [x, 0.0]]);
        }
        ring.push([0.0, -1.0]);
        let comb = shape(&[ring]);
        assert!(comb.boundary.len() > 6 * EDGES_A_BLOCK);
        for tooth in 0..teeth - 1 {
            let x = 2.0 * f64::from(tooth);
            let Contact { lines, points } = comb.contact(&shape(&[square(x + 1.0, 0.0, 1.0)])).unwrap();
            assert_eq!((lines.len(), points.len()), (3, 0), "between teeth {tooth}");
            let Contact { lines, points } = comb.contact(&shape(&[square(x + 0.25, 1.0, 0.5)])).unwrap();
            assert_eq!((lines.len(), points.len()), (1, 0), "on tooth {tooth}");
        }
    }

    #[test]
    fn the_common_area_is_that_of_the_pieces() {
        let l = shape(&[vec![[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]]]);
        let parts = l.common_area(&shape(&[square(0.5, 0.5, 2.0)])).unwrap();
        let doubled: f64 = parts.iter().flat_map(|part| edges(part)).map(|[p, q]| p.perp_dot(q)).sum();
        assert_eq!(doubled / 2.0, 1.75);
    }
}
