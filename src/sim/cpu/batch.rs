//! Computes the touches of several pairs of small polygons at once. Each stage works on all pairs of a batch, so the
//! processor overlaps the work on several pairs. The touches have the same bits as the touches that [`Scene::touch`]
//! computes one by one.

#[cfg(all(test, feature = "scenes"))]
mod tests;

use super::super::bodies::BodyState;
use super::place::Placed;
use super::sweep::PathBounds;
use super::touch::{Scene, Touch, TouchPoint};
use crate::kernels::cpu::figures::clips::{
    Clips, Edges, greatest_gap, is_over_edge, opposed_edge, unit_normals,
};
use crate::packed::layout::{CONTACT_INDEX_BITS, EDGE_IN_A, EDGE_IN_B};
use crate::packed::records::{LANES, Small};
use crate::simd::{FORMS, Instructions, Lanes, Vectorised, lesser, prefetch};

/// The greatest number of pairs in one parallel task.
pub(super) const TASK: usize = 1024;
/// The number of pairs in a batch. It is so small that the data of two batches fits in the level-1 data cache.
const BATCH: usize = 32;

/// The work of one task: it updates the touches of consecutive pairs of a step.
pub(super) struct Task<'a> {
    pub(super) scene: Scene<'a>,
    pub(super) pairs: &'a [[u32; 2]],
    pub(super) touches: &'a mut [Touch],
    /// The number of points of each touch. It is 0 if the pair has no contact.
    pub(super) counts: &'a mut [u8],
}

impl Vectorised for Task<'_> {
    /// The number of pairs of the task whose boxes meet.
    type Output = u64;

    #[inline(always)]
    fn run<I: Instructions>(mut self, i: I) -> u64 {
        let (list, length) = self.meeting();
        let list = &list[..length];
        // In a browser, one variant serves all pairs, so the browser loads less code.
        if !FORMS {
            list.iter().for_each(|&k| self.one(i, k as usize));
            return length as u64;
        }
        let mut batch = Batch::new();
        for start in (0..length).step_by(BATCH) {
            let (now, ahead) = list[start..].split_at(BATCH.min(length - start));
            let found = batch.find(i, &mut self, now, ahead);
            batch.touch(i, &mut self, found.near);
            for at in 0..found.others {
                self.one(i, batch.others[at] as usize);
            }
        }
        length as u64
    }
}

impl Task<'_> {
    /// Returns the indices of the pairs whose boxes meet, and the number of these indices. Sets the point counts of all
    /// other pairs to 0. The loop has no branch that depends on a pair, because the processor would often mispredict
    /// it.
    #[inline(always)]
    fn meeting(&mut self) -> ([u16; TASK], usize) {
        let boxes = &self.scene.placed.boxes;
        let (mut list, mut length) = ([0u16; TASK], 0);
        for (k, (&pair, count)) in self.pairs.iter().zip(&mut *self.counts).enumerate() {
            let [a, b] = [boxes[pair[0] as usize], boxes[pair[1] as usize]];
            let meet =
                (a.min.x <= b.max.x) & (b.min.x <= a.max.x) & (a.min.y <= b.max.y) & (b.min.y <= a.max.y);
            *count *= u8::from(meet);
            list[length & (TASK - 1)] = k as u16;
            length += usize::from(meet);
        }
        (list, length)
    }

    /// Prefetches the second body of pair `k` and the touch of the pair. The first body needs no prefetch, because it
    /// is usually also the first body of the previous pair.
    #[inline(always)]
    fn prefetch(&self, k: usize) {
        let body = self.pairs[k][1];
        prefetch(self.scene.placed.small(body));
        prefetch(&self.scene.placed.paths[body as usize]);
        prefetch(&self.scene.states[body as usize]);
        prefetch(&self.touches[k]);
    }

    /// Updates the touch of pair `k` without a batch.
    #[inline(always)]
    fn one<I: Instructions>(&mut self, i: I, k: usize) {
        let (scene, bodies) = (self.scene, self.pairs[k]);
        let (touch, count) = (&mut self.touches[k], &mut self.counts[k]);
        if bodies.iter().all(|&body| scene.placed.small(body).head.vertex_count == 1) {
            let found = scene.discs(bodies);
            if let Some((normal, point)) = found {
                touch.become_point(bodies, normal, point, *count > 0);
            }
            *count = u8::from(found.is_some());
            return;
        }
        let last = (*count > 0).then_some(&*touch);
        let found = scene.touch(i, bodies, last);
        *count = found.map_or(0, |found| found.point_count as u8);
        if let Some(found) = found {
            *touch = found;
        }
    }
}

