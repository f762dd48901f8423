//! Finds the pairs of pieces that can be the nearest pair of two objects. Joins of objects with many pieces use it.
//!
//! The broad phase finds the pairs of objects. If a pair of objects has many pairs of pieces, a short search first
//! finds an upper bound of the least distance. A walk down two trees of boxes then returns the pairs of pieces whose
//! distance can be within this bound.
//!
//! The walk misses no nearest pair. For a pair `p` of pieces, let `d(p)` be the true distance, `f(p)` the distance that
//! the narrow phase computes, and `e(p)` a bound on the error: `|f(p) - d(p)| <= e(p)`.
//!
//! - The search ends with some pair `s` and a value `limit`. Either `limit >= d(s) + e(s) >= f(s)`, or `limit = 0 =
//!   f(s)`.
//! - Let `p` be a pair with the least `f`. Then `box distance - e(p) <= d(p) - e(p) <= f(p) <= f(s) <= limit`.
//! - The walk returns every pair of pieces with `box distance - e <= limit`, so it returns `p`.
//! - For a pair of tree nodes, the walk uses a box distance and an `e` that hold for every pair of pieces below the
//!   nodes. The box distance is at most theirs, and `e` is at least theirs.
//!
//! Among pairs with equal computed distances, the pair with the least indices is chosen. If the pieces of `s` meet, the
//! computed distance of `s` is 0, and no distance is less. The walk then leaves out the pairs with greater indices than
//! `s`.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use glam::DVec2;

use super::piece_trees::{Bounds, Forest, Node, parts};
use crate::answers::results::Relation;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::broad_phase::{self, Candidates};
use crate::geometry::{Aabb, Piece, PolygonSet, Rounded};
use crate::kernels::cpu::exact;
use crate::kernels::cpu::measure::measure_one;
use crate::kernels::measurements::PieceDistances;

/// If two objects may have more than this many pairs of pieces, a query for distances makes its own pass over the
/// candidate pairs. This pass begins with pairs of objects, and visits only the pairs of pieces that may be the
/// nearest.
pub(crate) const MANY_PAIRS: usize = 4096;
/// For two objects with at most this many pairs of pieces, the source yields every pair within reach. For two objects
/// with more pairs, it yields only the pairs that may be the nearest.
const FEW_PAIRS: usize = 256;
/// The number of pairs of objects that are taken from the broad phase at once.
const OBJECT_PAIRS: usize = 1024;
/// The number of pairs of objects that are searched at once.
const SEARCHES: usize = 256;
/// The search for an upper bound measures at most this many pairs of pieces.
const BOUND_PAIRS: usize = 64;
/// The search measures two pieces only if they have at most this many pairs of vertices. For larger pieces, it uses the
/// distance between two near vertices, which is an upper bound of their distance.
const BOUND_VERTICES: usize = 4096;
/// The part of the error of a computed distance that [`Bounds::error`] does not cover, as a fraction of the greatest
/// coordinate. This part comes from the grid of the anchors and from the rounding of posed pieces.
const LEAST_ERROR: f64 = 1.0 / (1u64 << 40) as f64;

/// A source of pairs of pieces. If two objects have many pieces, it yields only the pairs that may be the nearest.
/// Otherwise, it yields all pairs within reach. The order of the pairs is the same for any number of threads.
pub(super) struct NearestPieces<'a> {
    a: Forest<'a>,
    /// The trees of B, or `None` in a self-join.
    b: Option<Forest<'a>>,
    objects: Candidates,
    figure: PieceDistances,
    reach: f64,
    least_error: f64,
    /// The pairs of objects with many pairs of pieces that are not searched yet.
    waiting: VecDeque<[u32; 2]>,
    begun: Vec<Walk>,
}

