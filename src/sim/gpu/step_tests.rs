//! Compares worlds on the device with worlds on the CPU.

use std::sync::{Mutex, PoisonError};

use glam::DVec2;

use super::kernels::Name;
use crate::answers::backend::Backend;
use crate::broad_phase;
#[cfg(feature = "scenes")]
use crate::sim::SimScene;
use crate::sim::{BodyId, BodyOptions, ContactEvent, Layers, ShapeId, Solver, World, WorldOptions};
use crate::{Aabb, ConvexPolygon, Error, Pose, RoundedShape};

pub(super) const DT: f64 = 1.0 / 60.0;

/// A generator of pseudo-random numbers from 0 to 1. The field is the state of the generator.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

pub(super) fn weightless() -> WorldOptions {
    WorldOptions { gravity: DVec2::ZERO, ..WorldOptions::default() }
}

/// Returns a world on the device that tests share. The worlds share compiled kernels, because compiling takes longer than
/// most tests.
pub(super) fn on_device(options: WorldOptions) -> World {
    static FIRST: Mutex<Option<World>> = Mutex::new(None);
    let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    first
        .get_or_insert_with(|| World::on(WorldOptions::default(), Backend::Gpu).unwrap())
        .beside(options)
        .unwrap()
}

pub(super) fn circle(world: &mut World, radius: f64) -> ShapeId {
    world.add_shape(&RoundedShape::circle([0.0, 0.0], radius).unwrap()).unwrap()
}

pub(super) fn rectangle(world: &mut World, width: f64, height: f64) -> ShapeId {
    let (x, y) = (0.5 * width, 0.5 * height);
    let ring = ConvexPolygon::new(&[[-x, -y], [x, -y], [x, y], [-x, y]]).unwrap();
    world.add_shape(&RoundedShape::polygon(&ring, 0.0).unwrap()).unwrap()
}

/// Adds the shape of a regular polygon.
pub(super) fn regular(world: &mut World, sides: u32, radius: f64) -> ShapeId {
    let at = |k: u32| f64::from(k) / f64::from(sides) * std::f64::consts::TAU;
    let ring: Vec<[f64; 2]> = (0..sides).map(|k| [radius * at(k).cos(), radius * at(k).sin()]).collect();
    world.add_shape(&RoundedShape::polygon(&ConvexPolygon::new(&ring).unwrap(), 0.0).unwrap()).unwrap()
}

/// Takes a step in which no body moves far, and checks its candidate pairs with [`check_pairs_of_step`].
fn check_pairs(world: &mut World) -> usize {
    check_pairs_of_step(world, 1e-6)
}

/// Asserts that both lists of [`pairs_of_step`] are equal. Returns the number of pairs.
fn check_pairs_of_step(world: &mut World, dt: f64) -> usize {
    let [found, expected] = pairs_of_step(world, dt);
    assert_eq!(found.len(), expected.len());
    assert_eq!(found, expected);
    found.len()
}

/// Takes a step of duration `dt`. Returns two lists of pairs: the pairs that the device found, and the pairs that the
/// CPU's broad phase finds for the device's boxes. Asserts that the boxes contain the bodies.
pub(super) fn pairs_of_step(world: &mut World, dt: f64) -> [Vec<[u32; 2]>; 2] {
    world.settle_bodies();
    world.sync_now();
    let before = world.bodies.states.clone();
    world.step(dt).unwrap();
    let traits = world.bodies.traits.clone();
    let gpu = world.gpu.as_mut().unwrap();
    let found = pollster::block_on(gpu.pairs()).unwrap();
    let boxes: Vec<[i32; 4]> = pollster::block_on(gpu.read(Name::Boxes, traits.len())).unwrap();
    for ((state, traits), aabb) in before.iter().zip(&traits).zip(&boxes) {
        if !traits.has(crate::sim::bodies::PRESENT) {
            assert!(aabb[2] < aabb[0]);
            continue;
        }
        let shape = &world.shapes.all[traits.shape as usize];
        for v in world.shapes.core(shape) {
            let arm = state.rotated(*v);
            for axis in 0..2 {
                let centre =
                    f64::from(state.anchor[axis]) + f64::from(state.offset[axis]) / world.grid.quantum;
                let at = centre + f64::from(arm[axis]) / world.grid.quantum;
                let radius = f64::from(shape.radius) / world.grid.quantum;
                assert!(f64::from(aabb[axis]) <= at - radius && at + radius <= f64::from(aabb[axis + 2]));
            }
        }
    }
    let aabbs: Vec<Aabb> = boxes
        .iter()
        .map(|b| match b {
            [x, _, z, _] if z < x => Aabb::EMPTY,
            _ => {
                let at = |x, y| DVec2::new(f64::from(x), f64::from(y));
                Aabb { min: at(b[0], b[1]), max: at(b[2], b[3]) }
            }
        })
        .collect();
    let (mut expected, mut chunk) = (Vec::new(), Vec::new());
    let mut candidates = broad_phase::self_join(&aabbs, None).unwrap();
    while candidates.next_chunk(1 << 16, &mut chunk) {
        expected
            .extend(chunk.iter().copied().filter(|&[a, b]| traits[a as usize].meets(&traits[b as usize])));
    }
    expected.sort_unstable();
    [found, expected]
}

