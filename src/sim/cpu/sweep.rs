//! Finds bodies that meet within a step, with the position and the normal of their contact. The module also recognises
//! bodies that only pass each other.
//!
//! The normal of a contact at the start of a step is fixed for the whole step. If two bodies are apart and move, their
//! normal at the start differs from the normal at which they meet. A contact with the normal at the start would hold
//! apart two bodies that only pass each other. The code therefore follows approaching bodies along their paths by
//! conservative advancement (Mirtich 1996, "Impulse-based Dynamic Simulation of Rigid Body Systems", 3.2). The gap
//! along a normal shrinks at most by the approach of the bodies along the normal, plus the movement that rotation gives
//! their farthest points. The bodies advance to the first moment at which the gap may be closed. Then the gap and its
//! normal are measured again. If the bodies meet, the contact has the normal and the points of the meeting. If the gap
//! cannot close over the rest of the bodies' paths, the bodies pass each other.
//!
//! The paths ignore all other contacts. The path of a box on a floor leads a little below the floor, because of gravity, and
//! meets the side of the next tile of the floor. The two bodies only graze each other there: see [`Scene::grazed`].

use super::super::bodies::{BodyState, BodyTraits, DISC, DYNAMIC, MOVES};
use super::super::seams::{FLAT, LANDING, Lander, SAME_NORMAL, Seams, Surface};
use super::core::Core;
use super::touch::{Scene, Standing, Touch, TouchPoint};
use crate::simd::{Instructions, Vectorised, difference, dot, greater, lesser, negated};

/// The maximum number of times that the gap between two bodies is measured in a step. If the bodies have not met after
/// these measurements, they get a contact with the points and the normal of the last measurement.
const MOST_MEASUREMENTS: usize = 12;
/// The gap at which two bodies count as meeting, as a fraction of twice the margin of a body at rest
/// ([`super::MARGIN`]).
const MET: f32 = 0.02;
/// Bodies graze each other if they overlap along an axis by at most this fraction of the margin of a body at rest, plus the
/// fraction [`SINKING`] of the displacement by gravity. With the rigid solver and 4 sub-steps, a body that rests on another body
/// overlaps it by less.
pub(in crate::sim) const GRAZE: f32 = 0.005;
/// See [`GRAZE`].
pub(in crate::sim) const SINKING: f32 = 0.01;
/// Bodies whose motion is along the normal of their contact graze each other if they overlap across it by at most this fraction of
/// the margin of a body at rest. A body on tiles that sink under its weight is lower than the next tile.
pub(in crate::sim) const LEVEL: f32 = 0.05;

/// The expected motion of a body in a step and in a fraction of the next step, for which contacts look ahead.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Path {
    pub(super) displacement: [f32; 2],
    /// The angle by which the body rotates along the path, in radians, counter-clockwise. It is 0 for a disc, because
    /// its contact points do not rotate with it.
    pub(super) angle: f32,
}

impl Path {
    /// Returns the path of a body over the time `time`. `fall` is the displacement that gravity gives a body at rest in
    /// this time.
    #[inline(always)]
    pub(super) fn new(state: &BodyState, traits: &BodyTraits, time: f32, fall: [f32; 2]) -> Self {
        if !traits.has(MOVES) {
            return Self { displacement: [0.0; 2], angle: 0.0 };
        }
        let falls = if traits.has(DYNAMIC) { 1.0 } else { 0.0 };
        let [vx, vy] = state.velocity;
        Self {
            displacement: [vx * time + falls * fall[0], vy * time + falls * fall[1]],
            angle: if traits.has(DISC) { 0.0 } else { state.angular_velocity * time },
        }
    }

    #[inline(always)]
    pub(super) fn length(&self) -> f32 {
        dot(self.displacement, self.displacement).sqrt()
    }

    /// Returns the distance within which the body has contacts even with bodies that it does not approach. This
    /// distance is `margin` plus half of the length of the path, because other bodies may push this body aside. If the
    /// path is longer than the extent of the body, the extent replaces the length of the path.
    #[inline(always)]
    pub(super) fn nearness(&self, margin: f32, traits: &BodyTraits) -> f32 {
        margin + 0.5 * lesser(self.length(), traits.extent)
    }

