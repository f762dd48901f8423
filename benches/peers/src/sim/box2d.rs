//! Box2D's world, called through its C interface.

#![allow(unsafe_code)]

use std::ptr;

use boxdd_sys::ffi::{
    b2Body_GetAngularVelocity, b2Body_GetLinearVelocity, b2Body_GetTransform, b2Body_SetAngularVelocity,
    b2Body_SetLinearVelocity, b2BodyId, b2BodyType_b2_dynamicBody, b2BodyType_b2_kinematicBody,
    b2BodyType_b2_staticBody, b2Capsule, b2Circle, b2ComputeHull, b2CreateBody, b2CreateCapsuleShape,
    b2CreateCircleShape, b2CreatePolygonShape, b2CreateWorld, b2CreateWorldFromSnapshot, b2DefaultBodyDef,
    b2DefaultShapeDef, b2DefaultWorldDef, b2DestroyWorld, b2MakePolygon, b2Polygon, b2Rot, b2Vec2,
    b2World_Snapshot, b2World_Step, b2WorldId,
};
use sat2d::RoundedShape;
use sat2d::glam::DVec2;
use sat2d::sim::BodyKind;

use super::engine::{Body, Simulator};
use super::scenes::Plain;
use crate::AnyError;

/// A world with the threads of Box2D's own scheduler.
pub(super) struct Box2d {
    world: Handle,
    threads: usize,
    bodies: Vec<b2BodyId>,
    /// The bodies with a preferred velocity. Each entry has the id of the body, the fraction of the difference from the
    /// preferred velocity that a step removes, and the preferred velocity. The list is empty if no body has a preferred
    /// velocity.
    preferred: Vec<(b2BodyId, f32, b2Vec2)>,
    dt: f32,
    substeps: i32,
}

/// A world that is destroyed when the handle is dropped.
struct Handle(b2WorldId);

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: this handle alone owns the world. Box2D checks the id and ignores an id without a world.
        unsafe { b2DestroyWorld(self.0) }
    }
}

impl Handle {
    fn new(id: b2WorldId) -> Result<Self, AnyError> {
        if id.index1 == 0 { Err("Box2D made no world".into()) } else { Ok(Self(id)) }
    }
}

impl Box2d {
    pub(super) fn new(scene: &Plain, threads: usize) -> Result<Self, AnyError> {
        // SAFETY: the call only returns a plain value.
        let mut definition = unsafe { b2DefaultWorldDef() };
        definition.gravity = vector(scene.options.gravity);
        definition.enableSleep = false;
        definition.enableContinuous = scene.continuous;
        let options = &scene.options;
        definition.restitutionThreshold = (options.restitution_threshold * options.length_unit) as f32;
        definition.workerCount = threads as i32;
        // SAFETY: the definition is Box2D's default, with a few numbers changed.
        let world = Handle::new(unsafe { b2CreateWorld(&raw const definition) })?;
        let shapes = scene.shapes.iter().map(Shape::new).collect::<Result<Vec<_>, _>>()?;
        let (mut bodies, mut preferred) = (Vec::new(), Vec::new());
        for body in &scene.bodies {
            // SAFETY: the calls only return plain values.
            let (mut of_body, mut of_shape) = unsafe { (b2DefaultBodyDef(), b2DefaultShapeDef()) };
            of_body.type_ = match body.kind {
                BodyKind::Dynamic => b2BodyType_b2_dynamicBody,
                BodyKind::Kinematic => b2BodyType_b2_kinematicBody,
                BodyKind::Static => b2BodyType_b2_staticBody,
            };
            of_body.position = vector(body.position);
            let (sin, cos) = body.angle.sin_cos();
            of_body.rotation = b2Rot { c: cos as f32, s: sin as f32 };
            of_body.linearVelocity = vector(body.velocity);
            of_body.angularVelocity = body.angular_velocity as f32;
            of_body.linearDamping = body.linear_damping as f32;
            of_body.angularDamping = body.angular_damping as f32;
            of_body.motionLocks.angularZ = body.fixed_rotation;
            of_body.isBullet = body.fast;
            of_body.enableSleep = false;
            of_shape.density = body.density as f32;
            of_shape.material.friction = body.friction as f32;
            of_shape.material.restitution = body.restitution as f32;
            // SAFETY: the world exists, and nothing else steps or changes it. Both definitions are Box2D's defaults with a few
            // numbers changed, and Box2D only reads them.
            let id = unsafe {
                let id = b2CreateBody(world.0, &raw const of_body);
                match &shapes[body.shape.index()] {
                    Shape::Circle(circle) => b2CreateCircleShape(id, &raw const of_shape, circle),
                    Shape::Capsule(capsule) => b2CreateCapsuleShape(id, &raw const of_shape, capsule),
                    Shape::Polygon(polygon) => b2CreatePolygonShape(id, &raw const of_shape, polygon),
                };
                id
            };
            bodies.push(id);
            if body.preference > 0.0 {
                preferred.push((id, scene.strive(body) as f32, vector(body.preferred_velocity)));
            }
        }
        let substeps = scene.options.substeps as i32;
        Ok(Self { world, threads, bodies, preferred, dt: scene.dt as f32, substeps })
    }
}

