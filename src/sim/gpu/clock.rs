//! Measures the times of the stages of a step with the device's clock.

use std::time::Duration;

use crate::base::error::Result;
use crate::gpu::device::GpuDevice;
use crate::sim::StepTimes;

/// The stages of a step, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    BroadPhase,
    NarrowPhase,
    Prepare,
    Solve,
    Finish,
}

const STAGES: u32 = 5;
const BYTES: u64 = 2 * STAGES as u64 * wgpu::QUERY_SIZE as u64;

/// Measures the beginning and the end of each stage of one step.
#[derive(Debug)]
pub(super) struct Clock {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
}

impl Clock {
    /// Creates a clock. Returns `None` if the device has no timestamps, and a device error if the device fails.
    pub(super) async fn new(gpu: &GpuDevice) -> Result<Option<Self>> {
        use wgpu::BufferUsages as Usage;
        if !gpu.has_timestamps() {
            return Ok(None);
        }
        let made = gpu.checked(BYTES, || Self {
            queries: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("sat2d stages"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * STAGES,
            }),
            resolved: gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("sat2d stages"),
                size: BYTES,
                usage: Usage::QUERY_RESOLVE | Usage::COPY_SRC,
                mapped_at_creation: false,
            }),
        });
        made.await.map(Some)
    }

    /// Returns the timestamp queries that the compute pass of a stage must write.
    pub(super) fn writes(&self, stage: Stage) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * stage as u32),
            end_of_pass_write_index: Some(2 * stage as u32 + 1),
        }
    }

    /// Records a command that copies the timestamps of the stages to a buffer. Call this method after the passes of the
    /// measured step.
    pub(super) fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..2 * STAGES, &self.resolved, 0);
    }

    /// Reads back the times of the stages of the last measured step. Returns a device error if the device fails.
    pub(super) async fn times(&self, gpu: &GpuDevice) -> Result<StepTimes> {
        let copy = |encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer| {
            encoder.copy_buffer_to_buffer(&self.resolved, 0, to, 0, BYTES);
        };
        let bytes = gpu.read_back(BYTES, copy).await?;
        let ticks: Vec<u64> =
            bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap_or_default())).collect();
        let period = f64::from(gpu.queue.get_timestamp_period());
        let took = |stage: Stage| {
            let (begin, end) = (ticks[2 * stage as usize], ticks[2 * stage as usize + 1]);
            Duration::from_nanos((end.saturating_sub(begin) as f64 * period) as u64)
        };
        Ok(StepTimes {
            broad_phase: took(Stage::BroadPhase),
            narrow_phase: took(Stage::NarrowPhase),
            prepare: took(Stage::Prepare),
            solve: took(Stage::Solve),
            finish: took(Stage::Finish),
        })
    }
}
