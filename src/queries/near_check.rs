//! Cross-check of joins that find the pairs within a distance. Exact arithmetic decides a second time which pairs are
//! within the distance, and the check compares the two results.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use num_bigint::{BigInt, Sign};

use super::block_on::block_on;
use super::drive::Query;
use super::walk::Walk;
use crate::answers::bounds::MEASUREMENT_BOUND;
use crate::answers::distance::Distance;
use crate::answers::measured::MeasuredPair;
use crate::answers::results::Relation;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::geometry::posed_image::{BigPoint, UNIT_BITS, cross, difference, dot, posed_image, scaled};
use crate::geometry::{Piece, PolygonSet, Rounded};
use crate::kernels::backends::Backends;
use crate::kernels::cpu::reference;
use crate::kernels::log::Log;
use crate::kernels::proposer::{Hint, Known, Uses};

/// The greatest number of disagreements that a report describes. The report counts all of them.
const DESCRIBED: usize = 100;

/// The result of a cross-check of a join that finds the pairs within a distance.
#[derive(Clone, Debug, Default)]
pub struct NearCheck {
    /// The number of pairs of pieces whose boxes are at most the given distance apart.
    pub pairs: u64,
    /// The number of pairs of objects for which the join and the check disagree.
    pub disagreement_count: u64,
    /// The first disagreements, at most 100. Each has three parts: the index of an object of A, the index of an object
    /// of B, and the fault of the join.
    pub disagreements: Vec<(u32, u32, NearFault)>,
}

/// The fault that a join made for a pair of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NearFault {
    /// The objects are at most the given distance apart, but the join did not find the pair.
    Missed,
    /// The join found the pair, but the objects are more than the given distance apart.
    TooFar,
    /// The reported distance is wrong. Let `size` be twice the longer side of the box around the two reported pieces.
    /// The reported distance differs from the distance of these pieces by more than `size` times [`MEASUREMENT_BOUND`].
    /// This tolerance is at least the error that the bound allows.
    Distance,
}

impl NearCheck {
    /// Compares the pairs of objects that a join found with the pairs that are at most `within` apart. `found` must be
    /// sorted by the indices of the objects. `b` is `None` in a self-join.
    ///
    /// # Errors
    /// Returns the errors of the broad phase.
    pub fn of(
        a: &PolygonSet,
        b: Option<&PolygonSet>,
        within: f64,
        found: &[MeasuredPair<Distance>],
    ) -> Result<Self> {
        let mut walk = Walk::new(Rounded::plain(a), b.map(Rounded::plain));
        walk.reach = within;
        let confirmed = found.iter().map(|_| AtomicBool::new(false)).collect();
        let mut query = Confirming { walk, within, found, confirmed, wrong: BTreeSet::new() };
        let walked = block_on(Backends::cpu("exact arithmetic").walk(&walk, &mut query))?;
        let Confirming { confirmed: is_confirmed, mut wrong, .. } = query;
        let (pairs, set_b) = (walked.log.counts.candidate_pairs, b.unwrap_or(a));
        let unconfirmed =
            found.iter().zip(is_confirmed).filter(|(_, is_confirmed)| !is_confirmed.load(Ordering::Relaxed));
        wrong.extend(unconfirmed.map(|(pair, _)| (pair.a, pair.b, NearFault::TooFar)));
        let misjudged = found
            .par_iter()
            .filter_map(|pair| (!is_right(pair, a, set_b)).then_some((pair.a, pair.b, NearFault::Distance)));
        wrong.extend(misjudged.collect());
        Ok(Self {
            pairs,
            disagreement_count: wrong.len() as u64,
            disagreements: wrong.into_iter().take(DESCRIBED).collect(),
        })
    }
}

/// The query of the cross-check. It decides exactly which pairs of pieces are at most the given distance apart, and
/// compares the result with the pairs of objects that a join found.
struct Confirming<'a> {
    walk: Walk<'a>,
    /// The greatest distance of a pair that the join should find, in the caller's unit.
    within: f64,
    /// The pairs of objects that the join found.
    found: &'a [MeasuredPair<Distance>],
    /// For each pair of objects that the join found, whether a pair of their pieces is at most the given distance
    /// apart.
    confirmed: Vec<AtomicBool>,
    /// The disagreements. Each has three parts: the index of the object of A, the index of the object of B, and the
    /// fault of the join.
    wrong: BTreeSet<(u32, u32, NearFault)>,
}

impl Uses for Confirming<'_> {}

