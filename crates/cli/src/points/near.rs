//! Finds the points within a distance of polygons, and the polygons nearest to points, for `join --within D` and `join --nearest K`
//! if A has points.

use sat2d::glam::DVec2;

use crate::decimals::PairDecimals;
use crate::error::Result;
use crate::measure::{Contradiction, MeasuredCheck};
use sat2d::internal::{NearCheck, Rounded};
use sat2d::{
    Answers, Distance, Distances, Engine, MeasuredPair, Nearest, PointPair, PointRelation, PolygonSet,
    RoundedSet,
};
use sat2d_io::PairRow;

/// The pairs of a point and an object that are at most a distance apart, or the nearest objects of each point.
pub(super) struct Near<'a> {
    /// The greatest distance. Infinite without a limit.
    within: f64,
    /// The number of nearest objects of a feature of points, if only these are wanted.
    k: Option<usize>,
    /// The points as shapes of radius 0.
    points: RoundedSet,
    polygons: &'a PolygonSet,
    /// Sorted by point, then object.
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
        let points = RoundedSet::of_points(points)?;
        let join = engine.join(&points, polygons);
        let within = within.unwrap_or(f64::INFINITY);
        let found = match nearest {
            None => join.within(within).query(Distances)?,
            Some(query) => {
                let mut found = join.query(query)?;
                found.items.sort_unstable_by_key(|pair| (pair.a, pair.b));
                found
            }
        };
        Ok(Self { within, k: nearest.map(|query| query.k), points, polygons, found })
    }

    /// Keeps, of each feature, the nearest objects, the nearest first. The nearest objects of a feature are among the nearest
    /// objects of its points. Pairs of a feature and an object are sorted, with the point that decides each pair.
    pub(super) fn keep_nearest(&self, pairs: &mut Vec<(PointPair, u32)>) {
        let Some(k) = self.k else { return };
        // No distance is negative, so the bits have the order of the distances.
        pairs.sort_by_cached_key(|&(pair, point)| {
            (pair.point, self.distance(point, pair).to_bits(), pair.object)
        });
        let (mut feature, mut count) = (None, 0);
        pairs.retain(|(pair, _)| {
            count = if feature == Some(pair.point) { count + 1 } else { 1 };
            feature = Some(pair.point);
            count <= k
        });
    }

    pub(super) fn found(&self) -> &Answers<MeasuredPair<Distance>> {
        &self.found
    }

    /// Adds the pairs that do not meet to the pairs that meet. Both lists are sorted by point, then object. Of the nearest
    /// objects alone, leaves out pairs that meet and were not found.
    pub(super) fn with_apart(&self, meeting: Vec<PointPair>) -> Vec<PointPair> {
        let mut pairs = Vec::with_capacity(meeting.len().max(self.found.items.len()));
        let mut meeting = meeting.into_iter().peekable();
        for &MeasuredPair { a: point, b: object, .. } in &self.found.items {
            let key = (point, object);
            let before = std::iter::from_fn(|| meeting.next_if(|pair| (pair.point, pair.object) < key));
            if self.k.is_none() {
                pairs.extend(before);
            } else {
                before.for_each(drop);
            }
            let met = meeting.next_if(|pair| (pair.point, pair.object) == key);
            pairs.push(met.unwrap_or(PointPair { point, object, relation: PointRelation::Outside }));
        }
        if self.k.is_none() {
            pairs.extend(meeting);
        }
        pairs
    }

    /// The distance of a point, 0 if it meets the object. `pair` may name the feature of the point instead of the point.
    pub(super) fn distance(&self, point: u32, pair: PointPair) -> f64 {
        self.apart(point, pair).map_or(0.0, |found| found.measurement.distance)
    }

    /// `row` with the distance. A pair that is apart also has its closest points, and a map shows the line between them.
    pub(super) fn measured<'r>(&self, mut row: PairRow<'r>, point: u32, pair: PointPair) -> PairRow<'r> {
        let Some(found) = self.apart(point, pair) else {
            row.distance = Some(0.0);
            return row;
        };
        let decimals = PairDecimals::new([self.cores(), self.polygons], Some(self.within));
        let Distance { distance, closest, .. } = decimals.distance(found);
        if closest.is_some() {
            row.point = None;
        }
        (row.distance, row.closest) = (Some(distance), closest);
        row
    }

    /// Decides a second time, by exact arithmetic alone, which pairs are within the distance, and compares each distance with the
    /// relation. `meeting` are the pairs of points that meet an object; `points` name their features.
    pub(super) fn check(&self, meeting: &[PointPair], points: &[(u32, DVec2)]) -> Result<MeasuredCheck> {
        let found = &self.found.items;
        let mut near = NearCheck::of(self.cores(), Some(self.polygons), self.within, found)?;
        let feature = |point: u32| points[point as usize].0;
        near.disagreements.iter_mut().for_each(|(of_a, ..)| *of_a = feature(*of_a));
        let contradictions = self
            .with_apart(meeting.to_vec())
            .into_iter()
            .filter(|pair| {
                let distance = self.figure(pair.point, pair.object).map(|found| found.measurement.distance);
                distance.is_none_or(|distance| (distance == 0.0) != (pair.relation != PointRelation::Outside))
            })
            .map(|pair| Contradiction {
                pair: [feature(pair.point), pair.object],
                relation: pair.relation.name(),
                measurement: "distance",
            });
        Ok(MeasuredCheck { contradictions: contradictions.collect(), near: Some(near) })
    }

    fn cores(&self) -> &PolygonSet {
        Rounded::of(&self.points).cores
    }

    fn apart(&self, point: u32, pair: PointPair) -> Option<&MeasuredPair<Distance>> {
        if pair.relation == PointRelation::Outside { self.figure(point, pair.object) } else { None }
    }

    fn figure(&self, point: u32, object: u32) -> Option<&MeasuredPair<Distance>> {
        let pairs = &self.found.items;
        pairs.binary_search_by_key(&(point, object), |pair| (pair.a, pair.b)).ok().map(|place| &pairs[place])
    }
}
