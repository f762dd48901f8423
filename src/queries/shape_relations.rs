//! Derives the relations of rounded shapes from measured gaps.

use crate::answers::results::Relation;
use crate::geometry::Rounded;
use crate::kernels::cpu::exact;
use crate::kernels::measurements::size_of_pair;

/// Two rounded shapes touch if their gap or depth is at most this fraction of the pair's size: 2^-40.
const TOUCHING: f64 = 1.0 / (1u64 << 40) as f64;

/// Decides the relation of a pair of shapes. `separation` is their measured gap, or their negated depth. Two polygons
/// of radius 0 are decided exactly, without `separation`.
pub(super) fn shape_relation(sides: [Rounded<'_>; 2], [i, j]: [u32; 2], separation: f64) -> Relation {
    let pieces = [(sides[0], i as usize), (sides[1], j as usize)];
    let has_interior = pieces.map(|(side, i)| side.radius(i) > 0.0 || is_polygon(side, i));
    if pieces.iter().all(|&(side, i)| side.radius(i) == 0.0 && is_polygon(side, i)) {
        let [a, b] = pieces.map(|(side, i)| side.cores.piece(i));
        return exact::relation(a, b);
    }
    let radii = pieces.map(|(side, i)| side.radius(i));
    let size = size_of_pair(pieces.map(|(side, i)| side.cores.piece_aabb(i)));
    let touching = TOUCHING * (size + radii[0] + radii[1]);
    if separation > touching {
        Relation::Disjoint
    } else if separation >= -touching || has_interior.contains(&false) {
        Relation::Touching
    } else {
        Relation::Overlapping
    }
}

fn is_polygon(side: Rounded<'_>, piece: usize) -> bool {
    side.cores.piece_vertices(piece).len() > 2
}
