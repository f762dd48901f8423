//! Loops over all threads of the current `rayon` pool.
//!
//! A loop consists of a [`Source`] of numbered values and a closure. The methods have the same names and meanings as in `rayon`.
//! Each loop compiles to one closure over a range of indices. [`in_parts`] distributes ranges over threads, and is compiled only
//! once. In a browser without shared memory, the library runs on one thread, and the closure runs once, with the whole range.

mod adaptor;
#[cfg(any(test, feature = "sim"))]
mod chain;
#[cfg(all(target_family = "wasm", not(target_feature = "atomics")))]
mod one_thread;
mod source;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use adaptor::{Enumerate, Flat, Map, Zip};
#[cfg(any(test, feature = "sim"))]
use chain::Chain;
pub(crate) use source::{IntoLoop, ParallelSlice};
use source::{Source, Taker};

/// Names to import for loops.
pub(crate) mod prelude {
    pub(crate) use super::{IntoLoop, ParallelSlice, ParallelSort};
}

#[cfg(not(all(target_family = "wasm", not(target_feature = "atomics"))))]
pub(crate) use rayon::{current_num_threads, join};

/// Runs a closure on a thread of the pool. Loops inside the closure start without a switch to another thread.
#[cfg(all(feature = "sim", not(all(target_family = "wasm", not(target_feature = "atomics")))))]
pub(crate) fn in_pool<R: Send>(run: impl FnOnce() -> R + Send) -> R {
    rayon::scope(|_| run())
}

/// Runs `lead` on this thread, and calls `help` with each number below `helpers`. Each call runs on another thread of
/// the pool, or after `lead`. The function waits for all calls, so each call of `help` must return once `lead` has
/// returned.
#[cfg(all(feature = "sim", not(all(target_family = "wasm", not(target_feature = "atomics")))))]
pub(crate) fn beside(helpers: usize, help: impl Fn(usize) + Sync, lead: impl FnOnce() + Send) {
    let help = &help;
    rayon::scope(|scope| {
        for helper in 0..helpers {
            scope.spawn(move |_| help(helper));
        }
        lead();
    });
}

/// The function that a task runs for a range of indices.
type Run<'a> = dyn Fn(Range<usize>) + Sync + 'a;

/// Calls `run` with ranges that are not empty and together cover `0..count` once. The ranges come in any order, on any
/// threads of the pool. A range has at least `least` indices, unless it is the whole range. If there are two threads or
/// more, a range has at most about `most` indices, as far as `least` allows.
#[cfg(not(all(target_family = "wasm", not(target_feature = "atomics"))))]
fn in_parts(count: usize, least: usize, most: usize, run: &Run<'_>) {
    if is_one_part(count, least) {
        if count > 0 {
            run(0..count);
        }
        return;
    }
    split(0..count, least, current_num_threads().max(count / most), false, run);
}

/// Returns whether [`in_parts`] calls its function once, with the whole range, on this thread.
#[cfg(not(all(target_family = "wasm", not(target_feature = "atomics"))))]
fn is_one_part(count: usize, least: usize) -> bool {
    count / 2 < least || current_num_threads() == 1
}

/// Halves a range recursively into more than `splits` parts. Stops before a half would be shorter than `least`. As in
/// `rayon`, a part that another thread stole is halved further.
#[cfg(not(all(target_family = "wasm", not(target_feature = "atomics"))))]
fn split(range: Range<usize>, least: usize, splits: usize, stolen: bool, run: &Run<'_>) {
    if range.len() / 2 < least || (splits == 0 && !stolen) {
        return run(range);
    }
    let splits = if stolen { current_num_threads().max(splits / 2) } else { splits / 2 };
    let middle = range.start + range.len() / 2;
    rayon::join_context(
        |context| split(range.start..middle, least, splits, context.migrated(), run),
        |context| split(middle..range.end, least, splits, context.migrated(), run),
    );
}

#[cfg(all(target_family = "wasm", not(target_feature = "atomics")))]
pub(crate) use one_thread::*;

/// A loop over the values of a source.
pub(crate) struct Loop<S> {
    source: S,
    least: usize,
    most: usize,
}

/// The values that one task takes from a source, each with its index.
struct Items<'a, S: Source + 'a> {
    taker: S::Taker<'a>,
    range: Range<usize>,
}

