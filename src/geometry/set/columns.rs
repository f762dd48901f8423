//! Builds a set from columns. Most polygons are one convex ring with nothing to clean up. Such a ring is checked in its column
//! and copied once. All other polygons go through [`PolygonObject::from_polygon`].

use std::ops::Range;

use glam::DVec2;

use super::{PolygonSet, RUN_SHAPES, check_count, outlined};
use crate::base::error::{Error, Result};
use crate::base::parallel::prelude::*;
use crate::base::room::filled;
use crate::geometry::clearly_clean::box_if_clearly_clean;
use crate::geometry::{Aabb, Cleanup, PolygonColumns, PolygonObject};
use crate::simd::{DoubleInstructions, OnDoubles, on_doubles_or_plain};

/// A set that was built from columns, and the invalid and cleaned-up objects.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct FromColumns {
    /// The set of all objects, in which an invalid object has no region.
    pub set: PolygonSet,
    /// The index and the error of each invalid object, in ascending order of the indices.
    pub invalid: Vec<(usize, Error)>,
    /// The objects whose rings cross, or with a hole that leaves its shell, which only a [`Fill`](crate::Fill) rule
    /// makes valid, in order. Each entry is the index of the object and the error that the object has without the rule:
    /// the first [`Error::CrossingSegments`] or [`Error::HoleOutsideShell`].
    pub filled: Vec<(usize, Error)>,
    /// Counts of the irregularities that were cleaned up, for all valid objects together.
    pub cleanup: Cleanup,
}

impl PolygonSet {
    /// Builds a static set from polygons in columns. The columns are checked, cleaned up and split into convex pieces
    /// in parallel. Without a [`Fill`](crate::Fill) rule, the set has the same pieces as the set that
    /// [`PolygonSet::from_objects`] builds from the same rings.
    ///
    /// # Errors
    /// - [`Error::Column`] for offsets that do not fit the column that they refer to.
    /// - The errors of [`PolygonObject::from_polygon`] for the first invalid object. The index of the polygon is the
    ///   index of the object. If objects have several polygons, the error is an [`Error::Object`], and the index of the
    ///   polygon counts the polygons of the object.
    /// - [`Error::TooMany`] if there are too many objects, vertices or pieces for 32-bit indices.
    pub fn from_columns(columns: &PolygonColumns<'_>) -> Result<Self> {
        build(std::slice::from_ref(columns), false).map(|built| built.set)
    }

    /// Builds a static set from polygons in columns. Unlike in [`PolygonSet::from_columns`], an invalid object is not an
    /// error: the object has no region, and the result lists its index and its error.
    ///
    /// # Errors
    /// Returns [`Error::Column`] and [`Error::TooMany`], in the same cases as [`PolygonSet::from_columns`].
    ///
    /// ```
    /// use sat2d::{Coordinates, PolygonColumns, PolygonSet};
    /// let (x, y) = ([0.0, 2.0, 0.0, 0.0, 1.0, 2.0], [0.0, 0.0, 2.0, 0.0, 1.0, 2.0]);
    /// let rings = [0i64, 3, 6];
    /// let columns = PolygonColumns::new(Coordinates::Separate { x: &x, y: &y }, rings.as_slice());
    /// let built = PolygonSet::from_valid_columns(&columns)?;
    /// assert_eq!((built.set.object_count(), built.set.piece_count()), (2, 1));
    /// assert_eq!(built.invalid[0].0, 1, "all vertices of the second ring lie on one line");
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn from_valid_columns(columns: &PolygonColumns<'_>) -> Result<FromColumns> {
        build(std::slice::from_ref(columns), true)
    }

