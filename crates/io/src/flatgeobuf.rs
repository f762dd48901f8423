//! Reads FlatGeobuf. The index of a file shows which features cannot meet the window.

mod buffer;
mod geometry;
mod header;
mod index;

use std::io::Read;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use crate::collector::{Collector, Part};
use crate::incoming::{self, Incoming, tasks};
use crate::name::{Name, Naming};
use crate::region::Region;
use crate::{Error, Id, ReadOptions, Result, RowGroups};
use buffer::{Damage, Table};
use header::{Columns, Header, broken, ends_in_index};
use index::Groups;

/// The first bytes of a FlatGeobuf file. The next byte of the file is the patch version, which may have any value.
pub(crate) const MAGIC: [u8; 7] = *b"fgb\x03fgb";

/// The number of bytes of features that are decoded together. A block of this size is enough work for every thread.
const BLOCK_BYTES: usize = 8 << 20;

/// Reads a file of FlatGeobuf.
///
/// # Errors
/// - [`Error::Read`] if the input cannot be read.
/// - [`Error::Format`] if the input is damaged, or if its number of features differs from the number in its header.
/// - [`Error::NoColumn`], [`Error::IdProperty`], [`Error::Feature`], [`Error::OutOfReadMemory`] and [`Error::Library`] in
///   the same cases as [`read`](crate::read()).
pub(crate) fn read<'a>(
    mut reader: impl Read + Send,
    path: &'a Path,
    options: &'a ReadOptions,
) -> Result<Collector<'a>> {
    let Header { columns, crs, kind, count, index } = Header::read(&mut reader, path, options)?;
    let groups = index.map(|layout| {
        let groups = layout.read(&mut reader, options.window);
        let groups = groups.map_err(|source| Error::Read { path: path.into(), source })?;
        groups.ok_or_else(|| ends_in_index(path, count))
    });
    let groups = groups.transpose()?;
    let mut collector = Collector::new(path, options);
    collector.describe(crs, false);
    collector.set_columns(columns.names.clone(), None, columns.id);
    let naming = collector.naming();
    if let Some(groups) = &groups {
        collector.set_row_groups(RowGroups { count: groups.count, left_out: groups.left_out() });
    }
    let groups = groups.as_ref();
    let mut records = Records { reader, path, expected: count, count: 0, at: 0, groups };
    let decode = |block: &Block| decode(block, kind, &columns, groups, naming, options);
    let collector = incoming::collect(collector, || records.next(), decode)?;
    match groups.and_then(Groups::problem) {
        Some(problem) => collector.end(Some(Error::Format { path: path.into(), problem })),
        None => Ok(collector),
    }
}

/// Returns whether a file of FlatGeobuf has an index. Returns `false` if the header cannot be read.
pub(crate) fn has_index(mut file: impl Read) -> bool {
    let options = ReadOptions::default();
    Header::read(&mut file, Path::new(""), &options).is_ok_and(|header| header.index.is_some())
}

/// A block of consecutive features of a FlatGeobuf file.
#[derive(Default)]
struct Block {
    /// The index in the file of the first feature of the block.
    first: usize,
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
    /// The number of bytes of the features that have been read so far.
    at: u64,
    groups: Option<&'a Groups>,
}

impl<R: Read> Records<'_, R> {
    fn next(&mut self) -> Incoming<Block> {
        let first = usize::try_from(self.count).unwrap_or(usize::MAX);
        let mut block = Block { first, ..Block::default() };
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
            if let Some(problem) = self.groups.and_then(|groups| groups.problem_of_start(self.count, self.at))
            {
                block.bytes.truncate(start);
                return Err(Error::Format { path: self.path.into(), problem });
            }
            block.records.push(start..block.bytes.len());
            self.count += 1;
            self.at += 4 + u64::from(size);
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
    groups: Option<&Groups>,
    naming: Naming<'_>,
    options: &ReadOptions,
) -> Vec<Part> {
    let decode = |task: Range<usize>| {
        let mut part = Part::new(options);
        for index in task {
            let bytes = &block.bytes[block.records[index].clone()];
            let is_left_out = groups.is_some_and(|groups| groups.leaves_out(block.first + index));
            let mark = part.mark();
            let named = named(bytes, columns, options);
            let (feature, id, own) = match named {
                Ok((feature, [id, own])) => (Ok(feature), id, own),
                Err(Damage) => (Err(Damage), None, None),
            };
            let name = Name { own: if id.is_none() { own } else { None }, id };
            let region = |region: Region<'_>| {
                let damaged = |Damage| {
                    geometry::malformed("an offset, a length or a property of the feature is damaged")
                };
                let feature = feature.map_err(damaged)?;
                if is_left_out {
                    return Ok(());
                }
                match feature.table(0).map_err(damaged)? {
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
            if let Some(groups) = groups {
                groups.check(block.first + index, &part, mark);
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
