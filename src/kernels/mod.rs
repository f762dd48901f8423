//! Kernels on the CPU and on a device, and the dispatch to a backend: from candidate pairs to relations and measurements.

pub(crate) mod backends;
pub(crate) mod containment;
pub(crate) mod cpu;
#[cfg(feature = "gpu")]
pub(crate) mod gpu;
pub(crate) mod impacts;
#[cfg(all(test, feature = "scenes"))]
mod lists_tests;
pub(crate) mod measurements;
#[cfg(all(test, feature = "scenes"))]
mod nested_scenes;
pub(crate) mod point;
#[cfg(all(test, feature = "scenes"))]
pub(crate) mod test_scenes;

use crate::answers::backend::Backend;
use crate::answers::results::{Counts, Relation, StageSpan, Timings};
use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::geometry::{Aabb, Pieces};
use crate::kernels::backends::Backends;
use crate::packed::grid::Grid;
use crate::packed::layout::UNCERTAIN;
use crate::packed::records::{Buffers, LANES, Records, most_vertices};
use cpu::{direct, exact, relation_of, simd};

/// Pairs that one task decides exactly, where that is needed: few, since it may take long.
pub(crate) const TASK: usize = 1024;

/// A backend with the polygons of one join at hand.
#[derive(Debug)]
pub(crate) enum NarrowPhase<'a> {
    /// The fast filter on the CPU.
    Cpu(OnCpu<'a>),
    /// The filter on a device.
    #[cfg(feature = "gpu")]
    Gpu { session: Box<gpu::Session<'a>> },
    #[cfg(not(feature = "gpu"))]
    #[allow(dead_code)]
    Never(std::convert::Infallible, std::marker::PhantomData<&'a ()>),
}

/// What the filter reads on a CPU. The memory of records goes back to the engine.
#[derive(Debug)]
pub(crate) struct OnCpu<'a> {
    backends: &'a Backends,
    /// Where the sets are read as they are, how.
    direct: Option<direct::Form>,
    /// Else their records.
    a: Option<Records>,
    /// None in a self-join, where B is A.
    b: Option<Records>,
    grid: Grid,
}

impl Drop for OnCpu<'_> {
    fn drop(&mut self) {
        if let Ok(mut spare) = self.backends.spare.lock() {
            if self.a.is_none() {
                return;
            }
            // Those of this join alone.
            spare.records.clear();
            spare.records.extend([self.b.take(), self.a.take()].into_iter().flatten().map(Buffers::from));
        }
    }
}

/// What an engine keeps for its next join.
#[derive(Debug, Default)]
pub(crate) struct Spare {
    records: Vec<Buffers>,
    pub(crate) scratch: Scratch,
}

/// Pairs of a chunk where several are on their way at once.
const CHUNK_IN_FLIGHT: usize = 1 << 18;
/// Pairs of a chunk that stays in a cache from one stage to the next.
pub(crate) const CHUNK_IN_CACHE: usize = 1 << 17;

/// Buffers that are reused from chunk to chunk.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    codes: Vec<u8>,
    pub(crate) relations: Vec<Relation>,
    /// Of each [`TASK`] of them, how many touch and how many overlap.
    pub(crate) tallies: Vec<Tally>,
    /// Emptied lists of pairs.
    pub(crate) pairs: Vec<Vec<[u32; 2]>>,
}

/// How many of some relations are of which kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) touching: u32,
    pub(crate) overlapping: u32,
}

/// How many lists of pairs will be asked of what is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lists {
    /// One: what is packed serves each polygon a few times.
    One,
    /// As a rule several, so that packing is soon made up for.
    Several,
}

/// One side of a join: its pieces, and the box of each in the order of the set.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub(crate) pieces: Pieces<'a>,
    pub(crate) boxes: &'a [Aabb],
}

