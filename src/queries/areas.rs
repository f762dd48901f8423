//! Combines the areas of pairs of pieces into the measurements of pairs of objects.

use super::areas_of_unions::{self, Unions};
use super::buckets::reserve;
use super::kinds_of_areas::{IntersectionArea, Iou};
use crate::answers::area::{LeastAreas, MeasuredObjects, Overlap};
use crate::answers::containment::Containment;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::base::side::PairSide;
use crate::geometry::PolygonSet;
use crate::kernels::area::{ObjectArea, is_same_region, object_areas, overlapping_objects, piece_area};
use crate::kernels::containment;

/// The precision of a sum of areas. A sum is an integer number of units. The unit is `2^-90 * p`, where `p` is the
/// greatest power of two that is at most the area of the smaller object. A sum of 2^36 areas fits in 127 bits, and its
/// error is at most 2^-53 times the area of the smaller object.
const SUM_BITS: i32 = 90;
/// When a list of sums has this many entries, the sums of the same two objects are merged for the first time.
const UNMERGED: usize = 1 << 20;
/// If the intersection over union of two regions is above this value, exact arithmetic decides whether the regions are
/// equal.
const NEARLY_SAME: f64 = 1.0 - 1.0 / (1u64 << 40) as f64;
/// Replaces [`NEARLY_SAME`] for a pair with a dissolved object. The vertices of its union may be rounded, which may change a thin
/// region a lot.
const ROUGHLY_SAME: f64 = 0.5;

/// A query that measures the common areas of pairs.
pub(super) trait Area: Copy + Send + Sync {
    type Output: Copy + Send + Sync;

    /// Whether the query needs the areas of the two objects, and not only their common area.
    const NEEDS_OBJECTS: bool;

    fn check(self) -> Result<()>;

    /// Returns a lower limit of the common area, in the square of the caller's unit. A join leaves out every pair with
    /// a smaller common area. The query may also have other limits.
    fn least_area(self) -> f64;

    /// Returns the lower limits of the common area and of the intersection over union for the pairs that a join keeps.
    /// Returns `None` if the join keeps all pairs that meet.
    fn least(self) -> Option<LeastAreas>;

    /// Returns the measurement of a pair with the common area `area`. `areas` are the areas of A and of B if the query needs
    /// them. `is_same` decides whether A and B are the same region. `is_rounded` says whether an object of the pair was
    /// dissolved. The vertices of its union may be rounded.
    fn measured(
        self,
        area: f64,
        areas: [f64; 2],
        is_rounded: bool,
        is_same: impl FnOnce() -> bool,
    ) -> Self::Output;

    /// Returns whether a join keeps a pair with the measurement `output`.
    fn keeps(self, output: &Self::Output) -> bool;
}

impl Area for IntersectionArea {
    type Output = f64;
    const NEEDS_OBJECTS: bool = false;

    fn check(self) -> Result<()> {
        self.check_values()
    }

    fn least_area(self) -> f64 {
        self.least
    }

    fn least(self) -> Option<LeastAreas> {
        (self.least > 0.0).then_some(LeastAreas { area: self.least, iou: 0.0 })
    }

    fn measured(self, area: f64, _: [f64; 2], _: bool, _: impl FnOnce() -> bool) -> f64 {
        area
    }

    fn keeps(self, area: &f64) -> bool {
        *area >= self.least
    }
}

impl Area for Iou {
    type Output = Overlap;
    const NEEDS_OBJECTS: bool = true;

    fn check(self) -> Result<()> {
        self.check_values()
    }

    fn least_area(self) -> f64 {
        // Pairs that only touch have an intersection over union of 0, which is below a positive limit.
        if self.least > 0.0 { self.least_area.max(f64::MIN_POSITIVE) } else { self.least_area }
    }

    fn least(self) -> Option<LeastAreas> {
        let has_least = self.least > 0.0 || self.least_area > 0.0;
        has_least.then_some(LeastAreas { area: self.least_area, iou: self.least })
    }

    fn measured(
        self,
        area: f64,
        [area_a, area_b]: [f64; 2],
        is_rounded: bool,
        is_same: impl FnOnce() -> bool,
    ) -> Overlap {
        let smaller = area_a.min(area_b);
        let mut area = area.min(smaller);
        let union = area_a.max(area_b) + (smaller - area);
        // The union of two objects without a region has the area 0.
        let mut iou = if union > 0.0 { area / union } else { 0.0 };
        // Rounding may have closed a thin union.
        let is_closed = is_rounded && area > 0.0 && smaller <= f64::MIN_POSITIVE;
        if iou > if is_rounded { ROUGHLY_SAME } else { NEARLY_SAME } || is_closed {
            let is_same = is_same();
            iou = if is_same { 1.0 } else { iou.clamp(f64::MIN_POSITIVE, 1f64.next_down()) };
            area = if is_same { smaller } else { area };
        } else if area > 0.0 {
            iou = iou.max(f64::MIN_POSITIVE);
        }
        Overlap { area, iou, area_a, area_b }
    }

