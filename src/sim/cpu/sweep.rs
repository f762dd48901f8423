//! Bodies that meet within a step: where, with which normal; and those that only pass each other.
//!
//! A contact at the start of a step has a normal that is frozen for the step. If bodies are apart and move, the normal at the
//! start is not the normal at which they meet, and a contact would hold bodies apart that only pass each other. Bodies that
//! approach are therefore followed along their paths by conservative advancement (Mirtich 1996, "Impulse-based Dynamic Simulation of Rigid
//! Body Systems", 3.2): the gap along a normal shrinks no faster than the bodies approach along it, plus what their farthest points
//! move by rotation. The bodies advance until that gap may be closed; then it is measured again, with its normal. If they meet,
//! the contact has the normal and the points of the meeting. If the gap cannot close in what is left of the paths, they pass.

use super::super::bodies::{BodyState, BodyTraits, DYNAMIC, MOVES};
use super::core::Core;
use super::touch::{Scene, Standing, Touch};
use crate::vector::Instructions;

/// Measurements of a gap. Bodies that have not met by then count as near each other where they are.
const MOST_MEASUREMENTS: usize = 12;
/// Bodies meet that are less than this part of their margins apart.
const MET: f32 = 0.02;

/// How a body is expected to move in a step, and as far beyond as contacts look ahead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    pub(super) displacement: [f32; 2],
    /// In radians, counter-clockwise.
    pub(super) angle: f32,
}

impl Path {
    /// For a time, with the displacement that gravity gives a body at rest in that time.
    #[inline(always)]
    pub(super) fn new(state: &BodyState, traits: &BodyTraits, time: f32, fall: [f32; 2]) -> Self {
        if !traits.has(MOVES) {
            return Self { displacement: [0.0; 2], angle: 0.0 };
        }
        let falls = if traits.has(DYNAMIC) { 1.0 } else { 0.0 };
        let [vx, vy] = state.velocity;
        Self {
            displacement: [vx * time + falls * fall[0], vy * time + falls * fall[1]],
            angle: state.angular_velocity * time,
        }
    }

    #[inline(always)]
    pub(super) fn length(&self) -> f32 {
        dot(self.displacement, self.displacement).sqrt()
    }

    /// The distance from the body up to which it has contacts with bodies that it does not approach: other bodies may push it aside,
    /// by up to the length of its path.
    #[inline(always)]
    pub(super) fn nearness(&self, margin: f32, traits: &BodyTraits) -> f32 {
        margin + self.length().min(traits.extent)
    }

    /// The state after a part of the path.
    #[inline(always)]
    fn after(&self, state: &BodyState, part: f32) -> BodyState {
        let offset =
            [state.offset[0] + part * self.displacement[0], state.offset[1] + part * self.displacement[1]];
        let [c, s] = rotation_by(part * self.angle);
        let [x, y] = state.rotation;
        BodyState { offset, rotation: [x * c - y * s, y * c + x * s], ..*state }
    }
}

/// Cosine and sine of an angle whose half has the tangent `angle / 2`: arithmetic that every machine does alike, and a rotation
/// whatever the angle is.
#[inline(always)]
fn rotation_by(angle: f32) -> [f32; 2] {
    let half = 0.5 * angle;
    let square = half * half;
    [(1.0 - square) / (1.0 + square), angle / (1.0 + square)]
}

#[inline(always)]
fn rotated([c, s]: [f32; 2], [x, y]: [f32; 2]) -> [f32; 2] {
    [c * x - s * y, s * x + c * y]
}

#[inline(always)]
fn dot(a: [f32; 2], b: [f32; 2]) -> f32 {
    a[0] * b[0] + a[1] * b[1]
}

/// The numbers of a path by which a contact is that of the start of the step, or is sought along the path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PathBounds {
    pub(super) displacement: [f32; 2],
    /// How far rotation moves a point of the core along the path, at most.
    pub(super) turning: f32,
    /// [`Path::nearness`].
    pub(super) near: f32,
}

