#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::{self, File};
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::DataType;
use rayon::ThreadPoolBuilder;

use super::*;
use crate::sample::{ALL_COLUMNS, csv_reader, mixed_ids, row};
use crate::{Column, CsvWriter, Id, Ids, PairRow};

/// The number of rows of a batch in these tests. A row group has 16 batches. The number is small, so that few rows make several
/// row groups.
const ROWS: usize = 64;

#[derive(Clone, Copy, Debug)]
enum Kind {
    File,
    Stream,
    #[cfg(feature = "parquet")]
    Parquet,
}

const KINDS: &[Kind] = &[
    Kind::File,
    Kind::Stream,
    #[cfg(feature = "parquet")]
    Kind::Parquet,
];

fn integers() -> Vec<Id> {
    vec![Id::Index(0), Id::Integer(-3), Id::Integer(i64::MIN), Id::Integer(i64::MAX), Id::Index(12)]
}

fn write(path: &Path, kind: Kind, ids: &[Id], columns: &[Column], count: usize) -> Result<()> {
    let (output, row) = (Output::create(Some(path))?, |k| row(ids, k));
    let all = Ids::from(ids.to_vec());
    let format = match kind {
        Kind::File => ArrowFormat::File,
        Kind::Stream => ArrowFormat::Stream,
        #[cfg(feature = "parquet")]
        Kind::Parquet => {
            let mut writer = ParquetPairWriter::with_batch_rows(output, [&all, &all], columns, ROWS)?;
            writer.write_rows(count, row)?;
            return writer.finish();
        }
    };
    let mut writer = ArrowPairWriter::with_batch_rows(output, format, [&all, &all], columns, ROWS)?;
    writer.write_rows(count, row)?;
    writer.finish()
}

fn read(path: &Path, kind: Kind) -> Vec<RecordBatch> {
    let file = File::open(path).unwrap();
    match kind {
        Kind::File => FileReader::try_new(file, None).unwrap().map(|batch| batch.unwrap()).collect(),
        Kind::Stream => StreamReader::try_new(file, None).unwrap().map(|batch| batch.unwrap()).collect(),
        #[cfg(feature = "parquet")]
        Kind::Parquet => parquet_reader(file).build().unwrap().map(|batch| batch.unwrap()).collect(),
    }
}

#[cfg(feature = "parquet")]
fn parquet_reader(file: File) -> ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder<File> {
    ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap()
}

