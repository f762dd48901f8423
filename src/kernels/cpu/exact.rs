//! Decides exactly the pairs that the filter leaves uncertain. The method of [`decide_uncertain`] depends on the pair:
//!
//! - At most [`MOST_VERTICES`] vertices each, two sets without poses, on machines with the required instructions:
//!   [`exact_doubles`] decides the pair if the differences of the coordinates are exact in f64. Otherwise, the next
//!   method follows.
//! - At most [`MOST_VERTICES`] vertices each, equal or no poses: [`exact_lanes`] tests several edges at a time in f64, and
//!   [`orientation`] tests the edges that remain undecided.
//! - More vertices, equal or no poses: [`orientation`] tests the edges one by one.
//! - Different poses: [`posed_relation`] decides most pairs in f64, and rational arithmetic ([`mod@reference`]) decides the others.
//!
//! [`orientation`] is exact. Its own f64 filter decides nearly every call, and expansions decide the others.

use glam::DVec2;

use super::direct::Polygons;
use super::exact_lanes::{self, MOST_VERTICES};
use super::{exact_doubles, reference};
use crate::answers::results::Relation;
use crate::geometry::predicates::orientation;
use crate::geometry::{Piece, Pieces};
use crate::kernels::proposer::TASK;
use crate::packed::layout::UNCERTAIN;
use crate::simd::{
    DoubleInstructions, FORMS, Instructions, OnDoubles, Vectorised, has_doubles, on_doubles, prefetch,
    vectorised,
};

/// Prefetch distance in pairs: the vertices of a pair are prefetched this many pairs before they are read. The offsets
/// of its polygons are prefetched twice as early.
const AHEAD: usize = 6;
/// The number of cache lines that are prefetched for the vertices of a polygon.
const LINES: usize = 2;

/// Decides with exact arithmetic each pair whose code in `codes` is uncertain, and stores its relation in `relations`.
/// Leaves the relations of the other pairs unchanged. `a` and `b` are the pieces to which the indices in `pairs` refer.
pub(crate) fn decide_uncertain(
    (a, b): (Pieces<'_>, Pieces<'_>),
    pairs: &[[u32; 2]],
    codes: &[u8],
    relations: &mut [Relation],
) {
    let parts = pairs.chunks(TASK).zip(codes.chunks(TASK)).zip(relations.chunks_mut(TASK));
    for ((pairs, codes), relations) in parts {
        // The loop has no branch, because the processor cannot predict which pairs are uncertain.
        let mut places = [0u32; TASK];
        let mut count = 0;
        for (place, &code) in codes.iter().enumerate() {
            places[count] = place as u32;
            count += usize::from(u32::from(code) == UNCERTAIN);
        }
        let uncertain = Uncertain { a, b, pairs, places: &places[..count], relations };
        if has_doubles() && a.set.is_static() && b.set.is_static() {
            on_doubles(uncertain);
        } else {
            vectorised(uncertain);
        }
    }
}

/// The uncertain pairs of a list. `places` has the indices of these pairs in the list.
struct Uncertain<'a> {
    a: Pieces<'a>,
    b: Pieces<'a>,
    pairs: &'a [[u32; 2]],
    places: &'a [u32],
    relations: &'a mut [Relation],
}

impl Vectorised for Uncertain<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, _: I) {
        let Self { a, b, pairs, places, relations } = self;
        for (k, &place) in places.iter().enumerate() {
            if let Some(&ahead) = places.get(k + AHEAD) {
                let [i, j] = pairs[ahead as usize];
                prefetch(a.piece(i as usize).vertices);
                prefetch(b.piece(j as usize).vertices);
            }
            let [i, j] = pairs[place as usize];
            let (a, b) = (a.piece(i as usize), b.piece(j as usize));
            let is_small = a.vertices.len().max(b.vertices.len()) <= MOST_VERTICES && a.pose == b.pose;
            relations[place as usize] =
                if FORMS && is_small { small_relation(a.vertices, b.vertices) } else { relation(a, b) };
        }
    }
}

/// Decides pairs of pieces without poses.
impl OnDoubles for Uncertain<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: DoubleInstructions>(self, i: I) {
        let Self { a, b, pairs, places, relations } = self;
        let (polygons_a, polygons_b) = (Polygons::of(a.set), Polygons::of(b.set));
        let pair_at = |place: u32| pairs[place as usize];
        for (k, &place) in places.iter().enumerate() {
            if let Some(&ahead) = places.get(k + 2 * AHEAD) {
                let [a, b] = pair_at(ahead);
                polygons_a.prefetch_offset(a);
                polygons_b.prefetch_offset(b);
            }
            if let Some(&ahead) = places.get(k + AHEAD) {
                let [a, b] = pair_at(ahead);
                polygons_a.prefetch_vertices(a, LINES);
                polygons_b.prefetch_vertices(b, LINES);
            }
            let [a, b] = pair_at(place);
            let (a, b) = (polygons_a.from(a), polygons_b.from(b));
            let is_small = a.1.max(b.1) <= MOST_VERTICES;
            let exactly = if is_small { exact_doubles::relation(i, a, b) } else { None };
            relations[place as usize] = exactly.unwrap_or_else(|| {
                let (a, b) = (&a.0[..a.1], &b.0[..b.1]);
                if is_small { small_relation(a, b) } else { relation_in_one_frame(a, b) }
            });
        }
    }
}

