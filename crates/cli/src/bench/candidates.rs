//! The candidate pairs of a scene, and the pairs among them that are hits.

use super::expected::Answer;
use crate::error::Result;
use sat2d::{Answers, Backend, Engine, Keep, PolygonSet, Relation, Relations, broad_phase};

/// The relations that make a candidate pair a hit. A join finds the pairs with the same relations.
pub(super) const KEEP: Keep = Keep::Meeting;

/// The input of a measurement of the path from candidate pairs to hits, and the expected hits.
#[derive(Debug)]
pub(super) struct Candidates {
    pub(super) set: PolygonSet,
    /// The candidate pairs of polygon indices, in the order of the broad phase.
    pub(super) pairs: Vec<[u32; 2]>,
    /// The expected hits, in the order of the pairs.
    hits: Vec<([u32; 2], Relation)>,
    /// The answer that consists of the expected hits.
    answer: Answer,
}

impl Candidates {
    pub(super) fn of(rings: &[Vec<[f64; 2]>]) -> Result<Self> {
        let set = PolygonSet::from_convex_rings(rings)?;
        let mut stream = broad_phase::self_join(&set.piece_aabbs(), None)?;
        let (mut pairs, mut chunk) = (Vec::new(), Vec::new());
        while stream.next_chunk(1 << 20, &mut chunk) {
            pairs.extend_from_slice(&chunk);
        }
        let all = Engine::new(Backend::Cpu)?.piece_pairs(&set, &set, &pairs).query(Relations)?;
        let decided = pairs.iter().copied().zip(all.items);
        let hits: Vec<_> = decided.filter(|&(_, relation)| KEEP.keeps(relation)).collect();
        let answer = Answer::of_hits(&hits, &all.counts);
        Ok(Self { set, pairs, hits, answer })
    }

    /// Returns the answer that consists of the hits in `found`. If the hits or their order differ from the expected hits, the
    /// hash of the answer differs from the expected hash.
    pub(super) fn answer(&self, found: &Answers<([u32; 2], Relation)>) -> Answer {
        if found.items == self.hits {
            let [touching, overlapping] = [found.counts.touching, found.counts.overlapping];
            return Answer { touching, overlapping, ..self.answer.clone() };
        }
        let answer = Answer::of_hits(&found.items, &found.counts);
        let is_reordered = answer.hash == self.answer.hash;
        Answer { hash: if is_reordered { "another order".into() } else { answer.hash }, ..answer }
    }
}

#[cfg(test)]
mod tests {
    use super::super::expected::{SEED, Table};
    use super::*;
    use sat2d::Hits;
    use sat2d::scenes::Scene;

    #[test]
    fn hits_have_the_stored_answer_and_only_in_the_candidates_order() {
        let candidates = Candidates::of(&Scene::NearTouching.generate(1000, SEED)).unwrap();
        let expected = Table::shipped().unwrap().find(Scene::NearTouching, 1000).cloned().unwrap();
        let engine = Engine::new(Backend::Cpu).unwrap();
        let mut prepared = engine.prepare(&candidates.set, &candidates.set).unwrap();
        let mut hits = prepared.piece_pairs(&candidates.pairs).query(Hits { keep: KEEP }).unwrap();
        assert_eq!(candidates.answer(&hits), expected);
        hits.items.swap(3, 4);
        assert_ne!(candidates.answer(&hits), expected);
        hits.items.pop();
        assert_ne!(candidates.answer(&hits), expected);
    }
}
