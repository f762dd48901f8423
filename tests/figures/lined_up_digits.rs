//! Tests that the measurements of a pair are the same to the last bit: on both backends, alone or in a batch, next to
//! any other pairs, and for any number of threads.

use sat2d::glam::DVec2;
use sat2d::{
    Closest, Distance, Distances, Engine, Manifold, Manifolds, MeasuredPair, Penetration, Penetrations,
    PolygonSet,
};

use super::lined_up::{Tally, count_of_pairs, for_each_block, one_to_one, sets};
use super::lined_up_scenes::{Drawn, KINDS, draw};
use super::{Ring, engines, set};

/// The bits of all values of a measurement.
trait Bits {
    fn bits(&self) -> String;
}

fn point_bits(point: DVec2) -> String {
    format!("{:x} {:x}", point.x.to_bits(), point.y.to_bits())
}

impl Bits for Distance {
    fn bits(&self) -> String {
        let closest = self.closest.map(|Closest { point_a, point_b, features }| {
            format!("{} {} {features:?}", point_bits(point_a), point_bits(point_b))
        });
        format!("{:x} {:x} {closest:?}", self.distance.to_bits(), self.separation.to_bits())
    }
}

impl Bits for Penetration {
    fn bits(&self) -> String {
        format!("{} {:x} {:?}", point_bits(self.normal), self.separation.to_bits(), self.edge)
    }
}

impl Bits for Manifold {
    fn bits(&self) -> String {
        let mut all = format!("{} {:x} {:?}", point_bits(self.normal), self.separation.to_bits(), self.edge);
        for contact in self.points() {
            let (position, separation) = (point_bits(contact.position), contact.separation.to_bits());
            all += &format!("; {position} {separation:x} {:?}", contact.features);
        }
        all
    }
}

/// The bits of the measurement of each pair, as text.
type Measured = Vec<String>;
type OfPairs = fn(&Engine, [&PolygonSet; 2], &[[u32; 2]], f64) -> Measured;
type OfPieces = fn([&PolygonSet; 2], usize, f64) -> String;

const MEASUREMENTS: [(&str, OfPairs, OfPieces); 3] = [
    (
        "distance",
        |engine, [a, b], pairs, _| all_bits(&engine.piece_pairs(a, b, pairs).query(Distances).unwrap().items),
        |[a, b], k, _| Distance::of_pieces(a, k, b, k).unwrap().bits(),
    ),
    (
        "penetration",
        |engine, [a, b], pairs, _| {
            all_bits(&engine.piece_pairs(a, b, pairs).query(Penetrations).unwrap().items)
        },
        |[a, b], k, _| Penetration::of_pieces(a, k, b, k).unwrap().bits(),
    ),
    (
        "manifold",
        |engine, [a, b], pairs, margin| {
            all_bits(&engine.piece_pairs(a, b, pairs).query(Manifolds { margin }).unwrap().items)
        },
        |[a, b], k, margin| Manifold::of_pieces(a, k, b, k, margin).unwrap().bits(),
    ),
];

fn all_bits<T: Bits>(figures: &[T]) -> Measured {
    figures.iter().map(Bits::bits).collect()
}

/// Returns two polygons with 300 vertices, one of which is huge. Neither may change the results of other pairs.
fn outliers() -> Drawn {
    let round = |radius: f64| -> Ring {
        let turn = |k: i32| f64::from(k) * std::f64::consts::TAU / 300.0;
        (0..300).map(|k| [radius * turn(k).cos(), radius * turn(k).sin()]).collect()
    };
    Drawn { a: round(1e9), b: round(3.0), poses: None }
}

#[test]
fn lined_up_pairs_measure_the_same_on_either_backend_and_beside_any_others() {
    let mut tally = Tally::default();
    for_each_block(count_of_pairs(1), |(kind, _), block, pairs| {
        let ordinary = sets(pairs);
        let with_outliers = sets(&[pairs, &[outliers()]].concat());
        let all = one_to_one(pairs.len());
        let margin = [0.0, 0.3][block as usize % 2];
        for (measurement, of_pairs, of_pieces) in MEASUREMENTS {
            let expected: Measured = all
                .iter()
                .map(|[k, _]| of_pieces([&ordinary[0], &ordinary[1]], *k as usize, margin))
                .collect();
            for (backend, engine) in engines() {
                let mut same = |name: &str, expected: &[String], found: &[String], from: usize| {
                    for (k, (one, other)) in expected.iter().zip(found).enumerate() {
                        let broken = (one != other).then(|| ("the same digits", format!("{one}, {other}")));
                        let name = format!("{measurement}, {backend}, {kind}, {name}");
                        tally.add(&name, broken.into_iter().collect(), || format!("{:?}", pairs[from + k]));
                    }
                };
                let found = of_pairs(engine, ordinary.each_ref(), &all, margin);
                same("batch", &expected, &found, 0);
                let found = of_pairs(engine, with_outliers.each_ref(), &all, margin);
                same("beside outliers", &expected, &found, 0);
                // On a device, only every 40th pair is measured alone, because each measurement takes a long time.
                let step = if backend == "gpu" { 40 } else { 1 };
                for k in (0..pairs.len()).step_by(step) {
                    let alone = sets(&pairs[k..=k]);
                    let found = of_pairs(engine, alone.each_ref(), &[[0, 0]], margin);
                    same("alone", &expected[k..=k], &found, k);
                }
            }
        }
    });
    tally.assert_none();
}

