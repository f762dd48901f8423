//! Sets of large polygons. Such a set keeps the outlines of its polygons, and splits them into convex pieces only if a query
//! needs pieces.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use glam::DVec2;

use super::columns::{CheckedColumns, FromColumns, Part, in_object, sole_ring};
use super::select::Selection;
use super::{PolygonSet, RUN_SHAPES};
use crate::base::error::{Error, Result};
use crate::base::parallel::prelude::*;
use crate::geometry::outline::{Block, LeafPairs, Outlines, PolygonTrees};
use crate::geometry::{Cleanup, ConvexPolygon, PolygonColumns, PolygonObject};

/// A set keeps outlines only if its objects have at least this many vertices on average. Smaller polygons have few
/// pieces, and a kernel decides many pairs of these pieces at once.
const LEAST_VERTICES: usize = 10;
/// The number of objects in the sample that shows whether most polygons are concave.
const SAMPLE_OBJECTS: usize = 256;
/// The approximate number of vertices that one task takes.
const TASK_VERTICES: usize = 1 << 14;

/// The outlines of the polygons of a set, and the convex pieces that are made from the outlines.
#[derive(Debug)]
pub(crate) struct Outlined {
    pub(crate) outlines: Outlines,
    pub(super) object_count: usize,
    /// The convex pieces. The cell is empty until a query needs the pieces.
    pub(super) pieces: OnceLock<Pieces>,
    /// The set that these objects were selected from, or `None` if they are a set of their own.
    pub(super) selection: Option<Selection>,
}

/// The convex pieces that were made from the outlines of a set.
#[derive(Debug)]
pub(super) struct Pieces {
    pub(super) set: PolygonSet,
    /// An upper bound of the distance by which rounding of crossings moved a point of a boundary, in the caller's unit.
    pub(super) displacement: f64,
    /// The error of the first object that was not split, or `None` if there is no error.
    pub(super) failure: Option<Error>,
}

impl Outlined {
    /// Returns the number of objects, including the objects without a region.
    pub(super) fn object_count(&self) -> usize {
        self.object_count
    }

    /// Returns the set of the convex pieces, or `None` if no query has needed the pieces yet.
    pub(super) fn made_pieces(&self) -> Option<&PolygonSet> {
        self.pieces.get().map(|pieces| &pieces.set)
    }

    /// Returns the set of the convex pieces. The first call splits the polygons.
    pub(super) fn pieces(&self) -> &PolygonSet {
        &self.all_pieces().set
    }

    fn all_pieces(&self) -> &Pieces {
        if let Some(made) = self.pieces.get() {
            return made;
        }
        // Two threads may both split the polygons. If one waited for the other, and the waiting thread belonged to the pool that
        // runs the split, the split might never end.
        let made = self.split();
        self.pieces.get_or_init(|| made)
    }

    /// Splits the polygons into convex pieces. Every polygon was checked before, so the split fails only for a crossed
    /// polygon: if its rings cross at very many points, or if edges still cross after rounding. The object of such a
    /// polygon gets no pieces.
    fn split(&self) -> Pieces {
        if let Some(pieces) = self.selection.as_ref().and_then(Selection::pieces) {
            return pieces;
        }
        let outlines = &self.outlines;
        let firsts: Vec<usize> = (0..outlines.len())
            .filter(|&k| k == 0 || outlines.objects()[k] != outlines.objects()[k - 1])
            .collect();
        let object_of = |first: usize| outlines.objects()[first] as usize;
        let made: Vec<(usize, Result<(PolygonObject, f64)>)> = firsts
            .par_iter()
            .map(|&first| {
                let count = outlines.objects()[first..].partition_point(|&o| o as usize == object_of(first));
                (object_of(first), self.split_object(first..first + count))
            })
            .collect();
        let mut objects = vec![PolygonObject::empty(); self.object_count];
        let (mut displacement, mut failure) = (0.0f64, None);
        for (index, object) in made {
            match object {
                Ok((object, moved)) => {
                    objects[index] = object;
                    displacement = displacement.max(moved);
                }
                Err(error) => failure = failure.or(Some(in_object(error, index, |polygon| polygon))),
            }
        }
        let set = PolygonSet::from_objects(&objects).unwrap_or_else(|error| {
            failure = Some(error);
            PolygonSet { object_count: self.object_count, ..PolygonSet::default() }
        });
        Pieces { set, displacement, failure }
    }

