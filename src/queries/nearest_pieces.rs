//! Finds the pairs of pieces that can be the nearest pair of two objects. It serves objects with many pieces.
//!
//! The broad phase finds the pairs of objects. If a pair of objects has many pairs of pieces, a short search first
//! finds an upper bound of the least distance. A walk down two trees of boxes then returns the pairs of pieces whose
//! distance can be within this bound.
//!
//! No nearest pair is missed. Proof: let `d(p)` be the true distance of a pair `p` of pieces, let `f(p)` be the
//! distance that the narrow phase computes, and let `f(p)` differ from `d(p)` by at most `e(p)`. The search ends with
//! some pair `s` and a value `limit`, so that `limit >= d(s) + e(s) >= f(s)`, or `limit = 0 = f(s)`. Let `p` be a pair
//! with the least `f`. There may be several such pairs. Then
//! `box distance - e(p) <= d(p) - e(p) <= f(p) <= f(s) <= limit`. The walk returns every pair with
//! `box distance - e <= limit`. For a pair of tree nodes, the box distance is at most the box distance of any pair
//! below the nodes, and `e` is at least the `e` of any pair below the nodes.
//!
//! Of pairs with equal computed distances, the pair with the least indices counts. If the pieces of `s` meet, the
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

/// If two objects of a set have more pairs of pieces than this, the set is searched by objects.
pub(crate) const MANY_PAIRS: usize = 4096;
/// If two objects have at most this number of pairs of pieces, the source yields all pairs that are near enough.
const FEW_PAIRS: usize = 256;
/// The number of pairs of objects that are taken from the broad phase at once.
const OBJECT_PAIRS: usize = 1024;
/// The number of pairs of objects that are searched at once.
const SEARCHES: usize = 256;
/// Pairs of pieces that the search for an upper bound measures.
const BOUND_PAIRS: usize = 64;
/// Pairs of pieces with more pairs of vertices than this are not measured, but two of their vertices that are near each other.
const BOUND_VERTICES: usize = 4096;
/// The error of a computed distance beyond [`Bounds::error`], as a fraction of the greatest coordinate. It covers the
/// grid of the anchors and the rounding of posed pieces.
const LEAST_ERROR: f64 = 1.0 / (1u64 << 40) as f64;

/// Yields pairs of pieces in a fixed order, for any number of threads: the pairs that may be the nearest of objects
/// with many pieces, and all pairs of other objects.
pub(super) struct NearestPieces<'a> {
    a: Forest<'a>,
    /// The trees of B; `None` in a self-join.
    b: Option<Forest<'a>>,
    objects: Candidates,
    figure: PieceDistances,
    reach: f64,
    least_error: f64,
    /// Pairs of objects with many pairs of pieces.
    waiting: VecDeque<[u32; 2]>,
    begun: Vec<Walk>,
}

