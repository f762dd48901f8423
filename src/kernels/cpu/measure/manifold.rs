//! Computes contact points by clipping the incident edge of one polygon against the reference edge of the other polygon
//! (Catto 2007, "Modeling and Solving Constraints"; Ericson 2005, 5.5). The reference edge is the edge with the
//! greatest gap. The incident edge is one of the two edges at the deepest vertex of the other polygon. Of these two
//! edges, it is the edge whose normal is most opposed to the normal of the reference edge.
//!
//! The choice of contact points agrees with the exact relation. If two polygons touch, an end of the clipped edge has
//! the gap 0 if and only if it lies exactly on the line of the other polygon's edge. If two polygons are disjoint,
//! exact arithmetic compares their distance with the margin: there is a contact point if and only if the distance is at
//! most the margin. If two polygons overlap, one contact point is as deep as the deepest vertex, up to rounding. The
//! exception is an internal reference edge ([`manifold`]).

use std::hint::select_unpredictable;
use std::mem::MaybeUninit;

use glam::DVec2;

use super::distance::{Near, near};
use super::pair::{MeasuredPair, Outline, length};
use super::penetration::{Over, side_of_line};
use super::select::{Best, Nearest, ends_of, gap_over};
use super::steps;
use super::sums::Twofold;
use super::within::{is_vertex_within, is_within};
use crate::answers::manifold::{Contact, Manifold};
use crate::answers::pair::{PairEdge, PairFeature, PairFeatures};
use crate::answers::results::Relation;
use crate::base::side::PairSide;
use crate::simd::lesser;

/// Computes the contact points with a gap of up to `margin`. If the reference edge is an internal edge (a cut between
/// two pieces of one object), there are contact points only if the polygons touch.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn manifold<'o>(
    pair: &MeasuredPair<'_>,
    best: &Best,
    over: &Over,
    margin: f64,
    out: &'o mut MaybeUninit<Manifold>,
    nearest: impl FnOnce() -> Nearest,
) -> &'o mut Manifold {
    let normal = pair.normal(over.edge);
    let manifold = out.write(Manifold::without_points(normal, over.separation, over.edge));
    let slack = best.slack();
    let of_nearest;
    let mut over = over;
    match over.relation {
        Relation::Disjoint => {
            if over.separation > margin + slack || pair.is_internal(over.edge) {
                return manifold;
            }
            let nearest = over.nearest(pair).unwrap_or_else(nearest);
            let near = near(pair, nearest);
            let is_near = is_near(pair, &near, margin, slack);
            // Two vertices at the same position along the reference edge may be the ends of edges that face each other.
            let is_aside = normal.perp_dot(near.between).abs() > 2.0 * slack;
            if is_aside && near.is_of_vertices() && ends_of(pair, nearest).is_some() {
                manifold.normal = near.between / near.distance;
                manifold.separation = near.distance;
                if is_near {
                    manifold.push_within(f64::INFINITY, corner(pair, &near, margin));
                }
                return manifold;
            }
            if !is_near {
                return manifold;
            }
            if let Some(over_nearest) = over_nearest(pair, over, normal, &near, nearest, slack) {
                of_nearest = over_nearest;
                over = &of_nearest;
                *manifold = Manifold::without_points(pair.normal(over.edge), over.separation, over.edge);
            }
        }
        Relation::Overlapping if pair.is_internal(over.edge) => return manifold,
        Relation::Touching
            if !over.lowest.is_sole && side_of_line(pair, over.edge, over.lowest.vertex) != 0.0 =>
        {
            of_nearest = over_touching(pair, over);
            over = &of_nearest;
        }
        Relation::Touching | Relation::Overlapping => {}
    }
    let clip = Clip::new(pair, over, slack);
    manifold.push_within(margin, clip.contact_within(pair, over, clip.first, margin, slack));
    if clip.has_last {
        manifold.push_within(margin, clip.contact_within(pair, over, clip.last, margin, slack));
    }
    if manifold.points().is_empty() {
        manifold.push_within(f64::INFINITY, surest(pair, best, over, margin));
    }
    manifold
}

