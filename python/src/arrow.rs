//! Reads tables in memory, through the PyCapsule interface of Arrow, and files. Writes the result of a join as an Arrow stream.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt8Type;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray, StructArray,
    UInt8Array,
};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema};
use numpy::PyReadonlyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList};
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};
use pyo3_arrow::input::AnyArray;
use sat2d_io::internal::{OptionNames, of_one_kind};
use sat2d_io::{Error, Features, IdRef, ReadOptions};

use crate::failure::{Failure, Problem};
use crate::kinds::has_only_points;
use crate::run::{Threads, run};
use crate::sets::{Filled, Points, Polygons, Skipped, fill_rule, filled, reported};

/// The features of a table: the set, the features that were left out, the features that are valid only by a fill rule,
/// the names, and the coordinate reference system. The names are `None` if the table has no names. The reference system
/// is `None` if the table states none.
type Table = (Py<PyAny>, Skipped, Filled, Option<Vec<Py<PyAny>>>, Option<String>);

/// The names of the parameters `geometry` and `id`, as messages show them.
pub(crate) const OPTION_NAMES: OptionNames = OptionNames { geometry: "geometry=", id: "id=", crs: None };

/// The features of a table, before they are converted to Python objects.
pub(crate) struct Read {
    pub(crate) features: Features,
    pub(crate) skipped: Skipped,
    pub(crate) filled: Filled,
    /// Whether the features are points. Points without a position are empty, so the features alone do not show their kind.
    is_points: bool,
}

/// Reads a table, or a column of geometries.
#[pyfunction]
#[pyo3(signature = (data, *, geometry, id, skip, fill, argument, threads))]
#[allow(clippy::too_many_arguments, reason = "the caller is the package, which names each")]
pub(crate) fn from_arrow(
    py: Python<'_>,
    data: AnyArray,
    geometry: Option<String>,
    id: Option<String>,
    skip: bool,
    fill: Option<&str>,
    argument: &str,
    threads: Threads,
) -> PyResult<Table> {
    let reader = data.into_reader()?;
    let field = reader.field();
    // The producer may run threads that need Python's lock. DuckDB does so if it scans Python objects.
    let chunks = py.detach(|| reader.collect::<Result<Vec<ArrayRef>, ArrowError>>());
    let chunks = chunks.map_err(|error| {
        let message =
            format!("{argument}: its stream fails: {error}; give a stream that can be read to its end");
        Failure::Option(message).raise(py)
    })?;
    let options = options(geometry, id, skip, fill).map_err(|failure| failure.raise(py))?;
    let read = run(py, threads, |_| {
        let (schema, batches) = batches(chunks, &field).map_err(Failure::Option)?;
        Read::of_batches(&schema, batches, &options, skip, argument)
    })?;
    read.into_table(py)
}

/// Reads a list of `bytes` with well-known binary. `None` is a null geometry.
#[pyfunction]
#[pyo3(signature = (items, *, skip, fill, argument, threads))]
pub(crate) fn from_wkb(
    py: Python<'_>,
    items: &Bound<'_, PyList>,
    skip: bool,
    fill: Option<&str>,
    argument: &str,
    threads: Threads,
) -> PyResult<Table> {
    let mut builder = LargeBinaryBuilder::with_capacity(items.len(), 0);
    for (index, item) in items.iter().enumerate() {
        if item.is_none() {
            builder.append_null();
        } else if let Ok(bytes) = item.cast::<PyBytes>() {
            builder.append_value(bytes.as_bytes());
        } else {
            let found = item.get_type().name()?;
            let message =
                format!("{argument}, feature {index}: its type is {found}; give bytes of WKB, or None");
            return Err(Failure::Option(message).raise(py));
        }
    }
    let array: ArrayRef = Arc::new(builder.finish());
    let options = options(None, None, skip, fill).map_err(|failure| failure.raise(py))?;
    let read = run(py, threads, |_| {
        let field = Arc::new(Field::new("geometry", DataType::LargeBinary, true));
        let (schema, batches) = batches(vec![array], &field).map_err(Failure::Option)?;
        Read::of_batches(&schema, batches, &options, skip, argument)
    })?;
    read.into_table(py)
}

