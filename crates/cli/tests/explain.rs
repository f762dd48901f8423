//! Tests of `explain`: the table, JSON, the picture, and the choice of the pair.

use serde_json::Value;

use crate::folder::*;

fn explain(folder: &Folder, arguments: &[&str]) -> Run {
    folder.run(&[&["explain"], arguments].concat())
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let run = explain(folder, &[arguments, &["--format", "json"]].concat()).answered();
    assert_eq!(run.err, "");
    serde_json::from_str(&run.out).unwrap()
}

/// Returns a folder with four features: an L of two pieces, a square that overlaps the second piece of the L, and two
/// features with the same id. One of the last two has a null geometry.
fn with_pieces() -> Folder {
    let folder = Folder::new();
    let l = "[[[0,0],[3,0],[3,1],[1,1],[1,3],[0,3],[0,0]]]";
    let features = [
        feature("\"L <1>\"", &polygon(l)),
        feature("7", &polygon("[[[0.5,2.5],[2,2.5],[2,4],[0.5,4],[0.5,2.5]]]")),
        feature("\"twice\"", &polygon("[[[9,9],[10,9],[9,10],[9,9]]]")),
        feature("\"twice\"", "null"),
    ];
    folder.write("pieces.geojson", collection(&features));
    folder
}

#[test]
fn the_table_has_a_row_an_axis_and_the_verdict() {
    let run = explain(&Folder::with_squares(), &["squares.geojson", "--pair", "left", "middle"]).answered();
    assert_eq!(run.err, "");
    assert_eq!(
        run.out,
        "A               left: (0, 0) (2, 0) (2, 2) (0, 2)\n\
         B               middle: (1, 0) (3, 0) (3, 2) (1, 2)\n\
         origin          (0, 0); it is at 0 on every axis\n\
         \n\
         axis  normal   edges        projection of A  projection of B  overlap\n\
         1     (0, -1)  A0 A2 B0 B2  -2 to 0          -2 to 0          2\n\
         2     (1, 0)   A1 A3 B1 B3  0 to 2           1 to 3           1        least overlap\n\
         \n\
         verdict         overlapping: the projections overlap on every axis, least on axis 2; the shortest way out is to \
         move B by 1 toward (1, 0)\n"
    );
}

#[test]
fn touching_and_disjoint_pairs_name_the_axis_that_shows_it() {
    let folder = Folder::with_squares();
    let touching = explain(&folder, &["squares.geojson", "--pair", "middle", "right"]).answered().out;
    assert!(
        touching.ends_with(
            "touching: no axis separates A and B, and on axis 2 their projections meet in one point\n"
        ),
        "{touching}"
    );
    let apart = explain(&folder, &["squares.geojson", "--pair", "far", "left"]).answered().out;
    assert!(apart.contains("9 to 11          0 to 2           -7       separates, widest gap\n"), "{apart}");
    assert!(
        apart.ends_with("disjoint: axis 2 separates A and B by a gap of 7; no other axis does\n"),
        "{apart}"
    );
}

#[test]
fn json_has_every_figure_and_ids_as_they_came() {
    let folder = with_pieces();
    let found = json(&folder, &["pieces.geojson", "--pair", "L <1>", "7"]);
    assert_eq!((&found["a"]["id"], &found["b"]["id"]), (&"L <1>".into(), &7.into()));
    assert_eq!((&found["a"]["piece_count"], &found["b"]["piece_count"]), (&2.into(), &1.into()));
    assert_eq!(found["relation"], "overlapping");
    let deciding = &found["axes"][found["deciding_axis"].as_u64().unwrap() as usize];
    assert_eq!((&deciding["overlap"], &deciding["separates"]), (&0.5.into(), &false.into()));
    assert_eq!(found["axes"].as_array().unwrap().len(), 3, "{found}");
    // The pair is the same, but it comes from two files, in the opposite order.
    let swapped = json(&folder, &["pieces.geojson", "pieces.geojson", "--pair", "7", "L <1>"]);
    assert_eq!((&swapped["a"]["id"], &swapped["relation"]), (&7.into(), &"overlapping".into()));
}

