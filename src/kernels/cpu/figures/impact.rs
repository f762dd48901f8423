//! Computes in f64 the time at which two moving pieces first touch. The time advances in steps, and each step is proven
//! to contain no contact.
//!
//! This is conservative advancement (Mirtich 1996, "Impulse-based Dynamic Simulation of Rigid Body Systems", 3.2;
//! Ericson 2005, "Real-Time Collision Detection", 5.5.3) with a bound of second order. Let n be a unit vector from A to
//! B that rotates at a chosen speed w, and let s be the gap between the two pieces along n. At the time t, let D be the
//! vector from A's centre to B's centre, V the relative velocity of the centres, and α and β the arms from the centres
//! to the vertices. Then
//!
//! ```text
//! s(t + d) = n(d).(D + V d) + min n(d).β(d) - max n(d).α(d)
//! ```
//!
//! Each term is a function of d. Its value and its slope at d = 0 have simple formulas. Bounds on the second derivatives
//! are
//!
//! ```text
//! first term:              w² |D + V d| + 2 |w| |V|
//! a vertex of either body: (angular - w)² arm
//! ```
//!
//! Let K be the sum of the first bound, for the greatest |D + V d|, and of the second bound, for the longest arm of each
//! body. Let p be the projection of a vertex on n at d = 0, and q the slope of n(d).α(d) or n(d).β(d) at d = 0. Let
//! `slope` be the slope of the first term at d = 0. Then
//!
//! ```text
//! s(t + d) >= G(d) = slope d + min (p + q d) over B - max (p + q d) over A - K d² / 2
//! ```
//!
//! The target is half of the tolerance. G is concave: if G is at least the target at both ends of an interval, G is at
//! least the target in the whole interval. The rotation speed w is chosen as follows:
//!
//! - For a fixed direction, w = 0. If neither body rotates, K = 0 and q = 0, so G is exact: one step reaches the time at
//!   which the gap along this direction is the target, or the end of the motion.
//! - For the normal of a rotating edge, w is the rotation speed of the edge's polygon. The direction then rotates with the
//!   edge, so the ends of the edge do not shorten the steps.
//! - A body that spins fast can be replaced by the circle that its vertices sweep. This circle adds nothing to K.
//!
//! Near a contact, the length of a step is proportional to the gap, so the error of G is proportional to the square of the
//! gap. A step ends too early by a time that is proportional to this error.

use glam::DVec2;

use super::local::{LocalPair, LocalPolygon};
use super::reference::{best_edge, closest};
use crate::answers::impact::{Impact, ImpactOutcome, TimeOfImpact, TimeOfImpactOptions};
use crate::answers::pair::{Motion, PairFeature, PairFeatures};
use crate::answers::results::Relation;
use crate::base::angles::sin_cos;
use crate::base::side::PairSide;
use crate::geometry::Piece;
use crate::kernels::cpu::exact;

/// The least tolerance that the search uses, as a fraction of the reach of the motion (`Bodies::reach`). It is about a
/// thousand times the error of the arithmetic.
const LEAST_TOLERANCE: f64 = 1.0 / (1u64 << 40) as f64;
/// An upper bound on the relative rounding error of a computed length.
const ROUNDING: f64 = 1.0 / (1u64 << 48) as f64;
/// Newton's method takes at most this many steps to find a root of a bound. If they do not find it, the search uses the
/// root of a chord, which is earlier than the root of the bound.
const NEWTON_STEPS: usize = 12;

/// One polygon and its motion over the whole step. Positions are relative to the origin of the pair.
struct Body {
    start: LocalPolygon,
    /// The centre of rotation. For a polygon that does not rotate, the centre is a point of the polygon, so that no arm
    /// is long.
    centre: DVec2,
    /// For each vertex of the polygon, the vector from the centre to this vertex.
    arms: Vec<DVec2>,
    /// The greatest length of an arm: the radius of a circle around the centre that contains the polygon.
    radius: f64,
    /// The angle by which the polygon rotates over the step, in radians.
    angular: f64,
}

impl Body {
    fn new(start: LocalPolygon, motion: &Motion, origin: DVec2, step: f64) -> Self {
        let angular = motion.angular * step;
        let centre = if angular == 0.0 { start.vertices[0] } else { motion.centre - origin };
        let arms: Vec<DVec2> = start.vertices.iter().map(|&v| v - centre).collect();
        let radius = arms.iter().map(|arm| arm.length()).fold(0.0, f64::max);
        Self { start, centre, arms, radius, angular }
    }

