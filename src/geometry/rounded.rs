use glam::DVec2;

use super::convex_polygon::check_coordinates;
use super::{ConvexPolygon, MAX_COORDINATE, MIN_COORDINATE, PolygonSet, Pose};
use crate::base::error::{Error, Result};

/// A circle, a capsule or a convex polygon with round corners. A rounded shape is the set of all points whose distance
/// from the *core* of the shape is at most the radius. The core is a point, a segment or a convex polygon. A shape with
/// radius 0 is its core.
///
/// ```
/// use sat2d::{ConvexPolygon, RoundedShape};
/// let wheel = RoundedShape::circle([0.0, 0.0], 0.5)?;
/// let rod = RoundedShape::capsule([0.0, 0.0], [2.0, 0.0], 0.125)?;
/// let square = ConvexPolygon::new(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])?;
/// let button = RoundedShape::polygon(&square, 0.25)?;
/// assert_eq!([wheel, rod, button].map(|shape| shape.core().len()), [1, 2, 4]);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RoundedShape {
    core: Vec<DVec2>,
    radius: f64,
}

impl RoundedShape {
    /// Returns a circle. If the radius is 0, the circle is a point.
    ///
    /// # Errors
    /// Returns [`Error::NotFinite`] or [`Error::OutOfRange`] for an invalid centre. In this error, the index of the
    /// polygon and the index of the vertex are 0. Returns [`Error::Radius`] if the radius is negative, NaN, infinite or
    /// out of range.
    pub fn circle(centre: impl Into<DVec2>, radius: f64) -> Result<Self> {
        Self::new(vec![centre.into()], radius)
    }

    /// Returns a capsule: the set of all points whose distance from a segment is at most `radius`. If the two ends of
    /// the segment are equal, the capsule is a circle.
    ///
    /// # Errors
    /// Returns the errors of [`RoundedShape::circle`], for either end of the segment.
    pub fn capsule(from: impl Into<DVec2>, to: impl Into<DVec2>, radius: f64) -> Result<Self> {
        let (from, to) = (from.into(), to.into());
        Self::new(if from == to { vec![from] } else { vec![from, to] }, radius)
    }

    /// Returns a convex polygon with round corners: the set of all points whose distance from `core` is at most
    /// `radius`.
    ///
    /// # Errors
    /// Returns [`Error::Radius`] if the radius is negative, NaN, infinite or out of range.
    pub fn polygon(core: &ConvexPolygon, radius: f64) -> Result<Self> {
        Self::new(core.vertices().to_vec(), radius)
    }

    fn new(core: Vec<DVec2>, radius: f64) -> Result<Self> {
        core.iter().enumerate().try_for_each(|(vertex, &v)| check_coordinates(v, vertex))?;
        // The range does not contain NaN, so NaN is an error.
        if radius != 0.0 && !(MIN_COORDINATE..=MAX_COORDINATE).contains(&radius) {
            return Err(Error::Radius { radius });
        }
        Ok(Self { core, radius })
    }

    /// Returns the vertices of the core: the point, the two ends of the segment, or the counter-clockwise vertices of
    /// the polygon.
    #[must_use]
    pub fn core(&self) -> &[DVec2] {
        &self.core
    }

    /// Returns the radius, 0 or more, in the caller's unit.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

/// A set of objects with rounded shapes. Each object is one shape, or an instance of a shape at a pose. Every query
/// whose argument is a [`Shapes`] accepts a `RoundedSet`.
///
/// ```
/// use sat2d::{Backend, Engine, Penetrations, RoundedSet, RoundedShape};
/// let circles = RoundedSet::new(&[
///     RoundedShape::circle([0.0, 0.0], 1.0)?,
///     RoundedShape::circle([3.0, 4.0], 4.5)?,
/// ])?;
/// let found = Engine::new(Backend::Cpu)?.piece_pairs(&circles, &circles, &[[0, 1]]).query(Penetrations)?.items[0];
/// // The centres are 5 apart.
/// assert!((found.depth() - 0.5).abs() < 1e-4);
/// assert!((found.normal - sat2d::glam::DVec2::new(0.6, 0.8)).length() < 1e-4);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RoundedSet {
    cores: PolygonSet,
    /// The radius of each shape.
    radii: Vec<f64>,
}

impl RoundedSet {
    /// Builds a set of shapes without poses, whose cores are in world coordinates.
    ///
    /// # Errors
    /// Returns [`Error::TooMany`] if the cores have too many vertices for 32-bit indices.
    pub fn new(shapes: &[RoundedShape]) -> Result<Self> {
        let cores = PolygonSet::from_cores(shapes.iter().map(|shape| &shape.core[..]))?;
        Ok(Self { cores, radii: shapes.iter().map(|shape| shape.radius).collect() })
    }

