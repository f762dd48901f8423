//! The touches of bodies: their contact manifolds, with the impulses of the previous step.

use std::collections::HashSet;

use super::super::bodies::{BodyState, BodyTraits};
use super::super::seams::Seams;
use super::super::shapes::{Shape, Shapes};
use super::batch::{TASK, Task};
use super::disc::point_from;
use super::place::{Placed, Placing};
use super::sweep::{Approach, Sweep};
use crate::base::parallel::prelude::*;
use crate::kernels::cpu::figures::manifold;
use crate::packed::layout::{ManifoldRecord, POINT_COUNT_SHIFT};
use crate::packed::records::View;
use crate::simd::{Instructions, lesser, negated, prefetch, vectorised_alike};

/// A contact of two bodies that are near each other. All lengths are in the caller's unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Touch {
    /// The rows of the two bodies, a and b. The row of a is less than the row of b.
    pub(crate) bodies: [u32; 2],
    /// The unit normal of the contact, from body a to body b.
    pub(crate) normal: [f32; 2],
    /// The least gap between the two bodies at the contact points. It is negative if they overlap.
    pub(crate) separation: f32,
    /// The number of contact points, 1 or 2.
    pub(crate) point_count: u32,
    pub(crate) points: [TouchPoint; 2],
}

/// Two contact points in consecutive steps count as the same point if they have the same feature, or if their distance
/// is less than this fraction of the extent of the smaller body. The distance is needed if two edges lie on each other:
/// the reference edge may then change from step to step, and the features change with it.
pub(in crate::sim) const NEAR: f32 = 0.05;

impl Touch {
    /// Returns a touch with one contact point. The caller must set [`Touch::bodies`].
    #[inline(always)]
    pub(super) fn of_point(normal: [f32; 2], point: TouchPoint) -> Self {
        let points = [point, TouchPoint::default()];
        Self { bodies: [0; 2], normal, separation: point.separation, point_count: 1, points }
    }

    /// Overwrites this touch with a contact that has one point. The point keeps the impulses of the previous step if `was_one` is
    /// set. The function writes each field in place. Building a contact and copying it would be slower, because the wide reads of
    /// the copy would stall after the narrow writes.
    #[inline(always)]
    pub(super) fn become_point(
        &mut self,
        bodies: [u32; 2],
        normal: [f32; 2],
        point: TouchPoint,
        was_one: bool,
    ) {
        self.bodies = bodies;
        self.normal = normal;
        self.separation = point.separation;
        self.point_count = 1;
        let first = &mut self.points[0];
        (first.arm_a, first.arm_b) = (point.arm_a, point.arm_b);
        (first.separation, first.feature) = (point.separation, point.feature);
        first.total_impulse = 0.0;
        if !was_one {
            (first.normal_impulse, first.tangent_impulse) = (0.0, 0.0);
        }
    }

    /// Returns the same touch with the two bodies exchanged.
    #[inline(always)]
    fn swapped(self) -> Self {
        let ([a, b], [first, second]) = (self.bodies, self.points);
        let swap = |point: TouchPoint| TouchPoint { arm_a: point.arm_b, arm_b: point.arm_a, ..point };
        Self { bodies: [b, a], normal: negated(self.normal), points: [swap(first), swap(second)], ..self }
    }

