//! Common areas as columns, thresholds on them, the largest area of each feature, and counts.

use crate::folder::*;

/// Returns a folder with the squares of [`Folder::with_squares`] and a file of parcels, which are squares of side 1.5 on a
/// decimal grid.
fn folder() -> Folder {
    let folder = Folder::with_squares();
    let parcel = |x: f64| {
        let right = x + 1.5;
        polygon(&format!("[[[{x},0.1],[{right},0.1],[{right},1.6],[{x},1.6],[{x},0.1]]]"))
    };
    let parcels = [("\"p\"", 0.7), ("\"q\"", 2.2), ("\"r\"", 3.7)].map(|(id, x)| feature(id, &parcel(x)));
    folder.write("parcels.geojson", collection(&parcels));
    folder
}

#[test]
fn areas_are_columns_and_members_on_both_backends() {
    let folder = folder();
    for backend in BACKENDS {
        let join = |arguments: &[&str]| {
            folder
                .run(&[&["join", "squares.geojson", "--backend", backend], arguments].concat())
                .answered()
                .out
        };
        // `left` ends at 2, `middle` begins at 1, and `right` begins at 3.
        let expected = "a,b,relation,area,iou,area_a,area_b\n\
                        left,middle,overlapping,2.0,0.3333333333333333,4.0,4.0\n\
                        middle,right,touching,0.0,0.0,4.0,4.0\n";
        // The columns of areas have a fixed order, whatever order `--with` lists them in.
        assert_eq!(join(&["--with", "iou,area_b,area,area_a"]), expected);
        let json = join(&["--with", "area,iou", "--format", "jsonl", "--relation", "overlapping"]);
        let expected =
            r#"{"a":"left","b":"middle","relation":"overlapping","area":2.0,"iou":0.3333333333333333}"#;
        assert_eq!(json, format!("{expected}\n"));
        let near = join(&["--within", "1", "--with", "area"]);
        let expected = "left,right,disjoint,1.0,";
        assert!(near.lines().any(|line| line.starts_with(expected)), "{near}");
        let places = join(&["--with", "area", "--format", "geojson"]);
        assert!(places.contains(r#""relation":"overlapping","area":2.0}"#), "{places}");
    }
}

#[test]
fn areas_of_decimal_boxes_are_decimals() {
    let folder = folder();
    let found = folder.join(&["squares.geojson", "parcels.geojson", "--with", "area,area_b"]);
    let expected = "a,b,relation,area,area_b\n\
                    left,p,overlapping,1.95,2.25\n\
                    middle,p,overlapping,1.8,2.25\n\
                    middle,q,overlapping,1.2,2.25\n\
                    right,q,overlapping,1.05,2.25\n\
                    right,r,overlapping,1.95,2.25\n";
    assert_eq!(found, expected);
}

#[test]
fn thresholds_keep_the_pairs_that_reach_them_as_written() {
    let folder = folder();
    let join = |arguments: &[&str]| {
        let found = folder.join(&[&["squares.geojson", "parcels.geojson"], arguments].concat());
        found.lines().skip(1).map(|line| line.split(",over").next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(join(&["--min-area", "0"]).len(), 5);
    assert_eq!(join(&["--min-area", "1.8"]), ["left,p", "middle,p", "right,r"]);
    assert_eq!(join(&["--min-area", "1.95"]), ["left,p", "right,r"]);
    assert_eq!(join(&["--min-area", "1.95", "--relation", "overlapping"]), ["left,p", "right,r"]);
    assert!(join(&["--min-area", "1.9500000001"]).is_empty());
    // The intersection over union is 1.95 / (4 + 2.25 - 1.95).
    assert_eq!(join(&["--min-iou", "0.45"]), ["left,p", "right,r"]);
    assert_eq!(join(&["--min-iou", "1"]), [""; 0]);
    let of_itself = folder.join(&["squares.geojson", "squares.geojson", "--min-iou", "1"]);
    assert_eq!(of_itself.lines().count(), 5, "each with itself: {of_itself}");
}

#[test]
fn the_largest_of_each_feature_of_a_is_kept_and_ties_go_to_the_first() {
    let folder = folder();
    let found = folder.join(&["squares.geojson", "parcels.geojson", "--keep", "largest"]);
    assert_eq!(found, "a,b,relation\nleft,p,overlapping\nmiddle,p,overlapping\nright,r,overlapping\n");
    let found = folder.join(&["parcels.geojson", "squares.geojson", "--keep", "largest", "--with", "area"]);
    assert_eq!(
        found,
        "a,b,relation,area\np,left,overlapping,1.95\nq,middle,overlapping,1.2\nr,right,overlapping,1.95\n"
    );
    let found = folder.join(&["squares.geojson", "squares.geojson", "--keep", "largest", "--min-area", "4"]);
    assert_eq!(found.lines().count(), 5);
    // If two common areas are equal, the feature of B with the lower index is kept.
    let halves = [feature("2", &polygon(&square(-1.0))), feature("1", &polygon(&square(1.0)))];
    folder.write("halves.geojson", collection(&halves));
    folder.write("one.geojson", collection(&[feature("0", &polygon(&square(0.0)))]));
    let found = folder.join(&["one.geojson", "halves.geojson", "--keep", "largest"]);
    assert_eq!(found, "a,b,relation\n0,2,overlapping\n");
}

#[test]
fn counts_have_a_row_for_each_feature_of_a() {
    let folder = folder();
    let count = |arguments: &[&str]| folder.join(&[arguments, &["--count"]].concat());
    assert_eq!(count(&["squares.geojson"]), "a,count\nleft,1\nmiddle,2\nright,1\nfar,0\n");
    let both = ["squares.geojson", "parcels.geojson"];
    assert_eq!(count(&both), "a,count\nleft,1\nmiddle,2\nright,2\nfar,0\n");
    let large = count(&[both[0], both[1], "--min-area", "1.8"]);
    assert_eq!(large, "a,count\nleft,1\nmiddle,1\nright,1\nfar,0\n");
    let json = count(&[both[0], both[1], "--format", "jsonl"]);
    assert_eq!(json.lines().next(), Some(r#"{"a":"left","count":1}"#));
    for name in ["counts.parquet", "counts.arrow"] {
        folder.join(&[both[0], both[1], "--count", "-o", name]);
        assert!(folder.read(name).len() > 100);
    }
    folder.join(&[both[0], both[1], "--count", "--stats", "stats.json"]);
    assert!(folder.read_text("stats.json").contains("\"written\": 4"));
}

#[test]
fn what_excludes_each_other_and_what_is_no_threshold_is_one_line() {
    let folder = folder();
    let error = |arguments: &[&str]| folder.run(&[&["join", "squares.geojson"], arguments].concat()).error();
    for (value, says) in [
        ("-1", "--min-area = -1: is negative; give 0 or a greater number"),
        ("nan", "--min-area = NaN: is not a number; give 0 or a greater number"),
        ("inf", "--min-area = inf: is infinite; give 0 or a greater finite number"),
        ("-1e-300", "--min-area = -1e-300: is negative; give 0 or a greater number"),
    ] {
        assert_eq!(error(&["--min-area", value]), format!("Error: {says}"));
    }
    for value in ["-0.5", "1.5", "NaN", "1e300"] {
        let text = error(&["--min-iou", value]);
        let says = format!(
            "Error: --min-iou = {value}: is not an intersection over union; give a number from 0 to 1"
        );
        assert_eq!(text, says);
    }
    for option in ["--min-area", "--min-iou"] {
        for (value, says) in [("1e-400", "is smaller than any f64 above 0"), ("-1e-400", "is negative")] {
            let run = folder.run(&["join", "squares.geojson", option, value]);
            let says = format!("{says}; give 0 for all pairs");
            assert!(run.code == Some(2) && run.err.contains(&says) && run.err.contains(value), "{}", run.err);
        }
        let none = folder.run(&["join", "squares.geojson", option, "0e5", "--quiet"]);
        assert_eq!(none.code, Some(0), "{}", none.err);
    }
    assert!(error(&["--relation", "touching", "--min-area", "1"]).contains("no common area"));
    assert!(error(&["--count", "--format", "geojson"]).contains("csv"));
    for arguments in [
        ["--within", "1", "--min-area", "1"],
        ["--within", "1", "--min-iou", "1"],
        ["--within", "1", "--keep", "largest"],
        ["--count", "--with", "area", "--quiet"],
    ] {
        let run = folder.run(&[&["join", "squares.geojson", "squares.geojson"], &arguments[..]].concat());
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.err.contains("cannot be used with"), "{}", run.err);
    }
    let point = feature("1", r#"{"type":"Point","coordinates":[1,1]}"#);
    folder.write("points.geojson", collection(&[point]));
    for option in [["--min-area", "1"], ["--min-iou", "0.5"], ["--keep", "largest"]] {
        let arguments = [&["join", "points.geojson", "squares.geojson"], &option[..]].concat();
        let text = folder.run(&arguments).error();
        let [name, value] = option;
        let says = format!("Error: {name} = {value}: is for pairs of polygons, but a file has points");
        assert!(text.starts_with(&says), "{text}");
    }
}

#[test]
fn the_polygons_of_one_feature_that_overlap_each_other_count_once() {
    let folder = folder();
    let multi = format!(r#"{{"type":"MultiPolygon","coordinates":[{},{}]}}"#, square(0.0), square(1.0));
    let band = r#"{"type":"Polygon","coordinates":[[[-9,0.5],[9,0.5],[9,1.5],[-9,1.5],[-9,0.5]]]}"#;
    folder.write("multi.geojson", collection(&[feature("\"twice\"", &multi)]));
    folder.write("band.geojson", collection(&[feature("\"band\"", band)]));
    for backend in BACKENDS {
        let options = ["--with", "area,iou,area_a,area_b", "--quiet", "--verify", "--backend", backend];
        let arguments = [&["join", "multi.geojson", "band.geojson"], &options[..]].concat();
        let run = folder.run(&arguments).answered();
        // Two squares with a side of 2, one moved by 1.
        assert_eq!(
            run.out,
            "a,b,relation,area,iou,area_a,area_b\ntwice,band,overlapping,3.0,0.14285714285714285,6.0,18.0\n"
        );
    }
    let run =
        folder.run(&["join", "band.geojson", "multi.geojson", "--min-area", "3.5", "--quiet"]).answered();
    assert_eq!(run.out, "a,b,relation\n");
}

#[test]
fn verify_compares_areas_with_relations() {
    let folder = folder();
    let run = folder.run(&["join", "squares.geojson", "parcels.geojson", "--with", "area,iou", "--verify"]);
    let run = run.answered();
    assert!(
        run.err.lines().any(|line| line.starts_with("disagreements") && line.ends_with(" 0")),
        "{}",
        run.err
    );
}
