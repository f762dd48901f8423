//! Numbers with the precision of f64 and with twice this precision, and the operations that clipping needs.

/// A floating-point number with the operations that clipping needs.
pub(super) trait Real: Copy {
    /// The bound on the relative error of one operation on these numbers.
    const UNIT: f64;

    fn of(value: f64) -> Self;
    /// Returns the f64 that is nearest to this number.
    fn head(self) -> f64;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn over(self, other: Self) -> Self;
}

impl Real for f64 {
    const UNIT: f64 = 1.0 / (1u64 << 53) as f64;

    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn head(self) -> f64 {
        self
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self - other
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self * other
    }

    #[inline(always)]
    fn over(self, other: Self) -> Self {
        self / other
    }
}

/// A number with about twice the bits of f64, stored as the sum of two f64. The magnitude of the second f64 is at most
/// the rounding error of the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Double {
    high: f64,
    low: f64,
}

impl Double {
    /// Returns the exact difference of two f64.
    pub(super) fn difference(a: f64, b: f64) -> Self {
        sum(a, -b)
    }

    /// Returns the product of two f64. The product is exact if nothing underflows.
    pub(super) fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        Self { high, low: a.mul_add(b, -high) }
    }
}

/// The relative error of each operation is at most 2^-102. The exception is the sum of two numbers with different
/// signs, whose error is at most 2^-102 times the sum of their magnitudes (Joldes, Muller and Popescu 2017, "Tight and
/// rigorous error bounds for basic building blocks of double-word arithmetic", algorithms 6, 12 and 17).
/// The bounds of clipping are derived for operations on f64. [`Real::UNIT`] therefore has a margin: it is 2^-100.
impl Real for Double {
    const UNIT: f64 = 1.0 / (1u128 << 100) as f64;

    fn of(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }

    fn head(self) -> f64 {
        self.high
    }

    fn plus(self, other: Self) -> Self {
        let (heads, rests) = (sum(self.high, other.high), sum(self.low, other.low));
        let part = quick_sum(heads.high, heads.low + rests.high);
        quick_sum(part.high, rests.low + part.low)
    }

    fn minus(self, other: Self) -> Self {
        self.plus(Self { high: -other.high, low: -other.low })
    }

    fn times(self, other: Self) -> Self {
        let heads = Self::product(self.high, other.high);
        let rest = self.low.mul_add(other.high, self.high.mul_add(other.low, self.low * other.low));
        quick_sum(heads.high, heads.low + rest)
    }

    fn over(self, other: Self) -> Self {
        let quotient = self.high / other.high;
        let rest = self.minus(other.times(Self::of(quotient)));
        quick_sum(quotient, rest.high / other.high)
    }
}

/// Returns the sum of two f64, with its rounding error (Knuth 1997, "The Art of Computer Programming" 2, 4.2.2, theorem
/// B).
fn sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let of_b = high - a;
    Double { high, low: (a - (high - of_b)) + (b - of_b) }
}

/// Returns the sum of two f64, with its rounding error. It needs fewer operations than [`sum`]. `a` must be 0, or its
/// magnitude must be at least the magnitude of `b`.
fn quick_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    Double { high, low: b - (high - a) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_keep_about_a_hundred_bits() {
        let (one, tiny) = (Double::of(1.0), Double::of(2f64.powi(-90)));
        assert_eq!(one.plus(tiny).minus(one).head(), tiny.head());
        let third = one.over(Double::of(3.0));
        assert!(third.times(Double::of(3.0)).minus(one).head().abs() < 2f64.powi(-101));
        let (a, b) = (one.plus(tiny), one.minus(tiny));
        // The square of the tiny number is too small for the precision of [`Double`].
        assert_eq!(a.times(b).minus(one).head(), 0.0);
        assert_eq!(a.times(a).minus(one).head(), 2.0 * tiny.head());
        assert_eq!(Double::difference(1.0, 1e-30).minus(one).head(), -1e-30);
    }
}
