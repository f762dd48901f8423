//! Orders boxes along a space-filling curve. Boxes that are neighbours in the plane are mostly neighbours in this
//! order.
//!
//! The centre of each box is rounded to a cell. The cells are numbered along Hilbert's curve (1891, "Ueber die stetige
//! Abbildung einer Linie auf ein Flächenstück"). A cell may hold more boxes than a leaf, because outliers stretch the
//! extent or because clusters contain clusters. The boxes of such a cell are ordered again, in cells of their own
//! extent.

use std::ops::Range;

use super::lanes::LANES;
use super::tree::{TreeMemory, emptied};
use super::vectors::{Task, Vectors, on_widest};
use crate::Aabb;
use crate::base::large_pages::with_room;
use crate::base::parallel::current_num_threads;
use crate::base::parallel::prelude::*;
use crate::simd::{FORMS, lesser, prefetch};

/// The base-2 logarithm of the number of cells along an axis. The position of a cell along the curve then has 32 bits, and
/// fits the upper half of a sort key. The lower half of a key is the index of a box.
const CELL_BITS: u32 = 16;
/// This value replaces [`CELL_BITS`] if there are fewer than [`PARALLEL_KEYS`] boxes, unless many boxes would share a cell.
/// With this value, there is still at least one cell for each box, and the sort has fewer bits to process.
const FEW_KEYS_CELL_BITS: u32 = 9;
/// This value replaces [`CELL_BITS`] if there are at least [`PARALLEL_KEYS`] and fewer than [`VERY_MANY_KEYS`] boxes,
/// unless many boxes would share a cell.
const MANY_KEYS_CELL_BITS: u32 = 11;
/// The number of boxes that one task reads.
const TASK: usize = 4096;
/// With fewer keys than this, the sort compares keys instead of digits.
const RADIX_KEYS: usize = 128;
/// With fewer keys than this, [`Grid::over`] does not test whether many boxes share cells.
const SAMPLED_KEYS: usize = 1024;
/// With at least this many keys, the sort is parallel for any number of threads, except in WebAssembly.
const PARALLEL_KEYS: usize = 1 << 18;
/// With at least this many keys, the sort is parallel if there are at least [`SEVERAL_THREADS`] threads, except in
/// WebAssembly. The parallel sort has more passes, so it needs several threads to be faster.
const PARALLEL_KEYS_OF_SEVERAL: usize = 1 << 14;
/// With at least this many threads, [`PARALLEL_KEYS_OF_SEVERAL`] applies.
const SEVERAL_THREADS: usize = 4;
/// With at least this many keys, cells always have [`CELL_BITS`] bits.
const VERY_MANY_KEYS: usize = 1 << 23;
/// The limit on the magnitude of twice a centre, on each axis. Boxes may reach to infinity, but values computed from
/// centres must be finite.
const MOST_CENTRE: f64 = 1e270;
/// The greatest aspect ratio of a leaf. The least aspect ratio is its inverse.
const MOST_ASPECT: f64 = 1e30;
/// The keys are sorted in runs: a run consists of the keys of one cell. While one run is sorted, the boxes of the next
/// run are prefetched, unless the next run has more keys than this.
const MOST_AHEAD: usize = 64;
/// The maximum number of boxes in a sample. One sample estimates the sizes of the boxes, another estimates how many
/// boxes share a cell.
const SAMPLE: usize = 1024;

/// Returns the indices of `boxes` in the order of their centres along the curve, without boxes that are empty or have
/// NaN. Boxes with equal centres are in the order of their indices. The caller must have checked that an index fits 32
/// bits.
pub(crate) fn order(boxes: &[Aabb]) -> Vec<u32> {
    order_within(boxes, None, &mut TreeMemory::default())
}

