//! Compares the motion of one body with the closed form.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyKind, BodyOptions, ContactEvent, Solver, World, WorldOptions};
use sat2d::{ConvexPolygon, RoundedShape};

use super::behaviour::worlds;
use super::rigid::rectangle;

const DT: f64 = 1.0 / 60.0;
const GRAVITY: f64 = 10.0;

fn falling(solver: Solver) -> WorldOptions {
    WorldOptions { gravity: DVec2::new(0.0, -GRAVITY), solver, ..WorldOptions::default() }
}

/// Adds a ground whose upper side is at height 0.
fn add_ground(world: &mut World, friction: f64) {
    let shape = rectangle(world, 40.0, 1.0);
    world.add(&BodyOptions { friction, ..BodyOptions::fixed(shape, [0.0, -0.5]) }).unwrap();
}

fn place(world: &mut World, body: BodyId) -> DVec2 {
    world.pose(body).unwrap().translation()
}

#[test]
fn a_sliding_box_stops_where_friction_stops_it() {
    let (speed, friction) = (4.0, 0.5);
    for mut world in worlds(&falling(Solver::Rigid)) {
        add_ground(&mut world, friction);
        let shape = rectangle(&mut world, 1.0, 0.5);
        let velocity = DVec2::new(speed, 0.0);
        let body = BodyOptions { velocity, friction, ..BodyOptions::dynamic(shape, [0.0, 0.25]) };
        let body = world.add(&body).unwrap();
        world.steps(90, DT).unwrap();
        let way = speed * speed / (2.0 * friction * GRAVITY);
        let went = place(&mut world, body).x;
        assert!((went - way).abs() < 0.03 * way, "{went} instead of {way} on {:?}", world.choice());
        let (velocity, turning) = world.velocity(body).unwrap();
        assert!(velocity.length() < 1e-3 && turning.abs() < 1e-3, "{velocity} {turning}");
    }
}

#[test]
fn damping_is_the_rate_of_an_exponential() {
    let (linear_damping, angular_damping) = (0.5, 0.7);
    let options = WorldOptions { gravity: DVec2::ZERO, ..WorldOptions::default() };
    for mut world in worlds(&options) {
        let shape = rectangle(&mut world, 1.0, 1.0);
        let body = BodyOptions {
            velocity: DVec2::new(3.0, 0.0),
            angular_velocity: 2.0,
            linear_damping,
            angular_damping,
            ..BodyOptions::dynamic(shape, [0.0, 0.0])
        };
        let body = world.add(&body).unwrap();
        world.steps(60, DT).unwrap();
        let (velocity, turning) = world.velocity(body).unwrap();
        let left = |rate: f64| (-rate).exp();
        assert!((velocity.x / (3.0 * left(linear_damping)) - 1.0).abs() < 2e-3, "{velocity}");
        assert!((turning / (2.0 * left(angular_damping)) - 1.0).abs() < 2e-3, "{turning}");
        let way = 3.0 * (1.0 - left(linear_damping)) / linear_damping;
        assert!((place(&mut world, body).x / way - 1.0).abs() < 5e-3);
    }
}

#[test]
fn a_kinematic_body_goes_its_way_and_carries_what_lies_on_it() {
    let (speed, friction) = (2.0, 0.9);
    for mut world in worlds(&falling(Solver::Rigid)) {
        let shape = rectangle(&mut world, 10.0, 1.0);
        let velocity = DVec2::new(speed, 0.0);
        let belt = BodyOptions::new(BodyKind::Kinematic, shape, [0.0, -0.5]);
        let belt = world.add(&BodyOptions { velocity, friction, ..belt }).unwrap();
        let shape = rectangle(&mut world, 1.0, 0.5);
        let load = BodyOptions { friction, ..BodyOptions::dynamic(shape, [0.0, 0.25]) };
        let load = world.add(&load).unwrap();
        world.steps(120, DT).unwrap();
        let way = 2.0 * speed;
        assert!((place(&mut world, belt) - DVec2::new(way, -0.5)).length() < 1e-4);
        // The load lags until friction has made it as fast as the belt.
        let lag = speed * speed / (2.0 * friction * GRAVITY);
        let went = place(&mut world, load);
        assert!((went - DVec2::new(way - lag, 0.25)).length() < 0.03, "{went}, {lag} behind {way}");
    }
}

#[test]
fn a_point_falls_and_rests_on_an_edge() {
    for solver in [Solver::Rigid, Solver::Push] {
        for mut world in worlds(&falling(solver)) {
            let ring = ConvexPolygon::new(&[[-5.0, -1.0], [5.0, -1.0], [0.0, 0.0]]).unwrap();
            let roof = world.add_shape(&RoundedShape::polygon(&ring, 0.0).unwrap()).unwrap();
            world.add(&BodyOptions { friction: 1.0, ..BodyOptions::fixed(roof, [0.0, 0.0]) }).unwrap();
            let point = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.0).unwrap()).unwrap();
            let body = BodyOptions { friction: 1.0, ..BodyOptions::particle(point, [2.5, 1.0]) };
            let body = world.add(&body).unwrap();
            world.steps(120, DT).unwrap();
            let at = place(&mut world, body);
            let above = at.y + 0.2 * at.x.abs();
            assert!(above.abs() < 0.01 && (at.x - 2.5).abs() < 0.5, "{solver:?}: {at}");
        }
    }
}

#[test]
fn contacts_begin_and_end_when_a_ball_lands_and_leaves() {
    for mut world in worlds(&WorldOptions { events: true, ..falling(Solver::Rigid) }) {
        add_ground(&mut world, 0.5);
        let shape = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.25).unwrap()).unwrap();
        // A body that starts at this height falls for half a second.
        let height = 0.25 + 0.5 * GRAVITY * 0.25;
        let ball = BodyOptions { restitution: 0.5, ..BodyOptions::dynamic(shape, [0.0, height]) };
        world.add(&ball).unwrap();
        let mut events = Vec::new();
        for step in 1..=240 {
            world.step(DT).unwrap();
            events.extend(world.take_events().into_iter().map(|event| (step, event)));
        }
        for (k, (_, event)) in events.iter().enumerate() {
            assert_eq!(matches!(event, ContactEvent::Began { .. }), k % 2 == 0, "{events:?}");
        }
        let steps: Vec<i32> = events.iter().map(|&(step, _)| step).collect();
        // The flight between the first two landings takes as long as the first fall.
        assert!((28..=31).contains(&steps[0]) && steps[1] - steps[0] <= 2, "{steps:?}");
        assert!((56..=62).contains(&steps[2]), "{steps:?}");
        assert_eq!(steps.len() % 2, 1, "it lies there: {steps:?}");
    }
}
