//! Surfaces of many static bodies: bodies slide, roll, bounce and fall on them and beside them as on one body.

use sat2d::RoundedShape;
use sat2d::glam::DVec2;
use sat2d::sim::{BodyOptions, ShapeId, World};

use super::{DT, SOLVERS, circle, heavy, polygon, position, rectangle, slider, smooth, speed, worlds};

fn segment(world: &mut World, from: [f64; 2], to: [f64; 2]) -> ShapeId {
    world.add_shape(&RoundedShape::capsule(from, to, 0.0).unwrap()).unwrap()
}

/// Adds a regular polygon that lies on one of its edges, and returns it with the height of its centre above this edge.
fn regular(world: &mut World, count: u32, radius: f64) -> (ShapeId, f64) {
    let step = std::f64::consts::TAU / f64::from(count);
    let corner = |k: u32| {
        let angle = step * (f64::from(k) + 0.5) - std::f64::consts::FRAC_PI_2;
        (radius * DVec2::from_angle(angle)).to_array()
    };
    let corners: Vec<[f64; 2]> = (0..count).map(corner).collect();
    (polygon(world, &corners), radius * (0.5 * step).cos())
}

#[test]
fn a_box_pressed_into_an_inner_corner_of_tiles_rests_there() {
    for solver in SOLVERS {
        for degrees in [2.0f64, 10.0, 30.0] {
            for mut world in worlds(&heavy(solver)) {
                let down = degrees.to_radians();
                world.set_gravity([10.0 * down.sin(), -10.0 * down.cos()]).unwrap();
                let tile = rectangle(&mut world, 1.0, 1.0);
                let mut ids = Vec::new();
                for (row, half) in (0..).zip([0.2, 0.4]) {
                    let shape = rectangle(&mut world, 2.0 * half, 2.0 * half);
                    for (column, fixed_rotation) in (0..).zip([false, true]) {
                        let base = DVec2::new(15.0 * f64::from(column), 15.0 * f64::from(row));
                        for at in [[-1.0, -0.5], [0.0, -0.5], [1.0, -0.5], [1.0, 0.5]] {
                            world.add(&smooth(tile, (base + DVec2::from(at)).to_array())).unwrap();
                        }
                        let at = base + DVec2::new(0.48 - half, half);
                        let body = slider(shape, at.to_array(), [0.0; 2]);
                        let id = world.add(&BodyOptions { fixed_rotation, ..body }).unwrap();
                        ids.push((half, fixed_rotation, base, id));
                    }
                }
                world.steps(120, DT).unwrap();
                for (half, fixed_rotation, base, id) in ids {
                    let (found, v) = (position(&mut world, id) - base, speed(&mut world, id));
                    let away = found.distance(DVec2::new(0.5 - half, half));
                    assert!(
                        away < 0.02 && v < 0.05,
                        "{solver:?} {degrees} {half} {fixed_rotation}: {found} {v} on {:?}",
                        world.choice()
                    );
                }
            }
        }
    }
}

/// Adds a segment, a triangle and a trapezoid with the same upper side, from (-0.5, 0) to (0.5, 0). Rows of the triangle
/// and of the trapezoid have grooves below this side.
fn flat_tops(world: &mut World) -> [ShapeId; 3] {
    [
        segment(world, [-0.5, 0.0], [0.5, 0.0]),
        polygon(world, &[[-0.5, 0.0], [0.0, -0.8], [0.5, 0.0]]),
        polygon(world, &[[-0.5, 0.0], [-0.3, -0.5], [0.3, -0.5], [0.5, 0.0]]),
    ]
}

