//! Prints the table of the whole self-join to standard output, and writes the same figures as JSON.

use std::collections::HashMap;

use sat2d::scenes::Scene;
use serde::Serialize;

use super::Contender;
use super::measure::Trial;
use crate::bars::{self, Bar, Verdict, threads};
use crate::expected::{Exact, Expected, hash};
use crate::machine::Machine;
use crate::measure::stage_medians;

/// The smallest accepted ratio of sat2d's speed to the speed of the fastest other contender in the whole self-join.
const BOUND: f64 = 5.0;

/// All results of a run of the stage `join`.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    stage: &'static str,
    #[serde(flatten)]
    machine: Machine,
    seed: u64,
    repeats: u32,
    rounds: Vec<Round>,
    bars: Vec<Bar>,
}

/// The results of one scene with one number of threads.
#[derive(Debug, Serialize)]
struct Round {
    scene: &'static str,
    count: usize,
    threads: usize,
    expected: Expected,
    /// Whether the answer of exact arithmetic equals the stored answer. `None` if no answer is stored.
    as_stored: Option<bool>,
    outcomes: Vec<Outcome>,
}

/// The figures of one contender. Times are in milliseconds.
#[derive(Debug, Serialize)]
pub(super) struct Outcome {
    contender: &'static str,
    description: String,
    median: f64,
    least: f64,
    cpu_median: f64,
    nanoseconds_a_candidate: f64,
    candidates: u64,
    /// The number of pairs that meet, but that the contender did not find.
    missed: u64,
    /// The number of pairs that the contender found although they do not meet.
    invented: u64,
    /// The number of pairs with a wrong relation. `None` if the contender returns no relations.
    wrong_relations: Option<u64>,
    /// The median time of each stage.
    stages: Vec<(&'static str, f64)>,
    wall: Vec<f64>,
    is_exact: bool,
}

impl Outcome {
    pub(super) fn of(trial: &Trial, exact: &Exact) -> Self {
        let right: HashMap<_, _> = exact.pairs.iter().map(|p| ((p.a, p.b), p.relation)).collect();
        let (mut found, mut wrong_relations) = (0, 0);
        for pair in &trial.pairs {
            if let Some(&relation) = right.get(&(pair.a, pair.b)) {
                found += 1;
                wrong_relations += u64::from(relation != pair.relation);
            }
        }
        let wall = trial.times.median();
        Self {
            contender: trial.contender.name(),
            description: trial.contender.description(),
            median: wall * 1e3,
            least: trial.times.least() * 1e3,
            cpu_median: trial.times.cpu_median() * 1e3,
            nanoseconds_a_candidate: wall * 1e9 / exact.expected.candidates.max(1) as f64,
            candidates: trial.candidates,
            missed: exact.pairs.len() as u64 - found,
            invented: trial.pairs.len() as u64 - found,
            wrong_relations: trial.has_relations.then_some(wrong_relations),
            stages: stage_medians(&trial.stages),
            wall: trial.times.wall_milliseconds(),
            is_exact: trial.has_relations && hash(&trial.pairs) == exact.expected.hash,
        }
    }
}

impl Report {
    pub(super) fn new(seed: u64, repeats: u32) -> Self {
        let machine = Machine::here();
        Self { stage: "join", machine, seed, repeats, rounds: Vec::new(), bars: Vec::new() }
    }

    pub(super) fn print_head(&self) {
        println!("{}", self.machine);
        println!("the whole self-join: rings in memory to sorted pairs in memory");
        println!("seed {}, medians of {} runs in turn; times in ms", self.seed, self.repeats);
        println!("cpu: of all threads; ratio: time over sat2d's");
    }

