//! Measures the break-even point of the GPU on this machine: the number of candidate pairs above which the GPU is
//! faster than the CPU.

use crate::kernels::backends::Backends;
use std::time::Duration;

use crate::answers::backend::{Backend, Choice};
use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::geometry::PolygonSet;
use crate::kernels::proposer::{Hint, Lists};
use crate::queries::kinds::Relations;

/// The numbers of pairs that the trials decide, in ascending order.
const TRIAL_PAIRS: [usize; 4] = [1 << 12, 1 << 14, 1 << 16, 1 << 18];
/// The number of times that a trial runs on each backend. The least time counts, because the first run of a pipeline
/// also compiles the pipeline.
const RUNS: usize = 3;

/// Measures the break-even point: a number of pairs that the engine's GPU packs, decides and reads back in no more time than the
/// CPU needs. Returns a device error if the GPU fails. The result is the number of pairs of the first trial in which the GPU was
/// at least as fast as the CPU. If no trial shows this, the number is extrapolated from the last two trials. It is `u64::MAX` if
/// the extrapolation shows no break-even point.
pub(crate) async fn break_even(backends: &Backends) -> Result<u64> {
    let mut last = [Duration::ZERO; 2];
    for (trial, pairs) in TRIAL_PAIRS.into_iter().enumerate() {
        let times = [time(backends, Backend::Gpu, pairs).await?, time(backends, Backend::Cpu, pairs).await?];
        if times[0] <= times[1] {
            return Ok(pairs as u64);
        }
        if trial + 1 == TRIAL_PAIRS.len() {
            return Ok(extrapolated(pairs, last, times));
        }
        last = times;
    }
    Ok(u64::MAX)
}

/// Extrapolates the break-even point. For each backend, a line through the last two trials gives the time for any
/// number of pairs. Returns the number of pairs at which the two lines meet, or `u64::MAX` if the CPU's line is not
/// steeper. `last` has the times of the last trial, first on the GPU and then on the CPU. This trial has `pairs` pairs.
/// `before` has the times of the trial before, which has a quarter of the pairs.
fn extrapolated(pairs: usize, before: [Duration; 2], last: [Duration; 2]) -> u64 {
    let [gpu, cpu] = [
        (last[0].as_secs_f64() - before[0].as_secs_f64()) / (0.75 * pairs as f64),
        (last[1].as_secs_f64() - before[1].as_secs_f64()) / (0.75 * pairs as f64),
    ];
    let lead = last[0].as_secs_f64() - last[1].as_secs_f64();
    if cpu > gpu { (pairs as f64 + lead / (cpu - gpu)).min(u64::MAX as f64) as u64 } else { u64::MAX }
}

/// Measures the least time in which a backend decides `pairs` pairs of octagons. Returns a device error if the GPU
/// fails. The octagons lie in rows of 256. Octagon `i` forms a pair with each of the octagons `i + 1`, `i + 2` and
/// `i + 3`.
async fn time(backends: &Backends, backend: Backend, pairs: usize) -> Result<Duration> {
    let octagon = |i: usize| {
        let (x, y) = ((i % 256) as f64 * 0.75, (i / 256) as f64);
        [[0.3, 0.0], [0.7, 0.0], [1.0, 0.3], [1.0, 0.7], [0.7, 1.0], [0.3, 1.0], [0.0, 0.7], [0.0, 0.3]]
            .map(|[dx, dy]| [x + dx, y + dy])
    };
    let count = pairs.div_ceil(3) + 3;
    let set = PolygonSet::from_convex_rings(&(0..count).map(octagon).collect::<Vec<_>>())?;
    let list: Vec<[u32; 2]> = (0..pairs as u32).map(|k| [k / 3, k / 3 + 1 + k % 3]).collect();
    let mut least = Duration::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        let choice = Choice { backend, adapter: None, reason: String::new() };
        backends
            .prepare_on(choice, [&set, &set], Lists::One, Hint::RELATIONS)
            .await?
            .piece_pairs(&list)
            .query_async(Relations)
            .await?;
        least = least.min(start.elapsed());
    }
    Ok(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_meet_beyond_the_last_trial_or_never() {
        let ms = |x| Duration::from_millis(x);
        // For n pairs, the GPU takes 10 + n / 100 ms and the CPU takes n / 50 ms.
        assert_eq!(extrapolated(400, [ms(11), ms(2)], [ms(14), ms(8)]), 1000);
        assert_eq!(extrapolated(400, [ms(11), ms(2)], [ms(20), ms(8)]), u64::MAX);
    }
}
