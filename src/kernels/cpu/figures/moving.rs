//! Computes in f32 the time at which two moving polygons first touch. The search advances in the same way as
//! [`super::impact`], which derives the bounds, but tries fewer directions and rotation speeds. If f32 cannot decide a
//! pair, the pair is uncertain.
//!
//! # Errors
//!
//! In the frame that moves with A's centre, a vertex is at `v + sin θ perp(v - c) - (1 - cos θ) (v - c)` at the time t. The
//! vertices of B also move by the relative displacement. The error e of a computed gap or distance is at most the sum of
//!
//! - 1.5 E for the packed vertices of both polygons, where E is the sum of the errors of both records,
//! - the errors of the motion ([`super::motion`]), and
//! - 16 u times the sum of the pair's size and the relative displacement, for the operations. Here, u = 2^-23.
//!
//! If 8 e is at most the tolerance, a pair hits if its computed distance is at most the tolerance minus 2 e. Steps keep a distance
//! of half of this value, minus e for the errors of the roots, so the true distance is never below an eighth of the tolerance.
//! Otherwise, f32 can only prove that a pair keeps a computed distance of 4 e, which is a true distance of at least 3 e. All other
//! pairs are uncertain.

use super::closest::{Feature, closest};
use super::edges::{best_edge, first_lane, unit_normal};
use super::{size_of_pair, steps};
use crate::base::parallel::prelude::*;
use crate::kernels::cpu::simd::points::Points;
use crate::kernels::cpu::simd::{self, offset};
use crate::packed::layout::{
    FEATURE_IS_EDGE, IMPACT_APART, IMPACT_HIT, IMPACT_OVERLAPS, IMPACT_STEPS_SHIFT, ImpactRecord,
    MotionRecord, UNCERTAIN_FIGURE,
};
use crate::packed::records::{LANES, Records, View};
use crate::simd::{FORMS, Instructions, Lanes, Vectorised, greater, negated, prefetch, vectorised};

/// f32 is used only for moving polygons with at most this many vertices. f64 decides pairs with a larger polygon.
pub(super) const MOST_VERTICES: usize = 128;
/// The maximum number of time steps in the search for a time of impact.
const MOST_STEPS: u32 = 24;
/// The maximum number of roots that the search for the root of a bound computes, one in each round but the last.
const MOST_LINES: usize = 4;
/// A length, in quanta of the [`Grid`](crate::packed::grid::Grid), that is greater than any gap. If the error of a gap
/// is at least this length, nothing is known about the gap.
const ANY: f32 = f32::from_bits((127 + 90) << 23);
/// The least divisor. It replaces any lesser divisor, so that no division is by 0.
const LEAST_SQUARE: f32 = f32::from_bits((127 - 100) << 23);
/// A length, in quanta. The square of this length or of a greater length loses no bits to underflow.
const LEAST_LENGTH: f32 = f32::from_bits((127 - 40) << 23);
/// An upper bound on the relative rounding error of a computed length.
const ROUNDINGS: f32 = 16.0 * f32::EPSILON;

