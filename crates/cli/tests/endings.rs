//! Tests that the ending of an output's name must match the format of the output. If it does not, the program stops before it
//! reads the input.

use crate::folder::*;

#[track_caller]
fn refused(folder: &Folder, arguments: &[&str], option: &str, name: &str, instead: &str) {
    let before = folder.names();
    let error = folder.run(arguments).error();
    assert!(error.starts_with(&format!("Error: {option} = {name}: ")), "{arguments:?}: {error}");
    assert!(error.contains(instead), "{arguments:?}: {error}");
    assert_eq!(folder.names(), before, "{arguments:?}");
}

#[test]
fn an_explanation_is_not_written_to_a_name_that_says_another_thing() {
    let folder = Folder::with_squares();
    let explain = ["explain", "squares.geojson", "--pair", "left", "middle"];
    for name in ["e.png", "e.pdf", "e.csv", "e.geojson", "e.jsonl", "e.html.gz", "e.PNG"] {
        let arguments = [&explain[..], &["-o", name]].concat();
        refused(&folder, &arguments, "--output", name, "end it in .txt, .json or .svg, or give --format");
        for (format, begins) in [("svg", "<svg"), ("json", "{"), ("table", "A    ")] {
            folder.run(&[&arguments[..], &["--format", format]].concat()).answered();
            if !name.ends_with(".gz") {
                assert!(folder.read_text(name).starts_with(begins), "{name}");
            }
            std::fs::remove_file(folder.path(name)).unwrap();
        }
    }
    for (name, begins) in [("e", "A    "), ("e.TXT", "A    "), ("e.Json", "{"), ("e.SVG", "<svg")] {
        folder.run(&[&explain[..], &["-o", name]].concat()).answered();
        assert!(folder.read_text(name).starts_with(begins), "{name}");
    }
}

#[test]
fn a_picture_in_svg_is_named_so() {
    let folder = Folder::with_squares();
    let commands: [&[&str]; 2] = [
        &["join", "squares.geojson", "--backend", "cpu"],
        &["explain", "squares.geojson", "--pair", "left", "middle"],
    ];
    for command in commands {
        for name in ["x.png", "x.PNG", "x.jpg", "x.pdf", "x.svgz", "x.png.gz", "x.txt", "x.html"] {
            let arguments = [command, &["--svg", name]].concat();
            refused(&folder, &arguments, "--svg", name, "does not name an SVG picture; end it in .svg");
        }
        for name in ["x.svg", "x.SVG", "x.svg.gz", "x"] {
            folder.run(&[command, &["--svg", name]].concat()).answered();
            assert!(!folder.read(name).is_empty(), "{name}");
        }
    }
}

#[test]
fn statistics_are_named_as_json() {
    let folder = Folder::with_squares();
    let join = ["join", "squares.geojson", "--backend", "cpu", "--stats"];
    for name in ["s.csv", "s.html", "s.jsonl", "s.png", "s.yaml", "s.csv.gz"] {
        refused(&folder, &[&join[..], &[name]].concat(), "--stats", name, "are JSON; end it in .json");
    }
    for name in ["s.json", "s.JSON.gz", "s", "s.txt"] {
        folder.run(&[&join[..], &[name]].concat()).answered();
    }
}

#[test]
fn a_generated_scene_is_named_as_geojson() {
    let folder = Folder::new();
    let generate = ["gen", "--scene", "boxes", "--count", "5", "-o"];
    for name in ["g.csv", "g.svg", "g.shp", "g.jsonl", "g.ndjson", "g.png.gz"] {
        refused(
            &folder,
            &[&generate[..], &[name]].concat(),
            "--output",
            name,
            "is GeoJSON; end it in .geojson or .json",
        );
    }
    for name in ["g.geojson", "g.json", "g.GeoJSON.gz", "g"] {
        folder.run(&[&generate[..], &[name]].concat()).answered();
        assert!(!folder.read(name).is_empty(), "{name}");
    }
}

#[test]
fn a_schema_is_named_as_json() {
    let folder = Folder::new();
    for name in ["s.yaml", "s.xsd", "s.txt", "s.csv.gz"] {
        let arguments = ["schema", "stats", "-o", name];
        refused(&folder, &arguments, "--output", name, "a schema is JSON; end it in .json");
    }
    for name in ["s.json", "s.schema.JSON.gz", "s"] {
        folder.run(&["schema", "stats", "-o", name]).answered();
        assert!(!folder.read(name).is_empty(), "{name}");
    }
}

#[test]
fn reports_of_the_benchmark_are_named_as_what_they_are() {
    let folder = Folder::new();
    let bench =
        ["bench", "--scene", "boxes", "--count", "50", "--repeats", "1", "--backend", "cpu", "--no-files"];
    for (option, name, instead) in [
        ("--json", "r.html", "is JSON; end it in .json"),
        ("--json", "r.csv", "is JSON; end it in .json"),
        ("--html", "r.json", "is HTML; end it in .html"),
        ("--html", "r.pdf", "is HTML; end it in .html"),
    ] {
        refused(&folder, &[&bench[..], &[option, name]].concat(), option, name, instead);
    }
}
