use std::io::Write;

use clap::Args;

use super::input::InputArguments;
use super::progress::Bar;
use super::{Outcome, summary};
use crate::engine::{Backend, Engine};
use crate::error::{Error, Result};
use crate::io::Output;
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
    #[arg(long, default_value_t = Backend::Auto, value_parser = clap::value_parser!(Backend), value_name = "auto|cpu|gpu")]
    backend: Backend,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let bar = Bar::new();
    let (a, b) = arguments.input.read(&bar)?;
    let engine = Engine::new(arguments.backend)?;
    let options = JoinOptions { check: true, progress: Some(&bar), ..JoinOptions::default() };
    let join = match &b {
        None => engine.self_join(&a.set, &options)?,
        Some(b) => engine.join(&a.set, &b.set, &options)?,
    };
    drop(bar);
    let report = join.check.unwrap_or_default();
    let mut output = Output::create(None)?;
    let choice = engine.choice();
    let adapter = choice.adapter.as_ref().map(|a| format!(": {a}")).unwrap_or_default();
    let text = format!(
        "{:<16}{}{adapter}\n{}",
        "backend",
        choice.backend,
        summary::check_text(&report, &a, b.as_ref())
    );
    output.write_all(text.as_bytes()).map_err(|source| Error::Write { path: "-".into(), source })?;
    output.commit()?;
    Ok(if report.disagreement_count() == 0 { Outcome::Answered } else { Outcome::Disagreement })
}
