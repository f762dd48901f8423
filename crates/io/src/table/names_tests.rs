//! Tests of columns of names, one for each type, and of geometries in dictionaries.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Date64Array, Decimal128Array, Decimal256Array,
    DictionaryArray, DurationSecondArray, FixedSizeBinaryArray, Float32Array, Int32Array,
    IntervalYearMonthArray, ListArray, NullArray, RecordBatch, StringArray, Time32SecondArray,
    Time64NanosecondArray, TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray,
    TimestampSecondArray,
};

use crate::{Error, Features, MAX_DESCRIBED, ReadOptions, Result, read_arrow};

/// Returns a triangle whose lower left corner is at (x, 0).
fn triangle(x: f64) -> Vec<u8> {
    let mut wkb = vec![1, 3, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0];
    wkb.extend([x, 0.0, x + 1.0, 0.0, x, 1.0, x, 0.0].iter().flat_map(|number| number.to_le_bytes()));
    wkb
}

fn line() -> Vec<u8> {
    let mut wkb = vec![1, 2, 0, 0, 0, 2, 0, 0, 0];
    wkb.extend([0.0f64, 0.0, 1.0, 0.0].iter().flat_map(|number| number.to_le_bytes()));
    wkb
}

fn read(columns: Vec<(&str, ArrayRef)>, skip_invalid: bool) -> Result<Features> {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    );
    let batch = batch.unwrap();
    read_arrow(&batch.schema(), [batch], &ReadOptions { skip_invalid, ..ReadOptions::default() })
}

/// Returns the names of features with a column `id`.
fn names(ids: ArrayRef) -> Vec<String> {
    let geometries = (0..ids.len()).map(|row| Some(triangle(row as f64)));
    let geometry: ArrayRef = Arc::new(BinaryArray::from_iter(geometries));
    let features = read(vec![("id", ids), ("geometry", geometry)], false).unwrap();
    features.ids.iter().map(|id| id.to_string()).collect()
}

#[test]
fn every_column_of_numbers_or_text_names_features() {
    let decimals = Decimal128Array::from(vec![Some(150), None, Some(-7)]);
    assert_eq!(names(Arc::new(decimals.with_precision_and_scale(9, 2).unwrap())), ["1.50", "1", "-0.07"]);
    let whole = Decimal128Array::from(vec![12_345, -1]).with_precision_and_scale(38, 0).unwrap();
    assert_eq!(names(Arc::new(whole)), ["12345", "-1"]);
    let hundreds = Decimal128Array::from(vec![12, -1]).with_precision_and_scale(9, -2).unwrap();
    assert_eq!(names(Arc::new(hundreds)), ["1200", "-100"]);
    let wide = Decimal256Array::from(vec![Some(5.into())]).with_precision_and_scale(76, 76).unwrap();
    assert_eq!(names(Arc::new(wide)), [format!("0.{}5", "0".repeat(75))]);
    assert_eq!(names(Arc::new(BinaryArray::from_opt_vec(vec![Some(b"a b".as_slice()), None]))), ["a b", "1"]);
    assert_eq!(
        names(Arc::new(Float32Array::from(vec![0.1, 3.0, 1e30, f32::MAX]))),
        ["0.1", "3", "1e30", "3.4028235e38"]
    );
    let bytes: Vec<u8> = (0..16).map(|byte| byte * 16 + 1).collect();
    let uuids = FixedSizeBinaryArray::try_from_iter([bytes].iter()).unwrap();
    assert_eq!(names(Arc::new(uuids)), ["01112131-4151-6171-8191-a1b1c1d1e1f1"]);
}

#[test]
fn dates_and_timestamps_name_features_in_iso_8601() {
    let days = Date32Array::from(vec![Some(20_574), None, Some(-1)]);
    assert_eq!(names(Arc::new(days.clone())), ["2026-05-01", "1", "1969-12-31"]);
    assert_eq!(names(Arc::new(Date64Array::from(vec![86_400_000]))), ["1970-01-02"]);
    let stamps = TimestampMillisecondArray::from(vec![0, 1_500]);
    assert_eq!(names(Arc::new(stamps.clone())), ["1970-01-01T00:00:00", "1970-01-01T00:00:01.500"]);
    let berlin: ArrayRef = Arc::new(stamps.with_timezone("Europe/Berlin"));
    assert_eq!(names(berlin), ["1970-01-01T00:00:00Z", "1970-01-01T00:00:01.500Z"]);
    let [seconds, micros, nanos]: [ArrayRef; 3] = [
        Arc::new(TimestampSecondArray::from(vec![7])),
        Arc::new(TimestampMicrosecondArray::from(vec![7])),
        Arc::new(TimestampNanosecondArray::from(vec![7])),
    ];
    assert_eq!(names(seconds), ["1970-01-01T00:00:07"]);
    assert_eq!(names(micros), ["1970-01-01T00:00:00.000007"]);
    assert_eq!(names(nanos), ["1970-01-01T00:00:00.000000007"]);
    let keys = Int32Array::from(vec![2, 0, 2]);
    let dictionary = DictionaryArray::<Int32Type>::try_new(keys, Arc::new(days)).unwrap();
    assert_eq!(names(Arc::new(dictionary)), ["1969-12-31", "2026-05-01", "1969-12-31"]);
}

