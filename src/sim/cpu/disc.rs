//! Computes the gap between a point and a convex polygon, and the direction out of the polygon. If the point is inside
//! the polygon, the gap is the negative depth.

use crate::packed::records::{LANES, View};
use crate::simd::{Instructions, Lanes, lesser};

/// A squared length above this number of square quanta is certainly accurate. A smaller squared length may be inaccurate
/// because of underflow. A quantum is the spacing of the world's grid.
const LEAST_SQUARE: f32 = f32::from_bits((127 - 100) << 23);

/// Returns the unit vector from a polygon with at least 2 vertices to a point, and the distance between the polygon and
/// the point. The coordinates of the point are relative to the polygon's anchor. If the point is inside the polygon,
/// returns the outward normal of the edge nearest to the point and the negative depth. If several edges are equally
/// near, chooses the edge with the lowest index.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
pub(super) fn point_from<I: Instructions>(i: I, view: View<'_>, point: [f32; 2]) -> ([f32; 2], f32) {
    let count = view.head.vertex_count as usize;
    let mut inside = Best { value: f32::NEG_INFINITY, normal: [1.0, 0.0] };
    let mut outside = Best { value: f32::INFINITY, normal: [1.0, 0.0] };
    let mut start = 0;
    loop {
        edges(i, view, start, point, &mut inside, &mut outside);
        start += LANES;
        if start >= count {
            break;
        }
        start = start.min(count - LANES);
    }
    // A segment has no inside, because the gap to its line is also 0 beyond the ends of the segment.
    if (count > 2 && inside.value <= 0.0) || outside.value <= LEAST_SQUARE {
        return (inside.normal, lesser(inside.value, 0.0));
    }
    let distance = outside.value.sqrt();
    ([outside.normal[0] / distance, outside.normal[1] / distance], distance)
}

struct Best {
    value: f32,
    normal: [f32; 2],
}

