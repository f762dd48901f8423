//! Row groups of Parquet, and groups of features of FlatGeobuf, that cannot meet the other file. The output has the same
//! bytes whether or not they are read.

use std::path::Path;

use crate::folder::*;

/// Returns the number of row groups of A, and the number of row groups of B, that the join left out.
fn left_out(folder: &Folder) -> [u64; 2] {
    let statistics: serde_json::Value = serde_json::from_str(&folder.read_text("stats.json")).unwrap();
    ["a", "b"].map(|side| statistics[side]["row_groups_left_out"].as_u64().unwrap())
}

#[test]
fn the_output_is_the_same_without_the_row_groups_that_are_left_out() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../io/tests/data");
    let folder = Folder::new();
    let text = std::fs::read_to_string(data.join("expected.geojson")).unwrap();
    let features = serde_json::from_str::<serde_json::Value>(&text).unwrap()["features"].take();
    for file in ["geopandas-1.1.0-bbox-zstd.parquet", "geopandas-geoarrow-zstd.parquet", "gdal-index.fgb"] {
        let file = data.join(file);
        let file = file.to_str().unwrap();
        let mut total = [0; 2];
        for feature in features.as_array().unwrap().iter().skip(1).step_by(9) {
            folder.write("one.geojson", feature.to_string());
            for (files, options) in [
                (["one.geojson", file], &[][..]),
                ([file, "one.geojson"], &["--within", "2"]),
                ([file, "one.geojson"], &["--format", "geojson", "--with", "area"]),
            ] {
                let run = |more: &[&str], output: &str| {
                    let fixed =
                        ["join", files[0], files[1], "--backend", "cpu", "--ignore-crs", "--skip-invalid"];
                    let outputs = ["--stats", "stats.json", "-o", output];
                    folder.run(&[&fixed[..], &outputs, options, more].concat()).answered();
                    (std::fs::read(folder.path(output)).unwrap(), left_out(&folder))
                };
                let (pruned, some) = run(&[], "pruned.csv");
                let (whole, none) = run(&["--all-row-groups"], "whole.csv");
                assert_eq!(none, [0, 0]);
                assert!(pruned == whole, "{file} {feature} {options:?}");
                total = [total[0] + some[0], total[1] + some[1]];
            }
        }
        assert!(total[0] > 0 && total[1] > 0, "{file} {total:?}");
    }
}

#[test]
fn points_whose_row_groups_are_left_out_stay_points() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../io/tests/data/points-geoarrow.parquet");
    let folder = Folder::new();
    folder.write("far.geojson", polygon(&square(1e7)));
    let arguments = ["join", file.to_str().unwrap(), "far.geojson", "--relation", "inside", "--skip-invalid"];
    let run = folder.run(&arguments).answered();
    assert_eq!(run.out, "a,b,relation\n");
    assert!(run.err.contains("points          "), "{}", run.err);
}

#[test]
fn points_of_the_second_file_have_the_same_rows_without_the_row_groups_that_are_left_out() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../io/tests/data/points-geoarrow.parquet");
    let file = file.to_str().unwrap();
    let folder = Folder::new();
    folder.write("near.geojson", polygon("[[[10,10],[12,10],[12,12],[10,12],[10,10]]]"));
    folder.write("far.geojson", polygon(&square(1e7)));
    for (squares, groups) in [("near.geojson", 0), ("far.geojson", 1)] {
        for options in [&[][..], &["--count"], &["--within", "3"]] {
            let run = |more: &[&str]| {
                let fixed =
                    ["join", squares, file, "--backend", "cpu", "--skip-invalid", "--stats", "stats.json"];
                let run = folder.run(&[&fixed[..], options, more].concat()).answered();
                (run.out, left_out(&folder))
            };
            let (pruned, some) = run(&[]);
            let (whole, none) = run(&["--all-row-groups"]);
            assert_eq!((some, none), ([0, groups], [0, 0]), "{squares} {options:?}");
            assert_eq!(pruned, whole, "{squares} {options:?}");
            let has_rows = groups == 0 || options == ["--count"];
            assert_eq!(whole.lines().count() > 1, has_rows, "{squares} {options:?}: {whole}");
        }
    }
    // Polygons may overlap, whatever B has, so the row group stays left out.
    let overlapping = ["join", "far.geojson", file, "--relation", "overlapping", "--stats", "stats.json"];
    assert_eq!(folder.run(&overlapping).answered().out, "a,b,relation\n");
    assert_eq!(left_out(&folder), [0, 1]);
    // Two points cannot be inside each other or overlap, so all of B is read.
    folder.write("point.geojson", r#"{"type":"Point","coordinates":[1e7,1e7]}"#);
    for relation in ["inside", "boundary", "overlapping"] {
        let run = folder.run(&["join", "point.geojson", file, "--relation", relation, "--skip-invalid"]);
        assert_eq!(run.code, Some(2), "{relation}");
        assert!(run.err.contains("is no relation of two points"), "{}", run.err);
    }
    // These options apply only to points or only to polygons, so all of B is read.
    let join =
        |options: &[&str]| folder.run(&[&["join", "far.geojson", file, "--skip-invalid"], options].concat());
    let run = join(&["--relation", "inside"]).answered();
    assert_eq!(run.out, "a,b,relation\n");
    assert!(run.err.contains("points          "), "{}", run.err);
    let run = join(&["--nearest", "1", "--within", "1"]).answered();
    assert_eq!(run.out, "a,b,relation,distance\n");
    for (options, says) in [
        (&["--contains"][..], "has points; leave out --contains"),
        (&["--keep", "largest"], "--keep = largest: is for pairs of polygons, but a file has points"),
        (&["--with", "area"], "--with = area: measures only polygons, but a file has points"),
    ] {
        let run = join(options);
        assert_eq!(run.code, Some(2), "{options:?}");
        assert!(run.err.lines().any(|line| line.contains(says)), "{options:?}: {}", run.err);
    }
}

