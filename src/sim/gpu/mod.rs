//! Steps on a device: the same as on the CPU, stage by stage, in WGSL.
//!
//! A step is a fixed list of dispatches ([`buffers::Plan`]); what they work on is counted on the device. Where a buffer is
//! too small, or a body would leave the world, a word of the control buffer makes all that follows do nothing, and the bodies
//! stay as after the last whole step.

mod buffers;
mod kernels;
mod records;
#[cfg(test)]
mod step_tests;
#[cfg(test)]
mod tests;
mod world;

use std::collections::HashSet;
use std::ops::Range;

use bytemuck::{Pod, bytes_of, cast_slice, pod_collect_to_vec};

use super::bodies::{Bodies, BodyState, BodyTraits, ELSEWHERE, FAST};
use super::cpu::{MARGIN, Stepping, Touch, TouchPoint, softness};
use super::shapes::Shapes;
use super::{Solver, WorldOptions};
use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::layout::{BLOCK_VERTICES, Block, MAX_POLYGON_VERTICES};
use crate::narrow_phase::gpu::device::{GpuDevice, one_line};
use crate::narrow_phase::gpu::wait::oneshot;
use buffers::{Buffers, Capacity, Plan, StepShape};
use kernels::{Kernels, Name};
use records::{
    ConstraintRecord, LEFT_WORLD, PushRecord, ShapeRecord, StepParams, TOO_MANY_PAIRS, TOO_MANY_TOUCHES,
    TouchRecord, control,
};
pub use world::DeviceBuffers;

/// The stepper, its device and its buffers.
#[derive(Debug)]
pub(super) struct GpuWorld {
    gpu: GpuDevice,
    solver: Solver,
    kernels: Kernels,
    buffers: Buffers,
    readback: Option<wgpu::Buffer>,
    plan: Option<(StepShape, Plan)>,
    /// Shapes on the device.
    shape_count: usize,
    /// What is to be written to the device before it goes on.
    changes: Changes,
    /// Whether the host's states are those of the device.
    is_current: bool,
    /// Steps that were recorded and not asked after.
    pending: u64,
    /// Of the last whole step.
    last: Counts,
    /// Steps that one submission takes.
    batch: u64,
    /// Pairs and touches of a body that there is room for at first.
    room_per_body: [u32; 2],
    /// Whether there are fast bodies.
    follows: bool,
    /// Whether there are bodies that bounce.
    bounces: bool,
}

/// What the host changed.
#[derive(Debug, Default)]
struct Changes {
    /// Bytes of the state of a slot.
    states: Vec<(u32, Range<u64>)>,
    traits: Vec<u32>,
    /// Slots whose touches do not count.
    elsewhere: HashSet<u32>,
}

/// What a device says after steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Whole steps.
    pub(super) steps: u64,
    pub(super) pairs: u32,
    pub(super) touches: u32,
    /// How often buffers grew.
    pub(super) regrown: u32,
}

/// What steps are taken with.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub(super) bodies: &'a Bodies,
    pub(super) shapes: &'a Shapes,
    pub(super) grid: &'a Grid,
    pub(super) options: &'a WorldOptions,
    pub(super) dt: f32,
}

/// How long one submission may take: drivers of desktops reset a device that is busy for two seconds.
const MOST_SECONDS: f64 = 0.2;

impl GpuWorld {
    pub(super) async fn new(gpu: GpuDevice, solver: Solver) -> Result<Self> {
        gpu.check_limits()?;
        check_limits(&gpu)?;
        let kernels = Kernels::new(&gpu, solver).await?;
        Ok(Self {
            gpu,
            solver,
            kernels,
            buffers: Buffers::default(),
            readback: None,
            plan: None,
            shape_count: 0,
            changes: Changes::default(),
            is_current: true,
            pending: 0,
            last: Counts::default(),
            batch: 1,
            room_per_body: [4, 3],
            follows: false,
            bounces: false,
        })
    }

    /// Of a shape's core.
    pub(super) fn check_shape(vertex_count: usize) -> Result<()> {
        if vertex_count > MAX_POLYGON_VERTICES as usize {
            let problem = "is too many for a device; simplify the shape, or step on the CPU";
            return Err(Error::Body { name: "vertex count of a shape", value: vertex_count as f64, problem });
        }
        Ok(())
    }

    /// A body is new in its slot.
    pub(super) fn added(&mut self, slot: u32, traits: &BodyTraits) {
        // Once there were such bodies, there may be more.
        self.follows |= traits.has(FAST);
        self.bounces |= traits.restitution > 0.0;
        self.changes.states.push((slot, 0..size_of::<BodyState>() as u64));
        self.changes.traits.push(slot);
        self.changes.elsewhere.insert(slot);
    }

