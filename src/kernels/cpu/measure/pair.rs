//! A pair of convex pieces as measurements read it: the caller's own coordinates where both stand where these say, else the
//! images of their poses about an origin of the pair, so that precision depends on its size and not on where it lies.

use std::hint::select_unpredictable;

use glam::DVec2;

use super::sums::Twofold;
use crate::answers::pair::PairEdge;
use crate::answers::results::Relation;
use crate::base::side::PairSide;
use crate::geometry::{Piece, Pose};
use crate::kernels::cpu::exact;
use crate::kernels::cpu::figures::local::{edge_of, vertex_of};

/// Marks on the edges of a piece that only part it from others of its object.
pub(crate) type Internal<'a> = Option<&'a [bool]>;

/// The vertices of one piece, counter-clockwise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline<'a> {
    pub(super) vertices: &'a [DVec2],
    /// From each vertex to the next, where that is more exact than the difference of the two.
    edges: Option<&'a [DVec2]>,
}

/// Memory for the images of posed pieces, used again for each pair.
#[derive(Debug, Default)]
pub(crate) struct Images {
    pub(super) vertices: [Vec<DVec2>; 2],
    pub(super) edges: [Vec<DVec2>; 2],
    pub(super) gaps: Vec<f64>,
}

/// Two pieces to measure.
#[derive(Clone, Copy)]
pub(crate) struct MeasuredPair<'a> {
    pub(super) a: Outline<'a>,
    pub(super) b: Outline<'a>,
    /// What the vertices count from.
    pub(super) origin: DVec2,
    /// None where both stand where their vertices say.
    posed: Option<[Piece<'a>; 2]>,
    pub(super) internal: [Internal<'a>; 2],
}

impl<'a> MeasuredPair<'a> {
    /// Of polygons that stand where their vertices say.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn plain([a, b]: [&'a [DVec2]; 2], internal: [Internal<'a>; 2]) -> Self {
        let [a, b] = [Outline { vertices: a, edges: None }, Outline { vertices: b, edges: None }];
        Self { a, b, origin: DVec2::ZERO, posed: None, internal }
    }

    pub(crate) fn new(
        [a, b]: [Piece<'a>; 2],
        internal: [Internal<'a>; 2],
        vertices: &'a mut [Vec<DVec2>; 2],
        edges: &'a mut [Vec<DVec2>; 2],
    ) -> Self {
        let pieces = [a, b];
        if pieces.iter().all(|piece| piece.pose == Pose::IDENTITY) {
            return Self::plain(pieces.map(|piece| piece.vertices), internal);
        }
        let origin = a.pose.apply(a.vertices[0]);
        for (side, &piece) in pieces.iter().enumerate() {
            let numbers = 0..piece.vertices.len();
            vertices[side].clear();
            vertices[side].extend(numbers.clone().map(|k| vertex_of(piece, k, origin)));
            edges[side].clear();
            edges[side].extend(numbers.map(|k| edge_of(piece, k)));
        }
        let outline = |side: usize| Outline { vertices: &vertices[side], edges: Some(&edges[side]) };
        Self { a: outline(0), b: outline(1), origin, posed: Some(pieces), internal }
    }

    /// As they were given.
    pub(super) fn pieces(&self) -> [Piece<'a>; 2] {
        let plain = |outline: Outline<'a>| Piece { vertices: outline.vertices, pose: Pose::IDENTITY };
        self.posed.unwrap_or_else(|| [plain(self.a), plain(self.b)])
    }

    /// The relation, by exact arithmetic.
    #[cold]
    pub(super) fn exact_relation(&self) -> Relation {
        let [a, b] = self.pieces();
        exact::relation(a, b)
    }

    /// The polygon that an edge is of, and the other.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn sides(&self, edge: PairEdge) -> [Outline<'a>; 2] {
        let is_a = edge.side == PairSide::A;
        [self.a.or(self.b, is_a), self.b.or(self.a, is_a)]
    }

    /// Whether an edge only parts its piece from others of its object.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn is_internal(&self, edge: PairEdge) -> bool {
        self.internal[edge.side as usize].is_some_and(|marks| marks[edge.index as usize])
    }

    pub(super) fn has_internal(&self) -> bool {
        self.internal.iter().any(Option::is_some)
    }

    /// The edge of a place among all edges of A, then of B.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn edge_at(&self, place: usize) -> PairEdge {
        let count = self.a.edge_count();
        if place < count {
            PairEdge { side: PairSide::A, index: place as u32 }
        } else {
            PairEdge { side: PairSide::B, index: (place - count) as u32 }
        }
    }

    /// What measurements compare lengths of the pair with: no coordinate of a vertex is farther than this from A's first one.
    pub(super) fn extent(&self) -> f64 {
        let first = self.a.vertices[0];
        let vertices = self.a.vertices.iter().chain(self.b.vertices);
        vertices.fold(0.0, |extent: f64, &v| {
            let [x, y] = (v - first).abs().to_array();
            extent.max(x).max(y)
        })
    }

    /// The unit normal of an edge, from A to B.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn normal(&self, edge: PairEdge) -> DVec2 {
        let [polygon, _] = self.sides(edge);
        let outward = polygon.unit_normal(edge.index as usize);
        match edge.side {
            PairSide::A => outward,
            PairSide::B => -outward,
        }
    }
}

