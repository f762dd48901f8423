//! Adaptors of sources: numbered values, mapped values, two sources in parallel, and two sources in sequence.

use super::Loop;
use super::source::{Source, Taker};

#[derive(Clone, Copy)]
pub(crate) struct Enumerate<S>(pub(super) S);

impl<S: Source> Source for Enumerate<S> {
    type Item = (usize, S::Item);
    type Taker<'t>
        = Enumerate<S::Taker<'t>>
    where
        Self: 't;

    fn count(&self) -> usize {
        self.0.count()
    }

    fn shorten(&mut self, count: usize) {
        self.0.shorten(count);
    }

    #[inline(always)]
    fn taker(&self) -> Enumerate<S::Taker<'_>> {
        Enumerate(self.0.taker())
    }
}

#[expect(unsafe_code)]
// SAFETY: `T` is a taker.
unsafe impl<T: Taker> Taker for Enumerate<T> {
    type Item = (usize, T::Item);

    #[inline(always)]
    unsafe fn take(self, at: usize) -> Self::Item {
        // SAFETY: the caller guarantees the same for this source.
        (at, unsafe { self.0.take(at) })
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Map<S, F>(pub(super) S, pub(super) F);

impl<S: Source, R, F: Fn(S::Item) -> R + Sync> Source for Map<S, F> {
    type Item = R;
    type Taker<'t>
        = Map<S::Taker<'t>, &'t F>
    where
        Self: 't;

    fn count(&self) -> usize {
        self.0.count()
    }

    fn shorten(&mut self, count: usize) {
        self.0.shorten(count);
    }

    #[inline(always)]
    fn taker(&self) -> Map<S::Taker<'_>, &F> {
        Map(self.0.taker(), &self.1)
    }
}

#[expect(unsafe_code)]
// SAFETY: `T` is a taker, and threads may share the closure.
unsafe impl<T: Taker, R, F: Fn(T::Item) -> R + Sync> Taker for Map<T, &F> {
    type Item = R;

    #[inline(always)]
    unsafe fn take(self, at: usize) -> R {
        // SAFETY: the caller guarantees the same for this source.
        (self.1)(unsafe { self.0.take(at) })
    }
}

/// A source of pairs, made of two sources with the same number of values.
#[derive(Clone, Copy)]
pub(crate) struct Zip<A, B>(A, B);

impl<A: Source, B: Source> Zip<A, B> {
    pub(super) fn new(mut a: A, mut b: B) -> Self {
        let (count_a, count_b) = (a.count(), b.count());
        if count_a > count_b {
            a.shorten(count_b);
        } else if count_b > count_a {
            b.shorten(count_a);
        }
        Self(a, b)
    }
}

impl<A: Source, B: Source> Source for Zip<A, B> {
    type Item = (A::Item, B::Item);
    type Taker<'t>
        = Zip<A::Taker<'t>, B::Taker<'t>>
    where
        Self: 't;

    fn count(&self) -> usize {
        self.0.count()
    }

    fn shorten(&mut self, count: usize) {
        self.0.shorten(count);
        self.1.shorten(count);
    }

    #[inline(always)]
    fn taker(&self) -> Self::Taker<'_> {
        Zip(self.0.taker(), self.1.taker())
    }
}

#[expect(unsafe_code)]
// SAFETY: both fields are takers.
unsafe impl<A: Taker, B: Taker> Taker for Zip<A, B> {
    type Item = (A::Item, B::Item);

    #[inline(always)]
    unsafe fn take(self, at: usize) -> Self::Item {
        // SAFETY: the caller guarantees the same for both sources, which have the same number of values.
        unsafe { (self.0.take(at), self.1.take(at)) }
    }
}

/// A loop over all values of the iterators that a closure returns for the values of a source.
pub(crate) struct Flat<S, F>(pub(super) Loop<S>, pub(super) F);
