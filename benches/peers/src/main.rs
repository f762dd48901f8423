//! Measures sat2d beside other crates: the whole self-join, the broad phase alone and the narrow phase alone.
//! Contenders alternate in one run, and their answers are compared with exact answers. The program also measures
//! simulated worlds and their states, the growth of sat2d's time, and sat2d's memory.

mod allocator;
mod areas;
mod bars;
mod broad;
mod expected;
mod figures;
#[cfg(feature = "box2d")]
mod impacts;
mod machine;
mod measure;
mod memory;
mod narrow;
mod packed;
mod points;
mod scaling;
mod sets;
mod sim;
mod unequal;
mod whole_join;

use std::path::PathBuf;
use std::process::ExitCode;

use bars::Verdict;
use clap::{Parser, ValueEnum};
use sat2d::scenes::Scene;

/// The rings of the polygons of a scene, one ring for each polygon.
type Rings = [Vec<[f64; 2]>];

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Measure sat2d beside other crates on generated scenes, and compare their answers.
#[derive(Debug, Parser)]
#[command(name = "sat2d-peers", version)]
struct Arguments {
    /// Stage to measure.
    #[arg(long, value_enum, default_value_t = Stage::Join)]
    stage: Stage,
    /// Scenes, separated by commas [default: join and narrow all; figures and areas all except near-touching; impacts also without
    /// big-ngons].
    #[arg(long, value_delimiter = ',')]
    scene: Option<Vec<Scene>>,
    /// Numbers of polygons or bodies in a scene, separated by commas [default: join and broad 100000; narrow 100000,1000000; figures
    /// 100000; areas and impacts 20000; points 10000; sets 1000000; scaling 10000 to 10000000; sim 10000,50000, with the push solver
    /// 10000; sim-scaling 10000 to 1000000; sim-quality 10000].
    #[arg(long, value_delimiter = ',')]
    count: Option<Vec<usize>>,
    /// Number of points in the stage `points`.
    #[arg(long, default_value_t = 10_000_000)]
    points: usize,
    /// Write the points and polygons of the stage `points` to this folder, for `benches/points_shapely.py`.
    #[arg(long, value_name = "FOLDER")]
    dump: Option<PathBuf>,
    /// Scenes of the stage `sim`, separated by commas [default: all].
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<sim::Case>,
    /// Number of steps in the stage `sim` after which a scene counts as settled [default: depends on the scene].
    #[arg(long, value_name = "STEPS")]
    settle: Option<usize>,
    /// Parts of the stage `sim-quality`, separated by commas [default: all].
    #[arg(long, value_enum, value_delimiter = ',')]
    part: Vec<sim::Part>,
    /// Print the scenes of the stage `sim-quality` as a table in Markdown.
    #[arg(long)]
    markdown: bool,
    /// Seed of the scenes.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Numbers of threads, separated by commas. 0 stands for all threads.
    #[arg(long, value_delimiter = ',', default_value = "1,0")]
    threads: Vec<usize>,
    /// Number of timed runs of each contender, after one untimed run. Slow contenders get fewer runs, but at least 3.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
    /// Names of contenders, separated by commas [default: all].
    #[arg(long, value_delimiter = ',')]
    contender: Vec<String>,
    /// Also write all results to FILE, as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Exit with code 1 if a required result is missed.
    #[arg(long)]
    strict: bool,
    /// Instead, measure sat2d's whole self-join for growing numbers of polygons, and for clustered and very unequal polygons.
    #[arg(long)]
    scaling: bool,
    /// Instead, measure the peak memory of sat2d's whole self-join of 1,000,000 polygons.
    #[arg(long, conflicts_with = "scaling")]
    memory: bool,
    /// Measure the memory of one join, in this process. The polygons are on standard input.
    #[arg(long, hide = true)]
    memory_of_input: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// From slices of rings in memory to sorted pairs in memory, including the creation of shapes.
    Join,
    /// From boxes in memory to candidate pairs, within one set and between two sets, for uniform, clustered and very unequal boxes.
    Broad,
    /// From packed shapes and a given list of pairs to one answer per pair.
    Narrow,
    /// From packed shapes and a given list of pairs to penetrations, manifolds and distances, on one thread.
    Figures,
    /// From sets and a given list of pairs to the areas that the polygons of each pair have in common, on one thread.
    Areas,
    /// From points and rings in memory to the points in each polygon.
    Points,
    /// From convex rings in memory to a set: rings in columns, in slices, and in objects.
    Sets,
    /// Times of impact of a given list of pairs of moving polygons, on one thread.
    #[cfg(feature = "box2d")]
    Impacts,
    /// Steps of simulated worlds, and the resulting states. Each repeat is a block of 10 steps.
    Sim,
    /// Steps of sat2d's world, for growing numbers of bodies.
    SimScaling,
    /// Results of scenes whose outcome mechanics predicts, for every engine. For sat2d's worlds of 10,000 bodies: overlaps, bodies that
    /// leave the walls, and agents that pass the doorway.
    SimQuality,
}

