//! Serialisation: round trips through JSON, the names in JSON, and refused input.

use std::fmt::{Debug, Display};
use std::time::Duration;

use proptest::prelude::*;
use sat2d::glam::DVec2;
use sat2d::{
    Aabb, Backend, Choice, Cleanup, Closest, Contact, Containment, Containments, ConvexPolygon, Counts,
    CoveringPair, Distance, Distances, Engine, FirstHits, Impact, ImpactOutcome, Impacts, Keep, KeepPoints,
    Manifold, Manifolds, MeasuredPair, Motion, PairEdge, PairFeature, PairFeatures, PairSide, Penetration,
    Penetrations, PointCount, PointOptions, PointPair, PointRelation, PolygonSet, Pose, RelatedPair,
    Relation, Relations, RelativeVelocity, RoundedShape, TimeOfImpact, TimeOfImpactOptions, Timings,
};
use serde_json::{Value, json};

use crate::support::strategies::polygon;

/// Serialises a value to JSON, asserts that the deserialised value is equal, and returns the JSON.
fn round_trip<T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + Debug>(value: &T) -> Value {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    serde_json::from_str(&text).unwrap()
}

fn refusal<T: serde::de::DeserializeOwned + Debug>(text: &str) -> String {
    serde_json::from_str::<T>(text).unwrap_err().to_string()
}

/// Returns overlapping, touching and disjoint squares of side 1.
fn squares() -> PolygonSet {
    let square = |x: f64| [[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]];
    PolygonSet::from_convex_rings(&[square(0.0), square(0.7), square(1.7), square(5.1)]).unwrap()
}

fn engine() -> Engine {
    Engine::new(Backend::Cpu).unwrap()
}

#[test]
fn names_are_those_of_the_command_line() {
    fn check<T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + Debug>(names: &[(T, &str)]) {
        for (value, name) in names {
            assert_eq!(round_trip(value), json!(name));
        }
    }
    fn check_shown<T>(values: &[T])
    where
        T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + Debug + Display,
    {
        for value in values {
            assert_eq!(round_trip(value), json!(value.to_string()));
        }
    }
    check(&[
        (Relation::Disjoint, "disjoint"),
        (Relation::Touching, "touching"),
        (Relation::Overlapping, "overlapping"),
    ]);
    check(&[
        (Containment::Neither, "neither"),
        (Containment::Covers, "covers"),
        (Containment::CoveredBy, "covered-by"),
        (Containment::Equal, "equal"),
    ]);
    check(&[
        (PointRelation::Outside, "outside"),
        (PointRelation::Boundary, "boundary"),
        (PointRelation::Inside, "inside"),
    ]);
    check(&[(Backend::Auto, "auto"), (Backend::Cpu, "cpu"), (Backend::Gpu, "gpu")]);
    check(&[(Keep::Meeting, "meeting"), (Keep::Touching, "touching"), (Keep::Overlapping, "overlapping")]);
    check(&[
        (KeepPoints::Meeting, "meeting"),
        (KeepPoints::Boundary, "boundary"),
        (KeepPoints::Inside, "inside"),
    ]);
    check(&[
        (ImpactOutcome::OverlappingAtStart, "overlapping-at-start"),
        (ImpactOutcome::Hit, "hit"),
        (ImpactOutcome::IterationLimit, "iteration-limit"),
        (ImpactOutcome::Apart, "apart"),
    ]);
    check(&[(PairSide::A, "a"), (PairSide::B, "b")]);
    // The names of these types' variants in JSON equal their names in files.
    check_shown(&[Relation::Disjoint, Relation::Touching, Relation::Overlapping]);
    check_shown(&[Containment::Neither, Containment::Covers, Containment::CoveredBy, Containment::Equal]);
    check_shown(&[PointRelation::Outside, PointRelation::Boundary, PointRelation::Inside]);
    check_shown(&[Backend::Auto, Backend::Cpu, Backend::Gpu]);
    assert!(refusal::<Relation>("\"meeting\"").contains("unknown variant `meeting`"));
}

