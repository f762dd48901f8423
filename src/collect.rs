//! Relations of pairs of pieces to the sorted pairs of objects that meet.
//!
//! Where objects have one piece each, pairs are put in buckets by their first object as they come, a run of pairs at a
//! time; in the end each bucket is sorted by itself, by counting. Else pairs of the same objects are merged now and then,
//! so that memory grows with the pairs of objects.

use crate::error::{Error, Result};
use crate::geometry::Pieces;
use crate::join::Keep;
use crate::parallel::prelude::*;
use crate::results::{Counts, ObjectPair, Relation};

/// First objects of a bucket, as a power of two, where there are not very many.
const BUCKET_SHIFT: u32 = 10;
/// Buckets, at most, as a power of two: a run has a number for each.
const MOST_BUCKETS_SHIFT: u32 = 12;
/// Pairs that are put in buckets together; a constant, so that runs do not depend on the number of threads.
const RUN_PAIRS: usize = 1 << 16;
/// Pairs of objects that are first merged.
const MERGE_PAIRS: usize = 1 << 20;

/// What is overwritten.
const NO_PAIR: ObjectPair = ObjectPair { a: 0, b: 0, relation: Relation::Disjoint };

/// The meeting pairs of objects so far: an object's relation is the strongest over its pieces.
pub(crate) struct Found<'a> {
    a: Pieces<'a>,
    b: Pieces<'a>,
    is_self_join: bool,
    keep: Keep,
    touching: u64,
    overlapping: u64,
    pairs: Pairs,
}

enum Pairs {
    /// Of objects of one piece each.
    Runs {
        runs: Vec<Run>,
        /// Too few for a run.
        pending: Vec<ObjectPair>,
    },
    /// Of objects of any number of pieces. At the given length, pairs of the same objects are merged next.
    Merged(Vec<ObjectPair>, usize),
}

/// Some pairs, bucket after bucket.
struct Run {
    pairs: Vec<ObjectPair>,
    /// Where each bucket begins, and one more entry: the count.
    offsets: Vec<u32>,
}

/// Pairs to keep, and how many touch and overlap, kept or not.
struct Kept {
    pairs: Vec<ObjectPair>,
    touching: u64,
    overlapping: u64,
}

impl<'a> Found<'a> {
    /// `b` is none in a self-join. `one_piece_an_object`: whether no object, of either side, has more than one.
    pub(crate) fn new(a: Pieces<'a>, b: Option<Pieces<'a>>, one_piece_an_object: bool, keep: Keep) -> Self {
        let pairs = if one_piece_an_object {
            Pairs::Runs { runs: Vec::new(), pending: Vec::new() }
        } else {
            Pairs::Merged(Vec::new(), MERGE_PAIRS)
        };
        let is_self_join = b.is_none();
        Self { a, b: b.unwrap_or(a), is_self_join, keep, touching: 0, overlapping: 0, pairs }
    }

