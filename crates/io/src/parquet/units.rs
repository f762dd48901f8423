//! Divides large row groups into ranges of rows, so that several threads read one row group. Some programs write a million rows
//! into one row group.

use std::sync::Arc;

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, RowSelection, RowSelector};
use parquet::column::page::PageReader;
use parquet::errors::Result as ParquetResult;
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;

use crate::collector::Part;

/// The least number of rows of a range. Tests have smaller files.
const LEAST_ROWS: usize = if cfg!(test) { 1 << 12 } else { 1 << 17 };

/// A range has at least as many rows as this number of pages. The page in which a range begins is decompressed once more.
const LEAST_PAGES: usize = 2;

/// The greatest number of ranges of a row group for each thread.
const MOST_RANGES_A_THREAD: usize = 2;

/// The greatest number of units that are decoded at the same time for each thread. A damaged footer can say that row groups are small.
const MOST_UNITS_A_THREAD: usize = 4;

/// The rows that one task reads: a row group, or consecutive rows of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unit {
    pub(super) group: usize,
    /// The index in the row group of the first row.
    pub(super) first: usize,
    /// The number of rows, by the footer of the file.
    pub(super) rows: usize,
    /// Whether the row group ends with this unit.
    pub(super) is_last: bool,
}

impl Unit {
    /// Returns `count` units, which have all rows of a row group in order. The footer says that the row group has `rows` rows.
    pub(super) fn of_group(group: usize, rows: usize, count: usize) -> impl Iterator<Item = Self> {
        let each = rows / count;
        (0..count).map(move |unit| {
            let (first, is_last) = (unit * each, unit + 1 == count);
            Self { group, first, rows: if is_last { rows - first } else { each }, is_last }
        })
    }

    /// Returns the rows that the decoder must select, or `None` for a whole row group.
    pub(super) fn selection(&self) -> Option<RowSelection> {
        if self.first == 0 && self.is_last {
            return None;
        }
        // The last range ends with the row group, so that rows that the footer does not count are found.
        let rows = if self.is_last { usize::MAX - self.first } else { self.rows };
        let rows = [RowSelector::skip(self.first), RowSelector::select(rows)];
        Some(rows.into_iter().collect())
    }

    /// Checks a unit, which was read to its end. Returns a message if the footer promises another number of rows, otherwise `None`.
    pub(super) fn problem(&self, parts: &[Part]) -> Option<String> {
        let count: usize = parts.iter().map(Part::feature_count).sum();
        let Self { group, first, rows, .. } = *self;
        (count != rows).then(|| {
            let found = first + count;
            let promised = if self.is_last { format!("{}", first + rows) } else { "more".into() };
            format!(
                "not valid Parquet: row group {group} has {found} rows, but the footer says {promised}; write the file again"
            )
        })
    }
}

/// Returns the number of ranges into which to divide a row group for a number of threads: 1 if dividing the row group does not pay.
/// The footer says that the row group has `rows` rows.
///
/// # Errors
/// Returns an error if the first page of a column cannot be read.
pub(super) fn range_count<R: ChunkReader + Clone + 'static>(
    source: &R,
    metadata: &ArrowReaderMetadata,
    columns: &ProjectionMask,
    (group, rows): (usize, usize),
    threads: usize,
) -> ParquetResult<usize> {
    if threads == 1 || rows < 2 * LEAST_ROWS {
        return Ok(1);
    }
    let schema = metadata.parquet_schema();
    let mut least = LEAST_ROWS;
    for leaf in (0..schema.num_columns()).filter(|&leaf| columns.leaf_included(leaf)) {
        if schema.column(leaf).max_rep_level() > 0 {
            // The rows of lists can only be skipped by decoding them.
            return Ok(1);
        }
        let column = metadata.metadata().row_group(group).column(leaf);
        let mut pages = SerializedPageReader::new(Arc::new(source.clone()), column, rows, None)?;
        let mut first = pages.peek_next_page()?;
        if first.as_ref().is_some_and(|page| page.is_dict) {
            pages.skip_next_page()?;
            first = pages.peek_next_page()?;
        }
        let rows_of_page = first.and_then(|page| page.num_rows.or(page.num_levels)).unwrap_or(rows);
        least = least.max(rows_of_page.saturating_mul(LEAST_PAGES));
    }
    Ok((rows / least).clamp(1, MOST_RANGES_A_THREAD * threads))
}

/// Returns the number of units to decode at the same time: at least one for each thread, and more if they are small.
pub(super) fn round(units: &[Unit], threads: usize) -> usize {
    let mut rows = 0_usize;
    let is_small = |unit: &&Unit| {
        rows = rows.saturating_add(unit.rows);
        rows <= threads * LEAST_ROWS
    };
    let small = units.iter().take(MOST_UNITS_A_THREAD * threads).take_while(is_small).count();
    small.max(threads).min(units.len())
}
