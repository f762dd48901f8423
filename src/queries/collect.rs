//! Converts relations of pairs of pieces into the sorted list of the pairs of objects that meet.
//!
//! If every object has one piece, each pair of pieces is a pair of objects, and buckets sort the pairs. Otherwise, the
//! collector merges, from time to time, the pairs of pieces that belong to the same pair of objects. The memory is
//! therefore proportional to the number of pairs of objects.

use super::buckets::{Buckets, Item, RUN_PAIRS, Run, reserve, sorted};
use crate::answers::results::Keep;
use crate::answers::results::{Counts, RelatedPair, Relation};
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::geometry::Pieces;

/// Pairs of objects that are first merged.
const MERGE_PAIRS: usize = 1 << 20;

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
    /// Pairs of objects with one piece each.
    Runs {
        runs: Vec<Run<RelatedPair>>,
        /// Pairs that are too few for a run.
        pending: Vec<RelatedPair>,
    },
    /// Pairs of objects with several pieces, and the number of pairs at which equal pairs are merged next.
    Merged(Vec<RelatedPair>, usize),
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
                RelatedPair { a: a.min(b), b: a.max(b), relation }
            } else {
                RelatedPair { a, b, relation }
            }
        };
        let buckets = Buckets::of(a.set.object_count());
        match &mut self.pairs {
            Pairs::Runs { runs, pending } => {
                let parts = pairs.par_chunks(RUN_PAIRS).zip(relations.par_chunks(RUN_PAIRS));
                let made: Vec<Result<Part>> = parts
                    .map(|(pairs, relations)| {
                        let meeting = Meeting { pairs, relations, objects, keep };
                        // The pairs of a whole part become a run.
                        if pairs.len() == RUN_PAIRS {
                            Ok(Part::Run(meeting.run(buckets)?))
                        } else {
                            Ok(Part::Few(meeting.kept()?))
                        }
                    })
                    .collect();
                let parts = || relations.par_chunks(RUN_PAIRS);
                let count = |of| parts().map(|part| part.iter().filter(|&&r| r == of).count() as u64).sum();
                self.touching += count(Relation::Touching);
                self.overlapping += count(Relation::Overlapping);
                for made in made {
                    match made? {
                        Part::Run(run) => runs.push(run),
                        Part::Few(kept) => {
                            reserve(pending, kept.len())?;
                            pending.extend_from_slice(&kept);
                        }
                    }
                }
                if pending.len() >= RUN_PAIRS {
                    runs.push(Run::new(pending, buckets)?);
                    pending.clear();
                }
            }
            Pairs::Merged(found, merge_at) => {
                let count = relations.par_iter().filter(|&&r| r != Relation::Disjoint).count();
                reserve(found, count)?;
                let meeting = pairs.par_iter().zip(relations).filter_map(|(&pair, &relation)| {
                    (relation != Relation::Disjoint).then(|| objects(pair, relation))
                });
                meeting.collect_into(found);
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
    pub(crate) fn finish(self, counts: &mut Counts) -> Result<Vec<RelatedPair>> {
        (counts.touching, counts.overlapping) = (self.touching, self.overlapping);
        match self.pairs {
            Pairs::Runs { mut runs, pending } => {
                let buckets = Buckets::of(self.a.set.object_count());
                runs.push(Run::new(&pending, buckets)?);
                sorted(&runs, buckets)
            }
            Pairs::Merged(mut found, _) => {
                merge(&mut found);
                counted(&found, counts);
                found.retain(|p| self.keep.keeps(p.relation));
                Ok(found)
            }
        }
    }
}

/// Pairs of pieces, and their relations.
struct Meeting<'a, O> {
    pairs: &'a [[u32; 2]],
    relations: &'a [Relation],
    /// The pair of objects that a pair of pieces is of.
    objects: O,
    keep: Keep,
}

/// The result for a part of the pairs.
enum Part {
    Run(Run<RelatedPair>),
    /// The pairs to keep.
    Few(Vec<RelatedPair>),
}

impl<O: Fn([u32; 2], Relation) -> RelatedPair> Meeting<'_, O> {
    /// 1 for each relation to keep. The relations are hard to predict, so the loops below have no branch on them.
    fn weights(&self) -> [u32; 3] {
        [
            u32::from(self.keep.keeps(Relation::Disjoint)),
            u32::from(self.keep.keeps(Relation::Touching)),
            u32::from(self.keep.keeps(Relation::Overlapping)),
        ]
    }

    /// The pairs to keep, in order.
    fn kept(&self) -> Result<Vec<RelatedPair>> {
        let weights = self.weights();
        let count = self.relations.iter().map(|&relation| weights[relation as usize] as usize).sum::<usize>();
        let mut pairs = Vec::new();
        // One more place, for the pairs after the last one to keep.
        reserve(&mut pairs, count + 1)?;
        pairs.resize(count + 1, RelatedPair::NONE);
        let mut next = 0;
        for (&pair, &relation) in self.pairs.iter().zip(self.relations) {
            pairs[next] = (self.objects)(pair, relation);
            next += weights[relation as usize] as usize;
        }
        pairs.pop();
        Ok(pairs)
    }

    /// A run of the pairs to keep; there are at most `u32::MAX`.
    fn run(&self, buckets: Buckets) -> Result<Run<RelatedPair>> {
        let weights = self.weights();
        let mut next = vec![0u32; buckets.count + 1];
        for (&pair, &relation) in self.pairs.iter().zip(self.relations) {
            let bucket = buckets.of_object((self.objects)(pair, relation).a);
            next[bucket] += weights[relation as usize];
        }
        let mut run = Run::with_room(next)?;
        let mut next = run.offsets.clone();
        for (&pair, &relation) in self.pairs.iter().zip(self.relations) {
            let pair = (self.objects)(pair, relation);
            let is_kept = weights[relation as usize];
            // Pairs that are not kept go to a bucket that never grows.
            let bucket =
                std::hint::select_unpredictable(is_kept == 1, buckets.of_object(pair.a), buckets.count);
            let next = &mut next[bucket];
            run.pairs[*next as usize] = pair;
            *next += is_kept;
        }
        run.pairs.pop();
        Ok(run)
    }
}