/// Returns a replacement for `over`, with the edge and the vertex of the closest points `nearest`. Returns `None` if
/// `over` needs no replacement. The polygons are disjoint. A replacement may be needed for nearly parallel edges: f64
/// cannot distinguish the gaps of several edges and vertices, so `over` may lie far from the closest points.
fn over_nearest(
    pair: &MeasuredPair<'_>,
    over: &Over,
    normal: DVec2,
    near: &Near,
    nearest: Nearest,
    slack: f64,
) -> Option<Over> {
    if ends_of(pair, nearest).is_some() {
        return None;
    }
    if nearest.edge == over.edge {
        return (nearest.vertex != over.lowest.vertex).then(|| over.under(nearest.vertex));
    }
    let aside = 0.5 * near.distance * normal.perp_dot(pair.normal(nearest.edge)).abs();
    if aside <= 2.0 * slack || pair.is_internal(nearest.edge) {
        return None;
    }
    // The other vertices of a sliver may lie nearer to the edge, or on its inner side.
    let [polygon, other] = pair.sides(nearest.edge);
    let gap = gap_over(polygon, nearest.edge.index as usize, other, pair.a.vertices[0]);
    (gap >= over.separation - 2.0 * slack).then(|| Over::nearest_points(nearest, near.distance))
}

/// Returns the edge of `over` with a vertex of the other polygon that lies exactly on the line of the edge. The two
/// polygons must touch.
#[cold]
fn over_touching(pair: &MeasuredPair<'_>, over: &Over) -> Over {
    let [_, other] = pair.sides(over.edge);
    let touches = |vertex: &usize| side_of_line(pair, over.edge, *vertex) == 0.0;
    over.under((0..other.vertices.len()).find(touches).unwrap_or(over.lowest.vertex))
}

/// Returns the contacts at the ends of the part of the incident edge that lies over the reference edge: two contacts,
/// or one contact if the edges face each other only at a point or not at all.
pub(super) fn clipped(pair: &MeasuredPair<'_>, best: &Best, over: &Over) -> impl Iterator<Item = Contact> {
    let clip = Clip::new(pair, over, best.slack());
    clip.ends().map(move |end| clip.contact_over(pair, over, end))
}

/// Returns one contact point, for a pair that must have a contact point although rounding has removed all of them.
#[cold]
fn surest(pair: &MeasuredPair<'_>, best: &Best, over: &Over, margin: f64) -> Contact {
    let clip = Clip::new(pair, over, best.slack());
    let end = clip.surest();
    let separation = if over.relation == Relation::Touching { 0.0 } else { end.separation.min(margin) };
    clip.contact(pair, end, separation)
}

/// Returns true if the distance between two disjoint polygons is at most `margin`. If the computed distance is within
/// `4 * slack` of the margin, exact arithmetic decides.
fn is_near(pair: &MeasuredPair<'_>, near: &Near, margin: f64, slack: f64) -> bool {
    if (near.distance - margin).abs() <= 4.0 * slack {
        return is_within(pair, [margin, 0.0, 0.0]);
    }
    near.distance <= margin
}

/// Returns the contact between two vertices, which are the closest points of two disjoint polygons.
fn corner(pair: &MeasuredPair<'_>, near: &Near, margin: f64) -> Contact {
    Contact {
        position: pair.origin + near.point_a + near.between * 0.5,
        separation: near.distance.min(margin),
        features: near.features,
    }
}

/// One end of a clipped edge: a vertex of one polygon over an edge of the other polygon.
#[derive(Clone, Copy, Debug)]
struct End {
    /// The vertex at this end, relative to the pair's origin.
    vertex: DVec2,
    /// The gap at the vertex, along the normal of the reference edge. For a vertex of the incident polygon, it is the
    /// gap to the reference edge. For a vertex of the reference polygon, it is the gap to the incident edge.
    separation: f64,
    number: usize,
    is_of_reference: bool,
}

impl End {
    /// Returns the end at the vertex of the incident polygon `other` with the index `number`. Its separation is the gap between
    /// edge `k` of the reference polygon and this vertex.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn below(reference: Outline<'_>, k: usize, other: Outline<'_>, number: usize) -> Self {
        let vertex = other.vertices[number];
        Self { vertex, separation: steps::gap(reference.gap(k, vertex)), number, is_of_reference: false }
    }

    /// Returns the end at a vertex of the reference polygon: the vertex with the index `number`, at which edge `k`
    /// begins or ends. `m` is the index of the incident edge, in the polygon `other`. `gap` is the separation of the
    /// end, or `None` if the function must compute it.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn above(
        reference: Outline<'_>,
        k: usize,
        number: usize,
        other: Outline<'_>,
        m: usize,
        gap: Option<f64>,
    ) -> Self {
        let vertex = reference.vertices[number];
        let gap = match gap {
            Some(gap) => gap,
            None => gap_above(reference, k, vertex, other, m),
        };
        Self { vertex, separation: steps::gap(gap), number, is_of_reference: true }
    }
}

