//! Decides the relation of two convex polygons in exact arithmetic, by a different method than the library.
//!
//! The library searches for an edge that separates. The oracle does not examine edges. Let D be the set of all
//! differences b - a of a vertex b of B and a vertex a of A. The Minkowski difference of the polygons is the hull of D.
//! For two convex polygons with an interior:
//!
//! - The interiors meet if and only if the origin is in the interior of this hull.
//! - The polygons meet if and only if the origin is in this hull.
//!
//! The directions from the origin to the points of D show where the origin is. Sort them around the circle. If a gap
//! between neighbours is more than half a turn, the origin is outside. If a gap is exactly half a turn, the origin is
//! on the border. If all gaps are smaller, the origin is inside. If a difference is 0, the origin is in the hull
//! whatever the gaps are.
//!
//! The oracle requires neither an order of the vertices nor clean rings. Each polygon must be the hull of its vertices,
//! and must have an interior.

use std::cmp::Ordering;
use std::ops::{Mul, Sub};

use num_bigint::{BigInt, Sign};
use sat2d::Relation;

/// Returns the relation of the hulls of `a` and `b`. Both must have an interior and finite coordinates.
pub(crate) fn relation(a: &[[f64; 2]], b: &[[f64; 2]]) -> Relation {
    relation_of_exact(&exact_ring(a), &exact_ring(b))
}

/// A turn given by cosine and sine, then a translation: (cos, sin, x, y).
pub(crate) type PoseNumbers = [f64; 4];

/// Returns the relation of two posed polygons, whose vertices are exactly (cos x - sin y + tx, sin x + cos y + ty).
pub(crate) fn posed_relation(
    a: &[[f64; 2]],
    pose_a: PoseNumbers,
    b: &[[f64; 2]],
    pose_b: PoseNumbers,
) -> Relation {
    relation_of_exact(&posed_ring(a, pose_a), &posed_ring(b, pose_b))
}

/// The exact number `mantissa * 2^exponent`.
#[derive(Clone, Debug)]
pub(crate) struct Dyadic {
    pub(crate) mantissa: BigInt,
    pub(crate) exponent: i64,
}

impl Dyadic {
    pub(crate) fn new(x: f64) -> Self {
        assert!(x.is_finite(), "{x} is not a number with a value");
        let bits = x.to_bits();
        let biased = (bits >> 52 & 0x7ff) as i64;
        let fraction = (bits & ((1 << 52) - 1)) as i64;
        // Subnormals have no hidden bit and the exponent of the least normal numbers.
        let (magnitude, exponent) =
            if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
        if magnitude == 0 {
            return Self { mantissa: BigInt::ZERO, exponent: 0 };
        }
        // Remove trailing zeros, so that more pairs fit the fast arithmetic.
        let zeros = i64::from(magnitude.trailing_zeros());
        let mantissa = magnitude >> zeros;
        let mantissa = BigInt::from(if x < 0.0 { -mantissa } else { mantissa });
        Self { mantissa, exponent: exponent + zeros }
    }

    /// Returns the mantissa with which the number has the given exponent, which must not be greater than the current exponent.
    pub(crate) fn at_exponent(&self, exponent: i64) -> BigInt {
        &self.mantissa << usize::try_from(self.exponent - exponent).expect("the exponent is the least")
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        Self { mantissa: &self.mantissa * &other.mantissa, exponent: self.exponent + other.exponent }
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let exponent = self.exponent.min(other.exponent);
        Self { mantissa: self.at_exponent(exponent) + other.at_exponent(exponent), exponent }
    }

    fn negative(&self) -> Self {
        Self { mantissa: -&self.mantissa, exponent: self.exponent }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.mantissa.sign() == Sign::NoSign
    }
}

pub(crate) fn exact_ring(ring: &[[f64; 2]]) -> Vec<[Dyadic; 2]> {
    ring.iter().map(|p| p.map(Dyadic::new)).collect()
}

pub(crate) fn posed_ring(ring: &[[f64; 2]], pose: PoseNumbers) -> Vec<[Dyadic; 2]> {
    let [cos, sin, tx, ty] = pose.map(Dyadic::new);
    exact_ring(ring)
        .iter()
        .map(|[x, y]| {
            [
                cos.times(x).plus(&sin.times(y).negative()).plus(&tx),
                sin.times(x).plus(&cos.times(y)).plus(&ty),
            ]
        })
        .collect()
}

pub(crate) fn relation_of_exact(a: &[[Dyadic; 2]], b: &[[Dyadic; 2]]) -> Relation {
    // A common power of two makes every coordinate an integer, and changes no relation.
    let least = a.iter().chain(b).flatten().filter(|x| !x.is_zero()).map(|x| x.exponent).min().unwrap_or(0);
    let integers = |ring: &[[Dyadic; 2]]| -> Vec<[BigInt; 2]> {
        let scaled = |x: &Dyadic| if x.is_zero() { BigInt::ZERO } else { x.at_exponent(least) };
        ring.iter().map(|[x, y]| [scaled(x), scaled(y)]).collect()
    };
    let (a, b) = (integers(a), integers(b));
    match (small_integers(&a), small_integers(&b)) {
        (Some(a), Some(b)) => origin_in_differences(&a, &b, i128_fits).unwrap_or_else(|| big(&a, &b)),
        _ => origin_in_differences(&a, &b, |_| true).expect("big integers always fit"),
    }
}

