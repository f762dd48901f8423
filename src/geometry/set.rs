//! Sets of objects.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;
#[cfg(not(target_family = "wasm"))]
use std::sync::OnceLock;

use glam::DVec2;

mod columns;
mod outlined;
mod parts;
mod rings;
mod select;
mod summary;

#[cfg(not(target_family = "wasm"))]
use super::outline::PolygonTrees;
use super::{Aabb, ConvexPolygon, PolygonObject, Pose};
use crate::base::error::{Error, Result};
use crate::base::large_pages::with_room;
use crate::base::parallel::prelude::*;
use crate::base::room::filled;
use crate::simd::{has_doubles, on_doubles, prefetch};
pub use columns::FromColumns;
pub(crate) use outlined::Outlined;
pub use outlined::set_of_outlines;
pub use parts::{RingParts, SetParts};
use rings::{TakeRings, close_gaps, ring_offsets};
use summary::HAS_SUMMARY;
pub(crate) use summary::Summary;

/// A set of objects, such as the first or the second input of a join. Each object consists of convex pieces.
///
/// A set stores each shape once. A piece is an instance of a shape at a pose, and belongs to an object. A *static* set
/// has no poses: every shape has one piece, and the vertices are world coordinates. Object `i` is the `i`th object that
/// the caller passed. Pieces are numbered object by object: first the pieces of object 0, then the pieces of object 1,
/// and so on.
///
/// A set of large concave polygons that was built from columns keeps the rings of the polygons. The first method or query
/// that needs pieces splits the polygons. [`Relations`](crate::Relations) and [`Containments`](crate::Containments) on
/// the CPU need no pieces.
///
/// ```
/// use sat2d::PolygonSet;
/// let squares = PolygonSet::from_convex_rings(&[
///     vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
///     vec![[1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0]],
/// ])?;
/// assert_eq!(squares.object_count(), 2);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PolygonSet {
    /// Vertices of all shapes, shape after shape, each counter-clockwise.
    vertices: Vec<DVec2>,
    /// The index of the first vertex of each shape, and the number of vertices as the last entry.
    shape_offsets: Vec<u32>,
    /// The box around each shape, in the shape's own coordinates, without a pose.
    shape_boxes: Vec<Aabb>,
    /// The shape of each piece. `None` if piece `i` is shape `i`.
    piece_shapes: Option<Vec<u32>>,
    /// The object of each piece. `None` if piece `i` is object `i` and there are no other objects.
    piece_objects: Option<Vec<u32>>,
    /// For each edge of each shape, whether the edge is internal: a cut between two pieces of one object. The index of
    /// an edge is the index of its first vertex. `None` if no edge is internal.
    internal_edges: Option<Vec<bool>>,
    /// The pose of each piece. The list is empty if every pose is the identity.
    poses: Vec<Pose>,
    object_count: usize,
    /// The box around all shapes, the box around their centres, and their vertex counts. `None` if the set was not
    /// built from rings, and always in WebAssembly.
    summary: Option<Summary>,
    /// The outlines of large polygons, or `None` if the set does not keep outlines. If there are outlines, all lists
    /// above are empty, and the pieces are made from the outlines.
    outlined: Option<Arc<Outlined>>,
    /// Trees over the boxes of the pieces, for objects of a static set with many pieces. `piece_trees` makes them.
    #[cfg(not(target_family = "wasm"))]
    trees: OnceLock<Arc<PolygonTrees>>,
}

/// The number of consecutive shapes that one parallel task builds.
const RUN_SHAPES: usize = 1024;
/// A convex piece: the image of `vertices` under `pose`.
#[derive(Clone, Copy)]
pub struct Piece<'a> {
    /// The vertices of the piece, in the coordinates of its shape, without the pose.
    pub vertices: &'a [DVec2],
    /// The pose of the piece.
    pub pose: Pose,
}

impl PolygonSet {
    /// Builds a static set of objects, each with any number of pieces.
    ///
    /// # Errors
    /// Returns [`Error::TooMany`] if there are too many objects, vertices or pieces for 32-bit indices.
    pub fn from_objects(objects: &[PolygonObject]) -> Result<Self> {
        let pieces =
            objects.iter().enumerate().flat_map(|(o, object)| object.pieces().iter().map(move |p| (o, p)));
        Self::from_pieces(objects.len(), pieces)
    }

