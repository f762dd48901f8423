//! Measures the greatest rates of a device: bytes copied per second, and f32 operations per second.

use std::time::Duration;

use bytemuck::{Pod, Zeroable};

use super::contest::{answers_of_words, median, upload};
use super::timer::{Timer, WARM_UP, clock_stands, warm_up};
use sat2d::Result;
use sat2d::internal::Instant;
use sat2d::internal::device::GpuNarrowPhase;

/// The parameters of `shaders/peak.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct PeakParams {
    factor: f32,
    summand: f32,
    turns: u32,
}

/// The number of iterations of the loop in `shaders/peak.wgsl`.
const TURNS: u32 = 256;
/// The number of f32 operations in one iteration: a product and a sum in each lane of eight vectors of four lanes.
const TURN_OPERATIONS: u64 = 8 * 4 * 2;
/// The number of invocations in a workgroup of `shaders/peak.wgsl`.
const PEAK_WORKGROUP: u64 = 64;
/// The number of invocations in a workgroup of `shaders/copy.wgsl`.
const COPY_WORKGROUP: u64 = 256;
/// The least time of a timed dispatch. The fixed cost of a dispatch is small compared with this time.
const LONG_ENOUGH: Duration = Duration::from_millis(4);
/// The least time of a timed sequence of copies. The fixed cost of a submission (about 0.05 ms on the host) is small compared
/// with this time.
const COPIES_LONG_ENOUGH: Duration = Duration::from_millis(10);
/// The greatest number of copies in a submission.
const MOST_COPIES: u32 = 256;

/// Returns whether the adapter is a hardware GPU, and not a software adapter.
pub(crate) fn is_hardware(narrow: &GpuNarrowPhase) -> bool {
    narrow.device.is_hardware()
}

/// Returns the number of f32 operations per second that the device reaches without memory loads: the best of
/// `rounds`. A product and a sum are one instruction if the device has a fused instruction.
///
/// # Errors
/// Returns the errors of the device.
pub(crate) async fn arithmetic_peak(narrow: &GpuNarrowPhase, rounds: usize) -> Result<f64> {
    let gpu = &narrow.device;
    let label = "sat2d peak";
    let source = include_str!("../../../shaders/peak.wgsl").to_string();
    let (pipeline, layout) = gpu.checked(0, || gpu.compute_kernel(label, source)).await?;
    // The iteration `0.75 x + 0.5` converges to 2, so the values stay in the normal range.
    let params = PeakParams { factor: 0.75, summand: 0.5, turns: TURNS };
    let params = upload(gpu, wgpu::BufferUsages::UNIFORM, bytemuck::bytes_of(&params)).await?;
    let sums = answers_of_words(gpu, 1 << 12).await?;
    let bound = [params.as_entire_binding(), sums.as_entire_binding()];
    let group = gpu.bind_group(label, &layout, &bound);
    let mut timer = Timer::new(gpu).await?;
    let most = gpu.limits.max_compute_workgroups_per_dimension;
    let record = |pass: &mut wgpu::ComputePass<'_>, groups: u32| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(groups, 1, 1);
    };
    let (mut groups, mut best, mut counted) = (64.min(most), 0.0, 0);
    warm_up(gpu, |pass| record(pass, groups)).await?;
    while counted < rounds.max(1) {
        let time = timer.time(gpu, 1, |pass| record(pass, groups)).await?;
        if time.is_none_or(|time| time < LONG_ENOUGH) && groups < most {
            groups = groups.saturating_mul(4).min(most);
            continue;
        }
        let time = time.ok_or_else(clock_stands)?;
        let operations = u64::from(groups) * PEAK_WORKGROUP * u64::from(TURNS) * TURN_OPERATIONS;
        best = f64::max(best, operations as f64 / time.as_secs_f64());
        counted += 1;
    }
    Ok(best)
}

