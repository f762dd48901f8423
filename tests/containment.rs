//! Containment: hand-worked cases, comparisons with rational arithmetic on the rings, and the library's queries.

use crate::support::cases::rectangle;
use crate::support::covers;
use crate::support::oracle::PoseNumbers;
use crate::support::strategies::{exact_turn, lattice_pair, pair};
use proptest::prelude::*;
use sat2d::Containment::{self, CoveredBy, Covers, Equal, Neither};
use sat2d::{
    Answers, Backend, Containments, CoveringPair, Engine, Error, PolygonObject, PolygonSet, Pose,
    RelatedPair, Relation, Relations,
};

/// The rings of each polygon of an object.
type Rings = Vec<Vec<Vec<[f64; 2]>>>;

const HERE: PoseNumbers = [1.0, 0.0, 0.0, 0.0];

fn engine() -> Engine {
    Engine::new(Backend::Cpu).unwrap()
}

fn object(polygons: &Rings) -> PolygonObject {
    PolygonObject::from_multi_polygon(polygons).unwrap()
}

fn containment(a: &Rings, b: &Rings) -> Containment {
    let set = PolygonSet::from_objects(&[object(a), object(b)]).unwrap();
    let found =
        engine().object_pairs(&set, &set, &[[0, 1], [1, 0], [0, 0]]).query(Containments).unwrap().items;
    assert_eq!(found[1], found[0].swapped(), "{a:?} and {b:?}");
    assert_eq!(found[2], Equal);
    found[0]
}

/// Returns the containment of two objects, computed from their rings by rational arithmetic.
fn by_oracle(a: &Rings, pose_a: PoseNumbers, b: &Rings, pose_b: PoseNumbers) -> Containment {
    let (a, b) = (covers::region(a, pose_a), covers::region(b, pose_b));
    match (covers::covers(&a, &b), covers::covers(&b, &a)) {
        (false, false) => Neither,
        (true, false) => Covers,
        (false, true) => CoveredBy,
        (true, true) => Equal,
    }
}

fn one(ring: Vec<[f64; 2]>) -> Rings {
    vec![vec![ring]]
}

fn squares(corners: &[[f64; 2]], side: f64) -> Rings {
    corners.iter().map(|&[x, y]| vec![rectangle(x, y, x + side, y + side)]).collect()
}

