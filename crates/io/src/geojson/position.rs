//! The position of an error in the input: line and column.

use std::path::Path;

use super::{encoding, surrogates};
use crate::Error;

/// A place in a text, as a line and a column. Both count from 1, and a column counts bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Place {
    pub(super) const START: Self = Self { line: 1, column: 1 };

    /// Moves this position over `bytes`: from the position of their first byte to the position after their last byte.
    pub(super) fn advance(&mut self, bytes: &[u8]) {
        let newlines = newline_count(bytes);
        if newlines == 0 {
            self.column += bytes.len();
        } else {
            self.line += newlines;
            self.column = bytes.iter().rev().take_while(|&&b| b != b'\n').count() + 1;
        }
    }
}

/// Returns the number of newlines in `bytes`. The loop over a block is simple, so that the compiler vectorises it.
fn newline_count(bytes: &[u8]) -> usize {
    let is_newline = |byte: &u8| u8::from(*byte == b'\n');
    let (blocks, rest) = bytes.as_chunks::<64>();
    let in_blocks: usize =
        blocks.iter().map(|block| usize::from(block.iter().map(is_newline).sum::<u8>())).sum();
    in_blocks + usize::from(rest.iter().map(is_newline).sum::<u8>())
}

/// The place from which a text was copied out of the input. Some parts of the input may be missing in the text.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// The place in the input of the first byte of the text.
    pub(super) place: Place,
    /// One entry for each part of the input that was cut out of the text. The entry has the offset in the text at which the
    /// part is missing, and the place in the input after the part.
    pub(super) cuts: Vec<(usize, Place)>,
}

impl Origin {
    /// Returns the place in the input of the byte with the index `offset` in `bytes`. `bytes` is the text that has this origin.
    pub(super) fn of(&self, bytes: &[u8], offset: usize) -> Place {
        let before = self.cuts.partition_point(|&(at, _)| at <= offset);
        let (from, mut place) = before.checked_sub(1).map_or((0, self.place), |last| self.cuts[last]);
        place.advance(&bytes[from..offset]);
        place
    }
}

impl From<Place> for Origin {
    fn from(place: Place) -> Self {
        Self { place, cuts: Vec::new() }
    }
}

/// An error in text that is not JSON, or not GeoJSON as a whole.
#[derive(Debug)]
pub(super) struct SyntaxError {
    pub(super) place: Place,
    pub(super) problem: String,
}

impl SyntaxError {
    pub(super) fn new(place: Place, problem: impl Into<String>) -> Self {
        Self { place, problem: problem.into() }
    }

    /// Converts an error of the JSON parser about `bytes`. `origin` is the origin of `bytes` in the input.
    pub(super) fn from_json(error: &serde_json::Error, bytes: &[u8], origin: &Origin) -> Self {
        let problem = message(error);
        if encoding::is_meant(&problem)
            && let Some((place, problem)) = encoding::problem(bytes, origin)
        {
            return Self { place, problem };
        }
        if surrogates::is_meant(&problem)
            && let Some((place, problem)) = surrogates::problem(bytes, origin)
        {
            return Self { place, problem };
        }
        Self { place: origin.of(bytes, offset(error, bytes)), problem }
    }

    pub(super) fn in_file(self, path: &Path) -> Error {
        let Place { line, column } = self.place;
        Error::Syntax { path: path.into(), line, column, problem: self.problem }
    }
}

/// Returns the index of the byte of `bytes` at which the parser stopped.
fn offset(error: &serde_json::Error, bytes: &[u8]) -> usize {
    let line_start = match error.line() {
        0 | 1 => 0,
        line => {
            let mut newlines = bytes.iter().enumerate().filter(|&(_, &b)| b == b'\n');
            newlines.nth(line - 2).map_or(bytes.len(), |(i, _)| i + 1)
        }
    };
    (line_start + error.column().saturating_sub(1)).min(bytes.len())
}

/// Returns the parser's message without its line and column, which count from the start of the parsed text and not of
/// the input. If the message quotes a long text, the middle of the message is left out.
pub(super) fn message(error: &serde_json::Error) -> String {
    /// The greatest length of an error message that is not shortened, in characters.
    const WHOLE: usize = 240;
    /// The number of characters that are kept at the start and at the end of a shortened error message.
    const ENDS: usize = 100;
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = text.strip_suffix(&place).unwrap_or(&text);
    let count = text.chars().count();
    if count <= WHOLE {
        return text.to_owned();
    }
    let start: String = text.chars().take(ENDS).collect();
    let end: String = text.chars().skip(count - ENDS).collect();
    format!("{start}... ({count} characters) ...{end}")
}