    /// Returns the state of the body after the fraction `part` of the path. `state` is the state at the start of the
    /// path.
    #[inline(always)]
    fn after(&self, state: &BodyState, part: f32) -> BodyState {
        let offset =
            [state.offset[0] + part * self.displacement[0], state.offset[1] + part * self.displacement[1]];
        let [c, s] = rotation_by(part * self.angle);
        let [x, y] = state.rotation;
        BodyState { offset, rotation: [x * c - y * s, y * c + x * s], ..*state }
    }
}

/// Returns the cosine and the sine of `2 atan(angle / 2)`, which is near `angle` if `angle` is small. Every machine
/// computes the same bits, and the squares of the results add up to 1 for every `angle`, up to rounding.
#[inline(always)]
pub(super) fn rotation_by(angle: f32) -> [f32; 2] {
    let half = 0.5 * angle;
    let square = half * half;
    [(1.0 - square) / (1.0 + square), angle / (1.0 + square)]
}

#[inline(always)]
pub(super) fn rotated([c, s]: [f32; 2], [x, y]: [f32; 2]) -> [f32; 2] {
    [c * x - s * y, s * x + c * y]
}

/// The data of a body and its path that the narrow phase reads for every contact. The record takes half a cache line,
/// so that most contacts need no other data of the body.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PathBounds {
    pub(super) path: Path,
    /// The greatest distance by which rotation moves a point of the body's core along the path.
    pub(super) turning: f32,
    /// Within this distance, the body has contacts even with bodies that it does not approach. [`Path::nearness`] computes this
    /// distance.
    pub(super) near: f32,
    /// The distance from the body up to which the narrow phase searches for contacts.
    pub(super) margin: f32,
    /// The radius of the rounding of the body's shape.
    pub(super) radius: f32,
    /// The extent of the shape: an upper bound on the distance between the centre of mass and any point of the shape.
    pub(super) extent: f32,
}