/// Computes the time of impact of a pair. This function is the twin of `shaders/time_of_impact.wgsl`. `VERTICES` is the
/// maximum number of vertices of either polygon, or 0 for any number. A row of a moved polygon has room for `ROOM`
/// coordinates, and the bounds read at most `BLOCKS` blocks of eight vertices.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn record<I: Instructions, const VERTICES: usize, const ROOM: usize, const BLOCKS: usize>(
    i: I,
    (a, b): (View<'_>, View<'_>),
    (motion_a, motion_b): (&MotionRecord, &MotionRecord),
    tolerance: f32,
) -> ImpactRecord {
    let o = offset(a.head, b.head);
    let way = [motion_b.linear[0] - motion_a.linear[0], motion_b.linear[1] - motion_a.linear[1]];
    let size = size_of_pair(a.head, b.head, o) + length(way);
    let error = 1.5 * (a.head.error + b.head.error) + motion_a.error + motion_b.error + ROUNDINGS * size;
    let error = error + LEAST_LENGTH;
    let too_large = VERTICES == 0 && a.head.vertex_count.max(b.head.vertex_count) > MOST_VERTICES as u32;
    if too_large || error >= ANY {
        return uncertain(0);
    }
    let known = 8.0 * error <= tolerance;
    let near = if known { tolerance - 2.0 * error } else { 8.0 * error };
    let limits = Limits { target: 0.5 * near, error };
    let mut time = steps::advance(until_circles_meet(motion_a, motion_b, o, way, limits));
    if time >= 1.0 {
        return ImpactRecord { time: 1.0, word: IMPACT_APART, ..ImpactRecord::default() };
    }
    let mut axis = None;
    if time <= 0.0 {
        time = 0.0;
        let best = best_edge::<I, VERTICES>(i, a, b);
        if best.overlap {
            return overlapping(a, b, best.edge, best.of_b);
        }
        if !best.apart {
            return uncertain(0);
        }
        if best.separation > near {
            let (normal, turn) = if best.of_b {
                (negated(unit_normal(b, best.edge)), motion_b.angular)
            } else {
                (unit_normal(a, best.edge), motion_a.angular)
            };
            axis = Some(Axis { normal, turn });
        }
    }
    for step in 1..=MOST_STEPS {
        let (turn_a, turn_b) = (turn_by(motion_a.angular * time), turn_by(motion_b.angular * time));
        let moved_by = [way[0] * time, way[1] * time];
        let rows_a = Rows::<ROOM>::place::<I, VERTICES>(i, a, motion_a.centre, turn_a, [0.0; 2]);
        let rows_b = Rows::<ROOM>::place::<I, VERTICES>(i, b, motion_b.centre, turn_b, moved_by);
        let (moved_a, moved_b) = (rows_a.view(a), rows_b.view(b));
        let Axis { normal, turn } = match axis.take() {
            Some(axis) => axis,
            None => {
                let closest = closest::<I, VERTICES>(i, moved_a, moved_b);
                if closest.distance <= near {
                    if !known {
                        return uncertain(step);
                    }
                    return ImpactRecord {
                        time,
                        feature_a: word(closest.feature_a),
                        feature_b: word(closest.feature_b),
                        word: IMPACT_HIT | step << IMPACT_STEPS_SHIFT,
                    };
                }
                let between =
                    [closest.point_b[0] - closest.point_a[0], closest.point_b[1] - closest.point_a[1]];
                if closest.feature_a.is_edge {
                    let normal = unit_normal(moved_a, closest.feature_a.index);
                    Axis { normal, turn: motion_a.angular }
                } else if closest.feature_b.is_edge {
                    let normal = negated(unit_normal(moved_b, closest.feature_b.index));
                    Axis { normal, turn: motion_b.angular }
                } else {
                    Axis { normal: [between[0] / closest.distance, between[1] / closest.distance], turn: 0.0 }
                }
            }
        };
        let rest = 1.0 - time;
        let centre_b = [motion_b.centre[0] + moved_by[0], motion_b.centre[1] + moved_by[1]];
        let scene = Scene { normal, way, o, rest, motions: [motion_a, motion_b], centre_b };
        let mut next = scene.stays::<I, VERTICES, BLOCKS>(i, moved_a, moved_b, turn, limits);
        if turn != 0.0 && next < rest {
            let still = scene.stays::<I, VERTICES, BLOCKS>(i, moved_a, moved_b, 0.0, limits);
            next = if still > next { still } else { next };
        }
        next = steps::advance(next);
        if next >= rest {
            let word = IMPACT_APART | step << IMPACT_STEPS_SHIFT;
            return ImpactRecord { time: 1.0, word, ..ImpactRecord::default() };
        }
        let later = time + next;
        if later <= time && step > 1 {
            return uncertain(step);
        }
        time = later;
    }
    uncertain(MOST_STEPS)
}

