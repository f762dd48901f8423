//! Describes the contents of a file.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use sat2d::Aabb;
use sat2d_io::{Features, ReadOptions};

use crate::arrow::{OPTION_NAMES, Read};
use crate::run::{Threads, run};
use crate::sets::Skipped;

/// Describes a file, as a dictionary.
#[pyfunction]
#[pyo3(signature = (path, *, geometry, id, threads))]
pub(crate) fn info<'py>(
    py: Python<'py>,
    path: PathBuf,
    geometry: Option<String>,
    id: Option<String>,
    threads: Threads,
) -> PyResult<Bound<'py, PyDict>> {
    let options = ReadOptions::default().geometry(geometry).id_property(id).skip_invalid(true).points(true);
    let options = options.option_names(OPTION_NAMES).several_srids(true);
    let Read { features, skipped, .. } =
        run(py, threads, |_| Read::new(sat2d_io::read(&path, &options), true, &path.display().to_string()))?;
    described(py, &features, skipped)
}

fn described<'py>(py: Python<'py>, features: &Features, skipped: Skipped) -> PyResult<Bound<'py, PyDict>> {
    let (source, contents, counts) = (&features.source, &features.contents, &features.counts);
    let column = |index: Option<usize>| index.and_then(|index| source.columns.get(index));
    let extent = features.extent().map(|Aabb { min, max }| (min.x, min.y, max.x, max.y));
    let found = PyDict::new(py);
    found.set_item("format", source.format.map_or("unknown", sat2d_io::Format::name))?;
    found.set_item("crs", features.crs.as_ref().map(ToString::to_string))?;
    found.set_item("srids", features.srids.clone())?;
    found.set_item("columns", &source.columns)?;
    found.set_item("geometry_column", column(source.geometry))?;
    found.set_item("id_column", column(source.id))?;
    found.set_item("features", counts.features)?;
    found.set_item("types", features.types())?;
    found.set_item("null_geometries", counts.null_geometries)?;
    found.set_item("empty_geometries", counts.empty_geometries)?;
    found.set_item("extent", extent)?;
    found.set_item("rings", contents.rings)?;
    found.set_item("vertices", features.vertex_count())?;
    found.set_item("ids_repeated", counts.ids_repeated)?;
    found.set_item("invalid", features.left_out.len())?;
    found.set_item("first_invalid", skipped)?;
    Ok(found)
}
