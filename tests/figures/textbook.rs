//! The f64 oracle. It projects both polygons on every edge normal, relative to the first vertex of A.

use glam::DVec2;
use sat2d::glam;

use super::Ring;

/// Returns two polygons relative to the first vertex of `a`. The subtraction is exact, or rounds each coordinate once.
pub(crate) fn local(a: &Ring, b: &Ring) -> (Vec<DVec2>, Vec<DVec2>) {
    let origin = DVec2::from(a[0]);
    let of = |ring: &Ring| ring.iter().map(|&v| DVec2::from(v) - origin).collect();
    (of(a), of(b))
}

/// Returns the separation: the greatest of the gaps over all edges of both polygons. The gap over an edge is the least
/// distance of the other polygon's vertices from the line of the edge, on its outer side.
pub(crate) fn separation(a: &[DVec2], b: &[DVec2]) -> f64 {
    over_edges(a, b).max(over_edges(b, a))
}

fn over_edges(a: &[DVec2], b: &[DVec2]) -> f64 {
    let mut greatest = f64::NEG_INFINITY;
    if a.len() == 1 {
        return greatest;
    }
    for i in 0..a.len() {
        let edge = a[(i + 1) % a.len()] - a[i];
        let normal = DVec2::new(edge.y, -edge.x) / edge.length();
        greatest = greatest.max(along(normal, a, b));
    }
    greatest
}

/// Returns the gap from A to B along a direction.
pub(crate) fn along(direction: DVec2, a: &[DVec2], b: &[DVec2]) -> f64 {
    let end = a.iter().map(|v| direction.dot(*v)).fold(f64::NEG_INFINITY, f64::max);
    let start = b.iter().map(|v| direction.dot(*v)).fold(f64::INFINITY, f64::min);
    start - end
}

/// Returns the distance between two polygons without a common point: the least distance from a vertex of one to an
/// edge of the other.
pub(crate) fn distance(a: &[DVec2], b: &[DVec2]) -> f64 {
    let to_edges = |points: &[DVec2], polygon: &[DVec2]| {
        let mut least = f64::INFINITY;
        for point in points {
            for i in 0..polygon.len() {
                let (p, q) = (polygon[i], polygon[(i + 1) % polygon.len()]);
                let square = (q - p).length_squared().max(f64::MIN_POSITIVE);
                let part = ((point - p).dot(q - p) / square).clamp(0.0, 1.0);
                least = least.min(point.distance(p + (q - p) * part));
            }
        }
        least
    };
    to_edges(a, b).min(to_edges(b, a))
}

/// Returns the size of a pair. [`sat2d::MEASUREMENT_BOUND`] is a fraction of this size.
pub(crate) fn size(a: &[DVec2], b: &[DVec2]) -> f64 {
    let middle = |ring: &[DVec2]| {
        let least = ring.iter().copied().reduce(DVec2::min).unwrap();
        let greatest = ring.iter().copied().reduce(DVec2::max).unwrap();
        ((least + greatest) / 2.0, (greatest - least).max_element() / 2.0)
    };
    let ((a, extent_a), (b, extent_b)) = (middle(a), middle(b));
    extent_a + extent_b + (a - b).abs().max_element()
}
