//! Computes posed vertices without rounding, as integer multiples of one tiny unit.

use glam::DVec2;
use num_bigint::{BigInt, Sign};

use super::Piece;

/// The number of bits after the binary point of an accepted coordinate. Each accepted coordinate is a multiple of
/// 2^-195, because it is 0 or at least 2^-142 in magnitude, and has 53 bits.
pub(crate) const VERTEX_BITS: i32 = 195;
/// The number of bits after the binary point of a cosine or sine of a [`super::Pose`]. Each of these values is a
/// multiple of 2^-195, because it is 0 or at least 2^-142 in magnitude, and has 53 bits.
const ROTATION_BITS: i32 = 195;

/// The number of bits after the binary point of a coordinate of a [`BigPoint`]: the unit of the coordinate is 2^-390.
pub(crate) const UNIT_BITS: i32 = VERTEX_BITS + ROTATION_BITS;

/// A point of the plane with integer coordinates. If a comment states no other unit, the unit is 2^-390 times the
/// caller's unit.
pub(crate) type BigPoint = [BigInt; 2];

/// Returns the exact image of every vertex of a piece.
pub(crate) fn posed_image(piece: Piece<'_>) -> Vec<BigPoint> {
    let cos = scaled(piece.pose.cos(), ROTATION_BITS);
    let sin = scaled(piece.pose.sin(), ROTATION_BITS);
    let translation = piece.pose.translation();
    let [tx, ty] = translation.to_array().map(|t| scaled(t, UNIT_BITS));
    let posed = |v: &DVec2| {
        let [x, y] = image(*v);
        [&cos * &x - &sin * &y + &tx, &sin * &x + &cos * &y + &ty]
    };
    piece.vertices.iter().map(posed).collect()
}

/// Returns a vertex without a pose, in units of 2^-195.
pub(crate) fn image(v: DVec2) -> BigPoint {
    v.to_array().map(|c| scaled(c, VERTEX_BITS))
}

/// Returns the exact orientation of three points: 1 if `r` lies to the left of the line from `p` to `q`, -1 if it lies
/// to the right, and 0 if it lies on the line.
pub(crate) fn orientation(p: &BigPoint, q: &BigPoint, r: &BigPoint) -> f64 {
    match area(p, q, r).sign() {
        Sign::Minus => -1.0,
        Sign::NoSign => 0.0,
        Sign::Plus => 1.0,
    }
}

/// Returns twice the signed area of a triangle, in the square of the unit of the points. The area is positive if `r`
/// lies to the left of the line from `p` to `q`.
pub(crate) fn area(p: &BigPoint, q: &BigPoint, r: &BigPoint) -> BigInt {
    cross(&difference(q, p), &difference(r, p))
}

pub(crate) fn difference(to: &BigPoint, from: &BigPoint) -> BigPoint {
    [&to[0] - &from[0], &to[1] - &from[1]]
}

pub(crate) fn dot(p: &BigPoint, q: &BigPoint) -> BigInt {
    &p[0] * &q[0] + &p[1] * &q[1]
}

pub(crate) fn cross(p: &BigPoint, q: &BigPoint) -> BigInt {
    &p[0] * &q[1] - &p[1] * &q[0]
}

/// Returns `x * 2^bits`. The result must be an integer.
pub(crate) fn scaled(x: f64, bits: i32) -> BigInt {
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32;
    let fraction = x.to_bits() & ((1 << 52) - 1);
    // Coordinates are never subnormal, but other lengths may be.
    let (mantissa, exponent) = if exponent == 0 { (fraction, 1) } else { (fraction | (1 << 52), exponent) };
    let shift = exponent - 1075 + bits;
    let magnitude = BigInt::from(mantissa);
    // The bits that a negative shift drops are zero, because the result is an integer.
    let scaled = if shift >= 0 { magnitude << shift } else { magnitude >> -shift };
    if x < 0.0 { -scaled } else { scaled }
}

/// Returns `x / 2^bits`, with a relative error of at most 2^-52. The result must be 0 or a normal f64, as areas and
/// lengths of accepted coordinates are.
pub(crate) fn to_f64(x: &BigInt, bits: i32) -> f64 {
    let dropped = x.bits().saturating_sub(64);
    let mantissa = (x.magnitude() >> dropped).iter_u64_digits().next().unwrap_or(0);
    let magnitude = mantissa as f64 * 2f64.powi(dropped as i32 - bits);
    if x.sign() == Sign::Minus { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_is_exact_at_both_ends_of_the_accepted_range() {
        let least = super::super::MIN_COORDINATE;
        assert_eq!(scaled(least, VERTEX_BITS), BigInt::from(1) << 53);
        assert_eq!(-scaled(-least.next_up(), VERTEX_BITS), (BigInt::from(1) << 53) + BigInt::from(2));
        assert_eq!(scaled(super::super::MAX_COORDINATE, VERTEX_BITS), BigInt::from(1) << (201 + VERTEX_BITS));
        assert_eq!(scaled(1.5, ROTATION_BITS), BigInt::from(3) << 194);
    }
}
