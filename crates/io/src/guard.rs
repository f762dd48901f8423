//! Runs decoders of other crates, which may panic on damaged files.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::{Error, Result};

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if this thread runs a decoder whose panic becomes an error. The panic hook of a program should print no message
/// for such a panic.
pub fn is_guarded() -> bool {
    IS_GUARDED.get()
}

/// Runs a decoder. If the decoder panics, the result is an error about the file at `path`, unless the program is built
/// to abort on panic.
///
/// # Errors
/// Returns the error of `decode`, or [`Error::Format`] if `decode` panics.
pub(crate) fn guarded<T>(path: &Path, decode: impl FnOnce() -> Result<T>) -> Result<T> {
    let was_guarded = IS_GUARDED.replace(true);
    // The decoder is not used after a panic, so its state does not matter.
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    IS_GUARDED.set(was_guarded);
    decoded.unwrap_or_else(|_| {
        let problem = "it is damaged, or has a type that is not known; write the file again".into();
        Err(Error::Format { path: path.into(), problem })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        let path = Path::new("in.parquet");
        let result: Result<()> = guarded(path, || {
            assert!(is_guarded());
            panic!("as a decoder may")
        });
        let error = result.map_err(|error| error.to_string());
        assert!(error.is_err_and(|error| error.starts_with("in.parquet: it is damaged")));
        assert!(!is_guarded());
        assert_eq!(guarded(path, || Ok(3)).ok(), Some(3));
    }
}
