//! What a picture of a world shows, whatever it is drawn with.

use clap::ValueEnum;
use glam::DVec2;

use crate::error::Result;
use crate::sim::{BodyId, BodyKind, BodyOptions, SceneDescription, SimScene, World};
use crate::{Aabb, Pose, RoundedShape};

/// What may be drawn besides bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Mark {
    /// A dot at each point where bodies touched in the last step.
    Contacts,
    /// A tick from there along the normal.
    Normals,
    /// The box around each body that moves.
    Aabbs,
}

/// What something is, and with that its colour: those of Okabe and Ito (2008), which the colour-blind can tell apart, and
/// greys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Paper,
    /// Around bodies; normals.
    Line,
    Static,
    Polygon,
    Circle,
    Capsule,
    /// Of a crowd, who started on the left.
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

    /// Red, green, blue.
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

/// What draws. Lengths are in pixels, from the upper left corner.
pub(super) trait Canvas {
    /// A convex area, with a line around it unless it is too small.
    fn polygon(&mut self, ink: Ink, corners: &[DVec2], has_line: bool);
    /// A disc, likewise.
    fn disc(&mut self, ink: Ink, centre: DVec2, radius: f64, has_line: bool);
    /// A thin line.
    fn line(&mut self, ink: Ink, from: DVec2, to: DVec2);
    /// A thin line around a box.
    fn frame(&mut self, ink: Ink, aabb: Aabb);
}

/// Draws a scene.
pub(super) struct Painter {
    bounds: Aabb,
    /// Pixels a unit of length.
    scale: f64,
    size: [u32; 2],
    /// Of each body of the scene, in its order.
    inks: Vec<Ink>,
    shows: [bool; 3],
}

/// Bodies less wide than this, in pixels, have no line around them.
const LINED: f64 = 5.0;
const CONTACT_RADIUS: f64 = 2.0;
const NORMAL_LENGTH: f64 = 9.0;
/// The height of a picture over its width, at most.
const TALLEST: f64 = 4.0;

impl Painter {
    /// Of pictures of such a width.
    pub(super) fn new(scene: &SceneDescription, width: u32, marks: &[Mark]) -> Self {
        let bounds = scene.bounds;
        let extent = bounds.max - bounds.min;
        let width_now = f64::from(width);
        let height = (width_now * extent.y / extent.x).round().clamp(1.0, TALLEST * width_now);
        let scale = (width_now / extent.x).min(height / extent.y);
        let inks = scene.bodies.iter().map(|body| ink_of(scene, body)).collect();
        let shows = [Mark::Contacts, Mark::Normals, Mark::Aabbs].map(|mark| marks.contains(&mark));
        Self { bounds, scale, size: [width, height as u32], inks, shows }
    }

    /// Width and height in pixels.
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
                    let pose = world.pose(id)?;
                    let aabb = around(world.shape(id)?, &pose);
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
        let corners: Vec<DVec2> = shape.core().iter().map(|&v| self.place(pose.apply(v))).collect();
        let radius = shape.radius() * self.scale;
        let around = Aabb::around(&corners);
        let has_line = (around.max - around.min).max_element() + 2.0 * radius >= LINED;
        match corners[..] {
            [centre] => canvas.disc(ink, centre, radius, has_line),
            _ if radius > 0.0 => canvas.polygon(ink, &rounded(&corners, radius), has_line),
            _ => canvas.polygon(ink, &corners, has_line),
        }
    }

    /// On the picture.
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

/// The least box around a posed shape.
fn around(shape: &RoundedShape, pose: &Pose) -> Aabb {
    let corners: Vec<DVec2> = shape.core().iter().map(|&v| pose.apply(v)).collect();
    let (core, radius) = (Aabb::around(&corners), DVec2::splat(shape.radius()));
    Aabb { min: core.min - radius, max: core.max + radius }
}

/// The outline of all that is at most a radius from a core of two or more corners, clockwise on the picture or not, its arcs
/// as chords.
fn rounded(core: &[DVec2], radius: f64) -> Vec<DVec2> {
    // Half a quarter of a pixel off the arc at most.
    let chords = (std::f64::consts::FRAC_PI_2 * (2.0 * radius).sqrt()).ceil().clamp(2.0, 16.0);
    let count = core.len();
    // The picture's y axis points down, and with it corners go clockwise: outward is to the other side.
    let outward = |k: usize| (core[(k + 1) % count] - core[k % count]).normalize_or_zero().perp();
    let mut outline = Vec::new();
    for (k, &corner) in core.iter().enumerate() {
        let [before, after] = [outward(k + count - 1), outward(k)];
        let mut turn = before.perp_dot(after).atan2(before.dot(after));
        if count == 2 {
            turn = -std::f64::consts::PI;
        }
        let parts = (chords * turn.abs() / std::f64::consts::FRAC_PI_2).ceil().max(1.0);
        for part in 0..=parts as u32 {
            let direction = DVec2::from_angle(turn * f64::from(part) / parts).rotate(before);
            outline.push(corner + radius * direction);
        }
    }
    outline
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the area, without its sign.
    fn double_area(ring: &[DVec2]) -> f64 {
        let next = |k: usize| ring[(k + 1) % ring.len()];
        ring.iter().enumerate().map(|(k, &p)| p.perp_dot(next(k))).sum::<f64>().abs()
    }

    #[test]
    fn outlines_of_rounded_shapes_have_their_area() {
        // As on a picture: clockwise there, counter-clockwise in the world.
        for core in [vec![[0.0, 0.0], [40.0, 0.0]], vec![[0.0, 0.0], [0.0, 30.0], [40.0, 30.0], [40.0, 0.0]]]
        {
            let core: Vec<DVec2> = core.into_iter().map(DVec2::from).collect();
            let next = |k: usize| core[(k + 1) % core.len()];
            let length: f64 = (0..core.len()).map(|k| core[k].distance(next(k))).sum();
            let radius = 10.0;
            let area = 0.5 * double_area(&core) + length * radius + std::f64::consts::PI * radius * radius;
            let found = 0.5 * double_area(&rounded(&core, radius));
            assert!((found - area).abs() < 0.01 * area, "{found} {area}");
        }
    }

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
