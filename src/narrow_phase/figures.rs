//! Candidate pairs to figures: on a backend in f32, and again in f64 where that is not certain enough.

use bytemuck::Pod;
use glam::DVec2;
use rayon::prelude::*;

use super::NarrowPhase;
use super::cpu::figures::records_of;
use super::cpu::records::View;
use super::cpu::simd::Scene;
use crate::error::Result;
use crate::geometry::{Piece, Pieces};
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
        (a, b): (Pieces<'_>, Pieces<'_>),
        pairs: &[[u32; 2]],
        out: &mut Vec<F::Output>,
        timings: &mut Timings,
    ) -> Result<u64> {
        let (grid, records): (_, Vec<Option<F::Record>>) = match self {
            Self::Cpu(on_cpu) => {
                let Some(a) = &on_cpu.a else { return Ok(0) };
                let scene = Scene { a, b: on_cpu.b.as_ref().unwrap_or(a) };
                let parameter = (figure.parameter() / on_cpu.grid.quantum) as f32;
                (on_cpu.grid, records_of::<F>(scene, pairs, parameter))
            }
            #[cfg(feature = "gpu")]
            Self::Gpu { packed, session } => {
                let parameter = (figure.parameter() / packed.grid.quantum) as f32;
                (packed.grid, session.figures::<F>(packed, pairs, parameter, None, timings).await?)
            }
            #[cfg(not(feature = "gpu"))]
            Self::Never(never, _) => match *never {},
        };
        #[cfg(not(feature = "gpu"))]
        let _ = &timings;
        let this = &*self;
        let figure_of = |(&[i, j], record): (&[u32; 2], &Option<F::Record>)| match record
            .as_ref()
            .filter(|record| F::is_certain(record))
        {
            Some(record) => {
                let origin = grid.position(this.anchor(i).into());
                (F::output(record, Frame { origin, quantum: grid.quantum }), false)
            }
            None => (figure.reference(a.piece(i as usize), b.piece(j as usize)), true),
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
