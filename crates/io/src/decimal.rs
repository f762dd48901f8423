//! Writes measurements as short decimals. The module is useful if the coordinates were decimal numbers before their
//! conversion to f64.

/// The powers of ten from 10^-25 to 10^20, with which a tolerance is compared.
const TENS: [f64; 46] = [
    1e-25, 1e-24, 1e-23, 1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11,
    1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8,
    1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
];
/// The powers of ten from 10^0 to 10^22, which f64 represents exactly.
const EXACT_TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
/// The magnitude up to which f64 represents every integer exactly.
const INTEGERS: f64 = (1u64 << 53) as f64;
/// The number of decimal places between the tolerance and the unit. If the tolerance is at least 10^n and less than
/// 10^(n + 1), the unit is 10^(n + PLACES). The unit is therefore between 100 and 1,000 times the tolerance. Fewer than
/// one in fifty unrelated numbers are within the tolerance of a multiple of the unit by chance.
const PLACES: i32 = 3;

/// The rule that replaces the measurements of one pair by short decimals.
///
/// The conversion to f64 changes a decimal coordinate by up to half an ulp. The error of the difference between two
/// coordinates is therefore up to one ulp, and the error of a distance or a position is up to two ulps. For example,
/// 0.3 - 0.1 is 0.19999999999999998. If a number is within the tolerance of a decimal with far fewer digits, the
/// decimal replaces the number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Decimals {
    tolerance: f64,
    unit: Unit,
}

/// The unit of the short decimals: each decimal is a multiple of the unit. The unit is a power of ten.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    /// The unit is 1 divided by the power of ten in this variant.
    Fraction(f64),
    /// The unit is the power of ten in this variant.
    Multiple(f64),
    /// There is no unit, because f64 cannot represent the power of ten exactly. No number is replaced.
    Unknown,
}

impl Decimals {
    /// Returns the rule for one pair. `greatest` is the greatest magnitude of a coordinate of the pair. A decimal differs
    /// from the number that it replaces by at most two ulps of `greatest`, and by at most `most`.
    pub(crate) fn new(greatest: f64, most: f64) -> Self {
        let tolerance = (2.0 * (greatest.next_up() - greatest)).min(most);
        // The exponent of the tolerance is `below - 26`: `10^(below - 26) <= tolerance < 10^(below - 25)`.
        let below = TENS.partition_point(|&ten| ten <= tolerance) as i32;
        let exponent = below - 26 + PLACES;
        let unit = match EXACT_TENS.get(exponent.unsigned_abs() as usize) {
            Some(&ten) if exponent < 0 => Unit::Fraction(ten),
            Some(&ten) => Unit::Multiple(ten),
            None => Unit::Unknown,
        };
        Self { tolerance, unit }
    }

    /// Returns the short decimal that is within the tolerance of a coordinate, or the coordinate itself if there is none.
    pub(crate) fn place(self, place: f64) -> f64 {
        self.near(place).unwrap_or(place)
    }

    /// Returns the decimal near a length, or the length itself if there is no such decimal. A length that is not 0 does
    /// not become 0.
    pub(crate) fn length(self, length: f64) -> f64 {
        self.near(length).filter(|&decimal| decimal != 0.0).unwrap_or(length)
    }

    /// Returns the decimal near a length, or the length itself if there is no such decimal. A length of at most `limit` does not
    /// become greater than `limit`, and a length that is not 0 does not become 0.
    pub(crate) fn length_within(self, length: f64, limit: f64) -> f64 {
        let decimal = self.length(length);
        if decimal > limit && length <= limit { length } else { decimal }
    }

