//! Tests of files with wrong compression, padding or encoding: some are read nevertheless, and the others are errors.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};

use crate::folder::*;

fn gzip_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns the error of a join whose input has the given name and bytes. Asserts that the join leaves no output file.
#[track_caller]
fn error_of(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    folder.write(name, bytes);
    let error = folder.run(&["join", name, "--backend", "cpu", "-o", "pairs.csv"]).error();
    assert_eq!(folder.names(), [name]);
    assert!(error.contains(name), "{error}");
    error
}

#[test]
fn the_content_says_whether_a_file_is_gzip() {
    let folder = Folder::new();
    // `curl --compressed` saves such files: the contents are decompressed, and the name is the name of the compressed file.
    for (name, text) in [
        ("plain.geojson.gz", squares()),
        ("mark.geojson.GZ", format!("\u{feff}{}", squares())),
        ("blank.ndjson.gz", format!("\n  {}", square_features().join("\n"))),
        ("sequence.gz", format!("\u{1e}{}", square_features().join("\n\u{1e}"))),
    ] {
        folder.write(name, text);
        assert_eq!(folder.join(&[name]), SQUARES_CSV, "{name}");
    }
    let error = error_of("list.gz", "a,b\n1,2\n");
    assert!(error.contains("is named .gz, but is neither gzip nor GeoJSON: it begins with `a,b"), "{error}");
    let error = error_of("zeros.gz", [0; 40]);
    assert!(error.contains("it begins with the bytes 00 00 00"), "{error}");
}

#[test]
fn other_packings_are_named() {
    for (name, start, what) in [
        ("a.zip", &b"PK\x03\x04\x14\0"[..], "a zip archive"),
        ("a.geojson.bz2", b"BZh91AY&SY", "bzip2"),
        ("a.json.xz", b"\xfd7zXZ\0\0\x04", "xz"),
        ("a.gz", b"PK\x03\x04\x14\0", "a zip archive"),
    ] {
        let error = error_of(name, start);
        assert!(error.contains(&format!("this is {what}")) && error.contains("unpack it first"), "{error}");
        let error = error_of("in.gz", gzip_bytes(start));
        let says = format!("the unpacked data is {what}; unpack it first");
        assert!(error.contains(&says), "{error}");
    }
    for name in ["a.geojson.gz", "a.geojson"] {
        let error = error_of(name, gzip_bytes(&gzip(&squares())));
        assert!(error.contains("the unpacked data is gzip inside of gzip; unpack it once"), "{error}");
    }
}

#[test]
fn a_pointer_of_git_lfs_is_named() {
    let pointer =
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0\nsize 12345\n";
    for name in ["a.geojson", "a.geojson.gz"] {
        let error = error_of(name, pointer);
        assert!(error.contains("this is a Git LFS pointer"), "{error}");
        assert!(error.contains("`git lfs pull`"), "{error}");
    }
    assert!(error_of("a.gz", gzip(pointer)).contains("the unpacked data is a Git LFS pointer"));
}

#[test]
fn text_of_another_encoding_is_named() {
    for text in [squares(), format!("\n\t {}", squares()), format!("[{}]", square_features()[0])] {
        for mark in ["", "\u{feff}"] {
            let marked = format!("{mark}{text}");
            let utf_16: Vec<u16> = marked.encode_utf16().collect();
            let utf_32: Vec<u32> = marked.chars().map(u32::from).collect();
            let wide = [
                ("UTF-16", utf_16.iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<u8>>()),
                ("UTF-16", utf_16.iter().flat_map(|unit| unit.to_be_bytes()).collect()),
                ("UTF-32", utf_32.iter().flat_map(|unit| unit.to_le_bytes()).collect()),
                ("UTF-32", utf_32.iter().flat_map(|unit| unit.to_be_bytes()).collect()),
            ];
            for (what, bytes) in wide {
                for error in [
                    error_of("in.geojson", &bytes),
                    error_of("in.gz", &bytes),
                    error_of("in.gz", gzip_bytes(&bytes)),
                ] {
                    assert!(error.contains(&format!("is {what}; GeoJSON is UTF-8")), "{error}");
                    assert!(error.contains(&format!("`iconv -f {what} -t UTF-8`")), "{error}");
                }
            }
        }
    }
}

