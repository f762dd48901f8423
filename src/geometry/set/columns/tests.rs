//! Tests that a set from columns equals the set of objects that are built from the same rings.
#![allow(clippy::unwrap_used, reason = "a failed test panics")]

use super::*;
use crate::geometry::{Coordinates, Offsets, PolygonColumns};

type Ring = Vec<[f64; 2]>;
/// Polygons, each of which is a list of rings.
type Rings = Vec<Vec<Ring>>;

/// A generator of test inputs (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }
}

/// Returns the ring of a convex polygon. The ring may be clockwise, may repeat its first vertex at the end, and may
/// have a repeated or a collinear vertex.
fn convex(random: &mut Random, radius: f64) -> Ring {
    let count = 3 + random.below(9);
    let center = [random.below(50) as f64, random.below(50) as f64];
    let short = |value: f64| (value * 1_048_576.0).round() / 1_048_576.0;
    let mut ring: Ring = (0..count)
        .map(|k| {
            let angle = k as f64 / count as f64 * std::f64::consts::TAU;
            [center[0] + short(radius * angle.cos()), center[1] + short(radius * angle.sin())]
        })
        .collect();
    if random.below(4) == 0 {
        ring.insert(1, ring[0]);
    }
    if random.below(4) == 0 {
        ring.reverse();
    }
    if random.below(2) == 0 {
        ring.push(ring[0]);
    }
    ring
}

fn comb(random: &mut Random) -> Ring {
    let teeth = 1 + random.below(5);
    let right = (3 * teeth) as f64;
    let mut ring = vec![[0.0, -1.0], [right, -1.0], [right, 0.0]];
    for tooth in (0..teeth).rev() {
        let x = (3 * tooth) as f64;
        ring.extend([[x + 2.0, 0.0], [x + 2.0, 3.0], [x + 1.0, 3.0], [x + 1.0, 0.0]]);
    }
    ring.push([0.0, 0.0]);
    ring
}

fn object_of(random: &mut Random) -> Rings {
    match random.below(12) {
        0 => vec![vec![comb(random)]],
        // An object that is a square with a hole.
        1 => vec![vec![
            vec![[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 9.0], [0.0, 0.0]],
            vec![[3.0, 3.0], [3.0, 6.0], [6.0, 6.0], [6.0, 3.0]],
        ]],
        2 => vec![vec![convex(random, 1.0)], vec![convex(random, 2.0)], vec![comb(random)]],
        3 => Vec::new(),
        4 => vec![vec![Vec::new()]],
        // An empty polygon beside another one.
        5 => vec![vec![], vec![convex(random, 4.0)]],
        _ => vec![vec![convex(random, 5.0)]],
    }
}

/// Columns of objects for tests. Each column is a slice of a longer column, so its first offset need not be 0.
#[derive(Default)]
struct Columns {
    xy: Ring,
    x: Vec<f64>,
    y: Vec<f64>,
    rings: Vec<i64>,
    polygons: Vec<i64>,
    objects: Vec<i64>,
    short: [Vec<i32>; 3],
}

impl Columns {
    fn of(objects: &[Rings]) -> Self {
        let mut columns = Self { xy: vec![[f64::NAN; 2]; 3], ..Self::default() };
        let (mut ring_count, mut polygon_count) = (2, 5);
        columns.rings.extend([3, 3, 3]);
        columns.polygons = vec![2; 6];
        columns.objects.push(polygon_count);
        for object in objects {
            for polygon in object {
                for ring in polygon {
                    columns.xy.extend(ring);
                    columns.rings.push(columns.xy.len() as i64);
                    ring_count += 1;
                }
                columns.polygons.push(ring_count);
                polygon_count += 1;
            }
            columns.objects.push(polygon_count);
        }
        columns.x = columns.xy.iter().map(|p| p[0]).collect();
        columns.y = columns.xy.iter().map(|p| p[1]).collect();
        let short = |offsets: &[i64]| offsets.iter().map(|&offset| offset as i32).collect();
        columns.short = [&columns.rings, &columns.polygons, &columns.objects].map(|offsets| short(offsets));
        columns
    }

    /// Returns the same columns in four forms: with both types of offsets, and with both layouts of coordinates.
    fn forms(&self) -> [PolygonColumns<'_>; 4] {
        let long: [Offsets<'_>; 3] =
            [&self.rings, &self.polygons, &self.objects].map(|offsets| Offsets::I64(offsets));
        let short = self.short.each_ref().map(|offsets| Offsets::I32(offsets));
        let (both, apart) =
            (Coordinates::Interleaved(&self.xy), Coordinates::Separate { x: &self.x, y: &self.y });
        [(both, long), (both, short), (apart, long), (apart, short)].map(
            |(coordinates, [rings, polygons, objects])| {
                PolygonColumns::new(coordinates, rings).polygons(polygons).objects(objects)
            },
        )
    }
}

fn by_objects(objects: &[Rings]) -> (PolygonSet, Cleanup) {
    let mut cleanup = Cleanup::default();
    let objects: Vec<PolygonObject> = objects
        .iter()
        .map(|polygons| {
            let kept: Vec<&Vec<Ring>> =
                polygons.iter().filter(|rings| rings.iter().any(|ring| !ring.is_empty())).collect();
            if kept.is_empty() {
                PolygonObject::empty()
            } else {
                PolygonObject::from_multi_polygon(&kept).unwrap()
            }
        })
        .inspect(|object| cleanup += object.cleanup())
        .collect();
    (PolygonSet::from_objects(&objects).unwrap(), cleanup)
}

#[track_caller]
fn assert_same(found: &PolygonSet, expected: &PolygonSet) {
    assert_eq!(found.vertices, expected.vertices);
    assert_eq!(found.shape_offsets, expected.shape_offsets);
    assert_eq!(found.shape_boxes, expected.shape_boxes);
    assert_eq!(found.piece_objects, expected.piece_objects);
    assert_eq!(found.internal_edges, expected.internal_edges);
    assert_eq!(found.object_count, expected.object_count);
    assert!(found.is_static() && expected.is_static());
}

#[test]
fn columns_give_the_set_that_their_objects_give() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for count in [0, 1, 2, 7, RUN_SHAPES, 2 * RUN_SHAPES + 300] {
        let objects: Vec<Rings> = (0..count).map(|_| object_of(&mut random)).collect();
        let (expected, cleanup) = by_objects(&objects);
        let columns = Columns::of(&objects);
        for form in columns.forms() {
            assert_same(&PolygonSet::from_columns(&form).unwrap(), &expected);
            let built = PolygonSet::from_valid_columns(&form).unwrap();
            assert_same(&built.set, &expected);
            assert_eq!((built.invalid.len(), built.cleanup), (0, cleanup));
        }
        // The same objects in chunks of different sizes. One chunk is empty.
        let cuts = [0, count / 7, count / 7, count / 2, count];
        let parts: Vec<Columns> = cuts.windows(2).map(|c| Columns::of(&objects[c[0]..c[1]])).collect();
        let chunks: Vec<_> = parts.iter().enumerate().map(|(k, part)| part.forms()[k]).collect();
        let built = PolygonSet::from_valid_chunks(&chunks).unwrap();
        assert_same(&built.set, &expected);
        assert_eq!((built.invalid.len(), built.cleanup), (0, cleanup));
    }
}

