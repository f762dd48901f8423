//! Prints the results as a table on standard output, and writes them as JSON.

use sat2d::Relation;
use sat2d::scenes::Scene;
use serde::Serialize;

use super::measure::Trial;
use super::{Contender, Order, Verdicts};
use crate::bars::{self, Bar, Verdict, threads};
use crate::expected::Expected;
use crate::machine::Machine;

/// The largest accepted ratio of sat2d's packing time to the time of making parry2d's shapes.
const PACKING_BOUND: f64 = 2.0;

/// All results of a run of the stage `narrow`.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    stage: &'static str,
    #[serde(flatten)]
    machine: Machine,
    seed: u64,
    repeats: u32,
    scenes: Vec<SceneReport>,
    bars: Vec<Bar>,
    contenders: Vec<(&'static str, String)>,
}

#[derive(Debug, Serialize)]
struct SceneReport {
    scene: &'static str,
    count: usize,
    expected: Expected,
    /// Whether the exact answer equals the stored answer. `None` if none is stored.
    as_stored: Option<bool>,
    rounds: Vec<Round>,
}

/// The results of a scene for one number of threads.
#[derive(Debug, Serialize)]
struct Round {
    threads: usize,
    outcomes: Vec<Outcome>,
}

#[derive(Debug, Serialize)]
struct Outcome {
    contender: &'static str,
    is_peer: bool,
    /// The median time of each stage of making the shapes, in milliseconds.
    packing: Vec<(&'static str, f64)>,
    orders: Vec<OrderOutcome>,
    /// The number of meeting pairs that the contender calls disjoint.
    missed: u64,
    /// The number of disjoint pairs that the contender says meet.
    invented: u64,
    /// The number of pairs with a wrong relation. `None` if the contender returns no relations.
    wrong_relations: Option<u64>,
}

/// The times of a contender on one list of pairs. `median`, `least` and `cpu` are in nanoseconds per pair.
#[derive(Debug, Serialize)]
struct OrderOutcome {
    order: &'static str,
    median: f64,
    least: f64,
    /// The median of the CPU times of all threads.
    cpu: f64,
    wall_milliseconds: Vec<f64>,
}

impl Outcome {
    fn of(trial: &Trial, orders: &[Order]) -> Self {
        let (mut missed, mut invented, mut wrong_relations) = (0, 0, None);
        let mut told = Vec::new();
        for ((times, verdicts), order) in trial.tests.iter().zip(orders) {
            let wrong = wrong(verdicts, &order.truth);
            // Both lists have the same pairs. Each reported count is the greater one of the two lists.
            (missed, invented) = (missed.max(wrong[0]), invented.max(wrong[1]));
            if matches!(verdicts, Verdicts::Relations(_)) {
                wrong_relations = Some(wrong_relations.unwrap_or(0).max(wrong[2]));
            }
            let nanoseconds = 1e9 / order.pairs.len().max(1) as f64;
            told.push(OrderOutcome {
                order: order.name,
                median: times.median() * nanoseconds,
                least: times.least() * nanoseconds,
                cpu: times.cpu_median() * nanoseconds,
                wall_milliseconds: times.wall_milliseconds(),
            });
        }
        Self {
            contender: trial.contender.name(),
            is_peer: trial.contender.is_peer(),
            packing: trial.packing.iter().map(|(name, times)| (*name, times.median() * 1e3)).collect(),
            orders: told,
            missed,
            invented,
            wrong_relations,
        }
    }

    fn packing_sum(&self) -> f64 {
        self.packing.iter().map(|stage| stage.1).sum()
    }

    fn is_ours(&self) -> bool {
        self.contender == Contender::Sat2d.name()
    }
}

/// Returns the number of missed pairs, of invented pairs, and of wrong relations.
fn wrong(verdicts: &Verdicts, truth: &[Relation]) -> [u64; 3] {
    let mut wrong = [0; 3];
    let mut compare = |index: usize, meets: bool, same: bool| {
        let truly = truth[index] != Relation::Disjoint;
        wrong[0] += u64::from(truly && !meets);
        wrong[1] += u64::from(meets && !truly);
        wrong[2] += u64::from(!same);
    };
    match verdicts {
        Verdicts::Meets(meets) => meets.iter().enumerate().for_each(|(i, &m)| compare(i, m, true)),
        Verdicts::Relations(relations) => {
            relations
                .iter()
                .enumerate()
                .for_each(|(i, &r)| compare(i, r != Relation::Disjoint, r == truth[i]));
        }
    }
    wrong
}

impl Report {
    pub(super) fn new(seed: u64, repeats: u32) -> Self {
        Self {
            stage: "narrow",
            machine: Machine::here(),
            seed,
            repeats,
            scenes: Vec::new(),
            bars: Vec::new(),
            contenders: Vec::new(),
        }
    }

    pub(super) fn print_head(&self) {
        println!("{}", self.machine);
        println!("narrow phase: packed shapes and a given list of pairs to one answer a pair");
        println!(
            "seed {}, medians of up to {} runs in turn; test times in ns a pair",
            self.seed, self.repeats
        );
        println!("cpu: of all threads; ratio: median over sat2d's; packing in ms, apart");
        println!("random: pairs sorted by the caller's indices; spatial: in the broad phase's order");
    }

