//! Measurements of polygons that line up, on both backends, against an oracle in rationals.
//!
//! `SAT2D_PAIRS=100000 cargo test --release --test figures lined_up` draws so many pairs of each kind, rather than
//! [`PAIRS_OF_A_KIND`]. What does not hold is counted by kind and by promise; the first of each is shown.

use std::collections::BTreeMap;

use sat2d::glam::DVec2;
use sat2d::{
    Closest, ConvexPolygon, Distance, Engine, MAX_COORDINATE, Manifold, Penetration, PolygonObject,
    PolygonSet, Pose, Relation,
};

use super::lined_up_checks::{self as checks, Broken, Truth};
use super::lined_up_scenes::{Drawn, KINDS, Kind, draw};
use super::{Ring, engines, set};

const PAIRS_OF_A_KIND: usize = 300;

/// Pairs that are drawn and measured at once: few where all of a block are scaled or moved alike, so that measurements of them
/// need not be refined because of the others.
const BLOCK: usize = 50;

/// How many pairs of each kind: what `SAT2D_PAIRS` says, or a part of what is usual.
pub(crate) fn count_of_pairs(part: usize) -> usize {
    let given = std::env::var("SAT2D_PAIRS").ok().map(|count| count.parse().expect("a number of pairs"));
    (given.unwrap_or(PAIRS_OF_A_KIND) / part).max(1)
}

/// Goes through as many pairs of each kind, block by block.
pub(crate) fn for_each_block(count: usize, mut block: impl FnMut(Kind, u64, &[Drawn])) {
    for kind in KINDS {
        for (number, start) in (0..count).step_by(BLOCK).enumerate() {
            block(kind, number as u64, &draw(kind, number as u64, BLOCK.min(count - start)));
        }
    }
}

/// What did not hold: how often, and the first one of each name.
#[derive(Default)]
pub(crate) struct Tally {
    looked_at: BTreeMap<String, u64>,
    broken: BTreeMap<String, (u64, String)>,
}

impl Tally {
    /// Counts one that was looked at, and what of it does not hold.
    pub(crate) fn add(&mut self, name: &str, broken: Vec<Broken>, seen: impl Fn() -> String) {
        *self.looked_at.entry(name.to_owned()).or_default() += 1;
        for (promise, found) in broken {
            let entry = self.broken.entry(format!("{name}: {promise}"));
            entry.or_insert_with(|| (0, format!("{found}; {}", seen()))).0 += 1;
        }
    }

    /// Fails where something does not hold.
    pub(crate) fn assert_none(&self) {
        let first =
            |(name, (count, seen)): (&String, &(u64, String))| format!("{count} times {name}\n    {seen}");
        let broken: Vec<String> = self.broken.iter().map(first).collect();
        assert!(broken.is_empty(), "of {:#?}:\n{}", self.looked_at, broken.join("\n"));
    }
}

/// The polygons of pairs, all first ones and all second ones.
pub(crate) fn sets(pairs: &[Drawn]) -> [PolygonSet; 2] {
    let rings = [0, 1].map(|side| -> Vec<Ring> {
        pairs.iter().map(|pair| if side == 0 { pair.a.clone() } else { pair.b.clone() }).collect()
    });
    if pairs.iter().all(|pair| pair.poses.is_none()) {
        return rings.map(|rings| set(&rings));
    }
    [0, 1].map(|side| {
        let shape = |ring: &Ring| PolygonObject::from(ConvexPolygon::new(ring).unwrap());
        let shapes: Vec<PolygonObject> = rings[side].iter().map(shape).collect();
        let pose = |pair: &Drawn| {
            let [cos, sin, x, y] = pair.poses.map_or([1.0, 0.0, 0.0, 0.0], |poses| poses[side]);
            Pose::from_cos_sin(cos, sin, [x, y]).unwrap()
        };
        let instances: Vec<(usize, Pose)> = pairs.iter().map(pose).enumerate().collect();
        PolygonSet::from_instances(&shapes, &instances).unwrap()
    })
}

/// Every first polygon with its second one.
fn one_to_one(count: usize) -> Vec<[u32; 2]> {
    (0..count as u32).map(|k| [k, k]).collect()
}

#[test]
fn lined_up_relations_are_exact() {
    let mut tally = Tally::default();
    for_each_block(count_of_pairs(1), |(kind, _), _, pairs| {
        let truths: Vec<Truth> = pairs.iter().map(Truth::of).collect();
        let [a, b] = sets(pairs);
        for (backend, engine) in engines() {
            let found = engine.relations(&a, &b, &one_to_one(pairs.len())).unwrap().relations;
            for ((pair, truth), relation) in pairs.iter().zip(&truths).zip(found) {
                let broken =
                    (relation != truth.exact.relation).then(|| ("relation", format!("{relation:?}")));
                tally
                    .add(&format!("{backend}, {kind}"), broken.into_iter().collect(), || format!("{pair:?}"));
            }
        }
    });
    tally.assert_none();
}

/// What a measurement of all pairs gives by either backend, and one pair at a time.
fn of_all_sources<T>(
    pairs: &[[u32; 2]],
    batch: impl Fn(&Engine) -> Vec<T>,
    one: impl Fn(usize) -> T,
) -> Vec<(&'static str, Vec<T>)> {
    let backends = engines().map(|(backend, engine)| (backend, batch(engine)));
    let alone = pairs.iter().map(|[k, _]| one(*k as usize)).collect();
    backends.into_iter().chain([("pieces", alone)]).collect()
}

