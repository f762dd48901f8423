//! Eight edges of each of two polygons, interleaved in one register: where the vertices of the other lie, and the verdict.

use crate::packed::layout::{DISJOINT, OVERLAPPING, UNCERTAIN};
use crate::simd::{Interleaved, Singles, WideInstructions};

/// How far points lie along directions.
#[inline(always)]
pub(super) fn along<V: Singles>([x, y]: [V; 2], normal: [V; 2]) -> V {
    y.mul_add(normal[1], x.mul(normal[0]))
}

/// The least that the first vertices of the other polygon, at least two, lie along the normals of each.
#[inline(always)]
pub(super) fn least_along<V: Singles, I: WideInstructions<Singles = V>>(
    i: I,
    [x, y]: [V; 2],
    normal: [V; 2],
    vertex_count: usize,
) -> V {
    let others = [x.exchanged(), y.exchanged()];
    // Two chains of which neither waits for the other.
    let mut even = along_vertex(i, &others, 0, normal);
    let mut odd = along_vertex(i, &others, 1, normal);
    for j in 2..vertex_count {
        let along = along_vertex(i, &others, j, normal);
        if j.is_multiple_of(2) {
            even = even.min(along);
        } else {
            odd = odd.min(along);
        }
    }
    even.min(odd)
}

#[inline(always)]
fn along_vertex<V: Singles, I: WideInstructions<Singles = V>>(
    i: I,
    [x, y]: &[Interleaved; 2],
    j: usize,
    normal: [V; 2],
) -> V {
    along([i.pair(x, j), i.pair(y, j)], normal)
}

/// The relation, where `separates` says which edges separate, and `may_separate` of which it is not known that they do not.
/// Both are looked at, as which branch would be taken is hard to foretell.
#[inline(always)]
pub(super) fn relation_of(separates: u32, may_separate: u32) -> u32 {
    let meeting = if may_separate != 0 { UNCERTAIN } else { OVERLAPPING };
    if separates != 0 { DISJOINT } else { meeting }
}
