//! `Serialize` and `Deserialize` for answers whose fields are private.

use glam::DVec2;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

use crate::answers::manifold::{Contact, Manifold};
use crate::answers::pair::PairEdge;
use crate::answers::points::FirstHits;

/// The serialised form of a [`Manifold`]. `points` is a list of contact points.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Manifold")]
struct ManifoldFields<P> {
    normal: DVec2,
    separation: f64,
    edge: PairEdge,
    points: P,
}

impl Serialize for Manifold {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { normal, separation, edge, .. } = *self;
        ManifoldFields { normal, separation, edge, points: self.points() }.serialize(serializer)
    }
}

/// Deserializes a manifold. Returns an error if there are more than two contact points, or if the separation of a contact point
/// is not a number.
impl<'de> Deserialize<'de> for Manifold {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = ManifoldFields::<Vec<Contact>>::deserialize(deserializer)?;
        let mut manifold = Self::without_points(fields.normal, fields.separation, fields.edge);
        for &contact in &fields.points {
            manifold.push_within(f64::INFINITY, contact);
        }
        if manifold.points().len() < fields.points.len() {
            let count = fields.points.len();
            let problem = "at most 2 are allowed, and the separation of each must be a number";
            return Err(D::Error::custom(format_args!("a manifold with {count} contact points: {problem}")));
        }
        Ok(manifold)
    }
}

impl Serialize for FirstHits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// Deserializes the first hits. Returns an error for the index 2^32 - 1, which no object has.
impl<'de> Deserialize<'de> for FirstHits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let hits = Vec::<Option<u32>>::deserialize(deserializer)?;
        if let Some(point) = hits.iter().position(|&hit| hit == Some(Self::NONE)) {
            let object = Self::NONE;
            return Err(D::Error::custom(format_args!(
                "point {point} names object {object}, but an index is less than {object}"
            )));
        }
        Ok(Self(hits.into_iter().map(|hit| hit.unwrap_or(Self::NONE)).collect()))
    }
}
