//! The command line of `sat2d`.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: sat2d::cli::Allocator = sat2d::cli::Allocator;

fn main() -> ExitCode {
    sat2d::cli::run()
}
