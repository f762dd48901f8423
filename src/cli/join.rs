use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::input::{InputArguments, Side};
use super::progress::Bar;
use super::statistics::Statistics;
use super::{Outcome, picture, summary};
use crate::engine::{Backend, Engine};
use crate::error::Result;
use crate::io::{CsvWriter, Id, JsonLinesWriter, Output};
use crate::join::{JoinOptions, Keep};
use crate::results::Join;

/// Find every pair of polygons that meet, in one file or between two.
///
/// Writes a line a pair, sorted by the features' places in their files: the ids of both and their relation, which is
/// `overlapping` (the interiors meet) or `touching` (common points, but no common interior). The answer is exact on
/// the coordinates as given, which are taken as planar.
#[derive(Args, Debug)]
#[command(after_help = super::EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// Which pairs to write.
    #[arg(long, value_enum, default_value_t = RelationArgument::Meeting)]
    relation: RelationArgument,
    /// Where to decide them.
    #[arg(long, default_value_t = Backend::Auto, value_parser = clap::value_parser!(Backend), value_name = "auto|cpu|gpu")]
    backend: Backend,
    /// Write to FILE, whole or not at all, instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How to write pairs.
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    format: Format,
    /// Decide every candidate pair a second time, by exact arithmetic alone; a disagreement is exit code 1.
    #[arg(long)]
    verify: bool,
    /// Write counts and seconds by stage to FILE, as JSON.
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// Draw the polygons and the pairs found to FILE, as SVG; for a few thousand polygons.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// No summary on standard error.
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RelationArgument {
    /// Interiors meet.
    Overlapping,
    /// Common points, but no common interior.
    Touching,
    /// Either.
    Meeting,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// `a,b,relation`, with a header.
    Csv,
    /// A JSON object a line.
    Jsonl,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let start = Instant::now();
    let bar = Bar::new();
    let (a, b) = arguments.input.read(&bar)?;
    bar.message("starting the backend".into());
    let engine = Engine::new(arguments.backend)?;
    let keep = match arguments.relation {
        RelationArgument::Overlapping => Keep::Overlapping,
        RelationArgument::Touching => Keep::Touching,
        RelationArgument::Meeting => Keep::Meeting,
    };
    let options =
        JoinOptions { keep, check: arguments.verify, progress: Some(&bar), ..JoinOptions::default() };
    let join = match &b {
        None => engine.self_join(&a.set, &options)?,
        Some(b) => engine.join(&a.set, &b.set, &options)?,
    };
    bar.message("writing".into());
    let write_start = Instant::now();
    // The answer comes last: where another file cannot be written, there is none.
    if let Some(path) = &arguments.svg {
        picture::write(path, &a.set, b.as_ref().map(|b| &b.set), &join.pairs)?;
    }
    let mut write_time = Duration::ZERO;
    let statistics =
        |write_time| Statistics::new(&engine, &a, b.as_ref(), &join, start.elapsed(), write_time);
    if arguments.output.is_some() {
        write_pairs(arguments, &a, b.as_ref(), &join)?;
        write_time = write_start.elapsed();
    }
    if let Some(path) = &arguments.stats
        && arguments.output.is_some()
    {
        statistics(write_time).write(path)?;
    }
    drop(bar);
    if arguments.output.is_none() {
        write_pairs(arguments, &a, b.as_ref(), &join)?;
        if let Some(path) = &arguments.stats {
            statistics(write_start.elapsed()).write(path)?;
        }
    }
    if !arguments.quiet {
        summary::print(&engine, &a, b.as_ref(), &join, start.elapsed());
    }
    Ok(summary::report_check(join.check.as_ref(), &a, b.as_ref()))
}

fn write_pairs(arguments: &Arguments, a: &Side, b: Option<&Side>, join: &Join) -> Result<()> {
    let output = Output::create(arguments.output.as_deref())?;
    let (ids_a, ids_b) = (&a.features.ids, &b.unwrap_or(a).features.ids);
    let rows = join.pairs.iter().map(|p| (&ids_a[p.a as usize], &ids_b[p.b as usize], p.relation));
    match arguments.format {
        Format::Csv => {
            let mut writer = CsvWriter::new(output)?;
            rows.into_iter().try_for_each(|(a, b, relation): (&Id, &Id, _)| writer.write(a, b, relation))?;
            writer.finish()
        }
        Format::Jsonl => {
            let mut writer = JsonLinesWriter::new(output);
            rows.into_iter().try_for_each(|(a, b, relation): (&Id, &Id, _)| writer.write(a, b, relation))?;
            writer.finish()
        }
    }
}
