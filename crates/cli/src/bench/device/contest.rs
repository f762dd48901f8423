//! Times the relation kernel and the plain kernel alternately, on the same pairs.

use std::time::Duration;

use bytemuck::cast_slice;

use super::timer::{Timer, clock_stands, warm_up};
use super::work::{KernelWork, kernel_work};
use crate::bench::report::AREA;
use sat2d::internal::device::{
    GpuDevice, GpuNarrowPhase, Lanes, Part, PolygonBuffers, RelationKernel, Sorted, Sorter, Variant,
    area_shader, shader,
};
use sat2d::internal::packed::{
    BITS_PER_CODE, CODES_PER_WORD, DISJOINT, OVERLAPPING, Packed, Records, RelationParams, UNCERTAIN,
};
use sat2d::{Error, PolygonSet, Relation, Result};

/// The times and the answers of one kernel in a contest.
#[derive(Clone, Debug)]
pub(crate) struct Contender {
    /// The name of the kernel: `relation` (the kernel of joins), `relation-workgroup` (the kernel of joins without
    /// subgroups, if joins use subgroups), `area` (the kernel of joins with a least intersection over union), or
    /// `plain` (the simple kernel).
    pub(crate) kernel: &'static str,
    /// Whether wgpu's checks of indices and loops are compiled in.
    pub(crate) run_time_checks: bool,
    /// The median time of a dispatch of all pairs.
    pub(crate) median: Duration,
    /// The least time of a dispatch of all pairs.
    pub(crate) least: Duration,
    /// The number of answers that contradict exact arithmetic.
    pub(crate) wrong: u64,
    /// The number of uncertain answers, which is 0 for the plain kernel.
    pub(crate) uncertain: u64,
}

/// The measurements of all kernels on the same pairs.
#[derive(Clone, Debug)]
pub(crate) struct Contest {
    /// The kernels `relation` and `plain`, each with and without run-time checks, and `relation-workgroup` and `area` with
    /// run-time checks.
    pub(crate) contenders: Vec<Contender>,
    /// Whether the times are by the device's clock. Otherwise, the host measured them from submission to completion.
    pub(crate) by_device_clock: bool,
    /// The number of measured pairs. If not all given pairs fit in one binding, only the first ones that fit are
    /// measured.
    pub(crate) pair_count: usize,
    /// The numbers of bytes and of operations of the relation kernel for all measured pairs.
    pub(crate) work: KernelWork,
}

/// A pipeline, its bindings, and the number of workgroups in each dimension.
type Dispatch = (wgpu::ComputePipeline, wgpu::BindGroup, [u32; 2]);

struct Runner {
    kernel: &'static str,
    run_time_checks: bool,
    dispatches: Vec<Dispatch>,
    answers: wgpu::Buffer,
    /// The number of repetitions of the dispatch in a timed pass.
    repeats: u32,
    times: Vec<Duration>,
}

impl Runner {
    fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        for (pipeline, group, [x, y]) in &self.dispatches {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(*x, *y, 1);
        }
    }
}

/// The least intersection over union for the kernel `area`.
pub(crate) const LEAST_IOU: f64 = 0.5;

