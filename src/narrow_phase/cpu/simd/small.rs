//! Two polygons whose edges fit a register each: all edges of both, without a branch.

use super::lanes::Lanes;
use super::{Bound, Steps, offset};
use crate::layout::{DISJOINT, OVERLAPPING, UNCERTAIN};
use crate::narrow_phase::cpu::records::Small;

/// The relation of two polygons of at most `VERTICES` vertices each.
#[inline(always)]
pub(super) fn relation<S: Steps, const FUSED: bool, const VERTICES: usize>(a: &Small, b: &Small) -> u32 {
    let o = offset(&a.head, &b.head);
    let by_a = side::<S, FUSED, VERTICES>(a, b, o);
    let by_b = side::<S, FUSED, VERTICES>(b, a, o.map(|x| -x));
    if by_a.separated | by_b.separated {
        DISJOINT
    } else if by_a.certain & by_b.certain {
        OVERLAPPING
    } else {
        UNCERTAIN
    }
}

/// What the edges of one polygon say.
struct Side {
    /// One of them separates.
    separated: bool,
    /// None can.
    certain: bool,
}

#[inline(always)]
fn side<S: Steps, const FUSED: bool, const VERTICES: usize>(a: &Small, b: &Small, o: [f32; 2]) -> Side {
    let (px, py) = (Lanes::load::<0>(&a.x), Lanes::load::<0>(&a.y));
    let (qx, qy) = (Lanes::load::<1>(&a.x), Lanes::load::<1>(&a.y));
    let (nx, ny) = (qy.sub(py), px.sub(qx));
    let project = |x: Lanes, y: Lanes| x.mul_add::<FUSED>(nx, y.mul(ny));
    let mut least = project(Lanes::splat(b.x[0]), Lanes::splat(b.y[0]));
    for j in 1..S::vertex_count(VERTICES) {
        least = least.min(project(Lanes::splat(b.x[j]), Lanes::splat(b.y[j])));
    }
    let to_b = project(Lanes::splat(o[0]).sub(px), Lanes::splat(o[1]).sub(py));
    let s = S::separation(least.add(to_b));
    let bound = Bound::new::<S>(&a.head, &b.head, o).of::<FUSED>(nx, ny);
    Side { separated: s.any_above(bound), certain: !s.add(bound).any_at_least_zero() }
}
