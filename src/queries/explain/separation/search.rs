//! Uses a best-first search to find the point nearest to the origin that is not in the interior of any of the given
//! Minkowski sums.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::iter;

use glam::DVec2;

use super::moved::Moved;
use super::sums::{Side, Sum, covered};
use super::{SLACK, TOLERANCE};
use crate::answers::results::Relation;
use crate::base::error::Result;
use crate::base::sorting::compared_by_order;
use crate::queries::explain::dyadic;
use crate::queries::explain::objects::share;

/// A search gives up after this many clips. One clip compares an edge with one edge of another sum.
const MOST_CLIPS: usize = 1 << 23;
/// The search counts its work in clips. Comparing this many pairs of boxes takes as much time as one clip, and counts
/// as one clip.
const BOXES_A_CLIP: usize = 8;
/// A search gives up after it has tried this many points. At each point it computes the exact relation of the objects.
const MOST_POINTS: usize = 512;
/// Near each tested point, the search tries at most this many translations that bring a vertex exactly onto an edge.
const MOST_CONTACTS: usize = 2;
/// The spacing of coordinates with few bits, as a fraction of the size of the pair of objects.
#[cfg(not(target_family = "wasm"))]
const FEW_BITS: f64 = 1.0 / (1u64 << 24) as f64;
/// The length of the first step along an edge, as a fraction of the edge. If the objects still overlap at the first
/// point of a part of the edge, the search steps along the part to its next points.
const FIRST_TRIM: f64 = 1.0 / (1u64 << 40) as f64;
/// The factor by which each step along a part of an edge is longer than the step before it.
const TRIM_GROWTH: f64 = 4.0;

pub(super) enum Found {
    Translation(DVec2),
    /// The search found no translation: after every translation whose length is at most `Search::radius`, the objects
    /// overlap.
    Nothing,
    TooMuchWork,
}

pub(super) struct Search<'a> {
    sums: &'a [Sum],
    radius: f64,
    size: f64,
    queue: BinaryHeap<Entry>,
    clips: usize,
}

/// An entry of the queue, ordered by its distance from the origin.
struct Entry {
    distance: f64,
    /// The length of the queue when the entry was added. It decides the order of entries with equal distances.
    number: usize,
    item: Item,
}

enum Item {
    /// An edge of a Minkowski sum: the index of the sum, and the index of the edge in the sum.
    Edge(usize, usize),
    Point(Point),
}

/// A translation that the search tests: a point on an edge of a sum. The point belongs to a part of the edge that no
/// other sum covers. The first tested point of each part is the point nearest to the origin.
struct Point {
    sum: usize,
    edge: usize,
    share: f64,
    /// The end of the part toward which the search steps, as a position on the edge.
    end: f64,
    /// The normal of the other sum's edge, if the part ends at this point because another sum begins there. Otherwise `None`.
    corner: Option<DVec2>,
    trim: f64,
}

impl<'a> Search<'a> {
    pub(super) fn new(sums: &'a [Sum], radius: f64, size: f64) -> Self {
        Self { sums, radius, size, queue: BinaryHeap::new(), clips: 0 }
    }

    pub(super) fn run(mut self, moved: &Moved<'_>) -> Result<Found> {
        for (i, sum) in self.sums.iter().enumerate() {
            for (k, side) in sum.sides.iter().enumerate() {
                let distance = side.at(side.nearest_share().clamp(0.0, 1.0)).length();
                self.push(distance, Item::Edge(i, k));
            }
        }
        let mut points = 0;
        while let Some(Entry { distance, item, .. }) = self.queue.pop() {
            match item {
                Item::Edge(sum, edge) => {
                    self.split(sum, edge);
                    if self.clips > MOST_CLIPS {
                        return Ok(Found::TooMuchWork);
                    }
                }
                Item::Point(point) => {
                    points += 1;
                    if points > MOST_POINTS {
                        return Ok(Found::TooMuchWork);
                    }
                    if let Some(way) = self.outside(&point, distance, moved)? {
                        return Ok(Found::Translation(way));
                    }
                    self.push_next(&point);
                }
            }
        }
        Ok(Found::Nothing)
    }

    fn push(&mut self, distance: f64, item: Item) {
        if distance <= self.radius {
            self.queue.push(Entry { distance, number: self.queue.len(), item });
        }
    }

    /// Finds the parts of an edge that no other sum covers, and queues the nearest point of each part.
    fn split(&mut self, sum: usize, edge: usize) {
        let sums = self.sums;
        let side = &sums[sum].sides[edge];
        let around = side.aabb();
        let mut parts = Vec::new();
        self.clips += sums.len() / BOXES_A_CLIP;
        for (i, other) in sums.iter().enumerate() {
            if i != sum && other.aabb.meets(around) {
                self.clips += other.sides.len();
                parts.extend(covered(side, other, self.size * TOLERANCE));
            }
        }
        crate::base::sorting::sort_by(&mut parts, |p, q| p.shares[0].total_cmp(&q.shares[0]));
        let (mut from, mut at_from) = (0.0, None);
        for part in &parts {
            if part.shares[0] >= from && (part.shares[0] > 0.0 || part.normals[0].is_some()) {
                self.push_part(sum, edge, [from, part.shares[0]], [at_from, part.normals[0]]);
            }
            if part.shares[1] > from {
                (from, at_from) = (part.shares[1], part.normals[1]);
            }
        }
        if from < 1.0 || at_from.is_some() {
            self.push_part(sum, edge, [from, 1.0], [at_from, None]);
        }
    }

