//! Pairs whose edges are nearly collinear or nearly parallel. The kinds are: chains of vertices that rounding moved off
//! one line, polygons of very different sizes, and edges that are parallel except for the last digits.

use super::Ring;
use super::lined_up_scenes::{Drawn, Random, cross, decimal_hull, map, pair};

/// Returns `a` and `b` as a pair, in a random order.
fn in_any_order(random: &mut Random, a: Ring, b: Ring) -> Option<Drawn> {
    if random.is_heads() { pair(a, b) } else { pair(b, a) }
}

/// Draws two polygons on opposite sides of a line, each with three to five vertices near the line. The vertices are rounded to
/// a decimal. The polygons lie along the line, a little away from it, or overlap a little. If the vertices near the line are
/// not in convex position, the polygon keeps only some of them.
pub(crate) fn chains(random: &mut Random) -> Option<Drawn> {
    let per_unit = random.pick(&[10.0, 10.0, 100.0]);
    let reach = if per_unit > 10.0 { 60 } else { 8 };
    let direction = [random.whole(-reach, reach), random.whole(-reach, reach)];
    if direction == [0, 0] {
        return None;
    }
    let from = [random.whole(0, 5 * reach), random.whole(0, 5 * reach)];
    let aside = random.pick(&[0.0, 0.0, 0.5, 1.0, -0.5, 3.0]);
    // Returns the rounded point at the distance `along` along the line and the distance `left` to its left.
    let place = |along: f64, left: f64| {
        let [x, y] = direction.map(|k| k as f64);
        let length = x.hypot(y);
        [
            (from[0] as f64 + along * x - left * y / length).round() as i64,
            (from[1] as f64 + along * y + left * x / length).round() as i64,
        ]
    };
    let mut ring = |side: f64, aside: f64| {
        let mut points = Vec::new();
        for _ in 0..random.whole(3, 5) {
            let along = random.whole(0, 60) as f64 / 10.0;
            let off = random.pick(&[0.0, 0.0, 0.5]);
            points.push(place(along, side * (aside + off)));
        }
        for _ in 0..random.whole(1, 2) {
            points.push(place(random.whole(0, 60) as f64 / 10.0, side * random.whole(1, 3 * reach) as f64));
        }
        decimal_hull(points, per_unit)
    };
    let (a, b) = (ring(1.0, 0.0)?, ring(-1.0, aside)?);
    in_any_order(random, a, b)
}

/// Draws a small polygon, and a polygon up to 2^60 times as large. The small polygon lies at a corner, at an edge or in the
/// interior of the large polygon.
pub(crate) fn unlike_sizes(random: &mut Random) -> Option<Drawn> {
    let per_unit = random.pick(&[1.0, 10.0, 1000.0]);
    let hull = |random: &mut Random, count: i64, reach: i64| {
        decimal_hull(
            (0..count).map(|_| [random.whole(-reach, reach), random.whole(-reach, reach)]).collect(),
            1.0,
        )
    };
    let boxed = |random: &mut Random, reach: i64| -> Ring {
        let [left, bottom, right, top] = [0; 4].map(|_| random.whole(1, reach) as f64);
        vec![[-left, -bottom], [right, -bottom], [right, top], [-left, top]]
    };
    let shape = |random: &mut Random, reach: i64| {
        if random.is_heads() {
            return Some(boxed(random, reach));
        }
        let count = random.whole(3, 6);
        hull(random, count, reach)
    };
    let huge = 2f64.powi(random.whole(20, 60) as i32);
    let (large, small) = (shape(random, 9)?, shape(random, 9)?);
    let large = map(&large, |x| x * huge);
    let small = map(&small, |x| x / per_unit);
    // The point of the large polygon at which the small polygon lies. It is a corner, a point of an edge, or the
    // middle.
    let k = random.whole(0, large.len() as i64 - 1) as usize;
    let (p, q) = (large[k], large[(k + 1) % large.len()]);
    let part = random.pick(&[0.0, 0.0, 0.5, 0.25]);
    let at = [0, 1].map(|axis| p[axis] + part * (q[axis] - p[axis]));
    let at = if random.whole(0, 3) == 0 { [0.0, 0.0] } else { at };
    // Usually the large polygon moves, so that this point is at the origin. The small polygon then keeps its digits.
    // Otherwise the small polygon moves to the point.
    let (large, small) = if random.whole(0, 3) > 0 {
        (large.iter().map(|v| [v[0] - at[0], v[1] - at[1]]).collect(), small)
    } else {
        (large, small.iter().map(|v| [v[0] + at[0], v[1] + at[1]]).collect())
    };
    in_any_order(random, large, small)
}

/// Draws polygons with edges that face each other across a small or a large gap. The edges are parallel except for a turn of at
/// most 1e-9.
pub(crate) fn nearly_parallel(random: &mut Random) -> Option<Drawn> {
    let direction = random.pick(&[[1.0, 0.0], [0.6, 0.8], [0.3, 0.1], [0.7, -0.4], [0.0, -1.0]]);
    let turn = random.pick(&[0.0, 1e-16, -1e-15, 1e-14, -1e-13, 1e-12, -1e-11, 1e-11, -1e-10, 1e-9]);
    let gap = random.pick(&[0.0, 1e-13, 1e-9, 0.1, 0.5, 3.0, -1e-12, -0.1]);
    let place = |along: f64, left: f64| {
        [along * direction[0] - left * direction[1], along * direction[1] + left * direction[0]]
    };
    let tenths = |random: &mut Random, first: i64, last: i64| random.whole(first, last) as f64 / 10.0;
    let mut ring = |side: f64, gap: f64, turn: f64| -> Ring {
        let (from, length) = (tenths(random, 0, 30), tenths(random, 1, 30));
        let ends = [from, from + length].map(|along| place(along, side * (gap + along * turn)));
        let (along, far) = (tenths(random, 0, 60), tenths(random, 1, 20));
        let mut ring = vec![ends[0], ends[1]];
        if random.is_heads() {
            ring.push(place(from + length, side * (gap.max(0.0) + far)));
            ring.push(place(from, side * (gap.max(0.0) + far)));
        } else {
            ring.push(place(along, side * (gap.max(0.0) + far)));
        }
        if side < 0.0 {
            ring.reverse();
        }
        ring
    };
    let (a, b) = (ring(1.0, 0.0, 0.0), ring(-1.0, gap, turn));
    in_any_order(random, a, b)
}

#[test]
fn chains_are_drawn() {
    use super::lined_up_scenes::draw;
    // Three vertices in a row that turn by less than a fifth of a radian.
    let has_chain = |ring: &Ring| {
        let whole = |k: usize| ring[k % ring.len()].map(|x| (x * 100.0).round() as i64);
        (0..ring.len()).any(|k| {
            let [p, q, r] = [k, k + 1, k + 2].map(whole);
            let (u, v) = ([q[0] - p[0], q[1] - p[1]], [r[0] - q[0], r[1] - q[1]]);
            let along = u[0] * v[0] + u[1] * v[1];
            along > 0 && 5 * cross(u, v).abs() < along
        })
    };
    let drawn = draw(("chains", chains), 0, 400);
    let count = drawn.iter().filter(|pair| has_chain(&pair.a) && has_chain(&pair.b)).count();
    assert!(count > 100, "{count} of 400");
}
