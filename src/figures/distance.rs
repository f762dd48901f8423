use std::mem::MaybeUninit;

use glam::DVec2;

use super::PairFeatures;
use crate::narrow_phase::cpu::measure::{Measured, Select};
use crate::narrow_phase::figures::Figure;

/// How far apart two convex polygons lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Euclidean, in the caller's unit, within [`MEASUREMENT_BOUND`](crate::MEASUREMENT_BOUND); 0 if and only if the polygons have a common
    /// point, which is decided exactly.
    pub distance: f64,
    /// The greatest gap over an edge of either: at most the distance. Of polygons, below 0 if and only if they overlap, 0 if and
    /// only if they touch.
    pub separation: f64,
    /// Where the polygons are the nearest; none where they meet.
    pub closest: Option<Closest>,
}

/// The closest points of two polygons that lie apart, within [`MEASUREMENT_BOUND`](crate::MEASUREMENT_BOUND) and half an ulp of
/// the coordinate. Where several are equally near, parallel edges say, one of them, the same on every backend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Of A, in the world.
    pub point_a: DVec2,
    /// Of B, in the world.
    pub point_b: DVec2,
    /// What they lie on: a vertex, or an edge between its ends.
    pub features: PairFeatures,
}

/// The question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distances {
    /// A distance is at most this if and only if the true one is.
    pub(super) within: f64,
}

impl Distances {
    /// Without a distance that matters.
    pub(super) const ALL: Self = Self { within: f64::MAX };
}

impl Figure for Distances {
    type Output = Distance;

    #[inline(always)]
    fn measure<'o, S: Select>(
        self,
        pair: Measured<'_, '_, S>,
        out: &'o mut MaybeUninit<Distance>,
    ) -> &'o mut Distance {
        pair.distance(self.within, out)
    }
}
