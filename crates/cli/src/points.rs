//! Joins a file of points with a file of polygons, or with a file of points. `join` calls this module if A or B has points.

mod both;
mod near;

use std::time::{Duration, Instant};

use indicatif::HumanCount as Count;
use rayon::prelude::*;
use sat2d::glam::DVec2;

use super::answer::{Answer, Figures, MeasuredCheck};
use super::input::Side;
use super::outputs::{Outputs, Rows};
use super::progress::Bar;
use super::statistics::Statistics;
use super::terminal::{row, tell_lines};
use super::times::Times;
use super::{Outcome, join, summary};
use crate::error::{Error, Result};
pub(super) use both::{PointSets, check as check_of_both};
use near::{Near, Placed};
use sat2d::internal::{PointCheck, PointDisagreement, Shown};
use sat2d::{
    Answers, CheckReport, Counts, Engine, Keep, KeepPoints, PointCount, PointJoin, PointOptions, PointPair,
    PointRelation, Progress, RelatedPair,
};
use sat2d_io::internal::counts_of_pairs;
use sat2d_io::{Column, Output, PairRow};

/// The two files of a join of points with polygons.
#[derive(Clone, Copy)]
pub(super) struct Sides<'a> {
    pub(super) points: &'a Side,
    pub(super) polygons: &'a Side,
    /// Whether A has the polygons, and B the points.
    is_swapped: bool,
}

impl<'a> Sides<'a> {
    /// Returns the two files, or `None` if neither has points. The caller makes sure that at most one of them has
    /// points.
    pub(super) fn of(a: &'a Side, b: &'a Side) -> Option<Self> {
        let has_points = |side: &Side| !side.features.points.is_empty();
        let (is_of_a, is_of_b) = (has_points(a), has_points(b));
        let (points, polygons) = if is_of_a { (a, b) } else { (b, a) };
        (is_of_a || is_of_b).then_some(Self { points, polygons, is_swapped: !is_of_a })
    }

    /// Returns A and B.
    pub(super) fn files(self) -> [&'a Side; 2] {
        self.in_order(self.points, self.polygons)
    }

    /// Returns the argument for A, then the argument for B.
    fn in_order<T>(self, of_points: T, of_polygons: T) -> [T; 2] {
        if self.is_swapped { [of_polygons, of_points] } else { [of_points, of_polygons] }
    }

    /// Returns, for each of the pairs, the index of its feature of A, then the index of its feature of B.
    fn indices(self, pairs: &[Placed]) -> impl Iterator<Item = [u32; 2]> {
        pairs.iter().map(move |Placed { pair, .. }| self.in_order(pair.point, pair.object))
    }
}

/// The input and the options of a join of points with polygons.
pub(super) struct Run<'a> {
    pub(super) arguments: &'a join::Arguments,
    pub(super) engine: &'a Engine,
    pub(super) sides: Sides<'a>,
    pub(super) keep: Keep,
    pub(super) times: Times,
}

/// The decided pairs, and the data for the summary.
struct Decided<'a> {
    /// The distances of the pairs, or `None` without `--within` and `--nearest`.
    near: Option<Near<'a>>,
    rows: Decision,
    /// The numbers of pairs before `--relation` selects some of them.
    relations: RelationCounts,
    check: Option<PointCheck>,
    measured: MeasuredCheck,
    answer: Answer,
}

/// The content of the output.
enum Decision {
    /// Pairs of a feature and an object, in the order of the rows.
    Pairs(Vec<Placed>),
    /// The number of pairs of each feature of A, for `--count`.
    Counts(Vec<usize>),
}

pub(super) fn run(run: &Run<'_>, outputs: Outputs, bar: Bar) -> Result<Outcome> {
    refuse_what_is_of_polygons(run.arguments, outputs.picture.as_ref(), Some(run.sides.is_swapped))?;
    let points = run.sides.points.features.points.positions();
    let decided = match counted(run, points, &bar)? {
        Some(decided) => decided,
        None => decide(run, points, &bar)?,
    };
    let has_lines = write(run, points, &decided, outputs, bar)?;
    let Decided { check, measured, answer, .. } = &decided;
    let (Some(check), Some(report)) = (check, &answer.join.check) else { return Ok(Outcome::Answered) };
    let outcome =
        if measured.disagreement_count() == 0 { Outcome::of(report) } else { Outcome::Disagreement };
    if outcome == Outcome::Disagreement || has_lines {
        let [a, b] = run.sides.files();
        let mut lines = summary::check_lines(report, a, Some(b));
        lines.extend(disagreements(check, run.sides));
        lines.extend(summary::measured_check_lines(measured, a, Some(b)));
        tell_lines(&lines);
    }
    Ok(outcome)
}

