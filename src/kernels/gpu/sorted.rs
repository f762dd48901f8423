//! Sorts pairs by the sizes of their polygons if a polygon has more than 8 vertices. Invocations that run together then have
//! loops of the same length, and small polygons use the kernel for small polygons.

use crate::packed::layout::{MAX_POLYGON_VERTICES, WORKGROUP_SIZE};

use super::relation_kernel::Variant;
use crate::base::parallel::prelude::*;
use crate::packed::pack::Records;

/// A part of the sorted pairs that one pipeline decides. A part begins where the previous part ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The variant that decides the pairs of the part.
    pub variant: Variant,
    /// The index in the sorted pairs after the last pair of the part.
    pub end: u32,
}

/// Sorts the pairs of a join by the sizes of their polygons. It keeps the sizes and the memory for sorting.
#[derive(Debug)]
pub struct Sorter {
    /// The size class of each polygon, from [`class_of`].
    classes: Vec<u8>,
    /// The variants of the kernel: for polygons with one block of vertices, with two blocks, and with any number of
    /// blocks.
    variants: [Variant; VARIANTS],
    /// For each variant of the kernel, the keys of the pairs that need it. A key combines the size classes of the two
    /// polygons of a pair.
    keys: [Vec<u16>; VARIANTS],
    /// One number for each task and each key. While the pairs are counted, the number is the count of the task's pairs
    /// with this key. While the pairs are sorted, it is the position of the next pair with this key, within the pairs
    /// that the task has for one variant.
    next: Vec<u32>,
}

/// A run of pairs, sorted by the variant of the kernel. Within a variant, the pairs of each task are consecutive and
/// sorted by size.
#[derive(Debug, Default)]
pub struct Sorted {
    /// The pairs of the run, sorted by the variant of the kernel.
    pub pairs: Vec<[u32; 2]>,
    /// For each sorted pair, its index in the run before sorting.
    pub places: Vec<u32>,
    /// The parts of the sorted pairs, at most one for each variant.
    pub parts: Vec<Part>,
    /// For each task, the number of its pairs for each variant.
    shares: Vec<[usize; VARIANTS]>,
}

const VARIANTS: usize = 3;
/// The number of size classes of polygons.
const CLASSES: usize = class_of((MAX_POLYGON_VERTICES as usize).div_ceil(4)) as usize + 1;
/// The number of pairs that one task sorts. The number is so large that few workgroups have pairs of two tasks, and so
/// small that every thread gets some tasks.
const TASK: usize = 1 << 14;

impl Sorter {
    /// Returns a sorter for the pairs of a join. Returns `None` if every polygon has at most two blocks, because one
    /// pipeline without loops then accepts all polygons.
    pub fn of(records: &Records) -> Option<Self> {
        let variants = [
            Variant::of(4, records.is_posed()),
            Variant::of(8, records.is_posed()),
            Variant::of(records.most_vertices.max(8), records.is_posed()),
        ];
        if variants[1] == variants[2] {
            return None;
        }
        let class =
            |polygon: &crate::packed::layout::Polygon| class_of(polygon.block_count().max(1) as usize);
        let mut keys = [const { Vec::new() }; VARIANTS];
        for key in 0..CLASSES * CLASSES {
            keys[variant_of(key)].push(key as u16);
        }
        let classes = records.polygons.par_iter().with_light_work().map(class).collect();
        Some(Self { classes, variants, keys, next: Vec::new() })
    }

