//! Distances, penetrations and contact points as columns, members and geometry.

use std::collections::BTreeMap;

use sat2d::{Backend, Distances, Engine, Penetrations};
use sat2d_io::{ReadOptions, geojson};
use serde_json::{Value, json};

use crate::folder::*;

const ALL: &str = "distance,ax,ay,bx,by,depth,normal_x,normal_y,contacts,x1,y1,separation1,x2,y2,separation2";

fn ring(points: &[[f64; 2]]) -> String {
    let points = points.iter().chain(points.first());
    let points: Vec<String> = points.map(|[x, y]| format!("[{x},{y}]")).collect();
    polygon(&format!("[[{}]]", points.join(",")))
}

/// Returns a folder with two squares, of side 1 and 2. The second square is 3 to the right of the first, and 4 above it.
fn apart() -> Folder {
    let folder = Folder::new();
    let [low, high] = [
        ring(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]),
        ring(&[[4.0, 5.0], [6.0, 5.0], [6.0, 7.0], [4.0, 7.0]]),
    ];
    folder.write("apart.geojson", collection(&[feature("\"low\"", &low), feature("7", &high)]));
    folder
}

/// Returns a folder with an L, and a box in the reflex corner of the L.
fn corner() -> Folder {
    let folder = Folder::new();
    let l = ring(&[[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]]);
    let block = ring(&[[1.0, 1.0], [3.0, 1.0], [3.0, 2.0], [1.0, 2.0]]);
    folder.write("corner.geojson", collection(&[feature("\"L\"", &l), feature("\"block\"", &block)]));
    folder
}

fn features(text: &str) -> Vec<Value> {
    let collection: Value = serde_json::from_str(text).unwrap();
    assert_eq!(collection["type"], "FeatureCollection");
    assert_eq!(collection.as_object().unwrap().len(), 2);
    let features = collection["features"].as_array().unwrap().clone();
    for feature in &features {
        assert_eq!(feature["type"], "Feature");
        assert!(feature["properties"].is_object() && feature.get("geometry").is_some(), "{feature}");
    }
    features
}

#[test]
fn pairs_within_a_distance_are_written_with_it() {
    let folder = Folder::with_squares();
    // `left` ends at 2, `middle` at 3 and `right` at 5. `right` begins at 3 and `far` at 9.
    let near = "a,b,relation,distance\nleft,middle,overlapping,0.0\nleft,right,disjoint,1.0\nmiddle,right,touching,0.0\n";
    for backend in BACKENDS {
        let within = |distance: &str| {
            let arguments = ["join", "squares.geojson", "--backend", backend, "--within", distance];
            folder.run(&arguments).answered().out
        };
        assert_eq!(within("4"), format!("{near}right,far,disjoint,4.0\n"), "{backend}");
        assert_eq!(within("3.999999999999999"), near, "{backend}");
        assert_eq!(within("1"), near, "{backend}");
        let meeting = near.replace("left,right,disjoint,1.0\n", "");
        assert_eq!(within("0.9999999999999999"), meeting, "{backend}");
        assert_eq!(within("0"), meeting, "{backend}");
    }
    let two = folder.join(&["squares.geojson", "squares.geojson", "--within", "1"]);
    assert_eq!(two.lines().count(), 1 + 4 + 2 * 3, "{two}");
    assert!(two.contains("\nright,left,disjoint,1.0\n") && two.contains("\nfar,far,overlapping,0.0\n"));
}

#[test]
fn figures_are_columns_in_one_order_and_empty_where_there_are_none() {
    let folder = Folder::with_squares();
    for backend in BACKENDS {
        for list in ["penetration,manifold,distance", "distance,manifold,penetration"] {
            let arguments = ["join", "squares.geojson", "--backend", backend, "--with", list];
            assert_eq!(
                folder.run(&arguments).answered().out,
                format!(
                    "a,b,relation,{ALL}\n\
                     left,middle,overlapping,0.0,,,,,1.0,1.0,0.0,2,1.5,0.0,-1.0,1.5,2.0,-1.0\n\
                     middle,right,touching,0.0,,,,,0.0,1.0,0.0,2,3.0,0.0,0.0,3.0,2.0,0.0\n"
                ),
                "{backend}, {list}"
            );
        }
        let folder = apart();
        let within = ["join", "apart.geojson", "--backend", backend, "--within", "5"];
        let with =
            folder.run(&[&within[..], &["--with", "penetration,manifold,distance"]].concat()).answered();
        // The contact is halfway between the corners, and its separation is their distance.
        assert_eq!(
            with.out,
            format!("a,b,relation,{ALL}\nlow,7,disjoint,5.0,1.0,1.0,4.0,5.0,,,,1,2.5,3.0,5.0,,,\n"),
            "{backend}"
        );
        let out = folder.run(&[&within[..], &["--with", "penetration"]].concat()).answered().out;
        assert_eq!(out, "a,b,relation,distance,depth,normal_x,normal_y\nlow,7,disjoint,5.0,,,\n");
    }
    assert_eq!(
        folder.join(&["squares.geojson", "--relation", "touching", "--with", "penetration"]),
        "a,b,relation,depth,normal_x,normal_y\nmiddle,right,touching,0.0,1.0,0.0\n"
    );
}

