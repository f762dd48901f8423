//! The choice of features for eight edges at a time: the twin of [`super::select`], operation for operation, of polygons that stand
//! where their vertices say.

use glam::DVec2;

use super::pair::MeasuredPair;
use super::select::{Best, Nearest, SLACK, near_square, near_vertices, nearest_among};
use super::{Plain, Select};
use crate::figures::{PairEdge, PairSide};
use crate::vector::{DOUBLES, DoubleInstructions, Doubles};

/// Chooses by the machine's vectors.
#[derive(Clone, Copy)]
pub(super) struct OnLanes<I>(pub(super) I);

impl<I: DoubleInstructions> Select for OnLanes<I> {
    #[inline(always)]
    fn best_edge(self, pair: &MeasuredPair<'_>, gaps: &mut Vec<f64>) -> Option<Best> {
        let (a, b) = (pair.a.vertices, pair.b.vertices);
        if a.len().min(b.len()) < 3 {
            return Plain.best_edge(pair, gaps);
        }
        if let ([_, _, _, _], [_, _, _, _]) = (a, b) {
            return Some(best_of_fours(self.0, pair));
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
        if let ([_, _, _, _], [_, _, _, _]) = (a, b) {
            return nearest_of_fours(self.0, pair, slack);
        }
        nearest_of_any(self.0, pair, slack, squares)
    }
}

/// Points in lanes.
#[derive(Clone, Copy)]
struct Points<D> {
    x: D,
    y: D,
}

impl<D: Doubles> Points<D> {
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self { x: self.x.sub(other.x), y: self.y.sub(other.y) }
    }

    #[inline(always)]
    fn dot(self, other: Self) -> D {
        self.x.mul(other.x).add(self.y.mul(other.y))
    }

    /// Of edges.
    #[inline(always)]
    fn outward(self, i: impl DoubleInstructions<Doubles = D>) -> Self {
        Self { x: self.y, y: i.doubles(0.0).sub(self.x) }
    }

    #[inline(always)]
    fn of(point: DVec2, i: impl DoubleInstructions<Doubles = D>) -> Self {
        Self { x: i.doubles(point.x), y: i.doubles(point.y) }
    }

    #[inline(always)]
    fn magnitude(self) -> D {
        self.x.greater_magnitude(self.y)
    }

    /// What is `STEP` lanes ahead in each half.
    #[inline(always)]
    fn ahead<const STEP: i32>(self) -> Self {
        Self { x: self.x.next_in_half::<STEP>(), y: self.y.next_in_half::<STEP>() }
    }

    #[inline(always)]
    fn swapped(self) -> Self {
        Self { x: self.x.swapped(), y: self.y.swapped() }
    }
}

/// The edge of a place, of polygons whose edges are in the halves of a register.
#[inline(always)]
fn edge_of_lane(lane: u32, of_a: u32) -> PairEdge {
    if lane < of_a {
        PairEdge { side: PairSide::A, index: lane }
    } else {
        PairEdge { side: PairSide::B, index: lane - of_a }
    }
}

/// The vertices of two polygons of four, A's in the lower half.
#[inline(always)]
fn fours<I: DoubleInstructions>(i: I, pair: &MeasuredPair<'_>) -> Points<I::Doubles> {
    let fours = |points: &[DVec2]| -> [DVec2; 4] { std::array::from_fn(|k| points[k]) };
    let (a, b) = (pair.a.vertices, pair.b.vertices);
    match (<&[DVec2; 4]>::try_from(a), <&[DVec2; 4]>::try_from(b)) {
        (Ok(a), Ok(b)) => {
            let [x, y] = i.both(a, b);
            Points { x, y }
        }
        _ => {
            let [x, y] = i.both(&fours(a), &fours(b));
            Points { x, y }
        }
    }
}

