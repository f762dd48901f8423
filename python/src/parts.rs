//! Converts sets to arrays and back, for `pickle`.

use std::borrow::Cow;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use sat2d::glam::DVec2;
use sat2d::internal::{RingParts, SetParts, set_of_outlines};
use sat2d::{Coordinates, PolygonColumns, PolygonSet};

use crate::failure::{Failure, Problem};
use crate::nearby::SetIndex;
use crate::run::{Threads, run};
use crate::sets::{Points, Polygons, fill_name, fill_rule, reported, rows};

type Array<'py, T> = Bound<'py, PyArray1<T>>;
type Rows<'py> = Bound<'py, PyArray2<f64>>;

/// The values that [`polygon_rings`] returns and [`polygons_from_rings`] takes.
type Rings<'py> = (Rows<'py>, Array<'py, i64>, Array<'py, i64>, Array<'py, i64>, Option<&'static str>);

fn coordinates<'py>(py: Python<'py>, points: &[DVec2]) -> PyResult<Rows<'py>> {
    let numbers: Vec<f64> = points.iter().flat_map(|point| point.to_array()).collect();
    numbers.into_pyarray(py).reshape([points.len(), 2])
}

fn vectors(rows: &[[f64; 2]]) -> Vec<DVec2> {
    rows.iter().map(|&row| DVec2::from(row)).collect()
}

/// Returns the set as arrays, which are the arguments of [`polygons_from_parts`]. An optional array is `None` if the set does
/// not store it.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "the arguments of `polygons_from_parts`")]
pub(crate) fn polygon_parts<'py>(
    py: Python<'py>,
    polygons: &Polygons,
) -> PyResult<(Rows<'py>, Array<'py, u32>, Option<Array<'py, u32>>, Option<Array<'py, bool>>, usize)> {
    let SetParts { vertices, piece_offsets, piece_objects, internal_edges, object_count } =
        polygons.set.parts().unwrap_or_default();
    Ok((
        coordinates(py, &vertices)?,
        PyArray1::from_slice(py, &piece_offsets),
        piece_objects.map(|objects| PyArray1::from_slice(py, &objects)),
        internal_edges.map(|internal| PyArray1::from_slice(py, &internal)),
        object_count,
    ))
}

/// Creates the set from the arrays of [`polygon_parts`].
#[pyfunction]
#[pyo3(signature = (vertices, piece_offsets, piece_objects, internal_edges, object_count))]
pub(crate) fn polygons_from_parts(
    py: Python<'_>,
    vertices: PyReadonlyArray2<'_, f64>,
    piece_offsets: PyReadonlyArray1<'_, u32>,
    piece_objects: Option<PyReadonlyArray1<'_, u32>>,
    internal_edges: Option<PyReadonlyArray1<'_, bool>>,
    object_count: usize,
) -> PyResult<Polygons> {
    let vertices = rows(&vertices).map_err(|failure| failure.raise(py))?;
    let piece_offsets = piece_offsets.as_slice()?;
    let piece_objects = piece_objects.as_ref().map(|objects| objects.as_slice()).transpose()?;
    let internal_edges = internal_edges.as_ref().map(|internal| internal.as_slice()).transpose()?;
    run(py, Threads::default(), |_| {
        let set = PolygonSet::from_parts(SetParts {
            vertices: Cow::Owned(vectors(vertices)),
            piece_offsets: piece_offsets.into(),
            piece_objects: piece_objects.map(Cow::Borrowed),
            internal_edges: internal_edges.map(Cow::Borrowed),
            object_count,
        })?;
        Ok(Polygons::new(set))
    })
}

/// Returns the rings of the set as arrays, which are the arguments of [`polygons_from_rings`]. Returns `None` if the set has only
/// pieces.
#[pyfunction]
pub(crate) fn polygon_rings<'py>(py: Python<'py>, polygons: &Polygons) -> PyResult<Option<Rings<'py>>> {
    let Some(parts) = polygons.set.ring_parts() else { return Ok(None) };
    let RingParts { coordinates, rings, polygons, objects, fill } = parts;
    let (count, numbers) = (coordinates.len(), coordinates.into_flattened());
    Ok(Some((
        numbers.into_pyarray(py).reshape([count, 2])?,
        rings.into_pyarray(py),
        polygons.into_pyarray(py),
        objects.into_pyarray(py),
        fill.map(fill_name),
    )))
}

/// Creates the set from the arrays of [`polygon_rings`].
#[pyfunction]
#[pyo3(signature = (coordinates, rings, polygons, objects, fill))]
pub(crate) fn polygons_from_rings(
    py: Python<'_>,
    coordinates: PyReadonlyArray2<'_, f64>,
    rings: PyReadonlyArray1<'_, i64>,
    polygons: PyReadonlyArray1<'_, i64>,
    objects: PyReadonlyArray1<'_, i64>,
    fill: Option<&str>,
) -> PyResult<Polygons> {
    let coordinates = rows(&coordinates).map_err(|failure| failure.raise(py))?;
    let mut columns = PolygonColumns::new(Coordinates::Interleaved(coordinates), rings.as_slice()?)
        .polygons(polygons.as_slice()?)
        .objects(objects.as_slice()?);
    run(py, Threads::default(), |_| {
        if let Some(fill) = fill_rule(fill)? {
            columns = columns.fill(fill);
        }
        let built = set_of_outlines(&columns)?;
        let invalid = built.invalid.into_iter().map(|(feature, error)| (feature, Problem::of(error)));
        reported(invalid, false, "pickle")?;
        Ok(Polygons::new(built.set))
    })
}

/// Returns the features as arrays, which are the arguments of [`points_from_parts`]. The second array is `None` if each feature
/// has one point.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "the arguments of `points_from_parts`")]
pub(crate) fn point_parts<'py>(
    py: Python<'py>,
    points: &Points,
) -> PyResult<(Rows<'py>, Option<Array<'py, u32>>, usize)> {
    let features = points.features.as_ref().map(|features| PyArray1::from_slice(py, features));
    Ok((coordinates(py, &points.positions)?, features, points.count))
}

/// Creates the features from the arrays of [`point_parts`].
#[pyfunction]
#[pyo3(signature = (positions, features, count))]
pub(crate) fn points_from_parts(
    py: Python<'_>,
    positions: PyReadonlyArray2<'_, f64>,
    features: Option<PyReadonlyArray1<'_, u32>>,
    count: usize,
) -> PyResult<Points> {
    let positions = rows(&positions).map_err(|failure| failure.raise(py))?;
    let features = features.as_ref().map(|features| features.as_slice()).transpose()?;
    run(py, Threads::default(), |_| {
        let fits = match features {
            None => positions.len() == count,
            Some(features) => {
                let is_in_order = features.is_sorted();
                let ends = features.last().is_none_or(|&last| (last as usize) < count);
                features.len() == positions.len() && is_in_order && ends
            }
        };
        if !fits || u32::try_from(count).is_err() {
            return Err(Failure::Option("the arrays of the points do not fit each other".into()));
        }
        let positions = vectors(positions);
        sat2d::internal::check_points(&positions)?;
        let features = features.map(<[u32]>::to_vec);
        Ok(Points { positions, features, count, index: SetIndex::default() })
    })
}
