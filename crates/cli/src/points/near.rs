//! Finds the points within a distance of polygons, the polygons nearest to points, and the points nearest to polygons, for
//! `join --within D` and `join --nearest K` if a file has points.

use std::ops::Range;

use rayon::prelude::*;
use sat2d::glam::DVec2;

use crate::answer::{Contradiction, MeasuredCheck};
use crate::error::Result;
use sat2d::internal::{NearCheck, PointsWithin, Rounded, crossed_objects};
use sat2d::{
    Answers, Distance, Engine, MeasuredPair, Nearest, PointPair, PointRelation, PolygonSet, RoundedSet,
};
use sat2d_io::internal::PairDecimals;
use sat2d_io::{FeaturePoints, PairRow};

/// The number of found pairs that one task converts to pairs of features.
const PART: usize = 1 << 14;

/// The result of one of three searches: the pairs of a point and an object within a given distance of each other, the nearest
/// objects of each point, or the nearest features of each object. A feature is a Point or a MultiPoint.
pub(super) struct Near<'a> {
    /// The greatest distance of a found pair, in the unit of the coordinates. Infinite if there is no limit.
    within: f64,
    /// The query of `--nearest`, which finds objects for each feature, or features for each object. `None` without `--nearest`.
    nearest: Option<Nearest>,
    /// The points that may be found, as shapes of radius 0. Piece `i` of a found pair is shape `i`.
    points: RoundedSet,
    polygons: &'a PolygonSet,
    /// The found pairs of a point and an object with their distances. They are sorted by point, then by object, or in the order of
    /// [`Self::of_objects`].
    found: Answers<MeasuredPair<Distance>>,
}

impl<'a> Near<'a> {
    pub(super) fn find(
        engine: &Engine,
        points: &[DVec2],
        polygons: &'a PolygonSet,
        nearest: Option<Nearest>,
        within: Option<f64>,
    ) -> Result<Self> {
        let Some(query) = nearest else {
            return Self::find_within(engine, points, polygons, within.unwrap_or(f64::INFINITY));
        };
        let points = RoundedSet::of_points(points)?;
        // The pairs are already sorted by point.
        let mut found = engine.join(&points, polygons).query(query)?;
        found.items.par_chunk_by_mut(|one, other| one.a == other.a).for_each(|of_point| {
            of_point.sort_unstable_by_key(|pair| pair.b);
        });
        Ok(Self { within: within.unwrap_or(f64::INFINITY), nearest, points, polygons, found })
    }

    /// Finds the pairs of a point and an object that are at most `within` apart.
    fn find_within(engine: &Engine, points: &[DVec2], polygons: &'a PolygonSet, within: f64) -> Result<Self> {
        let PointsWithin { shapes, found } = PointsWithin::find(engine, points, polygons, within, None)?;
        Ok(Self { within, nearest: None, points: shapes, polygons, found })
    }

    /// Finds the nearest features of points of each object. `points` has the points of `count` features. The found pairs are sorted
    /// by object, then by distance.
    pub(super) fn of_objects(
        engine: &Engine,
        (points, count): (&FeaturePoints, usize),
        polygons: &'a PolygonSet,
        query: Nearest,
    ) -> Result<Self> {
        let features =
            RoundedSet::of_objects_of_points(points.positions(), points.features().to_vec(), count)?;
        let mut found = engine.join(polygons, &features).query(query)?;
        drop(features);
        // The piece of a feature that was measured is a point.
        found
            .items
            .par_iter_mut()
            .for_each(|pair| *pair = MeasuredPair { a: pair.piece_b, ..pair.swapped() });
        let points = RoundedSet::of_points(points.positions())?;
        let within = query.within.unwrap_or(f64::INFINITY);
        Ok(Self { within, nearest: Some(query), points, polygons, found })
    }

    /// Returns the pairs of `of_objects` as pairs of a feature and an object, sorted by object, then by distance. `meeting` has the
    /// pairs of a point and an object that meet, of all points of the features that may meet an object. `features` has the index of
    /// each point's feature.
    pub(super) fn features_of_objects(&self, meeting: &[PointPair], features: &[u32]) -> Vec<Placed> {
        let key = |pair: PointPair| (pair.object, pair.point);
        let mut pairs = super::of_features(meeting.iter().copied().map(Placed::of).collect(), features, None);
        pairs.par_sort_unstable_by_key(|placed| key(placed.pair));
        let apart = |(found, pair): (usize, &MeasuredPair<Distance>)| {
            let feature = features[pair.a as usize];
            let apart = PointPair { point: feature, object: pair.b, relation: PointRelation::Outside };
            let is_met = pairs.binary_search_by_key(&key(apart), |placed| key(placed.pair)).is_ok();
            (!is_met).then_some(Placed { pair: apart, point: pair.a, found: Some(found) })
        };
        let apart: Vec<Placed> = self.found.items.par_iter().enumerate().filter_map(apart).collect();
        pairs.extend(apart);
        self.keep_nearest(&mut pairs, |pair| (pair.object, pair.point));
        pairs
    }

