//! The vertices and edges of the outlines of static bodies.

use super::{AT_END, Outline, SAME_DIRECTION, Seams};
use crate::simd::{difference, dot};

impl Seams {
    pub(super) fn vertex(&self, of: Outline, k: usize) -> [f32; 2] {
        [0, 1].map(|axis| f32::from_bits(self.words[of.first + 2 * (k % of.count) + axis]))
    }

    /// Returns the outward unit normal of the edge with index `edge` of an outline.
    pub(super) fn outward(&self, of: Outline, edge: usize) -> [f32; 2] {
        let [x, y] = difference(self.vertex(of, edge + 1), self.vertex(of, edge));
        let length = (x * x + y * y).sqrt();
        [y / length, -x / length]
    }

    /// Returns the index of an edge whose outward normal has the direction of `normal`, up to [`SAME_DIRECTION`].
    /// Returns `None` if there is no such edge.
    pub(super) fn edge_along(&self, of: Outline, normal: [f32; 2]) -> Option<usize> {
        (0..of.count).find(|&edge| {
            let [x, y] = self.outward(of, edge);
            x * normal[0] + y * normal[1] > 0.0 && (x * normal[1] - y * normal[0]).abs() <= SAME_DIRECTION
        })
    }

    /// Returns true if `point` lies at most `by` outside the line of each edge of an outline. If `by` is negative, the
    /// point must lie at least `-by` inside each of these lines.
    pub(super) fn holds(&self, of: Outline, point: [f32; 2], by: f32) -> bool {
        (0..of.count).all(|k| dot(difference(point, self.vertex(of, k)), self.outward(of, k)) <= by)
    }

    /// Returns true if an outline has a vertex in front of the line through `point` perpendicular to `normal`, by more than
    /// a tolerance. The front is the side to which `normal` points.
    pub(super) fn reaches_beyond(&self, of: Outline, point: [f32; 2], normal: [f32; 2]) -> bool {
        (0..of.count).any(|k| {
            let away = difference(self.vertex(of, k), point);
            dot(away, normal) > SAME_DIRECTION * dot(away, away).sqrt() + self.flush
        })
    }

    /// Returns true if `point`, which lies on the boundary of an outline, is on the edge with index `edge`.
    pub(super) fn is_on(&self, of: Outline, edge: usize, point: [f32; 2]) -> bool {
        dot(difference(point, self.vertex(of, edge)), self.outward(of, edge)) >= -4.0 * self.flush
    }

    /// Returns the end of an edge that is nearest to `point` if `point` lies more than [`AT_END`] times [`Seams::flush`]
    /// beyond this end, and `point` otherwise. If only the ends of two edges meet, the narrow phase may return a point at
    /// the far end of the other edge.
    pub(super) fn within(&self, own: Outline, edge: usize, point: [f32; 2]) -> [f32; 2] {
        let [a, b] = [self.vertex(own, edge), self.vertex(own, edge + 1)];
        let (outward, limit) = (self.outward(own, edge), AT_END * self.flush);
        let beyond = |end: [f32; 2]| dot(difference(point, end), [outward[1], -outward[0]]);
        if beyond(a) > limit {
            a
        } else if beyond(b) < -limit {
            b
        } else {
            point
        }
    }
}