/// A hand-worked case: its name, the objects A and B, and their containment.
type Case = (&'static str, Rings, Rings, Containment);

fn cases() -> Vec<Case> {
    let box_of = |x0, y0, x1, y1| one(rectangle(x0, y0, x1, y1));
    let big = || box_of(0.0, 0.0, 6.0, 6.0);
    let ring_with_hole = || vec![vec![rectangle(0.0, 0.0, 6.0, 6.0), rectangle(2.0, 2.0, 4.0, 4.0)]];
    let l_shape = || one(vec![[0.0, 0.0], [6.0, 0.0], [6.0, 2.0], [2.0, 2.0], [2.0, 6.0], [0.0, 6.0]]);
    let comb = one(vec![
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
    ]);
    let with_collinear = one(vec![
        [0.0, 0.0],
        [3.0, 0.0],
        [6.0, 0.0],
        [6.0, 1.0],
        [6.0, 6.0],
        [2.0, 6.0],
        [0.0, 6.0],
        [0.0, 5.0],
    ]);
    let touches_inside = one(vec![[0.0, 3.0], [3.0, 1.0], [6.0, 3.0], [3.0, 6.0]]);
    vec![
        ("apart", big(), box_of(7.0, 0.0, 8.0, 1.0), Neither),
        ("touching along an edge", big(), box_of(6.0, 0.0, 8.0, 6.0), Neither),
        ("crossing", big(), box_of(-1.0, 2.0, 7.0, 3.0), Neither),
        ("nested", big(), box_of(1.0, 1.0, 2.0, 2.0), Covers),
        ("nested with a common edge", big(), box_of(0.0, 1.0, 2.0, 3.0), Covers),
        ("touching the border from inside at vertices", big(), touches_inside, Covers),
        ("out by one step", big(), box_of(1.0, 1.0, 6.0_f64.next_up(), 2.0), Neither),
        ("in by one step", big(), box_of(1.0, 1.0, 6.0_f64.next_down(), 2.0), Covers),
        ("equal", big(), big(), Equal),
        ("equal, with collinear vertices and another start", big(), with_collinear, Equal),
        (
            "equal, one in two halves",
            big(),
            vec![box_of(0.0, 0.0, 2.5, 6.0).remove(0), box_of(2.5, 0.0, 6.0, 6.0).remove(0)],
            Equal,
        ),
        (
            "equal, one in overlapping parts",
            big(),
            vec![box_of(0.0, 0.0, 4.0, 6.0).remove(0), box_of(2.0, 0.0, 6.0, 6.0).remove(0)],
            Equal,
        ),
        ("in the hole", ring_with_hole(), box_of(2.5, 2.5, 3.5, 3.5), Neither),
        ("the hole itself", ring_with_hole(), box_of(2.0, 2.0, 4.0, 4.0), Neither),
        ("over the hole", ring_with_hole(), box_of(1.0, 1.0, 5.0, 5.0), Neither),
        ("beside the hole, along it", ring_with_hole(), box_of(0.0, 0.0, 2.0, 6.0), Covers),
        ("across several pieces, beside the hole", ring_with_hole(), l_shape(), Covers),
        ("the ring in what fills it", big(), ring_with_hole(), Covers),
        (
            "the hole filled by a second polygon",
            vec![ring_with_hole().remove(0), box_of(2.0, 2.0, 4.0, 4.0).remove(0)],
            big(),
            Equal,
        ),
        (
            "the hole filled but for a step",
            vec![ring_with_hole().remove(0), box_of(2.0, 2.0, 4.0_f64.next_down(), 4.0).remove(0)],
            box_of(1.0, 1.0, 5.0, 5.0),
            Neither,
        ),
        ("across two pieces of an L", l_shape(), box_of(1.0, 0.5, 5.0, 1.5), Covers),
        ("in the corner of an L that is missing", l_shape(), box_of(2.0, 2.0, 3.0, 3.0), Neither),
        ("around the corner of an L", l_shape(), box_of(1.0, 1.0, 3.0, 3.0), Neither),
        (
            "by two parts that abut",
            squares(&[[0.0, 0.0], [2.0, 0.0]], 2.0),
            box_of(1.0, 0.5, 3.0, 1.5),
            Covers,
        ),
        (
            "by two parts that meet at a corner",
            squares(&[[0.0, 0.0], [2.0, 2.0]], 2.0),
            box_of(1.0, 1.0, 3.0, 3.0),
            Neither,
        ),
        (
            "by four parts around a point",
            squares(&[[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]], 2.0),
            box_of(1.0, 1.0, 3.0, 3.0),
            Covers,
        ),
        (
            "by parts with a slit of one step",
            vec![box_of(0.0, 0.0, 2.0, 2.0).remove(0), box_of(2.0_f64.next_up(), 0.0, 4.0, 2.0).remove(0)],
            box_of(1.0, 0.5, 3.0, 1.5),
            Neither,
        ),
        (
            "by parts whose borders are cut at other places",
            vec![
                box_of(0.0, 0.0, 2.0, 3.0).remove(0),
                box_of(2.0, 0.0, 4.0, 1.0).remove(0),
                box_of(2.0, 1.0, 4.0, 3.0).remove(0),
            ],
            box_of(0.5, 0.5, 3.5, 2.5),
            Covers,
        ),
        (
            "by parts that overlap",
            vec![box_of(0.0, 0.0, 3.0, 2.0).remove(0), box_of(1.0, 0.0, 4.0, 2.0).remove(0)],
            box_of(0.0, 0.0, 4.0, 2.0),
            Equal,
        ),
        (
            "beyond a border that overlapping parts have in common",
            vec![
                box_of(0.0, 0.0, 3.0, 2.0).remove(0),
                box_of(1.0, 0.0, 4.0, 2.0).remove(0),
                box_of(5.0, 0.0, 6.0, 4.0).remove(0),
            ],
            box_of(1.5, 1.0, 2.5, 3.0),
            Neither,
        ),
        ("a tooth of a comb", comb.clone(), box_of(2.0, 0.0, 3.0, 3.0), Covers),
        ("between the teeth", comb.clone(), box_of(0.5, 0.5, 4.5, 1.5), Neither),
        ("the back of a comb", comb, box_of(0.0, 0.0, 5.0, 1.0), Covers),
        (
            "parts of B in different parts of A",
            squares(&[[0.0, 0.0], [5.0, 5.0]], 3.0),
            squares(&[[1.0, 1.0], [6.0, 6.0]], 1.0),
            Covers,
        ),
        (
            "one part of B outside",
            squares(&[[0.0, 0.0], [5.0, 5.0]], 3.0),
            squares(&[[1.0, 1.0], [3.5, 3.5]], 1.0),
            Neither,
        ),
    ]
}

#[test]
fn every_case_is_as_worked_out_by_hand() {
    for (name, a, b, expected) in cases() {
        assert_eq!(by_oracle(&a, HERE, &b, HERE), expected, "the oracle, {name}");
        assert_eq!(containment(&a, &b), expected, "{name}");
        // Far from the origin, a step of one ulp is lost, so the cases with such a step are left out. The containments of all
        // other cases stay the same.
        if !name.contains("step") {
            let far = |rings: &Rings| -> Rings {
                let place = |v: &[f64; 2]| [v[0] + 1e6, v[1] - 3e6];
                rings.iter().map(|p| p.iter().map(|r| r.iter().map(place).collect()).collect()).collect()
            };
            assert_eq!(containment(&far(&a), &far(&b)), expected, "{name}, far out");
        }
    }
}

#[test]
fn joins_find_the_cases_and_no_more() {
    // Each case has its own row of the plane, so that no case meets another.
    let cases = cases();
    let place = |rings: &Rings, row: usize| -> Rings {
        let place = |v: &[f64; 2]| [v[0], v[1] + 64.0 * row as f64];
        rings.iter().map(|p| p.iter().map(|r| r.iter().map(place).collect()).collect()).collect()
    };
    // A move along y keeps the steps of one ulp, because these steps are along x.
    let objects = |side: fn(&Case) -> &Rings| -> Vec<PolygonObject> {
        cases.iter().enumerate().map(|(row, case)| object(&place(side(case), row))).collect()
    };
    let (a, b) = (objects(|case| &case.1), objects(|case| &case.2));
    let expected: Vec<(u32, u32, Containment)> = (0..)
        .zip(&cases)
        .filter(|(_, case)| case.3 != Neither)
        .map(|(row, case)| (row, row, case.3))
        .collect();
    let [set_a, set_b] = [&a, &b].map(|objects| PolygonSet::from_objects(objects).unwrap());
    let found = engine().join(&set_a, &set_b).query(Containments).unwrap();
    let of = |found: &Answers<CoveringPair>| -> Vec<(u32, u32, Containment)> {
        found.iter().map(|pair| (pair.a, pair.b, pair.containment)).collect()
    };
    assert_eq!(of(&found), expected);
    assert_eq!(found.counts.overlapping, expected.len() as u64);
    // The same cases in one set: the objects of B come after those of A, with an object without a region between.
    let together: Vec<PolygonObject> =
        a.iter().cloned().chain([PolygonObject::empty()]).chain(b.iter().cloned()).collect();
    let together = PolygonSet::from_objects(&together).unwrap();
    let found = engine().self_join(&together).query(Containments).unwrap();
    let shift = cases.len() as u32 + 1;
    let expected: Vec<_> = expected.iter().map(|&(i, j, c)| (i, j + shift, c)).collect();
    assert_eq!(of(&found), expected);
    // In each pair in which one object covers the other, the two objects overlap.
    let overlapping = engine().self_join(&together).query(Relations).unwrap();
    for &CoveringPair { a, b, .. } in &found {
        let pair = RelatedPair { a, b, relation: Relation::Overlapping };
        assert!(overlapping.items.contains(&pair), "{pair:?}");
    }
}

#[test]
fn posed_objects_are_decided_on_their_real_images() {
    let square = object(&one(rectangle(-1.0, -1.0, 1.0, 1.0)));
    let l_shape = object(&one(vec![[0.0, 0.0], [6.0, 0.0], [6.0, 2.0], [2.0, 2.0], [2.0, 6.0], [0.0, 6.0]]));
    let quarter = |x: f64, y: f64| Pose::from_cos_sin(0.0, 1.0, [x, y]).unwrap();
    let places = [
        (0, Pose::IDENTITY),
        (0, quarter(0.0, 0.0)),
        (1, Pose::IDENTITY),
        (1, quarter(6.0, 0.0)),
        (0, quarter(1.0, 3.0)),
        (0, Pose::from_cos_sin(0.6, 0.8, [0.0, 0.0]).unwrap()),
        (1, Pose::new(0.3, [40.0, 0.0]).unwrap()),
        (1, Pose::new(0.3, [40.0, 0.0]).unwrap()),
    ];
    let mut set = PolygonSet::from_instances(&[square, l_shape], &places).unwrap();
    let found = |set: &PolygonSet, pair| {
        engine().object_pairs(set, set, &[pair]).query(Containments).unwrap().items[0]
    };
    for (pair, expected) in [
        ([0, 1], Equal),
        ([0, 5], Neither),
        ([2, 3], Neither),
        ([2, 4], Covers),
        ([3, 4], Neither),
        ([6, 7], Equal),
    ] {
        assert_eq!(found(&set, pair), expected, "{pair:?}");
    }
    let joined = engine().self_join(&set).query(Containments).unwrap();
    let joined: Vec<_> = joined.iter().map(|pair| ([pair.a, pair.b], pair.containment)).collect();
    assert_eq!(joined, [([0, 1], Equal), ([2, 4], Covers), ([6, 7], Equal)]);
    // A small step of object 1 makes the two equal objects unequal.
    let moved = Pose::from_cos_sin(0.0, 1.0, [2f64.powi(-50), 0.0]).unwrap();
    let mut poses: Vec<Pose> = places.iter().map(|place| place.1).collect();
    poses[1] = moved;
    set.set_poses(&poses).unwrap();
    assert_eq!(found(&set, [0, 1]), Neither);
}

#[test]
fn what_is_not_there_is_an_error_and_what_is_empty_covers_nothing() {
    let set =
        PolygonSet::from_objects(&[object(&one(rectangle(0.0, 0.0, 1.0, 1.0))), PolygonObject::empty()])
            .unwrap();
    let engine = engine();
    assert_eq!(
        engine.object_pairs(&set, &set, &[[0, 1], [1, 0], [1, 1]]).query(Containments).unwrap().items,
        [Neither; 3]
    );
    let error = engine.object_pairs(&set, &set, &[[0, 0], [0, 2]]).query(Containments).unwrap_err();
    assert!(matches!(error, Error::UnknownObject { index: 2, count: 2 }), "{error}");
    assert!(engine.object_pairs(&set, &set, &[]).query(Containments).unwrap().items.is_empty());
    assert!(engine.self_join(&PolygonSet::default()).query(Containments).unwrap().is_empty());
}

/// Returns a star around (x, y), with a vertex in each of eight directions at the given distances.
fn star(radii: [i32; 8], [x, y]: [i32; 2]) -> Vec<[f64; 2]> {
    const DIRECTIONS: [[i32; 2]; 8] = [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]];
    DIRECTIONS.iter().zip(radii).map(|(d, r)| [f64::from(x + d[0] * r), f64::from(y + d[1] * r)]).collect()
}