#[test]
fn a_type_that_cannot_name_features_is_one_clear_error() {
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)])]);
    let columns: [(ArrayRef, &str); 7] = [
        (Arc::new(BooleanArray::from(vec![true])), "Boolean"),
        (Arc::new(Time32SecondArray::from(vec![1])), "Time32"),
        (Arc::new(Time64NanosecondArray::from(vec![1])), "Time64"),
        (Arc::new(DurationSecondArray::from(vec![1])), "Duration"),
        (Arc::new(IntervalYearMonthArray::from(vec![1])), "Interval"),
        (Arc::new(NullArray::new(1)), "Null"),
        (Arc::new(list), "List"),
    ];
    for (array, kind) in columns {
        let geometry: ArrayRef = Arc::new(BinaryArray::from_iter_values([triangle(0.0)]));
        let batch =
            RecordBatch::try_from_iter_with_nullable([("day", array, true), ("geometry", geometry, true)]);
        let batch = batch.unwrap();
        let options = ReadOptions { id_property: Some("day".into()), ..ReadOptions::default() };
        let error = read_arrow(&batch.schema(), [batch], &options).unwrap_err();
        assert!(matches!(error, Error::Format { .. }), "{error:?}");
        let error = error.to_string();
        let says = "; a name is a number, a string, a date or a timestamp; name another column";
        assert!(error.contains(&format!("column day: its type is {kind}")), "{error}");
        assert!(error.ends_with(says) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn bytes_that_are_no_text_are_an_error_of_their_row() {
    let ids: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"a", b"\xff", b"c"]));
    let geometry: ArrayRef = Arc::new(BinaryArray::from_iter_values((0..3).map(|row| triangle(row.into()))));
    let columns = || vec![("id", ids.clone()), ("geometry", geometry.clone())];
    let error = read(columns(), false).unwrap_err().to_string();
    assert!(
        error.contains("feature 1: its name is bytes that are not UTF-8; name another column with `--id`"),
        "{error}"
    );
    assert_eq!(read(columns(), true).unwrap().left_out, [1]);
}

#[test]
fn a_dictionary_of_geometries_is_read() {
    let keys = Int32Array::from(vec![Some(1), None, Some(0), Some(1), Some(2)]);
    let bytes = BinaryArray::from_opt_vec(vec![Some(&triangle(5.0)), Some(&triangle(9.0)), None]);
    let texts = StringArray::from(vec![
        Some("POLYGON ((5 0, 6 0, 5 1, 5 0))"),
        Some("POLYGON ((9 0, 10 0, 9 1, 9 0))"),
        None,
    ]);
    for values in [Arc::new(bytes) as ArrayRef, Arc::new(texts)] {
        let array: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::try_new(keys.clone(), values).unwrap());
        let features = read(vec![("geometry", array)], false).unwrap();
        assert_eq!((features.counts.features, features.counts.null_geometries), (5, 2));
        let starts: Vec<f64> = (0..3).map(|piece| features.set.piece_vertices(piece)[0].x).collect();
        assert_eq!(starts, [9.0, 5.0, 9.0]);
    }
    let none = DictionaryArray::<Int32Type>::new(
        Int32Array::from(vec![None, None]),
        Arc::new(BinaryArray::from_vec(vec![])),
    );
    assert_eq!(read(vec![("geometry", Arc::new(none))], false).unwrap().counts.null_geometries, 2);
}

#[test]
fn of_many_invalid_rows_only_some_are_described() {
    let rows: Vec<Vec<u8>> = (0..5_000).map(|row| if row % 2 == 0 { line() } else { vec![1] }).collect();
    let geometry: ArrayRef = Arc::new(BinaryArray::from_iter_values(&rows));
    let features = read(vec![("geometry", geometry)], true).unwrap();
    assert!(features.left_out.iter().copied().eq(0..5_000));
    assert!(features.skipped.iter().map(|skipped| skipped.feature).eq(0..MAX_DESCRIBED));
    assert_eq!(features.unsupported.into_iter().collect::<Vec<_>>(), [("LineString".to_owned(), 2_500)]);
}

#[test]
fn types_that_do_not_exist_are_counted_together() {
    let rows: Vec<Vec<u8>> =
        (0..1_000u32).map(|kind| [[1].as_slice(), &(kind + 20).to_le_bytes(), &[0; 8]].concat()).collect();
    let geometry: ArrayRef = Arc::new(BinaryArray::from_iter_values(&rows));
    let features = read(vec![("geometry", geometry)], true).unwrap();
    assert!(
        features.unsupported.len() <= 33 && features.unsupported["other"] > 900,
        "{:?}",
        features.unsupported
    );
}

#[cfg(feature = "parquet")]
#[test]
fn a_file_of_parquet_with_many_groups_is_read_or_refused() {
    for (depth, says) in [
        (100, "no column is known to have geometries"),
        (101, "more than 100 groups"),
        (100_000, "more than 100 groups"),
    ] {
        let footer = crate::parquet::footer_of_groups(depth);
        let length = (footer.len() as u32).to_le_bytes();
        let bytes = [b"PAR1".as_slice(), &footer, &length, b"PAR1"].concat();
        let options = ReadOptions::default();
        let error = crate::parquet::read_from(bytes::Bytes::from(bytes), Path::new("in.parquet"), &options);
        let error = error.and_then(crate::collector::Collector::finish).unwrap_err().to_string();
        assert!(error.contains(says) && !error.contains('\n'), "{depth}: {error}");
    }
}
