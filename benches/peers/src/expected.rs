//! The right answers. They are stored for the usual sizes and seeds. The stages `join`, `narrow` and `figures` also compute the
//! stored answers again, with exact arithmetic.

use sat2d::Relations;
use sat2d::scenes::Scene;
use sat2d::{Backend, Engine, PolygonSet, RelatedPair, Relation};
use serde::{Deserialize, Serialize};

use crate::{AnyError, Rings};

/// The counts of a self-join, and a hash of its sorted pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Expected {
    /// The number of pairs of polygons whose closed boxes meet.
    pub(crate) candidates: u64,
    pub(crate) disjoint: u64,
    pub(crate) touching: u64,
    pub(crate) overlapping: u64,
    /// The [`hash`] of the pairs that meet.
    pub(crate) hash: u64,
}

impl Expected {
    /// Returns the counts and the hash of a self-join with this number of candidates and these sorted pairs.
    pub(crate) fn of(candidates: u64, pairs: &[RelatedPair]) -> Self {
        let touching = pairs.iter().filter(|pair| pair.relation == Relation::Touching).count() as u64;
        let overlapping = pairs.len() as u64 - touching;
        // The subtraction wraps, so that wrong counts are reported and do not cause a panic.
        let disjoint = candidates.wrapping_sub(pairs.len() as u64);
        Self { candidates, disjoint, touching, overlapping, hash: hash(pairs) }
    }

    /// Returns a line with the counts and the hash, and whether they equal the stored counts and hash. `as_stored` is `None` if
    /// no answer is stored.
    pub(crate) fn line(&self, as_stored: Option<bool>) -> String {
        let Self { candidates, disjoint, touching, overlapping, hash } = self;
        let stored = match as_stored {
            Some(true) => "as stored",
            Some(false) => "NOT AS STORED",
            None => "none stored",
        };
        format!(
            "{candidates} pairs: {disjoint} disjoint, {touching} touch, {overlapping} overlap; {hash:016x}, {stored}"
        )
    }
}

/// The right answer of a self-join, and whether it is a stored answer. The answers of the contenders are compared with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standard {
    pub(crate) expected: Expected,
    pub(crate) is_stored: bool,
}

impl Standard {
    /// Returns the stored answer of a scene. If none is stored, computes the answer with exact arithmetic.
    pub(crate) fn new(scene: Option<Scene>, seed: u64, rings: &Rings) -> Result<Self, AnyError> {
        match scene.and_then(|scene| stored(scene, rings.len(), seed)) {
            Some(expected) => Ok(Self { expected, is_stored: true }),
            None => Ok(Self { expected: exact_answer(rings)?.expected, is_stored: false }),
        }
    }

    /// Returns the word that a table shows for an answer that is right or wrong.
    pub(crate) fn says(&self, is_right: bool) -> &'static str {
        match (is_right, self.is_stored) {
            (false, _) => "WRONG",
            (true, true) => "as stored",
            (true, false) => "exact",
        }
    }
}

/// The answer of exact arithmetic for one self-join: the counts, the hash and the pairs.
#[derive(Debug)]
pub(crate) struct Exact {
    pub(crate) expected: Expected,
    /// The pairs that meet, sorted.
    pub(crate) pairs: Vec<RelatedPair>,
}

/// The stored answers, which `sat2d bench` also uses. Each line has the scene, the count, the seed, the counts and the hash of
/// an [`exact_answer`].
const STORED: &str = include_str!("../../../crates/cli/src/bench/expected.csv");

/// Returns the stored answer of a scene with `count` polygons, or `None` if no answer is stored.
pub(crate) fn stored(scene: Scene, count: usize, seed: u64) -> Option<Expected> {
    let key = format!("{},{count},{seed},", scene.name());
    let row = STORED.lines().find_map(|line| line.strip_prefix(&key))?;
    let (counts, hash) = row.rsplit_once(',')?;
    let counts: Vec<u64> = counts.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
    let &[candidates, disjoint, touching, overlapping] = &counts[..] else { return None };
    let hash = u64::from_str_radix(hash, 16).ok()?;
    Some(Expected { candidates, disjoint, touching, overlapping, hash })
}

/// Computes the self-join of the rings, and decides every candidate pair again with exact predicates. Returns an error if the
/// two results differ.
pub(crate) fn exact_answer(rings: &Rings) -> Result<Exact, AnyError> {
    let set = PolygonSet::from_convex_rings(rings)?;
    let join = Engine::new(Backend::Cpu)?.self_join(&set).check().query(Relations)?;
    let report = join.check.ok_or("the join was not checked")?;
    if let Some(first) = report.disagreements.first() {
        return Err(format!("{} pairs are wrong: {first}", report.disagreement_count()).into());
    }
    Ok(Exact { expected: Expected::of(join.counts.candidate_pairs, &join.items), pairs: join.items })
}

/// Returns a hash of pairs: FNV-1a, 64 bits. The input is `a`, `b` (32 bits each, little-endian) and the relation's
/// code (8 bits) of each pair.
pub(crate) fn hash(pairs: &[RelatedPair]) -> u64 {
    let bytes = pairs.iter().flat_map(|pair| {
        let [a, b] = [pair.a.to_le_bytes(), pair.b.to_le_bytes()];
        a.into_iter().chain(b).chain([pair.relation as u8])
    });
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stored_answer_is_read() {
        let rows = STORED.lines().count() - 1;
        let counts = [1_000, 10_000, 100_000, 1_000_000];
        let read = Scene::ALL.iter().flat_map(|&scene| counts.map(|count| stored(scene, count, 1)));
        assert_eq!(read.flatten().count(), rows);
        assert_eq!(stored(Scene::Boxes, 1_000, 2), None);
        let exact = exact_answer(&Scene::NearTouching.generate(1_000, 1)).unwrap().expected;
        assert_eq!(stored(Scene::NearTouching, 1_000, 1), Some(exact));
    }
}
