use parry2d::bounding_volume::Aabb;
use parry2d::math::Vector;
use parry2d::partitioning::{Bvh, BvhBuildStrategy};
use rayon::prelude::*;
use sepax2d::polygon::Polygon;
use sepax2d::sat_overlap;

use super::{Answer, meeting, parry};
use crate::Rings;

pub(super) fn join(rings: &Rings) -> Answer {
    let polygons: Vec<Polygon> = rings
        .par_iter()
        .map(|ring| {
            let vertices = ring.iter().map(|v| (v[0] as f32, v[1] as f32)).collect();
            Polygon::from_vertices((0.0, 0.0), vertices)
        })
        .collect();
    let boxes: Vec<Aabb> = polygons
        .par_iter()
        .map(|polygon| Aabb::from_points(polygon.vertices.iter().map(|v| Vector::new(v.0, v.1))))
        .collect();
    let bvh = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    let candidates = parry::candidates(&bvh, rayon::current_num_threads() > 1);
    let mut pairs: Vec<_> = candidates
        .par_iter()
        .filter(|&&(a, b)| sat_overlap(&polygons[a as usize], &polygons[b as usize]))
        .map(|&(a, b)| meeting(a, b))
        .collect();
    pairs.par_sort_unstable();
    Answer { pairs, has_relations: false, candidates: candidates.len() as u64, stages: Vec::new() }
}
