//! Finds the pairs of bodies that are near each other. The sorted list of these pairs is kept from step to step.
//!
//! The search for pairs uses wide boxes. The wide box of a body contains the box that the body needs in the step,
//! enlarged by the distance that the body is likely to move in the next few steps. As long as every body stays in its
//! wide box, only pairs whose wide boxes meet can meet. In each step, the boxes of the step decide which of these pairs
//! meet. The result therefore does not depend on the step in which the search ran. A few bodies leave their wide boxes,
//! for example after a bounce. These bodies are called strays. Each stray gets a new wide box, and the code searches
//! the tree of the wide boxes for the boxes that meet the new box.

use glam::DVec2;

use super::super::bodies::{BodyState, BodyTraits, MOVES};
use crate::Aabb;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::broad_phase::{self, Candidates};
use crate::simd::dot;

/// The broad phase passes at most this many pairs to the search at once.
const CHUNK: usize = 1 << 16;
/// The least number of bodies in one parallel task.
const TASK: usize = 1024;
/// The number of steps for which a search for pairs looks ahead: the number for the first search, the least number, and
/// the greatest number.
const FORESIGHT: [f32; 3] = [4.0, 2.0, 10.0];
/// The fraction by which [`Pairs::look_farther`] increases the number of foreseen steps. If it decreases the number, it
/// divides the number by 1 plus this fraction.
const HESITATION: f32 = 0.2;
/// The cost of searching for the pairs of one body. The unit is the cost of testing one pair of [`Pairs::near`] whose
/// boxes do not meet.
const SEEKING: f32 = 4.0;
/// The margin on every side of a wide box for deviations from the predicted path, as a fraction of the length of this
/// path.
const ASIDE: f32 = 0.1;
/// The margin on every side of a wide box even if the body is at rest, as a fraction of the extent of the
/// body.
const LEEWAY: f32 = 0.03;
/// The greatest movement along each coordinate axis that the search foresees for a body, as a multiple of the body's
/// extent. A longer movement would make the body's box so large that the body would have too many pairs.
const FARTHEST: f32 = 2.0;
/// The number of searches that do not look ahead ([`FORESIGHT`]), after a search whose pairs lasted for only one step.
const PAUSE: u32 = 15;

/// A stray is a body that has left its wide box since the last full search. A full search runs if there are more strays
/// than the number of bodies divided by this constant. This limit is at least [`FEW_STRAYS`] and at most
/// [`MOST_STRAYS`]. Each stray is compared with all other strays, so many strays take much time.
const STRAYS_OF: usize = 32;
/// A number of strays up to this limit is by itself no reason for a full search, however few bodies the world has.
const FEW_STRAYS: usize = 64;
/// More strays than this always cause a full search, however many bodies the world has.
const MOST_STRAYS: usize = 2048;
/// A full search runs if there are too many pairs of strays. The number of pairs must exceed all of these limits: the number of
/// bodies divided by this constant, half of the number of pairs of the last full search, and [`FEW_PAIRS`].
const PAIRS_OF: usize = 8;
/// A number of pairs of strays up to this limit is by itself no reason for a full search.
const FEW_PAIRS: usize = 512;
/// Once the last full search is older than this number of steps, a new full search runs as soon as a body leaves its wide box.
/// Before that, only the pairs of strays are updated. In this time, a body rarely meets so many bodies that no colour is left for
/// its contacts.
const MOST_AGE: u32 = 24;

/// The candidate pairs of a world: pairs of rows `[a, b]`. `a < b`, and each pair occurs once.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// The list of all pairs that may meet before a body leaves its wide box. It also keeps the pairs of a stray from
    /// before the stray left its wide box. The sorted pairs of the last full search come first, and the pairs of strays
    /// follow.
    pub(crate) near: Vec<[u32; 2]>,
    /// The index of the first pair of strays in `near`.
    sorted: usize,
    wide: Vec<Aabb>,
    /// The tree of the wide boxes from the last full search, or `None` if there was no such search. For a stray, the
    /// tree has an outdated box.
    tree: Option<Candidates>,
    /// The bodies that left their wide boxes since the last full search.
    strays: Vec<u32>,
    is_stray: Vec<bool>,
    /// A sorted copy of the pairs of strays, which are the pairs of `near` from index `sorted` on.
    late: Vec<[u32; 2]>,
    /// The number of steps for which a search looks ahead. It is 0 before the first search.
    foresight: f32,
    /// Whether the last search did not look ahead. The list of pairs then becomes invalid when any body leaves its box of this
    /// search.
    is_blind: bool,
    /// The number of steps since the last full search.
    age: u32,
    /// The number of further searches that do not look ahead. See [`PAUSE`].
    pause: u32,
    found: Vec<[u32; 2]>,
    chunk: Vec<[u32; 2]>,
    starts: Vec<u32>,
}