#[test]
fn columns_of_convex_rings_have_one_piece_for_each_object() {
    let mut random = Random(3);
    let rings: Vec<Ring> = (0..3000).map(|_| convex(&mut random, 3.0)).collect();
    let mut offsets = vec![0];
    let mut xy = Vec::new();
    for ring in &rings {
        xy.extend(ring);
        offsets.push(xy.len() as i32);
    }
    let columns = PolygonColumns::new(Coordinates::Interleaved(&xy), offsets.as_slice());
    let set = PolygonSet::from_columns(&columns).unwrap();
    assert_same(&set, &PolygonSet::from_convex_rings(&rings).unwrap());
    // Adds offsets that make each ring a separate polygon.
    let each: Vec<i32> = (0..=3000).collect();
    assert_same(&PolygonSet::from_columns(&columns.polygons(each.as_slice())).unwrap(), &set);
}

#[test]
fn an_invalid_object_is_named_or_listed() {
    let square = |x: f64| vec![vec![[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]]];
    let bow = vec![vec![[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]];
    let flat = vec![vec![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]];
    let objects =
        vec![vec![square(0.0)], vec![vec![], square(1.0), bow], vec![square(2.0)], vec![flat.clone()]];
    let columns = Columns::of(&objects);
    for form in columns.forms() {
        let error = PolygonSet::from_columns(&form).unwrap_err();
        let Error::Object { object: 1, source } = &error else { panic!("{error}") };
        assert!(matches!(**source, Error::CrossingSegments { polygon: 2, .. }), "{error}");
        let built = PolygonSet::from_valid_columns(&form).unwrap();
        assert_eq!(built.invalid.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [1, 3]);
        assert_eq!((built.set.object_count(), built.set.piece_count()), (4, 2));
        assert_eq!(built.set.piece_object(1), 2);
        let built = PolygonSet::from_valid_chunks(&[form, form]).unwrap();
        assert_eq!(built.invalid.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [1, 3, 5, 7]);
        let Error::Object { object: 5, .. } = &built.invalid[2].1 else { panic!("{:?}", built.invalid) };
    }
    // Every object has one polygon.
    let rings = [0, 4, 7];
    let xy: Ring = square(0.0)[0].iter().chain(&flat[0]).copied().collect();
    let columns = PolygonColumns::new(Coordinates::Interleaved(&xy), rings.as_slice());
    let error = PolygonSet::from_columns(&columns).unwrap_err();
    assert!(matches!(error, Error::ZeroArea { polygon: 1, .. }), "{error}");
}

#[test]
fn offsets_that_do_not_fit_are_refused() {
    let xy = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    let both = Coordinates::Interleaved(&xy);
    let refused = |columns: PolygonColumns<'_>| match PolygonSet::from_columns(&columns).unwrap_err() {
        Error::Column { column, index, value, .. } => (column, index, value),
        error => panic!("{error}"),
    };
    let of_rings = |rings: &[i64]| refused(PolygonColumns::new(both, rings));
    assert_eq!(of_rings(&[]), ("rings", 0, 0));
    assert_eq!(of_rings(&[-1, 3]), ("rings", 0, -1));
    assert_eq!(of_rings(&[0, 4]), ("rings", 1, 4));
    assert_eq!(of_rings(&[0, i64::MAX]), ("rings", 1, i64::MAX));
    assert_eq!(of_rings(&[0, 3, 2]), ("rings", 2, 2));
    let rings = [0, 3];
    let with_polygons =
        |polygons: &[i32]| refused(PolygonColumns::new(both, rings.as_slice()).polygons(polygons));
    assert_eq!(with_polygons(&[0, 2]), ("polygons", 1, 2));
    let one = [0, 1];
    let columns = PolygonColumns::new(both, rings.as_slice()).polygons(one.as_slice());
    assert_eq!(refused(columns.objects([0, 1, 2].as_slice())), ("objects", 2, 2));
    let uneven = Coordinates::Separate { x: &[0.0, 1.0, 0.0], y: &[0.0, 0.0] };
    assert_eq!(refused(PolygonColumns::new(uneven, rings.as_slice())), ("y", 2, 2));
}