/// Reads a file of any format that the library reads.
#[pyfunction]
#[pyo3(signature = (path, *, geometry, id, skip, fill, threads))]
pub(crate) fn read(
    py: Python<'_>,
    path: PathBuf,
    geometry: Option<String>,
    id: Option<String>,
    skip: bool,
    fill: Option<&str>,
    threads: Threads,
) -> PyResult<Table> {
    let options = options(geometry, id, skip, fill).map_err(|failure| failure.raise(py))?;
    let read =
        run(py, threads, |_| Read::new(sat2d_io::read(&path, &options), skip, &path.display().to_string()))?;
    read.into_table(py)
}

pub(crate) fn options(
    geometry: Option<String>,
    id: Option<String>,
    skip: bool,
    fill: Option<&str>,
) -> Result<ReadOptions, Failure> {
    Ok(ReadOptions::default()
        .geometry(geometry)
        .id_property(id)
        .skip_invalid(skip)
        .fill(fill_rule(fill)?)
        .points(true)
        .option_names(OPTION_NAMES)
        .max_described(usize::MAX))
}

/// Converts the chunks of a stream to record batches. A stream has structs or geometries. The fields of structs become
/// columns. Geometries become one column.
fn batches(chunks: Vec<ArrayRef>, field: &FieldRef) -> Result<(Schema, Vec<RecordBatch>), String> {
    // GeoArrow points with separate coordinates are also structs. The metadata of the field tells them apart from tables.
    let is_geometry = field.metadata().contains_key("ARROW:extension:name");
    if let (DataType::Struct(fields), false) = (field.data_type(), is_geometry) {
        let schema = Schema::new_with_metadata(fields.clone(), field.metadata().clone());
        let batch = |chunk: ArrayRef| {
            let rows: &StructArray = chunk.as_struct();
            if rows.null_count() > 0 {
                return Err(
                    "a row of the table is null as a whole; give a table whose columns have the nulls"
                        .to_owned(),
                );
            }
            // The conversion cannot fail, because all columns have the length of the struct.
            Ok(RecordBatch::from(rows))
        };
        return Ok((schema, chunks.into_iter().map(batch).collect::<Result<_, _>>()?));
    }
    let column = field.as_ref().clone().with_name("geometry").with_nullable(true);
    let schema = Arc::new(Schema::new(vec![column]));
    let batch = |chunk| RecordBatch::try_new(schema.clone(), vec![chunk]).map_err(|error| error.to_string());
    let batches = chunks.into_iter().map(batch).collect::<Result<_, _>>()?;
    Ok((schema.as_ref().clone(), batches))
}

impl Read {
    pub(crate) fn new(
        features: sat2d_io::Result<Features>,
        skip: bool,
        argument: &str,
    ) -> Result<Self, Failure> {
        let mut features = features.map_err(|error| match error {
            Error::Feature { feature, source, .. } => Failure::Feature {
                argument: argument.to_owned(),
                feature,
                problem: Problem::of_input(*source),
            },
            Error::Library(error) => Failure::Library(error),
            error => Failure::Input(Box::new(error)),
        })?;
        let invalid = std::mem::take(&mut features.skipped).into_iter();
        let invalid = invalid.map(|skipped| (skipped.feature, Problem::of_input(skipped.error)));
        let skipped = reported(invalid, skip, argument)?;
        let by_rule = std::mem::take(&mut features.filled).into_iter();
        let filled = filled(by_rule.map(|filled| (filled.feature, Problem::of_input(filled.error))));
        let is_points = !features.points.is_empty();
        Ok(Self { features, skipped, filled, is_points })
    }

