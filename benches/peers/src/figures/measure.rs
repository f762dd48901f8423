//! Runs the contenders in turn.

use std::time::Duration;

use sat2d::{Backend, Engine, PolygonSet};

use super::truth::Verdict;
use super::{Contender, Found, Order, Question, Shapes};
use crate::measure::{Times, timed};
use crate::{AnyError, Rings};

/// The limit on the total time of a contender's runs on one list of pairs. After this time, the contender gets no further runs.
const ENOUGH: Duration = Duration::from_secs(2);
/// The smallest number of runs of a contender on one list of pairs.
const FEWEST: usize = 3;

/// The number of pairs of one query. The number is small, so that the memory of the answers is reused. Fresh pages from the
/// operating system would take as long as the answers.
const LIST: usize = 1 << 16;

/// All runs of one contender on one scene.
#[derive(Debug)]
pub(super) struct Trial {
    pub(super) contender: Contender,
    /// The times that the contender took to make its shapes.
    pub(super) packing: Times,
    pub(super) tests: Vec<Test>,
}

/// All runs of one contender on one list of pairs.
#[derive(Debug)]
pub(super) struct Test {
    pub(super) order: &'static str,
    pub(super) pairs: usize,
    pub(super) times: Times,
    pub(super) errors: Errors,
}

/// The differences between the answers and the true values.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Errors {
    /// The greatest difference of all answers, as a fraction of the size of the pair.
    pub(super) worst: f64,
    /// The number of answers whose difference from the true value is beyond the bound.
    pub(super) off: u64,
    /// The number of pairs that are in contact, but for which the contender finds no contact.
    pub(super) missed: u64,
    /// The number of contacts that the contender finds although the polygons are apart.
    pub(super) invented: u64,
}

impl Errors {
    fn of(contender: Contender, found: &dyn Found, order: &Order) -> Self {
        let mut errors = Self::default();
        for (at, truth) in order.truth.iter().enumerate() {
            let verdict = truth.verdict(contender.question(), contender.says_all(), found.value(at));
            match verdict {
                Verdict::Off(off) => {
                    errors.worst = if off > errors.worst || off.is_nan() { off } else { errors.worst };
                    errors.off += u64::from(verdict.is_wrong());
                }
                Verdict::Missed => errors.missed += 1,
                Verdict::Invented => errors.invented += 1,
                Verdict::Silent => {}
            }
        }
        errors
    }

    /// Returns the greater of each number of two results.
    pub(super) fn greater(self, other: Self) -> Self {
        let worst = if other.worst > self.worst || other.worst.is_nan() { other.worst } else { self.worst };
        Self {
            worst,
            off: self.off.max(other.off),
            missed: self.missed.max(other.missed),
            invented: self.invented.max(other.invented),
        }
    }
}

impl Contender {
    /// Returns whether the contender returns a gap for every pair, and not only for pairs in contact.
    fn says_all(self) -> bool {
        self.is_ours() && self.question() == Question::Penetration
    }
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
        .map(|&contender| Trial { contender, packing: Times::default(), tests: Vec::new() })
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
        for trial in trials.iter_mut().filter(|trial| !is_enough(&trial.packing)) {
            let contender = trial.contender;
            if contender.is_ours() {
                timed(&mut trial.packing, || {
                    let set = PolygonSet::from_convex_rings(rings)?;
                    contender.shapes(rings, &engine, &set).map(drop)
                })?;
            } else {
                let none = PolygonSet::default();
                timed(&mut trial.packing, || contender.shapes(rings, &engine, &none).map(drop))?;
            }
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
        let found = shapes.measure(&order.pairs)?;
        trial.tests.push(Test {
            order: order.name,
            pairs: order.pairs.len(),
            times: Times::default(),
            errors: Errors::of(trial.contender, found.as_ref(), order),
        });
    }
    for _ in 0..repeats {
        for (trial, shapes) in trials.iter_mut().zip(shapes.iter_mut()) {
            let Some(Test { times, .. }) = trial.tests.last_mut() else { continue };
            if is_enough(times) {
                continue;
            }
            timed(times, || order.pairs.chunks(LIST).try_for_each(|list| shapes.measure(list).map(drop)))?;
        }
    }
    Ok(())
}

fn is_enough(times: &Times) -> bool {
    times.wall.len() >= FEWEST && times.wall.iter().sum::<Duration>() > ENOUGH
}