/// A pair of small polygons whose separation (the greatest gap over all edges) is at most the contact margin.
#[derive(Clone, Copy, Default)]
struct Near {
    /// The index of the pair among the pairs of the task.
    pair: u16,
    /// The index of the reference edge in its polygon. The polygon belongs to the second body if `of_b` is set, and to
    /// the first body otherwise.
    edge: u8,
    of_b: bool,
    /// The index of the incident edge: the edge of the other body whose normal is most opposed to the normal of the
    /// reference edge.
    incident: u8,
}

/// One f32 for each pair of a batch.
type Column = [f32; BATCH];

/// The input of the clipping for the near pairs of a batch. A field with two coordinates has two columns, one for each
/// coordinate.
#[derive(Clone, Copy)]
struct Columns {
    normal: [Column; 2],
    start: [Column; 2],
    end: [Column; 2],
    incident: [[Column; 2]; 2],
    /// The vector from the anchor of the polygon with the reference edge to the anchor of the polygon with the incident
    /// edge.
    to_incident: [Column; 2],
    /// The vector from the anchor of the first body to the anchor of the polygon with the reference edge.
    from_a: [Column; 2],
    /// 1 if the reference edge is an edge of the first body, and -1 otherwise.
    sign: Column,
    /// The vector from the anchor of the first body to its centre of mass.
    offset: [Column; 2],
    /// The vector from the centre of mass of the first body to the centre of mass of the second body.
    between: [Column; 2],
    radii: [Column; 2],
    margin: Column,
    reach: Column,
}

/// The pairs of a batch: the near pairs with their columns, and the pairs that need [`Task::one`].
struct Batch {
    near: [Near; BATCH],
    columns: Columns,
    /// The indices of the pairs that [`Task::one`] must compute, among the pairs of the task.
    others: [u16; BATCH],
}

/// The number of near pairs in a batch, and the number of pairs that [`Task::one`] must compute.
struct Counts {
    near: usize,
    others: usize,
}

/// The touches of eight pairs. Each array has one entry for each pair.
struct Found {
    normal: [[f32; LANES]; 2],
    separations: [[f32; LANES]; 2],
    arms: [[[[f32; LANES]; 2]; 2]; 2],
    is_single: u32,
    is_at_start: u32,
    cuts: [u32; 2],
    has: [u32; 2],
}

impl Batch {
    fn new() -> Self {
        let zeros = [0.0; BATCH];
        let two = [zeros; 2];
        let columns = Columns {
            normal: two,
            start: two,
            end: two,
            incident: [two; 2],
            to_incident: two,
            from_a: two,
            sign: zeros,
            offset: two,
            between: two,
            radii: two,
            margin: zeros,
            reach: zeros,
        };
        Self { near: [Near::default(); BATCH], columns, others: [0; BATCH] }
    }
}

/// Two bodies have a contact if their gap is at most a limit. Returns the limit for the gap between the bodies, in the
/// caller's unit, and the limit for the gap between their cores, in quanta.
#[inline(always)]
fn margins(scene: Scene<'_>, [a, b]: [&PathBounds; 2]) -> [f32; 2] {
    let margin = a.margin + b.margin;
    [margin, (margin + a.radius + b.radius) / scene.placing.quantum]
}

impl Placed {
    #[inline(always)]
    fn smalls(&self, [a, b]: [u32; 2]) -> [&Small; 2] {
        [self.small(a), self.small(b)]
    }

    #[inline(always)]
    pub(super) fn bounds(&self, [a, b]: [u32; 2]) -> [&PathBounds; 2] {
        [&self.paths[a as usize], &self.paths[b as usize]]
    }
}

impl Batch {
    /// Divides the pairs of `list`. Stores in `others` the pairs that [`Batch::touch`] cannot compute. Puts the other
    /// pairs whose separation is at most the contact margin into the batch, and sets the point counts of the pairs with
    /// a greater separation to 0. Prefetches the first pairs of `ahead`, which has the next pairs of the task.
    #[inline(always)]
    fn find<I: Instructions>(&mut self, i: I, task: &mut Task<'_>, list: &[u16], ahead: &[u16]) -> Counts {
        let scene = task.scene;
        let (mut near, mut others) = (0, 0);
        for (at, &k) in list.iter().enumerate() {
            if let Some(&ahead) = ahead.get(at) {
                task.prefetch(ahead as usize);
            }
            let bodies = task.pairs[k as usize];
            let [a, b] = scene.placed.smalls(bodies);
            let [of_a, of_b] = [a.head.vertex_count, b.head.vertex_count];
            if of_a.min(of_b) < 2 || of_a.max(of_b) > LANES as u32 {
                self.others[others & (BATCH - 1)] = k;
                others += 1;
                continue;
            }
            let best = greatest_gap(i, a, b);
            let [_, reach] = margins(scene, scene.placed.bounds(bodies));
            let is_near = best.separation <= reach;
            // Two segments on one line may be disjoint although no edge has a gap.
            let is_over_edge =
                if best.separation > 0.0 { is_over_edge(i, a, b, &best) } else { of_a.max(of_b) > 2 };
            if is_near && !is_over_edge {
                self.others[others & (BATCH - 1)] = k;
                others += 1;
                continue;
            }
            let edge = best.edge as u8;
            self.near[near & (BATCH - 1)] = Near { pair: k, edge, of_b: best.of_b, incident: 0 };
            near += usize::from(is_near);
            task.counts[k as usize] *= u8::from(is_near);
        }
        Counts { near, others }
    }

