//! The generated scenes: their promises, and proof that their recipes have not changed.

use crate::support::oracle::relation;
use rayon::prelude::*;
use sat2d::scenes::{Scene, near_touching_pairs};
use sat2d::{Aabb, Cleanup, ConvexPolygon, Error, Relation};

type Ring = Vec<[f64; 2]>;

/// Returns the pairs (i, j) of rings with i < j whose closed boxes meet. The function sweeps along x.
fn candidates(rings: &[Ring]) -> Vec<(usize, usize)> {
    let boxes: Vec<Aabb> =
        rings.iter().map(|ring| Aabb::around(&ring.iter().map(|&p| p.into()).collect::<Vec<_>>())).collect();
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|&i, &j| boxes[i].min.x.total_cmp(&boxes[j].min.x));
    let mut pairs = Vec::new();
    for (rank, &i) in order.iter().enumerate() {
        let beside = order[rank + 1..].iter().take_while(|&&j| boxes[j].min.x <= boxes[i].max.x);
        pairs.extend(beside.filter(|&&j| boxes[i].meets(boxes[j])).map(|&j| (i.min(j), i.max(j))));
    }
    pairs
}

fn relation_counts(pairs: impl ParallelIterator<Item = Relation>) -> [usize; 3] {
    let relations: Vec<Relation> = pairs.collect();
    [Relation::Disjoint, Relation::Touching, Relation::Overlapping]
        .map(|wanted| relations.iter().filter(|&&relation| relation == wanted).count())
}

/// Returns the FNV-1a hash of the lengths of all rings and the bits of their coordinates.
fn hash<'a>(rings: impl IntoIterator<Item = &'a Ring>) -> u64 {
    let words = rings.into_iter().flat_map(|ring| {
        std::iter::once(ring.len() as u64).chain(ring.iter().flatten().map(|x| x.to_bits()))
    });
    words
        .flat_map(u64::to_le_bytes)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns whether a ring is strictly convex, counter-clockwise and within range, so that the library has nothing to
/// clean up.
fn is_clean(ring: &Ring) -> bool {
    ConvexPolygon::new(ring).is_ok_and(|polygon| polygon.cleanup() == Cleanup::default())
}

#[test]
fn every_scene_has_the_count_asked_for_and_clean_rings() {
    for scene in Scene::ALL {
        for count in [0, 1, 2, 3, 21, 5000] {
            let rings = scene.generate(count, 11);
            assert_eq!(rings.len(), count, "{scene}");
            assert!(rings.iter().all(is_clean), "{scene}");
        }
    }
}

#[test]
fn coordinates_are_f32_values() {
    for scene in Scene::ALL {
        let rings = scene.generate(20_000, 12);
        let is_f32 = |ring: &&Ring| ring.iter().flatten().all(|&x| f64::from(x as f32) == x);
        let share = rings.iter().filter(is_f32).count() as f64 / rings.len() as f64;
        if scene == Scene::NearTouching {
            // In some kinds of pairs, steps of one ulp and narrow gaps need more bits than f32 has. Pairs with contacts
            // on the lattice do not.
            assert!((0.6..0.85).contains(&share), "{share}");
        } else {
            assert_eq!(share, 1.0, "{scene}");
        }
    }
}

#[test]
fn vertex_counts_are_those_of_the_recipes() {
    for (scene, least, most) in [
        (Scene::Boxes, 4, 4),
        (Scene::Ngons, 3, 8),
        (Scene::BigNgons, 8, 32),
        (Scene::Crowd, 5, 8),
        (Scene::Clustered, 3, 8),
        (Scene::NearTouching, 3, 8),
    ] {
        let counts: Vec<usize> = scene.generate(5000, 13).iter().map(Vec::len).collect();
        assert_eq!(counts.iter().max(), Some(&most), "{scene}");
        // After rounding, a vertex or two may lie on an edge.
        assert!(counts.iter().all(|&count| count + 2 >= least && count >= 3), "{scene}");
        assert!(counts.contains(&least), "{scene}");
    }
}

/// Tests that the coordinates of each scene have not changed, so that measurements of different years are comparable. A
/// change of any of these hashes changes every benchmark.
#[test]
fn recipes_have_not_changed() {
    let hashes =
        Scene::ALL.map(|scene| (scene.name(), format!("{:016x}", hash(&scene.generate(10_000, 2025)))));
    let expected = [
        ("boxes", "6f2ca7004f813f10"),
        ("ngons", "449e7af617acae19"),
        ("big-ngons", "06b8a1560566d34e"),
        ("crowd", "7a7fabf0618ecc39"),
        ("clustered", "78712f054835fc02"),
        ("near-touching", "04a8508d5958e641"),
    ];
    assert_eq!(hashes, expected.map(|(name, hash)| (name, hash.to_owned())));
    let pairs = hash(near_touching_pairs(5_000, 2025).iter().flatten());
    assert_eq!(format!("{pairs:016x}"), "35a5aed5ee176e93");
}

#[test]
fn any_number_of_threads_and_a_seed_each() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread starts");
    for scene in Scene::ALL {
        let rings = scene.generate(3000, 14);
        assert_eq!(rings, pool.install(|| scene.generate(3000, 14)), "{scene}");
        assert_ne!(rings, scene.generate(3000, 15), "{scene}");
    }
}