    fn push_part(&mut self, sum: usize, edge: usize, part: [f64; 2], corners: [Option<DVec2>; 2]) {
        let side = &self.sums[sum].sides[edge];
        let nearest = side.nearest_share();
        let (share, end, corner) = if nearest <= part[0] {
            (part[0], part[1], corners[0])
        } else if nearest >= part[1] {
            (part[1], part[0], corners[1])
        } else {
            (nearest, nearest, None)
        };
        let point = Point { sum, edge, share, end, corner, trim: FIRST_TRIM };
        self.push(side.at(share).length(), Item::Point(point));
    }

    /// Queues the point after `point` on the same part of its edge, if the part has another point. Called if the
    /// objects overlap after the translation to `point`.
    fn push_next(&mut self, point: &Point) {
        let step = (point.end - point.share).clamp(-point.trim, point.trim);
        if step == 0.0 {
            return;
        }
        let share = point.share + step;
        let next = Point { share, corner: None, trim: point.trim * TRIM_GROWTH, ..*point };
        self.push(self.sums[point.sum].sides[point.edge].at(share).length(), Item::Point(next));
    }

    /// Returns a translation near a point after which the objects do not overlap, or `None` if the function finds no
    /// such translation. Returns the errors of [`Moved::after`].
    ///
    /// `distance` is the distance of the point from the origin. The translation is longer than `distance` by at most
    /// [`SLACK`] times the size of the pair.
    fn outside(&self, point: &Point, distance: f64, moved: &Moved<'_>) -> Result<Option<DVec2>> {
        let side = &self.sums[point.sum].sides[point.edge];
        let at = side.at(point.share);
        let mut free = None;
        let is_near = |way: &DVec2| way.length() <= distance + self.size * TOLERANCE;
        let near = contacts(side, at).filter(is_near);
        for way in iter::once(at).chain(near) {
            match moved.after(way)? {
                Relation::Touching => return Ok(Some(way)),
                Relation::Disjoint if free.is_none() => free = Some(way),
                _ => {}
            }
        }
        // WebAssembly leaves out this step, because its code would make a page load more slowly.
        #[cfg(not(target_family = "wasm"))]
        if let Some(way) = self.with_few_bits(at).filter(is_near)
            && moved.after(way)? != Relation::Overlapping
        {
            return Ok(Some(way));
        }
        let outward = outward(side.normal, point.corner);
        let mut step = self.size * f64::EPSILON * 0.25;
        while free.is_none() && step <= self.size * SLACK {
            let way = at + outward * step;
            if way.length() > distance + self.size * SLACK {
                break;
            }
            if moved.after(way)? != Relation::Overlapping {
                free = Some(way);
            }
            step *= 4.0;
        }
        Ok(free)
    }
}

#[cfg(not(target_family = "wasm"))]
impl Search<'_> {
    /// Rounds `at` to a translation whose coordinates have few bits. Returns `None` if this moves `at` by more than the
    /// rounding error of the search. The rounding matters if A fits a gap of B exactly, because then only one
    /// translation frees A. A translation with few bits usually has this exact value.
    fn with_few_bits(&self, at: DVec2) -> Option<DVec2> {
        const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;
        // The greatest power of two that is at most the size.
        let power = f64::from_bits(self.size.to_bits() >> MANTISSA_BITS << MANTISSA_BITS);
        let grid = power * FEW_BITS;
        let near = DVec2::new((at.x / grid).round_ties_even(), (at.y / grid).round_ties_even()) * grid;
        ((near - at).abs().max_element() <= self.size * TOLERANCE).then_some(near)
    }
}

/// Returns translations near `at`, a point of the edge `side` of a sum. Each translation puts a vertex of one object
/// exactly on the line of an edge of the other object, without rounding.
fn contacts(side: &Side, at: DVec2) -> impl Iterator<Item = DVec2> {
    let contact = &side.contact;
    let (edge, vertex, edge_moves) = (contact.edge, contact.vertex, contact.edge_moves);
    let on_edge = if edge_moves { vertex - at } else { vertex + at };
    let points = dyadic::near(edge, share(on_edge, edge)).take(MOST_CONTACTS);
    points.map(move |point| if edge_moves { vertex - point } else { point - vertex })
}

/// Returns a vector that leads away from both edges of a corner: a step along the vector increases the distance from
/// each edge by 1. If `corner` is `None` or the edges are parallel, returns the normal.
fn outward(normal: DVec2, corner: Option<DVec2>) -> DVec2 {
    let Some(other) = corner else { return normal };
    let area = normal.perp_dot(other);
    let both = -(other - normal).perp() / area;
    if both.is_finite() { both } else { normal }
}

impl Ord for Entry {
    /// Reverses the order of distances, so that the heap returns the nearest entry first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then(other.number.cmp(&self.number))
    }
}

compared_by_order!(Entry);
