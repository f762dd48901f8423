//! The penetration of a pair: over which edge, how far, and on which side of 0.

use super::pair::MeasuredPair;
use super::select::{Best, Line, Nearest, SLACK, best_outer_edge};
use super::{MOST_NUMBERED, Select};
use crate::answers::pair::PairEdge;
use crate::answers::penetration::Penetration;
use crate::answers::results::Relation;
use crate::base::side::PairSide;
use crate::geometry::predicates::orientation;
use crate::kernels::cpu::reference;
use crate::simd::{greater, lesser};

/// An edge, the gap over it, and the relation, which is exact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Over {
    pub(super) edge: PairEdge,
    /// Below 0 where the interiors meet, 0 where the two touch, above 0 where they are apart.
    pub(super) separation: f64,
    pub(super) relation: Relation,
    /// The vertex of the other polygon that lies the least far beyond the edge.
    pub(super) lowest: Lowest,
}

impl Over {
    /// The edge that the nearest points of two polygons that lie apart are over.
    pub(super) fn nearest_points(Nearest { edge, vertex }: Nearest, distance: f64) -> Self {
        let lowest = Lowest { gap: distance, vertex, is_sole: false };
        Self { edge, separation: distance, relation: Relation::Disjoint, lowest }
    }

    /// The same under another vertex that lies the least far beyond the edge.
    pub(super) fn under(&self, vertex: usize) -> Self {
        Self { lowest: Lowest { vertex, ..self.lowest }, ..*self }
    }
}

/// What lies the least far beyond an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lowest {
    gap: f64,
    /// The first vertex of that gap.
    pub(super) vertex: usize,
    /// Whether all others lie farther beyond it.
    pub(super) is_sole: bool,
}

/// The penetration. `relation` is the pair's, where it is known. Where the interiors meet, it is over an edge that bounds its object,
/// if there is one.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn penetration<S: Select>(
    select: S,
    pair: &MeasuredPair<'_>,
    best: &Best,
    relation: Option<Relation>,
    gaps: &mut Vec<f64>,
) -> Penetration {
    let Over { edge, separation, .. } = over(select, pair, best, relation, gaps);
    Penetration { normal: pair.normal(edge), separation, edge: Some(edge) }
}

#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn over<S: Select>(
    select: S,
    pair: &MeasuredPair<'_>,
    best: &Best,
    relation: Option<Relation>,
    gaps: &mut Vec<f64>,
) -> Over {
    let (edge, relation) = match best.known() {
        Some(relation) if relation == Relation::Overlapping && pair.has_internal() => {
            (best_outer_edge(pair, gaps).unwrap_or(best.edge), relation)
        }
        Some(relation) => (best.edge, relation),
        None => near_zero(pair, best, relation, gaps),
    };
    let lowest = lowest(select, pair, edge, best.slack());
    // What even twice the bits of f64 cannot tell from none is not none.
    let separation = match relation {
        Relation::Touching => 0.0,
        Relation::Overlapping => lesser(-f64::MIN_POSITIVE, lowest.gap),
        Relation::Disjoint => greater(f64::MIN_POSITIVE, lowest.gap),
    };
    Over { edge, separation, relation, lowest }
}

/// The edge and the relation where plain f64 cannot tell the gap from none.
#[cold]
#[inline(never)]
fn near_zero(
    pair: &MeasuredPair<'_>,
    best: &Best,
    relation: Option<Relation>,
    gaps: &mut Vec<f64>,
) -> (PairEdge, Relation) {
    let relation = relation.unwrap_or_else(|| pair.exact_relation());
    let edge = match relation {
        Relation::Touching => touching_edge(pair),
        Relation::Overlapping if pair.has_internal() => best_outer_edge(pair, gaps),
        Relation::Overlapping | Relation::Disjoint => greatest_gap(pair),
    };
    (edge.unwrap_or(best.edge), relation)
}

/// The gap over an edge.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn separation<S: Select>(select: S, pair: &MeasuredPair<'_>, edge: PairEdge, slack: f64) -> f64 {
    lowest(select, pair, edge, slack).gap
}

