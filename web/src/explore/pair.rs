//! Explains two polygons.

use std::f64::consts::TAU;
use std::iter;

use sat2d::glam::DVec2;
use sat2d::{
    Distance, Explanation, Keep, Manifold, ObjectExplanation, PolygonObject, Pose, Relation, Result,
    SeparatingTranslation,
};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::axes::{AxisRow, rows};
use super::shape::{Outline, PLACES, Shape, place, set_of};

/// The greatest separation of a contact. It is above 0, so that polygons that touch have contacts despite rounding.
const CONTACT_MARGIN: f64 = 1.0 / 1024.0;

/// The greatest length that is added to a translation so that the polygons touch after it. The length is too small to see in a
/// picture.
const UNSEEN: f64 = 1.0 / (1u32 << 16) as f64;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct PairAnswer {
    relation: &'static str,
    /// Whether the polygons collide. Touching polygons collide only if the caller sets `touching_counts`.
    collides: bool,
    a: Outline,
    b: Outline,
    /// The index of the explained pair of pieces. Pairs are numbered by the piece of A, then by the piece of B. The axes, the
    /// depth and the contacts belong to the explained pair.
    pair: usize,
    pair_count: usize,
    pair_relation: &'static str,
    pieces: [usize; 2],
    origin: [f64; 2],
    axes: Vec<AxisRow>,
    deciding: usize,
    /// The unit vector from A to B along the deciding axis.
    normal: [f64; 2],
    /// The overlap of the projections on the deciding axis, or 0 if they are apart.
    depth: f64,
    /// A translation of A after which A does not overlap B, or `None` if none was found.
    minimum_translation: Option<[f64; 2]>,
    /// Whether no translation shorter than `minimum_translation` separates the polygons.
    is_least: bool,
    contacts: Vec<[f64; 2]>,
    distance: f64,
    /// The nearest points of A and B, or `None` if the polygons meet.
    closest: Option<[[f64; 2]; 2]>,
}

/// Explains two polygons. The axes, the depth and the contacts describe one pair of pieces, which has the index `pair`. If
/// `pair` is `None` or too large, they describe the pair of pieces that decides the relation. Returns the errors of the
/// library.
fn explain(a: &Shape, b: &Shape, touching_counts: bool, pair: Option<usize>) -> Result<PairAnswer> {
    let objects = [a.object()?, b.object()?];
    let [set_a, set_b] = [set_of(&objects[0])?, set_of(&objects[1])?];
    let found = ObjectExplanation::new(&set_a, 0, &set_b, 0)?;
    let relation = found.explanation.relation;
    let [deciding_a, deciding_b] = found.pieces;
    let [count_a, count_b] = found.piece_counts;
    let pair = pair.filter(|&pair| pair < count_a * count_b).unwrap_or(deciding_a * count_b + deciding_b);
    let pieces = [pair / count_b, pair % count_b];
    let explanation = if pieces == found.pieces {
        found.explanation
    } else {
        Explanation::of_pieces(&set_a, pieces[0], &set_b, pieces[1])?
    };
    let distance = Distance::of_pieces(&set_a, deciding_a, &set_b, deciding_b)?;
    let meet = relation != Relation::Disjoint;
    let contacts = if explanation.relation == Relation::Disjoint {
        Vec::new()
    } else {
        let manifold = Manifold::of_pieces(&set_a, pieces[0], &set_b, pieces[1], CONTACT_MARGIN)?;
        manifold.points().iter().map(|contact| contact.position.to_array()).collect()
    };
    let keep = if touching_counts { Keep::Meeting } else { Keep::Overlapping };
    let axis = explanation.deciding_axis();
    let separating = if relation == Relation::Overlapping {
        separating(a, &objects[0], &objects[1])?
    } else {
        Some((DVec2::ZERO, true))
    };
    // Exact arithmetic decides whether the overlap is above 0. Its value is rounded.
    Ok(PairAnswer {
        relation: relation.name(),
        collides: keep.keeps(relation),
        a: Outline::new(a, &objects[0])?,
        b: Outline::new(b, &objects[1])?,
        pair,
        pair_count: count_a * count_b,
        pair_relation: explanation.relation.name(),
        pieces,
        origin: explanation.origin.to_array(),
        axes: rows(&explanation.axes),
        deciding: explanation.deciding,
        normal: axis.toward_b.to_array(),
        depth: axis.overlap.max(0.0),
        minimum_translation: separating.map(|(way, _)| way.to_array()),
        is_least: separating.is_some_and(|(_, is_least)| is_least),
        contacts,
        distance: if meet { 0.0 } else { distance.distance },
        closest: distance
            .closest
            .filter(|_| !meet)
            .map(|closest| [closest.point_a.to_array(), closest.point_b.to_array()]),
    })
}