impl<'a> NearestPieces<'a> {
    /// Creates the source, or returns the error of the broad phase. `boxes_a` and the boxes of `other` are the boxes of all pieces.
    /// The box of a rounded piece includes its radius. `reach` is the greatest distance of a pair, in the caller's unit.
    pub(super) fn new(
        (a, boxes_a): (Rounded<'a>, Cow<'a, [Aabb]>),
        other: Option<(Rounded<'a>, Cow<'a, [Aabb]>)>,
        reach: f64,
    ) -> Result<Self> {
        let forest_a = Forest::new(a, boxes_a);
        let forest_b = other.map(|(b, boxes)| Forest::new(b, boxes));
        let objects = match &forest_b {
            // Each of the two boxes of a pair grows by half of the reach, so that boxes within the reach meet.
            None => broad_phase::self_join(&forest_a.objects(0.5 * reach), None)?,
            Some(b) => broad_phase::join(&forest_a.objects(reach), &b.objects(0.0))?,
        };
        let extent = |forest: &Forest<'_>| {
            let greatest = |aabb: &Aabb| aabb.min.abs().max(aabb.max.abs()).max_element();
            forest.boxes.iter().map(greatest).fold(0.0, f64::max)
        };
        let extent = forest_b.iter().map(extent).fold(extent(&forest_a), f64::max);
        Ok(Self {
            a: forest_a,
            b: forest_b,
            objects,
            figure: PieceDistances { within: reach },
            reach,
            least_error: extent * LEAST_ERROR,
            waiting: VecDeque::new(),
            begun: Vec::new(),
        })
    }

    /// Returns the number of pairs of objects whose boxes are within reach of each other.
    pub(super) fn count(&self) -> u64 {
        self.objects.count()
    }

    /// Clears `out`, and fills it with at least `limit` pairs, or with all remaining pairs if there are fewer. `out`
    /// may hold more than `limit` pairs, because all pairs of some objects are added together. Returns whether `out`
    /// has any pairs.
    pub(super) fn next_chunk(&mut self, limit: usize, out: &mut Vec<[u32; 2]>) -> bool {
        out.clear();
        let mut objects = Vec::new();
        while out.len() < limit {
            if self.begun.is_empty()
                && self.waiting.len() < SEARCHES
                && self.objects.next_chunk(OBJECT_PAIRS, &mut objects)
            {
                self.take(&objects, out);
                continue;
            }
            if self.begun.is_empty() {
                let next: Vec<_> = self.waiting.drain(..self.waiting.len().min(SEARCHES)).collect();
                self.begun = next.par_iter().map(|&pair| self.sides().walk(pair, None)).collect();
            }
            if self.begun.is_empty() {
                break;
            }
            let share = ((limit - out.len()) / self.begun.len()).max(1);
            let mut begun = std::mem::take(&mut self.begun);
            let sides = self.sides();
            let found: Vec<_> = begun.par_iter_mut().map(|walk| sides.next_pairs(walk, share)).collect();
            found.iter().for_each(|found| out.extend(found));
            begun.retain(|walk| !walk.stack.is_empty());
            self.begun = begun;
        }
        !out.is_empty()
    }

    /// Appends the pairs of pieces of objects with few pairs of pieces to `out`. Queues the other pairs of objects.
    fn take(&mut self, objects: &[[u32; 2]], out: &mut Vec<[u32; 2]>) {
        let sides = self.sides();
        let pairs_of = |&[a, b]: &[u32; 2]| sides.a.count(a).saturating_mul(sides.b.count(b));
        let near = |pair| {
            if pairs_of(pair) > FEW_PAIRS {
                return Vec::new();
            }
            sides.next_pairs(&mut sides.walk(*pair, Some(sides.reach)), usize::MAX)
        };
        let found: Vec<Vec<[u32; 2]>> = objects.par_iter().map(near).collect();
        found.iter().for_each(|found| out.extend(found));
        let many: Vec<_> = objects.iter().copied().filter(|pair| pairs_of(pair) > FEW_PAIRS).collect();
        self.waiting.extend(many);
    }

    fn sides(&self) -> Sides<'_> {
        let Self { a, b, figure, reach, least_error, .. } = self;
        Sides { a, b: b.as_ref().unwrap_or(a), figure: *figure, reach: *reach, least_error: *least_error }
    }
}

