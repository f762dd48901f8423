//! Both backends agree with rational arithmetic, for every order of pairs, size of chunks and number of threads.

use std::sync::LazyLock;

use crate::support::strategies::{self, Ring};
use crate::support::{cases, in_soak, oracle};
use proptest::prelude::*;
use rayon::prelude::*;
use sat2d::scenes::{Scene, near_touching_pairs};
use sat2d::{
    Backend, ConvexPolygon, Engine, Error, Hits, Keep, PolygonObject, PolygonSet, Pose, RelatedPair,
    Relation, Relations,
};

static CPU: LazyLock<Engine> = LazyLock::new(|| Engine::new(Backend::Cpu).unwrap());
static GPU: LazyLock<Engine> =
    LazyLock::new(|| Engine::new(Backend::Gpu).unwrap_or_else(|error| panic!("{error}")));

fn engines() -> [(&'static str, &'static Engine); 2] {
    [("cpu", &CPU), ("gpu", &GPU)]
}

fn set(rings: &[Ring]) -> PolygonSet {
    PolygonSet::from_convex_rings(rings).unwrap()
}

fn diagonal(count: usize) -> Vec<[u32; 2]> {
    (0..count as u32).map(|i| [i, i]).collect()
}

/// Returns the relations of `a[i]` and `b[i]` for each `i`, computed by an engine.
fn relations(engine: &Engine, a: &PolygonSet, b: &PolygonSet) -> Vec<Relation> {
    engine.piece_pairs(a, b, &diagonal(a.piece_count())).query(Relations).unwrap().items
}

#[test]
fn the_hand_worked_cases_come_out_on_every_backend_alone_together_and_swapped() {
    let cases = cases::cases();
    for (name, engine) in engines() {
        for case in &cases {
            let (a, b) = (set(std::slice::from_ref(&case.a)), set(std::slice::from_ref(&case.b)));
            for (a, b) in [(&a, &b), (&b, &a)] {
                let join = engine.join(a, b).check().query(Relations).unwrap();
                let found = join.items.first().map_or(Relation::Disjoint, |pair| pair.relation);
                assert_eq!(found, case.expected, "{name}: {}", case.name);
                assert_eq!(join.check.unwrap().disagreement_count(), 0, "{name}: {}", case.name);
            }
        }
        // All cases are in one set, whose grid spans the scales of all of them.
        let side =
            |ring: fn(&cases::Case) -> &Ring| set(&cases.iter().map(|c| ring(c).clone()).collect::<Vec<_>>());
        let found = relations(engine, &side(|c| &c.a), &side(|c| &c.b));
        for (case, found) in cases.iter().zip(found) {
            assert_eq!(found, case.expected, "{name}, together: {}", case.name);
        }
    }
}

#[test]
fn a_hundred_thousand_near_touching_pairs_are_as_rational_arithmetic_says() {
    let pairs = near_touching_pairs(100_000, 20_260_101);
    let expected: Vec<Relation> = pairs.par_iter().map(|[a, b]| oracle::relation(a, b)).collect();
    let side = |k: usize| set(&pairs.iter().map(|p| p[k].clone()).collect::<Vec<_>>());
    let (a, b) = (side(0), side(1));
    for (name, engine) in engines() {
        let found = relations(engine, &a, &b);
        let wrong = (0..pairs.len()).filter(|&i| found[i] != expected[i]).collect::<Vec<_>>();
        assert!(wrong.is_empty(), "{name}: {} wrong, first {:?}", wrong.len(), pairs[wrong[0]]);
        assert!(Relation::Touching == expected[0] || expected.contains(&Relation::Touching));
    }
}

#[test]
fn scenes_join_alike_on_both_backends_and_pass_the_cross_check() {
    for scene in Scene::ALL {
        let set = set(&scene.generate(3_000, 5));
        let [cpu, gpu] =
            engines().map(|(_, engine)| engine.self_join(&set).check().query(Relations).unwrap());
        assert_eq!(cpu.items, gpu.items, "{}", scene.name());
        assert!(!cpu.items.is_empty());
        for join in [cpu, gpu] {
            let report = join.check.unwrap();
            assert_eq!((report.pairs, report.agreements), (join.counts.candidate_pairs, report.pairs));
        }
    }
}

