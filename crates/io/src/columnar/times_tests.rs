//! Tests that dates and timestamps keep their values when they are read as ids and written again.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{
    Array, ArrayRef, Date32Array, Date64Array, RecordBatch, TimestampMicrosecondArray,
    TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray,
};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, TimeUnit as ArrowUnit};
use sat2d::Relation;

use super::*;
use crate::{CsvWriter, Id, IdRef, Ids, JsonLinesWriter, PairRow, ReadOptions};

/// Returns a table with one triangle in each row, and `ids` as the column `day`.
fn table(ids: &ArrayRef) -> RecordBatch {
    let mut geometry = BinaryBuilder::new();
    for _ in 0..ids.len() {
        let mut wkb = vec![1, 3, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0];
        wkb.extend([0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0].iter().flat_map(|x: &f64| x.to_le_bytes()));
        geometry.append_value(wkb);
    }
    let geometry: ArrayRef = Arc::new(geometry.finish());
    RecordBatch::try_from_iter_with_nullable([("day", ids.clone(), true), ("geometry", geometry, true)])
        .unwrap()
}

/// Writes a table to an Arrow file, reads it again, and returns the ids.
fn ids(folder: &Path, column: &ArrayRef) -> Vec<Id> {
    let (path, batch) = (folder.join("in.arrow"), table(column));
    let mut writer = FileWriter::try_new(File::create(&path).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    crate::read(&path, &ReadOptions::default().id_property("day".to_owned()))
        .unwrap()
        .ids
        .iter()
        .map(IdRef::to_id)
        .collect()
}

/// Writes one pair for each id, in every format of tables. Returns the columns `a`: of an Arrow file, an Arrow stream and Parquet.
fn written(folder: &Path, ids: &[Id]) -> Vec<ArrayRef> {
    let (path, all) = (folder.join("pairs"), Ids::from(ids.to_vec()));
    let row = |k: usize| PairRow::new(&ids[k], &ids[k], Relation::Touching);
    let output = || Output::create(Some(&path)).unwrap();
    let first = |batches: Vec<RecordBatch>| batches[0].column(0).clone();
    let mut columns = Vec::new();
    for format in [ArrowFormat::File, ArrowFormat::Stream] {
        let mut writer = ArrowPairWriter::new(output(), format, [&all; 2], &[]).unwrap();
        writer.write_rows(ids.len(), row).unwrap();
        writer.finish().unwrap();
        let file = File::open(&path).unwrap();
        columns.push(first(match format {
            ArrowFormat::File => FileReader::try_new(file, None).unwrap().map(Result::unwrap).collect(),
            ArrowFormat::Stream => StreamReader::try_new(file, None).unwrap().map(Result::unwrap).collect(),
        }));
    }
    #[cfg(feature = "parquet")]
    {
        let mut writer = ParquetPairWriter::new(output(), [&all; 2], &[]).unwrap();
        writer.write_rows(ids.len(), row).unwrap();
        writer.finish().unwrap();
        // The schema of Arrow is skipped, so the test sees the file as programs without Arrow see it.
        let options =
            ::parquet::arrow::arrow_reader::ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let reader = ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new_with_options(
            File::open(&path).unwrap(),
            options,
        );
        columns.push(first(reader.unwrap().build().unwrap().map(Result::unwrap).collect()));
    }
    columns
}

#[test]
fn ids_are_written_in_the_type_in_which_they_were_read() {
    let folder = tempfile::tempdir().unwrap();
    let values = vec![0, 1, -1, 86_400_000, 1_777_638_600_250];
    let zoned = TimestampMicrosecondArray::from(values.clone()).with_timezone("UTC");
    let columns: [ArrayRef; 4] = [
        Arc::new(Date32Array::from(vec![0, -1, 20_574, i32::MIN, i32::MAX])),
        Arc::new(TimestampMillisecondArray::from(values.clone())),
        Arc::new(zoned),
        Arc::new(TimestampNanosecondArray::from(values)),
    ];
    for column in columns {
        let ids = ids(folder.path(), &column);
        for found in written(folder.path(), &ids) {
            assert_eq!(&found, &column);
        }
    }
}

#[test]
fn a_time_zone_by_name_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let column: ArrayRef = Arc::new(TimestampSecondArray::from(vec![1, 2]).with_timezone("Europe/Berlin"));
    let ids = ids(folder.path(), &column);
    assert_eq!(&written(folder.path(), &ids)[0], &column);
}

#[test]
fn units_that_parquet_does_not_have_become_finer_or_days() {
    let folder = tempfile::tempdir().unwrap();
    let seconds: ArrayRef = Arc::new(TimestampSecondArray::from(vec![7, -3]));
    let dates: ArrayRef = Arc::new(Date64Array::from(vec![0, -86_400_000]));
    let in_parquet: [ArrayRef; 2] = [
        Arc::new(TimestampMillisecondArray::from(vec![7_000, -3_000])),
        Arc::new(Date32Array::from(vec![0, -1])),
    ];
    for (column, other) in [seconds, dates].iter().zip(in_parquet) {
        let found = written(folder.path(), &ids(folder.path(), column));
        assert_eq!(found[..2], [column.clone(), column.clone()]);
        assert!(found[2..].iter().all(|found| found == &other), "{found:?}");
    }
    // Values that the Parquet type of the column cannot hold become text.
    for column in [
        Arc::new(TimestampSecondArray::from(vec![i64::MAX])) as ArrayRef,
        Arc::new(Date64Array::from(vec![1])),
        Arc::new(Date64Array::from(vec![(i64::from(i32::MAX) + 1) * 86_400_000])),
    ] {
        let found = written(folder.path(), &ids(folder.path(), &column));
        assert_eq!(&found[0], &column);
        assert!(found[2..].iter().all(|found| *found.data_type() == DataType::Utf8), "{found:?}");
    }
}

#[test]
fn ids_of_several_types_are_text() {
    let folder = tempfile::tempdir().unwrap();
    let with_null: ArrayRef = Arc::new(Date32Array::from(vec![Some(0), None]));
    let with_null = ids(folder.path(), &with_null);
    let other: ArrayRef = Arc::new(TimestampSecondArray::from(vec![0]));
    // These ids have two types of times. None of the ids is null.
    let mixed = [ids(folder.path(), &other), with_null[..1].to_vec()].concat();
    for ids in [with_null, mixed] {
        for found in written(folder.path(), &ids) {
            let texts: Vec<String> = ids.iter().map(Id::to_string).collect();
            assert_eq!(arrow_array::StringArray::from(texts).to_data(), found.to_data());
        }
    }
}

#[test]
fn texts_have_iso_8601() {
    let folder = tempfile::tempdir().unwrap();
    let column: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![1_500]).with_timezone("+02:00"));
    assert_eq!(*column.data_type(), DataType::Timestamp(ArrowUnit::Millisecond, Some("+02:00".into())));
    let ids = ids(folder.path(), &column);
    let (path, row) = (folder.path().join("text"), PairRow::new(&ids[0], &ids[0], Relation::Touching));
    let mut csv = CsvWriter::new(Output::create(Some(&path)).unwrap(), &[]).unwrap();
    csv.write(&row).unwrap();
    csv.finish().unwrap();
    let text = "1970-01-01T00:00:01.500Z";
    assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("a,b,relation\n{text},{text},touching\n"));
    let mut lines = JsonLinesWriter::new(Output::create(Some(&path)).unwrap(), &[]);
    lines.write(&row).unwrap();
    lines.finish().unwrap();
    let line = format!("{{\"a\":\"{text}\",\"b\":\"{text}\",\"relation\":\"touching\"}}\n");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), line);
}
