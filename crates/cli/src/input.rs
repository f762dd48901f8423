//! Reads files of polygons as sets for a join.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use indicatif::HumanCount;

use super::progress::Bar;
use super::terminal::{concise, tell};
use crate::error::{Error, Result};
use sat2d::internal::{ShownValue, escaped};
use sat2d::{Aabb, Fill, PolygonSet};
use sat2d_io::internal::{OptionNames, check_input, grouped_bytes};
use sat2d_io::{Contents, Features, Format, ReadOptions};

/// The files of a join, and the options for reading them.
#[derive(Args, Debug)]
pub(super) struct InputArguments {
    /// File A, with polygons or with points: GeoJSON (a FeatureCollection, or one Feature or geometry per line), GeoParquet,
    /// Parquet with WKB, Arrow IPC (also Feather), a Shapefile (the .shp file), FlatGeobuf, a GeoPackage, CSV or TSV with WKT,
    /// or WKT alone. Text, FlatGeobuf and Arrow streams may be compressed with gzip or Zstandard. `-` is standard input.
    #[arg(value_name = "A")]
    pub(super) a: PathBuf,
    /// File B, in the same formats. `join` takes points in either file or in both, `check` in one of them. With B, each pair
    /// has one feature of A and one feature of B. Without B, each pair has two features of A.
    #[arg(value_name = "B")]
    pub(super) b: Option<PathBuf>,
    /// Format of A and B [default: determined by the first bytes of the file, then by the ending of its name].
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(super) from: Option<FormatArgument>,
    /// Format of B. With this option, --from applies only to A.
    #[arg(long, value_enum, value_name = "FORMAT", requires = "b")]
    pub(super) from_b: Option<FormatArgument>,
    /// Geometry column of A and B, if they are tables [default: determined by the metadata, then by the names of the columns].
    /// For a GeoPackage, the layer.
    #[arg(long, value_name = "COLUMN")]
    pub(super) geometry: Option<String>,
    /// Geometry column of B. With this option, --geometry applies only to A.
    #[arg(long, value_name = "COLUMN", requires = "b")]
    pub(super) geometry_b: Option<String>,
    /// Join A and B even if the files, or the features of one file, state different coordinate reference systems.
    #[arg(long)]
    pub(super) ignore_crs: bool,
    /// Property or column that has the ids of the features [default: the GeoJSON id, or the column id]. If only one of two files
    /// has it, the features of the other file keep their ids, and a note says so.
    #[arg(long, value_name = "PROPERTY")]
    pub(super) id: Option<String>,
    /// Property or column that has the ids of B. With this option, --id applies only to A.
    #[arg(long, value_name = "PROPERTY", requires = "b")]
    pub(super) id_b: Option<String>,
    /// Accept rings that cross and holes that leave their shell. RULE determines which points are inside. The features that need
    /// the rule are counted and listed on standard error.
    #[arg(long, value_enum, value_name = "RULE")]
    pub(super) fill: Option<FillArgument>,
    /// Skip invalid features. They are counted and listed on standard error.
    #[arg(long)]
    pub(super) skip_invalid: bool,
    /// Size limit of the text of one feature, in MiB: a GeoJSON feature without its unused properties, a row of CSV or TSV, or a
    /// WKT geometry. A larger feature is an error, even with --skip-invalid.
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub(super) max_feature_mib: u32,
    /// Number of threads, up to 1024 [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
}

/// The problem of `--geometry` with a file that has no column of geometries.
pub(super) const NO_GEOMETRY_COLUMN: &str =
    "names a column, but GeoJSON, Shapefiles, FlatGeobuf and WKT have no column of geometries; leave it out";

/// The formats of `--from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatArgument {
    /// GeoJSON.
    Geojson,
    /// GeoParquet, or Parquet with a column of WKB.
    #[cfg(feature = "parquet")]
    Parquet,
    /// Arrow IPC file, also Feather.
    #[cfg(feature = "arrow")]
    Arrow,
    /// Arrow IPC stream.
    #[cfg(feature = "arrow")]
    Arrows,
    /// Shapefile: the .shp file, with the .dbf, .prj and .cpg files beside it.
    Shapefile,
    /// FlatGeobuf.
    Flatgeobuf,
    /// GeoPackage. If it has several layers, --geometry selects one.
    #[cfg(feature = "geopackage")]
    Gpkg,
    /// Columns separated by commas or semicolons. One column has WKT, or WKB in hexadecimal digits.
    Csv,
    /// Columns separated by tabs. One column has WKT, or WKB in hexadecimal digits.
    Tsv,
    /// One geometry on each line: WKT, or WKB in hexadecimal digits.
    Wkt,
}

