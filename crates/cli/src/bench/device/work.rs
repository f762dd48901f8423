//! Counts the bytes that the relation kernel moves and the operations that it computes, from the structure of the kernel.

use sat2d::Relation;
use sat2d::internal::packed::{Block, CODES_PER_WORD, Packed, Placement, Polygon};

/// A lower bound of the work of a dispatch. For a disjoint pair of large polygons, it counts only one iteration, as if
/// this iteration found the separating axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KernelWork {
    /// The bytes of all loads and stores of all pairs together, including accesses that a cache serves.
    pub(crate) moved: u64,
    /// The number of distinct bytes that the kernel accesses. No cache can avoid these accesses.
    pub(crate) least: u64,
    /// The additions, subtractions, multiplications, minima, maxima and comparisons of f32.
    pub(crate) operations: u64,
}

/// The number of f32 operations of the shader function `least_projection`. Each of four edges has two products and a sum for each
/// of four vertices, and three minima.
const PROJECTION: u64 = 4 * (4 * 3 + 3);
/// The number of f32 operations of a `min` of two vectors of four projections.
const MINIMUM: u64 = 4;
/// The number of f32 operations of the shader function `outward_normal`.
const NORMAL: u64 = 4 * 2;
/// The number of f32 operations of the shader function `edge_relation` for four edges: the vector to the other polygon (2), the
/// separation (4), the rounding (7), the bound (4) and two comparisons.
const EDGES: u64 = 4 * (2 + 4 + 7 + 4 + 2);
/// The number of f32 operations of the shader function `side_of`: the sum of the errors (1), the reach (4), the slope (6), the
/// turn (2) and the intercept (4).
const SIDE: u64 = 1 + 4 + 6 + 2 + 4;
/// The number of f32 operations of the shader function `place`: two products and two sums for each coordinate of four vertices.
const PLACE: u64 = 4 * 2 * 4;

/// The work of the relation kernel for one pair: the number of loaded blocks of vertices, and the number of f32 operations. The
/// loads of the records of the two polygons are not included.
struct PairWork {
    blocks: u64,
    operations: u64,
}

/// Returns the work of a pair of polygons with `a` and `b` blocks of vertices, in a join whose largest polygon has
/// `most_vertices` vertices.
fn pair_work(a: u64, b: u64, most_vertices: u32, is_disjoint: bool) -> PairWork {
    if most_vertices <= 4 || (most_vertices > 8 && a.max(b) == 1) {
        return PairWork { blocks: 2, operations: 2 * (SIDE + NORMAL + PROJECTION + EDGES) };
    }
    let two_blocks = NORMAL + 2 * PROJECTION + MINIMUM + EDGES;
    if a.max(b) <= 2 {
        return PairWork { blocks: 4, operations: 2 * (SIDE + 2 * two_blocks) };
    }
    // One iteration tests eight edges of one polygon against all blocks of the other polygon.
    let turn = |other: u64| 2 * (NORMAL + other * PROJECTION + (other - 1) * MINIMUM + EDGES);
    if is_disjoint {
        return PairWork { blocks: 3 + b, operations: SIDE + turn(b) };
    }
    let (turns_a, turns_b) = (a.div_ceil(2), b.div_ceil(2));
    PairWork {
        // The first block of the edges is loaded once, and two more blocks are loaded in each iteration.
        blocks: (1 + turns_a * (2 + b)) + (1 + turns_b * (2 + a)),
        operations: 2 * SIDE + turns_a * turn(b) + turns_b * turn(a),
    }
}

/// Returns the work of the relation kernel for `pairs`, whose exact relations are `truth`.
pub(crate) fn kernel_work(packed: &Packed, pairs: &[[u32; 2]], truth: &[Relation]) -> KernelWork {
    let records = &packed.records;
    let (placement, place) = if records.is_posed() { (size_of::<Placement>() as u64, PLACE) } else { (0, 0) };
    let head = size_of::<Polygon>() as u64 + placement;
    let block = size_of::<Block>() as u64;
    let blocks_of = |i: u32| u64::from(records.polygons[i as usize].block_count());
    let streamed = pairs.len() as u64 * size_of::<[u32; 2]>() as u64
        + pairs.len().div_ceil(CODES_PER_WORD as usize) as u64 * size_of::<u32>() as u64;
    let (mut loads, mut operations) = (0, 0);
    for (&[a, b], &truth) in pairs.iter().zip(truth) {
        let (a, b) = (blocks_of(a), blocks_of(b + packed.b_offset));
        let pair = pair_work(a, b, records.most_vertices, truth == Relation::Disjoint);
        loads += 2 * head + pair.blocks * block;
        operations += pair.operations + pair.blocks * place;
    }
    let once = records.polygons.len() as u64 * head + records.blocks.len() as u64 * block;
    KernelWork { moved: streamed + loads, least: streamed + once, operations }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_counted_as_its_form_computes_it() {
        // For two rectangles, the kernel tests four edges against four vertices, once for each rectangle.
        assert_eq!(pair_work(1, 1, 4, false).operations, 2 * (17 + 8 + 60 + 76));
        // In a join of larger polygons, the rectangles have the same form. In a join of octagons, they have two blocks each.
        assert_eq!(pair_work(1, 1, 32, true).operations, pair_work(1, 1, 4, false).operations);
        let octagons = pair_work(2, 2, 8, true);
        assert_eq!((octagons.blocks, octagons.operations), (4, 2 * (17 + 2 * (8 + 124 + 76))));
        assert_eq!(pair_work(1, 2, 8, true).operations, octagons.operations);
        // Twelve edges against five edges: two iterations over two blocks, and then one iteration over three blocks.
        let large = pair_work(3, 2, 12, false);
        let [over_two, over_three] = [2 * (8 + (2 * 60 + 4) + 76), 2 * (8 + (3 * 60 + 8) + 76)];
        assert_eq!(large.operations, 2 * 17 + 2 * over_two + over_three);
        assert_eq!(large.blocks, 1 + 2 * 4 + 1 + 5);
        assert_eq!(pair_work(3, 2, 12, true).operations, 17 + over_two);
    }
}