/// Measures the kernels on pairs of a static set: after a warm-up, each kernel runs `rounds` times, in turn with the
/// others. Compares their answers with `truth` and `ious`, which have the relation and the intersection over union of
/// each pair. If a dispatch is too short to measure, it is repeated within its pass.
///
/// # Errors
/// Returns the errors of the device, and an error if its clock does not advance. Returns [`Error::Option`] if there are
/// no pairs, or if the set has poses, because the plain kernel does not support poses.
pub(crate) async fn contest(
    narrow: &GpuNarrowPhase,
    set: &PolygonSet,
    packed: &Packed,
    pairs: &[[u32; 2]],
    truth: &[Relation],
    ious: &[f64],
    rounds: usize,
) -> Result<Contest> {
    let gpu = &narrow.device;
    let records = &packed.records;
    if records.is_posed() || pairs.is_empty() || packed.b_offset != 0 {
        let problem = "must be pairs of one static set";
        let value = pairs.len().to_string();
        return Err(Error::Option { option: "pairs", value, problem });
    }
    let most = gpu.binding_bytes() as usize / size_of::<[u32; 2]>();
    let pairs = &pairs[..pairs.len().min(most)];
    let mut polygons = PolygonBuffers::default();
    polygons.write(gpu, records).await?;
    let in_order = in_order_of_joins(records, pairs);
    let plain_params = [pairs.len() as u32, gpu.groups(pairs.len() as u64)[0]];
    let plain_params = upload(gpu, wgpu::BufferUsages::UNIFORM, cast_slice(&plain_params)).await?;
    let pair_buffer = upload(gpu, wgpu::BufferUsages::STORAGE, cast_slice(pairs)).await?;
    let sorted_pairs = upload(gpu, wgpu::BufferUsages::STORAGE, cast_slice(&in_order.pairs)).await?;
    let world = World::of(gpu, set).await?;
    let mut timer = Timer::new(gpu).await?;
    let mut runners = Vec::new();
    let lanes = Lanes::for_codes(gpu);
    let other = (lanes == Lanes::Subgroup).then_some(("relation-workgroup", shader(Lanes::Workgroup), true));
    let forms = [true, false].map(|run_time_checks| ("relation", shader(lanes), run_time_checks));
    let area = [(AREA, area_shader(lanes), true)];
    for (name, shader, run_time_checks) in forms.into_iter().chain(other).chain(area) {
        let kernel = RelationKernel::new(gpu, &shader).await?;
        let answers = answers_of_words(gpu, pairs.len().div_ceil(CODES_PER_WORD as usize)).await?;
        let mut dispatches = Vec::new();
        let mut first_pair = 0;
        for part in &in_order.parts {
            let groups = gpu.groups((part.end - first_pair).into());
            let (end_pair, groups_x) = (part.end, groups[0]);
            let params = RelationParams {
                first_pair,
                end_pair,
                groups_x,
                b_offset: 0,
                most_turns: u32::MAX,
                least_area: 0.0,
                // The factor makes the bound less than the exact quotient, so that rounding discards no pair.
                least_part: (0.9999 * LEAST_IOU / (1.0 + LEAST_IOU)) as f32,
            };
            first_pair = part.end;
            let params = upload(gpu, wgpu::BufferUsages::UNIFORM, bytemuck::bytes_of(&params)).await?;
            let pipeline = if run_time_checks {
                kernel.pipeline(gpu, part.variant).await?.clone()
            } else {
                let source = part.variant.source(&shader);
                gpu.checked(0, || unchecked_relation_pipeline(gpu, &kernel, source)).await?
            };
            let bound = [sorted_pairs.as_entire_binding(), answers.as_entire_binding()];
            let [bound_pairs, codes] = bound;
            let group = kernel.bind_group(gpu, &params, &polygons, bound_pairs, codes)?;
            dispatches.push((pipeline, group, groups));
        }
        runners.push(Runner {
            kernel: name,
            run_time_checks,
            dispatches,
            answers,
            repeats: 1,
            times: Vec::new(),
        });
    }
    for run_time_checks in [true, false] {
        let (pipeline, layout) = gpu.checked(0, || plain_pipeline(gpu, run_time_checks)).await?;
        let answers = answers_of_words(gpu, pairs.len()).await?;
        let bound = [&plain_params, &world.offsets, &world.vertices, &pair_buffer, &answers]
            .map(|buffer| buffer.as_entire_binding());
        let group = gpu.bind_group("sat2d plain", &layout, &bound);
        runners.push(Runner {
            kernel: "plain",
            run_time_checks,
            dispatches: vec![(pipeline, group, gpu.groups(pairs.len() as u64))],
            answers,
            repeats: 1,
            times: Vec::new(),
        });
    }
    if let Some(runner) = runners.first() {
        warm_up(gpu, |pass| runner.record(pass)).await?;
    }
    for runner in &mut runners {
        runner.repeats = timer.repeats(gpu, |pass| runner.record(pass)).await?;
    }
    for _ in 0..rounds {
        for runner in &mut runners {
            let time = timer.time(gpu, runner.repeats, |pass| runner.record(pass)).await?;
            runner.times.extend(time.map(|time| time / runner.repeats));
        }
    }
    if runners.iter().any(|runner| runner.times.is_empty()) {
        return Err(clock_stands());
    }
    let mut contenders = Vec::new();
    for mut runner in runners {
        let words = gpu.read_words(&runner.answers, 0, runner.answers.size()).await?;
        let mut contender = Contender {
            kernel: runner.kernel,
            run_time_checks: runner.run_time_checks,
            median: median(&mut runner.times),
            least: runner.times.iter().min().copied().unwrap_or_default(),
            wrong: 0,
            uncertain: 0,
        };
        for (k, &place) in in_order.places.iter().enumerate() {
            let (truth, iou) = (truth[place as usize], ious[place as usize]);
            let right = if runner.kernel == "plain" {
                (words[place as usize] == 1) == (truth != Relation::Disjoint)
            } else {
                let shift = BITS_PER_CODE * (k as u32 % CODES_PER_WORD);
                match words[k / CODES_PER_WORD as usize] >> shift & UNCERTAIN {
                    DISJOINT if runner.kernel == AREA => truth == Relation::Disjoint || iou < LEAST_IOU,
                    DISJOINT => truth == Relation::Disjoint,
                    OVERLAPPING => truth == Relation::Overlapping,
                    UNCERTAIN => {
                        contender.uncertain += 1;
                        true
                    }
                    _ => false,
                }
            };
            contender.wrong += u64::from(!right);
        }
        contenders.push(contender);
    }
    Ok(Contest {
        contenders,
        by_device_clock: timer.by_device_clock(),
        pair_count: pairs.len(),
        work: kernel_work(packed, pairs, truth),
    })
}
/// Returns the pairs sorted and split into parts in the same way as in a join.
fn in_order_of_joins(records: &Records, pairs: &[[u32; 2]]) -> Sorted {
    let mut sorted = Sorted::default();
    let variant = Variant::of(records.most_vertices, records.is_posed());
    match Sorter::of(records) {
        Some(mut sorter) => sorter.sort(pairs, 0, &mut sorted),
        None => {
            let end = pairs.len() as u32;
            sorted.pairs.extend_from_slice(pairs);
            sorted.places.extend(0..end);
            sorted.parts.push(Part { variant, end });
        }
    }
    sorted
}

