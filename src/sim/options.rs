//! What a world and its bodies are told.

use glam::DVec2;

use super::ShapeId;
use crate::error::{Error, Result};

/// How contacts are answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// By impulses with friction, restitution and turning: graph-coloured, warm-started, in sub-steps with soft contacts that
    /// are relaxed after each (Catto 2024, "Solver2D").
    #[default]
    Rigid,
    /// By moving bodies apart along their minimum translation vectors, without turning them, and taking away the velocity
    /// with which they approach: position-based (Müller et al. 2007, "Position Based Dynamics"), for crowds and particles.
    ///
    /// Of an overlap it leaves 0.002 length units. A particle marked [`BodyOptions::fast`] that starts outside of polygons that
    /// are static, and meets nothing else, is in none of them by more than 0.0001 length units after any step; one that others
    /// press against a polygon, by no more than a tenth of its extent besides. Particles that meet at more than their extent a
    /// step pass into each other.
    Push,
}

/// What a [`super::World`] is made with.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldOptions {
    /// Acceleration of dynamic bodies, in any direction.
    pub gravity: DVec2,
    /// How contacts are answered.
    pub solver: Solver,
    /// Parts of a step in which contacts are answered anew, 1 to 1024, of either solver.
    pub substeps: u32,
    /// The length of a typical body. Bodies may be a thousand times smaller or larger, and up to a million of it
    /// from the origin.
    pub length_unit: f64,
    /// Where the grid of the world begins: a place near the bodies, for scenes far from 0.
    pub origin: DVec2,
    /// The greatest speed that a contact may give to resolve its overlap, as multiples of the length unit a unit of time. A body
    /// among many that overlap it gets more.
    pub push_out_speed: f64,
    /// Bodies that approach each other at less than this, as multiples of the length unit a unit of time, do not bounce.
    pub restitution_threshold: f64,
    /// Whether to record where contacts begin and end: see [`super::World::take_events`].
    pub events: bool,
}

impl Default for WorldOptions {
    /// Gravity 10 downwards, the rigid solver, 4 sub-steps, bodies about 1 long.
    fn default() -> Self {
        Self {
            gravity: DVec2::new(0.0, -10.0),
            solver: Solver::Rigid,
            substeps: 4,
            length_unit: 1.0,
            origin: DVec2::ZERO,
            push_out_speed: 3.0,
            restitution_threshold: 1.0,
            events: false,
        }
    }
}

impl WorldOptions {
    pub(super) fn check(&self) -> Result<()> {
        finite("gravity", self.gravity.to_array())?;
        finite("origin", self.origin.to_array())?;
        if self.substeps == 0 || self.substeps > 1024 {
            return Err(Error::Option {
                option: "substeps",
                value: self.substeps.to_string(),
                problem: "give 1 to 1024",
            });
        }
        positive("length_unit", self.length_unit)?;
        if !(1e-12..=1e12).contains(&self.length_unit) {
            return Err(Error::Body {
                name: "length_unit",
                value: self.length_unit,
                problem: "is not between 1e-12 and 1e12; choose another unit of length",
            });
        }
        positive("push_out_speed", self.push_out_speed)?;
        not_negative("restitution_threshold", self.restitution_threshold)
    }
}

/// What moves a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// Nothing.
    Static,
    /// Its own velocity, whatever it meets.
    Kinematic,
    /// Gravity, contacts and its own velocity.
    Dynamic,
}

/// Which bodies meet: two do if each is a member of a layer that the other meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layers {
    /// One bit a layer: those the body is in.
    pub member: u32,
    /// One bit a layer: those whose members it meets.
    pub meets: u32,
}

impl Layers {
    /// In every layer, meeting every layer.
    pub const ALL: Self = Self { member: u32::MAX, meets: u32::MAX };

    /// Whether two bodies meet.
    #[must_use]
    pub fn meet(self, other: Self) -> bool {
        self.member & other.meets != 0 && other.member & self.meets != 0
    }
}

/// A body to add to a world.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyOptions {
    /// What moves it.
    pub kind: BodyKind,
    /// A shape of the same world.
    pub shape: ShapeId,
    /// Where the shape's origin is.
    pub position: DVec2,
    /// How far the shape is turned about its origin.
    pub angle: f64,
    /// Of the centre of mass.
    pub velocity: DVec2,
    /// Radians a unit of time.
    pub angular_velocity: f64,
    /// Mass an area.
    pub density: f64,
    /// The mass of a dynamic body, where it is not density times area; needed for points and segments, which have no area.
    pub mass: Option<f64>,
    /// Tangential over normal force at most; of a contact, the geometric mean of both bodies'. Above 1e18 it is 1e18.
    pub friction: f64,
    /// Speed after over speed before an impact, 0 to 1; of a contact, the greater of both bodies'.
    pub restitution: f64,
    /// By which part velocity shrinks in a unit of time: the rate of an exponential.
    pub linear_damping: f64,
    /// As `linear_damping`, of the angular velocity; [`Solver::Push`] leaves that as it is.
    pub angular_damping: f64,
    /// The velocity that it strives for, as an agent of a crowd does.
    pub preferred_velocity: DVec2,
    /// How fast its velocity goes to the preferred one: the rate of an exponential; 0 for bodies that prefer none.
    pub preference: f64,
    /// Whom it meets.
    pub layers: Layers,
    /// Whether contacts do not turn it: particles, agents.
    pub fixed_rotation: bool,
    /// Whether its way through a step is followed, so that it passes through nothing static, or kinematic and at rest, however
    /// thin; what is thin, moves or turns fast and is kinematic may pass over it. For bodies that fly: one that others press
    /// against a wall as it slides along it may be stopped for a step, and so may one that gravity sets off.
    pub fast: bool,
}

