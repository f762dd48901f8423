//! Tests of bad input: the program writes one line with the error and its place, ends with exit code 2, and writes no
//! output.

use crate::folder::*;

/// Returns the error of a join whose input is `text`.
#[track_caller]
fn error_of(text: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    folder.write("in.geojson", text);
    let error = folder.run(&["join", "in.geojson", "--backend", "cpu", "-o", "pairs.csv"]).error();
    assert_eq!(folder.names(), ["in.geojson"]);
    error
}

#[test]
fn text_that_is_not_geojson_is_an_error_with_its_place() {
    for (text, says) in [
        ("", "in.geojson, line 1, column 1: the input is empty"),
        (" \n", "the input is empty"),
        ("a,b\n1,2\n", "in.geojson, line 1, column 1: expected a GeoJSON object, found `a`"),
        ("[1, 2]", "line 1, column 1: expected a GeoJSON object, found `[`"),
        ("{\"type\": \"FeatureCollection\",\n \"features\": [\n  {]}\n]}", "line 3, column 4: "),
        ("{}", "in.geojson"),
        ("{\"type\":\"Topology\",\"objects\":{}}", "this is TopoJSON; convert it"),
    ] {
        let error = error_of(text);
        assert!(error.starts_with("Error: in.geojson"), "{text:?}: {error}");
        assert!(error.contains(says), "{text:?}: {error}");
    }
}

#[test]
fn text_that_is_cut_short_is_an_error() {
    // For example, a file that is still being written has such a text.
    let whole = squares();
    for end in [1, 30, whole.len() / 2, whole.len() - 10, whole.len() - 3] {
        let error = error_of(&whole[..end]);
        assert!(
            error.starts_with("Error: in.geojson, line ") && error.contains("the input ends inside"),
            "{error}"
        );
    }
}

#[test]
fn other_encodings_are_an_error() {
    let utf16: Vec<u8> = format!("\u{feff}{}", squares()).encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(error_of(utf16).contains("UTF-16"));
    let latin1 = b"{\"type\":\"Feature\",\"id\":\"\xe9\",\"geometry\":null}";
    let error = error_of(latin1);
    assert!(
        error.starts_with("Error: in.geojson, feature 0: ") && error.contains("byte 0xE9 is not UTF-8"),
        "{error}"
    );
}

#[test]
fn gzip_that_is_damaged_or_none_is_an_error() {
    let folder = Folder::new();
    let whole = gzip(&squares());
    for (bytes, says) in [
        (&whole[..whole.len() / 2], "cut short"),
        (&[0x1f, 0x8b, 0x7f, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0], "gzip data is damaged"),
        (&[0; 40], "neither gzip nor GeoJSON"),
        (&[], "empty"),
    ] {
        folder.write("in.geojson.gz", bytes);
        let error = folder.run(&["join", "in.geojson.gz"]).error();
        assert!(
            error.starts_with("Error: ") && error.contains("in.geojson.gz") && error.contains(says),
            "{error}"
        );
    }
}

#[test]
fn coordinates_that_are_no_numbers_or_out_of_range_name_the_feature() {
    for (coordinate, says) in [
        ("nan", "line 5"),
        ("NaN", "feature 3 (id far): ring 0, position 0 is [NaN,0]: NaN is not a number"),
        ("-Infinity", "feature 3 (id far): ring 0, position 0 is [-Infinity,0]: -Infinity is not a number"),
        ("null", "feature 3 (id far)"),
        ("\"9\"", "feature 3 (id far)"),
        ("1e300", "feature 3 (id far): polygon 0, vertex 0: coordinate 1e300 is neither 0 nor between"),
        ("1e-300", "feature 3 (id far): polygon 0, vertex 0: coordinate 1e-300 is neither"),
        ("1e999", "feature 3 (id far)"),
    ] {
        let error = error_of(squares().replacen("[9,0]", &format!("[{coordinate},0]"), 1));
        assert!(error.starts_with("Error: in.geojson, ") && error.contains(says), "{coordinate}: {error}");
    }
}

#[test]
fn inputs_that_cannot_be_read_are_an_error() {
    let folder = Folder::with_squares();
    std::fs::create_dir(folder.path("empty")).unwrap();
    for (arguments, says) in [
        (&["join", "missing.geojson"][..], "Error: cannot read missing.geojson: No such file"),
        (&["join", "squares.geojson", "missing.geojson"], "Error: cannot read missing.geojson: No such file"),
        (&["check", "missing.geojson"], "Error: cannot read missing.geojson: No such file"),
        (&["join", "empty"], "Error: cannot read empty: the folder has no part files"),
        (&["join", "squares.geojson/below"], "Error: cannot read squares.geojson/below: "),
    ] {
        let error = folder.run(arguments).error();
        assert!(error.starts_with(says) || cfg!(windows), "{error}");
    }
    let table = "id,wkt\n1,\"POLYGON ((0 0, 1 0, 0 1))\"\n";
    let error = folder.run_with_input(&["join", "-"], table).error();
    let says = "expected a GeoJSON object, found `i`; if it is not GeoJSON, name its format with `--from`";
    assert!(error.contains(says), "{error}");
    folder.run_with_input(&["join", "-", "--from", "csv"], table).answered();
    let error = folder.run_with_input(&["join", "squares.geojson", "-"], table).error();
    assert!(error.contains("name its format with `--from-b`"), "{error}");
    let error = folder.run_with_input(&["join", "-", "--from", "geojson"], table).error();
    assert!(error.ends_with("expected a GeoJSON object, found `i`"), "{error}");
    let error = folder.run_with_input(&["join", "-"], "").error();
    assert!(error.starts_with("Error: standard input, line 1, column 1: the input is empty"), "{error}");
}