    /// Builds a static set from polygons in columns that are divided into chunks, such as the record batches of a file.
    /// Invalid objects are listed, as by [`PolygonSet::from_valid_columns`]. The objects of a chunk follow the objects of
    /// the chunk before it. Nothing is concatenated.
    ///
    /// # Errors
    /// Returns [`Error::Column`], in which the index of an entry is its index in its chunk. Returns [`Error::TooMany`]
    /// if there are too many objects, vertices or pieces for 32-bit indices.
    ///
    /// ```
    /// use sat2d::{Coordinates, PolygonColumns, PolygonSet};
    /// let (xy, rings) = ([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]], [0, 3]);
    /// let chunk = PolygonColumns::new(Coordinates::Interleaved(&xy), rings.as_slice());
    /// let built = PolygonSet::from_valid_chunks(&[chunk, chunk])?;
    /// assert_eq!((built.set.object_count(), built.set.vertex_count()), (2, 6));
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn from_valid_chunks(chunks: &[PolygonColumns<'_>]) -> Result<FromColumns> {
        build(chunks, true)
    }
}

/// The kind of an object, which decides how the object is added to the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The object is one clean counter-clockwise ring.
    Ring,
    /// The object is one clockwise ring that is clean after its reversal.
    Reversed,
    /// The object is neither one clean ring nor empty. It is in [`Run::objects`].
    Object,
    /// The object has no region.
    Nothing,
}

/// Consecutive objects as one task has prepared them for the set.
#[derive(Debug, Default)]
struct Run {
    kinds: Vec<Kind>,
    /// The number of vertices of each piece of the run, in order.
    counts: Vec<u32>,
    /// The bounding box of each piece of the run, in order.
    boxes: Vec<Aabb>,
    /// The objects of the run that are not one clean ring.
    objects: Vec<PolygonObject>,
    vertex_count: usize,
    invalid: Vec<(usize, Error)>,
    cleanup: Cleanup,
}

/// A task that determines the kind of each object of a part.
struct Sort<'a> {
    part: &'a Part<'a>,
    skips: bool,
}

/// Columns whose offsets were checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckedColumns<'a> {
    pub(super) columns: &'a PolygonColumns<'a>,
    pub(super) object_count: usize,
}

impl<'a> CheckedColumns<'a> {
    pub(super) fn new(columns: &'a PolygonColumns<'a>) -> Result<Self> {
        columns.check().map(|object_count| Self { columns, object_count })
    }
}

/// Consecutive objects of one chunk of columns.
#[derive(Clone, Debug)]
pub(super) struct Part<'a> {
    pub(super) columns: &'a PolygonColumns<'a>,
    pub(super) objects: Range<usize>,
    /// The number of objects in all chunks before the chunk of this part.
    pub(super) before: usize,
}

impl<'a> Part<'a> {
    /// Returns the objects of all chunks in parts of at most `step` objects, and the number of objects.
    pub(super) fn all(chunks: &[CheckedColumns<'a>], step: usize) -> (Vec<Self>, usize) {
        let (mut parts, mut before) = (Vec::new(), 0);
        for &CheckedColumns { columns, object_count: count } in chunks {
            let starts = (0..count).step_by(step);
            let objects = starts.map(|start| start..count.min(start + step));
            parts.extend(objects.map(|objects| Self { columns, objects, before }));
            before += count;
        }
        (parts, before)
    }
}

impl OnDoubles for Sort<'_> {
    type Output = Result<Run>;

    #[inline(always)]
    fn run<I: DoubleInstructions>(self, i: I) -> Result<Run> {
        let Part { columns, objects, before } = self.part;
        let span = columns.span(objects.clone());
        let mut run = Run::default();
        if span.is_empty() {
            run.kinds = vec![Kind::Nothing; objects.len()];
            return Ok(run);
        }
        let points = columns.points(span.clone());
        let mut reversed = Vec::new();
        for object in objects.clone() {
            let Some(ring) = sole_ring(columns, object) else {
                run.take_any(columns, object, *before, self.skips)?;
                continue;
            };
            let ring = open(&points[ring.start - span.start..ring.end - span.start]);
            let (kind, found) = match ring {
                &[p, q, r, ..] if (q - p).perp_dot(r - q) < 0.0 => {
                    reversed.clear();
                    reversed.extend(ring.iter().rev());
                    (Kind::Reversed, box_if_clearly_clean(i, &reversed))
                }
                ring => (Kind::Ring, box_if_clearly_clean(i, ring)),
            };
            match found {
                Some(aabb) => run.take_ring(kind, ring.len(), aabb),
                None => run.take_any(columns, object, *before, self.skips)?,
            }
        }
        Ok(run)
    }
}

impl Run {
    fn take_ring(&mut self, kind: Kind, count: usize, aabb: Aabb) {
        self.kinds.push(kind);
        self.counts.push(count as u32);
        self.boxes.push(aabb);
        self.vertex_count += count;
        self.cleanup.reversed_rings += usize::from(kind == Kind::Reversed);
    }

