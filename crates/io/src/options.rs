//! Options for reading a file.

use std::sync::Arc;

use crate::{BytesRead, Format};

/// Options of [`read`](crate::read()). [`ReadOptions::default`] has the defaults, and a method for each field sets the field.
///
/// ```
/// use sat2d_io::{Format, ReadOptions};
/// let options = ReadOptions::default().format(Format::Csv).skip_invalid(true);
/// assert_eq!((options.format, options.skip_invalid), (Some(Format::Csv), true));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The format of the file. If `format` is `None`, the first bytes of the file determine the format, or else the name of the
    /// file.
    pub format: Option<Format>,
    /// The column of geometries of a table. If `geometry` is `None`, the metadata of the table names the column. Without
    /// metadata, the column has a usual name, such as `geometry` or `geom`. GeoJSON and files of WKT have no columns. In a
    /// GeoPackage, `geometry` is the name of a layer, or of the column of geometries of a layer.
    pub geometry: Option<String>,
    /// The property or the column whose value is the id of a feature. If `id_property` is `None`, the id is the member
    /// `id` of the GeoJSON feature, or the value in the column `id` of a table.
    ///
    /// If the property is missing or null in a feature, the id of the feature is its index.
    /// [`ReadCounts::ids_missing`](crate::ReadCounts::ids_missing) counts the features without the property. A table
    /// without the column is an [`Error::NoColumn`](crate::Error::NoColumn). If the property is missing or null in all
    /// features, the result is [`Error::IdProperty`](crate::Error::IdProperty). [`ReadOptions::id_otherwise`] prevents
    /// both errors.
    pub id_property: Option<String>,
    /// Whether to use the `id` of each feature if all features lack the property [`ReadOptions::id_property`]. In this
    /// case, [`Features::lacks_property`](crate::Features::lacks_property) is set. If `false`, the result is an error.
    pub id_otherwise: bool,
    /// Whether to leave out invalid features. [`Features::left_out`](crate::Features::left_out) has the indices of the
    /// features that were left out, and [`Features::skipped`](crate::Features::skipped) describes the first of them.
    /// If `false`, the first invalid feature is an error.
    ///
    /// If a file has points and polygons, the points are left out. [`read`](crate::read()) reads the file twice if it begins with
    /// a point. Standard input and pipes can be read only once. If they begin with a point, their polygons are left out.
    ///
    /// A file that does not conform to its format, such as text that is not JSON, is always an error.
    pub skip_invalid: bool,
    /// Maximum number of invalid features that [`Features::skipped`](crate::Features::skipped) describes.
    /// [`Features::left_out`](crate::Features::left_out) has the indices of all invalid features. The default is
    /// [`MAX_DESCRIBED`].
    pub max_described: usize,
    /// Whether to accept a file of Point and MultiPoint features. [`Features::points`](crate::Features::points) holds the
    /// points. In a file with points and polygons, the features of one kind are invalid.
    pub points: bool,
    /// Maximum size of the text of one feature of GeoJSON, CSV, TSV or WKT, in bytes. A larger feature is an
    /// [`Error::Feature`](crate::Error::Feature) with the source [`Error::FeatureTooLarge`](crate::Error::FeatureTooLarge),
    /// even if [`ReadOptions::skip_invalid`] is set. The default is [`MAX_FEATURE_BYTES`].
    ///
    /// In a GeoJSON feature of more than 1 MiB, the size does not include the members that the reader skips: the
    /// properties (unless a property has the id of the feature), and the members that GeoJSON does not define.
    pub max_feature_bytes: usize,
    /// The box that features must meet, in the unit of the coordinates. If `None`, every feature is read.
    ///
    /// Row groups of Parquet that cannot meet the box are not decoded. Their features have ids but no region, and
    /// invalid features among them are not found. The boxes of the row groups come from the covering column or from the
    /// statistics in the file. In FlatGeobuf, the lowest inner nodes of the index are the row groups.
    /// [`Features::row_groups`](crate::Features::row_groups) counts the row groups that were left out. Other formats are read
    /// whole.
    pub window: Option<sat2d::Aabb>,
    /// The counter of the bytes that are read, for a display of the progress. If `None`, the bytes are not counted.
    pub progress: Option<Arc<BytesRead>>,
    /// The rule for rings that cross and for holes that leave their shell. If `None`, a feature with such a polygon is invalid.
    /// [`Features::filled`](crate::Features::filled) lists the features that are valid only by the rule.
    pub fill: Option<sat2d::Fill>,
    /// Whether to read an input whose parts state different coordinate reference systems: two geometries with different SRIDs,
    /// or a geometry whose SRID differs from the metadata of the file, or two collections of GeoJSON, or two part files. If
    /// `false`, such an input is an error. If `true`, [`Features::crs`](crate::Features::crs) of such an input is the system in
    /// the metadata. It is `None` if the metadata states no system, or if two part files state different systems.
    pub ignore_crs: bool,
    /// Whether to read an input in which two geometries state different SRIDs, or a geometry states another SRID than the
    /// metadata of the file. [`Features::srids`](crate::Features::srids) has the SRIDs.
    #[doc(hidden)]
    pub several_srids: bool,
    /// Whether all points are invalid features, even if the input begins with a point.
    #[doc(hidden)]
    pub only_polygons: bool,
    /// The names that messages use for some of these options.
    #[doc(hidden)]
    pub option_names: OptionNames,
    /// The name that messages use for the option [`ReadOptions::format`].
    #[doc(hidden)]
    pub format_option: &'static str,
}

