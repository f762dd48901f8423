//! A pair of convex pieces, in the form that measurements read. If neither piece has a pose, the vertices are the
//! caller's coordinates. Otherwise, the vertices are posed images relative to an origin near the pair, so that the
//! precision depends on the size of the pair, and not on its position.

use std::hint::select_unpredictable;

use glam::DVec2;

use super::sums::Twofold;
use crate::answers::pair::PairEdge;
use crate::answers::results::Relation;
use crate::base::side::PairSide;
use crate::geometry::{Piece, Pose};
use crate::kernels::cpu::exact;
use crate::kernels::cpu::figures::local::{edge_of, vertex_of};
use crate::simd::lesser;

/// For each edge of a piece, whether the edge is internal (a cut between two pieces of one object). `None` if no edge
/// of the piece is internal.
pub(crate) type Internal<'a> = Option<&'a [bool]>;

/// The vertices of one piece, counter-clockwise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline<'a> {
    pub(super) vertices: &'a [DVec2],
    /// The vector from each vertex to the next vertex, or `None` if each vector is the difference of the two vertices,
    /// rounded to f64.
    edges: Option<&'a [DVec2]>,
}

/// Memory for the images of posed pieces. Every pair of a task reuses it.
#[derive(Debug, Default)]
pub(crate) struct Images {
    pub(super) vertices: [Vec<DVec2>; 2],
    pub(super) edges: [Vec<DVec2>; 2],
    pub(super) gaps: Vec<f64>,
}

/// Two pieces to measure, as outlines relative to one origin.
#[derive(Clone, Copy)]
pub(crate) struct MeasuredPair<'a> {
    pub(super) a: Outline<'a>,
    pub(super) b: Outline<'a>,
    /// The point that is the origin of all vertices of this pair, in the caller's coordinates.
    pub(super) origin: DVec2,
    /// The two pieces with their poses, or `None` if neither piece has a pose.
    posed: Option<[Piece<'a>; 2]>,
    pub(super) internal: [Internal<'a>; 2],
}

impl<'a> MeasuredPair<'a> {
    /// Returns the pair of two polygons without poses. `internal` says which of their edges are internal.
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

    /// Returns the two pieces as the caller gave them.
    pub(super) fn pieces(&self) -> [Piece<'a>; 2] {
        let plain = |outline: Outline<'a>| Piece { vertices: outline.vertices, pose: Pose::IDENTITY };
        self.posed.unwrap_or_else(|| [plain(self.a), plain(self.b)])
    }

    /// Returns the relation of the two pieces, decided with exact arithmetic.
    #[cold]
    pub(super) fn exact_relation(&self) -> Relation {
        let [a, b] = self.pieces();
        exact::relation(a, b)
    }

    /// Returns the polygon to which an edge belongs, then the other polygon.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn sides(&self, edge: PairEdge) -> [Outline<'a>; 2] {
        let is_a = edge.side == PairSide::A;
        [self.a.or(self.b, is_a), self.b.or(self.a, is_a)]
    }

    /// Returns true if an edge is internal: a cut between two pieces of one object.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn is_internal(&self, edge: PairEdge) -> bool {
        self.internal[edge.side as usize].is_some_and(|marks| marks[edge.index as usize])
    }

    pub(super) fn has_internal(&self) -> bool {
        self.internal.iter().any(Option::is_some)
    }

    /// Returns the edge at the index `place` in the list of all edges of the pair: A's edges, then B's edges.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn edge_at(&self, place: usize) -> PairEdge {
        let count = self.a.edge_count();
        if place < count {
            PairEdge { side: PairSide::A, index: place as u32 }
        } else {
            PairEdge { side: PairSide::B, index: (place - count) as u32 }
        }
    }

    /// Returns the extent of the pair: the greatest difference between a coordinate of a vertex and the same coordinate
    /// of A's first vertex.
    pub(super) fn extent(&self) -> f64 {
        let first = self.a.vertices[0];
        let vertices = self.a.vertices.iter().chain(self.b.vertices);
        vertices.fold(0.0, |extent: f64, &v| {
            let [x, y] = (v - first).abs().to_array();
            extent.max(x).max(y)
        })
    }

    /// Returns the unit normal of an edge, in the direction from A to B.
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
    /// Returns this outline if `is_this` is set, otherwise `other`. The function has no branch, because the choice is
    /// hard to predict. It copies word by word, because a wide copy would stall after narrow writes.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn or(self, other: Self, is_this: bool) -> Self {
        Self {
            vertices: select_unpredictable(is_this, self.vertices, other.vertices),
            edges: select_unpredictable(is_this, self.edges, other.edges),
        }
    }

    /// Returns the number of edges. A point has no edges. Any other polygon has as many edges as vertices.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn edge_count(self) -> usize {
        if self.vertices.len() == 1 { 0 } else { self.vertices.len() }
    }

    /// Returns the index of the vertex after vertex `k`.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn next(self, k: usize) -> usize {
        if k + 1 < self.vertices.len() { k + 1 } else { 0 }
    }

    /// Returns the index of the vertex before vertex `k`.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn previous(self, k: usize) -> usize {
        if k > 0 { k - 1 } else { self.vertices.len() - 1 }
    }

    /// Returns the vector from vertex `k` to the next vertex. The relative error of each coordinate is at most 2^-53.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn edge(self, k: usize) -> DVec2 {
        self.edges.map_or_else(|| self.vertices[self.next(k)] - self.vertices[k], |edges| edges[k])
    }

    /// Returns the vector from vertex `k` to the next vertex. For a piece without a pose, the result includes the bits
    /// that rounding to f64 removes.
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

    /// Returns the signed distance of a point from the line of edge `k`. It is positive outside. The error is at most
    /// 2^-46 of the distance, plus 2^-100 times the distance of the point from vertex `k`. For a piece with a pose, the
    /// line goes through vertex `k` in the direction of the stored vector of the edge.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn gap(self, k: usize, point: DVec2) -> f64 {
        let (edge, way) = (self.edge(k), point - self.vertices[k]);
        if edge.x * edge.y == 0.0 {
            return across(edge, way);
        }
        match cross(edge, way) {
            Some(cross) => gap_of(cross, edge),
            None => self.whole_gap(k, point),
        }
    }

    /// Returns the lesser of the signed distances of two points from the line of edge `k`. Both are quotients by the
    /// length of the edge, so one division suffices.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn lesser_gap(self, k: usize, points: [DVec2; 2]) -> f64 {
        if cfg!(target_family = "wasm") {
            return self.lesser_of_gaps(k, points);
        }
        let (edge, start) = (self.edge(k), self.vertices[k]);
        let [first, second] = [points[0] - start, points[1] - start];
        if edge.x * edge.y == 0.0 {
            return lesser(across(edge, first), across(edge, second));
        }
        match (cross(edge, first), cross(edge, second)) {
            (Some(first), Some(second)) => gap_of(lesser(first, second), edge),
            _ => self.lesser_of_gaps(k, points),
        }
    }

    #[inline(never)]
    fn lesser_of_gaps(self, k: usize, [first, second]: [DVec2; 2]) -> f64 {
        lesser(self.gap(k, first), self.gap(k, second))
    }

    /// Returns the signed distance of a point from the line of edge `k`. It is positive outside. The differences and the
    /// cross product are computed with about twice the bits of f64, and the length and the quotient in f64. The edge of
    /// a piece with a pose has only the bits of f64.
    #[inline(never)]
    fn whole_gap(self, k: usize, point: DVec2) -> f64 {
        let (edge, way) = (self.whole_edge(k), Twofold::between(self.vertices[k], point));
        gap_of(way.perp_dot(edge), edge.high)
    }

    /// Returns true if the vector of each edge is the difference of its two vertices, because the piece has no pose.
    pub(super) fn is_plain(self) -> bool {
        self.edges.is_none()
    }
}

