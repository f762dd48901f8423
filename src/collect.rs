//! Relations of pairs of pieces to the sorted pairs of objects that meet.
//!
//! Where objects have one piece each, pairs are put in buckets by their first object as they come, a run of pairs at a
//! time; in the end each bucket is sorted by itself, by counting. Else pairs of the same objects are merged now and then,
//! so that memory grows with the pairs of objects.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::geometry::Pieces;
use crate::join::Keep;
use crate::results::{Counts, ObjectPair, Relation};

/// First objects of a bucket.
const BUCKET_OBJECTS: usize = 1 << BUCKET_SHIFT;
const BUCKET_SHIFT: u32 = 10;
/// Pairs of pieces that are put in buckets together; a constant, so that runs do not depend on the number of threads.
const RUN_PAIRS: usize = 1 << 16;
/// Pairs of objects that are first merged.
const MERGE_PAIRS: usize = 1 << 20;

/// The meeting pairs of objects so far: an object's relation is the strongest over its pieces.
pub(crate) struct Found<'a> {
    a: Pieces<'a>,
    b: Pieces<'a>,
    keep: Keep,
    touching: u64,
    overlapping: u64,
    pairs: Pairs,
}

enum Pairs {
    /// Of objects of one piece each.
    Runs(Vec<Run>),
    /// Of objects of any number of pieces. At the given length, pairs of the same objects are merged next.
    Merged(Vec<ObjectPair>, usize),
}

/// Some pairs, bucket after bucket.
struct Run {
    pairs: Vec<ObjectPair>,
    /// Where each bucket begins, and one more entry: the count.
    offsets: Vec<u32>,
}

impl<'a> Found<'a> {
    /// `one_piece_an_object`: whether no object, of either side, has more than one.
    pub(crate) fn new(a: Pieces<'a>, b: Pieces<'a>, one_piece_an_object: bool, keep: Keep) -> Self {
        let pairs = if one_piece_an_object {
            Pairs::Runs(Vec::new())
        } else {
            Pairs::Merged(Vec::new(), MERGE_PAIRS)
        };
        Self { a, b, keep, touching: 0, overlapping: 0, pairs }
    }

    /// Takes the relations of pairs of pieces.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn add(&mut self, pairs: &[[u32; 2]], relations: &[Relation]) -> Result<()> {
        let is_self_join = std::ptr::eq(self.a.set, self.b.set);
        let (a, b) = (self.a, self.b);
        let objects = move |[i, j]: [u32; 2], relation| {
            let (a, b) = (a.object(i as usize) as u32, b.object(j as usize) as u32);
            if is_self_join {
                ObjectPair { a: a.min(b), b: a.max(b), relation }
            } else {
                ObjectPair { a, b, relation }
            }
        };
        match &mut self.pairs {
            Pairs::Runs(runs) => {
                let bucket_count = (self.a.set.object_count() >> BUCKET_SHIFT) + 1;
                let parts = pairs.par_chunks(RUN_PAIRS).zip(relations.par_chunks(RUN_PAIRS));
                let made: Vec<Result<(Run, [u64; 2])>> = parts
                    .map(|(pairs, relations)| Run::new(pairs, relations, objects, self.keep, bucket_count))
                    .collect();
                for made in made {
                    let (run, [touching, overlapping]) = made?;
                    self.touching += touching;
                    self.overlapping += overlapping;
                    runs.push(run);
                }
            }
            Pairs::Merged(found, merge_at) => {
                let count = relations.par_iter().filter(|&&r| r != Relation::Disjoint).count();
                reserve(found, count)?;
                let meeting = pairs.par_iter().zip(relations).filter(|&(_, &r)| r != Relation::Disjoint);
                found.par_extend(meeting.map(|(&pair, &relation)| objects(pair, relation)));
                if found.len() >= *merge_at {
                    merge(found);
                    *merge_at = (2 * found.len()).max(MERGE_PAIRS);
                }
            }
        }
        Ok(())
    }

    /// The pairs to keep, sorted; all that meet are counted.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn finish(self, counts: &mut Counts) -> Result<Vec<ObjectPair>> {
        (counts.touching, counts.overlapping) = (self.touching, self.overlapping);
        match self.pairs {
            Pairs::Runs(runs) => sorted(&runs),
            Pairs::Merged(mut found, _) => {
                merge(&mut found);
                counts.touching =
                    found.par_iter().filter(|p| p.relation == Relation::Touching).count() as u64;
                counts.overlapping = found.len() as u64 - counts.touching;
                found.retain(|p| self.keep.keeps(p.relation));
                Ok(found)
            }
        }
    }
}

