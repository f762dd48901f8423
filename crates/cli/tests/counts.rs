//! Tests of `--count` with every kind of join, and of joins whose second file has points. The expected results are computed
//! in integers. The scenes are small grids, on which many distances are equal and many points lie on borders.

use crate::folder::*;
use crate::support::random::Random;

/// A box, as its least and its greatest corner.
type Corners = [[i64; 2]; 2];

/// The boxes and the features of points of one scene.
struct Scene {
    boxes: Vec<Corners>,
    /// The points of each feature.
    points: Vec<Vec<[i64; 2]>>,
}

/// A pair of a box and a feature of points.
#[derive(Clone, Copy)]
struct Pair {
    square: usize,
    feature: usize,
    relation: &'static str,
    /// The square of the distance.
    apart: i64,
}

impl Scene {
    /// Returns a random scene. A feature has from 1 to `most` points.
    fn new(seed: u64, most: u32) -> Self {
        let mut random = Random(seed);
        let mut corner = |cells: u32| [0; 2].map(|_: i32| i64::from(random.below(cells)));
        let boxes = (0..30).map(|_| {
            let ([x, y], [width, height]) = (corner(14), corner(4));
            [[x, y], [x + width + 1, y + height + 1]]
        });
        let boxes = boxes.collect();
        let points = (0..50).map(|k| (0..=k % most).map(|_| corner(20)).collect()).collect();
        Self { boxes, points }
    }

