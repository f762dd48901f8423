//! Packs two sets once, for many lists of pairs.

use std::fmt;
use std::sync::Mutex;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use sat2d::internal::EdgePairs;
use sat2d::{Aabb, Backend, Distances, Engine, Iou, PolygonSet};
use self_cell::self_cell;

use crate::areas::{Areas, columns, measured};
use crate::failure::Failure;
use crate::pairs::object_pairs;
use crate::relations::{PIECE_PAIRS, Pieces, relations_of_outlines, relations_of_pieces};
use crate::run::{Threads, Watch, locked, run};
use crate::sets::Polygons;

/// The engine and the two sets that a [`Packed`] borrows.
struct Owner {
    engine: Engine,
    a: Py<Polygons>,
    b: Py<Polygons>,
}

impl Owner {
    fn sets(&self) -> [&PolygonSet; 2] {
        [&self.a.get().set, &self.b.get().set]
    }
}

type Packed<'a> = sat2d::Prepared<'a>;

self_cell!(
    struct Sets {
        owner: Owner,
        #[not_covariant]
        dependent: Packed,
    }
);

/// Two sets, packed for the kernels of a backend.
#[pyclass(frozen, module = "sat2d._sat2d")]
pub(crate) struct Prepared {
    a: Py<Polygons>,
    b: Py<Polygons>,
    pieces: Option<[Pieces; 2]>,
    /// The packed sets, or `None` if the polygons are compared by their edges, which needs no packed sets.
    packed: Option<Mutex<Sets>>,
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("is_packed", &self.packed.is_some()).finish_non_exhaustive()
    }
}

#[pymethods]
impl Prepared {
    #[new]
    #[pyo3(signature = (a, b, backend, *, threads))]
    fn new(
        py: Python<'_>,
        a: Py<Polygons>,
        b: Py<Polygons>,
        backend: &str,
        threads: Threads,
    ) -> PyResult<Self> {
        let (of_a, of_b) = (a.clone_ref(py), b.clone_ref(py));
        let (pieces, packed) = run(py, threads, |_| {
            let engine = Engine::new(backend.parse::<Backend>()?)?;
            let owner = Owner { engine, a: of_a, b: of_b };
            if EdgePairs::of(owner.sets()).is_some() {
                return Ok((None, None));
            }
            let pieces = owner.sets().map(Pieces::of);
            let sets = Sets::try_new(owner, |owner| {
                let [a, b] = owner.sets();
                owner.engine.prepare(a, b)
            })?;
            Ok((Some(pieces), Some(Mutex::new(sets))))
        })?;
        Ok(Self { a, b, pieces, packed })
    }

    /// Returns the relation of each pair, as codes.
    fn relations<'py>(
        &self,
        py: Python<'py>,
        pairs: PyReadonlyArray2<'py, i64>,
        threads: Threads,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let codes = self.run(py, &pairs, threads, |sides, pairs, watch| match sides {
            Ok((packed, pieces)) => relations_of_pieces(packed, pieces, pairs, watch),
            Err(sets) => Ok(relations_of_outlines(sets, pairs, watch).unwrap_or_default()),
        })?;
        Ok(codes.into_pyarray(py))
    }

    /// Returns the areas of each pair. If all objects of the pairs are convex, only these objects are read, and not the whole
    /// sets.
    fn areas<'py>(
        &self,
        py: Python<'py>,
        pairs: PyReadonlyArray2<'py, i64>,
        threads: Threads,
    ) -> PyResult<Areas<'py>> {
        let sets = self.sets();
        let overlaps = self.run(py, &pairs, threads, |sides, pairs, watch| {
            if let Ok((packed, pieces)) = sides
                && let Some(of_pieces) = single_pieces(pieces, pairs)
            {
                return Ok(packed.piece_pairs(&of_pieces).progress(watch).query(Iou::default())?.items);
            }
            measured(sets, pairs, watch)
        })?;
        Ok(columns(py, &overlaps))
    }

    /// Returns the distance of each pair, or NaN if an object has no region.
    fn distances<'py>(
        &self,
        py: Python<'py>,
        pairs: PyReadonlyArray2<'py, i64>,
        threads: Threads,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = self.run(py, &pairs, threads, |sides, pairs, watch| match sides {
            Ok((packed, pieces)) => distances(packed, pieces, pairs, watch),
            Err([a, b]) => {
                let engine = Engine::new(Backend::Cpu)?;
                let pieces = [a, b].map(Pieces::of);
                distances(&mut engine.prepare(a, b)?, pieces.each_ref(), pairs, watch)
            }
        })?;
        Ok(found.into_pyarray(py))
    }
}