/// Returns the indices of `boxes` along the curve, as [`order`] does. Unlike [`order`], reuses the memory of an earlier
/// tree. `twice_centres` is the box around the centres of all boxes, with all coordinates multiplied by 2, or `None` if
/// it is not known. If it is given, no box may be empty.
pub(super) fn order_within(boxes: &[Aabb], twice_centres: Option<Aabb>, memory: &mut TreeMemory) -> Vec<u32> {
    let [mut keys, mut spare] = std::mem::take(&mut memory.keys);
    keys = emptied(keys, boxes.len());
    (0..boxes.len()).into_par_iter().with_min_len(TASK).map(|index| index as u64).collect_into(&mut keys);
    let known = twice_centres.filter(|_| cfg!(not(target_family = "wasm")));
    let known = known.map(|around| Extent { min: around.min.into(), max: around.max.into() });
    let extent = match known.or_else(|| Extent::of_all(boxes)) {
        Some(extent) => extent,
        None => {
            keys.retain(|&key| has_points(&boxes[key as usize]));
            Extent::of(boxes, &keys)
        }
    };
    let mut unordered = sort(boxes, extent, &mut keys, &mut spare);
    while let Some(run) = unordered.pop() {
        // The boxes of the next run can be anywhere in memory, so they are prefetched.
        let next = unordered.last().filter(|next| next.len() <= MOST_AHEAD).cloned().unwrap_or_default();
        for &key in &keys[next] {
            prefetch(&boxes[key as u32 as usize]);
        }
        let (start, keys) = (run.start, &mut keys[run]);
        let runs = sort(boxes, Extent::of(boxes, keys), keys, &mut spare);
        unordered.extend(runs.into_iter().map(|run| start + run.start..start + run.end));
    }
    // The tree needs one place for each lane, including the unused lanes of the last leaf.
    let mut order = emptied(std::mem::take(&mut memory.order), keys.len().next_multiple_of(LANES));
    keys.par_iter().with_min_len(TASK).map(|&key| key as u32).collect_into(&mut order);
    memory.keys = [keys, spare];
    order
}

fn has_points(bounds: &Aabb) -> bool {
    (bounds.min.x <= bounds.max.x) & (bounds.min.y <= bounds.max.y)
}

/// Sorts keys along the curve. The lower halves of the keys are ascending indices of boxes within `extent`. The
/// function overwrites the upper halves with positions along the curve. Returns the runs of keys that must be sorted
/// again, in finer cells.
fn sort(boxes: &[Aabb], extent: Extent, keys: &mut [u64], spare: &mut Vec<u64>) -> Vec<Range<usize>> {
    let Some(grid) = Grid::over(extent, boxes, keys) else { return Vec::new() };
    if keys.len() <= TASK {
        on_widest(Place { grid, boxes, keys });
    } else {
        keys.par_chunks_mut(TASK).for_each(|keys| on_widest(Place { grid, boxes, keys }));
    }
    if keys.len() < RADIX_KEYS {
        keys.sort_unstable();
    } else {
        radix_sort(keys, grid.cell_bits, spare);
    }
    let same_cell = |a: u64, b: u64| a >> 32 == b >> 32;
    // If one cell holds all boxes, their centres differ too little for any scale, so they are not sorted again.
    if same_cell(keys[0], keys[keys.len() - 1]) || !has_long_run(keys, same_cell) {
        return Vec::new();
    }
    let mut end = 0;
    let runs = keys.chunk_by(|&a, &b| same_cell(a, b)).map(|run| {
        end += run.len();
        end - run.len()..end
    });
    runs.filter(|run| run.len() > LANES).collect()
}

/// Returns true if more keys than fit in a leaf lie in one cell. Keys in the same cell must be consecutive.
fn has_long_run(keys: &[u64], same_cell: impl Fn(u64, u64) -> bool + Sync) -> bool {
    (0..keys.len().div_ceil(TASK)).into_par_iter().any(|task| {
        let end = keys.len().min((task + 1) * TASK + LANES);
        keys[task * TASK..end].windows(LANES + 1).any(|run| same_cell(run[0], run[LANES]))
    })
}

