//! Selects the output of a run: its content, its format, and the steps that are written.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::animation::Animation;
use super::drawing::{Mark, Painter};
use super::raster::Raster;
use super::rows::{Rows, Summary};
use super::svg::Svg;
use crate::error::{Error, Result};
use sat2d::sim::{BodyId, SceneDescription, World};
use sat2d_io::Output;

/// The format of the output of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// A picture made of pixels.
    Png,
    /// A picture made of lines and areas.
    Svg,
    /// An animation at the speed of the scene.
    Gif,
    /// One row for each body and each written step.
    Csv,
    /// Statistics of each written step.
    Json,
}

/// The settings of a run whose output is recorded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recording<'a> {
    pub(super) scene: &'a SceneDescription,
    pub(super) seed: u64,
    pub(super) dt: f64,
    pub(super) steps: u64,
    pub(super) every: Option<u64>,
    pub(super) width: Option<u32>,
    pub(super) marks: &'a [Mark],
}

/// The open output of a run, and the steps that it takes.
pub(super) struct Recorder<'a> {
    /// The number of steps between two written steps. The last step is always written.
    every: u64,
    recording: Recording<'a>,
    sink: Sink,
}

enum Sink {
    Rows(Rows),
    Summary(Summary),
    Animation(Box<Animation>),
    Picture { painter: Painter, format: Format, output: Option<Output> },
    Series { painter: Painter, format: Format, name: String },
}

/// The placeholder in the name of a picture for the number of the step.
const PLACEHOLDER: &str = "{step}";
/// A step number that no step of a run reaches.
const NEVER: u64 = u64::MAX;
/// The greatest number of bodies in an SVG. Viewers cannot open larger files.
const SVG_LIMIT: usize = 1_000_000;
/// The default width of a picture, in pixels.
const PICTURE_WIDTH: u32 = 960;
/// The default width of an animation, in pixels.
const ANIMATION_WIDTH: u32 = 640;
/// The default number of pictures of an animation per unit of time.
const ANIMATION_RATE: f64 = 30.0;

impl Recording<'_> {
    /// Returns the options that apply only to pictures, with their values. The value of an option that was not given is `None`.
    fn of_pictures(&self) -> [(&'static str, Option<String>); 2] {
        let names = self.marks.iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = names.map(|value| value.get_name().to_owned()).collect();
        let marks = (!names.is_empty()).then(|| names.join(","));
        [("--width", self.width.map(|width| width.to_string())), ("--show", marks)]
    }
}

impl<'a> Recorder<'a> {
    /// Opens the requested output, or returns `None` if no output is requested. Returns an error if the output cannot be opened, or
    /// if an option needs an output and none is requested.
    pub(super) fn open(
        path: Option<&Path>,
        format: Option<Format>,
        recording: Recording<'a>,
    ) -> Result<Option<Self>> {
        let format = match (format, path) {
            (Some(format), _) => format,
            (None, Some(path)) => Format::of(path)?,
            (None, None) => {
                let every = ("--every", recording.every.map(|every| every.to_string()));
                let [width, show] = recording.of_pictures();
                let mut options = [every, width, show].into_iter();
                return match options.find_map(|(option, value)| Some((option, value?))) {
                    Some((option, value)) => Err(nothing_to_write(option, value)),
                    None => Ok(None),
                };
            }
        };
        let path = path.unwrap_or(Path::new("-"));
        let every = recording.every.unwrap_or(match format {
            Format::Gif => ((1.0 / (ANIMATION_RATE * recording.dt)).round() as u64).max(1),
            _ => NEVER,
        });
        let sink = Sink::open(path, format, &recording)?;
        Ok(Some(Self { every, recording, sink }))
    }

    /// Returns whether the output has the state after the step with the number `step`.
    pub(super) fn takes(&self, step: u64) -> bool {
        step == self.recording.steps || (self.every != NEVER && step.is_multiple_of(self.every))
    }

    /// Returns the number of the next step after `step` that the option `--every` selects. The last step of the run may come
    /// before it.
    pub(super) fn next_after(&self, step: u64) -> u64 {
        step.checked_next_multiple_of(self.every)
            .map_or(NEVER, |next| if next > step { next } else { next.saturating_add(self.every) })
    }

    pub(super) fn record(&mut self, step: u64, world: &mut World, ids: &[BodyId]) -> Result<()> {
        let time = step as f64 * self.recording.dt;
        match &mut self.sink {
            Sink::Rows(rows) => rows.write(step, time, world, ids),
            Sink::Summary(summary) => summary.write(step, time, world),
            Sink::Animation(animation) => animation.add(time, world, ids),
            Sink::Picture { painter, format, output } => match output.take() {
                // A single picture shows only the last step, so the picture of any other step is not drawn.
                Some(output) if step == self.recording.steps => {
                    write_picture(output, &draw(painter, *format, world, ids)?)
                }
                kept => {
                    *output = kept;
                    Ok(())
                }
            },
            Sink::Series { painter, format, name } => {
                let digits = self.recording.steps.to_string().len();
                let name = name.replace(PLACEHOLDER, &format!("{step:0digits$}"));
                let picture = draw(painter, *format, world, ids)?;
                write_picture(Output::create(Some(Path::new(&name)))?, &picture)
            }
        }
    }

