//! Reads files of polygons as sets for a join.

use std::path::{Path, PathBuf};

use clap::Args;

use super::progress::Bar;
use super::terminal::{concise, tell};
use crate::error::{Error, Result};
use sat2d::PolygonSet;
use sat2d::internal::{ShownValue, escaped};
use sat2d_io::{Features, ReadOptions, geojson};

/// The input of a join.
#[derive(Args, Debug)]
pub(super) struct InputArguments {
    /// GeoJSON of polygons: a FeatureCollection, or Features or geometries, one per line; plain or gzipped. `-` is standard input.
    #[arg(value_name = "A")]
    pub(super) a: PathBuf,
    /// A second file. Each pair then has one feature of A and one of B; without B, two features of A.
    #[arg(value_name = "B")]
    pub(super) b: Option<PathBuf>,
    /// Name features by this property instead of by their id. If only one of two files has the property, the other file keeps
    /// its ids, and a note says so.
    #[arg(long, value_name = "PROPERTY")]
    pub(super) id: Option<String>,
    /// Name the features of B by this property; --id then applies only to A.
    #[arg(long, value_name = "PROPERTY", requires = "b")]
    pub(super) id_b: Option<String>,
    /// Leave out invalid features, count them and list them on standard error.
    #[arg(long)]
    pub(super) skip_invalid: bool,
    /// Largest text of one feature, in MiB, without the properties that are not used. A larger feature is an error, even with
    /// --skip-invalid.
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub(super) max_feature_mib: u32,
    /// Threads to use, up to 1024 [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
}

/// One file as a set, with the names of its features.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) features: Features,
    pub(super) set: PolygonSet,
}

impl InputArguments {
    /// Runs before any other work: checks that at most one input is standard input, and creates the threads.
    pub(super) fn prepare(&self) -> Result<()> {
        let is_standard = |path: &Path| path == Path::new("-");
        if is_standard(&self.a) && self.b.as_deref().is_some_and(is_standard) {
            return Err(Error::Option {
                option: "B",
                value: "-".into(),
                problem: "is standard input, which A already reads; name a file",
            });
        }
        super::use_threads(self.threads.map(usize::from))
    }

    /// Reads one file or both.
    ///
    /// With `points`, the first of two files may have points.
    pub(super) fn read(&self, points: bool, bar: &Bar) -> Result<(Side, Option<Side>)> {
        let of_a = ReadOptions {
            id_property: self.id.clone(),
            id_otherwise: self.b.is_some() && self.id_b.is_none(),
            skip_invalid: self.skip_invalid,
            points: points && self.b.is_some(),
            max_feature_bytes: (self.max_feature_mib as usize).saturating_mul(1 << 20),
        };
        let a = read_side(&self.a, &of_a, bar)?;
        let Some(path) = self.b.as_deref() else { return Ok((a, None)) };
        let of_b = ReadOptions {
            id_property: self.id_b.clone().or_else(|| self.id.clone()),
            // One of the two has the property, or nobody meant it.
            id_otherwise: of_a.id_otherwise && !a.features.lacks_property,
            points: false,
            ..of_a
        };
        let b = read_side(path, &of_b, bar).map_err(|error| match error {
            Error::File(sat2d_io::Error::IdProperty { mut paths, property }) if a.features.lacks_property => {
                paths.insert(0, self.a.clone());
                sat2d_io::Error::IdProperty { paths, property }.into()
            }
            error => error,
        })?;
        for (side, path) in [(&a, self.a.as_path()), (&b, path)] {
            if side.features.lacks_property {
                bar.suspend(|| tell(&self.note_of_ids(path)));
            }
        }
        Ok((a, Some(b)))
    }

    /// The note for a file that keeps its ids although the features of the other file have the property.
    fn note_of_ids(&self, path: &Path) -> String {
        let name = if path == Path::new("-") { "standard input".into() } else { path.display().to_string() };
        let property = ShownValue(self.id.as_deref().unwrap_or_default());
        format!(
            "note: {name}: no feature has the property {property}; the features keep their ids; --id-b names a property of B"
        )
    }
}

fn read_side(path: &Path, options: &ReadOptions, bar: &Bar) -> Result<Side> {
    bar.message(escaped(&format!("reading {}", path.display())).into());
    let mut features = geojson::read(path, options)?;
    for skipped in &features.skipped {
        let others = match skipped.polygons.saturating_sub(1) {
            0 => String::new(),
            1 => "; its other polygon is left out with it".into(),
            others => format!("; its {others} other polygons are left out with it"),
        };
        bar.suspend(|| tell(&concise(&format!("skipped: {}{others}", skipped.error))));
    }
    let set = std::mem::take(&mut features.set);
    Ok(Side { features, set })
}