#[test]
fn plain_answers_come_back_as_they_were() {
    let related = RelatedPair { a: 3, b: u32::MAX, relation: Relation::Touching };
    assert_eq!(round_trip(&related), json!({"a": 3, "b": 4294967295u32, "relation": "touching"}));
    let covering = CoveringPair { a: 0, b: 1, containment: Containment::CoveredBy };
    assert_eq!(round_trip(&covering), json!({"a": 0, "b": 1, "containment": "covered-by"}));
    let point = PointPair { point: 1, object: 2, relation: PointRelation::Boundary };
    assert_eq!(round_trip(&point), json!({"point": 1, "object": 2, "relation": "boundary"}));
    assert_eq!(round_trip(&PointCount { inside: 3, boundary: 4 }), json!({"inside": 3, "boundary": 4}));

    let edge = PairEdge { side: PairSide::B, index: 7 };
    assert_eq!(round_trip(&edge), json!({"side": "b", "index": 7}));
    let features = PairFeatures { a: PairFeature::Vertex(0), b: PairFeature::Edge(1) };
    assert_eq!(round_trip(&features), json!({"a": {"vertex": 0}, "b": {"edge": 1}}));

    let closest = Closest { point_a: DVec2::new(0.1, -0.0), point_b: DVec2::new(1e-40, 3.0), features };
    let distance = Distance { distance: 0.1 + 0.2, separation: 1.0 / 3.0, closest: Some(closest) };
    assert_eq!(round_trip(&distance)["closest"]["point_a"], json!([0.1, -0.0]));
    round_trip(&closest);
    assert_eq!(round_trip(&Distance { closest: None, ..distance })["closest"], Value::Null);
    let penetration = Penetration { normal: DVec2::new(0.6, 0.8), separation: -0.1, edge: Some(edge) };
    assert_eq!(
        round_trip(&penetration),
        json!({"normal": [0.6, 0.8], "separation": -0.1, "edge": {"side": "b", "index": 7}})
    );
    round_trip(&Penetration { edge: None, ..penetration });
    let overlap = sat2d::Overlap { area: 0.1, iou: 0.025, area_a: 2.0, area_b: 2.1 };
    round_trip(&sat2d::MeasuredObjects { a: 1, b: 2, measurement: overlap });
    let measured = MeasuredPair { a: 1, b: 2, piece_a: 3, piece_b: 4, measurement: penetration };
    assert_eq!(round_trip(&measured)["measurement"]["separation"], json!(-0.1));

    let impact = Impact { normal: DVec2::X, point: DVec2::new(0.1, 0.7) };
    let time = TimeOfImpact { outcome: ImpactOutcome::Hit, time: 0.3, impact: Some(impact), iterations: 9 };
    assert_eq!(round_trip(&time)["outcome"], json!("hit"));
    round_trip(&TimeOfImpact { outcome: ImpactOutcome::IterationLimit, impact: None, ..time });
    round_trip(&impact);
    round_trip(&RelativeVelocity { normal: -0.1, tangent: 0.7 });
}

#[test]
fn options_motions_and_reports_come_back_as_they_were() {
    let motion = Motion { linear: DVec2::new(0.1, 0.2), angular: -0.7, centre: DVec2::new(1e30, 0.0) };
    assert_eq!(round_trip(&motion)["linear"], json!([0.1, 0.2]));
    round_trip(&Motion::REST);
    let options = TimeOfImpactOptions::new(0.001);
    assert_eq!(round_trip(&options), json!({"tolerance": 0.001, "step": 1.0, "most_iterations": 256}));
    let cleanup = Cleanup { repeated_vertices: 1, touching_vertices: 5, ..Cleanup::default() };
    assert_eq!(round_trip(&cleanup)["touching_vertices"], json!(5));

    let found = engine().self_join(&squares()).query(Relations).unwrap();
    let choice: Value = round_trip::<Choice>(&found.choice);
    assert_eq!(choice["backend"], json!("cpu"));
    assert_eq!(round_trip::<Counts>(&found.counts)["touching"], json!(1));
    round_trip::<Timings>(&found.timings);
    let mut timings = Timings::default();
    (timings.total, timings.kernel_on_device) = (Duration::new(3, 7), Some(Duration::MAX));
    assert_eq!(round_trip(&timings)["total"], json!({"secs": 3, "nanos": 7}));
    // Files of an earlier version may lack a field.
    assert_eq!(serde_json::from_str::<Counts>("{}").unwrap(), Counts::default());
    assert_eq!(serde_json::from_str::<Timings>("{}").unwrap(), Timings::default());
}

