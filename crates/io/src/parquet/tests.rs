//! Tests with files that are built here. Their row groups have boxes.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, Float32Array, Float64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use sat2d::Aabb;
use sat2d::glam::DVec2;

use super::*;
use crate::Features;
use crate::name::Names;

/// Squares in a row, at the given left sides. A row group has two squares.
struct Table {
    lefts: Vec<Option<f64>>,
    /// For each square, the least x and the greatest x in the column of boxes, or `None` for a null.
    boxes: Vec<Option<[f64; 2]>>,
    names: Option<Vec<&'static str>>,
    in_f32: bool,
    statistics: EnabledStatistics,
}

impl Table {
    /// Returns a table of `count` squares of side 1, whose left sides are at 0, 2, 4 and so on.
    fn new(count: usize) -> Self {
        let lefts: Vec<_> = (0..count).map(|k| 2.0 * k as f64).collect();
        Self {
            boxes: lefts.iter().map(|&left| Some([left, left + 1.0])).collect(),
            lefts: lefts.into_iter().map(Some).collect(),
            names: None,
            in_f32: false,
            statistics: EnabledStatistics::Chunk,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let wkb: Vec<_> = self.lefts.iter().map(|left| left.map(square)).collect();
        let geometry: ArrayRef = Arc::new(BinaryArray::from_iter(wkb));
        let numbers = |of: fn([f64; 2]) -> f64| -> ArrayRef {
            let numbers = self.boxes.iter().map(|x| x.map(of));
            if self.in_f32 {
                Arc::new(Float32Array::from_iter(numbers.map(|x| x.map(|x| x as f32))))
            } else {
                Arc::new(Float64Array::from_iter(numbers))
            }
        };
        let columns = [
            ("xmin", numbers(|[min, _]| min)),
            ("ymin", numbers(|_| 0.0)),
            ("xmax", numbers(|[_, max]| max)),
            ("ymax", numbers(|_| 1.0)),
        ];
        let field = |(name, array): (&str, ArrayRef)| {
            (Arc::new(Field::new(name, array.data_type().clone(), true)), array)
        };
        let boxes: ArrayRef = Arc::new(StructArray::from(columns.map(field).to_vec()));
        let mut columns = vec![("geometry", geometry), ("bbox", boxes)];
        if let Some(names) = &self.names {
            columns.push(("id", Arc::new(StringArray::from(names.clone()))));
        }
        let fields: Vec<_> =
            columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
        let schema = Arc::new(Schema::new(fields));
        let columns = columns.into_iter().map(|(_, array)| array).collect();
        let batch = RecordBatch::try_new(schema.clone(), columns).unwrap();
        let paths = ["xmin", "ymin", "xmax", "ymax"].map(|name| format!(r#""{name}":["bbox","{name}"]"#));
        let geo = format!(
            r#"{{"version":"1.1.0","primary_column":"geometry","columns":{{"geometry":{{"encoding":"WKB","geometry_types":[],"covering":{{"bbox":{{{}}}}}}}}}}}"#,
            paths.join(",")
        );
        let properties = WriterProperties::builder()
            .set_max_row_group_row_count(Some(2))
            .set_statistics_enabled(self.statistics)
            .set_key_value_metadata(Some(vec![KeyValue::new("geo".into(), geo)]))
            .build();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes
    }

    /// Reads the table with a window whose x goes from `min` to `max`. Returns the errors of the reader.
    fn read(&self, min: f64, max: f64) -> Result<Features> {
        let window = Some(Aabb { min: [min, 0.0].into(), max: [max, 1.0].into() });
        let options = ReadOptions { window, ..ReadOptions::default() };
        read_from(bytes::Bytes::from(self.bytes()), Path::new("in.parquet"), &options)?.finish()
    }

    /// Returns the number of row groups that a window from `min` to `max` leaves out.
    fn left_out(&self, min: f64, max: f64) -> usize {
        let features = self.read(min, max).unwrap();
        assert_eq!(features.counts.features, self.lefts.len());
        assert_eq!(features.row_groups.count, self.lefts.len().div_ceil(2));
        features.row_groups.left_out
    }
}

/// Returns a square of side 1.
pub(super) fn square(left: f64) -> Vec<u8> {
    let mut bytes = vec![1, 3, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0];
    let right = left + 1.0;
    let corners = [left, 0.0, right, 0.0, right, 1.0, left, 1.0, left, 0.0];
    bytes.extend(corners.iter().flat_map(|number: &f64| number.to_le_bytes()));
    bytes
}

/// Returns the indices of the features that have a region.
pub(super) fn regions(features: &Features) -> Vec<usize> {
    let boxes = features.set.object_aabbs();
    (0..boxes.len()).filter(|&feature| boxes[feature].min.x <= boxes[feature].max.x).collect()
}

#[test]
fn row_groups_that_do_not_meet_the_window_have_only_names() {
    let mut table = Table::new(10);
    let features = table.read(8.5, 12.0).unwrap();
    // Only two row groups meet the window: the one from 8 to 11, and the one from 12 on, which only touches the window.
    assert_eq!(regions(&features), [4, 5, 6, 7]);
    assert_eq!((features.row_groups.count, features.row_groups.left_out), (5, 3));
    let names: Vec<_> = features.ids.iter().map(|id| id.to_string()).collect();
    assert_eq!(names, (0..10).map(|k: usize| k.to_string()).collect::<Vec<_>>());
    table.names = Some(vec!["a", "b", "c", "d", "e", "f", "g", "h", "a", "j"]);
    let features = table.read(8.5, 12.0).unwrap();
    assert_eq!(regions(&features), [4, 5, 6, 7]);
    let names: Vec<_> = features.ids.iter().map(|id| id.to_string()).collect();
    assert_eq!(names.concat(), "abcdefghaj");
    assert_eq!(features.counts.ids_repeated, 1);
    // Windows between two row groups, and beside all row groups.
    assert_eq!((table.left_out(7.1, 7.9), table.left_out(20.0, 30.0)), (5, 5));
    assert_eq!((table.left_out(7.0, 8.0), table.left_out(-1e9, 1e9)), (3, 0));
}

#[test]
fn boxes_that_are_missing_or_unusual_leave_nothing_out() {
    let window = [1e6, 2e6];
    let left_out = |change: fn(&mut Table)| {
        let mut table = Table::new(8);
        change(&mut table);
        table.left_out(window[0], window[1])
    };
    assert_eq!(left_out(|_| {}), 4);
    assert_eq!(left_out(|table| table.statistics = EnabledStatistics::None), 0);
    // First, the box of a geometry is null. Then, the box of a null geometry.
    assert_eq!(left_out(|table| table.boxes[3] = None), 3);
    assert_eq!(left_out(|table| (table.boxes[3], table.lefts[3]) = (None, None)), 4);
    // The box goes from east of the antimeridian to west of it.
    assert_eq!(left_out(|table| table.boxes[3] = Some([179.0, -179.0])), 3);
    assert_eq!(
        left_out(|table| (table.boxes[2], table.boxes[3]) = (Some([-179.5, 179.5]), Some([179.0, -179.0]))),
        3
    );
    assert_eq!(left_out(|table| table.boxes[3] = Some([f64::NEG_INFINITY, 9.0])), 3);
}

#[test]
fn a_box_in_f32_may_be_rounded_to_the_nearest() {
    let mut table = Table::new(4);
    table.in_f32 = true;
    // The value is half a step of f32 above 3, and is rounded to 3.
    let right = 3.0 + 1e-7;
    table.lefts[1] = Some(right - 1.0);
    assert_eq!(f64::from(right as f32), 3.0);
    assert_eq!(table.left_out(right, 3.5), 1);
    assert_eq!(regions(&table.read(right, 3.5).unwrap()), [0, 1]);
    assert_eq!(table.left_out(3.1, 3.5), 2);
}

#[test]
fn geometries_outside_of_their_box_are_an_error_if_row_groups_are_left_out() {
    let mut table = Table::new(8);
    table.lefts[0] = Some(5.5);
    let error = table.read(0.0, 1.0).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("in.parquet: row group 0 has geometries outside of the box"), "{error}");
    assert!(error.contains("write the file again, or read all row groups (`--all-row-groups`)"), "{error}");
    assert_eq!(table.left_out(-1e9, 1e9), 0);
}

#[test]
fn row_groups_that_are_larger_than_the_file_are_not_left_out() {
    let bytes = bytes::Bytes::from(Table::new(10).bytes());
    let window = Some(Aabb { min: [50.0, 0.0].into(), max: [60.0, 1.0].into() });
    let options = ReadOptions { window, ..ReadOptions::default() };
    let metadata = ArrowReaderMetadata::load(&bytes, ArrowReaderOptions::new()).unwrap();
    let pairs = metadata.metadata().file_metadata().key_value_metadata().unwrap();
    let geo = pairs.iter().find(|pair| pair.key == "geo").and_then(|pair| pair.value.as_deref());
    let plan = Plan::new(metadata.schema(), geo, &[], Path::new("in.parquet"), &options).unwrap();
    assert_eq!(Groups::new(&metadata, &plan, bytes.len() as u64).left_out(), 5);
    assert_eq!(Groups::new(&metadata, &plan, 300).left_out(), 0);
}

#[test]
fn the_first_error_of_many_row_groups_is_returned_and_all_are_listed_if_they_are_skipped() {
    let mut table = Table::new(40);
    for feature in [23, 24, 37] {
        table.lefts[feature] = Some(f64::NAN);
    }
    let bytes = bytes::Bytes::from(table.bytes());
    let read = |bytes: &bytes::Bytes, options: &ReadOptions, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| read_from(bytes.clone(), Path::new("in.parquet"), options)?.finish())
    };
    for threads in 1..=3 {
        let error = read(&bytes, &ReadOptions::default(), threads).unwrap_err();
        assert!(matches!(error, Error::Feature { feature: 23, .. }), "{threads} threads: {error}");
        let skips = ReadOptions { skip_invalid: true, ..ReadOptions::default() };
        let features = read(&bytes, &skips, threads).unwrap();
        assert_eq!(features.left_out, [23, 24, 37], "{threads} threads");
        assert_eq!((features.ids.len(), regions(&features).len()), (40, 37), "{threads} threads");
        // The first error in the order of the file is returned, whatever its kind.
        for (damaged, is_of_file) in [(0, true), (10, true), (11, true), (12, false), (19, false)] {
            let metadata = ArrowReaderMetadata::load(&bytes, ArrowReaderOptions::new()).unwrap();
            let start = metadata.metadata().row_group(damaged).column(0).byte_range().0 as usize;
            let mut damaged_bytes = bytes.to_vec();
            damaged_bytes[start..start + 40].fill(0xFF);
            let error = read(&damaged_bytes.into(), &ReadOptions::default(), threads).unwrap_err();
            assert_eq!(matches!(error, Error::Format { .. }), is_of_file, "group {damaged}: {error}");
        }
    }
}

#[test]
fn the_number_of_rows_that_a_file_promises_reserves_no_more_than_its_size() {
    let options = ReadOptions::default();
    for (rows, bytes, reserved) in [(100_000, 1000, 1000), (10, 1000, 10)] {
        let mut collector = Collector::new(Path::new("in.parquet"), &options);
        collector.expect(rows, rows, bytes);
        let names = Names::Integers(vec![7]);
        collector.add(Part::of_points(names, vec![DVec2::ZERO], Naming::default(), &options)).unwrap();
        assert_eq!(collector.reserved(), reserved);
    }
}
