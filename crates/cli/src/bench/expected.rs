//! The correct answers, computed by exact arithmetic and stored for the sizes of the benchmark.

use std::fmt::Write;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use rayon::prelude::*;
use sat2d::{Backend, Engine, PolygonSet};

use sat2d::scenes::Scene;
use sat2d::{Answers, Counts, RelatedPair, Relation, Relations};

/// The seed of all measured scenes.
pub(super) const SEED: u64 = 1;

/// The table of right answers that is built into the program.
const SHIPPED: &str = include_str!("expected.csv");
/// The first line of the table: the names of its columns.
const HEADER: &str = "scene,count,seed,candidates,disjoint,touching,overlapping,hash";

/// The answer of a self-join: counts, and a hash of its sorted pairs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Answer {
    /// Number of pairs of polygons whose closed boxes meet.
    pub(super) candidates: u64,
    /// Number of candidate pairs without a common point.
    pub(super) disjoint: u64,
    /// Number of pairs with common points, but no common interior.
    pub(super) touching: u64,
    /// Number of pairs whose interiors meet.
    pub(super) overlapping: u64,
    /// Hash of the sorted pairs that meet, as 16 hexadecimal digits: FNV-1a of the two indices (32 bits each,
    /// little-endian) and the code of the relation (8 bits) of each pair.
    pub(super) hash: String,
}

impl Answer {
    pub(super) fn of(join: &Answers<RelatedPair>) -> Self {
        Self::new(&join.counts, hash(join.items.iter().map(|pair| ([pair.a, pair.b], pair.relation))))
    }

    /// Returns the answer that consists of `hits`, which may be in any order. Each polygon must be convex and have one piece.
    pub(super) fn of_hits(hits: &[([u32; 2], Relation)], counts: &Counts) -> Self {
        let mut sorted = hits.to_vec();
        sorted.par_sort_unstable();
        Self::new(counts, hash(sorted.into_iter()))
    }

    fn new(counts: &Counts, hash: u64) -> Self {
        let candidates = counts.candidate_object_pairs;
        Self {
            candidates,
            // Wrong counts can be greater than `candidates`. They must be reported, and not cause a panic.
            disjoint: candidates.wrapping_sub(counts.touching).wrapping_sub(counts.overlapping),
            touching: counts.touching,
            overlapping: counts.overlapping,
            hash: format!("{hash:016x}"),
        }
    }
}

/// Returns the 64-bit FNV-1a hash of all pairs, in order. The bytes of a pair are its indices `a` and `b` (32 bits each,
/// little-endian) and the code of its relation (8 bits).
fn hash(pairs: impl Iterator<Item = ([u32; 2], Relation)>) -> u64 {
    let bytes = pairs.flat_map(|(pair, relation)| {
        let [a, b] = pair.map(u32::to_le_bytes);
        a.into_iter().chain(b).chain([relation as u8])
    });
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The answers of scenes with [`SEED`], by scene and number of polygons.
#[derive(Debug, Default)]
pub(super) struct Table(Vec<(Scene, usize, Answer)>);

impl Table {
    /// Returns the answers that are built into the program, or the error of a line that cannot be parsed.
    pub(super) fn shipped() -> Result<Self> {
        Self::parse(SHIPPED, Path::new("expected.csv"))
    }

    /// Reads a file that [`Table::to_csv`] wrote. Returns an error if the file cannot be read or a line cannot be parsed.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::read(path, source))?;
        Self::parse(&text, path)
    }

    fn parse(text: &str, path: &Path) -> Result<Self> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && *line != HEADER);
        let rows = lines.map(|(index, line)| {
            let problem = || format!("is not a line of `{HEADER}` with seed {SEED}");
            row_of(line).ok_or_else(|| Error::syntax(path, index + 1, 1, problem()))
        });
        rows.collect::<Result<_>>().map(Self)
    }

    pub(super) fn to_csv(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for (scene, count, answer) in &self.0 {
            let Answer { candidates, disjoint, touching, overlapping, hash } = answer;
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{scene},{count},{SEED},{candidates},{disjoint},{touching},{overlapping},{hash}"
            );
        }
        text
    }

    pub(super) fn add(&mut self, scene: Scene, count: usize, answer: Answer) {
        self.0.push((scene, count, answer));
    }

    pub(super) fn find(&self, scene: Scene, count: usize) -> Option<&Answer> {
        self.0.iter().find(|row| (row.0, row.1) == (scene, count)).map(|row| &row.2)
    }
}

fn row_of(line: &str) -> Option<(Scene, usize, Answer)> {
    let mut fields = line.split(',');
    let scene = fields.next()?.parse().ok()?;
    let count = fields.next()?.parse().ok()?;
    let seed: u64 = fields.next()?.parse().ok()?;
    let mut number = || fields.next()?.parse().ok();
    let (candidates, disjoint, touching, overlapping) = (number()?, number()?, number()?, number()?);
    let hash = fields.next()?.to_owned();
    let is_whole = seed == SEED && fields.next().is_none() && hash.len() == 16;
    is_whole.then_some((scene, count, Answer { candidates, disjoint, touching, overlapping, hash }))
}

/// Returns the right answer of the self-join of `rings`. The join runs on the CPU backend, and the exact reference checks every
/// candidate pair. Returns an error if the backend and the reference disagree.
pub(super) fn exact(rings: &[Vec<[f64; 2]>]) -> Result<Answer> {
    let set = PolygonSet::from_convex_rings(rings)?;
    let join = Engine::new(Backend::Cpu)?.self_join(&set).check().query(Relations)?;
    match join.check.as_ref().map(|report| report.disagreement_count()) {
        Some(0) => Ok(Answer::of(&join)),
        count => Err(Error::Option {
            option: "exact arithmetic",
            value: format!("{} pairs", count.unwrap_or_default()),
            problem: "the CPU backend decides otherwise; this is a defect, please report it",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_table_has_every_size_once_and_its_sums_are_right() {
        let table = Table::shipped().unwrap();
        assert_eq!(table.to_csv(), SHIPPED);
        for scene in Scene::ALL {
            for count in super::super::plan::COUNTS {
                let answer = table.find(scene, count).unwrap_or_else(|| panic!("{scene} {count}"));
                assert_eq!(answer.candidates, answer.disjoint + answer.touching + answer.overlapping);
            }
        }
        assert_eq!(table.0.len(), Scene::ALL.len() * super::super::plan::COUNTS.len());
    }

    #[test]
    fn exact_arithmetic_finds_what_is_stored() {
        let table = Table::shipped().unwrap();
        for scene in Scene::ALL {
            let answer = exact(&scene.generate(1000, SEED)).unwrap();
            assert_eq!(Some(&answer), table.find(scene, 1000), "{scene}");
        }
    }

    #[test]
    fn a_line_that_is_no_answer_is_named() {
        for line in ["boxes,1000,1,5,1,2,2", "boxes,1000,2,5,1,2,2,0123456789abcdef", "cubes,1,1,0,0,0,0,0"] {
            let error = Table::parse(&format!("{HEADER}\n{line}\n"), Path::new("mine.csv")).unwrap_err();
            assert!(error.to_string().starts_with("mine.csv, line 2, "), "{error}");
        }
    }
}
