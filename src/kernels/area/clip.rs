//! Clips one convex polygon by the edges of another one (Sutherland and Hodgman 1974, "Reentrant Polygon Clipping"), and
//! bounds the error of the area.
//!
//! # Bound
//!
//! Let `u` be [`Real::UNIT`], a bound on the relative rounding error of an operation. Let `w` and `h` be the sides of the
//! subject's box. All coordinates are relative to an origin at a vertex of the subject, up to rounding. The subject's
//! coordinates are therefore at most `w` and `h`. Each coordinate `c` has an error of at most `u |c| + n`, where `n` is
//! [`Local::noise`]. An edge of the other polygon runs from `p` along the vector `e`.
//!
//! - **Sides.** The side of a vertex `v` relative to an edge is `e.x (v.y - p.y) - e.y (v.x - p.x)`. The roundings of `e`,
//!   of the differences, of the products and of the result, and the errors of `p`, change the side by at most
//!
//!   ```text
//!   u (|e.x| (5 |p.y| + 5 h) + |e.y| (5 |p.x| + 5 w)) + N
//!   N = 2 n (|e.x| + |e.y| + |p.x| + |p.y| + w + h)
//!   ```
//! - **Crossings.** The line of the edge crosses an edge of the subject at a fraction of its length. The fraction has a
//!   relative error of at most `3 u`. This error moves the crossing along the subject's edge, which changes its side by at
//!   most `3 u (|e.x| h + |e.y| w)`. The other roundings of the crossing move it by at most `(3 u w, 3 u h)`, which changes
//!   its side by as much again.
//! - **Bound of an edge.** The sum `E` of all changes of a side is at most
//!
//!   ```text
//!   E = u (|e.x| (5 |p.y| + 11 h) + |e.y| (5 |p.x| + 11 w)) + N
//!   ```
//! - **Moved lines.** The sides vary linearly along the edges of the subject. The computed result therefore contains all
//!   points of the subject whose sides are at least `E` for every edge, and no point with a side of less than `-E`. Let all
//!   lines move outward by `t E / |e|`. At each `t`, the area grows at the rate `sum of E l / |e|`, where `l` is the length
//!   of the result's edge on the line.
//! - **Sum over edges.** In a convex polygon in the box, the extents of the edges along x add up to at most `2 w`, and the
//!   extents along y to at most `2 h`. The area changes by at most
//!
//!   ```text
//!   u (2 w (5 |p.y| + 11 h) + 2 h (5 |p.x| + 11 w)) + 4 n (w + h) (1 + (|p.x| + |p.y| + w + h) / max(|e.x|, |e.y|))
//!   ```
//!
//!   Here, `|p.y|` is the greatest value over edges with `e.x != 0`, and `|p.x|` over edges with `e.y != 0`.
//! - **Cuts.** The roundings of a crossing also move it away from the line of the subject's edge that is cut. A vertex that
//!   moves by `(3 u w, 3 u h)` changes the area by at most `3 u w h`, and each cut has two such vertices.
//! - **Subject.** The errors of the subject's coordinates change the area by at most `4 u w h + 4 n (w + h)`.
//! - **Final sum.** Each term has a relative error of at most `3 u`. The magnitudes of the terms add up to at most `4 w h`,
//!   and the area is half of the sum. The sum is compensated, so its additions add no more than `2 u w h`.
//!
//! If all vertices are inside an edge by more than `E`, the edge changes nothing. The code multiplies the sum by 5/4.
//! This factor covers products of errors, the roundings of the bound itself, and polygons that rounding made slightly
//! concave.

use super::number::Real;
use crate::kernels::faults::{Fault, Kernel, has};

/// A vertex of a polygon, or a vector between two vertices.
pub(super) type Point<R> = [R; 2];

/// The two polygons of a clipping, relative to an origin near the subject (the polygon to clip).
pub(super) struct Local<'m, R> {
    /// The polygon to clip, called the subject. The clipping overwrites it.
    pub(super) subject: &'m mut Vec<Point<R>>,
    /// For each edge of the other polygon, its first vertex, and the vector to the next vertex.
    pub(super) edges: &'m [[Point<R>; 2]],
    /// Memory for the polygon that results from cutting the subject by the next edge.
    pub(super) spare: &'m mut Vec<Point<R>>,
    /// Memory for the side of each vertex of the subject relative to one edge of the other polygon.
    pub(super) sides: &'m mut Vec<R>,
    /// A bound on the error of each coordinate of both polygons, in addition to the rounding of the coordinate.
    pub(super) noise: f64,
}

