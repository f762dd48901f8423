//! Finds the column of geometries of a table, its encoding, and its reference system.
//!
//! The sources are the metadata of GeoParquet 1.0 and 1.1, the logical types of Parquet, and the extension types of
//! GeoArrow. If a file has none of these, the name of the column decides.

use std::collections::HashMap;
use std::path::Path;

use arrow_schema::{DataType, Field, Schema};
use serde::Deserialize;
use serde_json::Value;

use crate::crs::Crs;
use crate::{Error, ReadOptions, Result, column_names};

/// The encoding of a column of geometries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Well-known binary, in bytes or in hexadecimal digits, or well-known text.
    Wkb,
    Native(Native),
}

/// The geometry types that have a native encoding in GeoArrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Native {
    Point,
    LineString,
    Polygon,
    MultiPoint,
    MultiLineString,
    MultiPolygon,
}

impl Native {
    const ALL: [Self; 6] = [
        Self::Point,
        Self::LineString,
        Self::Polygon,
        Self::MultiPoint,
        Self::MultiLineString,
        Self::MultiPolygon,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Point => "Point",
            Self::LineString => "LineString",
            Self::Polygon => "Polygon",
            Self::MultiPoint => "MultiPoint",
            Self::MultiLineString => "MultiLineString",
            Self::MultiPolygon => "MultiPolygon",
        }
    }

    /// Returns the number of levels of lists around the positions of a geometry of this type.
    pub(super) fn depth(self) -> usize {
        match self {
            Self::Point => 0,
            Self::LineString | Self::MultiPoint => 1,
            Self::Polygon | Self::MultiLineString => 2,
            Self::MultiPolygon => 3,
        }
    }
}

/// A column whose type in Parquet is a geometry.
#[derive(Clone, Debug)]
pub(crate) struct Logical {
    pub(crate) index: usize,
    /// The text that states the reference system. `None` means longitude and latitude.
    pub(crate) crs: Option<String>,
    /// Whether the edges of the geometries are arcs of great circles.
    pub(crate) is_spherical: bool,
}

/// The column of geometries of a table, and the encoding and the reference system of its values.
#[derive(Debug)]
pub(super) struct GeometryColumn {
    pub(super) index: usize,
    pub(super) encoding: Encoding,
    pub(super) crs: Option<Crs>,
    /// Whether the edges of the geometries are arcs of great circles.
    pub(super) is_spherical: bool,
    /// The paths of the columns of boxes: the least x, the least y, the greatest x, the greatest y. `None` if the table
    /// has no such columns.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only Parquet has row groups"))]
    pub(super) covering: Option<[Vec<String>; 4]>,
}

/// The members of the metadata of GeoParquet that the reader uses.
#[derive(Debug, Deserialize)]
struct Geo {
    primary_column: String,
    columns: HashMap<String, GeoColumn>,
}

#[derive(Debug, Deserialize)]
struct GeoColumn {
    encoding: String,
    /// The reference system. A missing member means longitude and latitude, and null means an unknown system.
    #[serde(default, deserialize_with = "present")]
    crs: Option<Value>,
    edges: Option<String>,
    /// The member `covering`, which has the paths of the columns of boxes. `None` if there is no such member. A
    /// covering in an unknown form is ignored.
    covering: Option<Value>,
}

