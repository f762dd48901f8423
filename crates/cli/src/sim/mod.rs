//! `sat2d sim`: steps a scene, and writes pictures, rows or statistics.

mod animation;
mod drawing;
mod raster;
mod record;
mod report;
mod rows;
mod svg;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use indicatif::HumanCount as Count;

use super::progress::Bar;
use super::terminal::{check_output, print, tell_lines};
use super::{Outcome, backend_parser, use_threads};
use crate::error::{Error, Result};
use drawing::Mark;
use record::{Format, Recorder, Recording};
use sat2d::Backend;
use sat2d::sim::{BodyId, SceneDescription, SimScene, Solver, StepTimes, World};

const EXAMPLES: &str = "\
Examples:
  sat2d sim --scene pile --bodies 10000 --steps 1200 -o pile.png
  sat2d sim --scene funnel --bodies 5000 --steps 900 -o funnel.gif
  sat2d sim --scene pile --bodies 200 --steps 300 --show contacts,normals -o pile.svg
  sat2d sim --scene billiards --bodies 500 --steps 1000 --every 10 --format csv | head
  sat2d sim --scene crowd --bodies 2000 --steps 3600 --every 600 -o 'crowd-{step}.png'
  sat2d sim --scene pile --bodies 1000 --steps 1200 --flip-gravity-at 600 --stats

Exit codes: 0 simulated, 2 error.";

/// The greatest number of bodies in a world.
pub(super) const MOST_BODIES: u32 = 10_000_000;

/// Simulate a scene: bodies that fall, push and bounce, step after step.
///
/// The name, the number of bodies and the seed determine a scene. On one backend, the result does not depend on the number of
/// threads. FILE is a picture of the last step (.png, .svg), an animation at the speed of the scene (.gif), one row per body
/// (.csv: step, time, body, x, y, angle, vx, vy, w) or statistics of steps (.json). Without FILE, statistics of the last step
/// go to standard output.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Name of the scene.
    #[arg(long, value_name = "NAME", value_parser = scene_parser())]
    scene: SimScene,
    /// Number of moving bodies. The scene also has static bodies.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_BODIES)))]
    bodies: u32,
    /// Number of steps.
    #[arg(long, value_name = "K", default_value_t = 600)]
    steps: u32,
    /// Duration of one step, in the scene's unit of time [default: 1/60].
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    dt: Option<f64>,
    /// Backend that takes the steps.
    #[arg(long, default_value_t = Backend::Auto, value_parser = backend_parser(), value_name = "BACKEND")]
    backend: Backend,
    /// Seed of the random numbers.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Solver of the contacts [default: the solver of the scene].
    #[arg(long, value_enum)]
    solver: Option<SolverArgument>,
    /// Number of substeps per step. Each substep solves the contacts again [default: 8 for the scene pile, else 4].
    #[arg(long, value_name = "N")]
    substeps: Option<u32>,
    /// Reverse gravity after this many steps.
    #[arg(long, value_name = "STEP")]
    flip_gravity_at: Option<u32>,
    /// Let moving bodies collide only with static bodies, and pass through each other.
    #[arg(long)]
    static_only: bool,
    /// Write to FILE, but only if the run succeeds. Rows and statistics are gzipped if FILE ends in .gz. In the name of a picture,
    /// `{step}` stands for the number of the step. Each such picture is written when its step is done.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the output [default: determined by the ending of FILE]. Without FILE, the output goes to standard output.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Write the steps 0, M, 2 M and so on, and the last step [default: only the last step; for an animation, about 30 steps per
    /// unit of time].
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u32).range(1..))]
    every: Option<u32>,
    /// Width of the picture, in pixels [default: 960; for an animation, 640].
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(16..=4096))]
    width: Option<u32>,
    /// Marks to draw besides the bodies, separated by commas.
    #[arg(long, value_name = "MARK,..", value_enum, value_delimiter = ',')]
    show: Vec<Mark>,
    /// Print the statistics of the last step to standard output.
    #[arg(long)]
    stats: bool,
    /// Number of threads [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Print no summary on standard error.
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SolverArgument {
    /// Impulses with friction, restitution and rotation.
    Rigid,
    /// Displacements that move bodies apart, without rotation.
    Push,
}

