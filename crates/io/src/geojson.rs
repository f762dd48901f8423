//! Reads polygons from GeoJSON (RFC 7946), as planar coordinates.
//!
//! The input is a FeatureCollection, a Feature, a bare Polygon or a bare MultiPolygon. With [`ReadOptions::points`],
//! points are accepted in place of polygons. The input may also be a sequence of these GeoJSON values, as
//! newline-delimited GeoJSON or as a text sequence (RFC 8142). The reader recognises gzip and Zstandard by the first
//! bytes of the input, not by the name, and decompresses the input. Zeros after gzip data are ignored as padding. Any
//! other bytes after the compressed data are an error. The members of an object may come in any order. The reader
//! ignores `bbox` and members that GeoJSON does not define.
//!
//! The member `crs` of a FeatureCollection, which GeoJSON 2008 defines, states the coordinate reference system. The reader
//! ignores the member `crs` of other objects, and a member `crs` that neither names the system nor has its code.

mod collection;
mod encoding;
pub(crate) mod gzip;
mod kept;
mod malformed;
mod nesting;
mod ordinates;
mod parse;
mod position;
pub(crate) mod quick;
mod replay;
mod scan;
mod skip;
mod surrogates;
mod wording;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use rayon::prelude::*;

use crate::bytes_read::Counted;
use crate::chunk::Chunk;
use crate::collector::{Collector, Decoded, Part};
use crate::name::{Name, Naming};
use crate::{Error, Features, ReadOptions, Result};
use collection::Systems;
use gzip::Packing;
use position::{Place, SyntaxError};
use scan::{Batch, Element, Scanner, Stop};

/// The size in bytes of the buffer with which a file is read.
pub(crate) const BUFFER_BYTES: usize = 1 << 16;
/// The size in bytes of a batch of features that are decoded together. A batch of this size is enough work for every thread,
/// and takes little memory compared with the polygons of a big file.
const BATCH_BYTES: usize = 4 << 20;

/// Reads a file, or standard input if `path` is `-`.
///
/// # Errors
/// - [`Error::Read`] if the input cannot be opened, read or decompressed.
/// - [`Error::Syntax`] if the input is empty, not JSON, not GeoJSON, or compressed in another format.
/// - [`Error::Format`] if collections state different reference systems, unless [`ReadOptions::ignore_crs`] is set.
/// - [`Error::IdProperty`] if no feature has the property that names features.
/// - [`Error::Feature`] for the first invalid feature, unless [`ReadOptions::skip_invalid`] is set. The source of this
///   error is [`Error::Malformed`], [`Error::UnsupportedGeometry`], [`Error::MixedGeometries`], or [`Error::Library`]
///   with an error of [`sat2d::PolygonObject::from_polygon`] or with [`sat2d::Error::Point`].
/// - [`Error::Feature`] with the source [`Error::FeatureTooLarge`] for a feature that exceeds the limit on its size.
/// - [`Error::OutOfReadMemory`] if the contents do not fit in memory, and [`Error::Library`] if there are more features
///   than a 32-bit index can address.
///
/// ```
/// use sat2d_io::ReadOptions;
/// use sat2d_io::geojson::read_from;
/// let text = r#"{"type": "Feature", "id": "a", "properties": null, "geometry":
///     {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [0, 1], [0, 0]]]}}"#;
/// let features = read_from(text.as_bytes(), "a.geojson".as_ref(), &ReadOptions::default())?;
/// assert_eq!(features.ids.of(0).to_string(), "a");
/// assert_eq!(features.set.piece_count(), 1);
/// # Ok::<(), sat2d_io::Error>(())
/// ```
pub fn read(path: &Path, options: &ReadOptions) -> Result<Features> {
    if path.as_os_str() == "-" {
        return read_from(BufReader::with_capacity(BUFFER_BYTES, io::stdin()), path, options);
    }
    let file = Counted::new(open(path)?, options.progress.clone());
    gather(BufReader::with_capacity(BUFFER_BYTES, file), path, options)?.finish()
}

/// Opens a file. Returns an error if the path is a directory.
pub(crate) fn open(path: &Path) -> Result<File> {
    let unreadable = |source| Error::Read { path: path.into(), source };
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        let source = io::Error::new(io::ErrorKind::IsADirectory, "it is a directory; name a file in it");
        return Err(unreadable(source));
    }
    Ok(file)
}

/// Reads GeoJSON from `reader`. Errors use `name` as the path of the input.
///
/// # Errors
/// Fails in the same cases as [`read`].
pub fn read_from(reader: impl BufRead + Send, name: &Path, options: &ReadOptions) -> Result<Features> {
    gather(reader, name, options)?.finish()
}

