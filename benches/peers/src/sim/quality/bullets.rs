//! Scenes of fast bodies and thin targets. No body must pass through another one.

use sat2d::sim::BodyOptions;

use super::setup::{DT, Running, Setup, slider, smooth, steps};
use crate::AnyError;
use crate::sim::Contender;
use crate::sim::engine::Body;

/// The thickness of walls and bars.
const THICKNESS: f64 = 0.03;
/// The length of the target. Its ends are farther from its middle than [`FAR`], so no body gets around the target before it
/// counts as gone.
const LENGTH: f64 = 20.0;
/// The distance from the middle of the target beyond which a body counts as gone.
const FAR: f64 = 8.0;
const PHASES: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Target {
    /// A static bar.
    Wall,
    /// A kinematic bar with this angular velocity, in radians per second.
    Turning(f64),
    /// A dynamic bar, at rest until it is hit.
    Free,
}

/// A body that is fired at a target.
#[derive(Clone, Copy, Debug)]
struct Shot {
    /// The radius of a ball, or the half width of a box.
    half: f64,
    is_ball: bool,
    speed: f64,
    phase: usize,
    /// The distance between the line of flight and the middle of the target.
    aside: f64,
    is_bullet: bool,
}

/// Returns the percentage of the shots that pass through the target.
pub(super) fn through(engine: Contender, targets: &[Target], is_bullet: bool) -> Result<f64, AnyError> {
    let (mut all, mut through) = (0, 0);
    for &target in targets {
        let speeds: &[f64] =
            if target == Target::Wall { &[20.0, 50.0, 100.0, 300.0] } else { &[5.0, 20.0, 100.0, 300.0] };
        for (half, is_ball) in [(0.05, true), (0.2, true), (0.05, false)] {
            for &speed in speeds {
                for phase in 0..PHASES {
                    for aside in [0.3, 3.0] {
                        let shot = Shot { half, is_ball, speed, phase, aside, is_bullet };
                        all += 1;
                        through += usize::from(gets_through(engine, target, shot)?);
                    }
                }
            }
        }
    }
    Ok(100.0 * f64::from(through as u32) / f64::from(all))
}

fn gets_through(engine: Contender, target: Target, shot: Shot) -> Result<bool, AnyError> {
    let mut setup = Setup::weightless()?;
    let bar = setup.rectangle(THICKNESS, LENGTH)?;
    let bar = match target {
        Target::Wall => smooth(bar, [0.0; 2]),
        Target::Turning(spin) => BodyOptions {
            friction: 0.0,
            angular_velocity: spin,
            ..BodyOptions::kinematic(bar, [0.0; 2], [0.0; 2])
        },
        Target::Free => slider(bar, [0.0; 2], [0.0; 2]),
    };
    let bar = setup.add(bar);
    let shape = if shot.is_ball {
        setup.circle(shot.half)?
    } else {
        setup.rectangle(2.0 * shot.half, 2.0 * shot.half)?
    };
    let x = -2.0 - shot.phase as f64 * (shot.speed * DT).min(2.0) / PHASES as f64;
    let body = slider(shape, [x, shot.aside], [shot.speed, 0.0]);
    let body = setup.add(BodyOptions { fast: shot.is_bullet, ..body });
    is_through(&mut setup.start(engine)?, bar, body)
}

/// Returns whether the body gets to the far side of the bar before its distance from the middle of the bar exceeds [`FAR`].
pub(super) fn is_through(world: &mut Running, bar: usize, body: usize) -> Result<bool, AnyError> {
    let (mut through, mut is_over) = (false, false);
    world.watch(steps(1.0), |now: &[Body]| {
        let away = now[body].pose.translation() - now[bar].pose.translation();
        is_over |= away.length() > FAR;
        let across = now[bar].pose.cos() * away.x + now[bar].pose.sin() * away.y;
        through |= !is_over && across > 0.0;
    })?;
    Ok(through)
}

/// Fires bullets at a kinematic wall that moves towards them or away from them. Returns the percentage of the bullets that pass
/// through the wall.
pub(super) fn through_moving(engine: Contender) -> Result<f64, AnyError> {
    let (mut all, mut through) = (0, 0);
    for (thickness, wall_speed) in
        [(THICKNESS, -20.0), (THICKNESS, 5.0), (0.2, -20.0), (0.2, 20.0), (1.0, -20.0)]
    {
        for speed in [0.0, 20.0, 60.0, 300.0] {
            let approach = speed - wall_speed;
            if approach <= 0.0 {
                continue;
            }
            for (half, is_ball) in [(0.05, true), (0.3, true), (0.05, false)] {
                for phase in 0..PHASES {
                    let mut setup = Setup::weightless()?;
                    let wall = setup.rectangle(thickness, LENGTH)?;
                    let wall = BodyOptions::kinematic(wall, [0.0; 2], [wall_speed, 0.0]);
                    let wall = setup.add(BodyOptions { friction: 0.0, ..wall });
                    let shape = if is_ball {
                        setup.circle(half)?
                    } else {
                        setup.rectangle(2.0 * half, 2.0 * half)?
                    };
                    let x = -1.0 - half - phase as f64 * (approach * DT).min(2.0) / PHASES as f64;
                    let body = slider(shape, [x, 0.2], [speed, 0.0]);
                    let body = setup.add(BodyOptions { fast: true, ..body });
                    all += 1;
                    through += usize::from(is_through(&mut setup.start(engine)?, wall, body)?);
                }
            }
        }
    }
    Ok(100.0 * through as f64 / f64::from(all))
}
