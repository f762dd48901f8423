//! Explains pairs of objects with several pieces: selects the pair of pieces that decides the relation.

use std::ops::Range;

use glam::DVec2;

use super::{Explanation, world};
use crate::answers::results::Relation;
use crate::base::error::{Error, Result};
use crate::base::parallel::prelude::*;
use crate::broad_phase;
use crate::geometry::{Aabb, Piece, PolygonSet};
use crate::kernels::cpu::exact;

/// Explains the relation of two objects by the pair of convex pieces that decides the relation.
///
/// ```
/// use sat2d::{ObjectExplanation, PolygonObject, PolygonSet, Relation};
/// let l_shape = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
/// let square = [[2.0, 2.0], [4.0, 2.0], [4.0, 4.0], [2.0, 4.0]];
/// let set = PolygonSet::from_objects(&[
///     PolygonObject::from_polygon(&[l_shape])?,
///     PolygonObject::from_polygon(&[square])?,
/// ])?;
/// let found = ObjectExplanation::new(&set, 0, &set, 1)?;
/// assert_eq!(found.explanation.relation, Relation::Disjoint);
/// assert_eq!(found.piece_counts, [2, 1]);
/// assert!(found.explanation.deciding_axis().separates());
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ObjectExplanation {
    /// The explained pair of pieces: the index of the piece in A, and the index of the piece in B. The explained pair
    /// is the first pair of pieces that overlaps. If no pair overlaps, the explained pair is the first pair that
    /// touches. If all pairs are disjoint, the explained pair is the nearest pair, by distances rounded to f64. The two
    /// objects have the same relation as the explained pair of pieces.
    pub pieces: [usize; 2],
    /// The number of pieces of A, and the number of pieces of B.
    pub piece_counts: [usize; 2],
    /// The explanation of the two pieces.
    pub explanation: Explanation,
}

impl ObjectExplanation {
    /// Explains the relation of two objects: the object with index `object_a` in `a`, and the object with index
    /// `object_b` in `b`. `a` and `b` may be the same set.
    ///
    /// # Errors
    /// Returns [`Error::UnknownObject`] if a set has no object with the given index. Returns [`Error::NoRegion`] if an
    /// object has no polygon.
    pub fn new(a: &PolygonSet, object_a: usize, b: &PolygonSet, object_b: usize) -> Result<Self> {
        let range_a = pieces(a, object_a)?;
        let range_b = pieces(b, object_b)?;
        let [i, j] = match strongest((a, range_a.clone()), (b, range_b.clone()))? {
            Some(pair) => pair,
            None => nearest((a, range_a.clone()), (b, range_b.clone())),
        };
        Ok(Self {
            pieces: [i - range_a.start, j - range_b.start],
            piece_counts: [range_a.len(), range_b.len()],
            explanation: Explanation::of_pieces(a, i, b, j)?,
        })
    }
}

/// Returns the range of the pieces of an object. Returns an error if the object does not exist or has no pieces.
pub(super) fn pieces(set: &PolygonSet, object: usize) -> Result<Range<usize>> {
    set.check_object(object)?;
    let range = set.object_pieces(object);
    if range.is_empty() { Err(Error::NoRegion { index: object }) } else { Ok(range) }
}

type Side<'a> = (&'a PolygonSet, Range<usize>);

/// Returns the first pair of pieces with the strongest relation, or `None` if no pair meets. Returns the errors of the broad phase.
fn strongest((a, range_a): Side<'_>, (b, range_b): Side<'_>) -> Result<Option<[usize; 2]>> {
    let boxes = |set: &PolygonSet, range: &Range<usize>| -> Vec<Aabb> {
        range.clone().map(|piece| set.piece_aabb(piece)).collect()
    };
    let candidates = broad_phase::join(&boxes(a, &range_a), &boxes(b, &range_b))?.sorted();
    let named = candidates.par_iter().map(|&[i, j]| [range_a.start + i as usize, range_b.start + j as usize]);
    let found = named.map(|[i, j]| (exact::relation(a.piece(i), b.piece(j)), [i, j]));
    let key = |(relation, pair)| (std::cmp::Reverse(relation), pair);
    let strongest = found.reduce_with(|p, q| if key(q) < key(p) { q } else { p });
    Ok(strongest.filter(|&(relation, _)| relation != Relation::Disjoint).map(|(_, pair)| pair))
}

/// Returns the first of the nearest pairs of pieces. The objects must be disjoint.
fn nearest((a, range_a): Side<'_>, (b, range_b): Side<'_>) -> [usize; 2] {
    let images_b: Vec<(Vec<DVec2>, Aabb)> = range_b.clone().map(|j| image(b.piece(j))).collect();
    let of_piece = |i: usize| {
        let (vertices, aabb) = image(a.piece(i));
        let mut best = (f64::INFINITY, [i, range_b.start]);
        for (j, (others, other_box)) in range_b.clone().zip(&images_b) {
            if box_distance_squared(aabb, *other_box) < best.0 {
                let distance = distance_squared(&vertices, others);
                if distance < best.0 {
                    best = (distance, [i, j]);
                }
            }
        }
        best
    };
    let first = (f64::INFINITY, [range_a.start, range_b.start]);
    let nearer = |p: (f64, [usize; 2]), q: (f64, [usize; 2])| {
        if q.0.total_cmp(&p.0).then(q.1.cmp(&p.1)).is_lt() { q } else { p }
    };
    range_a.into_par_iter().map(of_piece).reduce_with(nearer).unwrap_or(first).1
}

/// Returns the vertices of a piece in world coordinates, and their box. The vertices are rounded if the piece has a pose.
pub(super) fn image(piece: Piece<'_>) -> (Vec<DVec2>, Aabb) {
    let vertices = world(piece);
    let aabb = Aabb::around(&vertices);
    (vertices, aabb)
}

fn box_distance_squared(a: Aabb, b: Aabb) -> f64 {
    (a.min - b.max).max(b.min - a.max).max(DVec2::ZERO).length_squared()
}

/// Returns the squared distance of two disjoint polygons. At least one of the two nearest points is a vertex.
fn distance_squared(a: &[DVec2], b: &[DVec2]) -> f64 {
    let from_vertices = |a: &[DVec2], b: &[DVec2]| {
        let edges = (0..b.len()).map(|k| [b[k], b[(k + 1) % b.len()]]);
        let distances = edges.flat_map(|edge| a.iter().map(move |&v| to_segment_squared(v, edge)));
        distances.fold(f64::INFINITY, f64::min)
    };
    from_vertices(a, b).min(from_vertices(b, a))
}

fn to_segment_squared(v: DVec2, [p, q]: [DVec2; 2]) -> f64 {
    let share = share(v, [p, q]).clamp(0.0, 1.0);
    (v - (p + (q - p) * share)).length_squared()
}

/// Returns the position of the point nearest to `v` along the line of an edge: 0 at the first end, 1 at the second end. Both ends
/// of a posed edge may round to one point. The position is then 0.
pub(super) fn share(v: DVec2, [p, q]: [DVec2; 2]) -> f64 {
    let along = q - p;
    let square = along.length_squared();
    if square > 0.0 { (v - p).dot(along) / square } else { 0.0 }
}
