//! Scenes with an outcome that mechanics predicts.

use super::bouncing::{self, Bouncer};
use super::bullets::{self, Target};
use super::passing::{self, Obstacle};
use super::sliding::{self, Slider};
use super::{conserving, friction, meeting, order, pressing, resting, standing, surfaces};
use crate::AnyError;
use crate::sim::Contender;

/// A scene, and the function that measures its figure. The figure is the greatest value over all parameters of the scene.
/// Mechanics predicts 0.
pub(super) struct Scene {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    /// The greatest figure of an engine that counts as right, in `unit`.
    pub(super) tolerance: f64,
    pub(super) measure: fn(Contender) -> Result<f64, AnyError>,
}

const fn scene(
    name: &'static str,
    unit: &'static str,
    tolerance: f64,
    measure: fn(Contender) -> Result<f64, AnyError>,
) -> Scene {
    Scene { name, unit, tolerance, measure }
}

const TURNING: [Target; 4] =
    [Target::Turning(1.0), Target::Turning(-1.0), Target::Turning(3.0), Target::Turning(-3.0)];

pub(super) const SCENES: [Scene; 53] = [
    scene("past the corner of a box: deflection", "°", 0.1, |engine| {
        passing::past(engine, Obstacle::Corner)
    }),
    scene("past a disc: deflection", "°", 0.1, |engine| passing::past(engine, Obstacle::Disc)),
    scene("past the seam of two boxes: deflection", "°", 0.1, |engine| {
        passing::past(engine, Obstacle::Seam)
    }),
    scene("past each other: deflection", "°", 0.1, passing::each_other),
    scene("fall past a shelf: sideways over downward speed", "%", 0.1, passing::shelf),
    scene("box that cannot turn, on flush tiles: speed error", "%", 0.1, |engine| {
        sliding::over_tiles(engine, Slider::FixedBox)
    }),
    scene("box on flush tiles: speed error", "%", 0.1, |engine| sliding::over_tiles(engine, Slider::Box)),
    scene("ball on flush tiles: speed error", "%", 0.1, |engine| sliding::over_tiles(engine, Slider::Ball)),
    scene("flush tiles without gravity: speed error", "%", 0.1, sliding::over_tiles_without_gravity),
    scene("through a slit: velocity error", "%", 0.1, meeting::slit),
    scene("passed by a kinematic box: speed", "m/s", 0.01, meeting::passed_by),
    scene("ball rolls over flush tiles: speed error", "%", 1.0, surfaces::rolling),
    scene("down a slope onto level tiles: speed error", "%", 2.0, surfaces::onto_level),
    scene("over the end of a table: speed error", "%", 0.1, surfaces::over_the_end),
    scene("flat bounce of a box on tiles: spin", "rad/s", 0.01, surfaces::flat_bounce_spin),
    scene("flat bounce of a box: spin", "rad/s", 0.01, bouncing::spin),
    scene("bounce of a box: error of the speed ratio", "", 0.02, |engine| {
        bouncing::ratio(engine, Bouncer::Box)
    }),
    scene("bounce of a ball: error of the speed ratio", "", 0.02, |engine| {
        bouncing::ratio(engine, Bouncer::Ball)
    }),
    scene("lossless bounces for 20 s: height error", "%", 2.0, bouncing::for_long),
    scene("fast balls meet head-on: velocity error", "%", 2.0, meeting::head_on),
    scene("spinning disc bounces: velocity error", "%", 2.0, meeting::spinning_bounce),
    scene("impact with friction: error of the impulse", "%", 2.0, friction::of_impact),
    scene("box slides to rest: distance error", "%", 2.0, friction::to_rest),
    scene("disc slides, then rolls: speed error", "%", 2.0, friction::rolling),
    scene("box slides down a slope: speed error", "%", 2.0, friction::down_a_slope),
    scene("box at rest on a slope: creep in 10 s", "m", 0.002, friction::creep),
    scene("two boxes that overlap: speed after 10 s", "m/s", 0.01, resting::overlapping_speed),
    scene("two boxes that overlap: spin after 10 s", "rad/s", 0.01, resting::overlapping_spin),
    scene("3 to 50 bodies that overlap: speed after 10 s", "m/s", 0.1, resting::clusters),
    scene("light box under a heavy one: displacement", "m", 0.05, resting::heavy_on_light_moved),
    scene("light box under a heavy one: speed", "m/s", 0.01, resting::heavy_on_light_speed),
    scene("box over a table's edge: wrongly stays or falls", "%", 0.0, resting::over_an_edge),
    scene("stack of 20: displacement", "m", 0.05, standing::stack),
    scene("pyramid of 20 rows: displacement", "m", 0.05, standing::pyramid),
    scene("arch of 11 wedges: displacement", "m", 0.05, standing::arch),
    scene("house of 15 cards: displacement", "m", 0.05, standing::card_house),
    scene("ball pinched by walls that stop: speed", "m/s", 0.01, pressing::pinched),
    scene("box falls on a lighter one: excess speed", "m/s", 0.2, pressing::falls_on_lighter),
    scene("bullets at a thin wall: passed through", "%", 0.0, |engine| {
        bullets::through(engine, &[Target::Wall], true)
    }),
    scene("bullets at a turning bar: passed through", "%", 0.0, |engine| {
        bullets::through(engine, &TURNING, true)
    }),
    scene("bullets at a free bar: passed through", "%", 0.0, |engine| {
        bullets::through(engine, &[Target::Free], true)
    }),
    scene("bullets at a moving wall: passed through", "%", 0.0, bullets::through_moving),
    scene("other bodies at a thin wall: passed through", "%", 0.0, |engine| {
        bullets::through(engine, &[Target::Wall], false)
    }),
    scene("other bodies at a turning bar: passed through", "%", 0.0, |engine| {
        bullets::through(engine, &TURNING, false)
    }),
    scene("other bodies at a free bar: passed through", "%", 0.0, |engine| {
        bullets::through(engine, &[Target::Free], false)
    }),
    scene("lossless gas of balls for 10 s: energy error", "%", 1.0, |engine| conserving::gas(engine, true)),
    scene("lossless gas of boxes for 10 s: energy error", "%", 1.0, |engine| conserving::gas(engine, false)),
    scene("row of balls with gaps: speed error of the last", "%", 1.0, |engine| {
        conserving::cradle(engine, &[0.3, 0.1])
    }),
    scene("row of balls that nearly touch: speed error of the last", "%", 5.0, |engine| {
        conserving::cradle(engine, &[0.01, 0.001, 0.0])
    }),
    scene("collision of two boxes: momentum error", "%", 0.01, conserving::momentum),
    scene("collision of two boxes: angular momentum error", "%", 1.0, conserving::angular_momentum),
    scene("collision of two boxes: energy gain", "%", 0.5, conserving::energy_gained),
    scene("pile of 30 in three orders of adding: difference", "m", 0.01, order::of_adding),
];
