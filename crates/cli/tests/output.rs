//! Tests the targets of output: a file is written completely or not at all, and a pipe that its reader closes causes no
//! message.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc::channel;

use crate::folder::*;
use crate::waits::{output_of_child, wait_until};

#[test]
fn a_file_is_replaced_when_whole() {
    let folder = Folder::with_squares();
    folder.write(
        "pairs.csv",
        "a longer text than the answer, to be replaced by it, wholly and not in part ......",
    );
    assert_eq!(folder.join(&["squares.geojson", "-o", "pairs.csv"]), "");
    assert_eq!(folder.read_text("pairs.csv"), SQUARES_CSV);
    assert_eq!(folder.names(), ["pairs.csv", "squares.geojson"]);
}

#[test]
fn a_failure_leaves_every_file_as_it_was() {
    let folder = Folder::with_squares();
    let old: [(&str, &[u8]); 3] =
        [("pairs.csv", b"old\xff"), ("stats.json", b"{}"), ("picture.svg", b"<svg/>")];
    for (name, text) in old {
        folder.write(name, text);
    }
    let broken = squares().replace("[9,0]", "[NaN,0]");
    let invalid = squares().replace("[9,0]", "[9,4]");
    for input in [broken, invalid] {
        folder.write("in.geojson", input);
        let arguments =
            ["join", "in.geojson", "-o", "pairs.csv", "--stats", "stats.json", "--svg", "picture.svg"];
        folder.run(&arguments).error();
        for (name, text) in old {
            assert_eq!(folder.read(name), text, "{name}");
        }
        assert_eq!(
            folder.names(),
            ["in.geojson", "pairs.csv", "picture.svg", "squares.geojson", "stats.json"]
        );
    }
}

#[test]
fn one_output_that_cannot_be_written_means_no_answer() {
    let folder = Folder::with_squares();
    for option in ["--stats", "--svg"] {
        let error = folder.run(&["join", "squares.geojson", "-o", "pairs.csv", option, "none/file"]).error();
        assert!(error.starts_with("Error: cannot write none/file: "), "{error}");
        #[cfg(target_os = "linux")]
        {
            let error =
                folder.run(&["join", "squares.geojson", "-o", "pairs.csv", option, "/dev/full"]).error();
            assert!(error.starts_with("Error: cannot write /dev/full: "), "{error}");
        }
        assert_eq!(folder.names(), ["squares.geojson"]);
    }
}

#[test]
fn outputs_are_opened_before_inputs_are_read() {
    let folder = Folder::new();
    folder.write("file", "");
    for option in ["-o", "--stats", "--svg"] {
        for path in ["none/file", "file/below", "."] {
            let error = folder.run(&["join", "missing.geojson", option, path]).error();
            assert!(error.starts_with(&format!("Error: cannot write {path}: ")), "{error}");
        }
    }
    let error = folder.run(&["gen", "--scene", "boxes", "--count", "100000000", "-o", "none/file"]).error();
    assert!(error.starts_with("Error: cannot write none/file: the folder does not exist"), "{error}");
    assert_eq!(folder.names(), ["file"]);
}

#[test]
fn two_outputs_or_an_output_and_an_input_are_not_one_file() {
    let folder = Folder::with_squares();
    folder.write("old", "");
    for outputs in [
        ["-o", "new", "--stats", "./new"],
        ["-o", "old", "--svg", "old"],
        ["--stats", "-", "--svg", "old"],
        ["-o", "./squares.geojson", "--svg", "new"],
    ] {
        let error = folder.run(&[&["join", "squares.geojson"][..], &outputs].concat()).error();
        assert!(error.contains("is an input or another output of this run"), "{error}");
    }
    assert_eq!(folder.read_text("squares.geojson"), squares());
    assert_eq!(folder.names(), ["old", "squares.geojson"]);
}

