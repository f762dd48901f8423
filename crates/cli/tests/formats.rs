//! Tests of the input formats, and of the formats of the output.

use crate::folder::*;

#[test]
fn every_form_of_geojson_gives_the_same_pairs() {
    let folder = Folder::with_squares();
    let lines = square_features().join("\n");
    folder.write("lines.ndjson", &lines);
    folder.write("crlf.geojson", squares().replace('\n', "\r\n"));
    folder.write("mark.geojson", format!("\u{feff}{}", squares()));
    folder.write("squares.geojson.gz", gzip(&squares()));
    folder.write("lines.ndjson.gz", gzip(&lines));
    folder.write("gzip without its name", gzip(&lines));
    for name in folder.names() {
        assert_eq!(folder.join(&[&name]), SQUARES_CSV, "{name}");
    }
}

#[test]
fn standard_input_is_read_plain_and_compressed() {
    let folder = Folder::new();
    for input in [squares().into_bytes(), gzip(&squares())] {
        let run = folder.run_with_input(&["join", "-", "--backend", "cpu"], input).answered();
        assert_eq!(run.out, SQUARES_CSV);
    }
}

#[test]
fn one_feature_and_bare_geometries_are_read() {
    let folder = Folder::new();
    folder.write("one.geojson", feature("\"one\"", &polygon(&square(0.0))));
    folder.write("bare.geojson", polygon(&square(1.0)));
    let multi = format!(r#"{{"type":"MultiPolygon","coordinates":[{},{}]}}"#, square(9.0), square(2.0));
    folder.write("multi.geojson", multi);
    assert_eq!(folder.join(&["one.geojson"]), "a,b,relation\n");
    assert_eq!(folder.join(&["one.geojson", "bare.geojson"]), "a,b,relation\none,0,overlapping\n");
    assert_eq!(folder.join(&["one.geojson", "multi.geojson"]), "a,b,relation\none,0,touching\n");
}

#[test]
fn null_and_empty_geometries_pair_with_nothing_and_are_counted() {
    let folder = Folder::new();
    let mut features = square_features();
    features.insert(0, feature("\"null\"", "null"));
    features.insert(2, feature("\"empty\"", &polygon("[]")));
    features.insert(3, feature("\"no polygons\"", r#"{"type":"MultiPolygon","coordinates":[]}"#));
    let partly = format!(r#"{{"type":"MultiPolygon","coordinates":[[],{}]}}"#, square(20.0));
    features.push(feature("\"partly\"", &partly));
    folder.write("holes.geojson", collection(&features));
    assert_eq!(folder.join(&["holes.geojson"]), SQUARES_CSV);
    let summary = folder.summary(&["holes.geojson"]);
    assert!(summary.contains("objects         8\n"), "{summary}");
    assert!(summary.contains("1 null geometries, 2 empty geometries, 1 empty polygons"), "{summary}");
}

#[test]
fn another_geometry_is_an_error_that_names_the_feature() {
    let folder = Folder::new();
    for (kind, coordinates) in [
        ("Point", "[0,0]"),
        ("LineString", "[0,0]"),
        ("MultiPoint", "[[0,0]]"),
        ("MultiLineString", "[0,0]"),
        ("GeometryCollection", "[0,0]"),
    ] {
        let other =
            format!(r#"{{"type":"{kind}","coordinates":{coordinates},"geometries":[{{"type":"Circle"}}]}}"#);
        folder.write("in.geojson", collection(&[square_features()[0].clone(), feature("\"odd\"", &other)]));
        let error = folder.run(&["join", "in.geojson"]).error();
        let says = match kind {
            "Point" | "MultiPoint" => {
                "a point among polygons; put points and polygons in separate files".into()
            }
            _ => format!(
                "geometry type {kind} cannot be joined; give Polygon or MultiPolygon (`join` also takes files of \
                 Point and MultiPoint)"
            ),
        };
        assert_eq!(error, format!("Error: in.geojson, feature 1 (id odd): {says}"));
    }
}

#[test]
fn third_ordinates_and_open_rings_are_counted() {
    let folder = Folder::new();
    let tall = feature("\"tall\"", &polygon("[[[0,0,5],[2,0,5],[2,2,5],[0,2],[0,0]]]"));
    let open = feature("\"open\"", &polygon("[[[2,0],[4,0],[4,2],[2,2]]]"));
    folder.write("in.geojson", collection(&[tall, open]));
    assert_eq!(folder.join(&["in.geojson"]), "a,b,relation\ntall,open,touching\n");
    let summary = folder.summary(&["in.geojson"]);
    assert!(summary.contains("3 third ordinates ignored, 1 rings closed"), "{summary}");
}

#[test]
fn duplicate_ids_are_kept_and_missing_ones_are_indices() {
    let folder = Folder::new();
    let nameless = format!(r#"{{"type":"Feature","geometry":{}}}"#, polygon(&square(0.5)));
    let same = |x| feature("\"same\"", &polygon(&square(x)));
    folder.write("in.geojson", collection(&[same(0.0), same(2.0), nameless]));
    assert_eq!(
        folder.join(&["in.geojson"]),
        "a,b,relation\nsame,same,touching\nsame,2,overlapping\nsame,2,overlapping\n"
    );
}

/// Ids, as JSON, whose characters a format must escape or must not change.
const ODD_IDS: [&str; 6] = [
    r#""one, two""#,
    r#""say \"hi\"""#,
    r#""two\nlines""#,
    r#""漢字 é \ud83d\ude00""#,
    "123456789012345678901234567890",
    "1.50",
];

fn odd_folder() -> Folder {
    let folder = Folder::new();
    folder.write("hub.geojson", feature("\"hub\"", &polygon(&square(0.0))));
    let features: Vec<String> = ODD_IDS.iter().map(|id| feature(id, &polygon(&square(1.0)))).collect();
    folder.write("odd.geojson", collection(&features));
    folder
}

#[test]
fn csv_quotes_ids_where_needed() {
    assert_eq!(
        odd_folder().join(&["hub.geojson", "odd.geojson"]),
        "a,b,relation\nhub,\"one, two\",overlapping\nhub,\"say \"\"hi\"\"\",overlapping\nhub,\"two\nlines\",overlapping\n\
         hub,漢字 é 😀,overlapping\nhub,123456789012345678901234567890,overlapping\nhub,1.50,overlapping\n"
    );
}

#[test]
fn json_lines_keep_ids_as_they_came() {
    let folder = odd_folder();
    let lines = folder.join(&["hub.geojson", "odd.geojson", "--format", "jsonl"]);
    assert_eq!(lines.lines().count(), ODD_IDS.len());
    for (line, id) in lines.lines().zip(ODD_IDS) {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["b"], serde_json::from_str::<serde_json::Value>(id).unwrap());
        assert_eq!((&value["a"], &value["relation"]), (&"hub".into(), &"overlapping".into()));
    }
    assert!(lines.contains(r#""b":123456789012345678901234567890,"#), "{lines}");
    assert!(lines.ends_with("{\"a\":\"hub\",\"b\":1.50,\"relation\":\"overlapping\"}\n"), "{lines}");
}

#[test]
fn the_name_of_the_output_says_the_format_unless_an_option_does() {
    let folder = Folder::with_squares();
    let write = |name: &str, more: &[&str]| {
        let arguments = [&["squares.geojson", "-q", "-o", name], more].concat();
        assert_eq!(folder.join(&arguments), "");
        folder.read(name)
    };
    let lines = folder.join(&["squares.geojson", "--format", "jsonl"]).into_bytes();
    assert_eq!(write("pairs.jsonl", &[]), lines);
    assert_eq!(write("pairs.ndjson", &[]), lines);
    assert_eq!(write("pairs.txt", &[]), SQUARES_CSV.as_bytes());
    assert_eq!(write("pairs.jsonl", &["--format", "csv"]), SQUARES_CSV.as_bytes());
    assert_eq!(write("pairs.csv.gz", &[]), zipped(SQUARES_CSV.as_bytes(), &write("pairs.csv.gz", &[])));
}

/// Asserts that `packed` is `plain`, compressed with gzip, and returns `packed`.
fn zipped(plain: &[u8], packed: &[u8]) -> Vec<u8> {
    use std::io::Read;
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut text).unwrap();
    assert_eq!(text, plain);
    packed.into()
}

/// Returns a folder with four features: a square with a hole, a square that fills the hole, a square inside the hole, and the
/// square with the hole again as two halves.
fn with_nested() -> Folder {
    let folder = Folder::new();
    let ring = |min: f64, max: f64| {
        format!("[[{min},{min}],[{max},{min}],[{max},{max}],[{min},{max}],[{min},{min}]]")
    };
    let halves = r#"{"type":"MultiPolygon","coordinates":[[[[0,0],[3,0],[3,6],[0,6],[0,0]]],[[[3,0],[6,0],[6,6],[3,6],[3,0]]]]}"#;
    let features = [
        feature("\"holed\"", &polygon(&format!("[{},{}]", ring(0.0, 6.0), ring(2.0, 4.0)))),
        feature("\"filling\"", &polygon(&format!("[{}]", ring(2.0, 4.0)))),
        feature("3", &polygon(&format!("[{}]", ring(2.5, 3.5)))),
        feature("\"whole\"", &polygon(&format!("[{}]", ring(0.0, 6.0)))),
        feature("\"halves\"", halves),
    ];
    folder.write("nested.geojson", collection(&features));
    folder
}

#[test]
fn contains_writes_which_covers_which_in_every_format() {
    let folder = with_nested();
    let expected = [
        ("holed", "whole", "covered-by"),
        ("holed", "halves", "covered-by"),
        ("filling", "3", "covers"),
        ("filling", "whole", "covered-by"),
        ("filling", "halves", "covered-by"),
        ("3", "whole", "covered-by"),
        ("3", "halves", "covered-by"),
        ("whole", "halves", "equal"),
    ];
    let csv: String = expected.iter().map(|(a, b, c)| format!("{a},{b},overlapping,{c}\n")).collect();
    for backend in BACKENDS {
        let run = folder.run(&["join", "nested.geojson", "--contains", "--backend", backend]).answered();
        assert_eq!(run.out, format!("a,b,relation,containment\n{csv}"), "{backend}");
        assert!(
            run.err.contains("found           1 where A covers B, 6 where B covers A, 1 equal\n"),
            "{}",
            run.err
        );
    }
    let lines = folder.join(&["nested.geojson", "--contains", "--format", "jsonl"]);
    assert_eq!(lines.lines().count(), 8);
    assert_eq!(
        lines.lines().nth(2).unwrap(),
        r#"{"a":"filling","b":3,"relation":"overlapping","containment":"covers"}"#
    );
    // In a join of two files, each pair of different features occurs twice: once with each feature as A.
    let two = folder.join(&["nested.geojson", "nested.geojson", "--contains"]);
    assert_eq!(two.lines().count(), 1 + 5 + 2 * 8);
    assert!(
        two.contains("\nwhole,holed,overlapping,covers\n")
            && two.contains("\nholed,holed,overlapping,equal\n")
    );
    folder.join(&[
        "nested.geojson",
        "--contains",
        "--svg",
        "nested.svg",
        "--stats",
        "nested.json",
        "-o",
        "pairs.jsonl",
    ]);
    assert_eq!(folder.read_text("pairs.jsonl"), lines);
    for other in ["--verify", "--relation=touching"] {
        let run = folder.run(&["join", "nested.geojson", "--contains", other]);
        assert_eq!(run.code, Some(2), "{other}");
        assert!(run.err.contains("cannot be used with"), "{}", run.err);
    }
}

#[test]
fn a_name_that_says_what_is_not_written_is_refused() {
    let folder = Folder::with_squares();
    for name in ["pairs.xlsx", "pairs.json", "pairs.orc.gz"] {
        let error = folder.run(&["join", "squares.geojson", "-o", name]).error();
        let says = format!("Error: --output = {name}: has no known ending; end it in .csv, .jsonl");
        assert!(error.starts_with(&says), "{error}");
        folder.join(&["squares.geojson", "--format", "csv", "-o", name]);
        assert!(!folder.read(name).is_empty());
    }
    folder.join(&["squares.geojson", "-o", "pairs"]);
    assert_eq!(folder.read_text("pairs"), SQUARES_CSV);
}

#[test]
fn a_feature_with_nan_is_left_out_where_invalid_ones_are() {
    let folder = Folder::new();
    let mut lines = square_features();
    lines.insert(1, feature("\"bad\"", &polygon("[[[0,0],[NaN,0],[0,-Infinity]]]")));
    folder.write("lines.ndjson", lines.join("\n"));
    folder.write("collection.geojson", collection(&lines));
    for name in ["lines.ndjson", "collection.geojson"] {
        let error = folder.run(&["join", name]).error();
        let says = format!("Error: {name}, feature 1 (id bad): ");
        assert!(error.starts_with(&says) && error.contains("[NaN,0]: NaN is not a number"), "{error}");
        assert_eq!(folder.join(&[name, "--skip-invalid"]), SQUARES_CSV);
    }
}

#[test]
#[cfg(feature = "parquet")]
fn binary_formats_are_chosen_by_name_or_option() {
    let folder = Folder::with_squares();
    let stream = b"\xff\xff\xff\xff";
    for (name, start) in [
        ("pairs.parquet", &b"PAR1"[..]),
        ("pairs.PARQUET", b"PAR1"),
        ("pairs.arrow", b"ARROW1"),
        ("pairs.feather", b"ARROW1"),
        ("pairs.arrows", stream),
    ] {
        assert_eq!(folder.join(&["squares.geojson", "--within", "1", "--with", "distance", "-o", name]), "");
        assert!(folder.read(name).starts_with(start), "{name}");
    }
    for (format, start) in [("parquet", &b"PAR1"[..]), ("arrow", b"ARROW1")] {
        let arguments = ["join", "squares.geojson", "--format", format, "--backend", "cpu"];
        let output = folder.command(&arguments).output().unwrap();
        assert!(output.status.success() && output.stdout.starts_with(start), "{format}");
        folder.join(&["squares.geojson", "--format", format, "-o", "pairs.csv"]);
        assert_eq!(folder.read("pairs.csv"), output.stdout);
    }
    // The bytes of the file are the same for any number of threads.
    for name in ["pairs.parquet", "pairs.arrow"] {
        folder.join(&["squares.geojson", "-o", name, "--threads", "1"]);
        let one = folder.read(name);
        folder.join(&["squares.geojson", "-o", name, "--threads", "3"]);
        assert_eq!(folder.read(name), one);
    }
}

#[test]
#[cfg(feature = "parquet")]
fn binary_formats_are_neither_gzipped_nor_written_to_a_terminal() {
    let folder = Folder::with_squares();
    for arguments in [
        &["-o", "pairs.parquet.gz"][..],
        &["-o", "pairs.arrow.gz"],
        &["--format", "parquet", "-o", "pairs.gz"],
    ] {
        let error = folder.run(&[&["join", "squares.geojson"][..], arguments].concat()).error();
        let says = "is compressed with gzip, but Parquet and Arrow files are not; leave out .gz";
        assert!(error.ends_with(says), "{error}");
    }
    // The device `/dev/ptmx` is a terminal.
    #[cfg(target_os = "linux")]
    for format in ["parquet", "arrow"] {
        let error = folder.run(&["join", "squares.geojson", "--format", format, "-o", "/dev/ptmx"]).error();
        let says = "is binary, but the output is a terminal; name a file with -o, or redirect the output";
        assert_eq!(error, format!("Error: --format = {format}: {says}"));
    }
    assert_eq!(folder.names(), ["squares.geojson"]);
}

/// Returns a collection that has one feature on each line, without the ids of the features.
#[cfg(all(feature = "geopackage", feature = "parquet"))]
fn without_ids(collection: &str) -> String {
    let without = |line: &str| match (line.find("\"id\":"), line.find("\"properties\":")) {
        (Some(start), Some(end)) => [&line[..start], &line[end..]].concat(),
        _ => line.into(),
    };
    collection.lines().map(without).collect::<Vec<_>>().join("\n")
}

/// Tests that the same features give the same output, whatever the format of the input file and the program that wrote
/// it.
#[cfg(all(feature = "geopackage", feature = "parquet"))]
#[test]
fn the_same_features_give_the_same_bytes_in_every_format() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../io/tests/data");
    let folder = Folder::new();
    let join = |name: &str, more: &[&str]| {
        let path = data.join(name);
        let arguments =
            [&[path.to_str().unwrap(), "--skip-invalid", "--with", "distance,penetration"], more].concat();
        folder.join(&arguments)
    };
    let expected = join("expected.geojson", &["--within", "0.5"]);
    assert!(expected.lines().count() > 40, "{expected}");
    for name in [
        "geopandas-1.1.0-bbox-zstd.parquet",
        "geopandas-geoarrow-none.parquet",
        "duckdb-default.parquet",
        "pyarrow-geometry-type.parquet",
        "pyarrow-hex-wkb.parquet",
        "geopandas-lz4.feather",
        "geopandas-separated.arrows",
        "polars.arrow",
        "pandas-wkt.csv",
        "pandas-quoted.csv.gz",
        "pandas-ewkt.csv",
        "polars.tsv",
        "pyarrow-wkt.parquet",
        "gdal-mixed.fgb",
        "gdal.gpkg",
    ] {
        assert_eq!(join(name, &["--within", "0.5"]), expected, "{name}");
    }
    let text = std::fs::read(data.join("pandas-hex.tsv")).unwrap();
    let arguments =
        ["join", "-", "--from", "tsv", "--skip-invalid", "--with", "distance,penetration", "--within", "0.5"];
    assert_eq!(folder.run_with_input(&arguments, text).answered().out, expected);
    // A file of geometries has no ids, so the names of its features are their indices.
    folder.write(
        "nameless.geojson",
        without_ids(&std::fs::read_to_string(data.join("expected.geojson")).unwrap()),
    );
    folder.write("polars.wkt", geometries());
    let more = ["--skip-invalid", "--with", "distance,penetration", "--within", "0.5"];
    let nameless = folder.join(&[&["nameless.geojson"], &more[..]].concat());
    assert!(nameless.starts_with("a,b,relation") && nameless.lines().count() == expected.lines().count());
    assert_eq!(folder.join(&[&["polars.wkt"], &more[..]].concat()), nameless);
    let arguments = [&["join", "-", "--from", "wkt"], &more[..]].concat();
    assert_eq!(folder.run_with_input(&arguments, geometries()).answered().out, nameless);
    // A Shapefile has a rule for the direction of rings.
    assert_eq!(
        join("gdal.shp", &["--within", "0.5"]),
        join("expected-clockwise.geojson", &["--within", "0.5"])
    );
    let relations = |name: &str| folder.join(&[data.join(name).to_str().unwrap(), "--skip-invalid"]);
    assert_eq!(relations("gdal.shp"), relations("expected.geojson"));
    assert_eq!(relations("shuffled.shp"), relations("expected.geojson"));
    let stream = std::fs::read(data.join("polars-lz4.arrows")).unwrap();
    let piped = folder.run_with_input(
        &["join", "-", "--skip-invalid", "--with", "distance,penetration", "--within", "0.5"],
        stream,
    );
    assert_eq!(piped.answered().out, expected);
    let parquet = std::fs::read(data.join("polars.parquet")).unwrap();
    let piped = folder.run_with_input(
        &["join", "-", "--skip-invalid", "--with", "distance,penetration", "--within", "0.5"],
        parquet,
    );
    assert_eq!(piped.answered().out, expected);
}

#[cfg(feature = "parquet")]
#[test]
fn files_in_different_reference_systems_are_refused_and_degrees_are_told() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../io/tests/data");
    let path = |name: &str| data.join(name).to_str().unwrap().to_owned();
    let folder = Folder::new();
    let (a, b) = (path("geopandas-crs-2056.parquet"), path("geopandas-crs-4326.parquet"));
    let error = folder.run(&["join", &a, &b, "--skip-invalid"]).err;
    let error = error.lines().last().unwrap();
    assert!(error.starts_with("Error: "), "{error}");
    assert!(error.contains("EPSG:2056 (CH1903+ / LV95)") && error.contains("EPSG:4326 (WGS 84)"), "{error}");
    folder.run(&["join", &a, &b, "--skip-invalid", "--ignore-crs"]).answered();
    let told = folder.summary(&[&path("pyarrow-geography-type.parquet"), "--skip-invalid"]);
    assert!(told.contains("edges are great circles, taken as straight lines"), "{told}");
    let told = folder.summary(&[&b, "--skip-invalid"]);
    assert!(told.contains("longitude and latitude (EPSG:4326 (WGS 84)), taken as planar"), "{told}");
    let told = folder.summary(&[&a, "--skip-invalid"]);
    assert!(!told.contains("longitude"), "{told}");
}

/// Tests that tables can be read from a pipe, which has no length and can be read only once.
#[cfg(all(unix, feature = "parquet"))]
#[test]
fn tables_are_read_from_pipes_by_path() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../io/tests/data");
    let folder = Folder::new();
    let expected = folder.join(&[data.join("polars.parquet").to_str().unwrap(), "--skip-invalid"]);
    for name in ["polars.parquet", "polars.arrow", "polars-lz4.arrows"] {
        let bytes = std::fs::read(data.join(name)).unwrap();
        let run = folder.run_with_input(&["join", "/dev/stdin", "--skip-invalid"], bytes);
        assert_eq!(run.answered().out, expected, "{name}");
    }
}

#[cfg(feature = "geopackage")]
#[test]
fn a_layer_of_a_geopackage_is_named() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../io/tests/data");
    let path = |name: &str| data.join(name).to_str().unwrap().to_owned();
    let (folder, layers) = (Folder::new(), path("unsupported/layers.gpkg"));
    let error = folder.run(&["join", &layers, "--skip-invalid"]).error();
    assert!(error.ends_with("it has several layers; name one with `--geometry`: first, second"), "{error}");
    let arguments = [&layers, &layers, "--geometry", "first", "--geometry-b", "second", "--skip-invalid"];
    assert!(folder.join(&arguments).lines().count() > 20);
    let told = folder.run(&["info", &path("gdal-index.gpkg")]).answered().out;
    assert!(told.contains("GeoPackage") && told.contains("shape (geometries)"), "{told}");
    let bytes = std::fs::read(path("gdal.gpkg")).unwrap();
    let error = folder.run_with_input(&["join", "-"], bytes).error();
    assert!(
        error.contains("standard input: it is a GeoPackage, which cannot be read from a pipe"),
        "{error}"
    );
}

#[test]
fn a_folder_of_parts_is_one_input_and_no_output_replaces_a_part() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("parts")).unwrap();
    for (index, line) in square_features().iter().enumerate() {
        folder.write(&format!("parts/part-{index}.geojson"), line);
    }
    folder.write("parts/_SUCCESS", "");
    for input in ["parts", "parts/", "parts/*.geojson", "./p*s", "**/part-?.geojson"] {
        assert_eq!(folder.join(&[input]), SQUARES_CSV, "{input}");
    }
    let told = folder.run(&["info", "parts"]).answered().out;
    assert!(told.contains("GeoJSON"), "{told}");
    let names = folder.names();
    for (input, output) in [
        ("parts", "parts/part-1.geojson"),
        ("parts", "parts/new.csv"),
        ("parts/*.geojson", "parts/part-1.geojson"),
        ("parts/*.geojson", "parts/new.geojson"),
        ("./p*s", "parts/new.csv"),
    ] {
        let error = folder.run(&["join", input, "--format", "csv", "-o", output]).error();
        assert!(error.contains("is an input or another output of this run"), "{error}");
    }
    assert_eq!(folder.names(), names);
    folder.join(&["parts/*.geojson", "-o", "parts/pairs.csv"]);
    assert_eq!(folder.read_text("parts/pairs.csv"), SQUARES_CSV);
    let error = folder.run(&["join", "parts"]).error();
    assert!(error.starts_with("Error: parts/pairs.csv: no column is known to have geometries"), "{error}");
    let error = folder.run(&["join", "nothing/*.geojson"]).error();
    assert!(error.contains("nothing"), "{error}");
}