    /// Commits the output, or returns the error of the writer. Pictures are already committed.
    pub(super) fn finish(self) -> Result<()> {
        match self.sink {
            Sink::Rows(rows) => rows.finish(),
            Sink::Summary(summary) => summary.finish(),
            Sink::Animation(animation) => animation.finish(),
            Sink::Picture { .. } | Sink::Series { .. } => Ok(()),
        }
    }
}

impl Sink {
    fn open(path: &Path, format: Format, recording: &Recording<'_>) -> Result<Self> {
        let is_picture = matches!(format, Format::Png | Format::Svg);
        let series = path.to_str().filter(|name| name.contains(PLACEHOLDER));
        match (series, recording.every) {
            (Some(name), _) if !is_picture => {
                return Err(Error::Option {
                    option: "--output",
                    value: name.into(),
                    problem: "has {step} for the number of the step, but this format writes all steps to one file; leave {step} out, or write .png or .svg",
                });
            }
            (None, Some(every)) if is_picture => {
                return Err(Error::Option {
                    option: "--every",
                    value: every.to_string(),
                    problem: "makes several pictures, but FILE names one; put {step}, the number of the step, into its name, or write a .gif",
                });
            }
            (Some(name), None) => {
                return Err(Error::Option {
                    option: "--output",
                    value: name.into(),
                    problem: "has {step} for the number of the step; give the steps to draw with --every",
                });
            }
            _ => {}
        }
        if !is_picture && format != Format::Gif {
            let mut options = recording.of_pictures().into_iter();
            if let Some((option, value)) = options.find_map(|(option, value)| Some((option, value?))) {
                return Err(nothing_to_draw(option, value));
            }
        }
        let bodies = recording.scene.bodies.len();
        if format == Format::Svg && bodies > SVG_LIMIT {
            return Err(Error::Option {
                option: "--output",
                value: format!("an SVG of {bodies} bodies"),
                problem: "exceeds the limit of 1000000 bodies; write a .png",
            });
        }
        let width = if format == Format::Gif { ANIMATION_WIDTH } else { PICTURE_WIDTH };
        let painter = || Painter::new(recording.scene, recording.width.unwrap_or(width), recording.marks);
        if let Some(name) = series {
            let (painter, name) = (painter(), name.to_owned());
            return Ok(Self::Series { painter, format, name });
        }
        let output = Output::create(Some(path))?;
        Ok(match format {
            Format::Csv => Self::Rows(Rows::new(output)?),
            Format::Json => Self::Summary(Summary::new(output, recording)?),
            Format::Gif => Self::Animation(Box::new(Animation::new(output, painter())?)),
            Format::Png | Format::Svg => Self::Picture { painter: painter(), format, output: Some(output) },
        })
    }
}

impl Format {
    /// Returns the format for the ending of a file name, without `.gz`. Returns an error for an unknown ending.
    fn of(path: &Path) -> Result<Self> {
        let ending = |path: &Path| path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        let mut plain: PathBuf = path.into();
        let is_compressed = ending(path).as_deref() == Some("gz");
        if is_compressed {
            plain.set_extension("");
        }
        let found = match ending(&plain).as_deref() {
            Some("png") if !is_compressed => Self::Png,
            Some("gif") if !is_compressed => Self::Gif,
            Some("svg") => Self::Svg,
            Some("csv") => Self::Csv,
            Some("json") => Self::Json,
            _ => {
                return Err(Error::Option {
                    option: "--output",
                    value: path.display().to_string(),
                    problem: "has no known ending; end it in .png, .gif, .svg, .csv or .json, or give --format",
                });
            }
        };
        Ok(found)
    }
}

fn draw(painter: &Painter, format: Format, world: &mut World, ids: &[BodyId]) -> Result<Vec<u8>> {
    if format == Format::Svg {
        let mut svg = Svg::new(painter.size());
        painter.draw(world, ids, &mut svg)?;
        return Ok(svg.finish().into_bytes());
    }
    let mut raster = Raster::new(painter.size());
    painter.draw(world, ids, &mut raster)?;
    Ok(raster.png())
}

fn write_picture(mut output: Output, picture: &[u8]) -> Result<()> {
    let written = output.write_all(picture);
    written.map_err(|source| Error::write(output.name(), source))?;
    Ok(output.commit()?)
}

fn nothing_to_write(option: &'static str, value: String) -> Error {
    let problem = "changes what is written, but nothing is written; name a FILE with -o, or give --format";
    Error::Option { option, value, problem }
}

fn nothing_to_draw(option: &'static str, value: String) -> Error {
    let problem = "applies only to pictures; name a FILE that ends in .png, .svg or .gif";
    Error::Option { option, value, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_says_its_format() {
        for (name, format) in [
            ("a.png", Some(Format::Png)),
            ("a.GIF", Some(Format::Gif)),
            ("a.b.svg", Some(Format::Svg)),
            ("a.csv.gz", Some(Format::Csv)),
            ("a.json", Some(Format::Json)),
            ("a.png.gz", None),
            ("png", None),
            ("-", None),
        ] {
            assert_eq!(Format::of(Path::new(name)).ok(), format, "{name}");
        }
    }
}
