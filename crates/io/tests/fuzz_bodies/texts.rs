//! The body of the fuzz target `texts`: arbitrary bytes are read or refused, and never end the process.

use std::path::Path;

use crate::agreement;
use sat2d_io::{Features, Format, ReadOptions, Result, read};

/// Reads `bytes` as CSV, as TSV and as WKT, from a file in `folder`.
pub(crate) fn run(bytes: &[u8], folder: &Path) {
    let path = folder.join("in.csv");
    std::fs::write(&path, bytes).expect("a folder for tests");
    for format in [Format::Csv, Format::Tsv, Format::Wkt] {
        let read = |skip_invalid: bool| -> Result<Features> {
            read(&path, &ReadOptions::default().format(format).skip_invalid(skip_invalid).points(true))
        };
        agreement::check(read);
    }
}
