//! Candidate pairs to figures: on a backend in f32, and again in f64 where that is not certain enough.

use bytemuck::Pod;
use glam::DVec2;
#[cfg(feature = "gpu")]
use rayon::prelude::*;

use super::NarrowPhase;
use super::cpu::figures::figures_of;
use super::cpu::records::View;
use crate::error::Result;
use crate::figures::PairEdge;
use crate::geometry::{Piece, Pieces};
use crate::grid::Grid;
use crate::results::Timings;
use crate::vector::Instructions;

/// Something that is measured of a pair of convex pieces.
pub(crate) trait Figure: Copy + Send + Sync + 'static {
    /// What a kernel gives, in quanta.
    type Record: Pod + Send + Sync;
    /// What the caller gets.
    type Output: Send;
    /// The files of its shader that no other kernel has, and their name.
    #[cfg(feature = "gpu")]
    const SHADER: (&'static str, &'static str);

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

    /// The edge that the record is about, where it is about one.
    fn edge(_: &Self::Record) -> Option<PairEdge> {
        None
    }

    /// [`Figure::reference`] where edges of either piece only part it from others of its object.
    fn reference_of_parts(self, a: Piece<'_>, b: Piece<'_>, _internal: [Option<&[bool]>; 2]) -> Self::Output {
        self.reference(a, b)
    }
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
    a: Pieces<'a>,
    b: Pieces<'a>,
    grid: Grid,
}

impl<F: Figure> Finish<'_, F> {
    /// The figure of a pair whose A is anchored there; none where the record is not certain, or about an edge that only
    /// parts its piece from others of its object.
    #[inline(always)]
    pub(crate) fn output(&self, record: &F::Record, anchor: [i32; 2], pair: [u32; 2]) -> Option<F::Output> {
        if !F::is_certain(record) || F::edge(record).is_some_and(|edge| self.is_internal(edge, pair)) {
            return None;
        }
        let origin = self.grid.position(anchor.into());
        Some(F::output(record, Frame { origin, quantum: self.grid.quantum }))
    }

    #[inline(always)]
    fn is_internal(&self, edge: PairEdge, pair: [u32; 2]) -> bool {
        self.internal_edges(pair)[edge.side as usize].is_some_and(|internal| internal[edge.index as usize])
    }

    #[inline(always)]
    fn internal_edges(&self, [i, j]: [u32; 2]) -> [Option<&[bool]>; 2] {
        [self.a.internal_edges(i as usize), self.b.internal_edges(j as usize)]
    }

    /// The figure in f64.
    #[cold]
    #[inline(never)]
    pub(crate) fn reference(&self, pair: [u32; 2]) -> F::Output {
        let [a, b] = [self.a.piece(pair[0] as usize), self.b.piece(pair[1] as usize)];
        self.figure.reference_of_parts(a, b, self.internal_edges(pair))
    }
}

impl NarrowPhase<'_> {
    /// The figure of every pair of pieces, appended to `out` in the order of `pairs`, and how many were computed in f64.
    #[cfg_attr(not(feature = "gpu"), allow(clippy::unused_async))]
    pub(crate) async fn figures<F: Figure>(
        &mut self,
        figure: F,
        (a, b): (Pieces<'_>, Pieces<'_>),
        pairs: &[[u32; 2]],
        out: &mut Vec<F::Output>,
        timings: &mut Timings,
    ) -> Result<u64> {
        match self {
            Self::Cpu(on_cpu) => {
                let grid = on_cpu.grid;
                let Some(scene) = on_cpu.scene(a, b)? else { return Ok(0) };
                let parameter = in_quanta(figure, grid.quantum);
                let _ = timings;
                Ok(figures_of(scene, pairs, parameter, &Finish { figure, a, b, grid }, out))
            }
            #[cfg(feature = "gpu")]
            Self::Gpu { packed, session } => {
                let parameter = in_quanta(figure, packed.grid.quantum);
                let records = session.figures::<F>(packed, pairs, parameter, timings).await?;
                let finish = Finish { figure, a, b, grid: packed.grid };
                let figure_of = |(&pair, record): (&[u32; 2], &Option<F::Record>)| {
                    let anchor = packed.instances[pair[0] as usize].anchor;
                    let known = record.as_ref().and_then(|record| finish.output(record, anchor, pair));
                    let refined = known.is_none();
                    (known.unwrap_or_else(|| finish.reference(pair)), refined)
                };
                let found: Vec<(F::Output, bool)> = pairs.par_iter().zip(&records).map(figure_of).collect();
                let refined = found.iter().filter(|(_, refined)| *refined).count() as u64;
                out.extend(found.into_iter().map(|(output, _)| output));
                Ok(refined)
            }
            #[cfg(not(feature = "gpu"))]
            Self::Never(never, _) => match *never {},
        }
    }
}

/// The figure's length for the kernel: finite, though it may be farther than any two polygons of the scene are apart.
fn in_quanta<F: Figure>(figure: F, quantum: f64) -> f32 {
    (figure.parameter() / quantum).min(2f64.powi(100)) as f32
}
