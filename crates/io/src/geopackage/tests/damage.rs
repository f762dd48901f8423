//! Tests with files that were truncated or overwritten, and with headers that contradict their geometries.

use super::*;

/// Returns the statements for two layers of many rows, in pages of 4,096 bytes.
fn many_rows() -> String {
    let many = "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
        INSERT INTO a SELECT i, geom, id, other FROM n, (SELECT * FROM a WHERE fid = 1);";
    TABLES.to_owned() + &layer("a", "geom") + many
}

/// Writes `bytes` to the file `path`, reads the file, and returns the error message of the reader.
#[track_caller]
fn error_of(path: &std::path::Path, bytes: &[u8]) -> String {
    std::fs::write(path, bytes).unwrap();
    let error = crate::read(path, &ReadOptions::default()).map(|_| ()).unwrap_err();
    assert!(matches!(&error, Error::Format { .. } | Error::Feature { .. }), "{error:?}");
    let error = error.to_string();
    assert!(error.contains(".gpkg") && !error.contains('\n'), "{error}");
    error
}

fn page_size(bytes: &[u8]) -> usize {
    usize::from(u16::from_be_bytes([bytes[16], bytes[17]]))
}

#[test]
fn a_file_that_is_cut_short_says_how_many_bytes_are_missing() {
    let (_folder, path) = file(&many_rows());
    let whole = std::fs::read(&path).unwrap();
    for length in [100, 5_000, whole.len() - page_size(&whole), whole.len() - 1] {
        let error = error_of(&path, &whole[..length]);
        let says = format!("it has {length} bytes, but its header says {}; copy the file again", whole.len());
        assert!(error.contains(&says), "{error}");
    }
    let error = error_of(&path, &whole[..40]);
    assert!(error.contains("it has 40 bytes, and the header of a GeoPackage has 100; copy"), "{error}");
    assert!(error_of(&path, b"").contains("it has 0 bytes"));
}

