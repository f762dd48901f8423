//! Prints the results as a table on standard output, and writes them as JSON.

use sat2d::FIGURE_BOUND;
use sat2d::scenes::Scene;
use serde::Serialize;

use super::measure::{Errors, Trial};
use super::{Contender, Question};
use crate::bars::{self, Bar, Verdict};
use crate::expected::Expected;
use crate::machine::Machine;

/// All results of a run of the stage `figures`.
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
    outcomes: Vec<Outcome>,
}

#[derive(Debug, Serialize)]
struct Outcome {
    contender: &'static str,
    /// The median CPU time that the contender takes to make its shapes, in milliseconds.
    packing: f64,
    orders: Vec<OrderOutcome>,
    /// The greatest difference of an answer from the true value, as a fraction of the size of the pair.
    worst: f64,
    /// The number of answers that differ from the true value by more than the bound.
    off: u64,
    /// The number of pairs that are in contact, but for which the contender finds no contact.
    missed: u64,
    /// The number of contacts that the contender finds although the polygons are apart.
    invented: u64,
}

/// The times of a contender on one list of pairs. The medians are in nanoseconds per pair.
#[derive(Debug, Serialize)]
struct OrderOutcome {
    order: &'static str,
    /// The median of the CPU time. Other programs on the machine do not increase it.
    median: f64,
    /// The median of the wall time.
    wall: f64,
    wall_milliseconds: Vec<f64>,
}

impl Outcome {
    fn of(trial: &Trial) -> Self {
        let errors = trial.tests.iter().map(|test| test.errors).reduce(Errors::greater).unwrap_or_default();
        let order = |test: &super::measure::Test| {
            let nanoseconds = 1e9 / test.pairs.max(1) as f64;
            OrderOutcome {
                order: test.order,
                median: test.times.cpu_median() * nanoseconds,
                wall: test.times.median() * nanoseconds,
                wall_milliseconds: test.times.wall_milliseconds(),
            }
        };
        Self {
            contender: trial.contender.name(),
            packing: trial.packing.cpu_median() * 1e3,
            orders: trial.tests.iter().map(order).collect(),
            worst: errors.worst,
            off: errors.off,
            missed: errors.missed,
            invented: errors.invented,
        }
    }

    fn wrong(&self) -> u64 {
        self.off + self.missed + self.invented
    }
}

impl Report {
    pub(super) fn new(seed: u64, repeats: u32) -> Self {
        Self {
            stage: "figures",
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
        println!("figures: packed shapes and a given list of pairs to one answer a pair, 1 thread");
        println!(
            "seed {}, medians of up to {} runs in turn, in ns a pair, ratios of CPU time; packing in ms, apart",
            self.seed, self.repeats
        );
        println!("random: pairs sorted by the caller's indices; spatial: in the broad phase's order");
        println!(
            "worst: the greatest difference from f64, as part of the pair's size, of which a figure of sat2d may be off by {FIGURE_BOUND:.1e};"
        );
        println!("off: answers beyond that; missed: contacts not found; invented: contacts that are none");
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
            outcomes: Vec::new(),
        });
    }

    /// Adds the results of the scene that was begun last, and prints them.
    pub(super) fn add(&mut self, trials: Vec<Trial>) {
        for trial in &trials {
            let told = (trial.contender.name(), trial.contender.description());
            if !self.contenders.contains(&told) {
                self.contenders.push(told);
            }
        }
        let Some(scene) = self.scenes.last_mut() else { return };
        println!(
            "  {:<22} {:>7} {:>15} {:>15}  {:>7} {:>6} {:>6} {:>8}",
            "", "packing", "random", "spatial", "worst", "off", "missed", "invented"
        );
        println!("  {:<22} {:>7} {:>8} {:>6} {:>8} {:>6}", "", "", "cpu", "wall", "cpu", "wall");
        for trial in &trials {
            let outcome = Outcome::of(trial);
            print!("  {:<22} {:>7.1}", outcome.contender, outcome.packing);
            for order in &outcome.orders {
                print!(" {:>8.1} {:>6.1}", order.median, order.wall);
            }
            println!(
                "  {:>7.0e} {:>6} {:>6} {:>8}",
                outcome.worst, outcome.off, outcome.missed, outcome.invented
            );
            scene.outcomes.push(outcome);
        }
        let title = format!("{} {}", scene.scene, scene.count);
        self.bars.extend(bars_of(&title, &trials, &scene.outcomes));
    }

    pub(super) fn print_foot(&self) {
        bars::print(&self.bars);
        println!();
        for (name, description) in &self.contenders {
            println!("{name}: {description}");
        }
    }

    /// Returns the verdict of the stage. The answers are right if no value of sat2d is beyond the bound, and if the exact
    /// answers equal the stored answers, where there are stored answers.
    pub(super) fn verdict(&self) -> Verdict {
        let mut outcomes = self.scenes.iter().flat_map(|scene| &scene.outcomes);
        let is_right = self.scenes.iter().all(|scene| scene.as_stored != Some(false))
            && outcomes.all(|o| !o.contender.starts_with("sat2d") || o.wrong() == 0);
        Verdict::new(is_right, &self.bars)
    }
}

/// Returns the bars of sat2d in one scene. In each order of the pairs, sat2d is compared with the fastest function of each
/// library that has a bound.
fn bars_of(title: &str, trials: &[Trial], outcomes: &[Outcome]) -> Vec<Bar> {
    let mut bars = Vec::new();
    let all = || trials.iter().map(|trial| trial.contender).zip(outcomes);
    for (ours, ours_outcome) in all().filter(|(contender, _)| contender.is_ours()) {
        let question = ours.question();
        for (index, order) in ours_outcome.orders.iter().enumerate() {
            let time = |outcome: &Outcome| outcome.orders[index].median;
            for library in ["parry", "box2d"] {
                let rivals = all().filter(|(contender, _)| contender.name().starts_with(library));
                let bounded = rivals.filter_map(|(c, outcome)| Some((outcome, c.bound(question)?)));
                if let Some((fastest, bound)) = bounded.min_by(|a, b| time(a.0).total_cmp(&time(b.0))) {
                    let what =
                        format!("{title}, {}: {} over {}", order.order, fastest.contender, ours.asks());
                    bars.push(Bar::at_least(what, time(fastest) / order.median, bound));
                }
            }
        }
        let what = format!("{title}: {} of sat2d beyond the bound", ours.asks());
        bars.push(Bar::at_most(what, ours_outcome.wrong() as f64, 0.0));
    }
    bars
}

impl Contender {
    fn asks(self) -> &'static str {
        match self.question() {
            Question::Penetration => "penetrations",
            Question::Manifold => "manifolds",
            Question::Distance => "distances",
        }
    }
}
