//! The dispatches of a step.

use std::collections::HashMap;

use super::buffers::Buffers;
use super::clock::{Clock, Stage};
use super::kernels::{Kernel, Name, Pass, Scanned};
use super::pipelines::{Compiled, Kernels};
use super::records::{self, Phase, lists};
use super::wide::Wide;
use crate::base::error::Result;
use crate::gpu::device::GpuDevice;
use crate::sim::Solver;
use crate::sim::cpu::BOUNCES;

/// The size of a dispatch: known to the host, or computed by the device.
#[derive(Clone, Copy, Debug)]
enum Size {
    Groups([u32; 2]),
    /// The device computes the size. The value is the index of the size in [`Name::Lists`].
    List(u32),
}

/// A planned dispatch of a step: its kernel, its size, and the index of the span of colours ([`records::SPANS`]) that
/// its bindings name.
#[derive(Clone, Copy, Debug)]
struct Planned {
    kernel: Kernel,
    span: u32,
    size: Size,
    stage: Stage,
}

#[derive(Debug)]
struct Dispatch {
    /// The index in [`Kernels::all`] of the kernel that the dispatch runs.
    kernel: usize,
    group: usize,
    size: Size,
    stage: Stage,
}

/// The dispatches of a step and their bindings, ready to be recorded.
#[derive(Debug)]
pub(super) struct Plan {
    groups: Vec<wgpu::BindGroup>,
    dispatches: Vec<Dispatch>,
}

/// The properties of a world that, together with its buffers, determine the dispatches of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StepShape {
    pub(super) body_count: u32,
    pub(super) substeps: u32,
    pub(super) solver: Solver,
    /// Whether the step tests the paths of fast bodies.
    pub(super) follows: bool,
    /// Whether any body bounces, so that the step has rounds of bouncing.
    pub(super) bounces: bool,
    /// Whether one workgroup colours and solves all touches. With few bodies, the dispatches take most of the time.
    pub(super) is_small: bool,
    /// Whether the host expects that [`records::WIDE_ROUNDS`] rounds of colouring leave few touches without a colour.
    pub(super) leaves_few: bool,
    /// The numbers of colours with a dispatch of their own.
    pub(super) wide: Wide,
}

/// If a world has at most this many bodies, one workgroup colours and solves all touches.
pub(super) const FEW_BODIES: u32 = 4096;
/// In a world with at least this many bodies, as many colours as possible have a dispatch of their own, until the host
/// knows how many touches each colour has.
pub(super) const MANY_BODIES: u32 = 1 << 16;

/// Collects the dispatches of a step, in order.
struct Planner<'a> {
    gpu: &'a GpuDevice,
    buckets: u32,
    shape: StepShape,
    /// The stage of the dispatches that the next calls add.
    stage: Stage,
    planned: Vec<Planned>,
}

impl Planner<'_> {
    fn add(&mut self, kernel: Kernel, size: Size) {
        self.add_for_span(kernel, 0, size);
    }

    fn add_for_span(&mut self, kernel: Kernel, span: u32, size: Size) {
        self.planned.push(Planned { kernel, span, size, stage: self.stage });
    }

    fn scan(&mut self, scanned: Scanned, size: Size) {
        self.add(Kernel::Scan(scanned, Pass::Reduce), size);
        self.add(Kernel::Scan(scanned, Pass::Sums), ONE);
        self.add(Kernel::Scan(scanned, Pass::Values), size);
    }

    /// Adds the dispatches of all rounds of bouncing. If no contact bounces in a round, all later rounds do nothing.
    fn bounces(&mut self) {
        for round in 0..BOUNCES {
            self.add(Kernel::BounceList(round == 0), ONE);
            let once = Size::List(lists::BOUNCES + records::WIDE_COLOURS);
            self.contacts(Phase::Bounce, lists::BOUNCES, once);
        }
    }

    /// Adds the dispatches that solve the touches of all colours, in the order of the colours. Each wide colour has a
    /// dispatch of its own. The size of the dispatch for the first wide colour has the index `wide` in [`Name::Lists`].
    /// One workgroup solves the other colours, in dispatches of the size `once`.
    fn contacts(&mut self, phase: Phase, wide: u32, once: Size) {
        let solver = self.shape.solver;
        if self.shape.is_small {
            self.add_for_span(Kernel::SolveRest(solver, phase), records::EVERY_COLOUR, once);
            return;
        }
        let Wide([free, fixed]) = self.shape.wide;
        let first_fixed = records::WIDE_FREE;
        let spans = [
            (0..free, records::FREE_RESTS + free),
            (first_fixed..first_fixed + fixed, records::FIXED_RESTS + fixed),
        ];
        for (colours, rest) in spans {
            for colour in colours {
                self.add_for_span(Kernel::Solve(solver, phase), colour, Size::List(wide + colour));
            }
            self.add_for_span(Kernel::SolveRest(solver, phase), rest, once);
        }
    }
}

