//! Converts the axes of an explanation to rows of a table.

use sat2d::Axis;
use serde::Serialize;

/// One row of a table of axes: the values of an [`Axis`] for JavaScript.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AxisRow {
    normal: [f64; 2],
    pub(super) toward_b: [f64; 2],
    edges_a: Vec<usize>,
    edges_b: Vec<usize>,
    interval_a: [f64; 2],
    interval_b: [f64; 2],
    pub(super) overlap: f64,
    pub(super) separates: bool,
}

impl From<&Axis> for AxisRow {
    fn from(axis: &Axis) -> Self {
        Self {
            normal: axis.normal.to_array(),
            toward_b: axis.toward_b.to_array(),
            edges_a: axis.edges_a.clone(),
            edges_b: axis.edges_b.clone(),
            interval_a: axis.interval_a,
            interval_b: axis.interval_b,
            overlap: axis.overlap,
            separates: axis.separates(),
        }
    }
}

pub(super) fn rows(axes: &[Axis]) -> Vec<AxisRow> {
    axes.iter().map(AxisRow::from).collect()
}
