//! Parses one JSON value into one feature: the id, and the rings of the geometry.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::malformed::nested_problem;
use super::ordinates::{Position, has_too_small};
use super::position::message;
use crate::name::{Name, Naming};
use crate::{Error, Id};
use sat2d::internal::{Shown, shortened};

/// The rings of a polygon: the shell, then the holes.
pub(super) type Rings = Vec<Vec<Position>>;

#[derive(Debug)]
pub(super) enum Geometry {
    Null,
    Polygon(Rings),
    MultiPolygon(Vec<Rings>),
    /// A Point or a MultiPoint. Its coordinates are parsed only if the caller requests points.
    Points {
        kind: &'static str,
        coordinates: Option<Box<RawValue>>,
    },
    /// A geometry without a position, such as an empty Point, LineString or collection.
    Empty,
    Unsupported(String),
}

impl Geometry {
    /// Returns the polygons, each as its rings. A Polygon is one polygon. Other geometries have no polygons.
    pub(super) fn polygons(&self) -> &[Rings] {
        match self {
            Self::Polygon(rings) => std::slice::from_ref(rings),
            Self::MultiPolygon(polygons) => polygons,
            _ => &[],
        }
    }

    /// Returns true if x or y of a position may be 0 only because the written number is too small for f64.
    pub(super) fn may_have_too_small(&self) -> bool {
        self.rings().any(|ring| may_be_too_small(ring))
    }

    fn rings(&self) -> impl Iterator<Item = &Vec<Position>> {
        self.polygons().iter().flatten()
    }
}

/// Returns the positions of a Point or a MultiPoint. A Point has one position, or no position if it is empty.
///
/// # Errors
/// Returns [`Error::Malformed`] if the coordinates are missing, are not positions, or are too small for f64.
pub(super) fn positions(kind: &str, coordinates: Option<&RawValue>) -> Result<Vec<Position>, Error> {
    let malformed = |problem: String| Error::Malformed { problem };
    let Some(raw) = coordinates else { return Err(malformed(format!("the {kind} has no `coordinates`"))) };
    let is_empty = serde_json::from_str::<[(); 0]>(raw.get()).is_ok();
    let positions = match kind {
        _ if is_empty => Ok(Vec::new()),
        "Point" => serde_json::from_str(raw.get()).map(|position| vec![position]),
        _ => serde_json::from_str(raw.get()),
    };
    let positions =
        positions.map_err(|e| malformed(format!("`coordinates` of the {kind}: {}", message(&e))))?;
    if may_be_too_small(&positions) && has_too_small(raw.get().as_bytes()) {
        let levels: &[&str] = if kind == "Point" { &[] } else { &["position"] };
        if let Some(problem) = nested_problem(raw, levels, "`coordinates`") {
            return Err(malformed(problem));
        }
    }
    Ok(positions)
}

fn may_be_too_small(positions: &[Position]) -> bool {
    positions.iter().any(|position| position.may_be_too_small)
}

#[derive(Debug)]
pub(super) struct Feature {
    pub(super) name: Name,
    pub(super) geometry: Geometry,
}

/// The result of parsing a JSON value: a feature, or the reason why the value is not a feature.
#[derive(Debug)]
pub(super) enum Parsed {
    Feature(Feature),
    /// The value is neither a feature nor a geometry, in a place where only these are allowed. The string is the error
    /// message.
    NoFeature(String),
}

/// Parses a Feature. Also parses a bare geometry as a feature, unless the value is an item of a collection.
///
/// # Errors
/// Returns the error of [`serde_json`]. [`explain`](super::malformed::explain) finds a better message.
pub(super) fn parse(
    bytes: &[u8],
    in_collection: bool,
    naming: Naming<'_>,
) -> Result<Parsed, serde_json::Error> {
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    let visitor = ObjectVisitor { is_geometry: false, wants_properties: naming.property.is_some() };
    let object = parser.deserialize_any(visitor)?;
    parser.end()?;
    let kind = match &object.kind {
        Some(Kind::Feature) => {
            let geometry = object.geometry.ok_or_else(|| {
                de::Error::custom("a Feature without `geometry`; write null if it has none")
            })?;
            let name = name(object.id.map(RawValue::get), object.properties.map(RawValue::get), naming)?;
            return Ok(Parsed::Feature(Feature { name, geometry }));
        }
        kind if in_collection => {
            let found = kind.as_ref().map_or("no `type`", Kind::name);
            let found = Shown(found);
            return Err(de::Error::custom(format!("expected an object of type Feature, found {found}")));
        }
        kind => kind,
    };
    Ok(Parsed::NoFeature(match kind {
        Some(Kind::Unknown(name)) if name == "Topology" => {
            "this is TopoJSON; convert it to GeoJSON first (`ogr2ogr out.geojson in.json`)".to_owned()
        }
        Some(Kind::Unknown(name)) => format!("type {:?} is not one of GeoJSON's", shortened(name)),
        Some(Kind::FeatureCollection) => "a FeatureCollection without an array `features`".to_owned(),
        None if object.is_esri => ESRI.to_owned(),
        None => "an object without `type`; expected a FeatureCollection, a Feature or a geometry".to_owned(),
        Some(_) => {
            return Ok(Parsed::Feature(Feature { name: Name::default(), geometry: object.into_geometry()? }));
        }
    }))
}

