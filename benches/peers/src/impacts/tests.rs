//! Compares the times of impact of sat2d, Box2D and parry2d on random pairs, and decides who is right if they differ.
//!
//! The decision computes the gap between two bodies in f64 at sampled times, because rotations make the coordinates
//! irrational. A bound on the speed of the bodies also bounds how fast the gap changes. Each step to the next sample is so
//! short that the gap cannot become 0 in between, so the samples miss no contact. A gap of up to [`SLACK`] decides nothing.
//! `SLACK` is a thousand times the error that rounding the inputs to f32 causes.

use parry2d::math::{Pose, Vector};
use parry2d::query::{NonlinearRigidMotion, cast_shapes_nonlinear};
use parry2d::shape::ConvexPolygon;
use rayon::prelude::*;
use sat2d::Impacts;

use super::*;
use crate::figures::truth::Truth;

/// The greatest magnitude of a gap that decides nothing, because the inputs are rounded to f32. At such a gap, an answer
/// may treat the bodies as in contact or as apart.
const SLACK: f64 = 1e-5;

/// The answer of a contender for a pair: the time of a hit, 0 for an overlap at the start, or `None` if the bodies do not meet.
type Said = Option<f64>;

/// Two bodies and their motions. `angle(turn, time)` returns the rotation of a body from the start of the step until `time`,
/// if the body rotates by `turn` in the whole step.
struct Pair<'a> {
    rings: [&'a Vec<[f64; 2]>; 2],
    motions: [&'a Motion; 2],
    angle: fn(f64, f64) -> f64,
}

/// Returns the angle at the time `time` of a body that rotates steadily by `turn` in the whole step.
fn steady(turn: f64, time: f64) -> f64 {
    turn * time
}

/// Returns the angle at the time `time` of a body that Box2D rotates by `turn` in the whole step. Box2D blends the rotations at
/// the start and the end.
fn blended(turn: f64, time: f64) -> f64 {
    (time * turn.sin()).atan2(1.0 - time + time * turn.cos())
}

/// The comparison of a time of impact with the true motion of the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    Right,
    /// The bodies overlap by more than [`SLACK`] before the time of the answer.
    Late,
    /// The bodies are farther apart than the tolerance at the time of the answer.
    Early,
}

impl Pair<'_> {
    fn gap(&self, time: f64) -> f64 {
        let at = |side: usize| -> Vec<[f64; 2]> {
            let Motion { linear, angular, centre } = *self.motions[side];
            let turn = DVec2::from_angle((self.angle)(angular, time));
            let place = |&v: &[f64; 2]| centre + turn.rotate(DVec2::from(v) - centre) + linear * time;
            self.rings[side].iter().map(|v| place(v).to_array()).collect()
        };
        let truth = Truth::new(&at(0), &at(1), false);
        if truth.separation > 0.0 { truth.distance } else { truth.separation }
    }

    /// Returns an upper bound of the speed at which the gap changes. A blended rotation by up to 1 radian is up to 1.1
    /// times as fast as a steady one.
    fn speed(&self) -> f64 {
        let arc = |side: usize| {
            let motion = self.motions[side];
            let arms = self.rings[side].iter().map(|&v| (DVec2::from(v) - motion.centre).length());
            1.2 * motion.angular.abs() * arms.fold(0.0, f64::max)
        };
        (self.motions[0].linear - self.motions[1].linear).length() + arc(0) + arc(1)
    }

    /// Returns the first time at which the bodies are at most [`SLACK`] apart. Returns `None` if there is no such time in the
    /// step.
    fn touch(&self) -> Said {
        let (speed, mut time) = (self.speed(), 0.0);
        loop {
            let gap = self.gap(time);
            if gap <= SLACK {
                return Some(time);
            }
            time += gap / speed;
            if time > 1.0 {
                return None;
            }
        }
    }

    fn verdict(&self, said: Said, tolerance: f64) -> Verdict {
        let end = said.unwrap_or(1.0);
        // Returns whether the bodies overlap by more than [`SLACK`] at a sample from the time `from` to the time of the answer.
        let goes_below =
            |from: f64| (0..=2000).any(|k| self.gap(from + (end - from) * f64::from(k) / 2000.0) < -SLACK);
        match (said, self.touch()) {
            (_, Some(time)) if time < end && goes_below(time) => Verdict::Late,
            (Some(said), _) if self.gap(said) > tolerance => Verdict::Early,
            _ => Verdict::Right,
        }
    }
}

fn parry_body(ring: &[[f64; 2]], motion: &Motion) -> (ConvexPolygon, NonlinearRigidMotion) {
    let vector = |v: DVec2| Vector::new(v.x as f32, v.y as f32);
    let points = ring.iter().map(|&v| vector(DVec2::from(v) - motion.centre)).collect();
    let polygon = ConvexPolygon::from_convex_polyline_unmodified(points).expect("convex rings");
    let start = Pose::from_translation(vector(motion.centre));
    let origin = Vector::new(0.0, 0.0);
    (polygon, NonlinearRigidMotion::new(start, origin, vector(motion.linear), motion.angular as f32))
}

