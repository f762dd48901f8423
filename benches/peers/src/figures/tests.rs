//! What other crates answer to the same questions, and where they differ, by how much and why.

use rayon::prelude::*;
use sat2d::{Backend, FIGURE_BOUND};

use super::integers::Exact;
use super::truth::Verdict;
use super::*;

fn moved(rings: &Rings, by: f64) -> Vec<Vec<[f64; 2]>> {
    rings.iter().map(|ring| ring.iter().map(|v| [v[0] + by, v[1] - by]).collect()).collect()
}

/// Asserts that sat2d is right of every pair, and says how near each peer is.
fn compare(rings: &Rings) -> Result<Vec<Outcome>, AnyError> {
    compare_of(rings, |_| true)
}

/// A contender, its answers off by more than the bound, the greatest difference, and contacts missed or invented.
type Outcome = (Contender, u64, f64, u64);

fn compare_of(rings: &Rings, is_asked: impl Fn(&str) -> bool) -> Result<Vec<Outcome>, AnyError> {
    let exact = expected::exact_answer(rings)?;
    let [order, _] = narrow::orders(rings, &exact)?;
    let truth = truth::of_pairs(rings, &order.pairs, &order.truth);
    // What decides below is f64, and integers confirm it of every pair.
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

/// Near the origin all who work in f32 agree with f64 but for their tolerances, and geo, in f64, to the last digits.
///
/// What decides is f64, a millionth of what is at issue near to what [`Exact`] has by integers. By it:
/// - parry2d's `distance` and `closest_points` are too long by up to some 1e-4 of the size, of one pair in some hundred to
///   a thousand: GJK stops where its upper and lower bound of the distance differ by a part in a thousand (the root of ten
///   epsilons, in `gjk::closest_points`), and then tells the upper one.
/// - Its `contact` of vertices in the world rounds them as points of a difference of two polygons, by an epsilon of the
///   coordinates; with vertices about the centre it is right to 1e-5.
/// - `b2CollidePolygons` subtracts the first vertex of A from all before anything else and is right to 1e-6, as sat2d is.
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

/// A million away from the origin f32 has steps of 1/16: given vertices or centres there, a peer has other polygons, whatever
/// it computes of them, and a box of side 1 has corners off by up to 1/32. By f64, which integers confirm, sat2d is
/// within its bound, which counts from the pair; so is geo; and so is parry2d where vertices are about a centre that is an
/// f32 value, since the difference of two such centres is exact; but its `closest_points` rounds each of its two points to
/// a step of the world's. `b2CollidePolygons` is not asked: of polygons that have
/// rounded vertices in common it ends the process by an assertion that their distance is more than 0.
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
            // Beyond sat2d's bound by more than a hundred times.
            _ => assert!(off > 100 && worst > 100.0 * FIGURE_BOUND, "{name}: {off}, {worst}"),
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
