//! Scenes to simulate: the same for the command line, the benchmarks and the tests, and for other engines.
//!
//! A scene is determined by its name, its count and its seed, bit for bit, on every machine: random numbers come from a
//! published cipher, and the arithmetic is `+ - * /` and square roots in f64 alone. Vertices, radii and positions are f32
//! values, so that an engine of f32 is given the same bodies.

mod billiards;
mod crowd;
mod funnel;
mod hail;
mod parts;
mod pile;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use super::{BodyId, BodyKind, BodyOptions, Layers, World, WorldOptions};
use crate::error::{Error, Result};
use crate::{Aabb, RoundedShape};
pub use crowd::Doorway;

/// A recipe for a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SimScene {
    /// Convex polygons of 3 to 8 vertices, boxes, some circles and capsules, up to 1 long, that fall from a loose lattice
    /// into a heap, in a box that is closed on all sides. The rigid solver.
    Pile,
    /// Agents, circles and convex polygons about 0.5 wide, in two crowds that change places through a doorway with
    /// pillars: see [`SceneDescription::steer`]. The push solver.
    Crowd,
    /// Particles up to 0.8 wide that fall through a funnel onto a field of static polygons, one for every 100 particles,
    /// slowed by the air. The push solver.
    Funnel,
    /// Bullets 0.2 wide, marked fast, between static walls as thin as a tenth of what a bullet travels in a step. The rigid
    /// solver.
    Hail,
    /// Circles and convex polygons up to 1 wide that move without gravity or friction and bounce without loss, between
    /// walls, on 15 percent of the area. The rigid solver.
    Billiards,
}

/// Worlds in plain values: what [`World`] is to be made with, or any other engine.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SceneDescription {
    /// The recipe.
    pub scene: SimScene,
    /// Gravity, solver and units.
    pub options: WorldOptions,
    /// The step that the scene is meant for, in its unit of time.
    pub dt: f64,
    /// Shapes, few and shared.
    pub shapes: Vec<RoundedShape>,
    /// Static bodies first, then the dynamic ones. [`super::ShapeId::index`] of their shapes counts in `shapes`.
    pub bodies: Vec<BodyOptions>,
    /// What a picture shows: the room of the dynamic bodies, and of its walls enough to see them.
    pub bounds: Aabb,
    /// What the agents of [`SimScene::Crowd`] go through.
    pub doorway: Option<Doorway>,
}

impl SimScene {
    /// Every scene.
    pub const ALL: [Self; 5] = [Self::Pile, Self::Crowd, Self::Funnel, Self::Hail, Self::Billiards];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pile => "pile",
            Self::Crowd => "crowd",
            Self::Funnel => "funnel",
            Self::Hail => "hail",
            Self::Billiards => "billiards",
        }
    }

    /// The scene with `count` dynamic bodies, and the static ones that it needs besides.
    ///
    /// ```
    /// use sat2d::sim::{BodyKind, SimScene};
    /// let scene = SimScene::Pile.describe(1000, 7);
    /// assert_eq!(scene.bodies.iter().filter(|body| body.kind == BodyKind::Dynamic).count(), 1000);
    /// let mut world = scene.build()?;
    /// assert_eq!(world.steps(10, scene.dt)?.steps, 10);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[must_use]
    pub fn describe(self, count: usize, seed: u64) -> SceneDescription {
        match self {
            Self::Pile => pile::describe(count, seed),
            Self::Crowd => crowd::describe(count, seed),
            Self::Funnel => funnel::describe(count, seed),
            Self::Hail => hail::describe(count, seed),
            Self::Billiards => billiards::describe(count, seed),
        }
    }
}

impl SceneDescription {
    /// The world, at rest before its first step.
    ///
    /// # Errors
    /// Those of [`World::new`] and [`World::add`], where the description was changed so that they refuse it, or has more
    /// bodies than a world takes.
    pub fn build(&self) -> Result<World> {
        let mut world = World::new(self.options.clone())?;
        self.fill(&mut world)?;
        Ok(world)
    }

    /// Adds the shapes and the bodies to a world that has none yet: the ids of the bodies, in their order.
    ///
    /// # Errors
    /// Those of [`World::add_shape`] and [`World::add`].
    pub fn fill(&self, world: &mut World) -> Result<Vec<BodyId>> {
        let shapes: Vec<_> = self.shapes.iter().map(|shape| world.add_shape(shape)).collect::<Result<_>>()?;
        let add = |body: &BodyOptions| match shapes.get(body.shape.index()) {
            Some(&shape) => world.add(&BodyOptions { shape, ..body.clone() }),
            None => world.add(body),
        };
        self.bodies.iter().map(add).collect()
    }

    /// The same scene where dynamic bodies meet static ones alone, and not each other.
    #[must_use]
    pub fn meeting_static_only(mut self) -> Self {
        const STATIC: u32 = 1;
        const OTHERS: u32 = 2;
        for body in &mut self.bodies {
            body.layers = match body.kind {
                BodyKind::Static => Layers { member: STATIC, meets: OTHERS },
                _ => Layers { member: OTHERS, meets: STATIC },
            };
        }
        self
    }

    /// Points the preferred velocity of each agent to where it should go from where it is, in scenes that have a
    /// [`Doorway`]; nothing in others. To be called now and then, with the ids that [`SceneDescription::fill`] gave: every
    /// tenth step will do.
    ///
    /// # Errors
    /// [`Error::UnknownBody`] of ids of another world.
    pub fn steer(&self, world: &mut World, ids: &[BodyId]) -> Result<()> {
        let Some(doorway) = self.doorway else { return Ok(()) };
        for (agent, &id) in self.bodies.iter().zip(ids) {
            if agent.preference > 0.0 {
                let at = world.pose(id)?.translation();
                world.set_preferred_velocity(id, doorway.preferred_velocity(agent, at))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for SimScene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SimScene {
    type Err = Error;

    /// The scene of this [`SimScene::name`].
    ///
    /// # Errors
    /// [`Error::Option`] for any other text; it lists the names.
    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|scene| scene.name() == text).ok_or_else(|| Error::Option {
            option: "scene",
            value: text.to_owned(),
            problem: "no such scene; give one of pile, crowd, funnel, hail, billiards",
        })
    }
}