    /// Adds an object to the run. The object may have any number of polygons and rings. If the object is invalid and
    /// `skips` is true, adds its error to the list of invalid objects. If it is invalid and `skips` is false, returns the
    /// error.
    #[inline(never)]
    fn take_any(
        &mut self,
        columns: &PolygonColumns<'_>,
        index: usize,
        before: usize,
        skips: bool,
    ) -> Result<()> {
        let object = match object(columns, index, before) {
            Ok(object) => object,
            Err(error) if skips => {
                self.invalid.push((before + index, error));
                PolygonObject::empty()
            }
            Err(error) => return Err(error),
        };
        if object.pieces().is_empty() {
            self.kinds.push(Kind::Nothing);
            return Ok(());
        }
        for piece in object.pieces() {
            self.counts.push(piece.vertices().len() as u32);
            self.boxes.push(piece.aabb());
            self.vertex_count += piece.vertices().len();
        }
        self.cleanup += object.cleanup();
        self.kinds.push(Kind::Object);
        self.objects.push(object);
        Ok(())
    }
}

/// Returns the range of the vertices of an object's ring. Returns `None` unless the object has exactly one polygon, and
/// this polygon has exactly one ring.
#[inline]
pub(super) fn sole_ring(columns: &PolygonColumns<'_>, object: usize) -> Option<Range<usize>> {
    let polygons = columns.polygons_of(object);
    let rings = (polygons.len() == 1).then(|| columns.rings_of(polygons.start))?;
    (rings.len() == 1).then(|| columns.vertices_of(rings.start))
}

/// Returns a ring without its last vertex if the last vertex equals the first vertex. Otherwise, returns the whole
/// ring.
#[inline]
fn open(ring: &[DVec2]) -> &[DVec2] {
    match ring {
        [first, rest @ .., last] if first == last => &ring[..rest.len() + 1],
        ring => ring,
    }
}

/// Builds an object with [`PolygonObject::from_polygon`] or [`PolygonObject::from_multi_polygon`]. Returns the errors
/// of these functions, with the index of the object. Polygons without vertices are left out. `before` is the number of
/// objects in the chunks before this one.
fn object(columns: &PolygonColumns<'_>, index: usize, before: usize) -> Result<PolygonObject> {
    let rings_of = |polygon| -> Vec<_> {
        columns.rings_of(polygon).map(|ring| columns.points(columns.vertices_of(ring))).collect()
    };
    let polygons: Vec<_> = columns.polygons_of(index).map(|polygon| (polygon, rings_of(polygon))).collect();
    let first = columns.polygons_of(index).start;
    let filled: Vec<_> =
        polygons.iter().filter(|(_, rings)| rings.iter().any(|ring| !ring.is_empty())).collect();
    match &filled[..] {
        [] => Ok(PolygonObject::empty()),
        [(_, rings)] if !columns.are_multi_polygons() => {
            PolygonObject::from_polygon(rings).map_err(|error| error.at_polygon(before + index))
        }
        _ => PolygonObject::from_multi_polygon(&filled.iter().map(|(_, rings)| rings).collect::<Vec<_>>())
            .map_err(|error| in_object(error, before + index, |part| filled[part].0 - first)),
    }
}

/// Adds the index of the object to an error. `polygon_of` maps the index of a kept polygon to its index among all
/// polygons.
pub(super) fn in_object(mut error: Error, object: usize, polygon_of: impl Fn(usize) -> usize) -> Error {
    if let Some(polygon) = error.polygon_mut() {
        *polygon = polygon_of(*polygon);
    }
    Error::Object { object, source: Box::new(error) }
}