#[test]
fn the_device_finds_the_pairs_that_the_cpu_finds() {
    let mut random = Random(1);
    let mut world = on_device(weightless());
    let shapes = [circle(&mut world, 0.3), circle(&mut world, 0.5), circle(&mut world, 0.8)];
    let place = |random: &mut Random, size: f64| [size * random.next(), size * random.next()];
    let mut ids = Vec::new();
    for k in 0..900 {
        let layers = [Layers::ALL, Layers { member: 1, meets: 2 }, Layers { member: 2, meets: 3 }][k % 3];
        let at = place(&mut random, 25.0);
        let body = if k % 10 == 0 {
            BodyOptions::fixed(shapes[1], at)
        } else {
            BodyOptions::particle(shapes[k % 3], at)
        };
        ids.push(world.add(&BodyOptions { layers, ..body }).unwrap());
    }
    assert!(check_pairs(&mut world) > 300);
    // Some slots have no body now.
    for id in ids.iter().step_by(3) {
        world.remove(*id).unwrap();
    }
    check_pairs(&mut world);
    // The next bodies form a cluster.
    for _ in 0..200 {
        let at = place(&mut random, 0.5);
        world.add(&BodyOptions::particle(shapes[0], at)).unwrap();
    }
    assert!(check_pairs(&mut world) > 15_000);
}

/// Adds discs around the point `near`. The largest disc is up to two thousand times as large as the smallest.
pub(super) fn sizes(world: &mut World, near: [f64; 2]) {
    let mut random = Random(2);
    let shapes: Vec<ShapeId> = (0..12).map(|k| circle(world, 0.05 * 2f64.powi(k))).collect();
    for k in 0..1500 {
        let shape = if k % 100 == 0 { 4 + k / 100 % 8 } else { k % 4 };
        let at = near.map(|x| x + 100.0 * random.next());
        world.add(&BodyOptions::particle(shapes[shape], at)).unwrap();
    }
}

#[test]
fn the_device_finds_pairs_of_sizes_a_thousand_times_apart_far_from_the_origin() {
    for origin in [[0.0, 0.0], [-523_456.7, 498_765.4]] {
        let mut world = on_device(weightless());
        sizes(&mut world, origin);
        assert!(check_pairs(&mut world) > 1000);
    }
}

#[cfg(feature = "scenes")]
#[test]
fn the_device_finds_the_pairs_of_every_scene_at_its_start_and_on_its_way() {
    for scene in SimScene::ALL {
        let scene = scene.describe(600, 5);
        let mut world = on_device(scene.options.clone());
        scene.fill(&mut world).unwrap();
        check_pairs_of_step(&mut world, scene.dt);
        world.steps(40, scene.dt).unwrap();
        let found = check_pairs_of_step(&mut world, scene.dt);
        assert!(found > 20, "{}: {found} pairs", scene.scene);
    }
}

#[test]
fn the_device_finds_thousands_of_bodies_on_one_wall() {
    let mut world = on_device(weightless());
    let wall = rectangle(&mut world, 4000.0, 1.0);
    let grain = circle(&mut world, 0.4);
    world.add(&BodyOptions::fixed(wall, [0.0, 0.0])).unwrap();
    for k in 0..4000 {
        world.add(&BodyOptions::particle(grain, [-1999.5 + f64::from(k), 0.89])).unwrap();
    }
    assert!(check_pairs(&mut world) >= 4000);
}

/// Returns two equal worlds, the first on the CPU and the second on the device. Each comes with the ids of the bodies
/// that `fill` added to it.
fn both(options: &WorldOptions, fill: impl Fn(&mut World) -> Vec<BodyId>) -> [(World, Vec<BodyId>); 2] {
    [World::new(options.clone()).unwrap(), on_device(options.clone())].map(|mut world| {
        let ids = fill(&mut world);
        (world, ids)
    })
}