/// Sorts the times. Returns their median (the greater of two middle times), or 0 if the list is empty.
pub(super) fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn plain_pipeline(gpu: &GpuDevice, run_time_checks: bool) -> (wgpu::ComputePipeline, wgpu::BindGroupLayout) {
    let label = "sat2d plain";
    let source = include_str!("../../../shaders/plain.wgsl").to_string();
    let layout = gpu.bind_group_layout(label, &source);
    #[allow(unsafe_code)]
    let module = if run_time_checks {
        gpu.shader_module(label, source)
    } else {
        // SAFETY: The pairs have indices of polygons of the set, the offsets lie within its vertices, and the output has a word
        // for each answer. Each loop runs from one offset to the next.
        unsafe { unchecked_shader_module(gpu, label, source) }
    };
    (gpu.compute_pipeline(label, &layout, &module), layout)
}

/// Returns the pipeline of the relation kernel without wgpu's run-time checks of indices and loops. `source` must be the
/// result of [`Variant::source`] for the library's shader: another shader may access memory out of bounds.
#[allow(unsafe_code)]
fn unchecked_relation_pipeline(
    gpu: &GpuDevice,
    kernel: &RelationKernel,
    source: String,
) -> wgpu::ComputePipeline {
    let label = "sat2d relation";
    // SAFETY: The shader is the one that the library ships. The pairs have indices of polygons of the dispatch, the polygons have
    // indices of their own blocks, and the output has a word for each 16 pairs. Each loop runs up to a count.
    let module = unsafe { unchecked_shader_module(gpu, label, source) };
    gpu.compute_pipeline(label, &kernel.layout, &module)
}

