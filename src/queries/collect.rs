//! Converts the relations of pairs of pieces to the sorted list of the pairs of objects that meet.
//!
//! If every object has one piece, each pair of pieces is a pair of objects, and buckets sort the pairs. Otherwise, the
//! collector merges, from time to time, the pairs of pieces that belong to the same pair of objects. The memory is
//! therefore proportional to the number of pairs of objects.

use super::buckets::{Buckets, Item, Run, reserve, sorted};
use crate::answers::results::Keep;
use crate::answers::results::{Counts, RelatedPair, Relation};
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::geometry::Pieces;

/// When the list has this many pairs, equal pairs of objects are merged for the first time.
const MERGE_PAIRS: usize = 1 << 20;

/// The meeting pairs of objects so far. The relation of two objects is the strongest relation of their pieces.
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
    /// The pairs of objects, if every object has one piece.
    Runs {
        runs: Vec<Run>,
        /// The pairs that wait until they fill a run.
        pending: Vec<RelatedPair>,
    },
    /// The pairs of objects, if an object has several pieces. When the list has as many pairs as the second value, the
    /// pairs of the same objects are merged.
    Merged(Vec<RelatedPair>, usize),
}

impl<'a> Found<'a> {
    /// Creates an empty collector. `b` is `None` in a self-join. `one_piece_an_object` says whether every object of both sides
    /// has at most one piece.
    pub(crate) fn new(a: Pieces<'a>, b: Option<Pieces<'a>>, one_piece_an_object: bool, keep: Keep) -> Self {
        let pairs = if one_piece_an_object {
            Pairs::Runs { runs: Vec::new(), pending: Vec::new() }
        } else {
            Pairs::Merged(Vec::new(), MERGE_PAIRS)
        };
        let is_self_join = b.is_none();
        Self { a, b: b.unwrap_or(a), is_self_join, keep, touching: 0, overlapping: 0, pairs }
    }

    fn buckets(&self) -> Buckets {
        Buckets::of(self.a.set.object_count(), self.b.set.object_count())
    }

    /// Adds the relations of pairs of pieces.
    ///
    /// # Errors
    /// Returns [`Error::OutOfMemory`] if the pairs do not fit in memory.
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
        let buckets = self.buckets();
        match &mut self.pairs {
            Pairs::Runs { runs, pending } => {
                let run_pairs = buckets.run_pairs();
                let parts = pairs.par_chunks(run_pairs).zip(relations.par_chunks(run_pairs));
                let made: Vec<Result<(Part, [u64; 2])>> = parts
                    .map(|(pairs, relations)| {
                        let kept = Meeting { pairs, relations, objects, keep }.kept()?;
                        // A part that has as many pairs as a run becomes a run.
                        let is_whole = pairs.len() == run_pairs;
                        let part =
                            if is_whole { Part::Run(Run::new(&kept, buckets)?) } else { Part::Few(kept) };
                        Ok((part, meeting_counts(relations)))
                    })
                    .collect();
                for made in made {
                    let (part, [touching, overlapping]) = made?;
                    self.touching += touching;
                    self.overlapping += overlapping;
                    match part {
                        Part::Run(run) => runs.push(run),
                        Part::Few(kept) => {
                            reserve(pending, kept.len())?;
                            pending.extend_from_slice(&kept);
                        }
                    }
                }
                if pending.len() >= run_pairs {
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

    /// Returns the pairs to keep, sorted, and stores the numbers of all touching and overlapping pairs in `counts`.
    ///
    /// # Errors
    /// Returns [`Error::OutOfMemory`] if the pairs do not fit in memory.
    pub(crate) fn finish(self, counts: &mut Counts) -> Result<Vec<RelatedPair>> {
        (counts.touching, counts.overlapping) = (self.touching, self.overlapping);
        let buckets = self.buckets();
        match self.pairs {
            Pairs::Runs { mut runs, pending } => {
                runs.push(Run::new(&pending, buckets)?);
                drop(pending);
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
    /// The function that converts a pair of pieces and their relation to the pair of their objects with this relation.
    objects: O,
    keep: Keep,
}

/// The pairs of objects that one task keeps from its part of the pairs of pieces.
enum Part {
    Run(Run),
    /// The pairs to keep, which are too few for a run.
    Few(Vec<RelatedPair>),
}

impl<O: Fn([u32; 2], Relation) -> RelatedPair> Meeting<'_, O> {
    /// Returns for each relation 1 if the relation is kept and 0 otherwise. The index in the array is the relation as
    /// an integer. The relations are hard to predict, so the loops below have no branch on them.
    fn weights(&self) -> [u32; 3] {
        [
            u32::from(self.keep.keeps(Relation::Disjoint)),
            u32::from(self.keep.keeps(Relation::Touching)),
            u32::from(self.keep.keeps(Relation::Overlapping)),
        ]
    }

    /// Returns the pairs of objects to keep, in the order of the pairs of pieces, or [`Error::OutOfMemory`].
    fn kept(&self) -> Result<Vec<RelatedPair>> {
        let weights = self.weights();
        let count = self.relations.iter().map(|&relation| weights[relation as usize] as usize).sum::<usize>();
        let mut pairs = Vec::new();
        // The loop writes every pair, and overwrites the pairs that are not kept. After the last kept pair, it writes
        // to the additional last element.
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
}

/// Returns the number of touching pairs and the number of overlapping pairs.
fn meeting_counts(relations: &[Relation]) -> [u64; 2] {
    // Each block is counted in a u8, so that a vector register holds many counts.
    let count_of = |of| {
        let count = |block: &[Relation]| block.iter().map(|&relation| u8::from(relation == of)).sum::<u8>();
        relations.chunks(usize::from(u8::MAX)).map(|block| u64::from(count(block))).sum()
    };
    [count_of(Relation::Touching), count_of(Relation::Overlapping)]
}

/// Stores the numbers of touching and overlapping pairs in `counts`. `found` has only pairs that meet.
pub(super) fn counted(found: &[RelatedPair], counts: &mut Counts) {
    counts.touching = found.par_iter().filter(|p| p.relation == Relation::Touching).count() as u64;
    counts.overlapping = found.len() as u64 - counts.touching;
}

/// Sorts the pairs. Of several pairs with the same objects, keeps the pair with the strongest relation.
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
        // Each pair occurs once, in no particular order. Every tenth pair has one of three first objects, so these have very many
        // pairs.
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
        let run_pairs = Buckets::of(5000, 5000).run_pairs();
        assert!(
            pairs.len() > 2 * run_pairs + 1000 && pairs.iter().filter(|pair| pair[0] == 2000).count() > 500
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
            assert_eq!(runs.len(), pairs.len() / run_pairs);
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
