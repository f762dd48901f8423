//! Sorts pairs of objects with a bucket sort. As chunks of pairs arrive, each pair is put into the bucket of its first
//! object. At the end, each bucket is sorted separately.

use std::ops::Range;

use crate::answers::results::{RelatedPair, Relation};
use crate::base::error::{Error, Result};
use crate::base::large_pages::ask_for_large_pages;
use crate::base::room::append;
use crate::base::sorting::sort_unstable;

/// The base-2 logarithm of the usual number of first objects per bucket. A bucket has all pairs of its first objects. If
/// there are very many first objects, each bucket has more first objects, so that the number of buckets stays limited.
/// [`Buckets::fine`] may give each bucket fewer first objects.
const BUCKET_SHIFT: u32 = 10;
/// The base-2 logarithm of the greatest number of buckets. The number is limited because each [`Run`], which is a part of
/// the pairs, stores an offset for each bucket.
const MOST_BUCKETS_SHIFT: u32 = 12;
/// The base-2 logarithm of the least number of buckets that [`Buckets::fine`] creates. There are fewer buckets if there
/// are fewer first objects.
const FINE_BUCKETS_SHIFT: u32 = 8;
/// The least and the greatest number of pairs in a run. A run is a part of the pairs, stored bucket after bucket.
/// Within these limits, a run has about [`BUCKET_PAIRS`] pairs per bucket.
const RUN_PAIRS: std::ops::RangeInclusive<usize> = 1 << 14..=1 << 16;
/// The intended average number of pairs of a run in one bucket.
const BUCKET_PAIRS: usize = 64;
/// A bucket with fewer keys than this is sorted by comparison. A bucket with more keys is sorted digit by digit.
const FEW_KEYS: usize = 128;
/// If a bucket is sorted digit by digit, a digit has at most this many bits.
const DIGIT_BITS: u32 = 10;
/// The number of bits of a sort key that hold [`Item::mark`].
const MARK_BITS: u32 = 2;

/// A pair of objects with two bits of data.
pub(super) trait Item: Copy + Send + Sync {
    /// The item that fills memory before the real items are written.
    const NONE: Self;

    /// Creates an item from a pair of objects and two bits of data.
    fn of(objects: [u32; 2], mark: u32) -> Self;

    /// Returns the indices of the two objects.
    fn objects(&self) -> [u32; 2];

    /// Returns the two bits of data.
    fn mark(&self) -> u32;
}

impl Item for RelatedPair {
    const NONE: Self = Self { a: 0, b: 0, relation: Relation::Disjoint };

    #[inline(always)]
    fn of([a, b]: [u32; 2], mark: u32) -> Self {
        const RELATIONS: [Relation; 1 << MARK_BITS] =
            [Relation::Disjoint, Relation::Touching, Relation::Overlapping, Relation::Disjoint];
        Self { a, b, relation: RELATIONS[mark as usize % RELATIONS.len()] }
    }

    #[inline(always)]
    fn objects(&self) -> [u32; 2] {
        [self.a, self.b]
    }

    #[inline(always)]
    fn mark(&self) -> u32 {
        self.relation as u32
    }
}

impl Item for [u32; 2] {
    const NONE: Self = [0; 2];

    #[inline(always)]
    fn of(objects: [u32; 2], _: u32) -> Self {
        objects
    }

    #[inline(always)]
    fn objects(&self) -> [u32; 2] {
        *self
    }

    #[inline(always)]
    fn mark(&self) -> u32 {
        0
    }
}

/// Buckets of pairs by their first object. Each bucket but the last has the same number of first objects.
///
/// In a bucket, a pair is stored as a key. From the highest bits to the lowest, the key has the position of the first object in
/// the bucket, the second object, and the mark.
#[derive(Clone, Copy)]
pub(super) struct Buckets {
    /// The base-2 logarithm of the number of first objects in a bucket.
    shift: u32,
    pub(super) count: usize,
    /// The number of bits that the index of a second object takes in a key.
    second_bits: u32,
}

impl Buckets {
    /// Creates buckets for pairs of objects. `first` is the number of objects that can be the first object of a pair,
    /// and `second` is the number of objects that can be the second object.
    pub(super) fn of(first: usize, second: usize) -> Self {
        let bits = |objects: usize| objects.max(1).ilog2() + 1;
        let shift = bits(first).saturating_sub(MOST_BUCKETS_SHIFT).max(BUCKET_SHIFT);
        Self { shift, count: (first >> shift) + 1, second_bits: bits(second) }
    }

