//! The buffers of a world on a device, and the dispatches of a step over them.

use std::collections::HashMap;

use super::clock::{Clock, Stage};
use super::kernels::{Compiled, Kernel, Kernels, Name, Pass, Scanned};
use super::records::{self, Phase, lists};
use crate::error::{Error, Result};
use crate::layout::{Block, FigureParams, Placement, Polygon};
use crate::narrow_phase::gpu::device::GpuDevice;
use crate::sim::Solver;
use crate::sim::bodies::{BodyState, BodyTraits};
use crate::sim::cpu::{BOUNCES, SPRING_ROUNDS};

/// Bytes between the parameters of two colours: the most that a device may ask for.
const WHICH_STRIDE: u64 = 256;

/// How much there is room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Capacity {
    pub(super) bodies: u32,
    pub(super) shapes: u32,
    pub(super) blocks: u32,
    pub(super) pairs: u32,
    pub(super) touches: u32,
}

impl Capacity {
    /// The most pairs and touches that a binding of the device holds.
    pub(super) fn most(gpu: &GpuDevice) -> Self {
        let most = |bytes: usize| (gpu.binding_bytes() / bytes as u64).min(i32::MAX as u64) as u32;
        Self {
            pairs: most(size_of::<records::ConstraintRecord>()),
            touches: most(size_of::<records::TouchRecord>()),
            ..Self::default()
        }
    }

    /// Buckets of the table: a power of two, twice the bodies or more.
    pub(super) fn buckets(self) -> u32 {
        (2 * u64::from(self.bodies)).next_power_of_two().clamp(64, 1 << 31) as u32
    }

    fn bytes(self, name: Name) -> u64 {
        let [bodies, pairs, touches] = [self.bodies, self.pairs, self.touches].map(u64::from);
        let scanned = u64::from(self.buckets()).max(bodies).max(pairs) + 1;
        let bytes = match name {
            Name::Params => size_of::<records::StepParams>() as u64,
            Name::BucketCount | Name::BodyCount => 16,
            Name::Which => WHICH_STRIDE * (u64::from(records::WIDE_COLOURS) + 1),
            Name::FigureParams => size_of::<FigureParams>() as u64,
            Name::Control => 4 * u64::from(records::control::WORDS),
            Name::Lists => 16 * u64::from(lists::COUNT),
            Name::Shapes => size_of::<records::ShapeRecord>() as u64 * u64::from(self.shapes),
            Name::Blocks => size_of::<Block>() as u64 * u64::from(self.blocks),
            Name::States => size_of::<BodyState>() as u64 * bodies,
            Name::Traits => size_of::<BodyTraits>() as u64 * bodies,
            Name::Polygons => size_of::<Polygon>() as u64 * bodies,
            Name::Placements => size_of::<Placement>() as u64 * bodies,
            Name::Boxes | Name::CellBoxes | Name::BodyColours => 16 * bodies,
            Name::Moving => size_of::<records::MovingBody>() as u64 * bodies,
            Name::CellBodies => 4 * bodies,
            Name::Buckets => 4 * (u64::from(self.buckets()) + 1),
            Name::PairStarts | Name::KeptStarts => 4 * (bodies + 1),
            Name::Sums => 4 * scanned.div_ceil(u64::from(records::SCAN_LANES * records::SCAN_VALUES)),
            Name::Pairs => 8 * pairs,
            Name::TouchStarts => 4 * (pairs + 1),
            Name::Manifolds => size_of::<records::ConstraintRecord>() as u64 * pairs,
            Name::Touches => size_of::<records::TouchRecord>() as u64 * touches,
            Name::Kept => size_of::<records::KeptTouch>() as u64 * touches,
            Name::Ends => 8 * touches,
            Name::Colours | Name::Order => 4 * touches,
        };
        // A binding holds one record at least.
        bytes.max(256)
    }
}

const ALL: [Name; 30] = {
    use Name::*;
    [
        Params,
        BucketCount,
        BodyCount,
        Which,
        FigureParams,
        Control,
        Lists,
        Shapes,
        Blocks,
        States,
        Traits,
        Polygons,
        Placements,
        Boxes,
        Buckets,
        CellBoxes,
        CellBodies,
        PairStarts,
        Moving,
        BodyColours,
        KeptStarts,
        Sums,
        Pairs,
        TouchStarts,
        Manifolds,
        Touches,
        Kept,
        Ends,
        Colours,
        Order,
    ]
};

