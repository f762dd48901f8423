//! Tests that measurements of decimal coordinates are written as short decimals, in every format.

use serde_json::{Value, json};

use crate::folder::*;

/// Returns a feature whose polygon is the box from (x0, y0) to (x1, y1). The coordinates are written as given.
fn feature_of([x0, y0, x1, y1]: [&str; 4]) -> String {
    let ring = format!("[[{x0},{y0}],[{x1},{y0}],[{x1},{y1}],[{x0},{y1}],[{x0},{y0}]]");
    feature("null", &polygon(&format!("[{ring}]")))
}

fn folder_of(boxes: &[[&str; 4]]) -> Folder {
    let folder = Folder::new();
    folder.write(
        "boxes.geojson",
        collection(&boxes.iter().map(|&corners| feature_of(corners)).collect::<Vec<_>>()),
    );
    folder
}

/// Returns the output of a join of the boxes. Asserts that every backend writes the same output.
fn written(folder: &Folder, arguments: &[&str]) -> String {
    let on = |backend: &&str| {
        let arguments = [&["join", "boxes.geojson", "--backend", backend][..], arguments].concat();
        folder.run(&arguments).answered().out
    };
    let outs: Vec<String> = BACKENDS.iter().map(on).collect();
    assert!(outs.iter().all(|out| *out == outs[0]), "{outs:?}");
    outs[0].clone()
}

const EVERYTHING: &[&str] = &["--within", "0.3", "--with", "distance,penetration,manifold"];

/// Returns a folder with three boxes. The distance between the first and the second box is 0.3 - 0.1, which is not exactly
/// 0.2 in f64. The second and the third box overlap by 0.7 - 0.6, which is not exactly 0.1 in f64.
fn stairs() -> Folder {
    folder_of(&[["-0.4", "0.2", "0.1", "0.7"], ["0.3", "0.2", "0.9", "0.7"], ["0.5", "0.6", "1.1", "1.3"]])
}

#[test]
fn boxes_on_a_decimal_grid_are_written_as_a_person_would() {
    let folder = stairs();
    assert_eq!(
        written(&folder, EVERYTHING),
        "a,b,relation,distance,ax,ay,bx,by,depth,normal_x,normal_y,contacts,x1,y1,separation1,x2,y2,separation2\n\
         0,1,disjoint,0.2,0.1,0.2,0.3,0.2,,,,2,0.2,0.2,0.2,0.2,0.7,0.2\n\
         1,2,overlapping,0.0,,,,,0.1,0.0,1.0,2,0.9,0.65,-0.1,0.5,0.65,-0.1\n"
    );
    let lines = written(&folder, &[EVERYTHING, &["--format", "jsonl"]].concat());
    let values: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(values[0]["distance"], json!(0.2));
    assert_eq!(values[0]["closest"], json!({"a": [0.1, 0.2], "b": [0.3, 0.2]}));
    assert_eq!(values[1]["penetration"], json!({"normal": [0.0, 1.0], "depth": 0.1}));
    let points = |value: &Value| {
        let points = value["manifold"]["points"].as_array().unwrap().clone();
        points.into_iter().map(|point| json!([point["position"], point["separation"]])).collect::<Vec<_>>()
    };
    assert_eq!(points(&values[0]), [json!([[0.2, 0.2], 0.2]), json!([[0.2, 0.7], 0.2])]);
    assert_eq!(points(&values[1]), [json!([[0.9, 0.65], -0.1]), json!([[0.5, 0.65], -0.1])]);
    let text = written(&folder, &[EVERYTHING, &["--format", "geojson"]].concat());
    let found: Value = serde_json::from_str(&text).unwrap();
    let found = found["features"].as_array().unwrap();
    let line = |points: [[f64; 2]; 2]| json!({"type": "LineString", "coordinates": points});
    assert_eq!(found[0]["geometry"], line([[0.1, 0.2], [0.3, 0.2]]));
    assert_eq!(found[1]["geometry"], line([[0.9, 0.65], [0.5, 0.65]]));
    assert_eq!((&found[0]["properties"]["x1"], &found[1]["properties"]["depth"]), (&json!(0.2), &json!(0.1)));
    // No number in the output has more digits than the coordinates.
    for text in [&lines, &text] {
        assert!(!text.contains("00000") && !text.contains("99999"), "{text}");
    }
}

#[test]
fn what_is_no_short_decimal_keeps_all_digits() {
    let folder = folder_of(&[["-1", "-1", "0", "0"], ["3", "3", "4", "4"]]);
    let out = written(&folder, &["--within", "5"]);
    assert_eq!(out, "a,b,relation,distance\n0,1,disjoint,4.242640687119285\n");
}

