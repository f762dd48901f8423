//! Joins with relations and measurements.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use sat2d::{
    Backend, Choice, Distance, Distances, Engine, Iou, Keep, Manifold, Manifolds, MeasuredPair, Overlap,
    Penetration, Penetrations, PolygonSet, RelatedPair, Relation, Relations,
};

use crate::areas;
use crate::failure::Failure;
use crate::run::{Watch, run};
use crate::sets::Polygons;

/// The names of the measurements.
const MEASURES: &str = "distance, penetration, manifold, area, iou, left_area and right_area";

/// The options of a join, as the Python package passes them.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    relation: Option<String>,
    within: Option<f64>,
    measure: Vec<String>,
    min_area: Option<f64>,
    min_iou: Option<f64>,
    keep: Option<String>,
    backend: String,
}

/// The checked options of a join.
#[derive(Clone, Copy, Debug)]
struct Request {
    keep: Option<Keep>,
    within: Option<f64>,
    measure: Measure,
    backend: Backend,
}

/// The measurements that a join adds.
#[derive(Clone, Copy, Debug, Default)]
struct Measure {
    distance: bool,
    penetration: bool,
    manifold: bool,
    areas: areas::Options,
}

/// The result of a join: the sorted pairs, and the measurements of each pair.
#[derive(Debug)]
pub(crate) struct Joined {
    pub(crate) choice: Choice,
    pub(crate) pairs: Vec<[u32; 2]>,
    pub(crate) relations: Vec<Relation>,
    pub(crate) distances: Option<Vec<Distance>>,
    pub(crate) penetrations: Option<Vec<Option<Penetration>>>,
    pub(crate) manifolds: Option<Vec<Option<Manifold>>>,
    pub(crate) overlaps: Option<Vec<Overlap>>,
    /// Whether the result has each column of areas.
    pub(crate) area_columns: [bool; 4],
}

/// The engines of the backends `auto` and `gpu`, for the next call. Creating such an engine takes about a second.
static ENGINES: Mutex<[Option<Arc<Engine>>; 2]> = Mutex::new([None, None]);

fn engine(backend: Backend) -> Result<Arc<Engine>, Failure> {
    let place = match backend {
        Backend::Cpu => return Ok(Arc::new(Engine::new(Backend::Cpu)?)),
        Backend::Auto => 0,
        Backend::Gpu => 1,
    };
    let mut engines = ENGINES.lock().unwrap_or_else(PoisonError::into_inner);
    // A cancelled call may leave the device busy, so an engine is taken out for a call, and stored again only after success.
    match engines[place].take() {
        Some(engine) => Ok(engine),
        None => Ok(Arc::new(Engine::new(backend)?)),
    }
}

/// Stores an engine for the next call, and frees its buffers.
fn keep_engine(backend: Backend, engine: Arc<Engine>) {
    let place = match backend {
        Backend::Cpu => return,
        Backend::Auto => 0,
        Backend::Gpu => 1,
    };
    engine.free_buffers();
    ENGINES.lock().unwrap_or_else(PoisonError::into_inner)[place] = Some(engine);
}

/// Joins two sets, or one set with itself. Returns a dictionary of columns, and the backend with its reason.
#[pyfunction]
#[pyo3(signature = (a, b, options, *, threads))]
pub(crate) fn join<'py>(
    py: Python<'py>,
    a: &Polygons,
    b: Option<&Polygons>,
    options: Options,
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyDict>, String, String)> {
    let (a, b) = (&a.set, b.map(|b| &b.set));
    let joined = run(py, threads, |watch| options.join(a, b, watch))?;
    joined.into_table(py)
}

impl Options {
    /// Parses the options. Returns an error for unknown options, and for options that exclude each other.
    fn request(&self, has_b: bool) -> Result<Request, Failure> {
        let backend: Backend = self.backend.parse()?;
        let areas = areas::Options::new(self.min_area, self.min_iou, self.keep.as_deref())?;
        let keep = match self.relation.as_deref() {
            None => None,
            Some("touching") => Some(Keep::Touching),
            Some("overlapping") => Some(Keep::Overlapping),
            Some("meeting") => Some(Keep::Meeting),
            Some(other) => {
                let message = format!("relation = {other}; give touching, overlapping or meeting, or None");
                return Err(Failure::Option(message));
            }
        };
        areas.check(keep, self.within, has_b)?;
        let mut measure = Measure { areas, ..Measure::default() };
        for name in &self.measure {
            match name.as_str() {
                "distance" => measure.distance = true,
                "penetration" => measure.penetration = true,
                "manifold" => measure.manifold = true,
                name => {
                    let Some(column) = areas::MEASURES.iter().position(|&measure| measure == name) else {
                        return Err(Failure::Option(format!("measure = {name}; give {MEASURES}")));
                    };
                    measure.areas.columns[column] = true;
                }
            }
        }
        if measure.distance && self.within.is_none() {
            let message = "measure = distance needs a greatest distance; give within=D".to_owned();
            return Err(Failure::Option(message));
        }
        Ok(Request { keep, within: self.within, measure, backend })
    }

