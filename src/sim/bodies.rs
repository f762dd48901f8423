//! States and properties of bodies: the records that both backends step.

use bytemuck::{Pod, Zeroable};
use glam::{DVec2, IVec2};

use super::options::BodyOptions;
use super::shapes::Shape;
use super::{BodyKind, Layers};
use crate::Pose;
use crate::error::{Error, Result};
use crate::grid::Grid;

/// Id of a body of a world: see [`super::World::add`]. If a body is removed, its id becomes invalid, and never names
/// another body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId {
    pub(super) slot: u32,
    /// How often the slot was given away before.
    pub(super) generation: u32,
}

impl BodyId {
    /// Returns the slot of the body. The slot is the index of the body in the buffers of a device, and determines the
    /// order of [`super::World::bodies`]. If a body is removed, a new body may reuse the slot.
    #[must_use]
    pub fn index(self) -> usize {
        self.slot as usize
    }
}

/// How a body stands and moves.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct BodyState {
    /// A point of the world's grid, in quanta.
    pub(crate) anchor: [i32; 2],
    /// From there to the centre of mass, in the caller's unit.
    pub(crate) offset: [f32; 2],
    /// Cosine and sine.
    pub(crate) rotation: [f32; 2],
    /// Of the centre of mass.
    pub(crate) velocity: [f32; 2],
    pub(crate) angular_velocity: f32,
    /// What its velocity goes to, as [`BodyTraits::preference`] says.
    pub(crate) preferred_velocity: [f32; 2],
    pub(crate) padding: f32,
}

/// What does not change as a body moves.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct BodyTraits {
    /// 0 of what contacts do not move.
    pub(crate) inverse_mass: f32,
    /// 0 of what contacts do not turn.
    pub(crate) inverse_inertia: f32,
    pub(crate) friction: f32,
    pub(crate) restitution: f32,
    pub(crate) linear_damping: f32,
    pub(crate) angular_damping: f32,
    pub(crate) preference: f32,
    pub(crate) shape: u32,
    /// [`Layers::member`] and [`Layers::meets`].
    pub(crate) layers: [u32; 2],
    /// [`PRESENT`] and others; 0 of an empty slot.
    pub(crate) flags: u32,
    /// At least the distance of any point of it from its centre of mass.
    pub(crate) extent: f32,
}

/// More friction does not hold more, and its square is to have an f32.
const MOST_FRICTION: f64 = 1e18;

pub(crate) const PRESENT: u32 = 1;
/// Its velocity moves it: it is no static body.
pub(crate) const MOVES: u32 = 2;
/// Contacts and gravity change its velocity.
pub(crate) const DYNAMIC: u32 = 4;
/// See [`BodyOptions::fast`].
pub(crate) const FAST: u32 = 8;
/// On a device: it was added or put elsewhere since the last step, so that what it touched does not count.
#[cfg(feature = "gpu")]
pub(crate) const ELSEWHERE: u32 = 16;

impl BodyTraits {
    #[inline]
    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Whether two bodies can be a pair: both there, one dynamic, and their layers meet.
    #[inline]
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let layers = |traits: &Self| Layers { member: traits.layers[0], meets: traits.layers[1] };
        (self.flags | other.flags) & DYNAMIC != 0 && layers(self).meet(layers(other))
    }

    pub(crate) fn kind(&self) -> BodyKind {
        match self.flags & (MOVES | DYNAMIC) {
            0 => BodyKind::Static,
            MOVES => BodyKind::Kinematic,
            _ => BodyKind::Dynamic,
        }
    }
}

/// The bodies of a world, by slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies {
    pub(crate) states: Vec<BodyState>,
    pub(crate) traits: Vec<BodyTraits>,
    generations: Vec<u32>,
    free: Vec<u32>,
    /// Grows with every static body that comes, goes or is put elsewhere.
    pub(crate) statics_revision: u64,
}

impl Bodies {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.states.len() - self.free.len()
    }

    pub(super) fn add(&mut self, options: &BodyOptions, shape: &Shape, grid: &Grid) -> Result<BodyId> {
        let traits = traits_of(options, shape)?;
        let state = state_of(options, shape, grid)?;
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                // The last 31 bits are enough for any memory, and device kernels count in i32 too.
                const LIMIT: usize = i32::MAX as usize;
                if self.states.len() >= LIMIT {
                    return Err(Error::TooMany {
                        items: "bodies",
                        count: self.states.len() + 1,
                        limit: LIMIT,
                    });
                }
                self.states.push(BodyState::default());
                self.traits.push(BodyTraits::default());
                self.generations.push(0);
                self.states.len() as u32 - 1
            }
        };
        self.traits[slot as usize] = traits;
        self.put(slot as usize, state);
        Ok(BodyId { slot, generation: self.generations[slot as usize] })
    }

    /// Gives a body another state.
    pub(super) fn put(&mut self, slot: usize, state: BodyState) {
        self.states[slot] = state;
        self.statics_revision += u64::from(!self.traits[slot].has(MOVES));
    }

    pub(super) fn remove(&mut self, id: BodyId) -> Result<()> {
        let slot = self.slot(id)?;
        self.statics_revision += u64::from(!self.traits[slot].has(MOVES));
        self.traits[slot] = BodyTraits::default();
        self.generations[slot] += 1;
        // A slot whose generations are used up is never given away again.
        if self.generations[slot] < u32::MAX {
            self.free.push(id.slot);
        }
        Ok(())
    }

    /// [`Error::UnknownBody`] of a body that is not there.
    pub(super) fn slot(&self, id: BodyId) -> Result<usize> {
        let slot = id.slot as usize;
        if self.generations.get(slot) == Some(&id.generation) && self.traits[slot].has(PRESENT) {
            Ok(slot)
        } else {
            Err(Error::UnknownBody { slot: id.slot, generation: id.generation })
        }
    }

    pub(super) fn id(&self, slot: usize) -> BodyId {
        BodyId { slot: slot as u32, generation: self.generations[slot] }
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = BodyId> {
        (0..self.states.len()).filter(|&slot| self.traits[slot].has(PRESENT)).map(|slot| self.id(slot))
    }
}

