//! Eight boxes side by side, tested against one box at a time.

use crate::Aabb;

/// Boxes of one leaf, or children of one node.
pub(super) const LANES: usize = 8;

/// Eight boxes as four arrays, so that one test of all eight is a few vector instructions. Unused lanes hold NaN, which
/// meets nothing: an empty box would meet the whole plane.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Lanes {
    pub(super) min_x: [f64; LANES],
    pub(super) max_x: [f64; LANES],
    pub(super) min_y: [f64; LANES],
    pub(super) max_y: [f64; LANES],
}

impl Lanes {
    /// Up to eight boxes.
    pub(super) fn of(boxes: impl Iterator<Item = Aabb>) -> Self {
        let nan = [f64::NAN; LANES];
        let mut lanes = Self { min_x: nan, max_x: nan, min_y: nan, max_y: nan };
        for (lane, bounds) in boxes.enumerate() {
            lanes.min_x[lane] = bounds.min.x;
            lanes.max_x[lane] = bounds.max.x;
            lanes.min_y[lane] = bounds.min.y;
            lanes.max_y[lane] = bounds.max.y;
        }
        lanes
    }

    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> Aabb {
        Aabb {
            min: [self.min_x[lane], self.min_y[lane]].into(),
            max: [self.max_x[lane], self.max_y[lane]].into(),
        }
    }

    /// The least box around all lanes in use.
    pub(super) fn union(&self) -> Aabb {
        // No comparison with NaN holds, so unused lanes are passed over.
        let least = |lanes: &[f64; LANES]| {
            lanes.iter().fold(f64::INFINITY, |least, &x| if x < least { x } else { least })
        };
        let greatest = |lanes: &[f64; LANES]| {
            lanes.iter().fold(f64::NEG_INFINITY, |greatest, &x| if x > greatest { x } else { greatest })
        };
        Aabb {
            min: [least(&self.min_x), least(&self.min_y)].into(),
            max: [greatest(&self.max_x), greatest(&self.max_y)].into(),
        }
    }
}