#[test]
#[cfg(unix)]
fn a_link_to_a_file_that_is_yet_to_be_made_is_that_file() {
    let folder = Folder::with_squares();
    std::os::unix::fs::symlink("new", folder.path("link")).unwrap();
    for outputs in [["-o", "link", "--stats", "new"], ["-o", "./new", "--svg", "link"]] {
        let error = folder.run(&[&["join", "squares.geojson"][..], &outputs].concat()).error();
        assert!(error.contains("is an input or another output of this run"), "{error}");
    }
    assert_eq!(folder.names(), ["link", "squares.geojson"]);
    folder.join(&["squares.geojson", "-o", "link"]);
    assert_eq!(folder.read_text("new"), SQUARES_CSV);
    assert!(folder.path("link").is_symlink());
}

#[test]
fn statistics_may_go_to_standard_output_where_pairs_do_not() {
    let folder = Folder::with_squares();
    let statistics = folder.join(&["squares.geojson", "-o", "pairs.csv", "--stats", "-"]);
    assert!(serde_json::from_str::<serde_json::Value>(&statistics).is_ok(), "{statistics}");
    assert_eq!(folder.read_text("pairs.csv"), SQUARES_CSV);
}

/// Runs a command, and closes its output pipe after the first line. Returns this line and the result of the run.
fn read_one_line(folder: &Folder, arguments: &[&str]) -> (String, Run) {
    let mut child = folder.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (sender, receiver) = channel();
    let output = child.stdout.take().unwrap();
    std::thread::spawn(move || {
        let (mut reader, mut line) = (BufReader::with_capacity(16, output), String::new());
        reader.read_line(&mut line).unwrap();
        sender.send(line).unwrap();
    });
    let mut line = None;
    wait_until(&mut child, "a line", || {
        line = receiver.try_recv().ok();
        line.is_some()
    });
    (line.unwrap(), Run::of(output_of_child(&mut child)))
}

