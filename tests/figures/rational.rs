//! An oracle for measurements of a pair, in integers. It shares no code with the library.
//!
//! All coordinates of a pair are scaled by one power of two to integers. Signs, squared distances and the choice of the
//! nearest points are exact. Irrational values (roots, unit normals) are fixed-point numbers with [`BITS`] fraction
//! bits, in the unit of the integers. A pair is at least one unit large, so the roundings stay below 2^-100 of its
//! size.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};
use sat2d::Relation;
use sat2d::glam::DVec2;

use crate::support::oracle::{Dyadic, PoseNumbers, exact_ring, posed_ring, relation_of_exact};

/// The number of fraction bits of fixed-point numbers.
pub(crate) const BITS: u64 = 128;

/// A point with coordinates that are integers or fixed-point numbers.
pub(crate) type Point = [BigInt; 2];

/// A non-negative fraction whose numerator and denominator are integers.
#[derive(Clone, Debug)]
pub(crate) struct Fraction {
    pub(crate) above: BigInt,
    pub(crate) below: BigInt,
}

impl Fraction {
    fn compare(&self, other: &Self) -> Ordering {
        (&self.above * &other.below).cmp(&(&other.above * &self.below))
    }
}

/// A polygon, a segment or a point in the caller's form: its vertices, and the pose that moves them, or `None` without a pose.
pub(crate) type Given<'a> = (&'a [[f64; 2]], Option<PoseNumbers>);

/// The exact vertices of a pair, as integers times `2^exponent`.
pub(crate) struct Exact {
    pub(crate) a: Vec<Point>,
    pub(crate) b: Vec<Point>,
    pub(crate) exponent: i64,
    pub(crate) relation: Relation,
}

impl Exact {
    /// Returns the exact pair of two convex polygons with their poses.
    pub(crate) fn new(a: Given<'_>, b: Given<'_>) -> Self {
        let [a, b] =
            [a, b].map(|(ring, pose)| pose.map_or_else(|| exact_ring(ring), |p| posed_ring(ring, p)));
        let relation = relation_of_exact(&a, &b);
        Self { relation, ..Self::of_dyadic(&a, &b) }
    }

    /// Returns the exact pair of two cores, which are points, segments or convex polygons. The relation only says
    /// whether they meet.
    pub(crate) fn of_cores(a: &[[f64; 2]], b: &[[f64; 2]]) -> Self {
        let exact = Self::of_dyadic(&exact_ring(a), &exact_ring(b));
        let meet = cores_meet(&exact.a, &exact.b);
        Self { relation: if meet { Relation::Touching } else { Relation::Disjoint }, ..exact }
    }

    fn of_dyadic(a: &[[Dyadic; 2]], b: &[[Dyadic; 2]]) -> Self {
        let all = a.iter().chain(b).flatten().filter(|x| !x.is_zero());
        let exponent = all.map(|x| x.exponent).min().unwrap_or(0);
        let integer = |x: &Dyadic| if x.is_zero() { BigInt::ZERO } else { x.at_exponent(exponent) };
        let integers = |ring: &[[Dyadic; 2]]| ring.iter().map(|[x, y]| [integer(x), integer(y)]).collect();
        Self { a: integers(a), b: integers(b), exponent, relation: Relation::Disjoint }
    }

    /// Returns the squared distance between the two polygons, in the square of the unit of the integers. It is 0 if the
    /// polygons meet.
    pub(crate) fn square(&self) -> Fraction {
        if self.relation != Relation::Disjoint {
            return Fraction { above: BigInt::ZERO, below: BigInt::from(1) };
        }
        let one_way = |points: &[Point], ring: &[Point]| {
            let pairs = points.iter().flat_map(|v| edges(ring).map(move |(p, q)| (v, p, q)));
            let squares = pairs.map(|(v, p, q)| square_to_segment(v, p, q));
            squares.reduce(|best, next| if next.compare(&best).is_lt() { next } else { best })
        };
        let [one, other] = [one_way(&self.a, &self.b), one_way(&self.b, &self.a)].map(Option::unwrap);
        if one.compare(&other).is_le() { one } else { other }
    }

    /// Returns whether the root of `square` is at most the sum of the non-negative numbers `sum`. Compares the squares.
    pub(crate) fn is_within(&self, square: &Fraction, sum: &[f64]) -> bool {
        let zero = Dyadic { mantissa: BigInt::ZERO, exponent: 0 };
        let sum = sum.iter().fold(zero, |sum, &x| if x == 0.0 { sum } else { sum.plus(&Dyadic::new(x)) });
        // The inequality is `above / below * 2^(2 * exponent) <= mantissa^2 * 2^(2 * sum.exponent)`.
        let apart = 2 * (self.exponent - sum.exponent);
        let shifted = |x: BigInt, by: i64| if by > 0 { x << by.unsigned_abs() } else { x };
        let left = shifted(square.above.clone(), apart);
        let right = shifted(&sum.mantissa * &sum.mantissa * &square.below, -apart);
        left <= right
    }