/// Returns the name of a feature, from the JSON texts of its `id` and its properties.
///
/// # Errors
/// Returns an error if the value that names the feature is neither a string nor a number.
pub(super) fn name(
    id: Option<&str>,
    properties: Option<&str>,
    naming: Naming<'_>,
) -> Result<Name, serde_json::Error> {
    let own = |id: Option<&str>| id.map_or(Ok(None), |text| id_from(text, "id"));
    let Some(name) = naming.property else { return Ok(Name { id: own(id)?, own: None }) };
    let value = properties.map_or(Ok(None), |properties| property(properties, name))?;
    let named = value.map_or(Ok(None), |value| id_from(value.get(), name))?;
    let is_own_kept = naming.keeps_ids && named.is_none();
    Ok(Name { id: named, own: if is_own_kept { own(id)? } else { None } })
}

/// Returns the id in a JSON value, or `None` if the value is `null`. `name` is the name of the member in the error message.
///
/// # Errors
/// Returns an error if the value is neither a string nor a number.
pub(super) fn id_from(text: &str, name: &str) -> Result<Option<Id>, serde_json::Error> {
    match text.as_bytes() {
        [b'"', ..] => Ok(Some(Id::Text(serde_json::from_str(text)?))),
        [b'-' | b'0'..=b'9', ..] => Ok(Some(Id::from_number(text))),
        b"null" => Ok(None),
        _ => Err(de::Error::custom(format!(
            "`{}` is {}; an id is a string or a number",
            Shown(name),
            super::malformed::excerpt(text)
        ))),
    }
}

/// Returns the value of the property `name`. Returns `None` if the JSON text `properties` is not an object, or has no
/// such property. Returns an error if the text is not valid JSON.
pub(super) fn property<'a>(
    properties: &'a str,
    name: &str,
) -> Result<Option<&'a RawValue>, serde_json::Error> {
    struct Named<'a>(&'a str);
    impl<'de> DeserializeSeed<'de> for Named<'_> {
        type Value = bool;
        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
            deserializer.deserialize_str(self)
        }
    }
    impl Visitor<'_> for Named<'_> {
        type Value = bool;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the name of a property")
        }
        fn visit_str<E: de::Error>(self, name: &str) -> Result<bool, E> {
            Ok(name == self.0)
        }
    }
    struct Properties<'a>(&'a str);
    impl<'de> Visitor<'de> for Properties<'_> {
        type Value = Option<&'de RawValue>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object of properties")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut value = None;
            while let Some(is_it) = map.next_key_seed(Named(self.0))? {
                if is_it {
                    value = Some(map.next_value()?);
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(value)
        }
    }
    if !properties.starts_with('{') {
        return Ok(None);
    }
    serde_json::Deserializer::from_str(properties).deserialize_map(Properties(name))
}

