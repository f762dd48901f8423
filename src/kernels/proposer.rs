//! Dispatches the work of a query to a backend. For each pair of pieces, kernels propose an answer if they are certain
//! of the answer.
//!
//! Relations are complete when this file returns them, because exact arithmetic decides the pairs that the filter
//! leaves uncertain. For other queries, the host decides the pairs for which no kernel proposes an answer.

#[cfg(not(target_family = "wasm"))]
use crate::answers::area::LeastAreas;
use crate::answers::backend::Backend;
use crate::answers::containment::Containment;
use crate::answers::results::{Relation, StageSpan};
use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::base::parallel::current_num_threads;
use crate::base::parallel::prelude::*;
#[cfg(not(target_family = "wasm"))]
use crate::broad_phase;
use crate::geometry::{Aabb, Pieces};
use crate::kernels::backends::Backends;
use crate::kernels::containment::filter::containment_of;
use crate::kernels::cpu::measure::{self, Proposal};
use crate::kernels::cpu::{direct, exact, relation_of, simd};
#[cfg(feature = "gpu")]
use crate::kernels::gpu;
use crate::kernels::impacts::Moving;
use crate::kernels::log::{Log, Stage};
use crate::packed::grid::Grid;
use crate::packed::layout::{ImpactRecord, UNCERTAIN};
use crate::packed::records::{Buffers, LANES, Records, most_vertices};

/// The number of pairs in a task that decides pairs exactly. The number is small, because an exact decision can take
/// long.
pub(crate) const TASK: usize = 1024;
/// The number of pairs in a chunk that a device decides. Several chunks are in flight at once.
#[cfg(feature = "gpu")]
const CHUNK_IN_FLIGHT: usize = 1 << 18;
/// The number of pairs in a chunk whose data stays in a cache of the CPU from one stage to the next.
pub(crate) const CHUNK_IN_CACHE: usize = 1 << 17;

/// Selects what kernels propose for each pair of a query.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hint<'a> {
    /// Whether kernels propose the relation of each pair.
    pub(crate) relations: bool,
    /// The pairs for which a device proposes the edge that decides a measurement.
    pub(crate) edges: Edges,
    /// Whether kernels propose which piece of each pair covers the other. This hint excludes all other proposals.
    pub(crate) containments: bool,
    /// The motions of the pieces, from which kernels propose the time at which the two pieces of each pair first touch.
    /// `None` if they propose no times.
    pub(crate) impacts: Option<&'a Moving<'a>>,
    /// The thresholds on common areas, or `None`. If the common area of a pair is below a threshold, a device may propose
    /// [`Relation::Disjoint`] for the pair. A browser has no area kernel.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) areas: Option<LeastAreas>,
}

/// The kernels that a query can use. They are known at compile time, so a program contains only the kernels of its
/// queries. This keeps web pages small, because a browser loads the whole program.
///
/// `drive.rs` implements this trait for tuples of queries and for an optional query. These implementations take the
/// constants from the inner queries, but keep the default `device` and `leave_out`.
pub(crate) trait Uses {
    const RELATIONS: bool = false;
    const CONTAINMENTS: bool = false;
    const EDGES: bool = false;
    const IMPACTS: bool = false;

    /// Returns the backend with the kernel that the query uses. Returns a device error if the device rejects a shader.
    #[cfg(feature = "gpu")]
    async fn device<'g>(gpu: &'g gpu::GpuNarrowPhase, _: Hint<'_>) -> Result<&'g gpu::GpuNarrowPhase> {
        Ok(gpu)
    }

    /// Passes the thresholds on common areas to a session that has the area kernel. By default, does nothing.
    #[cfg(feature = "gpu")]
    fn leave_out(_session: &mut gpu::Session<'_>, _hint: Hint<'_>) {}
}

/// Selects the pairs for which a device proposes the edge that decides a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Edges {
    #[default]
    None,
    /// The device proposes edges only for the pairs that touch or overlap.
    Meeting,
    All,
}