/// The scenes that are measured if the user names none. The stages that only decide whether polygons meet also measure
/// near-touching scenes.
const SCENES: [Scene; 6] =
    [Scene::Boxes, Scene::Crowd, Scene::Ngons, Scene::BigNgons, Scene::Clustered, Scene::NearTouching];
const APART: &[Scene] = SCENES.split_at(5).0;

impl Arguments {
    fn scenes(&self, default: &[Scene]) -> Vec<Scene> {
        self.scene.clone().unwrap_or_else(|| default.to_vec())
    }

    fn thread_counts(&self) -> Vec<usize> {
        let mut counts: Vec<usize> =
            self.threads.iter().map(|&count| if count == 0 { machine::cores() } else { count }).collect();
        counts.dedup();
        counts
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(Verdict { is_right: false, .. }) => {
            eprintln!(
                "Error: an answer of sat2d is not the exact or stored one, or what came of a world misses its bound"
            );
            ExitCode::FAILURE
        }
        Ok(Verdict { passes: false, .. }) if arguments.strict => {
            eprintln!("Error: a bar is missed");
            ExitCode::FAILURE
        }
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<Verdict, AnyError> {
    if arguments.memory_of_input {
        memory::measure()?;
        return Ok(Verdict::new(true, &[]));
    }
    if arguments.memory {
        return memory::run(arguments);
    }
    allocator::keep_memory()?;
    if arguments.scaling {
        return scaling::run(arguments);
    }
    match arguments.stage {
        Stage::Join => whole_join::run(arguments),
        Stage::Broad => broad::run(arguments),
        Stage::Narrow => narrow::run(arguments),
        Stage::Figures => figures::run(arguments),
        Stage::Areas => areas::run(arguments),
        Stage::Points => points::run(arguments),
        Stage::Sets => sets::run(arguments),
        #[cfg(feature = "box2d")]
        Stage::Impacts => impacts::run(arguments),
        Stage::Sim => sim::run(arguments),
        Stage::SimScaling => sim::run_scaling(arguments),
        Stage::SimQuality => sim::run_quality(arguments),
    }
}

/// Returns the contenders whose names are in `names`, or all contenders if `names` is empty.
fn chosen<C: Copy>(
    names: &[String],
    all: &[C],
    name_of: impl Fn(C) -> &'static str,
) -> Result<Vec<C>, AnyError> {
    if names.is_empty() {
        return Ok(all.to_vec());
    }
    let find = |name: &String| {
        let known = || all.iter().map(|&c| name_of(c)).collect::<Vec<_>>().join(", ");
        let found = all.iter().copied().find(|&c| name_of(c) == name);
        found.ok_or_else(|| format!("no contender {name}; give some of {}", known()).into())
    };
    names.iter().map(find).collect()
}