    /// Converts a number in the caller's unit to a fixed-point number in the unit of the integers, which is
    /// `2^exponent` of the caller's unit. Rounds down.
    pub(crate) fn fixed(&self, x: f64) -> BigInt {
        fixed_in_unit(x, self.exponent)
    }

    pub(crate) fn fixed_point(&self, point: DVec2) -> Point {
        [self.fixed(point.x), self.fixed(point.y)]
    }

    /// Converts a fixed-point number to an approximate f64 in the caller's unit.
    pub(crate) fn to_f64(&self, fixed: &BigInt) -> f64 {
        let drop = fixed.bits().saturating_sub(62);
        let leading = i64::try_from(fixed >> drop).unwrap() as f64;
        let power = self.exponent + drop as i64 - BITS as i64;
        leading * 2f64.powi(i32::try_from(power).unwrap())
    }

    /// Returns the root of a squared distance as a fixed-point number.
    pub(crate) fn root(square: &Fraction) -> BigInt {
        ((&square.above << (2 * BITS)) / &square.below).sqrt()
    }

    /// Returns the size of the pair. The bounds of measurements are fractions of the size. The extent of a polygon is
    /// the greatest distance of a vertex from the centre of the polygon's box, along an axis. The size is the sum of
    /// both extents and of the distance between the two centres along an axis.
    pub(crate) fn size(&self) -> BigInt {
        let bounds = |ring: &[Point], axis: usize| {
            let values = || ring.iter().map(|v| &v[axis]);
            (values().min().unwrap().clone(), values().max().unwrap().clone())
        };
        let mut extents = [BigInt::ZERO, BigInt::ZERO];
        let mut apart = BigInt::ZERO;
        for axis in [0, 1] {
            let [a, b] = [&self.a, &self.b].map(|ring| bounds(ring, axis));
            apart = apart.max(BigInt::from((&a.0 + &a.1 - &b.0 - &b.1).magnitude().clone()));
            for (extent, (least, greatest)) in extents.iter_mut().zip([a, b]) {
                *extent = extent.clone().max(greatest - least);
            }
        }
        // All sums are twice the true values. The shift divides them by 2.
        (&extents[0] + &extents[1] + apart) << (BITS - 1)
    }

    /// Returns the greatest magnitude of a coordinate.
    pub(crate) fn reach(&self) -> BigInt {
        let magnitudes = self.a.iter().chain(&self.b).flatten().map(BigInt::magnitude);
        BigInt::from(magnitudes.max().unwrap().clone()) << BITS
    }

