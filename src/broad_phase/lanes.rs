//! Eight boxes side by side, tested against one box at a time.

use crate::Aabb;

/// Boxes of one leaf, or children of one node.
pub(super) const LANES: usize = 8;

/// Eight boxes as four arrays, so that one test of all eight is a few vector instructions. Unused lanes hold NaN, which
/// meets nothing: an empty box would meet the whole plane.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Lanes {
    min_x: [f64; LANES],
    max_x: [f64; LANES],
    min_y: [f64; LANES],
    max_y: [f64; LANES],
}

impl Lanes {
    pub(super) const UNUSED: Self = Self {
        min_x: [f64::NAN; LANES],
        max_x: [f64::NAN; LANES],
        min_y: [f64::NAN; LANES],
        max_y: [f64::NAN; LANES],
    };

    pub(super) fn set(&mut self, lane: usize, bounds: Aabb) {
        self.min_x[lane] = bounds.min.x;
        self.max_x[lane] = bounds.max.x;
        self.min_y[lane] = bounds.min.y;
        self.max_y[lane] = bounds.max.y;
    }

    #[inline]
    pub(super) fn get(&self, lane: usize) -> Aabb {
        Aabb {
            min: [self.min_x[lane], self.min_y[lane]].into(),
            max: [self.max_x[lane], self.max_y[lane]].into(),
        }
    }

    /// The least box around all lanes in use: minima and maxima pass over NaN.
    pub(super) fn union(&self) -> Aabb {
        (0..LANES).fold(Aabb::EMPTY, |bounds, lane| {
            let lane = self.get(lane);
            Aabb {
                min: [bounds.min.x.min(lane.min.x), bounds.min.y.min(lane.min.y)].into(),
                max: [bounds.max.x.max(lane.max.x), bounds.max.y.max(lane.max.y)].into(),
            }
        })
    }

    /// One bit a lane, lane 0 lowest: which closed boxes have a point in common with `bounds`. Exact.
    #[inline]
    pub(super) fn meeting(&self, bounds: &Aabb) -> u32 {
        let mut mask = 0;
        for lane in 0..LANES {
            let meets = (self.min_x[lane] <= bounds.max.x)
                & (self.max_x[lane] >= bounds.min.x)
                & (self.min_y[lane] <= bounds.max.y)
                & (self.max_y[lane] >= bounds.min.y);
            mask |= u32::from(meets) << lane;
        }
        mask
    }
}