#[derive(Debug)]
enum Kind {
    Feature,
    FeatureCollection,
    Polygon,
    MultiPolygon,
    GeometryCollection,
    Points(&'static str),
    OtherGeometry(&'static str),
    Unknown(String),
}

impl Kind {
    fn from_name(name: &str) -> Self {
        match name {
            "Feature" => Self::Feature,
            "FeatureCollection" => Self::FeatureCollection,
            "Polygon" => Self::Polygon,
            "MultiPolygon" => Self::MultiPolygon,
            "GeometryCollection" => Self::GeometryCollection,
            "Point" => Self::Points("Point"),
            "MultiPoint" => Self::Points("MultiPoint"),
            "LineString" => Self::OtherGeometry("LineString"),
            "MultiLineString" => Self::OtherGeometry("MultiLineString"),
            _ => Self::Unknown(name.to_owned()),
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Feature => "Feature",
            Self::FeatureCollection => "FeatureCollection",
            Self::Polygon => "Polygon",
            Self::MultiPolygon => "MultiPolygon",
            Self::GeometryCollection => "GeometryCollection",
            Self::Points(name) | Self::OtherGeometry(name) => name,
            Self::Unknown(name) => name,
        }
    }

    /// Returns whether `coordinates` of a geometry of this type have no position.
    fn is_empty(&self, coordinates: &RawValue) -> bool {
        let text = coordinates.get();
        match self {
            Self::Points(_) | Self::OtherGeometry("LineString") => is_array_of::<[(); 0]>(text),
            Self::Polygon | Self::OtherGeometry(_) => is_array_of::<Vec<[(); 0]>>(text),
            Self::MultiPolygon => is_array_of::<Vec<Vec<[(); 0]>>>(text),
            _ => false,
        }
    }
}

fn is_array_of<T: DeserializeOwned>(text: &str) -> bool {
    serde_json::from_str::<T>(text).is_ok()
}

/// The largest depth of nested collections that the parser accepts.
const MAX_DEPTH: usize = 8;

/// Returns the only geometry of a collection that has a position, or [`Geometry::Empty`] if no geometry has a position. Returns
/// [`Geometry::Unsupported`] for any other collection, for example one in which several geometries have a position. Returns an
/// error if coordinates are malformed.
fn sole_geometry(geometries: &RawValue, depth: usize) -> Result<Geometry, serde_json::Error> {
    #[derive(Deserialize)]
    struct Member<'a> {
        r#type: Kind,
        #[serde(borrow)]
        coordinates: Option<&'a RawValue>,
        #[serde(borrow)]
        geometries: Option<&'a RawValue>,
    }
    let unsupported = || Ok(Geometry::Unsupported("GeometryCollection".to_owned()));
    let Ok(members) = serde_json::from_str::<Vec<Member<'_>>>(geometries.get()) else { return unsupported() };
    let mut sole = Geometry::Empty;
    for Member { r#type, coordinates, geometries } in members {
        let geometry = match (r#type, coordinates, geometries) {
            (Kind::GeometryCollection, _, Some(inner)) if depth < MAX_DEPTH => {
                sole_geometry(inner, depth + 1)?
            }
            (kind, Some(raw), _) if kind.is_empty(raw) => continue,
            (Kind::Polygon, Some(raw), _) => Geometry::Polygon(serde_json::from_str(raw.get())?),
            (Kind::MultiPolygon, Some(raw), _) => Geometry::MultiPolygon(serde_json::from_str(raw.get())?),
            (Kind::Points(kind), Some(raw), _) => {
                Geometry::Points { kind, coordinates: Some(raw.to_owned()) }
            }
            (Kind::OtherGeometry(name), ..) => Geometry::Unsupported(name.to_owned()),
            _ => return unsupported(),
        };
        match (&sole, &geometry) {
            (_, Geometry::Empty) => {}
            (Geometry::Empty, _) => sole = geometry,
            _ => return unsupported(),
        }
    }
    Ok(sole)
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KindVisitor;
        impl Visitor<'_> for KindVisitor {
            type Value = Kind;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`type` to be a string")
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Kind, E> {
                Ok(Kind::from_name(name))
            }
        }
        deserializer.deserialize_str(KindVisitor)
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Member {
    Type,
    Id,
    Geometry,
    Properties,
    Coordinates,
    Geometries,
    /// The member `rings`, which a geometry in Esri JSON has instead of `coordinates`.
    Rings,
    #[serde(other)]
    Foreign,
}

/// Returns whether the value of a member is needed. `name` is the name in the text, with its quotes.
pub(super) fn is_needed(name: &[u8], needs_properties: bool) -> bool {
    match name {
        b"\"type\"" | b"\"id\"" | b"\"geometry\"" | b"\"coordinates\"" | b"\"geometries\"" => true,
        b"\"properties\"" => needs_properties,
        // A name with an escape may be any of these names.
        _ => name.contains(&b'\\'),
    }
}

/// The members of an object that have been read. The kind of the object may not be known yet, because its members come
/// in any order.
#[derive(Default)]
struct Object<'de> {
    kind: Option<Kind>,
    id: Option<&'de RawValue>,
    geometry: Option<Geometry>,
    properties: Option<&'de RawValue>,
    coordinates: Option<Coordinates<'de>>,
    geometries: Option<&'de RawValue>,
    /// Whether the object has the member `rings`, as a geometry in Esri JSON has.
    is_esri: bool,
}

const ESRI: &str = "this is Esri JSON, which has `rings` for coordinates; convert it to GeoJSON first (`ogr2ogr out.geojson in.json`), or request f=geojson from the server";

enum Coordinates<'de> {
    /// The unparsed coordinates. They came before the type of the geometry, so they could not be parsed yet.
    Raw(&'de RawValue),
    Polygon(Rings),
    MultiPolygon(Vec<Rings>),
    Ignored,
}

