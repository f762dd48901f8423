//! Joins with relations and measurements.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use sat2d::{
    Backend, Choice, Closest, Distance, Distances, Engine, Iou, Keep, Manifold, Manifolds, MeasuredPair,
    Nearest, Overlap, Penetration, Penetrations, PolygonSet, RelatedPair, Relation, Relations, RoundedSet,
};
use sat2d_io::internal::{DirectedPair, counts_of_pairs};

use crate::areas;
use crate::engines::{engine, keep_engine};
use crate::failure::Failure;
use crate::nearest_join;
use crate::point_join::{self, Decided};
use crate::positions;
use crate::run::{Threads, Watch, run};
use crate::sets::{Points, Polygons};

/// The names of the measurements, as messages list them.
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
    /// The number of nearest features of each feature of A, or `None` for the pairs that meet or are within a distance.
    nearest: Option<usize>,
    /// Whether to find all features at the distance of the last of the nearest features.
    ties: bool,
    backend: String,
}

/// The options of a join after they were checked and parsed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) keep: Option<Keep>,
    pub(crate) within: Option<f64>,
    pub(crate) nearest: Option<Nearest>,
    measure: Measure,
    backend: Backend,
    target: Target,
}

/// The destination of the result of a join.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Target {
    /// A table in memory.
    Table,
    /// A file. Pairs are selected by the areas as the file has them, which are short decimals for decimal coordinates.
    File,
    /// A file with the place of each pair. The result also has the contact points of the pairs that meet.
    Map,
}

/// The measurements that a join adds to each pair.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measure {
    pub(crate) distance: bool,
    pub(crate) penetration: bool,
    pub(crate) manifold: bool,
    pub(crate) areas: areas::Options,
}

/// The result of a join: the pairs, the measurements of each pair, and the rows of the table.
#[derive(Debug)]
pub(crate) struct Joined {
    pub(crate) choice: Choice,
    /// The measurements that become columns of the table. The result may have more measurements: the distances of a join within
    /// a distance, and the contact points for a map.
    pub(crate) measure: Measure,
    /// The pairs, sorted by their two indices. If the join finds nearest features, the pairs are in the order of the rows. In a
    /// pair of a point and a polygon, the point is first.
    pub(crate) pairs: Vec<[u32; 2]>,
    pub(crate) related: Related,
    /// The distances of the measured pieces. In a pair of a point and a polygon, the first piece is a point of `circles`.
    pub(crate) distances: Option<Vec<MeasuredPair<Distance>>>,
    pub(crate) penetrations: Option<Vec<Option<MeasuredPair<Penetration>>>>,
    pub(crate) manifolds: Option<Vec<Option<MeasuredPair<Manifold>>>>,
    pub(crate) overlaps: Option<Vec<Overlap>>,
    /// The greatest distance of a pair, or `None` if only pairs that meet were found.
    pub(crate) within: Option<f64>,
    /// The points as shapes of radius 0, or `None` if no distances of points were measured.
    pub(crate) circles: Option<RoundedSet>,
    /// The rows of the table, or `None` if row `k` is pair `k`. A self-join that keeps the largest area of each feature has a row for
    /// each feature. A join with points on the right has one swapped row for each pair. The rows are sorted by their two features,
    /// or by the left feature and the distance if the join finds nearest features.
    pub(crate) rows: Option<Vec<DirectedPair>>,
}

/// The relations of the pairs of a join.
#[derive(Debug)]
pub(crate) enum Related {
    Polygons(Vec<Relation>),
    /// The decision of each pair of a point and a polygon.
    Points(Vec<Decided>),
}

/// Joins two sets, or one set with itself. If `indexed` is true and `a` has few polygons, the function joins `a` only with the
/// polygons of `b` that the index of `b` finds. The index is kept for the next call. Returns a dictionary of columns, and the backend
/// with its reason.
#[pyfunction]
#[pyo3(signature = (a, b, options, *, indexed, threads))]
pub(crate) fn join<'py>(
    py: Python<'py>,
    a: &Polygons,
    b: Option<&Polygons>,
    options: Options,
    indexed: bool,
    threads: Threads,
) -> PyResult<(Bound<'py, PyDict>, String, String)> {
    let joined = run(py, threads, |watch| match b.filter(|_| indexed) {
        Some(b) => options.join_indexed(&a.set, b, watch),
        None => options.join(&a.set, b.map(|b| &b.set), Target::Table, watch),
    })?;
    joined.into_table(py)
}