    /// Splits the polygons of an object. Returns the pieces, and an upper bound of the distance by which a point of a
    /// boundary was moved, in the caller's unit. Returns the errors of [`PolygonObject::from_polygon`] and
    /// [`PolygonObject::from_filled`].
    fn split_object(&self, polygons: Range<usize>) -> Result<(PolygonObject, f64)> {
        let (mut object, mut displacement) = (PolygonObject::empty(), 0.0f64);
        for (index, polygon) in polygons.enumerate() {
            let rings = self.outlines.given_rings(polygon);
            let part = match self.outlines.fill(polygon) {
                None => PolygonObject::from_polygon(&rings),
                Some(fill) => PolygonObject::from_filled(&rings, fill).map(|(part, moved)| {
                    displacement = displacement.max(moved);
                    part
                }),
            };
            object.append(part.map_err(|error| error.at_polygon(index))?);
        }
        Ok((object, displacement))
    }
}

impl PolygonSet {
    pub(super) fn of_outlines(outlined: Outlined) -> Self {
        Self { object_count: outlined.object_count(), outlined: Some(Arc::new(outlined)), ..Self::default() }
    }

    /// Returns the outlines of the polygons, or `None` if the set does not keep outlines.
    pub(crate) fn outlined(&self) -> Option<&Outlined> {
        self.outlined.as_deref()
    }

    /// Returns the objects with a crossed polygon, in ascending order. A polygon is crossed if its rings cross, if a hole
    /// leaves its shell, or if its fill rule and the even-odd rule may give different regions. The vertices of the pieces of
    /// these objects may be rounded.
    pub(crate) fn crossed_objects(&self) -> &[u32] {
        self.outlined().map_or(&[], |outlined| outlined.outlines.crossed_objects())
    }

    /// Returns the trees over the boxes of the pieces. Only objects with many pieces have a tree. The first call makes the
    /// trees. Returns `None` if piece `i` is object `i`, and always in WebAssembly.
    pub(crate) fn piece_trees(&self) -> Option<&PolygonTrees> {
        #[cfg(target_family = "wasm")]
        return None;
        #[cfg(not(target_family = "wasm"))]
        {
            let make = |objects| Arc::new(PolygonTrees::of(objects, &self.piece_boxes()));
            self.piece_objects().map(|objects| &**self.trees.get_or_init(|| make(objects)))
        }
    }

    /// Returns whether a piece belongs to an object with a crossed polygon ([`PolygonSet::crossed_objects`]).
    pub(crate) fn is_piece_crossed(&self, piece: usize) -> bool {
        let crossed = self.crossed_objects();
        !crossed.is_empty() && crossed.binary_search(&(self.piece_object(piece) as u32)).is_ok()
    }

    /// Returns the set that has the convex pieces: this set, or the set that is made from its outlines. The first call
    /// on a set of outlines splits the polygons.
    #[inline(always)]
    pub(crate) fn made(&self) -> &Self {
        match &self.outlined {
            Some(outlined) if cfg!(not(target_family = "wasm")) => outlined.pieces(),
            _ => self,
        }
    }

    /// Returns the number of convex pieces. Returns `None` if the set keeps the rings of large polygons and no query
    /// has needed their pieces yet.
    #[must_use]
    pub fn made_piece_count(&self) -> Option<usize> {
        match &self.outlined {
            None => Some(self.piece_count()),
            Some(outlined) => outlined.made_pieces().map(Self::piece_count),
        }
    }

    /// Checks that all objects have convex pieces. The first call on a set of large polygons splits the polygons. Queries that need
    /// pieces return the same error.
    ///
    /// Methods such as [`PolygonSet::piece_count`] treat an object that cannot be split as an object without pieces.
    ///
    /// # Errors
    /// Returns [`Error::Object`] for the first object that cannot be split. Its source is [`Error::TooMany`] if rings
    /// cross at millions of points. It is [`Error::Decomposition`] if edges still cross after rounding, or if an internal
    /// check fails. Returns [`Error::TooMany`] if there are too many pieces for 32-bit indices.
    ///
    /// ```
    /// use sat2d::{Coordinates, Fill, PolygonColumns, PolygonSet};
    /// let xy = [[0.0, 0.0], [3.0, 1.0], [3.0, 0.0], [0.0, 2.0]];
    /// let columns = PolygonColumns::new(Coordinates::Interleaved(&xy), [0, 4].as_slice());
    /// let set = PolygonSet::from_columns(&columns.fill(Fill::EvenOdd))?;
    /// set.check_pieces()?;
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn check_pieces(&self) -> Result<()> {
        match &self.outlined {
            Some(outlined) if cfg!(not(target_family = "wasm")) => {
                outlined.all_pieces().failure.as_ref().map_or(Ok(()), |failure| Err(repeated(failure)))
            }
            _ => Ok(()),
        }
    }

