//! The variant of [`super::small`] for machines with wide vectors. One register holds the edges of both polygons,
//! interleaved.

use super::{Bound, distance, offset, steps};
use crate::kernels::cpu::interleaved::{along, least_along, relation_of};
use crate::packed::records::{Head, LANES, Small};
use crate::simd::{Singles, Wide, WideInstructions, prefetch_lines};

/// Prefetch distance in pairs: the records of a pair are prefetched this many pairs before they are read.
const AHEAD: usize = 24;
/// The number of cache lines that the record of a polygon takes.
const LINES: usize = 2;

/// The pairs that a task decides, and the slice that receives the codes of these pairs.
pub(super) struct DecideSmall<'a> {
    pub(super) a: &'a [Small],
    pub(super) b: &'a [Small],
    /// The greatest number of vertices of a polygon on either side of the join.
    pub(super) most_vertices: usize,
    pub(super) pairs: &'a [[u32; 2]],
    pub(super) codes: &'a mut [u8],
}

impl Wide for DecideSmall<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideInstructions>(self, i: I) {
        self.decide::<I>(i);
    }
}

impl DecideSmall<'_> {
    #[inline(always)]
    pub(super) fn decide<I: WideInstructions>(self, i: I) {
        // The lanes after a polygon's last vertex repeat its first vertices.
        if self.most_vertices <= 4 { self.each::<I, 4>(i) } else { self.each::<I, LANES>(i) }
    }

    #[inline(always)]
    fn each<I: WideInstructions, const VERTICES: usize>(self, i: I) {
        let (a, b) = (self.a, self.b);
        for (k, (&[first, second], code)) in self.pairs.iter().zip(self.codes).enumerate() {
            if let Some(&[next_a, next_b]) = self.pairs.get(k + AHEAD) {
                prefetch_lines(a, next_a as usize, LINES);
                prefetch_lines(b, next_b as usize, LINES);
            }
            *code = relation::<I, VERTICES>(i, &a[first as usize], &b[second as usize]) as u8;
        }
    }
}

/// Returns the filter's answer for two polygons with at most `VERTICES` vertices each: the code for disjoint,
/// overlapping or uncertain.
#[inline(always)]
fn relation<I: WideInstructions, const VERTICES: usize>(i: I, a: &Small, b: &Small) -> u32 {
    let o = offset(&a.head, &b.head);
    let (x, y) = (i.interleaved(&a.x, &b.x, 0), i.interleaved(&a.y, &b.y, 0));
    let (next_x, next_y) = (i.interleaved(&a.x, &b.x, 1), i.interleaved(&a.y, &b.y, 1));
    let normal = [next_y.sub(y), x.sub(next_x)];
    let least = least_along(i, [x, y], normal, steps::vertex_count(VERTICES));
    let to_other = [i.alternating(o[0], -o[0]).sub(x), i.alternating(o[1], -o[1]).sub(y)];
    let s = steps::separation_of_both(i, least.add(along(to_other, normal)));
    // The greater radius and the greater error give a bound that holds for the edges of both polygons.
    let either = greater(&a.head, &b.head);
    let bound = Bound::new(&either, &either, o).of_interleaved(i, normal);
    relation_of(s.above(bound), s.add(bound).not_below(i.singles(0.0)))
}

/// Returns a head whose radius and error are at least as great as the radius and the error of each of two heads.
#[inline(always)]
fn greater(a: &Head, b: &Head) -> Head {
    Head { radius: distance([a.radius, b.radius]), error: distance([a.error, b.error]), ..*a }
}
