//! Chooses features for eight edges at a time, for polygons without poses. The module is the twin of [`super::select`],
//! and performs the same operations.

use glam::DVec2;

use super::pair::{MeasuredPair, Outline};
use super::select::{Best, Line, Nearest, SLACK, near_square, near_vertices, nearest_among};
use super::{Plain, Select};
use crate::answers::pair::PairEdge;
use crate::base::side::PairSide;
use crate::simd::{DOUBLES, DoubleInstructions, Doubles};

/// Chooses features with the machine's vector instructions.
#[derive(Clone, Copy)]
pub(super) struct OnLanes<I>(pub(super) I);

impl<I: DoubleInstructions> Select for OnLanes<I> {
    type Plain = Plain;

    #[inline(always)]
    fn plain(self) -> Plain {
        Plain
    }

    #[inline(always)]
    fn best_edge(self, pair: &MeasuredPair<'_>, gaps: &mut Vec<f64>) -> Option<Best> {
        let (a, b) = (pair.a.vertices, pair.b.vertices);
        if a.len().min(b.len()) < 3 {
            return Plain.best_edge(pair, gaps);
        }
        if let Some(points) = fours(self.0, pair) {
            return Some(best_of_fours(self.0, pair, points));
        }
        if a.len().max(b.len()) <= DOUBLES {
            return Some(best_of_small(self.0, pair));
        }
        best_of_large(self.0, pair, gaps)
    }

    #[inline(always)]
    fn nearest(self, pair: &MeasuredPair<'_>, slack: f64, squares: &mut Vec<f64>) -> Nearest {
        let (a, b) = (pair.a.vertices, pair.b.vertices);
        if a.len().min(b.len()) < 3 {
            return Plain.nearest(pair, slack, squares);
        }
        if let Some(points) = fours(self.0, pair) {
            return nearest_of_fours(self.0, pair, points, slack);
        }
        nearest_of_any(self.0, pair, slack, squares)
    }

    #[inline(always)]
    fn near_line(self, line: &Line, other: Outline<'_>, slack: f64) -> u64 {
        let (i, count) = (self.0, other.vertices.len());
        let (start, normal) = (Points::of(line.start, i), Points::of(line.normal, i));
        if count <= DOUBLES {
            let [x, y] = i.around(other.vertices, count);
            let along = normal.dot(Points { x, y }.minus(start));
            let most = i.doubles(line.most(along.least(), slack));
            return u64::from(most.not_below(along)) & ((1 << count) - 1);
        }
        let mut least = i.doubles(f64::INFINITY);
        let mut at = 0;
        while at < count {
            let [x, y] = i.points(other.vertices, block_start(at, count));
            least = least.min(normal.dot(Points { x, y }.minus(start)));
            at += DOUBLES;
        }
        let most = i.doubles(line.most(least.least(), slack));
        let (mut near, mut at) = (0, 0);
        while at < count {
            let from = block_start(at, count);
            let [x, y] = i.points(other.vertices, from);
            near |= u64::from(most.not_below(normal.dot(Points { x, y }.minus(start)))) << from;
            at += DOUBLES;
        }
        near
    }
}

/// Eight points or vectors, one in each lane.
#[derive(Clone, Copy)]
pub(super) struct Points<D> {
    pub(super) x: D,
    pub(super) y: D,
}

impl<D: Doubles> Points<D> {
    #[inline(always)]
    pub(super) fn minus(self, other: Self) -> Self {
        Self { x: self.x.sub(other.x), y: self.y.sub(other.y) }
    }

    #[inline(always)]
    fn dot(self, other: Self) -> D {
        self.x.mul(other.x).add(self.y.mul(other.y))
    }

    /// Returns the outward normals of eight edges. `self` has, for each edge, the vector from its start to its end.
    #[inline(always)]
    fn outward(self, i: impl DoubleInstructions<Doubles = D>) -> Self {
        Self { x: self.y, y: i.doubles(0.0).sub(self.x) }
    }

    #[inline(always)]
    pub(super) fn of(point: DVec2, i: impl DoubleInstructions<Doubles = D>) -> Self {
        Self { x: i.doubles(point.x), y: i.doubles(point.y) }
    }

