//! Pseudo-random integers for tests.

/// A generator of pseudo-random integers, which are the same in every run. The field is the start of the sequence.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    /// Returns an integer from 0 to `count - 1`.
    pub(crate) fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }
}
