//! Decides candidates on a device. A candidate is a pair of a point and a piece. The device runs the certified filter
//! in f32. The host decides the uncertain candidates.

use crate::answers::points::PointRelation;
use crate::packed::layout::{DISJOINT, OVERLAPPING};

/// Returns the relation that a code of the kernel stands for, or `None` if the code says that the kernel was uncertain.
pub(super) fn relation_of(code: u8) -> Option<PointRelation> {
    match u32::from(code) {
        DISJOINT => Some(PointRelation::Outside),
        OVERLAPPING => Some(PointRelation::Inside),
        _ => None,
    }
}

#[cfg(feature = "gpu")]
pub(super) use on_gpu::Device;

#[cfg(all(feature = "gpu", test, feature = "scenes"))]
pub(crate) use on_gpu::record;

#[cfg(feature = "gpu")]
mod on_gpu {
    use crate::base::parallel::prelude::*;
    use glam::{DVec2, IVec2};

    use super::super::direct::relation_to_piece;
    use super::super::join::{Found, Part, TASK_PAIRS, Tasks};
    use super::super::scan::{Hit, Tally};
    use super::relation_of;
    use crate::answers::backend::Backend;
    use crate::answers::points::PointRelation;
    use crate::base::error::Result;
    use crate::engine::Engine;
    use crate::geometry::{Aabb, Pieces, PolygonSet};
    use crate::kernels::gpu::PointSession;
    use crate::packed::grid::{Grid, round_up};
    use crate::packed::layout::{PointCandidate, Polygon};

