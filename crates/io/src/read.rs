//! Reads a file of any format.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::bytes_read::Counted;
use crate::collector::Collector;
use crate::geojson::gzip::{Packed, Packing};
use crate::{
    Error, Features, ReadOptions, Result, delimited, flatgeobuf, foreign, geojson, parts, shapefile,
};

/// A file format of polygons and points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// GeoJSON (RFC 7946), GeoJSON with one feature per line (newline-delimited), or a text sequence (RFC 8142). GeoJSON,
    /// text in columns, WKT, FlatGeobuf and streams of Arrow may be compressed with gzip, and with Zstandard if the crate has the
    /// feature `arrow`.
    GeoJson,
    /// GeoParquet 1.0 and 1.1, Parquet with the type GEOMETRY, and Parquet with a column of WKB or WKT. Needs the feature
    /// `parquet`.
    Parquet,
    /// An Arrow IPC file (Feather 2) with GeoArrow, WKB or WKT. Needs the feature `arrow`.
    Arrow,
    /// An Arrow IPC stream with GeoArrow, WKB or WKT. Needs the feature `arrow`.
    ArrowStream,
    /// A Shapefile: the `.shp` file, with the `.dbf`, `.prj` and `.cpg` files beside it.
    Shapefile,
    /// FlatGeobuf.
    FlatGeobuf,
    /// One layer of a GeoPackage. If there are several layers, [`ReadOptions::geometry`] names the layer. Needs the
    /// feature `geopackage`.
    GeoPackage,
    /// Text in columns that commas or semicolons separate. One column has WKT, or WKB in hexadecimal digits.
    Csv,
    /// Text in columns that tabs separate. One column has WKT, or WKB in hexadecimal digits.
    Tsv,
    /// Text with one geometry on each line: WKT, EWKT, or WKB in hexadecimal digits. A geometry continues on the next line if
    /// that line begins with `(`, `)` or `,`. It also continues after a line that ends with `(` or `,`, unless the next line
    /// begins with a letter. The file has no columns, so the id of a feature is its index.
    Wkt,
}

impl Format {
    /// Returns the name of the format in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::GeoJson => "GeoJSON",
            Self::Parquet => "Parquet",
            Self::Arrow => "Arrow IPC file",
            Self::ArrowStream => "Arrow IPC stream",
            Self::Shapefile => "Shapefile",
            Self::FlatGeobuf => "FlatGeobuf",
            Self::GeoPackage => "GeoPackage",
            Self::Csv => "CSV",
            Self::Tsv => "TSV",
            Self::Wkt => "WKT",
        }
    }
}

/// The number of bytes at the start of a file that are read to identify its format.
const START_BYTES: u64 = 8;

impl Format {
    /// Returns the format of a file: the format that its first bytes identify, or else the format that the name of the file
    /// implies.
    fn of(start: &[u8], path: &Path) -> Self {
        const CONTINUATION: [u8; 4] = [0xFF; 4];
        if start.starts_with(b"PAR1") || start.starts_with(b"PARE") {
            return Self::Parquet;
        }
        if start.starts_with(b"ARROW1") || start.starts_with(b"FEA1") {
            return Self::Arrow;
        }
        if start.starts_with(&CONTINUATION) {
            return Self::ArrowStream;
        }
        if start.starts_with(&shapefile::MAGIC) {
            return Self::Shapefile;
        }
        if start.starts_with(&flatgeobuf::MAGIC) {
            return Self::FlatGeobuf;
        }
        if start.starts_with(b"SQLite f") {
            return Self::GeoPackage;
        }
        let is_packed = |ending: &std::ffi::OsStr| {
            ["gz", "zst", "zstd"].iter().any(|packed| ending.eq_ignore_ascii_case(packed))
        };
        let unzipped = path.extension().is_some_and(is_packed).then(|| path.with_extension(""));
        let path = unzipped.as_deref().unwrap_or(path);
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("parquet" | "geoparquet") => Self::Parquet,
            Some("arrow" | "feather") => Self::Arrow,
            Some("arrows") => Self::ArrowStream,
            Some("shp") => Self::Shapefile,
            Some("fgb") => Self::FlatGeobuf,
            Some("gpkg") => Self::GeoPackage,
            Some("csv") => Self::Csv,
            Some("tsv" | "tab") => Self::Tsv,
            Some("wkt") => Self::Wkt,
            _ => Self::GeoJson,
        }
    }
}

