//! Long lives: bodies that come and go, and what is refused.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyOptions, Solver, World, WorldOptions};
use sat2d::{Error, RoundedShape};

use crate::rigid::rectangle;

const DT: f64 = 1.0 / 60.0;

#[test]
fn ten_thousand_steps_of_coming_and_going_stay_bounded() {
    let mut world = World::new(WorldOptions { events: true, ..WorldOptions::default() }).unwrap();
    let ground = rectangle(&mut world, 40.0, 1.0);
    let shapes = [
        rectangle(&mut world, 1.0, 0.6),
        world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.4).unwrap()).unwrap(),
        world.add_shape(&RoundedShape::capsule([-0.4, 0.0], [0.4, 0.1], 0.2).unwrap()).unwrap(),
    ];
    world.add(&BodyOptions::fixed(ground, [0.0, -0.5])).unwrap();
    let mut alive = std::collections::VecDeque::new();
    let mut highest_slot = 0;
    for step in 0..10_000u32 {
        let x = f64::from(step * 7 % 23) - 11.0;
        let angle = f64::from(step % 100) * 0.0628;
        let body = BodyOptions { angle, ..BodyOptions::dynamic(shapes[step as usize % 3], [x, 3.0]) };
        let id = world.add(&body).unwrap();
        highest_slot = highest_slot.max(id.index());
        alive.push_back(id);
        if alive.len() > 24 {
            // Now the oldest, now one in the middle.
            let gone = if step % 2 == 0 { alive.pop_front() } else { alive.remove(12) };
            world.remove(gone.unwrap()).unwrap();
            assert!(matches!(world.pose(gone.unwrap()), Err(Error::UnknownBody { .. })));
        }
        world.step(DT).unwrap();
        assert!(world.take_events().len() < 200);
        let statistics = world.statistics().unwrap();
        assert!(statistics.kinetic_energy.is_finite() && statistics.mean_position.is_finite());
        assert_eq!(statistics.dynamic_bodies, alive.len());
        assert!(world.candidate_pairs().unwrap().len() < 400);
    }
    assert!(highest_slot <= 25, "{highest_slot}");
    for id in alive {
        assert!(world.pose(id).unwrap().translation().is_finite());
    }
}

#[test]
fn what_is_no_number_is_refused_on_entry() {
    let mut world = World::new(WorldOptions::default()).unwrap();
    let shape = rectangle(&mut world, 1.0, 1.0);
    let good = BodyOptions::dynamic(shape, [0.0, 0.0]);
    let id = world.add(&good).unwrap();
    for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY] {
        let broken = [
            BodyOptions { position: DVec2::new(bad, 0.0), ..good.clone() },
            BodyOptions { angle: bad, ..good.clone() },
            BodyOptions { velocity: DVec2::new(0.0, bad), ..good.clone() },
            BodyOptions { angular_velocity: bad, ..good.clone() },
            BodyOptions { density: bad, ..good.clone() },
            BodyOptions { mass: Some(bad), ..good.clone() },
            BodyOptions { friction: bad, ..good.clone() },
            BodyOptions { restitution: bad, ..good.clone() },
            BodyOptions { linear_damping: bad, ..good.clone() },
            BodyOptions { angular_damping: bad, ..good.clone() },
            BodyOptions { preferred_velocity: DVec2::splat(bad), ..good.clone() },
            BodyOptions { preference: bad, ..good.clone() },
        ];
        for body in broken {
            assert!(matches!(world.add(&body), Err(Error::Body { .. })), "{body:?}");
        }
        assert!(matches!(world.set_velocity(id, [bad, 0.0], 0.0), Err(Error::Body { .. })));
        assert!(matches!(world.set_velocity(id, [0.0, 0.0], bad), Err(Error::Body { .. })));
        assert!(matches!(world.set_preferred_velocity(id, [0.0, bad]), Err(Error::Body { .. })));
        assert!(matches!(world.set_gravity([0.0, bad]), Err(Error::Body { .. })));
    }
    assert_eq!(world.bodies().count(), 1);
}

