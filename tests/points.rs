//! Points in polygons: hand-worked cases, and comparisons of every answer with rational arithmetic on every backend.

use crate::support::oracle;
use crate::support::strategies::{polygon, round_polygon};
use proptest::prelude::*;
use sat2d::{
    Backend, ConvexPolygon, Engine, Error, KeepPoints, PointOptions, PointPair, PointRelation, PolygonObject,
    PolygonSet, Pose, Relation, Relations,
};

use PointRelation::{Boundary, Inside, Outside};

type Ring = Vec<[f64; 2]>;
/// A point, and its expected relation to a polygon.
type Expected = ([f64; 2], PointRelation);

fn engines() -> Vec<Engine> {
    let mut engines = vec![Engine::new(Backend::Cpu).unwrap()];
    if cfg!(feature = "gpu") {
        engines.push(Engine::new(Backend::Gpu).unwrap_or_else(|error| panic!("{error}")));
    }
    engines
}

const ALL: PointOptions<'_> =
    PointOptions { keep: KeepPoints::Meeting, counts: true, first: true, pairs: true, progress: None };

/// Returns the relation of each point to each object. Asserts that three queries give the same relations.
fn relations(engine: &Engine, points: &[[f64; 2]], set: &PolygonSet) -> Vec<Vec<PointRelation>> {
    let join = engine.points(points, set).query(&ALL).unwrap();
    let pairs = join.pairs.unwrap();
    assert!(pairs.is_sorted_by(|p, q| (p.point, p.object) < (q.point, q.object)));
    let mut relations = vec![vec![Outside; set.object_count()]; points.len()];
    for &PointPair { point, object, relation } in &pairs {
        relations[point as usize][object as usize] = relation;
    }
    for (object, count) in join.counts.unwrap().iter().enumerate() {
        let of = |relation| relations.iter().filter(|r| r[object] == relation).count() as u32;
        assert_eq!((count.inside, count.boundary), (of(Inside), of(Boundary)), "object {object}");
    }
    for (point, first) in join.first.unwrap().iter().enumerate() {
        let lowest = relations[point].iter().position(|&r| r != Outside).map(|object| object as u32);
        assert_eq!(first, lowest, "point {point}");
    }
    relations
}

fn l_shape() -> Ring {
    vec![[0., 0.], [4., 0.], [4., 1.], [1., 1.], [1., 4.], [0., 4.]]
}

fn square(x: f64, y: f64, side: f64) -> Ring {
    vec![[x, y], [x + side, y], [x + side, y + side], [x, y + side]]
}

