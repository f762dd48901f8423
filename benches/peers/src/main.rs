//! Times the whole self-join of sat2d beside other crates: slices of rings in memory to sorted pairs in memory, each
//! contender's own shapes included. Contenders alternate in one run, and every answer is compared with the exact one.

mod contenders;
mod expected;
mod machine;
mod measure;
mod memory;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use sat2d::scenes::Scene;

use contenders::Contender;
use measure::Trial;
use report::{Outcome, Report};

/// The polygons of a scene.
type Rings = [Vec<[f64; 2]>];

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Times the whole self-join of sat2d and of other crates on generated scenes, and compares their answers.
#[derive(Debug, Parser)]
#[command(name = "sat2d-peers", version)]
struct Arguments {
    /// Scenes, by comma.
    #[arg(long, value_delimiter = ',', default_value = "boxes,crowd,ngons,big-ngons,clustered")]
    scene: Vec<Scene>,
    /// Polygons in a scene.
    #[arg(long, default_value_t = 100_000)]
    count: usize,
    /// The scenes' seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Numbers of threads, by comma; 0 stands for all.
    #[arg(long, value_delimiter = ',', default_value = "1,0")]
    threads: Vec<usize>,
    /// Timed runs of each contender, after one that is not timed.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
    /// Contenders, by comma: sat2d, parry, parry-posed, rstar-geo, sepax.
    #[arg(long, value_delimiter = ',', default_value = "sat2d,parry,parry-posed,rstar-geo,sepax")]
    contender: Vec<Contender>,
    /// Write every figure to this file as well.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Join 1,000,000 convex octagons on the CPU backend and print the peak of memory instead.
    #[arg(long)]
    memory: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("Error: sat2d's answer differs from the stored one");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether every answer of sat2d is the expected one.
fn run(arguments: &Arguments) -> Result<bool, AnyError> {
    if arguments.memory {
        memory::run()?;
        return Ok(true);
    }
    let mut report = Report::new(arguments.count, arguments.seed, arguments.repeats);
    report.print_head();
    for &scene in &arguments.scene {
        let rings = scene.generate(arguments.count, arguments.seed);
        let exact = expected::exact_answer(&rings)?;
        let stored = expected::stored(scene, arguments.count, arguments.seed);
        for &threads in &arguments.threads {
            let threads = if threads == 0 { machine::cores() } else { threads };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            let trials = pool.install(|| measure::alternate(arguments, &rings))?;
            let outcomes: Vec<Outcome> =
                trials.iter().map(|trial: &Trial| Outcome::of(trial, &exact)).collect();
            report.add(scene, threads, &exact.expected, stored, outcomes);
        }
    }
    report.print_foot();
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&report)?;
        std::fs::write(path, text + "\n").map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(report.sat2d_is_right())
}