    #[inline(always)]
    pub(super) fn magnitude(self) -> D {
        self.x.greater_magnitude(self.y)
    }

    /// Rotates the lanes of each half of the registers: a lane receives the point that is `STEP` lanes after it.
    #[inline(always)]
    fn ahead<const STEP: i32>(self) -> Self {
        Self { x: self.x.next_in_half::<STEP>(), y: self.y.next_in_half::<STEP>() }
    }

    #[inline(always)]
    fn swapped(self) -> Self {
        Self { x: self.x.swapped(), y: self.y.swapped() }
    }
}

/// Returns the edge whose result is in a lane. The first `of_a` lanes are for A's edges, and the next lanes are for B's
/// edges.
#[inline(always)]
fn edge_of_lane(lane: u32, of_a: u32) -> PairEdge {
    if lane < of_a {
        PairEdge { side: PairSide::A, index: lane }
    } else {
        PairEdge { side: PairSide::B, index: lane - of_a }
    }
}

/// Returns the vertices of two polygons with four vertices each. A's vertices are in the lower half of the lanes, and
/// B's vertices are in the upper half. Returns `None` if a polygon has another number of vertices.
#[inline(always)]
fn fours<I: DoubleInstructions>(i: I, pair: &MeasuredPair<'_>) -> Option<Points<I::Doubles>> {
    let (a, b) = (pair.a.vertices.try_into().ok()?, pair.b.vertices.try_into().ok()?);
    let [x, y] = i.both(a, b);
    Some(Points { x, y })
}

#[inline(always)]
fn best_of_fours<I: DoubleInstructions>(i: I, pair: &MeasuredPair<'_>, points: Points<I::Doubles>) -> Best {
    let normal = points.ahead::<1>().minus(points).outward(i);
    let local = points.minus(Points::of(pair.a.vertices[0], i));
    let other = local.swapped();
    let first = other.dot(normal).min(other.ahead::<1>().dot(normal));
    let least = first.min(other.ahead::<2>().dot(normal).min(other.ahead::<3>().dot(normal)));
    let gaps = least.sub(local.dot(normal)).div(normal.dot(normal).sqrt());
    let extent = local.magnitude().greatest();
    let greatest = gaps.greatest();
    let lanes = gaps.not_below(i.doubles(greatest - SLACK * extent));
    Best::new(edge_of_lane(lanes.trailing_zeros(), 4), greatest, extent)
}

/// Returns eight consecutive edges of a polygon, from edge `from` on: their start points, and the vectors from start to
/// end. If the polygon has fewer than eight edges, its first edges follow after its last edge.
#[inline(always)]
pub(super) fn block<I: DoubleInstructions>(i: I, polygon: &[DVec2], from: usize) -> [Points<I::Doubles>; 2] {
    let count = polygon.len();
    let [x, y] = if count <= DOUBLES { i.around(polygon, count) } else { i.points(polygon, from) };
    let closing = polygon[(from + DOUBLES) % count];
    let start = Points { x, y };
    let end = Points { x: x.next_closed_by(closing.x), y: y.next_closed_by(closing.y) };
    [start, end.minus(start)]
}

/// The coordinates of eight vertices in memory. Copying one of them to all lanes is faster from memory than from a
/// register.
struct Stored {
    x: [f64; DOUBLES],
    y: [f64; DOUBLES],
}

impl Stored {
    #[inline(always)]
    fn new<D: Doubles>(points: Points<D>) -> Self {
        let mut stored = Self { x: [0.0; DOUBLES], y: [0.0; DOUBLES] };
        points.x.store(&mut stored.x);
        points.y.store(&mut stored.y);
        stored
    }
}

