//! Finds the features of a polygon that are nearest to a point, if the point is certainly outside the polygon, and the features
//! of two points. The result is the same as the result of [`Cores`](super::cores) and [`nearest`](super::select::nearest).
//! These two take far longer, because they also find the edge with the greatest gap, and treat the point as an edge.

use super::pair::MeasuredPair;
use super::select::{Nearest, SLACK, near_square, nearest_among, square_to_edge};
use crate::answers::pair::PairEdge;
use crate::base::side::PairSide;
use crate::simd::{greater, lesser};

/// This search accepts only polygons with at most this many vertices.
const MOST: usize = 32;
/// A point is proven to be outside the polygon if its gap over an edge is greater than this. The unit is [`SLACK`]
/// times the extent of the pair. In this unit, the error of a gap is less than 1, and [`super::cores`] decides gaps of
/// at most 8 exactly.
const OUTSIDE: f64 = 16.0;

/// Returns the nearest features of two points and the extent of the pair. Returns `None` if A or B is not a point.
pub(super) fn nearest_of_points(pair: &MeasuredPair<'_>) -> Option<(Nearest, f64)> {
    let are_points = pair.a.vertices.len() == 1 && pair.b.vertices.len() == 1;
    // The point A counts as one edge of length 0.
    let edge = PairEdge { side: PairSide::A, index: 0 };
    are_points.then(|| (Nearest { edge, vertex: 0 }, pair.extent()))
}

