//! The features of a file.

use std::collections::BTreeMap;
use std::time::Duration;

use sat2d::{Aabb, Cleanup, PolygonSet};

use crate::{Crs, Error, FeaturePoints, Format, Ids};

/// The features of one input. Object `i` of the set is the region of feature `i`, and `ids.of(i)` is the id of feature `i`.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Features {
    /// One object for each feature. A null, empty or skipped feature has an object without a region.
    pub set: PolygonSet,
    /// The id of each feature. A feature that has no id in the input gets its index as its id. The ids are unique only if the
    /// ids of the input are unique. [`ReadCounts::ids_repeated`] counts the repeated ids.
    ///
    /// If another feature has an id that equals such an index, the index is written with a prefix. For example, the feature
    /// with index 5 has no id, and another feature has the id `5`. The feature with index 5 is then written as `index:5`. If
    /// `index:5` is also an id, the feature is written as `index:index:5`, and so on.
    pub ids: Ids,
    /// Whether no feature has the property [`ReadOptions::id_property`](crate::ReadOptions::id_property). If so, the id
    /// of each feature is its `id` in the input.
    pub lacks_property: bool,
    /// The points. There are none unless [`ReadOptions::points`](crate::ReadOptions::points) is set and the input has points. The
    /// object of a feature with points has no region.
    pub points: FeaturePoints,
    /// The first invalid features, in the order of the input, up to
    /// [`ReadOptions::max_described`](crate::ReadOptions::max_described). The list is empty unless
    /// [`ReadOptions::skip_invalid`](crate::ReadOptions::skip_invalid) is set.
    pub skipped: Vec<Skipped>,
    /// The index of each invalid feature, in the order of the input. The list is empty unless
    /// [`ReadOptions::skip_invalid`](crate::ReadOptions::skip_invalid) is set.
    pub left_out: Vec<u32>,
    /// The number of features of each type of geometry that cannot be joined, such as `LineString`. These features are
    /// also in [`Features::left_out`]. At most 32 types are counted by name. Further types count as `other`.
    pub unsupported: BTreeMap<String, usize>,
    /// The number of features that were left out because the input has points and polygons. These features are also in
    /// [`Features::left_out`].
    pub other_kind_count: usize,
    /// The first features that are valid only because of the rule [`ReadOptions::fill`](crate::ReadOptions::fill), in the order
    /// of the input. The list has at most [`ReadOptions::max_described`](crate::ReadOptions::max_described) features.
    pub filled: Vec<Filled>,
    /// Number of all features that are valid only because of the rule [`ReadOptions::fill`](crate::ReadOptions::fill).
    pub filled_count: usize,
    /// The coordinate reference system. The metadata of the file names the system, or else the SRIDs of its geometries
    /// do. In GeoJSON, the member `crs` of a FeatureCollection names it. `None` if the input names no system, or if its
    /// part files name different systems. Coordinates are treated as planar in any case.
    pub crs: Option<Crs>,
    /// The number of features that state each SRID, in EWKB and EWKT. Empty if no geometry states one.
    pub srids: BTreeMap<u32, usize>,
    /// Whether the file says that edges are great circles. Edges are treated as straight lines in any case.
    pub has_spherical_edges: bool,
    /// The format and the columns of the file.
    pub source: Source,
    /// Counts of geometries by type.
    pub contents: Contents,
    /// Counts of the row groups, if the input consists of Parquet files, or of FlatGeobuf files with an index.
    pub row_groups: RowGroups,
    /// Counts of features and of irregularities.
    pub counts: ReadCounts,
    /// Counts of the cleanups in the polygons of all valid features.
    pub cleanup: Cleanup,
    /// Wall-clock time of reading and parsing.
    pub read_time: Duration,
    /// Wall-clock time of checking polygons, splitting them into convex pieces, and building the set.
    pub decompose_time: Duration,
}

impl Features {
    /// Returns the number of features of each type of geometry. A MultiPolygon of one polygon counts as a polygon, and a
    /// MultiPoint of one point as a point. Null and empty geometries are not counted.
    #[must_use]
    pub fn types(&self) -> BTreeMap<String, usize> {
        let Contents { polygons, multi_polygons, points, multi_points, .. } = self.contents;
        let taken = [
            ("Polygon", polygons),
            ("MultiPolygon", multi_polygons),
            ("Point", points),
            ("MultiPoint", multi_points),
        ];
        let taken = taken.into_iter().filter(|(_, count)| *count > 0);
        let mut types: BTreeMap<String, usize> =
            taken.map(|(kind, count)| (kind.to_owned(), count)).collect();
        for (kind, count) in &self.unsupported {
            *types.entry(kind.clone()).or_default() += count;
        }
        types
    }

    /// Returns the box around all valid features, in the unit of the coordinates. `None` if no feature has a region or a point.
    #[must_use]
    pub fn extent(&self) -> Option<Aabb> {
        let of_points = self.points.positions().iter().map(|&point| Aabb { min: point, max: point });
        let boxes = self.set.object_aabbs().into_iter().chain(of_points);
        Some(boxes.fold(Aabb::EMPTY, Aabb::union)).filter(|around| around.min.x <= around.max.x)
    }

