//! Writes the text of an explanation of two polygons: the table and the verdict.

use sat2d::glam::DVec2;
use sat2d::internal::shortened;
use sat2d::{Axis, EdgeExplanation, Relation};

use crate::Explained;

/// The greatest number of vertices of a polygon that the table lists.
const LISTED_VERTICES: usize = 8;

/// Returns the lines of the table that explains the two polygons.
pub(crate) fn table(explained: &Explained) -> Vec<String> {
    let Explained { names: [name_a, name_b], found, all_vertices, .. } = explained;
    let explanation = &found.explanation;
    let mut lines = vec![
        row("A", named(name_a, &vertices(&explanation.vertices_a, all_vertices))),
        row("B", named(name_b, &vertices(&explanation.vertices_b, all_vertices))),
    ];
    lines.extend(pieces(explained).map(|text| row("pieces", text)));
    lines.extend(explained.edges.as_ref().map(|found| row("edges", edges_that_decide(found))));
    lines.push(row(
        "origin",
        format!("({}, {}); it is at 0 on every axis", explanation.origin.x, explanation.origin.y),
    ));
    lines.push(String::new());
    let mut rows = vec![
        ["axis", "normal", "edges", "projection of A", "projection of B", "overlap", ""].map(String::from),
    ];
    rows.extend(explanation.axes.iter().enumerate().map(|(index, axis)| {
        let interval = |[min, max]: [f64; 2]| format!("{} to {}", short(min), short(max));
        let mark = mark(axis.separates(), index == explanation.deciding);
        [
            (index + 1).to_string(),
            format!("({}, {})", short(axis.normal.x), short(axis.normal.y)),
            edges(axis),
            interval(axis.interval_a),
            interval(axis.interval_b),
            short(axis.overlap),
            mark.into(),
        ]
    }));
    lines.extend(aligned(&rows));
    lines.push(String::new());
    lines.extend(notes(&explanation.axes));
    lines.push(row("verdict", verdict(explained)));
    lines
}

/// Returns the verdict as one sentence: the relation, and the axis or the edges that show it.
pub(crate) fn verdict(explained: &Explained) -> String {
    let explanation = &explained.found.explanation;
    let axis = explanation.deciding_axis();
    let number = explanation.deciding + 1;
    let whole = is_whole(explained);
    if explained.relation() != explanation.relation {
        return format!(
            "{}: the edges of the polygons show it; the pieces of polygons whose rings cross are rounded, and this pair of pieces \
             is {}",
            explained.relation().name(),
            explanation.relation.name()
        );
    }
    match explanation.relation {
        Relation::Disjoint => {
            let others = explanation.axes.iter().filter(|axis| axis.separates()).count().saturating_sub(1);
            let others = match others {
                0 => "; no other axis does".into(),
                1 => "; one other axis does too".into(),
                others => format!("; {others} other axes do too"),
            };
            let gap = short(-axis.overlap);
            if whole {
                format!("disjoint: axis {number} separates A and B by a gap of {gap}{others}")
            } else {
                format!(
                    "disjoint: all pairs of pieces are disjoint; axis {number} separates this pair by a gap of {gap}{others}"
                )
            }
        }
        Relation::Touching if whole => {
            format!(
                "touching: no axis separates A and B, and on axis {number} their projections meet in one point"
            )
        }
        Relation::Touching => format!(
            "touching: no pair of pieces overlaps; no axis separates this pair, and on axis {number} the projections meet \
             in one point"
        ),
        Relation::Overlapping if whole => format!(
            "overlapping: the projections overlap on every axis, least on axis {number}; the shortest way out is to move B \
             by {} toward ({}, {})",
            short(axis.overlap),
            short(axis.toward_b.x),
            short(axis.toward_b.y)
        ),
        Relation::Overlapping => format!(
            "overlapping: the projections of this pair of pieces overlap on every axis, least by {} on axis {number}; {}",
            short(axis.overlap),
            way_out(explained)
        ),
    }
}

/// Describes the edges, or the vertex, that show the relation of two objects.
fn edges_that_decide(found: &EdgeExplanation) -> String {
    let point = |v: &DVec2| format!("({}, {})", v.x, v.y);
    let points = found.points.iter().map(point).collect::<Vec<_>>().join(" and ");
    match (&found.edges, found.relation) {
        (Some([[p, q], [r, s]]), relation) => {
            let interiors = if relation == Relation::Overlapping {
                "near it, the interiors have common points"
            } else {
                "nowhere do the interiors have common points"
            };
            format!(
                "the edge of A from {} to {} meets the edge of B from {} to {} at {points}; {interiors}",
                point(p),
                point(q),
                point(r),
                point(s)
            )
        }
        (None, Relation::Disjoint) => {
            "no edge of A meets an edge of B, and neither polygon is inside of the other one".into()
        }
        (None, _) => format!("the vertex {points} of one polygon is in the interior of the other polygon"),
    }
}

