//! `sat2d explain`: every axis of one pair, as a table, as JSON and as a picture.

mod drawing;
mod layout;
mod report;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::Outcome;
use super::input::{InputArguments, Side};
use super::outputs::{ending, identity};
use super::progress::Bar;
use super::terminal::escape;
use crate::error::{Error, Result};
use crate::explain::ObjectExplanation;
use crate::io::{Id, Output};

const EXAMPLES: &str = "\
Examples:
  sat2d explain data/us-counties.geojson.gz --skip-invalid --pair 51730 51570
  sat2d explain parcels.geojson floods.geojson --id parcel_no --pair 117 index:3 --svg pair.svg
  sat2d explain tiles.geojson --pair a b --format json | jq '.axes[.deciding_axis]'";

/// Explain one pair of polygons: every axis, the shadows of both on it, and the verdict.
///
/// Writes a row an axis, in the order of A's edges, then B's; parallel edges share an axis. A shadow is the interval that
/// a polygon covers on the axis; where two shadows have no point in common, the axis separates the polygons. Of polygons
/// with several convex pieces, the pair of pieces that decides is explained, and named. The verdict is exact; figures are
/// rounded.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// The two polygons, by id as `join` prints it; or by place in the file, from 0, as `index:3`, or `3` where that is no id.
    /// With two files, the first is of file A and the second of file B.
    #[arg(long, num_args = 2, value_names = ["A", "B"], required = true, allow_hyphen_values = true)]
    pair: Vec<String>,
    /// Write to FILE, whole or not at all (gzipped where it ends in .gz), instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How to write it [default: json where the output FILE ends in .json, svg where it ends in .svg, else table].
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Draw it to FILE, as SVG, too: the polygons, the axes beside them, and the shadows on these.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A row an axis, to be read.
    Table,
    /// One JSON object, with every figure as it is.
    Json,
    /// The picture.
    Svg,
}

impl Format {
    /// What the name of a file says, `.gz` aside.
    fn of(path: &Path) -> Self {
        match ending(path).as_str() {
            "json" => Self::Json,
            "svg" => Self::Svg,
            _ => Self::Table,
        }
    }
}

/// An explanation, and what its polygons are called.
struct Explained {
    ids: [Id; 2],
    found: ObjectExplanation,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let bar = Bar::new();
    arguments.input.prepare()?;
    check_names(arguments)?;
    let output = Output::create(arguments.output.as_deref())?;
    let picture = arguments.svg.as_deref().map(|path| Output::create(Some(path))).transpose()?;
    let (a, b) = arguments.input.read(false, &bar)?;
    let b = b.as_ref().unwrap_or(&a);
    let (name_a, name_b) = (&arguments.pair[0], &arguments.pair[1]);
    let (i, j) = (find(&a, name_a)?, find(b, name_b)?);
    let ids = [(&a, i), (b, j)].map(|(side, index)| side.features.ids[index].clone());
    let explained = Explained { ids, found: ObjectExplanation::new(&a.set, i, &b.set, j)? };
    drop(bar);
    if let Some(picture) = picture {
        put(picture, &drawing::svg(&explained))?.commit()?;
    }
    let of_name = || arguments.output.as_deref().map_or(Format::Table, Format::of);
    let text = match arguments.format.unwrap_or_else(of_name) {
        Format::Table => report::table(&explained).iter().map(|line| escape(line) + "\n").collect(),
        Format::Json => report::json(&explained)?,
        Format::Svg => drawing::svg(&explained),
    };
    match put(output, &text).and_then(Output::commit) {
        Err(error) if !error.is_broken_pipe() => Err(error),
        _ => Ok(Outcome::Answered),
    }
}

fn put(mut output: Output, text: &str) -> Result<Output> {
    let written = output.write_all(text.as_bytes());
    written.map_err(|source| Error::Write { path: output.name().into(), source })?;
    Ok(output)
}

/// Refuses an output that would replace the other, or an input.
fn check_names(arguments: &Arguments) -> Result<()> {
    let is_stream = |path: &&Path| path.as_os_str() == "-";
    let inputs = [Some(arguments.input.a.as_path()), arguments.input.b.as_deref()].into_iter().flatten();
    let mut taken: Vec<PathBuf> = inputs.filter(|path| !is_stream(path)).filter_map(identity).collect();
    let output = arguments.output.as_deref().unwrap_or(Path::new("-"));
    for (option, path) in [("--output", Some(output)), ("--svg", arguments.svg.as_deref())] {
        let Some((path, identity)) = path.and_then(|path| Some((path, identity(path)?))) else { continue };
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

/// The feature that a name means: by its id, else by its place.
fn find(side: &Side, name: &str) -> Result<usize> {
    let refused = |problem| Err(Error::Option { option: "--pair", value: name.into(), problem });
    let ids = &side.features.ids;
    let is_skipped = |index| side.features.skipped.iter().any(|skipped| skipped.feature == index);
    let found = |index| {
        if is_skipped(index) {
            return refused("is a feature that was skipped as invalid, as was said before; name another");
        }
        Ok(index)
    };
    let mut named = (0..ids.len()).filter(|&i| ids[i].to_string() == name);
    match (named.next(), named.next()) {
        (Some(index), None) => return found(index),
        (Some(_), Some(_)) => {
            return refused("is the id of several features; name one by its place in the file, as index:3");
        }
        (None, _) => {}
    }
    match name.strip_prefix("index:").unwrap_or(name).parse::<usize>() {
        Ok(index) if index < ids.len() => found(index),
        Ok(_) => refused("is neither the id of a feature nor a place in the file, which has fewer features"),
        Err(_) => {
            refused("is the id of no feature; `sat2d join` prints the ids, and index:0 is the first feature")
        }
    }
}
