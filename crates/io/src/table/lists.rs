//! Geometries of GeoArrow: coordinates in nested lists.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;

use crate::{Error, Result};

/// The offsets of the lists in one level, as 32-bit or 64-bit integers. The items of list `k` begin at offset `k` and end
/// before offset `k + 1`.
#[derive(Clone, Debug)]
enum Offsets {
    Short(OffsetBuffer<i32>),
    Long(OffsetBuffer<i64>),
}

/// The coordinates of all positions of a column.
#[derive(Clone, Debug)]
enum Positions {
    Interleaved { numbers: Numbers, dimensions: usize },
    Separate { x: Numbers, y: Numbers },
}

/// Coordinates of positions in one array, and the marks of the coordinates that are null.
#[derive(Clone, Debug)]
struct Numbers {
    values: ScalarBuffer<f64>,
    nulls: Option<NullBuffer>,
}

impl Numbers {
    fn new(array: &ArrayRef) -> Self {
        Self { values: array.as_primitive::<Float64Type>().values().clone(), nulls: array.nulls().cloned() }
    }

    fn get(&self, range: Range<usize>) -> Result<&[f64]> {
        check(self.nulls.as_ref(), &range)?;
        Ok(&self.values[range])
    }
}

/// Returns an error if an item in a range is null. Nulls outside the range are allowed, because they may belong to rows that
/// are null as a whole.
fn check(nulls: Option<&NullBuffer>, range: &Range<usize>) -> Result<()> {
    match nulls {
        Some(nulls) if nulls.slice(range.start, range.len()).null_count() > 0 => {
            let problem = "a part of the geometry is null; only a whole geometry can be null".into();
            Err(Error::Malformed { problem })
        }
        _ => Ok(()),
    }
}

/// A column of nested lists of positions.
#[derive(Clone, Debug)]
pub(super) struct Lists {
    /// For each level of lists, from the outermost: the offsets, and the marks for null lists.
    levels: Vec<(Offsets, Option<NullBuffer>)>,
    positions: Positions,
    /// Whether positions have more than two numbers.
    pub(super) has_third: bool,
}

impl Lists {
    /// Splits a column with `depth` levels of lists into its parts.
    ///
    /// # Errors
    /// Returns a message if the column has another shape.
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
            levels.push((offsets, items.nulls().cloned()));
            array = items;
        }
        let (positions, has_third) =
            positions(&array).ok_or_else(|| shape(depth, depth, array.data_type()))?;
        Ok(Self { levels, positions, has_third })
    }

    /// Returns the range of the items of a list. `item` is the index of the list in its level. Level 0 has the rows.
    ///
    /// # Errors
    /// Returns an error if one of the items is null.
    pub(super) fn items(&self, level: usize, item: usize) -> Result<Range<usize>> {
        let (offsets, nulls) = &self.levels[level];
        let range = match offsets {
            Offsets::Short(offsets) => offsets[item] as usize..offsets[item + 1] as usize,
            Offsets::Long(offsets) => offsets[item] as usize..offsets[item + 1] as usize,
        };
        check(nulls.as_ref(), &range)?;
        Ok(range)
    }

    /// Appends positions to `to`.
    ///
    /// # Errors
    /// Returns an error if one of the numbers is null.
    pub(super) fn copy(&self, positions: Range<usize>, to: &mut Vec<[f64; 2]>) -> Result<()> {
        match &self.positions {
            Positions::Interleaved { numbers, dimensions: 2 } => {
                let numbers = numbers.get(2 * positions.start..2 * positions.end)?;
                to.extend(numbers.chunks_exact(2).map(|pair| [pair[0], pair[1]]));
            }
            Positions::Interleaved { numbers, dimensions } => {
                // Only the first two numbers are read, because the third number of a position may be null.
                for position in positions {
                    let numbers = numbers.get(dimensions * position..dimensions * position + 2)?;
                    to.push([numbers[0], numbers[1]]);
                }
            }
            Positions::Separate { x, y } => {
                let (x, y) = (x.get(positions.clone())?, y.get(positions)?);
                to.extend(x.iter().zip(y).map(|(&x, &y)| [x, y]));
            }
        }
        Ok(())
    }
}

/// Returns the positions of the innermost array, and whether a position has more than two numbers. Returns `None` if the
/// innermost values of the array are not positions.
fn positions(array: &ArrayRef) -> Option<(Positions, bool)> {
    match array.data_type() {
        DataType::FixedSizeList(field, dimensions @ 2..=4) if *field.data_type() == DataType::Float64 => {
            let numbers = Numbers::new(array.as_fixed_size_list().values());
            Some((Positions::Interleaved { numbers, dimensions: *dimensions as usize }, *dimensions > 2))
        }
        DataType::Struct(fields) => {
            let columns = array.as_struct();
            let column = |name| {
                let column = columns.column_by_name(name)?;
                (*column.data_type() == DataType::Float64).then(|| Numbers::new(column))
            };
            Some((Positions::Separate { x: column("x")?, y: column("y")? }, fields.len() > 2))
        }
        _ => None,
    }
}

fn shape(level: usize, depth: usize, found: &DataType) -> String {
    let expected = if level < depth { "a list" } else { "positions of Float64 (pairs, or fields x and y)" };
    format!("level {level} of its geometries is {found}; GeoArrow has {expected} there")
}
