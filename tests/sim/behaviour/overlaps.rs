//! Tests that bodies that are added at overlapping positions part and come to rest.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyOptions, Solver, World};

use super::{DT, SOLVERS, circle, position, rectangle, slider, smooth, weightless, worlds};

#[test]
fn boxes_put_into_each_other_part_and_come_to_rest() {
    for mut world in worlds(&weightless(Solver::Rigid)) {
        let shape = rectangle(&mut world, 1.0, 1.0);
        let mut pairs = Vec::new();
        for (lane, shift) in (0..).zip([[0.5, 0.0], [0.3, 0.1], [0.0, 0.7]]) {
            let base = DVec2::new(15.0 * f64::from(lane), 0.0);
            let places = [base, base + DVec2::from(shift)];
            let ids = places.map(|at| world.add(&slider(shape, at.to_array(), [0.0; 2])).unwrap());
            pairs.push((shift, ids));
        }
        world.steps(120, DT).unwrap();
        for (shift, ids) in pairs {
            for id in ids {
                let (v, w) = world.velocity(id).unwrap();
                assert!(v.length() < 1e-3 && w.abs() < 1e-3, "{shift:?}: {v} {w} on {:?}", world.choice());
            }
            let between = position(&mut world, ids[1]) - position(&mut world, ids[0]);
            let way = between.abs().max_element();
            assert!((0.99..1.02).contains(&way), "{shift:?}: {between} on {:?}", world.choice());
        }
    }
}

/// Tests that a heavy and a light ball move apart in inverse proportion to their masses, and not faster than the greatest speed.
#[test]
fn the_centre_of_mass_of_bodies_that_part_stays() {
    for solver in SOLVERS {
        for mut world in worlds(&weightless(solver)) {
            let ball = circle(&mut world, 0.5);
            let ids = [(0.0, 1.0), (0.4, 3.0)].map(|(x, density)| {
                let body = BodyOptions { density, ..slider(ball, [x, 0.0], [0.0; 2]) };
                world.add(&body).unwrap()
            });
            let on = format!("{solver:?} on {:?}", world.choice());
            let mut last = 0.4;
            for _ in 0..60 {
                world.step(DT).unwrap();
                let [light, heavy] = ids.map(|id| position(&mut world, id).x);
                let centre = 0.25 * light + 0.75 * heavy;
                assert!((centre - 0.3).abs() < 1e-5, "{centre}, {on}");
                let way = heavy - light - last;
                assert!((-1e-5..=3.0 * DT + 1e-3).contains(&way), "{way}, {on}");
                last = heavy - light;
            }
            assert!((0.99..1.01).contains(&last), "{last}, {on}");
        }
    }
}

/// Adds `count` bodies around a point, each at a distance of at most `spread` along both axes.
fn add_cluster(
    world: &mut World,
    is_ball: bool,
    count: u32,
    base: DVec2,
    spread: f64,
    friction: f64,
) -> Vec<BodyId> {
    let shape = if is_ball { circle(world, 0.5) } else { rectangle(world, 1.0, 1.0) };
    let body = |k: u32| {
        // The fractional parts of multiples of these numbers are evenly distributed over a square.
        let [x, y] = [0.754_877_666, 0.569_840_291].map(|step: f64| (f64::from(k) * step).fract());
        let at = base + spread * DVec2::new(2.0 * x - 1.0, 2.0 * y - 1.0);
        BodyOptions {
            angle: if spread > 0.1 { f64::from(k) } else { 0.0 },
            friction,
            ..BodyOptions::dynamic(shape, at)
        }
    };
    (0..count).map(|k| world.add(&body(k)).unwrap()).collect()
}

/// Adds four walls around a square with sides of length `2 * half`.
fn add_room(world: &mut World, base: DVec2, half: f64) {
    let (long, wide) = (2.0 * half + 4.0, half + 1.0);
    let (floor, wall) = (rectangle(world, long, 2.0), rectangle(world, 2.0, long));
    for (shape, at) in
        [(floor, [0.0, -wide]), (floor, [0.0, wide]), (wall, [-wide, 0.0]), (wall, [wide, 0.0])]
    {
        world.add(&smooth(shape, (base + DVec2::from(at)).to_array())).unwrap();
    }
}

/// Tests clusters that lie far from each other: bodies at one point, near one point, and all over a square, in the open and
/// between walls that some bodies overlap. Bodies in the open have friction.
#[test]
fn clusters_part_and_come_to_rest() {
    for solver in SOLVERS {
        for mut world in worlds(&weightless(solver)) {
            let mut clusters = Vec::new();
            for (row, is_ball) in (0..).zip([true, false]) {
                for (column, (count, spread, room)) in (0..).zip([
                    (3, 0.0, None),
                    (3, 0.2, None),
                    (6, 0.0, None),
                    (50, 1e-3, None),
                    (50, 2.0, None),
                    (6, 1.8, Some(2.0)),
                    (25, 3.8, Some(4.0)),
                ]) {
                    let base = DVec2::new(100.0 * f64::from(column), 100.0 * f64::from(row));
                    let friction = if room.is_some() { 0.0 } else { 0.6 };
                    if let Some(half) = room {
                        add_room(&mut world, base, half);
                    }
                    let bodies = add_cluster(&mut world, is_ball, count, base, spread, friction);
                    clusters.push(((is_ball, count, spread), base, bodies));
                }
            }
            world.steps(300, DT).unwrap();
            let on = format!("{solver:?} on {:?}", world.choice());
            for (cluster, base, bodies) in clusters {
                for body in bodies {
                    let (v, w) = world.velocity(body).unwrap();
                    let way = (position(&mut world, body) - base).length();
                    assert!(v.length() < 0.1 && w.abs() < 0.5, "{cluster:?}: at {v} and {w}, {on}");
                    assert!(way < 8.0, "{cluster:?}: {way} m away, {on}");
                }
            }
            let found = world.statistics().unwrap();
            assert!(found.greatest_penetration < 0.05, "{found:?}, {on}");
        }
    }
}
