use std::time::Instant;

use rayon::prelude::*;

use super::mixed::{bounds, of_packed_spatial_index};
use super::{Answer, meeting};
use crate::Rings;
use crate::narrow::textbook::Textbook;

/// Joins the rings with themselves. On one thread, one traversal finds the pairs of the tree with itself. On several
/// threads, each polygon queries the tree, in the order of its leaves.
pub(super) fn join(rings: &Rings) -> Answer {
    let start = Instant::now();
    let polygons = Textbook::new(rings);
    let boxes: Vec<_> = rings.par_iter().map(|ring| bounds(ring)).collect();
    let set = start.elapsed();

    let start = Instant::now();
    let (mut found, candidates) = of_packed_spatial_index(&boxes, |a, b| polygons.meets(a, b));
    let search = start.elapsed();

    let start = Instant::now();
    found.par_sort_unstable();
    let pairs = found.into_iter().map(|pair| meeting((pair >> 32) as u32, pair as u32)).collect();
    let stages = vec![("set", set), ("broad phase and kernel", search), ("collect", start.elapsed())];
    Answer { pairs, has_relations: false, candidates, stages }
}
