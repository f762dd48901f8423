use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, World};

use super::engine::{Body, Simulator};
use super::scenes::Plain;
use crate::AnyError;

/// sat2d's `World` on the CPU.
pub(super) struct Ours {
    world: World,
    ids: Vec<BodyId>,
    dt: f64,
}

impl Ours {
    pub(super) fn new(scene: &Plain) -> Result<Self, AnyError> {
        let mut world = World::new(scene.options.clone())?;
        let shapes =
            scene.shapes.iter().map(|shape| world.add_shape(shape)).collect::<Result<Vec<_>, _>>()?;
        let add = |body: &sat2d::sim::BodyOptions| {
            let shape = shapes[body.shape.index()];
            world.add(&sat2d::sim::BodyOptions { shape, ..body.clone() })
        };
        let ids = scene.bodies.iter().map(add).collect::<Result<_, _>>()?;
        Ok(Self { world, ids, dt: scene.dt })
    }

    /// Advances the world by `count` steps. Returns the report, which has the candidate pairs and the contacts of the last
    /// step.
    pub(super) fn steps(&mut self, count: u64) -> Result<sat2d::sim::StepReport, AnyError> {
        Ok(self.world.steps(count, self.dt)?)
    }
}

impl Simulator for Ours {
    fn advance(&mut self, steps: usize) -> Result<(), AnyError> {
        self.steps(steps as u64).map(|_| ())
    }

    fn prefer(&mut self, velocities: &[(usize, DVec2)]) -> Result<(), AnyError> {
        for &(body, velocity) in velocities {
            self.world.set_preferred_velocity(self.ids[body], velocity)?;
        }
        Ok(())
    }

    fn set_velocity(&mut self, body: usize, velocity: DVec2, spin: f64) -> Result<(), AnyError> {
        Ok(self.world.set_velocity(self.ids[body], velocity, spin)?)
    }

    fn bodies(&mut self) -> Result<Vec<Body>, AnyError> {
        let Self { world, ids, .. } = self;
        let mut body = |&id: &BodyId| -> Result<Body, AnyError> {
            let (velocity, spin) = world.velocity(id)?;
            Ok(Body { pose: world.pose(id)?, velocity, spin })
        };
        ids.iter().map(&mut body).collect()
    }
}
