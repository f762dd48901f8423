//! Static bodies that touch form one surface: bodies that slide over it do not hit the seams between them.

use sat2d::Pose;
use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyOptions, Layers, Solver};

use super::{
    DT, SOLVERS, circle, heavy, polygon, position, rectangle, slider, smooth, speed, weightless, worlds,
};

/// The time for which bodies slide over tiles, in seconds.
const SECONDS: f64 = 4.0;

/// Asserts that sliding boxes and balls keep more than 0.999 of their speed on tiles, and get as far as this speed takes them, on
/// each backend. Tries several distances between the tiles and several speeds, with and without fixed rotation, and fast bodies.
fn assert_keeps_speed(solver: Solver, is_heavy: bool, distances: &[f64], speeds: &[f64]) {
    let options = if is_heavy { heavy(solver) } else { weightless(solver) };
    for mut world in worlds(&options) {
        let tile = rectangle(&mut world, 1.0, 1.0);
        let shapes = [("box", rectangle(&mut world, 0.8, 0.8), 0.4), ("ball", circle(&mut world, 0.3), 0.3)];
        let (mut lanes, mut y) = (Vec::new(), 0.0);
        for &apart in distances {
            for &v in speeds {
                for (name, shape, half) in shapes {
                    for (fixed_rotation, fast) in [(false, false), (true, false), (false, true), (true, true)]
                    {
                        for x in 0..(v * SECONDS) as u32 + 4 {
                            let at = [f64::from(x) * (1.0 + apart) + 0.5, y - 0.5];
                            world.add(&smooth(tile, at)).unwrap();
                        }
                        let body = slider(shape, [1.2, y + half], [v, 0.0]);
                        let id = world.add(&BodyOptions { fixed_rotation, fast, ..body }).unwrap();
                        lanes.push((id, apart, v, name, fixed_rotation, fast));
                        y += 10.0;
                    }
                }
            }
        }
        world.steps((SECONDS / DT) as u64, DT).unwrap();
        for (id, apart, v, name, fixed_rotation, fast) in lanes {
            let kept = speed(&mut world, id) / v;
            let moved = (position(&mut world, id).x - 1.2) / (v * SECONDS);
            assert!(
                kept > 0.999 && moved > 0.999,
                "{solver:?}, heavy: {is_heavy}, {apart} apart, {v}, {name}, {fixed_rotation}, fast: {fast}: {kept}, {moved} on {:?}",
                world.choice()
            );
        }
    }
}

#[test]
fn a_body_keeps_its_speed_over_flush_tiles() {
    for solver in SOLVERS {
        for is_heavy in [false, true] {
            assert_keeps_speed(solver, is_heavy, &[0.0], &[0.5, 5.0, 20.0]);
        }
    }
}

#[test]
fn so_it_does_where_tiles_overlap_or_miss_each_other_by_rounding() {
    for solver in SOLVERS {
        assert_keeps_speed(solver, true, &[-0.1, -1e-4, 1e-4], &[5.0]);
    }
}

/// Returns a point relative to a slope of 20 degrees, from the distances along the slope and above it.
fn on_slope(along: f64, above: f64) -> [f64; 2] {
    DVec2::from_angle(-SLOPE).rotate(DVec2::new(along, above)).to_array()
}

const SLOPE: f64 = 0.35;

#[test]
fn a_slope_of_tiles_is_a_slope() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let tile = rectangle(&mut world, 1.0, 1.0);
            let tiles: Vec<BodyOptions> = (0..40)
                .map(|k| BodyOptions { angle: -SLOPE, ..smooth(tile, on_slope(f64::from(k), -0.5)) })
                .collect();
            // Add the tiles in a mixed order.
            for k in 0..40 {
                world.add(&tiles[k * 13 % 40]).unwrap();
            }
            let ball = circle(&mut world, 0.3);
            let id = world.add(&slider(ball, on_slope(1.2, 0.3), [0.0; 2])).unwrap();
            world.steps(150, DT).unwrap();
            let expected = 10.0 * SLOPE.sin() * 150.0 * DT;
            let found = speed(&mut world, id);
            assert!((found / expected - 1.0).abs() < 0.005, "{solver:?}: {found}, not {expected}");
        }
    }
}