/// The ends of the part of the incident edge that lies over the reference edge.
#[derive(Clone, Copy, Debug)]
struct Clip {
    edge: PairEdge,
    /// The outward unit normal of the reference edge.
    normal: DVec2,
    incident: usize,
    first: End,
    /// The last end of the part. It equals `first` if the two edges face each other only at a point, or not at all.
    last: End,
    has_last: bool,
}

impl Clip {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn new(pair: &MeasuredPair<'_>, over: &Over, slack: f64) -> Self {
        let edge = over.edge;
        let [reference, other] = pair.sides(edge);
        let k = edge.index as usize;
        let (normal, support) = (reference.unit_normal(k), over.lowest.vertex);
        let m = incident_edge(other, support, normal);
        let m_next = other.next(m);
        let of_incident = [End::below(reference, k, other, m_next), End::below(reference, k, other, m)];
        let [w, v] = of_incident;
        // The code has no branch, because the processor cannot predict which end is the deepest vertex.
        let deepest = End {
            vertex: other.vertices[support],
            separation: select_unpredictable(support == m, v.separation, w.separation),
            number: support,
            is_of_reference: false,
        };
        let along = Along::new(reference, k, other, m);
        let clip = Self { edge, normal, incident: m, first: deepest, last: deepest, has_last: false };
        // For parallel edges, all gaps are equal.
        let gap = if w.separation == v.separation { Some(w.separation) } else { None };
        // An end that lies off the reference edge only by rounding is not cut. On a steep incident edge, the cut may be
        // far away.
        let beyond = 4.0 * slack * along.length;
        // The incident edge runs opposite to the reference edge, so w comes first along the reference edge.
        let (start, end) = (along.of_w.max(0.0), along.of_v.min(along.whole));
        if steps::overlap(end - start) <= 2.0 * slack * along.length {
            let nearest = if along.run <= 2.0 * slack * along.length {
                deepest
            } else if along.of_w < -beyond && along.of_v > along.whole + beyond {
                // The reference edge is nearly a point, and lies beside the incident edge, whose ends are far away.
                End::above(reference, k, k, other, m, gap)
            } else if along.of_v <= along.whole - along.of_w {
                v
            } else {
                w
            };
            // If the nearest end is as deep as the deepest vertex, it is the corner at which the polygons meet.
            let is_met = nearest.separation <= deepest.separation + 2.0 * slack;
            let first = if is_met { nearest } else { deepest };
            return Self { first, last: first, ..clip };
        }
        let k_next = reference.next(k);
        let first =
            if steps::cuts(along.of_w < -beyond) { End::above(reference, k, k, other, m, gap) } else { w };
        let last = if steps::cuts(along.of_v > along.whole + beyond) {
            End::above(reference, k, k_next, other, m, gap)
        } else {
            v
        };
        let clip = Self { first, last, has_last: true, ..clip };
        // In most pairs, one of the two ends is as deep as the deepest vertex.
        let least = lesser(last.separation, first.separation);
        if least > deepest.separation + 2.0 * slack { clip.with_deepest(deepest, support == m) } else { clip }
    }

    /// Replaces one end by the deepest vertex: the last end if `is_last` is set, and otherwise the first end. The
    /// deepest vertex lies over the edge with the greatest gap. If another edge has the same gap up to rounding, that
    /// other edge may be the reference edge, and clipping may have removed the deepest vertex. Its foot on the line of
    /// the reference edge still lies on the border of the reference polygon, up to the same rounding.
    #[cold]
    #[inline(never)]
    fn with_deepest(self, deepest: End, is_last: bool) -> Self {
        if is_last { Self { last: deepest, ..self } } else { Self { first: deepest, ..self } }
    }

    fn ends(&self) -> impl Iterator<Item = End> + use<> {
        [self.first, self.last].into_iter().take(1 + usize::from(self.has_last))
    }

    /// Returns the end with the lesser gap. If rounding has removed all contact points, this end becomes the contact
    /// point.
    fn surest(&self) -> End {
        self.ends().reduce(|a, b| if b.separation < a.separation { b } else { a }).unwrap_or(self.first)
    }

    /// Returns the edge over which an end lies. It belongs to the polygon that does not have the vertex of the end.
    fn edge_under(&self, end: End) -> PairEdge {
        if end.is_of_reference {
            let side = if self.edge.side == PairSide::A { PairSide::B } else { PairSide::A };
            PairEdge { side, index: self.incident as u32 }
        } else {
            self.edge
        }
    }

