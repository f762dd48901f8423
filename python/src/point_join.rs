//! Joins points with polygons: relations and distances.

use std::cmp::Reverse;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use sat2d::glam::DVec2;
use sat2d::internal::PointsWithin;
use sat2d::{Distance, Engine, Keep, MeasuredPair, PointOptions, PointPair, PointRelation, PolygonSet};

use crate::failure::Failure;
use crate::join::{Joined, Options, Related, Request, matched};
use crate::run::{Threads, Watch, run};
use crate::sets::{Points, Polygons};

/// The decision of a pair of a feature of points and a polygon: the relation, and the point that determines it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decided {
    pub(crate) relation: PointRelation,
    /// The point of the feature that decides the relation and the distance.
    pub(crate) point: DVec2,
}

/// Joins features of points with polygons. If `swapped` is true, the polygons are on the left of the table. If `indexed` is true and
/// there are few points on the left, only the polygons that the index of `polygons` finds take part. The index is kept for the next
/// call. Returns a dictionary of columns, and the backend with its reason.
#[pyfunction]
#[pyo3(signature = (points, polygons, options, *, swapped, indexed, threads))]
pub(crate) fn join_points<'py>(
    py: Python<'py>,
    points: &Points,
    polygons: &Polygons,
    options: Options,
    swapped: bool,
    indexed: bool,
    threads: Threads,
) -> PyResult<(Bound<'py, PyDict>, String, String)> {
    let joined = run(py, threads, |watch| match indexed && !swapped {
        true => options.join_points_indexed(points, polygons, watch),
        false => options.join_points(points, &polygons.set, swapped, watch),
    })?;
    joined.into_table(py)
}

/// A pair of a point and a polygon, with its relation and its distance.
pub(crate) struct Row {
    pub(crate) pair: PointPair,
    pub(crate) feature: u32,
    /// The distance, which is 0 if the point is not outside. `None` if it was not measured.
    pub(crate) distance: Option<MeasuredPair<Distance>>,
}

impl Row {
    /// Returns the feature of points and the polygon.
    pub(crate) fn features(&self) -> (u32, u32) {
        (self.feature, self.pair.object)
    }
}

/// Finds the pairs of a point and a polygon that meet. If the request has a greatest distance, also finds the pairs that are at
/// most this far apart.
pub(crate) fn joined(
    engine: &Engine,
    points: &Points,
    set: &PolygonSet,
    request: Request,
    watch: &Watch,
) -> Result<Joined, Failure> {
    let options = PointOptions { pairs: true, progress: Some(watch), ..PointOptions::default() };
    let found = engine.points(&points.positions, set).query(&options)?;
    let meeting = found.pairs.unwrap_or_default();
    watch.check();
    let row = |pair: PointPair, distance| Row { pair, feature: points.feature(pair.point), distance };
    let mut circles = None;
    let mut rows: Vec<Row> = match request.within {
        None => meeting.into_iter().map(|pair| row(pair, None)).collect(),
        Some(within) => {
            let near = PointsWithin::find(engine, &points.positions, set, within, Some(watch))?;
            circles = Some(near.shapes);
            let pairs = with_relations(near.found.items, meeting);
            pairs.map(|(pair, distance)| row(pair, Some(distance))).collect()
        }
    };
    keep_deciding(&mut rows);
    if let Some(keep) = request.keep {
        let kept = match keep {
            Keep::Meeting => [PointRelation::Boundary, PointRelation::Inside].as_slice(),
            Keep::Touching => &[PointRelation::Boundary],
            Keep::Overlapping => &[PointRelation::Inside],
        };
        rows.retain(|row| kept.contains(&row.pair.relation));
    }
    let decided = |row: &Row| {
        let point = points.positions[row.pair.point as usize];
        Decided { relation: row.pair.relation, point }
    };
    let related = Related::Points(rows.iter().map(decided).collect());
    let pairs = rows.iter().map(|row| [row.feature, row.pair.object]).collect();
    let mut joined = Joined::new(found.choice, pairs, related, request);
    joined.distances = request.within.and_then(|_| rows.into_iter().map(|row| row.distance).collect());
    joined.circles = circles;
    Ok(joined)
}

/// Returns the pairs of `near` with their relations and distances. Both lists must be sorted by point, then by polygon. A pair
/// that is not in `meeting` is outside.
fn with_relations(
    near: Vec<MeasuredPair<Distance>>,
    meeting: Vec<PointPair>,
) -> impl Iterator<Item = (PointPair, MeasuredPair<Distance>)> {
    let pairs: Vec<[u32; 2]> = near.iter().map(|pair| [pair.a, pair.b]).collect();
    let met = matched(&pairs, meeting, |pair| [pair.point, pair.object]);
    near.into_iter().zip(met).map(|(found, met)| {
        let outside = PointPair { point: found.a, object: found.b, relation: PointRelation::Outside };
        (met.unwrap_or(outside), found)
    })
}

/// Keeps one row for each pair of a feature and a polygon, and sorts the rows by pair. The row has the point that
/// decides the pair. This is the first point inside, or else the first point on the boundary, or else the nearest
/// point.
pub(crate) fn keep_deciding(rows: &mut Vec<Row>) {
    let distance = |row: &Row| row.distance.map_or(0.0, |found| found.measurement.distance);
    let key = |row: &Row| (row.feature, row.pair.object, Reverse(row.pair.relation));
    rows.sort_by(|one, other| {
        let by_distance = || distance(one).total_cmp(&distance(other));
        key(one).cmp(&key(other)).then_with(by_distance).then(one.pair.point.cmp(&other.pair.point))
    });
    rows.dedup_by_key(|row| row.features());
}
