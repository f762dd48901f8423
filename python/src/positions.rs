//! Joins points with points: equal positions, distances, and the nearest points.

use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sat2d::glam::DVec2;
use sat2d::{Backend, Distances, Engine, Error, Relation, RoundedSet};
use sat2d_io::internal::DirectedPair;

use crate::failure::Failure;
use crate::join::{Joined, Options, Related, Request};
use crate::pairs::{array, columns, mirrored};
use crate::run::{Threads, Watch, run};
use crate::sets::Points;

/// Finds the pairs of features of points for which the predicate holds. If `b` is `None`, both features are of `a`. If `all` is
/// also true, the function returns both orders of each pair of a symmetric predicate, and the pairs of a feature with itself.
#[pyfunction]
#[pyo3(signature = (a, b, predicate, *, distance, all, threads))]
pub(crate) fn query_positions<'py>(
    py: Python<'py>,
    a: &Points,
    b: Option<&Points>,
    predicate: &str,
    distance: Option<f64>,
    all: bool,
    threads: Threads,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let found = run(py, threads, |watch| {
        let pairs = match (predicate, distance) {
            ("dwithin", Some(distance)) => near(a, b, distance, all, watch)?,
            (name, None) => meeting(a, b, Rule::new(name)?, all, watch)?,
            _ => {
                return Err(Failure::Option(format!(
                    "predicate = {predicate}; `dwithin` alone has a distance"
                )));
            }
        };
        Ok(columns(&pairs))
    })?;
    array(py, found)
}

/// Joins features of points, or the features of one set with each other. Returns a dictionary of columns, and the backend with its
/// reason.
#[pyfunction]
#[pyo3(signature = (a, b, options, *, threads))]
pub(crate) fn join_positions<'py>(
    py: Python<'py>,
    a: &Points,
    b: Option<&Points>,
    options: Options,
    threads: Threads,
) -> PyResult<(Bound<'py, PyDict>, String, String)> {
    let joined = run(py, threads, |watch| {
        options.join_positions(&a.rounded()?, b.map(Points::rounded).transpose()?.as_ref(), watch)
    })?;
    joined.into_table(py)
}

/// Finds the pairs of features that are at most as far apart as the request says, or that have a common position, or the nearest
/// features of each feature. Measures the distances.
pub(crate) fn joined(
    engine: &Engine,
    a: &RoundedSet,
    b: Option<&RoundedSet>,
    request: Request,
    watch: &Watch,
) -> Result<Joined, Failure> {
    let join = match b {
        Some(b) => engine.join(a, b),
        None => engine.self_join(a),
    };
    let join = join.progress(watch);
    let found = match request.nearest {
        Some(query) => join.query(query)?,
        None => join.within(request.within.unwrap_or(0.0)).query(Distances)?,
    };
    let mut distances = found.items;
    if request.keep.is_some() {
        distances.retain(|pair| pair.measurement.distance == 0.0);
    }
    let relation = |distance: f64| if distance == 0.0 { Relation::Touching } else { Relation::Disjoint };
    let relations = distances.iter().map(|pair| relation(pair.measurement.distance)).collect();
    let pairs: Vec<[u32; 2]> = distances.iter().map(|pair| [pair.a, pair.b]).collect();
    // The nearest features of a feature are rows of their own, also in a self-join.
    let directed = |count: usize| (0..count).map(|pair| DirectedPair { pair, is_swapped: false }).collect();
    let rows = request.nearest.map(|_| directed(pairs.len()));
    let mut joined = Joined::new(found.choice, pairs, Related::Polygons(relations), request);
    joined.distances = Some(distances);
    joined.rows = rows;
    Ok(joined)
}

/// The condition under which a predicate holds for two features of points. It depends on the number of distinct positions of each
/// feature, and the number of their common positions.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    Any,
    /// Each feature has a position that the other one does not have.
    Overlaps,
    /// The first feature has all positions of the second.
    Contains,
    /// The second feature has all positions of the first.
    Within,
    /// The predicate never holds, because points have no boundary.
    Never,
}

impl Rule {
    fn new(predicate: &str) -> Result<Self, Failure> {
        Ok(match predicate {
            "intersects" => Self::Any,
            "touches" => Self::Never,
            "overlaps" => Self::Overlaps,
            "contains" | "covers" | "contains_properly" => Self::Contains,
            "within" | "covered_by" => Self::Within,
            _ => {
                return Err(Failure::Option(format!(
                    "predicate = {predicate}; points have no such predicate"
                )));
            }
        })
    }

