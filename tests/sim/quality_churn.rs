//! Worlds that live long: bodies are added and removed, and some requests are refused.

use std::collections::VecDeque;

use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyOptions, ShapeId, Solver, StepReport, World, WorldOptions};
use sat2d::{Backend, Error, RoundedShape};

use super::rigid::rectangle;
use super::world_on;
#[cfg(feature = "gpu")]
use crate::support::in_soak;

const DT: f64 = 1.0 / 60.0;

/// A world that gets a body in every step. If it then has more than `most` of these bodies, it loses one.
struct Churn {
    world: World,
    shapes: [ShapeId; 3],
    alive: VecDeque<BodyId>,
    most: usize,
    highest_slot: usize,
}

impl Churn {
    fn new(options: WorldOptions, backend: Backend, most: usize) -> Self {
        let mut world = world_on(options, backend);
        let ground = rectangle(&mut world, 40.0, 1.0);
        let shapes = [
            rectangle(&mut world, 1.0, 0.6),
            world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.4).unwrap()).unwrap(),
            world.add_shape(&RoundedShape::capsule([-0.4, 0.0], [0.4, 0.1], 0.2).unwrap()).unwrap(),
        ];
        world.add(&BodyOptions::fixed(ground, [0.0, -0.5])).unwrap();
        Self { world, shapes, alive: VecDeque::new(), most, highest_slot: 0 }
    }

    fn step(&mut self, step: u32) -> StepReport {
        let x = f64::from(step * 7 % 23) - 11.0;
        let angle = f64::from(step % 100) * 0.0628;
        let shape = self.shapes[step as usize % 3];
        let body = BodyOptions { angle, ..BodyOptions::dynamic(shape, [x, 3.0]) };
        let id = self.world.add(&body).unwrap();
        self.highest_slot = self.highest_slot.max(id.index());
        self.alive.push_back(id);
        if self.alive.len() > self.most {
            // Remove the oldest body or one from the middle, in turn.
            let gone = if step.is_multiple_of(2) {
                self.alive.pop_front()
            } else {
                self.alive.remove(self.most / 2)
            };
            self.world.remove(gone.unwrap()).unwrap();
            assert!(matches!(self.world.pose(gone.unwrap()), Err(Error::UnknownBody { .. })));
        }
        let report = self.world.step(DT).unwrap();
        let statistics = self.world.statistics().unwrap();
        assert!(statistics.kinetic_energy.is_finite() && statistics.mean_position.is_finite());
        assert_eq!(statistics.dynamic_bodies, self.alive.len());
        report
    }

    /// Asserts that ids have used only as many slots as there were bodies at once, and that every body is present.
    fn end(mut self) {
        assert!(self.highest_slot <= self.most + 1, "{}", self.highest_slot);
        for id in self.alive {
            assert!(self.world.pose(id).unwrap().translation().is_finite());
        }
    }
}

#[test]
fn ten_thousand_steps_of_coming_and_going_stay_bounded() {
    for solver in [Solver::Rigid, Solver::Push] {
        let options = WorldOptions { solver, events: true, ..WorldOptions::default() };
        let mut churn = Churn::new(options, Backend::Cpu, 24);
        let mut contacts = 0;
        for step in 0..10_000 {
            contacts += churn.step(step).contacts;
            assert!(churn.world.take_events().len() < 200);
            assert!(churn.world.candidate_pairs().unwrap().len() < 400);
        }
        assert!(contacts > 10_000, "{solver:?}: {contacts}");
        churn.end();
    }
}

#[cfg(feature = "gpu")]
#[test]
fn buffers_of_a_device_do_not_grow_as_bodies_come_and_go() {
    for solver in [Solver::Rigid, Solver::Push] {
        let options = WorldOptions { solver, ..WorldOptions::default() };
        let mut churn = Churn::new(options, Backend::Gpu, 24);
        let (mut contacts, mut bytes) = (0, 0);
        // All bodies are there after 24 steps.
        let steps = in_soak(1000, 300);
        for step in 0..steps {
            contacts += churn.step(step).contacts;
            if step == steps / 5 {
                bytes = churn.world.device_bytes();
            }
        }
        eprintln!("{solver:?}: {contacts} contacts, {bytes} bytes");
        assert!(contacts > u64::from(steps), "{solver:?}: {contacts}");
        assert_eq!(churn.world.device_bytes(), bytes, "{solver:?}");
        churn.end();
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

/// Tests a body whose angle changes in one step by more than f32 can represent.
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