    /// Computes the touches of the first `count` near pairs of the batch. [`Batch::find`] has put these pairs into the
    /// batch.
    #[inline(always)]
    fn touch<I: Instructions>(&mut self, i: I, task: &mut Task<'_>, count: usize) {
        let Task { scene, pairs, touches, counts } = task;
        let scene = *scene;
        let near = &mut self.near[..count];
        let columns = &mut self.columns;
        for (row, near) in near.iter().enumerate() {
            columns.gather_reference(scene, pairs[near.pair as usize], near, row);
        }
        for first in (0..near.len()).step_by(LANES) {
            columns.find_normals(i, first);
        }
        for (row, near) in near.iter_mut().enumerate() {
            columns.gather_incident(i, scene.placed.smalls(pairs[near.pair as usize]), near, row);
        }
        for (group, near) in near.chunks(LANES).enumerate() {
            let found = columns.clip(i, scene, group * LANES);
            for (lane, near) in near.iter().enumerate() {
                let k = near.pair as usize;
                let (bodies, last) = (pairs[k], (counts[k] > 0).then_some(&touches[k]));
                let touch = found
                    .touch(lane, bodies, scene.placed.smalls(bodies), near)
                    .and_then(|first| scene.approached(i, first, last));
                counts[k] = touch.map_or(0, |touch| touch.point_count as u8);
                if let Some(touch) = touch {
                    touches[k] = touch;
                }
            }
        }
    }
}

impl Columns {
    #[inline(always)]
    fn gather_reference(&mut self, scene: Scene<'_>, bodies: [u32; 2], near: &Near, row: usize) {
        let [a, b] = scene.placed.smalls(bodies);
        let bounds = scene.placed.bounds(bodies);
        let [state_a, state_b]: [&BodyState; 2] = bodies.map(|body| &scene.states[body as usize]);
        let reference = if near.of_b { b } else { a };
        let k = (near.edge as usize).min(LANES - 1);
        for (axis, vertices) in [&reference.x, &reference.y].into_iter().enumerate() {
            self.start[axis][row] = vertices[k];
            self.end[axis][row] = vertices[k + 1];
            let o = (b.head.anchor[axis] - a.head.anchor[axis]) as f32;
            self.to_incident[axis][row] = if near.of_b { -o } else { o };
            self.from_a[axis][row] = if near.of_b { o } else { 0.0 };
            self.offset[axis][row] = state_a.offset[axis];
        }
        let between = scene.between(state_a, state_b);
        (self.between[0][row], self.between[1][row]) = (between[0], between[1]);
        self.sign[row] = if near.of_b { -1.0 } else { 1.0 };
        (self.radii[0][row], self.radii[1][row]) = (bounds[0].radius, bounds[1].radius);
        [self.margin[row], self.reach[row]] = margins(scene, bounds);
    }

    #[inline(always)]
    fn find_normals<I: Instructions>(&mut self, i: I, first: usize) {
        let normals = unit_normals(pair(i, &self.start, first), pair(i, &self.end, first));
        for (to, normals) in self.normal.iter_mut().zip(normals) {
            to[first..first + LANES].copy_from_slice(&normals.to_array());
        }
    }

    #[inline(always)]
    fn gather_incident<I: Instructions>(&mut self, i: I, [a, b]: [&Small; 2], near: &mut Near, row: usize) {
        let incident = if near.of_b { a } else { b };
        let m = opposed_edge(i, incident, [self.normal[0][row], self.normal[1][row]]).min(LANES - 1);
        near.incident = m as u8;
        for (axis, vertices) in [&incident.x, &incident.y].into_iter().enumerate() {
            self.incident[0][axis][row] = vertices[m];
            self.incident[1][axis][row] = vertices[m + 1];
        }
    }

