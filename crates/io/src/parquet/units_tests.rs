//! Tests of files with large row groups, which several threads read.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::{ParquetMetaDataReader, ParquetMetaDataWriter};
use parquet::file::properties::WriterProperties;

use super::tests::square;
use super::*;
use crate::Features;

/// The number of rows, which is enough for three units.
const ROWS: usize = 12_503;

/// The rows of a file. A row is `None` if it has no geometry.
type Rows = Vec<Option<Vec<u8>>>;

fn point(x: f64) -> Vec<u8> {
    let numbers = [x, 1.0].map(f64::to_le_bytes);
    [&[1, 1, 0, 0, 0], numbers.as_flattened()].concat()
}

/// Returns points or squares, with some null rows. Row `k` lies at x = `k`.
fn rows(geometry: fn(f64) -> Vec<u8>) -> Rows {
    (0..ROWS).map(|k| (k % 1001 != 7).then(|| geometry(k as f64))).collect()
}

/// Returns a file whose row groups have at most `group` rows.
fn file(rows: &Rows, group: usize) -> bytes::Bytes {
    file_with(rows, group, 1_000, true)
}

/// Returns a file with the column `id`, which is descending and has nulls. A row group has at most `group` rows, and a page has
/// about `page` rows.
fn file_with(rows: &Rows, group: usize, page: usize, has_dictionary: bool) -> bytes::Bytes {
    let ids = (0..rows.len()).map(|k| (k % 997 != 3).then(|| -(k as i64)));
    let columns: Vec<ArrayRef> =
        vec![Arc::new(Int64Array::from_iter(ids)), Arc::new(BinaryArray::from_iter(rows))];
    let fields = [("id", DataType::Int64), ("geometry", DataType::Binary)]
        .map(|(name, kind)| Field::new(name, kind, true));
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let batch = RecordBatch::try_new(schema.clone(), columns).unwrap();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(group))
        .set_data_page_row_count_limit(page)
        .set_data_page_size_limit(usize::MAX)
        .set_dictionary_enabled(has_dictionary)
        .set_dictionary_page_size_limit(1 << 15)
        .set_write_batch_size(100)
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes.into()
}

fn read(bytes: &bytes::Bytes, skip_invalid: bool, threads: usize) -> Result<Features> {
    let options = ReadOptions { points: true, skip_invalid, ..ReadOptions::default() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| read_from(bytes.clone(), Path::new("in.parquet"), &options)?.finish())
}

fn assert_same(one: &Features, other: &Features) {
    assert_eq!((&one.ids, &one.points), (&other.ids, &other.points));
    assert_eq!((one.counts, &one.left_out), (other.counts, &other.left_out));
    let bits = |features: &Features| {
        let boxes = features.set.object_aabbs();
        boxes.iter().flat_map(|aabb| [aabb.min.x.to_bits(), aabb.max.x.to_bits()]).collect::<Vec<_>>()
    };
    assert_eq!(bits(one), bits(other));
}

/// Returns the file with another number of rows in its footer, for the row group and for the file.
fn promising(bytes: &bytes::Bytes, rows: i64) -> bytes::Bytes {
    let metadata = ParquetMetaDataReader::new().parse_and_finish(bytes).unwrap();
    let group = metadata.row_group(0).clone().into_builder().set_num_rows(rows).build().unwrap();
    let metadata = metadata.into_builder().set_row_groups(vec![group]).build();
    let length = u32::from_le_bytes(*bytes[bytes.len() - 8..].first_chunk().unwrap());
    let mut written = bytes[..bytes.len() - 8 - length as usize].to_vec();
    ParquetMetaDataWriter::new(&mut written, &metadata).finish().unwrap();
    written.into()
}

/// Returns the number of ranges of the only row group of a file.
fn range_count(bytes: &bytes::Bytes, threads: usize) -> usize {
    let metadata = ArrowReaderMetadata::load(bytes, ArrowReaderOptions::new()).unwrap();
    let rows = metadata.metadata().row_group(0).num_rows() as usize;
    units::range_count(bytes, &metadata, &ProjectionMask::all(), (0, rows), threads).unwrap()
}

#[test]
fn units_have_all_rows_of_a_group_once() {
    for rows in [0, 1, 7, 262_144, 400_003, 1 << 40, usize::MAX] {
        for count in [1, 2, 3, 7].into_iter().filter(|&count| count == 1 || count <= rows) {
            let units: Vec<Unit> = Unit::of_group(3, rows, count).collect();
            assert_eq!((units.len(), units[0].first), (count, 0));
            assert!(
                units.windows(2).all(|two| two[0].first + two[0].rows == two[1].first && !two[0].is_last)
            );
            let last = units[count - 1];
            assert!(last.is_last && last.first + last.rows == rows);
            assert!(units.iter().all(|unit| unit.group == 3 && unit.selection().is_none() == (count == 1)));
        }
    }
}