#[test]
fn the_answers_of_every_query_come_back_as_they_were() {
    let (engine, set) = (engine(), squares());
    let relations = engine.self_join(&set).check().query(Relations).unwrap();
    assert_eq!(relations.len(), 2);
    round_trip(&relations.items);
    let whole = serde_json::to_value(&relations).unwrap();
    assert_eq!(
        whole["items"],
        json!([
            {"a": 0, "b": 1, "relation": "overlapping"},
            {"a": 1, "b": 2, "relation": "touching"},
        ])
    );
    assert_eq!((&whole["check"]["pairs"], &whole["check"]["disagreements"]), (&json!(2), &json!([])));
    assert!(whole["timeline"].as_array().unwrap().iter().all(|span| span["stage"].is_string()), "{whole}");

    let join = engine.self_join(&set).within(10.0);
    round_trip::<Vec<MeasuredPair<Distance>>>(&join.query(Distances).unwrap().items);
    let join = engine.self_join(&set);
    round_trip::<Vec<MeasuredPair<Penetration>>>(&join.query(Penetrations).unwrap().items);
    let join = engine.self_join(&set);
    let manifolds = join.query(Manifolds { margin: 4.0 }).unwrap().items;
    assert!(manifolds.len() >= 2);
    round_trip::<Vec<MeasuredPair<Manifold>>>(&manifolds);
    let join = engine.self_join(&set);
    round_trip::<Vec<CoveringPair>>(&join.query(Containments).unwrap().items);
    let motions =
        [Motion { linear: DVec2::new(8.0, 0.0), ..Motion::REST }, Motion::REST, Motion::REST, Motion::REST];
    let impacts = Impacts::of_one_set(&motions, TimeOfImpactOptions::new(0.001));
    let impacts = engine.self_join(&set).query(impacts).unwrap().items;
    assert!(!impacts.is_empty());
    round_trip::<Vec<MeasuredPair<TimeOfImpact>>>(&impacts);
}

#[test]
fn a_manifold_has_at_most_two_points() {
    let features = PairFeatures { a: PairFeature::Vertex(0), b: PairFeature::Vertex(3) };
    let contact = |x: f64| Contact { position: DVec2::new(x, 0.1), separation: -x, features };
    round_trip(&contact(0.3));
    let edge = PairEdge { side: PairSide::A, index: 1 };
    let mut manifold = Manifold::without_points(DVec2::Y, -0.25, edge);
    assert_eq!(round_trip(&manifold)["points"], json!([]));
    for x in [0.1, 0.7] {
        manifold.push_within(1.0, contact(x));
        round_trip(&manifold);
    }
    let mut value = round_trip(&manifold);
    let first = json!({"position": [0.1, 0.1], "separation": -0.1, "features": {"a": {"vertex": 0}, "b": {"vertex": 3}}});
    assert_eq!(value["points"][0], first);
    value["points"].as_array_mut().unwrap().push(first);
    let refused = refusal::<Manifold>(&value.to_string());
    assert!(refused.starts_with("a manifold with 3 contact points: at most 2 are allowed"), "{refused}");
}