impl<'a, S: Source + 'a> Items<'a, S> {
    /// Returns the values of `source` at the indices of `range`.
    ///
    /// # Safety
    /// The range must be within the source's count, and no other code may take the values at its indices.
    #[inline(always)]
    #[expect(unsafe_code)]
    unsafe fn new(source: &'a S, range: Range<usize>) -> Self {
        Self { taker: source.taker(), range }
    }

    /// Returns the next value, or `None` if its index is greater than `last` or if there are no more values.
    #[inline(always)]
    fn next_up_to(&mut self, last: &AtomicUsize) -> Option<(usize, S::Item)> {
        if self.range.start > last.load(Relaxed) { None } else { self.next() }
    }
}

impl<'a, S: Source + 'a> Iterator for Items<'a, S> {
    type Item = (usize, S::Item);

    #[inline(always)]
    #[expect(unsafe_code)]
    fn next(&mut self) -> Option<Self::Item> {
        let at = self.range.next()?;
        // SAFETY: the index is less than the source's count, and the range contains it once.
        Some((at, unsafe { self.taker.take(at) }))
    }
}

impl<S: Source> Loop<S> {
    fn new(source: S) -> Self {
        Self { source, least: 1, most: usize::MAX }
    }

    fn with<T>(self, make: impl FnOnce(S) -> T) -> Loop<T> {
        Loop { source: make(self.source), least: self.least, most: self.most }
    }

    /// Raises the least number of values of a task to `least`. A loop with fewer values is one task.
    pub(crate) fn with_min_len(self, least: usize) -> Self {
        Self { least: least.max(self.least), ..self }
    }

    /// Sets the least number of values of each task to several thousand, for values that take only a few nanoseconds each.
    /// The transfer of a smaller task to another thread would take longer than the task.
    pub(crate) fn with_light_work(self) -> Self {
        self.with_min_len(4096)
    }

    /// Lowers the greatest number of values of a task to `most`. A task may exceed this number a little. With one
    /// thread, the loop is one task.
    #[cfg(any(test, feature = "sim"))]
    pub(crate) fn with_max_len(self, most: usize) -> Self {
        Self { most: most.max(1).min(self.most), ..self }
    }

    pub(crate) fn enumerate(self) -> Loop<Enumerate<S>> {
        self.with(Enumerate)
    }

    pub(crate) fn map<R, F: Fn(S::Item) -> R + Sync>(self, map: F) -> Loop<Map<S, F>> {
        self.with(|source| Map(source, map))
    }

    /// Returns a loop over pairs of a value of `self` and the value of `other` with the same index. The loop ends with
    /// the shorter source.
    pub(crate) fn zip<O: IntoLoop>(self, other: O) -> Loop<Zip<S, O::Source>> {
        let other = other.into_par_iter();
        let (least, most) = (self.least.max(other.least), self.most.min(other.most));
        Loop { source: Zip::new(self.source, other.source), least, most }
    }

    /// Returns a loop over the values of `self`, followed by the values of `other`.
    #[cfg(any(test, feature = "sim"))]
    pub(crate) fn chain<O: IntoLoop<Source: Source<Item = S::Item>>>(
        self,
        other: O,
    ) -> Loop<Chain<S, O::Source>> {
        self.with(|source| Chain(source, other.into_par_iter().source))
    }

    /// Returns a loop over all values of the iterators that `map` returns.
    #[cfg(any(test, feature = "scenes"))]
    pub(crate) fn flat_map_iter<U: IntoIterator, F: Fn(S::Item) -> U + Sync>(self, map: F) -> Flat<S, F> {
        Flat(self, map)
    }

    /// Returns a loop over the results of `map` that are not `None`.
    pub(crate) fn filter_map<R, F: Fn(S::Item) -> Option<R> + Sync>(self, map: F) -> Flat<S, F> {
        Flat(self, map)
    }

    /// Returns a loop over the values for which `keeps` returns `true`.
    pub(crate) fn filter(
        self,
        keeps: impl Fn(&S::Item) -> bool + Sync,
    ) -> Flat<S, impl Fn(S::Item) -> Option<S::Item> + Sync> {
        Flat(self, move |item| if keeps(&item) { Some(item) } else { None })
    }

