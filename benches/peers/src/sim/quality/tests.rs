use sat2d::glam::DVec2;
use sat2d::sim::{BodyOptions, Layers};

use super::setup::{DT, Setup, slider, steps};
use super::{bouncing, bullets, conserving, friction, meeting, passing, pressing, scenes, sliding, surfaces};
use crate::sim::Contender;

#[test]
fn scenes_have_names_of_their_own() {
    let names: std::collections::BTreeSet<&str> = scenes::SCENES.iter().map(|scene| scene.name).collect();
    assert_eq!(names.len(), scenes::SCENES.len());
}

#[test]
fn a_body_in_flight_is_as_mechanics_has_it_in_every_engine() {
    for &engine in Contender::ALL {
        let mut setup = Setup::heavy().unwrap();
        let shape = setup.rectangle(1.0, 2.0).unwrap();
        let body = BodyOptions { angular_velocity: 2.0, ..slider(shape, [1.0, 0.0], [3.0, 5.0]) };
        let body = setup.add(body);
        let now = setup.start(engine).unwrap().after(steps(0.5)).unwrap()[body];
        assert!((now.velocity - DVec2::new(3.0, 0.0)).length() < 1e-4, "{engine:?}: {now:?}");
        assert!((now.spin - 2.0).abs() < 1e-5, "{engine:?}: {now:?}");
        // With sub-steps, the body falls a little farther than the formula without them.
        let way = DVec2::new(2.5, 2.5 * 0.5 - 5.0 * 0.5 * DT / 4.0);
        assert!((now.pose.translation() - way).length() < 1e-3, "{engine:?}: {now:?} {way}");
    }
}

#[test]
fn the_sums_of_a_world_are_those_by_hand() {
    let mut setup = Setup::weightless().unwrap();
    let shape = setup.rectangle(1.0, 2.0).unwrap();
    setup.add(BodyOptions { density: 3.0, angular_velocity: 0.5, ..slider(shape, [0.0, 4.0], [2.0, 0.0]) });
    setup.floor(1.0, 0.0).unwrap();
    let now = setup.start(Contender::Sat2d).unwrap().after(0).unwrap();
    let sum = conserving::sum(&setup, &now);
    // The mass is 6, and the moment of inertia 6 (1² + 2²) / 12 = 2.5.
    assert!((sum.momentum - DVec2::new(12.0, 0.0)).length() < 1e-5);
    assert!((sum.angular - (-48.0 + 1.25)).abs() < 1e-4);
    assert!((sum.energy - (12.0 + 0.5 * 2.5 * 0.25)).abs() < 1e-5);
}

#[test]
fn a_kinematic_body_moves_until_it_is_stopped_in_every_engine() {
    for &engine in Contender::ALL {
        let mut setup = Setup::heavy().unwrap();
        let shape = setup.rectangle(1.0, 1.0).unwrap();
        let body = setup.add(BodyOptions {
            angular_velocity: 1.0,
            ..BodyOptions::kinematic(shape, [0.0; 2], [2.0, 0.0])
        });
        let mut world = setup.start(engine).unwrap();
        let moved = world.after(steps(0.5)).unwrap()[body];
        assert!((moved.pose.translation() - DVec2::X).length() < 1e-4, "{engine:?}: {moved:?}");
        assert!((moved.pose.sin() - 0.5f64.sin()).abs() < 1e-3, "{engine:?}: {moved:?}");
        world.stop(body).unwrap();
        let stopped = world.after(steps(0.5)).unwrap()[body];
        assert!((stopped.pose.translation() - DVec2::X).length() < 1e-4, "{engine:?}: {stopped:?}");
        assert!((stopped.pose.sin() - moved.pose.sin()).abs() < 1e-6, "{engine:?}: {stopped:?}");
    }
}

#[test]
fn a_ball_that_does_not_collide_with_a_bar_passes_through_it() {
    for (layers, expected) in [(Layers::ALL, false), (Layers { member: 0, meets: 0 }, true)] {
        let mut setup = Setup::weightless().unwrap();
        let (bar, ball) = (setup.rectangle(0.5, 20.0).unwrap(), setup.circle(0.2).unwrap());
        let bar = setup
            .add(BodyOptions { angular_velocity: 0.5, ..BodyOptions::kinematic(bar, [0.0; 2], [0.0; 2]) });
        let ball = setup.add(BodyOptions { layers, ..slider(ball, [-2.0, 0.5], [10.0, 0.0]) });
        let mut world = setup.start(Contender::Sat2d).unwrap();
        assert_eq!(bullets::is_through(&mut world, bar, ball).unwrap(), expected, "{layers:?}");
    }
}

/// Tests that sat2d agrees with mechanics in some small scenes, as the library's own tests do.
#[test]
fn sat2d_is_as_mechanics_has_it_in_small_scenes() {
    let engine = Contender::Sat2d;
    let deflection = passing::past_at(engine, passing::Obstacle::Corner, 0.02, 0.0).unwrap();
    assert!(deflection < 0.01, "{deflection}");
    assert!(passing::shelf(engine).unwrap() < 0.01);
    assert!(bouncing::ratio(engine, bouncing::Bouncer::Ball).unwrap() < 0.07);
    assert!(friction::of_impact(engine).unwrap() < 2.0);
    assert!(pressing::pinched(engine).unwrap() < 0.01);
    // No force acts on the ball, which at most touches the tiles, so its speed must not change.
    assert!(sliding::over_tiles_at(engine, sliding::Slider::Ball, 0.5, false).unwrap() < 0.1);
    assert!(meeting::slit(engine).unwrap() < 0.1);
    assert!(meeting::passed_by(engine).unwrap() < 0.01);
    assert!(meeting::head_on(engine).unwrap() < 2.0);
    assert!(meeting::spinning_bounce(engine).unwrap() < 2.0);
    assert!(surfaces::flat_bounce_spin(engine).unwrap() < 0.01);
    assert!(surfaces::rolling(engine).unwrap() < 1.0);
    assert!(surfaces::onto_level(engine).unwrap() < 2.0);
    assert!(surfaces::over_the_end(engine).unwrap() < 0.1);
    assert_eq!(bullets::through_moving(engine).unwrap(), 0.0);
}