    /// Builds a set of points: shapes of one vertex and radius 0. The caller has checked the coordinates.
    ///
    /// # Errors
    /// Returns [`Error::TooMany`] if there are too many points for 32-bit indices.
    #[doc(hidden)]
    pub fn of_points(points: &[DVec2]) -> Result<Self> {
        let cores = PolygonSet::from_cores(points.iter().map(std::slice::from_ref))?;
        Ok(Self { cores, radii: vec![0.0; points.len()] })
    }

    /// Builds a set of `count` objects. An object has any number of points, which are shapes of one vertex and radius 0.
    /// `objects` has the index of each point's object, in ascending order. The caller has checked the coordinates.
    ///
    /// # Errors
    /// Returns [`Error::TooMany`] if there are too many points or objects for 32-bit indices.
    #[doc(hidden)]
    pub fn of_objects_of_points(points: &[DVec2], objects: Vec<u32>, count: usize) -> Result<Self> {
        let mut set = Self::of_points(points)?;
        set.cores.group(objects, count)?;
        Ok(set)
    }

    /// Builds a set of instances, each of which is a shape at a pose. Object `i` is the shape `shapes[instances[i].0]`
    /// at the pose `instances[i].1`.
    ///
    /// # Errors
    /// Returns [`Error::UnknownShape`] if an instance names a shape that does not exist. Returns [`Error::TooMany`] if
    /// the set has too many items for 32-bit indices.
    pub fn from_instances(shapes: &[RoundedShape], instances: &[(usize, Pose)]) -> Result<Self> {
        let mut set = Self::new(shapes)?;
        set.cores.instantiate(instances)?;
        Ok(set)
    }

    /// Returns the cores. A core has 1 or 2 vertices, or is a convex polygon.
    pub(crate) fn cores(&self) -> &PolygonSet {
        &self.cores
    }

    /// Returns the number of objects.
    #[must_use]
    pub fn object_count(&self) -> usize {
        self.cores.object_count()
    }

    /// Returns the radius of an object, in the caller's unit.
    ///
    /// # Panics
    /// Panics if the set has no object with this index.
    #[must_use]
    pub fn radius(&self, object: usize) -> f64 {
        self.radii[self.cores.piece_shape(object)]
    }

    /// Sets the pose of every object. `poses[i]` is the pose of object `i`.
    ///
    /// # Errors
    /// Returns [`Error::Option`] if the number of poses differs from the number of objects.
    pub fn set_poses(&mut self, poses: &[Pose]) -> Result<()> {
        self.cores.set_poses(poses)
    }
}

/// A set that the measuring queries accept: a [`PolygonSet`] or a [`RoundedSet`]. The trait is sealed: only these two
/// types implement the trait.
pub trait Shapes: sealed::Sealed {}

impl Shapes for PolygonSet {}
impl Shapes for RoundedSet {}

pub(crate) mod sealed {
    use super::{PolygonSet, RoundedSet};

    /// Seals the trait `Shapes`: other crates cannot implement this trait.
    pub trait Sealed {
        #[doc(hidden)]
        fn cores_and_radii(&self) -> (&PolygonSet, Option<&[f64]>);
    }

    impl Sealed for PolygonSet {
        fn cores_and_radii(&self) -> (&PolygonSet, Option<&[f64]>) {
            (self, None)
        }
    }

    impl Sealed for RoundedSet {
        fn cores_and_radii(&self) -> (&PolygonSet, Option<&[f64]>) {
            (self.cores(), Some(&self.radii))
        }
    }
}

/// A set to measure: its cores, and the radius of each shape if the shapes are rounded.
#[derive(Clone, Copy, Debug)]
pub struct Rounded<'a> {
    /// The cores of the shapes.
    pub cores: &'a PolygonSet,
    radii: Option<&'a [f64]>,
}

impl<'a> Rounded<'a> {
    /// Returns the cores and the radii of shapes.
    pub fn of<S: Shapes>(shapes: &'a S) -> Self {
        let (cores, radii) = shapes.cores_and_radii();
        Self { cores, radii }
    }

    pub(crate) fn plain(cores: &'a PolygonSet) -> Self {
        Self { cores, radii: None }
    }

    /// Returns the same shapes, with the set of convex pieces in place of a set that keeps outlines. The first call on
    /// a set that keeps outlines splits its polygons.
    pub(crate) fn made(self) -> Self {
        Self { cores: self.cores.made(), ..self }
    }

    pub(crate) fn is_rounded(self) -> bool {
        self.radii.is_some()
    }

    /// Returns the radius of a piece, which is 0 in a set without radii.
    pub(crate) fn radius(self, piece: usize) -> f64 {
        self.radii.map_or(0.0, |radii| radii[self.cores.piece_shape(piece)])
    }
}
