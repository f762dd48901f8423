//! Random polygons, pairs and poses for property tests.

use proptest::prelude::*;

use super::oracle::PoseNumbers;

/// The vertices of a convex polygon: counter-clockwise and strictly convex.
pub(crate) type Ring = Vec<[f64; 2]>;

/// Generates polygons with at least 3 vertices and integer coordinates within ±reach. Many of their vertices equal
/// vertices of other generated polygons, or are collinear with them.
pub(crate) fn lattice_polygon(reach: i64) -> impl Strategy<Value = Ring> {
    prop::collection::vec([-reach..=reach, -reach..=reach], 3..12).prop_filter_map("an area", |points| {
        let hull = whole_hull(points);
        (hull.len() >= 3).then(|| hull.iter().map(|p| p.map(|x| x as f64)).collect())
    })
}

/// Generates two lattice polygons near each other. Half of the pairs have a common vertex, so that every relation is common.
pub(crate) fn lattice_pair() -> impl Strategy<Value = (Ring, Ring)> {
    let shift = [-6..=6i64, -6..=6i64].prop_map(|shift| shift.map(|x| x as f64));
    let vertices = prop::option::of(any::<[prop::sample::Index; 2]>());
    (lattice_polygon(3), lattice_polygon(3), shift, vertices).prop_map(|(a, b, shift, vertices)| {
        let shift = vertices.map_or(shift, |[i, j]| {
            let (p, q) = (i.get(&a), j.get(&b));
            [p[0] - q[0], p[1] - q[1]]
        });
        let b = map(&b, |x, axis| x + shift[axis]);
        (a, b)
    })
}

/// Generates polygons whose f64 coordinates use about 50 bits: the hulls of 3 to 15 points at random angles on a circle of
/// radius 1. Each polygon is strictly convex.
pub(crate) fn round_polygon() -> impl Strategy<Value = Ring> {
    prop::collection::vec(0.0..1.0f64, 3..16).prop_filter_map("an area", |mut turns| {
        turns.sort_by(f64::total_cmp);
        let points: Ring = turns
            .iter()
            .map(|turn| {
                let (sin, cos) = (turn * std::f64::consts::TAU).sin_cos();
                [cos, sin]
            })
            .collect();
        // Use a grid of 2^-50, where 128-bit integers compute the hull exactly.
        let grid = 2f64.powi(50);
        let whole = points.iter().map(|p| p.map(|x| (x * grid) as i64)).collect();
        let hull = whole_hull(whole);
        (hull.len() >= 3).then(|| hull.iter().map(|p| p.map(|x| x as f64 / grid)).collect())
    })
}

/// Generates lattice polygons and round polygons.
pub(crate) fn polygon() -> impl Strategy<Value = Ring> {
    prop_oneof![lattice_polygon(5), round_polygon()]
}

/// Generates two polygons near each other, with a common scale from 2^-30 to 2^30 and a common offset of up to 2^40 along each
/// axis. Scale and offset keep every bit of lattice polygons. Other polygons are rounded, and are left out if they are then not
/// strictly convex.
pub(crate) fn pair() -> impl Strategy<Value = (Ring, Ring)> {
    let round_pair = (round_polygon(), round_polygon(), [-2.5..2.5f64, -2.5..2.5f64])
        .prop_map(|(a, b, shift)| (a, map(&b, |x, axis| x + shift[axis])));
    let offset = prop_oneof![Just(0.0), Just(1e6), Just(-1e9), Just(2f64.powi(20)), Just(2f64.powi(40))];
    (prop_oneof![lattice_pair(), round_pair], -30..=30i32, [offset.clone(), offset]).prop_filter_map(
        "strictly convex once rounded",
        |((a, b), power, offset)| {
            let scale = 2f64.powi(power);
            let place = |ring: &Ring| map(ring, |x, axis| (x + offset[axis]) * scale);
            let (a, b) = (place(&a), place(&b));
            [&a, &b].iter().all(|ring| accepted_as_is(ring)).then_some((a, b))
        },
    )
}

/// Generates poses with any angle and a translation within ±reach, as (cos, sin, x, y).
pub(crate) fn pose(reach: f64) -> impl Strategy<Value = PoseNumbers> {
    (0.0..std::f64::consts::TAU, -reach..=reach, -reach..=reach).prop_map(|(angle, x, y)| {
        let (sin, cos) = angle.sin_cos();
        [cos, sin, x, y]
    })
}

/// Generates poses with integer translations. The matrix is an exact quarter turn, or close to a turn by a Pythagorean angle.
pub(crate) fn exact_turn() -> impl Strategy<Value = PoseNumbers> {
    let matrix = prop_oneof![
        Just([1.0, 0.0]),
        Just([0.0, 1.0]),
        Just([-1.0, 0.0]),
        Just([0.0, -1.0]),
        Just([0.6, 0.8]),
        Just([-5.0 / 13.0, 12.0 / 13.0]),
    ];
    (matrix, -1000..=1000i32, -1000..=1000i32)
        .prop_map(|([cos, sin], x, y)| [cos, sin, f64::from(x), f64::from(y)])
}

fn map(ring: &[[f64; 2]], change: impl Fn(f64, usize) -> f64) -> Ring {
    ring.iter().map(|p| [change(p[0], 0), change(p[1], 1)]).collect()
}

/// Returns whether the library accepts the ring without a change.
fn accepted_as_is(ring: &[[f64; 2]]) -> bool {
    sat2d::ConvexPolygon::new(ring).is_ok_and(|polygon| polygon.cleanup() == sat2d::Cleanup::default())
}

/// Returns the strictly convex hull of integer points, counter-clockwise, by gift wrapping. The hull starts at the least point.
/// All other points are to the left of the line from one vertex of the hull to the next. If several points on this line
/// qualify, the farthest one is the next vertex.
pub(crate) fn whole_hull(mut points: Vec<[i64; 2]>) -> Vec<[i64; 2]> {
    points.sort_unstable();
    points.dedup();
    let Some(&start) = points.first() else { return points };
    let mut hull = vec![start];
    loop {
        let here = hull[hull.len() - 1];
        let away = |p: [i64; 2]| [p[0] - here[0], p[1] - here[1]].map(i128::from);
        let next = points.iter().copied().filter(|&p| p != here).reduce(|best, p| {
            let (u, v) = (away(best), away(p));
            let cross = u[0] * v[1] - u[1] * v[0];
            let farther = u[0] * u[0] + u[1] * u[1] < v[0] * v[0] + v[1] * v[1];
            if cross < 0 || (cross == 0 && farther) { p } else { best }
        });
        match next {
            Some(next) if next != start => hull.push(next),
            _ => return hull,
        }
    }
}