impl Object<'_> {
    fn into_geometry(self) -> Result<Geometry, serde_json::Error> {
        let Some(kind) = self.kind else {
            let problem = if self.is_esri { ESRI } else { "the geometry has no `type`" };
            return Err(de::Error::custom(problem));
        };
        let missing = |member| -> serde_json::Error {
            de::Error::custom(format!("the {} has no `{member}`", kind.name()))
        };
        match (&kind, self.coordinates) {
            (Kind::Polygon, Some(Coordinates::Polygon(rings))) => Ok(Geometry::Polygon(rings)),
            (Kind::Polygon, Some(Coordinates::Raw(raw))) => {
                Ok(Geometry::Polygon(serde_json::from_str(raw.get())?))
            }
            (Kind::MultiPolygon, Some(Coordinates::MultiPolygon(polygons))) => {
                Ok(Geometry::MultiPolygon(polygons))
            }
            (Kind::MultiPolygon, Some(Coordinates::Raw(raw))) => {
                Ok(Geometry::MultiPolygon(serde_json::from_str(raw.get())?))
            }
            (Kind::Polygon | Kind::MultiPolygon, _) => Err(missing("coordinates")),
            (Kind::GeometryCollection, _) => {
                let Some(raw) = self.geometries else { return Err(missing("geometries")) };
                let _: Vec<IgnoredAny> = serde_json::from_str(raw.get())?;
                sole_geometry(raw, 0)
            }
            (kind, Some(Coordinates::Raw(raw))) if kind.is_empty(raw) => Ok(Geometry::Empty),
            (&Kind::Points(kind), coordinates) => {
                let raw = match coordinates {
                    Some(Coordinates::Raw(raw)) => Some(raw.to_owned()),
                    _ => None,
                };
                Ok(Geometry::Points { kind, coordinates: raw })
            }
            (Kind::OtherGeometry(name), _) => Ok(Geometry::Unsupported((*name).to_owned())),
            (Kind::Feature | Kind::FeatureCollection | Kind::Unknown(_), _) => {
                Err(de::Error::custom(format!("{:?} is not a type of geometry", shortened(kind.name()))))
            }
        }
    }
}

#[derive(Clone, Copy)]
struct ObjectVisitor {
    is_geometry: bool,
    wants_properties: bool,
}

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_geometry { "a geometry or null" } else { "a GeoJSON object" })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
        let mut object = Object::default();
        while let Some(member) = map.next_key()? {
            match member {
                Member::Type => set(&mut object.kind, map.next_value()?, "type")?,
                Member::Coordinates => {
                    let coordinates = match &object.kind {
                        None | Some(Kind::Points(_) | Kind::OtherGeometry(_)) => {
                            Coordinates::Raw(map.next_value()?)
                        }
                        Some(Kind::Polygon) => Coordinates::Polygon(map.next_value()?),
                        Some(Kind::MultiPolygon) => Coordinates::MultiPolygon(map.next_value()?),
                        Some(_) => {
                            map.next_value::<IgnoredAny>()?;
                            Coordinates::Ignored
                        }
                    };
                    set(&mut object.coordinates, coordinates, "coordinates")?;
                }
                Member::Geometries => set(&mut object.geometries, map.next_value()?, "geometries")?,
                Member::Id if !self.is_geometry => set(&mut object.id, map.next_value()?, "id")?,
                Member::Geometry if !self.is_geometry => {
                    set(&mut object.geometry, map.next_value()?, "geometry")?;
                }
                Member::Properties if self.wants_properties => {
                    set(&mut object.properties, map.next_value()?, "properties")?;
                }
                other => {
                    object.is_esri |= matches!(other, Member::Rings);
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(object)
    }
}

/// Sets a member. Returns an error if the member is repeated, because JSON does not define the meaning of a repeated member.
fn set<T, E: de::Error>(slot: &mut Option<T>, value: T, name: &'static str) -> Result<(), E> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::duplicate_field(name)),
    }
}

impl<'de> Deserialize<'de> for Geometry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct GeometryVisitor(ObjectVisitor);
        impl<'de> Visitor<'de> for GeometryVisitor {
            type Value = Geometry;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.expecting(f)
            }
            fn visit_unit<E: de::Error>(self) -> Result<Geometry, E> {
                Ok(Geometry::Null)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Geometry, A::Error> {
                self.0.visit_map(map)?.into_geometry().map_err(|e| de::Error::custom(message(&e)))
            }
        }
        let object = ObjectVisitor { is_geometry: true, wants_properties: false };
        deserializer.deserialize_any(GeometryVisitor(object))
    }
}
