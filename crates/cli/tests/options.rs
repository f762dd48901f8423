//! Tests of the options of `join`.

use std::collections::BTreeSet;

use crate::folder::*;

#[test]
fn a_relation_is_chosen() {
    let folder = Folder::with_squares();
    let join = |relation| folder.join(&["squares.geojson", "--relation", relation]);
    assert_eq!(join("overlapping"), "a,b,relation\nleft,middle,overlapping\n");
    assert_eq!(join("touching"), "a,b,relation\nmiddle,right,touching\n");
    assert_eq!(join("meeting"), SQUARES_CSV);
}

#[test]
fn a_property_names_the_features() {
    let folder = Folder::with_squares();
    assert_eq!(
        folder.join(&["squares.geojson", "--id", "name"]),
        "a,b,relation\nnleft,nmiddle,overlapping\nnmiddle,nright,touching\n"
    );
    let error = folder.run(&["join", "squares.geojson", "--id", "nam"]).error();
    assert!(error.starts_with("Error: squares.geojson: no feature has the property nam; "), "{error}");
}

#[test]
fn two_files_are_joined_by_the_order_of_both() {
    let folder = Folder::with_squares();
    let [left, middle, right, far] = square_features().try_into().unwrap();
    folder.write("a.geojson", collection(&[far, middle]));
    folder.write("b.geojson", collection(&[right, left]));
    assert_eq!(
        folder.join(&["a.geojson", "b.geojson"]),
        "a,b,relation\nmiddle,right,touching\nmiddle,left,overlapping\n"
    );
    let summary = folder.summary(&["a.geojson", "b.geojson"]);
    assert!(summary.contains("objects         2 and 2\n"), "{summary}");
    let run = folder.run_with_input(&["join", "a.geojson", "-", "-q"], folder.read("b.geojson")).answered();
    assert_eq!(run.out, folder.join(&["a.geojson", "b.geojson"]));
    // A join of a file with itself is a join of two inputs, so every object meets itself.
    let itself = folder.join(&["squares.geojson", "squares.geojson"]);
    assert!(itself.contains("\nfar,far,overlapping\n"), "{itself}");
}

#[test]
fn each_of_two_files_can_have_a_format_of_its_own() {
    let folder = Folder::with_squares();
    folder.write("table", "id,wkt\nb,\"POLYGON ((0 0, 1 0, 1 1, 0 1))\"\n");
    let expected = "a,b,relation\nleft,b,overlapping\nmiddle,b,touching\n";
    let join = |arguments: &[&str]| folder.join(&[&["squares.geojson", "table"], arguments].concat());
    assert_eq!(join(&["--from-b", "csv"]), expected);
    assert_eq!(join(&["--from", "geojson", "--from-b", "csv"]), expected);
    let swapped = folder.join(&["table", "squares.geojson", "--from", "csv", "--from-b", "geojson"]);
    assert_eq!(swapped, "a,b,relation\nb,left,overlapping\nb,middle,touching\n");
    // Without --from-b, --from applies to both files.
    assert_eq!(folder.join(&["table", "table", "--from", "csv"]), "a,b,relation\nb,b,overlapping\n");
    let error = folder.run(&["join", "table", "squares.geojson", "--from", "csv"]).error();
    assert!(error.starts_with("Error: squares.geojson: no column is known to have geometries"), "{error}");
    assert_eq!(folder.run(&["join", "table", "--from-b", "csv"]).code, Some(2));
}

#[test]
fn standard_input_cannot_be_both() {
    let error = Folder::new().run_with_input(&["join", "-", "-"], squares()).error();
    assert!(error.contains("standard input"), "{error}");
}

#[test]
fn backends_write_the_same_bytes() {
    let folder = Folder::new();
    for (scene, count) in [
        ("boxes", "3000"),
        ("ngons", "3000"),
        ("big-ngons", "1000"),
        ("crowd", "3000"),
        ("clustered", "3000"),
        ("near-touching", "4000"),
    ] {
        let name = format!("{scene}.geojson");
        folder.run(&["gen", "--scene", scene, "--count", count, "--seed", "7", "-o", &name]).answered();
        same_bytes(&folder, &name);
    }
    same_bytes(&folder, COUNTIES);
}