#[test]
fn a_step_that_is_no_step_is_refused_and_moves_nothing() {
    let mut world = World::new(WorldOptions::default()).unwrap();
    let shape = rectangle(&mut world, 1.0, 1.0);
    let id =
        world.add(&BodyOptions { velocity: DVec2::ONE, ..BodyOptions::dynamic(shape, [0.5, 0.0]) }).unwrap();
    let before = world.pose(id).unwrap();
    for dt in [0.0, -0.0, -DT, f64::NAN, f64::INFINITY, -f64::INFINITY] {
        for count in [0, 1, 10] {
            let error = world.steps(count, dt).unwrap_err();
            assert!(matches!(error, Error::Body { name: "dt", .. }), "{error}");
        }
    }
    assert_eq!(world.pose(id).unwrap(), before);
}

#[test]
fn candidate_pairs_are_of_bodies_that_are_there_still() {
    let mut world = World::new(WorldOptions::default()).unwrap();
    let ball = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.5).unwrap()).unwrap();
    let [a, b, c] = [0.0, 0.75, 1.5].map(|x| world.add(&BodyOptions::dynamic(ball, [x, 0.0])).unwrap());
    world.step(DT).unwrap();
    assert_eq!(world.candidate_pairs().unwrap(), [[a, b], [b, c]]);
    world.remove(c).unwrap();
    assert_eq!(world.candidate_pairs().unwrap(), [[a, b]]);
    world.add(&BodyOptions::dynamic(ball, [50.0, 0.0])).unwrap();
    assert_eq!(world.candidate_pairs().unwrap(), [[a, b]]);
    let velocity = [1e9, 0.0].into();
    world.add(&BodyOptions { velocity, ..BodyOptions::dynamic(ball, [0.0, 50.0]) }).unwrap();
    world.step(DT).unwrap_err();
    assert_eq!(world.candidate_pairs().unwrap(), [[a, b]; 0]);
}

/// Its turn in a step has no f32.
#[test]
fn a_body_that_turns_without_bound_leaves_the_world() {
    let mut world = World::new(WorldOptions::default()).unwrap();
    let shape = rectangle(&mut world, 1.0, 1.0);
    let id = world.add(&BodyOptions::dynamic(shape, [0.5, 0.0])).unwrap();
    let before = world.pose(id).unwrap();
    world.set_velocity(id, [0.0, 0.0], 1e25).unwrap();
    assert!(matches!(world.step(DT).unwrap_err(), Error::LeftWorld { .. }));
    assert_eq!(world.pose(id).unwrap(), before);
}

#[test]
fn however_much_friction_there_is_what_rests_stays() {
    for solver in [Solver::Rigid, Solver::Push] {
        let mut world = World::new(WorldOptions { solver, ..WorldOptions::default() }).unwrap();
        let shapes = [rectangle(&mut world, 10.0, 1.0), rectangle(&mut world, 1.0, 1.0)];
        let friction = 1e20;
        world.add(&BodyOptions { friction, ..BodyOptions::fixed(shapes[0], [0.0, -0.5]) }).unwrap();
        let on_it =
            world.add(&BodyOptions { friction, ..BodyOptions::dynamic(shapes[1], [0.0, 0.5]) }).unwrap();
        world.steps(60, DT).unwrap();
        let at = world.pose(on_it).unwrap().translation();
        assert!(at.distance(DVec2::new(0.0, 0.5)) < 0.02, "{solver:?}: {at}");
    }
}

#[test]
fn a_step_that_fails_leaves_poses_and_no_contacts_of_its_own() {
    let mut world = World::new(WorldOptions::default()).unwrap();
    let ball = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.5).unwrap()).unwrap();
    let lower = world.add(&BodyOptions::fixed(ball, [0.0, 0.0])).unwrap();
    let upper = world.add(&BodyOptions::dynamic(ball, [0.0, 1.0])).unwrap();
    let velocity = [1e9, 0.0].into();
    let gone = world.add(&BodyOptions { velocity, ..BodyOptions::dynamic(ball, [0.0, 5.0]) }).unwrap();
    let poses = |world: &mut World| [lower, upper, gone].map(|id| world.pose(id).unwrap());
    let before = poses(&mut world);
    let error = world.step(1.0 / 60.0).unwrap_err();
    assert!(
        matches!(error, Error::LeftWorld { slot, .. } if world.body_at(slot as usize) == Some(gone)),
        "{error}"
    );
    assert_eq!(poses(&mut world), before);
    assert_eq!(world.contacts().unwrap(), []);
    world.remove(gone).unwrap();
    world.step(1.0 / 60.0).unwrap();
    assert_eq!(world.contacts().unwrap().len(), 1);
}
