//! Encodes the relation kernel into the caller's own command encoder, without readback.

use super::GpuNarrowPhase;
use super::chunk::{PAIR_WORK, PAIR_WORK_OF_SOFTWARE};
use super::hits_kernel::{Hits, HitsKernel, uniform};
use super::relation_kernel::Variant;
#[cfg(doc)]
use crate::Engine;
use crate::base::error::{Error, Result};
use crate::geometry::limits::check_sizes;
use crate::geometry::{Aabb, Pieces, PolygonSet};
use crate::gpu::buffers::{Growable, PolygonBuffers};
use crate::gpu::device::GpuDevice;
use crate::packed::grid::Grid;
use crate::packed::layout::{CODES_PER_WORD, HEADER_WORDS, HIT_INDEX_BITS, RelationParams};
use crate::packed::pack::Packed;

/// Records passes that decide pairs into the caller's own command encoder. The passes read the pairs from one of the
/// caller's buffers, and write the results to another of the caller's buffers. The passes copy no data back to the
/// host. [`Engine::encoder_for`] creates a `RelationEncoder`.
///
/// The polygons are uploaded once. If the polygons move, call [`RelationEncoder::update_poses`] to upload their new
/// poses.
///
/// # Codes
///
/// Each pair has a code of 2 bits: 0 means disjoint, 2 means overlapping, and 3 means uncertain. Code 1 is not used.
/// Every code of 0 or 2 is proven by the error bound of the f32 filter. An *uncertain* pair is a pair that the filter
/// cannot decide. Pairs that touch or nearly touch are uncertain. Pairs of polygons that are too large for one
/// invocation of the shader are also uncertain. Among random polygons, fewer than one pair in 10,000 is uncertain. In
/// tilings, every pair of neighbours is uncertain.
///
/// There are two ways to resolve uncertain pairs. A caller that tolerates false positives can treat code 3 as meeting,
/// because a pair that meets never has code 0. A caller that needs the exact relation reads the uncertain pairs back
/// and passes them to [`Engine::piece_pairs`].
///
/// ```no_run
/// use sat2d::{Engine, PolygonSet, wgpu};
///
/// async fn step(
///     engine: &Engine,
///     set: &PolygonSet,
///     device: &wgpu::Device,
///     queue: &wgpu::Queue,
///     // Buffers of the caller. A pair is two u32, and a code has 2 bits.
///     (pairs, pair_count, codes): (&wgpu::Buffer, u32, &wgpu::Buffer),
/// ) -> sat2d::Result<()> {
///     let relations = engine.encoder_for(set, set).await?;
///     let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
///     // The caller's passes before,
///     relations.encode(&mut encoder, pairs, pair_count, codes)?;
///     // and after, which read the codes where they are.
///     queue.submit([encoder.finish()]);
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct RelationEncoder<'engine> {
    gpu: &'engine GpuNarrowPhase,
    polygons: PolygonBuffers,
    variant: Variant,
    b_offset: u32,
    grid: Grid,
    sizes: [Sizes; 2],
    /// Whether at least one of the two sets is static. The vertices of a static set are packed relative to the grid, so
    /// they depend on the unit of the grid.
    has_static: bool,
    hits_kernel: HitsKernel,
    codes: Growable,
    counts: Growable,
}

/// The sizes of a set of polygons when the encoder was created. [`RelationEncoder::update_poses`] returns an error if
/// the sizes have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sizes {
    vertices: usize,
    shapes: usize,
    pieces: usize,
}

impl Sizes {
    fn of(set: &PolygonSet) -> Self {
        Self { vertices: set.vertex_count(), shapes: set.shape_count(), pieces: set.piece_count() }
    }
}

impl<'engine> RelationEncoder<'engine> {
    /// Uploads the polygons of two sets. Returns [`Error::DeviceLimit`] if they do not fit in one binding,
    /// [`Error::TooMany`] if they have too many items, or a device error.
    pub(crate) async fn new(gpu: &'engine GpuNarrowPhase, a: &PolygonSet, b: &PolygonSet) -> Result<Self> {
        check_sizes(a, other(a, b))?;
        let packed = pack(a, b);
        let records = &packed.records;
        let (needed, available) = (records.largest_bytes(), gpu.device.binding_bytes());
        if needed > available {
            return Err(Error::DeviceLimit { limit: "maxStorageBufferBindingSize", available, needed });
        }
        let mut polygons = PolygonBuffers::default();
        polygons.write(&gpu.device, records).await?;
        let variant = Variant::of(records.most_vertices, records.is_posed());
        gpu.kernel.pipeline(&gpu.device, variant).await?;
        let usage = wgpu::BufferUsages::STORAGE;
        Ok(Self {
            gpu,
            polygons,
            variant,
            b_offset: packed.b_offset,
            grid: packed.grid,
            sizes: [Sizes::of(a), Sizes::of(b)],
            has_static: a.is_static() || b.is_static(),
            hits_kernel: HitsKernel::new(&gpu.device).await?,
            codes: Growable::new("sat2d codes", usage),
            counts: Growable::new("sat2d counts", usage),
        })
    }
}

