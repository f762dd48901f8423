//! Joins of a file of points with a file of polygons.

use crate::folder::*;

fn point(id: &str, at: &str) -> String {
    feature(&format!("\"{id}\""), &format!(r#"{{"type":"Point","coordinates":{at}}}"#))
}

fn multi_point(id: &str, at: &str) -> String {
    feature(&format!("\"{id}\""), &format!(r#"{{"type":"MultiPoint","coordinates":{at}}}"#))
}

/// Returns a folder with the squares, and a file of points that are inside of squares, on their edges, at their vertices and
/// outside of them.
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
    // The file has one geometry per line.
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
        "Error: mixed.geojson, feature 1 (id left): a polygon among points; put points and polygons in separate files"
    );
    assert_eq!(
        error(&["squares.geojson", "mixed.geojson"]),
        "Error: mixed.geojson, feature 1 (id left): a polygon among points; put points and polygons in separate files"
    );
    let alone = folder.run(&["check", "points.geojson"]).error();
    assert!(
        alone.contains("points.geojson, feature 0 (id in both): geometry type Point cannot be joined")
            && alone.ends_with("(`join` also takes files of Point and MultiPoint)"),
        "{alone}"
    );
    let svg = error(&["points.geojson", "squares.geojson", "--svg", "picture.svg", "-o", "pairs.csv"]);
    assert!(svg.contains("--svg = picture.svg: draws only polygons, but a file has points"), "{svg}");
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

/// Tests that `--skip-invalid` does not turn a file of polygons that begins with a point into a file of one point.
#[test]
fn a_point_before_the_polygons_of_a_file() {
    let folder = Folder::new();
    let square =
        |id: &str| feature(id, r#"{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]]]}"#);
    folder.write("mixed.geojson", collection(&[point("label", "[1,1]"), square("\"square\"")]));
    folder.write("points.geojson", collection(&[point("inside", "[2,2]")]));
    folder.write("polygons.geojson", collection(&[square("\"other\"")]));
    let skip = |command: &str, [a, b]: [&str; 2]| folder.run(&[command, a, b, "--skip-invalid"]).answered();
    for (other, row) in [
        ("polygons.geojson", ["other,square", "overlapping"]),
        ("points.geojson", ["inside,square", "inside"]),
    ] {
        let [ids, relation] = row;
        let swapped: Vec<&str> = ids.split(',').rev().collect();
        for (files, ids) in [([other, "mixed.geojson"], ids), (["mixed.geojson", other], &swapped.join(","))]
        {
            let run = skip("join", files);
            assert_eq!(run.out, format!("a,b,relation\n{ids},{relation}\n"), "{files:?}");
            let skipped = "skipped: mixed.geojson, feature 0 (id label): a point among polygons; put points";
            assert!(run.err.contains(skipped), "{}", run.err);
            assert!(skip("check", files).out.contains("disagreements   0\n"), "{files:?}");
        }
    }
    let info = folder.run(&["info", "mixed.geojson"]).answered().out;
    assert!(info.contains("feature 0 (id label): a point among polygons"), "{info}");
}

#[test]
fn points_among_counties() {
    let folder = Folder::new();
    // The corner that four states share is a vertex of four counties. It is inside none of them.
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
    // The points are (0, 0), which is on the boundary, and (0.5, 0.5).
    assert_eq!(found[4], ("some", "left", "inside", [0.5, 0.5]));
    assert_eq!(found[5], ("some", "middle", "boundary", [3.0, 0.0]));
}

#[test]
fn what_is_asked_of_polygons_is_refused() {
    let folder = folder();
    for (more, says) in [
        (
            &["--contains"][..],
            "Error: A = points.geojson: has points; leave out --contains, and use `--relation inside`",
        ),
        (
            &["--with", "distance,manifold"],
            "Error: --with = manifold: measures only polygons, but a file has points; leave it out",
        ),
        (&["--within", "2", "--with", "penetration"], "Error: --with = penetration: measures only polygons"),
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
    for (relation, remedy) in
        [("inside", "--contains gives the pairs"), ("boundary", "`touching` gives the pairs")]
    {
        for inputs in [&["squares.geojson", "squares.geojson"][..], &["squares.geojson"]] {
            let arguments = [&["join", "-o", "pairs.csv", "--relation", relation], inputs].concat();
            let error = folder.run(&arguments).error();
            assert!(
                error.starts_with(&format!(
                    "Error: --relation = {relation}: is a relation of points, but no file has points"
                )),
                "{error}"
            );
            assert!(error.contains(remedy), "{error}");
        }
    }
    assert_eq!(folder.names(), ["points.geojson", "squares.geojson"]);
    let help = folder.run(&["join", "--help"]).answered().out;
    assert!(["- inside:", "- boundary:"].iter().all(|value| help.contains(value)), "{help}");
}

#[test]
fn a_cross_check_of_points_decides_every_pair_twice() {
    let folder = folder();
    for backend in BACKENDS {
        let run =
            folder.run(&["check", "points.geojson", "squares.geojson", "--backend", backend]).answered();
        for line in ["points          8\n", "objects         8 and 4\n", "disagreements   0\n"] {
            assert!(run.out.contains(line), "{backend}: {}", run.out);
        }
        let pairs = run.out.lines().find_map(|line| line.strip_prefix("pairs checked   ")).unwrap();
        assert!(run.out.contains(&format!("agreements      {pairs}\n")), "{}", run.out);
        assert!(pairs.parse::<u32>().unwrap() >= 8, "{pairs}");
    }
    let run = folder
        .run_with_input(&["check", "-", "squares.geojson", "--id", "name"], folder.read("points.geojson"))
        .answered();
    assert!(run.out.contains("disagreements   0\n"), "{}", run.out);
    let run = folder.run(&["check", "squares.geojson", "points.geojson"]).answered();
    assert!(run.out.contains("objects         4 and 8\n"), "{}", run.out);
    assert!(run.out.contains("disagreements   0\n"), "{}", run.out);
}

#[test]
fn a_point_and_a_polygon_are_explained() {
    let folder = folder();
    let explain = |a: &str, b: &str, more: &[&str]| {
        folder.run(&[&["explain", "points.geojson", "squares.geojson", "--pair", a, b], more].concat())
    };
    for (a, b, place, verdict) in [
        (
            "in both",
            "left",
            "in both: (1.5, 1)",
            "inside: the point is within the polygon's projection on every axis",
        ),
        ("border", "middle", "border: (3, 1)", "boundary: "),
        ("nowhere", "far", "nowhere: (7, 7)", "outside: "),
        // If a feature has several points, the explanation shows the point that determines its relation.
        ("some", "left", "some: (0.5, 0.5), the second of 4 points", "inside: "),
        ("some", "middle", "some: (3, 0), the fourth of 4 points", "boundary: "),
        ("some", "far", "some: (3, 0), the fourth of 4 points", "outside: "),
        ("index:7", "index:3", "inside: (10, 1)", "inside: "),
    ] {
        let table = explain(a, b, &[]).answered().out;
        assert!(
            table.starts_with(&format!("A               {}", place.split(", the").next().unwrap())),
            "{table}"
        );
        if let Some((_, which)) = place.split_once(", the ") {
            let count = which.rsplit_once("of ").unwrap().1;
            assert!(table.lines().next().unwrap().contains(count), "{table}");
        }
        let said = table.lines().find_map(|line| line.strip_prefix("verdict         ")).unwrap();
        assert!(said.starts_with(verdict.split(": the").next().unwrap()), "{said}");
        let json = explain(a, b, &["--format", "json"]).answered().out;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let relation = said.split(':').next().unwrap();
        assert_eq!(json["relation"], relation, "{json}");
        assert_eq!(json["axes"].as_array().unwrap().len(), 2);
        assert!(json["a"]["point"].is_array() && json["b"]["vertices"].is_array(), "{json}");
        assert!(json["distance"].as_f64().unwrap() >= 0.0);
    }
    // `explain` gives the same relation as the join.
    for row in ROWS.lines().skip(1) {
        let words: Vec<&str> = row.split(',').collect();
        let table = explain(words[0], words[1], &[]).answered().out;
        assert!(table.contains(&format!("verdict         {}: ", words[2])), "{row}: {table}");
    }
    for name in ["empty", "none", "null"] {
        let error = explain(name, "far", &["-o", "pair.txt"]).error();
        assert!(error.contains(&format!("--pair = {name}: has no point")), "{error}");
    }
    for more in [&["--svg", "pair.svg"][..], &["--format", "svg"], &["-o", "pair.svg"]] {
        let error = explain("in both", "left", more).error();
        assert!(error.contains("draws two polygons, but A has points"), "{error}");
    }
    assert_eq!(folder.names(), ["points.geojson", "squares.geojson"]);
}

#[test]
fn the_summary_has_the_time_of_each_stage() {
    let folder = Folder::new();
    folder.run(&["gen", "--scene", "ngons", "--count", "20000", "-o", "polygons.geojson"]).answered();
    let points: Vec<String> =
        (0..20_000).map(|k| point(&k.to_string(), &format!("[{},{}]", k % 137, k / 137))).collect();
    folder.write("points.geojson", collection(&points));
    let stages = |more: &[&str]| {
        let summary = folder.summary(&[&["points.geojson", "polygons.geojson"], more].concat());
        let line = summary.lines().find(|line| line.starts_with("stages          "));
        line.unwrap_or_else(|| panic!("{summary}")).to_owned()
    };
    let plain = stages(&[]);
    assert!(plain.contains(" read "), "{plain}");
    let verified = stages(&["--verify"]);
    assert!(verified.contains("verify "), "{verified}");
    let measured = stages(&["--within", "5"]);
    assert!(measured.contains("measure "), "{measured}");
}
