//! Parses positions, and numbers that are outside the range of f64.

use std::fmt;

use sat2d::glam::DVec2;
use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, SeqAccess, Visitor};

/// The first two ordinates of a position in GeoJSON.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    pub(super) point: DVec2,
    pub(super) has_third: bool,
    /// Whether x or y may be 0 only because the written number is too small for f64.
    pub(super) may_be_too_small: bool,
}

impl From<Position> for DVec2 {
    fn from(position: Position) -> Self {
        position.point
    }
}

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PositionVisitor;
        impl<'de> Visitor<'de> for PositionVisitor {
            type Value = Position;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a position: an array of at least 2 numbers")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Position, A::Error> {
                let x: Ordinate =
                    numbers.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
                let y: Ordinate =
                    numbers.next_element()?.ok_or_else(|| de::Error::invalid_length(1, &self))?;
                let may_be_too_small = x.is_decimal_zero | y.is_decimal_zero;
                let mut has_third = false;
                // Heights and measures are ignored whatever their value. Some writers write null for an unknown one.
                while numbers.next_element::<IgnoredAny>()?.is_some() {
                    has_third = true;
                }
                Ok(Position { point: DVec2::new(x.value, y.value), has_third, may_be_too_small })
            }
        }
        deserializer.deserialize_seq(PositionVisitor)
    }
}

struct Ordinate {
    value: f64,
    /// Whether the number is 0 and the parser did not read it as an integer. Its text may then be a number that is too small
    /// for f64.
    is_decimal_zero: bool,
}

impl<'de> Deserialize<'de> for Ordinate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OrdinateVisitor;
        impl Visitor<'_> for OrdinateVisitor {
            type Value = Ordinate;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Ordinate, E> {
                Ok(Ordinate { value: value as f64, is_decimal_zero: false })
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Ordinate, E> {
                Ok(Ordinate { value: value as f64, is_decimal_zero: false })
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Ordinate, E> {
                Ok(Ordinate { value, is_decimal_zero: value == 0.0 })
            }
        }
        deserializer.deserialize_f64(OrdinateVisitor)
    }
}

/// Returns whether the text of a number has a value other than 0 that becomes 0 in f64.
pub(super) fn is_too_small(number: &str) -> bool {
    let digits = number.split(['e', 'E']).next().unwrap_or_default();
    digits.contains(|c: char| matches!(c, '1'..='9')) && number.parse::<f64>().is_ok_and(|value| value == 0.0)
}

/// Returns whether a JSON text contains a number that is not 0, but becomes 0 in f64.
pub(super) fn has_too_small(text: &[u8]) -> bool {
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'"' => at = string_end(text, at),
            b'-' | b'0'..=b'9' => {
                let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
                let length = text[at..].iter().take_while(|byte| is_part(byte)).count();
                let number = &text[at..at + length];
                // A number without an exponent is too small for f64 only if it has hundreds of digits.
                let may_be = number.len() > 300 || number.iter().any(|byte| matches!(byte, b'e' | b'E'));
                if may_be && std::str::from_utf8(number).is_ok_and(is_too_small) {
                    return true;
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    false
}

/// Returns the index of the first byte after the string that begins at `start`, or the length of the text if the string does
/// not end.
pub(super) fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() {
        match text[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_vanish_are_told_from_zeros() {
        let long = format!("0.{}1", "0".repeat(330));
        for (number, expected) in [
            ("1e-999", true),
            ("-1e-999", true),
            ("2.4e-324", true),
            ("2.5e-324", false),
            ("5e-324", false),
            ("0e-999", false),
            ("-0.000e5", false),
            ("1e-99999999999999999999", true),
            (&long, true),
        ] {
            assert_eq!(is_too_small(number), expected, "{number}");
            assert_eq!(
                has_too_small(format!("[[0,{number}],\"a\\\"1\",3]").as_bytes()),
                expected,
                "{number}"
            );
            assert!(!has_too_small(format!("{{\"{number}\\\"{number}\":0}}").as_bytes()), "{number}");
        }
    }
}
