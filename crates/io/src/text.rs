//! Appends numbers to text. The text is a `Vec<u8>`, because most of an output is numbers.

use std::io::Write as _;

use sat2d::glam::DVec2;

/// The range of magnitudes that both `zmij` and `{:?}` write without an exponent.
const WITHOUT_EXPONENT: std::ops::Range<f64> = 1e-4..1e16;
/// The powers of ten that f64 represents exactly.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Appends an integer in decimal.
pub(super) fn push_integer(text: &mut Vec<u8>, integer: impl itoa::Integer) {
    text.extend_from_slice(itoa::Buffer::new().format(integer).as_bytes());
}

/// Appends the shortest decimal that reads back as the same f64. The text is the text of `{:?}`, but -0 is 0.
pub(super) fn push_number(text: &mut Vec<u8>, number: f64) {
    let number = number + 0.0;
    if WITHOUT_EXPONENT.contains(&number.abs()) && !may_be_tie(number.abs()) {
        text.extend_from_slice(zmij::Buffer::new().format_finite(number).as_bytes());
    } else {
        // Writing to a Vec cannot fail.
        let _ = write!(text, "{number:?}");
    }
}

/// Returns whether the two shortest decimals around a number without an exponent may be equally near. If they are,
/// `zmij` writes the even decimal, and `{:?}` writes the greater decimal.
///
/// Let the number be the middle of two decimals with n digits, and let it be an odd multiple of 2^-f.
///
/// - The number has f digits after the point, so the two decimals are 10^(1 - f) apart.
/// - Both decimals read back as the number. Therefore 10^(1 - f) is at most u, the distance between two consecutive f64
///   of this magnitude.
/// - u is at most 2^-f, so f is at least 2.
/// - The number is at least 2^52 u, so it is at least 2^52 10^(1 - f).
/// - n is at most 17, and the number has n + 1 digits, so it is less than 10^(18 - f).
fn may_be_tie(number: f64) -> bool {
    const LEAST: f64 = (1u64 << 52) as f64 * 10.0;
    let bits = number.to_bits();
    // The number is normal, so its value is an integer times 2^(exponent - 1075).
    let exponent = (bits >> 52) as usize;
    let zeros = (bits | 1 << 52).trailing_zeros() as usize;
    let fraction_bits = 1075usize.saturating_sub(exponent + zeros);
    // The limits are slightly wider, because the product is rounded.
    fraction_bits >= 2
        && TENS.get(fraction_bits).is_some_and(|ten| (0.99 * LEAST..1.01e18).contains(&(number * ten)))
}

/// Appends a point or a vector as a JSON array of two numbers.
pub(super) fn push_position(text: &mut Vec<u8>, position: DVec2) {
    text.push(b'[');
    push_number(text, position.x);
    text.push(b',');
    push_number(text, position.y);
    text.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(number: f64) -> String {
        let mut text = Vec::new();
        push_number(&mut text, number);
        String::from_utf8_lossy(&text).into_owned()
    }

    #[test]
    fn numbers_are_written_as_the_standard_library_writes_them() {
        let mut numbers =
            vec![0.0, 1.0, 0.1, 0.3, 1e-4, 1e-5, 1e15, 1e16, f64::MAX, f64::MIN_POSITIVE, 5e-324];
        numbers.extend((-1074..1024).map(|exponent| 2f64.powi(exponent)));
        numbers.extend((-323..309).filter_map(|exponent| format!("1e{exponent}").parse::<f64>().ok()));
        numbers.extend((0..1_000).map(f64::from));
        numbers.extend((0..1_000).map(|n| f64::from(n) / 100.0));
        for number in numbers {
            for near in [number, number.next_up(), number.next_down()] {
                for signed in [near, -near] {
                    assert_eq!(written(signed), format!("{:?}", signed + 0.0));
                }
            }
        }
        assert_eq!(written(-0.0), "0.0");
        // Two decimals are equally near.
        assert_eq!(written(8_861_722_196_869_874.0 / 8.0), "1107715274608734.3");
        assert_eq!(written(36_601.0 / 262_144.0), "0.13962173461914063");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100_000))]
        #[test]
        fn random_numbers_are_written_as_the_standard_library_writes_them(
            bits in any::<u64>(),
            place in -1e6f64..1e6,
            cents in -100_000_000i64..100_000_000,
        ) {
            // Random bits are rarely numbers of ordinary size.
            let ordinary = (bits >> 12) | (1005 + bits % 75) << 52;
            // The last bits of a tie are zeros.
            let rounded = f64::from_bits(ordinary & (u64::MAX << (bits % 50)));
            let ordinary = f64::from_bits(ordinary);
            for number in [f64::from_bits(bits), ordinary, rounded, place, cents as f64 / 100.0] {
                prop_assert_eq!(written(number), format!("{:?}", number + 0.0));
            }
        }
    }
}
