//! Tests of tuples of queries, and of the options of a join. All queries of a tuple share one walk over the candidate
//! pairs.

use sat2d::scenes::Scene;
use sat2d::{
    Answers, Containments, Distances, Error, Hits, Impacts, Keep, Manifolds, MeasuredPair, Motion,
    Penetrations, PolygonObject, PolygonSet, Progress, Relation, Relations, RoundedSet, RoundedShape,
    TimeOfImpactOptions,
};

use super::{CPU, candidates, engines, set};

/// Returns L shapes that lie close together, so that pieces of one object overlap, touch and miss pieces of others.
fn crowd_of_ls() -> PolygonSet {
    let l = |k: u32| {
        let (x, y) = (f64::from(k % 12) * 1.75, f64::from(k / 12) * 1.5);
        let ring = [[0., 0.], [2., 0.], [2., 1.], [1., 1.], [1., 2.], [0., 2.]].map(|[u, v]| [x + u, y + v]);
        PolygonObject::from_polygon(&[ring]).unwrap()
    };
    PolygonSet::from_objects(&(0..120).map(l).collect::<Vec<_>>()).unwrap()
}

/// Returns combs with many teeth. Two combs have so many pairs of pieces that a query of distances visits them separately
/// from the other queries.
fn combs() -> PolygonSet {
    let comb = |x: f64, y: f64| {
        let mut ring = vec![[x, y], [x + 90.0, y]];
        for tooth in (0..90).rev() {
            let left = x + f64::from(tooth);
            ring.extend([[left + 0.5, y + 3.0], [left, y + 1.0]]);
        }
        PolygonObject::from_polygon(&[ring]).unwrap()
    };
    PolygonSet::from_objects(&[comb(0.0, 0.0), comb(0.25, 3.5), comb(0.5, 6.0), comb(200.0, 0.0)]).unwrap()
}