#[test]
fn a_pipe_that_closes_ends_the_run_quietly() {
    let folder = Folder::new();
    let generate = ["gen", "--scene", "boxes", "--count", "30000"];
    let (line, run) = read_one_line(&folder, &generate);
    assert_eq!(line, "{\"type\":\"FeatureCollection\",\"features\":[\n");
    assert_eq!(run.answered().err, "");

    folder.run(&[&generate[..], &["-o", "in.geojson"]].concat()).answered();
    assert!(folder.join(&["in.geojson"]).len() > 500_000, "more than a pipe holds");
    for format in ["csv", "jsonl", "geojson"] {
        let arguments = ["join", "in.geojson", "--format", format, "--stats", "stats.json"];
        let (line, run) = read_one_line(&folder, &arguments);
        let starts = ["a,b,relation\n", "{\"a\":", "{\"type\":\"FeatureCollection\""];
        assert!(starts.iter().any(|start| line.starts_with(start)), "{line}");
        assert_eq!(run.answered().err, "");
        let statistics: serde_json::Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
        assert!(statistics["pairs"]["written"].as_u64().unwrap() > 30_000);
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::*;
    use std::fs::File;
    use std::process::{Command, Output};

    use crate::waits::{end_of, output_of};

    fn full() -> Stdio {
        File::options().write(true).open("/dev/full").unwrap().into()
    }

    #[track_caller]
    fn output_to_full_disk(mut command: Command) -> Output {
        command.stdin(Stdio::null()).stdout(full()).stderr(Stdio::piped());
        output_of_child(&mut command.spawn().unwrap())
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let folder = Folder::with_squares();
        for arguments in [
            &["join", "squares.geojson", "--backend", "cpu"][..],
            &["join", "squares.geojson", "--backend", "cpu", "--format", "jsonl"],
            &["join", "squares.geojson", "--backend", "cpu", "--format", "geojson"],
            #[cfg(feature = "parquet")]
            &["join", "squares.geojson", "--backend", "cpu", "--format", "parquet"],
            #[cfg(feature = "arrow")]
            &["join", "squares.geojson", "--backend", "cpu", "--format", "arrow"],
            &["check", "squares.geojson", "--backend", "cpu"],
            &["info"],
            &["gen", "--scene", "boxes", "--count", "10"],
        ] {
            let run = Run::of(output_to_full_disk(folder.command(arguments)));
            let error = run.error();
            assert!(error.starts_with("Error: cannot write standard output: No space left"), "{error}");
        }
        for arguments in [
            &["join", "squares.geojson", "-o", "/dev/full"][..],
            &["gen", "--scene", "boxes", "--count", "10", "-o", "/dev/full"],
        ] {
            let error = folder.run(arguments).error();
            assert!(error.starts_with("Error: cannot write /dev/full: No space left"), "{error}");
        }
    }

    #[test]
    fn a_disk_that_fills_up_leaves_the_old_file() {
        let folder = Folder::new();
        folder.write("old", "old");
        for name in ["old", "new", "new.gz"] {
            // At the limit, a write to a file fails as on a full disk.
            let mut limited = Command::new("sh");
            limited.args(["-c", "ulimit -f 1 && exec \"$0\" \"$@\""]);
            let generate = folder.command(&["gen", "--scene", "boxes", "--count", "5000", "-o", name]);
            limited.arg(generate.get_program()).args(generate.get_args());
            limited.current_dir(folder.path("."));
            let error = Run::of(output_of(limited)).error();
            assert!(error.starts_with(&format!("Error: cannot write {name}: File too large")), "{error}");
            assert!(!error.contains(".partial"), "{error}");
            assert_eq!(folder.names(), ["old"]);
            assert_eq!(folder.read_text("old"), "old");
        }
    }

    #[test]
    fn a_full_standard_error_stops_nothing() {
        let folder = Folder::with_squares();
        let run = |arguments: &[&str]| {
            let mut command = folder.command(arguments);
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(full());
            output_of_child(&mut command.spawn().unwrap())
        };
        let output = run(&["join", "squares.geojson", "--backend", "cpu"]);
        assert_eq!((output.status.code(), output.stdout), (Some(0), SQUARES_CSV.into()));
        assert_eq!(run(&["join", "missing.geojson"]).status.code(), Some(2));
    }

    #[test]
    fn a_signal_leaves_no_temporary_file() {
        use std::os::unix::process::ExitStatusExt;
        let folder = Folder::new();
        folder.write("pairs.csv", "old");
        for (name, number) in [("HUP", 1), ("INT", 2), ("TERM", 15)] {
            let arguments = ["join", "-", "-o", "pairs.csv", "--stats", "stats.json"];
            let join = folder.command(&arguments);
            // The caller of the tests may ignore some signals, as `nohup` does.
            let mut command = Command::new("env");
            command.arg("--default-signal=HUP,INT,TERM").arg(join.get_program()).args(join.get_args());
            command.current_dir(folder.path("."));
            let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
            // From here on, the program waits for its input, and its outputs are open.
            wait_until(&mut child, "its outputs", || folder.names().len() >= 3);
            let kill = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
            assert!(kill.success());
            assert_eq!(end_of(&mut child).signal(), Some(number));
            assert_eq!(folder.names(), ["pairs.csv"]);
            assert_eq!(folder.read_text("pairs.csv"), "old");
        }
    }

    #[test]
    fn a_signal_that_is_ignored_ends_nothing() {
        let folder = Folder::with_squares();
        // The shell ignores the signal, as `nohup` does.
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' HUP && exec \"$0\" \"$@\""]);
        let join = folder.command(&["join", "-", "-o", "pairs.csv", "--backend", "cpu"]);
        command.arg(join.get_program()).args(join.get_args()).current_dir(folder.path("."));
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        wait_until(&mut child, "its output", || folder.names().len() >= 2);
        let kill = Command::new("kill").args(["-s", "HUP", &child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), squares().as_bytes()).unwrap();
        assert_eq!(end_of(&mut child).code(), Some(0));
        assert_eq!(folder.read_text("pairs.csv"), SQUARES_CSV);
    }
}
