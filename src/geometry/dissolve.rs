//! Unions of the pieces of objects whose polygons overlap each other.

use glam::DVec2;

use super::convex_polygon::check_coordinates;
use super::predicates::exact_sum;
use super::{Fill, PolygonObject, PolygonSet, Pose};
use crate::base::error::{Error, Result};
use crate::base::parallel::prelude::*;
use crate::base::sorting::sort_by;

/// Builds the set of the regions of some objects of `set`, in convex pieces that do not overlap each other. Object `i` of
/// the result is the region of object `objects[i]` of `set`.
///
/// Some vertices of the pieces are crossings of edges, and their coordinates are rounded to f64. The x coordinates of a
/// static object are relative to the x coordinate of one of its vertices if this difference is exact for all vertices, and so
/// are the y coordinates. The rounding error then depends on the size of the object, and not on its distance from the origin.
///
/// # Errors
/// Returns [`Error::TooMany`] and the index of the object if the edges of an object cross at millions of points. Returns
/// [`Error::TooMany`] and the index of the first object if there are too many pieces for 32-bit indices.
pub(crate) fn dissolved(set: &PolygonSet, objects: &[u32]) -> std::result::Result<PolygonSet, (u32, Error)> {
    // Instances of one shape have the same pieces, apart from their poses.
    let shape = |&object: &u32| set.piece_shape(set.object_pieces(object as usize).start) as u32;
    let mut shapes: Vec<[u32; 2]> = objects.iter().map(|object| [shape(object), *object]).collect();
    shapes.par_sort_unstable();
    shapes.dedup_by_key(|&mut [shape, _]| shape);
    let unions: Vec<Result<(PolygonObject, Pose)>> =
        shapes.par_iter().with_min_len(1).map(|&[_, object]| union_of(set, object as usize)).collect();
    let (mut regions, mut poses) = (Vec::with_capacity(shapes.len()), Vec::with_capacity(shapes.len()));
    for (union, &[_, object]) in unions.into_iter().zip(&shapes) {
        let (region, pose) = union.map_err(|error| (object, error))?;
        regions.push(region);
        poses.push(pose);
    }
    let instance = |object: &u32| {
        let index = shapes.partition_point(|of| of[0] < shape(object));
        let pose = || set.piece_pose(set.object_pieces(*object as usize).start);
        (index, if set.is_static() { poses[index] } else { pose() })
    };
    let instances: Vec<(usize, Pose)> = objects.iter().map(instance).collect();
    PolygonSet::from_instances(&regions, &instances).map_err(|error| (objects[0], error))
}

/// Returns the region of one object without its pose, and the pose of this region if the set is static.
fn union_of(set: &PolygonSet, object: usize) -> Result<(PolygonObject, Pose)> {
    let pieces = set.object_pieces(object);
    let mut edges: Vec<[DVec2; 2]> = pieces.flat_map(|piece| edges_of(set.piece_vertices(piece))).collect();
    let origin = if set.is_static() { exact_origin(&edges) } else { DVec2::ZERO };
    for vertex in edges.iter_mut().flatten() {
        *vertex -= origin;
    }
    // All pieces are counter-clockwise, so a point is inside if and only if its winding number is above 0.
    let (region, _) = PolygonObject::from_filled(&boundary_rings(edges), Fill::NonZero)?;
    Ok((region, Pose::from_translation(origin)?))
}

fn edges_of(ring: &[DVec2]) -> impl Iterator<Item = [DVec2; 2]> {
    // The sum turns -0 into 0, so that equal points have equal bits.
    let vertex = |k: usize| ring[k % ring.len()] + DVec2::ZERO;
    (0..ring.len()).map(move |k| [vertex(k), vertex(k + 1)])
}

/// Returns the first vertex, with 0 in place of each coordinate that cannot be subtracted from the same coordinate of all
/// vertices without rounding, or that would move a vertex out of the accepted range.
fn exact_origin(edges: &[[DVec2; 2]]) -> DVec2 {
    let first = edges[0][0];
    let is_exact = |axis: usize| {
        edges.iter().all(|&[v, _]| {
            let difference = exact_sum(v[axis], -first[axis]);
            difference.is_some_and(|d| check_coordinates(DVec2::new(d, 0.0), 0).is_ok())
        })
    };
    DVec2::new(if is_exact(0) { first.x } else { 0.0 }, if is_exact(1) { first.y } else { 0.0 })
}

