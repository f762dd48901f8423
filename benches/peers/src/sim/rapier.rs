use rapier2d::prelude::*;
use sat2d::RoundedShape;
use sat2d::glam::DVec2;
use sat2d::sim::BodyKind;

use super::engine::{Body, Simulator};
use super::scenes::Plain;
use crate::AnyError;

/// rapier2d's `PhysicsWorld`, which runs in the current thread pool.
pub(super) struct Rapier {
    world: PhysicsWorld,
    handles: Vec<RigidBodyHandle>,
    /// The bodies with a preferred velocity. Each entry has the handle of the body, the fraction of the difference from the
    /// preferred velocity that a step removes, and the preferred velocity.
    preferred: Vec<(RigidBodyHandle, f32, Vector)>,
}

impl Rapier {
    pub(super) fn new(scene: &Plain) -> Result<Self, AnyError> {
        let mut world = PhysicsWorld::new();
        world.gravity = vector(scene.options.gravity);
        world.integration_parameters.dt = scene.dt as f32;
        world.integration_parameters.num_solver_iterations = scene.options.substeps as usize;
        if !scene.continuous {
            world.integration_parameters.max_ccd_substeps = 0;
        }
        let shapes = scene.shapes.iter().map(shape_of).collect::<Result<Vec<_>, _>>()?;
        let (mut handles, mut preferred) = (Vec::new(), Vec::new());
        for body in &scene.bodies {
            let builder = match body.kind {
                BodyKind::Dynamic => RigidBodyBuilder::dynamic(),
                BodyKind::Kinematic => RigidBodyBuilder::kinematic_velocity_based(),
                BodyKind::Static => RigidBodyBuilder::fixed(),
            };
            let builder = builder
                .translation(vector(body.position))
                .rotation(body.angle as f32)
                .linvel(vector(body.velocity))
                .angvel(body.angular_velocity as f32)
                .linear_damping(body.linear_damping as f32)
                .angular_damping(body.angular_damping as f32)
                .ccd_enabled(body.fast)
                .can_sleep(false);
            let builder = if body.fixed_rotation { builder.lock_rotations() } else { builder };
            // Box2D and sat2d take the geometric mean of the frictions. The rule below gives the same value if both bodies have
            // the same friction or one has none.
            let collider = ColliderBuilder::new(shapes[body.shape.index()].clone())
                .density(body.density as f32)
                .friction(body.friction as f32)
                .friction_combine_rule(CoefficientCombineRule::Min)
                .restitution(body.restitution as f32)
                .restitution_combine_rule(CoefficientCombineRule::Max);
            let (handle, _) = world.insert(builder, collider);
            handles.push(handle);
            if body.preference > 0.0 {
                preferred.push((handle, scene.strive(body) as f32, vector(body.preferred_velocity)));
            }
        }
        Ok(Self { world, handles, preferred })
    }
}

impl Simulator for Rapier {
    fn advance(&mut self, steps: usize) -> Result<(), AnyError> {
        for _ in 0..steps {
            for &(handle, part, preferred) in &self.preferred {
                if let Some(body) = self.world.bodies.get_mut(handle) {
                    let v = body.linvel();
                    body.set_linvel(v + part * (preferred - v), false);
                }
            }
            self.world.step();
        }
        Ok(())
    }

    fn prefer(&mut self, velocities: &[(usize, DVec2)]) -> Result<(), AnyError> {
        for (to, &(body, velocity)) in self.preferred.iter_mut().zip(velocities) {
            debug_assert_eq!(to.0, self.handles[body]);
            to.2 = vector(velocity);
        }
        Ok(())
    }

    fn set_velocity(&mut self, body: usize, velocity: DVec2, spin: f64) -> Result<(), AnyError> {
        if let Some(body) = self.world.bodies.get_mut(self.handles[body]) {
            body.set_linvel(vector(velocity), false);
            body.set_angvel(spin as f32, false);
        }
        Ok(())
    }

    fn bodies(&mut self) -> Result<Vec<Body>, AnyError> {
        let body = |&handle: &RigidBodyHandle| {
            let body = &self.world.bodies[handle];
            let (place, turn, v) = (body.translation(), body.rotation(), body.linvel());
            Body::of_single([place.x, place.y], [turn.re, turn.im], [v.x, v.y], body.angvel())
        };
        self.handles.iter().map(body).collect()
    }
}

fn vector(v: DVec2) -> Vector {
    Vector::new(v.x as f32, v.y as f32)
}

fn shape_of(shape: &RoundedShape) -> Result<SharedShape, AnyError> {
    let points: Vec<Vector> = shape.core().iter().map(|&v| vector(v)).collect();
    let radius = shape.radius() as f32;
    match points[..] {
        [centre] if centre == Vector::ZERO => Ok(SharedShape::ball(radius)),
        [a, b] => Ok(SharedShape::capsule(a, b, radius)),
        [_, _, _, ..] if radius == 0.0 => {
            SharedShape::convex_polyline(points).ok_or_else(|| "no convex polygon to rapier2d".into())
        }
        _ => Err("a shape that the engines do not have alike".into()),
    }
}