fn same_bytes(folder: &Folder, input: &str) {
    let runs: Vec<Run> = BACKENDS
        .iter()
        .map(|backend| folder.run(&["join", input, "--skip-invalid", "--backend", backend]).answered())
        .collect();
    assert!(runs[0].out.lines().count() > 700, "{input}: {}", runs[0].err);
    for (backend, run) in BACKENDS.iter().zip(&runs) {
        assert!(run.out == runs[0].out, "{input}: {backend}");
        let said = run.err.lines().last().unwrap();
        assert!(said.starts_with(&format!("backend         {backend}: ")) || *backend == "auto", "{said}");
    }
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    let folder = Folder::new();
    folder.run(&["gen", "--scene", "crowd", "--count", "5000", "-o", "in.geojson"]).answered();
    let join = |threads| folder.join(&["in.geojson", "--threads", threads]);
    let one = join("1");
    assert!(one.lines().count() > 5000);
    assert!(one == join("2") && one == join("7"));
    assert!(folder.summary(&["in.geojson", "--threads", "7"]).contains("cpu: 7 threads"));
}

#[test]
fn verify_decides_every_pair_again() {
    let folder = Folder::with_squares();
    let run = folder.run(&["join", "squares.geojson", "--backend", "cpu", "--verify"]).answered();
    assert_eq!(run.out, SQUARES_CSV);
    for line in ["pairs checked   2", "agreements      2", "disagreements   0"] {
        assert!(run.err.lines().any(|l| l == line), "{}", run.err);
    }
    assert!(!run.err.contains("within D"), "{}", run.err);
}

/// Tests the cross-check of the pairs within a distance. Two pairs that do not meet are 1 and 4 apart, and the next
/// pair is 6 apart. Boxes grow outward, so a pair that is one ulp too far apart is still a candidate.
#[test]
fn verify_decides_again_which_pairs_are_within_a_distance() {
    let folder = Folder::with_squares();
    for (within, rows, candidates) in [("0", 2, 2), ("4", 4, 4), ("3.9999999999999996", 3, 4), ("6", 5, 5)] {
        for backend in BACKENDS {
            let arguments = ["join", "squares.geojson", "--verify", "--backend", backend, "--within", within];
            let run = folder.run(&[&arguments[..], &["--with", "distance,penetration,manifold"]].concat());
            let run = run.answered();
            assert_eq!(run.out.lines().count(), 1 + rows, "{}", run.out);
            let line = format!("within D        {candidates} pairs of pieces checked, 0 disagreements");
            assert!(run.err.lines().any(|l| l == line), "{within}: {}", run.err);
        }
    }
    // In a scene of 2,000 polygons, the check finds no disagreement, either.
    folder.run(&["gen", "--scene", "crowd", "--count", "2000", "-o", "in.geojson"]).answered();
    let summary = folder.summary(&["in.geojson", "in.geojson", "--within", "0.7", "--verify"]);
    assert!(summary.contains(" pairs of pieces checked, 0 disagreements"), "{summary}");
}

#[test]
fn the_summary_is_all_that_is_said_where_nobody_watches() {
    let folder = Folder::with_squares();
    let summary = folder.summary(&["squares.geojson", "--threads", "2"]);
    assert!(!summary.contains(['\r', '\u{1b}']), "{summary:?}");
    let time = summary.lines().find(|line| line.starts_with("time ")).unwrap();
    assert!(time.ends_with(" s"), "{time}");
    // A stage of a short run may take no time.
    let stages = summary.lines().find(|line| line.starts_with("stages ")).map(|line| format!("{line}\n"));
    assert_eq!(
        summary.replace(time, "time").replace(&stages.unwrap_or_default(), ""),
        "objects         4\n\
         pieces          4\n\
         candidate pairs 2 of objects, 2 of pieces\n\
         found           1 overlapping, 1 touching\n\
         uncertain       1 pairs of pieces, decided by exact arithmetic\n\
         time\n\
         backend         cpu: 2 threads (requested)\n"
    );
    assert_eq!(folder.summary(&["squares.geojson", "-q"]), "");
    assert_eq!(folder.summary(&["squares.geojson", "--quiet", "--verify"]), "");
}