    /// Adds the results of one scene with one number of threads, and prints them.
    pub(super) fn add(
        &mut self,
        scene: Scene,
        count: usize,
        threads: usize,
        expected: &Expected,
        stored: Option<Expected>,
        outcomes: Vec<Outcome>,
    ) {
        let as_stored = stored.map(|stored| stored == *expected);
        let round = Round { scene: scene.name(), count, threads, expected: *expected, as_stored, outcomes };
        round.print();
        self.bars.extend(round.bar());
        self.rounds.push(round);
    }

    pub(super) fn print_foot(&self) {
        bars::print(&self.bars);
        println!();
        let mut told = Vec::new();
        for outcome in self.rounds.iter().flat_map(|round| &round.outcomes) {
            if !told.contains(&outcome.contender) {
                told.push(outcome.contender);
                println!("{}: {}", outcome.contender, outcome.description);
            }
        }
    }

    /// Returns the verdict of the stage. The answers are right if sat2d's answers equal the answers of exact arithmetic, and if
    /// the answers of exact arithmetic equal the stored answers, where there are stored answers.
    pub(super) fn verdict(&self) -> Verdict {
        let name = Contender::Sat2d.name();
        let is_right = self.rounds.iter().all(|round| {
            let candidates = round.expected.candidates;
            let right = |o: &Outcome| o.contender != name || (o.is_exact && o.candidates == candidates);
            round.as_stored != Some(false) && round.outcomes.iter().all(right)
        });
        Verdict::new(is_right, &self.bars)
    }
}

impl Round {
    /// Returns the bar for sat2d's speed compared with the fastest other contender. Returns `None` if sat2d did not run, or if
    /// no other contender ran.
    fn bar(&self) -> Option<Bar> {
        let (ours, others): (Vec<_>, Vec<_>) =
            self.outcomes.iter().partition(|outcome| outcome.contender == Contender::Sat2d.name());
        let fastest = others.into_iter().min_by(|a, b| a.median.total_cmp(&b.median))?;
        let title = format!("{} {}, {}", self.scene, self.count, threads(self.threads));
        let what = format!("{title}: {} over sat2d", fastest.contender);
        Some(Bar::at_least(what, fastest.median / ours.first()?.median, BOUND))
    }

    fn print(&self) {
        println!("\n{}, {} polygons, {}", self.scene, self.count, threads(self.threads));
        println!("  {}", self.expected.line(self.as_stored));
        println!(
            "  {:<15} {:>9} {:>9} {:>9} {:>8} {:>7} {:>9}  answers",
            "", "median", "least", "cpu", "ns/pair", "ratio", "cpu ratio"
        );
        let ours = self.outcomes.iter().find(|o| o.contender == Contender::Sat2d.name());
        let ratio = |time: f64, ours: Option<f64>| ours.map_or(String::new(), |o| format!("{:.2}", time / o));
        for o in &self.outcomes {
            let wall_ratio = ratio(o.median, ours.map(|o| o.median));
            let cpu_ratio = ratio(o.cpu_median, ours.map(|o| o.cpu_median));
            let answers = match (o.is_exact, o.missed + o.invented) {
                (true, _) => "exact".to_owned(),
                (false, 0) => format!("right pairs{}", wrong_relations(o)),
                (false, _) => format!("{} missed, {} invented{}", o.missed, o.invented, wrong_relations(o)),
            };
            println!(
                "  {:<15} {:>9.2} {:>9.2} {:>9.2} {:>8.1} {wall_ratio:>7} {cpu_ratio:>9}  {answers}",
                o.contender, o.median, o.least, o.cpu_median, o.nanoseconds_a_candidate
            );
        }
        for o in self.outcomes.iter().filter(|o| !o.stages.is_empty()) {
            let stages: Vec<String> = o.stages.iter().map(|(name, ms)| format!("{name} {ms:.2}")).collect();
            println!("  {:<15} {}", o.contender, stages.join(", "));
        }
    }
}

fn wrong_relations(outcome: &Outcome) -> String {
    match outcome.wrong_relations {
        Some(wrong) => format!(", {wrong} wrong relations"),
        None => ", no relations".into(),
    }
}
