//! Sources of numbered values for tasks: ranges of numbers, slices, chunks of slices, vectors, and combinations of
//! sources.

use std::marker::PhantomData;
use std::ops::Range;

use super::Loop;

/// A source of values for a parallel loop. The values have the indices `0..count()`.
pub(crate) trait Source: Sync {
    type Item;
    type Taker<'a>: Taker<Item = Self::Item>
    where
        Self: 'a;

    fn count(&self) -> usize;

    /// Removes the values with an index of at least `count` from the source.
    fn shorten(&mut self, count: usize);

    /// Returns the [`Taker`] through which a task takes values.
    fn taker(&self) -> Self::Taker<'_>;
}

/// Takes values of a [`Source`]. Each task copies the taker into its own variables. Otherwise, the compiler would
/// assume that the task's writes can change the taker.
///
/// # Safety
/// An implementation must allow several threads to take values with different indices at the same time.
#[expect(unsafe_code)]
pub(crate) unsafe trait Taker: Copy {
    type Item;

    /// Takes the value with the index `at`.
    ///
    /// # Safety
    /// The index must be less than the source's count, and no value may be taken twice.
    unsafe fn take(self, at: usize) -> Self::Item;
}

/// A type over which a [`Loop`] can run.
pub(crate) trait IntoLoop {
    type Source: Source;

    fn into_par_iter(self) -> Loop<Self::Source>;
}

impl<S: Source> IntoLoop for Loop<S> {
    type Source = S;

    fn into_par_iter(self) -> Self {
        self
    }
}

impl IntoLoop for Range<usize> {
    type Source = Numbers;

    fn into_par_iter(self) -> Loop<Numbers> {
        Loop::new(Numbers { start: self.start, count: self.len() })
    }
}

impl<T: Send> IntoLoop for Vec<T> {
    type Source = Owned<T>;

    #[expect(unsafe_code)]
    fn into_par_iter(mut self) -> Loop<Owned<T>> {
        let (first, count) = (self.as_mut_ptr(), self.len());
        // SAFETY: the vector keeps only the memory. The values belong to the loop.
        unsafe { self.set_len(0) };
        Loop::new(Owned { first, count, _memory: self })
    }
}

impl<'a, T: Sync> IntoLoop for &'a [T] {
    type Source = Slice<'a, T>;

    fn into_par_iter(self) -> Loop<Slice<'a, T>> {
        Loop::new(Slice(self))
    }
}

impl<'a, T: Sync> IntoLoop for &'a Vec<T> {
    type Source = Slice<'a, T>;

    fn into_par_iter(self) -> Loop<Slice<'a, T>> {
        Loop::new(Slice(self))
    }
}

impl<'a, T: Send> IntoLoop for &'a mut [T] {
    type Source = SliceMut<'a, T>;

    fn into_par_iter(self) -> Loop<SliceMut<'a, T>> {
        Loop::new(SliceMut { first: self.as_mut_ptr(), count: self.len(), _slice: PhantomData })
    }
}

impl<'a, T: Send> IntoLoop for &'a mut Vec<T> {
    type Source = SliceMut<'a, T>;

    fn into_par_iter(self) -> Loop<SliceMut<'a, T>> {
        self.as_mut_slice().into_par_iter()
    }
}

/// Creates loops over the values or the chunks of a slice.
pub(crate) trait ParallelSlice<T> {
    fn par_iter(&self) -> Loop<Slice<'_, T>>
    where
        T: Sync;
    fn par_iter_mut(&mut self) -> Loop<SliceMut<'_, T>>
    where
        T: Send;
    /// Loops over chunks of `size` values. The last chunk may have fewer values.
    fn par_chunks(&self, size: usize) -> Loop<Chunks<'_, T>>
    where
        T: Sync;
    /// Loops over mutable chunks of `size` values. The last chunk may have fewer values.
    fn par_chunks_mut(&mut self, size: usize) -> Loop<ChunksMut<'_, T>>
    where
        T: Send;
}

impl<T> ParallelSlice<T> for [T] {
    fn par_iter(&self) -> Loop<Slice<'_, T>>
    where
        T: Sync,
    {
        self.into_par_iter()
    }

    fn par_iter_mut(&mut self) -> Loop<SliceMut<'_, T>>
    where
        T: Send,
    {
        self.into_par_iter()
    }

    fn par_chunks(&self, size: usize) -> Loop<Chunks<'_, T>>
    where
        T: Sync,
    {
        Loop::new(Chunks { values: self, size })
    }

    fn par_chunks_mut(&mut self, size: usize) -> Loop<ChunksMut<'_, T>>
    where
        T: Send,
    {
        Loop::new(ChunksMut { first: self.as_mut_ptr(), len: self.len(), size, _slice: PhantomData })
    }
}

/// Implements the taker of a [`Source`] that is its own taker.
macro_rules! takes_itself {
    () => {
        type Taker<'t>
            = Self
        where
            Self: 't;

        #[inline(always)]
        fn taker(&self) -> Self {
            *self
        }
    };
}

/// Implements `Copy` for sources of any values. A derived `Copy` would require values that are `Copy`.
macro_rules! copied {
    ($($source:ident)+) => {$(
        impl<T> Clone for $source<'_, T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $source<'_, T> {}
    )+};
}

copied!(Slice SliceMut Chunks ChunksMut);

#[derive(Clone, Copy)]
pub(crate) struct Numbers {
    start: usize,
    count: usize,
}

impl Source for Numbers {
    type Item = usize;
    takes_itself!();

    fn count(&self) -> usize {
        self.count
    }

    fn shorten(&mut self, count: usize) {
        self.count = count;
    }
}