#[test]
fn a_body_that_is_pressed_against_a_wall_of_tiles_falls_along_it() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            world.set_gravity([5.0, -10.0]).unwrap();
            let tile = rectangle(&mut world, 1.0, 1.0);
            for k in 0..20 {
                world.add(&smooth(tile, [0.5, -f64::from(k)])).unwrap();
            }
            let box_ = rectangle(&mut world, 0.8, 0.8);
            let id = world.add(&slider(box_, [-0.4, 0.0], [0.0; 2])).unwrap();
            world.steps(100, DT).unwrap();
            let (v, w) = world.velocity(id).unwrap();
            let expected = -10.0 * 100.0 * DT;
            assert!((v.y / expected - 1.0).abs() < 0.005 && w.abs() < 0.01, "{solver:?}: {v} {w}");
        }
    }
}

/// Tests a box that slides against a wall on a floor. Beside it, two slopes meet in a vertex, and the tip of a body reaches
/// down to this vertex.
#[test]
fn edges_at_an_inner_corner_hold_bodies() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let floor = rectangle(&mut world, 10.0, 1.0);
            let wall = rectangle(&mut world, 1.0, 5.0);
            world.add(&smooth(floor, [0.0, -0.5])).unwrap();
            world.add(&smooth(wall, [4.5, 2.5])).unwrap();
            let shape = rectangle(&mut world, 0.8, 0.8);
            let box_ = world.add(&slider(shape, [2.0, 0.4], [3.0, 0.0])).unwrap();
            let left = polygon(&mut world, &[[-5.0, 0.0], [0.0, 0.0], [-5.0, 5.0]]);
            let right = polygon(&mut world, &[[0.0, 0.0], [5.0, 0.0], [5.0, 5.0]]);
            for slope in [left, right] {
                world.add(&smooth(slope, [-20.0, 0.0])).unwrap();
            }
            let tip = polygon(&mut world, &[[0.0, 0.0], [0.3, 1.0], [-0.3, 1.0]]);
            let tip = BodyOptions { fixed_rotation: true, ..slider(tip, [-20.0, 1.0], [0.0; 2]) };
            let tip = world.add(&tip).unwrap();
            world.steps(600, DT).unwrap();
            for (name, id, at) in [("box", box_, [3.6, 0.4]), ("tip", tip, [-20.0, 0.0])] {
                let (found, v) = (position(&mut world, id), speed(&mut world, id));
                assert!(
                    found.distance(at.into()) < 0.02 && v < 0.01,
                    "{solver:?}, {name}: {found} {v}, not {at:?} on {:?}",
                    world.choice()
                );
            }
        }
    }
}

#[test]
fn a_tip_over_a_seam_is_held() {
    // Narrow and wide tips, at rest on a seam and sliding over many seams.
    let tips = [[[0.0, 0.0], [0.1, 1.0], [-0.1, 1.0]], [[0.0, 0.0], [1.0, 1.0], [-1.0, 1.0]]];
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let tile = rectangle(&mut world, 1.0, 1.0);
            let (mut ids, mut y) = (Vec::new(), 0.0);
            for corners in tips {
                let tip = polygon(&mut world, &corners);
                for (x, v) in [(0.0, 0.0), (-3.0, 2.0)] {
                    for k in -10..10 {
                        world.add(&smooth(tile, [f64::from(k) + 0.5, y - 0.5])).unwrap();
                    }
                    let body = slider(tip, [x, y + 0.5], [v, 0.0]);
                    ids.push((y, v, world.add(&BodyOptions { fixed_rotation: true, ..body }).unwrap()));
                    y += 10.0;
                }
            }
            for _ in 0..120 {
                world.step(DT).unwrap();
                for &(y, v, id) in &ids {
                    let (at, kept) = (position(&mut world, id), world.velocity(id).unwrap().0.x - v);
                    assert!(at.y - y > -0.01 && kept.abs() < 0.01, "{solver:?} {y} {v}: {at} {kept}");
                }
            }
        }
    }
}

