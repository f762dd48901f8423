//! A scene that is built in several orders. The order in which bodies are added must not change how they move.
//!
//! A pile amplifies differences: a difference in the last bit at the first impacts becomes visible 2 s later. An engine is within
//! the tolerance only if the order of adding changes no bit at the start.

use sat2d::glam::DVec2;
use sat2d::sim::BodyOptions;

use super::setup::{Setup, greater, steps};
use crate::AnyError;
use crate::sim::Contender;
use crate::unequal::Units;

const BODIES: usize = 30;

/// Builds a pile of 30 bodies in three orders. Returns the greatest distance between the positions of the same body after 2 s.
pub(super) fn of_adding(engine: Contender) -> Result<f64, AnyError> {
    let first = places(engine, None)?;
    let mut difference = 0.0;
    for seed in [1, 2] {
        for (a, b) in first.iter().zip(places(engine, Some(seed))?) {
            difference = greater(difference, (*a - b).length());
        }
    }
    Ok(difference)
}

/// Returns the positions of the bodies after 2 s, in the order of their indices. With a seed, the bodies are added in a random
/// order. Without a seed, they are added in the order of their indices.
fn places(engine: Contender, seed: Option<u64>) -> Result<Vec<DVec2>, AnyError> {
    let mut setup = Setup::heavy()?;
    setup.floor(12.0, 0.6)?;
    let wall = setup.rectangle(1.0, 20.0)?;
    for x in [-4.0, 4.0] {
        setup.add(BodyOptions::fixed(wall, [x, 10.0]));
    }
    let shapes = [setup.rectangle(0.8, 0.8)?, setup.circle(0.4)?, setup.rectangle(1.0, 0.4)?];
    let mut order: Vec<usize> = (0..BODIES).collect();
    if let Some(seed) = seed {
        let mut units = Units(seed);
        for k in (1..BODIES).rev() {
            order.swap(k, (units.next() * (k + 1) as f64) as usize);
        }
    }
    let mut bodies = [0; BODIES];
    for k in order {
        let (column, row) = ((k % 6) as f64, (k / 6) as f64);
        let at = [-2.8 + 1.1 * column + 0.07 * row, 1.0 + 1.1 * row];
        bodies[k] = setup.add(BodyOptions::dynamic(shapes[k % 3], at));
    }
    let now = setup.start(engine)?.after(steps(2.0))?;
    Ok(bodies.iter().map(|&body| now[body].pose.translation()).collect())
}