/// Counts the pairs of objects that meet.
pub(super) fn counted(found: &[RelatedPair], counts: &mut Counts) {
    counts.touching = found.par_iter().filter(|p| p.relation == Relation::Touching).count() as u64;
    counts.overlapping = found.len() as u64 - counts.touching;
}

/// Sorts, and of the pairs of the same objects keeps the strongest.
pub(super) fn merge(pairs: &mut Vec<RelatedPair>) {
    let objects = |p: &RelatedPair| u64::from(p.a) << 32 | u64::from(p.b);
    pairs.par_sort_unstable_by_key(|p| (objects(p), std::cmp::Reverse(p.relation)));
    pairs.dedup_by_key(|p| objects(p));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::PolygonSet;

    fn triangles(count: u32) -> PolygonSet {
        let ring = |x: u32| [[f64::from(x), 0.0], [f64::from(x) + 0.5, 0.0], [f64::from(x), 1.0]];
        PolygonSet::from_convex_rings(&(0..count).map(ring).collect::<Vec<_>>()).expect("convex")
    }

    #[test]
    fn whole_runs_come_out_sorted_whatever_is_kept() {
        let set = triangles(5000);
        // Each pair once, in no order; every tenth is of one of three objects, which have very many.
        let pairs: Vec<[u32; 2]> = (0..200_000_u64)
            .map(|k| k * 7_368_787 % 12_502_500)
            .map(|k| {
                if k % 10 == 0 {
                    [k as u32 / 10 % 3 * 2000, (k / 30) as u32 % 900 + 4000]
                } else {
                    [(k / 5000) as u32, (k % 5000) as u32]
                }
            })
            .filter(|[a, b]| a < b)
            .collect::<std::collections::HashSet<_>>()
            .into_iter()
            .collect();
        assert!(
            pairs.len() > 2 * RUN_PAIRS + 1000 && pairs.iter().filter(|pair| pair[0] == 2000).count() > 500
        );
        let relation = |[a, b]: [u32; 2]| {
            [Relation::Overlapping, Relation::Disjoint, Relation::Touching]
                [(a ^ b.rotate_left(3)) as usize % 3]
        };
        let relations: Vec<Relation> = pairs.iter().map(|&pair| relation(pair)).collect();
        for keep in [Keep::Meeting, Keep::Touching, Keep::Overlapping] {
            let mut found = Found::new(Pieces::of(&set), None, true, keep);
            found.add(&pairs, &relations).expect("memory");
            let Pairs::Runs { runs, .. } = &found.pairs else { panic!("each object has one piece") };
            assert_eq!(runs.len(), pairs.len() / RUN_PAIRS);
            let mut counts = Counts::default();
            let sorted = found.finish(&mut counts).expect("memory");
            let mut expected: Vec<RelatedPair> =
                pairs.iter().map(|&[a, b]| RelatedPair { a, b, relation: relation([a, b]) }).collect();
            let count = |of| expected.iter().filter(|pair| pair.relation == of).count() as u64;
            assert_eq!(counts.touching, count(Relation::Touching));
            assert_eq!(counts.overlapping, count(Relation::Overlapping));
            expected.retain(|pair| keep.keeps(pair.relation));
            expected.sort();
            assert!(sorted == expected, "{keep:?}");
        }
    }

    #[test]
    fn a_few_pairs_at_a_time_make_no_run_of_their_own_and_come_out_sorted() {
        let set = triangles(5000);
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
        let meeting = |(k, &[b, a]): (usize, &[u32; 2])| RelatedPair { a, b, relation: relation(k) };
        let mut expected: Vec<RelatedPair> = pairs.iter().enumerate().map(meeting).collect();
        expected.retain(|pair| pair.relation != Relation::Disjoint);
        expected.sort();
        assert_eq!(sorted, expected);
        let touching = expected.iter().filter(|pair| pair.relation == Relation::Touching).count() as u64;
        assert_eq!((counts.touching, counts.overlapping), (touching, expected.len() as u64 - touching));
    }
}
