//! Tests that packed polygons are within the stated error of the given polygons, and that packing in parts gives the
//! same records as packing in one pass.

use glam::IVec2;
use num_bigint::BigInt;

use super::*;
use crate::geometry::{Aabb, ConvexPolygon, Piece, posed_image::posed_image};
use crate::packed::grid::exponent_of;

/// Returns `x * 2^400`. The conversion is exact for the magnitudes of these tests.
fn scaled(x: f64) -> BigInt {
    let (mut x, mut shift) = (x, 400u32);
    while x != x.trunc() {
        x *= 2.0;
        shift -= 1;
    }
    BigInt::from(x as i128) << shift
}

/// Asserts that each packed vertex is within the stated error of the polygon's exact image. The comparison uses exact
/// integers.
fn assert_within_error(set: &PolygonSet, extent: Aabb) {
    let grid = Grid::over(extent);
    let packed = Packed::new(Pieces::of(set), None, grid);
    for piece in 0..set.piece_count() {
        let polygon = packed.records.polygons[piece];
        let placement = packed.records.placements.get(piece).copied().unwrap_or(Placement::STILL);
        assert!(polygon.anchor.iter().all(|a| a.unsigned_abs() <= 1 << 30), "{polygon:?}");
        let truth = posed_image(Piece { vertices: set.piece_vertices(piece), pose: set.piece_pose(piece) });
        let [c, s] = placement.rotation.map(f64::from);
        assert_eq!(polygon.vertex_count() as usize, truth.len());
        for (k, truth) in truth.into_iter().enumerate() {
            let block = packed.records.blocks[polygon.first_block as usize + k / 4];
            let [x, y] = [f64::from(block.x[k % 4]), f64::from(block.y[k % 4])];
            // f64 represents the products of f32 numbers exactly, and the sum uses integers.
            let turned: [BigInt; 2] = [scaled(c * x) - scaled(s * y), scaled(s * x) + scaled(c * y)];
            for axis in 0..2 {
                let local: BigInt = &turned[axis] + scaled(placement.offset[axis].into());
                let anchor = grid.position(IVec2::from(polygon.anchor))[axis];
                // The units are 2^-400 quanta and 2^-400 of the caller's unit.
                let quantum_exponent = exponent_of(grid.quantum);
                let placed: BigInt = if quantum_exponent >= 0 {
                    local << quantum_exponent
                } else {
                    local >> -quantum_exponent
                };
                let difference: BigInt = placed + scaled(anchor) - (truth[axis].clone() << (400 - 390));
                let bound = scaled(f64::from(polygon.error()) * grid.quantum);
                assert!(
                    difference.magnitude() <= bound.magnitude(),
                    "piece {piece}, axis {axis}: {polygon:?}, {placement:?}"
                );
            }
            // The bound of the record is for placed vertices with any rotation.
            let [x, y] = [c * x - s * y, s * x + c * y];
            let [x, y] = [x + f64::from(placement.offset[0]), y + f64::from(placement.offset[1])];
            let radius = f64::from(polygon.radius()) * (1.0 + 1e-6);
            assert!(x.abs().max(y.abs()) <= radius, "({x}, {y}) beyond {radius}");
        }
    }
}

fn ring(scale: f64, offset: f64) -> Vec<DVec2> {
    [[0.1, 0.2], [1.3, 0.0], [2.7, 1.1], [1.9, 2.3], [0.3, 1.7]]
        .map(|[x, y]| DVec2::new(x * scale + offset, y * scale - offset * 0.7))
        .to_vec()
}

#[test]
fn packed_vertices_lie_within_the_stated_error_of_the_given_ones() {
    for (scale, offset) in [(1.0, 0.0), (1e-3, 1e6), (1e-6, 0.0), (1e-6, 1048576.0), (1e9, 1e3), (1.0, 1e12)]
    {
        let rings =
            [ring(scale, offset), ring(scale * 0.1, offset * 1.001), ring(scale, offset + scale * 7.0)];
        let polygons = rings.map(|r| ConvexPolygon::new(&r).expect("convex"));
        let set = PolygonSet::from_convex(&polygons).expect("few");
        assert_within_error(&set, set.piece_aabbs().into_iter().fold(Aabb::EMPTY, Aabb::union));
    }
}

#[test]
fn posed_vertices_lie_within_the_stated_error_of_their_exact_image() {
    for (scale, offset, reach) in [(1.0, 0.0, 10.0), (1e-3, 10.0, 1e6), (1e3, 0.0, 1.0), (1.0, 1e6, 1e6)] {
        let shape = ConvexPolygon::new(&ring(scale, offset)).expect("convex");
        let instances: Vec<(usize, Pose)> = (0..50)
            .map(|i| {
                (0, Pose::new(f64::from(i) * 0.37, [reach * f64::from(i % 7), -reach * 0.3]).expect("finite"))
            })
            .collect();
        let set = PolygonSet::from_instances(&[shape.into()], &instances).expect("few");
        assert_within_error(&set, set.piece_aabbs().into_iter().fold(Aabb::EMPTY, Aabb::union));
    }
}