#[test]
fn a_page_that_is_overwritten_is_an_error_or_holds_nothing_of_the_layer() {
    let index = "CREATE INDEX i ON a (other);";
    let (_folder, path) = file(&(many_rows() + index));
    let whole = std::fs::read(&path).unwrap();
    let expected = format!("{:?}", crate::read(&path, &ReadOptions::default()).unwrap().set);
    let (mut refused, mut placed, mut read) = (0, 0, 0);
    for start in (0..whole.len()).step_by(page_size(&whole)) {
        // The header of the file stays unchanged.
        let start = start.max(100);
        let end = start / page_size(&whole) * page_size(&whole) + page_size(&whole);
        for byte in [0, 0xFF] {
            let mut damaged = whole.clone();
            damaged[start..end].fill(byte);
            std::fs::write(&path, &damaged).unwrap();
            match crate::read(&path, &ReadOptions::default()) {
                Ok(features) => {
                    assert_eq!(format!("{:?}", features.set), expected);
                    read += 1;
                }
                Err(error) => {
                    let error = error.to_string();
                    assert!(error.contains("not a valid GeoPackage: ") && error.contains("; "), "{error}");
                    placed +=
                        usize::from(error.contains(": in feature ") && error.contains(" of the layer a: "));
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 40 && placed > 30 && read > 2, "{refused} {placed} {read}");
}

#[test]
fn a_header_that_contradicts_its_geometry_is_an_error_of_its_row() {
    let good = geometry(0.0);
    let with = |changes: &[(usize, u8)]| {
        let mut bytes = good.clone();
        changes.iter().for_each(|&(at, byte)| bytes[at] = byte);
        literal(&bytes)
    };
    for (value, says) in [
        (with(&[(2, 1)]), "has the version 1, which is not known"),
        (with(&[(3, 0x43)]), "has the flags 0x43, which are not known"),
        (with(&[(3, 0x83)]), "has the flags 0x83, which are not known"),
        (with(&[(3, 0x13)]), "says that it is empty, but it has positions"),
        (with(&[(4, 0xE7)]), "has the srs_id 4327, but its layer has 4326"),
        // These envelope types do not match the geometry.
        (with(&[(3, 0x09)]), "WKB: "),
        (with(&[(3, 0x01)]), "geometry type Geometry"),
    ] {
        let statements =
            TABLES.to_owned() + &layer("a", "geom") + &format!("INSERT INTO a VALUES (3, {value}, 9, NULL);");
        let error = error(&statements);
        assert!(error.contains("feature 2 (id 9): ") && error.contains(says), "{value}: {error}");
        let options = ReadOptions { skip_invalid: true, ..ReadOptions::default() };
        assert_eq!(read_with(&statements, &options).unwrap().left_out, [2]);
    }
    // An unknown system contradicts no layer. The reader ignores the envelope.
    for value in
        [with(&[(4, 0), (5, 0)]), with(&[(4, 0xFF), (5, 0xFF), (6, 0xFF), (7, 0xFF)]), with(&[(15, 0x7F)])]
    {
        let row = format!("INSERT INTO a VALUES (3, {value}, 9, NULL);");
        assert_eq!(read_all(&(TABLES.to_owned() + &layer("a", "geom") + &row)).unwrap().set.piece_count(), 3);
    }
    let mut empty = b"GP\0\x11\xE6\x10\0\0".to_vec();
    empty.extend([1, 6, 0, 0, 0, 0, 0, 0, 0]);
    let row = format!("INSERT INTO a VALUES (3, {}, 9, NULL);", literal(&empty));
    let features = read_all(&(TABLES.to_owned() + &layer("a", "geom") + &row)).unwrap();
    assert_eq!(features.counts.empty_geometries, 1);
}

#[test]
fn an_index_that_is_missing_or_damaged_is_not_missed() {
    let extension = "CREATE TABLE gpkg_extensions (table_name TEXT, column_name TEXT, extension_name TEXT);
        INSERT INTO gpkg_extensions VALUES ('a', 'geom', 'gpkg_rtree_index');";
    let statements = TABLES.to_owned() + &layer("a", "geom") + extension;
    assert_eq!(read_all(&statements).unwrap().set.piece_count(), 2);
    // This index has all columns that the query for the layers reads. SQLite could therefore answer the query from the
    // index.
    let index = "CREATE INDEX i ON gpkg_contents (data_type, table_name);";
    let (_folder, path) = file(&(TABLES.to_owned() + &layer("a", "geom") + index));
    let mut bytes = std::fs::read(&path).unwrap();
    let page_size = page_size(&bytes);
    let mut damaged = 0;
    for page in bytes.chunks_mut(page_size).filter(|page| page[0] == 10) {
        let Some(at) = page.windows(9).position(|window| window == b"featuresa") else { continue };
        page[at] = b'F';
        damaged += 1;
    }
    assert_eq!(damaged, 1);
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(crate::read(&path, &ReadOptions::default()).unwrap().set.piece_count(), 2);
}

/// Returns a polygon with so many vertices that it fills several pages.
fn large_geometry() -> Vec<u8> {
    const COUNT: u32 = 2_000;
    let mut bytes = b"GP\0\x01\xE6\x10\0\0".to_vec();
    bytes.extend([1, 3, 0, 0, 0, 1, 0, 0, 0]);
    bytes.extend(COUNT.to_le_bytes());
    for vertex in 0..COUNT {
        let angle = f64::from(vertex % (COUNT - 1)) * std::f64::consts::TAU / f64::from(COUNT - 1);
        bytes.extend([angle.cos(), angle.sin()].iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes
}

#[test]
fn pages_of_a_value_that_end_early_or_lead_back_end_the_value() {
    let row = format!("INSERT INTO a VALUES (3, {}, 9, NULL);", literal(&large_geometry()));
    let (_folder, path) = file(&(TABLES.to_owned() + &layer("a", "geom") + &row));
    assert_eq!(crate::read(&path, &ReadOptions::default()).unwrap().counts.features, 3);
    let whole = std::fs::read(&path).unwrap();
    let page_size = page_size(&whole);
    // An overflow page of a value begins with the number of the next page, which directly follows it here.
    let next_of = |page: usize| whole[page * page_size..][..4] == (page as u32 + 2).to_be_bytes();
    let pages: Vec<usize> = (0..whole.len() / page_size).filter(|&page| next_of(page)).collect();
    assert!(pages.len() > 5, "{pages:?}");
    for &page in &pages {
        let with = |next: u32| {
            let mut damaged = whole.clone();
            damaged[page * page_size..][..4].copy_from_slice(&next.to_be_bytes());
            damaged
        };
        for next in [0, u32::MAX] {
            let error = error_of(&path, &with(next));
            assert!(error.contains("in feature 2 of the layer a: "), "{page} {next}: {error}");
        }
        // SQLite accepts overflow pages that form a circle. It reads as many pages as the length of the value needs.
        for next in [page as u32 + 1, pages[0] as u32 + 1, 1] {
            std::fs::write(&path, with(next)).unwrap();
            match crate::read(&path, &ReadOptions::default()) {
                Ok(features) => assert_eq!(features.counts.features, 3),
                Err(error) => assert!(error.to_string().contains("feature 2 "), "{page} {next}: {error}"),
            }
        }
    }
}

#[test]
fn rows_with_more_bytes_than_the_file_are_refused() {
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)";
    let large = literal(&vec![b'x'; 1 << 20]);
    for (column, name) in [("geom", "1"), ("id", "NULL")] {
        let statements = format!(
            "{TABLES}CREATE TABLE a (fid INTEGER PRIMARY KEY, other);{numbers} INSERT INTO a SELECT i, 1 FROM n;
            ALTER TABLE a ADD COLUMN {column} BLOB DEFAULT {large};
            ALTER TABLE a ADD COLUMN {} DEFAULT {name};{}",
            if column == "id" { "geom" } else { "id" },
            entered("a", "geom", 1)
        );
        let options = ReadOptions { skip_invalid: true, ..ReadOptions::default() };
        let error = read_with(&statements, &options).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("rows of a have more bytes than the file; write the file again"), "{error}");
    }
}
