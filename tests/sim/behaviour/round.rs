//! Round bodies: discs roll and bounce without effects of their own rotation, and capsules in line meet at their ends.

use sat2d::RoundedShape;
use sat2d::glam::DVec2;
use sat2d::sim::{BodyOptions, Solver, World, WorldOptions};

use super::{DT, SOLVERS, circle, heavy, position, rectangle, slider, smooth, speed, weightless, worlds};

#[test]
fn a_disc_that_bounces_beside_a_corner_of_a_room_does_not_spin() {
    for solver in SOLVERS {
        for mut world in worlds(&weightless(solver)) {
            let [flat, upright] = [[3.0, 1.0], [1.0, 3.0]].map(|[w, h]| rectangle(&mut world, w, h));
            for (shape, at) in
                [(flat, [0.5, 1.5]), (flat, [0.5, -0.5]), (upright, [1.5, 0.5]), (upright, [-0.5, 0.5])]
            {
                world.add(&BodyOptions { restitution: 1.0, ..smooth(shape, at) }).unwrap();
            }
            let disc = circle(&mut world, 0.1);
            let body = BodyOptions { restitution: 1.0, ..slider(disc, [0.86, 0.84], [19.2, 5.5]) };
            let id = world.add(&body).unwrap();
            world.steps(1, DT).unwrap();
            let (v, spin) = world.velocity(id).unwrap();
            assert!(v.distance(DVec2::new(-19.2, 5.5)) < 0.01 && spin.abs() < 0.1, "{solver:?}: {v} {spin}");
        }
    }
}

#[test]
fn discs_without_friction_in_a_room_never_spin() {
    for mut world in worlds(&weightless(Solver::Rigid)) {
        let [flat, upright] = [[6.0, 1.0], [1.0, 6.0]].map(|[w, h]| rectangle(&mut world, w, h));
        for (shape, at) in
            [(flat, [0.0, 2.5]), (flat, [0.0, -2.5]), (upright, [2.5, 0.0]), (upright, [-2.5, 0.0])]
        {
            world.add(&BodyOptions { restitution: 1.0, ..smooth(shape, at) }).unwrap();
        }
        let disc = circle(&mut world, 0.2);
        let mut ids = Vec::new();
        for k in 0..9 {
            let at = [1.1 * f64::from(k % 3) - 1.1, 1.1 * f64::from(k / 3) - 1.1];
            let way = 20.0 * DVec2::from_angle(0.7 + 1.1 * f64::from(k));
            let body = BodyOptions { restitution: 1.0, ..slider(disc, at, way.to_array()) };
            ids.push(world.add(&body).unwrap());
        }
        world.steps(300, DT).unwrap();
        let spins: Vec<f64> = ids.iter().map(|&id| world.velocity(id).unwrap().1.abs()).collect();
        // The bound allows for the rounding of the arms of the contacts.
        assert!(spins.iter().all(|&spin| spin < 0.02), "{spins:?}");
    }
}

#[test]
fn a_small_disc_rolls_down_a_slope_as_mechanics_predicts() {
    for (substeps, dt, steps) in [(1, 1.0 / 60.0, 90), (1, 1.0 / 240.0, 360), (4, 1.0 / 30.0, 45)] {
        for mut world in worlds(&WorldOptions { substeps, ..heavy(Solver::Rigid) }) {
            let mut ids = Vec::new();
            for (row, (radius, degrees)) in (0..).zip([(0.05, 10.0f64), (0.2, 10.0), (0.2, 30.0)]) {
                let slope = degrees.to_radians();
                let base = DVec2::new(0.0, 100.0 * f64::from(row));
                let (down, up) = (DVec2::from_angle(-slope), DVec2::from_angle(-slope).perp());
                let floor = rectangle(&mut world, 80.0, 1.0);
                let at = (base + 30.0 * down - 0.5 * up).to_array();
                let fixed = BodyOptions { angle: -slope, friction: 0.6, ..BodyOptions::fixed(floor, at) };
                world.add(&fixed).unwrap();
                let disc = circle(&mut world, radius);
                let body = BodyOptions::dynamic(disc, (base + radius * up).to_array());
                let id = world.add(&BodyOptions { friction: 0.6, ..body }).unwrap();
                // A disc that rolls has two thirds of the acceleration of a body that slides without friction.
                ids.push((id, radius, degrees, 1.5 * 10.0 * slope.sin() * 2.0 / 3.0));
            }
            world.steps(steps, dt).unwrap();
            for (id, radius, degrees, expected) in ids {
                let (v, spin) = (speed(&mut world, id), -radius * world.velocity(id).unwrap().1);
                assert!(
                    (v / expected - 1.0).abs() < 0.005 && (spin / expected - 1.0).abs() < 0.005,
                    "{substeps} {dt} {radius} {degrees}: {v} {spin} {expected}"
                );
            }
        }
    }
}

