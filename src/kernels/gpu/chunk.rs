//! Divides a list of pairs into dispatches. If the device cannot hold all polygons of the join, each dispatch carries the
//! polygons of its own pairs.

use crate::packed::layout::{
    Block, CODES_PER_WORD, MAX_POLYGON_VERTICES, MotionRecord, Polygon, WORKGROUP_SIZE,
};

use crate::gpu::device::GpuDevice;
use crate::packed::pack::Records;

/// The maximum number of iterations of the kernel's inner loop in one dispatch. A slow device runs this many iterations
/// in well under 2 seconds. After 2 seconds, a desktop driver would reset the device.
pub(super) const DISPATCH_WORK: u64 = 1 << 26;
/// The maximum number of iterations of the kernel's inner loop for one pair. One invocation runs all of them.
pub(super) const PAIR_WORK: u64 = 1 << 18;
/// On a software adapter, the maximum number of iterations of the kernel's inner loop for one pair. Mesa's llvmpipe
/// runs 8 or 16 invocations as one vector. It silently ends every loop after 65,535 iterations, counted over all these
/// invocations (`LP_MAX_TGSI_LOOP_ITERATIONS`).
pub(super) const PAIR_WORK_OF_SOFTWARE: u64 = 4_000;
/// The work of a measurement of a pair, divided by the work of the filter for the same pair. A measurement takes more work,
/// because it processes edges one by one for gaps, and vertices one by one for closest points.
const FIGURE_WORK: u64 = 16;
/// The maximum number of pairs in one dispatch. The number is small enough that several dispatches are in flight at
/// once, and large enough that the fixed cost of a dispatch is a small part of its time.
pub(super) const DISPATCH_PAIRS: u64 = 1 << 18;

/// Divides a list of pairs into runs. One dispatch decides the pairs of one run.
#[derive(Debug)]
pub(super) struct Cut<'a> {
    records: &'a Records,
    b_offset: u32,
    max_pairs: usize,
    /// The maximum number of iterations of the kernel's inner loop for one pair.
    pair_work: u64,
    dispatch_work: u64,
    /// Whether any `max_pairs` pairs of the join fit in one dispatch, whatever their polygons are.
    always_fits: bool,
    /// The room for the polygons that a dispatch carries, or `None` if the device holds all polygons of the join.
    room: Option<Room>,
    /// For each polygon, 1 plus the index of the run in which the polygon was last counted, so that a run counts each
    /// of its polygons once.
    counted_in: Vec<u32>,
    run: u32,
}

#[derive(Clone, Copy, Debug)]
struct Room {
    blocks: u64,
    polygons: u64,
}

impl<'a> Cut<'a> {
    pub(super) fn new(device: &GpuDevice, records: &'a Records, b_offset: u32, resident: bool) -> Self {
        let bytes = device.binding_bytes();
        let groups = u64::from(device.limits.max_compute_workgroups_per_dimension).pow(2);
        let max_pairs = (bytes / size_of::<[u32; 2]>() as u64)
            .min(bytes / 4 * u64::from(CODES_PER_WORD))
            .min(groups.saturating_mul(WORKGROUP_SIZE.into()))
            .min(DISPATCH_PAIRS);
        let room = (!resident).then(|| Room {
            blocks: bytes / size_of::<Block>() as u64,
            polygons: bytes / size_of::<Polygon>() as u64,
        });
        let counted_in = if resident { Vec::new() } else { vec![0; records.polygons.len()] };
        let pair_work = if device.is_hardware() { PAIR_WORK } else { PAIR_WORK_OF_SOFTWARE };
        let most = work_of(records.most_vertices.into(), records.most_vertices.into());
        let always_fits = resident
            && records.most_vertices <= MAX_POLYGON_VERTICES
            && most <= pair_work
            && most.saturating_mul(max_pairs) <= DISPATCH_WORK;
        Self {
            records,
            b_offset,
            max_pairs: max_pairs as usize,
            pair_work,
            dispatch_work: DISPATCH_WORK,
            always_fits,
            room,
            counted_in,
            run: 0,
        }
    }

    /// Returns the division into runs for a kernel that measures pairs. A measurement takes more work than the filter.
    pub(super) fn for_figures(
        device: &GpuDevice,
        records: &'a Records,
        b_offset: u32,
        resident: bool,
    ) -> Self {
        let mut cut = Self::new(device, records, b_offset, resident);
        cut.pair_work /= FIGURE_WORK;
        cut.dispatch_work /= FIGURE_WORK;
        let most = work_of(records.most_vertices.into(), records.most_vertices.into());
        cut.always_fits &=
            most <= cut.pair_work && most.saturating_mul(cut.max_pairs as u64) <= cut.dispatch_work;
        cut
    }

