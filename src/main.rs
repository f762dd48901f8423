//! The command line of `sat2d`.

use std::process::ExitCode;

fn main() -> ExitCode {
    sat2d::cli::run()
}