/// How [`Pairs::update`] changed the list of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Update {
    /// The list of pairs is unchanged.
    Same,
    /// New pairs were added to the end of the list.
    More,
    /// A full search replaced the list.
    Anew,
}

/// The data of all bodies from which the search computes boxes and finds pairs.
#[derive(Clone, Copy)]
pub(crate) struct Bounds<'a> {
    /// For each body, the box that it needs in this step, in quanta.
    pub(crate) boxes: &'a [Aabb],
    pub(crate) states: &'a [BodyState],
    pub(crate) traits: &'a [BodyTraits],
    pub(crate) quantum: f32,
    pub(crate) dt: f32,
    /// The number of pairs of the list whose boxes met in the previous step.
    pub(crate) meeting: u64,
}

impl Pairs {
    /// Updates the list of pairs, so that it includes all pairs of bodies that may meet. `is_stale` is set if a body
    /// was removed since the last call. Returns how the list changed. Returns [`crate::Error::TooMany`] if there are
    /// too many bodies for the broad phase.
    pub(crate) fn update(&mut self, bounds: Bounds<'_>, is_stale: bool) -> Result<Update> {
        self.age += 1;
        if !is_stale && self.wide.len() == bounds.boxes.len() {
            let leavers = self.leavers(bounds.boxes);
            if leavers.is_empty() {
                return Ok(Update::Same);
            }
            if let Some(update) = self.follow(bounds, &leavers) {
                return Ok(update);
            }
        }
        if self.pause > 0 {
            self.pause -= 1;
        } else if self.age == 1 && !is_stale && !self.wide.is_empty() {
            self.pause = PAUSE;
        }
        self.age = 0;
        let has_foresight = self.pause == 0;
        if has_foresight && !self.is_blind {
            self.look_farther(bounds.boxes.len(), bounds.meeting);
        }
        self.is_blind = !has_foresight;
        let foresight = self.foresight;
        self.wide.resize(bounds.boxes.len(), Aabb::EMPTY);
        self.wide.par_iter_mut().with_min_len(TASK).enumerate().for_each(|(body, wide)| {
            *wide = if has_foresight { bounds.foreseen(body, foresight) } else { bounds.boxes[body] };
        });
        let sought = self.seek(bounds.traits);
        if sought.is_err() {
            // Without wide boxes, the next step runs a full search.
            self.wide.clear();
        }
        sought.map(|()| Update::Anew)
    }

    /// Adapts the number of foreseen steps. More foreseen steps cause more pairs that do not meet, but fewer searches.
    /// The method increases or decreases the number, depending on which of these two costs is greater.
    fn look_farther(&mut self, body_count: usize, meeting: u64) {
        let [first, least, most] = FORESIGHT;
        if self.foresight == 0.0 {
            self.foresight = first;
            return;
        }
        let in_vain = (self.near.len() as u64).saturating_sub(meeting) as f32;
        let is_too_far = in_vain * self.foresight > SEEKING * body_count as f32;
        let by = if is_too_far { 1.0 / (1.0 + HESITATION) } else { 1.0 + HESITATION };
        self.foresight = (self.foresight * by).clamp(least, most);
    }

