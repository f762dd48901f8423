//! Reads Arrow tables in memory.

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::Schema;

use crate::collector::Collector;
use crate::table::{Plan, Scope, taker};
use crate::{Error, Features, ReadOptions, Result};

/// The name that messages use for an input in memory.
const NAME: &str = "table";

/// Reads features from record batches in memory. All batches have the columns of `schema`. The columns of geometries
/// and of names are found in the same way as in an Arrow IPC file: a column of geometries has GeoArrow, WKB or WKT, and
/// the metadata of `schema` may be the metadata of GeoParquet. [`ReadOptions::format`] has no effect. Messages name the
/// input `table`.
///
/// # Errors
/// - [`Error::Format`] if no column has geometries, if several columns have geometries and [`ReadOptions::geometry`]
///   names none of them, or if the columns of a batch differ from `schema`.
/// - [`Error::NoColumn`], [`Error::IdProperty`], [`Error::Feature`], [`Error::OutOfReadMemory`] and [`Error::Library`] in
///   the same cases as [`read`](crate::read()).
///
/// ```
/// use std::sync::Arc;
///
/// use sat2d_io::arrow_array::{ArrayRef, BinaryArray, RecordBatch};
/// use sat2d_io::{ReadOptions, read_arrow};
///
/// // A triangle in well-known binary: byte order, type, number of rings, number of positions, positions.
/// let mut triangle = vec![1, 3, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0];
/// triangle.extend([0.0f64, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0].iter().flat_map(|number| number.to_le_bytes()));
/// let geometry: ArrayRef = Arc::new(BinaryArray::from_opt_vec(vec![Some(&triangle), None]));
/// let batch = RecordBatch::try_from_iter([("geometry", geometry)])?;
/// let features = read_arrow(&batch.schema(), [batch], &ReadOptions::default())?;
/// assert_eq!((features.set.object_count(), features.counts.null_geometries), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_arrow<I>(schema: &Schema, batches: I, options: &ReadOptions) -> Result<Features>
where
    I: IntoIterator<Item = RecordBatch>,
    I::IntoIter: Send,
{
    let path = Path::new(NAME);
    let mut collector = Collector::new(path, options);
    let geo = schema.metadata().get("geo").map(String::as_str);
    let plan = Plan::new(schema, geo, &[], path, options)?;
    plan.describe(&mut collector);
    let columns = plan.columns(Scope::All);
    let mut batches = batches.into_iter();
    let next = || {
        let Some(batch) = batches.next() else { return Ok(None) };
        let has_type = |&index: &usize| {
            batch
                .columns()
                .get(index)
                .is_some_and(|column| column.data_type() == schema.field(index).data_type())
        };
        if !columns.iter().all(has_type) {
            let problem = "a batch has other columns than the schema; give batches of one schema".into();
            return Err(Error::Format { path: path.into(), problem });
        }
        let projected = batch.project(&columns);
        projected.map(Some).map_err(|error| Error::Format { path: path.into(), problem: error.to_string() })
    };
    let naming = collector.naming();
    let stop = plan.parts(Scope::All, naming, next, taker(&mut collector)).err();
    collector.end(stop)?.finish()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test panics")]
    use std::sync::Arc;

    use arrow_array::{ArrayRef, BinaryArray, Int64Array};

    use super::*;

    /// Returns a square of side 1 whose lower left corner is at (x, 0).
    fn square(x: f64) -> Vec<u8> {
        let mut wkb = vec![1, 3, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0];
        wkb.extend(
            [x, 0.0, x + 1.0, 0.0, x + 1.0, 1.0, x, 1.0].iter().flat_map(|number| number.to_le_bytes()),
        );
        wkb
    }

    fn batch(geometries: &[Option<Vec<u8>>], ids: &[i64]) -> RecordBatch {
        let geometries = BinaryArray::from_iter(geometries.iter().map(|wkb| wkb.as_deref()));
        let geometry: ArrayRef = Arc::new(geometries);
        let id: ArrayRef = Arc::new(Int64Array::from(ids.to_vec()));
        RecordBatch::try_from_iter_with_nullable([("id", id, false), ("geometry", geometry, true)]).unwrap()
    }

    #[test]
    fn batches_follow_each_other() {
        let batches =
            [batch(&[Some(square(0.0)), None], &[7, 8]), batch(&[], &[]), batch(&[Some(square(5.0))], &[9])];
        let features = read_arrow(&batches[0].schema(), batches, &ReadOptions::default()).unwrap();
        assert_eq!((features.set.object_count(), features.set.piece_count()), (3, 2));
        assert_eq!(features.set.piece_object(1), 2);
        let ids: Vec<String> = features.ids.iter().map(|id| id.to_string()).collect();
        assert_eq!(ids, ["7", "8", "9"]);
    }

    #[test]
    fn an_invalid_row_counts_over_all_batches() {
        let batches = || [batch(&[None, None], &[0, 1]), batch(&[Some(vec![1, 2])], &[2])];
        let schema = batches()[0].schema();
        let error = read_arrow(&schema, batches(), &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, Error::Feature { feature: 2, .. }), "{error}");
        let options = ReadOptions { skip_invalid: true, ..ReadOptions::default() };
        assert_eq!(read_arrow(&schema, batches(), &options).unwrap().skipped.len(), 1);
    }

    #[test]
    fn columns_are_found_in_any_case() {
        let batch = batch(&[Some(square(0.0))], &[7]);
        let renamed = |id: &str, geometry: &str| {
            let columns = [(id, batch.column(0).clone()), (geometry, batch.column(1).clone())];
            RecordBatch::try_from_iter(columns).unwrap()
        };
        let read = |id: &str, geometry: &str, options: &ReadOptions| {
            let batch = renamed(id, geometry);
            read_arrow(&batch.schema(), [batch], options).unwrap().ids.of(0).to_string()
        };
        let options = ReadOptions::default();
        assert_eq!(read("ID", "Geometry", &options), "7");
        assert_eq!(
            read("Number", "PLACE", &options.id_property("number".to_owned()).geometry("place".to_owned())),
            "7"
        );
    }

    #[test]
    fn other_columns_than_those_of_the_schema_are_an_error() {
        let one = batch(&[None], &[0]);
        let other = one.project(&[0]).unwrap();
        let error = read_arrow(&one.schema(), [one, other], &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("a batch has other columns than the schema"), "{error}");
    }
}
