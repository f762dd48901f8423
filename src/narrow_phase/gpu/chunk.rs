//! How many pairs one dispatch takes, and the polygons that it carries where not all are on the device.

use crate::layout::{CODES_PER_WORD, Instance, Shape, WORKGROUP_SIZE};
use crate::pack::Packed;

use super::device::GpuDevice;

/// Loop iterations of one dispatch, at most: well under 2 seconds on a slow device, after which a
/// desktop driver would reset it.
const DISPATCH_WORK: u64 = 1 << 28;
/// Loop iterations that one pair takes, at most: one invocation does them all.
const PAIR_WORK: u64 = 1 << 22;
/// The same on a software adapter. Mesa's llvmpipe ends every loop, in silence, once the 8 or 16 invocations that it
/// runs as one vector have gone around 65,535 times together (`LP_MAX_TGSI_LOOP_ITERATIONS`).
const PAIR_WORK_OF_SOFTWARE: u64 = 4_000;

/// Cuts pairs into runs that one dispatch takes.
#[derive(Debug)]
pub(super) struct Cut<'a> {
    packed: &'a Packed,
    max_pairs: usize,
    pair_work: u64,
    /// Room for the polygons of a run, where it carries them.
    room: Option<Room>,
    /// Run in which an instance was last counted, one more than its number.
    counted_in: Vec<u32>,
    run: u32,
}

#[derive(Clone, Copy, Debug)]
struct Room {
    vertices: u64,
    instances: u64,
}

impl<'a> Cut<'a> {
    pub(super) fn new(device: &GpuDevice, packed: &'a Packed, resident: bool) -> Self {
        let bytes = device.binding_bytes();
        let groups = u64::from(device.limits.max_compute_workgroups_per_dimension).pow(2);
        let max_pairs = (bytes / size_of::<[u32; 2]>() as u64)
            .min(bytes / 4 * u64::from(CODES_PER_WORD))
            .min(groups.saturating_mul(WORKGROUP_SIZE.into()))
            .min(1 << 30);
        let room = (!resident).then(|| Room {
            vertices: bytes / size_of::<[f32; 2]>() as u64,
            instances: bytes / size_of::<Instance>().max(size_of::<Shape>()) as u64,
        });
        let counted_in = if resident { Vec::new() } else { vec![0; packed.instances.len()] };
        let pair_work = if device.is_hardware() { PAIR_WORK } else { PAIR_WORK_OF_SOFTWARE };
        Self { packed, max_pairs: max_pairs as usize, pair_work, room, counted_in, run: 0 }
    }

    /// How many of the first pairs one dispatch takes; 0 where the first alone is too large.
    pub(super) fn run_length(&mut self, pairs: &[[u32; 2]]) -> usize {
        self.run += 1;
        let (mut work, mut vertices, mut instances) = (0, 0, 0);
        for (length, &[a, b]) in pairs.iter().enumerate().take(self.max_pairs) {
            let named = [a as usize, (b + self.packed.b_offset) as usize];
            let counts = named.map(|i| self.vertex_count(i));
            // Every edge of either, and every vertex of the other for each.
            let pair_work = 2 * counts[0] * counts[1] + counts[0] + counts[1];
            work += pair_work;
            if let Some(room) = self.room {
                for (i, count) in named.into_iter().zip(counts) {
                    if self.counted_in[i] != self.run {
                        self.counted_in[i] = self.run;
                        vertices += count;
                        instances += 1;
                    }
                }
                if vertices > room.vertices || instances > room.instances {
                    return length;
                }
            }
            if pair_work > self.pair_work || (work > DISPATCH_WORK && length > 0) {
                return length;
            }
        }
        pairs.len().min(self.max_pairs)
    }

    fn vertex_count(&self, instance: usize) -> u64 {
        self.packed.shapes[self.packed.instances[instance].shape_index as usize].vertex_count.into()
    }
}

/// What a run carries: its pairs, and the polygons that they name if those are not on the device.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) pairs: Vec<[u32; 2]>,
    pub(super) vertices: Vec<[f32; 2]>,
    pub(super) shapes: Vec<Shape>,
    pub(super) instances: Vec<Instance>,
    /// New index of an instance of the join, one more than it, where it has one.
    index_of: Vec<u32>,
    named: Vec<u32>,
}

impl Gathered {
    /// Pairs of instances in the pool of both sides.
    pub(super) fn name_pairs(&mut self, pairs: &[[u32; 2]], b_offset: u32) {
        self.pairs.clear();
        self.pairs.extend(pairs.iter().map(|&[a, b]| [a, b + b_offset]));
    }

    /// Copies the polygons that `pairs` name, each once, and renumbers the pairs.
    pub(super) fn gather(&mut self, pairs: &[[u32; 2]], packed: &Packed) {
        self.index_of.resize(packed.instances.len(), 0);
        for i in self.named.drain(..) {
            self.index_of[i as usize] = 0;
        }
        self.pairs.clear();
        self.vertices.clear();
        self.shapes.clear();
        self.instances.clear();
        for &[a, b] in pairs {
            let pair = [a, b + packed.b_offset].map(|i| self.index(i, packed));
            self.pairs.push(pair);
        }
    }

    fn index(&mut self, instance: u32, packed: &Packed) -> u32 {
        let known = self.index_of[instance as usize];
        if known > 0 {
            return known - 1;
        }
        let index = self.instances.len() as u32;
        self.index_of[instance as usize] = index + 1;
        self.named.push(instance);
        let source = packed.instances[instance as usize];
        let shape = packed.shapes[source.shape_index as usize];
        let run = shape.vertex_offset as usize..(shape.vertex_offset + shape.vertex_count) as usize;
        self.shapes.push(Shape { vertex_offset: self.vertices.len() as u32, ..shape });
        self.vertices.extend_from_slice(&packed.vertices[run]);
        self.instances.push(Instance { shape_index: index, ..source });
        index
    }
}