/// Reads a file, or standard input if `path` is `-`.
///
/// If `path` is a folder, its part files are read as one input, in the order of their names. Files and folders whose
/// name begins with `.` or `_` are left out. If no file exists at `path`, and `path` contains `*`, `?` or `[`, the
/// files that match this pattern are read as one input. The format is [`ReadOptions::format`]. If that is `None`, the
/// first bytes of the file or its name determine the format.
///
/// # Errors
/// - [`Error::Read`] if the input cannot be opened, read or decompressed.
/// - [`Error::Syntax`] if GeoJSON is empty, not JSON or not GeoJSON.
/// - [`Error::Format`] if the input does not conform to its format, or if the crate was built without this format.
/// - [`Error::Format`] if the input states different coordinate reference systems, unless [`ReadOptions::ignore_crs`] is set.
/// - [`Error::Format`] if part files differ in their format, their columns or their kind of geometry.
/// - [`Error::NoColumn`] if the column [`ReadOptions::geometry`] or [`ReadOptions::id_property`] of a table does not exist.
/// - [`Error::IdProperty`] if no feature has the property [`ReadOptions::id_property`].
/// - [`Error::Feature`] for the first invalid feature, unless [`ReadOptions::skip_invalid`] is set. The source of this
///   error is [`Error::Malformed`], [`Error::UnsupportedGeometry`], [`Error::MixedGeometries`], or [`Error::Library`]
///   with an error of [`sat2d::PolygonObject::from_polygon`] or with [`sat2d::Error::Point`].
/// - [`Error::Feature`] with the source [`Error::FeatureTooLarge`] for a feature that exceeds the limit on its size.
/// - [`Error::OutOfReadMemory`] if the contents do not fit in memory, and [`Error::Library`] if there are more features
///   than a 32-bit index can address.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Features> {
    let read = |options: &ReadOptions| features_of(path, options);
    // A pipe can be read only once. A pattern is no file.
    let is_pipe = || std::fs::metadata(path).is_ok_and(|input| !input.is_file() && !input.is_dir());
    if path.as_os_str() == "-" || is_pipe() { read(options) } else { of_one_kind(options, read) }
}

/// Calls `read` once, or twice if invalid features are left out and the input begins with a point and has polygons. The second
/// call leaves out the points.
///
/// # Errors
/// Returns the error of `read`.
pub fn of_one_kind(
    options: &ReadOptions,
    read: impl Fn(&ReadOptions) -> Result<Features>,
) -> Result<Features> {
    let features = read(options)?;
    if !options.skip_invalid || features.points.is_empty() || features.other_kind_count == 0 {
        return Ok(features);
    }
    drop(features);
    read(&ReadOptions { only_polygons: true, ..options.clone() })
}

fn features_of(path: &Path, options: &ReadOptions) -> Result<Features> {
    let files = parts::files(path)?;
    if let Some(bytes) = &options.progress {
        let size = |path: &Path| {
            std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|file| file.len())
        };
        let files = files.iter().flatten().map(PathBuf::as_path);
        let own = size(path).filter(|_| path.as_os_str() != "-");
        bytes.expect(own.unwrap_or_else(|| files.filter_map(size).sum()));
    }
    match files {
        Some(files) => read_parts(path, &files, options),
        None => {
            let (collector, format) = one(path, options)?;
            finished(collector, format)
        }
    }
}

/// Returns the error of [`read`] for an input that does not exist or cannot be opened. Reads nothing, so a later call of
/// [`read`] may still find an error.
pub fn check_input(path: &Path) -> Result<()> {
    if path.as_os_str() == "-" {
        return Ok(());
    }
    for file in parts::files(path)?.unwrap_or_else(|| vec![path.into()]) {
        let metadata = std::fs::metadata(&file);
        let metadata = metadata.map_err(|source| Error::Read { path: file.clone(), source })?;
        // Opening a pipe can block, and closing it ends the program that writes to it.
        if metadata.is_file() {
            geojson::open(&file)?;
        }
    }
    Ok(())
}

