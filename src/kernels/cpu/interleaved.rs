//! Decides the relation of two polygons whose edges are interleaved in one register, with eight edges of each polygon.
//! Projects the vertices of each polygon on the edge normals of the other polygon, and derives the relation.

use crate::packed::layout::{DISJOINT, OVERLAPPING, UNCERTAIN};
use crate::simd::{Interleaved, Singles, WideInstructions};

/// Returns, in each lane, the projection of the lane's point on the lane's direction.
#[inline(always)]
pub(super) fn along<V: Singles>([x, y]: [V; 2], normal: [V; 2]) -> V {
    y.mul_add(normal[1], x.mul(normal[0]))
}

/// Returns, for each edge normal of each polygon, the least projection of the first `vertex_count` vertices of the
/// other polygon. `vertex_count` must be at least 2.
#[inline(always)]
pub(super) fn least_along<V: Singles, I: WideInstructions<Singles = V>>(
    i: I,
    [x, y]: [V; 2],
    normal: [V; 2],
    vertex_count: usize,
) -> V {
    let others = [x.exchanged(), y.exchanged()];
    // Two independent chains of operations, which the processor can run at the same time.
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

/// Converts two masks of edges to the code for disjoint, overlapping or uncertain. `separates` has a bit for each edge
/// that separates the polygons, and `may_separate` has a bit for each edge that might separate them. The function has
/// no branch, because a branch would be hard to predict.
#[inline(always)]
pub(super) fn relation_of(separates: u32, may_separate: u32) -> u32 {
    let meeting = if may_separate != 0 { UNCERTAIN } else { OVERLAPPING };
    if separates != 0 { DISJOINT } else { meeting }
}