/// Counts the points in each polygon without a list of pairs. Returns `None` if the options or the input need the list.
fn counted<'a>(run: &Run<'a>, points: &[DVec2], bar: &Bar) -> Result<Option<Decided<'a>>> {
    let Run { arguments, engine, sides, keep, .. } = *run;
    // The query counts points. A MultiPoint with several points in one polygon would count several times.
    let is_one_each = sides.points.features.points.features().windows(2).all(|pair| pair[0] != pair[1]);
    let has_distances = arguments.measure.nearest().is_some() || arguments.measure.within().is_some();
    let is_plain = sides.is_swapped && arguments.has_counts() && !arguments.verify && !has_distances;
    if !is_plain || !is_one_each {
        return Ok(None);
    }
    let told = Told(bar);
    let options = PointOptions { counts: true, progress: Some(&told), ..PointOptions::default() };
    let found = engine.points(points, &sides.polygons.set).query(&options)?;
    let of_objects = found.counts.as_deref().unwrap_or_default();
    let sum = |count: fn(&PointCount) -> u32| of_objects.iter().map(|of| u64::from(count(of))).sum();
    let relations = RelationCounts { inside: sum(|of| of.inside), boundary: sum(|of| of.boundary), apart: 0 };
    let kept = |of: &PointCount| match keep {
        Keep::Overlapping => of.inside as usize,
        Keep::Touching => of.boundary as usize,
        Keep::Meeting => of.inside as usize + of.boundary as usize,
    };
    let answer = Answer::of(as_join(&found, &relations, None));
    Ok(Some(Decided {
        near: None,
        rows: Decision::Counts(of_objects.iter().map(kept).collect()),
        relations,
        check: None,
        measured: MeasuredCheck::default(),
        answer,
    }))
}

/// Finds the pairs, and the distances that the options request.
fn decide<'a>(run: &Run<'a>, points: &[DVec2], bar: &Bar) -> Result<Decided<'a>> {
    let Run { arguments, engine, sides, keep, .. } = *run;
    let (nearest, within) = (arguments.measure.nearest(), arguments.measure.within());
    let (all, polygons) = (&sides.points.features.points, &sides.polygons.set);
    let near_start = Instant::now();
    let near = if nearest.is_some() || within.is_some() {
        bar.message("measuring distances".into());
        Some(match nearest.filter(|_| sides.is_swapped) {
            Some(query) => {
                let count = sides.points.features.ids.len();
                Near::of_objects(engine, (all, count), polygons, query)?
            }
            None => Near::find(engine, points, polygons, nearest, within)?,
        })
    } else {
        None
    };
    let near_time = near_start.elapsed();
    let (found, of_points) = match &near {
        // If rings of the polygons cross, their pieces are rounded. The distances from such pieces cannot decide which
        // points meet a polygon.
        Some(near) if polygons.piece_displacement() == 0.0 => {
            pairs_of(&near.meeting(all), engine, points, sides.polygons, bar)?
        }
        _ => all_pairs(engine, points, sides.polygons, bar)?,
    };
    let check_start = Instant::now();
    let check = arguments.verify.then(|| PointCheck::of(points, polygons, &of_points)).transpose()?;
    let check_time = if arguments.verify { check_start.elapsed() } else { Duration::ZERO };
    let measured = match &near {
        Some(near) if arguments.verify => {
            bar.message("checking measurements".into());
            near.check(&of_points, all)?
        }
        _ => MeasuredCheck::default(),
    };
    let measured = if sides.is_swapped { measured.swapped() } else { measured };
    let is_sorted = nearest.is_some() || !sides.is_swapped;
    let mut pairs = match &near {
        Some(near) if nearest.is_some() && sides.is_swapped => {
            near.features_of_objects(&of_points, all.features())
        }
        Some(near) => near.of_features(&of_points, all.features()),
        None => of_features(of_points.into_iter().map(Placed::of).collect(), all.features(), None),
    };
    let relations = RelationCounts::of(&pairs);
    // `--within` or `--nearest` has already selected the points outside a polygon, so only the other points are filtered here.
    let kept = match keep {
        Keep::Overlapping => KeepPoints::Inside,
        Keep::Touching => KeepPoints::Boundary,
        Keep::Meeting => KeepPoints::Meeting,
    };
    pairs.retain(|Placed { pair, .. }| pair.relation == PointRelation::Outside || kept.keeps(pair.relation));
    let rows = if arguments.has_counts() {
        let [a, _] = sides.files();
        Decision::Counts(counts_of_pairs(sides.indices(&pairs), a.set.object_count(), false))
    } else {
        if !is_sorted {
            pairs.par_sort_unstable_by_key(|Placed { pair, .. }| (pair.object, pair.point));
        }
        Decision::Pairs(pairs)
    };
    let counted = |near: &Near<'_>| Figures { time: near_time, ..Figures::counts_of(near.found()) };
    let figures = near.as_ref().map(counted).unwrap_or_default();
    let mut answer = Answer { figures, ..Answer::of(as_join(&found, &relations, check.as_ref())) };
    answer.join.timings.check = check_time;
    Ok(Decided { near, rows, relations, check, measured, answer })
}

