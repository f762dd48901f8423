//! Benchmarks of an adapter apart from whole joins: the copy bandwidth, the arithmetic peak, and the relation kernel alone.

pub(crate) mod contest;
mod peak;
mod timer;
mod work;

use std::time::Duration;

use crate::error::Result;
use sat2d::internal::device::GpuNarrowPhase;
use sat2d::internal::packed::{Grid, Packed, Pieces};
use sat2d::{Aabb, Backend, Engine, Iou, PolygonSet, Relations, broad_phase};

use contest::Contest;

use super::measure::Round;
use super::report::{Figure, KernelRow, KernelTime};

/// Returns the number of timed dispatches of each kernel. The number is greater on hardware, because the clock rate of hardware
/// varies.
fn rounds(gpu: &GpuNarrowPhase) -> usize {
    if peak::is_hardware(gpu) { 9 } else { 5 }
}

/// Returns the rate of copies from buffer to buffer on the device, in bytes read and written per second. Returns an error if
/// the device fails.
pub(super) fn copy_bytes_per_second(gpu: &GpuNarrowPhase) -> Result<f64> {
    Ok(pollster::block_on(peak::copy_bandwidth(gpu, rounds(gpu)))?)
}

/// Returns the peak f32 throughput of the device, in operations per second. The measured kernel loads nothing from storage
/// buffers in its loop. Returns an error if the device fails.
pub(super) fn operations_per_second(gpu: &GpuNarrowPhase) -> Result<f64> {
    Ok(pollster::block_on(peak::arithmetic_peak(gpu, rounds(gpu)))?)
}

/// Compares the relation kernel with the plain kernel on the candidate pairs of a scene. Returns an error if a query or the
/// device fails. The polygons and the pairs are in spatial order.
pub(super) fn kernels(gpu: &GpuNarrowPhase, contender: &str, round: &Round) -> Result<KernelRow> {
    let set = PolygonSet::from_convex_rings(&round.rings)?;
    let order = broad_phase::self_join(&set.piece_aabbs(), None)?;
    let rings: Vec<_> = order.order().iter().map(|&polygon| &round.rings[polygon as usize]).collect();
    let set = PolygonSet::from_convex_rings(&rings)?;
    let mut candidates = broad_phase::self_join(&set.piece_aabbs(), None)?;
    let (mut pairs, mut chunk) = (Vec::new(), Vec::new());
    while candidates.next_chunk(1 << 20, &mut chunk) {
        pairs.extend_from_slice(&chunk);
    }
    let extent = set.piece_aabbs().into_iter().fold(Aabb::EMPTY, Aabb::union);
    let packed = Packed::new(Pieces::of(&set), None, Grid::over(extent));
    let cpu = Engine::new(Backend::Cpu)?;
    let truth = cpu.piece_pairs(&set, &set, &pairs).query(Relations)?.items;
    let overlaps = cpu.piece_pairs(&set, &set, &pairs).query(Iou::default())?;
    let ious: Vec<f64> = overlaps.iter().map(|overlap| overlap.iou).collect();
    let contest = contest::contest(gpu, &set, &packed, &pairs, &truth, &ious, rounds(gpu));
    let contest = pollster::block_on(contest)?;
    Ok(row(contest, contender, round))
}

fn row(contest: Contest, contender: &str, round: &Round) -> KernelRow {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let kernels = contest.contenders.iter().map(|kernel| KernelTime {
        kernel: kernel.kernel.into(),
        run_time_checks: kernel.run_time_checks,
        time: Figure { median_ms: milliseconds(kernel.median), least_ms: milliseconds(kernel.least) },
        wrong: kernel.wrong,
        uncertain: kernel.uncertain,
    });
    KernelRow {
        scene: round.scene.name().into(),
        count: round.count,
        contender: contender.into(),
        pairs: contest.pair_count as u64,
        by_device_clock: contest.by_device_clock,
        least_bytes: contest.work.least,
        moved_bytes: contest.work.moved,
        operations: contest.work.operations,
        kernels: kernels.collect(),
    }
}