    /// Builds a static set of convex polygons. Each polygon is one object.
    ///
    /// # Errors
    /// Returns [`Error::TooMany`] if there are too many vertices or pieces for 32-bit indices.
    pub fn from_convex(polygons: &[ConvexPolygon]) -> Result<Self> {
        Self::from_pieces(polygons.len(), polygons.iter().enumerate())
    }

    /// Builds a static set of convex polygons from their rings. Each ring is one object. The function checks and cleans
    /// up the rings by the rules of [`ConvexPolygon::new`], in parallel.
    ///
    /// # Errors
    /// Returns the errors of [`ConvexPolygon::new`] for the first invalid polygon, with the index of the polygon.
    /// Returns [`Error::TooMany`] if there are too many objects or vertices for 32-bit indices.
    pub fn from_convex_rings<R: AsRef<[V]> + Sync, V: Into<DVec2> + Copy + Sync>(
        rings: &[R],
    ) -> Result<Self> {
        check_count("objects", rings.len())?;
        let runs: Vec<&[R]> = rings.chunks(RUN_SHAPES).collect();
        let (first_vertices, mut offsets) = ring_offsets::<R, V>(&runs)?;
        let lengths =
            runs.iter().zip(first_vertices.windows(2)).map(|(run, ends)| (ends[1] - ends[0], run.len()));
        let lengths: Vec<_> = lengths.collect();
        let (mut vertices, boxes, taken) = filled(&lengths, |run, vertices, boxes| {
            let rings =
                TakeRings { rings: runs[run], first: run * RUN_SHAPES, vertices, boxes, vertex: PhantomData };
            if has_doubles() { on_doubles(rings) } else { rings.take(ConvexPolygon::tidy, |_| None) }
        })?;
        let (mut summary, mut shorter) = (Summary::NONE, Vec::new());
        for (of_run, shorter_of_run) in taken {
            summary = summary.with(of_run);
            shorter.extend(shorter_of_run);
        }
        close_gaps(&mut vertices, &mut offsets, &shorter);
        Ok(Self {
            vertices,
            shape_offsets: offsets,
            shape_boxes: boxes,
            summary: (HAS_SUMMARY && !rings.is_empty()).then_some(summary),
            object_count: rings.len(),
            ..Self::default()
        })
    }

    /// Builds a set of instances, each of which is a shape at a pose. Object `i` is the shape `shapes[instances[i].0]`
    /// at the pose `instances[i].1`.
    ///
    /// # Errors
    /// Returns [`Error::UnknownShape`] if an instance names a shape that does not exist. Returns [`Error::TooMany`] if
    /// there are too many vertices, pieces or objects for 32-bit indices.
    ///
    /// ```
    /// use sat2d::{ConvexPolygon, PolygonSet, Pose};
    /// let square = ConvexPolygon::new(&[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])?;
    /// let turned = Pose::new(0.25, [1.5, 0.0])?;
    /// let set = PolygonSet::from_instances(&[square.into()], &[(0, Pose::IDENTITY), (0, turned)])?;
    /// assert_eq!((set.object_count(), set.shape_count()), (2, 1));
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn from_instances(shapes: &[PolygonObject], instances: &[(usize, Pose)]) -> Result<Self> {
        // Each object of `shapes` becomes a run of convex shapes. An instance of the object has one piece for each
        // convex shape of the run.
        let mut set = Self::from_objects(shapes)?;
        let mut runs = vec![0..0; shapes.len()];
        let mut next = 0;
        for (run, object) in runs.iter_mut().zip(shapes) {
            *run = next..next + object.pieces().len();
            next = run.end;
        }
        let (mut piece_shapes, mut piece_objects) = (Vec::new(), Vec::new());
        for (instance, &(shape, pose)) in instances.iter().enumerate() {
            let Some(run) = runs.get(shape) else {
                return Err(Error::UnknownShape { instance, shape, count: shapes.len() });
            };
            for convex in run.clone() {
                piece_shapes.push(convex as u32);
                piece_objects.push(instance as u32);
                set.poses.push(pose);
            }
        }
        check_count("pieces", piece_shapes.len())?;
        check_count("objects", instances.len())?;
        set.piece_shapes = Some(piece_shapes);
        set.piece_objects = Some(piece_objects);
        set.object_count = instances.len();
        Ok(set)
    }

