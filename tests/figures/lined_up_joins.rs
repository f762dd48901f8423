//! Tests that a join within a distance contains a pair if and only if the true distance of the pair is at most the
//! given distance, to the last bit.

use std::collections::BTreeSet;

use sat2d::{
    ConvexPolygon, Distances, MAX_COORDINATE, Manifolds, PolygonObject, PolygonSet, Pose, Relation,
    RoundedSet, RoundedShape, Shapes,
};

use super::lined_up::{Tally, count_of_pairs, for_each_block, sets};
use super::lined_up_scenes::{KINDS, Random, TRIPLES, draw};
use super::rational::{Exact, Fraction, Given};
use super::{Ring, engines, set};
use crate::support::in_soak;
use crate::support::oracle::PoseNumbers;

/// The exact distance between the shapes with the indices `a` and `b`: the least distance between their convex parts,
/// minus the sum of their radii.
struct Apart {
    a: u32,
    b: u32,
    parts: Vec<(Exact, Fraction)>,
    radii: [f64; 2],
    /// The distance between the two shapes, rounded to f64.
    nearly: f64,
}

impl Apart {
    fn new([a, b]: [usize; 2], parts: Vec<Exact>, radii: [f64; 2]) -> Self {
        let parts: Vec<_> =
            parts.into_iter().map(|exact| (exact.square(), exact)).map(|(s, e)| (e, s)).collect();
        let distances = parts.iter().map(|(exact, square)| exact.to_f64(&Exact::root(square)));
        let cores = distances.fold(f64::INFINITY, f64::min);
        Self { a: a as u32, b: b as u32, parts, radii, nearly: cores - radii[0] - radii[1] }
    }

    fn is_within(&self, distance: f64) -> bool {
        // A distance far from the limit needs no exact comparison.
        let scale = self.nearly.abs() + distance + self.radii[0] + self.radii[1];
        if (self.nearly - distance).abs() > 1e-9 * scale {
            return self.nearly < distance;
        }
        let sum = [distance, self.radii[0], self.radii[1]];
        self.parts.iter().any(|(exact, square)| exact.is_within(square, &sum))
    }

    /// Returns the rounded distance, and two f64 numbers on either side of it. Leaves out numbers that are not valid limits of
    /// a join.
    fn limits(&self) -> Vec<f64> {
        let distance = self.nearly;
        let limits = [
            distance.next_down().next_down(),
            distance.next_down(),
            distance,
            distance.next_up(),
            distance.next_up().next_up(),
        ];
        limits.into_iter().filter(|limit| (0.0..=MAX_COORDINATE).contains(limit)).collect()
    }
}

/// Joins a set with itself within each of `distances`, on each backend. The expected pairs are the pairs of `all` that
/// are within the distance.
fn expect_joins<S: Shapes>(
    tally: &mut Tally,
    name: &str,
    all: &[Apart],
    set: &S,
    distances: &[f64],
    manifolds: bool,
    seen: impl Fn(&Apart) -> String,
) {
    for &distance in distances {
        let expected = all.iter().filter(|pair| pair.is_within(distance));
        let expected: BTreeSet<(u32, u32)> = expected.map(|pair| (pair.a, pair.b)).collect();
        for (backend, engine) in engines() {
            let mut compare = |what: &str, found: BTreeSet<(u32, u32)>| {
                for pair in all {
                    let key = (pair.a, pair.b);
                    let broken = match (expected.contains(&key), found.contains(&key)) {
                        (true, false) => vec![("lost", format!("{distance:?}"))],
                        (false, true) => vec![("kept beyond", format!("{distance:?}"))],
                        _ => vec![],
                    };
                    // A pair without a problem counts as a case only once per join, because most pairs have no problem.
                    if !broken.is_empty() || pair.b == 1 {
                        tally.add(&format!("{backend}, {name}, {what}"), broken, || seen(pair));
                    }
                }
            };
            let found = engine.self_join(set).within(distance).query(Distances).unwrap().items;
            compare("within", found.iter().map(|pair| (pair.a, pair.b)).collect());
            if manifolds {
                let found = engine.self_join(set).query(Manifolds { margin: distance }).unwrap().items;
                compare("manifolds", found.iter().map(|pair| (pair.a, pair.b)).collect());
            }
        }
    }
}

/// Returns limits for joins: the distances of some pairs, the f64 numbers next to these distances, and some limits that users
/// would write.
fn limits(random: &mut Random, all: &[Apart]) -> Vec<f64> {
    let apart: Vec<&Apart> = all.iter().filter(|pair| pair.nearly > 0.0).collect();
    let mut limits = vec![0.0, 0.1, 0.2, 0.3, 1.0, 5.0];
    for _ in 0..4 {
        if !apart.is_empty() {
            limits.extend(random.pick(&apart).limits());
        }
    }
    limits
}