impl Simulator for Box2d {
    /// Sets the number of threads. Box2D fixes this number when a world is made, so a new world is made from an image
    /// of the old one.
    fn use_threads(&mut self, count: usize) -> Result<(), AnyError> {
        if count == self.threads {
            return Ok(());
        }
        // SAFETY: the world exists and is not in a step. With a null buffer, the call only returns the size of the image.
        let size = unsafe { b2World_Snapshot(self.world.0, ptr::null_mut(), 0) };
        let mut image = vec![0u8; usize::try_from(size)?];
        // SAFETY: as above, and the buffer has the stated size. The same library then reads the image with its stated length.
        let copy = unsafe {
            let written = b2World_Snapshot(self.world.0, image.as_mut_ptr(), size);
            if written == 0 || written > size {
                return Err("Box2D wrote no image of its world".into());
            }
            b2CreateWorldFromSnapshot(image.as_ptr(), written, count as i32)
        };
        self.world = Handle::new(copy)?;
        // The ids of the bodies keep their index, but they also contain the number of the world, which has changed.
        let renamed = self.bodies.iter_mut().chain(self.preferred.iter_mut().map(|(id, ..)| id));
        renamed.for_each(|id| id.world0 = copy.index1 - 1);
        self.threads = count;
        Ok(())
    }

    fn advance(&mut self, steps: usize) -> Result<(), AnyError> {
        for _ in 0..steps {
            for &(id, part, to) in &self.preferred {
                // SAFETY: the body exists, and the world is not in a step.
                unsafe {
                    let v = b2Body_GetLinearVelocity(id);
                    let v = b2Vec2 { x: v.x + part * (to.x - v.x), y: v.y + part * (to.y - v.y) };
                    b2Body_SetLinearVelocity(id, v);
                }
            }
            // SAFETY: the world exists, and nothing else steps or changes it.
            unsafe { b2World_Step(self.world.0, self.dt, self.substeps) }
        }
        Ok(())
    }

    fn prefer(&mut self, velocities: &[(usize, DVec2)]) -> Result<(), AnyError> {
        for (to, &(_, velocity)) in self.preferred.iter_mut().zip(velocities) {
            to.2 = vector(velocity);
        }
        Ok(())
    }

    fn set_velocity(&mut self, body: usize, velocity: DVec2, spin: f64) -> Result<(), AnyError> {
        let id = self.bodies[body];
        // SAFETY: the body exists, and the world is not in a step.
        unsafe {
            b2Body_SetLinearVelocity(id, vector(velocity));
            b2Body_SetAngularVelocity(id, spin as f32);
        }
        Ok(())
    }

    fn bodies(&mut self) -> Result<Vec<Body>, AnyError> {
        let body = |&id: &b2BodyId| {
            // SAFETY: the body exists, and the world is not in a step.
            let (at, v, spin) = unsafe {
                (b2Body_GetTransform(id), b2Body_GetLinearVelocity(id), b2Body_GetAngularVelocity(id))
            };
            Body::of_single([at.p.x, at.p.y], [at.q.c, at.q.s], [v.x, v.y], spin)
        };
        self.bodies.iter().map(body).collect()
    }
}

enum Shape {
    Circle(b2Circle),
    Capsule(b2Capsule),
    Polygon(b2Polygon),
}

impl Shape {
    fn new(shape: &RoundedShape) -> Result<Self, AnyError> {
        let points: Vec<b2Vec2> = shape.core().iter().map(|&v| vector(v)).collect();
        let radius = shape.radius() as f32;
        match points[..] {
            [center] => Ok(Self::Circle(b2Circle { center, radius })),
            [center1, center2] => Ok(Self::Capsule(b2Capsule { center1, center2, radius })),
            _ => {
                // SAFETY: the buffer has the stated number of points, and Box2D only reads them. For more than 8 points, it reads
                // none and returns an empty hull.
                let hull = unsafe { b2ComputeHull(points.as_ptr(), points.len() as i32) };
                if hull.count as usize != points.len() {
                    return Err(format!("Box2D takes {} of {} vertices", hull.count, points.len()).into());
                }
                // SAFETY: the hull has at least 3 vertices.
                Ok(Self::Polygon(unsafe { b2MakePolygon(&raw const hull, radius) }))
            }
        }
    }
}

fn vector(v: DVec2) -> b2Vec2 {
    b2Vec2 { x: v.x as f32, y: v.y as f32 }
}
