//! Finds which of four parcels touch or overlap each other.

use sat2d::{Backend, Engine, PolygonObject, PolygonSet, Relation, Relations};

fn main() -> sat2d::Result<()> {
    let square = |x: f64, y: f64| vec![[x, y], [x + 1.0, y], [x + 1.0, y + 1.0], [x, y + 1.0]];
    let parcels = PolygonSet::from_objects(&[
        // An L, and a square in its corner. The first ring is the shell, and rings after it would be holes.
        PolygonObject::from_polygon(&[[
            [0.0, 0.0],
            [2.0, 0.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ]])?,
        PolygonObject::from_polygon(&[square(1.0, 1.0)])?,
        // The next squares differ by one ulp from the coordinate 2, in both directions.
        PolygonObject::from_polygon(&[square(2.0_f64.next_down(), 1.0)])?,
        PolygonObject::from_polygon(&[square(2.0_f64.next_up(), 0.0)])?,
    ])?;

    let engine = Engine::new(Backend::Auto)?;
    let meeting = engine.self_join(&parcels).query(Relations)?;
    for pair in &meeting {
        println!("{} and {}: {}", pair.a, pair.b, pair.relation);
    }
    println!("on the {}: {}", engine.choice().backend, engine.choice().reason);

    let found: Vec<_> = meeting.iter().map(|p| (p.a, p.b, p.relation)).collect();
    assert_eq!(
        found,
        [
            (0, 1, Relation::Touching),
            // The two parcels touch along an edge one ulp long.
            (0, 2, Relation::Touching),
            // The two parcels overlap in a strip one ulp wide. Parcels 0 and 3 are one ulp apart, so they are disjoint.
            (1, 2, Relation::Overlapping),
            (2, 3, Relation::Touching),
        ]
    );
    Ok(())
}
