//! The simulation world.

use glam::DVec2;

use super::bodies::{Bodies, BodyState, DYNAMIC};
use super::cpu::{CpuWorld, Step, Touch};
#[cfg(feature = "gpu")]
use super::gpu::GpuWorld;
use super::options::finite;
use super::shapes::Shapes;
use super::{
    BodyContact, BodyId, BodyKind, BodyOptions, ContactEvent, ShapeId, StepReport, WorldOptions,
    WorldStatistics,
};
use crate::answers::backend::{Backend, Choice};
use crate::base::error::{Error, Result};
use crate::base::parallel;
use crate::packed::grid::{Grid, exponent_of, power_of_two};
use crate::{Pose, RoundedShape};

/// A set of bodies that move and collide. On the CPU, a world runs in the current `rayon` thread pool, and its result
/// does not depend on the number of threads. On a device, the result is the same in every run on one adapter. The
/// documentation of the module says [how closely the CPU and a device agree](crate::sim#the-cpu-and-a-device).
///
/// If a world runs on a device, the bodies stay on the device. A method that needs the state of a body reads back all
/// bodies at once. The host keeps the states until the next step.
#[derive(Debug)]
pub struct World {
    pub(super) options: WorldOptions,
    pub(super) grid: Grid,
    pub(super) shapes: Shapes,
    pub(super) bodies: Bodies,
    cpu: CpuWorld,
    #[cfg(feature = "gpu")]
    pub(super) gpu: Option<Box<GpuWorld>>,
    pub(super) choice: Choice,
    events: Vec<ContactEvent>,
    /// The pairs of bodies that touched in the last step, sorted. After the next step, [`World::record_events`]
    /// compares them with the pairs of that step, to find the contacts that began or ended.
    touching: Vec<[BodyId; 2]>,
}

impl World {
    /// Creates an empty world on the CPU.
    ///
    /// # Errors
    /// Returns [`Error::Body`] or [`Error::Option`] if an option is not finite or is out of range.
    pub fn new(options: WorldOptions) -> Result<Self> {
        options.check()?;
        let quantum = power_of_two(exponent_of(options.length_unit) - UNIT_BITS);
        let origin = (options.origin / quantum).round() * quantum;
        if origin.abs().max_element() > quantum * (1u64 << 50) as f64 {
            let problem = "is too far away for f64 to resolve positions there; choose a larger length unit";
            let value = options.origin.abs().max_element();
            return Err(Error::Body { name: "origin", value, problem });
        }
        Ok(Self {
            grid: Grid { origin, quantum },
            options,
            shapes: Shapes::default(),
            bodies: Bodies::default(),
            cpu: CpuWorld::default(),
            #[cfg(feature = "gpu")]
            gpu: None,
            choice: Choice { backend: Backend::Cpu, adapter: None, reason: "requested".into() },
            events: Vec::new(),
            touching: Vec::new(),
        })
    }

    /// Creates an empty world on `backend`. Without the feature `gpu`, the world runs on the CPU.
    ///
    /// # Errors
    /// Returns the errors of [`World::new`], and [`Error::NoAdapter`] for [`Backend::Gpu`].
    #[cfg(not(feature = "gpu"))]
    pub fn on(options: WorldOptions, backend: Backend) -> Result<Self> {
        let mut world = Self::new(options)?;
        match backend {
            Backend::Cpu => {}
            Backend::Auto => world.choice.reason = "built without the `gpu` feature".into(),
            Backend::Gpu => {
                return Err(Error::NoAdapter {
                    reason: "built without the `gpu` feature; build with it".into(),
                });
            }
        }
        Ok(world)
    }

