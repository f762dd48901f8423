//! Pairs of bodies whose boxes meet, sorted.

use super::super::bodies::BodyTraits;
use crate::Aabb;
use crate::broad_phase;
use crate::error::Result;

/// Pairs taken from the broad phase at once.
const CHUNK: usize = 1 << 16;

/// Candidate pairs `[a, b]`, `a < b`, sorted.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    pub(crate) sorted: Vec<[u32; 2]>,
    found: Vec<[u32; 2]>,
    chunk: Vec<[u32; 2]>,
    starts: Vec<u32>,
}

impl Pairs {
    /// All pairs of bodies that may meet.
    pub(crate) fn update(&mut self, boxes: &[Aabb], traits: &[BodyTraits]) -> Result<()> {
        self.found.clear();
        let mut candidates = broad_phase::self_join(boxes, None)?;
        while candidates.next_chunk(CHUNK, &mut self.chunk) {
            let meet = |&[a, b]: &[u32; 2]| traits[a as usize].meets(&traits[b as usize]);
            self.found.extend(self.chunk.iter().copied().filter(meet));
        }
        self.sort(boxes.len());
        Ok(())
    }

    /// By the first of each pair by counting, then each run by the second.
    fn sort(&mut self, count: usize) {
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        for &[a, _] in &self.found {
            self.starts[a as usize + 1] += 1;
        }
        for k in 0..count {
            self.starts[k + 1] += self.starts[k];
        }
        self.sorted.resize(self.found.len(), [0; 2]);
        for &pair in &self.found {
            let next = &mut self.starts[pair[0] as usize];
            self.sorted[*next as usize] = pair;
            *next += 1;
        }
        // Each start is now the end of its run.
        let mut start = 0;
        for &end in &self.starts[..count] {
            self.sorted[start..end as usize].sort_unstable_by_key(|pair| pair[1]);
            start = end as usize;
        }
    }
}