impl Hint<'_> {
    pub(crate) const NOTHING: Self = Self {
        relations: false,
        edges: Edges::None,
        containments: false,
        impacts: None,
        #[cfg(not(target_family = "wasm"))]
        areas: None,
    };
    pub(crate) const RELATIONS: Self = Self { relations: true, ..Self::NOTHING };
    pub(crate) const EDGES: Self = Self { edges: Edges::All, ..Self::NOTHING };
    pub(crate) const CONTAINMENTS: Self = Self { containments: true, ..Self::NOTHING };

    /// Returns a hint that selects everything that either of two queries needs.
    pub(crate) fn and(self, other: Self) -> Self {
        #[cfg(not(target_family = "wasm"))]
        let areas = match (self.relations, other.relations) {
            (_, false) => self.areas,
            (false, true) => other.areas,
            // One of the two queries may need the pairs that the other query leaves out.
            (true, true) => None,
        };
        Self {
            #[cfg(not(target_family = "wasm"))]
            areas,
            relations: self.relations | other.relations,
            edges: self.edges.max(other.edges),
            containments: self.containments | other.containments,
            impacts: self.impacts.or(other.impacts),
        }
    }

    /// Returns true if the filter gives a code for each pair with this hint. A device can compute the codes while the
    /// host does other work.
    fn has_codes(self) -> bool {
        self.relations || self.containments
    }
}

/// The facts that are known about the pairs of a chunk. The query gives a [`Hint`], which selects the needed facts.
/// Each list has one entry for each pair, or is empty if the hint does not select it. There are two exceptions: `codes`
/// may hold codes of an earlier chunk, and `tallies` has one entry for each run of [`TASK`] pairs.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The filter's code of each pair of this chunk. If the [`Hint`] does not select codes, the list holds the codes of
    /// an earlier chunk.
    codes: Vec<u8>,
    /// The exact relation of each pair of the chunk.
    pub(crate) relations: Vec<Relation>,
    /// For each run of [`TASK`] relations, the number of touching pairs and the number of overlapping pairs.
    pub(crate) tallies: Vec<Tally>,
    /// For each pair, the edge that the device proposes. The entry is `None` if the device is uncertain or the hint excludes
    /// the pair. On a CPU, the list is empty.
    pub(crate) edges: Vec<Option<Proposal>>,
    /// For each pair, which piece covers the other, or `None` if only exact arithmetic can decide this.
    pub(crate) containments: Vec<Option<Containment>>,
    /// For each pair, the impact computed in f32, or `None` if the pair is too large for the device.
    pub(crate) impacts: Vec<Option<ImpactRecord>>,
}

/// The number of touching pairs and the number of overlapping pairs in a run of relations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) touching: u32,
    pub(crate) overlapping: u32,
}

/// How many lists of pairs a caller will pass for the same polygons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lists {
    /// One list. Each packed polygon then serves few pairs, so packing may cost more time than it saves.
    One,
    /// Several lists. Packing the polygons then saves more time than it costs.
    Several,
}

/// One side of a join: its pieces, and the box of each piece in the same order.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub(crate) pieces: Pieces<'a>,
    pub(crate) boxes: &'a [Aabb],
}

impl Side<'_> {
    /// Returns the box around all pieces of the side.
    fn extent(&self) -> Aabb {
        let known = self.pieces.set.summary().map(|summary| summary.extent);
        known.unwrap_or_else(|| Aabb::around_all(self.boxes))
    }
}

/// The memory that an engine keeps from one join to the next.
#[derive(Debug, Default)]
pub(crate) struct Spare {
    records: Vec<Buffers>,
    pub(crate) known: Known,
    /// Lists with unspecified contents. The next join reuses their memory for its pairs.
    pub(crate) pairs: Vec<Vec<[u32; 2]>>,
    /// The memory of the broad phase, which the next join reuses. A browser keeps none.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) search: broad_phase::Memory,
}

