//! A point that is a vertex or the crossing of two edges. A crossing is a rational point, and is stored without
//! rounding.

use std::cmp::Ordering;

use glam::DVec2;
use num_bigint::{BigInt, Sign};

use super::edge_box;
use super::hot_pixels::Grid;
use super::simple::{Segments, segments};
use crate::base::sorting::compared_by_order;
use crate::geometry::posed_image::{BigPoint, VERTEX_BITS, area, cross, difference, image, to_f64};
use crate::geometry::predicates::orientation;
use crate::geometry::{Aabb, MIN_COORDINATE};

/// The quotient of two integers is computed to this many bits after the binary point.
const QUOTIENT_BITS: i32 = 64;

/// A point around which the code finds the sectors of polygons: a vertex, or the crossing of two edges.
#[derive(Clone, Debug)]
pub(crate) enum Centre {
    Point(DVec2),
    Crossing(Crossing),
}

/// The point `numerator / denominator`, where two edges cross.
#[derive(Clone, Debug)]
pub(crate) struct Crossing {
    numerator: BigPoint,
    /// The common denominator of both coordinates. It is positive.
    denominator: BigInt,
    /// The rounded point. Rounding is monotone: if a coordinate of one crossing is less than the same coordinate of
    /// another crossing, it is not greater after rounding. A coordinate with a magnitude below
    /// [`crate::MIN_COORDINATE`] becomes 0.
    rounded: DVec2,
    /// A box that contains the crossing.
    bounds: Aabb,
}

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    X,
    Y,
}

impl Centre {
    /// Returns the point where two edges cross. The edges must cross in their interiors.
    pub(crate) fn of_crossing(e: [DVec2; 2], f: [DVec2; 2]) -> Self {
        let ([p, q], [r, s]) = (e.map(image), f.map(image));
        let (at_r, at_s) = (area(&p, &q, &r), area(&p, &q, &s));
        // The ends of `f` are on different sides of `e`. The point divides `f` in the ratio of the areas.
        let (denominator, weights) = (&at_r - &at_s, [at_r, -at_s]);
        let sign = if denominator.sign() == Sign::Minus { -1 } else { 1 };
        let coordinate = |axis: usize| (&weights[0] * &s[axis] + &weights[1] * &r[axis]) * sign;
        let (of_e, of_f) = (edge_box(e), edge_box(f));
        let bounds = Aabb { min: of_e.min.max(of_f.min), max: of_e.max.min(of_f.max) };
        let (numerator, denominator) = ([coordinate(0), coordinate(1)], denominator * sign);
        let rounded = |numerator: &BigInt| {
            let quotient: BigInt = (numerator << QUOTIENT_BITS) / &denominator;
            let rounded = to_f64(&quotient, VERTEX_BITS + QUOTIENT_BITS);
            if rounded.abs() < MIN_COORDINATE { 0.0 } else { rounded }
        };
        let rounded =
            DVec2::new(rounded(&numerator[0]), rounded(&numerator[1])).clamp(bounds.min, bounds.max);
        Self::Crossing(Crossing { numerator, denominator, rounded, bounds })
    }

    /// Returns the point where two edges cross in their interiors, or `None` if they do not cross.
    pub(crate) fn where_edges_cross(e: [DVec2; 2], f: [DVec2; 2]) -> Option<Self> {
        matches!(segments(e, f), Segments::Cross).then(|| Self::of_crossing(e, f))
    }

    /// Returns points that two edges have in common: their crossing, or the ends of one edge that lie on the other
    /// edge. The list is empty if the edges have no common point.
    pub(crate) fn common_points(e: [DVec2; 2], f: [DVec2; 2]) -> Vec<Self> {
        match segments(e, f) {
            Segments::Apart => Vec::new(),
            Segments::Cross => vec![Self::of_crossing(e, f)],
            Segments::Touch(_) => {
                let ends = e.map(Self::Point).into_iter().chain(f.map(Self::Point));
                ends.filter(|end| end.is_on(e) && end.is_on(f)).collect()
            }
        }
    }

    /// Returns the point, rounded to f64. A vertex is unchanged. The rounded crossing is in the boxes of both edges,
    /// and a coordinate with a magnitude below [`crate::MIN_COORDINATE`] becomes 0, unless 0 is outside these boxes.
    pub(crate) fn rounded(&self) -> DVec2 {
        match self {
            Self::Point(point) => *point,
            Self::Crossing(crossing) => crossing.rounded,
        }
    }