#[test]
fn a_static_polygon_of_f32_vertices_about_its_anchor_has_next_to_no_error() {
    let square = ConvexPolygon::new(&[[0.0, 0.0], [64.0, 0.0], [64.0, 64.0], [0.0, 64.0]]).expect("convex");
    let set = PolygonSet::from_convex(&[square]).expect("few");
    let packed = Packed::new(Pieces::of(&set), None, Grid::over(set.piece_aabbs()[0]));
    let polygon = packed.records.polygons[0];
    assert!(packed.records.placements.is_empty());
    assert!(polygon.error() <= polygon.radius() * 1e-15);
}

fn on_a_parabola(count: usize, x: f64) -> Vec<[f64; 2]> {
    (0..count).map(|i| i as f64 - count as f64 / 2.0).map(|t| [x + t, t * t]).collect()
}

#[test]
fn the_last_block_repeats_the_first_vertex_and_a_polygon_too_large_has_none() {
    let most = MAX_POLYGON_VERTICES as usize;
    let counts = [6, 4, most + 1, 3, most];
    let rings: Vec<_> = counts.iter().map(|&count| on_a_parabola(count, 0.25)).collect();
    let set = PolygonSet::from_convex_rings(&rings).expect("convex");
    let packed = Packed::new(Pieces::of(&set), None, Grid::over(set.piece_aabbs()[4]));
    let Records { polygons, blocks, most_vertices, .. } = packed.records;
    assert_eq!(most_vertices as usize, most + 1);
    let firsts: Vec<u32> = polygons.iter().map(|p| p.first_block).collect();
    assert_eq!(firsts, [0, 2, 3, 3, 4]);
    assert_eq!(polygons[2].vertex_count(), 0);
    assert_eq!(blocks.len(), 4 + most.div_ceil(4));
    for axis in [|block: &Block| block.x, |block: &Block| block.y] {
        assert_eq!(axis(&blocks[1])[2..], [axis(&blocks[0])[0]; 2]);
        assert_eq!(axis(&blocks[3])[3], axis(&blocks[3])[0]);
    }
}

/// Tests packing in parts, in reused memory, for one set or two, static, with poses, or both.
#[test]
fn parts_make_what_one_pass_makes() {
    let set = |count: usize, vertices: usize| {
        let rings: Vec<_> = (0..count).map(|i| on_a_parabola(3 + i % vertices, i as f64)).collect();
        PolygonSet::from_convex_rings(&rings).expect("convex")
    };
    let (small, large) = (set(2500, 5), set(3000, 30));
    let posed = |count: usize| {
        let shapes: Vec<_> = (3..1400)
            .map(|n| ConvexPolygon::new(&on_a_parabola(3 + n % 20, 0.0)).expect("convex").into())
            .collect();
        let pose = |i: usize| Pose::new(i as f64 * 0.1, [i as f64, -3.0]).expect("finite");
        let instances: Vec<_> = (0..count).map(|i| (i % shapes.len(), pose(i))).collect();
        PolygonSet::from_instances(&shapes, &instances).expect("few")
    };
    let (posed, empty) = (posed(2100), set(0, 3));
    let all = [&small, &large, &posed, &empty].map(Pieces::of);
    let mut used = Records::default();
    for a in all {
        for b in [None, Some(all[0]), Some(all[1]), Some(all[2]), Some(all[3])] {
            let extent = Aabb { min: DVec2::splat(-4000.0), max: DVec2::splat(4000.0) };
            let grid = Grid::over(extent);
            let whole = Packed::new(a, b, grid);
            let mut packing = Packing::new(a, b, grid, std::mem::take(&mut used));
            let bytes = packing.bytes();
            let mut end = PackedPart { polygons: 0..0, blocks: 0..0 };
            let mut parts = 0;
            while let Some(part) = packing.next_part(3000) {
                assert_eq!((part.polygons.start, part.blocks.start), (end.polygons.end, end.blocks.end));
                (end, parts) = (part, parts + 1);
            }
            let packed = packing.finish();
            assert!(parts <= 1 || packed.records.polygons.len() > 1000, "{parts}");
            assert_eq!(packed.b_offset as usize, b.map_or(0, |_| a.count()));
            let [found, expected] = [&packed.records, &whole.records];
            assert_eq!(found.polygons.len(), a.count() + b.map_or(0, Pieces::count));
            assert_eq!((end.polygons.end, end.blocks.end), (found.polygons.len(), found.blocks.len()));
            let of = [
                size_of_val(&found.polygons[..]),
                size_of_val(&found.placements[..]),
                size_of_val(&found.blocks[..]),
            ];
            assert_eq!(bytes, of.map(|bytes| bytes as u64));
            assert!(found.polygons == expected.polygons && found.blocks == expected.blocks);
            assert!(found.placements == expected.placements);
            assert_eq!(found.most_vertices, expected.most_vertices);
            used = packed.records;
        }
    }
}