    /// Returns the rows of the bodies that left their wide boxes, in ascending order. If the last search did not look
    /// ahead, returns `[0]` if any body left its box, and an empty list otherwise.
    fn leavers(&self, boxes: &[Aabb]) -> Vec<u32> {
        let has_left =
            |(wide, now): (&Aabb, &Aabb)| now.min.cmplt(wide.min).any() || now.max.cmpgt(wide.max).any();
        if self.is_blind {
            let any = self.wide.par_iter().with_min_len(TASK).zip(boxes).any(has_left);
            return if any { vec![0] } else { Vec::new() };
        }
        let of_task = |(task, (wide, now)): (usize, (&[Aabb], &[Aabb]))| -> Vec<u32> {
            let all = (task * TASK..).zip(wide.iter().zip(now));
            all.filter(|&(_, boxes)| has_left(boxes)).map(|(body, _)| body as u32).collect()
        };
        let tasks = self.wide.par_chunks(TASK).zip(boxes.par_chunks(TASK)).enumerate().map(of_task);
        tasks.collect().concat()
    }

    /// Gives new wide boxes to the bodies `leavers`, which left their wide boxes, and adds the pairs of the new boxes.
    /// Returns `None` if a full search is needed: if there are too many strays or pairs, or if the last full search is
    /// too old or did not look ahead.
    fn follow(&mut self, bounds: Bounds<'_>, leavers: &[u32]) -> Option<Update> {
        let count = self.wide.len();
        let most = (count / STRAYS_OF).clamp(FEW_STRAYS, MOST_STRAYS);
        if self.is_blind || self.age > MOST_AGE || self.strays.len() + leavers.len() > most {
            return None;
        }
        let (first, foresight) = (self.near.len(), self.foresight);
        let wide: Vec<Aabb> = leavers.iter().map(|&body| bounds.foreseen(body as usize, foresight)).collect();
        self.found.clear();
        self.tree.as_ref()?.search(&wide, usize::MAX, &mut self.found);
        let room = (self.sorted / 2).max(count / PAIRS_OF).max(FEW_PAIRS);
        if self.late.len() + self.found.len() > room {
            return None;
        }
        for (&body, wide) in leavers.iter().zip(&wide) {
            self.wide[body as usize] = *wide;
            if !std::mem::replace(&mut self.is_stray[body as usize], true) {
                self.strays.push(body);
            }
        }
        let Self { near, found, late, strays, is_stray, wide, sorted, .. } = self;
        let mut add = |body: u32, other: u32| {
            let pair = [body.min(other), body.max(other)];
            let meet = bounds.traits[body as usize].meets(&bounds.traits[other as usize]);
            let is_known = || [&near[..*sorted], late].iter().any(|pairs| pairs.binary_search(&pair).is_ok());
            if meet && !is_known() {
                near.push(pair);
            }
        };
        for &[leaver, other] in found.iter().filter(|&&[_, other]| !is_stray[other as usize]) {
            add(leavers[leaver as usize], other);
        }
        for &body in leavers {
            let bounds = wide[body as usize];
            for &other in strays.iter().filter(|&&other| other != body && wide[other as usize].meets(bounds))
            {
                add(body, other);
            }
        }
        if near.len() == first {
            return Some(Update::Same);
        }
        // If both bodies of a pair left their wide boxes, the pair was found twice.
        sort(&mut near[first..]);
        let mut last = first;
        for k in first + 1..near.len() {
            if near[k] != near[last] {
                last += 1;
                near[last] = near[k];
            }
        }
        near.truncate(last + 1);
        late.extend_from_slice(&near[first..]);
        sort(late);
        Some(Update::More)
    }

    fn seek(&mut self, traits: &[BodyTraits]) -> Result<()> {
        self.found.clear();
        self.late.clear();
        self.strays.clear();
        self.is_stray.clear();
        self.is_stray.resize(traits.len(), false);
        self.tree = None;
        let mut candidates = broad_phase::self_join(&self.wide, None)?;
        while candidates.next_chunk(CHUNK, &mut self.chunk) {
            let meet = |&[a, b]: &[u32; 2]| traits[a as usize].meets(&traits[b as usize]);
            self.found.extend(self.chunk.iter().copied().filter(meet));
        }
        self.sort(traits.len());
        self.sorted = self.near.len();
        candidates.keep_boxes();
        self.tree = Some(candidates);
        Ok(())
    }

    /// Copies the found pairs to `near` and sorts them: by the first body with a counting sort, then the pairs of each
    /// first body by the second body. `count` is the number of rows.
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
        // Each start is now the end of the pairs of its body.
        let mut start = 0;
        for &end in &self.starts[..count] {
            crate::base::sorting::sort_unstable_by_key(&mut self.near[start..end as usize], |pair| pair[1]);
            start = end as usize;
        }
    }
}

