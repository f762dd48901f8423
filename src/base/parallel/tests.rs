use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::prelude::*;
use super::{in_parts, is_one_part};

/// Calls `test` on pools of several sizes.
fn on_pools(test: impl Fn() + Send + Sync) {
    for threads in [1, 2, 3, 8] {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&test);
    }
}

const COUNTS: [usize; 8] = [0, 1, 2, 3, 17, 64, 1000, 4099];

/// Yields the thread at some indices, so that other threads can steal tasks.
fn dawdle(at: usize) {
    if at.is_multiple_of(97) {
        std::thread::yield_now();
    }
}

#[test]
fn ranges_cover_each_number_once_and_keep_their_lengths() {
    on_pools(|| {
        for count in COUNTS {
            for (least, most) in [(1, usize::MAX), (1, 1), (5, usize::MAX), (100, usize::MAX), (1, 10)] {
                let (seen, ranges) = (Mutex::new(vec![0; count]), Mutex::new(Vec::new()));
                in_parts(count, least, most, &|range| {
                    range.clone().for_each(dawdle);
                    ranges.lock().unwrap().push(range.len());
                    seen.lock().unwrap()[range].iter_mut().for_each(|seen| *seen += 1);
                });
                let ranges = ranges.into_inner().unwrap();
                assert_eq!(seen.into_inner().unwrap(), vec![1; count]);
                assert!(ranges.iter().all(|&len| len > 0 && len >= least.min(count)), "{ranges:?}");
                if is_one_part(count, least) {
                    assert_eq!(ranges.len(), count.min(1));
                } else {
                    assert!(ranges.len() > 1);
                    assert!(most > 10 || ranges.iter().all(|&len| len < 2 * most), "{ranges:?}");
                }
            }
        }
    });
}

/// Tests that a loop with one task runs on the calling thread.
#[test]
fn short_loops_stay_on_their_thread() {
    on_pools(|| {
        let here = std::thread::current().id();
        (0..31).into_par_iter().with_min_len(16).for_each(|at| {
            dawdle(at);
            assert_eq!(std::thread::current().id(), here);
        });
    });
}

#[test]
fn loops_are_those_of_the_standard_library() {
    on_pools(|| {
        for count in COUNTS {
            let values: Vec<usize> = (0..count).map(|k| k * 7919 % 1009).collect();
            let odd = |value: &usize| value % 2 == 1;
            let mapped = values.par_iter().enumerate().map(|(at, value)| {
                dawdle(at);
                (at, value + 1)
            });
            assert_eq!(
                mapped.collect(),
                values.iter().map(|value| value + 1).enumerate().collect::<Vec<_>>()
            );
            assert_eq!(
                values.par_iter().map(|&v| v as u64).sum(),
                values.iter().map(|&v| v as u64).sum::<u64>()
            );
            assert_eq!(
                values.clone().into_par_iter().filter(odd).collect(),
                values.iter().copied().filter(odd).collect::<Vec<_>>()
            );
            assert_eq!(
                values.par_iter().filter(|v| odd(v)).count(),
                values.iter().filter(|v| odd(v)).count()
            );
            let mut appended = vec![9];
            let twice = |&value: &usize| [value; 2].into_iter().take(value % 3);
            values.par_iter().flat_map_iter(twice).collect_into(&mut appended);
            assert_eq!(appended, [9].into_iter().chain(values.iter().flat_map(twice)).collect::<Vec<_>>());
            values.par_iter().map(|v| v + 2).collect_into(&mut appended);
            assert!(appended.ends_with(&values.iter().map(|v| v + 2).collect::<Vec<_>>()));
            // The concatenation of strings is associative, but not commutative.
            let joined = (0..count).into_par_iter().map(|k| k.to_string()).reduce_with(|a, b| a + &b);
            assert_eq!(joined, (0..count).map(|k| k.to_string()).reduce(|a, b| a + &b));
            for wanted in [0, 1, 500, 1008] {
                let place = values.iter().position(|&value| value == wanted);
                assert_eq!(values.par_iter().position_first(|&value| value == wanted), place);
                assert_eq!(values.par_iter().any(|&value| value == wanted), place.is_some());
                let at_least = |(at, &value): (usize, &usize)| (value >= wanted).then_some((at, value));
                assert_eq!(
                    values.par_iter().enumerate().find_map_first(at_least),
                    values.iter().enumerate().find_map(at_least)
                );
            }
        }
    });
}