/// Reads part files, one per thread at a time. Returns the error of the first file that fails, or an error if the files are
/// not alike ([`check_format`], [`Collector::append`]). The error of an invalid feature of an earlier file takes
/// precedence.
fn read_parts(path: &Path, files: &[PathBuf], options: &ReadOptions) -> Result<Features> {
    let mut all = Collector::new(path, options);
    let mut of_first = None;
    for files in files.chunks(rayon::current_num_threads()) {
        let read: Vec<_> = files.par_iter().map(|file| one(file, options)).collect();
        for (file, read) in files.iter().zip(read) {
            let checked = read.and_then(|(collector, format)| {
                check_format(file, format, *of_first.get_or_insert((files[0].as_path(), format)))?;
                all.append(collector)
            });
            match checked {
                Ok(true) => {}
                Ok(false) => return all.finish(),
                // An invalid feature of an earlier part file is reported in preference to this error.
                Err(error) => return all.end(Some(error))?.finish(),
            }
        }
    }
    finished(all, of_first.map_or(Format::GeoJson, |(_, format)| format))
}

/// Returns the total size in bytes of an input whose groups of features have boxes: Parquet, or FlatGeobuf with an index. The
/// input is one file or several part files, of which the first decides. Returns `None` for other formats, and for inputs that
/// are not regular files.
pub fn grouped_bytes(path: &Path) -> Option<u64> {
    let size =
        |path: &Path| std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|file| file.len());
    let files = parts::files(path).ok()?.unwrap_or_else(|| vec![path.into()]);
    let first = files.first()?;
    size(first)?;
    let mut start = [0; 4];
    File::open(first).ok()?.read_exact(&mut start).ok()?;
    let bytes = files.iter().filter_map(|path| size(path)).sum();
    let has_groups = start == *b"PAR1" || flatgeobuf::has_index(BufReader::new(File::open(first).ok()?));
    has_groups.then_some(bytes)
}

/// Returns an error if a part file has another format than the first part file, or if its format cannot be read in part files.
fn check_format(file: &Path, format: Format, (first, expected): (&Path, Format)) -> Result<()> {
    let problem = if format != expected {
        let (found, first, expected) = (format.name(), first.display(), expected.name());
        format!("it is {found}, but {first} is {expected}; part files of one input must be alike")
    } else if matches!(format, Format::Shapefile | Format::GeoPackage) {
        let name = format.name();
        format!("a {name} cannot be a part of an input; name one file")
    } else {
        return Ok(());
    };
    Err(Error::Format { path: file.into(), problem })
}

fn finished(collector: Collector<'_>, format: Format) -> Result<Features> {
    let mut features = collector.finish()?;
    features.source.format = Some(format);
    Ok(features)
}

/// Reads one file into a collector. Also returns the format of the file. Returns an error if the file cannot be read or is not
/// valid.
fn one<'a>(path: &'a Path, options: &'a ReadOptions) -> Result<(Collector<'a>, Format)> {
    let unreadable = |source| Error::Read { path: path.into(), source };
    if path.as_os_str() == "-" {
        return read_once(Counted::new(io::stdin(), options.progress.clone()), path, options);
    }
    let mut file = geojson::open(path)?;
    // A pipe can be read only once.
    if !file.metadata().map_err(unreadable)?.is_file() {
        return read_once(Counted::new(file, options.progress.clone()), path, options);
    }
    let mut start = Vec::new();
    (&mut file).take(START_BYTES).read_to_end(&mut start).map_err(unreadable)?;
    io::Seek::rewind(&mut file).map_err(unreadable)?;
    let format = recognised(&start, path, options)?;
    let stream = |file: File, buffer: usize| {
        BufReader::with_capacity(buffer, Counted::new(file, options.progress.clone()))
    };
    if let Some(packed) = packed(&start, format) {
        return read_packed(packed, format, stream(file, 1 << 20), path, options);
    }
    let features = match format {
        Format::GeoJson => geojson::gather(stream(file, geojson::BUFFER_BYTES), path, options),
        Format::ArrowStream => arrow_stream(stream(file, 1 << 20), path, options),
        Format::Parquet => parquet(file, path, options),
        Format::Arrow => arrow(file, path, options),
        Format::Shapefile => shapefile::read(stream(file, 1 << 20), path, options),
        Format::GeoPackage => geopackage(path, options),
        Format::FlatGeobuf => flatgeobuf::read(stream(file, 1 << 20), path, options),
        format @ (Format::Csv | Format::Tsv) => {
            delimited::read(stream(file, 1 << 16), format == Format::Tsv, path, options)
        }
        Format::Wkt => delimited::geometries::read(stream(file, 1 << 16), path, options),
    };
    Ok((features?, format))
}

