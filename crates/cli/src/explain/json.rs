//! Writes an explanation as JSON.

use sat2d::glam::DVec2;
use sat2d_explain::Explained;
use sat2d_io::Id;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::{Error, Result};

/// Returns the explanation as one line of JSON, or the error of the JSON writer. Axes are numbered from 0 in JSON, like edges
/// and vertices.
pub(super) fn json(ids: &[Id; 2], explained: &Explained) -> Result<String> {
    let Explained { found, separating, .. } = explained;
    let explanation = &found.explanation;
    let side = |k: usize, vertices: &[DVec2]| {
        Ok(JsonSide {
            id: json_id(&ids[k])?,
            piece: found.pieces[k],
            piece_count: found.piece_counts[k],
            vertices: vertices.iter().map(|v| v.to_array()).collect(),
        })
    };
    let axes = explanation.axes.iter().map(|axis| JsonAxis {
        normal: axis.normal.to_array(),
        edges_a: &axis.edges_a,
        edges_b: &axis.edges_b,
        interval_a: axis.interval_a,
        interval_b: axis.interval_b,
        overlap: axis.overlap,
        toward_b: axis.toward_b.to_array(),
        separates: axis.separates(),
        ends_agree: axis.ends_agree(),
    });
    let text = Json {
        relation: explained.relation().name(),
        verdict: explained.verdict(),
        a: side(0, &explanation.vertices_a).map_err(unwritable)?,
        b: side(1, &explanation.vertices_b).map_err(unwritable)?,
        origin: explanation.origin.to_array(),
        axes: axes.collect(),
        deciding_axis: explanation.deciding,
        edges: explained.edges.as_ref().map(|found| JsonEdges {
            edges: found.edges.map(|edges| edges.map(|edge| edge.map(|v| v.to_array()))),
            points: found.points.iter().map(|v| v.to_array()).collect(),
        }),
        separating_translation: separating.map(|found| JsonTranslation {
            a: found.of_a.to_array(),
            b: (-found.of_a + DVec2::ZERO).to_array(),
            length: found.length(),
            is_least: found.is_least,
        }),
    };
    serde_json::to_string(&text).map(|text| text + "\n").map_err(unwritable)
}

#[derive(Serialize)]
struct Json<'a> {
    relation: &'static str,
    verdict: String,
    a: JsonSide,
    b: JsonSide,
    origin: [f64; 2],
    axes: Vec<JsonAxis<'a>>,
    deciding_axis: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    edges: Option<JsonEdges>,
    separating_translation: Option<JsonTranslation>,
}

/// The edge of A and the edge of B that show the relation, and the common points of the two edges. If no edges show the
/// relation, the only point is a vertex of one object in the interior of the other object.
#[derive(Serialize)]
struct JsonEdges {
    edges: Option<[[[f64; 2]; 2]; 2]>,
    points: Vec<[f64; 2]>,
}

/// A translation of A or of B. After the translation, the objects do not overlap.
#[derive(Serialize)]
struct JsonTranslation {
    a: [f64; 2],
    b: [f64; 2],
    length: f64,
    is_least: bool,
}

#[derive(Serialize)]
struct JsonSide {
    id: Box<RawValue>,
    piece: usize,
    piece_count: usize,
    vertices: Vec<[f64; 2]>,
}

#[derive(Serialize)]
struct JsonAxis<'a> {
    normal: [f64; 2],
    edges_a: &'a [usize],
    edges_b: &'a [usize],
    interval_a: [f64; 2],
    interval_b: [f64; 2],
    overlap: f64,
    toward_b: [f64; 2],
    separates: bool,
    ends_agree: bool,
}

/// Returns an id as JSON: text in quotes, and a number with its original digits. Returns an error if the digits are not a
/// number in JSON.
pub(super) fn json_id(id: &Id) -> serde_json::Result<Box<RawValue>> {
    match id {
        Id::Text(text) => serde_json::value::to_raw_value(text),
        Id::Time(time) => serde_json::value::to_raw_value(&time.to_string()),
        Id::Number(_) | Id::Integer(_) | Id::Index(_) => RawValue::from_string(id.to_string()),
    }
}

pub(super) fn unwritable(error: serde_json::Error) -> Error {
    Error::write("-", error.into())
}
