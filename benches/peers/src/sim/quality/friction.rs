//! Scenes of friction: at an impact, in motion and at rest.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyOptions, WorldOptions};

use super::setup::{GRAVITY, Setup, off, slider, steps, worst};
use crate::AnyError;
use crate::sim::Contender;

/// Lets bodies land while they move sideways. The impact must reduce the sideways speed by the coefficient of friction times the
/// change of the vertical speed. Returns the error of this reduction, in percent.
pub(super) fn of_impact(engine: Contender) -> Result<f64, AnyError> {
    let (along, down) = (10.0, 4.0);
    worst([0.0, 0.5], |restitution| {
        worst([0.1, 0.3], |friction| {
            let mut setup = Setup::weightless()?;
            setup.floor(50.0, friction)?;
            let shapes = [setup.circle(0.5)?, setup.rectangle(1.0, 1.0)?];
            let mut x = -20.0;
            let bodies = shapes.map(|shape| {
                x += 5.0;
                let body = slider(shape, [x, 1.0], [along, -down]);
                setup.add(BodyOptions { restitution, friction, fixed_rotation: true, ..body })
            });
            let now = setup.start(engine)?.after(steps(0.5))?;
            let expected = friction * (1.0 + restitution) * down;
            worst(bodies, |body| Ok(off(along - now[body].velocity.x, expected)))
        })
    })
}

/// Lets a box slide on the floor until it stops. Returns the error of the distance that it slides, in percent.
pub(super) fn to_rest(engine: Contender) -> Result<f64, AnyError> {
    let (friction, speed) = (0.3, 5.0);
    let mut setup = Setup::heavy()?;
    setup.floor(50.0, friction)?;
    let shape = setup.rectangle(1.0, 1.0)?;
    let body = setup.add(BodyOptions { friction, ..slider(shape, [0.0, 0.5], [speed, 0.0]) });
    let way = setup.start(engine)?.after(steps(4.0))?[body].pose.translation().x;
    Ok(off(way, speed * speed / (2.0 * friction * GRAVITY)))
}

/// Lets a disc slide until it rolls. Mechanics predicts that it then has two thirds of the speed at the start. Returns the
/// error of the speed, in percent.
pub(super) fn rolling(engine: Contender) -> Result<f64, AnyError> {
    let (friction, speed) = (0.3, 5.0);
    let mut setup = Setup::heavy()?;
    setup.floor(100.0, friction)?;
    let shape = setup.circle(0.5)?;
    let body = setup.add(BodyOptions { friction, ..slider(shape, [-20.0, 0.5], [speed, 0.0]) });
    Ok(off(setup.start(engine)?.after(steps(4.0))?[body].velocity.x, 2.0 / 3.0 * speed))
}

/// Places a box on a slope of 1 in 2, which is a level floor under inclined gravity. Returns the world and the index of the box.
fn slope(friction: f64) -> Result<(Setup, usize), AnyError> {
    let gravity = GRAVITY * DVec2::new(1.0, -2.0).normalize();
    let mut setup = Setup::new(WorldOptions { gravity, ..WorldOptions::default() })?;
    setup.floor(100.0, friction)?;
    let shape = setup.rectangle(1.0, 1.0)?;
    let body = setup.add(BodyOptions { friction, ..slider(shape, [0.0, 0.5], [0.0; 2]) });
    Ok((setup, body))
}

/// Lets a box slide down a slope whose friction is too low to hold it. Returns the error of the speed after 2 s, in percent.
pub(super) fn down_a_slope(engine: Contender) -> Result<f64, AnyError> {
    worst([0.1, 0.3, 0.45], |friction| {
        let (setup, body) = slope(friction)?;
        let speed = setup.start(engine)?.after(steps(2.0))?[body].velocity.x;
        Ok(off(speed, 2.0 * GRAVITY * (1.0 - 2.0 * friction) / 5.0f64.sqrt()))
    })
}

/// Returns the distance that a box creeps in 10 s on a slope whose friction is high enough to hold it.
pub(super) fn creep(engine: Contender) -> Result<f64, AnyError> {
    worst([0.55, 0.6, 0.9], |friction| {
        let (setup, body) = slope(friction)?;
        Ok(setup.start(engine)?.after(steps(10.0))?[body].pose.translation().x.abs())
    })
}
