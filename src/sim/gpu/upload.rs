//! Uploads to the device the changes that the host made to a world.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use bytemuck::{bytes_of, cast_slice};

use super::buffers::Capacity;
use super::kernels::Name;
use super::records::control::REVISED_COLOUR;
use super::records::{ShapeRecord, StepParams};
use super::{GpuWorld, Step};
use crate::base::error::{Error, Result};
use crate::packed::layout::{BLOCK_VERTICES, Block, MAX_POLYGON_VERTICES};
use crate::sim::WorldOptions;
use crate::sim::bodies::{Bodies, BodyState, BodyTraits, ELSEWHERE, FAST};
use crate::sim::cpu::{MARGIN, Stepping, softness};

/// The changes that the host has made to a world and that the device does not have yet.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// The changed states. Each entry has the row of a body, and the range of the bytes of its state that changed.
    pub(super) states: Vec<(u32, Range<u64>)>,
    pub(super) traits: Vec<u32>,
    pub(super) all_traits: bool,
    /// The rows of the bodies that were added, removed or moved after the last step. Their touches of the last step are ignored.
    pub(super) elsewhere: HashSet<u32>,
    /// The rows whose change was sent to the device, but has not taken effect in a step yet. The value of a row is the
    /// number of steps that were recorded before the change and whose results the host has not read.
    pub(super) told: HashMap<u32, u64>,
}

impl GpuWorld {
    /// Returns [`Error::Body`] if a shape has too many vertices for a device.
    pub(in crate::sim) fn check_shape(vertex_count: usize) -> Result<()> {
        if vertex_count > MAX_POLYGON_VERTICES as usize {
            let problem = "is too many for a device; simplify the shape, or step on the CPU";
            return Err(Error::Body { name: "vertex count of a shape", value: vertex_count as f64, problem });
        }
        Ok(())
    }

    /// Records that the host added a body to row `row`.
    pub(in crate::sim) fn added(&mut self, row: u32, traits: &BodyTraits) {
        // The flag stays set if all such bodies are removed, because more of them may follow.
        self.follows |= traits.has(FAST);
        self.changes.states.push((row, 0..size_of::<BodyState>() as u64));
        self.changes.traits.push(row);
        self.changes.elsewhere.insert(row);
    }

    pub(in crate::sim) fn removed(&mut self, row: u32) {
        self.changes.traits.push(row);
        self.changes.elsewhere.insert(row);
    }

    /// Records that the host moved the body in row `row`.
    pub(in crate::sim) fn moved(&mut self, row: u32) {
        let end = std::mem::offset_of!(BodyState, velocity) as u64;
        self.changes.states.push((row, 0..end));
        self.changes.traits.push(row);
        self.changes.elsewhere.insert(row);
    }

    pub(in crate::sim) fn accelerated(&mut self, row: u32) {
        let [start, end] =
            [std::mem::offset_of!(BodyState, velocity), std::mem::offset_of!(BodyState, preferred_velocity)];
        self.changes.states.push((row, start as u64..end as u64));
    }

    pub(in crate::sim) fn preferring(&mut self, row: u32) {
        let [start, end] =
            [std::mem::offset_of!(BodyState, preferred_velocity), std::mem::offset_of!(BodyState, padding)];
        self.changes.states.push((row, start as u64..end as u64));
    }

    pub(in crate::sim) fn is_elsewhere(&self, row: u32) -> bool {
        self.changes.elsewhere.contains(&row) || self.changes.told.contains_key(&row)
    }

    /// Makes sure that the buffers are large enough for the current world, and uploads the changes of the host. Returns
    /// the errors of [`crate::sim::seams::Seams::update`] and of [`super::buffers::Buffers::reserve`].
    pub(super) async fn flush(&mut self, step: Step<'_>) -> Result<()> {
        let count = step.bodies.states.len() as u32;
        let room = |count: u32, old: u32| if count > old { count.max(old + old / 4) } else { old };
        let old = self.buffers.capacity;
        let margin = margin_of(step.options);
        self.has_new_seams |= self.seams.update(step.bodies, step.shapes, step.grid, margin)?;
        let blocks: usize = (step.shapes.all.iter()).map(|shape| block_count(shape.vertex_count)).sum();
        let mut capacity = Capacity {
            bodies: room(count.max(1), old.bodies),
            shapes: room(step.shapes.all.len().max(1) as u32, old.shapes),
            blocks: room(blocks.max(1) as u32, old.blocks),
            seams: room(self.seams.words().len() as u32, old.seams),
            ..old
        };
        if old.pairs == 0 {
            let [pairs, touches] = self.room_per_body;
            let most = Capacity::most(&self.gpu);
            capacity.pairs = pairs.saturating_mul(capacity.bodies).min(most.pairs);
            capacity.touches = touches.saturating_mul(capacity.bodies).min(most.touches);
        }
        self.reserve(capacity).await?;
        if self.shape_count < step.shapes.all.len() {
            self.write_shapes(step);
        }
        if std::mem::take(&mut self.has_new_seams) {
            let words = self.seams.words();
            let none = [0];
            let words = if words.is_empty() { &none } else { words };
            self.gpu.queue.write_buffer(self.buffers.get(Name::Seams), 0, cast_slice(words));
        }
        self.write_changes(step.bodies);
        Ok(())
    }

