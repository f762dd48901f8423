//! A fast body and a thin wall: looked at from time to time, and followed all the way.

use sat2d::glam::DVec2;
use sat2d::{
    ConvexPolygon, Error, ImpactOutcome, Motion, PolygonSet, Pose, Relation, Result, TimeOfImpact,
    TimeOfImpactOptions,
};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::shape::{Shape, plain};

/// The distance at which the two count as touching, in the unit of the page: a hundredth of a pixel or so.
const TOLERANCE: f64 = 1.0 / 8192.0;
/// More could neither be drawn nor told apart.
const MOST_SAMPLES: f64 = 4096.0;

#[derive(Clone, Debug, Deserialize)]
struct Flight {
    /// Convex, at the start of the flight.
    body: Shape,
    /// Units a second.
    velocity: [f64; 2],
    /// Convex, at rest.
    wall: Shape,
    /// Seconds between two looks.
    step: f64,
    /// Seconds of the flight.
    duration: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Sample {
    time: f64,
    /// How far the body has come.
    way: [f64; 2],
    relation: &'static str,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct FlightAnswer {
    body: Vec<[f64; 2]>,
    wall: Vec<[f64; 2]>,
    samples: Vec<Sample>,
    /// The first look that finds a common point.
    first_seen: Option<usize>,
    /// Whether they hit, and no look finds it.
    missed: bool,
    /// `hit`, `apart`, `overlapping at the start` or `unknown`.
    outcome: &'static str,
    /// Seconds until they touch, or to the end of the flight.
    time: f64,
    /// The body then.
    body_then: Vec<[f64; 2]>,
    normal: Option<[f64; 2]>,
    point: Option<[f64; 2]>,
    /// All that the body passes over in the flight, and until they touch.
    swept: Vec<[f64; 2]>,
    swept_until: Vec<[f64; 2]>,
    tolerance: f64,
}

impl Flight {
    fn samples(&self) -> Result<Vec<f64>> {
        // NaN is in no range.
        let count = (self.duration / self.step).floor() + 1.0;
        if !(1.0..=MOST_SAMPLES).contains(&count) || self.step <= 0.0 {
            let problem = "must be above 0, and no more than 4,095 of them in the flight";
            return Err(Error::Option { option: "step", value: self.step.to_string(), problem });
        }
        Ok((0..count as u32).map(|k| f64::from(k) * self.step).collect())
    }
}

fn follow(flight: &Flight) -> Result<FlightAnswer> {
    let body = ConvexPolygon::new(&flight.body.world()?)?;
    let wall = ConvexPolygon::new(&flight.wall.world()?)?;
    let motion = Motion { linear: flight.velocity.into(), ..Motion::REST };
    let times = flight.samples()?;
    let ways: Vec<DVec2> = times.iter().map(|&time| motion.place(DVec2::ZERO, time)).collect();
    let instances: Vec<(usize, Pose)> =
        ways.iter().map(|&way| Ok((0, Pose::from_translation(way)?))).collect::<Result<_>>()?;
    let seen = PolygonSet::from_instances(&[body.clone().into()], &instances)?;
    let (start, wall) =
        (PolygonSet::from_convex(std::slice::from_ref(&body))?, PolygonSet::from_convex(&[wall])?);
    let relations: Vec<Relation> =
        (0..instances.len()).map(|k| Relation::of_pieces(&seen, k, &wall, 0)).collect::<Result<_>>()?;
    let options = TimeOfImpactOptions { step: flight.duration, ..TimeOfImpactOptions::new(TOLERANCE) };
    let found = TimeOfImpact::of_pieces(&start, 0, &wall, 0, &[motion, Motion::REST], &options)?;
    let time = found.time * flight.duration;

    let first_seen = relations.iter().position(|&relation| relation != Relation::Disjoint);
    let there: Vec<DVec2> = body.vertices().iter().map(|&v| motion.place(v, time)).collect();
    let sample = |((&time, way), relation): ((&f64, &DVec2), &Relation)| Sample {
        time,
        way: way.to_array(),
        relation: relation.name(),
    };
    Ok(FlightAnswer {
        body: plain(body.vertices()),
        wall: plain(wall.shape_vertices(0)),
        samples: times.iter().zip(&ways).zip(&relations).map(sample).collect(),
        first_seen,
        missed: found.outcome == ImpactOutcome::Hit && first_seen.is_none(),
        outcome: match found.outcome {
            ImpactOutcome::Hit => "hit",
            ImpactOutcome::Apart => "apart",
            ImpactOutcome::OverlappingAtStart => "overlapping at the start",
            ImpactOutcome::IterationLimit => "unknown",
        },
        time,
        body_then: plain(&there),
        normal: found.impact.map(|impact| impact.normal.to_array()),
        point: found.impact.map(|impact| impact.point.to_array()),
        swept: plain(body.swept(motion.place(DVec2::ZERO, flight.duration))?.vertices()),
        swept_until: plain(body.swept(motion.place(DVec2::ZERO, time))?.vertices()),
        tolerance: TOLERANCE,
    })
}

/// A flight, `{ body, velocity, wall, step, duration }`, looked at every `step` seconds, and followed by the time of impact.
///
/// # Errors
/// Those of the library, as `Error` objects.
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
        Flight { body: square(0.0, 0.0, 0.0), velocity: [20.0, 0.0], wall, step, duration: 1.0 }
    }

    #[test]
    fn looks_that_are_far_apart_miss_what_the_time_of_impact_finds() {
        let found = follow(&flight(0.25)).expect("a flight");
        assert_eq!(
            (found.samples.len(), found.missed, found.first_seen, found.outcome),
            (5, true, None, "hit")
        );
        // 6 units at 20 a second.
        assert!(found.time <= 0.3 && found.time > 0.3 - TOLERANCE / 20.0 - 1e-9, "{}", found.time);
        assert_eq!(found.normal, Some([1.0, 0.0]));
        assert_eq!(found.swept, [[-1.0, -1.0], [21.0, -1.0], [21.0, 1.0], [-1.0, 1.0]]);
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
    fn a_step_of_nothing_is_an_error() {
        for step in [0.0, -1.0, f64::NAN, 1e-9] {
            assert!(follow(&flight(step)).is_err());
        }
    }
}