/// The computed common area of two polygons, and the bound on its error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounded {
    pub(super) area: f64,
    pub(super) error: f64,
    /// A lower bound of the area of the subject, which is negative if rounding errors may be as great as the area.
    pub(super) subject: f64,
}

/// The numbers from which the error bound is computed. The documentation of the module derives the bound.
struct Bounds {
    width: f64,
    height: f64,
    noise: f64,
    /// The greatest `5 |p.y| + 11 h` and the greatest `5 |p.x| + 11 w`, over the edges that were tested so far. In the
    /// bound on the error of the area, these factors multiply rounding errors. `p` is the first vertex of an edge, `w`
    /// is the width of the subject's box, and `h` is its height.
    factors: [f64; 2],
    /// The greatest `(|p.x| + |p.y| + w + h) / max(|e.x|, |e.y|)`, over the edges that were tested so far. In the bound
    /// on the error of the area, this factor multiplies an error of the vertices. `p` is the first vertex of an edge,
    /// `e` is the vector of the edge, `w` is the width of the subject's box, and `h` is its height.
    noise_factor: f64,
    cuts: u32,
}

impl Bounds {
    #[inline(always)]
    fn of<R: Real>(subject: &[Point<R>], noise: f64) -> Self {
        let (mut least, mut greatest) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for point in subject {
            for axis in [0, 1] {
                let value = point[axis].head();
                least[axis] = if value < least[axis] { value } else { least[axis] };
                greatest[axis] = if value > greatest[axis] { value } else { greatest[axis] };
            }
        }
        let [width, height] = [greatest[0] - least[0], greatest[1] - least[1]];
        Self { width, height, noise, factors: [0.0; 2], noise_factor: 0.0, cuts: 0 }
    }

    /// Returns whether an edge of the other polygon may cut the subject. If so, includes the edge in the error bound.
    /// `least` is the least value that [`compute_sides`] returned for this edge.
    #[inline(always)]
    fn may_cut<R: Real>(&mut self, [p, e]: &[Point<R>; 2], least: f64) -> bool {
        let Self { width, height, noise, .. } = *self;
        let [px, py] = [p[0].head().abs(), p[1].head().abs()];
        let [ex, ey] = [e[0].head().abs(), e[1].head().abs()];
        let factors = [5.0 * py + 11.0 * height, 5.0 * px + 11.0 * width];
        let offset = px + py + width + height;
        let bound = R::UNIT * (ex * factors[0] + ey * factors[1]) + 2.0 * noise * (ex + ey + offset);
        if least > bound {
            return false;
        }
        let greatest = |factor: &mut f64, other: f64| *factor = if other > *factor { other } else { *factor };
        greatest(&mut self.factors[0], if ex > 0.0 { factors[0] } else { 0.0 });
        greatest(&mut self.factors[1], if ey > 0.0 { factors[1] } else { 0.0 });
        if noise > 0.0 {
            greatest(&mut self.noise_factor, offset / ex.max(ey));
        }
        true
    }

    /// Returns the bound on the error of the area that the two polygons have in common.
    #[inline(always)]
    fn error<R: Real>(&self) -> f64 {
        let Self { width, height, noise, factors, noise_factor, cuts } = *self;
        let of_lines = 2.0 * (width * factors[0] + height * factors[1]);
        let others = (6.0 * f64::from(cuts) + 12.0) * width * height;
        let of_noise = 4.0 * noise * (width + height) * (2.0 + noise_factor);
        1.25 * (R::UNIT * (of_lines + others) + of_noise)
    }

    /// Returns the bound on the error of the computed area of the whole subject.
    fn whole_error<R: Real>(&self, vertices: usize) -> f64 {
        let Self { width, height, noise, .. } = *self;
        (12.0 + 2.0 * vertices as f64) * R::UNIT * width * height + 4.0 * noise * (width + height)
    }
}

