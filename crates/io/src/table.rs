//! Converts Arrow tables to features: finds the column of geometries and the column of names, and decodes both.

mod geometry;
mod lists;
mod metadata;
mod names;

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use rayon::prelude::*;

use crate::collector::{Collector, Part};
use crate::name::{Name, Names, Naming};
use crate::region::{Region, decoded};
use crate::{Error, ReadOptions, Result, column_names};
use metadata::GeometryColumn;

pub(crate) use metadata::Logical;

/// The number of rows of a batch that one task decodes.
const ROWS: usize = 1024;

/// The columns of a table that a reader decodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The columns of geometries and of names.
    All,
    /// Only the columns of names. The features have no region, and are not checked.
    #[cfg(feature = "parquet")]
    Names,
}

/// The columns of a table that are read, and their encodings.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    path: &'a Path,
    geometry: GeometryColumn,
    /// The index of the column that names the features, or `None` if there is no such column.
    name: Option<usize>,
    /// The index of the column `id`, which names features that lack the requested property. `None` if the column is
    /// not used.
    own: Option<usize>,
    options: &'a ReadOptions,
    schema_names: Vec<String>,
}

impl<'a> Plan<'a> {
    /// Finds the columns of a table. `geo` is the metadata of GeoParquet, and `logical` has the columns whose type in
    /// Parquet is a geometry.
    ///
    /// # Errors
    /// Returns an error if the column of geometries cannot be determined, or if a requested column does not exist or
    /// cannot name features.
    pub(crate) fn new(
        schema: &Schema,
        geo: Option<&str>,
        logical: &[Logical],
        path: &'a Path,
        options: &'a ReadOptions,
    ) -> Result<Self> {
        let geometry = GeometryColumn::find(schema, geo, logical, path, options)?;
        let schema_names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let index = |name: &str| column_names::find(&schema_names, name);
        // A column `id` whose values cannot be names, such as durations, is ignored.
        let own = index(column_names::ID).filter(|&index| names::can_name(schema.field(index).data_type()));
        let name = match &options.id_property {
            Some(property) => index(property),
            None => own,
        };
        if let Some(column) = options.id_property.clone().filter(|_| name.is_none() && !options.id_otherwise)
        {
            return Err(Error::NoColumn { path: path.into(), column, columns: schema_names });
        }
        if let Some(index) = name
            && !names::can_name(schema.field(index).data_type())
        {
            let (column, found) = (schema.field(index).name(), schema.field(index).data_type());
            let problem = format!(
                "column {column}: its type is {found}; a name is a number, a string, a date or a timestamp; name another column"
            );
            return Err(Error::Format { path: path.into(), problem });
        }
        Ok(Self {
            path,
            geometry,
            name,
            own: own.filter(|_| options.id_property.is_some() && options.id_otherwise),
            options,
            schema_names,
        })
    }

    /// Copies the names of the columns, the reference system and the type of the edges to a collector.
    pub(crate) fn describe(&self, collector: &mut Collector<'_>) {
        collector.describe(self.geometry.crs.clone(), self.geometry.is_spherical);
        collector.set_columns(self.schema_names.clone(), Some(self.geometry.index), self.name);
    }

