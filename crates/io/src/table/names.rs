//! Names of features from a column.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit as ArrowUnit};

use crate::name::Names;
use crate::{Error, Id, Result, Time, TimeKind, TimeUnit};

/// A function that takes the index of a row, and returns the name of the row's feature, or `None` for a null. The function
/// returns an error if the name is not UTF-8.
pub(super) type Namer<'a> = Box<dyn Fn(usize) -> Result<Option<Id>> + 'a>;

/// The length of a UUID in bytes.
const UUID: i32 = 16;

/// Returns whether values of a type can name features.
pub(super) fn can_name(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => can_name(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        // Some programs write text as binary data.
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
        DataType::FixedSizeBinary(length) => *length == UUID,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => true,
        data_type => data_type.is_integer() || data_type.is_decimal() || is_float(data_type),
    }
}

fn is_float(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Float32 | DataType::Float64)
}

/// Returns a function that returns the name in each row of a column.
///
/// # Errors
/// Returns a message if values of the type cannot be names.
pub(super) fn namer<'a>(array: &'a ArrayRef, option: &'static str) -> Result<Namer<'a>, String> {
    macro_rules! integers {
        ($kind:ty) => {{
            let values = array.as_primitive::<$kind>();
            named(array, move |row| Id::Integer(values.value(row).into()))
        }};
    }
    macro_rules! decimals {
        ($kind:ty) => {{
            let values = array.as_primitive::<$kind>();
            named(array, move |row| Id::from_number(&values.value_as_string(row)))
        }};
    }
    macro_rules! bytes {
        ($values:expr) => {{
            let values = $values;
            Box::new(move |row| {
                if array.is_null(row) { Ok(None) } else { of_bytes(values.value(row), option).map(Some) }
            })
        }};
    }
    macro_rules! times {
        ($type:ty, $kind:expr) => {{
            let (values, kind) = (array.as_primitive::<$type>(), Arc::new($kind));
            named(array, move |row| Id::Time(Time::new(values.value(row).into(), kind.clone())))
        }};
    }
    macro_rules! texts {
        ($values:expr) => {{
            let values = $values;
            named(array, move |row| Id::Text(values.value(row).into()))
        }};
    }
    Ok(match array.data_type() {
        DataType::Int8 => integers!(Int8Type),
        DataType::Int16 => integers!(Int16Type),
        DataType::Int32 => integers!(Int32Type),
        DataType::Int64 => integers!(Int64Type),
        DataType::UInt8 => integers!(UInt8Type),
        DataType::UInt16 => integers!(UInt16Type),
        DataType::UInt32 => integers!(UInt32Type),
        DataType::UInt64 => {
            let values = array.as_primitive::<UInt64Type>();
            named(array, move |row| Id::from_number(&values.value(row).to_string()))
        }
        DataType::Float32 => {
            let values = array.as_primitive::<Float32Type>();
            named(array, move |row| Id::from_f32(values.value(row)))
        }
        DataType::Float64 => {
            let values = array.as_primitive::<Float64Type>();
            named(array, move |row| Id::from_f64(values.value(row)))
        }
        DataType::Decimal32(..) => decimals!(Decimal32Type),
        DataType::Decimal64(..) => decimals!(Decimal64Type),
        DataType::Decimal128(..) => decimals!(Decimal128Type),
        DataType::Decimal256(..) => decimals!(Decimal256Type),
        DataType::Binary => bytes!(array.as_binary::<i32>()),
        DataType::LargeBinary => bytes!(array.as_binary::<i64>()),
        DataType::BinaryView => bytes!(array.as_binary_view()),
        DataType::FixedSizeBinary(UUID) => {
            let values = array.as_fixed_size_binary();
            named(array, move |row| Id::Text(uuid(values.value(row)).into()))
        }
        DataType::Date32 => times!(Date32Type, TimeKind::Days),
        DataType::Date64 => times!(Date64Type, TimeKind::DateMilliseconds),
        DataType::Timestamp(unit, zone) => {
            let kind = |unit| TimeKind::Timestamp { unit, zone: zone.as_deref().map(Into::into) };
            match unit {
                ArrowUnit::Second => times!(TimestampSecondType, kind(TimeUnit::Second)),
                ArrowUnit::Millisecond => times!(TimestampMillisecondType, kind(TimeUnit::Millisecond)),
                ArrowUnit::Microsecond => times!(TimestampMicrosecondType, kind(TimeUnit::Microsecond)),
                ArrowUnit::Nanosecond => times!(TimestampNanosecondType, kind(TimeUnit::Nanosecond)),
            }
        }
        DataType::Utf8 => texts!(array.as_string::<i32>()),
        DataType::LargeUtf8 => texts!(array.as_string::<i64>()),
        DataType::Utf8View => texts!(array.as_string_view()),
        DataType::Dictionary(_, values) if can_name(values) => {
            let dictionary = array.as_any_dictionary();
            if dictionary.values().is_empty() {
                return Ok(Box::new(|_| Ok(None)));
            }
            let (keys, values) = (dictionary.normalized_keys(), namer(dictionary.values(), option)?);
            Box::new(move |row| if array.is_null(row) { Ok(None) } else { values(keys[row]) })
        }
        other => {
            return Err(format!("its type is {other}; a name is a number, a string, a date or a timestamp"));
        }
    })
}

/// Returns the names of a column if every row has an integer, or `None` for another column.
pub(super) fn integers(array: &ArrayRef) -> Option<Names> {
    macro_rules! integers {
        ($kind:ty) => {
            array.as_primitive::<$kind>().values().iter().map(|&value| value.into()).collect()
        };
    }
    Some(Names::Integers(match array.data_type() {
        _ if array.null_count() > 0 => return None,
        DataType::Int32 => integers!(Int32Type),
        DataType::Int64 => integers!(Int64Type),
        DataType::UInt32 => integers!(UInt32Type),
        _ => return None,
    }))
}

fn named<'a>(array: &'a ArrayRef, id: impl Fn(usize) -> Id + 'a) -> Namer<'a> {
    Box::new(move |row| Ok(array.is_valid(row).then(|| id(row))))
}

fn of_bytes(bytes: &[u8], option: &str) -> Result<Id> {
    let problem = || format!("its name is bytes that are not UTF-8; name another column with `{option}`");
    let text = std::str::from_utf8(bytes).map_err(|_| Error::Malformed { problem: problem() })?;
    Ok(Id::Text(text.into()))
}

/// Returns the digits of a UUID, in the usual groups.
fn uuid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(digit.into(), 16).unwrap_or_default());
        }
    }
    text
}
