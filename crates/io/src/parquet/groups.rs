//! Selects the row groups to read, by their boxes in the metadata of the file.
//!
//! The reader checks the boxes of the row groups that it reads. It cannot check the box of a skipped row group.

use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::statistics::Statistics;
use parquet::schema::types::SchemaDescriptor;
use sat2d::Aabb;

use crate::collector::{Part, PartMark};
use crate::table::{Plan, Scope};

/// The largest width, in degrees, of a box of longitudes that the reader trusts. A wider box may cross the
/// antimeridian.
const WIDEST_DEGREES: f64 = 180.0;
/// The largest magnitude of a coordinate, in degrees. Coordinates of greater magnitude cannot be degrees.
const MOST_DEGREES: f64 = 360.0;

/// The row groups of a Parquet file, and the window that geometries must meet.
pub(super) struct Groups {
    /// For each row group of the file, its box, or `None` if no box is known. The list is empty if every row group is read.
    boxes: Vec<Option<Aabb>>,
    window: Aabb,
}

impl Groups {
    /// Finds the boxes of the row groups of a file of `file_bytes` bytes. Selects all row groups if there is no window,
    /// or if the sizes in the footer add up to more than the file.
    pub(super) fn new(metadata: &ArrowReaderMetadata, plan: &Plan<'_>, file_bytes: u64) -> Self {
        let none = Self { boxes: Vec::new(), window: Aabb::EMPTY };
        let Some(window) = plan.window() else { return none };
        let schema = metadata.parquet_schema();
        let sources = Sources::new(schema, plan);
        let groups = metadata.metadata().row_groups();
        let boxes: Vec<_> = groups.iter().map(|group| sources.aabb(group)).collect();
        // A damaged footer can claim that the same bytes are rows of many row groups.
        let bytes =
            groups.iter().try_fold(0_u64, |all, group| all.checked_add(sources.geometry_bytes(group)?));
        let groups = Self { boxes, window };
        let is_possible = bytes.is_some_and(|bytes| bytes <= file_bytes) && groups.left_out() > 0;
        if is_possible { groups } else { none }
    }

    /// Returns whether no geometry of a row group can meet the window.
    pub(super) fn leaves_out(&self, group: usize) -> bool {
        self.aabb(group).is_some_and(|aabb| !aabb.meets(self.window))
    }

    /// Returns the number of row groups that are left out.
    pub(super) fn left_out(&self) -> usize {
        (0..self.boxes.len()).filter(|&group| self.leaves_out(group)).count()
    }

    /// Checks rows of a row group against the box of the row group. Returns a message if a geometry lies outside of the box,
    /// otherwise `None`.
    pub(super) fn problem(&self, group: usize, scope: Scope, parts: &[Part]) -> Option<String> {
        let aabb = self.aabb(group).filter(|_| scope == Scope::All)?;
        let lie_inside = parts.iter().all(|part| part.lies_in(aabb, PartMark::default()));
        (!lie_inside).then(|| {
            format!(
                "row group {group} has geometries outside of the box that the file states for it; write the file again, or read all row groups (`--all-row-groups`)"
            )
        })
    }

    /// Returns the box that must contain the geometries of a row group, or `None` if no box is known.
    fn aabb(&self, group: usize) -> Option<Aabb> {
        self.boxes.get(group).copied().flatten()
    }
}

/// The columns of Parquet whose statistics give the boxes of row groups. Each number is the index of a column.
struct Sources {
    /// The columns of the least x, the least y, the greatest x and the greatest y of each row. `None` if the file has
    /// no such columns.
    covering: Option<[usize; 4]>,
    /// The columns of the x and the y of the positions of GeoArrow. `None` if the positions are not stored in two
    /// columns.
    positions: Option<[usize; 2]>,
    /// The indices of all columns of Parquet that belong to the column of geometries.
    geometry: Vec<usize>,
}