    pub(super) fn removed(&mut self, slot: u32) {
        self.changes.traits.push(slot);
        self.changes.elsewhere.insert(slot);
    }

    /// A body is elsewhere.
    pub(super) fn moved(&mut self, slot: u32) {
        let end = std::mem::offset_of!(BodyState, velocity) as u64;
        self.changes.states.push((slot, 0..end));
        self.changes.traits.push(slot);
        self.changes.elsewhere.insert(slot);
    }

    pub(super) fn accelerated(&mut self, slot: u32) {
        let [start, end] =
            [std::mem::offset_of!(BodyState, velocity), std::mem::offset_of!(BodyState, preferred_velocity)];
        self.changes.states.push((slot, start as u64..end as u64));
    }

    pub(super) fn preferring(&mut self, slot: u32) {
        let [start, end] =
            [std::mem::offset_of!(BodyState, preferred_velocity), std::mem::offset_of!(BodyState, padding)];
        self.changes.states.push((slot, start as u64..end as u64));
    }

    pub(super) fn is_elsewhere(&self, slot: u32) -> bool {
        self.changes.elsewhere.contains(&slot)
    }

    /// Buffers for the world as it is, with what the host changed.
    pub(super) async fn flush(&mut self, step: Step<'_>) -> Result<()> {
        let count = step.bodies.states.len() as u32;
        let room = |count: u32, old: u32| if count > old { count.max(old + old / 4) } else { old };
        let old = self.buffers.capacity;
        let blocks: usize = (step.shapes.all.iter()).map(|shape| block_count(shape.vertex_count)).sum();
        let mut capacity = Capacity {
            bodies: room(count.max(1), old.bodies),
            shapes: room(step.shapes.all.len().max(1) as u32, old.shapes),
            blocks: room(blocks.max(1) as u32, old.blocks),
            ..old
        };
        if old.pairs == 0 {
            let [pairs, touches] = self.room_per_body;
            (capacity.pairs, capacity.touches) = (pairs * capacity.bodies, touches * capacity.bodies);
        }
        if capacity.bodies > old.bodies {
            self.changes.traits.clear();
            self.write_after(capacity, step).await?;
        } else {
            self.reserve(capacity).await?;
        }
        if self.shape_count < step.shapes.all.len()
            || capacity.shapes > old.shapes
            || capacity.blocks > old.blocks
        {
            self.write_shapes(step);
        }
        self.write_changes(step.bodies);
        Ok(())
    }

    async fn reserve(&mut self, capacity: Capacity) -> Result<()> {
        if self.buffers.reserve(&self.gpu, capacity).await? {
            self.plan = None;
        }
        Ok(())
    }

    /// More room for bodies: their traits are written anew.
    async fn write_after(&mut self, capacity: Capacity, step: Step<'_>) -> Result<()> {
        self.reserve(capacity).await?;
        self.write_traits(step.bodies);
        Ok(())
    }

    fn write_shapes(&mut self, step: Step<'_>) {
        let per_quantum = (1.0 / step.grid.quantum) as f32;
        let (mut records, mut blocks) = (Vec::new(), Vec::new());
        for shape in &step.shapes.all {
            let core = step.shapes.core(shape);
            records.push(ShapeRecord {
                first_block: blocks.len() as u32,
                vertex_count: core.len() as u32,
                radius: shape.radius,
                padding: 0,
            });
            for four in core.chunks(BLOCK_VERTICES as usize) {
                let mut block = Block::default();
                for lane in 0..BLOCK_VERTICES as usize {
                    // Exact: the quantum is a power of two.
                    let [x, y] = four.get(lane).unwrap_or(&core[0]).map(|x| x * per_quantum);
                    (block.x[lane], block.y[lane]) = (x, y);
                }
                blocks.push(block);
            }
        }
        self.gpu.queue.write_buffer(self.buffers.get(Name::Shapes), 0, cast_slice(&records));
        self.gpu.queue.write_buffer(self.buffers.get(Name::Blocks), 0, cast_slice(&blocks));
        self.shape_count = step.shapes.all.len();
    }

    fn traits_of(&self, bodies: &Bodies, slot: usize) -> BodyTraits {
        let mut traits = bodies.traits[slot];
        if self.changes.elsewhere.contains(&(slot as u32)) {
            traits.flags |= ELSEWHERE;
        }
        traits
    }

