//! Compares two ways to find the relation of large polygons: from their edges, and from their convex pieces. An arrangement
//! in rational arithmetic confirms the relations.

mod arrangement;
mod drawn;
mod filled;
mod kinds;
mod long;

use sat2d::internal::{orientation, set_of_outlines};
use sat2d::{
    Backend, Containment, Containments, Coordinates, CoveringPair, Engine, Error, Fill, FromColumns, Keep,
    PointOptions, PointPair, PolygonColumns, PolygonSet, RelatedPair, Relation, Relations,
};

use arrangement::Polygon;

/// The coordinates and offsets of objects, as columns for [`PolygonColumns`].
#[derive(Default)]
struct Columns {
    xy: Vec<[f64; 2]>,
    rings: Vec<i64>,
    polygons: Vec<i64>,
    objects: Vec<i64>,
}

impl Columns {
    fn of<P: AsRef<[R]>, R: AsRef<[[f64; 2]]>>(objects: &[Vec<P>]) -> Self {
        let mut columns = Self { rings: vec![0], polygons: vec![0], objects: vec![0], ..Self::default() };
        for object in objects {
            for polygon in object {
                for ring in polygon.as_ref() {
                    columns.xy.extend_from_slice(ring.as_ref());
                    columns.rings.push(columns.xy.len() as i64);
                }
                columns.polygons.push(columns.rings.len() as i64 - 1);
            }
            columns.objects.push(columns.polygons.len() as i64 - 1);
        }
        columns
    }

    fn columns(&self) -> PolygonColumns<'_> {
        PolygonColumns::new(Coordinates::Interleaved(&self.xy), &self.rings[..])
            .polygons(&self.polygons[..])
            .objects(&self.objects[..])
    }
}

/// Returns the same objects as a set of outlines and as a set of pieces.
fn both_ways(objects: &[Vec<Vec<Vec<[f64; 2]>>>]) -> [FromColumns; 2] {
    let columns = Columns::of(objects);
    let outlined = set_of_outlines(&columns.columns()).unwrap();
    assert_eq!(outlined.set.made_piece_count(), None);
    let pieces = PolygonSet::from_valid_columns(&columns.columns()).unwrap();
    [outlined, pieces]
}

fn in_f64(objects: &[Vec<Polygon>]) -> Vec<Vec<Vec<Vec<[f64; 2]>>>> {
    let ring = |ring: &Vec<[i64; 2]>| ring.iter().map(|v| v.map(|x| x as f64)).collect();
    let polygon = |polygon: &Polygon| polygon.iter().map(ring).collect();
    objects.iter().map(|object| object.iter().map(polygon).collect()).collect()
}

fn relations(a: &PolygonSet, b: Option<&PolygonSet>, engine: &Engine) -> Vec<RelatedPair> {
    match b {
        None => engine.self_join(a).query(Relations).unwrap().items,
        Some(b) => engine.join(a, b).query(Relations).unwrap().items,
    }
}

/// Returns the pairs in which one object covers the other. Asserts that a join of both sets and a query of a list of all
/// pairs give the same result.
fn covering(a: &PolygonSet, b: &PolygonSet, engine: &Engine) -> Vec<CoveringPair> {
    let found = engine.join(a, b).query(Containments).unwrap().items;
    let all = |count: usize| 0..count as u32;
    let pairs: Vec<[u32; 2]> =
        all(a.object_count()).flat_map(|i| all(b.object_count()).map(move |j| [i, j])).collect();
    let given = engine.object_pairs(a, b, &pairs).query(Containments).unwrap().items;
    let given = pairs.iter().zip(given).filter(|(_, containment)| *containment != Containment::Neither);
    let given = given.map(|(&[a, b], containment)| CoveringPair { a, b, containment });
    assert!(given.eq(found.iter().copied()), "{found:?}");
    found
}

