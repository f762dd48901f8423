//! Compares the quick way to read points with the decoder of all geometries.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, Float64Array, Int16Array, Int32Array,
    Int64Array, LargeBinaryArray, RecordBatch, StringArray, UInt32Array, UInt64Array,
};

use super::geometry;
use super::metadata::Encoding;
use crate::{Features, ReadOptions, Result, read_arrow};

/// The number of rows, which are several parts.
const ROWS: i64 = 3_000;

/// Returns a point in well-known binary, in either byte order. The quick way refuses big-endian points.
fn point([x, y]: [f64; 2], is_little: bool) -> Vec<u8> {
    let numbers = if is_little { [x, y].map(f64::to_le_bytes) } else { [x, y].map(f64::to_be_bytes) };
    let start: [u8; 5] = if is_little { [1, 1, 0, 0, 0] } else { [0, 0, 0, 0, 1] };
    [&start[..], numbers.as_flattened()].concat()
}

/// Returns a column of points. Row `k` lies at `x(k)`.
fn points(x: impl Fn(i64) -> f64, is_little: bool) -> ArrayRef {
    Arc::new(BinaryArray::from_iter_values((0..ROWS).map(|k| point([x(k), -0.0], is_little))))
}

/// Returns columns of ids, with and without nulls.
fn id_columns() -> Vec<ArrayRef> {
    let nulls = |k: &i64| (k % 1500 != 1499).then_some(*k);
    let dictionary: DictionaryArray<arrow_array::types::Int32Type> =
        (0..ROWS).map(|k| ["a", "b", "c\u{1}"][k as usize % 3]).collect();
    vec![
        Arc::new(Int64Array::from_iter_values(0..ROWS)),
        Arc::new(Int64Array::from_iter_values((0..ROWS).map(|k| k / 2))),
        Arc::new(Int64Array::from_iter_values((0..ROWS).rev())),
        Arc::new(Int64Array::from_iter((0..ROWS).map(|k| nulls(&k)))),
        Arc::new(Int16Array::from_iter_values((0..ROWS).map(|k| -k as i16))),
        Arc::new(Int32Array::from_iter_values((0..ROWS).map(|k| -k as i32))),
        Arc::new(UInt32Array::from_iter_values((0..ROWS).map(|k| u32::MAX - k as u32))),
        Arc::new(UInt64Array::from_iter_values((0..ROWS).map(|k| u64::MAX - k as u64))),
        Arc::new(Float64Array::from_iter_values((0..ROWS).map(|k| 0.5 * k as f64))),
        Arc::new(StringArray::from_iter((0..ROWS).map(|k| nulls(&k).map(|k| format!("{}\u{7}", k % 700))))),
        Arc::new(dictionary),
    ]
}

fn read(columns: Vec<(&str, ArrayRef)>, options: &ReadOptions) -> Result<Features> {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    read_arrow(&batch.schema(), [batch], options)
}

/// Returns what the columns give, as a text.
fn described(found: Result<Features>) -> String {
    match found {
        Ok(f) => format!(
            "{:?}",
            (f.ids, f.points, f.counts, f.contents, f.lacks_property, f.left_out, f.set.object_count())
        ),
        Err(error) => error.to_string(),
    }
}

#[test]
fn plain_points_are_as_other_points() {
    let all = ReadOptions { points: true, ..ReadOptions::default() };
    let named = |property: &str, id_otherwise| ReadOptions {
        id_property: Some(property.to_owned()),
        id_otherwise,
        ..all.clone()
    };
    let options = [
        all.clone(),
        named("id", false),
        named("id", true),
        named("other", false),
        named("other", true),
        named("absent", true),
        ReadOptions { skip_invalid: true, ..all.clone() },
    ];
    for ids in id_columns() {
        for others in id_columns().into_iter().step_by(3) {
            for options in &options {
                let of = |is_little| {
                    let geometry = points(|k| k as f64, is_little);
                    let columns =
                        vec![("other", others.clone()), ("geometry", geometry), ("id", ids.clone())];
                    described(read(columns, options))
                };
                assert_eq!(of(true), of(false), "{:?}, {options:?}", ids.data_type());
            }
        }
    }
    let of = |is_little| described(read(vec![("geometry", points(|k| k as f64, is_little))], &all));
    assert_eq!(of(true), of(false));
}

#[test]
fn points_that_are_not_accepted_have_the_same_errors() {
    for bad in [f64::INFINITY, 1e308, f64::NAN] {
        for skip_invalid in [false, true] {
            let options = ReadOptions { points: true, skip_invalid, ..ReadOptions::default() };
            let of = |is_little| {
                let x = |k| if k % 1400 == 1300 { bad } else { k as f64 };
                described(read(vec![("geometry", points(x, is_little))], &options))
            };
            assert_eq!(of(true), of(false), "{bad}");
        }
    }
}

#[test]
fn the_quick_way_takes_plain_points_only() {
    let plain = [point([1.0, 2.0], true), point([3.0, -4.0], true)];
    let columns: [ArrayRef; 3] = [
        Arc::new(BinaryArray::from_iter_values(&plain)),
        Arc::new(LargeBinaryArray::from_iter_values(&plain)),
        Arc::new(BinaryViewArray::from_iter_values(&plain)),
    ];
    for column in columns {
        let found = geometry::usual_points(&column, Encoding::Wkb).unwrap();
        assert_eq!(found.iter().map(|at| at.to_array()).collect::<Vec<_>>(), [[1.0, 2.0], [3.0, -4.0]]);
    }
    let refused = |last: Option<Vec<u8>>| {
        let column: ArrayRef = Arc::new(BinaryArray::from_iter([Some(plain[0].clone()), last]));
        geometry::usual_points(&column, Encoding::Wkb).is_none()
    };
    assert!(refused(None));
    assert!(refused(Some(point([1.0, 2.0], false))));
    assert!(refused(Some(point([f64::NAN; 2], true))));
    assert!(refused(Some(point([f64::INFINITY, 0.0], true))));
    assert!(refused(Some(plain[0][..20].to_vec())));
    assert!(refused(Some([&plain[0][..], &[0]].concat())));
    assert!(refused(Some([&[1, 2, 0, 0, 0], &plain[0][5..]].concat())));
}
