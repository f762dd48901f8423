//! Joins with areas: the pairs, the options, chunks and threads.

use sat2d::scenes::Scene;
use sat2d::{
    Answers, ConvexPolygon, Distances, Error, IntersectionArea, Iou, Keep, MeasuredObjects, Overlap,
    Penetrations, PolygonObject, PolygonSet, Pose, RelatedPair, Relation, Relations,
};

use super::{CPU, engines};

/// Returns random convex polygons in clusters, and L shapes whose pieces overlap, touch and miss pieces of other L shapes.
fn sets() -> [(&'static str, PolygonSet); 2] {
    let boxes = PolygonSet::from_convex_rings(&Scene::Clustered.generate(500, 7)).unwrap();
    let l = |k: u32| {
        let (x, y) = (f64::from(k % 12) * 1.75, f64::from(k / 12) * 1.5);
        let ring = [[0., 0.], [2., 0.], [2., 1.], [1., 1.], [1., 2.], [0., 2.]].map(|[u, v]| [x + u, y + v]);
        PolygonObject::from_polygon(&[ring]).unwrap()
    };
    let ls = PolygonSet::from_objects(&(0..120).map(l).collect::<Vec<_>>()).unwrap();
    [("clustered", boxes), ("crowd of Ls", ls)]
}

type Measured<T> = Answers<MeasuredObjects<T>>;

fn keys<T>(found: &Measured<T>) -> Vec<(u32, u32)> {
    found.iter().map(|pair| (pair.a, pair.b)).collect()
}

fn pairs(found: &Answers<RelatedPair>, keep: Keep) -> Vec<(u32, u32)> {
    found.iter().filter(|pair| keep.keeps(pair.relation)).map(|pair| (pair.a, pair.b)).collect()
}

#[test]
fn a_join_measures_the_pairs_that_meet_and_keeps_those_with_the_wanted_relation() {
    for (scene, set) in sets() {
        for (name, engine) in engines() {
            let join = engine.self_join(&set);
            let relations = join.query(Relations).unwrap();
            let areas = join.query(IntersectionArea::default()).unwrap();
            assert_eq!(areas.choice.backend, relations.choice.backend);
            assert_eq!(keys(&areas), pairs(&relations, Keep::Meeting), "{name} {scene}");
            for (area, pair) in areas.iter().zip(&relations) {
                assert_eq!(area.measurement > 0.0, pair.relation == Relation::Overlapping, "{name} {scene}");
            }
            for keep in [Keep::Touching, Keep::Overlapping] {
                let kept = join.keep(keep).query(Iou::default()).unwrap();
                assert_eq!(keys(&kept), pairs(&relations, keep), "{name} {scene}");
            }
        }
    }
}

#[test]
fn thresholds_keep_the_pairs_whose_measurements_reach_them() {
    let is_large = |o: &Overlap, least: f64, least_area: f64| o.iou >= least && o.area >= least_area;
    for (scene, set) in sets() {
        let join = CPU.self_join(&set);
        let all = join.query(Iou::default()).unwrap();
        let mut areas: Vec<f64> = all.iter().map(|pair| pair.measurement.area).collect();
        areas.sort_by(f64::total_cmp);
        // This limit equals the area of a pair exactly.
        let middle = areas[3 * areas.len() / 4];
        assert!(middle > 0.0);
        let large = join.query(IntersectionArea { least: middle }).unwrap();
        let expected: Vec<_> = all.iter().filter(|pair| pair.measurement.area >= middle).collect();
        assert_eq!(keys(&large), expected.iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>(), "{scene}");
        for (name, engine) in engines() {
            let join = engine.self_join(&set);
            for (least, least_area) in [(0.1, 0.0), (f64::MIN_POSITIVE, 0.0), (0.05, middle), (1.0, 0.0)] {
                let query = Iou { least, least_area };
                let expected: Vec<_> = all
                    .iter()
                    .filter(|pair| is_large(&pair.measurement, least, least_area))
                    .copied()
                    .collect();
                assert_eq!(join.query(query).unwrap().items, expected, "{name} {scene} {query:?}");
                // The query of relations in the same walk needs all pairs, also those below the limit of areas.
                let (relations, overlaps) = join.query((Relations, query)).unwrap();
                assert_eq!(overlaps.items, expected, "{name} {scene} {query:?}");
                assert_eq!(pairs(&relations, Keep::Meeting), keys(&all), "{name} {scene} {query:?}");
            }
        }
    }
}

#[test]
fn rotated_boxes_and_thresholds_give_the_same_pairs_on_every_backend() {
    let sides = [[4.0, 2.0], [3.0, 3.0], [8.0, 2.5]];
    let shapes = sides.map(|[width, height]| {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let ring = corners.map(|[x, y]: [f64; 2]| [0.5 * width * x, 0.5 * height * y]);
        PolygonObject::from(ConvexPolygon::new(&ring).unwrap())
    });
    let instance = |k: usize| {
        let (cluster, turn) = ((k / 9) as f64, k as f64 * 0.37);
        let place = [cluster * 5.0 + turn.sin(), (cluster * 0.7).cos() * 40.0 + (3.0 * turn).cos()];
        (k / 9 % 3, Pose::new(cluster + 0.2 * (7.0 * turn).sin(), place).unwrap())
    };
    let instances: Vec<_> = (0..900).map(instance).collect();
    let set = PolygonSet::from_instances(&shapes, &instances).unwrap();
    let all = CPU.self_join(&set).query(Iou::default()).unwrap();
    for least in [0.05, 0.3, 0.5, 0.7] {
        let expected: Vec<_> = all.iter().filter(|pair| pair.measurement.iou >= least).copied().collect();
        assert!(!expected.is_empty() && expected.len() < all.len(), "{least}");
        for (name, engine) in engines() {
            let found = engine.self_join(&set).query(Iou { least, ..Iou::default() }).unwrap();
            assert_eq!(found.items, expected, "{name} {least}");
        }
    }
}

#[test]
fn chunks_threads_and_other_queries_of_the_walk_change_no_digit() {
    for (scene, set) in sets() {
        let expected = CPU.self_join(&set).query(Iou::default()).unwrap().items;
        for (name, engine) in engines() {
            for chunk in [1usize, 7, 1000] {
                if chunk == 1 && name == "gpu" {
                    continue;
                }
                let found = engine.self_join(&set).chunk_pairs(chunk).query(Iou::default()).unwrap();
                assert_eq!(found.items, expected, "{name} {scene} {chunk}");
            }
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let found = pool.install(|| engine.self_join(&set).query(Iou::default())).unwrap();
                assert_eq!(found.items, expected, "{name} {scene} {threads}");
            }
            let join = engine.self_join(&set).within(0.5);
            let query = (IntersectionArea::default(), Distances, Relations, (Penetrations, Iou::default()));
            let (areas, distances, relations, (penetrations, overlaps)) = join.query(query).unwrap();
            assert_eq!(overlaps.items, expected, "{name} {scene}");
            assert_eq!(keys(&areas), pairs(&relations, Keep::Meeting));
            assert_eq!(penetrations.len(), relations.len());
            assert!(distances.len() > areas.len());
        }
        // Join two sets in either order.
        let other = sets().into_iter().find(|(name, _)| *name != scene).unwrap().1;
        let forth = CPU.join(&set, &other).query(IntersectionArea::default()).unwrap();
        let mut back = CPU.join(&other, &set).query(IntersectionArea::default()).unwrap().items;
        back.iter_mut().for_each(|pair| std::mem::swap(&mut pair.a, &mut pair.b));
        back.sort_by_key(|pair| (pair.a, pair.b));
        assert_eq!(forth.items, back);
    }
}

