//! Tests of the tables of Shapefiles: types, encodings, deleted rows and missing columns.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Error, Features, Id, ReadOptions, Result, read};

/// Writes a Shapefile of points at 0, 1, 2 and so on.
fn points(path: &Path, count: u32) {
    let mut bytes = vec![0; 100];
    bytes[..4].copy_from_slice(&super::MAGIC);
    bytes[24..28].copy_from_slice(&(50 + 14 * count).to_be_bytes());
    for k in 0..count {
        bytes.extend([(k + 1).to_be_bytes(), 10u32.to_be_bytes(), 1u32.to_le_bytes()].concat());
        bytes.extend([f64::from(k), 0.0].map(f64::to_le_bytes).concat());
    }
    fs::write(path, bytes).unwrap();
}

/// Writes a table of one column.
fn table(path: &Path, name: &str, kind: u8, length: u8, rows: &[&[u8]]) {
    let mut bytes = vec![0; 32];
    bytes[0] = 3;
    bytes[4..8].copy_from_slice(&(rows.len() as u32).to_le_bytes());
    bytes[8] = 65;
    bytes[10] = length + 1;
    let mut field = [0; 32];
    field[..name.len()].copy_from_slice(name.as_bytes());
    (field[11], field[16]) = (kind, length);
    bytes.extend(field);
    bytes.push(b'\r');
    rows.iter().for_each(|row| bytes.extend_from_slice(row));
    fs::write(path.with_extension("dbf"), bytes).unwrap();
}

fn shapefile(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("in.shp")
}

fn read_with(path: &Path, id: Option<&str>) -> Result<Features> {
    let id_property = id.map(str::to_owned);
    read(path, &ReadOptions { points: true, id_property, ..ReadOptions::default() })
}

#[test]
fn values_are_names_of_their_type() {
    let folder = tempfile::tempdir().unwrap();
    let path = shapefile(&folder);
    let ids = |kind: u8, length: u8, rows: &[&[u8]]| {
        points(&path, rows.len() as u32);
        table(&path, "id", kind, length, rows);
        read_with(&path, None).unwrap().ids
    };
    let found = ids(
        b'N',
        5,
        &[b"    7 ", b" -3   ", b" 1.50 ", b" 17.0 ", b"      ", b" *****", b" x    ", b" nan  "],
    );
    let text = |text: &str| Id::Text(text.into());
    let expected = [
        Id::Integer(7),
        Id::Integer(-3),
        Id::Number("1.5".into()),
        Id::Integer(17),
        Id::Index(4),
        Id::Index(5),
        text("x"),
        text("nan"),
    ];
    assert_eq!(found, expected);
    let large = b" 123456789012345678901";
    assert_eq!(ids(b'N', 21, &[large]), [Id::Number("123456789012345678901".into())]);
    assert_eq!(ids(b'C', 3, &[b" a  ", b"  b ", b"    "]), [text("a"), text(" b"), Id::Index(2)]);
    assert_eq!(ids(b'I', 4, &[b" \xfe\xff\xff\xff"]), [Id::Integer(-2)]);
}

#[test]
fn text_is_in_the_encoding_that_the_file_states() {
    let folder = tempfile::tempdir().unwrap();
    let path = shapefile(&folder);
    points(&path, 1);
    table(&path, "NAME", b'C', 3, &[b" \x80\xfc "]);
    let name = || read_with(&path, Some("name")).map(|features| features.ids.of(0).to_string());
    for (stated, says) in [
        (None, "no encoding that is known"),
        (Some("KOI8-R"), "no encoding"),
        (Some("UTF-8"), "states UTF-8"),
    ] {
        if let Some(stated) = stated {
            fs::write(path.with_extension("cpg"), stated).unwrap();
        }
        let error = name().unwrap_err();
        assert!(
            matches!(error, Error::Feature { feature: 0, .. }) && error.to_string().contains(says),
            "{error}"
        );
    }
    fs::write(path.with_extension("cpg"), "ISO-8859-1\n").unwrap();
    assert_eq!(name().unwrap(), "€ü");
}