/// Measures thousands of pairs of all kinds at once, each of them several times, on one thread and on three. If
/// `SAT2D_PAIRS` is 20,000 or more, the batch is at least as large as a device's chunk of 2^17.
#[test]
fn lined_up_pairs_measure_the_same_in_large_batches() {
    let mut tally = Tally::default();
    for (name, kinds) in [("plain kinds", &KINDS[..8]), ("all kinds", &KINDS[..])] {
        let pairs: Vec<Drawn> = kinds.iter().flat_map(|&kind| draw(kind, 2_000_000, 40)).collect();
        let [a, b] = sets(&pairs);
        let all: Vec<[u32; 2]> = one_to_one(pairs.len()).repeat((count_of_pairs(1) / 40).clamp(9, 500));
        for (measurement, of_pairs, of_pieces) in MEASUREMENTS {
            let expected: Measured = (0..pairs.len()).map(|k| of_pieces([&a, &b], k, 0.2)).collect();
            for (backend, engine) in engines() {
                for threads in [1, 3] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let found = pool.install(|| of_pairs(engine, [&a, &b], &all, 0.2));
                    for ([k, _], found) in all.iter().zip(&found) {
                        let k = *k as usize;
                        let differs = *found != expected[k];
                        let broken =
                            differs.then(|| ("the same digits", format!("{}, {found}", expected[k])));
                        let name = format!("{measurement}, {backend}, {name}, {threads} threads");
                        tally.add(&name, broken.into_iter().collect(), || format!("{:?}", pairs[k]));
                    }
                }
            }
        }
    }
    tally.assert_none();
}

/// Compares a join of polygon sets with measurements of each pair alone.
fn expect_alone<T: Bits>(
    tally: &mut Tally,
    name: &str,
    rings: &[Ring],
    found: &[MeasuredPair<T>],
    alone: impl Fn(usize, usize) -> T,
) {
    assert!(!found.is_empty(), "{name}");
    for pair in found {
        let (a, b) = (pair.a as usize, pair.b as usize);
        let (expected, found) = (alone(a, b).bits(), pair.measurement.bits());
        let broken = (expected != found).then(|| ("the same digits", format!("{expected}, {found}")));
        tally.add(name, broken.into_iter().collect(), || format!("{:?} {:?}", rings[a], rings[b]));
    }
}

#[test]
fn lined_up_joins_measure_what_a_pair_alone_does() {
    let mut tally = Tally::default();
    for kind in &KINDS[..8] {
        let rings: Vec<Ring> = draw(*kind, 7, 30).into_iter().flat_map(|pair| [pair.a, pair.b]).collect();
        let set = set(&rings);
        for (backend, engine) in engines() {
            let name = |measurement: &str| format!("{measurement}, {backend}, {}", kind.0);
            let found = engine.self_join(&set).within(10.0).query(Distances).unwrap().items;
            expect_alone(&mut tally, &name("distance"), &rings, &found, |a, b| {
                Distance::of_pieces(&set, a, &set, b).unwrap()
            });
            let found = engine.self_join(&set).query(Penetrations).unwrap().items;
            expect_alone(&mut tally, &name("penetration"), &rings, &found, |a, b| {
                Penetration::of_pieces(&set, a, &set, b).unwrap()
            });
            for margin in [0.0, 0.1, 2.0] {
                let found = engine.self_join(&set).query(Manifolds { margin }).unwrap().items;
                expect_alone(&mut tally, &name("manifold"), &rings, &found, |a, b| {
                    Manifold::of_pieces(&set, a, &set, b, margin).unwrap()
                });
            }
        }
    }
    tally.assert_none();
}

/// Tests a pair that touches, next to an outlier. The outlier makes the unit of the device's grid far larger than the
/// pair. The gap of the pair is exactly 0.
#[test]
fn a_pair_far_smaller_than_the_unit_of_the_grid_measures_the_same() {
    let a = vec![[-1000223.0, 416.0], [-1000061.0, -45.0], [-999791.0, 123.0], [-1000069.0, 358.0]];
    let b = vec![[-999992.0, -29.0], [-999972.0, -15.0], [-999971.0, 11.0]];
    for exponent in 0..60 {
        let far = 2f64.powi(20 + 2 * exponent);
        let outlier = vec![[far, 0.0], [1.5 * far, 0.0], [far, 0.5 * far]];
        let [a, b] = [&a, &b].map(|ring| set(&[ring.clone(), outlier.clone()]));
        for (measurement, of_pairs, of_pieces) in MEASUREMENTS {
            let expected = of_pieces([&a, &b], 0, 0.0);
            for (backend, engine) in engines() {
                let found = of_pairs(engine, [&a, &b], &[[0, 0]], 0.0);
                assert_eq!(found.len(), 1);
                assert_eq!(found[0], expected, "{measurement}, {backend}, 2^{}", 20 + 2 * exponent);
            }
        }
    }
}