    /// Returns the polygon and its arms at the time `time`, displaced by `way`.
    fn at(&self, time: f64, way: DVec2) -> Placed {
        let angle = self.angular * time;
        let (sin, half) = (sin_cos(angle).0, sin_cos(angle * 0.5).0);
        // The change of a vector by the rotation. The formula keeps its precision if the rotation is small.
        let turned = |v: DVec2| v.perp() * sin - v * (2.0 * half * half);
        let polygon = LocalPolygon {
            vertices: (self.start.vertices.iter().zip(&self.arms))
                .map(|(&v, &arm)| v + turned(arm) + way)
                .collect(),
            edges: self.start.edges.iter().map(|&edge| edge + turned(edge)).collect(),
        };
        Placed {
            polygon,
            arms: self.arms.iter().map(|&arm| arm + turned(arm)).collect(),
            centre: self.centre + way,
        }
    }
}

/// The polygon of a body at one time, with the arms and the centre of the body.
struct Placed {
    polygon: LocalPolygon,
    arms: Vec<DVec2>,
    centre: DVec2,
}

/// Both bodies of a pair, in the frame that moves with A's centre of rotation.
struct Bodies {
    origin: DVec2,
    a: Body,
    b: Body,
    /// The displacement of A's centre of rotation over the step.
    way_a: DVec2,
    /// The displacement of B's centre of rotation relative to A's centre, over the step.
    way: DVec2,
    /// A factor for the second-order term of every bound. If the factor is at least 1, the bounds are proven.
    caution: f64,
}

/// Returns the time at which the two pieces first come within the tolerance of `options`, or another outcome of
/// [`TimeOfImpact`].
pub(crate) fn time_of_impact(
    a: Piece<'_>,
    b: Piece<'_>,
    motions: [&Motion; 2],
    options: &TimeOfImpactOptions,
) -> TimeOfImpact {
    cautious(a, b, motions, options, 1.0)
}

/// Computes the time of impact as [`time_of_impact`] does, but multiplies the second-order term of every bound by
/// `caution`. If `caution` is below 1, the bounds are not proven.
fn cautious(
    a: Piece<'_>,
    b: Piece<'_>,
    motions: [&Motion; 2],
    options: &TimeOfImpactOptions,
    caution: f64,
) -> TimeOfImpact {
    let bodies = Bodies { caution, ..Bodies::new(LocalPair::new(a, b), motions, options.step) };
    let relation = exact::relation(a, b);
    if relation != Relation::Disjoint {
        let outcome = if relation == Relation::Overlapping {
            ImpactOutcome::OverlappingAtStart
        } else {
            ImpactOutcome::Hit
        };
        return TimeOfImpact { outcome, time: 0.0, impact: Some(bodies.deepest()), iterations: 0 };
    }
    let tolerance = options.tolerance.max(LEAST_TOLERANCE * bodies.reach());
    let target = 0.5 * tolerance;
    let mut time = 0.0;
    for iterations in 1..=options.most_iterations {
        let now = bodies.at(time);
        let near = closest(&now.pair);
        let between = near.point_b - near.point_a;
        let best = best_edge(&now.pair).expect("a polygon has edges");
        let from_a_to_b = match near.features {
            PairFeatures { a: PairFeature::Edge(k), .. } => now.pair.a.normal(k as usize),
            PairFeatures { b: PairFeature::Edge(k), .. } => -now.pair.b.normal(k as usize),
            // If the two closest vertices round to the same point, the direction between them is unknown.
            _ => between.try_normalize().unwrap_or(best.normal),
        };
        if between.length() <= tolerance {
            let point = bodies.origin + (near.point_a + between * 0.5) + bodies.way_a * time;
            let impact = Some(Impact { normal: from_a_to_b, point });
            return TimeOfImpact { outcome: ImpactOutcome::Hit, time, impact, iterations };
        }
        let rest = 1.0 - time;
        let next = bodies
            .until_circles_meet(&now, rest, target)
            .max(bodies.advance(&now, rest, from_a_to_b, target))
            .max(bodies.advance(&now, rest, best.normal, target));
        if next >= rest {
            return TimeOfImpact { outcome: ImpactOutcome::Apart, time: 1.0, impact: None, iterations };
        }
        time += next;
    }
    let iterations = options.most_iterations;
    TimeOfImpact { outcome: ImpactOutcome::IterationLimit, time, impact: None, iterations }
}

/// The polygons of both bodies at one time, with their arms and centres, for one step of the search.
struct Now {
    pair: LocalPair,
    arms_a: Vec<DVec2>,
    arms_b: Vec<DVec2>,
    centre_a: DVec2,
    centre_b: DVec2,
}

