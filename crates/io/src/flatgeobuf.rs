//! Reads FlatGeobuf. The reader skips the index of a file, because a join needs every feature.

mod buffer;
mod geometry;
mod header;

use std::io::Read;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use crate::collector::{Collector, Part};
use crate::incoming::{self, Incoming, tasks};
use crate::name::{Name, Naming};
use crate::region::Region;
use crate::{Error, Id, ReadOptions, Result};
use buffer::{Damage, Table};
use header::{Columns, Header, broken};

/// The first bytes of a FlatGeobuf file. The next byte of the file is the patch version, which may have any value.
pub(crate) const MAGIC: [u8; 7] = *b"fgb\x03fgb";

/// The number of bytes of features that are decoded together. A block of this size is enough work for every thread.
const BLOCK_BYTES: usize = 8 << 20;

/// Reads a file of FlatGeobuf.
///
/// # Errors
/// - [`Error::Read`] if the input cannot be read.
/// - [`Error::Format`] if the input is damaged, or if its number of features differs from the number in its header.
/// - [`Error::NoColumn`], [`Error::IdProperty`], [`Error::Feature`] and [`Error::Library`] in the same cases as
///   [`read`](crate::read()).
pub(crate) fn read<'a>(
    mut reader: impl Read + Send,
    path: &'a Path,
    options: &'a ReadOptions,
) -> Result<Collector<'a>> {
    let Header { columns, crs, kind, count } = Header::read(&mut reader, path, options)?;
    let mut collector = Collector::new(path, options);
    collector.describe(crs, false);
    collector.set_columns(columns.names.clone(), None, columns.id);
    let naming = collector.naming();
    let mut records = Records { reader, path, expected: count, count: 0 };
    let decode = |block: &Block| decode(block, kind, &columns, naming, options);
    incoming::collect(collector, || records.next(), decode)
}

/// A block of consecutive features of a FlatGeobuf file.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    /// The range in `bytes` of each feature.
    records: Vec<Range<usize>>,
}

/// The features of a FlatGeobuf file, which are read block by block.
struct Records<'a, R> {
    reader: R,
    path: &'a Path,
    /// The number of features that the header of the file states, or 0 if the header states no number.
    expected: u64,
    /// The number of features that have been read so far.
    count: u64,
}

impl<R: Read> Records<'_, R> {
    fn next(&mut self) -> Incoming<Block> {
        let mut block = Block::default();
        match self.fill(&mut block) {
            Ok(is_last) => Incoming { block, is_last, stop: None },
            Err(stop) => Incoming { block, is_last: true, stop: Some(stop) },
        }
    }

    /// Reads the next features into an empty block. Returns whether the block is the last one of the file, or an error if the
    /// file cannot be read or is incomplete.
    fn fill(&mut self, block: &mut Block) -> Result<bool> {
        // The number of records is limited as well as the bytes, because damaged features may have no bytes besides their
        // length.
        const MOST_RECORDS: usize = 1 << 18;
        while block.bytes.len() < BLOCK_BYTES && block.records.len() < MOST_RECORDS {
            let start = block.bytes.len();
            let size = match self.append(4, block)? {
                0 => return self.check_count().map(|()| true),
                4 => block.bytes[start..].first_chunk().map_or(0, |&size| u32::from_le_bytes(size)),
                _ => 0,
            };
            let is_whole = block.bytes.len() == start + 4;
            block.bytes.truncate(start);
            if !is_whole || self.append(size.into(), block)? < size as usize {
                block.bytes.truncate(start);
                return Err(broken(
                    self.path,
                    &format!("feature {} ends after the end of the file", self.count),
                ));
            }
            block.records.push(start..block.bytes.len());
            self.count += 1;
        }
        Ok(false)
    }

    /// Appends up to `count` bytes of the file to a block. Returns the number of appended bytes, which is less than `count`
    /// only at the end of the file. Returns [`Error::Read`] if the file cannot be read.
    fn append(&mut self, count: u64, block: &mut Block) -> Result<usize> {
        let read = (&mut self.reader).take(count).read_to_end(&mut block.bytes);
        read.map_err(|source| Error::Read { path: self.path.into(), source })
    }

    fn check_count(&self) -> Result<()> {
        let (expected, count) = (self.expected, self.count);
        if expected == 0 || expected == count {
            return Ok(());
        }
        Err(broken(
            self.path,
            &format!("its header says that it has {expected} features, but it has {count}"),
        ))
    }
}

/// Decodes the features of a block in parallel. `kind` is the geometry type that the header of the file states.
fn decode(
    block: &Block,
    kind: u8,
    columns: &Columns,
    naming: Naming<'_>,
    options: &ReadOptions,
) -> Vec<Part> {
    let decode = |task: Range<usize>| {
        let mut part = Part::new(options);
        for record in &block.records[task] {
            let bytes = &block.bytes[record.clone()];
            let named = named(bytes, columns, options);
            let (feature, id, own) = match named {
                Ok((feature, [id, own])) => (Ok(feature), id, own),
                Err(Damage) => (Err(Damage), None, None),
            };
            let name = Name { own: if id.is_none() { own } else { None }, id };
            let region = |region: Region<'_>| {
                let geometry = feature.and_then(|feature| feature.table(0));
                let geometry = geometry.map_err(|Damage| {
                    geometry::malformed("an offset, a length or a property of the feature is damaged")
                })?;
                match geometry {
                    Some(table) => geometry::decode(&table, kind, bytes.len(), options.points, region),
                    None => {
                        region.counts.null_geometries += 1;
                        Ok(())
                    }
                }
            };
            if !part.add_named(name, naming, options, region) {
                break;
            }
        }
        part
    };
    tasks(&block.records).into_par_iter().map(decode).collect()
}

/// Returns the table of a feature, and the two names of [`Columns::names_in`]. Returns [`Damage`] if an offset or a length leads
/// out of the feature.
fn named<'a>(
    bytes: &'a [u8],
    columns: &Columns,
    options: &ReadOptions,
) -> Result<(Table<'a>, [Option<Id>; 2]), Damage> {
    let feature = Table::root(bytes)?;
    let of_feature = Columns::of(&feature, 2)?;
    let properties = feature.vector(1, 1)?;
    let names = if of_feature.names.is_empty() {
        columns.names_in(properties)?
    } else {
        of_feature.like(columns, options).names_in(properties)?
    };
    Ok((feature, names))
}

#[cfg(test)]
mod tests;
