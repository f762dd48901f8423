//! Bounces by the restitution.

use sat2d::sim::{BodyKind, BodyOptions, Solver, WorldOptions};

use super::{DT, SOLVERS, circle, heavy, position, rectangle, slider, smooth, weightless, worlds};

const RESTITUTIONS: [f64; 6] = [0.1, 0.2, 0.3, 0.5, 0.8, 1.0];

/// Tests a box that falls flat onto a floor. It falls onto the middle of the floor, or onto its end. At the end, a part
/// of the box is beyond the floor, but the centre of mass is above the floor.
#[test]
fn a_flat_bounce_gives_no_spin() {
    for restitution in RESTITUTIONS {
        for (x, height) in [(0.0, 4.5), (0.0, 4.37), (4.8, 4.5), (4.8, 3.21)] {
            for mut world in worlds(&heavy(Solver::Rigid)) {
                let floor = rectangle(&mut world, 10.0, 1.0);
                let box_ = rectangle(&mut world, 1.0, 1.0);
                world.add(&smooth(floor, [0.0, -0.5])).unwrap();
                let id =
                    world.add(&BodyOptions { restitution, ..slider(box_, [x, height], [0.0; 2]) }).unwrap();
                let (mut spin, mut top, mut has_bounced) = (0.0f64, 0.0f64, false);
                for _ in 0..120 {
                    world.step(DT).unwrap();
                    let (v, w) = world.velocity(id).unwrap();
                    spin = spin.max(w.abs());
                    has_bounced |= v.y > 0.0;
                    if has_bounced {
                        top = top.max(position(&mut world, id).y);
                    }
                }
                assert!(spin < 0.01, "restitution {restitution} at {x}: {spin} on {:?}", world.choice());
                // The ratio of the speed after the bounce to the speed before it, computed from the heights.
                let ratio = ((top - 0.5) / (height - 0.5)).sqrt();
                assert!((ratio - restitution).abs() < 0.02, "{ratio} instead of {restitution} at {x}");
            }
        }
    }
}

#[test]
fn a_ball_bounces_by_its_restitution() {
    for solver in SOLVERS {
        for restitution in RESTITUTIONS {
            for height in [2.0, 4.5, 4.37, 9.0] {
                for mut world in worlds(&heavy(solver)) {
                    let floor = rectangle(&mut world, 10.0, 1.0);
                    let ball = circle(&mut world, 0.5);
                    world.add(&smooth(floor, [0.0, -0.5])).unwrap();
                    let body = BodyOptions { restitution, ..slider(ball, [0.0, height], [0.0; 2]) };
                    let id = world.add(&body).unwrap();
                    let (mut down, mut up) = (0.0, 0.0);
                    while up <= 0.0 {
                        world.step(DT).unwrap();
                        let v = world.velocity(id).unwrap().0.y;
                        // The square of the speed at the floor, from conservation of energy.
                        let square = v * v + 20.0 * (position(&mut world, id).y - 0.5);
                        (down, up) = if v > 0.0 { (down, square) } else { (square, 0.0) };
                    }
                    let ratio = (up / down).sqrt();
                    assert!(
                        (ratio - restitution).abs() < 0.015,
                        "{solver:?}: {ratio} instead of {restitution}"
                    );
                }
            }
        }
    }
}

/// Tests that each bounce of a body reaches the same height, for up to 18 bounces in twenty seconds.
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
        for restitution in [0.0, 0.5] {
            for friction in [0.1, 0.2] {
                for mut world in worlds(&WorldOptions { restitution_threshold: 0.5, ..weightless(solver) }) {
                    let floor = rectangle(&mut world, 50.0, 1.0);
                    let shapes = [circle(&mut world, 0.5), rectangle(&mut world, 1.0, 1.0)];
                    world.add(&BodyOptions { friction, ..smooth(floor, [0.0, -0.5]) }).unwrap();
                    let mut x = -20.0;
                    let ids = shapes.map(|shape| {
                        x += 5.0;
                        let body = slider(shape, [x, 1.0], [along, -down]);
                        world
                            .add(&BodyOptions { restitution, friction, fixed_rotation: true, ..body })
                            .unwrap()
                    });
                    world.steps(30, DT).unwrap();
                    let expected = along - friction * (1.0 + restitution) * down;
                    for id in ids {
                        let v = world.velocity(id).unwrap().0;
                        assert!(
                            (v.x - expected).abs() < 0.02,
                            "{solver:?}: {v}, {expected} on {:?}",
                            world.choice()
                        );
                    }
                }
            }
        }
    }
}

/// Tests bodies whose bounce does not bring them back to the height at which they are one step before the impact.
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