/// Sorts pairs by their first body, then by their second body.
pub(crate) fn sort(pairs: &mut [[u32; 2]]) {
    crate::base::sorting::sort_unstable(pairs);
}

impl Bounds<'_> {
    /// Returns a wide box that the body probably does not leave within `foresight` steps.
    fn foreseen(&self, body: usize, foresight: f32) -> Aabb {
        let (now, state, traits) = (self.boxes[body], &self.states[body], &self.traits[body]);
        if !traits.has(MOVES) {
            return now;
        }
        let farthest = FARTHEST * traits.extent;
        let way = [
            (state.velocity[0] * self.dt * foresight).clamp(-farthest, farthest),
            (state.velocity[1] * self.dt * foresight).clamp(-farthest, farthest),
        ];
        let leeway = LEEWAY * traits.extent + ASIDE * dot(way, way).sqrt();
        let quanta =
            |of: [f32; 2]| DVec2::from([f64::from(of[0] / self.quantum), f64::from(of[1] / self.quantum)]);
        Aabb {
            min: now.min + quanta([way[0].min(0.0) - leeway, way[1].min(0.0) - leeway]),
            max: now.max + quanta([way[0].max(0.0) + leeway, way[1].max(0.0) + leeway]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::bodies::DYNAMIC;

    /// Returns the pairs that the broad phase finds for the boxes.
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
        // Every fourth body moves.
        let states: Vec<BodyState> = (0..count)
            .map(|k| {
                let (angle, speed) = (k as f32, if k % 4 == 0 { 2.0 } else { 0.0 });
                BodyState { velocity: [speed * angle.cos(), speed * angle.sin()], ..BodyState::default() }
            })
            .collect();
        let mut at: Vec<[f32; 2]> =
            (0..count).map(|k| [(k % 20) as f32 * 0.9, (k / 20) as f32 * 0.9]).collect();
        let mut pairs = Pairs::default();
        let (mut updates, mut empty, mut most_strays) = ([0; 3], None, 0);
        for step in 0..120 {
            let boxes: Vec<Aabb> = (0..count)
                .map(|k| {
                    let centre = DVec2::from(at[k].map(f64::from));
                    if empty == Some(k) { Aabb::EMPTY } else { Aabb { min: centre - 0.5, max: centre + 0.5 } }
                })
                .collect();
            let bounds = Bounds {
                boxes: &boxes,
                states: &states,
                traits: &traits,
                quantum: 1.0,
                dt: 1.0 / 60.0,
                meeting: 900,
            };
            let before = pairs.near.clone();
            let update = pairs.update(bounds, false).unwrap();
            updates[match update {
                Update::Same => 0,
                Update::More => 1,
                Update::Anew => 2,
            }] += 1;
            match update {
                Update::Same => assert_eq!(pairs.near, before),
                Update::More => assert!(before.len() < pairs.near.len() && pairs.near.starts_with(&before)),
                Update::Anew => assert!(pairs.near.is_sorted()),
            }
            most_strays = most_strays.max(pairs.strays.len());
            let meet = |&&[a, b]: &&[u32; 2]| boxes[a as usize].meets(boxes[b as usize]);
            let mut found: Vec<[u32; 2]> = pairs.near.iter().filter(meet).copied().collect();
            found.sort_unstable();
            assert_eq!(found, expected(&boxes), "{step}");
            for (at, state) in at.iter_mut().zip(&states) {
                for (at, velocity) in at.iter_mut().zip(state.velocity) {
                    *at += velocity / 60.0;
                }
            }
            // Some bodies jump to other places. Two bodies jump next to each other, so that strays meet strays.
            if step % 3 == 0 {
                let k = step * 7 % count;
                at[k] = at[(step * 31 + 5) % count].map(|x| x + 0.3);
                at[(k + 150) % count] = at[k].map(|x| x - 0.2);
            }
            // One body appears, and later disappears.
            empty = (step % 20 < 10).then_some(7);
        }
        let [same, more, anew] = updates;
        assert!(same > 5 && more > 10 && (3..60).contains(&anew), "{updates:?} {most_strays}");
        assert!((20..=FEW_STRAYS).contains(&most_strays), "{updates:?} {most_strays}");
    }

    /// A scene of squares with side 1 around some points, with the data of [`Bounds`].
    struct Squares {
        at: Vec<[f32; 2]>,
        states: Vec<BodyState>,
        traits: Vec<BodyTraits>,
        boxes: Vec<Aabb>,
    }

    impl Squares {
        fn new(at: Vec<[f32; 2]>, is_mover: impl Fn(usize) -> bool) -> Self {
            let count = at.len();
            let traits = |k| BodyTraits {
                flags: if is_mover(k) { MOVES | DYNAMIC } else { 0 },
                extent: 0.7,
                layers: if k % 5 == 3 { [2, 2] } else { [1, 1] },
                ..BodyTraits::default()
            };
            let traits = (0..count).map(traits).collect();
            Self { at, states: vec![BodyState::default(); count], traits, boxes: Vec::new() }
        }

        fn bounds(&mut self) -> Bounds<'_> {
            let square = |at: &[f32; 2]| {
                let centre = DVec2::from(at.map(f64::from));
                Aabb { min: centre - 0.5, max: centre + 0.5 }
            };
            self.boxes = self.at.iter().map(square).collect();
            Bounds {
                boxes: &self.boxes,
                states: &self.states,
                traits: &self.traits,
                quantum: 1.0,
                dt: 1.0 / 60.0,
                meeting: 0,
            }
        }

        /// Returns all pairs that meet, among the pairs that the layers allow.
        fn expected(&self) -> Vec<[u32; 2]> {
            let mut pairs = expected(&self.boxes);
            pairs.retain(|pair| self.traits[pair[0] as usize].meets(&self.traits[pair[1] as usize]));
            pairs
        }
    }

    #[test]
    fn pairs_do_not_grow_as_some_roam_among_many() {
        // A few bodies move over thousands of resting bodies. Each of them leaves its box in every step.
        let (side, movers) = (60, 12);
        let tiles = side * side;
        let mut at: Vec<[f32; 2]> =
            (0..tiles).map(|k| [(k % side) as f32 * 1.2, (k / side) as f32 * 1.2]).collect();
        at.extend((0..movers).map(|k| [0.0, k as f32 * 5.0]));
        let mut squares = Squares::new(at, |k| k >= tiles);
        let mut pairs = Pairs::default();
        let (mut most, mut more, mut anew) = (0, 0, 0);
        for step in 0..400 {
            let update = pairs.update(squares.bounds(), false).unwrap();
            more += usize::from(update == Update::More);
            anew += usize::from(update == Update::Anew);
            most = most.max(pairs.near.len());
            let meet = |[a, b]: &&[u32; 2]| squares.boxes[*a as usize].meets(squares.boxes[*b as usize]);
            let mut found: Vec<[u32; 2]> = pairs.near.iter().filter(meet).copied().collect();
            found.sort_unstable();
            assert_eq!(found, squares.expected(), "{step}");
            for mover in &mut squares.at[tiles..] {
                mover[0] = (mover[0] + 0.9) % 70.0;
            }
        }
        assert!(more > 200 && anew < 40, "{more} {anew}");
        assert!(most < movers * 8 * MOST_AGE as usize / 4, "{most}");
    }

    #[test]
    fn where_all_move_pairs_are_sought_in_every_step_and_not_farther_and_farther() {
        let at = (0..400).map(|k| [(k % 20) as f32, (k / 20) as f32]).collect();
        let mut squares = Squares::new(at, |_| true);
        let mut pairs = Pairs::default();
        for step in 0..200 {
            pairs.update(squares.bounds(), false).unwrap();
            let meet = |[a, b]: &&[u32; 2]| squares.boxes[*a as usize].meets(squares.boxes[*b as usize]);
            let found: Vec<[u32; 2]> = pairs.near.iter().filter(meet).copied().collect();
            assert_eq!(found, squares.expected(), "{step}");
            assert!(pairs.foresight == FORESIGHT[0] && (step < 2 || pairs.strays.is_empty()));
            for (k, at) in squares.at.iter_mut().enumerate() {
                *at = [at[0] + (k as f32 * 1.7 + step as f32).sin(), at[1] + (k as f32 + step as f32).cos()];
            }
        }
    }
}
