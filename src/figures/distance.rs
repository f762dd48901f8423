use glam::DVec2;

use super::{PairFeature, PairFeatures};
use crate::geometry::Rounded;
use crate::layout::{DistanceRecord, FEATURE_IS_EDGE, UNCERTAIN_FIGURE};
use crate::narrow_phase::cpu::figures::{Whole, distance};
use crate::narrow_phase::cpu::measure::{Measured, Select};
use crate::narrow_phase::cpu::records::View;
use crate::narrow_phase::figures::{Figure, Frame};
use crate::vector::Instructions;

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
    /// Whether a distance is at most this is to be right in f64.
    pub(super) within: f64,
    /// Whether what is measured are cores.
    cores: bool,
}

impl Distances {
    /// Without a distance that matters, of polygons.
    pub(super) const ALL: Self = Self { within: f64::MAX, cores: false };

    pub(super) fn of(within: f64, sides: [Rounded<'_>; 2]) -> Self {
        Self { within, cores: sides.iter().any(|side| side.is_rounded()) }
    }
}

impl Figure for Distances {
    type Record = DistanceRecord;
    type Output = Distance;
    #[cfg(feature = "gpu")]
    const SHADER: (&'static str, &'static [&'static str]) =
        ("sat2d distance", crate::wgsl::wgsl!("closest", "distance"));

    fn parameter(self) -> f64 {
        // Of cores it is another distance for each pair.
        if self.cores { f64::MAX } else { self.within }
    }

    #[inline(always)]
    fn record<I: Instructions, const VERTICES: usize>(
        i: I,
        a: View<'_>,
        b: View<'_>,
        within: f32,
    ) -> DistanceRecord {
        distance::record::<Whole, I, VERTICES>(i, a, b, within)
    }

    #[inline(always)]
    fn is_certain(record: &DistanceRecord) -> bool {
        record.feature_a & UNCERTAIN_FIGURE == 0
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn output(record: &DistanceRecord, frame: Frame) -> Distance {
        let world = |point: [f32; 2]| frame.origin + DVec2::from(point.map(f64::from)) * frame.quantum;
        let feature = |word: u32| {
            let index = word & (FEATURE_IS_EDGE - 1);
            if word & FEATURE_IS_EDGE == 0 { PairFeature::Vertex(index) } else { PairFeature::Edge(index) }
        };
        let closest = Closest {
            point_a: world(record.point_a),
            point_b: world(record.point_b),
            features: PairFeatures { a: feature(record.feature_a), b: feature(record.feature_b) },
        };
        Distance {
            distance: f64::from(record.distance) * frame.quantum,
            separation: f64::from(record.separation) * frame.quantum,
            closest: (record.distance > 0.0).then_some(closest),
        }
    }

    #[inline(always)]
    fn measure<S: Select>(self, pair: Measured<'_, '_, S>) -> Distance {
        pair.distance(self.within)
    }
}