/// Returns the format of the options, if they have one. Otherwise, returns the format that the first bytes `start` or the name
/// of the file imply, or [`Error::Format`] if this format cannot be read.
fn recognised(start: &[u8], path: &Path, options: &ReadOptions) -> Result<Format> {
    match (options.format, foreign::problem(start, path)) {
        (Some(format), _) => Ok(format),
        (None, Some(problem)) => Err(Error::Format { path: path.into(), problem: problem.into() }),
        (None, None) => Ok(Format::of(start, path)),
    }
}

/// Returns the compression of a file of a binary format, or `None` if the file is not compressed. Also returns `None`
/// for text formats, because their readers decompress the input themselves.
fn packed(start: &[u8], format: Format) -> Option<Packed> {
    match (Packing::of(start), format) {
        (_, Format::GeoJson | Format::Csv | Format::Tsv | Format::Wkt) => None,
        (Packing::Packed(packed), _) => Some(packed),
        _ => None,
    }
}

/// Reads a compressed file of a format that can be read sequentially. Returns [`Error::Format`] for any other format, and an
/// error if the file cannot be read or is not valid.
fn read_packed<'a>(
    packed: Packed,
    format: Format,
    reader: impl BufRead + Send,
    path: &'a Path,
    options: &'a ReadOptions,
) -> Result<(Collector<'a>, Format)> {
    let unpacked = packed.unpack(reader).map_err(|source| Error::Read { path: path.into(), source })?;
    let reader = BufReader::with_capacity(1 << 20, unpacked);
    let features = match format {
        Format::ArrowStream => arrow_stream(reader, path, options),
        Format::FlatGeobuf => flatgeobuf::read(reader, path, options),
        _ => {
            let (format, packing, command) = (format.name(), packed.name(), packed.command());
            let problem = format!(
                "it is {packing}, and a compressed {format} cannot be read; unpack it first (`{command}`)"
            );
            Err(Error::Format { path: path.into(), problem })
        }
    };
    Ok((features?, format))
}

/// Reads standard input or a pipe, which can be read only once. Returns an error if the input cannot be read, is not valid, or
/// has a format that needs a file.
fn read_once<'a>(
    mut reader: impl Read + Send,
    path: &'a Path,
    options: &'a ReadOptions,
) -> Result<(Collector<'a>, Format)> {
    let unreadable = |source| Error::Read { path: path.into(), source };
    let mut start = Vec::new();
    (&mut reader).take(START_BYTES).read_to_end(&mut start).map_err(unreadable)?;
    let format = recognised(&start, path, options)?;
    let packed = packed(&start, format);
    let mut reader = BufReader::with_capacity(1 << 16, io::Cursor::new(start).chain(reader));
    if let Some(packed) = packed {
        return read_packed(packed, format, reader, path, options);
    }
    let features = match format {
        Format::GeoJson => geojson::gather(reader, path, options),
        Format::ArrowStream => arrow_stream(reader, path, options),
        Format::Shapefile => shapefile::read(reader, path, options),
        Format::FlatGeobuf => flatgeobuf::read(reader, path, options),
        Format::GeoPackage => {
            let problem = "it is a GeoPackage, which cannot be read from a pipe; name a file";
            Err(Error::Format { path: path.into(), problem: problem.into() })
        }
        Format::Csv | Format::Tsv => delimited::read(reader, format == Format::Tsv, path, options),
        Format::Wkt => delimited::geometries::read(reader, path, options),
        Format::Parquet | Format::Arrow => {
            let mut bytes = Vec::new();
            reader.read_to_end(&mut bytes).map_err(unreadable)?;
            in_memory(format, bytes, path, options)
        }
    };
    Ok((features?, format))
}

