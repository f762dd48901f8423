//! Parses JSON numbers into the nearest f64.

/// The largest number of digits with which every integer is less than 2^64.
const MOST_DIGITS: usize = 19;

/// A number that was parsed from the start of a text, and its length.
pub(crate) struct Number {
    pub(crate) value: f64,
    /// The number of bytes that the number takes in the text.
    pub(crate) length: usize,
}

/// Parses the number at the start of `text`. Other text may follow the number. Returns `None` if the text does not
/// begin with a JSON number, if the number is beyond the range of f64, or if it is not 0 but too small for f64.
#[inline]
pub(crate) fn parse(text: &[u8]) -> Option<Number> {
    let is_negative = text.first() == Some(&b'-');
    let start = usize::from(is_negative);
    let mut digits = Digits { text, at: start, value: 0 };
    digits.take();
    let whole_digits = digits.at - start;
    if whole_digits == 0 || (whole_digits > 1 && text[start] == b'0') {
        return None;
    }
    let mut fraction_digits = 0;
    if text.get(digits.at) == Some(&b'.') {
        digits.at += 1;
        let point = digits.at;
        digits.take();
        fraction_digits = digits.at - point;
        if fraction_digits == 0 {
            return None;
        }
    }
    let Digits { at: length, value: mantissa, .. } = digits;
    if matches!(text.get(length), Some(b'e' | b'E')) {
        return with_exponent(text, length);
    }
    if whole_digits + fraction_digits <= MOST_DIGITS
        && let Some(magnitude) = divided(mantissa, fraction_digits)
    {
        // Sets the sign bit without a branch, because such a branch would often be mispredicted.
        let value = f64::from_bits(magnitude.to_bits() | u64::from(is_negative) << 63);
        return Some(Number { value, length });
    }
    by_std(&text[..length])
}

/// Parses a number that has an exponent at `at`. Returns `None` if the exponent has no digit, or if the value is out of
/// the range of f64.
#[cold]
fn with_exponent(text: &[u8], at: usize) -> Option<Number> {
    let has_sign = matches!(text.get(at + 1), Some(b'+' | b'-'));
    let start = at + 1 + usize::from(has_sign);
    let digits = text[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return None;
    }
    by_std(&text[..start + digits])
}

/// Parses a text that is a JSON number as a whole, with the standard library. Returns `None` if the value is infinite,
/// or if a number other than 0 is rounded to 0.
#[cold]
fn by_std(number: &[u8]) -> Option<Number> {
    let value: f64 = std::str::from_utf8(number).ok()?.parse().ok()?;
    let is_written_as_0 = || {
        let mantissa = number.iter().take_while(|byte| !matches!(byte, b'e' | b'E'));
        mantissa.into_iter().all(|byte| !matches!(byte, b'1'..=b'9'))
    };
    let is_exact = value.is_finite() && (value != 0.0 || is_written_as_0());
    is_exact.then_some(Number { value, length: number.len() })
}

/// The digits of a number that were read from a text up to the index `at`, and their value.
struct Digits<'a> {
    text: &'a [u8],
    at: usize,
    /// The value of the digits so far, modulo 2^64.
    value: u64,
}

impl Digits<'_> {
    /// Reads all digits that come next in the text, 8 at a time.
    #[inline]
    fn take(&mut self) {
        /// The powers of ten from 10^0 to 10^8.
        const POWERS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
        loop {
            let (digits, count) = leading_digits(self.word());
            self.value = self.value.wrapping_mul(POWERS[count]).wrapping_add(digits);
            self.at += count;
            if count < 8 {
                return;
            }
        }
    }

    /// Returns the next 8 bytes of the text as a little-endian word. Bytes after the end of the text are 0.
    #[inline]
    fn word(&self) -> u64 {
        if let Some(word) = self.text.get(self.at..).and_then(<[u8]>::first_chunk) {
            return u64::from_le_bytes(*word);
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        u64::from_le_bytes(word)
    }
}

/// Returns the value of the digits at the start of a little-endian word of text, and the number of these digits.
#[inline]
fn leading_digits(word: u64) -> (u64, usize) {
    const ONES: u64 = u64::MAX / 0xFF;
    const LOW: u64 = 0x7F * ONES;
    // A digit becomes its value. Other bytes become 10 or more.
    let values = word ^ (u64::from(b'0') * ONES);
    // Adding 0x76 sets the highest bit of a byte whose value is 10 or more, without a carry into the next byte.
    let others = (((values & LOW) + 0x76 * ONES) | values) & !LOW;
    let count = (others.trailing_zeros() / 8) as usize;
    if count == 0 {
        return (0, 0);
    }
    // Moves the digits to the end of the word. Zeros come before them, and the last digit is in the highest byte.
    let digits = values << (64 - 8 * count);
    // Joins neighbours: single digits to pairs, pairs to groups of four, and the two groups to the whole value.
    let pairs = digits * 10 + (digits >> 8);
    const EVERY_FOURTH: u64 = 0x0000_00FF_0000_00FF;
    let first = (pairs & EVERY_FOURTH).wrapping_mul(100 + (1_000_000 << 32));
    let second = (pairs >> 16 & EVERY_FOURTH).wrapping_mul(1 + (10_000 << 32));
    (first.wrapping_add(second) >> 32, count)
}