#[expect(unsafe_code)]
// SAFETY: the values are numbers, which are copied.
unsafe impl Taker for Numbers {
    type Item = usize;

    #[inline(always)]
    unsafe fn take(self, at: usize) -> usize {
        self.start + at
    }
}

pub(crate) struct Slice<'a, T>(&'a [T]);

impl<'a, T: Sync> Source for Slice<'a, T> {
    type Item = &'a T;
    takes_itself!();

    fn count(&self) -> usize {
        self.0.len()
    }

    fn shorten(&mut self, count: usize) {
        self.0 = &self.0[..count];
    }
}

#[expect(unsafe_code)]
// SAFETY: threads may share the values.
unsafe impl<'a, T: Sync> Taker for Slice<'a, T> {
    type Item = &'a T;

    #[inline(always)]
    unsafe fn take(self, at: usize) -> &'a T {
        // SAFETY: the caller guarantees that the index is less than the count.
        unsafe { self.0.get_unchecked(at) }
    }
}

pub(crate) struct SliceMut<'a, T> {
    first: *mut T,
    count: usize,
    _slice: PhantomData<&'a mut [T]>,
}

#[expect(unsafe_code)]
// SAFETY: each value is borrowed by one thread only. This thread may differ from the thread of the slice, because `T` is `Send`.
unsafe impl<T: Send> Sync for SliceMut<'_, T> {}

impl<'a, T: Send> Source for SliceMut<'a, T> {
    type Item = &'a mut T;
    takes_itself!();

    fn count(&self) -> usize {
        self.count
    }

    fn shorten(&mut self, count: usize) {
        self.count = count;
    }
}

#[expect(unsafe_code)]
// SAFETY: different indices are different values of a slice that is borrowed exclusively.
unsafe impl<'a, T: Send> Taker for SliceMut<'a, T> {
    type Item = &'a mut T;

    #[inline(always)]
    unsafe fn take(self, at: usize) -> &'a mut T {
        // SAFETY: the index is less than the count, and no value is taken twice.
        unsafe { &mut *self.first.add(at) }
    }
}

pub(crate) struct Chunks<'a, T> {
    values: &'a [T],
    size: usize,
}

impl<'a, T: Sync> Source for Chunks<'a, T> {
    type Item = &'a [T];
    takes_itself!();

    fn count(&self) -> usize {
        self.values.len().div_ceil(self.size)
    }

    fn shorten(&mut self, count: usize) {
        self.values = &self.values[..self.values.len().min(count * self.size)];
    }
}

#[expect(unsafe_code)]
// SAFETY: threads may share the values.
unsafe impl<'a, T: Sync> Taker for Chunks<'a, T> {
    type Item = &'a [T];

    #[inline(always)]
    unsafe fn take(self, at: usize) -> &'a [T] {
        let start = at * self.size;
        &self.values[start..self.values.len().min(start + self.size)]
    }
}

pub(crate) struct ChunksMut<'a, T> {
    first: *mut T,
    len: usize,
    size: usize,
    _slice: PhantomData<&'a mut [T]>,
}

#[expect(unsafe_code)]
// SAFETY: each chunk is borrowed by one thread only. This thread may differ from the thread of the slice, because `T` is `Send`.
unsafe impl<T: Send> Sync for ChunksMut<'_, T> {}

impl<'a, T: Send> Source for ChunksMut<'a, T> {
    type Item = &'a mut [T];
    takes_itself!();

    fn count(&self) -> usize {
        self.len.div_ceil(self.size)
    }

    fn shorten(&mut self, count: usize) {
        self.len = self.len.min(count * self.size);
    }
}

#[expect(unsafe_code)]
// SAFETY: different indices are chunks without common values, in a slice that is borrowed exclusively.
unsafe impl<'a, T: Send> Taker for ChunksMut<'a, T> {
    type Item = &'a mut [T];

    #[inline(always)]
    unsafe fn take(self, at: usize) -> &'a mut [T] {
        let start = at * self.size;
        // SAFETY: the index is less than the count, so the chunk lies in the slice. No chunk is taken twice.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(start), self.size.min(self.len - start)) }
    }
}

/// The values of a vector. If a closure panics or a search ends early, the values that were not taken are not dropped.
pub(crate) struct Owned<T> {
    first: *mut T,
    count: usize,
    /// The vector of the values. It is empty, and only owns the memory in which the values are.
    _memory: Vec<T>,
}

#[expect(unsafe_code)]
// SAFETY: each value is sent to one thread, and this type does not use the values in any other way.
unsafe impl<T: Send> Sync for Owned<T> {}

impl<T: Send> Source for Owned<T> {
    type Item = T;
    type Taker<'t>
        = First<T>
    where
        Self: 't;

    fn count(&self) -> usize {
        self.count
    }

    #[expect(unsafe_code)]
    fn shorten(&mut self, count: usize) {
        let cut = count.min(self.count)..self.count;
        self.count = cut.start;
        for at in cut {
            // SAFETY: the value exists, and can no longer be taken.
            drop(unsafe { self.first.add(at).read() });
        }
    }

    #[inline(always)]
    fn taker(&self) -> First<T> {
        First(self.first)
    }
}

/// The address of the first value of a vector, from which tasks take the values.
pub(crate) struct First<T>(*mut T);

impl<T> Clone for First<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for First<T> {}

#[expect(unsafe_code)]
// SAFETY: different indices are different values, and no other code uses them.
unsafe impl<T: Send> Taker for First<T> {
    type Item = T;

    #[inline(always)]
    unsafe fn take(self, at: usize) -> T {
        // SAFETY: the index is less than the count, and no value is taken twice.
        unsafe { self.0.add(at).read() }
    }
}
