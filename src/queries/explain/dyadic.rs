//! Finds f64 points that lie exactly on the line of an edge.

use glam::DVec2;

use crate::geometry::predicates::exact_sum;

/// The number of bits of the finest position on an edge: a step is 2^-24 of the edge, which is finer than a picture shows.
const FINEST: i32 = 24;

/// Returns points near the position `share` of an edge that lie exactly on the line through its ends. The nearest point
/// comes first. Each later point has one bit less in its position. The iterator is empty if the exponents of the
/// coordinates of `p` and `q` differ too much.
pub(super) fn near([p, q]: [DVec2; 2], share: f64) -> impl Iterator<Item = DVec2> {
    (0..=FINEST).rev().filter_map(move |bits| {
        let parts = 2f64.powi(bits);
        at([p, q], (share * parts).round() / parts)
    })
}

fn at([p, q]: [DVec2; 2], share: f64) -> Option<DVec2> {
    let coordinate = |p: f64, q: f64| exact_sum(p, exact_product(exact_sum(q, -p)?, share)?);
    Some(DVec2::new(coordinate(p.x, q.x)?, coordinate(p.y, q.y)?))
}

fn exact_product(a: f64, b: f64) -> Option<f64> {
    let product = a * b;
    (a.mul_add(b, -product) == 0.0).then_some(product)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::predicates::orientation;

    #[test]
    fn points_are_on_the_line_and_as_near_as_f64_can() {
        let edge = [DVec2::new(0.1, 0.7), DVec2::new(3.3, -1.9)];
        let edge = edge.map(|v| (v * 1024.0).round() / 1024.0);
        for share in [-1.5, 0.0, 0.3, 1.0, 2.7] {
            let found = near(edge, share).next().expect("ends of few bits");
            assert_eq!(orientation(edge[0], edge[1], found), 0.0);
            assert!(found.distance(edge[0].lerp(edge[1], share)) <= 2f64.powi(-24) * 5.0);
        }
    }

    #[test]
    fn what_would_be_rounded_is_left_out() {
        // The difference between the ends has more bits than f64.
        assert_eq!(near([DVec2::new(1e30, 0.0), DVec2::new(1.0, 1.0)], 0.5).count(), 0);
        // If the ends use all bits of f64, only the ends themselves are exact.
        let edge = [DVec2::new(1.0 / 3.0, 0.0), DVec2::new(2.0 / 3.0, 1.0)];
        assert!(near(edge, 0.3).all(|v| v == edge[0] || v == edge[1]));
    }
}
