//! Two polygons of any number of vertices.
//!
//! First what looks at each vertex once. A direction may separate the two, whichever it is; a point that lies inside of
//! both shows that they overlap. The first direction is the one between their anchors, and the point is half way
//! through what both cover along it. Where it lies outside of one, beyond an edge, that edge's normal is the next
//! direction, and the point moves to this side of the edge. What is open after a few rounds goes through all edges.

use super::lanes::Lanes;
use super::{Bound, ROUNDING, Steps, distance, offset};
use crate::layout::{DISJOINT, OVERLAPPING, UNCERTAIN};
use crate::narrow_phase::cpu::records::{Head, LANES, View};

/// Points that are tried.
const ROUNDS: usize = 3;

#[inline(always)]
pub(super) fn relation<S: Steps, const FUSED: bool>(a: View<'_>, b: View<'_>) -> u32 {
    let o = offset(a.head, b.head);
    let back = o.map(|x| -x);
    let bound_a = Bound::new::<S>(a.head, b.head, o);
    let end = greatest::<FUSED>(a, o);
    let start = dot(o, o) - greatest::<FUSED>(b, back);
    if start - end > bound_a.of_direction(o) {
        return DISJOINT;
    }
    let along = part(0.5 * (end + start), dot(o, o));
    let mut w = o.map(|x| x * along);
    for round in 0..ROUNDS {
        let from_b = [w[0] - o[0], w[1] - o[1]];
        let moved = ROUNDING * (distance(from_b) + distance(o));
        let in_a = contains::<S, FUSED>(a, w, 0.0);
        if in_a && contains::<S, FUSED>(b, from_b, moved) {
            return OVERLAPPING;
        }
        if round + 1 == ROUNDS {
            break;
        }
        let [p, q] = if in_a { [b, a] } else { [a, b] };
        let [to_q, from_p] = if in_a { [back, from_b] } else { [o, w] };
        let next = cut::<S, FUSED>(p, q, to_q, from_p);
        match next {
            Some([x, y]) if in_a => w = [x + o[0], y + o[1]],
            Some(next) => w = next,
            None => return DISJOINT,
        }
    }
    let by_a = side::<S, FUSED>(a, b, o, bound_a);
    if by_a == DISJOINT {
        return DISJOINT;
    }
    let by_b = side::<S, FUSED>(b, a, back, Bound::new::<S>(b.head, a.head, back));
    if by_b == DISJOINT { DISJOINT } else { by_a.max(by_b) }
}

#[inline(always)]
fn dot(a: [f32; 2], b: [f32; 2]) -> f32 {
    a[0] * b[0] + a[1] * b[1]
}

/// What part of `whole` is `x`, from 0 to 1; 0 where there is no telling.
#[inline(always)]
fn part(x: f32, whole: f32) -> f32 {
    let part = x / whole;
    if part > 1.0 {
        1.0
    } else if part > 0.0 {
        part
    } else {
        0.0
    }
}

/// For a point w that lies beyond an edge of `p`: none if that edge's normal separates, else a point half way through
/// what both cover along it, between w and the vertex of `q` that is the farthest behind the edge.
#[inline(always)]
fn cut<S: Steps, const FUSED: bool>(p: View<'_>, q: View<'_>, o: [f32; 2], w: [f32; 2]) -> Option<[f32; 2]> {
    let n = farthest_edge::<FUSED>(p, w);
    let end = greatest::<FUSED>(p, n);
    let (least, vertex) = least_vertex::<FUSED>(q, n);
    let start = least + dot(n, o);
    if start - end > Bound::new::<S>(p.head, q.head, o).of_direction(n) {
        return None;
    }
    let behind = [vertex[0] + o[0], vertex[1] + o[1]];
    let part = part(0.5 * (end - start), dot(n, w) - start);
    Some([behind[0] + part * (w[0] - behind[0]), behind[1] + part * (w[1] - behind[1])])
}

/// The greatest projection of the vertices on a direction.
#[inline(always)]
fn greatest<const FUSED: bool>(a: View<'_>, direction: [f32; 2]) -> f32 {
    let [x, y] = direction.map(Lanes::splat);
    let mut greatest = Lanes::splat(f32::NEG_INFINITY);
    for (px, py) in blocks::<0>(a.x).zip(blocks::<0>(a.y)) {
        greatest = greatest.max(px.mul_add::<FUSED>(x, py.mul(y)));
    }
    greatest.greatest()
}

