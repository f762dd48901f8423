//! The right answers: stored for the sizes and seeds in use, and found anew by exact arithmetic in every run.

use sat2d::scenes::Scene;
use sat2d::{Backend, Engine, JoinOptions, ObjectPair, PolygonSet};
use serde::Serialize;

use crate::{AnyError, Rings};

/// Counts of a self-join, and a hash of its sorted pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Expected {
    /// Pairs of polygons whose closed boxes meet.
    pub(crate) candidates: u64,
    pub(crate) disjoint: u64,
    pub(crate) touching: u64,
    pub(crate) overlapping: u64,
    /// [`hash`] of the meeting pairs.
    pub(crate) hash: u64,
}

impl Expected {
    /// The counts and the hash, and whether they are as stored.
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

/// The right answer and its pairs.
#[derive(Debug)]
pub(crate) struct Exact {
    pub(crate) expected: Expected,
    /// The meeting pairs, sorted.
    pub(crate) pairs: Vec<ObjectPair>,
}

/// Scene, count, seed and the answer, as [`exact_answer`] gave it.
const STORED: [(Scene, usize, u64, Expected); 10] = [
    (Scene::Boxes, 100_000, 1, expected(199_543, 62_743, 0, 136_800, 0x76d3_bc55_f3a3_426d)),
    (Scene::Crowd, 100_000, 1, expected(516_323, 310_601, 0, 205_722, 0xda22_79f3_2b4a_0b54)),
    (Scene::Ngons, 100_000, 1, expected(299_235, 91_275, 0, 207_960, 0xd1f7_b992_36f7_e7d0)),
    (Scene::BigNgons, 100_000, 1, expected(299_237, 71_855, 0, 227_382, 0xc677_51f7_df33_5ae9)),
    (Scene::Clustered, 100_000, 1, expected(296_810, 106_997, 0, 189_813, 0x069a_9e27_1403_8449)),
    (Scene::Boxes, 1_000_000, 1, expected(1_998_050, 629_273, 0, 1_368_777, 0xbc70_65c7_7dc2_2233)),
    (Scene::Crowd, 1_000_000, 1, expected(5_186_128, 3_119_577, 0, 2_066_551, 0x44f2_34fe_397d_4c85)),
    (Scene::Ngons, 1_000_000, 1, expected(2_994_476, 914_978, 0, 2_079_498, 0x1bea_497e_b16a_e3ee)),
    (Scene::BigNgons, 1_000_000, 1, expected(2_997_847, 717_647, 0, 2_280_200, 0xe683_d6a2_0a2b_7be7)),
    (Scene::Clustered, 1_000_000, 1, expected(3_104_406, 1_148_716, 0, 1_955_690, 0xeef8_5baf_0da5_7aa9)),
];

const fn expected(candidates: u64, disjoint: u64, touching: u64, overlapping: u64, hash: u64) -> Expected {
    Expected { candidates, disjoint, touching, overlapping, hash }
}

/// The stored answer, if there is one.
pub(crate) fn stored(scene: Scene, count: usize, seed: u64) -> Option<Expected> {
    let row = STORED.iter().find(|row| (row.0, row.1, row.2) == (scene, count, seed));
    row.map(|row| row.3)
}

/// The self-join with every candidate pair decided a second time by exact predicates; an error where the two differ.
pub(crate) fn exact_answer(rings: &Rings) -> Result<Exact, AnyError> {
    let set = PolygonSet::from_convex_rings(rings)?;
    let options = JoinOptions { check: true, ..JoinOptions::default() };
    let join = Engine::new(Backend::Cpu)?.self_join(&set, &options)?;
    let report = join.check.ok_or("the join was not checked")?;
    if let Some(first) = report.disagreements.first() {
        return Err(format!("{} pairs are wrong: {first}", report.disagreement_count()).into());
    }
    let counts = join.counts;
    let expected = Expected {
        candidates: counts.candidate_pairs,
        disjoint: counts.candidate_pairs - counts.touching - counts.overlapping,
        touching: counts.touching,
        overlapping: counts.overlapping,
        hash: hash(&join.pairs),
    };
    Ok(Exact { expected, pairs: join.pairs })
}

/// FNV-1a, 64 bits, of `a`, `b` (32 bits each, little-endian) and the relation's code (8 bits) of each pair.
pub(crate) fn hash(pairs: &[ObjectPair]) -> u64 {
    let bytes = pairs.iter().flat_map(|pair| {
        let [a, b] = [pair.a.to_le_bytes(), pair.b.to_le_bytes()];
        a.into_iter().chain(b).chain([pair.relation as u8])
    });
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
