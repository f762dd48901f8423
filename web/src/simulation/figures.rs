//! The drawing of a scene: the outlines of its shapes and the kinds of its bodies.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyKind, BodyOptions, MassProperties, SceneDescription, SimScene};

/// The kind of a body. It selects the colour of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A body that never moves.
    Static,
    /// A convex polygon.
    Polygon,
    /// A circle.
    Circle,
    /// A capsule.
    Capsule,
    /// An agent of a crowd that started on the left.
    Rightward,
    /// An agent of a crowd that started on the right.
    Leftward,
}

/// The outline of a shape, relative to its centre of mass.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The corners of the shape relative to its centre of mass, counter-clockwise. Circles and capsules have corners on their
    /// arcs.
    pub ring: Vec<DVec2>,
    /// The radius of a circle about its centre of mass, or 0 for other shapes.
    pub radius: f64,
}

/// A body to draw.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    /// The slot of the body in the world.
    pub slot: u32,
    /// The index of the outline in [`Figures::outlines`].
    pub shape: u32,
    /// The kind, which selects the colour.
    pub kind: Kind,
}

/// The outlines and the bodies of a scene, which together are everything that is drawn of the scene.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The outline of each shape of the scene.
    pub outlines: Vec<Outline>,
    /// The bodies, sorted by kind. Static bodies come first, so that moving bodies are drawn over them.
    pub bodies: Vec<Drawn>,
}

/// The greatest distance between an arc and its chords, as a fraction of the width of the scene. It is a quarter of a pixel in a
/// picture of 1,600 pixels.
const ARC_ERROR: f64 = 0.25 / 1600.0;

impl Figures {
    /// Creates the figures of a scene. `ids` are the ids of its bodies in a world.
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
        // The loop over kinds replaces a sort, which would add several thousand bytes to the module.
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
            // The outline is relative to the centre of mass, and the world returns the position of the centre of mass.
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
