//! The columns of ids of a table of pairs.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_array::types::{
    Date32Type, Date64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{ArrayRef, Int64Array};
use arrow_schema::{DataType, TimeUnit as ArrowUnit};
use rayon::prelude::*;

use super::TableFormat;
use super::pairs::invalid;
use crate::{Id, IdRef, Ids, TimeKind, TimeUnit};

/// The largest size of one id in bytes. With this limit, the offsets of the texts in a batch of rows fit 32 bits.
const ID_BYTES: usize = 1 << 30;
#[cfg(feature = "parquet")]
const MILLISECONDS_OF_A_DAY: i64 = 86_400_000;

/// The type of a column of ids: the column of A's ids or the column of B's ids.
#[derive(Debug)]
pub(super) enum IdKind {
    Integers,
    Texts,
    Times(Times),
}

/// The conversion of the ids of one column, which are all dates or all timestamps, to values of the column's type.
#[derive(Debug)]
pub(super) struct Times {
    /// The type that the ids had in the input.
    read: TimeKind,
    /// The type of the column in the output. Its unit may differ from the unit of the ids.
    written: DataType,
    /// A value of the column is the value of an id times `factor`, divided by `divisor`. This converts the unit of the
    /// ids to the unit of the column.
    factor: i64,
    /// The divisor in the conversion that `factor` describes.
    divisor: i64,
}

impl IdKind {
    /// Returns the type of a column that can hold all of `ids` in a table of the given format.
    pub(super) fn of(ids: &Ids, format: TableFormat) -> Self {
        let integer = |id: &Id| integer(id.into()).is_some();
        let Some(ids) = ids.as_any().filter(|ids| !ids.par_iter().all(integer)) else {
            return Self::Integers;
        };
        let Some(Id::Time(first)) = ids.first() else { return Self::Texts };
        let times = Times::new(first.kind(), format);
        if ids.iter().all(|id| times.value(id.into()).is_some()) { Self::Times(times) } else { Self::Texts }
    }

    pub(super) fn data_type(&self) -> DataType {
        match self {
            Self::Integers => DataType::Int64,
            Self::Texts => DataType::Utf8,
            Self::Times(times) => times.written.clone(),
        }
    }
}

impl Times {
    fn new(read: &TimeKind, format: TableFormat) -> Self {
        let timestamp =
            |unit, zone: &Option<Box<str>>| DataType::Timestamp(unit, zone.as_deref().map(Into::into));
        let (written, factor, divisor) = match (read, format) {
            (TimeKind::Days, _) => (DataType::Date32, 1, 1),
            (TimeKind::DateMilliseconds, TableFormat::Arrow) => (DataType::Date64, 1, 1),
            // Parquet has dates in days only, and no timestamps in seconds.
            #[cfg(feature = "parquet")]
            (TimeKind::DateMilliseconds, TableFormat::Parquet) => {
                (DataType::Date32, 1, MILLISECONDS_OF_A_DAY)
            }
            #[cfg(feature = "parquet")]
            (TimeKind::Timestamp { unit: TimeUnit::Second, zone }, TableFormat::Parquet) => {
                (timestamp(ArrowUnit::Millisecond, zone), 1_000, 1)
            }
            (TimeKind::Timestamp { unit, zone }, _) => {
                let unit = match unit {
                    TimeUnit::Second => ArrowUnit::Second,
                    TimeUnit::Millisecond => ArrowUnit::Millisecond,
                    TimeUnit::Microsecond => ArrowUnit::Microsecond,
                    TimeUnit::Nanosecond => ArrowUnit::Nanosecond,
                };
                (timestamp(unit, zone), 1, 1)
            }
        };
        Self { read: read.clone(), written, factor, divisor }
    }

