//! Compares the measurements of other crates with f64, and explains the differences.

use rayon::prelude::*;
use sat2d::{Backend, FIGURE_BOUND};

use super::integers::Exact;
use super::truth::Verdict;
use super::*;

fn moved(rings: &Rings, by: f64) -> Vec<Vec<[f64; 2]>> {
    rings.iter().map(|ring| ring.iter().map(|v| [v[0] + by, v[1] - by]).collect()).collect()
}

/// Asserts that sat2d is right for every pair. Returns the errors of each contender.
fn compare(rings: &Rings) -> Result<Vec<Outcome>, AnyError> {
    compare_of(rings, |_| true)
}

/// A contender, the number of its answers beyond the bound, the greatest difference from the true value, and the number of
/// missed or invented contacts.
type Outcome = (Contender, u64, f64, u64);

fn compare_of(rings: &Rings, is_asked: impl Fn(&str) -> bool) -> Result<Vec<Outcome>, AnyError> {
    let exact = expected::exact_answer(rings)?;
    let [order, _] = narrow::orders(rings, &exact)?;
    let truth = truth::of_pairs(rings, &order.pairs, &order.truth);
    // The true values were computed in f64. Integers confirm them for every pair.
    order.pairs.par_iter().zip(&truth).for_each(|(&[a, b], truth)| {
        let exact = Exact::new(&rings[a as usize], &rings[b as usize]);
        assert!(exact.confirms(truth), "{exact:?}, {truth:?}");
    });
    let (engine, set) = (Engine::new(Backend::Cpu)?, PolygonSet::from_convex_rings(rings)?);
    let is_small = rings.iter().all(|ring| ring.len() <= 8);
    let is_boxes = rings.iter().all(|ring| ring.len() == 4);
    let mut all = Vec::new();
    for &contender in Contender::ALL {
        let name = contender.name();
        if !is_asked(name) || name.starts_with("box2d") && !is_small || name.ends_with("cuboid") && !is_boxes
        {
            continue;
        }
        let found = contender.shapes(rings, &engine, &set)?.measure(&order.pairs)?;
        let (mut off, mut worst, mut contacts) = (0, 0.0f64, 0);
        for (at, truth) in truth.iter().enumerate() {
            let says_all = contender == Contender::Penetrations;
            let verdict = truth.verdict(contender.question(), says_all, found.value(at));
            match verdict {
                Verdict::Off(by) => {
                    worst = worst.max(by);
                    off += u64::from(verdict.is_wrong());
                }
                Verdict::Missed | Verdict::Invented => contacts += 1,
                Verdict::Silent => {}
            }
            assert!(!contender.is_ours() || !verdict.is_wrong(), "{name}: {:?} {truth:?}", order.pairs[at]);
        }
        println!(
            "{name}: {off} off, worst {worst:e}, {contacts} contacts missed or invented, of {}",
            truth.len()
        );
        all.push((contender, off, worst, contacts));
    }
    Ok(all)
}

/// Tests that contenders in f32 agree with f64 near the origin, within their tolerances. geo uses f64 and agrees to the last
/// digits.
///
/// The true values are from f64. They differ from the integer results of [`Exact`] by at most a millionth of the bound. The
/// peers have these errors:
/// - parry2d's `distance` and `closest_points` are too large by up to about 1e-4 of the size, for one pair in several hundred.
///   GJK stops when its upper and lower bounds of the distance differ by one part in a thousand (`sqrt(10 * epsilon)` in
///   `gjk::closest_points`), and returns the upper bound.
/// - parry2d's `contact` with vertices in world coordinates has an error of about one epsilon of the coordinates,
///   because it rounds the vertices of the Minkowski difference. With vertices relative to the centre, it is right to
///   1e-5.
/// - `b2CollidePolygons` first subtracts the first vertex of A from all vertices, and is right to 1e-6, as sat2d is.
/// - `b2ShapeDistance` is right to 1e-5.
#[test]
fn near_the_origin_all_agree_within_their_tolerances() -> Result<(), AnyError> {
    for scene in [Scene::Boxes, Scene::Ngons, Scene::BigNgons, Scene::Crowd] {
        let rings = scene.generate(1_500, 7);
        for (contender, off, worst, contacts) in compare(&rings)? {
            let name = contender.name();
            assert_eq!(contacts, 0, "{scene}, {name}");
            let (most_off, bound) = match contender {
                Contender::GeoDistance => (0, 1e-12),
                Contender::ParryDistance | Contender::ParryDistancePosed | Contender::ParryClosest => {
                    (50, 1e-3)
                }
                _ => (0, FIGURE_BOUND),
            };
            assert!(off <= most_off && worst <= bound, "{scene}, {name}: {off}, {worst}");
        }
    }
    Ok(())
}