impl BodyOptions {
    /// A body of a kind that rests, with friction 0.6, density 1 and no restitution.
    #[must_use]
    pub fn new(kind: BodyKind, shape: ShapeId, position: impl Into<DVec2>) -> Self {
        Self {
            kind,
            shape,
            position: position.into(),
            angle: 0.0,
            velocity: DVec2::ZERO,
            angular_velocity: 0.0,
            density: 1.0,
            mass: None,
            friction: 0.6,
            restitution: 0.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            preferred_velocity: DVec2::ZERO,
            preference: 0.0,
            layers: Layers::ALL,
            fixed_rotation: false,
            fast: false,
        }
    }

    /// A body that never moves.
    #[must_use]
    pub fn fixed(shape: ShapeId, position: impl Into<DVec2>) -> Self {
        Self::new(BodyKind::Static, shape, position)
    }

    /// A body that gravity and contacts move.
    #[must_use]
    pub fn dynamic(shape: ShapeId, position: impl Into<DVec2>) -> Self {
        Self::new(BodyKind::Dynamic, shape, position)
    }

    /// A body that moves as it is told.
    #[must_use]
    pub fn kinematic(shape: ShapeId, position: impl Into<DVec2>, velocity: impl Into<DVec2>) -> Self {
        Self { velocity: velocity.into(), ..Self::new(BodyKind::Kinematic, shape, position) }
    }

    /// A dynamic body that does not turn, without friction: a point or a circle, mostly. Its mass is 1 where the shape has no
    /// area. Contacts look ahead by its extent: mark it fast where it goes farther than that in a step.
    #[must_use]
    pub fn particle(shape: ShapeId, position: impl Into<DVec2>) -> Self {
        Self { fixed_rotation: true, friction: 0.0, ..Self::dynamic(shape, position) }
    }

    /// A dynamic body that does not turn and strives for a velocity, half of the way in about a third of a unit of time.
    #[must_use]
    pub fn agent(shape: ShapeId, position: impl Into<DVec2>, preferred_velocity: impl Into<DVec2>) -> Self {
        Self {
            preferred_velocity: preferred_velocity.into(),
            preference: 2.0,
            ..Self::particle(shape, position)
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        finite("position", self.position.to_array())?;
        finite("angle", [self.angle])?;
        finite("velocity", self.velocity.to_array())?;
        finite("angular_velocity", [self.angular_velocity])?;
        finite("preferred_velocity", self.preferred_velocity.to_array())?;
        positive("density", self.density)?;
        if let Some(mass) = self.mass {
            positive("mass", mass)?;
        }
        for (name, value) in [
            ("friction", self.friction),
            ("restitution", self.restitution),
            ("linear_damping", self.linear_damping),
            ("angular_damping", self.angular_damping),
            ("preference", self.preference),
        ] {
            not_negative(name, value)?;
        }
        if self.restitution > 1.0 {
            let problem = "is more than 1: bodies would bounce ever higher; give 0 to 1";
            return Err(Error::Body { name: "restitution", value: self.restitution, problem });
        }
        Ok(())
    }
}

/// Values that are numbers, and whose f32 is finite.
pub(super) fn finite<const N: usize>(name: &'static str, values: [f64; N]) -> Result<()> {
    match values.into_iter().find(|value| value.is_nan() || value.abs() > 1e30) {
        Some(value) => {
            Err(Error::Body { name, value, problem: "is not a finite number within 1e30; give one that is" })
        }
        None => Ok(()),
    }
}

fn positive(name: &'static str, value: f64) -> Result<()> {
    finite(name, [value])?;
    if value < 1e-30 {
        return Err(Error::Body { name, value, problem: "is not positive; give 1e-30 or more" });
    }
    Ok(())
}

fn not_negative(name: &'static str, value: f64) -> Result<()> {
    finite(name, [value])?;
    if value < 0.0 {
        return Err(Error::Body { name, value, problem: "is negative; give 0 or more" });
    }
    Ok(())
}
