//! Finds pairs of points and polygons.

use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use sat2d::internal::PointsWithin;
use sat2d::{Aabb, Backend, Engine, KeepPoints, PointOptions, PointPair, PointRelation, PolygonSet};

use crate::failure::Failure;
use crate::nearby::Nearby;
use crate::pairs::{array, columns};
use crate::run::{Threads, Watch, run};
use crate::sets::{Points, Polygons};

/// Finds the pairs of a feature of points and a polygon for which the predicate holds. The points are on the left of the
/// predicate. If `swapped` is true, the polygons are on the left. If `indexed` is true and there are few points, only the polygons
/// that the index of `polygons` finds take part. The index is kept for the next call.
#[pyfunction]
#[pyo3(signature = (points, polygons, predicate, *, swapped, distance, indexed, threads))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn query_points<'py>(
    py: Python<'py>,
    points: &Points,
    polygons: &Polygons,
    predicate: &str,
    swapped: bool,
    distance: Option<f64>,
    indexed: bool,
    threads: Threads,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let found = run(py, threads, |watch| {
        let nearby = if indexed {
            let boxes: Vec<Aabb> = points.positions.iter().map(|&at| Aabb { min: at, max: at }).collect();
            Nearby::of(&polygons.set, &polygons.index, &boxes, distance)?
        } else {
            None
        };
        let set = nearby.as_ref().map_or(&polygons.set, |nearby| &nearby.set);
        let mut pairs = match (predicate, distance) {
            ("dwithin", Some(distance)) => near(points, set, distance, watch)?,
            (name, None) => meeting(points, set, Rule::new(name, swapped)?, watch)?,
            _ => {
                return Err(Failure::Option(format!(
                    "predicate = {predicate}; `dwithin` alone has a distance"
                )));
            }
        };
        if let Some(nearby) = &nearby {
            nearby.rename(&mut pairs);
        }
        if swapped {
            pairs.iter_mut().for_each(|pair| pair.reverse());
            pairs.sort_unstable();
        }
        Ok(columns(&pairs))
    })?;
    array(py, found)
}

/// The condition under which a predicate holds for a feature of points and a polygon. It depends on the number of
/// points inside the polygon, and the number of points on its boundary.
#[derive(Clone, Copy, Debug)]
enum Rule {
    Any,
    /// Some points are on the boundary, and no point is inside.
    Touching,
    /// All points are inside or on the boundary.
    Covered,
    /// All points are inside or on the boundary, and at least one is inside.
    Within,
    AllInside,
    /// The predicate never holds, because points cannot cover a polygon, and points and polygons cannot overlap.
    Never,
}

impl Rule {
    fn new(predicate: &str, swapped: bool) -> Result<Self, Failure> {
        Ok(match (predicate, swapped) {
            ("intersects", _) => Self::Any,
            ("touches", _) => Self::Touching,
            ("covered_by", false) | ("covers", true) => Self::Covered,
            ("within", false) | ("contains", true) => Self::Within,
            ("contains_properly", true) => Self::AllInside,
            ("overlaps" | "contains" | "covers" | "contains_properly" | "within" | "covered_by", _) => {
                Self::Never
            }
            _ => {
                return Err(Failure::Option(format!(
                    "predicate = {predicate}; points have no such predicate"
                )));
            }
        })
    }

    /// Returns whether the predicate holds for a feature with `all` points, of which `inside` points are inside the polygon and
    /// `boundary` points on its boundary.
    fn keeps(self, inside: usize, boundary: usize, all: usize) -> bool {
        match self {
            Self::Any => true,
            Self::Touching => inside == 0,
            Self::Covered => inside + boundary == all,
            Self::Within => inside > 0 && inside + boundary == all,
            Self::AllInside => inside == all,
            Self::Never => false,
        }
    }

    /// Returns the points that satisfy the condition. The function is for features of one point each: such a feature
    /// satisfies the condition if its point does.
    fn of_one_point(self) -> KeepPoints {
        match self {
            Self::Touching => KeepPoints::Boundary,
            Self::Within | Self::AllInside => KeepPoints::Inside,
            _ => KeepPoints::Meeting,
        }
    }
}