impl<R: Real> Local<'_, R> {
    /// Clips the subject by the other polygon. Returns their common area with the bound on its error.
    #[inline(always)]
    pub(super) fn area(self) -> Bounded {
        let Self { subject, edges, spare, sides, noise } = self;
        let mut bounds = Bounds::of(subject, noise);
        let whole = whole_area(subject) - bounds.whole_error::<R>(subject.len());
        let skipped = usize::from(has(Kernel::Areas, Fault::NoLastEdges));
        for edge in &edges[..edges.len() - skipped] {
            let least = compute_sides(subject, edge, sides);
            if !bounds.may_cut(edge, least) || least >= 0.0 {
                continue;
            }
            cut(subject, sides, spare);
            bounds.cuts += 1;
            std::mem::swap(subject, spare);
            if subject.len() < 3 {
                return Bounded { area: 0.0, error: bounds.error::<R>(), subject: whole };
            }
        }
        Bounded { area: shoelace(subject).max(0.0), error: bounds.error::<R>(), subject: whole }
    }
}

/// Computes, for each vertex of the subject, its side relative to an edge of the other polygon. The side is the signed
/// distance from the line of the edge, times the length of the edge. It is positive inside the edge. Returns the least
/// side.
#[inline(always)]
fn compute_sides<R: Real>(subject: &[Point<R>], [p, e]: &[Point<R>; 2], sides: &mut Vec<R>) -> f64 {
    sides.clear();
    let mut least = f64::INFINITY;
    sides.extend(subject.iter().map(|v| {
        let side = e[0].times(v[1].minus(p[1])).minus(e[1].times(v[0].minus(p[0])));
        let head = side.head();
        least = if head < least { head } else { least };
        side
    }));
    least
}

/// Writes to `kept` the part of the subject that is inside an edge of the other polygon. `sides` has the side of each
/// vertex of the subject relative to this edge, which is 0 or positive inside.
#[inline(always)]
fn cut<R: Real>(subject: &[Point<R>], sides: &[R], kept: &mut Vec<Point<R>>) {
    kept.clear();
    let last = subject.len() - 1;
    let (mut from, mut side_from) = (subject[last], sides[last]);
    for (&to, &side_to) in subject.iter().zip(sides) {
        let (was_inside, is_inside) = (side_from.head() >= 0.0, side_to.head() >= 0.0);
        if was_inside != is_inside {
            // One of the two sides is 0 or positive and the other is negative, so their difference is not 0.
            let span = if has(Kernel::Areas, Fault::FlippedSign) {
                side_from.plus(side_to)
            } else {
                side_from.minus(side_to)
            };
            let part = side_from.over(span);
            let at = |axis: usize| from[axis].plus(part.times(to[axis].minus(from[axis])));
            kept.push([at(0), at(1)]);
        }
        if is_inside {
            kept.push(to);
        }
        (from, side_from) = (to, side_to);
    }
}

/// Returns the area of a polygon near the origin. For `n` vertices, the error of the sum is at most `(6 + 2 n) u w h`,
/// where `w` and `h` are the sides of the polygon's box.
#[inline(always)]
fn whole_area<R: Real>(points: &[Point<R>]) -> f64 {
    let mut total = R::of(0.0);
    let mut from = points[points.len() - 1];
    for &to in points {
        total = total.plus(from[0].plus(to[0]).times(to[1].minus(from[1])));
        from = to;
    }
    0.5 * total.head()
}

/// Returns the signed area of a polygon near the origin: the sum, over the edges, of the signed areas between the edge
/// and the y axis.
#[inline(always)]
fn shoelace<R: Real>(points: &[Point<R>]) -> f64 {
    let (mut total, mut rest) = (R::of(0.0), R::of(0.0));
    let mut from = points[points.len() - 1];
    for &to in points {
        let term = from[0].plus(to[0]).times(to[1].minus(from[1]));
        let next = total.plus(term);
        let of_term = next.minus(total);
        rest = rest.plus(total.minus(next.minus(of_term)).plus(term.minus(of_term)));
        total = next;
        from = to;
    }
    0.5 * total.plus(rest).head()
}