#[test]
fn cases_worked_out_by_hand() {
    let tall = vec![[0., 0.], [3., 0.], [3., 7.], [0., 7.]];
    let object = |rings: &[Ring]| PolygonObject::from_polygon(rings).unwrap();
    let union = |polygons: &[Vec<Ring>]| PolygonObject::from_multi_polygon(polygons).unwrap();
    let (a, b) = (square(0., 0., 2.), square(2., 0., 2.));
    let bow = vec![square(0., 0., 2.)];
    let cases: Vec<(&str, PolygonObject, Vec<Expected>)> = vec![
        (
            "a rectangle",
            object(&[tall]),
            vec![
                ([1., 1.], Inside),
                ([0., 0.], Boundary),
                ([3., 7.], Boundary),
                ([3., 3.5], Boundary),
                ([1.7, 7.], Boundary),
                ([3f64.next_up(), 3.5], Outside),
                ([3f64.next_down(), 3.5], Inside),
                ([0., -0.], Boundary),
                ([-5e-30, 1.], Outside),
                ([5e-30, 1.], Inside),
                // The point is on the line of an edge, beyond its end.
                ([3., 8.], Outside),
                ([-1., 0.], Outside),
            ],
        ),
        (
            "an L, whose pieces share a diagonal or an edge from the inner corner",
            object(&[l_shape()]),
            vec![
                ([0.5, 0.5], Inside),
                // These points are on lines along which the L may be cut into pieces.
                ([0.5, 1.], Inside),
                ([1., 0.5], Inside),
                ([0.25, 0.25], Inside),
                // These points are the reflex corner of the L, and points of the edges next to it.
                ([1., 1.], Boundary),
                ([2., 1.], Boundary),
                ([1., 3.], Boundary),
                ([1f64.next_down(), 1f64.next_down()], Inside),
                ([1f64.next_up(), 1f64.next_up()], Outside),
                ([2., 2.], Outside),
                ([0., 0.], Boundary),
            ],
        ),
        (
            "a square with a hole, cut anywhere around it",
            object(&[square(0., 0., 6.), square(2., 2., 2.)]),
            vec![
                ([1., 1.], Inside),
                ([3., 3.], Outside),
                ([2., 3.], Boundary),
                ([2., 2.], Boundary),
                ([4., 4.], Boundary),
                ([3., 4.], Boundary),
                ([5., 5.], Inside),
                ([3., 1.], Inside),
                ([1., 3.], Inside),
                ([6., 3.], Boundary),
                ([2f64.next_down(), 3.], Inside),
                ([2f64.next_up(), 3.], Outside),
            ],
        ),
        (
            "two squares that share an edge",
            union(&[vec![a.clone()], vec![b]]),
            vec![
                ([2., 1.], Inside),
                ([2., 0.], Boundary),
                ([2., 2.], Boundary),
                ([2f64.next_up(), 1.], Inside),
                ([4., 1.], Boundary),
                ([1., 0.], Boundary),
            ],
        ),
        (
            "two squares that share a part of an edge",
            union(&[vec![a.clone()], vec![square(2., 1., 4.)]]),
            vec![([2., 1.5], Inside), ([2., 1.], Boundary), ([2., 2.], Boundary), ([2., 3.], Boundary)],
        ),
        (
            "two squares that share a corner",
            union(&[bow, vec![square(2., 2., 2.)]]),
            vec![([2., 2.], Boundary), ([1., 1.], Inside), ([3., 1.], Outside)],
        ),
        (
            "four squares around a point, and three",
            union(&[
                vec![a.clone()],
                vec![square(2., 0., 2.)],
                vec![square(0., 2., 2.)],
                vec![square(2., 2., 2.)],
            ]),
            vec![([2., 2.], Inside), ([2., 4.], Boundary), ([2., 3.], Inside)],
        ),
        (
            "three squares around a point",
            union(&[vec![a.clone()], vec![square(2., 0., 2.)], vec![square(0., 2., 2.)]]),
            vec![([2., 2.], Boundary), ([2., 1.], Inside), ([1., 2.], Inside), ([2., 3.], Boundary)],
        ),
        (
            "two squares that overlap",
            union(&[vec![a], vec![square(1., 1., 4.)]]),
            vec![
                ([1.5, 1.5], Inside),
                ([1., 1.5], Inside),
                ([1., 1.], Inside),
                ([2., 1.], Boundary),
                ([1., 2.], Boundary),
            ],
        ),
    ];
    for (name, object, expected) in cases {
        for engine in engines() {
            let plain = PolygonSet::from_objects(std::slice::from_ref(&object)).unwrap();
            // A quarter turn about the origin takes (x, y) to (-y, x) exactly.
            let quarter = Pose::from_cos_sin(0.0, 1.0, [0.0, 0.0]).unwrap();
            let turned = PolygonSet::from_instances(std::slice::from_ref(&object), &[(0, quarter)]).unwrap();
            for (set, map) in [(plain, (|p| p) as fn([f64; 2]) -> [f64; 2]), (turned, |[x, y]| [-y, x])] {
                let points: Vec<[f64; 2]> = expected.iter().map(|case| map(case.0)).collect();
                for (found, (point, expected)) in relations(&engine, &points, &set).iter().zip(&expected) {
                    assert_eq!(found[0], *expected, "{name}, {point:?}, {}", engine.choice().backend);
                }
            }
        }
    }
}