#[test]
fn json_lines_have_an_object_a_figure_and_null_where_there_is_none() {
    let all = ["--with", "penetration,manifold,distance", "--format", "jsonl"];
    let lines = |folder: &Folder, arguments: &[&str]| -> Vec<Value> {
        let out = folder.join(&[arguments, &all].concat());
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let point = |y: f64, vertex: u32| json!({"position": [1.5, y], "separation": -1.0, "features": {"a": {"edge": 1}, "b": {"vertex": vertex}}});
    assert_eq!(
        lines(&Folder::with_squares(), &["squares.geojson", "--relation", "overlapping"]),
        [json!({
            "a": "left", "b": "middle", "relation": "overlapping", "distance": 0.0, "closest": null,
            "penetration": {"normal": [1.0, 0.0], "depth": 1.0},
            "manifold": {"normal": [1.0, 0.0], "points": [point(0.0, 0), point(2.0, 3)]},
        })]
    );
    let mut apart_lines = lines(&apart(), &["apart.geojson", "--within", "5"]);
    // The comparison of the normal has a tolerance, because its components are rounded.
    let normal = apart_lines[0]["manifold"]["normal"].take();
    let [x, y] = [0, 1].map(|k: usize| normal[k].as_f64().unwrap());
    assert!((x - 0.6).abs() < 1e-7 && (y - 0.8).abs() < 1e-7, "{normal}");
    assert_eq!(
        apart_lines,
        [json!({
            "a": "low", "b": 7, "relation": "disjoint", "distance": 5.0,
            "closest": {"a": [1.0, 1.0], "b": [4.0, 5.0]}, "penetration": null,
            "manifold": {"normal": null, "points": [{
                "position": [2.5, 3.0], "separation": 5.0, "features": {"a": {"vertex": 2}, "b": {"vertex": 0}}
            }]},
        })]
    );
    let plain = apart().join(&["apart.geojson", "--within", "5", "--format", "jsonl"]);
    assert_eq!(plain, "{\"a\":\"low\",\"b\":7,\"relation\":\"disjoint\",\"distance\":5.0}\n");
}

#[test]
fn geojson_shows_where_pairs_touch_and_how_they_are_apart() {
    let folder = Folder::with_squares();
    folder.join(&["squares.geojson", "--within", "1", "-o", "pairs.geojson"]);
    let text = folder.read_text("pairs.geojson");
    assert_eq!(folder.join(&["squares.geojson", "--within", "1", "--format", "geojson"]), text);
    let found = features(&text);
    assert_eq!(found.len(), 3);
    assert_eq!(
        found[0]["properties"],
        json!({"a": "left", "b": "middle", "relation": "overlapping", "distance": 0.0})
    );
    let line = |points: [[f64; 2]; 2]| json!({"type": "LineString", "coordinates": points});
    assert_eq!(found[0]["geometry"], line([[1.5, 0.0], [1.5, 2.0]]));
    assert_eq!(found[2]["geometry"], line([[3.0, 0.0], [3.0, 2.0]]));
    // Along parallel edges, the closest points are not unique.
    assert_eq!(found[1]["properties"]["relation"], "disjoint");
    let between = &found[1]["geometry"]["coordinates"];
    assert_eq!((&between[0][0], &between[1][0], &between[0][1]), (&json!(2.0), &json!(3.0), &between[1][1]));

    // The ids are the ids of the input. A pair with a common corner has a Point as its geometry.
    let folder = apart();
    let wedge = ring(&[[1.0, 0.5], [2.0, 0.0], [2.0, 1.0]]);
    folder.write("wedge.geojson", feature("1.50", &wedge));
    let out = folder.join(&["apart.geojson", "wedge.geojson", "--format", "geojson", "--with", "manifold"]);
    assert!(out.contains("\"b\":1.50,"), "{out}");
    let found = features(&out);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["geometry"], json!({"type": "Point", "coordinates": [1.0, 0.5]}));
    assert_eq!(
        found[0]["properties"],
        json!({
            "a": "low", "b": 1.5, "relation": "touching", "contacts": 1, "x1": 1.0, "y1": 0.5, "separation1": 0.0,
            "x2": null, "y2": null, "separation2": null,
        })
    );
    for more in [&[][..], &["--with", "manifold"]] {
        let arguments = [&["apart.geojson", "--within", "6", "--format", "geojson"], more].concat();
        assert_eq!(features(&folder.join(&arguments))[0]["geometry"], line([[1.0, 1.0], [4.0, 5.0]]));
    }
}

