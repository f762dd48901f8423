use std::collections::HashSet;
use std::fmt::{self, Write as _};
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write as _;

use super::text::push_integer;
use super::time::Time;
use rayon::prelude::*;
use sat2d::internal::drives_terminals;

/// The id that identifies a feature in the output.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    /// The index of the feature in its input, from 0, for a feature without an id.
    Index(usize),
    /// An integer, such as `17` or `-3`.
    Integer(i64),
    /// Another number, in the format of JSON. A number from a text keeps its digits, as [`Id::from_number`] describes.
    Number(Box<str>),
    /// A text, without the quotes and escapes of the input format.
    Text(Box<str>),
    /// A date or a timestamp of a table.
    Time(Time),
}

impl Id {
    /// Returns the id for the text of a JSON number. The id is an [`Id::Integer`] if the text is exactly how an `i64` is
    /// written in decimal. Other numbers, such as `-0`, `1.50`, `1e3` and `9223372036854775808`, are an [`Id::Number`].
    ///
    /// ```
    /// use sat2d_io::Id;
    /// assert_eq!(Id::from_number("-3"), Id::Integer(-3));
    /// assert_eq!(Id::from_number("1.50"), Id::Number("1.50".into()));
    /// ```
    #[must_use]
    pub fn from_number(text: &str) -> Self {
        match text.parse() {
            Ok(integer) if itoa::Buffer::new().format::<i64>(integer) == text => Self::Integer(integer),
            _ => Self::Number(text.into()),
        }
    }

    /// Returns the id for a number, in the format of JSON. A whole number has no decimal point, because some tools turn
    /// a column of integers with nulls into floats. NaN and infinity become text.
    pub(crate) fn from_f64(value: f64) -> Self {
        /// The magnitude, 2^53, below which f64 represents every whole number exactly.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        match value {
            value if value.fract() == 0.0 && value.abs() <= EXACT => Self::Integer(value as i64),
            value if value.is_finite() => Self::Number(format!("{value:?}").into()),
            value => Self::Text(value.to_string().into()),
        }
    }

    /// Returns the id for a number of single precision, with the fewest digits that identify the number.
    pub(crate) fn from_f32(value: f32) -> Self {
        match Self::from_f64(value.into()) {
            Self::Number(_) => Self::Number(format!("{value:?}").into()),
            id => id,
        }
    }

    /// Returns whether the id has a control character. Most programs that display text interpret control characters.
    pub(super) fn has_controls(&self) -> bool {
        // In UTF-8, this byte is the first one of the control characters beyond ASCII.
        const BEYOND_ASCII: u8 = 0xC2;
        match self {
            Self::Text(text) => {
                let may_be = |byte: u8| byte < b' ' || byte == 0x7F || byte == BEYOND_ASCII;
                text.bytes().any(may_be) && text.contains(char::is_control)
            }
            Self::Number(_) | Self::Integer(_) | Self::Index(_) | Self::Time(_) => false,
        }
    }

    /// Returns the first byte of a text or of a number's digits, or 0 for another id. Reading the byte loads the text into the
    /// processor's cache.
    pub(super) fn first_byte(&self) -> u8 {
        match self {
            Self::Text(text) | Self::Number(text) => text.bytes().next().unwrap_or(0),
            Self::Integer(_) | Self::Index(_) | Self::Time(_) => 0,
        }
    }

    /// Appends the id as JSON: a string or a number, as in the input. For a terminal, characters that control a
    /// terminal are escaped.
    pub(super) fn push_json(&self, json: &mut Vec<u8>, is_terminal: bool) {
        match self {
            Self::Text(text) if is_terminal && text.contains(drives_terminals) => {
                let string = serde_json::Value::from(&**text).to_string();
                json.extend_from_slice(escaped_json(&string).as_bytes());
            }
            Self::Text(text) => {
                // Serialising a string into a Vec cannot fail.
                let _ = serde_json::to_writer(json, text);
            }
            Self::Number(text) => json.extend_from_slice(text.as_bytes()),
            Self::Integer(integer) => push_integer(json, *integer),
            Self::Index(index) => push_integer(json, *index),
            // Writing to a Vec cannot fail.
            Self::Time(time) => drop(write!(json, "\"{time}\"")),
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => write!(f, "{index}"),
            Self::Integer(integer) => write!(f, "{integer}"),
            Self::Number(text) | Self::Text(text) => f.write_str(text),
            Self::Time(time) => write!(f, "{time}"),
        }
    }
}