/// The distance that the polygons keep in each time step, and the bound on the error of a computed gap.
#[derive(Clone, Copy)]
struct Limits {
    target: f32,
    error: f32,
}

/// A unit vector from A to B, along which gaps are computed, and the angle by which it rotates per step, in radians.
#[derive(Clone, Copy)]
struct Axis {
    normal: [f32; 2],
    turn: f32,
}

#[inline(always)]
fn uncertain(steps: u32) -> ImpactRecord {
    ImpactRecord { word: UNCERTAIN_FIGURE | steps << IMPACT_STEPS_SHIFT, ..ImpactRecord::default() }
}

#[inline(always)]
fn word(feature: Feature) -> u32 {
    feature.index | if feature.is_edge { FEATURE_IS_EDGE } else { 0 }
}

/// Returns the impact of two polygons that overlap at the start: the edge of least penetration, and the deepest vertex
/// of the other polygon.
#[inline(always)]
fn overlapping(a: View<'_>, b: View<'_>, edge: u32, of_b: bool) -> ImpactRecord {
    let (reference, other) = if of_b { (b, a) } else { (a, b) };
    let normal = unit_normal(reference, edge);
    let (mut deepest, mut least) = (0, f32::INFINITY);
    for k in 0..other.head.vertex_count as usize {
        let depth = dot(normal, [other.x[k], other.y[k]]);
        if depth < least {
            (deepest, least) = (k, depth);
        }
    }
    let (edge, vertex) = (edge | FEATURE_IS_EDGE, deepest as u32);
    let (feature_a, feature_b) = if of_b { (vertex, edge) } else { (edge, vertex) };
    ImpactRecord { time: 0.0, feature_a, feature_b, word: IMPACT_OVERLAPS }
}

/// Returns the fraction of the step during which the circles around the two polygons stay apart by at least the target
/// distance. The circles have their centres at the centres of rotation.
#[inline(always)]
fn until_circles_meet(a: &MotionRecord, b: &MotionRecord, o: [f32; 2], way: [f32; 2], limits: Limits) -> f32 {
    let between = [o[0] + (b.centre[0] - a.centre[0]), o[1] + (b.centre[1] - a.centre[1])];
    let magnitude = length(o) + length(a.centre) + length(b.centre) + a.radius + b.radius;
    let radius = a.radius + b.radius + limits.target + limits.error + ROUNDINGS * magnitude;
    let (apart, speed) = (length(between), length(way));
    if apart <= radius {
        return 0.0;
    }
    let along = -(between[0] * way[0] + between[1] * way[1]);
    let aside = (between[0] * way[1] - between[1] * way[0]).abs();
    if along <= 0.0 || aside >= radius * speed || speed <= LEAST_LENGTH {
        return 1.0;
    }
    let (along, aside) = (along / speed, aside / speed);
    let inside = ((radius - aside) * (radius + aside)).max(0.0).sqrt();
    (along - inside) / speed
}

#[inline(always)]
fn dot(u: [f32; 2], v: [f32; 2]) -> f32 {
    u[0] * v[0] + u[1] * v[1]
}

#[inline(always)]
fn length([x, y]: [f32; 2]) -> f32 {
    (x * x + y * y).sqrt()
}