/// The names of options in the remedies of messages.
#[derive(Clone, Copy, Debug)]
pub struct OptionNames {
    /// The option that sets [`ReadOptions::geometry`].
    pub geometry: &'static str,
    /// The option that sets [`ReadOptions::id_property`].
    pub id: &'static str,
    /// The option that sets [`ReadOptions::ignore_crs`], or `None` if the caller has no such option.
    pub crs: Option<&'static str>,
}

/// The default of [`ReadOptions::max_feature_bytes`]: 256 MiB, about ten million positions.
pub const MAX_FEATURE_BYTES: usize = 256 << 20;

/// The default of [`ReadOptions::max_described`]. The description of an invalid feature can take more memory than the feature.
pub const MAX_DESCRIBED: usize = 100;

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            geometry: None,
            id_property: None,
            id_otherwise: false,
            skip_invalid: false,
            max_described: MAX_DESCRIBED,
            points: false,
            max_feature_bytes: MAX_FEATURE_BYTES,
            window: None,
            progress: None,
            fill: None,
            ignore_crs: false,
            several_srids: false,
            only_polygons: false,
            format_option: "--from",
            option_names: OptionNames {
                geometry: "--geometry",
                id: "--id",
                crs: Some("`--ignore-crs`, in `sat2d-io` `ReadOptions::ignore_crs`"),
            },
        }
    }
}

/// The methods that set the fields, one for each field.
impl ReadOptions {
    /// Sets the field [`format`](#structfield.format).
    #[must_use]
    pub fn format(self, format: impl Into<Option<Format>>) -> Self {
        Self { format: format.into(), ..self }
    }

    /// Sets the field [`geometry`](#structfield.geometry).
    #[must_use]
    pub fn geometry(self, geometry: impl Into<Option<String>>) -> Self {
        Self { geometry: geometry.into(), ..self }
    }

    /// Sets the field [`id_property`](#structfield.id_property).
    #[must_use]
    pub fn id_property(self, id_property: impl Into<Option<String>>) -> Self {
        Self { id_property: id_property.into(), ..self }
    }

    /// Sets the field [`id_otherwise`](#structfield.id_otherwise).
    #[must_use]
    pub fn id_otherwise(self, id_otherwise: bool) -> Self {
        Self { id_otherwise, ..self }
    }

    /// Sets the field [`skip_invalid`](#structfield.skip_invalid).
    #[must_use]
    pub fn skip_invalid(self, skip_invalid: bool) -> Self {
        Self { skip_invalid, ..self }
    }

    /// Sets the field [`max_described`](#structfield.max_described).
    #[must_use]
    pub fn max_described(self, max_described: usize) -> Self {
        Self { max_described, ..self }
    }

    /// Sets the field [`points`](#structfield.points).
    #[must_use]
    pub fn points(self, points: bool) -> Self {
        Self { points, ..self }
    }

    /// Sets the field [`max_feature_bytes`](#structfield.max_feature_bytes).
    #[must_use]
    pub fn max_feature_bytes(self, max_feature_bytes: usize) -> Self {
        Self { max_feature_bytes, ..self }
    }

    /// Sets the field [`window`](#structfield.window).
    #[must_use]
    pub fn window(self, window: impl Into<Option<sat2d::Aabb>>) -> Self {
        Self { window: window.into(), ..self }
    }

    /// Sets the field [`progress`](#structfield.progress).
    #[must_use]
    pub fn progress(self, progress: impl Into<Option<Arc<BytesRead>>>) -> Self {
        Self { progress: progress.into(), ..self }
    }

    /// Sets the field [`fill`](#structfield.fill).
    #[must_use]
    pub fn fill(self, fill: impl Into<Option<sat2d::Fill>>) -> Self {
        Self { fill: fill.into(), ..self }
    }

    /// Sets the field [`ignore_crs`](#structfield.ignore_crs).
    #[must_use]
    pub fn ignore_crs(self, ignore_crs: bool) -> Self {
        Self { ignore_crs, ..self }
    }

    /// Sets the field [`several_srids`](#structfield.several_srids).
    #[doc(hidden)]
    #[must_use]
    pub fn several_srids(self, several_srids: bool) -> Self {
        Self { several_srids, ..self }
    }

    /// Sets the field [`format_option`](#structfield.format_option).
    #[doc(hidden)]
    #[must_use]
    pub fn format_option(self, format_option: &'static str) -> Self {
        Self { format_option, ..self }
    }

    /// Sets the field [`option_names`](#structfield.option_names).
    #[doc(hidden)]
    #[must_use]
    pub fn option_names(self, option_names: OptionNames) -> Self {
        Self { option_names, ..self }
    }
}
