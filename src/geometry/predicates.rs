//! Exact predicates on the caller's f64 coordinates.

use glam::DVec2;
use robust::{Coord, orient2d};

/// Positive where `r` lies to the left of the line from `p` to `q`, negative where it lies to the right, 0 where it
/// lies on it. The sign is exact for every accepted coordinate (Shewchuk 1997, "Adaptive Precision Floating-Point
/// Arithmetic and Fast Robust Geometric Predicates"); the magnitude approximates twice the signed area of the triangle.
#[inline]
pub(crate) fn orientation(p: DVec2, q: DVec2, r: DVec2) -> f64 {
    orient2d(Coord { x: p.x, y: p.y }, Coord { x: q.x, y: q.y }, Coord { x: r.x, y: r.y })
}

/// `a + b` where no bit of it is lost (Knuth 1997, "The Art of Computer Programming" 2, 4.2.2, theorem B).
pub(crate) fn exact_sum(a: f64, b: f64) -> Option<f64> {
    let sum = a + b;
    let of_b = sum - a;
    let lost = (a - (sum - of_b)) + (b - of_b);
    (lost == 0.0).then_some(sum)
}