impl OnCpu<'_> {
    /// Makes the records of both sides; `b` is none where both are one.
    fn pack(&mut self, a: Side<'_>, b: Option<Side<'_>>) -> Result<()> {
        // Both sides alike.
        let most = most_vertices(a.pieces.set).max(b.map_or(0, |b| most_vertices(b.pieces.set)));
        let mut spare = self
            .backends
            .spare
            .lock()
            .map(|mut spare| std::mem::take(&mut spare.records))
            .unwrap_or_default();
        let mut records = |side: Side<'_>| {
            let buffers = spare.pop().unwrap_or_default();
            Records::new(side.pieces, side.boxes, self.grid, most > LANES, buffers)
        };
        (self.a, self.b) = (Some(records(a)?), b.map(records).transpose()?);
        Ok(())
    }

    /// The records of both sides, made now where the filter reads the sets as they are.
    fn scene(&mut self, a: Pieces<'_>, b: Pieces<'_>) -> Result<Option<simd::Scene<'_>>> {
        if self.a.is_none() {
            let other = (!std::ptr::eq(a.set, b.set)).then_some(b);
            let (boxes_a, boxes_b) = (a.set.piece_boxes(), other.map(|b| b.set.piece_boxes()));
            let side_b = other.zip(boxes_b.as_deref()).map(|(pieces, boxes)| Side { pieces, boxes });
            self.pack(Side { pieces: a, boxes: &boxes_a }, side_b)?;
        }
        Ok(self.a.as_ref().map(|a| simd::Scene { a, b: self.b.as_ref().unwrap_or(a) }))
    }
}

impl<'a> NarrowPhase<'a> {
    /// Packs the polygons of a join, and hands them to the engine's device if `backend` is the GPU. `b` is none in a self-join.
    #[cfg_attr(not(feature = "gpu"), allow(clippy::unused_async))]
    pub(crate) async fn new(
        backends: &'a Backends,
        backend: Backend,
        a: Side<'_>,
        b: Option<Side<'_>>,
        lists: Lists,
        timings: &mut Timings,
    ) -> Result<Self> {
        let start = Instant::now();
        let extent = Aabb::around_all(a.boxes);
        let grid = Grid::over(b.map_or(extent, |b| extent.union(Aabb::around_all(b.boxes))));
        #[cfg(feature = "gpu")]
        if let Some(gpu) = backends.gpu.as_ref().filter(|_| backend == Backend::Gpu) {
            timings.pack += start.elapsed();
            let session = Box::new(gpu.session(a.pieces, b.map(|b| b.pieces), grid, timings).await?);
            return Ok(Self::Gpu { session });
        }
        #[cfg(not(feature = "gpu"))]
        let _ = backend;
        let direct = direct::Form::of(a.pieces.set, b.map_or(a.pieces.set, |b| b.pieces.set), grid.quantum)
            .filter(|form| lists == Lists::One || !form.is_slower_than_records());
        if direct.is_some() {
            timings.pack += start.elapsed();
            return Ok(Self::Cpu(OnCpu { backends, direct, a: None, b: None, grid }));
        }
        let mut on_cpu = OnCpu { backends, direct: None, a: None, b: None, grid };
        on_cpu.pack(a, b)?;
        timings.pack += start.elapsed();
        Ok(Self::Cpu(on_cpu))
    }

