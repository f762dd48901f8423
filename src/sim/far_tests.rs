//! Tests that a scene far from the origin gives the same bits as the scene near the origin.

use glam::DVec2;

use super::{BodyOptions, ShapeId, Solver, World, WorldOptions};
#[cfg(feature = "gpu")]
use crate::answers::backend::Backend;
use crate::{ConvexPolygon, RoundedShape};

const DT: f64 = 1.0 / 60.0;
/// The shift of the scene along each axis, in quanta. It is about half of the extent of a world, and not a multiple of
/// the cell size of a broad phase.
const SHIFT: [i32; 2] = [(1 << 28) + 12_345, -(1 << 28) - 777_777];

/// Adds shapes whose centres of mass are exactly at the origins of the shapes, so that adding a body rounds no
/// position.
fn shapes(world: &mut World) -> Vec<ShapeId> {
    let polygon = |ring: &[[f64; 2]]| RoundedShape::polygon(&ConvexPolygon::new(ring).unwrap(), 0.0).unwrap();
    let all = [
        polygon(&[[-20.0, -0.5], [20.0, -0.5], [20.0, 0.5], [-20.0, 0.5]]),
        polygon(&[[-0.5, -0.5], [1.0, -0.5], [-0.5, 1.0]]),
        polygon(&[[-0.5, -0.25], [0.5, -0.25], [0.5, 0.25], [-0.5, 0.25]]),
        RoundedShape::circle([0.0, 0.0], 0.375).unwrap(),
        RoundedShape::capsule([-0.25, 0.0], [0.25, 0.0], 0.25).unwrap(),
    ];
    all.iter().map(|shape| world.add_shape(shape).unwrap()).collect()
}

/// Adds bodies around `place`. The bodies fall between two walls, bounce and rub against each other. Some of them are
/// fast, and some have a preferred velocity.
fn fill(world: &mut World, place: DVec2) {
    let shapes = shapes(world);
    let (quarter, at) = (std::f64::consts::FRAC_PI_2, |x: f64, y: f64| place + DVec2::new(x, y));
    for (x, y, angle) in [(0.0, -0.5, 0.0), (-6.5, 10.0, quarter), (6.5, 10.0, quarter)] {
        world.add(&BodyOptions { angle, ..BodyOptions::fixed(shapes[0], at(x, y)) }).unwrap();
    }
    for k in 0..60u32 {
        let [x, y] = [f64::from(k % 8) * 1.5 - 5.25, 1.0 + 1.375 * f64::from(k / 8)];
        let body = BodyOptions {
            angle: 0.37 * f64::from(k),
            velocity: DVec2::new(f64::from(k % 5) - 2.0, if k % 9 == 0 { -90.0 } else { 0.0 }),
            restitution: if k % 4 == 0 { 0.5 } else { 0.0 },
            preference: if k % 7 == 0 { 1.0 } else { 0.0 },
            preferred_velocity: DVec2::new(3.0, 1.0),
            fast: k % 9 == 0,
            ..BodyOptions::dynamic(shapes[1 + k as usize % 4], at(x, y))
        };
        world.add(&body).unwrap();
    }
}

/// Returns two lists of bits after the scene has run: the bits of the bodies, with `shift` subtracted from their
/// anchors, and the bits of the contacts. `world` makes the world in which the scene runs.
fn outcome(
    world: impl Fn(WorldOptions) -> World,
    solver: Solver,
    origin: DVec2,
    shift: [i32; 2],
) -> (Vec<u32>, Vec<u64>) {
    let mut world = world(WorldOptions { solver, origin, ..WorldOptions::default() });
    let quantum = world.grid.quantum;
    fill(&mut world, origin + DVec2::from(shift.map(f64::from)) * quantum);
    let before = world.mean_position().unwrap();
    world.steps(100, DT).unwrap();
    assert!((world.mean_position().unwrap() - before).length() > 1.0, "it has fallen");
    let contacts = world.contacts().unwrap();
    assert!(contacts.len() > 60, "{}", contacts.len());
    let contact = |contact: &super::BodyContact| {
        let points = contact.points().iter().flat_map(|point| [point.separation, point.impulse]);
        let figures: Vec<f64> = contact.normal.to_array().into_iter().chain(points).collect();
        let bodies = [contact.a.index() as u64, contact.b.index() as u64];
        bodies.into_iter().chain(figures.into_iter().map(f64::to_bits)).collect::<Vec<u64>>()
    };
    let contacts = contacts.iter().flat_map(contact).collect();
    let mut states = world.bodies.states.clone();
    for state in &mut states {
        state.anchor = [state.anchor[0] - shift[0], state.anchor[1] - shift[1]];
    }
    (bytemuck::cast_slice(&states).to_vec(), contacts)
}

fn goes_on_alike(world: impl Fn(WorldOptions) -> World) {
    for solver in [Solver::Rigid, Solver::Push] {
        let near = outcome(&world, solver, DVec2::ZERO, [0; 2]);
        // The first scene is far from the origin of the grid. The second scene has a grid with an origin far from 0.
        let far_origin = DVec2::new(-(2f64.powi(30)), 2f64.powi(29));
        for (origin, shift) in [(DVec2::ZERO, SHIFT), (far_origin, [0; 2])] {
            let far = outcome(&world, solver, origin, shift);
            assert!(far == near, "{solver:?}, {shift:?} from {origin}");
        }
    }
}

#[test]
fn a_scene_far_away_goes_on_as_near_the_origin() {
    goes_on_alike(|options| World::new(options).unwrap());
}

#[cfg(feature = "gpu")]
#[test]
fn a_scene_far_away_goes_on_as_near_the_origin_on_a_device() {
    let first = World::on(WorldOptions::default(), Backend::Gpu).unwrap();
    // The worlds share compiled kernels.
    goes_on_alike(|options| first.beside(options).unwrap());
}