/// Returns a translation of A to a rounded position at which A does not overlap B, and whether no shorter translation separates
/// the two, up to rounding. Returns `None` if no such position was found. Returns the errors of the library.
fn separating(
    a: &Shape,
    object_a: &PolygonObject,
    object_b: &PolygonObject,
) -> Result<Option<(DVec2, bool)>> {
    let set_b = set_of(object_b)?;
    let of = |object: &PolygonObject| SeparatingTranslation::of_objects(&set_of(object)?, 0, &set_b, 0);
    let Some(found) = of(object_a)? else { return Ok(None) };
    let end = DVec2::new(a.x, a.y) + found.of_a;
    // Positions are rounded, so at the nearest rounded position A may still overlap B.
    let directions: Vec<DVec2> = iter::once(found.of_a.normalize_or_zero()).chain(directions(16)).collect();
    let rings = iter::successors(Some(1.0 / PLACES), |radius| Some(radius * 2.0)).take_while(|&r| r < UNSEEN);
    let around = rings.flat_map(|radius| directions.iter().map(move |way| end + way * radius));
    for at in iter::once(end).chain(around).map(place) {
        if of(&a.moved_to(at).object()?)?.is_some_and(|further| further.of_a == DVec2::ZERO) {
            return Ok(Some((at - DVec2::new(a.x, a.y), found.is_least)));
        }
    }
    Ok(None)
}

/// Returns `count` unit vectors at equal angles.
fn directions(count: u32) -> impl Iterator<Item = DVec2> {
    let step = TAU / f64::from(count);
    (0..count)
        .filter_map(move |k| Pose::new(f64::from(k) * step, DVec2::ZERO).ok())
        .map(|pose| DVec2::new(pose.cos(), pose.sin()))
}

/// Returns a translation of A after which A touches B exactly, or `None` if none was found. If A and B overlap, the
/// translation is close to the separating translation that [`separating`] finds. Returns the errors of the library.
fn way_to_touch(a: &Shape, b: &Shape) -> Result<Option<[f64; 2]>> {
    let [object_a, object_b] = [a.object()?, b.object()?];
    let out = separating(a, &object_a, &object_b)?.map_or(DVec2::ZERO, |(out, _)| out);
    if out != DVec2::ZERO {
        let end = DVec2::new(a.x, a.y) + out;
        // The translation may end between two edges of B. In this case, a start beside the translation's end leads to one of
        // the edges.
        let around = directions(8).map(|way| way * (UNSEEN / 16.0));
        for beside in iter::once(DVec2::ZERO).chain(around) {
            let at = place(end + beside);
            let touch = a.moved_to(at).object()?.translation_to_touch(&object_b)?;
            if let Some(touch) = touch.filter(|touch| touch.length() < UNSEEN) {
                return Ok(Some((at - DVec2::new(a.x, a.y) + touch).to_array()));
            }
        }
    }
    Ok(object_a.translation_to_touch(&object_b)?.map(|way| way.to_array()))
}

