//! Simulation: sat2d, rapier2d and Box2D step the same scenes in turn, and the states of their worlds are compared.

#[cfg(feature = "box2d")]
mod box2d;
mod engine;
mod judge;
mod ours;
mod quality;
mod rapier;
mod report;
mod scaling;
mod scenes;
#[cfg(test)]
mod tests;

use rayon::ThreadPool;
use sat2d::glam::DVec2;

use crate::bars::Verdict;
use crate::machine::{self, version};
use crate::measure::{Times, timed};
use crate::{AnyError, Arguments, chosen};
use engine::Simulator;
pub(crate) use quality::{Part, run as run_quality};
use report::{Outcome, Report, Speed, Standing};
pub(crate) use scaling::run as run_scaling;
pub(crate) use scenes::Case;
use scenes::Plain;

/// The number of steps that are timed as one block.
const BLOCK: usize = 10;
/// The numbers of bodies in the scenes of the rigid solver. The scenes of the push solver have their own.
const RIGID_COUNTS: [usize; 2] = [10_000, 50_000];
const PUSH_COUNTS: [usize; 1] = [10_000];

/// A simulation engine that the benchmark measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contender {
    Sat2d,
    Rapier,
    #[cfg(feature = "box2d")]
    Box2d,
}

impl Contender {
    const ALL: &[Self] = &[
        Self::Sat2d,
        Self::Rapier,
        #[cfg(feature = "box2d")]
        Self::Box2d,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Sat2d => "sat2d",
            Self::Rapier => "rapier2d",
            #[cfg(feature = "box2d")]
            Self::Box2d => "box2d",
        }
    }

    fn says(self) -> String {
        match self {
            Self::Sat2d => format!("sat2d {}, World on the CPU", version("sat2d")),
            Self::Rapier => format!(
                "rapier2d {}, PhysicsWorld, features parallel and the default ones; default parameters (contacts of 30 Hz, damping ratio 10, recycled, block solver)",
                version("rapier2d")
            ),
            #[cfg(feature = "box2d")]
            Self::Box2d => crate::narrow::box2d::says("b2World_Step, its own threads, default definition"),
        }
    }

    fn make(self, scene: &Plain, threads: usize) -> Result<Box<dyn Simulator>, AnyError> {
        #[cfg(not(feature = "box2d"))]
        let _ = threads;
        Ok(match self {
            Self::Sat2d => Box::new(ours::Ours::new(scene)?),
            Self::Rapier => Box::new(rapier::Rapier::new(scene)?),
            #[cfg(feature = "box2d")]
            Self::Box2d => Box::new(box2d::Box2d::new(scene, threads)?),
        })
    }
}

/// Measures every scene and every size. No answer counts as wrong, because the engines differ.
pub(crate) fn run(arguments: &Arguments) -> Result<Verdict, AnyError> {
    let contenders = chosen(&arguments.contender, Contender::ALL, Contender::name)?;
    let mut report = Report::new(arguments.seed);
    report.print_head();
    contenders.iter().for_each(|contender| println!("{}", contender.says()));
    let cases = if arguments.only.is_empty() { Case::ALL.to_vec() } else { arguments.only.clone() };
    for case in cases {
        let counts: &[usize] = if case.is_rigid() { &RIGID_COUNTS } else { &PUSH_COUNTS };
        for &count in arguments.count.as_deref().unwrap_or(counts) {
            let scene = case.plain(count, arguments.seed)?;
            let (speeds, standings) = measure(arguments, case, &scene, &contenders)?;
            report.add(Outcome { case: case.name(), count, is_rigid: case.is_rigid(), speeds, standings });
        }
    }
    report.finish();
    machine::write_json(arguments.json.as_deref(), &report)?;
    Ok(report.verdict())
}

/// An engine that runs a scene, with its times for each number of threads, before and after the scene has settled.
struct Runner {
    contender: Contender,
    world: Box<dyn Simulator>,
    times: Vec<[Times; 2]>,
}

fn measure(
    arguments: &Arguments,
    case: Case,
    scene: &Plain,
    contenders: &[Contender],
) -> Result<(Vec<Speed>, Vec<Standing>), AnyError> {
    let threads = arguments.thread_counts();
    let pools = threads
        .iter()
        .map(|&threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build())
        .collect::<Result<Vec<_>, _>>()?;
    let first = threads.first().copied().unwrap_or(1);
    let mut runners = contenders
        .iter()
        .map(|&contender| {
            let times = vec![<[Times; 2]>::default(); threads.len()];
            Ok(Runner { contender, world: contender.make(scene, first)?, times })
        })
        .collect::<Result<Vec<_>, AnyError>>()?;
    let settling = arguments.settle.unwrap_or_else(|| case.settling_steps());
    // Each number of threads gets the same number of blocks before the scene has settled.
    let rounds_before = settling.div_ceil(BLOCK * threads.len());
    let rounds = rounds_before + arguments.repeats as usize;
    let mut standings = Vec::new();
    let mut steps = 0;
    for round in 0..rounds {
        if round == rounds_before {
            stand(&mut standings, scene, &mut runners, steps)?;
        }
        steps += BLOCK * threads.len();
        let phase = usize::from(round >= rounds_before);
        for (k, &threads) in threads.iter().enumerate() {
            // The engines take turns in an order that changes, so that each engine comes first equally often.
            for turn in 0..runners.len() {
                let runner = (turn + round) % contenders.len();
                runners[runner].block(scene, &pools[k], threads, k, phase)?;
            }
        }
    }
    let mut speeds = Vec::new();
    for (k, &threads) in threads.iter().enumerate() {
        for phase in 0..2 {
            let all: Vec<(&'static str, &Times)> =
                (runners.iter()).map(|runner| (runner.contender.name(), &runner.times[k][phase])).collect();
            speeds.extend(Speed::new(threads, phase == 1, BLOCK, &all));
        }
    }
    stand(&mut standings, scene, &mut runners, steps)?;
    Ok((speeds, standings))
}

/// Adds the state of each engine's world after `steps` steps to `standings`.
fn stand(
    standings: &mut Vec<Standing>,
    scene: &Plain,
    runners: &mut [Runner],
    steps: usize,
) -> Result<(), AnyError> {
    for runner in runners {
        let state = judge::judge(scene, &runner.world.bodies()?)?;
        standings.push(Standing { engine: runner.contender.name(), steps, state });
    }
    Ok(())
}

impl Runner {
    /// Steps and times a block of steps. The preferred velocities are not updated within the block.
    fn block(
        &mut self,
        scene: &Plain,
        pool: &ThreadPool,
        threads: usize,
        which: usize,
        phase: usize,
    ) -> Result<(), AnyError> {
        self.world.use_threads(threads)?;
        if let Some(doorway) = scene.doorway.filter(|_| scene.has_preference()) {
            let bodies = self.world.bodies()?;
            let agents = scene.bodies.iter().zip(&bodies).enumerate();
            let velocities: Vec<(usize, DVec2)> = agents
                .filter(|(_, (agent, _))| agent.preference > 0.0)
                .map(|(k, (agent, now))| (k, doorway.preferred_velocity(agent, now.pose.translation())))
                .collect();
            self.world.prefer(&velocities)?;
        }
        let (world, times) = (&mut self.world, &mut self.times[which][phase]);
        pool.install(|| timed(times, || world.advance(BLOCK)))
    }
}
