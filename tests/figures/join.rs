use sat2d::glam::DVec2;
use sat2d::scenes::Scene;
use sat2d::{
    Distances, Error, Manifolds, PairSide, Penetrations, PolygonObject, PolygonSet, Relation, Relations,
};

use super::textbook::{self, local};
use super::{Ring, engines, moved, set};

/// Compares every pair of a scene. Returns the pairs with a distance of at most `within`, and their distances.
fn near(rings: &[Ring], within: f64) -> Vec<(u32, u32, f64)> {
    let mut pairs = Vec::new();
    for (i, a) in rings.iter().enumerate() {
        for (j, b) in rings.iter().enumerate().skip(i + 1) {
            let (a, b) = local(a, b);
            let distance = if textbook::separation(&a, &b) <= 0.0 { 0.0 } else { textbook::distance(&a, &b) };
            if distance <= within {
                pairs.push((i as u32, j as u32, distance));
            }
        }
    }
    pairs
}

#[test]
fn pairs_within_a_distance_are_all_found_and_no_others() {
    for scene in [Scene::Ngons, Scene::Clustered, Scene::Crowd] {
        let rings = moved(&scene.generate(400, 5), [1e5, -3e5]);
        let set = set(&rings);
        for within in [0.0, 0.125, 1.5] {
            let expected = near(&rings, within);
            for (name, engine) in engines() {
                let found = engine.self_join(&set).within(within).query(Distances).unwrap();
                let pairs: Vec<_> = found.items.iter().map(|pair| (pair.a, pair.b)).collect();
                let wanted: Vec<_> = expected.iter().map(|pair| (pair.0, pair.1)).collect();
                assert_eq!(pairs, wanted, "{name}, {scene}, {within}");
                for (pair, (_, _, distance)) in found.items.iter().zip(&expected) {
                    assert!((pair.measurement.distance - distance).abs() < 1e-4, "{name}, {scene}: {pair:?}");
                }
                assert!(found.counts.candidate_pairs >= found.items.len() as u64);
            }
        }
    }
}

#[test]
fn a_distance_that_f32_cannot_tell_from_the_limit_is_decided_in_f64() {
    let square = |x: f64| vec![[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]];
    // Two gaps differ from the limit 0.3 by far less than the precision of f32. The third gap is exactly 0.25.
    let gap: f64 = 0.3;
    let [a, b] = [set(&[square(-1.0)]), set(&[square(gap - 1e-12), square(gap + 1e-12), square(0.25)])];
    for (name, engine) in engines() {
        let found = engine.join(&a, &b).within(gap).query(Distances).unwrap();
        let pairs: Vec<_> =
            found.items.iter().map(|pair| (pair.a, pair.b, pair.measurement.distance)).collect();
        assert_eq!((pairs.len(), pairs[0].1, pairs[1].1), (2, 0, 2), "{name}: {pairs:?}");
        assert!((pairs[0].2 - (gap - 1e-12)).abs() < 1e-15, "{name}: {pairs:?}");
        assert_eq!(engine.join(&a, &b).within(0.25).query(Distances).unwrap().items.len(), 1, "{name}");
    }
}

/// Returns a comb with three teeth, which point up, and a bar.
fn comb_and_bar(bar: [[f64; 2]; 4]) -> [PolygonSet; 2] {
    let comb = [
        [0.0, 0.0],
        [5.0, 0.0],
        [5.0, 3.0],
        [4.0, 3.0],
        [4.0, 1.0],
        [3.0, 1.0],
        [3.0, 3.0],
        [2.0, 3.0],
        [2.0, 1.0],
        [1.0, 1.0],
        [1.0, 3.0],
        [0.0, 3.0],
    ];
    let comb = PolygonObject::from_polygon(&[comb]).unwrap();
    assert!(comb.pieces().len() > 2);
    [PolygonSet::from_objects(&[comb]).unwrap(), PolygonSet::from_convex_rings(&[bar]).unwrap()]
}

#[test]
fn the_distance_of_objects_is_the_least_of_their_pieces() {
    // The bar is above the second gap of the comb, and nearer to one tooth.
    let [comb, bar] = comb_and_bar([[3.25, 3.5], [3.5, 3.5], [3.5, 4.0], [3.25, 4.0]]);
    for (name, engine) in engines() {
        let found = engine.join(&comb, &bar).within(1.0).query(Distances).unwrap();
        assert_eq!(found.items.len(), 1, "{name}");
        // The expected distance is the distance of the bar to the corner (3, 3) of the nearer tooth.
        let expected = (0.25f64 * 0.25 + 0.5 * 0.5).sqrt();
        assert!((found.items[0].measurement.distance - expected).abs() < 1e-5, "{name}: {:?}", found.items);
        assert!(engine.join(&comb, &bar).within(0.5).query(Distances).unwrap().items.is_empty(), "{name}");
    }
}