impl Bodies {
    fn new(pair: LocalPair, [a, b]: [&Motion; 2], step: f64) -> Self {
        let LocalPair { origin, a: start_a, b: start_b } = pair;
        Self {
            origin,
            a: Body::new(start_a, a, origin, step),
            b: Body::new(start_b, b, origin, step),
            way_a: a.linear * step,
            way: (b.linear - a.linear) * step,
            caution: 1.0,
        }
    }

    /// Returns an upper bound on the distances and movements of the pair. Rounding errors are fractions of this bound.
    fn reach(&self) -> f64 {
        let extent = |body: &Body| body.start.vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
        let arc = |body: &Body| body.radius * body.angular.abs();
        extent(&self.a) + extent(&self.b) + self.way.length() + arc(&self.a) + arc(&self.b)
    }

    fn at(&self, time: f64) -> Now {
        let (a, b) = (self.a.at(time, DVec2::ZERO), self.b.at(time, self.way * time));
        Now {
            pair: LocalPair { origin: self.origin, a: a.polygon, b: b.polygon },
            arms_a: a.arms,
            arms_b: b.arms,
            centre_a: a.centre,
            centre_b: b.centre,
        }
    }

    /// Returns the impact of two bodies that already meet at the start: the normal of the edge of least penetration,
    /// and the deepest point of the other body.
    fn deepest(&self) -> Impact {
        let Now { pair, .. } = self.at(0.0);
        let best = best_edge(&pair).expect("a polygon has edges");
        let along = |v: &&DVec2| best.normal.dot(**v);
        let ends = match best.edge.map_or(PairSide::A, |edge| edge.side) {
            PairSide::A => pair.b.vertices.iter().min_by(|v, w| along(v).total_cmp(&along(w))),
            PairSide::B => pair.a.vertices.iter().max_by(|v, w| along(v).total_cmp(&along(w))),
        };
        let point = self.origin + ends.copied().unwrap_or_default();
        Impact { normal: best.normal, point }
    }

    /// Returns the time, at most `rest`, during which the circles of the two bodies stay apart by at least the target
    /// distance. The circle of a body has its centre at the body's centre and contains all vertices of the body.
    fn until_circles_meet(&self, now: &Now, rest: f64, target: f64) -> f64 {
        let (between, way) = (now.centre_b - now.centre_a, self.way);
        let radius = self.a.radius + self.b.radius;
        let radius = radius + target + ROUNDING * (radius + between.length());
        if between.length() <= radius {
            return 0.0;
        }
        let speed = way.length();
        let along = -between.dot(way);
        // The least distance between the centres on the line of B's path, times the speed.
        let aside = between.perp_dot(way).abs();
        if along <= 0.0 || aside >= radius * speed {
            return rest;
        }
        let (along, aside) = (along / speed, aside / speed);
        let inside = ((radius - aside) * (radius + aside)).sqrt();
        ((along - inside) / speed).clamp(0.0, rest)
    }

    /// Returns a time, at most `rest`, during which the gap stays at least `target`. Computes a time from each of several
    /// lower bounds on the gap: the gap along the fixed vector `normal`, along a vector that rotates with one of the
    /// bodies, and with one of the bodies replaced by a circle. Returns the longest of these times.
    fn advance(&self, now: &Now, rest: f64, normal: DVec2, target: f64) -> f64 {
        let bounds = [
            self.bound(now, rest, normal, 0.0, [false, false]),
            self.bound(now, rest, normal, self.a.angular, [false, false]),
            self.bound(now, rest, normal, self.b.angular, [false, false]),
            self.bound(now, rest, normal, 0.0, [true, false]),
            self.bound(now, rest, normal, 0.0, [false, true]),
        ];
        bounds.iter().map(|bound| bound.stays(target, rest)).fold(0.0, f64::max)
    }

    fn bound(&self, now: &Now, rest: f64, normal: DVec2, turn: f64, [round_a, round_b]: [bool; 2]) -> Bound {
        let (between, way) = (now.centre_b - now.centre_a, self.way);
        let farthest = between.length().max((between + way * rest).length());
        let vertices = |vertices: &[DVec2], arms: &[DVec2], turn: f64| {
            vertices
                .iter()
                .zip(arms)
                .map(|(&v, &arm)| (normal.dot(v), turn * normal.dot(arm.perp())))
                .collect()
        };
        let reach = |body: &Body, centre: DVec2| body.radius + ROUNDING * (body.radius + centre.length());
        let (turn_a, turn_b) = (self.a.angular - turn, self.b.angular - turn);
        let mut bend = turn * turn * farthest + 2.0 * turn.abs() * way.length();
        let of_a = if round_a {
            vec![(normal.dot(now.centre_a) + reach(&self.a, now.centre_a), 0.0)]
        } else {
            bend += turn_a * turn_a * self.a.radius;
            vertices(&now.pair.a.vertices, &now.arms_a, turn_a)
        };
        let of_b = if round_b {
            vec![(normal.dot(now.centre_b) - reach(&self.b, now.centre_b), 0.0)]
        } else {
            bend += turn_b * turn_b * self.b.radius;
            vertices(&now.pair.b.vertices, &now.arms_b, turn_b)
        };
        let slope = normal.dot(way) + turn * normal.perp().dot(between);
        Bound { slope, bend: bend * self.caution, of_a, of_b }
    }
}

