//! Converts between pairs of indices and NumPy arrays.

use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use sat2d::PolygonSet;

use crate::failure::Failure;

/// Returns an array of shape 2 x n. `columns` has all first indices, then all second indices.
pub(crate) fn array<'py>(py: Python<'py>, columns: Vec<i64>) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let count = columns.len() / 2;
    columns.into_pyarray(py).reshape([2, count])
}

/// Converts indices to pairs of objects. `indices` has all first indices, then all second indices. Returns an error for an index
/// that is out of range.
pub(crate) fn object_pairs(indices: &[i64], [a, b]: [&PolygonSet; 2]) -> Result<Vec<[u32; 2]>, Failure> {
    let (left, right) = indices.split_at(indices.len() / 2);
    let index = |value: i64, set: &PolygonSet| {
        let count = set.object_count();
        u32::try_from(value).ok().filter(|&index| (index as usize) < count).ok_or_else(|| {
            Failure::Option(format!("pairs name object {value}, but there are {count}; objects count from 0"))
        })
    };
    left.iter().zip(right).map(|(&i, &j)| Ok([index(i, a)?, index(j, b)?])).collect()
}

/// Returns all first indices, then all second indices of the pairs.
pub(crate) fn columns(pairs: &[[u32; 2]]) -> Vec<i64> {
    let mut columns = Vec::with_capacity(2 * pairs.len());
    for side in 0..2 {
        columns.extend(pairs.iter().map(|pair| i64::from(pair[side])));
    }
    columns
}

/// Returns all ordered pairs of a symmetric relation, sorted. Each of `pairs` is returned in both orders. If
/// `is_reflexive` is true, each object with a region is also paired with itself. `pairs` must be sorted, with a < b in
/// each pair. `objects` says for each object whether it has a region.
pub(crate) fn mirrored(pairs: &[[u32; 2]], objects: &[bool], is_reflexive: bool) -> Vec<[u32; 2]> {
    let mut starts = vec![0usize; objects.len() + 1];
    for &[a, b] in pairs {
        starts[a as usize + 1] += 1;
        starts[b as usize + 1] += 1;
    }
    for (object, &has_region) in objects.iter().enumerate() {
        starts[object + 1] += starts[object] + usize::from(is_reflexive && has_region);
    }
    let mut all = vec![[0; 2]; starts[objects.len()]];
    let mut next = starts;
    let mut put = |[a, b]: [u32; 2]| {
        let place = &mut next[a as usize];
        all[*place] = [a, b];
        *place += 1;
    };
    // The partners of an object are stored in ascending order: the lower indices, the object itself, and the higher indices.
    for &[a, b] in pairs {
        put([b, a]);
    }
    if is_reflexive {
        let itself = (0u32..).zip(objects).filter(|&(_, &has_region)| has_region);
        itself.for_each(|(object, _)| put([object, object]));
    }
    for &pair in pairs {
        put(pair);
    }
    all
}