impl Run {
    /// The pairs to keep, and how many touch and overlap, kept or not.
    fn new(
        pairs: &[[u32; 2]],
        relations: &[Relation],
        objects: impl Fn([u32; 2], Relation) -> ObjectPair,
        keep: Keep,
        bucket_count: usize,
    ) -> Result<(Self, [u64; 2])> {
        let mut counts = [0u64; 3];
        let mut kept = Vec::new();
        let kept_count = relations.iter().filter(|&&r| keep.keeps(r)).count();
        reserve(&mut kept, kept_count)?;
        let mut offsets = vec![0u32; bucket_count + 1];
        for (&pair, &relation) in pairs.iter().zip(relations) {
            counts[relation as usize] += 1;
            if keep.keeps(relation) {
                let pair = objects(pair, relation);
                offsets[(pair.a >> BUCKET_SHIFT) as usize + 1] += 1;
                kept.push(pair);
            }
        }
        for bucket in 0..bucket_count {
            offsets[bucket + 1] += offsets[bucket];
        }
        let mut next = offsets.clone();
        let mut in_buckets = Vec::new();
        reserve(&mut in_buckets, kept.len())?;
        in_buckets.resize(kept.len(), ObjectPair { a: 0, b: 0, relation: Relation::Disjoint });
        for pair in kept {
            let place = &mut next[(pair.a >> BUCKET_SHIFT) as usize];
            in_buckets[*place as usize] = pair;
            *place += 1;
        }
        Ok((Self { pairs: in_buckets, offsets }, [counts[1], counts[2]]))
    }

    fn bucket(&self, bucket: usize) -> &[ObjectPair] {
        &self.pairs[self.offsets[bucket] as usize..self.offsets[bucket + 1] as usize]
    }
}

/// The pairs of all runs in order.
fn sorted(runs: &[Run]) -> Result<Vec<ObjectPair>> {
    let mut all = Vec::new();
    let Some(bucket_count) = runs.first().map(|run| run.offsets.len() - 1) else { return Ok(all) };
    let count = runs.iter().map(|run| run.pairs.len()).sum();
    reserve(&mut all, count)?;
    all.resize(count, ObjectPair { a: 0, b: 0, relation: Relation::Disjoint });
    let mut buckets = Vec::with_capacity(bucket_count);
    let mut rest = all.as_mut_slice();
    for bucket in 0..bucket_count {
        let (out, tail) = rest.split_at_mut(runs.iter().map(|run| run.bucket(bucket).len()).sum());
        buckets.push(out);
        rest = tail;
    }
    buckets.into_par_iter().enumerate().for_each(|(bucket, out)| {
        let pairs = || runs.iter().flat_map(|run| run.bucket(bucket));
        // Where the pairs of each first object begin, then where its next one goes.
        let mut next = [0u32; BUCKET_OBJECTS + 1];
        let object = |pair: &ObjectPair| pair.a as usize % BUCKET_OBJECTS;
        for pair in pairs() {
            next[object(pair) + 1] += 1;
        }
        for k in 0..BUCKET_OBJECTS {
            next[k + 1] += next[k];
        }
        for pair in pairs() {
            let place = &mut next[object(pair)];
            out[*place as usize] = *pair;
            *place += 1;
        }
        for pairs in out.chunk_by_mut(|p, q| p.a == q.a) {
            pairs.sort_unstable_by_key(|pair| pair.b);
        }
    });
    Ok(all)
}

/// Sorts, and of the pairs of the same objects keeps the strongest.
fn merge(pairs: &mut Vec<ObjectPair>) {
    let objects = |p: &ObjectPair| u64::from(p.a) << 32 | u64::from(p.b);
    pairs.par_sort_unstable_by_key(|p| (objects(p), std::cmp::Reverse(p.relation)));
    pairs.dedup_by_key(|p| objects(p));
}

fn reserve(pairs: &mut Vec<ObjectPair>, count: usize) -> Result<()> {
    let needed_bytes = (pairs.len() + count) * size_of::<ObjectPair>();
    pairs.try_reserve(count).map_err(|_| Error::OutOfMemory { needed_bytes })
}