    /// Writes the files `boxes.geojson` and `points.geojson`. The ids are the indices.
    fn write(&self, folder: &Folder) {
        let boxes = self.boxes.iter().map(|[[x0, y0], [x1, y1]]| {
            polygon(&format!("[[[{x0},{y0}],[{x1},{y0}],[{x1},{y1}],[{x0},{y1}],[{x0},{y0}]]]"))
        });
        let points = self.points.iter().map(|points| match &points[..] {
            [point] => format!(r#"{{"type":"Point","coordinates":{point:?}}}"#),
            points => format!(r#"{{"type":"MultiPoint","coordinates":{points:?}}}"#),
        });
        let numbered = |geometries: Vec<String>| {
            let features =
                (0..).zip(geometries).map(|(k, geometry): (u32, _)| feature(&k.to_string(), &geometry));
            collection(&features.collect::<Vec<_>>())
        };
        folder.write("boxes.geojson", numbered(boxes.collect()));
        folder.write("points.geojson", numbered(points.collect()));
    }

    /// Returns all pairs of a box and a feature, sorted by box, then by feature.
    fn pairs(&self) -> Vec<Pair> {
        let pair = |square: usize, feature: usize| {
            let corners = self.boxes[square];
            let points = &self.points[feature];
            let is_within = |&[x, y]: &[i64; 2]| {
                let [[x0, y0], [x1, y1]] = corners;
                x0 < x && x < x1 && y0 < y && y < y1
            };
            let apart = points.iter().map(|&point| square_of_gap(corners, [point; 2])).min().unwrap();
            let relation = match apart {
                0 if points.iter().any(is_within) => "inside",
                0 => "boundary",
                _ => "outside",
            };
            Pair { square, feature, relation, apart }
        };
        let features = 0..self.points.len();
        (0..self.boxes.len())
            .flat_map(|square| features.clone().map(move |feature| pair(square, feature)))
            .collect()
    }
}

/// Returns the square of the distance between two boxes.
fn square_of_gap(a: Corners, b: Corners) -> i64 {
    let gap = |axis: usize| (b[0][axis] - a[1][axis]).max(a[0][axis] - b[1][axis]).max(0);
    gap(0).pow(2) + gap(1).pow(2)
}

/// Returns the common area of two boxes.
fn common_area(a: Corners, b: Corners) -> i64 {
    let length = |axis: usize| (a[1][axis].min(b[1][axis]) - a[0][axis].max(b[0][axis])).max(0);
    length(0) * length(1)
}

/// Returns the text of the counts of features whose ids are their indices.
fn counts_text(counts: impl Iterator<Item = usize>) -> String {
    let rows = counts.enumerate().map(|(id, count)| format!("{id},{count}\n"));
    "a,count\n".to_owned() + &rows.collect::<String>()
}

/// Options of a join with points, and whether they keep a pair.
type Selection = (&'static [&'static str], fn(&Pair) -> bool);

const SELECTIONS: [Selection; 6] = [
    (&[], |pair| pair.apart == 0),
    (&["--relation", "inside"], |pair| pair.relation == "inside"),
    (&["--relation", "touching"], |pair| pair.relation == "boundary"),
    (&["--within", "0"], |pair| pair.apart == 0),
    (&["--within", "2"], |pair| pair.apart <= 4),
    (&["--within", "5", "--verify"], |pair| pair.apart <= 25),
];

#[test]
fn counts_of_points_and_of_polygons_are_those_of_integers() {
    for (seed, most) in [(1, 1), (2, 3), (3, 1), (4, 3)] {
        let folder = Folder::new();
        let scene = Scene::new(seed, most);
        scene.write(&folder);
        let pairs = scene.pairs();
        for (options, is_kept) in SELECTIONS {
            let kept: Vec<&Pair> = pairs.iter().filter(|pair| is_kept(pair)).collect();
            let of_points =
                (0..scene.points.len()).map(|k| kept.iter().filter(|pair| pair.feature == k).count());
            let of_boxes =
                (0..scene.boxes.len()).map(|k| kept.iter().filter(|pair| pair.square == k).count());
            let join = |files: [&str; 2]| folder.join(&[&files[..], options, &["--count"]].concat());
            let found = join(["points.geojson", "boxes.geojson"]);
            assert_eq!(found, counts_text(of_points), "{seed} {options:?}");
            let found = join(["boxes.geojson", "points.geojson"]);
            assert_eq!(found, counts_text(of_boxes), "{seed} {options:?}");
        }
    }
}

#[test]
fn points_of_the_second_file_have_rows_in_the_order_of_the_polygons() {
    for (seed, most) in [(5, 1), (6, 3)] {
        let folder = Folder::new();
        let scene = Scene::new(seed, most);
        scene.write(&folder);
        let pairs = scene.pairs();
        for (options, is_kept) in SELECTIONS {
            let found = folder.join(&[&["boxes.geojson", "points.geojson"], options].concat());
            let mut found = found.lines().skip(1);
            for Pair { square, feature, relation, apart } in pairs.iter().copied().filter(is_kept) {
                let row: Vec<&str> = found.next().unwrap().split(',').collect();
                assert_eq!(row[..3], [&square.to_string(), &feature.to_string(), relation], "{options:?}");
                if let Some(distance) = row.get(3) {
                    let distance: f64 = distance.parse().unwrap();
                    assert!((distance - (apart as f64).sqrt()).abs() < 1e-9, "{options:?} {row:?}");
                }
            }
            assert_eq!(found.next(), None, "{options:?}");
        }
    }
}

#[test]
fn every_backend_gives_the_same_rows_and_counts_of_points_in_the_second_file() {
    let folder = Folder::new();
    Scene::new(7, 1).write(&folder);
    let files = ["join", "boxes.geojson", "points.geojson"];
    for options in
        [&["--count"][..], &["--within", "3", "--with", "distance"], &["--count", "--relation", "inside"]]
    {
        let found = BACKENDS.iter().map(|backend| {
            folder.run(&[&files[..], options, &["--backend", backend]].concat()).answered().out
        });
        let found: Vec<String> = found.collect();
        assert!(found.iter().all(|rows| *rows == found[0]) && found[0].lines().count() > 20, "{options:?}");
    }
}

#[test]
fn counts_of_nearest_features_are_those_of_integers() {
    for (seed, most) in [(8, 1), (9, 3)] {
        let folder = Folder::new();
        let scene = Scene::new(seed, most);
        scene.write(&folder);
        let pairs = scene.pairs();
        for (k, within) in [(1_usize, 0_i64), (2, 1), (4, 3), (9, 5)] {
            let options = ["--nearest", &k.to_string(), "--within", &within.to_string(), "--count"];
            let of_points = (0..scene.points.len()).map(|feature| {
                let near =
                    pairs.iter().filter(|pair| pair.feature == feature && pair.apart <= within * within);
                near.count().min(k)
            });
            let found = folder.join(&[&["points.geojson", "boxes.geojson"], &options[..]].concat());
            assert_eq!(found, counts_text(of_points), "{seed} {options:?}");
            let boxes = &scene.boxes;
            let of_boxes = (0..boxes.len()).map(|i| {
                let is_near = |&j: &usize| i != j && square_of_gap(boxes[i], boxes[j]) <= within * within;
                (0..boxes.len()).filter(is_near).count()
            });
            let nearest = of_boxes.clone().map(|count| count.min(k));
            let found = folder.join(&[&["boxes.geojson"], &options[..]].concat());
            assert_eq!(found, counts_text(nearest), "{seed} {options:?}");
            let found = folder.join(&["boxes.geojson", "--within", &within.to_string(), "--count"]);
            assert_eq!(found, counts_text(of_boxes), "{seed} {within}");
        }
    }
}

#[test]
fn features_that_are_in_no_pair_have_the_count_0() {
    let folder = Folder::new();
    let invalid = feature("\"invalid\"", &polygon("[[[0,0],[2,2],[2,0],[0,3],[0,0]]]"));
    let invalid_point = feature("\"invalid\"", r#"{"type":"Point","coordinates":[1]}"#);
    let null = feature("\"null\"", "null");
    let square = feature("\"square\"", &polygon(&square(0.0)));
    let point = feature("\"point\"", r#"{"type":"Point","coordinates":[1,1]}"#);
    folder.write("squares.geojson", collection(&[invalid, null.clone(), square]));
    folder.write("points.geojson", collection(&[point, invalid_point, null]));
    let count = |a: &str, b: &str, more: &[&str]| {
        let options = ["--skip-invalid", "--count"];
        folder.join(&[&[a, b], &options[..], more].concat())
    };
    for more in [&[][..], &["--within", "1"]] {
        let found = count("squares.geojson", "points.geojson", more);
        assert_eq!(found, "a,count\ninvalid,0\nnull,0\nsquare,1\n", "{more:?}");
        let found = count("points.geojson", "squares.geojson", more);
        assert_eq!(found, "a,count\npoint,1\ninvalid,0\nnull,0\n", "{more:?}");
    }
    let found = count("points.geojson", "squares.geojson", &["--nearest", "1"]);
    assert_eq!(found, "a,count\npoint,1\ninvalid,0\nnull,0\n");
    let json = count("squares.geojson", "points.geojson", &["--format", "jsonl"]);
    assert_eq!(json.lines().last(), Some(r#"{"a":"square","count":1}"#));
    for name in ["counts.parquet", "counts.arrow", "counts.arrows"] {
        count("squares.geojson", "points.geojson", &["-o", name]);
        assert!(folder.read(name).len() > 100);
    }
}

#[test]
fn statistics_and_summaries_name_the_points_of_the_second_file() {
    let folder = Folder::new();
    let scene = Scene::new(10, 1);
    scene.write(&folder);
    let pairs = scene.pairs();
    let number = |relation: &str| pairs.iter().filter(|pair| pair.relation == relation).count();
    let (inside, boundary) = (number("inside"), number("boundary"));
    // The first run counts without a list of pairs, and the second run counts in the list.
    for more in [&["--count"][..], &["--count", "--verify"], &["--count", "--relation", "inside"], &[]] {
        let options = ["boxes.geojson", "points.geojson", "--stats", "stats.json", "-o", "out.csv"];
        let summary = folder.summary(&[&options[..], more].concat());
        for line in [
            "points          50\n".to_owned(),
            "objects         30 and 50\n".to_owned(),
            format!("found           {inside} inside, {boundary} boundary\n"),
        ] {
            assert!(summary.contains(&line), "{line}: {summary}");
        }
        assert_eq!(summary.contains("disagreements   0\n"), more.contains(&"--verify"), "{summary}");
        let stats: serde_json::Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
        let found = ["overlapping", "touching", "apart", "written"]
            .map(|name| stats["pairs"][name].as_u64().unwrap());
        let written = if more.is_empty() { inside + boundary } else { scene.boxes.len() };
        assert_eq!(found, [inside, boundary, 0, written].map(|number| number as u64), "{more:?}");
        assert!(stats["pairs"]["candidates_of_objects"].is_null());
        assert_eq!((&stats["a"]["points"], &stats["b"]["points"]), (&0.into(), &50.into()));
    }
}

#[test]
fn closest_points_and_maps_follow_the_order_of_the_files() {
    let folder = Folder::with_squares();
    let points = [("\"near\"", "[12,1]"), ("\"in\"", "[1.5,1]")]
        .map(|(id, at)| feature(id, &format!(r#"{{"type":"Point","coordinates":{at}}}"#)));
    folder.write("points.geojson", collection(&points));
    let join = |more: &[&str]| folder.join(&[&["squares.geojson", "points.geojson"], more].concat());
    let found = join(&["--within", "1", "--with", "distance"]);
    let expected = "a,b,relation,distance,ax,ay,bx,by\nleft,in,inside,0.0,,,,\nmiddle,in,inside,0.0,,,,\n\
                    far,near,outside,1.0,11.0,1.0,12.0,1.0\n";
    assert_eq!(found, expected);
    let found = join(&["--within", "1", "--format", "geojson"]);
    assert!(found.contains(r#""coordinates":[[11.0,1.0],[12.0,1.0]]"#), "{found}");
    assert!(found.contains(r#"{"type":"Point","coordinates":[1.5,1.0]}"#), "{found}");
}

#[test]
fn largest_partners_in_one_file_are_those_of_integers() {
    for seed in [11, 12, 13] {
        let folder = Folder::new();
        let scene = Scene::new(seed, 1);
        scene.write(&folder);
        let boxes = &scene.boxes;
        for least in [0, 2, 4] {
            // If areas are equal, the first one counts as the largest.
            let partner = |i: usize| {
                let area = |j: usize| if i == j { 0 } else { common_area(boxes[i], boxes[j]) };
                let best = (0..boxes.len()).rev().max_by_key(|&j| area(j)).unwrap();
                (area(best) > 0 && area(best) >= least).then_some((best, area(best)))
            };
            let rows = (0..boxes.len())
                .filter_map(|i| partner(i).map(|(j, area)| format!("{i},{j},overlapping,{area}.0\n")));
            let expected = "a,b,relation,area\n".to_owned() + &rows.collect::<String>();
            let threshold = least.to_string();
            let options = ["boxes.geojson", "--keep", "largest", "--min-area", &threshold];
            let found = folder.join(&[&options[..], &["--with", "area", "--verify"]].concat());
            assert_eq!(found, expected, "{seed} {least}");
            let counts = (0..boxes.len()).map(|i| usize::from(partner(i).is_some()));
            let found = folder.join(&[&options[..], &["--count"]].concat());
            assert_eq!(found, counts_text(counts), "{seed} {least}");
        }
    }
}

#[test]
fn rows_of_largest_partners_are_seen_from_their_first_feature() {
    let folder = Folder::new();
    let rectangle = |id: &str, x: [f64; 2], y: [f64; 2]| {
        let ([x0, x1], [y0, y1]) = (x, y);
        feature(id, &polygon(&format!("[[[{x0},{y0}],[{x1},{y0}],[{x1},{y1}],[{x0},{y1}],[{x0},{y0}]]]")))
    };
    let features = [
        rectangle("\"large\"", [0.0, 8.0], [0.0, 8.0]),
        rectangle("\"within\"", [1.0, 3.0], [2.0, 4.0]),
        rectangle("\"across\"", [7.0, 9.0], [2.0, 6.0]),
        rectangle("\"beside\"", [9.0, 10.0], [2.0, 6.0]),
    ];
    folder.write("in.geojson", collection(&features));
    for backend in BACKENDS {
        let join = |more: &[&str]| {
            let fixed = ["join", "in.geojson", "--keep", "largest", "--backend", backend];
            folder.run(&[&fixed[..], more].concat()).answered()
        };
        let run = join(&["--with", "penetration,area,area_a,area_b", "--stats", "stats.json"]);
        let expected = "a,b,relation,depth,normal_x,normal_y,area,area_a,area_b\n\
                        large,across,overlapping,1.0,1.0,0.0,4.0,64.0,8.0\n\
                        within,large,overlapping,3.0,1.0,0.0,4.0,4.0,64.0\n\
                        across,large,overlapping,1.0,-1.0,0.0,4.0,8.0,64.0\n";
        // `large` has an equal area in common with `within`, which comes first in the file.
        let expected = expected.replace(
            "large,across,overlapping,1.0,1.0,0.0,4.0,64.0,8.0",
            "large,within,overlapping,3.0,-1.0,0.0,4.0,64.0,4.0",
        );
        assert_eq!(run.out, expected, "{backend}");
        let stats: serde_json::Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
        assert_eq!((&stats["pairs"]["written"], &stats["pairs"]["overlapping"]), (&3.into(), &2.into()));
        let covering = join(&["--contains"]).out;
        let expected = "a,b,relation,containment\nlarge,within,overlapping,covers\nwithin,large,overlapping,covered-by\n";
        assert_eq!(covering, expected, "{backend}");
    }
    let json = folder.join(&["in.geojson", "--keep", "largest", "--with", "manifold", "--format", "jsonl"]);
    let rows: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let all = folder.join(&["in.geojson", "--with", "manifold", "--format", "jsonl"]);
    let all: Vec<serde_json::Value> = all.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let swapped = &rows[2]["manifold"];
    let pair = all.iter().find(|pair| pair["a"] == "large" && pair["b"] == "across").unwrap();
    assert_eq!((&rows[2]["a"], &rows[2]["b"]), (&pair["b"], &pair["a"]));
    assert_eq!(pair["manifold"]["normal"], serde_json::json!([1.0, 0.0]));
    assert_eq!(swapped["normal"], serde_json::json!([-1.0, 0.0]));
    let contacts = |manifold: &serde_json::Value| manifold["points"].as_array().unwrap().clone();
    for (found, of_pair) in contacts(swapped).iter().zip(contacts(&pair["manifold"])) {
        assert_eq!(
            (&found["position"], &found["separation"]),
            (&of_pair["position"], &of_pair["separation"])
        );
        assert_eq!(found["features"]["a"], of_pair["features"]["b"]);
        assert_eq!(found["features"]["b"], of_pair["features"]["a"]);
    }
}

#[test]
fn what_points_lack_are_errors() {
    let folder = Folder::with_squares();
    folder.write("points.geojson", collection(&[feature("1", r#"{"type":"Point","coordinates":[1,1]}"#)]));
    let error = |arguments: &[&str]| folder.run(&[&["join"], arguments].concat()).error();
    let both = folder.run(&["check", "points.geojson", "points.geojson"]).error();
    assert_eq!(
        both,
        "Error: B = points.geojson: has points, but A has points, too; give polygons as A or as B"
    );
    for (options, says) in [
        (&["--keep", "largest"][..], "--keep = largest: is for pairs of polygons, but a file has points"),
        (&["--min-area", "1.5"], "--min-area = 1.5: is for pairs of polygons, but a file has points"),
        (&["--contains"], "B = points.geojson: has points; leave out --contains"),
        (&["--with", "distance,area"], "--with = area: measures only polygons, but a file has points"),
        (&["--svg", "a.svg", "-o", "a.csv"], "--svg = a.svg: draws only polygons, but a file has points"),
    ] {
        let text = error(&[&["squares.geojson", "points.geojson"], options].concat());
        assert!(text.starts_with(&format!("Error: {says}")), "{text}");
    }
    let explain = ["explain", "squares.geojson", "points.geojson", "--pair", "left", "1"];
    let text = folder.run(&explain).error();
    assert_eq!(
        text,
        "Error: B = points.geojson: has points; exchange A and B with their options, and the two ids of --pair"
    );
}
