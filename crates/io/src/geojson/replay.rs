//! A reader to which the caller can give back bytes. In a text sequence, it stops at the end of each record.

use std::io::{self, BufRead};

use super::nesting::RECORD_SEPARATOR;

pub(super) struct Replay<R> {
    /// The bytes that the caller gave back. They are read again before the next bytes of `reader`.
    again: Vec<u8>,
    /// The number of bytes of `again` that have been read again.
    at: usize,
    reader: R,
    /// Whether the input is a text sequence (RFC 8142), in which a record separator is never a part of a value.
    is_sequence: bool,
    /// The number of next bytes of `reader` that are known to contain no separator.
    clean: usize,
}

impl<R: BufRead> Replay<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { again: Vec::new(), at: 0, reader, is_sequence: false, clean: 0 }
    }

    /// Starts a text sequence. From now on, the reader stops before each record separator.
    pub(super) fn begin_sequence(&mut self) {
        self.is_sequence = true;
    }

    pub(super) fn is_sequence(&self) -> bool {
        self.is_sequence
    }

    /// Moves over the record separator after a record of a text sequence. If the next byte is not a record separator, returns
    /// `false` and does not move. Returns the error of the reader if the reader fails.
    pub(super) fn take_separator(&mut self) -> io::Result<bool> {
        let is_next = self.is_sequence
            && self.at == self.again.len()
            && fill(&mut self.reader)?.first() == Some(&RECORD_SEPARATOR);
        if is_next {
            self.reader.consume(1);
        }
        Ok(is_next)
    }

    /// Returns the next bytes, or the error of the reader. The slice is empty at the end of the input, and at the end of a
    /// record of a sequence.
    pub(super) fn fill(&mut self) -> io::Result<&[u8]> {
        if self.at < self.again.len() {
            return Ok(&self.again[self.at..]);
        }
        if self.at > 0 {
            (self.again, self.at) = (Vec::new(), 0);
        }
        let bytes = fill(&mut self.reader)?;
        if !self.is_sequence {
            return Ok(bytes);
        }
        if self.clean == 0 {
            let separator = bytes.iter().position(|&byte| byte == RECORD_SEPARATOR);
            self.clean = separator.unwrap_or(bytes.len());
        }
        Ok(&bytes[..self.clean.min(bytes.len())])
    }

    pub(super) fn consume(&mut self, count: usize) {
        if self.at < self.again.len() {
            self.at += count;
        } else {
            self.reader.consume(count);
            self.clean = self.clean.saturating_sub(count);
        }
    }

    /// Gives back `bytes`: the reader returns them again before all other bytes.
    pub(super) fn give_back(&mut self, mut bytes: Vec<u8>) {
        bytes.extend_from_slice(&self.again[self.at..]);
        (self.again, self.at) = (bytes, 0);
    }
}

/// Returns the result of [`BufRead::fill_buf`]. Repeats the call if a signal interrupts it, and returns any other error.
pub(super) fn fill(reader: &mut impl BufRead) -> io::Result<&[u8]> {
    loop {
        match reader.fill_buf() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
            // Calls `fill_buf` again, because the borrow checker does not accept the result of the first call here. If the first
            // call returned bytes, the second call reads nothing.
            Ok(_) => return reader.fill_buf(),
        }
    }
}