    /// Reads the features of a table in memory.
    fn of_batches(
        schema: &Schema,
        batches: Vec<RecordBatch>,
        options: &ReadOptions,
        skip: bool,
        argument: &str,
    ) -> Result<Self, Failure> {
        let features = of_one_kind(options, |options| sat2d_io::read_arrow(schema, batches.clone(), options));
        let mut read = Self::new(features, skip, argument)?;
        let contents = &read.features.contents;
        let has_polygons = contents.polygons + contents.multi_polygons > 0;
        if let (false, Some(column)) = (has_polygons, read.features.source.geometry) {
            read.is_points |=
                has_only_points(schema.field(column), batches.iter().map(|batch| batch.column(column)));
        }
        Ok(read)
    }

    fn into_table(self, py: Python<'_>) -> PyResult<Table> {
        let Self { features, skipped, filled, is_points } = self;
        let count = features.set.object_count();
        let set = match is_points {
            true => Points::of_features(features.points, count).into_py_any(py)?,
            false => Polygons::new(features.set).into_py_any(py)?,
        };
        let has_names = features.ids.iter().any(|id| !matches!(id, IdRef::Index(_)));
        let names = has_names.then(|| features.ids.iter().map(|id| name(py, id)).collect()).transpose()?;
        Ok((set, skipped, filled, names, features.crs.map(|crs| crs.to_string())))
    }
}

/// Returns the name of a feature as a Python object: an integer or a text.
fn name(py: Python<'_>, id: IdRef<'_>) -> PyResult<Py<PyAny>> {
    match id {
        IdRef::Index(index) => index.into_py_any(py),
        IdRef::Integer(integer) => integer.into_py_any(py),
        id => id.to_string().into_py_any(py),
    }
}

/// A column of a table of pairs.
#[derive(FromPyObject)]
pub(crate) enum ColumnArray<'py> {
    Integers(PyReadonlyArray1<'py, i64>),
    Numbers(PyReadonlyArray1<'py, f64>),
    Codes(PyReadonlyArray1<'py, u8>),
}

/// Exports the columns as an Arrow stream. Codes in the column `relation` become the given names, and NaN becomes null.
#[pyfunction]
#[pyo3(signature = (columns, relation_names, requested_schema=None))]
pub(crate) fn stream<'py>(
    py: Python<'py>,
    columns: Vec<(String, ColumnArray<'py>)>,
    relation_names: Vec<String>,
    requested_schema: Option<Bound<'py, PyCapsule>>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (name, column) in columns {
        let array: ArrayRef = match column {
            ColumnArray::Integers(values) => Arc::new(Int64Array::from(values.as_slice()?.to_vec())),
            ColumnArray::Numbers(values) => {
                let numbers = values.as_slice()?.iter().map(|&number| (!number.is_nan()).then_some(number));
                Arc::new(numbers.collect::<Float64Array>())
            }
            ColumnArray::Codes(values) if name == "relation" => {
                let names = Arc::new(StringArray::from(relation_names.clone()));
                let keys = UInt8Array::from(values.as_slice()?.to_vec());
                let relations = DictionaryArray::<UInt8Type>::try_new(keys, names);
                Arc::new(relations.map_err(|error| Failure::Option(error.to_string()).raise(py))?)
            }
            ColumnArray::Codes(values) => Arc::new(UInt8Array::from(values.as_slice()?.to_vec())),
        };
        fields.push(Field::new(name, array.data_type().clone(), array.null_count() > 0));
        arrays.push(array);
    }
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
    let batch = batch.map_err(|error| Failure::Option(error.to_string()).raise(py))?;
    let field = Arc::new(Field::new_struct("", batch.schema().fields().clone(), false));
    let rows: ArrayRef = Arc::new(StructArray::from(batch));
    Ok(to_stream_pycapsule(py, Box::new(ArrayIterator::new([Ok(rows)], field)), requested_schema)?)
}
