//! Limits the path of fast bodies: computes how far a fast body moves in a step before it would pass into a static or
//! kinematic body.
//!
//! This is conservative advancement (Mirtich 1996, "Impulse-based Dynamic Simulation of Rigid Body Systems", 3.2). The
//! gap between two bodies along the normal of their manifold shrinks at most at the speed at which the bodies approach
//! along the normal, plus the speed that rotation gives their farthest points. The time advances to the first moment at
//! which the gap may have shrunk to the target gap. Then the gap is measured again.

use super::super::bodies::{Bodies, BodyState, DYNAMIC, FAST, MOVES};
use super::super::shapes::Shapes;
use super::core::Core;
use super::place::{Placed, Placing};
use crate::base::parallel::prelude::*;
use crate::kernels::cpu::figures::manifold;
use crate::simd::{Instructions, Vectorised, greater, lesser, vectorised_alike};

/// The maximum number of times that the gap between a fast body and another body is measured in a step. After the last
/// measurement, the fast body moves no farther along its path.
pub(in crate::sim) const MOST_ITERATIONS: usize = 32;
/// If a fast body already touches another body at the start of the step, it may move into that body up to this depth, as a
/// fraction of the extent of the fast body. If it does not touch that body at the start of the step, the depth is also limited to
/// this value.
pub(in crate::sim) const DEEPER: f32 = 0.1;

/// The motion of a body in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// The displacement of the centre of mass in the step.
    pub(super) displacement: [f32; 2],
    /// The cosine and sine of the angle by which the body rotates in the step.
    pub(super) turn: [f32; 2],
}

impl Way {
    /// The motion of a body that does not move.
    pub(super) const NONE: Self = Self { displacement: [0.0; 2], turn: [1.0, 0.0] };

    /// Returns the angle by which the body rotates, in radians from -π to π.
    pub(super) fn angle(&self) -> f32 {
        libm::atan2f(self.turn[1], self.turn[0])
    }
}

/// The data from which a step computes how far each fast body moves before it meets another body.
#[derive(Clone, Copy)]
pub(super) struct Following<'a, W> {
    pub(super) bodies: &'a Bodies,
    pub(super) shapes: &'a Shapes,
    pub(super) placed: &'a Placed,
    pub(super) placing: Placing<'a>,
    /// A function that returns the motion of a body in the step, from the row of the body.
    pub(super) way: W,
    /// The gap, in the caller's unit, up to which a fast body counts as touching another body at the start of the step. A fast
    /// body that does not touch the other body may move into it by half of this gap. In both cases, [`DEEPER`] limits the depth.
    pub(super) near: f32,
}