#[test]
fn the_pieces_that_decide_are_named() {
    let out = explain(&with_pieces(), &["pieces.geojson", "--pair", "index:0", "1"]).answered().out;
    let line = out.lines().find(|line| line.starts_with("pieces")).unwrap();
    assert!(line.contains(" of 2 in A and number 1 of 1 in B, the first pair that overlaps; "), "{line}");
}

#[test]
fn of_rings_that_cross_the_edges_that_decide_are_named() {
    let folder = Folder::new();
    let features = [
        feature("\"tie\"", &polygon("[[[0,0],[4,4],[4,0],[0,4],[0,0]]]")),
        feature("\"over\"", &polygon("[[[0,2],[4,2],[2,1],[0,2]]]")),
        feature("\"beside\"", &polygon("[[[1,3],[2,3],[2,4],[1,4],[1,3]]]")),
        feature("\"in\"", &polygon("[[[1,1.5],[1.25,2],[1,2.5],[1,1.5]]]")),
    ];
    folder.write("tie.geojson", collection(&features));
    let explained = |name: &str| -> Value {
        let pair = ["tie.geojson", "--fill", "even-odd", "--pair", "tie", name, "--format", "json"];
        let run = explain(&folder, &pair).answered();
        // Standard error names the feature whose rings cross.
        assert!(run.err.starts_with("filled: ") && run.err.lines().count() == 1, "{}", run.err);
        serde_json::from_str(&run.out).unwrap()
    };
    let over = explained("over");
    assert_eq!(over["relation"], "overlapping");
    assert_eq!(over["edges"]["edges"].as_array().map(Vec::len), Some(2), "an edge of each");
    let beside = explained("beside");
    assert_eq!(
        (&beside["relation"], &beside["edges"]["points"][0]),
        (&"touching".into(), &[1.0, 3.0].into())
    );
    let inside = explained("in");
    assert_eq!(inside["edges"]["edges"], Value::Null);
    assert_eq!(inside["edges"]["points"][0], Value::from([1.0, 1.5]));
    let arguments = ["tie.geojson", "--fill", "even-odd", "--pair", "tie", "beside"];
    let out = explain(&folder, &arguments).answered().out;
    let line = out.lines().find(|line| line.starts_with("edges")).unwrap();
    assert!(
        line.starts_with("edges           the edge of A from (4, 0) to (0, 4) meets the edge of B "),
        "{line}"
    );
    assert!(line.ends_with(" at (1, 3); nowhere do the interiors have common points"), "{line}");
}

