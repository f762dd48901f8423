//! Finds the layer of a GeoPackage to read, and its columns.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::database::{broken, failed};
use crate::{Crs, Error, ReadOptions, Result, column_names};

/// A layer of a GeoPackage: a table of features, and the columns that are read from it.
pub(super) struct Layer {
    pub(super) table: String,
    pub(super) columns: Vec<String>,
    /// The index in `columns` of the column of geometries.
    pub(super) geometry: usize,
    pub(super) id: Option<usize>,
    pub(super) own: Option<usize>,
    /// The name of the option that names the column of ids, for messages.
    pub(super) id_option: &'static str,
    /// The indices of the columns that the reader does not need, but that lie before a column that it needs. SQLite
    /// also reads the pages of these columns.
    before: Vec<usize>,
    pub(super) crs: Option<Crs>,
    /// The id that the reference system of the layer has in this file.
    pub(super) srs: i64,
}

/// The description of a layer in the tables of a GeoPackage.
struct Entry {
    table: String,
    column: String,
    srs: i64,
}

/// The kind of an ordinary column, as the number that SQLite returns.
const ORDINARY: i64 = 0;
/// The kind of a column that is not stored in rows, as the number that SQLite returns.
const VIRTUAL: i64 = 2;

/// The number of columns of [`Layer::query`] with values of a row: the row number, the geometry, and two names. The
/// columns after them have sums of lengths of other columns.
pub(super) const NAMED_COLUMNS: usize = 4;
/// The number of lengths in one sum. The number is limited because SQLite limits the depth of an expression. It is
/// greater than 1 because SQLite limits the number of columns of a query.
const TERMS: usize = 50;

/// The largest number of rows that the reader accepts in a table that describes layers.
const MOST_ENTRIES: usize = 100_000;

/// Returns the name of a table or a column in quotes, for a query.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn list(names: &[String]) -> String {
    const SHOWN: usize = 50;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
    let more = names.len().saturating_sub(SHOWN);
    if more == 0 { shown.join(", ") } else { format!("{}, and {more} more", shown.join(", ")) }
}

impl Layer {
    /// Finds the layer that the options select. [`ReadOptions::geometry`] is the name of a layer or, if no layer has
    /// this name, the name of the column of geometries of a layer. Without this option, the file must have only one
    /// layer. Returns an error if the options do not select exactly one layer, if the layer is damaged or computed, or
    /// if the requested column of ids does not exist.
    pub(super) fn find(connection: &Connection, path: &Path, options: &ReadOptions) -> Result<Self> {
        let refused = |problem: String| Error::Format { path: path.into(), problem };
        let mut entries = entries(connection, path)?;
        let names: Vec<String> = entries.iter().map(|entry| entry.table.clone()).collect();
        if let Some(wanted) = &options.geometry {
            let is_table = names.iter().any(|name| name == wanted);
            entries.retain(|entry| if is_table { entry.table == *wanted } else { entry.column == *wanted });
        }
        let entry = match (entries.pop(), entries.is_empty(), &options.geometry) {
            (Some(entry), true, _) => entry,
            (None, _, None) => {
                return Err(refused(
                    "it is a GeoPackage without a layer of features; name another file".into(),
                ));
            }
            (None, _, Some(wanted)) => {
                let layers = list(&names);
                return Err(refused(format!("there is no layer {wanted}; the layers are {layers}")));
            }
            _ => {
                let layers = list(&names);
                let option = options.option_names.geometry;
                return Err(refused(format!("it has several layers; name one with `{option}`: {layers}")));
            }
        };
        check_table(connection, &entry.table, path)?;
        let (columns, kinds): (Vec<_>, Vec<_>) = columns(connection, &entry.table, path)?.into_iter().unzip();
        let find = |name: &str| column_names::find(&columns, name);
        let geometry = find(&entry.column);
        let geometry = geometry.ok_or_else(|| {
            broken(path, &format!("the layer {} has no column {}", entry.table, entry.column))
        })?;
        if find("_rowid_").is_some() {
            return Err(broken(path, "a column has the name _rowid_"));
        }
        check_row_numbers(connection, &entry.table, path)?;
        let own = find(column_names::ID);
        let id = match &options.id_property {
            None => own,
            Some(name) => find(name),
        };
        if let (Some(column), None, false) = (&options.id_property, id, options.id_otherwise) {
            return Err(Error::NoColumn { path: path.into(), column: column.clone(), columns });
        }
        let own = own.filter(|_| options.id_property.is_some() && options.id_otherwise);
        // A computed column would run a function of the file.
        if let Some(index) =
            [Some(geometry), id, own].into_iter().flatten().find(|&index| kinds[index] != ORDINARY)
        {
            let column = &columns[index];
            return Err(refused(format!(
                "column {column}: its values are computed by a function; copy the layer first (`ogr2ogr out.gpkg in.gpkg`)"
            )));
        }
        let crs = crs(connection, entry.srs, path)?;
        let read = [Some(geometry), id, own].into_iter().flatten();
        let last = read.clone().max().unwrap_or(geometry);
        let is_walked = |index: &usize| kinds[*index] != VIRTUAL && read.clone().all(|read| read != *index);
        let before = (0..last).filter(is_walked).collect();
        let id_option = options.option_names.id;
        Ok(Self { table: entry.table, columns, geometry, id, own, id_option, before, crs, srs: entry.srs })
    }

