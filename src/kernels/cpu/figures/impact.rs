//! When two moving pieces first touch, in f64, by steps of time in which they provably do not.
//!
//! This is conservative advancement (Mirtich 1996, "Impulse-based Dynamic Simulation of Rigid Body Systems", 3.2; Ericson
//! 2005, "Real-Time Collision Detection", 5.5.3) with a bound of second order. Let n be a unit vector from A to B that turns
//! at a speed w of our choice, and s the gap between the two along it. With D the way from A's centre to B's, V their
//! relative velocity, and α and β the arms from the centres to the vertices, at the time t,
//!
//! ```text
//! s(t + d) = n(d).(D + V d) + min n(d).β(d) - max n(d).α(d)
//! ```
//!
//! Each term of it is a function of d whose value and slope at d = 0 are plain, and whose second derivative is at most,
//! for the first, `w² |D + V d| + 2 |w| |V|`, and for a vertex, `(angular - w)²` times its arm. Let K be the sum of
//! these three bounds, for the greatest |D + V d| and the longest arm of each body. Hence
//!
//! ```text
//! s(t + d) >= G(d) = slope d + min (p + q d) over B - max (p + q d) over A - K d² / 2
//! ```
//!
//! which is concave: where it is at least the target at both ends of an interval, it is so in all of it. Along a fixed
//! direction w = 0, and pure translation has K = 0, so that one step goes to the very end. For a face that turns, w is the
//! speed of its polygon, so that the bound follows the face: no end of it that sticks out of the line makes steps short.
//! A body that spins fast may stand for the circle of its vertices in its place, which has no K.
//! Near a contact the error of G shrinks with the square of the gap, and so do the steps' shortfalls.

use glam::DVec2;

use super::local::{LocalPair, LocalPolygon};
use super::reference::{best_edge, closest};
use crate::answers::impact::{Impact, ImpactOutcome, TimeOfImpact, TimeOfImpactOptions};
use crate::answers::pair::{Motion, PairFeature, PairFeatures};
use crate::answers::results::Relation;
use crate::base::side::PairSide;
use crate::geometry::Piece;
use crate::kernels::cpu::exact;

/// The least tolerance that the arithmetic bears, as a part of the reach of the motion: about a thousand times its error.
const LEAST_TOLERANCE: f64 = 1.0 / (1u64 << 40) as f64;
/// Far above what rounding takes of a length.
const ROUNDING: f64 = 1.0 / (1u64 << 48) as f64;
/// Steps of Newton's method on a bound: each at least halves what is left to its root.
const NEWTON_STEPS: usize = 12;

/// One polygon and how it moves over the whole step, about the origin of the pair.
struct Body {
    start: LocalPolygon,
    /// What it turns about; where it does not turn, a point of it, so that no arm is long.
    centre: DVec2,
    /// From the centre to each vertex.
    arms: Vec<DVec2>,
    /// Their greatest length.
    radius: f64,
    /// In radians over the step.
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

    /// The polygon at a time, moved by `way` beside, and its arms.
    fn at(&self, time: f64, way: DVec2) -> Placed {
        let angle = self.angular * time;
        let (sin, half) = (angle.sin(), (angle * 0.5).sin());
        // What is added to a vector by the turn: small where the turn is.
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

/// A body at a time.
struct Placed {
    polygon: LocalPolygon,
    arms: Vec<DVec2>,
    centre: DVec2,
}

/// Both bodies, seen by one that moves as A's centre does.
struct Bodies {
    origin: DVec2,
    a: Body,
    b: Body,
    /// The way of A's centre over the step, and of B's as seen from it.
    way_a: DVec2,
    way: DVec2,
    /// What bends are multiplied by.
    caution: f64,
}

/// When the two first touch; see [`TimeOfImpact`].
pub(crate) fn time_of_impact(
    a: Piece<'_>,
    b: Piece<'_>,
    motions: [&Motion; 2],
    options: &TimeOfImpactOptions,
) -> TimeOfImpact {
    cautious(a, b, motions, options, 1.0)
}

/// The same with a part of the bend of every bound: what is less than 1 is no proof.
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
            // Two vertices that round to one have no direction.
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

/// Both bodies at a time.
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

    /// About how far anything of the two goes or lies from the other: rounding is a part of this.
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

    /// Where the two meet at the start: along the edge of the least penetration, the deepest point of the other.
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

    /// For how long, up to `rest`, the circles about the centres that hold all vertices stay the target apart.
    fn until_circles_meet(&self, now: &Now, rest: f64, target: f64) -> f64 {
        let (between, way) = (now.centre_b - now.centre_a, self.way);
        let radius = self.a.radius + self.b.radius;
        let radius = radius + target + ROUNDING * (radius + between.length());
        if between.length() <= radius {
            return 0.0;
        }
        let speed = way.length();
        let along = -between.dot(way);
        // How near the centres come, on the way that B's goes.
        let aside = between.perp_dot(way).abs();
        if along <= 0.0 || aside >= radius * speed {
            return rest;
        }
        let (along, aside) = (along / speed, aside / speed);
        let inside = ((radius - aside) * (radius + aside)).sqrt();
        ((along - inside) / speed).clamp(0.0, rest)
    }

    /// For how long, up to `rest`, the gap along a unit vector stays at the target or above, as far as the bounds tell: the
    /// longest for a vector that stands still, for one that turns with either body, and for either body as a circle.
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

/// G of the module's documentation.
struct Bound {
    slope: f64,
    /// K.
    bend: f64,
    /// Value and slope of each vertex.
    of_a: Vec<(f64, f64)>,
    of_b: Vec<(f64, f64)>,
}

impl Bound {
    /// G and a slope of it.
    fn at(&self, time: f64) -> (f64, f64) {
        let value = |&(p, q): &(f64, f64)| (p + q * time, q);
        let lesser = |x: (f64, f64), y: (f64, f64)| if y.0 < x.0 { y } else { x };
        let greater = |x: (f64, f64), y: (f64, f64)| if y.0 > x.0 { y } else { x };
        let (b, slope_b) = self.of_b.iter().map(value).reduce(lesser).unwrap_or_default();
        let (a, slope_a) = self.of_a.iter().map(value).reduce(greater).unwrap_or_default();
        let bend = self.bend * time;
        (self.slope * time + (b - a) - 0.5 * bend * time, self.slope + (slope_b - slope_a) - bend)
    }

    /// A time, up to `rest`, until which G is at least the target.
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
            // A tangent of what is concave lies above it: its root is not before that of G.
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
        // A chord lies below it.
        time * ((start - target) / (start - end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Pose;

    /// A rod that stands upright and turns about its foot, above a floor that its end comes down to ever faster.
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
        // The leading corner turns from atan(0.01) beside the vertical to where it is 0.99 below the foot.
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
