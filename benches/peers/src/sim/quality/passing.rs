//! Scenes of bodies that pass others without a contact. The bodies must keep their velocity.

use sat2d::glam::DVec2;
use sat2d::sim::BodyOptions;

use super::setup::{DT, Setup, slider, smooth, steps, worst};
use crate::AnyError;
use crate::sim::Contender;

pub(super) const CLEARANCES: [f64; 6] = [0.3, 0.1, 0.03, 0.01, 0.003, 0.001];
/// The half widths of the three bodies that pass: a ball, a box and a larger ball.
const HALVES: [f64; 3] = [0.05, 0.05, 0.2];
/// The number of start positions, which are spread evenly over the distance that a body moves in one step.
const PHASES: usize = 8;
const SPEED: f64 = 5.0;
/// The distance between two neighbouring lanes. Each lane has a body that passes, and lanes do not affect each other.
const LANE: f64 = 3.0;

/// The obstacle that a body passes. The highest point of the obstacle is at height 0 of its lane.
#[derive(Clone, Copy, Debug)]
pub(super) enum Obstacle {
    /// A single box.
    Corner,
    Disc,
    /// Two boxes side by side.
    Seam,
}

/// Returns the greatest deflection, in degrees, of the bodies that pass an obstacle, over all clearances and both
/// restitutions.
pub(super) fn past(engine: Contender, obstacle: Obstacle) -> Result<f64, AnyError> {
    worst([0.0, 1.0], |restitution| {
        worst(CLEARANCES, |clearance| past_at(engine, obstacle, clearance, restitution))
    })
}

/// Returns the greatest deflection, in degrees, of the bodies that pass an obstacle at one clearance and with one restitution.
/// Each body has a lane of its own.
pub(super) fn past_at(
    engine: Contender,
    obstacle: Obstacle,
    clearance: f64,
    restitution: f64,
) -> Result<f64, AnyError> {
    let mut setup = Setup::weightless()?;
    let (unit, disc) = (setup.rectangle(1.0, 1.0)?, setup.circle(0.5)?);
    let shapes = [setup.circle(HALVES[0])?, setup.rectangle(0.1, 0.1)?, setup.circle(HALVES[2])?];
    let mut bodies = Vec::new();
    for lane in 0..HALVES.len() * PHASES {
        let (kind, phase) = (lane / PHASES, lane % PHASES);
        let y = LANE * (lane as f64 - 0.5 * (HALVES.len() * PHASES) as f64);
        let (shape, places): (_, &[f64]) = match obstacle {
            Obstacle::Corner => (unit, &[0.0]),
            Obstacle::Disc => (disc, &[0.0]),
            Obstacle::Seam => (unit, &[-0.5, 0.5]),
        };
        for &x in places {
            setup.add(BodyOptions { restitution, ..smooth(shape, [x, y - 0.5]) });
        }
        // The body starts above the first of two boxes, or in front of a single obstacle.
        let start = if matches!(obstacle, Obstacle::Seam) { -0.9 } else { -1.3 };
        let at = [start + phase as f64 * SPEED * DT / PHASES as f64, y + HALVES[kind] + clearance];
        let body = slider(shapes[kind], at, [SPEED, 0.0]);
        bodies.push(setup.add(BodyOptions { restitution, ..body }));
    }
    let now = setup.start(engine)?.after(steps(2.8 / SPEED))?;
    worst(bodies, |body| Ok(deflection(now[body].velocity, DVec2::X)))
}

/// Returns the angle between a velocity and the expected one, in degrees, or 180 if the velocity is 0.
fn deflection(velocity: DVec2, expected: DVec2) -> f64 {
    if velocity.length() == 0.0 { 180.0 } else { velocity.angle_to(expected).abs().to_degrees() }
}

/// Lets two balls, or two boxes, fly past each other. Returns the greatest deflection, in degrees.
pub(super) fn each_other(engine: Contender) -> Result<f64, AnyError> {
    worst(CLEARANCES, |clearance| {
        let mut setup = Setup::weightless()?;
        let shapes = [setup.circle(0.2)?, setup.rectangle(0.4, 0.4)?];
        let mut bodies = Vec::new();
        for lane in 0..2 * PHASES {
            let (shape, phase) = (shapes[lane % 2], (lane / 2) as f64);
            let (x, y) = (2.0 + phase * SPEED * DT / PHASES as f64, LANE * (lane as f64 - PHASES as f64));
            let away = 0.2 + 0.5 * clearance;
            for side in [-1.0, 1.0] {
                let body = slider(shape, [-side * x, y + side * away], [side * SPEED, 0.0]);
                bodies.push((setup.add(body), DVec2::new(side, 0.0)));
            }
        }
        let now = setup.start(engine)?.after(steps(4.0 / SPEED))?;
        worst(bodies, |(body, expected)| Ok(deflection(now[body].velocity, expected)))
    })
}

/// Lets a box fall past the end of a shelf. Returns the sideways speed of the box, in percent of its downward speed.
pub(super) fn shelf(engine: Contender) -> Result<f64, AnyError> {
    worst(CLEARANCES, |clearance| {
        let mut setup = Setup::heavy()?;
        let (shelf, shape) = (setup.rectangle(2.0, 0.2)?, setup.rectangle(0.5, 0.5)?);
        setup.add(smooth(shelf, [-1.0, 0.0]));
        let body = setup.add(slider(shape, [0.25 + clearance, 4.0], [0.0; 2]));
        let v = setup.start(engine)?.after(steps(1.5))?[body].velocity;
        Ok(100.0 * (v.x / v.y).abs())
    })
}
