//! Tests of the ends of geometries, lines in messages, and limits in files of geometries.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use std::path::Path;

use crate::collector::Collector;
use crate::{Error, Features, Id, ReadOptions, Result};

fn read_with(text: &str, options: &ReadOptions) -> Result<Features> {
    super::read(text.as_bytes(), Path::new("in.wkt"), options).and_then(Collector::finish)
}

fn options() -> ReadOptions {
    ReadOptions { points: true, ..ReadOptions::default() }
}

/// Returns the feature and the x of each point in a text.
fn points(text: &str) -> Vec<(u32, f64)> {
    let features = read_with(text, &options()).unwrap();
    features.points.iter().map(|(feature, point)| (feature, point.x)).collect()
}

#[test]
fn each_line_is_a_geometry_and_blank_lines_are_skipped() {
    let text = "\u{feff}POINT (1 2)\r\n\n \t\r\n  srid=2056;point z (3 4 5)  \n\
                0101000000000000000000144000000000000018C0\nPOINT EMPTY\nPOINT (7 8)";
    assert_eq!(points(text), [(0, 1.0), (1, 3.0), (2, 5.0), (4, 7.0)]);
    assert_eq!(points(&format!("{text}\n\n")), points(text));
    let features = read_with(text, &options()).unwrap();
    assert_eq!(features.ids, [0, 1, 2, 3, 4].map(Id::Index));
    assert_eq!(features.crs.unwrap().to_string(), "EPSG:2056");
    let blank = " \n".repeat(3 << 20);
    let error =
        read_with(&format!("{blank}{}\n{blank}POINT (1)", &text[3..]), &options()).unwrap_err().to_string();
    assert!(error.starts_with("in.wkt, line 6291464, feature 5: "), "{error}");
    for text in ["", "\n \n", "\u{feff}"] {
        assert_eq!(read_with(text, &options()).unwrap().counts.features, 0);
    }
}

#[test]
fn a_geometry_continues_after_and_before_parentheses_and_commas() {
    let whole = "POLYGON ((0 0, 9 0, 9 9, 0 0), (6 2, 7 2, 7 3, 6 2))";
    let pieces = |text: &str| {
        let features = read_with(&format!("POLYGON EMPTY\n{text}\nPOLYGON EMPTY\n"), &options()).unwrap();
        assert_eq!(features.counts.features, 3, "{text}");
        let set = &features.set;
        let piece = |piece: usize| (set.piece_object(piece), set.piece_vertices(piece).to_vec());
        (0..set.piece_count()).map(piece).collect::<Vec<_>>()
    };
    for text in [
        whole.replace(", ", ",\n"),
        whole.replace(", ", "\r\n  , "),
        whole.replace('(', "\n(\n\n").replace(')', "\n)"),
    ] {
        assert_eq!(pieces(&text), pieces(whole), "{text}");
    }
    assert_eq!(
        points("MULTIPOINT (1 2,\n-3 4,\n.5 6)\nPOINT (7 8)"),
        [(0, 1.0), (0, -3.0), (0, 0.5), (1, 7.0)]
    );
}

#[test]
fn a_truncated_geometry_does_not_swallow_the_next_one() {
    for cut in
        ["POLYGON ((0 0, 1 0", "POLYGON ((0 0, 1 0,", "POLYGON (", "POLYGON", "POLYGON ((0 0, 1 0, 1 1, 0 0)"]
    {
        let text = format!("POINT (1 2)\n\n{cut}\nPOINT (3 4)\n\"POINT (5 6)\"\nPOINT (7 8)\n");
        let lenient = options().skip_invalid(true);
        let features = read_with(&text, &lenient).unwrap();
        assert_eq!(
            (features.points.features(), &features.left_out[..]),
            (&[0, 2, 4][..], &[1, 3][..]),
            "{cut}"
        );
        let messages: Vec<String> =
            features.skipped.iter().map(|skipped| skipped.error.to_string()).collect();
        assert!(messages[0].starts_with("in.wkt, line 3, feature 1: WKT: character "), "{messages:?}");
        assert!(messages[1].starts_with("in.wkt, line 5, feature 3: WKT: character 0 "), "{messages:?}");
        assert!(messages.iter().all(|message| message.ends_with("; write the geometry again")));
        assert_eq!(read_with(&text, &options()).unwrap_err().to_string(), messages[0]);
    }
}