    /// Calls `run` with the values of each task of the loop.
    #[inline]
    #[expect(unsafe_code)]
    fn in_parts(self, run: impl Fn(Items<'_, S>) + Sync) {
        in_parts(self.source.count(), self.least, self.most, &|range| {
            // SAFETY: the ranges contain each index once, and this function consumes the source.
            run(unsafe { Items::new(&self.source, range) });
        });
    }

    /// Calls `run` with all values of the loop, on this thread.
    #[inline]
    #[expect(unsafe_code)]
    fn in_one_part<R>(self, run: impl FnOnce(Items<'_, S>) -> R) -> R {
        // SAFETY: the range contains each index once, and this function consumes the source.
        run(unsafe { Items::new(&self.source, 0..self.source.count()) })
    }

    pub(crate) fn for_each(self, run: impl Fn(S::Item) + Sync) {
        self.in_parts(|items| {
            for (_, item) in items {
                run(item);
            }
        });
    }

    /// Calls `run` with each value and a state that each task creates for itself.
    pub(crate) fn for_each_init<T>(self, init: impl Fn() -> T + Sync, run: impl Fn(&mut T, S::Item) + Sync) {
        self.in_parts(|items| {
            let mut state = init();
            for (_, item) in items {
                run(&mut state, item);
            }
        });
    }

    /// Returns the values of the loop, in the order of their indices.
    pub(crate) fn collect(self) -> Vec<S::Item>
    where
        S::Item: Send,
    {
        let mut values = Vec::new();
        self.collect_into(&mut values);
        values
    }

    /// Appends the values of the loop to `values`, in the order of their indices.
    pub(crate) fn collect_into(self, values: &mut Vec<S::Item>)
    where
        S::Item: Send,
    {
        self.collect_init_into(values, || (), |(), item| item);
    }

    /// Returns the results of `map` for all values, in the order of the values. `map` also gets a state, which each
    /// task creates with `init`.
    pub(crate) fn collect_init<T, R: Send>(
        self,
        init: impl Fn() -> T + Sync,
        map: impl Fn(&mut T, S::Item) -> R + Sync,
    ) -> Vec<R> {
        let mut values = Vec::with_capacity(self.source.count());
        self.collect_init_into(&mut values, init, map);
        values
    }

    /// Appends the results of `map` to `values`, as [`Self::collect_init`] returns them.
    #[inline]
    #[expect(unsafe_code)]
    fn collect_init_into<T, R: Send>(
        self,
        values: &mut Vec<R>,
        init: impl Fn() -> T + Sync,
        map: impl Fn(&mut T, S::Item) -> R + Sync,
    ) {
        let count = self.source.count();
        values.reserve(count);
        let slots = Slots(values.spare_capacity_mut().as_mut_ptr().cast::<R>());
        self.in_parts(|items| {
            let (slots, mut state) = (slots, init());
            for (at, item) in items {
                let value = map(&mut state, item);
                // SAFETY: the tasks have each index once, and each index has a slot.
                unsafe { slots.0.add(at).write(value) };
            }
        });
        let count = values.len() + count;
        // SAFETY: every slot has been written. After a panic, nothing is appended.
        unsafe { values.set_len(count) };
    }

    /// Merges all values, in order, and returns the result, or `None` if there are no values. `merge` must be
    /// associative. Otherwise, the result depends on the number of threads.
    pub(crate) fn reduce_with(self, merge: impl Fn(S::Item, S::Item) -> S::Item + Sync) -> Option<S::Item>
    where
        S::Item: Send,
    {
        let merged = |items: Items<'_, S>| {
            let mut merged = None;
            // This loop is the only caller of `next`. With several callers, the compiler would not inline the source.
            for (_, item) in items {
                merged = Some(match merged {
                    Some(merged) => merge(merged, item),
                    None => item,
                });
            }
            merged
        };
        if is_one_part(self.source.count(), self.least) {
            return self.in_one_part(merged);
        }
        let parts = Parts::new();
        self.in_parts(|items| {
            let start = items.range.start;
            parts.put(start, merged(items));
        });
        parts.in_order().flatten().reduce(merge)
    }

    /// Returns the first result of `find` that is not `None`, in the order of the values. Returns `None` if all results
    /// are `None`.
    #[cfg(any(test, feature = "sim"))]
    pub(crate) fn find_map_first<R: Send>(self, find: impl Fn(S::Item) -> Option<R> + Sync) -> Option<R> {
        let first = AtomicUsize::new(usize::MAX);
        let found = Mutex::new(None);
        self.in_parts(|mut items| {
            while let Some((at, item)) = items.next_up_to(&first) {
                if let Some(value) = find(item) {
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    if first.fetch_min(at, Relaxed) > at {
                        *found = Some(value);
                    }
                    return;
                }
            }
        });
        found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the index of the first value that `is_found` accepts, or `None` if it accepts no value.
    pub(crate) fn position_first(self, is_found: impl Fn(S::Item) -> bool + Sync) -> Option<usize> {
        let first = AtomicUsize::new(usize::MAX);
        self.in_parts(|mut items| {
            while let Some((at, item)) = items.next_up_to(&first) {
                if is_found(item) {
                    first.fetch_min(at, Relaxed);
                    return;
                }
            }
        });
        let first = first.into_inner();
        (first != usize::MAX).then_some(first)
    }

    pub(crate) fn any(self, is_so: impl Fn(S::Item) -> bool + Sync) -> bool {
        self.position_first(is_so).is_some()
    }
}

impl<S: Source<Item = u64>> Loop<S> {
    pub(crate) fn sum(self) -> u64 {
        let sum = AtomicU64::new(0);
        self.in_parts(|items| {
            let mut part = 0;
            for (_, value) in items {
                part += value;
            }
            sum.fetch_add(part, Relaxed);
        });
        sum.into_inner()
    }
}

impl<S: Source, U: IntoIterator, F: Fn(S::Item) -> U + Sync> Flat<S, F> {
    /// Returns the values of the iterators that the closure returns, in the order of the indices of the source.
    pub(crate) fn collect(self) -> Vec<U::Item>
    where
        U::Item: Send,
    {
        let mut values = Vec::new();
        self.collect_into(&mut values);
        values
    }

    /// Appends the values of the iterators that the closure returns to `values`, in the order of the indices of the
    /// source.
    pub(crate) fn collect_into(self, values: &mut Vec<U::Item>)
    where
        U::Item: Send,
    {
        let Self(items, map) = self;
        let append = |items: Items<'_, S>, values: &mut Vec<U::Item>| {
            for (_, item) in items {
                for value in map(item) {
                    values.push(value);
                }
            }
        };
        if is_one_part(items.source.count(), items.least) {
            return items.in_one_part(|items| append(items, values));
        }
        let parts = Parts::new();
        items.in_parts(|items| {
            let (mut values, start) = (Vec::new(), items.range.start);
            append(items, &mut values);
            parts.put(start, values);
        });
        for mut part in parts.in_order() {
            values.append(&mut part);
        }
    }

    pub(crate) fn count(self) -> usize {
        let Self(items, map) = self;
        let count = AtomicUsize::new(0);
        items.in_parts(|items| {
            let mut part = 0;
            for (_, item) in items {
                part += map(item).into_iter().count();
            }
            count.fetch_add(part, Relaxed);
        });
        count.into_inner()
    }
}

/// Memory in which tasks write values in parallel.
struct Slots<T>(*mut T);

impl<T> Clone for Slots<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Slots<T> {}

// SAFETY: tasks write to different slots, and `T` may be sent from the thread that writes it.
#[expect(unsafe_code)]
unsafe impl<T: Send> Sync for Slots<T> {}

/// The results of tasks, each with the first index of the task's range.
struct Parts<T>(Mutex<Vec<(usize, T)>>);

impl<T> Parts<T> {
    fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    fn put(&self, start: usize, value: T) {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut at = parts.len();
        while at > 0 && parts[at - 1].0 > start {
            at -= 1;
        }
        parts.insert(at, (start, value));
    }

    fn in_order(self) -> impl Iterator<Item = T> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().map(|(_, value)| value)
    }
}

/// Sorts on all threads. The order of equal values is not specified.
pub(crate) trait ParallelSort<T: Clone + Send> {
    fn par_sort_unstable_by(&mut self, compare: impl Fn(&T, &T) -> Ordering + Sync);

    fn par_sort_unstable(&mut self)
    where
        T: Ord,
    {
        self.par_sort_unstable_by(T::cmp);
    }

    fn par_sort_unstable_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K + Sync) {
        self.par_sort_unstable_by(|a, b| key(a).cmp(&key(b)));
    }
}

impl<T: Clone + Send> ParallelSort<T> for [T] {
    fn par_sort_unstable_by(&mut self, compare: impl Fn(&T, &T) -> Ordering + Sync) {
        #[cfg(not(all(target_family = "wasm", not(target_feature = "atomics"))))]
        rayon::slice::ParallelSliceMut::par_sort_unstable_by(self, compare);
        #[cfg(all(target_family = "wasm", not(target_feature = "atomics")))]
        crate::base::sorting::sort_unstable_by(self, compare);
    }
}
