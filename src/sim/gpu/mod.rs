//! Runs the steps of a world on a device, in WGSL. The stages of a step are the same as on the CPU, in the same order.
//!
//! A step is a fixed list of dispatches ([`plan::Plan`]). The device itself counts the items of each dispatch. If a
//! buffer is too small, or a body would leave the world, the device sets a word of the control buffer. All later
//! dispatches and steps then do nothing, and the bodies keep the state after the last complete step.

mod buffers;
mod clock;
#[cfg(test)]
mod colours_tests;
#[cfg(test)]
mod fault_tests;
mod kernels;
mod pipelines;
mod plan;
mod progress;
mod read;
mod records;
mod specs;
#[cfg(test)]
mod step_tests;
#[cfg(test)]
mod tests;
mod upload;
mod wide;
mod world;

use super::bodies::{Bodies, BodyState};
use super::seams::Seams;
use super::shapes::Shapes;
use super::{Solver, StepTimes, WorldOptions};
use crate::base::clock::Instant;
use crate::base::error::{Error, Result};
use crate::gpu::device::GpuDevice;
use crate::packed::grid::Grid;
use buffers::{Buffers, Capacity};
use clock::Clock;
use kernels::Name;
use pipelines::Kernels;
use plan::{FEW_BODIES, Plan, StepShape};
pub use progress::Progress;
use records::{GROUP_LANES, LEFT_WORLD, SOFTWARE_GROUP_LANES, TOO_MANY_PAIRS, TOO_MANY_TOUCHES, control};
use upload::Changes;
use wide::Wide;
pub use world::DeviceBuffers;

/// The part of a world that runs its steps on a device, with the buffers of the world.
#[derive(Debug)]
pub(super) struct GpuWorld {
    gpu: GpuDevice,
    solver: Solver,
    kernels: Kernels,
    /// If the world has at most this many bodies, one workgroup colours and solves all touches.
    few: u32,
    buffers: Buffers,
    /// The clock that measures the stages of a step, or `None` if the device has no timestamps.
    clock: Option<Clock>,
    plan: Option<(StepShape, Plan)>,
    /// The number of shapes that were uploaded to the device.
    shape_count: usize,
    seams: Seams,
    /// Whether the host has computed seams that are not on the device yet.
    has_new_seams: bool,
    /// The changes that must be written to the device before its next step.
    changes: Changes,
    /// Whether the host's states are equal to the states on the device.
    is_current: bool,
    /// The number of recorded steps whose results the host has not read yet.
    pending: u64,
    /// Whether no step was recorded since the world was created or reset.
    is_new: bool,
    /// The counts after the last complete step that the host knows.
    last: Counts,
    /// The number of steps after which the host waits for the device. A batch of this many steps has several
    /// submissions.
    batch: u64,
    /// Whether the caller's passes may have written states since the host last read the states.
    is_shared: bool,
    /// For each body, the initial room in the buffers: first the number of pairs, then the number of touches.
    room_per_body: [u32; 2],
    /// Whether a fast body was ever added, so that steps test the paths of fast bodies.
    follows: bool,
    /// The number of bodies in the last step, if few touches of this step were without a colour after
    /// [`records::WIDE_ROUNDS`] rounds of colouring. Otherwise 0.
    left_few_of: u32,
    /// The numbers of colours with a dispatch of their own, or `None` until the host knows how many touches the colours
    /// have.
    wide: Option<Wide>,
    /// In the last recorded step, the buffers had room for this many touches. This number is also the distance between
    /// two planes of the constraints, in touches.
    plane_length: u32,
}

/// The counts and times that a device reports after steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// The number of steps that the device has completed.
    pub(super) steps: u64,
    pub(super) pairs: u32,
    pub(super) touches: u32,
    /// The number of times that a buffer was too small and was enlarged.
    pub(super) regrown: u32,
    pub(super) times: StepTimes,
}

impl Counts {
    /// Reads the counts from the words of [`Name::Control`].
    fn of(words: &[u32]) -> Self {
        let word = |index: u32| words[index as usize];
        Self {
            steps: word(control::STEPS).into(),
            pairs: word(control::WHOLE_PAIRS),
            touches: word(control::WHOLE_TOUCHES),
            regrown: 0,
            times: StepTimes::default(),
        }
    }
}

/// The data of a world that a step needs, and the duration of the step.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub(super) bodies: &'a Bodies,
    pub(super) shapes: &'a Shapes,
    pub(super) grid: &'a Grid,
    pub(super) options: &'a WorldOptions,
    pub(super) dt: f32,
}

/// The initial room in the buffers for each body: first the number of pairs, then the number of touches. Bodies in a
/// heap need this much room. The room is not larger, because touches take most of the memory of a world on a device.
const ROOM_PER_BODY: [u32; 2] = [3, 2];

/// A buffer that is enlarged for `n` items gets room for `n + n / SPARE` items.
const SPARE: u32 = 16;