    /// Takes the relations of pairs of pieces.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn add(&mut self, pairs: &[[u32; 2]], relations: &[Relation]) -> Result<()> {
        let (a, b, is_self_join, keep) = (self.a, self.b, self.is_self_join, self.keep);
        let objects = move |[i, j]: [u32; 2], relation| {
            let (a, b) = (a.object(i as usize) as u32, b.object(j as usize) as u32);
            if is_self_join {
                ObjectPair { a: a.min(b), b: a.max(b), relation }
            } else {
                ObjectPair { a, b, relation }
            }
        };
        let shift = bucket_shift(self.a.set.object_count());
        let bucket_count = (self.a.set.object_count() >> shift) + 1;
        match &mut self.pairs {
            Pairs::Runs { runs, pending } => {
                let parts = pairs.par_chunks(RUN_PAIRS).zip(relations.par_chunks(RUN_PAIRS));
                let made: Vec<Result<(Kept, Option<Run>)>> = parts
                    .map(|(pairs, relations)| {
                        let meeting = Meeting { pairs, relations, objects, keep };
                        // Of a whole part the pairs are worth a run of their own.
                        if pairs.len() == RUN_PAIRS {
                            let (touching, overlapping) = meeting.counts();
                            let kept = Kept { pairs: Vec::new(), touching, overlapping };
                            return Ok((kept, Some(meeting.run(shift, bucket_count)?)));
                        }
                        Ok((meeting.kept()?, None))
                    })
                    .collect();
                for made in made {
                    let (kept, run) = made?;
                    self.touching += kept.touching;
                    self.overlapping += kept.overlapping;
                    runs.extend(run);
                    reserve(pending, kept.pairs.len())?;
                    pending.extend_from_slice(&kept.pairs);
                }
                if pending.len() >= RUN_PAIRS {
                    runs.push(Run::new(pending, shift, bucket_count)?);
                    pending.clear();
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
            Pairs::Runs { mut runs, pending } => {
                let shift = bucket_shift(self.a.set.object_count());
                let bucket_count = (self.a.set.object_count() >> shift) + 1;
                runs.push(Run::new(&pending, shift, bucket_count)?);
                sorted(&runs, shift)
            }
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

/// First objects of a bucket, as a power of two.
fn bucket_shift(object_count: usize) -> u32 {
    (object_count.max(1).ilog2() + 1).saturating_sub(MOST_BUCKETS_SHIFT).max(BUCKET_SHIFT)
}

/// Pairs of pieces, and their relations.
struct Meeting<'a, O> {
    pairs: &'a [[u32; 2]],
    relations: &'a [Relation],
    /// The pair of objects that a pair of pieces is of.
    objects: O,
    keep: Keep,
}

impl<O: Fn([u32; 2], Relation) -> ObjectPair> Meeting<'_, O> {
    /// How many touch and overlap.
    fn counts(&self) -> (u64, u64) {
        let count = |of| self.relations.iter().filter(|&&relation| relation == of).count() as u64;
        (count(Relation::Touching), count(Relation::Overlapping))
    }

    /// Gives `take` the pairs to keep, in order, some at a time.
    fn in_blocks(&self, mut take: impl FnMut(&[ObjectPair])) {
        const BLOCK: usize = 256;
        let mut block = [NO_PAIR; BLOCK];
        for (pairs, relations) in self.pairs.chunks(BLOCK).zip(self.relations.chunks(BLOCK)) {
            let mut count = 0;
            // Without a branch: which pairs are kept is hard to foretell.
            for (&pair, &relation) in pairs.iter().zip(relations) {
                block[count] = (self.objects)(pair, relation);
                count += usize::from(self.keep.keeps(relation));
            }
            take(&block[..count]);
        }
    }

    fn kept(&self) -> Result<Kept> {
        let (touching, overlapping) = self.counts();
        let mut pairs = Vec::new();
        reserve(&mut pairs, self.relations.iter().filter(|&&r| self.keep.keeps(r)).count())?;
        self.in_blocks(|block| pairs.extend_from_slice(block));
        Ok(Kept { pairs, touching, overlapping })
    }

    /// A run of the pairs to keep; there are at most `u32::MAX`.
    fn run(&self, shift: u32, bucket_count: usize) -> Result<Run> {
        let mut offsets = vec![0u32; bucket_count + 1];
        for (&pair, &relation) in self.pairs.iter().zip(self.relations) {
            let bucket = ((self.objects)(pair, relation).a >> shift) as usize;
            offsets[bucket + 1] += u32::from(self.keep.keeps(relation));
        }
        let mut run = Run::with_room(offsets)?;
        let mut next = run.offsets.clone();
        self.in_blocks(|block| run.put(block, &mut next, shift));
        Ok(run)
    }
}

impl Run {
    /// Takes at most `u32::MAX` pairs.
    fn new(pairs: &[ObjectPair], shift: u32, bucket_count: usize) -> Result<Self> {
        let mut offsets = vec![0u32; bucket_count + 1];
        for pair in pairs {
            offsets[(pair.a >> shift) as usize + 1] += 1;
        }
        let mut run = Self::with_room(offsets)?;
        let mut next = run.offsets.clone();
        run.put(pairs, &mut next, shift);
        Ok(run)
    }

    /// With room for as many pairs of each bucket as is said one entry behind it.
    fn with_room(mut offsets: Vec<u32>) -> Result<Self> {
        for bucket in 1..offsets.len() {
            offsets[bucket] += offsets[bucket - 1];
        }
        let count = offsets.last().map_or(0, |&count| count as usize);
        let mut pairs = Vec::new();
        reserve(&mut pairs, count)?;
        pairs.resize(count, NO_PAIR);
        Ok(Self { pairs, offsets })
    }

    /// Puts pairs in their buckets; `next` is where the next one of each goes.
    fn put(&mut self, pairs: &[ObjectPair], next: &mut [u32], shift: u32) {
        for &pair in pairs {
            let place = &mut next[(pair.a >> shift) as usize];
            self.pairs[*place as usize] = pair;
            *place += 1;
        }
    }

    fn bucket(&self, bucket: usize) -> &[ObjectPair] {
        &self.pairs[self.offsets[bucket] as usize..self.offsets[bucket + 1] as usize]
    }
}

/// The pairs of all runs in order.
fn sorted(runs: &[Run], shift: u32) -> Result<Vec<ObjectPair>> {
    let mut all = Vec::new();
    let Some(bucket_count) = runs.first().map(|run| run.offsets.len() - 1) else { return Ok(all) };
    let count = runs.iter().map(|run| run.pairs.len()).sum();
    reserve(&mut all, count)?;
    all.resize(count, NO_PAIR);
    let mut buckets = Vec::with_capacity(bucket_count);
    let mut rest = all.as_mut_slice();
    for bucket in 0..bucket_count {
        let (out, tail) = rest.split_at_mut(runs.iter().map(|run| run.bucket(bucket).len()).sum());
        buckets.push(out);
        rest = tail;
    }
    let bucket_objects = 1usize << shift;
    buckets.into_par_iter().enumerate().for_each_init(Vec::new, |next, (bucket, out)| {
        let pairs = || runs.iter().flat_map(|run| run.bucket(bucket));
        // Where the pairs of each first object begin, then where its next one goes.
        next.clear();
        next.resize(bucket_objects + 1, 0usize);
        // A power of two.
        let object = |pair: &ObjectPair| pair.a as usize & (bucket_objects - 1);
        for pair in pairs() {
            next[object(pair) + 1] += 1;
        }
        for k in 0..bucket_objects {
            next[k + 1] += next[k];
        }
        for pair in pairs() {
            let place = &mut next[object(pair)];
            out[*place] = *pair;
            *place += 1;
        }
        // Now each object's pairs end where the next one's begin.
        let mut begin = 0;
        for &end in &next[..bucket_objects] {
            sort_by_second(&mut out[begin..end]);
            begin = end;
        }
    });
    Ok(all)
}

/// Sorts the pairs of one first object by the second.
#[inline]
fn sort_by_second(pairs: &mut [ObjectPair]) {
    /// More are sorted by what is made for many.
    const FEW: usize = 16;
    if pairs.len() > FEW {
        crate::sorting::sort_unstable_by_key(pairs, |pair| pair.b);
        return;
    }
    for k in 1..pairs.len() {
        let pair = pairs[k];
        let mut place = k;
        while place > 0 && pairs[place - 1].b > pair.b {
            pairs[place] = pairs[place - 1];
            place -= 1;
        }
        pairs[place] = pair;
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::PolygonSet;

    #[test]
    fn a_few_pairs_at_a_time_make_no_run_of_their_own_and_come_out_sorted() {
        let ring = |x: u32| [[f64::from(x), 0.0], [f64::from(x) + 0.5, 0.0], [f64::from(x), 1.0]];
        let set = PolygonSet::from_convex_rings(&(0..5000).map(ring).collect::<Vec<_>>()).expect("convex");
        let mut found = Found::new(Pieces::of(&set), None, true, Keep::Meeting);
        let pairs: Vec<[u32; 2]> = (0..4999).rev().map(|a| [4999, a * 7 % 4999]).collect();
        let relation = |k: usize| [Relation::Overlapping, Relation::Disjoint, Relation::Touching][k % 3];
        for (k, pair) in pairs.iter().enumerate() {
            found.add(&[*pair], &[relation(k)]).expect("memory");
        }
        let Pairs::Runs { runs, .. } = &found.pairs else { panic!("each object has one piece") };
        assert!(runs.is_empty(), "{} runs", runs.len());
        let mut counts = Counts::default();
        let sorted = found.finish(&mut counts).expect("memory");
        let meeting = |(k, &[b, a]): (usize, &[u32; 2])| ObjectPair { a, b, relation: relation(k) };
        let mut expected: Vec<ObjectPair> = pairs.iter().enumerate().map(meeting).collect();
        expected.retain(|pair| pair.relation != Relation::Disjoint);
        expected.sort();
        assert_eq!(sorted, expected);
        let touching = expected.iter().filter(|pair| pair.relation == Relation::Touching).count() as u64;
        assert_eq!((counts.touching, counts.overlapping), (touching, expected.len() as u64 - touching));
    }
}