    /// Returns pairs of a feature and an object, sorted by feature. They are the pairs of `meeting`, and the found
    /// pairs whose point does not meet the object. With `--nearest`, returns only the nearest pairs of each feature,
    /// sorted by distance. `features` has the index of each point's feature.
    pub(super) fn of_features(&self, meeting: &[PointPair], features: &[u32]) -> Vec<Placed> {
        let items = &self.found.items;
        let feature = |pair: &MeasuredPair<Distance>| features[pair.a as usize];
        // Each part ends between two features, so no feature is split.
        let mut starts: Vec<usize> = (0..items.len()).step_by(PART).collect();
        for start in starts.iter_mut().skip(1) {
            let before = feature(&items[*start - 1]);
            *start += items[*start..].partition_point(|pair| feature(pair) <= before);
        }
        starts.dedup();
        starts.retain(|&start| start < items.len());
        if starts.is_empty() {
            starts.push(0);
        }
        let first_meeting = |part: usize| match starts.get(part) {
            None => meeting.len(),
            Some(0) => 0,
            Some(&start) => {
                meeting.partition_point(|pair| features[pair.point as usize] < feature(&items[start]))
            }
        };
        let of_part = |part: usize| {
            let rows = starts[part]..starts.get(part + 1).copied().unwrap_or(items.len());
            let meeting = &meeting[first_meeting(part)..first_meeting(part + 1)];
            let mut pairs = super::of_features(self.with_apart(rows, meeting), features, Some(self));
            self.keep_nearest(&mut pairs, |pair| (pair.point, pair.object));
            pairs
        };
        let parts: Vec<Vec<Placed>> = (0..starts.len()).into_par_iter().map(of_part).collect();
        parts.concat()
    }

    /// With `--nearest`, keeps the nearest pairs of each item and the ties that the query includes, and sorts the pairs by
    /// item, then by distance. `key` returns the item of a pair and its neighbour: the feature and the object, or the object
    /// and the feature. The list must have all pairs that meet, because a pair that meets may not be among the found pairs if
    /// its polygon has rounded pieces.
    fn keep_nearest(&self, pairs: &mut Vec<Placed>, key: impl Fn(PointPair) -> (u32, u32) + Sync) {
        let Some(Nearest { k, ties, .. }) = self.nearest else { return };
        // No distance is negative, so the bits have the order of the distances.
        pairs.par_sort_unstable_by_key(|placed| {
            let (item, near) = key(placed.pair);
            (item, self.distance(placed).to_bits(), near)
        });
        let (mut item, mut count, mut last) = (None, 0, 0.0);
        pairs.retain(|placed| {
            let (current, distance) = (Some(key(placed.pair).0), self.distance(placed));
            count = if item == current { count + 1 } else { 1 };
            item = current;
            if count <= k {
                last = distance;
            }
            count <= k || (ties && distance == last)
        });
    }

    /// Returns the indices of all points of the features that meet an object, sorted. No piece of a polygon may be rounded, because
    /// the distance of a pair must be 0 if and only if the pair meets.
    pub(super) fn meeting(&self, points: &FeaturePoints) -> Vec<u32> {
        let meets = |pair: &&MeasuredPair<Distance>| pair.measurement.distance == 0.0;
        let feature = |pair: &MeasuredPair<Distance>| points.features()[pair.a as usize];
        let mut features: Vec<u32> = self.found.items.iter().filter(meets).map(feature).collect();
        if !features.is_sorted() {
            features.par_sort_unstable();
        }
        features.dedup();
        features.iter().flat_map(|&feature| points.range(feature)).map(|point| point as u32).collect()
    }

    pub(super) fn found(&self) -> &Answers<MeasuredPair<Distance>> {
        &self.found
    }

