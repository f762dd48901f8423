//! Tests that a body at rest stays where it is.

use sat2d::Backend;
use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyOptions, ContactEvent, MassProperties, Solver, World, WorldOptions};

use super::{DT, circle, heavy, position, rectangle, worlds};

/// Bodies, each with its position at the start.
type Placed = Vec<(BodyId, DVec2)>;

/// Returns the greatest distance of a body from its initial position.
fn moved(world: &mut World, bodies: &Placed) -> f64 {
    bodies.iter().map(|&(id, at)| (position(world, id) - at).length()).fold(0.0, f64::max)
}

fn fastest(world: &mut World, bodies: &Placed) -> f64 {
    bodies.iter().map(|&(id, _)| world.velocity(id).unwrap().0.length()).fold(0.0, f64::max)
}

/// Adds a floor from -50 to 50 whose top is at height 0.
fn add_floor(world: &mut World) {
    let floor = rectangle(world, 100.0, 1.0);
    world.add(&BodyOptions::fixed(floor, [0.0, -0.5])).unwrap();
}

/// Adds boxes of a size at the given positions.
fn boxes(world: &mut World, size: [f64; 2], places: impl IntoIterator<Item = [f64; 2]>) -> Placed {
    let shape = rectangle(world, size[0], size[1]);
    let places = places.into_iter();
    places.map(|at| (world.add(&BodyOptions::dynamic(shape, at)).unwrap(), DVec2::from(at))).collect()
}

#[test]
fn a_light_box_carries_a_heavy_one_in_either_order_of_adding() {
    for mut world in worlds(&heavy(Solver::Rigid)) {
        let floor = rectangle(&mut world, 20.0, 1.0);
        let shape = rectangle(&mut world, 1.0, 1.0);
        let mut stacks: Vec<(f64, f64, bool, Placed)> = Vec::new();
        for (column, (ratio, most)) in
            (0..).zip([(1.0, 0.001), (10.0, 0.002), (30.0, 0.005), (100.0, 0.02), (300.0, 0.05)])
        {
            for is_reversed in [false, true] {
                let (x, y) = (35.0 * f64::from(column), if is_reversed { 20.0 } else { 0.0 });
                let mut bodies = [
                    BodyOptions::fixed(floor, [x, y - 0.5]),
                    BodyOptions::dynamic(shape, [x, y + 0.5]),
                    BodyOptions { density: ratio, ..BodyOptions::dynamic(shape, [x, y + 1.5]) },
                ];
                if is_reversed {
                    bodies.reverse();
                }
                let bodies = bodies.map(|body| (world.add(&body).unwrap(), body.position));
                stacks.push((ratio, most, is_reversed, bodies.to_vec()));
            }
        }
        world.steps(600, DT).unwrap();
        for (ratio, most, is_reversed, bodies) in stacks {
            let speed = fastest(&mut world, &bodies);
            let moved = moved(&mut world, &bodies);
            assert!(
                moved < most && speed < 1e-3,
                "{ratio}: moved {moved}, at {speed}, {is_reversed} on {:?}",
                world.choice()
            );
        }
    }
}

/// Tests pyramids that stand side by side, far from each other.
#[test]
fn a_pyramid_stands() {
    for mut world in worlds(&heavy(Solver::Rigid)) {
        add_floor(&mut world);
        let pyramids = [(5, 0.01, -45.0), (10, 0.01, -28.0), (20, 0.05, 0.0)].map(|(rows, most, x)| {
            let places = (0..rows).flat_map(|row| {
                let at = move |k| [x + f64::from(k) * 1.05 + 0.525 * f64::from(row), 0.5 + f64::from(row)];
                (0..rows - row).map(at)
            });
            (rows, most, boxes(&mut world, [1.0, 1.0], places))
        });
        world.steps(600, DT).unwrap();
        for (rows, most, bodies) in pyramids {
            let (moved, speed) = (moved(&mut world, &bodies), fastest(&mut world, &bodies));
            assert!(
                moved < most && speed < 1e-3,
                "{rows} rows: moved {moved}, at {speed} on {:?}",
                world.choice()
            );
        }
    }
}

