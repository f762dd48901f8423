//! Describes the scene [`SimScene::Billiards`].

use glam::DVec2;

use super::parts::{Draft, circle, columns_and_rows, convex, place, rounded};
use super::{SceneDescription, SimScene};
use crate::Aabb;
use crate::scenes::random::direction;
use crate::sim::{BodyOptions, MassProperties, ShapeId, WorldOptions};

/// The greatest distance between the origin of a body's shape and any point of the shape.
const REACH: f64 = 0.5;
/// The fraction of the area of the room that the bodies cover together.
const FILLED: f64 = 0.15;
/// The thickness of the walls of the room.
const WALL: f64 = 4.0;

pub(super) fn describe(count: usize, seed: u64) -> SceneDescription {
    let options =
        WorldOptions { gravity: DVec2::ZERO, restitution_threshold: 0.0, ..WorldOptions::default() };
    let mut draft = Draft::new(SimScene::Billiards, seed, options);
    let (shapes, area) = shapes(&mut draft);
    let cell = (area / FILLED).sqrt();
    let jitter = 0.5 * cell - REACH - 0.001;
    let (columns, rows) = columns_and_rows(count, 1.5);
    draft.room(Aabb { min: DVec2::ZERO, max: cell * DVec2::new(columns as f64, rows as f64) }, WALL);
    for index in 0..count {
        let at = place(&mut draft.random, index, columns, cell, jitter);
        let shape = draft.choose(&shapes);
        let angle = draft.angle();
        let speed = draft.random.between(1.0, 5.0);
        let velocity = rounded(speed * DVec2::from(direction(draft.random.unit())));
        draft.body(BodyOptions { angle, velocity, ..BodyOptions::dynamic(shape, at) });
    }
    draft.surface(0.0, 1.0);
    draft.finish()
}

/// Adds 8 circles and 24 polygons to the shapes of the scene. Returns their ids and their mean area.
fn shapes(draft: &mut Draft) -> (Vec<ShapeId>, f64) {
    let mut shapes = Vec::new();
    let mut area = 0.0;
    for index in 0..32u32 {
        let shape = if index < 8 {
            circle(0.25 + 0.03 * f64::from(index))
        } else {
            let radius = draft.random.between(0.35, REACH - 0.001);
            convex(&mut draft.random, u64::from(3 + index % 6), radius, 0.6)
        };
        area += MassProperties::of(&shape).area / 32.0;
        shapes.push(draft.shape(shape));
    }
    (shapes, area)
}
