//! Reduces measurements of pairs of pieces to one measurement for each pair of objects, in the order of the objects.

use std::cmp::Reverse;

use super::buckets::reserve;
use crate::answers::measured::MeasuredPair;
use crate::answers::results::Relation;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;

/// When the list has this many measurements, it is reduced for the first time: for each pair of objects, only the best
/// measurement stays. The next reduction waits for at least as many new measurements.
const UNREDUCED: usize = 1 << 20;

/// The rank of a pair of pieces. The pair with the best rank represents its objects: the strongest relation comes first
/// (if the measurement depends on it), then the least value.
pub(super) type Rank = (Reverse<Option<Relation>>, f64);

/// The measurements of pairs of pieces so far. At the end, [`Least::finish`] selects the best measurement for each pair
/// of objects.
pub(super) struct Least<T> {
    /// One part for each chunk, so that measurements are not moved when later chunks arrive.
    parts: Vec<Part<T>>,
    /// The number of measurements in all parts.
    count: usize,
    /// When there are at least this many measurements, all parts are reduced to one part.
    reduce_at: usize,
}

/// The measurements of a chunk of pairs of pieces.
struct Part<T> {
    /// The pair of pieces of each measurement.
    pieces: Vec<[u32; 2]>,
    /// The measurements of the pairs of pieces.
    figures: Vec<T>,
    /// The measurements that may be chosen for their objects, each with the pair of objects and the rank.
    kept: Vec<Kept>,
}

/// A measurement of a pair of pieces that may become the measurement of their objects.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    pub(super) objects: [u32; 2],
    /// The index of the measurement in its chunk. After [`Least::add`], the index of the measurement in its part.
    pub(super) index: u32,
    pub(super) rank: Rank,
}

/// A pair of objects, and the position of its measurement in the parts.
#[derive(Clone, Copy)]
struct Placed {
    objects: [u32; 2],
    part: u32,
    index: u32,
}

impl<T: Clone + Send + Sync> Least<T> {
    pub(super) fn new() -> Self {
        Self { parts: Vec::new(), count: 0, reduce_at: UNREDUCED }
    }

    /// Adds the measurements of a chunk that `kept` lists. `pieces` has all pairs of pieces of the chunk, and `figures` has the
    /// measurement of each pair. Returns an error if the measurements do not fit in memory.
    pub(super) fn add(&mut self, pieces: &[[u32; 2]], figures: &[T], mut kept: Vec<Kept>) -> Result<()> {
        let mut part = Part { pieces: Vec::new(), figures: Vec::new(), kept: Vec::new() };
        reserve(&mut part.pieces, kept.len())?;
        reserve(&mut part.figures, kept.len())?;
        part.pieces.extend(kept.iter().map(|kept| pieces[kept.index as usize]));
        let figure = |kept: &Kept| figures[kept.index as usize].clone();
        kept.par_iter().with_light_work().map(figure).collect_into(&mut part.figures);
        kept.iter_mut().enumerate().for_each(|(k, kept)| kept.index = k as u32);
        part.kept = kept;
        self.count += part.kept.len();
        self.parts.push(part);
        if self.count >= self.reduce_at {
            self.parts = vec![self.reduced()?];
            self.count = self.parts[0].kept.len();
            self.reduce_at = 2 * self.count + UNREDUCED;
        }
        Ok(())
    }

    /// Returns the best measurement of each pair of objects, sorted by the objects. Returns an error if the pairs do not fit in
    /// memory.
    pub(super) fn finish(self) -> Result<Vec<MeasuredPair<T>>> {
        let order = self.least()?;
        let mut pairs = Vec::new();
        reserve(&mut pairs, order.len())?;
        let of_place = |&(Placed { objects: [a, b], part, index }, _): &(Placed, Rank)| {
            let (part, index) = (&self.parts[part as usize], index as usize);
            let [piece_a, piece_b] = part.pieces[index];
            MeasuredPair { a, b, piece_a, piece_b, measurement: part.figures[index].clone() }
        };
        order.par_iter().map(of_place).collect_into(&mut pairs);
        Ok(pairs)
    }

    /// Returns, for each pair of objects, the position of its best measurement and its rank, sorted by the objects.
    /// Among measurements with equal ranks, the pair of pieces with the lowest indices is the best. Returns an error if
    /// the list does not fit in memory.
    fn least(&self) -> Result<Vec<(Placed, Rank)>> {
        let mut order = Vec::new();
        reserve(&mut order, self.count)?;
        for (part, of_part) in self.parts.iter().enumerate() {
            order.extend(of_part.kept.iter().map(|kept| (kept.of_part(part), kept.rank)));
        }
        let pieces = |placed: &Placed| self.parts[placed.part as usize].pieces[placed.index as usize];
        order.par_sort_unstable_by(|(x, rank_x): &(Placed, Rank), (y, rank_y)| {
            let ranks = || rank_x.0.cmp(&rank_y.0).then(rank_x.1.total_cmp(&rank_y.1));
            x.objects.cmp(&y.objects).then_with(ranks).then_with(|| pieces(x).cmp(&pieces(y)))
        });
        order.dedup_by_key(|(placed, _)| placed.objects);
        Ok(order)
    }

    /// Returns one part with the best measurement of each pair of objects, or an error if the part does not fit in memory.
    fn reduced(&self) -> Result<Part<T>> {
        let order = self.least()?;
        let mut reduced = Part { pieces: Vec::new(), figures: Vec::new(), kept: Vec::new() };
        reserve(&mut reduced.pieces, order.len())?;
        reserve(&mut reduced.figures, order.len())?;
        reserve(&mut reduced.kept, order.len())?;
        for (k, &(Placed { objects, part, index }, rank)) in order.iter().enumerate() {
            let (part, index) = (&self.parts[part as usize], index as usize);
            reduced.pieces.push(part.pieces[index]);
            reduced.figures.push(part.figures[index].clone());
            reduced.kept.push(Kept { objects, index: k as u32, rank });
        }
        Ok(reduced)
    }
}

impl Kept {
    fn of_part(&self, part: usize) -> Placed {
        Placed { objects: self.objects, part: part as u32, index: self.index }
    }
}