#[test]
fn objects_that_touch_do_so_where_they_touch_the_longest() {
    let folder = corner();
    for backend in BACKENDS {
        let arguments = ["join", "corner.geojson", "--backend", backend, "--with", "penetration,manifold"];
        assert_eq!(
            folder.run(&arguments).answered().out,
            "a,b,relation,depth,normal_x,normal_y,contacts,x1,y1,separation1,x2,y2,separation2\n\
             L,block,touching,0.0,0.0,1.0,2,3.0,1.0,0.0,1.0,1.0,0.0\n",
            "{backend}"
        );
    }
}

#[test]
fn nothing_that_meets_is_a_header_an_empty_file_or_an_empty_collection() {
    let folder = Folder::new();
    folder.write("none.geojson", collection(&[]));
    let with = ["none.geojson", "--within", "1", "--with", "penetration,manifold,distance"];
    let join = |format: &str| folder.join(&[&with[..], &["--format", format]].concat());
    assert_eq!(join("csv"), format!("a,b,relation,{ALL}\n"));
    assert_eq!(join("jsonl"), "");
    assert_eq!(join("geojson"), "{\"type\":\"FeatureCollection\",\"features\":[\n]}\n");
}

#[test]
fn what_is_no_distance_or_no_figure_is_refused() {
    let folder = Folder::with_squares();
    for distance in ["-1", "NaN", "inf", "-inf", "1e300"] {
        // The program reports the error before it reads or writes a file.
        let arguments = ["join", "missing.geojson", "-o", "pairs.csv", "--within", distance];
        let error = folder.run(&arguments).error();
        assert!(
            error.starts_with("Error: --within = ") && error.ends_with(": must be between 0 and 2^201"),
            "{error}"
        );
    }
    for (more, says) in [
        (&["--within", "far"][..], "invalid value 'far' for '--within <D>'"),
        (&["--within", "1e-999"], "'1e-999' for '--within <D>': is smaller than any f64 above 0"),
        (&["--within", "1", "--relation", "touching"], "cannot be used with"),
        (&["--within", "1", "--contains"], "cannot be used with"),
        (&["--with", "depth"], "penetration, manifold, distance"),
    ] {
        let run = folder.run(&[&["join", "squares.geojson"], more].concat());
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{more:?}");
        assert!(run.err.contains(says), "{}", run.err);
    }
    assert_eq!(folder.names(), ["squares.geojson"]);
}

#[test]
fn the_other_outputs_go_on() {
    let folder = Folder::with_squares();
    let arguments =
        ["squares.geojson", "--within", "4", "--with", "manifold", "--verify", "--svg", "picture.svg"];
    let summary = folder.summary(&[&arguments[..], &["--stats", "stats.json", "-o", "pairs.csv"]].concat());
    for line in
        ["found           1 overlapping, 1 touching, 2 apart", "pairs checked   2", "disagreements   0"]
    {
        assert!(summary.lines().any(|l| l == line), "{summary}");
    }
    let refined = summary.lines().find(|line| line.starts_with("refined         ")).unwrap();
    // On the CPU, f64 decides for all pairs.
    assert_eq!(refined, "refined         0 pairs of pieces whose deciding edge f32 was not certain of");
    // The summary counts the candidates of the join of pairs that meet. The measured pairs come from another join.
    let line = |name: &str| summary.lines().find(|line| line.starts_with(name)).unwrap();
    let candidates = line("candidate pairs ");
    assert!(candidates.ends_with(" of pieces, whose boxes meet"), "{candidates}");
    let measured = line("measured        ").split_whitespace().nth(1).unwrap();
    assert!(measured.parse::<u64>().unwrap() >= 4, "{summary}");
    let statistics: Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
    assert_eq!((&statistics["pairs"]["written"], &statistics["pairs"]["apart"]), (&json!(4), &json!(2)));
    assert_eq!(statistics["pairs"]["refined"], 0);
    assert!(statistics["seconds"]["figures"].as_f64().unwrap() > 0.0);
    // The picture shows only the pairs that meet.
    let picture = folder.read_text("picture.svg");
    folder.join(&["squares.geojson", "--svg", "meeting.svg"]);
    assert_eq!(picture, folder.read_text("meeting.svg"));
    assert_eq!(folder.summary(&["squares.geojson", "--within", "4", "--with", "distance", "-q"]), "");
    assert!(!folder.summary(&["squares.geojson"]).contains("refined"));

    let covering =
        folder.join(&["squares.geojson", "squares.geojson", "--contains", "--with", "penetration"]);
    assert!(covering.starts_with("a,b,relation,containment,depth,normal_x,normal_y\n"), "{covering}");
    assert!(covering.contains("\nfar,far,overlapping,equal,2.0,"), "{covering}");
}