    pub(super) async fn reserve(&mut self, capacity: Capacity) -> Result<()> {
        let old = self.buffers.capacity;
        let reserved = self.buffers.reserve(&self.gpu, capacity).await;
        if !matches!(reserved, Ok(false)) {
            // Some buffers are new or missing, so the host must upload again the data that steps only read.
            self.plan = None;
            self.shape_count = 0;
            self.has_new_seams = true;
            self.changes.all_traits = true;
        }
        if reserved.is_err() || (capacity.pairs, capacity.touches) != (old.pairs, old.touches) {
            // The buffers with the results of the last step are gone.
            (self.last.pairs, self.last.touches) = (0, 0);
        }
        reserved.map(drop)
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
                    // The product is exact, because the quantum is a power of two.
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

    fn traits_of(&self, bodies: &Bodies, row: usize) -> BodyTraits {
        let mut traits = bodies.traits[row];
        if self.is_elsewhere(row as u32) {
            traits.flags |= ELSEWHERE;
        }
        traits
    }

    fn write_traits(&self, bodies: &Bodies) {
        let all: Vec<BodyTraits> = (0..bodies.traits.len()).map(|row| self.traits_of(bodies, row)).collect();
        self.gpu.queue.write_buffer(self.buffers.get(Name::Traits), 0, cast_slice(&all));
    }

    fn write_changes(&mut self, bodies: &Bodies) {
        let many = bodies.states.len() / 8;
        if self.changes.all_traits || self.changes.traits.len() > many {
            self.write_traits(bodies);
        } else {
            for &row in &self.changes.traits {
                let at = u64::from(row) * size_of::<BodyTraits>() as u64;
                let traits = self.traits_of(bodies, row as usize);
                self.gpu.queue.write_buffer(self.buffers.get(Name::Traits), at, bytes_of(&traits));
            }
        }
        self.changes.traits.clear();
        self.changes.all_traits = false;
        let states = self.buffers.get(Name::States);
        if self.is_current && !self.is_shared && self.changes.states.len() > many {
            self.gpu.queue.write_buffer(states, 0, cast_slice(&bodies.states));
        } else {
            for (row, range) in &self.changes.states {
                let at = u64::from(*row) * size_of::<BodyState>() as u64;
                let state = bytes_of(&bodies.states[*row as usize]);
                let part = &state[range.start as usize..range.end as usize];
                self.gpu.queue.write_buffer(states, at + range.start, part);
            }
        }
        self.changes.states.clear();
        let elsewhere = std::mem::take(&mut self.changes.elsewhere);
        self.changes.told.extend(elsewhere.into_iter().map(|row| (row, self.pending)));
    }

    pub(super) fn write_params(&self, step: Step<'_>) {
        let count = step.bodies.states.len() as u32;
        let stepping = Stepping::new(step.options, step.dt);
        let h = stepping.dt / stepping.substeps as f32;
        let aside = step.bodies.pushes.aside(stepping.reach());
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
            margin: margin_of(step.options),
            quantum: step.grid.quantum as f32,
            per_quantum: (1.0 / step.grid.quantum) as f32,
            body_count: count,
            bucket_mask: self.buffers.capacity.buckets() - 1,
            pair_capacity: self.buffers.capacity.pairs,
            contact_capacity: self.buffers.capacity.touches,
            aside: aside.distance,
            half_kick: stepping.half_kick(),
            fall: stepping.fall(),
            aside_share: aside.share,
            deep: stepping.deep,
            softness: softness(h).map(|soft| [soft.bias, soft.compliance, 0.0, 0.0]),
        };
        let write = |name, bytes: &[u8]| self.gpu.queue.write_buffer(self.buffers.get(name), 0, bytes);
        write(Name::Params, bytes_of(&params));
        write(Name::BucketCount, bytes_of(&(params.bucket_mask + 1)));
        write(Name::BodyCount, bytes_of(&count));
    }

    /// Resets the control buffer: all counts are 0, and no failure is recorded.
    pub(super) fn write_control(&mut self) {
        let control_buffer = self.buffers.get(Name::Control);
        let words = [0, u32::MAX, 0, 0];
        self.gpu.queue.write_buffer(control_buffer, 0, cast_slice(&words));
        if std::mem::take(&mut self.is_new) {
            self.gpu.queue.write_buffer(control_buffer, 4 * u64::from(REVISED_COLOUR), bytes_of(&0u32));
        }
    }
}

/// Returns the margin for contacts of a body at rest, in the caller's unit.
fn margin_of(options: &WorldOptions) -> f32 {
    MARGIN * options.length_unit as f32
}

fn block_count(vertex_count: u32) -> usize {
    vertex_count.div_ceil(BLOCK_VERTICES) as usize
}
