//! Chooses the features of a measurement: the edge with the greatest gap, and the nearest vertex and edge.
//!
//! The code uses f64 without fused operations, in a fixed order, so every machine chooses the same features.
//! [`super::lanes`] is the twin that processes several edges at a time. Let u = 2^-53, and let M be the pair's extent
//! ([`MeasuredPair::extent`]). For an edge (p, q) with the normal N, the error of the computed `N.(v - p)` is the sum
//! of
//!
//! | source | at most |
//! |---|---|
//! | errors of v and p relative to A's first vertex (2 u M each, by rounding or by the pose), times N | 4 u M n₁ |
//! | rounding of N (u times each coordinate), times v - p | 2 u M n₁ |
//! | roundings of two products and a sum, for v and for p | 4 u M n₁ |
//! | rounding of the difference | 2 u M n₁ |
//!
//! where n₁ = |N.x| + |N.y| is at most 1.5 |N|. The root and the quotient add an error of 3 u times the gap, and the gap is
//! at most 3 M. The total error of a gap is less than 28 u M, and [`SLACK`] M is greater than 28 u M.
//!
//! Two gaps, or two distances, that differ by at most [`SLACK`] M count as equal:
//!
//! - Among edges with equal gaps, the edges of A come before the edges of B, and lower indices come first.
//! - Among equal distances, the code recomputes each distance with twice the bits of f64 and chooses the least, because
//!   points at nearly the same distance may lie far from each other.
//! - Two vertices are the nearest points only if no edge at either vertex goes towards the other vertex.
//!
//! A measurement over the chosen edge is therefore within 2^-46 M of the exact measurement, and M is at most twice the size
//! of the pair.

use glam::DVec2;

use super::pair::{MeasuredPair, Outline, length};
use super::sums::{Number, Twofold};
use crate::answers::pair::PairEdge;
use crate::answers::results::Relation;
use crate::base::side::PairSide;
use crate::simd::lesser;

/// The computed gaps of two edges count as equal if they differ by at most this fraction of the pair's extent.
pub(super) const SLACK: f64 = 1.0 / (1u64 << 48) as f64;

/// A bound on the rounding error of the dot product of two vectors, each of which is a difference of two points. The bound
/// is this number times the greatest coordinate of the first vector, times the greatest coordinate of the second vector.
const ROUNDING: f64 = 1.0 / (1u64 << 49) as f64;

/// The edge with the greatest gap of a pair. Every field fills whole machine words, because the struct passes through
/// memory, where copying parts of words would stall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Best {
    pub(super) edge: PairEdge,
    known: Known,
    /// The extent of the pair: the result of [`MeasuredPair::extent`].
    pub(super) extent: f64,
}

/// The relation that the gaps over the edges of a pair prove.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u64)]
enum Known {
    Disjoint,
    Overlapping,
    Unknown,
}

impl Best {
    #[inline(always)]
    pub(super) fn new(edge: PairEdge, greatest: f64, extent: f64) -> Self {
        let slack = SLACK * extent;
        let known = if greatest > slack {
            Known::Disjoint
        } else if greatest < -slack {
            Known::Overlapping
        } else {
            Known::Unknown
        };
        Self { edge, known, extent }
    }

    /// Returns the relation of the pair if the gaps prove it, otherwise `None`.
    #[inline(always)]
    pub(super) fn known(&self) -> Option<Relation> {
        match self.known {
            Known::Disjoint => Some(Relation::Disjoint),
            Known::Overlapping => Some(Relation::Overlapping),
            Known::Unknown => None,
        }
    }

    /// Returns a bound on the error of a length computed for this pair. If a computed length is below this bound, the
    /// true length may be 0.
    pub(super) fn slack(&self) -> f64 {
        SLACK * self.extent
    }
}

