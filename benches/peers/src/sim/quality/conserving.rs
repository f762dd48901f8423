//! Scenes of collisions. Every collision must keep the momentum, and a collision with restitution 1 also the energy.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyKind, BodyOptions, MassProperties};

use super::setup::{Setup, off, slider, smooth, steps, worst};
use crate::AnyError;
use crate::sim::Contender;
use crate::sim::engine::Body;
use crate::unequal::Units;

/// The momentum and the kinetic energy of a world, summed over its dynamic bodies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    pub(super) momentum: DVec2,
    /// The angular momentum about the origin.
    pub(super) angular: f64,
    pub(super) energy: f64,
}

pub(super) fn sum(setup: &Setup, now: &[Body]) -> Sum {
    let mut sum = Sum::default();
    for (body, now) in setup.added().iter().zip(now).filter(|(body, _)| body.kind == BodyKind::Dynamic) {
        let shape = MassProperties::of(setup.shape_of(body));
        let (mass, inertia) = (body.density * shape.area, body.density * shape.second_moment);
        let momentum = mass * now.velocity;
        sum.momentum += momentum;
        sum.angular += now.pose.translation().perp_dot(momentum) + inertia * now.spin;
        sum.energy += 0.5 * (momentum.dot(now.velocity) + inertia * now.spin * now.spin);
    }
    sum
}

/// Lets a hundred balls or boxes collide in a closed room for 10 s without loss. Returns the change of their energy, in percent.
pub(super) fn gas(engine: Contender, is_of_balls: bool) -> Result<f64, AnyError> {
    let mut setup = Setup::without_threshold(0.0)?;
    let side = 10;
    let room = f64::from(side);
    let wall = setup.rectangle(room + 2.0, 1.0)?;
    let upright = setup.rectangle(1.0, room + 2.0)?;
    let loses_nothing = |body: BodyOptions| BodyOptions { restitution: 1.0, ..body };
    for (shape, at) in [
        (wall, [0.5 * room, -0.5]),
        (wall, [0.5 * room, room + 0.5]),
        (upright, [-0.5, 0.5 * room]),
        (upright, [room + 0.5, 0.5 * room]),
    ] {
        setup.add(loses_nothing(smooth(shape, at)));
    }
    let shape = if is_of_balls { setup.circle(0.2) } else { setup.rectangle(0.4, 0.4) }?;
    let mut units = Units(1);
    for row in 0..side {
        for column in 0..side {
            let velocity = [5.0 * (2.0 * units.next() - 1.0), 5.0 * (2.0 * units.next() - 1.0)];
            let at = [f64::from(column) + 0.5, f64::from(row) + 0.5];
            setup.add(loses_nothing(slider(shape, at, velocity)));
        }
    }
    let mut world = setup.start(engine)?;
    let before = sum(&setup, &world.after(0)?);
    let after = sum(&setup, &world.after(steps(10.0))?);
    Ok(off(after.energy, before.energy))
}

/// Lets a ball hit a row of four balls. Returns the difference between the speed of the last ball and the speed of the first ball
/// before the hit, in percent.
pub(super) fn cradle(engine: Contender, gaps: &[f64]) -> Result<f64, AnyError> {
    worst(gaps, |&gap| {
        let speed = 5.0;
        let mut setup = Setup::without_threshold(0.0)?;
        let shape = setup.circle(0.5)?;
        let bodies = [0, 1, 2, 3, 4].map(|k| {
            let (x, v) = if k == 0 { (-2.0, speed) } else { (f64::from(k) * (1.0 + gap), 0.0) };
            setup.add(BodyOptions { restitution: 1.0, ..slider(shape, [x, 0.0], [v, 0.0]) })
        });
        let now = setup.start(engine)?.after(steps(2.0))?;
        Ok(off(now[bodies[4]].velocity.x, speed))
    })
}

/// Lets two boxes collide, head-on and off-centre, for all combinations of parameters. Returns the greatest value of `figure`,
/// which gets the sums before and after the collision.
fn collisions(engine: Contender, figure: impl Fn(Sum, Sum) -> f64) -> Result<f64, AnyError> {
    worst([0.0, 0.5, 1.0], |restitution| {
        worst([0.0, 0.6], |friction| {
            worst([1.0, 10.0], |ratio| {
                worst([0.0, 0.2, 0.5, 0.8], |aside| {
                    let mut setup = Setup::weightless()?;
                    let shape = setup.rectangle(1.0, 1.0)?;
                    let struck = slider(shape, [0.0; 2], [0.0; 2]);
                    setup.add(BodyOptions { restitution, friction, density: ratio, ..struck });
                    let striking = slider(shape, [-2.0, aside], [5.0, 0.0]);
                    setup.add(BodyOptions { restitution, friction, angle: 0.3, ..striking });
                    let mut world = setup.start(engine)?;
                    let before = sum(&setup, &world.after(0)?);
                    Ok(figure(before, sum(&setup, &world.after(steps(1.0))?)))
                })
            })
        })
    })
}

/// Returns the greatest change of the linear momentum in a collision of two boxes, in percent.
pub(super) fn momentum(engine: Contender) -> Result<f64, AnyError> {
    collisions(engine, |before, after| {
        100.0 * (after.momentum - before.momentum).length() / before.momentum.length()
    })
}

/// Returns the greatest change of the angular momentum in a collision of two boxes, in percent of a reference. The
/// reference is the linear momentum before the collision times the side of a box, which is 1.
pub(super) fn angular_momentum(engine: Contender) -> Result<f64, AnyError> {
    collisions(engine, |before, after| {
        100.0 * (after.angular - before.angular).abs() / before.momentum.length()
    })
}

/// Returns the greatest growth of the energy in a collision of two boxes, in percent, or 0 if the energy never grows.
pub(super) fn energy_gained(engine: Contender) -> Result<f64, AnyError> {
    collisions(engine, |before, after| 100.0 * (after.energy / before.energy - 1.0).max(0.0))
}
