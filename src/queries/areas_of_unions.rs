//! Measures the common areas of objects whose polygons overlap each other.
//!
//! The areas of the pieces of such an object do not add up. Therefore the object is dissolved: its region is split into
//! pieces that do not overlap each other, and these pieces are measured.

use std::ops::Range;

use super::areas::{Objects, PieceSum};
use crate::answers::area::MeasuredObjects;
use crate::answers::results::Relation;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::broad_phase;
use crate::geometry::{Aabb, PolygonSet, dissolved};
use crate::kernels::area::{Boxed, Clipper, ObjectArea, object_areas};
use crate::kernels::cpu::exact;

/// If two objects have more pairs of pieces than this, the broad phase finds the pairs whose boxes meet.
const MANY: usize = 1 << 14;
/// The greatest number of pairs of pieces that the broad phase returns at a time.
const CHUNK_PAIRS: usize = 1 << 16;

/// A set, and the unions of those of its objects whose polygons overlap each other.
pub(super) struct Unions<'a> {
    set: &'a PolygonSet,
    /// The indices of the dissolved objects, in ascending order.
    objects: Vec<u32>,
    /// Object `i` is the union of object `objects[i]` of `set`.
    unions: PolygonSet,
}

impl<'a> Unions<'a> {
    /// Dissolves the given objects of `set`. The indices must be in ascending order. Returns the errors of [`dissolved`].
    pub(super) fn of(set: &'a PolygonSet, objects: Vec<u32>) -> Result<Self> {
        let unions = if objects.is_empty() { PolygonSet::default() } else { dissolved(set, &objects)? };
        Ok(Self { set, objects, unions })
    }

    /// Returns the index, the area and the number of pieces of each dissolved object. An area is above 0, even if rounding
    /// has closed a very thin region.
    pub(super) fn areas(&self) -> impl Iterator<Item = (u32, ObjectArea)> {
        let areas = object_areas(&self.unions).into_iter();
        let above_zero = |of: ObjectArea| ObjectArea { area: of.area.max(f64::MIN_POSITIVE), ..of };
        self.objects.iter().copied().zip(areas.map(above_zero))
    }

    fn contains(&self, object: u32) -> bool {
        self.objects.binary_search(&object).is_ok()
    }

    /// Returns pieces of an object that do not overlap each other, as a set and a range of pieces of the set.
    fn pieces(&self, object: u32) -> (&PolygonSet, Range<usize>) {
        match self.objects.binary_search(&object) {
            Ok(union) => (&self.unions, self.unions.object_pieces(union)),
            Err(_) => (self.set, self.set.object_pieces(object as usize)),
        }
    }
}

/// Measures the pairs that have a dissolved object, and replaces their measurements. Does not change the measurements of
/// other pairs, nor those of pairs that do not overlap. `objects` has the areas of the unions. Returns the errors of the broad
/// phase.
pub(super) fn measure(
    [a, b]: [&Unions<'_>; 2],
    objects: &Objects,
    pairs: &mut [MeasuredObjects<f64>],
) -> Result<()> {
    if a.objects.is_empty() && b.objects.is_empty() {
        return Ok(());
    }
    let is_affected =
        |pair: &MeasuredObjects<f64>| pair.measurement > 0.0 && (a.contains(pair.a) || b.contains(pair.b));
    let affected: Vec<usize> = (0..pairs.len()).filter(|&k| is_affected(&pairs[k])).collect();
    let area = |&k: &usize| common_area([a, b], objects, [pairs[k].a, pairs[k].b]);
    let areas: Vec<Result<f64>> = affected.par_iter().with_min_len(1).map(area).collect();
    for (k, area) in affected.into_iter().zip(areas) {
        pairs[k].measurement = area?;
    }
    Ok(())
}

/// Returns the common area of two objects that overlap, or the errors of the broad phase.
fn common_area([a, b]: [&Unions<'_>; 2], objects: &Objects, pair: [u32; 2]) -> Result<f64> {
    let (share, smaller) = (objects.share(pair), objects.smaller(pair));
    let mut clipper = Clipper::default();
    let mut sum = PieceSum::of(pair, 0.0, smaller);
    each_overlap([a.pieces(pair[0]), b.pieces(pair[1])], |one, other| {
        sum.add(&PieceSum::of(pair, clipper.overlap(one, other, share), smaller));
    })?;
    // Rounding may have parted the unions.
    Ok(sum.area(smaller).max(f64::MIN_POSITIVE))
}

/// Calls `measure` for each piece of the first range and each piece of the second range that overlap. The order does not
/// depend on the threads. Returns the errors of the broad phase.
fn each_overlap(
    [(a, of_a), (b, of_b)]: [(&PolygonSet, Range<usize>); 2],
    mut measure: impl FnMut(Boxed<'_>, Boxed<'_>),
) -> Result<()> {
    let boxes = |set: &PolygonSet, pieces: &Range<usize>| -> Vec<Aabb> {
        pieces.clone().map(|piece| set.piece_aabb(piece)).collect()
    };
    let (boxes_a, boxes_b) = (boxes(a, &of_a), boxes(b, &of_b));
    let mut take = |[i, j]: [usize; 2]| {
        let (i, j) = (of_a.start + i, of_b.start + j);
        if exact::relation(a.piece(i), b.piece(j)) == Relation::Overlapping {
            measure(Boxed::of(a, i), Boxed::of(b, j));
        }
    };
    if boxes_a.len().saturating_mul(boxes_b.len()) <= MANY {
        for (i, one) in boxes_a.iter().enumerate() {
            (0..boxes_b.len()).filter(|&j| one.meets(boxes_b[j])).for_each(|j| take([i, j]));
        }
        return Ok(());
    }
    let mut candidates = broad_phase::join(&boxes_a, &boxes_b)?;
    let mut chunk = Vec::new();
    while candidates.next_chunk(CHUNK_PAIRS, &mut chunk) {
        chunk.iter().for_each(|pair| take(pair.map(|index| index as usize)));
    }
    Ok(())
}
