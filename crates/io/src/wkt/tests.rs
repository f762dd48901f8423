//! Tests of the decoder of well-known text.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use super::*;
use crate::ReadCounts;
use crate::chunk::Chunk;

type Decoded = (Vec<Vec<Vec<[f64; 2]>>>, Vec<DVec2>, ReadCounts);

fn decoded(text: &str) -> Result<Decoded> {
    let (mut chunk, mut points, mut counts) = (Chunk::default(), Vec::new(), ReadCounts::default());
    let region =
        Region { chunk: &mut chunk, points: &mut points, first_point: 0, counts: &mut counts, srid: &mut 0 };
    decode_text(text.as_bytes(), true, region)?;
    chunk.end_feature();
    Ok((chunk.rings_of(0), points, counts))
}

/// Returns a text to compare results. It does not distinguish 0 from -0.
fn bits((rings, points, _): &Decoded) -> String {
    format!("{rings:?} {points:?}")
}

#[test]
fn cases_of_the_corpus_are_the_same_in_text_and_in_binary() {
    let cases = include_str!("../../tests/data/wkb-cases.txt");
    let mut count = 0;
    for line in cases.lines().filter(|line| !line.starts_with('#')) {
        let [digits, text, comment] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        // These cases cannot be written as text.
        if text == "error" || text == "POLYGON (())" {
            continue;
        }
        let (binary, found) = (decoded(digits), decoded(text));
        // Some points are outside the range of the library.
        let (Ok(binary), Ok(found)) = (&binary, &found) else {
            assert_eq!(
                binary.map_err(|e| e.to_string()).err(),
                found.map_err(|e| e.to_string()).err(),
                "{comment}"
            );
            continue;
        };
        assert_eq!(bits(found), bits(binary), "{comment}: {text}");
        assert_eq!(found.2.empty_geometries, binary.2.empty_geometries, "{comment}");
        count += 1;
    }
    assert!(count > 55, "{count}");
}

#[test]
fn every_form_of_a_text_is_read() {
    let square = decoded("POLYGON ((0 0, 2 0, 2 2, 0 0))").unwrap();
    for text in [
        "polygon((0 0,2 0,2 2,0 0))",
        " SRID=4326;POLYGON ((0 0, 2 0, 2 2, 0 0)) ",
        "POLYGON\t(\n(0.0 0,2. 0e3 , +2 20E-1, .0 -0.0))",
        "GEOMETRYCOLLECTION (POLYGON ((0 0, 2 0, 2 2, 0 0)), POINT EMPTY)",
    ] {
        assert_eq!(bits(&decoded(text).unwrap()).replace("-0.0", "0.0"), bits(&square), "{text}");
    }
    for text in [
        "POLYGON Z ((0 0 1, 2 0 1, 2 2 1, 0 0 1))",
        "POLYGONZM ((0 0 1 2, 2 0 1 2, 2 2 1 2, 0 0 1 2))",
        "Polygon M((0 0 nan,2 0 nan,2 2 nan,0 0 nan))",
        "POLYGON ((0 0 1, 2 0 1, 2 2 1, 0 0 1))",
    ] {
        let found = decoded(text).unwrap();
        assert_eq!((bits(&found), found.2.third_ordinates_ignored), (bits(&square), 4), "{text}");
    }
    let points = decoded("MULTIPOINT (1 2, EMPTY, (3 4))").unwrap().1;
    assert_eq!(points, [DVec2::new(1.0, 2.0), DVec2::new(3.0, 4.0)]);
    assert_eq!(decoded("  ").unwrap().2.null_geometries, 1);
    assert_eq!(decoded("LINESTRING EMPTY").unwrap().2.empty_geometries, 1);
    let partly = decoded("MULTIPOLYGON (EMPTY, ((0 0, 1 0, 0 1)))").unwrap().2;
    assert_eq!((partly.empty_polygons, partly.rings_closed, partly.empty_geometries), (1, 1, 0));
}

#[test]
fn an_error_says_where_and_what() {
    for (text, says) in [
        (
            "POLYGON ((0 0, 1 0, 1 1, 0 0)",
            "WKT: character 29 of the geometry is missing: the text ends where `)` is expected",
        ),
        (
            "POLYGON ((0 0, 1 0x, 1 1))",
            "character 17 of the geometry begins `0x, 1 1))`, where a number is expected",
        ),
        ("POLYGON (0 0, 1 0)", "character 9 of the geometry begins `0 0, 1 0)`, where `(` is expected"),
        ("POLYGON ((0 0, 1, 1 1))", "where a number is expected"),
        ("POLYGON ((0 0, 1 0, 1 1)) x", "where the end of the geometry is expected"),
        ("POLIGON EMPTY", "character 0 of the geometry begins `POLIGON EMPT`, where the type of a geometry"),
        ("POINT (1 1e999)", "outside of the range of f64"),
        ("POINT (1 1e-999)", "outside of the range of f64"),
        ("POINT (1 nan)", "NaN"),
        ("LINESTRING (0 0, 1 1)", "geometry type LineString cannot be joined"),
        ("MULTIPOLYGON (((0 0, 1 0, 0 1))), ()", "where the end"),
        ("GEOMETRYCOLLECTION (POINT (1 2), POINT (3 4))", "geometry type GeometryCollection"),
        ("SRID=4326 POINT (1 2)", "`SRID=` with a number and `;`"),
        ("SRID=4326 x;POINT (1 2)", "`SRID=` with a number and `;`"),
        ("SRID=99999999999;POINT (1 2)", "`SRID=` with a number and `;`"),
        ("SRID;POINT (1 2)", "`SRID=` with a number and `;`"),
        ("01zz", "not a hexadecimal digit"),
    ] {
        let error = decoded(text).unwrap_err().to_string();
        assert!(error.contains(says), "{text}: {error}");
    }
    let deep = format!("{}POINT (1 2){}", "GEOMETRYCOLLECTION (".repeat(9), ")".repeat(9));
    assert!(decoded(&deep).is_err());
}