/// Sorts keys by their upper halves, which are positions of cells with `cell_bits` bits for each coordinate. Keys with
/// equal upper halves keep their order.
fn radix_sort(keys: &mut [u64], cell_bits: u32, spare: &mut Vec<u64>) {
    if spare.len() < keys.len() {
        *spare = with_room(keys.len());
        if cfg!(target_family = "wasm") {
            spare.resize(keys.len(), 0);
        } else {
            (0..keys.len()).into_par_iter().with_min_len(TASK).map(|_| 0).collect_into(spare);
        }
    }
    let spare = &mut spare[..keys.len()];
    let is_parallel = keys.len() >= PARALLEL_KEYS
        || keys.len() >= PARALLEL_KEYS_OF_SEVERAL && current_num_threads() >= SEVERAL_THREADS;
    if FORMS && is_parallel {
        return sort_in_parts(keys, cell_bits, spare);
    }
    if FORMS && cell_bits == FEW_KEYS_CELL_BITS {
        sort_by_digits::<FEW_KEYS_CELL_BITS, 512, 2>(keys, spare);
    } else {
        sort_by_digits::<8, 256, 4>(keys, spare);
    }
}

/// Sorts keys by their upper halves, in parallel, with the same result as [`radix_sort`]. First sorts the keys by the highest
/// eight bits. All keys with the same value of these bits form a part, which fits a cache and is then sorted separately.
fn sort_in_parts(keys: &mut [u64], cell_bits: u32, spare: &mut [u64]) {
    let counts = scatter(keys, spare, 32 + 2 * cell_bits - 8);
    let (mut keys, mut spare) = (keys, spare);
    let parts: Vec<_> = counts
        .iter()
        .map(|&count| {
            let (keys_part, spare_part);
            (keys_part, keys) = std::mem::take(&mut keys).split_at_mut(count);
            (spare_part, spare) = std::mem::take(&mut spare).split_at_mut(count);
            (spare_part, keys_part)
        })
        .collect();
    // After an even number of digits, the result is in `from`, so it must be copied to `to`.
    match cell_bits {
        FEW_KEYS_CELL_BITS => parts.into_par_iter().for_each(|(from, to)| {
            sort_by_digits::<5, 32, 2>(from, to);
            to.copy_from_slice(from);
        }),
        MANY_KEYS_CELL_BITS => parts.into_par_iter().for_each(|(from, to)| {
            sort_by_digits::<7, 128, 2>(from, to);
            to.copy_from_slice(from);
        }),
        _ => parts.into_par_iter().for_each(|(from, to)| sort_by_digits::<8, 256, 3>(from, to)),
    }
}

/// Copies the keys of `from` to `to`, ordered only by the eight bits from bit `shift` on. Keys with equal bits keep
/// their order. Returns the number of keys for each value of the bits.
fn scatter(from: &[u64], mut to: &mut [u64], shift: u32) -> [usize; 256] {
    // There are several chunks for each thread. The order of the keys does not depend on the chunks.
    let chunk = (from.len() / 64).clamp(TASK, 1 << 14);
    let byte = |key: u64| (key >> shift) as usize & 0xff;
    let count = |keys: &[u64]| {
        let mut counts = [0; 256];
        keys.iter().for_each(|&key| counts[byte(key)] += 1);
        counts
    };
    let counts: Vec<[usize; 256]> = from.par_chunks(chunk).map(count).collect();
    let mut places: Vec<Vec<std::slice::IterMut<'_, u64>>> = counts.iter().map(|_| Vec::new()).collect();
    let mut totals = [0; 256];
    for value in 0..256 {
        for (counts, places) in counts.iter().zip(&mut places) {
            let part;
            (part, to) = to.split_at_mut(counts[value]);
            places.push(part.iter_mut());
            totals[value] += counts[value];
        }
    }
    from.par_chunks(chunk).zip(places).for_each(|(keys, mut places)| {
        for &key in keys {
            *places[byte(key)].next().expect("each key was counted") = key;
        }
    });
    totals
}