/// Generates objects of one or two concave polygons, most of which have a hole.
fn region() -> impl Strategy<Value = Rings> {
    let holed = (
        prop::array::uniform8(3..6i32),
        prop::option::of(prop::array::uniform8(1..3i32)),
        [-1..=1i32, -1..=1],
    )
        .prop_map(|(shell, hole, at)| {
            std::iter::once(star(shell, at)).chain(hole.map(|hole| star(hole, at))).collect::<Vec<_>>()
        });
    let small =
        (prop::array::uniform8(1..4i32), [-2..=2i32, -2..=2]).prop_map(|(radii, at)| vec![star(radii, at)]);
    prop::collection::vec(prop_oneof![holed, small], 1..3)
}

/// Returns the cells of a 4 by 4 grid whose bits are set in `mask`. If `by_rows` is true, neighbouring cells of a row
/// are joined to one rectangle, and otherwise neighbouring cells of a column. Both values of `by_rows` give the same
/// region.
fn cells(mask: u16, by_rows: bool) -> Rings {
    let has = |x: usize, y: usize| {
        if by_rows { mask >> (4 * y + x) & 1 == 1 } else { mask >> (4 * x + y) & 1 == 1 }
    };
    let mut rings = Rings::new();
    for y in 0..4 {
        let mut x = 0;
        while x < 4 {
            let start = x;
            while x < 4 && has(x, y) {
                x += 1;
            }
            if x > start {
                let [x0, y0, x1, y1] = [start, y, x, y + 1].map(|k| k as f64);
                rings.push(vec![if by_rows { rectangle(x0, y0, x1, y1) } else { rectangle(y0, x0, y1, x1) }]);
            }
            x += 1;
        }
    }
    rings
}

