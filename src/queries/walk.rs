//! A walk over all candidate pairs of one set or of two sets. The walk combines the broad phase, the backend, the
//! proposer and the driver.

use std::borrow::Cow;

use super::drive::{Drive, Query};
use super::nearest_pieces::{NearestPieces, most_pairs};
use super::sources::{InOrder, Source, Visited};
use crate::answers::backend::Choice;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::broad_phase::{self, Candidates};
use crate::geometry::limits::check_sizes;
use crate::geometry::{Aabb, Pieces, Rounded};
use crate::kernels::backends::Backends;
use crate::kernels::log::{Log, Stage};
use crate::kernels::proposer::{Lists, Proposer, Side};
use crate::queries::progress::Progress;

/// The sets of a walk, and the selection of the pairs of pieces that it visits. A walk is one pass over the candidate
/// pairs of one set or of two sets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk<'a> {
    a: Rounded<'a>,
    /// The second set, or `None` in a self-join.
    other: Option<Rounded<'a>>,
    /// The greatest distance between the boxes of two pieces that the walk visits as a pair, in the caller's unit.
    pub(crate) reach: f64,
    /// Whether the walk visits the pairs in the order of their objects. Each object then has at most one piece.
    is_sorted: bool,
    /// If two objects can have more pairs of pieces than this number, the walk visits only the pairs that may be the
    /// nearest pairs of their objects. Otherwise, the walk visits all pairs of pieces within reach.
    pub(crate) many_pairs: usize,
    pub(crate) drive: Drive<'a>,
}

/// The backend that ran a walk, and the counts and times of the walk.
pub(crate) struct Walked {
    pub(crate) choice: Choice,
    pub(crate) log: Log,
}

impl<'a> Walk<'a> {
    /// Creates a walk over all pairs of pieces whose boxes meet.
    pub(crate) fn new(a: Rounded<'a>, other: Option<Rounded<'a>>) -> Self {
        Self { a, other, reach: 0.0, is_sorted: false, many_pairs: usize::MAX, drive: Drive::default() }
    }

    /// Returns A and B. In a self-join, both are the same set.
    pub(crate) fn sides(&self) -> [Rounded<'a>; 2] {
        [self.a, self.other.unwrap_or(self.a)]
    }

    /// Makes the walk visit the pairs in the order of their objects, if each object has one piece. The measurements then arrive
    /// sorted, in several parts if there are very many. A sort of the measurements would be slow, because each measurement has
    /// many bytes.
    pub(crate) fn sort(&mut self) {
        self.is_sorted = self.has_one_piece_an_object() && !self.is_of_nearest();
    }

    pub(crate) fn is_sorted(&self) -> bool {
        self.is_sorted
    }

    pub(crate) fn is_self_join(&self) -> bool {
        self.other.is_none()
    }

    pub(crate) fn is_rounded(&self) -> bool {
        self.sides().iter().any(|side| side.is_rounded())
    }

    /// Returns whether each object of both sets has at most one piece.
    pub(crate) fn has_one_piece_an_object(&self) -> bool {
        self.sides().iter().all(|side| side.cores.has_one_piece_an_object())
    }

    fn stage(&self, name: &'static str) {
        self.drive.progress.inspect(|progress: &&dyn Progress| progress.stage(name));
    }

    /// Returns whether the walk visits only the pairs that may be the nearest of their objects.
    pub(crate) fn is_of_nearest(&self) -> bool {
        let [a, b] = self.sides();
        self.many_pairs < usize::MAX && most_pairs(a.cores, b.cores) > self.many_pairs
    }

    /// Begins a walk. Returns the boxes of the pieces of A and, if the walk is not a self-join, of B. Also returns a new log.
    /// Returns an error if a set is too large, or if an object cannot be split into pieces.
    fn begin(&self) -> Result<(Vec<Cow<'a, [Aabb]>>, Log)> {
        check_sizes(self.a.cores, self.other.map(|side| side.cores))?;
        let log = Log::new();
        self.stage("broad phase");
        let sets = [Some(self.a), self.other].into_iter().flatten();
        Ok((sets.map(|side| side.cores.piece_boxes()).collect(), log))
    }

