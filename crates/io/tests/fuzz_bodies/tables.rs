//! The body of the fuzz target `tables`: arbitrary bytes are read or refused, and never end the process.

use std::io::Write as _;
use std::path::Path;

use crate::agreement;
use sat2d_io::{Features, Format, ReadOptions, Result, read};

/// Reads `bytes` as Parquet, as an Arrow file and as an Arrow stream, from a file in `folder`.
pub(crate) fn run(bytes: &[u8], folder: &Path) {
    for (format, name) in
        [(Format::Parquet, "in.parquet"), (Format::Arrow, "in.arrow"), (Format::ArrowStream, "in.arrows")]
    {
        let path = folder.join(name);
        std::fs::File::create(&path).and_then(|mut file| file.write_all(bytes)).expect("a folder for tests");
        let read = |skip_invalid: bool| -> Result<Features> {
            let options = ReadOptions::default().format(format).skip_invalid(skip_invalid).points(true);
            read(&path, &options)
        };
        agreement::check(read);
    }
}