#[test]
fn hits_are_the_relations_to_keep_on_both_backends_list_after_list() {
    // There are more pairs than one chunk of either backend holds, and some of the pairs are far from the origin.
    let near_touching = set(&near_touching_pairs(270, 3).concat());
    let count = near_touching.piece_count() as u32;
    let pairs: Vec<[u32; 2]> = (0..count).flat_map(|i| (0..count).rev().map(move |j| [i, j])).collect();
    assert!(pairs.len() > 1 << 18);
    for (name, engine) in engines() {
        let mut prepared = engine.prepare(&near_touching, &near_touching).unwrap();
        for pairs in [&pairs[..], &pairs[..1000], &[]] {
            let all = prepared.piece_pairs(pairs).query(Relations).unwrap();
            for keep in [Keep::Meeting, Keep::Touching, Keep::Overlapping] {
                let kept = pairs.iter().copied().zip(all.items.iter().copied());
                let expected: Vec<_> = kept.filter(|&(_, relation)| keep.keeps(relation)).collect();
                let hits = prepared.piece_pairs(pairs).query(Hits { keep }).unwrap();
                assert_eq!(expected.is_empty(), pairs.is_empty(), "{name}, {keep:?}");
                assert!(hits.items == expected, "{name}, {keep:?}");
                assert_eq!(hits.counts, all.counts, "{name}, {keep:?}");
            }
        }
        let error =
            prepared.piece_pairs(&[[0, 0], [0, count]]).query(Hits { keep: Keep::Meeting }).unwrap_err();
        assert!(matches!(error, Error::UnknownPolygon { pair: 1, .. }), "{name}: {error}");
    }
}

#[test]
fn a_join_finds_what_all_pairs_by_the_oracle_find() {
    let rings = Scene::Ngons.generate(300, 9);
    let (a, b) = rings.split_at(120);
    let meet = |a: &Ring, b: &Ring| Some(oracle::relation(a, b)).filter(|&r| r != Relation::Disjoint);
    let of_join: Vec<RelatedPair> = (0..a.len() as u32)
        .flat_map(|i| (0..b.len() as u32).map(move |j| (i, j)))
        .filter_map(|(i, j)| {
            meet(&a[i as usize], &b[j as usize]).map(|relation| RelatedPair { a: i, b: j, relation })
        })
        .collect();
    let of_self_join: Vec<RelatedPair> = (0..a.len() as u32)
        .flat_map(|i| (i + 1..a.len() as u32).map(move |j| (i, j)))
        .filter_map(|(i, j)| {
            meet(&a[i as usize], &a[j as usize]).map(|relation| RelatedPair { a: i, b: j, relation })
        })
        .collect();
    for (name, engine) in engines() {
        assert_eq!(engine.join(&set(a), &set(b)).query(Relations).unwrap().items, of_join, "{name}");
        assert_eq!(engine.self_join(&set(a)).query(Relations).unwrap().items, of_self_join, "{name}");
    }
}

#[test]
fn neither_chunks_nor_threads_nor_the_order_of_input_change_an_answer() {
    let rings = Scene::Clustered.generate(1_500, 2);
    let whole = set(&rings);
    let expected = CPU.self_join(&whole).query(Relations).unwrap();
    for chunk_pairs in [1, 7, 64, 1_000] {
        let few = set(&rings[..200]);
        let of_few = CPU.self_join(&few).query(Relations).unwrap();
        for (name, engine) in engines() {
            assert_eq!(
                engine.self_join(&few).chunk_pairs(chunk_pairs).query(Relations).unwrap().items,
                of_few.items,
                "{name}, chunks of {chunk_pairs}"
            );
        }
    }
    for threads in [1, 3, 6] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for (name, engine) in engines() {
            let join = pool.install(|| engine.self_join(&whole).query(Relations).unwrap());
            assert_eq!(join.items, expected.items, "{name}, {threads} threads");
            assert_eq!(join.counts.candidate_pairs, expected.counts.candidate_pairs);
        }
    }
    let backwards: Vec<Ring> = rings.iter().rev().cloned().collect();
    let renamed = |i: u32| rings.len() as u32 - 1 - i;
    let mut found = CPU.self_join(&set(&backwards)).query(Relations).unwrap().items;
    for pair in &mut found {
        (pair.a, pair.b) = (renamed(pair.b), renamed(pair.a));
    }
    found.sort_unstable();
    assert_eq!(found, expected.items);
}

