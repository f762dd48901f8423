//! Eight points or directions, one in each lane.

use crate::simd::Lanes;

#[derive(Clone, Copy)]
pub(in crate::kernels::cpu) struct Points<L> {
    pub(in crate::kernels::cpu) x: L,
    pub(in crate::kernels::cpu) y: L,
}

impl<L: Lanes> Points<L> {
    #[inline(always)]
    pub(in crate::kernels::cpu) fn minus(self, other: Self) -> Self {
        Self { x: self.x.sub(other.x), y: self.y.sub(other.y) }
    }

    #[inline(always)]
    pub(in crate::kernels::cpu) fn dot(self, other: Self) -> L {
        self.x.mul_add(other.x, self.y.mul(other.y))
    }

    /// In each lane the point in lane `LANE` of its half.
    #[inline(always)]
    pub(in crate::kernels::cpu) fn of_half<const LANE: usize>(self) -> Self {
        Self { x: self.x.of_half::<LANE>(), y: self.y.of_half::<LANE>() }
    }

    /// The outward normals of the edges from these points to `ends`, as long as the edges.
    #[inline(always)]
    pub(in crate::kernels::cpu) fn normal(self, ends: Self) -> Self {
        Self { x: ends.y.sub(self.y), y: self.x.sub(ends.x) }
    }
}
