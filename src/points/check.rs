//! Cross-checks the results of queries for points in polygons against exact arithmetic. The reference alone decides the
//! points a second time, and the check compares the two results.

use glam::DVec2;

use crate::answers::points::{PointPair, PointRelation};
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::broad_phase;
use crate::geometry::{Aabb, PolygonSet};
use crate::kernels::point::reference;

/// Disagreements that are described; all are counted.
const DESCRIBED: usize = 100;
/// The number of candidate pairs that are decided at once.
const CHUNK: usize = 1 << 20;

/// The result of a cross-check. Exact arithmetic decides every pair of a point and an object whose closed boxes meet.
#[derive(Clone, Debug, Default)]
pub struct PointCheck {
    /// Pairs of a point and an object that were decided.
    pub pairs: u64,
    /// The number of pairs whose relation differs.
    pub disagreement_count: u64,
    /// Pairs of a point and an object whose rings cross. The join has decided them on edges, with exact arithmetic, and the
    /// check leaves them out.
    pub crossed_pairs: u64,
    /// The first, at most 100.
    pub disagreements: Vec<PointDisagreement>,
}

/// A pair that was decided differently.
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
    /// Compares the pairs that were found, sorted and without pairs that are outside, with the pairs of the reference.
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
        // Every pair found lies in a box, unless it is wrong.
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
