use std::time::Instant;

use parry2d::bounding_volume::Aabb;
use parry2d::math::{Pose, Rotation, Vector};
use parry2d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use parry2d::query;
use parry2d::shape::{ConvexPolygon, Cuboid, Shape};
use rayon::prelude::*;

use super::{Answer, meeting};
use crate::{AnyError, Rings};

/// A ring in the form that parry2d takes: a shape and its pose.
pub(crate) type Body<S> = (S, Pose);

/// Returns a body whose pose is the identity. The coordinates of the scenes are f32 values, so no vertex is rounded. Returns
/// `None` if parry2d rejects the vertices.
pub(crate) fn in_the_world(ring: &[[f64; 2]]) -> Option<Body<ConvexPolygon>> {
    let points = ring.iter().map(|v| Vector::new(v[0] as f32, v[1] as f32)).collect();
    // The `unmodified` function keeps vertices that are nearly collinear with their neighbours.
    Some((ConvexPolygon::from_convex_polyline_unmodified(points)?, Pose::IDENTITY))
}

/// Returns a body whose vertices are relative to its centre, with a pose that moves it to its place. The vertices are rounded.
/// Returns `None` if parry2d rejects the vertices.
pub(crate) fn about_the_centre(ring: &[[f64; 2]]) -> Option<Body<ConvexPolygon>> {
    let sum = ring.iter().fold([0.0; 2], |sum, v| [sum[0] + v[0], sum[1] + v[1]]);
    let centre = sum.map(|x| f64::from((x / ring.len() as f64) as f32));
    let points = ring.iter().map(|v| Vector::new((v[0] - centre[0]) as f32, (v[1] - centre[1]) as f32));
    let polygon = ConvexPolygon::from_convex_polyline_unmodified(points.collect())?;
    Some((polygon, Pose::from_translation(Vector::new(centre[0] as f32, centre[1] as f32))))
}

/// Returns a rectangle as two half extents and a pose, which are computed in f64 and rounded. Returns `None` if the ring does not
/// have four vertices.
pub(crate) fn cuboid(ring: &[[f64; 2]]) -> Option<Body<Cuboid>> {
    let &[p, q, r, s] = ring else { return None };
    let half = |from: [f64; 2], to: [f64; 2]| [0.5 * (to[0] - from[0]), 0.5 * (to[1] - from[1])];
    let length = |v: [f64; 2]| (v[0] * v[0] + v[1] * v[1]).sqrt();
    let (u, v) = (half(p, q), half(q, r));
    let half_extents = Vector::new(length(u) as f32, length(v) as f32);
    let centre = [0, 1].map(|axis| (0.25 * (p[axis] + q[axis] + r[axis] + s[axis])) as f32);
    let rotation = Rotation::from_cos_sin_unchecked((u[0] / length(u)) as f32, (u[1] / length(u)) as f32);
    Some((Cuboid::new(half_extents), Pose::from_parts(Vector::new(centre[0], centre[1]), rotation)))
}

/// Returns whether two bodies meet.
pub(crate) fn meets<S: Shape>((shape_a, pose_a): &Body<S>, (shape_b, pose_b): &Body<S>) -> bool {
    // parry2d supports every pair of convex shapes, so no error occurs.
    query::intersection_test(pose_a, shape_a, pose_b, shape_b).is_ok_and(|meeting| meeting.intersecting)
}

pub(super) fn join<S: Shape>(
    rings: &Rings,
    body: fn(&[[f64; 2]]) -> Option<Body<S>>,
) -> Result<Answer, AnyError> {
    let parallel = rayon::current_num_threads() > 1;
    let start = Instant::now();
    let body = |ring: &Vec<[f64; 2]>| body(ring).ok_or("parry2d refuses a polygon");
    let bodies: Vec<Body<S>> = if parallel {
        rings.par_iter().map(body).collect::<Result<_, _>>()?
    } else {
        rings.iter().map(body).collect::<Result<_, _>>()?
    };
    let build = start.elapsed();

    let start = Instant::now();
    let aabb = |(shape, pose): &Body<S>| shape.compute_aabb(pose);
    let boxes: Vec<Aabb> =
        if parallel { bodies.par_iter().map(aabb).collect() } else { bodies.iter().map(aabb).collect() };
    let bvh = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    let candidates = candidates(&bvh, parallel);
    let broad_phase = start.elapsed();

    let start = Instant::now();
    let test = |&(a, b): &(u32, u32)| meets(&bodies[a as usize], &bodies[b as usize]).then(|| meeting(a, b));
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

/// Returns the pairs of different leaves of a tree whose closed boxes meet.
pub(super) fn candidates(bvh: &Bvh, parallel: bool) -> Vec<(u32, u32)> {
    if parallel {
        return bvh.traverse_bvtt_single_tree_parallel::<false>();
    }
    let mut pairs = Vec::new();
    bvh.traverse_bvtt_single_tree::<false>(&mut BvhWorkspace::default(), &mut |a, b| pairs.push((a, b)));
    pairs
}
