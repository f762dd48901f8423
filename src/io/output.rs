use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::{Error, Result};

const BUFFER_BYTES: usize = 1 << 16;

/// Where an answer is written: standard output, a file that appears when it is whole, or a device or pipe.
///
/// A regular file is written beside its target under a temporary name and takes the target's place in
/// [`Output::commit`]. Dropped before that, on an error for example, it is removed, and the target is as it was.
#[derive(Debug)]
pub struct Output {
    /// As messages name it; `-` is standard output.
    name: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Standard(BufWriter<io::Stdout>),
    /// A device, a pipe, a socket: there is nothing to put in its place.
    Direct(BufWriter<File>),
    Replacing {
        file: BufWriter<NamedTempFile>,
        target: PathBuf,
    },
}

impl Output {
    /// Opens `path` for writing; none, or `-`, is standard output.
    ///
    /// A symbolic link is followed. A file that is replaced keeps its permissions; a new one gets those that any new
    /// file gets.
    ///
    /// # Errors
    /// [`Error::Write`] where the path is a directory, its folder does not exist, or either may not be written.
    pub fn create(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            let sink = Sink::Standard(BufWriter::with_capacity(BUFFER_BYTES, io::stdout()));
            return Ok(Self { name: "-".into(), sink });
        };
        let sink = Self::open(path).map_err(|source| Error::Write { path: path.into(), source })?;
        Ok(Self { name: path.into(), sink })
    }

    fn open(path: &Path) -> io::Result<Sink> {
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
                return Ok(Sink::Direct(BufWriter::with_capacity(BUFFER_BYTES, file)));
            }
            Some(_) => {
                // Renaming needs no permission on the target itself; without this, a read-only file would be replaced.
                OpenOptions::new().write(true).open(path)?;
                fs::canonicalize(path)?
            }
            None => path.to_path_buf(),
        };
        let folder = match target.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".sat2d-").suffix(".partial");
        // The system takes the umask off this, as from any new file; the default would be 0600.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder).map_err(|e| io::Error::new(e.kind(), e.to_string()))?;
        if let Some(metadata) = existing {
            file.as_file().set_permissions(metadata.permissions())?;
        }
        Ok(Sink::Replacing { file: BufWriter::with_capacity(BUFFER_BYTES, file), target })
    }

    /// Writes what is buffered, and puts a regular file in its place.
    ///
    /// # Errors
    /// [`Error::Write`]; a regular target is then as it was.
    pub fn commit(self) -> Result<()> {
        let Self { name, sink } = self;
        let result = match sink {
            Sink::Standard(mut stdout) => stdout.flush(),
            Sink::Direct(mut file) => file.flush(),
            Sink::Replacing { file, target } => {
                file.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| {
                    // A rename may reach the disk before the contents do.
                    file.as_file().sync_all()?;
                    file.persist(target).map_err(|e| e.error)?;
                    Ok(())
                })
            }
        };
        result.map_err(|source| Error::Write { path: name, source })
    }

    /// What messages call it: the path as given, `-` for standard output.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.name
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Standard(sink) => sink.write(bytes),
            Sink::Direct(sink) => sink.write(bytes),
            Sink::Replacing { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Standard(sink) => sink.flush(),
            Sink::Direct(sink) => sink.flush(),
            Sink::Replacing { file, .. } => file.flush(),
        }
    }
}

impl Error {
    /// Whether whoever read the output has closed it (`sat2d ... | head`): a reason to stop, and not to complain.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }
}