impl Scene<'_> {
    /// Returns the contact of two bodies whose gap may close along their paths. Bodies that pass each other have a
    /// contact only if they are near each other ([`Closing::near`]). Returns `None` if the bodies have no contact, or if
    /// seams hide it. `first` is their contact at the start of the step. At least one of the two bodies must not be a disc.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn swept<I: Instructions>(self, i: I, first: Touch, closing: Closing) -> Option<Touch> {
        let [a, b] = first.bodies;
        let bounds = self.placed.bounds(first.bodies);
        let margin = bounds[0].margin + bounds[1].margin;
        let radii = [bounds[0].radius, bounds[1].radius];
        let paths = [bounds[0].path, bounds[1].path];
        let Closing { way, turning, near } = closing;
        let [state_a, state_b] = [&self.states[a as usize], &self.states[b as usize]];
        let [mut at_a, mut at_b] = [*state_a, *state_b];
        let (mut core_a, mut core_b) = (Core::default(), Core::default());
        let (mut touch, mut part) = (first, 0.0);
        for _ in 0..MOST_MEASUREMENTS {
            let approach = turning - dot(way, touch.normal);
            if approach * (1.0 - part) <= touch.separation {
                // The bodies pass each other. If they are near each other, another body may still push them together,
                // so they keep a contact.
                if touch.separation > near {
                    return None;
                }
                break;
            }
            part += touch.separation / approach;
            [at_a, at_b] = [paths[0].after(state_a, part), paths[1].after(state_b, part)];
            core_a.place(i, &self.placing, &at_a, self.shape(a));
            core_b.place(i, &self.placing, &at_b, self.shape(b));
            let standing = [
                Standing { state: &at_a, view: core_a.view() },
                Standing { state: &at_b, view: core_b.view() },
            ];
            touch = self.between_standing(i, first.bodies, standing, radii, margin)?;
            if touch.separation <= MET * 2.0 * self.placing.margin {
                break;
            }
        }
        let is_flat = part > 0.0 && turning <= FLAT * self.placing.margin;
        touch = self.exposed(touch)?;
        if is_flat {
            let standing = [
                Standing { state: &at_a, view: core_a.view() },
                Standing { state: &at_b, view: core_b.view() },
            ];
            touch = self.grazed(touch, standing, closing, part);
        }
        if let Some(seams) = self.seams
            && is_flat
        {
            let lands = -dot(way, touch.normal) >= LANDING * self.placing.margin;
            let is_beside = |body: u32, is_second: bool, surface: Surface<'_>| {
                // The other body lands.
                let (core, at) = if is_second { (&core_a, at_a) } else { (&core_b, at_b) };
                let (offset, quantum) = (at.offset, self.placing.quantum);
                seams.is_beside(body, surface, &Lander { core: core.view(), offset, quantum }, way)
            };
            if lands && touch.is_on_any(seams, &is_beside) {
                return None;
            }
            let is_same = first.point_count == 2 && dot(first.normal, touch.normal) >= SAME_NORMAL;
            if is_same
                && touch.is_on_any(seams, &|body, _, surface| seams.is_cut(body, surface))
                && first.is_on_any(seams, &|_, _, surface| surface.is_centred())
            {
                return self.exposed(first);
            }
        }
        touch.separation = f32::INFINITY;
        for point in &mut touch.points[..touch.point_count as usize] {
            *point = at_start(*point, touch.normal, paths, part);
            touch.separation = lesser(touch.separation, point.separation);
        }
        Some(touch)
    }

    /// Returns the contact of two bodies that overlap at the start of the step and move into each other, or `None` if seams hide
    /// it. `first` is their contact at the start of the step.
    #[cold]
    #[inline(never)]
    pub(super) fn entered(self, first: Touch, closing: Closing) -> Option<Touch> {
        let standing = first.bodies.map(|body| self.standing(body));
        let is_flat = closing.turning <= FLAT * self.placing.margin;
        let touch = self.exposed(first)?;
        Some(if is_flat { self.grazed(touch, standing, closing, 0.0) } else { touch })
    }

    /// Gives a contact another normal if the bodies only graze each other: without gravity, they overlap along an axis by very
    /// little during the whole step. The contact gets this axis as its normal, so it keeps the bodies apart along the axis, and
    /// does not stop them. The function tries two axes: across the motion of the bodies ([`GRAZE`]), and across the normal of the
    /// contact ([`LEVEL`]). The bodies hardly rotate, and `standing` has their poses after the fraction `part` of their paths.
    fn grazed(self, mut touch: Touch, standing: [Standing<'_>; 2], closing: Closing, part: f32) -> Touch {
        let ([a, b], Touch { bodies, normal, .. }) = (standing, touch);
        let falls = bodies.map(|body| if self.traits[body as usize].has(DYNAMIC) { 1.0 } else { 0.0 });
        let fall = self.placing.fall.map(|by| (falls[1] - falls[0]) * by);
        let way = difference(closing.way, fall);
        let (length, quantum) = (dot(way, way).sqrt(), self.placing.quantum);
        // The length of a very long way overflows.
        if -dot(way, normal) <= self.placing.graze || length == f32::INFINITY {
            return touch;
        }
        let between = self.between(a.state, b.state);
        let reach = |of: &Standing<'_>, towards| {
            Lander { core: of.view, offset: of.state.offset, quantum }.reach(towards, towards, 0.0)
        };
        let [near_a, near_b] = self.placed.bounds(bodies);
        let across = [[-way[1] / length, way[0] / length], [-normal[1], normal[0]]];
        for (axis, most) in across.into_iter().zip([self.placing.graze, LEVEL * self.placing.margin]) {
            let back = negated(axis);
            let ahead = reach(&a, axis) + reach(&b, back) - dot(between, axis);
            let behind = reach(&a, back) + reach(&b, axis) + dot(between, axis);
            let (overlap, outward) = if ahead <= behind { (ahead, axis) } else { (behind, back) };
            let overlap = overlap + near_a.radius + near_b.radius;
            if overlap + part * dot(fall, outward) + dot(way, axis).abs() <= most {
                touch.turn_to(outward, -overlap, [&a, &b].map(|of| of.view.head.vertex_count == 1));
                break;
            }
        }
        touch
    }
}

