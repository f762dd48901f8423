//! Compressed input. The reader decompresses gzip and Zstandard, and returns an error that names the format if the input
//! is compressed in another format.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use super::replay::fill;
use sat2d::internal::Shown;

/// The number of bytes that identify the format of an input.
pub(super) const START_BYTES: u64 = LFS.len() as u64;
/// The first bytes of a Git LFS pointer, which is a text that stands for a large file.
const LFS: &[u8] = b"version https://git-lfs.";
/// The number of bytes of an input that an error message shows.
const SHOWN_BYTES: usize = 6;

/// The format of an input, determined from its first bytes and not from its name.
pub(crate) enum Packing {
    /// A compression format that the reader decompresses.
    Packed(Packed),
    /// A known format that the reader does not decompress. The text has the name of the format and the remedy.
    Other(&'static str),
    /// No known compression format. The input may be JSON.
    None,
}

impl Packing {
    pub(crate) fn of(start: &[u8]) -> Self {
        match start {
            [0x1F, 0x8B, ..] => Self::Packed(Packed::Gzip),
            [b'P', b'K', 3, 4, ..] => Self::Other("a zip archive; unpack it first"),
            #[cfg(feature = "arrow")]
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Self::Packed(Packed::Zstd),
            #[cfg(not(feature = "arrow"))]
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Self::Other("Zstandard; unpack it first"),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Self::Other("bzip2; unpack it first"),
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Self::Other("xz; unpack it first"),
            [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => Self::Other(UTF_32),
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Self::Other(UTF_16),
            _ if is_wide(start, 4) => Self::Other(UTF_32),
            _ if is_wide(start, 2) => Self::Other(UTF_16),
            _ if start.starts_with(LFS) => Self::Other(
                "a Git LFS pointer, not the file that it points to; fetch the file (`git lfs pull`)",
            ),
            _ => Self::None,
        }
    }
}

const UTF_16: &str = "UTF-16; GeoJSON is UTF-8, so convert it first (`iconv -f UTF-16 -t UTF-8`)";
const UTF_32: &str = "UTF-32; GeoJSON is UTF-8, so convert it first (`iconv -f UTF-32 -t UTF-8`)";

/// Returns whether `start` begins like JSON in an encoding with `width` bytes per character.
fn is_wide(start: &[u8], width: usize) -> bool {
    let may_begin = |byte: &u8| matches!(byte, b'{' | b'[' | b' ' | b'\t' | b'\r' | b'\n');
    let are_zeros = |bytes: &[u8]| bytes.iter().all(|&byte| byte == 0);
    let Some(character) = start.get(..width) else { return false };
    let is_little_endian = may_begin(&character[0]) && are_zeros(&character[1..]);
    let is_big_endian = may_begin(&character[width - 1]) && are_zeros(&character[..width - 1]);
    is_little_endian || is_big_endian
}

/// Returns whether the input may be JSON, or text with a byte order mark.
pub(super) fn may_be_text(start: &[u8]) -> bool {
    matches!(start, [] | [b'{' | b'[' | b' ' | b'\t' | b'\r' | b'\n' | 0x1E | 0xEF, ..])
}

/// Formats the first [`SHOWN_BYTES`] of the bytes for a message. Text is in quotes.
pub(super) fn beginning(bytes: &[u8]) -> String {
    shown(&bytes[..bytes.len().min(SHOWN_BYTES)])
}

/// Formats bytes for a message: text in quotes, and other bytes as hexadecimal digits.
fn shown(bytes: &[u8]) -> String {
    if !bytes.is_empty() && bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n')) {
        return format!("`{}`", Shown(&String::from_utf8_lossy(bytes)));
    }
    let hexadecimal: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("the bytes {}", hexadecimal.join(" "))
}

/// A compression format that the reader decompresses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packed {
    Gzip,
    /// Zstandard. The format needs the feature `arrow`.
    #[cfg(feature = "arrow")]
    Zstd,
}