fn capsule(world: &mut World, half: f64, radius: f64) -> sat2d::sim::ShapeId {
    world.add_shape(&RoundedShape::capsule([-half, 0.0], [half, 0.0], radius).unwrap()).unwrap()
}

#[test]
fn capsules_in_line_meet_at_their_ends() {
    for solver in SOLVERS {
        for mut world in worlds(&weightless(solver)) {
            let shapes = [capsule(&mut world, 0.25, 0.25), capsule(&mut world, 0.4, 0.1)];
            let disc = circle(&mut world, 0.2);
            let mut ids = Vec::new();
            for k in 0..24 {
                let angle = 0.37 * f64::from(k);
                let (way, base) = (DVec2::from_angle(angle), DVec2::new(10.0 * f64::from(k), 0.0));
                // The second body rests, with a gap to the first body.
                let shape = shapes[k as usize % 2];
                let (other, reach) = match k % 3 {
                    0 => (disc, 0.2 + 0.5),
                    _ => (shape, 0.5 + 0.5),
                };
                for (shape, at, v) in [(shape, base, 2.0), (other, base + (reach + 0.1) * way, 0.0)] {
                    let body = slider(shape, at.to_array(), (v * way).to_array());
                    let id = world.add(&BodyOptions { angle, restitution: 0.0, ..body }).unwrap();
                    ids.push((id, way, at));
                }
            }
            world.steps(60, DT).unwrap();
            for (id, way, start) in ids {
                let (found, spin) = world.velocity(id).unwrap();
                let (at, aside) = (position(&mut world, id), way.perp_dot(found).abs());
                let left = way.perp_dot(at - start).abs();
                assert!(
                    spin.abs() < 0.01 && aside < 0.01 && left < 0.005 && way.dot(found) > 0.5,
                    "{solver:?} {way}: {found} {spin} {left}"
                );
            }
        }
    }
}

#[test]
fn a_disc_rolls_and_bounces_on_tiles_as_on_one_floor() {
    for mut world in worlds(&heavy(Solver::Rigid)) {
        let tile = rectangle(&mut world, 1.0, 1.0);
        let add = |world: &mut World, y: f64, body: BodyOptions| {
            for k in 0..40 {
                let floor =
                    BodyOptions { friction: body.friction, ..smooth(tile, [f64::from(k) - 5.0, y - 0.5]) };
                world.add(&floor).unwrap();
            }
            world.add(&body).unwrap()
        };
        let mut rolling = Vec::new();
        for (row, radius) in (0..).zip([0.1, 0.25, 1.0]) {
            let (disc, y) = (circle(&mut world, radius), 20.0 * f64::from(row));
            let body = BodyOptions {
                friction: 0.5,
                angular_velocity: -3.0 / radius,
                ..slider(disc, [0.0, y + radius], [3.0, 0.0])
            };
            rolling.push((radius, add(&mut world, y, BodyOptions { friction: 0.5, ..body })));
        }
        let disc = circle(&mut world, 2.0);
        let bounces = BodyOptions { restitution: 0.5, ..slider(disc, [0.0, 109.0], [0.0; 2]) };
        let bounces = add(&mut world, 100.0, bounces);
        world.steps(75, DT).unwrap();
        let (v, spin) = world.velocity(bounces).unwrap();
        assert!(spin.abs() < 0.01 && v.y > 4.5, "{v} {spin}");
        world.steps(105, DT).unwrap();
        for (radius, id) in rolling {
            let (v, spin) = world.velocity(id).unwrap();
            let is_right = (v.x / 3.0 - 1.0).abs() < 0.02 && (spin * radius / -3.0 - 1.0).abs() < 0.02;
            assert!(is_right, "radius {radius}: {v} {spin}");
        }
    }
}