    /// Returns the number of columns that [`Layer::query`] returns.
    pub(super) fn query_columns(&self) -> usize {
        NAMED_COLUMNS + self.before.len().div_ceil(TERMS)
    }

    /// Returns the text of the query. For each row of the layer, the query gives the row number, the geometry and the
    /// names. Further columns of the query are numbers of bytes. Their sum is the size of the row's values in the
    /// columns [`Layer::before`].
    pub(super) fn query(&self) -> String {
        let column = |index: Option<usize>| index.map_or("NULL".into(), |index| quoted(&self.columns[index]));
        let [geometry, id, own] = [Some(self.geometry), self.id, self.own].map(column);
        // The query says `NOT INDEXED`, because a damaged index can have other values than its table.
        let table = quoted(&self.table);
        // The function finds the length in the header of the row, without the value.
        let length = |&index: &usize| format!("ifnull(octet_length({}), 0)", quoted(&self.columns[index]));
        let sum = |terms: &[usize]| format!(", {}", terms.iter().map(length).collect::<Vec<_>>().join(" + "));
        let sums: String = self.before.chunks(TERMS).map(sum).collect();
        format!("SELECT _rowid_, {geometry}, {id}, {own}{sums} FROM {table} NOT INDEXED ORDER BY _rowid_")
    }
}

/// Returns all rows of a query. Returns an error if SQLite fails, or if there are more than [`MOST_ENTRIES`] rows.
fn all<T>(
    connection: &Connection,
    query: &str,
    path: &Path,
    mut of_row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>> {
    let failed = |error| failed(&error, path);
    let mut statement = connection.prepare(query).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        found.push(of_row(row).map_err(failed)?);
        if found.len() > MOST_ENTRIES {
            return Err(broken(path, &format!("one of its tables has more than {MOST_ENTRIES} rows")));
        }
    }
    Ok(found)
}

/// Returns an error if `table` is not an ordinary table.
fn check_table(connection: &Connection, table: &str, path: &Path) -> Result<()> {
    let query = "SELECT type, sql FROM sqlite_schema WHERE name = ?1";
    let found = connection.query_row(query, [table], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?.unwrap_or_default()))
    });
    let found = found.optional().map_err(|error| failed(&error, path))?;
    let (kind, text) = found.ok_or_else(|| broken(path, &format!("the table {table} is missing")))?;
    // SQLite stores the statement of every table with these two words in capitals, however its author wrote them.
    if kind != "table" || !text.starts_with("CREATE TABLE") {
        let problem = format!(
            "the layer {table} is not a table; copy the layer to a file of its own first (`ogr2ogr out.gpkg in.gpkg {table}`)"
        );
        return Err(Error::Format { path: path.into(), problem });
    }
    Ok(())
}