    fn from_pieces<'a>(
        object_count: usize,
        pieces: impl Iterator<Item = (usize, &'a ConvexPolygon)> + Clone,
    ) -> Result<Self> {
        check_count("objects", object_count)?;
        let (piece_count, vertex_count) =
            pieces.clone().fold((0, 0), |(p, v), (_, piece)| (p + 1, v + piece.vertices().len()));
        check_count("pieces", piece_count)?;
        check_count("vertices", vertex_count)?;
        let mut set = Self {
            vertices: with_room(vertex_count),
            shape_offsets: with_room(piece_count + 1),
            shape_boxes: with_room(piece_count),
            object_count,
            ..Self::default()
        };
        set.shape_offsets.push(0);
        let mut piece_objects = with_room(piece_count);
        if pieces.clone().any(|(_, piece)| piece.internal_edges().is_some()) {
            let mut internal = Vec::with_capacity(vertex_count);
            for (_, piece) in pieces.clone() {
                match piece.internal_edges() {
                    Some(edges) => internal.extend_from_slice(edges),
                    None => internal.resize(internal.len() + piece.vertices().len(), false),
                }
            }
            set.internal_edges = Some(internal);
        }
        for (object, piece) in pieces {
            set.vertices.extend_from_slice(piece.vertices());
            set.shape_offsets.push(set.vertices.len() as u32);
            set.shape_boxes.push(piece.aabb());
            piece_objects.push(object as u32);
        }
        let are_objects = piece_count == object_count && piece_objects.iter().zip(0..).all(|(&o, i)| o == i);
        set.piece_objects = (!are_objects).then_some(piece_objects);
        Ok(set)
    }

