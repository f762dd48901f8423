//! Billiards: bodies that bounce without loss keep their momentum, and circles keep their energy.

use sat2d::Backend;
use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyKind, SceneDescription, SimScene, World};

use super::world_on;
use crate::support::in_soak;

/// Returns the scene without the moving bodies whose number of vertices does not satisfy `vertices`.
fn keep(mut scene: SceneDescription, vertices: impl Fn(usize) -> bool) -> SceneDescription {
    let shapes = scene.shapes.clone();
    scene
        .bodies
        .retain(|body| body.kind == BodyKind::Static || vertices(shapes[body.shape.index()].core().len()));
    scene
}

/// Returns the total impulse of static bodies on the others in the last step.
fn impulse_of_walls(world: &mut World) -> DVec2 {
    let contacts = world.contacts().unwrap();
    let is_static = |body: BodyId| world.kind(body).unwrap() == BodyKind::Static;
    let mut sum = DVec2::ZERO;
    for contact in contacts {
        let impulse = contact.points().iter().map(|point| point.impulse).sum::<f64>() * contact.normal;
        if is_static(contact.a) {
            sum += impulse;
        } else if is_static(contact.b) {
            sum -= impulse;
        }
    }
    sum
}

/// Simulates a scene. Returns the final energy divided by the initial energy. Also returns the greatest error of the
/// momentum, divided by the sum of the magnitudes of the bodies' momenta.
fn play(scene: &SceneDescription, backend: Backend) -> (f64, f64) {
    let steps = if backend == Backend::Cpu { 1000 } else { in_soak(1000, 400) };
    let mut world = world_on(scene.options.clone(), backend);
    scene.fill(&mut world).unwrap();
    let start = world.statistics().unwrap();
    let magnitude = start.rms_velocity * start.kinetic_energy;
    assert!(magnitude > 0.0);
    let mass = 2.0 * start.kinetic_energy / start.rms_velocity.powi(2);
    let mut given = DVec2::ZERO;
    let mut worst: f64 = 0.0;
    for _ in 0..steps {
        world.step(scene.dt).unwrap();
        given += impulse_of_walls(&mut world);
        let error = world.statistics().unwrap().momentum - start.momentum - given;
        worst = worst.max(error.length() / (mass * start.rms_velocity));
    }
    assert!(given.length() > 0.0);
    (world.statistics().unwrap().kinetic_energy / start.kinetic_energy, worst)
}

fn circles_play(count: usize, backend: Backend) {
    let scene = keep(SimScene::Billiards.describe(count, 1), |vertices| vertices == 1);
    let (energy, momentum) = play(&scene, backend);
    eprintln!("circles on {backend:?}: energy {energy}, momentum off by {momentum}");
    assert!((energy - 1.0).abs() < 1e-3, "{energy}");
    assert!(momentum < 1e-5, "{momentum}");
}

fn all_play(count: usize, backend: Backend) {
    let (energy, momentum) = play(&SimScene::Billiards.describe(count, 1), backend);
    eprintln!("circles and polygons on {backend:?}: energy {energy}, momentum off by {momentum}");
    assert!(momentum < 1e-5, "{momentum}");
}

#[test]
fn circles_keep_energy_and_momentum() {
    circles_play(1000, Backend::Cpu);
}

#[cfg(feature = "gpu")]
#[test]
fn circles_keep_energy_and_momentum_on_a_device() {
    circles_play(200, Backend::Gpu);
}

#[test]
fn circles_and_polygons_keep_momentum() {
    all_play(300, Backend::Cpu);
}

#[cfg(feature = "gpu")]
#[test]
fn circles_and_polygons_keep_momentum_on_a_device() {
    all_play(50, Backend::Gpu);
}
