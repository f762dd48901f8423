//! Scenes of bodies that bounce. The coefficient of restitution determines the speed after an impact.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyOptions, ShapeId};

use super::setup::{GRAVITY, Setup, greater, off, slider, steps, worst};
use crate::AnyError;
use crate::sim::Contender;

const RESTITUTIONS: [f64; 4] = [0.3, 0.5, 0.8, 1.0];
/// The positions from which boxes fall: above the middle of the floor, and above its end at x = 5, so that a part of the box is
/// beside the floor.
const PLACES: [[f64; 2]; 4] = [[0.0, 4.5], [0.0, 4.37], [4.8, 4.5], [4.8, 3.21]];

#[derive(Clone, Copy, Debug)]
pub(super) enum Bouncer {
    Box,
    Ball,
}

fn shape(setup: &mut Setup, which: Bouncer) -> Result<ShapeId, AnyError> {
    match which {
        Bouncer::Box => setup.rectangle(1.0, 1.0),
        Bouncer::Ball => setup.circle(0.5),
    }
}

/// Lets a box fall flat onto the floor. Returns the greatest spin of the box, in radians per second. Mechanics predicts no
/// spin.
pub(super) fn spin(engine: Contender) -> Result<f64, AnyError> {
    worst(RESTITUTIONS, |restitution| {
        worst(PLACES, |at| {
            let mut setup = Setup::heavy()?;
            setup.floor(10.0, 0.0)?;
            let shape = shape(&mut setup, Bouncer::Box)?;
            let body = setup.add(BodyOptions { restitution, ..slider(shape, at, [0.0; 2]) });
            let mut spin = 0.0;
            setup.start(engine)?.watch(steps(2.0), |now| spin = greater(spin, now[body].spin.abs()))?;
            Ok(spin)
        })
    })
}

/// Lets a body fall and bounce. Returns the greatest difference between the coefficient of restitution and the ratio of the
/// speed after an impact to the speed before it.
pub(super) fn ratio(engine: Contender, which: Bouncer) -> Result<f64, AnyError> {
    worst(RESTITUTIONS, |restitution| {
        worst([2.0, 3.21, 4.37, 4.5, 9.0], |height| {
            Ok((ratio_at(engine, which, restitution, height)? - restitution).abs())
        })
    })
}

/// Returns the ratio of the speed after the first impact to the speed before it, or 0 if the body does not bounce. Both speeds
/// are speeds at the floor, computed from the energy of the body.
pub(super) fn ratio_at(
    engine: Contender,
    which: Bouncer,
    restitution: f64,
    height: f64,
) -> Result<f64, AnyError> {
    let mut setup = Setup::heavy()?;
    setup.floor(10.0, 0.0)?;
    let shape = shape(&mut setup, which)?;
    let body = setup.add(BodyOptions { restitution, ..slider(shape, [0.0, height], [0.0; 2]) });
    let speed_at_floor = |y: f64, v: DVec2| (v.y * v.y + 2.0 * GRAVITY * (y - 0.5)).max(0.0).sqrt();
    let mut after = None;
    setup.start(engine)?.watch(steps(2.0), |now| {
        let (at, v) = (now[body].pose.translation(), now[body].velocity);
        if after.is_none() && v.y > 0.0 {
            after = Some(speed_at_floor(at.y, v));
        }
    })?;
    Ok(after.unwrap_or(0.0) / speed_at_floor(height, DVec2::ZERO))
}

/// Lets boxes and balls with restitution 1 bounce for 20 s, up to 14 times. Returns the greatest difference between the height
/// at the end and the height at the start, in percent.
pub(super) fn for_long(engine: Contender) -> Result<f64, AnyError> {
    let mut setup = Setup::without_threshold(GRAVITY)?;
    setup.floor(100.0, 0.0)?;
    let shapes = [shape(&mut setup, Bouncer::Box)?, shape(&mut setup, Bouncer::Ball)?];
    let heights = [3.0, 3.3, 3.6, 3.9, 4.2, 4.5];
    let bodies = [0, 1, 2, 3, 4, 5].map(|k| {
        let body = slider(shapes[k % 2], [5.0 * k as f64, heights[k]], [0.0; 2]);
        setup.add(BodyOptions { restitution: 1.0, ..body })
    });
    let mut world = setup.start(engine)?;
    world.after(steps(18.0))?;
    let mut tops = [0.0; 6];
    world.watch(steps(2.0), |now| {
        for (top, body) in tops.iter_mut().zip(bodies) {
            *top = greater(*top, now[body].pose.translation().y);
        }
    })?;
    worst(tops.into_iter().zip(heights), |(top, height)| Ok(off(top - 0.5, height - 0.5)))
}