impl BodyState {
    /// Where the centre of mass is.
    pub(crate) fn centre(&self, grid: &Grid) -> DVec2 {
        grid.position(IVec2::from(self.anchor)) + DVec2::from(self.offset.map(f64::from))
    }

    /// Puts the centre of mass there.
    pub(super) fn place(&mut self, centre: DVec2, grid: &Grid) -> Result<()> {
        let farthest = (centre - grid.origin).abs().max_element() / grid.quantum;
        if farthest > f64::from(MOST_ANCHOR) {
            let problem = "is farther from the world's origin than a million length units; choose a larger length unit, or the origin near the bodies";
            return Err(Error::Body { name: "position", value: centre.abs().max_element(), problem });
        }
        let anchor = grid.anchor(centre);
        self.anchor = anchor.into();
        self.offset = (centre - grid.position(anchor)).to_array().map(|x| x as f32);
        Ok(())
    }

    /// A vector of the body in the world's directions.
    #[inline]
    pub(crate) fn rotated(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        let [c, s] = self.rotation;
        [c * x - s * y, s * x + c * y]
    }

    /// The pose of the shape's origin.
    pub(super) fn pose(&self, shape: &Shape, grid: &Grid) -> Result<Pose> {
        let [c, s] = self.rotation.map(f64::from);
        // f32 knows the length of the rotation to 1e-7 alone.
        let length = c.hypot(s);
        let tidy = |x: f64| if x.abs() < crate::MIN_COORDINATE { 0.0 } else { x };
        let (c, s) = (tidy(c / length), tidy(s / length));
        let local = shape.mass.centre;
        let arm = DVec2::new(c * local.x - s * local.y, s * local.x + c * local.y);
        let origin = self.centre(grid) - arm;
        Pose::from_cos_sin(c, s, DVec2::new(tidy(origin.x), tidy(origin.y)))
    }
}

/// In quanta: a million length units.
pub(crate) const MOST_ANCHOR: i32 = 1 << 29;

fn traits_of(options: &BodyOptions, shape: &Shape) -> Result<BodyTraits> {
    let dynamic = options.kind == BodyKind::Dynamic;
    let is_particle = options.fixed_rotation;
    let mass = match options.mass {
        Some(mass) => mass,
        None if shape.mass.area > 0.0 => options.density * shape.mass.area,
        None if is_particle || !dynamic => 1.0,
        None => {
            let problem = "gives the body no mass by its density; give its mass";
            return Err(Error::Body { name: "area", value: shape.mass.area, problem });
        }
    };
    let inertia = if shape.mass.area > 0.0 {
        mass * shape.mass.second_moment / shape.mass.area
    } else {
        // A rod: its mass evenly along it.
        let length =
            shape.given.core().first().zip(shape.given.core().last()).map_or(0.0, |(a, b)| a.distance(*b));
        mass * length * length / 12.0
    };
    let inverse_mass = if dynamic { (1.0 / mass) as f32 } else { 0.0 };
    let inverse_inertia =
        if dynamic && !options.fixed_rotation && inertia > 0.0 { (1.0 / inertia) as f32 } else { 0.0 };
    if !(inverse_mass.is_finite() && inverse_inertia.is_finite())
        || (dynamic && inverse_mass < f32::MIN_POSITIVE)
    {
        let problem = "is a mass beyond what f32 can invert; choose another unit of mass";
        return Err(Error::Body { name: "mass", value: mass, problem });
    }
    let mut flags = PRESENT;
    if options.kind != BodyKind::Static {
        flags |= MOVES;
    }
    if dynamic {
        flags |= DYNAMIC;
    }
    if options.fast && dynamic {
        flags |= FAST;
    }
    Ok(BodyTraits {
        inverse_mass,
        inverse_inertia,
        friction: options.friction.min(MOST_FRICTION) as f32,
        restitution: options.restitution as f32,
        linear_damping: options.linear_damping as f32,
        angular_damping: options.angular_damping as f32,
        preference: if dynamic { options.preference as f32 } else { 0.0 },
        shape: options.shape.0,
        layers: [options.layers.member, options.layers.meets],
        flags,
        extent: shape.extent,
    })
}

fn state_of(options: &BodyOptions, shape: &Shape, grid: &Grid) -> Result<BodyState> {
    let moves = options.kind != BodyKind::Static;
    let single = |v: DVec2| if moves { v.to_array().map(|x| x as f32) } else { [0.0; 2] };
    let mut state = BodyState {
        velocity: single(options.velocity),
        angular_velocity: if moves { options.angular_velocity as f32 } else { 0.0 },
        preferred_velocity: options.preferred_velocity.to_array().map(|x| x as f32),
        ..BodyState::default()
    };
    let (sin, cos) = options.angle.sin_cos();
    state.rotation = [cos as f32, sin as f32];
    let local = shape.mass.centre;
    let arm = DVec2::new(cos * local.x - sin * local.y, sin * local.x + cos * local.y);
    state.place(options.position + arm, grid)?;
    Ok(state)
}
