use geo::{Intersects, Polygon};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

use super::{Answer, meeting};
use crate::Rings;
use crate::narrow::geo::polygon;

/// The box of a ring, and the index of the ring.
pub(crate) type Leaf = GeomWithData<Rectangle<[f64; 2]>, u32>;

pub(super) fn join(rings: &Rings) -> Answer {
    let polygons: Vec<Polygon<f64>> = rings.iter().map(|ring| polygon(ring)).collect();
    let tree = tree(rings);
    let mut candidates = 0;
    let mut pairs = Vec::new();
    // The tree yields each pair twice, and each polygon with itself.
    for (a, b) in tree.intersection_candidates_with_other_tree(&tree) {
        if a.data < b.data {
            candidates += 1;
            if polygons[a.data as usize].intersects(&polygons[b.data as usize]) {
                pairs.push(meeting(a.data, b.data));
            }
        }
    }
    pairs.sort_unstable();
    Answer { pairs, has_relations: false, candidates, stages: Vec::new() }
}

/// Returns a tree of the boxes of the rings. Each leaf has the index of its ring.
pub(crate) fn tree(rings: &Rings) -> RTree<Leaf> {
    let boxes = rings.iter().enumerate().map(|(index, ring)| {
        GeomWithData::new(Rectangle::from_aabb(AABB::from_points(ring.iter())), index as u32)
    });
    RTree::bulk_load(boxes.collect())
}