    /// Sorts the pairs of a run by variant, then by task, then by the size class of the first polygon, then by the size
    /// class of the second polygon. Pairs that compare equal keep their order.
    pub fn sort(&mut self, run: &[[u32; 2]], b_offset: u32, into: &mut Sorted) {
        let Self { classes, keys, next, .. } = self;
        let key = |[a, b]: [u32; 2]| {
            let [a, b] = [usize::from(classes[a as usize]), usize::from(classes[(b + b_offset) as usize])];
            a * CLASSES + b
        };
        let task_count = run.len().div_ceil(TASK);
        next.clear();
        next.resize(task_count * CLASSES * CLASSES, 0);
        into.shares.resize(task_count, [0; VARIANTS]);
        let tasks = next.par_chunks_mut(CLASSES * CLASSES).zip(run.par_chunks(TASK));
        tasks.zip(&mut into.shares).for_each(|((next, run), shares)| {
            for &pair in run {
                next[key(pair)] += 1;
            }
            for (keys, share) in keys.iter().zip(shares) {
                let mut end = 0;
                for &key in keys {
                    let count = std::mem::replace(&mut next[usize::from(key)], end);
                    end += count;
                }
                *share = end as usize;
            }
        });
        into.set_parts(&self.variants);
        into.places.resize(run.len(), 0);
        let out = in_shares(&mut into.places, &into.shares).into_iter().zip(run.chunks(TASK));
        let tasks: Vec<_> = out.zip(next.chunks_mut(CLASSES * CLASSES)).collect();
        tasks.into_par_iter().enumerate().for_each(|(task, ((out, run), next))| {
            for (place, &pair) in ((task * TASK) as u32..).zip(run) {
                let key = key(pair);
                out[variant_of(key)][next[key] as usize] = place;
                next[key] += 1;
            }
        });
        into.pairs.resize(run.len(), [0; 2]);
        let pairs = into.pairs.par_chunks_mut(TASK).zip(into.places.par_chunks(TASK));
        pairs.for_each(|(pairs, places)| {
            for (pair, &place) in pairs.iter_mut().zip(places) {
                *pair = run[place as usize];
            }
        });
    }
}

impl Sorted {
    fn set_parts(&mut self, variants: &[Variant; VARIANTS]) {
        self.parts.clear();
        let (mut begin, mut end) = (0, 0);
        for (index, &variant) in variants.iter().enumerate() {
            end += self.shares.iter().map(|shares| shares[index] as u32).sum::<u32>();
            // Pairs that do not fill a workgroup join the next variant, so that each part begins at a whole word of
            // codes.
            let is_last = variant == variants[VARIANTS - 1];
            let end = if is_last { end } else { end / WORKGROUP_SIZE * WORKGROUP_SIZE };
            if end > begin {
                self.parts.push(Part { variant, end });
                begin = end;
            }
        }
    }

    /// Appends the codes of the sorted pairs to `into`, in the original order of the pairs.
    pub(super) fn put_back(&self, codes: &[u8], into: &mut Vec<u8>) {
        let start = into.len();
        into.resize(start + codes.len(), 0);
        into[start..].par_chunks_mut(TASK).enumerate().for_each(|(task, into)| {
            let mut begin = 0;
            for variant in 0..VARIANTS {
                // In each variant, the pairs of earlier tasks come before the pairs of this task.
                let share = |task: usize| self.shares[task][variant];
                let first = begin + (0..task).map(share).sum::<usize>();
                let own = first..first + share(task);
                for (&code, &place) in codes[own.clone()].iter().zip(&self.places[own]) {
                    into[place as usize - task * TASK] = code;
                }
                begin += (0..self.shares.len()).map(share).sum::<usize>();
            }
        });
    }
}

/// Returns the index of the variant that the pairs with the key `key` need.
fn variant_of(key: usize) -> usize {
    (key / CLASSES).max(key % CLASSES).min(VARIANTS - 1)
}

/// Divides a list, which has one value for each pair in the order of [`Sorted`], into slices. Each slice has the values
/// of one task for one variant.
fn in_shares<'a, T>(mut rest: &'a mut [T], shares: &[[usize; VARIANTS]]) -> Vec<[&'a mut [T]; VARIANTS]> {
    let mut out: Vec<_> = shares.iter().map(|_| [(); VARIANTS].map(|()| <&mut [T]>::default())).collect();
    for variant in 0..VARIANTS {
        for (out, shares) in out.iter_mut().zip(shares) {
            (out[variant], rest) = rest.split_at_mut(shares[variant]);
        }
    }
    out
}