    fn keeps(self, output: &Overlap) -> bool {
        output.iou >= self.least && output.area >= self.least_area
    }
}

/// The common area of two objects so far: the sum over the pairs of their pieces that have been measured.
#[derive(Clone, Copy)]
pub(super) struct PieceSum {
    objects: [u32; 2],
    /// The number of overlapping pairs of pieces among the pairs measured so far.
    count: u32,
    /// The common area of the only pair of pieces that overlaps. It is meaningful only if `count` is 1.
    single: f64,
    /// The sum of the common areas as an integer, so that the sum does not depend on the order of the pairs. The unit
    /// of the sum is 2 to the power of the result of [`unit_of`].
    sum: i128,
}

impl PieceSum {
    /// Creates the sum of one pair of pieces. `smaller` is the area of the smaller object.
    pub(super) fn of(objects: [u32; 2], area: f64, smaller: f64) -> Self {
        let sum = (area * 2f64.powi(-unit_of(smaller))) as i128;
        Self { objects, count: u32::from(area > 0.0), single: area, sum }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.count += other.count;
        // If only one pair of pieces overlaps, `single` is 0 in one of the two sums.
        self.single = self.single.max(other.single);
        self.sum += other.sum;
    }

    /// Returns the common area of the objects. `smaller` is the area of the smaller object.
    pub(super) fn area(&self, smaller: f64) -> f64 {
        match self.count {
            0 => 0.0,
            1 => self.single.min(smaller),
            _ => (self.sum as f64 * 2f64.powi(unit_of(smaller))).clamp(f64::MIN_POSITIVE, smaller),
        }
    }
}

/// Returns the exponent of the unit of a sum: the unit is 2^exponent, in the square of the caller's unit. `smaller` is the
/// area of the smaller object.
fn unit_of(smaller: f64) -> i32 {
    let exponent = (smaller.to_bits() >> 52) as i32 - 1023;
    exponent - SUM_BITS
}

/// For each object of A and of B, its area and its number of pieces.
pub(super) struct Objects {
    /// The areas and piece counts of the objects of A, and of the objects of B. The second entry is `None` in a
    /// self-join.
    of_sides: [Option<Vec<ObjectArea>>; 2],
}

impl Objects {
    pub(super) fn of([a, b]: [&PolygonSet; 2]) -> Self {
        let other = (!std::ptr::eq(a, b)).then(|| object_areas(b));
        Self { of_sides: [Some(object_areas(a)), other] }
    }

    pub(super) fn pair(&self, [i, j]: [u32; 2]) -> [ObjectArea; 2] {
        let [a, b] = &self.of_sides;
        let a = a.as_deref().unwrap_or_default();
        [a[i as usize], b.as_deref().unwrap_or(a)[j as usize]]
    }

    pub(super) fn areas(&self, pair: [u32; 2]) -> [f64; 2] {
        self.pair(pair).map(|object| object.area)
    }

    pub(super) fn smaller(&self, pair: [u32; 2]) -> f64 {
        let [a, b] = self.areas(pair);
        a.min(b)
    }

    /// Returns 1 divided by the number of pairs of pieces of two objects. Each pair of pieces may use this fraction of
    /// the error that is allowed for the pair of objects. `pair` has the indices of the objects.
    pub(super) fn share(&self, pair: [u32; 2]) -> f64 {
        let [a, b] = self.pair(pair).map(|object| f64::from(object.pieces));
        1.0 / (a * b)
    }

    /// Returns whether an object of a pair was dissolved.
    pub(super) fn is_rounded(&self, pair: [u32; 2]) -> bool {
        self.pair(pair).iter().any(|object| object.is_rounded)
    }