/// Takes `steps` steps. Returns the poses of the bodies `ids` after these steps.
pub(super) fn poses_after(world: &mut World, ids: &[BodyId], steps: u64) -> Vec<Pose> {
    world.steps(steps, DT).unwrap();
    ids.iter().map(|&id| world.pose(id).unwrap()).collect()
}

/// Returns the greatest difference between poses at the same index of the two lists: the greatest distance between two positions,
/// or the greatest difference between the sines of two angles, whichever is greater.
pub(super) fn apart(a: &[Pose], b: &[Pose]) -> f64 {
    let apart =
        |(a, b): (&Pose, &Pose)| (a.translation() - b.translation()).length().max((a.sin() - b.sin()).abs());
    a.iter().zip(b).map(apart).fold(0.0, f64::max)
}

/// Takes `steps` steps in both worlds, and returns the greatest difference of their poses ([`apart`]).
fn difference(worlds: &mut [(World, Vec<BodyId>); 2], steps: u64) -> f64 {
    let [a, b] = worlds.each_mut().map(|(world, ids)| poses_after(world, ids, steps));
    apart(&a, &b)
}

#[test]
fn a_ball_on_a_plank_lies_where_it_lies_on_the_cpu() {
    let mut worlds = both(&WorldOptions::default(), |world| {
        let plank = rectangle(world, 20.0, 1.0);
        let ball = circle(world, 0.5);
        world.add(&BodyOptions::fixed(plank, [0.0, -0.5])).unwrap();
        vec![
            world
                .add(&BodyOptions { angular_velocity: 2.0, ..BodyOptions::dynamic(ball, [0.0, 1.0]) })
                .unwrap(),
        ]
    });
    let apart = difference(&mut worlds, 100);
    assert!(apart < 1e-3, "{apart}");
    let [(_, _), (device, ids)] = &mut worlds;
    assert!((device.pose(ids[0]).unwrap().translation().y - 0.5).abs() < 0.02);
}

/// Adds four boxes with different coefficients of friction on a slope.
pub(super) fn slope(world: &mut World) -> Vec<BodyId> {
    let plank = rectangle(world, 40.0, 1.0);
    let crate_ = rectangle(world, 1.0, 1.0);
    let slope = BodyOptions { angle: -0.4, friction: 1.0, ..BodyOptions::fixed(plank, [0.0, 0.0]) };
    world.add(&slope).unwrap();
    let along = DVec2::new(0.4f64.cos(), -(0.4f64.sin()));
    let up = DVec2::new(0.4f64.sin(), 0.4f64.cos());
    let at = |k: i32| along * (3.0 * f64::from(k) - 9.0) + up * 1.001;
    let body = |k: i32| BodyOptions {
        angle: -0.4,
        friction: [0.0, 0.04, 0.2, 0.9][k as usize],
        ..BodyOptions::dynamic(crate_, at(k))
    };
    (0..4).map(|k| world.add(&body(k)).unwrap()).collect()
}

#[test]
fn boxes_slide_down_a_slope_as_on_the_cpu() {
    let mut worlds = both(&WorldOptions::default(), slope);
    let apart = difference(&mut worlds, 60);
    assert!(apart < 2e-3, "{apart}");
}

/// Adds a stack of five boxes.
pub(super) fn stack(world: &mut World) -> Vec<BodyId> {
    let ground = rectangle(world, 20.0, 1.0);
    let crate_ = rectangle(world, 1.0, 1.0);
    world.add(&BodyOptions::fixed(ground, [0.0, -0.5])).unwrap();
    let at = |k: i32| [0.0, 0.5 + f64::from(k)];
    (0..5).map(|k| world.add(&BodyOptions::dynamic(crate_, at(k))).unwrap()).collect()
}

#[test]
fn a_stack_stands_as_on_the_cpu() {
    let mut worlds = both(&WorldOptions::default(), stack);
    let apart = difference(&mut worlds, 100);
    assert!(apart < 2e-3, "{apart}");
    let [(cpu, _), (device, _)] = &mut worlds;
    let (on_cpu, on_device) = (cpu.contacts().unwrap(), device.contacts().unwrap());
    assert_eq!(on_cpu.len(), on_device.len());
    for (a, b) in on_cpu.iter().zip(&on_device) {
        assert_eq!((a.a, a.b, a.points().len()), (b.a, b.b, b.points().len()));
        assert!((a.normal - b.normal).length() < 1e-3);
        let impulse =
            |contact: &crate::sim::BodyContact| contact.points().iter().map(|p| p.impulse).sum::<f64>();
        assert!((impulse(a) - impulse(b)).abs() < 0.05 * impulse(a), "{a:?} {b:?}");
    }
}