impl Packed {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            #[cfg(feature = "arrow")]
            Self::Zstd => "Zstandard",
        }
    }

    /// Returns the command that decompresses a file of this format.
    pub(crate) fn command(self) -> &'static str {
        match self {
            Self::Gzip => "gzip -d",
            #[cfg(feature = "arrow")]
            Self::Zstd => "zstd -d",
        }
    }

    pub(crate) fn unpack<R: BufRead>(self, reader: R) -> io::Result<Unpacked<R>> {
        Ok(match self {
            Self::Gzip => Unpacked::Gzip(Gunzip::new(reader)),
            #[cfg(feature = "arrow")]
            Self::Zstd => Unpacked::Zstd(zstd::stream::read::Decoder::with_buffer(reader)?),
        })
    }

    /// Returns the error message for decompressed data of the format `inner`, with the remedy. Returns `None` if the data may
    /// be text.
    pub(crate) fn refused(self, inner: &Packing) -> Option<String> {
        match inner {
            Packing::None => None,
            Packing::Other(what) => Some((*what).into()),
            Packing::Packed(inner) => Some(format!(
                "{} inside of {}; unpack it once (`{}`)",
                inner.name(),
                self.name(),
                self.command()
            )),
        }
    }
}

/// A reader of the decompressed contents of another reader.
pub(crate) enum Unpacked<R> {
    Gzip(Gunzip<R>),
    #[cfg(feature = "arrow")]
    Zstd(zstd::stream::read::Decoder<'static, R>),
}

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Gzip(reader) => reader.read(buffer),
            #[cfg(feature = "arrow")]
            Self::Zstd(reader) => reader.read(buffer).map_err(|error| match error.kind() {
                // Changes the kind of the error, because readers of formats treat `UnexpectedEof` as the end of the file.
                io::ErrorKind::UnexpectedEof => {
                    io::Error::other("the Zstandard data is cut short; fetch the file again")
                }
                // The decoder reports its own errors with the kind `Other`.
                io::ErrorKind::Other => io::Error::other(format!(
                    "the Zstandard data is damaged, or other bytes follow it ({error}); fetch the file again"
                )),
                _ => error,
            }),
        }
    }
}

/// Decompresses gzip with any number of members. Error messages name gzip.
///
/// Zeros after the last member are padding, as gzip(1) treats them. Tapes and archives have such padding. Any other
/// bytes after the last member are an error, for which gzip(1) prints a warning.
pub(crate) struct Gunzip<R>(State<R>);

enum State<R> {
    Member(GzDecoder<R>),
    /// The decoder is between two members, or at the end of the input. The reader is `None` only while the state changes.
    After(Option<R>),
}

impl<R: BufRead> Gunzip<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self(State::Member(GzDecoder::new(reader)))
    }

    /// Begins the next member of the gzip data. Returns `false` if there is no further member, and an error if the input cannot be
    /// read or has other bytes after the last member.
    fn next_member(&mut self) -> io::Result<bool> {
        let State::After(slot) = &mut self.0 else { return Ok(true) };
        let Some(reader) = slot else { return Ok(false) };
        match fill(reader)?.first() {
            None => return Ok(false),
            Some(0x1F) => {}
            Some(_) => {
                while fill(reader)?.first() == Some(&0) {
                    let zeros = fill(reader)?.iter().take_while(|&&byte| byte == 0).count();
                    reader.consume(zeros);
                }
                let mut junk = Vec::new();
                reader.take(16).read_to_end(&mut junk)?;
                if junk.is_empty() {
                    return Ok(false);
                }
                let problem = format!(
                    "the gzip data ends, and the bytes after it are not gzip: {}; cut them off, or fetch the file again",
                    shown(&junk)
                );
                return Err(io::Error::other(problem));
            }
        }
        if let Some(reader) = slot.take() {
            self.0 = State::Member(GzDecoder::new(reader));
        }
        Ok(true)
    }
}

impl<R: BufRead> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let State::Member(decoder) = &mut self.0 {
                let count = decoder.read(buffer).map_err(in_words)?;
                if count > 0 || buffer.is_empty() {
                    return Ok(count);
                }
                if let State::Member(decoder) = std::mem::replace(&mut self.0, State::After(None)) {
                    self.0 = State::After(Some(decoder.into_inner()));
                }
            }
            if !self.next_member()? {
                return Ok(0);
            }
        }
    }
}

fn in_words(error: io::Error) -> io::Error {
    match error.kind() {
        // Changes the kind of the error, because readers of formats treat `UnexpectedEof` as the end of the file.
        io::ErrorKind::UnexpectedEof => io::Error::other("the gzip data is cut short; fetch the file again"),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            io::Error::new(error.kind(), format!("the gzip data is damaged ({error}); fetch the file again"))
        }
        _ => error,
    }
}
