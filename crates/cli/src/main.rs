//! The command line of `sat2d`, with one file or folder for each subcommand. Data goes to standard output or to a file.
//! Everything else goes to standard error.
//!
//! Exit codes: 0 for an answer, 1 if a cross-check found a disagreement, 2 for an error.

mod answer;
mod areas;
mod backend;
mod bench;
mod check;
mod commands;
mod completions;
mod contents;
mod error;
mod estimate;
mod explain;
mod generate;
mod info;
mod input;
mod join;
mod man;
mod measure;
mod memory;
mod nearest;
mod outputs;
mod pair_lists;
mod picture;
mod points;
mod progress;
mod schema;
mod signals;
mod sim;
mod start;
mod statistics;
mod summary;
mod terminal;
mod threads;
mod times;
mod usage;

use std::process::ExitCode;

use commands::{Outcome, backend_parser};
use threads::{Threads, use_threads};

#[global_allocator]
static ALLOCATOR: memory::Allocator = memory::Allocator;

fn main() -> ExitCode {
    let output_was_closed = start::output_was_closed();
    start::without_a_desktop();
    start::without_panics_of_decoders();
    commands::run(output_was_closed)
}
