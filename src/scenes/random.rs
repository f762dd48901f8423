use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};

/// The purpose of a stream of random numbers. Streams with different purposes are independent.
#[derive(Clone, Copy)]
pub enum Purpose {
    /// A stream for the shape and the position of one polygon or of one pair.
    Item = 0,
    /// A stream for another shape, which replaces a shape without area after rounding.
    Redraw = 1,
    /// A stream for the centre of one cluster.
    Centre = 2,
    /// A stream for the random order of the polygons of a scene.
    Order = 3,
}

/// A generator of random numbers that are the same on every machine: ChaCha with 8 rounds. Seed, recipe and purpose are
/// the key, and each index has its own stream. An item therefore depends on its index, and not on the thread that makes
/// the item.
pub struct Random(ChaCha8Rng);

impl Random {
    /// Returns the generator of one number stream of a recipe.
    pub fn new(seed: u64, recipe: u8, purpose: Purpose, index: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8] = recipe;
        key[9] = purpose as u8;
        let mut generator = ChaCha8Rng::from_seed(key);
        generator.set_stream(index);
        Self(generator)
    }

    /// Returns a number uniform in `0..1`, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number uniform in `low..high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Returns an integer uniform in `0..bound`: the high half of the product of 64 random bits and `bound`. The bias
    /// is below `bound / 2^64`.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Returns an integer uniform in `low..=high`.
    pub(crate) fn integer(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }

    /// Returns true half of the time.
    pub(crate) fn coin(&mut self) -> bool {
        self.below(2) == 1
    }

    /// Returns a nearly normal number with mean 0 and variance 1, within ±6: the sum of 12 uniform numbers, minus 6
    /// (Irwin-Hall).
    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).fold(-6.0, |sum, _| sum + self.unit())
    }

    /// Returns the integers from 0 to `count - 1` in random order, by the shuffle of Fisher and Yates.
    pub(crate) fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            let other = self.below(last as u64 + 1) as usize;
            order.swap(last, other);
        }
        order
    }
}

/// Returns the unit vector at an angle of `turns` whole turns, counter-clockwise from the x axis.
///
/// The function uses Taylor polynomials over an eighth of a turn on either side of the nearest axis, with an error of
/// 1e-10, and scales the vector to length 1 with a square root. It calls no library function whose last bit differs
/// between platforms.
pub(crate) fn direction(turns: f64) -> [f64; 2] {
    let quarter = (turns * 4.0 + 0.5).floor();
    let x = (turns * 4.0 - quarter) * std::f64::consts::FRAC_PI_2;
    let square = x * x;
    let (mut cos, mut sin) = (1.0, x);
    let (mut cos_term, mut sin_term) = (1.0, x);
    for k in [1.0, 3.0, 5.0, 7.0, 9.0] {
        cos_term *= -square / (k * (k + 1.0));
        sin_term *= -square / ((k + 1.0) * (k + 2.0));
        cos += cos_term;
        sin += sin_term;
    }
    let length = (cos * cos + sin * sin).sqrt();
    let (cos, sin) = (cos / length, sin / length);
    match (quarter as i64).rem_euclid(4) {
        0 => [cos, sin],
        1 => [-sin, cos],
        2 => [-cos, -sin],
        _ => [sin, -cos],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_is_cosine_and_sine() {
        for i in -1000..=1000 {
            let turns = f64::from(i) / 1000.0;
            let [x, y] = direction(turns);
            let (sin, cos) = (turns * std::f64::consts::TAU).sin_cos();
            assert!((x - cos).abs() < 1e-9 && (y - sin).abs() < 1e-9, "at {turns}");
        }
    }

    #[test]
    fn a_permutation_names_each_number_once() {
        let mut order = Random::new(1, 0, Purpose::Order, 0).permutation(1000);
        assert!(order.iter().enumerate().any(|(i, &k)| i != k));
        order.sort_unstable();
        assert!(order.iter().enumerate().all(|(i, &k)| i == k));
    }

    #[test]
    fn streams_differ_by_seed_recipe_purpose_and_index() {
        let base = Random::new(1, 2, Purpose::Item, 3).unit();
        assert_eq!(base, Random::new(1, 2, Purpose::Item, 3).unit());
        for other in [
            Random::new(2, 2, Purpose::Item, 3),
            Random::new(1, 3, Purpose::Item, 3),
            Random::new(1, 2, Purpose::Redraw, 3),
            Random::new(1, 2, Purpose::Item, 4),
        ] {
            let mut other = other;
            assert_ne!(base, other.unit());
        }
    }
}
