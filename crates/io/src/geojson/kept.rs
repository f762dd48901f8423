//! The part of the input that is kept for the JSON parser: the text of one value. The size of the text is limited.

use super::position::{Origin, Place};
use super::scan::Stop;

pub(super) struct Kept<'a> {
    bytes: &'a mut Vec<u8>,
    /// The index in `bytes` of the first byte of the text.
    start: usize,
    origin: Origin,
    /// The greatest number of bytes that the text may take together with the list of the parts that were cut out of it.
    limit: usize,
}

impl<'a> Kept<'a> {
    /// Starts to keep a text at the end of `bytes`. If `bytes` already has a part of the text, this part begins at
    /// `start`.
    pub(super) fn new(bytes: &'a mut Vec<u8>, start: usize, origin: Origin, limit: usize) -> Self {
        Self { bytes, start, origin, limit }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// Returns the kept text from the byte with the index `offset` to the end of the text.
    pub(super) fn since(&self, offset: usize) -> &[u8] {
        &self.bytes[self.start + offset..]
    }

    /// Returns the number of bytes that may still be added to the text.
    pub(super) fn room(&self) -> usize {
        let cuts = self.origin.cuts.len() * size_of::<(usize, Place)>();
        self.limit.saturating_sub(self.len() + cuts)
    }

    pub(super) fn push(&mut self, more: &[u8]) -> Result<(), Stop> {
        if more.len() > self.room() {
            return Err(Stop::TooLarge);
        }
        if sat2d::internal::try_reserve(self.bytes, more.len()).is_err() {
            return Err(Stop::OutOfMemory(2 * self.bytes.len().max(more.len())));
        }
        self.bytes.extend_from_slice(more);
        Ok(())
    }

    /// Removes the kept text from the byte with the index `offset` to the end, and returns the removed bytes.
    pub(super) fn take_since(&mut self, offset: usize) -> Vec<u8> {
        self.bytes.split_off(self.start + offset)
    }

    /// Appends `text` in place of a part of the input that is left out. `place` is the place in the input after this part. Returns
    /// the error of [`Kept::push`].
    pub(super) fn push_stand_in(&mut self, text: &[u8], place: Place) -> Result<(), Stop> {
        self.push(text)?;
        self.origin.cuts.push((self.len(), place));
        Ok(())
    }

    pub(super) fn into_origin(self) -> Origin {
        self.origin
    }
}