fn build(chunks: &[PolygonColumns<'_>], skips: bool) -> Result<FromColumns> {
    let chunks: Vec<CheckedColumns<'_>> = chunks.iter().map(CheckedColumns::new).collect::<Result<_>>()?;
    if let Some(built) = outlined::build(&chunks, skips)? {
        return Ok(built);
    }
    let (parts, object_count) = Part::all(&chunks, RUN_SHAPES);
    check_count("objects", object_count)?;
    let runs: Vec<Result<Run>> =
        parts.par_iter().map(|part| on_doubles_or_plain(Sort { part, skips })).collect();
    let runs: Vec<Run> = runs.into_iter().collect::<Result<_>>()?;
    let lengths: Vec<_> = runs.iter().map(|run| (run.vertex_count, run.counts.len())).collect();
    let (vertex_count, piece_count) = lengths.iter().fold((0, 0), |(v, p), run| (v + run.0, p + run.1));
    check_count("vertices", vertex_count)?;
    check_count("pieces", piece_count)?;
    let (vertices, shape_boxes, _) = filled(&lengths, |k, vertices, boxes| {
        let (run, Part { columns, objects, .. }) = (&runs[k], &parts[k]);
        boxes.write(run.boxes.iter().copied());
        let span = columns.span(objects.clone());
        let points = columns.points(span.clone());
        let range = objects.clone();
        let mut objects = run.objects.iter();
        for (object, kind) in range.zip(&run.kinds) {
            let ring = || {
                let ring = columns.vertices_of(columns.rings_of(columns.polygons_of(object).start).start);
                open(&points[ring.start - span.start..ring.end - span.start]).iter().copied()
            };
            match kind {
                Kind::Ring => drop(vertices.write(ring())),
                Kind::Reversed => drop(vertices.write(ring().rev())),
                Kind::Nothing => {}
                Kind::Object => {
                    for piece in objects.next().into_iter().flat_map(PolygonObject::pieces) {
                        vertices.write(piece.vertices().iter().copied());
                    }
                }
            }
        }
        Ok(())
    })?;
    let mut shape_offsets = Vec::with_capacity(piece_count + 1);
    let mut end = 0;
    shape_offsets.push(end);
    for count in runs.iter().flat_map(|run| &run.counts) {
        end += count;
        shape_offsets.push(end);
    }
    let set = PolygonSet {
        vertices,
        shape_offsets,
        shape_boxes,
        piece_objects: piece_objects(&runs),
        internal_edges: internal_edges(&runs, vertex_count),
        object_count,
        ..PolygonSet::default()
    };
    let mut built = FromColumns { set, ..FromColumns::default() };
    for run in runs {
        built.cleanup += run.cleanup;
        built.invalid.extend(run.invalid);
    }
    Ok(built)
}

/// Returns the object of each piece. Returns `None` if piece `i` is object `i`, and there are no other objects.
fn piece_objects(runs: &[Run]) -> Option<Vec<u32>> {
    let mut pieces_of = Vec::new();
    let is_one = |run: &Run| {
        let objects = run.objects.iter().all(|object| object.pieces().len() == 1);
        objects && !run.kinds.contains(&Kind::Nothing)
    };
    if runs.iter().all(is_one) {
        return None;
    }
    let mut object = 0;
    for run in runs {
        let mut objects = run.objects.iter();
        for kind in &run.kinds {
            let count = match kind {
                Kind::Ring | Kind::Reversed => 1,
                Kind::Nothing => 0,
                Kind::Object => objects.next().map_or(0, |object| object.pieces().len()),
            };
            pieces_of.extend(std::iter::repeat_n(object, count));
            object += 1;
        }
    }
    Some(pieces_of)
}

/// Returns for each edge of the shapes whether the edge is internal. Returns `None` if no edge is internal.
fn internal_edges(runs: &[Run], vertex_count: usize) -> Option<Vec<bool>> {
    let pieces = || runs.iter().flat_map(|run| &run.objects).flat_map(PolygonObject::pieces);
    pieces().any(|piece| piece.internal_edges().is_some()).then(|| {
        let mut internal = Vec::with_capacity(vertex_count);
        for run in runs {
            let (mut objects, mut counts) = (run.objects.iter(), run.counts.iter());
            for kind in &run.kinds {
                let pieces = match kind {
                    Kind::Object => objects.next().map_or(&[][..], PolygonObject::pieces),
                    Kind::Nothing => continue,
                    Kind::Ring | Kind::Reversed => {
                        let count = counts.next().copied().unwrap_or_default() as usize;
                        internal.resize(internal.len() + count, false);
                        continue;
                    }
                };
                for piece in pieces {
                    counts.next();
                    match piece.internal_edges() {
                        Some(edges) => internal.extend_from_slice(edges),
                        None => internal.resize(internal.len() + piece.vertices().len(), false),
                    }
                }
            }
        }
        internal
    })
}

#[cfg(test)]
mod tests;
