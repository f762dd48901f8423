//! Tests with databases that are built here: layers, names, geometries, and hostile contents.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use crate::Features;

mod chains;
mod damage;

const TABLES: &str = "
    CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT, srs_id INTEGER PRIMARY KEY, organization TEXT,
        organization_coordsys_id INTEGER, definition TEXT);
    INSERT INTO gpkg_spatial_ref_sys VALUES ('WGS 84', 4326, 'epsg', 4326, 'GEOGCS[\"WGS 84\"]'),
        ('Undefined', -1, 'NONE', -1, 'undefined');
    CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT);
    CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, srs_id INTEGER);";

/// Returns the statements that register a layer.
fn entered(name: &str, column: &str, srs: i64) -> String {
    format!(
        "INSERT INTO gpkg_contents VALUES ('{name}', 'features');
        INSERT INTO gpkg_geometry_columns VALUES ('{name}', '{column}', {srs});"
    )
}

/// Returns the statements for a layer of two triangles.
fn layer(name: &str, column: &str) -> String {
    let [a, b] = [0.0, 5.0].map(|x| literal(&geometry(x)));
    let quoted = name.replace('"', "\"\"");
    let make =
        format!("CREATE TABLE \"{quoted}\" (fid INTEGER PRIMARY KEY, \"{column}\" BLOB, id, other TEXT);");
    let fill = format!("INSERT INTO \"{quoted}\" VALUES (1, {a}, 7, 'a'), (2, {b}, 'x', 'b');");
    make + &fill + &entered(name, column, 4326)
}

fn literal(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("x'{digits}'")
}

/// Returns a triangle whose lower left corner is at (x, 0), with a bounding box.
fn geometry(x: f64) -> Vec<u8> {
    let mut bytes = b"GP\0\x03\xE6\x10\0\0".to_vec();
    bytes.extend([x, x + 1.0, 0.0, 1.0].iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend([1, 3, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0]);
    bytes.extend([x, 0.0, x + 1.0, 0.0, x, 1.0, x, 0.0].iter().flat_map(|number| number.to_le_bytes()));
    bytes
}

fn file(statements: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    // Some characters of this name have a meaning in a URI.
    let path = folder.path().join("é in %41?mode=rw#.gpkg");
    Connection::open(&path).unwrap().execute_batch(statements).unwrap();
    (folder, path)
}

fn read_with(statements: &str, options: &ReadOptions) -> Result<Features> {
    let (_folder, path) = file(statements);
    crate::read(&path, options)
}

fn read_all(statements: &str) -> Result<Features> {
    read_with(statements, &ReadOptions::default())
}

fn error(statements: &str) -> String {
    let error = read_all(statements).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains(".gpkg") && !error.contains('\n'), "{error}");
    error
}

fn names(features: &Features) -> Vec<String> {
    features.ids.iter().map(|id| id.to_string()).collect()
}

#[test]
fn a_layer_has_its_names_its_columns_and_its_system() {
    let statements = TABLES.to_owned() + &layer("a", "geom");
    let features = read_all(&statements).unwrap();
    assert_eq!(features.source.format, Some(crate::Format::GeoPackage));
    assert_eq!((names(&features), features.set.piece_count()), (vec!["7".into(), "x".into()], 2));
    assert_eq!(features.source.columns, ["fid", "geom", "id", "other"]);
    assert_eq!((features.source.geometry, features.source.id), (Some(1), Some(2)));
    assert_eq!(features.crs.unwrap().to_string(), "EPSG:4326 (WGS 84)");
    let by = |column: &str| {
        read_with(&statements, &ReadOptions { id_property: Some(column.into()), ..ReadOptions::default() })
    };
    assert_eq!(names(&by("Other").unwrap()), ["a", "b"]);
    let error = by("nothing").map(|_| ()).unwrap_err();
    assert!(matches!(&error, Error::NoColumn { columns, .. } if columns.len() == 4), "{error}");
    let error = by("geom").map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("feature 0: its name is not UTF-8"), "{error}");
}

#[test]
fn one_of_several_layers_is_named() {
    let statements =
        TABLES.to_owned() + &layer("a", "geom") + &layer("b \"c\"", "shape") + &layer("d", "geom");
    assert!(error(&statements).contains("several layers; name one with `--geometry`: a, b \"c\", d"));
    let with = |name: &str| {
        read_with(&statements, &ReadOptions { geometry: Some(name.into()), ..ReadOptions::default() })
    };
    for name in ["a", "b \"c\"", "shape", "d"] {
        assert_eq!(with(name).unwrap().set.piece_count(), 2, "{name}");
    }
    let error = with("geom").map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("several layers"), "{error}");
    let error = with("e").map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("there is no layer e; the layers are a, b"), "{error}");
}

