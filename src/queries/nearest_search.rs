//! Finds the nearest objects of one object by branch and bound on the tree of the pieces of B.
//!
//! The computed distances decide the order of two objects of B. Equal distances are ordered by the indices of the
//! objects. The search leaves out a pair of pieces only if the pair cannot change the result. For a pair of pieces, let
//!
//! - `d` be the true distance, and `f` the computed distance,
//! - `g` be the distance of the two boxes,
//! - `s` be the sum of the extents of the two boxes (the extent is half of the longer side),
//! - `limit` be the computed distance of the worst object that is kept.
//!
//! The box around both pieces is at most `2 s + g` long on each axis. By the error bound, `f >= d - 2^-44 (2 s + g)`,
//! and `d >= g`, so `f >= g (1 - 2^-44) - 2^-43 s`. The search leaves out the pair if `g > (limit + 2^-40 s) (1 +
//! 2^-40)`, and then `f > limit`. The factors 2^-40 also cover the rounding of this computation. The code uses the
//! greatest extent of all boxes of B, which is at least the extent in `s`. No computed distance is negative. At the
//! limit 0, pairs with equal distances can therefore be left out by their indices, except if the result includes ties.
//!
//! If the piece of A is a point, `g` is the distance of the point from the piece of B, computed in plain f64. This `g`
//! is at least the distance of the boxes. Its error is below `2^-48 (s + g)`, which the factors 2^-40 cover. The
//! computation saves time: a measurement takes far longer, and most pieces whose boxes are near a point are not near
//! the point themselves.
//!
//! If all objects have one piece, pieces near a point wait to be measured, sorted by `g`. Let `h` be the `k`th smallest `g` of
//! the waiting pieces. The first `k` waiting pieces have computed distances of at most `h (1 + 2^-43) + 2^-42 s`. A piece
//! with `g > (h + 2^-39 s) (1 + 2^-39)` is farther than these `k` pieces, and is left out without a measurement. The same holds
//! if `h` is the greatest `g` of any `k` pieces. The search therefore takes its first limit from the `k` pieces that are nearest
//! to the previous point, because the previous point is usually near the current point.
//!
//! The pieces of an object of A are searched one after the other, with a common limit. The search therefore finds the
//! least distance of each object of B, with the pair of pieces of the lowest indices.

use glam::DVec2;

use super::buckets::reserve;
use super::kinds::Nearest;
use super::nearest_found::{Candidate, Found};
use crate::answers::distance::{Closest, Distance};
use crate::answers::measured::MeasuredPair;
use crate::base::error::Result;
use crate::broad_phase::{Limit, NearBox, NearRoom, NearTree, Visit};
use crate::geometry::{Aabb, Rounded};
use crate::kernels::cpu::measure::measure_few;
use crate::kernels::measurements::PieceDistances;

/// A bound on the relative errors of computed distances and of their limits. The real errors are much smaller.
const ERROR: f64 = 1.0 / (1u64 << 40) as f64;
/// The search queues pairs of pieces, and measures the queued pairs together as soon as there are this many. While the result
/// lacks more objects than this number, the queue waits until it has one pair for each missing object. The queue is short,
/// because each measurement may lower the limit of the distance.
const BATCH: usize = 2;
/// The greatest number of nearest objects (`k`) for which the pieces of B near a point of A wait, so that the nearest
/// are measured first. If `k` is greater, each piece is measured at once.
const MOST_WAITING: usize = 64;

/// The pieces of B, their tree, and the greatest extent of their boxes.
pub(super) struct Targets<'a> {
    rounded: Rounded<'a>,
    tree: NearTree,
    /// The greatest extent of all boxes of pieces of B. The extent of a box is half of its longer side.
    extent: f64,
}

fn extent(aabb: &Aabb) -> f64 {
    0.5 * (aabb.max - aabb.min).max_element()
}

impl<'a> Targets<'a> {
    /// Builds the tree, or returns an error if there are too many boxes. `boxes` are the boxes of all pieces. The box of a rounded
    /// piece includes its radius.
    pub(super) fn new(rounded: Rounded<'a>, boxes: &[Aabb]) -> Result<Self> {
        let tree = NearTree::new(boxes, rounded.cores.piece_objects())?;
        let extent = boxes.iter().map(extent).fold(0.0, f64::max);
        Ok(Self { rounded, tree, extent })
    }