/// Those that outlive a step.
const PERSISTENT: [Name; 4] = [Name::Control, Name::States, Name::KeptStarts, Name::Kept];

/// The buffers, by name.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) capacity: Capacity,
    all: HashMap<Name, wgpu::Buffer>,
}

impl Buffers {
    pub(super) fn get(&self, name: Name) -> &wgpu::Buffer {
        &self.all[&name]
    }

    /// Room for at least that much; what outlives a step is copied. Whether any buffer is another one now.
    pub(super) async fn reserve(&mut self, gpu: &GpuDevice, capacity: Capacity) -> Result<bool> {
        let old = self.capacity;
        let capacity = Capacity {
            bodies: capacity.bodies.max(old.bodies),
            shapes: capacity.shapes.max(old.shapes),
            blocks: capacity.blocks.max(old.blocks),
            pairs: capacity.pairs.max(old.pairs),
            touches: capacity.touches.max(old.touches),
        };
        let is_small =
            |name: &Name| self.all.get(name).is_none_or(|buffer| buffer.size() < capacity.bytes(*name));
        let small: Vec<Name> = ALL.into_iter().filter(is_small).collect();
        let available = gpu.binding_bytes();
        if let Some(needed) = small.iter().map(|name| capacity.bytes(*name)).find(|&bytes| bytes > available)
        {
            return Err(Error::DeviceLimit { limit: "maxStorageBufferBindingSize", available, needed });
        }
        for &name in &small {
            if !PERSISTENT.contains(&name) {
                // The old one goes first, so that both are never held at once.
                self.all.remove(&name);
            }
            let size = capacity.bytes(name);
            let descriptor = wgpu::BufferDescriptor {
                label: Some("sat2d world"),
                size,
                usage: usage_of(name),
                mapped_at_creation: false,
            };
            let buffer = gpu.checked(size, || gpu.device.create_buffer(&descriptor)).await?;
            if let Some(old) = self.all.remove(&name) {
                gpu.checked(0, || {
                    let mut encoder =
                        gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                    encoder.copy_buffer_to_buffer(&old, 0, &buffer, 0, old.size());
                    gpu.queue.submit([encoder.finish()]);
                })
                .await?;
            } else if name == Name::Which {
                for colour in 0..=records::WIDE_COLOURS {
                    gpu.queue.write_buffer(&buffer, WHICH_STRIDE * u64::from(colour), &colour.to_le_bytes());
                }
            }
            self.all.insert(name, buffer);
        }
        self.capacity = capacity;
        Ok(!small.is_empty())
    }

    fn bound(&self, name: Name, colour: u32) -> wgpu::BindingResource<'_> {
        if name != Name::Which {
            return self.get(name).as_entire_binding();
        }
        wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: self.get(name),
            offset: WHICH_STRIDE * u64::from(colour),
            size: std::num::NonZeroU64::new(WHICH_STRIDE),
        })
    }
}

fn usage_of(name: Name) -> wgpu::BufferUsages {
    use wgpu::BufferUsages as Usage;
    match name {
        Name::Params | Name::BucketCount | Name::BodyCount | Name::Which => Usage::UNIFORM | Usage::COPY_DST,
        Name::FigureParams => Usage::UNIFORM | Usage::STORAGE,
        Name::Lists => Usage::STORAGE | Usage::INDIRECT,
        Name::States => Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC | Usage::VERTEX,
        Name::Kept | Name::KeptStarts | Name::Control | Name::Traits | Name::Shapes | Name::Blocks => {
            Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC
        }
        _ => Usage::STORAGE | Usage::COPY_SRC,
    }
}

/// How many groups a dispatch has.
#[derive(Clone, Copy, Debug)]
enum Size {
    Groups([u32; 2]),
    /// A list that the device makes.
    List(u32),
}

#[derive(Debug)]
struct Dispatch {
    kernel: usize,
    group: usize,
    size: Size,
    stage: Stage,
}

/// The dispatches of a step.
#[derive(Debug)]
pub(super) struct Plan {
    groups: Vec<wgpu::BindGroup>,
    dispatches: Vec<Dispatch>,
}