    fn write_traits(&self, bodies: &Bodies) {
        let all: Vec<BodyTraits> =
            (0..bodies.traits.len()).map(|slot| self.traits_of(bodies, slot)).collect();
        self.gpu.queue.write_buffer(self.buffers.get(Name::Traits), 0, cast_slice(&all));
    }

    fn write_changes(&mut self, bodies: &Bodies) {
        let many = bodies.states.len() / 8;
        if self.changes.traits.len() > many {
            self.write_traits(bodies);
        } else {
            for &slot in &self.changes.traits {
                let at = u64::from(slot) * size_of::<BodyTraits>() as u64;
                let traits = self.traits_of(bodies, slot as usize);
                self.gpu.queue.write_buffer(self.buffers.get(Name::Traits), at, bytes_of(&traits));
            }
        }
        self.changes.traits.clear();
        let states = self.buffers.get(Name::States);
        if self.is_current && self.changes.states.len() > many {
            self.gpu.queue.write_buffer(states, 0, cast_slice(&bodies.states));
        } else {
            for (slot, range) in &self.changes.states {
                let at = u64::from(*slot) * size_of::<BodyState>() as u64;
                let state = bytes_of(&bodies.states[*slot as usize]);
                let part = &state[range.start as usize..range.end as usize];
                self.gpu.queue.write_buffer(states, at + range.start, part);
            }
        }
        self.changes.states.clear();
    }

    fn write_params(&self, step: Step<'_>) {
        let count = step.bodies.states.len() as u32;
        let stepping = Stepping::new(step.options, step.dt);
        let h = stepping.dt / stepping.substeps as f32;
        let params = StepParams {
            gravity: stepping.gravity,
            dt: stepping.dt,
            h,
            inverse_h: 1.0 / h,
            push_out_speed: stepping.push_out_speed,
            restitution_threshold: stepping.restitution_threshold,
            bounce_reach: stepping.reach(),
            pull: stepping.pull(),
            slop: stepping.slop,
            margin: MARGIN * step.options.length_unit as f32,
            quantum: step.grid.quantum as f32,
            per_quantum: (1.0 / step.grid.quantum) as f32,
            body_count: count,
            bucket_mask: self.buffers.capacity.buckets() - 1,
            pair_capacity: self.buffers.capacity.pairs,
            contact_capacity: self.buffers.capacity.touches,
            padding: 0.0,
            more_padding: [0.0; 2],
            softness: softness(h).map(|soft| [soft.bias, soft.mass_scale, soft.impulse_scale, 0.0]),
        };
        let write = |name, bytes: &[u8]| self.gpu.queue.write_buffer(self.buffers.get(name), 0, bytes);
        write(Name::Params, bytes_of(&params));
        write(Name::BucketCount, bytes_of(&(params.bucket_mask + 1)));
        write(Name::BodyCount, bytes_of(&count));
    }

    /// What is counted begins at 0, and nothing has failed.
    fn write_control(&self) {
        let words = [0, u32::MAX, 0, 0];
        self.gpu.queue.write_buffer(self.buffers.get(Name::Control), 0, cast_slice(&words));
    }

    /// Records steps. Before them what was changed is written, by the queue.
    pub(super) async fn encode(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        count: u64,
        step: Step<'_>,
    ) -> Result<()> {
        self.flush(step).await?;
        let shape = StepShape {
            body_count: step.bodies.states.len() as u32,
            substeps: step.options.substeps,
            solver: step.options.solver,
            follows: self.follows,
            bounces: self.bounces,
        };
        if shape.body_count == 0 {
            return Ok(());
        }
        self.write_params(step);
        if self.pending == 0 {
            self.write_control();
        }
        if self.plan.as_ref().is_none_or(|(of, _)| *of != shape) {
            self.plan = Some((shape, Plan::new(&self.gpu, &self.kernels, &self.buffers, shape)));
        }
        if let Some((_, plan)) = &self.plan {
            for _ in 0..count {
                plan.encode(&self.kernels, &self.buffers, encoder);
            }
        }
        self.pending += count;
        self.is_current = false;
        Ok(())
    }