#[test]
fn a_round_has_a_unit_for_each_thread_or_several_small_ones() {
    let units = |rows: &[usize]| rows.iter().flat_map(|&rows| Unit::of_group(0, rows, 1)).collect::<Vec<_>>();
    for (rows, threads, expected) in [
        (vec![], 2, 0),
        (vec![10], 2, 1),
        (vec![1 << 30; 5], 2, 2),
        (vec![1_500; 12], 2, 5),
        (vec![1_500; 12], 1, 2),
        (vec![1; 100], 2, 8),
        (vec![0; 100], 3, 12),
        (vec![usize::MAX; 4], 2, 2),
    ] {
        assert_eq!(units::round(&units(&rows), threads), expected, "{rows:?}");
    }
}

#[test]
fn a_row_group_is_divided_if_its_pages_are_small() {
    let bytes = |rows: usize, page: usize, has_dictionary: bool| {
        let rows = (0..rows).map(|k| Some(point((k % 100) as f64))).collect();
        file_with(&rows, usize::MAX, page, has_dictionary)
    };
    for has_dictionary in [false, true] {
        let small = bytes(ROWS, 1_000, has_dictionary);
        assert_eq!([1, 2, 8].map(|threads| range_count(&small, threads)), [1, 3, 3]);
        let many = bytes(34_400, 1_000, has_dictionary);
        assert_eq!([1, 2, 3, 8].map(|threads| range_count(&many, threads)), [1, 4, 6, 8]);
        // A range is longer than two pages.
        assert_eq!(range_count(&bytes(ROWS, 3_000, has_dictionary), 2), 2);
        assert_eq!(range_count(&bytes(ROWS, ROWS, has_dictionary), 2), 1);
        assert_eq!(range_count(&bytes(8_191, 1_000, has_dictionary), 2), 1);
    }
}

#[test]
fn a_large_row_group_has_the_same_features_as_small_ones() {
    for geometry in [point, square] {
        let mut rows = rows(geometry);
        let expected = read(&file(&rows, 1_500), false, 1).unwrap();
        assert_eq!(expected.counts.features, ROWS);
        let file_of_one = file(&rows, ROWS);
        for threads in 1..=3 {
            assert_same(&read(&file_of_one, false, threads).unwrap(), &expected);
        }
        // Rows on both sides of the ends of units.
        let invalid = [4_166, 4_167, 4_168, 8_333, 8_334, ROWS - 1];
        for row in invalid {
            rows[row] = Some(geometry(f64::NAN));
        }
        rows[4_166] = Some(vec![1, 3]);
        let expected = read(&file(&rows, 1_500), true, 1).unwrap();
        assert_eq!(expected.left_out, invalid.map(|row| row as u32));
        let file_of_one = file(&rows, ROWS);
        for threads in 1..=3 {
            assert_same(&read(&file_of_one, true, threads).unwrap(), &expected);
            let error = read(&file_of_one, false, threads).map(|_| ()).unwrap_err();
            assert!(matches!(error, Error::Feature { feature: 4_166, .. }), "{error}");
        }
        // A damaged page in the last unit is not reached.
        let metadata = ArrowReaderMetadata::load(&file_of_one, ArrowReaderOptions::new()).unwrap();
        let (start, length) = metadata.metadata().row_group(0).column(1).byte_range();
        let mut damaged = file_of_one.to_vec();
        damaged[(start + length) as usize - 1000..(start + length) as usize].fill(0xFF);
        let metadata = metadata.metadata().row_group(0).column(0).byte_range();
        assert!(metadata.0 + metadata.1 <= start);
        let damaged = bytes::Bytes::from(damaged);
        for threads in 1..=3 {
            let error = read(&damaged, false, threads).map(|_| ()).unwrap_err();
            assert!(matches!(error, Error::Feature { feature: 4_166, .. }), "{error}");
        }
    }
}

#[test]
fn a_footer_with_another_number_of_rows_is_an_error() {
    let bytes = file(&rows(point), ROWS);
    let real = ROWS as i64;
    for rows in [1, real - 1, real + 1, 2 * real, 1 << 40, i64::MAX] {
        for threads in 1..=3 {
            let found = read(&promising(&bytes, rows), true, threads).map(|features| features.ids.len());
            let error = found.expect_err(&format!("{rows} rows, {threads} threads"));
            let text = error.to_string();
            let is_of_rows = text.contains("in.parquet: not valid Parquet: ");
            assert!(
                matches!(error, Error::Format { .. }) && is_of_rows,
                "{rows} rows, {threads} threads: {text}"
            );
        }
    }
    assert_eq!(read(&promising(&bytes, real), true, 2).unwrap().ids.len(), ROWS);
}

#[test]
fn a_file_with_another_number_of_rows_than_its_row_groups_is_an_error() {
    let bytes = file(&rows(point), 1_500);
    // In the footer, the number of rows of the file comes before those of its row groups.
    let varint = |rows: usize| [rows, rows >> 7, rows >> 14].map(|bits| bits as u8 | 0x80);
    let [old, new] = [ROWS, ROWS + 1].map(|rows| [&[0x16][..], &varint(2 * rows)[..2]].concat());
    let at = bytes.windows(old.len()).rposition(|window| window == old).unwrap();
    let mut changed = bytes.to_vec();
    changed[at..at + new.len()].copy_from_slice(&new);
    let error = read(&changed.into(), true, 2).map(|_| ()).unwrap_err().to_string();
    let expected = "in.parquet: not valid Parquet: the footer says that the file has 12504 rows, and that its row groups have 12503; write the file again";
    assert_eq!(error, expected);
}
