//! The body of the fuzz target `shapefile`: shapes and tables of any bytes are read or refused, and never end the process.

use std::path::Path;

use sat2d_io::{Features, ReadOptions, Result, read};

/// Reads `bytes` as the shapes beside a good table, and as the table beside good shapes.
pub(crate) fn run(bytes: &[u8], good: [&[u8]; 2], folder: &Path) {
    let path = folder.join("in.shp");
    for [shapes, table] in [[bytes, good[1]], [good[0], bytes]] {
        std::fs::write(&path, shapes).expect("a folder for tests");
        std::fs::write(path.with_extension("dbf"), table).expect("a folder for tests");
        let read = |skip_invalid: bool| -> Result<Features> {
            read(
                &path,
                &ReadOptions {
                    format: Some(sat2d_io::Format::Shapefile),
                    skip_invalid,
                    points: true,
                    ..ReadOptions::default()
                },
            )
        };
        match (read(true), read(false)) {
            (Ok(features), strict) => {
                let count = features.counts.features;
                assert_eq!((features.set.object_count(), features.ids.len()), (count, count));
                match (features.skipped.first(), strict) {
                    (None, Ok(strict)) => assert_eq!(strict.ids, features.ids),
                    (Some(skipped), Err(error)) => assert_eq!(skipped.error.to_string(), error.to_string()),
                    (skipped, strict) => panic!("skipped {skipped:?}, but strictly {strict:?}"),
                }
            }
            (Err(error), strict) => {
                assert!(strict.is_err(), "{error}");
                assert!(!error.to_string().contains('\n'), "{error}");
            }
        }
    }
}
