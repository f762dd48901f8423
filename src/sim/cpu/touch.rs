//! Where bodies touch: the manifolds of the narrow phase, with what is known of them from the step before.

use std::collections::HashSet;

use super::super::bodies::{BodyState, BodyTraits};
use super::super::shapes::Shapes;
use super::disc::point_from;
use super::place::Placed;
use crate::layout::{ManifoldRecord, POINT_COUNT_SHIFT};
use crate::narrow_phase::cpu::figures::{Whole, manifold};
use crate::narrow_phase::cpu::records::LANES;
use crate::parallel::prelude::*;
use crate::vector::{Both, Instructions, Vectorised, prefetch, vectorised};

/// Pairs that one task takes.
const TASK: usize = 1024;
/// Pairs between asking for a body and reading it.
const AHEAD: usize = 6;

/// Two bodies near each other, in the caller's unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Touch {
    /// `a < b`.
    pub(crate) bodies: [u32; 2],
    /// From a to b, of length 1.
    pub(crate) normal: [f32; 2],
    /// The least gap.
    pub(crate) separation: f32,
    /// 1 or 2; 0 where they are not near enough, and then nothing else is known.
    pub(crate) point_count: u32,
    pub(crate) points: [TouchPoint; 2],
}

/// A point is taken for the one of the step before whose feature is another, up to this part of the lesser body away: of
/// two edges that lie on each other either may be the reference.
pub(in crate::sim) const NEAR: f32 = 0.05;

impl Touch {
    /// With the bodies in the other order.
    #[inline(always)]
    fn swapped(self) -> Self {
        let [a, b] = self.bodies;
        let swap = |point: TouchPoint| TouchPoint { arm_a: point.arm_b, arm_b: point.arm_a, ..point };
        Self { bodies: [b, a], normal: self.normal.both(|n| -n), points: self.points.both(swap), ..self }
    }

    /// Takes over the impulses of the same points in the step before.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn warm(&mut self, last: &Self, near: f32) {
        for point in &mut self.points[..self.point_count as usize] {
            let mut best = near;
            for last in &last.points[..last.point_count as usize] {
                let [x, y] = [0, 1].both(|axis| last.arm_a[axis] - point.arm_a[axis]);
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
    /// From the centres of mass to the point.
    pub(crate) arm_a: [f32; 2],
    pub(crate) arm_b: [f32; 2],
    pub(crate) separation: f32,
    /// The same from step to step.
    pub(crate) feature: u32,
    /// What it gave in the last part of the step before, or of this one once that is solved.
    pub(crate) normal_impulse: f32,
    pub(crate) tangent_impulse: f32,
    /// Of all parts of the step along the normal, bounces included, once it is solved.
    pub(crate) total_impulse: f32,
}

/// What is known of each of the pairs near each other, in their order: the touch of the last step, or one of no points.
#[derive(Debug, Default)]
pub(crate) struct Touches {
    pub(crate) all: Vec<Touch>,
    /// Of each its number of points: close together, as colours ask for them out of order.
    pub(crate) counts: Vec<u8>,
    spare: Vec<Touch>,
}

impl Touches {
    /// With bodies that touch.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Touch> {
        self.all.iter().filter(|touch| touch.point_count > 0)
    }

    /// For other pairs, sorted as well: with what was known of those that are among them.
    pub(crate) fn follow(&mut self, pairs: &[[u32; 2]]) {
        std::mem::swap(&mut self.all, &mut self.spare);
        self.all.resize(pairs.len(), Touch::default());
        self.counts.resize(pairs.len(), 0);
        let mut known = self.spare.iter().filter(|touch| touch.point_count > 0).peekable();
        for (pair, touch) in pairs.iter().zip(&mut self.all) {
            while known.next_if(|known| known.bodies < *pair).is_some() {}
            match known.next_if(|known| known.bodies == *pair) {
                Some(known) => *touch = *known,
                None => touch.point_count = 0,
            }
        }
    }

    /// Without those of bodies, which are gone or elsewhere.
    pub(crate) fn forget(&mut self, bodies: &HashSet<u32>) {
        for touch in &mut self.all {
            if touch.bodies.iter().any(|body| bodies.contains(body)) {
                touch.point_count = 0;
            }
        }
    }
}

/// What manifolds are made of.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) placed: &'a Placed,
    pub(crate) states: &'a [BodyState],
    pub(crate) traits: &'a [BodyTraits],
    pub(crate) shapes: &'a Shapes,
    pub(crate) quantum: f32,
}

