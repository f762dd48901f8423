//! Finds out whether a column of geometries without a position has points. An empty point still has the type Point.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};

/// Returns whether the type of the column is a type of points, or all geometries of the column are points. Returns false if
/// the column states no type and all its geometries are null.
pub(crate) fn has_only_points<'a>(field: &Field, chunks: impl Iterator<Item = &'a ArrayRef>) -> bool {
    if let Some(name) = field.metadata().get("ARROW:extension:name")
        && matches!(name.as_str(), "geoarrow.point" | "geoarrow.multipoint")
    {
        return true;
    }
    let mut found = false;
    for chunk in chunks {
        for row in (0..chunk.len()).filter(|&row| !chunk.is_null(row)) {
            if !is_point(chunk, row) {
                return false;
            }
            found = true;
        }
    }
    found
}

/// Returns whether a geometry in well-known binary or in well-known text is a point or a multipoint. Returns false for a
/// column of another type.
fn is_point(array: &ArrayRef, row: usize) -> bool {
    match array.data_type() {
        DataType::Binary => is_point_of_bytes(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => is_point_of_bytes(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => is_point_of_bytes(array.as_binary_view().value(row)),
        DataType::Utf8 => is_point_of_text(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => is_point_of_text(array.as_string::<i64>().value(row)),
        DataType::Utf8View => is_point_of_text(array.as_string_view().value(row)),
        _ => false,
    }
}

/// Returns whether the type at the start of well-known binary is a point or a multipoint.
fn is_point_of_bytes(bytes: &[u8]) -> bool {
    let [order, kind @ ..] = *bytes.first_chunk::<5>().unwrap_or(&[0; 5]);
    let kind = if order == 1 { u32::from_le_bytes(kind) } else { u32::from_be_bytes(kind) };
    // The extended variant states other dimensions in the highest bits, and the variant of ISO adds thousands.
    matches!((kind & 0x0fff_ffff) % 1000, 1 | 4)
}

/// Returns whether the type at the start of well-known text, or of well-known binary in hexadecimal digits, is a point or a
/// multipoint.
fn is_point_of_text(text: &str) -> bool {
    // The extended variant begins with the number of a reference system.
    let text = text.rsplit(';').next().unwrap_or_default().trim_start().to_ascii_uppercase();
    if text.starts_with("POINT") || text.starts_with("MULTIPOINT") {
        return true;
    }
    let digits = text.get(..10).unwrap_or_default();
    let byte = |at: usize| digits.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..10).step_by(2).map(byte).collect();
    bytes.is_some_and(|bytes| is_point_of_bytes(&bytes))
}