/// Each submission of a batch after the first one has at most this many steps. The device works on one submission while
/// the host records the next one.
const SUBMITTED: u64 = 4;

/// The longest time that a batch of steps should take, in seconds. Desktop drivers reset a device that is busy for two
/// seconds.
const MOST_SECONDS: f64 = 0.2;

impl GpuWorld {
    pub(super) async fn new(gpu: GpuDevice, solver: Solver) -> Result<Self> {
        gpu.check_limits()?;
        check_limits(&gpu)?;
        let group_lanes = if gpu.is_hardware() { GROUP_LANES } else { SOFTWARE_GROUP_LANES };
        Self::with_kernels(gpu, solver, Kernels::new(group_lanes)).await
    }

    /// Returns an empty world on the same device. The two worlds share compiled kernels, but no buffers.
    pub(super) async fn beside(&self, solver: Solver) -> Result<Self> {
        Self::with_kernels(self.gpu.clone(), solver, self.kernels.beside()).await
    }

    async fn with_kernels(gpu: GpuDevice, solver: Solver, kernels: Kernels) -> Result<Self> {
        let clock = Clock::new(&gpu).await?;
        Ok(Self {
            gpu,
            solver,
            kernels,
            few: FEW_BODIES,
            buffers: Buffers::default(),
            clock,
            plan: None,
            shape_count: 0,
            seams: Seams::default(),
            has_new_seams: false,
            changes: Changes::default(),
            is_current: true,
            pending: 0,
            is_new: true,
            last: Counts::default(),
            batch: 1,
            is_shared: false,
            room_per_body: ROOM_PER_BODY,
            follows: false,
            left_few_of: 0,
            wide: None,
            plane_length: 0,
        })
    }

    /// Resets the world on the device to a state without bodies. The touches of removed bodies have no effect on bodies
    /// that are added later.
    pub(super) fn renew(&mut self, solver: Solver) {
        self.solver = solver;
        self.plan = None;
        self.shape_count = 0;
        // The seams are uploaded even if there are none, because the buffer may hold seams of the old world.
        (self.seams, self.has_new_seams) = (Seams::default(), true);
        self.changes = Changes::default();
        (self.is_current, self.is_shared) = (true, false);
        (self.pending, self.is_new) = (0, true);
        self.last = Counts::default();
        (self.follows, self.left_few_of, self.wide) = (false, 0, None);
    }

    /// Records `count` steps into `encoder`. The queue writes the changes of the host before these steps run. If
    /// `is_timed` is set, the clock measures the first step. Returns the errors of [`GpuWorld::flush`], or a device
    /// error if a kernel cannot be compiled.
    pub(super) async fn encode(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        count: u64,
        step: Step<'_>,
        is_timed: bool,
    ) -> Result<()> {
        self.flush(step).await?;
        let body_count = step.bodies.states.len() as u32;
        let is_small = body_count <= self.few;
        let shape = StepShape {
            body_count,
            substeps: step.options.substeps,
            solver: step.options.solver,
            follows: self.follows,
            bounces: step.bodies.pushes.bounces,
            is_small,
            wide: self.wide.unwrap_or_else(|| Wide::of_bodies(body_count)),
            leaves_few: !is_small && body_count <= self.left_few_of + self.left_few_of / 4,
        };
        if shape.body_count == 0 {
            return Ok(());
        }
        self.write_params(step);
        self.plane_length = self.buffers.capacity.touches;
        if self.pending == 0 {
            self.write_control();
        }
        if self.plan.as_ref().is_none_or(|(of, _)| *of != shape) {
            let plan = Plan::new(&self.gpu, &mut self.kernels, &self.buffers, shape).await?;
            self.plan = Some((shape, plan));
        }
        if let Some((_, plan)) = &self.plan {
            for k in 0..count {
                // The clock measures only the first step. Its times stand for the times of all steps.
                let clock = self.clock.as_ref().filter(|_| k == 0 && is_timed);
                plan.encode(&self.kernels, &self.buffers, encoder, clock);
            }
        }
        self.pending += count;
        self.is_current = false;
        Ok(())
    }

