//! Exact predicates on the caller's f64 coordinates.

use glam::DVec2;
use robust::{Coord, orient2d};

/// Returns the orientation of three points: positive if `r` lies to the left of the line from `p` to `q`, negative if it lies
/// to the right, 0 if it lies on the line. The sign is exact for every accepted coordinate (Shewchuk 1997, "Adaptive
/// Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates"). The magnitude approximates twice the
/// signed area of the triangle.
#[inline]
pub fn orientation(p: DVec2, q: DVec2, r: DVec2) -> f64 {
    orient2d(Coord { x: p.x, y: p.y }, Coord { x: q.x, y: q.y }, Coord { x: r.x, y: r.y })
}

/// Returns on which side of the line from `p` to `q` the point `r` lies, in f64: a value that is positive on the left, and a
/// bound on its error. If the magnitude of the value is above the bound, the sign is exact.
///
/// With `a = q - p`, `b = r - p` and `e = 2^-53`, the value is `a.x b.y - a.y b.x`. Its error is at most
/// `(3 + 16 e) e (|a.x b.y| + |a.y b.x|)` (Shewchuk 1997, the first stage of his orientation predicate). With accepted
/// coordinates, no operation underflows or overflows.
#[inline(always)]
pub(crate) fn rounded_side(p: DVec2, q: DVec2, r: DVec2) -> (f64, f64) {
    const ROUNDING: f64 = (3.0 + 8.0 * f64::EPSILON) * f64::EPSILON / 2.0;
    let (a, b) = (q - p, r - p);
    let (left, right) = (a.x * b.y, a.y * b.x);
    (left - right, ROUNDING * (left.abs() + right.abs()))
}

/// Iterates over the edges of a polygon. Each edge is a pair of vertices: its start and its end.
pub(crate) fn edges<P>(polygon: &[P]) -> impl Iterator<Item = (&P, &P)> {
    (0..polygon.len()).map(|i| (&polygon[i], &polygon[(i + 1) % polygon.len()]))
}

/// Returns `a + b` if the sum is exact, or `None` if the sum is rounded (Knuth 1997, "The Art of Computer Programming"
/// 2, 4.2.2, theorem B).
pub(crate) fn exact_sum(a: f64, b: f64) -> Option<f64> {
    let sum = a + b;
    let of_b = sum - a;
    let lost = (a - (sum - of_b)) + (b - of_b);
    (lost == 0.0).then_some(sum)
}

/// Returns whether `x` lies between `p` and `q` and differs from both. All three points must be on one line.
pub(crate) fn is_strictly_between(p: DVec2, x: DVec2, q: DVec2) -> bool {
    let between = |p: f64, x: f64, q: f64| p < x && x < q || q < x && x < p;
    // If the line is not vertical, the x coordinates decide.
    if p.x == q.x { between(p.y, x.y, q.y) } else { between(p.x, x.x, q.x) }
}