/// Tests that no time is counted in two stages. On one CPU thread, no two stages run at the same time.
#[test]
fn no_second_is_counted_in_two_stages() {
    let folder = Folder::new();
    folder.run(&["gen", "--scene", "ngons", "--count", "50000", "-o", "in.geojson"]).answered();
    folder.join(&["in.geojson", "--threads", "1", "--stats", "stats.json"]);
    let statistics: serde_json::Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
    let seconds = statistics["seconds"].as_object().unwrap();
    let total = seconds["total"].as_f64().unwrap();
    let stages: f64 = seconds.values().map(|value| value.as_f64().unwrap()).sum::<f64>() - total;
    assert!(0.0 < stages && stages <= total, "{statistics}");
}

#[test]
fn statistics_have_every_count_and_stage() {
    let folder = Folder::with_squares();
    let arguments = ["squares.geojson", "squares.geojson", "--verify", "--stats", "stats.json"];
    folder.join(&arguments);
    let statistics: serde_json::Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
    let keys = |value: &serde_json::Value| {
        value.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ")
    };
    let sorted =
        |names: &str| names.split(' ').collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&statistics), sorted("version backend adapter reason threads a b pairs check seconds"));
    let side = "crs objects points pieces vertices row_groups row_groups_left_out skipped_invalid filled piece_displacement null_geometries empty_geometries empty_polygons \
                third_ordinates_ignored rings_closed ids_missing ids_repeated ids_told_apart ids_with_controls repeated_vertices collinear_vertices reversed_rings \
                retraced_edges touching_vertices";
    assert_eq!(keys(&statistics["a"]), sorted(side));
    assert_eq!(keys(&statistics["b"]), sorted(side));
    let pairs = "candidates_of_objects candidates_of_pieces candidates_of_polygons overlapping touching apart written uncertain oversized refined";
    assert_eq!(keys(&statistics["pairs"]), sorted(pairs));
    assert_eq!(keys(&statistics["check"]), sorted("pairs agreements disagreements crossed_pairs"));
    let seconds = "backend read decompose pack broad_phase upload kernel readback exact check collect figures write total";
    assert_eq!(keys(&statistics["seconds"]), sorted(seconds));
    let seconds = statistics["seconds"].as_object().unwrap();
    assert!(seconds.values().all(|value| value.as_f64().is_some_and(|s| s >= 0.0)), "{seconds:?}");
    assert!(seconds["read"].as_f64().unwrap() > 0.0 && seconds["total"].as_f64().unwrap() > 0.0);
    assert_eq!(statistics["backend"], "cpu");
    assert_eq!(statistics["pairs"]["written"], 8);
    assert_eq!(statistics["a"]["vertices"], 16);
}

#[test]
#[cfg(feature = "gpu")]
fn statistics_name_the_adapter() {
    let folder = Folder::with_squares();
    folder.run(&["join", "squares.geojson", "--backend", "gpu", "--stats", "stats.json"]).answered();
    let statistics: serde_json::Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
    assert_eq!(statistics["backend"], "gpu");
    assert!(!statistics["adapter"].as_str().unwrap().is_empty());
    assert_eq!(statistics["check"], serde_json::Value::Null);
    assert_eq!(statistics["b"], serde_json::Value::Null);
}

#[test]
fn a_picture_has_every_polygon_and_where_they_meet() {
    let folder = Folder::with_squares();
    folder.join(&["squares.geojson", "--svg", "picture.svg"]);
    let picture = folder.read_text("picture.svg");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    // Each class also appears once in the legend.
    for (class, count) in [("a", 5), ("overlapping", 2), ("touching", 2)] {
        assert_eq!(picture.matches(&format!("<path class=\"{class}\"")).count(), count, "{class}");
    }
    for legend in [">4 polygons<", ">1 pairs touch", ">1 overlap"] {
        assert!(picture.contains(legend), "{legend}: {picture}");
    }
}

#[test]
fn a_picture_of_too_many_vertices_is_refused() {
    let folder = Folder::new();
    folder.run(&["gen", "--scene", "boxes", "--count", "250001", "-o", "in.geojson"]).answered();
    let error = folder.run(&["join", "in.geojson", "--backend", "cpu", "--svg", "picture.svg"]).error();
    assert!(error.contains("--svg") && error.contains("1000004 vertices"), "{error}");
    assert_eq!(folder.names(), ["in.geojson"]);
}

