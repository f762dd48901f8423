//! Tests with rows that share the overflow pages of one value.

use super::*;

const ROWS: usize = 200;
/// The length of the value in the first row. Later, every row refers to the overflow pages of this value.
const SHARED: usize = OWN + 239 * PAGE_DATA;
/// The length of the value in every row except the first. In this test, all rows have the same number of bytes outside of
/// overflow pages.
const OWN: usize = 20_000;
/// The number of bytes of a value in an overflow page of 4,096 bytes.
const PAGE_DATA: usize = 4_092;

/// Returns a number as three bytes, in the variable-length format of SQLite.
fn number(value: usize) -> [u8; 3] {
    assert!((1 << 14..1 << 21).contains(&value));
    [(value >> 14) as u8 | 0x80, (value >> 7) as u8 | 0x80, (value & 0x7F) as u8]
}

/// Returns, for each of the row numbers `1..=ROWS`, the position in a file at which the row begins with its length.
fn cells(bytes: &[u8], record: usize) -> Vec<usize> {
    let mut cells = vec![0; ROWS];
    let lengths = [record + SHARED, record + OWN].map(number);
    let begins: Vec<usize> = (0..bytes.len() - 3)
        .filter(|&at| lengths.iter().any(|length| bytes[at..at + 3] == length[..]))
        .collect();
    for row in 1..=ROWS {
        let length = record + if row == 1 { SHARED } else { OWN };
        let mut cell = number(length).to_vec();
        cell.extend(if row < 128 { vec![row as u8] } else { vec![0x81, row as u8 & 0x7F] });
        // The header has 8 bytes: its length, the row number as a null, the value, the geometry, and the name as a null.
        cell.extend([8, 0]);
        cell.extend(number(2 * if row == 1 { SHARED } else { OWN } + 12));
        let mut found = begins.iter().copied().filter(|&at| bytes[at..].starts_with(&cell));
        cells[row - 1] = found.next().unwrap();
        assert_eq!(found.next(), None, "{row}");
    }
    cells
}

/// Returns a file whose rows have a long value before the geometry. The values do not share pages.
fn long_rows() -> (TempDir, PathBuf, usize) {
    let value = geometry(0.0);
    // The header and the geometry.
    let record = 8 + value.len();
    let rows = format!(
        "PRAGMA page_size = 4096;{TABLES}CREATE TABLE a (fid INTEGER PRIMARY KEY, other BLOB, geom BLOB, id);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})
        INSERT INTO a SELECT i, zeroblob(iif(i = 1, {SHARED}, {OWN})), {}, NULL FROM n;{}",
        literal(&value),
        entered("a", "geom", 4326)
    );
    let (folder, path) = file(&rows);
    (folder, path, record)
}

#[test]
fn rows_that_share_a_long_chain_of_pages_are_refused() {
    let (_folder, path, record) = long_rows();
    assert_eq!(crate::read(&path, &ReadOptions::default()).unwrap().counts.features, ROWS);
    let mut bytes = std::fs::read(&path).unwrap();
    // The least and the actual number of bytes of a row that are not in overflow pages, if a page has 4,096 bytes (File Format of
    // SQLite, section 1.6).
    const LEAST: usize = (4_096 - 12) * 32 / 255 - 23;
    let local = LEAST + (record + OWN - LEAST) % PAGE_DATA;
    let local = if local <= 4_096 - 35 { local } else { LEAST };
    let cells = cells(&bytes, record);
    let chain = |at: usize, row: usize| at + 3 + if row < 128 { 1 } else { 2 } + local;
    let first: [u8; 4] = *bytes[chain(cells[0], 1)..].first_chunk().unwrap();
    for (row, &at) in (1..).zip(&cells).skip(1) {
        bytes[at..][..3].copy_from_slice(&number(record + SHARED));
        let value = at + 3 + if row < 128 { 1 } else { 2 } + 2;
        bytes[value..][..3].copy_from_slice(&number(2 * SHARED + 12));
        let chain = chain(at, row);
        bytes[chain..][..4].copy_from_slice(&first);
    }
    std::fs::write(&path, &bytes).unwrap();
    let error = crate::read(&path, &ReadOptions::default()).map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::Format { .. }), "{error:?}");
    let error = error.to_string();
    let (_, rest) = error.split_once("the first ").unwrap();
    let (count, rest) = rest.split_once(' ').unwrap();
    assert_eq!(rest, "rows of a have more bytes than the file; write the file again");
    // The reader stops at the first row with which the size of all rows exceeds the limit.
    let count: usize = count.parse().unwrap();
    assert!((count - 1) * SHARED <= bytes.len() + FREE_BYTES as usize, "{count}");
    assert!(count * (SHARED + record) > bytes.len() + FREE_BYTES as usize, "{count}");
}

#[test]
fn a_layer_of_many_columns_before_its_geometry_is_read() {
    let columns: Vec<String> = (0..1_900).map(|column| format!("\"c{column}\" TEXT")).collect();
    let computed = "v AS (zeroblob(900000000)), s AS (c0) STORED";
    let statements = format!(
        "{TABLES}CREATE TABLE a (fid INTEGER PRIMARY KEY, {}, {computed}, geom BLOB);
        INSERT INTO a (c0, c1899, geom) VALUES ('x', 'y', {});{}",
        columns.join(", "),
        literal(&geometry(0.0)),
        entered("a", "geom", 4326)
    );
    assert_eq!(read_all(&statements).unwrap().set.piece_count(), 1);
}
