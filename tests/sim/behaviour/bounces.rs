//! Bodies bounce according to their restitution.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyKind, BodyOptions, ShapeId, Solver, World, WorldOptions};
use sat2d::{ConvexPolygon, RoundedShape};

use super::{DT, SOLVERS, circle, heavy, position, rectangle, slider, smooth, weightless, worlds};

const RESTITUTIONS: [f64; 6] = [0.1, 0.2, 0.3, 0.5, 0.8, 1.0];

/// A body that falls onto a floor of its own, far from the floors of all other bodies.
struct Fall {
    id: BodyId,
    restitution: f64,
    /// The distance of the body from the middle of its floor.
    x: f64,
    /// The height of the body above its floor, at the start.
    height: f64,
    /// The height of the floor.
    floor: f64,
}

/// Adds a floor of width 10 and a falling body for each restitution and each start. A start is a position relative to
/// the middle of the floor.
fn falls(world: &mut World, shape: ShapeId, starts: [[f64; 2]; 4]) -> Vec<Fall> {
    let floor = rectangle(world, 10.0, 1.0);
    let mut falls = Vec::new();
    for (row, restitution) in (0..).zip(RESTITUTIONS) {
        for (column, [x, height]) in (0..).zip(starts) {
            let base = DVec2::new(25.0 * f64::from(column), 25.0 * f64::from(row));
            world.add(&smooth(floor, (base + DVec2::new(0.0, -0.5)).to_array())).unwrap();
            let body = slider(shape, (base + DVec2::new(x, height)).to_array(), [0.0; 2]);
            let id = world.add(&BodyOptions { restitution, ..body }).unwrap();
            falls.push(Fall { id, restitution, x, height, floor: base.y });
        }
    }
    falls
}

/// Tests a box that falls flat onto a floor. It falls onto the middle of the floor, or onto its end. At the end, a part
/// of the box is beyond the floor, but the centre of mass is above the floor.
#[test]
fn a_flat_bounce_gives_no_spin() {
    for mut world in worlds(&heavy(Solver::Rigid)) {
        let box_ = rectangle(&mut world, 1.0, 1.0);
        let falls = falls(&mut world, box_, [[0.0, 4.5], [0.0, 4.37], [4.8, 4.5], [4.8, 3.21]]);
        // For each box: the greatest spin, and the greatest height after the first bounce.
        let mut found = vec![(0.0f64, 0.0f64, false); falls.len()];
        for _ in 0..120 {
            world.step(DT).unwrap();
            for (fall, (spin, top, has_bounced)) in falls.iter().zip(&mut found) {
                let (v, w) = world.velocity(fall.id).unwrap();
                *spin = spin.max(w.abs());
                *has_bounced |= v.y > 0.0;
                if *has_bounced {
                    *top = top.max(position(&mut world, fall.id).y - fall.floor);
                }
            }
        }
        for (&Fall { restitution, x, height, .. }, (spin, top, _)) in falls.iter().zip(found) {
            let name = format!("restitution {restitution} at {x}, from {height}, on {:?}", world.choice());
            assert!(spin < 0.01, "{name}: {spin}");
            // The ratio of the speed after the bounce to the speed before it, computed from the heights.
            let ratio = ((top - 0.5) / (height - 0.5)).sqrt();
            assert!((ratio - restitution).abs() < 0.02, "{name}: {ratio}");
        }
    }
}

