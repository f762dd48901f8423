//! Tests that a world has the same bits with the machine's vector instructions and with scalar code.

use super::{BodyKind, BodyOptions, SimScene, Solver, World, WorldOptions};
use crate::simd::set_only_plain;
use crate::{ConvexPolygon, RoundedShape};

/// Builds the same world twice. Steps the first world with the machine's vector instructions, and the second world with scalar
/// code. Asserts that the worlds have equal checksums after 1 step, and after each of two further runs. A run is half of `steps`.
fn compare(name: &str, steps: u64, build: impl Fn() -> World) {
    let run = |plain: bool| -> Vec<u64> {
        set_only_plain(plain);
        let mut world = build();
        let mut after = |steps: u64| {
            world.steps(steps, 1.0 / 60.0).unwrap();
            world.checksum().unwrap()
        };
        let sums = [1, steps / 2, steps / 2].map(&mut after).to_vec();
        set_only_plain(false);
        sums
    };
    assert_eq!(run(false), run(true), "{name}");
}

#[test]
fn vectors_and_plain_numbers_give_the_same_bits() {
    for scene in SimScene::ALL {
        compare(scene.name(), 200, || scene.describe(250, 7).build().unwrap());
    }
    // Large and rounded polygons, segments, fast bodies, tiles, and a rotating bar.
    for solver in [Solver::Rigid, Solver::Push] {
        compare("mixed", 160, || mixed(solver));
    }
}

fn mixed(solver: Solver) -> World {
    let mut world = World::new(WorldOptions { solver, ..WorldOptions::default() }).unwrap();
    let mut add = |shape: RoundedShape| world.add_shape(&shape).unwrap();
    let rectangle = |x: f64, y: f64| ConvexPolygon::new(&[[-x, -y], [x, -y], [x, y], [-x, y]]).unwrap();
    let round = |count: usize| {
        let at = |k: usize| 2.0 * std::f64::consts::PI * k as f64 / count as f64;
        let ring: Vec<[f64; 2]> =
            (0..count).map(|k| [0.4 * libm::cos(at(k)), 0.4 * libm::sin(at(k))]).collect();
        ConvexPolygon::new(&ring).unwrap()
    };
    let tile = add(RoundedShape::polygon(&rectangle(0.5, 0.5), 0.0).unwrap());
    let bar = add(RoundedShape::polygon(&rectangle(3.0, 0.05), 0.0).unwrap());
    let shapes = [
        add(RoundedShape::polygon(&rectangle(0.3, 0.2), 0.05).unwrap()),
        add(RoundedShape::polygon(&round(23), 0.0).unwrap()),
        add(RoundedShape::polygon(&round(7), 0.0).unwrap()),
        add(RoundedShape::capsule([-0.3, 0.0], [0.3, 0.0], 0.1).unwrap()),
        add(RoundedShape::circle([0.05, 0.0], 0.25).unwrap()),
    ];
    for k in -8..8 {
        world.add(&BodyOptions::fixed(tile, [f64::from(k) + 0.5, -0.5])).unwrap();
    }
    let spin = BodyOptions {
        kind: BodyKind::Kinematic,
        angular_velocity: 1.5,
        ..BodyOptions::fixed(bar, [0.0, 2.0])
    };
    world.add(&spin).unwrap();
    for k in 0..60 {
        let at = [f64::from(k % 12) - 5.5, 1.0 + f64::from(k / 12)];
        let body = BodyOptions {
            angle: 0.7 * f64::from(k),
            velocity: [f64::from(k % 7) - 3.0, -f64::from(k % 5)].into(),
            angular_velocity: f64::from(k % 3) - 1.0,
            restitution: 0.1 * f64::from(k % 6),
            fast: k % 4 == 0,
            ..BodyOptions::dynamic(shapes[k as usize % shapes.len()], at)
        };
        world.add(&body).unwrap();
    }
    world
}