/// Returns the signed distance of a point from the line of an axis-parallel edge. `way` is the vector from the start of
/// the edge to the point. The code avoids the cross product and the division by the length, because they would add
/// rounding errors.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn across(edge: DVec2, way: DVec2) -> f64 {
    let [across, along] = if edge.x == 0.0 { [way.x, edge.y] } else { [-way.y, edge.x] };
    across * 1f64.copysign(along)
}

/// Returns the quotient of a cross product and the length of the edge. The square root comes last: for integers, the square of a
/// gap is then a rounded quotient of integers, so equal gaps of different edges have the same bits.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn gap_of(cross: f64, edge: DVec2) -> f64 {
    (cross * cross / (edge.x * edge.x + edge.y * edge.y)).sqrt().copysign(cross)
}

/// Returns the cross product of `way` and an edge. Returns `None` if more than a few bits cancel, because the result
/// then needs the bits that rounding removed.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn cross(edge: DVec2, way: DVec2) -> Option<f64> {
    let (by_x, by_y) = (way.x * edge.y, way.y * edge.x);
    let cross = by_x - by_y;
    (cross.abs() * CANCELS >= by_x.abs()).then_some(cross)
}

/// The difference of two f64 products is precise enough if its magnitude is at least the magnitude of the first product
/// divided by this number. Otherwise, too many bits have cancelled.
const CANCELS: f64 = 16.0;

/// Returns the length of a vector of accepted size. Its square neither underflows nor overflows.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn length(v: DVec2) -> f64 {
    (v.x * v.x + v.y * v.y).sqrt()
}
