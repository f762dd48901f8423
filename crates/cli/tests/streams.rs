//! Tests with standard streams that are closed or not writable.

#![cfg(unix)]

use std::process::Command;

use crate::folder::*;
use crate::waits::output_of;

/// Runs a command through a shell. `how` has the redirections of the standard streams, in the syntax of the shell.
fn with_streams(folder: &Folder, arguments: &[&str], how: &str) -> Run {
    let command = folder.command(arguments);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec \"$0\" \"$@\" {how}")]);
    shell.arg(command.get_program()).args(command.get_args()).current_dir(folder.path("."));
    Run::of(output_of(shell))
}

const WRITERS: [&[&str]; 12] = [
    &["join", "squares.geojson", "--backend", "cpu"],
    &["join", "squares.geojson", "--backend", "cpu", "--format", "jsonl"],
    &["join", "squares.geojson", "--backend", "cpu", "-o", "-"],
    &["join", "squares.geojson", "--backend", "cpu", "-o", "new.csv", "--stats", "-"],
    &["check", "squares.geojson", "--backend", "cpu"],
    &["explain", "squares.geojson", "--pair", "left", "middle"],
    &["gen", "--scene", "boxes", "--count", "10"],
    &["info"],
    &["sim", "--scene", "pile", "--bodies", "10", "--steps", "2", "--backend", "cpu"],
    &["completions", "bash"],
    &["man", "join"],
    &["schema", "stats"],
];

#[test]
fn a_closed_standard_output_is_an_error() {
    let folder = Folder::with_squares();
    for arguments in WRITERS {
        let error = with_streams(&folder, arguments, ">&-").error();
        assert_eq!(
            error, "Error: cannot write standard output: it is closed; redirect it, or name a file",
            "{arguments:?}"
        );
    }
    assert_eq!(folder.names(), ["squares.geojson"]);
    for arguments in [&["--version"][..], &["--help"], &["join", "--help"]] {
        let error = with_streams(&folder, arguments, ">&-").error();
        assert!(error.starts_with("Error: cannot write standard output: it is closed"), "{error}");
    }
}

#[test]
fn a_standard_output_for_reading_alone_is_an_error() {
    let folder = Folder::with_squares();
    for arguments in WRITERS {
        let error = with_streams(&folder, arguments, "1</dev/null").error();
        assert!(error.starts_with("Error: cannot write standard output: "), "{arguments:?}: {error}");
    }
    assert_eq!(folder.names(), ["squares.geojson"]);
}

#[test]
fn a_closed_standard_output_that_is_not_written_to_is_none() {
    let folder = Folder::with_squares();
    for how in [">&-", ">&- 2>&-", ">&- <&-", ">/dev/null", "1<>/dev/null"] {
        let run =
            with_streams(&folder, &["join", "squares.geojson", "--backend", "cpu", "-o", "pairs.csv"], how);
        assert_eq!(run.code, Some(0), "{how}: {}", run.err);
        assert_eq!(folder.read_text("pairs.csv"), SQUARES_CSV);
        std::fs::remove_file(folder.path("pairs.csv")).unwrap();
    }
    // Output to `/dev/null` is no error, because a user may want to discard the output.
    for how in [">/dev/null", "1<>/dev/null"] {
        let run = with_streams(&folder, &["join", "squares.geojson", "--backend", "cpu"], how);
        assert_eq!(run.code, Some(0), "{how}: {}", run.err);
    }
    assert_eq!(with_streams(&folder, &["join", "squares.geojson"], ">&- 2>&-").code, Some(2));
}

#[test]
fn a_closed_standard_input_is_an_empty_one() {
    let folder = Folder::with_squares();
    let error = with_streams(&folder, &["join", "-"], "<&-").error();
    assert!(error.starts_with("Error: standard input"), "{error}");
    let run = with_streams(&folder, &["join", "squares.geojson", "--backend", "cpu", "-q"], "<&-").answered();
    assert_eq!(run.out, SQUARES_CSV);
}
