//! The reference systems that GeoJSON and single geometries state.

use std::path::Path;

use sat2d_io::{Features, Format, ReadOptions, Result, geojson, read};

const TRIANGLE: &str =
    r#"{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0,0],[4,0],[0,4],[0,0]]]}}"#;
const UTM: &str = r#""crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::25832"}}"#;
const DEGREES: &str = r#""crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}}"#;

fn read_json(text: &str, options: &ReadOptions) -> Result<Features> {
    geojson::read_from(text.as_bytes(), Path::new("in.json"), options)
}

fn system(features: Result<Features>) -> Option<String> {
    features.unwrap().crs.map(|crs| crs.to_string())
}

fn of_json(text: &str) -> Option<String> {
    system(read_json(text, &ReadOptions::default()))
}

/// Returns a collection with members before and after its features.
fn collection(before: &str, count: usize, after: &str) -> String {
    let features = vec![TRIANGLE; count].join(",");
    format!(r#"{{{before}"type":"FeatureCollection","features":[{features}]{after}}}"#)
}

#[test]
fn a_collection_states_its_system_before_or_after_its_features() {
    let utm = Some("EPSG:25832".to_owned());
    for count in [0, 1, 1000] {
        assert_eq!(of_json(&collection(&format!("{UTM},"), count, "")), utm);
        assert_eq!(of_json(&collection("", count, &format!(",{UTM}"))), utm);
        assert_eq!(of_json(&collection("", count, "")), None);
    }
    // The text has several batches, which are decoded while the next batch is read.
    let text = collection("", 60_000, &format!(",{UTM}"));
    assert!(text.len() > 5 << 20);
    assert_eq!(of_json(&text), utm);
    let features = read_json(&collection(&format!("{DEGREES},"), 1, ""), &ReadOptions::default()).unwrap();
    assert!(features.crs.unwrap().is_geographic());
}

#[test]
fn a_member_that_does_not_name_a_system_is_ignored() {
    for crs in [
        r#"null"#,
        r#"{}"#,
        r#"{"type":"link","properties":{"href":"http://example.com/crs/42","type":"proj4"}}"#,
        r#"{"type":"name","properties":{"name":[]}}"#,
        r#"[[1]]"#,
    ] {
        assert_eq!(of_json(&collection(&format!("\"crs\":{crs},"), 1, "")), None, "{crs}");
    }
    // The nesting is deeper than the parser of values accepts.
    let deep = format!("\"crs\":{}{},", "[".repeat(500), "]".repeat(500));
    assert_eq!(of_json(&collection(&deep, 1, "")), None);
    // A feature or a geometry states nothing.
    let line = TRIANGLE.replacen('{', &format!("{{{UTM},"), 1);
    assert_eq!(of_json(&format!("{line}\n{line}\n")), None);
    assert_eq!(of_json(&line), None);
}

#[test]
fn collections_of_one_input_state_one_system() {
    let one = |crs: &str| collection(&format!("{crs},"), 1, "");
    let same = one(DEGREES) + "\n" + &one(r#""crs":"EPSG:4326""#) + "\n" + &collection("", 1, "");
    assert_eq!(of_json(&same).as_deref(), Some("OGC:CRS84"));
    let other = one(DEGREES) + "\n" + &one(UTM);
    let error = read_json(&other, &ReadOptions::default()).unwrap_err().to_string();
    assert!(
        error.starts_with("in.json: one of its collections states the reference system OGC:CRS84, but another states EPSG:25832; "),
        "{error}"
    );
    assert_eq!(system(read_json(&other, &ReadOptions::default().ignore_crs(true))), None);
}

/// Writes a file, and returns the result of reading it.
fn of_file(name: &str, text: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Features> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    read(&path, options)
}

fn of_rows(rows: &[&str]) -> Result<Features> {
    let text = format!("id\twkt\n{}\n", rows.join("\n"));
    of_file("in.tsv", text, &ReadOptions::default().points(true).skip_invalid(true))
}

#[test]
fn the_srid_of_all_geometries_is_the_system_of_the_file() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let lenient = ReadOptions::default().skip_invalid(true);
    assert_eq!(system(read(&data.join("pandas-ewkt.csv"), &lenient)).as_deref(), Some("EPSG:2056"));
    assert_eq!(system(read(&data.join("pandas-hex.tsv"), &lenient)), None);
    // A point of EWKB at (1, 2) in either byte order.
    let little = |srid: &str| format!("0101000020{srid}000000000000F03F0000000000000040");
    let big = "0020000001000010E63FF00000000000004000000000000000";
    let rows = [format!("a\t{}", little("E6100000")), format!("b\t{big}"), "c\tPOINT (1 2)".into()];
    let rows = rows.each_ref().map(String::as_str);
    assert_eq!(system(of_rows(&rows)).as_deref(), Some("EPSG:4326"));
    // These SRIDs state no system.
    let none = [
        format!("a\t{}", little("00000000")),
        "b\tSRID=0;POINT (1 2)".into(),
        "c\tSRID=-1;POINT (1 2)".into(),
    ];
    assert_eq!(system(of_rows(&none.each_ref().map(String::as_str))), None);
    let same = ["a\tSRID=3857;POINT (1 2)", "b\tSRID=900913;POINT (1 2)"];
    assert_eq!(system(of_rows(&same)).as_deref(), Some("EPSG:3857"));
    // An invalid feature states nothing.
    let invalid = ["a\tSRID=4326;LINESTRING (0 0, 1 1)", "b\tSRID=2056;POINT (1 2)"];
    assert_eq!(system(of_rows(&invalid)).as_deref(), Some("EPSG:2056"));
}

#[test]
fn two_srids_in_one_file_are_an_error_with_both_rows() {
    // The rows fill several tasks, so that the two SRIDs are in different parts.
    let mut rows = vec!["SRID=2056;POINT (1 2)".to_owned(); 20_000];
    rows[19_990] = "srid = 4326 ; POINT (1 2)".into();
    let text = format!(
        "id,wkt\n{}",
        rows.iter().enumerate().map(|(k, row)| format!("r{k},\"{row}\"\n")).collect::<String>()
    );
    let options = ReadOptions::default().points(true);
    let error = of_file("in.csv", &text, &options).unwrap_err().to_string();
    assert!(
        error.contains("in.csv: feature 0 (id r0) states the SRID 2056, but feature 19990 (id r19990) states the SRID 4326; write the input in one reference system, or ignore the systems (`--ignore-crs`"),
        "{error}"
    );
    assert_eq!(system(of_file("in.csv", &text, &options.ignore_crs(true))), None);
    // The parts of one geometry state two systems.
    let error = of_file(
        "in.csv",
        "id,wkb\na,010400002008080000010000000101000020E6100000000000000000F03F0000000000000040\n",
        &ReadOptions::default().points(true),
    );
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("feature 0 (id a): its parts state the SRIDs 2056 and 4326; write the geometry again"),
        "{error}"
    );
}