#[test]
fn a_wrong_name_of_b_is_reported_before_a_is_read() {
    let folder = Folder::new();
    folder.write("broken.geojson", "{");
    std::fs::create_dir(folder.path("empty")).unwrap();
    for (b, says) in [
        ("missing.geojson", "missing.geojson: No such file"),
        ("empty", "empty: the folder has no part files"),
        ("none/*.geojson", "none"),
        ("*.csv", "*.csv: no file matches the pattern"),
    ] {
        for a in ["broken.geojson", "-"] {
            let error = folder.run_with_input(&["join", a, b], "{").error();
            assert!(
                error.starts_with("Error: cannot read ") && (error.contains(says) || cfg!(windows)),
                "{error}"
            );
        }
    }
    // If both names are wrong, A is reported.
    let error = folder.run(&["join", "no.geojson", "missing.geojson"]).error();
    assert!(error.contains("no.geojson"), "{error}");
    for b in ["broken.geojson", "*.geojson"] {
        let error = folder.run(&["join", "broken.geojson", b]).error();
        assert!(error.starts_with("Error: broken.geojson, line 1"), "{error}");
    }
}

/// Tests a pipe that can be opened only once, because its writer ends when its reader closes it.
#[cfg(unix)]
#[test]
fn a_pipe_as_b_is_opened_once() {
    let folder = Folder::with_squares();
    let pipe = folder.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = std::thread::spawn(move || std::fs::write(pipe, squares()));
    assert_eq!(
        folder.join(&["squares.geojson", "pipe"]),
        folder.join(&["squares.geojson", "squares.geojson"])
    );
    writer.join().unwrap().unwrap();
}

#[test]
fn a_message_is_one_line_whatever_the_id() {
    let bow = polygon("[[[0,0],[2,2],[2,0],[0,2],[0,0]]]");
    let error = error_of(feature(r#""two\nlines\u001b[31m""#, &bow));
    assert!(error.contains("(id two\\nlines\\u{1b}[31m)"), "{error}");
    let error = error_of(feature(&format!("\"{}\"", "long".repeat(100_000)), &bow));
    assert!(error.len() < 1100, "{} bytes", error.len());
}

#[test]
fn a_deep_nest_is_an_error() {
    let error = error_of(format!("{{\"type\":\"Polygon\",\"coordinates\":{}", "[".repeat(1_000_000)));
    assert!(error.len() < 1100, "{} bytes", error.len());
    let nest = "[".repeat(100_000) + &"]".repeat(100_000);
    error_of(polygon(&nest));
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let folder = Folder::with_squares();
    for (arguments, says) in [
        (&["join", "squares.geojson", "--threads", "0"][..], "1..=1024"),
        (&["join", "squares.geojson", "--threads", "65535"], "1..=1024"),
        (&["join", "squares.geojson", "--backend", "cuda"], "auto, cpu, gpu"),
        (&["join", "squares.geojson", "--relation", "near"], "overlapping, touching, meeting"),
        (&["join", "squares.geojson", "--format", "xml"], "csv, jsonl, geojson"),
        (&["join"], "<A>"),
        (&["gen", "--scene", "boxes", "--count", "0"], "1..=100000000"),
        (&["gen", "--scene", "boxes", "--count", "4294967295"], "1..=100000000"),
        (
            &["gen", "--scene", "boxs", "--count", "1"],
            "boxes, ngons, big-ngons, crowd, clustered, near-touching",
        ),
    ] {
        let run = folder.run(arguments);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(run.err.starts_with("error: ") && run.err.contains(says), "{}", run.err);
        let help = format!("; see `sat2d {} --help`\n", arguments[0]);
        assert!(run.err.lines().count() == 1 && run.err.ends_with(&help), "{}", run.err);
    }
    for (arguments, expected) in [
        (
            &["join", "squares.geojson", "--relatoin", "meeting"][..],
            "error: unexpected argument '--relatoin' found; a similar argument exists: '--relation'; see `sat2d join --help`\n",
        ),
        (
            &["jion", "squares.geojson"],
            "error: unrecognized subcommand 'jion'; a similar subcommand exists: 'join'; see `sat2d --help`\n",
        ),
    ] {
        assert_eq!(folder.run(arguments).err, expected);
    }
}