/// Sorts keys by the lowest `DIGITS` digits of their upper halves, digit by digit. Each digit has `BITS` bits and
/// `VALUES` values. After an even number of digits, the result is in `keys`. Otherwise, it is in `spare`, which has the
/// same length.
fn sort_by_digits<const BITS: u32, const VALUES: usize, const DIGITS: usize>(
    keys: &mut [u64],
    spare: &mut [u64],
) {
    const { assert!(VALUES == 1 << BITS) };
    let digit = |key: u64, place: usize| (key >> (32 + BITS * place as u32)) as usize & (VALUES - 1);
    let mut ends = [[0_u32; VALUES]; DIGITS];
    for &key in &*keys {
        for (place, ends) in ends.iter_mut().enumerate() {
            ends[digit(key, place)] += 1;
        }
    }
    let (mut from, mut to) = (keys, spare);
    for (place, next) in ends.iter_mut().enumerate() {
        let mut sum = 0;
        for next in next.iter_mut() {
            sum += std::mem::replace(next, sum);
        }
        for &key in &*from {
            let next = &mut next[digit(key, place)];
            to[*next as usize] = key;
            *next += 1;
        }
        (from, to) = (to, from);
    }
}

/// The box around some centres, with all coordinates multiplied by 2.
#[derive(Clone, Copy, Debug)]
struct Extent {
    min: [f64; 2],
    max: [f64; 2],
}

impl Extent {
    const NONE: Self = Self { min: [f64::INFINITY; 2], max: [f64::NEG_INFINITY; 2] };

    /// Returns the extent of the centres of all boxes, or `None` if a box is empty or has NaN.
    fn of_all(boxes: &[Aabb]) -> Option<Self> {
        let parts = boxes.par_chunks(TASK).map(|boxes| {
            let (mut all_have_points, mut extent) = (true, Self::NONE);
            for bounds in boxes {
                all_have_points &= has_points(bounds);
                extent = extent.with(twice_centre(bounds));
            }
            (all_have_points, extent)
        });
        let all = parts.reduce_with(|a, b| (a.0 & b.0, a.1.union(b.1))).unwrap_or((true, Self::NONE));
        all.0.then_some(all.1)
    }

    /// Returns the extent of the centres of the boxes whose indices are the lower halves of `keys`.
    fn of(boxes: &[Aabb], keys: &[u64]) -> Self {
        let of_part = |keys: &[u64]| {
            let centres = keys.iter().map(|&key| twice_centre(&boxes[key as u32 as usize]));
            centres.fold(Self::NONE, Self::with)
        };
        if keys.len() <= TASK {
            return of_part(keys);
        }
        keys.par_chunks(TASK).map(of_part).reduce_with(Self::union).unwrap_or(Self::NONE)
    }

    #[inline(always)]
    fn with(self, c: [f64; 2]) -> Self {
        self.union(Self { min: c, max: c })
    }

    #[inline(always)]
    fn union(self, other: Self) -> Self {
        let (min, max) = (self.min, self.max);
        Self {
            min: [lesser(min[0], other.min[0]), lesser(min[1], other.min[1])],
            max: [-lesser(-max[0], -other.max[0]), -lesser(-max[1], -other.max[1])],
        }
    }
}

/// A grid of cells over the box around the centres of some boxes.
#[derive(Clone, Copy, Debug)]
struct Grid {
    /// The least x and the least y of the centres, multiplied by 2.
    min: [f64; 2],
    /// For each axis, the number of cells per unit of `2 * centre`. The cell of a box is `(2 * centre - min) * scale`,
    /// rounded down.
    scale: [f64; 2],
    /// The base-2 logarithm of the number of cells along an axis.
    cell_bits: u32,
}

impl Grid {
    /// Returns a grid, or `None` if all centres are equal or there are no centres.
    fn over(Extent { min, max }: Extent, boxes: &[Aabb], keys: &[u64]) -> Option<Self> {
        if keys.is_empty() {
            return None;
        }
        let extent = [max[0] - min[0], max[1] - min[1]];
        if extent == [0.0; 2] {
            return None;
        }
        let aspect = Self::leaf_aspect(boxes, keys, extent);
        let extent = [extent[0] / aspect, extent[1]];
        let most = -lesser(-extent[0], -extent[1]);
        let of_bits = |cell_bits: u32| {
            let scale = lesser(f64::from(1 << cell_bits) / most, f64::MAX);
            Self { min, scale: [scale / aspect, scale], cell_bits }
        };
        let large = of_bits(match keys.len() {
            0..PARALLEL_KEYS => FEW_KEYS_CELL_BITS,
            PARALLEL_KEYS..VERY_MANY_KEYS => MANY_KEYS_CELL_BITS,
            _ => CELL_BITS,
        });
        let has_few_keys = keys.len() < SAMPLED_KEYS;
        Some(if has_few_keys || !large.is_crowded(boxes, keys) { large } else { of_bits(CELL_BITS) })
    }