    /// Converts an id to a value of the column. Returns `None` if the id has another type, or if the column cannot
    /// represent the time exactly.
    fn value(&self, id: IdRef<'_>) -> Option<i64> {
        let IdRef::Time(time) = id else { return None };
        let value = time.value();
        if *time.kind() != self.read || value % self.divisor != 0 {
            return None;
        }
        let value = (value / self.divisor).checked_mul(self.factor)?;
        (self.written != DataType::Date32 || i32::try_from(value).is_ok()).then_some(value)
    }

    /// Converts values that [`Times::value`] returned to a column.
    fn array(&self, values: &Int64Array) -> ArrayRef {
        macro_rules! timestamps {
            ($type:ty, $zone:expr) => {
                Arc::new(values.reinterpret_cast::<$type>().with_timezone_opt($zone.clone()))
            };
        }
        match &self.written {
            DataType::Date32 => Arc::new(values.unary::<_, Date32Type>(|value| value as i32)),
            DataType::Timestamp(ArrowUnit::Second, zone) => timestamps!(TimestampSecondType, zone),
            DataType::Timestamp(ArrowUnit::Millisecond, zone) => timestamps!(TimestampMillisecondType, zone),
            DataType::Timestamp(ArrowUnit::Microsecond, zone) => timestamps!(TimestampMicrosecondType, zone),
            DataType::Timestamp(ArrowUnit::Nanosecond, zone) => timestamps!(TimestampNanosecondType, zone),
            _ => Arc::new(values.reinterpret_cast::<Date64Type>()),
        }
    }
}

/// Returns the id as a 64-bit integer, or `None` if the id has another type.
fn integer(id: IdRef<'_>) -> Option<i64> {
    match id {
        IdRef::Index(index) => i64::try_from(index).ok(),
        IdRef::Integer(integer) => Some(integer),
        IdRef::Number(_) | IdRef::Text(_) | IdRef::Time(_) => None,
    }
}

/// The values of a column of ids in one batch of rows.
pub(super) enum IdBuilder<'k> {
    Integers(Int64Builder),
    Texts(StringBuilder),
    Times(&'k Times, Int64Builder),
}

impl<'k> IdBuilder<'k> {
    pub(super) fn new(kind: &'k IdKind, count: usize) -> Self {
        match kind {
            IdKind::Integers => Self::Integers(Int64Builder::with_capacity(count)),
            IdKind::Texts => Self::Texts(StringBuilder::with_capacity(count, 16 * count)),
            IdKind::Times(times) => Self::Times(times, Int64Builder::with_capacity(count)),
        }
    }

    pub(super) fn push(&mut self, id: IdRef<'_>) -> io::Result<()> {
        let problem = || invalid(format!("the id {id:?} is none of the ids of the writer"));
        match (self, id) {
            (Self::Integers(integers), id) => integers.append_value(integer(id).ok_or_else(problem)?),
            (Self::Times(times, values), id) => values.append_value(times.value(id).ok_or_else(problem)?),
            (Self::Texts(texts), IdRef::Text(text) | IdRef::Number(text)) => {
                if text.len() > ID_BYTES {
                    return Err(invalid(format!("an id has more than {ID_BYTES} bytes; shorten it")));
                }
                texts.append_value(text);
            }
            (Self::Texts(texts), IdRef::Index(_) | IdRef::Integer(_) | IdRef::Time(_)) => {
                // Writing to a builder cannot fail.
                let _ = write!(texts, "{id}");
                texts.append_value("");
            }
        }
        Ok(())
    }

    pub(super) fn byte_count(&self) -> usize {
        match self {
            Self::Integers(_) | Self::Times(..) => 0,
            Self::Texts(texts) => texts.values_slice().len(),
        }
    }

    pub(super) fn finish(self) -> ArrayRef {
        match self {
            Self::Integers(mut integers) => Arc::new(integers.finish()),
            Self::Texts(mut texts) => Arc::new(texts.finish()),
            Self::Times(times, mut values) => times.array(&values.finish()),
        }
    }
}
