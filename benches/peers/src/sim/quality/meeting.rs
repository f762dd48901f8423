//! Scenes of bodies that meet or pass bodies that move, or that pass between two bodies.

use sat2d::glam::DVec2;
use sat2d::sim::BodyOptions;

use super::setup::{DT, Setup, greater, slider, smooth, steps, worst};
use crate::AnyError;
use crate::sim::Contender;

const PHASES: [f64; 4] = [0.0, 0.25, 0.5, 0.75];

/// Lets boxes and discs fly through a slit that is hardly wider than they are. Returns the greatest change of the velocity, in
/// percent of the speed.
pub(super) fn slit(engine: Contender) -> Result<f64, AnyError> {
    let speed = 5.0;
    worst([0.1, 0.01, 0.003, 0.001], |clearance| {
        worst(PHASES, |phase| {
            let mut setup = Setup::weightless()?;
            let wall = setup.rectangle(2.0, 0.5)?;
            let shapes = [setup.circle(0.5)?, setup.rectangle(1.0, 1.0)?];
            let mut bodies = Vec::new();
            for (x, shape) in [-10.0, 10.0].into_iter().zip(shapes) {
                for side in [-1.0, 1.0] {
                    setup.add(smooth(wall, [x + side * (1.5 + clearance), 0.0]));
                }
                bodies.push(setup.add(slider(shape, [x, 2.0 + phase * speed * DT], [0.0, -speed])));
            }
            let now = setup.start(engine)?.after(steps(0.8))?;
            worst(bodies, |body| {
                let change = now[body].velocity - DVec2::new(0.0, -speed);
                Ok(100.0 * change.length() / speed)
            })
        })
    })
}

/// Moves a kinematic box past bodies at rest. Returns the greatest speed of these bodies.
pub(super) fn passed_by(engine: Contender) -> Result<f64, AnyError> {
    worst([1.0, 10.0, 60.0], |speed| {
        worst([0.1, 0.01, 0.003, 0.001], |clearance| {
            let mut setup = Setup::weightless()?;
            let block = setup.rectangle(1.0, 1.0)?;
            let shapes = [setup.circle(0.05)?, setup.rectangle(0.1, 0.1)?];
            let mut bodies = Vec::new();
            for (y, shape) in [-5.0, 5.0].into_iter().zip(shapes) {
                let block = BodyOptions::kinematic(block, [-2.0, y - 0.5], [speed, 0.0]);
                setup.add(BodyOptions { friction: 0.0, ..block });
                bodies.push(setup.add(slider(shape, [0.0, y + 0.05 + clearance], [0.0; 2])));
            }
            let now = setup.start(engine)?.after(steps(4.0 / speed))?;
            worst(bodies, |body| Ok(now[body].velocity.length()))
        })
    })
}

/// Lets two fast balls meet head-on, at several ratios of their masses and sizes. Returns the greatest error of their
/// velocities, in percent of the speed at which they approach each other.
pub(super) fn head_on(engine: Contender) -> Result<f64, AnyError> {
    let mut error = 0.0;
    for restitution in [0.0, 0.5, 1.0] {
        for ratio in [1.0, 1000.0] {
            for speed in [20.0, 60.0, 150.0] {
                for phase in PHASES {
                    let mut setup = Setup::weightless()?;
                    let shapes = [setup.circle(0.05)?, setup.circle(0.5)?];
                    let density = ratio * 0.01;
                    let way = speed * DT * (2.0 + phase);
                    let bodies = [
                        slider(shapes[0], [-0.05 - 0.5 * way, 0.0], [0.5 * speed, 0.0]),
                        BodyOptions {
                            density,
                            ..slider(shapes[1], [0.5 + 0.5 * way, 0.0], [-0.5 * speed, 0.0])
                        },
                    ];
                    let ids = bodies.map(|body| setup.add(BodyOptions { restitution, fast: true, ..body }));
                    let now = setup.start(engine)?.after(7)?;
                    let common = 0.5 * speed * (1.0 - ratio) / (1.0 + ratio);
                    let apart = restitution * speed / (1.0 + ratio);
                    for (id, expected) in ids.into_iter().zip([common - ratio * apart, common + apart]) {
                        let off = now[id].velocity - DVec2::new(expected, 0.0);
                        error = greater(error, 100.0 * off.length() / speed);
                    }
                }
            }
        }
    }
    Ok(error)
}

/// Lets discs that spin bounce obliquely on a rough floor. Friction acts until the disc rolls at the point of contact, and is at
/// most the coefficient of friction times the normal impulse. Returns the greatest error of the velocity at the point of contact,
/// in percent of the speed of the impact.
pub(super) fn spinning_bounce(engine: Contender) -> Result<f64, AnyError> {
    let (along, down) = (3.0, 5.0);
    let mut error = 0.0;
    for (radius, friction) in [(0.1, 0.1), (0.5, 0.5), (2.0, 1.0)] {
        for rim_speed in [-4.0, 0.0, 4.0, 12.0] {
            for restitution in [0.0, 0.5, 1.0] {
                let mut setup = Setup::weightless()?;
                setup.floor(100.0, friction)?;
                let disc = setup.circle(radius)?;
                let body = slider(disc, [0.0, radius + 2.4 * DT * down], [along, -down]);
                let angular_velocity = rim_speed / radius;
                let body = setup.add(BodyOptions { friction, restitution, angular_velocity, ..body });
                let now = setup.start(engine)?.after(6)?[body];
                // The slip stops when the velocity has changed by a third of the slip, because the moment of inertia of a disc
                // is half of its mass times the square of its radius.
                let slip: f64 = along + rim_speed;
                let most = friction * (1.0 + restitution) * down;
                let change = -(slip / 3.0).clamp(-most, most);
                let v = now.velocity - DVec2::new(along + change, restitution * down);
                let rim = radius * now.spin - (rim_speed + 2.0 * change);
                error = greater(error, 100.0 * (v.length() + rim.abs()) / down);
            }
        }
    }
    Ok(error)
}