impl<W: Fn(u32) -> Way + Copy + Send + Sync> Following<'_, W> {
    /// Returns the row of each fast body that stops early, with the fraction of its path that the body moves (from 0 to 1). If a
    /// body occurs several times in the result, its least fraction applies.
    pub(super) fn stops(self, pairs: &[[u32; 2]]) -> Vec<(u32, f32)> {
        let traits = &self.bodies.traits;
        let boxed = traits.par_iter().enumerate().filter_map(|(body, traits)| {
            let part = if traits.has(FAST) { self.within_box(body as u32) } else { 1.0 };
            (part < 1.0).then_some((body as u32, part))
        });
        let mut stops: Vec<(u32, f32)> = boxed.collect();
        let met = pairs.par_iter().filter_map(|&[a, b]| {
            let [of_a, of_b] = [&traits[a as usize], &traits[b as usize]];
            let (fast, other) = if of_a.has(FAST) && !of_b.has(DYNAMIC) {
                (a, b)
            } else if of_b.has(FAST) && !of_a.has(DYNAMIC) {
                (b, a)
            } else {
                return None;
            };
            let part = vectorised_alike(Pair { following: self, fast, other });
            (part < 1.0).then_some((fast, part))
        });
        met.collect_into(&mut stops);
        stops
    }

    /// Returns the fraction of its path on which a body stays inside its box for the step. The broad phase searched for
    /// the neighbours of the body with this box.
    fn within_box(self, body: u32) -> f32 {
        let state = &self.bodies.states[body as usize];
        let aabb = self.placed.boxes[body as usize];
        let (way, extent) = ((self.way)(body), self.bodies.traits[body as usize].extent);
        let mut part = 1.0f32;
        for axis in 0..2 {
            let centre = f64::from(state.anchor[axis]) + f64::from(state.offset[axis] / self.placing.quantum);
            let reach = f64::from(extent / self.placing.quantum);
            let room = if way.displacement[axis] > 0.0 {
                aabb.max[axis] - centre - reach
            } else {
                centre - reach - aabb.min[axis]
            };
            let long = f64::from(way.displacement[axis].abs() / self.placing.quantum);
            if long > room {
                part = lesser(part, (room / long) as f32);
            }
        }
        part
    }

    /// Returns the fraction of its path that the body `fast` moves before it meets the body `other`, or 1 if they do
    /// not meet.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn part<I: Instructions>(self, i: I, fast: u32, other: u32) -> f32 {
        let [of_fast, of_other] = [&self.bodies.traits[fast as usize], &self.bodies.traits[other as usize]];
        let [shape, other_shape] =
            [&self.shapes.all[of_fast.shape as usize], &self.shapes.all[of_other.shape as usize]];
        let (way, other_way) = ((self.way)(fast), (self.way)(other));
        let radii = shape.radius + other_shape.radius;
        // The rotation moves only the cores. The core of a disc is a point.
        let turning = way.angle().abs() * (of_fast.extent - shape.radius)
            + other_way.angle().abs() * (of_other.extent - other_shape.radius);
        let moved = [
            other_way.displacement[0] - way.displacement[0],
            other_way.displacement[1] - way.displacement[1],
        ];
        let (mut core, mut other_core) = (Core::default(), Core::default());
        let (mut part, mut aim) = (0.0, None);
        for _ in 0..MOST_ITERATIONS {
            core.place(i, &self.placing, &self.state(fast, way, part), shape);
            other_core.place(i, &self.placing, &self.state(other, other_way, part), other_shape);
            let (a, b) = (core.view(), other_core.view());
            // Without this margin, the manifold may hold only a lower bound of the gap near a vertex, and this bound may stay
            // below the target gap.
            let near = (radii + 1.25 * self.near) / self.placing.quantum;
            let record = manifold::record_of(i, a, b, near);
            let gap = record.separation * self.placing.quantum - radii;
            // The solver moves bodies until they touch. A body that stopped before this point would lose a part of its
            // sideways movement. A fast body that touches the other body may get a little deeper into it, but repeated
            // steps must not move the fast body through the other body.
            let deepest = DEEPER * of_fast.extent;
            let inward = lesser(gap, greater(gap - deepest, -deepest));
            let first_aim = if gap > self.near { -lesser(0.5 * self.near, deepest) } else { inward };
            let aim = *aim.get_or_insert(first_aim);
            // If the other body moves and the fast body moves away from it, the fast body must not stop.
            let towards = way.displacement[0] * record.normal[0] + way.displacement[1] * record.normal[1];
            if of_other.has(MOVES) && towards <= 0.0 {
                return 1.0;
            }
            let approach = turning - (moved[0] * record.normal[0] + moved[1] * record.normal[1]);
            if approach <= 0.0 {
                return 1.0;
            }
            let next = part + (gap - aim) / approach;
            if next >= 1.0 {
                return 1.0;
            }
            // The gap is close enough to the target gap.
            if part > 0.0 && gap <= aim + 0.25 * self.near {
                return part;
            }
            part = next;
        }
        part
    }

    /// Returns the state of a body after the fraction `part` of its motion `way`.
    #[inline(always)]
    fn state(self, body: u32, way: Way, part: f32) -> BodyState {
        let start = &self.bodies.states[body as usize];
        let (sin, cos) = libm::sincosf(way.angle() * part);
        let [c, s] = start.rotation;
        BodyState {
            offset: [
                start.offset[0] + part * way.displacement[0],
                start.offset[1] + part * way.displacement[1],
            ],
            rotation: [c * cos - s * sin, s * cos + c * sin],
            ..*start
        }
    }
}

struct Pair<'a, W> {
    following: Following<'a, W>,
    fast: u32,
    other: u32,
}

impl<W: Fn(u32) -> Way + Copy + Send + Sync> Vectorised for Pair<'_, W> {
    type Output = f32;

    #[inline(always)]
    fn run<I: Instructions>(self, i: I) -> f32 {
        self.following.part(i, self.fast, self.other)
    }
}
