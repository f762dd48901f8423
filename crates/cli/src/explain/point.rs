//! Writes the explanation of a point and a polygon as text: the table, the verdict, and JSON.

use sat2d::glam::DVec2;
use serde::Serialize;
use serde_json::value::RawValue;

use super::report::{aligned, json_id, named, notes, short, unwritable, vertices};
use crate::error::{Error, Result};
use crate::input::Side;
use crate::terminal::row;
use sat2d::{Axis, PointExplanation, PointRelation};
use sat2d_io::Id;

/// An explanation, and the names of its point and its polygon. In the axes, the polygon is A. In the output, the point
/// comes first.
pub(super) struct Explained {
    ids: [Id; 2],
    point: DVec2,
    /// Which of the feature's points it is, from 1, and how many there are.
    place: usize,
    count: usize,
    found: PointExplanation,
}

impl Explained {
    /// Explains one point of a feature: the first point with the strongest relation. If all points are outside, it is
    /// the nearest point.
    pub(super) fn new(
        ids: [Id; 2],
        name: &str,
        (a, feature): (&Side, usize),
        (b, object): (&Side, usize),
    ) -> Result<Self> {
        let all = &a.features.points;
        let start = all.partition_point(|&(of, _)| (of as usize) < feature);
        let points = all[start..].iter().take_while(|&&(of, _)| of as usize == feature);
        let mut best: Option<(usize, DVec2, PointExplanation)> = None;
        let mut count = 0;
        for &(_, point) in points {
            count += 1;
            let found = PointExplanation::new(point, &b.set, object)?;
            let is_better = best.as_ref().is_none_or(|(_, _, best)| {
                let is_nearer = found.relation == PointRelation::Outside && found.distance < best.distance;
                found.relation > best.relation || (found.relation == best.relation && is_nearer)
            });
            if is_better {
                best = Some((count, point, found));
            }
        }
        let (place, point, found) = best.ok_or_else(|| Error::Option {
            option: "--pair",
            value: name.into(),
            problem: "has no point; name another feature",
        })?;
        Ok(Self { ids, point, place, count, found })
    }
}

/// The table, line by line.
pub(super) fn table(explained: &Explained) -> Vec<String> {
    let Explained { ids: [name_a, name_b], point, place, count, found } = explained;
    let which =
        if *count > 1 { format!(", number {place} of the feature's {count} points") } else { String::new() };
    let mut lines = vec![
        row("A", named(name_a, &format!("({}, {}){which}", point.x, point.y))),
        row("B", named(name_b, &vertices(&found.vertices))),
    ];
    lines.extend(piece(found).map(|text| row("piece", text)));
    let origin = format!("({}, {}); it is at 0 on every axis", found.origin.x, found.origin.y);
    lines.push(row("origin", origin));
    lines.push(String::new());
    let mut rows = vec![
        ["axis", "normal", "edges", "projection of A", "projection of B", "overlap", ""].map(String::from),
    ];
    rows.extend(found.axes.iter().enumerate().map(|(index, axis)| {
        let mark = match (axis.separates(), index == found.deciding) {
            (true, true) => "separates, widest gap",
            (true, false) => "separates",
            (false, true) => "least overlap",
            (false, false) => "",
        };
        [
            (index + 1).to_string(),
            format!("({}, {})", short(axis.normal.x), short(axis.normal.y)),
            axis.edges_a.iter().map(|edge| format!("B{edge}")).collect::<Vec<_>>().join(" "),
            short(axis.interval_b[0]),
            format!("{} to {}", short(axis.interval_a[0]), short(axis.interval_a[1])),
            short(axis.overlap),
            mark.into(),
        ]
    }));
    lines.extend(aligned(&rows));
    lines.push(String::new());
    lines.extend(notes(&found.axes));
    let (closest, distance) = (found.closest, short(found.distance));
    lines.push(row(
        "border",
        format!("the nearest point is ({}, {}), at a distance of {distance}", closest.x, closest.y),
    ));
    lines.push(row("verdict", verdict(found)));
    lines
}

/// Which piece is explained, of a polygon that has several.
fn piece(found: &PointExplanation) -> Option<String> {
    let why = match found.piece_relation {
        PointRelation::Outside => "nearest",
        PointRelation::Boundary => "first that has the point on its border",
        PointRelation::Inside => "first that has the point inside",
    };
    let (number, count) = (found.piece + 1, found.piece_count);
    (count > 1).then(|| {
        format!("number {number} of {count} in B, the {why}; edges between pieces are cuts inside a polygon")
    })
}

/// The verdict as one sentence: the relation, and the axis that shows it.
fn verdict(found: &PointExplanation) -> String {
    let number = found.deciding + 1;
    let overlap = short(found.deciding_axis().overlap.abs());
    match (found.relation, found.piece_relation) {
        (PointRelation::Outside, _) => {
            format!("outside: axis {number} separates A and B by a gap of {overlap}")
        }
        (PointRelation::Boundary, _) => {
            format!(
                "boundary: no axis separates A and B, and on axis {number} A is at an end of B's projection"
            )
        }
        (PointRelation::Inside, PointRelation::Inside) => {
            format!(
                "inside: A is within B's projection on every axis, by {overlap} at least, on axis {number}"
            )
        }
        (PointRelation::Inside, _) => {
            format!(
                "inside: on axis {number} A is at an end of this piece's projection, and other pieces of B continue from there"
            )
        }
    }
}

/// All of it, as one line of JSON. Axes are numbered from 0 here, as edges and vertices are.
pub(super) fn json(explained: &Explained) -> Result<String> {
    let Explained { ids, point, place, count, found } = explained;
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
        verdict: verdict(found),
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
