//! Nearest objects: comparisons with the measurements of all pairs, and hand-worked distances.

mod errors;
mod hand_worked;
mod scenes;

use sat2d::{
    Backend, Distance, Distances, Engine, MAX_COORDINATE, MeasuredPair, Nearest, PolygonSet, Shapes,
};
use std::collections::BTreeMap;
use std::sync::LazyLock;

static CPU: LazyLock<Engine> = LazyLock::new(|| Engine::new(Backend::Cpu).unwrap());

type Row = MeasuredPair<Distance>;

/// The rows of all pairs within a limit, sorted as in a result, by the bits of the limit. Many queries have the same limit.
type ByLimit = BTreeMap<Option<u64>, Vec<Row>>;

/// Returns the expected rows of the K nearest objects, computed from the [`Distances`] of all pairs of `a` and `b`.
fn of_all_pairs<A: Shapes, B: Shapes>(known: &mut ByLimit, a: &A, b: &B, query: Nearest) -> Vec<Row> {
    let measured = || {
        let join = CPU.join(a, b).within(query.within.unwrap_or(MAX_COORDINATE));
        sorted(join.query(Distances).unwrap().items)
    };
    cut(known.entry(query.within.map(f64::to_bits)).or_insert_with(measured), query)
}

/// Returns the expected rows of the K nearest objects of a set joined with itself, computed from the [`Distances`] of all
/// pairs.
fn of_all_pairs_of_one(known: &mut ByLimit, a: &PolygonSet, query: Nearest) -> Vec<Row> {
    let both = |row: Row| {
        let mut other = row;
        (other.a, other.b, other.piece_a, other.piece_b) = (row.b, row.a, row.piece_b, row.piece_a);
        if let Some(closest) = &mut other.measurement.closest {
            (closest.point_a, closest.point_b) = (closest.point_b, closest.point_a);
            (closest.features.a, closest.features.b) = (closest.features.b, closest.features.a);
        }
        [row, other]
    };
    let measured = || {
        let join = CPU.self_join(a).within(query.within.unwrap_or(MAX_COORDINATE));
        sorted(join.query(Distances).unwrap().items.into_iter().flat_map(both).collect())
    };
    cut(known.entry(query.within.map(f64::to_bits)).or_insert_with(measured), query)
}

fn sorted(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by(|x, y| {
        let distances = x.measurement.distance.total_cmp(&y.measurement.distance);
        x.a.cmp(&y.a).then(distances).then(x.b.cmp(&y.b))
    });
    rows
}

/// Returns the rows that the query finds, of sorted rows.
fn cut(rows: &[Row], Nearest { k, ties, .. }: Nearest) -> Vec<Row> {
    let of_a = rows.chunk_by(|x, y| x.a == y.a);
    let distance = |row: &Row| row.measurement.distance;
    let of_row = |rows: &[Row]| {
        let is_found = |i: usize| i < k || ties && distance(&rows[i]) == distance(&rows[k - 1]);
        (0..rows.len()).filter(|&i| is_found(i)).map(|i| rows[i]).collect::<Vec<_>>()
    };
    of_a.flat_map(of_row).collect()
}

/// Asserts that two lists of rows are equal. Compares the readable values first, so that a failure shows them.
fn assert_same(found: &[Row], expected: &[Row], context: &str) {
    let short = |rows: &[Row]| rows.iter().map(|r| (r.a, r.b, r.measurement.distance)).collect::<Vec<_>>();
    let (short_found, short_expected) = (short(found), short(expected));
    if let Some(k) =
        (0..found.len().max(expected.len())).find(|&k| short_found.get(k) != short_expected.get(k))
    {
        panic!("{context}: row {k} is {:?} instead of {:?}", short_found.get(k), short_expected.get(k));
    }
    assert_eq!(found, expected, "{context}");
}

const COUNTS: [usize; 5] = [1, 2, 7, 40, usize::MAX];

/// Checks joins of `a` and `b`, with and without a limit. The limits are 0, the distance of one of the pairs found, and
/// the next f64 number after this distance.
fn check_two<A: Shapes, B: Shapes>(a: &A, b: &B, context: &str) {
    let mut known = ByLimit::new();
    for (k, ties) in COUNTS.into_iter().flat_map(|k| [(k, false), (k, true)]) {
        let mut query = Nearest { k, within: None, ties };
        let found = CPU.join(a, b).query(query).unwrap().items;
        assert_same(&found, &of_all_pairs(&mut known, a, b, query), &format!("{context}, {query:?}"));
        let Some(row) = found.get(found.len() / 2) else { continue };
        for within in [row.measurement.distance, row.measurement.distance.next_up(), 0.0] {
            query.within = Some(within);
            let found = CPU.join(a, b).query(query).unwrap().items;
            let context = format!("{context}, {query:?}");
            assert_same(&found, &of_all_pairs(&mut known, a, b, query), &context);
        }
    }
}

fn check_one(set: &PolygonSet, context: &str) {
    let mut known = ByLimit::new();
    for k in COUNTS {
        for (within, ties) in
            [None, Some(0.0), Some(1.5)].into_iter().flat_map(|within| [(within, false), (within, true)])
        {
            let query = Nearest { k, within, ties };
            let found = CPU.self_join(set).query(query).unwrap().items;
            assert_same(
                &found,
                &of_all_pairs_of_one(&mut known, set, query),
                &format!("{context}, {query:?}"),
            );
            // The rows equal the rows of a join with a copy of the set, except for the pairs of an object and itself.
            assert!(found.iter().all(|row| row.a != row.b));
        }
    }
}

fn square(x: f64, y: f64, side: f64) -> Vec<[f64; 2]> {
    vec![[x, y], [x + side, y], [x + side, y + side], [x, y + side]]
}