#[test]
fn a_distance_that_is_written_is_never_above_the_one_that_was_given() {
    let folder = stairs();
    let distance = |within: &str| {
        let out = written(&folder, &["--within", within, "--with", "manifold"]);
        let apart = out.lines().find(|line| line.contains(",disjoint,"));
        apart.map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>())
    };
    // The true distance of the boxes is `exactly`. It is written as 0.2 if the limit is `above`. If the limit is
    // `exactly`, it is not, because the written distance must not exceed the limit.
    let [exactly, above] = ["0.19999999999999998", "0.2"];
    let fields = distance(exactly).unwrap();
    assert_eq!((fields[3].as_str(), fields[7].as_str()), (exactly, exactly));
    assert_eq!(distance(above).unwrap()[3], "0.2");
    assert!(distance("0.19999999999999996").is_none());
}

#[test]
fn what_lies_an_ulp_apart_or_overlaps_by_one_is_not_written_as_touching() {
    let folder = folder_of(&[
        ["0.1", "0.1", "0.3", "0.4"],
        ["0.30000000000000004", "0.1", "0.7", "0.4"],
        ["0.6999999999999999", "0.1", "0.9", "0.4"],
    ]);
    let out = written(&folder, &["--within", "0.1", "--with", "distance,penetration,manifold"]);
    let rows: Vec<Vec<&str>> = out.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let number = |text: &str| text.parse::<f64>().unwrap();
    assert_eq!(rows.len(), 2, "{out}");
    assert_eq!(rows[0][2], "disjoint");
    assert!(number(rows[0][3]) > 0.0 && number(rows[0][13]) > 0.0 && rows[0][4] != rows[0][6], "{out}");
    // The written coordinates are those of the input, digit for digit.
    assert_eq!((rows[0][4], rows[0][6]), ("0.3", "0.30000000000000004"), "{out}");
    assert_eq!(rows[1][2], "overlapping");
    assert!(number(rows[1][8]) > 0.0 && number(rows[1][14]) < 0.0, "{out}");
}

/// A box from (x0, y0) to (x1, y1), in tenths of a unit.
type Tenths = [i64; 4];

fn text(tenths: i64) -> String {
    let sign = if tenths < 0 { "-" } else { "" };
    format!("{sign}{}.{}", tenths.abs() / 10, tenths.abs() % 10)
}

fn boxes(seed: u64, count: usize) -> Vec<Tenths> {
    let mut state = seed;
    let mut next = |below: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i64 % below
    };
    let one = |_| {
        let [x, y] = [next(160) - 80, next(160) - 80];
        [x, y, x + 1 + next(20), y + 1 + next(20)]
    };
    (0..count).map(one).collect()
}

#[test]
fn of_random_boxes_with_one_decimal_every_number_has_at_most_two() {
    let boxes = boxes(26, 400);
    let texts: Vec<[String; 4]> = boxes.iter().map(|corners| corners.map(text)).collect();
    let corners: Vec<[&str; 4]> =
        texts.iter().map(|corners| corners.each_ref().map(String::as_str)).collect();
    let out = written(&folder_of(&corners), &["--within", "1", "--with", "distance,penetration,manifold"]);
    let (mut apart, mut slanted, mut deep) = (0, 0, 0);
    for line in out.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [a, b] = [0, 1].map(|k| boxes[fields[k].parse::<usize>().unwrap()]);
        let gaps = [b[0] - a[2], a[0] - b[2], b[1] - a[3], a[1] - b[3]];
        let [x, y] = [gaps[0].max(gaps[1]).max(0), gaps[2].max(gaps[3]).max(0)];
        let square = x * x + y * y;
        let root = square.isqrt();
        let written = if root * root == square {
            assert_eq!(fields[3], text(root), "{line}");
            [&fields[4..], &[]].concat()
        } else {
            // The distance of two corners is the root of a number that is not a square, so it is not a decimal. The gap
            // of the contact equals this distance. The closest points and the contact point are decimals.
            slanted += 1;
            [&fields[4..8], &fields[12..14]].concat()
        };
        if fields[2] == "disjoint" {
            apart += 1;
        } else {
            deep += 1;
            assert_eq!(fields[8], text(-gaps.into_iter().max().unwrap()), "{line}");
        }
        for field in written {
            let decimals = field.split_once('.').map_or("", |(_, decimals)| decimals);
            assert!(decimals.len() <= 2 && !field.contains('e'), "{field}: {line}");
        }
    }
    assert!(apart > 500 && slanted > 100 && deep > 300, "{apart} {slanted} {deep}");
}
