//! A reader that takes back bytes that the caller has read from it.

use std::io::{self, BufRead};

pub(super) struct Replay<R> {
    /// The bytes that were given back, from `at` on.
    again: Vec<u8>,
    at: usize,
    reader: R,
}

impl<R: BufRead> Replay<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { again: Vec::new(), at: 0, reader }
    }

    /// The next bytes; none at the end of the input.
    pub(super) fn fill(&mut self) -> io::Result<&[u8]> {
        if self.at < self.again.len() {
            return Ok(&self.again[self.at..]);
        }
        if self.at > 0 {
            (self.again, self.at) = (Vec::new(), 0);
        }
        fill(&mut self.reader)
    }

    pub(super) fn consume(&mut self, count: usize) {
        if self.at < self.again.len() {
            self.at += count;
        } else {
            self.reader.consume(count);
        }
    }

    /// Puts `bytes` before the next bytes.
    pub(super) fn give_back(&mut self, mut bytes: Vec<u8>) {
        bytes.extend_from_slice(&self.again[self.at..]);
        (self.again, self.at) = (bytes, 0);
    }
}

/// [`BufRead::fill_buf`], repeated if a signal interrupts it.
pub(super) fn fill(reader: &mut impl BufRead) -> io::Result<&[u8]> {
    loop {
        match reader.fill_buf() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
            // Asked again, which is free, since the borrow checker cannot see that the loop ends here.
            Ok(_) => return reader.fill_buf(),
        }
    }
}
