use std::f64::consts::TAU;

use glam::DVec2;
use proptest::prelude::*;
use sat2d::{ImpactOutcome, Impacts, Motion, Relation, Relations, TimeOfImpactOptions, glam};

use super::time_of_impact::{Case, linear, rectangle};
use super::{CPU, Ring, engines, moved, set};
use crate::support::in_soak;

const REST: Motion = Motion::REST;

/// Generates polygons of 3 to 8 vertices on a circle near the origin. Some are thin: the circle is squeezed to an ellipse.
fn body() -> impl Strategy<Value = Ring> {
    let turns = prop::collection::vec(0.0..1.0f64, 3..9);
    (turns, prop_oneof![Just(1.0), Just(0.1), Just(1e-3)], 0.0..TAU, [-4.0..4.0f64, -4.0..4.0f64])
        .prop_filter_map("convex", |(mut turns, thin, angle, at)| {
            turns.sort_by(f64::total_cmp);
            let ring: Ring = turns
                .iter()
                .map(|turn| {
                    let v = DVec2::from_angle(turn * TAU) * DVec2::new(1.0, thin);
                    (v.rotate(DVec2::from_angle(angle)) + DVec2::from(at)).to_array()
                })
                .collect();
            let polygon = sat2d::ConvexPolygon::new(&ring).ok()?;
            (polygon.vertices().len() == ring.len()).then_some(ring)
        })
}

