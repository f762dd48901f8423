//! Writes the summary of a run to standard error.

use std::time::Duration;

use indicatif::HumanCount as Count;

use super::answer::{Answer, Contradiction, Figures, MeasuredCheck};
use super::input::Side;
use super::terminal::row;
use super::times::Times;
use sat2d::internal::{NearFault, Shown};
use sat2d::{Backend, CheckReport, Choice, Containment};

/// Returns the summary of a join: objects, pieces, candidate pairs, found pairs, uncertain pairs, seconds and the backend.
/// `times` has the times of the run and of writing the output.
pub(super) fn join_lines(a: &Side, b: Option<&Side>, answer: &Answer, times: Times) -> Vec<String> {
    let Answer { join, containments, figures, .. } = answer;
    let counts = &join.counts;
    let mut lines = input_lines(a, b);
    let (objects, pieces) = (Count(counts.candidate_object_pairs), Count(counts.candidate_pairs));
    let candidates = match containments {
        // A join of points with points.
        None if !a.features.points.is_empty() => format!("{pieces} of points, whose boxes meet"),
        // The line says which pairs are counted, because the measured pairs may be other pairs.
        None if figures.choice.is_some() => {
            format!("{objects} of objects, {pieces} of pieces, whose boxes meet")
        }
        None if counts.polygon_pairs > 0 => format!("{objects} of objects, {pieces} of polygons"),
        None => format!("{objects} of objects, {pieces} of pieces"),
        Some(_) => format!("{objects} of objects, {pieces} after a comparison of their boxes"),
    };
    if !figures.is_of_nearest {
        lines.push(row("candidate pairs", candidates));
    }
    let found = match containments {
        None => {
            let apart = answer.apart().map_or(String::new(), |count| format!(", {} apart", Count(count)));
            format!("{} overlapping, {} touching{apart}", Count(counts.overlapping), Count(counts.touching))
        }
        Some(containments) => {
            let count = |kind| Count(containments.iter().filter(|&&c| c == kind).count() as u64);
            format!(
                "{} where A covers B, {} where B covers A, {} equal",
                count(Containment::Covers),
                count(Containment::CoveredBy),
                count(Containment::Equal)
            )
        }
    };
    lines.push(row("found", found));
    let uncertain = match counts.polygon_pairs {
        0 => format!("{} pairs of pieces, decided by exact arithmetic", Count(counts.uncertain)),
        _ => "none: all pairs were compared by their edges, exactly".into(),
    };
    if !figures.is_of_nearest {
        lines.push(row("uncertain", uncertain));
    }
    if counts.oversized > 0 {
        let oversized = format!("{} pairs of pieces, decided on the CPU", Count(counts.oversized));
        lines.push(row("oversized", oversized));
    }
    lines.extend(measured_lines(figures, &join.choice));
    lines.extend(time_lines(a, b, answer, times));
    lines.push(row("backend", backend(&join.choice)));
    lines
}

/// Returns the lines with the seconds of the run and of its stages. A stage has its share of the run's time. The shares may add up
/// to more than 100%, because stages may run at the same time. Leaves out stages with a share below `LEAST`, and the line of
/// the stages if no stage is left.
pub(super) fn time_lines(a: &Side, b: Option<&Side>, answer: &Answer, times: Times) -> Vec<String> {
    /// The least share of the run's time at which the text shows a stage.
    const LEAST: f64 = 0.01;
    let (timings, total) = (&answer.join.timings, times.total().as_secs_f64());
    let of_sides = |time: fn(&Side) -> Duration| time(a) + b.map_or(Duration::ZERO, time);
    let stages = [
        ("start the backend", times.backend),
        ("read", of_sides(|side| side.features.read_time)),
        ("check and split", of_sides(|side| side.features.decompose_time)),
        ("pack", timings.pack),
        ("broad phase", timings.broad_phase),
        ("upload", timings.upload),
        ("kernel", timings.kernel),
        ("read back", timings.readback),
        ("decide exactly", timings.exact),
        ("verify", timings.check),
        ("collect", timings.collect),
        ("measure", answer.figures.time),
        ("write", times.write),
    ];
    let share = |time: Duration| time.as_secs_f64() / total.max(f64::MIN_POSITIVE);
    let shown = stages.iter().filter(|(_, time)| share(*time) >= LEAST);
    let shown: Vec<String> = shown
        .map(|&(name, time)| format!("{name} {:.3} s ({:.0}%)", time.as_secs_f64(), 100.0 * share(time)))
        .collect();
    let mut lines = vec![row("time", format!("{total:.3} s"))];
    if !shown.is_empty() {
        lines.push(row("stages", shown.join(", ")));
    }
    lines
}

