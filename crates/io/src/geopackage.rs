//! Reads one layer of a GeoPackage, which is an SQLite database.
//!
//! The database may be hostile. It is opened read-only, with settings that prevent its views, triggers and functions from
//! running. The number of steps of SQLite and the memory are limited in proportion to the size of the file.

mod blob;
mod database;
mod layer;

use std::ops::Range;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use rayon::prelude::*;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use crate::collector::{Collector, Part};
use crate::incoming::{self, Incoming, tasks};
use crate::name::{Name, Naming};
use crate::region::Region;
use crate::{Error, Id, ReadOptions, Result};
use database::{broken, failed, failed_in};
use layer::Layer;

/// The number of bytes of geometries that are decoded together. A block of this size is enough work for every thread.
const BLOCK_BYTES: usize = 8 << 20;
/// The greatest number of rows that are decoded together. A limit on the bytes is not enough, because rows may have no bytes.
const BLOCK_ROWS: usize = 1 << 16;
/// The number of bytes by which the total size of all rows may exceed the size of the file. Rows may be larger than the
/// file: the default value of a column is stored once, but it can be in many rows.
const FREE_BYTES: u64 = 64 << 20;

/// Reads the file at `path`.
///
/// # Errors
/// - [`Error::Read`] if the file cannot be opened.
/// - [`Error::Format`] if the file is damaged, is not a GeoPackage, or has no layer, or if it has several layers and the
///   options do not select one.
/// - [`Error::NoColumn`], [`Error::IdProperty`], [`Error::Feature`], [`Error::OutOfReadMemory`] and [`Error::Library`] in
///   the same cases as [`read`](crate::read()).
pub(crate) fn read<'a>(path: &'a Path, options: &'a ReadOptions) -> Result<Collector<'a>> {
    let (connection, size) = database::open(path)?;
    let layer = Layer::find(&connection, path, options)?;
    let mut collector = Collector::new(path, options);
    collector.describe(layer.crs.clone(), false);
    collector.set_columns(layer.columns.clone(), Some(layer.geometry), layer.id);
    let naming = collector.naming();
    std::thread::scope(|scope| {
        // A statement of SQLite must stay on the thread that prepared it.
        let (sender, receiver) = sync_channel(1);
        let (connection, layer) = (connection, &layer);
        let spawned = std::thread::Builder::new()
            .spawn_scoped(scope, move || send(&connection, layer, path, size, options, &sender));
        spawned.map_err(|source| Error::Read { path: path.into(), source })?;
        let decode = |block: &Block| decode(block, layer.srs, naming, options);
        incoming::collect(collector, move || receive(&receiver), decode)
    })
}

fn receive(receiver: &Receiver<Incoming<Block>>) -> Incoming<Block> {
    // The sender is dropped only after it has sent its last block, so an error cannot occur here.
    receiver.recv().unwrap_or_else(|_| Incoming { block: Block::default(), is_last: true, stop: None })
}

/// A block of consecutive rows of the layer.
#[derive(Default)]
struct Block {
    /// The geometries of all rows, one after another.
    bytes: Vec<u8>,
    /// The range in `bytes` of each row's geometry.
    records: Vec<Range<usize>>,
    /// The name of each row's feature.
    rows: Vec<Names>,
}

/// The name of a row's feature, and whether the geometry of the row is null.
struct Names {
    is_null: bool,
    name: Result<Name>,
}

/// Sends all rows of a layer to another thread, in blocks. Stops early if the thread no longer receives blocks.
fn send(
    connection: &Connection,
    layer: &Layer,
    path: &Path,
    size: u64,
    options: &ReadOptions,
    sender: &SyncSender<Incoming<Block>>,
) {
    let mut block = Block::default();
    // Damaged rows can share pages. All rows together can then be far larger than the file, and take far longer to read.
    let mut left = size.saturating_add(FREE_BYTES);
    let stop = rows(connection, layer, path, |row| {
        let bytes = block.push(row, layer)?;
        left = left.checked_sub(bytes).ok_or(Stop::TooLarge)?;
        if let Some(read) = &options.progress {
            read.add(bytes);
        }
        if block.bytes.len() < BLOCK_BYTES && block.rows.len() < BLOCK_ROWS {
            return Ok(true);
        }
        let block = std::mem::take(&mut block);
        Ok(sender.send(Incoming { block, is_last: false, stop: None }).is_ok())
    });
    // An error of `send` only says that the other thread no longer receives blocks.
    let _ = sender.send(Incoming { block, is_last: true, stop: stop.err() });
}