#[test]
fn a_geometry_that_is_damaged_is_an_error_of_its_row() {
    let good = geometry(0.0);
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        literal(&bytes)
    };
    for (value, says) in [
        (with(0, b'g'), "does not begin with GP"),
        (with(3, 0x23), "only an extension knows"),
        (with(3, 0x0B), "its envelope has the kind 5"),
        (literal(&good[..30]), "ends in its envelope"),
        (literal(&good[..60]), "WKB: "),
        ("x''".into(), "does not begin with GP"),
        ("12".into(), "does not begin with GP"),
    ] {
        let row = format!("INSERT INTO a VALUES (3, {value}, 9, NULL), (4, NULL, NULL, NULL);");
        let statements = TABLES.to_owned() + &layer("a", "geom") + &row;
        let error = error(&statements);
        assert!(error.contains("feature 2 (id 9): ") && error.contains(says), "{value}: {error}");
        let options = ReadOptions { skip_invalid: true, ..ReadOptions::default() };
        let features = read_with(&statements, &options).unwrap();
        assert_eq!((features.left_out, features.counts.null_geometries), (vec![2], 1));
        assert_eq!(features.ids.of(3).to_string(), "3");
    }
}

#[test]
fn nothing_in_a_database_runs() {
    let recursive = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS fid, zeroblob(9) AS geom FROM n";
    let view = format!("{TABLES}CREATE VIEW v AS {recursive};{}", entered("v", "geom", 0));
    assert!(error(&view).contains("the layer v is not a table"));
    let contents =
        TABLES.replace("CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT);", "");
    let view = format!("{contents}CREATE VIEW gpkg_contents AS {recursive};");
    assert!(error(&view).contains("the layer gpkg_contents is not a table"));
    let virtual_table =
        format!("{TABLES}CREATE VIRTUAL TABLE v USING rtree(fid, a, b);{}", entered("v", "a", 0));
    assert!(error(&virtual_table).contains("the layer v is not a table"));
    let generated = "CREATE TABLE g (fid INTEGER PRIMARY KEY, geom AS (zeroblob(900000000)), id);";
    let generated = format!("{TABLES}{generated}INSERT INTO g VALUES (1, 1);{}", entered("g", "geom", 0));
    assert!(error(&generated).contains("column geom: its values are computed by a function"));
}

#[test]
fn tables_that_are_missing_or_different_are_refused() {
    assert!(error("CREATE TABLE a (b);").contains("an SQLite database, but no GeoPackage"));
    assert!(error(TABLES).contains("without a layer of features"));
    let missing = TABLES.to_owned() + &entered("a", "geom", 1);
    assert!(error(&missing).contains("the table a is missing"));
    let column = format!("{TABLES}CREATE TABLE a (fid INTEGER PRIMARY KEY);{}", entered("a", "geom", 1));
    assert!(error(&column).contains("the layer a has no column geom"));
    let keyed = format!(
        "{TABLES}CREATE TABLE a (fid TEXT PRIMARY KEY, geom) WITHOUT ROWID;{}",
        entered("a", "geom", 1)
    );
    assert!(error(&keyed).contains("the layer a have no numbers (WITHOUT ROWID); copy the layer first"));
    let shadow = format!("{TABLES}CREATE TABLE a (_ROWID_ TEXT, geom);{}", entered("a", "geom", 1));
    assert!(error(&shadow).contains("a column has the name _rowid_"));
}

#[test]
fn contents_in_a_file_beside_the_database_are_not_missed() {
    let (_folder, path) = file(&(TABLES.to_owned() + &layer("a", "geom")));
    let mut log = path.clone().into_os_string();
    log.push("-wal");
    std::fs::write(&log, b"").unwrap();
    assert!(crate::read(&path, &ReadOptions::default()).is_ok());
    std::fs::write(&log, b"rows").unwrap();
    let error = crate::read(&path, &ReadOptions::default()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("a part of its contents is in") && error.contains("-wal"), "{error}");
}

#[test]
fn pages_that_are_used_twice_are_refused() {
    let many = "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO a SELECT i, geom, id, other FROM n, (SELECT * FROM a WHERE fid = 1);";
    let (_folder, path) = file(&(TABLES.to_owned() + &layer("a", "geom") + many));
    assert_eq!(crate::read(&path, &ReadOptions::default()).unwrap().counts.features, 2 + 4_991);
    let whole = std::fs::read(&path).unwrap();
    let page_size = usize::from(u16::from_be_bytes([whole[16], whole[17]]));
    let mut refusals = 0;
    for start in (page_size..whole.len()).step_by(page_size) {
        // An inner page of a table begins with the byte 5. Each of its cells begins with the number of a page.
        let page = &whole[start..start + page_size];
        let cell =
            |index: usize| usize::from(u16::from_be_bytes([page[12 + 2 * index], page[13 + 2 * index]]));
        if page[0] != 5 || u16::from_be_bytes([page[3], page[4]]) < 3 {
            continue;
        }
        for (at, child) in [
            (cell(1), &page[cell(0)..][..4]),
            (cell(0), &(start as u32 / page_size as u32 + 1).to_be_bytes()),
        ] {
            let mut damaged = whole.clone();
            damaged[start + at..][..4].copy_from_slice(child);
            std::fs::write(&path, &damaged).unwrap();
            let error = crate::read(&path, &ReadOptions::default()).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains("comes twice") || error.contains("malformed"), "{error}");
            refusals += 1;
        }
    }
    assert!(refusals >= 2, "{refusals}");
}
