//! Explains a point and a polygon, and writes the explanation as JSON.

use sat2d::Axis;
use sat2d_explain::ExplainedPoint;
use sat2d_io::Id;
use serde::Serialize;
use serde_json::value::RawValue;

use super::json::{json_id, unwritable};
use crate::error::{Error, Result};
use crate::input::Side;

/// Explains the point of a feature that decides the relation to an object. Returns an error if the feature has no point.
pub(super) fn explained(
    ids: &[Id; 2],
    name: &str,
    (a, feature): (&Side, usize),
    (b, object): (&Side, usize),
) -> Result<ExplainedPoint> {
    let points = a.features.points.of_feature(feature as u32).iter().copied();
    let names = ids.each_ref().map(ToString::to_string);
    let found = ExplainedPoint::new(names, points, &b.set, object)?;
    let found = found.ok_or_else(|| Error::Option {
        option: "--pair",
        value: name.into(),
        problem: "has no point; name another feature",
    })?;
    Ok(ExplainedPoint { all_vertices: super::ALL_VERTICES.into(), ..found })
}

/// Returns the explanation as one line of JSON, or the error of the JSON writer. Axes are numbered from 0 in JSON, like edges
/// and vertices.
pub(super) fn json(ids: &[Id; 2], explained: &ExplainedPoint) -> Result<String> {
    let ExplainedPoint { point, place, count, found, .. } = explained;
    let axis = |axis: &Axis| JsonAxis {
        normal: axis.normal.to_array(),
        edges_b: axis.edges_a.clone(),
        place_a: axis.interval_b[0],
        interval_b: axis.interval_a,
        overlap: axis.overlap,
        separates: axis.separates(),
        ends_agree: axis.ends_agree(),
    };
    let text = Json {
        relation: found.relation.name(),
        verdict: explained.verdict(),
        a: JsonPoint {
            id: json_id(&ids[0]).map_err(unwritable)?,
            index: place - 1,
            count: *count,
            point: point.to_array(),
        },
        b: JsonPiece {
            id: json_id(&ids[1]).map_err(unwritable)?,
            piece: found.piece,
            piece_count: found.piece_count,
            vertices: found.vertices.iter().map(|v| v.to_array()).collect(),
        },
        closest: found.closest.to_array(),
        distance: found.distance,
        origin: found.origin.to_array(),
        axes: found.axes.iter().map(axis).collect(),
        deciding_axis: found.deciding,
    };
    serde_json::to_string(&text).map(|text| text + "\n").map_err(unwritable)
}

#[derive(Serialize)]
struct Json {
    relation: &'static str,
    verdict: String,
    a: JsonPoint,
    b: JsonPiece,
    closest: [f64; 2],
    distance: f64,
    origin: [f64; 2],
    axes: Vec<JsonAxis>,
    deciding_axis: usize,
}

#[derive(Serialize)]
struct JsonPoint {
    id: Box<RawValue>,
    index: usize,
    count: usize,
    point: [f64; 2],
}

#[derive(Serialize)]
struct JsonPiece {
    id: Box<RawValue>,
    piece: usize,
    piece_count: usize,
    vertices: Vec<[f64; 2]>,
}

#[derive(Serialize)]
struct JsonAxis {
    normal: [f64; 2],
    edges_b: Vec<usize>,
    place_a: f64,
    interval_b: [f64; 2],
    overlap: f64,
    separates: bool,
    ends_agree: bool,
}