#[test]
fn text_in_latin_1_is_named_and_placed() {
    let latin_1 =
        |text: &str| -> Vec<u8> { text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect() };
    let first = &square_features()[0];
    let square = polygon(&square(1.0));
    let says = "is not UTF-8; if the text is Latin-1, convert the file first (`iconv -f LATIN1 -t UTF-8`)";
    let named = feature("\"Flurst\u{fc}ck\"", &square);
    let column = named.find('\u{fc}').unwrap() + 1;
    let error = error_of("in.ndjson", latin_1(&format!("{first}\n{named}\n")));
    assert!(error.starts_with("Error: in.ndjson, feature 1: "), "{error}");
    assert!(error.contains(&format!("line 2, column {column}: byte 0xFC {says}")), "{error}");
    for text in [
        feature("1", &square.replace("Polygon", "Poly\u{e9}gon")),
        feature("1", &square).replace("\"id\"", "\"\u{e9}\":0,\"id\""),
        format!("{{\"na\u{e9}me\":1,\"type\":\"FeatureCollection\",\"features\":[{first}]}}"),
    ] {
        let error = error_of("in.geojson", latin_1(&text));
        assert!(error.contains("byte 0xE9") && error.contains(says), "{error}");
    }
    // The property that names features is read completely. Other properties are skipped.
    let folder = Folder::new();
    let text = collection(&[first.replace("nleft", "n\u{e9}"), named.replace("\"Flurst\u{fc}ck\"", "2")]);
    folder.write("in.geojson", latin_1(&text));
    let error = folder.run(&["join", "in.geojson", "--id", "name"]).error();
    assert!(error.contains("byte 0xE9") && error.contains(says), "{error}");
    assert_eq!(folder.join(&["in.geojson"]), "a,b,relation\nleft,2,overlapping\n");
}

