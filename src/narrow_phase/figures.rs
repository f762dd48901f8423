//! Candidate pairs to figures: on a backend in f32, and again in f64 where that is not certain enough.

use bytemuck::Pod;
use glam::DVec2;
use rayon::prelude::*;

use super::NarrowPhase;
use super::cpu::figures::records_of;
use super::cpu::records::View;
use crate::error::Result;
use crate::figures::PairEdge;
use crate::geometry::{Aabb, Piece, Pieces, Rounded};
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
    const SOURCE: (&'static str, &'static str);
    /// Whether its polygons move.
    const MOVES: bool;
}

#[cfg(feature = "gpu")]
impl<F: Figure> Shader for F {
    type Record = F::Record;
    const SOURCE: (&'static str, &'static str) = F::SHADER;
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

impl NarrowPhase<'_> {
    /// The figure of every pair of pieces, appended to `out` in the order of `pairs`, and how many were computed in f64.
    #[cfg_attr(not(feature = "gpu"), allow(clippy::unused_async))]
    pub(crate) async fn figures<F: Figure>(
        &mut self,
        figure: F,
        [rounded_a, rounded_b]: [Rounded<'_>; 2],
        pairs: &[[u32; 2]],
        out: &mut Vec<F::Output>,
        timings: &mut Timings,
    ) -> Result<u64> {
        let (a, b) = (Pieces::of(rounded_a.cores), Pieces::of(rounded_b.cores));
        let (grid, records): (_, Vec<Option<F::Record>>) = match self {
            Self::Cpu(on_cpu) => {
                let grid = on_cpu.grid;
                let parameter = in_quanta(figure, grid.quantum);
                let Some(scene) = on_cpu.scene(a, b)? else { return Ok(0) };
                (grid, records_of::<F>(scene, pairs, parameter))
            }
            #[cfg(feature = "gpu")]
            Self::Gpu { packed, session } => {
                let parameter = in_quanta(figure, packed.grid.quantum);
                (packed.grid, session.figures::<F>(packed, pairs, parameter, None, timings).await?)
            }
            #[cfg(not(feature = "gpu"))]
            Self::Never(never, _) => match *never {},
        };
        #[cfg(not(feature = "gpu"))]
        let _ = &timings;
        let this = &*self;
        let figure_of = |(&[i, j], record): (&[u32; 2], &Option<F::Record>)| {
            let internal = [a.internal_edges(i as usize), b.internal_edges(j as usize)];
            let is_internal = |edge: PairEdge| {
                internal[edge.side as usize].is_some_and(|internal| internal[edge.index as usize])
            };
            let known = record
                .as_ref()
                .filter(|record| F::is_certain(record) && !F::edge(record).is_some_and(is_internal));
            let (piece_a, piece_b) = (a.piece(i as usize), b.piece(j as usize));
            let (found, refined) = match known {
                Some(record) => {
                    let origin = grid.position(this.anchor(i).into());
                    (F::output(record, Frame { origin, quantum: grid.quantum }), false)
                }
                None => (figure.reference_of_parts(piece_a, piece_b, internal), true),
            };
            if !(rounded_a.is_rounded() || rounded_b.is_rounded()) {
                return (found, refined);
            }
            let radii = [rounded_a.radius(i as usize), rounded_b.radius(j as usize)];
            let found = figure.rounded(found, radii);
            let size = || size_of_pair([(a, i), (b, j)].map(|(s, i)| s.set.piece_aabb(i as usize)));
            if !refined && figure.is_undecided(&found, size()) {
                return (figure.rounded(figure.reference(piece_a, piece_b), radii), true);
            }
            (found, refined)
        };
        let found: Vec<(F::Output, bool)> = pairs.par_iter().zip(&records).map(figure_of).collect();
        let refined = found.iter().filter(|(_, refined)| *refined).count() as u64;
        out.extend(found.into_iter().map(|(output, _)| output));
        Ok(refined)
    }

    /// The anchor of a piece of A.
    fn anchor(&self, place: u32) -> [i32; 2] {
        match self {
            Self::Cpu(on_cpu) => on_cpu.a.as_ref().map_or([0, 0], |records| records.head(place).anchor),
            #[cfg(feature = "gpu")]
            Self::Gpu { packed, .. } => packed.instances[place as usize].anchor,
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