fn scenes() -> [(&'static str, PolygonSet); 3] {
    [
        ("clustered", set(&Scene::Clustered.generate(500, 7))),
        ("crowd of Ls", crowd_of_ls()),
        ("combs", combs()),
    ]
}

#[test]
fn a_tuple_answers_like_its_queries_alone_in_every_order() {
    let margin = Manifolds { margin: 0.25 };
    for (scene, set) in scenes() {
        for (name, engine) in engines() {
            let join = engine.self_join(&set).within(0.5);
            let relations = engine.self_join(&set).query(Relations).unwrap();
            let distances = join.query(Distances).unwrap();
            let penetrations = engine.self_join(&set).query(Penetrations).unwrap();
            let manifolds = engine.self_join(&set).query(margin).unwrap();
            assert!(!relations.is_empty() && distances.len() > relations.len(), "{scene}");

            let (d, r) = join.query((Distances, Relations)).unwrap();
            assert_eq!((&d.items, &r.items), (&distances.items, &relations.items), "{name}, {scene}");
            let (r, p, m) = engine.self_join(&set).query((Relations, Penetrations, margin)).unwrap();
            assert_eq!((&r.items, &p.items), (&relations.items, &penetrations.items), "{name}, {scene}");
            assert_eq!(m.items, manifolds.items, "{name}, {scene}");
            let (m, d, p, r) = join.query((margin, Distances, Some(Penetrations), Relations)).unwrap();
            assert_eq!((&m.items, &d.items), (&manifolds.items, &distances.items), "{name}, {scene}");
            assert_eq!(
                (&p.unwrap().items, &r.items),
                (&penetrations.items, &relations.items),
                "{name}, {scene}"
            );
            let left_out = engine.self_join(&set).query((None::<Penetrations>, Relations)).unwrap();
            assert!(left_out.0.is_none() && left_out.1.items == relations.items, "{name}, {scene}");
            assert_eq!(
                (r.counts.touching, r.counts.overlapping),
                (relations.counts.touching, relations.counts.overlapping)
            );
            assert_eq!((d.counts.touching, d.counts.overlapping), (0, 0), "distances decide no relation");
        }
    }
}

#[test]
fn every_query_of_a_join_keeps_pairs_by_their_relation() {
    fn keys<T>(found: &Answers<MeasuredPair<T>>) -> Vec<(u32, u32)> {
        found.iter().map(|pair| (pair.a, pair.b)).collect()
    }
    for (scene, set) in scenes() {
        for (name, engine) in engines() {
            let all = engine.self_join(&set).query(Relations).unwrap();
            for keep in [Keep::Meeting, Keep::Touching, Keep::Overlapping] {
                let context = format!("{name}, {scene}, {keep:?}");
                let wanted: Vec<_> = all
                    .iter()
                    .filter(|pair| keep.keeps(pair.relation))
                    .map(|pair| (pair.a, pair.b))
                    .collect();
                let join = engine.self_join(&set).keep(keep);
                let relations = join.query(Relations).unwrap();
                let found: Vec<_> = relations.iter().map(|pair| (pair.a, pair.b)).collect();
                assert_eq!(found, wanted, "{context}");
                assert_eq!(keys(&join.query(Penetrations).unwrap()), wanted, "{context}");
                assert_eq!(keys(&join.query(Manifolds { margin: 0.0 }).unwrap()), wanted, "{context}");
                let join = join.within(0.5);
                let (distances, manifolds) = join.query((Distances, Manifolds { margin: 0.25 })).unwrap();
                assert_eq!(
                    (keys(&distances), keys(&manifolds)),
                    (wanted.clone(), wanted.clone()),
                    "{context}"
                );
                assert!(distances.iter().all(|pair| pair.measurement.distance == 0.0), "{context}");
            }
            let covering = engine.self_join(&set).query(Containments).unwrap().items;
            let kept = |keep| engine.self_join(&set).keep(keep).query(Containments).unwrap().items;
            assert_eq!(kept(Keep::Overlapping), covering);
            assert_eq!(kept(Keep::Touching), []);
        }
    }
}

#[test]
fn an_option_that_no_query_uses_is_an_error() {
    let set = crowd_of_ls();
    let join = || CPU.self_join(&set);
    let option = |error: Error| match error {
        Error::Option { option, .. } => option,
        other => panic!("{other}"),
    };
    let motions = vec![Motion::REST; set.object_count()];
    let impacts = || Impacts::of_one_set(&motions, TimeOfImpactOptions::new(1e-3));
    assert_eq!(option(join().within(1.0).query(Relations).unwrap_err()), "within");
    assert_eq!(option(join().within(1.0).query((Relations, Penetrations)).unwrap_err()), "within");
    assert_eq!(option(join().within(1.0).query(Containments).unwrap_err()), "within");
    assert_eq!(option(join().query(Distances).unwrap_err()), "within", "a distance must be given");
    assert_eq!(option(join().within(1.0).check().query(Distances).unwrap_err()), "check");
    assert_eq!(option(join().check().query(Containments).unwrap_err()), "check");
    assert_eq!(option(join().keep(Keep::Touching).query(impacts()).unwrap_err()), "keep");
    assert_eq!(option(join().chunk_pairs(0).query(Penetrations).unwrap_err()), "chunk_pairs");
    let circles = RoundedSet::new(&[RoundedShape::circle([0.0, 0.0], 1.0).unwrap()]).unwrap();
    assert_eq!(option(CPU.self_join(&circles).keep(Keep::Touching).query(Penetrations).unwrap_err()), "keep");
    // The join of a set with itself takes only one list of motions.
    let other = motions.clone();
    let two = Impacts::new(&motions, &other, TimeOfImpactOptions::new(1e-3));
    assert_eq!(option(join().query(two).unwrap_err()), "motions");
    assert!(join().within(0.0).check().query((Distances, Relations)).unwrap().1.check.is_some());
}

#[derive(Debug, Default)]
struct Counting(std::sync::atomic::AtomicU64);

impl Progress for Counting {
    fn decided(&self, pairs: u64) {
        self.0.store(pairs, std::sync::atomic::Ordering::Relaxed);
    }
}

#[derive(Debug, Default)]
struct Recorder(std::sync::Mutex<Vec<u64>>);

impl Progress for Recorder {
    fn decided(&self, pairs: u64) {
        self.0.lock().unwrap().push(pairs);
    }
}

#[test]
fn a_walk_in_the_order_of_objects_reports_while_it_collects() {
    let triangle = |k: u32| {
        let x = f64::from(k);
        PolygonObject::from_polygon(&[vec![[x, 0.0], [x + 1e4, 0.0], [x, 1.0]]]).unwrap()
    };
    let set = PolygonSet::from_objects(&(0..1200).map(triangle).collect::<Vec<_>>()).unwrap();
    let recorder = Recorder::default();
    let join = CPU.self_join(&set).within(0.0).progress(&recorder);
    let pairs = join.query(Distances).unwrap().counts.candidate_pairs;
    let reports = recorder.0.into_inner().unwrap();
    assert!(pairs > 2 << 18);
    assert!(reports.iter().filter(|&&decided| decided == 0).count() >= 2, "{reports:?}");
    assert!(reports.is_sorted() && reports.last() == Some(&pairs));
}

#[test]
fn every_query_reports_its_progress_and_ignores_the_size_of_chunks() {
    let set = set(&Scene::Clustered.generate(400, 11));
    let motions = vec![Motion::REST; set.object_count()];
    let impacts = Impacts::of_one_set(&motions, TimeOfImpactOptions::new(1e-3));
    let pairs = candidates(&set);
    let decided = |run: &dyn Fn(&Counting) -> u64| {
        let progress = Counting::default();
        let expected = run(&progress);
        assert_eq!(progress.0.load(std::sync::atomic::Ordering::Relaxed), expected);
    };
    for (_, engine) in engines() {
        let join = || engine.self_join(&set).chunk_pairs(97);
        decided(&|progress| join().progress(progress).query(Relations).unwrap().counts.candidate_pairs);
        decided(&|progress| join().progress(progress).query(Penetrations).unwrap().counts.candidate_pairs);
        decided(&|progress| join().progress(progress).query(impacts).unwrap().counts.candidate_pairs);
        let given = || engine.piece_pairs(&set, &set, &pairs);
        decided(&|progress| given().progress(progress).query(Distances).unwrap().len() as u64);
        let objects = engine.object_pairs(&set, &set, &pairs);
        decided(&|progress| {
            engine.object_pairs(&set, &set, &pairs).progress(progress).query(Containments).unwrap().len()
                as u64
        });
        assert_eq!(
            join().query(Penetrations).unwrap().items,
            engine.self_join(&set).query(Penetrations).unwrap().items
        );
        let times = |found: Answers<MeasuredPair<_>>| found.items.len();
        assert_eq!(
            times(join().query(impacts).unwrap()),
            times(engine.self_join(&set).query(impacts).unwrap())
        );
        assert_eq!(objects.query(Containments).unwrap().len(), pairs.len());
    }
}

#[test]
fn a_pair_of_queries_on_given_pairs_answers_like_each_alone() {
    let set = set(&Scene::Clustered.generate(400, 5));
    let pairs = candidates(&set);
    for (name, engine) in engines() {
        let given = engine.piece_pairs(&set, &set, &pairs);
        let (penetrations, relations) = given.query((Penetrations, Relations)).unwrap();
        assert_eq!(penetrations.items, given.query(Penetrations).unwrap().items, "{name}");
        assert_eq!(relations.items, given.query(Relations).unwrap().items, "{name}");
        let mut prepared = engine.prepare(&set, &set).unwrap();
        let (hits, distances) =
            prepared.piece_pairs(&pairs).query((Hits { keep: Keep::Overlapping }, Distances)).unwrap();
        assert_eq!(distances.items, given.query(Distances).unwrap().items, "{name}");
        let overlapping = relations.iter().filter(|&&relation| relation == Relation::Overlapping).count();
        assert!(overlapping > 50 && hits.len() == overlapping, "{name}: {overlapping}");
        let (relations, hits) = given.query((Relations, Hits { keep: Keep::Touching })).unwrap();
        for counts in [relations.counts, hits.counts] {
            assert_eq!(counts.overlapping, overlapping as u64, "{name}: each pair counts once");
            assert_eq!(counts.candidate_object_pairs, pairs.len() as u64);
        }
        assert_eq!(penetrations.counts.overlapping, 0, "{name}: penetrations decide no relation");
    }
}

#[test]
fn futures_of_queries_can_go_to_another_thread() {
    fn sent<T: Send>(value: T) -> T {
        value
    }
    let set = crowd_of_ls();
    let join = CPU.self_join(&set).within(0.5);
    let both = pollster::block_on(sent(join.query_async((Relations, Distances)))).unwrap();
    assert!(both.0.len() < both.1.len());
    let given = CPU.piece_pairs(&set, &set, &[[0, 2]]);
    assert_eq!(pollster::block_on(sent(given.query_async(Relations))).unwrap().len(), 1);
    let mut prepared = CPU.prepare(&set, &set).unwrap();
    let queried = prepared.piece_pairs(&[[0, 2]]).query_async(Penetrations);
    assert_eq!(pollster::block_on(sent(queried)).unwrap().len(), 1);
    let covering = CPU.self_join(&set);
    assert!(pollster::block_on(sent(covering.query_async(Containments))).unwrap().is_empty());
}
