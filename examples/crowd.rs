//! Runs a crowd on the CPU with 60 steps per second. Agents walk to the right around a pillar, and leave the world at their goal.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyOptions, ContactEvent, Solver, World, WorldOptions};
use sat2d::{ConvexPolygon, Error, RoundedShape};

fn main() -> sat2d::Result<()> {
    let options =
        WorldOptions { gravity: DVec2::ZERO, solver: Solver::Push, events: true, ..WorldOptions::default() };
    let mut world = World::new(options)?;
    let pillar = ConvexPolygon::new(&[[-2.0, 0.0], [0.0, -2.0], [2.0, 0.0], [0.0, 2.0]])?;
    let pillar = world.add_shape(&RoundedShape::polygon(&pillar, 0.0)?)?;
    world.add(&BodyOptions::fixed(pillar, [0.0, 0.0]))?;
    let disc = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.3)?)?;
    let mut agents: Vec<BodyId> = (0..100)
        .map(|k| {
            let at = DVec2::new(-8.0 - f64::from(k / 10), 0.8 * f64::from(k % 10) - 3.6);
            world.add(&BodyOptions::agent(disc, at, [1.5, 0.0]))
        })
        .collect::<Result<_, Error>>()?;

    let mut bumps = 0;
    for step in 0..1800 {
        if step % 6 == 0 {
            for &agent in &agents {
                let at = world.pose(agent)?.translation();
                // An agent walks sideways if the pillar is near and ahead.
                let aside = if (-4.0..0.5).contains(&at.x) && at.y.abs() < 2.5 { at.y.signum() } else { 0.0 };
                world.set_preferred_velocity(agent, DVec2::new(1.0, aside).normalize() * 1.5)?;
            }
        }
        world.step(1.0 / 60.0)?;
        bumps +=
            world.take_events().iter().filter(|event| matches!(event, ContactEvent::Began { .. })).count();
        let mut staying = Vec::new();
        for agent in agents {
            if world.pose(agent)?.translation().x < 8.0 {
                staying.push(agent);
            } else {
                world.remove(agent)?;
            }
        }
        agents = staying;
    }
    println!("{} agents are still on their way; they bumped into something {bumps} times", agents.len());
    assert!(agents.is_empty() && bumps > 0);
    Ok(())
}