const ONE: Size = Size::Groups([1, 1]);
const TOUCHES: Size = Size::List(lists::TOUCHES);

impl Plan {
    /// Lists the dispatches of a step, and compiles the kernels that are not compiled yet. Returns a device error if
    /// the device rejects a kernel.
    pub(super) async fn new(
        gpu: &GpuDevice,
        kernels: &mut Kernels,
        buffers: &Buffers,
        shape: StepShape,
    ) -> Result<Self> {
        let planned = planned(gpu, buffers.capacity.buckets(), shape);
        kernels.compile(gpu, planned.iter().map(|dispatch| dispatch.kernel)).await?;
        let (mut groups, mut known) = (Vec::new(), HashMap::new());
        let dispatches = planned.into_iter().map(|Planned { kernel, span, size, stage }| {
            let kernel = kernels.index(kernel);
            let group = *known.entry((kernel, span)).or_insert_with(|| {
                let Compiled { spec, layout, .. } = &kernels.all[kernel];
                let bound: Vec<_> = spec.bound.iter().map(|name| buffers.bound(*name, span)).collect();
                groups.push(gpu.bind_group(spec.label, layout, &bound));
                groups.len() - 1
            });
            Dispatch { kernel, group, size, stage }
        });
        let dispatches = dispatches.collect();
        Ok(Self { groups, dispatches })
    }