impl FormatArgument {
    pub(super) fn format(self) -> Format {
        match self {
            Self::Geojson => Format::GeoJson,
            #[cfg(feature = "parquet")]
            Self::Parquet => Format::Parquet,
            #[cfg(feature = "arrow")]
            Self::Arrow => Format::Arrow,
            #[cfg(feature = "arrow")]
            Self::Arrows => Format::ArrowStream,
            Self::Shapefile => Format::Shapefile,
            Self::Flatgeobuf => Format::FlatGeobuf,
            #[cfg(feature = "geopackage")]
            Self::Gpkg => Format::GeoPackage,
            Self::Csv => Format::Csv,
            Self::Tsv => Format::Tsv,
            Self::Wkt => Format::Wkt,
        }
    }
}

/// The rules of `--fill`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FillArgument {
    /// A point is inside if the rings go around it an odd number of times, in either direction.
    EvenOdd,
    /// A point is inside unless the rings go around it as often counter-clockwise as clockwise.
    Nonzero,
}

impl FillArgument {
    pub(super) fn fill(self) -> Fill {
        match self {
            Self::EvenOdd => Fill::EvenOdd,
            Self::Nonzero => Fill::NonZero,
        }
    }
}

/// The features of one input file, and their set.
#[derive(Debug, Default)]
pub(super) struct Side {
    pub(super) features: Features,
    pub(super) set: PolygonSet,
}

impl InputArguments {
    /// Starts the threads. Returns an error if both inputs are standard input, or if the system refuses the threads. The program
    /// calls this function before any other work.
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

    /// Reads file A, and file B if the user gave one. The second result is `None` if there is no file B. If there is a file B,
    /// one of the files may have points. Returns an error if a file cannot be read, or if both have points.
    pub(super) fn read(&self, bar: &Bar) -> Result<(Side, Option<Side>)> {
        self.read_near(
            Needs { reach: None, kind: true, kind_beside_points: false, allows_points_alone: false },
            bar,
        )
    }