    /// Adds a shape. Any number of bodies may use the shape.
    ///
    /// # Errors
    /// Returns [`Error::Body`] if the farthest point of the shape is more than 100,000 length units from the shape's
    /// centre of mass. On a device, also returns [`Error::Body`] if the shape has more than 4095 vertices. Returns
    /// [`Error::TooMany`] if the shapes of the world have too many vertices for 32-bit indices.
    pub fn add_shape(&mut self, shape: &RoundedShape) -> Result<ShapeId> {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            GpuWorld::check_shape(shape.core().len())?;
        }
        self.shapes.add(shape, self.options.length_unit)
    }

    /// Adds a body. The method may be called between any two steps.
    ///
    /// # Errors
    /// Returns [`Error::Body`] if a value is not finite or is out of range, or if the position is too far from the
    /// origin of the world. Returns [`Error::UnknownShape`] if the shape is not in the world. Returns [`Error::TooMany`] if
    /// the world is full.
    pub fn add(&mut self, body: &BodyOptions) -> Result<BodyId> {
        let shape = self.shapes.checked(body, self.bodies.count())?;
        let id = self.bodies.add(body, shape, &self.grid)?;
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            let row = self.bodies.row(id)?;
            gpu.added(row as u32, &self.bodies.traits[row]);
        }
        Ok(id)
    }

    /// Checks the options of a body, and adds nothing. Check all bodies of a group before you add the first body, so that an
    /// invalid body leaves the world unchanged.
    ///
    /// # Errors
    /// Returns the errors of [`World::add`].
    pub fn check(&self, body: &BodyOptions) -> Result<()> {
        Bodies::check(body, self.shapes.checked(body, self.bodies.count())?, &self.grid)
    }

    /// Checks that the world has room for `count` more bodies, and adds nothing. A world holds at most 2^31 - 1 bodies.
    ///
    /// # Errors
    /// Returns [`Error::TooMany`] if there is not enough room.
    pub fn check_count(&self, count: usize) -> Result<()> {
        self.bodies.check_count(count)
    }

    /// Removes a body. The id of the body becomes invalid. The contacts of the body end in the next step.
    ///
    /// # Errors
    /// Returns [`Error::UnknownBody`] if the body is not in the world.
    pub fn remove(&mut self, body: BodyId) -> Result<()> {
        let row = self.bodies.remove(body)? as u32;
        self.cpu.remove(row);
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            gpu.removed(row);
        }
        Ok(())
    }

    /// Advances the world by one step of duration `dt`.
    ///
    /// # Errors
    /// - [`Error::Body`] if `dt` is less than 1e-9 or greater than 1e9, or not a number.
    /// - [`Error::LeftWorld`] if a body would move beyond the world's grid. The world is then unchanged.
    /// - [`Error::TooMany`] if there are too many bodies or seams.
    /// - A device error, if the world is on a GPU and the device fails.
    pub fn step(&mut self, dt: f64) -> Result<StepReport> {
        self.steps(1, dt)
    }

    /// Advances the world by `count` steps of duration `dt`.
    ///
    /// # Errors
    /// Fails in the same cases as [`World::step`]. After an error, the world is in the state after the last complete step.
    pub fn steps(&mut self, count: u64, dt: f64) -> Result<StepReport> {
        #[cfg(all(feature = "gpu", not(target_family = "wasm")))]
        if self.gpu.is_some() {
            return pollster::block_on(self.steps_async(count, dt));
        }
        self.cpu_steps(count, dt)
    }

    pub(super) fn cpu_steps(&mut self, count: u64, dt: f64) -> Result<StepReport> {
        check_dt(dt)?;
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            return Err(cannot_wait("`steps_async`"));
        }
        // Enters the thread pool once for all steps. Otherwise each of the many parallel loops of a step would enter the pool.
        parallel::in_pool(|| self.cpu_steps_here(count, dt))
    }

    /// Assigns rows to the bodies that were added since the last call. The rows do not depend on the order in which
    /// these bodies were added.
    pub(super) fn settle_bodies(&mut self) {
        let changed = self.bodies.settle(&self.shapes);
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            // A read of a pose may already have uploaded other bodies to these rows.
            changed.into_iter().for_each(|row| gpu.added(row, &self.bodies.traits[row as usize]));
        }
        #[cfg(not(feature = "gpu"))]
        drop(changed);
    }

    fn cpu_steps_here(&mut self, count: u64, dt: f64) -> Result<StepReport> {
        self.settle_bodies();
        let mut report = StepReport::default();
        for _ in 0..count {
            let step = Step { shapes: &self.shapes, grid: &self.grid, options: &self.options, dt: dt as f32 };
            self.cpu.step(&mut self.bodies, step, &mut report.times)?;
            report.steps += 1;
            if self.options.events {
                let touches = self.cpu.touches();
                self.record_events(&touches);
            }
        }
        report.candidates = self.cpu.candidates();
        report.contacts = self.cpu.contacts();
        Ok(report)
    }

    /// Copies the states of the bodies from the device to the host. Does nothing on the CPU. Returns a device error or the
    /// error of a recorded step, or in a browser an error if the states would have to be read back.
    pub(super) fn sync(&mut self) -> Result<()> {
        #[cfg(all(feature = "gpu", not(target_family = "wasm")))]
        pollster::block_on(self.sync_async())?;
        #[cfg(all(feature = "gpu", target_family = "wasm"))]
        if self.gpu.as_ref().is_some_and(|gpu| !gpu.is_current()) {
            return Err(cannot_wait("`sync_async` before this"));
        }
        Ok(())
    }

    /// Compares the touches of a step with the touches of the previous step, and records the events.
    pub(super) fn record_events(&mut self, touches: &[Touch]) {
        let is_touching = |touch: &&Touch| {
            touch.separation <= 0.0 || touch.points.iter().any(|point| point.total_impulse > 0.0)
        };
        let mut now: Vec<[BodyId; 2]> =
            touches.iter().filter(is_touching).map(|touch| self.bodies.pair(touch.bodies)).collect();
        crate::base::sorting::sort_unstable(&mut now);
        let (mut old, mut new) = (self.touching.iter().peekable(), now.iter().peekable());
        loop {
            match (old.peek(), new.peek()) {
                (None, None) => break,
                (Some(a), Some(b)) if a == b => {
                    old.next();
                    new.next();
                }
                (Some(&&[a, b]), other) if other.is_none_or(|&&other| [a, b] < other) => {
                    self.events.push(ContactEvent::Ended { a, b });
                    old.next();
                }
                (_, Some(&&[a, b])) => {
                    self.events.push(ContactEvent::Began { a, b });
                    new.next();
                }
                (Some(_), None) => unreachable!("the third arm takes what has no partner"),
            }
        }
        self.touching = now;
    }

    /// Returns the contacts that began or ended since the last call. The events are in the order of the steps, and the
    /// events of one step are in the order of the bodies. If [`WorldOptions::events`] is not set, the list is empty.
    pub fn take_events(&mut self) -> Vec<ContactEvent> {
        std::mem::take(&mut self.events)
    }

    /// Returns the pose of a body: the rotation of its shape, and the position of the origin of the shape in the world.
    ///
    /// # Errors
    /// Returns [`Error::UnknownBody`] if the body is not in the world. On a device, may also fail as [`World::contacts`] does.
    pub fn pose(&mut self, body: BodyId) -> Result<Pose> {
        self.sync()?;
        self.pose_of(self.bodies.row(body)?)
    }

    /// Returns the pose of the body in a row. Returns the errors of [`BodyState::pose`].
    pub(super) fn pose_of(&self, row: usize) -> Result<Pose> {
        let shape = &self.shapes.all[self.bodies.traits[row].shape as usize];
        self.bodies.states[row].pose(shape, &self.grid)
    }

    /// Returns the velocity of the centre of mass of a body, and the angular velocity in radians per unit of time.
    ///
    /// # Errors
    /// Returns [`Error::UnknownBody`] if the body is not in the world. On a device, may also fail as [`World::contacts`] does.
    pub fn velocity(&mut self, body: BodyId) -> Result<(DVec2, f64)> {
        self.sync()?;
        let state = &self.bodies.states[self.bodies.row(body)?];
        Ok((state.velocity.map(f64::from).into(), f64::from(state.angular_velocity)))
    }

    /// Returns the kind of a body.
    ///
    /// # Errors
    /// Returns [`Error::UnknownBody`] if the body is not in the world.
    pub fn kind(&self, body: BodyId) -> Result<BodyKind> {
        Ok(self.bodies.traits[self.bodies.row(body)?].kind())
    }

    /// Returns the shape of a body.
    ///
    /// # Errors
    /// Returns [`Error::UnknownBody`] if the body is not in the world.
    pub fn shape(&self, body: BodyId) -> Result<&RoundedShape> {
        let traits = &self.bodies.traits[self.bodies.row(body)?];
        Ok(&self.shapes.all[traits.shape as usize].given)
    }

    /// Returns the body in the slot `index`, or `None` if the slot is empty. [`Error::LeftWorld`] and [`BodyId::index`] give the
    /// slot of a body.
    #[must_use]
    pub fn body_at(&self, index: usize) -> Option<BodyId> {
        self.bodies.row_of_slot(index).map(|row| self.bodies.id(row))
    }

    /// Iterates over all bodies in the order of [`BodyId::index`].
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> {
        self.bodies.ids()
    }

    /// Sets the acceleration of dynamic bodies for all later steps.
    ///
    /// # Errors
    /// Returns [`Error::Body`] if the acceleration is not finite, or above 1e30 in magnitude.
    pub fn set_gravity(&mut self, gravity: impl Into<DVec2>) -> Result<()> {
        let gravity = gravity.into();
        finite("gravity", gravity.to_array())?;
        self.options.gravity = gravity;
        Ok(())
    }

    /// Sets the velocity of the centre of mass of a body, and the angular velocity of the body in radians per unit of
    /// time. A static body has no velocity.
    ///
    /// # Errors
    /// Returns [`Error::Body`] if a value is not finite or above 1e30 in magnitude, or if the body is static. Returns
    /// [`Error::UnknownBody`] if the body is not in the world.
    pub fn set_velocity(&mut self, body: BodyId, velocity: impl Into<DVec2>, angular: f64) -> Result<()> {
        let velocity = velocity.into();
        finite("velocity", velocity.to_array())?;
        finite("angular_velocity", [angular])?;
        let row = self.bodies.row(body)?;
        if self.bodies.traits[row].kind() == BodyKind::Static {
            let problem = "is for a static body, which never moves; make it kinematic";
            return Err(Error::Body { name: "velocity", value: velocity.length(), problem });
        }
        let state = &mut self.bodies.states[row];
        state.velocity = velocity.to_array().map(|x| x as f32);
        state.angular_velocity = angular as f32;
        self.bodies.pushes.accelerate(state, &self.bodies.traits[row]);
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            gpu.accelerated(row as u32);
        }
        Ok(())
    }

    /// Sets the velocity that an agent steers towards. See [`BodyOptions::preferred_velocity`].
    ///
    /// # Errors
    /// Returns [`Error::Body`] if the velocity is not finite, or above 1e30 in magnitude. Returns
    /// [`Error::UnknownBody`] if the body is not in the world.
    pub fn set_preferred_velocity(&mut self, body: BodyId, velocity: impl Into<DVec2>) -> Result<()> {
        let velocity = velocity.into();
        finite("preferred_velocity", velocity.to_array())?;
        let row = self.bodies.row(body)?;
        self.bodies.states[row].preferred_velocity = velocity.to_array().map(|x| x as f32);
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            gpu.preferring(row as u32);
        }
        Ok(())
    }

    /// Sets the pose of a body of any kind. The stored contacts of the body are cleared.
    ///
    /// # Errors
    /// Returns [`Error::Body`] if the pose is beyond the extent of the world. Returns [`Error::UnknownBody`] if the
    /// body is not in the world.
    pub fn set_pose(&mut self, body: BodyId, pose: &Pose) -> Result<()> {
        let row = self.bodies.row(body)?;
        let shape = &self.shapes.all[self.bodies.traits[row].shape as usize];
        let mut state = self.bodies.states[row];
        state.place(pose.apply(shape.mass.centre), &self.grid)?;
        state.rotation = [pose.cos() as f32, pose.sin() as f32];
        self.bodies.put(row, state);
        self.cpu.forget(row as u32);
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            gpu.moved(row as u32);
        }
        Ok(())
    }

    /// Returns the contacts of the last step, sorted by their bodies. If the device buffers were too small for a recorded step,
    /// the result is empty until the next step.
    ///
    /// # Errors
    /// Does not fail on the CPU. On a device, returns device errors, and the errors of recorded steps ([`World::step`]).
    pub fn contacts(&mut self) -> Result<Vec<BodyContact>> {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            #[cfg(not(target_family = "wasm"))]
            return pollster::block_on(self.contacts_async());
            #[cfg(target_family = "wasm")]
            return Err(cannot_wait("`contacts_async`"));
        }
        Ok(self.contacts_of(&self.cpu.touches()))
    }

    /// Returns, in sorted order, the pairs of bodies whose boxes met in the last step. The result leaves out bodies that were
    /// removed or moved by [`World::set_pose`] after this step. If the device buffers were too small for a recorded step, the
    /// result is empty until the next step.
    ///
    /// # Errors
    /// Does not fail on the CPU. On a device, returns device errors, and the errors of recorded steps ([`World::step`]).
    pub fn candidate_pairs(&mut self) -> Result<Vec<[BodyId; 2]>> {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            #[cfg(not(target_family = "wasm"))]
            return pollster::block_on(self.candidate_pairs_async());
            #[cfg(target_family = "wasm")]
            return Err(cannot_wait("`candidate_pairs_async`"));
        }
        Ok(self.pairs_of(&self.cpu.pairs()))
    }

    /// Returns the energy, the momentum and the overlap of the current state. The method measures the overlap at the
    /// current poses. The method does not use the contacts of the last step.
    ///
    /// # Errors
    /// Returns the errors of the broad phase. On a device, may also fail as [`World::contacts`] does.
    pub fn statistics(&mut self) -> Result<WorldStatistics> {
        self.sync()?;
        let step = Step { shapes: &self.shapes, grid: &self.grid, options: &self.options, dt: 0.0 };
        let overlaps = CpuWorld::default().overlaps(&self.bodies, step)?;
        let mut found = WorldStatistics { bodies: self.bodies.count(), ..WorldStatistics::default() };
        let mut square = 0.0;
        for (state, traits) in self.bodies.states.iter().zip(&self.bodies.traits) {
            if !traits.has(DYNAMIC) {
                continue;
            }
            found.dynamic_bodies += 1;
            let mass = 1.0 / f64::from(traits.inverse_mass);
            let velocity = DVec2::from(state.velocity.map(f64::from));
            let centre = state.centre(&self.grid);
            found.momentum += mass * velocity;
            found.kinetic_energy +=
                0.5 * mass * velocity.length_squared() + turning_energy(state, traits.inverse_inertia);
            found.potential_energy -= mass * self.options.gravity.dot(centre - self.grid.origin);
            square += velocity.length_squared();
        }
        let count = found.dynamic_bodies.max(1) as f64;
        found.mean_position = self.mean_position()?;
        found.rms_velocity = (square / count).sqrt();
        found.overlapping = overlaps.len();
        let depths = overlaps.iter().map(|gap| -f64::from(*gap));
        found.greatest_penetration = depths.clone().fold(0.0, f64::max);
        // The sum starts at 0, because the sum of an empty iterator of f64 is -0.
        found.mean_penetration = depths.fold(0.0, |sum, depth| sum + depth) / overlaps.len().max(1) as f64;
        Ok(found)
    }

    /// Returns the backend that steps the world, and the reason for the choice.
    #[must_use]
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// Returns the options of the world, with the current gravity.
    #[must_use]
    pub fn options(&self) -> &WorldOptions {
        &self.options
    }
}

/// Returns the error of a blocking call in a browser, which cannot block.
#[cfg(feature = "gpu")]
fn cannot_wait(instead: &str) -> Error {
    Error::Device { reason: format!("a browser cannot wait for a device; call {instead}") }
}

pub(super) fn check_dt(dt: f64) -> Result<()> {
    finite("dt", [dt])?;
    if !(1e-9..=1e9).contains(&dt) {
        let problem = "is not a time step; give a number from 1e-9 to 1e9";
        return Err(Error::Body { name: "dt", value: dt, problem });
    }
    Ok(())
}

/// The base-2 logarithm of the number of quanta in a length unit, if the length unit is a power of two.
const UNIT_BITS: i32 = 9;

fn turning_energy(state: &BodyState, inverse_inertia: f32) -> f64 {
    if inverse_inertia > 0.0 {
        0.5 * f64::from(state.angular_velocity).powi(2) / f64::from(inverse_inertia)
    } else {
        0.0
    }
}
