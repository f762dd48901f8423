//! Points in polygons.

pub(crate) mod reference;