    /// Returns whether many boxes share a cell: true if the average box shares its cell with more than half a leaf of other
    /// boxes. A sample estimates the average. If the result is true, most boxes would have to be sorted again.
    fn is_crowded(&self, boxes: &[Aabb], keys: &[u64]) -> bool {
        let mut cells = [0; SAMPLE];
        let sample = keys.iter().step_by(keys.len().div_ceil(SAMPLE));
        let count = sample.len();
        for (cell, &key) in cells.iter_mut().zip(sample) {
            let [x, y] = self.cell(&boxes[key as u32 as usize]);
            *cell = u64::from(x << self.cell_bits | y);
        }
        let cells = &mut cells[..count];
        cells.sort_unstable();
        // The number of boxes that share a cell with a box is estimated as the number of boxes times the chance that
        // two boxes share a cell.
        let sharing = cells.chunk_by(|a, b| a == b).map(|run| run.len() * (run.len() - 1)).sum::<usize>();
        sharing as u64 * keys.len() as u64 > (count * count * LANES / 2) as u64
    }

    /// Returns the best aspect ratio (width to height) of a leaf, from `1 / MOST_ASPECT` to [`MOST_ASPECT`].
    ///
    /// Two leaves of extent `e` with boxes of size `s` meet with a probability that grows with `e + s` on each axis.
    /// The best aspect ratio of a leaf is therefore the aspect ratio of its boxes. For example, long flat boxes should
    /// be divided by y only. The shape of boxes that are much smaller than a leaf has little effect.
    fn leaf_aspect(boxes: &[Aabb], keys: &[u64], extent: [f64; 2]) -> f64 {
        // Uses the size of a leaf that has half as many boxes. The size of a whole leaf would hide the shape of boxes
        // that are about as large.
        let half = (LANES / 2) as f64;
        let leaf = extent[0].sqrt() * extent[1].sqrt() * (half / keys.len() as f64).sqrt();
        // The bits of a positive number grow about like its logarithm, so the mean of the bits approximates a geometric
        // mean. A few outliers change this mean little, and it is the same on every machine.
        let (mut sums, mut count) = ([0_u64; 2], 0);
        for &key in keys.iter().step_by(keys.len().div_ceil(SAMPLE)) {
            let bounds = &boxes[key as u32 as usize];
            let sizes = [bounds.max.x - bounds.min.x, bounds.max.y - bounds.min.y];
            for axis in 0..2 {
                // The extent is the extent of twice the centres, so the size is doubled, too.
                let size = lesser(2.0 * sizes[axis], extent[axis]) + leaf;
                sums[axis] += size.to_bits() >> 20;
            }
            count += 1;
        }
        let [width, height] = sums.map(|sum| f64::from_bits((sum / count) << 20));
        // If neither the boxes nor the leaf have a size, the ratio is NaN, and the function prefers no axis.
        let aspect = width / height;
        if aspect > 0.0 { aspect.clamp(1.0 / MOST_ASPECT, MOST_ASPECT) } else { 1.0 }
    }

    /// Returns the cell of a box, on each axis.
    #[inline(always)]
    fn cell(&self, bounds: &Aabb) -> [u32; 2] {
        // Adding 2^52 puts the integer into the lowest bits. A conversion would also test for NaN.
        const INTEGERS: f64 = (1_u64 << 52) as f64;
        let (centre, last) = (twice_centre(bounds), f64::from((1 << self.cell_bits) - 1));
        let cell = |axis: usize| lesser((centre[axis] - self.min[axis]) * self.scale[axis], last) + INTEGERS;
        [cell(0).to_bits() as u32, cell(1).to_bits() as u32]
    }
}