/// Returns the gaps of eight edges. The edges and the vertices of the other polygon are relative to the pair's first
/// vertex. The loop always tests eight vertices, because their number is hard to predict. Smaller polygons repeat their
/// first vertices. The code here and below uses loops instead of closures, because the compiler would not compile
/// closures for the machine's vectors.
#[inline(always)]
fn gaps_of<I: DoubleInstructions>(
    i: I,
    local: Points<I::Doubles>,
    normal: Points<I::Doubles>,
    other: &Stored,
) -> I::Doubles {
    let mut least = i.doubles(f64::INFINITY);
    for k in 0..DOUBLES {
        least = least.min(Points { x: i.doubles(other.x[k]), y: i.doubles(other.y[k]) }.dot(normal));
    }
    least.sub(local.dot(normal)).div(normal.dot(normal).sqrt())
}

#[inline(always)]
fn best_of_small<I: DoubleInstructions>(i: I, pair: &MeasuredPair<'_>) -> Best {
    let (a, b) = (pair.a.vertices, pair.b.vertices);
    let first = Points::of(a[0], i);
    let ([start_a, edge_a], [start_b, edge_b]) = (block(i, a, 0), block(i, b, 0));
    let (local_a, local_b) = (start_a.minus(first), start_b.minus(first));
    let (stored_a, stored_b) = (Stored::new(local_a), Stored::new(local_b));
    let gaps_a = gaps_of(i, local_a, edge_a.outward(i), &stored_b);
    let gaps_b = gaps_of(i, local_b, edge_b.outward(i), &stored_a);
    let extent = local_a.magnitude().max(local_b.magnitude()).greatest();
    let greatest = gaps_a.max(gaps_b).greatest();
    let least = i.doubles(greatest - SLACK * extent);
    // The lanes after a polygon's last edge repeat the first edges.
    let lanes = gaps_a.not_below(least) | gaps_b.not_below(least) << DOUBLES;
    Best::new(edge_of_lane(lanes.trailing_zeros(), DOUBLES as u32), greatest, extent)
}

/// Returns the index at which a block of eight edges begins: `start`, or an earlier index if fewer than eight edges
/// follow, so that the block is full.
#[inline(always)]
pub(super) fn block_start(start: usize, count: usize) -> usize {
    start.min(count.saturating_sub(DOUBLES))
}

#[inline(always)]
fn best_of_large<I: DoubleInstructions>(i: I, pair: &MeasuredPair<'_>, room: &mut Vec<f64>) -> Option<Best> {
    let (a, b) = (pair.a.vertices, pair.b.vertices);
    let first = Points::of(a[0], i);
    // `room` holds the vertices relative to the first vertex, then the gaps, then the rest of the last whole block of
    // gaps.
    room.clear();
    for v in a.iter().chain(b) {
        room.extend((*v - a[0]).to_array());
    }
    let (local, counts) = (room.len(), [a.len(), b.len()]);
    room.resize(local + counts[0] + counts[1] + DOUBLES, 0.0);
    let (local, gaps) = room.split_at_mut(local);
    let (local_a, local_b) = local.split_at(2 * a.len());
    let (mut extent, mut greatest) = (i.doubles(0.0), i.doubles(f64::NEG_INFINITY));
    let mut begin = 0;
    for (polygon, other) in [(a, local_b), (b, local_a)] {
        let mut at = 0;
        while at < polygon.len() {
            let from = block_start(at, polygon.len());
            let [start, edge] = block(i, polygon, from);
            let (normal, start) = (edge.outward(i), start.minus(first));
            let mut least = i.doubles(f64::INFINITY);
            for v in other.chunks_exact(2) {
                least = least.min(Points { x: i.doubles(v[0]), y: i.doubles(v[1]) }.dot(normal));
            }
            let of_block = least.sub(start.dot(normal)).div(normal.dot(normal).sqrt());
            extent = extent.max(start.magnitude());
            greatest = greatest.max(of_block);
            of_block.store(&mut gaps[begin + from..]);
            at += DOUBLES;
        }
        begin += polygon.len();
    }
    let (extent, greatest) = (extent.greatest(), greatest.greatest());
    let least = greatest - SLACK * extent;
    let place = gaps[..counts[0] + counts[1]].iter().position(|&gap| gap >= least)?;
    Some(Best::new(pair.edge_at(place), greatest, extent))
}

/// Eight edges, one in each lane. The methods compute the distances of points from these edges.
#[derive(Clone, Copy)]
struct Edges<D> {
    start: Points<D>,
    edge: Points<D>,
    per_square: D,
}