/// Writes the outputs, and prints the summary. Returns whether the summary was printed.
fn write(run: &Run<'_>, points: &[DVec2], decided: &Decided<'_>, outputs: Outputs, bar: Bar) -> Result<bool> {
    let Run { arguments, sides, times, .. } = *run;
    let Outputs { pairs, statistics, .. } = outputs;
    bar.message("writing".into());
    if arguments.output.is_terminal() {
        bar.clear();
    }
    let write_start = Instant::now();
    let [a, b] = sides.files();
    let ids = [&a.features.ids, &b.features.ids];
    let (count, written) = match &decided.rows {
        Decision::Counts(counts) => (counts.len(), arguments.output.write_counts(pairs, ids, counts)?),
        Decision::Pairs(of_features) => {
            let columns = arguments.measure.distance_columns();
            let has_closest = arguments.output.has_places() || columns.contains(&Column::Closest);
            let row = |k: usize| decided.row(sides, points, &of_features[k], has_closest);
            let rows = Rows { ids, count: of_features.len(), row: &row };
            (of_features.len(), arguments.output.write_pairs(pairs, &columns, &rows)?)
        }
    };
    let times = times.with_write(write_start.elapsed());
    if let Some(output) = statistics {
        Statistics::new(a, Some(b), &decided.answer, times)
            .with_rows(count, decided.relations.apart)
            .write(output)?;
    }
    // The pairs are committed last, so that the run leaves no pairs behind if another file cannot be written.
    let has_lines = written.is_some() && !arguments.quiet;
    written.map(Output::commit).transpose()?;
    drop(bar);
    if has_lines {
        tell_lines(&lines(run, &decided.answer, &decided.relations, times));
    }
    Ok(has_lines)
}

impl Decided<'_> {
    /// Returns the row of a pair of a feature and an object. `has_closest` says whether the row needs the closest points.
    fn row<'r>(&self, sides: Sides<'r>, points: &[DVec2], placed: &Placed, has_closest: bool) -> PairRow<'r> {
        let Placed { pair, point, .. } = placed;
        let [id, id_of_polygon] = [(sides.points, pair.point), (sides.polygons, pair.object)]
            .map(|(side, index)| side.features.ids.of(index as usize));
        let mut row = PairRow::of_point(id, id_of_polygon, pair.relation, points[*point as usize]);
        row = match &self.near {
            Some(near) => near.measured(row, placed, has_closest),
            // Without `--within` and `--nearest`, only points that meet a polygon are written.
            None => {
                row.distance = Some(0.0);
                row
            }
        };
        if sides.is_swapped { row.swapped() } else { row }
    }
}

