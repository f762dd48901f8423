//! Tests with files whose only boxes are the statistics of the type GEOMETRY.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::metadata::{ParquetMetaDataReader, ParquetMetaDataWriter};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::geospatial::bounding_box::BoundingBox;
use parquet::geospatial::statistics::GeospatialStatistics;
use parquet::schema::parser::parse_message_type;
use sat2d::Aabb;

use super::tests::{regions, square};
use super::*;
use crate::Features;

/// A row group of two squares, at the given left sides.
#[derive(Clone, Copy)]
struct Group {
    lefts: [f64; 2],
    /// The least x and the greatest x in the statistics, or `None` if the row group has no statistics.
    stated: Option<[f64; 2]>,
}

/// Returns groups of squares at 0, 2, 4 and so on. The statistics are exact.
fn groups(count: usize) -> Vec<Group> {
    let group = |k: usize| {
        let left = 4.0 * k as f64;
        Group { lefts: [left, left + 2.0], stated: Some([left, left + 3.0]) }
    };
    (0..count).map(group).collect()
}

fn file(groups: &[Group]) -> Vec<u8> {
    let schema = Arc::new(parse_message_type("message m { required binary geometry (GEOMETRY); }").unwrap());
    let properties = WriterProperties::builder().set_statistics_enabled(EnabledStatistics::None).build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    for group in groups {
        let mut rows = writer.next_row_group().unwrap();
        let mut column = rows.next_column().unwrap().unwrap();
        let values = group.lefts.map(|left| ByteArray::from(square(left)));
        column.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
        column.close().unwrap();
        rows.close().unwrap();
    }
    writer.close().unwrap();
    with_statistics(&bytes, groups)
}

/// Returns the file with the statistics of the row groups in its footer. The writer of the crate `parquet` does not compute
/// these statistics.
fn with_statistics(bytes: &[u8], groups: &[Group]) -> Vec<u8> {
    let shared = bytes::Bytes::copy_from_slice(bytes);
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&shared).unwrap();
    let rows = metadata.row_groups().iter().zip(groups).map(|(rows, group)| {
        let Some([min, max]) = group.stated else { return rows.clone() };
        let aabb = BoundingBox::new(min, max, 0.0, 1.0);
        let statistics = Box::new(GeospatialStatistics::new(Some(aabb), None));
        let column = rows.column(0).clone().into_builder().set_geo_statistics(statistics).build().unwrap();
        rows.clone().into_builder().set_column_metadata(vec![column]).build().unwrap()
    });
    let rows = rows.collect();
    let metadata = metadata.into_builder().set_row_groups(rows).build();
    let length = u32::from_le_bytes(*bytes[bytes.len() - 8..].first_chunk().unwrap());
    let mut written = bytes[..bytes.len() - 8 - length as usize].to_vec();
    ParquetMetaDataWriter::new(&mut written, &metadata).finish().unwrap();
    written
}

fn read(groups: &[Group], min: f64, max: f64) -> Result<Features> {
    let window = Aabb { min: [min, 0.0].into(), max: [max, 1.0].into() };
    let options = ReadOptions::default().window(window);
    read_from(bytes::Bytes::from(file(groups)), Path::new("in.parquet"), &options)?.finish()
}

/// Returns the number of row groups that a window from `min` to `max` leaves out.
fn left_out(groups: &[Group], min: f64, max: f64) -> usize {
    let features = read(groups, min, max).unwrap();
    assert_eq!((features.counts.features, features.row_groups.count), (2 * groups.len(), groups.len()));
    features.row_groups.left_out
}

#[test]
fn the_statistics_of_geometries_leave_row_groups_out() {
    let groups = groups(5);
    let features = read(&groups, 8.5, 12.0).unwrap();
    // Only two row groups meet the window: the one from 8 to 11, and the one from 12 on, which only touches the window.
    assert_eq!((regions(&features), features.row_groups.left_out), (vec![4, 5, 6, 7], 3));
    let names: Vec<_> = features.ids.iter().map(|id| id.to_string()).collect();
    assert_eq!(names, (0..10).map(|k: usize| k.to_string()).collect::<Vec<_>>());
    // The statistics are f64. The next number beyond a box does not meet the box.
    assert_eq!((left_out(&groups, 11.0, 11.5), left_out(&groups, 11_f64.next_up(), 11.5)), (4, 5));
    assert_eq!((left_out(&groups, 7.5, 8.0), left_out(&groups, 7.5, 8_f64.next_down())), (4, 5));
    assert_eq!(left_out(&groups, -1e9, 1e9), 0);
}

#[test]
fn row_groups_without_a_usable_box_are_read() {
    let mut groups = groups(4);
    for stated in [
        None,
        // The box crosses the antimeridian, is wider than half of the Earth, or has no numbers.
        Some([179.0, -179.0]),
        Some([-179.0, 179.0]),
        Some([f64::NAN, 9.0]),
        Some([0.0, f64::INFINITY]),
    ] {
        groups[1].stated = stated;
        assert_eq!(left_out(&groups, 1e6, 2e6), 3, "{stated:?}");
    }
}

#[test]
fn geometries_outside_of_their_statistics_are_an_error() {
    let mut groups = groups(4);
    groups[0].lefts[0] = 5.5;
    let error = read(&groups, 0.0, 1.0).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("in.parquet: row group 0 has geometries outside of the box"), "{error}");
    assert_eq!(left_out(&groups, -1e9, 1e9), 0);
}
