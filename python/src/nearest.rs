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
    /// Points whose features have at most one point each. Each point is an object.
    Points(&'a Points),
    /// Points of which a feature has several. Each feature is an object.
    Multipoints(&'a Points),
}

/// The rows of the result, as three columns: the features of A, the features of B, and the distances.
type Rows = (Vec<i64>, Vec<i64>, Vec<f64>);
type Columns<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// Finds the `k` nearest features of `b` for each feature of `a`. If `b` is `None`, finds the nearest other features of `a`. If
/// `indexed` is true and `a` has few features, the function searches the index of `b`, which is kept for the next call.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the arguments are those of the Python function")]
#[pyo3(signature = (a, b, k, *, within, ties, indexed, threads))]
pub(crate) fn nearest<'py>(
    py: Python<'py>,
    a: Features<'py>,
    b: Option<Features<'py>>,
    k: usize,
    within: Option<f64>,
    ties: bool,
    indexed: bool,
    threads: Threads,
) -> PyResult<Columns<'py>> {
    let (a, b) = (a.side(), b.as_ref().map(Features::side));
    let (left, right, distances) = run(py, threads, |watch| {
        let query = Nearest { k, within, ties };
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
            Self::Points(points) => Side::of_points(points.get()),
        }
    }
}

impl<'a> Side<'a> {
    fn of_points(points: &'a Points) -> Self {
        let features = points.features.as_deref().unwrap_or_default();
        if features.is_sorted_by(|one, other| one < other) {
            Self::Points(points)
        } else {
            Self::Multipoints(points)
        }
    }

    /// Returns the index of the feature that the object with the index `object` belongs to.
    fn feature(self, object: u32) -> i64 {
        match self {
            Self::Polygons(_) | Self::Multipoints(_) => object.into(),
            Self::Points(points) => points.feature(object).into(),
        }
    }
}

fn rows(a: Side<'_>, b: Option<Side<'_>>, query: Nearest, watch: &Watch) -> Result<Rows, Failure> {
    let (circles_a, circles_b) = (circles(a)?, b.map_or(Ok(None), circles)?);
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

/// Converts points to circles of radius 0, one circle for each point. Returns `None` for polygons.
fn circles(side: Side<'_>) -> Result<Option<RoundedSet>, Failure> {
    Ok(match side {
        Side::Polygons(_) => None,
        Side::Points(points) => Some(RoundedSet::of_points(&points.positions)?),
        Side::Multipoints(points) => Some(points.rounded()?),
    })
}
