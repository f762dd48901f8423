//! Areas of objects whose polygons overlap each other: each point of the union counts once.

use sat2d::{IntersectionArea, Iou, PolygonObject, PolygonSet, Pose, Relation, Relations};

use super::objects::{Polygons, at, set_of};
use super::{AT_REST, CPU, Random, Ring, box_area, engines, error_in_bounds, errors};
use crate::support::areas::area;
use crate::support::cases::rectangle;
use crate::support::covers::{Rational, region};

/// Returns objects of several polygons. The polygons have vertices on a decimal grid or anywhere. They overlap each other,
/// touch, contain each other, or are equal, and some of them have holes.
fn overlapping(random: &mut Random, count: u32) -> Vec<Polygons> {
    let polygon = |random: &mut Random, is_on_grid: bool| -> Vec<Ring> {
        let step = |random: &mut Random, most: u32| {
            if is_on_grid {
                f64::from(random.below(most)) / 10.0
            } else {
                random.unit() * f64::from(most) / 10.0
            }
        };
        let (x, y) = (step(random, 50), step(random, 50));
        match random.below(4) {
            0 => vec![at(&rectangle(0.0, 0.0, 0.4 + step(random, 20), 0.3 + step(random, 20)), x, y)],
            1 => vec![at(&rectangle(0.0, 0.0, 2.1, 1.7), x, y), at(&rectangle(0.3, 0.4, 1.5, 1.1), x, y)],
            2 => vec![at(&[[0.0, 0.0], [2.0, 0.0], [2.0, 0.7], [0.8, 0.7], [0.8, 2.2], [0.0, 2.2]], x, y)],
            _ => vec![at(&[[0.0, 0.0], [1.5 + step(random, 9), 0.2], [0.5, 1.1 + step(random, 9)]], x, y)],
        }
    };
    let object = |k: u32| {
        let mut polygons: Polygons = (0..1 + k % 5).map(|_| polygon(random, !k.is_multiple_of(3))).collect();
        if k % 7 == 3 {
            polygons.push(polygons[0].clone());
        }
        polygons
    };
    (0..count).map(object).collect()
}

#[test]
fn areas_of_unions_are_within_the_bound() {
    let mut random = Random(21);
    let objects = overlapping(&mut random, 30);
    let others = overlapping(&mut random, 12);
    let (set, other) = (set_of(&objects), set_of(&others));
    let boxes = [&set, &other].map(PolygonSet::object_aabbs);
    let queries = (IntersectionArea::default(), Iou::default());
    let of_both: Vec<_> =
        engines().map(|(_, engine)| engine.join(&set, &other).query(queries).unwrap()).into();
    assert_eq!(of_both[0].0.items, of_both[1].0.items, "both backends have the same digits");
    let (areas, overlaps) = &of_both[0];
    assert!(areas.len() > 150, "{} pairs are too few for this test", areas.len());
    // The areas are above 0 exactly where the relation is overlapping.
    let related = CPU.join(&set, &other).query(Relations).unwrap();
    assert_eq!(related.len(), areas.len());
    for (pair, related) in areas.iter().zip(&related) {
        assert_eq!([pair.a, pair.b], [related.a, related.b]);
        assert_eq!(pair.measurement > 0.0, related.relation == Relation::Overlapping, "{related:?}");
    }
    for (pair, overlap) in areas.iter().zip(overlaps) {
        let [i, j] = [pair.a, pair.b].map(|object| object as usize);
        let [a, b] = [region(&objects[i], AT_REST), region(&others[j], AT_REST)];
        let boxes = [box_area(boxes[0][i]), box_area(boxes[1][j])];
        let errors = errors(pair.measurement, &overlap.measurement, &a, &b, boxes);
        assert!(errors.iter().all(|&error| error <= 1.0), "{i} {j}: off by {errors:?} bounds");
        for (region, of_object) in [(&a, overlap.measurement.area_a), (&b, overlap.measurement.area_b)] {
            let error = Rational::from(of_object).in_units(-120) - area(region, -120);
            assert!(error.magnitude() >> 73u8 == 0u8.into(), "{i} {j}: {error}");
        }
    }
}

/// Moves objects by the same vector, without rounding.
fn moved(objects: &[Polygons], [x, y]: [f64; 2]) -> Vec<Polygons> {
    let ring = |ring: &Ring| at(ring, x, y);
    let polygon = |rings: &Vec<Ring>| rings.iter().map(ring).collect();
    objects.iter().map(|polygons| polygons.iter().map(polygon).collect()).collect()
}

