//! Tests of `sim`: its output formats and its errors.

use serde_json::Value;

use crate::folder::*;

/// Runs `sim` on the CPU.
fn sim(folder: &Folder, arguments: &[&str]) -> Run {
    folder.run(&[&["sim", "--backend", "cpu"], arguments].concat())
}

const SCENES: [&str; 5] = ["pile", "crowd", "funnel", "hail", "billiards"];

/// Returns the width and the height of a PNG.
fn png_size(bytes: &[u8]) -> [u32; 2] {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(&bytes[bytes.len() - 8..bytes.len() - 4], b"IEND");
    [16, 20].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()))
}

/// Returns the width and the height of a GIF, and the duration of each picture in hundredths of a second.
fn gif_frames(bytes: &[u8]) -> ([u16; 2], Vec<u16>) {
    let short = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    assert_eq!(&bytes[..6], b"GIF89a");
    let table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let skip_blocks = |mut at: usize| {
        while bytes[at] != 0 {
            at += 1 + usize::from(bytes[at]);
        }
        at + 1
    };
    let mut delays = Vec::new();
    let mut pictures = 0;
    let mut at = 13 + table(bytes[10]);
    loop {
        match bytes[at] {
            0x21 => {
                if bytes[at + 1] == 0xf9 {
                    delays.push(short(at + 4));
                }
                at = skip_blocks(at + 2);
            }
            0x2c => {
                pictures += 1;
                at = skip_blocks(at + 11 + table(bytes[at + 9]));
            }
            0x3b => break,
            other => panic!("block {other:#x} at {at}"),
        }
    }
    assert_eq!(at + 1, bytes.len());
    assert_eq!(pictures, delays.len());
    ([short(6), short(8)], delays)
}

/// Returns the rows of a CSV as numbers.
fn rows(text: &str) -> Vec<Vec<f64>> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("step,time,body,x,y,angle,vx,vy,w"));
    lines.map(|line| line.split(',').map(|field| field.parse().unwrap()).collect()).collect()
}

#[test]
fn every_scene_runs_and_prints_statistics() {
    let folder = Folder::new();
    for scene in SCENES {
        let run = sim(&folder, &["--scene", scene, "--bodies", "60", "--steps", "20"]).answered();
        let value = |name: &str| {
            let line = run.out.lines().find(|line| line.starts_with(name));
            line.unwrap_or_else(|| panic!("{}", run.out))[16..].to_owned()
        };
        assert_eq!(value("step"), "20");
        assert!(value("bodies").ends_with("60 dynamic"), "{}", run.out);
        assert!(value("rms velocity").parse::<f64>().unwrap() > 0.1, "{}", run.out);
        for part in ["per second", "narrow phase", "solve", "backend         cpu, "] {
            assert!(run.err.contains(part), "{part}: {}", run.err);
        }
    }
    assert!(folder.names().is_empty());
    let quiet = sim(&folder, &["--scene", "pile", "--bodies", "9", "--steps", "2", "--quiet"]).answered();
    assert_eq!(quiet.err, "");
}

#[test]
fn rows_do_not_depend_on_threads_and_differ_by_seed() {
    let folder = Folder::new();
    for scene in ["pile", "crowd", "hail"] {
        let run = |seed: &str, threads: &str| {
            let arguments = ["--scene", scene, "--bodies", "3000", "--steps", "40", "--format", "csv"];
            let more = ["--seed", seed, "--threads", threads, "--flip-gravity-at", "25"];
            sim(&folder, &[&arguments[..], &more].concat()).answered().out
        };
        let one = run("5", "1");
        assert!(one == run("5", "2") && one == run("5", "7"), "{scene}");
        assert!(one != run("6", "1"), "{scene}");
        assert!(rows(&one).iter().flatten().all(|x| x.is_finite()));
    }
}

#[test]
fn rows_are_of_every_mth_step_and_the_last() {
    let folder = Folder::new();
    let arguments =
        ["--scene", "billiards", "--bodies", "5", "--steps", "25", "--every", "10", "--dt", "0.01"];
    let run = sim(&folder, &[&arguments[..], &["-o", "rows.csv"]].concat()).answered();
    assert_eq!(run.out, "");
    let found = rows(&folder.read_text("rows.csv"));
    // Each step has nine rows: the moving bodies and four walls.
    assert_eq!(found.len(), 4 * 9);
    for (row, index) in found.iter().zip(0..) {
        let step = [0.0, 10.0, 20.0, 25.0][index / 9];
        assert_eq!(row[..3], [step, step * 0.01, (index % 9) as f64]);
    }
    let moved =
        |row: usize| (found[row][3] - found[row - 9][3]).abs() + (found[row][4] - found[row - 9][4]).abs();
    assert!((9..13).all(|wall| moved(wall) == 0.0) && (13..18).all(|ball| moved(ball) > 0.0));
    // The compressed file has the same rows as standard output.
    sim(&folder, &[&arguments[..], &["-o", "rows.csv.gz"]].concat()).answered();
    assert_eq!(&folder.read("rows.csv.gz")[..2], [0x1f, 0x8b]);
    let out = sim(&folder, &[&arguments[..], &["-o", "-", "--format", "csv"]].concat()).answered().out;
    assert_eq!(out, folder.read_text("rows.csv"));
}

