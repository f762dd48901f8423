//! Tests that vector code chooses the same features as scalar code, and that fault injection is detected.

use std::cell::Cell;
use std::mem::MaybeUninit;

use glam::DVec2;

use super::lanes::OnLanes;
use super::manifold::manifold;
use super::pair::{Images, MeasuredPair};
use super::penetration::over;
use super::select::Line;
use super::sole::OnWide;
use super::{Plain, Select};
use crate::answers::manifold::Manifold;
use crate::geometry::PolygonSet;
use crate::kernels::faults::{Fault, Kernel, assert_caught};
use crate::kernels::test_scenes::{Pairs, Random, candidates};
use crate::scenes::Scene;
use crate::simd::{
    DoubleInstructions, OnDoubles, Wide, WideInstructions, on_doubles_or_plain, wide_or_plain,
};

/// Returns random polygons for each number of vertices that has its own variant of the code. Adds boxes and triangles
/// on a grid, which have collinear edges.
fn scenes() -> Vec<Pairs> {
    let mut scenes: Vec<Pairs> =
        [candidates(Scene::Boxes, 300), candidates(Scene::Ngons, 300), candidates(Scene::BigNgons, 300)]
            .into();
    let mut random = Random(0x6c1d);
    let mut step = |most: f64| (random.unit() * most).floor() / 10.0;
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for k in 0..2000 {
        let (x, y) = (step(20.0), step(20.0));
        let (w, h) = (0.1 + step(10.0), 0.1 + step(10.0));
        let corners = [[x, y], [x + w, y], [x + w, y + h], [x, y + h]];
        let ring = corners[..if k % 3 == 0 { 3 } else { 4 }].to_vec();
        if k % 2 == 0 { a.push(ring) } else { b.push(ring) }
    }
    let [a, b] = [a, b].map(|rings| PolygonSet::from_convex_rings(&rings).expect("boxes and triangles"));
    scenes.push(Pairs::new(a, b));
    scenes
}

