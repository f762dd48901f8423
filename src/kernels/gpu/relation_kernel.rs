//! The relation kernel: its pipelines, and a dispatch from pairs to codes.

use std::sync::OnceLock;

use super::sorted::Part;
use crate::base::error::Result;
use crate::gpu::buffers::PolygonBuffers;
use crate::gpu::device::GpuDevice;
use crate::gpu::dispatch::{Flight, Slot};
use crate::gpu::lanes::Lanes;
use crate::packed::layout::{self, BITS_PER_CODE, CODES_PER_WORD, RelationParams, UNCERTAIN};
use crate::packed::wgsl::wgsl;

/// The variant of the relation kernel. It depends on the maximum number of vertices of a polygon, and on whether the
/// polygons have poses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The maximum number of vertices of a polygon: 4, 8, or `u32::MAX` for any number.
    most_vertices: u32,
    posed: bool,
}

impl Variant {
    const SIZES: [u32; 3] = [4, 8, u32::MAX];

    /// Returns the variant for polygons with at most `most_vertices` vertices. `posed` is set if the polygons have
    /// poses.
    pub fn of(most_vertices: u32, posed: bool) -> Self {
        let most_vertices = Self::SIZES.into_iter().find(|&size| most_vertices <= size).unwrap_or(u32::MAX);
        Self { most_vertices, posed }
    }

    pub(super) fn all() -> impl Iterator<Item = Self> {
        Self::SIZES
            .into_iter()
            .flat_map(|most_vertices| [false, true].map(|posed| Self { most_vertices, posed }))
    }

    /// Returns true if the variant accepts polygons with `vertices` vertices.
    #[cfg(test)]
    pub(super) fn takes(self, vertices: u32) -> bool {
        vertices <= self.most_vertices
    }

    fn index(self) -> usize {
        Self::all().position(|v| v == self).unwrap_or(0)
    }

    /// Returns the constants from Rust followed by `shader`. In WGSL, the order of declarations does not matter.
    pub fn source(self, shader: &str) -> String {
        let Self { most_vertices, posed } = self;
        layout::wgsl_constants()
            + &format!("const MOST_VERTICES: u32 = {most_vertices}u;\nconst POSED: bool = {posed};\n")
            + shader
    }
}

/// Returns the WGSL source of the shader: the records, the shared geometry functions and the entry point. Rust adds the
/// constants later.
pub fn shader(lanes: Lanes) -> String {
    shader_with(wgsl!("relation_codes")[0], lanes)
}

/// Returns the WGSL source of the shader, to which Rust adds the constants later. `codes` is the part of the source
/// that computes the code of a pair.
pub(super) fn shader_with(codes: &str, lanes: Lanes) -> String {
    wgsl!("layout", "filter", "relation_4", "relation_8", "relation_any", "relation").concat()
        + codes
        + &lanes.codes()
}

/// The pipelines of the relation kernel. Each pipeline is compiled when a query first needs it.
#[derive(Debug)]
pub struct RelationKernel {
    shader: String,
    /// The layout of the bindings of every variant.
    pub layout: wgpu::BindGroupLayout,
    pipelines: [OnceLock<wgpu::ComputePipeline>; 6],
}

impl RelationKernel {
    /// Creates the kernel without its pipelines, which are compiled on first use. Returns a device error if the device
    /// rejects the layout of the bindings.
    pub async fn new(gpu: &GpuDevice, shader: &str) -> Result<Self> {
        let layout = gpu.checked(0, || gpu.bind_group_layout("sat2d relation", shader)).await?;
        Ok(Self { shader: shader.into(), layout, pipelines: Default::default() })
    }

    /// Returns the pipeline of a variant, or `None` if it is not compiled yet.
    pub(super) fn compiled(&self, variant: Variant) -> Option<&wgpu::ComputePipeline> {
        self.pipelines[variant.index()].get()
    }

    /// Returns the pipeline of a variant, and compiles it on first use. Returns a device error if the device rejects
    /// the shader.
    pub async fn pipeline(&self, gpu: &GpuDevice, variant: Variant) -> Result<&wgpu::ComputePipeline> {
        let slot = &self.pipelines[variant.index()];
        if let Some(pipeline) = slot.get() {
            return Ok(pipeline);
        }
        let compile = || {
            let module = gpu.shader_module("sat2d relation", variant.source(&self.shader));
            gpu.compute_pipeline("sat2d relation", &self.layout, &module)
        };
        let pipeline = gpu.checked(0, compile).await?;
        Ok(slot.get_or_init(|| pipeline))
    }