/// The task of writing the position of each box along the curve to the upper half of its key.
struct Place<'a> {
    grid: Grid,
    boxes: &'a [Aabb],
    keys: &'a mut [u64],
}

impl Task for Place<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vectors>(self, _vectors: V) {
        match self.grid.cell_bits {
            CELL_BITS if FORMS => self.place(CELL_BITS),
            FEW_KEYS_CELL_BITS if FORMS => self.place(FEW_KEYS_CELL_BITS),
            MANY_KEYS_CELL_BITS if FORMS => self.place(MANY_KEYS_CELL_BITS),
            bits => self.place(bits),
        }
    }
}

impl Place<'_> {
    #[inline(always)]
    fn place(self, cell_bits: u32) {
        let Self { grid, boxes, keys } = self;
        let (blocks, rest) = keys.as_chunks_mut::<64>();
        for keys in blocks {
            place_block::<64>(grid, cell_bits, boxes, keys);
        }
        for keys in rest.chunks_mut(16) {
            place_block::<16>(grid, cell_bits, boxes, keys);
        }
    }
}

/// Computes the positions along the curve for up to `BLOCK` keys. `BLOCK` is a multiple of the lane counts of all
/// vectors.
#[inline(always)]
fn place_block<const BLOCK: usize>(grid: Grid, cell_bits: u32, boxes: &[Aabb], keys: &mut [u64]) {
    let (mut x, mut y) = ([0; BLOCK], [0; BLOCK]);
    for ((key, x), y) in keys.iter().zip(&mut x).zip(&mut y) {
        [*x, *y] = grid.cell(&boxes[*key as u32 as usize]);
    }
    let mut places = [0; BLOCK];
    for ((place, x), y) in places.iter_mut().zip(x).zip(y) {
        *place = along_curve(cell_bits, x, y);
    }
    for (key, place) in keys.iter_mut().zip(places) {
        *key = u64::from(place) << 32 | u64::from(*key as u32);
    }
}

/// Returns the centre of a box, times two. The result is finite.
#[inline(always)]
fn twice_centre(bounds: &Aabb) -> [f64; 2] {
    let centre = |min: f64, max: f64| {
        let sum = min + max;
        let sum = if sum.is_nan() { 0.0 } else { sum };
        -lesser(-lesser(sum, MOST_CENTRE), MOST_CENTRE)
    };
    [centre(bounds.min.x, bounds.max.x), centre(bounds.min.y, bounds.max.y)]
}

/// Returns the position of a cell along Hilbert's curve. Each coordinate has `bits` bits.
///
/// The curve of a square consists of the curves of its quarters, one after another: up the first column, down the
/// second. The curve of the first quarter has x and y exchanged. The curve of the last quarter has x and y exchanged,
/// and runs backwards on both axes.
#[inline(always)]
fn along_curve(bits: u32, x: u32, y: u32) -> u32 {
    // Exchanging x and y, or inverting both, does not change whether their bits differ.
    let differ = x ^ y;
    // The orientation of the curve in the current square, at the next bit.
    let (mut is_exchanged, mut is_backwards) = (0, 0);
    let mut turned_y = 0;
    let mut bit = 1 << (bits - 1);
    for _ in 0..bits {
        let up = (y ^ is_backwards ^ (differ & is_exchanged)) & bit;
        let down = up ^ bit;
        turned_y |= up;
        is_exchanged = (is_exchanged ^ down) >> 1;
        is_backwards = (is_backwards ^ (differ & down)) >> 1;
        bit >>= 1;
    }
    spread(turned_y ^ differ) << 1 | spread(differ)
}

/// Returns the lower 16 bits of `x`, with a 0 before each bit.
#[inline(always)]
fn spread(x: u32) -> u32 {
    let x = (x | x << 8) & 0x00ff_00ff;
    let x = (x | x << 4) & 0x0f0f_0f0f;
    let x = (x | x << 2) & 0x3333_3333;
    (x | x << 1) & 0x5555_5555
}

#[cfg(test)]
mod tests;
