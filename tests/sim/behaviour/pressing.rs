//! Bodies that others press do not fly away.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyOptions, Solver};

use super::{DT, SOLVERS, circle, heavy, rectangle, slider, speed, weightless, worlds};

/// Tests a ball between two walls. Each wall overlaps the ball by a tenth of the ball's width, and then stops.
#[test]
fn a_ball_pinched_by_walls_that_stop_rests() {
    for solver in SOLVERS {
        for mut world in worlds(&weightless(solver)) {
            let wall = rectangle(&mut world, 1.0, 4.0);
            let ball = circle(&mut world, 0.5);
            let walls = [-1.5, 1.5].map(|x: f64| {
                let body = BodyOptions::kinematic(wall, [x, 0.0], [-x.signum(), 0.0]);
                world.add(&BodyOptions { friction: 0.0, ..body }).unwrap()
            });
            let id = world.add(&slider(ball, [0.1, 0.0], [0.0; 2])).unwrap();
            world.steps(36, DT).unwrap();
            for wall in walls {
                world.set_velocity(wall, DVec2::ZERO, 0.0).unwrap();
            }
            world.steps(60, DT).unwrap();
            let speed = speed(&mut world, id);
            assert!(speed < 0.01, "{solver:?}: {speed} on {:?}", world.choice());
        }
    }
}

#[test]
fn a_heavy_box_that_falls_on_a_light_one_does_not_throw_it() {
    for mut world in worlds(&heavy(Solver::Rigid)) {
        let floor = rectangle(&mut world, 20.0, 1.0);
        let shapes = [rectangle(&mut world, 0.5, 0.5), rectangle(&mut world, 1.0, 1.0)];
        let mut pairs = Vec::new();
        for (lane, ratio) in (0..).zip([10.0, 100.0, 1000.0]) {
            let x = 35.0 * f64::from(lane);
            world.add(&BodyOptions::fixed(floor, [x, -0.5])).unwrap();
            let light = BodyOptions::dynamic(shapes[0], [x + 0.2, 0.25]);
            let heavy = BodyOptions { density: ratio, ..BodyOptions::dynamic(shapes[1], [x, 3.0]) };
            pairs.push((ratio, [light, heavy].map(|body| world.add(&body).unwrap())));
        }
        for step in 1..=180 {
            world.step(DT).unwrap();
            for &(ratio, ids) in &pairs {
                for id in ids {
                    // The fall alone gives a speed of 6.2.
                    let found = speed(&mut world, id);
                    assert!(found < 7.0, "{ratio}, step {step}: {found} on {:?}", world.choice());
                }
            }
        }
    }
}