    /// Returns an upper bound of the distance between the boundary of the convex pieces and the boundary of the
    /// polygons, in the caller's unit.
    ///
    /// The distance is 0 unless a [`Fill`](crate::Fill) rule has accepted rings that cross. The coordinates of a crossing are
    /// rational numbers, and the vertices of pieces are rounded to f64. The first call on a set with such rings splits the
    /// polygons.
    ///
    /// ```
    /// use sat2d::{Coordinates, Fill, PolygonColumns, PolygonSet};
    /// let xy = [[0.0, 0.0], [3.0, 1.0], [3.0, 0.0], [0.0, 2.0]];
    /// let columns = PolygonColumns::new(Coordinates::Interleaved(&xy), [0, 4].as_slice());
    /// let set = PolygonSet::from_columns(&columns.fill(Fill::EvenOdd))?;
    /// assert_eq!(set.piece_count(), 2);
    /// assert!(set.piece_displacement() < 1e-15);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[must_use]
    pub fn piece_displacement(&self) -> f64 {
        match &self.outlined {
            Some(outlined) if !outlined.outlines.crossed_objects().is_empty() => {
                outlined.all_pieces().displacement
            }
            _ => 0.0,
        }
    }
}

/// Returns a copy of an error that the split into pieces returned. The type of the error has no `Clone`.
fn repeated(error: &Error) -> Error {
    match *error {
        Error::Object { object, ref source } => Error::Object { object, source: Box::new(repeated(source)) },
        Error::TooMany { items, count, limit } => Error::TooMany { items, count, limit },
        Error::Decomposition { polygon, problem } => Error::Decomposition { polygon, problem },
        _ => Error::Decomposition { polygon: 0, problem: "a checked polygon was not split" },
    }
}

/// The outlines of the objects of one task, and the objects with errors.
#[derive(Default)]
struct Run {
    block: Block,
    /// The index and the error of each invalid object of the task.
    invalid: Vec<(usize, Error)>,
    /// The index of each object that is valid only under the fill rule, and the error that it has without the rule.
    filled: Vec<(usize, Error)>,
    cleanup: Cleanup,
}

/// Builds a set that keeps outlines. Returns `None` if there is no fill rule and the polygons are small or mostly
/// convex, and always in WebAssembly. If `skips` is true, the result lists the invalid objects. If it is false, returns the
/// error of the first invalid object.
pub(super) fn build(chunks: &[CheckedColumns<'_>], skips: bool) -> Result<Option<FromColumns>> {
    // A page in a browser would load more slowly with the code for outlines.
    if cfg!(target_family = "wasm") {
        return Ok(None);
    }
    let parts = if chunks.iter().any(|chunk| chunk.columns.fill_rule().is_some()) {
        Some(Part::all(chunks, RUN_SHAPES).0)
    } else {
        large_parts(chunks)
    };
    parts.map(|parts| build_of(&parts, skips)).transpose()
}

/// Builds a set that keeps outlines, whatever the size and the shape of the polygons. Returns [`Error::Column`] if an
/// offset does not fit its column. The result lists the invalid objects. Do not call this function in a browser.
#[doc(hidden)]
pub fn set_of_outlines(columns: &PolygonColumns<'_>) -> Result<FromColumns> {
    build_of(&Part::all(&[CheckedColumns::new(columns)?], RUN_SHAPES).0, true)
}

fn build_of(parts: &[Part<'_>], skips: bool) -> Result<FromColumns> {
    let object_count = parts.last().map_or(0, |part| part.before + part.objects.end);
    let runs: Vec<Result<Run>> = parts.par_iter().map(|part| Run::of(part, skips)).collect();
    let (mut built, mut blocks) = (FromColumns::default(), Vec::with_capacity(runs.len()));
    for run in runs {
        let run = run?;
        built.cleanup += run.cleanup;
        built.invalid.extend(run.invalid);
        built.filled.extend(run.filled);
        blocks.push(run.block);
    }
    let (outlines, pieces) = (Outlines::of_blocks(blocks), OnceLock::new());
    built.set = PolygonSet::of_outlines(Outlined { outlines, object_count, pieces, selection: None });
    Ok(built)
}

/// Divides the objects into parts, one for each task. Returns `None` if the polygons are small on average or mostly convex,
/// or if they may have too many pieces for 32-bit indices.
fn large_parts<'a>(chunks: &[CheckedColumns<'a>]) -> Option<Vec<Part<'a>>> {
    let objects: usize = chunks.iter().map(|chunk| chunk.object_count).sum();
    let vertices: usize = chunks.iter().map(|chunk| chunk.columns.span(0..chunk.object_count).len()).sum();
    let is_large = vertices / objects.max(1) >= LEAST_VERTICES && fits_pieces(vertices);
    if !is_large || !are_mostly_concave(chunks, objects) {
        return None;
    }
    Some(Part::all(chunks, (TASK_VERTICES * objects / vertices).max(1)).0)
}