/// The reason why the reader stops before the last row of the layer.
enum Stop {
    Sqlite(rusqlite::Error),
    TooLarge,
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Calls `take` with each row, in the order of the rows, until `take` returns `false`. Returns an error if SQLite fails, or if
/// the rows show that the file is damaged.
fn rows(
    connection: &Connection,
    layer: &Layer,
    path: &Path,
    mut take: impl FnMut(&Row<'_>) -> Result<bool, Stop>,
) -> Result<()> {
    let mut statement = connection.prepare(&layer.query()).map_err(|error| failed(&error, path))?;
    let mut rows = statement.query([]).map_err(|error| failed(&error, path))?;
    let (mut last, mut count) = (None, 0);
    let failed_at = |error: &rusqlite::Error, count: usize| {
        failed_in(error, path, &format!("in feature {count} of the layer {}: ", layer.table))
    };
    while let Some(row) = rows.next().map_err(|error| failed_at(&error, count))? {
        // A row number that is not above the previous one shows damage: in a damaged table, two pages may contain the
        // same row.
        let number: i64 = row.get(0).map_err(|error| failed_at(&error, count))?;
        if last.is_some_and(|last| last >= number) {
            return Err(broken(path, &format!("row {number} of {} comes twice", layer.table)));
        }
        last = Some(number);
        match take(row) {
            Ok(true) => count += 1,
            Ok(false) => break,
            Err(Stop::Sqlite(error)) => return Err(failed_at(&error, count)),
            Err(Stop::TooLarge) => {
                let problem =
                    format!("the first {} rows of {} have more bytes than the file", count + 1, layer.table);
                return Err(broken(path, &problem));
            }
        }
    }
    Ok(())
}

impl Block {
    /// Adds a row to the block. Returns the number of bytes of the row that SQLite read or skipped, or the error of SQLite.
    fn push(&mut self, row: &Row<'_>, layer: &Layer) -> rusqlite::Result<u64> {
        let start = self.bytes.len();
        let geometry = row.get_ref(1)?;
        match geometry {
            ValueRef::Blob(bytes) | ValueRef::Text(bytes) => self.bytes.extend(bytes),
            // A number has no bytes, so the row becomes invalid.
            _ => {}
        }
        self.records.push(start..self.bytes.len());
        let mut bytes = (self.bytes.len() - start) as u64;
        let mut named = |index| {
            let value = row.get_ref(index)?;
            bytes += length(value);
            Ok::<_, rusqlite::Error>(name(value, layer.id_option))
        };
        let id = layer.id.map_or(Ok(Ok(None)), |_| named(2))?;
        let own = layer.own.map_or(Ok(Ok(None)), |_| named(3))?;
        for index in layer::NAMED_COLUMNS..layer.query_columns() {
            bytes = bytes.saturating_add(row.get_ref(index)?.as_i64().map_or(0, i64::unsigned_abs));
        }
        let name = id.and_then(|id| Ok(Name { own: if id.is_none() { own? } else { None }, id }));
        self.rows.push(Names { is_null: geometry == ValueRef::Null, name });
        Ok(bytes)
    }
}

/// Returns the number of bytes of a text or a blob, or 0 for a value of any other type.
fn length(value: ValueRef<'_>) -> u64 {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len() as u64,
        _ => 0,
    }
}

/// Returns the id in a value, or `None` if the value is null. `option` is the option that names the column of ids.
/// Returns [`Error::Malformed`] if the value is not UTF-8.
fn name(value: ValueRef<'_>, option: &str) -> Result<Option<Id>> {
    let text = |bytes: &[u8]| {
        let problem = || format!("its name is not UTF-8; name another column with `{option}`");
        let text = std::str::from_utf8(bytes).map_err(|_| Error::Malformed { problem: problem() })?;
        Ok(Some(Id::Text(text.into())))
    };
    match value {
        ValueRef::Null => Ok(None),
        ValueRef::Integer(integer) => Ok(Some(Id::Integer(integer))),
        ValueRef::Real(number) => Ok(Some(Id::from_f64(number))),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => text(bytes),
    }
}

/// Decodes the rows of a block in parallel. `srs` is the reference system of the layer.
fn decode(block: &Block, srs: i64, naming: Naming<'_>, options: &ReadOptions) -> Vec<Part> {
    let decode = |task: Range<usize>| {
        let mut part = Part::new(options);
        for index in task {
            let (geometry, names) = (&block.bytes[block.records[index].clone()], &block.rows[index]);
            let (name, problem) = match &names.name {
                Ok(name) => (Name { id: name.id.clone(), own: name.own.clone() }, None),
                Err(error) => (Name::default(), Some(error.to_string())),
            };
            let region = |region: Region<'_>| {
                if let Some(problem) = problem {
                    return Err(Error::Malformed { problem });
                }
                if names.is_null {
                    region.counts.null_geometries += 1;
                    return Ok(());
                }
                blob::decode(geometry, srs, options.points, region)
            };
            if !part.add_named(name, naming, options, region) {
                break;
            }
        }
        part
    };
    tasks(&block.records).into_par_iter().map(decode).collect()
}

#[cfg(test)]
mod tests;