/// Returns the paths of the columns of boxes, or `None` if the metadata does not have the form of GeoParquet 1.1.
fn covering(value: &Value) -> Option<[Vec<String>; 4]> {
    let paths = ["xmin", "ymin", "xmax", "ymax"].map(|name| {
        let path = value.get("bbox")?.get(name)?.as_array()?;
        path.iter().map(|part| part.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    let [min_x, min_y, max_x, max_y] = paths;
    Some([min_x?, min_y?, max_x?, max_y?])
}

/// Deserializes the value of a member as `Some`, even if the value is null. Returns the error of the deserializer.
fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl GeometryColumn {
    pub(super) fn find(
        schema: &Schema,
        geo: Option<&str>,
        logical: &[Logical],
        path: &Path,
        options: &ReadOptions,
    ) -> Result<Self> {
        let option = options.option_names.geometry;
        let format = |problem: String| Error::Format { path: path.into(), problem };
        let geo: Option<Geo> = geo
            .map(serde_json::from_str)
            .transpose()
            .map_err(|error| format(format!("its GeoParquet metadata is not valid: {error}")))?;
        let names = || -> Vec<String> { schema.fields().iter().map(|field| field.name().clone()).collect() };
        let index_of = |name: &str| schema.fields().iter().position(|field| field.name() == name);
        let missing =
            |column: &str| Error::NoColumn { path: path.into(), column: column.into(), columns: names() };
        let index = if let Some(name) = &options.geometry {
            column_names::find(&names(), name).ok_or_else(|| missing(name))?
        } else if let Some(geo) = &geo {
            index_of(&geo.primary_column).ok_or_else(|| missing(&geo.primary_column))?
        } else {
            let fields = schema.fields().iter().enumerate();
            let extensions = fields.filter_map(|(index, field)| Some((index, extension(field)?.0)));
            let (readable, others): (Vec<_>, Vec<_>) =
                extensions.partition(|(_, name)| encoding(name).is_some());
            let readable: Vec<usize> = readable.into_iter().map(|(index, _)| index).collect();
            let logical: Vec<usize> = logical.iter().map(|logical| logical.index).collect();
            // If several columns are possible, the reader cannot choose one.
            let known = if readable.is_empty() { logical } else { readable };
            if let [_, _, ..] = known[..] {
                let names: Vec<_> = known.iter().map(|&index| schema.field(index).name().as_str()).collect();
                let names = names.join(", ");
                return Err(format(format!(
                    "several columns have geometries; name one with `{option}`: {names}"
                )));
            }
            let usual =
                || column_names::find_geometry(&names(), |index| may_be_wkb(schema.field(index).data_type()));
            let index = known.first().copied().or_else(usual).or(others.first().map(|other| other.0));
            index.ok_or_else(|| {
                let names = names().join(", ");
                format(format!(
                    "no column is known to have geometries; name one with `{option}`; the columns are {names}"
                ))
            })?
        };
        let field = schema.field(index);
        let of_geo = geo.as_ref().and_then(|geo| geo.columns.get(field.name()));
        let of_logical = logical.iter().find(|logical| logical.index == index);
        let (encoding, crs) = if let Some(column) = of_geo {
            let crs = match &column.crs {
                None => Some(Crs::crs84()),
                Some(value) => Crs::from_json(value),
            };
            (encoding(&column.encoding), crs)
        } else if let Some((name, metadata)) = extension(field) {
            (encoding(name), metadata.and_then(|metadata| Crs::from_json(metadata.get("crs")?)))
        } else {
            let crs = of_logical.map(|logical| match logical.crs.as_deref() {
                None | Some("") => Some(Crs::crs84()),
                Some("srid:0") => None,
                Some(text) => Crs::from_json(&Value::String(text.into())),
            });
            (may_be_wkb(field.data_type()).then_some(Encoding::Wkb), crs.flatten())
        };
        let encoding = encoding.ok_or_else(|| {
            let how = of_geo.map(|column| column.encoding.as_str());
            let how =
                how.or_else(|| extension(field).map(|(name, _)| name)).unwrap_or("neither WKB nor GeoArrow");
            format(format!(
                "column {}: its geometries are {how} ({}); convert them to WKB or to GeoArrow polygons",
                field.name(),
                field.data_type()
            ))
        })?;
        let edges = of_geo.and_then(|column| column.edges.clone());
        let of_extension = || extension(field)?.1?.get("edges")?.as_str().map(str::to_owned);
        let edges = edges.or_else(of_extension).filter(|edges| !edges.eq_ignore_ascii_case("planar"));
        let is_spherical = edges.is_some() || of_logical.is_some_and(|logical| logical.is_spherical);
        let covering = of_geo.and_then(|column| covering(column.covering.as_ref()?));
        Ok(Self { index, encoding, crs, is_spherical, covering })
    }
}

/// Returns the extension type of a field and the metadata of the type. Returns `None` if the field has no extension type for
/// geometries.
fn extension(field: &Field) -> Option<(&str, Option<Value>)> {
    let name = field.metadata().get("ARROW:extension:name")?;
    let is_geometry = name.starts_with("geoarrow.") || name == "ogc.wkb";
    let metadata = field.metadata().get("ARROW:extension:metadata");
    is_geometry.then(|| (name.as_str(), metadata.and_then(|text| serde_json::from_str(text).ok())))
}

/// Returns the encoding that has the given name in GeoParquet or in GeoArrow. Returns `None` if the reader does not support
/// the encoding.
fn encoding(name: &str) -> Option<Encoding> {
    let name = name.strip_prefix("geoarrow.").or_else(|| name.strip_prefix("ogc.")).unwrap_or(name);
    if name.eq_ignore_ascii_case("wkb") || name.eq_ignore_ascii_case("wkt") {
        return Some(Encoding::Wkb);
    }
    Native::ALL.into_iter().find(|native| native.name().eq_ignore_ascii_case(name)).map(Encoding::Native)
}

fn may_be_wkb(data_type: &DataType) -> bool {
    let data_type = match data_type {
        DataType::Dictionary(_, values) => values,
        data_type => data_type,
    };
    matches!(
        data_type,
        DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
    )
}
