//! Advances worlds by steps, one world or several at once.

use pyo3::prelude::*;
use rayon::prelude::*;
use sat2d::sim::StepReport;
use sat2d::{Backend, Error, sim};

use crate::bodies::number_of;
use crate::failure::Failure;
use crate::run::{Threads, Watch, locked, run};
use crate::world::{State, World};

/// The number of steps that a device takes between two checks for signals. A device takes several steps in one submission.
const DEVICE_STEPS: u64 = 32;

/// The report of steps: the numbers of steps, of candidate pairs and of contacts, and the time of each stage in seconds.
pub(crate) type Report = (u64, u64, u64, [f64; 5]);

/// Advances several worlds by the same number of steps. The worlds are spread over the threads.
#[pyfunction]
#[pyo3(signature = (worlds, dt, steps, *, threads))]
pub(crate) fn step_worlds(
    py: Python<'_>,
    worlds: Vec<PyRef<'_, World>>,
    dt: f64,
    steps: u64,
    threads: Threads,
) -> PyResult<Vec<Report>> {
    // Every call locks the worlds in the order of their addresses. Two calls therefore never wait for each other.
    let place = |&k: &usize| &raw const *worlds[k];
    let mut in_order: Vec<usize> = (0..worlds.len()).collect();
    in_order.sort_unstable_by_key(place);
    if in_order.windows(2).any(|two| place(&two[0]) == place(&two[1])) {
        return Err(Failure::Option("worlds name a world twice; name each once".into()).raise(py));
    }
    let mut guards: Vec<_> = worlds.iter().map(|_| None).collect();
    for k in in_order {
        guards[k] = Some(locked(py, &worlds[k].state)?);
    }
    let mut states: Vec<&mut State> = guards.iter_mut().flatten().map(|state| &mut **state).collect();
    let reports = run(py, threads, |watch| {
        let step = |(world, state): (usize, &mut &mut State)| {
            state
                .work(|state| stepped(&mut state.world, dt, steps, watch))
                .map_err(|failure| failure.of_world(world))
        };
        let results: Vec<Result<StepReport, Failure>> = states.par_iter_mut().enumerate().map(step).collect();
        results.into_iter().collect::<Result<Vec<StepReport>, Failure>>()
    })?;
    Ok(reports.iter().map(summary).collect())
}

/// Advances a world by `steps` steps. A cancelled call stops between two steps, or between two submissions to a device.
pub(crate) fn stepped(
    world: &mut sim::World,
    dt: f64,
    steps: u64,
    watch: &Watch,
) -> Result<StepReport, Failure> {
    let chunk = if world.choice().backend == Backend::Gpu { DEVICE_STEPS } else { 1 };
    let mut report = world.steps(0, dt)?;
    while report.steps < steps && !watch.is_cancelled() {
        let (before, times) = (report.steps, report.times);
        report = world.steps(chunk.min(steps - before), dt).map_err(|error| left(world, error))?;
        report.steps += before;
        report.times += times;
    }
    Ok(report)
}

/// Converts the error of a step to a failure. If a body left the world, the failure has the id of this body.
fn left(world: &sim::World, error: Error) -> Failure {
    match error {
        Error::LeftWorld { slot, .. } => {
            let body = world.body_at(slot as usize).map_or(i64::from(slot), number_of);
            Failure::LeftWorld { body, error }
        }
        error => error.into(),
    }
}

pub(crate) fn summary(report: &StepReport) -> Report {
    let times = &report.times;
    let times = [times.broad_phase, times.narrow_phase, times.prepare, times.solve, times.finish];
    (report.steps, report.candidates, report.contacts, times.map(|time| time.as_secs_f64()))
}