/// The effort of a run: the number of steps, the time of all steps, and the counts of the last step.
#[derive(Debug, Default)]
struct Effort {
    steps: u64,
    stepping: Duration,
    times: StepTimes,
    candidates: u64,
    contacts: u64,
    regrown: u32,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let start = Instant::now();
    use_threads(arguments.threads.map(|threads| threads as usize))?;
    let scene = arguments.description();
    let dt = arguments.dt.unwrap_or(scene.dt);
    let mut world = World::on(scene.options.clone(), arguments.backend)?;
    let choice = world.choice().clone();
    // Zero steps only check `dt`, so a wrong value is reported before the work begins.
    world.steps(0, dt)?;
    let recording = Recording {
        scene: &scene,
        seed: arguments.seed,
        dt,
        steps: u64::from(arguments.steps),
        every: arguments.every.map(u64::from),
        width: arguments.width,
        marks: &arguments.show,
    };
    let to_standard_output = arguments.writes_to_standard_output();
    if arguments.stats && to_standard_output {
        return Err(Error::Option {
            option: "--stats",
            value: "a table on standard output".into(),
            problem: "would be mixed with the rows, statistics or pictures there; write them to a FILE with -o",
        });
    }
    let mut recorder = Recorder::open(arguments.output.as_deref(), arguments.format, recording)?;
    let prints_table = arguments.stats || recorder.is_none();
    if prints_table {
        check_output()?;
    }

    let bar = Bar::new();
    bar.message("making the scene".into());
    if to_standard_output && std::io::stdout().is_terminal() {
        // A progress line would disturb the output on the terminal.
        bar.clear();
    }
    let ids = scene.fill(&mut world)?;
    let effort = arguments.take_steps(&scene, dt, &mut world, &ids, recorder.as_mut(), &bar)?;
    bar.message("writing".into());
    recorder.map(Recorder::finish).transpose()?;
    bar.clear();
    if !arguments.quiet {
        tell_lines(&report::summary(&effort, &choice, start.elapsed()));
    }
    if prints_table {
        print(&report::table(arguments.steps, dt, &world.statistics()?))?;
    }
    Ok(Outcome::Answered)
}

impl Arguments {
    /// Returns whether rows, statistics or pictures go to standard output.
    fn writes_to_standard_output(&self) -> bool {
        match &self.output {
            Some(path) => path.as_os_str() == "-",
            None => self.format.is_some(),
        }
    }

    /// Returns the scene with the changes that the options request.
    fn description(&self) -> SceneDescription {
        let mut scene = self.scene.describe(self.bodies as usize, self.seed);
        if let Some(solver) = self.solver {
            scene.options.solver = match solver {
                SolverArgument::Rigid => Solver::Rigid,
                SolverArgument::Push => Solver::Push,
            };
        }
        scene.options.substeps = self.substeps.unwrap_or(scene.options.substeps);
        if self.static_only { scene.meeting_static_only() } else { scene }
    }

    fn take_steps(
        &self,
        scene: &SceneDescription,
        dt: f64,
        world: &mut World,
        ids: &[BodyId],
        mut recorder: Option<&mut Recorder<'_>>,
        bar: &Bar,
    ) -> Result<Effort> {
        let last = u64::from(self.steps);
        let mut effort = Effort::default();
        loop {
            let step = effort.steps;
            if let Some(recorder) = recorder.as_deref_mut().filter(|recorder| recorder.takes(step)) {
                recorder.record(step, world, ids)?;
            }
            if step == last {
                return Ok(effort);
            }
            bar.message(format!("step {} of {}", Count(step), Count(last)));
            let flip = self.flip_gravity_at.map(u64::from);
            if flip == Some(step) {
                let gravity = -world.options().gravity;
                world.set_gravity(gravity)?;
            }
            if scene.doorway.is_some() && step.is_multiple_of(STEER_EVERY) {
                scene.steer(world, ids)?;
            }
            let mut batch = (last - step).min(STEER_EVERY - step % STEER_EVERY);
            if let Some(flip) = flip.filter(|&flip| flip > step) {
                batch = batch.min(flip - step);
            }
            if let Some(recorder) = &recorder {
                batch = batch.min(recorder.next_after(step) - step);
            }
            let start = Instant::now();
            let report = world.steps(batch, dt)?;
            effort.stepping += start.elapsed();
            effort.steps += batch;
            effort.times += report.times;
            effort.regrown += report.regrown;
            (effort.candidates, effort.contacts) = (report.candidates, report.contacts);
        }
    }
}

/// The number of steps between two updates of the agents' directions. Progress is reported at the same interval.
const STEER_EVERY: u64 = 10;

fn scene_parser() -> impl TypedValueParser<Value = SimScene> {
    PossibleValuesParser::new(SimScene::ALL.map(SimScene::name)).try_map(|name| name.parse::<SimScene>())
}