impl Spare {
    /// Takes the known facts and the lists of pairs out of this memory. Leaves the records, which the proposer takes,
    /// and the memory of the broad phase.
    pub(crate) fn take_lists(&mut self) -> Self {
        let (known, pairs) = (std::mem::take(&mut self.known), std::mem::take(&mut self.pairs));
        Self { known, pairs, ..Self::default() }
    }

    /// Puts back the lists that [`Spare::take_lists`] took out.
    pub(crate) fn give_lists(&mut self, lists: Self) {
        (self.known, self.pairs) = (lists.known, lists.pairs);
    }
}

/// A backend that is prepared for the polygons of one query.
#[derive(Debug)]
pub(crate) enum Proposer<'a> {
    Cpu(OnCpu<'a>),
    #[cfg(feature = "gpu")]
    Gpu(Box<gpu::Session<'a>>),
}

/// The polygons of a query, prepared for the filter on a CPU. When this value is dropped, the memory of the records
/// returns to the engine.
#[derive(Debug)]
pub(crate) struct OnCpu<'a> {
    backends: &'a Backends,
    /// The variant of the filter that reads the vertices of the sets directly, or `None` if the filter reads records.
    pub(super) direct: Option<direct::Form>,
    /// The records of the pieces of A, or `None` until a kernel first needs them.
    pub(super) a: Option<Records>,
    /// The records of the pieces of B, or `None` until a kernel first needs them. In a self-join, always `None`,
    /// because B is A.
    pub(super) b: Option<Records>,
    pub(super) grid: Grid,
}

impl Drop for OnCpu<'_> {
    fn drop(&mut self) {
        if let Ok(mut spare) = self.backends.spare.lock() {
            if self.a.is_none() {
                return;
            }
            // The engine keeps only the records of the last join.
            spare.records.clear();
            spare.records.extend([self.b.take(), self.a.take()].into_iter().flatten().map(Buffers::from));
        }
    }
}