/// Returns the summary of a join of points. `times` has the times of the run and of writing the output.
fn lines(run: &Run<'_>, answer: &Answer, counts: &RelationCounts, times: Times) -> Vec<String> {
    let [a, b] = run.sides.files();
    let Answer { join, figures, .. } = answer;
    let mut lines = vec![row("points", Count(run.sides.points.features.points.len() as u64))];
    lines.extend(summary::input_lines(a, Some(b)));
    let candidates = format!("{} of a point and a piece", Count(join.counts.candidate_pairs));
    lines.push(row("candidate pairs", candidates));
    let apart = figures.choice.as_ref().map_or(String::new(), |_| format!(", {} apart", Count(counts.apart)));
    let RelationCounts { inside, boundary, .. } = *counts;
    lines.push(row("found", format!("{} inside, {} boundary{apart}", Count(inside), Count(boundary))));
    let uncertain = format!("{} pairs, decided by exact arithmetic", Count(join.counts.uncertain));
    lines.push(row("uncertain", uncertain));
    if join.counts.oversized > 0 {
        let oversized = format!("{} pairs, decided on the CPU", Count(join.counts.oversized));
        lines.push(row("oversized", oversized));
    }
    lines.extend(summary::measured_lines(figures, &join.choice));
    lines.extend(summary::time_lines(a, Some(b), answer, times));
    lines.push(row("backend", summary::backend(&join.choice)));
    lines
}

/// Decides every point against every polygon by the engine and by the exact reference. Returns both results, or the error of
/// either.
pub(super) fn checked(engine: &Engine, sides: Sides<'_>, bar: &Bar) -> Result<(PointJoin, PointCheck)> {
    let points = sides.points.features.points.positions();
    let (found, pairs) = all_pairs(engine, points, sides.polygons, bar)?;
    Ok((found, PointCheck::of(points, &sides.polygons.set, &pairs)?))
}

fn all_pairs(
    engine: &Engine,
    points: &[DVec2],
    polygons: &Side,
    bar: &Bar,
) -> Result<(PointJoin, Vec<PointPair>)> {
    let told = Told(bar);
    let options = PointOptions { pairs: true, progress: Some(&told), ..PointOptions::default() };
    let mut found = engine.points(points, &polygons.set).query(&options)?;
    let pairs = found.pairs.take().unwrap_or_default();
    Ok((found, pairs))
}

/// Decides some of the points against every polygon. `some` has the indices of these points in `points`, sorted.
/// In the returned pairs, a point has its index in `points`.
fn pairs_of(
    some: &[u32],
    engine: &Engine,
    points: &[DVec2],
    polygons: &Side,
    bar: &Bar,
) -> Result<(PointJoin, Vec<PointPair>)> {
    let chosen: Vec<DVec2> = some.iter().map(|&point| points[point as usize]).collect();
    let (found, mut pairs) = all_pairs(engine, &chosen, polygons, bar)?;
    pairs.iter_mut().for_each(|pair| pair.point = some[pair.point as usize]);
    Ok((found, pairs))
}

/// Converts the result of a cross-check of points to the form of a cross-check of polygons. The list of disagreements
/// is empty, because [`disagreements`] returns their lines.
pub(super) fn report(check: &PointCheck, uncertain: u64) -> CheckReport {
    let mut report = CheckReport::default();
    report.pairs = check.pairs;
    report.agreements = check.pairs - check.disagreement_count;
    report.uncertain = uncertain;
    report.crossed_pairs = check.crossed_pairs;
    report
}

/// Returns a line for each disagreement that the check describes.
pub(super) fn disagreements(check: &PointCheck, sides: Sides<'_>) -> Vec<String> {
    let line = |d: &PointDisagreement| {
        let points = &sides.points.features.points;
        let (feature, at) = (points.features()[d.point as usize], points.positions()[d.point as usize]);
        let id = |side: &Side, index: u32| side.features.ids.of(index as usize).to_string();
        let ids = sides.in_order(id(sides.points, feature), id(sides.polygons, d.object));
        let [id_a, id_b] = ids.each_ref().map(|id| Shown(id));
        let (found, exact) = (d.found, d.exact);
        format!(
            "disagreement: ids {id_a} and {id_b}: the backend says {found}, exact arithmetic {exact}; point ({}, {})",
            at.x, at.y
        )
    };
    check.disagreements.iter().map(line).collect()
}