impl<D: Doubles> Edges<D> {
    #[inline(always)]
    fn new(i: impl DoubleInstructions<Doubles = D>, [start, edge]: [Points<D>; 2]) -> Self {
        Self { start, edge, per_square: i.doubles(1.0).div(edge.dot(edge)) }
    }

    /// Returns the squares of the distances between a point and each of the eight edges.
    #[inline(always)]
    fn squares_to(&self, i: impl DoubleInstructions<Doubles = D>, point: Points<D>) -> D {
        let way = point.minus(self.start);
        let part = way.dot(self.edge).mul(self.per_square).max(i.doubles(0.0)).min(i.doubles(1.0));
        let rest = Points { x: way.x.sub(part.mul(self.edge.x)), y: way.y.sub(part.mul(self.edge.y)) };
        rest.dot(rest)
    }
}

#[inline(always)]
fn nearest_of_fours<I: DoubleInstructions>(
    i: I,
    pair: &MeasuredPair<'_>,
    points: Points<I::Doubles>,
    slack: f64,
) -> Nearest {
    let edges = Edges::new(i, [points, points.ahead::<1>().minus(points)]);
    let other = points.swapped();
    let first = edges.squares_to(i, other);
    let second = edges.squares_to(i, other.ahead::<1>());
    let third = edges.squares_to(i, other.ahead::<2>());
    let last = edges.squares_to(i, other.ahead::<3>());
    let most = i.doubles(near_square(first.min(second).min(third.min(last)).least(), slack));
    let near = [most.not_below(first), most.not_below(second), most.not_below(third), most.not_below(last)];
    nearest_among(pair, Fours { near, lanes: near[0] | near[1] | near[2] | near[3], of_lane: 0 }, slack)
}

/// Iterates over pairs of an edge and a vertex that are near each other, for two polygons with four vertices each.
/// `near[d]` has a bit for each edge that is near the vertex `d` lanes after the edge.
struct Fours {
    near: [u32; 4],
    /// A mask with one bit for each edge that still has vertices to test.
    lanes: u32,
    /// The number of vertices that were already tested for the first edge in the mask `lanes`.
    of_lane: u32,
}

impl Iterator for Fours {
    type Item = Nearest;

    #[inline(always)]
    fn next(&mut self) -> Option<Nearest> {
        while self.lanes != 0 {
            let lane = self.lanes.trailing_zeros();
            while self.of_lane < 4 {
                let vertex = self.of_lane;
                self.of_lane += 1;
                if self.near[((vertex + 8 - lane) % 4) as usize] >> lane & 1 == 1 {
                    return Some(Nearest { edge: edge_of_lane(lane, 4), vertex: vertex as usize });
                }
            }
            (self.lanes, self.of_lane) = (self.lanes & (self.lanes - 1), 0);
        }
        None
    }
}

#[inline(always)]
fn nearest_of_any<I: DoubleInstructions>(
    i: I,
    pair: &MeasuredPair<'_>,
    slack: f64,
    squares: &mut Vec<f64>,
) -> Nearest {
    squares.clear();
    let mut least = i.doubles(f64::INFINITY);
    for [polygon, other] in [[pair.a.vertices, pair.b.vertices], [pair.b.vertices, pair.a.vertices]] {
        let (count, begin) = (polygon.len(), squares.len());
        squares.resize(begin + count.max(DOUBLES), 0.0);
        let mut start = 0;
        while start < count {
            let from = block_start(start, count);
            let edges = Edges::new(i, block(i, polygon, from));
            let mut of_block = i.doubles(f64::INFINITY);
            for &v in other {
                of_block = of_block.min(edges.squares_to(i, Points::of(v, i)));
            }
            least = least.min(of_block);
            of_block.store(&mut squares[begin + from..]);
            start += DOUBLES;
        }
        squares.truncate(begin + count);
    }
    let most = near_square(least.least(), slack);
    let near = squares.iter().enumerate().filter(|(_, square)| **square <= most);
    nearest_among(pair, near.flat_map(|(place, _)| near_vertices(pair, pair.edge_at(place), most)), slack)
}