#[test]
fn what_is_no_threshold_and_options_that_no_query_uses_are_named() {
    let [(_, set), _] = sets();
    let join = CPU.self_join(&set);
    for value in [-1.0, f64::NAN, f64::INFINITY, -f64::MIN_POSITIVE] {
        let found = join.query(IntersectionArea { least: value });
        assert!(matches!(found, Err(Error::Option { option: "least", .. })), "{value}");
        let found = join.query(Iou { least_area: value, ..Iou::default() });
        assert!(matches!(found, Err(Error::Option { option: "least_area", .. })), "{value}");
        let found = CPU.piece_pairs(&set, &set, &[]).query(IntersectionArea { least: value });
        assert!(matches!(found, Err(Error::Option { .. })), "{value}");
    }
    for least in [-0.5, 1.5, f64::NAN] {
        let found = join.query(Iou { least, ..Iou::default() });
        assert!(matches!(found, Err(Error::Option { option: "least", .. })), "{least}");
    }
    assert!(matches!(join.within(1.0).query(Iou::default()), Err(Error::Option { option: "within", .. })));
    assert!(matches!(join.check().query(Iou::default()), Err(Error::Option { option: "check", .. })));
    let unknown = CPU.piece_pairs(&set, &set, &[[0, 9999]]).query(Iou::default());
    assert!(matches!(unknown, Err(Error::UnknownPolygon { .. })));
}