#[test]
fn esri_json_is_named() {
    let rings = r#"{"rings":[[[0,0],[0,1],[1,0],[0,0]]]}"#;
    let attributes = format!(r#"{{"attributes":{{"FID":1}},"geometry":{rings}}}"#);
    for (text, place) in [
        (rings.to_owned(), "in.json, line 1, column 1: "),
        (rings.replace('}', r#","spatialReference":{"wkid":4326}}"#), "in.json, line 1, column 1: "),
        (
            format!(r#"{{"geometryType":"esriGeometryPolygon","features":[{attributes},{attributes}]}}"#),
            "in.json, feature 0: ",
        ),
        (attributes.clone(), "in.json, feature 0: "),
    ] {
        let error = error_of("in.json", text);
        assert!(error.starts_with(&format!("Error: {place}this is Esri JSON")), "{error}");
        assert!(error.contains("convert it to GeoJSON first (`ogr2ogr out.geojson in.json`)"), "{error}");
    }
}

#[test]
fn features_in_an_array_or_with_commas_between_are_told_how_to_stand() {
    let lines = square_features();
    for text in [format!("[{}]", lines.join(",\n")), format!(" \n[\n{}\n]\n", lines[0]), "[]".into()] {
        let error = error_of("in.json", text);
        assert!(
            error.contains("expected a GeoJSON object, found `[`; this is an array: put its features into"),
            "{error}"
        );
        assert!(error.contains(r#"{"type":"FeatureCollection","features":[...]}"#), "{error}");
    }
    for text in [lines.join(",\n"), format!("{},\n", lines.join("\n")), format!("{} ,", squares())] {
        let error = error_of("in.ndjson", text);
        assert!(error.contains("found `,` after the last one; objects that follow each other"), "{error}");
        assert!(error.contains("remove the commas") && !error.contains("remove the text"), "{error}");
    }
    let parts: Vec<String> = lines.iter().map(|line| format!("\u{feff}{line}\n")).collect();
    for text in [parts.concat(), format!("{0}\u{feff}{0}", squares()), format!("{}\u{feff}", squares())] {
        let error = error_of("in.ndjson", text);
        assert!(
            error.contains("found byte 0xEF after the last one; it begins a byte order mark (EF BB BF)"),
            "{error}"
        );
        assert!(error.contains("remove the mark") && !error.contains("remove the text"), "{error}");
    }
}

#[test]
fn a_third_ordinate_is_ignored_whatever_it_is() {
    let folder = Folder::new();
    for third in ["null", "7", "1e-999", "1e999", "\"x\"", "true", "{\"a\":[1]}", "[]", "null,null,2"] {
        let text = squares().replace("[0,0]", &format!("[0,0,{third}]"));
        folder.write("in.geojson", text);
        assert_eq!(folder.join(&["in.geojson"]), SQUARES_CSV, "{third}");
        let summary = folder.summary(&["in.geojson"]);
        assert!(summary.contains("2 third ordinates ignored"), "{third}: {summary}");
        let point = format!(r#"{{"type":"Point","coordinates":[0.5,0.5,{third}]}}"#);
        folder.write("points.geojson", feature("\"p\"", &point));
        assert_eq!(
            folder.join(&["points.geojson", "in.geojson"]),
            "a,b,relation\np,left,inside\n",
            "{third}"
        );
    }
}

#[test]
fn zeros_after_gzip_are_padding() {
    let folder = Folder::new();
    let lines = square_features();
    let (first, second) = (gzip(&format!("{}\n", lines[..2].join("\n"))), gzip(&lines[2..].join("\n")));
    for padding in [1, 3, 511, 512, 70_000, 200_000] {
        let padded = [&first[..], &second, &vec![0; padding]].concat();
        folder.write("tape.gz", &padded);
        assert_eq!(folder.join(&["tape.gz"]), SQUARES_CSV, "{padding}");
        let run = folder.run_with_input(&["join", "-", "--backend", "cpu", "-q"], padded).answered();
        assert_eq!(run.out, SQUARES_CSV, "{padding}");
    }
}

#[test]
fn what_follows_gzip_and_is_none_is_an_error_that_says_so() {
    let whole = gzip(&squares());
    for (junk, found) in [
        (&b"junk"[..], "`junk`"),
        (b"\n", "`\\n`"),
        (b"\x00\x01\x02", "the bytes 01 02"),
        (b"{}", "`{}`"),
        (b"\0\0\0{}", "`{}`"),
        (b"\xff\xff\x00", "the bytes ff ff 00"),
    ] {
        let error = error_of("in.gz", [&whole, junk].concat());
        assert!(error.contains("cannot read in.gz: the gzip data ends"), "{error}");
        assert!(error.contains(&format!("the bytes after it are not gzip: {found}")), "{error}");
        assert!(error.contains("cut them off"), "{error}");
    }
    // gzip(1) does not search for a member after the padding, either.
    let error = error_of("in.gz", [&whole[..], &[0; 10], &whole].concat());
    assert!(error.contains("the bytes after it are not gzip"), "{error}");
    let error = error_of("in.gz", [&whole[..], &whole[..7]].concat());
    assert!(error.contains("cut short"), "{error}");
    let error = error_of("in.gz", [&whole[..], b"\x1f\x8bjunk, and more of it"].concat());
    assert!(error.contains("gzip data is damaged"), "{error}");
}

#[test]
fn what_follows_the_json_is_an_error_that_says_so() {
    for (junk, found) in [("junk", "`j`"), ("\0\0\0", "byte 0x00"), ("]", "`]`"), ("}", "`}`")] {
        for text in [squares(), square_features()[0].clone(), format!("{}\n", square_features().join("\n"))] {
            let error = error_of("in.geojson", format!("{text}{junk}"));
            assert!(
                error.contains(&format!("expected a GeoJSON object, found {found} after the last one")),
                "{error}"
            );
            assert!(error.contains("remove the text after it"), "{error}");
        }
    }
    let error = error_of("in.gz", gzip(&format!("{}junk", squares())));
    assert!(error.contains("found `j`"), "{error}");
}

#[test]
fn half_a_surrogate_pair_is_named_and_placed() {
    let square = polygon(&square(0.0));
    for escape in [r"\ud800", r"\uDBFF", r"\udc00", r"\uDFFF"] {
        for (text, place) in [
            (escape.to_owned(), 0),
            (format!("ab{escape}c"), 2),
            (format!(r"a\u00e9{escape}\n"), 7),
            (format!(r"\ud83d\ude00{escape}x"), 12),
            (format!(r"\\ud800{escape}"), 7),
            (format!(r"{escape}A"), 0),
        ] {
            let before = r#"{"type":"Feature","id":""#;
            let line = format!(r#"{before}{text}","properties":null,"geometry":{square}}}"#);
            let error = error_of("in.ndjson", format!("{}\n{line}\n", square_features()[0]));
            let column = before.len() + place + 1;
            assert!(error.starts_with("Error: in.ndjson, feature 1: "), "{error}");
            let says = format!("line 2, column {column}: the string has {escape}, half of a surrogate pair");
            assert!(error.contains(&says), "{text}: {error}");
            assert!(!error.contains("unexpected end"), "{error}");
        }
    }
    // The error is also found if the two halves are in the wrong order, in the naming property, and in a member of a
    // collection.
    let pair = feature(r#""\udc00\ud800""#, &square);
    assert!(
        error_of("in.geojson", collection(std::slice::from_ref(&pair)))
            .contains(r"\udc00, half of a surrogate pair")
    );
    let folder = Folder::new();
    folder.write("named.geojson", pair.replace("\"n", "\"\\ud900"));
    let error = folder.run(&["join", "named.geojson", "--id", "name"]).error();
    assert!(error.contains(r"half of a surrogate pair"), "{error}");
    let error = error_of("in.geojson", r#"{"type":"FeatureCollection\ud800","features":[]}"#);
    assert!(
        error.starts_with("Error: in.geojson, line 1, column ") && error.contains(r"has \ud800, half"),
        "{error}"
    );
    // With --skip-invalid, only this feature is left out. In a property that is not read, the error has no effect.
    let mut lines = square_features();
    lines.insert(1, pair);
    lines[0] = lines[0].replace("nleft", r"\ud800");
    folder.write("some.ndjson", lines.join("\n"));
    let run = folder.run(&["join", "some.ndjson", "--backend", "cpu", "--skip-invalid"]).answered();
    assert_eq!(run.out, SQUARES_CSV);
    assert!(run.err.starts_with("skipped: some.ndjson, feature 1: line 2, column "), "{}", run.err);
}

/// Returns the texts of numbers that are not 0, but too small for f64.
fn too_small() -> Vec<String> {
    vec![
        "1e-999".into(),
        "-1e-999".into(),
        "1E-0400".into(),
        "0.00001e-330".into(),
        "2.4e-324".into(),
        format!("0.{}1", "0".repeat(400)),
        format!("-0.{}12345", "0".repeat(2000)),
        format!("1{}e-99999", "0".repeat(50)),
    ]
}

#[test]
fn a_number_too_small_for_f64_is_not_0() {
    for number in too_small() {
        let error = error_of("in.geojson", squares().replacen("[9,0]", &format!("[{number},0]"), 1));
        assert!(
            error.starts_with("Error: in.geojson, feature 3 (id far): ring 0, position 0 is ["),
            "{error}"
        );
        assert!(error.contains(&number[..number.len().min(9)]), "{error}");
        assert!(error.contains("is not 0, and too small for f64; write 0, or rescale the input"), "{error}");
        let error = error_of("in.ndjson", polygon(&square(0.0).replace("[2,2]", &format!("[2,{number}]"))));
        assert!(error.contains("position 2 is [2,"), "{error}");
        // The coordinates come before the type, and there are several polygons.
        let ring = square(0.0).replace("[2,2]", &format!("[{number},2,7]"));
        let error = error_of("in.json", format!(r#"{{"coordinates":[{ring}],"type":"MultiPolygon"}}"#));
        assert!(error.contains("polygon 0, ring 0, position 2 is ["), "{error}");
    }
    for zero in ["0", "-0", "0.0", "-0.0", "0e-999", "0.000E+5", "-0e-5"] {
        let folder = Folder::new();
        folder.write("in.geojson", squares().replace("[0,0]", &format!("[{zero},{zero}]")));
        assert_eq!(folder.join(&["in.geojson"]), SQUARES_CSV, "{zero}");
    }
}

#[test]
fn a_point_too_near_to_0_for_f64_is_not_at_0() {
    let folder = Folder::with_squares();
    for number in too_small() {
        for (kind, coordinates) in [
            ("Point", format!("[{number},1]")),
            ("Point", format!("[1,{number}]")),
            ("MultiPoint", format!("[[1,1],[{number},2]]")),
        ] {
            let geometry = format!(r#"{{"type":"{kind}","coordinates":{coordinates}}}"#);
            folder.write("points.geojson", feature("\"p\"", &geometry));
            let error = folder.run(&["join", "points.geojson", "squares.geojson"]).error();
            assert!(error.starts_with("Error: points.geojson, feature 0 (id p): "), "{error}");
            assert!(error.contains("is not 0, and too small for f64"), "{error}");
        }
    }
}

#[test]
fn numbers_that_are_no_coordinates_are_kept_as_written() {
    let folder = Folder::new();
    let [left, middle, ..]: [String; 4] = square_features().try_into().unwrap();
    let left = left.replace("\"left\"", "1e-999").replace("\"nleft\"", "1e-999");
    let middle = middle.replace("\"middle\"", "-1e999").replace("\"nmiddle\"", "1E+999");
    folder.write("in.geojson", collection(&[left, middle]));
    assert_eq!(folder.join(&["in.geojson"]), "a,b,relation\n1e-999,-1e999,overlapping\n");
    assert_eq!(folder.join(&["in.geojson", "--id", "name"]), "a,b,relation\n1e-999,1E+999,overlapping\n");
}

#[test]
fn numbers_too_large_for_f64_are_named() {
    for number in ["1e999".to_owned(), "-1e999".into(), "9".repeat(400), format!("0.1e{}", "9".repeat(30))] {
        let error = error_of("in.geojson", squares().replacen("[9,0]", &format!("[{number},0]"), 1));
        assert!(
            error.starts_with("Error: in.geojson, feature 3 (id far): ring 0, position 0 is ["),
            "{error}"
        );
        assert!(error.contains("is beyond the range of f64"), "{error}");
    }
}
