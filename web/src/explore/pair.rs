//! Two polygons.

use sat2d::{Distance, Keep, Manifold, ObjectExplanation, Penetration, Relation, Result};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::axes::{AxisRow, rows};
use super::shape::{Outline, Shape, set_of};

/// Contacts of polygons that touch are found in spite of the rounding of figures.
const CONTACT_MARGIN: f64 = 1.0 / 1024.0;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct PairAnswer {
    relation: &'static str,
    /// Whether they collide, as the caller counts touching.
    collides: bool,
    a: Outline,
    b: Outline,
    /// The pieces that the axes and figures are of.
    pieces: [usize; 2],
    origin: [f64; 2],
    axes: Vec<AxisRow>,
    deciding: usize,
    /// From A to B, of the penetration.
    normal: [f64; 2],
    depth: f64,
    /// How A leaves B the shortest way.
    minimum_translation: [f64; 2],
    contacts: Vec<[f64; 2]>,
    distance: f64,
    /// A point of A and one of B that are nearest to each other, where they are apart.
    closest: Option<[[f64; 2]; 2]>,
}

fn explain(a: &Shape, b: &Shape, touching_counts: bool) -> Result<PairAnswer> {
    let objects = [a.object()?, b.object()?];
    let [set_a, set_b] = [set_of(&objects[0])?, set_of(&objects[1])?];
    let found = ObjectExplanation::new(&set_a, 0, &set_b, 0)?;
    let explanation = &found.explanation;
    let relation = explanation.relation;
    let [piece_a, piece_b] = found.pieces;
    let penetration = Penetration::of_pieces(&set_a, piece_a, &set_b, piece_b)?;
    let distance = Distance::of_pieces(&set_a, piece_a, &set_b, piece_b)?;
    let meet = relation != Relation::Disjoint;
    let contacts = if meet {
        let manifold = Manifold::of_pieces(&set_a, piece_a, &set_b, piece_b, CONTACT_MARGIN)?;
        manifold.points().iter().map(|contact| contact.position.to_array()).collect()
    } else {
        Vec::new()
    };
    let keep = if touching_counts { Keep::Meeting } else { Keep::Overlapping };
    let overlaps = relation == Relation::Overlapping;
    // Whether it is more than 0 is decided exactly; how much it is comes from figures that are rounded.
    let nowhere = [0.0; 2];
    Ok(PairAnswer {
        relation: relation.name(),
        collides: keep.keeps(relation),
        a: Outline::new(a, &objects[0])?,
        b: Outline::new(b, &objects[1])?,
        pieces: found.pieces,
        origin: explanation.origin.to_array(),
        axes: rows(&explanation.axes),
        deciding: explanation.deciding,
        normal: penetration.normal.to_array(),
        depth: if overlaps { penetration.depth() } else { 0.0 },
        minimum_translation: if overlaps {
            penetration.minimum_translation_of_a().to_array()
        } else {
            nowhere
        },
        contacts,
        distance: if meet { 0.0 } else { distance.distance },
        closest: distance
            .closest
            .filter(|_| !meet)
            .map(|closest| [closest.point_a.to_array(), closest.point_b.to_array()]),
    })
}

/// How far A is to be moved to touch B exactly.
fn way_to_touch(a: &Shape, b: &Shape) -> Result<Option<[f64; 2]>> {
    Ok(a.object()?.translation_to_touch(&b.object()?)?.map(|way| way.to_array()))
}

/// Why two polygons, `{ ring, x, y, degrees }` each, lie as they do, and how deep, where and how far.
///
/// # Errors
/// Those of the library, as `Error` objects.
#[wasm_bindgen(js_name = explainPair)]
pub fn explain_pair(a: JsValue, b: JsValue, touching_counts: bool) -> std::result::Result<JsValue, JsValue> {
    let (a, b) = (super::question(a)?, super::question(b)?);
    super::answer(explain(&a, &b, touching_counts))
}

/// `[x, y]` by which A is to be moved so that it touches B exactly; undefined where f64 has no such place.
///
/// # Errors
/// As [`explain_pair`].
#[wasm_bindgen(js_name = wayToTouch)]
pub fn way_to_touch_js(a: JsValue, b: JsValue) -> std::result::Result<JsValue, JsValue> {
    super::answer(way_to_touch(&super::question(a)?, &super::question(b)?))
}

#[cfg(test)]
mod tests {
    use super::super::shape::square;
    use super::*;

    #[test]
    fn overlapping_squares_have_a_way_out_and_two_contacts() {
        let found = explain(&square(0.0, 0.0, 0.0), &square(1.5, 0.5, 0.0), true).expect("squares");
        assert_eq!((found.relation, found.collides, found.axes.len()), ("overlapping", true, 2));
        assert_eq!((found.depth, found.minimum_translation, found.contacts.len()), (0.5, [-0.5, 0.0], 2));
        assert_eq!((found.distance, found.closest), (0.0, None));
    }

    #[test]
    fn touching_counts_or_not_and_the_relation_stays() {
        for (counts, collides) in [(true, true), (false, false)] {
            let found = explain(&square(0.0, 0.0, 0.0), &square(2.0, 0.5, 0.0), counts).expect("squares");
            assert_eq!((found.relation, found.collides, found.depth), ("touching", collides, 0.0));
            assert_eq!(found.contacts.len(), 2);
        }
    }

    #[test]
    fn squares_apart_have_a_distance() {
        let found = explain(&square(0.0, 0.0, 0.0), &square(5.0, 6.0, 0.0), true).expect("squares");
        assert_eq!((found.relation, found.distance), ("disjoint", 5.0));
        assert_eq!(found.closest, Some([[1.0, 1.0], [4.0, 5.0]]));
        assert!(found.contacts.is_empty() && found.axes[found.deciding].separates);
    }

    #[test]
    fn turned_polygons_are_brought_to_touch_exactly() {
        let b = square(0.25, -0.125, 71.0);
        for (x, y, degrees) in [(1.3, 0.4, 10.0), (4.0, 3.0, 33.0), (0.25, -0.125, 12.0), (-3.5, 0.0, 200.0)]
        {
            let a = square(x, y, degrees);
            let way = way_to_touch(&a, &b).expect("squares").expect("corners of few bits");
            let moved = Shape { x: x + way[0], y: y + way[1], ..a };
            assert_eq!(explain(&moved, &b, true).map(|found| found.relation).ok(), Some("touching"));
        }
    }
}
