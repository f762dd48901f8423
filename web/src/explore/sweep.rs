//! Follows a fast body and a thin wall, both of which may rotate. The positions are sampled at intervals, and the time of impact
//! is computed for the whole path.

use sat2d::glam::DVec2;
use sat2d::{
    ConvexPolygon, Error, ImpactOutcome, Motion, PolygonSet, Pose, Relation, Result, TimeOfImpact,
    TimeOfImpactOptions,
};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::shape::{Shape, place, plain};

/// The distance at which the body and the wall count as touching, in the unit of the page. It is about a hundredth of a pixel.
const TOLERANCE: f64 = 1.0 / 8192.0;
/// The greatest number of samples. More samples could not be drawn or told apart.
const MOST_SAMPLES: f64 = 4096.0;
/// The usual limit on the rotation of a body, in radians, during one convex piece of the area that it sweeps. The rotation
/// is greater only if the area would otherwise need more than [`MOST_PIECES`] pieces.
const PIECE_TURN: f64 = 0.06;
/// The greatest number of convex pieces of the area that a body sweeps.
const MOST_PIECES: f64 = 512.0;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Flight {
    /// The body at the start of the flight. It is convex.
    body: Shape,
    /// The velocity of the body, in units per second.
    velocity: [f64; 2],
    /// The angular velocity of the body about the origin of its ring, in degrees per second, counter-clockwise.
    spin: f64,
    /// The wall, which is convex. It does not move, but may rotate.
    wall: Shape,
    /// The angular velocity of the wall about the origin of its ring, in degrees per second, counter-clockwise.
    wall_spin: f64,
    /// The time between two samples, in seconds.
    step: f64,
    /// The duration of the flight, in seconds.
    duration: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Sample {
    time: f64,
    /// The displacement of the body from its position at the start of the flight.
    way: [f64; 2],
    relation: &'static str,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct FlightAnswer {
    body: Vec<[f64; 2]>,
    wall: Vec<[f64; 2]>,
    samples: Vec<Sample>,
    /// The index of the first sample in which the body and the wall have a common point, or `None` if there is no such sample.
    first_seen: Option<usize>,
    /// Whether the body hits the wall, but no sample shows it.
    missed: bool,
    /// The outcome for the whole flight: `hit`, `apart`, `overlapping at the start` or `unknown`.
    outcome: &'static str,
    /// The time in seconds until the body and the wall touch, or until the end of the flight.
    time: f64,
    /// The vertices of the body at the time `time`.
    body_then: Vec<[f64; 2]>,
    /// The vertices of the wall at the time `time`.
    wall_then: Vec<[f64; 2]>,
    normal: Option<[f64; 2]>,
    point: Option<[f64; 2]>,
    /// The area that the body sweeps in the whole flight, in convex pieces. A body that does not rotate has one piece.
    swept: Vec<Vec<[f64; 2]>>,
    /// The area that the body sweeps until `time`, in convex pieces.
    swept_until: Vec<Vec<[f64; 2]>>,
    tolerance: f64,
}

impl Flight {
    /// Returns the motions of the body and the wall. Each rotates about the position of its shape.
    fn motions(&self) -> [Motion; 2] {
        let motion = |shape: &Shape, linear: DVec2, spin: f64| Motion {
            linear,
            angular: spin.to_radians(),
            centre: place(DVec2::new(shape.x, shape.y)),
        };
        [motion(&self.body, self.velocity.into(), self.spin), motion(&self.wall, DVec2::ZERO, self.wall_spin)]
    }

    fn samples(&self) -> Result<Vec<f64>> {
        // A NaN is in no range, so this check rejects it, too.
        let count = (self.duration / self.step).floor() + 1.0;
        if !(1.0..=MOST_SAMPLES).contains(&count) || self.step <= 0.0 {
            let problem = "must be above 0, and no more than 4,095 of them in the flight";
            return Err(Error::Option { option: "step", value: self.step.to_string(), problem });
        }
        Ok((0..count as u32).map(|k| f64::from(k) * self.step).collect())
    }
}

/// Returns a set that has one shape at several times of its motion. Object `i` of the set is the shape at `times[i]`.
fn seen(shape: &Shape, motion: &Motion, times: &[f64]) -> Result<PolygonSet> {
    let pose = |&time: &f64| Ok((0, Pose::new(motion.angular * time, motion.place(motion.centre, time))?));
    let poses: Vec<(usize, Pose)> = times.iter().map(pose).collect::<Result<_>>()?;
    PolygonSet::from_instances(&[ConvexPolygon::new(&shape.turned()?)?.into()], &poses)
}

/// Returns the vertices of a body at the time `time` of its motion.
fn placed(body: &ConvexPolygon, motion: &Motion, time: f64) -> Vec<DVec2> {
    body.vertices().iter().map(|&vertex| motion.place(vertex, time)).collect()
}

/// Returns the area that a body sweeps, in convex pieces. Each piece is the area of a short time interval. In this
/// interval, the body is taken to move straight, at the angle that it has in the middle of the interval.
fn swept(body: &ConvexPolygon, motion: &Motion, duration: f64) -> Result<Vec<Vec<[f64; 2]>>> {
    let count = (motion.angular * duration / PIECE_TURN).abs().ceil().clamp(1.0, MOST_PIECES);
    let step = duration / count;
    let piece = |k: u32| {
        let middle = placed(body, motion, (f64::from(k) + 0.5) * step);
        let start: Vec<DVec2> = middle.iter().map(|&vertex| vertex - 0.5 * step * motion.linear).collect();
        Ok(plain(ConvexPolygon::new(&start)?.swept(motion.linear * step)?.vertices()))
    };
    (0..count as u32).map(piece).collect()
}

fn follow(flight: &Flight) -> Result<FlightAnswer> {
    let body = ConvexPolygon::new(&flight.body.world()?)?;
    let wall = ConvexPolygon::new(&flight.wall.world()?)?;
    let motions = flight.motions();
    let times = flight.samples()?;
    let (bodies, walls) =
        (seen(&flight.body, &motions[0], &times)?, seen(&flight.wall, &motions[1], &times)?);
    let relations: Vec<Relation> =
        (0..times.len()).map(|k| Relation::of_pieces(&bodies, k, &walls, k)).collect::<Result<_>>()?;
    let [of_body, of_wall] = [&body, &wall].map(|one| PolygonSet::from_convex(std::slice::from_ref(one)));
    let options = TimeOfImpactOptions { step: flight.duration, ..TimeOfImpactOptions::new(TOLERANCE) };
    let found = TimeOfImpact::of_pieces(&of_body?, 0, &of_wall?, 0, &motions, &options)?;
    let time = found.time * flight.duration;

    let first_seen = relations.iter().position(|&relation| relation != Relation::Disjoint);
    let sample = |(&time, relation): (&f64, &Relation)| Sample {
        time,
        way: (motions[0].linear * time).to_array(),
        relation: relation.name(),
    };
    Ok(FlightAnswer {
        body: plain(body.vertices()),
        wall: plain(wall.vertices()),
        samples: times.iter().zip(&relations).map(sample).collect(),
        first_seen,
        missed: found.outcome == ImpactOutcome::Hit && first_seen.is_none(),
        outcome: match found.outcome {
            ImpactOutcome::Hit => "hit",
            ImpactOutcome::Apart => "apart",
            ImpactOutcome::OverlappingAtStart => "overlapping at the start",
            ImpactOutcome::IterationLimit => "unknown",
        },
        time,
        body_then: plain(&placed(&body, &motions[0], time)),
        wall_then: plain(&placed(&wall, &motions[1], time)),
        normal: found.impact.map(|impact| impact.normal.to_array()),
        point: found.impact.map(|impact| impact.point.to_array()),
        swept: swept(&body, &motions[0], flight.duration)?,
        swept_until: swept(&body, &motions[0], time)?,
        tolerance: TOLERANCE,
    })
}

/// Samples a flight `{ body, velocity, spin, wall, wallSpin, step, duration }` every `step` seconds, and computes its time of
/// impact.
///
/// # Errors
/// Returns the errors of the library as `Error` objects.
#[wasm_bindgen(js_name = followFlight)]
pub fn follow_flight(flight: JsValue) -> std::result::Result<JsValue, JsValue> {
    let flight: Flight = super::question(flight)?;
    super::answer(follow(&flight))
}

#[cfg(test)]
mod tests {
    use super::super::shape::square;
    use super::*;

    fn flight(step: f64) -> Flight {
        let wall =
            Shape { ring: vec![[0.0, -3.0], [0.25, -3.0], [0.25, 3.0], [0.0, 3.0]], ..square(7.0, 0.0, 0.0) };
        let body = square(0.0, 0.0, 0.0);
        Flight { body, velocity: [20.0, 0.0], spin: 0.0, wall, wall_spin: 0.0, step, duration: 1.0 }
    }

    #[test]
    fn looks_that_are_far_apart_miss_what_the_time_of_impact_finds() {
        let found = follow(&flight(0.25)).expect("a flight");
        assert_eq!(
            (found.samples.len(), found.missed, found.first_seen, found.outcome),
            (5, true, None, "hit")
        );
        // The distance is 6 units, and the velocity is 20 units per second.
        assert!(found.time <= 0.3 && found.time > 0.3 - TOLERANCE / 20.0 - 1e-9, "{}", found.time);
        assert_eq!(found.normal, Some([1.0, 0.0]));
        assert_eq!(found.swept, [[[-1.0, -1.0], [21.0, -1.0], [21.0, 1.0], [-1.0, 1.0]]]);
    }

    #[test]
    fn looks_that_are_close_see_it_and_a_flight_beside_the_wall_misses_nothing() {
        let found = follow(&flight(0.05)).expect("a flight");
        assert_eq!((found.missed, found.first_seen), (false, Some(6)));
        let away = Flight { velocity: [-20.0, 0.0], ..flight(0.25) };
        let found = follow(&away).expect("a flight");
        assert_eq!((found.missed, found.outcome, found.time), (false, "apart", 1.0));
    }

    #[test]
    fn a_body_that_turns_meets_the_wall_with_its_corner() {
        // The body has turned by 45 degrees when its corner, sqrt(2) from the middle, reaches the wall.
        let way = 7.0 - 2f64.sqrt();
        let turning = Flight { spin: 45.0 * 20.0 / way, ..flight(0.5) };
        let found = follow(&turning).expect("a flight");
        let (time, corner) = (way / 20.0, found.body_then[1]);
        assert_eq!((found.outcome, found.missed), ("hit", true));
        assert!(found.time <= time && found.time > time - TOLERANCE / 15.0, "{} {time}", found.time);
        assert!((corner[0] - 7.0).abs() < 2.0 * TOLERANCE && corner[1].abs() < 1e-3, "{corner:?}");
        // At each time, the piece of this time contains the corners of the body.
        let top = found.swept_until.iter().flatten().fold(0.0, |most: f64, corner| most.max(corner[1]));
        assert!(found.swept_until.len() > 1 && top > 1.41, "{top}");
    }

    #[test]
    fn a_wall_that_turns_strikes_a_body_that_would_miss_it() {
        // The bar around (0, 0) has the half length 3 and the half width 1/8. It hits the corner (1.5, -1) of a body that drifts
        // by 0.001.
        let bar = vec![[-0.125, -3.0], [0.125, -3.0], [0.125, 3.0], [-0.125, 3.0]];
        let flight = |wall_spin, step| Flight {
            body: square(2.5, 0.0, 0.0),
            velocity: [0.0, 1e-3],
            wall: Shape { ring: bar.clone(), ..square(0.0, 0.0, 0.0) },
            wall_spin,
            ..flight(step)
        };
        let still = follow(&flight(0.0, 0.05)).expect("a flight");
        assert_eq!((still.outcome, still.first_seen), ("apart", None));
        let found = follow(&flight(360.0, 0.05)).expect("a flight");
        let angle = 1.5f64.atan2(1.0) - (0.125 / 1.5f64.hypot(1.0)).asin();
        let time = angle / std::f64::consts::TAU;
        assert!((found.time - time).abs() < 1e-3, "{} {time}", found.time);
        // The samples at 0.1 and 0.15 are before and after the impact.
        assert_eq!((found.outcome, found.missed, found.first_seen), ("hit", false, Some(3)));
        let foot = found.wall_then[0];
        assert!((foot[0].hypot(foot[1]) - 3f64.hypot(0.125)).abs() < 1e-9 && foot[0] > 2.0, "{foot:?}");
    }

    #[test]
    fn a_step_of_nothing_is_an_error() {
        for step in [0.0, -1.0, f64::NAN, 1e-9] {
            assert!(follow(&flight(step)).is_err());
        }
    }
}