/// The terms of G, a function of time that is a lower bound of the gap between the two pieces along a direction. The
/// documentation of the module derives G.
struct Bound {
    slope: f64,
    /// The bound K on the second derivative of the gap. After the time d, it lowers G by `K d² / 2`.
    bend: f64,
    /// For each vertex of A, its projection p at d = 0, and the slope q of the projection. For a circle, one entry.
    of_a: Vec<(f64, f64)>,
    /// For each vertex of B, its projection p at d = 0, and the slope q of the projection. For a circle, one entry.
    of_b: Vec<(f64, f64)>,
}

impl Bound {
    /// Returns the value and the slope of G at the time `time`. If G has a corner there, the slope is the slope of one
    /// side.
    fn at(&self, time: f64) -> (f64, f64) {
        let value = |&(p, q): &(f64, f64)| (p + q * time, q);
        let lesser = |x: (f64, f64), y: (f64, f64)| if y.0 < x.0 { y } else { x };
        let greater = |x: (f64, f64), y: (f64, f64)| if y.0 > x.0 { y } else { x };
        let (b, slope_b) = self.of_b.iter().map(value).reduce(lesser).unwrap_or_default();
        let (a, slope_a) = self.of_a.iter().map(value).reduce(greater).unwrap_or_default();
        let bend = self.bend * time;
        (self.slope * time + (b - a) - 0.5 * bend * time, self.slope + (slope_b - slope_a) - bend)
    }

    /// Returns a time from 0 to `rest` up to which G is at least `target`. Returns 0 if G is at most `target` at time
    /// 0.
    fn stays(&self, target: f64, rest: f64) -> f64 {
        let (start, _) = self.at(0.0);
        if start <= target {
            return 0.0;
        }
        let (mut end, mut slope) = self.at(rest);
        if end >= target {
            return rest;
        }
        let mut time = rest;
        for _ in 0..NEWTON_STEPS {
            // The tangent of a concave function lies above it, so the tangent's root is not before the root of G.
            let next = time - (end - target) / slope;
            if !(next < time && next > 0.0) {
                break;
            }
            let (value, slope_there) = self.at(next);
            if value >= target {
                return next;
            }
            (time, end, slope) = (next, value, slope_there);
        }
        // The chord of a concave function lies below it.
        time * ((start - target) / (start - end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Pose;

    /// Returns the time of impact of a rod and the floor below it. The rod stands upright and rotates about its foot,
    /// so its end approaches the floor with increasing speed.
    fn rod_and_floor(caution: f64, angular: f64) -> TimeOfImpact {
        let rod = [
            DVec2::from([-0.01, 0.0]),
            DVec2::from([0.01, 0.0]),
            DVec2::from([0.01, 1.0]),
            DVec2::from([-0.01, 1.0]),
        ];
        let floor = [
            DVec2::from([-9.0, -2.0]),
            DVec2::from([9.0, -2.0]),
            DVec2::from([9.0, -0.99]),
            DVec2::from([-9.0, -0.99]),
        ];
        let piece = |vertices| Piece { vertices, pose: Pose::IDENTITY };
        let spinning = Motion { angular, ..Motion::REST };
        let options = TimeOfImpactOptions::new(1e-4);
        cautious(piece(&rod), piece(&floor), [&spinning, &Motion::REST], &options, caution)
    }

    #[test]
    fn a_bound_that_bends_too_little_is_late() {
        // The leading corner turns from the angle atan(0.01) to the angle at which the corner is 0.99 below the foot.
        for angular in [-4.0, -8.0f64] {
            let exact = ((-0.99 / 1.0001f64.sqrt()).acos() - 0.01f64.atan()) / -angular;
            let right = rod_and_floor(1.0, angular);
            assert_eq!(right.outcome, ImpactOutcome::Hit);
            assert!(right.time <= exact && (exact - right.time) * -angular < 2e-3, "{right:?}, {exact}");
            let late = rod_and_floor(0.0, angular);
            assert!(late.outcome != ImpactOutcome::Hit || late.time > exact, "{late:?}, {exact}");
        }
    }
}