    /// Returns the ends of the common points of two touching polygons: one point or two.
    pub(crate) fn common_ends(&self) -> Vec<Point> {
        let of_a = self.a.iter().filter(|v| contains(&self.b, v));
        let of_b = self.b.iter().filter(|v| contains(&self.a, v));
        let mut ends: Vec<Point> = of_a.chain(of_b).map(scaled).collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// Returns the points halfway between the nearest points of two separate polygons. If the nearest points form a
    /// segment, these are its ends.
    pub(crate) fn middles(&self) -> Vec<Point> {
        let least = self.square();
        let mut middles = Vec::new();
        for (points, ring) in [(&self.a, &self.b), (&self.b, &self.a)] {
            for (v, p, q) in points.iter().flat_map(|v| edges(ring).map(move |(p, q)| (v, p, q))) {
                if square_to_segment(v, p, q).compare(&least).is_eq() {
                    let foot = nearest_on_segment(&scaled(v), p, q);
                    middles.push([0, 1].map(|axis| (&foot[axis] + (&v[axis] << BITS)) >> 1u8));
                }
            }
        }
        middles
    }
}

/// Returns the edges of a ring. A point has one edge, which ends at its start.
pub(crate) fn edges(ring: &[Point]) -> impl Iterator<Item = (&Point, &Point)> {
    ring.iter().zip(ring.iter().cycle().skip(1))
}

pub(crate) fn minus(p: &Point, q: &Point) -> Point {
    [&p[0] - &q[0], &p[1] - &q[1]]
}

pub(crate) fn dot(p: &Point, q: &Point) -> BigInt {
    &p[0] * &q[0] + &p[1] * &q[1]
}

pub(crate) fn cross(p: &Point, q: &Point) -> BigInt {
    &p[0] * &q[1] - &p[1] * &q[0]
}

/// Converts a point of integers to fixed-point numbers.
pub(crate) fn scaled(p: &Point) -> Point {
    [&p[0] << BITS, &p[1] << BITS]
}

pub(crate) fn fixed_in_unit(x: f64, exponent: i64) -> BigInt {
    let exact = Dyadic::new(x);
    let shift = exact.exponent - exponent + BITS as i64;
    if shift >= 0 { exact.mantissa << shift.unsigned_abs() } else { exact.mantissa >> shift.unsigned_abs() }
}

/// Divides an integer or a fixed-point number by the root of an integer. Returns a fixed-point number.
pub(crate) fn over_root(x: &BigInt, square: &BigInt) -> BigInt {
    (x << (2 * BITS)) / (square << (2 * BITS)).sqrt()
}

fn square_to_segment(v: &Point, p: &Point, q: &Point) -> Fraction {
    let (edge, to_v) = (minus(q, p), minus(v, p));
    let along = dot(&to_v, &edge);
    let one = BigInt::from(1);
    if along.sign() != Sign::Plus {
        return Fraction { above: dot(&to_v, &to_v), below: one };
    }
    let length = dot(&edge, &edge);
    if along >= length {
        let to_v = minus(v, q);
        return Fraction { above: dot(&to_v, &to_v), below: one };
    }
    let aside = cross(&edge, &to_v);
    Fraction { above: &aside * &aside, below: length }
}

/// Returns the point of a segment that is nearest to a point. The segment has integer ends, and the points are
/// fixed-point.
pub(crate) fn nearest_on_segment(v: &Point, p: &Point, q: &Point) -> Point {
    let (edge, to_v) = (minus(q, p), minus(v, &scaled(p)));
    let (along, length) = (dot(&to_v, &edge), dot(&edge, &edge));
    if along.sign() != Sign::Plus {
        return scaled(p);
    }
    if along >= &length << BITS {
        return scaled(q);
    }
    [0, 1].map(|axis| (&p[axis] << BITS) + &edge[axis] * &along / &length)
}

/// Returns the distance between two fixed-point points.
pub(crate) fn between(p: &Point, q: &Point) -> BigInt {
    let d = minus(p, q);
    dot(&d, &d).sqrt()
}

/// Returns the distance of a fixed-point point from the line through two integer points.
pub(crate) fn to_line(v: &Point, p: &Point, q: &Point) -> BigInt {
    let edge = minus(q, p);
    let aside = BigInt::from(cross(&edge, &minus(v, &scaled(p))).magnitude().clone());
    over_root(&aside, &dot(&edge, &edge)) >> BITS
}

/// Returns the distance of a fixed-point point from a convex polygon of integers. The distance is 0 for a point inside the
/// polygon.
pub(crate) fn to_region(v: &Point, ring: &[Point]) -> BigInt {
    let outside =
        |(p, q): &(&Point, &Point)| cross(&minus(q, p), &minus(v, &scaled(p))).sign() == Sign::Minus;
    let beyond = edges(ring).filter(outside);
    beyond.map(|(p, q)| between(v, &nearest_on_segment(v, p, q))).min().unwrap_or_default()
}

/// Returns whether a point is in a convex polygon or on its border.
fn contains(ring: &[Point], v: &Point) -> bool {
    edges(ring).all(|(p, q)| cross(&minus(q, p), &minus(v, p)).sign() != Sign::Minus)
}

/// Returns the outward unit normal of an edge of a counter-clockwise ring, in fixed-point numbers.
pub(crate) fn outward(ring: &[Point], edge: usize) -> Point {
    let e = minus(&ring[(edge + 1) % ring.len()], &ring[edge]);
    let square = dot(&e, &e);
    let length = (square << (2 * BITS)).sqrt();
    [(&e[1] << (2 * BITS)) / &length, -(&e[0] << (2 * BITS)) / &length]
}

/// Returns the gaps between a ring and the other polygon over each edge of the ring, in fixed-point numbers.
pub(crate) fn gaps(ring: &[Point], other: &[Point]) -> Vec<BigInt> {
    let gap = |(p, q): (&Point, &Point)| {
        let e = minus(q, p);
        let beyond = other.iter().map(|v| -cross(&e, &minus(v, p))).min().unwrap();
        over_root(&beyond, &dot(&e, &e))
    };
    edges(ring).map(gap).collect()
}

/// Returns the gap from A to B along a fixed-point direction.
pub(crate) fn gap_along(direction: &Point, a: &[Point], b: &[Point]) -> BigInt {
    let end = a.iter().map(|v| dot(direction, v)).max().unwrap();
    let start = b.iter().map(|v| dot(direction, v)).min().unwrap();
    start - end
}

/// Returns whether two points, segments or convex polygons have a common point.
fn cores_meet(a: &[Point], b: &[Point]) -> bool {
    let side = |p: &Point, q: &Point, v: &Point| cross(&minus(q, p), &minus(v, p)).sign();
    let opposite = |s: Sign, t: Sign| s != Sign::NoSign && s == -t;
    let cross_each_other = |(p, q): (&Point, &Point), (v, w): (&Point, &Point)| {
        opposite(side(p, q, v), side(p, q, w)) && opposite(side(v, w, p), side(v, w, q))
    };
    let within =
        |ring: &[Point], points: &[Point]| ring.len() > 2 && points.iter().any(|v| contains(ring, v));
    let on_border = |points: &[Point], ring: &[Point]| {
        points.iter().any(|v| edges(ring).any(|(p, q)| square_to_segment(v, p, q).above == BigInt::ZERO))
    };
    within(a, b)
        || within(b, a)
        || on_border(a, b)
        || on_border(b, a)
        || edges(a).any(|edge| edges(b).any(|other| cross_each_other(edge, other)))
}