#[test]
fn statistics_are_a_document_and_show_gravity_turn() {
    let folder = Folder::new();
    let arguments = ["--scene", "pile", "--bodies", "100", "--steps", "400", "--every", "200"];
    let run =
        sim(&folder, &[&arguments[..], &["--flip-gravity-at", "200", "-o", "s.json", "--stats"]].concat());
    assert!(run.answered().out.starts_with("step            400\n"));
    let found: Value = serde_json::from_str(&folder.read_text("s.json")).unwrap();
    assert_eq!((&found["scene"], &found["solver"]), (&"pile".into(), &"rigid".into()));
    let steps = found["steps"].as_array().unwrap();
    let of = |k: usize, name: &str| steps[k][name].as_f64().unwrap();
    assert_eq!([0, 1, 2].map(|k| of(k, "step")), [0.0, 200.0, 400.0]);
    let height = |k: usize| steps[k]["mean_position"][1].as_f64().unwrap();
    assert!(height(1) < height(0) && height(2) > height(0), "{found}");
    assert!(of(1, "overlapping") > 20.0 && of(0, "overlapping") == 0.0, "{found}");
    assert!(of(1, "mean_penetration") < 0.05, "{found}");
    assert_eq!(steps.len(), 3);
}

#[test]
fn solver_substeps_and_layers_are_as_asked_for() {
    let folder = Folder::new();
    let run = |more: &[&str]| {
        let arguments = ["--scene", "billiards", "--bodies", "300", "--steps", "60", "--format", "json"];
        let out = sim(&folder, &[&arguments[..], more].concat()).answered().out;
        serde_json::from_str::<Value>(&out).unwrap()
    };
    let rigid = run(&[]);
    assert_eq!((&rigid["solver"], &rigid["substeps"]), (&"rigid".into(), &4.into()));
    let push = run(&["--solver", "push", "--substeps", "7"]);
    assert_eq!((&push["solver"], &push["substeps"]), (&"push".into(), &7.into()));
    let apart = run(&["--static-only"]);
    let overlapping = |found: &Value| found["steps"][0]["overlapping"].as_u64().unwrap();
    // Bodies that pass through each other do not count as overlapping.
    assert!(overlapping(&apart) < overlapping(&rigid).max(20));
    assert_ne!(apart["steps"], rigid["steps"]);
}

#[test]
fn pictures_have_the_size_asked_for() {
    let folder = Folder::new();
    let arguments = ["--scene", "pile", "--bodies", "50", "--steps", "30"];
    let draw = |more: &[&str]| {
        assert_eq!(sim(&folder, &[&arguments[..], more].concat()).answered().out, "");
    };
    draw(&["-o", "a.png"]);
    assert_eq!(png_size(&folder.read("a.png"))[0], 960);
    draw(&["-o", "b.png", "--width", "200"]);
    let [width, height] = png_size(&folder.read("b.png"));
    assert!(width == 200 && (80..200).contains(&height), "{width} {height}");
    draw(&["-o", "c.png", "--width", "200", "--show", "contacts,normals,aabbs"]);
    assert_ne!(folder.read("b.png"), folder.read("c.png"));
    draw(&["-o", "d.png", "--width", "200"]);
    assert_eq!(folder.read("b.png"), folder.read("d.png"));
    assert_eq!(folder.names(), ["a.png", "b.png", "c.png", "d.png"]);
}

#[test]
fn an_svg_has_an_element_a_body_and_a_mark() {
    let folder = Folder::new();
    let draw = |more: &[&str]| {
        let arguments = ["--scene", "pile", "--bodies", "80", "--steps", "200", "-o", "a.svg"];
        sim(&folder, &[&arguments[..], more].concat()).answered();
        let text = folder.read_text("a.svg");
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n") && !text.contains("NaN"));
        text
    };
    let plain = draw(&[]);
    assert_eq!(plain.matches("<polygon ").count() + plain.matches("<circle ").count(), 80 + 4);
    assert_eq!(plain.matches("<path ").count() + plain.matches("class=\"d\"").count(), 0);
    let marked = draw(&["--show", "contacts,normals,aabbs"]);
    assert_eq!(marked.matches("<rect class=\"xl\"").count(), 80);
    let contacts = marked.matches("<circle class=\"d\"").count();
    assert!(contacts > 80, "{contacts}");
    assert_eq!(marked.matches("<path class=\"kl\"").count(), contacts);
}

