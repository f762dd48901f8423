//! The region of a rounded shape: its bounding box, its outline, and the distance of a point from it. The measurements
//! are computed in f64, and are also used for drawing. They do not decide relations.

use glam::DVec2;

use super::{Aabb, Pose, RoundedShape};
use crate::base::angles;

impl RoundedShape {
    /// Returns the bounding box of the posed shape. The coordinates of the box are rounded to f64.
    ///
    /// ```
    /// use sat2d::{Pose, RoundedShape};
    /// let rod = RoundedShape::capsule([-1.0, 0.0], [1.0, 0.0], 0.25)?;
    /// let aabb = rod.aabb(&Pose::from_translation([10.0, 5.0])?);
    /// assert_eq!((aabb.min.to_array(), aabb.max.to_array()), ([8.75, 4.75], [11.25, 5.25]));
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[must_use]
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let corners: Vec<DVec2> = self.core().iter().map(|&vertex| pose.apply(vertex)).collect();
        let (core, radius) = (Aabb::around(&corners), DVec2::splat(self.radius()));
        Aabb { min: core.min - radius, max: core.max + radius }
    }

    /// Returns the distance of a point from the shape. `point` is in the shape's own coordinates, without a pose. The
    /// distance is 0 inside the shape and on its boundary.
    ///
    /// ```
    /// use sat2d::RoundedShape;
    /// let wheel = RoundedShape::circle([0.0, 0.0], 0.5)?;
    /// assert_eq!(wheel.distance_to([3.0, 4.0]), 4.5);
    /// assert_eq!(wheel.distance_to([0.25, 0.0]), 0.0);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[must_use]
    pub fn distance_to(&self, point: impl Into<DVec2>) -> f64 {
        let (point, core) = (point.into(), self.core());
        let mut nearest = f64::INFINITY;
        let mut is_inside = core.len() > 2;
        for (k, &from) in core.iter().enumerate() {
            let (edge, arm) = (core[(k + 1) % core.len()] - from, point - from);
            is_inside &= edge.perp_dot(arm) >= 0.0;
            // Only the core of a circle has an edge of length 0.
            let square = edge.length_squared();
            let along = if square > 0.0 { (edge.dot(arm) / square).clamp(0.0, 1.0) } else { 0.0 };
            nearest = nearest.min(arm.distance(along * edge));
        }
        if is_inside { 0.0 } else { (nearest - self.radius()).max(0.0) }
    }

    /// Returns the outline of the shape as a counter-clockwise ring, in the shape's own coordinates, without a pose.
    /// Chords replace the arcs. The chords deviate from the arcs by at most `error`, in the caller's unit, or by at
    /// most 0.0001 times the radius if `error` is smaller. If the radius is 0, the outline has the vertices of the
    /// core: one vertex for a point, and two vertices for a segment.
    ///
    /// ```
    /// use sat2d::RoundedShape;
    /// let wheel = RoundedShape::circle([0.0, 0.0], 1.0)?;
    /// // The middle of each chord is more than 0.99 from the centre.
    /// let ring = wheel.outline(0.01);
    /// assert!(ring.iter().zip(&ring[1..]).all(|(a, b)| (0.5 * (*a + *b)).length() > 0.99));
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[must_use]
    pub fn outline(&self, error: f64) -> Vec<DVec2> {
        use std::f64::consts::{PI, TAU};
        let (core, radius) = (self.core(), self.radius());
        if radius == 0.0 {
            return core.to_vec();
        }
        let most_turn = 2.0 * angles::acos((1.0 - error / radius).clamp(-1.0, 1.0));
        let chords = |turn: f64| (turn / most_turn.max(LEAST_TURN)).ceil().max(1.0) as u32;
        if let [centre] = *core {
            let count = chords(TAU).max(3);
            let at = |k: u32| centre + radius * direction(TAU * f64::from(k) / f64::from(count));
            return (0..count).map(at).collect();
        }
        let outward =
            |k: usize| -(core[(k + 1) % core.len()] - core[k % core.len()]).normalize_or_zero().perp();
        let mut ring = Vec::new();
        for (k, &corner) in core.iter().enumerate() {
            let [before, after] = [outward(k + core.len() - 1), outward(k)];
            let turn =
                if core.len() == 2 { PI } else { angles::atan2(before.perp_dot(after), before.dot(after)) };
            let count = chords(turn);
            for part in 0..=count {
                let outward = direction(turn * f64::from(part) / f64::from(count)).rotate(before);
                ring.push(corner + radius * outward);
            }
        }
        ring
    }
}

fn direction(angle: f64) -> DVec2 {
    let (sin, cos) = angles::sin_cos(angle);
    DVec2::new(cos, sin)
}

/// The least central angle of a chord, in radians. It limits a circle to 256 chords, which deviate from the circle by
/// less than 0.0001 times the radius.
const LEAST_TURN: f64 = std::f64::consts::TAU / 256.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ConvexPolygon;

    /// Returns the signed area of a ring, which is positive if the ring is counter-clockwise.
    fn area(ring: &[DVec2]) -> f64 {
        let next = |k: usize| ring[(k + 1) % ring.len()];
        0.5 * ring.iter().enumerate().map(|(k, &p)| p.perp_dot(next(k))).sum::<f64>()
    }

    fn shapes() -> Vec<RoundedShape> {
        let square = ConvexPolygon::new(&[[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0]]).unwrap();
        vec![
            RoundedShape::circle([1.0, 2.0], 1.0).unwrap(),
            RoundedShape::capsule([0.0, 0.0], [4.0, 0.0], 1.0).unwrap(),
            RoundedShape::polygon(&square, 1.0).unwrap(),
            RoundedShape::polygon(&square, 0.0).unwrap(),
        ]
    }

    #[test]
    fn outlines_are_counter_clockwise_and_have_the_area_of_their_shape() {
        for shape in shapes() {
            let core = shape.core();
            let length: f64 = (0..core.len()).map(|k| core[k].distance(core[(k + 1) % core.len()])).sum();
            let radius = shape.radius();
            let whole = area(core) + length * radius + std::f64::consts::PI * radius * radius;
            let found = area(&shape.outline(1e-3));
            assert!(found <= whole + 1e-9 && found > whole - 0.02, "{found} {whole}");
        }
    }

    #[test]
    fn the_outline_is_at_no_distance_and_a_step_outside_is_a_step_away() {
        for shape in shapes() {
            let ring = shape.outline(0.01);
            for (k, &at) in ring.iter().enumerate() {
                assert!(shape.distance_to(at) < 1e-12);
                let middle = 0.5 * (at + ring[(k + 1) % ring.len()]);
                let outward = -(ring[(k + 1) % ring.len()] - at).normalize().perp();
                assert_eq!(shape.distance_to(middle - 0.1 * outward), 0.0);
                let away = shape.distance_to(middle + 0.5 * outward);
                assert!((0.49..=0.5 + 1e-12).contains(&away), "{away}");
            }
        }
    }

    #[test]
    fn boxes_hold_the_outline_of_a_turned_shape_and_no_more() {
        let pose = Pose::new(0.7, [3.0, -2.0]).unwrap();
        for shape in shapes() {
            let posed: Vec<DVec2> = shape.outline(1e-5).iter().map(|&v| pose.apply(v)).collect();
            let (aabb, around) = (shape.aabb(&pose), Aabb::around(&posed));
            assert!((aabb.min - around.min).abs().max_element() < 1e-3, "{aabb:?} {around:?}");
            assert!((aabb.max - around.max).abs().max_element() < 1e-3, "{aabb:?} {around:?}");
        }
    }
}
