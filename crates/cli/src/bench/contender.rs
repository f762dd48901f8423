//! The contenders of a benchmark: the CPU with each number of threads, and each adapter.

use std::time::{Duration, Instant};

use super::candidates::{self, Candidates};
use super::expected::Answer;
use super::machine;
use super::measure::Round;
use super::report::{
    AdapterReport, HITS_STAGES, KernelRow, STAGES, Span, Timeline, hits_stage_times, stage_times,
};
use crate::Threads;
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use sat2d::internal::device::of as kernels_of;
use sat2d::{Backend, Engine, Hits, PolygonSet, Prepared, Relations};

/// The name of the contender that is the CPU with all threads. Adapters are compared with this contender.
pub(super) const ALL_THREADS: &str = "cpu-all";

/// The backends that the benchmark measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Backends {
    /// Only the CPU.
    Cpu,
    /// Every adapter, without the CPU.
    Gpu,
    /// The CPU and every adapter.
    All,
}

/// One contender: an engine, and the thread pool in which the engine works.
#[derive(Debug)]
pub(super) struct Contender {
    /// The name, such as `cpu-1`, `cpu-all` or `gpu-0`.
    pub(super) name: String,
    pub(super) threads: usize,
    /// The adapter, or `None` for the CPU.
    pub(super) adapter: Option<AdapterReport>,
    engine: Engine,
    pool: Threads,
}

/// The times and the answer of one run of a self-join.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) total: Duration,
    /// The CPU time of all threads, or `None` if the system does not report it.
    pub(super) cpu_time: Option<Duration>,
    pub(super) stages: [Duration; STAGES.len()],
    /// The kernel's time by the device's clock, or `None` if the device does not report it.
    pub(super) kernel_on_device: Option<Duration>,
    pub(super) uncertain: u64,
    pub(super) answer: Answer,
}

/// The measurements of one run from candidate pairs to hits.
#[derive(Debug)]
pub(super) struct HitsRun {
    pub(super) total: Duration,
    pub(super) stages: [Duration; HITS_STAGES.len()],
    /// The kernel's time by the device's clock, or `None` if the device does not report it.
    pub(super) kernel_on_device: Option<Duration>,
    pub(super) answer: Answer,
}

impl Contender {
    fn new(name: String, threads: usize, engine: Engine, adapter: Option<AdapterReport>) -> Result<Self> {
        Ok(Self { name, threads, adapter, engine, pool: Threads::new(threads)? })
    }

    pub(super) fn is_software(&self) -> bool {
        self.adapter.as_ref().is_some_and(|adapter| !adapter.is_hardware)
    }

    /// Measures one self-join, from rings in memory to sorted pairs in memory. Returns the errors of the set and of the join.
    pub(super) fn join(&self, rings: &[Vec<[f64; 2]>]) -> Result<Run> {
        let (join, set_time, total, cpu_time) = self.pool.run(|| {
            let cpu_start = machine::cpu_time();
            let start = Instant::now();
            let set = PolygonSet::from_convex_rings(rings)?;
            let set_time = start.elapsed();
            let join = self.engine.self_join(&set).query(Relations)?;
            let total = start.elapsed();
            let cpu_time = machine::cpu_time().zip(cpu_start).map(|(end, start)| end.saturating_sub(start));
            Ok::<_, Error>((join, set_time, total, cpu_time))
        })?;
        Ok(Run {
            total,
            cpu_time,
            stages: stage_times(set_time, &join.timings),
            kernel_on_device: join.timings.kernel_on_device,
            uncertain: join.counts.uncertain,
            answer: Answer::of(&join),
        })
    }

    /// Prepares the set of the candidate pairs for queries. Returns the errors of [`Engine::prepare`].
    pub(super) fn prepare<'a>(&'a self, candidates: &'a Candidates) -> Result<Prepared<'a>> {
        Ok(self.pool.run(|| self.engine.prepare(&candidates.set, &candidates.set))?)
    }

    /// Measures one run from candidate pairs in memory to hits in memory. Returns the errors of the query.
    pub(super) fn hits(&self, prepared: &mut Prepared<'_>, candidates: &Candidates) -> Result<HitsRun> {
        let (hits, total) = self.pool.run(|| {
            let start = Instant::now();
            let hits = prepared.piece_pairs(&candidates.pairs).query(Hits { keep: candidates::KEEP })?;
            Ok::<_, Error>((hits, start.elapsed()))
        })?;
        Ok(HitsRun {
            total,
            stages: hits_stage_times(&hits.timings),
            kernel_on_device: hits.timings.kernel_on_device,
            answer: candidates.answer(&hits),
        })
    }