    /// Copies the impulses of the points that also existed in `last`, the touch of the same bodies in the previous
    /// step. `near` is the square of a distance ([`NEAR`]): two points that are nearer than this count as the same
    /// point, even if their features differ.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn warm(&mut self, last: &Self, near: f32) {
        for point in &mut self.points[..self.point_count as usize] {
            let mut best = near;
            for last in &last.points[..last.point_count as usize] {
                let [x, y] = [last.arm_a[0] - point.arm_a[0], last.arm_a[1] - point.arm_a[1]];
                let away = if last.feature == point.feature { 0.0 } else { x * x + y * y };
                if away < best {
                    best = away;
                    point.normal_impulse = last.normal_impulse;
                    point.tangent_impulse = last.tangent_impulse;
                }
            }
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TouchPoint {
    /// The vector from the centre of mass of body a to the contact point.
    pub(crate) arm_a: [f32; 2],
    /// The vector from the centre of mass of body b to the contact point.
    pub(crate) arm_b: [f32; 2],
    pub(crate) separation: f32,
    /// A number that identifies the same contact point in consecutive steps.
    pub(crate) feature: u32,
    /// The impulse along the normal in the last sub-step of the previous step. The solver replaces it with the impulse in the
    /// last sub-step of this step.
    pub(crate) normal_impulse: f32,
    pub(crate) tangent_impulse: f32,
    /// The sum of the impulses along the normal over all sub-steps and bounces of the step. The solver writes it.
    pub(crate) total_impulse: f32,
}

/// The touches of the last step: one touch for each near pair of bodies, in the order of the pairs.
#[derive(Debug, Default)]
pub(crate) struct Touches {
    /// The touch of each pair. If [`Touches::counts`] is 0 for a pair, its touch has no meaning.
    pub(crate) all: Vec<Touch>,
    /// The number of contact points of each pair. This list is separate from `all`, so that code can skip pairs without
    /// points and read no touch of them.
    pub(crate) counts: Vec<u8>,
    /// The number of sorted entries at the start of `all`. They are sorted by their bodies. The touches of pairs that
    /// were added later follow them.
    sorted: usize,
    spare: (Vec<Touch>, Vec<u8>),
}

impl Touches {
    /// Returns the touches that have contact points.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Touch> {
        with_points(&self.all, &self.counts)
    }

    /// Replaces the list of pairs with the sorted list `pairs`. A pair that is in both lists keeps its touch. A pair
    /// that is only in `pairs` gets a touch without points.
    pub(crate) fn follow(&mut self, pairs: &[[u32; 2]]) {
        std::mem::swap(&mut self.all, &mut self.spare.0);
        std::mem::swap(&mut self.counts, &mut self.spare.1);
        self.all.resize(pairs.len(), Touch::default());
        self.counts.clear();
        self.counts.resize(pairs.len(), 0);
        let (sorted, late) = self.spare.0.split_at(self.sorted);
        let (sorted_counts, late_counts) = self.spare.1.split_at(self.sorted);
        let mut late: Vec<Touch> = with_points(late, late_counts).copied().collect();
        sort(&mut late);
        let (mut known, mut late) = (with_points(sorted, sorted_counts).peekable(), late.iter().peekable());
        for (pair, (touch, count)) in pairs.iter().zip(self.all.iter_mut().zip(&mut self.counts)) {
            while known.next_if(|known| known.bodies < *pair).is_some() {}
            while late.next_if(|late| late.bodies < *pair).is_some() {}
            let known = known.next_if(|known| known.bodies == *pair);
            if let Some(known) = known.or_else(|| late.next_if(|late| late.bodies == *pair)) {
                *touch = *known;
                *count = known.point_count as u8;
            }
        }
        self.sorted = pairs.len();
    }

    /// Adds touches without points, so that there are `count` touches.
    pub(crate) fn grow(&mut self, count: usize) {
        self.all.resize(count, Touch::default());
        self.counts.resize(count, 0);
    }

    /// Prefetches the touches whose indices are `list[first..first + count]`.
    #[inline]
    pub(crate) fn prefetch(&self, list: &[u32], first: usize, count: usize) {
        let ahead = list.get(first..).unwrap_or_default().iter().take(count);
        ahead.for_each(|&index| prefetch(&self.all[index as usize]));
    }

    /// Sets the number of points of every touch to 0. The number of touches does not change.
    pub(crate) fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// Sets the number of points to 0 for the touches of the bodies in the rows `bodies`, which were removed or moved.
    pub(crate) fn forget(&mut self, bodies: &HashSet<u32>) {
        for (touch, count) in self.all.iter().zip(&mut self.counts).filter(|(_, count)| **count > 0) {
            if touch.bodies.iter().any(|body| bodies.contains(body)) {
                *count = 0;
            }
        }
    }
}

/// Sorts touches by the rows of their first bodies, then by the rows of their second bodies.
pub(crate) fn sort(touches: &mut [Touch]) {
    crate::base::sorting::sort_unstable_by_key(touches, |touch| touch.bodies);
}

fn with_points<'a>(all: &'a [Touch], counts: &'a [u8]) -> impl Iterator<Item = &'a Touch> {
    all.iter().zip(counts).filter(|&(_, &count)| count > 0).map(|(touch, _)| touch)
}

/// The data of all bodies of a step from which the narrow phase computes contact manifolds.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) placed: &'a Placed,
    pub(crate) states: &'a [BodyState],
    pub(crate) traits: &'a [BodyTraits],
    pub(crate) shapes: &'a Shapes,
    pub(crate) placing: Placing<'a>,
    /// The seams between static bodies, or `None` if no body has seams ([`Seams::has`]).
    pub(crate) seams: Option<&'a Seams>,
}

/// A body's state, and the core of the body at the pose of this state.
#[derive(Clone, Copy)]
pub(super) struct Standing<'a> {
    pub(super) state: &'a BodyState,
    pub(super) view: View<'a>,
}