/// Returns the first edge of A, and then of B, whose gap counts as equal to the greatest gap ([`SLACK`]). Returns `None`
/// if neither polygon has an edge.
pub(super) fn best_edge(pair: &MeasuredPair<'_>, gaps: &mut Vec<f64>) -> Option<Best> {
    gaps_over(pair, gaps);
    let extent = pair.extent();
    let greatest = gaps.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let place = gaps.iter().position(|&gap| gap >= greatest - SLACK * extent)?;
    Some(Best::new(pair.edge_at(place), greatest, extent))
}

/// Returns the same edge as [`best_edge`], but only among the edges on the boundaries of their objects. Returns `None` if
/// there is no such edge.
pub(super) fn best_outer_edge(pair: &MeasuredPair<'_>, gaps: &mut Vec<f64>) -> Option<PairEdge> {
    gaps_over(pair, gaps);
    let slack = SLACK * pair.extent();
    let outer = || gaps.iter().enumerate().filter(|(place, _)| !pair.is_internal(pair.edge_at(*place)));
    let greatest = outer().fold(f64::NEG_INFINITY, |greatest, (_, &gap)| greatest.max(gap));
    let (place, _) = outer().find(|(_, gap)| **gap >= greatest - slack)?;
    Some(pair.edge_at(place))
}

/// Writes to `gaps` the gap of every edge of A, followed by the gap of every edge of B.
fn gaps_over(pair: &MeasuredPair<'_>, gaps: &mut Vec<f64>) {
    gaps.clear();
    let first = pair.a.vertices[0];
    for [polygon, other] in [[pair.a, pair.b], [pair.b, pair.a]] {
        gaps.extend((0..polygon.edge_count()).map(|k| gap_over(polygon, k, other, first)));
    }
}

/// Returns the gap over edge `k` of a polygon: the least signed distance of a vertex of the other polygon from the line
/// of the edge.
pub(super) fn gap_over(polygon: Outline<'_>, k: usize, other: Outline<'_>, first: DVec2) -> f64 {
    let edge = polygon.edge(k);
    let normal = DVec2::new(edge.y, -edge.x);
    let along = |v: DVec2| normal.x * (v.x - first.x) + normal.y * (v.y - first.y);
    let least = other.vertices.iter().fold(f64::INFINITY, |least, &v| least.min(along(v)));
    (least - along(polygon.vertices[k])) / length(normal)
}

/// An edge of one polygon and a vertex of the other polygon that are nearest to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Nearest {
    pub(super) edge: PairEdge,
    pub(super) vertex: usize,
}

/// Returns the nearest pair of an edge of one polygon and a vertex of the other polygon. The polygons must be disjoint.
/// A point counts as one edge of length 0. `slack` is a bound on the error of a computed distance.
pub(super) fn nearest(pair: &MeasuredPair<'_>, slack: f64) -> Nearest {
    let square_of = |[polygon, other]: [Outline<'_>; 2]| {
        let squares = (0..polygon.vertices.len()).map(|k| {
            let squares = other.vertices.iter().map(|&v| square_to_edge(polygon, k, v));
            squares.fold(f64::INFINITY, f64::min)
        });
        squares.fold(f64::INFINITY, f64::min)
    };
    let least = square_of([pair.a, pair.b]).min(square_of([pair.b, pair.a]));
    let most = near_square(least, slack);
    let count = pair.a.vertices.len();
    let edge_of = |place: usize| {
        let side = if place < count { PairSide::A } else { PairSide::B };
        PairEdge { side, index: (if place < count { place } else { place - count }) as u32 }
    };
    let edges = (0..count + pair.b.vertices.len()).map(edge_of);
    nearest_among(pair, edges.flat_map(|edge| near_vertices(pair, edge, most)), slack)
}

/// Returns each vertex of the other polygon for which the square of the distance from the edge is at most `most`,
/// together with the edge.
pub(super) fn near_vertices(
    pair: &MeasuredPair<'_>,
    edge: PairEdge,
    most: f64,
) -> impl Iterator<Item = Nearest> {
    let [polygon, other] = pair.sides(edge);
    let k = edge.index as usize;
    let is_near = move |vertex: &usize| square_to_edge(polygon, k, other.vertices[*vertex]) <= most;
    (0..other.vertices.len()).filter(is_near).map(move |vertex| Nearest { edge, vertex })
}