    /// Returns the division into runs for a kernel of moving polygons, which reads each polygon many times. If the
    /// device does not hold all polygons, a dispatch carries two motions for each of its polygons: the motion as a
    /// polygon of A, and the motion as a polygon of B.
    pub(super) fn for_moving(
        device: &GpuDevice,
        records: &'a Records,
        b_offset: u32,
        resident: bool,
    ) -> Self {
        let mut cut = Self::for_figures(device, records, b_offset, resident);
        cut.always_fits = false;
        cut.dispatch_work /= 4;
        if let Some(room) = &mut cut.room {
            room.polygons =
                room.polygons * size_of::<Polygon>() as u64 / (2 * size_of::<MotionRecord>() as u64);
        }
        cut
    }

    /// Returns the number of pairs that one dispatch decides, from the first pair of `pairs` on. Returns 0 if the first
    /// pair is too large even for a dispatch of its own.
    pub(super) fn run_length(&mut self, pairs: &[[u32; 2]]) -> usize {
        if self.always_fits {
            return pairs.len().min(self.max_pairs);
        }
        self.run += 1;
        let (mut work, mut blocks, mut polygons) = (0, 0, 0);
        for (length, &[a, b]) in pairs.iter().enumerate().take(self.max_pairs) {
            let named = [a as usize, (b + self.b_offset) as usize];
            let counts = named.map(|i| u64::from(self.records.polygons[i].vertex_count()));
            let pair_work = work_of(counts[0], counts[1]);
            work += pair_work;
            if let Some(room) = self.room {
                for i in named {
                    if self.counted_in[i] != self.run {
                        self.counted_in[i] = self.run;
                        blocks += u64::from(self.records.polygons[i].block_count());
                        polygons += 1;
                    }
                }
                if blocks > room.blocks || polygons > room.polygons {
                    return length;
                }
            }
            let too_large = counts.contains(&0) || pair_work > self.pair_work;
            if too_large || (work > self.dispatch_work && length > 0) {
                return length;
            }
        }
        pairs.len().min(self.max_pairs)
    }
}

/// Returns the number of iterations of the kernel's inner loop for two polygons with `a` and `b` vertices. For each
/// block of eight edges of one polygon, the loop reads every block of four vertices of the other polygon.
fn work_of(a: u64, b: u64) -> u64 {
    a.div_ceil(8) * b.div_ceil(4) + b.div_ceil(8) * a.div_ceil(4)
}

/// The data that a dispatch carries: the pairs of a run, and, if the device does not hold all polygons of the join, the
/// polygons of these pairs.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) pairs: Vec<[u32; 2]>,
    pub(super) records: Records,
    /// For each polygon of the join, 1 plus its index among the carried polygons, or 0 if the run does not carry the
    /// polygon.
    index_of: Vec<u32>,
    named: Vec<u32>,
}

impl Gathered {
    /// Copies every polygon of `pairs`, each of them only once. Replaces the indices in the pairs by the indices of the
    /// copies.
    pub(super) fn gather(&mut self, pairs: &[[u32; 2]], all: &Records, b_offset: u32) {
        self.index_of.resize(all.polygons.len(), 0);
        for i in self.named.drain(..) {
            self.index_of[i as usize] = 0;
        }
        self.pairs.clear();
        self.records.clear();
        for &[a, b] in pairs {
            let pair = [self.index(a, all), self.index(b + b_offset, all)];
            self.pairs.push(pair);
        }
    }

    /// Returns the motions of the carried polygons: first the motion of each polygon as a polygon of A, then the motion
    /// of each polygon as a polygon of B. If a polygon does not belong to a side, its motion for this side is empty.
    pub(super) fn motions(&self, a: &[MotionRecord], b: &[MotionRecord], b_offset: u32) -> Vec<MotionRecord> {
        let as_a = self.named.iter().map(|&i| a.get(i as usize));
        let as_b = self.named.iter().map(|&i| i.checked_sub(b_offset).and_then(|i| b.get(i as usize)));
        as_a.chain(as_b).map(|motion| motion.copied().unwrap_or_default()).collect()
    }

    /// Returns the index of the copy of a polygon. Copies the polygon if no earlier pair of the run has named it.
    pub(super) fn index(&mut self, polygon: u32, all: &Records) -> u32 {
        let known = self.index_of[polygon as usize];
        if known > 0 {
            return known - 1;
        }
        let index = self.records.polygons.len() as u32;
        self.index_of[polygon as usize] = index + 1;
        self.named.push(polygon);
        let source = all.polygons[polygon as usize];
        let first_block = self.records.blocks.len() as u32;
        let run = &all.blocks[source.first_block as usize..][..source.block_count() as usize];
        self.records.blocks.extend_from_slice(run);
        self.records.polygons.push(Polygon { first_block, ..source });
        if let Some(placement) = all.placements.get(polygon as usize) {
            self.records.placements.push(*placement);
        }
        index
    }
}