fn big(a: &[[i128; 2]], b: &[[i128; 2]]) -> Relation {
    let big = |ring: &[[i128; 2]]| -> Vec<[BigInt; 2]> { ring.iter().map(|p| p.map(BigInt::from)).collect() };
    origin_in_differences(&big(a), &big(b), |_| true).expect("big integers always fit")
}

/// Returns the coordinates as i128, or `None` if one is not below 2^120. The differences then cannot overflow.
fn small_integers(ring: &[[BigInt; 2]]) -> Option<Vec<[i128; 2]>> {
    let small = |x: &BigInt| if x.bits() <= 120 { i128::try_from(x).ok() } else { None };
    ring.iter().map(|[x, y]| Some([small(x)?, small(y)?])).collect()
}

/// Returns whether a number is below 2^62. Products of two such numbers are below 2^125, so that sums of two products
/// cannot overflow.
fn i128_fits(x: &i128) -> bool {
    x.unsigned_abs() < 1 << 62
}

/// The operations that both integer types provide.
trait Integer: Clone + Ord + From<i8>
where
    for<'a> &'a Self: Sub<Output = Self> + Mul<Output = Self>,
{
}
impl Integer for i128 {}
impl Integer for BigInt {}

/// Returns the relation, by the method that the documentation of the module describes. Returns `None` if `fits` rejects a
/// difference of two coordinates.
fn origin_in_differences<T: Integer>(
    a: &[[T; 2]],
    b: &[[T; 2]],
    fits: impl Fn(&T) -> bool,
) -> Option<Relation>
where
    for<'a> &'a T: Sub<Output = T> + Mul<Output = T>,
{
    let zero = T::from(0);
    let mut directions: Vec<[T; 2]> = Vec::with_capacity(a.len() * b.len());
    let mut zero_is_a_difference = false;
    for p in a {
        for q in b {
            let difference = [&q[0] - &p[0], &q[1] - &p[1]];
            if !difference.iter().all(&fits) {
                return None;
            }
            if difference[0] == zero && difference[1] == zero {
                zero_is_a_difference = true;
            } else {
                directions.push(difference);
            }
        }
    }
    directions.sort_by(compare_angles);
    // The widest gap from a direction to the next one counter-clockwise, compared with half a turn. Equal directions have no
    // gap between them.
    let mut widest = Ordering::Less;
    for (i, from) in directions.iter().enumerate() {
        let to = &directions[(i + 1) % directions.len()];
        let closes_the_circle = i + 1 == directions.len();
        widest = widest.max(gap_against_half_turn(from, to, closes_the_circle));
    }
    Some(match widest {
        Ordering::Greater if zero_is_a_difference => Relation::Touching,
        Ordering::Greater => Relation::Disjoint,
        Ordering::Equal => Relation::Touching,
        Ordering::Less => Relation::Overlapping,
    })
}

/// Compares the gap between two neighbouring directions with half a turn. The gap goes counter-clockwise from `from` to
/// `to`. `closes_the_circle` is true if `from` is the last direction in the order around the circle and `to` is the
/// first.
fn gap_against_half_turn<T: Integer>(from: &[T; 2], to: &[T; 2], closes_the_circle: bool) -> Ordering
where
    for<'a> &'a T: Sub<Output = T> + Mul<Output = T>,
{
    match compare_products(from, to) {
        // The next direction is to the left, so the gap is less than half a turn.
        Ordering::Greater => Ordering::Less,
        // The next direction is to the right, so the gap is more than half a turn.
        Ordering::Less => Ordering::Greater,
        // Opposite directions have a gap of half a turn. Equal directions have no gap. But if all directions are equal,
        // the gap from the last to the first is the whole circle.
        Ordering::Equal if upper_half(from) != upper_half(to) => Ordering::Equal,
        Ordering::Equal if closes_the_circle => Ordering::Greater,
        Ordering::Equal => Ordering::Less,
    }
}

/// Orders directions counter-clockwise from the positive x axis.
fn compare_angles<T: Integer>(p: &[T; 2], q: &[T; 2]) -> Ordering
where
    for<'a> &'a T: Sub<Output = T> + Mul<Output = T>,
{
    upper_half(q).cmp(&upper_half(p)).then_with(|| compare_products(p, q).reverse())
}

/// Returns whether an angle is at least 0 and below 180 degrees.
fn upper_half<T: Integer>(p: &[T; 2]) -> bool
where
    for<'a> &'a T: Sub<Output = T> + Mul<Output = T>,
{
    let zero = T::from(0);
    p[1] > zero || (p[1] == zero && p[0] > zero)
}

/// Returns the sign of the cross product p x q as an ordering, by a comparison of its two products.
fn compare_products<T: Integer>(p: &[T; 2], q: &[T; 2]) -> Ordering
where
    for<'a> &'a T: Sub<Output = T> + Mul<Output = T>,
{
    (&p[0] * &q[1]).cmp(&(&p[1] * &q[0]))
}