/// Returns the f64 nearest to `mantissa / 10^power`, for a power up to 19. Returns `None` if a longer calculation is
/// necessary.
#[inline]
fn divided(mantissa: u64, power: usize) -> Option<f64> {
    /// Powers of ten that are exact in f64.
    const POWERS: [f64; MOST_DIGITS + 1] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
        1e18, 1e19,
    ];
    if mantissa <= 1 << 53 {
        // Both are exact, so the quotient is rounded once. A signed integer converts faster than an unsigned integer.
        return Some(mantissa as i64 as f64 / POWERS[power]);
    }
    if power == 0 { Some(mantissa as f64) } else { by_reciprocal(mantissa, power) }
}

/// Returns `mantissa / 10^power`, computed by one product of 64-bit integers. The mantissa must not be 0. Returns
/// `None` if the rounding is uncertain.
///
/// Let `m = mantissa * 2^shift` be at least 2^63, and let `r = floor(2^scale / 10^power)`. Let
/// `q = m * 2^scale / 10^power` be the exact quotient. Then `m * r <= q < m * r + m`. Let `high` be the upper half of
/// the product `m * r`. Then `high <= q / 2^64 < high + 2`. The rounding to 53 bits is certain unless half a unit lies
/// between these bounds.
fn by_reciprocal(mantissa: u64, power: usize) -> Option<f64> {
    const SIGNIFICANT_BITS: u32 = 53;
    let (reciprocal, scale) = RECIPROCALS[power];
    let shift = mantissa.leading_zeros();
    let high = ((u128::from(mantissa << shift) * u128::from(reciprocal)) >> 64) as u64;
    let dropped_bits = u64::BITS - high.leading_zeros() - SIGNIFICANT_BITS;
    let half = 1 << (dropped_bits - 1);
    let dropped = high & ((1 << dropped_bits) - 1);
    if dropped == half || dropped == half - 1 {
        return None;
    }
    let rounded = (high >> dropped_bits) + u64::from(dropped > half);
    // The value is between 10^-19 and 2^64, so the power of two is a normal number.
    let exponent = i64::from(dropped_bits + u64::BITS) - i64::from(scale + shift);
    let power_of_two = f64::from_bits(((1023 + exponent) as u64) << 52);
    Some(rounded as f64 * power_of_two)
}

/// For each power of ten: `floor(2^scale / 10^power)` as a 64-bit integer with the highest bit set, and `scale`.
const RECIPROCALS: [(u64, u32); MOST_DIGITS + 1] = {
    // Entry 0 is not used.
    let mut reciprocals = [(1 << 63, 63); MOST_DIGITS + 1];
    let mut power = 1;
    let mut ten: u128 = 10;
    while power <= MOST_DIGITS {
        let scale = 63 + (u128::BITS - ten.leading_zeros());
        reciprocals[power] = (((1u128 << scale) / ten) as u64, scale);
        ten *= 10;
        power += 1;
    }
    reciprocals
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the next number of a fixed pseudo-random sequence (SplitMix64).
    fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    #[track_caller]
    fn assert_nearest(text: &str) {
        let expected: f64 = text.parse().expect("a number");
        for after in ["", ",", "]]]}}, {"] {
            let text = format!("{text}{after}");
            let number = parse(text.as_bytes()).unwrap_or_else(|| panic!("{text} is refused"));
            assert_eq!(number.value.to_bits(), expected.to_bits(), "{text}");
            assert_eq!(number.length, text.len() - after.len(), "{text}");
        }
    }

    #[test]
    fn numbers_of_any_length_are_rounded_to_the_nearest() {
        let mut state = 1;
        for case in 0..100_000 {
            let mut digits = random(&mut state).to_string();
            digits.truncate(1 + case % 20);
            let point = random(&mut state) as usize % (digits.len() + 1);
            let (whole, fraction) = digits.split_at(point);
            let whole = if whole.is_empty() { "0" } else { whole };
            let sign = if case % 3 == 0 { "-" } else { "" };
            let point = if fraction.is_empty() { "" } else { "." };
            assert_nearest(&format!("{sign}{whole}{point}{fraction}"));
        }
        for (numbers, least_fraction) in [(20_000, 1e-19), (20_000, 1.0)] {
            for _ in 0..numbers {
                // The shortest text of a random f64, and a text halfway between two f64.
                let value = least_fraction * (1.0 + (random(&mut state) >> 12) as f64 / 2f64.powi(48));
                assert_nearest(&format!("{value}"));
                let integer = (random(&mut state) >> 10) | 1 << 53;
                let half = (integer & ((1 << 54) - 1)) | 1;
                assert_nearest(&format!("{half}"));
                assert_nearest(&format!("{}.5", half >> 1 | 1 << 52));
            }
        }
    }

    /// Tests that most numbers of 17 to 19 digits do not need the standard library.
    #[test]
    fn long_numbers_are_decided_by_one_product() {
        let mut state = 7;
        let decided =
            (0..10_000).filter(|power| by_reciprocal(random(&mut state) | 1 << 60, 1 + power % 19).is_some());
        assert!(decided.count() > 9_950);
    }

    #[test]
    fn texts_that_are_not_json_numbers_are_refused() {
        for text in [
            "", "-", "+1", ".5", "1.", "01", "-01", "1.e5", "1e", "1e+", "-.1", "a", "--1", "1e400", "1e-400",
        ] {
            assert!(parse(text.as_bytes()).is_none(), "{text}");
        }
        for text in
            ["0", "-0", "-0.0", "0e5", "0e-999", "0e99999999999", "5e-324", "1.7976931348623157e308", "1E+2"]
        {
            assert_nearest(text);
        }
        assert_nearest(&format!("0.{}1", "0".repeat(300)));
        assert_nearest(&"9".repeat(300));
        assert!(parse(format!("0.{}1", "0".repeat(330)).as_bytes()).is_none());
        assert!(parse("9".repeat(310).as_bytes()).is_none());
    }
}