    /// Returns the pieces in the order of the tree.
    pub(super) fn pieces_in_order(&self) -> &[u32] {
        self.tree.order()
    }
}

/// A search for the nearest objects of B, for one object of A after the other.
pub(super) struct Search<'a> {
    targets: &'a Targets<'a>,
    a: Rounded<'a>,
    boxes_a: &'a [Aabb],
    is_self_join: bool,
    figure: PieceDistances,
    /// The greatest distance of a result, in the caller's unit.
    within: f64,
    found: Found,
    room: NearRoom,
    /// The buffer for the boxes of the pieces in one leaf of the tree.
    near: Vec<NearBox>,
    /// The pieces of B that wait to be measured, the nearest first, with their squared distances from a point. Used
    /// only if the piece of A is this point.
    waiting: Vec<NearBox>,
    /// The pieces of B that are nearest to the previous object of A. Empty in a self-join, or if an object has several
    /// pieces.
    previous: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    measured_count: u64,
}

impl<'a> Search<'a> {
    /// Creates a search. `has_several` says whether an object of A or of B has several pieces.
    pub(super) fn new(
        Nearest { k, within, ties }: Nearest,
        targets: &'a Targets<'a>,
        (a, boxes_a): (Rounded<'a>, &'a [Aabb]),
        is_self_join: bool,
        has_several: bool,
    ) -> Self {
        Self {
            targets,
            a,
            boxes_a,
            is_self_join,
            figure: within.map_or(PieceDistances::ALL, |within| PieceDistances { within }),
            within: within.unwrap_or(f64::INFINITY),
            found: Found::new(k, ties, has_several),
            room: NearRoom::default(),
            near: Vec::new(),
            waiting: Vec::new(),
            previous: Vec::new(),
            pairs: Vec::new(),
            measured_count: 0,
        }
    }

    /// Returns whether the search collects the pieces of B near a point in the list `waiting`, nearest first, before it
    /// measures them. Otherwise, it measures each piece at once.
    fn waits(&self) -> bool {
        !self.found.has_several_pieces() && self.found.most() <= MOST_WAITING
    }

    /// Returns the number of pairs of pieces that were measured so far.
    pub(super) fn measured_count(&self) -> u64 {
        self.measured_count
    }

    /// Returns the position of a piece of A if the piece is a point and the pieces of B are polygons without poses. Otherwise,
    /// returns `None`.
    fn point(&self, piece: usize) -> Option<DVec2> {
        let (a, b) = (self.a, self.targets.rounded);
        let is_plain = a.cores.is_static() && b.cores.is_static() && !b.is_rounded();
        match a.cores.shape_vertices(a.cores.piece_shape(piece)) {
            &[point] if is_plain && a.radius(piece) == 0.0 => Some(point),
            _ => None,
        }
    }

    /// Appends the nearest objects of an object of A to `rows`, the nearest first. Returns an error if they do not fit in memory.
    pub(super) fn nearest(&mut self, object: u32, rows: &mut Vec<MeasuredPair<Distance>>) -> Result<()> {
        self.found.clear();
        let without = self.is_self_join.then_some(object);
        // The pieces are visited in the order of their indices, because the limit of indices depends on this order.
        let pieces = self.a.cores.object_pieces(object as usize);
        for piece in pieces {
            let around = self.boxes_a[piece];
            let slack = ERROR * (extent(&around) + self.targets.extent);
            let mut room = std::mem::take(&mut self.room);
            let (piece, point) = (piece as u32, self.point(piece));
            let mut visitor = OfPiece { piece, point, slack, limit: Limit::default(), search: self };
            visitor.lower();
            visitor.lower_by_previous();
            visitor.search.targets.tree.search(around, without, &mut room, &mut visitor);
            visitor.measure_waiting();
            self.room = room;
        }
        let Self { found, previous, is_self_join, .. } = self;
        let (is_self_join, most) = (*is_self_join, found.most());
        let keeps_previous = !is_self_join && !found.has_several_pieces();
        found.with_sorted(|candidates, measurements| {
            if keeps_previous {
                previous.clear();
                previous.extend(candidates.iter().take(most).map(|found| found.pieces[1]));
            }
            reserve(rows, candidates.len())?;
            rows.extend(candidates.iter().map(|found| {
                let b = found.object;
                let [piece_a, piece_b] = if is_self_join && b < object {
                    [found.pieces[1], found.pieces[0]]
                } else {
                    found.pieces
                };
                let measurement = measurements[found.place as usize];
                MeasuredPair { a: object, b, piece_a, piece_b, measurement }
            }));
            Ok(())
        })
    }
}

