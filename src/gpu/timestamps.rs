//! Measures the time of a compute pass with timestamp queries.

use super::device::GpuDevice;
use crate::base::error::Result;

/// Measures the beginning and the end of a compute pass by the clock of the device.
#[derive(Debug)]
pub struct Timestamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
}

/// The size in bytes of the two timestamps of a pass.
pub const TIMESTAMP_BYTES: u64 = 2 * wgpu::QUERY_SIZE as u64;

impl Timestamps {
    /// Creates the timestamp queries. Returns `None` if the device has no timestamp queries, and a device error if the
    /// device fails.
    pub async fn new(gpu: &GpuDevice) -> Result<Option<Self>> {
        use wgpu::BufferUsages as Usage;
        if !gpu.has_timestamps() {
            return Ok(None);
        }
        let made = gpu.checked(TIMESTAMP_BYTES, || Self {
            queries: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("sat2d timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("sat2d timestamps"),
                size: TIMESTAMP_BYTES,
                usage: Usage::QUERY_RESOLVE | Usage::COPY_SRC,
                mapped_at_creation: false,
            }),
        });
        made.await.map(Some)
    }

    /// Returns the timestamp queries that the measured pass must write at its beginning and its end.
    pub fn writes(&self) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }
    }

    /// Records a command that copies both timestamps to `buffer`, from byte `offset` on.
    pub fn copy_to(&self, encoder: &mut wgpu::CommandEncoder, buffer: &wgpu::Buffer, offset: u64) {
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, buffer, offset, TIMESTAMP_BYTES);
    }

    /// Returns the beginning and the end of a pass in nanoseconds, from the bytes of its two timestamps. If the device
    /// reports an end before the beginning, the second number is less than the first.
    pub(crate) fn nanoseconds(gpu: &GpuDevice, bytes: &[u8]) -> [f64; 2] {
        let [begin, end] = ticks_of(bytes);
        // Some devices count from 1970. The upper bits of such a count would leave no room for the lower bits in an
        // f64.
        let from = begin & LOW_TICKS;
        let to = from as f64 + end.wrapping_sub(begin).cast_signed() as f64;
        [from as f64, to].map(|ticks| ticks * f64::from(gpu.queue.get_timestamp_period()))
    }
}

/// The mask of the lowest 52 bits of a tick count, which an f64 represents exactly. If a tick is a nanosecond, the masked count
/// starts again at 0 after 52 days.
const LOW_TICKS: u64 = (1 << 52) - 1;

/// Returns the beginning and the end of a pass in ticks of the device's clock, from the bytes of its two timestamps.
pub fn ticks_of(bytes: &[u8]) -> [u64; 2] {
    [0, 8].map(|at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default()))
}
