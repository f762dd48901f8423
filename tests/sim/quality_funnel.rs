//! Particles that fall through a funnel onto polygons.

use sat2d::sim::{SceneDescription, SimScene};

/// Returns the greatest overlap of any pair, measured ten times during a fall.
fn greatest_penetration(scene: &SceneDescription) -> f64 {
    let mut world = scene.build().unwrap();
    let mut greatest: f64 = 0.0;
    for _ in 0..10 {
        world.steps(60, scene.dt).unwrap();
        greatest = greatest.max(world.statistics().unwrap().greatest_penetration);
    }
    let fallen = world.statistics().unwrap().mean_position.y;
    assert!(fallen < scene.bodies[scene.bodies.len() - 1].position.y - 5.0, "{fallen}");
    greatest
}

#[test]
fn particles_that_meet_polygons_alone_stay_outside_of_them() {
    let scene = SimScene::Funnel.describe(2000, 1).meeting_static_only();
    let greatest = greatest_penetration(&scene);
    eprintln!("particles and polygons: {greatest} deep at most");
    assert!(greatest < 1e-4, "{greatest}");
}

#[test]
fn particles_that_meet_each_other_overlap_by_less_than_a_tenth() {
    let greatest = greatest_penetration(&SimScene::Funnel.describe(2000, 1));
    eprintln!("particles: {greatest} deep at most");
    assert!(greatest < 0.08, "{greatest}");
}