    /// Returns the indices of the columns that are read for `scope`, in ascending order.
    pub(crate) fn columns(&self, scope: Scope) -> Vec<usize> {
        let geometry = (scope == Scope::All).then_some(self.geometry.index);
        let mut columns: Vec<usize> = [geometry, self.name, self.own].into_iter().flatten().collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// Decodes all batches of a table, in order. `next` reads a batch of the columns of [`Plan::columns`], while the
    /// previous batch is decoded. `take` receives each part, and returns whether to continue.
    ///
    /// # Errors
    /// Returns the error of `next` or `take`, and an error if a column has a type that cannot be decoded.
    pub(crate) fn parts(
        &self,
        scope: Scope,
        naming: Naming<'_>,
        mut next: impl FnMut() -> Result<Option<RecordBatch>> + Send,
        mut take: impl FnMut(Part) -> Result<bool> + Send,
    ) -> Result<()> {
        let mut batch = next()?;
        while let Some(now) = batch {
            let (parts, following) = rayon::join(|| self.decode(&now, scope, naming), &mut next);
            for part in parts {
                if !take(part?)? {
                    return Ok(());
                }
            }
            batch = following?;
        }
        Ok(())
    }

    /// Decodes a batch of rows in parallel. Returns the parts of the batch in order. Each part has the features of consecutive
    /// rows, or is an error.
    fn decode(&self, batch: &RecordBatch, scope: Scope, naming: Naming<'_>) -> Vec<Result<Part>> {
        let starts: Vec<usize> = (0..batch.num_rows()).step_by(ROWS).collect();
        let rows = |&start: &usize| batch.slice(start, ROWS.min(batch.num_rows() - start));
        starts.par_iter().map(|start| self.part(&rows(start), scope, naming)).collect()
    }

    fn part(&self, rows: &RecordBatch, scope: Scope, naming: Naming<'_>) -> Result<Part> {
        let columns = self.columns(scope);
        let array = |index: usize| {
            let column = columns.binary_search(&index).ok().and_then(|at| rows.columns().get(at));
            column.ok_or_else(|| {
                let problem = format!("column {} is missing; write the file again", self.schema_names[index]);
                Error::Format { path: self.path.into(), problem }
            })
        };
        let refused = |index: usize| {
            let (path, column) = (self.path, &self.schema_names[index]);
            move |problem| Error::Format { path: path.into(), problem: format!("column {column}: {problem}") }
        };
        let option_names = self.options.option_names;
        let decoder: geometry::Decoder<'_> = match scope {
            Scope::All => geometry::decoder(array(self.geometry.index)?, self.geometry.encoding)
                .map_err(|problem| format!("{problem}; name another column with `{}`", option_names.geometry))
                .map_err(refused(self.geometry.index))?,
            #[cfg(feature = "parquet")]
            Scope::Names => Box::new(|_, _, _| Ok(())),
        };
        let namer = |index: Option<usize>| {
            index
                .map(|index| names::namer(array(index)?, option_names.id).map_err(refused(index)))
                .transpose()
        };
        let (name, own) = (namer(self.name)?, namer(self.own)?);
        if self.options.points && scope == Scope::All {
            let ids = self.name.map(array).transpose()?;
            let geometries = array(self.geometry.index)?;
            if let Some(points) = geometry::usual_points(geometries, self.geometry.encoding)
                && let Some(names) = ids
                    .and_then(names::integers)
                    .or_else(|| all_names(name.as_ref(), own.is_some(), points.len()))
            {
                return Ok(Part::of_points(names, points, naming, self.options));
            }
        }
        let mut part = Part::for_features(rows.num_rows(), self.options);
        for row in 0..rows.num_rows() {
            let of = |namer: &Option<names::Namer<'_>>| namer.as_ref().map_or(Ok(None), |namer| namer(row));
            let name =
                of(&name).and_then(|id| Ok(Name { own: if id.is_none() { of(&own)? } else { None }, id }));
            let (name, error) = match name {
                Ok(name) => (name, None),
                Err(error) => (Name::default(), Some(error)),
            };
            part.add(|chunk, points| {
                let decode = |region: Region<'_>| {
                    error.map_or(Ok(()), Err)?;
                    decoder(row, self.options.points, region)
                };
                Ok::<_, Error>(decoded(name, naming, chunk, points, decode))
            })?;
            // If invalid features are errors, the first one is the result, so the rest need not be decoded.
            if !self.options.skip_invalid && part.has_problem() {
                break;
            }
        }
        Ok(part)
    }
}

/// Returns the names of `count` rows. Returns `None` if a name is an error, or if a row without a name has another column of names.
fn all_names(namer: Option<&names::Namer<'_>>, has_other: bool, count: usize) -> Option<Names> {
    let Some(namer) = namer else { return (!has_other).then_some(Names::Missing(count)) };
    let mut ids = Vec::with_capacity(count);
    for row in 0..count {
        let id = namer(row).ok()?;
        if id.is_none() && has_other {
            return None;
        }
        ids.push(id);
    }
    Some(Names::Any(ids))
}

/// Methods for the reader of Parquet, which can leave out rows.
#[cfg(feature = "parquet")]
impl Plan<'_> {
    /// Returns the index in the table of the column of geometries.
    pub(crate) fn geometry(&self) -> usize {
        self.geometry.index
    }

    /// Returns whether the geometries are columns of coordinates, as in GeoArrow.
    pub(crate) fn is_native(&self) -> bool {
        matches!(self.geometry.encoding, metadata::Encoding::Native(_))
    }

    /// Returns the paths of the columns with the least x, the least y, the greatest x and the greatest y of each row.
    /// Returns `None` if the file names no such columns.
    pub(crate) fn covering(&self) -> Option<&[Vec<String>; 4]> {
        self.geometry.covering.as_ref()
    }

    /// Returns the box that features must meet, or `None` if every feature is read.
    pub(crate) fn window(&self) -> Option<sat2d::Aabb> {
        self.options.window
    }

    /// Returns whether a column of the table has names of the features.
    pub(crate) fn has_names(&self) -> bool {
        self.name.is_some() || self.own.is_some()
    }

    /// Returns `count` features without a name and without a region, for rows that are not decoded.
    pub(crate) fn unnamed(&self, count: usize, naming: Naming<'_>) -> Vec<Part> {
        let mut part = Part::new(self.options);
        for _ in 0..count {
            part.add_named(Name::default(), naming, self.options, |_| Ok(()));
        }
        vec![part]
    }
}

/// Returns a function that adds a part to `collector`, and returns whether further parts are needed. Further parts are not
/// needed after an invalid feature that is an error. The function returns the errors of [`Collector::add`].
pub(crate) fn taker<'c, 'a>(
    collector: &'c mut Collector<'a>,
) -> impl FnMut(Part) -> Result<bool> + use<'c, 'a> {
    |part| {
        collector.add(part)?;
        Ok(!collector.has_failed())
    }
}

#[cfg(test)]
mod names_tests;
#[cfg(test)]
mod points_tests;
#[cfg(test)]
mod tests;