impl<'a> NearestPieces<'a> {
    /// `boxes` are the boxes of all pieces. The box of a rounded piece includes its radius.
    pub(super) fn new(
        (a, boxes_a): (Rounded<'a>, Cow<'a, [Aabb]>),
        other: Option<(Rounded<'a>, Cow<'a, [Aabb]>)>,
        reach: f64,
    ) -> Result<Self> {
        let forest_a = Forest::new(a, boxes_a);
        let forest_b = other.map(|(b, boxes)| Forest::new(b, boxes));
        let objects = match &forest_b {
            // Each of the two grows by half.
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

    /// A lower bound of the number of pairs.
    pub(super) fn count(&self) -> u64 {
        self.objects.count()
    }

    /// Clears `out` and puts further pairs in it: `limit` of them, or as many more as the objects
    /// that were taken last have; fewer only at the end. Returns whether there were any.
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

    /// Gives the pairs of pieces of objects with few of them; the others wait.
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

/// No less than the pairs of pieces that an object of the one and an object of the other have.
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
    /// The walk leaves out pairs with greater indices than this pair.
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
    /// A walk with that limit, or with one that is searched for.
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

    /// Returns the next pairs of a walk, at most `most`.
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

    /// Returns an upper bound of the least computed distance of the pieces of two objects, and the last pair that
    /// matters. A short search from the nearest boxes finds the bound.
    fn upper_bound(&self, objects: [u32; 2]) -> (f64, [u32; 2]) {
        let mut least = f64::INFINITY;
        // Of boxes that are equally near the smallest, which are the nearest to the end. No gap is negative: its bits are in
        // the order of gaps.
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
            // Down to two pieces, by the nearer part each time: the other parts wait. Without that, steps may end before any
            // two pieces are reached.
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

    /// Returns the pair of pieces with the least indices that meets, or `None` for rounded shapes. The search tests all
    /// pairs whose boxes meet. A test takes a small fraction of the time of a measurement.
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
                // They meet exactly, of which the narrow phase makes 0 too.
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
mod tests {
    use std::f64::consts::TAU;

    use super::super::measuring_join::Measuring;
    use super::super::walk::Walk;
    use super::*;
    use crate::answers::backend::Backend;
    use crate::answers::distance::Distance;
    use crate::answers::measured::MeasuredPair;
    use crate::queries::block_on::block_on;
    use crate::{Engine, PolygonObject, Pose, RoundedSet, RoundedShape};

    /// Numbers from 0 to 1.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// A ring around a point, its radius anew at every vertex.
    fn star(random: &mut Random, at: [f64; 2], radius: f64, vertices: usize) -> Vec<[f64; 2]> {
        let vertex = |k| {
            let (sin, cos) = (TAU * k as f64 / vertices as f64).sin_cos();
            let radius = radius * (0.6 + 0.4 * random.next());
            [at[0] + radius * cos, at[1] + radius * sin]
        };
        (0..vertices).map(vertex).collect()
    }

    /// Generates stars around a point: some overlap, some are disjoint, and some are in the hole of another star.
    fn stars(seed: u64, count: usize, at: [f64; 2]) -> Vec<PolygonObject> {
        let mut random = Random(seed);
        let star_of = |k: usize| {
            let at = [at[0] + 12.0 * random.next(), at[1] + 12.0 * random.next()];
            let vertices = [3, 24, 50, 90][k % 4];
            let radius = 0.5 + random.next();
            let outer = star(&mut random, at, radius, vertices);
            if k.is_multiple_of(3) && vertices > 3 {
                let hole = star(&mut random, at, 0.5 * radius, vertices);
                let inner = star(&mut random, at, 0.2 * radius, vertices);
                return PolygonObject::from_multi_polygon(&[vec![outer, hole], vec![inner]]).unwrap();
            }
            PolygonObject::from_polygon(&[outer]).unwrap()
        };
        (0..count).map(star_of).collect()
    }

    /// A strip along x with teeth upward, or downward from the height on.
    fn saw(teeth: usize, height: f64, upward: bool) -> PolygonObject {
        let sign = if upward { 1.0 } else { -1.0 };
        let mut ring = vec![[0.0, height - 2.0 * sign], [teeth as f64, height - 2.0 * sign]];
        for k in (0..teeth).rev() {
            ring.push([k as f64 + 1.0, height - sign]);
            ring.push([k as f64 + 0.5, height]);
        }
        ring.push([0.0, height - sign]);
        PolygonObject::from_polygon(&[ring]).unwrap()
    }

    type Found = Vec<MeasuredPair<Distance>>;

    /// Finds the near pairs with all pairs of pieces, and with the pairs that may be the nearest, on 1 thread and on 2
    /// threads. Returns how many pairs of pieces each run measured.
    fn both_ways(a: Rounded<'_>, other: Option<Rounded<'_>>, distance: f64) -> (Found, [u64; 2]) {
        let engine = Engine::new(Backend::Cpu).unwrap();
        let join = |many_pairs, threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut walk = Walk::new(a, other);
                (walk.reach, walk.many_pairs) = (distance, many_pairs);
                let mut query = Measuring::new(&walk, PieceDistances { within: distance }, false);
                let mut walked = block_on(engine.backends.measure(&walk, &mut query)).unwrap();
                query.finish(&mut walked).unwrap()
            })
        };
        let all = join(usize::MAX, 1);
        let nearest = [join(0, 1), join(0, 2)];
        for found in &nearest {
            assert_eq!(found.items, all.items, "within {distance}");
            assert_eq!(found.counts.candidate_pairs, nearest[0].counts.candidate_pairs);
        }
        (all.items, [all.counts.candidate_pairs, nearest[0].counts.candidate_pairs])
    }

    #[test]
    fn the_least_of_all_pieces_is_found() {
        for at in [[0.0, 0.0], [3e6, -5e6]] {
            let sets = [
                PolygonSet::from_objects(&stars(1, 40, at)).unwrap(),
                PolygonSet::from_objects(&stars(2, 40, at)).unwrap(),
            ];
            let [a, b] = sets.each_ref().map(Rounded::of);
            for distance in [0.0, 1e-3, 0.3, 3.0] {
                for other in [None, Some(b)] {
                    let (found, [all, nearest]) = both_ways(a, other, distance);
                    assert!(found.iter().any(|pair| pair.measurement.distance == 0.0));
                    assert!(distance < 0.3 || found.iter().any(|pair| pair.measurement.distance > 0.1));
                    assert!(distance < 3.0 || 10 * nearest < all, "{nearest} of {all}");
                }
            }
        }
    }

    #[test]
    fn posed_objects_are_where_their_poses_say() {
        let shapes = stars(3, 12, [0.0, 0.0]);
        let mut random = Random(4);
        let mut pose =
            || Pose::new(TAU * random.next(), [20.0 * random.next(), 1e5 + 20.0 * random.next()]).unwrap();
        let instances: Vec<(usize, Pose)> = (0..40).map(|k| (k % 12, pose())).collect();
        let set = PolygonSet::from_instances(&shapes, &instances).unwrap();
        for distance in [0.0, 1.0, 9.0] {
            both_ways(Rounded::of(&set), None, distance);
        }
    }

    #[test]
    fn rounded_shapes_are_as_near_as_their_radii_say() {
        let polygons = PolygonSet::from_objects(&stars(5, 40, [0.0, 0.0])).unwrap();
        let mut random = Random(6);
        let mut shape = |k: usize| {
            let mut at = || [12.0 * random.next(), 12.0 * random.next()];
            let (from, to) = (at(), at());
            let radius = [0.0, 0.05, 1.0][k % 3];
            if k.is_multiple_of(2) {
                RoundedShape::circle(from, radius)
            } else {
                RoundedShape::capsule(from, to, radius)
            }
        };
        let shapes: Vec<_> = (0..60).map(|k| shape(k).unwrap()).collect();
        let rounded = RoundedSet::new(&shapes).unwrap();
        for distance in [0.0, 0.2, 5.0] {
            let (a, b) = (Rounded::of(&polygons), Rounded::of(&rounded));
            for (a, b) in [(a, b), (b, a)] {
                let (found, _) = both_ways(a, Some(b), distance);
                assert!(found.len() > 100);
            }
        }
    }

    #[test]
    fn of_equally_near_pieces_the_first_are_named() {
        // Tips that touch, that are half a unit apart, and teeth that reach into each other.
        for (height, expected) in [(0.0, 0.0), (0.5, 0.5), (-0.25, 0.0), (3.0, 3.0)] {
            let saws = [saw(100, 0.0, true), saw(100, height, false)];
            let set = PolygonSet::from_objects(&saws).unwrap();
            let (found, [_, nearest]) = both_ways(Rounded::of(&set), None, 3.0);
            assert_eq!((found.len(), found[0].measurement.distance), (1, expected));
            // Every tip is as near as any other; of those that meet the first is enough.
            assert_eq!(nearest >= 100, expected > 0.0, "{nearest}");
        }
    }

    #[test]
    fn of_objects_that_overlap_a_single_pair_of_pieces_is_measured() {
        // Stars of little depth fall into slivers right across them, whose boxes nearly all meet.
        let mut random = Random(8);
        let mut circle = |at: f64| {
            let vertex = |k: usize| {
                let (sin, cos) = (TAU * k as f64 / 400.0).sin_cos();
                let radius = 1.0 + 1e-3 * random.next();
                [at + radius * cos, radius * sin]
            };
            PolygonObject::from_polygon(&[(0..400).map(vertex).collect::<Vec<_>>()]).unwrap()
        };
        let shapes = [circle(0.0), circle(1.5)];
        let turned = |angle| Pose::new(angle, [0.0, 0.0]).unwrap();
        for angles in [[0.0, 0.0], [0.7, 0.7], [0.3, -0.2]] {
            let instances = [(0, turned(angles[0])), (1, turned(angles[1]))];
            let set = PolygonSet::from_instances(&shapes, &instances).unwrap();
            let (found, [all, nearest]) = both_ways(Rounded::of(&set), None, 0.5);
            assert_eq!((found.len(), found[0].measurement.distance), (1, 0.0));
            // But for pairs of pieces with lesser numbers, of which there are few.
            assert!(all > 300 && nearest <= 20, "{nearest} of {all}");
        }
    }

    #[test]
    fn short_chunks_give_the_same_pairs() {
        let set = PolygonSet::from_objects(&stars(7, 30, [0.0, 0.0])).unwrap();
        let pairs = |limit| {
            let boxes = set.piece_boxes();
            let mut source = NearestPieces::new((Rounded::of(&set), boxes), None, 3.0).unwrap();
            let (mut all, mut chunk) = (Vec::new(), Vec::new());
            while source.next_chunk(limit, &mut chunk) {
                all.append(&mut chunk);
            }
            all.sort_unstable();
            all
        };
        let all = pairs(usize::MAX);
        assert!(all.len() > 1000);
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
        assert_eq!(pairs(10), all);
    }
}
