//! Joins points with points: the points at equal positions, the points within a distance, and the nearest points.

use sat2d::glam::DVec2;

use crate::answer::{Answer, Figures};
use crate::error::Result;
use crate::input::Side;
use crate::measure::MeasureArguments;
use crate::progress::Bar;
use sat2d::internal::Rounded;
use sat2d::{
    Answers, CheckReport, Counts, Distance, Distances, Engine, MeasuredPair, RelatedPair, Relation,
    RoundedSet,
};

/// The features of one or two files of points. Each feature is an object, and its points are shapes of radius 0.
pub(crate) struct PointSets {
    a: RoundedSet,
    b: Option<RoundedSet>,
}

impl PointSets {
    /// Returns the sets of both files, or of A if there is no B. Returns `None` if a file has no points. If the result has
    /// sets, the function also stores the points in [`Side::set`], so that each feature is an object there.
    pub(crate) fn of(a: &mut Side, b: Option<&mut Side>) -> Result<Option<Self>> {
        let has_points = |side: &Side| !side.features.points.is_empty();
        if !has_points(a) || !b.as_ref().is_none_or(|b| has_points(b)) {
            return Ok(None);
        }
        Ok(Some(Self { a: set_of(a)?, b: b.map(set_of).transpose()? }))
    }

    /// Finds the pairs, and measures their distances. Without `--within` and `--nearest`, finds the pairs with a common position.
    pub(crate) fn answer(&self, engine: &Engine, measure: &MeasureArguments, bar: &Bar) -> Result<Answer> {
        let join = match &self.b {
            None => engine.self_join(&self.a),
            Some(b) => engine.join(&self.a, b),
        };
        let join = join.progress(bar);
        let nearest = measure.nearest();
        let within = if nearest.is_some() { measure.within() } else { measure.within().or(Some(0.0)) };
        let found = match nearest {
            Some(query) => join.query(query)?,
            None => join.within(within.unwrap_or(0.0)).query(Distances)?,
        };
        let pairs: Vec<RelatedPair> = found.iter().map(related).collect();
        let mut counts: Counts = found.counts;
        counts.touching = pairs.iter().filter(|pair| pair.relation == Relation::Touching).count() as u64;
        counts.overlapping = 0;
        let join = Answers::<RelatedPair>::of_counts(found.choice.clone(), counts, found.timings, None);
        let figures = Figures {
            columns: measure.distance_columns(),
            within,
            is_of_nearest: nearest.is_some(),
            ..Figures::counts_of(&found)
        };
        let figures = Figures { distances: Some(found.items), ..figures };
        Ok(Answer { figures, ..Answer::of(join.with_items(pairs)) })
    }
}

fn set_of(side: &mut Side) -> Result<RoundedSet> {
    let count = side.features.ids.len();
    let points = &side.features.points;
    let set = RoundedSet::of_objects_of_points(points.positions(), points.features().to_vec(), count)?;
    side.set = Rounded::of(&set).cores.clone();
    Ok(set)
}

fn related(found: &MeasuredPair<Distance>) -> RelatedPair {
    let relation = if found.measurement.distance == 0.0 { Relation::Touching } else { Relation::Disjoint };
    RelatedPair { a: found.a, b: found.b, relation }
}

/// Compares the relation of each pair of an answer with the coordinates: two features touch if they have a common position.
/// Without a file B, `b` is A.
pub(crate) fn check(answer: &Answer, a: &Side, b: &Side) -> CheckReport {
    let mut report = CheckReport::default();
    for pair in &answer.join.items {
        let (of_a, of_b) = (a.features.points.of_feature(pair.a), b.features.points.of_feature(pair.b));
        let touches = have_common_position(of_a, of_b);
        report.pairs += 1;
        report.agreements += u64::from(touches == (pair.relation == Relation::Touching));
    }
    report
}

fn have_common_position(a: &[DVec2], b: &[DVec2]) -> bool {
    // The sum turns -0 into 0, so equal coordinates have equal bits.
    let bits = |at: &DVec2| [at.x + 0.0, at.y + 0.0].map(f64::to_bits);
    let mut of_b: Vec<_> = b.iter().map(bits).collect();
    of_b.sort_unstable();
    a.iter().any(|point| of_b.binary_search(&bits(point)).is_ok())
}
