//! The text of a value that is kept to be parsed, as much of it as it may take.

use super::position::{Origin, Place};
use super::scan::Stop;

pub(super) struct Kept<'a> {
    bytes: &'a mut Vec<u8>,
    /// Where the text starts in `bytes`.
    start: usize,
    origin: Origin,
    limit: usize,
}

impl<'a> Kept<'a> {
    /// A text that goes on at the end of `bytes`, of which those from `start` on are its own.
    pub(super) fn new(bytes: &'a mut Vec<u8>, start: usize, origin: Origin, limit: usize) -> Self {
        Self { bytes, start, origin, limit }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// What was kept from an offset on.
    pub(super) fn since(&self, offset: usize) -> &[u8] {
        &self.bytes[self.start + offset..]
    }

    /// How many bytes more it may take.
    pub(super) fn room(&self) -> usize {
        let cuts = self.origin.cuts.len() * size_of::<(usize, Place)>();
        self.limit.saturating_sub(self.len() + cuts)
    }

    pub(super) fn push(&mut self, more: &[u8]) -> Result<(), Stop> {
        if more.len() > self.room() {
            return Err(Stop::TooLarge);
        }
        if crate::base::memory::try_reserve(self.bytes, more.len()).is_err() {
            return Err(Stop::OutOfMemory(2 * self.bytes.len().max(more.len())));
        }
        self.bytes.extend_from_slice(more);
        Ok(())
    }

    /// Takes back what was kept from an offset on.
    pub(super) fn take_since(&mut self, offset: usize) -> Vec<u8> {
        self.bytes.split_off(self.start + offset)
    }

    /// Keeps what stands for something that was left out; the input goes on at `place`.
    pub(super) fn push_stand_in(&mut self, text: &[u8], place: Place) -> Result<(), Stop> {
        self.push(text)?;
        self.origin.cuts.push((self.len(), place));
        Ok(())
    }

    pub(super) fn into_origin(self) -> Origin {
        self.origin
    }
}