    /// Takes steps, as many at once as take a fraction of a second.
    pub(super) async fn steps(&mut self, count: u64, step: Step<'_>) -> Result<Counts> {
        let mut done = self.settle(step).await?;
        let mut left = count;
        while left > 0 {
            let batch = left.min(self.batch);
            let start = web_time();
            let mut encoder =
                self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            self.encode(&mut encoder, batch, step).await?;
            if step.bodies.states.is_empty() {
                done.steps += left;
                break;
            }
            self.gpu.checked(0, || self.gpu.queue.submit([encoder.finish()])).await?;
            let found = self.settle(step).await?;
            done = Counts { steps: done.steps + found.steps, regrown: done.regrown + found.regrown, ..found };
            left -= found.steps.min(left);
            let seconds = start.map_or(0.0, |start| start.elapsed().as_secs_f64());
            if seconds > MOST_SECONDS {
                self.batch = (self.batch / 2).max(1);
            } else if seconds < 0.4 * MOST_SECONDS && found.steps == batch {
                self.batch = (self.batch * 2).min(64);
            }
        }
        Ok(done)
    }

    /// What became of the steps that were recorded. Buffers that were too small are larger after this.
    pub(super) async fn settle(&mut self, step: Step<'_>) -> Result<Counts> {
        if self.pending == 0 {
            return Ok(Counts { steps: 0, regrown: 0, ..self.last });
        }
        let words: Vec<u32> = self.read(Name::Control, control::WORDS as usize).await?;
        let word = |index: u32| words[index as usize];
        self.pending = 0;
        let steps = u64::from(word(control::STEPS));
        if steps > 0 {
            self.changes.elsewhere.clear();
        }
        let mut counts = Counts {
            steps,
            pairs: word(control::WHOLE_PAIRS),
            touches: word(control::WHOLE_TOUCHES),
            regrown: 0,
        };
        self.last = counts;
        let failed = word(control::FAILED);
        let needed = word(control::NEEDED);
        let limit = i32::MAX as u32;
        if failed & (TOO_MANY_PAIRS | TOO_MANY_TOUCHES) != 0 {
            if needed > limit {
                let items = "pairs of bodies whose boxes meet";
                return Err(Error::TooMany { items, count: needed as usize, limit: limit as usize });
            }
            let mut capacity = self.buffers.capacity;
            // A quarter more than is needed: twice as much would be most of a device's memory.
            let room = (needed + needed / 4).min(limit);
            let of = if failed & TOO_MANY_PAIRS != 0 { &mut capacity.pairs } else { &mut capacity.touches };
            *of = room.max(64);
            self.reserve(capacity).await?;
            counts.regrown = 1;
        } else if failed & LEFT_WORLD != 0 {
            // The touches are those of the step that failed.
            (self.last.pairs, self.last.touches) = (0, 0);
            let slot = word(control::LOST_SLOT);
            let states: Vec<BodyState> = self.read(Name::States, slot as usize + 1).await?;
            let state = states[slot as usize];
            let at = state.centre(step.grid)
                + f64::from(step.dt) * glam::DVec2::from(state.velocity.map(f64::from));
            return Err(Error::LeftWorld { slot, x: at.x, y: at.y });
        }
        Ok(counts)
    }

    /// The states of all bodies, to the host.
    pub(super) async fn sync(
        &mut self,
        bodies: &mut Bodies,
        shapes: &Shapes,
        grid: &Grid,
        options: &WorldOptions,
    ) -> Result<Counts> {
        let step = Step { bodies, shapes, grid, options, dt: 0.0 };
        let counts = self.settle(step).await?;
        if !self.is_current {
            self.flush(step).await?;
            bodies.states = self.read(Name::States, bodies.states.len()).await?;
            self.is_current = true;
        }
        Ok(counts)
    }

    /// The touches of the last step, sorted, without those of bodies that are gone or elsewhere since.
    pub(super) async fn touches(&mut self) -> Result<Vec<Touch>> {
        let found: Vec<TouchRecord> = self.read_some(Name::Touches, self.last.touches as usize).await?;
        let totals = self.totals(&found).await?;
        let mut touches: Vec<Touch> = found.iter().zip(totals).map(touch_of).collect();
        touches.retain(|touch| !touch.bodies.iter().any(|&body| self.is_elsewhere(body)));
        touches.sort_unstable_by_key(|touch| touch.bodies);
        Ok(touches)
    }

    /// The impulses of all parts of the step at each point.
    async fn totals(&mut self, touches: &[TouchRecord]) -> Result<Vec<[f32; 2]>> {
        let count = touches.len();
        if self.solver == Solver::Rigid {
            let found: Vec<ConstraintRecord> = self.read_some(Name::Manifolds, count).await?;
            return Ok(found.iter().map(|record| record.points.map(|point| point.total_impulse)).collect());
        }
        let found: Vec<PushRecord> = self.read_some(Name::Manifolds, count).await?;
        let each = |(record, touch): (&PushRecord, &TouchRecord)| {
            [record.total * record.mass / touch.point_count as f32; 2]
        };
        Ok(found.iter().zip(touches).map(each).collect())
    }

