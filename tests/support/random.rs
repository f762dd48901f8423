//! Random numbers that are the same on every machine.

/// The generator SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators"). The field is the
/// state, which starts as the seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns a number that is at least 0 and less than 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number from `-reach` to `reach`.
    pub(crate) fn around(&mut self, reach: f64) -> f64 {
        (2.0 * self.unit() - 1.0) * reach
    }

    /// Returns an integer from 0 to `count - 1`.
    pub(crate) fn below(&mut self, count: u32) -> u32 {
        (self.unit() * f64::from(count)) as u32
    }
}