    /// Reads one file or both, like [`InputArguments::read`]. A feature that can be in no pair may be left without its region.
    /// `needs` decides whether all files may have points.
    pub(super) fn read_near(&self, needs: Needs, bar: &Bar) -> Result<(Side, Option<Side>)> {
        let of_a = ReadOptions::default()
            .format(self.from.map(FormatArgument::format))
            .geometry(self.geometry.clone())
            .id_property(self.id.clone())
            .id_otherwise(self.b.is_some() && self.id_b.is_none())
            .skip_invalid(self.skip_invalid)
            .fill(self.fill.map(FillArgument::fill))
            .points(self.b.is_some() || needs.allows_points_alone)
            .ignore_crs(self.ignore_crs)
            .max_feature_bytes((self.max_feature_mib as usize).saturating_mul(1 << 20));
        let Some(path) = self.b.as_deref() else {
            let a = told(read_side(("A", &self.a), &of_a, bar)?, bar);
            self.check_geometry(&[(&self.a, &a, &of_a)], bar)?;
            return Ok((a, None));
        };
        // A wrong name of B is reported before A is read, which may take long.
        [&self.a, path].into_iter().try_for_each(check_input)?;
        let of_b = of_a
            .clone()
            .format(self.from_b.or(self.from).map(FormatArgument::format))
            .geometry(self.geometry_b.clone().or_else(|| self.geometry.clone()))
            .id_property(self.id_b.clone().or_else(|| self.id.clone()))
            .option_names(OptionNames { geometry: "--geometry-b", id: "--id-b", crs: Some("`--ignore-crs`") })
            .format_option("--from-b");
        let near = needs.reach.map(|reach| Near { reach, bytes: [&self.a, path].map(grouped_bytes) });
        // B is read twice if neither file has the property, because only the second reading returns the error. Standard
        // input cannot be read twice.
        let is_free = self.id.is_none() || self.id_b.is_some() || path != Path::new("-");
        let early = near.as_ref().filter(|near| is_free && near.reads_b_first());
        let early = early.map(|_| read_side(("B", path), &of_b, bar));
        let around_b = early.as_ref().and_then(|b| near.as_ref()?.window(b.as_ref().ok()?, 0));
        let mut a = read_side(("A", &self.a), &of_a.clone().window(around_b), bar)?;
        if a.features.row_groups.left_out > 0 && a.features.contents == Contents::default() {
            // No geometry was read. The row groups that were left out may have points, so all of A is read.
            a = read_side(("A", &self.a), &of_a, bar)?;
        }
        let a = told(a, bar);
        let lacks_both = |b: &Result<Side>| {
            a.features.lacks_property && b.as_ref().is_ok_and(|b| b.features.lacks_property)
        };
        // If only one file may have points, points in A decide that B has polygons. Otherwise, the features of B decide.
        let has_points = !a.features.points.is_empty();
        let of_b = of_b.points(!has_points || !self.skip_invalid || needs.allows_points_alone);
        let b = early.filter(|b| !lacks_both(b)).unwrap_or_else(|| {
            // The property must exist in at least one of the two files.
            let id_otherwise = of_b.id_otherwise && !a.features.lacks_property;
            let window = near.as_ref().and_then(|near| near.window(&a, 1));
            let of_b = of_b.clone().id_otherwise(id_otherwise);
            let b = read_side(("B", path), &of_b.clone().window(window), bar)?;
            // No geometry was read, so it is unknown whether B has points.
            let is_unknown = b.features.row_groups.left_out > 0 && b.features.contents == Contents::default();
            if is_unknown && if has_points { needs.kind_beside_points } else { needs.kind } {
                read_side(("B", path), &of_b, bar)
            } else {
                Ok(b)
            }
        });
        let b = b.map_err(|error| match error {
            Error::File(sat2d_io::Error::IdProperty { mut paths, property }) if a.features.lacks_property => {
                paths.insert(0, self.a.clone());
                sat2d_io::Error::IdProperty { paths, property }.into()
            }
            error => error,
        });
        let b = told(b?, bar);
        if !needs.allows_points_alone {
            refuse_points_on_both_sides(&a, &b, path)?;
        }
        if let (Some(of_a), Some(of_b)) = (&a.features.crs, &b.features.crs)
            && !self.ignore_crs
            && of_a.differs_from(of_b)
        {
            let [a, b] = [self.a.as_path(), path].map(Path::to_path_buf);
            return Err(Error::Crs { a, of_a: of_a.to_string(), b, of_b: of_b.to_string() });
        }
        self.check_geometry(&[(&self.a, &a, &of_a), (path, &b, &of_b)], bar)?;
        for (side, path) in [(&a, self.a.as_path()), (&b, path)] {
            if side.features.lacks_property {
                bar.suspend(|| tell(&self.note_of_ids(path)));
            }
        }
        Ok((a, Some(b)))
    }

    /// Checks `--geometry` and `--geometry-b`. Returns an error if an option names a column, and no file to which the
    /// option applies has a geometry column. The error names the option. If `--geometry` applies to only one of the two
    /// files, prints a note about the other file.
    fn check_geometry(&self, sides: &[(&Path, &Side, &ReadOptions)], bar: &Bar) -> Result<()> {
        let names = ["--geometry", if self.geometry_b.is_some() { "--geometry-b" } else { "--geometry" }];
        let lacks_column = |(_, (_, side, options)): &(_, &(&Path, &Side, &ReadOptions))| {
            options.geometry.is_some() && side.features.source.geometry.is_none()
        };
        let without: Vec<_> = names.into_iter().zip(sides).filter(lacks_column).collect();
        if let Some(&(option, (_, _, options))) = without.first()
            && (without.len() == sides.len() || self.geometry_b.is_some())
        {
            let value = options.geometry.clone().unwrap_or_default();
            return Err(Error::Option { option, value, problem: NO_GEOMETRY_COLUMN });
        }
        for (_, (path, side, _)) in without {
            let (path, format) = (path.display(), side.features.source.format.map_or("file", Format::name));
            bar.suspend(|| {
                tell(&format!(
                    "note: {path}: {format} has no column of geometries; --geometry applies to the other file"
                ))
            });
        }
        Ok(())
    }

    /// Returns the note for a file whose features keep their ids, because only the other file has the property of `--id`.
    fn note_of_ids(&self, path: &Path) -> String {
        let name = if path == Path::new("-") { "standard input".into() } else { path.display().to_string() };
        let property = ShownValue(self.id.as_deref().unwrap_or_default());
        format!(
            "note: {name}: no feature has the property {property}; the features keep their ids; --id-b names a property of B"
        )
    }
}

