//! Places the axes of a picture next to the polygons, so that no axis crosses another axis.

use sat2d::glam::DVec2;

use sat2d::internal::{Piece, exact_relation};
use sat2d::{Aabb, Axis, Explanation, Pose, Relation};

/// The maximum number of axes that are drawn. A reader could not distinguish more axes.
pub(crate) const MOST_AXES: usize = 8;
/// The length of the longer side of the box around both polygons, in pixels.
const SIZE: f64 = 400.0;
/// The minimum gap between the polygons and the strip in which an axis is drawn, in pixels.
const CLEARANCE: f64 = 26.0;
/// Half of the height of the strip in which an axis is drawn, in pixels.
const HALF_HEIGHT: f64 = 14.0;
/// The length by which an axis extends beyond the projections, in pixels.
pub(crate) const TAIL: f64 = 16.0;
/// The distance by which an axis is moved outward in each try, in pixels.
const STEP: f64 = 8.0;
/// The estimated width of a character of a label, in pixels.
const CHARACTER_WIDTH: f64 = 7.6;
/// The height of a label, in pixels.
const LINE_HEIGHT: f64 = 18.0;

/// The scale from the world to pixels, relative to the middle of both polygons. The y axis points up until the output
/// is written.
pub(crate) struct Scale {
    middle: DVec2,
    pub(crate) pixels: f64,
}

/// An axis and its position in the picture, in pixels.
pub(crate) struct Placed {
    /// The index of the axis in the explanation.
    pub(crate) index: usize,
    /// The unit vector in the direction of the axis.
    pub(crate) normal: DVec2,
    /// The vector from the middle of both polygons to the point of the axis that is nearest to this middle.
    pub(crate) offset: DVec2,
    /// The projection of A, measured along the axis from the point at `offset`.
    pub(crate) projection_a: [f64; 2],
    /// The projection of B, measured along the axis from the point at `offset`.
    pub(crate) projection_b: [f64; 2],
    pub(crate) label: String,
    /// The corner of the label with the least x and y.
    pub(crate) label_corner: DVec2,
    /// The estimated width of the label.
    pub(crate) label_width: f64,
}

impl Scale {
    pub(crate) fn new(explanation: &Explanation) -> Self {
        let around = Aabb::around(&explanation.vertices_a).union(Aabb::around(&explanation.vertices_b));
        // Each corner is halved before the sum, so the sum cannot overflow.
        let middle = around.min * 0.5 + around.max * 0.5;
        Self { middle, pixels: SIZE / (around.max - around.min).max_element() }
    }

    pub(crate) fn place(&self, v: DVec2) -> DVec2 {
        (v - self.middle) * self.pixels
    }

    /// Converts an interval on an axis to pixels, measured from the point of the axis that is nearest to the middle of
    /// both polygons.
    fn interval(&self, explanation: &Explanation, axis: &Axis, interval: [f64; 2]) -> [f64; 2] {
        let foot = axis.normal.dot(self.middle - explanation.origin);
        interval.map(|end| (end - foot) * self.pixels)
    }
}

impl Placed {
    pub(crate) fn at(&self, along: f64) -> DVec2 {
        self.offset + self.normal * along
    }

    /// Returns the interval on the axis that covers both projections.
    pub(crate) fn extent(&self) -> [f64; 2] {
        [self.projection_a[0].min(self.projection_b[0]), self.projection_a[1].max(self.projection_b[1])]
    }
}

/// Returns the axes to draw: the deciding axis first, then the others in order. Each axis lies as near to the polygons as the
/// free space allows.
pub(crate) fn place(
    explanation: &Explanation,
    scale: &Scale,
    label: impl Fn(usize, &Axis) -> String,
) -> Vec<Placed> {
    let polygons = [&explanation.vertices_a, &explanation.vertices_b]
        .map(|vertices| vertices.iter().map(|&v| scale.place(v)).collect::<Vec<DVec2>>());
    let others = (0..explanation.axes.len()).filter(|&index| index != explanation.deciding);
    let mut taken: Vec<[DVec2; 4]> = Vec::new();
    let mut placed = Vec::new();
    for index in std::iter::once(explanation.deciding).chain(others).take(MOST_AXES) {
        let axis = &explanation.axes[index];
        let label = label(index, axis);
        let side = axis.normal.perp();
        // How far the polygons extend from their middle in the direction `side`.
        let reach = |side: DVec2| polygons.iter().flatten().map(|v| v.dot(side)).fold(f64::MIN, f64::max);
        let candidates = (0..).flat_map(|step| {
            [
                (-side, reach(-side) + CLEARANCE + HALF_HEIGHT + STEP * f64::from(step)),
                (side, reach(side) + CLEARANCE + HALF_HEIGHT + STEP * f64::from(step)),
            ]
        });
        for (side, distance) in candidates {
            let mut here = Placed {
                index,
                normal: axis.normal,
                offset: side * distance,
                projection_a: scale.interval(explanation, axis, axis.interval_a),
                projection_b: scale.interval(explanation, axis, axis.interval_b),
                label_corner: DVec2::ZERO,
                label_width: label.chars().count() as f64 * CHARACTER_WIDTH,
                label: label.clone(),
            };
            let [strip, text] = here.outlines();
            here.label_corner = text[0];
            // There is always room far enough outside, because the areas that are already taken are bounded.
            let is_free = |outline: &[DVec2; 4]| {
                taken.iter().all(|other| are_apart(outline, other))
                    && polygons.iter().all(|polygon| are_apart(outline, polygon))
            };
            if is_free(&strip) && is_free(&text) {
                taken.extend([strip, text]);
                placed.push(here);
                break;
            }
        }
    }
    placed
}

impl Placed {
    /// Returns the outlines of the axis and of its label, counter-clockwise.
    fn outlines(&self) -> [[DVec2; 4]; 2] {
        let [least, greatest] = self.extent();
        let half = self.normal.perp() * HALF_HEIGHT;
        let [from, to] = [self.at(least - TAIL), self.at(greatest + TAIL)];
        let strip = [from - half, to - half, to + half, from + half];
        // The label is at the tip of the arrow. It is above, below or beside the tip, depending on the direction.
        let size = DVec2::new(self.label_width, LINE_HEIGHT);
        let toward = (self.normal * 1.8).clamp(DVec2::NEG_ONE, DVec2::ONE);
        let corner = to + self.normal * 9.0 + (toward - DVec2::ONE) * size * 0.5;
        let text =
            [corner, corner + DVec2::new(size.x, 0.0), corner + size, corner + DVec2::new(0.0, size.y)];
        [strip, text]
    }
}

fn are_apart(p: &[DVec2], q: &[DVec2]) -> bool {
    let piece = |vertices| Piece { vertices, pose: Pose::IDENTITY };
    exact_relation(piece(p), piece(q)) == Relation::Disjoint
}