#[test]
fn a_pose_is_the_real_image_not_the_rounded_one() {
    // The sum cos² + sin² is not exactly 1. The matrix takes the corner (1, 1) of the square [-1, 1]² to (c - s, s +
    // c). This image is not an f64 point, so every f64 point near it is off the corner.
    let (sin, cos) = 0.3f64.sin_cos();
    let pose = Pose::from_cos_sin(cos, sin, [1e6, -1e6]).unwrap();
    let ring = square(-1.0, -1.0, 2.0);
    let set =
        PolygonSet::from_instances(&[PolygonObject::from_polygon(&[&ring]).unwrap()], &[(0, pose)]).unwrap();
    let mut points = Vec::new();
    for (i, &p) in ring.iter().enumerate() {
        let q = ring[(i + 1) % 4];
        for k in 0..50 {
            let t = f64::from(k) / 49.0;
            let [x, y] = [0, 1].map(|axis| p[axis] + (q[axis] - p[axis]) * t);
            let at = [cos * x - sin * y + 1e6, sin * x + cos * y - 1e6];
            points.extend([
                at,
                [at[0].next_up(), at[1]],
                [at[0].next_down(), at[1]],
                [at[0], at[1].next_up()],
            ]);
        }
    }
    let expected: Vec<PointRelation> = points
        .iter()
        .map(|&p| of_hulls(oracle::posed_relation(&[p], [1.0, 0.0, 0.0, 0.0], &ring, [cos, sin, 1e6, -1e6])))
        .collect();
    assert!(expected.contains(&Inside) && expected.contains(&Outside));
    for engine in engines() {
        let found: Vec<PointRelation> = relations(&engine, &points, &set).iter().map(|r| r[0]).collect();
        assert_eq!(found, expected, "{}", engine.choice().backend);
    }
}

/// Converts the oracle's relation of a polygon and a hull of one vertex to the relation of a point to the polygon.
fn of_hulls(relation: Relation) -> PointRelation {
    match relation {
        Relation::Disjoint => Outside,
        Relation::Touching => Boundary,
        Relation::Overlapping => Inside,
    }
}

/// Returns points at vertices, on edges, and an ulp or two away from them.
fn near_points(ring: &Ring, picks: &[(prop::sample::Index, f64, [i32; 2])]) -> Vec<[f64; 2]> {
    let nudged = |mut x: f64, by: i32| {
        for _ in 0..by.abs() {
            x = if by > 0 { x.next_up() } else { x.next_down() };
        }
        // Numbers below the accepted range become 0.
        if x.abs() < 1e-42 { 0.0 } else { x }
    };
    let pick = |(index, t, by): &(prop::sample::Index, f64, [i32; 2])| {
        let i = index.index(ring.len());
        let (p, q) = (ring[i], ring[(i + 1) % ring.len()]);
        let t = t.clamp(0.0, 1.0);
        [0, 1].map(|axis| nudged(p[axis] + (q[axis] - p[axis]) * t, by[axis]))
    };
    picks.iter().map(pick).collect()
}

fn picks() -> impl Strategy<Value = Vec<(prop::sample::Index, f64, [i32; 2])>> {
    prop::collection::vec((any::<prop::sample::Index>(), -0.5..1.5f64, [-2..=2i32, -2..=2i32]), 1..40)
}

/// Returns the relation of a point to the even-odd interior of integer rings. All coordinates are scaled by 2^20 to
/// integers.
fn by_parity(point: [i64; 2], rings: &[Vec<[i64; 2]>]) -> PointRelation {
    let mut crossings = 0;
    for ring in rings {
        for i in 0..ring.len() {
            let (p, q) = (ring[i], ring[(i + 1) % ring.len()]);
            let (low, high) = if p[1] <= q[1] { (p, q) } else { (q, p) };
            let wide = |x: i64| i128::from(x);
            let side = wide(high[0] - low[0]) * wide(point[1] - low[1])
                - wide(high[1] - low[1]) * wide(point[0] - low[0]);
            let within = |axis: usize| (p[axis].min(q[axis])..=p[axis].max(q[axis])).contains(&point[axis]);
            if side == 0 && within(0) && within(1) {
                return Boundary;
            }
            crossings += usize::from(low[1] <= point[1] && point[1] < high[1] && side > 0);
        }
    }
    if crossings % 2 == 1 { Inside } else { Outside }
}