impl Scene<'_> {
    /// Brings what is known of each pair to now, with the impulses of the same features before; how many have boxes that meet.
    pub(crate) fn touches(self, pairs: &[[u32; 2]], touches: &mut Touches) -> u64 {
        pairs
            .par_chunks(TASK)
            .zip(touches.all.par_chunks_mut(TASK))
            .zip(touches.counts.par_chunks_mut(TASK))
            .map(|((pairs, touches), counts)| vectorised(Task { scene: self, pairs, touches, counts }))
            .sum()
    }

    /// With the impulses of `last`, which may have no points.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn touch<I: Instructions>(self, i: I, [a, b]: [u32; 2], last: &Touch) -> Option<Touch> {
        let [traits_a, traits_b] = [a, b].both(|body| &self.traits[body as usize]);
        let [radius_a, radius_b] =
            [traits_a, traits_b].both(|traits| self.shapes.all[traits.shape as usize].radius);
        let radii = radius_a + radius_b;
        let margin = self.placed.margins[a as usize] + self.placed.margins[b as usize];
        let counts = [traits_a, traits_b].both(|traits| self.shapes.all[traits.shape as usize].vertex_count);
        let radii_of = [radius_a, radius_b];
        let found = match counts {
            [1, 1] => Some(self.discs([a, b], radii_of, margin)),
            [1, _] => Some(self.disc_and_polygon(i, a, b, radii_of, margin).map(Touch::swapped)),
            [_, 1] => Some(self.disc_and_polygon(i, b, a, [radius_b, radius_a], margin)),
            _ => None,
        };
        if let Some(found) = found {
            let mut touch = found?;
            if last.point_count > 0 {
                // There is one point, whatever its feature.
                touch.points[0].normal_impulse = last.points[0].normal_impulse;
                touch.points[0].tangent_impulse = last.points[0].tangent_impulse;
            }
            return Some(touch);
        }
        let (view_a, view_b) = (self.placed.view(a), self.placed.view(b));
        let reach = (margin + radii) / self.quantum;
        let record = match counts[0].max(counts[1]) as usize {
            1..=4 => manifold::record::<Whole, I, 4>(i, view_a, view_b, reach),
            5..=LANES => manifold::record::<Whole, I, LANES>(i, view_a, view_b, reach),
            _ => manifold::record::<Whole, I, 0>(i, view_a, view_b, reach),
        };
        let mut touch = self.touch_of([a, b], &record, [radius_a, radius_b], margin)?;
        if last.point_count > 0 {
            let near = NEAR * traits_a.extent.min(traits_b.extent);
            touch.warm(last, near * near);
        }
        Some(touch)
    }

    /// The way from the centre of mass of a to that of b.
    #[inline(always)]
    fn between(self, [a, b]: [u32; 2]) -> [f32; 2] {
        let [a, b] = [a, b].both(|body| &self.states[body as usize]);
        [0, 1].both(|axis| {
            b.anchor[axis].wrapping_sub(a.anchor[axis]) as f32 * self.quantum
                + (b.offset[axis] - a.offset[axis])
        })
    }

    /// The touch of two discs, whose centres are their centres of mass.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn discs(self, bodies: [u32; 2], [radius_a, radius_b]: [f32; 2], margin: f32) -> Option<Touch> {
        let between = self.between(bodies);
        let square = between[0] * between[0] + between[1] * between[1];
        let reach = radius_a + radius_b + margin;
        if square > reach * reach {
            return None;
        }
        let distance = square.sqrt();
        // One on the other may go any way.
        let normal = if distance > 0.0 { between.both(|x| x / distance) } else { [1.0, 0.0] };
        let separation = distance - radius_a - radius_b;
        let along = radius_a + 0.5 * separation;
        let arm_a = normal.both(|n| n * along);
        let arm_b = [0, 1].both(|axis| arm_a[axis] - between[axis]);
        let point = TouchPoint { arm_a, arm_b, separation, ..TouchPoint::default() };
        Some(Touch { bodies, normal, separation, point_count: 1, points: [point, TouchPoint::default()] })
    }

    /// The touch of a polygon, as the first, with a disc.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn disc_and_polygon<I: Instructions>(
        self,
        i: I,
        disc: u32,
        polygon: u32,
        [disc_radius, polygon_radius]: [f32; 2],
        margin: f32,
    ) -> Option<Touch> {
        let [of_disc, of_polygon] = [disc, polygon].both(|body| &self.states[body as usize]);
        let per_unit = 1.0 / self.quantum;
        let centre = [0, 1].both(|axis| {
            of_disc.anchor[axis].wrapping_sub(of_polygon.anchor[axis]) as f32
                + of_disc.offset[axis] * per_unit
        });
        let (normal, gap) = point_from(i, self.placed.view(polygon), centre);
        let separation = gap * self.quantum - disc_radius - polygon_radius;
        if separation > margin {
            return None;
        }
        // From the centre of the disc back to half way between the two.
        let along = disc_radius + 0.5 * separation;
        let arm_b = normal.both(|n| -n * along);
        let between = self.between([polygon, disc]);
        let arm_a = [0, 1].both(|axis| between[axis] + arm_b[axis]);
        let point = TouchPoint { arm_a, arm_b, separation, ..TouchPoint::default() };
        let bodies = [polygon, disc];
        Some(Touch { bodies, normal, separation, point_count: 1, points: [point, TouchPoint::default()] })
    }

    /// The touch of a manifold of cores, in quanta; none where no point is near enough.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn touch_of(
        self,
        [a, b]: [u32; 2],
        record: &ManifoldRecord,
        [radius_a, radius_b]: [f32; 2],
        margin: f32,
    ) -> Option<Touch> {
        let offset = self.states[a as usize].offset;
        let between = self.between([a, b]);
        let normal = record.normal;
        // The point is half way between the cores; half way between the shapes it is farther along.
        let shift = 0.5 * (radius_a - radius_b);
        let mut touch = Touch { bodies: [a, b], normal, separation: f32::INFINITY, ..Touch::default() };
        for point in &record.points[..(record.edge >> POINT_COUNT_SHIFT & 3) as usize] {
            let separation = point.separation * self.quantum - radius_a - radius_b;
            if separation > margin {
                continue;
            }
            let arm_a =
                [0, 1].both(|axis| point.position[axis] * self.quantum + shift * normal[axis] - offset[axis]);
            touch.points[touch.point_count as usize] = TouchPoint {
                arm_a,
                arm_b: [0, 1].both(|axis| arm_a[axis] - between[axis]),
                separation,
                feature: point.feature,
                ..TouchPoint::default()
            };
            touch.point_count += 1;
            touch.separation = touch.separation.min(separation);
        }
        (touch.point_count > 0).then_some(touch)
    }
}

struct Task<'a> {
    scene: Scene<'a>,
    pairs: &'a [[u32; 2]],
    touches: &'a mut [Touch],
    counts: &'a mut [u8],
}

impl Vectorised for Task<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<I: Instructions>(self, i: I) -> u64 {
        let placed = self.scene.placed;
        let mut meeting = 0;
        for (k, ((&pair, touch), count)) in self.pairs.iter().zip(self.touches).zip(self.counts).enumerate() {
            if let Some(&ahead) = self.pairs.get(k + AHEAD) {
                prefetch(placed.small(ahead[1]));
            }
            let [a, b] = pair.both(|body| placed.boxes[body as usize]);
            let found = if a.meets(b) {
                meeting += 1;
                self.scene.touch(i, pair, touch)
            } else {
                None
            };
            match found {
                Some(found) => *touch = found,
                None => touch.point_count = 0,
            }
            *count = touch.point_count as u8;
        }
        meeting
    }
}
