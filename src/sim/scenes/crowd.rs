//! Describes the scene [`SimScene::Crowd`].

use glam::DVec2;

use super::parts::{Draft, circle, columns_and_rows, convex, place, rounded, single};
use super::{SceneDescription, SimScene};
use crate::Aabb;
use crate::sim::{BodyOptions, ShapeId, Solver, WorldOptions};

/// The greatest distance between the origin of an agent's shape and any point of the shape.
const REACH: f64 = 0.28;
/// The side of the square cell in which an agent starts.
const CELL: f64 = 0.8;
/// The thickness of the walls of the room.
const WALL: f64 = 2.0;
/// The nearest agents start at this distance from the middle of the doorway, plus three times the radius of the pillar.
const GAP: f64 = 4.0;
/// The width of the doorway, as a fraction of the height of the room.
const DOOR: f64 = 0.25;
/// The distance from the goal at which an agent begins to slow down.
const ARRIVAL: f64 = 0.5;

/// The doorway of [`SimScene::Crowd`]: an opening in a wall along the y axis, centred at the origin, with a pillar in
/// the middle. Two crowds start on the two sides of the wall, and walk through the opening to the other side. Each
/// agent keeps to the right of the x axis in its walking direction, so the two crowds do not block each other. Each
/// agent stops at its initial distance from both axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doorway {
    /// Half of the width of the opening: the distance from the x axis to either end of the opening.
    pub half_width: f64,
    /// Half of the thickness of the wall: the distance from the y axis to either surface of the wall.
    pub half_thickness: f64,
    /// Radius of the pillar.
    pub pillar: f64,
}

impl Doorway {
    /// WGSL code of [`Doorway::preferred_velocity`], for the caller's own shaders. The code has a struct `Doorway` and
    /// a function `preferred_velocity`. The arguments of the function are the doorway, the start, the speed and the
    /// position of the agent.
    pub const WGSL: &str = crate::packed::wgsl::text!("/shaders/sim/doorway.wgsl");

    /// Returns the velocity that an agent should have at the position `at`. `agent` has the options with which the
    /// agent was added. The length of the result is the initial preferred speed of the agent. It is lower near the
    /// agent's goal, and 0 at the goal.
    #[must_use]
    pub fn preferred_velocity(&self, agent: &BodyOptions, at: DVec2) -> DVec2 {
        let heading = if agent.position.x < 0.0 { 1.0 } else { -1.0 };
        let speed = agent.preferred_velocity.length();
        let inner = self.pillar + REACH;
        let outer = (self.half_width - REACH).max(inner);
        // The distance of the agent from the x axis, positive on its right-hand side.
        let right = -heading * at.y;
        if at.x * heading > self.half_thickness {
            let way = DVec2::new(-agent.position.x, -heading * agent.position.y.abs()) - at;
            return speed * way / way.length().max(ARRIVAL);
        }
        let is_inside = at.x.abs() <= self.half_thickness;
        let way = if is_inside || (inner..=outer).contains(&right) {
            DVec2::new(heading, 0.0)
        } else if right < 0.0 {
            // Makes room for the agents that come from the other side of the wall.
            DVec2::new(-0.3 * heading, -heading)
        } else {
            // Walks to the nearest point of its lane in front of the wall.
            let lane = -heading * right.clamp(inner, outer);
            DVec2::new(-heading * (self.half_thickness + REACH), lane) - at
        };
        speed * way.normalize_or_zero()
    }
}

pub(super) fn describe(count: usize, seed: u64) -> SceneDescription {
    let options = WorldOptions {
        gravity: DVec2::ZERO,
        solver: Solver::Push,
        length_unit: 2.0 * REACH,
        ..WorldOptions::default()
    };
    let mut draft = Draft::new(SimScene::Crowd, seed, options);
    let (columns, rows) = columns_and_rows(count.div_ceil(2), 1.0);
    let height = (CELL * rows as f64).max(12.0);
    let doorway = Doorway {
        half_width: 0.5 * DOOR * height,
        half_thickness: 0.5,
        pillar: single(0.08 * DOOR * height),
    };
    let gap = GAP + 3.0 * doorway.pillar;
    let half = DVec2::new(gap + CELL * columns as f64 + 1.0, 0.5 * height);
    draft.room(Aabb { min: -half, max: half }, WALL);
    walls(&mut draft, &doorway, half.y, 0.5 * gap);
    let shapes = shapes(&mut draft);
    for index in 0..count {
        // The agents start alternately on the left and on the right.
        let side = if index % 2 == 0 { -1.0 } else { 1.0 };
        let cell = place(&mut draft.random, index / 2, columns, CELL, 0.5 * CELL - REACH - 0.001);
        let at = rounded(DVec2::new(side * (gap + cell.x), cell.y - 0.5 * CELL * rows as f64));
        let speed = draft.random.between(1.0, 1.6);
        let shape = draft.choose(&shapes);
        let mut agent = BodyOptions::agent(shape, at, DVec2::new(-side * speed, 0.0));
        agent.preferred_velocity = rounded(doorway.preferred_velocity(&agent, at));
        draft.body(agent);
    }
    SceneDescription { doorway: Some(doorway), ..draft.finish() }
}

/// Adds the wall above and below the opening, the pillar in the middle of the opening, and four small pillars in front of
/// the opening. Two small pillars are at `distance` to the left of the wall, and two to the right.
fn walls(draft: &mut Draft, doorway: &Doorway, half_height: f64, distance: f64) {
    let (thick, open) = (doorway.half_thickness, doorway.half_width);
    // The wall reaches into the walls of the room, so that there is no gap between them.
    let top = half_height + 0.5 * WALL;
    draft.wall(DVec2::new(-thick, open), DVec2::new(thick, top));
    draft.wall(DVec2::new(-thick, -top), DVec2::new(thick, -open));
    let pillar = draft.shape(circle(doorway.pillar));
    draft.static_at(pillar, DVec2::ZERO);
    let small = draft.shape(circle(0.5 * doorway.pillar));
    for (x, y) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
        draft.static_at(small, DVec2::new(distance * x, 0.5 * open * y));
    }
}

/// Adds 6 circles and 18 polygons to the shapes of the scene. Returns their ids.
fn shapes(draft: &mut Draft) -> Vec<ShapeId> {
    (0..24)
        .map(|index| {
            let radius = draft.random.between(0.2, REACH - 0.001);
            let shape = match index % 4 {
                0 => circle(radius),
                _ => convex(&mut draft.random, 5 + index % 4, radius, 0.6),
            };
            draft.shape(shape)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shader_has_the_same_constants() {
        for (name, value) in [("REACH", REACH), ("ARRIVAL", ARRIVAL)] {
            assert!(Doorway::WGSL.contains(&format!("const AGENT_{name}: f32 = {value:?};")), "{name}");
        }
    }
}
