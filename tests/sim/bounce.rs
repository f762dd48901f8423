//! Tests that bounces without loss keep energy and momentum.

use sat2d::RoundedShape;
use sat2d::glam::DVec2;
use sat2d::sim::{BodyOptions, Solver, World, WorldOptions};

use super::rigid::rectangle;

const DT: f64 = 1.0 / 60.0;

fn elastic(solver: Solver) -> World {
    let options =
        WorldOptions { gravity: DVec2::ZERO, solver, restitution_threshold: 0.0, ..WorldOptions::default() };
    World::new(options).unwrap()
}

#[test]
fn a_row_of_balls_between_walls_keeps_its_energy() {
    for solver in [Solver::Rigid, Solver::Push] {
        let mut world = elastic(solver);
        let ball = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.5).unwrap()).unwrap();
        let wall = rectangle(&mut world, 1.0, 10.0);
        let bouncy = |body: BodyOptions| BodyOptions { restitution: 1.0, friction: 0.0, ..body };
        world.add(&bouncy(BodyOptions::fixed(wall, [-5.5, 0.0]))).unwrap();
        world.add(&bouncy(BodyOptions::fixed(wall, [5.5, 0.0]))).unwrap();
        // The last three balls touch each other, as in Newton's cradle.
        for (x, v) in [(-3.9, 3.7), (-1.0, -0.3), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0)] {
            let body = BodyOptions { velocity: DVec2::new(v, 0.0), ..BodyOptions::dynamic(ball, [x, 0.0]) };
            world.add(&bouncy(body)).unwrap();
        }
        let energy = world.statistics().unwrap().kinetic_energy;
        for step in 0..1000 {
            world.step(DT).unwrap();
            let now = world.statistics().unwrap().kinetic_energy;
            assert!((now / energy - 1.0).abs() < 1e-4, "{solver:?}, step {step}: {energy} became {now}");
        }
    }
}
