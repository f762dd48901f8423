//! Points within a distance of polygons.

use serde_json::{Value, json};

use crate::folder::*;

fn point(id: &str, [x, y]: [f64; 2]) -> String {
    feature(&format!("\"{id}\""), &format!(r#"{{"type":"Point","coordinates":[{x:?},{y:?}]}}"#))
}

/// Returns a file with a square and a triangle. The square goes from (0, 0) to (10, 10), and its hole from (3, 3) to
/// (7, 7). The triangle is far to the right.
fn polygons() -> String {
    let square = "[[[0,0],[10,0],[10,10],[0,10],[0,0]],[[3,3],[7,3],[7,7],[3,7],[3,3]]]";
    let triangle = "[[[100,0],[104,0],[100,3],[100,0]]]";
    collection(&[feature("\"ring\"", &polygon(square)), feature("\"triangle\"", &polygon(triangle))])
}

fn folder(points: &[String]) -> Folder {
    let folder = Folder::new();
    folder.write("polygons.geojson", polygons());
    folder.write("points.geojson", collection(points));
    folder
}

/// Returns a folder with the polygons, and one point of each kind. All points except the last two are at most 5 away from the
/// square.
fn kinds() -> Folder {
    folder(&[
        point("inside", [1.0, 5.0]),
        point("edge", [10.0, 5.0]),
        point("corner", [10.0, 10.0]),
        point("rim", [3.0, 5.0]),
        point("hole", [4.0, 5.0]),
        // This point is 3 to the right of a corner and 4 above it, so its distance is 5.
        point("five", [13.0, 14.0]),
        // This point is one ulp farther than `five`.
        point("beyond", [13.0, 14f64.next_up()]),
        point("far", [50.0, 50.0]),
    ])
}

const WITHIN_5: &str = "a,b,relation,distance\ninside,ring,inside,0.0\nedge,ring,boundary,0.0\n\
                        corner,ring,boundary,0.0\nrim,ring,boundary,0.0\nhole,ring,outside,1.0\n\
                        five,ring,outside,5.0\n";

/// Returns the rows of a join of points within a distance. Asserts that the rows are the same on every backend, and that the
/// cross-check finds no disagreement.
#[track_caller]
fn rows(folder: &Folder, within: &str, more: &[&str]) -> String {
    let found = BACKENDS.iter().map(|backend| {
        let inputs = ["join", "points.geojson", "polygons.geojson", "--verify", "--backend", backend];
        let run = folder.run(&[&inputs[..], &["--within", within], more].concat()).answered();
        assert_eq!(run.err.matches(" 0 disagreements\n").count(), 1, "{backend}, {within}: {}", run.err);
        assert!(run.err.contains("disagreements   0\n"), "{backend}, {within}: {}", run.err);
        run.out
    });
    let found: Vec<String> = found.collect();
    assert!(found.iter().all(|rows| *rows == found[0]), "{found:?}");
    found[0].clone()
}

#[test]
fn points_that_are_far_from_all_polygons_change_no_row() {
    let mut points: Vec<String> =
        (0..400).map(|k| point(&format!("far {k}"), [1000.0 + f64::from(k), 500.0])).collect();
    let near = [
        ("inside", [1.0, 5.0]),
        ("edge", [10.0, 5.0]),
        ("corner", [10.0, 10.0]),
        ("rim", [3.0, 5.0]),
        ("hole", [4.0, 5.0]),
        ("five", [13.0, 14.0]),
    ];
    for (k, (id, at)) in near.into_iter().enumerate() {
        points.insert(60 * (k + 1), point(id, at));
    }
    let folder = folder(&points);
    assert_eq!(rows(&folder, "5", &[]), WITHIN_5);
    let lines = rows(&folder, "5", &["--format", "geojson"]);
    assert!(lines.contains("[[4.0,5.0],[3.0,5.0]]"), "the closest points of `hole`: {lines}");
}

/// Tests that the cross-check accepts a point outside a polygon whose rounded piece has the point on its boundary.
#[test]
fn the_distance_from_a_rounded_piece_may_contradict_the_exact_relation() {
    // The rings cross at (2, 2/3).
    let bow = feature("\"bow\"", &polygon("[[[0,0],[3,1],[3,0],[0,2],[0,0]]]"));
    let square = feature("\"square\"", &polygon("[[[10,0],[12,0],[12,2],[10,2],[10,0]]]"));
    let y = 2.0 / 3.0;
    let folder = folder(&[
        point("rounded", [2.0, y]),
        point("right", [2f64.next_up(), y]),
        point("left", [2f64.next_down(), y]),
        point("edge", [12.0, 1.0]),
    ]);
    folder.write("polygons.geojson", collection(&[bow, square]));
    let expected = "a,b,relation,distance\nrounded,bow,outside,0.0\nright,bow,inside,0.0\n\
                    left,bow,inside,0.0\nedge,square,boundary,0.0\n";
    assert_eq!(rows(&folder, "0", &["--fill", "even-odd"]), expected);
}

#[test]
fn points_at_most_so_far_from_a_polygon_are_written_with_the_distance() {
    let folder = kinds();
    assert_eq!(rows(&folder, "5", &[]), WITHIN_5);
    // The limit is one ulp below 5, so the point at the distance 5 is left out. Smaller limits, down to 1, give the
    // same rows.
    let without_five = WITHIN_5.replace("five,ring,outside,5.0\n", "");
    assert_eq!(rows(&folder, "4.999999999999999", &[]), without_five);
    assert_eq!(rows(&folder, "1", &[]), without_five);
    let without_hole = without_five.replace("hole,ring,outside,1.0\n", "");
    assert_eq!(rows(&folder, "0.9999999999999999", &[]), without_hole);
    assert_eq!(rows(&folder, "1e-300", &[]), without_hole);
    // A limit of 0 keeps the points that meet a polygon.
    assert_eq!(rows(&folder, "0", &[]), without_hole);
    assert_eq!(rows(&folder, "-0", &[]), without_hole);
    let beyond = rows(&folder, "5.000000000000002", &[]);
    // The distance is written as the nearby short decimal.
    assert!(beyond.contains("\nbeyond,ring,outside,5.0\n"), "{beyond}");
    assert!(!beyond.contains("far"), "{beyond}");
    // The point (50, 50) is exactly as far from the triangle as from the triangle's corner (100, 3). It is nearer to
    // the ring.
    let all = rows(&folder, "69", &[]);
    assert!(
        all.contains("\nfar,ring,outside,56.568542494") && all.contains("\nfar,triangle,outside,68.6"),
        "{all}"
    );
}

#[test]
fn what_is_at_no_f64_from_an_edge_is_decided_exactly() {
    // The slanted edge of the triangle is the hypotenuse of a triangle with the sides 3, 4 and 5. The distance of a
    // point from its line is (3 (x - 100) + 4 y - 12) / 5.
    let folder = folder(&[point("slant", [103.0, 4.0]), point("tenth", [102.1, 2.3])]);
    assert_eq!(
        rows(&folder, "2.6", &[]),
        "a,b,relation,distance\nslant,triangle,outside,2.6\ntenth,triangle,outside,0.7\n"
    );
    // Returns the numbers of rows for five neighbouring limits around `from`, which shows at which limit the rows
    // change.
    let counts = |from: f64| {
        let neighbours =
            [from.next_down().next_down(), from.next_down(), from, from.next_up(), from.next_up().next_up()];
        neighbours.map(|within| rows(&folder, &format!("{within:?}"), &[]).lines().count())
    };
    // The distance 13/5 lies between two neighbouring f64 numbers. The greater of them is 2.6.
    assert_eq!(counts(2.6), [2, 2, 3, 3, 3]);
    let tenth = counts(0.7);
    assert!(tenth.is_sorted() && tenth.iter().all(|count| (1..=2).contains(count)), "{tenth:?}");
}

/// Tests points near an edge from `p` to `q`, where `p` is nearly 0. The points are `q / 2`, which is off the line of
/// the edge by less than 2^-160.
#[test]
fn points_off_an_edge_by_less_than_f64_can_tell_are_on_the_right_side() {
    let scale = |x: f64, bits: i32| x * 2f64.powi(-bits);
    let q = [scale(9_007_199_254_740_991.0, 53), scale(4_503_599_627_370_497.0, 53)];
    for (sign, relation) in [(-1.0, "inside"), (1.0, "outside")] {
        let p = [6_004_799_503_160_660.0, 3_002_399_751_580_331.0].map(|x| sign * scale(x, 113));
        let folder = Folder::new();
        let ring = format!("[[[{:?},{:?}],[{:?},{:?}],[0.0,1.0]]]", p[0], p[1], q[0], q[1]);
        folder.write("polygons.geojson", polygon(&ring));
        folder.write("points.geojson", collection(&[point("half", q.map(|x| 0.5 * x))]));
        let (is_inside, distance) = (relation == "inside", "distance");
        let row = |distance: &str| format!("a,b,relation,distance\nhalf,0,{relation},{distance}\n");
        let none = format!("a,b,relation,{distance}\n");
        for within in ["0", "1e-60"] {
            assert_eq!(
                rows(&folder, within, &[]),
                if is_inside { row("0.0") } else { none.clone() },
                "{within}"
            );
        }
        let found = rows(&folder, "1e-40", &[]);
        let expected = if is_inside { row("0.0") } else { row("2.2250738585072014e-308") };
        assert_eq!(found, expected);
    }
}

#[test]
fn of_a_multi_point_the_nearest_point_counts() {
    let points = |at: &str| format!(r#"{{"type":"MultiPoint","coordinates":{at}}}"#);
    let folder = folder(&[
        feature("\"apart\"", &points("[[-4,5],[-2,5],[-2,6],[-3,5]]")),
        feature("\"one inside\"", &points("[[-2,5],[1,1],[10,10]]")),
        feature("\"none\"", &points("[]")),
    ]);
    let found = rows(&folder, "2.5", &["--with", "distance"]);
    // If two points of a feature are equally near, the first point decides.
    assert_eq!(
        found,
        "a,b,relation,distance,ax,ay,bx,by\napart,ring,outside,2.0,-2.0,5.0,0.0,5.0\none inside,ring,inside,0.0,,,,\n"
    );
    assert_eq!(rows(&folder, "1.5", &[]), "a,b,relation,distance\none inside,ring,inside,0.0\n");
}

#[test]
fn closest_points_are_columns_members_and_lines_of_a_map() {
    let folder = kinds();
    let csv = rows(&folder, "5", &["--with", "distance"]);
    assert!(csv.contains("\nhole,ring,outside,1.0,4.0,5.0,3.0,5.0\n"), "{csv}");
    assert!(csv.contains("\nfive,ring,outside,5.0,13.0,14.0,10.0,10.0\n"), "{csv}");
    let lines = rows(&folder, "5", &["--with", "distance", "--format", "jsonl"]);
    let five: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(
        five,
        json!({"a": "five", "b": "ring", "relation": "outside", "distance": 5.0, "closest": {"a": [13.0, 14.0], "b": [10.0, 10.0]}})
    );
    let map: Value = serde_json::from_str(&rows(&folder, "5", &["--format", "geojson"])).unwrap();
    let geometry = |k: usize| map["features"][k]["geometry"].clone();
    assert_eq!(geometry(0), json!({"type": "Point", "coordinates": [1.0, 5.0]}));
    assert_eq!(geometry(5), json!({"type": "LineString", "coordinates": [[13.0, 14.0], [10.0, 10.0]]}));
    assert_eq!(map["features"][5]["properties"]["distance"], 5.0);
    // Without --within, the distance of points that meet a polygon is 0.
    let meeting = folder.join(&["points.geojson", "polygons.geojson", "--with", "distance"]);
    assert!(
        meeting.starts_with("a,b,relation,distance,ax,ay,bx,by\ninside,ring,inside,0.0,,,,\n"),
        "{meeting}"
    );
    assert_eq!(meeting.lines().count(), 5);
}

#[test]
fn the_summary_and_the_statistics_count_points_that_are_apart() {
    let folder = kinds();
    let arguments =
        ["points.geojson", "polygons.geojson", "--within", "5", "--stats", "stats.json", "-o", "pairs.csv"];
    let summary = folder.summary(&arguments);
    assert!(summary.contains("found           1 inside, 3 boundary, 2 apart\n"), "{summary}");
    assert!(summary.contains("\nmeasured        ") && summary.contains("\nrefined         "), "{summary}");
    let statistics: Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
    let pairs = &statistics["pairs"];
    assert_eq!((&pairs["overlapping"], &pairs["touching"]), (&json!(1), &json!(3)));
    assert_eq!((&pairs["apart"], &pairs["written"]), (&json!(2), &json!(6)));
    assert_eq!(folder.read_text("pairs.csv"), WITHIN_5);
}

#[test]
fn what_is_no_distance_is_refused_as_for_polygons() {
    let folder = kinds();
    for distance in ["-1", "-1e-300", "NaN", "inf", "1e300"] {
        let arguments =
            ["join", "points.geojson", "polygons.geojson", "-o", "pairs.csv", "--within", distance];
        let error = folder.run(&arguments).error();
        assert!(error.starts_with("Error: --within = ") && error.contains("between 0 and 2^201"), "{error}");
    }
    for (more, says) in [
        (&["--within", "-1e-999"][..], "'-1e-999' for '--within <D>': is negative"),
        (&["--within", "1e-999"], "'1e-999' for '--within <D>': is smaller than any f64 above 0"),
        (&["--within", "1", "--relation", "inside"], "cannot be used with"),
    ] {
        let run = folder.run(&[&["join", "points.geojson", "polygons.geojson"], more].concat());
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{more:?}");
        assert!(run.err.contains(says), "{}", run.err);
    }
    assert_eq!(folder.names(), ["points.geojson", "polygons.geojson"]);
}

#[test]
fn points_near_counties_are_those_that_the_check_says() {
    let folder = Folder::new();
    // The corner of four states, the next f64 point to its east, and a point in the sea.
    let corner = [-109.04483902389023, 36.998763973029725];
    let points = [
        point("corner", corner),
        point("beside", [corner[0].next_up(), corner[1]]),
        point("sea", [-124.6, 40.44]),
    ];
    folder.write("points.geojson", collection(&points));
    let arguments = ["points.geojson", COUNTIES, "--skip-invalid", "--verify"];
    let near = folder.join(&[&arguments[..], &["--within", "0.5"]].concat());
    let meeting = folder.join(&arguments);
    // Every pair that meets is among the pairs within the distance, with a distance of 0.
    for row in meeting.lines().skip(1) {
        assert!(near.contains(&format!("\n{row},0.0\n")), "{row}: {near}");
    }
    let beside: Vec<&str> = near.lines().filter(|row| row.starts_with("beside,")).collect();
    assert!(
        beside.len() >= 4 && beside.iter().filter(|row| row.ends_with(",inside,0.0")).count() == 1,
        "{near}"
    );
    assert!(near.lines().any(|row| row.starts_with("sea,") && row.contains(",outside,0.")), "{near}");
}