/// Returns the sine of an angle, and 1 minus its cosine. The magnitude of the angle is at most 2^9 radians. With
/// u = 2^-23, the error of each result is at most 4 u times its magnitude plus u times the magnitude of the angle.
#[inline(always)]
pub(super) fn turn_by(angle: f32) -> [f32; 2] {
    // A full turn as a sum. The first part has few enough bits that its multiples are exact.
    const TURN: f32 = 6.28125;
    const TURN_REST: f32 = 0.001_935_307_2;
    let turns = (angle * std::f32::consts::FRAC_1_PI * 0.5).round_ties_even();
    let half = 0.5 * ((angle - turns * TURN) - turns * TURN_REST);
    // The Taylor series. The omitted terms are below 2^-28 for angles up to half of pi.
    let z = half * half;
    let sin = half
        * (1.0
            - z * (1.0 / 6.0)
                * (1.0
                    - z * (1.0 / 20.0)
                        * (1.0
                            - z * (1.0 / 42.0)
                                * (1.0
                                    - z * (1.0 / 72.0)
                                        * (1.0 - z * (1.0 / 110.0) * (1.0 - z * (1.0 / 156.0)))))));
    let cos = 1.0
        - z * 0.5
            * (1.0
                - z * (1.0 / 12.0)
                    * (1.0
                        - z * (1.0 / 30.0)
                            * (1.0
                                - z * (1.0 / 56.0)
                                    * (1.0
                                        - z * (1.0 / 90.0)
                                            * (1.0 - z * (1.0 / 132.0) * (1.0 - z * (1.0 / 182.0)))))));
    [2.0 * sin * cos, 2.0 * sin * sin]
}

/// The coordinates of the vertices of a polygon at one time of its motion.
struct Rows<const ROOM: usize> {
    x: [f32; ROOM],
    y: [f32; ROOM],
}

impl<const ROOM: usize> Rows<ROOM> {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn place<I: Instructions, const VERTICES: usize>(
        i: I,
        polygon: View<'_>,
        centre: [f32; 2],
        [sin, versine]: [f32; 2],
        moved_by: [f32; 2],
    ) -> Self {
        let mut rows = Self { x: [0.0; ROOM], y: [0.0; ROOM] };
        let count = polygon.head.vertex_count as usize;
        let mut start = 0;
        loop {
            // The last register starts earlier, so that it is full.
            let from = if start == 0 { 0 } else { start.min(count - LANES) };
            let v = Points { x: i.load(polygon.x, from), y: i.load(polygon.y, from) };
            let arm = v.minus(Points { x: i.splat(centre[0]), y: i.splat(centre[1]) });
            let (sin, versine) = (i.splat(sin), i.splat(versine));
            let x = v.x.sub(arm.y.mul_add(sin, arm.x.mul(versine))).add(i.splat(moved_by[0]));
            let y = v.y.add(arm.x.mul(sin).sub(arm.y.mul(versine))).add(i.splat(moved_by[1]));
            rows.x[from..from + LANES].copy_from_slice(&x.to_array());
            rows.y[from..from + LANES].copy_from_slice(&y.to_array());
            start += LANES;
            if VERTICES != 0 || start >= count {
                break;
            }
        }
        // The first vertex follows the last vertex, so that the last edge can be read like every other edge.
        let last = if count > LANES { count } else { LANES };
        rows.x[last] = rows.x[last - count];
        rows.y[last] = rows.y[last - count];
        rows
    }

    #[inline(always)]
    fn view<'a>(&'a self, polygon: View<'a>) -> View<'a> {
        let row = polygon.x.len();
        View { head: polygon.head, x: &self.x[..row], y: &self.y[..row] }
    }
}

/// The arguments of [`Scene::stays`] without the vertices, limits and speed. `normal` is the direction along which gaps are computed,
/// `way` the displacement of B relative to A, `o` the vector from A's anchor to B's, and `rest` the remaining fraction of the step.
struct Scene<'a> {
    normal: [f32; 2],
    way: [f32; 2],
    o: [f32; 2],
    rest: f32,
    motions: [&'a MotionRecord; 2],
    /// The centre of B's rotation, relative to B's anchor, in quanta.
    centre_b: [f32; 2],
}

