//! Scenes of rest. Bodies at rest must stay where they are, and bodies that overlap must come to rest.

use sat2d::glam::DVec2;
use sat2d::sim::BodyOptions;

use super::setup::{Setup, greater, slider, steps};
use crate::AnyError;
use crate::sim::Contender;

/// Returns the greatest speed and the greatest spin after 10 s of two boxes that overlap at the start.
fn overlapping(engine: Contender) -> Result<[f64; 2], AnyError> {
    let mut left = [0.0; 2];
    for shift in [[0.5, 0.0], [0.3, 0.1], [0.0, 0.7]] {
        let mut setup = Setup::weightless()?;
        let shape = setup.rectangle(1.0, 1.0)?;
        for at in [[0.0; 2], shift] {
            setup.add(slider(shape, at, [0.0; 2]));
        }
        for body in setup.start(engine)?.after(steps(10.0))? {
            left[0] = greater(left[0], body.velocity.length());
            left[1] = greater(left[1], body.spin.abs());
        }
    }
    Ok(left)
}

pub(super) fn overlapping_speed(engine: Contender) -> Result<f64, AnyError> {
    Ok(overlapping(engine)?[0])
}

pub(super) fn overlapping_spin(engine: Contender) -> Result<f64, AnyError> {
    Ok(overlapping(engine)?[1])
}

/// Returns the greatest speed after 10 s of 3 to 50 bodies whose centres are evenly spread over a square that is much smaller
/// than the bodies need.
pub(super) fn clusters(engine: Contender) -> Result<f64, AnyError> {
    let mut left = 0.0;
    for (count, side) in [(3, 0.5), (4, 0.5), (5, 0.8), (8, 1.0), (20, 2.0), (50, 2.0)] {
        for is_round in [false, true] {
            for seed in 1..5 {
                let mut setup = Setup::weightless()?;
                let shape = if is_round { setup.circle(0.5)? } else { setup.rectangle(1.0, 1.0)? };
                for k in 0..count {
                    // The fractional parts of multiples of these numbers are evenly spread over a square (Roberts 2018, "The
                    // Unreasonable Effectiveness of Quasirandom Sequences").
                    let at = [0.754_877_666, 0.569_840_291]
                        .map(|step: f64| side * (f64::from(seed * 100 + k) * step).fract());
                    setup.add(BodyOptions {
                        friction: 0.3,
                        angle: f64::from(seed - 1) * f64::from(k),
                        ..slider(shape, at, [0.0; 2])
                    });
                }
                let mut one = 0.0;
                for body in setup.start(engine)?.after(steps(10.0))? {
                    one = greater(one, body.velocity.length());
                }
                left = greater(left, one);
            }
        }
    }
    Ok(left)
}

/// Steps a world for 10 s. Returns the greatest distance of a body from its position at the start, and the greatest speed in the
/// last second.
pub(super) fn unrest(engine: Contender, setup: &Setup) -> Result<[f64; 2], AnyError> {
    let mut world = setup.start(engine)?;
    world.after(steps(9.0))?;
    let [mut moved, mut fastest] = [0.0; 2];
    world.watch(steps(1.0), |now| {
        moved = 0.0;
        for (body, now) in setup.added().iter().zip(now) {
            moved = greater(moved, (now.pose.translation() - body.position).length());
            fastest = greater(fastest, now.velocity.length());
        }
    })?;
    Ok([moved, fastest])
}

/// Returns the results of [`unrest`] for a light box that carries a heavy box. The two boxes are added in both orders.
fn heavy_on_light(engine: Contender) -> Result<[f64; 2], AnyError> {
    let mut unrest_of_all = [0.0; 2];
    for ratio in [10.0, 30.0, 100.0, 300.0] {
        for is_reversed in [false, true] {
            let mut setup = Setup::heavy()?;
            setup.floor(20.0, 0.6)?;
            let shape = setup.rectangle(1.0, 1.0)?;
            let mut bodies = [
                BodyOptions::dynamic(shape, [0.0, 0.5]),
                BodyOptions { density: ratio, ..BodyOptions::dynamic(shape, [0.0, 1.5]) },
            ];
            if is_reversed {
                bodies.reverse();
            }
            for body in bodies {
                setup.add(body);
            }
            for (all, one) in unrest_of_all.iter_mut().zip(unrest(engine, &setup)?) {
                *all = greater(*all, one);
            }
        }
    }
    Ok(unrest_of_all)
}

pub(super) fn heavy_on_light_moved(engine: Contender) -> Result<f64, AnyError> {
    Ok(heavy_on_light(engine)?[0])
}

pub(super) fn heavy_on_light_speed(engine: Contender) -> Result<f64, AnyError> {
    Ok(heavy_on_light(engine)?[1])
}

/// Places boxes over the edge of a table, with their centres of mass on either side of the edge. Returns the percentage
/// of boxes that wrongly stay or fall.
pub(super) fn over_an_edge(engine: Contender) -> Result<f64, AnyError> {
    let places = [-0.05, -0.02, -0.01, 0.01, 0.02, 0.05];
    let mut wrong = 0;
    for x in places {
        let mut setup = Setup::heavy()?;
        let (table, shape) = (setup.rectangle(4.0, 1.0)?, setup.rectangle(1.0, 1.0)?);
        setup.add(BodyOptions::fixed(table, [-2.0, -0.5]));
        let body = setup.add(BodyOptions::dynamic(shape, [x, 0.5]));
        let at = setup.start(engine)?.after(steps(10.0))?[body].pose.translation();
        let is_right = if x > 0.0 { at.y < 0.0 } else { (at - DVec2::new(x, 0.5)).length() < 0.05 };
        wrong += usize::from(!is_right);
    }
    Ok(100.0 * wrong as f64 / places.len() as f64)
}