/// Returns the nearest of several pairs of an edge and a vertex that f64 cannot distinguish. The distances are computed
/// with twice the bits of f64. If several pairs are equally near, returns the first. `slack` is a bound on the error of
/// a distance in f64.
#[inline(always)]
pub(super) fn nearest_among(
    pair: &MeasuredPair<'_>,
    mut candidates: impl Iterator<Item = Nearest>,
    slack: f64,
) -> Nearest {
    let first = candidates.next().expect("the least of some numbers is one of them");
    match candidates.next() {
        None => first,
        Some(second) => nearest_of_many(pair, first, second, &mut candidates, slack),
    }
}

#[inline(never)]
fn nearest_of_many(
    pair: &MeasuredPair<'_>,
    first: Nearest,
    second: Nearest,
    others: &mut dyn Iterator<Item = Nearest>,
    slack: f64,
) -> Nearest {
    let mut best: Option<(Nearest, Option<Rank>)> = None;
    let mut refused = None;
    for next in [first, second].into_iter().chain(others) {
        if let Some(ends) = ends_of(pair, next) {
            // Two vertices occur several times, because each vertex belongs to two edges.
            if refused != Some(ends) {
                if are_nearest(pair, ends) {
                    return next;
                }
                refused = Some(ends);
            }
            continue;
        }
        best = match best {
            None => Some((next, None)),
            Some((least, rank)) => {
                let rank = rank.unwrap_or_else(|| rank_of(pair, least, slack));
                let other = rank_of(pair, next, slack);
                Some(if other < rank { (next, Some(other)) } else { (least, Some(rank)) })
            }
        };
    }
    best.map_or(first, |(nearest, _)| nearest)
}

/// Returns true if vertex `a` of A and vertex `b` of B are the closest points: no edge at either vertex goes towards
/// the other vertex. For convex polygons, this local condition is sufficient.
fn are_nearest(pair: &MeasuredPair<'_>, [a, b]: [usize; 2]) -> bool {
    let is_nearest = |polygon: Outline<'_>, k: usize, v: DVec2| {
        let vertex = polygon.vertices[k];
        beyond(vertex, polygon, k, v) <= 0.0 && beyond(vertex, polygon, polygon.previous(k), v) >= 0.0
    };
    is_nearest(pair.a, a, pair.b.vertices[b]) && is_nearest(pair.b, b, pair.a.vertices[a])
}

/// Returns the indices of the vertex of A and the vertex of B that are the closest points. Returns `None` if a closest
/// point lies inside the edge.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn ends_of(pair: &MeasuredPair<'_>, Nearest { edge, vertex }: Nearest) -> Option<[usize; 2]> {
    let [polygon, other] = pair.sides(edge);
    let (k, next) = (edge.index as usize, polygon.next(edge.index as usize));
    let v = other.vertices[vertex];
    // The value is 0 or more if the nearest point of the edge is this end.
    let before = -beyond(polygon.vertices[k], polygon, k, v);
    let end = if before >= 0.0 {
        k
    } else if beyond(polygon.vertices[next], polygon, k, v) >= 0.0 {
        next
    } else {
        return None;
    };
    Some(if edge.side == PairSide::A { [end, vertex] } else { [vertex, end] })
}

/// Returns how far `v` lies beyond the end `end` of edge `k`, along the edge, times the length of the edge. If the
/// result is near 0, the function computes it with twice the bits of f64.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn beyond(end: DVec2, polygon: Outline<'_>, k: usize, v: DVec2) -> f64 {
    let (edge, way) = (polygon.edge(k), v - end);
    let along = edge.dot(way);
    let rounding = ROUNDING * edge.abs().max_element() * way.abs().max_element();
    if along.abs() > rounding {
        along
    } else if edge == DVec2::ZERO {
        // The edge of a point has no direction.
        0.0
    } else {
        whole_beyond(end, polygon, k, v)
    }
}

