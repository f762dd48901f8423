//! The worlds of the benchmark. Their bodies start near the positions at which they come to rest, so the worlds come to
//! rest in few steps.

use sat2d::glam::DVec2;

use sat2d::internal::{Purpose, Random};
use sat2d::sim::{BodyId, BodyKind, BodyOptions, ShapeId, SimScene, Solver, World, WorldOptions};
use sat2d::{Aabb, Backend, ConvexPolygon, Result, RoundedShape};

/// The number of rows of bodies in the heap. The number is the same at every size, so that the lowest bodies always bear the
/// same load.
const ROWS: usize = 50;
/// The least number of columns of bodies in the heap. In a narrower room, the longest bodies would get stuck between the walls.
const LEAST_COLUMNS: usize = 3;
/// The side of a body's cell in the heap, in length units.
const CELL: f64 = 0.8;
/// The thickness of a wall, in length units. No body moves this far in one step.
const WALL: f64 = 4.0;

/// The side of a polygon's cell in the world of particles, in length units.
const FIELD_CELL: f64 = 10.0;
/// The distance of a polygon's vertices from its middle, in length units.
const FIELD_REACH: f64 = 3.0;
/// The side of a particle's cell, in length units. A polygon's cell has more than [`PARTICLES_A_POLYGON`] particle cells that the
/// polygon does not reach.
const PARTICLE_CELL: f64 = 0.75;
/// The radius of a particle, in length units.
const PARTICLE_RADIUS: f64 = 0.2;
/// The number of particles for each polygon.
const PARTICLES_A_POLYGON: usize = 100;

/// The kind of a measured world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A heap of polygons with 3 to 8 vertices, boxes, circles and capsules, with the rigid solver.
    Heap,
    /// Particles that fall between static polygons and heap up on them, with the push solver. There is one polygon per 100
    /// particles.
    Particles,
}

/// A measured world before its first step, with the data for the checks of its state.
pub(super) struct Scene {
    pub(super) world: World,
    pub(super) bodies: Vec<BodyId>,
    /// The box that no body of the world may leave.
    pub(super) room: Aabb,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::Heap, Self::Particles];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Heap => "heap",
            Self::Particles => "particles",
        }
    }

    /// Returns the number of steps per second that a data-centre GPU must reach in this world with a million bodies.
    pub(super) const fn bar(self) -> f64 {
        match self {
            Self::Heap => 60.0,
            Self::Particles => 200.0,
        }
    }

    /// Creates a world with `count` dynamic bodies, or returns the error of the world. Equal seeds give equal worlds.
    pub(super) fn make(self, count: usize, seed: u64, backend: Backend) -> Result<Scene> {
        let random = Random::new(seed, u8::MAX - self as u8, Purpose::Item, 0);
        match self {
            Self::Heap => heap(count, seed, random, backend),
            Self::Particles => particles(count, random, backend),
        }
    }
}

fn heap(count: usize, seed: u64, mut random: Random, backend: Backend) -> Result<Scene> {
    let mut world = World::on(WorldOptions::default(), backend)?;
    let columns = count.div_ceil(ROWS).max(LEAST_COLUMNS);
    let room = Aabb { min: DVec2::ZERO, max: CELL * DVec2::new(columns as f64, (ROWS + 2) as f64) };
    walls(&mut world, room)?;
    let shapes: Vec<ShapeId> =
        lying_shapes(seed).iter().map(|shape| world.add_shape(shape)).collect::<Result<_>>()?;
    let add = |index: usize| {
        let cell = DVec2::new((index % columns) as f64 + 0.5, (index / columns) as f64 + 0.5);
        let shape = shapes[random.below(shapes.len() as u64) as usize];
        let angle = random.between(0.0, std::f64::consts::TAU);
        world.add(&BodyOptions { angle, ..BodyOptions::dynamic(shape, CELL * cell) })
    };
    let bodies = (0..count).map(add).collect::<Result<_>>()?;
    Ok(Scene { world, bodies, room })
}

/// Returns the shapes of the bodies in the heap, without the shapes of its walls.
fn lying_shapes(seed: u64) -> Vec<RoundedShape> {
    let pile = SimScene::Pile.describe(1, seed);
    let stands = |index: usize| {
        pile.bodies.iter().any(|body| body.kind == BodyKind::Static && body.shape.index() == index)
    };
    let shapes = pile.shapes.iter().enumerate().filter(|(index, _)| !stands(*index));
    shapes.map(|(_, shape)| shape.clone()).collect()
}

