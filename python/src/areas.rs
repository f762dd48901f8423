//! Measures the common areas of pairs, and checks the options that concern areas.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use sat2d::internal::Number;
use sat2d::{Backend, Containment, Containments, Engine, Iou, Keep, MeasuredObjects, Overlap, PolygonSet};
use sat2d_io::internal::{AreaSelection, written_overlap};

use crate::failure::Failure;
use crate::pairs::object_pairs;
use crate::run::{Threads, Watch, run};
use crate::sets::Polygons;

/// The number of given pairs whose containment is decided between two checks for Python signals.
const CHUNK_PAIRS: usize = 1 << 14;

/// The names of the columns of areas, in the order of [`numbers`].
pub(crate) const MEASURES: [&str; 4] = ["area", "iou", "left_area", "right_area"];

/// The options of a join that concern areas: the columns of areas that it has, and the thresholds by which it selects pairs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    /// Whether the join has each column of [`MEASURES`].
    pub(crate) columns: [bool; 4],
    pub(crate) selection: AreaSelection,
}

impl Options {
    /// Creates the options without columns. Returns an error for invalid thresholds.
    pub(crate) fn new(
        min_area: Option<f64>,
        min_iou: Option<f64>,
        keep: Option<&str>,
    ) -> Result<Self, Failure> {
        let refused = |message: String| Err(Failure::Option(message));
        // NaN is in no range, so this check rejects it, too.
        if let Some(area) = min_area.filter(|area| !(0.0..=f64::MAX).contains(area)) {
            return refused(format!(
                "min_area = {} is not an area; give 0 or a greater number",
                Number(area)
            ));
        }
        if let Some(iou) = min_iou.filter(|iou| !(0.0..=1.0).contains(iou)) {
            return refused(format!(
                "min_iou = {} is not an intersection over union; give a number from 0 to 1",
                Number(iou)
            ));
        }
        if let Some(other) = keep.filter(|&keep| keep != "largest") {
            return refused(format!("keep = {other}; give largest, or None"));
        }
        let selection = AreaSelection { min_area, min_iou, largest: keep.is_some() };
        Ok(Self { columns: [false; 4], selection })
    }

    /// Returns an error for options that exclude each other.
    pub(crate) fn check(&self, keep: Option<Keep>, within: Option<f64>) -> Result<(), Failure> {
        let refused = |message: &str| Err(Failure::Option(message.to_owned()));
        if self.selection.selects() && within.is_some() {
            return refused("min_area, min_iou and keep select pairs that overlap; leave within out");
        }
        if self.selection.selects() && keep == Some(Keep::Touching) {
            return refused(
                "relation = touching has no common area; leave out min_area, min_iou and keep, or use overlapping",
            );
        }
        Ok(())
    }

    /// Returns whether the join measures areas.
    pub(crate) fn measures(&self) -> bool {
        self.selection.selects() || self.columns.contains(&true)
    }
}

/// Returns the values of the columns [`MEASURES`] for one pair, in the order of the columns.
pub(crate) fn numbers(overlap: &Overlap) -> [f64; 4] {
    [overlap.area, overlap.iou, overlap.area_a, overlap.area_b]
}

/// Returns the areas of each pair, in the order of `pairs`. `found` has the areas of some of the pairs, sorted by pair.
/// The function measures the pairs that `found` lacks.
pub(crate) fn of_pairs(
    sets: [&PolygonSet; 2],
    pairs: &[[u32; 2]],
    found: &[MeasuredObjects<Overlap>],
    watch: &Watch,
) -> Result<Vec<Overlap>, Failure> {
    let place = |&[i, j]: &[u32; 2]| found.binary_search_by_key(&(i, j), |pair| (pair.a, pair.b)).ok();
    let missing: Vec<[u32; 2]> = pairs.iter().filter(|pair| place(pair).is_none()).copied().collect();
    let mut others = measured(sets, &missing, watch)?.into_iter();
    let overlap = |pair| place(pair).map(|place| found[place].measurement).or_else(|| others.next());
    Ok(pairs.iter().filter_map(overlap).collect())
}

/// Returns the areas of each pair as an output file shows them: a value that is very near a short decimal becomes this
/// decimal. `overlaps` has the areas in the order of `pairs`.
pub(crate) fn written(sets: [&PolygonSet; 2], pairs: &[[u32; 2]], overlaps: &[Overlap]) -> Vec<Overlap> {
    let [of_a, of_b] = sets.map(PolygonSet::object_aabbs);
    let written = |(&[a, b], &overlap): (&[u32; 2], &Overlap)| {
        written_overlap(overlap, [of_a[a as usize], of_b[b as usize]])
    };
    pairs.iter().zip(overlaps).map(written).collect()
}

/// Measures the areas of the given pairs. Returns them in the order of `pairs`.
pub(crate) fn measured(
    [a, b]: [&PolygonSet; 2],
    pairs: &[[u32; 2]],
    watch: &Watch,
) -> Result<Vec<Overlap>, Failure> {
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let engine = Engine::new(Backend::Cpu)?;
    Ok(engine.object_pairs(a, b, pairs).progress(watch).query(Iou::default())?.items)
}

type Numbers<'py> = Bound<'py, PyArray1<f64>>;
/// Four arrays with one value for each pair: the common area, the intersection over union, the area of A, and the area of B.
pub(crate) type Areas<'py> = (Numbers<'py>, Numbers<'py>, Numbers<'py>, Numbers<'py>);

/// Returns the columns [`MEASURES`] as arrays, with one value for each item of `overlaps`.
pub(crate) fn columns<'py>(py: Python<'py>, overlaps: &[Overlap]) -> Areas<'py> {
    let column = |k: usize| overlaps.iter().map(|overlap| numbers(overlap)[k]).collect::<Vec<f64>>();
    let [area, iou, left, right] = [0, 1, 2, 3].map(|k| column(k).into_pyarray(py));
    (area, iou, left, right)
}

/// Measures the common area, the intersection over union, and both areas of each given pair.
#[pyfunction]
#[pyo3(signature = (a, b, pairs, *, threads))]
pub(crate) fn areas<'py>(
    py: Python<'py>,
    a: &Polygons,
    b: &Polygons,
    pairs: PyReadonlyArray2<'py, i64>,
    threads: Threads,
) -> PyResult<Areas<'py>> {
    let indices = pairs.as_slice()?;
    let overlaps = run(py, threads, |watch| {
        let sets = [&a.set, &b.set];
        measured(sets, &object_pairs(indices, sets)?, watch)
    })?;
    Ok(columns(py, &overlaps))
}

/// Decides for each given pair whether the object of `a` covers the object of `b`.
#[pyfunction]
#[pyo3(signature = (a, b, pairs, *, threads))]
pub(crate) fn contains<'py>(
    py: Python<'py>,
    a: &Polygons,
    b: &Polygons,
    pairs: PyReadonlyArray2<'py, i64>,
    threads: Threads,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let indices = pairs.as_slice()?;
    let covers = run(py, threads, |watch| {
        let (a, b) = (&a.set, &b.set);
        let engine = Engine::new(Backend::Cpu)?;
        let mut covers = Vec::with_capacity(indices.len() / 2);
        for chunk in object_pairs(indices, [a, b])?.chunks(CHUNK_PAIRS) {
            let found = engine.object_pairs(a, b, chunk).progress(watch).query(Containments)?;
            covers.extend(found.items.into_iter().map(Containment::a_covers_b));
            watch.check();
        }
        Ok(covers)
    })?;
    Ok(covers.into_pyarray(py))
}
