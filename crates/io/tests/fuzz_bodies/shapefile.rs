//! The body of the fuzz target `shapefile`: arbitrary shapes and tables are read or refused, and never end the
//! process.

use std::path::Path;

use crate::agreement;
use sat2d_io::{Features, ReadOptions, Result, read};

/// Reads `bytes` as the shapes of a valid table, and as the table of valid shapes.
pub(crate) fn run(bytes: &[u8], good: [&[u8]; 2], folder: &Path) {
    let path = folder.join("in.shp");
    for [shapes, table] in [[bytes, good[1]], [good[0], bytes]] {
        std::fs::write(&path, shapes).expect("a folder for tests");
        std::fs::write(path.with_extension("dbf"), table).expect("a folder for tests");
        let read = |skip_invalid: bool| -> Result<Features> {
            read(
                &path,
                &ReadOptions::default()
                    .format(sat2d_io::Format::Shapefile)
                    .skip_invalid(skip_invalid)
                    .points(true),
            )
        };
        agreement::check(read);
    }
}
