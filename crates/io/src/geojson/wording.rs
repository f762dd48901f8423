//! Error messages for text that cannot be divided into values.

use super::position::{Place, SyntaxError};
use super::scan::Stop;

/// Returns the error message for a byte between top-level values. `is_first` is set for the first byte. `format_option` is the
/// name of the option that names the format, or `None` if the caller has named the format.
pub(super) fn no_object(byte: u8, is_first: bool, format_option: Option<&str>) -> String {
    /// The first byte of a byte order mark in UTF-8.
    const MARK: u8 = 0xEF;
    let place = if is_first { "" } else { " after the last one" };
    let other_format = format_option.map(|option| {
        format!(
            "; if it is not GeoJSON, name its format with `{option}`, or end the name of the file as usual, for example in .csv"
        )
    });
    let remedy = match byte {
        b'[' => {
            "; this is an array: put its features into {\"type\":\"FeatureCollection\",\"features\":[...]}, or one a line without the brackets and commas"
        }
        _ if is_first => other_format.as_deref().unwrap_or_default(),
        b',' => {
            "; objects that follow each other, one a line, have no commas between them: remove the commas"
        }
        MARK => {
            "; it begins a byte order mark (EF BB BF), as in the middle of concatenated files: remove the mark"
        }
        _ => "; remove the text after it",
    };
    format!("expected a GeoJSON object, found {}{place}{remedy}", named(byte))
}

pub(super) fn no_value(byte: u8, place: Place) -> Stop {
    SyntaxError::new(place, format!("expected a value, found {}", named(byte))).into()
}

/// Returns the error of an input that ends at `place`, inside the value that began at `start`.
pub(super) fn ended_inside(start: Place, place: Place) -> Stop {
    let Place { line, column } = start;
    let problem = format!("the input ends inside the value of line {line}, column {column}");
    SyntaxError::new(place, problem).into()
}

pub(super) fn named(byte: u8) -> String {
    match byte {
        b'!'..=b'~' => format!("`{}`", byte as char),
        _ => format!("byte 0x{byte:02X}"),
    }
}
