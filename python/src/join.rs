//! Relations and measurements of pairs.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sat2d::glam::DVec2;
use sat2d::internal::relations_on_edges;
use sat2d::{
    Aabb, Backend, Choice, Distance, Distances, Engine, Iou, Keep, Manifold, Manifolds, MeasuredPair,
    Penetration, Penetrations, PolygonSet, RelatedPair, Relation, Relations,
};

use crate::areas;
use crate::failure::Failure;
use crate::pairs::object_pairs;
use crate::run::{Watch, run};
use crate::sets::Polygons;

/// Pieces of pairs that are decided at once.
const PIECE_PAIRS: usize = 1 << 18;

/// The names of the measurements.
const MEASURES: &str = "distance, penetration, manifold, area, iou, left_area and right_area";

/// The measurements that a join adds.
#[derive(Clone, Copy, Debug, Default)]
struct Measure {
    distance: bool,
    penetration: bool,
    manifold: bool,
    areas: areas::Options,
}

/// The engine of each backend that asks for a device. Building one takes a second, and its device serves every call.
static ENGINES: Mutex<[Option<Arc<Engine>>; 2]> = Mutex::new([None, None]);

fn engine(backend: Backend) -> Result<Arc<Engine>, Failure> {
    let place = match backend {
        Backend::Cpu => return Ok(Arc::new(Engine::new(Backend::Cpu)?)),
        Backend::Auto => 0,
        Backend::Gpu => 1,
    };
    let mut engines = ENGINES.lock().unwrap_or_else(PoisonError::into_inner);
    // Cancelled work may leave the device busy, so the engine is stored only while no call uses it.
    match engines[place].take() {
        Some(engine) => Ok(engine),
        None => Ok(Arc::new(Engine::new(backend)?)),
    }
}

/// Keeps an engine for the next call.
fn keep_engine(backend: Backend, engine: Arc<Engine>) {
    let place = match backend {
        Backend::Cpu => return,
        Backend::Auto => 0,
        Backend::Gpu => 1,
    };
    engine.free_buffers();
    ENGINES.lock().unwrap_or_else(PoisonError::into_inner)[place] = Some(engine);
}