impl<'a> Outline<'a> {
    /// This one, or another, without a branch: which one it is, is hard to foretell. Word by word, since copies of several wait for what
    /// wrote one of them.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn or(self, other: Self, is_this: bool) -> Self {
        Self {
            vertices: select_unpredictable(is_this, self.vertices, other.vertices),
            edges: select_unpredictable(is_this, self.edges, other.edges),
        }
    }

    /// As many as vertices, but that a point has none.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn edge_count(self) -> usize {
        if self.vertices.len() == 1 { 0 } else { self.vertices.len() }
    }

    /// The number of the vertex after one.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn next(self, k: usize) -> usize {
        if k + 1 < self.vertices.len() { k + 1 } else { 0 }
    }

    /// The number of the vertex before one.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn previous(self, k: usize) -> usize {
        if k > 0 { k - 1 } else { self.vertices.len() - 1 }
    }

    /// From a vertex to the next: each coordinate within 2^-53 of itself.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn edge(self, k: usize) -> DVec2 {
        self.edges.map_or_else(|| self.vertices[self.next(k)] - self.vertices[k], |edges| edges[k])
    }

    /// The same with all bits that are known.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn whole_edge(self, k: usize) -> Twofold {
        match self.edges {
            None => Twofold::between(self.vertices[k], self.vertices[self.next(k)]),
            Some(edges) => Twofold::rounded(edges[k]),
        }
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn unit_normal(self, k: usize) -> DVec2 {
        let edge = self.edge(k);
        DVec2::new(edge.y, -edge.x) / length(edge)
    }

    /// How far a point lies beyond the line of an edge, within 2^-46 of itself, and 2^-100 of what is subtracted.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn gap(self, k: usize, point: DVec2) -> f64 {
        let (edge, way) = (self.edge(k), point - self.vertices[k]);
        // A product and a quotient by the same number may differ from what they started with.
        if edge.x * edge.y == 0.0 {
            let [across, along] = if edge.x == 0.0 { [way.x, edge.y] } else { [-way.y, edge.x] };
            return across * 1f64.copysign(along);
        }
        let (by_x, by_y) = (way.x * edge.y, way.y * edge.x);
        let cross = by_x - by_y;
        // Where more than a few bits cancel, those that rounding took are needed.
        if cross.abs() * CANCELS < by_x.abs() { self.whole_gap(k, point) } else { cross / length(edge) }
    }

    /// The same with all bits that are known.
    #[inline(never)]
    fn whole_gap(self, k: usize, point: DVec2) -> f64 {
        let (edge, way) = (self.whole_edge(k), Twofold::between(self.vertices[k], point));
        way.perp_dot(edge) / length(edge.high)
    }

    /// Whether the edges are those that the vertices say.
    pub(super) fn is_plain(self) -> bool {
        self.edges.is_none()
    }
}

/// The part of what is subtracted that a difference is at least to be, for plain f64.
const CANCELS: f64 = 16.0;

/// Of a vector of accepted lengths, whose squares neither under- nor overflow.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn length(v: DVec2) -> f64 {
    (v.x * v.x + v.y * v.y).sqrt()
}
