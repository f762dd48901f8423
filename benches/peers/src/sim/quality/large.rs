//! Checks large worlds of sat2d: piles hardly overlap, walls hold, and crowds pass the doorway.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyKind, MassProperties, SceneDescription, SimScene, World};

use crate::bars::Bar;
use crate::{AnyError, Arguments, machine};

const BODIES: usize = 10_000;
/// The number of steps in which a pile comes to rest, for each direction of gravity. The scene of hail takes the same number of
/// steps.
const STEPS: u64 = 1_000;
/// The number of steps of a crowd: four minutes, in which nearly all of 10,000 agents pass the doorway.
const CROWD_STEPS: u64 = 14_400;
/// The number of steps between two counts of the agents that have passed.
const LOOK: u64 = 60;
/// The smallest accepted fraction of agents that pass the doorway. A few agents who block each other may stay behind.
const THROUGH: f64 = 0.99;
/// The smallest accepted number of agents that pass the doorway per second of simulated time, until nine tenths of 10,000
/// have passed.
const FLOW: f64 = 50.0;
/// The approximate width of the narrowest agents.
const AGENT: f64 = 0.4;
/// The distance between the middles of two neighbouring walls of the hail scene.
const CHAMBER: f64 = 16.0;

/// The results of all large scenes.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) count: usize,
    /// Two rates of agents that pass the doorway, per second of the simulated time: the mean rate until nine tenths of them
    /// have passed, and the rate in the best ten seconds.
    pub(super) flow: [f64; 2],
    pub(super) bars: Vec<Bar>,
}

pub(super) fn measure(arguments: &Arguments) -> Result<Found, AnyError> {
    let count = arguments.count.as_deref().and_then(|counts| counts.first()).copied().unwrap_or(BODIES);
    println!("\nsat2d {}, World on the CPU, {count} bodies", machine::version("sat2d"));
    let mut bars = pile(count, arguments.seed)?;
    bars.push(hail(count, arguments.seed)?);
    let (of_crowd, flow) = crowd(count, arguments.seed)?;
    bars.extend(of_crowd);
    let [mean, best] = flow;
    println!(
        "crowd: {mean:.1} agents a second until nine tenths are through the doorway, {best:.1} in the best 10 s"
    );
    Ok(Found { count, flow, bars })
}

/// Returns the mean size of the dynamic bodies. The size of a body is the square root of its area.
fn mean_size(scene: &SceneDescription) -> f64 {
    let sizes: Vec<f64> = (scene.bodies.iter().filter(|body| body.kind == BodyKind::Dynamic))
        .map(|body| MassProperties::of(&scene.shapes[body.shape.index()]).area.sqrt())
        .collect();
    sizes.iter().sum::<f64>() / sizes.len() as f64
}

fn pile(count: usize, seed: u64) -> Result<Vec<Bar>, AnyError> {
    let scene = SimScene::Pile.describe(count, seed);
    let mut world = scene.build()?;
    let size = mean_size(&scene);
    let mut bars = Vec::new();
    for (name, gravity) in [("pile", -10.0), ("pile upside down", 10.0)] {
        world.set_gravity([0.0, gravity])?;
        world.steps(STEPS, scene.dt)?;
        let found = world.statistics()?;
        let [mean, greatest] =
            [found.mean_penetration, found.greatest_penetration].map(|depth| 100.0 * depth / size);
        bars.push(Bar::at_most(format!("{name}: mean penetration, percent of the mean size"), mean, 1.0));
        bars.push(Bar::at_most(format!("{name}: greatest penetration, percent"), greatest, 10.0));
        let beyond = outside(&mut world, &scene)? / size;
        bars.push(Bar::at_most(format!("{name}: how far out of the box, sizes"), beyond, 0.1));
    }
    Ok(bars)
}

/// Returns the greatest distance by which a dynamic body is outside the room of the scene. The room is smaller than
/// `scene.bounds` by 1 on each side. The value is negative if all bodies are inside.
fn outside(world: &mut World, scene: &SceneDescription) -> Result<f64, AnyError> {
    let (min, max) = (scene.bounds.min + DVec2::ONE, scene.bounds.max - DVec2::ONE);
    let mut worst = f64::NEG_INFINITY;
    let bodies: Vec<BodyId> = world.bodies().collect();
    for body in bodies {
        if world.kind(body)? != BodyKind::Dynamic {
            continue;
        }
        let (pose, shape) = (world.pose(body)?, world.shape(body)?);
        for &vertex in shape.core() {
            let at = pose.apply(vertex);
            worst = worst.max((at - max).max(min - at).max_element() + shape.radius());
        }
    }
    Ok(worst)
}

fn hail(count: usize, seed: u64) -> Result<Bar, AnyError> {
    let scene = SimScene::Hail.describe(count, seed);
    let chamber = |at: DVec2| (at / CHAMBER).floor();
    let mut world = World::new(scene.options.clone())?;
    let ids = scene.fill(&mut world)?;
    world.steps(STEPS, scene.dt)?;
    let mut through = 0;
    for (body, id) in scene.bodies.iter().zip(ids) {
        let moved = chamber(body.position) != chamber(world.pose(id)?.translation());
        through += usize::from(body.kind == BodyKind::Dynamic && moved);
    }
    Ok(Bar::at_most("hail: bullets through walls".into(), through as f64, 0.0))
}

/// Measures whether the agents pass the doorway without deep overlap. Returns the bars and the flow, as in [`Found::flow`].
fn crowd(count: usize, seed: u64) -> Result<(Vec<Bar>, [f64; 2]), AnyError> {
    let scene = SimScene::Crowd.describe(count, seed);
    let mut world = World::new(scene.options.clone())?;
    let ids = scene.fill(&mut world)?;
    let mut greatest: f64 = 0.0;
    let mut crossed = vec![0usize];
    for step in 1..=CROWD_STEPS {
        if step % 10 == 1 {
            scene.steer(&mut world, &ids)?;
        }
        world.step(scene.dt)?;
        if step % LOOK != 0 {
            continue;
        }
        greatest = greatest.max(world.statistics()?.greatest_penetration);
        let mut there = 0;
        for (body, &id) in scene.bodies.iter().zip(&ids) {
            let has_crossed = world.pose(id)?.translation().x * body.position.x < 0.0;
            there += usize::from(body.kind == BodyKind::Dynamic && has_crossed);
        }
        crossed.push(there);
    }
    let seconds = |looks: usize| (looks as u64 * LOOK) as f64 * scene.dt;
    let all = crossed.len() - 1;
    let is_most = |there: &usize| *there as f64 >= 0.9 * count as f64;
    let looks = crossed.iter().position(is_most).unwrap_or(all).max(1);
    let mean = crossed[looks] as f64 / seconds(looks);
    let ten = (10.0 / seconds(1)).round() as usize;
    let most = crossed.windows(ten + 1).map(|part| part[ten].saturating_sub(part[0])).max().unwrap_or(0);
    let percent = |part: f64| 100.0 * part;
    let through = crossed[all] as f64 / count.max(1) as f64;
    // A smaller crowd has a narrower doorway, so fewer agents pass per second.
    let flow = FLOW * (count as f64 / BODIES as f64).sqrt();
    let bars = vec![
        Bar::at_most("crowd: deepest overlap, percent of an agent".into(), percent(greatest / AGENT), 5.0),
        Bar::at_least("crowd: percent of agents through".into(), percent(through), percent(THROUGH)),
        Bar::at_least("crowd: agents a second".into(), mean, flow),
    ];
    Ok((bars, [mean, most as f64 / seconds(ten)]))
}