#[test]
fn areas_of_unions_do_not_depend_on_the_distance_from_the_origin() {
    let mut random = Random(22);
    // The vertices are multiples of 2^-20, so that they can be moved without rounding.
    let snapped = |ring: &Ring| -> Ring {
        ring.iter().map(|v| v.map(|c| (c * f64::from(1 << 20)).round() / f64::from(1 << 20))).collect()
    };
    let near: Vec<Polygons> = overlapping(&mut random, 24)
        .iter()
        .map(|polygons| polygons.iter().map(|rings| rings.iter().map(snapped).collect()).collect())
        .collect();
    let far = moved(&near, [4_649_776.0, -500_000.0]);
    let [near, far] =
        [near, far].map(|objects| CPU.self_join(&set_of(&objects)).query(Iou::default()).unwrap().items);
    assert!(near.len() > 100, "{} pairs are too few for this test", near.len());
    for (near, far) in near.iter().zip(&far) {
        assert_eq!([near.a, near.b], [far.a, far.b]);
        let ([near, far], at) = ([near, far].map(|pair| pair.measurement), [near.a, near.b]);
        for (near, far) in [(near.area, far.area), (near.area_a, far.area_a), (near.iou, far.iou)] {
            assert!((near - far).abs() <= 1e-13 * near, "{at:?}: {near} {far}");
        }
    }
}

#[test]
fn posed_objects_have_the_areas_of_their_unions() {
    let mut random = Random(23);
    let shapes: Vec<PolygonObject> = overlapping(&mut random, 10)
        .iter()
        .map(|polygons| PolygonObject::from_multi_polygon(polygons).unwrap())
        .collect();
    let instances: Vec<(usize, Pose)> = (0..20)
        .map(|k| (k % 10, Pose::new(0.3 * k as f64, [random.unit() * 2.0, random.unit() * 2.0]).unwrap()))
        .collect();
    let posed = PolygonSet::from_instances(&shapes, &instances).unwrap();
    // An independent measurement of the areas: the sum of the areas that an object has in common with the cells of a grid.
    let cells: Vec<Ring> = (0..80 * 80)
        .map(|k| {
            let [x, y] = [k % 80, k / 80].map(|cell| f64::from(cell) * 0.3 - 12.013);
            rectangle(x, y, x + 0.3, y + 0.3)
        })
        .collect();
    let cells = PolygonSet::from_convex_rings(&cells).unwrap();
    let mut sums = vec![(0.0, 0.0); instances.len()];
    for pair in &CPU.join(&posed, &cells).query(Iou::default()).unwrap() {
        let (sum, whole) = &mut sums[pair.a as usize];
        *sum += pair.measurement.area;
        *whole = pair.measurement.area_a;
    }
    let unions = set_of(&overlapping(&mut Random(23), 10));
    let named: Vec<[u32; 2]> = (0..10).map(|k| [k, k]).collect();
    let of_shapes = CPU.object_pairs(&unions, &unions, &named).query(Iou::default()).unwrap().items;
    for (k, (sum, whole)) in sums.into_iter().enumerate() {
        let expected = of_shapes[k % 10].area_a;
        assert!((whole - expected).abs() <= 1e-12 * expected, "{k}: {whole} {expected}");
        assert!((sum - whole).abs() <= 1e-11 * whole, "{k}: {sum} of {whole}");
    }
}

#[test]
fn overlapping_polygons_that_cover_another_object_have_its_region() {
    let square = vec![vec![rectangle(0.0, 0.0, 3.0, 2.0)]];
    let strips = vec![vec![rectangle(0.0, 0.0, 2.0, 2.0)], vec![rectangle(1.0, 0.0, 3.0, 2.0)]];
    let twice = vec![vec![rectangle(0.0, 0.0, 3.0, 2.0)], vec![rectangle(0.0, 0.0, 3.0, 2.0)]];
    let nested = vec![vec![rectangle(0.0, 0.0, 3.0, 2.0)], vec![rectangle(0.5, 0.5, 1.0, 1.0)]];
    let beside = vec![vec![rectangle(3.0, 0.0, 4.0, 2.0)], vec![rectangle(3.5, 0.0, 5.0, 2.0)]];
    let set = set_of(&[square, strips, twice, nested, beside]);
    for (name, engine) in engines() {
        for pair in &engine.self_join(&set).query(Iou::default()).unwrap() {
            let found = pair.measurement;
            let areas = [found.area, found.iou, found.area_a, found.area_b];
            let expected = if pair.b == 4 { [0.0, 0.0, 6.0, 4.0] } else { [6.0, 1.0, 6.0, 6.0] };
            assert_eq!(areas, expected, "{name}: {} {}", pair.a, pair.b);
        }
        // Pairs that do not meet also have the areas of the unions. A pair may name the same object twice.
        let far = set_of(&[vec![vec![rectangle(9.0, 9.0, 10.0, 10.0)]]]);
        let found = engine.object_pairs(&set, &far, &[[1, 0], [2, 0]]).query(Iou::default()).unwrap();
        assert_eq!(found.items.iter().map(|found| found.area_a).collect::<Vec<_>>(), [6.0, 6.0], "{name}");
        let found = engine.object_pairs(&set, &set, &[[4, 4], [1, 1]]).query(IntersectionArea::default());
        assert_eq!(found.unwrap().items, [4.0, 6.0], "{name}");
    }
}

