//! Defines sets of polygons and of points, and builds them from NumPy arrays.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use sat2d::glam::DVec2;
use sat2d::internal::check_points;
use sat2d::{Coordinates, Fill, Offsets, PolygonColumns, PolygonSet, RoundedSet};
use sat2d_io::FeaturePoints;

use crate::failure::{Failure, Problem};
use crate::nearby::SetIndex;
use crate::run::{Threads, run};

/// A set of polygons, and an index of the boxes of its objects.
#[pyclass(frozen, module = "sat2d._sat2d")]
#[derive(Debug)]
pub(crate) struct Polygons {
    pub(crate) set: PolygonSet,
    pub(crate) index: SetIndex,
}

impl Polygons {
    pub(crate) fn new(set: PolygonSet) -> Self {
        Self { set, index: SetIndex::default() }
    }
}

#[pymethods]
impl Polygons {
    fn __len__(&self) -> usize {
        self.set.object_count()
    }

    /// The number of convex pieces.
    #[getter]
    fn piece_count(&self) -> usize {
        self.set.piece_count()
    }

    /// Whether no feature has a region.
    #[getter]
    fn is_empty(&self) -> bool {
        self.set.object_aabbs().iter().all(|aabb| aabb.min.x > aabb.max.x)
    }

    /// The number of vertices of all pieces.
    #[getter]
    fn vertex_count(&self) -> usize {
        self.set.vertex_count()
    }
}

/// Features that are points. A feature has any number of points.
#[pyclass(frozen, module = "sat2d._sat2d")]
#[derive(Debug)]
pub(crate) struct Points {
    pub(crate) positions: Vec<DVec2>,
    /// The index of the feature of each point, ascending. If `None`, point `i` is feature `i`.
    pub(crate) features: Option<Vec<u32>>,
    pub(crate) count: usize,
    pub(crate) index: SetIndex,
}

#[pymethods]
impl Points {
    fn __len__(&self) -> usize {
        self.count
    }

    /// The number of points of all features.
    #[getter]
    fn point_count(&self) -> usize {
        self.positions.len()
    }
}

impl Points {
    /// Creates the points of `count` features.
    pub(crate) fn of_features(points: FeaturePoints, count: usize) -> Self {
        let (positions, features) = points.into_columns();
        Self { positions, features: Some(features), count, index: SetIndex::default() }
    }

    /// Returns the index of the feature that a point belongs to.
    pub(crate) fn feature(&self, point: u32) -> u32 {
        self.features.as_ref().map_or(point, |features| features[point as usize])
    }

    /// Returns each point with the index of its feature, sorted by feature.
    pub(crate) fn with_features(&self) -> impl Iterator<Item = (u32, DVec2)> {
        (0u32..).zip(&self.positions).map(|(point, &at)| (self.feature(point), at))
    }

    /// Returns a set in which each feature is an object, and each of its points is a shape of radius 0.
    pub(crate) fn rounded(&self) -> sat2d::Result<RoundedSet> {
        let objects = self.features.clone().unwrap_or_else(|| (0..self.positions.len() as u32).collect());
        RoundedSet::of_objects_of_points(&self.positions, objects, self.count)
    }
}

/// The index, the reason and the coordinates of each invalid feature that was left out. The coordinates are `None` if the problem
/// has no position.
pub(crate) type Skipped = Vec<(usize, String, Option<(f64, f64)>)>;

/// The index of each feature that is valid only by a fill rule, with the reason and the coordinates of the problem.
pub(crate) type Filled = Skipped;

/// A set, and the invalid features that were left out of it.
pub(crate) type Built<T> = (T, Skipped);

/// Returns the fill rule with a given name, or `None` for no name. Returns an error for an unknown name.
pub(crate) fn fill_rule(name: Option<&str>) -> Result<Option<Fill>, Failure> {
    Ok(match name {
        None => None,
        Some("even-odd") => Some(Fill::EvenOdd),
        Some("nonzero") => Some(Fill::NonZero),
        Some(other) => {
            let message = format!("fill = {other}; give even-odd or nonzero, or None");
            return Err(Failure::Option(message));
        }
    })
}

/// Returns the name of a fill rule.
pub(crate) fn fill_name(fill: Fill) -> &'static str {
    match fill {
        Fill::EvenOdd => "even-odd",
        _ => "nonzero",
    }
}

/// Converts the features that are valid only because of a fill rule. The reasons are without the remedies, because the rule
/// already solves the problem.
pub(crate) fn filled(features: impl IntoIterator<Item = (usize, Problem)>) -> Filled {
    let report = |(feature, problem): (usize, Problem)| {
        (feature, problem.text.fact, problem.place.map(|[x, y]| (x, y)))
    };
    features.into_iter().map(report).collect()
}

/// Reports invalid features. If `skip` is true, returns all of them. If `skip` is false, returns the first one as an
/// error, or an empty list if there is none. `argument` is the name of the argument in messages.
pub(crate) fn reported(
    invalid: impl IntoIterator<Item = (usize, Problem)>,
    skip: bool,
    argument: &str,
) -> Result<Skipped, Failure> {
    let mut skipped = Vec::new();
    for (feature, problem) in invalid {
        if !skip {
            return Err(Failure::Feature { argument: argument.to_owned(), feature, problem });
        }
        skipped.push((feature, problem.text.to_string(), problem.place.map(|[x, y]| (x, y))));
    }
    Ok(skipped)
}

