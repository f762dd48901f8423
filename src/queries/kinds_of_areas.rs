//! The queries of areas that a caller can run on pairs.

#[cfg(doc)]
use crate::answers::area::{MeasuredObjects, Overlap};
#[cfg(doc)]
use crate::answers::bounds::MEASUREMENT_BOUND;
#[cfg(doc)]
use crate::answers::results::Relation;
use crate::base::error::{Error, Number, Result};
#[cfg(doc)]
use crate::geometry::PolygonSet;
#[cfg(doc)]
use crate::queries::{
    given::{ObjectPairs, PiecePairs},
    joins::Join,
};

/// Measures the area that the two polygons of each pair have in common, in the square of the caller's unit. The sets are
/// [`PolygonSet`]s.
///
/// - On a [`Join`], the query returns [`MeasuredObjects`] for each pair of objects that meet. The area is the common area of
///   the whole objects.
/// - If the caller gives pairs of pieces ([`PiecePairs`]) or of objects ([`ObjectPairs`]), the query measures each of these
///   pairs.
///
/// The area is above 0 if and only if the relation is [`Relation::Overlapping`], which exact arithmetic decides. If
/// rounding would make the area of an overlapping pair 0, the area is [`f64::MIN_POSITIVE`]. No area overflows: the area
/// of the greatest accepted polygon is less than 2^405. The error is at most [`MEASUREMENT_BOUND`] (2^-44) times the area
/// of the smaller of the two bounding boxes, at every distance of the polygons from the origin. The host computes the area.
/// The reported area is the same on every backend, and does not change if A and B are swapped.
///
/// If the polygons of a MultiPolygon overlap each other, each point of their union counts once. For such an object, the host
/// first splits the union into pieces that do not overlap. The vertices of these pieces at crossings are rounded to f64, and
/// the bound applies to the rounded pieces.
///
/// If every object has one piece and `least` is above 0, the host measures only the pairs whose bounding boxes have enough area
/// in common. A GPU leaves out most other pairs whose area is certainly less. The answers are the same.
///
/// # Errors
/// - [`crate::Error::Option`] if `least` is negative, NaN or infinite.
/// - [`crate::Error::Union`] if the polygons of a MultiPolygon overlap each other, the object meets another object, and the
///   polygons cross each other at millions of points.
///
/// ```
/// use sat2d::{Backend, Engine, IntersectionArea, PolygonSet};
///
/// let square = |x: f64| [[x, 0.0], [x + 4.0, 0.0], [x + 4.0, 4.0], [x, 4.0]];
/// let parcels = PolygonSet::from_convex_rings(&[square(0.0), square(4.0)])?;
/// let floods = PolygonSet::from_convex_rings(&[[[3.0, 0.0], [7.0, 0.0], [7.0, 2.0]]])?;
/// let engine = Engine::new(Backend::Cpu)?;
/// let found = engine.join(&parcels, &floods).query(IntersectionArea::default())?;
/// let areas: Vec<_> = found.iter().map(|pair| (pair.a, pair.b, pair.measurement)).collect();
/// assert_eq!(areas, [(0, 0, 0.25), (1, 0, 3.75)]);
///
/// // Only pairs with at least one square unit in common.
/// let large = engine.join(&parcels, &floods).query(IntersectionArea { least: 1.0 })?;
/// assert_eq!(large.len(), 1);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IntersectionArea {
    /// A join returns only pairs whose computed area is at least this value, in the square of the caller's unit. With 0,
    /// the join returns all pairs that meet. Given pairs are all measured.
    pub least: f64,
}

/// Measures the [`Overlap`] of each pair: the area that the two polygons have in common, the areas of both polygons, and
/// the intersection over union (the Jaccard index). The sets are [`PolygonSet`]s.
///
/// - On a [`Join`], the query returns [`MeasuredObjects`] for each pair of objects that meet.
/// - If the caller gives pairs of pieces ([`PiecePairs`]) or of objects ([`ObjectPairs`]), the query measures each of these
///   pairs.
///
/// The intersection over union is 1 if and only if the two polygons are the same region, which exact arithmetic decides.
/// [`IntersectionArea`] describes the error and the reproducibility of the common area, and the pairs that are left out if there
/// is a threshold.
///
/// # Errors
/// - [`crate::Error::Option`] if `least` is not between 0 and 1, or if `least_area` is negative, NaN or infinite.
/// - [`crate::Error::Union`] if the polygons of a MultiPolygon overlap each other, the object meets another object, and the
///   polygons cross each other at millions of points.
///
/// ```
/// use sat2d::{Backend, ConvexPolygon, Engine, Iou, PolygonSet, Pose};
///
/// // Detections: boxes of one shape, turned and moved.
/// let shape = ConvexPolygon::new(&[[-2.0, -1.0], [2.0, -1.0], [2.0, 1.0], [-2.0, 1.0]])?;
/// let poses = [Pose::IDENTITY, Pose::new(1.0, [0.1, 0.0])?, Pose::new(0.0, [1.0, 0.0])?, Pose::IDENTITY];
/// let boxes = PolygonSet::from_instances(&[shape.into()], &poses.map(|pose| (0, pose)))?;
/// let engine = Engine::new(Backend::Cpu)?;
/// let similar = engine.self_join(&boxes).query(Iou { least: 0.6, ..Iou::default() })?;
/// let pairs: Vec<_> = similar.iter().map(|pair| (pair.a, pair.b, pair.measurement.iou)).collect();
/// // Of 10 square units of the union, 6 are common.
/// assert_eq!(pairs, [(0, 2, 0.6), (0, 3, 1.0), (2, 3, 0.6)]);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Iou {
    /// A join returns only pairs whose computed intersection over union is at least this value, from 0 to 1. With 0, the
    /// join returns all pairs that meet. Given pairs are all measured.
    pub least: f64,
    /// A join returns only pairs whose computed common area is at least this value, in the square of the caller's unit.
    pub least_area: f64,
}

/// Checks an area, in the square of the caller's unit, and returns it. Returns an error that names `option` if the area
/// is negative, NaN or infinite.
pub(super) fn checked_area(option: &'static str, value: f64) -> Result<f64> {
    // The range does not contain NaN, so NaN is an error.
    if (0.0..=f64::MAX).contains(&value) {
        return Ok(value);
    }
    let problem = "must be an area: 0 or more, and finite";
    Err(Error::Option { option, value: Number(value).to_string(), problem })
}

impl IntersectionArea {
    pub(super) fn check_values(self) -> Result<()> {
        checked_area("least", self.least).map(drop)
    }
}

impl Iou {
    pub(super) fn check_values(self) -> Result<()> {
        checked_area("least_area", self.least_area)?;
        if (0.0..=1.0).contains(&self.least) {
            return Ok(());
        }
        let (option, value) = ("least", Number(self.least).to_string());
        Err(Error::Option { option, value, problem: "must be an intersection over union: between 0 and 1" })
    }
}