/// The columns of a join.
#[derive(Debug, Default)]
struct Columns {
    integers: Vec<(&'static str, Vec<i64>)>,
    codes: Vec<(&'static str, Vec<u8>)>,
    numbers: Vec<(&'static str, Vec<f64>)>,
}

impl Columns {
    /// Keeps some of the rows.
    fn retain(&mut self, is_kept: &[bool]) {
        fn retain<T>(columns: &mut [(&'static str, Vec<T>)], is_kept: &[bool]) {
            for (_, values) in columns {
                let mut kept = is_kept.iter();
                values.retain(|_| kept.next() == Some(&true));
            }
        }
        retain(&mut self.integers, is_kept);
        retain(&mut self.codes, is_kept);
        retain(&mut self.numbers, is_kept);
    }
}

/// Joins two sets, or one set with itself. Returns a dictionary of columns, and the backend with its reason.
#[pyfunction]
#[pyo3(signature = (a, b, *, relation, within, measure, min_area, min_iou, keep, backend, threads))]
#[allow(clippy::too_many_arguments, reason = "the caller is the package, which names each")]
pub(crate) fn join<'py>(
    py: Python<'py>,
    a: &Polygons,
    b: Option<&Polygons>,
    relation: Option<&str>,
    within: Option<f64>,
    measure: Vec<String>,
    min_area: Option<f64>,
    min_iou: Option<f64>,
    keep: Option<&str>,
    backend: &str,
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyDict>, String, String)> {
    let (a, b) = (&a.set, b.map(|b| &b.set));
    let (columns, choice) = run(py, threads, |watch| {
        let backend: Backend = backend.parse()?;
        let areas = areas::Options::new(min_area, min_iou, keep)?;
        let keep = match relation {
            None => None,
            Some("touching") => Some(Keep::Touching),
            Some("overlapping") => Some(Keep::Overlapping),
            Some("meeting") => Some(Keep::Meeting),
            Some(other) => {
                let message = format!("relation = {other}; give touching, overlapping or meeting, or None");
                return Err(Failure::Option(message));
            }
        };
        areas.check(keep, within, b.is_some())?;
        let mut wanted = Measure { areas, ..Measure::default() };
        for name in &measure {
            match name.as_str() {
                "distance" => wanted.distance = true,
                "penetration" => wanted.penetration = true,
                "manifold" => wanted.manifold = true,
                name => {
                    let Some(column) = areas::MEASURES.iter().position(|&measure| measure == name) else {
                        return Err(Failure::Option(format!("measure = {name}; give {MEASURES}")));
                    };
                    wanted.areas.columns[column] = true;
                }
            }
        }
        if wanted.distance && within.is_none() {
            let message = "measure = distance needs a greatest distance; give within=D".to_owned();
            return Err(Failure::Option(message));
        }
        let engine = engine(backend)?;
        let found = joined(&engine, [Some(a), b], keep, within, wanted, watch)?;
        keep_engine(backend, engine);
        Ok(found)
    })?;
    let table = PyDict::new(py);
    for (name, values) in columns.integers {
        table.set_item(name, values.into_pyarray(py))?;
    }
    for (name, values) in columns.codes {
        table.set_item(name, values.into_pyarray(py))?;
    }
    for (name, values) in columns.numbers {
        table.set_item(name, values.into_pyarray(py))?;
    }
    Ok((table, choice.backend.name().to_owned(), choice.reason))
}

fn joined(
    engine: &Engine,
    sets: [Option<&PolygonSet>; 2],
    keep: Option<Keep>,
    within: Option<f64>,
    measure: Measure,
    watch: &Watch,
) -> Result<(Columns, Choice), Failure> {
    let [Some(a), b] = sets else { return Err(Failure::Defect("a join without a set".into())) };
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
        let choice = found.choice.clone();
        return Ok((relation_columns(&found.items), choice));
    }
    let distances = within.map(|_| Distances);
    let penetrations = measure.penetration.then_some(Penetrations);
    let manifolds = measure.manifold.then_some(Manifolds { margin: within.unwrap_or(0.0) });
    let overlaps = measures_areas.then(Iou::default);
    let ((related, distances), penetrations, manifolds, overlaps) =
        join.query(((Relations, distances), penetrations, manifolds, overlaps))?;
    let choice = related.choice.clone();
    let mut columns = match &distances {
        None => relation_columns(&related.items),
        Some(distances) => {
            let pairs: Vec<[u32; 2]> = distances.iter().map(|pair| [pair.a, pair.b]).collect();
            let relations = matched(&pairs, related.items, |pair| [pair.a, pair.b]);
            let code =
                |pair: Option<RelatedPair>| pair.map_or(Relation::Disjoint, |pair| pair.relation) as u8;
            pair_columns(&pairs, relations.into_iter().map(code).collect())
        }
    };
    let pairs: Vec<[u32; 2]> = {
        let [left, right] = [&columns.integers[0].1, &columns.integers[1].1];
        left.iter().zip(right).map(|(&a, &b)| [a as u32, b as u32]).collect()
    };
    if let (Some(distances), true) = (distances, measure.distance) {
        distance_columns(&distances.items, &mut columns);
    }
    if let Some(penetrations) = penetrations {
        let found = matched(&pairs, penetrations.items, |pair| [pair.a, pair.b]);
        penetration_columns(&found, &mut columns);
    }
    if let Some(manifolds) = manifolds {
        let found = matched(&pairs, manifolds.items, |pair| [pair.a, pair.b]);
        manifold_columns(&found, &mut columns);
    }
    if let Some(overlaps) = overlaps {
        let overlaps = areas::of_pairs([a, b.unwrap_or(a)], &pairs, &overlaps.items, watch)?;
        columns.numbers.extend(measure.areas.columns(&overlaps));
        if measure.areas.selects() {
            columns.retain(&measure.areas.select(&pairs, &overlaps));
        }
    }
    Ok((columns, choice))
}

/// The item of each pair. `items` are sorted, and their pairs are some of `pairs`, which are sorted too.
fn matched<T>(pairs: &[[u32; 2]], items: Vec<T>, key: impl Fn(&T) -> [u32; 2]) -> Vec<Option<T>> {
    let mut items = items.into_iter().peekable();
    let of_pair = |pair: &[u32; 2]| {
        while items.next_if(|item| key(item) < *pair).is_some() {}
        items.next_if(|item| key(item) == *pair)
    };
    pairs.iter().map(of_pair).collect()
}

fn relation_columns(items: &[RelatedPair]) -> Columns {
    let pairs: Vec<[u32; 2]> = items.iter().map(|pair| [pair.a, pair.b]).collect();
    pair_columns(&pairs, items.iter().map(|pair| pair.relation as u8).collect())
}

fn pair_columns(pairs: &[[u32; 2]], relations: Vec<u8>) -> Columns {
    let column = |side: usize| pairs.iter().map(|pair| i64::from(pair[side])).collect();
    Columns {
        integers: vec![("left", column(0)), ("right", column(1))],
        codes: vec![("relation", relations)],
        numbers: Vec::new(),
    }
}

fn distance_columns(items: &[MeasuredPair<Distance>], columns: &mut Columns) {
    let nowhere = DVec2::NAN;
    let closest = |side: usize| {
        move |pair: &MeasuredPair<Distance>| {
            let closest = pair.measurement.closest.as_ref();
            closest.map_or(nowhere, |closest| [closest.point_a, closest.point_b][side])
        }
    };
    columns.numbers.push(("distance", items.iter().map(|pair| pair.measurement.distance).collect()));
    for (side, names) in [["left_x", "left_y"], ["right_x", "right_y"]].into_iter().enumerate() {
        columns.numbers.push((names[0], items.iter().map(closest(side)).map(|point| point.x).collect()));
        columns.numbers.push((names[1], items.iter().map(closest(side)).map(|point| point.y).collect()));
    }
}

fn penetration_columns(items: &[Option<MeasuredPair<Penetration>>], columns: &mut Columns) {
    let of = |number: fn(&Penetration) -> f64| {
        let number = move |item: &Option<MeasuredPair<Penetration>>| {
            item.as_ref().map_or(f64::NAN, |pair| number(&pair.measurement))
        };
        items.iter().map(number).collect()
    };
    columns.numbers.push(("depth", of(Penetration::depth)));
    columns.numbers.push(("normal_x", of(|penetration| penetration.normal.x)));
    columns.numbers.push(("normal_y", of(|penetration| penetration.normal.y)));
}

fn manifold_columns(items: &[Option<MeasuredPair<Manifold>>], columns: &mut Columns) {
    let manifold = |item: &Option<MeasuredPair<Manifold>>| item.as_ref().map(|pair| pair.measurement);
    let of = |number: &dyn Fn(&Manifold) -> Option<f64>| {
        let number = |item| manifold(item).and_then(|manifold| number(&manifold)).unwrap_or(f64::NAN);
        items.iter().map(number).collect()
    };
    let count = |item| manifold(item).map_or(0, |manifold| manifold.points().len() as u8);
    columns.codes.push(("contacts", items.iter().map(count).collect()));
    columns.numbers.push(("contact_normal_x", of(&|manifold| Some(manifold.normal.x))));
    columns.numbers.push(("contact_normal_y", of(&|manifold| Some(manifold.normal.y))));
    let names = [
        ["contact1_x", "contact1_y", "contact1_separation"],
        ["contact2_x", "contact2_y", "contact2_separation"],
    ];
    for (k, [x, y, separation]) in names.into_iter().enumerate() {
        columns.numbers.push((x, of(&|manifold| Some(manifold.points().get(k)?.position.x))));
        columns.numbers.push((y, of(&|manifold| Some(manifold.points().get(k)?.position.y))));
        columns.numbers.push((separation, of(&|manifold| Some(manifold.points().get(k)?.separation))));
    }
}

/// Decides the relation of each given pair of objects, as codes: 0 disjoint, 1 touching, 2 overlapping.
#[pyfunction]
#[pyo3(signature = (a, b, pairs, *, threads))]
pub(crate) fn relations<'py>(
    py: Python<'py>,
    a: &Polygons,
    b: &Polygons,
    pairs: PyReadonlyArray2<'py, i64>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<u8>>> {
    let numbers = pairs.as_slice()?;
    let codes = run(py, threads, |watch| {
        let sets = [&a.set, &b.set];
        relations_of_objects(sets, &object_pairs(numbers, sets)?, watch)
    })?;
    Ok(codes.into_pyarray(py))
}

/// The pieces of an object: `pieces[object]..pieces[object + 1]`.
fn pieces(set: &PolygonSet) -> Vec<u32> {
    let mut starts = vec![0u32; set.object_count() + 1];
    (0..set.piece_count()).for_each(|piece| starts[set.piece_object(piece) + 1] += 1);
    (1..starts.len()).for_each(|object| starts[object] += starts[object - 1]);
    starts
}

/// The relations by the edges of the objects, or `None` if neither set keeps edges.
fn relations_of_outlines(sets: [&PolygonSet; 2], pairs: &[[u32; 2]], watch: &Watch) -> Option<Vec<u8>> {
    let mut codes = Vec::with_capacity(pairs.len());
    for chunk in pairs.chunks(PIECE_PAIRS / 16) {
        watch.check();
        codes.extend(relations_on_edges(sets, chunk)?.into_iter().map(|relation| relation as u8));
    }
    Some(codes)
}

/// The relation of two objects is the strongest relation of their pieces. Only pieces whose boxes meet are decided.
fn relations_of_objects(
    sets: [&PolygonSet; 2],
    pairs: &[[u32; 2]],
    watch: &Watch,
) -> Result<Vec<u8>, Failure> {
    if let Some(codes) = relations_of_outlines(sets, pairs, watch) {
        return Ok(codes);
    }
    let engine = Engine::new(Backend::Cpu)?;
    let starts = sets.map(pieces);
    let boxes = sets.map(PolygonSet::piece_aabbs);
    let whole = sets.map(PolygonSet::object_aabbs);
    let mut codes = vec![0u8; pairs.len()];
    let (mut of_pieces, mut owners): (Vec<[u32; 2]>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut prepared = engine.prepare(sets[0], sets[1])?;
    let mut decide = |of_pieces: &mut Vec<[u32; 2]>, owners: &mut Vec<usize>| -> Result<(), Failure> {
        let found = prepared.piece_pairs(of_pieces).progress(watch).query(Relations)?;
        for (&owner, relation) in owners.iter().zip(found.items) {
            codes[owner] = codes[owner].max(relation as u8);
        }
        of_pieces.clear();
        owners.clear();
        Ok(())
    };
    let meets = |a: &Aabb, b: &Aabb| {
        a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y
    };
    for (owner, &[i, j]) in pairs.iter().enumerate() {
        let object = [i as usize, j as usize];
        let of = |side: usize| starts[side][object[side]]..starts[side][object[side] + 1];
        let near = |side: usize| {
            let other = &whole[1 - side][object[1 - side]];
            let boxes = &boxes[side];
            of(side).filter(move |&piece| meets(&boxes[piece as usize], other))
        };
        let others: Vec<u32> = near(1).collect();
        for piece in near(0) {
            let meeting =
                others.iter().filter(|&&other| meets(&boxes[0][piece as usize], &boxes[1][other as usize]));
            of_pieces.extend(meeting.map(|&other| [piece, other]));
            owners.resize(of_pieces.len(), owner);
            if of_pieces.len() >= PIECE_PAIRS {
                decide(&mut of_pieces, &mut owners)?;
            }
        }
        if owner % 4096 == 0 {
            watch.check();
        }
    }
    decide(&mut of_pieces, &mut owners)?;
    Ok(codes)
}
