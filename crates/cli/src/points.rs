//! Joins a file of points with a file of polygons. `join` calls this module if A has points.

mod near;

use std::time::{Duration, Instant};

use indicatif::HumanCount as Count;
use sat2d::glam::DVec2;

use super::input::Side;
use super::measure::{Answer, Figures, MeasuredCheck};
use super::outputs::{Outputs, Rows};
use super::progress::Bar;
use super::statistics::Statistics;
use super::terminal::{row, tell_lines};
use super::{Outcome, join, summary};
use crate::error::{Error, Result};
use near::{Near, Placed};
use sat2d::internal::{PointCheck, PointDisagreement, Shown};
use sat2d::{
    Answers, CheckReport, Counts, Engine, Keep, KeepPoints, PointJoin, PointOptions, PointPair,
    PointRelation, Progress, RelatedPair,
};
use sat2d_io::{Column, Output, PairRow};

/// The input and the options of a join of points with polygons.
pub(super) struct Run<'a> {
    pub(super) arguments: &'a join::Arguments,
    pub(super) engine: &'a Engine,
    pub(super) a: &'a Side,
    pub(super) b: &'a Side,
    pub(super) keep: Keep,
    pub(super) start: Instant,
}

pub(super) fn run(run: &Run<'_>, outputs: Outputs, bar: Bar) -> Result<Outcome> {
    let Run { arguments, engine, a, b, keep, start } = *run;
    let Outputs { pairs, statistics, picture } = outputs;
    refuse_what_is_of_polygons(arguments, picture.as_ref())?;
    let points = points_of(a);
    let (nearest, within) = (arguments.measure.nearest(), arguments.measure.within());
    let near = if nearest.is_some() || within.is_some() {
        bar.message("measuring distances".into());
        Some(Near::find(engine, &points, &b.set, nearest, within)?)
    } else {
        None
    };
    let (found, of_points) = match &near {
        // If rings of the polygons cross, their pieces are rounded. The distances from such pieces cannot decide which
        // points meet a polygon.
        Some(near) if b.set.piece_displacement() == 0.0 => {
            pairs_of(&near.meeting(), engine, &points, b, &bar)?
        }
        _ => all_pairs(engine, &points, b, &bar)?,
    };
    let check_start = Instant::now();
    let check = arguments.verify.then(|| PointCheck::of(&points, &b.set, &of_points)).transpose()?;
    let check_time = if arguments.verify { check_start.elapsed() } else { Duration::ZERO };
    let measured = match &near {
        Some(near) if arguments.verify => {
            bar.message("checking measurements".into());
            near.check(&of_points, &a.features.points)?
        }
        _ => MeasuredCheck::default(),
    };
    let mut of_features = match &near {
        Some(near) => near.of_features(&of_points, &a.features.points),
        None => of_features(of_points.into_iter().map(Placed::of).collect(), &a.features.points, None),
    };
    let counts = RelationCounts::of(&of_features);
    // `--within` or `--nearest` has already selected the points outside a polygon, so only the other points are filtered here.
    let kept = match keep {
        Keep::Overlapping => KeepPoints::Inside,
        Keep::Touching => KeepPoints::Boundary,
        Keep::Meeting => KeepPoints::Meeting,
    };
    of_features
        .retain(|Placed { pair, .. }| pair.relation == PointRelation::Outside || kept.keeps(pair.relation));

    bar.message("writing".into());
    if arguments.output.is_terminal() {
        bar.clear();
    }
    let write_start = Instant::now();
    let columns = arguments.measure.distance_columns();
    let has_closest = arguments.output.has_places() || columns.contains(&Column::Closest);
    let pair_row = |k: usize| {
        let placed @ Placed { pair, point, .. } = &of_features[k];
        let (id_a, id_b) = (&a.features.ids[pair.point as usize], &b.features.ids[pair.object as usize]);
        let mut row = PairRow::of_point(id_a, id_b, pair.relation, points[*point as usize]);
        // Without `--within` and `--nearest`, only points that meet a polygon are written.
        match &near {
            Some(near) => near.measured(row, placed, has_closest),
            None => {
                row.distance = Some(0.0);
                row
            }
        }
    };
    let rows = Rows { ids: [&a.features.ids, &b.features.ids], count: of_features.len(), row: &pair_row };
    let written = arguments.output.write_pairs(pairs, &columns, &rows)?;
    let write_time = write_start.elapsed();
    let mut answer = Answer {
        figures: near.as_ref().map(|near| Figures::counts_of(near.found())).unwrap_or_default(),
        ..Answer::of(as_join(&found, &counts, check.as_ref()))
    };
    answer.join.timings.check = check_time;
    let join = &answer.join;
    if let Some(output) = statistics {
        Statistics::new(a, Some(b), &answer, start.elapsed(), write_time)
            .with_rows(of_features.len(), counts.apart)
            .write(output)?;
    }
    // The pairs are committed last, so that the run leaves no pairs behind if another file cannot be written.
    let has_reader = written.is_some();
    written.map(Output::commit).transpose()?;
    drop(bar);

    if !arguments.quiet && has_reader {
        tell_lines(&lines(run, &answer, &counts, write_time));
    }
    let (Some(check), Some(report)) = (&check, &join.check) else { return Ok(Outcome::Answered) };
    let outcome =
        if measured.disagreement_count() == 0 { Outcome::of(report) } else { Outcome::Disagreement };
    if outcome == Outcome::Disagreement || (!arguments.quiet && has_reader) {
        let mut lines = summary::check_lines(report, a, Some(b));
        lines.extend(disagreements(check, a, b));
        lines.extend(summary::measured_check_lines(&measured, a, Some(b)));
        tell_lines(&lines);
    }
    Ok(outcome)
}