/// Tests a stack and a wall side by side, far from each other.
#[test]
fn a_stack_of_twenty_and_a_wall_of_bricks_stand() {
    for mut world in worlds(&heavy(Solver::Rigid)) {
        add_floor(&mut world);
        let stack = boxes(&mut world, [1.0, 1.0], (0..20).map(|k| [-30.0, 0.5 + f64::from(k)]));
        let place = |k: u32| {
            let (column, row) = (f64::from(k % 8), k / 8);
            [column + 0.4 * f64::from(row % 2), 0.25 + 0.5 * f64::from(row)]
        };
        let wall = boxes(&mut world, [1.0, 0.5], (0..96).map(place));
        world.steps(600, DT).unwrap();
        for (name, bodies, most) in [("stack", stack, 0.05), ("wall", wall, 0.02)] {
            let moved = moved(&mut world, &bodies);
            assert!(moved < most, "{name}: moved {moved} on {:?}", world.choice());
        }
    }
}

/// Adds a floor, walls, and boxes, balls and planks that fall into a heap between the walls.
fn add_heap(world: &mut World, base: DVec2, number: u32) -> Vec<BodyId> {
    let floor = rectangle(world, 12.0, 1.0);
    let wall = rectangle(world, 1.0, 40.0);
    let shapes = [rectangle(world, 0.8, 0.8), circle(world, 0.4), rectangle(world, 1.0, 0.4)];
    let mut ids = vec![world.add(&BodyOptions::fixed(floor, base + DVec2::new(0.0, -0.5))).unwrap()];
    for x in [-5.5, 5.5] {
        ids.push(world.add(&BodyOptions::fixed(wall, base + DVec2::new(x, 20.0))).unwrap());
    }
    for k in 0..150u32 {
        let (column, row) = (f64::from(k % 8), f64::from(k / 8));
        let x = -4.0 + column * 1.1 + 0.05 * f64::from((k + number) % 3) + 0.001 * f64::from(number);
        let at = base + DVec2::new(x, 1.0 + row * 1.1);
        ids.push(world.add(&BodyOptions::dynamic(shapes[k as usize % 3], at)).unwrap());
    }
    ids
}

/// Returns the kinetic energy of bodies of density 1.
fn kinetic_energy(world: &mut World, bodies: &[BodyId]) -> f64 {
    let mut energy = 0.0;
    for &body in bodies {
        let (v, w) = world.velocity(body).unwrap();
        let properties = MassProperties::of(world.shape(body).unwrap());
        energy += 0.5 * (properties.area * v.length_squared() + properties.second_moment * w * w);
    }
    energy
}

/// Lets bodies fall into heaps for 15 seconds. Returns, for each heap, the number of events in the next two seconds, and
/// the kinetic energy after them. The heaps are far from each other.
fn heaps_at_rest(world: &mut World, count: u32) -> Vec<(usize, f64)> {
    let base = |number: u32| DVec2::new(25.0 * f64::from(number % 8), 60.0 * f64::from(number / 8));
    let heaps: Vec<Vec<BodyId>> = (0..count).map(|number| add_heap(world, base(number), number)).collect();
    world.steps(900, DT).unwrap();
    world.take_events();
    world.steps(120, DT).unwrap();
    let mut found = vec![(0, 0.0); heaps.len()];
    for event in world.take_events() {
        let (ContactEvent::Began { a, .. } | ContactEvent::Ended { a, .. }) = event;
        let heap = heaps.iter().position(|heap| heap.contains(&a)).unwrap();
        found[heap].0 += 1;
    }
    for (heap, (_, energy)) in heaps.iter().zip(&mut found) {
        *energy = kinetic_energy(world, heap);
    }
    found
}

/// Tests that the contacts of a heap at rest last. In one of eight heaps, a body keeps rocking on two others, because nothing
/// slows down a rolling ball.
#[test]
fn contacts_of_a_pile_at_rest_last() {
    let options = WorldOptions { events: true, ..heavy(Solver::Rigid) };
    for mut world in worlds(&options) {
        // On a device, fewer heaps are simulated, because each takes a long time.
        let count = if world.choice().backend == Backend::Cpu { 16 } else { 3 };
        let heaps = heaps_at_rest(&mut world, count);
        let restless = heaps.iter().filter(|&&(events, energy)| events >= 12 || energy >= 1e-3).count();
        let events: usize = heaps.iter().map(|heap| heap.0).sum();
        assert!(3 * restless <= heaps.len() && events < 6 * heaps.len(), "{heaps:?} on {:?}", world.choice());
    }
}