/// An array of offsets, as integers of 64 or of 32 bits.
#[derive(FromPyObject)]
pub(crate) enum OffsetArray<'py> {
    Long(PyReadonlyArray1<'py, i64>),
    Short(PyReadonlyArray1<'py, i32>),
}

impl OffsetArray<'_> {
    fn offsets(&self) -> PyResult<Offsets<'_>> {
        Ok(match self {
            Self::Long(array) => Offsets::I64(array.as_slice()?),
            Self::Short(array) => Offsets::I32(array.as_slice()?),
        })
    }
}

/// Returns the rows of an array of shape n x 2, without a copy. Returns an error for another shape.
pub(crate) fn rows<'a>(array: &'a PyReadonlyArray2<'_, f64>) -> Result<&'a [[f64; 2]], Failure> {
    let numbers = array.as_slice().map_err(|error| Failure::Python(error.into()))?;
    if array.as_array().ncols() != 2 {
        return Err(Failure::Option("coordinates must have 2 columns; give an array of n x 2".into()));
    }
    Ok(numbers.as_chunks().0)
}

/// Builds a set of polygons from coordinates and offsets.
#[pyfunction]
#[pyo3(signature = (coordinates, rings, polygons, objects, *, skip, fill, argument, threads))]
#[allow(clippy::too_many_arguments, reason = "the caller is the package, which names each")]
pub(crate) fn polygons_from_columns(
    py: Python<'_>,
    coordinates: PyReadonlyArray2<'_, f64>,
    rings: OffsetArray<'_>,
    polygons: Option<OffsetArray<'_>>,
    objects: Option<OffsetArray<'_>>,
    skip: bool,
    fill: Option<&str>,
    argument: &str,
    threads: Threads,
) -> PyResult<(Polygons, Skipped, Filled)> {
    let coordinates = rows(&coordinates).map_err(|failure| failure.raise(py))?;
    let mut columns = PolygonColumns::new(Coordinates::Interleaved(coordinates), rings.offsets()?);
    if let Some(polygons) = &polygons {
        columns = columns.polygons(polygons.offsets()?);
    }
    if let Some(objects) = &objects {
        columns = columns.objects(objects.offsets()?);
    }
    run(py, threads, |_| {
        if let Some(fill) = fill_rule(fill)? {
            columns = columns.fill(fill);
        }
        let built = PolygonSet::from_valid_columns(&columns)?;
        let problem = |(feature, error)| (feature, Problem::of(error));
        let skipped = reported(built.invalid.into_iter().map(problem), skip, argument)?;
        let filled = filled(built.filled.into_iter().map(problem));
        Ok((Polygons::new(built.set), skipped, filled))
    })
}

/// Builds features of points. `counts` has the number of points of each feature. If it is `None`, each feature has one point.
#[pyfunction]
#[pyo3(signature = (coordinates, counts, *, skip, argument, threads))]
pub(crate) fn points_from_columns(
    py: Python<'_>,
    coordinates: PyReadonlyArray2<'_, f64>,
    counts: Option<PyReadonlyArray1<'_, i64>>,
    skip: bool,
    argument: &str,
    threads: Threads,
) -> PyResult<Built<Points>> {
    let coordinates = rows(&coordinates).map_err(|failure| failure.raise(py))?;
    let counts = counts.as_ref().map(|counts| counts.as_slice()).transpose()?;
    run(py, threads, |_| {
        let positions: Vec<DVec2> = coordinates.iter().map(|&position| DVec2::from(position)).collect();
        let (features, count) = match counts {
            None => (None, positions.len()),
            Some(counts) => {
                let mut features = Vec::with_capacity(positions.len());
                for (feature, &count) in (0u32..).zip(counts) {
                    let left = positions.len() - features.len();
                    let count =
                        usize::try_from(count).ok().filter(|&count| count <= left).ok_or_else(|| {
                            Failure::Option(format!(
                                "counts[{feature}] = {count} exceeds the {left} points left"
                            ))
                        })?;
                    features.extend(std::iter::repeat_n(feature, count));
                }
                if features.len() != positions.len() {
                    let (given, used) = (positions.len(), features.len());
                    return Err(Failure::Option(format!(
                        "there are {given} points, but counts add up to {used}"
                    )));
                }
                (Some(features), counts.len())
            }
        };
        valid_points(Points { positions, features, count, index: SetIndex::default() }, skip, argument)
    })
}

/// Checks all points. If `skip` is true, leaves out each feature with an invalid point. If `skip` is false, the first such
/// feature is an error.
pub(crate) fn valid_points(points: Points, skip: bool, argument: &str) -> Result<Built<Points>, Failure> {
    if check_points(&points.positions).is_ok() {
        return Ok((points, Vec::new()));
    }
    let (mut invalid, mut positions, mut features) = (Vec::new(), Vec::new(), Vec::new());
    for (point, position) in (0u32..).zip(&points.positions) {
        let feature = points.feature(point);
        match check_points(std::slice::from_ref(position)) {
            Err(error) if invalid.last().is_none_or(|&(last, _)| last != feature as usize) => {
                invalid.push((feature as usize, Problem::of(error)));
            }
            Err(_) => {}
            Ok(()) => {
                positions.push(*position);
                features.push(feature);
            }
        }
    }
    let is_valid =
        |feature: u32| invalid.binary_search_by_key(&(feature as usize), |&(index, _)| index).is_err();
    let kept = positions.into_iter().zip(features).filter(|&(_, feature)| is_valid(feature));
    let (positions, features) = kept.unzip();
    let skipped = reported(invalid, skip, argument)?;
    let index = SetIndex::default();
    Ok((Points { positions, features: Some(features), count: points.count, index }, skipped))
}