    fn near(self, value: f64) -> Option<f64> {
        // The number of units and the power of ten are exact, so `decimal` is rounded only once.
        let (units, decimal) = match self.unit {
            Unit::Fraction(ten) => {
                let units = (value * ten).round();
                (units, units / ten)
            }
            Unit::Multiple(ten) => {
                let units = (value / ten).round();
                (units, units * ten)
            }
            Unit::Unknown => return None,
        };
        (units.abs() < INTEGERS && (decimal - value).abs() <= self.tolerance).then_some(decimal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the decimals for coordinates whose greatest magnitude is `greatest`. A decimal differs from the number that it
    /// replaces by at most 2^-46 times `greatest`.
    fn near(greatest: f64) -> Decimals {
        Decimals::new(greatest, greatest * 2f64.powi(-46))
    }

    fn both(decimals: Decimals, value: f64) -> [f64; 2] {
        [decimals.place(value), decimals.length(value)]
    }

    #[test]
    fn differences_of_decimals_are_decimals() {
        for (found, expected) in [
            (0.3 - 0.1, 0.2),
            (0.1 + 0.2, 0.3),
            (0.4 - 0.1, 0.3),
            (-(0.3 - 0.1), -0.2),
            (0.7 - 0.65, 0.05),
            (1.0 - 0.9, 0.1),
            // The number is the sum of two differences, each with an error of one ulp.
            (0.5f64.next_up().next_up(), 0.5),
        ] {
            assert_ne!(found, expected);
            assert_eq!(both(near(0.5), found), [expected; 2], "{found}");
        }
        for k in -8..18 {
            let ten = |digits: f64| format!("{digits}e{k}").parse::<f64>().unwrap();
            let found = ten(0.3) - ten(0.1);
            assert_eq!(both(near(ten(0.3)), found), [ten(0.2); 2], "{k}");
        }
    }

    #[test]
    fn what_is_no_short_decimal_is_left_alone() {
        let values = [
            18f64.sqrt(),
            std::f64::consts::PI,
            1.0 / 3.0,
            0.1234567890123456,
            4.3e-8 / 7.0,
            2.0f64.sqrt() * 1e9,
        ];
        for value in values.into_iter().flat_map(|value| [value, -value]) {
            assert_eq!(both(near(value.abs()), value), [value; 2]);
        }
        assert_eq!(format!("{:?}", near(4.0).length(18f64.sqrt())), "4.242640687119285");
        // These numbers have few digits already, so they stay unchanged.
        for value in [0.0, 1.0, 0.2, 12.5, 1e21, 1e-21, 123_456_789.0, 1e60, 1e-300, 2f64.powi(-142)] {
            for value in [value, -value] {
                assert_eq!(both(near(value.abs()), value), [value; 2]);
            }
        }
    }

    #[test]
    fn beyond_exact_powers_of_ten_nothing_moves() {
        for scale in [1e-300, 1e-43, 1e60, 1e300] {
            let value = 0.3 * scale - 0.1 * scale;
            assert_eq!(both(near(0.3 * scale), value), [value; 2]);
        }
        for value in [f64::INFINITY, f64::NEG_INFINITY, f64::MAX] {
            assert_eq!(both(near(1.0), value), [value; 2]);
        }
        assert!(near(1.0).length(f64::NAN).is_nan());
        let value = 0.3 - 0.1;
        for decimals in [near(f64::MAX), near(f64::MIN_POSITIVE), near(0.0), Decimals::new(1.0, 0.0)] {
            assert_eq!(both(decimals, value), [value; 2], "{decimals:?}");
        }
    }

    #[test]
    fn far_from_the_origin_no_more_moves_than_the_promise_of_the_size_allows() {
        // The coordinates are multiples of about 10^-10, so the difference has an error of this size.
        let value = 1_000_000.3 - 1_000_000.1;
        assert!((value - 0.2f64).abs() > 1e-11);
        let decimals = Decimals::new(1_000_000.3, 0.3 * 2f64.powi(-46));
        assert_eq!(both(decimals, value), [value; 2]);
        // The length of the edge is about the distance of the edge from the origin.
        assert_eq!(near(1_000_000.3).length(1_000_000.3 - 0.1), 1_000_000.2);
    }

    #[test]
    fn lengths_keep_their_sign_and_places_do_not() {
        let tiny = 2f64.powi(-54);
        assert_eq!(near(0.5).length(tiny), tiny);
        assert_eq!(near(0.5).length(-tiny), -tiny);
        assert_eq!(near(0.5).place(tiny), 0.0);
        assert_eq!(near(0.5).place(-tiny), 0.0);
    }

    #[test]
    fn a_limit_is_not_crossed() {
        let (decimals, value) = (near(0.5), 0.3 - 0.1);
        assert_eq!(decimals.length_within(value, value), value);
        assert_eq!(decimals.length_within(value, 0.2), 0.2);
        assert_eq!(decimals.length_within(value, f64::INFINITY), 0.2);
        // A length that is already greater than the limit may be replaced by a greater decimal.
        assert_eq!(decimals.length_within(value, 0.1), 0.2);
        // The decimal 0.3 is less than the length, so the limit does not prevent it.
        assert_eq!(decimals.length_within(0.1 + 0.2, 0.1 + 0.2), 0.3);
    }

    #[test]
    fn no_number_moves_by_more_than_the_tolerance() {
        let mut state = 1u64;
        let mut moved = 0;
        for _ in 0..100_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = (state >> 11) as f64 / (1u64 << 53) as f64;
            let decimal = near(1.0).place(value);
            assert!((decimal - value).abs() <= 2.0 * f64::EPSILON);
            let digits = |value: f64| format!("{value:?}").len();
            assert!(decimal == value || digits(decimal) + 2 <= digits(value), "{value} {decimal}");
            moved += u32::from(decimal != value);
        }
        // These random numbers are near a short decimal only by chance.
        assert!(moved < 2_000, "{moved}");
    }
}