/// Tests eight edges of the polygon, from edge `start` on. Updates `inside` if the gap between the point and the line
/// of an edge is greater than the gap found so far. Updates `outside` if the squared distance between the point and an
/// edge is less than the distance found so far.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn edges<I: Instructions>(
    i: I,
    view: View<'_>,
    start: usize,
    point: [f32; 2],
    inside: &mut Best,
    outside: &mut Best,
) {
    let (x, y) = (i.load(view.x, start), i.load(view.y, start));
    let edge = [i.load(view.x, start + 1).sub(x), i.load(view.y, start + 1).sub(y)];
    let to = [i.splat(point[0]).sub(x), i.splat(point[1]).sub(y)];
    let square = edge[0].mul_add(edge[0], edge[1].mul(edge[1])).max(i.splat(LEAST_SQUARE));
    let along = to[0].mul_add(edge[0], to[1].mul(edge[1]));
    let part = along.div(square).max(i.splat(0.0)).min(i.splat(1.0));
    let away = [to[0].sub(part.mul(edge[0])), to[1].sub(part.mul(edge[1]))];
    let distance = away[0].mul_add(away[0], away[1].mul(away[1]));
    // The vertices are counter-clockwise, so the outside of the polygon is to the right of an edge.
    let length = square.sqrt();
    let normal = [edge[1].div(length), i.splat(0.0).sub(edge[0]).div(length)];
    let gap = to[0].mul_add(normal[0], to[1].mul(normal[1]));
    let greatest = gap.greatest();
    if greatest.first() > inside.value {
        let lane = gap.at_least(greatest).trailing_zeros() as usize;
        let normal = [normal[0].to_array()[lane], normal[1].to_array()[lane]];
        *inside = Best { value: greatest.first(), normal };
    }
    let least = distance.least();
    if least.first() < outside.value {
        let lane = least.at_least(distance).trailing_zeros() as usize;
        let normal = [away[0].to_array()[lane], away[1].to_array()[lane]];
        *outside = Best { value: least.first(), normal };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::records::{Head, Small};
    use crate::simd::{Vectorised, vectorised_alike};

    struct From<'a>(View<'a>, [f32; 2]);

    impl Vectorised for From<'_> {
        type Output = ([f32; 2], f32);

        #[inline(always)]
        fn run<I: Instructions>(self, i: I) -> Self::Output {
            point_from(i, self.0, self.1)
        }
    }

    /// Returns a row of the coordinates of a polygon's vertices, in which the first vertices follow the last vertex.
    fn row(of: &[f32]) -> Vec<f32> {
        of.iter().copied().cycle().take(of.len().max(LANES) + 1).collect()
    }

    /// Checks cases that were computed by hand. The distance between a point and a segment grows beyond the ends of the
    /// segment, although the line of the segment continues.
    #[test]
    fn a_segment_has_no_inside() {
        let head = Head { vertex_count: 2, ..Head::default() };
        for (ends, point, normal, gap) in [
            ([[-1.0, 0.0], [1.0, 0.0]], [1.45, 0.0], Some([1.0, 0.0]), 0.45),
            ([[0.0, 0.0], [0.0, 2.0]], [0.0, 2.5], Some([0.0, 1.0]), 0.5),
            ([[0.0, 0.0], [0.0, 2.0]], [0.0, -0.5], Some([0.0, -1.0]), 0.5),
            ([[-1.0, 0.0], [1.0, 0.0]], [0.5, 0.25], Some([0.0, 1.0]), 0.25),
            ([[-1.0, 0.0], [1.0, 0.0]], [0.5, 0.0], None, 0.0),
        ] {
            let [x, y] = [0, 1].map(|axis| std::array::from_fn(|k| ends[k % 2][axis]));
            let small = Small::new(head, x, y);
            let found = vectorised_alike(From(small.view(), point));
            assert!((found.1 - gap).abs() < 1e-6, "{point:?}: {found:?}");
            assert!(normal.is_none_or(|normal| normal == found.0), "{point:?}: {found:?}");
            assert!((found.0[0].hypot(found.0[1]) - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn distance_and_way_out_are_those_of_every_edge_in_turn() {
        // The polygons are a long triangle, a square, and polygons with 8, 9 and 20 vertices.
        let ring = |count: usize| -> Vec<[f32; 2]> {
            let at = |k: usize| (k as f32 * std::f32::consts::TAU / count as f32).sin_cos();
            (0..count).map(|k| (at(k).1 * 3.0, at(k).0 * 2.0)).map(|(x, y)| [x, y]).collect()
        };
        let polygons = [vec![[-5.0, -0.1], [5.0, 0.0], [-5.0, 0.1]], ring(4), ring(8), ring(9), ring(20)];
        for polygon in polygons {
            let [x, y] = [0, 1].map(|axis| row(&polygon.iter().map(|v| v[axis]).collect::<Vec<_>>()));
            let head = Head { vertex_count: polygon.len() as u32, ..Head::default() };
            let small = (polygon.len() <= LANES)
                .then(|| Small::new(head, std::array::from_fn(|k| x[k]), std::array::from_fn(|k| y[k])));
            let view = small.as_ref().map_or(View { head: &head, x: &x, y: &y }, Small::view);
            for k in 0..4000 {
                let point = [(k % 63) as f32 * 0.2 - 6.3, (k / 63) as f32 * 0.1 - 3.15];
                let (normal, gap) = vectorised_alike(From(view, point));
                let (mut nearest, mut deepest) = (f32::INFINITY, f32::NEG_INFINITY);
                for (j, &p) in polygon.iter().enumerate() {
                    let q = polygon[(j + 1) % polygon.len()];
                    let (e, d) = ([q[0] - p[0], q[1] - p[1]], [point[0] - p[0], point[1] - p[1]]);
                    let square = e[0] * e[0] + e[1] * e[1];
                    let t = ((d[0] * e[0] + d[1] * e[1]) / square).clamp(0.0, 1.0);
                    nearest = nearest.min((d[0] - t * e[0]).hypot(d[1] - t * e[1]));
                    deepest = deepest.max((d[0] * e[1] - d[1] * e[0]) / square.sqrt());
                }
                let expected = if deepest <= 0.0 { deepest } else { nearest };
                assert!((gap - expected).abs() < 1e-5, "{polygon:?} {point:?}: {gap}, not {expected}");
                assert!((normal[0].hypot(normal[1]) - 1.0).abs() < 1e-5, "{point:?} {normal:?}");
                if gap > 0.01 {
                    // A step of length `gap` against the normal leads to the boundary.
                    let on = [point[0] - gap * normal[0], point[1] - gap * normal[1]];
                    assert!(vectorised_alike(From(view, on)).1.abs() < 1e-4, "{polygon:?} {point:?}");
                }
            }
        }
    }
}