    fn is_symmetric(self) -> bool {
        !matches!(self, Self::Contains | Self::Within)
    }

    /// Returns whether the predicate holds for features with `of_a` and `of_b` distinct positions, of which they have `common`
    /// positions in common.
    fn keeps(self, common: usize, of_a: usize, of_b: usize) -> bool {
        match self {
            Self::Any => true,
            Self::Overlaps => common < of_a && common < of_b,
            Self::Contains => common == of_b,
            Self::Within => common == of_a,
            Self::Never => false,
        }
    }
}

/// The distinct positions of features.
struct Positions {
    /// The bits of each position with its feature, sorted. Equal positions have equal bits.
    entries: Vec<([u64; 2], u32)>,
    /// The number of distinct positions of each feature.
    counts: Vec<usize>,
}

impl Positions {
    fn of(points: &Points) -> Self {
        // The sum turns -0 into 0.
        let bits = |at: DVec2| [at.x + 0.0, at.y + 0.0].map(f64::to_bits);
        let mut entries: Vec<_> = points.with_features().map(|(feature, at)| (bits(at), feature)).collect();
        entries.sort_unstable();
        entries.dedup();
        let mut counts = vec![0; points.count];
        entries.iter().for_each(|&(_, feature)| counts[feature as usize] += 1);
        Self { entries, counts }
    }
}

/// Returns the sorted pairs of features that have common positions and satisfy the rule.
fn meeting(
    a: &Points,
    b: Option<&Points>,
    rule: Rule,
    all: bool,
    watch: &Watch,
) -> Result<Vec<[u32; 2]>, Failure> {
    if rule == Rule::Never {
        return Ok(Vec::new());
    }
    let of_a = Positions::of(a);
    watch.check();
    let other = b.map(Positions::of);
    watch.check();
    let of_b = other.as_ref().unwrap_or(&of_a);
    let is_once = b.is_none() && !all;
    let is_asked = |[i, j]: [u32; 2]| !is_once || if rule.is_symmetric() { i < j } else { i != j };
    let mut common = Vec::new();
    let mut rest = &*of_b.entries;
    for group in of_a.entries.chunk_by(|one, other| one.0 == other.0) {
        rest = &rest[rest.partition_point(|entry| entry.0 < group[0].0)..];
        let partners = &rest[..rest.partition_point(|entry| entry.0 == group[0].0)];
        let more = group.len().saturating_mul(partners.len());
        common.try_reserve(more).map_err(|_| {
            let needed_bytes = (common.len() + more).saturating_mul(size_of::<[u32; 2]>());
            Error::OutOfMemory { needed_bytes }
        })?;
        for &(_, i) in group {
            common.extend(partners.iter().map(|&(_, j)| [i, j]).filter(|&pair| is_asked(pair)));
        }
        watch.check();
    }
    common.sort_unstable();
    let is_kept = |same: &&[[u32; 2]]| {
        let [i, j] = same[0];
        rule.keeps(same.len(), of_a.counts[i as usize], of_b.counts[j as usize])
    };
    Ok(common.chunk_by(|one, other| one == other).filter(is_kept).map(|same| same[0]).collect())
}

/// Returns the sorted pairs of features that are at most `distance` apart.
fn near(
    a: &Points,
    b: Option<&Points>,
    distance: f64,
    all: bool,
    watch: &Watch,
) -> Result<Vec<[u32; 2]>, Failure> {
    let engine = Engine::new(Backend::Cpu)?;
    let (set, other) = (a.rounded()?, b.map(Points::rounded).transpose()?);
    let join = match &other {
        Some(other) => engine.join(&set, other),
        None => engine.self_join(&set),
    };
    let found = join.within(distance).progress(watch).query(Distances)?;
    let pairs: Vec<[u32; 2]> = found.iter().map(|pair| [pair.a, pair.b]).collect();
    if b.is_some() || !all {
        return Ok(pairs);
    }
    let mut has_points = vec![false; a.count];
    a.with_features().for_each(|(feature, _)| has_points[feature as usize] = true);
    Ok(mirrored(&pairs, &has_points, true))
}
