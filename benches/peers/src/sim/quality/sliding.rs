//! Scenes of bodies that slide without friction over flush tiles. The bodies must keep their speed.

use sat2d::sim::BodyOptions;

use super::setup::{Setup, off, slider, smooth, steps, worst};
use crate::AnyError;
use crate::sim::Contender;

const TILES: usize = 100;
const SPEEDS: [f64; 3] = [0.5, 5.0, 20.0];

#[derive(Clone, Copy, Debug)]
pub(super) enum Slider {
    FixedBox,
    Box,
    Ball,
}

/// Lets a body slide over tiles. Returns the change of its speed, in percent of its speed at the start.
pub(super) fn over_tiles(engine: Contender, which: Slider) -> Result<f64, AnyError> {
    worst(SPEEDS, |speed| over_tiles_at(engine, which, speed, true))
}

/// Lets all kinds of bodies slide over tiles without gravity. Without gravity, no force presses a body against the tiles.
/// Returns the change of the speed, in percent of the speed at the start.
pub(super) fn over_tiles_without_gravity(engine: Contender) -> Result<f64, AnyError> {
    worst([Slider::FixedBox, Slider::Box, Slider::Ball], |which| {
        worst(SPEEDS, |speed| over_tiles_at(engine, which, speed, false))
    })
}

pub(super) fn over_tiles_at(
    engine: Contender,
    which: Slider,
    speed: f64,
    gravity: bool,
) -> Result<f64, AnyError> {
    let mut setup = if gravity { Setup::heavy() } else { Setup::weightless() }?;
    let tile = setup.rectangle(1.0, 1.0)?;
    for k in 0..TILES {
        setup.add(smooth(tile, [k as f64 + 0.5, -0.5]));
    }
    let (shape, y) = match which {
        Slider::Ball => (setup.circle(0.3)?, 0.3),
        Slider::FixedBox | Slider::Box => (setup.rectangle(0.8, 0.8)?, 0.4),
    };
    let body = slider(shape, [2.3, y], [speed, 0.0]);
    let body = setup.add(BodyOptions { fixed_rotation: matches!(which, Slider::FixedBox), ..body });
    let seconds = (0.9 * TILES as f64 / speed).min(10.0);
    Ok(off(setup.start(engine)?.after(steps(seconds))?[body].velocity.x, speed))
}