impl Measure {
    /// Returns an error if a measurement is for pairs of polygons only. `sides` says which sides have points, as the beginning of a
    /// sentence.
    fn check_of_points(&self, sides: &str) -> Result<(), Failure> {
        if !self.penetration && !self.manifold && !self.areas.measures() {
            return Ok(());
        }
        Err(Failure::Option(format!(
            "{sides} points, and penetrations, manifolds and areas are for pairs of polygons; leave out these measures, min_area, \
             min_iou and keep"
        )))
    }
}

impl Options {
    /// Parses the options. Returns an error for unknown options, and for options that exclude each other.
    fn request(&self, target: Target) -> Result<Request, Failure> {
        let backend: Backend = self.backend.parse()?;
        let areas = areas::Options::new(self.min_area, self.min_iou, self.keep.as_deref())?;
        let keep = match self.relation.as_deref() {
            None => None,
            Some("touching" | "boundary") => Some(Keep::Touching),
            Some("overlapping" | "inside") => Some(Keep::Overlapping),
            Some("meeting") => Some(Keep::Meeting),
            Some(other) => {
                let message = format!(
                    "relation = {other}; give touching, overlapping or meeting, or for points boundary or inside, or None"
                );
                return Err(Failure::Option(message));
            }
        };
        areas.check(keep, self.within)?;
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
        let nearest = self.nearest.map(|k| Nearest { k, within: self.within, ties: self.ties });
        if nearest.is_some() {
            self.check_nearest(measure)?;
        } else if measure.distance && self.within.is_none() {
            let remedy = if target == Target::Table { "give within=D" } else { "give within=D or nearest=K" };
            let message = format!("measure = distance needs a greatest distance; {remedy}");
            return Err(Failure::Option(message));
        }
        Ok(Request { keep, within: self.within, nearest, measure, backend, target })
    }

    /// Returns an error if an option excludes the option `nearest`.
    fn check_nearest(&self, measure: Measure) -> Result<(), Failure> {
        let refused = |message: String| Err(Failure::Option(message));
        if let Some(name) = self.measure.iter().find(|name| *name != "distance") {
            return refused(format!(
                "measure = {name} is not measured with nearest; leave it out, or give distance"
            ));
        }
        if let Some(relation) = &self.relation {
            return refused(format!(
                "relation = {relation} selects pairs, and nearest finds pairs of every relation; leave relation or nearest out"
            ));
        }
        if measure.areas.selection.selects() {
            return refused(
                "min_area, min_iou and keep select pairs that overlap, and nearest finds pairs of every relation; leave them out, \
                 or leave nearest out"
                    .into(),
            );
        }
        Ok(())
    }

    /// Returns an error if the options of a join of files are invalid. Does not join anything.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        self.request(Target::File).map(drop)
    }

    /// Returns how far apart the features of a pair may be if the join measures pairs, or `None` if it only decides relations.
    pub(crate) fn reach(&self) -> Option<f64> {
        let selects = self.min_area.is_some() || self.min_iou.is_some() || self.keep.is_some();
        self.within.or((selects || !self.measure.is_empty()).then_some(0.0))
    }

    /// Joins features of points with the polygons of a set. If `swapped` is true, the polygons are on the left of the table.
    pub(crate) fn join_points(
        &self,
        points: &Points,
        set: &PolygonSet,
        swapped: bool,
        watch: &Watch,
    ) -> Result<Joined, Failure> {
        let request = self.request(Target::Table)?;
        request.measure.check_of_points(if swapped { "b has" } else { "a has" })?;
        let engine = engine(request.backend)?;
        let joined = match request.nearest {
            Some(nearest) => {
                nearest_join::of_points(&engine, points, set, swapped, (nearest, request), watch)?
            }
            None => {
                let mut joined = point_join::joined(&engine, points, set, request, watch)?;
                if swapped {
                    joined.swap();
                }
                joined
            }
        };
        keep_engine(request.backend, engine);
        Ok(joined)
    }

    /// Joins two sets of points, or one set with itself. Each feature is an object.
    pub(crate) fn join_positions(
        &self,
        a: &RoundedSet,
        b: Option<&RoundedSet>,
        watch: &Watch,
    ) -> Result<Joined, Failure> {
        let request = self.request(Target::Table)?;
        request.measure.check_of_points(if b.is_some() { "a and b have" } else { "a has" })?;
        if let Some(relation @ ("inside" | "boundary" | "overlapping")) = self.relation.as_deref() {
            let message = format!(
                "relation = {relation} is no relation of two points, which only touch; give touching or meeting, or leave it out"
            );
            return Err(Failure::Option(message));
        }
        let engine = engine(request.backend)?;
        let joined = positions::joined(&engine, a, b, request, watch)?;
        keep_engine(request.backend, engine);
        Ok(joined)
    }

    /// Joins two sets, or one set with itself.
    pub(crate) fn join(
        &self,
        a: &PolygonSet,
        b: Option<&PolygonSet>,
        target: Target,
        watch: &Watch,
    ) -> Result<Joined, Failure> {
        let request = self.request(target)?;
        if let Some(relation @ ("inside" | "boundary")) = self.relation.as_deref() {
            let message = format!(
                "relation = {relation} is a relation of points, but no input has points; give overlapping or touching"
            );
            return Err(Failure::Option(message));
        }
        let engine = engine(request.backend)?;
        let joined = match request.nearest {
            Some(nearest) => nearest_join::of_polygons(&engine, a, b, (nearest, request), watch)?,
            None => joined(&engine, a, b, request, watch)?,
        };
        keep_engine(request.backend, engine);
        Ok(joined)
    }
}