/// Returns an error for a table without row numbers. Row numbers give the features their order.
fn check_row_numbers(connection: &Connection, table: &str, path: &Path) -> Result<()> {
    match connection.prepare(&format!("SELECT _rowid_ FROM {}", quoted(table))) {
        Ok(_) => Ok(()),
        Err(rusqlite::Error::SqlInputError { msg, .. }) if msg.contains("_rowid_") => {
            let problem = format!(
                "the rows of the layer {table} have no numbers (WITHOUT ROWID); copy the layer first (`ogr2ogr out.gpkg in.gpkg {table}`)"
            );
            Err(Error::Format { path: path.into(), problem })
        }
        Err(error) => Err(failed(&error, path)),
    }
}

fn entries(connection: &Connection, path: &Path) -> Result<Vec<Entry>> {
    let query = "SELECT 1 FROM sqlite_schema WHERE name = 'gpkg_contents' COLLATE NOCASE";
    let known = connection.query_row(query, [], |_| Ok(())).optional();
    if known.map_err(|error| failed(&error, path))?.is_none() {
        let problem =
            "it is an SQLite database, but no GeoPackage; convert it first (`ogr2ogr out.gpkg in.sqlite`)";
        return Err(Error::Format { path: path.into(), problem: problem.into() });
    }
    for table in ["gpkg_contents", "gpkg_geometry_columns", "gpkg_spatial_ref_sys"] {
        check_table(connection, table, path)?;
    }
    let query = "SELECT table_name FROM gpkg_contents NOT INDEXED WHERE data_type = 'features'";
    let layers: Vec<String> = all(connection, query, path, |row| row.get(0))?;
    let query = "SELECT table_name, column_name, srs_id FROM gpkg_geometry_columns NOT INDEXED";
    let entry = |row: &Row<'_>| Ok(Entry { table: row.get(0)?, column: row.get(1)?, srs: row.get(2)? });
    let mut entries = all(connection, query, path, entry)?;
    let layers: std::collections::HashSet<String> = layers.into_iter().collect();
    entries.retain(|entry| layers.contains(&entry.table));
    Ok(entries)
}

/// Returns the name and the kind of each column of a table, or the error of [`all`].
fn columns(connection: &Connection, table: &str, path: &Path) -> Result<Vec<(String, i64)>> {
    let query = format!("PRAGMA table_xinfo({})", quoted(table));
    all(connection, &query, path, |row| Ok((row.get(1)?, row.get(6)?)))
}

fn crs(connection: &Connection, number: i64, path: &Path) -> Result<Option<Crs>> {
    let query = "SELECT srs_name, organization, organization_coordsys_id, definition FROM gpkg_spatial_ref_sys NOT INDEXED WHERE srs_id = ?1";
    let text = |row: &Row<'_>, index| row.get::<_, Option<String>>(index).map(Option::unwrap_or_default);
    let found = connection.query_row(query, [number], |row| {
        let code = row.get::<_, Option<i64>>(2)?.unwrap_or_default();
        Ok((text(row, 0)?, text(row, 1)?, code, text(row, 3)?))
    });
    let found = found.optional().map_err(|error| failed(&error, path))?;
    // A number below 1 stands for an unknown system. GDAL has a number for unknown systems, too.
    let found = found.filter(|(name, ..)| number > 0 && !name.starts_with("Undefined"));
    Ok(found.and_then(|(name, authority, code, definition)| {
        Crs::from_parts(&authority.to_uppercase(), &code.to_string(), &name, &definition)
    }))
}
