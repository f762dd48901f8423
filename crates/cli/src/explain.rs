//! `sat2d explain`: shows every axis of one pair, as a table, as JSON or as a picture.

mod json;
mod point;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::Outcome;
use super::input::{InputArguments, Side};
use super::outputs::{check_ending_of_svg, check_names, ending};
use super::progress::Bar;
use crate::error::{Error, Result};
use sat2d::internal::escaped;
use sat2d_explain::Explained;
use sat2d_io::internal::escaped_json;
use sat2d_io::{Id, Output};

const EXAMPLES: &str = "\
Examples:
  sat2d explain data/us-counties.geojson.gz --skip-invalid --pair 51730 51570
  sat2d explain parcels.geojson floods.geojson --id parcel_no --pair 117 index:3 --svg pair.svg
  sat2d explain tiles.geojson --pair a b --format json | jq '.axes[.deciding_axis]'";

/// Explain one pair of polygons: every axis, the projections of both polygons onto it, and the verdict.
///
/// Prints one row for each axis: first the axes of A's edges, then the axes of B's edges. Parallel edges share an axis. A
/// projection is the interval that a polygon covers on the axis. If the two projections have no common point, the axis
/// separates the polygons. If a polygon has several convex pieces, the output explains the two pieces that decide the relation.
/// If such polygons overlap, the verdict also gives a translation that separates them, if one was found. The relation is exact.
/// The numbers are rounded.
///
/// If B is given, A may be a file of points. In this case, the command explains a point and a polygon, as a table or JSON. Of
/// a MultiPoint, it explains the point that decides the relation.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// The ids of the two polygons, as `join` prints them, or their indices in the file, from 0, such as `index:3`. `3` is also
    /// an index if no feature has this id. With two files, the first polygon is in file A and the second in file B.
    #[arg(long, num_args = 2, value_names = ["A", "B"], required = true, allow_hyphen_values = true)]
    pair: Vec<String>,
    /// Write to FILE instead of standard output, but only if the run succeeds. The output is gzipped if FILE ends in .gz.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the output [default: by the ending of the output FILE: .json, .svg, or table for .txt or no ending].
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Also write an SVG picture to FILE. It shows the polygons, the axes beside them, and the projections onto the axes.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table with one row per axis.
    Table,
    /// One JSON object, with every number in full.
    Json,
    /// An SVG picture.
    Svg,
}

impl Format {
    /// Returns the format for the ending of a file name, without `.gz`, or `None` for an unknown ending.
    fn of(path: &Path) -> Option<Self> {
        match ending(path).as_str() {
            "json" => Some(Self::Json),
            "svg" => Some(Self::Svg),
            "" | "txt" => Some(Self::Table),
            _ => None,
        }
    }
}

/// The option that the text output recommends for a list of all vertices.
const ALL_VERTICES: &str = "--format json";

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let bar = Bar::new();
    arguments.input.prepare()?;
    let output = arguments.output.as_deref().unwrap_or(Path::new("-"));
    let outputs = [("--output", Some(output)), ("--svg", arguments.svg.as_deref())];
    check_names(&arguments.input, &outputs)?;
    let format = arguments.format()?;
    check_ending_of_svg(arguments.svg.as_deref())?;
    let output = Output::create(arguments.output.as_deref())?;
    let picture = arguments.svg.as_deref().map(|path| Output::create(Some(path))).transpose()?;
    let (a, b) = arguments.input.read(&bar)?;
    let b = b.as_ref().unwrap_or(&a);
    if a.features.points.is_empty() && !b.features.points.is_empty() {
        let value = arguments.input.b.as_deref().unwrap_or(Path::new("-")).display().to_string();
        let problem = "has points; exchange A and B with their options, and the two ids of --pair";
        return Err(Error::Option { option: "B", value, problem });
    }
    let (name_a, name_b) = (&arguments.pair[0], &arguments.pair[1]);
    let (i, j) = (find(&a, name_a)?, find(b, name_b)?);
    let ids: [Id; 2] = [(&a, i), (b, j)].map(|(side, index)| side.features.ids.of(index).to_id());
    let lines = |lines: Vec<String>| lines.iter().map(|line| escaped(line).into_owned() + "\n").collect();
    let text = if a.features.points.is_empty() {
        let names = ids.each_ref().map(ToString::to_string);
        let explained = Explained::new(names, (&a.set, i), (&b.set, j))?;
        let explained = Explained { all_vertices: ALL_VERTICES.into(), ..explained };
        drop(bar);
        if let Some(picture) = picture {
            put(picture, &explained.svg())?.commit()?;
        }
        match format {
            Format::Table => lines(explained.table()),
            Format::Json => json::json(&ids, &explained)?,
            Format::Svg => explained.svg(),
        }
    } else {
        arguments.refuse_pictures_of_points(format)?;
        let explained = point::explained(&ids, name_a, (&a, i), (b, j))?;
        drop(bar);
        if format == Format::Json { point::json(&ids, &explained)? } else { lines(explained.table()) }
    };
    let text = if output.is_terminal() { escaped_json(&text) } else { text };
    match put(output, &text).and_then(|output| Ok(output.commit()?)) {
        Err(error) if !error.is_broken_pipe() => Err(error),
        _ => Ok(Outcome::Answered),
    }
}

