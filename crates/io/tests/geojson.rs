//! Tests of the input that the GeoJSON reader accepts, counts and refuses.

use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use sat2d_io::geojson::{read, read_from};
use sat2d_io::{Error, Features, Id, ReadCounts, ReadOptions, Result};

const TRIANGLE: &str = "[[[0,0],[4,0],[0,4],[0,0]]]";

#[path = "geojson/files.rs"]
mod files;
#[path = "geojson/ids.rs"]
mod ids;

fn read_text(text: impl AsRef<[u8]>) -> Result<Features> {
    read_from(text.as_ref(), Path::new("in.json"), &ReadOptions::default())
}

fn read_lenient(text: &str) -> Features {
    let options = ReadOptions::default().skip_invalid(true);
    read_from(text.as_bytes(), Path::new("in.json"), &options).unwrap()
}

fn polygon(coordinates: &str) -> String {
    format!(r#"{{"type":"Polygon","coordinates":{coordinates}}}"#)
}

fn feature(members: &str, geometry: &str) -> String {
    format!(r#"{{"type":"Feature",{members}"geometry":{geometry}}}"#)
}

fn collection(features: &[String]) -> String {
    format!(r#"{{"type":"FeatureCollection","features":[{}]}}"#, features.join(","))
}

fn ids(features: &Features) -> Vec<String> {
    features.ids.iter().map(|id| id.to_string()).collect()
}

fn piece_counts(features: &Features) -> Vec<usize> {
    let mut counts = vec![0; features.set.object_count()];
    for piece in 0..features.set.piece_count() {
        counts[features.set.piece_object(piece)] += 1;
    }
    counts
}

/// Returns the vertices of all pieces of all features, in order.
fn vertices(features: &Features) -> Vec<[f64; 2]> {
    let set = &features.set;
    (0..set.piece_count()).flat_map(|piece| set.piece_vertices(piece)).map(|v| v.to_array()).collect()
}

fn message(result: Result<Features>) -> String {
    result.map(|features| ids(&features)).unwrap_err().to_string()
}

#[test]
fn every_kind_of_document_is_read() {
    let triangle = polygon(TRIANGLE);
    let multi = format!(r#"{{"type":"MultiPolygon","coordinates":[{TRIANGLE},[[[9,9],[10,9],[9,10]]]]}}"#);
    let named = feature(r#""id":"a","properties":{"x":[{}]},"#, &triangle);
    let other_order = format!(
        r#"{{"features":[{{"geometry":{{"coordinates":{TRIANGLE},"type":"Polygon"}},"id":"a","type":"Feature"}}],"type":"FeatureCollection"}}"#
    );
    let ignored = format!(
        r#"{{"type":"FeatureCollection","crs":{{"type":"name","properties":{{"name":"EPSG:2056"}}}},"bbox":[0,0,4,4],"features":[{{"type":"Feature","bbox":[0,0,4,4],"tippecanoe":{{"layer":"x"}},"geometry":{{"type":"Polygon","bbox":[],"coordinates":{TRIANGLE}}}}}],"name":"layer"}}"#
    );
    let cases: &[(&str, String, &[usize])] = &[
        ("a geometry", triangle.clone(), &[1]),
        ("a multipolygon", multi.clone(), &[2]),
        ("a feature", named.clone(), &[1]),
        ("a collection", collection(&[named.clone(), feature("", &multi)]), &[1, 2]),
        ("an empty collection", collection(&[]), &[]),
        ("lines", format!("{named}\n{triangle}\r\n\n{multi}\n"), &[1, 1, 2]),
        ("lines without a last newline", format!("{named}\n{triangle}"), &[1, 1]),
        ("lines of collections", format!("{0}\n{0}\n", collection(std::slice::from_ref(&named))), &[1, 1]),
        ("a text sequence", format!("\u{1e}{named}\n\u{1e}{multi}\n"), &[1, 2]),
        ("a byte order mark", format!("\u{feff}{named}"), &[1]),
        ("any order", other_order, &[1]),
        ("members to ignore", ignored, &[1]),
        (
            "brackets in strings",
            format!("{}{named}", feature(r#""]}\"{":"\"}\\","y":"{[\\\"","#, &triangle)),
            &[1, 1],
        ),
        (
            "an escaped name",
            collection(std::slice::from_ref(&named)).replace("features", "fea\\u0074ures"),
            &[1],
        ),
        (
            "an indented collection",
            collection(&[named.clone(), named.clone()]).replace(',', " ,\n\t"),
            &[1, 1],
        ),
    ];
    for (what, text, pieces) in cases {
        let features = read_text(text).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(piece_counts(&features), *pieces, "{what}");
        assert_eq!(features.counts.features, pieces.len(), "{what}");
        assert!(features.skipped.is_empty(), "{what}");
        let slow = BufReader::with_capacity(1, text.as_bytes());
        let slow = read_from(slow, Path::new("-"), &ReadOptions::default()).unwrap();
        assert_eq!(piece_counts(&slow), *pieces, "{what}, byte by byte");
        assert_eq!(vertices(&slow), vertices(&features), "{what}, byte by byte");
    }
}

#[test]
fn what_was_tidied_or_means_nothing_is_counted() {
    let text = [
        feature("", "null"),
        polygon("[]"),
        polygon("[[]]"),
        r#"{"type":"MultiPolygon","coordinates":[]}"#.to_owned(),
        r#"{"type":"GeometryCollection","geometries":[]}"#.to_owned(),
        format!(r#"{{"type":"MultiPolygon","coordinates":[[],{TRIANGLE},[[]]]}}"#),
        polygon("[[[0,0,7],[1,0,7,8],[0,1],[0,0,-1.5e3]]]"),
        polygon("[[[0,0],[0,1],[1,0]]]"),
    ]
    .join("\n");
    let features = read_text(&text).unwrap();
    let expected = ReadCounts {
        features: 8,
        null_geometries: 1,
        empty_geometries: 4,
        empty_polygons: 2,
        third_ordinates_ignored: 3,
        rings_closed: 1,
        ids_missing: 0,
        ids_repeated: 0,
        ids_told_apart: 0,
        ids_with_controls: 0,
    };
    assert_eq!(features.counts, expected);
    assert_eq!(piece_counts(&features), [0, 0, 0, 0, 0, 1, 1, 1]);
    assert_eq!(features.cleanup.reversed_rings, 1);
    assert_eq!(ids(&features), ["0", "1", "2", "3", "4", "5", "6", "7"]);
}

#[test]
fn coordinates_are_the_nearest_doubles() {
    // Digits that a reader with double rounding reads wrongly, and the ends of the accepted range.
    let numbers = [
        "9007199254740993.0000000001",
        "2.2250738585072011e-30",
        "0.1000000000000000055511151231257827021181583404541015625000001",
        "123456789.12345678901234567890123456789",
        "-5.0216813883093451685872615018317e-30",
        "1.793662034335766e-43",
        "3.2138760885179806e60",
    ];
    for number in numbers {
        let text = polygon(&format!("[[[{number},0],[{number},1],[7,0.5]]]"));
        let features = read_text(&text).unwrap_or_else(|e| panic!("{number}: {e}"));
        let expected: f64 = number.parse().unwrap();
        let found = vertices(&features);
        assert!(found.iter().any(|v| v[0].to_bits() == expected.to_bits()), "{number}: {found:?}");
    }
}

#[test]
fn invalid_features_end_the_run_or_are_listed() {
    let nest =
        |open: &str, close: &str| polygon(&format!("{}{}", open.repeat(200_000), close.repeat(200_000)));
    let point = r#"{"type":"Point","coordinates":[1,2]}"#;
    let cases: &[(String, &str)] = &[
        (point.into(), "geometry type Point cannot be joined; give Polygon or MultiPolygon (`join`"),
        (
            r#"{"coordinates":[[1,2]],"type":"LineString"}"#.into(),
            "geometry type LineString cannot be joined",
        ),
        (
            format!(r#"{{"type":"GeometryCollection","geometries":[{point}]}}"#),
            "geometry type Point cannot be joined",
        ),
        (
            format!(r#"{{"geometries":[{0},{0}],"type":"GeometryCollection"}}"#, polygon(TRIANGLE)),
            "geometry type GeometryCollection",
        ),
        (r#"{"type":"Circle"}"#.into(), r#""Circle" is not a type of geometry"#),
        (r#"{"coordinates":[]}"#.into(), "the geometry has no `type`"),
        (r#"{"type":"Polygon"}"#.into(), "the Polygon has no `coordinates`"),
        (r#"{"type":"Polygon","type":"Polygon","coordinates":[]}"#.into(), "duplicate field `type`"),
        ("7".into(), "invalid type: integer `7`, expected a geometry or null"),
        (polygon("null"), "`coordinates` is null, not an array of rings"),
        (polygon("[[[0,0],[1,0],[0,1]],7]"), "ring 1 is 7, not an array of positions"),
        (polygon("[[[0,0],[1],[0,1]]]"), "ring 0, position 1 is [1]; it needs 2 numbers"),
        (polygon("[[0,0],[1,0],[0,1]]"), "ring 0, position 0 is 0, not an array of 2 numbers"),
        (polygon(r#"[[[0,0],[1,"0"],[0,1]]]"#), r#"ring 0, position 1 is [1,"0"]: "0" is not a number"#),
        (
            polygon("[[[0,0],[1,0],[1e999,1]]]"),
            "ring 0, position 2 is [1e999,1]: 1e999 is beyond the range of f64",
        ),
        (polygon(r#"[[[0,"x",0],[1,0],[0,1]]]"#), r#"ring 0, position 0 is [0,"x",0]: "x" is not a number"#),
        (polygon("[[[0,0,1],[{},0,1],[0,1]]]"), "ring 0, position 1 is [{},0,1]: {} is not a number"),
        (polygon("[[[0,0],[1,0],[0,null,1]]]"), "ring 0, position 2 is [0,null,1]: null is not a number"),
        (polygon("[[[0,[2],1],[1,0],[0,1]]]"), "ring 0, position 0 is [0,[2],1]: [2] is not a number"),
        (
            r#"{"coordinates":[[[[false,0,0],[1,0],[0,1]]]],"type":"MultiPolygon"}"#.into(),
            "polygon 0, ring 0, position 0 is [false,0,0]: false is not a number",
        ),
        (
            polygon("[[[0,1e999,0],[1,0],[0,1]]]"),
            "ring 0, position 0 is [0,1e999,0]: 1e999 is beyond the range of f64",
        ),
        (
            polygon("[[[0,0,NaN],[1,0],[0,1]]]"),
            "NaN and Infinity are not JSON; write null, or leave the member out",
        ),
        (r#"{"type":"Point","coordinates":null}"#.into(), "geometry type Point cannot be joined"),
        (r#"{"type":"Point","coordinates":[[]]}"#.into(), "geometry type Point cannot be joined"),
        (r#"{"type":"LineString"}"#.into(), "geometry type LineString cannot be joined"),
        (r#"{"type":"LineString","coordinates":[[]]}"#.into(), "geometry type LineString cannot be joined"),
        (
            r#"{"coordinates":[[],[[1,2]]],"type":"MultiLineString"}"#.into(),
            "geometry type MultiLineString cannot be joined",
        ),
        (
            format!(r#"{{"type":"GeometryCollection","geometries":[{},{point}]}}"#, polygon("[]")),
            "geometry type Point cannot be joined",
        ),
        (
            r#"{"type":"GeometryCollection","geometries":[{"type":"Circle","coordinates":[]}]}"#.into(),
            "geometry type GeometryCollection",
        ),
        (
            r#"{"coordinates":[[[[0,0],[1,0],[true,1]]]],"type":"MultiPolygon"}"#.into(),
            "polygon 0, ring 0, position 2 is [true,1]: true is not a number",
        ),
        (polygon("[[[0,0],[1,NaN],[0,1]]]"), "ring 0, position 1 is [1,NaN]: NaN is not a number"),
        (
            polygon("[[[0,0],[-Infinity, 0],[Infinity,1]]]"),
            "ring 0, position 1 is [-Infinity, 0]: -Infinity is not a number",
        ),
        (
            format!(r#"{{"type":"Polygon","area \"NaN":NaN,"coordinates":{TRIANGLE}}}"#),
            "NaN and Infinity are not JSON; write null, or leave the member out",
        ),
        (polygon("[[[0,0],[1,0],[1e300,1]]]"), "coordinate 1e300 is neither 0 nor between"),
        (
            polygon("[[[0,0],[1,0],[0,0]]]"),
            "polygon 0, ring 0 has 2 distinct vertices; at least 3 are needed",
        ),
        (
            format!(r#"{{"type":"MultiPolygon","coordinates":[[],{TRIANGLE},[[[1,1]]]]}}"#),
            "polygon 2, ring 0 has 1 distinct vertices",
        ),
        (
            format!(r#"{{"type":"MultiPolygon","coordinates":[{TRIANGLE},[[[0,0],[1,1],[2,2]],[[0,0]]]]}}"#),
            "polygon 1, ring 0 has no area: all 3 vertices, from (0, 0), lie on one line; drop the polygon",
        ),
        (nest("[", "]"), "ring 0, position 0 is [[["),
    ];
    for (geometry, problem) in cases {
        let text = collection(&[
            polygon_feature("first"),
            feature(r#""id":"bad","#, geometry),
            polygon_feature("last"),
        ]);
        let error = read_text(&text).map(|_| ()).unwrap_err();
        let Error::Feature { feature: 1, id: Some(id), .. } = &error else {
            panic!("{geometry:.80}: {error:?}")
        };
        assert_eq!(id, "bad");
        let error = error.to_string();
        assert!(error.starts_with("in.json, feature 1 (id bad): "), "{error}");
        assert!(error.contains(problem), "{error}, not {problem}");

        let features = read_lenient(&text);
        assert_eq!(ids(&features), ["first", "bad", "last"], "indices stay the input's");
        assert_eq!(piece_counts(&features), [1, 0, 1]);
        assert_eq!(features.skipped.len(), 1);
        let skipped = &features.skipped[0];
        assert_eq!((skipped.feature, skipped.id.as_deref()), (1, Some("bad")));
        assert_eq!(skipped.error.to_string(), error);
    }
}

/// Tests that a geometry without positions counts as empty, whatever its type is, both among polygons and among points.
#[test]
fn empty_geometries_of_every_type_are_counted() {
    let of_type = |kind: &str, coordinates: &str| {
        [
            format!(r#"{{"type":"{kind}","coordinates":{coordinates}}}"#),
            format!(r#"{{"coordinates": {coordinates} ,"type":"{kind}"}}"#),
        ]
    };
    let empty = [
        of_type("Point", "[]"),
        of_type("MultiPoint", " [ ] "),
        of_type("LineString", "[]"),
        of_type("MultiLineString", "[]"),
        of_type("MultiLineString", "[[],[]]"),
        of_type("Polygon", "[[]]"),
        of_type("MultiPolygon", "[[],[[]]]"),
    ]
    .concat();
    let members = empty.join(",");
    let collections = [
        r#"{"type":"GeometryCollection","geometries":[]}"#.to_owned(),
        format!(r#"{{"type":"GeometryCollection","geometries":[{members}]}}"#),
    ];
    let empty = [&empty[..], &collections].concat();
    for geometry in empty {
        for skip_invalid in [false, true] {
            for points in [false, true] {
                let options = ReadOptions::default().skip_invalid(skip_invalid).points(points);
                let point = r#"{"type":"Point","coordinates":[1,2]}"#;
                let solid = if points { feature("", point) } else { polygon_feature("first") };
                let text = collection(&[solid, feature(r#""id":"none","#, &geometry)]);
                let features = read_from(text.as_bytes(), Path::new("in.json"), &options)
                    .unwrap_or_else(|error| panic!("{geometry}: {error}"));
                assert_eq!(features.counts.empty_geometries, 1, "{geometry}");
                assert!(features.skipped.is_empty() && piece_counts(&features)[1] == 0, "{geometry}");
                let solid = (features.points.len(), piece_counts(&features)[0]);
                assert_eq!(solid, if points { (1, 0) } else { (0, 1) });
            }
        }
        assert_eq!(read_text(&geometry).unwrap().counts.empty_geometries, 1, "bare {geometry}");
    }
}

/// Tests that the object and the id of a feature together take at most as many bytes as four pointers.
#[test]
fn a_feature_without_a_geometry_takes_few_bytes() {
    let of_each = size_of::<sat2d::PolygonObject>() + size_of::<Id>();
    assert!(of_each <= 4 * size_of::<usize>(), "{of_each} bytes");
}

fn polygon_feature(id: &str) -> String {
    feature(&format!(r#""id":"{id}","#), &polygon(TRIANGLE))
}

#[test]
fn members_of_features_must_be_features() {
    for (member, problem) in [
        ("null", "invalid type: null, expected a GeoJSON object"),
        (r#"{"type":"Polygon","coordinates":[]}"#, "expected an object of type Feature, found Polygon"),
        ("{}", "expected an object of type Feature, found no `type`"),
        (r#"{"type":"Feature"}"#, "a Feature without `geometry`; write null if it has none"),
    ] {
        let text = collection(&[polygon_feature("first"), member.to_owned()]);
        assert_eq!(message(read_text(&text)), format!("in.json, feature 1: {problem}"));
        assert_eq!(read_lenient(&text).skipped.len(), 1);
    }
}

#[test]
fn what_is_not_geojson_is_refused_where_it_stands() {
    let good = polygon_feature("a");
    let length = good.len();
    let in_collection =
        |features: &str| format!("{{\"type\":\"FeatureCollection\",\"features\":[\n{features}");
    let cases: &[(String, usize, usize, &str)] = &[
        (String::new(), 1, 1, "the input is empty; expected GeoJSON"),
        (" \n \n".into(), 3, 1, "the input is empty; expected GeoJSON"),
        ("\u{feff}".into(), 1, 1, "the input is empty; expected GeoJSON"),
        ("hello".into(), 1, 1, "expected a GeoJSON object, found `h`"),
        (format!("[{good}]"), 1, 1, "expected a GeoJSON object, found `[`"),
        (format!("{good}\n{good},\n"), 2, length + 1, "expected a GeoJSON object, found `,`"),
        (
            "{}".into(),
            1,
            1,
            "an object without `type`; expected a FeatureCollection, a Feature or a geometry",
        ),
        (r#"{"type":"Topology","objects":{}}"#.into(), 1, 1, "this is TopoJSON; convert it to GeoJSON first"),
        (r#"{"type":"FeatureCollection"}"#.into(), 1, 1, "a FeatureCollection without an array `features`"),
        (
            r#"{"type":"FeatureCollection","features":{}}"#.into(),
            1,
            1,
            "a FeatureCollection without an array `features`",
        ),
        (
            format!("\n{{\"features\":[{good}]}}"),
            2,
            1,
            "an object with `features` has no `type`; it should be \"FeatureCollection\"",
        ),
        (
            format!("{{\"features\":[{good}],\"type\":\"Feature\"}}"),
            1,
            1,
            "an object of type \"Feature\" has `features`; only a FeatureCollection may",
        ),
        ("{\"type\" 1}".into(), 1, 9, "expected `:` after a member's name, found `1`"),
        ("{\"type\":\"Polygon\",}".into(), 1, 19, "expected a member's name in quotes, found `}`"),
        ("{\"type\":\"Polygon\"".into(), 1, 18, "the input ends inside the object of line 1, column 1"),
        (format!("{good}\n{{\"type\":\"Feature\",\n \"geometry\": nul}}"), 3, 17, "expected ident"),
        (format!("{good}\n\n{{\"type\":\"Polygon\",\"coordinates\":[[[0,+1]]]}}\n"), 3, 38, "expected value"),
        (format!("{good}\n{{\"type\":\"Polygon\",\n\"coordinates\":[[[0,.5]]]}}\n"), 3, 20, "expected value"),
        ("\u{feff}{\"type\":\"Polygon\",\"a\":[1 2]}".into(), 1, 26, "expected `,` or `]`"),
        (
            in_collection(&format!("{good},\n{good}\n{good}]}}")),
            4,
            1,
            "expected `,` or `]` after a feature, found `{`",
        ),
        (in_collection(&format!("{good},\n]}}")), 3, 1, "expected a value, found `]`"),
        (in_collection(&format!("{good},\n")), 3, 1, "the input ends inside the value of line 3, column 1"),
        (in_collection(&good), 2, length + 1, "the input ends inside `features`"),
        (
            in_collection(&good[..length - 1]),
            2,
            length,
            "the input ends inside the value of line 2, column 1",
        ),
        (
            in_collection(&format!("{good},\n{{\"type\":\"Feature\",\"geometry\":[}}]}}")),
            3,
            31,
            "expected value",
        ),
        (in_collection(&format!("{good}],\n\"crs\":[1,}}")), 3, 10, "expected value"),
        (
            in_collection(&format!("{good}]")),
            2,
            length + 2,
            "the input ends inside the object of line 1, column 1",
        ),
        (
            in_collection(&format!("{good}],\"features\":[]}}")),
            2,
            length + 14,
            "a second `features` in one object",
        ),
        ("{\"crs\":[1,},\n\"features\":[{}]}".into(), 1, 11, "expected value"),
        (format!("{{\"a\":\"\n{good}"), 1, 6, "control character"),
    ];
    for (text, line, column, problem) in cases {
        for skip_invalid in [false, true] {
            let options = ReadOptions::default().skip_invalid(skip_invalid);
            let error = read_from(text.as_bytes(), Path::new("in.json"), &options).unwrap_err();
            assert!(matches!(error, Error::Syntax { .. }), "{text}: {error}");
            let error = error.to_string();
            assert!(
                error.starts_with(&format!("in.json, line {line}, column {column}: ")),
                "{text}\n{error}"
            );
            assert!(error.contains(problem), "{text}\n{error}, not {problem}");
        }
    }
    assert!(message(read_text([0xFF, 0xFE, b'{', 0])).contains("UTF-16"));
}

#[test]
fn the_first_error_of_the_input_is_the_one_reported() {
    // The input has many batches, an invalid feature in an early batch, and bad JSON in a late one.
    let mut lines: Vec<String> = (0..150_000).map(|i| polygon_feature(&format!("{i}"))).collect();
    lines[90_000] = polygon("[[[1,2]]]");
    lines[90_001] = polygon("[[[3]]]");
    lines[140_000] = "{\"type\":}".to_owned();
    let text = lines.join("\n");
    assert_eq!(
        message(read_text(&text)),
        "in.json, feature 90000: polygon 0, ring 0 has 1 distinct vertices; at least 3 are needed; drop the polygon or repair it"
    );
    let options = ReadOptions::default().skip_invalid(true);
    let error = read_from(text.as_bytes(), Path::new("in.json"), &options).unwrap_err().to_string();
    assert!(error.starts_with("in.json, line 140001, column 9: "), "{error}");
}

#[test]
fn a_collection_of_one_geometry_is_this_geometry() {
    let collection = |members: &[String]| {
        format!(r#"{{"type":"GeometryCollection","geometries":[{}]}}"#, members.join(","))
    };
    let (triangle, empty) = (polygon(TRIANGLE), r#"{"type":"LineString","coordinates":[]}"#.to_owned());
    let nested = collection(&[empty.clone(), collection(std::slice::from_ref(&triangle)), polygon("[]")]);
    for text in [collection(std::slice::from_ref(&triangle)), nested] {
        let features = read_text(&text).unwrap();
        assert_eq!(
            (vertices(&features), features.counts.rings_closed),
            (vertices(&read_text(&triangle).unwrap()), 0)
        );
    }
    let two = collection(&[collection(&[triangle.clone(), triangle])]);
    assert!(message(read_text(two)).contains("geometry type GeometryCollection"));
    let deep =
        (0..100_000).fold(String::new(), |inner, _| inner + r#"{"type":"GeometryCollection","geometries":["#);
    let deep = format!("{deep}{}", "]}".repeat(100_000));
    assert!(read_text(deep).is_err());
}

#[test]
fn many_batches_keep_their_order() {
    let text = collection(&(0..150_000).map(|i| polygon_feature(&format!("{i}"))).collect::<Vec<_>>());
    assert!(text.len() > 12 << 20, "several batches");
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for features in [read_text(&text).unwrap(), one_thread.install(|| read_text(&text).unwrap())] {
        assert_eq!(features.set.object_count(), 150_000);
        assert!(features.ids.iter().enumerate().all(|(i, id)| id.to_string() == i.to_string()));
    }
}