    /// How many chunks of pairs are worth having on their way at once.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Self::Cpu(_) => 1,
            // One is proposed or looked at by the host, one is with the device, one waits for it.
            #[cfg(feature = "gpu")]
            Self::Gpu { .. } => 3,
            #[cfg(not(feature = "gpu"))]
            Self::Never(never, _) => match *never {},
        }
    }

    /// How many pairs a chunk should have, at most.
    pub(crate) fn chunk_pairs(&self) -> usize {
        if self.depth() > 1 { CHUNK_IN_FLIGHT } else { CHUNK_IN_CACHE }
    }

    /// Forgets what was submitted and not asked for, as after an error or where a caller stopped waiting: those pairs are not of
    /// the next list.
    pub(crate) fn forget_submitted(&mut self) {
        match self {
            Self::Cpu(_) => {}
            #[cfg(feature = "gpu")]
            Self::Gpu { session } => session.forget_submitted(),
            #[cfg(not(feature = "gpu"))]
            Self::Never(never, _) => match *never {},
        }
    }

    /// Hands pairs to the device, which decides them while the caller does other work; a CPU waits for
    /// [`NarrowPhase::relations`].
    pub(crate) async fn submit(
        &mut self,
        pairs: &[[u32; 2]],
        counts: &mut Counts,
        timings: &mut Timings,
    ) -> Result<()> {
        match self {
            Self::Cpu(_) => {}
            #[cfg(feature = "gpu")]
            Self::Gpu { session } => session.submit(pairs, counts, timings).await?,
            #[cfg(not(feature = "gpu"))]
            Self::Never(never, _) => match *never {},
        }
        #[cfg(not(feature = "gpu"))]
        let _ = (pairs, counts, timings);
        Ok(())
    }

    /// The exact relation of every pair of pieces, into `scratch.relations`, in the order of `pairs`: those that were
    /// submitted first of the ones not asked for yet. `a` and `b` are the pieces that it was made of; in a self-join,
    /// twice the same.
    pub(crate) async fn relations(
        &mut self,
        (a, b): (Pieces<'_>, Pieces<'_>),
        pairs: &[[u32; 2]],
        scratch: &mut Scratch,
        counts: &mut Counts,
        timings: &mut Timings,
    ) -> Result<()> {
        match self {
            Self::Cpu(OnCpu { direct, a: records_a, b: records_b, .. }) => {
                let start = Instant::now();
                if let Some(form) = direct {
                    direct::filter_codes(*form, a.set, b.set, pairs, &mut scratch.codes);
                } else if let Some(a) = records_a {
                    let scene = simd::Scene { a, b: records_b.as_ref().unwrap_or(a) };
                    simd::filter_codes(scene, pairs, &mut scratch.codes);
                }
                timings.kernel += start.elapsed();
            }
            #[cfg(feature = "gpu")]
            Self::Gpu { session } => session.collect(pairs.len(), &mut scratch.codes, timings).await?,
            #[cfg(not(feature = "gpu"))]
            Self::Never(never, _) => match *never {},
        }
        let start = Instant::now();
        scratch.relations.resize(pairs.len(), Relation::Disjoint);
        let chunks = pairs.par_chunks(TASK).zip(scratch.codes.par_chunks(TASK));
        scratch.tallies.resize(pairs.len().div_ceil(TASK), Tally::default());
        let tasks = chunks.zip(scratch.relations.par_chunks_mut(TASK)).zip(&mut scratch.tallies);
        let uncertain = tasks.map(|(((pairs, codes), relations), tally)| {
            let mut uncertain = 0;
            for (relation, &code) in relations.iter_mut().zip(codes) {
                *relation = relation_of(code).unwrap_or(Relation::Disjoint);
                uncertain += u32::from(u32::from(code) == UNCERTAIN);
            }
            if uncertain > 0 {
                exact::decide_uncertain((a, b), pairs, codes, relations);
            }
            let count = |of| relations.iter().map(|&relation| u32::from(relation == of)).sum();
            *tally = Tally { touching: count(Relation::Touching), overlapping: count(Relation::Overlapping) };
            u64::from(uncertain)
        });
        counts.uncertain += uncertain.sum();
        timings.exact += start.elapsed();
        Ok(())
    }

    /// What the device did when, since `start`; nothing on a CPU.
    pub(crate) fn timeline(&self, start: Instant) -> Vec<StageSpan> {
        #[cfg(not(feature = "gpu"))]
        let _ = start;
        match self {
            Self::Cpu(_) => Vec::new(),
            #[cfg(feature = "gpu")]
            Self::Gpu { session } => session.timeline(start),
            #[cfg(not(feature = "gpu"))]
            Self::Never(never, _) => match *never {},
        }
    }
}
