//! The area that two convex pieces have in common, and the area of a piece, in f64 from the given coordinates.
//!
//! First, f64 arithmetic clips the smaller piece by the edges of the larger piece, and bounds the error ([`clip`]). If
//! the bound is too large, the same code runs with twice the bits of f64 ([`number`]). If the bound is still too large,
//! integers compute the area ([`exact`]). The result depends only on the two pieces and on their share of the error,
//! and not on the order of the pieces.

mod clip;
mod exact;
mod number;
mod parts;
#[cfg(all(test, feature = "scenes"))]
mod tests;
mod whole;

use std::cmp::Ordering;

use glam::DVec2;

pub(crate) use self::parts::overlapping_objects;
pub(crate) use self::whole::{ObjectArea, object_areas, piece_area};

use self::clip::{Bounded, Local, Point};
use self::number::{Double, Real};
use crate::answers::results::Relation;
use crate::base::parallel::prelude::*;
use crate::geometry::{Aabb, Piece, PolygonSet, Pose, posed_image};
use crate::kernels::faults::{Fault, Kernel, has};

/// The maximum error of a computed common area, as a fraction of the sum of the common area and the area of the smaller
/// piece. This fraction is a little less than 2^-45. The common area is at most the area of the smaller piece, so the error
/// is less than 2^-44 of the area of the smaller piece.
const BOUND: f64 = 0.99 / (1u64 << 45) as f64;
/// The maximum error of a coordinate of a posed vertex in the arithmetic of [`Double`]. The coordinate is a sum of four
/// terms: two products, the translation and the origin. The error is a fraction of the sum of the magnitudes of these
/// terms.
const NOISE: f64 = 8.0 * Double::UNIT;

/// The memory that clipping needs. All pairs of a task reuse it.
#[derive(Default)]
pub(crate) struct Clipper {
    simple: Room<f64>,
    double: Room<Double>,
}

struct Room<R> {
    subject: Vec<Point<R>>,
    edges: Vec<[Point<R>; 2]>,
    spare: Vec<Point<R>>,
    sides: Vec<R>,
}

impl<R> Default for Room<R> {
    fn default() -> Self {
        Self { subject: Vec::new(), edges: Vec::new(), spare: Vec::new(), sides: Vec::new() }
    }
}

impl<R: Real> Room<R> {
    #[inline(always)]
    fn clip(&mut self, noise: f64) -> Bounded {
        let Self { subject, edges, spare, sides } = self;
        Local { subject, edges, spare, sides, noise }.area()
    }
}

/// A convex piece, and the box around the piece's shape.
#[derive(Clone, Copy)]
pub(crate) struct Boxed<'a> {
    piece: Piece<'a>,
    shape_box: Aabb,
}

impl<'a> Boxed<'a> {
    #[inline]
    pub(crate) fn of(set: &'a PolygonSet, piece: usize) -> Self {
        Self { piece: set.piece(piece), shape_box: set.shape_aabb(set.piece_shape(piece)) }
    }

    fn box_area(&self) -> f64 {
        let size = self.shape_box.max - self.shape_box.min;
        size.x * size.y
    }

    /// Compares two pieces. The resulting order does not depend on which of the two pieces is A. Pieces that compare
    /// equal have the same area.
    fn order(&self, other: &Self) -> Ordering {
        let pose = |pose: Pose| [pose.cos(), pose.sin(), pose.translation().x, pose.translation().y];
        let by_size = self.box_area().total_cmp(&other.box_area());
        let by_count = || self.piece.vertices.len().cmp(&other.piece.vertices.len());
        by_size.then_with(by_count).then_with(|| {
            let vertices = self.piece.vertices.iter().zip(other.piece.vertices);
            let coordinates = vertices.flat_map(|(v, w)| [(v.x, w.x), (v.y, w.y)]);
            let poses = pose(self.piece.pose).into_iter().zip(pose(other.piece.pose));
            let mut orders = coordinates.chain(poses).map(|(one, other)| one.total_cmp(&other));
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        })
    }
}

