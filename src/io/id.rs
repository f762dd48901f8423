use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::io;

use crate::parallel::prelude::*;

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

/// How many of `ids` are written as one before them is.
pub(super) fn count_repeated(ids: &[Id]) -> usize {
    if ids.iter().all(|id| matches!(id, Id::Index(_))) {
        return 0;
    }
    // Hashes first, which are small: as a rule no two are the same.
    let state = RandomState::new();
    let hash = |id: &Id| match id {
        Id::Index(index) => state.hash_one(index.to_string().as_str()),
        Id::Number(text) | Id::Text(text) => state.hash_one(&**text),
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
