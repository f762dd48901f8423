//! The plan of a benchmark: which measurements run, in which order, and how often. If there is not enough time, the
//! plan leaves out measurements.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::contender::Contender;
use sat2d::scenes::Scene;

/// The sizes that are measured by default.
pub(super) const COUNTS: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// The sizes, the numbers of runs and the time limits of a benchmark.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) scenes: Vec<Scene>,
    pub(super) counts: Vec<usize>,
    /// The number of timed runs of each contender. If `None`, a contender has as many runs as fit in [`Plan::round_time`].
    pub(super) repeats: Option<usize>,
    /// The largest number of polygons in the scenes that a software adapter measures.
    software_limit: usize,
    /// The time limit of a round, for the runs of all contenders together. Each contender still has at least `least_repeats`
    /// runs.
    round_time: Duration,
    /// The least number of timed runs of each contender in a round.
    least_repeats: usize,
    /// The greatest number of timed runs of each contender in a round.
    most_repeats: usize,
    /// Whether the caller named the numbers of polygons.
    counts_are_named: bool,
    /// The time at which the benchmark began.
    start: Instant,
    /// The time limit of the whole benchmark.
    budget: Duration,
    /// For each scene and contender: the last measured number of polygons, and the total time of the contender's first
    /// runs with this number.
    seen: HashMap<(Scene, String), (usize, Duration)>,
}

impl Plan {
    /// Creates a plan. `counts` are the numbers of polygons that the user named, or `None`. A software adapter is measured on
    /// all numbers that the user named. If the user named none, it is measured only on small scenes.
    pub(super) fn new(
        is_quick: bool,
        scenes: Vec<Scene>,
        counts: Option<Vec<usize>>,
        repeats: Option<usize>,
        budget: Duration,
    ) -> Self {
        let (software_limit, round_time, least_repeats, most_repeats) = if is_quick {
            (10_000, Duration::from_millis(300), 3, 9)
        } else {
            (100_000, Duration::from_millis(1500), 5, 25)
        };
        let counts_are_named = counts.is_some();
        let software_limit = if counts_are_named { usize::MAX } else { software_limit };
        let shipped = if is_quick { &COUNTS[..3] } else { &COUNTS };
        Self {
            scenes,
            counts: counts.unwrap_or_else(|| shipped.to_vec()),
            repeats,
            software_limit,
            round_time,
            least_repeats,
            most_repeats,
            counts_are_named,
            start: Instant::now(),
            budget,
            seen: HashMap::new(),
        }
    }

    /// Returns a line for each restriction of `--quick`: the sizes that it leaves out, and the smaller number of runs.
    pub(super) fn left_out(&self, is_quick: bool) -> Vec<String> {
        if !is_quick {
            return Vec::new();
        }
        let mut lines = Vec::new();
        let missing: Vec<String> = COUNTS
            .iter()
            .filter(|count| !self.counts_are_named && !self.counts.contains(count))
            .map(|&count| with_commas(count as u64))
            .collect();
        if !missing.is_empty() {
            lines.push(format!("--quick leaves out {} polygons", missing.join(", ")));
        }
        if self.repeats.is_none() {
            lines.push(format!(
                "--quick repeats each run {} to {} times instead of 5 to 25",
                self.least_repeats, self.most_repeats
            ));
        }
        lines
    }

    /// Returns the scene and the number of polygons of each round. All scenes of a size come before the next size, so a short
    /// budget leaves out the largest sizes.
    pub(super) fn rounds(&self) -> Vec<(Scene, usize)> {
        self.counts.iter().flat_map(|&count| self.scenes.iter().map(move |&scene| (scene, count))).collect()
    }

    /// Returns the reason why a contender is not measured in a round, or `None` if it is measured.
    pub(super) fn refusal(&self, scene: Scene, count: usize, contender: &Contender) -> Option<String> {
        let count_text = with_commas(count as u64);
        if contender.is_software() && count > self.software_limit {
            return Some(format!(
                "{}, {count_text} polygons: a software adapter is measured up to {}; name the size with --count to measure it",
                contender.name,
                with_commas(self.software_limit as u64)
            ));
        }
        let what = format!("{}, {scene}, {count_text} polygons", contender.name);
        let needed = self.estimate(scene, count, contender) * (1 + self.least_runs() as u32);
        let left = self.budget.saturating_sub(self.start.elapsed());
        (needed > left || left.is_zero()).then(|| {
            format!(
                "{what}: would take {:.0} s, but {:.0} s of {:.0} are left; raise --budget",
                needed.as_secs_f64().ceil(),
                left.as_secs_f64(),
                self.budget.as_secs_f64()
            )
        })
    }

    fn least_runs(&self) -> usize {
        self.repeats.unwrap_or(self.least_repeats)
    }

    /// Estimates the time of a contender's first runs on a scene with `count` polygons. The estimate is their time at
    /// the last measured size, times the ratio of the two sizes, times 1.2. Returns 0 if no earlier size was measured.
    fn estimate(&self, scene: Scene, count: usize, contender: &Contender) -> Duration {
        let Some((seen_count, total)) = self.seen.get(&(scene, contender.name.clone())) else {
            return Duration::ZERO;
        };
        total.mul_f64(1.2 * count as f64 / (*seen_count).max(1) as f64)
    }

    /// Records the total time of a contender's first runs in a round.
    pub(super) fn saw(&mut self, scene: Scene, count: usize, contender: &Contender, total: Duration) {
        self.seen.insert((scene, contender.name.clone()), (count, total));
    }

    /// Returns the number of timed runs of each contender in a round. `each` is the sum of the times of one run of
    /// every contender.
    pub(super) fn repeats(&self, each: Duration) -> usize {
        self.repeats.unwrap_or_else(|| {
            let fit = self.round_time.as_secs_f64() / each.as_secs_f64().max(1e-6);
            (fit as usize).clamp(self.least_repeats, self.most_repeats)
        })
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

/// Formats a number with commas, such as 1,234,567.
pub(super) fn with_commas(number: u64) -> String {
    indicatif::HumanCount(number).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_and_quick_says_what_it_leaves_out() {
        let budget = Duration::from_secs(10);
        let plan = |is_quick| Plan::new(is_quick, vec![Scene::Boxes, Scene::Crowd], None, None, budget);
        assert_eq!(plan(false).rounds().len(), 8);
        assert_eq!(plan(false).rounds()[1], (Scene::Crowd, 1_000));
        assert!(plan(false).left_out(false).is_empty());
        assert_eq!(plan(true).counts, [1_000, 10_000, 100_000]);
        assert_eq!(plan(true).left_out(true)[0], "--quick leaves out 1,000,000 polygons");
        let named = Plan::new(true, vec![Scene::Boxes], Some(vec![77]), Some(1), budget);
        assert!(named.left_out(true).is_empty());
    }

    #[test]
    fn short_runs_are_repeated_more() {
        let plan = Plan::new(false, vec![], None, None, Duration::ZERO);
        assert_eq!(plan.repeats(Duration::from_millis(1)), 25);
        assert_eq!(plan.repeats(Duration::from_millis(150)), 10);
        assert_eq!(plan.repeats(Duration::from_secs(9)), 5);
        assert_eq!(Plan::new(true, vec![], None, Some(2), Duration::ZERO).repeats(Duration::ZERO), 2);
    }
}
