//! Finds the nearest features of each feature.

mod indexed;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use sat2d::{Backend, Engine, Join, Nearest, RoundedSet, Shapes};

use crate::failure::Failure;
use crate::run::{Threads, Watch, run};
use crate::sets::{Points, Polygons};

/// The features of one side of a search for nearest features, as Python passes them.
#[derive(FromPyObject)]
pub(crate) enum Features<'py> {
    Polygons(Bound<'py, Polygons>),
    Points(Bound<'py, Points>),
}

/// The features of one side of a search for nearest features, in a form that threads without Python's lock can use.
#[derive(Clone, Copy)]
enum Side<'a> {
    Polygons(&'a Polygons),
    Points(&'a Points),
}

/// The rows of the result, as three columns: the features of A, the features of B, and the distances.
type Rows = (Vec<i64>, Vec<i64>, Vec<f64>);
type Columns<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// Finds the `k` nearest features of `b` for each feature of `a`. If `b` is `None`, finds the nearest other features of `a`. If
/// `indexed` is true and `a` has few features, the function searches the index of `b`, which is kept for the next call.
#[pyfunction]
#[pyo3(signature = (a, b, k, *, within, indexed, threads))]
pub(crate) fn nearest<'py>(
    py: Python<'py>,
    a: Features<'py>,
    b: Option<Features<'py>>,
    k: usize,
    within: Option<f64>,
    indexed: bool,
    threads: Threads,
) -> PyResult<Columns<'py>> {
    let (a, b) = (a.side(), b.as_ref().map(Features::side));
    let (left, right, distances) = run(py, threads, |watch| {
        let query = Nearest { k, within };
        let found =
            b.filter(|_| indexed).map(|b| indexed::rows_of_few(a, b, query, watch)).transpose()?.flatten();
        found.map_or_else(|| rows(a, b, query, watch), Ok)
    })?;
    Ok((left.into_pyarray(py), right.into_pyarray(py), distances.into_pyarray(py)))
}

impl Features<'_> {
    fn side(&self) -> Side<'_> {
        match self {
            Self::Polygons(polygons) => Side::Polygons(polygons.get()),
            Self::Points(points) => Side::Points(points.get()),
        }
    }
}

impl Side<'_> {
    /// Returns the index of the feature that the object with the index `object` belongs to.
    fn feature(self, object: u32) -> i64 {
        match self {
            Self::Polygons(_) => object.into(),
            Self::Points(points) => points.feature(object).into(),
        }
    }
}

fn rows(a: Side<'_>, b: Option<Side<'_>>, query: Nearest, watch: &Watch) -> Result<Rows, Failure> {
    let circles = |side: Option<Side<'_>>| match side {
        Some(Side::Points(points)) => circles(points).map(Some),
        _ => Ok(None),
    };
    let (circles_a, circles_b) = (circles(Some(a))?, circles(b)?);
    let engine = Engine::new(Backend::Cpu)?;
    let found = match (a, b, &circles_a, &circles_b) {
        (Side::Polygons(a), None, ..) => search(engine.self_join(&a.set), query, watch)?,
        (Side::Polygons(a), Some(Side::Polygons(b)), ..) => {
            search(engine.join(&a.set, &b.set), query, watch)?
        }
        (Side::Polygons(a), _, _, Some(b)) => search(engine.join(&a.set, b), query, watch)?,
        (_, None, Some(a), _) => search(engine.self_join(a), query, watch)?,
        (_, Some(Side::Polygons(b)), Some(a), _) => search(engine.join(a, &b.set), query, watch)?,
        (_, _, Some(a), Some(b)) => search(engine.join(a, b), query, watch)?,
        _ => Vec::new(),
    };
    let of_b = b.unwrap_or(a);
    Ok((
        found.iter().map(|row| a.feature(row.0)).collect(),
        found.iter().map(|row| of_b.feature(row.1)).collect(),
        found.iter().map(|row| row.2).collect(),
    ))
}

fn search<A: Shapes, B: Shapes>(
    join: Join<'_, A, B>,
    query: Nearest,
    watch: &Watch,
) -> Result<Vec<(u32, u32, f64)>, Failure> {
    let found = join.progress(watch).query(query)?;
    Ok(found.iter().map(|row| (row.a, row.b, row.measurement.distance)).collect())
}

/// Converts points to circles of radius 0. Returns an error if a feature has several points.
fn circles(points: &Points) -> Result<RoundedSet, Failure> {
    let features = points.features.as_deref().unwrap_or_default();
    if let Some(pair) = features.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Failure::Option(format!(
            "feature {} has several points, and nearest takes one point a feature; split multipoints, as with shapely.get_parts",
            pair[0]
        )));
    }
    Ok(RoundedSet::of_points(&points.positions)?)
}