impl Arguments {
    /// Returns the requested format, or the format for the ending of the output's name. Returns an error for an unknown ending.
    fn format(&self) -> Result<Format> {
        let of_name = || self.output.as_deref().map_or(Some(Format::Table), Format::of);
        self.format.or_else(of_name).ok_or_else(|| Error::Option {
            option: "--output",
            value: self.output.as_deref().unwrap_or(Path::new("-")).display().to_string(),
            problem: "has no known ending; end it in .txt, .json or .svg, or give --format",
        })
    }

    fn refuse_pictures_of_points(&self, format: Format) -> Result<()> {
        let name = |path: &Option<PathBuf>| path.as_deref().unwrap_or(Path::new("-")).display().to_string();
        let (option, value) = match format {
            _ if self.svg.is_some() => ("--svg", name(&self.svg)),
            Format::Svg if self.format.is_some() => ("--format", "svg".into()),
            Format::Svg => ("--output", name(&self.output)),
            Format::Table | Format::Json => return Ok(()),
        };
        let problem = "draws two polygons, but A has points; write a table or JSON";
        Err(Error::Option { option, value, problem })
    }
}

fn put(mut output: Output, text: &str) -> Result<Output> {
    let written = output.write_all(text.as_bytes());
    written.map_err(|source| Error::write(output.name(), source))?;
    Ok(output)
}

/// Returns the index of the feature whose id is `name`. If no feature has this id, `name` may be an index, with or without
/// `index:`. Returns an error if `name` is ambiguous, or names no feature or a skipped feature.
fn find(side: &Side, name: &str) -> Result<usize> {
    let refused = |problem| Err(Error::Option { option: "--pair", value: name.into(), problem });
    let ids = &side.features.ids;
    let is_skipped = |index| side.features.left_out.binary_search(&(index as u32)).is_ok();
    let found = |index| {
        if is_skipped(index) {
            return refused("names a feature that was skipped as invalid; name another");
        }
        Ok(index)
    };
    let place = name.strip_prefix("index:").and_then(|place| place.parse::<usize>().ok());
    let mut named = (0..ids.len()).filter(|&i| ids.of(i).to_string() == name);
    match (named.next(), named.next()) {
        (Some(index), _) if place.is_some_and(|place| place < ids.len() && place != index) => {
            return refused(
                "is the id of one feature and the index of another; name the first feature by its index",
            );
        }
        (Some(index), None) => return found(index),
        (Some(_), Some(_)) => {
            return refused(
                "is the id of several features; name one of them by its index in the file, as in index:3",
            );
        }
        (None, _) => {}
    }
    match name.strip_prefix("index:").unwrap_or(name).parse::<usize>() {
        Ok(index) if index < ids.len() => found(index),
        Ok(_) => refused(
            "is neither the id nor the index of a feature, and the file has fewer features; name another",
        ),
        Err(_) => {
            refused("is the id of no feature; `sat2d join` prints the ids, and index:0 is the first feature")
        }
    }
}
