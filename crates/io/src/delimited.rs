//! Reads text with geometries: columns of text (CSV and TSV), and files of geometries alone. A geometry is well-known text, or
//! well-known binary in hexadecimal digits.

pub(crate) mod geometries;
mod records;
mod text;

use std::borrow::Cow;
use std::io::BufRead;
use std::path::Path;

use rayon::prelude::*;

use crate::collector::{Collector, Part};
use crate::incoming::{self, tasks};
use crate::name::{Name, Naming};
use crate::region::Region;
use crate::{Error, Id, ReadOptions, Result, column_names, wkt};
use records::{Block, Records, fields};
use text::unpacked;

/// Reads CSV or TSV. The input may be compressed.
///
/// # Errors
/// - [`Error::Read`] if the input cannot be read or decompressed.
/// - [`Error::Format`] if the input is compressed twice, has no line with column names, or has no column of geometries.
/// - [`Error::Feature`] for a row with a quote that does not end.
/// - [`Error::NoColumn`], [`Error::IdProperty`], [`Error::Feature`], [`Error::OutOfReadMemory`] and [`Error::Library`] in
///   the same cases as [`read`](crate::read()).
pub(crate) fn read<'a>(
    reader: impl BufRead + Send,
    is_tabbed: bool,
    path: &'a Path,
    options: &'a ReadOptions,
) -> Result<Collector<'a>> {
    let mut records = Records::new(unpacked(reader, path)?, is_tabbed, path, options.max_feature_bytes);
    let header = records.header()?;
    let delimiter = records.delimiter();
    let names: Vec<String> = fields(&header, delimiter)
        .map(|field| String::from_utf8_lossy(&field.value()).trim().to_owned())
        .collect();
    let columns = Columns::find(&names, path, options)?;
    let mut collector = Collector::new(path, options);
    collector.set_columns(names, Some(columns.geometry), columns.id);
    let naming = collector.naming();
    let decode = |block: &Block| decode(block, delimiter, &columns, naming, options);
    incoming::collect(collector, || records.next(), decode)
}

/// The indices of the columns of a table that the reader needs.
struct Columns {
    count: usize,
    geometry: usize,
    id: Option<usize>,
    own: Option<usize>,
}

impl Columns {
    fn find(names: &[String], path: &Path, options: &ReadOptions) -> Result<Self> {
        let index = |name: &str| column_names::find(names, name);
        let missing = |column: &str| Error::NoColumn {
            path: path.into(),
            column: column.into(),
            columns: names.to_vec(),
        };
        let geometry = match &options.geometry {
            Some(name) => index(name).ok_or_else(|| missing(name))?,
            None => column_names::find_geometry(names, |_| true).ok_or_else(|| {
                let problem = format!(
                    "no column is known to have geometries; name one with `{}`; the columns are {}",
                    options.option_names.geometry,
                    names.join(", ")
                );
                Error::Format { path: path.into(), problem }
            })?,
        };
        let own = index(column_names::ID);
        let id = match &options.id_property {
            None => own,
            Some(name) => match index(name) {
                None if !options.id_otherwise => return Err(missing(name)),
                found => found,
            },
        };
        let own = own.filter(|_| options.id_property.is_some() && options.id_otherwise);
        Ok(Self { count: names.len(), geometry, id, own })
    }
}

/// Decodes the records of a block in parallel. Returns the features in parts, in the order of the records.
fn decode(
    block: &Block,
    delimiter: u8,
    columns: &Columns,
    naming: Naming<'_>,
    options: &ReadOptions,
) -> Vec<Part> {
    let decode = |task: std::ops::Range<usize>| {
        let mut part = Part::new(options);
        for record in &block.records[task] {
            let record = &block.bytes[record.clone()];
            let (mut geometry, mut id, mut own, mut count) = (None, Ok(None), Ok(None), 0);
            for (index, field) in fields(record, delimiter).enumerate() {
                if index == columns.geometry {
                    geometry = Some(field.value());
                }
                if Some(index) == columns.id {
                    id = field.id();
                }
                if Some(index) == columns.own {
                    own = field.id();
                }
                count += 1;
            }
            let name = id.and_then(|id| Ok(Name { own: if id.is_none() { own? } else { None }, id }));
            let (name, error) = match name {
                Ok(name) => (name, None),
                Err(error) => (Name::default(), Some(error)),
            };
            let region = |region: Region<'_>| {
                error.map_or(Ok(()), Err)?;
                if count != columns.count {
                    let expected = columns.count;
                    let problem = format!(
                        "the row has {count} columns, but the first line has {expected}; write the row again"
                    );
                    return Err(Error::Malformed { problem });
                }
                let geometry: Cow<'_, [u8]> = geometry.unwrap_or_default();
                wkt::decode_text(&geometry, options.points, region)
            };
            if !part.add_named(name, naming, options, region) {
                break;
            }
        }
        part
    };
    tasks(&block.records).into_par_iter().map(decode).collect()
}

impl records::Field<'_> {
    /// Returns the value of this field as the name of a feature, or `None` if the field is empty. A whole number
    /// without quotes becomes an integer. Returns an error if the field is not UTF-8.
    fn id(&self) -> Result<Option<Id>> {
        let value = self.value();
        let text = std::str::from_utf8(&value).map_err(|_| Error::Malformed {
            problem: "its name is not UTF-8; write the file in UTF-8".into(),
        })?;
        Ok(match Id::from_number(text) {
            _ if text.is_empty() => None,
            Id::Integer(integer) if !self.is_quoted => Some(Id::Integer(integer)),
            _ => Some(Id::Text(text.into())),
        })
    }
}

#[cfg(test)]
mod tests;
