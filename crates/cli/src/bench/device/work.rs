//! Counts the bytes that the relation kernel moves and the operations that it computes, from the structure of the kernel.

use sat2d::Relation;
use sat2d::internal::packed::{Block, CODES_PER_WORD, Packed, Placement, Polygon};

/// The work of a dispatch, at least: a disjoint pair of large polygons counts as if its first turn showed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KernelWork {
    /// Bytes of all loads and stores of all pairs together, from whichever cache.
    pub(crate) moved: u64,
    /// The number of distinct bytes. No cache can avoid these accesses.
    pub(crate) least: u64,
    /// Additions, subtractions, multiplications, minima, maxima and comparisons of f32.
    pub(crate) operations: u64,
}

/// `least_projection`: for each of four edges and four vertices two products and a sum; then three minima an edge.
const PROJECTION: u64 = 4 * (4 * 3 + 3);
/// `min` of two blocks' projections.
const MINIMUM: u64 = 4;
/// `outward_normal`.
const NORMAL: u64 = 4 * 2;
/// `edge_relation`: the vector to the other polygon, 2; the separation, 4; the rounding, 7; the bound, 4; two
/// comparisons.
const EDGES: u64 = 4 * (2 + 4 + 7 + 4 + 2);
/// `side_of`: the sum of the errors, 1; the reach, 4; slope, turn and intercept, 6, 2 and 4.
const SIDE: u64 = 1 + 4 + 6 + 2 + 4;
/// `place`: for either coordinate of each of four vertices two products and two sums.
const PLACE: u64 = 4 * 2 * 4;

/// The work of a pair in addition to its two records: the loaded blocks, and the operations.
struct PairWork {
    blocks: u64,
    operations: u64,
}

/// The work of a pair of polygons with `a` and `b` blocks, in a join whose largest polygon has `most_vertices`
/// vertices.
fn pair_work(a: u64, b: u64, most_vertices: u32, is_disjoint: bool) -> PairWork {
    if most_vertices <= 4 || (most_vertices > 8 && a.max(b) == 1) {
        return PairWork { blocks: 2, operations: 2 * (SIDE + NORMAL + PROJECTION + EDGES) };
    }
    let two_blocks = NORMAL + 2 * PROJECTION + MINIMUM + EDGES;
    if a.max(b) <= 2 {
        return PairWork { blocks: 4, operations: 2 * (SIDE + 2 * two_blocks) };
    }
    // Eight edges a turn, and all blocks of the other for them.
    let turn = |other: u64| 2 * (NORMAL + other * PROJECTION + (other - 1) * MINIMUM + EDGES);
    if is_disjoint {
        return PairWork { blocks: 3 + b, operations: SIDE + turn(b) };
    }
    let (turns_a, turns_b) = (a.div_ceil(2), b.div_ceil(2));
    PairWork {
        // The first block of the edges, then two more a turn.
        blocks: (1 + turns_a * (2 + b)) + (1 + turns_b * (2 + a)),
        operations: 2 * SIDE + turns_a * turn(b) + turns_b * turn(a),
    }
}

/// The work of the relation kernel for `pairs`, whose relations are `truth`.
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
        // Two rectangles: four edges against four vertices, twice.
        assert_eq!(pair_work(1, 1, 4, false).operations, 2 * (17 + 8 + 60 + 76));
        // In a join of larger polygons they have the same form; in one of octagons two blocks each.
        assert_eq!(pair_work(1, 1, 32, true).operations, pair_work(1, 1, 4, false).operations);
        let octagons = pair_work(2, 2, 8, true);
        assert_eq!((octagons.blocks, octagons.operations), (4, 2 * (17 + 2 * (8 + 124 + 76))));
        assert_eq!(pair_work(1, 2, 8, true).operations, octagons.operations);
        // Twelve edges against five: two turns of eight edges over two blocks, one of eight edges over three.
        let large = pair_work(3, 2, 12, false);
        let [over_two, over_three] = [2 * (8 + (2 * 60 + 4) + 76), 2 * (8 + (3 * 60 + 8) + 76)];
        assert_eq!(large.operations, 2 * 17 + 2 * over_two + over_three);
        assert_eq!(large.blocks, 1 + 2 * 4 + 1 + 5);
        assert_eq!(pair_work(3, 2, 12, true).operations, 17 + over_two);
    }
}