/// Returns a folder with a crowd of L-shaped polygons, each of which has several convex pieces.
fn crowd_of_ls() -> Folder {
    let folder = Folder::new();
    let l = |k: usize| {
        let (x, y) = ((k * 7 % 10) as f64 * 0.875, (k * 3 % 11) as f64 * 0.75);
        let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 0.5], [0.5, 0.5], [0.5, 2.0], [0.0, 2.0]];
        ring(&corners.map(|[dx, dy]| [x + dx, y + dy]))
    };
    let features: Vec<String> = (0..60).map(|k| feature(&k.to_string(), &l(k))).collect();
    folder.write("in.geojson", collection(&features));
    folder
}

#[test]
fn measurements_requested_together_are_those_requested_alone() {
    let scene = Folder::new();
    scene.run(&["gen", "--scene", "clustered", "--count", "700", "-o", "in.geojson"]).answered();
    for (folder, within) in [(scene, "0.0625"), (crowd_of_ls(), "0.25"), (crowd_of_ls(), "0")] {
        for backend in BACKENDS {
            let join = |more: &[&str]| {
                let arguments = ["join", "in.geojson", "--backend", backend];
                table(&folder.run(&[&arguments[..], more].concat()).answered().out)
            };
            let together = join(&["--within", within, "--with", "distance,penetration,manifold"]);
            let distances = join(&["--within", within, "--with", "distance"]);
            let penetrations = join(&["--with", "penetration"]);
            let manifolds = join(&["--within", within, "--with", "manifold"]);
            assert!(together.len() > 100 && penetrations.len() > 50, "{}", together.len());
            assert!(together.keys().eq(distances.keys()) && together.keys().eq(manifolds.keys()));
            for (pair, row) in &together {
                let apart = BTreeMap::new();
                let alone = [&distances[pair], penetrations.get(pair).unwrap_or(&apart), &manifolds[pair]];
                for (name, value) in row {
                    let found = alone.iter().find_map(|row| row.get(name));
                    let expected = found.map_or("", String::as_str);
                    assert_eq!(value, expected, "{pair:?} {name}");
                }
                assert_eq!(row["relation"] == "disjoint", !penetrations.contains_key(pair), "{pair:?}");
            }
        }
    }
}

/// Parses CSV. Returns, for each pair of ids, the names and the values of the other columns.
fn table(csv: &str) -> BTreeMap<(String, String), BTreeMap<String, String>> {
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        assert_eq!(fields.len(), names.len(), "{line}");
        let key = (fields[0].clone(), fields[1].clone());
        (key, names.iter().map(|name| (*name).to_owned()).zip(fields).collect())
    };
    lines.map(row).collect()
}

