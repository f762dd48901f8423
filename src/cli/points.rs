//! A file of points against a file of polygons: what `join` does where A has points.

use std::time::Instant;

use glam::DVec2;
use indicatif::HumanCount as Count;

use super::input::Side;
use super::outputs::Outputs;
use super::progress::Bar;
use super::statistics::Statistics;
use super::terminal::{row, tell_lines};
use super::{Outcome, join, summary};
use crate::check::CheckReport;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::io::Output;
use crate::join::{Keep, Progress};
use crate::points::{KeepPoints, PointCheck, PointJoin, PointOptions, PointPair, PointRelation};
use crate::results::{Counts, Join};

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
    if let Some(picture) = picture {
        return Err(Error::Option {
            option: "--svg",
            value: picture.name().display().to_string(),
            problem: "draws polygons, and A has points; leave it out",
        });
    }
    let points: Vec<DVec2> = a.features.points.iter().map(|&(_, point)| point).collect();
    let told = Told(&bar);
    let options = PointOptions { pairs: true, progress: Some(&told), ..PointOptions::default() };
    let mut found = engine.points_in_polygons(&points, &b.set, &options)?;
    let of_points = found.pairs.take().unwrap_or_default();
    let check = arguments.verify.then(|| PointCheck::of(&points, &b.set, &of_points)).transpose()?;
    let mut of_features = of_features(of_points, &a.features.points);
    let (inside, boundary) = counts(&of_features);
    let kept = match keep {
        Keep::Overlapping => KeepPoints::Inside,
        Keep::Touching => KeepPoints::Boundary,
        Keep::Meeting => KeepPoints::Meeting,
    };
    of_features.retain(|pair| kept.keeps(pair.relation));

    bar.message("writing".into());
    if arguments.output.is_terminal() {
        bar.clear();
    }
    let write_start = Instant::now();
    let ids = (&a.features.ids[..], &b.features.ids[..]);
    let written = arguments.output.write_points(pairs, ids, &of_features)?;
    let write_time = write_start.elapsed();
    let join = as_join(&found, inside, boundary, check.as_ref());
    if let Some(output) = statistics {
        Statistics::new(a, Some(b), &join, start.elapsed(), write_time)
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
        lines.extend(check.disagreements.iter().map(|d| {
            let id_a = &a.features.ids[a.features.points[d.point as usize].0 as usize];
            let id_b = &b.features.ids[d.object as usize];
            let at = points[d.point as usize];
            format!(
                "disagreement: ids {id_a} and {id_b}: {}, but exactly {}; ({}, {})",
                d.found, d.exact, at.x, at.y
            )
        }));
        tell_lines(&lines);
    }
    Ok(outcome)
}

/// From points to their features, each pair of a feature and an object once: inside where any of the points is.
fn of_features(mut pairs: Vec<PointPair>, points: &[(u32, DVec2)]) -> Vec<PointPair> {
    for pair in &mut pairs {
        pair.point = points[pair.point as usize].0;
    }
    // Nearly sorted.
    pairs.sort_by_key(|pair| (pair.point, pair.object, std::cmp::Reverse(pair.relation)));
    pairs.dedup_by_key(|pair| (pair.point, pair.object));
    pairs
}

fn counts(pairs: &[PointPair]) -> (u64, u64) {
    let inside = pairs.iter().filter(|pair| pair.relation == PointRelation::Inside).count() as u64;
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
    let check = check.map(|check| CheckReport {
        pairs: check.pairs,
        agreements: check.pairs - check.disagreement_count,
        uncertain: found.uncertain,
        disagreements: Vec::new(),
    });
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