    /// Checks the options without a join.
    pub(crate) fn check(&self, has_b: bool) -> Result<(), Failure> {
        self.request(has_b).map(drop)
    }

    /// Joins two sets, or one set with itself.
    pub(crate) fn join(
        &self,
        a: &PolygonSet,
        b: Option<&PolygonSet>,
        watch: &Watch,
    ) -> Result<Joined, Failure> {
        let request = self.request(b.is_some())?;
        let engine = engine(request.backend)?;
        let joined = joined(&engine, a, b, request, watch)?;
        keep_engine(request.backend, engine);
        Ok(joined)
    }
}

fn joined(
    engine: &Engine,
    a: &PolygonSet,
    b: Option<&PolygonSet>,
    Request { keep, within, measure, .. }: Request,
    watch: &Watch,
) -> Result<Joined, Failure> {
    let mut join = match b {
        Some(b) => engine.join(a, b),
        None => engine.self_join(a),
    };
    join = join.progress(watch);
    if let Some(keep) = keep {
        join = join.keep(keep);
    }
    if let Some(within) = within {
        join = join.within(within);
    }
    let measures_areas = measure.areas.measures();
    if within.is_none() && !measure.penetration && !measure.manifold && !measures_areas {
        let found = join.query(Relations)?;
        return Ok(Joined::of(found.choice.clone(), &found.items));
    }
    let distances = within.map(|_| Distances);
    let penetrations = measure.penetration.then_some(Penetrations);
    let manifolds = measure.manifold.then_some(Manifolds { margin: within.unwrap_or(0.0) });
    let overlaps = measures_areas.then(Iou::default);
    let ((related, distances), penetrations, manifolds, overlaps) =
        join.query(((Relations, distances), penetrations, manifolds, overlaps))?;
    let mut joined = Joined::of(related.choice.clone(), &related.items);
    if let Some(distances) = distances {
        joined.pairs = distances.iter().map(|pair| [pair.a, pair.b]).collect();
        let relations = matched(&joined.pairs, related.items, |pair| [pair.a, pair.b]);
        let relation = |pair: Option<RelatedPair>| pair.map_or(Relation::Disjoint, |pair| pair.relation);
        joined.relations = relations.into_iter().map(relation).collect();
        joined.distances =
            measure.distance.then(|| distances.items.into_iter().map(|pair| pair.measurement).collect());
    }
    let pairs = &joined.pairs;
    joined.penetrations = penetrations.map(|found| measurements(pairs, found.items));
    joined.manifolds = manifolds.map(|found| measurements(pairs, found.items));
    if let Some(overlaps) = overlaps {
        let overlaps = areas::of_pairs([a, b.unwrap_or(a)], pairs, &overlaps.items, watch)?;
        let kept = measure.areas.selects().then(|| measure.areas.select(pairs, &overlaps));
        joined.overlaps = Some(overlaps);
        joined.area_columns = measure.areas.columns;
        if let Some(kept) = kept {
            joined.retain(&kept);
        }
    }
    Ok(joined)
}

/// Returns the measurement of each pair, or `None` for a pair without one.
fn measurements<T>(pairs: &[[u32; 2]], items: Vec<MeasuredPair<T>>) -> Vec<Option<T>> {
    let found = matched(pairs, items, |pair| [pair.a, pair.b]);
    found.into_iter().map(|pair| pair.map(|pair| pair.measurement)).collect()
}

/// Returns the item of each pair, or `None`. Both lists must be sorted by pair. Items of other pairs are ignored.
fn matched<T>(pairs: &[[u32; 2]], items: Vec<T>, key: impl Fn(&T) -> [u32; 2]) -> Vec<Option<T>> {
    let mut items = items.into_iter().peekable();
    let of_pair = |pair: &[u32; 2]| {
        while items.next_if(|item| key(item) < *pair).is_some() {}
        items.next_if(|item| key(item) == *pair)
    };
    pairs.iter().map(of_pair).collect()
}

impl Joined {
    fn of(choice: Choice, related: &[RelatedPair]) -> Self {
        Self {
            choice,
            pairs: related.iter().map(|pair| [pair.a, pair.b]).collect(),
            relations: related.iter().map(|pair| pair.relation).collect(),
            distances: None,
            penetrations: None,
            manifolds: None,
            overlaps: None,
            area_columns: [false; 4],
        }
    }

    /// Keeps the pairs for which `is_kept` is true.
    fn retain(&mut self, is_kept: &[bool]) {
        fn retain<T>(values: &mut Vec<T>, is_kept: &[bool]) {
            let mut kept = is_kept.iter();
            values.retain(|_| kept.next() == Some(&true));
        }
        retain(&mut self.pairs, is_kept);
        retain(&mut self.relations, is_kept);
        self.distances.iter_mut().for_each(|values| retain(values, is_kept));
        self.penetrations.iter_mut().for_each(|values| retain(values, is_kept));
        self.manifolds.iter_mut().for_each(|values| retain(values, is_kept));
        self.overlaps.iter_mut().for_each(|values| retain(values, is_kept));
    }
}