#[test]
fn a_step_up_stops_a_body() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let tile = rectangle(&mut world, 1.0, 1.0);
            for k in 0..10 {
                let height = if k < 5 { 0.0 } else { 0.05 };
                world.add(&smooth(tile, [f64::from(k) + 0.5, height - 0.5])).unwrap();
            }
            let shape = rectangle(&mut world, 0.8, 0.8);
            let body = BodyOptions { fixed_rotation: true, ..slider(shape, [1.2, 0.4], [5.0, 0.0]) };
            let id = world.add(&body).unwrap();
            world.steps(100, DT).unwrap();
            let (at, v) = (position(&mut world, id), speed(&mut world, id));
            assert!((at.x - 4.6).abs() < 0.01 && v < 0.01, "{solver:?}: {at} {v}");
        }
    }
}

#[test]
fn an_edge_is_there_again_when_its_neighbour_is_gone_or_elsewhere() {
    for solver in SOLVERS {
        for removed in [true, false] {
            for mut world in worlds(&weightless(solver)) {
                let tile = rectangle(&mut world, 1.0, 1.0);
                let tiles: Vec<BodyId> =
                    (0..4).map(|k| world.add(&smooth(tile, [f64::from(k) + 0.5, -0.5])).unwrap()).collect();
                world.step(DT).unwrap();
                if removed {
                    world.remove(tiles[1]).unwrap();
                } else {
                    world.set_pose(tiles[1], &Pose::new(0.0, [1.5, -5.0]).unwrap()).unwrap();
                }
                // The body hits the third tile below its top.
                let shape = circle(&mut world, 0.2);
                let id = world.add(&slider(shape, [1.4, -0.25], [5.0, 0.0])).unwrap();
                world.steps(30, DT).unwrap();
                let at = position(&mut world, id);
                assert!((at.x - 1.8).abs() < 0.01, "{solver:?} {removed}: {at}");
            }
        }
    }
}

/// Tests two tiles side by side, one of which is in a layer that the ball does not meet. The ball passes through this tile and
/// hits the side of the other tile.
#[test]
fn a_body_of_another_layer_hides_nothing() {
    let other = Layers { member: 2, meets: 2 };
    let first = Layers { member: 1, meets: 1 };
    for solver in SOLVERS {
        for mut world in worlds(&weightless(solver)) {
            let tile = rectangle(&mut world, 1.0, 1.0);
            for (x, layers) in [(0.0, first), (1.0, other)] {
                world.add(&BodyOptions { layers, ..smooth(tile, [x, 0.0]) }).unwrap();
            }
            let ball = circle(&mut world, 0.2);
            let ball = BodyOptions { layers: first, ..slider(ball, [1.5, 0.1], [-5.0, 0.0]) };
            let id = world.add(&ball).unwrap();
            world.steps(30, DT).unwrap();
            let at = position(&mut world, id);
            assert!((at.x - 0.7).abs() < 0.01, "{solver:?}: {at}");
        }
    }
}

#[test]
fn what_falls_on_a_seam_lands() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let tile = rectangle(&mut world, 1.0, 1.0);
            for k in -20..120 {
                world.add(&smooth(tile, [f64::from(k) + 0.5, -0.5])).unwrap();
            }
            let shapes = [rectangle(&mut world, 0.5, 0.5), circle(&mut world, 0.25)];
            let ids: Vec<BodyId> = (0..40)
                .map(|k| {
                    let x = 3.0 * f64::from(k) + 0.05 * f64::from(k % 10 - 5);
                    let angle = if k % 4 < 2 { 0.0 } else { 0.4 };
                    let velocity = [f64::from(k % 3 - 1) * 3.0, -10.0];
                    let body = slider(shapes[k as usize % 2], [x, 3.0], velocity);
                    world.add(&BodyOptions { angle, friction: 0.5, ..body }).unwrap()
                })
                .collect();
            let mut lowest = f64::INFINITY;
            for _ in 0..120 {
                world.step(DT).unwrap();
                for &id in &ids {
                    lowest = lowest.min(position(&mut world, id).y);
                }
            }
            assert!(lowest > 0.2, "{solver:?}: {lowest}");
        }
    }
}

