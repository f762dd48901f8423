//! States and properties of bodies. Both backends step these records.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use bytemuck::{Pod, Zeroable};
use glam::{DVec2, IVec2};

use super::options::BodyOptions;
use super::pushes::Pushes;
use super::shapes::{Shape, Shapes};
use super::{BodyKind, Layers};
use crate::Pose;
use crate::base::error::{Error, Result};
use crate::packed::grid::Grid;

/// The id of a body in a world. [`super::World::add`] returns the id. If a body is removed, its id becomes invalid, and
/// never names another body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId {
    pub(in crate::sim) slot: u32,
    /// The number of bodies that had the same slot before and were removed.
    pub(super) generation: u32,
}

impl BodyId {
    /// Returns the slot of the body: its index in the result of [`super::World::poses`], and its place in the order of
    /// [`super::World::bodies`]. The first body of a world has slot 0, and the second body has slot 1. If a body is
    /// removed, a new body may reuse the slot.
    #[must_use]
    pub fn index(self) -> usize {
        self.slot as usize
    }

    /// Returns the id as one number, for other languages and for files. The id of the k-th body of a world, from 0, is
    /// k if no body was removed.
    ///
    /// ```
    /// use sat2d::RoundedShape;
    /// use sat2d::sim::{BodyId, BodyOptions, World, WorldOptions};
    /// let mut world = World::new(WorldOptions::default())?;
    /// let disc = world.add_shape(&RoundedShape::circle([0.0, 0.0], 1.0)?)?;
    /// let body = world.add(&BodyOptions::dynamic(disc, [0.0, 0.0]))?;
    /// assert_eq!((body.to_bits(), BodyId::from_bits(0)), (0, body));
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[must_use]
    pub fn to_bits(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.slot)
    }

    /// Returns the id for which [`BodyId::to_bits`] returns `bits`. If no body of a world has this id, the methods of
    /// the world return [`Error::UnknownBody`].
    #[must_use]
    pub fn from_bits(bits: u64) -> Self {
        Self { slot: bits as u32, generation: (bits >> 32) as u32 }
    }
}

/// The pose and the velocities of a body.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct BodyState {
    /// The anchor of the body: a point of the world's integer grid near the centre of mass, in quanta. A quantum is the
    /// spacing of the grid.
    pub(crate) anchor: [i32; 2],
    /// The vector from the anchor to the body's centre of mass, in the caller's unit.
    pub(crate) offset: [f32; 2],
    /// The cosine and the sine of the body's angle of rotation.
    pub(crate) rotation: [f32; 2],
    /// The velocity of the centre of mass.
    pub(crate) velocity: [f32; 2],
    pub(crate) angular_velocity: f32,
    /// The velocity that the body approaches at the rate [`BodyTraits::preference`].
    pub(crate) preferred_velocity: [f32; 2],
    pub(crate) padding: f32,
}

/// The properties of a body that do not change as it moves.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct BodyTraits {
    /// The inverse mass, or 0 if contacts do not move the body.
    pub(crate) inverse_mass: f32,
    /// The inverse moment of inertia, or 0 if contacts do not rotate the body.
    pub(crate) inverse_inertia: f32,
    pub(crate) friction: f32,
    pub(crate) restitution: f32,
    pub(crate) linear_damping: f32,
    pub(crate) angular_damping: f32,
    pub(crate) preference: f32,
    pub(crate) shape: u32,
    /// The layers of the body: the bit masks [`Layers::member`] and [`Layers::meets`].
    pub(crate) layers: [u32; 2],
    /// The flags of the body: [`PRESENT`], [`MOVES`], [`DYNAMIC`], [`FAST`], [`ELSEWHERE`] and [`DISC`]. A row without a
    /// body has no flags.
    pub(crate) flags: u32,
    /// An upper bound on the distance between the body's centre of mass and any point of the body.
    pub(crate) extent: f32,
}

/// The greatest coefficient of friction that a world uses. A greater [`BodyOptions::friction`] is lowered to this
/// value, so that the square of a coefficient still fits an f32.
const MOST_FRICTION: f64 = 1e18;