#[test]
fn chunks_zips_and_chains_are_those_of_the_standard_library() {
    on_pools(|| {
        for count in COUNTS {
            for size in [1, 3, 64] {
                let values: Vec<usize> = (0..count).collect();
                let (mut doubled, mut sums) = (vec![0; count], vec![0; count.div_ceil(size)]);
                let chunks = values.par_chunks(size).zip(doubled.par_chunks_mut(size)).zip(&mut sums);
                chunks.for_each(|((values, doubled), sum)| {
                    for (value, doubled) in values.iter().zip(doubled) {
                        *doubled = 2 * value;
                        *sum += value;
                    }
                });
                assert_eq!(doubled, values.iter().map(|value| 2 * value).collect::<Vec<_>>());
                assert_eq!(sums, values.chunks(size).map(|c| c.iter().sum()).collect::<Vec<usize>>());
                let other = &doubled[..count.min(size)];
                let chained = values.par_iter().chain(other).with_max_len(1).collect();
                assert_eq!(chained, values.iter().chain(other).collect::<Vec<_>>());
                // Each of the two sides may be shorter.
                let expected: Vec<_> = values.iter().zip(other).collect();
                assert_eq!(values.par_iter().zip(other).collect(), expected);
                let swapped = other.par_iter().zip(&values).map(|(a, b)| (b, a)).collect();
                assert_eq!(swapped, expected);
                let (short, longer) = (other.par_chunks(2), values.par_chunks(2));
                assert_eq!(longer.zip(short).count_of(), other.len().div_ceil(2) as u64);
                let (mut a, mut b) = (values.clone(), values.clone());
                a.par_iter_mut().chain(&mut b).zip(&values).for_each(|(a, &value)| *a = value + 1);
                assert_eq!(a, (1..=count).collect::<Vec<_>>());
                assert_eq!(b, values);
            }
        }
    });
}

impl<S: super::Source> super::Loop<S> {
    fn count_of(self) -> u64 {
        self.map(|_| 1).sum()
    }
}

#[test]
fn each_task_makes_its_state() {
    on_pools(|| {
        let states = AtomicUsize::new(0);
        let (init, seen) = (|| states.fetch_add(1, Ordering::Relaxed), Mutex::new(HashSet::new()));
        (0..1000).into_par_iter().for_each_init(init, |state, at| {
            seen.lock().unwrap().insert((*state, at));
        });
        assert_eq!(seen.lock().unwrap().len(), 1000);
        let squares = (0..1000usize).into_par_iter().collect_init(Vec::new, |state, at| {
            state.push(at);
            assert!(state.windows(2).all(|two| two[0] + 1 == two[1]));
            at * at
        });
        assert_eq!(squares, (0..1000).map(|at| at * at).collect::<Vec<_>>());
    });
}

/// Counts how often values are dropped.
struct Counted<'a>(&'a AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn owned_values_are_dropped_once() {
    on_pools(|| {
        for count in COUNTS {
            let drops = AtomicUsize::new(0);
            let values = || (0..count).map(|_| Counted(&drops)).collect::<Vec<_>>();
            values().into_par_iter().for_each(drop);
            assert_eq!(drops.swap(0, Ordering::Relaxed), count);
            let kept = values().into_par_iter().map(|value| value).collect();
            assert_eq!((kept.len(), drops.load(Ordering::Relaxed)), (count, 0));
            drop(kept);
            assert_eq!(drops.swap(0, Ordering::Relaxed), count);
            // Values beyond the shorter side are dropped too.
            values().into_par_iter().zip(0..count / 2).for_each(|(value, _)| drop(value));
            assert_eq!(drops.swap(0, Ordering::Relaxed), count);
        }
    });
}

#[test]
fn a_panic_reaches_the_caller() {
    on_pools(|| {
        let mut values = vec![String::from("first")];
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let made = (0..1000).into_par_iter().map(|at| {
                assert!(at != 700, "wanted");
                at.to_string()
            });
            made.collect_into(&mut values);
        }));
        assert!(caught.is_err());
        assert_eq!(values, ["first"]);
    });
}

#[test]
fn sorts_are_those_of_the_standard_library() {
    on_pools(|| {
        for count in COUNTS.into_iter().chain([100_000]) {
            let values: Vec<(u32, u32)> =
                (0..count as u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 20, k)).collect();
            let mut expected = values.clone();
            expected.sort_unstable();
            let [mut plain, mut by, mut by_key] = [values.clone(), values.clone(), values];
            plain.par_sort_unstable();
            by.par_sort_unstable_by(|a, b| b.cmp(a));
            by_key.par_sort_unstable_by_key(|&(value, _)| value);
            assert_eq!(plain, expected);
            by.reverse();
            assert_eq!(by, expected);
            assert!(by_key.is_sorted_by_key(|&(value, _)| value));
            by_key.sort_unstable();
            assert_eq!(by_key, expected);
        }
    });
}