#[test]
fn thresholds_compare_the_areas_of_unions() {
    let double = vec![vec![rectangle(0.0, 0.0, 2.0, 2.0)], vec![rectangle(0.0, 0.0, 2.0, 2.0)]];
    let half = vec![vec![rectangle(0.0, 0.0, 1.0, 2.0)]];
    let (a, b) = (set_of(&[double]), set_of(&[half]));
    let count = |iou: Iou| CPU.join(&a, &b).query(iou).unwrap().len();
    assert_eq!(count(Iou { least: 0.5, ..Iou::default() }), 1);
    assert_eq!(count(Iou { least: 0.5f64.next_up(), ..Iou::default() }), 0);
    assert_eq!(count(Iou { least_area: 2.0, ..Iou::default() }), 1);
    assert_eq!(count(Iou { least_area: 2.0f64.next_up(), ..Iou::default() }), 0);
}

#[test]
fn an_object_of_many_polygons_is_measured_as_its_union() {
    // Two hundred squares in a row share only edges. The rectangle that is added later overlaps one of them.
    let mut row: Polygons =
        (0..200).map(|k| vec![rectangle(f64::from(k), 0.0, f64::from(k) + 1.0, 1.0)]).collect();
    let across = vec![vec![rectangle(0.0, 0.5, 200.0, 2.0)]];
    let area = |row: &Polygons| {
        CPU.self_join(&set_of(&[row.clone(), across.clone()])).query(Iou::default()).unwrap().items[0]
            .measurement
    };
    assert_eq!([area(&row).area, area(&row).area_a], [100.0, 200.0]);
    row.push(vec![rectangle(77.5, 0.5, 77.75, 1.75)]);
    assert_eq!([area(&row).area, area(&row).area_a], [100.1875, 200.1875]);
    // Two objects of many polygons: 150 columns across 150 rows, each of them as two overlapping rectangles.
    let crossed = |is_row: bool| -> Polygons {
        let bar = |k: u32| {
            let at = f64::from(k) * 2.0;
            let bar = |from: f64, to: f64| {
                if is_row { rectangle(from, at, to, at + 1.0) } else { rectangle(at, from, at + 1.0, to) }
            };
            [vec![bar(0.0, 200.5)], vec![bar(99.25, 300.0)]]
        };
        (0..150).flat_map(bar).collect()
    };
    let (rows, columns) = (set_of(&[crossed(true)]), set_of(&[crossed(false)]));
    let found = CPU.join(&rows, &columns).query(Iou::default()).unwrap().items[0].measurement;
    assert_eq!([found.area, found.area_a, found.area_b], [22_500.0, 45_000.0, 45_000.0]);
}

#[test]
fn thin_unions_of_one_region_have_an_intersection_over_union_of_1() {
    // Two ways to cover one thin triangle. Parts overlap each other, and their edges cross at points that are not f64 points.
    let (p, q, r) = ([0.1, 0.2], [1.3, 0.7], [1.3, 0.7000001]);
    let between = |from: [f64; 2], to: [f64; 2], part: f64| {
        [0, 1].map(|axis| from[axis] + part * (to[axis] - from[axis]))
    };
    let split = |part: f64, other: f64| -> Polygons {
        // The first triangle covers the region. The other two triangles overlap each other and cover the region again.
        let (middle, upper) = (between(q, r, part), between(q, r, other));
        vec![vec![vec![p, q, r]], vec![vec![p, q, middle]], vec![vec![p, upper, r]]]
    };
    // The points on the short side have the x coordinate of the side, so that every part is inside the triangle.
    let (a, b) = (set_of(&[split(0.5, 0.25)]), set_of(&[split(0.75, 0.125)]));
    for (name, engine) in engines() {
        let found = engine.join(&a, &b).query(Iou::default()).unwrap().items[0].measurement;
        assert_eq!(found.iou, 1.0, "{name}: {found:?}");
        let (x, y) = (engine.join(&b, &a).query(Iou::default()).unwrap().items[0].measurement, found);
        assert_eq!([x.area, x.area_a, x.area_b], [y.area, y.area_b, y.area_a], "{name}");
    }
}

#[test]
fn unions_are_precise_where_only_one_axis_is_far_from_0() {
    // Decimal coordinates on both sides of x = 0, far from y = 0.
    let polygons = |y: f64| -> Polygons {
        vec![
            vec![vec![[-0.0001, y], [0.0003, y + 0.0001], [0.0001, y + 0.0004]]],
            vec![vec![[-0.0002, y + 0.0001], [0.0002, y], [0.0002, y + 0.0003]]],
        ]
    };
    let (a, b) = (polygons(51.5), polygons(51.5001));
    let found = CPU
        .join(&set_of(std::slice::from_ref(&a)), &set_of(std::slice::from_ref(&b)))
        .query(Iou::default())
        .unwrap()
        .items[0]
        .measurement;
    let boxes = [&a, &b].map(|object| box_area(set_of(std::slice::from_ref(object)).object_aabbs()[0]));
    let [a, b] = [&a, &b].map(|object| region(object, AT_REST));
    let error = error_in_bounds(found.area, &a, &b, boxes);
    assert!(error <= 1.0, "off by {error} bounds");
    for (region, of_object) in [(&a, found.area_a), (&b, found.area_b)] {
        let error = Rational::from(of_object).in_units(-150) - area(region, -150);
        assert!(error.magnitude() >> 80u8 == 0u8.into(), "{error}");
    }
}
