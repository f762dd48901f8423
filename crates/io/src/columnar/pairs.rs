//! The columns of a table of pairs.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int8Builder, Int64Builder};
use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{DataType, Field as Heading, Schema, SchemaRef};

use super::ids::{IdBuilder, IdKind};
use super::{TableFormat, io_error};
use crate::Ids;
use crate::columns::{Column, Field, PairRow, are_counts};
use crate::rounds::for_each;
use sat2d::{Containment, PointRelation, Relation};

/// The size in bytes at which the texts in one column of ids end a batch. The limit keeps long ids from filling the
/// memory.
const BATCH_BYTES: usize = 1 << 26;

/// The columns of a table of pairs, without the values of its rows.
#[derive(Debug)]
pub(super) struct PairTable {
    pub(super) schema: SchemaRef,
    columns: Vec<Column>,
    /// The type of the column of A's ids, and the type of the column of B's ids.
    kinds: [IdKind; 2],
    /// The names of all relations, to which the values of the column `relation` refer by index.
    relations: Arc<StringArray>,
    containments: Arc<StringArray>,
}

impl PairTable {
    /// Returns the table for features with the given ids, in the format `format`.
    pub(super) fn new(ids: [&Ids; 2], columns: &[Column], format: TableFormat) -> Self {
        let kinds = ids.map(|ids| IdKind::of(ids, format));
        let word = || DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
        let mut headings = vec![Heading::new("a", kinds[0].data_type(), false)];
        if !are_counts(columns) {
            headings.push(Heading::new("b", kinds[1].data_type(), false));
            headings.push(Heading::new("relation", word(), false));
        }
        for column in columns {
            for (k, name) in column.names().iter().enumerate() {
                let kind = match (column, k) {
                    (Column::Containment, _) => word(),
                    (Column::Manifold, 0) | (Column::Count, _) => DataType::Int64,
                    _ => DataType::Float64,
                };
                headings.push(Heading::new(*name, kind, true));
            }
        }
        let polygons = [Relation::Disjoint, Relation::Touching, Relation::Overlapping].map(Relation::name);
        let points = [PointRelation::Outside, PointRelation::Boundary, PointRelation::Inside];
        let containments =
            [Containment::Neither, Containment::Covers, Containment::CoveredBy, Containment::Equal];
        Self {
            schema: Arc::new(Schema::new(headings)),
            columns: columns.to_vec(),
            kinds,
            relations: names(polygons.into_iter().chain(points.map(PointRelation::name))),
            containments: names(containments.map(Containment::name).into_iter()),
        }
    }

    /// Makes a batch of the first rows in the range `rows`, and removes these rows from the range. Returns an error if a column
    /// rejects a value.
    pub(super) fn batch<'r>(
        &self,
        rows: &mut Range<usize>,
        row: impl Fn(usize) -> PairRow<'r>,
    ) -> io::Result<RecordBatch> {
        let start = rows.start;
        let are_counts = are_counts(&self.columns);
        let mut ids = self.kinds.each_ref().map(|kind| IdBuilder::new(kind, rows.len()));
        let mut relations = Words::new(&self.relations, rows.len());
        let names = self.columns.iter().flat_map(|column| column.names());
        let headings = self.schema.fields().iter().skip(self.schema.fields().len() - names.count());
        let mut values: Vec<Values<'_>> =
            headings.map(|heading| self.values(heading.data_type(), rows.len())).collect();
        for_each(rows, row, |row, _| {
            let [of_a, of_b] = &mut ids;
            of_a.push(row.a)?;
            if !are_counts {
                of_b.push(row.b)?;
                relations.push(row.relation)?;
            }
            let fields = self.columns.iter().flat_map(|column| column.fields(row));
            values.iter_mut().zip(fields).try_for_each(|(values, field)| values.push(field))?;
            Ok(of_a.byte_count().max(of_b.byte_count()) < BATCH_BYTES)
        })?;
        let sides = if are_counts { 1 } else { 2 };
        let mut arrays: Vec<ArrayRef> = ids.into_iter().take(sides).map(IdBuilder::finish).collect();
        if !are_counts {
            arrays.push(relations.finish()?);
        }
        for values in values {
            arrays.push(values.finish()?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows.start - start));
        RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options).map_err(io_error)
    }

    fn values(&self, kind: &DataType, count: usize) -> Values<'_> {
        match kind {
            DataType::Int64 => Values::Counts(Int64Builder::with_capacity(count)),
            DataType::Float64 => Values::Numbers(Float64Builder::with_capacity(count)),
            _ => Values::Words(Words::new(&self.containments, count)),
        }
    }
}

fn names(names: impl Iterator<Item = &'static str>) -> Arc<StringArray> {
    Arc::new(StringArray::from_iter_values(names))
}

pub(super) fn invalid(problem: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, problem)
}

/// A column of words from a fixed list. A row stores the index of its word.
struct Words<'t> {
    all: &'t Arc<StringArray>,
    indices: Int8Builder,
}

impl<'t> Words<'t> {
    fn new(all: &'t Arc<StringArray>, count: usize) -> Self {
        Self { all, indices: Int8Builder::with_capacity(count) }
    }

    fn push(&mut self, word: &str) -> io::Result<()> {
        let known = (0i8..).zip(self.all.iter()).find(|(_, known)| *known == Some(word));
        let (index, _) = known.ok_or_else(|| invalid(format!("{word:?} is no name of the library")))?;
        self.indices.append_value(index);
        Ok(())
    }

    fn finish(mut self) -> io::Result<ArrayRef> {
        let words = DictionaryArray::<Int8Type>::try_new(self.indices.finish(), self.all.clone());
        Ok(Arc::new(words.map_err(io_error)?))
    }
}

/// The values of one column in one batch of rows. The column is not `a`, `b` or `relation`.
enum Values<'t> {
    Words(Words<'t>),
    Counts(Int64Builder),
    Numbers(Float64Builder),
}

impl Values<'_> {
    fn push(&mut self, field: Field) -> io::Result<()> {
        match (self, field) {
            (Self::Words(words), Field::Word(word)) => words.push(word)?,
            (Self::Words(words), _) => words.indices.append_null(),
            (Self::Counts(counts), Field::Count(count)) => counts.append_option(i64::try_from(count).ok()),
            (Self::Counts(counts), _) => counts.append_null(),
            // Adding 0 turns -0 into 0, as in text formats.
            (Self::Numbers(numbers), Field::Number(number)) => numbers.append_value(number + 0.0),
            (Self::Numbers(numbers), _) => numbers.append_null(),
        }
        Ok(())
    }

    fn finish(self) -> io::Result<ArrayRef> {
        match self {
            Self::Words(words) => words.finish(),
            Self::Counts(mut counts) => Ok(Arc::new(counts.finish())),
            Self::Numbers(mut numbers) => Ok(Arc::new(numbers.finish())),
        }
    }
}
