//! Measurements of polygons that line up, on both backends, compared with an oracle in rational numbers.
//!
//! `SAT2D_PAIRS` sets the number of pairs of each kind instead of [`PAIRS_OF_A_KIND`]. `scripts/soak` sets it to
//! 100,000. A test counts the broken promises of each kind, and reports the first of each kind.

use std::collections::BTreeMap;

use sat2d::{
    ConvexPolygon, Distance, Distances, Engine, MAX_COORDINATE, Manifold, Manifolds, Penetration,
    Penetrations, PolygonObject, PolygonSet, Pose, Relation, Relations,
};

use super::lined_up_checks::{self as checks, Broken, Truth};
use super::lined_up_scenes::{Drawn, KINDS, Kind, draw};
use super::{Ring, engines, set};
use crate::support::in_soak;

const PAIRS_OF_A_KIND: usize = 400;

/// Returns the number of pairs in a block: pairs of one kind that are drawn and measured together. If a kind scales or
/// moves its pairs, it treats all pairs of a block alike.
fn pairs_of_a_block(count: usize) -> usize {
    (count / 8).clamp(25, 500)
}

/// Returns the number of pairs of each kind: the value of `SAT2D_PAIRS`, or [`PAIRS_OF_A_KIND`] without it. The number is
/// divided by `part`, and is at least 1.
pub(crate) fn count_of_pairs(part: usize) -> usize {
    let given = std::env::var("SAT2D_PAIRS").ok().map(|count| count.parse().expect("a number of pairs"));
    (given.unwrap_or(PAIRS_OF_A_KIND) / part).max(1)
}

/// Calls `block` with blocks of pairs, until each kind has `count` pairs. The arguments of `block` are the kind, the index of
/// the block, and the pairs.
pub(crate) fn for_each_block(count: usize, mut block: impl FnMut(Kind, u64, &[Drawn])) {
    let most = pairs_of_a_block(count);
    for kind in KINDS {
        for (number, start) in (0..count).step_by(most).enumerate() {
            block(kind, number as u64, &draw(kind, number as u64, most.min(count - start)));
        }
    }
}

/// Counts of cases and of broken promises, by name. For each broken promise, the tally also keeps the first case.
#[derive(Default)]
pub(crate) struct Tally {
    /// For each name, the number of cases, and the number of cases that broke a promise.
    looked_at: BTreeMap<String, [u64; 2]>,
    broken: BTreeMap<String, (u64, String)>,
}

impl Tally {
    /// Counts a case with the name `name`, and the promises that it broke. `seen` describes the case.
    pub(crate) fn add(&mut self, name: &str, broken: Vec<Broken>, seen: impl Fn() -> String) {
        let [all, wrong] = self.looked_at.entry(name.to_owned()).or_default();
        *all += 1;
        *wrong += u64::from(!broken.is_empty());
        for (promise, found) in broken {
            let entry = self.broken.entry(format!("{name}: {promise}"));
            entry.or_insert_with(|| (0, format!("{found}; {}", seen()))).0 += 1;
        }
    }

    /// Panics if any promise is broken.
    pub(crate) fn assert_none(&self) {
        let wrong = self.looked_at.iter().map(|(name, [all, wrong])| format!("{name}: {wrong} of {all}"));
        let first =
            |(name, (count, seen)): (&String, &(u64, String))| format!("{count} times {name}\n    {seen}");
        let broken: Vec<String> = self.broken.iter().map(first).collect();
        let (wrong, broken_lines) = (wrong.collect::<Vec<_>>().join("\n"), broken.join("\n"));
        assert!(broken.is_empty(), "broken promises:\n{broken_lines}\nwrong:\n{wrong}");
    }
}

/// Returns two sets: the first polygons of all pairs, and the second polygons.
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

/// Returns the index pairs (0, 0), (1, 1) and so on: each first polygon with its second polygon.
pub(crate) fn one_to_one(count: usize) -> Vec<[u32; 2]> {
    (0..count as u32).map(|k| [k, k]).collect()
}

#[test]
fn lined_up_relations_are_exact() {
    let mut tally = Tally::default();
    for_each_block(count_of_pairs(1), |(kind, _), _, pairs| {
        let truths: Vec<Truth> = pairs.iter().map(Truth::of).collect();
        let [a, b] = sets(pairs);
        for (backend, engine) in engines() {
            let found = engine.piece_pairs(&a, &b, &one_to_one(pairs.len())).query(Relations).unwrap().items;
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

/// Measures all pairs as one batch on each backend, and each pair alone on the CPU. Returns each list of measurements
/// with the name of its source.
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
        let batch = |engine: &Engine| engine.piece_pairs(&a, &b, &all).query(Distances).unwrap().items;
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
        let batch = |engine: &Engine| engine.piece_pairs(&a, &b, &all).query(Penetrations).unwrap().items;
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

/// Returns the margins at which a block of pairs is measured: 0, distances of some pairs, the f64 numbers next to these
/// distances, and 1.5 times these distances.
pub(crate) fn margins(truths: &[Truth], block: u64) -> Vec<f64> {
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
    for_each_block(count_of_pairs(in_soak(1, 2)), |(kind, _), block, pairs| {
        let truths: Vec<Truth> = pairs.iter().map(Truth::of).collect();
        let [a, b] = sets(pairs);
        let margins = margins(&truths, block % 7);
        // Without a margin, check all pairs. With a margin, check a fraction of them.
        for (number, &margin) in margins.iter().enumerate() {
            let of_margin = |k: &u32| number == 0 || (*k as usize + number).is_multiple_of(8);
            let some: Vec<[u32; 2]> = (0..pairs.len() as u32).filter(of_margin).map(|k| [k, k]).collect();
            let batch = |engine: &Engine| {
                engine.piece_pairs(&a, &b, &some).query(Manifolds { margin }).unwrap().items
            };
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
        // In the kinds `random` and `nested`, one relation may be missing, because no pair happens to have it.
        let none = usize::from(matches!(kind, "random" | "nested"));
        assert!(counts.iter().filter(|&&count| count == 0).count() <= none, "{kind}: {counts:?}");
    }
}