    /// The candidate pairs of the last step, sorted.
    pub(super) async fn pairs(&mut self) -> Result<Vec<[u32; 2]>> {
        let mut pairs: Vec<[u32; 2]> = self.read_some(Name::Pairs, self.last.pairs as usize).await?;
        pairs.sort_unstable();
        Ok(pairs)
    }

    #[cfg(target_family = "wasm")]
    pub(super) fn is_current(&self) -> bool {
        self.is_current && self.pending == 0
    }

    pub(super) fn description(&self) -> String {
        crate::narrow_phase::gpu::adapter::describe(&self.gpu.device.adapter_info())
    }

    async fn read_some<T: Pod>(&mut self, name: Name, count: usize) -> Result<Vec<T>> {
        if count == 0 { Ok(Vec::new()) } else { self.read(name, count).await }
    }

    /// The first records of a buffer.
    async fn read<T: Pod>(&mut self, name: Name, count: usize) -> Result<Vec<T>> {
        use wgpu::BufferUsages as Usage;
        let bytes = (count * size_of::<T>()) as u64;
        if self.readback.as_ref().is_none_or(|buffer| buffer.size() < bytes) {
            let descriptor = wgpu::BufferDescriptor {
                label: Some("sat2d readback"),
                size: bytes.max(4096),
                usage: Usage::MAP_READ | Usage::COPY_DST,
                mapped_at_creation: false,
            };
            self.readback =
                Some(self.gpu.checked(bytes, || self.gpu.device.create_buffer(&descriptor)).await?);
        }
        let Some(readback) = &self.readback else {
            return Err(Error::Device { reason: "there is no buffer to read from".into() });
        };
        let gpu = &self.gpu;
        let submission = gpu.checked(0, || {
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(self.buffers.get(name), 0, readback, 0, bytes);
            gpu.queue.submit([encoder.finish()])
        });
        let submission = submission.await?;
        let (sender, mapped) = oneshot();
        readback.map_async(wgpu::MapMode::Read, ..bytes, move |result| sender.send(result.is_ok()));
        let lost = |reason: String| Error::DeviceLost { reason: gpu.lost_reason().unwrap_or(reason) };
        let wait = wgpu::PollType::Wait { submission_index: Some(submission), timeout: None };
        gpu.device.poll(wait).map_err(|e| lost(one_line(&e)))?;
        if !mapped.await {
            return Err(lost("the answer could not be mapped".into()));
        }
        let view = readback.get_mapped_range(..bytes).map_err(|e| lost(one_line(&e)))?;
        let records = pod_collect_to_vec::<u8, T>(&view);
        drop(view);
        readback.unmap();
        Ok(records)
    }
}

fn touch_of((record, totals): (&TouchRecord, [f32; 2])) -> Touch {
    let points = [0, 1].map(|k| (record.points[k], totals[k])).map(|(point, total_impulse)| TouchPoint {
        total_impulse,
        arm_a: point.arm_a,
        arm_b: point.arm_b,
        separation: point.separation,
        feature: point.feature,
        normal_impulse: point.normal_impulse,
        tangent_impulse: point.tangent_impulse,
    });
    Touch {
        bodies: record.bodies,
        normal: record.normal,
        separation: record.separation,
        point_count: record.point_count,
        points,
    }
}

fn block_count(vertex_count: u32) -> usize {
    vertex_count.div_ceil(BLOCK_VERTICES) as usize
}

/// A clock, where there is one.
fn web_time() -> Option<std::time::Instant> {
    #[cfg(target_family = "wasm")]
    return None;
    #[cfg(not(target_family = "wasm"))]
    Some(std::time::Instant::now())
}

/// What steps need beyond what a join does.
fn check_limits(gpu: &GpuDevice) -> Result<()> {
    let l = &gpu.limits;
    for (limit, available, needed) in [
        ("maxStorageBuffersPerShaderStage", l.max_storage_buffers_per_shader_stage, 8),
        ("maxComputeInvocationsPerWorkgroup", l.max_compute_invocations_per_workgroup, 256),
        ("maxComputeWorkgroupSizeX", l.max_compute_workgroup_size_x, 256),
    ] {
        if available < needed {
            return Err(Error::DeviceLimit { limit, available: available.into(), needed: needed.into() });
        }
    }
    Ok(())
}
