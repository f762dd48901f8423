//! Decides the relations of given pairs.

use std::ops::Range;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use sat2d::internal::EdgePairs;
use sat2d::{Aabb, Backend, Engine, PolygonSet, Relations};

use crate::failure::Failure;
use crate::pairs::object_pairs;
use crate::run::{Threads, Watch, run};
use crate::sets::Polygons;

/// The number of pairs of pieces whose relations are decided together, as one query.
pub(crate) const PIECE_PAIRS: usize = 1 << 18;
/// The number of pairs of large objects that are decided between two checks for signals. A pair may take a millisecond.
const OBJECT_PAIRS: usize = 1 << 10;

/// Decides the relation of each given pair of objects, as codes: 0 disjoint, 1 touching, 2 overlapping.
#[pyfunction]
#[pyo3(signature = (a, b, pairs, *, threads))]
pub(crate) fn relations<'py>(
    py: Python<'py>,
    a: &Polygons,
    b: &Polygons,
    pairs: PyReadonlyArray2<'py, i64>,
    threads: Threads,
) -> PyResult<Bound<'py, PyArray1<u8>>> {
    let numbers = pairs.as_slice()?;
    let codes = run(py, threads, |watch| {
        let sets = [&a.set, &b.set];
        relations_of_objects(sets, &object_pairs(numbers, sets)?, watch)
    })?;
    Ok(codes.into_pyarray(py))
}

/// The pieces of the objects of a set, and the boxes of pieces and objects.
#[derive(Debug)]
pub(crate) struct Pieces {
    /// The index of the first piece of each object, and the number of all pieces. The pieces of an object are
    /// `starts[object]..starts[object + 1]`.
    starts: Vec<u32>,
    /// The box of each piece, by the index of the piece.
    pub(crate) boxes: Vec<Aabb>,
    /// The box of each object, which contains the boxes of its pieces.
    whole: Vec<Aabb>,
}

impl Pieces {
    pub(crate) fn of(set: &PolygonSet) -> Self {
        let mut starts = vec![0u32; set.object_count() + 1];
        (0..set.piece_count()).for_each(|piece| starts[set.piece_object(piece) + 1] += 1);
        (1..starts.len()).for_each(|object| starts[object] += starts[object - 1]);
        Self { starts, boxes: set.piece_aabbs(), whole: set.object_aabbs() }
    }

    pub(crate) fn of_object(&self, object: u32) -> Range<u32> {
        self.starts[object as usize]..self.starts[object as usize + 1]
    }

    pub(crate) fn whole(&self, object: u32) -> &Aabb {
        &self.whole[object as usize]
    }
}

/// Decides the relations of pairs of objects by the edges of the objects. Returns one code for each pair. Returns `None` if no
/// set keeps the edges of its objects.
pub(crate) fn relations_of_outlines(
    sets: [&PolygonSet; 2],
    pairs: &[[u32; 2]],
    watch: &Watch,
) -> Option<Vec<u8>> {
    let edges = EdgePairs::of(sets)?;
    let mut codes = Vec::with_capacity(pairs.len());
    for chunk in pairs.chunks(OBJECT_PAIRS) {
        watch.check();
        codes.extend(edges.relations(chunk).into_iter().map(|relation| relation as u8));
    }
    Some(codes)
}

/// Decides the relations of pairs of objects. Returns one code for each pair.
pub(crate) fn relations_of_objects(
    sets: [&PolygonSet; 2],
    pairs: &[[u32; 2]],
    watch: &Watch,
) -> Result<Vec<u8>, Failure> {
    if let Some(codes) = relations_of_outlines(sets, pairs, watch) {
        return Ok(codes);
    }
    let engine = Engine::new(Backend::Cpu)?;
    let [a, b] = sets.map(Pieces::of);
    relations_of_pieces(&mut engine.prepare(sets[0], sets[1])?, [&a, &b], pairs, watch)
}

/// Decides the relations of pairs of objects by their pieces. Returns one code for each pair. The relation of two
/// objects is the strongest relation of a piece of one and a piece of the other. If the boxes of two pieces do not
/// meet, the pieces are disjoint, and the function skips them.
pub(crate) fn relations_of_pieces(
    prepared: &mut sat2d::Prepared<'_>,
    sides: [&Pieces; 2],
    pairs: &[[u32; 2]],
    watch: &Watch,
) -> Result<Vec<u8>, Failure> {
    let mut codes = vec![0u8; pairs.len()];
    let (mut of_pieces, mut owners): (Vec<[u32; 2]>, Vec<usize>) = (Vec::new(), Vec::new());
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
    for (owner, pair) in pairs.iter().enumerate() {
        let near = |side: usize| {
            let other = &sides[1 - side].whole[pair[1 - side] as usize];
            let boxes = &sides[side].boxes;
            sides[side].of_object(pair[side]).filter(move |&piece| meets(&boxes[piece as usize], other))
        };
        let others: Vec<u32> = near(1).collect();
        for piece in near(0) {
            let aabb = &sides[0].boxes[piece as usize];
            let meeting = others.iter().filter(|&&other| meets(aabb, &sides[1].boxes[other as usize]));
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
