//! The summary of a run, and the table of the state of its world.

use std::time::Duration;

use indicatif::HumanCount as Count;

use super::Effort;
use crate::terminal::row;
use sat2d::sim::WorldStatistics;
use sat2d::{Backend, Choice};

/// Returns the summary: steps per second, the counts of the last step, the time of each stage, and the backend.
pub(super) fn summary(effort: &Effort, choice: &Choice, elapsed: Duration) -> Vec<String> {
    let seconds = effort.stepping.as_secs_f64();
    let rate = if seconds > 0.0 { effort.steps as f64 / seconds } else { 0.0 };
    let mut lines = vec![
        row("steps", format!("{} in {seconds:.3} s: {rate:.1} per second", Count(effort.steps))),
        row(
            "last step",
            format!("{} candidate pairs, {} contacts", Count(effort.candidates), Count(effort.contacts)),
        ),
    ];
    let times = &effort.times;
    for (name, time) in [
        ("broad phase", times.broad_phase),
        ("narrow phase", times.narrow_phase),
        ("prepare", times.prepare),
        ("solve", times.solve),
        ("finish", times.finish),
    ] {
        let each = 1e3 * time.as_secs_f64() / effort.steps.max(1) as f64;
        lines.push(row(name, format!("{each:.3} ms per step")));
    }
    if effort.regrown > 0 {
        lines.push(row("buffers", format!("grew {} times", Count(effort.regrown.into()))));
    }
    lines.push(row("seconds", format!("{:.3} in all", elapsed.as_secs_f64())));
    let place = match (choice.backend, &choice.adapter) {
        (Backend::Gpu, Some(adapter)) => format!("gpu, {adapter}"),
        (backend, _) => format!("{}, {} threads", backend.name(), rayon::current_num_threads()),
    };
    lines.push(row("backend", format!("{place}: {}", choice.reason)));
    lines
}

/// Returns the state of the world, with one value on each line.
pub(super) fn table(steps: u32, dt: f64, found: &WorldStatistics) -> Vec<String> {
    vec![
        row("step", Count(steps.into())),
        row("time", f64::from(steps) * dt),
        row(
            "bodies",
            format!("{}, {} dynamic", Count(found.bodies as u64), Count(found.dynamic_bodies as u64)),
        ),
        row("momentum", format!("({}, {})", found.momentum.x, found.momentum.y)),
        row("kinetic", format!("{} of energy", found.kinetic_energy)),
        row("potential", format!("{} of energy", found.potential_energy)),
        row("mean position", format!("({}, {})", found.mean_position.x, found.mean_position.y)),
        row("rms velocity", found.rms_velocity),
        row("overlapping", format!("{} pairs", Count(found.overlapping as u64))),
        row(
            "penetration",
            format!("{} mean, {} greatest", found.mean_penetration, found.greatest_penetration),
        ),
    ]
}
