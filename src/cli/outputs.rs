//! The files that a join writes, all open before its work begins: a mistake in a name costs no time.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::input::{InputArguments, Side};
use crate::containment::Containment;
use crate::error::{Error, Result};
use crate::io::{CsvWriter, Id, JsonLinesWriter, Output, follow_links};
use crate::points::PointPair;
use crate::results::{Join, ObjectPair};

/// Where a join writes, and how.
#[derive(Args, Debug)]
pub(super) struct OutputArguments {
    /// Write to FILE, whole or not at all (gzipped where it ends in .gz), instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How to write pairs [default: jsonl where the output FILE ends in .jsonl or .ndjson, else csv].
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write counts and seconds by stage to FILE, as JSON.
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// Draw the polygons and the pairs found to FILE, as SVG; for a few thousand polygons.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// `a,b,relation`, with a header; with `--contains`, `containment` after them.
    Csv,
    /// A JSON object a line.
    Jsonl,
}

impl Format {
    /// What the name of a file says, `.gz` aside.
    fn of(path: &Path) -> Self {
        let is = |path: &Path, ending: &str| {
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending))
        };
        let plain = if is(path, "gz") { path.with_extension("") } else { path.into() };
        if is(&plain, "jsonl") || is(&plain, "ndjson") { Self::Jsonl } else { Self::Csv }
    }
}

/// The outputs of a join, open.
#[derive(Debug)]
pub(super) struct Outputs {
    pub(super) pairs: Output,
    pub(super) statistics: Option<Output>,
    pub(super) picture: Option<Output>,
}

impl OutputArguments {
    pub(super) fn open(&self, input: &InputArguments) -> Result<Outputs> {
        self.check_names(input)?;
        let open = |path: &Option<PathBuf>| path.as_deref().map(|p| Output::create(Some(p))).transpose();
        Ok(Outputs {
            pairs: Output::create(self.output.as_deref())?,
            statistics: open(&self.stats)?,
            picture: open(&self.svg)?,
        })
    }

    /// Refuses an output that would replace another, or an input.
    fn check_names(&self, input: &InputArguments) -> Result<()> {
        let is_stream = |path: &&Path| path.as_os_str() == "-";
        let inputs = [Some(input.a.as_path()), input.b.as_deref()].into_iter().flatten();
        let mut taken: Vec<PathBuf> = inputs.filter(|path| !is_stream(path)).filter_map(identity).collect();
        let pairs = self.output.as_deref().unwrap_or(Path::new("-"));
        let outputs =
            [("--output", Some(pairs)), ("--stats", self.stats.as_deref()), ("--svg", self.svg.as_deref())];
        for (option, path) in outputs {
            let Some((path, identity)) = path.and_then(|path| Some((path, identity(path)?))) else {
                continue;
            };
            if taken.contains(&identity) {
                return Err(Error::Option {
                    option,
                    value: path.display().to_string(),
                    problem: "is an input or another output of this run; name another file",
                });
            }
            taken.push(identity);
        }
        Ok(())
    }

    /// Whether pairs go to a terminal, where a line of progress would be in their way.
    pub(super) fn is_terminal(&self) -> bool {
        use std::io::IsTerminal;
        self.output.as_deref().is_none_or(|path| path.as_os_str() == "-") && std::io::stdout().is_terminal()
    }

    /// Writes the pairs. The output is complete, but not in its place; none where its reader has closed it, which is
    /// no error, for it has seen enough.
    pub(super) fn write_pairs(
        &self,
        output: Output,
        a: &Side,
        b: Option<&Side>,
        join: &Join,
        containments: Option<&[Containment]>,
    ) -> Result<Option<Output>> {
        let ids = (&a.features.ids[..], &b.unwrap_or(a).features.ids[..]);
        let format = self.format.unwrap_or_else(|| Format::of(output.name()));
        completed(match format {
            Format::Csv => csv(output, ids, &join.pairs, containments),
            Format::Jsonl => json_lines(output, ids, &join.pairs, containments),
        })
    }

