//! Tests of `join --nearest K`.

use serde_json::{Value, json};

use crate::folder::*;

/// Returns a folder with three files: the squares of [`Folder::with_squares`], whose left sides are at x = 0, 1, 3 and
/// 9; points; and a ring around a square.
fn folder() -> Folder {
    let folder = Folder::with_squares();
    let point = |x: f64, y: f64| format!(r#"{{"type":"Point","coordinates":[{x:?},{y:?}]}}"#);
    let points = [
        feature("\"p\"", &point(-3.0, -4.0)),
        feature("\"q\"", &point(1.5, 1.0)),
        feature("\"none\"", r#"{"type":"MultiPoint","coordinates":[]}"#),
        feature("\"several\"", r#"{"type":"MultiPoint","coordinates":[[6.0,1.0],[-1.0,1.0],[2.5,3.0]]}"#),
    ];
    folder.write("points.geojson", collection(&points));
    // A ring with a square in its hole, and an empty feature.
    let ring = "[[[0,0],[20,0],[20,20],[0,20],[0,0]],[[4,4],[16,4],[16,16],[4,16],[4,4]]]";
    let features = [
        feature("\"ring\"", &polygon(ring)),
        feature("\"island\"", &polygon("[[[9,9],[11,9],[11,11],[9,11],[9,9]]]")),
        feature("\"nothing\"", r#"{"type":"Polygon","coordinates":[]}"#),
        feature("\"corner\"", &polygon("[[[20,20],[22,20],[22,22],[20,22],[20,20]]]")),
    ];
    folder.write("ring.geojson", collection(&features));
    folder
}

#[test]
fn the_nearest_features_are_rows_in_the_order_of_the_distance() {
    let folder = folder();
    for backend in BACKENDS {
        let run = folder.run(&["join", "squares.geojson", "--nearest", "2", "--backend", backend]).answered();
        let rows: Vec<&str> = run.out.lines().collect();
        assert_eq!(
            rows[..7],
            [
                "a,b,relation,distance",
                "left,middle,overlapping,0.0",
                "left,right,disjoint,1.0",
                "middle,left,overlapping,0.0",
                "middle,right,touching,0.0",
                "right,middle,touching,0.0",
                "right,left,disjoint,1.0",
            ],
            "{backend}"
        );
        assert_eq!(rows.len(), 9);
        assert!(rows[7].starts_with("far,right,disjoint,"), "{rows:?}");
        assert!(run.err.contains("2 overlapping, 2 touching, 4 apart"), "{}", run.err);
        assert!(!run.err.contains("candidate pairs"), "{}", run.err);
        // On every backend, the host finds the nearest objects, and the summary says so.
        assert!(run.err.contains("backend         cpu"), "{}", run.err);
        assert_eq!(
            run.err.contains("the host finds the nearest objects"),
            backend.contains("gpu"),
            "{}",
            run.err
        );
    }
    let within = folder.join(&["squares.geojson", "--nearest", "9", "--within", "0.5", "--with", "distance"]);
    let expected = "a,b,relation,distance,ax,ay,bx,by\nleft,middle,overlapping,0.0,,,,\n\
                    middle,left,overlapping,0.0,,,,\nmiddle,right,touching,0.0,,,,\n\
                    right,middle,touching,0.0,,,,\n";
    assert_eq!(within, expected);
}

#[test]
fn a_feature_in_a_hole_is_apart_and_an_empty_feature_is_near_nothing() {
    let folder = folder();
    let found = folder.join(&["ring.geojson", "--nearest", "5"]);
    let expected = "a,b,relation,distance\nring,corner,touching,0.0\nring,island,disjoint,5.0\n\
                    island,ring,disjoint,5.0\n";
    assert!(found.starts_with(expected), "{found}");
    assert_eq!(found.lines().count(), 7, "{found}");
    assert!(!found.contains("nothing"));
    // The first pieces of the two objects touch, and other pieces overlap.
    let bars = "[[[-1,1],[21,1],[21,2],[-1,2],[-1,1]]]";
    folder.write("bar.geojson", collection(&[feature("\"bar\"", &polygon(bars))]));
    let found = folder.join(&["ring.geojson", "bar.geojson", "--nearest", "1"]);
    assert!(found.contains("ring,bar,overlapping,0.0\n"), "{found}");
}

#[test]
fn points_have_nearest_polygons() {
    let folder = folder();
    let join =
        |arguments: &[&str]| folder.join(&[&["points.geojson", "squares.geojson"], arguments].concat());
    let expected = "a,b,relation,distance\np,left,outside,5.0\nq,left,inside,0.0\n\
                    several,left,outside,1.0\n";
    assert_eq!(join(&["--nearest", "1"]), expected);
    let expected = "a,b,relation,distance\nq,left,inside,0.0\nq,middle,inside,0.0\n\
                    several,left,outside,1.0\nseveral,middle,outside,1.0\nseveral,right,outside,1.0\n";
    assert_eq!(join(&["--nearest", "3", "--within", "1"]), expected);
    let two = join(&["--nearest", "2", "--with", "distance", "--within", "1"]);
    assert!(two.contains("\nseveral,left,outside,1.0,-1.0,1.0,0.0,1.0\n"), "{two}");
    assert_eq!(two.matches("several").count(), 2);
}

#[test]
fn ties_are_all_features_at_the_distance_of_the_last() {
    let folder = folder();
    let expected = "a,b,relation,distance\np,left,outside,5.0\nq,left,inside,0.0\nq,middle,inside,0.0\n\
                    several,left,outside,1.0\nseveral,middle,outside,1.0\nseveral,right,outside,1.0\n";
    let points = ["points.geojson", "squares.geojson"];
    assert_eq!(folder.join(&[&points[..], &["--nearest", "1", "--ties"]].concat()), expected);
    let counts = folder.join(&[&points[..], &["--nearest", "2", "--ties", "--count"]].concat());
    assert_eq!(counts, "a,count\np,2\nq,2\nnone,0\nseveral,3\n");
    for backend in BACKENDS {
        let arguments = ["join", "squares.geojson", "--nearest", "1", "--ties", "--backend", backend];
        let found = folder.run(&arguments).answered().out;
        let expected = "a,b,relation,distance\nleft,middle,overlapping,0.0\nmiddle,left,overlapping,0.0\n\
                        middle,right,touching,0.0\nright,middle,touching,0.0\nfar,right,disjoint,";
        assert!(found.starts_with(expected), "{found}");
        assert_eq!(found.lines().count(), 6, "{found}");
    }
    let alone = folder.run(&["join", "squares.geojson", "--ties"]);
    assert_eq!(alone.code, Some(2));
    assert!(alone.err.contains("--nearest"), "{}", alone.err);
}

#[test]
fn every_format_and_the_statistics_have_the_rows() {
    let folder = folder();
    let json = folder.join(&["squares.geojson", "--nearest", "1", "--format", "jsonl"]);
    let first: Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!(first, json!({"a": "left", "b": "middle", "relation": "overlapping", "distance": 0.0}));
    assert_eq!(json.lines().count(), 4);
    let map = folder.join(&["squares.geojson", "--nearest", "2", "--format", "geojson"]);
    let map: Value = serde_json::from_str(&map).unwrap();
    let features = map["features"].as_array().unwrap();
    assert_eq!(features.len(), 8);
    assert_eq!(features[0]["geometry"], Value::Null, "the two meet");
    assert_eq!(features[1]["properties"]["distance"], json!(1.0));
    for name in ["nearest.parquet", "nearest.arrow", "nearest.arrows"] {
        folder.join(&["squares.geojson", "--nearest", "1", "-o", name]);
        assert!(folder.read(name).len() > 100);
    }
    folder.join(&["squares.geojson", "--nearest", "2", "--stats", "stats.json", "--svg", "picture.svg"]);
    let statistics: Value = serde_json::from_str(&folder.read_text("stats.json")).unwrap();
    let pairs = &statistics["pairs"];
    let numbers = ["written", "overlapping", "touching", "apart"].map(|name| pairs[name].as_u64().unwrap());
    assert_eq!(numbers, [8, 2, 2, 4]);
    assert!(pairs["candidates_of_pieces"].as_u64().unwrap() > 0);
    folder.join(&["points.geojson", "squares.geojson", "--nearest", "1", "--stats", "points.json"]);
    let statistics: Value = serde_json::from_str(&folder.read_text("points.json")).unwrap();
    assert_eq!(statistics["pairs"]["written"], json!(3));
}

/// Tests a bow tie with a fill rule, and two patches. One corner of the bow tie's right wing is not an f64 point. The
/// patches lie on the upper and the lower edge of this wing. The wing's piece has the rounded corner, which lies below
/// both edges. The piece therefore overlaps the lower patch, which only touches the wing. The upper patch touches the
/// wing and the piece.
#[test]
fn relations_with_a_fill_rule_are_exact() {
    let folder = Folder::new();
    let tie = feature("\"tie\"", &polygon("[[[0,0],[9,3],[9,0],[0,2],[0,0]]]"));
    let above = feature("\"above\"", &polygon("[[[6,2],[9,3],[6,4],[6,2]]]"));
    let below = feature("\"below\"", &polygon("[[[4.5,1],[9,0],[6,-2],[4.5,1]]]"));
    folder.write("tie.geojson", collection(&[tie]));
    folder.write("patches.geojson", collection(&[above, below]));
    for fill in ["even-odd", "nonzero"] {
        for [a, b] in [["tie.geojson", "patches.geojson"], ["patches.geojson", "tie.geojson"]] {
            let run = folder.run(&["join", a, b, "--nearest", "2", "--fill", fill]).answered();
            let relations: Vec<&str> =
                run.out.lines().skip(1).map(|row| row.split(',').nth(2).unwrap()).collect();
            assert_eq!(relations, ["touching"; 2], "{fill}: {}", run.out);
            let plain = folder.run(&["join", a, b, "--fill", fill]).answered();
            assert_eq!(plain.out.matches("touching").count(), 2, "{}", plain.out);
        }
    }
}

#[test]
fn relations_of_points_with_a_fill_rule_are_exact() {
    let folder = Folder::new();
    let tie = feature("\"tie\"", &polygon("[[[0,0],[9,3],[9,0],[0,2],[0,0]]]"));
    folder.write("tie.geojson", collection(&[tie]));
    let points = ["[6,2]", "[3,1]", "[8.5,2.8]", "[8,2.5]"];
    let points = (0..).zip(points).map(|(id, at): (u32, _)| {
        feature(&id.to_string(), &format!(r#"{{"type":"Point","coordinates":{at}}}"#))
    });
    folder.write("points.geojson", collection(&points.collect::<Vec<_>>()));
    for fill in ["even-odd", "nonzero"] {
        for options in [&["--within", "1"][..], &["--nearest", "1"]] {
            let [a, b] = ["points.geojson", "tie.geojson"];
            let found = folder.join(&[&[a, b, "--fill", fill], options].concat());
            let rows: Vec<&str> = found.lines().skip(1).collect();
            assert_eq!(rows[..2], ["0,tie,boundary,0.0", "1,tie,boundary,0.0"], "{fill} {options:?}");
            assert_eq!(rows[3], "3,tie,inside,0.0", "{fill} {options:?}");
            assert!(
                rows.len() == 4 && rows[2].starts_with("2,tie,inside,0.0"),
                "{fill} {options:?}: {found}"
            );
        }
        // All four points meet the bow tie, so the first points are the nearest.
        let rows =
            ["tie,0,boundary,0.0\n", "tie,1,boundary,0.0\n", "tie,2,inside,0.0\n", "tie,3,inside,0.0\n"];
        for k in 1..=4 {
            for within in ["0", "1"] {
                let options = ["--fill", fill, "--nearest", &k.to_string(), "--within", within];
                let found = folder.join(&[&["tie.geojson", "points.geojson"], &options[..]].concat());
                assert_eq!(found, format!("a,b,relation,distance\n{}", rows[..k].concat()), "{options:?}");
                let found = folder.join(&[&["points.geojson", "tie.geojson"], &options[..]].concat());
                assert_eq!(found.matches(",0.0\n").count(), 4, "{options:?}: {found}");
            }
        }
    }
}

#[test]
fn what_excludes_each_other_and_what_is_no_number_is_an_error() {
    let folder = folder();
    let run =
        |arguments: &[&str]| folder.run(&[&["join", "squares.geojson", "--nearest"], arguments].concat());
    let text = run(&["0"]).error();
    assert!(text.contains("--nearest") && text.contains("give 1 or more"), "{text}");
    for value in ["-1", "nan", "1.5", ""] {
        let found = run(&[value]);
        assert_eq!(found.code, Some(2), "{value}");
        assert!(found.err.contains("--nearest"), "{}", found.err);
    }
    for within in ["-1", "nan", "inf"] {
        let text = run(&["1", "--within", within]).error();
        assert!(text.contains("--within"), "{text}");
    }
    let text = run(&["1", "--with", "distance,area"]).error();
    assert!(text.contains("--with") && text.contains("area") && text.contains("--nearest"), "{text}");
    for arguments in [
        &["1", "--relation", "touching"][..],
        &["1", "--contains"],
        &["1", "--verify"],
        &["1", "--min-area", "1"],
        &["1", "--min-iou", "1"],
        &["1", "--keep", "largest"],
    ] {
        let found = run(arguments);
        assert_eq!(found.code, Some(2), "{arguments:?}");
        assert!(found.err.contains("cannot be used with"), "{}", found.err);
    }
    assert!(folder.run(&["join", "--help"]).answered().out.contains("--nearest 3 --within 500"));
}

/// The number of squares in a row. Square `k` covers x from `6k` to `6k + 2` and y from 0 to 2.
const ROW: i64 = 40;

/// Returns the square of the distance between the point (x, y) and square `k` of the row.
fn square_from_square([x, y]: [i64; 2], k: i64) -> i64 {
    let beyond = |at: i64, least: i64| (least - at).max(at - least - 2).max(0);
    beyond(x, 6 * k).pow(2) + beyond(y, 0).pow(2)
}

/// Returns the points of feature `i`: up to three points, at places along the row and around it.
fn points_of(i: i64) -> Vec<[i64; 2]> {
    (0..=i % 3).map(|part| [(i * 37 + part * 101) % 260 - 10, (i * 11 + part * 5) % 15 - 6]).collect()
}

/// Returns how many of the sorted squares of distances belong to the `k` nearest neighbours. With `ties`, includes the
/// neighbours at the distance of the last.
fn nearest_count(squares: &[i64], k: usize, ties: bool) -> usize {
    let is_found = |i: usize| i < k || ties && squares[i] == squares[k - 1];
    (0..squares.len()).filter(|&i| is_found(i)).count()
}

/// Returns the expected rows of feature `i`: the index of a square, the relation, and the square of the distance. `k` is the
/// number of nearest squares to return, and whether to return ties, or `None` for all squares at a distance of at most `within`.
fn expected_rows(i: i64, k: Option<(usize, bool)>, within: i64) -> Vec<(i64, &'static str, i64)> {
    let points = points_of(i);
    let is_inside = |&[x, y]: &[i64; 2], square: i64| x == 6 * square + 1 && y == 1;
    let mut rows: Vec<(i64, &str, i64)> = (0..ROW)
        .map(|square| {
            let least = points.iter().map(|&point| square_from_square(point, square)).min().unwrap();
            let relation = match least {
                0 if points.iter().any(|point| is_inside(point, square)) => "inside",
                0 => "boundary",
                _ => "outside",
            };
            (square, relation, least)
        })
        .filter(|&(.., least)| least <= within * within)
        .collect();
    if let Some((k, ties)) = k {
        rows.sort_by_key(|&(square, _, least)| (least, square));
        let squares: Vec<i64> = rows.iter().map(|row| row.2).collect();
        rows.truncate(nearest_count(&squares, k, ties));
    }
    rows
}

/// Returns a folder with two files: the row of squares, and features of points.
fn row_and_points(features: i64) -> Folder {
    let folder = Folder::new();
    let squares = (0..ROW).map(|k| feature(&k.to_string(), &polygon(&square((6 * k) as f64))));
    folder.write("row.geojson", collection(&squares.collect::<Vec<_>>()));
    let of_points = (0..features).map(|i| {
        let geometry = format!(r#"{{"type":"MultiPoint","coordinates":{:?}}}"#, points_of(i));
        feature(&i.to_string(), &geometry)
    });
    folder.write("many.geojson", collection(&of_points.collect::<Vec<_>>()));
    folder
}

/// The options of a join, the number of nearest squares with the choice of ties, and the greatest distance.
type Limits<'a> = (&'a [&'a str], Option<(usize, bool)>, i64);

#[test]
fn many_features_of_several_points_have_their_own_nearest_squares() {
    let features = 4_000;
    let folder = row_and_points(features);
    let limits: [Limits<'_>; 4] = [
        (&["--nearest", "5"], Some((5, false)), 1_000),
        (&["--nearest", "2", "--ties"], Some((2, true)), 1_000),
        (&["--nearest", "4", "--within", "7"], Some((4, false)), 7),
        (&["--within", "25"], None, 25),
    ];
    for (options, k, within) in limits {
        let found = folder.join(&[&["many.geojson", "row.geojson"], options].concat());
        let mut found = found.lines().skip(1);
        for i in 0..features {
            for (square, relation, least) in expected_rows(i, k, within) {
                let row: Vec<&str> = found.next().unwrap().split(',').collect();
                assert_eq!(row[..3], [&i.to_string(), &square.to_string(), relation], "{options:?}");
                let distance: f64 = row[3].parse().unwrap();
                assert!((distance - (least as f64).sqrt()).abs() < 1e-9, "{options:?} {row:?} {least}");
            }
        }
        assert_eq!(found.next(), None, "{options:?}");
    }
}

/// Tests the nearest features of each square against integers. Many features are equally near.
#[test]
fn squares_have_their_nearest_features_of_several_points() {
    let features = 500;
    let folder = row_and_points(features);
    let limits: [(&[&str], usize, bool, i64); 6] = [
        (&["--nearest", "5"], 5, false, 1_000),
        (&["--nearest", "5", "--ties"], 5, true, 1_000),
        (&["--nearest", "40", "--within", "3"], 40, false, 3),
        (&["--nearest", "600", "--threads", "1"], 600, false, 1_000),
        (&["--nearest", "2", "--within", "0"], 2, false, 0),
        (&["--nearest", "2", "--within", "0", "--ties"], 2, true, 0),
    ];
    for (options, k, ties, within) in limits {
        let found = folder.join(&[&["row.geojson", "many.geojson"], options].concat());
        let mut found = found.lines().skip(1);
        let mut counts = String::from("a,count\n");
        let of_features: Vec<_> = (0..features).map(|i| expected_rows(i, None, within)).collect();
        for square in 0..ROW {
            let of_square = |(i, rows): (usize, &Vec<(i64, &'static str, i64)>)| {
                rows.iter().find(|row| row.0 == square).map(|&(_, relation, least)| (least, i, relation))
            };
            let mut rows: Vec<_> = of_features.iter().enumerate().filter_map(of_square).collect();
            rows.sort_unstable();
            let squares: Vec<i64> = rows.iter().map(|row| row.0).collect();
            rows.truncate(nearest_count(&squares, k, ties));
            counts += &format!("{square},{}\n", rows.len());
            for (least, i, relation) in rows {
                let row: Vec<&str> = found.next().unwrap().split(',').collect();
                assert_eq!(row[..3], [&square.to_string(), &i.to_string(), relation], "{options:?}");
                let distance: f64 = row[3].parse().unwrap();
                assert!((distance - (least as f64).sqrt()).abs() < 1e-9, "{options:?} {row:?} {least}");
            }
        }
        assert_eq!(found.next(), None, "{options:?}");
        let counted = folder.join(&[&["row.geojson", "many.geojson", "--count"], options].concat());
        assert_eq!(counted, counts, "{options:?}");
    }
}

#[test]
fn the_nearest_points_of_polygons_have_closest_points_from_polygon_to_point() {
    let folder = folder();
    let join =
        |arguments: &[&str]| folder.join(&[&["squares.geojson", "points.geojson"], arguments].concat());
    let one = join(&["--nearest", "1", "--with", "distance"]);
    let expected = "a,b,relation,distance,ax,ay,bx,by\nleft,q,inside,0.0,,,,\nmiddle,q,inside,0.0,,,,\n\
                    right,several,outside,1.0,5.0,1.0,6.0,1.0\nfar,several,outside,3.0,9.0,1.0,6.0,1.0\n";
    assert_eq!(one, expected);
    let two = join(&["--nearest", "2", "--within", "1"]);
    let expected = "a,b,relation,distance\nleft,q,inside,0.0\nleft,several,outside,1.0\n\
                    middle,q,inside,0.0\nmiddle,several,outside,1.0\nright,several,outside,1.0\n";
    assert_eq!(two, expected);
    let map = folder.join(&["squares.geojson", "points.geojson", "--nearest", "1", "--format", "geojson"]);
    let map: Value = serde_json::from_str(&map).unwrap();
    assert_eq!(map["features"][0]["geometry"], json!({"type": "Point", "coordinates": [1.5, 1.0]}));
    let line = json!({"type": "LineString", "coordinates": [[5.0, 1.0], [6.0, 1.0]]});
    assert_eq!(map["features"][2]["geometry"], line);
}