impl Scene<'_> {
    /// Returns a time, at most the rest of the step, during which the bound proves that the gap along the direction is
    /// at least the target minus the error. The search approaches the root of a concave function from above. Each round
    /// uses only the vertex of each polygon whose projection is the least at the current time, and computes the root
    /// for these two vertices.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn stays<I: Instructions, const VERTICES: usize, const BLOCKS: usize>(
        &self,
        i: I,
        a: View<'_>,
        b: View<'_>,
        turn: f32,
        limits: Limits,
    ) -> f32 {
        let Self { normal: n, way, o, rest, motions: [motion_a, motion_b], centre_b } = *self;
        let between = [o[0] + (centre_b[0] - motion_a.centre[0]), o[1] + (centre_b[1] - motion_a.centre[1])];
        let at_end = [between[0] + way[0] * rest, between[1] + way[1] * rest];
        let farthest = greater(length(between), length(at_end));
        let (turn_a, turn_b) = (motion_a.angular - turn, motion_b.angular - turn);
        let bend = turn * turn * farthest
            + 2.0 * turn.abs() * length(way)
            + turn_a * turn_a * motion_a.radius
            + turn_b * turn_b * motion_b.radius;
        // The factor covers the rounding of `bend`.
        let bend = bend * (1.0 + ROUNDINGS);
        let slope = dot(n, way) + turn * (n[0] * between[1] - n[1] * between[0]);
        let of_a = Lines::<I, BLOCKS>::new::<VERTICES>(i, a, negated(n), motion_a.centre, turn_a);
        let of_b = Lines::<I, BLOCKS>::new::<VERTICES>(i, b, n, centre_b, turn_b);
        let apart = dot(n, o);
        let (mut time, mut start, mut value) = (0.0, 0.0, 0.0);
        // The first round uses the lines that are least at the start. Each later round uses the lines that are least at
        // the previous root.
        for tried in 0..=MOST_LINES {
            let ((p, q), (r, s)) = (of_a.least(i, time), of_b.least(i, time));
            let (p, q) = ((p + r) + apart, (q + s) + slope);
            value = p + (q - 0.5 * bend * time) * time;
            if tried == 0 {
                start = p;
                if start <= limits.target {
                    return 0.0;
                }
            } else if value >= limits.target - limits.error {
                return time;
            }
            if tried < MOST_LINES {
                let next = root(p - limits.target, q, bend);
                time = if next < rest { next } else { rest };
            }
        }
        // The chord of a concave function lies below it.
        time * ((start - limits.target) / (start - value))
    }
}

/// Returns the root t of `gap + q t - bend t² / 2`, or an earlier time if `bend` is nearly 0. `gap` must be above 0.
#[inline(always)]
fn root(gap: f32, q: f32, bend: f32) -> f32 {
    let root = (q * q + 2.0 * bend * gap).sqrt();
    if q < 0.0 { 2.0 * gap / (root - q) } else { (q + root) / bend.max(LEAST_SQUARE) }
}

/// For each vertex of a polygon, a line in time: the value and the slope of the vertex's projection on a direction. The
/// bound uses the least projection.
struct Lines<I: Instructions, const BLOCKS: usize> {
    p: [I::Lanes; BLOCKS],
    q: [I::Lanes; BLOCKS],
    used: usize,
}

impl<I: Instructions, const BLOCKS: usize> Lines<I, BLOCKS> {
    #[inline(always)]
    fn new<const VERTICES: usize>(
        i: I,
        polygon: View<'_>,
        direction: [f32; 2],
        centre: [f32; 2],
        turn: f32,
    ) -> Self {
        let along = Points { x: i.splat(direction[0]), y: i.splat(direction[1]) };
        // The dot product of this vector and an arm is the slope of the arm's projection on the direction.
        let across = Points { x: i.splat(direction[1] * turn), y: i.splat(-direction[0] * turn) };
        let centre = Points { x: i.splat(centre[0]), y: i.splat(centre[1]) };
        let count = polygon.head.vertex_count as usize;
        let used = if VERTICES == 0 { count.div_ceil(LANES).min(BLOCKS) } else { 1 };
        let mut lines = Self { p: [i.splat(0.0); BLOCKS], q: [i.splat(0.0); BLOCKS], used };
        for block in 0..used {
            let start = if block == 0 { 0 } else { (block * LANES).min(count - LANES) };
            let v = Points { x: i.load(polygon.x, start), y: i.load(polygon.y, start) };
            lines.p[block] = v.dot(along);
            lines.q[block] = v.minus(centre).dot(across);
        }
        lines
    }

