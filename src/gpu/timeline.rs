//! Records time spans: of the packing and upload of each part of the polygons, and of the upload, the kernel and the
//! readback of each dispatch.

use std::time::Duration;

use crate::answers::results::{StageSpan, Timings};
use crate::base::clock::Instant;

/// The recorded time spans of the stages of chunks. In the stages of a dispatch, a chunk is the list of pairs of this
/// dispatch. In the stages `pack` and `upload polygons`, a chunk is a part of the polygons.
#[derive(Debug)]
pub(crate) struct Recorder {
    epoch: Instant,
    spans: Vec<StageSpan>,
    chunks: u32,
    /// The time at which the host noticed that the device had decided the latest chunk.
    busy_until: Instant,
    /// The offset between the device's clock and `epoch`, in nanoseconds: `time since epoch = device time + offset`. It
    /// is the least offset for which no kernel begins before its submission. `None` before the first measured kernel.
    clock_offset: Option<f64>,
}

impl Default for Recorder {
    fn default() -> Self {
        let now = Instant::now();
        Self { epoch: now, spans: Vec::new(), chunks: 0, busy_until: now, clock_offset: None }
    }
}

impl Recorder {
    /// Records the time span of a stage of a chunk on the host. Returns the length of the span.
    pub(crate) fn span(&mut self, chunk: u32, stage: &'static str, begin: Instant, end: Instant) -> Duration {
        let since = |at: Instant| at.saturating_duration_since(self.epoch);
        self.spans.push(StageSpan { chunk, stage, begin: since(begin), end: since(end) });
        end.saturating_duration_since(begin)
    }

    /// Records that a chunk was submitted to the device. Returns the index of the chunk.
    pub(crate) fn upload(&mut self, begin: Instant, end: Instant, timings: &mut Timings) -> u32 {
        let chunk = self.chunks;
        self.chunks += 1;
        timings.upload += self.span(chunk, "upload", begin, end);
        chunk
    }

    /// Records that the device has decided a chunk. `on_device` is the beginning and the end of the kernel by the
    /// device's clock, in nanoseconds, or `None` if the device has no clock.
    pub(crate) fn kernel(
        &mut self,
        chunk: u32,
        submitted: Instant,
        done: Instant,
        on_device: Option<[f64; 2]>,
        timings: &mut Timings,
    ) {
        // Dispatches run one after another. The time for which a chunk waits for earlier chunks is not part of its own
        // time.
        let begin = submitted.max(self.busy_until);
        timings.kernel += done.saturating_duration_since(begin);
        self.busy_until = done;
        let Some([from, to]) = on_device.filter(|[from, to]| from <= to) else {
            self.span(chunk, "kernel", begin.min(done), done);
            return;
        };
        let on_device = Duration::from_nanos((to - from) as u64);
        timings.kernel_on_device = Some(timings.kernel_on_device.unwrap_or_default() + on_device);
        let earliest = submitted.saturating_duration_since(self.epoch).as_nanos() as f64 - from;
        let offset = self.clock_offset.map_or(earliest, |offset| offset.max(earliest));
        self.clock_offset = Some(offset);
        let at = |ticks: f64| Duration::from_nanos((ticks + offset).max(0.0) as u64);
        self.spans.push(StageSpan { chunk, stage: "kernel", begin: at(from), end: at(to) });
    }

    /// Records that the host has read the answers of a chunk, from `begin` to `end`.
    pub(crate) fn readback(&mut self, chunk: u32, begin: Instant, end: Instant, timings: &mut Timings) {
        timings.readback += self.span(chunk, "readback", begin, end);
    }

    /// Returns all recorded spans, relative to the time `start`.
    pub(crate) fn spans_since(&self, start: Instant) -> Vec<StageSpan> {
        let shift = self.epoch.saturating_duration_since(start);
        let shifted =
            |span: &StageSpan| StageSpan { begin: span.begin + shift, end: span.end + shift, ..*span };
        self.spans.iter().map(shifted).collect()
    }
}