fn joined(
    engine: &Engine,
    a: &PolygonSet,
    b: Option<&PolygonSet>,
    request: Request,
    watch: &Watch,
) -> Result<Joined, Failure> {
    let Request { keep, within, measure, target, .. } = request;
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
    let has_manifolds = measure.manifold || target == Target::Map;
    if within.is_none() && !measure.penetration && !has_manifolds && !measures_areas {
        let found = join.query(Relations)?;
        return Ok(Joined::of(found.choice.clone(), &found.items, request));
    }
    let distances = within.map(|_| Distances);
    let penetrations = measure.penetration.then_some(Penetrations);
    let margin = within.filter(|_| measure.manifold).unwrap_or(0.0);
    let manifolds = has_manifolds.then_some(Manifolds { margin });
    let overlaps = measures_areas.then(Iou::default);
    let ((related, distances), penetrations, manifolds, overlaps) =
        join.query(((Relations, distances), penetrations, manifolds, overlaps))?;
    let mut joined = Joined::of(related.choice.clone(), &related.items, request);
    if let Some(distances) = distances {
        joined.pairs = distances.iter().map(|pair| [pair.a, pair.b]).collect();
        let relations = matched(&joined.pairs, related.items, |pair| [pair.a, pair.b]);
        let relation = |pair: Option<RelatedPair>| pair.map_or(Relation::Disjoint, |pair| pair.relation);
        joined.related = Related::Polygons(relations.into_iter().map(relation).collect());
        joined.distances = Some(distances.items);
    }
    let pairs = &joined.pairs;
    joined.penetrations = penetrations.map(|found| matched(pairs, found.items, |pair| [pair.a, pair.b]));
    joined.manifolds = manifolds.map(|found| matched(pairs, found.items, |pair| [pair.a, pair.b]));
    if let Some(overlaps) = overlaps {
        let sets = [a, b.unwrap_or(a)];
        let overlaps = areas::of_pairs(sets, pairs, &overlaps.items, watch)?;
        let selection = measure.areas.selection;
        let selected = selection.selects().then(|| match target {
            Target::Table => selection.select(pairs, &overlaps, b.is_none()),
            Target::File | Target::Map => {
                selection.select(pairs, &areas::written(sets, pairs, &overlaps), b.is_none())
            }
        });
        joined.overlaps = Some(overlaps);
        if let Some(selected) = selected {
            joined.retain(&selected.kept);
            joined.rows = selected.directed;
        }
    }
    Ok(joined)
}

/// Returns, for each pair, the item of this pair, or `None` if there is none. `key` returns the pair of an item. Both lists
/// must be sorted by pair.
pub(crate) fn matched<T>(pairs: &[[u32; 2]], items: Vec<T>, key: impl Fn(&T) -> [u32; 2]) -> Vec<Option<T>> {
    let mut items = items.into_iter().peekable();
    let of_pair = |pair: &[u32; 2]| {
        while items.next_if(|item| key(item) < *pair).is_some() {}
        items.next_if(|item| key(item) == *pair)
    };
    pairs.iter().map(of_pair).collect()
}

impl Related {
    /// Returns the code of each pair's relation: the index of the relation in the list of the names of relations.
    pub(crate) fn codes(&self) -> Vec<u8> {
        match self {
            Self::Polygons(relations) => relations.iter().map(|&relation| relation as u8).collect(),
            Self::Points(decided) => decided.iter().map(|decided| decided.relation as u8).collect(),
        }
    }
}

impl Joined {
    /// Creates the result of a join without measurements.
    pub(crate) fn new(choice: Choice, pairs: Vec<[u32; 2]>, related: Related, request: Request) -> Self {
        Self {
            choice,
            measure: request.measure,
            pairs,
            related,
            distances: None,
            penetrations: None,
            manifolds: None,
            overlaps: None,
            within: request.within,
            circles: None,
            rows: None,
        }
    }

