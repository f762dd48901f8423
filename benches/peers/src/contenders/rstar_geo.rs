use geo::{Coord, Intersects, LineString, Polygon};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

use super::{Answer, meeting};
use crate::Rings;

pub(super) fn join(rings: &Rings) -> Answer {
    let polygons: Vec<Polygon<f64>> = rings
        .iter()
        .map(|ring| {
            let shell: Vec<Coord<f64>> = ring.iter().map(|&[x, y]| Coord { x, y }).collect();
            // Closes the ring.
            Polygon::new(LineString::new(shell), Vec::new())
        })
        .collect();
    let boxes = rings.iter().enumerate().map(|(index, ring)| {
        GeomWithData::new(Rectangle::from_aabb(AABB::from_points(ring.iter())), index as u32)
    });
    let tree = RTree::bulk_load(boxes.collect());
    let mut candidates = 0;
    let mut pairs = Vec::new();
    // Each pair comes twice, and each polygon with itself.
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