    /// Returns the line of the vertex whose projection is the least at the time `time`: the value at the start and the
    /// slope.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn least(&self, i: I, time: f32) -> (f32, f32) {
        let time = i.splat(time);
        let mut best = (f32::INFINITY, 0.0, 0.0);
        for block in 0..self.used {
            let values = self.q[block].mul_add(time, self.p[block]);
            let least = values.least();
            if block == 0 || least.first() < best.0 {
                let lane = first_lane(least.at_least(values));
                best = (least.first(), self.p[block].to_array()[lane], self.q[block].to_array()[lane]);
            }
        }
        (best.1, best.2)
    }
}

/// The number of pairs in one parallel task.
const TASK: usize = 1024;
/// Prefetch distance in pairs: the records of a pair are prefetched this many pairs before they are read.
const AHEAD: usize = 4;

/// Returns the time of impact of each pair, in the order of `pairs`. `motions` has the motions of the polygons on each
/// side. Each entry is `Some`, because no pair is too large for the CPU.
pub(crate) fn records_of(
    scene: simd::Scene<'_>,
    motions: [&[MotionRecord]; 2],
    pairs: &[[u32; 2]],
    tolerance: f32,
) -> Vec<Option<ImpactRecord>> {
    let mut records = vec![Some(ImpactRecord::default()); pairs.len()];
    pairs
        .par_chunks(TASK)
        .zip(records.par_chunks_mut(TASK))
        .for_each(|(pairs, out)| vectorised(Task { scene, motions, pairs, tolerance, out }));
    records
}

struct Task<'a> {
    scene: simd::Scene<'a>,
    motions: [&'a [MotionRecord]; 2],
    pairs: &'a [[u32; 2]],
    tolerance: f32,
    out: &'a mut [Option<ImpactRecord>],
}

impl Vectorised for Task<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        let Self { scene, motions: [motions_a, motions_b], pairs, tolerance, out } = self;
        for (k, (&[at_a, at_b], out)) in pairs.iter().zip(out).enumerate() {
            if let Some(&[next_a, next_b]) = pairs.get(k + AHEAD) {
                scene.a.prefetch(next_a);
                scene.b.prefetch(next_b);
                prefetch(&motions_a[next_a as usize]);
                prefetch(&motions_b[next_b as usize]);
            }
            let motions = (&motions_a[at_a as usize], &motions_b[at_b as usize]);
            *out = Some(match (scene.a, scene.b) {
                (
                    Records::Small { records: a, vertex_count: most_a },
                    Records::Small { records: b, vertex_count: most_b },
                ) => {
                    let views = (a[at_a as usize].view(), b[at_b as usize].view());
                    if FORMS && most_a.max(most_b) <= &4 {
                        record::<I, 4, { LANES + 1 }, 1>(i, views, motions, tolerance)
                    } else {
                        record::<I, LANES, { LANES + 1 }, 1>(i, views, motions, tolerance)
                    }
                }
                (Records::Large(a), Records::Large(b)) => {
                    const ROOM: usize = MOST_VERTICES + 1;
                    const BLOCKS: usize = MOST_VERTICES / LANES;
                    record::<I, 0, ROOM, BLOCKS>(i, (a.get(at_a), b.get(at_b)), motions, tolerance)
                }
                _ => unreachable!("both sides of a join are packed alike"),
            });
        }
    }
}

#[cfg(test)]
mod tests;
