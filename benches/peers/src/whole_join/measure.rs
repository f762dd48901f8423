//! Runs the contenders in turn, and keeps their times.

use sat2d::RelatedPair;
use sat2d::scenes::Scene;

use super::{Answer, Contender};
use crate::measure::{Stages, Times, timed};
use crate::{AnyError, Rings};

/// All runs of one contender on one scene with one number of threads.
#[derive(Debug)]
pub(super) struct Trial {
    pub(super) contender: Contender,
    pub(super) times: Times,
    /// For each run, the stages with their times. The list of a run is empty if the contender does not report stages.
    pub(super) stages: Vec<Stages>,
    /// The sorted pairs that the contender found.
    pub(super) pairs: Vec<RelatedPair>,
    /// Whether the contender distinguishes touching pairs from overlapping pairs.
    pub(super) has_relations: bool,
    /// The number of candidate pairs that the contender tested.
    pub(super) candidates: u64,
}

/// Runs every contender once without timing it, and then all contenders in turn. All runs use the current thread pool.
pub(super) fn alternate(
    repeats: u32,
    contenders: &[Contender],
    scene: Scene,
    rings: &Rings,
) -> Result<Vec<Trial>, AnyError> {
    let mut trials = Vec::new();
    for &contender in contenders {
        let Answer { pairs, has_relations, candidates, .. } = contender.join(scene, rings)?;
        let (times, stages) = (Times::default(), Vec::new());
        trials.push(Trial { contender, times, stages, pairs, has_relations, candidates });
    }
    for _ in 0..repeats {
        for trial in &mut trials {
            let answer = timed(&mut trial.times, || trial.contender.join(scene, rings))?;
            if answer.pairs != trial.pairs || answer.candidates != trial.candidates {
                return Err(format!("{}: two runs give different answers", trial.contender.name()).into());
            }
            trial.stages.push(answer.stages);
        }
    }
    Ok(trials)
}