    /// Returns the bytes read and written per second by a large copy, on the device for a GPU and on the host for the CPU.
    /// Returns `None` if the device fails.
    pub(super) fn copy_bytes_per_second(&self) -> Option<f64> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = kernels_of(&self.engine) {
            return super::device::copy_bytes_per_second(gpu).ok();
        }
        Some(self.pool.run(machine::copy_bytes_per_second))
    }

    /// Returns the number of f32 operations per second without memory loads. Returns `None` for the CPU, and if the device fails.
    pub(super) fn operations_per_second(&self) -> Option<f64> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = kernels_of(&self.engine) {
            return super::device::operations_per_second(gpu).ok();
        }
        None
    }

    /// Measures dispatches of the relation kernel and of the plain kernel. Returns `None` for the CPU, and an error if a query or
    /// the device fails.
    #[cfg_attr(not(feature = "gpu"), allow(unused_variables))]
    pub(super) fn kernels(&self, round: &Round) -> Result<Option<KernelRow>> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = kernels_of(&self.engine) {
            return self.pool.run(|| super::device::kernels(gpu, &self.name, round)).map(Some);
        }
        Ok(None)
    }

    /// Runs one join, and returns the beginning and the end of each stage of each chunk. Returns `None` for the CPU, and an
    /// error if the join fails.
    pub(super) fn timeline(&self, round: &Round) -> Result<Option<Timeline>> {
        if self.adapter.is_none() {
            return Ok(None);
        }
        let join = self.pool.run(|| {
            let set = PolygonSet::from_convex_rings(&round.rings)?;
            self.engine.self_join(&set).query(Relations)
        })?;
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let spans = join.timeline.iter().map(|span| Span {
            chunk: span.chunk as usize,
            stage: span.stage.into(),
            start_ms: milliseconds(span.begin),
            end_ms: milliseconds(span.end),
        });
        Ok(Some(Timeline {
            scene: round.scene.name().into(),
            count: round.count,
            contender: self.name.clone(),
            spans: spans.collect(),
        }))
    }
}

/// Returns the contenders of the given backends, the CPU first, and a line for each adapter that cannot be used. A thread count
/// of 0 stands for all threads. Returns an error if a contender cannot be created, or if only the GPU is requested and no
/// adapter can be used.
pub(super) fn contenders(backends: Backends, threads: &[usize]) -> Result<(Vec<Contender>, Vec<String>)> {
    let all = rayon::current_num_threads();
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    if backends != Backends::Gpu {
        let mut counts: Vec<usize> = threads.iter().map(|&t| if t == 0 { all } else { t }).collect();
        counts.sort_unstable();
        counts.dedup();
        for threads in counts {
            let name = if threads == all { ALL_THREADS.into() } else { format!("cpu-{threads}") };
            found.push(Contender::new(name, threads, Engine::new(Backend::Cpu)?, None)?);
        }
    }
    if backends != Backends::Cpu {
        let (devices, without) = on_adapters(all)?;
        if let (Backends::Gpu, [], Some(reason)) = (backends, &devices[..], without.first()) {
            return Err(sat2d::Error::NoAdapter { reason: reason.clone() }.into());
        }
        found.extend(devices);
        missing = without;
    }
    Ok((found, missing))
}

#[cfg(feature = "gpu")]
fn on_adapters(threads: usize) -> Result<(Vec<Contender>, Vec<String>)> {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for (index, (adapter, engine)) in
        pollster::block_on(sat2d::internal::device::engines()).into_iter().enumerate()
    {
        let name = format!("gpu-{index}");
        match engine {
            Err(error) => missing.push(format!("{name}, {}: {error}", adapter.name)),
            Ok(engine) => {
                let report = AdapterReport {
                    contender: name.clone(),
                    name: adapter.name,
                    interface: adapter.interface,
                    driver: adapter.driver,
                    is_hardware: adapter.is_hardware,
                    copy_bytes_per_second: None,
                    operations_per_second: None,
                };
                found.push(Contender::new(name, threads, engine, Some(report))?);
            }
        }
    }
    if found.is_empty() && missing.is_empty() {
        missing.push("no adapter was found".into());
    }
    Ok((found, missing))
}

#[cfg(not(feature = "gpu"))]
fn on_adapters(_: usize) -> Result<(Vec<Contender>, Vec<String>)> {
    Ok((Vec::new(), vec!["built without the `gpu` feature; build with it".into()]))
}