#[test]
fn an_invalid_polygon_and_two_systems_are_named_by_their_lines() {
    let square = "POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))";
    let error = read_with(&format!("{square}\n\n\nPOLYGON ((0 0, 2 2, 2 0,\n0 2, 0 0))\n"), &options());
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("in.wkt, line 4, feature 1: ") && error.contains("crosses another"), "{error}");
    let error = read_with(&format!("\nSRID=2056;{square}\nSRID=4326;{square}\n"), &options());
    let says = "feature 0 on line 2 states the SRID 2056, but feature 1 on line 3 states the SRID 4326";
    let error = error.unwrap_err().to_string();
    assert!(error.contains(says), "{error}");
}

#[test]
fn geometries_are_the_same_at_any_place_of_a_block() {
    // The text fills more than two blocks. Geometries and blank lines are on both sides of the ends of the blocks.
    let (mut text, mut line) = (String::new(), 1);
    let count = 600_000;
    for k in 0..count {
        let (piece, ends) = match k % 3 {
            0 => (format!("POINT ({k} 1)\n"), 1),
            1 => (format!("POINT\n ({k} 2\r\n)\n"), 3),
            _ => (format!("\n  MULTIPOINT (({k} 3),\n({k} 4))\n\n"), 4),
        };
        text += &piece;
        line += ends;
    }
    text += "POINT (1)\n";
    let features = read_with(&text, &options().skip_invalid(true)).unwrap();
    assert!(text.len() > 8 << 20 && features.counts.features == count + 1);
    for (feature, point) in features.points.iter() {
        assert_eq!(f64::from(feature), point.x);
    }
    assert_eq!(features.points.len(), count / 3 * 4);
    let error = features.skipped[0].error.to_string();
    assert!(error.starts_with(&format!("in.wkt, line {line}, feature {count}: ")), "{error}");
}

#[test]
fn a_geometry_that_is_too_large_is_an_error_that_names_its_line() {
    let small = ReadOptions { max_feature_bytes: 40, skip_invalid: true, ..options() };
    let long = format!("POINT ({} 1)", "1".repeat(60));
    for rest in [
        &*long,
        &long[..50],
        &format!("{long}\n"),
        &long.replace('(', "\n("),
        "MULTIPOINT (1 2,\n1 2,\n1 2,\n1 2,\n1 2,\n1 2,\n1 2,",
    ] {
        let text = format!("POINT (1 2)\n\nPOINT (3 4)\n{rest}");
        let error = read_with(&text, &small).unwrap_err();
        assert!(matches!(error, Error::Feature { feature: 2, line: Some(4), .. }), "{error}");
        assert!(error.to_string().contains("exceeds the limit of 40 bytes"), "{error}");
    }
}

#[test]
fn a_column_of_ids_is_refused_unless_the_features_may_keep_their_ids() {
    let by_name = ReadOptions { id_property: Some("name".into()), ..options() };
    let error = read_with("POINT (1 2)", &by_name).unwrap_err();
    assert!(matches!(&error, Error::NoColumn { column, .. } if column == "name"), "{error}");
    assert_eq!(
        error.to_string(),
        "in.wkt: there is no column name; the file has no columns, so leave out the name of the column"
    );
    let features = read_with("POINT (1 2)", &by_name.id_otherwise(true)).unwrap();
    assert!(features.lacks_property && features.ids == [Id::Index(0)]);
}
