//! What other crates answer to the same questions, and where they differ, by how much and why.

use sat2d::{Backend, FIGURE_BOUND};

use super::truth::Verdict;
use super::*;

fn moved(rings: &Rings, by: f64) -> Vec<Vec<[f64; 2]>> {
    rings.iter().map(|ring| ring.iter().map(|v| [v[0] + by, v[1] - by]).collect()).collect()
}

/// Asserts that sat2d is right of every pair, and says how each peer lies: answers off by more than the bound, the greatest
/// difference, and contacts missed or invented.
fn compare(rings: &Rings) -> Result<Vec<(Contender, u64, f64, u64)>, AnyError> {
    let exact = expected::exact_answer(rings)?;
    let [order, _] = narrow::orders(rings, &exact)?;
    let truth = truth::of_pairs(rings, &order.pairs, &order.truth);
    let (engine, set) = (Engine::new(Backend::Cpu)?, PolygonSet::from_convex_rings(rings)?);
    let is_small = rings.iter().all(|ring| ring.len() <= 8);
    let is_boxes = rings.iter().all(|ring| ring.len() == 4);
    let mut all = Vec::new();
    for &contender in Contender::ALL {
        let name = contender.name();
        if name.starts_with("box2d") && !is_small || name.ends_with("cuboid") && !is_boxes {
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

/// Near the origin all who work in f32 agree with f64 but for their tolerances, and geo, in f64, to the last digits.
///
/// Where they disagree, the distances and depths in f64 are exact to 1e-15 of the size (coordinates are f32 values, so that
/// products are exact), 1e10 times finer than what is at issue:
/// - parry2d's `distance` and `closest_points` stop GJK once an iteration gains less than a fixed tolerance, so that where a
///   vertex lies over an edge that is nearly at a right angle to the way between them, up to 1e-3 of the size is left.
/// - parry2d's `contact` expands a polytope from points of GJK's; of a pair that overlaps by less than f32 keeps beside the
///   coordinates, a few contacts come from an edge next to the best.
/// - `b2CollidePolygons` takes the best edge of A unless B's is better, as sat2d does: within f32 the same number.
/// - `b2ShapeDistance` is within 1e-4: its last simplex decides which features are nearest.
#[test]
fn near_the_origin_all_agree_within_their_tolerances() -> Result<(), AnyError> {
    for scene in [Scene::Boxes, Scene::Ngons, Scene::BigNgons, Scene::Crowd] {
        let rings = scene.generate(1_500, 7);
        for (contender, off, worst, contacts) in compare(&rings)? {
            let name = contender.name();
            match contender {
                Contender::GeoDistance => assert!(worst < 1e-12, "{scene}, {name}: {worst}"),
                #[cfg(feature = "box2d")]
                Contender::Box2dCollide => assert_eq!((off, contacts), (0, 0), "{scene}, {name}"),
                _ => assert!(off < 50 && contacts < 10, "{scene}, {name}: {off}, {contacts}"),
            }
        }
    }
    Ok(())
}

/// A million away from the origin f32 has steps of 1/16: the peers' polygons are others there, whatever they compute of
/// them, and a box of side 1 has corners off by up to 1/32. sat2d counts from the pair, and geo in f64: both are right.
#[test]
fn a_million_away_only_sat2d_and_geo_are_right() -> Result<(), AnyError> {
    let rings = moved(&Scene::Boxes.generate(800, 7), 1e6);
    for (contender, off, worst, contacts) in compare(&rings)? {
        let name = contender.name();
        match contender {
            Contender::Penetrations | Contender::Manifolds | Contender::Distances => {}
            Contender::GeoDistance => assert!(worst < 1e-9, "{name}: {worst}"),
            // Every contender in f32 is beyond sat2d's bound, most pairs by more than a hundred times.
            _ => assert!(off + contacts > 100 && worst > 100.0 * FIGURE_BOUND, "{name}: {off}, {worst}"),
        }
    }
    Ok(())
}

/// Pairs whose answers are known by hand, and that all contenders have right.
#[test]
fn hand_made_pairs() -> Result<(), AnyError> {
    let rectangle = |x: f64, y: f64, w: f64, h: f64| vec![[x, y], [x + w, y], [x + w, y + h], [x, y + h]];
    // Against the first: overlapping by 0.25 upwards; within it, 0.5 from its left; 3 and 4 away from its corner.
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
                // Apart, ours tells the gap over an edge, the others that there is no contact.
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