/// Reads all features of the input into a collector, for [`read_from`]. Returns an error if the input cannot be read, is
/// compressed twice, is not GeoJSON, or does not fit in memory. [`Collector::finish`] returns an error in the text.
pub(crate) fn gather<'a>(
    mut reader: impl BufRead + Send,
    name: &'a Path,
    options: &'a ReadOptions,
) -> Result<Collector<'a>> {
    let unreadable = |source| Error::Read { path: name.into(), source };
    let start = peek(&mut reader).map_err(unreadable)?;
    match Packing::of(&start) {
        Packing::Packed(packed) => {
            let unpacked = packed.unpack(Cursor::new(start).chain(reader)).map_err(unreadable)?;
            let mut reader = BufReader::with_capacity(BUFFER_BYTES, unpacked);
            let start = peek(&mut reader).map_err(unreadable)?;
            let Some(what) = packed.refused(&Packing::of(&start)) else {
                return read_text(start, reader, name, options);
            };
            Err(SyntaxError::new(Place::START, format!("the unpacked data is {what}")).in_file(name))
        }
        Packing::Other(what) => Err(SyntaxError::new(Place::START, format!("this is {what}")).in_file(name)),
        Packing::None => {
            let is_named_gzip =
                name.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
            if is_named_gzip && !gzip::may_be_text(&start) {
                let found = gzip::beginning(&start);
                let problem = format!(
                    "it is named .gz, but is neither gzip nor GeoJSON: it begins with {found}; fetch the file again"
                );
                return Err(unreadable(io::Error::new(io::ErrorKind::InvalidData, problem)));
            }
            read_text(start, reader, name, options)
        }
    }
}

/// Returns the first [`gzip::START_BYTES`] bytes of the input, or fewer if the input is shorter. Returns the error of the reader.
pub(crate) fn peek(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    reader.take(gzip::START_BYTES).read_to_end(&mut start)?;
    Ok(start)
}

fn read_text<'a>(
    mut start: Vec<u8>,
    reader: impl BufRead + Send,
    name: &'a Path,
    options: &'a ReadOptions,
) -> Result<Collector<'a>> {
    if start.starts_with(&[0xEF, 0xBB, 0xBF]) {
        start.drain(..3);
    }
    let mut scanner = Scanner::new(Cursor::new(start).chain(reader), options);
    let mut collector = Collector::new(name, options);
    let mut batch = scanner.next_batch(BATCH_BYTES);
    loop {
        let end = batch.end.take();
        let (parts, next) = if end.is_some() {
            (decode_all(&batch, options, collector.naming()), None)
        } else {
            // Decodes this batch while another thread reads the next one.
            let (parts, next) = rayon::join(
                || decode_all(&batch, options, collector.naming()),
                || scanner.next_batch(BATCH_BYTES),
            );
            (parts, Some(next))
        };
        for (part, error) in parts {
            collector.add(part)?;
            if let Some(error) = error {
                return collector.end(Some(error.in_file(name)));
            }
            if collector.has_failed() {
                return collector.end(None);
            }
        }
        match (end, next) {
            (Some(Err(stop)), _) => {
                let error = stop.in_file(name, collector.count(), options);
                return collector.end(Some(error));
            }
            (None, Some(next)) => batch = next,
            _ => break,
        }
    }
    let Systems { first, other } = scanner.into_systems();
    let problem = collector.state(first, other).err();
    collector.end(problem)
}

impl Stop {
    fn in_file(self, name: &Path, feature: usize, options: &ReadOptions) -> Error {
        match self {
            Self::Read(source) => Error::Read { path: name.into(), source },
            Self::Syntax(error) => error.in_file(name),
            Self::OutOfMemory(needed_bytes) => Error::OutOfReadMemory { path: name.into(), needed_bytes },
            Self::TooLarge => {
                let source = Box::new(Error::FeatureTooLarge { limit_bytes: options.max_feature_bytes });
                Error::Feature { path: name.into(), line: None, feature, id: None, source }
            }
        }
    }
}

/// The number of features that one task decodes. Such a task is long enough to be worth its start, and short enough to keep all
/// threads busy.
const ELEMENTS: usize = 256;

/// Returns the features of a batch in parts, in the order of the input. If all elements of a part are features, the
/// part comes with `None`. Otherwise, the part ends before the first element that is not a feature, and comes with the
/// error of this element.
fn decode_all(batch: &Batch, options: &ReadOptions, naming: Naming<'_>) -> Vec<(Part, Option<SyntaxError>)> {
    batch.elements.par_chunks(ELEMENTS).map(|elements| decode(batch, elements, options, naming)).collect()
}

fn decode(
    batch: &Batch,
    elements: &[Element],
    options: &ReadOptions,
    naming: Naming<'_>,
) -> (Part, Option<SyntaxError>) {
    let mut part = Part::new(options);
    for element in elements {
        let bytes = &batch.bytes[element.range.clone()];
        if let Some(flaw) = &element.flaw {
            let added = part.add(|chunk, _| Ok::<_, SyntaxError>(truncated(flaw, naming, chunk)));
            if let Err(error) = added {
                return (part, Some(error));
            }
            continue;
        }
        let added =
            part.add(|chunk, points| quick::decode(bytes, element, naming, options.points, chunk, points));
        if let Err(error) = added {
            return (part, Some(error));
        }
    }
    (part, None)
}

/// Returns the result of decoding a truncated record. `flaw` is the error message.
fn truncated(flaw: &str, naming: Naming<'_>, chunk: &mut Chunk) -> Decoded {
    chunk.end_feature();
    let name = Name::default();
    let counts = quick::counts_of(&name, naming);
    Decoded { name, counts, srid: 0, points: Err(Error::Malformed { problem: flaw.into() }) }
}
