//! Reads Shapefiles: the shapes of the `.shp` file, the names in the `.dbf` file, and the reference system in the
//! `.prj` file. The three files are in one folder.

mod dbf;
mod framing;
mod nesting;
mod shape;
mod slabs;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::collector::{Collector, Part};
use crate::incoming::{self, Incoming, tasks};
use crate::name::{Name, Naming};
use crate::region::Region;
use crate::{Crs, Error, ReadOptions, Result, column_names};
use dbf::{Decoder, Encoding, Table};
use framing::{Block, Records};

/// The first bytes of a `.shp` file, which are also the first bytes of a `.shx` file.
pub(crate) const MAGIC: [u8; 4] = [0, 0, 0x27, 0x0A];

/// The largest length in bytes that the reader accepts for a small text file of a Shapefile, such as the `.prj` file.
const NOTE_BYTES: u64 = 1 << 16;

/// Reads the `.shp` file of a Shapefile. The other files are next to the file at `path`. Standard input has no other
/// files.
///
/// # Errors
/// - [`Error::Read`] if a file cannot be read.
/// - [`Error::Format`] if a file is damaged, or if the files do not have the same number of features.
/// - [`Error::NoColumn`], [`Error::IdProperty`], [`Error::Feature`], [`Error::OutOfReadMemory`] and [`Error::Library`] in
///   the same cases as [`read`](crate::read()).
pub(crate) fn read<'a>(
    reader: impl Read + Send,
    path: &'a Path,
    options: &'a ReadOptions,
) -> Result<Collector<'a>> {
    let mut records = Records::new(reader, path)?;
    let mut collector = Collector::new(path, options);
    let mut names = Names::open(path, options)?;
    if let Some(text) = text_beside(path, "prj")? {
        collector.describe(Some(Crs::from_text(text.trim())), false);
    }
    if let Some(names) = &names {
        collector.set_columns(names.table.names(), None, names.id);
    }
    let naming = collector.naming();
    let decoder = names.as_ref().map(|names| names.decoder.clone());
    let next = || {
        let (mut block, mut stop) = records.next();
        let mut rows = Vec::new();
        if let Some(names) = &mut names {
            match names.table.rows(block.records.len()) {
                Ok(bytes) => rows = bytes,
                Err(error) => {
                    block.records.clear();
                    stop = Some(error);
                }
            }
            if stop.is_none() && records.is_at_end() {
                stop = names.check_count(records.count(), path).err();
            }
        }
        Incoming { block: (block, rows), is_last: records.is_at_end(), stop }
    };
    incoming::collect(collector, next, |(block, rows)| decode(block, decoder.as_ref(), rows, naming, options))
}

/// The table of a Shapefile, which has the names of the features.
struct Names {
    table: Table<BufReader<File>>,
    decoder: Decoder,
    /// The index in the table of the column that names the features, or `None` if there is no such column.
    id: Option<usize>,
    row_count: usize,
}

impl Names {
    /// Opens the table and finds the columns that name features. Returns `None` if there is no table. Returns an error if the table
    /// cannot be read or is damaged, or if the requested column is missing or cannot name a feature.
    fn open(path: &Path, options: &ReadOptions) -> Result<Option<Self>> {
        let no_column = |columns: Vec<String>| {
            let column = options.id_property.clone().filter(|_| !options.id_otherwise);
            column.map_or(Ok(()), |column| Err(Error::NoColumn { path: path.into(), column, columns }))
        };
        let Some((file, beside)) = open_beside(path, "dbf")? else {
            no_column(Vec::new())?;
            return Ok(None);
        };
        let encoding = text_beside(path, "cpg")?.map(|text| encoding(&text));
        let table = Table::new(BufReader::with_capacity(1 << 16, file), beside, encoding)?;
        let row_count = table.rows_left() as usize;
        let own = table.column(column_names::ID).filter(|&column| table.can_name(column));
        let id = match &options.id_property {
            None => own,
            Some(property) => {
                let column = table.column(property);
                if column.is_none() {
                    no_column(table.names())?;
                }
                column
            }
        };
        if let Some(id) = id.filter(|&id| !table.can_name(id)) {
            return Err(table.not_a_name(id));
        }
        let own = own.filter(|_| options.id_property.is_some() && options.id_otherwise);
        let decoder = table.decoder(id, own);
        Ok(Some(Self { table, decoder, id, row_count }))
    }

    /// Returns an error if the number of rows in this table differs from `shape_count`, the number of shapes.
    fn check_count(&self, shape_count: usize, path: &Path) -> Result<()> {
        if self.row_count == shape_count {
            return Ok(());
        }
        let (rows, table) = (self.row_count, self.table.path().display());
        let problem = format!(
            "it has {shape_count} shapes, but {table} has {rows} rows; write both files again, or remove the table to read the shapes alone"
        );
        Err(Error::Format { path: path.into(), problem })
    }
}

/// Decodes the records of a block in parallel. `rows` are the rows of the table that belong to these records.
fn decode(
    block: &Block,
    names: Option<&Decoder>,
    rows: &[u8],
    naming: Naming<'_>,
    options: &ReadOptions,
) -> Vec<Part> {
    let decode = |task: std::ops::Range<usize>| {
        let mut part = Part::new(options);
        for index in task {
            let record = &block.bytes[block.records[index].clone()];
            let row = names.map_or_else(|| Ok(dbf::Row::default()), |names| names.row(rows, index));
            let (row, error) = match row {
                Ok(row) => (row, None),
                Err(error) => (dbf::Row::default(), Some(error)),
            };
            let region = |region: Region<'_>| match error {
                Some(error) => Err(error),
                // The deleted feature has no region. It keeps its index, so later features stay aligned with their
                // rows.
                None if row.is_deleted => {
                    region.counts.null_geometries += 1;
                    Ok(())
                }
                None => shape::decode(record, options.points, region),
            };
            if !part.add_named(Name { id: row.id, own: row.own }, naming, options, region) {
                break;
            }
        }
        part
    };
    tasks(&block.records).into_par_iter().map(decode).collect()
}

/// Opens the file whose path is `path` with the extension `ending`, in lower case or in upper case. Returns `None` if there is
/// no such file, and [`Error::Read`] if the file cannot be opened.
fn open_beside(path: &Path, ending: &str) -> Result<Option<(File, PathBuf)>> {
    if path.as_os_str() == "-" {
        return Ok(None);
    }
    for ending in [ending.to_owned(), ending.to_uppercase()] {
        let beside = path.with_extension(ending);
        match File::open(&beside) {
            Ok(file) => return Ok(Some((file, beside))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(Error::Read { path: beside, source }),
        }
    }
    Ok(None)
}

/// Returns the text of the file whose path is `path` with the extension `ending`, or `None` if there is no such file. Returns
/// [`Error::Read`] if the file cannot be read.
fn text_beside(path: &Path, ending: &str) -> Result<Option<String>> {
    let Some((file, beside)) = open_beside(path, ending)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.take(NOTE_BYTES).read_to_end(&mut bytes).map_err(|source| Error::Read { path: beside, source })?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns the encoding that the text of a `.cpg` file names.
fn encoding(text: &str) -> Encoding {
    let name: String = text.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    match name.as_str() {
        "utf8" | "65001" => Encoding::Utf8,
        "iso88591" | "88591" | "latin1" | "1252" | "cp1252" | "windows1252" | "ansi1252" => Encoding::Western,
        _ => Encoding::Other,
    }
}

#[cfg(test)]
mod tests;
