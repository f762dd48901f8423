//! Selects what a picture of a world shows, independent of the format of the picture.

use clap::ValueEnum;
use sat2d::glam::DVec2;

use crate::error::Result;
use sat2d::sim::{BodyId, BodyKind, BodyOptions, SceneDescription, SimScene, World};
use sat2d::{Aabb, Pose, RoundedShape};

/// An additional kind of mark that can be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Mark {
    /// A dot at each point where bodies touched in the last step.
    Contacts,
    /// A short line along the contact normal, at each point where bodies touched in the last step.
    Normals,
    /// The box around each moving body.
    Aabbs,
}

/// The kind of a drawn item, which determines its colour. The colours are greys and those of Okabe and Ito (2008),
/// which colour-blind people can distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Paper,
    /// Outlines of bodies, and normals.
    Line,
    Static,
    Polygon,
    Circle,
    Capsule,
    /// Agents of a crowd that started on the left, and walk to the right.
    Rightward,
    Leftward,
    Contact,
    Box,
}

impl Ink {
    pub(super) const ALL: [Self; 10] = [
        Self::Paper,
        Self::Line,
        Self::Static,
        Self::Polygon,
        Self::Circle,
        Self::Capsule,
        Self::Rightward,
        Self::Leftward,
        Self::Contact,
        Self::Box,
    ];

    /// Returns the red, green and blue of the ink.
    pub(super) const fn colour(self) -> [u8; 3] {
        match self {
            Self::Paper => [255, 255, 255],
            Self::Line => [39, 50, 61],
            Self::Static => [190, 196, 203],
            Self::Polygon => [86, 180, 233],
            Self::Circle => [230, 159, 0],
            Self::Capsule => [0, 158, 115],
            Self::Rightward => [0, 114, 178],
            Self::Leftward => [240, 228, 66],
            Self::Contact => [213, 94, 0],
            Self::Box => [204, 121, 167],
        }
    }
}

/// A picture on which bodies are drawn. Positions and lengths are in pixels, from the upper left corner.
pub(super) trait Canvas {
    /// Draws a convex polygon, with an outline if `has_line` is true.
    fn polygon(&mut self, ink: Ink, corners: &[DVec2], has_line: bool);
    /// Draws a disc, with an outline if `has_line` is true.
    fn disc(&mut self, ink: Ink, centre: DVec2, radius: f64, has_line: bool);
    /// Draws a thin line.
    fn line(&mut self, ink: Ink, from: DVec2, to: DVec2);
    /// Draws the thin outline of a box.
    fn frame(&mut self, ink: Ink, aabb: Aabb);
}

/// The transformation from a scene to a picture, and the colours of its bodies.
pub(super) struct Painter {
    bounds: Aabb,
    /// The number of pixels per unit of length of the scene.
    scale: f64,
    /// The width and the height of the picture in pixels.
    size: [u32; 2],
    /// The ink of each body of the scene, in the order of the bodies.
    inks: Vec<Ink>,
    /// Whether the picture shows contacts, contact normals and bounding boxes, in this order.
    shows: [bool; 3],
}

/// The least size of a body that has an outline, in pixels.
const LINED: f64 = 5.0;
/// The greatest distance between an arc and the chord that is drawn instead, in pixels.
const ARC_ERROR: f64 = 0.125;
/// The radius of the dot at a contact point, in pixels.
const CONTACT_RADIUS: f64 = 2.0;
/// The length of the line along a contact normal, in pixels.
const NORMAL_LENGTH: f64 = 9.0;
/// The greatest ratio of the height of a picture to its width.
const TALLEST: f64 = 4.0;

impl Painter {
    /// Returns a painter of pictures with this width.
    pub(super) fn new(scene: &SceneDescription, width: u32, marks: &[Mark]) -> Self {
        let bounds = scene.bounds;
        let extent = bounds.max - bounds.min;
        let width_now = f64::from(width);
        let height = (width_now * extent.y / extent.x).round().clamp(1.0, TALLEST * width_now);
        let scale = (width_now / extent.x).min(height / extent.y);
        let inks = scene.bodies.iter().map(|body| ink_of(scene, body)).collect();
        let shows =
            [marks.contains(&Mark::Contacts), marks.contains(&Mark::Normals), marks.contains(&Mark::Aabbs)];
        Self { bounds, scale, size: [width, height as u32], inks, shows }
    }

