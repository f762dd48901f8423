//! The extension module of the Python package `sat2d`: sets of polygons and of points, queries on them, and
//! worlds of bodies.
//!
//! The package itself is in Python (`sat2d/`). The package chooses a conversion for each kind of input, and this module
//! does the work without Python's lock. The types of this module are in `sat2d/_sat2d.pyi`.

mod areas;
mod arrow;
mod bodies;
mod engines;
mod explain;
mod failure;
mod few;
mod files;
mod info;
mod join;
mod kinds;
mod near;
mod nearby;
mod nearest;
mod nearest_join;
mod pairs;
mod parts;
mod point_join;
mod points;
mod positions;
mod prepare;
mod query;
mod relations;
mod run;
mod sets;
mod stepping;
mod table;
mod text;
mod world;

use pyo3::prelude::*;

#[pymodule]
mod _sat2d {
    #[pymodule_export]
    use crate::areas::{areas, contains};
    #[pymodule_export]
    use crate::arrow::{from_arrow, from_wkb, read, stream};
    #[pymodule_export]
    use crate::explain::{explain, explain_point};
    #[pymodule_export]
    use crate::files::{join_files, systems_differ};
    #[pymodule_export]
    use crate::info::info;
    #[pymodule_export]
    use crate::join::join;
    #[pymodule_export]
    use crate::nearest::nearest;
    #[pymodule_export]
    use crate::parts::{
        point_parts, points_from_parts, polygon_parts, polygon_rings, polygons_from_parts,
        polygons_from_rings,
    };
    #[pymodule_export]
    use crate::point_join::join_points;
    #[pymodule_export]
    use crate::points::{points_in_polygons, query_points};
    #[pymodule_export]
    use crate::positions::{join_positions, query_positions};
    #[pymodule_export]
    use crate::prepare::Prepared;
    #[pymodule_export]
    use crate::query::query;
    #[pymodule_export]
    use crate::relations::relations;
    #[pymodule_export]
    use crate::run::{report_to, thread_count};
    #[pymodule_export]
    use crate::sets::{Points, Polygons, points_from_columns, polygons_from_columns};
    #[pymodule_export]
    use crate::stepping::step_worlds;
    #[pymodule_export]
    use crate::world::World;
}
