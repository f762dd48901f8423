//! Where two objects meet: along lines and in points where they touch, in areas where they overlap.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::DVec2;

use crate::geometry::predicates::orientation;
use crate::geometry::{Aabb, PolygonSet};

type Edge = [DVec2; 2];

/// The pieces of one object, and its border.
pub(super) struct Shape {
    pieces: Vec<Vec<DVec2>>,
    /// Closed walks, the interior on the left.
    pub(super) rings: Vec<Vec<DVec2>>,
    pub(super) aabb: Aabb,
}

impl Shape {
    pub(super) fn new(set: &PolygonSet, pieces: Range<usize>) -> Self {
        let pieces: Vec<Vec<DVec2>> = pieces
            .map(|piece| {
                let pose = set.piece_pose(piece);
                set.piece_vertices(piece).iter().map(|&v| pose.apply(v)).collect()
            })
            .collect();
        let aabb = pieces.iter().fold(Aabb::EMPTY, |aabb, piece| aabb.union(Aabb::around(piece)));
        Self { rings: walks(&border(&pieces)), pieces, aabb }
    }

    fn border(&self) -> impl Iterator<Item = Edge> + Clone + '_ {
        self.rings.iter().flat_map(|ring| edges(ring))
    }

    /// The lines along which this object, touching another, meets it, and the points in which it does beside these.
    pub(super) fn contact(&self, other: &Self) -> (Vec<Edge>, Vec<DVec2>) {
        let (mut lines, mut points) = (Vec::new(), Vec::new());
        let near = |edge: &Edge, aabb: Aabb| Aabb::around(edge).meets(aabb);
        let others: Vec<Edge> = other.border().filter(|edge| near(edge, self.aabb)).collect();
        for edge in self.border().filter(|edge| near(edge, other.aabb)) {
            for &other in others.iter().filter(|other| near(other, Aabb::around(&edge))) {
                let ends: Vec<DVec2> = edge
                    .into_iter()
                    .filter(|&v| is_on(v, other))
                    .chain(other.into_iter().filter(|&v| is_on(v, edge) && !edge.contains(&v)))
                    .collect();
                match ends[..] {
                    [] => {}
                    [point] => points.push(point),
                    [p, q, ..] => lines.push([p, q]),
                }
            }
        }
        points.retain(|&point| !lines.iter().any(|&line| is_on(point, line)));
        points.sort_unstable_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
        points.dedup();
        (lines, points)
    }

    /// What two overlapping objects have in common, in convex parts, rounded.
    pub(super) fn common_area(&self, other: &Self) -> Vec<Vec<DVec2>> {
        let mut parts = Vec::new();
        for piece in &self.pieces {
            for other in &other.pieces {
                if Aabb::around(piece).meets(Aabb::around(other)) {
                    let part = edges(other).fold(piece.clone(), |part, edge| left_of(&part, edge));
                    if part.len() >= 3 {
                        parts.push(part);
                    }
                }
            }
        }
        parts
    }
}

/// The part of a ring or line in a box, with edges of its own along the box.
pub(super) fn within(window: Aabb, ring: &[DVec2]) -> Vec<DVec2> {
    let Aabb { min, max } = window;
    let corners = [min, DVec2::new(max.x, min.y), max, DVec2::new(min.x, max.y)];
    edges(&corners).fold(ring.to_vec(), |part, edge| left_of(&part, edge))
}

fn edges(ring: &[DVec2]) -> impl Iterator<Item = Edge> + Clone + '_ {
    (0..ring.len()).map(|i| [ring[i], ring[(i + 1) % ring.len()]])
}

fn is_on(v: DVec2, [p, q]: Edge) -> bool {
    Aabb::around(&[p, q]).meets(Aabb::around(&[v])) && orientation(p, q, v) == 0.0
}

/// The part of a ring on the left of a line.
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

type Key = [u64; 2];

fn key(v: DVec2) -> Key {
    // Both zeros are one place.
    [(v.x + 0.0).to_bits(), (v.y + 0.0).to_bits()]
}

/// The edges of the pieces that are no diagonal between two of them.
fn border(pieces: &[Vec<DVec2>]) -> Vec<Edge> {
    let mut vertices: Vec<DVec2> = pieces.iter().flatten().copied().collect();
    vertices.sort_unstable_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    vertices.dedup();
    let mut kept: BTreeMap<[Key; 2], (Edge, usize)> = BTreeMap::new();
    for [p, q] in pieces.iter().flat_map(|piece| edges(piece)) {
        // A piece has no vertex in the middle of an edge, but its neighbour may.
        let first = vertices.partition_point(|v| v.x < p.x.min(q.x));
        let mut stops: Vec<DVec2> = vertices[first..]
            .iter()
            .copied()
            .take_while(|v| v.x <= p.x.max(q.x))
            .filter(|&v| is_on(v, [p, q]))
            .collect();
        stops.sort_by(|&v, &w| (v - p).length_squared().total_cmp(&(w - p).length_squared()));
        for stretch in stops.windows(2) {
            let (from, to) = (key(stretch[0]), key(stretch[1]));
            match kept.get_mut(&[to, from]) {
                Some((_, 1)) => drop(kept.remove(&[to, from])),
                Some((_, count)) => *count -= 1,
                None => kept.entry([from, to]).or_insert(([stretch[0], stretch[1]], 0)).1 += 1,
            }
        }
    }
    kept.into_values().flat_map(|(edge, count)| std::iter::repeat_n(edge, count)).collect()
}

/// Edges as closed walks: as many of them start in a vertex as end there.
fn walks(border: &[Edge]) -> Vec<Vec<DVec2>> {
    let mut next: BTreeMap<Key, Vec<DVec2>> = BTreeMap::new();
    for &[from, to] in border {
        next.entry(key(from)).or_default().push(to);
    }
    let mut rings = Vec::new();
    for &[start, _] in border {
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
    use crate::geometry::PolygonObject;

    fn shape(rings: &[Vec<[f64; 2]>]) -> Shape {
        let object = PolygonObject::from_polygon(rings).unwrap();
        let set = PolygonSet::from_objects(&[object]).unwrap();
        Shape::new(&set, 0..set.piece_count())
    }

    fn square(x: f64, y: f64, side: f64) -> Vec<[f64; 2]> {
        vec![[x, y], [x + side, y], [x + side, y + side], [x, y + side]]
    }

    #[test]
    fn a_border_has_no_diagonal() {
        let ring_with_hole = shape(&[square(0.0, 0.0, 6.0), square(2.0, 2.0, 2.0)]);
        let mut sizes: Vec<usize> = ring_with_hole.rings.iter().map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [4, 4]);
    }

    #[test]
    fn contact_is_lines_and_lone_points() {
        let a = shape(&[square(0.0, 0.0, 2.0)]);
        let (lines, points) = a.contact(&shape(&[square(2.0, 1.0, 4.0)]));
        assert_eq!(lines, [[DVec2::new(2.0, 2.0), DVec2::new(2.0, 1.0)]]);
        assert_eq!(points, []);
        let (lines, points) = a.contact(&shape(&[square(2.0, 2.0, 1.0)]));
        assert!(lines.is_empty());
        assert_eq!(points, [DVec2::new(2.0, 2.0)]);
    }

    #[test]
    fn the_common_area_is_that_of_the_pieces() {
        let l = shape(&[vec![[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]]]);
        let parts = l.common_area(&shape(&[square(0.5, 0.5, 2.0)]));
        let doubled: f64 = parts.iter().flat_map(|part| edges(part)).map(|[p, q]| p.perp_dot(q)).sum();
        assert_eq!(doubled / 2.0, 1.75);
    }
}