/// A flag of [`BodyTraits::flags`]: the row has a body.
pub(crate) const PRESENT: u32 = 1;
/// A flag of [`BodyTraits::flags`]: the body is kinematic or dynamic, so its velocity moves it.
pub(crate) const MOVES: u32 = 2;
/// A flag of [`BodyTraits::flags`]: contacts and gravity change the velocity of the body.
pub(crate) const DYNAMIC: u32 = 4;
/// A flag of [`BodyTraits::flags`]: each step tests the whole path of the body for bodies in its way
/// ([`BodyOptions::fast`]).
pub(crate) const FAST: u32 = 8;
/// A flag of [`BodyTraits::flags`] that only a world on a device uses. The body was added or moved after the last step, so its
/// touches of the last step are ignored.
#[cfg(feature = "gpu")]
pub(crate) const ELSEWHERE: u32 = 16;
/// A flag of [`BodyTraits::flags`]: the shape is a circle, so its rotation moves none of its points.
pub(crate) const DISC: u32 = 32;

impl BodyTraits {
    #[inline]
    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Returns true if two bodies can form a pair: at least one of them is dynamic, and their layers collide. Returns
    /// false for a removed body, because a removed body has no layers.
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

/// The bodies of a world. A body has a slot, which its id names, and a row, which holds its records. The rows depend on
/// the positions of the bodies (see [`Bodies::settle`]), because a step solves contacts in the order of the rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies {
    /// The state of the body in each row. The state of a row without a body is meaningless.
    pub(crate) states: Vec<BodyState>,
    /// The properties of the body in each row. A row without a body has the default properties.
    pub(crate) traits: Vec<BodyTraits>,
    /// For each row, the slot of its body.
    slots: Vec<u32>,
    /// For each slot, the row of its body, or [`NO_ROW`] if the slot is empty.
    rows: Vec<u32>,
    /// For each slot, the number of bodies that had the slot and were removed.
    generations: Vec<u32>,
    free_slots: Vec<u32>,
    /// The rows without a body. A new body gets the row with the least index.
    free_rows: BinaryHeap<Reverse<u32>>,
    /// The rows of the bodies that were added since the last call of [`Bodies::settle`]. Some of these bodies may have
    /// been removed.
    unsettled: Vec<u32>,
    /// A counter that grows when a static body is added, removed or moved.
    pub(crate) statics_revision: u64,
    pub(crate) pushes: Pushes,
}

/// The entry in `Bodies::rows` of a slot without a body.
const NO_ROW: u32 = u32::MAX;

impl Bodies {
    /// Returns the number of bodies.
    pub(crate) fn count(&self) -> usize {
        self.states.len() - self.free_rows.len()
    }

    /// Checks whether a body with these options can be added. Returns the errors of [`Bodies::add`], except the limit
    /// on the number of bodies.
    pub(super) fn check(options: &BodyOptions, shape: &Shape, grid: &Grid) -> Result<()> {
        traits_of(options, shape)?;
        state_of(options, shape, grid).map(drop)
    }

    /// Returns [`Error::TooMany`] if `count` more bodies would be too many for a world.
    pub(super) fn check_count(&self, count: usize) -> Result<()> {
        // 31 bits limit the number of bodies, because device kernels index bodies with i32.
        const LIMIT: usize = i32::MAX as usize;
        let used = self.rows.len() - self.free_slots.len();
        if count > LIMIT - used {
            return Err(Error::TooMany { items: "bodies", count: used.saturating_add(count), limit: LIMIT });
        }
        Ok(())
    }

    pub(super) fn add(&mut self, options: &BodyOptions, shape: &Shape, grid: &Grid) -> Result<BodyId> {
        let traits = traits_of(options, shape)?;
        let state = state_of(options, shape, grid)?;
        self.check_count(1)?;
        let slot = self.free_slots.pop().unwrap_or_else(|| {
            self.rows.push(NO_ROW);
            self.generations.push(0);
            self.rows.len() as u32 - 1
        });
        let row = match self.free_rows.pop() {
            Some(Reverse(row)) => row,
            None => {
                self.states.push(BodyState::default());
                self.traits.push(BodyTraits::default());
                self.slots.push(slot);
                self.states.len() as u32 - 1
            }
        };
        (self.rows[slot as usize], self.slots[row as usize]) = (row, slot);
        self.unsettled.push(row);
        self.pushes.add(&state, &traits);
        self.traits[row as usize] = traits;
        self.put(row as usize, state);
        Ok(BodyId { slot, generation: self.generations[slot as usize] })
    }