#[test]
fn part_files_state_one_system_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let rows = |srid: &str| format!("id,wkt\n1,\"{srid}POLYGON ((0 0, 1 0, 0 1))\"\n");
    write("1.csv", &rows(""));
    write("2.csv", &rows("SRID=900913;"));
    write("3.csv", &rows("SRID=3857;"));
    let options = ReadOptions::default().format(Format::Csv);
    assert_eq!(system(read(folder.path(), &options)).as_deref(), Some("EPSG:900913"));
    write("4.csv", &rows("SRID=4326;"));
    let error = read(folder.path(), &options).unwrap_err().to_string();
    assert!(
        error.contains("4.csv: its reference system is EPSG:4326, but that of")
            && error.contains("2.csv is EPSG:900913"),
        "{error}"
    );
    assert_eq!(system(read(folder.path(), &options.ignore_crs(true))), None);
}

#[cfg(feature = "arrow")]
#[test]
fn metadata_that_contradicts_the_geometries_is_an_error() {
    use std::collections::HashMap;
    use std::sync::Arc;

    use sat2d_io::arrow_array::{ArrayRef, RecordBatch, StringArray};
    use sat2d_io::arrow_schema::{DataType, Field, Schema};

    let of = |crs: &str, srid: u32, ignore_crs: bool| {
        let metadata = [
            ("ARROW:extension:name".to_owned(), "geoarrow.wkt".to_owned()),
            ("ARROW:extension:metadata".to_owned(), format!(r#"{{"crs":{crs}}}"#)),
        ];
        let field = Field::new("geometry", DataType::Utf8, true).with_metadata(HashMap::from(metadata));
        let rows = [None, Some(format!("SRID={srid};POLYGON ((0 0, 1 0, 0 1))"))];
        let array: ArrayRef = Arc::new(StringArray::from_iter(rows));
        let schema = Arc::new(Schema::new(vec![field]));
        let batch = RecordBatch::try_new(schema.clone(), vec![array]).unwrap();
        sat2d_io::read_arrow(&schema, [batch], &ReadOptions::default().ignore_crs(ignore_crs))
    };
    assert_eq!(system(of("\"OGC:CRS84\"", 4326, false)).as_deref(), Some("OGC:CRS84"));
    assert_eq!(system(of("null", 4326, false)).as_deref(), Some("EPSG:4326"));
    let error = of("\"EPSG:2056\"", 4326, false).unwrap_err().to_string();
    assert!(
        error.starts_with(
            "table: its metadata states the reference system EPSG:2056, but feature 1 states the SRID 4326; "
        ),
        "{error}"
    );
    assert_eq!(system(of("\"EPSG:2056\"", 4326, true)).as_deref(), Some("EPSG:2056"));
}