/// Returns how far `v` lies beyond the end `end` of edge `k`, along the edge, times the length of the edge. The
/// function computes with twice the bits of f64.
#[inline(never)]
fn whole_beyond(end: DVec2, polygon: Outline<'_>, k: usize, v: DVec2) -> f64 {
    polygon.whole_edge(k).dot(Twofold::between(end, v))
}

/// How near a vertex is to the line of an edge. The derived order compares the fields one after another. A lower rank
/// means a nearer vertex.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Rank {
    /// Whether the vertex clearly lies on the inner side of the edge. At the tip of a sliver, two edges may be equally
    /// near to a vertex, up to rounding. The vertex lies on the outer side of the edge that is really nearest to it.
    is_inside: bool,
    /// The square of the distance between the vertex and the line of the edge.
    square: Number,
}

fn rank_of(pair: &MeasuredPair<'_>, Nearest { edge, vertex }: Nearest, slack: f64) -> Rank {
    let [polygon, other] = pair.sides(edge);
    let k = edge.index as usize;
    let (along, way) = (polygon.whole_edge(k), Twofold::between(polygon.vertices[k], other.vertices[vertex]));
    let beyond = way.twofold_perp_dot(along);
    let square = beyond.squared().over(along.twofold_dot(along));
    // If the distance is small, the vertex may be on the inner side only because of rounding.
    Rank { is_inside: beyond.is_negative() && square.exceeds(4.0 * slack * slack), square }
}

/// Returns a limit on the square of a computed distance. A feature with a greater square is certainly not the nearest. A
/// feature with a lesser square may be the nearest, because of rounding. `least` is the square of the least computed
/// distance, and `slack` is a bound on the error of a computed distance.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn near_square(least: f64, slack: f64) -> f64 {
    let most = least.sqrt() + slack;
    // The square of the rounded root may be less than `least`.
    (most * most).max(least)
}

/// Returns the square of the distance between a point and edge `k` of a polygon.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn square_to_edge(polygon: Outline<'_>, k: usize, point: DVec2) -> f64 {
    let (edge, way) = (polygon.edge(k), point - polygon.vertices[k]);
    let part = part_along(edge, way);
    let rest = DVec2::new(way.x - part * edge.x, way.y - part * edge.y);
    rest.x * rest.x + rest.y * rest.y
}

/// Returns the position on an edge of the point nearest to a given point: 0 for the start of the edge, 1 for its end.
/// `way` is the vector from the start of the edge to the given point.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn part_along(edge: DVec2, way: DVec2) -> f64 {
    let per_square = 1.0 / (edge.x * edge.x + edge.y * edge.y).max(f64::MIN_POSITIVE);
    ((way.x * edge.x + way.y * edge.y) * per_square).clamp(0.0, 1.0)
}

/// The line of an edge. Its methods compute projections of vertices on the outward normal of the edge, beyond the line.
/// All projections are multiplied by the length of the edge.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    pub(super) start: DVec2,
    pub(super) normal: DVec2,
}

impl Line {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn new(polygon: Outline<'_>, k: usize) -> Self {
        let edge = polygon.edge(k);
        Self { start: polygon.vertices[k], normal: DVec2::new(edge.y, -edge.x) }
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn along(&self, v: DVec2) -> f64 {
        self.normal.x * (v.x - self.start.x) + self.normal.y * (v.y - self.start.y)
    }

    /// Returns the least projection of the vertices of `other` beyond the line, plus `slack`. A projection of at most
    /// this value may be the least. All projections are multiplied by the length of the edge.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn least(&self, other: Outline<'_>, slack: f64) -> f64 {
        let mut least = f64::INFINITY;
        for &v in other.vertices {
            least = lesser(self.along(v), least);
        }
        self.most(least, slack)
    }

    /// Returns the greatest projection that counts as equal to the least projection `least`: `least` plus the distance
    /// `slack`. Both projections are multiplied by the length of the edge.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn most(&self, least: f64, slack: f64) -> f64 {
        least + slack * length(self.normal)
    }
}
