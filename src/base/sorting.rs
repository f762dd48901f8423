//! Sort functions with the interface of the standard library's sorts. Each use of a standard sort adds several thousand bytes of
//! code, which a browser must load. In a browser, these functions therefore use a short, stable merge sort.

use std::cmp::Ordering;

/// Implements `PartialOrd`, `PartialEq` and `Eq` for a type by its implementation of `Ord`.
macro_rules! compared_by_order {
    ($compared:ty) => {
        impl PartialOrd for $compared {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl PartialEq for $compared {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other).is_eq()
            }
        }

        impl Eq for $compared {}
    };
}
pub(crate) use compared_by_order;

/// Sorts items by `compare`. Equal items keep their order.
pub(crate) fn sort_by<T: Clone>(items: &mut [T], compare: impl FnMut(&T, &T) -> Ordering) {
    #[cfg(not(target_family = "wasm"))]
    items.sort_by(compare);
    #[cfg(target_family = "wasm")]
    merge_sort(items, compare);
}

/// Sorts items by their keys. Items with equal keys keep their order.
pub(crate) fn sort_by_key<T: Clone, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts items by `compare`. The order of equal items is not specified.
pub(crate) fn sort_unstable_by<T: Clone>(items: &mut [T], compare: impl FnMut(&T, &T) -> Ordering) {
    #[cfg(not(target_family = "wasm"))]
    items.sort_unstable_by(compare);
    #[cfg(target_family = "wasm")]
    merge_sort(items, compare);
}

/// Sorts items by their keys. The order of items with equal keys is not specified.
pub(crate) fn sort_unstable_by_key<T: Clone, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_unstable_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts items. The order of equal items is not specified.
pub(crate) fn sort_unstable<T: Clone + Ord>(items: &mut [T]) {
    sort_unstable_by(items, T::cmp);
}

/// The number of consecutive items that form a run. An insertion sort sorts each run, before the runs are merged.
#[cfg(any(test, target_family = "wasm"))]
const RUN: usize = 16;

#[cfg(any(test, target_family = "wasm"))]
fn merge_sort<T: Clone>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut is_before = |a: &T, b: &T| compare(a, b).is_lt();
    for run in items.chunks_mut(RUN) {
        for end in 1..run.len() {
            let mut at = end;
            while at > 0 && is_before(&run[at], &run[at - 1]) {
                run.swap(at, at - 1);
                at -= 1;
            }
        }
    }
    if items.len() > RUN {
        merge_runs(items, &mut is_before);
    }
}

/// Sorts items by merging sorted runs. Each run of [`RUN`] items must be sorted. The comparison is a closure behind a
/// reference, so one compiled function serves all orders of a type, and a WebAssembly module contains less code.
#[cfg(any(test, target_family = "wasm"))]
fn merge_runs<T: Clone>(items: &mut [T], is_before: &mut dyn FnMut(&T, &T) -> bool) {
    let mut length = RUN;
    let mut parts = Vec::new();
    while length < items.len() {
        parts.clear();
        parts.extend_from_slice(items);
        for (both, out) in parts.chunks(2 * length).zip(items.chunks_mut(2 * length)) {
            let (mut first, mut second) = both.split_at(length.min(both.len()));
            for out in out {
                let is_second = match (first.first(), second.first()) {
                    (Some(a), Some(b)) => is_before(b, a),
                    (a, _) => a.is_none(),
                };
                let from = if is_second { &mut second } else { &mut first };
                *out = from[0].clone();
                *from = &from[1..];
            }
        }
        length *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_sorted_and_equal_ones_stay_in_order() {
        for count in (0..70).chain([1000, 1023, 4097]) {
            let mut state = count as u32;
            let items: Vec<(u32, u32)> = (0..count as u32)
                .map(|k| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 27, k)
                })
                .collect();
            let [mut merged, mut expected] = [items.clone(), items];
            merge_sort(&mut merged, |a, b| a.0.cmp(&b.0));
            expected.sort_by_key(|item| item.0);
            assert_eq!(merged, expected);
        }
    }
}
