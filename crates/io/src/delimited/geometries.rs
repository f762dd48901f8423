//! Reads text with one geometry on each line, in well-known text, or in well-known binary in hexadecimal digits.

use std::io::{BufRead, Read};
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::text::{Text, unpacked};
use crate::collector::{Collector, Part};
use crate::incoming::{self, Incoming, tasks};
use crate::name::{Name, Naming};
use crate::{Error, ReadOptions, Result, wkt};

/// Reads a file of geometries without names. The input may be compressed. Lines without a geometry are skipped.
///
/// # Errors
/// - [`Error::Read`] if the input cannot be read or decompressed.
/// - [`Error::Format`] if the input is compressed twice, or in a format that cannot be read.
/// - [`Error::NoColumn`] if the options require a column of ids, because the format has no columns.
/// - [`Error::Feature`], [`Error::OutOfReadMemory`] and [`Error::Library`] in the same cases as [`read`](crate::read()).
pub(crate) fn read<'a>(
    reader: impl BufRead + Send,
    path: &'a Path,
    options: &'a ReadOptions,
) -> Result<Collector<'a>> {
    if let Some(column) = options.id_property.as_ref().filter(|_| !options.id_otherwise) {
        let (path, column) = (path.into(), column.clone());
        return Err(Error::NoColumn { path, column, columns: Vec::new() });
    }
    let text = Text::new(unpacked(reader, path)?, path, options.max_feature_bytes);
    let mut geometries = Geometries { text, line: 1 };
    let collector = Collector::new(path, options);
    let naming = collector.naming();
    incoming::collect(collector, || geometries.next(), |block| decode(block, naming, options))
}

/// A block of consecutive geometries of the text.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    /// The range in `bytes` of each geometry.
    records: Vec<Range<usize>>,
    /// The line on which each geometry begins, from 1.
    lines: Vec<usize>,
}

/// Decodes the geometries of a block in parallel. Returns the features in parts, in the order of the text.
fn decode(block: &Block, naming: Naming<'_>, options: &ReadOptions) -> Vec<Part> {
    let decode = |task: Range<usize>| {
        let mut part = Part::new(options);
        for (record, &line) in block.records[task.clone()].iter().zip(&block.lines[task]) {
            let geometry = &block.bytes[record.clone()];
            part.set_next_line(line);
            let is_valid = part.add_named(Name::default(), naming, options, |region| {
                wkt::decode_text(geometry, options.points, region)
            });
            if !is_valid {
                break;
            }
        }
        part
    };
    tasks(&block.records).into_par_iter().map(decode).collect()
}

/// The geometries of a text, which are read block by block.
struct Geometries<'a, R> {
    text: Text<'a, R>,
    /// The line of the first byte that is not yet in a block.
    line: usize,
}

impl<R: Read> Geometries<'_, R> {
    fn next(&mut self) -> Incoming<Block> {
        let mut block = Block::default();
        let stop = self.next_geometries(&mut block).err();
        Incoming { block, is_last: self.text.is_used_up(), stop }
    }

    fn next_geometries(&mut self, block: &mut Block) -> Result<()> {
        let mut scan = Scan { at: 0, line_start: 0, line: self.line, open: None };
        loop {
            self.text.fill()?;
            scan.advance(&self.text.rest, self.text.has_ended, block);
            let (start, line) = scan.unfinished();
            // Blank lines at the start also end the block, so that they do not fill the memory.
            if self.text.has_ended || start > 0 {
                break;
            }
            self.text.check_size(scan.at, Some(line))?;
        }
        let (start, line) = scan.unfinished();
        let too_large = block.records.iter().position(|record| self.text.is_too_large(record.len()));
        let of_too_large = too_large.map(|index| (block.records[index].len(), block.lines[index]));
        block.records.truncate(too_large.unwrap_or(usize::MAX));
        self.text.count += block.records.len();
        (block.bytes, self.line) = (self.text.take(start), line);
        let (size, line) = of_too_large.unwrap_or((self.text.rest.len(), line));
        self.text.check_size(size, Some(line))
    }
}

/// The state of a scan for the ends of geometries.
struct Scan {
    /// The index of the byte at which the search for the next line end begins.
    at: usize,
    /// The index of the first byte of the current line.
    line_start: usize,
    /// The number of the current line, from 1.
    line: usize,
    /// The range of the last geometry, and its line. The current line may continue this geometry.
    open: Option<(Range<usize>, usize)>,
}

impl Scan {
    /// Adds the geometries that end in `bytes` to a block. `has_ended` says whether the text ends after `bytes`.
    fn advance(&mut self, bytes: &[u8], has_ended: bool, block: &mut Block) {
        while let Some(length) = bytes[self.at..].iter().position(|&byte| byte == b'\n') {
            let end = self.at + length;
            self.add_line(bytes, end, block);
            (self.at, self.line_start, self.line) = (end + 1, end + 1, self.line + 1);
        }
        self.at = bytes.len();
        if has_ended {
            self.add_line(bytes, bytes.len(), block);
            self.line_start = bytes.len();
            self.end_geometry(block);
        } else if let (Some((open, _)), Some(&first)) =
            (&self.open, bytes[self.line_start..].trim_ascii_start().first())
            && !continues(bytes[open.end - 1], first)
        {
            self.end_geometry(block);
        }
    }

    /// Adds the current line, which ends at the index `end`, to the open geometry. If the line does not continue the open
    /// geometry, the line begins a new one.
    fn add_line(&mut self, bytes: &[u8], end: usize, block: &mut Block) {
        let line = bytes[self.line_start..end].trim_ascii_end();
        let text = line.trim_ascii_start();
        let Some(&first) = text.first() else { return };
        let end = self.line_start + line.len();
        let range = end - text.len()..end;
        match &mut self.open {
            Some((open, _)) if continues(bytes[open.end - 1], first) => open.end = range.end,
            _ => {
                self.end_geometry(block);
                self.open = Some((range, self.line));
            }
        }
    }

    fn end_geometry(&mut self, block: &mut Block) {
        if let Some((range, line)) = self.open.take() {
            block.records.push(range);
            block.lines.push(line);
        }
    }

    /// Returns the index of the first byte that belongs to no geometry of the block, and the line of this byte.
    fn unfinished(&self) -> (usize, usize) {
        self.open.as_ref().map_or((self.line_start, self.line), |(open, line)| (open.start, *line))
    }
}

/// Returns whether a line continues the geometry of the lines before it. `last` is the last character of these lines, and
/// `first` is the first character of the line.
///
/// A line that begins with a letter always begins a geometry, so a truncated geometry does not swallow the next one.
fn continues(last: u8, first: u8) -> bool {
    match first {
        b'(' | b')' | b',' => true,
        _ => matches!(last, b'(' | b',') && !first.is_ascii_alphabetic(),
    }
}

#[cfg(test)]
mod tests;