    /// Records a step into the encoder. If `clock` is given, also records commands that measure the stages of the step.
    pub(super) fn encode(
        &self,
        kernels: &Kernels,
        buffers: &Buffers,
        encoder: &mut wgpu::CommandEncoder,
        clock: Option<&Clock>,
    ) {
        // Without a clock, all dispatches are in one pass. With a clock, each stage has its own pass.
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

/// Returns the dispatches of a step of a world with this shape, in order.
fn planned(gpu: &GpuDevice, buckets: u32, shape: StepShape) -> Vec<Planned> {
    let mut planner = Planner { gpu, buckets, shape, stage: Stage::BroadPhase, planned: Vec::new() };
    planner.broad_phase();
    planner.stage = Stage::NarrowPhase;
    planner.touches();
    planner.stage = Stage::Prepare;
    planner.prepare();
    planner.stage = Stage::Solve;
    planner.solve();
    planner.stage = Stage::Finish;
    planner.finish();
    planner.planned
}

impl Planner<'_> {
    /// Returns the size of a dispatch with one invocation for each of `count` items.
    fn each(&self, count: u32) -> Size {
        Size::Groups(self.gpu.groups(count.into()))
    }

    /// Returns the size of a dispatch whose workgroups together scan `count` values.
    fn scanning(&self, count: u32) -> Size {
        let groups = count.div_ceil(records::SCAN_LENGTH);
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
        let buckets = self.buckets;
        self.add(Kernel::Clear, self.each(buckets + 1));
        self.add(Kernel::Place, self.bodies());
        self.add(Kernel::CellsCount, self.bodies());
        self.scan(Scanned::Buckets, self.scanning(buckets + 1));
        self.add(Kernel::CellsFill, self.bodies());
        self.add(Kernel::PairsCount, self.bodies_and_end());
        self.scan(Scanned::PairStarts, self.scanning(self.shape.body_count + 1));
        self.add(Kernel::PairsList, ONE);
        self.add(Kernel::PairsFew, self.bodies());
        self.add(Kernel::PairsMany, self.bodies());
    }

    fn touches(&mut self) {
        self.add(Kernel::Manifolds, Size::List(lists::PAIRS));
        self.add(Kernel::SweepBegin, Size::List(lists::PAIRS));
        self.add(Kernel::SweepList, ONE);
        self.add(Kernel::SweepFollow, Size::List(lists::FOLLOWED));
        self.add(Kernel::TouchesCount, Size::List(lists::PAIRS_AND_END));
        self.scan(Scanned::TouchStarts, Size::List(lists::PAIRS_SCAN));
        self.add(Kernel::TouchesList, ONE);
        self.add(Kernel::TouchesWrite, Size::List(lists::PAIRS));
    }

    fn prepare(&mut self) {
        self.add(Kernel::Begin, self.bodies());
        self.add(Kernel::Warm, TOUCHES);
        if self.shape.is_small {
            self.add(Kernel::ColoursGroup, ONE);
        } else {
            for round in 0..records::WIDE_ROUNDS - 1 {
                self.add(Kernel::ColoursRound(round % 3), TOUCHES);
            }
            self.add(Kernel::ColoursLastRound, TOUCHES);
            if self.shape.leaves_few {
                self.add(Kernel::ColoursLeft, ONE);
            } else {
                for round in records::WIDE_ROUNDS..records::ROUNDS {
                    self.add(Kernel::ColoursRound(round % 3), TOUCHES);
                }
            }
            self.add(Kernel::ColoursCount, TOUCHES);
            self.add(Kernel::ColoursList, ONE);
            self.add(Kernel::ColoursFill, TOUCHES);
        }
        self.add(Kernel::RestSort, ONE);
        self.add(Kernel::Prepare(self.shape.solver), TOUCHES);
    }

    fn solve(&mut self) {
        if self.shape.bounces {
            self.bounces();
        }
        for part in 0..self.shape.substeps {
            self.add(Kernel::Accelerate(self.shape.solver, part == 0), self.bodies());
            if part == 0 {
                self.contacts(Phase::WarmStart, lists::COLOURS, ONE);
            }
            self.contacts(Phase::Solve, lists::COLOURS, ONE);
            self.add(Kernel::Advance, self.bodies());
            if self.shape.solver == Solver::Rigid {
                self.contacts(Phase::Relax, lists::COLOURS, ONE);
            }
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
        self.add(Kernel::Keep(self.shape.solver), TOUCHES);
        self.add(Kernel::CountStep, ONE);
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffers;
    use super::super::step_tests::{on_device, weightless};
    use super::*;

    #[test]
    fn what_shares_a_buffer_is_never_of_use_at_once() {
        let world = on_device(weightless());
        let gpu = &world.gpu.as_ref().unwrap().gpu;
        for solver in [Solver::Rigid, Solver::Push] {
            for (is_small, leaves_few) in [(false, false), (false, true), (true, false)] {
                let body_count = 100;
                let (follows, bounces) = (true, true);
                let wide = Wide::of_bodies(body_count);
                let substeps = 2;
                let shape =
                    StepShape { body_count, substeps, solver, follows, bounces, is_small, leaves_few, wide };
                let planned = planned(gpu, 256, shape);
                let uses = |name: Name| {
                    let uses = move |dispatch: &Planned| {
                        let spec = dispatch.kernel.spec(records::GROUP_LANES);
                        spec.bound.contains(&name)
                    };
                    (planned.iter().position(uses), planned.iter().rposition(uses))
                };
                let all = buffers::ALL.map(|name| (name, uses(name)));
                for (at, &(name, (first, last))) in all.iter().enumerate() {
                    let sharing = all[..at].iter().filter(|(other, _)| other.held_in() == name.held_in());
                    for &(other, (other_first, other_last)) in sharing {
                        // A solver may use only one of the two names, and either name may come first.
                        let is_before =
                            |a: Option<usize>, b: Option<usize>| a.zip(b).is_none_or(|(a, b)| a < b);
                        let is_apart = is_before(last, other_first) || is_before(other_last, first);
                        assert!(is_apart, "{name:?} and {other:?}, {shape:?}");
                    }
                }
            }
        }
    }
}