#[test]
fn invalid_features_are_skipped_listed_and_counted_where_asked() {
    let folder = Folder::new();
    let mut features = square_features();
    features.insert(1, feature("\"bow\"", &polygon("[[[0,0],[2,2],[2,0],[0,2],[0,0]]]")));
    features.insert(3, feature("\"odd\"", r#"{"type":"Point","coordinates":[0,0]}"#));
    folder.write("in.geojson", collection(&features));
    let error = folder.run(&["join", "in.geojson"]).error();
    assert!(error.starts_with("Error: in.geojson, feature 1 (id bow): polygon 0: segment "), "{error}");

    let arguments = ["join", "in.geojson", "--backend", "cpu", "--skip-invalid", "--stats", "stats.json"];
    let run = folder.run(&arguments).answered();
    assert_eq!(run.out, SQUARES_CSV);
    let listed: Vec<&str> = run.err.lines().filter(|line| line.starts_with("skipped: ")).collect();
    assert_eq!(listed.len(), 2, "{}", run.err);
    assert!(listed[0].contains("feature 1 (id bow)") && listed[0].contains("crosses"), "{}", listed[0]);
    assert!(listed[1].contains("feature 3 (id odd): a point among polygons"), "{}", listed[1]);
    assert!(run.err.contains("2 invalid features skipped"), "{}", run.err);
    let statistics: serde_json::Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
    assert_eq!(statistics["a"]["skipped_invalid"], 2);
}

#[test]
fn rings_that_cross_are_inside_by_a_rule_and_listed() {
    let folder = Folder::new();
    let names = ["tie", "left", "notch", "star", "centre"];
    // The centre of the pentagram has the winding number 2. The square in the notch touches the crossing of the tie.
    let rings = [
        "[[[0,0],[4,4],[4,0],[0,4],[0,0]]]",
        "[[[0,1],[1,2],[0,3],[0,1]]]",
        "[[[2,2],[3,4],[1,4],[2,2]]]",
        "[[[100,20],[112,-16],[81,6],[119,6],[88,-16],[100,20]]]",
        "[[[99,-1],[101,-1],[101,1],[99,1],[99,-1]]]",
    ];
    let features: Vec<String> =
        names.iter().zip(rings).map(|(name, ring)| feature(&format!("\"{name}\""), &polygon(ring))).collect();
    folder.write("in.geojson", collection(&features));
    let error = folder.run(&["join", "in.geojson"]).error();
    assert!(error.trim_end().ends_with("or choose a fill rule"), "{error}");
    for (rule, inside) in [("even-odd", ""), ("nonzero", "star,centre,overlapping\n")] {
        let arguments = ["join", "in.geojson", "--fill", rule, "--verify", "--stats", "stats.json"];
        let run = folder.run(&arguments).answered();
        assert_eq!(
            run.out,
            format!("a,b,relation\ntie,left,overlapping\ntie,notch,touching\n{inside}"),
            "{rule}: {}",
            run.err
        );
        let listed: Vec<&str> = run.err.lines().filter(|line| line.starts_with("filled: ")).collect();
        assert_eq!(listed.len(), 2, "{}", run.err);
        assert!(listed[0].contains("feature 0 (id tie): polygon 0: segment 0 of ring 0"), "{}", listed[0]);
        assert!(listed[0].ends_with("crosses another segment of the polygon near (2, 2)"), "{}", listed[0]);
        assert!(run.err.contains("2 features with rings that cross, inside by --fill"), "{}", run.err);
        let statistics: serde_json::Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
        assert_eq!(statistics["a"]["filled"], 2);
        assert_eq!(statistics["check"]["disagreements"], 0);
        let pairs = if inside.is_empty() { 2 } else { 3 };
        assert_eq!(statistics["check"]["crossed_pairs"], pairs);
        assert!(statistics["a"]["piece_displacement"].as_f64().unwrap() < 1e-14);
    }
    let run = folder.run(&["join", "in.geojson", "--fill", "nonzero", "--with", "penetration"]).answered();
    assert!(run.out.contains("star,centre,overlapping,"), "{}", run.out);
    assert!(run.err.contains("crossings rounded for measurements, moved by at most "), "{}", run.err);
    let run = folder.run(&["join", "in.geojson", "--fill", "odd"]);
    assert!(run.code == Some(2) && run.err.contains("[possible values: even-odd, nonzero]"), "{}", run.err);
}

/// Tests the message for a MultiPolygon with one invalid part. The whole MultiPolygon is left out, so the message names the
/// part and says what else is left out.
#[test]
fn a_bad_part_of_a_multipolygon_is_named_with_what_is_left_out() {
    let folder = Folder::new();
    let (good, other) = (square(0.0), square(5.0));
    for (part, says) in [
        ("[[[7,7],[8,8]]]", "polygon 1, ring 0 has 2 distinct vertices; at least 3 are needed"),
        ("[[[7,7],[8,8],[7,7]]]", "polygon 1, ring 0 has 2 distinct vertices; at least 3 are needed"),
        ("[[[7,7],[8,8],[9,9]]]", "polygon 1, ring 0 has no area: all 3 vertices, from (7, 7)"),
        ("[[[7,7],[9,9],[9,7],[7,9]]]", "polygon 1: segment "),
        (
            "[[[7,7],[9,7],[9,9],[7,9]],[[30,0],[31,0],[31,1]]]",
            "polygon 1: hole 1 leaves its shell at (30, 0)",
        ),
        (
            "[[[7,7],[9,7],[9,9],[7,9]],[[8,8],[8.5]]]",
            "polygon 1, ring 1, position 1 is [8.5]; it needs 2 numbers",
        ),
    ] {
        let geometry = format!(r#"{{"type":"MultiPolygon","coordinates":[{good},{part},{other}]}}"#);
        folder.write(
            "in.geojson",
            collection(&[feature("\"province\"", &geometry), square_features().remove(1)]),
        );
        let error = folder.run(&["join", "in.geojson"]).error();
        assert!(error.starts_with(&format!("Error: in.geojson, feature 0 (id province): {says}")), "{error}");
        let run = folder.run(&["join", "in.geojson", "--skip-invalid", "--backend", "cpu"]).answered();
        assert_eq!(run.out, "a,b,relation\n");
        let skipped = run.err.lines().next().unwrap();
        let start = format!("skipped: in.geojson, feature 0 (id province): {says}");
        assert!(skipped.starts_with(&start), "{skipped}");
        let is_read = !says.contains("position");
        assert_eq!(skipped.ends_with("; its 2 other polygons are left out with it"), is_read, "{skipped}");
    }
}

#[test]
fn of_many_invalid_features_the_first_are_listed() {
    let folder = Folder::new();
    let odd = |k: usize| feature(&k.to_string(), r#"{"type":"LineString","coordinates":[[0,0],[1,1]]}"#);
    folder.write("in.ndjson", (0..1_234).map(odd).collect::<Vec<_>>().join("\n"));
    let run = folder.run(&["join", "in.ndjson", "--skip-invalid", "--stats", "stats.json"]).answered();
    let listed: Vec<&str> = run.err.lines().filter(|line| line.starts_with("skipped: ")).collect();
    assert_eq!((listed.len(), listed[100]), (101, "skipped: and 1,134 more invalid features"));
    assert!(run.err.contains("1,234 invalid features skipped"), "{}", run.err);
    let statistics: serde_json::Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
    assert_eq!(statistics["a"]["skipped_invalid"], 1_234);
    let run = folder.run(&["info", "in.ndjson"]).answered();
    assert!(run.out.contains("  LineString    1,234\n"), "{}", run.out);
    folder.write("two.ndjson", [feature("0", &polygon(&square(0.0))), odd(1)].join("\n"));
    let run = folder.run(&["explain", "two.ndjson", "--skip-invalid", "--pair", "0", "1"]);
    assert!(run.err.contains("names a feature that was skipped"), "{}", run.err);
}

#[test]
fn the_summary_says_where_the_time_went() {
    let folder = Folder::new();
    folder.run(&["gen", "--scene", "boxes", "--count", "20000", "-o", "in.geojson"]).answered();
    let summary = folder.summary(&["in.geojson"]);
    let stages = summary.lines().find(|line| line.starts_with("stages          ")).unwrap();
    assert!(stages.contains(" read ") && stages.contains(" s (") && stages.ends_with("%)"), "{stages}");
    let shares =
        stages.split('(').skip(1).map(|text| text.split('%').next().unwrap().parse::<u32>().unwrap());
    let sum: u32 = shares.sum();
    assert!((20..=106).contains(&sum), "{stages}");
}