#[test]
fn the_summary_says_how_many_row_groups_are_left_out() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../io/tests/data/geopandas-1.1.0-bbox-zstd.parquet");
    let folder = Folder::new();
    folder.write("far.geojson", polygon(&square(1e6)));
    let summary = |more: &[&str]| {
        let fixed = ["far.geojson", file.to_str().unwrap(), "--skip-invalid", "--ignore-crs"];
        folder.summary(&[&fixed[..], more].concat())
    };
    let says = "row groups left out, whose boxes do not meet the other file";
    assert!(summary(&[]).contains(says));
    for more in [&["--all-row-groups"][..], &["--verify"], &["--svg", "a.svg"], &["--nearest", "1"]] {
        assert!(!summary(more).contains(says), "{more:?}");
    }
}

#[test]
fn a_property_that_names_the_features_of_both_files_leaves_row_groups_out() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../io/tests/data/geopandas-1.1.0-bbox-zstd.parquet");
    let file = file.to_str().unwrap();
    let folder = Folder::new();
    folder.write("named.geojson", feature(r#""properties":{"name":"far"}"#));
    folder.write("other.geojson", feature(r#""id":"far","properties":{"other":"far"}"#));
    for (b, id) in [("named.geojson", "name"), ("other.geojson", "name"), ("other.geojson", "other")] {
        let run = |more: &[&str], output: &str| {
            let fixed = ["join", file, b, "--id", id, "--skip-invalid", "--ignore-crs", "--within", "1e9"];
            folder.run(&[&fixed[..], &["--stats", "stats.json", "-o", output], more].concat()).answered();
            (std::fs::read(folder.path(output)).unwrap(), left_out(&folder)[0])
        };
        assert_eq!(run(&[], "a.csv"), run(&["--all-row-groups"], "b.csv"), "{b} {id}");
        let fixed = ["join", file, b, "--id", id, "--skip-invalid", "--ignore-crs", "-o", "c.csv"];
        folder.run(&[&fixed[..], &["--stats", "stats.json"]].concat()).answered();
        assert!(left_out(&folder)[0] > 0, "{b} {id}");
    }
    let error = |more: &[&str]| {
        let fixed = ["join", file, "named.geojson", "--id", "nothing", "--skip-invalid", "--ignore-crs"];
        let run = folder.run(&[&fixed[..], more].concat());
        assert_eq!(run.code, Some(2), "{}", run.err);
        // Only the last line is compared. The lines before it name invalid features. In row groups that were left out,
        // the program does not find invalid features.
        run.err.lines().last().map(str::to_owned)
    };
    assert_eq!(error(&[]), error(&["--all-row-groups"]));
}

/// Returns a collection with a square that is far away from all other features. `members` are the other members of its feature,
/// as JSON.
fn feature(members: &str) -> String {
    format!(
        r#"{{"type":"FeatureCollection","features":[{{"type":"Feature",{members},"geometry":{}}}]}}"#,
        polygon(&square(1e6))
    )
}
