//! Joins each feature of A with its nearest features of B, for joins of files.

use sat2d::{
    Distance, Engine, MeasuredPair, Nearest, PointOptions, PointPair, PointRelation, PolygonSet, Relation,
};
use sat2d_io::internal::DirectedPair;

use crate::failure::Failure;
use crate::join::{Joined, Related, Request};
use crate::point_join::{Decided, Row, keep_deciding};
use crate::relations::relations_of_objects;
use crate::run::Watch;
use crate::sets::Points;

/// The relations of polygons, by their codes.
const RELATIONS: [Relation; 3] = [Relation::Disjoint, Relation::Touching, Relation::Overlapping];
/// The distance of two features that meet.
const MEETING: Distance = Distance { distance: 0.0, separation: 0.0, closest: None };

/// Finds the nearest polygons of each polygon of `a`: polygons of `b`, or other polygons of `a` if `b` is `None`. The rows are
/// sorted by the polygon of `a`, then by distance.
pub(crate) fn of_polygons(
    engine: &Engine,
    a: &PolygonSet,
    b: Option<&PolygonSet>,
    (query, request): (Nearest, Request),
    watch: &Watch,
) -> Result<Joined, Failure> {
    let found = match b {
        Some(b) => engine.join(a, b).progress(watch).query(query)?,
        None => engine.self_join(a).progress(watch).query(query)?,
    };
    let sets = [a, b.unwrap_or(a)];
    let is_rounded = sets.iter().any(|set| set.piece_displacement() > 0.0);
    let (choice, mut distances) = (found.choice, found.items);
    let pairs: Vec<[u32; 2]> = distances.iter().map(|pair| [pair.a, pair.b]).collect();
    // Two polygons that are apart are disjoint. If rings cross, the pieces have rounded vertices, and their distances decide no
    // relation.
    let is_open = |&place: &usize| is_rounded || distances[place].measurement.distance == 0.0;
    let open: Vec<usize> = (0..pairs.len()).filter(is_open).collect();
    let of_open: Vec<[u32; 2]> = open.iter().map(|&place| pairs[place]).collect();
    let mut relations = vec![Relation::Disjoint; pairs.len()];
    for (&place, code) in open.iter().zip(relations_of_objects(sets, &of_open, watch)?) {
        relations[place] = RELATIONS[usize::from(code)];
        if code != Relation::Disjoint as u8 {
            distances[place].measurement = MEETING;
        }
    }
    // The distance of a pair that meets may have become 0, so the pair comes before others at a greater distance.
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    let distance = |place: usize| distances[place].measurement.distance;
    order.sort_by(|&one, &other| {
        let by_distance = || distance(one).total_cmp(&distance(other));
        pairs[one][0]
            .cmp(&pairs[other][0])
            .then_with(by_distance)
            .then_with(|| pairs[one][1].cmp(&pairs[other][1]))
    });
    let distances: Vec<_> = order.iter().map(|&place| distances[place]).collect();
    let relations = order.iter().map(|&place| relations[place]).collect();
    let pairs = order.iter().map(|&place| pairs[place]).collect();
    let mut joined = Joined::new(choice, pairs, Related::Polygons(relations), request);
    joined.distances = Some(distances);
    // The rows have a direction, also in a self-join.
    joined.rows = Some(directed(joined.pairs.len(), false));
    Ok(joined)
}

/// Finds the nearest polygons of each feature of points. If `swapped` is true, finds the nearest features of points of each polygon.
/// The rows are sorted by the item whose neighbours are found, then by distance.
pub(crate) fn of_points(
    engine: &Engine,
    points: &Points,
    set: &PolygonSet,
    swapped: bool,
    (query, request): (Nearest, Request),
    watch: &Watch,
) -> Result<Joined, Failure> {
    let features = points.rounded()?;
    let near: Vec<MeasuredPair<Distance>> = if swapped {
        let found = engine.join(set, &features).progress(watch).query(query)?;
        found.items.into_iter().map(MeasuredPair::<Distance>::swapped).collect()
    } else {
        engine.join(&features, set).progress(watch).query(query)?.items
    };
    watch.check();
    let options = PointOptions { pairs: true, progress: Some(watch), ..PointOptions::default() };
    let found = engine.points(&points.positions, set).query(&options)?;
    let meeting = found.pairs.unwrap_or_default();
    watch.check();
    let row = |pair: PointPair| Row { pair, feature: points.feature(pair.point), distance: None };
    let mut rows: Vec<Row> = meeting.into_iter().map(row).collect();
    keep_deciding(&mut rows);
    // The distance of a pair that meets is 0. A piece with rounded vertices may have another distance.
    let apart: Vec<Row> = near
        .into_iter()
        .filter(|found| rows.binary_search_by_key(&(found.a, found.b), Row::features).is_err())
        .map(|found| {
            // The piece of a feature that was measured is a point.
            let (point, object) = (found.piece_a, found.b);
            let pair = PointPair { point, object, relation: PointRelation::Outside };
            Row { pair, feature: found.a, distance: Some(found) }
        })
        .collect();
    rows.extend(apart);
    keep_nearest(&mut rows, query, swapped);
    let decided = |row: &Row| {
        let point = points.positions[row.pair.point as usize];
        Decided { relation: row.pair.relation, point }
    };
    let related = Related::Points(rows.iter().map(decided).collect());
    let pairs = rows.iter().map(|row| [row.feature, row.pair.object]).collect();
    let mut joined = Joined::new(found.choice, pairs, related, request);
    joined.distances = Some(rows.iter().map(measured).collect());
    joined.circles = Some(features);
    joined.rows = swapped.then(|| directed(rows.len(), true));
    Ok(joined)
}

/// Keeps the nearest rows of each item that `query` finds, and sorts the rows by item, then by distance. The item is the feature of
/// points, or the polygon if `swapped` is true. Among rows at equal distances, those with lower indices come first.
fn keep_nearest(rows: &mut Vec<Row>, query: Nearest, swapped: bool) {
    let item = |row: &Row| if swapped { row.pair.object } else { row.feature };
    let near = |row: &Row| if swapped { row.feature } else { row.pair.object };
    let distance = |row: &Row| row.distance.map_or(0.0, |found| found.measurement.distance);
    rows.sort_unstable_by(|one, other| {
        let by_distance = || distance(one).total_cmp(&distance(other));
        item(one).cmp(&item(other)).then_with(by_distance).then_with(|| near(one).cmp(&near(other)))
    });
    let (mut last_item, mut count, mut last) = (None, 0, 0.0);
    rows.retain(|row| {
        let current = Some(item(row));
        count = if current == last_item { count + 1 } else { 1 };
        last_item = current;
        if count <= query.k {
            last = distance(row);
        }
        count <= query.k || (query.ties && distance(row) == last)
    });
}

/// Returns the distance of a row, with the pieces that were measured. A row that meets has the distance 0. No piece was measured
/// for such a row, so piece 0 of the polygons is a placeholder.
fn measured(row: &Row) -> MeasuredPair<Distance> {
    row.distance.unwrap_or(MeasuredPair {
        a: row.feature,
        b: row.pair.object,
        piece_a: row.pair.point,
        piece_b: 0,
        measurement: MEETING,
    })
}

/// Returns a row for each of `count` pairs, in the order of the pairs.
fn directed(count: usize, is_swapped: bool) -> Vec<DirectedPair> {
    (0..count).map(|pair| DirectedPair { pair, is_swapped }).collect()
}