    /// Dissolves the objects of the given pairs whose polygons overlap each other, and replaces the areas of these objects.
    /// Returns the unions of A and of B, or one entry if both are one set. Returns the errors of [`Unions::of`] and
    /// of the broad phase.
    fn dissolve<'a>(
        &mut self,
        sets: [&'a PolygonSet; 2],
        pairs: impl Iterator<Item = [u32; 2]> + Clone,
    ) -> Result<Vec<Unions<'a>>> {
        let lists: &[&[usize]] = if self.of_sides[1].is_none() { &[&[0, 1]] } else { &[&[0], &[1]] };
        let mut unions = Vec::new();
        for (list, sides) in lists.iter().enumerate() {
            let has_several = |side: usize, pair| (self.pair(pair)[side].pieces > 1).then_some(pair[side]);
            let objects =
                pairs.clone().flat_map(|pair| sides.iter().filter_map(move |&side| has_several(side, pair)));
            let mut objects: Vec<u32> = objects.collect();
            objects.par_sort_unstable();
            objects.dedup();
            let side = [PairSide::A, PairSide::B][list];
            unions.push(Unions::of(sets[list], side, overlapping_objects(sets[list], &objects)?)?);
        }
        for (areas, unions) in self.of_sides.iter_mut().flatten().zip(&unions) {
            unions.areas().for_each(|(object, area)| areas[object as usize] = area);
        }
        Ok(unions)
    }
}

/// The sums of the pairs of objects, if an object has several pieces.
pub(super) struct Sums {
    sums: Vec<PieceSum>,
    merge_at: usize,
}

impl Sums {
    pub(super) fn new() -> Self {
        Self { sums: Vec::new(), merge_at: UNMERGED }
    }

    pub(super) fn add(&mut self, count: usize, sums: impl Iterator<Item = PieceSum>) -> Result<()> {
        reserve(&mut self.sums, count)?;
        self.sums.extend(sums);
        if self.sums.len() >= self.merge_at {
            self.merge();
            self.merge_at = 2 * self.sums.len() + UNMERGED;
        }
        Ok(())
    }

    fn merge(&mut self) {
        self.sums.par_sort_unstable_by_key(|sum| sum.objects);
        self.sums.dedup_by(|later, first| {
            let are_same = later.objects == first.objects;
            if are_same {
                first.add(later);
            }
            are_same
        });
    }

    /// Returns the common area of each pair of objects that was added.
    pub(super) fn areas(mut self, objects: &Objects) -> impl Iterator<Item = ([u32; 2], f64)> {
        self.merge();
        self.sums.into_iter().map(|sum| (sum.objects, sum.area(objects.smaller(sum.objects))))
    }

    /// Returns the common area of each pair of objects, sorted by the objects. Also dissolves the objects of `named` and of the
    /// sums whose polygons overlap each other, and replaces their areas. If `needs_objects` is false, the areas of objects that
    /// only touch others stay unchanged, because the query does not read them.
    ///
    /// Returns [`crate::Error::Union`] if such an object cannot be dissolved, or an error if the pairs do not fit in memory.
    pub(super) fn finish(
        mut self,
        sets: [&PolygonSet; 2],
        objects: &mut Objects,
        named: &[[u32; 2]],
        needs_objects: bool,
    ) -> Result<Vec<MeasuredObjects<f64>>> {
        self.merge();
        let is_measured = |sum: &&PieceSum| needs_objects || sum.count > 0;
        let in_sums = self.sums.iter().filter(is_measured).map(|sum| sum.objects);
        let unions = objects.dissolve(sets, in_sums.chain(named.iter().copied()))?;
        let mut pairs = Vec::new();
        reserve(&mut pairs, self.sums.len())?;
        // For a pair with a dissolved object, only the sign of the sum is meaningful: the areas of its pieces do not add up.
        pairs.extend(self.sums.iter().map(|sum| {
            let [a, b] = sum.objects;
            MeasuredObjects { a, b, measurement: sum.area(objects.smaller(sum.objects)) }
        }));
        areas_of_unions::measure([&unions[0], &unions[unions.len() - 1]], objects, &mut pairs)?;
        Ok(pairs)
    }
}

/// Returns whether object `i` of `a` and object `j` of `b` are the same region. The decision is exact.
pub(super) fn are_same([a, b]: [&PolygonSet; 2], [i, j]: [u32; 2]) -> bool {
    // The only possible error is that there are too many pieces for 32-bit indices. A set cannot have so many pieces.
    containment::decide(a, i as usize, b, j as usize).is_ok_and(|found| found == Containment::Equal)
}

/// Returns the measurement that `query` makes of two pieces with the common area `area`.
pub(super) fn of_pieces<Q: Area>(
    query: Q,
    [a, b]: [&PolygonSet; 2],
    [i, j]: [u32; 2],
    area: f64,
) -> Q::Output {
    let pieces = [a.piece(i as usize), b.piece(j as usize)];
    let areas = if Q::NEEDS_OBJECTS { pieces.map(piece_area) } else { [f64::INFINITY; 2] };
    query.measured(area, areas, false, || is_same_region(pieces[0], pieces[1]))
}