impl Query for Confirming<'_> {
    fn hint(&self) -> Hint<'_> {
        Hint::default()
    }

    fn take(&mut self, pairs: &[[u32; 2]], _: &Known, _: &mut Log, _: u32) -> Result<()> {
        let [a, b] = self.walk.sides().map(|side| side.cores);
        let missed = pairs.par_iter().filter_map(|&[i, j]| {
            let (i, j) = (i as usize, j as usize);
            let (mut of_a, mut of_b) = (a.piece_object(i) as u32, b.piece_object(j) as u32);
            if self.walk.is_self_join() && of_a > of_b {
                std::mem::swap(&mut of_a, &mut of_b);
            }
            let place = self.found.binary_search_by_key(&(of_a, of_b), |pair| (pair.a, pair.b)).ok();
            // If one pair of pieces of two objects is near enough, the other pairs of the two objects need no test.
            if place.is_some_and(|place| self.confirmed[place].load(Ordering::Relaxed))
                || !is_within(a.piece(i), b.piece(j), self.within)
            {
                return None;
            }
            match place {
                Some(place) => {
                    self.confirmed[place].store(true, Ordering::Relaxed);
                    None
                }
                None => Some((of_a, of_b, NearFault::Missed)),
            }
        });
        self.wrong.extend(missed.collect());
        Ok(())
    }
}

/// Returns whether the reported distance of a pair is the distance of its two pieces, within the bound of measurements.
fn is_right(pair: &MeasuredPair<Distance>, a: &PolygonSet, b: &PolygonSet) -> bool {
    let (i, j) = (pair.piece_a as usize, pair.piece_b as usize);
    let (piece_a, piece_b, distance) = (a.piece(i), b.piece(j), pair.measurement.distance);
    if distance == 0.0 {
        return is_within(piece_a, piece_b, 0.0);
    }
    let both = a.piece_aabb(i).union(b.piece_aabb(j));
    // This value is at least the size to which the bound of measurements refers.
    let size = 2.0 * (both.max - both.min).max_element();
    let off = MEASUREMENT_BOUND * size;
    is_within(piece_a, piece_b, (distance + off).next_up())
        && (distance <= off || !is_within(piece_a, piece_b, (distance - off).next_down()))
}

/// Returns whether two convex pieces are at most `within` apart, decided exactly. Either piece may be a point. Two pieces are
/// within the distance if they meet, or if a vertex of one piece is within the distance of an edge of the other
/// (Ericson 2005, "Real-Time Collision Detection", 5.1.2).
fn is_within(a: Piece<'_>, b: Piece<'_>, within: f64) -> bool {
    /// The number of bits after the binary point of the finest f64: the lowest bit of any f64 is 2^-1074.
    const FINEST_BITS: i32 = 1074;
    // A point has no edges, so the exact reference for polygons cannot decide its relation.
    let are_polygons = [a, b].iter().all(|piece| piece.vertices.len() > 2);
    if are_polygons && reference::relation(a, b) != Relation::Disjoint {
        return true;
    }
    // Most values of `within` are multiples of 2^-`UNIT_BITS`, the unit of the exact coordinates. Other values need a
    // finer unit.
    let is_multiple = (within * 2f64.powi(UNIT_BITS)).fract() == 0.0;
    let bits = if is_multiple { UNIT_BITS } else { FINEST_BITS };
    let limit = scaled(within, bits);
    let square = &limit * &limit;
    let finer = |v: BigPoint| v.map(|x| x << (bits - UNIT_BITS));
    let [a, b] = [a, b].map(|piece| posed_image(piece).into_iter().map(finer).collect::<Vec<_>>());
    if [(&a, &b), (&b, &a)].iter().any(|(point, polygon)| point.len() == 1 && is_in(polygon, &point[0])) {
        return true;
    }
    let is_near = |polygon: &[BigPoint], vertex: &BigPoint| {
        let mut edges = (0..polygon.len()).map(|k| (&polygon[k], &polygon[(k + 1) % polygon.len()]));
        edges.any(|(p, q)| is_vertex_within(p, q, vertex, &square))
    };
    b.iter().any(|vertex| is_near(&a, vertex)) || a.iter().any(|vertex| is_near(&b, vertex))
}

/// Returns whether a closed convex polygon contains a point: the point must not be to the right of any edge. The result
/// is false for a polygon with fewer than three vertices.
fn is_in(polygon: &[BigPoint], point: &BigPoint) -> bool {
    let mut edges = (0..polygon.len()).map(|k| (&polygon[k], &polygon[(k + 1) % polygon.len()]));
    polygon.len() > 2
        && edges.all(|(p, q)| cross(&difference(q, p), &difference(point, p)).sign() != Sign::Minus)
}

