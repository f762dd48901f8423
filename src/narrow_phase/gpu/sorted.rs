//! Pairs in the order of their polygons' sizes, where those differ much: invocations that run together then take as many
//! turns as each other, and small polygons have the kernel that was made for them.

use crate::layout::{MAX_POLYGON_VERTICES, WORKGROUP_SIZE};

use super::records::Records;
use super::relation_kernel::Variant;

/// Pairs that are decided together, by the same pipeline: those from the end of the part before to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) variant: Variant,
    pub(super) end: u32,
}

/// The sizes of a join's polygons, and what sorting by them takes.
#[derive(Debug)]
pub(super) struct Sorter {
    /// [`class_of`] each polygon.
    classes: Vec<u8>,
    /// The variants that take polygons of one block, of two, and of any number.
    variants: [Variant; 3],
    /// For each variant, the keys of pairs that need it.
    keys: [Vec<u16>; 3],
    /// By key: how many pairs, then where the next one goes.
    next: Vec<u32>,
}

/// A run of pairs in the order of their sizes.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    pub(super) pairs: Vec<[u32; 2]>,
    /// Where in the run each of them was.
    pub(super) places: Vec<u32>,
    pub(super) parts: Vec<Part>,
}

/// Classes of sizes.
const CLASSES: usize = class_of((MAX_POLYGON_VERTICES as usize).div_ceil(4)) as usize + 1;

impl Sorter {
    /// None where every polygon has at most two blocks: one pipeline without loops takes them all.
    pub(super) fn of(records: &Records) -> Option<Self> {
        let variants = [4, 8, records.most_vertices.max(8)].map(|most| Variant::of(most, records.is_posed()));
        if variants[1] == variants[2] {
            return None;
        }
        let class = |polygon: &crate::layout::Polygon| class_of(polygon.block_count().max(1) as usize);
        let mut keys = [const { Vec::new() }; 3];
        for key in 0..CLASSES * CLASSES {
            let larger = (key / CLASSES).max(key % CLASSES);
            keys[larger.min(2)].push(key as u16);
        }
        let classes = records.polygons.iter().map(class).collect();
        Some(Self { classes, variants, keys, next: vec![0; CLASSES * CLASSES] })
    }

    /// Puts the pairs of a run in order: by variant, then by size of the first polygon, then of the second; of equals the
    /// first comes first.
    pub(super) fn sort(&mut self, run: &[[u32; 2]], b_offset: u32, into: &mut Sorted) {
        let Self { classes, next, .. } = self;
        let key = |[a, b]: [u32; 2]| {
            let [a, b] = [a, b + b_offset].map(|i| usize::from(classes[i as usize]));
            a * CLASSES + b
        };
        next.fill(0);
        for &pair in run {
            next[key(pair)] += 1;
        }
        into.parts.clear();
        let (mut begin, mut end) = (0, 0);
        for (keys, &variant) in self.keys.iter().zip(&self.variants) {
            for &key in keys {
                let count = std::mem::replace(&mut next[usize::from(key)], end);
                end += count;
            }
            // What does not fill a workgroup goes with the larger ones, so that a part begins at a word of codes.
            let is_last = variant == self.variants[2];
            let end = if is_last { end } else { end / WORKGROUP_SIZE * WORKGROUP_SIZE };
            if end > begin {
                into.parts.push(Part { variant, end });
                begin = end;
            }
        }
        into.pairs.resize(run.len(), [0; 2]);
        into.places.resize(run.len(), 0);
        for (place, &pair) in (0..).zip(run) {
            let next = &mut next[key(pair)];
            into.pairs[*next as usize] = pair;
            into.places[*next as usize] = place;
            *next += 1;
        }
    }
}

/// Appends codes of sorted pairs in the order in which the pairs were.
pub(super) fn put_back(codes: &[u8], places: &[u32], into: &mut Vec<u8>) {
    let start = into.len();
    into.resize(start + codes.len(), 0);
    let into = &mut into[start..];
    for (&code, &place) in codes.iter().zip(places) {
        into[place as usize] = code;
    }
}

/// The class of a polygon of so many blocks, at least 1: alone up to 8, then four classes for each doubling.
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
    use crate::layout::Polygon;

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
        // The largest of a class takes at most a quarter more than the least.
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
        // Both sides of a join: four polygons, then four others.
        let counts = [3, 8, 9, 100, 4, 5, 32, 9];
        let mut sorter = Sorter::of(&records(&counts)).unwrap();
        let mut sorted = Sorted::default();
        let mut state = 1u32;
        for length in [0, 1, 63, 64, 65, 1000, 3] {
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
            // Of equals the first comes first.
            let two = sorted.pairs.windows(2).zip(sorted.places.windows(2));
            assert!(two.filter(|(pairs, _)| pairs[0] == pairs[1]).all(|(_, places)| places[0] < places[1]));
            let sizes =
                |&[a, b]: &[u32; 2]| [counts[a as usize], counts[b as usize + 4]].map(|n: u32| n.div_ceil(4));
            let bucket = |pair: &[u32; 2]| sizes(pair).into_iter().max().unwrap().min(3);
            assert!(sorted.pairs.is_sorted_by_key(|pair| (bucket(pair), sizes(pair))));

            // Parts follow each other, begin at a workgroup, and take every polygon of theirs.
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
            assert!(length != 1000 || sorted.parts.len() == 3, "{:?}", sorted.parts);

            let codes: Vec<u8> = sorted.places.iter().map(|&place| place as u8).collect();
            let mut back = vec![7];
            put_back(&codes, &sorted.places, &mut back);
            assert!(back.into_iter().eq([7].into_iter().chain((0..length).map(|place| place as u8))));
        }
    }
}
