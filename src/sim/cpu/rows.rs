//! Rows of bodies or of touches, which contacts of one colour read and write in parallel.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use crate::simd::{HalfRow, LANES, Row};

/// All rows, for the contacts of one colour on any number of threads.
pub(crate) struct Rows<'a, T> {
    first: *mut T,
    count: usize,
    rows: PhantomData<&'a mut [T]>,
}

// SAFETY: what is read and written is up to those who call the unsafe functions, who promise that no row is written while
// another thread reads or writes it.
unsafe impl<T: Send> Send for Rows<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Rows<'_, T> {}

impl<T> Clone for Rows<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Rows<'_, T> {}

impl<'a, T> Rows<'a, T> {
    pub(crate) fn new(rows: &'a mut [T]) -> Self {
        Self { first: rows.as_mut_ptr(), count: rows.len(), rows: PhantomData }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The rows of eight bodies.
    ///
    /// # Safety
    /// No other thread may write any of them while the references live.
    #[inline(always)]
    pub(crate) unsafe fn get(&self, bodies: &[u32; LANES]) -> [&T; LANES] {
        let row = |body: u32| {
            assert!((body as usize) < self.count, "a contact names a body of the world");
            // SAFETY: within the rows; the rest is the caller's.
            unsafe { &*self.first.add(body as usize) }
        };
        let [a, b, c, d, e, f, g, h] = *bodies;
        [row(a), row(b), row(c), row(d), row(e), row(f), row(g), row(h)]
    }

    /// Writes a row.
    ///
    /// # Safety
    /// No other thread may read or write that row meanwhile, and no reference to it may live.
    #[inline(always)]
    pub(crate) unsafe fn set(&self, body: u32, row: T) {
        assert!((body as usize) < self.count, "a contact names a body of the world");
        // SAFETY: within the rows; the rest is the caller's.
        unsafe { self.first.add(body as usize).write(row) }
    }

    /// Changes a row.
    ///
    /// # Safety
    /// No other thread may read or write that row meanwhile, and no reference to it may live.
    #[inline(always)]
    pub(crate) unsafe fn change(&self, row: u32, by: impl FnOnce(&mut T)) {
        assert!((row as usize) < self.count, "a contact names a touch of the step");
        // SAFETY: within the rows; the rest is the caller's.
        by(unsafe { &mut *self.first.add(row as usize) });
    }
}

impl<'a, T> Rows<'a, T> {
    /// Returns one part of the rows. All parts have about the same length.
    ///
    /// # Safety
    /// No other thread may read or write any of its rows while the reference lives.
    #[inline]
    pub(crate) unsafe fn part(&self, part: usize, parts: usize) -> (usize, &'a mut [T]) {
        assert!(part < parts, "there is such a part");
        let [first, end] = [self.count * part / parts, self.count * (part + 1) / parts];
        // SAFETY: within the rows; the rest is the caller's.
        (first, unsafe { std::slice::from_raw_parts_mut(self.first.add(first), end - first) })
    }
}

impl Rows<'_, Row> {
    /// Writes the first half of a row.
    ///
    /// # Safety
    /// The conditions of [`Rows::set`].
    #[inline(always)]
    pub(crate) unsafe fn set_half(&self, body: u32, half: HalfRow) {
        assert!((body as usize) < self.count, "a contact names a body of the world");
        // SAFETY: within the rows, of which each begins with a half, aligned; the rest is the caller's.
        unsafe { self.first.add(body as usize).cast::<HalfRow>().write(half) }
    }
}