/// Returns the bytes per second that the device copies from one buffer to another, read and written bytes together. The copy is
/// by the device's own command or by a shader, whichever is faster. Each buffer has 256 MiB, or as much as one binding holds.
///
/// # Errors
/// Returns the errors of the device.
pub(crate) async fn copy_bandwidth(narrow: &GpuNarrowPhase, rounds: usize) -> Result<f64> {
    let gpu = &narrow.device;
    let bytes = (256 << 20).min(gpu.binding_bytes() & !(16 * COPY_WORKGROUP - 1));
    use wgpu::BufferUsages as Usage;
    let descriptor = wgpu::BufferDescriptor {
        label: Some("sat2d copy"),
        size: bytes,
        usage: Usage::COPY_SRC | Usage::COPY_DST | Usage::STORAGE,
        mapped_at_creation: false,
    };
    let make = || [(); 2].map(|()| gpu.device.create_buffer(&descriptor));
    let buffers = gpu.checked(2 * bytes, make).await?;
    // The copy command runs before the shader, because it initialises the buffers.
    let times = [
        copied_by_command(narrow, &buffers, rounds).await?,
        copied_by_shader(narrow, &buffers, rounds).await?,
    ];
    let time = times.into_iter().filter(|time| !time.is_zero()).min().ok_or_else(clock_stands)?;
    Ok(2.0 * bytes as f64 / time.as_secs_f64())
}

/// Returns the median time in which a shader copies one buffer to the other, or 0 if the clock does not advance. Returns an
/// error if the device fails.
async fn copied_by_shader(
    narrow: &GpuNarrowPhase,
    [a, b]: &[wgpu::Buffer; 2],
    rounds: usize,
) -> Result<Duration> {
    let gpu = &narrow.device;
    let label = "sat2d copy";
    let source = include_str!("../../../shaders/copy.wgsl").to_string();
    let (pipeline, layout) = gpu.checked(0, || gpu.compute_kernel(label, source)).await?;
    let group = gpu.bind_group(label, &layout, &[a.as_entire_binding(), b.as_entire_binding()]);
    let count = (a.size() / (16 * COPY_WORKGROUP)) as u32;
    let x = count.min(gpu.limits.max_compute_workgroups_per_dimension);
    let record = |pass: &mut wgpu::ComputePass<'_>| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(x, count.div_ceil(x), 1);
    };
    warm_up(gpu, &record).await?;
    let (mut timer, mut times) = (Timer::new(gpu).await?, Vec::new());
    for _ in 0..rounds.max(1) {
        times.extend(timer.time(gpu, 1, &record).await?);
    }
    Ok(if times.is_empty() { Duration::ZERO } else { median(&mut times) })
}

/// Returns the median time in which the device's copy command copies one buffer to the other, or an error if the device fails.
/// The host measures the time, because not every device has timestamps for copies. The host measures many copies in sequence,
/// so that the fixed cost of a submission is small in comparison.
async fn copied_by_command(
    narrow: &GpuNarrowPhase,
    [a, b]: &[wgpu::Buffer; 2],
    rounds: usize,
) -> Result<Duration> {
    let (gpu, bytes) = (&narrow.device, a.size());
    let (mut copies, mut times) = (1u32, Vec::new());
    // Three kinds of rounds do not count: the first round, which initialises the buffers, each round that is too short
    // to measure, and each round before the GPU runs at its full clock.
    let mut cleared = false;
    let begin = Instant::now();
    while times.len() < rounds.max(1) {
        let start = Instant::now();
        let submission = gpu
            .checked(0, || {
                let mut encoder = gpu.device.create_command_encoder(&Default::default());
                for copy in 0..copies {
                    let (from, to) = if copy % 2 == 0 { (a, b) } else { (b, a) };
                    encoder.copy_buffer_to_buffer(from, 0, to, 0, bytes);
                }
                gpu.submit(encoder)
            })
            .await?;
        gpu.wait_for(&submission, "a timed copy")?;
        let time = start.elapsed();
        let is_warm = !gpu.is_hardware() || begin.elapsed() >= WARM_UP;
        if !cleared {
            cleared = true;
        } else if time < COPIES_LONG_ENOUGH && copies < MOST_COPIES {
            copies *= 2;
        } else if is_warm {
            times.push(time / copies);
        }
    }
    Ok(median(&mut times))
}
