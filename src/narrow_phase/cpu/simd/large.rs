//! Two polygons of any number of vertices.
//!
//! First what looks at each vertex once: the direction from one to the other, which separates most that are apart, and
//! a point between the two, which lies inside of both where they overlap well. What neither decides goes through all
//! edges.

use super::lanes::Lanes;
use super::{Bound, Steps, offset};
use crate::layout::{DISJOINT, OVERLAPPING, UNCERTAIN};
use crate::narrow_phase::cpu::filter::FLUSH;
use crate::narrow_phase::cpu::records::View;

#[inline(always)]
pub(super) fn relation<S: Steps, const FUSED: bool>(a: View<'_>, b: View<'_>) -> u32 {
    let o = offset(a.head, b.head);
    let o_b = o.map(|x| -x);
    let bound_a = Bound::new::<S>(a.head, b.head, o);
    let bound_b = Bound::new::<S>(b.head, a.head, o_b);
    let a_end = greatest::<FUSED>(a, o);
    let b_start = -greatest::<FUSED>(b, o_b) + (o[0] * o[0] + o[1] * o[1]);
    if b_start - a_end > bound_a.slope * (o[0].abs() + o[1].abs()) + FLUSH {
        return DISJOINT;
    }
    // Half way through what both cover along the direction.
    let along = 0.5 * (a_end + b_start) / (o[0] * o[0] + o[1] * o[1] + f32::MIN_POSITIVE);
    let along = along.clamp(0.0, 1.0);
    let w = o.map(|x| x * along);
    if contains::<S, FUSED>(a, w, bound_a)
        && contains::<S, FUSED>(b, [w[0] - o[0], w[1] - o[1]], bound_b.moved(o))
    {
        return OVERLAPPING;
    }
    let by_a = side::<S, FUSED>(a, b, o, bound_a);
    if by_a == DISJOINT {
        return DISJOINT;
    }
    let by_b = side::<S, FUSED>(b, a, o_b, bound_b);
    if by_b == DISJOINT { DISJOINT } else { by_a.max(by_b) }
}

/// The greatest projection of the vertices on a direction.
#[inline(always)]
fn greatest<const FUSED: bool>(a: View<'_>, direction: [f32; 2]) -> f32 {
    let [x, y] = direction.map(Lanes::splat);
    let mut greatest = Lanes::splat(f32::NEG_INFINITY);
    for (px, py) in blocks(a.x, 0).zip(blocks(a.y, 0)) {
        greatest = greatest.max(px.mul_add::<FUSED>(x, py.mul(y)));
    }
    greatest.greatest()
}

/// Eight edges: where they begin, and their outward normals.
struct Edges {
    px: Lanes,
    py: Lanes,
    nx: Lanes,
    ny: Lanes,
}

/// The numbers of a row from `start` on, eight at a time.
#[inline(always)]
fn blocks(row: &[f32], start: usize) -> impl Iterator<Item = Lanes> {
    row[start..].as_chunks().0.iter().map(|&block| Lanes(block))
}

#[inline(always)]
fn edges<'a>(x: &'a [f32], y: &'a [f32]) -> impl Iterator<Item = Edges> + 'a {
    let ends = blocks(x, 0).zip(blocks(y, 0)).zip(blocks(x, 1).zip(blocks(y, 1)));
    ends.map(|((px, py), (qx, qy))| Edges { px, py, nx: qy.sub(py), ny: px.sub(qx) })
}

/// Whether a point, relative to the anchor of `a`, lies inside of it beyond doubt.
#[inline(always)]
fn contains<S: Steps, const FUSED: bool>(a: View<'_>, w: [f32; 2], bound: Bound) -> bool {
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
