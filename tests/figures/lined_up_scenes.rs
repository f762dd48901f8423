//! Pairs of polygons as in maps, stacks and drawings: their edges line up, or would line up without rounding.
//!
//! Every kind is a function from a random generator to a pair. The same seed gives the same pairs on every machine.

use sat2d::{Cleanup, ConvexPolygon, MAX_COORDINATE, MIN_COORDINATE};

use super::Ring;
use super::lined_up_chains::{chains, nearly_parallel, unlike_sizes};
use crate::support::oracle::PoseNumbers;
use crate::support::strategies::whole_hull;

/// A drawn pair: two convex, counter-clockwise polygons, and their poses. The poses are `None` if the polygons have no
/// poses.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    pub(crate) a: Ring,
    pub(crate) b: Ring,
    pub(crate) poses: Option<[PoseNumbers; 2]>,
}

/// The name of a kind of pair, and the function that draws a pair of this kind. The function returns `None` if it has not drawn
/// two convex polygons.
pub(crate) type Kind = (&'static str, fn(&mut Random) -> Option<Drawn>);

/// The plain kinds. The other kinds scale, move or turn pairs of these kinds.
const PLAIN: [Kind; 11] = [
    ("boxes on a decimal grid", grid_boxes),
    ("edge to edge", edge_to_edge),
    ("T-junctions", t_junctions),
    ("integer triples", small_triples),
    ("huge integer triples", huge_triples),
    ("random", random),
    ("slivers", slivers),
    ("nested", nested),
    ("chains", chains),
    ("unlike sizes", unlike_sizes),
    ("nearly parallel", nearly_parallel),
];

/// All kinds of pairs: the plain kinds, and kinds that scale, move or turn their pairs.
pub(crate) const KINDS: [Kind; 15] = [
    PLAIN[0],
    PLAIN[1],
    PLAIN[2],
    PLAIN[3],
    PLAIN[4],
    PLAIN[5],
    PLAIN[6],
    PLAIN[7],
    PLAIN[8],
    PLAIN[9],
    PLAIN[10],
    ("all magnitudes", all_magnitudes),
    ("far from the origin", far),
    ("posed", posed),
    ("posed about a far pivot", posed_about_a_far_pivot),
];

/// Returns `count` pairs of a kind. Each value of `block` gives other pairs. All pairs of a block are scaled and moved in the
/// same way.
pub(crate) fn draw((name, kind): Kind, block: u64, count: usize) -> Vec<Drawn> {
    let seed = name.bytes().fold(block, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    let mut random = Random { state: seed, block };
    let mut drawn = Vec::with_capacity(count);
    while drawn.len() < count {
        drawn.extend(kind(&mut random).filter(|pair| is_as_given(&pair.a) && is_as_given(&pair.b)));
    }
    drawn
}

/// Returns whether the library accepts a ring without changing it. A ring whose last vertex repeats the first one is not
/// accepted here, because the oracle would use its last edge, which has length 0.
fn is_as_given(ring: &Ring) -> bool {
    ring.first() != ring.last()
        && ConvexPolygon::new(ring).is_ok_and(|polygon| polygon.cleanup() == Cleanup::default())
}

/// A generator of random numbers: SplitMix64 (Steele, Lea and Flood 2014).
pub(crate) struct Random {
    state: u64,
    block: u64,
}

impl Random {
    pub(crate) fn new(state: u64) -> Self {
        Self { state, block: 0 }
    }

    /// Returns a generator that gives the same numbers for all pairs of a block.
    fn of_block(&self) -> Self {
        Self { state: self.block, block: self.block }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns an integer from `first` to `last`, both included.
    pub(crate) fn whole(&mut self, first: i64, last: i64) -> i64 {
        first + (self.next() % (last - first + 1).unsigned_abs()) as i64
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.whole(0, from.len() as i64 - 1) as usize].clone()
    }

    /// Returns a number that is at least 0 and less than 1.
    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn is_heads(&mut self) -> bool {
        self.next() >> 63 == 1
    }
}

pub(crate) fn pair(a: Ring, b: Ring) -> Option<Drawn> {
    Some(Drawn { a, b, poses: None })
}

pub(crate) fn map(ring: &Ring, change: impl Fn(f64) -> f64) -> Ring {
    ring.iter().map(|v| v.map(&change)).collect()
}

/// Returns the hull of integer points as decimals, or `None` if it has no interior.
pub(crate) fn decimal_hull(points: Vec<[i64; 2]>, per_unit: f64) -> Option<Ring> {
    let hull = whole_hull(points);
    (hull.len() > 2).then(|| hull.iter().map(|v| v.map(|x| x as f64 / per_unit)).collect())
}

pub(crate) fn cross(p: [i64; 2], q: [i64; 2]) -> i64 {
    p[0] * q[1] - p[1] * q[0]
}

/// Draws boxes with sides on a grid of tenths or hundredths. The boxes share sides, touch at corners, are apart, are
/// nested or overlap. In some pairs, the coordinates are sums of steps, which are off by an ulp or two.
pub(crate) fn grid_boxes(random: &mut Random) -> Option<Drawn> {
    let per_unit = random.pick(&[10.0, 10.0, 100.0]);
    let base = random.pick(&[0, 0, 0, 7, 1_000, 123_456]);
    let sums = random.whole(0, 3) == 0;
    let place = |k: i64| {
        if sums {
            (0..k).fold(base as f64, |sum, _| sum + 1.0 / per_unit)
        } else {
            (base * per_unit as i64 + k) as f64 / per_unit
        }
    };
    let mut ring = || -> Ring {
        let [x, y, w, h] = [(0, 6), (0, 6), (1, 4), (1, 4)].map(|(first, last)| random.whole(first, last));
        let [x, y, right, top] = [x, y, x + w, y + h].map(place);
        vec![[x, y], [right, y], [right, top], [x, top]]
    };
    pair(ring(), ring())
}

/// Draws two polygons on opposite sides of a line. Each has an edge along the line, or along a parallel line. The edges
/// are equal, overlap, meet at an end or lie past each other. Coordinates have one decimal, two, or none.
pub(crate) fn edge_to_edge(random: &mut Random) -> Option<Drawn> {
    let per_unit = random.pick(&[1.0, 10.0, 10.0, 100.0]);
    let direction = [random.whole(-7, 7), random.whole(-7, 7)];
    if direction == [0, 0] {
        return None;
    }
    let from = [random.whole(-50, 50), random.whole(-50, 50)];
    let gap = random.pick(&[0, 0, 0, 1, 2, -1]);
    let mut ring = |side: i64, aside: i64| {
        let outward = [-direction[1] * side, direction[0] * side];
        let at = |along: i64| [0, 1].map(|k| from[k] + along * direction[k] + aside * outward[k]);
        let first = random.whole(0, 4);
        let mut points = vec![at(first), at(first + random.whole(1, 4))];
        for _ in 0..random.whole(1, 3) {
            let (along, far) = (random.whole(-2, 10), random.whole(1, 5));
            let [p, slack] = [at(along), [random.whole(0, 3), random.whole(0, 3)]];
            let point = [0, 1].map(|k| p[k] + far * outward[k] + slack[k]);
            if cross(outward, direction).signum() * cross([point[0] - from[0], point[1] - from[1]], direction)
                > 0
            {
                points.push(point);
            }
        }
        decimal_hull(points, per_unit)
    };
    let (a, b) = (ring(1, 0)?, ring(-1, gap)?);
    pair(a, b)
}

/// Draws a polygon with a corner on an edge of the other polygon. Rounding to f64, or to one or two decimals, moves the corner.
/// Sometimes an end of the edge is a corner of both polygons.
pub(crate) fn t_junctions(random: &mut Random) -> Option<Drawn> {
    let decimals = random.pick(&[10.0, 10.0, 100.0]);
    let count = random.whole(3, 5);
    let reach = if decimals > 10.0 { 400 } else { 40 };
    let points = (0..count).map(|_| [random.whole(0, reach), random.whole(0, reach)]).collect();
    let a = decimal_hull(points, decimals)?;
    let k = random.whole(0, a.len() as i64 - 1) as usize;
    let (p, q) = (a[k], a[(k + 1) % a.len()]);
    let (any, tenths) = (random.part(), random.whole(0, 10) as f64 / 10.0);
    let part = random.pick(&[0.5, 0.25, 1.0 / 3.0, any, tenths]);
    let along = [0, 1].map(|axis| p[axis] + part * (q[axis] - p[axis]));
    let rounded = |x: f64, per_unit: f64| if per_unit > 0.0 { (x * per_unit).round() / per_unit } else { x };
    let corner_rounding = random.pick(&[0.0, 0.0, 10.0, 100.0]);
    let corner = along.map(|x| rounded(x, corner_rounding));
    let mut outside = || {
        let (far, aside) = (0.1 + random.part(), random.part() * 2.0 - 1.0);
        let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
        [corner[0] + far * dy + aside * dx, corner[1] - far * dx + aside * dy].map(|x| rounded(x, decimals))
    };
    let mut b = vec![corner, outside(), outside()];
    if random.whole(0, 3) == 0 {
        b[1] = if random.is_heads() { p } else { q };
    }
    let (u, v) = ([b[1][0] - b[0][0], b[1][1] - b[0][1]], [b[2][0] - b[0][0], b[2][1] - b[0][1]]);
    if u[0] * v[1] < u[1] * v[0] {
        b.swap(1, 2);
    }
    if random.is_heads() { pair(a, b) } else { pair(b, a) }
}

/// Pythagorean triples, each as the two legs and the hypotenuse.
pub(crate) const TRIPLES: [[i64; 3]; 8] =
    [[3, 4, 5], [5, 12, 13], [8, 15, 17], [7, 24, 25], [20, 21, 29], [12, 35, 37], [9, 40, 41], [28, 45, 53]];

/// Draws pairs of [`triples`] with coordinates up to about a thousand.
fn small_triples(random: &mut Random) -> Option<Drawn> {
    let most = random.whole(1, 30);
    triples(random, most, 40)
}

/// Draws pairs of [`triples`] with edges of up to 2^48.
fn huge_triples(random: &mut Random) -> Option<Drawn> {
    let bits = random.whole(8, 42);
    let slack = random.whole(1, bits);
    triples(random, 1 << bits, 1 << slack)
}

/// Draws a polygon with an edge that is a multiple of a triple's legs. A corner or a parallel edge of the other polygon lies at
/// a whole distance from the line of this edge.
fn triples(random: &mut Random, most: i64, slack: i64) -> Option<Drawn> {
    let [x, y, hypotenuse] = random.pick(&TRIPLES);
    let (mut leg, multiple) = ([x, y], random.whole(1, most));
    if random.is_heads() {
        leg.swap(0, 1);
    }
    let base = if slack < 100 { [random.whole(-99, 99), random.whole(-99, 99)] } else { [0, 0] };
    let end = [0, 1].map(|k| base[k] + multiple * leg[k]);
    let mut a = vec![base, end];
    for _ in 0..random.whole(1, 3) {
        // The vector from `base` to the point is `along` times `leg` along the edge, and `back` times its length to the left.
        let (back, along) = (random.whole(1, most.max(2)), random.whole(0, multiple));
        let aside = [random.whole(0, slack), random.whole(0, slack)];
        let point = [base[0] + along * leg[0] - back * leg[1], base[1] + along * leg[1] + back * leg[0]];
        let moved = [point[0] - aside[0], point[1] + aside[1]];
        a.push(if random.is_heads() { point } else { moved });
    }
    // Integers u and v with leg[1] u - leg[0] v = 1. The vector (u, v) leads one step to the right of the edge's
    // line.
    let u = (0..leg[0]).find(|u| (leg[1] * u - 1) % leg[0] == 0)?;
    let v = (leg[1] * u - 1) / leg[0];
    let away = hypotenuse * random.pick(&[0, 1, 1, 2, 3, -1]);
    let foot = random.whole(-1, multiple + 1);
    let along = foot - (u * away) / leg[0];
    let corner = [base[0] + u * away + along * leg[0], base[1] + v * away + along * leg[1]];
    let mut b = vec![corner];
    for _ in 0..random.whole(2, 3) {
        let offset = [random.whole(-slack, slack), random.whole(-slack, slack)];
        let parallel = random.whole(1, multiple);
        let offset = random.pick(&[offset, offset, [parallel * leg[0], parallel * leg[1]]]);
        if leg[1] * offset[0] - leg[0] * offset[1] >= 0 {
            b.push([corner[0] + offset[0], corner[1] + offset[1]]);
        }
    }
    let (a, b) = (decimal_hull(a, 1.0)?, decimal_hull(b, 1.0)?);
    if random.is_heads() { pair(a, b) } else { pair(b, a) }
}

/// Returns a polygon of `count` vertices on an ellipse.
fn round(random: &mut Random, count: i64, centre: [f64; 2], radii: [f64; 2]) -> Ring {
    let mut turns: Vec<f64> = (0..count).map(|_| random.part() * std::f64::consts::TAU).collect();
    turns.sort_by(f64::total_cmp);
    turns.iter().map(|t| [centre[0] + radii[0] * t.cos(), centre[1] + radii[1] * t.sin()]).collect()
}

/// Draws two polygons of 3 to 40 vertices.
fn random(random: &mut Random) -> Option<Drawn> {
    let [counts_a, counts_b] = [random.whole(3, 12), random.whole(3, 12)];
    let many =
        |random: &mut Random, count| if random.whole(0, 7) == 0 { random.whole(13, 40) } else { count };
    let (count_a, count_b) = (many(random, counts_a), many(random, counts_b));
    let radii = [0.1 + random.part(), 0.1 + random.part()];
    let a = round(random, count_a, [0.0, 0.0], [1.0, 1.0]);
    let centre = [random.part() * 4.0 - 2.0, random.part() * 4.0 - 2.0];
    let b = round(random, count_b, centre, radii);
    pair(a, b)
}

/// Draws triangles whose length is a thousand to a billion times their width: along one line, across each other, or next to a
/// larger triangle.
fn slivers(random: &mut Random) -> Option<Drawn> {
    let thin = 10f64.powi(-random.whole(3, 9) as i32);
    let direction = random.pick(&[[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.5, 0.3], [-0.8, 0.6]]);
    let place = |x: f64, y: f64| [x * direction[0] - y * direction[1], x * direction[1] + y * direction[0]];
    let tenths = |random: &mut Random, last: i64| random.whole(0, last) as f64 / 10.0;
    let ring = |random: &mut Random, side: f64| {
        let (from, length, tip) = (tenths(random, 20), 0.1 + tenths(random, 30), tenths(random, 10));
        let [p, q, r] = [place(from, 0.0), place(from + length, 0.0), place(from + tip * length, side)];
        if side > 0.0 { vec![p, q, r] } else { vec![q, p, r] }
    };
    let a = ring(random, thin);
    let b = match random.whole(0, 3) {
        0 => ring(random, -thin),
        1 => {
            let side = -0.1 - tenths(random, 9);
            ring(random, side)
        }
        2 => {
            // The triangle lies across the other triangle.
            let (x, y) = (tenths(random, 40), tenths(random, 4) - 0.2);
            vec![[x, y], [x + thin, y], [x, y + 1.0]]
        }
        _ => {
            let gap = random.pick(&[0.0, thin, 0.1 * thin, 0.1]);
            map(&ring(random, -thin), |x| x + gap)
        }
    };
    pair(a, b)
}

/// Draws nested or equal polygons: boxes that may share sides, and polygons about one centre.
fn nested(random: &mut Random) -> Option<Drawn> {
    if random.is_heads() {
        let per_unit = random.pick(&[10.0, 100.0]);
        let outer = [random.whole(-5, 5), random.whole(-5, 5), random.whole(3, 9), random.whole(3, 9)];
        let inner = [0, 1].map(|k| {
            let from = random.whole(0, outer[2 + k] - 1);
            (outer[k] + from, outer[k] + random.whole(from + 1, outer[2 + k]))
        });
        let ring = |x: (i64, i64), y: (i64, i64)| {
            decimal_hull(vec![[x.0, y.0], [x.1, y.0], [x.1, y.1], [x.0, y.1]], per_unit)
        };
        let outer = ring((outer[0], outer[0] + outer[2]), (outer[1], outer[1] + outer[3]))?;
        return pair(outer, ring(inner[0], inner[1])?);
    }
    let count = random.whole(3, 20);
    let a = round(random, count, [3.0, 0.1], [1.0, 1.0]);
    let any = random.part();
    let part = random.pick(&[1.0, 0.5, 0.25, 0.1, any]);
    let b = a.iter().map(|v| [3.0 + part * (v[0] - 3.0), 0.1 + part * (v[1] - 0.1)]).collect();
    if random.is_heads() { pair(a, b) } else { pair(b, a) }
}

/// Draws a pair of any of the plain kinds.
fn plain(random: &mut Random) -> Option<Drawn> {
    let (_, kind) = random.pick(&PLAIN);
    kind(random)
}

/// Draws a pair scaled by a power of two, which is exact, or by a power of ten, which rounds.
fn all_magnitudes(random: &mut Random) -> Option<Drawn> {
    let drawn = plain(random)?;
    let mut of_block = random.of_block();
    let scale = if of_block.is_heads() {
        2f64.powi(of_block.whole(-150, 150) as i32)
    } else {
        10f64.powi(of_block.whole(-44, 45) as i32)
    };
    let scaled = |ring: &Ring| map(ring, |x| x * scale);
    let (a, b) = (scaled(&drawn.a), scaled(&drawn.b));
    let fits = |x: &f64| *x == 0.0 || (MIN_COORDINATE..=MAX_COORDINATE).contains(&x.abs());
    if a.iter().chain(&b).flatten().all(fits) { pair(a, b) } else { None }
}

/// Draws a pair moved far away, which rounds the coordinates again.
fn far(random: &mut Random) -> Option<Drawn> {
    let drawn = plain(random)?;
    let mut of_block = random.of_block();
    let by = [0, 1].map(|_| of_block.pick(&[1e3, -1e6, 1e6, 123_456.7, 5e8, -1e9, 1e9, 1e12, 0.0]));
    let moved = |ring: &Ring| -> Ring { ring.iter().map(|v| [v[0] + by[0], v[1] + by[1]]).collect() };
    pair(moved(&drawn.a), moved(&drawn.b))
}

/// Returns the cosine and sine of a random angle.
fn turn(random: &mut Random) -> [f64; 2] {
    let angle = random.part() * std::f64::consts::TAU;
    let exact = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [0.6, 0.8], [-5.0 / 13.0, 12.0 / 13.0]];
    if random.is_heads() { random.pick(&exact) } else { [angle.cos(), angle.sin()] }
}

/// Draws a pair with poses. Either both polygons have the same pose, so that they still line up, or each has its own
/// rotation.
fn posed(random: &mut Random) -> Option<Drawn> {
    let drawn = plain(random)?;
    let mut pose = || {
        let [cos, sin] = turn(random);
        let place = random.pick(&[0.0, 0.5, 10.1, 1e6]);
        [cos, sin, place, random.whole(-20, 20) as f64 / 10.0]
    };
    let of_a = pose();
    let of_b = pose();
    let of_b = if random.whole(0, 3) > 0 { of_a } else { [of_b[0], of_b[1], of_a[2], of_a[3]] };
    Some(Drawn { poses: Some([of_a, of_b]), ..drawn })
}

/// Draws polygons that lie far from their pivots. The translation brings them back.
fn posed_about_a_far_pivot(random: &mut Random) -> Option<Drawn> {
    let drawn = plain(random)?;
    let [cos, sin] = turn(random);
    let by = random.pick(&[[1e3, 0.0], [0.0, 1e6], [-1e6, 1e6], [1e9, 3.0]]);
    let moved = |ring: &Ring| -> Ring { ring.iter().map(|v| [v[0] + by[0], v[1] + by[1]]).collect() };
    let back = [-(cos * by[0] - sin * by[1]), -(sin * by[0] + cos * by[1])];
    let poses = Some([[cos, sin, back[0], back[1]]; 2]);
    Some(Drawn { a: moved(&drawn.a), b: moved(&drawn.b), poses })
}
