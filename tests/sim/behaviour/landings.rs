//! Bodies that meet several static bodies in the same step: flat landings on tiles, and inner corners.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyOptions, World};

use super::{DT, SOLVERS, heavy, polygon, position, rectangle, slider, smooth, weightless, worlds};

/// Tests boxes without restitution that land flat on several tiles. Some boxes also move along the tiles.
#[test]
fn a_box_that_lands_flat_on_several_tiles_stays_there() {
    for solver in SOLVERS {
        for mut world in worlds(&weightless(solver)) {
            let shapes = [0.4, 1.0].map(|half| (half, rectangle(&mut world, 2.0 * half, 2.0 * half)));
            let (mut ids, mut y) = (Vec::new(), 0.0);
            for length in [0.1, 0.3, 0.7] {
                let tile = rectangle(&mut world, length, 1.0);
                for along in [0.0, 5.0] {
                    for down in [3.0, 10.0, 30.0] {
                        for (half, shape) in shapes {
                            for k in 0..(9.0 / length) as u32 {
                                let x = length * (f64::from(k) + 0.5) - 2.0;
                                world.add(&smooth(tile, [x, y - 0.5])).unwrap();
                            }
                            let body = slider(shape, [0.03, y + half + 0.07 * down], [along, -down]);
                            ids.push((length, along, down, half, y, world.add(&body).unwrap()));
                            y += 12.0;
                        }
                    }
                }
            }
            world.steps(60, DT).unwrap();
            for (length, along, down, half, y, id) in ids {
                let (v, w) = world.velocity(id).unwrap();
                let height = position(&mut world, id).y - y - half;
                let off = v - DVec2::new(along, 0.0);
                assert!(
                    off.length() < 0.01 && w.abs() < 0.01 && height.abs() < 0.01,
                    "{solver:?}, tiles of {length}, {along}, {down}, {half}: {v} {w} {height} on {:?}",
                    world.choice()
                );
            }
        }
    }
}

/// Tests boxes that fly into an inner corner, and meet both of its sides in the same step.
#[test]
fn a_box_that_flies_into_an_inner_corner_stays_there() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let (floor, wall) = (rectangle(&mut world, 12.0, 1.0), rectangle(&mut world, 1.0, 12.0));
            let (mut ids, mut x) = (Vec::new(), 0.0);
            for half in [0.1, 0.4] {
                let shape = rectangle(&mut world, 2.0 * half, 2.0 * half);
                for angle in [-0.5, -0.8] {
                    for distance in [2.0, 2.9, 3.0] {
                        for fast in [false, true] {
                            world.add(&smooth(floor, [x - 6.0, -0.5])).unwrap();
                            world.add(&smooth(wall, [x + 0.5, 6.0])).unwrap();
                            let (way, end) = (DVec2::from_angle(angle), DVec2::new(x - half, half));
                            let start = end - distance * way;
                            let body = slider(shape, start.to_array(), (20.0 * way).to_array());
                            let id = world.add(&BodyOptions { fast, ..body }).unwrap();
                            ids.push((half, angle, distance, fast, end, id));
                            x += 30.0;
                        }
                    }
                }
            }
            world.steps(60, DT).unwrap();
            for (half, angle, distance, fast, end, id) in ids {
                let (v, w) = world.velocity(id).unwrap();
                let away = position(&mut world, id).distance(end);
                assert!(
                    away < 0.02 && v.length() < 0.02 && w.abs() < 0.02,
                    "{solver:?}, {half}, {angle}, {distance}, fast: {fast}: {away} {v} {w} on {:?}",
                    world.choice()
                );
            }
        }
    }
}

/// Tests boxes that land with their centres of mass above the gap between two tiles, which no tile holds alone.
#[test]
fn a_box_that_lands_on_the_gap_between_two_tiles_stays_there() {
    for solver in SOLVERS {
        for mut world in worlds(&weightless(solver)) {
            let (tile, box_) = (rectangle(&mut world, 1.0, 1.0), rectangle(&mut world, 0.8, 0.8));
            let (mut ids, mut y) = (Vec::new(), 0.0);
            for gap in [0.0, 1e-6, 4e-4] {
                for beside in [-0.002, -0.0003, 0.0, 0.0003, 0.002] {
                    for down in [1.5, 3.0, 30.0] {
                        for x in [-0.5, 0.5 + gap] {
                            world.add(&smooth(tile, [x, y - 0.5])).unwrap();
                        }
                        let body = slider(box_, [0.5 * gap + beside, y + 0.4 + 0.07 * down], [0.0, -down]);
                        ids.push((gap, beside, down, y, world.add(&body).unwrap()));
                        y += 12.0;
                    }
                }
            }
            world.steps(30, DT).unwrap();
            for (gap, beside, down, y, id) in ids {
                let (v, w) = world.velocity(id).unwrap();
                let height = position(&mut world, id).y - y - 0.4;
                // The nearest contact point may be beside the centre of mass by the gap.
                assert!(
                    v.length() < 0.01 * down && w.abs() < 0.01 * down && height.abs() < 0.01,
                    "{solver:?}, gap {gap}, {beside}, {down}: {v} {w} {height} on {:?}",
                    world.choice()
                );
            }
        }
    }
}