#[test]
fn an_animation_is_as_long_as_what_it_shows() {
    let folder = Folder::new();
    let arguments = ["--scene", "crowd", "--bodies", "30", "--steps", "60", "--width", "160", "-o", "a.gif"];
    sim(&folder, &arguments).answered();
    let (size, delays) = gif_frames(&folder.read("a.gif"));
    assert_eq!(size[0], 160);
    // The pictures show the steps 0, 2, ... 60, which take one second. The last picture is shown for longer.
    assert_eq!(delays.len(), 31);
    assert_eq!(delays[..30].iter().sum::<u16>(), 100, "{delays:?}");
    sim(&folder, &[&arguments[..], &["--every", "25"]].concat()).answered();
    assert_eq!(gif_frames(&folder.read("a.gif")).1.len(), 4);
}

#[test]
fn a_series_of_pictures_is_numbered() {
    let folder = Folder::new();
    let arguments = ["--scene", "hail", "--bodies", "20", "--steps", "100", "--every", "40", "--width", "64"];
    sim(&folder, &[&arguments[..], &["-o", "p-{step}.png"]].concat()).answered();
    assert_eq!(folder.names(), ["p-000.png", "p-040.png", "p-080.png", "p-100.png"]);
    assert_ne!(folder.read("p-000.png"), folder.read("p-040.png"));
}

#[test]
fn mistakes_are_told_in_one_line_and_leave_no_file() {
    let folder = Folder::new();
    for (arguments, part) in [
        (&["--dt", "0"][..], "dt = 0"),
        (&["--dt", "-0.1", "-o", "a.csv"], "dt = -0.1"),
        (&["--dt", "nan"], "dt = NaN"),
        (&["--dt", "inf"], "dt = inf"),
        (&["--substeps", "0"], "substeps = 0"),
        (&["-o", "a.bmp"], "end it in .png"),
        (&["-o", "a"], "end it in .png"),
        (&["-o", "missing/a.png"], "cannot write missing/a.png"),
        (&["-o", "a.png", "--every", "5"], "{step}"),
        (&["-o", "a-{step}.png"], "--every"),
        (&["-o", "a-{step}.gif"], "leave {step} out"),
        (&["-o", "a-{step}.gif", "--every", "5"], "leave {step} out"),
        (&["-o", "a-{step}.csv.gz", "--every", "5"], "leave {step} out"),
        (&["-o", "{step}.json"], "leave {step} out"),
        (&["-o", "a-{step}", "--format", "gif"], "leave {step} out"),
        (
            &["--every", "5"],
            "--every = 5: changes what is written, but nothing is written; name a FILE with -o",
        ),
        (&["--show", "contacts"], "--show = contacts: changes what is written"),
        (&["-o", "a.csv", "--width", "100"], "--width = 100: applies only to pictures"),
        (&["-o", "a.json", "--show", "aabbs,normals"], "--show = aabbs,normals: applies only to pictures"),
        (&["--format", "csv", "--stats"], "--stats"),
    ] {
        let error =
            sim(&folder, &[&["--scene", "pile", "--bodies", "9", "--steps", "3"], arguments].concat())
                .error();
        assert!(error.contains(part), "{arguments:?}: {error}");
    }
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn values_out_of_range_are_refused() {
    let folder = Folder::new();
    for arguments in [
        &["--scene", "piles"][..],
        &[],
        &["--scene", "pile", "--bodies", "0"],
        &["--scene", "pile", "--steps", "-1"],
        &["--scene", "pile", "--every", "0"],
        &["--scene", "pile", "--width", "5"],
        &["--scene", "pile", "--show", "forces"],
    ] {
        let run = sim(&folder, arguments);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{arguments:?}");
    }
}

#[test]
fn every_backend_of_the_build_steps_every_scene() {
    let folder = Folder::new();
    let run = |scene: &str, backend: &str| {
        let arguments = ["sim", "--scene", scene, "--bodies", "40", "--steps", "12", "--format", "json"];
        folder.run(&[&arguments[..], &["--flip-gravity-at", "7", "--backend", backend]].concat())
    };
    for scene in SCENES {
        for backend in BACKENDS {
            let run = run(scene, backend).answered();
            let found: Value = serde_json::from_str(&run.out).unwrap();
            assert_eq!(found["steps"][0]["step"], 12, "{scene} {backend}");
            assert!(found["steps"][0]["rms_velocity"].as_f64().unwrap() > 0.1, "{scene} {backend}");
            let line = run.err.lines().find(|line| line.starts_with("backend ")).unwrap();
            assert!(*backend == "auto" || line[16..].starts_with(&format!("{backend}, ")), "{line}");
        }
    }
    if !BACKENDS.contains(&"gpu") {
        assert!(run("pile", "gpu").error().contains("built without the `gpu` feature"));
    }
}

#[test]
fn help_has_examples_and_names_the_scenes() {
    let help = sim(&Folder::new(), &["--help"]).answered().out;
    assert!(help.contains("Examples:\n  sat2d sim ") && help.contains("Exit codes:"), "{help}");
    assert!(SCENES.iter().all(|scene| help.contains(scene)), "{help}");
}

#[test]
fn help_shows_what_stands_for_the_step() {
    let help = Folder::new().run(&["sim", "--help"]).answered().out;
    assert!(help.contains("`{step}`") && help.contains("crowd-{step}.png"), "{help}");
}