#[test]
fn a_box_keeps_its_speed_over_a_row_of_flat_tops() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let mut ids = Vec::new();
            for (row, tile) in (0..).zip(flat_tops(&mut world)) {
                for (column, v) in (0..).zip([0.5, 2.0, 10.0]) {
                    for (lane, (half, fixed_rotation)) in
                        (0..).zip([(0.5, false), (0.5, true), (0.2, true), (1.2, true)])
                    {
                        let base = DVec2::new(
                            100.0 * f64::from(column),
                            50.0 * f64::from(row) + 10.0 * f64::from(lane),
                        );
                        for k in 0..30 {
                            let at = base + DVec2::new(f64::from(k) - 3.0, 0.0);
                            world.add(&smooth(tile, at.to_array())).unwrap();
                        }
                        let shape = rectangle(&mut world, 2.0 * half, 2.0 * half);
                        let at = base + DVec2::new(0.03, half);
                        let body = slider(shape, at.to_array(), [v, 0.0]);
                        let id = world.add(&BodyOptions { fixed_rotation, ..body }).unwrap();
                        ids.push((id, row, v, half, fixed_rotation));
                    }
                }
            }
            world.steps(120, DT).unwrap();
            let mut wrong = Vec::new();
            for (id, row, v, half, fixed_rotation) in ids {
                let (found, spin) = world.velocity(id).unwrap();
                let is_right = (found.x / v - 1.0).abs() < 1e-3 && found.y.abs() < 0.01 && spin.abs() < 0.01;
                if !is_right {
                    wrong.push((row, v, half, fixed_rotation, found, spin));
                }
            }
            assert!(wrong.is_empty(), "{solver:?}: {wrong:?}");
        }
    }
}

#[test]
fn a_groove_below_a_row_of_triangles_holds_what_is_pressed_into_it() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            world.set_gravity([0.0, 10.0]).unwrap();
            let [_, triangle, trapezoid] = flat_tops(&mut world);
            let mut ids = Vec::new();
            for (column, (tile, slope)) in (0..).zip([(triangle, 0.8 / 0.5), (trapezoid, 0.5 / 0.2)]) {
                for (row, half) in (0..).zip([0.04, 0.1]) {
                    let base = DVec2::new(20.0 * f64::from(column), 20.0 * f64::from(row));
                    for k in 0..4 {
                        world.add(&smooth(tile, (base + DVec2::new(f64::from(k), 0.0)).to_array())).unwrap();
                    }
                    let shape = rectangle(&mut world, 2.0 * half, 2.0 * half);
                    let at = base + DVec2::new(1.5 + 0.3 * half, -0.3);
                    let body = slider(shape, at.to_array(), [0.0; 2]);
                    let id = world.add(&BodyOptions { fixed_rotation: true, ..body }).unwrap();
                    // The upper corners of the box lie on the sides of the groove.
                    ids.push((id, base + DVec2::new(1.5, -half * (1.0 + slope))));
                }
            }
            world.steps(180, DT).unwrap();
            for (id, expected) in ids {
                let (at, v) = (position(&mut world, id), speed(&mut world, id));
                assert!(at.distance(expected) < 0.03 && v < 0.05, "{solver:?}: {at} {expected} {v}");
            }
        }
    }
}

#[test]
fn a_polygon_of_many_sides_keeps_its_speed_over_flush_tiles() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let tile = rectangle(&mut world, 1.0, 1.0);
            let mut ids = Vec::new();
            for (row, count) in (0..).zip([5, 6, 8, 12, 16]) {
                for (column, v) in (0..).zip([3.0, 10.0]) {
                    let base = DVec2::new(200.0 * f64::from(column), 10.0 * f64::from(row));
                    for k in 0..25 {
                        let at = base + DVec2::new(f64::from(k) - 2.0, -0.5);
                        world.add(&smooth(tile, at.to_array())).unwrap();
                    }
                    let (shape, height) = regular(&mut world, count, 0.5);
                    let at = base + DVec2::new(0.0, height);
                    ids.push((count, v, world.add(&slider(shape, at.to_array(), [v, 0.0])).unwrap()));
                }
            }
            world.steps(100, DT).unwrap();
            for (count, v, id) in ids {
                let found = world.velocity(id).unwrap().0;
                assert!(
                    found.distance(DVec2::new(v, 0.0)) < 0.005 * v,
                    "{solver:?}, {count} sides, {v}: {found}"
                );
            }
        }
    }
}

