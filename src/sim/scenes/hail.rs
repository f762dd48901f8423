//! Describes the scene [`SimScene::Hail`].

use glam::DVec2;

use super::parts::{DT, Draft, circle, convex, crate_, place, rounded};
use super::{SceneDescription, SimScene};
use crate::Aabb;
use crate::scenes::random::direction;
use crate::sim::{BodyOptions, ShapeId, WorldOptions};

/// The greatest distance between the origin of a bullet's shape and any point of the shape.
const REACH: f64 = 0.1;
/// The path of a bullet in its first step, as a multiple of the thickness of a wall.
const WALLS_A_STEP: f64 = 10.0;
/// The thickness of a wall.
const WALL: f64 = 0.2;
/// The side of a chamber. The walls divide the room into square chambers, measured from the middle of one wall to the
/// middle of the next.
const CHAMBER: f64 = 16.0;
/// The number of rows of the square lattice on which the bullets of a chamber start, and the number of bullets in a row.
const SIDE: usize = 8;

pub(super) fn describe(count: usize, seed: u64) -> SceneDescription {
    let options = WorldOptions { length_unit: 2.0 * REACH, gravity: DVec2::ZERO, ..WorldOptions::default() };
    let mut draft = Draft::new(SimScene::Hail, seed, options);
    let chambers = count.div_ceil(SIDE * SIDE).max(1);
    let columns = ((chambers as f64).sqrt().ceil() as usize).max(1);
    let rows = chambers.div_ceil(columns);
    let size = CHAMBER * DVec2::new(columns as f64, rows as f64);
    let half = DVec2::splat(0.5 * WALL);
    for column in 0..=columns {
        let foot = DVec2::new(CHAMBER * column as f64, 0.0);
        draft.wall(foot - half, foot + DVec2::new(0.0, size.y) + half);
    }
    for row in 0..=rows {
        let end = DVec2::new(0.0, CHAMBER * row as f64);
        draft.wall(end - half, end + DVec2::new(size.x, 0.0) + half);
    }
    draft.bounds = Aabb { min: -half, max: size + half };
    let shapes = shapes(&mut draft);
    let cell = (CHAMBER - WALL) / SIDE as f64;
    let speed = WALLS_A_STEP * WALL / DT;
    for index in 0..count {
        let (chamber, inside) = (index / (SIDE * SIDE), index % (SIDE * SIDE));
        let corner = CHAMBER * DVec2::new((chamber % columns) as f64, (chamber / columns) as f64) + half;
        let at = rounded(corner + place(&mut draft.random, inside, SIDE, cell, 0.5 * cell - REACH - 0.001));
        let shape = draft.choose(&shapes);
        let angle = draft.angle();
        let velocity = rounded(speed * DVec2::from(direction(draft.random.unit())));
        draft.body(BodyOptions { angle, velocity, fast: true, ..BodyOptions::dynamic(shape, at) });
    }
    // A bullet loses only a tenth of its speed at each wall, so it stays fast for many steps.
    draft.surface(0.0, 0.9);
    draft.finish()
}

/// Adds 4 circles, 4 boxes and 8 polygons to the shapes of the scene. Returns their ids.
fn shapes(draft: &mut Draft) -> Vec<ShapeId> {
    let mut shapes = Vec::new();
    for index in 0..4u32 {
        let size = f64::from(index) / 3.0;
        shapes.push(draft.shape(circle(0.06 + 0.04 * size)));
        shapes.push(draft.shape(crate_(DVec2::new(0.06 + 0.03 * size, 0.04))));
    }
    for index in 0..8 {
        let polygon = convex(&mut draft.random, 3 + index % 6, REACH, 0.6);
        shapes.push(draft.shape(polygon));
    }
    shapes
}
