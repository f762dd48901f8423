//! Generated scenes: the same recipes serve the command line, the benchmarks and the tests.
//!
//! A scene is determined by its name, its count and its seed, bit for bit, on every machine and for any number of
//! threads: random numbers come from a published cipher, one stream a polygon, and the arithmetic is `+ - * /` and
//! square roots in f64 alone. Rings are strictly convex and counter-clockwise, the hull of the points drawn.

mod near_touching;
mod placed;
pub(crate) mod random;
mod shapes;

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

pub use near_touching::near_touching_pairs;

/// A recipe for polygons. Neighbours are other polygons whose closed box meets one's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scene {
    /// Rectangles, half sides uniform in 0.3..1, at any turn, uniform in a square; 4 neighbours each.
    Boxes,
    /// 3 to 8 vertices at jittered sorted angles on an ellipse with half axes a in 0.3..1 and 0.4 a..a, at any turn,
    /// uniform in a square; 6 neighbours each.
    Ngons,
    /// As [`Scene::Ngons`], with 8 to 32 vertices.
    BigNgons,
    /// 5 to 8 vertices on a long ellipse (a in 0.56..0.70, b in 0.2 a..0.4 a) turned by 45 degrees with a standard
    /// deviation of 11, on a square lattice of spacing 0.51 with a jitter of up to half a cell, in shuffled order; 10
    /// neighbours each.
    Crowd,
    /// As [`Scene::Ngons`], sizes from 0.001 to 1 by a power law, in normal clusters around sqrt(count) centres; 6
    /// neighbours each in the mean, few for most and many for the large.
    Clustered,
    /// Pairs that nearly touch or just do, each alone in a cell 64 wide; see [`near_touching_pairs`] for the kinds.
    ///
    /// Polygons 2 i and 2 i + 1 are a pair; of an odd count, the last polygon stands alone. One pair in ten lies around
    /// (1e6, -1e6), one in ten on a lattice around (-2^20, 2^20), the others between 0 and the width of the scene. Pairs of
    /// scale 1e-6 are left out: they would all lie in the same place.
    NearTouching,
}

impl Scene {
    /// Every scene.
    pub const ALL: [Self; 6] =
        [Self::Boxes, Self::Ngons, Self::BigNgons, Self::Crowd, Self::Clustered, Self::NearTouching];

    /// The name on the command line.
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

    /// `count` rings of (x, y), each strictly convex, counter-clockwise and not closed, in units of the largest shape's
    /// half axis. Coordinates are f32 values, except in [`Scene::NearTouching`], whose steps are as fine as one ulp of f64.
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

    /// The scene of this [`Scene::name`].
    ///
    /// # Errors
    /// [`Error::Option`] for any other text; it lists the names.
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|scene| scene.name() == text).ok_or_else(|| Error::Option {
            option: "scene",
            value: text.to_owned(),
            problem: "no such scene; give one of boxes, ngons, big-ngons, crowd, clustered, near-touching",
        })
    }
}