    /// Creates the same buckets as [`Buckets::of`], but more and smaller buckets if there are few first objects. Even
    /// if few first objects have very many pairs, these pairs are then sorted in many parts.
    pub(super) fn fine(first: usize, second: usize) -> Self {
        let coarse = Self::of(first, second);
        let shift = coarse.shift.min(first.max(1).ilog2().saturating_sub(FINE_BUCKETS_SHIFT));
        Self { shift, count: (first >> shift) + 1, ..coarse }
    }

    /// Returns the number of pairs in a run. The number does not depend on the number of threads.
    pub(super) fn run_pairs(self) -> usize {
        let pairs = (BUCKET_PAIRS * self.count).next_power_of_two();
        pairs.clamp(*RUN_PAIRS.start(), *RUN_PAIRS.end())
    }

    #[inline(always)]
    pub(super) fn of_object(self, a: u32) -> usize {
        (a >> self.shift) as usize
    }

    #[inline(always)]
    fn key<I: Item>(self, item: &I) -> u64 {
        let [a, b] = item.objects();
        let place = a & ((1 << self.shift) - 1);
        (u64::from(place) << self.second_bits | u64::from(b)) << MARK_BITS | u64::from(item.mark())
    }

    #[inline(always)]
    fn item<I: Item>(self, bucket: usize, key: u64) -> I {
        let objects = key >> MARK_BITS;
        let a = (bucket as u32) << self.shift | (objects >> self.second_bits) as u32;
        let b = objects as u32 & (u32::MAX >> (u32::BITS - self.second_bits));
        I::of([a, b], key as u32 % (1 << MARK_BITS))
    }
}

/// A part of the pairs, stored as keys, bucket after bucket.
pub(super) struct Run {
    keys: Vec<u64>,
    /// For each bucket, the index of its first key. The last entry is the number of all keys.
    offsets: Vec<u32>,
}

impl Run {
    /// Distributes at most `u32::MAX` pairs to buckets. Returns [`Error::OutOfMemory`] if the keys do not fit in memory.
    pub(super) fn new<I: Item>(pairs: &[I], buckets: Buckets) -> Result<Self> {
        let mut next = vec![0u32; buckets.count + 1];
        for pair in pairs {
            next[buckets.of_object(pair.objects()[0])] += 1;
        }
        let mut count = 0;
        for next in &mut next {
            count += std::mem::replace(next, count);
        }
        let offsets = next.clone();
        let mut keys = Vec::new();
        reserve(&mut keys, pairs.len())?;
        keys.resize(pairs.len(), 0);
        for pair in pairs {
            let next = &mut next[buckets.of_object(pair.objects()[0])];
            keys[*next as usize] = buckets.key(pair);
            *next += 1;
        }
        Ok(Self { keys, offsets })
    }

    fn bucket(&self, bucket: usize) -> &[u64] {
        &self.keys[self.offsets[bucket] as usize..self.offsets[bucket + 1] as usize]
    }
}

/// Returns the pairs of all runs, sorted by their objects, or [`Error::OutOfMemory`] if they do not fit in memory.
pub(super) fn sorted<I: Item>(runs: &[Run], buckets: Buckets) -> Result<Vec<I>> {
    sorted_part(runs, buckets, 0..buckets.count)
}

/// Returns one past the index of the last bucket of a part. The part starts with bucket `first`, and ends as soon as
/// its buckets have `pair_count` pairs or more in all runs together. If they never have that many, the part ends with
/// the last bucket.
pub(super) fn part_end(runs: &[Run], buckets: Buckets, first: usize, pair_count: usize) -> usize {
    let mut sum = 0;
    let full = (first..buckets.count).find(|&bucket| {
        sum += runs.iter().map(|run| run.bucket(bucket).len()).sum::<usize>();
        sum >= pair_count
    });
    full.map_or(buckets.count, |bucket| bucket + 1)
}

