use std::time::Instant;

use parry2d::bounding_volume::Aabb;
use parry2d::math::{Pose, Vector};
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use parry2d::query;
use parry2d::shape::{ConvexPolygon, Shape};
use rayon::prelude::*;

use super::{Answer, meeting};
use crate::{AnyError, Rings};

/// A ring as parry2d has it.
pub(super) type Body = (ConvexPolygon, Pose);

/// A body whose pose is the identity: coordinates are f32 values, so nothing is rounded.
pub(super) fn in_the_world(ring: &[[f64; 2]]) -> Option<Body> {
    let points = ring.iter().map(|v| Vector::new(v[0] as f32, v[1] as f32)).collect();
    // `unmodified`: no vertex is dropped for being nearly collinear.
    Some((ConvexPolygon::from_convex_polyline_unmodified(points)?, Pose::IDENTITY))
}

/// A body about its centre, which rounds the vertices, and a pose that moves it to its place.
pub(super) fn about_the_centre(ring: &[[f64; 2]]) -> Option<Body> {
    let sum = ring.iter().fold([0.0; 2], |sum, v| [sum[0] + v[0], sum[1] + v[1]]);
    let centre = sum.map(|x| f64::from((x / ring.len() as f64) as f32));
    let points = ring.iter().map(|v| Vector::new((v[0] - centre[0]) as f32, (v[1] - centre[1]) as f32));
    let polygon = ConvexPolygon::from_convex_polyline_unmodified(points.collect())?;
    Some((polygon, Pose::from_translation(Vector::new(centre[0] as f32, centre[1] as f32))))
}

pub(super) fn join(rings: &Rings, body: fn(&[[f64; 2]]) -> Option<Body>) -> Result<Answer, AnyError> {
    let parallel = rayon::current_num_threads() > 1;
    let start = Instant::now();
    let body = |ring: &Vec<[f64; 2]>| body(ring).ok_or("parry2d refuses a polygon");
    let bodies: Vec<Body> = if parallel {
        rings.par_iter().map(body).collect::<Result<_, _>>()?
    } else {
        rings.iter().map(body).collect::<Result<_, _>>()?
    };
    let build = start.elapsed();

    let start = Instant::now();
    let aabb = |(polygon, pose): &Body| polygon.aabb(pose);
    let boxes: Vec<Aabb> =
        if parallel { bodies.par_iter().map(aabb).collect() } else { bodies.iter().map(aabb).collect() };
    let bvh = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    let candidates = candidates(&bvh, parallel);
    let broad_phase = start.elapsed();

    let start = Instant::now();
    let test = |&(a, b): &(u32, u32)| {
        let ((shape_a, pose_a), (shape_b, pose_b)) = (&bodies[a as usize], &bodies[b as usize]);
        let meets = query::intersection_test(pose_a, shape_a as &dyn Shape, pose_b, shape_b);
        // Two convex polygons are always supported.
        meets.is_ok_and(|m| m.intersecting).then(|| meeting(a, b))
    };
    let mut pairs: Vec<_> = if parallel {
        candidates.par_iter().filter_map(test).collect()
    } else {
        candidates.iter().filter_map(test).collect()
    };
    let kernel = start.elapsed();

    let start = Instant::now();
    if parallel {
        pairs.par_sort_unstable();
    } else {
        pairs.sort_unstable();
    }
    let stages =
        vec![("set", build), ("broad phase", broad_phase), ("kernel", kernel), ("collect", start.elapsed())];
    Ok(Answer { pairs, has_relations: false, candidates: candidates.len() as u64, stages })
}

/// Pairs of leaves whose closed boxes meet.
pub(super) fn candidates(bvh: &Bvh, parallel: bool) -> Vec<(u32, u32)> {
    if parallel {
        return bvh.traverse_bvtt_single_tree_parallel::<false>();
    }
    let mut pairs = Vec::new();
    bvh.traverse_bvtt_single_tree::<false>(&mut BvhWorkspace::default(), &mut |a, b| pairs.push((a, b)));
    pairs
}