impl Clipper {
    /// Returns the area that two overlapping pieces have in common, which is above 0. The error is at most 2^-45 of
    /// this area, plus `share` times 2^-45 of the area of the piece with the smaller box. `share` is at most 1. Objects
    /// with several pieces divide the allowed error among their pairs of pieces, so each pair has a share below 1. If
    /// `share` is 1, the error is at most 2^-44 of the area of the piece with the smaller box.
    pub(crate) fn overlap(&mut self, a: Boxed<'_>, b: Boxed<'_>, share: f64) -> f64 {
        let (subject, clip) = if a.order(&b).is_le() { (a, b) } else { (b, a) };
        let is_static = [subject, clip].iter().all(|boxed| boxed.piece.pose == Pose::IDENTITY);
        let area = if is_static {
            self.of_static(subject, clip, share)
        } else {
            self.of_posed(subject.piece, clip.piece, share)
        };
        area.max(f64::MIN_POSITIVE)
    }

    fn of_static(&mut self, subject: Boxed<'_>, clip: Boxed<'_>, share: f64) -> f64 {
        let (subject, clip) = (subject.piece, clip.piece);
        let origin = subject.vertices[0];
        let room = &mut self.simple;
        room.subject.clear();
        room.subject.extend(subject.vertices.iter().map(|&v| (v - origin).to_array()));
        room.edges.clear();
        room.edges.extend(edges(clip.vertices).map(|(p, q)| [(p - origin).to_array(), (q - p).to_array()]));
        if let Some(area) = accepted(room.clip(0.0), share, f64::INFINITY) {
            return area;
        }
        let vector = |to: DVec2, from: DVec2| [0, 1].map(|axis| Double::difference(to[axis], from[axis]));
        let room = &mut self.double;
        room.subject.clear();
        room.subject.extend(subject.vertices.iter().map(|&v| vector(v, origin)));
        room.edges.clear();
        room.edges.extend(edges(clip.vertices).map(|(p, q)| [vector(p, origin), vector(q, p)]));
        accepted(room.clip(0.0), share, f64::INFINITY).unwrap_or_else(|| exact::intersection(subject, clip))
    }

    fn of_posed(&mut self, subject: Piece<'_>, clip: Piece<'_>, share: f64) -> f64 {
        let origin = subject.pose.apply(subject.vertices[0]);
        let mut noise = 0.0f64;
        let mut images = |piece: Piece<'_>| -> Vec<Point<Double>> {
            piece.vertices.iter().map(|&v| image(piece.pose, v, origin, &mut noise)).collect()
        };
        let (subject_images, clip_images) = (images(subject), images(clip));
        // The area of the smaller of the two boxes.
        let smaller_box = box_area(&subject_images).min(box_area(&clip_images));
        let head = |point: Point<Double>| point.map(Double::head);
        let vector = |to: Point<Double>, from: Point<Double>| [0, 1].map(|axis| to[axis].minus(from[axis]));
        let count = clip_images.len();
        let lines =
            || (0..count).map(|k| (clip_images[k], clip_images[if k + 1 == count { 0 } else { k + 1 }]));
        let room = &mut self.simple;
        room.subject.clear();
        room.subject.extend(subject_images.iter().map(|&v| head(v)));
        room.edges.clear();
        room.edges.extend(lines().map(|(p, q)| [head(p), head(vector(q, p))]));
        if let Some(area) = accepted(room.clip(noise), share, smaller_box) {
            return area;
        }
        let room = &mut self.double;
        room.edges.clear();
        room.edges.extend(lines().map(|(p, q)| [p, vector(q, p)]));
        room.subject = subject_images;
        accepted(room.clip(noise), share, smaller_box).unwrap_or_else(|| exact::intersection(subject, clip))
    }
}

/// Returns the area, or `None` if its error exceeds the bound. `share` is this pair's part of the error that its
/// objects may have ([`Clipper::overlap`]). `most` is an upper bound on the area of the smaller of the two pieces.
#[inline(always)]
fn accepted(Bounded { area, error, subject }: Bounded, share: f64, most: f64) -> Option<f64> {
    if has(Kernel::Areas, Fault::NoErrors) {
        return Some(area);
    }
    // If the area or its error is NaN, the comparison below is false, so the area is not accepted.
    let smaller = subject.min(most);
    // If two objects have only one pair of pieces, this pair may have the whole error.
    let measure = if share == 1.0 { 2.0 * smaller } else { share * smaller + area };
    (error <= BOUND * measure).then_some(area)
}