fn particles(count: usize, mut random: Random, backend: Backend) -> Result<Scene> {
    let options = WorldOptions { solver: Solver::Push, ..WorldOptions::default() };
    let mut world = World::on(options, backend)?;
    let polygon_count = count.div_ceil(PARTICLES_A_POLYGON).max(1);
    let columns = (polygon_count as f64).sqrt().ceil() as usize;
    let rows = polygon_count.div_ceil(columns);
    let room = Aabb { min: DVec2::ZERO, max: FIELD_CELL * DVec2::new(columns as f64, rows as f64) };
    walls(&mut world, room)?;
    let shapes: Vec<ShapeId> = (3..9).map(|n| world.add_shape(&regular(n)?)).collect::<Result<_>>()?;
    let disc = world.add_shape(&RoundedShape::circle(DVec2::ZERO, PARTICLE_RADIUS)?)?;
    // The positions of particles relative to the middle of a polygon's cell, the lowest first.
    let side = (FIELD_CELL / PARTICLE_CELL) as usize;
    let places: Vec<DVec2> = (0..side * side)
        .map(|k| DVec2::new((k % side) as f64, (k / side) as f64) - DVec2::splat(0.5 * (side - 1) as f64))
        .map(|cell| cell * PARTICLE_CELL)
        .filter(|place| place.length() > FIELD_REACH + PARTICLE_RADIUS)
        .collect();
    let mut bodies = Vec::with_capacity(count);
    for index in 0..polygon_count {
        let middle = FIELD_CELL * DVec2::new((index % columns) as f64 + 0.5, (index / columns) as f64 + 0.5);
        let shape = shapes[random.below(shapes.len() as u64) as usize];
        let angle = random.between(0.0, std::f64::consts::TAU);
        world.add(&BodyOptions { angle, ..BodyOptions::fixed(shape, middle) })?;
        let wanted = PARTICLES_A_POLYGON.min(count - bodies.len());
        for place in &places[..wanted.min(places.len())] {
            // A random offset keeps the particles from stacking exactly on top of each other.
            let aside = DVec2::new(random.between(-0.1, 0.1), random.between(-0.1, 0.1));
            bodies.push(world.add(&BodyOptions::particle(disc, middle + *place + aside))?);
        }
    }
    Ok(Scene { world, bodies, room })
}

/// Returns a regular polygon about the origin, with its vertices at the distance [`FIELD_REACH`]. Returns an error if the
/// polygon is invalid.
fn regular(vertex_count: usize) -> Result<RoundedShape> {
    let corner =
        |k: usize| FIELD_REACH * DVec2::from_angle(k as f64 * std::f64::consts::TAU / vertex_count as f64);
    let ring: Vec<[f64; 2]> = (0..vertex_count).map(|k| corner(k).to_array()).collect();
    RoundedShape::polygon(&ConvexPolygon::new(&ring)?, 0.0)
}

/// Adds static boxes around the outside of a room. Returns the error of the world.
fn walls(world: &mut World, room: Aabb) -> Result<()> {
    let (middle, half) = (0.5 * (room.min + room.max), 0.5 * (room.max - room.min));
    for (axis, other) in [(DVec2::X, DVec2::Y), (DVec2::Y, DVec2::X)] {
        let size = 0.5 * WALL * axis + (half + WALL) * other;
        let corners = [[-size.x, -size.y], [size.x, -size.y], [size.x, size.y], [-size.x, size.y]];
        let shape = RoundedShape::polygon(&ConvexPolygon::new(&corners)?, 0.0)?;
        let shape = world.add_shape(&shape)?;
        for sign in [-1.0, 1.0] {
            world.add(&BodyOptions::fixed(shape, middle + sign * (half + 0.5 * WALL) * axis))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_heap_has_shapes_of_all_kinds_and_no_wall() {
        let shapes = lying_shapes(1);
        let radius = |shape: &RoundedShape| shape.core().iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!(shapes.iter().all(|shape| radius(shape) + shape.radius() < CELL), "no wall");
        let counts: HashSet<usize> = shapes.iter().map(|shape| shape.core().len()).collect();
        assert_eq!(counts, (1..9).collect());
    }

    #[test]
    fn there_are_as_many_bodies_as_asked_for_in_the_room() {
        for kind in Kind::ALL {
            for count in [1, 99, 1234] {
                let Scene { mut world, bodies, room } = kind.make(count, 1, Backend::Cpu).unwrap();
                assert_eq!(bodies.len(), count, "{kind:?}");
                for &body in &bodies {
                    let at = world.pose(body).unwrap().translation();
                    assert!(at.cmpge(room.min).all() && at.cmple(room.max).all(), "{kind:?} {at}");
                }
            }
        }
    }
}
