//! Reads one layer of a GeoPackage, which is an SQLite database.
//!
//! The database may be hostile. It is opened to be read only, in such a way that nothing in it runs: no view, no trigger, no function. The
//! steps that SQLite may take are in proportion to the file, and so is the memory.

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
use crate::{Error, Id, ReadOptions, Result, wkb};
use database::{broken, failed};
use layer::Layer;

/// The bytes that are decoded at a time: enough for every thread.
const BLOCK_BYTES: usize = 8 << 20;
const BLOCK_ROWS: usize = 1 << 16;

/// Reads the file at `path`.
///
/// # Errors
/// - [`Error::Read`] if the file cannot be opened.
/// - [`Error::Format`] if the file is damaged or no GeoPackage, or has no layer or several layers of which none is named.
/// - [`Error::NoColumn`], [`Error::IdProperty`], [`Error::Feature`] and [`Error::Library`] as [`read`](crate::read()) says.
pub(crate) fn read<'a>(path: &'a Path, options: &'a ReadOptions) -> Result<Collector<'a>> {
    let connection = database::open(path)?;
    let layer = Layer::find(&connection, path, options)?;
    let mut collector = Collector::new(path, options);
    collector.describe(layer.crs.clone(), false);
    collector.set_columns(layer.columns.clone(), Some(layer.geometry), layer.id);
    let naming = collector.naming();
    std::thread::scope(|scope| {
        // A statement stays on its thread.
        let (sender, receiver) = sync_channel(1);
        let (connection, layer) = (connection, &layer);
        let spawned =
            std::thread::Builder::new().spawn_scoped(scope, move || send(&connection, layer, path, &sender));
        spawned.map_err(|source| Error::Read { path: path.into(), source })?;
        let decode = |block: &Block| decode(block, naming, options);
        incoming::collect(collector, move || receive(&receiver), decode)
    })
}

fn receive(receiver: &Receiver<Incoming<Block>>) -> Incoming<Block> {
    // The sender is gone only after its last block.
    receiver.recv().unwrap_or_else(|_| Incoming { block: Block::default(), is_last: true, stop: None })
}

/// Consecutive rows.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    /// The geometry of each row, in `bytes`.
    records: Vec<Range<usize>>,
    rows: Vec<Names>,
}

/// What a row has besides its geometry.
struct Names {
    is_null: bool,
    name: Result<Name>,
}

/// Sends all rows of a layer, in blocks. Ends early if nobody receives them.
fn send(connection: &Connection, layer: &Layer, path: &Path, sender: &SyncSender<Incoming<Block>>) {
    let mut block = Block::default();
    let stop = rows(connection, layer, path, |row| {
        block.push(row, layer)?;
        if block.bytes.len() < BLOCK_BYTES && block.rows.len() < BLOCK_ROWS {
            return Ok(true);
        }
        let block = std::mem::take(&mut block);
        Ok(sender.send(Incoming { block, is_last: false, stop: None }).is_ok())
    });
    // It is no error that nobody receives the end.
    let _ = sender.send(Incoming { block, is_last: true, stop: stop.err() });
}

/// Calls `take` with each row, in the order of the rows, until `take` returns `false`.
fn rows(
    connection: &Connection,
    layer: &Layer,
    path: &Path,
    mut take: impl FnMut(&Row<'_>) -> rusqlite::Result<bool>,
) -> Result<()> {
    let failed = |error| failed(&error, path);
    let mut statement = connection.prepare(&layer.query()).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut last = None;
    while let Some(row) = rows.next().map_err(failed)? {
        // The pages of a damaged table may have rows twice.
        let number: i64 = row.get(0).map_err(failed)?;
        if last.is_some_and(|last| last >= number) {
            return Err(broken(path, &format!("row {number} of {} comes twice", layer.table)));
        }
        last = Some(number);
        if !take(row).map_err(failed)? {
            break;
        }
    }
    Ok(())
}

impl Block {
    fn push(&mut self, row: &Row<'_>, layer: &Layer) -> rusqlite::Result<()> {
        let start = self.bytes.len();
        let geometry = row.get_ref(1)?;
        match geometry {
            ValueRef::Blob(bytes) | ValueRef::Text(bytes) => self.bytes.extend(bytes),
            // A number has no bytes, which is an error of the row.
            _ => {}
        }
        self.records.push(start..self.bytes.len());
        let id = layer.id.map_or(Ok(Ok(None)), |_| row.get_ref(2).map(name))?;
        let own = layer.own.map_or(Ok(Ok(None)), |_| row.get_ref(3).map(name))?;
        let name = id.and_then(|id| Ok(Name { own: if id.is_none() { own? } else { None }, id }));
        self.rows.push(Names { is_null: geometry == ValueRef::Null, name });
        Ok(())
    }
}

/// The name that a value is.
fn name(value: ValueRef<'_>) -> Result<Option<Id>> {
    let text = |bytes: &[u8]| {
        let problem = "its name is not UTF-8; name another column with `--id`";
        let text = std::str::from_utf8(bytes).map_err(|_| Error::Malformed { problem: problem.into() })?;
        Ok(Some(Id::Text(text.into())))
    };
    match value {
        ValueRef::Null => Ok(None),
        ValueRef::Integer(integer) => Ok(Some(Id::Integer(integer))),
        ValueRef::Real(number) => Ok(Some(Id::from_f64(number))),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => text(bytes),
    }
}

/// Decodes the rows of a block in parallel.
fn decode(block: &Block, naming: Naming<'_>, options: &ReadOptions) -> Vec<Part> {
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
                wkb::decode(well_known(geometry)?, options.points, region)
            };
            if !part.add_named(name, naming, options, region) {
                break;
            }
        }
        part
    };
    tasks(&block.records).into_par_iter().map(decode).collect()
}

/// The well-known binary in a geometry of a GeoPackage.
fn well_known(geometry: &[u8]) -> Result<&[u8]> {
    /// The magic number, the version, the flags and the reference system.
    const HEADER: usize = 8;
    const EXTENDED: u8 = 1 << 5;
    let malformed = |problem: &str| Error::Malformed {
        problem: format!("GeoPackage: {problem}; write the geometry again"),
    };
    if !geometry.starts_with(b"GP") || geometry.len() < HEADER {
        return Err(malformed("its geometry does not begin with GP"));
    }
    let flags = geometry[3];
    if flags & EXTENDED != 0 {
        return Err(malformed("its geometry has a type that only an extension knows"));
    }
    // The numbers of the bounding box.
    let envelope = match flags >> 1 & 7 {
        0 => 0,
        1 => 4,
        2 | 3 => 6,
        4 => 8,
        kind => return Err(malformed(&format!("its envelope has the kind {kind}, which does not exist"))),
    };
    geometry.get(HEADER + 8 * envelope..).ok_or_else(|| malformed("its geometry ends in its envelope"))
}

#[cfg(test)]
mod tests;