#[test]
fn of_concave_polygons_the_way_out_separates_all_pairs_of_pieces() {
    let folder = Folder::new();
    let l = feature("\"L\"", &polygon("[[[0,0],[3,0],[3,1],[1,1],[1,3],[0,3],[0,0]]]"));
    let block = feature("\"block\"", &polygon("[[[0.75,0.5],[2.5,0.5],[2.5,2.5],[0.75,2.5],[0.75,0.5]]]"));
    let far = feature("\"far\"", &polygon("[[[2,2],[3,2],[3,3],[2,3],[2,2]]]"));
    let beside = feature("\"beside\"", &polygon("[[[3,0],[4,0],[4,1],[3,1],[3,0]]]"));
    folder.write("concave.geojson", collection(&[l, block, far, beside]));
    let verdict = |b: &str| {
        let run = explain(&folder, &["concave.geojson", "--pair", "L", b, "--svg", "pair.svg"]).answered();
        let verdict = run.out.lines().last().unwrap().strip_prefix("verdict         ").unwrap().to_string();
        let svg = folder.read_text("pair.svg");
        assert!(svg.contains(&format!("<title>{verdict}</title>")), "{svg}");
        assert!(
            run.out.contains("A and B are disjoint only if all 2 pairs of pieces are disjoint"),
            "{}",
            run.out
        );
        // The picture has the same numbers as the table.
        for row in run.out.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
            let cells: Vec<&str> = row.split("  ").filter(|cell| !cell.is_empty()).map(str::trim).collect();
            let (edges, overlap) = (cells[2], cells[5].trim_start_matches('-'));
            let what = if cells[5].starts_with('-') { "gap" } else { "overlap" };
            assert!(
                svg.contains(&format!(">{} ({edges}): {what} {overlap}</text>", cells[0])),
                "{row}: {svg}"
            );
        }
        verdict
    };
    assert!(
        verdict("block").ends_with(
            "the shortest way out, which separates all pairs, is to move B by 0.559017 toward (0.447214, 0.894427)"
        ),
        "{}",
        verdict("block")
    );
    assert!(
        verdict("far").starts_with("disjoint: all pairs of pieces are disjoint; axis "),
        "{}",
        verdict("far")
    );
    assert!(verdict("beside").starts_with("touching: no pair of pieces overlaps; "), "{}", verdict("beside"));
    let found = json(&folder, &["concave.geojson", "--pair", "L", "block"]);
    let separating = &found["separating_translation"];
    assert_eq!(separating["a"], serde_json::json!([-0.25, -0.5]));
    assert_eq!(separating["b"], serde_json::json!([0.25, 0.5]));
    assert_eq!(separating["length"], 0.3125f64.sqrt());
    assert_eq!(separating["is_least"], true);
    let apart = json(&folder, &["concave.geojson", "--pair", "L", "far"]);
    assert_eq!(apart["separating_translation"]["length"], 0.0);
}

