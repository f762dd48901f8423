//! A walk over all candidate pairs of one set, or of two: the broad phase, the backend, the proposer, and the driver.

use std::borrow::Cow;

use super::buckets::{Buckets, RUN_PAIRS, Run, sorted};
use super::drive::{Drive, Query, Source};
use super::nearest_pieces::{NearestPieces, most_pairs};
use crate::answers::backend::Choice;
use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::broad_phase::{self, Candidates};
use crate::geometry::limits::check_sizes;
use crate::geometry::{Aabb, Pieces, PolygonSet, Rounded};
use crate::kernels::backends::Backends;
use crate::kernels::log::{Log, Stage};
use crate::kernels::proposer::{Lists, Proposer, Side};
use crate::queries::options::Progress;

/// Pairs that the broad phase finds at once, to sort them.
const CHUNK_IN_FLIGHT: usize = 1 << 18;

/// The sets of a walk, and which pairs of pieces it visits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk<'a> {
    a: Rounded<'a>,
    /// `None` in a self-join.
    other: Option<Rounded<'a>>,
    /// The walk visits all pairs of pieces whose boxes are at most this far apart.
    pub(crate) reach: f64,
    /// Whether the walk visits the pairs in the order of their objects. Every object has one piece then.
    is_sorted: bool,
    /// If two objects may have more pairs of pieces than this, the walk visits only pairs that may be the nearest of their objects.
    pub(crate) many_pairs: usize,
    pub(crate) drive: Drive<'a>,
}

/// What a walk leaves.
pub(crate) struct Walked {
    pub(crate) choice: Choice,
    pub(crate) log: Log,
}

impl<'a> Walk<'a> {
    /// Visits all pairs of pieces whose boxes meet.
    pub(crate) fn new(a: Rounded<'a>, other: Option<Rounded<'a>>) -> Self {
        Self { a, other, reach: 0.0, is_sorted: false, many_pairs: usize::MAX, drive: Drive::default() }
    }

    /// A and B, which are the same set in a self-join.
    pub(crate) fn sides(&self) -> [Rounded<'a>; 2] {
        [self.a, self.other.unwrap_or(self.a)]
    }

    /// Visits pairs in the order of their objects if every object has one piece: an answer that takes many bytes is then written to its
    /// place at once.
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

    /// Whether no object, of either set, has more than one piece.
    pub(crate) fn has_one_piece_an_object(&self) -> bool {
        self.sides().iter().all(|side| side.cores.has_one_piece_an_object())
    }

    fn stage(&self, name: &'static str) {
        self.drive.progress.inspect(|progress: &&dyn Progress| progress.stage(name));
    }

    /// Whether only the pairs that may be the nearest are visited.
    pub(crate) fn is_of_nearest(&self) -> bool {
        let [a, b] = self.sides();
        self.many_pairs < usize::MAX && most_pairs(a.cores, b.cores) > self.many_pairs
    }

    fn source(&self, boxes_a: &'a [Aabb], boxes_b: Option<&'a [Aabb]>) -> Result<PiecePairs<'a>> {
        let [a, b] = self.sides();
        let others = boxes_b.map(|boxes| grown(boxes, b, 0.0));
        if self.is_of_nearest() {
            let other = others.map(|boxes| (b, boxes));
            let nearest = NearestPieces::new((a, grown(boxes_a, a, 0.0)), other, self.reach)?;
            return Ok(PiecePairs::Nearest(Box::new(nearest)));
        }
        let candidates = match others {
            None => {
                // Two pieces of one object are never a candidate pair. Each of the two boxes grows by half.
                let groups = a.cores.piece_objects().filter(|_| !self.has_one_piece_an_object());
                broad_phase::self_join(&grown(boxes_a, a, 0.5 * self.reach), groups)?
            }
            Some(others) => broad_phase::join(&grown(boxes_a, a, self.reach), &others)?,
        };
        if self.is_sorted {
            return Ok(PiecePairs::Sorted { pairs: in_order(candidates, a.cores)?, next: 0 });
        }
        Ok(PiecePairs::Near(Box::new(candidates)))
    }
}