    /// Merges the found pairs with the indices `rows` and the pairs of `meeting`. `meeting` has the pairs of the same
    /// points that meet. Both lists are sorted by point, then by object.
    fn with_apart(&self, rows: Range<usize>, meeting: &[PointPair]) -> Vec<Placed> {
        let mut pairs = Vec::with_capacity(meeting.len().max(rows.len()));
        let mut meeting = meeting.iter().copied().peekable();
        for (found, &MeasuredPair { a: point, b: object, .. }) in rows.clone().zip(&self.found.items[rows]) {
            let key = (point, object);
            let before = std::iter::from_fn(|| meeting.next_if(|pair| (pair.point, pair.object) < key));
            pairs.extend(before.map(Placed::of));
            let met = meeting.next_if(|pair| (pair.point, pair.object) == key);
            let pair = met.unwrap_or(PointPair { point, object, relation: PointRelation::Outside });
            pairs.push(Placed { pair, point, found: Some(found) });
        }
        pairs.extend(meeting.map(Placed::of));
        pairs
    }

    /// Returns the distance of a pair, which is 0 if the pair meets.
    pub(super) fn distance(&self, placed: &Placed) -> f64 {
        self.apart(placed).map_or(0.0, |found| found.measurement.distance)
    }

    /// Adds the distance of a pair to `row`. If the pair is apart and `has_closest` is true, also adds the closest
    /// points. In this case, removes the position of the point, so that GeoJSON shows the line between the closest
    /// points.
    pub(super) fn measured<'r>(
        &self,
        mut row: PairRow<'r>,
        placed: &Placed,
        has_closest: bool,
    ) -> PairRow<'r> {
        let Some(found) = self.apart(placed) else {
            row.distance = Some(0.0);
            return row;
        };
        let decimals = PairDecimals::new([self.cores(), self.polygons], Some(self.within));
        row.distance = Some(decimals.distance(found));
        row.closest = if has_closest { decimals.closest(found) } else { None };
        if row.closest.is_some() {
            row.point = None;
        }
        row
    }

    /// Checks by exact arithmetic alone which pairs are within the distance, and whether each distance fits the relation. Returns
    /// the errors of [`NearCheck::of`]. `meeting` has the pairs of a point and an object that meet.
    pub(super) fn check(&self, meeting: &[PointPair], points: &FeaturePoints) -> Result<MeasuredCheck> {
        // The check does not rely on the choice of the points that may be found. In the set of all points, the piece of a point has
        // the index of the point.
        let all = RoundedSet::of_points(points.positions())?;
        let of_all = |&pair: &MeasuredPair<Distance>| MeasuredPair { piece_a: pair.a, ..pair };
        let found: Vec<_> = self.found.items.iter().map(of_all).collect();
        let mut near = NearCheck::of(Rounded::of(&all).cores, Some(self.polygons), self.within, &found)?;
        let feature = |point: u32| points.features()[point as usize];
        near.disagreements.iter_mut().for_each(|(of_a, ..)| *of_a = feature(*of_a));
        // The distances from rounded pieces may contradict the exact relations.
        let rounded = crossed_objects(self.polygons);
        let contradictions = self
            .with_apart(0..found.len(), meeting)
            .into_iter()
            .filter(|placed| rounded.binary_search(&placed.pair.object).is_err())
            .filter(|placed| {
                let distance = placed.found.map(|found| self.found.items[found].measurement.distance);
                let meets = placed.pair.relation != PointRelation::Outside;
                distance.is_none_or(|distance| (distance == 0.0) != meets)
            })
            .map(|Placed { pair, .. }| Contradiction {
                pair: [feature(pair.point), pair.object],
                relation: pair.relation.name(),
                measurement: "distance",
            });
        Ok(MeasuredCheck { contradictions: contradictions.collect(), near: Some(near) })
    }

    fn cores(&self) -> &PolygonSet {
        Rounded::of(&self.points).cores
    }

    fn apart(&self, Placed { pair, found, .. }: &Placed) -> Option<&MeasuredPair<Distance>> {
        found.filter(|_| pair.relation == PointRelation::Outside).map(|found| &self.found.items[found])
    }
}

/// A pair of a point (or a feature of points) and an object, with the point that decides the pair.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    /// The first index of the pair is the index of the point or feature. The second index is the index of the object.
    pub(super) pair: PointPair,
    pub(super) point: u32,
    /// The index in `Near::found` of the pair's distance, or `None` if the distance was not measured.
    found: Option<usize>,
}

impl Placed {
    /// Creates a pair of a point and an object without a distance.
    pub(super) fn of(pair: PointPair) -> Self {
        Self { pair, point: pair.point, found: None }
    }
}
