//! Describes the scene [`SimScene::Pile`].

use glam::DVec2;

use super::parts::{Draft, capsule, circle, columns_and_rows, convex, crate_, place};
use super::{SceneDescription, SimScene};
use crate::Aabb;
use crate::sim::{BodyOptions, ShapeId, WorldOptions};

/// The greatest distance between the origin of a body's shape and any point of the shape.
const REACH: f64 = 0.5;
/// The side of a square cell of the lattice on which the bodies start.
const CELL: f64 = 1.1;
/// The greatest displacement of a body from the middle of its cell along each axis. With this value, no bodies meet at
/// the start.
const JITTER: f64 = 0.5 * CELL - REACH - 0.001;
/// The thickness of the walls. It is greater than the path of any falling body in a step.
const WALL: f64 = 4.0;

/// The number of sub-steps in each step. With fewer sub-steps, the overlap of a small body under heavy bodies is more
/// than a tenth of the size of the small body.
const SUBSTEPS: u32 = 8;

pub(super) fn describe(count: usize, seed: u64) -> SceneDescription {
    let options = WorldOptions { substeps: SUBSTEPS, ..WorldOptions::default() };
    let mut draft = Draft::new(SimScene::Pile, seed, options);
    let (columns, rows) = columns_and_rows(count, 2.0);
    let room = Aabb { min: DVec2::ZERO, max: CELL * DVec2::new(columns as f64, rows as f64) };
    draft.room(room, WALL);
    let shapes = shapes(&mut draft);
    for index in 0..count {
        let at = place(&mut draft.random, index, columns, CELL, JITTER);
        let shape = draft.choose(&shapes);
        let angle = draft.angle();
        draft.body(BodyOptions { angle, ..BodyOptions::dynamic(shape, at) });
    }
    draft.finish()
}

/// Adds shapes to the scene, and returns their ids: 36 polygons (six with each number of vertices from 3 to 8), 12 boxes,
/// 4 circles and 4 capsules.
fn shapes(draft: &mut Draft) -> Vec<ShapeId> {
    let mut shapes = Vec::new();
    for index in 0..36 {
        let radius = draft.random.between(0.3, REACH - 0.001);
        let polygon = convex(&mut draft.random, 3 + index % 6, radius, 0.5);
        shapes.push(draft.shape(polygon));
    }
    for _ in 0..12 {
        let half = DVec2::new(draft.random.between(0.2, 0.4), draft.random.between(0.15, 0.28));
        shapes.push(draft.shape(crate_(half)));
    }
    for index in 0..4 {
        let size = f64::from(index) / 3.0;
        shapes.push(draft.shape(circle(0.2 + 0.2 * size)));
        shapes.push(draft.shape(capsule(0.15 + 0.15 * size, 0.1 + 0.05 * size)));
    }
    shapes
}