/// Returns the JSON text with control characters replaced by JSON escapes. Only the strings of the text may contain
/// such characters, apart from line ends.
pub fn escaped_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        // All of these characters fit four hexadecimal digits. A line end is outside the strings.
        if drives_terminals(c) && c != '\n' {
            // Writing to a String cannot fail.
            let _ = write!(escaped, "\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Changes each index that is also the id of another feature, for example from `5` to `index:5`. If `index:5` is also an id, the
/// new id is `index:index:5`, and so on. Returns the number of changed indices, and the number of `ids` that still repeat an
/// earlier id.
pub(super) fn tell_apart(ids: &mut [Id]) -> (usize, usize) {
    let repeated = count_repeated(ids);
    if repeated == 0 {
        return (0, 0);
    }
    let given = ids.iter().filter(|id| !matches!(id, Id::Index(_)));
    let given: HashSet<String> = given.map(Id::to_string).collect();
    let mut told_apart = 0;
    for id in ids.iter_mut().filter(|id| matches!(id, Id::Index(_))) {
        let mut name = id.to_string();
        if !given.contains(&name) {
            continue;
        }
        // The loop ends, because each turn needs a longer name among the given ids. Two indices get different names,
        // because the names end in different numbers.
        while given.contains(&name) {
            name.insert_str(0, "index:");
        }
        *id = Id::Text(name.into());
        told_apart += 1;
    }
    (told_apart, if told_apart == 0 { repeated } else { count_repeated(ids) })
}

/// Returns whether the ids are integers in ascending order, as in most tables with a serial number. Such ids all differ.
pub(super) fn are_ascending(ids: &[Id]) -> bool {
    let is_integer = |id: &Id| matches!(id, Id::Integer(_));
    ids.first().is_none_or(is_integer)
        && ids.par_windows(2).all(|two| matches!(two, [Id::Integer(one), Id::Integer(next)] if one < next))
}

/// Returns the number of `ids` that repeat an earlier id.
fn count_repeated(ids: &[Id]) -> usize {
    if ids.iter().all(|id| matches!(id, Id::Index(_))) {
        return 0;
    }
    // Compares the hashes first. They are small, and usually all differ.
    let state = RandomState::new();
    let hash = |id: &Id| match id {
        Id::Index(index) => state.hash_one(itoa::Buffer::new().format(*index)),
        Id::Integer(integer) => state.hash_one(itoa::Buffer::new().format(*integer)),
        Id::Number(text) | Id::Text(text) => state.hash_one(&**text),
        Id::Time(time) => state.hash_one(&*time.to_string()),
    };
    let mut hashes: Vec<u64> = ids.par_iter().map(hash).collect();
    hashes.par_sort_unstable();
    let suspects: HashSet<u64> = hashes.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0]).collect();
    if suspects.is_empty() {
        return 0;
    }
    let mut seen = HashSet::new();
    ids.iter().filter(|id| suspects.contains(&hash(id)) && !seen.insert(id.to_string())).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_integers_are_ascending() {
        let text = |text: &str| Id::Text(text.into());
        assert!(are_ascending(&[]) && are_ascending(&[Id::Integer(5)]));
        assert!(are_ascending(&[i64::MIN, -1, 7, i64::MAX].map(Id::Integer)));
        assert!(!are_ascending(&[1, 2, 2].map(Id::Integer)) && !are_ascending(&[2, 1].map(Id::Integer)));
        assert!(!are_ascending(&[text("a\u{1}")]) && !are_ascending(&[Id::Index(0)]));
        assert!(!are_ascending(&[Id::Integer(1), text("2")]) && !are_ascending(&[text("1"), Id::Integer(2)]));
    }

    #[test]
    fn repeated_ids_are_counted_in_any_order() {
        let integers = |ids: &[i64]| ids.iter().map(|&id| Id::Integer(id)).collect::<Vec<_>>();
        for (ids, repeated) in [
            (vec![], 0),
            (integers(&[i64::MIN, -1, 7, i64::MAX]), 0),
            (integers(&[1, 2, 2, 3]), 1),
            (integers(&[3, 1, 2]), 0),
            (integers(&[1, 3, 1, 3, 1]), 3),
            (vec![Id::Integer(1), Id::Integer(2), Id::Text("2".into())], 1),
            (vec![Id::Integer(1), Id::Number("1.0".into()), Id::Index(1)], 1),
        ] {
            assert_eq!(count_repeated(&ids), repeated, "{ids:?}");
        }
    }
}
