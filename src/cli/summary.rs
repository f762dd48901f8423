//! What a run says of itself on standard error.

use std::fmt::Write as _;
use std::time::Duration;

use anstream::eprintln;
use indicatif::HumanCount as Count;

use super::Outcome;
use super::input::Side;
use crate::check::CheckReport;
use crate::engine::{Backend, Engine};
use crate::results::Join;

pub(super) fn print(engine: &Engine, a: &Side, b: Option<&Side>, join: &Join, elapsed: Duration) {
    eprint_lines(&text(engine, a, b, join, elapsed));
}

/// The summary: objects, pieces, candidate pairs, what was found, uncertain, seconds, backend.
fn text(engine: &Engine, a: &Side, b: Option<&Side>, join: &Join, elapsed: Duration) -> String {
    let counts = &join.counts;
    let both = |count: fn(&Side) -> usize| match b {
        None => Count(count(a) as u64).to_string(),
        Some(b) => format!("{} and {}", Count(count(a) as u64), Count(count(b) as u64)),
    };
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<16}{value}");
    };
    line("objects", both(|s| s.set.object_count()));
    line("pieces", both(|s| s.set.piece_count()));
    line(
        "candidate pairs",
        format!(
            "{} of objects, {} of pieces",
            Count(counts.candidate_object_pairs),
            Count(counts.candidate_pairs)
        ),
    );
    line("found", format!("{} overlapping, {} touching", Count(counts.overlapping), Count(counts.touching)));
    line("uncertain", format!("{} pairs of pieces, decided by exact arithmetic", Count(counts.uncertain)));
    if counts.oversized > 0 {
        line("oversized", format!("{} pairs of pieces, decided on the CPU", Count(counts.oversized)));
    }
    for side in [Some(a), b].into_iter().flatten() {
        if let Some(notes) = input_notes(side) {
            line("input", notes);
        }
    }
    line("time", format!("{:.3} s", elapsed.as_secs_f64()));
    let choice = engine.choice();
    let on = match (&choice.backend, &choice.adapter) {
        (Backend::Gpu, Some(adapter)) => format!("gpu: {adapter}"),
        _ => format!("cpu: {} threads", rayon::current_num_threads()),
    };
    line("backend", format!("{on} ({})", choice.reason));
    text
}

/// What the reader tidied or left out, if anything.
fn input_notes(side: &Side) -> Option<String> {
    let (counts, cleanup) = (&side.features.counts, &side.features.cleanup);
    let notes: Vec<String> = [
        (side.features.skipped.len(), "invalid features skipped"),
        (counts.null_geometries, "null geometries"),
        (counts.empty_geometries, "empty geometries"),
        (counts.empty_polygons, "empty polygons"),
        (counts.third_ordinates_ignored, "third ordinates ignored"),
        (counts.rings_closed, "rings closed"),
        (counts.ids_missing, "features without the id property named by their index"),
        (cleanup.repeated_vertices, "repeated vertices"),
        (cleanup.retraced_edges, "retraced edges"),
        (cleanup.touching_vertices, "vertices where a ring touches itself or another"),
    ]
    .into_iter()
    .filter(|&(count, _)| count > 0)
    .map(|(count, what)| format!("{} {what}", Count(count as u64)))
    .collect();
    (!notes.is_empty()).then(|| notes.join(", "))
}

/// Says what a cross-check found, if there was one.
pub(super) fn report_check(report: Option<&CheckReport>, a: &Side, b: Option<&Side>) -> Outcome {
    let Some(report) = report else { return Outcome::Answered };
    eprint_lines(&check_text(report, a, b));
    if report.disagreement_count() == 0 { Outcome::Answered } else { Outcome::Disagreement }
}

/// Pairs, agreements, uncertain before exact re-decision, disagreements with ids and coordinates.
pub(super) fn check_text(report: &CheckReport, a: &Side, b: Option<&Side>) -> String {
    let mut text = String::new();
    let disagreements = report.disagreement_count();
    for (name, value) in [
        ("pairs checked", report.pairs),
        ("agreements", report.agreements),
        ("uncertain", report.uncertain),
        ("disagreements", disagreements),
    ] {
        let _ = writeln!(text, "{name:<16}{}", Count(value));
    }
    for disagreement in &report.disagreements {
        let (id_a, id_b) =
            (&a.features.ids[disagreement.a.object], &b.unwrap_or(a).features.ids[disagreement.b.object]);
        let _ = writeln!(text, "disagreement: ids {id_a} and {id_b}, {disagreement}");
    }
    let described = report.disagreements.len() as u64;
    if described < disagreements {
        let _ = writeln!(text, "and {} disagreements more", Count(disagreements - described));
    }
    text
}

fn eprint_lines(text: &str) {
    for line in text.lines() {
        eprintln!("{line}");
    }
}