    /// Clips the incident edges of eight pairs, and converts the contact points to the caller's unit.
    #[inline(always)]
    fn clip<I: Instructions>(&self, i: I, scene: Scene<'_>, first: usize) -> Found {
        let normal = pair(i, &self.normal, first);
        let edges = Edges {
            normal,
            start: pair(i, &self.start, first),
            end: pair(i, &self.end, first),
            incident: [pair(i, &self.incident[0], first), pair(i, &self.incident[1], first)],
            offset: pair(i, &self.to_incident, first),
        };
        let clips = Clips::new(i, &edges);
        let sign = i.load(&self.sign, first);
        let normal = [normal[0].mul(sign), normal[1].mul(sign)];
        let [radius_a, radius_b] = pair(i, &self.radii, first);
        // The point of a clip is half-way between the cores. The shift moves it half-way between the shapes.
        let shift = i.splat(0.5).mul(radius_a.sub(radius_b));
        let shift = [shift.mul(normal[0]), shift.mul(normal[1])];
        let quantum = i.splat(scene.placing.quantum);
        let (from_a, offset) = (pair(i, &self.from_a, first), pair(i, &self.offset, first));
        let between = pair(i, &self.between, first);
        let (margin, reach) = (i.load(&self.margin, first), i.load(&self.reach, first));
        let mut found = Found {
            normal: [normal[0].to_array(), normal[1].to_array()],
            separations: [[0.0; LANES]; 2],
            arms: [[[[0.0; LANES]; 2]; 2]; 2],
            is_single: clips.is_single,
            is_at_start: clips.is_at_start,
            cuts: [clips.cuts_first, clips.cuts_last],
            has: [0; 2],
        };
        for point in 0..2 {
            let gap = clips.gaps[point];
            let separation = gap.mul(quantum).sub(radius_a).sub(radius_b);
            found.separations[point] = separation.to_array();
            found.has[point] = reach.at_least(gap) & margin.at_least(separation);
            for axis in 0..2 {
                let position = clips.positions[point][axis].add(from_a[axis]);
                let arm = position.mul(quantum).add(shift[axis]).sub(offset[axis]);
                found.arms[point][0][axis] = arm.to_array();
                found.arms[point][1][axis] = arm.sub(between[axis]).to_array();
            }
        }
        found
    }
}

impl Found {
    /// Returns the touch of the pair in lane `lane`, or `None` if the gap at every point is greater than the contact
    /// margin.
    #[inline(always)]
    fn touch(&self, lane: usize, bodies: [u32; 2], [a, b]: [&Small; 2], near: &Near) -> Option<Touch> {
        let lane = lane & (LANES - 1);
        let is = |bits: u32| bits >> lane & 1 != 0;
        let has = self.has.map(is);
        if !has[0] && !has[1] {
            return None;
        }
        let (reference, incident) = if near.of_b { (b, a) } else { (a, b) };
        let (k, m) = (u32::from(near.edge), u32::from(near.incident));
        let next = |j: u32, polygon: &Small| if j + 1 == polygon.head.vertex_count { 0 } else { j + 1 };
        let (k_next, m_next) = (next(k, reference), next(m, incident));
        let is_single = is(self.is_single);
        let cuts = [!is_single && is(self.cuts[0]), !is_single && is(self.cuts[1])];
        let is_at_start = if is_single { is(self.is_at_start) } else { cuts[0] };
        let feature = |of_reference: u32, of_incident: u32, cuts: bool| {
            let (a, b) = if near.of_b { (of_incident, of_reference) } else { (of_reference, of_incident) };
            let flag = if cuts != near.of_b { EDGE_IN_B } else { EDGE_IN_A };
            a | b << CONTACT_INDEX_BITS | flag
        };
        let features = [
            feature(k, if is_at_start { m } else { m_next }, cuts[0]),
            feature(if cuts[1] { k_next } else { k }, m, cuts[1]),
        ];
        let point = |k: usize| {
            let arm = |side: usize| [self.arms[k][side][0][lane], self.arms[k][side][1][lane]];
            TouchPoint {
                arm_a: arm(0),
                arm_b: arm(1),
                separation: self.separations[k][lane],
                feature: features[k],
                ..TouchPoint::default()
            }
        };
        let both = has[0] && has[1];
        let first = if has[0] { point(0) } else { point(1) };
        let second = if both { point(1) } else { TouchPoint::default() };
        Some(Touch {
            bodies,
            normal: [self.normal[0][lane], self.normal[1][lane]],
            separation: if both { lesser(first.separation, second.separation) } else { first.separation },
            point_count: 1 + u32::from(both),
            points: [first, second],
        })
    }
}

#[inline(always)]
fn pair<I: Instructions>(i: I, of: &[Column; 2], first: usize) -> [I::Lanes; 2] {
    [i.load(&of[0], first), i.load(&of[1], first)]
}