impl RelationEncoder<'_> {
    /// Index of a word in the header of the buffer that [`RelationEncoder::encode_hits`] writes. The word holds the
    /// total number of hits, including the hits for which the buffer had no room.
    pub const HITS_NEEDED: usize = 0;
    /// Index of the header word that holds the number of hits in the buffer.
    pub const HITS_WRITTEN: usize = 1;
    /// Index of the header word that holds the number of uncertain pairs.
    pub const HITS_UNCERTAIN: usize = 2;
    /// Number of words in the header, before the first hit.
    pub const HITS_HEADER: usize = HEADER_WORDS as usize;

    /// Returns the number of 32-bit words for the codes of `pair_count` pairs. A word holds 16 codes. The code of the
    /// first pair is in the lowest bits.
    #[must_use]
    pub fn code_words(pair_count: u32) -> u32 {
        pair_count.div_ceil(CODES_PER_WORD)
    }

    /// Splits the word of a hit into the index of the pair and the code of the pair. The code is 2 or 3.
    #[must_use]
    pub fn hit(word: u32) -> (u32, u32) {
        (word & ((1 << HIT_INDEX_BITS) - 1), word >> HIT_INDEX_BITS)
    }

    /// Records a pass that reads the first `pair_count` pairs of `pairs`, and writes a code for each pair to `codes`.
    /// Each pair consists of two u32: the index of a piece of `a`, and the index of a piece of `b`. Both buffers need
    /// the usage `STORAGE`. In the last word of `codes`, the bits after the last pair are 0. If one of the two u32 of a
    /// pair is not the index of a piece, the code of this pair is unspecified. A pair with an invalid index has no
    /// other effect.
    ///
    /// # Errors
    /// Returns [`Error::Option`] if a buffer is too small or lacks the usage `STORAGE`. Returns [`Error::DeviceLimit`]
    /// if the pairs do not fit in one buffer binding.
    pub fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        pairs: &wgpu::Buffer,
        pair_count: u32,
        codes: &wgpu::Buffer,
    ) -> Result<()> {
        if pair_count == 0 {
            return Ok(());
        }
        let gpu = &self.gpu.device;
        let pair_bytes = u64::from(pair_count) * size_of::<[u32; 2]>() as u64;
        let code_bytes = u64::from(Self::code_words(pair_count)) * size_of::<u32>() as u64;
        let pairs = self.bound("pairs", pairs, pair_bytes)?;
        let codes = self.bound("codes", codes, code_bytes)?;
        let [groups_x, groups_y] = gpu.groups(pair_count.into());
        let most_turns = if gpu.is_hardware() { PAIR_WORK } else { PAIR_WORK_OF_SOFTWARE } as u32;
        let params = RelationParams {
            first_pair: 0,
            end_pair: pair_count,
            groups_x,
            b_offset: self.b_offset,
            most_turns,
            ..RelationParams::default()
        };
        let params = uniform(gpu, &params);
        let Some(pipeline) = self.gpu.kernel.compiled(self.variant) else {
            return Err(Error::Device { reason: "the pipeline was never made".into() });
        };
        let group = self.gpu.kernel.bind_group(gpu, &params, &self.polygons, pairs, codes)?;
        let descriptor =
            wgpu::ComputePassDescriptor { label: Some("sat2d relation"), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(groups_x, groups_y, 1);
        Ok(())
    }

    /// Records passes that write the hits to the buffer `hits`. A hit is a pair that overlaps or is uncertain. The hits
    /// are in the order of the pairs. The buffer needs the usage `STORAGE`, and must have room for the header.
    ///
    /// The buffer begins with a header of four words: the total number of hits, the number of hits in the buffer, the
    /// number of uncertain pairs, and 0. After the header, there is one word for each hit, with the index and the code
    /// of the pair. [`RelationEncoder::hit`] splits this word. If the buffer is too small for all hits, the passes
    /// write as many hits as fit, in order. [`RelationEncoder::read_hits`] copies the hits to the host.
    ///
    /// # Errors
    /// Fails in the same cases as [`RelationEncoder::encode`]. Returns [`Error::TooMany`] for 2^30 or more pairs. Returns
    /// [`Error::OutOfDeviceMemory`] if the device has no memory left for a buffer.
    pub async fn encode_hits(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        pairs: &wgpu::Buffer,
        pair_count: u32,
        hits: &wgpu::Buffer,
    ) -> Result<()> {
        let limit = (1 << HIT_INDEX_BITS) - 1;
        if pair_count > limit {
            let (count, limit) = (pair_count as usize, limit as usize);
            return Err(Error::TooMany { items: "pairs", count, limit });
        }
        let gpu = &self.gpu.device;
        self.bound("hits", hits, u64::from(HEADER_WORDS) * 4)?;
        let words = u64::from(Self::code_words(pair_count));
        self.codes.reserve(gpu, 4 * words).await?;
        self.counts.reserve(gpu, HitsKernel::count_bytes(words)).await?;
        let (codes, counts) = (self.codes.get()?, self.counts.get()?);
        self.encode(encoder, pairs, pair_count, codes)?;
        let bytes = hits.size().min(gpu.binding_bytes()) & !3;
        self.hits_kernel.encode(gpu, encoder, Hits { words, codes, counts, hits, bytes });
        Ok(())
    }

    /// Uploads the current poses of the pieces. `a` and `b` must be the sets that the encoder was created for. Since
    /// the encoder was created, only the poses of the sets may have changed ([`PolygonSet::set_poses`]). The new poses
    /// apply to all work that is submitted to the queue after this call.
    ///
    /// The method uploads 32 bytes for each piece. The method uploads all polygons again in two cases: if one of the
    /// sets has no poses, or if the extent of the scene has changed so much that the grid of the vertices needs a
    /// different unit.
    ///
    /// # Errors
    /// Returns [`Error::Option`] if the sizes of the sets changed. May return a device error, such as
    /// [`Error::DeviceLost`].
    pub async fn update_poses(&mut self, a: &PolygonSet, b: &PolygonSet) -> Result<()> {
        if [Sizes::of(a), Sizes::of(b)] != self.sizes {
            let value = format!("{} and {} pieces", a.piece_count(), b.piece_count());
            let problem = "differ from the encoder's sets in more than poses; build another";
            return Err(Error::Option { option: "sets", value, problem });
        }
        let gpu = self.gpu;
        let packed = pack(a, b);
        let has_static = a.is_static() || b.is_static();
        let same_unit = packed.grid.quantum == self.grid.quantum && packed.b_offset == self.b_offset;
        let same_blocks = same_unit && !has_static && !self.has_static;
        let records = &packed.records;
        self.variant = Variant::of(records.most_vertices, records.is_posed());
        gpu.kernel.pipeline(&gpu.device, self.variant).await?;
        self.b_offset = packed.b_offset;
        self.grid = packed.grid;
        self.has_static = has_static;
        if same_blocks {
            self.polygons.write_places(&gpu.device, records).await
        } else {
            self.polygons.write(&gpu.device, records).await
        }
    }

    pub(super) fn device(&self) -> &GpuDevice {
        &self.gpu.device
    }

    /// Returns a binding of the first `bytes` of a caller's buffer. Returns [`Error::Option`] if the buffer is too
    /// small or lacks the usage `STORAGE`, and [`Error::DeviceLimit`] if the binding would exceed the device's limit.
    fn bound<'a>(
        &self,
        name: &'static str,
        buffer: &'a wgpu::Buffer,
        bytes: u64,
    ) -> Result<wgpu::BindingResource<'a>> {
        if buffer.size() < bytes {
            let value = format!("a buffer of {} bytes, of {bytes} needed", buffer.size());
            return Err(Error::Option { option: name, value, problem: "is too small" });
        }
        if !buffer.usage().contains(wgpu::BufferUsages::STORAGE) {
            let value = format!("a buffer for {:?}", buffer.usage());
            return Err(Error::Option { option: name, value, problem: "lacks the usage STORAGE" });
        }
        let available = self.gpu.device.binding_bytes();
        if bytes > available {
            let limit = "maxStorageBufferBindingSize";
            return Err(Error::DeviceLimit { limit, available, needed: bytes });
        }
        let size = std::num::NonZeroU64::new(bytes);
        Ok(wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: 0, size }))
    }
}

fn other<'a>(a: &PolygonSet, b: &'a PolygonSet) -> Option<&'a PolygonSet> {
    (!std::ptr::eq(a, b)).then_some(b)
}

fn pack(a: &PolygonSet, b: &PolygonSet) -> Packed {
    let other = other(a, b);
    let extent = |set: &PolygonSet| set.piece_aabbs().into_iter().fold(Aabb::EMPTY, Aabb::union);
    let extent = other.map(extent).into_iter().fold(extent(a), Aabb::union);
    Packed::new(Pieces::of(a), other.map(Pieces::of), Grid::over(extent))
}