fn each_pair(mut of: impl FnMut(&MeasuredPair<'_>, &mut Vec<f64>)) {
    for pairs in scenes() {
        for index in 0..pairs.truth.len() {
            let Images { gaps, .. } = &mut Images::default();
            let vertices = [pairs.a.piece_vertices(index), pairs.b.piece_vertices(index)];
            of(&MeasuredPair::plain(vertices, [None; 2]), gaps);
        }
    }
}

#[test]
fn vectors_choose_what_plain_numbers_choose() {
    struct Compare;
    impl OnDoubles for Compare {
        type Output = usize;

        #[inline(always)]
        fn run<I: DoubleInstructions>(self, i: I) -> usize {
            let mut count = 0;
            each_pair(|pair, room| {
                let best = Plain.best_edge(pair, room).expect("polygons have edges");
                assert_eq!(OnLanes(i).best_edge(pair, room), Some(best), "{:?}", pair.a);
                let slack = best.slack();
                let nearest = Plain.nearest(pair, slack, room);
                assert_eq!(OnLanes(i).nearest(pair, slack, room), nearest);
                let [polygon, other] = pair.sides(best.edge);
                let line = Line::new(polygon, best.edge.index as usize);
                assert_eq!(OnLanes(i).near_line(&line, other, slack), Plain.near_line(&line, other, slack));
                count += 1;
            });
            count
        }
    }
    assert!(on_doubles_or_plain(Compare) > 1500);
    Compare.run(crate::simd::Plain::<false>);
}

#[test]
fn where_f32_is_certain_it_chooses_what_f64_does() {
    struct Compare;
    impl Wide for Compare {
        type Output = [usize; 2];

        #[inline(always)]
        fn run<I: WideInstructions>(self, i: I) -> [usize; 2] {
            let mut counts = [0; 2];
            each_pair(|pair, room| {
                let best = Plain.best_edge(pair, room).expect("polygons have edges");
                // The scaled polygons include sizes for which f32 loses bits, or underflows or overflows.
                for exponent in [0, -30, -38, -60, -130, 40, 58, 150] {
                    let scaled = |v: &DVec2| *v * 2f64.powi(exponent);
                    let [a, b] = [
                        pair.a.vertices.iter().map(scaled).collect(),
                        pair.b.vertices.iter().map(scaled).collect(),
                    ];
                    let [a, b]: [Vec<DVec2>; 2] = [a, b];
                    let skipped = Cell::new(0);
                    let pair = &MeasuredPair::plain([&a, &b], [None; 2]);
                    let wide = OnWide::new(i, &skipped);
                    let sole = wide.sole_edge(pair);
                    counts[usize::from(sole.is_some())] += 1;
                    if let Some(sole) = sole {
                        assert_eq!((sole.edge, sole.known()), (best.edge, best.known()), "{a:?} {b:?}");
                    }
                    assert_eq!(wide.best_edge(pair, room), Plain.best_edge(pair, room));
                }
            });
            counts
        }
    }
    for [left, certain] in [wide_or_plain(Compare), Compare.run(crate::simd::Plain::<false>)] {
        assert!(certain > 2000 && left > 2000, "{certain} {left}");
    }
}

#[test]
fn what_is_nearest_by_a_foot_or_two_corners_is_nearest_of_all() {
    let mut found = 0;
    each_pair(|pair, room| {
        let best = Plain.best_edge(pair, room).expect("polygons have edges");
        if best.known() == Some(crate::Relation::Disjoint) {
            let over = over(Plain, pair, &best, None, room);
            if let Some(short) = over.nearest(pair) {
                let [short, all] = [short, Plain.nearest(pair, best.slack(), room)]
                    .map(|nearest| super::distance::near(pair, nearest));
                assert!((short.distance - all.distance).abs() <= best.slack(), "{short:?} {all:?}");
                assert!((short.point_a - all.point_a).length() <= 4.0 * best.slack(), "{short:?} {all:?}");
                found += 1;
            }
        }
    });
    assert!(found > 300, "{found}");
}

/// The margin for contact points in these tests.
const MARGIN: f64 = 0.25;

/// Returns the number of wrong manifolds. A manifold is wrong if a contact is missing, lies off the polygons, occurs
/// twice, or has a wrong gap.
fn wrong_manifolds() -> usize {
    let mut wrong = 0;
    each_pair(|pair, room| {
        let best = Plain.best_edge(pair, room).expect("polygons have edges");
        let over = over(Plain, pair, &best, None, room);
        let out = &mut MaybeUninit::uninit();
        let found =
            manifold(pair, &best, &over, MARGIN, out, || Plain.nearest(pair, best.slack(), &mut Vec::new()));
        wrong += usize::from(is_wrong(pair, found, best.extent));
    });
    wrong
}

fn is_wrong(pair: &MeasuredPair<'_>, found: &Manifold, extent: f64) -> bool {
    let [a, b] = [pair.a.vertices, pair.b.vertices];
    let within = extent * 2f64.powi(-44);
    let beyond = |polygon: &[DVec2], point: DVec2| {
        let edges = polygon.iter().zip(polygon.iter().cycle().skip(1));
        let over = edges.map(|(&p, &q)| (q - p).perp().normalize().dot(p - point));
        over.fold(f64::NEG_INFINITY, f64::max)
    };
    let off = found.points().iter().any(|contact| {
        let half = found.normal * (0.5 * contact.separation);
        beyond(a, contact.position - half) > within || beyond(b, contact.position + half) > within
    });
    let twice = matches!(found.points(), [one, other] if one.position.distance(other.position) <= within);
    // Only overlapping pairs must have a contact, because the distance decides whether a disjoint pair has one.
    off || twice
        || (found.points().is_empty() && found.separation < -within)
        || found.deepest().is_some_and(|contact| (contact.separation - found.separation).abs() > within)
}

#[test]
fn broken_kernels_are_caught() {
    assert_eq!(wrong_manifolds(), 0);
    for fault in [Fault::NoCuts, Fault::FlippedSign, Fault::NoCorners] {
        assert_caught(Kernel::Manifold, fault, "contact points", wrong_manifolds);
    }
}
