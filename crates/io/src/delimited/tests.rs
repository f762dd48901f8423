//! Tests of quotes, delimiters, names and limits in text in columns.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use std::path::Path;

use crate::collector::Collector;
use crate::{Error, Features, Id, IdRef, ReadOptions, Result};

fn read_with(text: &str, is_tabbed: bool, options: &ReadOptions) -> Result<Features> {
    super::read(text.as_bytes(), is_tabbed, Path::new("in.csv"), options).and_then(Collector::finish)
}

fn options() -> ReadOptions {
    ReadOptions { points: true, ..ReadOptions::default() }
}

fn ids(text: &str) -> Vec<Id> {
    read_with(text, false, &options()).unwrap().ids.iter().map(IdRef::to_id).collect()
}

fn text(text: &str) -> Id {
    Id::Text(text.into())
}

#[test]
fn fields_in_quotes_have_delimiters_lines_and_quotes() {
    let found =
        ids("id,wkt\r\n\"a,\"\"b\"\"\nc\",POINT EMPTY\r\n\r\nd\"\"e,\"POINT (1 2)\"\n\"f\"g,\n\"\",\"\"");
    assert_eq!(found, [text("a,\"b\"\nc"), text("d\"\"e"), text("f\"g"), Id::Index(3)]);
}

#[test]
fn whole_numbers_without_quotes_are_integers() {
    let found = ids("WKT;ID\nPOINT EMPTY;7\n;-3\n;\"7\"\n;007\n;1.50\n;\n;9223372036854775808");
    let expected = [Id::Integer(7), Id::Integer(-3), text("7"), text("007"), text("1.50"), Id::Index(5)];
    assert_eq!(found[..6], expected);
    assert_eq!(found[6], text("9223372036854775808"));
}

#[test]
fn columns_are_found_by_name() {
    let rows = "name\tgeom\tother\na\tPOINT (1 2)\tPOINT (3 4)\n";
    let read = |geometry: Option<&str>, id: Option<&str>| {
        let [geometry, id_property] = [geometry, id].map(|name| name.map(str::to_owned));
        read_with(rows, true, &ReadOptions { geometry, id_property, ..options() })
    };
    assert_eq!(read(None, Some("name")).unwrap().ids, [text("a")]);
    assert_eq!(read(Some("other"), None).unwrap().points.positions()[0].x, 3.0);
    for (geometry, id) in [(Some("no"), None), (None, Some("no"))] {
        let error = read(geometry, id).unwrap_err().to_string();
        assert_eq!(error, "in.csv: there is no column no; the columns are name, geom, other");
    }
    let error = read_with("a,b\n1,2\n", false, &options()).unwrap_err().to_string();
    assert!(error.contains("name one with `--geometry`; the columns are a, b"), "{error}");
}

#[test]
fn rows_are_the_same_at_any_place_of_a_block() {
    // The text fills more than two blocks. Quotes and line ends are on both sides of the ends of the blocks.
    let mut rows = String::from("id,wkt\n");
    let count = 400_000;
    for k in 0..count {
        rows += &format!("\"{k}\"\"\n,\",POINT ({k} {})\r\n", k % 7);
    }
    let features = read_with(&rows, false, &options()).unwrap();
    assert!(rows.len() > 8 << 20 && features.points.len() == count);
    for (k, ((feature, point), id)) in features.points.iter().zip(features.ids.iter()).enumerate() {
        assert_eq!((feature as usize, point.x, point.y), (k, k as f64, (k % 7) as f64));
        assert_eq!(id, text(&format!("{k}\"\n,")));
    }
}

#[test]
fn a_row_that_has_no_end_or_is_too_large_is_an_error() {
    let error = read_with("id,wkt\na,POINT EMPTY\n\"b,\n\n", false, &options()).unwrap_err();
    assert!(matches!(error, Error::Feature { feature: 1, .. }), "{error}");
    assert!(error.to_string().contains("a quote begins in the row and does not end"), "{error}");
    let small = ReadOptions { max_feature_bytes: 40, skip_invalid: true, ..options() };
    let long = format!("id,wkt\na,POINT (1 2)\n{},POINT EMPTY\n", "b".repeat(60));
    for text in [long, format!("id,wkt\na,POINT (1 2)\n\"{}", "b".repeat(60))] {
        let error = read_with(&text, false, &small).unwrap_err().to_string();
        assert!(error.contains("feature 1"), "{error}");
    }
}
