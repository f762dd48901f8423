//! Describes the scene [`SimScene::Funnel`].

use glam::DVec2;

use super::parts::{Draft, circle, columns_and_rows, convex, place, rounded};
use super::{SceneDescription, SimScene};
use crate::Aabb;
use crate::sim::{BodyOptions, ShapeId, Solver, WorldOptions};

/// The greatest radius of a particle.
const LARGEST_RADIUS: f64 = 0.4;
/// The side of the square cell in which a particle starts.
const CELL: f64 = 0.9;
/// The field has one polygon for this many particles.
const PARTICLES_A_POLYGON: usize = 100;
/// The side of the square cell of a polygon in the field. Two particles fit between any two polygons.
const FIELD_CELL: f64 = 9.0;
/// In the field, the greatest distance between the origin of a polygon's shape and any point of the polygon.
const FIELD_REACH: f64 = 3.0;
/// The thickness of the walls and slopes.
const WALL: f64 = 4.0;
/// The width of the throat (the lower opening of the funnel), as a fraction of the width of its upper opening.
const THROAT: f64 = 0.2;
/// The linear damping of a particle, per second. The speed of a falling particle stays below the acceleration of
/// gravity divided by this rate. At this speed, a particle moves by 0.17 in a step.
const DAMPING: f64 = 1.0;

pub(super) fn describe(count: usize, seed: u64) -> SceneDescription {
    let options = WorldOptions { solver: Solver::Push, ..WorldOptions::default() };
    let mut draft = Draft::new(SimScene::Funnel, seed, options);
    let polygons = (count / PARTICLES_A_POLYGON).max(1);
    let (field_columns, field_rows) = columns_and_rows(polygons, 1.0);
    // The field is on the floor, the funnel is above the field, and the particles start above the funnel.
    let width = (field_columns as f64 * FIELD_CELL).max(12.0 * CELL);
    let field_top = FIELD_CELL * field_rows as f64;
    let throat = (THROAT * width).max(8.0 * LARGEST_RADIUS);
    let funnel_height = 0.5 * (width - throat);
    let start = field_top + funnel_height + 1.0;
    let columns = ((width / CELL) as usize).max(1);
    let rows = count.div_ceil(columns);
    let top = start + CELL * rows as f64;
    draft.room(Aabb { min: DVec2::ZERO, max: DVec2::new(width, top) }, WALL);
    funnel(&mut draft, DVec2::new(width, field_top), funnel_height, throat);
    field(&mut draft, polygons, field_columns, 0.5 * (width - FIELD_CELL * field_columns as f64));
    let shapes = (0..8).map(|k| draft.shape(circle(0.25 + 0.15 / 7.0 * f64::from(k)))).collect::<Vec<_>>();
    let side = 0.5 * (width - CELL * columns as f64);
    for index in 0..count {
        let jitter = 0.5 * CELL - LARGEST_RADIUS - 0.001;
        let at = place(&mut draft.random, index, columns, CELL, jitter) + DVec2::new(side, start);
        let shape = draft.choose(&shapes);
        draft.body(BodyOptions { linear_damping: DAMPING, ..BodyOptions::particle(shape, rounded(at)) });
    }
    draft.finish()
}

/// Adds two slopes with a throat between them. `corner` is the point at which the underside of the right slope meets the
/// wall.
fn funnel(draft: &mut Draft, corner: DVec2, height: f64, throat: f64) {
    let reach = 0.5 * (corner.x - throat);
    for (at, side) in [(DVec2::new(0.0, corner.y), 1.0), (corner, -1.0)] {
        // A slope falls from the wall to the throat. It reaches into the wall, so that there is no gap between them.
        let mut corners = [
            DVec2::new(-0.5 * WALL * side, 0.0),
            DVec2::new(side * reach, 0.0),
            DVec2::new(side * reach, 1.0),
            DVec2::new(-0.5 * WALL * side, height),
        ];
        if side < 0.0 {
            corners.reverse();
        }
        draft.block(at, &corners);
    }
}

/// Adds static polygons on a jittered lattice on the floor. `side` is the distance between the wall and the lattice.
fn field(draft: &mut Draft, count: usize, columns: usize, side: f64) {
    let shapes: Vec<ShapeId> = (0..24)
        .map(|index| {
            let radius = draft.random.between(1.5, FIELD_REACH - 0.001);
            let polygon = convex(&mut draft.random, 3 + index % 6, radius, 0.5);
            draft.shape(polygon)
        })
        .collect();
    for index in 0..count {
        let jitter = 0.5 * FIELD_CELL - FIELD_REACH - LARGEST_RADIUS * 2.0;
        let at = place(&mut draft.random, index, columns, FIELD_CELL, jitter) + DVec2::new(side, 0.0);
        let shape = draft.choose(&shapes);
        draft.static_at(shape, at);
    }
}
