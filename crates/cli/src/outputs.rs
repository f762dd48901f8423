//! The output files of a join. All files are opened before the join runs, so a wrong file name is reported immediately.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::input::InputArguments;
use crate::error::{Error, Result};
#[cfg(feature = "parquet")]
use sat2d_io::ParquetPairWriter;
use sat2d_io::internal::{TakenFiles, count_row};
#[cfg(feature = "arrow")]
use sat2d_io::{ArrowFormat, ArrowPairWriter};
use sat2d_io::{Column, CsvWriter, GeoJsonPairWriter, Ids, JsonLinesWriter, Output, PairRow};

/// The message for an output whose name has an unknown ending, with the remedy.
const UNKNOWN_ENDING: &str = if cfg!(feature = "parquet") {
    "has no known ending; end it in .csv, .jsonl, .geojson, .parquet or .arrow, or give --format"
} else if cfg!(feature = "arrow") {
    "has no known ending; end it in .csv, .jsonl, .geojson or .arrow, or give --format"
} else {
    "has no known ending; end it in .csv, .jsonl or .geojson, or give --format"
};

/// The outputs of a join and their formats.
#[derive(Args, Debug)]
pub(super) struct OutputArguments {
    /// Write to FILE instead of standard output, but only if the run succeeds. The output is gzipped if FILE ends in .gz.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the pairs [default: determined by the ending of the output FILE: .jsonl or .ndjson, .geojson, .parquet, .arrow,
    /// .feather or .arrows, .csv or .txt; csv without a FILE or an ending].
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write counts and the seconds of each stage to FILE, as JSON. `sat2d schema stats` prints the meaning of each field.
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// Write an SVG picture of the polygons and the found pairs to FILE. The picture is suitable for a few thousand polygons.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A header, then one row per pair: `a,b,relation` and the requested columns.
    Csv,
    /// One JSON object per line.
    Jsonl,
    /// A FeatureCollection for a map viewer: the contact points of each pair or, if the pair is apart (`--within`,
    /// `--nearest`), the line between its closest points. The properties are the columns of csv. Viewers interpret coordinates
    /// as longitude and latitude.
    Geojson,
    /// A Parquet file for data frames and databases, with the columns of csv. Ids are integers, or text if any id of their file
    /// is not a 64-bit integer.
    #[cfg(feature = "parquet")]
    Parquet,
    /// An Arrow IPC file (Feather), or a stream if FILE ends in .arrows, with the columns of parquet.
    #[cfg(feature = "arrow")]
    Arrow,
}

impl Format {
    /// Returns the format for the ending of a file name, or `None` for an unknown ending.
    fn of(path: &Path) -> Option<Self> {
        match ending(path).as_str() {
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "geojson" => Some(Self::Geojson),
            "" | "csv" | "txt" => Some(Self::Csv),
            #[cfg(feature = "parquet")]
            "parquet" => Some(Self::Parquet),
            #[cfg(feature = "arrow")]
            "arrow" | "feather" | "arrows" => Some(Self::Arrow),
            _ => None,
        }
    }

    /// Returns the name of the format as a value of `--format`.
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    fn is_binary(self) -> bool {
        match self {
            Self::Csv | Self::Jsonl | Self::Geojson => false,
            #[cfg(feature = "parquet")]
            Self::Parquet => true,
            #[cfg(feature = "arrow")]
            Self::Arrow => true,
        }
    }
}

/// Returns whether an output with the name `path` is compressed with gzip.
fn is_gzipped(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"))
}

/// Returns the ending of a file name after its last dot, without `.gz`, in lower case.
pub(super) fn ending(path: &Path) -> String {
    let of = |path: &Path| path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let last = of(path).unwrap_or_default();
    if last == "gz" { of(&path.with_extension("")).unwrap_or_default() } else { last }
}

/// Returns an error if the ending of an output's name is not one of `endings`. A name without an ending is accepted.
pub(super) fn check_ending(
    option: &'static str,
    path: Option<&Path>,
    endings: &[&str],
    problem: &'static str,
) -> Result<()> {
    match path {
        Some(path) if ![&[""], endings].concat().contains(&ending(path).as_str()) => {
            Err(Error::Option { option, value: path.display().to_string(), problem })
        }
        _ => Ok(()),
    }
}

/// Returns an error if the name of a picture has an ending other than `.svg`. A name without an ending is accepted.
pub(super) fn check_ending_of_svg(path: Option<&Path>) -> Result<()> {
    check_ending("--svg", path, &["svg"], "does not name an SVG picture; end it in .svg")
}

/// The open outputs of a join.
#[derive(Debug)]
pub(super) struct Outputs {
    pub(super) pairs: Output,
    pub(super) statistics: Option<Output>,
    pub(super) picture: Option<Output>,
}