#[test]
fn first_hits_are_indices_or_null() {
    let set = squares();
    let points = [[0.5, 0.5], [9.0, 9.0], [5.5, 0.5]];
    let engine = engine();
    let options = PointOptions { first: true, ..PointOptions::default() };
    let found = engine.points(&points, &set).query(&options).unwrap();
    assert_eq!(round_trip::<FirstHits>(found.first.as_ref().unwrap()), json!([0, null, 3]));
    assert_eq!(serde_json::to_value(&found).unwrap()["first"], json!([0, null, 3]));
    let refused = refusal::<FirstHits>("[0, 4294967295]");
    assert!(refused.starts_with("point 1 names object 4294967295"), "{refused}");
}

#[test]
fn boxes_come_back_also_if_they_are_empty() {
    let boxed = |min: [f64; 2], max: [f64; 2]| Aabb { min: min.into(), max: max.into() };
    assert_eq!(round_trip(&boxed([0.1, 0.2], [0.3, 4.0])), json!({"min": [0.1, 0.2], "max": [0.3, 4.0]}));
    assert_eq!(round_trip(&Aabb::EMPTY), Value::Null);
    // This box is also empty, but has other corners than `Aabb::EMPTY`.
    round_trip(&boxed([1.0, 1.0], [0.0, 0.0]));
    round_trip(&vec![Aabb::EMPTY, boxed([0.0, 0.0], [1.0, 1.0])]);
}

#[test]
fn a_convex_polygon_is_checked_as_by_its_constructor() {
    let triangle = ConvexPolygon::new(&[[0.1, 0.2], [2.0, 0.0], [0.0, 2.5]]).unwrap();
    assert_eq!(round_trip(&triangle), json!([[0.1, 0.2], [2.0, 0.0], [0.0, 2.5]]));
    // The ring is clockwise and closed, and has a vertex in the middle of an edge.
    let rings = json!([[0, 0], [0, 2], [2, 2], [2, 0], [1, 0], [0, 0]]);
    let square: ConvexPolygon = serde_json::from_value(rings).unwrap();
    assert_eq!((square.vertices().len(), square.cleanup().reversed_rings), (4, 1));
    // A further round trip keeps the vertices, but not the record of the clean-up.
    let again: ConvexPolygon = serde_json::from_value(serde_json::to_value(&square).unwrap()).unwrap();
    assert_eq!(again.vertices(), square.vertices());

    let message = |ring: &[[f64; 2]]| ConvexPolygon::new(ring).unwrap_err().to_string();
    for (text, expected) in [
        ("[]", message(&[])),
        ("[[0, 0], [1, 1]]", message(&[[0.0, 0.0], [1.0, 1.0]])),
        ("[[0, 0], [1, 1], [2, 2]]", message(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])),
        ("[[0, 0], [4, 0], [1, 1], [0, 4]]", message(&[[0.0, 0.0], [4.0, 0.0], [1.0, 1.0], [0.0, 4.0]])),
        ("[[0, 0], [1e300, 0], [0, 1]]", message(&[[0.0, 0.0], [1e300, 0.0], [0.0, 1.0]])),
    ] {
        assert_eq!(refusal::<ConvexPolygon>(text), expected, "{text}");
    }
    // JSON has no NaN, so the number comes from a deserialiser of values.
    let nan = [[0.0, 0.0], [1.0, 0.0], [f64::NAN, 1.0]];
    assert_eq!(refusal_of_values::<ConvexPolygon>(&nan), message(&nan));
    assert!(refusal::<ConvexPolygon>("[[0, 0], [1, 0], [null, 1]]").contains("null"));
}

/// Returns the error of a ring that is given as numbers, one of which is NaN.
fn refusal_of_values<T: serde::de::DeserializeOwned + Debug>(ring: &[[f64; 2]]) -> String {
    use serde::de::value::{Error, SeqDeserializer};
    let points = ring.iter().map(|point| SeqDeserializer::<_, Error>::new(point.iter().copied()));
    T::deserialize(SeqDeserializer::<_, Error>::new(points.map(Point))).unwrap_err().to_string()
}

