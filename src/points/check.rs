//! Cross-checks the results of queries for points in polygons against exact arithmetic. The check decides the points a second
//! time, by exact arithmetic alone, and compares the two results.

use glam::DVec2;

use crate::answers::points::{PointPair, PointRelation};
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::broad_phase;
use crate::geometry::{Aabb, PolygonSet};
use crate::kernels::point::reference;

/// The greatest number of disagreements that a report describes. The report counts all of them.
const DESCRIBED: usize = 100;
/// The number of candidate pairs that are decided at once.
const CHUNK: usize = 1 << 20;

/// The result of a cross-check. Exact arithmetic decides every pair of a point and an object whose closed bounding box
/// contains the point. Objects whose rings cross are left out.
#[derive(Clone, Debug, Default)]
pub struct PointCheck {
    /// The number of compared pairs of a point and an object.
    pub pairs: u64,
    /// The number of pairs for which the join and exact arithmetic found different relations.
    pub disagreement_count: u64,
    /// The number of found pairs whose object has rings that cross. The join decided these pairs on the edges of the
    /// object, with exact arithmetic. The check does not compare them.
    pub crossed_pairs: u64,
    /// The first disagreements, at most 100. A found pair whose point is outside the bounding box of the object is
    /// counted, but it is not in this list.
    pub disagreements: Vec<PointDisagreement>,
}

/// A point and an object for which the join and exact arithmetic found different relations.
#[derive(Clone, Copy, Debug)]
pub struct PointDisagreement {
    /// Index of the point.
    pub point: u32,
    /// Index of the object.
    pub object: u32,
    /// The relation that the join found.
    pub found: PointRelation,
    /// The relation by exact arithmetic.
    pub exact: PointRelation,
}

impl PointCheck {
    /// Compares the pairs that a join found with the pairs of the reference. `found` must be sorted, and must have no pairs with
    /// the relation `Outside`.
    ///
    /// # Errors
    /// Returns the errors of the broad phase.
    pub fn of(points: &[DVec2], set: &PolygonSet, found: &[PointPair]) -> Result<Self> {
        let mut of_object = vec![Vec::new(); set.object_count()];
        for piece in 0..set.piece_count() {
            of_object[set.piece_object(piece)].push(set.piece(piece));
        }
        let boxes: Vec<Aabb> = points.iter().map(|&point| Aabb { min: point, max: point }).collect();
        let object_boxes = set.object_aabbs();
        let mut candidates = broad_phase::join(&boxes, &object_boxes)?;
        let mut report = Self::default();
        let crossed = set.crossed_objects();
        let is_crossed = |object: u32| crossed.binary_search(&object).is_ok();
        report.crossed_pairs = found.iter().filter(|pair| is_crossed(pair.object)).count() as u64;
        // Counts the found pairs that are not candidates, and are therefore wrong. Starts with all found pairs, and
        // subtracts one for each candidate that was found.
        let mut missed = found.len() as u64 - report.crossed_pairs;
        let mut chunk = Vec::new();
        while candidates.next_chunk(CHUNK, &mut chunk) {
            let decided: Vec<(PointDisagreement, bool)> = chunk
                .par_iter()
                .filter_map(|&[point, object]| {
                    if is_crossed(object) {
                        return None;
                    }
                    let exact =
                        reference::relation_to_object(points[point as usize], &of_object[object as usize]);
                    let place =
                        found.binary_search_by_key(&(point, object), |pair| (pair.point, pair.object));
                    let said = place.map_or(PointRelation::Outside, |place| found[place].relation);
                    Some((PointDisagreement { point, object, found: said, exact }, place.is_ok()))
                })
                .collect();
            report.pairs += decided.len() as u64;
            missed -= decided.iter().filter(|(_, is_found)| *is_found).count() as u64;
            for (disagreement, _) in decided.into_iter().filter(|(d, _)| d.found != d.exact) {
                report.disagreement_count += 1;
                if report.disagreements.len() < DESCRIBED {
                    report.disagreements.push(disagreement);
                }
            }
        }
        report.pairs += missed;
        report.disagreement_count += missed;
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_missing_or_too_much_is_a_disagreement() {
        let set = PolygonSet::from_convex_rings(&[
            [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]],
            [[9.0, 9.0], [9.5, 9.0], [9.0, 9.5]],
        ])
        .expect("convex");
        let points = [DVec2::from([1.0, 1.0]), DVec2::from([2.0, 2.0]), DVec2::from([3.0, 3.0])];
        let pair = |point, object, relation| PointPair { point, object, relation };
        use PointRelation::{Boundary, Inside};
        let right = vec![pair(0, 0, Inside), pair(1, 0, Boundary)];
        let count = |pairs: &[PointPair]| {
            let check = PointCheck::of(&points, &set, pairs).expect("few");
            (check.pairs, check.disagreement_count)
        };
        assert_eq!(count(&right), (3, 0));
        assert_eq!(count(&right[..1]), (3, 1));
        assert_eq!(count(&[pair(0, 0, Boundary), right[1]]), (3, 1));
        assert_eq!(count(&[right[0], right[1], pair(2, 0, Inside)]), (3, 1));
        assert_eq!(count(&[right[0], right[1], pair(2, 1, Inside)]), (4, 1));
    }
}