/// Tests a triangle that flies into the inner corner of two walls. Each wall continues behind the other one.
#[test]
fn an_inner_corner_pushes_no_body_out_over_the_far_end_of_a_wall() {
    let corners = [0.0, 120.0, 240.0].map(|angle: f64| (0.8 * DVec2::from_angle(angle.to_radians())).into());
    for solver in SOLVERS {
        for mut world in worlds(&weightless(solver)) {
            let walls = [rectangle(&mut world, 6.0, 18.0), rectangle(&mut world, 18.0, 6.0)];
            let triangle = polygon(&mut world, &corners);
            world.add(&smooth(walls[0], [6.0, 0.0])).unwrap();
            world.add(&smooth(walls[1], [0.0, 6.0])).unwrap();
            let body = slider(triangle, [0.0; 2], [6.809259414672852, 7.323523044586182]);
            let id = world.add(&BodyOptions { restitution: 1.0, ..body }).unwrap();
            let at = [2.2697532176971436, 2.4411745369434357];
            world.set_pose(id, &Pose::new(-1.3812797246872914, at).unwrap()).unwrap();
            let before = world.statistics().unwrap().kinetic_energy;
            world.steps(30, DT).unwrap();
            let kept = world.statistics().unwrap().kinetic_energy / before;
            assert!((kept - 1.0).abs() < 0.01, "{solver:?}: {kept} on {:?}", world.choice());
        }
    }
}

/// Tests a triangle that slides on its flat side over a floor of triangles. One of these triangles has only a vertex in the surface.
#[test]
fn a_triangle_below_a_floor_of_triangles_stops_no_body() {
    let tops = [1.791045, 2.686567, 3.58209, 4.477612, 5.373134].map(|x| [x, 0.0]);
    let below = [[1.535611, -0.444126], [2.673062, -0.468631], [3.698284, -0.186897], [4.619478, -1.351835]];
    let tiles = [
        [tops[0], below[0], below[1]],
        [tops[0], below[1], tops[1]],
        [tops[1], below[1], tops[2]],
        [tops[2], below[1], below[2]],
        [tops[2], below[2], tops[3]],
        [tops[3], below[2], below[3]],
        [tops[3], below[3], tops[4]],
    ];
    let corners =
        [30.0, 150.0, 270.0].map(|angle: f64| (-0.5 * DVec2::from_angle(angle.to_radians())).into());
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let triangle = polygon(&mut world, &corners);
            let shapes = tiles.map(|tile| polygon(&mut world, &tile));
            let mut bodies = Vec::new();
            for lane in 0..40 {
                let y = 10.0 * f64::from(lane);
                for shape in shapes {
                    world.add(&smooth(shape, [0.0, y])).unwrap();
                }
                let (x, v) = (2.6 + 0.01 * f64::from(lane), 4.0 + 0.25 * f64::from(lane));
                bodies.push((world.add(&slider(triangle, [x, y + 0.25], [v, 0.0])).unwrap(), v));
            }
            for _ in 0..30 {
                world.step(DT).unwrap();
                for &(id, v) in &bodies {
                    let (x, found) = (position(&mut world, id).x, world.velocity(id).unwrap().0);
                    let is_kept = (found.x / v - 1.0).abs() < 0.02;
                    assert!(is_kept || x > 5.0, "{solver:?}, {v}: {found} at {x} on {:?}", world.choice());
                }
            }
        }
    }
}
