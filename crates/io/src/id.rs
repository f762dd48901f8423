use std::fmt::{self, Write as _};
use std::io::Write as _;

use super::text::push_integer;
use super::time::Time;
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
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        IdRef::from(self).fmt(f)
    }
}

/// A borrowed [`Id`], of which [`Ids`](crate::Ids) returns one for each feature.
///
/// ```
/// use sat2d_io::{Id, IdRef};
/// let id = Id::Text("a".into());
/// assert_eq!(IdRef::from(&id), IdRef::Text("a"));
/// assert_eq!(IdRef::Integer(7).to_string(), "7");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdRef<'a> {
    /// An [`Id::Index`].
    Index(usize),
    /// An [`Id::Integer`].
    Integer(i64),
    /// An [`Id::Number`].
    Number(&'a str),
    /// An [`Id::Text`].
    Text(&'a str),
    /// An [`Id::Time`].
    Time(&'a Time),
}

impl<'a> From<&'a Id> for IdRef<'a> {
    fn from(id: &'a Id) -> Self {
        match id {
            Id::Index(index) => Self::Index(*index),
            Id::Integer(integer) => Self::Integer(*integer),
            Id::Number(text) => Self::Number(text),
            Id::Text(text) => Self::Text(text),
            Id::Time(time) => Self::Time(time),
        }
    }
}

impl PartialEq<Id> for IdRef<'_> {
    fn eq(&self, other: &Id) -> bool {
        *self == IdRef::from(other)
    }
}

impl IdRef<'_> {
    /// Returns the id with memory of its own.
    #[must_use]
    pub fn to_id(self) -> Id {
        match self {
            Self::Index(index) => Id::Index(index),
            Self::Integer(integer) => Id::Integer(integer),
            Self::Number(text) => Id::Number(text.into()),
            Self::Text(text) => Id::Text(text.into()),
            Self::Time(time) => Id::Time(time.clone()),
        }
    }

    /// Returns whether the id has a control character. Most programs that display text interpret control characters.
    pub(super) fn has_controls(self) -> bool {
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
    pub(super) fn first_byte(self) -> u8 {
        match self {
            Self::Text(text) | Self::Number(text) => text.bytes().next().unwrap_or(0),
            Self::Integer(_) | Self::Index(_) | Self::Time(_) => 0,
        }
    }

    /// Appends the id as JSON: a string or a number, as in the input. For a terminal, characters that control a
    /// terminal are escaped.
    pub(super) fn push_json(self, json: &mut Vec<u8>, is_terminal: bool) {
        match self {
            Self::Text(text) if is_terminal && text.contains(drives_terminals) => {
                let string = serde_json::Value::from(text).to_string();
                json.extend_from_slice(escaped_json(&string).as_bytes());
            }
            Self::Text(text) => {
                // Serialising a string into a Vec cannot fail.
                let _ = serde_json::to_writer(json, text);
            }
            Self::Number(text) => json.extend_from_slice(text.as_bytes()),
            Self::Integer(integer) => push_integer(json, integer),
            Self::Index(index) => push_integer(json, index),
            // Writing to a Vec cannot fail.
            Self::Time(time) => drop(write!(json, "\"{time}\"")),
        }
    }
}

impl fmt::Display for IdRef<'_> {
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