/// Returns the lines of the summary about the measurements, or no lines if nothing was measured. The lines name the backend of
/// the measurements only if it differs from the backend of `choice`.
pub(super) fn measured_lines(figures: &Figures, choice: &Choice) -> Vec<String> {
    let Some(measured_on) = &figures.choice else { return Vec::new() };
    let refined =
        format!("{} pairs of pieces whose deciding edge f32 was not certain of", Count(figures.refined));
    let mut lines = vec![row("measured", format!("{} pairs of pieces", Count(figures.measured)))];
    if !figures.is_of_nearest {
        lines.push(row("refined", refined));
    }
    if measured_on.backend != choice.backend {
        lines.push(row("measured on", backend(measured_on)));
    }
    lines
}

/// Returns lines with the numbers of objects and pieces, and with the notes on one input file or both.
pub(super) fn input_lines(a: &Side, b: Option<&Side>) -> Vec<String> {
    let both = |text: fn(&Side) -> String| match b {
        None => text(a),
        Some(b) => format!("{} and {}", text(a), text(b)),
    };
    let objects = |side: &Side| Count(side.set.object_count() as u64).to_string();
    let pieces = |side: &Side| {
        side.set.made_piece_count().map_or("none needed".into(), |count| Count(count as u64).to_string())
    };
    let mut lines = vec![row("objects", both(objects)), row("pieces", both(pieces))];
    let names = if b.is_some() { ["input A", "input B"] } else { ["input", ""] };
    for (name, side) in names.into_iter().zip([Some(a), b].into_iter().flatten()) {
        lines.extend(input_notes(side).map(|notes| row(name, notes)));
    }
    lines
}

/// Returns the backend, its adapter or the number of threads, and the reason for the choice.
pub(super) fn backend(choice: &Choice) -> String {
    let on = match (&choice.backend, &choice.adapter) {
        (Backend::Gpu, Some(adapter)) => format!("gpu: {adapter}"),
        _ => format!("cpu: {} threads", rayon::current_num_threads()),
    };
    format!("{on} ({})", choice.reason)
}

/// Returns the notes on an input file: its cleanups, its skipped features, and whether its coordinates are not planar. Returns
/// `None` if there is nothing to note.
fn input_notes(side: &Side) -> Option<String> {
    let (counts, cleanup) = (&side.features.counts, &side.features.cleanup);
    let geographic = side.features.crs.iter().filter(|crs| crs.is_geographic());
    let geographic = geographic.map(|crs| {
        let name = crs.to_string();
        format!("longitude and latitude ({}), taken as planar", Shown(&name))
    });
    let counted = [
        (side.features.left_out.len(), "invalid features skipped"),
        (side.features.filled_count, "features with rings that cross, inside by --fill"),
        (counts.null_geometries, "null geometries"),
        (counts.empty_geometries, "empty geometries"),
        (counts.empty_polygons, "empty polygons"),
        (counts.third_ordinates_ignored, "third ordinates ignored"),
        (counts.rings_closed, "rings closed"),
        (counts.ids_missing, "features named by their index, without the id property"),
        (counts.ids_repeated, "features with the id of an earlier one"),
        (counts.ids_told_apart, "features without an id named index:N, as N is the id of another"),
        (counts.ids_with_controls, "ids with control characters"),
        (cleanup.repeated_vertices, "repeated vertices"),
        (cleanup.retraced_edges, "retraced edges"),
        (cleanup.touching_vertices, "vertices where a ring touches itself or another"),
    ]
    .into_iter()
    .filter(|&(count, _)| count > 0)
    .map(|(count, what)| format!("{} {what}", Count(count as u64)));
    let displacement = side.set.made_piece_count().map_or(0.0, |_| side.set.piece_displacement());
    let groups = side.features.row_groups;
    let left_out = (groups.left_out > 0).then(|| {
        let (left_out, count) = (Count(groups.left_out as u64), Count(groups.count as u64));
        format!("{left_out} of {count} row groups left out, whose boxes do not meet the other file")
    });
    let moved = (displacement > 0.0)
        .then(|| format!("crossings rounded for measurements, moved by at most {displacement:.1e}"));
    let spherical = side.features.has_spherical_edges;
    let spherical = spherical.then(|| "edges are great circles, taken as straight lines".to_owned());
    let notes: Vec<String> =
        left_out.into_iter().chain(counted).chain(moved).chain(geographic).chain(spherical).collect();
    (!notes.is_empty()).then(|| notes.join(", "))
}

