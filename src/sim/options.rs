//! Options of worlds and bodies.

use glam::DVec2;

use super::ShapeId;
use crate::base::error::{Error, Result};

/// The solver, which resolves the contacts of a world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// Resolves contacts by impulses, with friction, restitution and rotation. The solver divides the contacts into
    /// groups in which no two contacts share a dynamic body, and starts with the impulses of the previous step. In each
    /// sub-step, damped springs push overlapping bodies apart, and the solver moves bodies that overlap deeply. The
    /// solver then removes the velocity that the springs added (Catto 2024, "Solver2D").
    #[default]
    Rigid,
    /// Moves bodies apart along their minimum translation vectors, without rotation, and removes the velocity of
    /// approach. The solver is position-based (Müller et al. 2007, "Position Based Dynamics"), for crowds and
    /// particles.
    ///
    /// The solver leaves an overlap of 0.002 length units ([`WorldOptions::length_unit`]). Take a particle with
    /// [`BodyOptions::fast`] that starts outside all static polygons and meets no other body. After a step, the depth
    /// of this particle inside a static polygon is at most 0.0001 length units. If other bodies press the particle
    /// against the polygon, the depth can grow by up to a tenth of the extent of the particle. Two particles pass into
    /// each other if they approach each other by more than their extent in a step.
    Push,
}

/// Options of a [`super::World`].
#[derive(Clone, Debug, PartialEq)]
pub struct WorldOptions {
    /// Acceleration of dynamic bodies, in any direction, in units of length per squared unit of time. The default is
    /// (0, -10).
    pub gravity: DVec2,
    /// The solver, which resolves the contacts of a world.
    pub solver: Solver,
    /// Number of sub-steps in each step, from 1 to 1024, for either solver. The default is 4. Contacts are resolved in
    /// each sub-step. More sub-steps make tall stacks and large mass ratios stiffer.
    pub substeps: u32,
    /// Length of a typical body, in the caller's unit. The default is 1. A body may be a thousand times smaller or
    /// larger than this length. The distance of a body from the origin may be up to a million times this length. A
    /// contact begins at a gap of 0.02 length units, or at a larger gap if the bodies move.
    pub length_unit: f64,
    /// Origin of the world's grid, in the caller's unit. Choose a point near the bodies if the scene is far from (0,
    /// 0).
    pub origin: DVec2,
    /// The greatest speed at which a contact resolves its overlap, in length units per unit of time. The default is 3.
    /// The rigid solver resolves an overlap of more than about 0.005 length units by moving the bodies, which gives them
    /// no velocity. If one of the bodies is kinematic and moves, the other body gets a velocity. A body that overlaps many
    /// bodies may move faster than this speed.
    pub push_out_speed: f64,
    /// The least speed of approach at which bodies bounce, in length units per unit of time. The default is 1. An
    /// impact below this speed has a restitution of 0, so that bodies come to rest. With a threshold of 0, every impact
    /// has its full restitution.
    pub restitution_threshold: f64,
    /// Whether to record when contacts begin and end. [`super::World::take_events`] returns the records.
    pub events: bool,
}

impl Default for WorldOptions {
    /// Returns the default options: gravity 10 downwards, the rigid solver, 4 sub-steps, and a length unit of 1.
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
                problem: "must be from 1 to 1024",
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

/// The kind of a body, which determines its motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// The body does not move. Static polygons and segments form one surface if they touch each other, have the same
    /// layers and are not rounded. A body that slides over a seam of this surface keeps its velocity. The seams do not
    /// rotate a body that lands flat. Two static shapes touch if the gap between them is at most 0.0005 length units.
    Static,
    /// The body moves at its own velocity, and contacts leave this velocity unchanged.
    Kinematic,
    /// The body moves at its own velocity, which gravity and contacts change.
    Dynamic,
}

/// The collision layers of a body. Two bodies collide if each body is a member of a layer that the other body collides
/// with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layers {
    /// The layers that this body is a member of, one bit for each layer.
    pub member: u32,
    /// The layers that this body collides with, one bit for each layer.
    pub meets: u32,
}

impl Layers {
    /// The body is a member of every layer, and collides with every layer.
    pub const ALL: Self = Self { member: u32::MAX, meets: u32::MAX };

    /// Returns whether two bodies with these layers collide.
    #[must_use]
    pub fn meet(self, other: Self) -> bool {
        self.member & other.meets != 0 && other.member & self.meets != 0
    }
}