    /// Runs `count` steps in batches, and waits for the device after each batch. A batch has as many steps as fit in a
    /// fraction of a second. Returns the errors of [`GpuWorld::encode`] and [`GpuWorld::settle`].
    pub(super) async fn steps(&mut self, count: u64, step: Step<'_>) -> Result<Counts> {
        // The result does not count steps that were recorded earlier.
        let mut done = Counts { steps: 0, ..self.settle(step).await? };
        let mut left = count;
        while left > 0 {
            let batch = left.min(self.batch);
            let start = Instant::now();
            if step.bodies.states.is_empty() {
                self.flush(step).await?;
                done.steps += left;
                break;
            }
            let (gpu, mut submitted) = (self.gpu.clone(), Vec::new());
            let mut recorded = 0;
            while recorded < batch {
                let mut encoder =
                    gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                // The device has no work until the first submission, so the first submission is short.
                let steps = if recorded == 0 { 1 } else { SUBMITTED.min(batch - recorded) };
                self.encode(&mut encoder, steps, step, recorded == 0).await?;
                submitted.push(gpu.checked(0, || gpu.submit(encoder)));
                recorded += steps;
            }
            for submission in submitted {
                submission.await?;
            }
            let found = self.settle(step).await?;
            let mut times = done.times;
            times += match &self.clock {
                Some(clock) => clock.times(&self.gpu).await? * found.steps as u32,
                None => StepTimes { solve: start.elapsed(), ..StepTimes::default() },
            };
            let (steps, regrown) = (done.steps + found.steps, done.regrown + found.regrown);
            done = Counts { steps, regrown, times, ..found };
            left -= found.steps.min(left);
            let seconds = start.elapsed().as_secs_f64();
            // If a step needs more room, the rest of its batch is wasted, and another such step may follow soon.
            if seconds > MOST_SECONDS || found.regrown > 0 {
                self.batch = (self.batch / 2).max(1);
            } else if seconds < 0.5 * MOST_SECONDS && found.steps == batch {
                self.batch = (self.batch * 2).min(64);
            }
        }
        Ok(done)
    }

    /// Reads back and returns the counts of the recorded steps. Enlarges a buffer that was too small. Returns
    /// [`Error::LeftWorld`] if a body would move beyond the grid, [`Error::TooMany`] if there are too many pairs or
    /// touches, or a device error.
    pub(super) async fn settle(&mut self, step: Step<'_>) -> Result<Counts> {
        if self.pending == 0 {
            return Ok(Counts { steps: 0, regrown: 0, ..self.last });
        }
        let words: Vec<u32> = self.read(Name::Control, control::WORDS as usize).await?;
        let word = |index: u32| words[index as usize];
        self.pending = 0;
        let mut counts = Counts::of(&words);
        // The device skips a failed step and all later steps, so changes that were recorded after the last complete step have not
        // taken effect.
        self.changes.told.retain(|_, recorded| *recorded >= counts.steps);
        self.changes.told.values_mut().for_each(|recorded| *recorded = 0);
        self.last = counts;
        let failed = word(control::FAILED);
        if failed != 0 {
            // The failed step has overwritten the pairs and touches, at least in part.
            (self.last.pairs, self.last.touches) = (0, 0);
        }
        self.left_few_of = match &self.plan {
            Some((shape, _)) if failed == 0 && !shape.is_small => {
                let most = if shape.leaves_few { 2 * records::FEW_LEFT } else { records::FEW_LEFT };
                if word(control::LEFT) <= most { shape.body_count } else { 0 }
            }
            _ => 0,
        };
        // In a browser, the selection of wide colours never changes, so that a page loads less code.
        #[cfg(not(target_family = "wasm"))]
        if let Some((StepShape { wide, is_small: false, .. }, _)) = &self.plan
            && failed == 0
        {
            self.wide = Some(wide.after(&words, self.kernels.group_lanes()));
        }
        let needed = word(control::NEEDED);
        let limit = i32::MAX as u32;
        if failed & (TOO_MANY_PAIRS | TOO_MANY_TOUCHES) != 0 {
            if needed > limit {
                let items = "pairs of bodies whose boxes meet";
                return Err(Error::TooMany { items, count: needed as usize, limit: limit as usize });
            }
            let mut capacity = self.buffers.capacity;
            let most = Capacity::most(&self.gpu);
            let (of, most) = if failed & TOO_MANY_PAIRS != 0 {
                (&mut capacity.pairs, most.pairs)
            } else {
                (&mut capacity.touches, most.touches)
            };
            *of = (needed + needed / SPARE).max(64).min(most).max(needed);
            self.reserve(capacity).await?;
            counts.regrown = 1;
        } else if failed & LEFT_WORLD != 0 {
            let row = word(control::LOST_ROW) as usize;
            let states: Vec<BodyState> = self.read(Name::States, row + 1).await?;
            let state = states[row];
            let at = state.centre(step.grid)
                + f64::from(step.dt) * glam::DVec2::from(state.velocity.map(f64::from));
            return Err(Error::LeftWorld { slot: step.bodies.id(row).slot, x: at.x, y: at.y });
        }
        Ok(counts)
    }
}

/// Checks the device limits that steps need in addition to the limits for joins. Returns [`Error::DeviceLimit`] for
/// the first limit that is too small.
fn check_limits(gpu: &GpuDevice) -> Result<()> {
    let l = &gpu.limits;
    for (limit, available, needed) in [
        ("maxStorageBuffersPerShaderStage", l.max_storage_buffers_per_shader_stage, 8),
        ("maxComputeInvocationsPerWorkgroup", l.max_compute_invocations_per_workgroup, GROUP_LANES),
        ("maxComputeWorkgroupSizeX", l.max_compute_workgroup_size_x, GROUP_LANES),
    ] {
        if available < needed {
            return Err(Error::DeviceLimit { limit, available: available.into(), needed: needed.into() });
        }
    }
    Ok(())
}