/// Tests boxes that land flat on several tiles, at several offsets from the seams, and on tiles of several lengths.
#[test]
fn a_flat_bounce_on_tiles_gives_no_spin() {
    for mut world in worlds(&weightless(Solver::Rigid)) {
        let shapes = [1.0, 0.8].map(|side| rectangle(&mut world, side, side));
        let core = ConvexPolygon::new(&[[-0.3, -0.3], [0.3, -0.3], [0.3, 0.3], [-0.3, 0.3]]).unwrap();
        let rounded = world.add_shape(&RoundedShape::polygon(&core, 0.1).unwrap()).unwrap();
        let mut ids = Vec::new();
        for (row, length) in (0..).zip([1.0, 0.37, 0.1]) {
            let tile = rectangle(&mut world, length, 0.5);
            for (column, (restitution, down)) in (0..).zip([(0.3, 6.0), (1.0, 6.0), (1.0, 1.3)]) {
                for (lane, x) in (0..).zip([0.0, 0.03, 0.2, 0.5]) {
                    for (k, (shape, half)) in (0..).zip([(shapes[0], 0.5), (shapes[1], 0.4), (rounded, 0.4)])
                    {
                        let base = DVec2::new(
                            30.0 * f64::from(column) + 6.0 * f64::from(lane),
                            30.0 * f64::from(row) + 6.0 * f64::from(k),
                        );
                        let count = (3.0 / length) as i32;
                        for tile_index in -count..count {
                            let at = base + DVec2::new((f64::from(tile_index) + 0.5) * length, -0.25);
                            let tile = BodyOptions { restitution, ..smooth(tile, at.to_array()) };
                            world.add(&tile).unwrap();
                        }
                        let body =
                            slider(shape, (base + DVec2::new(x, half + 0.25)).to_array(), [0.0, -down]);
                        ids.push((length, restitution, down, x, k, world.add(&body).unwrap()));
                    }
                }
            }
        }
        world.steps(20, DT).unwrap();
        for (length, restitution, down, x, k, id) in ids {
            let (v, w) = world.velocity(id).unwrap();
            assert!(
                (v - DVec2::new(0.0, down * restitution)).length() < 0.01 && w.abs() < 0.01,
                "tiles of {length}, restitution {restitution}, speed {down}, at {x}, shape {k}: {v} {w} on {:?}",
                world.choice()
            );
        }
    }
}

#[test]
fn a_ball_bounces_by_its_restitution() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let ball = circle(&mut world, 0.5);
            let falls = falls(&mut world, ball, [[0.0, 2.0], [0.0, 4.5], [0.0, 4.37], [0.0, 9.0]]);
            // For each ball: the square of its speed at the floor before and after the first bounce.
            let mut squares = vec![(0.0, 0.0); falls.len()];
            // The highest ball reaches its floor after 79 steps. A ball that does not bounce keeps a second square of 0.
            for _ in 0..90 {
                world.step(DT).unwrap();
                for (fall, (down, up)) in falls.iter().zip(&mut squares) {
                    if *up > 0.0 {
                        continue;
                    }
                    let v = world.velocity(fall.id).unwrap().0.y;
                    // The square of the speed at the floor, from conservation of energy.
                    let height = position(&mut world, fall.id).y - fall.floor;
                    let square = v * v + 20.0 * (height - 0.5);
                    (*down, *up) = if v > 0.0 { (*down, square) } else { (square, 0.0) };
                }
            }
            for (&Fall { restitution, height, .. }, (down, up)) in falls.iter().zip(squares) {
                let ratio: f64 = (up / down).sqrt();
                assert!(
                    (ratio - restitution).abs() < 0.015,
                    "{solver:?}, from {height}: {ratio} instead of {restitution} on {:?}",
                    world.choice()
                );
            }
        }
    }
}

/// Tests that bodies still reach their first height after twenty seconds and up to 14 bounces.
#[test]
fn a_body_that_loses_nothing_bounces_as_high_for_long() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let floor = rectangle(&mut world, 100.0, 1.0);
            let shapes = [rectangle(&mut world, 1.0, 1.0), circle(&mut world, 0.5)];
            world.add(&smooth(floor, [0.0, -0.5])).unwrap();
            let heights = [3.0, 3.3, 3.6, 3.9, 4.2, 4.5];
            let ids = [0, 1, 2, 3, 4, 5].map(|k| {
                let body = slider(shapes[k % 2], [5.0 * k as f64, heights[k]], [0.0; 2]);
                world.add(&BodyOptions { restitution: 1.0, ..body }).unwrap()
            });
            world.steps(1200 - 120, DT).unwrap();
            let mut tops = [0.0f64; 6];
            for _ in 0..120 {
                world.step(DT).unwrap();
                for (top, id) in tops.iter_mut().zip(ids) {
                    *top = top.max(position(&mut world, id).y);
                }
            }
            for (top, height) in tops.into_iter().zip(heights) {
                let ratio = (top - 0.5) / (height - 0.5);
                assert!((ratio - 1.0).abs() < 0.01, "{solver:?}: {ratio} on {:?}", world.choice());
            }
        }
    }
}

