//! A crowd: agents of both sides get through the doorway, and no agent is pressed into another.

use sat2d::sim::{BodyKind, SimScene, World};

use crate::support::in_soak;

/// The approximate width of the narrowest agents.
const SIZE: f64 = 0.4;
/// The number of steps between two measurements of the overlap.
const LOOK: u64 = 20;

/// The result of a simulated crowd: the number of agents that passed the doorway, this number per second of the scene's
/// time, and the deepest overlap.
#[derive(Debug)]
struct Crossing {
    crossed: usize,
    flow: f64,
    deepest: f64,
}

fn cross(count: usize, steps: u64) -> Crossing {
    let scene = SimScene::Crowd.describe(count, 1);
    let mut world = World::new(scene.options.clone()).unwrap();
    let ids = scene.fill(&mut world).unwrap();
    let mut deepest: f64 = 0.0;
    for step in 1..=steps {
        if step % 10 == 1 {
            scene.steer(&mut world, &ids).unwrap();
        }
        world.step(scene.dt).unwrap();
        if step % LOOK == 0 {
            deepest = deepest.max(world.statistics().unwrap().greatest_penetration);
        }
    }
    let crossed = (scene.bodies.iter().zip(&ids))
        .filter(|(body, _)| body.kind == BodyKind::Dynamic)
        .filter(|(body, id)| world.pose(**id).unwrap().translation().x * body.position.x < 0.0)
        .count();
    let flow = crossed as f64 / (steps as f64 * scene.dt);
    let found = Crossing { crossed, flow, deepest };
    eprintln!("of {count} agents in {steps} steps: {found:?}");
    found
}

#[test]
fn two_crowds_change_places_without_overlap() {
    let (count, steps) = in_soak((1000, 5400), (150, 2700));
    let found = cross(count, steps);
    assert!(found.crossed >= count - count.div_ceil(200), "{found:?}");
    assert!(found.deepest < 0.05 * SIZE, "{found:?}");
}

#[test]
fn ten_thousand_agents_flow_through_a_doorway_without_overlap() {
    let found = cross(10_000, 1500);
    assert!(found.flow > 50.0, "{found:?}");
    assert!(found.deepest < 0.05 * SIZE, "{found:?}");
}
