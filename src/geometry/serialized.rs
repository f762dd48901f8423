//! `Serialize` and `Deserialize` for geometry. `Deserialize` rejects the values that the constructors reject, with the
//! same error messages.

use glam::DVec2;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

use super::{Aabb, ConvexPolygon, Pose, RoundedShape};

/// The serialised form of an [`Aabb`] that is not [`Aabb::EMPTY`].
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Aabb")]
struct Corners {
    min: DVec2,
    max: DVec2,
}

/// Serialises a box as its two corners. Serialises [`Aabb::EMPTY`] as `None`, which is `null` in JSON, because its
/// coordinates are infinite and JSON has no infinite numbers.
impl Serialize for Aabb {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { min, max } = *self;
        (*self != Self::EMPTY).then_some(Corners { min, max }).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Aabb {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let corners = Option::<Corners>::deserialize(deserializer)?;
        Ok(corners.map_or(Self::EMPTY, |Corners { min, max }| Self { min, max }))
    }
}

/// Serialises the polygon as the list of its vertices.
impl Serialize for ConvexPolygon {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.vertices().serialize(serializer)
    }
}

/// Builds the polygon with [`ConvexPolygon::new`].
///
/// ```
/// use sat2d::ConvexPolygon;
/// let triangle: ConvexPolygon = serde_json::from_str("[[0, 0], [2, 0], [0, 2]]")?;
/// assert_eq!(triangle.vertices().len(), 3);
/// let line = serde_json::from_str::<ConvexPolygon>("[[0, 0], [1, 1], [2, 2]]");
/// assert!(line.is_err_and(|error| error.to_string().contains("lie on one line")));
/// # Ok::<(), serde_json::Error>(())
/// ```
impl<'de> Deserialize<'de> for ConvexPolygon {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(&Vec::<DVec2>::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// The serialised form of a [`Pose`].
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Pose")]
struct PoseFields {
    cos: f64,
    sin: f64,
    translation: DVec2,
}

impl Serialize for Pose {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (cos, sin, translation) = (self.cos(), self.sin(), self.translation());
        PoseFields { cos, sin, translation }.serialize(serializer)
    }
}

/// Builds the pose with [`Pose::from_cos_sin`], and returns its errors.
impl<'de> Deserialize<'de> for Pose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let PoseFields { cos, sin, translation } = PoseFields::deserialize(deserializer)?;
        Self::from_cos_sin(cos, sin, translation).map_err(D::Error::custom)
    }
}

/// The serialised form of a [`RoundedShape`]. `core` is a list of vertices.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "RoundedShape")]
struct RoundedFields<C> {
    core: C,
    radius: f64,
}

impl Serialize for RoundedShape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RoundedFields { core: self.core(), radius: self.radius() }.serialize(serializer)
    }
}

/// Builds a circle from one vertex, a capsule from two vertices, or a polygon with round corners from three or more
/// vertices.
impl<'de> Deserialize<'de> for RoundedShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let RoundedFields { core, radius } = RoundedFields::<Vec<DVec2>>::deserialize(deserializer)?;
        let shape = match core[..] {
            [centre] => Self::circle(centre, radius),
            [from, to] => Self::capsule(from, to, radius),
            _ => ConvexPolygon::new(&core).and_then(|polygon| Self::polygon(&polygon, radius)),
        };
        shape.map_err(D::Error::custom)
    }
}
