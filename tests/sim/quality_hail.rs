//! Tests that no bullet of the scene `hail` leaves its chamber.

use sat2d::Backend;
use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyKind, SceneDescription, SimScene};

use super::world_on;
use crate::support::in_soak;

/// The distance between the middles of two neighbouring walls.
const CHAMBER: f64 = 16.0;

/// Returns the bullets that have left their chambers, with their positions at the start and at the end.
pub(crate) fn through(scene: &SceneDescription, steps: u64, backend: Backend) -> Vec<(BodyId, DVec2, DVec2)> {
    let chamber = |at: DVec2| (at / CHAMBER).floor();
    let mut world = world_on(scene.options.clone(), backend);
    let ids = scene.fill(&mut world).unwrap();
    world.steps(steps, scene.dt).unwrap();
    (scene.bodies.iter().zip(ids))
        .filter(|(body, _)| body.kind == BodyKind::Dynamic)
        .map(|(body, id)| (id, body.position, world.pose(id).unwrap().translation()))
        .filter(|&(_, start, end)| chamber(start) != chamber(end))
        .collect()
}

#[test]
fn no_bullet_passes_a_wall() {
    let scene = SimScene::Hail.describe(in_soak(10_000, 2_000), 1);
    assert_eq!(through(&scene, 400, Backend::Cpu), []);
}

#[test]
fn no_bullet_passes_a_wall_where_bullets_do_not_meet() {
    let scene = SimScene::Hail.describe(in_soak(10_000, 2_000), 2).meeting_static_only();
    assert_eq!(through(&scene, 400, Backend::Cpu), []);
}