#[test]
fn whether_touching_counts_selects_from_the_same_relations() {
    let set = set(&Scene::NearTouching.generate(2_000, 4));
    let [meeting, touching, overlapping] = [Keep::Meeting, Keep::Touching, Keep::Overlapping]
        .map(|keep| CPU.self_join(&set).keep(keep).query(Relations).unwrap());
    let of = |relation| meeting.items.iter().copied().filter(|p| p.relation == relation).collect::<Vec<_>>();
    assert_eq!(touching.items, of(Relation::Touching));
    assert_eq!(overlapping.items, of(Relation::Overlapping));
    assert!(!touching.items.is_empty() && !overlapping.items.is_empty());
    assert_eq!(meeting.counts.touching, touching.items.len() as u64);
    assert_eq!(touching.counts, overlapping.counts);
}

#[test]
fn internal_diagonals_change_no_relation() {
    // The comb is one object of several pieces. The probes touch or cross it on its diagonals and elsewhere.
    let comb: Ring = vec![
        [0.0, 0.0],
        [7.0, 0.0],
        [7.0, 4.0],
        [6.0, 4.0],
        [6.0, 1.0],
        [4.0, 1.0],
        [4.0, 4.0],
        [3.0, 4.0],
        [3.0, 1.0],
        [1.0, 1.0],
        [1.0, 4.0],
        [0.0, 4.0],
    ];
    let object = PolygonObject::from_polygon(std::slice::from_ref(&comb)).unwrap();
    assert!(object.pieces().len() > 1);
    let mut probes: Vec<Ring> = Vec::new();
    // Small triangles at every quarter lattice point. They lie on diagonals, in the interior, on the border and between
    // the teeth.
    for i in -2..=30 {
        for j in -2..=18 {
            let (x, y) = (f64::from(i) * 0.25, f64::from(j) * 0.25);
            probes.push(vec![[x, y], [x + 0.125, y], [x, y + 0.125]]);
        }
    }
    // The same comb, as one object of several squares. Each square is a piece.
    let cells: Vec<Ring> = (0..7)
        .flat_map(|x| (0..4).map(move |y| (x, y)))
        .filter(|&(x, y)| y == 0 || [0, 3, 6].contains(&x))
        .map(|(x, y)| cases::rectangle(x.into(), y.into(), f64::from(x) + 1.0, f64::from(y) + 1.0))
        .collect();
    let cut = PolygonSet::from_objects(&[squares_as_object(&cells)]).unwrap();
    let whole = PolygonSet::from_objects(&[object]).unwrap();
    let probes = set(&probes);
    for (name, engine) in engines() {
        let found = engine.join(&whole, &probes).query(Relations).unwrap().items;
        assert_eq!(found, engine.join(&cut, &probes).query(Relations).unwrap().items, "{name}");
        assert!(found.iter().any(|p| p.relation == Relation::Touching));
        // Pieces of one object never form a pair.
        assert_eq!(engine.self_join(&whole).query(Relations).unwrap().counts.candidate_pairs, 0, "{name}");
    }
}

fn squares_as_object(cells: &[Ring]) -> PolygonObject {
    let polygons: Vec<Vec<Ring>> = cells.iter().map(|cell| vec![cell.clone()]).collect();
    PolygonObject::from_multi_polygon(&polygons).unwrap()
}