/// Returns the summary of a join of points. `write` is the time of writing the output.
fn lines(run: &Run<'_>, answer: &Answer, counts: &RelationCounts, write: Duration) -> Vec<String> {
    let (a, b, elapsed) = (run.a, run.b, run.start.elapsed());
    let Answer { join, figures, .. } = answer;
    let mut lines = vec![row("points", Count(a.features.points.len() as u64))];
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
    lines.push(row("time", format!("{:.3} s", elapsed.as_secs_f64())));
    lines.extend(summary::stages(a, Some(b), answer, write, elapsed).map(|stages| row("stages", stages)));
    lines.push(row("backend", summary::backend(&join.choice)));
    lines
}

/// Decides every point against every polygon by the engine and by the exact reference. Returns both results, or the error of
/// either.
pub(super) fn checked(engine: &Engine, a: &Side, b: &Side, bar: &Bar) -> Result<(PointJoin, PointCheck)> {
    let points = points_of(a);
    let (found, pairs) = all_pairs(engine, &points, b, bar)?;
    Ok((found, PointCheck::of(&points, &b.set, &pairs)?))
}

fn points_of(a: &Side) -> Vec<DVec2> {
    a.features.points.iter().map(|&(_, point)| point).collect()
}

fn all_pairs(engine: &Engine, points: &[DVec2], b: &Side, bar: &Bar) -> Result<(PointJoin, Vec<PointPair>)> {
    let told = Told(bar);
    let options = PointOptions { pairs: true, progress: Some(&told), ..PointOptions::default() };
    let mut found = engine.points(points, &b.set).query(&options)?;
    let pairs = found.pairs.take().unwrap_or_default();
    Ok((found, pairs))
}

/// Decides some of the points against every polygon of B. `some` has the indices of these points in `points`, sorted.
/// In the returned pairs, a point has its index in `points`.
fn pairs_of(
    some: &[u32],
    engine: &Engine,
    points: &[DVec2],
    b: &Side,
    bar: &Bar,
) -> Result<(PointJoin, Vec<PointPair>)> {
    let chosen: Vec<DVec2> = some.iter().map(|&point| points[point as usize]).collect();
    let (found, mut pairs) = all_pairs(engine, &chosen, b, bar)?;
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
pub(super) fn disagreements(check: &PointCheck, a: &Side, b: &Side) -> Vec<String> {
    let line = |d: &PointDisagreement| {
        let (feature, at) = a.features.points[d.point as usize];
        let (id_a, id_b) =
            (a.features.ids[feature as usize].to_string(), b.features.ids[d.object as usize].to_string());
        let (id_a, id_b) = (Shown(&id_a), Shown(&id_b));
        let (found, exact) = (d.found, d.exact);
        format!(
            "disagreement: ids {id_a} and {id_b}: the backend says {found}, exact arithmetic {exact}; point ({}, {})",
            at.x, at.y
        )
    };
    check.disagreements.iter().map(line).collect()
}

/// Returns an error if an option was given that applies only to files of polygons.
fn refuse_what_is_of_polygons(arguments: &join::Arguments, picture: Option<&Output>) -> Result<()> {
    let refused = |option, value, problem| Err(Error::Option { option, value, problem });
    if let Some(picture) = picture {
        let problem = "draws only polygons, but A has points; leave it out";
        return refused("--svg", picture.name().display().to_string(), problem);
    }
    if arguments.contains {
        let problem = "has points; leave out --contains, and use `--relation inside` for the points that a polygon contains";
        return refused("A", arguments.input.a.display().to_string(), problem);
    }
    if let Some(option) = arguments.measure.areas.of_polygons() {
        return refused(option, "given".into(), "is for pairs of polygons, but A has points; leave it out");
    }
    if let Some(measurement) = arguments.measure.of_polygons() {
        return refused("--with", measurement, "measures only polygons, but A has points; leave it out");
    }
    Ok(())
}

/// Converts pairs of a point and an object to pairs of a feature and an object. Each pair of a feature and an object
/// occurs once, with the index of the point that decides it. This point is the first point inside, or else the first
/// point on the boundary, or else the nearest point.
fn of_features(mut pairs: Vec<Placed>, points: &[(u32, DVec2)], near: Option<&Near<'_>>) -> Vec<Placed> {
    for placed in &mut pairs {
        placed.pair.point = points[placed.point as usize].0;
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