fn check_relation(a: &Rings, b: &Rings, found: Containment) -> Result<(), TestCaseError> {
    let set = PolygonSet::from_objects(&[object(a), object(b)]).unwrap();
    let join = engine().self_join(&set).query(Relations).unwrap();
    let overlaps = join.items.iter().any(|pair| pair.relation == Relation::Overlapping);
    prop_assert!(overlaps || found == Neither, "what covers overlaps");
    prop_assert_eq!(found == Equal, found.a_covers_b() && found.b_covers_a());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn convex_pairs_are_as_rational_arithmetic_says((a, b) in prop_oneof![pair(), lattice_pair()], grown in any::<bool>()) {
        // In half of the cases, B is the hull of some of A's vertices, so A covers B.
        let b = if grown && a.len() > 3 { a[..a.len() - 1].to_vec() } else { b };
        let (a, b) = (one(a), one(b));
        let found = containment(&a, &b);
        prop_assert_eq!(found, by_oracle(&a, HERE, &b, HERE));
        check_relation(&a, &b, found)?;
    }

    #[test]
    fn regions_are_as_rational_arithmetic_says_of_their_rings(a in region(), b in region()) {
        let found = containment(&a, &b);
        prop_assert_eq!(found, by_oracle(&a, HERE, &b, HERE));
        check_relation(&a, &b, found)?;
        // The union of A and B covers B.
        let both: Rings = a.iter().chain(&b).cloned().collect();
        let expected = if found.b_covers_a() { Equal } else { Covers };
        prop_assert_eq!(containment(&both, &b), expected);
        prop_assert_eq!(by_oracle(&both, HERE, &b, HERE), expected);
    }

    #[test]
    fn cells_cover_their_subsets_however_they_are_cut(a in 1..=u16::MAX, b in 1..=u16::MAX, kept in 0..3u8) {
        let b = match kept {
            0 if a & b != 0 => a & b,
            1 => a | b,
            _ => b,
        };
        let expected = match (a | b == a, a | b == b) {
            (false, false) => Neither,
            (true, false) => Covers,
            (false, true) => CoveredBy,
            (true, true) => Equal,
        };
        prop_assert_eq!(containment(&cells(a, true), &cells(b, false)), expected);
        prop_assert_eq!(containment(&cells(a, true), &cells(a, false)), Equal);
        // The same region, as two lists of rectangles that overlap each other.
        let both: Rings = cells(a, true).into_iter().chain(cells(a, false)).collect();
        prop_assert_eq!(containment(&both, &cells(b, false)), expected);
    }

    #[test]
    fn turned_regions_are_as_rational_arithmetic_says(a in region(), b in region(), turn in exact_turn()) {
        let turn = [turn[0], turn[1], turn[2] / 500.0, turn[3] / 500.0];
        let [cos, sin, x, y] = turn;
        let places = [(0, Pose::IDENTITY), (1, Pose::from_cos_sin(cos, sin, [x, y]).unwrap())];
        let set = PolygonSet::from_instances(&[object(&a), object(&b)], &places).unwrap();
        let found = engine().object_pairs(&set, &set, &[[0, 1], [1, 0]]).query(Containments).unwrap().items;
        let expected = by_oracle(&a, HERE, &b, turn);
        prop_assert_eq!(&found, &[expected, expected.swapped()]);
        // A common pose of all objects does not change the containments.
        let mut set = set;
        set.set_poses(&[places[1].1; 2]).unwrap();
        prop_assert_eq!(engine().object_pairs(&set, &set, &[[0, 1]]).query(Containments).unwrap().items[0], containment(&a, &b));
    }
}

#[cfg(feature = "gpu")]
#[test]
fn the_choice_names_the_backend_that_decided() {
    let square = one(vec![[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [0.0, 3.0]]);
    let corner = one(vec![[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]]);
    let gpu = Engine::new(Backend::Gpu).unwrap();
    for (polygons, backend) in [(square, Backend::Gpu), (corner, Backend::Cpu)] {
        let set = PolygonSet::from_objects(&[object(&polygons), object(&polygons)]).unwrap();
        let joined = gpu.self_join(&set).query(Containments).unwrap();
        assert_eq!((joined.len(), joined.choice.backend), (1, backend));
        let listed = gpu.object_pairs(&set, &set, &[[0, 1]]).query(Containments).unwrap();
        assert_eq!((listed.items, listed.choice.backend), (vec![Containment::Equal], backend));
    }
}