impl OnCpu<'_> {
    /// Packs the records of both sides. Returns the error of [`Records::new`]. `b` is `None` if both sides are one
    /// set.
    fn pack(&mut self, a: Side<'_>, b: Option<Side<'_>>) -> Result<()> {
        // The records of both sides have the same layout, which depends on the greatest number of vertices.
        let most = most_vertices(a.pieces.set).max(b.map_or(0, |b| most_vertices(b.pieces.set)));
        let spare = self.backends.spare.lock().map(|mut spare| std::mem::take(&mut spare.records));
        let mut spare = spare.unwrap_or_default();
        let mut records = |side: Side<'_>| {
            let buffers = spare.pop().unwrap_or_default();
            Records::new(side.pieces, side.boxes, self.grid, most > LANES, buffers)
        };
        (self.a, self.b) = (Some(records(a)?), b.map(records).transpose()?);
        Ok(())
    }

    /// Returns the records of both sides, always as `Some`. If the filter has read the sets directly until now, packs
    /// the records first. Returns the error of [`Records::new`] if the records cannot be packed.
    pub(super) fn scene(&mut self, [a, b]: [Pieces<'_>; 2]) -> Result<Option<simd::Scene<'_>>> {
        if self.a.is_none() {
            let other = (!std::ptr::eq(a.set, b.set)).then_some(b);
            let (boxes_a, boxes_b) = (a.set.piece_boxes(), other.map(|b| b.set.piece_boxes()));
            let side_b = other.zip(boxes_b.as_deref()).map(|(pieces, boxes)| Side { pieces, boxes });
            self.pack(Side { pieces: a, boxes: &boxes_a }, side_b)?;
        }
        Ok(self.a.as_ref().map(|a| simd::Scene { a, b: self.b.as_ref().unwrap_or(a) }))
    }

    /// Writes the answer of a CPU filter for each pair to `codes`, in the order of `pairs`. `hint` selects the filter
    /// for relations or the filter for containments. Returns the error of [`OnCpu::scene`].
    fn codes<U: Uses>(
        &mut self,
        hint: Hint<'_>,
        pieces: [Pieces<'_>; 2],
        pairs: &[[u32; 2]],
        codes: &mut Vec<u8>,
    ) -> Result<()> {
        if let Some(form) = self.direct.filter(|_| U::RELATIONS && hint.relations) {
            direct::filter_codes(form, pieces[0].set, pieces[1].set, pairs, codes);
        } else if let Some(scene) = self.scene(pieces)? {
            if U::CONTAINMENTS && hint.containments {
                simd::containment_codes(scene, pairs, codes);
            } else if U::RELATIONS {
                simd::filter_codes(scene, pairs, codes);
            }
        }
        Ok(())
    }
}

impl<'a> Proposer<'a> {
    /// Prepares a backend for the polygons of a query. On the GPU, uploads the polygons to the device. On a CPU, packs
    /// only the data that the kernels of `hint` read. `b` is `None` in a self-join. Returns a device error, or the
    /// error of [`Records::new`] if the records cannot be packed.
    #[cfg_attr(not(feature = "gpu"), allow(clippy::unused_async))]
    pub(crate) async fn new<U: Uses>(
        backends: &'a Backends,
        backend: Backend,
        (a, b): (Side<'_>, Option<Side<'_>>),
        lists: Lists,
        hint: Hint<'_>,
        log: &mut Log,
    ) -> Result<Self> {
        let start = Instant::now();
        let extent = a.extent();
        let grid = Grid::over(b.map_or(extent, |b| extent.union(b.extent())));
        #[cfg(feature = "gpu")]
        if let Some(gpu) = backends.gpu.as_ref().filter(|_| backend == Backend::Gpu) {
            log.timings.pack += start.elapsed();
            let gpu = U::device(gpu, hint).await?;
            let mut session = gpu.session(a.pieces, b.map(|b| b.pieces), grid, &mut log.timings).await?;
            U::leave_out(&mut session, hint);
            return Ok(Self::Gpu(Box::new(session)));
        }
        #[cfg(not(feature = "gpu"))]
        let _ = backend;
        let mut on_cpu = OnCpu { backends, direct: None, a: None, b: None, grid };
        if hint.relations {
            on_cpu.direct =
                direct::Form::of(a.pieces.set, b.map_or(a.pieces.set, |b| b.pieces.set), grid.quantum)
                    .filter(|form| lists == Lists::One || !form.is_slower_than_records());
        }
        if hint.has_codes() && on_cpu.direct.is_none() {
            on_cpu.pack(a, b)?;
        }
        log.end(Stage::Pack, 0, start);
        Ok(Self::Cpu(on_cpu))
    }

    /// Returns the number of chunks that should be in flight at once.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Self::Cpu(_) => 1,
            // The host proposes or reads one chunk, the device works on another, and a third waits for the device.
            #[cfg(feature = "gpu")]
            Self::Gpu(_) => 3,
        }
    }

    /// Returns the maximum number of pairs in a chunk, for queries that decide relations without measurements.
    pub(crate) fn chunk_pairs(&self) -> usize {
        match self {
            // The chunk is large enough that every thread gets some tasks of each stage.
            Self::Cpu(_) => CHUNK_IN_CACHE * (current_num_threads() / 2).clamp(1, 8),
            #[cfg(feature = "gpu")]
            Self::Gpu(_) => CHUNK_IN_FLIGHT,
        }
    }

    /// Returns the maximum number of pairs in a chunk that is measured. On a CPU, the number is so small that the
    /// measurements stay in a cache until they are written to their place, and so large that every thread gets some
    /// tasks.
    pub(crate) fn measured_pairs(&self) -> usize {
        match self {
            Self::Cpu(_) => (4 * measure::TASK * current_num_threads()).clamp(1 << 14, CHUNK_IN_CACHE),
            #[cfg(feature = "gpu")]
            Self::Gpu(_) => CHUNK_IN_CACHE,
        }
    }

    /// Forgets the pairs that were submitted and not collected. Such pairs exist after an error, or if the caller dropped
    /// the future.
    pub(crate) fn forget_submitted(&mut self) {
        match self {
            Self::Cpu(_) => {}
            #[cfg(feature = "gpu")]
            Self::Gpu(session) => session.forget_submitted(),
        }
    }

    /// Submits pairs to the device, which decides them while the caller does other work. On a CPU, does nothing,
    /// because a CPU does all its work in [`Proposer::collect`]. Returns a device error if the device fails.
    #[cfg_attr(not(feature = "gpu"), allow(clippy::unused_async, unused_variables))]
    pub(crate) async fn submit(&mut self, hint: Hint<'_>, pairs: &[[u32; 2]], log: &mut Log) -> Result<()> {
        match self {
            Self::Cpu(_) => Ok(()),
            #[cfg(feature = "gpu")]
            Self::Gpu(session) if hint.has_codes() => {
                session.submit(pairs, &mut log.counts, &mut log.timings).await
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(_) => Ok(()),
        }
    }

    /// Fills the lists of `known` that `hint` selects, in the order of `pairs`. On a device, `pairs` must be the first
    /// submitted pairs that were not collected yet. `sides` are the pieces from which the proposer was built. Returns
    /// the error of the device, or of packing the pieces.
    pub(crate) async fn collect<U: Uses>(
        &mut self,
        hint: Hint<'_>,
        sides: [Pieces<'_>; 2],
        pairs: &[[u32; 2]],
        known: &mut Known,
        log: &mut Log,
        chunk: u32,
    ) -> Result<()> {
        if hint.has_codes() {
            let start = Instant::now();
            match self {
                Self::Cpu(on_cpu) => {
                    on_cpu.codes::<U>(hint, sides, pairs, &mut known.codes)?;
                    log.end(Stage::Kernel, chunk, start);
                }
                #[cfg(feature = "gpu")]
                Self::Gpu(session) => {
                    session.collect(pairs.len(), &mut known.codes, &mut log.timings).await?;
                }
            }
        }
        known.relations.clear();
        known.tallies.clear();
        if U::RELATIONS && hint.relations {
            let start = Instant::now();
            log.counts.uncertain += known.decide_relations(sides, pairs);
            log.end(Stage::Exact, chunk, start);
        }
        known.containments.clear();
        if U::CONTAINMENTS && hint.containments {
            let codes = known.codes.par_iter().with_light_work().map(|&code| containment_of(code));
            codes.collect_into(&mut known.containments);
            let open = known.containments.par_iter().with_light_work().filter(|found| found.is_none());
            log.counts.uncertain += open.count() as u64;
        }
        known.edges.clear();
        known.impacts.clear();
        if U::EDGES {
            self.edges(hint.edges, pairs, known, log).await?;
        }
        if U::IMPACTS {
            self.impacts(hint, sides, pairs, known, log).await?;
        }
        Ok(())
    }

    /// Returns the time span of each stage of each chunk on the device, relative to the start of the log.
    /// On a CPU, the list is empty.
    #[cfg_attr(not(feature = "gpu"), allow(unused_variables))]
    pub(crate) fn timeline(&self, log: &Log) -> Vec<StageSpan> {
        match self {
            Self::Cpu(_) => Vec::new(),
            #[cfg(feature = "gpu")]
            Self::Gpu(session) => session.timeline(log.start),
        }
    }
}

impl Known {
    /// Decides the exact relation of each pair: from its code if the filter is certain, otherwise by exact arithmetic.
    /// Returns the number of uncertain pairs.
    fn decide_relations(&mut self, [a, b]: [Pieces<'_>; 2], pairs: &[[u32; 2]]) -> u64 {
        self.relations.resize(pairs.len(), Relation::Disjoint);
        self.tallies.resize(pairs.len().div_ceil(TASK), Tally::default());
        let chunks = pairs.par_chunks(TASK).zip(self.codes.par_chunks(TASK));
        let tasks = chunks.zip(self.relations.par_chunks_mut(TASK)).zip(&mut self.tallies);
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
        uncertain.sum()
    }
}