/// Options of a body to add to a world.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyOptions {
    /// The kind of the body.
    pub kind: BodyKind,
    /// The shape of the body. The shape must belong to the same world.
    pub shape: ShapeId,
    /// Position of the shape's origin in the world, in the caller's unit.
    pub position: DVec2,
    /// Rotation of the shape about its origin, in radians, counter-clockwise.
    pub angle: f64,
    /// Velocity of the centre of mass, in units of length per unit of time.
    pub velocity: DVec2,
    /// Angular velocity, in radians per unit of time, counter-clockwise.
    pub angular_velocity: f64,
    /// Mass of the body per unit of area.
    pub density: f64,
    /// Mass of a dynamic body. If `mass` is `None`, the mass is density times area. A point or a segment of radius 0 has no area.
    /// Its mass must be given, unless [`BodyOptions::fixed_rotation`] is set: the mass is then 1.
    pub mass: Option<f64>,
    /// Coefficient of friction: the greatest ratio of the tangential force to the normal force. The same coefficient
    /// applies at rest, while sliding and in an impact. The coefficient of a contact is the geometric mean of the
    /// coefficients of the two bodies. A coefficient above 1e18 counts as 1e18.
    pub friction: f64,
    /// Coefficient of restitution, from 0 to 1: the normal speed after an impact divided by the normal speed before the
    /// impact. The coefficient of a contact is the greater of the coefficients of the two bodies. Bodies do not bounce
    /// in an impact below [`WorldOptions::restitution_threshold`].
    pub restitution: f64,
    /// Rate of the exponential decay of the velocity, per unit of time. A sub-step of duration h divides the velocity by
    /// 1 + rate * h.
    pub linear_damping: f64,
    /// Rate of the exponential decay of the angular velocity, per unit of time. [`Solver::Push`] ignores this rate.
    pub angular_damping: f64,
    /// The velocity that the body steers towards, for agents of a crowd.
    pub preferred_velocity: DVec2,
    /// Rate of the exponential approach of the velocity to the preferred velocity, per unit of time. Set the rate to 0
    /// for bodies without a preferred velocity.
    pub preference: f64,
    /// The collision layers of the body.
    pub layers: Layers,
    /// Whether contacts leave the rotation of the body unchanged. Particles and agents have a fixed rotation.
    pub fixed_rotation: bool,
    /// Whether to test the whole path of the body in each step. A fast body does not pass through a thin body that is static, or
    /// that is kinematic and at rest. A fast body may still pass through a thin kinematic body that moves or rotates fast. If a
    /// dynamic body pushes a fast body far off the path that its velocity gives, the fast body moves only part of its way in this
    /// step. In a world with more than 1,024 fast bodies, the same applies to a fast body that bounces back, or that a kinematic
    /// body pushes.
    pub fast: bool,
}

impl BodyOptions {
    /// Returns options of a body at rest, with friction 0.6, density 1 and no restitution.
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

    /// Returns options of a static body, with the other options of [`BodyOptions::new`].
    #[must_use]
    pub fn fixed(shape: ShapeId, position: impl Into<DVec2>) -> Self {
        Self::new(BodyKind::Static, shape, position)
    }

    /// Returns options of a dynamic body, which gravity and contacts move.
    #[must_use]
    pub fn dynamic(shape: ShapeId, position: impl Into<DVec2>) -> Self {
        Self::new(BodyKind::Dynamic, shape, position)
    }

    /// Returns options of a body that moves at the given velocity.
    #[must_use]
    pub fn kinematic(shape: ShapeId, position: impl Into<DVec2>, velocity: impl Into<DVec2>) -> Self {
        Self { velocity: velocity.into(), ..Self::new(BodyKind::Kinematic, shape, position) }
    }

    /// Returns options of a dynamic body without rotation or friction, typically a point or a circle. If the shape has
    /// no area, the mass is 1. In each step, contacts are found along the path of the particle. Set
    /// [`BodyOptions::fast`] if the particle must not pass through a thin body even when other bodies push the particle
    /// aside.
    #[must_use]
    pub fn particle(shape: ShapeId, position: impl Into<DVec2>) -> Self {
        Self { fixed_rotation: true, friction: 0.0, ..Self::dynamic(shape, position) }
    }

    /// Returns options of an agent: a dynamic body that does not rotate and steers towards a preferred velocity. The
    /// difference between the velocity and the preferred velocity is halved in about a third of a unit of time.
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

/// Returns [`Error::Body`] if a value is NaN or has a magnitude above 1e30, because f32 might not hold such a value.
/// `name` names the values in the error.
pub(super) fn finite<const N: usize>(name: &'static str, values: [f64; N]) -> Result<()> {
    match values.into_iter().find(|value| value.is_nan() || value.abs() > 1e30) {
        Some(value) => {
            Err(Error::Body { name, value, problem: "must be finite; give at most 1e30 in magnitude" })
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