#[inline(always)]
fn best_of_fours<I: DoubleInstructions>(i: I, pair: &MeasuredPair<'_>) -> Best {
    let points = fours(i, pair);
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

/// Eight edges of a polygon from one on, around and around where it has fewer.
#[inline(always)]
fn block<I: DoubleInstructions>(i: I, polygon: &[DVec2], from: usize) -> [Points<I::Doubles>; 2] {
    let count = polygon.len();
    let [x, y] = if count <= DOUBLES { i.around(polygon, count) } else { i.points(polygon, from) };
    let closing = polygon[(from + DOUBLES) % count];
    let start = Points { x, y };
    let end = Points { x: x.next_closed_by(closing.x), y: y.next_closed_by(closing.y) };
    [start, end.minus(start)]
}

/// The gaps over eight edges, and what is at their starts; `local` gives the other's vertices about the pair's first one.
#[inline(always)]
fn gaps_of<I: DoubleInstructions>(
    i: I,
    [start, edge]: [Points<I::Doubles>; 2],
    first: Points<I::Doubles>,
    local: impl Iterator<Item = Points<I::Doubles>>,
) -> [I::Doubles; 2] {
    let normal = edge.outward(i);
    let start = start.minus(first);
    let mut least = i.doubles(f64::INFINITY);
    for v in local {
        least = least.min(v.dot(normal));
    }
    [least.sub(start.dot(normal)).div(normal.dot(normal).sqrt()), start.magnitude()]
}

#[inline(always)]
fn best_of_small<I: DoubleInstructions>(i: I, pair: &MeasuredPair<'_>) -> Best {
    let (a, b) = (pair.a.vertices, pair.b.vertices);
    let first = Points::of(a[0], i);
    let (block_a, block_b) = (block(i, a, 0), block(i, b, 0));
    let about = |v: &DVec2| Points::of(*v, i).minus(first);
    let [gaps_a, extent_a] = gaps_of(i, block_a, first, b.iter().map(about));
    let [gaps_b, extent_b] = gaps_of(i, block_b, first, a.iter().map(about));
    let extent = extent_a.max(extent_b).greatest();
    let greatest = gaps_a.max(gaps_b).greatest();
    let least = i.doubles(greatest - SLACK * extent);
    // Lanes beyond a polygon's last edge have its first ones again.
    let lanes = gaps_a.not_below(least) | gaps_b.not_below(least) << DOUBLES;
    Best::new(edge_of_lane(lanes.trailing_zeros(), DOUBLES as u32), greatest, extent)
}

/// What `of` gives of each block of eight edges, for every edge of the polygon, behind what is in `out`.
#[inline(always)]
fn each_block<I: DoubleInstructions>(
    i: I,
    polygon: &[DVec2],
    out: &mut Vec<f64>,
    mut of: impl FnMut([Points<I::Doubles>; 2]) -> I::Doubles,
) {
    let (count, begin) = (polygon.len(), out.len());
    out.resize(begin + count.max(DOUBLES), 0.0);
    for start in (0..count).step_by(DOUBLES) {
        // The last block goes back to where it is full.
        let from = start.min(count.saturating_sub(DOUBLES));
        of(block(i, polygon, from)).store(&mut out[begin + from..]);
    }
    out.truncate(begin + count);
}

#[inline(always)]
fn best_of_large<I: DoubleInstructions>(
    i: I,
    pair: &MeasuredPair<'_>,
    gaps: &mut Vec<f64>,
) -> Option<Best> {
    let first = Points::of(pair.a.vertices[0], i);
    let mut extent = i.doubles(0.0);
    gaps.clear();
    for [polygon, other] in [[pair.a.vertices, pair.b.vertices], [pair.b.vertices, pair.a.vertices]] {
        each_block(i, polygon, gaps, |block| {
            let local = other.iter().map(|&v| Points::of(v, i).minus(first));
            let [gaps, reach] = gaps_of(i, block, first, local);
            extent = extent.max(reach);
            gaps
        });
    }
    let (extent, greatest) = (extent.greatest(), greatest_of(i, gaps));
    let least = greatest - SLACK * extent;
    let place = gaps.iter().position(|&gap| gap >= least)?;
    Some(Best::new(pair.edge_at(place), greatest, extent))
}

/// Of some numbers, at least eight.
#[inline(always)]
fn greatest_of<I: DoubleInstructions>(i: I, numbers: &[f64]) -> f64 {
    let mut greatest = i.doubles(f64::NEG_INFINITY);
    for start in (0..numbers.len()).step_by(DOUBLES) {
        greatest = greatest.max(i.load(numbers, start.min(numbers.len() - DOUBLES)));
    }
    greatest.greatest()
}

/// Edges in lanes, to measure the distances of points from.
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

    /// The squares of the distances.
    #[inline(always)]
    fn squares_to(&self, i: impl DoubleInstructions<Doubles = D>, point: Points<D>) -> D {
        let way = point.minus(self.start);
        let part = way.dot(self.edge).mul(self.per_square).max(i.doubles(0.0)).min(i.doubles(1.0));
        let rest = Points { x: way.x.sub(part.mul(self.edge.x)), y: way.y.sub(part.mul(self.edge.y)) };
        rest.dot(rest)
    }
}

#[inline(always)]
fn nearest_of_fours<I: DoubleInstructions>(i: I, pair: &MeasuredPair<'_>, slack: f64) -> Nearest {
    let points = fours(i, pair);
    let edges = Edges::new(i, [points, points.ahead::<1>().minus(points)]);
    let other = points.swapped();
    let squares = [
        edges.squares_to(i, other),
        edges.squares_to(i, other.ahead::<1>()),
        edges.squares_to(i, other.ahead::<2>()),
        edges.squares_to(i, other.ahead::<3>()),
    ];
    let [first, second, third, last] = squares;
    let most = i.doubles(near_square(first.min(second).min(third.min(last)).least(), slack));
    // A lane and how many lanes ahead, for each edge and vertex that are near enough: edge by edge.
    let near = squares.map(|squares| most.not_below(squares));
    let lanes = near[0] | near[1] | near[2] | near[3];
    let candidates = (0..8).filter(|lane| lanes >> lane & 1 == 1).flat_map(move |lane| {
        let is_near = move |vertex: &u32| near[((vertex + 8 - lane) % 4) as usize] >> lane & 1 == 1;
        (0..4).filter(is_near).map(move |vertex| Nearest { edge: edge_of_lane(lane, 4), vertex: vertex as usize })
    });
    nearest_among(pair, candidates)
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
        each_block(i, polygon, squares, |block| {
            let edges = Edges::new(i, block);
            let mut of_block = i.doubles(f64::INFINITY);
            for &v in other {
                of_block = of_block.min(edges.squares_to(i, Points::of(v, i)));
            }
            least = least.min(of_block);
            of_block
        });
    }
    let most = near_square(least.least(), slack);
    let near = squares.iter().enumerate().filter(|(_, square)| **square <= most);
    nearest_among(pair, near.flat_map(|(place, _)| near_vertices(pair, pair.edge_at(place), most)))
}