    /// As [`OutputArguments::write_pairs`], of points.
    pub(super) fn write_points(
        &self,
        output: Output,
        (ids_a, ids_b): (&[Id], &[Id]),
        pairs: &[PointPair],
    ) -> Result<Option<Output>> {
        let rows = pairs
            .iter()
            .map(|pair| (&ids_a[pair.point as usize], &ids_b[pair.object as usize], pair.relation));
        completed(match self.format.unwrap_or_else(|| Format::of(output.name())) {
            Format::Csv => CsvWriter::new(output).and_then(|mut writer| {
                rows.into_iter().try_for_each(|(a, b, relation)| writer.write_point(a, b, relation))?;
                writer.into_output()
            }),
            Format::Jsonl => {
                let mut writer = JsonLinesWriter::new(output);
                let written =
                    rows.into_iter().try_for_each(|(a, b, relation)| writer.write_point(a, b, relation));
                written.map(|()| writer.into_output())
            }
        })
    }
}

/// The output with all that was written to it; none where its reader has closed it.
fn completed(written: Result<Output>) -> Result<Option<Output>> {
    match written.and_then(|mut output| output.complete().map(|()| output)) {
        Ok(output) => Ok(Some(output)),
        Err(error) if error.is_broken_pipe() => Ok(None),
        Err(error) => Err(error),
    }
}

type Ids<'a> = (&'a [Id], &'a [Id]);

/// With the containment of each pair, where these are given.
fn csv(
    output: Output,
    (ids_a, ids_b): Ids<'_>,
    pairs: &[ObjectPair],
    containments: Option<&[Containment]>,
) -> Result<Output> {
    let ids = |pair: &ObjectPair| (&ids_a[pair.a as usize], &ids_b[pair.b as usize]);
    let Some(containments) = containments else {
        let mut writer = CsvWriter::new(output)?;
        for pair in pairs {
            let (a, b) = ids(pair);
            writer.write(a, b, pair.relation)?;
        }
        return writer.into_output();
    };
    let mut writer = CsvWriter::with_containment(output)?;
    for (pair, &containment) in pairs.iter().zip(containments) {
        let (a, b) = ids(pair);
        writer.write_containment(a, b, pair.relation, containment)?;
    }
    writer.into_output()
}

/// As [`csv`].
fn json_lines(
    output: Output,
    (ids_a, ids_b): Ids<'_>,
    pairs: &[ObjectPair],
    containments: Option<&[Containment]>,
) -> Result<Output> {
    let mut writer = JsonLinesWriter::new(output);
    for (k, pair) in pairs.iter().enumerate() {
        let (a, b) = (&ids_a[pair.a as usize], &ids_b[pair.b as usize]);
        match containments {
            None => writer.write(a, b, pair.relation)?,
            Some(containments) => writer.write_containment(a, b, pair.relation, containments[k])?,
        }
    }
    Ok(writer.into_output())
}

/// What two names of one regular file, there or yet to be made, have in common; none for a device or a pipe, to which
/// any number may write.
pub(super) fn identity(path: &Path) -> Option<PathBuf> {
    if path.as_os_str() == "-" {
        return Some(path.into());
    }
    match fs::metadata(path) {
        Ok(metadata) => metadata.is_file().then(|| fs::canonicalize(path).ok())?,
        Err(_) => {
            let path = follow_links(path).ok()?;
            let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
            Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_says_its_format() {
        for (name, format) in [
            ("pairs.csv", Format::Csv),
            ("pairs.JSONL", Format::Jsonl),
            ("pairs.ndjson.gz", Format::Jsonl),
            ("pairs.csv.gz", Format::Csv),
            ("jsonl", Format::Csv),
            ("-", Format::Csv),
        ] {
            assert_eq!(Format::of(Path::new(name)), format, "{name}");
        }
    }
}
