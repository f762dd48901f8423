//! Tests with points that are on very many edges of both polygons.

use glam::DVec2;

use super::relation;
use crate::answers::containment::Containment;
use crate::answers::results::Relation;
use crate::geometry::Fill;
use crate::geometry::outline::{Block, LeafPairs, steps};
use crate::kernels::edges::{Region, containment};

/// Returns `count` bow ties that cross at (1/3, 1/3), a point that f64 numbers cannot represent. Bow tie k lies between
/// the directions `4 k + first` and `4 k + first + 1`.
fn ties(count: u32, first: u32) -> Block {
    let along = |direction: u32| 3.0 * f64::from(direction) + 1.0;
    let width = f64::from(4 * count) * 3.0 + 1.0;
    let line = |direction: u32| {
        let way = DVec2::new(width, along(direction));
        let centre = DVec2::splat(1.0);
        [(centre + 2.0 * way) / 3.0, (centre - way) / 3.0]
    };
    let tie = |k: u32| {
        let ([p, q], [r, s]) = (line(4 * k + first), line(4 * k + first + 1));
        vec![p, q, s, r]
    };
    let rings: Vec<Vec<DVec2>> = (0..count).map(tie).collect();
    let mut block = Block::default();
    block.take_polygon(0, &rings, Some(Fill::EvenOdd), &mut LeafPairs::default()).expect("a region");
    block
}

/// Returns the number of steps in which the relation and the containment of two polygons are decided. The polygons must
/// touch.
fn steps_of_touching(blocks: [&Block; 2]) -> u64 {
    let [a, b] = blocks.map(|block| block.outline(0));
    steps::during(|| {
        let mut leaf_pairs = LeafPairs::default();
        assert_eq!(relation(a, b, &mut leaf_pairs), Relation::Touching);
        let [near_a, near_b] = [[a], [b]];
        let [a, b] =
            [&near_a, &near_b].map(|near| Region { near, has_others: false, bounds: near[0].aabb() });
        assert_eq!(containment(a, b, &mut leaf_pairs), Containment::Neither);
    })
}

#[test]
fn a_crossing_of_many_edges_is_decided_once() {
    let steps_of = |count: u32| steps_of_touching([&ties(count, 0), &ties(count, 2)]);
    let (few, many) = (steps_of(16), steps_of(64));
    // The second case has 16 times as many pairs of edges. Comparing all sectors for each pair would take 64 times as
    // many steps.
    assert!(many < 24 * few, "{few} steps, and {many} for 4 times the edges");
}

#[test]
fn the_work_on_edges_of_two_polygons_through_one_point_grows_with_their_number() {
    let tie = |count: u32, k: u32| {
        let at = |part: u32| {
            let angle = f64::from(2 * k + part) / f64::from(2 * count) * std::f64::consts::PI;
            (1e6 * DVec2::from_angle(angle)).round()
        };
        let [p, q] = [at(0), at(1)];
        vec![p, -p, -q, q]
    };
    let star = |count: u32, first: u32| {
        let rings: Vec<Vec<DVec2>> = (first..count).step_by(2).map(|k| tie(count, k)).collect();
        let mut block = Block::default();
        let fill = Some(Fill::EvenOdd);
        block.take_polygon(0, &rings, fill, &mut LeafPairs::default()).expect("a region");
        block
    };
    let steps_of = |count: u32| steps_of_touching([&star(count, 0), &star(count, 1)]);
    let (few, many) = (steps_of(1 << 9), steps_of(1 << 12));
    assert!(many < 12 * few, "{few} steps, and {many} for 8 times the edges");
}

#[test]
fn the_work_on_corners_of_two_polygons_at_one_point_grows_with_their_number() {
    // Triangles that have one vertex in common, in every second direction.
    let star = |count: u32, first: f64| {
        let triangle = |k: u32| {
            let at = |part: f64| {
                let angle = (f64::from(k) + first + part) / f64::from(count) * std::f64::consts::TAU;
                1000.0 * DVec2::from_angle(angle)
            };
            [DVec2::ZERO, at(0.0), at(0.4)]
        };
        let ring: Vec<DVec2> = (0..count).flat_map(triangle).collect();
        let mut block = Block::default();
        block.take_polygon(0, &[ring], None, &mut LeafPairs::default()).expect("a region");
        block
    };
    let steps_of = |count: u32| {
        let blocks = [star(count, 0.0), star(count, 0.5)];
        let [a, b] = [0, 1].map(|side| blocks[side].outline(0));
        assert!(!a.is_crossed());
        steps::during(|| assert_eq!(relation(a, b, &mut LeafPairs::default()), Relation::Touching))
    };
    let (few, many) = (steps_of(1 << 9), steps_of(1 << 12));
    // The sweep and the tree add logarithmic factors. A comparison of all pairs of corners would take 64 times as many
    // steps.
    assert!(many < 16 * few, "{few} steps, and {many} for 8 times the corners");
}