#[test]
fn precision_does_not_fade_far_from_the_origin_or_at_small_scale() {
    for (scale, offset) in [(1.0, 1e6), (1e-3, 1e6), (1e-6, 0.0), (1e-6, 1.0), (1.0, 1e9)] {
        // Neighbouring boxes are a quarter of the scale apart. Far from the origin, f32 coordinates cannot distinguish such
        // boxes.
        let side = 40;
        let rings: Vec<Ring> = (0..side * side)
            .map(|k| {
                let at = |n: usize| offset + scale * n as f64 * 1.25;
                let (x, y) = (at(k % side), at(k / side));
                cases::rectangle(x, y, x + scale, y + scale)
            })
            .collect();
        let set = set(&rings);
        // Pairs of a box and the next box: neighbours in a row, or the last box of a row and the first box of the next
        // row. No pair meets.
        let pairs: Vec<[u32; 2]> = (0..side * side - 1).map(|k| [k as u32, k as u32 + 1]).collect();
        for (name, engine) in engines() {
            let found = engine.piece_pairs(&set, &set, &pairs).query(Relations).unwrap();
            assert!(found.items.iter().all(|&r| r == Relation::Disjoint), "{name}: {scale} at {offset}");
            assert_eq!(found.counts.uncertain, 0, "{name}: {scale} at {offset}");
        }
    }
}

#[test]
fn one_far_outlier_costs_no_answer() {
    let mut rings = Scene::Ngons.generate(500, 8);
    let expected = CPU.self_join(&set(&rings)).query(Relations).unwrap().items;
    let far = sat2d::MAX_COORDINATE / 2.0;
    rings.push(cases::rectangle(far, far, far * 2.0, far * 2.0));
    for (name, engine) in engines() {
        assert_eq!(engine.self_join(&set(&rings)).query(Relations).unwrap().items, expected, "{name}");
    }
}

#[test]
fn an_empty_set_meets_nothing() {
    let none = PolygonSet::default();
    let some = set(&[cases::rectangle(0.0, 0.0, 1.0, 1.0)]);
    for (name, engine) in engines() {
        assert!(engine.self_join(&none).check().query(Relations).unwrap().items.is_empty(), "{name}");
        assert!(engine.join(&none, &some).check().query(Relations).unwrap().items.is_empty(), "{name}");
        assert!(engine.join(&some, &none).check().query(Relations).unwrap().items.is_empty(), "{name}");
        assert!(engine.piece_pairs(&some, &none, &[]).query(Relations).unwrap().items.is_empty(), "{name}");
    }
}

type PosedPair = ((Ring, [f64; 4]), (Ring, [f64; 4]));

fn posed_sets(pairs: &[PosedPair]) -> Option<[PolygonSet; 2]> {
    let side = |pick: fn(&PosedPair) -> &(Ring, [f64; 4])| -> Option<PolygonSet> {
        let shapes: Vec<PolygonObject> = pairs
            .iter()
            .map(|p| ConvexPolygon::new(&pick(p).0).map(Into::into))
            .collect::<Result<_, _>>()
            .ok()?;
        let instances: Vec<(usize, Pose)> = pairs
            .iter()
            .enumerate()
            .map(|(i, p)| {
                let [cos, sin, x, y] = pick(p).1;
                Pose::from_cos_sin(cos, sin, [x, y]).map(|pose| (i, pose))
            })
            .collect::<Result<_, _>>()
            .ok()?;
        PolygonSet::from_instances(&shapes, &instances).ok()
    };
    Some([side(|p| &p.0)?, side(|p| &p.1)?])
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn random_pairs_are_as_the_oracle_says(pairs in prop::collection::vec(strategies::pair(), 64)) {
        let side = |k: fn(&(Ring, Ring)) -> &Ring| set(&pairs.iter().map(|p| k(p).clone()).collect::<Vec<_>>());
        let (a, b) = (side(|p| &p.0), side(|p| &p.1));
        let expected: Vec<Relation> = pairs.iter().map(|(a, b)| oracle::relation(a, b)).collect();
        for (name, engine) in engines() {
            prop_assert_eq!(&relations(engine, &a, &b), &expected, "{}", name);
            prop_assert_eq!(&relations(engine, &b, &a), &expected, "{} swapped", name);
        }
    }

    #[test]
    fn rotating_the_vertex_order_changes_nothing(
        (a, b) in strategies::pair(), turns in (0usize..20, 0usize..20),
    ) {
        let rotated = |ring: &Ring, by: usize| { let mut r = ring.clone(); r.rotate_left(by % ring.len()); r };
        let plain = relations(&CPU, &set(std::slice::from_ref(&a)), &set(std::slice::from_ref(&b)));
        for (name, engine) in engines() {
            let found = relations(engine, &set(&[rotated(&a, turns.0)]), &set(&[rotated(&b, turns.1)]));
            prop_assert_eq!(&found, &plain, "{}", name);
        }
    }
}

