//! Pairs of bodies near each other, sorted, and kept from step to step.
//!
//! Pairs are sought among boxes that are wider than the bodies need in the step, by what they are likely to move in the next
//! few. As long as all bodies stay inside of theirs, no others can meet, and which of the pairs do is asked of the
//! boxes of the step alone: when pairs were sought changes no answer.

use glam::DVec2;

use super::super::bodies::{BodyState, BodyTraits, MOVES};
use crate::Aabb;
use crate::broad_phase;
use crate::error::Result;
use crate::parallel::prelude::*;
use crate::vector::Both;

/// Pairs taken from the broad phase at once.
const CHUNK: usize = 1 << 16;
/// Bodies that one task looks at.
const TASK: usize = 1024;
/// Steps for which pairs are sought.
const FORESIGHT: f32 = 6.0;
/// By which part of its way in those steps a body may leave it.
const ASIDE: f32 = 0.25;
/// What a body may move besides, as a part of its extent.
const LEEWAY: f32 = 0.1;
/// The farthest that bodies are foreseen to move, in extents: those of what flies are met by too many.
const FARTHEST: f32 = 2.0;
/// Where pairs last for a single step, steps without foresight.
const PAUSE: u32 = 15;

/// Candidate pairs `[a, b]`, `a < b`, sorted.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// All that may meet before a body leaves its wide box.
    pub(crate) near: Vec<[u32; 2]>,
    wide: Vec<Aabb>,
    /// Steps since they were sought.
    age: u32,
    /// Steps until foresight is tried again.
    pause: u32,
    found: Vec<[u32; 2]>,
    chunk: Vec<[u32; 2]>,
    starts: Vec<u32>,
}

/// What pairs are made of.
#[derive(Clone, Copy)]
pub(crate) struct Bounds<'a> {
    /// Those of the step, in quanta.
    pub(crate) boxes: &'a [Aabb],
    pub(crate) states: &'a [BodyState],
    pub(crate) traits: &'a [BodyTraits],
    pub(crate) quantum: f32,
    pub(crate) dt: f32,
}

impl Pairs {
    /// Has all pairs of bodies that may meet; whether they had to be sought. `is_stale` where a body came or went.
    pub(crate) fn update(&mut self, bounds: Bounds<'_>, is_stale: bool) -> Result<bool> {
        self.age += 1;
        let has_left =
            |(wide, now): (&Aabb, &Aabb)| now.min.cmplt(wide.min).any() || now.max.cmpgt(wide.max).any();
        let stays = self.wide.len() == bounds.boxes.len()
            && !self.wide.par_iter().with_min_len(TASK).zip(bounds.boxes).any(has_left);
        if stays && !is_stale {
            return Ok(false);
        }
        if self.pause > 0 {
            self.pause -= 1;
        } else if self.age == 1 && !is_stale && !self.wide.is_empty() {
            self.pause = PAUSE;
        }
        self.age = 0;
        let has_foresight = self.pause == 0;
        self.wide.resize(bounds.boxes.len(), Aabb::EMPTY);
        self.wide.par_iter_mut().with_min_len(TASK).enumerate().for_each(|(body, wide)| {
            *wide = if has_foresight { bounds.foreseen(body) } else { bounds.boxes[body] };
        });
        let sought = self.seek(bounds.traits);
        if sought.is_err() {
            // Nothing stays inside of nothing.
            self.wide.clear();
        }
        sought.map(|()| true)
    }

    fn seek(&mut self, traits: &[BodyTraits]) -> Result<()> {
        self.found.clear();
        let mut candidates = broad_phase::self_join(&self.wide, None)?;
        while candidates.next_chunk(CHUNK, &mut self.chunk) {
            let meet = |&[a, b]: &[u32; 2]| traits[a as usize].meets(&traits[b as usize]);
            self.found.extend(self.chunk.iter().copied().filter(meet));
        }
        self.sort(traits.len());
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
        self.near.resize(self.found.len(), [0; 2]);
        for &pair in &self.found {
            let next = &mut self.starts[pair[0] as usize];
            self.near[*next as usize] = pair;
            *next += 1;
        }
        // Each start is now the end of its run.
        let mut start = 0;
        for &end in &self.starts[..count] {
            crate::sorting::sort_unstable_by_key(&mut self.near[start..end as usize], |pair| pair[1]);
            start = end as usize;
        }
    }
}

impl Bounds<'_> {
    /// A box that the body is likely to stay inside of for some steps.
    fn foreseen(&self, body: usize) -> Aabb {
        let (now, state, traits) = (self.boxes[body], &self.states[body], &self.traits[body]);
        if !traits.has(MOVES) {
            return now;
        }
        let farthest = FARTHEST * traits.extent;
        let way = state.velocity.both(|v| (v * self.dt * FORESIGHT).clamp(-farthest, farthest));
        let leeway = LEEWAY * traits.extent + ASIDE * way[0].hypot(way[1]);
        let quanta = |of: [f32; 2]| DVec2::from(of.both(|x| f64::from(x / self.quantum)));
        Aabb {
            min: now.min + quanta(way.both(|x| x.min(0.0) - leeway)),
            max: now.max + quanta(way.both(|x| x.max(0.0) + leeway)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::bodies::DYNAMIC;

    /// What the broad phase finds of the boxes alone.
    fn expected(boxes: &[Aabb]) -> Vec<[u32; 2]> {
        broad_phase::self_join(boxes, None).unwrap().sorted()
    }

    #[test]
    fn pairs_that_are_kept_are_those_that_are_sought_anew() {
        let count = 300;
        let traits =
            vec![
                BodyTraits { flags: MOVES | DYNAMIC, extent: 0.5, layers: [1, 1], ..BodyTraits::default() };
                count
            ];
        let states: Vec<BodyState> = (0..count)
            .map(|k| {
                let angle = k as f32;
                BodyState { velocity: [2.0 * angle.cos(), 2.0 * angle.sin()], ..BodyState::default() }
            })
            .collect();
        let mut at: Vec<[f32; 2]> =
            (0..count).map(|k| [(k % 20) as f32 * 0.9, (k / 20) as f32 * 0.9]).collect();
        let mut pairs = Pairs::default();
        let (mut sought, mut empty) = (0, None);
        for step in 0..60 {
            let boxes: Vec<Aabb> = (0..count)
                .map(|k| {
                    let centre = DVec2::from(at[k].map(f64::from));
                    if empty == Some(k) { Aabb::EMPTY } else { Aabb { min: centre - 0.5, max: centre + 0.5 } }
                })
                .collect();
            let bounds =
                Bounds { boxes: &boxes, states: &states, traits: &traits, quantum: 1.0, dt: 1.0 / 60.0 };
            sought += usize::from(pairs.update(bounds, false).unwrap());
            let meet = |&&[a, b]: &&[u32; 2]| boxes[a as usize].meets(boxes[b as usize]);
            assert_eq!(
                pairs.near.iter().filter(meet).copied().collect::<Vec<_>>(),
                expected(&boxes),
                "{step}"
            );
            for (at, state) in at.iter_mut().zip(&states) {
                for (at, velocity) in at.iter_mut().zip(state.velocity) {
                    *at += velocity / 60.0;
                }
            }
            // One comes from nowhere, and goes again.
            empty = (step % 20 < 10).then_some(7);
        }
        assert!((4..40).contains(&sought), "{sought}");
    }
}
