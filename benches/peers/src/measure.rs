//! Runs of the contenders, one after the other in turn.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use sat2d::ObjectPair;

use crate::contenders::{Answer, Contender};
use crate::{AnyError, Arguments, Rings};

/// All runs of one contender on one scene with one number of threads.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) contender: Contender,
    pub(crate) wall: Vec<Duration>,
    /// CPU time of all threads.
    pub(crate) cpu: Vec<Duration>,
    /// Name and time of each stage, run by run, where the contender tells.
    pub(crate) stages: Vec<Vec<(&'static str, Duration)>>,
    /// The last run's answer.
    pub(crate) pairs: Vec<ObjectPair>,
    /// Whether the contender tells touching from overlapping.
    pub(crate) has_relations: bool,
    /// Candidate pairs that the contender tested.
    pub(crate) candidates: u64,
}

/// Runs every contender once untimed, then all in turn, in the current thread pool.
pub(crate) fn alternate(arguments: &Arguments, rings: &Rings) -> Result<Vec<Trial>, AnyError> {
    let contenders = arguments.contender.iter().filter(|c| c.runs_on(rayon::current_num_threads()));
    let mut trials = Vec::new();
    for &contender in contenders {
        let answer = contender.join(rings)?;
        let mut trial = Trial {
            contender,
            wall: Vec::new(),
            cpu: Vec::new(),
            stages: Vec::new(),
            pairs: Vec::new(),
            has_relations: answer.has_relations,
            candidates: answer.candidates,
        };
        trial.pairs = answer.pairs;
        trials.push(trial);
    }
    for _ in 0..arguments.repeats {
        for trial in &mut trials {
            let cpu = cpu_time();
            let start = Instant::now();
            let answer: Answer = trial.contender.join(rings)?;
            trial.wall.push(start.elapsed());
            trial.cpu.push(cpu_time().saturating_sub(cpu));
            if answer.pairs != trial.pairs || answer.candidates != trial.candidates {
                return Err(format!("{}: two runs give different answers", trial.contender.name()).into());
            }
            trial.stages.push(answer.stages);
        }
    }
    Ok(trials)
}

/// The middle value; the mean of the two middle ones of an even number.
pub(crate) fn median(values: &[Duration]) -> Duration {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2 }
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}
