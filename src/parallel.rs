//! Loops over all threads, by `rayon`. A browser gives one thread: there the same names are loops of the standard library,
//! of which a module holds one copy each instead of one for every way to split them.

#[cfg(not(all(target_family = "wasm", not(target_feature = "atomics"))))]
pub(crate) use many_threads::*;

#[cfg(all(target_family = "wasm", not(target_feature = "atomics")))]
pub(crate) use one_thread::*;

#[cfg(not(all(target_family = "wasm", not(target_feature = "atomics"))))]
mod many_threads {
    pub(crate) use rayon::{current_num_threads, join, prelude};

    /// On a thread of the pool, so that loops in it are not handed over to one.
    #[cfg(feature = "sim")]
    pub(crate) fn in_pool<R: Send>(run: impl FnOnce() -> R + Send) -> R {
        rayon::scope(|_| run())
    }

    /// Leads here, while each of so many helpers, which are told their numbers, is called on another thread of the pool, or
    /// at the end. All of them must return once `lead` has.
    #[cfg(feature = "sim")]
    pub(crate) fn beside(helpers: usize, help: impl Fn(usize) + Sync, lead: impl FnOnce() + Send) {
        let help = &help;
        rayon::scope(|scope| {
            for helper in 0..helpers {
                scope.spawn(move |_| help(helper));
            }
            lead();
        });
    }
}

#[cfg(all(target_family = "wasm", not(target_feature = "atomics")))]
mod one_thread {
    /// The thread that there is.
    pub(crate) fn current_num_threads() -> usize {
        1
    }

    /// One after the other.
    pub(crate) fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
        (a(), b())
    }

    /// Here.
    #[cfg(feature = "sim")]
    pub(crate) fn in_pool<R>(run: impl FnOnce() -> R) -> R {
        run()
    }

    /// Nobody helps.
    #[cfg(feature = "sim")]
    pub(crate) fn beside(_: usize, _: impl Fn(usize), lead: impl FnOnce()) {
        lead();
    }

    /// What of `rayon::prelude` this crate uses.
    pub(crate) mod prelude {
        use std::cmp::Ordering;
        use std::slice::{Chunks, ChunksMut, Iter, IterMut};

        use crate::sorting;

        pub(crate) trait IntoParallelIterator: IntoIterator + Sized {
            fn into_par_iter(self) -> Self::IntoIter {
                self.into_iter()
            }
        }
        impl<T: IntoIterator> IntoParallelIterator for T {}

        pub(crate) trait ParallelSlice<T> {
            fn par_iter(&self) -> Iter<'_, T>;
            fn par_iter_mut(&mut self) -> IterMut<'_, T>;
            fn par_chunks(&self, size: usize) -> Chunks<'_, T>;
            fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T>;
        }
        impl<T> ParallelSlice<T> for [T] {
            fn par_iter(&self) -> Iter<'_, T> {
                self.iter()
            }
            fn par_iter_mut(&mut self) -> IterMut<'_, T> {
                self.iter_mut()
            }
            fn par_chunks(&self, size: usize) -> Chunks<'_, T> {
                self.chunks(size)
            }
            fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T> {
                self.chunks_mut(size)
            }
        }

        pub(crate) trait ParallelSliceMut<T: Clone> {
            fn par_sort_unstable(&mut self)
            where
                T: Ord;
            fn par_sort_unstable_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);
            fn par_sort_unstable_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K);
        }
        impl<T: Clone> ParallelSliceMut<T> for [T] {
            fn par_sort_unstable(&mut self)
            where
                T: Ord,
            {
                sorting::sort_unstable(self);
            }
            fn par_sort_unstable_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering) {
                sorting::sort_unstable_by(self, compare);
            }
            fn par_sort_unstable_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
                sorting::sort_unstable_by_key(self, key);
            }
        }

        pub(crate) trait ParallelExtend<T>: Extend<T> {
            fn par_extend(&mut self, items: impl IntoIterator<Item = T>) {
                self.extend(items);
            }
        }
        impl<T> ParallelExtend<T> for Vec<T> {}

        pub(crate) trait ParallelIterator: Iterator + Sized {
            fn with_min_len(self, _: usize) -> Self {
                self
            }
            fn with_max_len(self, _: usize) -> Self {
                self
            }
            fn chunks(mut self, size: usize) -> impl Iterator<Item = Vec<Self::Item>> {
                std::iter::from_fn(move || {
                    let chunk: Vec<_> = self.by_ref().take(size).collect();
                    (!chunk.is_empty()).then_some(chunk)
                })
            }
            fn map_init<T, R>(
                self,
                init: impl FnOnce() -> T,
                mut map: impl FnMut(&mut T, Self::Item) -> R,
            ) -> impl Iterator<Item = R> {
                let mut state = init();
                self.map(move |item| map(&mut state, item))
            }
            fn for_each_init<T>(self, init: impl FnOnce() -> T, mut does: impl FnMut(&mut T, Self::Item)) {
                let mut state = init();
                self.for_each(|item| does(&mut state, item));
            }
            fn flat_map_iter<U: IntoIterator>(
                self,
                map: impl FnMut(Self::Item) -> U,
            ) -> impl Iterator<Item = U::Item> {
                self.flat_map(map)
            }
            fn reduce_with(
                self,
                reduce: impl FnMut(Self::Item, Self::Item) -> Self::Item,
            ) -> Option<Self::Item> {
                self.reduce(reduce)
            }
            fn find_map_first<R>(mut self, found: impl FnMut(Self::Item) -> Option<R>) -> Option<R> {
                self.find_map(found)
            }
            fn position_first(mut self, is_found: impl FnMut(Self::Item) -> bool) -> Option<usize> {
                self.position(is_found)
            }
        }
        impl<I: Iterator> ParallelIterator for I {}
    }
}