    /// Returns true if an end lies exactly on the line of the other polygon's edge.
    fn touches(&self, pair: &MeasuredPair<'_>, end: End) -> bool {
        side_of_line(pair, self.edge_under(end), end.number) == 0.0
    }

    /// Returns the contact point at an end. If the polygons are disjoint, the returned gap is at most `margin` if and
    /// only if the exact gap is at most `margin`. Exact arithmetic decides this for gaps within `4 * slack` of the
    /// margin.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn contact_within(
        &self,
        pair: &MeasuredPair<'_>,
        over: &Over,
        end: End,
        margin: f64,
        slack: f64,
    ) -> Contact {
        let mut contact = self.contact_over(pair, over, end);
        if over.relation == Relation::Disjoint && (end.separation - margin).abs() <= 4.0 * slack {
            contact.separation = if is_vertex_within(pair, self.edge_under(end), end.number, margin) {
                contact.separation.min(margin)
            } else {
                contact.separation.max(margin.next_up())
            };
        }
        contact
    }

    /// Returns the contact point at an end. If the polygons touch, its gap is 0 if the end lies exactly on the line of
    /// the other polygon's edge, and positive otherwise.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn contact_over(&self, pair: &MeasuredPair<'_>, over: &Over, end: End) -> Contact {
        let separation = match over.relation {
            Relation::Touching if self.touches(pair, end) => 0.0,
            Relation::Touching => end.separation.max(f64::MIN_POSITIVE),
            _ => end.separation,
        };
        self.contact(pair, end, separation)
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn contact(&self, pair: &MeasuredPair<'_>, end: End, separation: f64) -> Contact {
        let half = self.normal * (0.5 * end.separation);
        let position = pair.origin + if end.is_of_reference { end.vertex + half } else { end.vertex - half };
        let vertex = PairFeature::Vertex(end.number as u32);
        let (of_reference, of_incident) = if end.is_of_reference {
            (vertex, PairFeature::Edge(self.incident as u32))
        } else {
            (PairFeature::Edge(self.edge.index), vertex)
        };
        let features = match self.edge.side {
            PairSide::A => PairFeatures { a: of_reference, b: of_incident },
            PairSide::B => PairFeatures { a: of_incident, b: of_reference },
        };
        Contact { position, separation, features }
    }
}

/// Returns the index of one of the two edges at a vertex: the edge whose outward normal is most opposed to `direction`.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn incident_edge(polygon: Outline<'_>, vertex: usize, direction: DVec2) -> usize {
    // No closure, because the compiler would not inline it.
    let previous = polygon.previous(vertex);
    let before = polygon.unit_normal(previous).dot(direction);
    let after = polygon.unit_normal(vertex).dot(direction);
    select_unpredictable(after < before, vertex, previous)
}

/// Positions along the reference edge: `of_v` and `of_w` of the ends v and w of the incident edge, and `whole` of the
/// end of the reference edge. `run` is `of_v - of_w`. All four are multiplied by `length`.
struct Along {
    of_v: f64,
    of_w: f64,
    run: f64,
    whole: f64,
    /// The length of the reference edge.
    length: f64,
}

impl Along {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn new(reference: Outline<'_>, k: usize, other: Outline<'_>, m: usize) -> Self {
        let (edge, incident) = (reference.edge(k), other.edge(m));
        let (p, v, w) = (reference.vertices[k], other.vertices[m], other.vertices[other.next(m)]);
        Self {
            of_v: edge.dot(v - p),
            of_w: edge.dot(w - p),
            // The extent of the incident edge along the reference edge, from its end w to its end v.
            run: -edge.dot(incident),
            whole: edge.length_squared(),
            length: length(edge),
        }
    }
}

/// Returns the gap, along the normal n of reference edge `k`, between a vertex p of the reference edge and the line of
/// incident edge `m`. The incident edge runs from v to w. Let F be the vector from v to w. Then `(p + n gap - w) x F = 0`,
/// and n x F is the component of F along the reference edge.
#[inline(never)]
fn gap_above(reference: Outline<'_>, k: usize, p: DVec2, other: Outline<'_>, m: usize) -> f64 {
    let (edge, incident) = (reference.whole_edge(k), other.whole_edge(m));
    let across = Twofold::between(p, other.vertices[other.next(m)]).perp_dot(incident);
    across * (length(edge.high) / edge.dot(incident))
}
