//! Computes the area, the centre and the moment of inertia of a shape in closed form.

use glam::DVec2;

use crate::RoundedShape;

/// Area, centroid and second moment of a shape whose density is 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Area of the shape, in the squared unit of length. The area of a point or a segment of radius 0 is 0.
    pub area: f64,
    /// Centroid of the shape, relative to the shape's origin.
    pub centre: DVec2,
    /// Second moment of area about the centroid. The moment of inertia is the density times the second moment of area.
    pub second_moment: f64,
}

impl MassProperties {
    /// Computes the mass properties of a shape. The function adds up the area and the first and second moments of three
    /// parts of the shape: the core, the rectangles along the edges of the core, and the sectors at the corners of the
    /// core. The moments of the core follow from Green's theorem (Steger 1996, "On the Calculation of Arbitrary Moments
    /// of Polygons"). Together, the sectors form one disc. The centre is the first moment divided by the area. For a
    /// shape without area, the centre is the mean of the core's vertices, and the second moment is 0.
    ///
    /// ```
    /// use sat2d::RoundedShape;
    /// use sat2d::sim::MassProperties;
    /// let disc = MassProperties::of(&RoundedShape::circle([3.0, 4.0], 2.0)?);
    /// assert!((disc.area - 4.0 * std::f64::consts::PI).abs() < 1e-12);
    /// assert!((disc.second_moment - 8.0 * std::f64::consts::PI).abs() < 1e-12);
    /// assert_eq!(disc.centre.to_array(), [3.0, 4.0]);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    #[must_use]
    pub fn of(shape: &RoundedShape) -> Self {
        let radius = shape.radius();
        // All positions are relative to a vertex, so that a large distance from the origin does not reduce the
        // precision.
        let origin = shape.core()[0];
        let core: Vec<DVec2> = shape.core().iter().map(|&v| v - origin).collect();
        let mut sum = Sum::default();
        for (k, &p) in core.iter().enumerate() {
            let q = core[(k + 1) % core.len()];
            sum.triangle(p, q);
            if radius > 0.0 {
                sum.rectangle(p, q, radius);
            }
        }
        if radius > 0.0 {
            sum.sectors(&core, radius);
        }
        if sum.area <= 0.0 {
            let centre = core.iter().sum::<DVec2>() / core.len() as f64;
            return Self { area: 0.0, centre: origin + centre, second_moment: 0.0 };
        }
        let centre = sum.first / sum.area;
        let second_moment = (sum.second - sum.area * centre.length_squared()).max(0.0);
        Self { area: sum.area, centre: origin + centre, second_moment }
    }
}

/// The area of a part of a shape, and the first and second moments of this part about the origin.
#[derive(Default)]
struct Sum {
    area: f64,
    first: DVec2,
    second: f64,
}

impl Sum {
    fn triangle(&mut self, p: DVec2, q: DVec2) {
        let double = p.perp_dot(q);
        self.area += 0.5 * double;
        self.first += double / 6.0 * (p + q);
        self.second += double / 12.0 * (p.length_squared() + p.dot(q) + q.length_squared());
    }

    /// Adds the rectangle on the outer side of the edge from `p` to `q`. The height of the rectangle is `radius`.
    fn rectangle(&mut self, p: DVec2, q: DVec2, radius: f64) {
        let length = p.distance(q);
        if length == 0.0 {
            return;
        }
        let outward = -(q - p).perp() / length;
        let (area, centre) = (length * radius, 0.5 * (p + q) + 0.5 * radius * outward);
        let about_centre = area * (length * length + radius * radius) / 12.0;
        self.area += area;
        self.first += area * centre;
        self.second += about_centre + area * centre.length_squared();
    }

