//! Generates scenes of polygons. The command line, the benchmarks and the tests use the same recipes.
//!
//! The name, the count and the seed determine a scene bit for bit, on every machine and for any number of threads. The
//! random numbers come from a published cipher, with one stream of numbers for each polygon. The arithmetic uses only
//! `+ - * /` and square roots in f64. Each ring is the convex hull of random points. Rings are strictly convex and
//! counter-clockwise.

mod near_touching;
mod placed;
pub(crate) mod random;
mod shapes;

use std::fmt;
use std::str::FromStr;

use crate::base::error::Error;

pub use near_touching::near_touching_pairs;

/// A recipe for generated polygons. Each recipe except [`Scene::NearTouching`] states the mean number of neighbours of a polygon.
/// Two polygons are neighbours if their closed bounding boxes meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scene {
    /// Rectangles with 4 neighbours each. Half of each side is uniform in 0.3..1. The angles are uniform, and the
    /// positions are uniform in a square.
    Boxes,
    /// Polygons with 3 to 8 vertices on an ellipse, and 6 neighbours each. The ellipse is divided into equal sectors,
    /// and each sector has one vertex at a random angle. The half axis `a` of the ellipse is uniform in 0.3..1, and the
    /// half axis `b` is uniform in `0.4 a..a`. The rotation is uniform, and the positions are uniform in a square.
    Ngons,
    /// Polygons that are made by the recipe of [`Scene::Ngons`], but with 8 to 32 vertices.
    BigNgons,
    /// Polygons with 5 to 8 vertices on a long ellipse. The half axis `a` of the ellipse is uniform in 0.56..0.70, and
    /// the half axis `b` is uniform in `0.2 a..0.4 a`. The rotation is normally distributed, with a mean of 45 degrees
    /// and a standard deviation of 11 degrees. The positions form a square lattice with a spacing of 0.51. Each
    /// position is moved by up to half a cell along x and y. The order of the polygons is random. A polygon has 10
    /// neighbours on average.
    Crowd,
    /// Polygons with 3 to 8 vertices on an ellipse, as in [`Scene::Ngons`], in normally distributed clusters around
    /// sqrt(count) centres. The sizes follow a power law, from 0.001 to 1. A polygon has 6 neighbours on average. Most
    /// polygons have few neighbours, and large polygons have many.
    Clustered,
    /// Pairs of polygons that touch or nearly touch. Each pair is alone in a square cell with a side of 64.
    /// [`near_touching_pairs`] lists the kinds of pairs.
    ///
    /// Polygons 2 i and 2 i + 1 are a pair. If the count is odd, the last polygon has no partner. One pair in ten lies near the
    /// point (1e6, -1e6), and one pair in ten lies on a lattice near (-2^20, 2^20). The cells of the other pairs form a square
    /// lattice, which starts at the origin and extends along positive x and y. The scene has no pairs that are scaled down,
    /// because all of these pairs would lie in the same place.
    NearTouching,
}

impl Scene {
    /// All scenes.
    pub const ALL: [Self; 6] =
        [Self::Boxes, Self::Ngons, Self::BigNgons, Self::Crowd, Self::Clustered, Self::NearTouching];

    /// Returns the name of the scene on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Boxes => "boxes",
            Self::Ngons => "ngons",
            Self::BigNgons => "big-ngons",
            Self::Crowd => "crowd",
            Self::Clustered => "clustered",
            Self::NearTouching => "near-touching",
        }
    }

    /// Returns `count` rings of vertices (x, y). Each ring is strictly convex and counter-clockwise. The last vertex of
    /// a ring differs from the first vertex. Except in [`Scene::Crowd`] and [`Scene::NearTouching`], the unit of length
    /// is the greatest half side or half axis that a shape may have. The coordinates are f32 values, except in
    /// [`Scene::NearTouching`]. In [`Scene::NearTouching`], coordinates differ by as little as one ulp of f64.
    ///
    /// ```
    /// use sat2d::scenes::Scene;
    /// let rings = Scene::Boxes.generate(1000, 7);
    /// assert_eq!(rings.len(), 1000);
    /// assert_eq!(rings, Scene::Boxes.generate(1000, 7));
    /// ```
    #[must_use]
    pub fn generate(self, count: usize, seed: u64) -> Vec<Vec<[f64; 2]>> {
        match self {
            Self::Boxes => placed::uniform(self, count, seed, shapes::rectangle, 4.0),
            Self::Ngons => placed::uniform(self, count, seed, shapes::ngon, 6.0),
            Self::BigNgons => placed::uniform(self, count, seed, shapes::big_ngon, 6.0),
            Self::Crowd => placed::crowd(self, count, seed),
            Self::Clustered => placed::clustered(self, count, seed),
            Self::NearTouching => near_touching::scene(count, seed),
        }
    }
}

impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scene {
    type Err = Error;

    /// Returns the scene with this [`Scene::name`].
    ///
    /// # Errors
    /// Returns [`Error::Option`] for any other text. The message lists the names.
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|scene| scene.name() == text).ok_or_else(|| Error::Option {
            option: "scene",
            value: text.to_owned(),
            problem: "no such scene; give one of boxes, ngons, big-ngons, crowd, clustered, near-touching",
        })
    }
}