fn said_by_box2d(found: &b2TOIOutput) -> Said {
    #[allow(non_upper_case_globals, reason = "Box2D's names")]
    match found.state {
        b2TOIState_b2_toiStateHit => Some(f64::from(found.fraction)),
        b2TOIState_b2_toiStateOverlapped => Some(0.0),
        _ => None,
    }
}

fn differ(a: Said, b: Said) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() > 0.02,
        (a, b) => a.is_some() != b.is_some(),
    }
}

/// Tests that every answer of sat2d is right. If a peer's answer differs from the answer of sat2d, the test compares the
/// peer's answer with the motion that the peer computes:
///
/// - The answer is late if the bodies overlap before its time. It is also late if the bodies overlap and the peer says that
///   they do not meet.
/// - The answer is early if the bodies are farther apart than the tolerance at its time.
///
/// Two answers may differ and both be right. Either the bodies pass within the tolerance without touching, or Box2D's blended
/// rotation differs from a steady rotation. On straight lines, no peer is late or early. If bodies rotate, Box2D is late for at
/// most one pair in 50, and parry2d for none.
#[test]
fn every_disagreement_is_decided() -> Result<(), AnyError> {
    let engine = Engine::new(Backend::Cpu)?;
    let options = TimeOfImpactOptions::new(TOLERANCE);
    for scene in [Scene::Boxes, Scene::Ngons] {
        let rings = scene.generate(400, 9);
        let set = PolygonSet::from_convex_rings(&rings)?;
        for (name, speed, turn) in SPEEDS {
            let motions: Vec<Motion> =
                rings.iter().enumerate().map(|(k, ring)| motion(k as u64, ring, speed, turn)).collect();
            let boxes = set.swept_aabbs(&motions, options.step)?;
            let mut pairs = Vec::new();
            broad_phase::self_join(&boxes, None)?.next_chunk(1_500, &mut pairs);
            let found = engine
                .piece_pairs(&set, &set, &pairs)
                .query(Impacts::new(&motions, &motions, options))?
                .items;
            let judged = pairs.par_iter().zip(&found).map(|(&[a, b], ours)| {
                let (a, b) = (a as usize, b as usize);
                let bodies = |angle| Pair {
                    rings: [&rings[a], &rings[b]],
                    motions: [&motions[a], &motions[b]],
                    angle,
                };
                let said = (ours.outcome != ImpactOutcome::Apart).then_some(ours.time);
                let at_start = ours.outcome == ImpactOutcome::OverlappingAtStart;
                let pair = bodies(steady);
                // The bodies are more than [`SLACK`] apart before the time that sat2d returns.
                let right = pair.touch().is_none_or(|time| said.is_some_and(|said| said <= time))
                    && said.is_none_or(|said| pair.gap(said) <= TOLERANCE + SLACK)
                    && (!at_start || pair.gap(0.0) < SLACK);
                assert!(right, "{scene}, {name}: {ours:?}, touching at {:?}", pair.touch());
                let by_box2d = said_by_box2d(&time_of_impact(
                    &body(&rings[a], &motions[a]),
                    &body(&rings[b], &motions[b]),
                ));
                let ((shape_a, motion_a), (shape_b, motion_b)) =
                    (parry_body(&rings[a], &motions[a]), parry_body(&rings[b], &motions[b]));
                let cast = cast_shapes_nonlinear(&motion_a, &shape_a, &motion_b, &shape_b, 0.0, 1.0, true);
                let by_parry = cast.ok().flatten().map(|hit| f64::from(hit.time_of_impact));
                [(by_box2d, blended as fn(f64, f64) -> f64), (by_parry, steady)].map(|(theirs, angle)| {
                    differ(said, theirs).then(|| bodies(angle).verdict(theirs, TOLERANCE + SLACK))
                })
            });
            let judged: Vec<[Option<Verdict>; 2]> = judged.collect();
            for (k, peer) in ["Box2D", "parry2d"].into_iter().enumerate() {
                let of = |verdict| judged.iter().filter(|found| found[k] == Some(verdict)).count();
                let (right, late, early) = (of(Verdict::Right), of(Verdict::Late), of(Verdict::Early));
                println!(
                    "{scene}, {name}, {} pairs: {peer} differs on {}: late {late}, early {early}, both right {right}",
                    pairs.len(),
                    right + late + early
                );
                let most_late = if peer == "Box2D" && turn > 0.0 { pairs.len() / 50 } else { 0 };
                assert!(early == 0 && late <= most_late, "{scene}, {name}, {peer}: {late}, {early}");
                assert!(right * 20 < pairs.len(), "{scene}, {name}, {peer}: {right} of {}", pairs.len());
            }
        }
    }
    Ok(())
}