/// All candidate pairs, sorted by their indices. In sets whose objects have one piece each, this is the order of the objects.
fn in_order(mut candidates: Candidates, a: &PolygonSet) -> Result<Vec<[u32; 2]>> {
    let buckets = Buckets::of(a.piece_count());
    let (mut runs, mut chunk) = (Vec::new(), Vec::new());
    while candidates.next_chunk(CHUNK_IN_FLIGHT, &mut chunk) {
        let run = |pairs: &[[u32; 2]]| Run::new(pairs, buckets);
        let made: Vec<Result<Run<[u32; 2]>>> = chunk.par_chunks(RUN_PAIRS).map(run).collect();
        runs.extend(made.into_iter().collect::<Result<Vec<_>>>()?);
    }
    sorted(&runs, buckets)
}

impl Backends {
    /// Takes the pairs of a walk through a query.
    pub(crate) async fn walk<Q: Query>(&self, walk: &Walk<'_>, query: &mut Q) -> Result<Walked> {
        let [a, b] = walk.sides().map(|side| side.cores);
        let other = walk.other.map(|side| side.cores);
        check_sizes(a, other)?;
        let mut log = Log::new();
        walk.stage("broad phase");
        let start = Instant::now();
        let (boxes_a, boxes_b) = (a.piece_boxes(), other.map(PolygonSet::piece_boxes));
        let mut source = walk.source(&boxes_a, boxes_b.as_deref())?;
        // No pair is decided yet. Counting the pairs takes a part of the time of the broad phase.
        let choice = self.choice_for(0, |most| source.count_up_to(most));
        log.end(Stage::BroadPhase, 0, start);

        walk.stage("packing");
        let (pieces_a, pieces_b) = (Pieces::of(a), Pieces::of(b));
        let side_a = Side { pieces: pieces_a, boxes: &boxes_a };
        let side_b = boxes_b.as_deref().map(|boxes| Side { pieces: pieces_b, boxes });
        let mut proposer =
            Proposer::new(self, choice.backend, (side_a, side_b), Lists::One, query.hint(), &mut log).await?;

        walk.stage("narrow phase");
        let mut spare = self.spare.lock().map(|mut spare| spare.take_lists()).unwrap_or_default();
        let sides = [pieces_a, pieces_b];
        walk.drive.run(&mut source, &mut proposer, sides, query, &mut spare, &mut log).await?;
        if let Ok(mut kept) = self.spare.lock() {
            kept.give_lists(spare);
        }
        let mut device = proposer.timeline(&log);
        log.spans.append(&mut device);
        walk.stage("sorting");
        Ok(Walked { choice, log })
    }
}

/// The pairs of pieces that a walk visits.
enum PiecePairs<'a> {
    /// All whose boxes are near enough.
    Near(Box<Candidates>),
    /// All whose boxes are near enough, in the order of their objects.
    Sorted { pairs: Vec<[u32; 2]>, next: usize },
    /// Those that may be the nearest of their objects.
    Nearest(Box<NearestPieces<'a>>),
}

impl PiecePairs<'_> {
    /// As [`Candidates::count_up_to`].
    fn count_up_to(&self, most: u64) -> u64 {
        match self {
            Self::Near(candidates) => candidates.count_up_to(most),
            Self::Sorted { pairs, .. } => pairs.len() as u64,
            Self::Nearest(nearest) => nearest.count(),
        }
    }
}

impl<'s> Source<'s> for PiecePairs<'_> {
    fn next_chunk(&mut self, limit: usize, spare: &mut Vec<[u32; 2]>) -> Result<Option<Cow<'s, [[u32; 2]]>>> {
        match self {
            Self::Near(candidates) => Source::next_chunk(&mut **candidates, limit, spare),
            Self::Sorted { pairs, next } => {
                let chunk = &pairs[*next..pairs.len().min(next.saturating_add(limit))];
                *next += chunk.len();
                spare.clear();
                spare.extend_from_slice(chunk);
                Ok((!chunk.is_empty()).then(|| Cow::Owned(std::mem::take(spare))))
            }
            Self::Nearest(nearest) => {
                let mut pairs = std::mem::take(spare);
                let has_any = nearest.next_chunk(limit, &mut pairs);
                Ok(has_any.then_some(Cow::Owned(pairs)))
            }
        }
    }
}

/// Boxes that are larger by the radius and by `reach` on every side, or by a little more.
pub(super) fn grown<'a>(boxes: &'a [Aabb], rounded: Rounded<'_>, reach: f64) -> Cow<'a, [Aabb]> {
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
