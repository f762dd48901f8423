//! A file of points against a file of polygons: what `join` does where A has points.

use std::time::Instant;

use glam::DVec2;
use indicatif::HumanCount as Count;

use super::input::Side;
use super::measure::Answer;
use super::outputs::Outputs;
use super::progress::Bar;
use super::statistics::Statistics;
use super::terminal::{row, tell_lines};
use super::{Outcome, join, summary};
use crate::check::CheckReport;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::io::{Output, PairRow};
use crate::join::{Keep, Progress};
use crate::points::{
    KeepPoints, PointCheck, PointDisagreement, PointJoin, PointOptions, PointPair, PointRelation,
};
use crate::results::{Counts, Join};
use crate::shown::Shown;

/// What a run has read and was asked for.
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
    let (found, of_points) = all_pairs(engine, &points, b, &bar)?;
    let check = arguments.verify.then(|| PointCheck::of(&points, &b.set, &of_points)).transpose()?;
    let mut of_features = of_features(of_points, &a.features.points);
    let (inside, boundary) = counts(&of_features);
    let kept = match keep {
        Keep::Overlapping => KeepPoints::Inside,
        Keep::Touching => KeepPoints::Boundary,
        Keep::Meeting => KeepPoints::Meeting,
    };
    of_features.retain(|(pair, _)| kept.keeps(pair.relation));

    bar.message("writing".into());
    if arguments.output.is_terminal() {
        bar.clear();
    }
    let write_start = Instant::now();
    let rows = of_features.iter().map(|&(pair, place)| {
        let (id_a, id_b) = (&a.features.ids[pair.point as usize], &b.features.ids[pair.object as usize]);
        PairRow::of_point(id_a, id_b, pair.relation, points[place as usize])
    });
    let written = arguments.output.write_pairs(pairs, &[], rows)?;
    let write_time = write_start.elapsed();
    let answer = Answer::of(as_join(&found, inside, boundary, check.as_ref()));
    let join = &answer.join;
    if let Some(output) = statistics {
        Statistics::new(a, Some(b), &answer, start.elapsed(), write_time)
            .with_written(of_features.len())
            .write(output)?;
    }
    // The answer takes its place last: where another file cannot be written, there is none.
    let has_reader = written.is_some();
    written.map(Output::commit).transpose()?;
    drop(bar);

    if !arguments.quiet && has_reader {
        let mut lines = vec![row("points", Count(points.len() as u64))];
        lines.extend(summary::input_lines(a, Some(b)));
        lines
            .push(row("candidate pairs", format!("{} of a point and a piece", Count(found.candidate_pairs))));
        lines.push(row("found", format!("{} inside, {} boundary", Count(inside), Count(boundary))));
        let uncertain = format!("{} pairs, decided by exact arithmetic", Count(found.uncertain));
        lines.push(row("uncertain", uncertain));
        if found.oversized > 0 {
            lines.push(row("oversized", format!("{} pairs, decided on the CPU", Count(found.oversized))));
        }
        lines.push(row("time", format!("{:.3} s", start.elapsed().as_secs_f64())));
        lines.push(row("backend", summary::backend(&found.choice)));
        tell_lines(&lines);
    }
    let (Some(check), Some(report)) = (&check, &join.check) else { return Ok(Outcome::Answered) };
    let outcome = Outcome::of(report);
    if outcome == Outcome::Disagreement || (!arguments.quiet && has_reader) {
        let mut lines = summary::check_lines(report, a, Some(b));
        lines.extend(disagreements(check, a, b));
        tell_lines(&lines);
    }
    Ok(outcome)
}

/// Every point against every polygon, by the engine and by the reference.
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
    let mut found = engine.points_in_polygons(points, &b.set, &options)?;
    let pairs = found.pairs.take().unwrap_or_default();
    Ok((found, pairs))
}

/// What a cross-check found, in the words of one of polygons. Its disagreements are told apart: [`disagreements`].
pub(super) fn report(check: &PointCheck, uncertain: u64) -> CheckReport {
    CheckReport {
        pairs: check.pairs,
        agreements: check.pairs - check.disagreement_count,
        uncertain,
        disagreements: Vec::new(),
    }
}

/// A line for each disagreement that is described.
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

/// Refuses what is asked of polygons only.
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
    if let Some((option, value)) = arguments.measure.asked() {
        return refused(option, value, "measures only polygons, but A has points; leave it out");
    }
    Ok(())
}

/// From points to their features, each pair of a feature and an object once, with the index of the point that says its
/// relation: the first that is inside, else the first on the boundary.
fn of_features(pairs: Vec<PointPair>, points: &[(u32, DVec2)]) -> Vec<(PointPair, u32)> {
    let of_feature =
        |pair: PointPair| (PointPair { point: points[pair.point as usize].0, ..pair }, pair.point);
    let mut pairs: Vec<(PointPair, u32)> = pairs.into_iter().map(of_feature).collect();
    // Nearly sorted.
    pairs.sort_by_key(|(pair, place)| (pair.point, pair.object, std::cmp::Reverse(pair.relation), *place));
    pairs.dedup_by_key(|(pair, _)| (pair.point, pair.object));
    pairs
}

fn counts(pairs: &[(PointPair, u32)]) -> (u64, u64) {
    let inside = pairs.iter().filter(|(pair, _)| pair.relation == PointRelation::Inside).count() as u64;
    (inside, pairs.len() as u64 - inside)
}

/// The same in the words of a join of polygons, for what is made of those.
fn as_join(found: &PointJoin, inside: u64, boundary: u64, check: Option<&PointCheck>) -> Join {
    let counts = Counts {
        candidate_pairs: found.candidate_pairs,
        candidate_object_pairs: found.candidate_pairs,
        uncertain: found.uncertain,
        oversized: found.oversized,
        touching: boundary,
        overlapping: inside,
    };
    let check = check.map(|check| report(check, found.uncertain));
    let (choice, timings) = (found.choice.clone(), found.timings);
    Join { pairs: Vec::new(), choice, counts, timings, timeline: Vec::new(), check }
}

/// Tells of points rather than of pairs.
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