impl Scene<'_> {
    #[inline(always)]
    fn path(&self, body: u32) -> Path {
        let (state, traits) = (&self.states[body as usize], &self.traits[body as usize]);
        Path::new(state, traits, self.placing.time, self.placing.fall)
    }

    /// What becomes of the gap of a contact at the start of the step.
    #[inline(always)]
    pub(super) fn approach(&self, first: &Touch) -> Approach {
        if first.separation <= 0.0 {
            return Approach::Stays;
        }
        let a = self.placed.approaches[first.bodies[0] as usize];
        let b = self.placed.approaches[first.bodies[1] as usize];
        let way = [b.displacement[0] - a.displacement[0], b.displacement[1] - a.displacement[1]];
        let (turning, near) = (a.turning + b.turning, a.near + b.near);
        if turning - dot(way, first.normal) > first.separation {
            Approach::Closes(Closing { way, turning, near })
        } else if first.separation <= near {
            Approach::Stays
        } else {
            Approach::Passes
        }
    }

    /// The contact of bodies that approach.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn swept<I: Instructions>(
        self,
        i: I,
        first: Touch,
        closing: Closing,
        margin: f32,
    ) -> Option<Touch> {
        let [a, b] = first.bodies;
        let paths = [self.path(a), self.path(b)];
        let Closing { way, turning, near } = closing;
        if self.core(a).len().max(self.core(b).len()) == 1 {
            return self.swept_discs(first, paths, closing, margin);
        }
        let [state_a, state_b] = [&self.states[a as usize], &self.states[b as usize]];
        let (mut core_a, mut core_b) = (Core::default(), Core::default());
        let (mut touch, mut part) = (first, 0.0);
        for _ in 0..MOST_MEASUREMENTS {
            let approach = turning - dot(way, touch.normal);
            if approach * (1.0 - part) <= touch.separation {
                // They pass. What is near may yet be pushed.
                return (touch.separation <= near).then(|| at_start(touch, paths, way, part));
            }
            part += touch.separation / approach;
            let [at_a, at_b] = [paths[0].after(state_a, part), paths[1].after(state_b, part)];
            core_a.place(&self.placing, &at_a, self.core(a));
            core_b.place(&self.placing, &at_b, self.core(b));
            let standing = [Standing::new(&at_a, core_a.view()), Standing::new(&at_b, core_b.view())];
            touch = self.between_standing(i, first.bodies, standing, margin)?;
            if touch.separation <= MET * 2.0 * self.placing.margin {
                break;
            }
        }
        Some(at_start(touch, paths, way, part))
    }

    /// The contact of two discs that approach, in closed form: where their centres are as far apart as their radii together, or
    /// nearest to each other.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn swept_discs(self, first: Touch, paths: [Path; 2], closing: Closing, margin: f32) -> Option<Touch> {
        let Closing { way, near, .. } = closing;
        let [a, b] = [first.bodies[0] as usize, first.bodies[1] as usize];
        let radii = [
            self.shapes.all[self.traits[a].shape as usize].radius,
            self.shapes.all[self.traits[b].shape as usize].radius,
        ];
        let point = first.points[0];
        let between = [point.arm_a[0] - point.arm_b[0], point.arm_a[1] - point.arm_b[1]];
        // The square of the distance after a part t of the paths is square t² - 2 approach t + distance².
        let (square, approach) = (dot(way, way), -dot(between, way));
        if approach <= 0.0 {
            // Rotation alone, which brings discs no nearer: an extent is rounded up, so that it is more than the radius.
            return Some(first);
        }
        let reach = radii[0] + radii[1];
        let room = dot(between, between) - reach * reach;
        let discriminant = approach * approach - square * room;
        // The smaller root, without cancellation.
        let meeting = room / (approach + discriminant.max(0.0).sqrt());
        let meets = discriminant >= 0.0 && meeting <= 1.0;
        let part = if meets { meeting } else { (approach / square).min(1.0) };
        let between = [between[0] + part * way[0], between[1] + part * way[1]];
        let touch = Touch { bodies: first.bodies, ..self.discs(between, radii, margin)? };
        (meets || touch.separation <= near).then(|| at_start(touch, paths, way, part))
    }
}

/// What becomes of the gap between two bodies.
pub(super) enum Approach {
    /// The contact is that of the start of the step.
    Stays,
    /// Bodies that are not near each other do not come near.
    Passes,
    /// The gap along the normal may close.
    Closes(Closing),
}

/// How two bodies approach each other.
#[derive(Clone, Copy)]
pub(super) struct Closing {
    /// The displacement of b relative to a.
    way: [f32; 2],
    /// What rotation adds to the approach, at most.
    turning: f32,
    /// Up to this gap the bodies have a contact even if they pass.
    near: f32,
}

/// A contact after a part of the paths, as of the start of the step: with the arms that the bodies will turn there, and the gaps
/// that lie between along the normal.
#[inline(always)]
fn at_start(touch: Touch, paths: [Path; 2], way: [f32; 2], part: f32) -> Touch {
    if part == 0.0 {
        return touch;
    }
    let back = [rotation_by(-part * paths[0].angle), rotation_by(-part * paths[1].angle)];
    let mut start = touch;
    start.separation = f32::INFINITY;
    for point in &mut start.points[..touch.point_count as usize] {
        let arms = [rotated(back[0], point.arm_a), rotated(back[1], point.arm_b)];
        // How far the rotations bring the points towards each other.
        let turned = [
            (point.arm_b[0] - point.arm_a[0]) - (arms[1][0] - arms[0][0]),
            (point.arm_b[1] - point.arm_a[1]) - (arms[1][1] - arms[0][1]),
        ];
        let gone = part * dot(way, touch.normal) + dot(turned, touch.normal);
        point.separation = (point.separation - gone).max(0.0);
        [point.arm_a, point.arm_b] = arms;
        start.separation = start.separation.min(point.separation);
    }
    start
}
