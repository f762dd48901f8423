//! A file of points against a file of polygons.

use crate::folder::*;

fn point(id: &str, at: &str) -> String {
    feature(&format!("\"{id}\""), &format!(r#"{{"type":"Point","coordinates":{at}}}"#))
}

fn multi_point(id: &str, at: &str) -> String {
    feature(&format!("\"{id}\""), &format!(r#"{{"type":"MultiPoint","coordinates":{at}}}"#))
}

/// The squares, and points inside, on edges, at vertices and outside of them.
fn folder() -> Folder {
    let folder = Folder::with_squares();
    let points = [
        point("in both", "[1.5,1]"),
        point("nowhere", "[7,7]"),
        point("border", "[3,1,250]"),
        multi_point("some", "[[0,0],[0.5,0.5],[20,20],[3,0]]"),
        point("empty", "[]"),
        multi_point("none", "[]"),
        feature("\"null\"", "null"),
        point("inside", "[10,1]"),
    ];
    folder.write("points.geojson", collection(&points));
    folder
}

const ROWS: &str = "a,b,relation\nin both,left,inside\nin both,middle,inside\nborder,middle,boundary\n\
                    border,right,boundary\nsome,left,inside\nsome,middle,boundary\nsome,right,boundary\n\
                    inside,far,inside\n";

#[test]
fn rows_are_sorted_by_point_then_polygon_and_name_the_strongest_relation() {
    let folder = folder();
    for backend in BACKENDS {
        let arguments = ["join", "points.geojson", "squares.geojson", "--backend", backend];
        assert_eq!(folder.run(&arguments).answered().out, ROWS, "{backend}");
    }
}

#[test]
fn inside_and_boundary_are_overlapping_and_touching() {
    let folder = folder();
    let rows = |relation: &str| folder.join(&["points.geojson", "squares.geojson", "--relation", relation]);
    let of = |word: &str| -> String {
        ROWS.lines()
            .filter(|l| l.ends_with("relation") || l.ends_with(word))
            .map(|l| format!("{l}\n"))
            .collect()
    };
    assert_eq!((rows("inside"), rows("overlapping")), (of("inside"), of("inside")));
    assert_eq!((rows("boundary"), rows("touching")), (of("boundary"), of("boundary")));
    assert_eq!(rows("meeting"), ROWS);
}

#[test]
fn every_format_and_source_of_a_join_serves() {
    let folder = folder();
    folder.join(&["points.geojson", "squares.geojson", "-o", "pairs.jsonl"]);
    let lines = folder.read_text("pairs.jsonl");
    assert!(lines.starts_with("{\"a\":\"in both\",\"b\":\"left\",\"relation\":\"inside\"}\n"), "{lines}");
    assert_eq!(lines.lines().count(), ROWS.lines().count() - 1);
    folder.join(&["points.geojson", "squares.geojson", "-o", "pairs.csv.gz"]);
    assert!(folder.read("pairs.csv.gz").starts_with(&[0x1f, 0x8b]));
    folder.write("points.geojson.gz", gzip(&folder.read_text("points.geojson")));
    assert_eq!(folder.join(&["points.geojson.gz", "squares.geojson"]), ROWS);
    let run = folder
        .run_with_input(&["join", "-", "squares.geojson", "-q"], folder.read("points.geojson"))
        .answered();
    assert_eq!((run.out.as_str(), run.err.as_str()), (ROWS, ""));
    let named = folder.join(&["points.geojson", "squares.geojson", "--id", "name"]);
    assert!(named.contains("\nnborder,nmiddle,boundary\n"), "{named}");
    // A geometry a line.
    folder.write("bare.ndjson", "{\"type\":\"Point\",\"coordinates\":[1.5,1]}\n{\"coordinates\":[[3,1],[9,9]],\"type\":\"MultiPoint\"}\n");
    assert_eq!(
        folder.join(&["bare.ndjson", "squares.geojson"]),
        "a,b,relation\n0,left,inside\n0,middle,inside\n1,middle,boundary\n1,right,boundary\n"
    );
}

#[test]
fn the_summary_and_the_statistics_count_points() {
    let folder = folder();
    let arguments = ["points.geojson", "squares.geojson", "--verify", "--stats", "stats.json"];
    let summary = folder.summary(&arguments);
    for line in [
        "points          8\n",
        "objects         8 and 4\n",
        "input A         1 null geometries, 2 empty geometries, 1 third ordinates ignored\n",
        "found           4 inside, 4 boundary\n",
        "agreements      ",
        "disagreements   0\n",
    ] {
        assert!(summary.contains(line), "{line}: {summary}");
    }
    let stats: serde_json::Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
    assert_eq!(stats["a"]["points"], 8);
    assert_eq!(stats["b"]["points"], 0);
    assert_eq!(stats["pairs"]["overlapping"], 4);
    assert_eq!(stats["pairs"]["touching"], 4);
    assert_eq!(stats["pairs"]["written"], 8);
    assert!(stats["pairs"]["candidates_of_objects"].is_null());
    assert_eq!(stats["check"]["disagreements"], 0);
}

#[test]
fn points_elsewhere_and_mixed_files_are_errors_that_say_what_to_do() {
    let folder = folder();
    let mixed = collection(&[point("p", "[1,1]"), square_features()[0].clone()]);
    folder.write("mixed.geojson", mixed);
    let error = |arguments: &[&str]| folder.run(&[&["join"], arguments].concat()).error();
    assert_eq!(
        error(&["mixed.geojson", "squares.geojson"]),
        "Error: mixed.geojson, feature 1 (id left): a polygon among points; give points and polygons in files of their own"
    );
    for arguments in [&["points.geojson"][..], &["squares.geojson", "points.geojson"]] {
        let error = error(arguments);
        assert!(
            error.contains("points.geojson, feature 0 (id in both): geometry type Point cannot be joined")
                && error.ends_with("as the first of two files, Point and MultiPoint"),
            "{error}"
        );
    }
    assert!(folder.run(&["check", "points.geojson", "squares.geojson"]).error().contains("Point"));
    let svg = error(&["points.geojson", "squares.geojson", "--svg", "picture.svg", "-o", "pairs.csv"]);
    assert!(svg.contains("--svg = picture.svg: draws polygons, and A has points"), "{svg}");
    assert_eq!(folder.names(), ["mixed.geojson", "points.geojson", "squares.geojson"]);
}

#[test]
fn malformed_points_end_the_run_or_are_listed() {
    let folder = folder();
    for (geometry, says) in [
        (r#"{"type":"Point","coordinates":[1]}"#, "a position: an array of at least 2 numbers"),
        (r#"{"type":"Point","coordinates":[[1,2]]}"#, "`coordinates` of the Point"),
        (r#"{"type":"MultiPoint","coordinates":[1,2]}"#, "`coordinates` of the MultiPoint"),
        (r#"{"type":"Point"}"#, "the Point has no `coordinates`"),
        (r#"{"type":"Point","coordinates":[1e300,2]}"#, "point 0: (1e300, 2) has a coordinate"),
        (r#"{"type":"MultiPoint","coordinates":[[1,2],[3,1e-60]]}"#, "point 1: "),
        (r#"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#, "geometry type LineString cannot be joined"),
    ] {
        folder.write("bad.geojson", collection(&[point("good", "[10,1]"), feature("\"bad\"", geometry)]));
        let error = folder.run(&["join", "bad.geojson", "squares.geojson"]).error();
        assert!(
            error.starts_with("Error: bad.geojson, feature 1 (id bad): ") && error.contains(says),
            "{error}"
        );
        let run = folder.run(&["join", "bad.geojson", "squares.geojson", "--skip-invalid"]).answered();
        assert_eq!(run.out, "a,b,relation\ngood,far,inside\n");
        assert!(run.err.starts_with("skipped: bad.geojson, feature 1 (id bad): "), "{}", run.err);
    }
}

#[test]
fn points_among_counties() {
    let folder = Folder::new();
    // The corner that four states share is a vertex of four counties; it lies inside of none.
    let corner = "[-109.04483902389023,36.998763973029725]";
    let points =
        [point("Denver", "[-104.99,39.74]"), point("Four Corners", corner), point("sea", "[-150,20]")];
    folder.write("points.geojson", collection(&points));
    let rows = folder.join(&["points.geojson", COUNTIES, "--skip-invalid", "--verify"]);
    assert!(rows.starts_with("a,b,relation\nDenver,08031,inside\n"), "{rows}");
    let corner: Vec<&str> = rows.lines().filter(|row| row.starts_with("Four Corners,")).collect();
    assert_eq!(corner.len(), 4, "{rows}");
    assert!(corner.iter().all(|row| row.ends_with(",boundary")), "{rows}");
    assert!(!rows.contains("sea"), "{rows}");
}

#[test]
fn a_map_shows_the_point_that_says_how_it_lies() {
    let folder = folder();
    let out = folder.join(&["points.geojson", "squares.geojson", "--format", "geojson"]);
    let collection: serde_json::Value = serde_json::from_str(&out).unwrap();
    let found: Vec<(&str, &str, &str, [f64; 2])> = collection["features"]
        .as_array()
        .unwrap()
        .iter()
        .map(|feature| {
            let word = |name: &str| feature["properties"][name].as_str().unwrap();
            assert_eq!(feature["geometry"]["type"], "Point");
            let at = &feature["geometry"]["coordinates"];
            (word("a"), word("b"), word("relation"), [at[0].as_f64().unwrap(), at[1].as_f64().unwrap()])
        })
        .collect();
    assert_eq!(found.len(), ROWS.lines().count() - 1);
    assert_eq!(found[2], ("border", "middle", "boundary", [3.0, 1.0]));
    // Of (0, 0), which is on its boundary, and (0.5, 0.5).
    assert_eq!(found[4], ("some", "left", "inside", [0.5, 0.5]));
    assert_eq!(found[5], ("some", "middle", "boundary", [3.0, 0.0]));
}

#[test]
fn what_is_asked_of_polygons_is_refused() {
    let folder = folder();
    for (more, says) in [
        (
            &["--contains"][..],
            "Error: A = points.geojson: has points, of which `--relation inside` gives those",
        ),
        (&["--within", "2"], "Error: --within = 2: measures polygons, and A has points; leave it out"),
        (&["--with", "manifold,distance"], "Error: --with = manifold: measures polygons, and A has points"),
    ] {
        let arguments = [&["join", "points.geojson", "squares.geojson", "-o", "pairs.csv"], more].concat();
        let error = folder.run(&arguments).error();
        assert!(error.starts_with(says), "{error}");
    }
    assert_eq!(folder.names(), ["points.geojson", "squares.geojson"]);
}

#[test]
fn what_is_asked_of_points_is_refused_of_polygons() {
    let folder = folder();
    for (relation, remedy) in [("inside", "--contains gives pairs"), ("boundary", "`touching` gives those")] {
        for inputs in [&["squares.geojson", "squares.geojson"][..], &["squares.geojson"]] {
            let arguments = [&["join", "-o", "pairs.csv", "--relation", relation], inputs].concat();
            let error = folder.run(&arguments).error();
            assert!(error.starts_with(&format!("Error: --relation = {relation}: is of points")), "{error}");
            assert!(error.contains(remedy), "{error}");
        }
    }
    assert_eq!(folder.names(), ["points.geojson", "squares.geojson"]);
    let help = folder.run(&["join", "--help"]).answered().out;
    assert!(["- inside:", "- boundary:"].iter().all(|value| help.contains(value)), "{help}");
}
