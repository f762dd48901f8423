//! Tests sixteen boxes, one in each lane, against one box at a time.

use crate::Aabb;

/// The number of boxes in a leaf, and the number of children of a node.
pub(super) const LANES: usize = 16;

/// Sixteen boxes as four arrays. A test of all sixteen boxes takes a few vector instructions. Unused lanes hold NaN,
/// which meets nothing. An empty box would not do, because its infinite bounds meet a box that covers the whole plane.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Lanes {
    pub(super) min_x: [f64; LANES],
    pub(super) max_x: [f64; LANES],
    pub(super) min_y: [f64; LANES],
    pub(super) max_y: [f64; LANES],
}

impl Lanes {
    /// Lanes without any box.
    pub(super) const NONE: Self = {
        let nan = [f64::NAN; LANES];
        Self { min_x: nan, max_x: nan, min_y: nan, max_y: nan }
    };

    /// Returns lanes that hold the given boxes, at most sixteen.
    pub(super) fn of(boxes: impl Iterator<Item = Aabb>) -> Self {
        let mut lanes = Self::NONE;
        lanes.put(boxes);
        lanes
    }

    /// Puts the given boxes, at most sixteen, into the first lanes. The other lanes do not change.
    #[inline]
    pub(super) fn put(&mut self, boxes: impl Iterator<Item = Aabb>) {
        for (lane, bounds) in boxes.enumerate() {
            self.min_x[lane] = bounds.min.x;
            self.max_x[lane] = bounds.max.x;
            self.min_y[lane] = bounds.min.y;
            self.max_y[lane] = bounds.max.y;
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> Aabb {
        Aabb {
            min: [self.min_x[lane], self.min_y[lane]].into(),
            max: [self.max_x[lane], self.max_y[lane]].into(),
        }
    }

    /// Returns the least box around all lanes in use.
    pub(super) fn union(&self) -> Aabb {
        // Unused lanes follow the used lanes. A comparison with NaN is false, so the earlier value remains.
        let lesser = |after: f64, before: f64| if after < before { after } else { before };
        let greater = |after: f64, before: f64| if after > before { after } else { before };
        let least = |lanes: &[f64; LANES]| halved(lanes, lesser);
        let greatest = |lanes: &[f64; LANES]| halved(lanes, greater);
        Aabb {
            min: [least(&self.min_x), least(&self.min_y)].into(),
            max: [greatest(&self.max_x), greatest(&self.max_y)].into(),
        }
    }
}

/// Reduces the values of all lanes to one value with `of(later, earlier)`: first the two halves, lane by lane, then the
/// halves of the result, and so on.
#[inline(always)]
fn halved(lanes: &[f64; LANES], of: impl Fn(f64, f64) -> f64) -> f64 {
    let (low, high) = lanes.split_at(LANES / 2);
    let mut half = [0.0; LANES / 2];
    for (half, (&earlier, &later)) in half.iter_mut().zip(low.iter().zip(high)) {
        *half = of(later, earlier);
    }
    let [a, b, c, d, e, f, g, h] = half;
    let [a, b, c, d] = [of(e, a), of(f, b), of(g, c), of(h, d)];
    let [a, b] = [of(c, a), of(d, b)];
    of(b, a)
}
