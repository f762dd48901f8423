//! Dates and timestamps that name features.

use std::fmt;
use std::sync::Arc;

const SECONDS_OF_A_DAY: i64 = 86_400;

/// A date or a timestamp of a column. [`Display`](fmt::Display) writes it in ISO 8601, such as `2026-05-01` or
/// `2026-05-01T12:30:00.250Z`.
///
/// A timestamp with a time zone is written in UTC, with a `Z` at its end. A fraction of a second has 3, 6 or 9 digits, or is left
/// out if it is 0. A year before 0 or after 9999 has a sign.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Time {
    value: i64,
    /// The type of the column that has this value. All ids of a column share one `TimeKind`.
    kind: Arc<TimeKind>,
}

/// The type of a column of dates or timestamps. Each type is a type of Arrow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimeKind {
    /// Days since 1970-01-01 (Date32). The values fit in 32 bits.
    Days,
    /// A date in milliseconds since 1970-01-01 (Date64).
    DateMilliseconds,
    /// Time since 1970-01-01 00:00:00 (Timestamp).
    Timestamp {
        /// The unit of the column's values.
        unit: TimeUnit,
        /// The time zone of the column. The values are in UTC, whatever the zone is. If `zone` is `None`, the values are
        /// local times of an unknown zone.
        zone: Option<Box<str>>,
    },
}

/// The unit of timestamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names say it")]
pub enum TimeUnit {
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
}

impl TimeUnit {
    pub(crate) fn per_second(self) -> i64 {
        match self {
            Self::Second => 1,
            Self::Millisecond => 1_000,
            Self::Microsecond => 1_000_000,
            Self::Nanosecond => 1_000_000_000,
        }
    }
}

impl Time {
    #[cfg(any(feature = "arrow", test))]
    pub(crate) fn new(value: i64, kind: Arc<TimeKind>) -> Self {
        Self { value, kind }
    }

    /// Returns the value as the column stores it, in the unit of [`Time::kind`].
    #[must_use]
    pub fn value(&self) -> i64 {
        self.value
    }

    /// Returns the type of the column that the value comes from.
    #[must_use]
    pub fn kind(&self) -> &TimeKind {
        &self.kind
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, is_date, is_utc) = match &*self.kind {
            TimeKind::Days => return push_date(f, self.value),
            TimeKind::DateMilliseconds => (TimeUnit::Millisecond, true, false),
            TimeKind::Timestamp { unit, zone } => (*unit, false, zone.is_some()),
        };
        let per_second = unit.per_second();
        let (seconds, fraction) = (self.value.div_euclid(per_second), self.value.rem_euclid(per_second));
        let (days, second) = (seconds.div_euclid(SECONDS_OF_A_DAY), seconds.rem_euclid(SECONDS_OF_A_DAY));
        push_date(f, days)?;
        // Two values of one day keep different names, even in a column of dates.
        if is_date && second == 0 && fraction == 0 {
            return Ok(());
        }
        write!(f, "T{:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60)?;
        match fraction * (1_000_000_000 / per_second) {
            0 => {}
            nanoseconds if nanoseconds % 1_000_000 == 0 => write!(f, ".{:03}", nanoseconds / 1_000_000)?,
            nanoseconds if nanoseconds % 1_000 == 0 => write!(f, ".{:06}", nanoseconds / 1_000)?,
            nanoseconds => write!(f, ".{nanoseconds:09}")?,
        }
        f.write_str(if is_utc { "Z" } else { "" })
    }
}

/// Writes the date that is `days` days after 1970-01-01, in the Gregorian calendar. Returns the error of the formatter.
fn push_date(f: &mut fmt::Formatter<'_>, days: i64) -> fmt::Result {
    /// The number of days in 400 years, after which the calendar repeats.
    const DAYS_OF_AN_ERA: i64 = 146_097;
    // Years here begin on 1 March, so that the leap day is the last day of a year. Day 0 is 0000-03-01.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(DAYS_OF_AN_ERA), days.rem_euclid(DAYS_OF_AN_ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / (DAYS_OF_AN_ERA - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // The months from March on have 153 days in each group of five.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = 400 * era + year + next;
    match year {
        0..=9_999 => write!(f, "{year:04}-{month:02}-{day:02}"),
        _ => write!(f, "{year:+05}-{month:02}-{day:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: i64, kind: TimeKind) -> String {
        Time::new(value, Arc::new(kind)).to_string()
    }

    fn stamp(value: i64, unit: TimeUnit, zone: Option<&str>) -> String {
        text(value, TimeKind::Timestamp { unit, zone: zone.map(Into::into) })
    }

    #[test]
    fn every_day_of_a_thousand_years_is_the_next_date() {
        let (mut year, mut month, mut day) = (1599, 12, 31);
        for days in -135_141.. {
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            assert_eq!(text(days, TimeKind::Days), format!("{year:04}-{month:02}-{day:02}"));
            let length = match month {
                2 if is_leap => 29,
                2 => 28,
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > length {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
            if year > 2600 {
                break;
            }
        }
        assert_eq!(text(0, TimeKind::Days), "1970-01-01");
        assert_eq!(text(11_016, TimeKind::Days), "2000-02-29");
    }

    #[test]
    fn years_of_other_than_four_digits_have_a_sign() {
        for (days, date) in [
            (-719_528, "0000-01-01"),
            (-719_529, "-0001-12-31"),
            (2_932_896, "9999-12-31"),
            (2_932_897, "+10000-01-01"),
            (i32::MIN.into(), "-5877641-06-23"),
            (i32::MAX.into(), "+5881580-07-11"),
        ] {
            assert_eq!(text(days, TimeKind::Days), date);
        }
        for value in [i64::MIN, i64::MAX] {
            assert!(stamp(value, TimeUnit::Second, None).contains("T"));
        }
    }

    #[test]
    fn timestamps_have_only_the_digits_that_they_need() {
        use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
        for (value, unit, zone, says) in [
            (1_777_638_600, Second, None, "2026-05-01T12:30:00"),
            (1_777_638_600_000, Millisecond, Some("UTC"), "2026-05-01T12:30:00Z"),
            (1_777_638_600_250, Millisecond, Some("Europe/Berlin"), "2026-05-01T12:30:00.250Z"),
            (1_777_638_600_250_001, Microsecond, None, "2026-05-01T12:30:00.250001"),
            (1_777_638_600_250_001_000, Nanosecond, None, "2026-05-01T12:30:00.250001"),
            (-1, Nanosecond, Some("+02:00"), "1969-12-31T23:59:59.999999999Z"),
        ] {
            assert_eq!(stamp(value, unit, zone), says);
        }
        assert_eq!(text(86_400_000, TimeKind::DateMilliseconds), "1970-01-02");
        assert_eq!(text(86_400_001, TimeKind::DateMilliseconds), "1970-01-02T00:00:00.001");
    }
}