    /// Binds the buffers of a dispatch. Returns [`crate::Error::Device`] if the polygons were never uploaded.
    pub fn bind_group(
        &self,
        gpu: &GpuDevice,
        params: &wgpu::Buffer,
        polygons: &PolygonBuffers,
        pairs: wgpu::BindingResource<'_>,
        codes: wgpu::BindingResource<'_>,
    ) -> Result<wgpu::BindGroup> {
        let PolygonBuffers { polygons, placements, blocks } = polygons;
        let bound = [params, polygons.get()?, placements.get()?, blocks.get()?];
        let [params, polygons, placements, blocks] = bound.map(|buffer| buffer.as_entire_binding());
        let bound = [params, polygons, placements, blocks, pairs, codes];
        Ok(gpu.bind_group("sat2d relation", &self.layout, &bound))
    }
}

impl RelationKernel {
    /// Submits the pairs in the slot's input buffer, in one step for each part of the sorted pairs. The pairs refer to
    /// the polygons of `resident`. If `resident` is `None`, they refer to the polygons that the slot carries.
    /// `least_area` and `least_part` are the thresholds of the area kernel. The other kernels ignore them. Returns a
    /// device error if the device rejects the commands.
    pub(super) async fn submit(
        &self,
        gpu: &GpuDevice,
        parts: &[Part],
        mut slot: Slot,
        resident: Option<&PolygonBuffers>,
        b_offset: u32,
        [least_area, least_part]: [f32; 2],
    ) -> Result<Flight> {
        let count = parts.last().map_or(0, |part| part.end as usize);
        let words = count.div_ceil(CODES_PER_WORD as usize);
        let bytes = (words * size_of::<u32>()) as u64;
        slot.reserve(gpu, bytes).await?;
        let mut steps = Vec::with_capacity(parts.len());
        let mut first_pair = 0;
        for (index, part) in parts.iter().enumerate() {
            let groups = gpu.groups((part.end - first_pair).into());
            let params = RelationParams {
                first_pair,
                end_pair: part.end,
                groups_x: groups[0],
                b_offset,
                most_turns: u32::MAX,
                least_area,
                least_part,
            };
            first_pair = part.end;
            slot.write_params(gpu, index, params).await?;
            let [pairs, codes] = [slot.input.get()?, slot.output.get()?].map(wgpu::Buffer::as_entire_binding);
            let polygons = resident.unwrap_or(&slot.carried);
            let group = self.bind_group(gpu, slot.params[index].get()?, polygons, pairs, codes)?;
            steps.push((self.pipeline(gpu, part.variant).await?, group, groups));
        }
        slot.submit(gpu, "sat2d relation", &steps, bytes).await
    }
}

/// Unpacks `count` codes of 2 bits, and appends one byte for each code to `codes`. The first code is in the lowest
/// bits.
pub(super) fn unpack(words: &[u8], count: usize, codes: &mut Vec<u8>) {
    const PER_BYTE: usize = (u8::BITS / BITS_PER_CODE) as usize;
    // Spreads the four codes of a byte to four bytes. The first step moves the upper two codes to their own half.
    let four = |byte: u8| {
        let two = (u32::from(byte) * ((1 << 12) | 1)) & 0x000f_000f;
        ((two * ((1 << 6) | 1)) & (UNCERTAIN * 0x0101_0101)).to_le_bytes()
    };
    let start = codes.len();
    codes.resize(start + count, 0);
    let (whole, last) = codes[start..].as_chunks_mut::<PER_BYTE>();
    for (codes, &byte) in whole.iter_mut().zip(words) {
        *codes = four(byte);
    }
    let rest = words.get(whole.len()).map_or([0; PER_BYTE], |&byte| four(byte));
    last.iter_mut().zip(rest).for_each(|(code, rest)| *code = rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unpacked_one_by_one() {
        let words: Vec<u8> = (0..=u8::MAX).rev().collect();
        for count in [0, 1, 3, 4, 5, 511, 1022, 1024] {
            let one = |k: usize| words[k / 4] >> (2 * (k % 4)) & 3;
            let mut codes = vec![9];
            unpack(&words, count, &mut codes);
            assert!(codes.into_iter().eq([9].into_iter().chain((0..count).map(one))), "{count}");
        }
    }
}
