//! Explains pairs by a table, a verdict and a picture.

use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use sat2d::PointRelation;
use sat2d::glam::DVec2;
use sat2d_explain::{Explained, ExplainedPoint};

use crate::run::{Threads, run};
use crate::sets::{Points, Polygons};

/// The attribute that the table recommends for a list of all vertices.
const ALL_VERTICES: &str = "the attribute `vertices`";

/// The relation, the verdict, the table, the vertices of A, the vertices of B, the picture, and the translation of B that
/// separates the pair.
type Explanation<'py> = (
    &'static str,
    String,
    String,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Option<String>,
    Option<(f64, f64)>,
);

/// Explains two polygons.
#[pyfunction]
#[pyo3(signature = (a, b, pair, names, *, threads))]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    a: &Polygons,
    b: &Polygons,
    pair: (usize, usize),
    names: [String; 2],
    threads: Threads,
) -> PyResult<Explanation<'py>> {
    let explained = run(py, threads, |_| Ok(Explained::new(names, (&a.set, pair.0), (&b.set, pair.1))?))?;
    let explained = Explained { all_vertices: ALL_VERTICES.into(), ..explained };
    let found = &explained.found.explanation;
    // The translation of B is the opposite of A's. The subtraction from 0 turns -0 into 0.
    let translation = explained.separating.as_ref().map(|found| DVec2::ZERO - found.of_a);
    Ok((
        explained.relation().name(),
        explained.verdict(),
        explained.table().join("\n"),
        rows(py, &found.vertices_a)?,
        rows(py, &found.vertices_b)?,
        Some(explained.svg()),
        translation.map(|translation| (translation.x, translation.y)),
    ))
}

/// Explains a point of a feature, and a polygon. Returns `None` if the feature has no point.
#[pyfunction]
#[pyo3(signature = (points, polygons, pair, names, *, threads))]
pub(crate) fn explain_point<'py>(
    py: Python<'py>,
    points: &Points,
    polygons: &Polygons,
    pair: (usize, usize),
    names: [String; 2],
    threads: Threads,
) -> PyResult<Option<Explanation<'py>>> {
    let explained = run(py, threads, |_| {
        let all = points.positions.iter().enumerate();
        let of_feature = all
            .filter(|&(point, _)| points.feature(point as u32) as usize == pair.0)
            .map(|(_, &point)| point);
        Ok(ExplainedPoint::new(names, of_feature, &polygons.set, pair.1)?)
    })?;
    let Some(explained) = explained else { return Ok(None) };
    let explained = ExplainedPoint { all_vertices: ALL_VERTICES.into(), ..explained };
    let relation: PointRelation = explained.found.relation;
    Ok(Some((
        relation.name(),
        explained.verdict(),
        explained.table().join("\n"),
        rows(py, &[explained.point])?,
        rows(py, &explained.found.vertices)?,
        None,
        None,
    )))
}

fn rows<'py>(py: Python<'py>, points: &[DVec2]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let numbers: Vec<f64> = points.iter().flat_map(|point| point.to_array()).collect();
    numbers.into_pyarray(py).reshape([points.len(), 2])
}