/// A shape of a scene: a union of convex parts, or a core with a radius.
struct Shape {
    parts: Vec<Ring>,
    pose: Option<PoseNumbers>,
    radius: f64,
}

/// Returns the exact distance of each pair of shapes.
fn all_pairs(shapes: &[Shape], exact: impl Fn(Given<'_>, Given<'_>) -> Exact) -> Vec<Apart> {
    let mut all = Vec::new();
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate().skip(i + 1) {
            let pairs = a.parts.iter().flat_map(|part| b.parts.iter().map(move |other| (part, other)));
            let parts = pairs.map(|(part, other)| exact((part, a.pose), (other, b.pose))).collect();
            all.push(Apart::new([i, j], parts, [a.radius, b.radius]));
        }
    }
    all
}

#[test]
fn lined_up_pairs_are_kept_up_to_their_distance_and_no_farther() {
    let mut tally = Tally::default();
    for_each_block(count_of_pairs(in_soak(1, 2)), |(kind, _), _, pairs| {
        for (k, pair) in pairs.iter().enumerate() {
            let of = |side: usize| pair.poses.map(|poses| poses[side]);
            let apart = Apart::new([0, 0], vec![Exact::new((&pair.a, of(0)), (&pair.b, of(1)))], [0.0; 2]);
            let [a, b] = sets(std::slice::from_ref(pair));
            for limit in apart.limits() {
                let expected = usize::from(apart.is_within(limit));
                for (backend, engine) in engines() {
                    // On a device, only every 30th pair is joined, because each join takes a long time.
                    if backend == "gpu" && !k.is_multiple_of(30) {
                        continue;
                    }
                    let found = engine.join(&a, &b).within(limit).query(Distances).unwrap().items;
                    let name = if found.len() < expected { "lost" } else { "kept beyond" };
                    let broken = (found.len() != expected).then(|| (name, format!("{limit:?}")));
                    let shown = || format!("{} {pair:?}", apart.nearly);
                    tally.add(&format!("{backend}, {kind}"), broken.into_iter().collect(), shown);
                }
            }
        }
    });
    tally.assert_none();
}

#[test]
fn lined_up_scenes_are_joined_exactly() {
    let mut tally = Tally::default();
    let mut random = Random::new(1);
    for kind in &KINDS[..8] {
        for block in 0..count_of_pairs(150) as u64 {
            let pairs = draw(*kind, 1_000_000 + block, 12);
            let rings: Vec<Ring> = pairs.into_iter().flat_map(|pair| [pair.a, pair.b]).collect();
            let shape = |ring: &Ring| Shape { parts: vec![ring.clone()], pose: None, radius: 0.0 };
            let shapes: Vec<Shape> = rings.iter().map(shape).collect();
            let all = all_pairs(&shapes, Exact::new);
            let set = set(&rings);
            let limits = limits(&mut random, &all);
            expect_joins(&mut tally, kind.0, &all, &set, &limits, true, |pair| {
                format!("{:?} {:?}", rings[pair.a as usize], rings[pair.b as usize])
            });
        }
    }
    tally.assert_none();
}

/// The ring of a shape that consists of boxes, and the boxes.
type OfBoxes = (Vec<[i64; 2]>, Vec<[i64; 4]>);

/// Draws an L, with a corner at the origin.
fn corner(random: &mut Random) -> OfBoxes {
    let [wide, high] = [random.whole(2, 6), random.whole(2, 6)];
    let [foot, stem] = [random.whole(1, high - 1), random.whole(1, wide - 1)];
    let ring = vec![[0, 0], [wide, 0], [wide, foot], [stem, foot], [stem, high], [0, high]];
    (ring, vec![[0, 0, wide, foot], [0, 0, stem, high]])
}

/// Draws a bar with teeth that point up.
fn comb(random: &mut Random) -> OfBoxes {
    let teeth = random.whole(2, 4);
    let right = 2 * teeth - 1;
    let (mut ring, mut boxes) = (vec![[0, 0], [right, 0]], vec![[0, 0, right, 1]]);
    for tooth in (0..teeth).rev() {
        let (left, right, top) = (2 * tooth, 2 * tooth + 1, random.whole(2, 5));
        ring.extend([[right, 1], [right, top], [left, top], [left, 1]]);
        boxes.push([left, 0, right, top]);
    }
    // The outermost teeth continue the sides of the bar, so these vertices are collinear.
    ring.retain(|&v| v != [right, 1] && v != [0, 1]);
    (ring, boxes)
}

/// The position in which the objects of a scene lie: on a grid, turned, or with poses.
#[derive(Clone, Copy, PartialEq)]
enum Standing {
    OnADecimalGrid,
    /// The objects are turned by the angle of a Pythagorean triple, which is exact for integers.
    Turned,
    Posed,
}