/// Returns the size class of a polygon with `blocks` blocks of vertices, at least 1. Up to 8 blocks, each number of
/// blocks has its own class. Above 8 blocks, each doubling of this number has four classes.
const fn class_of(blocks: usize) -> u8 {
    let before = blocks - 1;
    if before < 8 {
        return before as u8;
    }
    let octave = before.ilog2();
    (8 + (octave - 3) * 4 + (before >> (octave - 2) & 3) as u32) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::layout::Polygon;

    fn records(counts: &[u32]) -> Records {
        let polygon = |&count: &u32| Polygon::new([0, 0], 0, count, 0.0, 0.0);
        Records {
            polygons: counts.iter().map(polygon).collect(),
            most_vertices: counts.iter().copied().max().unwrap_or(0),
            ..Records::default()
        }
    }

    #[test]
    fn classes_grow_with_sizes_and_stay_within_their_number() {
        let classes: Vec<u8> = (1..=MAX_POLYGON_VERTICES.div_ceil(4)).map(|n| class_of(n as usize)).collect();
        assert_eq!(classes[..8], [0, 1, 2, 3, 4, 5, 6, 7]);
        assert!(classes.windows(2).all(|two| two[0] == two[1] || two[0] + 1 == two[1]));
        assert_eq!(usize::from(classes[classes.len() - 1]) + 1, CLASSES);
        // The largest number of blocks in a class is at most a quarter greater than the smallest.
        for (n, &class) in classes.iter().enumerate() {
            let least = classes.iter().position(|&c| c == class).unwrap();
            assert!((n + 1) * 4 <= (least + 1) * 5, "{} and {}", n + 1, least + 1);
        }
    }

    #[test]
    fn polygons_of_one_pipeline_are_not_sorted() {
        for counts in [&[3, 4][..], &[3, 8], &[5, 7], &[]] {
            assert!(Sorter::of(&records(counts)).is_none(), "{counts:?}");
        }
        assert!(Sorter::of(&records(&[3, 9])).is_some());
    }

    #[test]
    fn runs_are_sorted_by_size_and_put_back() {
        // The two sides of a join: four polygons of A, then four polygons of B.
        let counts = [3, 8, 9, 100, 4, 5, 32, 9];
        let mut sorter = Sorter::of(&records(&counts)).unwrap();
        let mut sorted = Sorted::default();
        let mut state = 1u32;
        for length in [0, 1, 63, 64, 65, 1000, TASK as u32, 3 * TASK as u32 + 5, 3] {
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state >> 30
            };
            let run: Vec<[u32; 2]> = (0..length).map(|_| [next(), next()]).collect();
            sorter.sort(&run, 4, &mut sorted);
            let named: Vec<[u32; 2]> = sorted.places.iter().map(|&place| run[place as usize]).collect();
            assert_eq!(sorted.pairs, named);
            let mut places = sorted.places.clone();
            places.sort_unstable();
            assert!(places.into_iter().eq(0..length), "each once");
            // Equal pairs keep their order.
            let two = sorted.pairs.windows(2).zip(sorted.places.windows(2));
            assert!(two.filter(|(pairs, _)| pairs[0] == pairs[1]).all(|(_, places)| places[0] < places[1]));
            let sizes =
                |&[a, b]: &[u32; 2]| [counts[a as usize].div_ceil(4), counts[b as usize + 4].div_ceil(4)];
            let bucket = |pair: &[u32; 2]| sizes(pair).into_iter().max().unwrap().min(3);
            let key = |(pair, place): (&[u32; 2], &u32)| (bucket(pair), *place as usize / TASK, sizes(pair));
            assert!(sorted.pairs.iter().zip(&sorted.places).map(key).is_sorted());

            // The parts follow each other, begin at a workgroup, and accept all their polygons.
            let mut begin = 0;
            for part in &sorted.parts {
                assert!(begin % WORKGROUP_SIZE == 0 && begin < part.end);
                let pairs = &sorted.pairs[begin as usize..part.end as usize];
                let most =
                    pairs.iter().flat_map(|&[a, b]| [counts[a as usize], counts[b as usize + 4]]).max();
                assert!(part.variant.takes(most.unwrap()), "{part:?}");
                begin = part.end;
            }
            assert_eq!(begin, length);
            assert!(length < 1000 || sorted.parts.len() == 3, "{:?}", sorted.parts);

            let codes: Vec<u8> = sorted.places.iter().map(|&place| place as u8).collect();
            let mut back = vec![7];
            sorted.put_back(&codes, &mut back);
            assert!(back.into_iter().eq([7].into_iter().chain((0..length).map(|place| place as u8))));
        }
    }
}
