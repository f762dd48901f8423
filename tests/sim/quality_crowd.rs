//! A crowd: both sides get through the doorway, and nobody is pressed into another.

use sat2d::sim::{BodyKind, SimScene, World};

/// The narrowest agents are that wide, nearly.
const SIZE: f64 = 0.4;

#[test]
fn two_crowds_change_places_without_overlap() {
    let scene = SimScene::Crowd.describe(300, 1);
    let mut world = World::new(scene.options.clone()).unwrap();
    let ids = scene.fill(&mut world).unwrap();
    for step in 0..3000 {
        if step % 10 == 0 {
            scene.steer(&mut world, &ids).unwrap();
        }
        world.step(scene.dt).unwrap();
        if step % 100 == 0 {
            let greatest = world.statistics().unwrap().greatest_penetration;
            assert!(greatest < 0.05 * SIZE, "{greatest} after {step} steps");
        }
    }
    let crossed = (scene.bodies.iter().zip(&ids))
        .filter(|(body, _)| body.kind == BodyKind::Dynamic)
        .filter(|(body, id)| world.pose(**id).unwrap().translation().x * body.position.x < 0.0)
        .count();
    eprintln!("{crossed} of 300 agents crossed in 50 s: {} a second", crossed as f64 / 50.0);
    assert!(crossed > 290, "{crossed}");
}