fn edges(ring: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> {
    let next = ring[1..].iter().chain(&ring[..1]);
    ring.iter().copied().zip(next.copied())
}

/// Returns a posed vertex, relative to `origin`. Increases `noise` so that it is at least the error of each coordinate.
fn image(pose: Pose, v: DVec2, origin: DVec2, noise: &mut f64) -> Point<Double> {
    let [cos, sin, way] = [pose.cos(), pose.sin(), 1.0];
    let at = |[by_x, by_y]: [f64; 2], axis: usize| {
        let (to, from) = (pose.translation()[axis] * way, origin[axis]);
        let magnitude = (by_x * v.x).abs() + (by_y * v.y).abs() + to.abs() + from.abs();
        let rotated = Double::product(by_x, v.x).plus(Double::product(by_y, v.y));
        (rotated.plus(Double::difference(to, from)), magnitude * NOISE)
    };
    let ((x, noise_x), (y, noise_y)) = (at([cos, -sin], 0), at([sin, cos], 1));
    *noise = noise.max(noise_x).max(noise_y);
    [x, y]
}

/// Returns the area of the bounding box of `points`.
fn box_area(points: &[Point<Double>]) -> f64 {
    let side = |axis: usize| {
        let values = || points.iter().map(|point| point[axis].head());
        values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
    };
    side(0) * side(1)
}

/// Returns whether two convex pieces have the same region.
pub(crate) fn is_same_region(a: Piece<'_>, b: Piece<'_>) -> bool {
    fn is_rotated<P: PartialEq>(a: &[P], b: &[P]) -> bool {
        let count = a.len();
        // Vertices of convex pieces are proper corners, so equal regions have the same vertices.
        count == b.len()
            && (0..count).any(|shift| a[0] == b[shift] && (1..count).all(|k| a[k] == b[(k + shift) % count]))
    }
    if a.pose == b.pose {
        return is_rotated(a.vertices, b.vertices);
    }
    a.vertices.len() == b.vertices.len()
        && is_rotated(&posed_image::posed_image(a), &posed_image::posed_image(b))
}

/// The number of pairs in one parallel task.
const TASK: usize = 512;

/// Returns whether the boxes of two pieces prove that their computed common area is less than `least`. The true common
/// area is at most the common area of the boxes. The error of the computed area is at most 2^-44 times the area of the
/// smaller box.
pub(crate) fn is_less([a, b]: [Aabb; 2], least: f64) -> bool {
    /// A relative margin for the error of the area and for the rounding of this comparison.
    const MARGIN: f64 = 1.0 / (1u64 << 40) as f64;
    let area = |size: DVec2| size.x * size.y;
    let common = area((a.max.min(b.max) - a.min.max(b.min)).max(DVec2::ZERO));
    common + MARGIN * area(a.max - a.min).min(area(b.max - b.min)) < least * (1.0 - MARGIN)
}

/// Computes the common area of the two pieces of each pair, in the order of the pairs. The area is 0 for pairs that do
/// not overlap. `share` returns the argument `share` of [`Clipper::overlap`] for a pair. If it returns `None`, the area
/// of the pair is not computed, and is 0 in the result.
pub(crate) fn overlaps(
    [a, b]: [&PolygonSet; 2],
    pairs: &[[u32; 2]],
    relations: &[Relation],
    share: impl Fn([u32; 2]) -> Option<f64> + Sync,
    areas: &mut [f64],
) {
    let of_pairs = pairs.par_chunks(TASK).zip(relations.par_chunks(TASK));
    of_pairs.zip(areas.par_chunks_mut(TASK)).for_each_init(Clipper::default, |clipper, chunk| {
        let ((pairs, relations), areas) = chunk;
        for ((&[i, j], &relation), area) in pairs.iter().zip(relations).zip(areas) {
            let pieces = || [Boxed::of(a, i as usize), Boxed::of(b, j as usize)];
            let share = if relation == Relation::Overlapping { share([i, j]) } else { None };
            *area = share.map_or(0.0, |share| {
                let [one, other] = pieces();
                clipper.overlap(one, other, share)
            });
        }
    });
}
