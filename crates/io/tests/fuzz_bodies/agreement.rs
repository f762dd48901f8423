//! Compares the two ways to read a file: with invalid features left out, and with the first invalid feature as an
//! error.

use sat2d_io::{Features, Result};

/// Checks that `read(true)`, which skips invalid features, agrees with `read(false)`. If no feature is skipped, both
/// must return the same ids. If features are skipped, `read(false)` must return the error of the first skipped
/// feature. If `read(true)` fails, its message must be one line, and `read(false)` must fail, too.
pub(crate) fn check(read: impl Fn(bool) -> Result<Features>) {
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
