//! Runs the stages of one piece of work on several threads.
//!
//! A stage takes microseconds. Waking a thread takes longer, so the threads stay awake between stages, as in Box2D
//! (Catto 2024, "SIMD Matters"). The calling thread leads: it opens one stage after another, takes part in each stage,
//! and waits only for parts that other threads have begun. Whether the other threads join affects only the time.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::base::parallel::{beside, current_num_threads};

/// The number of times that a waiting thread checks for the next stage before it yields the processor to other threads.
const PATIENCE: u32 = 4096;

/// The value of [`Crew::stage`] after the last stage.
const OVER: usize = usize::MAX;

/// Calls `run(stage, part)` for every part of every stage. `parts` has the number of parts of each stage. Parts of one
/// stage run on any threads of the current pool, in any order. No part runs before all parts of the previous stage have
/// ended.
pub(crate) fn go_through(parts: &[usize], run: impl Fn(usize, usize) + Sync) {
    let most = parts.iter().copied().max().unwrap_or(0);
    let threads = current_num_threads().min(most);
    if threads <= 1 {
        for (stage, &parts) in parts.iter().enumerate() {
            (0..parts).for_each(|part| run(stage, part));
        }
        return;
    }
    let crew = Crew {
        parts,
        run: &run,
        stage: AtomicUsize::new(OVER - 1),
        taken: (0..most).map(|_| AtomicUsize::new(0)).collect(),
        ended: AtomicUsize::new(0),
    };
    beside(threads - 1, |helper| crew.help(helper + 1, threads), || crew.lead());
}

struct Crew<'a, F> {
    parts: &'a [usize],
    run: &'a F,
    /// The index of the stage whose parts the threads may take, or [`OVER`] after the last stage.
    stage: AtomicUsize,
    /// For each part index, the latest stage in which a thread took this part. Stages count from 1, and 0 means no
    /// stage.
    taken: Vec<AtomicUsize>,
    /// The number of parts that have ended, over all stages with several parts. A part that panicked also counts.
    ended: AtomicUsize,
}

impl<F: Fn(usize, usize) + Sync> Crew<'_, F> {
    fn lead(&self) {
        // The guard also runs if a part panics. Otherwise, the helpers would wait forever.
        let _over = OnDrop(|| self.stage.store(OVER, Ordering::Release));
        let mut opened = 0;
        for (stage, &parts) in self.parts.iter().enumerate() {
            if parts <= 1 {
                (0..parts).for_each(|part| (self.run)(stage, part));
                continue;
            }
            self.stage.store(stage, Ordering::Release);
            self.take(stage, 0);
            opened += parts;
            let mut looks = 0;
            while self.ended.load(Ordering::Acquire) < opened {
                wait(&mut looks);
            }
        }
    }

    fn help(&self, helper: usize, threads: usize) {
        let mut last = OVER - 1;
        let mut looks = 0;
        loop {
            let stage = self.stage.load(Ordering::Acquire);
            if stage == OVER {
                return;
            }
            if stage == last {
                wait(&mut looks);
                continue;
            }
            (last, looks) = (stage, 0);
            // In every stage, a thread starts at the same fraction of the parts, because its caches hold the data of
            // these parts.
            self.take(stage, helper * self.parts[stage] / threads);
        }
    }

    /// Runs the parts of a stage that no other thread has taken. Begins with the part `first` and goes on to the last part,
    /// and then from part 0 to the part before `first`.
    fn take(&self, stage: usize, first: usize) {
        let parts = self.parts[stage];
        for part in (first..parts).chain(0..first) {
            // If all parts of this stage have ended, a later stage may have begun. Each entry of `taken` is then at
            // least `stage + 1`, so this loop takes no part.
            if self.taken[part].fetch_max(stage + 1, Ordering::Relaxed) <= stage {
                let _ended = OnDrop(|| {
                    self.ended.fetch_add(1, Ordering::Release);
                });
                (self.run)(stage, part);
            }
        }
    }
}

fn wait(looks: &mut u32) {
    *looks += 1;
    if *looks < PATIENCE { spin_loop() } else { std::thread::yield_now() }
}

/// Calls a function when the value is dropped, even if the thread panics.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    fn with_threads<T: Send>(count: usize, run: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("a pool").install(run)
    }

    #[test]
    fn every_part_runs_once_after_all_of_the_stage_before() {
        let parts: Vec<usize> = (0..500).map(|stage| stage * 7 % 11).collect();
        for threads in [1, 2, 5] {
            let runs: Vec<Vec<AtomicUsize>> =
                parts.iter().map(|&n| (0..n).map(|_| AtomicUsize::new(0)).collect()).collect();
            with_threads(threads, || {
                go_through(&parts, |stage, part| {
                    for before in &runs[..stage] {
                        assert!(before.iter().all(|run| run.load(Ordering::Relaxed) == 1));
                    }
                    runs[stage][part].fetch_add(1, Ordering::Relaxed);
                });
            });
            assert!(runs.iter().flatten().all(|run| run.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn a_part_that_panics_ends_it_all() {
        for bad in [0, 3, 7] {
            let result = catch_unwind(AssertUnwindSafe(|| {
                with_threads(2, || go_through(&[8; 3], |stage, part| assert!((stage, part) != (1, bad))));
            }));
            assert!(result.is_err());
        }
    }

    #[test]
    fn threads_that_are_busy_are_not_waited_for() {
        let (is_done, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
        with_threads(2, || {
            rayon::scope(|scope| {
                scope.spawn(|_| {
                    while is_done.load(Ordering::Acquire) == 0 {
                        spin_loop();
                    }
                });
                go_through(&[4; 10], |_, part| {
                    sum.fetch_add(part, Ordering::Relaxed);
                });
                is_done.store(1, Ordering::Release);
            });
        });
        assert_eq!(sum.into_inner(), 60);
    }
}
