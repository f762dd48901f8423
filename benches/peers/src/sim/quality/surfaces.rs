//! Scenes of bodies that bounce, roll or slide on surfaces of flush tiles.

use sat2d::glam::DVec2;
use sat2d::sim::BodyOptions;

use super::setup::{DT, GRAVITY, Setup, greater, off, slider, smooth, steps, worst};
use crate::AnyError;
use crate::sim::Contender;

/// The thickness of the tiles.
const THICKNESS: f64 = 0.5;

/// Lets boxes land flat on tiles, at several distances from the seams. Returns the greatest spin after the impact.
pub(super) fn flat_bounce_spin(engine: Contender) -> Result<f64, AnyError> {
    let mut spin = 0.0;
    for length in [1.0, 0.37, 0.1] {
        for restitution in [0.3, 1.0] {
            let mut setup = Setup::weightless()?;
            let tile = setup.rectangle(length, THICKNESS)?;
            let count = (12.0 / length) as i32;
            for k in -count..count {
                let at = [(f64::from(k) + 0.5) * length, -0.5 * THICKNESS];
                setup.add(BodyOptions { restitution, ..smooth(tile, at) });
            }
            let mut bodies = Vec::new();
            for (k, side) in (0..).zip([1.0, 0.8]) {
                let shape = setup.rectangle(side, side)?;
                for (lane, x) in (0..).zip([0.0, 0.03, 0.2, 0.5]) {
                    let x = x + 2.0 * f64::from(lane) + 8.0 * f64::from(k) - 8.0;
                    bodies.push(setup.add(slider(shape, [x, 0.5 * side + 0.25], [0.0, -6.0])));
                }
            }
            let now = setup.start(engine)?.after(steps(0.2))?;
            spin = bodies.iter().fold(spin, |spin, &body| greater(spin, now[body].spin.abs()));
        }
    }
    Ok(spin)
}

/// Lets balls roll over tiles. Returns the change of the speed, in percent of the speed at the start.
pub(super) fn rolling(engine: Contender) -> Result<f64, AnyError> {
    worst([1.0, 5.0, 20.0], |speed: f64| {
        worst([0.1, 0.5], |radius: f64| {
            let mut setup = Setup::heavy()?;
            let tile = setup.rectangle(1.0, THICKNESS)?;
            for k in 0..45 {
                setup.add(BodyOptions::fixed(tile, [f64::from(k) - 2.5, -0.5 * THICKNESS]));
            }
            let disc = setup.circle(radius)?;
            let velocity = DVec2::new(speed, 0.0);
            let body = BodyOptions::dynamic(disc, [0.0, radius]);
            let body = setup.add(BodyOptions { velocity, angular_velocity: -speed / radius, ..body });
            Ok(off(setup.start(engine)?.after(steps(2.0))?[body].velocity.x, speed))
        })
    })
}

/// Lets balls slide down a slope of tiles onto level tiles. The impact at the end of the slope takes the part of the velocity
/// that is perpendicular to the level tiles. Returns the error of the speed that is left, in percent.
pub(super) fn onto_level(engine: Contender) -> Result<f64, AnyError> {
    worst([10.0, 20.0, 30.0, 45.0], |degrees: f64| {
        worst([0.1, 0.3, 1.0], |radius| {
            let (down, up) = {
                let (sin, cos) = degrees.to_radians().sin_cos();
                (DVec2::new(cos, -sin), DVec2::new(sin, cos))
            };
            let mut setup = Setup::heavy()?;
            let tile = setup.rectangle(1.0, THICKNESS)?;
            for k in 0..20 {
                let along = f64::from(k) + 0.5;
                let at = -along * down - 0.5 * THICKNESS * up;
                setup.add(BodyOptions { angle: -degrees.to_radians(), ..smooth(tile, at.to_array()) });
                setup.add(smooth(tile, [along, -0.5 * THICKNESS]));
            }
            let disc = setup.circle(radius)?;
            // The ball touches the level tiles after it has slid by `way`.
            let way = 4.0;
            let start = -(way + radius * (0.5 * degrees.to_radians()).tan()) * down + radius * up;
            let body = setup.add(slider(disc, start.to_array(), [0.0; 2]));
            let steepness = -down.y;
            let speed = (2.0 * GRAVITY * way * steepness).sqrt();
            let seconds = speed / (GRAVITY * steepness) + 0.5;
            let left = setup.start(engine)?.after(steps(seconds))?[body].velocity.x;
            Ok(off(left, speed * down.x))
        })
    })
}

/// Lets balls slide over the end of a table. They are so fast that they leave the table at once. Returns the change of the
/// horizontal speed, in percent.
pub(super) fn over_the_end(engine: Contender) -> Result<f64, AnyError> {
    worst([4.0, 10.0, 40.0], |speed| {
        worst([0.05, 0.1, 0.3], |radius| {
            worst([0.0, 0.25, 0.5, 0.75], |phase| {
                let mut setup = Setup::heavy()?;
                let tile = setup.rectangle(1.0, THICKNESS)?;
                for k in 0..20 {
                    setup.add(smooth(tile, [-f64::from(k) - 0.5, -0.5 * THICKNESS]));
                }
                let disc = setup.circle(radius)?;
                let start = [-1.0 - phase * speed * DT, radius];
                let body = setup.add(slider(disc, start, [speed, 0.0]));
                let seconds = 1.0 / speed + 0.4;
                Ok(off(setup.start(engine)?.after(steps(seconds))?[body].velocity.x, speed))
            })
        })
    })
}