/// Tests boxes that fly into the corner between a wall and tiles that continue under the wall. The path of a box ends beyond the
/// face of the wall, above a tile that the wall covers.
#[test]
fn a_box_that_flies_into_a_corner_of_tiles_does_not_sink() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let wall = rectangle(&mut world, 1.0, 6.0);
            let (mut ids, mut x) = (Vec::new(), 0.0);
            for length in [0.3, 1.0] {
                let tile = rectangle(&mut world, length, 0.5);
                for half in [0.1, 0.4] {
                    let shape = rectangle(&mut world, 2.0 * half, 2.0 * half);
                    for seam in [-0.05, -0.15, 0.0, 0.1] {
                        for distance in [0.4, 1.0, 2.9] {
                            for down in [-5.0, -10.0] {
                                for k in -20..(1.0 / length) as i32 {
                                    let at = x + seam + length * (f64::from(k) + 0.5);
                                    world.add(&smooth(tile, [at, -0.25])).unwrap();
                                }
                                world.add(&smooth(wall, [x + 0.5, 3.0])).unwrap();
                                let velocity = DVec2::new(20.0, down);
                                let start = DVec2::new(x - half, half) - distance * velocity.normalize();
                                let body = slider(shape, start.to_array(), velocity.to_array());
                                ids.push((length, half, seam, distance, down, x, world.add(&body).unwrap()));
                                x += 30.0;
                            }
                        }
                    }
                }
            }
            for _ in 0..30 {
                world.step(DT).unwrap();
                for &(length, half, seam, distance, down, x, id) in &ids {
                    let sunk = DVec2::new(x - half, half) - position(&mut world, id);
                    assert!(
                        sunk.x > -0.06 && sunk.y < 0.06,
                        "{solver:?}, tiles of {length}, {half}, {seam}, {distance}, {down}: {sunk} on {:?}",
                        world.choice()
                    );
                }
            }
        }
    }
}

/// Adds a static body, a second static body `beside` it, and a body that lands on the first.
fn land(world: &mut World, x: f64, ground: &[[f64; 2]], lands: &[[f64; 2]], beside: &[[f64; 2]]) -> BodyId {
    for corners in [ground, beside] {
        let shape = polygon(world, corners);
        world.add(&smooth(shape, [x, 0.0])).unwrap();
    }
    let shape = polygon(world, lands);
    world.add(&slider(shape, [x, 0.25], [0.0, -5.0])).unwrap()
}

/// Tests bodies that land flat on a static body whose neighbour does not hold them, and then tilt over its end. The neighbour must
/// not change anything.
#[test]
fn a_neighbour_that_does_not_hold_a_body_changes_nothing() {
    let ground = [[-1.0, -0.5], [0.0, -0.5], [0.0, 0.0], [-1.0, 0.0]];
    // The top of the neighbour begins far from the seam.
    let slope = [[0.0, -0.5], [3.0, -0.5], [3.0, 0.0], [2.9, 0.0]];
    let plank = [[-0.25, 0.0], [0.95, 0.0], [0.95, 0.8], [-0.25, 0.8]];
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let far = slope.map(|[x, y]| [x + 5.0, y]);
            let alone = land(&mut world, 0.0, &ground, &plank, &far);
            let beside = land(&mut world, 20.0, &ground, &plank, &slope);
            // The body lands in the third step.
            for _ in 0..5 {
                world.step(DT).unwrap();
                let apart =
                    position(&mut world, beside) - position(&mut world, alone) - DVec2::new(20.0, 0.0);
                let turned = [alone, beside].map(|id| world.velocity(id).unwrap().1);
                assert!(
                    apart.length() < 0.01 && (turned[0] - turned[1]).abs() < 0.1,
                    "{solver:?}: {apart} {turned:?} on {:?}",
                    world.choice()
                );
            }
        }
    }
}

/// Tests triangles whose centre of mass is beyond the end of their flat side. This end is near the seam.
#[test]
fn a_body_that_leans_over_a_seam_does_not_sink() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let tile = rectangle(&mut world, 4.0, 0.5);
            let triangle = polygon(&mut world, &[[-1.0, 0.0], [0.0, 0.0], [2.0, 1.0]]);
            let mut ids = Vec::new();
            for (k, seam) in
                (0..).zip([-0.01, -0.001, -5e-5, -2e-5, 0.0, 2e-5, 5e-5, 8e-5, 2e-4, 0.001, 0.01])
            {
                let x = 20.0 * f64::from(k);
                for side in [-2.0, 2.0] {
                    world.add(&smooth(tile, [x + seam + side, -0.25])).unwrap();
                }
                let body = slider(triangle, [x, 0.25], [0.0, -20.0]);
                ids.push((seam, world.add(&body).unwrap()));
            }
            for _ in 0..30 {
                world.step(DT).unwrap();
                for &(seam, id) in &ids {
                    let pose = world.pose(id).unwrap();
                    let lowest = [[-1.0, 0.0], [0.0, 0.0], [2.0, 1.0]]
                        .map(|corner| pose.apply(corner.into()).y)
                        .into_iter()
                        .fold(f64::MAX, f64::min);
                    assert!(lowest > -0.05, "{solver:?}, {seam}: {lowest} on {:?}", world.choice());
                }
            }
        }
    }
}