/// The search for the objects that are nearest to one piece of A.
struct OfPiece<'s, 'a> {
    piece: u32,
    /// The position of the piece of A if it is a point. Otherwise `None`. Points are a special case, because the
    /// distance of a point from a polygon takes little time.
    point: Option<DVec2>,
    /// A bound on the rounding error of a limit of the distance, in the caller's unit.
    slack: f64,
    limit: Limit,
    search: &'s mut Search<'a>,
}

impl OfPiece<'_, '_> {
    /// Sets the limit of the search to the distance of the worst candidate. If fewer objects are found than the caller
    /// wants, the limit is `within`.
    fn lower(&mut self) {
        let search = &self.search;
        let last = search.found.last();
        let distance = last.map_or(search.within, |last| f64::from_bits(last.distance));
        let reach = (distance + self.slack) * (1.0 + ERROR);
        let index = search.found.index_limit().unwrap_or(u32::MAX);
        self.limit = Limit { square: reach * reach, index };
    }

    /// Measures the queued pairs of pieces, adds them to the candidates, and lowers the limit of the distance.
    fn measure(&mut self) {
        let piece = self.piece;
        let Search { targets, a, is_self_join, figure, within, found, pairs, measured_count, .. } =
            &mut *self.search;
        let first = found.measurements.len();
        measure_few(*figure, [*a, targets.rounded], pairs, &mut found.measurements);
        *measured_count += pairs.len() as u64;
        for (place, pair) in (first..).zip(pairs.iter()) {
            // In a self-join, the lower index comes first.
            let is_swapped = *is_self_join && pair[1] == piece;
            let target = if is_swapped { pair[0] } else { pair[1] };
            let measurement = &mut found.measurements[place];
            if is_swapped {
                *measurement = swapped(*measurement);
            }
            if measurement.distance <= *within {
                let object = targets.rounded.cores.piece_object(target as usize) as u32;
                let (distance, place) = (measurement.distance.to_bits(), place as u32);
                found.add(Candidate { distance, object, pieces: *pair, place, piece_b: target });
            }
        }
        pairs.clear();
        self.lower();
    }
}

impl Visit for OfPiece<'_, '_> {
    fn limit(&self) -> Limit {
        self.limit
    }

    fn visit(&mut self, near: &[NearBox]) {
        let Some(point) = self.point else { return self.measure_near(near) };
        let polygons = self.search.targets.rounded.cores;
        if self.search.waits() {
            for near in near {
                let polygon = polygons.shape_vertices(polygons.piece_shape(near.index as usize));
                let square = near.square.max(square_from(point, polygon));
                if square <= self.limit.square && near.index <= self.limit.index {
                    self.wait(NearBox { square, index: near.index });
                }
            }
            return;
        }
        let mut nearer = std::mem::take(&mut self.search.near);
        nearer.clear();
        nearer.extend(near.iter().map(|near| {
            let polygon = polygons.shape_vertices(polygons.piece_shape(near.index as usize));
            NearBox { square: near.square.max(square_from(point, polygon)), index: near.index }
        }));
        nearer.sort_unstable_by(|x, y| x.square.total_cmp(&y.square).then(x.index.cmp(&y.index)));
        self.measure_near(&nearer);
        self.search.near = nearer;
    }
}