/// Returns the greatest possible number of pairs of pieces of two objects: the greatest number of pieces of an object of
/// `a`, times the greatest number of pieces of an object of `b`.
pub(super) fn most_pairs(a: &PolygonSet, b: &PolygonSet) -> usize {
    let most_pieces = |set: &PolygonSet| {
        let of_objects = |objects: &[u32]| objects.chunk_by(|a, b| a == b).map(<[u32]>::len).max();
        set.piece_objects().map_or(Some(1), of_objects).unwrap_or(0)
    };
    most_pieces(a).saturating_mul(most_pieces(b))
}

/// A walk through the pairs of pieces of two objects.
struct Walk {
    objects: [u32; 2],
    limit: f64,
    /// The last pair that the walk may return. The walk leaves out all pairs with greater indices.
    last: [u32; 2],
    stack: Vec<[Node; 2]>,
}

const NO_LAST: [u32; 2] = [u32::MAX; 2];

#[derive(Clone, Copy)]
struct Sides<'a> {
    a: &'a Forest<'a>,
    b: &'a Forest<'a>,
    figure: PieceDistances,
    reach: f64,
    least_error: f64,
}

impl Sides<'_> {
    /// Starts a walk over the pairs of pieces of two objects. `limit` is the greatest distance of a pair. If it is
    /// `None`, a search finds it.
    fn walk(&self, objects: [u32; 2], limit: Option<f64>) -> Walk {
        let (limit, last) = match limit {
            Some(limit) => (limit, NO_LAST),
            None => self.upper_bound(objects),
        };
        Walk { objects, limit: limit.min(self.reach), last, stack: vec![self.roots(objects)] }
    }

    fn roots(&self, [a, b]: [u32; 2]) -> [Node; 2] {
        [self.a.root(a), self.b.root(b)]
    }

    fn bounds(&self, objects: [u32; 2], nodes: [Node; 2]) -> [Bounds; 2] {
        [self.a.bounds(objects[0], nodes[0]), self.b.bounds(objects[1], nodes[1])]
    }

    /// Returns the next pairs of a walk, at most `most` of them.
    fn next_pairs(&self, walk: &mut Walk, most: usize) -> Vec<[u32; 2]> {
        let mut found = Vec::new();
        while found.len() < most
            && let Some(nodes) = walk.stack.pop()
        {
            let [a, b] = self.bounds(walk.objects, nodes);
            if [a.least, b.least] > walk.last || a.gap(&b) - a.error(&b) - self.least_error > walk.limit {
                continue;
            }
            match parts(nodes, [a, b]) {
                Some([first, last]) => walk.stack.extend([last, first]),
                None => found.push(self.pieces(walk.objects, nodes)),
            }
        }
        found
    }

    fn pieces(&self, objects: [u32; 2], nodes: [Node; 2]) -> [u32; 2] {
        [self.a.piece(objects[0], nodes[0]), self.b.piece(objects[1], nodes[1])]
    }

    /// Returns an upper bound on the least computed distance between pieces of two objects, and the last pair that the walk must
    /// visit. If pieces meet and no shape is rounded, returns 0 and the first pair that meets. Otherwise, a short search from the
    /// nearest boxes finds the bound.
    fn upper_bound(&self, objects: [u32; 2]) -> (f64, [u32; 2]) {
        let mut least = f64::INFINITY;
        // Among pairs of nodes with equal gaps, the pair with the fewest pieces comes first, because it is the closest to the
        // leaves. No gap is negative, so the bits of two gaps compare like the gaps.
        let entry = |nodes: [Node; 2]| {
            let [a, b] = self.bounds(objects, nodes);
            Reverse((a.gap(&b).to_bits(), nodes[0].count + nodes[1].count, nodes))
        };
        let mut heap = BinaryHeap::from([entry(self.roots(objects))]);
        for _ in 0..BOUND_PAIRS {
            let Some(Reverse((gap, _, nodes))) = heap.pop() else { break };
            if f64::from_bits(gap) >= least {
                break;
            }
            // Descends to two pieces. At each level, follows the nearer pair of nodes, and queues the other pair. A search that
            // queued both pairs could end before it has measured any pieces.
            let mut nodes = nodes;
            while let Some(parts) = parts(nodes, self.bounds(objects, nodes)) {
                let [first, last] = parts.map(entry);
                let (nearer, other) = if first >= last { (first, last) } else { (last, first) };
                heap.push(other);
                nodes = nearer.0.2;
            }
            let bounds = self.bounds(objects, nodes);
            least = least.min(self.upper_bound_of_pieces(self.pieces(objects, nodes), bounds));
            if least == 0.0 {
                break;
            }
        }
        match self.first_that_meet(objects) {
            Some(pair) => (0.0, pair),
            None => (least, NO_LAST),
        }
    }

    fn is_rounded(&self) -> bool {
        [self.a, self.b].iter().any(|forest| forest.rounded.is_rounded())
    }

    /// Returns the first pair of pieces that meets, in the order of their indices. Returns `None` if no pair meets, or
    /// if a shape is rounded. The search tests all pairs whose boxes meet. A test takes a small fraction of the time of
    /// a measurement.
    fn first_that_meet(&self, objects: [u32; 2]) -> Option<[u32; 2]> {
        if self.is_rounded() {
            return None;
        }
        let mut first = None;
        let mut stack = vec![self.roots(objects)];
        while let Some(nodes) = stack.pop() {
            let bounds @ [a, b] = self.bounds(objects, nodes);
            if first.is_some_and(|first| [a.least, b.least] >= first) || a.gap(&b) > 0.0 {
                continue;
            }
            let Some(parts) = parts(nodes, bounds) else {
                let pair = self.pieces(objects, nodes);
                let [a, b] = [(self.a, pair[0]), (self.b, pair[1])]
                    .map(|(forest, piece)| forest.rounded.cores.piece(piece as usize));
                if exact::relation(a, b) != Relation::Disjoint {
                    first = Some(pair);
                }
                continue;
            };
            let [one, other] = parts.map(|nodes| self.bounds(objects, nodes).map(|bounds| bounds.least));
            stack.extend(if one > other { parts } else { [parts[1], parts[0]] });
        }
        first
    }

    /// Returns an upper bound of the computed distance of two pieces.
    fn upper_bound_of_pieces(&self, pair: [u32; 2], [a, b]: [Bounds; 2]) -> f64 {
        let forests = [self.a, self.b];
        let error = a.error(&b) + self.least_error;
        let [piece_a, piece_b] = [
            forests[0].rounded.cores.piece(pair[0] as usize),
            forests[1].rounded.cores.piece(pair[1] as usize),
        ];
        let radii =
            [forests[0].rounded.radius(pair[0] as usize), forests[1].rounded.radius(pair[1] as usize)];
        if piece_a.vertices.len() * piece_b.vertices.len() <= BOUND_VERTICES {
            let rounded = self.is_rounded().then_some(radii);
            let found = measure_one(self.figure, [piece_a, piece_b], [None; 2], rounded);
            if found.distance == 0.0 && !self.is_rounded() {
                // The pieces meet exactly, so the narrow phase also computes 0.
                return 0.0;
            }
            return found.distance + error;
        }
        let nearest = |piece: Piece<'_>, to: DVec2| {
            let images = piece.vertices.iter().map(|&v| piece.pose.apply(v));
            let nearer = |p: DVec2, q: DVec2| if q.distance(to) < p.distance(to) { q } else { p };
            images.reduce(nearer).expect("a piece has vertices")
        };
        let on_a = nearest(piece_a, (b.aabb.min + b.aabb.max) * 0.5);
        let on_b = nearest(piece_b, on_a);
        let on_a = nearest(piece_a, on_b);
        (on_a.distance(on_b) + error - radii[0] - radii[1]).max(0.0)
    }
}

#[cfg(test)]
mod tests;
