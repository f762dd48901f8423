//! Bodies that pass others without touching them keep their velocity.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyOptions, World};

use super::{DT, SOLVERS, circle, deflection, heavy, rectangle, slider, smooth, weightless, worlds};

const CLEARANCES: [f64; 6] = [0.3, 0.1, 0.03, 0.01, 0.003, 0.001];

/// An obstacle. Its upper side, or its highest point, is at height 0.
#[derive(Clone, Copy, Debug)]
enum Obstacle {
    Corner,
    Disc,
    Seam,
}

/// A body that passes an obstacle, in a lane of its own.
struct Pass {
    id: BodyId,
    /// Names the body in messages of assertions.
    name: String,
}

/// Adds balls and boxes that pass each obstacle at each clearance and restitution. They start at several distances. The
/// lanes are far from each other.
fn passes(world: &mut World, restitutions: &[f64], v: f64) -> Vec<Pass> {
    let unit = rectangle(world, 1.0, 1.0);
    let disc = circle(world, 0.5);
    let shapes = [circle(world, 0.05), rectangle(world, 0.1, 0.1), circle(world, 0.2)];
    let (mut passes, mut column) = (Vec::new(), 0.0);
    for obstacle in [Obstacle::Corner, Obstacle::Disc, Obstacle::Seam] {
        let (shape_of_obstacle, places): (_, &[f64]) = match obstacle {
            Obstacle::Corner => (unit, &[0.0]),
            Obstacle::Disc => (disc, &[0.0]),
            Obstacle::Seam => (unit, &[-0.5, 0.5]),
        };
        for &restitution in restitutions {
            for clearance in CLEARANCES {
                let x = 15.0 * column;
                column += 1.0;
                for (k, (shape, half)) in shapes.into_iter().zip([0.05, 0.05, 0.2]).enumerate() {
                    for phase in 0..8 {
                        let y = 10.0 * (k * 8 + phase) as f64;
                        for &at in places {
                            let body = smooth(shape_of_obstacle, [x + at, y - 0.5]);
                            world.add(&BodyOptions { restitution, ..body }).unwrap();
                        }
                        let start = x - 1.3 + phase as f64 * v * DT / 8.0;
                        let body = slider(shape, [start, y + half + clearance], [v, 0.0]);
                        let id = world.add(&body).unwrap();
                        let name = format!(
                            "{obstacle:?} at {clearance}, restitution {restitution}, shape {k}, start {phase}"
                        );
                        passes.push(Pass { id, name });
                    }
                }
            }
        }
    }
    passes
}

#[test]
fn a_body_that_passes_an_obstacle_is_not_deflected() {
    for solver in SOLVERS {
        for (restitutions, v) in [(&[0.0, 1.0][..], 5.0), (&[0.0], 1.0)] {
            for mut world in worlds(&weightless(solver)) {
                let passes = passes(&mut world, restitutions, v);
                world.steps((2.8 / v / DT) as u64, DT).unwrap();
                for Pass { id, name } in passes {
                    // The deflection, in degrees.
                    let found = deflection(world.velocity(id).unwrap().0, DVec2::new(v, 0.0));
                    assert!(found < 0.01, "{solver:?} {name}, speed {v}: {found} on {:?}", world.choice());
                }
            }
        }
    }
}

#[test]
fn a_body_that_falls_past_a_shelf_falls_on() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let shelf = rectangle(&mut world, 2.0, 0.2);
            let shape = rectangle(&mut world, 0.5, 0.5);
            let mut ids = Vec::new();
            for (lane, clearance) in (0..).zip(CLEARANCES) {
                let x = 15.0 * f64::from(lane);
                world.add(&smooth(shelf, [x - 1.0, 0.0])).unwrap();
                let body = slider(shape, [x + 0.25 + clearance, 4.0], [0.0; 2]);
                ids.push((clearance, world.add(&body).unwrap()));
            }
            world.steps(90, DT).unwrap();
            for (clearance, id) in ids {
                let (v, w) = world.velocity(id).unwrap();
                assert!(
                    (v - DVec2::new(0.0, -15.0)).length() < 1e-3 && w == 0.0,
                    "{solver:?} {clearance}: {v} {w} on {:?}",
                    world.choice()
                );
            }
        }
    }
}
