//! Clips one convex polygon by the edges of another one (Sutherland and Hodgman 1974, "Reentrant Polygon Clipping"), and
//! bounds the error of the area.
//!
//! # Bound
//!
//! Let `u` be the relative error of an operation, and `w`, `h` the sides of the subject's box. All coordinates are
//! relative to an origin at a vertex of the subject, up to rounding, so the subject's coordinates are at most `X <= w`,
//! `Y <= h`. Each coordinate `c` has an error of at most `u |c| + n`, where `n` is [`Local::noise`].
//!
//! - The side of a vertex `v` of an edge from `p` along `e` is `e.x (v.y - p.y) - e.y (v.x - p.x)`. The roundings of `e`,
//!   of the differences, of the products and of the result, and the errors of the coordinates, change the result by at
//!   most `E = u (|e.x| (5 |p.y| + 5 Y) + |e.y| (5 |p.x| + 5 X)) + 2 n (|e.x| + |e.y| + |p.x| + |p.y| + X + Y)`.
//! - The fraction at which an edge of the subject crosses the line has a relative error of at most `3 u`. The error moves
//!   the crossing along the edge, which changes its side by at most `3 u (|e.x| h + |e.y| w)`. With this term, `E` has the
//!   factors `5 |p.y| + 8 h` and `5 |p.x| + 8 w`.
//! - The computed result contains all points of the subject whose side is at least `E`, and no point whose side is less
//!   than `-E`, because the sides vary linearly along the edges. The strip between has, on either side of the line, at most
//!   the area `E l / |e|`. Here, `l` is the greatest length of a parallel to `e` in the box: at most `w |e| / |e.x|` and
//!   `h |e| / |e.y|`. The area changes by at most `E min(w / |e.x|, h / |e.y|)`.
//! - The other roundings of the two crossings move each of them by at most `(3 u w, 3 u h)`, and change the area by at most
//!   `8 u w h` together.
//! - The errors of the subject's coordinates change the area by at most `4 u w h + 4 n (w + h)`.
//! - Each term of the final sum has a relative error of at most `4 u`. The magnitudes of the terms add up to at most
//!   `8 w h`, of which half counts. The sum is compensated, so its additions add no more than `2 u w h`.
//!
//! An edge to whose inside all vertices lie by more than `E` changes nothing. Clipping by a later edge does not increase
//! the area of the difference from the exact result. The code doubles the sum, which covers products of errors, the
//! roundings of the bound itself, and polygons that rounding made slightly concave.

use super::number::Real;
use crate::kernels::faults::{Fault, Kernel, has};

/// A vertex or a vector.
pub(super) type Point<R> = [R; 2];

/// Two polygons, relative to an origin near the subject.
pub(super) struct Local<'m, R> {
    /// The polygon that is clipped. The code changes it.
    pub(super) subject: &'m mut Vec<Point<R>>,
    /// The first vertex and the vector of each edge of the other polygon.
    pub(super) edges: &'m [[Point<R>; 2]],
    /// Memory for the next polygon.
    pub(super) spare: &'m mut Vec<Point<R>>,
    /// Memory for the sides of the vertices.
    pub(super) sides: &'m mut Vec<R>,
    /// The absolute error of each coordinate, in addition to its rounding.
    pub(super) noise: f64,
}

/// An area, and the bound on its error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounded {
    pub(super) area: f64,
    pub(super) error: f64,
    /// At most the area of the subject; below 0 if rounding may be as great as the area.
    pub(super) subject: f64,
}

/// The extent of the subject from the origin, and the sides of its box.
struct Extent {
    size: [f64; 2],
}

impl Extent {
    #[inline(always)]
    fn of<R: Real>(points: &[Point<R>]) -> Self {
        let (mut least, mut greatest) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for point in points {
            for axis in [0, 1] {
                let value = point[axis].head();
                least[axis] = if value < least[axis] { value } else { least[axis] };
                greatest[axis] = if value > greatest[axis] { value } else { greatest[axis] };
            }
        }
        Self { size: [greatest[0] - least[0], greatest[1] - least[1]] }
    }

    /// The bound on the error of a side of an edge.
    #[inline(always)]
    fn side_error<R: Real>(&self, [p, e]: &[Point<R>; 2], noise: f64) -> f64 {
        let [width, height] = self.size;
        let [px, py] = [p[0].head().abs(), p[1].head().abs()];
        let [ex, ey] = [e[0].head().abs(), e[1].head().abs()];
        let rounding = R::UNIT * (ex * (5.0 * py + 8.0 * height) + ey * (5.0 * px + 8.0 * width));
        rounding + 2.0 * noise * (ex + ey + px + py + width + height)
    }

    /// The greatest length of a parallel to an edge in the box, divided by the length of the edge.
    #[inline(always)]
    fn chord<R: Real>(&self, e: &Point<R>) -> f64 {
        let [width, height] = self.size;
        let [ex, ey] = [e[0].head().abs(), e[1].head().abs()];
        if ex * height >= ey * width { width / ex } else { height / ey }
    }
}

impl<R: Real> Local<'_, R> {
    /// The area that the two polygons have in common.
    #[inline(always)]
    pub(super) fn area(self) -> Bounded {
        let Self { subject, edges, spare, sides, noise } = self;
        let extent = Extent::of(subject);
        let [width, height] = extent.size;
        let box_area = width * height;
        let whole = whole_area(subject)
            - (8.0 + 2.0 * subject.len() as f64) * R::UNIT * box_area
            - 4.0 * noise * (width + height);
        // Of the coordinates, and of the final sum.
        let mut error = 22.0 * R::UNIT * box_area + 4.0 * noise * (width + height);
        let skipped = usize::from(has(Kernel::Areas, Fault::NoLastEdges));
        for edge in &edges[..edges.len() - skipped] {
            let bound = extent.side_error(edge, noise);
            let least = compute_sides(subject, edge, sides);
            if least > bound {
                continue;
            }
            error += bound * extent.chord(&edge[1]) + 8.0 * R::UNIT * box_area;
            if least >= 0.0 {
                continue;
            }
            cut(subject, sides, spare);
            std::mem::swap(subject, spare);
            if subject.len() < 3 {
                return Bounded { area: 0.0, error: 2.0 * error, subject: whole };
            }
        }
        Bounded { area: shoelace(subject).max(0.0), error: 2.0 * error, subject: whole }
    }
}

/// Computes the side of each vertex: positive inside the edge. Returns the least.
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

/// Keeps the part of the polygon whose sides are 0 or more.
#[inline(always)]
fn cut<R: Real>(subject: &[Point<R>], sides: &[R], kept: &mut Vec<Point<R>>) {
    kept.clear();
    let last = subject.len() - 1;
    let (mut from, mut side_from) = (subject[last], sides[last]);
    for (&to, &side_to) in subject.iter().zip(sides) {
        let (was_inside, is_inside) = (side_from.head() >= 0.0, side_to.head() >= 0.0);
        if was_inside != is_inside {
            // The one sign is 0 or positive, the other negative: the difference is not 0.
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

/// The area of a polygon of `n` vertices near the origin. The error is at most `(n + 4) 2 u w h`.
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

/// The signed area of a polygon near the origin: the sum over the edges of the trapezoids beside the y axis.
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
