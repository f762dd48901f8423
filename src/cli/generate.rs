use std::path::PathBuf;

use clap::Args;

use super::Outcome;
use crate::error::Result;
use crate::io::{GeoJsonWriter, Output};
use crate::scenes::Scene;

/// Write a generated scene as GeoJSON: the polygons of the benchmarks, the same on every machine.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// boxes, ngons, big-ngons, crowd, clustered or near-touching.
    #[arg(long, value_name = "NAME")]
    scene: Scene,
    /// Polygons to write.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// The scene is determined by this number.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Write to FILE (gzipped where it ends in .gz), whole or not at all, instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let rings = arguments.scene.generate(arguments.count as usize, arguments.seed);
    let mut writer = GeoJsonWriter::new(Output::create(arguments.output.as_deref())?)?;
    rings.iter().try_for_each(|ring| writer.write(ring))?;
    writer.finish()?;
    Ok(Outcome::Answered)
}
