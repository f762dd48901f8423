//! Tests a polygon whose rings cross at so many points that the library does not split it into convex pieces. Queries that
//! compare the edges of polygons return exact answers. Queries that need pieces return an error.

use crate::{
    Backend, Coordinates, Engine, Error, Fill, Penetrations, PointOptions, PolygonColumns, PolygonSet,
    Relation, Relations,
};

/// Returns a star in which nearly all edges cross each other, a square in its middle, and a square far away.
fn star_and_squares() -> PolygonSet {
    let count = 401;
    let vertex = |k: usize| {
        let angle = (k * (count / 2) % count) as f64 / count as f64 * std::f64::consts::TAU;
        [1000.0 * angle.cos(), 1000.0 * angle.sin()]
    };
    let mut xy: Vec<[f64; 2]> = (0..count).map(vertex).collect();
    for x in [0.0, 5000.0] {
        xy.extend([[x - 1.0, -1.0], [x + 1.0, -1.0], [x + 1.0, 1.0], [x - 1.0, 1.0]]);
    }
    let rings = [0, count as i64, count as i64 + 4, count as i64 + 8];
    let columns = PolygonColumns::new(Coordinates::Interleaved(&xy), &rings[..]);
    PolygonSet::from_columns(&columns.fill(Fill::NonZero)).unwrap()
}

fn check_error<T: std::fmt::Debug>(found: crate::Result<T>) {
    let error = found.unwrap_err();
    let Error::Object { object: 0, source } = &error else { panic!("{error:?}") };
    assert!(matches!(**source, Error::TooMany { count, limit, .. } if count > limit), "{error:?}");
    let message = error.to_string();
    assert!(
        message.starts_with("object 0: ") && message.ends_with("exceed the limit of 65536; split the input"),
        "{message}"
    );
}

#[test]
fn queries_that_need_pieces_of_a_polygon_with_too_many_crossings_fail() {
    let (set, engine) = (star_and_squares(), Engine::new(Backend::Cpu).unwrap());
    let related: Vec<_> = engine.self_join(&set).query(Relations).unwrap().items;
    assert_eq!(
        related.iter().map(|pair| (pair.a, pair.b, pair.relation)).collect::<Vec<_>>(),
        [(0, 1, Relation::Overlapping)]
    );
    assert_eq!(set.made_piece_count(), None);
    check_error(set.check_pieces());
    check_error(set.check_pieces());
    check_error(engine.self_join(&set).query(Penetrations));
    check_error(engine.join(&set, &set).query(Penetrations));
    check_error(engine.prepare(&set, &set));
    check_error(set.clone().set_poses(&[crate::Pose::IDENTITY; 3]));
    // The squares have pieces, and the star has none.
    assert_eq!(set.piece_count(), 2);
    let points = engine.points(&[[0.0, 0.0], [5000.0, 0.0], [9000.0, 0.0]], &set);
    let found = points.query(&PointOptions { first: true, ..PointOptions::default() }).unwrap();
    assert!(found.first.unwrap().iter().eq([Some(0), Some(2), None]));
}
