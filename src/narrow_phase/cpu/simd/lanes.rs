//! Eight numbers side by side, as plain arrays: the compiler makes vector code of them.

use std::array::from_fn;

use crate::narrow_phase::cpu::records::LANES;

/// One number a lane.
#[derive(Clone, Copy, Debug)]
pub(in crate::narrow_phase::cpu) struct Lanes(pub(in crate::narrow_phase::cpu) [f32; LANES]);

impl Lanes {
    #[inline(always)]
    pub(super) fn splat(x: f32) -> Self {
        Self([x; LANES])
    }

    /// The eight numbers of `row` from `START` on.
    #[inline(always)]
    pub(super) fn load<const START: usize>(row: &[f32; LANES + 1]) -> Self {
        Self(from_fn(|i| row[START + i]))
    }

    #[inline(always)]
    pub(super) fn add(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] + other.0[i]))
    }

    #[inline(always)]
    pub(super) fn sub(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] - other.0[i]))
    }

    #[inline(always)]
    pub(super) fn mul(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] * other.0[i]))
    }

    /// `self * factor + addend`, rounded once where the machine can.
    #[inline(always)]
    pub(super) fn mul_add<const FUSED: bool>(self, factor: Self, addend: Self) -> Self {
        Self(from_fn(|i| {
            if FUSED {
                self.0[i].mul_add(factor.0[i], addend.0[i])
            } else {
                self.0[i] * factor.0[i] + addend.0[i]
            }
        }))
    }

    #[inline(always)]
    pub(super) fn abs(self) -> Self {
        Self(self.0.map(f32::abs))
    }

    #[inline(always)]
    pub(super) fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }

    /// The lesser in each lane; neither is NaN.
    #[inline(always)]
    pub(super) fn min(self, other: Self) -> Self {
        Self(from_fn(|i| if self.0[i] < other.0[i] { self.0[i] } else { other.0[i] }))
    }

    /// The greater in each lane; neither is NaN.
    #[inline(always)]
    pub(super) fn max(self, other: Self) -> Self {
        Self(from_fn(|i| if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] }))
    }

    /// Whether any lane is greater than the other's.
    #[inline(always)]
    pub(super) fn any_above(self, other: Self) -> bool {
        let mut any = false;
        for i in 0..LANES {
            any |= self.0[i] > other.0[i];
        }
        any
    }

    /// Whether any lane is 0 or greater.
    #[inline(always)]
    pub(super) fn any_at_least_zero(self) -> bool {
        let mut any = false;
        for lane in self.0 {
            any |= lane >= 0.0;
        }
        any
    }

    /// The least lane, by halves.
    #[inline(always)]
    pub(super) fn least(self) -> f32 {
        let lesser = |a: f32, b: f32| if a < b { a } else { b };
        let [a, b, c, d, e, f, g, h] = self.0;
        let (ae, bf, cg, dh) = (lesser(a, e), lesser(b, f), lesser(c, g), lesser(d, h));
        lesser(lesser(ae, cg), lesser(bf, dh))
    }

    /// The greatest lane, by halves.
    #[inline(always)]
    pub(super) fn greatest(self) -> f32 {
        -self.neg().least()
    }
}