#[test]
fn numbers_read_back_as_they_were_found_but_for_short_decimals() {
    let folder = Folder::new();
    folder.run(&["gen", "--scene", "near-touching", "--count", "600", "-o", "in.geojson"]).answered();
    let rows = table(&folder.join(&["in.geojson", "--within", "0.25", "--with", "distance,penetration"]));
    let read = geojson::read(&folder.path("in.geojson"), &ReadOptions::default()).unwrap();
    let set = &read.set;
    let engine = Engine::new(Backend::Cpu).unwrap();
    let found = engine.self_join(set).within(0.25).query(Distances).unwrap().items;
    assert_eq!(rows.len(), found.len());
    let name = |index: u32| read.ids.of(index as usize).to_string();
    let number = |text: &String| text.parse::<f64>().unwrap();
    // Polygons and their distances have a size of about 1.
    let is_near = |written: f64, found: f64| (written - found).abs() <= sat2d::MEASUREMENT_BOUND;
    let (mut apart, mut equal) = (0, 0);
    for pair in &found {
        let row = &rows[&(name(pair.a), name(pair.b))];
        assert!(is_near(number(&row["distance"]), pair.measurement.distance), "{row:?}");
        equal += u32::from(number(&row["distance"]) == pair.measurement.distance);
        assert_eq!(row["relation"] == "disjoint", pair.measurement.distance > 0.0);
        match pair.measurement.closest {
            None => assert!(["ax", "ay", "bx", "by"].iter().all(|&field| row[field].is_empty())),
            Some(closest) => {
                apart += 1;
                let written = ["ax", "ay", "bx", "by"].map(|field| number(&row[field]));
                let [a, b] = [closest.point_a, closest.point_b];
                let near = written.into_iter().zip([a.x, a.y, b.x, b.y]);
                assert!(near.into_iter().all(|(written, found)| is_near(written, found)), "{row:?}");
            }
        }
    }
    assert!(apart > 50 && equal as usize + 10 > found.len(), "{apart} {equal} {}", found.len());
    for pair in &engine.self_join(set).query(Penetrations).unwrap().items {
        let row = &rows[&(name(pair.a), name(pair.b))];
        let (depth, normal) = (pair.measurement.depth(), pair.measurement.normal);
        assert!(is_near(number(&row["depth"]), depth), "{row:?}");
        assert_eq!(number(&row["depth"]) > 0.0, row["relation"] == "overlapping", "{row:?}");
        assert_eq!([number(&row["normal_x"]), number(&row["normal_y"])], [normal.x, normal.y]);
    }
}

#[test]
fn counties_that_touch_do_so_at_their_borders_on_every_backend() {
    let folder = Folder::new();
    let arguments = ["--skip-invalid", "--within", "0.05", "--with", "penetration,manifold,distance"];
    let mut first: Option<BTreeMap<_, BTreeMap<String, String>>> = None;
    let meeting = folder.join(&[COUNTIES, "--skip-invalid"]);
    for backend in BACKENDS {
        let out =
            folder.run(&[&["join", COUNTIES, "--backend", backend][..], &arguments].concat()).answered().out;
        // The pairs that meet are those of the plain join, in the same order.
        let met: String = std::iter::once("a,b,relation\n".to_owned())
            .chain(
                out.lines()
                    .skip(1)
                    .filter(|line| !line.contains(",disjoint,"))
                    .map(|line| line.splitn(4, ',').take(3).collect::<Vec<_>>().join(",") + "\n"),
            )
            .collect();
        assert!(met == meeting, "{backend}");
        let rows = table(&out);
        assert!(rows.len() > meeting.lines().count() + 400, "{}", rows.len());
        for (pair, row) in &rows {
            let number = |field: &str| row[field].parse::<f64>().unwrap();
            match row["relation"].as_str() {
                "disjoint" => {
                    let [dx, dy] = [number("bx") - number("ax"), number("by") - number("ay")];
                    assert!((dx.hypot(dy) - number("distance")).abs() < 1e-4, "{pair:?}");
                    assert!(number("distance") > 0.0 && number("distance") <= 0.05, "{pair:?}");
                    assert!(row["depth"].is_empty(), "{pair:?}");
                }
                relation => {
                    assert_eq!((number("distance"), row["ax"].as_str()), (0.0, ""), "{pair:?}");
                    assert!((number("normal_x").hypot(number("normal_y")) - 1.0).abs() < 1e-12, "{pair:?}");
                    let other = row["separation2"].parse().unwrap_or(f64::INFINITY);
                    let deepest = number("separation1").min(other);
                    let is_flat = number("depth") == 0.0 && deepest.abs() < 1e-12;
                    assert!(relation != "touching" || is_flat, "{pair:?} {row:?}");
                }
            }
            let Some(first) = &first else { continue };
            // Touching pairs are measured in f64 on every backend.
            if row["relation"] == "touching" {
                assert_eq!(row, &first[pair], "{backend}");
            }
            let other: f64 = first[pair]["distance"].parse().unwrap();
            assert!((number("distance") - other).abs() < 1e-3, "{backend}: {pair:?}");
        }
        let keys = |rows: &BTreeMap<(String, String), _>| rows.keys().cloned().collect::<Vec<_>>();
        assert!(first.as_ref().is_none_or(|first| keys(first) == keys(&rows)), "{backend}");
        first.get_or_insert(rows);
    }
}
