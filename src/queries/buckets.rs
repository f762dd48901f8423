//! Sorts pairs of objects with a bucket sort. As chunks of pairs arrive, each pair is put into the bucket of its first
//! object. At the end, each bucket is sorted separately.

use crate::answers::results::{RelatedPair, Relation};
use crate::base::error::{Error, Result};
use crate::base::parallel::prelude::*;

/// First objects of a bucket, as a power of two, unless there are very many objects.
const BUCKET_SHIFT: u32 = 10;
/// Maximum number of buckets, as a power of two. A run has a number for each bucket.
const MOST_BUCKETS_SHIFT: u32 = 12;
/// The number of pairs of a run. The number is a constant, so runs do not depend on the number of threads.
pub(super) const RUN_PAIRS: usize = 1 << 16;
/// If a first object has more pairs than this, a sort for many values sorts them.
const FEW_PAIRS: usize = 16;

/// A pair of objects and its data.
pub(super) trait Item: Copy + Send + Sync {
    /// Fills memory before the items are written.
    const NONE: Self;

    /// The indices of the two objects.
    fn objects(&self) -> [u32; 2];
}

impl Item for RelatedPair {
    const NONE: Self = Self { a: 0, b: 0, relation: Relation::Disjoint };

    #[inline(always)]
    fn objects(&self) -> [u32; 2] {
        [self.a, self.b]
    }
}

impl Item for [u32; 2] {
    const NONE: Self = [0; 2];

    #[inline(always)]
    fn objects(&self) -> [u32; 2] {
        *self
    }
}

/// Buckets of first objects. Each bucket has the same number of objects.
#[derive(Clone, Copy)]
pub(super) struct Buckets {
    /// Objects of a bucket, as a power of two.
    shift: u32,
    pub(super) count: usize,
}

impl Buckets {
    pub(super) fn of(object_count: usize) -> Self {
        let bits = object_count.max(1).ilog2() + 1;
        let shift = bits.saturating_sub(MOST_BUCKETS_SHIFT).max(BUCKET_SHIFT);
        Self { shift, count: (object_count >> shift) + 1 }
    }

    fn objects(self) -> usize {
        1 << self.shift
    }

    #[inline]
    pub(super) fn of_object(self, a: u32) -> usize {
        (a >> self.shift) as usize
    }

    /// The place of a first object in its bucket.
    #[inline]
    fn place(self, a: u32) -> usize {
        a as usize & (self.objects() - 1)
    }
}

/// Some pairs, bucket after bucket.
pub(super) struct Run<I> {
    pub(super) pairs: Vec<I>,
    /// The start of each bucket, and, as the last entry, the number of pairs.
    pub(super) offsets: Vec<u32>,
}

impl<I: Item> Run<I> {
    /// Puts at most `u32::MAX` pairs in buckets.
    pub(super) fn new(pairs: &[I], buckets: Buckets) -> Result<Self> {
        let mut next = vec![0u32; buckets.count + 1];
        for pair in pairs {
            next[buckets.of_object(pair.objects()[0])] += 1;
        }
        let mut run = Self::with_room(next)?;
        let mut next = run.offsets.clone();
        for &pair in pairs {
            let next = &mut next[buckets.of_object(pair.objects()[0])];
            run.pairs[*next as usize] = pair;
            *next += 1;
        }
        run.pairs.pop();
        Ok(run)
    }

    /// Makes room for the given number of pairs of each bucket, and for one more pair.
    pub(super) fn with_room(mut counts: Vec<u32>) -> Result<Self> {
        let mut count = 0;
        for next in &mut counts {
            count += std::mem::replace(next, count);
        }
        let mut pairs = Vec::new();
        reserve(&mut pairs, count as usize + 1)?;
        pairs.resize(count as usize + 1, I::NONE);
        Ok(Self { pairs, offsets: counts })
    }

    fn bucket(&self, bucket: usize) -> &[I] {
        &self.pairs[self.offsets[bucket] as usize..self.offsets[bucket + 1] as usize]
    }
}

/// The pairs of all runs, sorted by their objects.
pub(super) fn sorted<I: Item>(runs: &[Run<I>], buckets: Buckets) -> Result<Vec<I>> {
    let mut all = Vec::new();
    let count = runs.iter().map(|run| run.pairs.len()).sum();
    reserve(&mut all, count)?;
    all.resize(count, I::NONE);
    let mut parts = Vec::with_capacity(buckets.count);
    let mut rest = all.as_mut_slice();
    for bucket in 0..buckets.count {
        let (part, tail) = rest.split_at_mut(runs.iter().map(|run| run.bucket(bucket).len()).sum());
        parts.push(part);
        rest = tail;
    }
    parts.into_par_iter().enumerate().for_each_init(Vec::new, |next, (bucket, out)| {
        let pairs = || runs.iter().flat_map(|run| run.bucket(bucket));
        // Where the pairs of each first object begin, then where its next pair goes.
        next.clear();
        next.resize(buckets.objects(), 0usize);
        for pair in pairs() {
            next[buckets.place(pair.objects()[0])] += 1;
        }
        let (mut begin, mut most) = (0, 0);
        for next in &mut *next {
            most = most.max(*next);
            begin += std::mem::replace(next, begin);
        }
        for pair in pairs() {
            let next = &mut next[buckets.place(pair.objects()[0])];
            out[*next] = *pair;
            *next += 1;
        }
        if most > FEW_PAIRS {
            for of_one in out.chunk_by_mut(|p, q| p.objects()[0] == q.objects()[0]) {
                if of_one.len() > FEW_PAIRS {
                    crate::base::sorting::sort_unstable_by_key(of_one, |pair| pair.objects()[1]);
                }
            }
        }
        insert(out);
    });
    Ok(all)
}

/// Sorts pairs that are nearly in order.
fn insert<I: Item>(pairs: &mut [I]) {
    let objects = |pair: &I| u64::from(pair.objects()[0]) << 32 | u64::from(pair.objects()[1]);
    for k in 1..pairs.len() {
        let pair = pairs[k];
        let mut place = k;
        while place > 0 && objects(&pairs[place - 1]) > objects(&pair) {
            pairs[place] = pairs[place - 1];
            place -= 1;
        }
        pairs[place] = pair;
    }
}

/// Makes room for `count` more values, and for as many again if the values had to move.
pub(super) fn reserve<T>(values: &mut Vec<T>, count: usize) -> Result<()> {
    let needed_bytes = values.len().saturating_add(count).saturating_mul(size_of::<T>());
    crate::base::memory::try_reserve(values, count).map_err(|_| Error::OutOfMemory { needed_bytes })
}
