//! Rows of bodies or of touches. Several threads read and write the rows for contacts of one colour at the same time.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use crate::simd::{HalfRow, LANES, Row};

/// Rows that several threads read and write for the contacts of one colour.
pub(crate) struct Rows<'a, T> {
    first: *mut T,
    count: usize,
    rows: PhantomData<&'a mut [T]>,
}

// SAFETY: only the unsafe functions access the rows. The callers of these functions guarantee that no thread writes a
// row while another thread reads or writes the row.
unsafe impl<T: Send> Send for Rows<'_, T> {}
// SAFETY: only the unsafe functions access the rows. The callers of these functions guarantee that no thread writes a
// row while another thread reads or writes the row.
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

    /// Returns the rows at eight indices.
    ///
    /// # Safety
    /// While the references live, no thread may write any of these rows, and no mutable reference to such a row may
    /// exist.
    #[inline(always)]
    pub(crate) unsafe fn get(&self, bodies: &[u32; LANES]) -> [&T; LANES] {
        let row = |body: u32| {
            assert!((body as usize) < self.count, "a contact names a body of the world");
            // SAFETY: the row is within the rows. The caller guarantees the rest.
            unsafe { &*self.first.add(body as usize) }
        };
        let [a, b, c, d, e, f, g, h] = *bodies;
        [row(a), row(b), row(c), row(d), row(e), row(f), row(g), row(h)]
    }

    /// Replaces the row with index `body`.
    ///
    /// # Safety
    /// No other thread may read or write the row at the same time, and no reference to the row may exist.
    #[inline(always)]
    pub(crate) unsafe fn set(&self, body: u32, row: T) {
        assert!((body as usize) < self.count, "a contact names a body of the world");
        // SAFETY: the row is within the rows. The caller guarantees the rest.
        unsafe { self.first.add(body as usize).write(row) }
    }

    /// Calls `by` with the row with index `row`, so that `by` can change the row.
    ///
    /// # Safety
    /// During the call, no other thread may read or write the row, and no other reference to the row may exist. `by` must
    /// access the row only through its argument.
    #[inline(always)]
    pub(crate) unsafe fn change(&self, row: u32, by: impl FnOnce(&mut T)) {
        assert!((row as usize) < self.count, "there is such a row");
        // SAFETY: the row is within the rows. The caller guarantees the rest.
        by(unsafe { &mut *self.first.add(row as usize) });
    }
}

impl<'a, T> Rows<'a, T> {
    /// Divides the rows into `parts` parts of about the same length. Returns the part with index `part`, and the index
    /// of its first row.
    ///
    /// # Safety
    /// While the reference lives, no other thread may read or write any row of the part, and no other reference to such a
    /// row may exist.
    #[inline]
    pub(crate) unsafe fn part(&self, part: usize, parts: usize) -> (usize, &'a mut [T]) {
        assert!(part < parts, "there is such a part");
        let [first, end] = [self.count * part / parts, self.count * (part + 1) / parts];
        // SAFETY: the part is within the rows. The caller guarantees the rest.
        (first, unsafe { std::slice::from_raw_parts_mut(self.first.add(first), end - first) })
    }
}

impl Rows<'_, Row> {
    /// Replaces the first half of the row with index `body`.
    ///
    /// # Safety
    /// No other thread may read or write the row at the same time, and no reference to the row may exist.
    #[inline(always)]
    pub(crate) unsafe fn set_half(&self, body: u32, half: HalfRow) {
        assert!((body as usize) < self.count, "a contact names a body of the world");
        // SAFETY: the row is within the rows, and each row begins with an aligned half. The caller guarantees the rest.
        unsafe { self.first.add(body as usize).cast::<HalfRow>().write(half) }
    }
}