    /// Returns the centre of the pixel of `grid` that contains this point.
    pub(super) fn on_grid(&self, grid: Grid) -> DVec2 {
        match self {
            Self::Point(point) => grid.centre(*point),
            Self::Crossing(Crossing { numerator, denominator, .. }) => {
                let side: BigInt = denominator << (grid.exponent + VERTEX_BITS);
                let coordinate = |numerator: &BigInt| {
                    // The floor of the coordinate plus one half, in units of the grid.
                    let (twice, divisor): (BigInt, BigInt) = (numerator * 2 + &side, &side * 2);
                    let quotient: BigInt = &twice / &divisor;
                    let is_truncated_up = twice.sign() == Sign::Minus && &quotient * &divisor != twice;
                    to_f64(&(quotient - i32::from(is_truncated_up)), 0) * grid.side()
                };
                DVec2::new(coordinate(&numerator[0]), coordinate(&numerator[1]))
            }
        }
    }

    /// Returns a box that contains this point.
    pub(crate) fn bounds(&self) -> Aabb {
        match self {
            Self::Point(point) => Aabb { min: *point, max: *point },
            Self::Crossing(crossing) => crossing.bounds,
        }
    }

    /// Compares a coordinate of the point `of` with the same coordinate of this point. Returns `Less` if the coordinate
    /// of `of` is less.
    #[inline]
    pub(super) fn compare(&self, axis: Axis, of: DVec2) -> Ordering {
        let axis = axis as usize;
        match self {
            Self::Point(point) => of[axis].partial_cmp(&point[axis]).unwrap_or(Ordering::Equal),
            Self::Crossing(crossing) => crossing.compare(axis, of),
        }
    }

    /// Returns whether this point equals `point`.
    pub(super) fn is_at(&self, point: DVec2) -> bool {
        [Axis::X, Axis::Y].into_iter().all(|axis| self.compare(axis, point).is_eq())
    }

    /// Returns the side of an edge's line on which this point lies: `Greater` for the left side, `Less` for the right
    /// side, and `Equal` if the point is on the line.
    #[inline]
    pub(super) fn side_of(&self, [p, q]: [DVec2; 2]) -> Ordering {
        match self {
            Self::Point(point) => orientation(p, q, *point).partial_cmp(&0.0).unwrap_or(Ordering::Equal),
            Self::Crossing(Crossing { numerator, denominator, rounded, .. }) => {
                rounded_side([p, q], *rounded).unwrap_or_else(|| exact_side([p, q], numerator, denominator))
            }
        }
    }

    /// Returns whether a closed edge contains this point.
    pub(super) fn is_on(&self, edge: [DVec2; 2]) -> bool {
        let is_within = |axis| {
            let [first, second] = edge.map(|end| self.compare(axis, end));
            first != second || first.is_eq()
        };
        let is_near = edge_box(edge).meets(self.bounds()) && is_within(Axis::X) && is_within(Axis::Y);
        is_near && self.side_of(edge).is_eq()
    }
}

compared_by_order!(Crossing);

/// Orders crossings by x, then by y. The order is exact.
impl Ord for Crossing {
    fn cmp(&self, other: &Self) -> Ordering {
        let along = |axis: usize| {
            let order = self.rounded[axis].partial_cmp(&other.rounded[axis]).unwrap_or(Ordering::Equal);
            let exactly = || {
                (&self.numerator[axis] * &other.denominator)
                    .cmp(&(&other.numerator[axis] * &self.denominator))
            };
            order.then_with(exactly)
        };
        along(0).then_with(|| along(1))
    }
}

impl Crossing {
    /// Compares a coordinate of the point `of` with the same coordinate of this point. Returns `Less` if the coordinate
    /// of `of` is less.
    fn compare(&self, axis: usize, of: DVec2) -> Ordering {
        // Rounding is monotone and leaves the coordinates of vertices unchanged. The exact comparison is therefore needed
        // only if the coordinate of `of` equals the rounded coordinate of this point.
        let order = of[axis].partial_cmp(&self.rounded[axis]).unwrap_or(Ordering::Equal);
        order.then_with(|| (&image(of)[axis] * &self.denominator).cmp(&self.numerator[axis]))
    }

    /// Compares this point with a vertex, by x, then by y. Returns `Less` if this point comes first.
    pub(super) fn by_place_of(&self, vertex: DVec2) -> Ordering {
        self.compare(0, vertex).then_with(|| self.compare(1, vertex)).reverse()
    }
}

/// Returns the side of an edge's line on which the point `numerator / denominator` lies: `Greater` for the left side, `Less`
/// for the right side, and `Equal` if the point is on the line.
fn exact_side(edge: [DVec2; 2], numerator: &BigPoint, denominator: &BigInt) -> Ordering {
    let [p, q] = edge.map(image);
    let start = [&p[0] * denominator, &p[1] * denominator];
    cross(&difference(&q, &p), &difference(numerator, &start)).sign().cmp(&Sign::NoSign)
}

