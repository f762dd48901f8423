//! The error type of the program.

use std::io;
use std::path::PathBuf;

use sat2d::internal::{Shown, ShownValue};

/// An error of the library, of a file, or of an option.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The library refuses the input, or the device fails.
    #[error(transparent)]
    Library(#[from] sat2d::Error),
    /// A file cannot be read or written, or its contents are invalid.
    #[error(transparent)]
    File(#[from] sat2d_io::Error),
    /// The coordinates of two files are in different reference systems.
    #[error("{} is in {}, but {} is in {}; transform one of them, or give --ignore-crs if their coordinates are in one system", a.display(), Shown(of_a), b.display(), Shown(of_b))]
    Crs {
        /// Path of A.
        a: PathBuf,
        /// The system of A.
        of_a: String,
        /// Path of B.
        b: PathBuf,
        /// The system of B.
        of_b: String,
    },
    /// The polygons of one feature overlap each other, and their union cannot be computed.
    #[error("{}: feature {} has polygons that overlap each other, and their union cannot be computed: {source}", path.display(), Shown(id))]
    Union {
        /// Path of the file.
        path: PathBuf,
        /// The id of the feature.
        id: String,
        /// The reason why the union cannot be computed.
        source: Box<sat2d::Error>,
    },
    /// An option has an invalid value.
    #[error("{option} = {}: {problem}", ShownValue(value))]
    Option {
        /// Name of the option.
        option: &'static str,
        /// The value as given.
        value: String,
        /// The reason why the value is invalid, and the remedy.
        problem: &'static str,
    },
}

impl Error {
    /// Returns the error of a file that cannot be read. The path `-` is standard input.
    pub(crate) fn read(path: impl Into<PathBuf>, source: io::Error) -> Self {
        sat2d_io::Error::Read { path: path.into(), source }.into()
    }

    /// Returns the error of a file that cannot be written. The path `-` is standard output.
    pub(crate) fn write(path: impl Into<PathBuf>, source: io::Error) -> Self {
        sat2d_io::Error::Write { path: path.into(), source }.into()
    }

    /// Returns the error of a file with invalid text. `line` and `column` count from 1.
    pub(crate) fn syntax(
        path: impl Into<PathBuf>,
        line: usize,
        column: usize,
        problem: impl Into<String>,
    ) -> Self {
        sat2d_io::Error::Syntax { path: path.into(), line, column, problem: problem.into() }.into()
    }

    /// Returns whether a write failed because the reader of the pipe closed it.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::File(error) if error.is_broken_pipe())
    }
}

/// The result type of the program.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;