/// Returns an error if an option was given that applies only to files of polygons. `polygons_in_a` says whether A has polygons,
/// and B points. It is `None` if no file has polygons.
pub(super) fn refuse_what_is_of_polygons(
    arguments: &join::Arguments,
    picture: Option<&Output>,
    polygons_in_a: Option<bool>,
) -> Result<()> {
    let refused = |option, value, problem| Err(Error::Option { option, value, problem });
    if let Some(picture) = picture {
        let problem = "draws only polygons, but a file has points; leave it out";
        return refused("--svg", picture.name().display().to_string(), problem);
    }
    if arguments.contains {
        let problem = if polygons_in_a.is_some() {
            "has points; leave out --contains, and use `--relation inside` for the points that a polygon contains"
        } else {
            "has points; leave out --contains, which is for polygons"
        };
        let path = arguments.input.b.as_ref().filter(|_| polygons_in_a == Some(true));
        let option = if path.is_some() { "B" } else { "A" };
        return refused(option, path.unwrap_or(&arguments.input.a).display().to_string(), problem);
    }
    if let Some((option, value)) = arguments.measure.areas.of_polygons() {
        return refused(option, value, "is for pairs of polygons, but a file has points; leave it out");
    }
    if let Some(measurement) = arguments.measure.of_polygons() {
        return refused("--with", measurement, "measures only polygons, but a file has points; leave it out");
    }
    Ok(())
}

/// Converts pairs of a point and an object to pairs of a feature and an object. Each pair of a feature and an object
/// occurs once, with the index of the point that decides it. This point is the first point inside, or else the first
/// point on the boundary, or else the nearest point.
fn of_features(mut pairs: Vec<Placed>, features: &[u32], near: Option<&Near<'_>>) -> Vec<Placed> {
    for placed in &mut pairs {
        placed.pair.point = features[placed.point as usize];
    }
    let distance = |placed: &Placed| near.map_or(0.0, |near| near.distance(placed));
    let key = |Placed { pair, .. }: &Placed| (pair.point, pair.object, std::cmp::Reverse(pair.relation));
    // The pairs are nearly sorted. Distances are compared only between points of one feature.
    pairs.sort_by(|p, q| {
        key(p).cmp(&key(q)).then_with(|| distance(p).total_cmp(&distance(q))).then(p.point.cmp(&q.point))
    });
    pairs.dedup_by_key(|Placed { pair, .. }| (pair.point, pair.object));
    pairs
}

/// The numbers of pairs of a feature and an object, by relation.
struct RelationCounts {
    inside: u64,
    boundary: u64,
    /// The number of pairs that do not meet, but are within the distance of `--within` or among the nearest of `--nearest`.
    apart: u64,
}

impl RelationCounts {
    fn of(pairs: &[Placed]) -> Self {
        let count = |relation| pairs.iter().filter(|placed| placed.pair.relation == relation).count() as u64;
        Self {
            inside: count(PointRelation::Inside),
            boundary: count(PointRelation::Boundary),
            apart: count(PointRelation::Outside),
        }
    }
}

/// Converts the counts and the check of a join of points to the form of a join of polygons. The statistics and the
/// summary are written from this form.
fn as_join(
    found: &PointJoin,
    of_relations: &RelationCounts,
    check: Option<&PointCheck>,
) -> Answers<RelatedPair> {
    let mut counts = Counts::default();
    counts.candidate_pairs = found.candidate_pairs;
    counts.candidate_object_pairs = found.candidate_pairs;
    counts.uncertain = found.uncertain;
    counts.oversized = found.oversized;
    counts.touching = of_relations.boundary;
    counts.overlapping = of_relations.inside;
    let check = check.map(|check| report(check, found.uncertain));
    let (choice, timings) = (found.choice.clone(), found.timings);
    Answers::of_counts(choice, counts, timings, check)
}

/// An observer that shows the progress as a number of points, not of pairs.
#[derive(Debug)]
struct Told<'a>(&'a Bar);

impl Progress for Told<'_> {
    fn stage(&self, name: &'static str) {
        self.0.message(name.into());
    }

    fn decided(&self, points: u64) {
        self.0.message(format!("narrow phase: {} points", Count(points)));
    }
}
