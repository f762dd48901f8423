//! The filter of containment: which of two convex pieces has the other in its interior, or that neither covers the other,
//! on the CPU or a device. What it leaves open goes to exact arithmetic.

use crate::answers::backend::Backend;
use crate::answers::containment::Containment;
use crate::answers::results::{Counts, Timings};
use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::geometry::Aabb;
use crate::kernels::Side;
use crate::kernels::backends::Backends;
use crate::kernels::cpu::simd;
use crate::packed::grid::Grid;
use crate::packed::records::{Buffers, LANES, Records, most_vertices};

/// The pieces of one or two sets, as the filter reads them.
pub(crate) enum ContainmentFilter<'a> {
    /// `b` is none where both are one set.
    Cpu { a: Box<Records>, b: Option<Box<Records>> },
    /// On a device.
    #[cfg(feature = "gpu")]
    Gpu { session: Box<crate::kernels::gpu::Session<'a>> },
    #[cfg(not(feature = "gpu"))]
    #[allow(dead_code)]
    Never(std::convert::Infallible, std::marker::PhantomData<&'a ()>),
}

impl<'a> ContainmentFilter<'a> {
    /// Packs the pieces, and hands them to the engine's device if `backend` is the GPU.
    #[cfg_attr(not(feature = "gpu"), allow(clippy::unused_async))]
    pub(crate) async fn new(
        backends: &'a Backends,
        backend: Backend,
        a: Side<'_>,
        b: Option<Side<'_>>,
        timings: &mut Timings,
    ) -> Result<Self> {
        let start = Instant::now();
        let extent = Aabb::around_all(a.boxes);
        let grid = Grid::over(b.map_or(extent, |b| extent.union(Aabb::around_all(b.boxes))));
        #[cfg(feature = "gpu")]
        if let Some(gpu) = backends.gpu.as_ref().filter(|_| backend == Backend::Gpu) {
            timings.pack += start.elapsed();
            let gpu = gpu.for_containment().await?;
            let session = Box::new(gpu.session(a.pieces, b.map(|b| b.pieces), grid, timings).await?);
            return Ok(Self::Gpu { session });
        }
        #[cfg(not(feature = "gpu"))]
        let _ = (backends, backend);
        // Both sides alike.
        let most = most_vertices(a.pieces.set).max(b.map_or(0, |b| most_vertices(b.pieces.set)));
        let records = |side: Side<'_>| {
            Records::new(side.pieces, side.boxes, grid, most > LANES, Buffers::default()).map(Box::new)
        };
        let (a, b) = (records(a)?, b.map(records).transpose()?);
        timings.pack += start.elapsed();
        Ok(Self::Cpu { a, b })
    }

    /// Which piece of every pair covers the other, into `found`, in the order of `pairs`; none where exact arithmetic is to
    /// say. Pieces are named in the order that the filter was made with.
    pub(crate) async fn decide(
        &mut self,
        pairs: &[[u32; 2]],
        counts: &mut Counts,
        timings: &mut Timings,
    ) -> Result<Vec<Option<Containment>>> {
        let mut codes = Vec::new();
        match self {
            Self::Cpu { a, b } => {
                let start = Instant::now();
                let scene = simd::Scene { a, b: b.as_ref().unwrap_or(a) };
                simd::containment_codes(scene, pairs, &mut codes);
                timings.kernel += start.elapsed();
            }
            #[cfg(feature = "gpu")]
            Self::Gpu { session } => {
                session.submit(pairs, counts, timings).await?;
                session.collect(pairs.len(), &mut codes, timings).await?;
            }
            #[cfg(not(feature = "gpu"))]
            Self::Never(never, _) => match *never {},
        }
        let found: Vec<Option<Containment>> =
            codes.into_par_iter().with_light_work().map(containment_of).collect();
        counts.uncertain += found.par_iter().with_light_work().filter(|found| found.is_none()).count() as u64;
        Ok(found)
    }
}

/// What a code says; none for an uncertain one. No filter finds polygons equal.
fn containment_of(code: u8) -> Option<Containment> {
    [Containment::Neither, Containment::Covers, Containment::CoveredBy].into_iter().find(|&c| c as u8 == code)
}