impl Sources {
    fn new(schema: &SchemaDescriptor, plan: &Plan<'_>) -> Self {
        let of_path = |path: &Vec<String>| {
            let mut found =
                (0..schema.num_columns()).filter(|&leaf| schema.column(leaf).path().parts() == path);
            found.next().filter(|_| found.next().is_none())
        };
        let covering = plan.covering().and_then(|paths| {
            let [min_x, min_y, max_x, max_y] = paths.each_ref().map(of_path);
            Some([min_x?, min_y?, max_x?, max_y?])
        });
        let root = plan.geometry();
        let geometry: Vec<usize> =
            (0..schema.num_columns()).filter(|&leaf| schema.get_column_root_idx(leaf) == root).collect();
        let named = |name: &str| {
            let is_named =
                |leaf: &usize| schema.column(*leaf).path().parts().last().is_some_and(|last| last == name);
            let mut found = geometry.iter().copied().filter(is_named);
            found.next().filter(|_| found.next().is_none())
        };
        let positions = named("x").zip(named("y")).map(<[usize; 2]>::from).filter(|_| plan.is_native());
        Self { covering, positions, geometry }
    }

    /// Returns the compressed size in bytes of the geometries of a row group. Returns `None` if the row group has more
    /// rows than bytes, because such rows may not exist.
    fn geometry_bytes(&self, group: &RowGroupMetaData) -> Option<u64> {
        let bytes = |&leaf: &usize| u64::try_from(group.columns().get(leaf)?.compressed_size()).ok();
        let bytes = self.geometry.iter().map(bytes).try_fold(0_u64, |all, bytes| all.checked_add(bytes?))?;
        u64::try_from(group.num_rows()).is_ok_and(|rows| rows <= bytes).then_some(bytes)
    }

    fn aabb(&self, group: &RowGroupMetaData) -> Option<Aabb> {
        let column = |leaf: usize| group.columns().get(leaf);
        let stated = || {
            let stated = column(*self.geometry.first()?)?.geo_statistics()?.bounding_box()?;
            let (min, max) = ([stated.get_xmin(), stated.get_ymin()], [stated.get_xmax(), stated.get_ymax()]);
            checked(min, max)
        };
        let of_rows = || {
            let of_geometry = column(*self.geometry.first()?)?.statistics();
            let nulls = of_geometry.and_then(Statistics::null_count_opt).unwrap_or(0);
            let [min_x, min_y, max_x, max_y] = self.covering?.map(|leaf| bounds(column(leaf)?, nulls));
            let ([min_x, max_x], [min_y, max_y]) = ([min_x?, max_x?], [min_y?, max_y?]);
            // If the least x exceeds the greatest x, the box of some row crosses the antimeridian.
            let is_crossed = |min: [f64; 2], max: [f64; 2]| min[0] > max[0] || min[1] > max[1];
            if is_crossed(min_x, max_x) || is_crossed(min_y, max_y) {
                return None;
            }
            checked([min_x[0], min_y[0]], [max_x[1], max_y[1]])
        };
        let of_positions = || {
            let [x, y] = self.positions?.map(|leaf| bounds(column(leaf)?, u64::MAX));
            let ([min_x, max_x], [min_y, max_y]) = (x?, y?);
            checked([min_x, min_y], [max_x, max_y])
        };
        of_positions().or_else(of_rows).or_else(stated)
    }
}

/// Returns the box from `min` to `max`, or `None` if geometries cannot have this box.
fn checked(min: [f64; 2], max: [f64; 2]) -> Option<Aabb> {
    let is_finite = min.iter().chain(&max).all(|number| number.is_finite());
    let are_degrees = min[0] >= -MOST_DEGREES && max[0] <= MOST_DEGREES;
    let may_cross = are_degrees && max[0] - min[0] > WIDEST_DEGREES;
    let is_valid = is_finite && min[0] <= max[0] && min[1] <= max[1] && !may_cross;
    is_valid.then(|| Aabb { min: min.into(), max: max.into() })
}

/// Returns the least and the greatest value of a column. Returns `None` if the values are not known, or if more than
/// `most_nulls` rows have no value.
fn bounds(column: &ColumnChunkMetaData, most_nulls: u64) -> Option<[f64; 2]> {
    let statistics = column.statistics().filter(|statistics| !statistics.is_min_max_deprecated())?;
    if most_nulls < u64::MAX && statistics.null_count_opt()? > most_nulls {
        return None;
    }
    match statistics {
        Statistics::Double(values) => Some([*values.min_opt()?, *values.max_opt()?]),
        // Some programs round a coordinate to the nearest f32, which can be inside the true box.
        Statistics::Float(values) => {
            Some([values.min_opt()?.next_down().into(), values.max_opt()?.next_up().into()])
        }
        _ => None,
    }
}
