//! Differences and products of f64 numbers, together with their rounding errors. Each value is the sum of two f64
//! numbers, so that the result still has about twice the bits of f64 if terms cancel.

use glam::DVec2;

/// A vector of twice the precision of f64, stored as the sum of its rounded value and the rounding error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Twofold {
    pub(super) high: DVec2,
    low: DVec2,
}

impl Twofold {
    /// Returns a vector without a rounding error, from a vector that f64 represents.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn rounded(high: DVec2) -> Self {
        Self { high, low: DVec2::ZERO }
    }

    /// Returns the exact vector from one point to another.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn between(from: DVec2, to: DVec2) -> Self {
        let [[x, low_x], [y, low_y]] = [difference(to.x, from.x), difference(to.y, from.y)];
        Self { high: DVec2::new(x, y), low: DVec2::new(low_x, low_y) }
    }

    /// Returns the dot product of two vectors. The error is at most 2^-51 of the result plus 2^-100 of the product of
    /// the lengths.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn dot(self, other: Self) -> f64 {
        let ([a, b], [c, d]) = ([self.high, self.low], [other.high, other.low]);
        let ([p, p_low], [q, q_low]) = (product(a.x, c.x), product(a.y, c.y));
        let [sum, sum_low] = sum(p, q);
        sum + (sum_low + (p_low + q_low) + ((a.x * d.x + b.x * c.x) + (a.y * d.y + b.y * c.y)))
    }

    /// Returns the dot product of two vectors with twice the bits of f64.
    pub(super) fn twofold_dot(self, other: Self) -> Number {
        let ([a, b], [c, d]) = ([self.high, self.low], [other.high, other.low]);
        let ([p, p_low], [q, q_low]) = (product(a.x, c.x), product(a.y, c.y));
        let [high, low] = sum(p, q);
        Number::of(high, low + (p_low + q_low) + ((a.x * d.x + b.x * c.x) + (a.y * d.y + b.y * c.y)))
    }

    /// Returns the cross product of two vectors with twice the bits of f64.
    pub(super) fn twofold_perp_dot(self, other: Self) -> Number {
        self.perp().twofold_dot(other)
    }

    /// Returns the cross product `x other.y - y other.x`. The error is at most 2^-51 of the result plus 2^-100 of the
    /// product of the lengths.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn perp_dot(self, other: Self) -> f64 {
        self.perp().dot(other)
    }

    /// Returns the vector rotated counter-clockwise by a quarter turn.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn perp(self) -> Self {
        Self { high: self.high.perp(), low: self.low.perp() }
    }
}

/// A number with about twice the bits of f64, stored as the sum of two f64 numbers. The second f64 is at most the
/// rounding error of the first. A comparison compares the first numbers, and the second numbers if the first are equal.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct Number {
    high: f64,
    low: f64,
}

impl Number {
    fn of(high: f64, low: f64) -> Self {
        let [high, low] = sum(high, low);
        Self { high, low }
    }

    pub(super) fn is_negative(self) -> bool {
        self.high < 0.0
    }

    pub(super) fn exceeds(self, limit: f64) -> bool {
        self.high > limit
    }

    pub(super) fn squared(self) -> Self {
        let [high, low] = product(self.high, self.high);
        Self::of(high, low + 2.0 * self.high * self.low)
    }

    pub(super) fn over(self, other: Self) -> Self {
        let quotient = self.high / other.high;
        let [high, low] = product(quotient, other.high);
        let rest = (self.high - high) - low + self.low - quotient * other.low;
        Self::of(quotient, rest / other.high)
    }
}

/// Returns a sum and its rounding error (Knuth 1997, "The Art of Computer Programming" 2, 4.2.2, theorem B).
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn sum(a: f64, b: f64) -> [f64; 2] {
    let sum = a + b;
    let of_b = sum - a;
    [sum, (a - (sum - of_b)) + (b - of_b)]
}

#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn difference(a: f64, b: f64) -> [f64; 2] {
    sum(a, -b)
}

/// Returns the product of two f64 and the rounding error of this product.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn product(a: f64, b: f64) -> [f64; 2] {
    let product = a * b;
    [product, a.mul_add(b, -product)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cancels_keeps_its_bits() {
        // An edge of length about 5e14, and a vertex at a distance of 5 from it.
        let (p, q) = (DVec2::ZERO, DVec2::new(276_087_348_378_828.0, 368_116_464_505_104.0));
        let v = DVec2::new(48_595_152_718_706.0, 64_793_536_958_283.0);
        let (edge, way) = (Twofold::between(p, q), Twofold::between(p, v));
        let exact = 276_087_348_378_828_i128 * 64_793_536_958_283 - 368_116_464_505_104 * 48_595_152_718_706;
        assert_eq!(edge.perp_dot(way), exact as f64);
        assert_ne!(edge.high.perp_dot(way.high), exact as f64);
    }

    #[test]
    fn numbers_of_twice_the_bits_tell_what_f64_does_not() {
        let way = |x: f64, y: f64| Twofold::between(DVec2::ZERO, DVec2::new(x, y));
        let least = 2f64.powi(-40);
        let square = |v: Twofold| v.twofold_dot(v);
        assert!(square(way(1.0, 0.0)) < square(way(1.0, least)));
        assert_eq!(way(1.0, 0.0).dot(way(1.0, 0.0)), way(1.0, least).dot(way(1.0, least)));
        // The height of the vector above the diagonal.
        let height = way(1.0, least).twofold_perp_dot(way(1.0, 1.0)).squared().over(square(way(1.0, 1.0)));
        assert_eq!(height.high, 0.5 - least);
        assert_eq!(height.low, 0.5 * least * least);
    }

    #[test]
    fn differences_are_exact() {
        let [high, low] = difference(1.0, 1e-30);
        assert_eq!((high, low), (1.0, -1e-30));
        let way = Twofold::between(DVec2::new(1e-30, 0.0), DVec2::new(1.0, 2.0));
        assert_eq!(way.dot(Twofold::rounded(DVec2::new(1.0, 0.0))), 1.0);
        assert_eq!(way.low, DVec2::new(-1e-30, 0.0));
    }
}