    /// Replaces the state of the body in `row`. Increases [`Bodies::statics_revision`] if the body is static.
    pub(super) fn put(&mut self, row: usize, state: BodyState) {
        self.states[row] = state;
        self.statics_revision += u64::from(!self.traits[row].has(MOVES));
    }

    /// Removes a body, and returns the row that it had. Returns [`Error::UnknownBody`] if the body is not in the
    /// world.
    pub(super) fn remove(&mut self, id: BodyId) -> Result<usize> {
        let (row, slot) = (self.row(id)?, id.slot as usize);
        self.statics_revision += u64::from(!self.traits[row].has(MOVES));
        self.pushes.remove(&self.traits[row]);
        self.traits[row] = BodyTraits::default();
        self.free_rows.push(Reverse(row as u32));
        self.rows[slot] = NO_ROW;
        self.generations[slot] += 1;
        // If the generation could not grow any more, the slot is never used again.
        if self.generations[slot] < u32::MAX {
            self.free_slots.push(id.slot);
        }
        Ok(row)
    }

    /// Sorts the bodies that were added since the last call by [`order`], and distributes them in this order over the
    /// rows that these bodies already have. After the call, the order in which the bodies were added has no effect on
    /// a step. Returns the rows of these bodies, or an empty list if no body changed its row.
    pub(super) fn settle(&mut self, shapes: &Shapes) -> Vec<u32> {
        let mut rows = std::mem::take(&mut self.unsettled);
        // A row may have lost its body and received another one, so it may occur twice or be empty.
        rows.retain(|&row| self.traits[row as usize].has(PRESENT));
        crate::base::sorting::sort_unstable(&mut rows);
        rows.dedup();
        let order = |a: &u32, b: &u32| {
            let body = |row: u32| (&self.states[row as usize], &self.traits[row as usize]);
            order(body(*a), body(*b), shapes)
        };
        if rows.is_sorted_by(|a, b| order(a, b).is_le()) {
            return Vec::new();
        }
        let mut sorted = rows.clone();
        crate::base::sorting::sort_by(&mut sorted, order);
        let bodies: Vec<_> = sorted
            .iter()
            .map(|&row| (self.states[row as usize], self.traits[row as usize], self.slots[row as usize]))
            .collect();
        for (&row, (state, traits, slot)) in rows.iter().zip(bodies) {
            self.states[row as usize] = state;
            self.traits[row as usize] = traits;
            self.slots[row as usize] = slot;
            self.rows[slot as usize] = row;
            self.statics_revision += u64::from(!traits.has(MOVES));
        }
        rows
    }

    /// Returns the row of a body, or [`Error::UnknownBody`] if the body is not in the world.
    pub(super) fn row(&self, id: BodyId) -> Result<usize> {
        let slot = id.slot as usize;
        if self.generations.get(slot) == Some(&id.generation) && self.rows[slot] != NO_ROW {
            Ok(self.rows[slot] as usize)
        } else {
            Err(Error::UnknownBody { slot: id.slot, generation: id.generation })
        }
    }

    /// Returns the id of the body in a row.
    pub(in crate::sim) fn id(&self, row: usize) -> BodyId {
        let slot = self.slots[row];
        BodyId { slot, generation: self.generations[slot as usize] }
    }

    /// Returns the ids of the bodies in two rows, in ascending order.
    pub(super) fn pair(&self, rows: [u32; 2]) -> [BodyId; 2] {
        let [a, b] = rows.map(|row| self.id(row as usize));
        if a <= b { [a, b] } else { [b, a] }
    }

    /// Returns the row of the body in a slot, or `None` if the slot is empty.
    pub(super) fn row_of_slot(&self, slot: usize) -> Option<usize> {
        self.rows.get(slot).filter(|&&row| row != NO_ROW).map(|&row| row as usize)
    }

