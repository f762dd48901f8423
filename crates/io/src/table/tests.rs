//! Tests with tables that are built here: nulls, several columns, and damaged messages.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeListArray, Float64Array, ListArray, RecordBatch,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, Schema};

use crate::collector::Collector;
use crate::ipc::{Source, read_from, read_stream};
use crate::options::OptionNames;
use crate::{Error, Features, ReadOptions, Result};

/// Returns a field of an extension type.
fn field(name: &str, array: &ArrayRef, extension: &str) -> Field {
    let metadata = HashMap::from([("ARROW:extension:name".to_owned(), extension.to_owned())]);
    Field::new(name, array.data_type().clone(), true).with_metadata(metadata)
}

fn batch(columns: Vec<(Field, ArrayRef)>) -> RecordBatch {
    let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

fn file(batches: &[RecordBatch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new(&mut bytes, &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn read_with(bytes: &[u8], options: &ReadOptions) -> Result<Features> {
    read_from(&Source::Memory(bytes.to_vec().into()), Path::new("in.arrow"), options)
        .and_then(Collector::finish)
}

fn read(bytes: &[u8]) -> Result<Features> {
    read_with(bytes, &ReadOptions { points: true, ..ReadOptions::default() })
}

/// Returns points, some of which are null. The numbers of a null point are null, too, as some writers write them.
fn points(xy: &[Option<[f64; 2]>]) -> ArrayRef {
    let numbers: Float64Array =
        xy.iter().flat_map(|point| point.map_or([None; 2], |[x, y]| [Some(x), Some(y)])).collect();
    let item = Arc::new(Field::new("xy", DataType::Float64, true));
    let nulls = NullBuffer::from_iter(xy.iter().map(Option::is_some));
    Arc::new(FixedSizeListArray::new(item, 2, Arc::new(numbers), Some(nulls)))
}

fn list(offsets: &[i32], items: ArrayRef, nulls: Option<Vec<bool>>) -> ArrayRef {
    let item = Arc::new(Field::new("item", items.data_type().clone(), true));
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets.to_vec()));
    Arc::new(ListArray::new(item, offsets, items, nulls.map(NullBuffer::from)))
}

/// Returns triangles of four positions. A `None` position is null.
fn triangles(positions: &[Option<[f64; 2]>], valid: Vec<bool>) -> ArrayRef {
    let count = positions.len() / 4;
    let each: Vec<i32> = (0..=count as i32).collect();
    let rings: Vec<i32> = each.iter().map(|ring| 4 * ring).collect();
    list(&each, list(&rings, points(positions), None), Some(valid))
}

fn triangle(x: f64) -> [Option<[f64; 2]>; 4] {
    [[x, 0.0], [x + 1.0, 0.0], [x, 1.0], [x, 0.0]].map(Some)
}

#[test]
fn null_rows_are_null_geometries_whatever_they_hide() {
    let array = points(&[Some([1.0, 2.0]), None, Some([3.0, 4.0])]);
    let features = read(&file(&[batch(vec![(field("p", &array, "geoarrow.point"), array)])])).unwrap();
    assert_eq!(features.points.features(), [0, 2]);
    assert_eq!((features.counts.null_geometries, features.counts.features), (1, 3));
    let positions = [triangle(0.0), [None; 4], triangle(2.0)].concat();
    let array = triangles(&positions, vec![true, false, true]);
    let features = read(&file(&[batch(vec![(field("g", &array, "geoarrow.polygon"), array)])])).unwrap();
    assert_eq!((features.set.piece_count(), features.set.piece_object(1)), (2, 2));
}

#[test]
fn a_null_inside_of_a_geometry_is_an_error_of_its_row() {
    let mut positions = [triangle(0.0), triangle(1.0), triangle(2.0)].concat();
    positions[5] = None;
    let array = triangles(&positions, vec![true; 3]);
    let bytes = file(&[batch(vec![(field("g", &array, "geoarrow.polygon"), array)])]);
    let error = read(&bytes).unwrap_err();
    assert!(matches!(error, Error::Feature { feature: 1, .. }), "{error}");
    let features = read_with(&bytes, &ReadOptions { skip_invalid: true, ..ReadOptions::default() }).unwrap();
    assert_eq!((features.skipped.len(), features.set.piece_count()), (1, 2));
}

#[test]
fn several_columns_of_geometries_need_a_choice() {
    let (centroid, shape) = (points(&[Some([9.0, 9.0])]), triangles(&triangle(0.0), vec![true]));
    let boxes: ArrayRef = Arc::new(BooleanArray::from(vec![true]));
    let both = batch(vec![
        (field("bounds", &boxes, "geoarrow.box"), boxes.clone()),
        (field("centroid", &centroid, "geoarrow.point"), centroid.clone()),
        (field("shape", &shape, "geoarrow.polygon"), shape.clone()),
    ]);
    let error = read(&file(std::slice::from_ref(&both))).unwrap_err().to_string();
    assert!(error.contains("name one with `--geometry`: centroid, shape"), "{error}");
    let option_names = OptionNames { geometry: "geometry=", id: "id=", crs: None };
    let options = ReadOptions { option_names, ..ReadOptions::default() };
    let error = read_with(&file(std::slice::from_ref(&both)), &options).unwrap_err().to_string();
    assert!(error.contains("name one with `geometry=`: centroid, shape"), "{error}");
    let options = ReadOptions { geometry: Some("shape".into()), ..ReadOptions::default() };
    assert_eq!(read_with(&file(&[both]), &options).unwrap().set.piece_count(), 1);
    let one = batch(vec![
        (field("bounds", &boxes, "geoarrow.box"), boxes.clone()),
        (field("shape", &shape, "geoarrow.polygon"), shape),
    ]);
    assert_eq!(read(&file(std::slice::from_ref(&one))).unwrap().set.piece_count(), 1);
    let options = ReadOptions { id_property: Some("bounds".into()), ..ReadOptions::default() };
    let error = read_with(&file(&[one]), &options).unwrap_err().to_string();
    assert!(
        error.contains("column bounds: its type is Boolean; a name is a number, a string, a date or"),
        "{error}"
    );
}

fn batches(count: usize) -> Vec<RecordBatch> {
    let of = |k: usize| {
        let array = triangles(&triangle(2.0 * k as f64), vec![true]);
        batch(vec![(field("g", &array, "geoarrow.polygon"), array)])
    };
    (0..count).map(of).collect()
}

#[test]
fn a_message_without_contents_does_not_end_a_file() {
    let bytes = file(&batches(3));
    assert_eq!(read(&bytes).unwrap().counts.features, 3);
    let mut refusals = 0;
    // The type code of a record batch is 3.
    for at in bytes.iter().enumerate().filter(|(_, byte)| **byte == 3).map(|(at, _)| at) {
        let mut damaged = bytes.clone();
        damaged[at] = 0;
        let error = read(&damaged).err().map(|error| error.to_string());
        refusals += usize::from(error.is_some_and(|error| error.contains("a message has no contents")));
    }
    assert_eq!(refusals, 3);
}

#[test]
fn an_invalid_feature_is_reported_before_what_follows_it() {
    let bow = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]].map(Some);
    let array = triangles(&bow, vec![true]);
    let first = batch(vec![(field("g", &array, "geoarrow.polygon"), array)]);
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &first.schema()).unwrap();
    for batch in [first].iter().chain(&batches(2)) {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    let cut = &bytes[..bytes.len() - 40];
    let options = ReadOptions::default();
    let error = read_stream(cut, Path::new("in.arrows"), &options);
    let error = error.and_then(Collector::finish).unwrap_err();
    assert!(matches!(error, Error::Feature { feature: 0, .. }), "{error}");
    let options = ReadOptions { skip_invalid: true, ..ReadOptions::default() };
    let error = read_stream(cut, Path::new("in.arrows"), &options);
    let error = error.and_then(Collector::finish).unwrap_err().to_string();
    assert!(error.contains("it ends inside of a message"), "{error}");
}

#[test]
fn the_first_invalid_row_ends_the_work() {
    let empty: ArrayRef = Arc::new(BinaryArray::from_iter_values(vec![b""; 5_000]));
    let bytes = file(&[batch(vec![(field("g", &empty, "geoarrow.wkb"), empty)])]);
    let error = read(&bytes).unwrap_err();
    assert!(matches!(error, Error::Feature { feature: 0, .. }), "{error}");
}
