//! The containment filter: decides whether one of two polygons covers the other. It uses the projections of [`super`],
//! but takes the greatest projection instead of the least.
//!
//! For an edge (p, q) of A with the outward normal N, let `T = max N.(b - p)` over the vertices b of B. If T <= 0 for every
//! edge, A covers B, and otherwise it does not. If T < 0 for every edge, A contains B in its interior. The code computes
//!
//! ```text
//! t = max n.v + n.(o - p)   over the packed vertices v of B
//! ```
//!
//! [`super`] computes the minimum of the same terms, and bounds the error of each term. If the error of each term is at
//! most e, the error of their minimum and the error of their maximum are at most e. [`super::Bound`] therefore also bounds
//! the error of t.

use super::large::{block_count, points};
use super::points::Points;
use super::{Bound, Scene, TASK, offset, prefetch_large, prefetch_small, steps};
use crate::answers::containment::Containment;
use crate::base::parallel::prelude::*;
use crate::packed::layout::UNCERTAIN;
use crate::packed::records::{Head, Records};
use crate::simd::{Instructions, Lanes, Vectorised, negated, vectorised};

/// Writes the filter's code of every pair to `codes`, in the order of `pairs`: [`Containment::Neither`],
/// [`Containment::Covers`], [`Containment::CoveredBy`] or [`UNCERTAIN`]. Equal polygons are always uncertain.
pub(crate) fn containment_codes(scene: Scene<'_>, pairs: &[[u32; 2]], codes: &mut Vec<u8>) {
    codes.resize(pairs.len(), 0);
    pairs
        .par_chunks(TASK)
        .zip(codes.par_chunks_mut(TASK))
        .for_each(|(pairs, codes)| vectorised(Decide { scene, pairs, codes }));
}

struct Decide<'a> {
    scene: Scene<'a>,
    pairs: &'a [[u32; 2]],
    codes: &'a mut [u8],
}

impl Vectorised for Decide<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        decide::<I>(i, self.scene, self.pairs, self.codes);
    }
}

#[inline(always)]
pub(super) fn decide<I: Instructions>(i: I, scene: Scene<'_>, pairs: &[[u32; 2]], codes: &mut [u8]) {
    match (scene.a, scene.b) {
        (Records::Small { records: a, .. }, Records::Small { records: b, .. }) => {
            for (k, (&[first, second], code)) in pairs.iter().zip(codes).enumerate() {
                prefetch_small(a, b, pairs, k);
                let (a, b) = (&a[first as usize], &b[second as usize]);
                *code = of_pair::<I>(i, (&a.head, &a.x, &a.y), (&b.head, &b.x, &b.y));
            }
        }
        (Records::Large(a), Records::Large(b)) => {
            for (k, (&[first, second], code)) in pairs.iter().zip(codes).enumerate() {
                prefetch_large(a, b, pairs, k);
                let (a, b) = (a.get(first), b.get(second));
                *code = of_pair::<I>(i, (a.head, a.x, a.y), (b.head, b.x, b.y));
            }
        }
        _ => unreachable!("both sides of a join are packed alike"),
    }
}

/// A polygon's head, the x coordinates of its vertices, and the y coordinates. After the last vertex, the first vertex
/// follows.
type Row<'a> = (&'a Head, &'a [f32], &'a [f32]);

#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn of_pair<I: Instructions>(i: I, a: Row<'_>, b: Row<'_>) -> u8 {
    let o = offset(a.0, b.0);
    let of_a = side::<I>(i, a, b, o);
    if of_a == Side::Within {
        return Containment::Covers as u8;
    }
    match (of_a, side::<I>(i, b, a, negated(o))) {
        (_, Side::Within) => Containment::CoveredBy as u8,
        (Side::Beyond, Side::Beyond) => Containment::Neither as u8,
        _ => UNCERTAIN as u8,
    }
}

/// The facts that the filter proves about the position of B relative to the edges of A.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// B is certainly inside every edge of A.
    Within,
    /// A part of B is certainly outside an edge of A.
    Beyond,
    /// The filter cannot decide where B lies relative to the edges of A.
    Open,
}

#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn side<I: Instructions>(i: I, a: Row<'_>, b: Row<'_>, o: [f32; 2]) -> Side {
    let (head, x, y) = a;
    let bound = Bound::new(head, b.0, o);
    let o = Points { x: i.splat(o[0]), y: i.splat(o[1]) };
    let count = steps::vertex_count(b.0.vertex_count as usize);
    let (bx, by) = (&b.1[..count], &b.2[..count]);
    let mut side = Side::Within;
    for block in 0..block_count(x) {
        let p = points(i, x, y, block, 0);
        let normal = p.normal(points(i, x, y, block, 1));
        let mut greatest = i.splat(f32::NEG_INFINITY);
        for (&bx, &by) in bx.iter().zip(by) {
            greatest = greatest.max(Points { x: i.splat(bx), y: i.splat(by) }.dot(normal));
        }
        let t = steps::separation(i, greatest.add(o.minus(p).dot(normal)));
        let bound = bound.of(i, normal);
        if t.any_above(bound) {
            return Side::Beyond;
        }
        if t.add(bound).any_at_least(i.splat(0.0)) {
            side = Side::Open;
        }
    }
    side
}