    /// Adds the circular sectors at the vertices of the core. A sector lies between the outward normals of the two
    /// edges at its vertex, and has the radius `radius`.
    fn sectors(&mut self, core: &[DVec2], radius: f64) {
        let n = core.len();
        for (k, &v) in core.iter().enumerate() {
            let [before, after] = [v - core[(k + n - 1) % n], core[(k + 1) % n] - v]
                .map(|edge| -edge.perp().normalize_or_zero());
            // A point has no edges, so its sector is a disc.
            let angle = if n == 1 {
                std::f64::consts::TAU
            } else if n == 2 {
                std::f64::consts::PI
            } else {
                libm::atan2(before.perp_dot(after), before.dot(after))
            };
            let area = 0.5 * angle * radius * radius;
            let middle = match n {
                1 => DVec2::ZERO,
                2 => (v - core[1 - k]).normalize_or_zero(),
                _ => (before + after).normalize_or_zero(),
            };
            // The centre of a sector lies 4 r sin(angle / 2) / (3 angle) from its apex.
            let arm = if angle > 0.0 { 4.0 * radius * libm::sin(0.5 * angle) / (3.0 * angle) } else { 0.0 };
            let first = area * (arm * middle);
            self.area += area;
            self.first += area * v + first;
            // The second moment of the sector about its vertex v is area r² / 2. The other terms convert it to the
            // second moment about the origin.
            self.second += 0.5 * area * radius * radius + 2.0 * v.dot(first) + area * v.length_squared();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ConvexPolygon;

    fn square(side: f64, at: f64) -> ConvexPolygon {
        let (a, b) = (at, at + side);
        ConvexPolygon::new(&[[a, a], [b, a], [b, b], [a, b]]).unwrap()
    }

    #[test]
    fn a_square_has_its_closed_form_wherever_it_lies() {
        for at in [-1.0, 0.0, 1e6] {
            let found = MassProperties::of(&RoundedShape::polygon(&square(2.0, at), 0.0).unwrap());
            assert_eq!((found.area, found.centre), (4.0, DVec2::splat(at + 1.0)));
            assert!((found.second_moment - 16.0 / 6.0).abs() < 1e-12);
        }
    }

    #[test]
    fn rounding_is_as_counting_points() {
        let triangle = ConvexPolygon::new(&[[0.0, 0.0], [3.0, 0.5], [1.0, 2.0]]).unwrap();
        for shape in [
            RoundedShape::polygon(&triangle, 0.75).unwrap(),
            RoundedShape::capsule([0.0, 0.0], [2.0, 1.0], 0.5).unwrap(),
        ] {
            let found = MassProperties::of(&shape);
            let core = shape.core();
            let inside = |p: DVec2| {
                let n = core.len();
                let in_core =
                    n > 2 && (0..n).all(|k| (core[(k + 1) % n] - core[k]).perp_dot(p - core[k]) >= 0.0);
                in_core
                    || (0..n).any(|k| {
                        let (a, b) = (core[k], core[(k + 1) % n]);
                        let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
                        p.distance(a + t * (b - a)) <= shape.radius()
                    })
            };
            let (step, mut area, mut first, mut second) = (1.0 / 128.0, 0.0, DVec2::ZERO, 0.0);
            for i in -150..600 {
                for j in -150..600 {
                    let p = DVec2::new(f64::from(i) + 0.5, f64::from(j) + 0.5) * step;
                    if inside(p) {
                        area += step * step;
                        first += p * step * step;
                        second += (p - found.centre).length_squared() * step * step;
                    }
                }
            }
            assert!((found.area - area).abs() < 0.005 * area, "{found:?} {area}");
            assert!((found.centre - first / area).length() < 0.005, "{found:?}");
            assert!((found.second_moment - second).abs() < 0.01 * second, "{found:?} {second}");
        }
    }

    #[test]
    fn points_and_segments_have_no_area() {
        let rod = MassProperties::of(&RoundedShape::capsule([0.0, 0.0], [2.0, 0.0], 0.0).unwrap());
        assert_eq!((rod.area, rod.second_moment, rod.centre.to_array()), (0.0, 0.0, [1.0, 0.0]));
    }
}
