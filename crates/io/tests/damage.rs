//! Damages the bytes of files, in the same way in every run.

/// A generator of random damage: xorshift64* (Vigna 2016).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound.max(1)
    }

    /// Damages a few bytes, most of them among the first `near` bytes.
    pub(crate) fn damage(&mut self, bytes: &mut Vec<u8>, near: usize) {
        for _ in 0..1 + self.below(4) {
            let end = bytes.len();
            let at = if self.below(3) == 0 { self.below(end) } else { self.below(end.min(near)) };
            self.damage_at(bytes, at);
        }
    }

    /// Damages the bytes at the position `at`: flips a bit, overwrites or removes a few bytes, or cuts off the end of the file.
    pub(crate) fn damage_at(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let end = bytes.len();
        match self.below(6) {
            0 => bytes[at] ^= 1 << self.below(8),
            1 => bytes[at] = self.below(256) as u8,
            2 => bytes[at..].iter_mut().take(4).for_each(|byte| *byte = 0xFF),
            3 => bytes[at..].iter_mut().take(8).for_each(|byte| *byte = 0),
            4 => drop(bytes.drain(at..end.min(at + 1 + self.below(16)))),
            _ if end > 64 => bytes.truncate(end - self.below(16)),
            _ => {}
        }
    }
}