/// Returns ten objects: the ring of each object, and the boxes that the object consists of.
fn objects(random: &mut Random, standing: Standing) -> (Vec<Ring>, Vec<Shape>) {
    let [x, y, _] = if standing == Standing::Turned { random.pick(&TRIPLES) } else { [1, 0, 1] };
    let per_unit = if standing == Standing::Turned { 1.0 } else { random.pick(&[1.0, 10.0, 100.0]) };
    let one = |_| {
        let (ring, boxes) = if random.whole(0, 1) == 0 { corner(random) } else { comb(random) };
        let by = [random.whole(0, 25), random.whole(0, 25)];
        let slack = if standing == Standing::Turned { 9 } else { 0 };
        let aside = [random.whole(0, slack), random.whole(0, slack)];
        let place = |v: [i64; 2]| {
            let v = [v[0] + by[0], v[1] + by[1]];
            [x * v[0] - y * v[1] + aside[0], y * v[0] + x * v[1] + aside[1]].map(|x| x as f64 / per_unit)
        };
        let corners = |[left, low, right, top]: [i64; 4]| -> Ring {
            [[left, low], [right, low], [right, top], [left, top]].map(place).to_vec()
        };
        let turns = [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.28, -0.96], [0.1f64.cos(), 0.1f64.sin()]];
        let ([cos, sin], move_by) = (random.pick(&turns), random.whole(0, 20) as f64 / 10.0);
        let pose = (standing == Standing::Posed).then_some([cos, sin, move_by, 1.0]);
        let parts = boxes.into_iter().map(corners).collect();
        (ring.into_iter().map(place).collect(), Shape { parts, pose, radius: 0.0 })
    };
    (0..10).map(one).unzip()
}

#[test]
fn lined_up_objects_are_joined_exactly() {
    let mut tally = Tally::default();
    let mut random = Random::new(2);
    let standings = [
        ("objects on a decimal grid", Standing::OnADecimalGrid),
        ("turned objects", Standing::Turned),
        ("posed objects", Standing::Posed),
    ];
    for (name, standing) in standings {
        for _ in 0..count_of_pairs(50) {
            let (rings, shapes) = objects(&mut random, standing);
            let objects: Vec<PolygonObject> =
                rings.iter().map(|ring| PolygonObject::from_polygon(&[ring]).unwrap()).collect();
            let pose = |shape: &Shape| {
                let [cos, sin, x, y] = shape.pose?;
                Some(Pose::from_cos_sin(cos, sin, [x, y]).unwrap())
            };
            let poses: Vec<(usize, Pose)> = shapes.iter().filter_map(pose).enumerate().collect();
            let set = if poses.is_empty() {
                PolygonSet::from_objects(&objects).unwrap()
            } else {
                PolygonSet::from_instances(&objects, &poses).unwrap()
            };
            assert!(set.piece_count() > set.object_count());
            let all = all_pairs(&shapes, Exact::new);
            let limits = limits(&mut random, &all);
            expect_joins(&mut tally, name, &all, &set, &limits, false, |pair| {
                let of = |k: u32| (&rings[k as usize], shapes[k as usize].pose);
                format!("{:?} {:?}", of(pair.a), of(pair.b))
            });
        }
    }
    tally.assert_none();
}

#[test]
fn lined_up_rounded_shapes_are_joined_exactly() {
    let mut tally = Tally::default();
    let mut random = Random::new(3);
    for per_unit in [1.0, 10.0] {
        for _ in 0..count_of_pairs(50) {
            let (mut shapes, mut rounded) = (Vec::new(), Vec::new());
            while shapes.len() < 16 {
                let mut point = || [0, 1].map(|_| random.whole(0, 60) as f64 / per_unit);
                let core: Ring = (0..=shapes.len() % 3).map(|_| point()).collect();
                let radius = random.pick(&[0.5, 1.0, 2.0, 0.1, 0.3, 1e-3, 2.5, 0.0]);
                let shape = match core[..] {
                    [centre] => RoundedShape::circle(centre, radius).unwrap(),
                    [p, q] if p != q => RoundedShape::capsule(p, q, radius).unwrap(),
                    [_, _] => continue,
                    _ => match ConvexPolygon::new(&core) {
                        Ok(core) => RoundedShape::polygon(&core, radius).unwrap(),
                        Err(_) => continue,
                    },
                };
                let core: Ring = shape.core().iter().map(|v| v.to_array()).collect();
                shapes.push(Shape { parts: vec![core], pose: None, radius });
                rounded.push(shape);
            }
            let set = RoundedSet::new(&rounded).unwrap();
            let all = all_pairs(&shapes, |(a, _), (b, _)| Exact::of_cores(a, b));
            assert!(all.iter().any(|pair| pair.parts[0].0.relation == Relation::Disjoint));
            let limits = limits(&mut random, &all);
            expect_joins(&mut tally, "rounded shapes", &all, &set, &limits, false, |pair| {
                let of = |k: u32| (&shapes[k as usize].parts, shapes[k as usize].radius);
                format!("{:?} {:?}", of(pair.a), of(pair.b))
            });
        }
    }
    tally.assert_none();
}