    /// Builds a set of cores, which may also be points or segments. Returns [`Error::TooMany`] if there are too many
    /// vertices or cores for 32-bit indices. The set is for measurements, not for exact relations.
    pub(super) fn from_cores<'a>(cores: impl Iterator<Item = &'a [DVec2]>) -> Result<Self> {
        let mut set = Self { shape_offsets: vec![0], ..Self::default() };
        for core in cores {
            set.vertices.extend_from_slice(core);
            check_count("vertices", set.vertices.len())?;
            set.shape_offsets.push(set.vertices.len() as u32);
            set.shape_boxes.push(Aabb::around(core));
            set.object_count += 1;
        }
        check_count("objects", set.object_count)?;
        Ok(set)
    }

    /// Replaces the objects of the set by posed instances. Returns [`Error::UnknownShape`] if an instance names a
    /// shape that does not exist, or [`Error::TooMany`] for too many instances. Before the call, each shape of the set
    /// must be one object. Object `i` is then the shape `instances[i].0` at the pose `instances[i].1`.
    pub(super) fn instantiate(&mut self, instances: &[(usize, Pose)]) -> Result<()> {
        let count = self.shape_count();
        if let Some((instance, &(shape, _))) = instances.iter().enumerate().find(|(_, i)| i.0 >= count) {
            return Err(Error::UnknownShape { instance, shape, count });
        }
        check_count("objects", instances.len())?;
        self.piece_shapes = Some(instances.iter().map(|instance| instance.0 as u32).collect());
        self.poses = instances.iter().map(|instance| instance.1).collect();
        self.piece_objects = None;
        self.object_count = instances.len();
        Ok(())
    }

    /// Returns the number of objects, including the objects without pieces.
    #[must_use]
    pub fn object_count(&self) -> usize {
        self.object_count
    }

    /// Returns the number of convex pieces of all objects.
    #[must_use]
    pub fn piece_count(&self) -> usize {
        self.made().piece_shapes.as_ref().map_or(self.shape_count(), Vec::len)
    }

    /// Returns the number of convex shapes. Each piece is an instance of one of these shapes.
    #[must_use]
    pub fn shape_count(&self) -> usize {
        self.made().shape_offsets.len().saturating_sub(1)
    }

    /// Returns the number of vertices of all shapes.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.made().vertices.len()
    }

    /// Returns whether the set has no poses. In a set without poses, every shape has one piece, and the vertices of the
    /// shape are world coordinates.
    #[must_use]
    pub fn is_static(&self) -> bool {
        self.poses.is_empty() && self.piece_shapes.is_none()
    }

    /// Returns the vertices of a shape, counter-clockwise, in the shape's own coordinates, without a pose.
    ///
    /// # Panics
    /// Panics if the set has no shape with this index. Other methods of the set may also panic if an index is invalid.
    #[inline]
    #[must_use]
    pub fn shape_vertices(&self, shape: usize) -> &[DVec2] {
        let set = self.made();
        &set.vertices[set.shape_offsets[shape] as usize..set.shape_offsets[shape + 1] as usize]
    }

    /// Returns the index of the shape that a piece is an instance of.
    #[inline]
    #[must_use]
    pub fn piece_shape(&self, piece: usize) -> usize {
        self.made().piece_shapes.as_ref().map_or(piece, |shapes| shapes[piece] as usize)
    }

    /// Returns the index of the object that a piece belongs to.
    #[inline]
    #[must_use]
    pub fn piece_object(&self, piece: usize) -> usize {
        self.made().piece_objects.as_ref().map_or(piece, |objects| objects[piece] as usize)
    }

    /// Returns the range of the pieces of an object.
    pub(crate) fn object_pieces(&self, object: usize) -> std::ops::Range<usize> {
        match &self.made().piece_objects {
            None => object..object + 1,
            Some(objects) => {
                let first = |object: usize| objects.partition_point(|&o| (o as usize) < object);
                first(object)..first(object + 1)
            }
        }
    }

    /// Returns the pose of a piece.
    #[inline]
    #[must_use]
    pub fn piece_pose(&self, piece: usize) -> Pose {
        self.poses.get(piece).copied().unwrap_or(Pose::IDENTITY)
    }

    /// Sets the pose of every object. `poses[i]` is the pose of object `i`. After the call, [`PolygonSet::is_static`]
    /// returns `false`, unless the set has no pieces.
    ///
    /// # Errors
    /// Returns [`Error::Option`] for a wrong number of poses, and the errors of [`PolygonSet::check_pieces`].
    pub fn set_poses(&mut self, poses: &[Pose]) -> Result<()> {
        if poses.len() != self.object_count {
            let value = format!("{} for {} objects", poses.len(), self.object_count);
            return Err(Error::Option { option: "poses", value, problem: "give one for each object" });
        }
        if self.outlined.is_some() {
            self.check_pieces()?;
            *self = self.made().clone();
        }
        #[cfg(not(target_family = "wasm"))]
        self.trees.take();
        self.poses = (0..self.piece_count()).map(|piece| poses[self.piece_object(piece)]).collect();
        Ok(())
    }

    /// Returns the vertices of a piece in the coordinates of its shape, without a pose. In a static set, the
    /// coordinates of every shape are world coordinates.
    #[inline]
    #[must_use]
    pub fn piece_vertices(&self, piece: usize) -> &[DVec2] {
        self.shape_vertices(self.piece_shape(piece))
    }

    /// Returns whether an edge of a piece is internal. An internal edge is a cut between the piece and other pieces of
    /// its object. No part of an internal edge is on the boundary of the object. Edge `edge` starts at the vertex with
    /// the same index.
    ///
    /// # Panics
    /// In a set with internal edges, the method panics if the set has no piece with index `piece`, or if the piece has
    /// no edge with index `edge`. In a set without internal edges, the method returns `false` for every edge index, and
    /// may panic if the set has no piece with index `piece`.
    #[must_use]
    pub fn is_internal_edge(&self, piece: usize, edge: usize) -> bool {
        self.internal_edges(piece).is_some_and(|internal| internal[edge])
    }

    /// Returns whether each edge of a piece is internal, or `None` if no edge of the set is internal.
    pub(crate) fn internal_edges(&self, piece: usize) -> Option<&[bool]> {
        let shape = self.piece_shape(piece);
        let offsets = self.shape_offsets();
        Some(&self.all_internal_edges()?[offsets[shape] as usize..offsets[shape + 1] as usize])
    }

    /// Returns whether each edge of each shape is internal, shape after shape. Returns `None` if no edge is internal.
    pub(crate) fn all_internal_edges(&self) -> Option<&[bool]> {
        self.made().internal_edges.as_deref()
    }

    /// Prefetches the data that leads to the vertices of a piece.
    #[inline(always)]
    pub(crate) fn prefetch_piece(&self, piece: usize) {
        let set = self.made();
        match &set.piece_shapes {
            None => prefetch(&set.shape_offsets[piece]),
            // The instances share few shapes, so the offsets of the shapes are in a cache already.
            Some(shapes) => prefetch(&shapes[piece]),
        }
    }

    /// Prefetches a shape's vertices and its box.
    #[cfg(any(feature = "gpu", all(test, feature = "scenes")))]
    #[inline(always)]
    pub(crate) fn prefetch_shape(&self, shape: usize) {
        prefetch(self.shape_vertices(shape));
        prefetch(&self.made().shape_boxes[shape]);
    }

    /// Returns the vertices of all shapes, shape after shape.
    pub(crate) fn all_vertices(&self) -> &[DVec2] {
        &self.made().vertices
    }

    /// Returns the index of the first vertex of each shape, and the number of vertices as the last entry. The list is
    /// empty if the set never had a shape.
    pub(crate) fn shape_offsets(&self) -> &[u32] {
        &self.made().shape_offsets
    }

    /// Returns the object of each piece. Returns `None` if piece `i` is object `i`, and there are no other objects.
    pub(crate) fn piece_objects(&self) -> Option<&[u32]> {
        self.made().piece_objects.as_deref()
    }

    /// Returns whether every object has at most one piece.
    pub(crate) fn has_one_piece_an_object(&self) -> bool {
        // Pieces are numbered object by object, so pieces of one object are neighbours.
        self.made().piece_objects.as_ref().is_none_or(|objects| objects.windows(2).all(|w| w[0] < w[1]))
    }

    /// Returns the vertices and the pose of a piece.
    #[inline]
    pub(crate) fn piece(&self, piece: usize) -> Piece<'_> {
        Piece { vertices: self.piece_vertices(piece), pose: self.piece_pose(piece) }
    }

    /// Returns a closed bounding box of each piece, in world coordinates. The boxes are exact in a static set, and
    /// rounded outward in a set with poses.
    #[must_use]
    pub fn piece_aabbs(&self) -> Vec<Aabb> {
        self.piece_boxes().into_owned()
    }

    /// Returns the boxes of [`PolygonSet::piece_aabbs`]. Borrows them if the set stores them.
    pub(crate) fn piece_boxes(&self) -> Cow<'_, [Aabb]> {
        if self.is_static() {
            return Cow::Borrowed(&self.made().shape_boxes);
        }
        Cow::Owned(
            (0..self.piece_count()).into_par_iter().with_min_len(256).map(|i| self.piece_aabb(i)).collect(),
        )
    }

    /// Returns a closed bounding box of each object, in world coordinates. The box of an object without pieces is
    /// [`Aabb::EMPTY`].
    #[must_use]
    pub fn object_aabbs(&self) -> Vec<Aabb> {
        let mut boxes = vec![Aabb::EMPTY; self.object_count];
        if let Some(Outlined { outlines, .. }) = self.outlined() {
            for (&object, &aabb) in outlines.objects().iter().zip(outlines.boxes()) {
                boxes[object as usize] = boxes[object as usize].union(aabb);
            }
            return boxes;
        }
        for (piece, aabb) in self.piece_aabbs().into_iter().enumerate() {
            let object = &mut boxes[self.piece_object(piece)];
            *object = object.union(aabb);
        }
        boxes
    }

    /// Returns the exact box around a shape, in the shape's own coordinates, without a pose.
    pub(crate) fn shape_aabb(&self, shape: usize) -> Aabb {
        self.made().shape_boxes[shape]
    }

    /// Returns the bounding box of a piece, at its pose.
    #[doc(hidden)]
    pub fn piece_aabb(&self, piece: usize) -> Aabb {
        let pose = self.piece_pose(piece);
        if pose == Pose::IDENTITY {
            return self.made().shape_boxes[self.piece_shape(piece)];
        }
        self.piece_vertices(piece).iter().fold(Aabb::EMPTY, |aabb, &v| {
            // `Pose::apply` has an error in x and in y of at most 2^-51 times this sum.
            let magnitude = v.abs().element_sum() + pose.translation().abs().max_element();
            let margin = DVec2::splat(magnitude * 2f64.powi(-50));
            let image = pose.apply(v);
            aabb.union(Aabb { min: image - margin, max: image + margin })
        })
    }
}

fn check_count(items: &'static str, count: usize) -> Result<()> {
    // The limit is one less than the maximum of u32, so that `count + 1`, the length of a list of offsets, also fits 32
    // bits.
    let limit = u32::MAX as usize - 1;
    if count > limit { Err(Error::TooMany { items, count, limit }) } else { Ok(()) }
}