/// Explains the relation of two polygons, each `{ ring, x, y, degrees }`, with depth, contacts and nearest points. The axes
/// belong to the pair of pieces with the index `pair`. By default, they belong to the pair that decides the relation.
///
/// # Errors
/// Returns the errors of the library as `Error` objects.
#[wasm_bindgen(js_name = explainPair)]
pub fn explain_pair(
    a: JsValue,
    b: JsValue,
    touching_counts: bool,
    pair: Option<u32>,
) -> std::result::Result<JsValue, JsValue> {
    let (a, b) = (super::question(a)?, super::question(b)?);
    super::answer(explain(&a, &b, touching_counts, pair.map(|pair| pair as usize)))
}

/// Returns the translation `[x, y]` after which A touches B exactly, or undefined if none was found.
///
/// # Errors
/// Returns the same errors as [`explain_pair`].
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
        let found = explain(&square(0.0, 0.0, 0.0), &square(1.5, 0.5, 0.0), true, None).expect("squares");
        assert_eq!((found.relation, found.collides, found.axes.len()), ("overlapping", true, 2));
        assert_eq!(
            (found.depth, found.minimum_translation, found.contacts.len()),
            (0.5, Some([-0.5, 0.0]), 2)
        );
        assert_eq!((found.distance, found.closest), (0.0, None));
    }

    #[test]
    fn touching_counts_or_not_and_the_relation_stays() {
        for (counts, collides) in [(true, true), (false, false)] {
            let found =
                explain(&square(0.0, 0.0, 0.0), &square(2.0, 0.5, 0.0), counts, None).expect("squares");
            assert_eq!((found.relation, found.collides, found.depth), ("touching", collides, 0.0));
            assert_eq!(found.contacts.len(), 2);
        }
    }

    #[test]
    fn squares_apart_have_a_distance() {
        let found = explain(&square(0.0, 0.0, 0.0), &square(5.0, 6.0, 0.0), true, None).expect("squares");
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
            assert_eq!(explain(&moved, &b, true, None).map(|found| found.relation).ok(), Some("touching"));
        }
    }

    /// Returns the shapes of the page, from `web/page/shapes.js`: the name and the ring of each.
    fn shapes() -> Vec<(&'static str, Vec<[f64; 2]>)> {
        let source = include_str!("../../page/shapes.js");
        let names = ["triangle", "square", "hexagon", "irregular", "needle", "corner", "arrow", "star"];
        let ring = |name: &str| -> Vec<[f64; 2]> {
            let text = source.split(&format!("  {name}: {{")).nth(1).expect("a shape of the page");
            let text = text.split("ring: ").nth(1).and_then(|text| text.split("]]").next()).expect("a ring");
            let numbers =
                text.split(|c: char| !"-.0123456789".contains(c)).filter_map(|word| word.parse().ok());
            let numbers: Vec<f64> = numbers.collect();
            numbers.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
        };
        assert_eq!(source.matches("ring: [[").count(), names.len(), "all shapes are named here");
        names.into_iter().map(|name| (name, ring(name))).collect()
    }

    /// Uniform random numbers from 0 to 1, the same in every run (Marsaglia 2003, "Xorshift RNGs").
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            for shift in [13, -7, 17i32] {
                self.0 ^= if shift > 0 { self.0 << shift } else { self.0 >> -shift };
            }
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }

        /// Returns a shape with a random pose that a user of the page may choose: on eighths of a unit, or anywhere.
        fn pose(&mut self, ring: &[[f64; 2]]) -> Shape {
            let [x, y] = [0; 2].map(|_| self.next() * 4.0 - 2.0);
            let degrees = self.next() * 360.0;
            let ring = ring.to_vec();
            if self.next() < 0.5 {
                let [x, y] = [x, y].map(|x| (x * 8.0).round() / 8.0);
                return Shape { ring, x, y, degrees: (degrees / 15.0).round() * 15.0 };
            }
            Shape { ring, x, y, degrees }
        }
    }

    fn check_poses(poses: usize) {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let (mut overlapping, mut touched) = (0, 0);
        for (name_a, ring_a) in shapes() {
            for (name_b, ring_b) in shapes() {
                for _ in 0..poses {
                    let (a, b) = (random.pose(&ring_a), random.pose(&ring_b));
                    let pose = || format!("{name_a} {a:?} and {name_b} {b:?}");
                    let found = explain(&a, &b, true, None).expect("polygons");
                    let axis = &found.axes[found.deciding];
                    assert_eq!(found.depth, axis.overlap.max(0.0), "{}", pose());
                    assert_eq!(found.normal, axis.toward_b, "{}", pose());
                    assert!(found.axes.iter().all(|other| other.overlap >= axis.overlap), "{}", pose());
                    if found.relation != "overlapping" {
                        assert_eq!(found.minimum_translation, Some([0.0; 2]));
                        continue;
                    }
                    overlapping += 1;
                    let [x, y] =
                        found.minimum_translation.unwrap_or_else(|| panic!("no way out: {}", pose()));
                    assert!(found.is_least && x.hypot(y) + 1e-9 >= found.depth, "{}", pose());
                    if found.pair_count == 1 {
                        assert!((x.hypot(y) - found.depth).abs() < 1e-9, "{}", pose());
                    }
                    let relation = |x: f64, y: f64| {
                        let [a, b] =
                            [a.moved_to(DVec2::new(a.x + x, a.y + y)), b.clone()].map(|s| s.object());
                        let sets = [a, b].map(|object| set_of(&object.expect("a polygon")).expect("a set"));
                        let found = ObjectExplanation::new(&sets[0], 0, &sets[1], 0).expect("polygons");
                        found.explanation.relation
                    };
                    assert_ne!(relation(x, y), Relation::Overlapping, "{}", pose());
                    let touch = way_to_touch(&a, &b).expect("polygons").expect("corners of few bits");
                    assert_eq!(relation(touch[0], touch[1]), Relation::Touching, "{}", pose());
                    touched += usize::from((touch[0] - x).hypot(touch[1] - y) < UNSEEN);
                }
            }
        }
        assert!(overlapping > 10 * poses);
        assert!(
            touched * 1000 >= overlapping * 999,
            "{touched} of {overlapping} touch where the way out ends"
        );
    }

    #[test]
    fn a_way_out_of_the_page_s_shapes_separates_them_and_figures_agree() {
        // Under `scripts/soak`, the test has 3,000 poses.
        check_poses(if std::env::var_os("SAT2D_SOAK").is_some() { 3000 } else { 47 });
    }

    #[test]
    fn each_pair_of_pieces_is_explained_on_request() {
        let star = shapes().pop().expect("shapes").1;
        let (a, b) = (Shape { ring: star, x: 1.0, y: -1.0, degrees: 255.0 }, square(0.0, 0.0, 0.0));
        let found = explain(&a, &b, true, None).expect("polygons");
        assert!(found.pair_count > 1 && found.relation == "overlapping");
        let shown: Vec<PairAnswer> =
            (0..found.pair_count).map(|pair| explain(&a, &b, true, Some(pair)).expect("polygons")).collect();
        assert_eq!(shown[found.pair], found);
        for (pair, one) in shown.iter().enumerate() {
            assert_eq!((one.pair, one.relation), (pair, found.relation));
            assert_eq!(one.minimum_translation, found.minimum_translation);
            let least = one.axes[one.deciding].overlap;
            let by_sign = if least > 0.0 {
                "overlapping"
            } else if least == 0.0 {
                "touching"
            } else {
                "disjoint"
            };
            assert_eq!(one.pair_relation, by_sign);
        }
        assert!(shown.iter().any(|one| one.pair_relation == "disjoint"));
        assert_eq!(explain(&a, &b, true, Some(found.pair_count)).expect("polygons"), found);
    }
}