/// Tests which contenders are right a million units away from the origin. There, the step between f32 values is 1/16, so
/// rounding to f32 moves a vertex by up to 1/32 in x and in y, and the polygons change.
/// - sat2d is within its bound, because its coordinates are relative to the pair.
/// - geo is right, because it uses f64.
/// - parry2d is right if the vertices are relative to a centre that is an f32 value, because the difference of two such
///   centres is exact. `closest_points` is wrong even then: it rounds both points to world coordinates in f32.
/// - `b2CollidePolygons` is left out. It asserts that the distance of the polygons is more than 0, and ends the process if
///   their vertices are equal after rounding.
#[test]
fn a_million_away_only_those_are_right_who_count_from_the_pair() -> Result<(), AnyError> {
    let rings = moved(&Scene::Boxes.generate(800, 7), 1e6);
    for (contender, off, worst, _) in compare_of(&rings, |name| name != "box2d-collide")? {
        let name = contender.name();
        match contender {
            Contender::GeoDistance => assert!(worst < 1e-9, "{name}: {worst}"),
            Contender::ParryContactPosed | Contender::ParryManifold => assert_eq!(off, 0, "{name}"),
            Contender::ParryDistancePosed => assert!(worst < 1e-3, "{name}: {worst}"),
            _ if contender.is_ours() => {}
            // The errors of the other contenders are more than a hundred times the bound.
            _ => assert!(off > 100 && worst > 100.0 * FIGURE_BOUND, "{name}: {off}, {worst}"),
        }
    }
    Ok(())
}

/// Tests pairs whose measurements are known by hand. All contenders must be right.
#[test]
fn hand_made_pairs() -> Result<(), AnyError> {
    let rectangle = |x: f64, y: f64, w: f64, h: f64| vec![[x, y], [x + w, y], [x + w, y + h], [x, y + h]];
    // The second rectangle overlaps the first one by 0.25 at the top of the first. The third rectangle is inside the first, and
    // leaves it to the left after a move by 0.5. The fourth rectangle is 3 to the right of a corner of the first, and 4 above
    // it.
    let rings = [
        rectangle(0.0, 0.0, 4.0, 4.0),
        rectangle(1.0, 3.75, 2.0, 2.0),
        rectangle(0.25, 1.5, 0.25, 1.0),
        rectangle(7.0, 8.0, 1.0, 1.0),
    ];
    let pairs = [[0, 1], [0, 2], [0, 3]];
    let (depths, distances) = ([Some(-0.25), Some(-0.5), None], [0.0, 0.0, 5.0]);
    let (engine, set) = (Engine::new(Backend::Cpu)?, PolygonSet::from_convex_rings(&rings)?);
    for &contender in Contender::ALL {
        let found = contender.shapes(&rings, &engine, &set)?.measure(&pairs)?;
        for at in 0..pairs.len() {
            let (value, name) = (found.value(at), contender.name());
            let expected = match contender.question() {
                Question::Distance => Some(distances[at]),
                // For separate polygons, sat2d returns the gap over an edge. The other contenders return no contact.
                Question::Penetration if contender.is_ours() => depths[at].or(Some(4.0)),
                Question::Penetration | Question::Manifold => depths[at],
            };
            let near = match (value, expected) {
                (Some(value), Some(expected)) => (value - expected).abs() < 1e-5,
                (None, None) => true,
                _ => false,
            };
            assert!(near, "{name}, {at}: {value:?}, not {expected:?}");
        }
    }
    Ok(())
}

#[test]
fn the_report_has_the_greatest_number_of_each_kind_of_error() {
    let errors = |worst, off, missed, invented| measure::Errors { worst, off, missed, invented };
    let both = errors(0.5, 1, 7, 0).greater(errors(2.0, 0, 0, 3));
    assert_eq!((both.worst, both.off, both.missed, both.invented), (2.0, 1, 7, 3));
    assert!(
        errors(f64::NAN, 0, 0, 0).greater(both).worst.is_nan()
            && both.greater(errors(f64::NAN, 0, 0, 0)).worst.is_nan()
    );
}
