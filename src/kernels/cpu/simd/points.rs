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

    /// Copies one point of each half of the lanes to all lanes of the same half. The copied point is the point in lane
    /// `LANE` of the half.
    #[inline(always)]
    pub(in crate::kernels::cpu) fn of_half<const LANE: usize>(self) -> Self {
        Self { x: self.x.of_half::<LANE>(), y: self.y.of_half::<LANE>() }
    }

    /// Returns the outward normals of eight edges, from these points to `ends`. The length of each normal is the length
    /// of its edge.
    #[inline(always)]
    pub(in crate::kernels::cpu) fn normal(self, ends: Self) -> Self {
        Self { x: ends.y.sub(self.y), y: self.x.sub(ends.x) }
    }
}
