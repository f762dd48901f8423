//! Rows of bodies that contacts of one colour read and write side by side.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use crate::vector::{HalfRow, LANES, Row};

/// The rows of all bodies, for the contacts of one colour on any number of threads.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    first: *mut Row,
    count: usize,
    rows: PhantomData<&'a mut [Row]>,
}

// SAFETY: what is read and written is up to those who call `get` and `set_half`, who promise that no row is written while
// another thread reads or writes it.
unsafe impl Send for Rows<'_> {}
// SAFETY: as above.
unsafe impl Sync for Rows<'_> {}

impl<'a> Rows<'a> {
    pub(crate) fn new(rows: &'a mut [Row]) -> Self {
        Self { first: rows.as_mut_ptr(), count: rows.len(), rows: PhantomData }
    }

    /// The rows of eight bodies.
    ///
    /// # Safety
    /// No other thread may write any of them while the references live.
    #[inline(always)]
    pub(crate) unsafe fn get(&self, bodies: &[u32; LANES]) -> [&Row; LANES] {
        bodies.map(|body| {
            assert!((body as usize) < self.count, "a contact names a body of the world");
            // SAFETY: within the rows; the rest is the caller's.
            unsafe { &*self.first.add(body as usize) }
        })
    }

    /// Writes the first half of a row.
    ///
    /// # Safety
    /// No other thread may read or write that row meanwhile, and no reference to it may live.
    #[inline(always)]
    pub(crate) unsafe fn set_half(&self, body: u32, half: HalfRow) {
        assert!((body as usize) < self.count, "a contact names a body of the world");
        // SAFETY: within the rows, of which each begins with a half, aligned; the rest is the caller's.
        unsafe { self.first.add(body as usize).cast::<HalfRow>().write(half) }
    }
}