fn motion() -> impl Strategy<Value = Motion> {
    let speed = || prop_oneof![Just(0.0), -8.0..8.0f64, -100.0..100.0f64];
    let angular = prop_oneof![Just(0.0), -3.0..3.0f64, -30.0..30.0f64];
    (speed(), speed(), angular, [-4.0..4.0f64, -4.0..4.0f64]).prop_map(|(x, y, angular, centre)| Motion {
        linear: DVec2::new(x, y),
        angular,
        centre: centre.into(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn nothing_tunnels(
        (a, b) in (body(), body()),
        motions in [motion(), motion()],
        tolerance in prop_oneof![Just(1e-2), Just(1e-3), Just(1e-5)],
        offset in prop_oneof![Just(0.0), Just(1e6)],
    ) {
        let rings = moved(&[a, b], [offset, -offset]);
        let [a, b] = [rings[0].clone(), rings[1].clone()];
        let motions = motions.map(|m| Motion { centre: m.centre + DVec2::new(offset, -offset), ..m });
        prop_assume!([&a, &b].iter().all(|ring| sat2d::ConvexPolygon::new(ring).is_ok_and(|p| p.vertices().len() == ring.len())));
        let case = Case { a, b, motions, options: TimeOfImpactOptions::new(tolerance) };
        let found = case.answers();
        for found in &found {
            prop_assert!(found.outcome != ImpactOutcome::IterationLimit, "{:?} {:?}", found, case);
        }
        // If the bodies come within the tolerance without touching, backends may find different outcomes.
        let hits = found.iter().filter(|found| found.outcome == ImpactOutcome::Hit).count();
        if hits > 0 && hits < found.len() {
            let least = Case::samples(1.0).map(|part| case.gap(part)).fold(f64::INFINITY, f64::min);
            prop_assert!(least > 0.0, "{:?} {:?}", found, case);
        }
        // Check the exact relation of the rounded polygons at the time of impact.
        for found in found.iter().filter(|found| found.time > 0.0) {
            let (a, b) = case.at(found.time);
            let sets = [a, b].map(|ring| sat2d::ConvexPolygon::new(&ring).ok().and_then(|p| sat2d::PolygonSet::from_convex(&[p]).ok()));
            if let [Some(a), Some(b)] = sets {
                prop_assert_eq!(CPU.piece_pairs(&a, &b, &[[0, 0]]).query(Relations).unwrap().items[0], Relation::Disjoint);
            }
        }
    }
}

/// Returns the rings of all polygons of a set at the time `time`, in the order of the set.
fn at(rings: &[Ring], motions: &[Motion], time: f64) -> Vec<Ring> {
    let place = |(ring, motion): (&Ring, &Motion)| {
        ring.iter().map(|&v| motion.place(v.into(), time).to_array()).collect::<Ring>()
    };
    rings.iter().zip(motions).map(place).collect()
}

/// Returns a motion for each body, about its middle. Some bodies are at rest.
fn random_motions(rings: &[Ring], speed: f64, turn: f64) -> Vec<Motion> {
    let random = |k: usize, salt: usize| {
        let x = (k * 7 + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        x as f64 / f64::from(1u32 << 23) - 1.0
    };
    (rings.iter().enumerate())
        .map(|(k, ring)| {
            let centre = ring.iter().map(|&v| DVec2::from(v)).sum::<DVec2>() / ring.len() as f64;
            let moves = f64::from(k % 5 != 0);
            let linear = DVec2::new(random(k, 1), random(k, 2)) * speed * moves;
            Motion { linear, angular: random(k, 3) * turn * moves, centre }
        })
        .collect()
}

#[test]
fn swept_boxes_hold_all_of_the_way() {
    let rings: Vec<Ring> =
        (0..60).map(|k| rectangle([f64::from(k), 0.0], [f64::from(k) + 2.0, 0.25])).collect();
    let all = set(&rings);
    for (speed, turn, centre) in
        [(3.0, 0.0, 0.0), (3.0, 2.0, 0.0), (0.0, 9.0, 0.0), (5.0, 0.01, 1e5), (1.0, 3.0, 20.0)]
    {
        let mut motions = random_motions(&rings, speed, turn);
        motions.iter_mut().for_each(|m| m.centre.x += centre);
        let swept = all.swept_aabbs(&motions, 2.0).unwrap();
        let mut tight = 0;
        for part in 0..=200 {
            for (ring, aabb) in at(&rings, &motions, f64::from(part) / 100.0).iter().zip(&swept) {
                for v in ring {
                    let v = DVec2::from(*v);
                    assert!(
                        v.cmpge(aabb.min).all() && v.cmple(aabb.max).all(),
                        "{v} out of {aabb:?}, {speed} {turn}"
                    );
                    tight +=
                        usize::from((v - aabb.min).min_element() < 0.2 || (aabb.max - v).min_element() < 0.2);
                }
            }
        }
        assert!(tight > 0, "{speed} {turn}: nothing comes near its box");
    }
}

#[test]
fn a_join_finds_what_pairs_find() {
    let rings = sat2d::scenes::Scene::Ngons.generate(300, 5);
    let motions = random_motions(&rings, 3.0, 4.0);
    let all = set(&rings);
    let options = TimeOfImpactOptions::new(1e-3);
    let pairs: Vec<[u32; 2]> = (0..300).flat_map(|i| (i + 1..300).map(move |j| [i, j])).collect();
    for (name, engine) in engines() {
        let join = engine.self_join(&all).query(Impacts::of_one_set(&motions, options)).unwrap();
        let found: Vec<_> = join.items.iter().map(|pair| ([pair.a, pair.b], pair.measurement)).collect();
        let one_by_one = engine
            .piece_pairs(&all, &all, &pairs)
            .query(Impacts::new(&motions, &motions, options))
            .unwrap()
            .items;
        let expected: Vec<_> = pairs
            .iter()
            .copied()
            .zip(one_by_one)
            .filter(|(_, f)| f.outcome != ImpactOutcome::Apart)
            .collect();
        assert_eq!(found, expected, "{name}");
        for outcome in [ImpactOutcome::Hit, ImpactOutcome::OverlappingAtStart] {
            assert!(found.iter().filter(|f| f.1.outcome == outcome).count() > 100, "{name}");
        }
        assert!(join.counts.candidate_pairs < 20_000, "{name}: {}", join.counts.candidate_pairs);
        // Also join the set with a copy of itself, in both orders.
        let copy = all.clone();
        let both = engine.join(&all, &copy).query(Impacts::new(&motions, &motions, options)).unwrap();
        let upper: Vec<_> =
            both.items.iter().filter(|p| p.a < p.b).map(|p| ([p.a, p.b], p.measurement)).collect();
        assert_eq!(upper, expected, "{name}");
        assert!(both.items.iter().filter(|p| p.a == p.b).count() == 300, "{name}");
    }
}

#[test]
fn objects_hit_with_the_first_of_their_pieces() {
    // An L, and a block that falls onto its foot.
    let l = sat2d::PolygonObject::from_polygon(&[vec![
        [0.0, 0.0],
        [6.0, 0.0],
        [6.0, 1.0],
        [1.0, 1.0],
        [1.0, 6.0],
        [0.0, 6.0],
    ]])
    .unwrap();
    let block = sat2d::PolygonObject::from_polygon(&[rectangle([3.0, 5.0], [4.0, 6.0])]).unwrap();
    let objects = sat2d::PolygonSet::from_objects(&[l, block]).unwrap();
    assert!(objects.piece_count() > 2);
    let down = linear(0.0, -8.0);
    for (name, engine) in engines() {
        let found = engine
            .self_join(&objects)
            .query(Impacts::of_one_set(&[REST, down], TimeOfImpactOptions::new(1e-3)))
            .unwrap();
        let [hit] = found.items[..] else { panic!("{name}: {found:?}") };
        assert_eq!((hit.a, hit.b), (0, 1), "{name}");
        assert!(hit.measurement.time <= 0.5 && hit.measurement.time > 0.4998, "{name}: {hit:?}");
        assert!((hit.measurement.impact.unwrap().normal - DVec2::Y).length() < 1e-6, "{name}: {hit:?}");
    }
}

#[test]
fn times_of_random_scenes_are_right_near_and_far_and_mostly_from_f32() {
    use sat2d::scenes::Scene;
    let count: u32 = in_soak(150, 100);
    for scene in [Scene::Boxes, Scene::Ngons, Scene::BigNgons, Scene::Crowd] {
        let near = scene.generate(count as usize, 3);
        for by in [[0.0, 0.0], [1e6, -1e6]] {
            let rings = moved(&near, by);
            let motions = random_motions(&rings, 2.0, 2.0);
            let all = set(&rings);
            let pairs: Vec<[u32; 2]> = (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j])).collect();
            let options = TimeOfImpactOptions::new(0.01);
            let answers = engines().map(|(name, engine)| {
                let found = engine
                    .piece_pairs(&all, &all, &pairs)
                    .query(Impacts::new(&motions, &motions, options))
                    .unwrap();
                println!("{name}, {scene}: {} of {} refined", found.counts.refined, pairs.len());
                assert!(
                    found.counts.refined * 50 < pairs.len() as u64,
                    "{name}, {scene}: {} refined",
                    found.counts.refined
                );
                found.items
            });
            let mut hits = 0;
            for (k, &[i, j]) in pairs.iter().enumerate() {
                let [cpu, gpu] = [answers[0][k], answers[1][k]];
                if cpu.outcome == ImpactOutcome::Apart && gpu.outcome == ImpactOutcome::Apart && k % 50 > 0 {
                    continue;
                }
                let (i, j) = (i as usize, j as usize);
                let motions = [motions[i], motions[j]];
                let case = Case { a: rings[i].clone(), b: rings[j].clone(), motions, options };
                case.assert_right(&cpu, "cpu");
                case.assert_right(&gpu, "gpu");
                hits += usize::from(cpu.outcome == ImpactOutcome::Hit);
                // The two backends may give different outcomes only if the bodies come within the tolerance of each
                // other at some time.
                if cpu.outcome != gpu.outcome {
                    let least = Case::samples(1.0).map(|part| case.gap(part)).fold(f64::INFINITY, f64::min);
                    assert!(least > 0.0 && least <= options.tolerance, "{scene}: {cpu:?} {gpu:?} {case:?}");
                }
            }
            assert!(hits > 50, "{scene}: {hits}");
        }
    }
}
