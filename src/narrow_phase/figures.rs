//! Candidate pairs to figures: on a backend in f32, and again in f64 where that is not certain enough.

use bytemuck::Pod;
use glam::DVec2;

use super::NarrowPhase;
use super::cpu::figures::figures_of;
use super::cpu::records::View;
use crate::error::Result;
use crate::figures::PairEdge;
use crate::geometry::{Aabb, Piece, Pieces, Rounded};
use crate::grid::Grid;
#[cfg(feature = "gpu")]
use crate::parallel::prelude::*;
use crate::results::{Relation, Timings};
use crate::vector::Instructions;

/// Something that is measured of a pair of convex pieces.
pub(crate) trait Figure: Copy + Send + Sync + 'static {
    /// What a kernel gives, in quanta.
    type Record: Pod + Send + Sync;
    /// What the caller gets.
    type Output: Clone + Send;
    /// The files of its shader that no other kernel has, and their name.
    #[cfg(feature = "gpu")]
    const SHADER: (&'static str, &'static [&'static str]);

    /// A length that the kernel is told, in the caller's unit.
    fn parameter(self) -> f64 {
        0.0
    }

    /// The figure of two polygons of at most `VERTICES` vertices, or of any number where that is 0. `parameter` is in quanta.
    fn record<I: Instructions, const VERTICES: usize>(
        i: I,
        a: View<'_>,
        b: View<'_>,
        parameter: f32,
    ) -> Self::Record;

    /// Whether the record is within [`crate::FIGURE_BOUND`] beyond doubt.
    fn is_certain(record: &Self::Record) -> bool;

    /// The record in the caller's unit.
    fn output(record: &Self::Record, frame: Frame) -> Self::Output;

    /// The figure in f64, by what is short and obvious.
    fn reference(self, a: Piece<'_>, b: Piece<'_>) -> Self::Output;

    /// The figure of the shapes that are so much larger than their cores.
    fn rounded(self, found: Self::Output, _radii: [f64; 2]) -> Self::Output {
        found
    }

    /// Whether a rounded figure is so near to where it decides something that f64 is to say on which side. `size` is the
    /// pair's, of which [`crate::FIGURE_BOUND`] is a part.
    fn is_undecided(self, _found: &Self::Output, _size: f64) -> bool {
        false
    }

    /// The edge that the record is about, where it is about one.
    fn edge(_: &Self::Record) -> Option<PairEdge> {
        None
    }

    /// [`Figure::reference`] where edges of either piece only part it from others of its object.
    fn reference_of_parts(self, a: Piece<'_>, b: Piece<'_>, _internal: [Option<&[bool]>; 2]) -> Self::Output {
        self.reference(a, b)
    }
}

/// A kernel on a device.
#[cfg(feature = "gpu")]
pub(crate) trait Shader: 'static {
    /// What it gives of a pair.
    type Record: Pod + Send + Sync;
    /// The files of its source that no other kernel has, and their name.
    const SOURCE: (&'static str, &'static [&'static str]);
    /// Whether its polygons move.
    const MOVES: bool;
}

#[cfg(feature = "gpu")]
impl<F: Figure> Shader for F {
    type Record = F::Record;
    const SOURCE: (&'static str, &'static [&'static str]) = F::SHADER;
    const MOVES: bool = false;
}

/// What a record counts from, and in what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Where A's anchor lies in the world.
    pub(crate) origin: DVec2,
    /// In the caller's unit.
    pub(crate) quantum: f64,
}

/// What makes figures of records.
#[derive(Clone, Copy)]
pub(crate) struct Finish<'a, F> {
    figure: F,
    sides: [Rounded<'a>; 2],
    /// Of every pair, where they are known.
    relations: &'a [Relation],
    grid: Grid,
}

impl<F: Figure> Finish<'_, F> {
    /// The figure of a pair, that of number `k`, whose A is anchored there; none where the record is not certain, or about an
    /// edge that only parts its piece from others of its object, or where the two touch: f64 shows that they do.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn output(
        &self,
        record: &F::Record,
        anchor: [i32; 2],
        k: usize,
        pair: [u32; 2],
    ) -> Option<F::Output> {
        if !self.is_known(record, k, pair) {
            return None;
        }
        let found = self.unrounded(record, anchor);
        if self.is_rounded() { self.rounded(found, pair) } else { Some(found) }
    }

    /// Whether the figure is [`Finish::unrounded`].
    #[inline(always)]
    pub(crate) fn stands(&self, record: &F::Record, k: usize, pair: [u32; 2]) -> bool {
        self.is_known(record, k, pair) && !self.is_rounded()
    }

    /// The record in the caller's unit, of a pair whose A is anchored there.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(crate) fn unrounded(&self, record: &F::Record, anchor: [i32; 2]) -> F::Output {
        F::output(record, Frame { origin: self.grid.position(anchor.into()), quantum: self.grid.quantum })
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn is_known(&self, record: &F::Record, k: usize, pair: [u32; 2]) -> bool {
        F::is_certain(record)
            && !F::edge(record).is_some_and(|edge| self.is_internal(edge, pair))
            && self.relations.get(k) != Some(&Relation::Touching)
    }

    #[inline(always)]
    fn is_rounded(&self) -> bool {
        self.sides[0].is_rounded() || self.sides[1].is_rounded()
    }

    /// The figure of the shapes of two cores; none where f64 is to decide something.
    fn rounded(&self, found: F::Output, pair: [u32; 2]) -> Option<F::Output> {
        let found = self.figure.rounded(found, self.radii(pair));
        let [a, b] = [0, 1].map(|side| self.sides[side].cores.piece_aabb(pair[side] as usize));
        (!self.figure.is_undecided(&found, size_of_pair([a, b]))).then_some(found)
    }

    fn radii(&self, pair: [u32; 2]) -> [f64; 2] {
        [0, 1].map(|side| self.sides[side].radius(pair[side] as usize))
    }

    #[inline(always)]
    fn is_internal(&self, edge: PairEdge, pair: [u32; 2]) -> bool {
        self.internal_edges(pair)[edge.side as usize].is_some_and(|internal| internal[edge.index as usize])
    }

    #[inline(always)]
    fn internal_edges(&self, [i, j]: [u32; 2]) -> [Option<&[bool]>; 2] {
        [self.sides[0].cores.internal_edges(i as usize), self.sides[1].cores.internal_edges(j as usize)]
    }

    /// The figure in f64.
    #[cold]
    #[inline(never)]
    pub(crate) fn reference(&self, pair: [u32; 2]) -> F::Output {
        let [a, b] = [0, 1].map(|side| self.sides[side].cores.piece(pair[side] as usize));
        let found = self.figure.reference_of_parts(a, b, self.internal_edges(pair));
        if self.is_rounded() { self.figure.rounded(found, self.radii(pair)) } else { found }
    }
}

impl NarrowPhase<'_> {
    /// The figure of every pair of pieces, appended to `out` in the order of `pairs`, and how many were computed in f64.
    pub(crate) async fn figures<F: Figure>(
        &mut self,
        figure: F,
        sides: [Rounded<'_>; 2],
        pairs: &[[u32; 2]],
        out: &mut Vec<F::Output>,
        timings: &mut Timings,
    ) -> Result<u64> {
        self.figures_of_related(figure, sides, pairs, &[], out, timings).await
    }

    /// As [`NarrowPhase::figures`], with the relation of every pair where there are any. Pairs that touch are computed in
    /// f64, in which they do so.
    #[cfg_attr(not(feature = "gpu"), allow(clippy::unused_async))]
    pub(crate) async fn figures_of_related<F: Figure>(
        &mut self,
        figure: F,
        sides: [Rounded<'_>; 2],
        pairs: &[[u32; 2]],
        relations: &[Relation],
        out: &mut Vec<F::Output>,
        timings: &mut Timings,
    ) -> Result<u64> {
        match self {
            Self::Cpu(on_cpu) => {
                let grid = on_cpu.grid;
                let [a, b] = sides.map(|side| Pieces::of(side.cores));
                let Some(scene) = on_cpu.scene(a, b)? else { return Ok(0) };
                let parameter = in_quanta(figure, grid.quantum);
                let _ = timings;
                Ok(figures_of(scene, pairs, parameter, &Finish { figure, sides, relations, grid }, out))
            }
            #[cfg(feature = "gpu")]
            Self::Gpu { session } => {
                let parameter = in_quanta(figure, session.packed().grid.quantum);
                let records = session.figures::<F>(pairs, parameter, None, timings).await?;
                let packed = session.packed();
                let finish = Finish { figure, sides, relations, grid: packed.grid };
                let figure_of = |(k, (&pair, record)): (usize, (&[u32; 2], &Option<F::Record>))| {
                    let anchor = packed.records.polygons[pair[0] as usize].anchor;
                    let known = record.as_ref().and_then(|record| finish.output(record, anchor, k, pair));
                    let refined = known.is_none();
                    (known.unwrap_or_else(|| finish.reference(pair)), refined)
                };
                let found: Vec<(F::Output, bool)> =
                    pairs.par_iter().zip(&records).enumerate().map(figure_of).collect();
                let refined = found.iter().filter(|(_, refined)| *refined).count() as u64;
                out.extend(found.into_iter().map(|(output, _)| output));
                Ok(refined)
            }
            #[cfg(not(feature = "gpu"))]
            Self::Never(never, _) => match *never {},
        }
    }
}

/// Of which [`crate::FIGURE_BOUND`] is a part, in the caller's unit.
pub(crate) fn size_of_pair(boxes: [Aabb; 2]) -> f64 {
    let [(a, extent_a), (b, extent_b)] =
        boxes.map(|b| ((b.min + b.max) * 0.5, ((b.max - b.min) * 0.5).max_element()));
    extent_a + extent_b + (a - b).abs().max_element()
}

/// The figure's length for the kernel: finite, though it may be farther than any two polygons of the scene are apart.
fn in_quanta<F: Figure>(figure: F, quantum: f64) -> f32 {
    (figure.parameter() / quantum).min(2f64.powi(100)) as f32
}