/// Describes the translation that separates the objects, and whether it is the shortest one.
fn way_out(explained: &Explained) -> String {
    let Some(found) = &explained.separating else {
        return "no translation was found that separates all pairs".into();
    };
    let length = found.length();
    let toward = -found.of_a / length;
    let way = format!("B by {} toward ({}, {})", short(length), short(toward.x), short(toward.y));
    if found.is_least {
        format!("the shortest way out, which separates all pairs, is to move {way}")
    } else {
        format!("a way out, which separates all pairs and may not be the shortest, is to move {way}")
    }
}

/// Returns whether both objects are convex, so that the explained pair of pieces is the only pair.
fn is_whole(explained: &Explained) -> bool {
    explained.found.piece_counts == [1, 1]
}

/// Returns a note if the rounded ends of projections do not show the exact sign of their overlap. Otherwise, returns `None`.
pub(crate) fn notes(axes: &[Axis]) -> Option<String> {
    let hidden: Vec<String> = (1..)
        .zip(axes)
        .filter(|(_, axis)| !axis.ends_agree())
        .map(|(number, _)| number.to_string())
        .collect();
    let (first, more) = hidden.split_at(hidden.len().min(8));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    (!hidden.is_empty()).then(|| {
        row(
            "note",
            format!(
                "on axis {}{more}, the ends of the projections differ by less than they are rounded; the overlap and the \
                 verdict come from exact arithmetic",
                first.join(", ")
            ),
        )
    })
}

/// Returns a text that says which pieces are explained, or `None` if each object has only one piece.
pub(crate) fn pieces(explained: &Explained) -> Option<String> {
    let found = &explained.found;
    let ([i, j], [count_a, count_b]) = (found.pieces, found.piece_counts);
    let why = match found.explanation.relation {
        Relation::Disjoint => "nearest pair",
        Relation::Touching => "first pair that touches",
        Relation::Overlapping => "first pair that overlaps",
    };
    (!is_whole(explained)).then(|| {
        format!(
            "number {} of {count_a} in A and number {} of {count_b} in B, the {why}; A and B are disjoint only if all {} pairs \
             of pieces are disjoint; edges between pieces are cuts inside a polygon",
            i + 1,
            j + 1,
            count_a * count_b
        )
    })
}

/// Returns the edges of an axis, such as `A0 A2 B1`.
pub(crate) fn edges(axis: &Axis) -> String {
    let of = |name: char, edges: &[usize]| edges.iter().map(|i| format!("{name}{i}")).collect::<Vec<_>>();
    [of('A', &axis.edges_a), of('B', &axis.edges_b)].concat().join(" ")
}

/// Formats a number with six significant digits for reading.
pub(crate) fn short(x: f64) -> String {
    // A number that was given with at most six digits is shown as given.
    let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(x);
    if rounded == 0.0 || (1e-4..1e7).contains(&rounded.abs()) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}

/// Puts the name of a feature before a text about it.
pub(crate) fn named(name: &str, text: &str) -> String {
    format!("{}: {text}", shortened(name))
}

/// Formats a name and its value as a row of two columns.
pub(crate) fn row(name: &str, value: impl std::fmt::Display) -> String {
    format!("{name:<16}{value}")
}

/// Lists the first vertices. `all_vertices` says where all of them are listed.
pub(crate) fn vertices(vertices: &[DVec2], all_vertices: &str) -> String {
    let listed = vertices.iter().take(LISTED_VERTICES);
    let mut text = listed.map(|v| format!("({}, {})", v.x, v.y)).collect::<Vec<_>>().join(" ");
    if vertices.len() > LISTED_VERTICES {
        text += &format!(" and {} more vertices, listed by {all_vertices}", vertices.len() - LISTED_VERTICES);
    }
    text
}

/// Formats rows as lines. Each column is as wide as its widest cell.
pub(crate) fn aligned<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> Vec<String> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; COLUMNS] = std::array::from_fn(width);
    let line = |row: &[String; COLUMNS]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    rows.iter().map(line).collect()
}

/// Returns the mark in the last column of the table's row of an axis. The mark says whether the axis separates the
/// polygons and whether it is the deciding axis.
pub(crate) fn mark(separates: bool, is_deciding: bool) -> &'static str {
    match (separates, is_deciding) {
        (true, true) => "separates, widest gap",
        (true, false) => "separates",
        (false, true) => "least overlap",
        (false, false) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn figures_are_short_and_no_digit_before_the_seventh_is_lost() {
        for (x, text) in [
            (0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (-1234.5678, "-1234.57"),
            (2e-7, "2e-7"),
            (-0.123456789, "-0.123457"),
            (123_456_789.0, "1.23457e8"),
        ] {
            assert_eq!(short(x), text);
        }
    }
}
