//! Decodes the geometry of a row.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use sat2d::glam::DVec2;

use super::lists::Lists;
use super::metadata::{Encoding, Native};
use crate::region::Region;
use crate::{Error, Result, wkb, wkt};

/// A function that adds the geometry of a row to a region, or returns an error if the geometry is malformed or not supported. The
/// arguments are the index of the row, whether points are accepted, and the region.
pub(super) type Decoder<'a> = Box<dyn Fn(usize, bool, Region<'_>) -> Result<()> + 'a>;

/// Returns the decoder of a column.
///
/// # Errors
/// Returns a message if the type of the column does not match the encoding.
pub(super) fn decoder(array: &ArrayRef, encoding: Encoding) -> Result<Decoder<'_>, String> {
    macro_rules! of_bytes {
        ($values:expr) => {{
            let values = $values;
            binary(array, move |row| values.value(row))
        }};
    }
    macro_rules! of_text {
        ($values:expr) => {{
            let values = $values;
            text(array, move |row| values.value(row))
        }};
    }
    Ok(match (encoding, array.data_type()) {
        (Encoding::Native(native), _) => {
            let lists = Lists::new(array, native.depth())?;
            Box::new(move |row, accepts_points, region| {
                if array.is_null(row) {
                    region.counts.null_geometries += 1;
                    return Ok(());
                }
                add(&lists, native, row, accepts_points, region)
            })
        }
        (Encoding::Wkb, DataType::Binary) => of_bytes!(array.as_binary::<i32>()),
        (Encoding::Wkb, DataType::LargeBinary) => of_bytes!(array.as_binary::<i64>()),
        (Encoding::Wkb, DataType::BinaryView) => of_bytes!(array.as_binary_view()),
        (Encoding::Wkb, DataType::Utf8) => of_text!(array.as_string::<i32>()),
        (Encoding::Wkb, DataType::LargeUtf8) => of_text!(array.as_string::<i64>()),
        (Encoding::Wkb, DataType::Utf8View) => of_text!(array.as_string_view()),
        (Encoding::Wkb, DataType::Dictionary(_, values)) if !matches!(**values, DataType::Dictionary(..)) => {
            let dictionary = array.as_any_dictionary();
            if dictionary.values().is_empty() {
                return Ok(binary(array, |_| &[]));
            }
            let (keys, values) = (dictionary.normalized_keys(), decoder(dictionary.values(), encoding)?);
            Box::new(move |row, accepts_points, region| {
                if array.is_null(row) {
                    region.counts.null_geometries += 1;
                    return Ok(());
                }
                values(keys[row], accepts_points, region)
            })
        }
        (Encoding::Wkb, other) => {
            return Err(format!(
                "its type is {other}; WKB is in a column of bytes, and WKT in a column of text"
            ));
        }
    })
}

/// Returns the points of a column if each row has a point in the usual form of well-known binary and all coordinates are accepted.
/// Otherwise, returns `None`. [`decoder`] then decodes the rows and finds the errors, but takes several times as long for points.
pub(super) fn usual_points(array: &ArrayRef, encoding: Encoding) -> Option<Vec<DVec2>> {
    if !matches!(encoding, Encoding::Wkb) || array.null_count() > 0 {
        return None;
    }
    macro_rules! points {
        ($values:expr) => {{
            let values = $values;
            let mut points = Vec::with_capacity(values.len());
            for row in 0..values.len() {
                points.push(wkb::usual_point(values.value(row))?);
            }
            points
        }};
    }
    let points = match array.data_type() {
        DataType::Binary => points!(array.as_binary::<i32>()),
        DataType::LargeBinary => points!(array.as_binary::<i64>()),
        DataType::BinaryView => points!(array.as_binary_view()),
        _ => return None,
    };
    sat2d::internal::check_points(&points).is_ok().then_some(points)
}

fn binary<'a>(array: &'a ArrayRef, bytes: impl Fn(usize) -> &'a [u8] + 'a) -> Decoder<'a> {
    Box::new(move |row, accepts_points, region| {
        if array.is_null(row) {
            region.counts.null_geometries += 1;
            return Ok(());
        }
        wkb::decode(bytes(row), accepts_points, region)
    })
}

/// Returns a decoder of text: well-known text, or well-known binary in hexadecimal digits.
fn text<'a>(array: &'a ArrayRef, text: impl Fn(usize) -> &'a str + 'a) -> Decoder<'a> {
    Box::new(move |row, accepts_points, region| {
        if array.is_null(row) {
            region.counts.null_geometries += 1;
            return Ok(());
        }
        wkt::decode_text(text(row).as_bytes(), accepts_points, region)
    })
}

/// Adds a geometry in the encoding of GeoArrow to a region. Returns an error if a list is malformed or a point is not accepted.
fn add(lists: &Lists, native: Native, row: usize, accepts_points: bool, region: Region<'_>) -> Result<()> {
    let Region { chunk, points, first_point, counts, .. } = region;
    let before = chunk.coordinates.len();
    let mut empty_polygons = 0;
    let mut polygon = |rings: std::ops::Range<usize>, level: usize| -> Result<()> {
        let start = chunk.coordinates.len();
        for ring in rings {
            let from = chunk.coordinates.len();
            lists.copy(lists.items(level, ring)?, &mut chunk.coordinates)?;
            let ring = &chunk.coordinates[from..];
            counts.rings_closed += usize::from(ring.first() != ring.last());
            chunk.end_ring();
        }
        empty_polygons += usize::from(chunk.coordinates.len() == start);
        chunk.end_polygon();
        Ok(())
    };
    match native {
        Native::Polygon => polygon(lists.items(0, row)?, 1)?,
        Native::MultiPolygon => {
            for item in lists.items(0, row)? {
                polygon(lists.items(1, item)?, 2)?;
            }
        }
        Native::Point | Native::MultiPoint if accepts_points => {
            let range = if native == Native::Point { row..row + 1 } else { lists.items(0, row)? };
            let mut positions = Vec::new();
            lists.copy(range, &mut positions)?;
            // NaN coordinates are the only encoding of an empty point.
            positions.retain(|position| !position.iter().all(|number| number.is_nan()));
            points.extend(positions.into_iter().map(DVec2::from));
            let points = &points[first_point..];
            counts.empty_geometries += usize::from(points.is_empty());
            counts.third_ordinates_ignored += if lists.has_third { points.len() } else { 0 };
            return Ok(sat2d::internal::check_points(points)?);
        }
        Native::Point => {
            let mut position = Vec::new();
            lists.copy(row..row + 1, &mut position)?;
            if !position.iter().flatten().all(|number| number.is_nan()) {
                return Err(Error::UnsupportedGeometry { kind: native.name().into() });
            }
        }
        Native::MultiPoint | Native::LineString | Native::MultiLineString => {
            if !lists.items(0, row)?.is_empty() {
                return Err(Error::UnsupportedGeometry { kind: native.name().into() });
            }
        }
    }
    let positions = chunk.coordinates.len() - before;
    if positions == 0 {
        counts.empty_geometries += 1;
    } else {
        counts.empty_polygons += empty_polygons;
        counts.third_ordinates_ignored += if lists.has_third { positions } else { 0 };
    }
    Ok(())
}