    /// Returns the width and the height of the picture, in pixels.
    pub(super) fn size(&self) -> [u32; 2] {
        self.size
    }

    pub(super) fn draw(&self, world: &mut World, ids: &[BodyId], canvas: &mut impl Canvas) -> Result<()> {
        let [contacts, normals, aabbs] = self.shows;
        for (&id, &ink) in ids.iter().zip(&self.inks) {
            let pose = world.pose(id)?;
            self.draw_body(world.shape(id)?, &pose, ink, canvas);
        }
        if aabbs {
            for &id in ids {
                if world.kind(id)? != BodyKind::Static {
                    let aabb = world.aabb(id)?;
                    let (a, b) = (self.place(aabb.min), self.place(aabb.max));
                    canvas.frame(Ink::Box, Aabb { min: a.min(b), max: a.max(b) });
                }
            }
        }
        if !(contacts || normals) {
            return Ok(());
        }
        for contact in world.contacts()? {
            for point in contact.points() {
                if point.separation > 0.0 && point.impulse <= 0.0 {
                    continue;
                }
                let at = self.place(point.position);
                if normals {
                    let along = DVec2::new(contact.normal.x, -contact.normal.y);
                    canvas.line(Ink::Line, at, at + NORMAL_LENGTH * along);
                }
                if contacts {
                    canvas.disc(Ink::Contact, at, CONTACT_RADIUS, false);
                }
            }
        }
        Ok(())
    }

    fn draw_body(&self, shape: &RoundedShape, pose: &Pose, ink: Ink, canvas: &mut impl Canvas) {
        let around = shape.aabb(pose);
        let has_line = (around.max - around.min).max_element() * self.scale >= LINED;
        if let [centre] = *shape.core() {
            let radius = shape.radius() * self.scale;
            return canvas.disc(ink, self.place(pose.apply(centre)), radius, has_line);
        }
        let ring = shape.outline(ARC_ERROR / self.scale);
        let corners: Vec<DVec2> = ring.iter().map(|&v| self.place(pose.apply(v))).collect();
        canvas.polygon(ink, &corners, has_line);
    }

    /// Returns the position on the picture, in pixels, of a point in the scene.
    fn place(&self, at: DVec2) -> DVec2 {
        DVec2::new(at.x - self.bounds.min.x, self.bounds.max.y - at.y) * self.scale
    }
}

fn ink_of(scene: &SceneDescription, body: &BodyOptions) -> Ink {
    let shape = &scene.shapes[body.shape.index()];
    match (body.kind, scene.scene) {
        (BodyKind::Static, _) => Ink::Static,
        (_, SimScene::Crowd) if body.position.x < 0.0 => Ink::Rightward,
        (_, SimScene::Crowd) => Ink::Leftward,
        _ => match shape.core().len() {
            1 => Ink::Circle,
            2 => Ink::Capsule,
            _ => Ink::Polygon,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_as_wide_as_asked_for_and_shows_the_bounds() {
        let scene = SimScene::Pile.describe(100, 1);
        let painter = Painter::new(&scene, 500, &[]);
        let [width, height] = painter.size().map(f64::from);
        let corner = painter.place(DVec2::new(scene.bounds.max.x, scene.bounds.min.y));
        assert!((corner - DVec2::new(width, height)).abs().max_element() <= 1.0, "{corner}");
        assert_eq!(painter.place(DVec2::new(scene.bounds.min.x, scene.bounds.max.y)), DVec2::ZERO);
    }

    #[test]
    fn colours_differ() {
        for (k, a) in Ink::ALL.into_iter().enumerate() {
            for b in &Ink::ALL[..k] {
                assert_ne!(a.colour(), b.colour());
            }
        }
    }
}