/// Returns the error for a format that the crate was built without. `feature` is the feature of the crate that the
/// format needs.
#[cfg(not(all(feature = "arrow", feature = "geopackage", feature = "parquet")))]
fn not_built<T>(path: &Path, format: &str, feature: &str) -> Result<T> {
    let problem =
        format!("it is {format}, which this build cannot read; build it with the feature `{feature}`");
    Err(Error::Format { path: path.into(), problem })
}

#[cfg(feature = "parquet")]
fn parquet<'a>(file: File, path: &'a Path, options: &'a ReadOptions) -> Result<Collector<'a>> {
    crate::parquet::read(file, path, options)
}

#[cfg(not(feature = "parquet"))]
fn parquet<'a>(_: File, path: &'a Path, _: &'a ReadOptions) -> Result<Collector<'a>> {
    not_built(path, "Parquet", "parquet")
}

#[cfg(feature = "geopackage")]
fn geopackage<'a>(path: &'a Path, options: &'a ReadOptions) -> Result<Collector<'a>> {
    crate::geopackage::read(path, options)
}

#[cfg(not(feature = "geopackage"))]
fn geopackage<'a>(path: &'a Path, _: &'a ReadOptions) -> Result<Collector<'a>> {
    not_built(path, "a GeoPackage", "geopackage")
}

#[cfg(feature = "arrow")]
fn arrow<'a>(file: File, path: &'a Path, options: &'a ReadOptions) -> Result<Collector<'a>> {
    crate::ipc::read_file(file, path, options)
}

#[cfg(not(feature = "arrow"))]
fn arrow<'a>(_: File, path: &'a Path, _: &'a ReadOptions) -> Result<Collector<'a>> {
    not_built(path, "Arrow IPC", "arrow")
}

#[cfg(feature = "arrow")]
fn arrow_stream<'a>(
    reader: impl BufRead + Send,
    path: &'a Path,
    options: &'a ReadOptions,
) -> Result<Collector<'a>> {
    crate::ipc::read_stream(reader, path, options)
}

#[cfg(not(feature = "arrow"))]
fn arrow_stream<'a>(_: impl BufRead + Send, path: &'a Path, _: &'a ReadOptions) -> Result<Collector<'a>> {
    not_built(path, "Arrow IPC", "arrow")
}

/// Reads an input from memory, for a format whose readers need access to any part of the file. Returns an error if the input is
/// not valid.
#[cfg(feature = "parquet")]
fn in_memory<'a>(
    format: Format,
    bytes: Vec<u8>,
    path: &'a Path,
    options: &'a ReadOptions,
) -> Result<Collector<'a>> {
    match format {
        Format::Parquet => crate::parquet::read_from(bytes::Bytes::from(bytes), path, options),
        _ => crate::ipc::read_from(&crate::ipc::Source::Memory(bytes.into()), path, options),
    }
}

#[cfg(not(feature = "parquet"))]
fn in_memory<'a>(
    format: Format,
    bytes: Vec<u8>,
    path: &'a Path,
    options: &'a ReadOptions,
) -> Result<Collector<'a>> {
    #[cfg(feature = "arrow")]
    if format == Format::Arrow {
        return crate::ipc::read_from(&crate::ipc::Source::Memory(bytes.into()), path, options);
    }
    let _ = (bytes, options);
    match format {
        Format::Parquet => not_built(path, "Parquet", "parquet"),
        _ => not_built(path, "Arrow IPC", "arrow"),
    }
}
