use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::Outcome;
use super::outputs::check_ending;
use crate::error::Result;
use sat2d::scenes::Scene;
use sat2d_io::{GeoJsonWriter, Output};

/// Write a generated scene as GeoJSON: the polygons of the benchmarks, the same on every machine.
///
/// The name, the count and the seed determine a scene. Ids count from 0, in random order in space.
#[derive(Args, Debug)]
#[command(after_help = crate::commands::EXAMPLES)]
pub(super) struct Arguments {
    /// Name of the scene.
    #[arg(long, value_name = "NAME", value_parser = scene_parser())]
    scene: Scene,
    /// Number of polygons, up to 100 million. Each polygon takes about 150 to 800 bytes of memory,
    /// depending on the scene.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    count: u32,
    /// Seed of the random numbers.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Write to FILE instead of standard output, but only if the run succeeds. The output is gzipped if FILE ends in .gz.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let problem = "names another format, but a scene is GeoJSON; end it in .geojson or .json";
    check_ending("--output", arguments.output.as_deref(), &["geojson", "json"], problem)?;
    // The output is opened first, so that a mistake in its name is reported before the scene is generated.
    let output = Output::create(arguments.output.as_deref())?;
    super::use_threads(None)?;
    let rings = arguments.scene.generate(arguments.count as usize, arguments.seed);
    let mut writer = GeoJsonWriter::new(output)?;
    rings.iter().try_for_each(|ring| writer.write(ring))?;
    writer.finish()?;
    Ok(Outcome::Answered)
}

pub(super) fn scene_parser() -> impl TypedValueParser<Value = Scene> {
    PossibleValuesParser::new(Scene::ALL.map(Scene::name)).try_map(|name| name.parse::<Scene>())
}