/// Returns whether the square of the distance of `vertex` from the edge from `p` to `q` is at most `square`.
fn is_vertex_within(p: &BigPoint, q: &BigPoint, vertex: &BigPoint, square: &BigInt) -> bool {
    let (edge, way) = (difference(q, p), difference(vertex, p));
    let (along, whole) = (dot(&edge, &way), dot(&edge, &edge));
    if along.sign() != Sign::Plus {
        return dot(&way, &way) <= *square;
    }
    if along >= whole {
        let way = difference(vertex, q);
        return dot(&way, &way) <= *square;
    }
    let across = cross(&edge, &way);
    &across * &across <= square * whole
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test panics")]
mod tests {
    use super::*;
    use crate::answers::backend::Backend;
    use crate::engine::Engine;
    use crate::queries::kinds::Distances;

    /// Returns a set of four objects. Objects 0 to 2 are squares with side 1. Squares 0 and 1 are 3 apart in x and 4 in
    /// y. Squares 1 and 2 touch. Object 3 has two pieces.
    fn scene() -> PolygonSet {
        let square = |x: f64, y: f64| vec![[x, y], [x + 1.0, y], [x + 1.0, y + 1.0], [x, y + 1.0]];
        let l_shape = vec![[20.0, 0.0], [23.0, 0.0], [23.0, 1.0], [21.0, 1.0], [21.0, 3.0], [20.0, 3.0]];
        let objects = [square(0.0, 0.0), square(4.0, 5.0), square(5.0, 5.0), l_shape]
            .map(|ring| crate::PolygonObject::from_polygon(&[ring]).unwrap());
        PolygonSet::from_objects(&objects).unwrap()
    }

    #[test]
    fn what_is_missing_or_too_much_is_a_disagreement() {
        let set = scene();
        let engine = Engine::new(Backend::Cpu).unwrap();
        let check = |within: f64, found: &[MeasuredPair<Distance>]| {
            let of_one = NearCheck::of(&set, None, within, found).unwrap();
            (of_one.disagreement_count, of_one.disagreements)
        };
        for within in [0.0, 1e-300, 4.9, 5.0_f64.next_down(), 5.0, 5.0_f64.next_up(), 14.3, 100.0] {
            let found = engine.self_join(&set).within(within).query(Distances).unwrap().items;
            assert_eq!(check(within, &found), (0, Vec::new()), "{within}");
            for k in 0..found.len() {
                let mut fewer = found.clone();
                let pair = fewer.remove(k);
                assert_eq!(check(within, &fewer), (1, vec![(pair.a, pair.b, NearFault::Missed)]), "{within}");
                let mut longer = found.clone();
                longer[k].measurement.distance = longer[k].measurement.distance.mul_add(1.0 + 1e-9, 1e-9);
                assert_eq!(check(within, &longer), (1, vec![(pair.a, pair.b, NearFault::Distance)]));
                longer[k].measurement.distance = found[k].measurement.distance * (1.0 - 1e-9);
                let is_wrong = found[k].measurement.distance > 0.0;
                assert_eq!(check(within, &longer).0, u64::from(is_wrong), "{within}");
            }
        }
        let found = engine.self_join(&set).within(5.0).query(Distances).unwrap().items;
        let (count, wrong) = check(5.0_f64.next_down(), &found);
        assert_eq!((count, wrong), (1, vec![(0, 1, NearFault::TooFar)]));
        // Between two sets, each pair occurs in both orders, and each object is also paired with itself.
        let found = engine.join(&set, &set).within(5.0).query(Distances).unwrap().items;
        let near = NearCheck::of(&set, Some(&set), 5.0, &found).unwrap();
        assert_eq!((near.disagreement_count, found.len()), (0, 8));
        let near = NearCheck::of(&set, Some(&set), 4.0, &found).unwrap();
        assert_eq!(near.disagreements, [(0, 1, NearFault::TooFar), (1, 0, NearFault::TooFar)]);
    }

    #[test]
    fn the_reference_tells_pairs_one_ulp_beyond_a_distance() {
        // The corner (0.3, 0.1) is near an edge. No f64 is exactly the distance between the corner and the edge.
        let set = PolygonSet::from_convex_rings(&[
            vec![[0.0, 1.0], [3.0, 0.0], [3.0, 5.0]],
            vec![[0.3, 0.1], [0.2, -7.0], [0.4, -7.0]],
        ])
        .unwrap();
        let engine = Engine::new(Backend::Cpu).unwrap();
        let about =
            engine.self_join(&set).within(9.0).query(Distances).unwrap().items[0].measurement.distance;
        let mut within = about * (1.0 - 1e-14);
        let mut changes = 0;
        let mut last = false;
        while within < about * (1.0 + 1e-14) {
            let is_within = is_within(set.piece(0), set.piece(1), within);
            let found = engine.self_join(&set).within(within).query(Distances).unwrap().items;
            assert_eq!(found.len(), usize::from(is_within), "{within}");
            assert_eq!(NearCheck::of(&set, None, within, &found).unwrap().disagreement_count, 0);
            changes += usize::from(is_within != last);
            (last, within) = (is_within, within.next_up());
        }
        assert_eq!((changes, last), (1, true));
    }
}
