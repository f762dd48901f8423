//! The header of a FlatGeobuf file: the columns, the reference system, and the size of the index after the header.

use std::io::{self, Read};
use std::path::Path;

use super::buffer::{Checked, Damage, Table};
use super::index::Layout;
use crate::{Crs, Error, Id, ReadOptions, Result, column_names};

/// The largest length of the header of a FlatGeobuf file that the reader accepts, in bytes.
const MOST_BYTES: u32 = 64 << 20;

/// The names and types of columns, and the indices of the columns whose values are the names of features.
#[derive(Debug, Default)]
pub(super) struct Columns {
    pub(super) names: Vec<String>,
    kinds: Vec<u8>,
    pub(super) id: Option<usize>,
    pub(super) own: Option<usize>,
}

pub(super) struct Header {
    pub(super) columns: Columns,
    pub(super) crs: Option<Crs>,
    /// The type of all geometries of the file, or 0 if each geometry has a type of its own.
    pub(super) kind: u8,
    /// The number of features of the file, or 0 if the header does not state the number.
    pub(super) count: u64,
    /// The layout of the index that follows the header. `None` if the file has no index.
    pub(super) index: Option<Layout>,
}

pub(super) fn broken(path: &Path, problem: &str) -> Error {
    let problem = format!("not valid FlatGeobuf: {problem}; write the file again");
    Error::Format { path: path.into(), problem }
}

/// Reads `count` bytes. Returns `None` if the input ends earlier, and the error of the reader if it fails. The memory is
/// proportional to the number of bytes that were read, so a huge `count` in a damaged file does not exhaust the memory.
fn exactly(reader: &mut impl Read, count: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let read = reader.take(count).read_to_end(&mut bytes)?;
    Ok((read as u64 == count).then_some(bytes))
}

impl Header {
    /// Reads a header. Returns an error if the file cannot be read, its header is damaged, or no column has the requested name.
    pub(super) fn read(reader: &mut impl Read, path: &Path, options: &ReadOptions) -> Result<Self> {
        /// The number of bytes before the header: the magic number, and the length of the header.
        const START: u64 = 12;
        let unreadable = |source| Error::Read { path: path.into(), source };
        let broken = |problem: &str| broken(path, problem);
        let start = exactly(reader, START).map_err(unreadable)?;
        let start = start.ok_or_else(|| broken("it has fewer bytes than a magic number"))?;
        if !start.starts_with(&super::MAGIC) {
            return Err(broken("it does not begin with fgb"));
        }
        let size = start.last_chunk().map_or(0, |&size| u32::from_le_bytes(size));
        if size > MOST_BYTES {
            return Err(broken(&format!("its header says that it has {size} bytes")));
        }
        let bytes = exactly(reader, size.into()).map_err(unreadable)?;
        let bytes = bytes.ok_or_else(|| broken(&format!("it ends in its header of {size} bytes")))?;
        let damaged = |Damage| broken("its header is damaged");
        let table = Table::root(&bytes).map_err(damaged)?;
        let columns = Columns::of(&table, 7).map_err(damaged)?;
        let columns = columns.find(path, options)?;
        let crs =
            table.table(10).and_then(|table| table.map(|table| crs(&table)).transpose()).map_err(damaged)?;
        let (kind, count) = (table.byte(2).map_err(damaged)?, table.long(8).map_err(damaged)?);
        let node_size = table.short(9, 16).map_err(damaged)?;
        let index = if node_size > 0 && count > 0 {
            let layout = Layout::new(count, node_size);
            Some(layout.ok_or_else(|| ends_in_index(path, count))?)
        } else {
            None
        };
        Ok(Self { columns, crs: crs.flatten(), kind, count, index })
    }
}

pub(super) fn ends_in_index(path: &Path, count: u64) -> Error {
    broken(path, &format!("it ends in its index, which is for {count} features"))
}

fn crs(table: &Table<'_>) -> Checked<Option<Crs>> {
    let (authority, code, name) = (table.text(0)?, table.int(1)?, table.text(2)?);
    let (text, code_text) = (table.text(4)?, table.text(5)?);
    let code = if code_text.is_empty() { code.to_string() } else { code_text.to_owned() };
    Ok(Crs::from_parts(authority, &code, name, text))
}

impl Columns {
    /// Reads the names and types of the columns from a field of a table. Returns [`Damage`] if the table is damaged.
    pub(super) fn of(table: &Table<'_>, field: usize) -> Checked<Self> {
        let mut columns = Self::default();
        for column in table.tables(field)? {
            let column = column?;
            columns.names.push(column.text(0)?.to_owned());
            columns.kinds.push(column.byte(1)?);
        }
        Ok(columns)
    }

    /// Returns the index of the column with a name. If no column has exactly this name, the comparison ignores the case
    /// of ASCII letters. Returns `None` if no column has the name.
    fn column(&self, name: &str) -> Option<usize> {
        column_names::find(&self.names, name)
    }

    /// Returns whether the values of a column can be names. Binary data has no text.
    fn can_name(&self, column: usize) -> bool {
        matches!(self.kinds[column], BYTE..=DATE_TIME)
    }