fn meeting(points: &Points, set: &PolygonSet, rule: Rule, watch: &Watch) -> Result<Vec<[u32; 2]>, Failure> {
    if matches!(rule, Rule::Never) {
        return Ok(Vec::new());
    }
    let engine = Engine::new(Backend::Cpu)?;
    let is_single = points.features.as_ref().is_none_or(|features| features.windows(2).all(|w| w[0] < w[1]));
    let keep = if is_single { rule.of_one_point() } else { KeepPoints::Meeting };
    let options = PointOptions { pairs: true, keep, progress: Some(watch), ..PointOptions::default() };
    let found = engine.points(&points.positions, set).query(&options)?.pairs.unwrap_or_default();
    if is_single {
        return Ok(found.iter().map(|pair| [points.feature(pair.point), pair.object]).collect());
    }
    watch.check();
    let mut sizes = vec![0usize; points.count];
    (0..points.positions.len()).for_each(|point| sizes[points.feature(point as u32) as usize] += 1);
    let mut pairs = Vec::new();
    // The points of a feature are consecutive.
    for of_feature in found.chunk_by(|p, q| points.feature(p.point) == points.feature(q.point)) {
        let feature = points.feature(of_feature[0].point);
        let mut of_feature = of_feature.to_vec();
        of_feature.sort_unstable_by_key(|pair| pair.object);
        for same in of_feature.chunk_by(|p, q| p.object == q.object) {
            let inside =
                same.iter().filter(|pair: &&PointPair| pair.relation == PointRelation::Inside).count();
            if rule.keeps(inside, same.len() - inside, sizes[feature as usize]) {
                pairs.push([feature, same[0].object]);
            }
        }
    }
    Ok(pairs)
}

/// Returns the pairs of a feature of points and a polygon that are at most `distance` apart.
fn near(points: &Points, set: &PolygonSet, distance: f64, watch: &Watch) -> Result<Vec<[u32; 2]>, Failure> {
    let engine = Engine::new(Backend::Cpu)?;
    let found = PointsWithin::find(&engine, &points.positions, set, distance, Some(watch))?.found;
    let mut pairs: Vec<[u32; 2]> = found.iter().map(|pair| [points.feature(pair.a), pair.b]).collect();
    // Several points of a feature may be near the same polygon, so a pair may occur several times.
    pairs.sort_unstable();
    pairs.dedup();
    Ok(pairs)
}

/// Returns two arrays. The first has, for each feature of points, the lowest index of a polygon that contains one of the
/// feature's points, or -1. The second has, for each polygon, the number of points in the polygon. A point on the boundary counts
/// only if `boundary` is true.
#[pyfunction]
#[pyo3(signature = (points, polygons, *, boundary, threads))]
#[allow(clippy::type_complexity, reason = "two arrays")]
pub(crate) fn points_in_polygons<'py>(
    py: Python<'py>,
    points: &Points,
    polygons: &Polygons,
    boundary: bool,
    threads: Threads,
) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>)> {
    let (first, counts) = run(py, threads, |watch| {
        let keep = if boundary { KeepPoints::Meeting } else { KeepPoints::Inside };
        let options = PointOptions {
            keep,
            first: true,
            counts: true,
            progress: Some(watch),
            ..PointOptions::default()
        };
        let engine = Engine::new(Backend::Cpu)?;
        let found = engine.points(&points.positions, &polygons.set).query(&options)?;
        let mut first = vec![-1i64; points.count];
        for (point, object) in (0u32..).zip(found.first.iter().flat_map(|first| first.iter())) {
            let Some(object) = object else { continue };
            let place = &mut first[points.feature(point) as usize];
            *place = if *place < 0 { i64::from(object) } else { (*place).min(i64::from(object)) };
        }
        let count = |count: sat2d::PointCount| {
            i64::from(count.inside) + if boundary { i64::from(count.boundary) } else { 0 }
        };
        let counts: Vec<i64> = found.counts.unwrap_or_default().into_iter().map(count).collect();
        Ok((first, counts))
    })?;
    Ok((first.into_pyarray(py), counts.into_pyarray(py)))
}