/// Returns the pairs in the buckets `part` of all runs, sorted by their objects, or [`Error::OutOfMemory`] if they do not fit in
/// memory.
pub(super) fn sorted_part<I: Item>(runs: &[Run], buckets: Buckets, part: Range<usize>) -> Result<Vec<I>> {
    let first = part.start;
    let lengths: Vec<usize> =
        part.map(|bucket| runs.iter().map(|run| run.bucket(bucket).len()).sum()).collect();
    let mut all = Vec::new();
    reserve(&mut all, lengths.iter().sum())?;
    ask_for_large_pages(&mut all);
    append(&mut all, &lengths, |index, room| {
        let bucket = first + index;
        let mut keys = Vec::with_capacity(lengths[index]);
        runs.iter().for_each(|run| keys.extend_from_slice(run.bucket(bucket)));
        let keys = sort_keys(keys, buckets.shift + buckets.second_bits);
        room.write(keys.iter().map(|&key| buckets.item(bucket, key)));
    });
    Ok(all)
}

/// Sorts keys by the `bits` bits above the mark. [`FEW_KEYS`] keys or more are sorted digit by digit, without a branch that
/// depends on a key.
fn sort_keys(mut keys: Vec<u64>, bits: u32) -> Vec<u64> {
    if keys.len() < FEW_KEYS {
        sort_unstable(&mut keys);
        return keys;
    }
    let digit_count = bits.div_ceil(DIGIT_BITS);
    let digit_bits = bits.div_ceil(digit_count);
    let digit =
        |key: u64, place: u32| (key >> (MARK_BITS + place * digit_bits)) as usize & ((1 << digit_bits) - 1);
    let mut ends = vec![0_u32; (digit_count << digit_bits) as usize];
    for &key in &keys {
        for (place, ends) in (0..).zip(ends.chunks_exact_mut(1 << digit_bits)) {
            ends[digit(key, place)] += 1;
        }
    }
    let mut to = vec![0; keys.len()];
    for (place, next) in (0..).zip(ends.chunks_exact_mut(1 << digit_bits)) {
        let mut sum = 0;
        for next in &mut *next {
            sum += std::mem::replace(next, sum);
        }
        for &key in &keys {
            let next = &mut next[digit(key, place)];
            to[*next as usize] = key;
            *next += 1;
        }
        std::mem::swap(&mut keys, &mut to);
    }
    keys
}

/// Reserves memory for `count` more values, or returns [`Error::OutOfMemory`]. If the values must move, reserves more, so that
/// repeated calls stay fast.
pub(super) fn reserve<T>(values: &mut Vec<T>, count: usize) -> Result<()> {
    let needed_bytes = values.len().saturating_add(count).saturating_mul(size_of::<T>());
    crate::base::memory::try_reserve(values, count).map_err(|_| Error::OutOfMemory { needed_bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns distinct pairs of one of `first` objects and one of `second` objects, in no particular order.
    fn pairs(first: u64, second: u64, count: u64) -> Vec<RelatedPair> {
        let all = (0..count).map(|k| k * 1_000_003 % (first * second));
        let pair = |k: u64| RelatedPair::of([(k / second) as u32, (k % second) as u32], k as u32 % 3);
        all.collect::<std::collections::HashSet<_>>().into_iter().map(pair).collect()
    }

    #[test]
    fn pairs_of_any_numbers_of_objects_are_sorted() {
        let most = u64::from(u32::MAX);
        for (first, second, count) in [
            (1, 1, 1),
            (1, 5000, 5000),
            (5000, 1, 5000),
            (1000, 1024, 20_000),
            (1025, 70_000, 30_000),
            (3_000_000, 12, 40_000),
            (10, most, 3000),
            (most, 3, 3000),
            (1 << 20, most, 3000),
        ] {
            let mut expected = pairs(first, second, count);
            for buckets in [Buckets::of, Buckets::fine].map(|of| of(first as usize, second as usize)) {
                let runs = expected.chunks(700).map(|pairs| Run::new(pairs, buckets));
                let runs: Vec<Run> = runs.collect::<Result<_>>().expect("memory");
                let found: Vec<RelatedPair> = sorted(&runs, buckets).expect("memory");
                expected.sort_unstable();
                assert!(found == expected, "{first} and {second} objects");

                let (mut parts, mut next) = (Vec::<RelatedPair>::new(), 0);
                while next < buckets.count {
                    let end = part_end(&runs, buckets, next, 1000);
                    parts.extend(sorted_part::<RelatedPair>(&runs, buckets, next..end).expect("memory"));
                    next = end;
                }
                assert!(parts == expected, "parts of {first} and {second} objects");
            }
        }
    }
}