    /// Iterates over all slots. Returns the row of the body in each slot, or `None` for an empty slot.
    pub(super) fn rows(&self) -> impl Iterator<Item = Option<usize>> {
        self.rows.iter().map(|&row| (row != NO_ROW).then_some(row as usize))
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = BodyId> {
        self.rows().flatten().map(|row| self.id(row))
    }
}

/// Compares two bodies that were added together: by kind, then by height, then from left to right, then by all other
/// properties that a step depends on. Bodies that compare as equal behave equally.
fn order(a: (&BodyState, &BodyTraits), b: (&BodyState, &BodyTraits), shapes: &Shapes) -> Ordering {
    let along = |axis: usize| {
        let (a, b) = (a.0, b.0);
        a.anchor[axis].cmp(&b.anchor[axis]).then(a.offset[axis].total_cmp(&b.offset[axis]))
    };
    // A static body has the least flags, and a dynamic body the greatest.
    let kind = |traits: &BodyTraits| traits.flags & !DISC;
    let place = || kind(a.1).cmp(&kind(b.1)).then_with(|| along(1)).then_with(|| along(0));
    let state = || words(a.0).cmp(words(b.0));
    let shape = || {
        // Compares the shapes and not their indices, because the indices depend on the order in which shapes were
        // added.
        let [of_a, of_b] = [a.1, b.1].map(|traits| &shapes.all[traits.shape as usize]);
        let radius = of_a.radius.total_cmp(&of_b.radius);
        radius.then_with(|| {
            let [a, b] = [of_a, of_b].map(|shape| shapes.core(shape).as_flattened());
            a.iter().map(|x| x.to_bits()).cmp(b.iter().map(|x| x.to_bits()))
        })
    };
    let traits = || {
        let [a, b] = [a.1, b.1].map(|traits| BodyTraits { shape: 0, ..*traits });
        words(&a).cmp(words(&b))
    };
    place().then_with(state).then_with(shape).then_with(traits)
}

fn words(record: &impl Pod) -> &[u32] {
    bytemuck::cast_slice(std::slice::from_ref(record))
}

impl BodyState {
    /// Returns the bytes of the record: the bytes of its words, one word after another, each word in little-endian
    /// order.
    pub(super) fn to_le_bytes(self) -> [u8; size_of::<Self>()] {
        let words: [u32; size_of::<Self>() / 4] = bytemuck::cast(self);
        bytemuck::cast(words.map(u32::to_le_bytes))
    }

    /// Returns the position of the body's centre of mass in the world, in the caller's unit.
    pub(crate) fn centre(&self, grid: &Grid) -> DVec2 {
        grid.position(IVec2::from(self.anchor)) + DVec2::from(self.offset.map(f64::from))
    }

    /// Moves the body's centre of mass to the position `centre`. Returns [`Error::Body`] if the position is too far
    /// from the origin of the world.
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

    /// Rotates a vector by the rotation of the body.
    #[inline]
    pub(crate) fn rotated(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        let [c, s] = self.rotation;
        [c * x - s * y, s * x + c * y]
    }

    /// Returns the pose of the body in the caller's unit: its rotation, and the position of its shape's origin. Returns
    /// the errors of [`Pose::from_cos_sin`].
    pub(super) fn pose(&self, shape: &Shape, grid: &Grid) -> Result<Pose> {
        let [c, s] = self.rotation.map(f64::from);
        // In f32, the length of the rotation has a relative error of 1e-7.
        let length = libm::hypot(c, s);
        let tidy = |x: f64| if x.abs() < crate::MIN_COORDINATE { 0.0 } else { x };
        let (c, s) = (tidy(c / length), tidy(s / length));
        let local = shape.mass.centre;
        let arm = DVec2::new(c * local.x - s * local.y, s * local.x + c * local.y);
        let origin = self.centre(grid) - arm;
        Pose::from_cos_sin(c, s, DVec2::new(tidy(origin.x), tidy(origin.y)))
    }
}

/// The greatest magnitude of a coordinate of an anchor, in quanta: about a million length units.
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
        // The shape is a rod with an even distribution of mass.
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
    if shape.vertex_count == 1 {
        flags |= DISC;
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
    let (sin, cos) = libm::sincos(options.angle);
    state.rotation = [cos as f32, sin as f32];
    let local = shape.mass.centre;
    let arm = DVec2::new(cos * local.x - sin * local.y, sin * local.x + cos * local.y);
    state.place(options.position + arm, grid)?;
    Ok(state)
}