/// Tests the friction of an impact, with or without a bounce. Friction slows a sliding body by
/// `friction * impulse / mass`.
#[test]
fn an_impact_has_friction() {
    let (along, down) = (10.0, 4.0);
    for solver in SOLVERS {
        // Each restitution has a world of its own. If no body of a world has a restitution, a device runs no rounds of
        // bouncing.
        for restitution in [0.0, 0.5] {
            for mut world in worlds(&WorldOptions { restitution_threshold: 0.5, ..weightless(solver) }) {
                let floor = rectangle(&mut world, 50.0, 1.0);
                let shapes = [circle(&mut world, 0.5), rectangle(&mut world, 1.0, 1.0)];
                let mut ids = Vec::new();
                for (row, friction) in (0..).zip([0.1, 0.2]) {
                    let y = 20.0 * f64::from(row);
                    world.add(&BodyOptions { friction, ..smooth(floor, [0.0, y - 0.5]) }).unwrap();
                    for (x, shape) in [-15.0, -10.0].into_iter().zip(shapes) {
                        let body = slider(shape, [x, y + 1.0], [along, -down]);
                        let body = BodyOptions { restitution, friction, fixed_rotation: true, ..body };
                        ids.push((friction, world.add(&body).unwrap()));
                    }
                }
                world.steps(30, DT).unwrap();
                for (friction, id) in ids {
                    let expected = along - friction * (1.0 + restitution) * down;
                    let v = world.velocity(id).unwrap().0;
                    assert!(
                        (v.x - expected).abs() < 0.02,
                        "{solver:?} {restitution} {friction}: {v}, {expected} on {:?}",
                        world.choice()
                    );
                }
            }
        }
    }
}

/// Tests bodies that bounce lower than their height one step before the impact.
#[test]
fn a_low_bounce_shifts_nothing_but_the_height() {
    for solver in SOLVERS {
        for mut world in worlds(&heavy(solver)) {
            let floor = rectangle(&mut world, 400.0, 1.0);
            let ball = circle(&mut world, 0.1);
            let mut ids = Vec::new();
            for (row, restitution) in (0..).zip([0.05, 0.1, 0.3]) {
                for (lane, v) in (0..).zip([3.0, 10.0, 40.0]) {
                    let [x, y] = [500.0 * f64::from(lane), 50.0 * f64::from(row)];
                    world.add(&smooth(floor, [x, y - 0.5])).unwrap();
                    let start = [x - 60.0, y + 1.0 + 0.013 * v];
                    let body = BodyOptions { restitution, ..slider(ball, start, [v, -3.0]) };
                    ids.push((world.add(&body).unwrap(), start, v, y));
                }
            }
            for step in 1..=90 {
                world.step(DT).unwrap();
                for &(id, start, v, y) in &ids {
                    let at = position(&mut world, id);
                    let off = at.x - start[0] - v * DT * f64::from(step);
                    assert!(off.abs() < 1e-3 && at.y > y + 0.09, "{solver:?} {v} {step}: {off} {}", at.y - y);
                }
            }
        }
    }
}