/// Returns the nearest features and the extent of the pair. Returns `None` if A is not a point, if B is not a polygon of 3
/// to [`MOST`] vertices, or if the point may be inside.
pub(super) fn nearest_outside(pair: &MeasuredPair<'_>) -> Option<(Nearest, f64)> {
    let (&[point], polygon) = (pair.a.vertices, pair.b) else { return None };
    let count = polygon.vertices.len();
    if !(3..=MOST).contains(&count) {
        return None;
    }
    // The squares of the distances between the point and the vertices, then between the point and the edges.
    let mut squares = [f64::INFINITY; 2 * MOST];
    let (mut least, mut extent) = (f64::INFINITY, 0.0);
    for (square, &vertex) in squares.iter_mut().zip(polygon.vertices) {
        let way = point - vertex;
        extent = greater(greater(extent, way.x.abs()), way.y.abs());
        *square = way.x * way.x + way.y * way.y;
        least = lesser(*square, least);
    }
    let slack = SLACK * extent;
    let mut is_outside = false;
    for (k, &vertex) in polygon.vertices.iter().enumerate() {
        let (edge, way) = (polygon.edge(k), point - vertex);
        // The sum of the magnitudes of the coordinates is at least the length of the edge.
        let gap_times_length = way.x * edge.y - way.y * edge.x;
        is_outside |= gap_times_length > OUTSIDE * slack * (edge.x.abs() + edge.y.abs());
        squares[count + k] = square_to_edge(polygon, k, point);
        least = lesser(squares[count + k], least);
    }
    if !is_outside {
        return None;
    }
    let most = near_square(least, slack);
    let near = (0..2 * count).filter(|&place| squares[place] <= most).map(|place| {
        // The point A counts as one edge of length 0.
        let (side, index, vertex) =
            if place < count { (PairSide::A, 0, place) } else { (PairSide::B, place - count, 0) };
        Nearest { edge: PairEdge { side, index: index as u32 }, vertex }
    });
    Some((nearest_among(pair, near, slack), extent))
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::super::pair::Images;
    use super::super::select::nearest;
    use super::*;
    use crate::geometry::{Piece, Pose};

    /// Returns convex polygons on a small grid, a sliver, and a polygon with many vertices.
    fn polygons() -> Vec<Vec<DVec2>> {
        let grid: [&[[f64; 2]]; 4] = [
            &[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]],
            &[[0.0, 1.0], [3.0, 0.0], [2.0, 4.0]],
            &[[1.0, 0.0], [3.0, 0.0], [4.0, 2.0], [3.0, 4.0], [1.0, 4.0], [0.0, 2.0]],
            &[[0.0, 0.0], [4.0, 3.0], [4.0, 3.0 + 1e-9]],
        ];
        let mut polygons: Vec<Vec<DVec2>> =
            grid.iter().map(|ring| ring.iter().map(|&vertex| vertex.into()).collect()).collect();
        let round = |k: usize| DVec2::from_angle(std::f64::consts::TAU * k as f64 / 31.0) * 2.0 + 2.0;
        polygons.push((0..31).map(round).collect());
        polygons
    }

    #[test]
    fn two_points_have_the_nearest_features_of_the_search_for_all_shapes() {
        let at = |place: i32| DVec2::new(f64::from(place % 5), f64::from(place / 5)) * 0.1 - 0.2;
        for (a, b) in (0..25).flat_map(|a| (0..25).map(move |b| (at(a), at(b)))) {
            for pose in [Pose::IDENTITY, Pose::new(0.7, [0.3, -1.7]).unwrap()] {
                let (a, b) = (&[a], &[b]);
                let pieces = [Piece { vertices: a, pose: Pose::IDENTITY }, Piece { vertices: b, pose }];
                let Images { vertices, edges, .. } = &mut Images::default();
                let pair = MeasuredPair::new(pieces, [None; 2], vertices, edges);
                let (found, extent) = nearest_of_points(&pair).unwrap();
                assert_eq!(found, nearest(&pair, SLACK * extent), "{a:?} {b:?}");
                assert_eq!(extent, pair.extent());
            }
        }
        let polygon = Piece { vertices: &[DVec2::ZERO, DVec2::X, DVec2::ONE], pose: Pose::IDENTITY };
        let point = Piece { vertices: &[DVec2::NEG_ONE], pose: Pose::IDENTITY };
        for pieces in [[point, polygon], [polygon, point], [polygon, polygon]] {
            let Images { vertices, edges, .. } = &mut Images::default();
            assert!(nearest_of_points(&MeasuredPair::new(pieces, [None; 2], vertices, edges)).is_none());
        }
    }

    #[test]
    fn the_nearest_features_are_the_same_as_of_the_search_for_all_shapes() {
        let poses = [Pose::IDENTITY, Pose::new(0.7, [0.3, -1.7]).unwrap()];
        let (mut found_count, mut outside_count) = (0, 0);
        for ring in polygons() {
            for place in 0..33 * 33 {
                let point = DVec2::new(f64::from(place % 33), f64::from(place / 33)) * 0.25 - 2.0;
                for pose in poses {
                    let image = pose.apply(point);
                    let pieces =
                        [Piece { vertices: &[image], pose: Pose::IDENTITY }, Piece { vertices: &ring, pose }];
                    let Images { vertices, edges, .. } = &mut Images::default();
                    let pair = MeasuredPair::new(pieces, [None; 2], vertices, edges);
                    let gap = |k: usize| {
                        let (start, end) = (ring[k], ring[(k + 1) % ring.len()]);
                        -(end - start).perp_dot(point - start) / start.distance(end)
                    };
                    let greatest = (0..ring.len()).map(gap).fold(f64::NEG_INFINITY, f64::max);
                    outside_count += usize::from(greatest > 1e-6);
                    match nearest_outside(&pair) {
                        None => assert!(greatest < 1e-6, "{point} {ring:?}"),
                        Some((found, extent)) => {
                            found_count += 1;
                            assert!(greatest > -1e-12, "{point} {ring:?}");
                            assert_eq!(extent, pair.extent());
                            assert_eq!(found, nearest(&pair, SLACK * extent), "{point} {ring:?}");
                        }
                    }
                }
            }
        }
        assert!(found_count >= outside_count && outside_count > 5_000, "{found_count} {outside_count}");
    }
}
