//! Measures the wall time and the CPU time of runs.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::AnyError;

/// The times of several runs of the same work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    pub(crate) wall: Vec<Duration>,
    /// The CPU time of all threads, for each run.
    pub(crate) cpu: Vec<Duration>,
}

impl Times {
    /// Returns the median of the wall times in seconds. For an even number of runs, the median is the mean of the two middle
    /// times.
    pub(crate) fn median(&self) -> f64 {
        median(&self.wall)
    }

    /// Returns the least wall time in seconds.
    pub(crate) fn least(&self) -> f64 {
        self.wall.iter().min().map_or(0.0, Duration::as_secs_f64)
    }

    /// Returns the median of the CPU times of all threads, in seconds.
    pub(crate) fn cpu_median(&self) -> f64 {
        median(&self.cpu)
    }

    /// Returns all wall times in milliseconds.
    pub(crate) fn wall_milliseconds(&self) -> Vec<f64> {
        self.wall.iter().map(|time| time.as_secs_f64() * 1e3).collect()
    }
}

/// Runs `work` once and adds its times.
pub(crate) fn timed<T, E: Into<AnyError>>(
    times: &mut Times,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, AnyError> {
    let cpu = cpu_time();
    let start = Instant::now();
    let outcome = work();
    times.wall.push(start.elapsed());
    times.cpu.push(cpu_time().saturating_sub(cpu));
    outcome.map_err(Into::into)
}

/// The name and the time of each stage of one run.
pub(crate) type Stages = Vec<(&'static str, Duration)>;

/// Returns the median time of each stage over several runs, in milliseconds.
pub(crate) fn stage_medians(runs: &[Stages]) -> Vec<(&'static str, f64)> {
    let Some(first) = runs.first() else { return Vec::new() };
    let median_of = |(stage, &(name, _)): (usize, &(&'static str, Duration))| {
        let times: Vec<Duration> = runs.iter().map(|run| run[stage].1).collect();
        (name, median(&times) * 1e3)
    };
    first.iter().enumerate().map(median_of).collect()
}

/// Returns the median of the durations in seconds. For an even number of durations, the median is the mean of the two middle
/// ones.
fn median(values: &[Duration]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => sorted[middle].as_secs_f64(),
        _ => (sorted[middle - 1] + sorted[middle]).as_secs_f64() / 2.0,
    }
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_is_the_middle() {
        let seconds = |values: &[u64]| values.iter().copied().map(Duration::from_secs).collect::<Vec<_>>();
        assert_eq!(median(&seconds(&[9, 1, 2])), 2.0);
        assert_eq!(median(&seconds(&[9, 1, 2, 4])), 3.0);
        assert_eq!(median(&[]), 0.0);
    }
}