/// Returns the exact relation of two polygons in one frame, with at most [`MOST_VERTICES`] vertices each.
#[inline(always)]
fn small_relation(a: &[DVec2], b: &[DVec2]) -> Relation {
    let by_a = exact_lanes::side(a, b);
    let by_b = exact_lanes::side(b, a);
    let known = by_a.relation.min(by_b.relation);
    if known == Relation::Disjoint || by_a.unknown | by_b.unknown == 0 {
        return known;
    }
    known.min(relation_by_edges(a, by_a.unknown, b)).min(relation_by_edges(b, by_b.unknown, a))
}

/// Returns the least relation that [`edge_relation`] returns for the edges of `a` in the mask `edges`. Bit k of `edges`
/// stands for edge k. If the mask is 0, returns overlapping.
fn relation_by_edges(a: &[DVec2], edges: u32, b: &[DVec2]) -> Relation {
    let mut relation = Relation::Overlapping;
    let mut inside = 0;
    for (k, &p) in a.iter().enumerate().filter(|(k, _)| edges >> k & 1 == 1) {
        let q = a[if k + 1 == a.len() { 0 } else { k + 1 }];
        relation = relation.min(edge_relation(p, q, b, &mut inside));
    }
    relation
}

/// Returns the exact relation of two convex pieces. `reference::relation` gives the same result.
pub fn relation(a: Piece<'_>, b: Piece<'_>) -> Relation {
    if a.pose != b.pose {
        return posed_relation(a, b).unwrap_or_else(|| reference::relation(a, b));
    }
    relation_in_one_frame(a.vertices, b.vertices)
}

fn relation_in_one_frame(a: &[DVec2], b: &[DVec2]) -> Relation {
    let by_a = side_relation(a, b);
    if by_a == Relation::Disjoint {
        return Relation::Disjoint;
    }
    by_a.min(side_relation(b, a))
}

/// Returns the relation if f64 arithmetic proves that the pieces are disjoint or that they overlap. Otherwise returns
/// `None`.
///
/// Let `u = 2^-53`. A vertex (x, y) of a piece has the image `R (x, y) + t` in the world. Let `M` be the greatest value of
/// `|cos x| + |sin y| + |t|`, over both coordinates of all images.
///
/// 1. Each coordinate of a rounded image has an error of at most `e = 4 u M`.
/// 2. A difference of two images has an error of at most `3 e`: `2 e` of the images, and less than `e` of its rounding.
/// 3. A side is `d_x f_y - d_y f_x`, where the computed differences d and f are at most `D`. Their errors change both
///    products together by at most `2 (3 e D + 3 e D + 9 e^2)`.
/// 4. The rounding of the products adds at most `4 u D^2 <= 8 u M D = 2 e D`.
/// 5. The sum is less than `16 e D + 18 e^2`. The code uses at least twice this sum, which covers the rounding of the
///    bound.
///
/// Nothing underflows or overflows: `2^-195 < e < 2^153` unless all numbers are 0.
fn posed_relation(a: Piece<'_>, b: Piece<'_>) -> Option<Relation> {
    let mut greatest = 0.0f64;
    let mut images = |piece: Piece<'_>| -> Vec<DVec2> {
        let (cos, sin) = (piece.pose.cos().abs(), piece.pose.sin().abs());
        let image = |&v: &DVec2| {
            let size = DVec2::new(cos * v.x.abs() + sin * v.y.abs(), sin * v.x.abs() + cos * v.y.abs());
            greatest = greatest.max((size + piece.pose.translation().abs()).max_element());
            piece.pose.apply(v)
        };
        piece.vertices.iter().map(image).collect()
    };
    let (a, b) = (images(a), images(b));
    let error = greatest * 2f64.powi(-51);
    match [certain_side(&a, &b, error), certain_side(&b, &a, error)] {
        [Some(Relation::Disjoint), _] | [_, Some(Relation::Disjoint)] => Some(Relation::Disjoint),
        [Some(_), Some(_)] => Some(Relation::Overlapping),
        _ => None,
    }
}

