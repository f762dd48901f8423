//! Simulation: worlds of moving, colliding bodies, stepped on the CPU or on a device.
//!
//! A [`World`] holds shapes and bodies. A step finds the pairs of bodies that may meet (broad phase), finds where
//! they touch (the contact manifolds of the narrow phase), and resolves the contacts with one of two [`Solver`]s. The
//! *rigid* solver uses impulses, with friction, restitution and rotation. The *push* solver moves bodies apart along
//! their minimum translation vectors; it is for crowds and particles.
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
//! Lengths, times and masses are in the caller's units. Angles are in radians, counter-clockwise. The y axis points
//! up, but gravity may have any direction. The position of a body is a point of an integer grid and an f32 offset
//! from the point, so precision does not depend on the distance from the origin. [`WorldOptions::length_unit`] gives
//! the length of a typical body. A world computes in f32. It has the precision of f32, and does not have the
//! exactness of the relations of a join.
//!
//! # The CPU and a device
//!
//! A world on the CPU gives the same bits with any number of threads. A world on a device gives the same bits in
//! every run. The two differ from each other: f32 is rounded differently, and contacts are solved in another order.
//! Tests hold them to the following agreement, for bodies about one length unit large and steps of 1/60:
//!
//! - The candidate pairs of a step on a device are those that the CPU finds for the same boxes.
//! - In scenes that are not chaotic, poses agree, both positions in length units and the sines of angles: within
//!   0.002 after 100 steps of a stack of five boxes and of bodies that are pushed apart, and after 60 steps of boxes
//!   that slide down a slope; within 0.001 after 100 steps of a ball that falls on a plank; within 0.02 after 2 steps
//!   of fast bodies without friction that hit a wall. The contacts of the stack are then between the same bodies, with normals within
//!   0.001 and impulses within 5%.
//! - In scenes where many bodies meet, the last bits soon decide where each body goes, and only statistics agree. For
//!   a pile of 300 bodies after 1,000 steps: the number of contacts within 5%, the mean height within 0.1, the mean
//!   penetration within 0.002, the greatest penetration within 0.03, the kinetic energy per body within 0.001. For
//!   400 particles in a funnel, after each of 6 seconds: contacts among particles within 10%, the mean height within
//!   0.3; the speed within 0.1% after the first second, and within 4% in the mean of all six. For 60 bodies of billiards after 60 steps: the energy within 2%.

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
