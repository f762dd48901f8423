//! Tests of joins of points with points, against distances in integers.

use serde_json::{Value, json};

use crate::folder::*;

/// A row: the index of the feature of A, the index of the feature of B, and the square of their distance.
type Row = (usize, usize, i64);

/// Returns the points of feature `i`: none, or up to three points of a grid.
fn points_of(i: i64) -> Vec<[i64; 2]> {
    (0..i % 4).map(|part| [(i * 37 + part * 101) % 60, (i * 11 + part * 5) % 30]).collect()
}

/// Returns a folder with two files of 120 and 90 features.
fn folder() -> Folder {
    let folder = Folder::new();
    for (name, features) in [("a", 0..120), ("b", 200..290)] {
        let of_points = features.map(|i| {
            let geometry = format!(r#"{{"type":"MultiPoint","coordinates":{:?}}}"#, points_of(i));
            feature(&(i % 200).to_string(), &geometry)
        });
        folder.write(&format!("{name}.geojson"), collection(&of_points.collect::<Vec<_>>()));
    }
    folder
}

/// Returns the square of the distance of two features, or `None` if one of them has no points.
fn square(i: i64, j: i64) -> Option<i64> {
    let pairs = points_of(i).into_iter().flat_map(|p| points_of(j).into_iter().map(move |q| [p, q]));
    pairs.map(|[p, q]| (p[0] - q[0]).pow(2) + (p[1] - q[1]).pow(2)).min()
}

/// Returns all rows of A with B, or of A with itself in both orders.
fn all_rows(has_b: bool) -> Vec<Row> {
    let others = if has_b { 200..290 } else { 0..120 };
    let pairs = (0..120).flat_map(|i| others.clone().map(move |j| (i, j)));
    let of_pair = |(i, j): (i64, i64)| {
        let square = square(i, j).filter(|_| i != j)?;
        Some((i as usize, (j % 200) as usize, square))
    };
    pairs.filter_map(of_pair).collect()
}

fn assert_rows(found: &str, expected: &[Row], context: &str) {
    let mut lines = found.lines();
    assert_eq!(lines.next(), Some("a,b,relation,distance"), "{context}");
    for &(a, b, square) in expected {
        let line = lines.next().unwrap_or_else(|| panic!("{context}: no row of {a} and {b}"));
        let relation = if square == 0 { "touching" } else { "disjoint" };
        let distance = line.strip_prefix(&format!("{a},{b},{relation},"));
        let distance = distance.unwrap_or_else(|| panic!("{context}: {line}, not {a},{b},{relation}"));
        assert!(
            (distance.parse::<f64>().unwrap() - (square as f64).sqrt()).abs() < 1e-12,
            "{context}: {line}"
        );
    }
    assert_eq!(lines.next(), None, "{context}");
}

#[test]
fn pairs_within_a_distance_and_at_equal_positions() {
    let folder = folder();
    for has_b in [true, false] {
        let files: &[&str] = if has_b { &["a.geojson", "b.geojson"] } else { &["a.geojson"] };
        for within in [0, 3, 25] {
            let mut rows = all_rows(has_b);
            // A self-join has each pair once.
            rows.retain(|&(a, b, square)| square <= within * within && (has_b || a < b));
            assert!(rows.len() > 20, "{within}");
            let within = within.to_string();
            for backend in BACKENDS {
                let options = ["--within", &within, "--verify", "--backend", backend];
                let run = folder.run(&[&["join"], files, &options].concat()).answered();
                assert_rows(&run.out, &rows, &format!("{files:?} {options:?}"));
                assert!(run.err.contains("disagreements   0\n"), "{}", run.err);
            }
            let mut counts = vec![0; 120];
            rows.iter().for_each(|row| counts[row.0] += 1);
            rows.iter().filter(|_| !has_b).for_each(|row| counts[row.1] += 1);
            let lines = counts.iter().enumerate().map(|(feature, count)| format!("{feature},{count}\n"));
            let found = folder.join(&[files, &["--within", &within, "--count"]].concat());
            assert_eq!(found, format!("a,count\n{}", lines.collect::<String>()));
        }
        let equal = folder.join(files);
        let rows: Vec<_> =
            all_rows(has_b).into_iter().filter(|row| row.2 == 0 && (has_b || row.0 < row.1)).collect();
        let lines = rows.iter().map(|(a, b, _)| format!("{a},{b},touching\n"));
        assert_eq!(equal, format!("a,b,relation\n{}", lines.collect::<String>()));
        assert_eq!(folder.join(&[files, &["--relation", "touching"]].concat()), equal);
    }
}

#[test]
fn nearest_features_and_their_ties() {
    let folder = folder();
    for (has_b, k, ties) in [(true, 1, false), (true, 3, true), (false, 2, false), (false, 1, true)] {
        let mut rows = all_rows(has_b);
        rows.sort_by_key(|&(a, b, square)| (a, square, b));
        let of_a = rows.chunk_by(|one, other| one.0 == other.0);
        let expected = of_a.flat_map(|rows| {
            let is_found = move |i: &usize| *i < k || ties && rows[*i].2 == rows[k - 1].2;
            (0..rows.len()).filter(is_found).map(|i| rows[i])
        });
        let files: &[&str] = if has_b { &["a.geojson", "b.geojson"] } else { &["a.geojson"] };
        let (count, ties): (_, &[&str]) = (k.to_string(), if ties { &["--ties"] } else { &[] });
        let options = [&["--nearest", &count], ties].concat();
        let found = folder.join(&[files, &options].concat());
        assert_rows(&found, &expected.collect::<Vec<_>>(), &format!("{files:?} {options:?}"));
    }
}

#[test]
fn every_format_has_the_place_of_a_pair() {
    let folder = Folder::new();
    let point = |id: &str, [x, y]: [f64; 2]| {
        feature(&format!("{id:?}"), &format!(r#"{{"type":"Point","coordinates":[{x:?},{y:?}]}}"#))
    };
    folder.write("a.geojson", collection(&[point("p", [0.1, 0.2]), point("q", [5.0, 5.0])]));
    folder.write("b.geojson", collection(&[point("r", [0.4, 0.2]), point("s", [5.0, 5.0])]));
    let join = |format: &str| {
        folder.join(&["a.geojson", "b.geojson", "--within", "1", "--with", "distance", "--format", format])
    };
    let expected =
        "a,b,relation,distance,ax,ay,bx,by\np,r,disjoint,0.3,0.1,0.2,0.4,0.2\nq,s,touching,0.0,,,,\n";
    assert_eq!(join("csv"), expected);
    let lines = join("jsonl");
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    let closest = json!({"a": [0.1, 0.2], "b": [0.4, 0.2]});
    assert_eq!(
        first,
        json!({"a": "p", "b": "r", "relation": "disjoint", "distance": 0.3, "closest": closest})
    );
    let map: Value = serde_json::from_str(&join("geojson")).unwrap();
    let geometry = |k: usize| map["features"][k]["geometry"].clone();
    assert_eq!(geometry(0), json!({"type": "LineString", "coordinates": [[0.1, 0.2], [0.4, 0.2]]}));
    assert_eq!(geometry(1), json!({"type": "Point", "coordinates": [5.0, 5.0]}));
    let arguments = ["a.geojson", "b.geojson", "--within", "1", "--stats", "stats.json", "-o", "pairs.csv"];
    let summary = folder.summary(&arguments);
    assert!(summary.contains("\ncandidate pairs 2 of points, whose boxes meet\n"), "{summary}");
    assert!(summary.contains("found           0 overlapping, 1 touching, 1 apart\n"), "{summary}");
    let statistics: Value = serde_json::from_slice(&folder.read("stats.json")).unwrap();
    let pairs = &statistics["pairs"];
    assert_eq!((&pairs["touching"], &pairs["apart"], &pairs["written"]), (&json!(1), &json!(1), &json!(2)));
}

/// Tests that `--skip-invalid` reads a file with polygons as a file of polygons, whatever its first features are.
#[test]
fn points_beside_polygons_are_skipped_or_named() {
    let folder = folder();
    let mut features = vec![feature("\"point\"", r#"{"type":"Point","coordinates":[1,1]}"#)];
    let mixed = "mixed.geojson";
    for lines in [0, 150] {
        let line = |k: usize| feature(&k.to_string(), r#"{"type":"LineString","coordinates":[[0,0],[1,1]]}"#);
        features.extend((0..lines).map(line));
        let squares = [("\"one\"", 0.0), ("\"two\"", 1.0)];
        features.extend(squares.map(|(id, at)| feature(id, &polygon(&crate::folder::square(at)))));
        folder.write(mixed, collection(&features));
        features.truncate(1);
        let rows = "a,b,relation\none,two,overlapping\n";
        assert_eq!(folder.join(&[mixed, "--skip-invalid"]), rows, "{lines}");
        let streamed = folder.run_with_input(&["join", "-", "--skip-invalid"], folder.read(mixed)).error();
        assert!(
            streamed.contains("Error: A = -: begins with a point and has polygons; name a file"),
            "{streamed}"
        );
        // The points of A are in two squares, which cover 3 x 2 units.
        let found = folder.join(&["a.geojson", mixed, "--skip-invalid"]);
        assert!(
            found.lines().count() > 1 && found.lines().skip(1).all(|row| !row.contains("point")),
            "{found}"
        );
    }
    features.push(feature("\"one\"", &polygon(&crate::folder::square(0.0))));
    folder.write(mixed, collection(&features));
    let says = "Error: mixed.geojson, feature 1 (id one): a polygon among points; put points and polygons in separate files";
    for files in [&[mixed][..], &["a.geojson", mixed], &[mixed, "a.geojson"]] {
        assert_eq!(folder.run(&[&["join"], files].concat()).error(), says);
    }
    // A file without polygons is a file of points.
    let pairs = folder.join(&["a.geojson", "--within", "3"]);
    assert_eq!(folder.join(&["a.geojson", "--within", "3", "--skip-invalid"]), pairs);
    let streamed = ["join", "-", "--within", "3", "--skip-invalid", "--backend", "cpu"];
    assert_eq!(folder.run_with_input(&streamed, folder.read("a.geojson")).answered().out, pairs);
}

/// Tests features with so many points that a tree finds the nearest of them.
#[test]
fn features_of_many_points() {
    let folder = Folder::new();
    let points = |i: i64| (0..90).map(move |part| [(i * 37 + part * 101) % 997, (i * 61 + part * 53) % 499]);
    let of_points = (0..12).map(|i| {
        let geometry =
            format!(r#"{{"type":"MultiPoint","coordinates":{:?}}}"#, points(i).collect::<Vec<_>>());
        feature(&i.to_string(), &geometry)
    });
    folder.write("many.geojson", collection(&of_points.collect::<Vec<_>>()));
    let mut rows: Vec<Row> = Vec::new();
    for (i, j) in (0..12).flat_map(|i| (0..12).map(move |j| (i, j))).filter(|(i, j)| i != j) {
        let squares =
            points(i).flat_map(|p| points(j).map(move |q| (p[0] - q[0]).pow(2) + (p[1] - q[1]).pow(2)));
        rows.push((i as usize, j as usize, squares.min().unwrap()));
    }
    let within: Vec<Row> = rows.iter().copied().filter(|&(a, b, square)| a < b && square <= 144).collect();
    assert!(within.len() > 10 && within.len() < 66, "{}", within.len());
    let found = folder.join(&["many.geojson", "--within", "12", "--verify"]);
    assert_rows(&found, &within, "--within 12");
    rows.sort_by_key(|&(a, b, square)| (a, square, b));
    let nearest: Vec<Row> =
        rows.chunk_by(|one, other| one.0 == other.0).flat_map(|rows| rows[..4].to_vec()).collect();
    assert_rows(&folder.join(&["many.geojson", "--nearest", "4"]), &nearest, "--nearest 4");
}

#[test]
fn options_that_two_points_do_not_have_are_errors() {
    let folder = folder();
    for (options, says) in [
        (&["--relation", "inside"][..], "--relation = inside: is no relation of two points"),
        (&["--relation", "overlapping"], "--relation = overlapping: is no relation of two points"),
        (&["--keep", "largest"], "--keep = largest: is for pairs of polygons, but a file has points"),
        (&["--min-area", "1.5"], "--min-area = 1.5: is for pairs of polygons, but a file has points"),
        (&["--contains"], "A = a.geojson: has points; leave out --contains, which is for polygons"),
        (&["--with", "penetration"], "--with = penetration: measures only polygons, but a file has points"),
        (&["--svg", "a.svg", "-o", "a.csv"], "--svg = a.svg: draws only polygons, but a file has points"),
    ] {
        for files in [&["a.geojson", "b.geojson"][..], &["a.geojson"]] {
            let text = folder.run(&[&["join"], files, options].concat()).error();
            assert!(text.starts_with(&format!("Error: {says}")), "{text}");
        }
    }
    let alone = folder.run(&["check", "a.geojson"]).error();
    assert!(alone.contains("feature 1 (id 1): geometry type MultiPoint cannot be joined"), "{alone}");
    let both = folder.run(&["check", "a.geojson", "b.geojson"]).error();
    assert!(both.starts_with("Error: B = b.geojson: has points, but A has points, too"), "{both}");
}