proptest! {
    #![proptest_config(config(in_soak(40, 20)))]

    #[test]
    fn posed_pairs_are_as_the_oracle_says(
        pairs in prop::collection::vec(
            (
                (strategies::polygon(), prop_oneof![strategies::pose(4.0), strategies::exact_turn()]),
                (strategies::polygon(), prop_oneof![strategies::pose(4.0), strategies::exact_turn()]),
            ),
            64,
        ),
    ) {
        let Some([a, b]) = posed_sets(&pairs) else { return Ok(()) };
        let expected: Vec<Relation> =
            pairs.iter().map(|((a, pa), (b, pb))| oracle::posed_relation(a, *pa, b, *pb)).collect();
        for (name, engine) in engines() {
            prop_assert_eq!(&relations(engine, &a, &b), &expected, "{}", name);
            // Both sets are joined as a whole, so that the test fails if the broad phase misses a posed pair.
            let join = engine.join(&a, &b).check().query(Relations).unwrap();
            prop_assert_eq!(join.check.unwrap().disagreement_count(), 0, "{}", name);
            for (i, &relation) in expected.iter().enumerate() {
                let key = |p: &RelatedPair| (p.a, p.b) == (i as u32, i as u32);
                let found = join.items.iter().find(|p| key(p)).map_or(Relation::Disjoint, |p| p.relation);
                prop_assert_eq!(found, relation, "{} pair {}", name, i);
            }
        }
    }
}

#[test]
fn an_engine_that_keeps_its_buffers_answers_as_a_new_one() {
    let sets: Vec<PolygonSet> =
        [(Scene::BigNgons, 700), (Scene::Boxes, 900), (Scene::BigNgons, 300), (Scene::Ngons, 40)]
            .map(|(scene, count)| PolygonSet::from_convex_rings(&scene.generate(count, 3)).unwrap())
            .into();
    let kept = Engine::new(Backend::Cpu).unwrap();
    for a in &sets {
        for b in &sets {
            let expected = Engine::new(Backend::Cpu).unwrap().join(a, b).query(Relations).unwrap().items;
            assert_eq!(kept.join(a, b).query(Relations).unwrap().items, expected);
            assert!(kept.self_join(b).query(Relations).unwrap().items.len() > 10);
        }
        kept.free_buffers();
    }
}

#[test]
fn a_set_joined_with_itself_as_two_gives_both_orders_of_a_pair() {
    let engine = Engine::new(Backend::Cpu).unwrap();
    let square = |x: f64| vec![[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]];
    let convex = PolygonSet::from_convex_rings(&[square(0.0), square(0.5)]).unwrap();
    let two_pieces: Vec<PolygonObject> = [0.0, 0.5]
        .map(|x| PolygonObject::from_multi_polygon(&[vec![square(x)], vec![square(x + 5.0)]]).unwrap())
        .into();
    let objects = PolygonSet::from_objects(&two_pieces).unwrap();
    for set in [convex, objects] {
        let join = engine.join(&set, &set).query(Relations).unwrap();
        assert_eq!(join.items, engine.join(&set, &set.clone()).query(Relations).unwrap().items);
        assert_eq!(
            join.items.iter().map(|p| (p.a, p.b)).collect::<Vec<_>>(),
            [(0, 0), (0, 1), (1, 0), (1, 1)]
        );
        assert_eq!(join.counts.overlapping, 4);
    }
}

#[test]
fn more_vertices_of_pieces_than_can_be_numbered_are_an_error() {
    let parabola: Vec<[f64; 2]> = (0..65_535).map(|i| [f64::from(i), f64::from(i) * f64::from(i)]).collect();
    let shape = ConvexPolygon::new(&parabola).unwrap();
    let instances = vec![(0, Pose::IDENTITY); 1 << 19];
    let set = PolygonSet::from_instances(&[shape.into()], &instances).unwrap();
    let engine = Engine::new(Backend::Cpu).unwrap();
    let error = engine.prepare(&set, &set).map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::TooMany { .. }), "{error}");
}
