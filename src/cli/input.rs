//! Files of polygons as sets to join.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;

use super::progress::Bar;
use super::terminal::{concise, tell};
use crate::error::{Error, Result};
use crate::geometry::PolygonSet;
use crate::io::geojson::{self, Features, ReadOptions};

/// The input of a join.
#[derive(Args, Debug)]
pub(super) struct InputArguments {
    /// GeoJSON of polygons (FeatureCollection, Feature, geometry, one a line; also .gz); `-` is standard input.
    #[arg(value_name = "A")]
    pub(super) a: PathBuf,
    /// A second file: pairs are of one feature of A and one of B. Without it, of two features of A.
    #[arg(value_name = "B")]
    pub(super) b: Option<PathBuf>,
    /// Name features by this property rather than by their id.
    #[arg(long, value_name = "PROPERTY")]
    pub(super) id: Option<String>,
    /// Leave out invalid features, count them and list them on standard error.
    #[arg(long)]
    pub(super) skip_invalid: bool,
    /// How many MiB of text one feature may take, properties that are not used left out.
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub(super) max_feature_mib: u32,
    /// Threads to use, up to 1024 [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
}

/// One file, read and packed into a set.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) features: Features,
    pub(super) set: PolygonSet,
    /// How long it took to put the polygons in the set.
    pub(super) collect_time: Duration,
}

impl InputArguments {
    /// What comes before any other work: checks that one input at most is standard input, and makes the threads.
    pub(super) fn prepare(&self) -> Result<()> {
        let is_standard = |path: &Path| path == Path::new("-");
        if is_standard(&self.a) && self.b.as_deref().is_some_and(is_standard) {
            return Err(Error::Option {
                option: "B",
                value: "-".into(),
                problem: "is standard input, which A has read already; name a file",
            });
        }
        super::use_threads(self.threads.map(usize::from))
    }

    /// Reads one file or both. The objects of the features are dropped once they are in the sets.
    ///
    /// With `points`, the first of two files may be one of points.
    pub(super) fn read(&self, points: bool, bar: &Bar) -> Result<(Side, Option<Side>)> {
        let options = ReadOptions {
            id_property: self.id.clone(),
            skip_invalid: self.skip_invalid,
            points: false,
            max_feature_bytes: (self.max_feature_mib as usize).saturating_mul(1 << 20),
        };
        let a =
            read_side(&self.a, &ReadOptions { points: points && self.b.is_some(), ..options.clone() }, bar)?;
        let b = self.b.as_deref().map(|path| read_side(path, &options, bar)).transpose()?;
        Ok((a, b))
    }
}

fn read_side(path: &Path, options: &ReadOptions, bar: &Bar) -> Result<Side> {
    bar.message(format!("reading {}", path.display()));
    let mut features = geojson::read(path, options)?;
    for skipped in &features.skipped {
        bar.suspend(|| tell(&concise(&format!("skipped: {}", skipped.error))));
    }
    let objects = std::mem::take(&mut features.objects);
    let start = Instant::now();
    let set = PolygonSet::from_objects(&objects)?;
    Ok(Side { features, set, collect_time: start.elapsed() })
}
