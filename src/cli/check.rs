use clap::Args;

use super::input::InputArguments;
use super::progress::Bar;
use super::terminal::{print, row};
use super::{Outcome, backend_parser, summary};
use crate::engine::{Backend, Engine};
use crate::error::Result;
use crate::join::JoinOptions;

/// Decide every candidate pair twice, by a backend and by exact arithmetic alone, and report where they differ.
///
/// Writes the count of pairs, agreements, pairs that the backend's filter left to exact arithmetic, and every
/// disagreement with ids and coordinates. A disagreement is exit code 1.
#[derive(Args, Debug)]
#[command(after_help = super::EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// The backend to check.
    #[arg(long, default_value_t = Backend::Auto, value_parser = backend_parser(), value_name = "BACKEND")]
    backend: Backend,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let bar = Bar::new();
    arguments.input.prepare()?;
    bar.message("starting the backend".into());
    let engine = Engine::new(arguments.backend)?;
    let (a, b) = arguments.input.read(false, &bar)?;
    let options = JoinOptions { check: true, progress: Some(&bar), ..JoinOptions::default() };
    let join = match &b {
        None => engine.self_join(&a.set, &options)?,
        Some(b) => engine.join(&a.set, &b.set, &options)?,
    };
    drop(bar);
    let report = join.check.unwrap_or_default();
    let mut lines = summary::input_lines(&a, b.as_ref());
    lines.push(row("backend", summary::backend(&join.choice)));
    lines.extend(summary::check_lines(&report, &a, b.as_ref()));
    print(&lines)?;
    Ok(Outcome::of(&report))
}
