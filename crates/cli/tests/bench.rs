//! Tests of `bench`: its output and its checks. No test depends on measured times.

use serde_json::Value;

use crate::folder::*;
#[cfg(feature = "gpu")]
use crate::waits::output_of;

/// The options of a run of `bench` that takes little time even without optimisation, and writes only files that the test names.
const SMALL: [&str; 8] =
    ["bench", "--scene", "boxes,near-touching", "--count", "1000", "--repeats", "2", "--no-files"];

fn small(more: &[&'static str]) -> Vec<&'static str> {
    [&SMALL[..], more].concat()
}

fn report(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&folder.read_text(name)).unwrap()
}

#[test]
fn a_report_names_the_machine_and_holds_every_figure_and_answer() {
    let folder = Folder::new();
    let run = folder.run(&small(&["--json", "report.json"])).answered();
    assert_eq!(run.err, "");
    let report = report(&folder, "report.json");
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    for field in ["cpu", "vectors", "system"] {
        assert!(!report["machine"][field].as_str().unwrap().is_empty(), "{field}");
    }
    let cores = report["machine"]["cores"].as_u64().unwrap();
    assert!(report["host_copy_bytes_per_second"].as_f64().unwrap() > 0.0);
    let git = ["-C", env!("CARGO_MANIFEST_DIR"), "rev-parse", "--short=12", "HEAD"];
    let head = std::process::Command::new("git").args(git).output().ok().filter(|head| head.status.success());
    let head = head.map_or("unknown".into(), |head| String::from_utf8(head.stdout).unwrap());
    assert!(report["commit"].as_str().unwrap().starts_with(head.trim()), "{}", report["commit"]);

    let rows = report["rows"].as_array().unwrap();
    let adapters = report["adapters"].as_array().unwrap();
    assert_eq!(adapters.is_empty(), cfg!(not(feature = "gpu")), "the tests need an adapter");
    let on_cpu = if cores == 1 { 1 } else { 2 };
    assert_eq!(rows.len(), 2 * (on_cpu + adapters.len()));
    for row in rows {
        assert_eq!(
            (&row["count"], &row["repeats"], &row["is_right"]),
            (&1000.into(), &2.into(), &true.into())
        );
        assert_eq!(row["answer"], row["expected"]);
        assert_eq!(row["expected_was_stored"], true);
        let stages = row["stages"].as_array().unwrap();
        let names: Vec<&str> = stages.iter().map(|stage| stage["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["set", "pack", "broad phase", "upload", "kernel", "readback", "exact", "collect"]);
        let ms =
            |figure: &Value| (figure["least_ms"].as_f64().unwrap(), figure["median_ms"].as_f64().unwrap());
        for figure in stages.iter().chain([&row["total"]]) {
            let (least, median) = ms(figure);
            assert!(0.0 <= least && least <= median, "{figure}");
        }
        assert_eq!(row["runs_ms"].as_array().unwrap().len(), 2);
        let rate = row["pairs_per_second"].as_f64().unwrap() * ms(&row["total"]).1 / 1e3;
        assert!((rate / row["answer"]["candidates"].as_f64().unwrap() - 1.0).abs() < 1e-9);
        // `to_hits` has the time from the candidate pairs to the hits. This time is not one of the stages above.
        let hits = &row["to_hits"];
        assert_eq!((&hits["answer"], &hits["is_right"]), (&row["expected"], &true.into()));
        assert_eq!(hits["runs_ms"].as_array().unwrap().len(), 2);
        let (least, median) = ms(&hits["time"]);
        assert!(0.0 < least && least <= median, "{hits}");
        let names: Vec<&str> =
            hits["stages"].as_array().unwrap().iter().map(|stage| stage["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["upload", "kernel", "readback", "exact", "collect"]);
        // Only an adapter has a kernel time by the clock of the device.
        for figure in [&row["kernel_on_device"], &hits["kernel_on_device"]] {
            assert!(figure.is_null() || (!row["adapter"].is_null() && ms(figure).0 > 0.0), "{figure}");
        }
        assert_eq!(row["kernel_least_bytes"].is_null(), row["adapter"].is_null());
        let rate = hits["pairs_per_second"].as_f64().unwrap() * median / 1e3;
        assert!((rate / row["answer"]["candidates"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    }
    let boxes = rows.iter().find(|row| row["scene"] == "boxes").unwrap();
    assert_eq!(
        (&boxes["answer"]["candidates"], &boxes["answer"]["overlapping"]),
        (&2022.into(), &1385.into())
    );
    // In each scene, every adapter is compared with all threads of the CPU.
    let break_even = report["break_even"].as_array().unwrap();
    assert_eq!(break_even.len(), 2 * adapters.len());

    // At these sizes, kernels have no bars. A hardware adapter has one bar, which is for its rate of hits in one of the
    // two scenes. In the other scene, pairs nearly touch, and the host decides most of them, so the rate has no bar.
    let hardware = adapters.iter().filter(|adapter| adapter["is_hardware"] == true).count();
    let bars = report["bars"].as_array().unwrap();
    assert_eq!(bars.len(), hardware, "{bars:?}");
    assert_eq!(run.out.matches("\n  no bar for gpu-").count(), hardware, "{}", run.out);
    assert_eq!(run.out.matches("\nBars: ").count(), usize::from(hardware > 0), "{}", run.out);

    // The table has one aligned line per row.
    let lines: Vec<&str> = run.out.lines().filter(|line| line.ends_with("  right")).collect();
    assert_eq!(lines.len(), rows.len(), "{}", run.out);
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{}", run.out);
}

#[test]
fn sizes_without_a_stored_answer_are_checked_by_exact_arithmetic() {
    let folder = Folder::new();
    let arguments =
        ["bench", "--scene", "crowd", "--count", "321", "--repeats", "1", "--backend", "cpu", "--no-files"];
    folder.run(&[&arguments[..], &["--json", "report.json"]].concat()).answered();
    assert_eq!(folder.names(), ["report.json"]);
    let report = report(&folder, "report.json");
    assert_eq!(report["rows"][0]["expected_was_stored"], false);
    assert_eq!(report["rows"][0]["is_right"], true);
    assert_eq!(report["adapters"].as_array().unwrap().len(), 0);
    // With `--json -`, the report replaces the table on standard output.
    let out = folder.run(&[&arguments[..], &["--json", "-"]].concat()).answered().out;
    assert_eq!(
        serde_json::from_str::<Value>(&out).unwrap()["rows"][0]["answer"],
        report["rows"][0]["answer"]
    );
}

#[test]
fn a_wrong_answer_is_exit_code_1_and_named() {
    let folder = Folder::new();
    folder.run(&["bench", "--scene", "boxes", "--count", "1000", "--write-expected", "own.csv"]).answered();
    let right = folder.read_text("own.csv");
    let arguments = small(&["--scene", "boxes", "--backend", "cpu", "--expected", "own.csv"]);
    folder.run(&arguments).answered();

    // Change a count and the hash.
    for (from, to) in [(",1385,", ",1384,"), ("2de4671a", "2de4671b")] {
        assert!(right.contains(from), "{right}");
        folder.write("own.csv", right.replace(from, to));
        let run = folder.run(&[&arguments[..], &["--json", "report.json", "--html", "report.html"]].concat());
        assert_eq!(run.code, Some(1), "{}", run.err);
        assert!(run.err.starts_with("failed: cpu-"), "{}", run.err);
        assert!(run.out.lines().any(|line| line.starts_with("boxes ") && line.ends_with("  WRONG")));
        // The run fails, but it still writes its files, which say that the answer is wrong.
        let report = report(&folder, "report.json");
        let wrong: Vec<_> =
            report["rows"].as_array().unwrap().iter().filter(|row| row["is_right"] == false).collect();
        assert!(!wrong.is_empty() && wrong.iter().all(|row| row["to_hits"]["is_right"] == false));
        assert!(run.err.contains(" the answer from pairs to hits is "), "{}", run.err);
        assert!(folder.read_text("report.html").contains("<tr class=\"wrong\">"));
    }
}

#[test]
fn the_page_needs_nothing_else_and_holds_the_plots() {
    let folder = Folder::new();
    folder.run(&small(&["--html", "report.html", "--json", "report.json"])).answered();
    let page = folder.read_text("report.html");
    let without_names = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    for reference in ["http:", "https:", "src=", "href=", "url(", "@import", "<script"] {
        assert!(!without_names.contains(reference), "{reference}");
    }
    // The page has two plots for each of the two scenes (stages and rates), a break-even plot for each adapter, and a
    // roofline for each adapter whose bandwidth was measured.
    let report = report(&folder, "report.json");
    let adapters = report["adapters"].as_array().unwrap();
    let rooflines = adapters.iter().filter(|a| !a["copy_bytes_per_second"].is_null()).count();
    assert_eq!(page.matches("<svg ").count(), 2 * 2 + adapters.len() + rooflines);
    assert_eq!(page.matches("</svg>").count(), page.matches("<svg ").count());
    for heading in ["Time by stage", "Candidate pairs a second", "Roofline", "All rows"] {
        assert!(page.contains(&format!("<h2>{heading}</h2>")), "{heading}");
    }
    assert!(page.contains("prefers-color-scheme:dark") && !page.contains("\"#000000\""));
    assert!(!page.contains("cannot be drawn"));
}

#[test]
fn figures_and_page_are_written_unless_refused_and_never_over_what_is_compared_with() {
    let folder = Folder::new();
    let arguments = ["bench", "--scene", "boxes", "--count", "300", "--repeats", "1", "--backend", "cpu"];
    let run = |more: &[&str]| folder.run(&[&arguments[..], more].concat()).answered();
    assert_eq!(run(&["--no-files"]).err, "");
    assert!(folder.names().is_empty());
    let err = run(&[]).err;
    assert_eq!(err, "wrote sat2d-bench.json and sat2d-bench.html\n");
    assert_eq!(folder.names(), ["sat2d-bench.html", "sat2d-bench.json"]);
    assert_eq!(report(&folder, "sat2d-bench.json")["rows"][0]["is_right"], true);
    assert!(folder.read_text("sat2d-bench.html").starts_with("<!DOCTYPE html>"));

    // If the user names only one of the two files, the other file has its default name.
    assert_eq!(run(&["--json", "own.json"]).err, "wrote sat2d-bench.html\n");
    assert_eq!(run(&["--html", "own.html"]).err, "wrote sat2d-bench.json\n");
    assert_eq!(folder.names(), ["own.html", "own.json", "sat2d-bench.html", "sat2d-bench.json"]);
    let same = folder.run(&[&arguments[..], &["--json", "sat2d-bench.html"]].concat()).error();
    assert!(same.contains("name another file"), "{same}");

    let before = folder.read("sat2d-bench.json");
    let err = run(&["--compare", "./sat2d-bench.json"]).err;
    assert!(err.starts_with("note: sat2d-bench.json is compared with and is not replaced; "), "{err}");
    assert!(err.ends_with("\nwrote sat2d-bench.html\n"), "{err}");
    assert_eq!(folder.read("sat2d-bench.json"), before);
    let compared = folder.run(&["bench", "--compare", "own.json", "sat2d-bench.json"]).answered();
    assert_eq!(compared.err, "");
}

#[test]
fn two_reports_are_compared_row_by_row() {
    let folder = Folder::new();
    folder.run(&small(&["--backend", "cpu", "--json", "new.json"])).answered();
    let new = report(&folder, "new.json");
    let mut old = new.clone();
    for row in old["rows"].as_array_mut().unwrap() {
        for time in ["median_ms", "least_ms"] {
            row["total"][time] = (row["total"][time].as_f64().unwrap() * 2.0).into();
        }
        row["to_hits"]["time"]["median_ms"] =
            (row["to_hits"]["time"]["median_ms"].as_f64().unwrap() * 3.0).into();
        let collect =
            row["stages"].as_array_mut().unwrap().iter_mut().find(|stage| stage["name"] == "collect");
        let collect = &mut collect.unwrap()["median_ms"];
        *collect = (collect.as_f64().unwrap() * 4.0).into();
    }
    folder.write("old.json", old.to_string());
    let run = folder.run(&["bench", "--compare", "old.json", "new.json"]).answered();
    let (_, stages) = run.out.split_once("\nStages, ").unwrap();
    let (stages, means) = stages.split_once("\nGeometric means over the sizes\n").unwrap();
    let of_contenders = |text: &str| text.lines().filter(|line| line.contains(" cpu-")).count();
    let count = new["rows"].as_array().unwrap().len();
    assert_eq!((of_contenders(stages), of_contenders(means)), (count, count), "{}", run.out);
    // Each row shows the stage that took four times as long as before, and a stage that took the same time as before.
    for row in stages.lines().filter(|line| line.contains(" cpu-")) {
        assert!(row.contains("  4.00") && row.contains("  1.00"), "{}", run.out);
    }
    let rows = run.out.lines().filter(|line| line.contains(" cpu-") && !stages.contains(line));
    let rows: Vec<&str> = rows.collect();
    assert_eq!(rows.len(), 2 * count, "a line a row, and a mean a scene and contender: {}", run.out);
    assert!(rows.iter().all(|row| row.contains("  2.00")), "{}", run.out);
    assert_eq!(rows.iter().filter(|row| row.ends_with("  3.00")).count(), count, "{}", run.out);
    assert!(!run.out.contains("note:"), "{}", run.out);

    // A report of an earlier version can be compared.
    let mut earlier = old.clone();
    earlier.as_object_mut().unwrap().remove("bars");
    for row in earlier["rows"].as_array_mut().unwrap() {
        row.as_object_mut().unwrap().remove("to_hits");
    }
    folder.write("earlier.json", earlier.to_string());
    let run = folder.run(&["bench", "--compare", "earlier.json", "new.json"]).answered();
    assert_eq!(run.out.lines().filter(|line| line.ends_with("  -")).count(), count, "{}", run.out);

    // The old report is from another machine, and has one row fewer.
    old["machine"]["cpu"] = "another".into();
    old["rows"].as_array_mut().unwrap().pop();
    folder.write("old.json", old.to_string());
    let run = folder.run(&["bench", "--compare", "old.json", "new.json"]).answered();
    assert!(run.out.contains("note: the machines differ"), "{}", run.out);
    assert!(run.out.contains("note: 1 rows of the new report have no counterpart"), "{}", run.out);

    // If only one file is given, the other report is measured.
    let run = folder.run(&small(&["--backend", "cpu", "--compare", "new.json"])).answered();
    assert!(run.out.contains("\nGeometric means over the sizes\n"), "{}", run.out);
}

#[test]
fn mistakes_are_told_in_a_line_before_anything_is_measured() {
    let folder = Folder::new();
    folder.write("bad.json", "{\"format\": 1}");
    for (arguments, said) in [
        (&["bench", "--compare", "bad.json"][..], "bad.json, line 1, "),
        (&["bench", "--compare", "none.json"], "cannot read none.json"),
        (&["bench", "--json", "none/report.json"], "cannot write none/report.json"),
        (&["bench", "--json", "same", "--html", "./same"], "name another file"),
        (&["bench", "--expected", "bad.json"], "bad.json, line 1, "),
    ] {
        let error = folder.run(arguments).error();
        assert!(error.contains(said), "{error}");
    }
    for arguments in [["bench", "--count", "0"], ["bench", "--scene", "cubes"], ["bench", "--repeats", "0"]] {
        assert_eq!(folder.run(&arguments).code, Some(2));
    }
    let help = folder.run(&["bench", "--help"]).answered().out;
    assert!(help.contains("Examples:\n  sat2d bench --quick\n") && help.contains("--compare"), "{help}");
}

#[test]
fn what_there_is_no_time_for_is_listed() {
    let folder = Folder::new();
    let arguments =
        ["bench", "--scene", "boxes", "--count", "1000,100000000", "--backend", "cpu", "--no-files"];
    let run = folder.run(&[&arguments[..], &["--repeats", "3", "--budget", "3"]].concat()).answered();
    assert!(run.out.contains("\nLeft out\n  cpu-"), "{}", run.out);
    assert!(run.out.contains("boxes, 100,000,000 polygons: would take "), "{}", run.out);
}

#[test]
fn worlds_are_stepped_on_every_backend_and_what_they_hold_is_checked() {
    let folder = Folder::new();
    let arguments = ["bench", "--worlds", "--count", "300", "--threads", "1", "--json", "worlds.json"];
    let run = folder.run(&arguments).answered();
    let report = report(&folder, "worlds.json");
    let rows = report["rows"].as_array().unwrap();
    let names: Vec<[&str; 2]> =
        rows.iter().map(|row| ["world", "contender"].map(|field| row[field].as_str().unwrap())).collect();
    let cpu = names[0][1];
    let expected: &[_] = if cfg!(feature = "gpu") {
        &[["heap", cpu], ["heap", "gpu"], ["particles", cpu], ["particles", "gpu"]]
    } else {
        &[["heap", cpu], ["particles", cpu]]
    };
    assert_eq!(names, expected, "{}", run.out);
    for row in rows {
        assert_eq!((&row["bodies"], &row["wrong"]), (&300.into(), &Value::Null));
        // The bodies lie on each other.
        assert!(row["contacts"].as_u64().unwrap() > 300, "{row}");
        assert!(row["candidates"].as_u64().unwrap() >= row["contacts"].as_u64().unwrap());
        assert_eq!(row["run_ms"].as_array().unwrap().len(), 5);
        assert_eq!(row["device_bytes"].as_u64().unwrap() > 0, row["contender"] == "gpu");
    }
    // Scenes of a million bodies run only on hardware.
    assert_eq!(report["bars"].as_array().unwrap().len(), 0);
    for alone in [&["--worlds", "--quick"], &["--settle", "5"], &["--run-steps", "5"]] as [&[&str]; 3] {
        assert_eq!(folder.run(&[&["bench"], alone].concat()).code, Some(2));
    }
    let large = |count: &str| {
        folder.run(&["bench", "--worlds", "--count", count, "--backend", "cpu", "--budget", "3"])
    };
    assert!(large("10,10000000").answered().out.contains("10,000,000 of heap: would take "));
    assert!(large("10,10000001").error().contains("--count = 10000001: is not in 1..=10000000 "));
}

#[test]
fn worlds_take_as_many_steps_as_are_named() {
    let folder = Folder::new();
    let arguments = ["bench", "--worlds", "--count", "200", "--threads", "1", "--backend", "cpu"];
    let steps = ["--settle", "3", "--run-steps", "2", "--json", "worlds.json"];
    let run = folder.run(&[&arguments[..], &steps].concat()).answered();
    assert!(run.out.contains("median of 5 runs of 2 steps, after 3 untimed steps"), "{}", run.out);
    let report = report(&folder, "worlds.json");
    assert_eq!((&report["first_steps"], &report["timed_steps"]), (&3.into(), &10.into()));
    // The bodies fall, and have not come to rest.
    assert!(report["rows"].as_array().unwrap().iter().all(|row| row["wrong"].is_null()));
}

#[cfg(all(target_os = "linux", feature = "gpu"))]
#[test]
fn it_works_without_an_adapter() {
    let folder = Folder::new();
    let run = |backend: &str| {
        let mut command = folder.command(&small(&["--quick"]));
        command.args(["--backend", backend]);
        command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
        Run::of(output_of(command))
    };
    let all = run("all").answered();
    assert!(all.out.contains("  no adapter was found\n") && !all.out.contains("gpu-0"), "{}", all.out);
    assert!(run("gpu").error().contains("no GPU adapter"));
    let worlds = |backend: &str| {
        let mut command = folder.command(&["bench", "--worlds", "--count", "50", "--backend", backend]);
        command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
        Run::of(output_of(command))
    };
    assert!(worlds("all").answered().out.contains("  no adapter was found\n"));
    assert!(worlds("gpu").error().contains("no GPU adapter"));
}