#[test]
fn no_penetration_or_contact_is_over_an_edge_between_pieces() {
    // The bars are deep in the comb's back. The diagonals and the cuts below the teeth are nearer than any border.
    for bar in [
        [[2.25, 0.5], [2.75, 0.5], [2.75, 1.25], [2.25, 1.25]],
        [[0.25, 0.75], [0.75, 0.75], [0.75, 1.5], [0.25, 1.5]],
        [[2.25, 0.875], [2.5, 0.875], [2.5, 1.125], [2.25, 1.125]],
    ] {
        let [comb, bar] = comb_and_bar(bar);
        let internal = (0..comb.piece_count())
            .flat_map(|piece| (0..comb.piece_vertices(piece).len()).map(move |edge| (piece, edge)))
            .filter(|&(piece, edge)| comb.is_internal_edge(piece, edge))
            .count();
        // Each cut is an internal edge of both its pieces, unless the edge continues along a border.
        assert!(internal >= comb.piece_count() - 1, "{internal}");
        for (name, engine) in engines() {
            let found = engine.join(&comb, &bar).query(Penetrations).unwrap().items;
            assert_eq!(found.len(), 1, "{name}");
            let (piece, edge) = (found[0].piece_a as usize, found[0].measurement.edge.unwrap());
            assert!(found[0].measurement.depth() > 0.0, "{name}: {found:?}");
            if edge.side == PairSide::A {
                assert!(!comb.is_internal_edge(piece, edge.index as usize), "{name}: {found:?}");
            }
            for contacts in engine.join(&comb, &bar).query(Manifolds { margin: 0.0 }).unwrap().items {
                let edge = contacts.measurement.edge;
                let piece = contacts.piece_a as usize;
                assert!(
                    edge.side == PairSide::B || !comb.is_internal_edge(piece, edge.index as usize),
                    "{name}: {contacts:?}"
                );
            }
        }
    }
}

#[test]
fn objects_that_touch_have_no_depth_and_touch_along_the_longest_stretch() {
    // The block touches the foot of the L along 2 units, and the stem along 1 unit. The pieces beyond a cut touch the
    // block only at a corner.
    let l = [[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]];
    let block = [[1.0, 1.0], [3.0, 1.0], [3.0, 2.0], [1.0, 2.0]];
    // The second placement is turned and scaled without rounding. No unit normal then has f64 coordinates.
    let turned = |[x, y]: [f64; 2]| [x - 0.5 * y + 3.0, 0.5 * x + y - 7.0];
    for place in [|point: [f64; 2]| -> [f64; 2] { point }, turned] {
        let l = PolygonObject::from_polygon(&[l.map(place)]).unwrap();
        assert!(l.pieces().len() > 1);
        let [l, block] = [
            PolygonSet::from_objects(&[l]).unwrap(),
            PolygonSet::from_convex_rings(&[block.map(place)]).unwrap(),
        ];
        for (name, engine) in engines() {
            let deep = engine.join(&l, &block).query(Penetrations).unwrap().items;
            assert!(deep.len() == 1 && deep[0].measurement.depth() < 1e-12, "{name}: {deep:?}");
            for margin in [0.0, 0.5] {
                let found = engine.join(&l, &block).query(Manifolds { margin }).unwrap().items;
                assert_eq!(found.len(), 1, "{name}");
                let points = found[0].measurement.points();
                assert_eq!(points.len(), 2, "{name}: {found:?}");
                assert!(
                    (points[0].position - DVec2::from(place([3.0, 1.0]))).length() < 1e-12,
                    "{name}: {found:?}"
                );
                assert!(
                    (points[1].position - DVec2::from(place([1.0, 1.0]))).length() < 1e-12,
                    "{name}: {found:?}"
                );
                assert!(points.iter().all(|point| point.separation.abs() < 1e-12), "{name}: {found:?}");
            }
        }
    }
}

#[test]
fn penetrations_are_those_of_the_pairs_that_meet() {
    for scene in [Scene::Boxes, Scene::NearTouching] {
        let rings = scene.generate(600, 11);
        let set = set(&rings);
        for (name, engine) in engines() {
            let meeting = engine.self_join(&set).query(Relations).unwrap().items;
            let found = engine.self_join(&set).query(Penetrations).unwrap().items;
            assert_eq!(found.len(), meeting.len(), "{name}, {scene}");
            for (pair, relation) in found.iter().zip(&meeting) {
                assert_eq!((pair.a, pair.b), (relation.a, relation.b), "{name}, {scene}");
                let (a, b) = local(&rings[pair.a as usize], &rings[pair.b as usize]);
                let within = sat2d::MEASUREMENT_BOUND * textbook::size(&a, &b);
                if relation.relation == Relation::Touching {
                    assert!(pair.measurement.depth() <= within, "{name}, {scene}: {pair:?}");
                }
            }
            let touching = engine.self_join(&set).query(Manifolds { margin: 0.5 }).unwrap().items;
            assert!(touching.len() >= meeting.len(), "{name}, {scene}");
        }
    }
}

#[test]
fn what_is_no_distance_is_an_error() {
    let set = set(&[vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]]);
    for (_, engine) in engines() {
        for distance in [-1e-9, f64::NAN, f64::INFINITY] {
            let error = engine.self_join(&set).within(distance).query(Distances).unwrap_err();
            assert!(matches!(error, Error::Option { option: "within", .. }), "{error}");
            assert!(engine.self_join(&set).query(Manifolds { margin: distance }).is_err());
        }
        assert!(
            engine.self_join(&set).within(sat2d::MAX_COORDINATE).query(Distances).unwrap().items.is_empty()
        );
        assert!(
            engine.self_join(&PolygonSet::default()).within(1.0).query(Distances).unwrap().items.is_empty()
        );
    }
}
