//! Tests of `info FILE`, and of `--geometry` with files that have no columns.

use crate::folder::*;

fn data(name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../io/tests/data");
    folder.join(name).to_str().unwrap().into()
}

#[test]
fn info_describes_a_file() {
    let folder = Folder::new();
    let line = r#"{"type":"LineString","coordinates":[[0,0],[1,1]]}"#;
    let crossing = polygon("[[[0,0],[2,2],[2,0],[0,2],[0,0]]]");
    let mut features = square_features();
    features.extend([
        feature("5", "null"),
        feature("6", line),
        feature("7", &crossing),
        feature("8", &polygon("[]")),
    ]);
    folder.write("in.geojson", collection(&features));
    let out = folder.run(&["info", "in.geojson"]).answered().out;
    let start = "format          GeoJSON\n\
                 crs             none stated\n\
                 features        8\n  \
                   LineString    1\n  \
                   Polygon       5\n  \
                   null          1\n  \
                   empty         1\n\
                 extent          (0, 0) to (11, 2)\n\
                 rings           5\n\
                 vertices        20\n\
                 invalid         2\n  \
                   feature 5 (id 6): geometry type LineString cannot be joined";
    assert!(out.starts_with(start), "{out}");
    assert!(out.contains("\n  feature 6 (id 7): "), "{out}");
}

#[test]
fn info_marks_the_columns_of_tables() {
    let folder = Folder::new();
    let info =
        |name: &str, more: &[&str]| folder.run(&[&["info", &data(name)][..], more].concat()).answered().out;
    let csv = info("pandas-wkt.csv", &[]);
    assert!(csv.contains("\ncolumns         id (ids), name, WKT (geometries), value\n"), "{csv}");
    let shapefile = info("gdal.shp", &["--id", "name"]);
    assert!(shapefile.starts_with("format          Shapefile\ncrs             EPSG:2056"), "{shapefile}");
    assert!(shapefile.contains("\ncolumns         id, name (ids), value\n"), "{shapefile}");
    let points = info("points.csv", &[]);
    assert!(points.contains("\n  MultiPoint    1\n  Point         "), "{points}");
}

#[cfg(feature = "parquet")]
#[test]
fn info_is_the_same_as_json() {
    let folder = Folder::new();
    let arguments = ["info", &data("geopandas-crs-2056.parquet"), "--json"];
    let report: serde_json::Value = serde_json::from_str(&folder.run(&arguments).answered().out).unwrap();
    assert_eq!((&report["format"], &report["features"]), (&"Parquet".into(), &24.into()));
    assert_eq!((&report["geometry_column"], &report["id_column"]), (&"geometry".into(), &"id".into()));
    assert_eq!(report["invalid"].as_u64(), report["first_invalid"].as_array().map(|list| list.len() as u64));
    let schema = folder.run(&["schema", "info"]).answered().out;
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    for name in report.as_object().unwrap().keys() {
        assert!(schema["properties"][name]["description"].is_string(), "{name}");
    }
    for option in [&["--json"][..], &["--id", "a"]] {
        assert_eq!(folder.run(&[&["info"][..], option].concat()).code, Some(2));
    }
}

#[test]
fn a_column_of_geometries_is_refused_where_no_file_has_columns() {
    let folder = Folder::with_squares();
    folder.write("a.wkt", "POLYGON ((0 0, 1 0, 0 1, 0 0))\n");
    for (command, name) in
        [("join", "squares.geojson"), ("join", "a.wkt"), ("info", "squares.geojson"), ("info", "a.wkt")]
    {
        let error = folder.run(&[command, name, "--geometry", "geom"]).error();
        assert!(error.starts_with("Error: --geometry = geom: names a column, but GeoJSON"), "{error}");
    }
    for command in ["join", "info"] {
        let error = folder.run(&[command, "a.wkt", "--id", "name"]).error();
        let says = "Error: a.wkt: there is no column name; the file has no columns, so leave out the name";
        assert!(error.starts_with(says), "{error}");
    }
    folder.write("b.wkt", "POLYGON ((0 0, 2 0, 2 2))\n\nPOLYGON ((0 0, 1 0\n");
    let told = folder.run(&["info", "b.wkt"]).answered().out;
    assert!(
        told.starts_with("format          WKT\n") && told.contains("\n  line 3, feature 1: WKT: character"),
        "{told}"
    );
    let error = folder.run(&["join", "b.wkt"]).error();
    assert!(error.starts_with("Error: b.wkt, line 3, feature 1: WKT: character "), "{error}");
    assert!(error.ends_with("; write the geometry again"), "{error}");
    folder.write("b.csv", "id,shape\n1,\"POLYGON ((0 0, 1 0, 0 1, 0 0))\"\n");
    let run = folder.run(&["join", "squares.geojson", "b.csv", "--geometry", "shape"]).answered();
    assert!(run.err.contains("note: squares.geojson: GeoJSON has no column of geometries"), "{}", run.err);
    for (inputs, options, start) in [
        (["b.csv", "squares.geojson"], &["--geometry-b", "geom"][..], "--geometry-b = geom: names a column"),
        (["squares.geojson"; 2], &["--geometry", "shape", "--geometry-b", "geom"], "--geometry = shape: "),
        (
            ["b.csv", "squares.geojson"],
            &["--geometry", "shape", "--geometry-b", "geom"],
            "--geometry-b = geom: names a column",
        ),
        (
            ["squares.geojson", "b.csv"],
            &["--geometry", "geom", "--geometry-b", "shape"],
            "--geometry = geom: ",
        ),
    ] {
        let error = folder.run(&[&["join"][..], &inputs, options].concat()).error();
        assert!(error.starts_with(&format!("Error: {start}")), "{error}");
    }
    folder.write("other.csv", "id,region\n1,\"POLYGON ((0 0, 1 0, 0 1, 0 0))\"\n");
    for (inputs, option) in
        [(["other.csv", "squares.geojson"], "--geometry"), (["b.csv", "other.csv"], "--geometry-b")]
    {
        let error = folder.run(&[&["join"][..], &inputs].concat()).error();
        assert!(error.ends_with(&format!("name one with `{option}`; the columns are id, region")), "{error}");
    }
    let error = folder.run(&["join", "squares.geojson", "b.csv", "--geometry", "no"]).error();
    assert!(error.contains("there is no column no; the columns are id, shape"), "{error}");
}