/// Adds polygons that fall into a box.
pub(super) fn pile(world: &mut World, count: usize) -> Vec<BodyId> {
    let wall = rectangle(world, 1.0, 20.0);
    let ground = rectangle(world, 12.0, 1.0);
    world.add(&BodyOptions::fixed(ground, [0.0, -0.5])).unwrap();
    for x in [-5.5, 5.5] {
        world.add(&BodyOptions::fixed(wall, [x, 10.0])).unwrap();
    }
    let shapes =
        [regular(world, 3, 0.5), regular(world, 5, 0.45), regular(world, 10, 0.4), circle(world, 0.4)];
    let mut random = Random(7);
    let body = |k: usize, random: &mut Random| BodyOptions {
        angle: random.next(),
        ..BodyOptions::dynamic(
            shapes[k % 4],
            [(k % 8) as f64 - 3.5 + 0.1 * random.next(), 0.6 + (k / 8) as f64],
        )
    };
    (0..count).map(|k| world.add(&body(k, &mut random)).unwrap()).collect()
}

#[test]
fn runs_give_the_same_bits_in_one_batch_or_many_and_whatever_has_to_grow() {
    let run = |room: [u32; 2], batches: &[u64]| {
        let mut world = on_device(WorldOptions::default());
        world.gpu.as_mut().unwrap().room_per_body = room;
        pile(&mut world, 60);
        let mut regrown = 0;
        for &batch in batches {
            let report = world.steps(batch, DT).unwrap();
            assert_eq!(report.steps, batch);
            regrown += report.regrown;
        }
        world.sync_now();
        (world.bodies.states.clone(), regrown)
    };
    let (states, regrown) = run([20, 20], &[40]);
    assert_eq!(regrown, 0);
    assert_eq!(run([20, 20], &[1, 7, 32]).0, states);
    let (grown, regrown) = run([0, 0], &[40]);
    assert!(regrown >= 2, "{regrown}");
    assert_eq!(grown, states);
}

#[test]
fn bodies_come_and_go_and_are_put_elsewhere_between_steps() {
    let mut worlds = both(&WorldOptions { events: true, ..WorldOptions::default() }, |world| {
        let ground = rectangle(world, 20.0, 1.0);
        let ball = circle(world, 0.5);
        world.add(&BodyOptions::fixed(ground, [0.0, -0.5])).unwrap();
        (0..3).map(|k| world.add(&BodyOptions::dynamic(ball, [2.0 * f64::from(k), 0.5])).unwrap()).collect()
    });
    let told: Vec<Vec<ContactEvent>> = worlds
        .iter_mut()
        .map(|(world, ids)| {
            world.steps(5, DT).unwrap();
            world.remove(ids[0]).unwrap();
            let shape = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.25).unwrap()).unwrap();
            ids[0] = world.add(&BodyOptions::dynamic(shape, [0.0, 3.0])).unwrap();
            world.set_pose(ids[1], &Pose::new(0.0, [5.0, 4.0]).unwrap()).unwrap();
            world.set_velocity(ids[2], [1.0, 0.0], -2.0).unwrap();
            world.set_gravity([0.5, -9.0]).unwrap();
            world.steps(20, DT).unwrap();
            world.take_events()
        })
        .collect();
    assert_eq!(told[0], told[1]);
    assert!(told[0].len() >= 5, "{told:?}");
    let apart = difference(&mut worlds, 20);
    assert!(apart < 1e-3, "{apart}");
}

#[test]
fn a_body_that_would_leave_the_world_stops_the_batch_before() {
    let mut world = on_device(weightless());
    let ball = circle(&mut world, 0.5);
    world.add(&BodyOptions::dynamic(ball, [0.0, 0.0])).unwrap();
    let far = BodyOptions { velocity: DVec2::new(6e6, 0.0), ..BodyOptions::dynamic(ball, [1e6 - 1e5, 0.0]) };
    let far = world.add(&far).unwrap();
    let error = world.steps(10, 0.01).unwrap_err();
    assert!(matches!(error, Error::LeftWorld { slot: 1, .. }), "{error}");
    assert!((world.pose(far).unwrap().translation().x - (1e6 - 1e5 + 12e4)).abs() < 1.0);
    world.remove(far).unwrap();
    assert_eq!(world.steps(10, 0.01).unwrap().steps, 10);
}