#[test]
fn neighbours_and_meeting_shares_are_those_of_the_table() {
    // The tolerance is greater for scenes with clusters of very different sizes, because these vary more between seeds.
    for (scene, neighbours, tolerance, meeting) in [
        (Scene::Boxes, 4.0, 0.05, 0.70),
        (Scene::Ngons, 6.0, 0.05, 0.70),
        (Scene::BigNgons, 6.0, 0.05, 0.76),
        (Scene::Crowd, 10.0, 0.05, 0.40),
        (Scene::Clustered, 6.0, 0.1, 0.66),
        (Scene::NearTouching, 1.0, 0.05, 0.79),
    ] {
        let count = 20_000;
        let rings = scene.generate(count, 1);
        let pairs = candidates(&rings);
        let mean = 2.0 * pairs.len() as f64 / count as f64;
        assert!((mean / neighbours - 1.0).abs() < tolerance, "{scene}: {mean} neighbours");
        let sample = &pairs[..pairs.len().min(10_000)];
        let [disjoint, ..] = relation_counts(sample.par_iter().map(|&(i, j)| relation(&rings[i], &rings[j])));
        let share = 1.0 - disjoint as f64 / sample.len() as f64;
        assert!((share - meeting).abs() < 0.03, "{scene}: {share} of the candidates meet");
    }
}

#[test]
fn sizes_of_clustered_shapes_span_three_decades() {
    let widths: Vec<f64> = Scene::Clustered
        .generate(20_000, 1)
        .iter()
        .map(|ring| {
            let x = |least: f64, p: &[f64; 2]| least.min(p[0]);
            let low = ring.iter().fold(f64::INFINITY, x);
            ring.iter().fold(f64::NEG_INFINITY, |most, p| most.max(p[0])) - low
        })
        .collect();
    let share = |limit: f64| widths.iter().filter(|&&width| width < limit).count() as f64 / 20_000.0;
    assert!(
        share(0.002) > 0.1 && share(0.02) < 0.9 && share(0.2) < 0.995,
        "{} {} {}",
        share(0.002),
        share(0.02),
        share(0.2)
    );
}

#[test]
fn near_touching_polygons_meet_only_their_partner() {
    let rings = Scene::NearTouching.generate(20_001, 1);
    assert!(candidates(&rings).iter().all(|&(i, j)| i % 2 == 0 && j == i + 1));
    // There are pairs far away in both directions.
    let far = |sign: f64| rings.iter().filter(|ring| sign * ring[0][0] >= 999_000.0).count();
    assert!((1900..=2100).contains(&far(1.0)) && (1900..=2100).contains(&far(-1.0)));
    let pairs = candidates(&rings);
    let [_, touching, overlapping] =
        relation_counts(pairs.par_iter().map(|&(i, j)| relation(&rings[i], &rings[j])))
            .map(|count| count as f64 / pairs.len() as f64);
    assert!((touching - 0.6).abs() < 0.03 && (overlapping - 0.18).abs() < 0.02, "{touching} {overlapping}");
}

#[test]
fn each_kind_of_near_touching_pair_is_what_it_says() {
    let pairs = near_touching_pairs(11_000, 3);
    assert!(pairs.iter().flatten().all(is_clean));
    let counts =
        |kind: usize| relation_counts(pairs.par_iter().skip(kind).step_by(11).map(|[a, b]| relation(a, b)));
    // In kinds 0 to 3, the points of contact are on a lattice. f64 holds them exactly at every position, so every pair
    // touches.
    for kind in 0..4 {
        assert_eq!(counts(kind), [0, 1000, 0], "kind {kind}");
    }
    assert_eq!(counts(4), [1000, 0, 0]);
    // Kinds 5 to 7 move one polygon of each pair a little, and kinds 8 to 10 mix the other kinds. Each relation is
    // therefore frequent.
    for kind in 5..11 {
        let counts = counts(kind);
        assert!(counts.iter().all(|&count| count >= 100), "kind {kind}: {counts:?}");
    }
    let largest = |[a, b]: &[Ring; 2]| a.iter().chain(b).flatten().fold(0f64, |most, x| most.max(x.abs()));
    for (kind, least, most) in
        [(0, 16.0, 33_000.0), (8, 1e6, 1.04e6), (9, 1_048_576.0, 1.09e6), (10, 0.0, 4e-5)]
    {
        let sizes = || pairs.iter().skip(kind).step_by(11).map(largest);
        assert!(sizes().all(|size| size >= least && size <= most), "kind {kind}");
    }
}

#[test]
fn names_parse_and_others_are_refused_with_the_list() {
    for scene in Scene::ALL {
        assert_eq!(scene.name().parse::<Scene>().expect("its own name"), scene);
    }
    let error = "circles".parse::<Scene>().expect_err("no such scene");
    assert!(matches!(error, Error::Option { option: "scene", .. }));
    let message = error.to_string();
    assert!(message.contains("circles"), "{message}");
    assert!(Scene::ALL.iter().all(|scene| message.contains(scene.name())), "{message}");
}
