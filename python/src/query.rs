//! Finds the pairs of polygons for which a predicate holds.

use numpy::PyArray2;
use pyo3::prelude::*;
use sat2d::{Backend, Containment, Containments, Distances, Engine, Join, Keep, PolygonSet, Relations};

use crate::failure::Failure;
use crate::nearby::Nearby;
use crate::pairs::{array, columns, mirrored};
use crate::run::{Threads, Watch, run};
use crate::sets::Polygons;

/// A predicate on two polygons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Predicate {
    Intersects,
    Touches,
    Overlaps,
    /// A contains B, which for polygons is the same as A covers B.
    Contains,
    Within,
    DWithin(f64),
}

impl Predicate {
    /// Returns the predicate with a given name. The Python package has checked the name.
    pub(crate) fn new(name: &str, distance: Option<f64>) -> Result<Self, Failure> {
        Ok(match (name, distance) {
            ("intersects", None) => Self::Intersects,
            ("touches", None) => Self::Touches,
            ("overlaps", None) => Self::Overlaps,
            ("contains" | "covers", None) => Self::Contains,
            ("within" | "covered_by", None) => Self::Within,
            ("dwithin", Some(distance)) => Self::DWithin(distance),
            _ => return Err(Failure::Option(format!("predicate = {name} with distance = {distance:?}"))),
        })
    }
}

/// Finds the pairs of a polygon of `a` and a polygon of `b` for which the predicate holds. If `b` is `None`, both polygons are of
/// `a`. If `all` is also true, the function returns both orders of each pair of a symmetric predicate, and the pairs of a polygon
/// with itself. If `indexed` is true and `a` has few polygons, the function joins `a` only with the polygons of `b` that the index
/// of `b` finds. The index is kept for the next call.
#[pyfunction]
#[pyo3(signature = (a, b, predicate, *, distance, all, indexed, threads))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn query<'py>(
    py: Python<'py>,
    a: &Polygons,
    b: Option<&Polygons>,
    predicate: &str,
    distance: Option<f64>,
    all: bool,
    indexed: bool,
    threads: Threads,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let found = run(py, threads, |watch| {
        let predicate = Predicate::new(predicate, distance)?;
        let nearby = match b.filter(|_| indexed) {
            None => None,
            Some(b) => Nearby::of(&b.set, &b.index, &a.set.object_aabbs(), distance)?,
        };
        let other = nearby.as_ref().map(|nearby| &nearby.set).or(b.map(|b| &b.set));
        let mut pairs = pairs(&a.set, other, predicate, watch)?;
        if let Some(nearby) = &nearby {
            nearby.rename(&mut pairs);
        }
        if all && b.is_none() {
            pairs = with_all(&a.set, pairs, predicate);
        }
        Ok(columns(&pairs))
    })?;
    array(py, found)
}

/// Returns the sorted pairs. Within one set, each pair of a symmetric predicate occurs once, with a < b.
fn pairs(
    a: &PolygonSet,
    b: Option<&PolygonSet>,
    predicate: Predicate,
    watch: &Watch,
) -> Result<Vec<[u32; 2]>, Failure> {
    let engine = Engine::new(Backend::Cpu)?;
    let join: Join<'_> = match b {
        Some(b) => engine.join(a, b),
        None => engine.self_join(a),
    };
    let join = join.progress(watch);
    let related = |keep| -> Result<Vec<[u32; 2]>, Failure> {
        let found = join.keep(keep).query(Relations)?;
        Ok(found.iter().map(|pair| [pair.a, pair.b]).collect())
    };
    Ok(match predicate {
        Predicate::Intersects => related(Keep::Meeting)?,
        Predicate::Touches => related(Keep::Touching)?,
        Predicate::Overlaps => {
            let pairs = related(Keep::Overlapping)?;
            watch.check();
            let given = engine.object_pairs(a, b.unwrap_or(a), &pairs).progress(watch);
            let found = given.query(Containments)?.items;
            let kept = pairs.iter().zip(found).filter(|(_, found)| *found == Containment::Neither);
            kept.map(|(&pair, _)| pair).collect()
        }
        Predicate::Contains | Predicate::Within => {
            let of_a = predicate == Predicate::Contains;
            let mut found = Vec::new();
            for pair in join.query(Containments)? {
                let (covers, is_covered) = (pair.containment.a_covers_b(), pair.containment.b_covers_a());
                if if of_a { covers } else { is_covered } {
                    found.push([pair.a, pair.b]);
                }
                if b.is_none() && if of_a { is_covered } else { covers } {
                    found.push([pair.b, pair.a]);
                }
            }
            if b.is_none() {
                found.sort_unstable();
            }
            found
        }
        Predicate::DWithin(distance) => {
            let found = join.within(distance).query(Distances)?;
            found.iter().map(|pair| [pair.a, pair.b]).collect()
        }
    })
}

/// Completes the pairs of one set. If the predicate is symmetric, adds the reversed pairs. If the predicate holds for equal
/// objects, adds the pair of each object with itself.
fn with_all(set: &PolygonSet, pairs: Vec<[u32; 2]>, predicate: Predicate) -> Vec<[u32; 2]> {
    // The box of an object without a region is empty.
    let has_region: Vec<bool> = set.object_aabbs().iter().map(|aabb| aabb.min.x <= aabb.max.x).collect();
    let is_reflexive = !matches!(predicate, Predicate::Touches | Predicate::Overlaps);
    if matches!(predicate, Predicate::Contains | Predicate::Within) {
        let mut pairs = pairs;
        let itself = (0u32..).zip(&has_region).filter(|&(_, &has_region)| has_region);
        pairs.extend(itself.map(|(object, _)| [object; 2]));
        pairs.sort_unstable();
        return pairs;
    }
    mirrored(&pairs, &has_region, is_reflexive)
}