/// The packed sets with their pieces. If the polygons are compared by their edges, this is `Err` with the plain sets.
type Sides<'m, 's, 'a> = Result<(&'m mut Packed<'a>, [&'s Pieces; 2]), [&'s PolygonSet; 2]>;

impl Prepared {
    fn sets(&self) -> [&PolygonSet; 2] {
        [&self.a.get().set, &self.b.get().set]
    }

    fn run<T: Send>(
        &self,
        py: Python<'_>,
        pairs: &PyReadonlyArray2<'_, i64>,
        threads: Threads,
        work: impl FnOnce(Sides<'_, '_, '_>, &[[u32; 2]], &Watch) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        let (indices, sets) = (pairs.as_slice()?, self.sets());
        let mut packed = self.packed.as_ref().map(|packed| locked(py, packed)).transpose()?;
        let packed = packed.as_deref_mut();
        run(py, threads, |watch| {
            let pairs = object_pairs(indices, sets)?;
            match (packed, &self.pieces) {
                (Some(packed), Some([a, b])) => {
                    packed.with_dependent_mut(|_, packed| work(Ok((packed, [a, b])), &pairs, watch))
                }
                _ => work(Err(sets), &pairs, watch),
            }
        })
    }
}

/// Returns, for each pair of objects, the pair of their pieces. Returns `None` if an object does not have exactly one
/// piece.
fn single_pieces(sides: [&Pieces; 2], pairs: &[[u32; 2]]) -> Option<Vec<[u32; 2]>> {
    let piece = |side: usize, object: u32| {
        let pieces = sides[side].of_object(object);
        (pieces.len() == 1).then_some(pieces.start)
    };
    pairs.iter().map(|&[i, j]| Some([piece(0, i)?, piece(1, j)?])).collect()
}

/// Returns the distance of each pair, which is the least distance between pieces of the two objects. The distance is NaN if an
/// object has no piece.
fn distances(
    packed: &mut Packed<'_>,
    sides: [&Pieces; 2],
    pairs: &[[u32; 2]],
    watch: &Watch,
) -> Result<Vec<f64>, Failure> {
    // `f64::min` ignores NaN, so the first distance of a pair replaces the NaN.
    let mut found = vec![f64::NAN; pairs.len()];
    let (mut of_pieces, mut owners): (Vec<[u32; 2]>, Vec<usize>) = (Vec::new(), Vec::new());
    for (owner, &[i, j]) in pairs.iter().enumerate() {
        let [of_a, of_b] = [sides[0].of_object(i), sides[1].of_object(j)];
        let boxes = |p: u32, q: u32| (&sides[0].boxes[p as usize], &sides[1].boxes[q as usize]);
        let all = || of_a.clone().flat_map(|p| of_b.clone().map(move |q| [p, q]));
        // Take any piece of each object, and the boxes of both pieces. The distance of the objects is at most the
        // greatest distance between a point of one box and a point of the other box. The factor exceeds the rounding
        // errors.
        let reach = all().map(|[p, q]| far(boxes(p, q))).fold(f64::INFINITY, f64::min) * (1.0 + 1e-9);
        of_pieces.extend(all().filter(|&[p, q]| near(boxes(p, q)) <= reach));
        owners.resize(of_pieces.len(), owner);
        if of_pieces.len() >= PIECE_PAIRS || owner + 1 == pairs.len() {
            let measured = packed.piece_pairs(&of_pieces).progress(watch).query(Distances)?;
            for (&owner, distance) in owners.iter().zip(measured.items) {
                found[owner] = found[owner].min(distance.distance);
            }
            of_pieces.clear();
            owners.clear();
        }
        if owner % 1024 == 0 {
            watch.check();
        }
    }
    Ok(found)
}

/// Returns the distance between two boxes, which is 0 if they meet.
fn near((a, b): (&Aabb, &Aabb)) -> f64 {
    let gap = |low: f64, high: f64| f64::max(low - high, 0.0);
    let x = gap(b.min.x, a.max.x).max(gap(a.min.x, b.max.x));
    let y = gap(b.min.y, a.max.y).max(gap(a.min.y, b.max.y));
    x.hypot(y)
}

/// Returns the greatest distance between a point of one box and a point of the other.
fn far((a, b): (&Aabb, &Aabb)) -> f64 {
    let x = (b.max.x - a.min.x).max(a.max.x - b.min.x);
    let y = (b.max.y - a.min.y).max(a.max.y - b.min.y);
    x.hypot(y)
}
