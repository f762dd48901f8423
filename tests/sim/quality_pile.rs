//! A pile of mixed shapes: measures how deep they overlap, and whether the box holds them.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyKind, MassProperties, SceneDescription, SimScene, World};

use crate::support::in_soak;

/// Returns the mean of the square roots of the shapes' areas.
fn mean_size(scene: &SceneDescription) -> f64 {
    let sizes: Vec<f64> = (scene.bodies.iter().filter(|body| body.kind == BodyKind::Dynamic))
        .map(|body| MassProperties::of(&scene.shapes[body.shape.index()]).area.sqrt())
        .collect();
    sizes.iter().sum::<f64>() / sizes.len() as f64
}

/// Returns the greatest distance by which a point of a body is outside of the room between `min` and `max`. The result is
/// negative if all bodies are in the room.
fn outside(world: &mut World, min: DVec2, max: DVec2) -> f64 {
    let mut worst = f64::NEG_INFINITY;
    let is_dynamic = |body: &BodyId| world.kind(*body).unwrap() == BodyKind::Dynamic;
    let bodies: Vec<BodyId> = world.bodies().filter(is_dynamic).collect();
    for body in bodies {
        let (pose, shape) = (world.pose(body).unwrap(), world.shape(body).unwrap());
        for &vertex in shape.core() {
            let at = pose.apply(vertex);
            let beyond = (at - max).max(min - at).max_element() + shape.radius();
            assert!(beyond.is_finite(), "{body:?} at {at}");
            worst = worst.max(beyond);
        }
    }
    worst
}

#[test]
fn a_settled_pile_hardly_overlaps_and_stays_in_its_box_when_gravity_turns() {
    let count = in_soak(10_000, 700);
    let scene = SimScene::Pile.describe(count, 1);
    // The sides of the room are proportional to this number.
    let side = (count as f64).sqrt();
    let mut world = scene.build().unwrap();
    let size = mean_size(&scene);
    let room = (scene.bounds.min + DVec2::ONE, scene.bounds.max - DVec2::ONE);
    for gravity in [-10.0, 10.0] {
        world.set_gravity([0.0, gravity]).unwrap();
        let height = world.statistics().unwrap().mean_position.y;
        world.steps(500, scene.dt).unwrap();
        let found = world.statistics().unwrap();
        eprintln!(
            "gravity {gravity}: mean penetration {:.4} and greatest {:.4} of the mean size, rms velocity {:.3}",
            found.mean_penetration / size,
            found.greatest_penetration / size,
            found.rms_velocity
        );
        assert!((found.mean_position.y - height) * gravity > 0.2 * side, "{found:?}");
        assert!(found.overlapping > count / 2, "{found:?}");
        assert!(found.mean_penetration < 0.01 * size, "{found:?}");
        assert!(found.greatest_penetration < 0.1 * size, "{found:?}");
        let beyond = outside(&mut world, room.0, room.1);
        assert!(beyond < 0.1 * size, "{beyond}");
    }
}