/// Compares the relations of all pairs of objects, found from edges, with the relations found from convex pieces. Some
/// objects may be invalid. Returns the relations.
fn compare(objects: &[Vec<Vec<Vec<[f64; 2]>>>]) -> Vec<RelatedPair> {
    let engine = Engine::new(Backend::Cpu).unwrap();
    let [outlined, pieces] = both_ways(objects);
    assert_same_errors(objects, &outlined, &pieces);
    assert_eq!(outlined.cleanup, pieces.cleanup, "{objects:?}");
    let found = relations(&outlined.set, None, &engine);
    assert_eq!(outlined.set.made_piece_count(), None, "a join on edges has split the polygons");
    assert_eq!(found, relations(&pieces.set, None, &engine), "{objects:?}");
    let expected = relations(&pieces.set, Some(&pieces.set), &engine);
    for [a, b] in [[&outlined, &outlined], [&outlined, &pieces], [&pieces, &outlined]] {
        assert_eq!(relations(&a.set, Some(&b.set), &engine), expected, "{objects:?}");
    }
    let expected = covering(&pieces.set, &pieces.set, &engine);
    for [a, b] in [[&outlined, &outlined], [&outlined, &pieces], [&pieces, &outlined]] {
        assert_eq!(covering(&a.set, &b.set, &engine), expected, "{objects:?}");
    }
    assert_eq!(outlined.set.object_aabbs(), pieces.set.object_aabbs());
    assert_eq!(outlined.set.made_piece_count(), None);
    compare_points(objects, &outlined.set, &pieces.set, &engine);
    assert_same_pieces(&outlined.set, &pieces.set);
    found
}

/// Compares the relations of points to all objects, found from outlines, with the relations found from pieces by the grid.
/// The points are all vertices and the middles of all edges.
fn compare_points(
    objects: &[Vec<Vec<Vec<[f64; 2]>>>],
    outlined: &PolygonSet,
    pieces: &PolygonSet,
    engine: &Engine,
) {
    let rings = objects.iter().flatten().flatten();
    let middle = |a: [f64; 2], b: [f64; 2]| [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0];
    let points: Vec<[f64; 2]> = rings
        .flat_map(|ring| (0..ring.len()).map(|k| (ring[k], ring[(k + 1) % ring.len()])))
        .flat_map(|(from, to)| [from, middle(from, to)])
        .filter(|point| point.iter().all(|x| *x == 0.0 || x.abs() > 1e-40))
        .collect();
    let options = PointOptions { pairs: true, first: true, ..PointOptions::default() };
    let expected = engine.points(&points, pieces).query(&options).unwrap();
    let (mut pairs, mut first) = (Vec::new(), Vec::new());
    for (part, some) in (0..).zip(points.chunks(4)) {
        let found = engine.points(some, outlined).query(&options).unwrap();
        let moved = |pair: PointPair| PointPair { point: pair.point + 4 * part, ..pair };
        pairs.extend(found.pairs.into_iter().flatten().map(moved));
        first.extend(found.first.unwrap().iter());
    }
    assert_eq!(Some(pairs), expected.pairs, "{objects:?}");
    assert!(expected.first.unwrap().iter().eq(first), "{objects:?}");
}

/// Asserts that both sets have errors at the same objects. If an object has several crossings, each set may report
/// another one.
fn assert_same_errors(objects: &[Vec<Vec<Vec<[f64; 2]>>>], a: &FromColumns, b: &FromColumns) {
    assert_eq!(a.invalid.len(), b.invalid.len(), "{objects:?}: {:?} and {:?}", a.invalid, b.invalid);
    for ((i, found), (j, expected)) in a.invalid.iter().zip(&b.invalid) {
        assert_eq!(i, j);
        let [found, expected] = [found, expected].map(|error| match error {
            Error::Object { object, source } if object == i => &**source,
            error => panic!("{error} does not name the object"),
        });
        let crossings = [found, expected].map(|error| match error {
            Error::CrossingSegments { polygon, ring, segment, from, to, .. } => {
                Some((polygon, ring, segment, from, to))
            }
            _ => None,
        });
        if let [Some((polygon, ring, segment, from, to)), Some(_)] = crossings {
            let vertices = &objects[*i][*polygon][*ring];
            assert_eq!(
                (&vertices[*segment], &vertices[(segment + 1) % vertices.len()]),
                (from, to),
                "{objects:?}"
            );
            assert!(crosses_any(&objects[*i][*polygon], [*from, *to]), "{objects:?}");
            continue;
        }
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{objects:?}");
    }
}

/// Returns whether a segment crosses a segment of the rings in the interior of both.
fn crosses_any(rings: &[Vec<[f64; 2]>], [p, q]: [[f64; 2]; 2]) -> bool {
    let side = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| orientation(p.into(), q.into(), r.into());
    let crosses = |r, s| side(p, q, r) * side(p, q, s) < 0.0 && side(r, s, p) * side(r, s, q) < 0.0;
    rings.iter().any(|ring| (0..ring.len()).any(|i| crosses(ring[i], ring[(i + 1) % ring.len()])))
}