impl OutputArguments {
    pub(super) fn open(&self, input: &InputArguments) -> Result<Outputs> {
        self.check_ending()?;
        self.check_names(input)?;
        check_ending(
            "--stats",
            self.stats.as_deref(),
            &["json", "txt"],
            "names another format, but statistics are JSON; end it in .json",
        )?;
        check_ending_of_svg(self.svg.as_deref())?;
        let pairs = Output::create(self.output.as_deref())?;
        if self.format().is_binary() && pairs.is_terminal() {
            return Err(Error::Option {
                option: "--format",
                value: self.format().name(),
                problem: "is binary, but the output is a terminal; name a file with -o, or redirect the output",
            });
        }
        let open = |path: &Option<PathBuf>| path.as_deref().map(|p| Output::create(Some(p))).transpose();
        Ok(Outputs { pairs, statistics: open(&self.stats)?, picture: open(&self.svg)? })
    }

    /// Returns an error if `--count` was given and the format can only hold pairs.
    pub(super) fn check_counts(&self, has_counts: bool) -> Result<()> {
        if has_counts && self.format() == Format::Geojson {
            let problem =
                "has the places of pairs, but --count writes no pairs; use csv, jsonl, parquet or arrow";
            return Err(Error::Option { option: "--format", value: self.format().name(), problem });
        }
        Ok(())
    }

    /// Returns an error if an output would replace an input or another output.
    fn check_names(&self, input: &InputArguments) -> Result<()> {
        let pairs = self.output.as_deref().unwrap_or(Path::new("-"));
        let outputs =
            [("--output", Some(pairs)), ("--stats", self.stats.as_deref()), ("--svg", self.svg.as_deref())];
        check_names(input, &outputs)
    }

    /// Returns whether the pairs go to a terminal, where a progress line would disturb them.
    pub(super) fn is_terminal(&self) -> bool {
        use std::io::IsTerminal;
        self.output.as_deref().is_none_or(|path| path.as_os_str() == "-") && std::io::stdout().is_terminal()
    }

    /// Returns whether `--svg` draws a picture of all polygons.
    pub(super) fn draws(&self) -> bool {
        self.svg.is_some()
    }

    /// Returns whether the format of the pairs needs the positions at which pairs touch.
    pub(super) fn has_places(&self) -> bool {
        self.format() == Format::Geojson
    }

    /// Returns the requested format, or the format for the ending of the output's name. Returns CSV if neither determines a format.
    fn format(&self) -> Format {
        let of_name = || self.output.as_deref().and_then(Format::of);
        self.format.or_else(of_name).unwrap_or(Format::Csv)
    }

    #[cfg(feature = "arrow")]
    fn arrow_format(&self) -> ArrowFormat {
        let is_stream = self.output.as_deref().is_some_and(|path| ending(path) == "arrows");
        if is_stream { ArrowFormat::Stream } else { ArrowFormat::File }
    }

    /// Returns an error if the name has an unknown ending, or a `.gz` ending although the format is not gzipped.
    fn check_ending(&self) -> Result<()> {
        match &self.output {
            Some(path) if self.format.is_none() && Format::of(path).is_none() => Err(Error::Option {
                option: "--output",
                value: path.display().to_string(),
                problem: UNKNOWN_ENDING,
            }),
            Some(path) if self.format().is_binary() && is_gzipped(path) => Err(Error::Option {
                option: "--output",
                value: path.display().to_string(),
                problem: "is compressed with gzip, but Parquet and Arrow files are not; leave out .gz",
            }),
            _ => Ok(()),
        }
    }

    /// Writes the number of pairs of each feature of A, like [`OutputArguments::write_pairs`].
    pub(super) fn write_counts(
        &self,
        output: Output,
        ids: [&Ids; 2],
        counts: &[usize],
    ) -> Result<Option<Output>> {
        let row = |k: usize| count_row(ids[0].of(k), counts[k]);
        self.write_pairs(output, &[Column::Count], &Rows { ids, count: counts.len(), row: &row })
    }