    /// Returns all pairs of pieces whose boxes are at most [`Walk::reach`] apart, or the error of the broad phase.
    fn candidates(
        &self,
        boxes_a: &[Aabb],
        boxes_b: Option<&[Aabb]>,
        memory: &mut broad_phase::Memory,
    ) -> Result<Candidates> {
        let [a, b] = self.sides();
        // The centres of enlarged boxes may be rounded differently, so known centres are used only for unchanged boxes.
        let centres = |side: Rounded<'_>, boxes: &Cow<'_, [Aabb]>| {
            let summary = side.cores.summary().filter(|_| matches!(boxes, Cow::Borrowed(_)));
            summary.map(|summary| summary.twice_centres)
        };
        match boxes_b.map(|boxes| grown(boxes, b, 0.0)) {
            None => {
                // Two pieces of one object are never a candidate pair. Each of the two boxes of a pair grows by half of the
                // reach.
                let groups = a.cores.piece_objects().filter(|_| !self.has_one_piece_an_object());
                let boxes = grown(boxes_a, a, 0.5 * self.reach);
                broad_phase::self_join_within(&boxes, groups, centres(a, &boxes), memory)
            }
            Some(others) => {
                let boxes = grown(boxes_a, a, self.reach);
                let known = [centres(a, &boxes), centres(b, &others)];
                broad_phase::join_within([&boxes, &others], known, memory)
            }
        }
    }

    /// Returns the pairs of pieces for a join that measures: all pairs whose boxes are within [`Walk::reach`], or only
    /// the pairs that may be the nearest of their objects. Returns the errors of the broad phase.
    fn measured<'b>(
        &self,
        boxes_a: &'b [Aabb],
        boxes_b: Option<&'b [Aabb]>,
        memory: &mut broad_phase::Memory,
    ) -> Result<Visited<'b>>
    where
        'a: 'b,
    {
        let [a, b] = self.sides();
        if self.is_of_nearest() {
            let other = boxes_b.map(|boxes| (b, grown(boxes, b, 0.0)));
            let nearest = NearestPieces::new((a, grown(boxes_a, a, 0.0)), other, self.reach)?;
            return Ok(Visited::Nearest(Box::new(nearest)));
        }
        let candidates = self.candidates(boxes_a, boxes_b, memory)?;
        if self.is_sorted {
            let sides = [a.cores, b.cores];
            return Ok(Visited::InOrder(Box::new(InOrder::new(candidates, sides, self.drive))));
        }
        Ok(Visited::Near(Box::new(candidates)))
    }
}

impl Backends {
    /// Runs a query on all pairs of pieces whose boxes are within [`Walk::reach`] of each other. Returns the errors of
    /// the broad phase and of [`Drive::run`].
    pub(crate) async fn walk<Q: Query>(&self, walk: &Walk<'_>, query: &mut Q) -> Result<Walked> {
        let (boxes, log) = walk.begin()?;
        let (a, b) = (&boxes[0], boxes.get(1));
        let mut source = self.with_search_memory(|memory| walk.candidates(a, b.map(|b| &**b), memory))?;
        let choice = self.choice_for(0, |most| source.count_up_to(most));
        let walked = self.walk_from(walk, &mut source, &boxes, choice, query, log).await?;
        self.with_search_memory(|memory| source.give_back(memory));
        Ok(walked)
    }