impl Scene<'_> {
    /// Updates the touch of each pair. Each contact point keeps the impulses of the same point in the previous step.
    /// Returns the number of pairs whose boxes meet.
    pub(crate) fn touches(self, pairs: &[[u32; 2]], touches: &mut Touches) -> u64 {
        pairs
            .par_chunks(TASK)
            .zip(touches.all.par_chunks_mut(TASK))
            .zip(touches.counts.par_chunks_mut(TASK))
            .map(|((pairs, touches), counts)| vectorised_alike(Task { scene: self, pairs, touches, counts }))
            .sum()
    }

    /// Returns the contact of two bodies in this step, or `None` if they have no contact. `last` is their contact in
    /// the previous step, from which the result takes the impulses. At least one of the bodies must not be a disc.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn touch<I: Instructions>(
        self,
        i: I,
        bodies: [u32; 2],
        last: Option<&Touch>,
    ) -> Option<Touch> {
        let standing = bodies.map(|body| self.standing(body));
        let paths = self.placed.bounds(bodies);
        let margin = paths[0].margin + paths[1].margin;
        let first = self.between_standing(i, bodies, standing, [paths[0].radius, paths[1].radius], margin)?;
        self.approached(i, first, last)
    }

    /// Returns the contact of two bodies along their paths in the step, or `None` if they have no contact. `first` is
    /// their contact at the start of the step. `last` is their contact in the previous step, from which the result
    /// takes the impulses.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn approached<I: Instructions>(
        self,
        i: I,
        first: Touch,
        last: Option<&Touch>,
    ) -> Option<Touch> {
        let paths = self.placed.bounds(first.bodies);
        let mut touch = match Approach::of(&first, paths, self.placing.resting) {
            Approach::Stays => self.exposed(first)?,
            Approach::Passes => return None,
            Approach::Enters(closing) => self.entered(first, closing)?,
            Approach::Closes(closing) => i.apart(Sweep { scene: self, first, closing })?,
        };
        let Some(last) = last else { return Some(touch) };
        if first.bodies.iter().any(|&body| self.placed.small(body).head.vertex_count == 1) {
            // There is only one point, so its feature does not matter.
            touch.points[0].normal_impulse = last.points[0].normal_impulse;
            touch.points[0].tangent_impulse = last.points[0].tangent_impulse;
        } else {
            let near = NEAR * lesser(paths[0].extent, paths[1].extent);
            touch.warm(last, near * near);
        }
        Some(touch)
    }

    /// Changes a contact where it meets a seam, which is a place where static bodies touch each other. Returns `None`
    /// if the seams hide the whole contact.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[cfg_attr(target_family = "wasm", inline(never))]
    pub(super) fn exposed(&self, touch: Touch) -> Option<Touch> {
        let Some(seams) = self.seams else { return Some(touch) };
        let [first, second] = [seams.has(touch.bodies[0]), seams.has(touch.bodies[1])];
        if !first && !second {
            return Some(touch);
        }
        // Works on a copy, so that the contact itself can stay in registers.
        let mut exposed = touch;
        let is_disc = touch.bodies.iter().any(|&body| self.placed.small(body).head.vertex_count == 1);
        let is_open = (!first || exposed.expose_over(seams, false, is_disc))
            && (!second || exposed.expose_over(seams, true, is_disc));
        is_open.then_some(exposed)
    }

    /// Returns the state and the core of a body at the start of the step.
    #[inline(always)]
    pub(super) fn standing(&self, body: u32) -> Standing<'_> {
        Standing { state: &self.states[body as usize], view: self.placed.view(body) }
    }

    /// Returns the shape of the body in a row.
    #[inline(always)]
    pub(super) fn shape(&self, body: u32) -> &Shape {
        &self.shapes.all[self.traits[body as usize].shape as usize]
    }

    /// Returns the contact of two bodies at the poses of `standing`, or `None` if their gap is greater than `margin`.
    /// At least one of the bodies must not be a disc.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn between_standing<I: Instructions>(
        self,
        i: I,
        bodies: [u32; 2],
        [a, b]: [Standing<'_>; 2],
        radii: [f32; 2],
        margin: f32,
    ) -> Option<Touch> {
        let between = self.between(a.state, b.state);
        let touch = match [a.view.head.vertex_count, b.view.head.vertex_count] {
            [1, _] => self.disc_and_polygon(i, &a, &b, radii, margin)?.swapped(),
            [_, 1] => self.disc_and_polygon(i, &b, &a, [radii[1], radii[0]], margin)?,
            _ => {
                let reach = (margin + radii[0] + radii[1]) / self.placing.quantum;
                let record = manifold::record_of(i, a.view, b.view, reach);
                self.touch_of(a.state.offset, between, &record, radii, margin)?
            }
        };
        Some(Touch { bodies, ..touch })
    }

    /// Returns the vector from the centre of mass of `a` to the centre of mass of `b`, in the caller's unit.
    #[inline(always)]
    pub(super) fn between(self, a: &BodyState, b: &BodyState) -> [f32; 2] {
        let along = |axis: usize| {
            b.anchor[axis].wrapping_sub(a.anchor[axis]) as f32 * self.placing.quantum
                + (b.offset[axis] - a.offset[axis])
        };
        [along(0), along(1)]
    }

    /// Returns the touch of a polygon and a disc, with the polygon as the first body. Returns `None` if their gap is
    /// greater than the margin.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn disc_and_polygon<I: Instructions>(
        self,
        i: I,
        disc: &Standing<'_>,
        polygon: &Standing<'_>,
        [disc_radius, polygon_radius]: [f32; 2],
        margin: f32,
    ) -> Option<Touch> {
        let per_unit = 1.0 / self.placing.quantum;
        let centre = |axis: usize| {
            disc.state.anchor[axis].wrapping_sub(polygon.state.anchor[axis]) as f32
                + disc.state.offset[axis] * per_unit
        };
        let centre = [centre(0), centre(1)];
        let (normal, gap) = point_from(i, polygon.view, centre);
        let separation = gap * self.placing.quantum - disc_radius - polygon_radius;
        if separation > margin {
            return None;
        }
        // The length of the vector from the centre of the disc to the point half-way between the surfaces of the two
        // bodies.
        let along = disc_radius + 0.5 * separation;
        let arm_b = [-normal[0] * along, -normal[1] * along];
        let between = self.between(polygon.state, disc.state);
        let arm_a = [between[0] + arm_b[0], between[1] + arm_b[1]];
        let point = TouchPoint { arm_a, arm_b, separation, ..TouchPoint::default() };
        Some(Touch::of_point(normal, point))
    }

    /// Converts a contact manifold of two cores, in quanta, to a touch of the bodies, in the caller's unit. Returns
    /// `None` if the gap at every point is greater than the margin.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn touch_of(
        self,
        offset: [f32; 2],
        between: [f32; 2],
        record: &ManifoldRecord,
        [radius_a, radius_b]: [f32; 2],
        margin: f32,
    ) -> Option<Touch> {
        let normal = record.normal;
        // The point of the record is half-way between the cores. The shift moves it half-way between the shapes.
        let shift = 0.5 * (radius_a - radius_b);
        let mut touch = Touch { normal, separation: f32::INFINITY, ..Touch::default() };
        for point in &record.points[..(record.edge >> POINT_COUNT_SHIFT & 3) as usize] {
            let separation = point.separation * self.placing.quantum - radius_a - radius_b;
            if separation > margin {
                continue;
            }
            let arm_a = [
                point.position[0] * self.placing.quantum + shift * normal[0] - offset[0],
                point.position[1] * self.placing.quantum + shift * normal[1] - offset[1],
            ];
            touch.points[touch.point_count as usize] = TouchPoint {
                arm_a,
                arm_b: [arm_a[0] - between[0], arm_a[1] - between[1]],
                separation,
                feature: point.feature,
                ..TouchPoint::default()
            };
            touch.point_count += 1;
            touch.separation = lesser(touch.separation, separation);
        }
        (touch.point_count > 0).then_some(touch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_follows_its_pair_wherever_it_was() {
        let touch = |bodies: [u32; 2]| Touch {
            bodies,
            point_count: 1,
            separation: bodies[1] as f32,
            ..Touch::default()
        };
        let mut touches = Touches::default();
        let set = |touches: &mut Touches, pairs: &[[u32; 2]]| {
            for (k, &pair) in pairs.iter().enumerate() {
                (touches.all[k], touches.counts[k]) = (touch(pair), 1);
            }
        };
        touches.follow(&[[0, 2], [1, 3], [4, 5]]);
        assert_eq!(touches.iter().count(), 0);
        touches.grow(6);
        // The touches after the first three were added later, and are not sorted.
        set(&mut touches, &[[0, 2], [1, 3], [4, 5], [3, 9], [0, 1], [2, 7]]);
        // One touch of each group has no pair in the new list, and one has no points.
        touches.counts[4] = 0;
        let pairs = [[0, 1], [0, 2], [1, 4], [2, 7], [3, 8], [3, 9], [4, 5]];
        touches.follow(&pairs);
        let known: Vec<[u32; 2]> = touches.iter().map(|touch| touch.bodies).collect();
        assert_eq!(known, [[0, 2], [2, 7], [3, 9], [4, 5]]);
        for (pair, (touch, count)) in pairs.iter().zip(touches.all.iter().zip(&touches.counts)) {
            assert!(*count == 0 || (touch.bodies == *pair && touch.separation == pair[1] as f32));
        }
        // All touches are sorted now. The second buffer holds the previous touches.
        touches.forget(&HashSet::from([9]));
        touches.follow(&pairs);
        assert_eq!(touches.counts, [0, 1, 0, 1, 0, 0, 1]);
    }
}
