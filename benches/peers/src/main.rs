//! Measures sat2d beside other crates: the whole self-join, the broad phase alone and the narrow phase alone.
//! Contenders alternate in one run, and every answer is compared with the exact one. The program also measures
//! simulated worlds and their states, the growth of sat2d's time, and sat2d's memory.

mod allocator;
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

/// The rings of the polygons of a scene.
type Rings = [Vec<[f64; 2]>];

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Times sat2d beside other crates on generated scenes, and compares their answers.
#[derive(Debug, Parser)]
#[command(name = "sat2d-peers", version)]
struct Arguments {
    /// What is timed against other crates.
    #[arg(long, value_enum, default_value_t = Stage::Join)]
    stage: Stage,
    /// Scenes, by comma [default: join and narrow all; figures and impacts all but near-touching].
    #[arg(long, value_delimiter = ',')]
    scene: Option<Vec<Scene>>,
    /// Polygons in a scene, by comma [default: join and broad 100000; narrow 100000,1000000; figures 100000; points 10000; scaling 10000 to 10000000; sim 10000,50000, and 10000 of the push solver; sim-scaling 10000 to 1000000; sim-quality 10000].
    #[arg(long, value_delimiter = ',')]
    count: Option<Vec<usize>>,
    /// Points of the stage `points`.
    #[arg(long, default_value_t = 10_000_000)]
    points: usize,
    /// Write the points and polygons of the stage `points` to this folder, for `benches/points_shapely.py`.
    #[arg(long, value_name = "FOLDER")]
    dump: Option<PathBuf>,
    /// Scenes of the stage `sim`, by comma [default: all].
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<sim::Case>,
    /// Steps of the stage `sim` before a scene counts as settled [default: by the scene].
    #[arg(long, value_name = "STEPS")]
    settle: Option<usize>,
    /// Parts of the stage `sim-quality`, by comma [default: all].
    #[arg(long, value_enum, value_delimiter = ',')]
    part: Vec<sim::Part>,
    /// Print the scenes of the stage `sim-quality` as a table in Markdown.
    #[arg(long)]
    markdown: bool,
    /// The scenes' seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Numbers of threads, by comma; 0 stands for all.
    #[arg(long, value_delimiter = ',', default_value = "1,0")]
    threads: Vec<usize>,
    /// Timed runs of each contender, after one that is not timed; slow ones get fewer, but 3.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
    /// Contenders, by comma; all, where none is given.
    #[arg(long, value_delimiter = ',')]
    contender: Vec<String>,
    /// Write every figure to this file as well.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Exit with 1 where a bar is missed.
    #[arg(long)]
    strict: bool,
    /// Measure sat2d's whole self-join at growing sizes, and on clusters and very unequal sizes, instead.
    #[arg(long)]
    scaling: bool,
    /// Measure the peak of memory of sat2d's whole self-join of 1,000,000 polygons instead.
    #[arg(long, conflicts_with = "scaling")]
    memory: bool,
    /// One measurement of memory, in this process, of the polygons on the standard input.
    #[arg(long, hide = true)]
    memory_of_input: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// Slices of rings in memory to sorted pairs in memory, shapes included.
    Join,
    /// Boxes in memory to candidate pairs, of one set with itself and of two, on uniform, clustered and very unequal boxes.
    Broad,
    /// Packed shapes and a given list of pairs to one answer a pair.
    Narrow,
    /// Packed shapes and a given list of pairs to penetrations, manifolds and distances, on one thread.
    Figures,
    /// Points and rings in memory to the points of each polygon.
    Points,
    /// Convex rings in memory to a set: from columns, from slices of rings, and from objects.
    Sets,
    /// When moving polygons of a given list of pairs touch, on one thread.
    #[cfg(feature = "box2d")]
    Impacts,
    /// Steps of worlds of bodies, and the states that they come to. Each repeat is a block of 10 steps.
    Sim,
    /// Steps of sat2d's world at growing sizes.
    SimScaling,
    /// What comes of scenes whose outcome mechanics predicts, in every engine; and of sat2d's worlds of 10,000 bodies: overlap, walls
    /// that hold, agents that get through.
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
        Stage::Points => points::run(arguments),
        Stage::Sets => sets::run(arguments),
        #[cfg(feature = "box2d")]
        Stage::Impacts => impacts::run(arguments),
        Stage::Sim => sim::run(arguments),
        Stage::SimScaling => sim::run_scaling(arguments),
        Stage::SimQuality => sim::run_quality(arguments),
    }
}

/// Returns the contenders with these names, or all contenders if there are no names.
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