    /// The polygons of a set on the engine's device.
    #[derive(Debug)]
    pub(in super::super) struct Device<'a> {
        session: PointSession<'a>,
        grid: Grid,
        codes: Vec<u8>,
    }

    /// The candidates of a task, found in the grid but not decided yet.
    struct Gathered {
        /// For each candidate: the index of the point in the task, the index of the piece, and whether the point is
        /// known to be inside the piece.
        candidates: Vec<(u32, u32, bool)>,
        records: Vec<PointCandidate>,
        /// The number of points of the task that were looked up.
        done: usize,
    }

    impl<'a> Device<'a> {
        /// Uploads the polygons of a set. Returns `None` if `backend` is not the GPU, and an error if the device fails.
        pub(in super::super) async fn new(
            engine: &'a Engine,
            backend: Backend,
            set: &PolygonSet,
        ) -> Result<Option<Self>> {
            let Some(gpu) = engine.backends.gpu.as_ref().filter(|_| backend == Backend::Gpu) else {
                return Ok(None);
            };
            let boxes = set.piece_boxes();
            let grid = Grid::over(Aabb::around_all(&boxes));
            let session = gpu.point_session(Pieces::of(set), grid).await?;
            Ok(Some(Self { session, grid, codes: Vec::new() }))
        }

        /// Returns the record of a point and a piece for the device.
        pub(in super::super) fn record(&self, point: DVec2, piece: u32) -> PointCandidate {
            record(self.grid, self.session.polygons(), point, piece)
        }

        /// Decides the records on the device. Returns one code for each record, or an error if the device fails. Adds the number of
        /// records with an oversized polygon to `tally`.
        pub(in super::super) async fn codes(
            &mut self,
            records: &[PointCandidate],
            tally: &mut Tally,
        ) -> Result<&[u8]> {
            self.session.codes(records, &mut self.codes, &mut tally.oversized).await?;
            Ok(&self.codes)
        }

        /// Looks up the points of each of `parts`. Returns an error if the device fails. [`Tasks`] gives the same results
        /// on the CPU.
        pub(in super::super) async fn look_up<P: Into<DVec2> + Copy + Sync>(
            &mut self,
            tasks: &Tasks<'_, '_>,
            parts: Vec<Part<'_, P>>,
        ) -> Result<Vec<Found>> {
            let (grid, polygons) = (self.grid, self.session.polygons());
            let gathered: Vec<Gathered> =
                parts.par_iter().map(|part| gather(tasks, part, grid, polygons)).collect();
            let records: Vec<PointCandidate> =
                gathered.iter().flat_map(|gathered| &gathered.records).copied().collect();
            let mut oversized = Tally::default();
            let mut rest = self.codes(&records, &mut oversized).await?;
            let mut with_codes = Vec::with_capacity(parts.len());
            for (part, gathered) in parts.into_iter().zip(gathered) {
                let (codes, tail) = rest.split_at(gathered.records.len());
                rest = tail;
                with_codes.push((part, gathered, codes));
            }
            let assembled = with_codes
                .into_par_iter()
                .map(|(part, gathered, codes)| assemble(tasks, part, &gathered, codes));
            let mut found: Vec<Found> = assembled.collect();
            if let Some(found) = found.first_mut() {
                found.add(oversized);
            }
            Ok(found)
        }
    }

    pub(crate) fn record(grid: Grid, polygons: &[Polygon], point: DVec2, piece: u32) -> PointCandidate {
        // The limit on the offset, in quanta, keeps all values on the device finite. A point this far from the anchor
        // is outside the polygon, in spite of all rounding.
        const FARTHEST: f64 = (1u64 << 40) as f64;
        let anchor = grid.position(IVec2::from(polygons[piece as usize].anchor));
        let exact = (point - anchor) / grid.quantum;
        let offset = exact.clamp(DVec2::splat(-FARTHEST), DVec2::splat(FARTHEST)).as_vec2();
        let rounding = (offset.as_dvec2() - exact).abs().max_element();
        // The error of the difference in f64 is at most half an ulp.
        let error = rounding * (1.0 + 1e-15) + exact.abs().max_element() * f64::EPSILON;
        PointCandidate { offset: offset.to_array(), error: round_up(error.min(FARTHEST)), polygon: piece }
    }

    fn gather<P: Into<DVec2> + Copy>(
        tasks: &Tasks<'_, '_>,
        part: &Part<'_, P>,
        grid: Grid,
        polygons: &[Polygon],
    ) -> Gathered {
        let mut gathered = Gathered { candidates: Vec::new(), records: Vec::new(), done: part.points.len() };
        let mut pieces = Vec::new();
        for (k, &point) in part.points.iter().enumerate() {
            let point = point.into();
            pieces.clear();
            tasks.scan.candidates(point, &mut pieces);
            for &(piece, is_inside) in &pieces {
                gathered.candidates.push((k as u32, piece, is_inside));
                if !is_inside {
                    gathered.records.push(record(grid, polygons, point, piece));
                }
            }
            if gathered.candidates.len() >= TASK_PAIRS {
                gathered.done = k + 1;
                break;
            }
        }
        gathered
    }

    fn assemble<P: Into<DVec2> + Copy>(
        tasks: &Tasks<'_, '_>,
        part: Part<'_, P>,
        gathered: &Gathered,
        codes: &[u8],
    ) -> Found {
        let points = part.points;
        let mut codes = codes.iter();
        tasks.noting(part, |noted, tally| {
            let mut hits: Vec<Hit> = Vec::new();
            for of_point in gathered.candidates.chunk_by(|a, b| a.0 == b.0) {
                let k = of_point[0].0 as usize;
                let point: DVec2 = points[k].into();
                tally.candidates += of_point.len() as u64;
                hits.clear();
                for &(_, piece, is_inside) in of_point {
                    let decided = if is_inside {
                        Some(PointRelation::Inside)
                    } else {
                        codes.next().and_then(|&code| relation_of(code))
                    };
                    let relation = decided.unwrap_or_else(|| {
                        tally.uncertain += 1;
                        relation_to_piece(point, tasks.scan.index.set.piece(piece as usize)).relation
                    });
                    if relation != PointRelation::Outside {
                        hits.push((piece, relation));
                    }
                }
                tasks.scan.merge_into_objects(point, &mut hits);
                hits.iter().for_each(|&hit| noted.note(k, hit));
            }
            gathered.done
        })
    }
}

#[cfg(not(feature = "gpu"))]
pub(super) use without_gpu::Device;

/// A build without the `gpu` feature has no device.
#[cfg(not(feature = "gpu"))]
mod without_gpu {
    use std::convert::Infallible;
    use std::marker::PhantomData;

    use glam::DVec2;

    use super::super::join::{Found, Part, Tasks};
    use super::super::scan::Tally;
    use crate::answers::backend::Backend;
    use crate::base::error::Result;
    use crate::engine::Engine;
    use crate::geometry::PolygonSet;

    #[derive(Debug)]
    pub(in super::super) struct Device<'a>(Infallible, PhantomData<&'a ()>);

    impl<'a> Device<'a> {
        #[allow(clippy::unused_async)]
        pub(in super::super) async fn new(_: &'a Engine, _: Backend, _: &PolygonSet) -> Result<Option<Self>> {
            Ok(None)
        }

        pub(in super::super) fn record(&self, _: DVec2, _: u32) {
            match self.0 {}
        }

        #[allow(clippy::unused_async)]
        pub(in super::super) async fn codes(&mut self, _: &[()], _: &mut Tally) -> Result<&[u8]> {
            match self.0 {}
        }

        #[allow(clippy::unused_async)]
        pub(in super::super) async fn look_up<P>(
            &mut self,
            _: &Tasks<'_, '_>,
            _: Vec<Part<'_, P>>,
        ) -> Result<Vec<Found>> {
            match self.0 {}
        }
    }
}
