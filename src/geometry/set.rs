use glam::DVec2;
use rayon::prelude::*;

use super::{Aabb, ConvexPolygon, PolygonObject, Pose};
use crate::error::{Error, Result};
use crate::vector::prefetch;

/// The polygons of one side of a join: objects, each made of convex pieces.
///
/// Shapes are stored once; a piece is an instance of a shape with a pose, and belongs to an object. In a static set
/// every shape has one instance and stands where its vertices say. Indices are the caller's: object `i` is the `i`th
/// that was given; pieces are numbered through, object by object.
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
    /// First vertex of each shape, and one more entry: the count.
    shape_offsets: Vec<u32>,
    piece_shapes: Vec<u32>,
    piece_objects: Vec<u32>,
    /// A pose a piece, or none at all where every one is the identity.
    poses: Vec<Pose>,
    object_count: usize,
}

/// Shapes that one task makes: many, so that they share an allocation.
const RUN_SHAPES: usize = 1024;

/// Shapes in the making.
struct Run {
    vertices: Vec<DVec2>,
    /// Vertices of each shape.
    counts: Vec<u32>,
}

impl Run {
    fn with_capacity(shapes: usize, vertices: usize) -> Self {
        Self { vertices: Vec::with_capacity(vertices), counts: Vec::with_capacity(shapes) }
    }
}

/// A convex piece: the image of `vertices` under `pose`.
#[derive(Clone, Copy)]
pub(crate) struct Piece<'a> {
    pub(crate) vertices: &'a [DVec2],
    pub(crate) pose: Pose,
}

impl PolygonSet {
    /// A static set of objects, each as many pieces as it has.
    ///
    /// # Errors
    /// [`Error::TooMany`] where vertices or pieces do not fit 32-bit indices.
    pub fn from_objects(objects: &[PolygonObject]) -> Result<Self> {
        let pieces =
            objects.iter().enumerate().flat_map(|(o, object)| object.pieces().iter().map(move |p| (o, p)));
        Self::from_pieces(objects.len(), pieces)
    }

    /// A static set of convex polygons, an object each.
    ///
    /// # Errors
    /// [`Error::TooMany`] where vertices or pieces do not fit 32-bit indices.
    pub fn from_convex(polygons: &[ConvexPolygon]) -> Result<Self> {
        Self::from_pieces(polygons.len(), polygons.iter().enumerate())
    }

    /// A static set of convex polygons from their rings, an object each, checked and tidied in parallel as
    /// [`ConvexPolygon::new`] does.
    ///
    /// # Errors
    /// Those of [`ConvexPolygon::new`], naming the first polygon at fault; [`Error::TooMany`].
    pub fn from_convex_rings<R: AsRef<[V]> + Sync, V: Into<DVec2> + Copy + Sync>(
        rings: &[R],
    ) -> Result<Self> {
        check_count("objects", rings.len())?;
        let run = |(run, rings): (usize, &[R])| -> Result<Run> {
            let mut out = Run::with_capacity(rings.len(), rings.iter().map(|ring| ring.as_ref().len()).sum());
            for (i, ring) in rings.iter().enumerate() {
                let count = ConvexPolygon::append_vertices(ring.as_ref(), &mut out.vertices);
                out.counts.push(count.map_err(|e| e.at_polygon(run * RUN_SHAPES + i))? as u32);
            }
            Ok(out)
        };
        let runs: Vec<Result<Run>> = rings.par_chunks(RUN_SHAPES).enumerate().map(run).collect();
        // Collected as results first: which error is reported must not depend on the threads.
        let runs: Vec<Run> = runs.into_iter().collect::<Result<_>>()?;
        check_count("vertices", runs.iter().map(|run| run.vertices.len()).sum())?;
        let mut set = Self {
            piece_shapes: (0..rings.len() as u32).collect(),
            piece_objects: (0..rings.len() as u32).collect(),
            object_count: rings.len(),
            ..Self::default()
        };
        set.set_shapes(runs);
        Ok(set)
    }

    /// Takes the shapes of all runs, in their order.
    fn set_shapes(&mut self, runs: Vec<Run>) {
        self.vertices.reserve_exact(runs.iter().map(|run| run.vertices.len()).sum());
        self.shape_offsets.reserve_exact(runs.iter().map(|run| run.counts.len()).sum::<usize>() + 1);
        self.shape_offsets.push(0);
        let mut end = 0;
        for run in runs {
            self.vertices.extend_from_slice(&run.vertices);
            self.shape_offsets.extend(run.counts.into_iter().map(|count| {
                end += count;
                end
            }));
        }
    }

