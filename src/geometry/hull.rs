use glam::DVec2;

use super::predicates::orientation;

/// Returns the strictly convex hull of `points`, counter-clockwise. The hull begins at the point with the least x, and
/// among several such points at the point with the least y. If all points lie on one line, the hull has fewer than 3
/// vertices. The algorithm is Andrew's monotone chain with exact orientations.
pub(crate) fn convex_hull(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut sorted: Vec<DVec2> = points.iter().map(|&p| p.into()).collect();
    // `total_cmp` differs from `<` only for -0 and NaN, and no coordinate is -0 or NaN.
    crate::base::sorting::sort_by(&mut sorted, |a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted.iter().map(|p| p.to_array()).collect();
    }
    let mut hull: Vec<DVec2> = Vec::with_capacity(sorted.len() + 1);
    append_chain(&mut hull, sorted.iter().copied());
    // The last point of a chain is the first point of the next chain.
    hull.pop();
    append_chain(&mut hull, sorted.iter().rev().copied());
    hull.pop();
    hull.iter().map(|p| p.to_array()).collect()
}

/// Appends one chain of Andrew's algorithm to the hull. The chain goes through `points` in their order, and leaves out
/// each point at which it would not turn left.
fn append_chain(hull: &mut Vec<DVec2>, points: impl Iterator<Item = DVec2>) {
    let start = hull.len();
    for point in points {
        while let [.., before, last] = hull[start..] {
            if orientation(before, last, point) > 0.0 {
                break;
            }
            hull.pop();
        }
        hull.push(point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collinear_and_repeated_points_are_no_vertices() {
        let grid: Vec<[f64; 2]> = (0..25).map(|i| [f64::from(i % 5), f64::from(i / 5)]).collect();
        assert_eq!(convex_hull(&grid), [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]);
        assert_eq!(convex_hull(&[[0.0, 0.0], [2.0, 2.0], [1.0, 1.0], [2.0, 2.0]]).len(), 2);
        assert_eq!(convex_hull(&[]), [] as [[f64; 2]; 0]);
    }

    #[test]
    fn a_turn_of_one_ulp_is_a_vertex() {
        let up = 1.0f64.next_up();
        assert_eq!(convex_hull(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [1.0, up]]).len(), 3);
    }
}