impl OfPiece<'_, '_> {
    /// Lowers the limit by the pieces that were nearest to the previous point. The new limit is [`limit_of`] their
    /// greatest distance from the current point, if it is less than the current limit.
    fn lower_by_previous(&mut self) {
        let search = &self.search;
        let Some(point) = self.point.filter(|_| search.waits()) else { return };
        let polygons = search.targets.rounded.cores;
        if search.previous.len() < search.found.most() {
            return;
        }
        let square =
            |&piece: &u32| square_from(point, polygons.shape_vertices(polygons.piece_shape(piece as usize)));
        let farthest = search.previous.iter().map(square).fold(0.0, f64::max);
        self.limit.square = self.limit.square.min(limit_of(farthest, self.slack));
    }

    /// Adds a piece of B to the waiting pieces, and lowers the limit of the distance if it can.
    fn wait(&mut self, near: NearBox) {
        let (waiting, most) = (&mut self.search.waiting, self.search.found.most());
        let place = waiting.partition_point(|other| other.square <= near.square);
        waiting.insert(place, near);
        if place >= most {
            // The piece is not among the first `most` waiting pieces, so the limit stays the same.
        } else if let Some(last) = waiting.get(most - 1) {
            self.limit.square = self.limit.square.min(limit_of(last.square, self.slack));
            waiting.truncate(waiting.partition_point(|near| near.square <= self.limit.square));
        }
        // The list of waiting pieces must not grow without a limit, because very many pieces may be equally near.
        if waiting.len() >= 2 * MOST_WAITING {
            self.measure_waiting();
        }
    }

    /// Measures the pieces of B that wait to be measured.
    fn measure_waiting(&mut self) {
        let mut waiting = std::mem::take(&mut self.search.waiting);
        self.measure_near(&waiting);
        waiting.clear();
        self.search.waiting = waiting;
    }

    /// Measures the pieces that may change the result. `near` must be sorted by squared distance.
    fn measure_near(&mut self, near: &[NearBox]) {
        for near in near {
            if near.square > self.limit.square {
                break;
            }
            let search = &mut *self.search;
            let object = search.targets.rounded.cores.piece_object(near.index as usize) as u32;
            let is_swapped = search.is_self_join && near.index < self.piece;
            let pair = if is_swapped { [near.index, self.piece] } else { [self.piece, near.index] };
            if near.index > self.limit.index || search.found.is_known_to_meet(object, pair) {
                continue;
            }
            search.pairs.push(pair);
            let wanted = search.found.missing_count();
            if search.pairs.len() >= wanted.max(BATCH) {
                self.measure();
            }
        }
        if !self.search.pairs.is_empty() {
            self.measure();
        }
    }
}

/// Returns a limit for squared distances. `farthest` is the greatest squared distance of some `k` pieces from the
/// point. A piece beyond the limit is certainly farther than all of these `k` pieces. `slack` covers the errors of
/// computed distances.
fn limit_of(farthest: f64, slack: f64) -> f64 {
    let reach = (farthest.sqrt() + 2.0 * slack) * (1.0 + 2.0 * ERROR);
    reach * reach
}

/// A bound on the rounding error of the cross product `a d - b c` of two vectors (a, b) and (c, d), if each vector is
/// the rounded difference of two points. The error is less than half of this number times `|a d| + |b c|`.
const SIDE_ERROR: f64 = 1.0 / (1u64 << 50) as f64;

/// Returns the squared distance of a point from a convex polygon, or 0 if the point is certainly inside. If it is uncertain on
/// which side of an edge the point lies, the point counts as outside. The point may in fact be far outside, beyond the tip of a
/// sliver. If the point is inside, it is so near the boundary that the result is within the error of the distance.
fn square_from(point: DVec2, polygon: &[DVec2]) -> f64 {
    let (mut least, mut is_inside) = (f64::INFINITY, true);
    let mut last = polygon[polygon.len() - 1];
    for &vertex in polygon {
        let (edge, way) = (vertex - last, point - last);
        let part = (way.dot(edge) / edge.length_squared()).clamp(0.0, 1.0);
        least = least.min((way - edge * part).length_squared());
        let (left, right) = (edge.x * way.y, edge.y * way.x);
        is_inside &= left - right > SIDE_ERROR * (left.abs() + right.abs());
        last = vertex;
    }
    if is_inside { 0.0 } else { least }
}

/// Returns a measurement with A and B swapped.
fn swapped(found: Distance) -> Distance {
    Distance { closest: found.closest.map(Closest::swapped), ..found }
}
