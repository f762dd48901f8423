//! Tests that a body at rest stays where it is.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyOptions, Solver, World, WorldOptions};

use super::{DT, circle, heavy, position, rectangle, slider, weightless, worlds};

/// Bodies, each with its position at the start.
type Placed = Vec<(BodyId, DVec2)>;

/// Returns the greatest distance of a body from its initial position.
fn moved(world: &mut World, bodies: &Placed) -> f64 {
    bodies.iter().map(|&(id, at)| (position(world, id) - at).length()).fold(0.0, f64::max)
}

fn fastest(world: &mut World, bodies: &Placed) -> f64 {
    bodies.iter().map(|&(id, _)| world.velocity(id).unwrap().0.length()).fold(0.0, f64::max)
}

/// Adds a floor, and boxes of a size at the given positions.
fn boxes(world: &mut World, size: [f64; 2], places: impl IntoIterator<Item = [f64; 2]>) -> Placed {
    let floor = rectangle(world, 100.0, 1.0);
    let shape = rectangle(world, size[0], size[1]);
    world.add(&BodyOptions::fixed(floor, [0.0, -0.5])).unwrap();
    let places = places.into_iter();
    places.map(|at| (world.add(&BodyOptions::dynamic(shape, at)).unwrap(), DVec2::from(at))).collect()
}

#[test]
fn a_light_box_carries_a_heavy_one_in_either_order_of_adding() {
    for (ratio, most) in [(1.0, 0.001), (10.0, 0.002), (30.0, 0.005), (100.0, 0.02), (300.0, 0.05)] {
        for is_reversed in [false, true] {
            for mut world in worlds(&heavy(Solver::Rigid)) {
                let floor = rectangle(&mut world, 20.0, 1.0);
                let shape = rectangle(&mut world, 1.0, 1.0);
                let mut bodies = [
                    BodyOptions::fixed(floor, [0.0, -0.5]),
                    BodyOptions::dynamic(shape, [0.0, 0.5]),
                    BodyOptions { density: ratio, ..BodyOptions::dynamic(shape, [0.0, 1.5]) },
                ];
                if is_reversed {
                    bodies.reverse();
                }
                let bodies: Placed =
                    bodies.iter().map(|body| (world.add(body).unwrap(), body.position)).collect();
                world.steps(600, DT).unwrap();
                let speed = fastest(&mut world, &bodies);
                let moved = moved(&mut world, &bodies);
                assert!(moved < most && speed < 1e-3, "{ratio}: moved {moved}, at {speed}, {is_reversed}");
            }
        }
    }
}

#[test]
fn a_pyramid_stands() {
    for (rows, most) in [(5, 0.01), (10, 0.01), (20, 0.05)] {
        for mut world in worlds(&heavy(Solver::Rigid)) {
            let places = (0..rows).flat_map(|row| {
                let at = move |k| [f64::from(k) * 1.05 + 0.525 * f64::from(row), 0.5 + f64::from(row)];
                (0..rows - row).map(at)
            });
            let bodies = boxes(&mut world, [1.0, 1.0], places);
            world.steps(600, DT).unwrap();
            let (moved, speed) = (moved(&mut world, &bodies), fastest(&mut world, &bodies));
            assert!(
                moved < most && speed < 1e-3,
                "{rows} rows: moved {moved}, at {speed} on {:?}",
                world.choice()
            );
        }
    }
}

#[test]
fn a_stack_of_twenty_and_a_wall_of_bricks_stand() {
    for mut world in worlds(&heavy(Solver::Rigid)) {
        let bodies = boxes(&mut world, [1.0, 1.0], (0..20).map(|k| [0.0, 0.5 + f64::from(k)]));
        world.steps(600, DT).unwrap();
        assert!(moved(&mut world, &bodies) < 0.05);
    }
    for mut world in worlds(&heavy(Solver::Rigid)) {
        let place = |k: u32| {
            let (column, row) = (f64::from(k % 8), k / 8);
            [column + 0.4 * f64::from(row % 2), 0.25 + 0.5 * f64::from(row)]
        };
        let bodies = boxes(&mut world, [1.0, 0.5], (0..96).map(place));
        world.steps(600, DT).unwrap();
        assert!(moved(&mut world, &bodies) < 0.02);
    }
}

#[test]
fn boxes_put_into_each_other_part_and_come_to_rest() {
    for shift in [[0.5, 0.0], [0.3, 0.1], [0.0, 0.7]] {
        for mut world in worlds(&weightless(Solver::Rigid)) {
            let shape = rectangle(&mut world, 1.0, 1.0);
            let ids = [[0.0; 2], shift].map(|at| world.add(&slider(shape, at, [0.0; 2])).unwrap());
            world.steps(120, DT).unwrap();
            for id in ids {
                let (v, w) = world.velocity(id).unwrap();
                assert!(v.length() < 1e-3 && w.abs() < 1e-3, "{shift:?}: {v} {w} on {:?}", world.choice());
            }
            let between = position(&mut world, ids[1]) - position(&mut world, ids[0]);
            assert!(between.abs().max_element() > 0.99, "{between}");
        }
    }
}

/// Lets boxes, balls and planks fall into a heap for 15 seconds. Returns the number of events in the next two
/// seconds, and the kinetic energy after them.
fn heap_at_rest(world: &mut World, number: u32) -> (usize, f64) {
    let floor = rectangle(world, 12.0, 1.0);
    let wall = rectangle(world, 1.0, 40.0);
    world.add(&BodyOptions::fixed(floor, [0.0, -0.5])).unwrap();
    for x in [-5.5, 5.5] {
        world.add(&BodyOptions::fixed(wall, [x, 20.0])).unwrap();
    }
    let shapes = [rectangle(world, 0.8, 0.8), circle(world, 0.4), rectangle(world, 1.0, 0.4)];
    for k in 0..150u32 {
        let (column, row) = (f64::from(k % 8), f64::from(k / 8));
        let at = [
            -4.0 + column * 1.1 + 0.05 * f64::from((k + number) % 3) + 0.001 * f64::from(number),
            1.0 + row * 1.1,
        ];
        world.add(&BodyOptions::dynamic(shapes[k as usize % 3], at)).unwrap();
    }
    world.steps(900, DT).unwrap();
    world.take_events();
    world.steps(120, DT).unwrap();
    (world.take_events().len(), world.statistics().unwrap().kinetic_energy)
}

/// Tests that the contacts of a heap at rest last. In one of eight heaps, a body keeps rocking on two others, because nothing
/// slows down a rolling ball.
#[test]
fn contacts_of_a_pile_at_rest_last() {
    let options = WorldOptions { events: true, ..heavy(Solver::Rigid) };
    for on in 0..worlds(&options).len() {
        // On a device, fewer heaps are simulated, because each takes a long time.
        let count = if on == 0 { 16 } else { 3 };
        let heaps: Vec<(usize, f64)> =
            (0..count).map(|number| heap_at_rest(&mut worlds(&options).swap_remove(on), number)).collect();
        let restless = heaps.iter().filter(|&&(events, energy)| events >= 12 || energy >= 1e-3).count();
        let events: usize = heaps.iter().map(|heap| heap.0).sum();
        assert!(3 * restless <= heaps.len() && events < 6 * heaps.len(), "{heaps:?} in world {on}");
    }
}