    pub(super) fn begin_scene(
        &mut self,
        scene: Scene,
        count: usize,
        expected: &Expected,
        stored: Option<Expected>,
    ) {
        let as_stored = stored.map(|stored| stored == *expected);
        println!("\n{scene}, {count} polygons\n  {}", expected.line(as_stored));
        self.scenes.push(SceneReport {
            scene: scene.name(),
            count,
            expected: *expected,
            as_stored,
            rounds: Vec::new(),
        });
    }

    /// Adds the results for one number of threads of the scene that was begun last, and prints them.
    pub(super) fn add(&mut self, thread_count: usize, trials: &[Trial], orders: &[Order]) {
        let outcomes: Vec<Outcome> = trials.iter().map(|trial| Outcome::of(trial, orders)).collect();
        for trial in trials {
            let told = (trial.contender.name(), trial.contender.description());
            if !self.contenders.contains(&told) {
                self.contenders.push(told);
            }
        }
        let Some(scene) = self.scenes.last_mut() else { return };
        let round = Round { threads: thread_count, outcomes };
        round.print();
        let title = format!("{} {}, {}", scene.scene, scene.count, threads(thread_count));
        let bound = if scene.scene == Scene::Boxes.name() { 3.0 } else { 5.0 };
        self.bars.extend(round.bars(&title, bound));
        scene.rounds.push(round);
    }

    pub(super) fn print_foot(&self) {
        bars::print(&self.bars);
        println!();
        for (name, description) in &self.contenders {
            println!("{name}: {description}");
        }
    }

    /// Returns the verdict of the stage. The answers are right if sat2d's answers equal the exact answers, and if the exact
    /// answers equal the stored answers, where there are stored answers.
    pub(super) fn verdict(&self) -> Verdict {
        let mut outcomes =
            self.scenes.iter().flat_map(|scene| &scene.rounds).flat_map(|round| &round.outcomes);
        let is_right = self.scenes.iter().all(|scene| scene.as_stored != Some(false))
            && outcomes.all(|o| !o.is_ours() || o.wrong_relations == Some(0));
        Verdict::new(is_right, &self.bars)
    }
}

impl Round {
    fn ours(&self) -> Option<&Outcome> {
        self.outcomes.iter().find(|outcome| outcome.is_ours())
    }

    fn print(&self) {
        let ours = self.ours();
        let title = threads(self.threads);
        println!("  {title:<14} {:>7} {:>28} {:>28}  missed invented", "", "random", "spatial");
        print!("  {:<14} {:>7}", "", "packing");
        for _ in 0..2 {
            print!(" {:>7} {:>6} {:>6} {:>6}", "median", "least", "cpu", "ratio");
        }
        println!();
        for outcome in &self.outcomes {
            print!("  {:<14} {:>7.1}", outcome.contender, outcome.packing_sum());
            for (index, order) in outcome.orders.iter().enumerate() {
                let ratio =
                    ours.map_or(String::new(), |o| format!("{:.2}", order.median / o.orders[index].median));
                print!(" {:>7.1} {:>6.1} {:>6.1} {ratio:>6}", order.median, order.least, order.cpu);
            }
            match outcome.wrong_relations {
                Some(0) if outcome.missed + outcome.invented == 0 => println!(" {:>16}", "exact"),
                Some(wrong) => println!(" {:>16}", format!("{wrong} WRONG")),
                None => println!(" {:>7} {:>8}", outcome.missed, outcome.invented),
            }
        }
        if let Some(ours) = ours {
            let stages: Vec<String> =
                ours.packing.iter().map(|(name, time)| format!("{name} {time:.2}")).collect();
            println!("  sat2d's packing: {}", stages.join(", "));
        }
    }

    /// Returns the bars of sat2d: its speed compared with the fastest peer in each order of the pairs, and its packing time
    /// compared with the time of making parry2d's shapes.
    fn bars(&self, title: &str, bound: f64) -> Vec<Bar> {
        let Some(ours) = self.ours() else { return Vec::new() };
        let mut bars = Vec::new();
        for (index, order) in ours.orders.iter().enumerate() {
            let peers = self.outcomes.iter().filter(|outcome| outcome.is_peer);
            let time = |outcome: &Outcome| outcome.orders[index].median;
            if let Some(fastest) = peers.min_by(|a, b| time(a).total_cmp(&time(b))) {
                let what = format!("{title}, {}: {} over sat2d", order.order, fastest.contender);
                bars.push(Bar::at_least(what, time(fastest) / order.median, bound));
            }
        }
        let parry = [Contender::Parry, Contender::ParryPosed];
        let mut of_parry =
            parry.iter().filter_map(|c| self.outcomes.iter().find(|o| o.contender == c.name()));
        if let Some(parry) = of_parry.next() {
            let what = format!("{title}: sat2d's packing over parry's shapes");
            bars.push(Bar::at_most(what, ours.packing_sum() / parry.packing_sum(), PACKING_BOUND));
        }
        if let Some(wrong) = ours.wrong_relations {
            bars.push(Bar::at_most(format!("{title}: wrong answers of sat2d"), wrong as f64, 0.0));
        }
        bars
    }
}
