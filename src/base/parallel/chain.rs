//! A source with the values of one source, followed by the values of another source.

use super::source::{Source, Taker};

pub(crate) struct Chain<A, B>(pub(super) A, pub(super) B);

impl<A: Source, B: Source<Item = A::Item>> Source for Chain<A, B> {
    type Item = A::Item;
    type Taker<'t>
        = ChainTaker<A::Taker<'t>, B::Taker<'t>>
    where
        Self: 't;

    fn count(&self) -> usize {
        self.0.count() + self.1.count()
    }

    fn shorten(&mut self, count: usize) {
        let first = self.0.count();
        self.0.shorten(count.min(first));
        self.1.shorten(count.saturating_sub(first));
    }

    #[inline(always)]
    fn taker(&self) -> Self::Taker<'_> {
        ChainTaker { a: self.0.taker(), count_a: self.0.count(), b: self.1.taker() }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct ChainTaker<A, B> {
    a: A,
    count_a: usize,
    b: B,
}

#[expect(unsafe_code)]
// SAFETY: both fields are takers.
unsafe impl<A: Taker, B: Taker<Item = A::Item>> Taker for ChainTaker<A, B> {
    type Item = A::Item;

    #[inline(always)]
    unsafe fn take(self, at: usize) -> A::Item {
        // SAFETY: the index is less than the sum of both counts, and no value of either source is taken twice.
        unsafe { if at < self.count_a { self.a.take(at) } else { self.b.take(at - self.count_a) } }
    }
}
