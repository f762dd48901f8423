//! Computes the penetration of a pair: the edge, the depth, and a separation with the exact sign.

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

/// An edge of one of two polygons, the gap over this edge, and the exact relation of the pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Over {
    pub(super) edge: PairEdge,
    /// The gap over the edge. It is negative if the interiors meet, 0 if the polygons touch, and positive if they are
    /// disjoint.
    pub(super) separation: f64,
    pub(super) relation: Relation,
    /// The vertex of the other polygon with the least projection beyond this edge.
    pub(super) lowest: Lowest,
}

impl Over {
    /// Returns the result for two disjoint polygons whose closest points lie on `edge` and at `vertex`. The separation
    /// is `distance`.
    pub(super) fn nearest_points(Nearest { edge, vertex }: Nearest, distance: f64) -> Self {
        let lowest = Lowest { gap: distance, vertex, is_sole: false };
        Self { edge, separation: distance, relation: Relation::Disjoint, lowest }
    }

    /// Returns the same edge with another lowest vertex. The projection of this vertex beyond the edge must also be the
    /// least.
    pub(super) fn under(&self, vertex: usize) -> Self {
        Self { lowest: Lowest { vertex, ..self.lowest }, ..*self }
    }
}

/// The lowest vertex under an edge: the vertex of the other polygon whose projection beyond the edge is the least.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lowest {
    pub(super) gap: f64,
    /// The index of this vertex. If several vertices have the least projection, the first of them.
    pub(super) vertex: usize,
    /// Whether the projections of all other vertices of the polygon are greater.
    pub(super) is_sole: bool,
}

/// Computes the penetration of a pair. `relation` is the relation of the pair, or `None` if it is not known. If the
/// interiors meet, chooses an edge on the boundary of its object, if there is such an edge.
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
    // The sign of the separation agrees with the relation, even if twice the bits of f64 give 0.
    let separation = match relation {
        Relation::Touching => 0.0,
        Relation::Overlapping => lesser(-f64::MIN_POSITIVE, lowest.gap),
        Relation::Disjoint => greater(f64::MIN_POSITIVE, lowest.gap),
    };
    Over { edge, separation, relation, lowest }
}

/// Decides the edge and the relation exactly, for a pair whose gap f64 cannot distinguish from 0.
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

/// Returns the gap between the line of an edge and the other polygon. `slack` is a bound on the error of a computed
/// length.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn separation<S: Select>(select: S, pair: &MeasuredPair<'_>, edge: PairEdge, slack: f64) -> f64 {
    lowest(select, pair, edge, slack).gap
}

/// Returns the vertex of the other polygon with the least projection beyond an edge, and this projection. `slack` is a
/// bound on the error of a computed projection, so vertices whose projections differ by at most `slack` count as
/// equally low.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn lowest<S: Select>(select: S, pair: &MeasuredPair<'_>, edge: PairEdge, slack: f64) -> Lowest {
    let [polygon, other] = pair.sides(edge);
    let k = edge.index as usize;
    let line = Line::new(polygon, k);
    // In most pairs, one vertex is near the line of the edge. If an edge of the other polygon faces this edge, both of
    // its ends are near the line.
    let (mut gap, mut first, mut count) = (f64::INFINITY, 0, 0);
    if other.vertices.len() <= MOST_NUMBERED {
        let near = select.near_line(&line, other, slack);
        let (vertex, last) =
            (near.trailing_zeros() as usize, MOST_NUMBERED - 1 - near.leading_zeros() as usize);
        // In most pairs, both are the same vertex. The processor cannot predict whether there is a second vertex.
        let mut gap = polygon.lesser_gap(k, [other.vertices[last], other.vertices[vertex]]);
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

/// Returns the edge with the greatest gap, among the edges of both polygons. If a gap would lose too many bits in f64, it is
/// computed with about twice the bits ([`super::pair::Outline::gap`]). Returns `None` if neither polygon has an edge.
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

/// Returns the first edge that has the whole other polygon on its line or on the outer side of its line, with at least
/// one vertex on the line. Prefers an edge on the boundary of its object. Returns `None` if there is no such edge.
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

/// Returns a number whose sign is the exact side of a vertex of the other polygon relative to the line of an edge:
/// positive if the vertex is on the inner side, 0 if it is on the line.
pub(super) fn side_of_line(pair: &MeasuredPair<'_>, edge: PairEdge, vertex: usize) -> f64 {
    let [polygon, other] = pair.sides(edge);
    let k = edge.index as usize;
    if polygon.is_plain() {
        return orientation(polygon.vertices[k], polygon.vertices[polygon.next(k)], other.vertices[vertex]);
    }
    // Most vertices are far enough from the line for f64, and exact arithmetic on rotated vertices is slow.
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