/// A point of a ring: an item that deserialises from a sequence of two numbers.
struct Point<D>(D);

impl<'de, D: serde::Deserializer<'de>> serde::de::IntoDeserializer<'de, D::Error> for Point<D> {
    type Deserializer = D;

    fn into_deserializer(self) -> D {
        self.0
    }
}

#[test]
fn poses_and_rounded_shapes_are_checked_as_by_their_constructors() {
    let pose = Pose::new(0.3, [0.1, -7.0]).unwrap();
    assert_eq!(round_trip(&pose)["translation"], json!([0.1, -7.0]));
    assert_eq!(round_trip(&Pose::IDENTITY), json!({"cos": 1.0, "sin": 0.0, "translation": [0.0, 0.0]}));
    let refused = refusal::<Pose>(r#"{"cos": 1, "sin": 1, "translation": [0, 0]}"#);
    assert_eq!(refused, Pose::from_cos_sin(1.0, 1.0, [0.0, 0.0]).unwrap_err().to_string());
    let refused = refusal::<Pose>(r#"{"cos": 1, "sin": 0, "translation": [1e300, 0]}"#);
    assert_eq!(refused, Pose::from_translation([1e300, 0.0]).unwrap_err().to_string());

    let square = ConvexPolygon::new(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]).unwrap();
    for (vertices, shape) in [
        (1, RoundedShape::circle([0.1, 0.2], 0.5)),
        (2, RoundedShape::capsule([0.1, 0.2], [3.0, 0.2], 0.0)),
        (4, RoundedShape::polygon(&square, 0.3)),
    ] {
        assert_eq!(round_trip(&shape.unwrap())["core"].as_array().unwrap().len(), vertices);
    }
    let refused = refusal::<RoundedShape>(r#"{"core": [[0, 0]], "radius": -1}"#);
    assert_eq!(refused, RoundedShape::circle([0.0, 0.0], -1.0).unwrap_err().to_string());
    let refused = refusal::<RoundedShape>(r#"{"core": [], "radius": 1}"#);
    assert!(refused.contains("0 distinct vertices"), "{refused}");
    let refused = refusal::<RoundedShape>(r#"{"core": [[0, 0], [4, 0], [1, 1], [0, 4]], "radius": 1}"#);
    assert!(refused.contains("is not convex at vertex 2"), "{refused}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_bit_is_kept(ring in polygon(), numbers in any::<[u64; 4]>(), angle in -10.0..10.0f64) {
        let convex = ConvexPolygon::new(&ring).unwrap();
        let text = serde_json::to_string(&convex).unwrap();
        let back: ConvexPolygon = serde_json::from_str(&text).unwrap();
        let bits = |polygon: &ConvexPolygon| {
            polygon.vertices().iter().map(|v| v.to_array().map(f64::to_bits)).collect::<Vec<_>>()
        };
        prop_assert_eq!(bits(&back), bits(&convex));

        let pose = Pose::new(angle, [ring[0][0], ring[0][1]]).unwrap();
        let back: Pose = serde_json::from_str(&serde_json::to_string(&pose).unwrap()).unwrap();
        prop_assert_eq!([back.cos().to_bits(), back.sin().to_bits()], [pose.cos().to_bits(), pose.sin().to_bits()]);

        // The numbers can be any finite numbers, including subnormal numbers and both zeros.
        let [x, y, u, v] = numbers.map(f64::from_bits).map(|x| if x.is_finite() { x } else { -0.0 });
        let motion = Motion { linear: DVec2::new(x, y), angular: u, centre: DVec2::new(v, x) };
        let back: Motion = serde_json::from_str(&serde_json::to_string(&motion).unwrap()).unwrap();
        let bits = |m: &Motion| [m.linear.x, m.linear.y, m.angular, m.centre.x, m.centre.y].map(f64::to_bits);
        prop_assert_eq!(bits(&back), bits(&motion));
    }
}
