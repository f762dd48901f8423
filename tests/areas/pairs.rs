//! Areas of convex pairs of all kinds, given as pairs of pieces.

use sat2d::{
    ConvexPolygon, IntersectionArea, Iou, Overlap, PolygonObject, PolygonSet, Pose, Relation, Relations,
};

use super::{AT_REST, CPU, Random, Ring, box_area, engines, errors};
use crate::support::cases::{cases, lens, rectangle};
use crate::support::covers::region;
use crate::support::in_soak;

/// The name of the kind of pair, the ring of A, and the ring of B.
type Pair = (&'static str, Ring, Ring);

fn moved(ring: &[[f64; 2]], by: [f64; 2]) -> Ring {
    ring.iter().map(|v| [v[0] + by[0], v[1] + by[1]]).collect()
}

fn scaled(ring: &[[f64; 2]], factor: [f64; 2]) -> Ring {
    ring.iter().map(|v| [v[0] * factor[0], v[1] * factor[1]]).collect()
}

/// Returns a regular polygon of `count` vertices about the centre `at`, turned by a random angle.
fn round(random: &mut Random, count: u32, radius: f64, at: [f64; 2]) -> Ring {
    let turn = random.unit();
    let vertex = |k: u32| {
        let angle = (f64::from(k) + turn) / f64::from(count) * std::f64::consts::TAU;
        [at[0] + radius * angle.cos(), at[1] + radius * angle.sin()]
    };
    (0..count).map(vertex).collect()
}

/// Returns a box or a triangle on a decimal grid. Two such polygons may share edges, touch at corners, be equal or
/// nested, or have a corner of one inside an edge of the other.
fn on_a_grid(random: &mut Random) -> Ring {
    let step = |count: u32| f64::from(count) / 10.0;
    let (x, y) = (step(random.below(12)), step(random.below(12)));
    let (w, h) = (step(1 + random.below(6)), step(1 + random.below(6)));
    let mut ring = rectangle(x, y, x + w, y + h);
    ring.truncate(if random.below(3) == 0 { 3 } else { 4 });
    ring
}

fn pairs() -> Vec<Pair> {
    let mut random = Random(49);
    let mut all: Vec<Pair> = cases().into_iter().map(|case| ("case", case.a, case.b)).collect();
    let each = in_soak(2000, 60);
    for k in 0..each {
        let count = |random: &mut Random| 3 + random.below(6);
        let (n, m) = (count(&mut random), count(&mut random));
        let way = [random.around(1.5), random.around(1.5)];
        let (a, b) = (round(&mut random, n, 1.0, [0.0; 2]), round(&mut random, m, 1.0, way));
        all.push(("random", a.clone(), b.clone()));
        let far = [500_000.1 * f64::from(k % 3), -4_649_776.3];
        all.push(("far off", moved(&a, far), moved(&b, far)));
        let factor = [2f64.powi(-130), 2f64.powi(190), 3e-40, 1e58][k as usize % 4];
        all.push(("magnitude", scaled(&a, [factor; 2]), scaled(&b, [factor; 2])));
        let thin = 10f64.powi(-(k % 14));
        all.push(("thin boxes", scaled(&a, [1.0, thin]), scaled(&b, [1.0, thin])));
        let needle = vec![[-1.0, -1.0], [1.0, 1.0], [1.0, (1.0f64 + thin).next_up()]];
        all.push(("needle", needle, a.clone()));
        let size = 10f64.powi(k % 16);
        let n = 3 + random.below(4);
        let huge = round(&mut random, n, size, [0.0; 2]);
        // The small polygon lies across an edge of the huge one, at a random point of the edge.
        let [p, q] = [huge[0], huge[1]];
        let at = random.unit();
        let place = [p[0] + at * (q[0] - p[0]), p[1] + at * (q[1] - p[1])];
        all.push(("tiny at an edge of huge", moved(&a, place), huge.clone()));
        all.push(("tiny at a corner of huge", moved(&a, p), huge));
        let (a, b) = (on_a_grid(&mut random), on_a_grid(&mut random));
        all.push(("grid", a.clone(), b.clone()));
        all.push(("grid far off", moved(&a, far), moved(&b, far)));
        // The second polygon is the first one, turned by a small angle, so that edges nearly coincide.
        let (sin, cos) = 10f64.powi(-(k % 17)).sin_cos();
        let turned = b.iter().map(|v| [cos * v[0] - sin * v[1], sin * v[0] + cos * v[1]]).collect();
        all.push(("nearly equal", b, turned));
    }
    let lens = lens(20);
    all.push(("many vertices", lens.clone(), moved(&lens, [3.0, 100.5])));
    all.retain(|(_, a, b)| [a, b].iter().all(|ring| ConvexPolygon::new(ring).is_ok()));
    all
}

/// Returns the set of the first polygons, the set of the second polygons, and the index pairs `(k, k)`.
fn sets(pairs: &[Pair]) -> (PolygonSet, PolygonSet, Vec<[u32; 2]>) {
    let set = |ring: fn(&Pair) -> &Ring| {
        PolygonSet::from_convex_rings(&pairs.iter().map(ring).collect::<Vec<_>>()).unwrap()
    };
    (set(|pair| &pair.1), set(|pair| &pair.2), (0..pairs.len() as u32).map(|k| [k, k]).collect())
}

#[test]
fn areas_of_convex_pairs_are_within_the_bound_and_above_0_where_the_two_overlap() {
    let all = pairs();
    let (a, b, pairs) = sets(&all);
    let areas = CPU.piece_pairs(&a, &b, &pairs).query(IntersectionArea::default()).unwrap().items;
    let relations = CPU.piece_pairs(&a, &b, &pairs).query(Relations).unwrap().items;
    let (boxes_a, boxes_b) = (a.piece_aabbs(), b.piece_aabbs());
    let overlaps = CPU.piece_pairs(&a, &b, &pairs).query(Iou::default()).unwrap().items;
    let mut worst = 0.0f64;
    let mut overlapping = 0;
    for (k, (kind, ring_a, ring_b)) in all.iter().enumerate() {
        let area = areas[k];
        assert_eq!(
            area > 0.0,
            relations[k] == Relation::Overlapping,
            "{kind} {ring_a:?} {ring_b:?}: {area:e}"
        );
        assert!(area == 0.0 || area >= f64::MIN_POSITIVE && area.is_finite());
        let [of_a, of_b] = [ring_a, ring_b].map(|ring| region(&[vec![ring.clone()]], AT_REST));
        let boxes = [box_area(boxes_a[k]), box_area(boxes_b[k])];
        let [error, of_iou] = errors(area, &overlaps[k], &of_a, &of_b, boxes);
        assert!(error <= 1.0, "{kind} {ring_a:?} {ring_b:?}: {area:e} is off by {error} bounds");
        worst = worst.max(error);
        let error = of_iou;
        assert!(error <= 1.0, "{kind} {ring_a:?} {ring_b:?}: {:?} is off by {error} bounds", overlaps[k]);
        overlapping += usize::from(area > 0.0);
    }
    assert!(overlapping > all.len() / 3, "{overlapping} of {}", all.len());
    println!("{} pairs, {overlapping} overlapping, worst error {worst} of the bound", all.len());
}

#[test]
fn digits_do_not_depend_on_the_backend_or_the_order_of_the_two() {
    let all = pairs();
    let (a, b, pairs) = sets(&all);
    let query = (IntersectionArea::default(), Iou::default());
    let expected = CPU.piece_pairs(&a, &b, &pairs).query(query).unwrap();
    for (name, engine) in engines() {
        let (areas, overlaps) = engine.piece_pairs(&a, &b, &pairs).query(query).unwrap();
        assert_eq!(
            (areas.items, overlaps.items),
            (expected.0.items.clone(), expected.1.items.clone()),
            "{name}"
        );
        let (areas, overlaps) = engine.piece_pairs(&b, &a, &pairs).query(query).unwrap();
        assert_eq!(areas.items, expected.0.items, "{name}");
        let swapped = |o: &Overlap| Overlap { area_a: o.area_b, area_b: o.area_a, ..*o };
        assert_eq!(overlaps.items.iter().map(swapped).collect::<Vec<_>>(), expected.1.items, "{name}");
        let mut prepared = engine.prepare(&a, &b).unwrap();
        let areas = prepared.piece_pairs(&pairs).query(IntersectionArea::default()).unwrap();
        assert_eq!(areas.items, expected.0.items, "{name}");
    }
}

#[test]
fn intersection_over_union_is_1_for_equal_regions_alone_and_never_beyond() {
    let all = pairs();
    let (a, b, pairs) = sets(&all);
    let found = CPU.piece_pairs(&a, &b, &pairs).query(Iou::default()).unwrap().items;
    for ((kind, ring_a, ring_b), Overlap { area, iou, area_a, area_b }) in all.iter().zip(found) {
        let context = format!("{kind} {ring_a:?} {ring_b:?}");
        assert!((0.0..=1.0).contains(&iou), "{context}");
        assert_eq!(iou > 0.0, area > 0.0, "{context}");
        assert!(area <= area_a && area <= area_b, "{context}");
        let corners = |ring: &Ring| {
            let polygon = ConvexPolygon::new(ring).unwrap();
            let mut corners: Vec<[f64; 2]> = polygon.vertices().iter().map(|v| v.to_array()).collect();
            corners.sort_by(|p, q| p.partial_cmp(q).unwrap());
            corners
        };
        assert_eq!(iou == 1.0, corners(ring_a) == corners(ring_b), "{context}");
    }
    let of_itself = CPU.piece_pairs(&a, &a, &pairs).query(Iou::default()).unwrap().items;
    assert!(of_itself.iter().all(|o| o.iou == 1.0 && o.area == o.area_a && o.area_a == o.area_b));
    // This ring is the same polygon with another first vertex, and in the other direction.
    let other =
        |(_, ring, _): &Pair| ring.iter().rev().cycle().skip(1).take(ring.len()).copied().collect::<Ring>();
    let other = PolygonSet::from_convex_rings(&all.iter().map(other).collect::<Vec<_>>()).unwrap();
    let found = CPU.piece_pairs(&a, &other, &pairs).query(Iou::default()).unwrap().items;
    assert!(found.iter().all(|o| o.iou == 1.0), "{:?}", found.iter().position(|o| o.iou != 1.0));
}

#[test]
fn posed_pairs_are_within_the_bound_of_the_real_image() {
    let mut random = Random(7);
    let shapes: Vec<Ring> = (0..12)
        .map(|k| match k % 3 {
            0 => on_a_grid(&mut random),
            1 => round(&mut random, 3 + k % 5, 1.0, [0.0; 2]),
            _ => scaled(&round(&mut random, 5, 1.0, [0.0; 2]), [1.0, 10f64.powi(-(k as i32))]),
        })
        .collect();
    let mut instances = Vec::new();
    let mut numbers = Vec::new();
    for k in 0..in_soak(600, 80) {
        let place = if k % 4 == 3 { 1e7 } else { 0.0 };
        let (sin, cos) = random.around(3.0).sin_cos();
        let [cos, sin] = [[cos, sin], [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]][k % 4];
        let number = [cos, sin, place + random.around(1.0), place + random.around(1.0)];
        instances.push((k % 12, Pose::from_cos_sin(cos, sin, [number[2], number[3]]).unwrap()));
        numbers.push(number);
    }
    let objects: Vec<PolygonObject> =
        shapes.iter().map(|ring| ConvexPolygon::new(ring).unwrap().into()).collect();
    let set = PolygonSet::from_instances(&objects, &instances).unwrap();
    let count = instances.len() as u32;
    let pairs: Vec<[u32; 2]> =
        (0..count).flat_map(|i| [4, 1, 8, 12].map(|step| [i, (i + step) % count])).collect();
    let found =
        CPU.piece_pairs(&set, &set, &pairs).query((IntersectionArea::default(), Iou::default())).unwrap();
    let relations = CPU.piece_pairs(&set, &set, &pairs).query(Relations).unwrap().items;
    let mut overlapping = 0;
    for (k, &[i, j]) in pairs.iter().enumerate() {
        let image = |i: u32| {
            let i = i as usize;
            let ring = shapes[instances[i].0].clone();
            (region(&[vec![ring.clone()]], numbers[i]), ring)
        };
        let ((of_a, ring_a), (of_b, ring_b)) = (image(i), image(j));
        // The box of a posed piece far away is rounded outward, so the test computes the box itself.
        let box_of = |ring: &Ring, [cos, sin, ..]: [f64; 4]| {
            let turned: Vec<[f64; 2]> =
                ring.iter().map(|v| [cos * v[0] - sin * v[1], sin * v[0] + cos * v[1]]).collect();
            let side = |axis: usize| {
                let values = || turned.iter().map(|v| v[axis]);
                values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
            };
            side(0) * side(1)
        };
        let boxes = [box_of(&ring_a, numbers[i as usize]), box_of(&ring_b, numbers[j as usize])];
        let errors = errors(found.0.items[k], &found.1.items[k], &of_a, &of_b, boxes);
        assert!(errors.iter().all(|&error| error <= 1.0), "{i} {j}: off by {errors:?} bounds");
        assert_eq!(found.0.items[k] > 0.0, relations[k] == Relation::Overlapping);
        overlapping += usize::from(found.0.items[k] > 0.0);
    }
    assert!(overlapping > pairs.len() / 10, "{overlapping}");
}