#[test]
fn the_picture_shows_polygons_axes_and_projections() {
    let folder = with_pieces();
    explain(&folder, &["pieces.geojson", "--pair", "L <1>", "7", "--svg", "pair.svg"]).answered();
    let svg = folder.read_text("pair.svg");
    let count = |what: &str| svg.matches(what).count();
    // Each polygon appears once in the picture and once in the legend. There are three axes, each with a bar for each
    // polygon and one stretch.
    assert_eq!((count("class=\"polygon a\""), count("class=\"polygon b\"")), (2, 2));
    assert_eq!((count("class=\"axis\""), count("class=\"bar a\""), count("class=\"bar b\"")), (3, 3, 3));
    assert_eq!((count("class=\"area common\""), count("class=\"area apart\"")), (3, 0));
    assert_eq!((count("<g class=\"strong\">"), count("<g class=\"weak\">")), (1, 2));
    assert!(svg.contains("A: L &lt;1&gt;, 4 vertices") && !svg.contains("L <1>"), "{svg}");
    assert!(svg.contains("Pieces: ") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let alone = explain(&folder, &["pieces.geojson", "--pair", "L <1>", "7", "--format", "svg"]).answered();
    assert_eq!(alone.out, svg);
}

#[test]
fn of_many_axes_some_are_drawn_and_the_picture_says_so() {
    let folder = Folder::new();
    let arc = |x: i32| {
        let points = (-20..=20).map(|i| format!("[{},{}]", x + i * i, 20 * i)).collect::<Vec<_>>();
        polygon(&format!("[[{},{}]]", points.join(","), points[0]))
    };
    folder.write("arcs.geojson", collection(&[feature("1", &arc(0)), feature("2", &arc(900))]));
    let table = explain(&folder, &["arcs.geojson", "--pair", "1", "2", "--svg", "arcs.svg"]).answered().out;
    let rows = table.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
    assert_eq!(rows, 41, "{table}");
    let svg = folder.read_text("arcs.svg");
    assert_eq!(svg.matches("class=\"axis\"").count(), 8);
    assert!(svg.contains("8 of 41 axes are drawn"), "{svg}");
}

#[test]
fn a_figure_that_rounding_hides_is_said_to_be() {
    // B's vertex is below A's slanted edge. The distance is so small that rounded ends of projections may not show it.
    let folder = Folder::new();
    let a = feature("\"a\"", &polygon("[[[0,-1],[3,0],[0,0],[0,-1]]]"));
    let b = feature("\"b\"", &polygon("[[[1,-0.6666666666666667],[0.5,-4],[4,-4],[1,-0.6666666666666667]]]"));
    folder.write("close.geojson", collection(&[a, b]));
    let found = json(&folder, &["close.geojson", "--pair", "a", "b"]);
    assert_eq!(found["relation"], "disjoint");
    let hidden = found["axes"][0]["ends_agree"] == false;
    let out = explain(&folder, &["close.geojson", "--pair", "a", "b", "--svg", "close.svg"]).answered().out;
    assert!(out.contains("verdict         disjoint: "), "{out}");
    assert_eq!(
        out.contains("\nnote            on axis 1, the ends of the projections differ"),
        hidden,
        "{out}"
    );
    assert!(hidden && folder.read_text("close.svg").contains("ends of the projections differ"));
}

#[test]
fn pairs_that_cannot_be_explained_are_errors_that_say_why() {
    let folder = with_pieces();
    for (pair, message) in [
        (["nobody", "7"], "Error: --pair = nobody: is the id of no feature; "),
        (["7", "index:4"], "Error: --pair = index:4: is neither the id nor the index of a feature"),
        (["-1", "7"], "Error: --pair = -1: is the id of no feature; "),
        (["7", "twice"], "Error: --pair = twice: is the id of several features; "),
        (["7", "index:3"], "Error: object 3 has no polygon"),
    ] {
        let arguments = ["pieces.geojson", "--pair", pair[0], pair[1], "--svg", "none.svg", "-o", "none"];
        let error = explain(&folder, &arguments).error();
        assert!(error.starts_with(message), "{error}");
    }
    assert_eq!(folder.names(), ["pieces.geojson"]);
    explain(&folder, &["pieces.geojson", "--pair", "7", "index:2"]).answered();
    assert_eq!(explain(&folder, &["pieces.geojson"]).code, Some(2));
}

#[test]
fn outputs_replace_neither_input_nor_each_other() {
    let folder = with_pieces();
    let before = folder.read("pieces.geojson");
    for outputs in [["-o", "pieces.geojson"], ["--svg", "pieces.geojson"], ["--svg", "-"]] {
        let arguments = [&["pieces.geojson", "--pair", "7", "L <1>"][..], &outputs].concat();
        let error = explain(&folder, &arguments).error();
        assert!(error.contains("is an input or another output of this run"), "{error}");
    }
    assert_eq!(folder.read("pieces.geojson"), before);
}

#[test]
fn the_name_of_the_output_says_its_format() {
    let folder = Folder::with_squares();
    for (name, begins) in [("pair.svg", "<svg"), ("pair.json", "{"), ("pair.txt", "A    ")] {
        explain(&folder, &["squares.geojson", "--pair", "left", "middle", "-o", name]).answered();
        assert!(folder.read_text(name).starts_with(begins), "{name}");
    }
}

#[test]
fn a_feature_that_was_skipped_is_said_to_be() {
    let folder = Folder::new();
    let bad = feature("\"bad\"", &polygon("[[[0,0],[1,0],[0,0]]]"));
    folder.write("some.geojson", collection(&[bad, feature("\"good\"", &polygon(&square(0.0)))]));
    for name in ["bad", "index:0"] {
        let run = explain(&folder, &["some.geojson", "--skip-invalid", "--pair", name, "good"]);
        assert_eq!(run.code, Some(2));
        assert!(
            run.err.contains(&format!("Error: --pair = {name}: names a feature that was skipped as invalid")),
            "{}",
            run.err
        );
    }
}
