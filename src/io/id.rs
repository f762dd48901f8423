use std::fmt;

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

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => write!(f, "{index}"),
            Self::Number(text) | Self::Text(text) => f.write_str(text),
        }
    }
}
