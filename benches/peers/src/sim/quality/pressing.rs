//! Scenes of bodies that are pressed by others. The pressed bodies must not shoot away.

use sat2d::sim::BodyOptions;

use super::setup::{GRAVITY, Setup, greater, slider, steps, worst};
use crate::AnyError;
use crate::sim::Contender;

/// Presses a ball between two walls that move towards each other. The walls stop when the gap between them is 0.8 times the
/// width of the ball. Returns the speed of the ball one second later.
pub(super) fn pinched(engine: Contender) -> Result<f64, AnyError> {
    let mut setup = Setup::weightless()?;
    let (wall, ball) = (setup.rectangle(1.0, 4.0)?, setup.circle(0.5)?);
    let walls = [-1.5, 1.5].map(|x: f64| {
        let body = BodyOptions::kinematic(wall, [x, 0.0], [-x.signum(), 0.0]);
        setup.add(BodyOptions { friction: 0.0, ..body })
    });
    let ball = setup.add(slider(ball, [0.1, 0.0], [0.0; 2]));
    let mut world = setup.start(engine)?;
    world.after(steps(0.6))?;
    for wall in walls {
        world.stop(wall)?;
    }
    Ok(world.after(steps(1.0))?[ball].velocity.length())
}

/// Drops a heavy box from a height of 2 onto a lighter box. Returns the amount by which the greatest speed of any body
/// exceeds the greatest speed of the fall, or 0 if no body is faster than the fall.
pub(super) fn falls_on_lighter(engine: Contender) -> Result<f64, AnyError> {
    worst([10.0, 100.0, 1000.0], |ratio| {
        let mut setup = Setup::heavy()?;
        setup.floor(20.0, 0.6)?;
        let (light, heavy) = (setup.rectangle(0.5, 0.5)?, setup.rectangle(1.0, 1.0)?);
        setup.add(BodyOptions::dynamic(light, [0.2, 0.25]));
        setup.add(BodyOptions { density: ratio, ..BodyOptions::dynamic(heavy, [0.0, 3.0]) });
        let mut top = 0.0;
        setup.start(engine)?.watch(steps(3.0), |now| {
            top = now.iter().fold(top, |top, body| greater(top, body.velocity.length()));
        })?;
        Ok((top - (2.0 * GRAVITY * 2.0f64).sqrt()).max(0.0))
    })
}