/// The parts of the files that a join needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    /// The greatest possible distance between the two features of a pair, in the unit of the coordinates. A feature that is
    /// farther from every feature of the other file may be left without its region. If `None`, all features have their regions.
    pub(super) reach: Option<f64>,
    /// Whether the caller must know if B has points or polygons, even if no pair has a feature of B. This applies if A has
    /// polygons.
    pub(super) kind: bool,
    /// The same if A has points.
    pub(super) kind_beside_points: bool,
    /// Whether both files may have points, or the only file.
    pub(super) allows_points_alone: bool,
}

/// The data that decides which row groups of Parquet, or groups of features in FlatGeobuf, a join of two files can leave out.
struct Near {
    /// The greatest possible distance between the two features of a written pair, in the unit of the coordinates.
    reach: f64,
    /// The sizes in bytes of A and B. A size is `None` if the file has no groups of features with boxes.
    bytes: [Option<u64>; 2],
}

impl Near {
    /// Returns whether B is read before A. The file that is read first decides which row groups of the other file are
    /// left out. Of two files with row groups, the smaller is read first. If only A has row groups, B is read first.
    fn reads_b_first(&self) -> bool {
        match self.bytes {
            [Some(of_a), Some(of_b)] => of_b < of_a,
            [of_a, _] => of_a.is_some(),
        }
    }

    /// Returns the box of the features of `side`, enlarged by `reach`. A feature of the other file that does not meet
    /// this box is in no pair. `other` is the index of the other file in `bytes`. Returns `None` if all features of the
    /// other file must be read, or if `side` has no region and no point.
    fn window(&self, side: &Side, other: usize) -> Option<Aabb> {
        // If a fill rule made a region, rounding may have moved its corners, so the box of the region is not exact.
        if self.bytes[other].is_none() || side.features.filled_count > 0 {
            return None;
        }
        let of_points = side.features.points.positions().iter().map(|&point| Aabb { min: point, max: point });
        let around = side.set.object_aabbs().into_iter().chain(of_points).fold(Aabb::EMPTY, Aabb::union);
        // Each side of the box moves outwards by one f64, because the sums are rounded.
        let [min, max] = [around.min - self.reach, around.max + self.reach].map(|corner| corner.to_array());
        let (min, max) = (min.map(f64::next_down), max.map(f64::next_up));
        (around.min.x <= around.max.x).then(|| Aabb { min: min.into(), max: max.into() })
    }
}

/// Returns an error if both files have points. `path` is the path of B.
fn refuse_points_on_both_sides(a: &Side, b: &Side, path: &Path) -> Result<()> {
    if a.features.points.is_empty() || b.features.points.is_empty() {
        return Ok(());
    }
    let problem = "has points, but A has points, too; give polygons as A or as B";
    Err(Error::Option { option: "B", value: path.display().to_string(), problem })
}

/// Reads a file. `option` is the argument that names the file. Returns an error if standard input or a pipe begins with a point and
/// has polygons, because only a file can be read a second time without its points.
fn read_side((option, path): (&'static str, &Path), options: &ReadOptions, bar: &Bar) -> Result<Side> {
    let progress = Some(bar.reading(escaped(&format!("reading {}", path.display())).into()));
    let mut features = sat2d_io::read(path, &options.clone().progress(progress))?;
    if !features.points.is_empty() && features.other_kind_count > 0 {
        let problem =
            "begins with a point and has polygons; name a file, so that --skip-invalid can read it twice";
        return Err(Error::Option { option, value: path.display().to_string(), problem });
    }
    let set = std::mem::take(&mut features.set);
    Ok(Side { features, set })
}

/// Lists the skipped features of a file, and the features that are valid only with a fill rule, on standard error. Returns
/// `side`.
fn told(side: Side, bar: &Bar) -> Side {
    let features = &side.features;
    for skipped in &features.skipped {
        let others = match skipped.polygons.saturating_sub(1) {
            0 => String::new(),
            1 => "; its other polygon is left out with it".into(),
            others => format!("; its {others} other polygons are left out with it"),
        };
        bar.suspend(|| tell(&concise(&format!("skipped: {}{others}", skipped.error))));
    }
    let more = features.left_out.len() - features.skipped.len();
    if more > 0 {
        bar.suspend(|| tell(&format!("skipped: and {} more invalid features", HumanCount(more as u64))));
    }
    for filled in &features.filled {
        bar.suspend(|| tell(&concise(&format!("filled: {}", filled.error.fact()))));
    }
    let more = features.filled_count - features.filled.len();
    if more > 0 {
        bar.suspend(|| {
            tell(&format!("filled: and {} more features with rings that cross", HumanCount(more as u64)))
        });
    }
    side
}
