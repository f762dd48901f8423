//! Scenes whose outcome mechanics predicts: bodies that pass each other, bounce, rest or are pressed.

mod bounces;
mod grazes;
mod landings;
mod near_misses;
mod orders;
mod overlaps;
mod pressing;
mod resting;
mod round;
mod seams;
mod surfaces;

use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyOptions, ShapeId, Solver, World, WorldOptions};
use sat2d::{Backend, ConvexPolygon, RoundedShape};

use super::rigid::rectangle;

const DT: f64 = 1.0 / 60.0;
const SOLVERS: [Solver; 2] = [Solver::Rigid, Solver::Push];

const BACKENDS: &[Backend] =
    if cfg!(feature = "gpu") { &[Backend::Cpu, Backend::Gpu] } else { &[Backend::Cpu] };

/// Worlds on a device that no test uses now. The first step of a new world compiles its kernels. On a software adapter, this
/// takes as long as hundreds of steps, so a test uses the world of an earlier test again.
static IDLE: Mutex<Vec<World>> = Mutex::new(Vec::new());

/// A world that a test uses. After the test, a world on a device becomes idle, unless the test fails.
pub(super) struct TestWorld(Option<World>);

impl Deref for TestWorld {
    type Target = World;

    fn deref(&self) -> &World {
        self.0.as_ref().unwrap()
    }
}

impl DerefMut for TestWorld {
    fn deref_mut(&mut self) -> &mut World {
        self.0.as_mut().unwrap()
    }
}

impl Drop for TestWorld {
    fn drop(&mut self) {
        if let Some(world) = self.0.take()
            && world.choice().backend == Backend::Gpu
            && !std::thread::panicking()
        {
            IDLE.lock().unwrap().push(world);
        }
    }
}

/// Returns an empty world on a backend.
fn world_on(backend: Backend, options: &WorldOptions) -> TestWorld {
    #[cfg(feature = "gpu")]
    if backend == Backend::Gpu
        && let Some(mut world) = IDLE.lock().unwrap().pop()
    {
        world.renew(options.clone()).unwrap();
        return TestWorld(Some(world));
    }
    TestWorld(Some(World::on(options.clone(), backend).unwrap()))
}

/// Returns an empty world on each backend.
pub(super) fn worlds(options: &WorldOptions) -> impl Iterator<Item = TestWorld> {
    BACKENDS.iter().map(|&backend| world_on(backend, options))
}

fn weightless(solver: Solver) -> WorldOptions {
    WorldOptions { gravity: DVec2::ZERO, solver, ..WorldOptions::default() }
}

fn heavy(solver: Solver) -> WorldOptions {
    WorldOptions { solver, ..WorldOptions::default() }
}

pub(super) fn circle(world: &mut World, radius: f64) -> ShapeId {
    world.add_shape(&RoundedShape::circle([0.0, 0.0], radius).unwrap()).unwrap()
}

/// Adds a convex polygon without rounding.
fn polygon(world: &mut World, corners: &[[f64; 2]]) -> ShapeId {
    let polygon = ConvexPolygon::new(corners).unwrap();
    world.add_shape(&RoundedShape::polygon(&polygon, 0.0).unwrap()).unwrap()
}

/// Returns a dynamic body without friction that moves at a given velocity.
fn slider(shape: ShapeId, at: [f64; 2], velocity: [f64; 2]) -> BodyOptions {
    BodyOptions { velocity: velocity.into(), friction: 0.0, ..BodyOptions::dynamic(shape, at) }
}

/// Returns a static body without friction.
fn smooth(shape: ShapeId, at: [f64; 2]) -> BodyOptions {
    BodyOptions { friction: 0.0, ..BodyOptions::fixed(shape, at) }
}

fn position(world: &mut World, body: BodyId) -> DVec2 {
    world.pose(body).unwrap().translation()
}

fn speed(world: &mut World, body: BodyId) -> f64 {
    world.velocity(body).unwrap().0.length()
}

/// Returns the angle between two velocities in degrees, or 180 if `velocity` is 0.
fn deflection(velocity: DVec2, expected: DVec2) -> f64 {
    if velocity.length() == 0.0 { 180.0 } else { velocity.angle_to(expected).abs().to_degrees() }
}