/// Returns closed rings that have the same winding numbers as `edges`, the edges of closed rings. Leaves out the edges that
/// are traversed as often forward as backward, such as the cuts between the pieces of a polygon.
fn boundary_rings(mut edges: Vec<[DVec2; 2]>) -> Vec<Vec<DVec2>> {
    let key = |v: DVec2| [v.x, v.y];
    let by_point = |v: DVec2, w: DVec2| v.x.total_cmp(&w.x).then(v.y.total_cmp(&w.y));
    let low_first = |&[p, q]: &[DVec2; 2]| if key(p) < key(q) { [p, q] } else { [q, p] };
    sort_by(&mut edges, |e, f| {
        let ([a, b], [c, d]) = (low_first(e), low_first(f));
        by_point(a, c).then(by_point(b, d))
    });
    let mut boundary = Vec::new();
    for same in edges.chunk_by(|e, f| low_first(e) == low_first(f)) {
        let line = low_first(&same[0]);
        let forward = same.iter().filter(|&&edge| edge == line).count();
        let backward = same.len() - forward;
        let edge = if forward > backward { line } else { [line[1], line[0]] };
        boundary.extend(std::iter::repeat_n(edge, forward.abs_diff(backward)));
    }
    sort_by(&mut boundary, |e, f| by_point(e[0], f[0]));
    // As many edges begin at each point as end there, so each walk along unused edges ends at its start.
    let mut next: Vec<u32> = (0..boundary.len() as u32).collect();
    let mut used = vec![false; boundary.len()];
    let mut rings = Vec::new();
    for start in 0..boundary.len() {
        let (mut ring, mut at) = (Vec::new(), start);
        while !used[at] {
            used[at] = true;
            ring.push(boundary[at][0]);
            let to = boundary[at][1];
            let first = boundary.partition_point(|edge| by_point(edge[0], to).is_lt());
            // `next[first]` is the first edge from this point that may be unused.
            let Some(cursor) = next.get_mut(first) else { break };
            at = *cursor as usize;
            while at < boundary.len() && boundary[at][0] == to && used[at] {
                at += 1;
            }
            *cursor = at as u32;
            if at == boundary.len() || boundary[at][0] != to {
                break;
            }
        }
        if !ring.is_empty() {
            rings.push(ring);
        }
    }
    rings
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test panics")]
mod tests {
    use super::*;
    use crate::PairSide;

    fn rectangle([x0, y0, x1, y1]: [f64; 4]) -> Vec<[f64; 2]> {
        vec![[x0, y0], [x1, y0], [x1, y1], [x0, y1]]
    }

    fn object_of(rectangles: &[[f64; 4]]) -> PolygonObject {
        let polygons: Vec<_> = rectangles.iter().map(|&sides| [rectangle(sides)]).collect();
        PolygonObject::from_multi_polygon(&polygons).unwrap()
    }

    #[test]
    fn shared_edges_are_no_boundary_and_rings_close() {
        let tiles: Vec<[f64; 4]> = (0..9)
            .map(|k| [f64::from(k % 3), f64::from(k / 3)])
            .map(|[x, y]| [x, y, x + 1.0, y + 1.0])
            .collect();
        // The middle tile is a hole, and two further tiles touch at corners.
        let mut object = object_of(&[&tiles[..4], &tiles[5..]].concat());
        object.append(object_of(&[[-1.0, -1.0, 0.0, 0.0], [3.0, 3.0, 4.0, 4.0]]));
        let set = PolygonSet::from_objects(&[object]).unwrap();
        let edges: Vec<_> =
            (0..set.piece_count()).flat_map(|piece| edges_of(set.piece_vertices(piece))).collect();
        let rings = boundary_rings(edges);
        assert_eq!(rings.iter().map(Vec::len).sum::<usize>(), 12 + 4 + 4 + 4);
        let doubled = |ring: &Vec<DVec2>| -> f64 {
            (0..ring.len()).map(|k| ring[k].perp_dot(ring[(k + 1) % ring.len()])).sum()
        };
        assert_eq!(rings.iter().map(doubled).sum::<f64>(), 2.0 * 10.0);
    }

    #[test]
    fn an_axis_that_would_round_keeps_its_origin() {
        let set = PolygonSet::from_objects(&[object_of(&[[-0.1, 51.5, 0.3, 51.6], [0.2, 51.55, 0.4, 51.7]])])
            .unwrap();
        let origin = dissolved(&set, &[0]).unwrap().piece_pose(0).translation();
        assert!(origin.x == 0.0 && origin.y >= 51.5, "{origin}");
    }

    #[test]
    fn an_object_whose_polygons_cross_too_often_is_named() {
        let bars = |is_row: bool| {
            (0..300).map(move |k| {
                let at = 2.0 * f64::from(k);
                if is_row { [0.0, at, 600.0, at + 1.0] } else { [at, 0.0, at + 1.0, 600.0] }
            })
        };
        let net = object_of(&bars(true).chain(bars(false)).collect::<Vec<_>>());
        let square = object_of(&[[0.0, 0.0, 1.0, 1.0]]);
        let (a, b) =
            (PolygonSet::from_objects(&[square]).unwrap(), PolygonSet::from_objects(&[net]).unwrap());
        let engine = crate::Engine::new(crate::Backend::Cpu).unwrap();
        let error = engine.join(&a, &b).query(crate::Iou::default()).unwrap_err();
        let Error::Union { side: PairSide::B, object: 0, source } = &error else { panic!("{error}") };
        assert!(matches!(**source, Error::TooMany { .. }), "{error}");
        assert!(error.to_string().starts_with("object 0 of B: "), "{error}");
    }
}