/// What the dispatches of a step depend on, beside buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StepShape {
    pub(super) body_count: u32,
    pub(super) substeps: u32,
    pub(super) solver: Solver,
    /// Whether fast bodies are followed.
    pub(super) follows: bool,
    /// Whether any body bounces.
    pub(super) bounces: bool,
}

/// What makes a plan.
struct Planner<'a> {
    gpu: &'a GpuDevice,
    kernels: &'a Kernels,
    buffers: &'a Buffers,
    shape: StepShape,
    /// Of what is added next.
    stage: Stage,
    known: HashMap<(usize, u32), usize>,
    plan: Plan,
}

impl Planner<'_> {
    fn add(&mut self, kernel: Kernel, size: Size) {
        self.add_for_colour(kernel, 0, size);
    }

    fn add_for_colour(&mut self, kernel: Kernel, colour: u32, size: Size) {
        let index = self.kernels.index(kernel);
        let group = *self.known.entry((index, colour)).or_insert_with(|| {
            let Compiled { spec, layout, .. } = &self.kernels.all[index];
            let bound: Vec<_> =
                spec.bindings.iter().map(|(_, name)| self.buffers.bound(*name, colour)).collect();
            self.plan.groups.push(self.gpu.bind_group(spec.label, layout, &bound));
            self.plan.groups.len() - 1
        });
        self.plan.dispatches.push(Dispatch { kernel: index, group, size, stage: self.stage });
    }

    fn scan(&mut self, scanned: Scanned, size: Size) {
        self.add(Kernel::Scan(scanned, Pass::Reduce), size);
        self.add(Kernel::Scan(scanned, Pass::Sums), ONE);
        self.add(Kernel::Scan(scanned, Pass::Values), size);
    }

    /// Rounds, of which all after one without a bounce do nothing.
    fn bounces(&mut self) {
        for round in 0..BOUNCES {
            self.add(Kernel::BounceList(round == 0), ONE);
            for colour in 0..=records::WIDE_COLOURS {
                let solve = if colour < records::WIDE_COLOURS { Kernel::Solve } else { Kernel::SolveRest };
                let kernel = solve(self.shape.solver, Phase::Bounce);
                self.add_for_colour(kernel, colour, Size::List(lists::BOUNCES + colour));
            }
        }
    }

    fn contacts(&mut self, phase: Phase) {
        for colour in 0..records::WIDE_COLOURS {
            self.add_for_colour(
                Kernel::Solve(self.shape.solver, phase),
                colour,
                Size::List(lists::COLOURS + colour),
            );
        }
        self.add_for_colour(Kernel::SolveRest(self.shape.solver, phase), records::WIDE_COLOURS, ONE);
    }
}

const ONE: Size = Size::Groups([1, 1]);
const TOUCHES: Size = Size::List(lists::TOUCHES);

impl Plan {
    pub(super) fn new(gpu: &GpuDevice, kernels: &Kernels, buffers: &Buffers, shape: StepShape) -> Self {
        let plan = Self { groups: Vec::new(), dispatches: Vec::new() };
        let stage = Stage::BroadPhase;
        let mut planner = Planner { gpu, kernels, buffers, shape, stage, known: HashMap::new(), plan };
        planner.broad_phase();
        planner.stage = Stage::NarrowPhase;
        planner.touches();
        planner.stage = Stage::Prepare;
        planner.prepare();
        planner.stage = Stage::Solve;
        planner.solve();
        planner.stage = Stage::Finish;
        planner.finish();
        planner.plan
    }

    /// Records a step, timed where there is a clock.
    pub(super) fn encode(
        &self,
        kernels: &Kernels,
        buffers: &Buffers,
        encoder: &mut wgpu::CommandEncoder,
        clock: Option<&Clock>,
    ) {
        // One pass, or one a stage.
        for run in self.dispatches.chunk_by(|a, b| clock.is_none() || a.stage == b.stage) {
            let timestamp_writes = clock.map(|clock| clock.writes(run[0].stage));
            let descriptor = wgpu::ComputePassDescriptor { label: Some("sat2d step"), timestamp_writes };
            let mut pass = encoder.begin_compute_pass(&descriptor);
            for dispatch in run {
                pass.set_pipeline(&kernels.all[dispatch.kernel].pipeline);
                pass.set_bind_group(0, &self.groups[dispatch.group], &[]);
                match dispatch.size {
                    Size::Groups([x, y]) => pass.dispatch_workgroups(x, y, 1),
                    Size::List(list) => {
                        pass.dispatch_workgroups_indirect(buffers.get(Name::Lists), 16 * u64::from(list));
                    }
                }
            }
        }
        if let Some(clock) = clock {
            clock.resolve(encoder);
        }
    }
}