    /// Writes the pairs completely, but does not move them to their target yet. Returns `None` if the reader closed the output, and
    /// an error if the output cannot be written for another reason.
    pub(super) fn write_pairs(
        &self,
        output: Output,
        columns: &[Column],
        rows: &Rows<'_, '_>,
    ) -> Result<Option<Output>> {
        let written = match self.format() {
            Format::Csv => csv(output, columns, rows),
            Format::Jsonl => json_lines(output, columns, rows),
            Format::Geojson => geojson(output, columns, rows),
            #[cfg(feature = "parquet")]
            Format::Parquet => parquet(output, columns, rows),
            #[cfg(feature = "arrow")]
            Format::Arrow => arrow(output, self.arrow_format(), columns, rows),
        };
        match written.and_then(|mut output| {
            output.complete()?;
            Ok(output)
        }) {
            Ok(output) => Ok(Some(output)),
            Err(error) if error.is_broken_pipe() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The rows to write: their number, a function that returns each row, and the ids that the rows may have.
pub(super) struct Rows<'f, 'r> {
    /// The ids of all features of A and of B.
    #[cfg_attr(not(feature = "arrow"), expect(dead_code, reason = "text needs no type of a column"))]
    pub(super) ids: [&'r Ids; 2],
    pub(super) count: usize,
    /// The function that returns the row with a given index. Any thread may call it.
    pub(super) row: &'f (dyn Fn(usize) -> PairRow<'r> + Sync),
}

fn csv(output: Output, columns: &[Column], rows: &Rows<'_, '_>) -> Result<Output> {
    let mut writer = CsvWriter::new(output, columns)?;
    writer.write_rows(rows.count, rows.row)?;
    Ok(writer.into_output())
}

fn json_lines(output: Output, columns: &[Column], rows: &Rows<'_, '_>) -> Result<Output> {
    let mut writer = JsonLinesWriter::new(output, columns);
    writer.write_rows(rows.count, rows.row)?;
    Ok(writer.into_output())
}

fn geojson(output: Output, columns: &[Column], rows: &Rows<'_, '_>) -> Result<Output> {
    let mut writer = GeoJsonPairWriter::new(output, columns)?;
    writer.write_rows(rows.count, rows.row)?;
    Ok(writer.into_output()?)
}

#[cfg(feature = "parquet")]
fn parquet(output: Output, columns: &[Column], rows: &Rows<'_, '_>) -> Result<Output> {
    let mut writer = ParquetPairWriter::new(output, rows.ids, columns)?;
    writer.write_rows(rows.count, rows.row)?;
    Ok(writer.into_output()?)
}

#[cfg(feature = "arrow")]
fn arrow(output: Output, format: ArrowFormat, columns: &[Column], rows: &Rows<'_, '_>) -> Result<Output> {
    let mut writer = ArrowPairWriter::new(output, format, rows.ids, columns)?;
    writer.write_rows(rows.count, rows.row)?;
    Ok(writer.into_output()?)
}

/// The output of a command that writes a text.
#[derive(Args, Debug)]
pub(super) struct TextOutput {
    /// Write to FILE instead of standard output, but only if the run succeeds. The output is gzipped if FILE ends in .gz.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl TextOutput {
    pub(super) fn path(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// Returns the name for error messages. The name `-` is standard output.
    pub(super) fn name(&self) -> &Path {
        self.path().unwrap_or(Path::new("-"))
    }

    pub(super) fn write(&self, text: &[u8]) -> Result<()> {
        write_whole(Output::create(self.path())?, text)
    }
}

/// Writes the whole text, and commits the output. After an error, the target keeps its old contents.
pub(super) fn write_whole(mut output: Output, text: &[u8]) -> Result<()> {
    let written = output.write_all(text);
    written.map_err(|source| Error::write(output.name(), source))?;
    Ok(output.commit()?)
}

/// Returns an error if an output would replace an input or an earlier output in the list. Also returns an error if a
/// later run would read the output as a part of an input. `outputs` has, for each output, the name of its option and
/// its path.
pub(super) fn check_names(input: &InputArguments, outputs: &[(&'static str, Option<&Path>)]) -> Result<()> {
    let mut files =
        TakenFiles::of_inputs([Some(input.a.as_path()), input.b.as_deref()].into_iter().flatten());
    for &(option, path) in outputs {
        if let Some(path) = path
            && !files.take(path)
        {
            return Err(Error::Option {
                option,
                value: path.display().to_string(),
                problem: "is an input or another output of this run, or matches a pattern of inputs; name another file",
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_says_its_format() {
        for (name, format) in [
            ("pairs.csv", Some(Format::Csv)),
            ("pairs.JSONL", Some(Format::Jsonl)),
            ("pairs.ndjson.gz", Some(Format::Jsonl)),
            ("pairs.csv.gz", Some(Format::Csv)),
            ("pairs.geojson", Some(Format::Geojson)),
            ("pairs.GeoJSON.gz", Some(Format::Geojson)),
            ("pairs.xlsx", None),
            ("pairs.json.gz", None),
            #[cfg(feature = "parquet")]
            ("pairs.parquet", Some(Format::Parquet)),
            #[cfg(feature = "arrow")]
            ("pairs.Arrow", Some(Format::Arrow)),
            #[cfg(feature = "arrow")]
            ("pairs.feather", Some(Format::Arrow)),
            #[cfg(feature = "arrow")]
            ("pairs.arrows", Some(Format::Arrow)),
            ("jsonl", Some(Format::Csv)),
            ("/dev/stdout", Some(Format::Csv)),
            ("-", Some(Format::Csv)),
        ] {
            assert_eq!(Format::of(Path::new(name)), format, "{name}");
        }
    }
}
