//! Runs the contenders in turn.

use std::time::Duration;

use sat2d::{Backend, Engine, PolygonSet};

use super::{Contender, Order, Shapes, Verdicts};
use crate::measure::{Times, timed};
use crate::{AnyError, Rings};

/// The limit on the total time of a contender's runs on one list of pairs. After this time, the contender gets no further runs.
const ENOUGH: Duration = Duration::from_secs(2);
/// The smallest number of runs of a contender on one list of pairs.
const FEWEST: usize = 3;

/// All runs of one contender on one scene with one number of threads.
#[derive(Debug)]
pub(super) struct Trial {
    pub(super) contender: Contender,
    /// For each stage of making the shapes, its name and its times.
    pub(super) packing: Vec<(&'static str, Times)>,
    /// For each list of pairs, the times of the runs and the answers.
    pub(super) tests: Vec<(Times, Verdicts)>,
}

/// Runs every contender once untimed, then all contenders in turn, in the current thread pool. Then makes all shapes in
/// turn.
pub(super) fn alternate(
    repeats: u32,
    contenders: &[Contender],
    rings: &Rings,
    orders: &[Order],
) -> Result<Vec<Trial>, AnyError> {
    let engine = Engine::new(Backend::Cpu)?;
    let mut trials: Vec<Trial> = contenders
        .iter()
        .map(|&contender| Trial { contender, packing: Vec::new(), tests: Vec::new() })
        .collect();
    {
        let set = PolygonSet::from_convex_rings(rings)?;
        let mut shapes = Vec::new();
        for &contender in contenders {
            shapes.push(contender.shapes(rings, &engine, &set)?);
        }
        for order in orders {
            test_in_turn(repeats, &mut trials, &mut shapes, order)?;
        }
    }
    for _ in 0..repeats {
        for trial in
            trials.iter_mut().filter(|trial| !trial.packing.iter().any(|(_, times)| is_enough(times)))
        {
            pack_once(trial, rings, &engine)?;
        }
    }
    Ok(trials)
}

fn test_in_turn(
    repeats: u32,
    trials: &mut [Trial],
    shapes: &mut [Box<dyn Shapes + '_>],
    order: &Order,
) -> Result<(), AnyError> {
    for (trial, shapes) in trials.iter_mut().zip(shapes.iter_mut()) {
        trial.tests.push((Times::default(), shapes.answer(&order.pairs)?));
    }
    for _ in 0..repeats {
        for (trial, shapes) in trials.iter_mut().zip(shapes.iter_mut()) {
            let Some((times, verdicts)) = trial.tests.last_mut() else { continue };
            if is_enough(times) {
                continue;
            }
            let again = timed(times, || shapes.answer(&order.pairs))?;
            if again != *verdicts {
                return Err(format!("{}: two runs give different answers", trial.contender.name()).into());
            }
        }
    }
    Ok(())
}

fn is_enough(times: &Times) -> bool {
    times.wall.len() >= FEWEST && times.wall.iter().sum::<Duration>() > ENOUGH
}

/// Makes a contender's shapes from the rings, and drops the shapes.
fn pack_once(trial: &mut Trial, rings: &Rings, engine: &Engine) -> Result<(), AnyError> {
    let names: &[&str] = if trial.contender == Contender::Sat2d { &["set", "pack"] } else { &["shapes"] };
    if trial.packing.is_empty() {
        trial.packing = names.iter().map(|&name| (name, Times::default())).collect();
    }
    if let [(_, set_times), (_, pack_times)] = &mut trial.packing[..] {
        let set = timed(set_times, || PolygonSet::from_convex_rings(rings))?;
        timed(pack_times, || engine.prepare(&set, &set))?;
        return Ok(());
    }
    let none = PolygonSet::default();
    let (_, times) = &mut trial.packing[0];
    timed(times, || trial.contender.shapes(rings, engine, &none))?;
    Ok(())
}
