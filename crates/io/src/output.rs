use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::{Compression, write::GzEncoder};

use super::links;
use super::partial::Partial;
use crate::{Error, Result};

const BUFFER_BYTES: usize = 1 << 16;

/// A target for output: standard output, a regular file, a device or a pipe. If the name of the target ends in `.gz`,
/// the output is compressed with gzip.
///
/// A regular file is first written under a temporary name, in the folder of the target. [`Output::commit`] moves the
/// temporary file to the path of the target. If the `Output` is dropped without a commit, for example after an error,
/// the temporary file is removed and the target is unchanged.
#[derive(Debug)]
pub struct Output {
    /// The name of the target in messages. `-` is standard output.
    name: PathBuf,
    encoding: Encoding,
    /// Whether the output is a terminal, which interprets control characters.
    is_terminal: bool,
}

#[derive(Debug)]
enum Encoding {
    Plain(Sink),
    /// The gzip encoder. The data goes to the encoder in large parts, because a small write takes as long as a write of a
    /// kilobyte.
    Gzip(BufWriter<GzEncoder<Sink>>),
}

#[derive(Debug)]
enum Sink {
    Standard(BufWriter<Standard>),
    /// A device, a pipe or a socket. The data goes directly to it, because there is no file to replace.
    Direct(BufWriter<File>),
    Replacing {
        file: BufWriter<Partial>,
        target: PathBuf,
    },
}

/// Standard output as a file. The type of the standard library ignores write errors if standard output is not open for
/// writing.
#[cfg(unix)]
type Standard = File;
#[cfg(not(unix))]
type Standard = io::Stdout;

/// Whether standard output was already closed when the process began.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Makes every later attempt to open standard output for an [`Output`] an error.
pub fn close_standard_output() {
    IS_CLOSED.store(true, Ordering::Relaxed);
}

fn standard() -> io::Result<Standard> {
    if IS_CLOSED.load(Ordering::Relaxed) {
        return Err(io::Error::other("it is closed; redirect it, or name a file"));
    }
    #[cfg(unix)]
    if is_for_reading_alone(&io::stdout()) {
        return Err(io::Error::other("it is open only for reading; redirect it, or name a file"));
    }
    #[cfg(unix)]
    return std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned().map(File::from);
    #[cfg(not(unix))]
    Ok(io::stdout())
}

#[cfg(unix)]
fn is_for_reading_alone(file: &impl std::os::fd::AsFd) -> bool {
    use rustix::fs::OFlags;
    // If the system does not report the flags, a write will find the error.
    rustix::fs::fcntl_getfl(file).is_ok_and(|flags| flags & OFlags::RWMODE == OFlags::RDONLY)
}

