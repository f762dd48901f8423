use rayon::prelude::*;
use rstar::AABB;

use super::rstar_geo::tree;
use super::{Answer, meeting};
use crate::Rings;
use crate::narrow::textbook::Textbook;

/// Joins the rings with themselves. One thread builds the tree. The threads of the current pool query it, once for each polygon.
pub(super) fn join(rings: &Rings) -> Answer {
    let polygons = Textbook::new(rings);
    let tree = tree(rings);
    let query = |(mut candidates, mut pairs): (u64, Vec<_>), a: u32| {
        let envelope = AABB::from_points(rings[a as usize].iter());
        for b in tree.locate_in_envelope_intersecting(envelope) {
            // The queries yield each pair twice, and each polygon with itself.
            if a < b.data {
                candidates += 1;
                if polygons.meets(a, b.data) {
                    pairs.push(meeting(a, b.data));
                }
            }
        }
        (candidates, pairs)
    };
    let empty = || (0, Vec::new());
    let (candidates, mut pairs) = (0..rings.len() as u32).into_par_iter().fold(empty, query).reduce(
        empty,
        |(count_a, mut a), (count_b, b)| {
            a.extend(b);
            (count_a + count_b, a)
        },
    );
    pairs.par_sort_unstable();
    Answer { pairs, has_relations: false, candidates, stages: Vec::new() }
}