    /// Returns the number of points and vertices. The position that closes a ring is not counted.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        let positions = self.contents.positions + self.counts.rings_closed;
        positions.saturating_sub(self.contents.rings) + self.points.len()
    }
}

/// The format and the columns of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// The format. `None` if the features were not read by [`read`](crate::read()).
    pub format: Option<Format>,
    /// The names of the columns. GeoJSON has no columns. A Shapefile has the columns of its `.dbf` file.
    pub columns: Vec<String>,
    /// The index in `columns` of the column of geometries, or `None` if there is no such column.
    pub geometry: Option<usize>,
    /// The index in `columns` of the column with the ids of the features, or `None` if no column has ids.
    pub id: Option<usize>,
}

/// Counts of geometries by type, before the library checks polygons. A MultiPolygon of one polygon counts as a polygon, and a
/// MultiPoint of one point as a point. Null and empty geometries, and geometries that could not be decoded, are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// Number of features with one polygon.
    pub polygons: usize,
    /// Number of features with several polygons.
    pub multi_polygons: usize,
    /// Number of features with one point.
    pub points: usize,
    /// Number of features with several points.
    pub multi_points: usize,
    /// Number of rings of all polygons.
    pub rings: usize,
    /// Number of positions of all polygons in the file. The last position of a ring may repeat the first position.
    pub positions: usize,
}

/// Counts of row groups in Parquet files. The features under a lowest inner node of the index of a FlatGeobuf file count as a row
/// group, too. The counts are 0 for other formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowGroups {
    /// Number of all row groups.
    pub count: usize,
    /// Number of row groups that do not meet [`ReadOptions::window`](crate::ReadOptions::window). Only the ids of
    /// their features were read.
    pub left_out: usize,
}

/// An invalid feature that the reader left out.
#[derive(Debug)]
pub struct Skipped {
    /// Index of the feature in the whole input, from 0. The index in `error` counts from the start of the part file.
    pub feature: usize,
    /// The id of the feature, if it has one.
    pub id: Option<String>,
    /// Number of polygons in the feature. The reader left out all polygons of the feature. If the reader could not
    /// count the polygons, the number is 0.
    pub polygons: usize,
    /// The reason: an [`Error::Feature`], which names the file and the feature.
    pub error: Error,
}

/// A feature with rings that cross, which is valid only because of the rule [`ReadOptions::fill`](crate::ReadOptions::fill).
#[derive(Debug)]
pub struct Filled {
    /// Index of the feature in its input, from 0.
    pub feature: usize,
    /// The id of the feature, if it has one.
    pub id: Option<String>,
    /// The error that the reader would return for the feature without the rule: an [`Error::Feature`] with a position.
    pub error: Error,
}

/// Counts of features and of irregularities in the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadCounts {
    /// Total number of features, including skipped features and features without a region.
    pub features: usize,
    /// Number of features with a null geometry.
    pub null_geometries: usize,
    /// Number of features with a geometry without any position, such as `"coordinates": []`.
    pub empty_geometries: usize,
    /// Number of polygons without any position, in MultiPolygons that also have a polygon with positions.
    pub empty_polygons: usize,
    /// Number of positions with more than two ordinates. The reader ignored the third ordinate and any further
    /// ordinates.
    pub third_ordinates_ignored: usize,
    /// Number of rings that the reader closed, because the last position differed from the first.
    pub rings_closed: usize,
    /// Number of features without the property [`ReadOptions::id_property`](crate::ReadOptions::id_property). Each of
    /// these features has its index as its id. The number is 0 if [`Features::lacks_property`] is true.
    pub ids_missing: usize,
    /// Number of features whose written id equals the written id of an earlier feature.
    pub ids_repeated: usize,
    /// Number of features without an id whose index equals the id of another feature. Such an index is written with a
    /// prefix: for example, the index 5 is written as `index:5`.
    pub ids_told_apart: usize,
    /// Number of features with control characters in their id.
    pub ids_with_controls: usize,
}

impl std::ops::AddAssign for ReadCounts {
    fn add_assign(&mut self, other: Self) {
        self.features += other.features;
        self.null_geometries += other.null_geometries;
        self.empty_geometries += other.empty_geometries;
        self.empty_polygons += other.empty_polygons;
        self.third_ordinates_ignored += other.third_ordinates_ignored;
        self.rings_closed += other.rings_closed;
        self.ids_missing += other.ids_missing;
        self.ids_repeated += other.ids_repeated;
        self.ids_told_apart += other.ids_told_apart;
        self.ids_with_controls += other.ids_with_controls;
    }
}

impl std::ops::AddAssign for RowGroups {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.left_out += other.left_out;
    }
}

impl std::ops::AddAssign for Contents {
    fn add_assign(&mut self, other: Self) {
        self.polygons += other.polygons;
        self.multi_polygons += other.multi_polygons;
        self.points += other.points;
        self.multi_points += other.multi_points;
        self.rings += other.rings;
        self.positions += other.positions;
    }
}