/// Adds bodies on the ground. Some overlap, some slide, some bounce, and some have a preferred velocity.
pub(super) fn crowd(world: &mut World) -> Vec<BodyId> {
    let ground = rectangle(world, 20.0, 1.0);
    let ball = circle(world, 0.5);
    let crate_ = rectangle(world, 1.0, 1.0);
    world.add(&BodyOptions::fixed(ground, [0.0, -0.5])).unwrap();
    let mut ids: Vec<BodyId> = (0..4)
        .map(|k| world.add(&BodyOptions::particle(ball, [0.0, 0.45 + 0.9 * f64::from(k)])).unwrap())
        .collect();
    let slides = BodyOptions { velocity: DVec2::new(3.0, 0.0), ..BodyOptions::dynamic(crate_, [3.0, 0.5]) };
    let bounces = BodyOptions { restitution: 0.8, ..BodyOptions::particle(ball, [-4.0, 2.0]) };
    ids.push(world.add(&slides).unwrap());
    ids.push(world.add(&bounces).unwrap());
    ids.push(world.add(&BodyOptions::agent(ball, [-8.0, 0.5], [1.0, 0.0])).unwrap());
    ids
}

pub(super) fn pushing() -> WorldOptions {
    WorldOptions { solver: Solver::Push, ..WorldOptions::default() }
}

#[test]
fn bodies_are_pushed_apart_as_on_the_cpu() {
    let mut worlds = both(&pushing(), crowd);
    let apart = difference(&mut worlds, 100);
    assert!(apart < 2e-3, "{apart}");
}

/// Adds bullets that fly at a thin wall. Each bullet is a little faster than the bullet before it.
pub(super) fn bullets(world: &mut World) -> Vec<BodyId> {
    let wall = rectangle(world, 0.1, 30.0);
    let shapes = [circle(world, 0.1), rectangle(world, 0.3, 0.1)];
    world.add(&BodyOptions::fixed(wall, [10.0, 0.0])).unwrap();
    let body = |k: i32| BodyOptions {
        fast: true,
        // With friction, a box would rotate by an angle that depends on the time of the impact within the step.
        friction: 0.0,
        velocity: DVec2::new(300.0 + 7.0 * f64::from(k), 3.0 * f64::from(k)),
        ..BodyOptions::dynamic(shapes[k as usize % 2], [0.5 * f64::from(k), f64::from(k) - 4.0])
    };
    (0..8).map(|k| world.add(&body(k)).unwrap()).collect()
}

#[test]
fn fast_bodies_pass_through_no_thin_wall_and_stop_where_they_stop_on_the_cpu() {
    for solver in [Solver::Rigid, Solver::Push] {
        let mut worlds = both(&WorldOptions { solver, ..weightless() }, bullets);
        let apart = difference(&mut worlds, 2);
        assert!(apart < 0.02, "{solver:?}: {apart}");
        for (world, ids) in &mut worlds {
            world.steps(30, DT).unwrap();
            for &id in ids.iter() {
                assert!(world.pose(id).unwrap().translation().x < 10.0, "{solver:?}");
            }
        }
    }
}

impl World {
    pub(super) fn sync_now(&mut self) {
        pollster::block_on(self.sync_async()).unwrap();
    }

    pub(super) fn position_of(&mut self, body: BodyId) -> DVec2 {
        self.pose(body).unwrap().translation()
    }
}

#[test]
fn contacts_keep_their_impulses_where_a_body_is_added() {
    let mut world = on_device(WorldOptions::default());
    let (floor, cube) = (rectangle(&mut world, 200.0, 2.0), rectangle(&mut world, 1.0, 1.0));
    world.add(&BodyOptions::fixed(floor, [0.0, -1.0])).unwrap();
    for k in 0..40 {
        world.add(&BodyOptions::dynamic(cube, [2.0 * f64::from(k) - 40.0, 0.5])).unwrap();
    }
    world.steps(20, DT).unwrap();
    // The buffers grow before the first query for contacts.
    for k in 0..100 {
        world.add(&BodyOptions::dynamic(cube, [2.0 * f64::from(k) - 40.0, 50.0])).unwrap();
    }
    let contacts = world.contacts().unwrap();
    assert_eq!(contacts.len(), 40);
    let weight = WorldOptions::default().gravity.length();
    for contact in contacts {
        let impulse: f64 = contact.points.iter().map(|point| point.impulse).sum();
        assert!((impulse - weight * DT).abs() < 0.01, "{impulse}");
    }
}
