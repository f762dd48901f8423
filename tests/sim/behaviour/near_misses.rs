//! Bodies that pass others without touching them keep their velocity.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyOptions, Solver};

use super::{DT, SOLVERS, circle, deflection, heavy, rectangle, slider, smooth, weightless, worlds};

const CLEARANCES: [f64; 6] = [0.3, 0.1, 0.03, 0.01, 0.003, 0.001];

/// An obstacle. Its upper side, or its highest point, is at height 0.
#[derive(Clone, Copy, Debug)]
enum Obstacle {
    Corner,
    Disc,
    Seam,
}

/// Returns the greatest deflection, in degrees, of balls and boxes that pass an obstacle at a clearance. They start
/// at several distances.
fn worst_deflection(solver: Solver, obstacle: Obstacle, clearance: f64, restitution: f64, v: f64) -> f64 {
    let velocity = DVec2::new(v, 0.0);
    let mut worst = 0.0f64;
    for mut world in worlds(&weightless(solver)) {
        let unit = rectangle(&mut world, 1.0, 1.0);
        let disc = circle(&mut world, 0.5);
        let shapes = [circle(&mut world, 0.05), rectangle(&mut world, 0.1, 0.1), circle(&mut world, 0.2)];
        let mut ids = Vec::new();
        for (k, (shape, half)) in shapes.into_iter().zip([0.05, 0.05, 0.2]).enumerate() {
            for phase in 0..8 {
                // The lanes are far from each other.
                let y = 10.0 * (k * 8 + phase) as f64;
                let (shape_of_obstacle, places): (_, &[f64]) = match obstacle {
                    Obstacle::Corner => (unit, &[0.0]),
                    Obstacle::Disc => (disc, &[0.0]),
                    Obstacle::Seam => (unit, &[-0.5, 0.5]),
                };
                for &x in places {
                    let body = smooth(shape_of_obstacle, [x, y - 0.5]);
                    world.add(&BodyOptions { restitution, ..body }).unwrap();
                }
                let x = -1.3 + phase as f64 * v * DT / 8.0;
                let at = [x, y + half + clearance];
                ids.push(world.add(&slider(shape, at, velocity.to_array())).unwrap());
            }
        }
        world.steps((2.8 / v / DT) as u64, DT).unwrap();
        for id in ids {
            worst = worst.max(deflection(world.velocity(id).unwrap().0, velocity));
        }
    }
    worst
}

#[test]
fn a_body_that_passes_an_obstacle_is_not_deflected() {
    for solver in SOLVERS {
        for obstacle in [Obstacle::Corner, Obstacle::Disc, Obstacle::Seam] {
            for (restitution, v) in [(0.0, 5.0), (1.0, 5.0), (0.0, 1.0)] {
                for clearance in CLEARANCES {
                    let worst = worst_deflection(solver, obstacle, clearance, restitution, v);
                    assert!(
                        worst < 0.01,
                        "{solver:?} {obstacle:?} at {clearance}, {restitution}, {v}: {worst}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_body_that_falls_past_a_shelf_falls_on() {
    for solver in SOLVERS {
        for clearance in CLEARANCES {
            for mut world in worlds(&heavy(solver)) {
                let shelf = rectangle(&mut world, 2.0, 0.2);
                let shape = rectangle(&mut world, 0.5, 0.5);
                world.add(&smooth(shelf, [-1.0, 0.0])).unwrap();
                let id = world.add(&slider(shape, [0.25 + clearance, 4.0], [0.0; 2])).unwrap();
                world.steps(90, DT).unwrap();
                let (v, w) = world.velocity(id).unwrap();
                assert!(
                    (v - DVec2::new(0.0, -15.0)).length() < 1e-3 && w == 0.0,
                    "{solver:?} {clearance}: {v} {w}"
                );
            }
        }
    }
}
