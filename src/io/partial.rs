//! Temporary files that become a target when they are whole, and that a signal must not leave behind.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
#[cfg(feature = "cli")]
use std::{sync::TryLockError, time::Duration};

use tempfile::NamedTempFile;

/// The temporaries of this process that exist now.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file beside its target; dropped, it is removed.
#[derive(Debug)]
pub(super) struct Partial {
    file: NamedTempFile,
    _listed: Listed,
}

#[derive(Debug)]
struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

impl Partial {
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".sat2d-").suffix(".partial");
        // The system takes the umask off this, as from any new file; the default would be 0600.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // Held while the file is made, so that it is either listed or not there.
        let mut unfinished = unfinished();
        let file = builder.tempfile_in(folder).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => io::Error::new(e.kind(), "the folder does not exist; make it first"),
            kind => io::Error::new(kind, e.to_string()),
        })?;
        unfinished.insert(file.path().into());
        let _listed = Listed(file.path().into());
        Ok(Self { file, _listed })
    }

    pub(super) fn as_file(&self) -> &std::fs::File {
        self.file.as_file()
    }

    /// Takes the place of `target`.
    pub(super) fn persist(self, target: &Path) -> io::Result<()> {
        self.file.persist(target).map(drop).map_err(|e| e.error)
    }
}

impl io::Write for Partial {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Not through `NamedTempFile`, which adds its own name to errors: one that the user never gave.
        self.file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()
    }
}

/// As [`remove_unfinished`], where the caller may have been about to make one: then it gives up after a while.
#[cfg(feature = "cli")]
pub(crate) fn try_remove_unfinished() {
    for _ in 0..100 {
        match UNFINISHED.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
            Ok(unfinished) => return remove(unfinished),
            Err(TryLockError::Poisoned(unfinished)) => return remove(unfinished.into_inner()),
        }
    }
}

#[cfg(feature = "cli")]
fn remove(unfinished: MutexGuard<'static, BTreeSet<PathBuf>>) {
    for path in unfinished.iter() {
        // One that has just become its target is gone already.
        let _ = std::fs::remove_file(path);
    }
    // No new ones can be made, since the process ends.
    std::mem::forget(unfinished);
}

/// Removes every temporary there is, for a process that a signal ends. No new one can be made while the guard lives.
#[cfg(all(feature = "cli", unix))]
pub(crate) fn remove_unfinished() -> impl Drop {
    let unfinished = unfinished();
    for path in unfinished.iter() {
        // One that has just become its target is gone already.
        let _ = std::fs::remove_file(path);
    }
    unfinished
}
