//! Simulates bodies that move and collide, on the CPU or on a GPU (the *device*).
//!
//! A [`World`] holds shapes and bodies. Time advances in steps. In a step, the broad phase finds the pairs of bodies
//! that may meet, the narrow phase computes the contact points of each pair, and a [`Solver`] resolves the contacts.
//! The *rigid* solver uses impulses, with friction, restitution and rotation. The *push* solver moves bodies apart
//! along their minimum translation vectors. Use the push solver for crowds and particles.
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
//! Lengths, times and masses are in the caller's units. Angles are in radians, counter-clockwise. The y axis points up,
//! but gravity may have any direction. The position of a body is stored as a point of an integer grid and an f32 offset
//! from this point. The precision therefore does not depend on the distance from the origin.
//! [`WorldOptions::length_unit`] is the length of a typical body. A world computes in f32, so its contacts are not
//! exact, unlike the relations of a join.
//!
//! # The same bits on every machine
//!
//! If two worlds on the CPU are built and stepped by the same calls, their bodies have the same bits. This holds for any number
//! of threads, for any vector instructions (AVX-512, AVX2, SSE2, NEON, or those of WebAssembly), and on every operating system.
//! To compare two worlds, compare their checksums ([`World::checksum`]). The exception is a pose that [`crate::Pose::new`] builds
//! from an angle, because the platform computes its sine. Use [`crate::Pose::from_cos_sin`] for [`World::set_pose`] instead.
//!
//! On the CPU and on a device, the order in which bodies are added between two steps has no effect on the steps. The
//! world orders new bodies by kind, then by height, then from left to right. Bodies that are equal in every option are
//! interchangeable.
//!
//! # The CPU and a device
//!
//! A world on a device gives the same bits in every run on one adapter and driver. A world on the CPU and a world on a
//! device differ, because the CPU and the device round f32 differently and solve contacts in a different order. Tests
//! check that the CPU and the device agree as follows, for bodies about one length unit in size and for steps of 1/60:
//!
//! - For the same boxes, the CPU and the device find the same candidate pairs.
//! - In scenes that are not chaotic, the poses on the CPU and on the device agree. Positions (in length units) and the
//!   sines of angles differ by at most 0.002 after 100 steps of a stack of five boxes, after 100 steps of bodies that
//!   are pushed apart, and after 60 steps of boxes that slide down a slope. Positions and sines differ by at most 0.001
//!   after 100 steps of a ball that falls on a plank, and by at most 0.02 after 2 steps of fast bodies without friction
//!   that hit a wall. In the stack of boxes, the contacts are between the same bodies. The normals of these contacts
//!   differ by at most 0.001, and the impulses by at most 5%.
//! - In scenes where many bodies meet, small rounding differences soon decide where each body goes, so only statistics
//!   agree. The differences are at most as follows. For a pile of 300 bodies after 1,000 steps: 5% in the number of
//!   contacts, 0.1 in the mean height, 0.002 in the mean penetration, 0.03 in the greatest penetration, and 0.001 in
//!   the kinetic energy per body. For 400 particles in a funnel, at the end of each of the first 6 seconds: 10% in the
//!   number of contacts among particles, and 0.3 in the mean height. The speed of these particles differs by at most
//!   0.1% after the first second, and by at most 4% on average over all six seconds. For 60 bodies of billiards after
//!   60 steps: 2% in the energy.

#[cfg(test)]
#[cfg(feature = "scenes")]
mod bits_tests;
mod bodies;
mod checksum;
mod contacts;
mod cpu;
#[cfg(test)]
mod far_tests;
#[cfg(feature = "gpu")]
mod gpu;
mod look;
mod mass;
mod options;
mod pushes;
#[cfg(feature = "scenes")]
mod scenes;
mod seams;
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