#[test]
fn a_low_bounce_on_a_lift_or_of_a_rotating_rod_adds_no_overlap() {
    for mut world in worlds(&heavy(Solver::Rigid)) {
        let floor = rectangle(&mut world, 10.0, 1.0);
        let (ball, rod) = (circle(&mut world, 0.1), rectangle(&mut world, 2.0, 0.1));
        let (mut balls, mut rods) = (Vec::new(), Vec::new());
        for k in 0..12 {
            let (x, lift) = (20.0 * f64::from(k), [-2.0, 2.0, -20.0, 0.0][k as usize % 4]);
            let restitution = [0.05, 0.1, 0.3][k as usize % 3];
            let kind = BodyKind::Kinematic;
            let at = [x, -0.5];
            world.add(&BodyOptions { kind, velocity: [0.0, lift].into(), ..smooth(floor, at) }).unwrap();
            let body = slider(ball, [x, 0.6 + 0.017 * f64::from(k)], [0.0, lift - 4.0]);
            balls.push((lift, world.add(&BodyOptions { restitution, ..body }).unwrap()));
            let x = x + 300.0;
            world.add(&smooth(floor, [x, -0.5])).unwrap();
            let body = slider(rod, [x, 0.9 + 0.03 * f64::from(k)], [0.0, -6.0]);
            let body = BodyOptions { restitution, angle: 0.5, angular_velocity: -9.0, ..body };
            rods.push(world.add(&body).unwrap());
        }
        for step in 1..=40 {
            world.step(DT).unwrap();
            for &(lift, id) in &balls {
                let gap = position(&mut world, id).y - 0.1 - lift * DT * f64::from(step);
                assert!(gap > -0.01, "lift {lift}, step {step}: {gap}");
            }
            for &id in &rods {
                let pose = world.pose(id).unwrap();
                let low = pose.translation().y - pose.sin().abs() - 0.05 * pose.cos().abs();
                // Rods without restitution overlap the floor by as much, because their tips move on arcs.
                assert!(low > -0.08, "step {step}: {low}");
            }
        }
    }
}

/// Tests a ball in a corridor and a ball that a paddle hits, each with and without the flag for fast bodies. Both variants of a
/// ball have the same path, even if the ball bounces back or the paddle is faster than the ball.
#[test]
fn a_fast_body_moves_like_any_other_when_it_bounces_or_is_hit() {
    for solver in SOLVERS {
        for restitution in [0.0, 0.5, 1.0] {
            for mut world in worlds(&weightless(solver)) {
                let (wall, ball) = (rectangle(&mut world, 2.0, 40.0), circle(&mut world, 0.1));
                let paddle = rectangle(&mut world, 4.0, 0.2);
                let mut lanes: Vec<(String, [BodyId; 2])> = Vec::new();
                let mut y = 0.0;
                for (vx, vy) in [(2.0, 0.0), (20.0, 14.0), (33.0, 0.0), (60.0, 20.0)] {
                    let pair = [false, true].map(|fast| {
                        y += 100.0;
                        for x in [-4.0, 4.03] {
                            let wall = BodyOptions { restitution, ..smooth(wall, [x, y]) };
                            world.add(&wall).unwrap();
                        }
                        let ball = slider(ball, [0.0, y], [vx, vy]);
                        world.add(&BodyOptions { restitution, fast, ..ball }).unwrap()
                    });
                    lanes.push((format!("corridor, {vx}, {vy}"), pair));
                }
                for spin in [5.0, 20.0] {
                    let pair = [false, true].map(|fast| {
                        y += 100.0;
                        // The paddle hits the ball with its right half, from below.
                        let paddle = BodyOptions {
                            friction: 0.0,
                            restitution,
                            angular_velocity: spin,
                            ..BodyOptions::kinematic(paddle, [0.0, y], [0.0; 2])
                        };
                        world.add(&paddle).unwrap();
                        let ball = slider(ball, [1.5, y + 0.5], [0.0, -1.0]);
                        world.add(&BodyOptions { restitution, fast, ..ball }).unwrap()
                    });
                    lanes.push((format!("paddle, {spin}"), pair));
                }
                world.steps(60, 1.0 / 240.0).unwrap();
                for (name, [usual, fast]) in lanes {
                    let way = position(&mut world, fast) - position(&mut world, usual);
                    let apart = (way - DVec2::new(0.0, 100.0)).length();
                    assert!(
                        apart < 0.02,
                        "{solver:?}, {restitution}, {name}: {apart} on {:?}",
                        world.choice()
                    );
                }
            }
        }
    }
}
