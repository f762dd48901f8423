//! Names of features from a column.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use crate::Id;

/// The name in a row, or `None` for a null.
pub(super) type Namer<'a> = Box<dyn Fn(usize) -> Option<Id> + 'a>;

/// Whether values of a type can name features.
pub(super) fn can_name(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => can_name(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        data_type => data_type.is_integer() || is_float(data_type),
    }
}

fn is_float(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Float32 | DataType::Float64)
}

/// Returns the names of the rows of a column.
///
/// # Errors
/// Returns a message if the values are neither integers, numbers nor strings.
pub(super) fn namer(array: &ArrayRef) -> Result<Namer<'_>, String> {
    macro_rules! integers {
        ($kind:ty) => {{
            let values = array.as_primitive::<$kind>();
            named(array, move |row| Id::Integer(values.value(row).into()))
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
            named(array, move |row| Id::from_f64(f64::from(values.value(row))))
        }
        DataType::Float64 => {
            let values = array.as_primitive::<Float64Type>();
            named(array, move |row| Id::from_f64(values.value(row)))
        }
        DataType::Utf8 => texts!(array.as_string::<i32>()),
        DataType::LargeUtf8 => texts!(array.as_string::<i64>()),
        DataType::Utf8View => texts!(array.as_string_view()),
        DataType::Dictionary(_, values) if can_name(values) => {
            let dictionary = array.as_any_dictionary();
            if dictionary.values().is_empty() {
                return Ok(Box::new(|_| None));
            }
            let (keys, values) = (dictionary.normalized_keys(), namer(dictionary.values())?);
            Box::new(move |row| if array.is_null(row) { None } else { values(keys[row]) })
        }
        other => return Err(format!("its type is {other}; a name is an integer, a number or a string")),
    })
}

fn named<'a>(array: &'a ArrayRef, id: impl Fn(usize) -> Id + 'a) -> Namer<'a> {
    Box::new(move |row| array.is_valid(row).then(|| id(row)))
}
