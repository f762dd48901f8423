//! The arguments of the program, and the run of a subcommand.

use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{CommandFactory, Parser, Subcommand};

use sat2d::{Backend, CheckReport};

use crate::{
    bench, check, completions, explain, generate, info, join, man, schema, signals, sim, terminal, usage,
};

pub(crate) const EXAMPLES: &str = "\
Examples:
  sat2d join data/us-counties.geojson.gz --skip-invalid -o pairs.csv
  sat2d join trees.geojson parcels.geojson --relation inside
  sat2d join gardens.geojson trees.geojson --count -o trees_of.csv
  sat2d join parcels.geojson floods.geojson --relation overlapping --id parcel_no
  sat2d join pylons.geojson --within 2.5 --with penetration,distance -o near.csv
  sat2d join buildings.geojson parcels.geojson --with area --keep largest -o parcel_of.csv
  sat2d join stops.geojson parks.geojson --nearest 3 --within 500 -o parks_of.csv
  sat2d join parts.geojson --with manifold -o contacts.geojson
  zcat tiles.ndjson.gz | sat2d join - --format jsonl | head
  sat2d gen --scene crowd --count 100000 --seed 1 -o crowd.geojson && sat2d check crowd.geojson
  sat2d sim --scene funnel --bodies 5000 --steps 900 -o funnel.gif

Exit codes: 0 answered, 1 a cross-check found a disagreement, 2 error.";

/// Find which 2D polygons overlap or touch, exactly, on CPU and GPU.
#[derive(Debug, Parser)]
#[command(name = "sat2d", version, after_help = EXAMPLES, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Join(join::Arguments),
    Explain(explain::Arguments),
    Check(check::Arguments),
    Info(info::Arguments),
    Gen(generate::Arguments),
    Bench(bench::Arguments),
    Sim(sim::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
    Schema(schema::Arguments),
}

/// The names of the subcommands. Each has a manual page.
pub(crate) const SUBCOMMANDS: [&str; 10] =
    ["join", "explain", "check", "info", "gen", "bench", "sim", "completions", "man", "schema"];

/// Returns the definition of the arguments, from which help texts, manual pages and completions are made.
pub(crate) fn program() -> clap::Command {
    Arguments::command()
}

/// The outcome of a run without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Answered,
    Disagreement,
}

impl Outcome {
    pub(crate) fn of(report: &CheckReport) -> Self {
        if report.disagreement_count() == 0 { Self::Answered } else { Self::Disagreement }
    }
}

/// Parses the arguments of the process, runs the subcommand, and reports an error in one line.
///
/// If `output_is_closed` is set, any data for standard output is an error. The caller passes the flag, because the
/// standard library opens `/dev/null` instead of a closed standard output before `main`.
#[must_use]
pub(crate) fn run(output_is_closed: bool) -> ExitCode {
    if output_is_closed {
        sat2d_io::internal::close_standard_output();
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // The help and the version go to standard output.
        Err(help) if output_is_closed && !help.use_stderr() => {
            return ExitCode::from(terminal::exit_code(terminal::check_output().map(|()| Outcome::Answered)));
        }
        Err(error) => return usage::report(&error),
    };
    signals::clean_up_on_signals();
    let result = match arguments.command {
        Command::Join(arguments) => join::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Gen(arguments) => generate::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Sim(arguments) => sim::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
    };
    ExitCode::from(terminal::exit_code(result))
}

/// Returns a parser for the names of the backends.
pub(crate) fn backend_parser() -> impl TypedValueParser<Value = Backend> {
    let names = [Backend::name(Backend::Auto), Backend::name(Backend::Cpu), Backend::name(Backend::Gpu)];
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Backend>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subcommand_has_a_manual_page() {
        let program = program();
        let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
        assert_eq!(names, SUBCOMMANDS);
    }
}
