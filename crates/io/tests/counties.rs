//! The shipped counties: both backends give the results of exact arithmetic and of GEOS, and the same bytes.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::support::oracle;
use flate2::read::GzDecoder;
use sat2d::{Answers, Backend, Containments, Engine, PolygonSet, RelatedPair, Relation, Relations};
use sat2d_io::Error;
use sat2d_io::geojson::read;
use sat2d_io::{Features, ReadOptions};

/// Returns the path of the file `name`: in the repository, or in the folder `SAT2D_FILES` if this variable is set.
fn file(name: &str) -> PathBuf {
    let folder = std::env::var_os("SAT2D_FILES")
        .unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../..").into());
    Path::new(&folder).join(name)
}

fn counties() -> (Features, PolygonSet) {
    let options = ReadOptions::default().skip_invalid(true);
    let mut features = read(&file("data/us-counties.geojson.gz"), &options).unwrap();
    let set = std::mem::take(&mut features.set);
    (features, set)
}

fn self_join(backend: Backend, set: &PolygonSet) -> Answers<RelatedPair> {
    let engine = Engine::new(backend).unwrap_or_else(|error| panic!("{error}"));
    engine.self_join(set).check().query(Relations).unwrap()
}

#[test]
fn five_counties_cross_themselves_and_are_named() {
    let error = read(&file("data/us-counties.geojson.gz"), &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, Error::Feature { .. }), "{error}");
    let (features, set) = counties();
    assert_eq!(set.object_count(), 3_231);
    let ids: Vec<_> = features.skipped.iter().map(|s| s.id.clone().unwrap()).collect();
    assert_eq!(ids, ["51620", "51093", "22067", "51041", "06001"]);
    for skipped in &features.skipped {
        let Error::Feature { source, .. } = &skipped.error else { panic!("{}", skipped.error) };
        assert!(matches!(**source, Error::Library(sat2d::Error::CrossingSegments { .. })), "{source}");
    }
    assert_eq!(features.cleanup.retraced_edges, 16);
}

#[test]
fn both_backends_find_the_same_pairs_and_the_oracle_agrees_on_every_candidate() {
    let (_, set) = counties();
    let (cpu, gpu) = (self_join(Backend::Cpu, &set), self_join(Backend::Gpu, &set));
    assert_eq!(cpu.items, gpu.items);
    for join in [&cpu, &gpu] {
        assert_eq!(join.check.as_ref().unwrap().disagreement_count(), 0);
        assert_eq!((join.counts.touching, join.counts.overlapping), (9_309, 3));
    }
    // The test uses rational arithmetic on every pair of pieces whose boxes meet, and combines the results for
    // objects.
    let rings: Vec<Vec<[f64; 2]>> = (0..set.piece_count())
        .map(|i| set.piece_vertices(i).iter().map(|v| v.to_array()).collect())
        .collect();
    let groups: Vec<u32> = (0..set.piece_count()).map(|i| set.piece_object(i) as u32).collect();
    let candidates = sat2d::broad_phase::self_join(&set.piece_aabbs(), Some(&groups)).unwrap().sorted();
    let mut expected = std::collections::BTreeMap::new();
    for [i, j] in candidates {
        let relation = oracle::relation(&rings[i as usize], &rings[j as usize]);
        let strongest = expected.entry((groups[i as usize], groups[j as usize])).or_insert(relation);
        *strongest = relation.max(*strongest);
    }
    expected.retain(|_, relation| *relation != Relation::Disjoint);
    let found: Vec<_> = cpu.items.iter().map(|p| ((p.a, p.b), p.relation)).collect();
    assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
}

#[test]
fn among_the_features_that_shapely_calls_valid_the_pairs_are_those_of_geos() {
    let (features, set) = counties();
    let text = std::fs::read_to_string(file("tests/data/counties-invalid.csv")).unwrap();
    let invalid: BTreeSet<String> =
        text.lines().skip(1).map(|l| l.split(',').next().unwrap().into()).collect();
    assert_eq!(invalid.len(), 22);
    let mut text = String::new();
    let geos = std::fs::File::open(file("tests/data/counties-geos.csv.gz")).unwrap();
    GzDecoder::new(geos).read_to_string(&mut text).unwrap();
    let row = |a: &str, b: &str, relation: &str| {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        (a.to_string(), b.to_string(), relation.to_string())
    };
    let expected: BTreeSet<_> = text
        .lines()
        .skip(1)
        .map(|line| {
            let mut fields = line.split(',');
            let mut next = || fields.next().unwrap();
            row(next(), next(), next())
        })
        .collect();
    assert_eq!(expected.len(), 9_216);
    assert_eq!(expected.iter().filter(|(_, _, relation)| relation == "overlapping").count(), 3);
    let found: BTreeSet<_> = self_join(Backend::Cpu, &set)
        .items
        .iter()
        .map(|p| {
            (features.ids.of(p.a as usize).to_string(), features.ids.of(p.b as usize).to_string(), p.relation)
        })
        .filter(|(a, b, _)| !invalid.contains(a) && !invalid.contains(b))
        .map(|(a, b, relation)| row(&a, &b, relation.name()))
        .collect();
    assert_eq!(found, expected);
}

/// Returns the same boxes as `scripts/shapely-covers`: squares of side `side` in rows, from the south, over 180 degrees
/// of longitude and 60 degrees of latitude.
fn lattice(side: f64) -> PolygonSet {
    let (columns, rows) = ((180.0 / side) as u32, (60.0 / side) as u32);
    let corner = |x: u32, y: u32| [-180.0 + f64::from(x) * side, 15.0 + f64::from(y) * side];
    let boxes: Vec<[[f64; 2]; 4]> = (0..rows)
        .flat_map(|y| (0..columns).map(move |x| (x, y)))
        .map(|(x, y)| [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)])
        .collect();
    PolygonSet::from_convex_rings(&boxes).unwrap()
}

#[test]
fn the_boxes_that_a_county_covers_and_that_cover_it_are_those_of_geos() {
    let (features, set) = counties();
    let engine = Engine::new(Backend::Cpu).unwrap();
    // For each county, three numbers: how many boxes it covers, the sum of the indices of these boxes, and how many
    // boxes cover it.
    let mut found = vec![[0u64; 3]; set.object_count()];
    let small = engine.join(&set, &lattice(0.125)).query(Containments).unwrap();
    for pair in &small {
        if pair.containment.a_covers_b() {
            found[pair.a as usize][0] += 1;
            found[pair.a as usize][1] += u64::from(pair.b);
        }
    }
    let large = engine.join(&set, &lattice(2.0)).query(Containments).unwrap();
    for pair in &large {
        found[pair.a as usize][2] += u64::from(pair.containment.b_covers_a());
    }
    let text = std::fs::read_to_string(file("tests/data/counties-covers.csv")).unwrap();
    let (mut rows, mut total) = (0, [0u64; 2]);
    for row in text.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let county = features.ids.iter().position(|id| id.to_string() == cells[0]).unwrap();
        let expected: Vec<u64> = cells[1..].iter().map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(found[county].as_slice(), expected, "{}", cells[0]);
        rows += 1;
        total = [total[0] + expected[0], total[1] + expected[2]];
    }
    assert_eq!((rows, total), (3_209, [42_860, 1_687]));
    // No county covers another.
    assert!(engine.self_join(&set).query(Containments).unwrap().is_empty());
}