/// Asserts that two sets have the same pieces. One set has outlines. The polygons of the other set were split when it
/// was built.
fn assert_same_pieces(a: &PolygonSet, b: &PolygonSet) {
    assert_eq!(a.piece_count(), b.piece_count());
    for piece in 0..a.piece_count() {
        assert_eq!(a.piece_object(piece), b.piece_object(piece));
        assert_eq!(a.piece_vertices(piece), b.piece_vertices(piece));
        let edges = 0..a.piece_vertices(piece).len();
        assert!(edges.into_iter().all(|e| a.is_internal_edge(piece, e) == b.is_internal_edge(piece, e)));
    }
}

/// Compares all pairs of valid objects with rational arithmetic, too. Returns the numbers of disjoint, touching and
/// overlapping pairs.
fn compare_exactly(objects: &[Vec<Polygon>]) -> [usize; 3] {
    let found = compare(&in_f64(objects));
    let mut found = found.into_iter().peekable();
    let mut counts = [0; 3];
    for a in 0..objects.len() {
        for b in a + 1..objects.len() {
            let pair = found.next_if(|pair| (pair.a as usize, pair.b as usize) == (a, b));
            let relation = pair.map_or(Relation::Disjoint, |pair| pair.relation);
            let expected = arrangement::relation(&objects[a], &objects[b], Fill::EvenOdd);
            assert_eq!(relation, expected, "{:?} and {:?}", objects[a], objects[b]);
            counts[relation as usize] += 1;
        }
    }
    counts
}

/// Returns the objects that the library accepts, in the given order.
fn valid(objects: Vec<Vec<Polygon>>) -> Vec<Vec<Polygon>> {
    let columns = Columns::of(&in_f64(&objects));
    let built = PolygonSet::from_valid_columns(&columns.columns()).unwrap();
    let mut invalid = built.invalid.iter().map(|(index, _)| *index).peekable();
    let is_valid = |index: &usize| invalid.next_if_eq(index).is_none();
    let kept: Vec<usize> = (0..objects.len()).filter(is_valid).collect();
    kept.into_iter().map(|index| objects[index].clone()).collect()
}

#[test]
fn hand_worked_pairs() {
    let ring = |vertices: &[[i64; 2]]| vertices.to_vec();
    let square =
        |x: i64, y: i64, size: i64| ring(&[[x, y], [x + size, y], [x + size, y + size], [x, y + size]]);
    let frame = vec![square(0, 0, 10), square(2, 2, 6)];
    // A C whose opening is on the right.
    let c_shape = vec![ring(&[[0, 0], [6, 0], [6, 2], [2, 2], [2, 4], [6, 4], [6, 6], [0, 6]])];
    let cases: [(&str, Vec<Polygon>, Vec<Polygon>, Relation); 12] = [
        ("in the hole", vec![frame.clone()], vec![vec![square(4, 4, 2)]], Relation::Disjoint),
        ("fills the hole", vec![frame.clone()], vec![vec![square(2, 2, 6)]], Relation::Touching),
        ("a corner on the hole", vec![frame.clone()], vec![vec![square(2, 4, 1)]], Relation::Touching),
        ("in the frame", vec![frame.clone()], vec![vec![square(0, 0, 1)]], Relation::Overlapping),
        ("within the frame", vec![frame.clone()], vec![vec![square(1, 9, 1)]], Relation::Overlapping),
        ("covers the frame", vec![frame.clone()], vec![vec![square(-1, -1, 20)]], Relation::Overlapping),
        ("equal", vec![frame.clone()], vec![frame.clone()], Relation::Overlapping),
        ("in the mouth", vec![c_shape.clone()], vec![vec![square(2, 2, 2)]], Relation::Touching),
        (
            "in the mouth, apart",
            vec![c_shape.clone()],
            vec![vec![ring(&[[3, 3], [5, 3], [8, 3], [7, 4]])]],
            Relation::Disjoint,
        ),
        ("corner to corner", vec![c_shape.clone()], vec![vec![square(6, 6, 3)]], Relation::Touching),
        (
            "through vertices",
            vec![c_shape.clone()],
            vec![vec![ring(&[[2, 2], [6, 2], [4, 8]])]],
            Relation::Overlapping,
        ),
        (
            "one polygon touches, another overlaps",
            vec![vec![square(20, 0, 2)], vec![square(0, 0, 2)]],
            vec![vec![square(22, 0, 2)], vec![square(1, 1, 3)]],
            Relation::Overlapping,
        ),
    ];
    for (name, a, b, expected) in cases {
        assert_eq!(arrangement::relation(&a, &b, Fill::EvenOdd), expected, "{name}, in rationals");
        let found = compare(&in_f64(&[a, b]));
        assert_eq!(found.first().map_or(Relation::Disjoint, |pair| pair.relation), expected, "{name}");
    }
}

