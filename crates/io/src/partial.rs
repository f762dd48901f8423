//! Temporary files that replace a target when they are complete. If the process ends early, it removes its temporary
//! files, unless the system kills it without a signal that it can handle.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use tempfile::{NamedTempFile, TempPath};

use super::unfinished::Listed;

/// A temporary file in the folder of its target. The file is removed when the value is dropped.
#[derive(Debug)]
pub(super) struct Partial {
    file: File,
    path: TempPath,
    _listed: Listed,
}

impl Partial {
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".sat2d-").suffix(".partial");
        let made = builder.make_in(folder, make).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => io::Error::new(e.kind(), "the folder does not exist; make it first"),
            kind => io::Error::new(kind, e.to_string()),
        })?;
        Ok(Self::of(made))
    }

    fn of(made: NamedTempFile<(File, Listed)>) -> Self {
        let ((file, _listed), path) = made.into_parts();
        Self { file, path, _listed }
    }

    pub(super) fn as_file(&self) -> &File {
        &self.file
    }

    /// Moves the temporary file to `target`, which is replaced. Returns an error if the system refuses to rename the file.
    pub(super) fn persist(self, target: &Path) -> io::Result<()> {
        self.path.persist(target).map_err(|e| e.error)
    }
}

/// Creates a new file at `path`, or returns the error of the system. The path is in the list of temporary files before the file
/// exists, so that the process removes the file if it ends early.
fn make(path: &Path) -> io::Result<(File, Listed)> {
    let (listed, file) = Listed::with(path, || open(path))?;
    Ok((file, listed))
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    // The system removes the bits of the umask, as for any new file.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o666);
    options.open(path)
}

impl io::Write for Partial {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // `NamedTempFile` would add its own name to errors. The user never gave that name.
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