    /// Runs a query on the pairs of pieces for a join that measures: all pairs whose boxes are within [`Walk::reach`],
    /// or only the pairs that may be the nearest of their objects. Returns the errors of the broad phase and of
    /// [`Drive::run`].
    pub(crate) async fn measure<Q: Query>(&self, walk: &Walk<'_>, query: &mut Q) -> Result<Walked> {
        let (boxes, log) = walk.begin()?;
        let (a, b) = (&boxes[0], boxes.get(1));
        let mut source = self.with_search_memory(|memory| walk.measured(a, b.map(|b| &**b), memory))?;
        let choice = self.choice_for(0, |most| source.count_up_to(most));
        let walked = self.walk_from(walk, &mut source, &boxes, choice, query, log).await?;
        self.with_search_memory(|memory| source.give_back(memory));
        Ok(walked)
    }

    /// Runs `work` with the memory that the engine keeps for the broad phase.
    #[cfg(not(target_family = "wasm"))]
    fn with_search_memory<R>(&self, work: impl FnOnce(&mut broad_phase::Memory) -> R) -> R {
        // A query that runs at the same time finds no memory in the engine, and uses new memory.
        let kept = self.spare.lock().map(|mut spare| std::mem::take(&mut spare.search));
        let mut memory = kept.unwrap_or_default();
        let done = work(&mut memory);
        if let Ok(mut spare) = self.spare.lock() {
            spare.search = memory;
        }
        done
    }

    /// Runs `work` with new memory. WebAssembly keeps no memory, because the code for it would make the page load slower.
    #[cfg(target_family = "wasm")]
    fn with_search_memory<R>(&self, work: impl FnOnce(&mut broad_phase::Memory) -> R) -> R {
        work(&mut broad_phase::Memory::default())
    }

    /// Runs a query on the pairs of `source`. Returns the errors of the proposer and of [`Drive::run`]. `boxes` are the
    /// boxes of the pieces of A and, if the walk is not a self-join, the boxes of the pieces of B.
    async fn walk_from<'s, Q: Query>(
        &self,
        walk: &Walk<'_>,
        source: &mut impl Source<'s>,
        boxes: &[Cow<'_, [Aabb]>],
        choice: Choice,
        query: &mut Q,
        mut log: Log,
    ) -> Result<Walked> {
        // The stage of the broad phase ends here. Its time includes the time for counting the pairs.
        let start = log.start;
        log.end(Stage::BroadPhase, 0, start);
        walk.stage("packing");
        let [a, b] = walk.sides().map(|side| Pieces::of(side.cores));
        let side_a = Side { pieces: a, boxes: &boxes[0] };
        let side_b = boxes.get(1).map(|boxes| Side { pieces: b, boxes });
        let (backend, hint) = (choice.backend, query.hint());
        let made = Proposer::new::<Q>(self, backend, (side_a, side_b), Lists::One, hint, &mut log);
        let mut proposer = made.await?;
        walk.stage("narrow phase");
        let mut spare = self.spare.lock().map(|mut spare| spare.take_lists()).unwrap_or_default();
        walk.drive.run(source, &mut proposer, [a, b], query, &mut spare, &mut log).await?;
        if let Ok(mut kept) = self.spare.lock() {
            kept.give_lists(spare);
        }
        let mut device = proposer.timeline(&log);
        log.spans.append(&mut device);
        walk.stage("sorting");
        Ok(Walked { choice, log })
    }
}

/// Returns boxes that are enlarged on every side by the radius of the piece and by `reach`, rounded outward.
pub(crate) fn grown<'a>(boxes: &'a [Aabb], rounded: Rounded<'_>, reach: f64) -> Cow<'a, [Aabb]> {
    if reach == 0.0 && !rounded.is_rounded() {
        return Cow::Borrowed(boxes);
    }
    let outward = |(piece, aabb): (usize, &Aabb)| {
        let reach = (rounded.radius(piece) + reach).next_up();
        let (min, max) = (aabb.min - reach, aabb.max + reach);
        Aabb {
            min: [min.x.next_down(), min.y.next_down()].into(),
            max: [max.x.next_up(), max.y.next_up()].into(),
        }
    };
    Cow::Owned(boxes.par_iter().with_light_work().enumerate().map(outward).collect())
}
