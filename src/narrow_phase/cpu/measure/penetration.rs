//! The penetration of a pair: over which edge, how far, and on which side of 0.

use super::pair::MeasuredPair;
use super::select::{Best, SLACK, best_outer_edge, support};
use crate::figures::{PairEdge, PairSide, Penetration};
use crate::geometry::predicates::orientation;
use crate::narrow_phase::cpu::reference;
use crate::results::Relation;

/// An edge, the gap over it, and the relation, which is exact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Over {
    pub(super) edge: PairEdge,
    /// Below 0 where the interiors meet, 0 where the two touch, above 0 where they are apart.
    pub(super) separation: f64,
    pub(super) relation: Relation,
}

/// The penetration. `relation` is the pair's, where it is known. Where the interiors meet, it is over an edge that bounds its object,
/// if there is one.
pub(super) fn penetration(
    pair: &MeasuredPair<'_>,
    best: &Best,
    relation: Option<Relation>,
    gaps: &mut Vec<f64>,
) -> Penetration {
    let Over { edge, separation, .. } = over(pair, best, relation, gaps);
    Penetration { normal: pair.normal(edge), separation, edge: Some(edge) }
}

#[inline]
pub(super) fn over(
    pair: &MeasuredPair<'_>,
    best: &Best,
    relation: Option<Relation>,
    gaps: &mut Vec<f64>,
) -> Over {
    match best.known {
        Some(Relation::Disjoint) => {
            Over { edge: best.edge, separation: separation(pair, best.edge, best.slack()), relation: Relation::Disjoint }
        }
        Some(Relation::Overlapping) if !pair.has_internal() => {
            let separation = separation(pair, best.edge, best.slack());
            Over { edge: best.edge, separation, relation: Relation::Overlapping }
        }
        Some(relation) => {
            let edge = best_outer_edge(pair, gaps).unwrap_or(best.edge);
            Over { edge, separation: separation(pair, edge, best.slack()), relation }
        }
        None => near_zero(pair, best, relation, gaps),
    }
}

/// Of a gap that plain f64 cannot tell from none.
#[cold]
fn near_zero(
    pair: &MeasuredPair<'_>,
    best: &Best,
    relation: Option<Relation>,
    gaps: &mut Vec<f64>,
) -> Over {
    let relation = relation.unwrap_or_else(|| pair.exact_relation());
    if relation == Relation::Touching {
        return Over { edge: touching_edge(pair).unwrap_or(best.edge), separation: 0.0, relation };
    }
    let edge = if relation == Relation::Overlapping && pair.has_internal() {
        best_outer_edge(pair, gaps).unwrap_or(best.edge)
    } else {
        greatest_gap(pair).unwrap_or(best.edge)
    };
    let separation = separation(pair, edge, best.slack());
    // What even twice the bits of f64 cannot tell from none is not none.
    let separation = match relation {
        Relation::Overlapping => separation.min(-f64::MIN_POSITIVE),
        _ => separation.max(f64::MIN_POSITIVE),
    };
    Over { edge, separation, relation }
}

/// The gap over an edge.
#[inline]
pub(super) fn separation(pair: &MeasuredPair<'_>, edge: PairEdge, slack: f64) -> f64 {
    let [polygon, other] = pair.sides(edge);
    let k = edge.index as usize;
    let deepest = support(polygon, k, other, slack);
    let gap = polygon.gap(k, other.vertices[deepest]);
    // Of an edge that faces this one, the other end.
    [other.previous(deepest), other.next(deepest)]
        .into_iter()
        .fold(gap, |gap, vertex| gap.min(polygon.gap(k, other.vertices[vertex])))
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
    let [of_edge, of_vertex] = match edge.side {
        PairSide::A => pair.pieces,
        PairSide::B => [pair.pieces[1], pair.pieces[0]],
    };
    reference::side_of_line(of_edge, k, of_vertex, vertex)
}
