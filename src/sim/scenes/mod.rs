//! Scenes to simulate. The command line, the benchmarks and the tests share these scenes. Other engines can use the
//! scenes too.
//!
//! The name, the count and the seed determine a scene bit for bit, on every machine. Random numbers come from a
//! published cipher. The arithmetic uses only `+ - * /` and square roots in f64. Vertices, radii and positions are f32
//! values, so an engine that computes in f32 gets the same bodies.

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
use crate::base::error::{Error, Result};
use crate::{Aabb, RoundedShape};
pub use crowd::Doorway;

/// A recipe for a scene of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SimScene {
    /// Convex polygons of 3 to 8 vertices, boxes, and some circles and capsules. The longest bodies have a length of 1.
    /// The bodies fall from a loose lattice into a heap, in a box that is closed on all sides. The scene uses the rigid
    /// solver.
    Pile,
    /// Two crowds of agents that change places through a doorway with pillars. The agents are circles and convex
    /// polygons about 0.5 wide. [`SceneDescription::steer`] steers the agents. The scene uses the push solver.
    Crowd,
    /// Particles up to 0.8 wide that fall through a funnel onto a field of static polygons. The field has one polygon
    /// for every 100 particles. Air drag slows the particles. The scene uses the push solver.
    Funnel,
    /// Bullets 0.2 wide, marked [`BodyOptions::fast`], between thin static walls. The thickness of a wall is a tenth of
    /// the path of a bullet in its first step. The scene uses the rigid solver.
    Hail,
    /// Circles and convex polygons up to 1 wide that move without gravity or friction, and bounce without loss between
    /// walls. The bodies cover 15 percent of the area. The scene uses the rigid solver.
    Billiards,
}

/// A scene as plain values, from which you can build a [`World`] or a world of another engine.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SceneDescription {
    /// The recipe from which the scene was made.
    pub scene: SimScene,
    /// Options of the world: gravity, solver and units.
    pub options: WorldOptions,
    /// The intended duration of a step, in the unit of time of the scene.
    pub dt: f64,
    /// The shapes of the bodies. Several bodies share a shape, so there are few shapes.
    pub shapes: Vec<RoundedShape>,
    /// The bodies: static bodies first, then dynamic bodies. The index of a body's shape ([`super::ShapeId::index`]) is
    /// its index in `shapes`.
    pub bodies: Vec<BodyOptions>,
    /// The region that a picture of the scene should show: the room of the dynamic bodies, and a part of its walls.
    pub bounds: Aabb,
    /// The doorway of [`SimScene::Crowd`], or `None` in other scenes.
    pub doorway: Option<Doorway>,
}

impl SimScene {
    /// All recipes.
    pub const ALL: [Self; 5] = [Self::Pile, Self::Crowd, Self::Funnel, Self::Hail, Self::Billiards];

    /// Returns the name of the scene on the command line.
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

    /// Returns the scene with its static bodies and with `count` dynamic bodies. `seed` is the seed of the random
    /// numbers.
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
    /// Builds the world of the scene, before its first step.
    ///
    /// # Errors
    /// Returns the errors of [`World::new`], [`World::add_shape`] and [`World::add`], if the caller changed the
    /// description so that it contains invalid values, or if the scene has more bodies than a world can hold.
    pub fn build(&self) -> Result<World> {
        let mut world = World::new(self.options.clone())?;
        self.fill(&mut world)?;
        Ok(world)
    }

    /// Adds the shapes and the bodies of the scene to an empty world. Returns the ids of the bodies, in the order of
    /// `bodies`.
    ///
    /// # Errors
    /// Fails in the same cases as [`World::add_shape`] and [`World::add`].
    pub fn fill(&self, world: &mut World) -> Result<Vec<BodyId>> {
        let shapes: Vec<_> = self.shapes.iter().map(|shape| world.add_shape(shape)).collect::<Result<_>>()?;
        let add = |body: &BodyOptions| match shapes.get(body.shape.index()) {
            Some(&shape) => world.add(&BodyOptions { shape, ..body.clone() }),
            None => world.add(body),
        };
        self.bodies.iter().map(add).collect()
    }

    /// Returns the scene with collision layers that let dynamic bodies collide only with static bodies.
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

    /// Sets the preferred velocity of each agent, so that the agent moves from its current position towards its goal.
    /// The method has no effect in scenes without a [`Doorway`]. `ids` are the ids that [`SceneDescription::fill`]
    /// returned. Call the method at least every tenth step.
    ///
    /// # Errors
    /// Returns [`Error::UnknownBody`] if an id names no body of the world. On a device, may also fail as [`World::contacts`]
    /// does.
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

    /// Returns the scene with this [`SimScene::name`].
    ///
    /// # Errors
    /// Returns [`Error::Option`] for any other text. The message lists the names.
    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|scene| scene.name() == text).ok_or_else(|| Error::Option {
            option: "scene",
            value: text.to_owned(),
            problem: "no such scene; give one of pile, crowd, funnel, hail, billiards",
        })
    }
}