#[test]
fn lined_up_distances_are_right() {
    let mut tally = Tally::default();
    for_each_block(count_of_pairs(1), |(kind, _), _, pairs| {
        let truths: Vec<Truth> = pairs.iter().map(Truth::of).collect();
        let [a, b] = sets(pairs);
        let all = one_to_one(pairs.len());
        let batch = |engine: &Engine| engine.distances(&a, &b, &all).unwrap().figures;
        for (source, found) in of_all_sources(&all, batch, |k| Distance::of_pieces(&a, k, &b, k).unwrap()) {
            for ((pair, truth), found) in pairs.iter().zip(&truths).zip(&found) {
                let broken = checks::distance(found, truth);
                tally.add(&format!("{source}, {kind}"), broken, || format!("{found:?} {pair:?}"));
            }
        }
    });
    tally.assert_none();
}

#[test]
fn lined_up_penetrations_are_right() {
    let mut tally = Tally::default();
    for_each_block(count_of_pairs(1), |(kind, _), _, pairs| {
        let truths: Vec<Truth> = pairs.iter().map(Truth::of).collect();
        let [a, b] = sets(pairs);
        let all = one_to_one(pairs.len());
        let batch = |engine: &Engine| engine.penetrations(&a, &b, &all).unwrap().figures;
        for (source, found) in of_all_sources(&all, batch, |k| Penetration::of_pieces(&a, k, &b, k).unwrap())
        {
            for ((pair, truth), found) in pairs.iter().zip(&truths).zip(&found) {
                let broken = checks::penetration(found, truth);
                tally.add(&format!("{source}, {kind}"), broken, || format!("{found:?} {pair:?}"));
            }
        }
    });
    tally.assert_none();
}

/// One margin for all pairs of a call: none, and what is the distance of one of them, or next to it, or a part of its size.
fn margins(truths: &[Truth], block: u64) -> Vec<f64> {
    let apart = truths.iter().filter(|truth| truth.exact.relation == Relation::Disjoint);
    let mut distances: Vec<f64> = apart.map(|truth| truth.exact.to_f64(&truth.distance)).collect();
    distances.sort_by(f64::total_cmp);
    let mut margins = vec![0.0];
    for part in [0.15, 0.35, 0.5, 0.8] {
        let k = (distances.len() as f64 * part) as usize + block as usize;
        if let Some(&distance) = distances.get(k) {
            margins.extend([distance.next_down(), distance, distance.next_up(), 1.5 * distance]);
        }
    }
    margins.retain(|&margin| margin <= MAX_COORDINATE);
    margins
}

#[test]
fn lined_up_manifolds_are_right() {
    let mut tally = Tally::default();
    for_each_block(count_of_pairs(1), |(kind, _), block, pairs| {
        let truths: Vec<Truth> = pairs.iter().map(Truth::of).collect();
        let [a, b] = sets(pairs);
        let margins = margins(&truths, block % 7);
        // All of them without a margin; a part of them with each margin.
        for (number, &margin) in margins.iter().enumerate() {
            let of_margin = |k: &u32| number == 0 || (*k as usize + number).is_multiple_of(8);
            let some: Vec<[u32; 2]> = (0..pairs.len() as u32).filter(of_margin).map(|k| [k, k]).collect();
            let batch = |engine: &Engine| engine.manifolds(&a, &b, &some, margin).unwrap().figures;
            let one = |k| Manifold::of_pieces(&a, k, &b, k, margin).unwrap();
            for (source, found) in of_all_sources(&some, batch, one) {
                for ([k, _], found) in some.iter().zip(&found) {
                    let broken = checks::manifold(found, margin, &truths[*k as usize]);
                    let name = if number == 0 { "no margin" } else { "a margin" };
                    tally.add(&format!("{source}, {kind}, {name}"), broken, || {
                        format!("margin {margin:e}, {found:?} {:?}", pairs[*k as usize])
                    });
                }
            }
        }
    });
    tally.assert_none();
}

/// Everything that a figure says, bit by bit.
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

/// A measurement of pairs and of one pair alone, as bits.
type Measured = Vec<String>;
type OfPairs = fn(&Engine, [&PolygonSet; 2], &[[u32; 2]], f64) -> Measured;
type OfPieces = fn([&PolygonSet; 2], usize, f64) -> String;

const MEASUREMENTS: [(&str, OfPairs, OfPieces); 3] = [
    (
        "distance",
        |engine, [a, b], pairs, _| all_bits(&engine.distances(a, b, pairs).unwrap().figures),
        |[a, b], k, _| Distance::of_pieces(a, k, b, k).unwrap().bits(),
    ),
    (
        "penetration",
        |engine, [a, b], pairs, _| all_bits(&engine.penetrations(a, b, pairs).unwrap().figures),
        |[a, b], k, _| Penetration::of_pieces(a, k, b, k).unwrap().bits(),
    ),
    (
        "manifold",
        |engine, [a, b], pairs, margin| all_bits(&engine.manifolds(a, b, pairs, margin).unwrap().figures),
        |[a, b], k, margin| Manifold::of_pieces(a, k, b, k, margin).unwrap().bits(),
    ),
];

fn all_bits<T: Bits>(figures: &[T]) -> Measured {
    figures.iter().map(Bits::bits).collect()
}

/// A polygon of three hundred vertices, and one of enormous size: neither may change what is found of others.
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
                // A device takes a while for each.
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

#[test]
fn lined_up_kinds_hold_every_relation() {
    let mut seen: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for_each_block(PAIRS_OF_A_KIND, |(kind, _), _, pairs| {
        for pair in pairs {
            seen.entry(kind).or_default()[Truth::of(pair).exact.relation as usize] += 1;
        }
    });
    println!("of each relation: {seen:#?}");
    for (kind, counts) in seen {
        let touching =
            if matches!(kind, "random" | "integer triples" | "huge integer triples") { 0 } else { 1 };
        assert!(counts[Relation::Touching as usize] >= touching, "{kind}: {counts:?}");
    }
}
