//! Geometries of GeoArrow: coordinates in nested lists.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use std::ops::Range;

/// The end of each item of a list, in either width.
#[derive(Clone, Debug)]
enum Offsets {
    Short(OffsetBuffer<i32>),
    Long(OffsetBuffer<i64>),
}

/// Positions of a column.
#[derive(Clone, Debug)]
enum Positions {
    Interleaved { numbers: ScalarBuffer<f64>, dimensions: usize },
    Separate { x: ScalarBuffer<f64>, y: ScalarBuffer<f64> },
}

/// A column of nested lists of positions.
#[derive(Clone, Debug)]
pub(super) struct Lists {
    levels: Vec<Offsets>,
    positions: Positions,
    /// Whether positions have more than two numbers.
    pub(super) has_third: bool,
}

impl Lists {
    /// Takes a column apart that has `depth` levels of lists.
    ///
    /// # Errors
    /// Returns a message if the column has another shape, or a null inside of a geometry.
    pub(super) fn new(array: &ArrayRef, depth: usize) -> Result<Self, String> {
        let mut levels = Vec::new();
        let mut array = array.clone();
        for level in 0..depth {
            let (offsets, items) = match array.data_type() {
                DataType::List(_) => {
                    let list = array.as_list::<i32>();
                    (Offsets::Short(list.offsets().clone()), list.values().clone())
                }
                DataType::LargeList(_) => {
                    let list = array.as_list::<i64>();
                    (Offsets::Long(list.offsets().clone()), list.values().clone())
                }
                other => return Err(shape(level, depth, other)),
            };
            refuse_nulls(&items)?;
            levels.push(offsets);
            array = items;
        }
        let (positions, has_third) =
            positions(&array).ok_or_else(|| shape(depth, depth, array.data_type()))??;
        Ok(Self { levels, positions, has_third })
    }

    /// The items of an item of a level. Level 0 has the rows.
    pub(super) fn items(&self, level: usize, item: usize) -> Range<usize> {
        match &self.levels[level] {
            Offsets::Short(offsets) => offsets[item] as usize..offsets[item + 1] as usize,
            Offsets::Long(offsets) => offsets[item] as usize..offsets[item + 1] as usize,
        }
    }

    /// Appends positions to `to`.
    pub(super) fn copy(&self, positions: Range<usize>, to: &mut Vec<[f64; 2]>) {
        match &self.positions {
            Positions::Interleaved { numbers, dimensions: 2 } => {
                let numbers = &numbers[2 * positions.start..2 * positions.end];
                to.extend(numbers.chunks_exact(2).map(|pair| [pair[0], pair[1]]));
            }
            Positions::Interleaved { numbers, dimensions } => {
                let numbers = &numbers[dimensions * positions.start..dimensions * positions.end];
                to.extend(numbers.chunks_exact(*dimensions).map(|position| [position[0], position[1]]));
            }
            Positions::Separate { x, y } => {
                to.extend(x[positions.clone()].iter().zip(&y[positions]).map(|(&x, &y)| [x, y]));
            }
        }
    }
}

/// The positions of the innermost array, and whether they have more than two numbers. `None` if the array has none.
fn positions(array: &ArrayRef) -> Option<Result<(Positions, bool), String>> {
    match array.data_type() {
        DataType::FixedSizeList(field, dimensions @ 2..=4) if *field.data_type() == DataType::Float64 => {
            let list = array.as_fixed_size_list();
            let numbers = list.values();
            Some(refuse_nulls(numbers).map(|()| {
                let numbers = numbers.as_primitive::<Float64Type>().values().clone();
                (Positions::Interleaved { numbers, dimensions: *dimensions as usize }, *dimensions > 2)
            }))
        }
        DataType::Struct(fields) => {
            let columns = array.as_struct();
            let column = |name| {
                let column = columns.column_by_name(name)?;
                (*column.data_type() == DataType::Float64).then_some(column)
            };
            let (x, y) = (column("x")?, column("y")?);
            Some(refuse_nulls(x).and_then(|()| refuse_nulls(y)).map(|()| {
                let values = |column: &ArrayRef| column.as_primitive::<Float64Type>().values().clone();
                (Positions::Separate { x: values(x), y: values(y) }, fields.len() > 2)
            }))
        }
        _ => None,
    }
}

fn refuse_nulls(array: &ArrayRef) -> Result<(), String> {
    match array.null_count() {
        0 => Ok(()),
        count => Err(format!("{count} nulls inside of geometries; only a whole geometry can be null")),
    }
}

fn shape(level: usize, depth: usize, found: &DataType) -> String {
    let expected = if level < depth { "a list" } else { "positions of Float64 (pairs, or fields x and y)" };
    format!("level {level} of its geometries is {found}; GeoArrow has {expected} there")
}
