//! The error path: finds the error in a value that did not parse, and the position of the error.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::ordinates::is_too_small;
use super::parse::{id_from, property};
use super::position::{Origin, SyntaxError, message};
use super::{encoding, surrogates};
use crate::Error;
use crate::Id;
use sat2d::internal::shortened;

/// The members of a JSON object by name, with unparsed values.
type Members<'a> = HashMap<String, &'a RawValue>;

/// Explains why `bytes` did not parse as a feature. `origin` is the origin of `bytes` in the input. If the bytes are JSON,
/// or would be JSON if NaN, Infinity and -Infinity were allowed, returns the id of the feature and the error. The id is
/// `None` if it is missing or cannot be read. Otherwise, returns a syntax error as `Err`.
pub(super) fn explain(
    error: &serde_json::Error,
    bytes: &[u8],
    origin: &Origin,
    id_property: Option<&str>,
) -> Result<(Option<Id>, Error), SyntaxError> {
    let is_json = |bytes: &[u8]| serde_json::from_slice::<IgnoredAny>(bytes);
    let mut text = Cow::Borrowed(bytes);
    let mut has_no_numbers = false;
    if let Err(error) = is_json(bytes) {
        // From here on, a word that stands for a number is a string of JSON.
        text = Cow::Owned(with_quoted_numbers(bytes));
        is_json(&text).map_err(|_| SyntaxError::from_json(&error, bytes, origin))?;
        has_no_numbers = true;
    }
    let members: Option<Members<'_>> = serde_json::from_slice(&text).ok();
    let id = members.as_ref().and_then(|members| {
        let raw = match id_property {
            Some(name) => property(members.get("properties")?.get(), name).ok()?,
            None => members.get("id").copied(),
        };
        id_from(raw?.get(), "").ok()?
    });
    let problem = members.as_ref().and_then(coordinates_problem);
    let problem = match (problem, has_no_numbers) {
        (Some(problem), true) => NO_NUMBERS
            .iter()
            .fold(problem, |problem, number| problem.replace(&format!("\"{number}\""), number)),
        (None, true) => "NaN and Infinity are not JSON; write null, or leave the member out".into(),
        (Some(problem), false) => problem,
        (None, false) => {
            let message = message(error);
            let found = if encoding::is_meant(&message) {
                encoding::problem(bytes, origin)
            } else if surrogates::is_meant(&message) {
                surrogates::problem(bytes, origin)
            } else {
                None
            };
            found.map_or(message, |(place, problem)| {
                format!("line {}, column {}: {problem}", place.line, place.column)
            })
        }
    };
    Ok((id, Error::Malformed { problem }))
}

/// Returns the error of a feature that parsed, but that has coordinates too small for f64. Returns `None` if there is
/// no such coordinate.
pub(super) fn too_small(bytes: &[u8]) -> Option<Error> {
    let members: Members<'_> = serde_json::from_slice(bytes).ok()?;
    coordinates_problem(&members).map(|problem| Error::Malformed { problem })
}

/// The words that some writers write for numbers that JSON does not have.
const NO_NUMBERS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// Returns the text with quotes around each of the words [`NO_NUMBERS`] that is not in a string.
fn with_quoted_numbers(bytes: &[u8]) -> Vec<u8> {
    let mut quoted = Vec::with_capacity(bytes.len() + 16);
    let (mut at, mut in_text) = (0, false);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let number = NO_NUMBERS.into_iter().find(|number| rest.starts_with(number.as_bytes()));
        if let Some(number) = number.filter(|_| !in_text) {
            quoted.push(b'"');
            quoted.extend(number.as_bytes());
            quoted.push(b'"');
            at += number.len();
            continue;
        }
        let length = if in_text && rest[0] == b'\\' { rest.len().min(2) } else { 1 };
        in_text ^= rest[0] == b'"';
        quoted.extend(&rest[..length]);
        at += length;
    }
    quoted
}

fn coordinates_problem(members: &Members<'_>) -> Option<String> {
    let kind: String = serde_json::from_str(members.get("type")?.get()).ok()?;
    if kind == "Feature" {
        return coordinates_problem(&serde_json::from_str(members.get("geometry")?.get()).ok()?);
    }
    let raw = members.get("coordinates")?;
    let levels: &[&str] = match kind.as_str() {
        "Polygon" => &["ring", "position"],
        "MultiPolygon" => &["polygon", "ring", "position"],
        _ => return None,
    };
    nested_problem(raw, levels, "`coordinates`")
}

/// Returns a message about the first invalid value in the nested arrays `raw`, or `None` if all values are valid. A
/// value is invalid if it is not an array, if it is not a valid position, or if f64 cannot represent one of its
/// numbers. `levels` has the names of the items in the arrays of each level, from the outermost. `name` is the name of
/// `raw` in the message.
pub(super) fn nested_problem(raw: &RawValue, levels: &[&str], name: &str) -> Option<String> {
    let items: Vec<&RawValue> = match serde_json::from_str(raw.get()) {
        Ok(items) => items,
        Err(_) => {
            let should = if levels.is_empty() { "2 numbers" } else { levels[0] };
            let should = if levels.is_empty() { should.to_owned() } else { format!("{should}s") };
            return Some(format!("{name} is {}, not an array of {should}", excerpt(raw.get())));
        }
    };
    if let Some((item, deeper)) = levels.split_first() {
        let prefix = if name == "`coordinates`" { String::new() } else { format!("{name}, ") };
        return items
            .iter()
            .enumerate()
            .find_map(|(i, raw)| nested_problem(raw, deeper, &format!("{prefix}{item} {i}")));
    }
    if items.len() < 2 {
        return Some(format!("{name} is {}; it needs 2 numbers", excerpt(raw.get())));
    }
    items.iter().take(2).find_map(|number| {
        let what = match serde_json::from_str::<f64>(number.get()) {
            Ok(_) if is_too_small(number.get()) => {
                "not 0, and too small for f64; write 0, or rescale the input"
            }
            Ok(_) => return None,
            Err(_) if number.get().starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
                "beyond the range of f64"
            }
            Err(_) => "not a number",
        };
        let text = excerpt(number.get());
        Some(format!("{name} is {}: {text} is {what}", excerpt(raw.get())))
    })
}

/// Returns the beginning of a value, or the whole value if it is short, for an error message of one line.
pub(super) fn excerpt(text: &str) -> String {
    shortened(text).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