impl Planner<'_> {
    /// An invocation for each of so many.
    fn each(&self, count: u32) -> Size {
        Size::Groups(self.gpu.groups(count.into()))
    }

    /// Workgroups that scan so many values.
    fn scanning(&self, count: u32) -> Size {
        let groups = count.div_ceil(records::SCAN_LANES * records::SCAN_VALUES);
        let x = groups.min(self.gpu.limits.max_compute_workgroups_per_dimension);
        Size::Groups([x, groups.div_ceil(x)])
    }

    fn bodies(&self) -> Size {
        self.each(self.shape.body_count)
    }

    fn bodies_and_end(&self) -> Size {
        self.each(self.shape.body_count + 1)
    }

    fn broad_phase(&mut self) {
        let buckets = self.buffers.capacity.buckets();
        self.add(Kernel::Clear, self.each(buckets + 1));
        self.add(Kernel::Place, self.bodies());
        self.add(Kernel::CellsCount, self.bodies());
        self.scan(Scanned::Buckets, self.scanning(buckets + 1));
        self.add(Kernel::CellsFill, self.bodies());
        self.add(Kernel::PairsCount, self.bodies_and_end());
        self.scan(Scanned::PairStarts, self.scanning(self.shape.body_count + 1));
        self.add(Kernel::PairsList, ONE);
        self.add(Kernel::PairsWrite, self.bodies());
    }

    fn touches(&mut self) {
        self.add(Kernel::Manifolds, Size::List(lists::PAIRS));
        self.add(Kernel::TouchesCount, Size::List(lists::PAIRS_AND_END));
        self.scan(Scanned::TouchStarts, Size::List(lists::PAIRS_SCAN));
        self.add(Kernel::TouchesList, ONE);
        self.add(Kernel::TouchesWrite, Size::List(lists::PAIRS));
    }

    fn prepare(&mut self) {
        self.add(Kernel::Begin, self.bodies());
        self.add(Kernel::Warm, TOUCHES);
        self.add(Kernel::Prepare(self.shape.solver), TOUCHES);
        for round in 0..records::ROUNDS {
            self.add(Kernel::ColoursRound(round % 3), TOUCHES);
        }
        self.add(Kernel::ColoursCount, TOUCHES);
        self.add(Kernel::ColoursList, ONE);
        self.add(Kernel::ColoursFill, TOUCHES);
        self.add(Kernel::RestSort, ONE);
    }

    fn solve(&mut self) {
        if self.shape.bounces {
            self.bounces();
        }
        for _ in 0..self.shape.substeps {
            self.add(Kernel::Accelerate(self.shape.solver), self.bodies());
            self.contacts(Phase::WarmStart);
            let rounds = if self.shape.solver == Solver::Rigid { SPRING_ROUNDS } else { 1 };
            for _ in 0..rounds {
                self.contacts(Phase::Solve);
            }
            self.add(Kernel::Advance, self.bodies());
            if self.shape.solver == Solver::Rigid {
                self.contacts(Phase::Relax);
            }
        }
        if self.shape.solver == Solver::Push {
            self.add(Kernel::PushStore, TOUCHES);
        }
    }

    fn finish(&mut self) {
        let follows = self.shape.follows;
        if follows {
            self.add(Kernel::FastBox, self.bodies());
            self.add(Kernel::FastPairs, Size::List(lists::PAIRS));
        }
        self.add(Kernel::FinishCheck(follows), self.bodies());
        self.add(Kernel::Finish(follows), self.bodies_and_end());
        self.add(Kernel::Keep, TOUCHES);
        self.add(Kernel::CountStep, ONE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_bodies_of_five_contacts_each_take_less_than_a_kilobyte_each() {
        let bodies = 1_000_000;
        let capacity =
            Capacity { bodies, shapes: 100, blocks: 200, pairs: 7 * bodies / 2, touches: 5 * bodies / 2 };
        let bytes: u64 = ALL.into_iter().map(|name| capacity.bytes(name)).sum();
        assert!(bytes / u64::from(bodies) < 1024, "{} bytes a body", bytes / u64::from(bodies));
    }
}