/// Returns the side of an edge's line on which the rounded point of a crossing lies. Returns `None` if the crossing
/// itself may lie on another side.
///
/// Let X be the sum of the magnitudes of the three x, let Y be the sum of the magnitudes of the three y, and let u =
/// 2^-53. The errors are at most:
///
/// - 2u, relative, for a coordinate that is not rounded to 0,
/// - 3uX for a difference of two x, and 3uY for a difference of two y,
/// - 7uXY for a product of two differences,
/// - 16uXY = 2^-49 XY for the difference of two products.
fn rounded_side([p, q]: [DVec2; 2], rounded: DVec2) -> Option<Ordering> {
    let side = (q - p).perp_dot(rounded - p);
    let magnitude = p.abs() + q.abs() + rounded.abs();
    let bound = 2f64.powi(-48) * magnitude.x * magnitude.y;
    let is_certain = rounded.x != 0.0 && rounded.y != 0.0 && side.abs() > bound;
    is_certain.then_some(if side > 0.0 { Ordering::Greater } else { Ordering::Less })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::draw::Draw;

    #[test]
    fn a_crossing_is_where_both_edges_are() {
        let at = |x: f64, y: f64| DVec2::new(x, y);
        let (e, f) = ([at(0.0, 0.0), at(3.0, 3.0)], [at(0.0, 2.0), at(2.0, 0.0)]);
        for (e, f) in [(e, f), (f, e), (e, [f[1], f[0]]), ([e[1], e[0]], f)] {
            let centre = Centre::of_crossing(e, f);
            assert!(centre.is_at(at(1.0, 1.0)) && !centre.is_at(at(1.0, 1.0_f64.next_up())));
            assert!(centre.is_on(e) && centre.is_on(f) && centre.is_on([at(1.0, 1.0), at(1.0, 9.0)]));
            assert!(
                !centre.is_on([at(1.0, 2.0), at(1.0, 9.0)]) && !centre.is_on([at(0.0, 1.1), at(3.0, 1.1)])
            );
            assert!(centre.side_of([at(0.0, 0.0), at(5.0, 0.0)]).is_gt());
            assert!(centre.compare(Axis::Y, at(0.0, 7.0)).is_gt());
        }
        let third = Centre::of_crossing([at(0.0, 0.0), at(1.0, 3.0)], [at(0.0, 1.0), at(5.0, 1.0)]);
        assert!(!third.is_at(at(1.0 / 3.0, 1.0)), "a third is no f64");
        assert!(third.is_on([at(0.0, 0.0), at(2.0, 6.0)]));
        assert!((third.rounded() - at(1.0 / 3.0, 1.0)).abs().max_element() < 1e-16);
    }

    /// Tests crossings of edges between the points of a small grid. The grid is moved far away or scaled. Also tests
    /// edges that nearly contain such a crossing.
    #[test]
    fn rounded_crossings_show_the_exact_sides_and_orders() {
        let mut draw = Draw(1);
        let mut below = |count| draw.below(count);
        let is_valid = |v: DVec2| v.to_array().iter().all(|x| *x == 0.0 || x.abs() >= MIN_COORDINATE);
        let (mut certain, mut uncertain) = (0, 0);
        for _ in 0..20_000 {
            let scale = [1.0, 0.1, 2f64.powi(-140), 2f64.powi(140)][below(4) as usize];
            let far = [0.0, 1e6, 1e12][below(3) as usize];
            let mut point = || DVec2::new(below(9) as f64 + far, below(9) as f64 - far) * scale;
            let [e, f] = [[point(), point()], [point(), point()]];
            let Some(centre @ Centre::Crossing(crossing)) = &Centre::where_edges_cross(e, f) else {
                continue;
            };
            let (rounded, start) = (crossing.rounded, point());
            // An edge through the rounded crossing, or beside it.
            let mut end = 2.0 * rounded - start;
            end.x *= 1.0 + [0.0, 2f64.powi(-47), 2f64.powi(-44), 2f64.powi(-30)][below(4) as usize];
            if start == end || !is_valid(end) {
                continue;
            }
            for edge in [[start, end], e, f, [start, rounded]] {
                let exact = exact_side(edge, &crossing.numerator, &crossing.denominator);
                match rounded_side(edge, rounded) {
                    Some(side) => {
                        assert_eq!(side, exact, "{edge:?} {e:?} {f:?}");
                        certain += 1;
                    }
                    None => uncertain += 1,
                }
            }
            let beside = DVec2::new(rounded.x.next_up(), rounded.y.next_down());
            for near in [rounded, beside].into_iter().filter(|&near| is_valid(near)) {
                for axis in [Axis::X, Axis::Y] {
                    let index = axis as usize;
                    let exact = (&image(near)[index] * &crossing.denominator).cmp(&crossing.numerator[index]);
                    assert_eq!(centre.compare(axis, near), exact, "{near:?} {e:?} {f:?}");
                }
            }
        }
        assert!(certain > 200 && uncertain > 5000, "{certain} {uncertain}");
    }
}