/// Returns whether most polygons are concave, estimated from a sample of the objects. In the sample, at least half of the
/// vertices must belong to objects that are not one convex ring.
fn are_mostly_concave(chunks: &[CheckedColumns<'_>], object_count: usize) -> bool {
    let (mut concave, mut all) = (0, 0);
    let step = object_count.div_ceil(SAMPLE_OBJECTS).max(1);
    let objects =
        chunks.iter().flat_map(|chunk| (0..chunk.object_count).map(|object| (chunk.columns, object)));
    for (columns, object) in objects.step_by(step) {
        let count = columns.span(object..object + 1).len();
        let is_convex =
            sole_ring(columns, object).is_some_and(|ring| ConvexPolygon::new(&columns.points(ring)).is_ok());
        all += count;
        concave += if is_convex { 0 } else { count };
    }
    2 * concave >= all
}

/// Returns whether polygons with `vertex_count` vertices in total certainly have few enough pieces for 32-bit indices.
/// There are fewer pieces than vertices plus two for each hole. A hole has at least three vertices, so the limit is safe.
fn fits_pieces(vertex_count: usize) -> bool {
    vertex_count < u32::MAX as usize / 6
}

impl Run {
    fn of(part: &Part<'_>, skips: bool) -> Result<Self> {
        let (mut run, mut leaf_pairs) = (Self::default(), LeafPairs::default());
        let span = part.columns.span(part.objects.clone());
        let points = part.columns.points(span.clone());
        let polygons = part.objects.clone().flat_map(|object| part.columns.polygons_of(object));
        run.block.reserve(
            polygons.map(|polygon| {
                part.columns.rings_of(polygon).map(|ring| part.columns.vertices_of(ring).len())
            }),
        );
        for object in part.objects.clone() {
            let ring = |ring| {
                let vertices = part.columns.vertices_of(ring);
                &points[vertices.start - span.start..vertices.end - span.start]
            };
            let index = part.before + object;
            if let Err(error) = run.take(part.columns, object, index, ring, &mut leaf_pairs) {
                if !skips {
                    return Err(error);
                }
                run.block.remove_last_object(index as u32);
                run.invalid.push((index, error));
            }
        }
        Ok(run)
    }

    fn take<'a>(
        &mut self,
        columns: &PolygonColumns<'_>,
        object: usize,
        index: usize,
        ring: impl Fn(usize) -> &'a [DVec2],
        leaf_pairs: &mut LeafPairs,
    ) -> Result<()> {
        let polygons = columns.polygons_of(object);
        let (mut cleanup, mut rings, mut filled) = (Cleanup::default(), Vec::new(), None);
        for polygon in polygons.clone() {
            rings.clear();
            rings.extend(columns.rings_of(polygon).map(&ring));
            if rings.iter().all(|ring| ring.is_empty()) {
                continue;
            }
            let named = |error: Error| {
                if columns.are_multi_polygons() {
                    in_object(error, index, |_| polygon - polygons.start)
                } else {
                    error.at_polygon(index)
                }
            };
            let taken = self.block.take_polygon(index as u32, &rings, columns.fill_rule(), leaf_pairs);
            let (taken, crossing) = taken.map_err(named)?;
            cleanup += taken;
            filled = filled.or(crossing.map(named));
        }
        self.cleanup += cleanup;
        self.filled.extend(filled.map(|error| (index, error)));
        Ok(())
    }
}
