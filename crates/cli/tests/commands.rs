//! Tests of `check`, `info`, `gen`, and of the help and version of the program.

use crate::folder::*;
#[cfg(feature = "gpu")]
use crate::waits::output_of;

#[test]
fn check_reports_and_agrees() {
    let folder = Folder::with_squares();
    let run = folder.run(&["check", "squares.geojson", "--backend", "cpu", "--threads", "2"]).answered();
    assert_eq!(run.err, "");
    assert_eq!(
        run.out,
        "objects         4\n\
         pieces          4\n\
         backend         cpu: 2 threads (requested)\n\
         pairs checked   2\n\
         agreements      2\n\
         uncertain       1\n\
         disagreements   0\n"
    );
}

#[test]
fn check_takes_the_real_and_the_generated_on_every_backend() {
    let folder = Folder::new();
    folder.run(&["gen", "--scene", "near-touching", "--count", "2000", "-o", "near.geojson"]).answered();
    for backend in BACKENDS {
        let near = folder.run(&["check", "near.geojson", "--backend", backend]).answered().out;
        assert!(near.contains("\npairs checked   953\nagreements      953\n"), "{near}");
        let counties =
            folder.run(&["check", COUNTIES, "--skip-invalid", "--backend", backend]).answered().out;
        assert!(counties.contains("\ndisagreements   0\n"), "{counties}");
        assert!(counties.contains("5 invalid features skipped"), "{counties}");
    }
    let two = folder.run(&["check", "near.geojson", "near.geojson", "--backend", "cpu"]).answered().out;
    assert!(two.starts_with("objects         2,000 and 2,000\n"), "{two}");
}

#[test]
#[cfg(feature = "gpu")]
fn the_start_of_a_gpu_is_a_stage_of_the_summary() {
    let folder = Folder::with_squares();
    let run = folder.run(&["join", "squares.geojson", "--backend", "gpu"]).answered();
    assert!(run.err.contains("\nstages          start the backend "), "{}", run.err);
}

#[test]
fn info_says_what_auto_would_choose() {
    let info = Folder::new().run(&["info"]).answered();
    assert_eq!(info.err, "");
    for start in ["sat2d           0.", "cpu  ", "adapter", "auto            "] {
        assert!(info.out.lines().any(|line| line.starts_with(start)), "{start}: {}", info.out);
    }
    assert!(info.out.lines().last().unwrap().contains(": "), "it says why: {}", info.out);
}

#[cfg(all(target_os = "linux", feature = "gpu"))]
mod without_adapter {
    use super::*;

    /// Runs a command for which the Vulkan loader finds no driver.
    fn run(folder: &Folder, arguments: &[&str]) -> Run {
        let mut command = folder.command(arguments);
        command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
        Run::of(output_of(command))
    }

    #[test]
    fn gpu_is_an_error_with_advice_before_anything_is_read() {
        let folder = Folder::with_squares();
        for arguments in [
            ["join", "squares.geojson", "--backend", "gpu"],
            ["check", "squares.geojson", "--backend", "gpu"],
            ["join", "missing.geojson", "--backend", "gpu"],
        ] {
            let error = run(&folder, &arguments).error();
            assert!(error.starts_with("Error: no GPU adapter"), "{error}");
            assert!(error.contains("mesa-vulkan-drivers") && error.contains("CPU backend"), "{error}");
        }
    }

    #[test]
    fn auto_falls_to_the_cpu_and_says_so() {
        let folder = Folder::with_squares();
        let join = run(&folder, &["join", "squares.geojson"]).answered();
        assert_eq!(join.out, SQUARES_CSV);
        assert!(join.err.contains("(fewer than 10,000 vertices, too few for a GPU)\n"), "{}", join.err);
        run(&folder, &["gen", "--scene", "boxes", "--count", "2500", "-o", "many.geojson"]).answered();
        let many = run(&folder, &["join", "many.geojson", "-o", "pairs.csv"]).answered();
        assert!(many.err.contains("(fewer than about 1,000,000 candidate pairs, too few"), "{}", many.err);
        // All boxes are so near each other that they form 3 million pairs.
        let near = ["join", "many.geojson", "--within", "1e9", "--count", "-o", "counts.csv"];
        let many = run(&folder, &near).answered();
        assert!(many.err.contains("(no hardware GPU adapter was found)\n"), "{}", many.err);
        let counties = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/us-counties.geojson.gz");
        let counties = ["join", counties, "--skip-invalid", "-o", "pairs.csv"];
        let maps = run(&folder, &counties).answered();
        assert!(maps.err.contains("(the CPU compares large polygons by their edges"), "{}", maps.err);
        let measured = run(&folder, &[&counties[..], &["--with", "penetration"]].concat()).answered();
        assert!(measured.err.contains("(fewer than about 1,000,000 candidate pairs"), "{}", measured.err);
        let info = run(&folder, &["info"]).answered().out;
        assert!(info.contains("\nadapters        none (") && info.contains("mesa-vulkan-drivers"), "{info}");
        assert!(info.ends_with("auto            cpu: no hardware GPU adapter was found\n"), "{info}");
    }
}

const SCENES: [&str; 6] = ["boxes", "ngons", "big-ngons", "crowd", "clustered", "near-touching"];

#[test]
fn gen_writes_each_scene_the_same_each_time() {
    let folder = Folder::new();
    for scene in SCENES {
        let generate = |seed: &str, more: &[&str]| {
            let arguments = ["gen", "--scene", scene, "--count", "301", "--seed", seed];
            folder.run(&[&arguments[..], more].concat()).answered()
        };
        let run = generate("5", &[]);
        assert_eq!(run.err, "");
        let value: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(value["features"].as_array().unwrap().len(), 301);
        assert!(run.out == generate("5", &[]).out && run.out != generate("6", &[]).out, "{scene}");

        // The polygons are read from a plain file, from a compressed file and from standard input.
        generate("5", &["-o", "plain.geojson"]);
        generate("5", &["-o", "packed.geojson.gz"]);
        assert_eq!(folder.read_text("plain.geojson"), run.out);
        assert_eq!(folder.read("packed.geojson.gz")[..2], [0x1f, 0x8b]);
        let pairs = folder.join(&["plain.geojson"]);
        assert!(pairs.lines().count() > 50, "{scene}: {pairs}");
        assert_eq!(folder.join(&["packed.geojson.gz"]), pairs);
        let piped = folder.run_with_input(&["join", "-", "-q"], run.out).answered();
        assert_eq!((piped.out, piped.err.as_str()), (pairs, ""));
        let summary = folder.summary(&["plain.geojson"]);
        assert!(summary.starts_with("objects         301\npieces          301\ncandidate"), "{summary}");
    }
}

#[test]
fn help_has_examples_and_the_version_is_the_packages() {
    let folder = Folder::new();
    for arguments in [&["--help"][..], &["join", "--help"], &["check", "--help"], &["gen", "--help"]] {
        let help = folder.run(arguments).answered().out;
        assert!(help.contains("Examples:\n  sat2d join ") && help.contains("Exit codes:"), "{help}");
    }
    let version = folder.run(&["--version"]).answered().out;
    assert_eq!(version, concat!("sat2d ", env!("CARGO_PKG_VERSION"), "\n"));
    let help = folder.run(&["gen", "--help"]).answered().out;
    assert!(SCENES.iter().all(|scene| help.contains(scene)), "{help}");
    assert_eq!(folder.run(&[]).code, Some(2), "without a subcommand there is nothing to answer");
}
