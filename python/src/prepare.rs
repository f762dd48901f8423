//! Packs two sets once, for many lists of pairs.

use std::fmt;
use std::sync::Mutex;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use sat2d::internal::EdgePairs;
use sat2d::{Backend, Distances, Engine, Iou, PolygonSet};
use self_cell::self_cell;

use crate::areas::{Areas, columns, measured};
use crate::failure::Failure;
use crate::near::Near;
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

/// The packed sets, and the pieces of each set.
struct Packing {
    sets: Sets,
    pieces: [Pieces; 2],
}

impl Packing {
    fn new(owner: Owner) -> Result<Self, Failure> {
        let pieces = owner.sets().map(Pieces::of);
        let sets = Sets::try_new(owner, |owner| {
            let [a, b] = owner.sets();
            owner.engine.prepare(a, b)
        })?;
        Ok(Self { sets, pieces })
    }

    fn run<T>(&mut self, work: impl FnOnce(&mut Packed<'_>, [&Pieces; 2]) -> T) -> T {
        let Self { sets, pieces: [a, b] } = self;
        sets.with_dependent_mut(|_, packed| work(packed, [a, b]))
    }
}

/// Two sets, packed for the kernels of a backend.
#[pyclass(frozen, module = "sat2d._sat2d")]
pub(crate) struct Prepared {
    a: Py<Polygons>,
    b: Py<Polygons>,
    /// The packed sets, or `None` if the polygons are compared by their edges, which needs no packed sets.
    packed: Option<Mutex<Packing>>,
    /// The packed sets of polygons that are compared by their edges. Only distances need them, so the first call of
    /// `distances` packs them.
    late: Mutex<Option<Packing>>,
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
        let packed = run(py, threads, |_| {
            let engine = Engine::new(backend.parse::<Backend>()?)?;
            let owner = Owner { engine, a: of_a, b: of_b };
            if EdgePairs::of(owner.sets()).is_some() {
                return Ok(None);
            }
            Ok(Some(Mutex::new(Packing::new(owner)?)))
        })?;
        Ok(Self { a, b, packed, late: Mutex::new(None) })
    }

    /// Returns the relation of each pair, as codes.
    fn relations<'py>(
        &self,
        py: Python<'py>,
        pairs: PyReadonlyArray2<'py, i64>,
        threads: Threads,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let sets = self.sets();
        let codes = self.run(py, &pairs, threads, |packing, pairs, watch| match packing {
            Some(packing) => packing.run(|packed, pieces| relations_of_pieces(packed, pieces, pairs, watch)),
            None => Ok(relations_of_outlines(sets, pairs, watch).unwrap_or_default()),
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
        let overlaps = self.run(py, &pairs, threads, |packing, pairs, watch| {
            let of_pieces = packing.map(|packing| {
                packing.run(|packed, pieces| {
                    let of_pieces = single_pieces(pieces, pairs)?;
                    Some(packed.piece_pairs(&of_pieces).progress(watch).query(Iou::default()))
                })
            });
            match of_pieces.flatten() {
                Some(found) => Ok(found?.items),
                None => measured(sets, pairs, watch),
            }
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
        let sets = self.sets();
        let found = match self.packed {
            Some(_) => self.run(py, &pairs, threads, |packing, pairs, watch| match packing {
                Some(packing) => packing.run(|packed, pieces| distances(packed, sets, pieces, pairs, watch)),
                None => Err(Failure::Defect("the sets are not packed".into())),
            }),
            None => self.distances_of_outlines(py, &pairs, threads),
        }?;
        Ok(found.into_pyarray(py))
    }
}

impl Prepared {
    fn sets(&self) -> [&PolygonSet; 2] {
        [&self.a.get().set, &self.b.get().set]
    }

    /// Runs `work` on the packed sets. If the polygons are compared by their edges, `work` gets `None`.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        pairs: &PyReadonlyArray2<'_, i64>,
        threads: Threads,
        work: impl FnOnce(Option<&mut Packing>, &[[u32; 2]], &Watch) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        let (indices, sets) = (pairs.as_slice()?, self.sets());
        let mut packed = self.packed.as_ref().map(|packed| locked(py, packed)).transpose()?;
        let packing = packed.as_deref_mut();
        run(py, threads, |watch| work(packing, &object_pairs(indices, sets)?, watch))
    }

    /// Returns the distances of polygons that are compared by their edges. The edges decide which pairs meet, so only the
    /// pieces of the other pairs are measured.
    fn distances_of_outlines(
        &self,
        py: Python<'_>,
        pairs: &PyReadonlyArray2<'_, i64>,
        threads: Threads,
    ) -> PyResult<Vec<f64>> {
        let (indices, sets) = (pairs.as_slice()?, self.sets());
        let owner = |engine| Owner { engine, a: self.a.clone_ref(py), b: self.b.clone_ref(py) };
        let mut late = locked(py, &self.late)?;
        if late.is_none() {
            let owner = owner(run(py, threads, |_| Ok(Engine::new(Backend::Cpu)?))?);
            *late = Some(run(py, threads, |_| Packing::new(owner))?);
        }
        let packing = late.as_mut();
        run(py, threads, |watch| {
            let pairs = object_pairs(indices, sets)?;
            let codes = relations_of_outlines(sets, &pairs, watch).unwrap_or_default();
            let is_apart = |&place: &usize| codes.get(place).is_none_or(|&code| code == 0);
            let places: Vec<usize> = (0..pairs.len()).filter(is_apart).collect();
            let apart: Vec<[u32; 2]> = places.iter().map(|&place| pairs[place]).collect();
            let mut found = vec![0.0; pairs.len()];
            if let Some(packing) = packing {
                let measured =
                    packing.run(|packed, pieces| distances(packed, sets, pieces, &apart, watch))?;
                places.iter().zip(measured).for_each(|(&place, distance)| found[place] = distance);
            }
            Ok(found)
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
    sets: [&PolygonSet; 2],
    sides: [&Pieces; 2],
    pairs: &[[u32; 2]],
    watch: &Watch,
) -> Result<Vec<f64>, Failure> {
    // `f64::min` ignores NaN, so the first distance of a pair replaces the NaN.
    let mut found = vec![f64::NAN; pairs.len()];
    let (mut of_pieces, mut owners): (Vec<[u32; 2]>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut measure = |of_pieces: &mut Vec<[u32; 2]>, owners: &mut Vec<usize>| -> Result<(), Failure> {
        let measured = packed.piece_pairs(of_pieces).progress(watch).query(Distances)?;
        for (&owner, distance) in owners.iter().zip(measured.items) {
            found[owner] = found[owner].min(distance.distance);
        }
        of_pieces.clear();
        owners.clear();
        Ok(())
    };
    for (owner, &pair) in pairs.iter().enumerate() {
        watch.check();
        let Some(near) = Near::of(sets, sides, pair) else { continue };
        for &p in &near.of_a {
            watch.check();
            near.partners(p, |q| of_pieces.push([p, q]));
            owners.resize(of_pieces.len(), owner);
            if of_pieces.len() >= PIECE_PAIRS {
                measure(&mut of_pieces, &mut owners)?;
            }
        }
    }
    measure(&mut of_pieces, &mut owners)?;
    Ok(found)
}
