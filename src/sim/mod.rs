//! Simulation: bodies that move, meet and answer, step after step, on the CPU or on a device.
//!
//! A [`World`] holds shapes and bodies. A step finds the pairs of bodies that may meet (broad phase), where they touch
//! (the contact manifolds of the narrow phase), and answers by one of two [`Solver`]s: *rigid*, by impulses with friction,
//! restitution and turning; *push*, by moving bodies apart along their minimum translation vectors, for crowds and particles.
//!
//! ```
//! use sat2d::glam::DVec2;
//! use sat2d::sim::{BodyOptions, World, WorldOptions};
//! use sat2d::{ConvexPolygon, RoundedShape};
//!
//! let mut world = World::new(WorldOptions::default())?;
//! let plank = ConvexPolygon::new(&[[-10.0, -0.5], [10.0, -0.5], [10.0, 0.5], [-10.0, 0.5]])?;
//! let plank = world.add_shape(&RoundedShape::polygon(&plank, 0.0)?)?;
//! let ball = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.5)?)?;
//! world.add(&BodyOptions::fixed(plank, [0.0, -0.5]))?;
//! let ball = world.add(&BodyOptions::dynamic(ball, [0.0, 3.0]))?;
//! world.steps(180, 1.0 / 60.0)?;
//! // It fell, and lies on the plank.
//! assert!((world.pose(ball)?.translation() - DVec2::new(0.0, 0.5)).length() < 0.02);
//! # Ok::<(), sat2d::Error>(())
//! ```
//!
//! # Frame, units and precision
//!
//! Lengths, times and masses are the caller's; angles are in radians, counter-clockwise; y points up, but gravity may point
//! anywhere. A body stands at a point of an integer grid and an f32 offset from it, so that precision does not depend on
//! the distance from the origin: [`WorldOptions::length_unit`] says how long the bodies are. Figures are those of f32, without
//! the exactness of the relations of a join: a world is stepped, not proven.
//!
//! # The CPU and a device
//!
//! A world on the CPU gives the same bits with any number of threads, and one on a device the same bits run after run. Between the
//! two, f32 is rounded differently and contacts are solved in another order. How near they come is what tests hold them to, of bodies
//! about one length unit large and steps of 1/60:
//!
//! - The candidate pairs of a step on a device are those that the CPU finds of the same boxes.
//! - Without chaos, poses agree, positions in length units and the sines of angles alike: within 0.002 after 100 steps of a stack of
//!   five boxes and of bodies that are pushed apart, and after 60 steps of boxes that slide down a slope; within 0.001 after 100 steps
//!   of a ball that falls on a plank; within 0.02 after 2 steps of fast bodies that hit a wall. The stack's contacts are of the same
//!   bodies then, with normals within 0.001 and impulses within 5%.
//! - Where many bodies meet, the last bits soon decide where each one goes, and only statistics agree. Of a pile of 300 bodies after
//!   1,000 steps: the number of contacts within 5%, the mean height within 0.1, the mean penetration within 0.002, the greatest within
//!   0.03, the kinetic energy a body within 0.001. Of 400 particles in a funnel, after each of 6 seconds: contacts among particles
//!   within 10%, the mean height within 0.3, the speed within 6%. Of 60 bodies of billiards after 60 steps: the energy within 2%.

mod bodies;
mod contacts;
mod cpu;
#[cfg(test)]
mod far_tests;
#[cfg(feature = "gpu")]
mod gpu;
mod look;
mod mass;
mod options;
#[cfg(feature = "scenes")]
mod scenes;
mod shapes;
mod statistics;
mod world;

pub use bodies::BodyId;
pub use contacts::{BodyContact, ContactEvent, ContactPoint};
#[cfg(feature = "gpu")]
pub use gpu::{DeviceBuffers, Progress};
pub use mass::MassProperties;
pub use options::{BodyKind, BodyOptions, Layers, Solver, WorldOptions};
#[cfg(feature = "scenes")]
pub use scenes::{Doorway, SceneDescription, SimScene};
pub use shapes::ShapeId;
pub use statistics::{StepReport, StepTimes, WorldStatistics};
pub use world::World;
