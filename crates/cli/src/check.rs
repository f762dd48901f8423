use clap::Args;
use indicatif::HumanCount;

use super::input::InputArguments;
use super::progress::Bar;
use super::terminal::{check_output, print, row};
use super::{Outcome, backend, backend_parser, points, summary};
use crate::error::Result;
use sat2d::{Backend, Engine, Relations};

/// Decide every candidate pair twice, by a backend and by exact arithmetic alone, and report the differences.
///
/// Prints the numbers of checked pairs, of agreements, of uncertain pairs, and of disagreements. Uncertain pairs are the pairs
/// that the backend's filter left to exact arithmetic. Then prints the first disagreements with ids and coordinates. If there
/// is a disagreement, the exit code is 1. If B is given, A or B may be a file of points.
#[derive(Args, Debug)]
#[command(after_help = crate::commands::EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// Backend to check. `auto` chooses as in `join --verify`.
    #[arg(long, default_value_t = Backend::Auto, value_parser = backend_parser(), value_name = "BACKEND")]
    backend: Backend,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let bar = Bar::new();
    arguments.input.prepare()?;
    check_output()?;
    bar.message("starting the backend".into());
    let engine = backend::before_input(arguments.backend)?;
    let (a, b) = arguments.input.read(&bar)?;
    let sides = b.as_ref().and_then(|b| points::Sides::of(&a, b));
    let engine = backend::after_input(engine, (&a, b.as_ref()), 0.0, sides.map(|_| backend::OF_POINTS))?;
    if let Some(sides) = sides {
        return check_points(&engine, sides, bar);
    }
    let join = match &b {
        None => engine.self_join(&a.set).check().progress(&bar).query(Relations)?,
        Some(b) => engine.join(&a.set, &b.set).check().progress(&bar).query(Relations)?,
    };
    drop(bar);
    let report = join.check.unwrap_or_default();
    let mut lines = summary::input_lines(&a, b.as_ref());
    lines.push(row("backend", summary::backend(&join.choice)));
    lines.extend(summary::check_lines(&report, &a, b.as_ref()));
    print(&lines)?;
    Ok(Outcome::of(&report))
}

fn check_points(engine: &Engine, sides: points::Sides<'_>, bar: Bar) -> Result<Outcome> {
    let (found, check) = points::checked(engine, sides, &bar)?;
    let [a, b] = sides.files();
    drop(bar);
    let report = points::report(&check, found.uncertain);
    let mut lines = vec![row("points", HumanCount(sides.points.features.points.len() as u64))];
    lines.extend(summary::input_lines(a, Some(b)));
    lines.push(row("backend", summary::backend(&found.choice)));
    lines.extend(summary::check_lines(&report, a, Some(b)));
    lines.extend(points::disagreements(&check, sides));
    print(&lines)?;
    Ok(Outcome::of(&report))
}
