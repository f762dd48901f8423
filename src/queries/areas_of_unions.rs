//! Measures the common areas of objects whose polygons overlap each other.
//!
//! The areas of the pieces of such an object do not add up. Therefore the object is dissolved: its region is split into
//! pieces that do not overlap each other, and these pieces are measured.

use std::borrow::Cow;

use super::areas::{Objects, PieceSum, Sums};
use crate::answers::area::MeasuredObjects;
use crate::answers::results::Relation;
use crate::base::error::{Error, Result};
use crate::base::parallel::prelude::*;
use crate::base::side::PairSide;
use crate::broad_phase;
use crate::geometry::{Aabb, PolygonSet, dissolved};
use crate::kernels::area::{Boxed, Clipper, ObjectArea, object_areas};
use crate::kernels::cpu::exact;

/// The number of pairs of pieces that the broad phase returns at a time.
const CHUNK_PAIRS: usize = 1 << 18;
/// The number of pairs of pieces in one parallel task.
const TASK: usize = 256;

/// A set, and the union of each of its objects whose polygons overlap each other.
pub(super) struct Unions<'a> {
    set: &'a PolygonSet,
    /// The indices of the dissolved objects, in ascending order.
    objects: Vec<u32>,
    /// Object `i` is the union of object `objects[i]` of `set`.
    unions: PolygonSet,
}

/// One side of a join of pieces: the pieces of the unions, or the pieces of the other objects.
struct Pieces<'a> {
    set: &'a PolygonSet,
    boxes: Cow<'a, [Aabb]>,
    /// The dissolved objects, in ascending order.
    dissolved: &'a [u32],
    /// Whether `set` contains the unions.
    is_of_unions: bool,
}

impl<'a> Unions<'a> {
    /// Dissolves the given objects of `set`. The indices must be in ascending order. Returns [`Error::Union`] with the side
    /// `side` for an object that cannot be dissolved.
    pub(super) fn of(set: &'a PolygonSet, side: PairSide, objects: Vec<u32>) -> Result<Self> {
        let unions = if objects.is_empty() { Ok(PolygonSet::default()) } else { dissolved(set, &objects) };
        let of_object =
            |(object, source)| Error::Union { side, object: object as usize, source: Box::new(source) };
        Ok(Self { set, objects, unions: unions.map_err(of_object)? })
    }

    /// Returns the index, the area and the number of pieces of each dissolved object. An area is above 0, even if rounding
    /// has closed a very thin region.
    pub(super) fn areas(&self) -> impl Iterator<Item = (u32, ObjectArea)> {
        let areas = object_areas(&self.unions).into_iter();
        let above_zero =
            |of: ObjectArea| ObjectArea { area: of.area.max(f64::MIN_POSITIVE), is_rounded: true, ..of };
        self.objects.iter().copied().zip(areas.map(above_zero))
    }

    /// Returns the pieces of the unions, then the pieces of the other objects.
    fn sides(&self) -> [Pieces<'_>; 2] {
        [true, false].map(|is_of_unions| {
            let set = if is_of_unions { &self.unions } else { self.set };
            Pieces { set, boxes: set.piece_boxes(), dissolved: &self.objects, is_of_unions }
        })
    }
}

impl Pieces<'_> {
    /// Returns the object of a piece. Returns `None` for a piece of a dissolved object, because the pieces of its union replace
    /// the piece.
    fn object(&self, piece: u32) -> Option<u32> {
        let object = self.set.piece_object(piece as usize);
        if self.is_of_unions {
            return Some(self.dissolved[object]);
        }
        self.dissolved.binary_search(&(object as u32)).is_err().then_some(object as u32)
    }

    fn boxed(&self, piece: u32) -> Boxed<'_> {
        Boxed::of(self.set, piece as usize)
    }
}

/// Measures the pairs that have a dissolved object, and replaces their measurements. Does not change the measurements of other
/// pairs, or of pairs that do not overlap. `pairs` is sorted by the objects, and `objects` has the areas of the unions.
///
/// Returns the errors of the broad phase, or an error if the sums do not fit in memory.
pub(super) fn measure(
    unions: [&Unions<'_>; 2],
    objects: &Objects,
    pairs: &mut [MeasuredObjects<f64>],
) -> Result<()> {
    if unions.iter().all(|side| side.objects.is_empty()) {
        return Ok(());
    }
    let mut sums = Sums::new();
    let [[unions_a, others_a], [unions_b, others_b]] = unions.map(Unions::sides);
    for sides in [[&unions_a, &unions_b], [&unions_a, &others_b], [&others_a, &unions_b]] {
        add(sides, objects, pairs, &mut sums)?;
    }
    for pair in pairs.iter_mut() {
        if pair.measurement > 0.0 && objects.is_rounded([pair.a, pair.b]) {
            // This value remains if rounding has separated the unions, because the pair then has no sum.
            pair.measurement = f64::MIN_POSITIVE;
        }
    }
    for (of, area) in sums.areas(objects) {
        if let Some(place) = place(pairs, of) {
            pairs[place].measurement = area.max(f64::MIN_POSITIVE);
        }
    }
    Ok(())
}

/// Returns the index of a pair of objects in the sorted list `pairs`. Returns `None` if the objects do not overlap.
fn place(pairs: &[MeasuredObjects<f64>], objects: [u32; 2]) -> Option<usize> {
    let place = pairs.binary_search_by_key(&objects, |pair| [pair.a, pair.b]).ok()?;
    (pairs[place].measurement > 0.0).then_some(place)
}

/// Measures the common areas of the pieces of two sides, and adds them to the sums of their objects. Leaves out pairs of objects
/// that do not overlap in `pairs`. In a self-join, a pair of objects is in `pairs` in one order only, so that no pair of pieces
/// counts twice.
fn add(
    [a, b]: [&Pieces<'_>; 2],
    objects: &Objects,
    pairs: &[MeasuredObjects<f64>],
    sums: &mut Sums,
) -> Result<()> {
    let common = |clipper: &mut Clipper, [i, j]: [u32; 2]| {
        let of = [a.object(i)?, b.object(j)?];
        place(pairs, of)?;
        if exact::relation(a.set.piece(i as usize), b.set.piece(j as usize)) != Relation::Overlapping {
            return None;
        }
        let area = clipper.overlap(a.boxed(i), b.boxed(j), objects.share(of));
        Some(PieceSum::of(of, area, objects.smaller(of)))
    };
    let mut candidates = broad_phase::join(&a.boxes, &b.boxes)?;
    let mut chunk = Vec::new();
    while candidates.next_chunk(CHUNK_PAIRS, &mut chunk) {
        let tasks: Vec<&[[u32; 2]]> = chunk.chunks(TASK).collect();
        let of_task = |task: &&[[u32; 2]]| -> Vec<PieceSum> {
            let mut clipper = Clipper::default();
            task.iter().filter_map(|&pair| common(&mut clipper, pair)).collect()
        };
        let found: Vec<Vec<PieceSum>> = tasks.par_iter().with_min_len(1).map(of_task).collect();
        sums.add(found.iter().map(Vec::len).sum(), found.into_iter().flatten())?;
    }
    Ok(())
}
