use glam::DVec2;

use super::{ConvexPolygon, MAX_COORDINATE, MIN_COORDINATE, PolygonSet, Pose};
use crate::error::{Error, Result};

/// The set of all points at most a radius away from a core: a circle, a capsule or a convex polygon with round corners.
/// The core is a point, a segment or a convex polygon. A shape with radius 0 is its core.
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
    /// Returns a circle; a point if the radius is 0.
    ///
    /// # Errors
    /// [`Error::NotFinite`] and [`Error::OutOfRange`] for the centre, as vertex 0 of polygon 0; [`Error::Radius`].
    pub fn circle(centre: impl Into<DVec2>, radius: f64) -> Result<Self> {
        Self::new(vec![centre.into()], radius)
    }

    /// Returns the set of all points at most `radius` away from a segment; a circle if the two ends are equal.
    ///
    /// # Errors
    /// As [`RoundedShape::circle`], for either end.
    pub fn capsule(from: impl Into<DVec2>, to: impl Into<DVec2>, radius: f64) -> Result<Self> {
        let (from, to) = (from.into(), to.into());
        Self::new(if from == to { vec![from] } else { vec![from, to] }, radius)
    }

    /// Returns the set of all points at most `radius` away from a convex polygon.
    ///
    /// # Errors
    /// [`Error::Radius`].
    pub fn polygon(core: &ConvexPolygon, radius: f64) -> Result<Self> {
        Self::new(core.vertices().to_vec(), radius)
    }

    fn new(core: Vec<DVec2>, radius: f64) -> Result<Self> {
        for (vertex, v) in core.iter().enumerate() {
            if !v.is_finite() {
                return Err(Error::NotFinite { polygon: 0, vertex, x: v.x, y: v.y });
            }
            for value in v.to_array() {
                if value != 0.0 && !(MIN_COORDINATE..=MAX_COORDINATE).contains(&value.abs()) {
                    return Err(Error::OutOfRange { polygon: 0, vertex, value });
                }
            }
        }
        // NaN is in no range.
        if radius != 0.0 && !(MIN_COORDINATE..=MAX_COORDINATE).contains(&radius) {
            return Err(Error::Radius { radius });
        }
        Ok(Self { core, radius })
    }

    /// Returns the vertices of the core: one, two, or the counter-clockwise vertices of a convex polygon.
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

/// A set of rounded shapes. Each shape is one object. The queries that take [`Shapes`] accept a `RoundedSet`.
///
/// ```
/// use sat2d::{Backend, Engine, RoundedSet, RoundedShape};
/// let circles = RoundedSet::new(&[
///     RoundedShape::circle([0.0, 0.0], 1.0)?,
///     RoundedShape::circle([3.0, 4.0], 4.5)?,
/// ])?;
/// let found = Engine::new(Backend::Cpu)?.penetrations(&circles, &circles, &[[0, 1]])?.figures[0];
/// // 5 from centre to centre.
/// assert!((found.depth() - 0.5).abs() < 1e-4);
/// assert!((found.normal - sat2d::glam::DVec2::new(0.6, 0.8)).length() < 1e-4);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RoundedSet {
    cores: PolygonSet,
    /// One a shape.
    radii: Vec<f64>,
}

impl RoundedSet {
    /// Builds a set of shapes at the coordinates of their cores.
    ///
    /// # Errors
    /// [`Error::TooMany`] if the vertices of the cores do not fit 32-bit indices.
    pub fn new(shapes: &[RoundedShape]) -> Result<Self> {
        let cores = PolygonSet::from_cores(shapes.iter().map(|shape| &shape.core[..]))?;
        Ok(Self { cores, radii: shapes.iter().map(|shape| shape.radius).collect() })
    }

    /// Builds a set of points: shapes of one vertex and radius 0. The caller has checked the coordinates.
    ///
    /// # Errors
    /// [`Error::TooMany`] if the points do not fit 32-bit indices.
    #[cfg(feature = "cli")]
    pub(crate) fn of_points(points: &[DVec2]) -> Result<Self> {
        let cores = PolygonSet::from_cores(points.iter().map(std::slice::from_ref))?;
        Ok(Self { cores, radii: vec![0.0; points.len()] })
    }

    /// Builds a set of posed instances of shared shapes. Object `i` is `shapes[instances[i].0]` at pose
    /// `instances[i].1`.
    ///
    /// # Errors
    /// [`Error::UnknownShape`], [`Error::TooMany`].
    pub fn from_instances(shapes: &[RoundedShape], instances: &[(usize, Pose)]) -> Result<Self> {
        let mut set = Self::new(shapes)?;
        set.cores.instantiate(instances)?;
        Ok(set)
    }

    /// The cores: of 1 or 2 vertices, or convex polygons.
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
    /// Panics if there is no such object.
    #[must_use]
    pub fn radius(&self, object: usize) -> f64 {
        self.radii[self.cores.piece_shape(object)]
    }

    /// Sets the poses of the objects, one for each object.
    ///
    /// # Errors
    /// [`Error::Option`] if the number of poses is not the number of objects.
    pub fn set_poses(&mut self, poses: &[Pose]) -> Result<()> {
        self.cores.set_poses(poses)
    }
}

/// A set that can be measured: a [`PolygonSet`] or a [`RoundedSet`]. The trait is sealed.
pub trait Shapes: sealed::Sealed {}

impl Shapes for PolygonSet {}
impl Shapes for RoundedSet {}

pub(crate) mod sealed {
    use super::{PolygonSet, RoundedSet};

    /// Cores and radii.
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

/// A set to measure: its cores, and the radius of each of its shapes where they are rounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounded<'a> {
    pub(crate) cores: &'a PolygonSet,
    radii: Option<&'a [f64]>,
}

impl<'a> Rounded<'a> {
    pub(crate) fn of<S: Shapes>(shapes: &'a S) -> Self {
        let (cores, radii) = shapes.cores_and_radii();
        Self { cores, radii }
    }

    pub(crate) fn plain(cores: &'a PolygonSet) -> Self {
        Self { cores, radii: None }
    }

    pub(crate) fn is_rounded(self) -> bool {
        self.radii.is_some()
    }

    /// The radius of a piece.
    pub(crate) fn radius(self, piece: usize) -> f64 {
        self.radii.map_or(0.0, |radii| radii[self.cores.piece_shape(piece)])
    }
}
