//! Tests that the order in which bodies are added has no effect on the result.

use sat2d::sim::{BodyKind, ContactEvent};

use super::*;

/// The result of a run: the bodies' poses and velocities, the contacts as pairs of body indices, and the events, also
/// with pairs of body indices.
type Outcome = (Vec<[f64; 7]>, Vec<[usize; 2]>, Vec<(bool, [usize; 2])>);

/// Simulates a floor of tiles, walls, a rotating bar, and bodies of five shapes in a loose lattice, added in a given
/// order. Later, some bodies are removed and others are added.
fn outcome(mut world: TestWorld, order: &dyn Fn(usize) -> Vec<usize>) -> Outcome {
    let shapes = {
        let mut shapes = [None; 5];
        for k in order(5) {
            shapes[k] = Some(match k {
                0 => rectangle(&mut world, 1.0, 1.0),
                1 => rectangle(&mut world, 4.0, 0.2),
                2 => circle(&mut world, 0.3),
                3 => rectangle(&mut world, 0.6, 0.4),
                _ => world.add_shape(&RoundedShape::capsule([-0.2, 0.0], [0.2, 0.0], 0.15).unwrap()).unwrap(),
            });
        }
        shapes.map(Option::unwrap)
    };
    let mut bodies = Vec::new();
    for x in -4..4 {
        bodies.push(BodyOptions::fixed(shapes[0], [f64::from(x) + 0.5, -0.5]));
    }
    for y in 0..5 {
        bodies.extend([-4.5, 4.5].map(|x| BodyOptions::fixed(shapes[0], [x, f64::from(y) + 0.5])));
    }
    let bar = BodyOptions {
        kind: BodyKind::Kinematic,
        angular_velocity: 1.0,
        ..BodyOptions::fixed(shapes[1], [0.0, 1.5])
    };
    bodies.push(bar);
    for k in 0..40u8 {
        let at = [f64::from(k % 8) - 3.5, 3.0 + f64::from(k / 8)];
        bodies.push(BodyOptions {
            velocity: [f64::from(k % 3) - 1.0, 0.0].into(),
            restitution: if k % 5 == 0 { 0.5 } else { 0.0 },
            fast: k % 7 == 0,
            ..BodyOptions::dynamic(shapes[2 + usize::from(k % 3)], at)
        });
    }
    let first = bodies.len();
    for k in 0..9u8 {
        bodies.push(BodyOptions::dynamic(shapes[2 + usize::from(k % 3)], [f64::from(k) - 4.0, 9.0]));
    }
    let mut ids: Vec<Option<BodyId>> = vec![None; bodies.len()];
    for k in order(first) {
        ids[k] = Some(world.add(&bodies[k]).unwrap());
    }
    world.steps(40, DT).unwrap();
    for k in order(5) {
        world.remove(ids[first - 1 - 3 * k].unwrap()).unwrap();
        ids[first - 1 - 3 * k] = None;
    }
    for k in order(bodies.len() - first) {
        let body = world.add(&bodies[first + k]).unwrap();
        ids[first + k] = Some(body);
        // Reading a pose makes the device send the state of the bodies to the host.
        world.pose(body).unwrap();
    }
    world.steps(80, DT).unwrap();
    let number = |body: BodyId| ids.iter().position(|&id| id == Some(body)).unwrap_or(usize::MAX);
    let named = |a: BodyId, b: BodyId| {
        let mut pair = [number(a), number(b)];
        pair.sort_unstable();
        pair
    };
    let mut contacts: Vec<_> =
        world.contacts().unwrap().iter().map(|contact| named(contact.a, contact.b)).collect();
    contacts.sort_unstable();
    let mut events: Vec<_> = world
        .take_events()
        .iter()
        .map(|event| match *event {
            ContactEvent::Began { a, b } => (true, named(a, b)),
            ContactEvent::Ended { a, b } => (false, named(a, b)),
        })
        .collect();
    events.sort_unstable();
    let state = |id: &BodyId| {
        let pose = world.pose(*id).unwrap();
        let (velocity, turning) = world.velocity(*id).unwrap();
        let [x, y] = pose.translation().to_array();
        [pose.cos(), pose.sin(), x, y, velocity.x, velocity.y, turning]
    };
    (ids.iter().flatten().map(state).collect(), contacts, events)
}

#[test]
fn the_order_of_adding_has_no_effect() {
    for solver in SOLVERS {
        let options = WorldOptions { events: true, ..heavy(solver) };
        let orders: [&dyn Fn(usize) -> Vec<usize>; 3] =
            [&|count| (0..count).collect(), &|count| (0..count).rev().collect(), &|count| {
                let stride = if count % 7 == 0 { 5 } else { 7 };
                (0..count).map(|k| (3 + stride * k) % count).collect()
            }];
        for &backend in BACKENDS {
            let of = |order| outcome(world_on(backend, &options), order);
            let expected = of(orders[0]);
            assert!(expected.1.len() > 30, "{}", expected.1.len());
            for order in &orders[1..] {
                assert!(of(*order) == expected, "{solver:?} on {backend:?}");
            }
        }
    }
}

/// Tests that the first body of a contact is the body with the lesser id, whichever body is added first.
#[test]
fn a_contact_is_from_the_body_that_was_added_first() {
    for is_floor_first in [true, false] {
        for mut world in worlds(&heavy(Solver::Rigid)) {
            let (floor, ball) = (rectangle(&mut world, 20.0, 1.0), circle(&mut world, 0.5));
            let floor = smooth(floor, [0.0, -0.5]);
            let ball = slider(ball, [-2.0, 0.5], [6.0, 0.0]);
            let [first, second] = if is_floor_first { [floor, ball] } else { [ball, floor] };
            let ids = [first, second].map(|body| world.add(&body).unwrap());
            world.steps(10, DT).unwrap();
            let contact = world.contacts().unwrap()[0];
            assert_eq!([contact.a, contact.b], ids);
            // The contact point moves with the first body of the contact, so its position shows which body is the
            // first.
            let ball = position(&mut world, ids[usize::from(is_floor_first)]).x;
            let (up, at) = if is_floor_first { (1.0, ball - 6.0 * DT) } else { (-1.0, ball) };
            assert!((contact.normal - DVec2::new(0.0, up)).length() < 1e-5, "{contact:?}");
            assert!((contact.points()[0].position.x - at).abs() < 1e-3, "{contact:?} {at}");
        }
    }
}