/// Returns the lines with the result of the cross-check. They have the numbers of pairs, of agreements, of uncertain
/// pairs, and of disagreements. A pair is uncertain if the filter left it to exact arithmetic. Then each described
/// disagreement follows, with ids and coordinates.
pub(super) fn check_lines(report: &CheckReport, a: &Side, b: Option<&Side>) -> Vec<String> {
    let disagreements = report.disagreement_count();
    let checked = match report.crossed_pairs {
        0 => Count(report.pairs).to_string(),
        crossed => {
            format!("{}; {} pairs with rings that cross were not", Count(report.pairs), Count(crossed))
        }
    };
    let mut lines = vec![
        row("pairs checked", checked),
        row("agreements", Count(report.agreements)),
        row("uncertain", Count(report.uncertain)),
        row("disagreements", Count(disagreements)),
    ];
    for disagreement in &report.disagreements {
        let id_a = a.features.ids.of(disagreement.a.object).to_string();
        let id_b = b.unwrap_or(a).features.ids.of(disagreement.b.object).to_string();
        lines.push(format!("disagreement: ids {} and {}, {disagreement}", Shown(&id_a), Shown(&id_b)));
    }
    let described = report.disagreements.len() as u64;
    if described < disagreements {
        lines.push(format!("and {} more disagreements", Count(disagreements - described)));
    }
    lines
}

/// The greatest number of contradictions that get a line of their own. Further contradictions are only counted.
const DESCRIBED: usize = 100;

/// Returns the lines with the result of the check of measurements. They have the pairs within the distance of `--within`, if it
/// was given, and the contradictions between measurements and relations.
pub(super) fn measured_check_lines(check: &MeasuredCheck, a: &Side, b: Option<&Side>) -> Vec<String> {
    let ids = |of_a: u32, of_b: u32| {
        let id = |side: &Side, object: u32| side.features.ids.of(object as usize).to_string();
        let (id_a, id_b) = (id(a, of_a), id(b.unwrap_or(a), of_b));
        format!("ids {} and {}", Shown(&id_a), Shown(&id_b))
    };
    let mut lines = Vec::new();
    if let Some(near) = &check.near {
        let (pairs, wrong) = (Count(near.pairs), Count(near.disagreement_count));
        lines.push(row("within D", format!("{pairs} pairs of pieces checked, {wrong} disagreements")));
        lines.extend(near.disagreements.iter().map(|&(of_a, of_b, fault)| {
            let says = match fault {
                NearFault::Missed => "the pair is within D, but was not found",
                NearFault::TooFar => "the pair was found, but is not within D",
                NearFault::Distance => "the distance is off by more than its bound",
            };
            format!("disagreement: {}: {says}", ids(of_a, of_b))
        }));
        let described = near.disagreements.len() as u64;
        if described < near.disagreement_count {
            lines.push(format!("and {} more disagreements", Count(near.disagreement_count - described)));
        }
    }
    let described = check.contradictions.iter().take(DESCRIBED);
    lines.extend(described.map(|&Contradiction { pair: [of_a, of_b], relation, measurement }| {
        format!("disagreement: {}: the {measurement} contradicts the relation {relation}", ids(of_a, of_b))
    }));
    if let Some(more) = check.contradictions.len().checked_sub(DESCRIBED).filter(|&more| more > 0) {
        lines.push(format!("and {} more disagreements", Count(more as u64)));
    }
    lines
}