/// Returns a value of a column as the text that CSV shows for it, without quotes.
fn text(array: &dyn Array, row: usize) -> String {
    if array.is_null(row) {
        return String::new();
    }
    match array.data_type() {
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Float64 => format!("{:?}", array.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8 => array.as_string::<i32>().value(row).to_owned(),
        DataType::Dictionary(..) => {
            let words = array.as_dictionary::<Int8Type>();
            words.values().as_string::<i32>().value(words.key(row).unwrap()).to_owned()
        }
        other => panic!("{other}"),
    }
}

fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

#[test]
fn the_values_are_those_of_csv_and_the_file_is_the_same_on_all_threads() {
    let folder = tempfile::tempdir().unwrap();
    let [path, again, csv] = ["table", "again", "csv"].map(|name| folder.path().join(name));
    for ids in [integers(), mixed_ids()] {
        for columns in [&[][..], &[Column::Distance], &[Column::Count], &ALL_COLUMNS] {
            // No rows, one row, one row fewer than a batch, a whole row group, and two row groups with a part of a third.
            for count in [0, 1, ROWS - 1, 16 * ROWS, 40 * ROWS + 5] {
                let mut rows = CsvWriter::new(Output::create(Some(&csv)).unwrap(), columns).unwrap();
                rows.write_rows(count, |k| row(&ids, k)).unwrap();
                rows.finish().unwrap();
                let csv = fs::read_to_string(&csv).unwrap();
                let header: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
                for &kind in KINDS {
                    on_threads(1, || write(&path, kind, &ids, columns, count).unwrap());
                    for threads in [2, 5] {
                        on_threads(threads, || write(&again, kind, &ids, columns, count).unwrap());
                        assert!(fs::read(&path).unwrap() == fs::read(&again).unwrap(), "{kind:?}, {count}");
                    }
                    let mut expected = csv_reader(&csv);
                    let mut found = 0;
                    for batch in read(&path, kind) {
                        let schema = batch.schema();
                        let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
                        assert_eq!(names, header);
                        for k in 0..batch.num_rows() {
                            let values: Vec<String> = batch.columns().iter().map(|c| text(c, k)).collect();
                            assert_eq!(Some(values), expected.next(), "{kind:?}, row {found}");
                            found += 1;
                        }
                    }
                    assert_eq!(found, count, "{kind:?}");
                }
            }
        }
    }
}

#[test]
fn ids_are_integers_if_all_ids_of_their_side_are() {
    let kind_of = |ids: [&[Id]; 2], k: usize| {
        let ids = ids.map(|ids| Ids::from(ids.to_vec()));
        pairs::PairTable::new([&ids[0], &ids[1]], &[], TableFormat::Arrow).schema.field(k).data_type().clone()
    };
    let integers = integers();
    for other in [Id::Text("17".into()), Id::Number("1.0".into()), Id::Number("9223372036854775808".into())] {
        let mut mixed = integers.clone();
        mixed.push(other);
        assert_eq!(kind_of([&integers, &mixed], 0), DataType::Int64);
        assert_eq!(kind_of([&integers, &mixed], 1), DataType::Utf8);
    }
    assert_eq!(kind_of([&[], &[]], 0), DataType::Int64);
}

#[test]
fn three_row_groups_have_16_batches_each_and_the_rest() {
    #[cfg(feature = "parquet")]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.parquet");
        write(&path, Kind::Parquet, &integers(), &[], 40 * ROWS + 5).unwrap();
        let reader = parquet_reader(File::open(&path).unwrap());
        let sizes: Vec<i64> = reader.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
        let rows = i64::try_from(ROWS).unwrap();
        assert_eq!(sizes, [16 * rows, 16 * rows, 8 * rows + 5]);
    }
}

#[test]
fn rows_that_do_not_fit_the_table_are_an_error_and_leave_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.arrow");
    let (ids, text) = (Ids::from(integers()), Id::Text("text".into()));
    let written = |make: &(dyn Fn(usize) -> PairRow<'static> + Sync)| {
        let output = Output::create(Some(&path)).unwrap();
        let mut writer = ArrowPairWriter::new(output, ArrowFormat::File, [&ids; 2], &[]).unwrap();
        writer.write_rows(1_000, make).unwrap_err().to_string()
    };
    let text: &'static Id = Box::leak(Box::new(text));
    let index: &'static Id = &Id::Index(7);
    let other = |k| PairRow::new(if k == 900 { text } else { index }, index, sat2d::Relation::Touching);
    assert!(written(&other).contains("the id Text(\"text\") is none of the ids of the writer"));
    let unknown = |_| {
        let mut row = PairRow::new(index, index, sat2d::Relation::Touching);
        row.relation = "near";
        row
    };
    assert!(written(&unknown).contains("\"near\" is no name of the library"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn the_error_of_the_system_is_kept() {
    for &kind in KINDS {
        let error = write(Path::new("/dev/full"), kind, &integers(), &ALL_COLUMNS, 100_000).unwrap_err();
        assert!(error.to_string().starts_with("cannot write /dev/full: No space left on device"), "{error}");
    }
}

/// Tests that a batch with long ids ends before it has its full number of rows.
#[test]
fn long_ids_are_written_in_smaller_batches() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.arrow");
    let ids = [Id::Text("long".repeat(1 << 20).into())];
    write(&path, Kind::File, &ids, &[], ROWS).unwrap();
    let rows: Vec<usize> = read(&path, Kind::File).iter().map(RecordBatch::num_rows).collect();
    assert_eq!(rows, [16; 4], "each of 64 MiB");
}