    fn of(choice: Choice, related: &[RelatedPair], request: Request) -> Self {
        let pairs = related.iter().map(|pair| [pair.a, pair.b]).collect();
        let relations = related.iter().map(|pair| pair.relation).collect();
        Self::new(choice, pairs, Related::Polygons(relations), request)
    }

    /// Keeps the pairs whose item of `is_kept` is true, with their relations and measurements.
    fn retain(&mut self, is_kept: &[bool]) {
        fn retain<T>(values: &mut Vec<T>, is_kept: &[bool]) {
            let mut kept = is_kept.iter();
            values.retain(|_| kept.next() == Some(&true));
        }
        retain(&mut self.pairs, is_kept);
        match &mut self.related {
            Related::Polygons(relations) => retain(relations, is_kept),
            Related::Points(decided) => retain(decided, is_kept),
        }
        self.distances.iter_mut().for_each(|values| retain(values, is_kept));
        self.penetrations.iter_mut().for_each(|values| retain(values, is_kept));
        self.manifolds.iter_mut().for_each(|values| retain(values, is_kept));
        self.overlaps.iter_mut().for_each(|values| retain(values, is_kept));
    }

    /// Exchanges the two sides of the table. The pairs must have one row each.
    fn swap(&mut self) {
        let mut rows: Vec<DirectedPair> =
            (0..self.pairs.len()).map(|pair| DirectedPair { pair, is_swapped: true }).collect();
        rows.sort_unstable_by_key(|row| {
            let [a, b] = self.pairs[row.pair];
            [b, a]
        });
        self.rows = Some(rows);
    }

    /// Returns the number of rows of the table.
    pub(crate) fn row_count(&self) -> usize {
        self.rows.as_ref().map_or(self.pairs.len(), Vec::len)
    }

    /// Returns the row `k` of the table.
    pub(crate) fn row(&self, k: usize) -> DirectedPair {
        self.rows.as_ref().map_or(DirectedPair { pair: k, is_swapped: false }, |rows| rows[k])
    }

    /// Returns the features on the left and on the right of each row.
    pub(crate) fn features(&self) -> impl Iterator<Item = [u32; 2]> {
        (0..self.row_count()).map(|k| {
            let DirectedPair { pair, is_swapped } = self.row(k);
            let [a, b] = self.pairs[pair];
            if is_swapped { [b, a] } else { [a, b] }
        })
    }

    /// Returns the number of rows of each of the `count` features on the left. A pair of a self-join is one row, which counts for
    /// both features, unless the rows of the self-join are directed.
    pub(crate) fn counts(&self, count: usize, is_self_join: bool) -> Vec<usize> {
        counts_of_pairs(self.features(), count, is_self_join && self.rows.is_none())
    }

    /// Returns the result with the items of each list in the order of the rows. The measurements of a swapped row are swapped.
    pub(crate) fn into_rows(self) -> Self {
        let Some(rows) = &self.rows else { return self };
        let pairs = self.features().collect();
        let related = match &self.related {
            Related::Polygons(relations) => {
                Related::Polygons(rows.iter().map(|row| relations[row.pair]).collect())
            }
            Related::Points(decided) => Related::Points(rows.iter().map(|row| decided[row.pair]).collect()),
        };
        let distance = |found: Distance| Distance { closest: found.closest.map(Closest::swapped), ..found };
        let distances = self.distances.map(|found| in_rows(rows, &found, |found| swapped(found, distance)));
        let penetrations = self.penetrations.map(|found| {
            in_rows(rows, &found, |found| found.map(|found| swapped(found, Penetration::swapped)))
        });
        let manifolds = self
            .manifolds
            .map(|found| in_rows(rows, &found, |found| found.map(|found| swapped(found, Manifold::swapped))));
        let overlaps = self.overlaps.map(|found| in_rows(rows, &found, Overlap::swapped));
        Self { pairs, related, distances, penetrations, manifolds, overlaps, rows: None, ..self }
    }
}

/// Returns the item of each row. `items` has one item for each pair, and `swap` exchanges the roles of A and B.
fn in_rows<T: Copy>(rows: &[DirectedPair], items: &[T], swap: impl Fn(T) -> T) -> Vec<T> {
    let item = |row: &DirectedPair| {
        let item = items[row.pair];
        if row.is_swapped { swap(item) } else { item }
    };
    rows.iter().map(item).collect()
}

/// Returns a measured pair with the roles of A and B exchanged. `swap` exchanges them in the measurement.
fn swapped<T>(found: MeasuredPair<T>, swap: impl Fn(T) -> T) -> MeasuredPair<T> {
    let MeasuredPair { a, b, piece_a, piece_b, measurement } = found;
    MeasuredPair { a: b, b: a, piece_a: piece_b, piece_b: piece_a, measurement: swap(measurement) }
}