impl Touch {
    /// Returns true if the contact has two points, and `test` returns true for a body of the contact that has seams. The arguments
    /// of `test` are the row of this body, whether it is the second body, and the contact as this body sees it.
    #[cold]
    #[inline(never)]
    fn is_on_any(&self, seams: &Seams, test: &dyn Fn(u32, bool, Surface<'_>) -> bool) -> bool {
        self.point_count == 2
            && [false, true].into_iter().any(|is_second| {
                let body = self.bodies[usize::from(is_second)];
                seams.has(body) && test(body, is_second, self.seen(is_second, false, &mut Default::default()))
            })
    }
}

/// The arguments of [`Scene::swept`].
pub(super) struct Sweep<'a> {
    pub(super) scene: Scene<'a>,
    pub(super) first: Touch,
    pub(super) closing: Closing,
}

impl Vectorised for Sweep<'_> {
    type Output = Option<Touch>;

    #[inline(always)]
    fn run<I: Instructions>(self, i: I) -> Self::Output {
        self.scene.swept(i, self.first, self.closing)
    }
}

/// The way in which the gap between two bodies changes along their paths.
pub(super) enum Approach {
    /// The contact that the bodies have at the start of the step stays valid for the whole step.
    Stays,
    /// The bodies pass each other. They are not near each other at the start, and do not come near.
    Passes,
    /// The gap along the normal may close during the step.
    Closes(Closing),
    /// The bodies overlap, and move into each other.
    Enters(Closing),
}

impl Approach {
    /// Returns how two bodies approach each other. `first` is their contact at the start of the step. The array has the
    /// bounds of the paths of the two bodies. Bodies that overlap and approach by at most `resting` rest on each other.
    #[inline(always)]
    pub(super) fn of(first: &Touch, [a, b]: [&PathBounds; 2], resting: f32) -> Self {
        let way = difference(b.path.displacement, a.path.displacement);
        let (turning, near) = (a.turning + b.turning, a.near + b.near);
        if first.separation <= 0.0 {
            let enters = -dot(way, first.normal) > resting;
            return if enters { Self::Enters(Closing { way, turning, near }) } else { Self::Stays };
        }
        if turning - dot(way, first.normal) > first.separation {
            Self::Closes(Closing { way, turning, near })
        } else if first.separation <= near {
            Self::Stays
        } else {
            Self::Passes
        }
    }
}

/// The data of two bodies whose gap may close along their paths.
#[derive(Clone, Copy)]
pub(super) struct Closing {
    /// The displacement of the second body relative to the first body, along their paths.
    way: [f32; 2],
    /// The greatest amount by which the rotations of the two bodies together reduce the gap.
    turning: f32,
    /// If the gap of the two bodies is at most this, they have a contact even if they pass each other.
    near: f32,
}

/// Converts a contact point to the start of the step. In `point`, the bodies have moved along the fraction `part` of
/// their `paths`. In the result, the arms are rotated back with the bodies, and the gap is the gap along `normal` at
/// the start of the step.
#[inline(always)]
pub(super) fn at_start(point: TouchPoint, normal: [f32; 2], paths: [Path; 2], part: f32) -> TouchPoint {
    let way = difference(paths[1].displacement, paths[0].displacement);
    let (mut start, mut gone) = (point, part * dot(way, normal));
    if paths[0].angle != 0.0 || paths[1].angle != 0.0 {
        start.arm_a = rotated(rotation_by(-part * paths[0].angle), point.arm_a);
        start.arm_b = rotated(rotation_by(-part * paths[1].angle), point.arm_b);
        // The vector by which the rotations move the two ends of the arms apart.
        let turned = difference(difference(point.arm_b, point.arm_a), difference(start.arm_b, start.arm_a));
        gone += dot(turned, normal);
    }
    start.separation = greater(point.separation - gone, 0.0);
    start
}
