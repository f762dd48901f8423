//! A world on the CPU has the same checksum on every machine. The checksums are in `tests/data/world-checksums.csv`. The tests
//! of the web page compare them with the checksums of worlds in WebAssembly.

use std::fmt::Write;

use sat2d::sim::{BodyId, BodyOptions, SimScene, World, WorldOptions};
use sat2d::{ConvexPolygon, Error, RoundedShape};

const FILE: &str = include_str!("../data/world-checksums.csv");
const HEADER: &str = "scene,count,seed,steps,checksum";

/// The tested worlds: the scene, the number of bodies, the seed and the number of steps of each.
const WORLDS: [(SimScene, usize, u64, u64); 5] = [
    (SimScene::Pile, 300, 1, 240),
    (SimScene::Crowd, 200, 1, 120),
    (SimScene::Funnel, 300, 2, 240),
    (SimScene::Hail, 200, 3, 120),
    (SimScene::Billiards, 200, 4, 240),
];

#[test]
fn checksums_are_those_of_every_machine() {
    let mut found = String::from(HEADER);
    for (scene, count, seed, steps) in WORLDS {
        let description = scene.describe(count, seed);
        let mut world = description.build().unwrap();
        let ids: Vec<BodyId> = world.bodies().collect();
        for step in 0..steps {
            // The web page steers the agents before the same steps. Otherwise, its checksums would differ from these.
            if step % 10 == 0 {
                description.steer(&mut world, &ids).unwrap();
            }
            world.step(description.dt).unwrap();
        }
        let checksum = world.checksum().unwrap();
        write!(found, "\n{},{count},{seed},{steps},{checksum:016x}", scene.name()).unwrap();
    }
    assert!(
        found == FILE.trim_end(),
        "worlds go on differently. If a change of the solver is meant, the new checksums are:\n{found}"
    );
}

/// Tests the checksum of the world that `python/tests/test_world.py` also builds, with the same expected checksum.
#[test]
fn a_pile_has_the_checksum_that_the_python_package_gives() {
    let mut world = World::new(WorldOptions::default()).unwrap();
    let polygon = |vertices: &[[f64; 2]], radius| {
        RoundedShape::polygon(&ConvexPolygon::new(vertices).unwrap(), radius).unwrap()
    };
    let floor = polygon(&[[-20.0, -1.0], [20.0, -1.0], [20.0, 0.0], [-20.0, 0.0]], 0.0);
    let floor = world.add_shape(&floor).unwrap();
    let shapes = [
        polygon(&[[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]], 0.0),
        RoundedShape::circle([0.0, 0.0], 0.375).unwrap(),
        RoundedShape::capsule([-0.5, 0.0], [0.5, 0.0], 0.25).unwrap(),
        polygon(&[[-0.25, -0.25], [0.5, -0.25], [0.0, 0.5]], 0.125),
    ]
    .map(|shape| world.add_shape(&shape).unwrap());
    world.add(&BodyOptions::fixed(floor, [0.0, 0.0])).unwrap();
    for k in 0..200 {
        let (column, row) = (f64::from(k % 16), f64::from(k / 16));
        let at = [1.25 * column - 9.375 + 0.0625 * (row % 3.0), 1.0 + 1.25 * row];
        let body = BodyOptions {
            angle: 0.125 * f64::from(k % 11),
            velocity: [0.25 * f64::from(k % 5) - 0.5, 0.0].into(),
            restitution: if k % 3 == 0 { 0.5 } else { 0.0 },
            ..BodyOptions::dynamic(shapes[k as usize % 4], at)
        };
        // `check` adds no body, so it does not change the checksum.
        world.check(&body).unwrap();
        world.add(&body).unwrap();
    }
    world.steps(120, 1.0 / 60.0).unwrap();
    assert_eq!(format!("{:016x}", world.checksum().unwrap()), "71d78a4c51adfd42");
}

#[test]
fn ids_are_numbers_and_a_check_is_what_adding_says() {
    let mut world = World::new(WorldOptions::default()).unwrap();
    let disc = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.5).unwrap()).unwrap();
    let point = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.0).unwrap()).unwrap();
    let add = |world: &mut World| world.add(&BodyOptions::dynamic(disc, [0.0, 0.0])).unwrap();
    let (first, second) = (add(&mut world), add(&mut world));
    assert_eq!([first, second].map(BodyId::to_bits), [0, 1]);
    world.remove(second).unwrap();
    let third = add(&mut world);
    assert_ne!(third.to_bits(), second.to_bits());
    for id in [first, second, third] {
        assert_eq!(BodyId::from_bits(id.to_bits()), id);
    }
    assert!(world.pose(BodyId::from_bits(third.to_bits())).is_ok());
    for bits in [second.to_bits(), 7, u64::MAX] {
        assert!(matches!(world.pose(BodyId::from_bits(bits)), Err(Error::UnknownBody { .. })), "{bits}");
    }
    let good = BodyOptions::dynamic(disc, [0.0, 0.0]);
    for bad in [
        BodyOptions { friction: -1.0, ..good.clone() },
        BodyOptions::dynamic(point, [0.0, 0.0]),
        BodyOptions::dynamic(disc, [1e12, 0.0]),
    ] {
        let before = world.bodies().count();
        let found = world.check(&bad).unwrap_err().to_string();
        assert_eq!(found, world.add(&bad).unwrap_err().to_string());
        assert_eq!(world.bodies().count(), before);
    }
}

#[test]
fn a_world_has_room_for_a_limited_number_of_bodies() {
    let mut world = World::new(WorldOptions::default()).unwrap();
    let disc = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.5).unwrap()).unwrap();
    let add = |world: &mut World| world.add(&BodyOptions::dynamic(disc, [0.0, 0.0])).unwrap();
    let most = i32::MAX as usize;
    let ids = [add(&mut world), add(&mut world)];
    let check = |world: &World, room: usize| {
        world.check_count(0).unwrap();
        world.check_count(room).unwrap();
        for count in [room + 1, usize::MAX] {
            let error = world.check_count(count).unwrap_err();
            let given = count.saturating_add(most - room);
            assert!(
                matches!(error, Error::TooMany { items: "bodies", count, limit } if (count, limit) == (given, most)),
                "{error}"
            );
        }
    };
    check(&world, most - 2);
    world.remove(ids[0]).unwrap();
    check(&world, most - 1);
    add(&mut world);
    check(&world, most - 2);
}