impl Output {
    /// Opens `path` for writing. `None` and `-` stand for standard output.
    ///
    /// `create` follows symbolic links, even to a file that does not exist yet. If the output replaces a file, the new
    /// file has the permissions of the old file. Otherwise the new file has the default permissions.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if standard output is closed, if the path is a directory, if the parent directory does
    /// not exist, or if the file or the directory is not writable.
    pub fn create(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            let output = standard().map_err(|source| Error::Write { path: "-".into(), source })?;
            let is_terminal = output.is_terminal();
            let sink = Sink::Standard(BufWriter::with_capacity(BUFFER_BYTES, output));
            return Ok(Self { name: "-".into(), encoding: Encoding::Plain(sink), is_terminal });
        };
        let sink = Sink::open(path).map_err(|source| Error::Write { path: path.into(), source })?;
        let is_terminal = matches!(&sink, Sink::Direct(file) if file.get_ref().is_terminal());
        let encoding = if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz")) {
            let encoder = GzEncoder::new(sink, Compression::default());
            Encoding::Gzip(BufWriter::with_capacity(BUFFER_BYTES, encoder))
        } else {
            Encoding::Plain(sink)
        };
        Ok(Self { name: path.into(), encoding, is_terminal })
    }

    /// Does all work of a commit except the renaming. Afterwards, a regular file is complete on the disk under its temporary
    /// name, and the caller must not write more data. Returns [`Error::Write`] if the data cannot be written.
    #[doc(hidden)]
    pub fn complete(&mut self) -> Result<()> {
        let sink = match &mut self.encoding {
            Encoding::Plain(sink) => Ok(sink),
            Encoding::Gzip(buffer) => {
                // A finished encoder accepts no calls, not even a flush.
                let flushed = if buffer.buffer().is_empty() { Ok(()) } else { buffer.flush() };
                let encoder = buffer.get_mut();
                flushed.and_then(|()| encoder.try_finish()).map(|()| encoder.get_mut())
            }
        };
        sink.and_then(Sink::complete).map_err(|source| Error::Write { path: self.name.clone(), source })
    }

    /// Writes the buffered data to the target. If the target is a regular file, moves the temporary file to the path of
    /// the target.
    ///
    /// # Errors
    /// Returns [`Error::Write`] if the data cannot be written or the temporary file cannot be moved. After an error, a
    /// target that is a regular file is unchanged.
    pub fn commit(mut self) -> Result<()> {
        self.complete()?;
        let Self { name, encoding, .. } = self;
        let sink = match encoding {
            Encoding::Plain(sink) => Ok(sink),
            Encoding::Gzip(buffer) => {
                buffer.into_inner().map_err(io::IntoInnerError::into_error).and_then(GzEncoder::finish)
            }
        };
        sink.and_then(Sink::commit).map_err(|source| Error::Write { path: name, source })
    }

    /// Returns whether the target is a terminal, which interprets control characters.
    #[doc(hidden)]
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Returns the name of the target in messages: the path as given, or `-` for standard output.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.name
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.encoding {
            Encoding::Plain(sink) => sink.write(bytes),
            Encoding::Gzip(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.encoding {
            Encoding::Plain(sink) => sink.flush(),
            Encoding::Gzip(encoder) => encoder.flush(),
        }
    }
}

impl Sink {
    fn open(path: &Path) -> io::Result<Self> {
        let existing = match fs::metadata(path) {
            Ok(metadata) => Some(metadata),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(e),
        };
        let target = match &existing {
            Some(metadata) if metadata.is_dir() => {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory; name a file"));
            }
            Some(metadata) if !metadata.is_file() => {
                let file = OpenOptions::new().write(true).open(path)?;
                return Ok(Self::Direct(BufWriter::with_capacity(BUFFER_BYTES, file)));
            }
            Some(_) => {
                // Renaming a file needs no permission on the target itself. Without this check, `commit` would replace a
                // read-only file.
                OpenOptions::new().write(true).open(path)?;
                fs::canonicalize(path)?
            }
            None => links::follow(path)?,
        };
        let folder = match target.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let file = Partial::create(folder)?;
        if let Some(metadata) = existing {
            file.as_file().set_permissions(metadata.permissions())?;
        }
        Ok(Self::Replacing { file: BufWriter::with_capacity(BUFFER_BYTES, file), target })
    }

    fn complete(&mut self) -> io::Result<()> {
        self.flush()?;
        match self {
            // Without this call, the new name could reach the disk before the contents of the file.
            Self::Replacing { file, .. } => file.get_ref().as_file().sync_all(),
            Self::Standard(_) | Self::Direct(_) => Ok(()),
        }
    }

    fn commit(self) -> io::Result<()> {
        match self {
            Self::Replacing { file, target } => {
                file.into_inner().map_err(io::IntoInnerError::into_error)?.persist(&target)
            }
            Self::Standard(_) | Self::Direct(_) => Ok(()),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(sink) => sink.write(bytes),
            Self::Direct(sink) => sink.write(bytes),
            Self::Replacing { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(sink) => sink.flush(),
            Self::Direct(sink) => sink.flush(),
            Self::Replacing { file, .. } => file.flush(),
        }
    }
}

impl Error {
    /// Returns whether a write failed because the reader closed the pipe, as in `sat2d ... | head`. If the reader
    /// closed a pipe, the program should stop without an error message.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }
}