/// The least projection of the vertices on a direction, and the vertex that has it.
#[inline(always)]
fn least_vertex<const FUSED: bool>(a: View<'_>, direction: [f32; 2]) -> (f32, [f32; 2]) {
    let [x, y] = direction.map(Lanes::splat);
    let mut least = Lanes::splat(f32::INFINITY);
    let [mut at_x, mut at_y] = [Lanes::splat(0.0); 2];
    for (px, py) in blocks::<0>(a.x).zip(blocks::<0>(a.y)) {
        let s = px.mul_add::<FUSED>(x, py.mul(y));
        (at_x, at_y) = (px.where_less(s, least, at_x), py.where_less(s, least, at_y));
        least = least.min(s);
    }
    let lane = least.least_lane();
    (least.0[lane], [at_x.0[lane], at_y.0[lane]])
}

/// The normal of an edge that a point lies beyond, or is the nearest to be: the one of the greatest product of the
/// distance and the edge's length.
#[inline(always)]
fn farthest_edge<const FUSED: bool>(a: View<'_>, w: [f32; 2]) -> [f32; 2] {
    let [wx, wy] = w.map(Lanes::splat);
    let mut least = Lanes::splat(f32::INFINITY);
    let [mut x, mut y] = [Lanes::splat(0.0); 2];
    for Edges { px, py, nx, ny } in edges(a.x, a.y) {
        let s = px.sub(wx).mul_add::<FUSED>(nx, py.sub(wy).mul(ny));
        (x, y) = (nx.where_less(s, least, x), ny.where_less(s, least, y));
        least = least.min(s);
    }
    let lane = least.least_lane();
    [x.0[lane], y.0[lane]]
}

/// Eight edges: where they begin, and their outward normals.
struct Edges {
    px: Lanes,
    py: Lanes,
    nx: Lanes,
    ny: Lanes,
}

/// The numbers of a row but for the last `1 - START`, or but for the first `START`, eight at a time. Where they do not
/// fill the last block, it begins earlier.
#[inline(always)]
fn blocks<const START: usize>(row: &[f32]) -> impl Iterator<Item = Lanes> {
    let count = row.len() - 1;
    let last = count - LANES;
    let at = move |block: usize| (block * LANES).min(last) + START;
    (0..count.div_ceil(LANES)).map(move |block| Lanes::at(row, at(block)))
}

#[inline(always)]
fn edges<'a>(x: &'a [f32], y: &'a [f32]) -> impl Iterator<Item = Edges> + 'a {
    let ends = blocks::<0>(x).zip(blocks::<0>(y)).zip(blocks::<1>(x).zip(blocks::<1>(y)));
    ends.map(|((px, py), (qx, qy))| Edges { px, py, nx: qy.sub(py), ny: px.sub(qx) })
}

/// Whether a point, relative to the anchor of `a` and off by at most `moved` in each coordinate, lies inside of it
/// beyond doubt.
#[inline(always)]
fn contains<S: Steps, const FUSED: bool>(a: View<'_>, w: [f32; 2], moved: f32) -> bool {
    let point = Head { error: moved, ..Head::default() };
    let bound = Bound::new::<S>(a.head, &point, w);
    let [wx, wy] = w.map(Lanes::splat);
    let mut worst = Lanes::splat(f32::NEG_INFINITY);
    for Edges { px, py, nx, ny } in edges(a.x, a.y) {
        let s = wx.sub(px).mul_add::<FUSED>(nx, wy.sub(py).mul(ny));
        worst = worst.max(S::separation(s).add(bound.of::<FUSED>(nx, ny)));
    }
    !worst.any_at_least_zero()
}

/// What the edges of `a` say: disjoint if one of them separates, overlapping if none can, else uncertain.
#[inline(always)]
fn side<S: Steps, const FUSED: bool>(a: View<'_>, b: View<'_>, o: [f32; 2], bound: Bound) -> u32 {
    let mut verdict = OVERLAPPING;
    let count = S::vertex_count(b.head.vertex_count as usize);
    let (bx, by) = (&b.x[..count], &b.y[..count]);
    for Edges { px, py, nx, ny } in edges(S::row(a.x), S::row(a.y)) {
        let project = |x: Lanes, y: Lanes| x.mul_add::<FUSED>(nx, y.mul(ny));
        let mut least = Lanes::splat(f32::INFINITY);
        for (&x, &y) in bx.iter().zip(by) {
            least = least.min(project(Lanes::splat(x), Lanes::splat(y)));
        }
        let to_b = project(Lanes::splat(o[0]).sub(px), Lanes::splat(o[1]).sub(py));
        let s = S::separation(least.add(to_b));
        let bound = bound.of::<FUSED>(nx, ny);
        if s.any_above(bound) {
            return DISJOINT;
        }
        if s.add(bound).any_at_least_zero() {
            verdict = UNCERTAIN;
        }
    }
    verdict
}