/// Returns disjoint if all of `b` lies outside an edge of `a` by more than the bound. Returns overlapping if, for every
/// edge of `a`, some vertex of `b` lies inside by more than the bound. Otherwise returns `None`.
fn certain_side(a: &[DVec2], b: &[DVec2], error: f64) -> Option<Relation> {
    let mut all_have_some_inside = true;
    let mut p = a[a.len() - 1];
    for &q in a {
        let edge = q - p;
        let (mut all_outside, mut some_inside) = (true, false);
        for &r in b {
            let to_r = r - p;
            let extent = edge.abs().max(to_r.abs()).max_element();
            let bound = 32.0 * error * (extent + 2.0 * error);
            let side = edge.perp_dot(to_r);
            all_outside &= side < -bound;
            some_inside |= side > bound;
        }
        if all_outside {
            return Some(Relation::Disjoint);
        }
        all_have_some_inside &= some_inside;
        p = q;
    }
    all_have_some_inside.then_some(Relation::Overlapping)
}

/// Returns the least relation that [`edge_relation`] returns for the edges of `a`, given the vertices of `b`.
fn side_relation(a: &[DVec2], b: &[DVec2]) -> Relation {
    let mut relation = Relation::Overlapping;
    // A vertex inside one edge is probably also inside the next edge.
    let mut inside = 0;
    let mut p = a[a.len() - 1];
    for &q in a {
        relation = relation.min(edge_relation(p, q, b, &mut inside));
        if relation == Relation::Disjoint {
            return relation;
        }
        p = q;
    }
    relation
}

/// Returns the relation of `b` to the edge from `p` to `q`: overlapping if a vertex of `b` is inside the edge, otherwise
/// touching if a vertex is on its line, otherwise disjoint. Tests the vertex with the index `inside` first. Stores the
/// index of a vertex that is inside in `inside`.
#[inline]
fn edge_relation(p: DVec2, q: DVec2, b: &[DVec2], inside: &mut usize) -> Relation {
    let mut touches = false;
    for k in 0..b.len() {
        let j = (*inside + k) % b.len();
        let side = orientation(p, q, b[j]);
        if side > 0.0 {
            *inside = j;
            return Relation::Overlapping;
        }
        touches |= side == 0.0;
    }
    if touches { Relation::Touching } else { Relation::Disjoint }
}

#[cfg(all(test, feature = "scenes"))]
mod tests {
    use super::*;
    use crate::kernels::test_scenes::Random;
    use crate::{PolygonObject, PolygonSet, Pose};

    /// Tests the tips of rotated triangles at edges of rotated triangles, from distances that f64 cannot distinguish to
    /// large distances.
    #[test]
    fn where_f64_is_enough_for_turned_pieces_it_says_what_is_true() {
        let mut random = Random(0x0123_4567_89ab_cdef);
        let (mut known, mut unknown) = ([0; 2], 0);
        for _ in 0..4000 {
            let far = [0.0, 1.0, 1e6][(random.unit() * 3.0) as usize % 3];
            let at = DVec2::new(random.unit() - 0.5, random.unit() - 0.5) * far;
            let mut turned = |at: DVec2| Pose::new(random.unit() * 6.3, at).unwrap();
            let pose = turned(at);
            let [p, q] = [DVec2::new(-1.0, -0.7), DVec2::new(1.1, -0.6)];
            let tip = pose.apply(p + (q - p) * 0.3);
            let other_pose = turned(tip);
            let outward = (pose.apply(p) - pose.apply(q)).perp().normalize();
            let gap = (random.unit() - 0.5) * far.max(1.0) * 2f64.powi(-(random.unit() * 56.0) as i32);
            let other_pose =
                Pose::from_cos_sin(other_pose.cos(), other_pose.sin(), tip + outward * gap).unwrap();
            // The tip points at the edge. The inverse rotation compensates for the rotation of the other pose.
            let back = |v: DVec2| DVec2::new(other_pose.cos(), -other_pose.sin()).rotate(v);
            let [u, v] = [back(outward + outward.perp()), back(outward - outward.perp())];
            let shapes = [[p, q, DVec2::new(0.0, 1.0)], [DVec2::ZERO, u, v]]
                .map(|ring| ring.map(|v| v.to_array()).to_vec());
            let shapes = shapes.map(|ring| PolygonObject::from_polygon(&[ring]).unwrap());
            let set = PolygonSet::from_instances(&shapes, &[(0, pose), (1, other_pose)]).unwrap();
            for [a, b] in [[0, 1], [1, 0]] {
                let [a, b] = [set.piece(a), set.piece(b)];
                match posed_relation(a, b) {
                    Some(relation) => {
                        assert_eq!(
                            relation,
                            reference::relation(a, b),
                            "gap {gap:e}, {:?} {:?}",
                            pose,
                            other_pose
                        );
                        known[usize::from(relation == Relation::Overlapping)] += 1;
                    }
                    None => unknown += 1,
                }
            }
        }
        assert!(known.iter().all(|&known| known > 2000) && unknown > 500, "{known:?}, {unknown}");
    }
}
