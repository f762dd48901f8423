//! Candidate pairs to figures: on a backend in f32, and again in f64 where that is not certain enough.

use bytemuck::Pod;
use glam::DVec2;

use super::NarrowPhase;
use super::cpu::measure::{Measured, Select, measure_all};
use super::cpu::records::View;
use crate::error::Result;
use crate::geometry::{Aabb, Rounded};
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

    /// The measurement, in f64 and of the caller's unit.
    fn measure<S: Select>(self, pair: Measured<'_, '_, S>) -> Self::Output;
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

impl NarrowPhase<'_> {
    /// The measurement of every pair of pieces, appended to `out` in the order of `pairs`. `relations` has the relation of every
    /// pair, or none.
    #[allow(clippy::unused_async)]
    pub(crate) async fn figures<F: Figure>(
        &mut self,
        figure: F,
        sides: [Rounded<'_>; 2],
        pairs: &[[u32; 2]],
        relations: &[Relation],
        out: &mut Vec<F::Output>,
        timings: &mut Timings,
    ) -> Result<u64> {
        let _ = timings;
        measure_all(figure, sides, pairs, relations, out);
        Ok(0)
    }
}

/// Of which [`crate::FIGURE_BOUND`] is a part, in the caller's unit.
pub(crate) fn size_of_pair(boxes: [Aabb; 2]) -> f64 {
    let [(a, extent_a), (b, extent_b)] =
        boxes.map(|b| ((b.min + b.max) * 0.5, ((b.max - b.min) * 0.5).max_element()));
    extent_a + extent_b + (a - b).abs().max_element()
}