    /// Finds the columns whose values are the names of features. Returns an error if the requested column does not exist, or if the
    /// type of its values cannot name a feature.
    fn find(mut self, path: &Path, options: &ReadOptions) -> Result<Self> {
        let own = self.column(column_names::ID).filter(|&column| self.can_name(column));
        self.id = match &options.id_property {
            None => own,
            Some(name) => self.column(name),
        };
        match (&options.id_property, self.id) {
            (Some(column), None) if !options.id_otherwise => {
                return Err(Error::NoColumn {
                    path: path.into(),
                    column: column.clone(),
                    columns: self.names,
                });
            }
            (_, Some(id)) if !self.can_name(id) => {
                let (name, kind) = (&self.names[id], kind_name(self.kinds[id]));
                let problem = format!(
                    "column {name}: its type is {kind}; a name is text, a number, a boolean or a date; name another column"
                );
                return Err(Error::Format { path: path.into(), problem });
            }
            _ => {}
        }
        self.own = own.filter(|_| options.id_property.is_some() && options.id_otherwise);
        Ok(self)
    }

    /// Finds the columns that name features, for a feature with its own list of columns. `of_file` has the columns of
    /// the file. The found columns have the same names as the columns in `of_file` that name features.
    pub(super) fn like(mut self, of_file: &Self, options: &ReadOptions) -> Self {
        let named = |column: Option<usize>, columns: &Self| column.filter(|&column| columns.can_name(column));
        let id = options.id_property.as_deref().unwrap_or(column_names::ID);
        self.id = named(self.column(id), &self);
        self.own = of_file.own.and_then(|_| named(self.column(column_names::ID), &self));
        self
    }

    /// Returns two values from the properties of a feature: the value of the column that names features, and the value of the
    /// column `id`. A value is `None` if the feature or the file does not have it. Returns [`Damage`] if the properties are
    /// damaged.
    pub(super) fn names_in(&self, mut properties: &[u8]) -> Checked<[Option<Id>; 2]> {
        let mut names = [None, None];
        while let Some((&index, rest)) = properties.split_first_chunk() {
            let index = usize::from(u16::from_le_bytes(index));
            let size = match *self.kinds.get(index).ok_or(Damage)? {
                BYTE | U_BYTE | BOOL => 1,
                SHORT | U_SHORT => 2,
                INT | U_INT | FLOAT => 4,
                LONG | U_LONG | DOUBLE => 8,
                STRING..=BINARY => 4 + u32::from_le_bytes(*rest.first_chunk().ok_or(Damage)?) as usize,
                _ => return Err(Damage),
            };
            let (value, rest) = rest.split_at_checked(size).ok_or(Damage)?;
            for (name, column) in names.iter_mut().zip([self.id, self.own]) {
                if column == Some(index) {
                    *name = self.name(index, value)?;
                }
            }
            properties = rest;
        }
        // Each property begins with two bytes, so a single remaining byte is damage.
        if properties.is_empty() { Ok(names) } else { Err(Damage) }
    }

    fn name(&self, column: usize, value: &[u8]) -> Checked<Option<Id>> {
        macro_rules! number {
            ($kind:ty) => {
                <$kind>::from_le_bytes(*value.first_chunk().ok_or(Damage)?)
            };
        }
        Ok(Some(match self.kinds[column] {
            BYTE => Id::Integer(number!(i8).into()),
            U_BYTE => Id::Integer(number!(u8).into()),
            SHORT => Id::Integer(number!(i16).into()),
            U_SHORT => Id::Integer(number!(u16).into()),
            INT => Id::Integer(number!(i32).into()),
            U_INT => Id::Integer(number!(u32).into()),
            LONG => Id::Integer(number!(i64)),
            U_LONG => Id::from_number(&number!(u64).to_string()),
            FLOAT => Id::from_f32(number!(f32)),
            DOUBLE => Id::from_f64(number!(f64)),
            BOOL => Id::Text(if number!(u8) == 0 { "false" } else { "true" }.into()),
            STRING | JSON | DATE_TIME => {
                Id::Text(std::str::from_utf8(&value[4..]).map_err(|_| Damage)?.into())
            }
            _ => return Ok(None),
        }))
    }
}

const BYTE: u8 = 0;
const U_BYTE: u8 = 1;
const BOOL: u8 = 2;
const SHORT: u8 = 3;
const U_SHORT: u8 = 4;
const INT: u8 = 5;
const U_INT: u8 = 6;
const LONG: u8 = 7;
const U_LONG: u8 = 8;
const FLOAT: u8 = 9;
const DOUBLE: u8 = 10;
const STRING: u8 = 11;
const JSON: u8 = 12;
/// A date and a time, as text in ISO 8601.
const DATE_TIME: u8 = 13;
const BINARY: u8 = 14;

fn kind_name(kind: u8) -> String {
    match kind {
        BINARY => "Binary".into(),
        kind => format!("{kind}, which does not exist"),
    }
}
