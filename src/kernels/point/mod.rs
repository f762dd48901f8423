//! Exact relations of points to polygons.

pub(crate) mod reference;
