//! Candidate pairs to relations: the one place where a backend is dispatched to.

pub(crate) mod cpu;
#[cfg(feature = "gpu")]
pub(crate) mod gpu;
#[cfg(all(test, feature = "scenes"))]
mod test_scenes;

use std::time::Instant;

use rayon::prelude::*;

use crate::error::Result;
use crate::geometry::PolygonSet;
use crate::layout::UNCERTAIN;
use crate::pack::Packed;
use crate::results::{Counts, Relation, Timings};
use cpu::{exact, relation_of, simd};

/// A backend with the polygons of one join at hand.
#[derive(Debug)]
pub(crate) enum NarrowPhase<'a> {
    /// The filter on the CPU: in lanes where no instance is posed.
    Cpu(Option<simd::HalfPlanes>),
    /// The filter on a device.
    #[cfg(feature = "gpu")]
    Gpu(Box<gpu::Session<'a>>),
    #[cfg(not(feature = "gpu"))]
    #[allow(dead_code)]
    Never(std::convert::Infallible, std::marker::PhantomData<&'a ()>),
}

/// Buffers that are reused from chunk to chunk.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    codes: Vec<u8>,
    pub(crate) relations: Vec<Relation>,
}

/// The two sides of a join and their packed form.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'a> {
    pub(crate) a: &'a PolygonSet,
    pub(crate) b: &'a PolygonSet,
    pub(crate) packed: &'a Packed,
}

impl NarrowPhase<'_> {
    /// The exact relation of every pair of pieces, into `scratch.relations`, in the order of `pairs`.
    pub(crate) async fn relations(
        &mut self,
        sides: Sides<'_>,
        pairs: &[[u32; 2]],
        scratch: &mut Scratch,
        counts: &mut Counts,
        timings: &mut Timings,
    ) -> Result<()> {
        match self {
            Self::Cpu(planes) => {
                let start = Instant::now();
                match planes {
                    Some(planes) => simd::filter_codes(planes, sides.packed, pairs, &mut scratch.codes),
                    None => cpu::filter_codes(sides.packed, pairs, &mut scratch.codes),
                }
                timings.kernel += start.elapsed();
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(session) => {
                session.filter_codes(sides, pairs, &mut scratch.codes, counts, timings).await?
            }
            #[cfg(not(feature = "gpu"))]
            Self::Never(never, _) => match *never {},
        }
        let start = Instant::now();
        counts.uncertain +=
            scratch.codes.par_iter().filter(|&&code| u32::from(code) == UNCERTAIN).count() as u64;
        let (a, b) = (sides.a, sides.b);
        pairs
            .par_iter()
            .zip(&scratch.codes)
            .map(|(&[i, j], &code)| {
                relation_of(code).unwrap_or_else(|| exact::relation(a.piece(i as usize), b.piece(j as usize)))
            })
            .collect_into_vec(&mut scratch.relations);
        timings.exact += start.elapsed();
        Ok(())
    }
}