#[test]
fn a_fast_body_falls_past_the_end_of_a_segment_and_past_a_tip() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let shelves = [
                segment(&mut world, [-2.0, 0.0], [0.0, 0.0]),
                polygon(&mut world, &[[-2.0, -0.3], [0.0, 0.0], [-2.0, 0.3]]),
                polygon(&mut world, &[[-1.0, 0.0], [-0.5, -0.5], [0.0, 0.0], [-0.5, 0.5]]),
            ];
            let disc = circle(&mut world, 0.5);
            let mut ids = Vec::new();
            for (row, &shelf) in (0..).zip(&shelves) {
                for (column, clearance) in (0..).zip([0.01, 0.02, 0.1]) {
                    let [x, y] = [10.0 * f64::from(column), 20.0 * f64::from(row)];
                    world.add(&smooth(shelf, [x, y])).unwrap();
                    let body = slider(disc, [x + 0.5 + clearance, y + 3.0], [0.0; 2]);
                    let id = world.add(&BodyOptions { fast: true, ..body }).unwrap();
                    ids.push((row, clearance, y, id));
                }
            }
            world.steps(78, DT).unwrap();
            for (row, clearance, y, id) in ids {
                let at = position(&mut world, id);
                assert!(
                    (at.y - y + 5.56).abs() < 0.1,
                    "{solver:?}, shelf {row}, clearance {clearance}: {}",
                    at.y - y
                );
            }
        }
    }
}

#[test]
fn a_small_disc_over_the_gap_between_two_tiles_rests() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let tile = rectangle(&mut world, 1.0, 1.0);
            let mut ids = Vec::new();
            for (row, radius) in (0..).zip([0.02, 0.05, 0.3]) {
                for (column, (gap, fast)) in (0..).zip([(0.0, false), (4e-4, false), (4e-4, true)]) {
                    let [x, y] = [10.0 * f64::from(column), 10.0 * f64::from(row)];
                    for side in [-1.0, 1.0] {
                        world.add(&smooth(tile, [x + side * (0.5 + 0.5 * gap), y - 0.5])).unwrap();
                    }
                    let disc = circle(&mut world, radius);
                    let body = BodyOptions { fast, ..slider(disc, [x, y + radius + 0.3], [0.0; 2]) };
                    ids.push((radius, gap, fast, y, world.add(&body).unwrap()));
                }
            }
            world.steps(120, DT).unwrap();
            for (radius, gap, fast, y, id) in ids {
                let height = position(&mut world, id).y - y;
                assert!((height - radius).abs() < 0.01, "{solver:?} {radius} {gap} {fast}: {height}");
            }
        }
    }
}

#[test]
fn a_box_deep_in_a_seam_is_pushed_out() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let tile = rectangle(&mut world, 1.0, 1.0);
            for side in [-0.5, 0.5] {
                world.add(&smooth(tile, [side, -0.5])).unwrap();
            }
            let shape = rectangle(&mut world, 0.4, 0.4);
            let id = world.add(&slider(shape, [0.0, -0.05], [0.0; 2])).unwrap();
            world.steps(240, DT).unwrap();
            let at = position(&mut world, id);
            assert!(at.y > 0.15, "{solver:?}: {at}");
        }
    }
}

#[test]
fn a_bouncy_body_that_falls_past_a_shelf_does_not_bounce() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let shelf = rectangle(&mut world, 2.0, 0.2);
            let disc = circle(&mut world, 0.25);
            let mut ids = Vec::new();
            for k in 0..60 {
                let x = 10.0 * f64::from(k);
                let floor = BodyOptions { restitution: 0.5, ..smooth(shelf, [x - 1.0, 0.0]) };
                world.add(&floor).unwrap();
                let clearance = [0.001, 0.003, 0.01, 0.03][k as usize % 4];
                let at = [x + 0.25 + clearance, 0.6 + 0.05 * f64::from(k)];
                ids.push((at, world.add(&slider(disc, at, [0.0; 2])).unwrap()));
            }
            world.steps(90, DT).unwrap();
            for (at, id) in ids {
                let found = world.velocity(id).unwrap().0;
                assert!(found.x.abs() < 0.02, "{solver:?} {at:?}: {found}");
            }
        }
    }
}
