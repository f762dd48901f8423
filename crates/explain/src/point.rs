//! Explains a point and a polygon by a table and a verdict.

use sat2d::glam::DVec2;
use sat2d::{PointExplanation, PointRelation, PolygonSet, Result};

use crate::report::{aligned, mark, named, notes, row, short, vertices};

/// An explanation of a point and a polygon, and their names. In the axes, the polygon is A. In the output, the point
/// comes first.
#[derive(Clone, Debug)]
pub struct ExplainedPoint {
    /// The name of the feature that the point belongs to, and the name of the polygon.
    pub names: [String; 2],
    /// The explained point.
    pub point: DVec2,
    /// The number of the point among the points of its feature, from 1.
    pub place: usize,
    /// The number of points of the feature.
    pub count: usize,
    /// The explanation of the point and the polygon.
    pub found: PointExplanation,
    /// The place where all vertices are listed, for texts that list only the first ones.
    pub all_vertices: String,
}

impl ExplainedPoint {
    /// Explains one of the points of a feature: the first point with the strongest relation. If all points are outside, it
    /// is the nearest point. Returns `None` if there are no points.
    ///
    /// # Errors
    /// Returns the errors of [`PointExplanation::new`].
    pub fn new(
        names: [String; 2],
        points: impl IntoIterator<Item = DVec2>,
        set: &PolygonSet,
        object: usize,
    ) -> Result<Option<Self>> {
        let mut best: Option<(usize, DVec2, PointExplanation)> = None;
        let mut count = 0;
        for point in points {
            count += 1;
            let found = PointExplanation::new(point, set, object)?;
            let is_better = best.as_ref().is_none_or(|(_, _, best)| {
                let is_nearer = found.relation == PointRelation::Outside && found.distance < best.distance;
                found.relation > best.relation || (found.relation == best.relation && is_nearer)
            });
            if is_better {
                best = Some((count, point, found));
            }
        }
        let of_best =
            |(place, point, found)| Self { names, point, place, count, found, all_vertices: String::new() };
        Ok(best.map(of_best))
    }

    /// Returns the lines of the table that explains the point and the polygon.
    #[must_use]
    pub fn table(&self) -> Vec<String> {
        table(self)
    }

    /// Returns the verdict as one sentence: the relation, and the axis that shows it.
    #[must_use]
    pub fn verdict(&self) -> String {
        verdict(&self.found)
    }
}

/// Returns the lines of the table that explains the point and the polygon.
fn table(explained: &ExplainedPoint) -> Vec<String> {
    let ExplainedPoint { names: [name_a, name_b], point, place, count, found, all_vertices } = explained;
    let which =
        if *count > 1 { format!(", number {place} of the feature's {count} points") } else { String::new() };
    let mut lines = vec![
        row("A", named(name_a, &format!("({}, {}){which}", point.x, point.y))),
        row("B", named(name_b, &vertices(&found.vertices, all_vertices))),
    ];
    lines.extend(piece(found).map(|text| row("piece", text)));
    let origin = format!("({}, {}); it is at 0 on every axis", found.origin.x, found.origin.y);
    lines.push(row("origin", origin));
    lines.push(String::new());
    let mut rows = vec![
        ["axis", "normal", "edges", "projection of A", "projection of B", "overlap", ""].map(String::from),
    ];
    rows.extend(found.axes.iter().enumerate().map(|(index, axis)| {
        let mark = mark(axis.separates(), index == found.deciding);
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

/// Returns a text that says which piece is explained, or `None` if the polygon has only one piece.
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

/// Returns the verdict as one sentence: the relation, and the axis that shows it.
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