/// Compiles WGSL without run-time checks.
///
/// # Safety
/// For every input, no invocation may index beyond a binding, loop without end, or divide an integer by 0.
#[allow(unsafe_code)]
unsafe fn unchecked_shader_module(gpu: &GpuDevice, label: &str, source: String) -> wgpu::ShaderModule {
    let source = wgpu::ShaderSource::Wgsl(source.into());
    let descriptor = wgpu::ShaderModuleDescriptor { label: Some(label), source };
    // SAFETY: the caller guarantees the conditions above.
    unsafe { gpu.device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
}

/// The buffers with the vertices of all polygons, for the plain kernel.
struct World {
    offsets: wgpu::Buffer,
    vertices: wgpu::Buffer,
}

impl World {
    async fn of(gpu: &GpuDevice, set: &PolygonSet) -> Result<Self> {
        let (mut offsets, mut vertices) = (vec![0u32], Vec::new());
        for piece in 0..set.piece_count() {
            vertices.extend(set.piece_vertices(piece).iter().map(|v| v.as_vec2().to_array()));
            offsets.push(vertices.len() as u32);
        }
        Ok(Self {
            offsets: upload(gpu, wgpu::BufferUsages::STORAGE, cast_slice(&offsets)).await?,
            vertices: upload(gpu, wgpu::BufferUsages::STORAGE, cast_slice(&vertices)).await?,
        })
    }
}

pub(super) async fn upload(gpu: &GpuDevice, usage: wgpu::BufferUsages, bytes: &[u8]) -> Result<wgpu::Buffer> {
    let size = bytes.len() as u64;
    let usage = usage | wgpu::BufferUsages::COPY_DST;
    let descriptor =
        wgpu::BufferDescriptor { label: Some("sat2d contest"), size, usage, mapped_at_creation: false };
    gpu.checked(size, || {
        let buffer = gpu.device.create_buffer(&descriptor);
        gpu.queue.write_buffer(&buffer, 0, bytes);
        buffer
    })
    .await
}

pub(super) async fn answers_of_words(gpu: &GpuDevice, words: usize) -> Result<wgpu::Buffer> {
    let size = (words * size_of::<u32>()) as u64;
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let descriptor =
        wgpu::BufferDescriptor { label: Some("sat2d answers"), size, usage, mapped_at_creation: false };
    gpu.checked(size, || gpu.device.create_buffer(&descriptor)).await
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test panics")]
mod tests {
    use sat2d::internal::device::of;
    use sat2d::internal::packed::{Grid, Pieces};
    use sat2d::scenes::Scene;
    use sat2d::{Aabb, Backend, Engine, Iou, Relations};

    use super::*;
    use crate::bench::device::peak::{arithmetic_peak, copy_bandwidth};

    #[test]
    fn a_contest_counts_wrong_answers_and_what_is_moved() {
        let set = PolygonSet::from_convex_rings(&Scene::Boxes.generate(500, 11)).unwrap();
        let packed = Packed::new(
            Pieces::of(&set),
            None,
            Grid::over(set.piece_aabbs().into_iter().fold(Aabb::EMPTY, Aabb::union)),
        );
        let pairs: Vec<[u32; 2]> = (1..set.piece_count() as u32).map(|i| [i - 1, i]).collect();
        let cpu = Engine::new(Backend::Cpu).unwrap();
        let mut truth = cpu.piece_pairs(&set, &set, &pairs).query(Relations).unwrap().items;
        let engine = Engine::new(Backend::Gpu).unwrap();
        let gpu = of(&engine).unwrap();
        let mut ious: Vec<f64> = cpu
            .piece_pairs(&set, &set, &pairs)
            .query(Iou::default())
            .unwrap()
            .iter()
            .map(|overlap| overlap.iou)
            .collect();
        let found = pollster::block_on(contest(gpu, &set, &packed, &pairs, &truth, &ious, 1)).unwrap();
        assert_eq!(found.pair_count, pairs.len());
        let others = usize::from(Lanes::for_codes(&gpu.device) == Lanes::Subgroup);
        assert_eq!(found.contenders.len(), 5 + others);
        for contender in &found.contenders {
            assert_eq!((contender.wrong, contender.uncertain), (0, 0), "{contender:?}");
        }
        // For each pair, the kernel moves two indices of 4 bytes, a code of 2 bits and, for each of the two polygons, 16 bytes
        // and four vertices.
        let count = pairs.len() as u64;
        assert_eq!(found.work.moved, count * (8 + 2 * (16 + 32)) + count.div_ceil(16) * 4);
        assert_eq!(found.work.operations, count * 322);
        assert!(pollster::block_on(arithmetic_peak(gpu, 1)).unwrap() > 1e6);
        truth[0] = match truth[0] {
            Relation::Disjoint => Relation::Overlapping,
            _ => Relation::Disjoint,
        };
        ious[0] = 1.0;
        let found = pollster::block_on(contest(gpu, &set, &packed, &pairs, &truth, &ious, 1)).unwrap();
        assert!(found.contenders.iter().all(|contender| contender.wrong == 1));
    }

    #[test]
    fn a_stuck_device_ends_a_timed_pass_and_a_timed_copy() {
        let engine = Engine::new(Backend::Gpu).unwrap();
        let gpu = of(&engine).unwrap();
        gpu.device.watch.inject(true, Duration::from_millis(120));
        let passes = [
            (pollster::block_on(arithmetic_peak(gpu, 1)), "a timed pass"),
            (pollster::block_on(copy_bandwidth(gpu, 1)), "a timed copy"),
        ];
        for (found, what) in passes {
            let error = found.unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("GPU device: no progress for 120ms while waiting for {what}; ")),
                "{error}"
            );
        }
    }
}
