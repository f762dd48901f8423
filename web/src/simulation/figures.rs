//! What is drawn of a scene: the outlines of its shapes and the kinds of its bodies.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyKind, BodyOptions, MassProperties, SceneDescription, SimScene};

/// What a body is, and with that its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// What never moves.
    Static,
    /// A convex polygon.
    Polygon,
    /// A circle.
    Circle,
    /// A capsule.
    Capsule,
    /// Of a crowd: who set out on the left.
    Rightward,
    /// Of a crowd: who set out on the right.
    Leftward,
}

/// The outline of a shape about its centre of mass.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Counter-clockwise.
    pub ring: Vec<DVec2>,
    /// Of a circle about its centre of mass; 0 of others.
    pub radius: f64,
}

/// A body to draw.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    /// Its place in the world's records.
    pub slot: u32,
    /// In [`Figures::outlines`].
    pub shape: u32,
    /// Its colour.
    pub kind: Kind,
}

/// Everything that is drawn of a scene.
#[derive(Clone, Debug)]
pub struct Figures {
    /// One a shape of the scene.
    pub outlines: Vec<Outline>,
    /// By kind: static ones first, so that what moves is drawn over them.
    pub bodies: Vec<Drawn>,
}

/// What chords leave out of arcs, as a part of the width of the scene: a quarter of a pixel of a wide picture.
const ARC_ERROR: f64 = 0.25 / 1600.0;

impl Figures {
    /// Of a scene whose bodies a world has under these ids.
    #[must_use]
    pub fn new(scene: &SceneDescription, ids: &[BodyId]) -> Self {
        let extent = scene.bounds.max - scene.bounds.min;
        let outlines: Vec<Outline> = (scene.shapes.iter())
            .map(|shape| {
                let centre = MassProperties::of(shape).centre;
                let ring = shape.outline(ARC_ERROR * extent.max_element());
                let radius = if shape.core().len() == 1 { shape.radius() } else { 0.0 };
                Outline { ring: ring.iter().map(|&corner| corner - centre).collect(), radius }
            })
            .collect();
        let all: Vec<Drawn> = (scene.bodies.iter().zip(ids))
            .map(|(body, id)| Drawn {
                slot: id.index() as u32,
                shape: body.shape.index() as u32,
                kind: kind_of(scene, body),
            })
            .collect();
        // The world numbers bodies as the scene does. Picked kind by kind: a sort is some thousand bytes of module.
        let kinds =
            [Kind::Static, Kind::Polygon, Kind::Circle, Kind::Capsule, Kind::Rightward, Kind::Leftward];
        let mut bodies = Vec::with_capacity(all.len());
        for kind in kinds {
            bodies.extend(all.iter().filter(|body| body.kind == kind));
        }
        Self { outlines, bodies }
    }
}

fn kind_of(scene: &SceneDescription, body: &BodyOptions) -> Kind {
    match (body.kind, scene.scene) {
        (BodyKind::Static, _) => Kind::Static,
        (_, SimScene::Crowd) if body.position.x < 0.0 => Kind::Rightward,
        (_, SimScene::Crowd) => Kind::Leftward,
        _ => match scene.shapes[body.shape.index()].core().len() {
            1 => Kind::Circle,
            2 => Kind::Capsule,
            _ => Kind::Polygon,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_body_is_drawn_once_the_static_ones_first() {
        for scene in SimScene::ALL {
            let scene = scene.describe(200, 1);
            let mut world = scene.build().unwrap();
            let ids: Vec<BodyId> = world.bodies().collect();
            let figures = Figures::new(&scene, &ids);
            let mut slots: Vec<u32> = figures.bodies.iter().map(|body| body.slot).collect();
            slots.sort_unstable();
            assert_eq!(slots, (0..ids.len() as u32).collect::<Vec<_>>());
            assert!(figures.bodies.is_sorted_by_key(|body| body.kind != Kind::Static));
            // An outline about the centre of mass, where the world says that this is.
            let (mut poses, last) = (Vec::new(), figures.bodies[ids.len() - 1]);
            world.poses([0.0, 0.0], &mut poses).unwrap();
            let [x, y, cos, sin] = poses[last.slot as usize].map(f64::from);
            let aabb = world.aabb(ids[last.slot as usize]).unwrap();
            for corner in &figures.outlines[last.shape as usize].ring {
                let at = DVec2::new(cos * corner.x - sin * corner.y + x, sin * corner.x + cos * corner.y + y);
                let out = (aabb.min - at).max(at - aabb.max).max_element();
                assert!(out < 1e-4, "{at} {aabb:?}");
            }
        }
    }
}
