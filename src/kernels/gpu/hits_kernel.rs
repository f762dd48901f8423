//! Compacts codes into a list of hits in three passes: count, prefix sum, write. The hits are in the order of the
//! pairs.

use wgpu::util::DeviceExt;

use crate::base::error::Result;
use crate::gpu::device::GpuDevice;
use crate::gpu::lanes::Lanes;
use crate::packed::layout::{self, HEADER_WORDS, HitsParams};
use crate::packed::wgsl::{text, wgsl};

/// Returns the source of the shader of a pass. `pass` is the source of the entry point of this pass.
pub(super) fn source(pass: &str, lanes: Lanes) -> String {
    layout::wgsl_constants() + &lanes.sums() + &wgsl!("layout", "hits").concat() + pass
}

/// The source of the entry point of each pass, in order.
pub(super) const PASSES: [&str; 3] =
    [text!("/shaders/hits_count.wgsl"), text!("/shaders/hits_scan.wgsl"), text!("/shaders/hits_write.wgsl")];

/// The pipelines of the three passes that compact codes.
#[derive(Debug)]
pub(super) struct HitsKernel {
    passes: [(wgpu::ComputePipeline, wgpu::BindGroupLayout); 3],
}

/// The input of the passes that compact codes, and the buffers that they use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hits<'a> {
    /// The number of 32-bit words that hold the codes of all pairs.
    pub(super) words: u64,
    pub(super) codes: &'a wgpu::Buffer,
    /// A buffer for the number of hits and the number of uncertain pairs of each workgroup. It has at least
    /// [`HitsKernel::count_bytes`] bytes.
    pub(super) counts: &'a wgpu::Buffer,
    pub(super) hits: &'a wgpu::Buffer,
    /// The number of bytes of `hits` that the passes may write. The header must fit in this number of bytes.
    pub(super) bytes: u64,
}

impl HitsKernel {
    pub(super) async fn new(gpu: &GpuDevice) -> Result<Self> {
        let make = |pass: usize| gpu.compute_kernel("sat2d hits", source(PASSES[pass], Lanes::for_sums(gpu)));
        let passes = gpu.checked(0, || [make(0), make(1), make(2)]).await?;
        Ok(Self { passes })
    }

    /// Returns the size in bytes that the buffer [`Hits::counts`] needs for `words` words of codes.
    pub(super) fn count_bytes(words: u64) -> u64 {
        words.div_ceil(layout::WORKGROUP_SIZE.into()).max(1) * size_of::<[u32; 2]>() as u64
    }

    /// Records the three passes into `encoder`: count, prefix sum, write.
    pub(super) fn encode(&self, gpu: &GpuDevice, encoder: &mut wgpu::CommandEncoder, work: Hits<'_>) {
        let [groups_x, groups_y] = gpu.groups(work.words);
        let params = HitsParams {
            word_count: work.words as u32,
            groups_x,
            group_count: work.words.div_ceil(layout::WORKGROUP_SIZE.into()) as u32,
            capacity: (work.bytes / 4).saturating_sub(HEADER_WORDS.into()) as u32,
        };
        let params = uniform(gpu, &params);
        let [params, codes, counts] =
            [params.as_entire_binding(), work.codes.as_entire_binding(), work.counts.as_entire_binding()];
        let size = std::num::NonZeroU64::new(work.bytes);
        let hits = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: work.hits, offset: 0, size });
        let bound = [
            vec![params.clone(), codes.clone(), counts.clone()],
            vec![params.clone(), counts.clone(), hits.clone()],
            vec![params, codes, counts, hits],
        ];
        let groups = [[groups_x, groups_y], [1, 1], [groups_x, groups_y]];
        let descriptor = wgpu::ComputePassDescriptor { label: Some("sat2d hits"), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        for (((pipeline, layout), bound), [x, y]) in self.passes.iter().zip(bound).zip(groups) {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &gpu.bind_group("sat2d hits", layout, &bound), &[]);
            pass.dispatch_workgroups(x, y, 1);
        }
    }
}

/// Creates a uniform buffer that holds `params`. Each recording has its own buffer, so that recordings can have
/// different parameters.
pub(super) fn uniform<T: bytemuck::NoUninit>(gpu: &GpuDevice, params: &T) -> wgpu::Buffer {
    gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("sat2d params"),
        contents: bytemuck::bytes_of(params),
        usage: wgpu::BufferUsages::UNIFORM,
    })
}