/// Generates rings of integer coordinates around the origin: stars with a vertex in each of 16 directions.
fn star(reach: i64) -> impl Strategy<Value = Vec<[i64; 2]>> {
    prop::collection::vec(1..=reach, 16).prop_map(|radii| {
        let directions: [[i64; 2]; 16] = [
            [4, 0],
            [4, 1],
            [4, 4],
            [1, 4],
            [0, 4],
            [-1, 4],
            [-3, 3],
            [-4, 1],
            [-4, 0],
            [-4, -2],
            [-2, -2],
            [-1, -3],
            [0, -1],
            [1, -4],
            [3, -3],
            [4, -1],
        ];
        radii.iter().zip(directions).map(|(r, d)| d.map(|x| x * r)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn convex_polygons_agree_with_rational_arithmetic(
        rings in prop::collection::vec(polygon(), 1..6),
        picks in picks(),
        offset in prop::sample::select(vec![0.0, 1e6, -3e9]),
    ) {
        let moved: Vec<Ring> =
            rings.iter().map(|ring| ring.iter().map(|v| v.map(|x| x + offset)).collect()).collect();
        let rings: Vec<Ring> = moved.into_iter().filter(|ring| ConvexPolygon::new(ring).is_ok()).collect();
        prop_assume!(!rings.is_empty());
        let set = PolygonSet::from_convex_rings(&rings).unwrap();
        let mut points: Vec<[f64; 2]> = rings.iter().flat_map(|ring| near_points(ring, &picks)).collect();
        points.extend(rings.iter().flatten());
        let engine = Engine::new(Backend::Cpu).unwrap();
        let pairs: Vec<[u32; 2]> =
            (0..points.len() as u32).flat_map(|p| (0..rings.len() as u32).map(move |r| [p, r])).collect();
        let mut given = engine.point_pairs(&points, &set, &pairs).query(Relations).unwrap().items.into_iter();
        for (point, found) in points.iter().zip(relations(&engine, &points, &set)) {
            for (ring, found) in rings.iter().zip(found) {
                let expected = of_hulls(oracle::relation(&[*point], ring));
                prop_assert_eq!(found, expected, "{:?} in {:?}", point, ring);
                prop_assert_eq!(given.next(), Some(expected));
            }
        }
    }

    #[test]
    fn posed_polygons_agree_with_rational_arithmetic(
        ring in round_polygon(),
        angle in 0.0..6.3f64,
        place in [-1e3..1e3f64, -1e3..1e3f64],
        picks in picks(),
    ) {
        let pose = Pose::new(angle, place).unwrap();
        let numbers = [pose.cos(), pose.sin(), place[0], place[1]];
        let image: Ring = ring.iter().map(|&v| pose.apply(v.into()).to_array()).collect();
        let points = near_points(&image, &picks);
        let shape = PolygonObject::from_polygon(&[&ring]).unwrap();
        let set = PolygonSet::from_instances(&[shape], &[(0, pose)]).unwrap();
        for (point, found) in points.iter().zip(relations(&Engine::new(Backend::Cpu).unwrap(), &points, &set)) {
            let expected = of_hulls(oracle::posed_relation(&[*point], [1.0, 0.0, 0.0, 0.0], &ring, numbers));
            prop_assert_eq!(found[0], expected, "{:?}", point);
        }
    }

    #[test]
    fn concave_polygons_agree_with_the_parity_of_crossings(
        shell in star(40),
        hole in prop::option::of(star(1)),
        points in prop::collection::vec([-160..=160i64, -160..=160i64], 1..60),
        steps in prop::collection::vec((any::<prop::sample::Index>(), 0..=8i64, [-1..=1i64, -1..=1i64]), 1..60),
        offset in prop::sample::select(vec![0i64, 1_000_000]),
    ) {
        // A hole fits only if the shell keeps away from the middle.
        let shell: Vec<[i64; 2]> = if hole.is_some() {
            shell.iter().map(|v| v.map(|x| x * 8)).collect()
        } else {
            shell
        };
        const SCALE: i64 = 1 << 20;
        let mut rings: Vec<Vec<[i64; 2]>> = vec![shell];
        rings.extend(hole);
        for v in rings.iter_mut().flatten() {
            *v = v.map(|x| (x + offset) * SCALE);
        }
        let mut points: Vec<[i64; 2]> = points.iter().map(|p| p.map(|x| (x + offset) * SCALE)).collect();
        // The tested points are at eighths of edges, and a millionth away from these points.
        let vertices: Vec<([i64; 2], [i64; 2])> = rings
            .iter()
            .flat_map(|ring| (0..ring.len()).map(|i| (ring[i], ring[(i + 1) % ring.len()])))
            .collect();
        for (index, eighth, by) in &steps {
            let (p, q) = vertices[index.index(vertices.len())];
            points.push([0, 1].map(|axis| p[axis] + (q[axis] - p[axis]) / 8 * eighth + by[axis]));
        }
        let real = |v: &[i64; 2]| v.map(|x| x as f64 / SCALE as f64);
        let given: Vec<Ring> = rings.iter().map(|ring| ring.iter().map(real).collect()).collect();
        let Ok(object) = PolygonObject::from_polygon(&given) else { return Ok(()) };
        let set = PolygonSet::from_objects(&[object]).unwrap();
        let places: Vec<[f64; 2]> = points.iter().map(real).collect();
        let found = relations(&Engine::new(Backend::Cpu).unwrap(), &places, &set);
        for (point, found) in points.iter().zip(found) {
            prop_assert_eq!(found[0], by_parity(*point, &rings), "{:?} in {:?}", real(point), given);
        }
    }
}

#[test]
fn given_pairs_are_counted_if_exact_arithmetic_decides_them() {
    let set = PolygonSet::from_convex_rings(&[square(0.0, 0.0, 1.0)]).unwrap();
    // Three points lie on the boundary. The other two are far from it.
    let points = [[0.5, 0.5], [0.0, 0.25], [7.0, 7.0], [1.0, 1.0], [0.5, 0.0]];
    let pairs = [0, 1, 2, 3, 4].map(|point| [point, 0]);
    for engine in engines() {
        let found = engine.point_pairs(&points, &set, &pairs).query(Relations).unwrap();
        assert_eq!((found.counts.uncertain, found.counts.oversized), (3, 0), "{:?}", found.choice);
        let on_boundary = found.items.iter().filter(|relation| **relation == Boundary);
        assert_eq!(on_boundary.count(), 3);
    }
}

#[test]
fn bad_points_are_errors_that_name_them() {
    let set = PolygonSet::from_convex_rings(&[square(0.0, 0.0, 1.0)]).unwrap();
    for engine in engines() {
        let error = |bad: [f64; 2]| {
            let points = [[0.5, 0.5], bad];
            let error = engine.points(&points, &set).query(&ALL).unwrap_err();
            assert!(matches!(error, Error::Point { point: 1, .. }));
            assert_eq!(
                engine.point_pairs(&points, &set, &[]).query(Relations).unwrap_err().to_string(),
                error.to_string()
            );
            error.to_string()
        };
        assert_eq!(error([f64::NAN, 1.0]), "point 1: (NaN, 1) is not finite; drop or repair the point");
        assert_eq!(error([1.0, f64::INFINITY]), "point 1: (1, inf) is not finite; drop or repair the point");
        assert!(error([1e70, 1.0]).ends_with("rescale the input"));
        assert!(error([1.0, 1e-50]).ends_with("rescale the input"));
    }
}
