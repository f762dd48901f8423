use std::fmt;
use std::io;

/// What a feature is called in the output.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    /// The feature has no id of its own: its index among the features of its input, from 0.
    Index(usize),
    /// A JSON number, digit for digit as it was written.
    Number(Box<str>),
    /// A JSON string, without its quotes and escapes.
    Text(Box<str>),
}

impl Id {
    /// Writes it as JSON: a string or a number, as it came.
    pub(super) fn write_json(&self, mut output: impl io::Write) -> io::Result<()> {
        match self {
            Self::Text(text) => serde_json::to_writer(output, text).map_err(io::Error::from),
            Self::Number(text) => output.write_all(text.as_bytes()),
            Self::Index(index) => write!(output, "{index}"),
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => write!(f, "{index}"),
            Self::Number(text) | Self::Text(text) => f.write_str(text),
        }
    }
}