/// What of the other polygon lies the least far beyond an edge.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn lowest<S: Select>(select: S, pair: &MeasuredPair<'_>, edge: PairEdge, slack: f64) -> Lowest {
    let [polygon, other] = pair.sides(edge);
    let k = edge.index as usize;
    let line = Line::new(polygon, k);
    // One, as a rule; of an edge that faces this one, both ends.
    let (mut gap, mut first, mut count) = (f64::INFINITY, 0, 0);
    if other.vertices.len() <= MOST_NUMBERED {
        let near = select.near_line(&line, other, slack);
        let (vertex, last) =
            (near.trailing_zeros() as usize, MOST_NUMBERED - 1 - near.leading_zeros() as usize);
        // Both, mostly of the same vertex: whether there is a second one is hard to foretell.
        let mut gap = lesser(polygon.gap(k, other.vertices[last]), polygon.gap(k, other.vertices[vertex]));
        let mut between = near & (near - 1) & !(1 << last);
        while between != 0 {
            gap = lesser(polygon.gap(k, other.vertices[between.trailing_zeros() as usize]), gap);
            between &= between - 1;
        }
        return Lowest { gap, vertex, is_sole: vertex == last };
    }
    let most = line.least(other, slack);
    for (vertex, &v) in other.vertices.iter().enumerate() {
        if line.along(v) <= most {
            gap = lesser(polygon.gap(k, v), gap);
            first = if count == 0 { vertex } else { first };
            count += 1;
        }
    }
    Lowest { gap, vertex: first, is_sole: count == 1 }
}

/// Of all edges that of the greatest gap, with twice the bits of f64.
fn greatest_gap(pair: &MeasuredPair<'_>) -> Option<PairEdge> {
    let mut best: Option<(f64, PairEdge)> = None;
    for side in [PairSide::A, PairSide::B] {
        let edge_of = |index: usize| PairEdge { side, index: index as u32 };
        let [polygon, other] = pair.sides(edge_of(0));
        for k in 0..polygon.edge_count() {
            let gaps = other.vertices.iter().map(|&v| polygon.gap(k, v));
            let gap = gaps.fold(f64::INFINITY, f64::min);
            if best.is_none_or(|(greatest, _)| gap > greatest) {
                best = Some((gap, edge_of(k)));
            }
        }
    }
    best.map(|(_, edge)| edge)
}

/// The first edge on whose line the other polygon ends: one that bounds its object, if there is one.
fn touching_edge(pair: &MeasuredPair<'_>) -> Option<PairEdge> {
    let mut found = None;
    for side in [PairSide::A, PairSide::B] {
        let edge_of = |index: usize| PairEdge { side, index: index as u32 };
        let [polygon, other] = pair.sides(edge_of(0));
        for k in 0..polygon.edge_count() {
            let edge = edge_of(k);
            let sides = || (0..other.vertices.len()).map(|j| side_of_line(pair, edge, j));
            if sides().all(|side| side <= 0.0) && sides().any(|side| side == 0.0) {
                if !pair.is_internal(edge) {
                    return Some(edge);
                }
                found = found.or(Some(edge));
            }
        }
    }
    found
}

/// Positive where a vertex of the other polygon lies on the inner side of an edge's line, 0 where it lies on it: exactly.
pub(super) fn side_of_line(pair: &MeasuredPair<'_>, edge: PairEdge, vertex: usize) -> f64 {
    let [polygon, other] = pair.sides(edge);
    let k = edge.index as usize;
    if polygon.is_plain() {
        return orientation(polygon.vertices[k], polygon.vertices[polygon.next(k)], other.vertices[vertex]);
    }
    // Most vertices are far enough from the line for f64 to tell, and exact arithmetic on turned ones is slow.
    let gap = polygon.gap(k, other.vertices[vertex]);
    if gap.abs() > SLACK * pair.extent() {
        return -gap;
    }
    let [a, b] = pair.pieces();
    let [of_edge, of_vertex] = match edge.side {
        PairSide::A => [a, b],
        PairSide::B => [b, a],
    };
    reference::side_of_line(of_edge, k, of_vertex, vertex)
}