#[test]
fn a_polygon_over_a_hole_is_not_covered() {
    let square = |x: i64, y: i64, size: i64| vec![[x, y], [x + size, y], [x + size, y + size], [x, y + size]];
    let frame = vec![square(0, 0, 10), square(3, 3, 4)];
    use Containment::{Covers, Neither};
    let cases: [(&str, Polygon, Containment); 4] = [
        ("over the hole", vec![square(1, 1, 8)], Neither),
        ("with a hole around the hole", vec![square(1, 1, 8), square(2, 2, 6)], Covers),
        ("with the same hole", vec![square(1, 1, 8), square(3, 3, 4)], Covers),
        ("with a hole in the hole", vec![square(1, 1, 8), square(4, 4, 2)], Neither),
    ];
    for (name, other, expected) in cases {
        let objects = [vec![frame.clone()], vec![other]];
        let found = arrangement::compare(&objects[0], &objects[1], Fill::EvenOdd).containment;
        assert_eq!(found, expected, "{name}, in rationals");
        compare(&in_f64(&objects));
        let columns = Columns::of(&in_f64(&objects));
        let set = set_of_outlines(&columns.columns()).unwrap().set;
        let engine = Engine::new(Backend::Cpu).unwrap();
        let given = engine.object_pairs(&set, &set, &[[0, 1], [1, 0]]).query(Containments).unwrap();
        assert_eq!(given.items, [expected, expected.swapped()], "{name}");
    }
}

#[test]
fn options_and_large_sets_choose_the_way() {
    let wave = |x: f64| -> Vec<Vec<Vec<[f64; 2]>>> {
        let top = (0..40).rev().map(|k| [x + f64::from(k), 3.0 + f64::from(k % 2)]);
        let bottom = (0..40).map(|k| [x + f64::from(k), f64::from(k % 2)]);
        vec![vec![bottom.chain(top).collect()]]
    };
    let columns = Columns::of(&[wave(0.0), wave(39.0), wave(100.0), wave(101.5)]);
    let set = PolygonSet::from_columns(&columns.columns()).unwrap();
    assert_eq!(set.made_piece_count(), None, "large polygons keep their outlines");
    let engine = Engine::new(Backend::Cpu).unwrap();
    let join = engine.self_join(&set);
    let all = join.query(Relations).unwrap();
    let pair = |a, b, relation| RelatedPair { a, b, relation };
    assert_eq!(all.items, [pair(0, 1, Relation::Touching), pair(2, 3, Relation::Overlapping)]);
    assert_eq!((all.counts.touching, all.counts.overlapping, all.counts.candidate_pairs), (1, 1, 2));
    let touching = join.keep(Keep::Touching).chunk_pairs(1).query(Relations).unwrap();
    assert_eq!(touching.items, [pair(0, 1, Relation::Touching)]);
    let points = [[0.5, 1.5], [39.0, 2.0], [-1.0, 0.0], [101.5, 2.0]];
    let first = PointOptions { first: true, ..PointOptions::default() };
    let first = engine.points(&points, &set).query(&first).unwrap().first.unwrap();
    assert!(first.iter().eq([Some(0), Some(0), None, Some(2)]));
    assert_eq!(set.made_piece_count(), None, "a few points have split the polygons");
    let checked = join.check().query(Relations).unwrap();
    assert_eq!(checked.items, all.items);
    let report = checked.check.unwrap();
    assert!(report.pairs > 4, "the check compares pieces and objects");
    assert_eq!(report.disagreement_count(), 0);
    assert_eq!(set.made_piece_count(), Some(set.piece_count()));
}