#[test]
fn a_deleted_row_has_no_geometry() {
    let folder = tempfile::tempdir().unwrap();
    let path = shapefile(&folder);
    points(&path, 3);
    table(&path, "ID", b'C', 1, &[b" a", b"*b", b" c"]);
    let features = read_with(&path, None).unwrap();
    assert_eq!(features.points.features(), [0, 2]);
    assert_eq!(features.counts.null_geometries, 1);
    assert_eq!(features.ids.of(2), Id::Text("c".into()));
}

#[test]
fn a_table_is_compared_with_its_shapes() {
    let folder = tempfile::tempdir().unwrap();
    let path = shapefile(&folder);
    points(&path, 2);
    let error = read_with(&path, Some("name")).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "in.shp: there is no column name; the file has no columns, so leave out the name of the column"
        ),
        "{error}"
    );
    assert_eq!(read_with(&path, None).unwrap().ids, [Id::Index(0), Id::Index(1)]);
    table(&path, "code", b'C', 1, &[b" a", b" b"]);
    let error = read_with(&path, Some("name")).unwrap_err().to_string();
    assert!(error.ends_with("there is no column name; the columns are code"), "{error}");
    assert_eq!(read_with(&path, Some("CODE")).unwrap().ids.of(0).to_string(), "a");
    for rows in [&[&b" a"[..]][..], &[b" a", b" b", b" c"]] {
        table(&path, "code", b'C', 1, rows);
        let error = read_with(&path, None).unwrap_err().to_string();
        assert!(
            error.contains("it has 2 shapes, but ") && error.contains(&format!("has {} rows", rows.len())),
            "{error}"
        );
    }
    table(&path, "is_new", b'L', 1, &[b" T", b" F"]);
    assert_eq!(read_with(&path, None).unwrap().ids, [Id::Index(0), Id::Index(1)]);
    let error = read_with(&path, Some("is_new")).unwrap_err().to_string();
    assert!(error.contains("column is_new: its type is L; a name is text, a number or a date"), "{error}");
}

#[test]
fn a_date_is_a_name_in_iso_8601() {
    let folder = tempfile::tempdir().unwrap();
    let path = shapefile(&folder);
    points(&path, 5);
    table(&path, "day", b'D', 8, &[b" 20260131", b"         ", b" 00000000", b" 2026-1-3", b" 99991231"]);
    let features = read_with(&path, Some("day")).unwrap();
    let ids: Vec<String> = features.ids.iter().map(|id| id.to_string()).collect();
    assert_eq!(ids, ["2026-01-31", "1", "2", "2026-1-3", "9999-12-31"]);
    assert_eq!(features.counts.ids_missing, 2);
}

/// Tests that the work for one record is limited, even if all rings are nested.
#[test]
fn rings_without_end_are_an_error_of_their_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = shapefile(&folder);
    let count = 12_000u32;
    let mut record = vec![0; 44];
    record[0] = 5;
    record[36..40].copy_from_slice(&count.to_le_bytes());
    record[40..44].copy_from_slice(&(4 * count).to_le_bytes());
    (0..count).for_each(|k| record.extend((4 * k).to_le_bytes()));
    for k in (0..count).map(f64::from) {
        for [x, y] in [[k, k], [4e5 - k, k], [k, 4e5 - k], [k, k]] {
            record.extend([x, y].map(f64::to_le_bytes).concat());
        }
    }
    let mut bytes = vec![0; 100];
    bytes[..4].copy_from_slice(&super::MAGIC);
    bytes[24..28].copy_from_slice(&((108 + record.len()) as u32 / 2).to_be_bytes());
    bytes.extend([1u32.to_be_bytes(), (record.len() as u32 / 2).to_be_bytes()].concat());
    bytes.extend(record);
    fs::write(&path, bytes).unwrap();
    let error = read_with(&path, None).unwrap_err();
    assert!(error.to_string().contains("its 12000 rings lie in each other"), "{error}");
}