    /// Posed instances of shared shapes: object `i` is `shapes[instances[i].0]` at pose `instances[i].1`.
    ///
    /// # Errors
    /// [`Error::UnknownShape`], [`Error::TooMany`].
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
        // Each object of `shapes` becomes a run of convex shapes; an instance takes the whole run.
        let mut set = Self::from_objects(shapes)?;
        let mut runs = vec![0..0; shapes.len()];
        let mut next = 0;
        for (run, object) in runs.iter_mut().zip(shapes) {
            *run = next..next + object.pieces().len();
            next = run.end;
        }
        set.piece_shapes.clear();
        set.piece_objects.clear();
        for (instance, &(shape, pose)) in instances.iter().enumerate() {
            let Some(run) = runs.get(shape) else {
                return Err(Error::UnknownShape { instance, shape, count: shapes.len() });
            };
            for convex in run.clone() {
                set.piece_shapes.push(convex as u32);
                set.piece_objects.push(instance as u32);
                set.poses.push(pose);
            }
        }
        check_count("pieces", set.piece_shapes.len())?;
        check_count("objects", instances.len())?;
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
            vertices: Vec::with_capacity(vertex_count),
            shape_offsets: Vec::with_capacity(piece_count + 1),
            piece_shapes: (0..piece_count as u32).collect(),
            piece_objects: Vec::with_capacity(piece_count),
            poses: Vec::new(),
            object_count,
        };
        set.shape_offsets.push(0);
        for (object, piece) in pieces {
            set.vertices.extend_from_slice(piece.vertices());
            set.shape_offsets.push(set.vertices.len() as u32);
            set.piece_objects.push(object as u32);
        }
        Ok(set)
    }

    /// How many objects there are, those without a piece included.
    #[must_use]
    pub fn object_count(&self) -> usize {
        self.object_count
    }

    /// How many convex pieces the objects have together.
    #[must_use]
    pub fn piece_count(&self) -> usize {
        self.piece_shapes.len()
    }

    /// How many convex shapes the pieces are instances of.
    #[must_use]
    pub fn shape_count(&self) -> usize {
        self.shape_offsets.len().saturating_sub(1)
    }

    /// How many vertices the shapes have together.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    /// Whether every shape has one piece, which stands where the shape's vertices say.
    #[must_use]
    pub fn is_static(&self) -> bool {
        self.poses.is_empty() && self.piece_count() == self.shape_count()
    }

    /// The vertices of a shape, counter-clockwise, in the shape's own frame.
    ///
    /// # Panics
    /// Where there is no such shape, as every accessor by index.
    #[inline]
    #[must_use]
    pub fn shape_vertices(&self, shape: usize) -> &[DVec2] {
        &self.vertices[self.shape_offsets[shape] as usize..self.shape_offsets[shape + 1] as usize]
    }

    /// The shape that a piece is an instance of.
    #[inline]
    #[must_use]
    pub fn piece_shape(&self, piece: usize) -> usize {
        self.piece_shapes[piece] as usize
    }

    /// The object that a piece belongs to.
    #[inline]
    #[must_use]
    pub fn piece_object(&self, piece: usize) -> usize {
        self.piece_objects[piece] as usize
    }

    /// The pose of a piece.
    #[inline]
    #[must_use]
    pub fn piece_pose(&self, piece: usize) -> Pose {
        self.poses.get(piece).copied().unwrap_or(Pose::IDENTITY)
    }

    /// The vertices of a piece in its shape's frame: the world's where the set is static.
    #[inline]
    #[must_use]
    pub fn piece_vertices(&self, piece: usize) -> &[DVec2] {
        self.shape_vertices(self.piece_shape(piece))
    }

    /// Asks for what leads to the vertices of a piece.
    #[inline(always)]
    pub(crate) fn prefetch_piece(&self, piece: usize) {
        // In a static set a piece is its shape; in a posed one there are few shapes, and they are near.
        if let Some(offset) = self.shape_offsets.get(piece) {
            prefetch(offset);
        }
        prefetch(&self.piece_shapes[piece]);
    }

    /// The object of each piece.
    pub(crate) fn piece_objects(&self) -> &[u32] {
        &self.piece_objects
    }

    /// Whether no object has more than one piece; asked of a set whose pieces are numbered object by object.
    pub(crate) fn has_one_piece_an_object(&self) -> bool {
        self.piece_objects.windows(2).all(|w| w[0] < w[1])
    }

    /// A piece as geometry.
    #[inline]
    pub(crate) fn piece(&self, piece: usize) -> Piece<'_> {
        Piece { vertices: self.piece_vertices(piece), pose: self.piece_pose(piece) }
    }

    /// A closed box around each piece in the world: exact in a static set, rounded outward in a posed one.
    #[must_use]
    pub fn piece_aabbs(&self) -> Vec<Aabb> {
        (0..self.piece_count()).into_par_iter().map(|i| self.piece_aabb(i)).collect()
    }

    /// A closed box around each object, [`Aabb::EMPTY`] for one without a piece.
    #[must_use]
    pub fn object_aabbs(&self) -> Vec<Aabb> {
        let mut boxes = vec![Aabb::EMPTY; self.object_count];
        for (piece, aabb) in self.piece_aabbs().into_iter().enumerate() {
            let object = &mut boxes[self.piece_object(piece)];
            *object = object.union(aabb);
        }
        boxes
    }

    fn piece_aabb(&self, piece: usize) -> Aabb {
        let vertices = self.piece_vertices(piece);
        let pose = self.piece_pose(piece);
        if pose == Pose::IDENTITY {
            return Aabb::around(vertices);
        }
        vertices.iter().fold(Aabb::EMPTY, |aabb, &v| {
            // `Pose::apply` is off by at most 2^-51 times this sum, for x and y alike.
            let magnitude = v.abs().element_sum() + pose.translation().abs().max_element();
            let margin = DVec2::splat(magnitude * 2f64.powi(-50));
            let image = pose.apply(v);
            aabb.union(Aabb { min: image - margin, max: image + margin })
        })
    }
}

fn check_count(items: &'static str, count: usize) -> Result<()> {
    // One less than the range of u32, so that a count fits as well as an index.
    let limit = u32::MAX as usize - 1;
    if count > limit { Err(Error::TooMany { items, count, limit }) } else { Ok(()) }
}
