//! Bodies that meet several static bodies at once.
//!
//! A box that lands flat on a row of tiles meets several tiles at once. The solver resolves contacts one after another. If the
//! first contact is beside the centre of mass of the box, its impulse rotates the box, and the other contacts cannot undo
//! all of the rotation in the same step. The contact under the centre of mass stops the whole box. While a box lands flat, the
//! contacts beside the centre of mass are therefore dropped. In the next step, the box is near the tiles and has all
//! contacts. A contact is dropped only if a neighbour continues its edge under the box. The neighbour then holds the box.
//!
//! If a box flies into an inner corner, it meets both sides of the corner. The predicted path of the box ignores the first side.
//! The place where the box meets the second side may therefore lie beyond the first side. The end of the second side then cuts
//! off the part of the contact that is under the centre of mass, and the impulse of the other part would rotate the box. The
//! contact from the start of the step replaces this contact.

use super::{AT_END, Outline, SAME_DIRECTION, Seams, Surface};
use crate::packed::records::View;
use crate::simd::{difference, dot, greater, negated};

/// A contact counts as flat only if rotation moves no point of the bodies by more than this distance along their paths. The unit is
/// the margin of contacts.
pub(in crate::sim) const FLAT: f32 = 0.2;
/// A body lands only if it approaches by at least this distance in the step. Gravity moves a body at rest towards the ground by
/// less. The unit is the margin of contacts.
pub(in crate::sim) const LANDING: f32 = 4.0;
/// Two contacts have the same normal if the cosine of the angle between their normals is at least this number.
pub(in crate::sim) const SAME_NORMAL: f32 = 0.99999;

/// A body that meets a static body.
pub(in crate::sim) struct Lander<'a> {
    /// The core of the body where it meets the static body.
    pub(in crate::sim) core: View<'a>,
    /// The vector from the anchor of the body to its centre of mass, in the caller's unit.
    pub(in crate::sim) offset: [f32; 2],
    /// The length of a quantum, in the caller's unit.
    pub(in crate::sim) quantum: f32,
}

impl Lander<'_> {
    /// Returns how far the side of the core that faces the direction `facing` reaches in the direction `towards`, measured from
    /// the centre of mass. A vertex belongs to this side if it is at most `depth` behind the foremost vertex.
    pub(in crate::sim) fn reach(&self, facing: [f32; 2], towards: [f32; 2], depth: f32) -> f32 {
        let vertices = || self.core.x.iter().zip(self.core.y).take(self.core.head.vertex_count as usize);
        let along = |direction: [f32; 2]| {
            move |(&x, &y): (&f32, &f32)| dot([x * self.quantum, y * self.quantum], direction)
        };
        let foremost = vertices().map(along(facing)).fold(f32::MIN, greater);
        let of_side = vertices().filter(|&vertex| along(facing)(vertex) >= foremost - depth);
        of_side.map(along(towards)).fold(f32::MIN, greater) - dot(self.offset, towards)
    }
}

impl Surface<'_> {
    /// Returns the direction along the surface, and the coordinates of the first and the last contact point in this direction,
    /// relative to the centre of mass of the other body.
    fn span(&self) -> ([f32; 2], [f32; 2]) {
        let along = [self.normal[1], -self.normal[0]];
        let position = |point: Option<&([f32; 2], f32)>| {
            point.map_or(0.0, |&(point, _)| dot(difference(point, self.other), along))
        };
        (along, [position(self.points.first()), position(self.points.last())])
    }

    /// Returns true if the centre of mass of the other body lies between the points.
    pub(in crate::sim) fn is_centred(&self) -> bool {
        let (_, [x, y]) = self.span();
        x * y <= 0.0
    }
}

impl Seams {
    /// `lander` is the other body of a contact of a static body, and `way` is the displacement of the two bodies relative to each
    /// other, along their paths. Returns true if the contact is flat and lies beside the centre of mass of `lander`, and if a
    /// neighbour continues the edge of the contact under `lander` towards this centre of mass.
    pub(in crate::sim) fn is_beside(
        &self,
        body: u32,
        surface: Surface<'_>,
        lander: &Lander<'_>,
        way: [f32; 2],
    ) -> bool {
        let Surface { points: &[(first, first_gap), (second, second_gap)], normal, other, .. } = surface
        else {
            return false;
        };
        let (along, [x, y]) = surface.span();
        let is_flat = (first_gap - second_gap).abs() <= SAME_DIRECTION * (x - y).abs();
        // The neighbour may be lower by the width of a seam. While the body moves by this width along the normal, it moves along
        // the surface by `slope` times this width.
        let slope = dot(way, along).abs() / dot(way, normal).abs();
        if !is_flat || x * y <= 0.0 || x.abs().min(y.abs()) <= 2.0 * self.flush * (1.0 + slope) {
            return false;
        }
        let (record, own) = self.own(body);
        let Some(edge) = self.edge_along(own, normal) else { return false };
        let towards = if x > 0.0 { [-along[0], -along[1]] } else { along };
        let inner = if x.abs() < y.abs() { first } else { second };
        let [a, b] = [self.vertex(own, edge), self.vertex(own, edge + 1)];
        let end = if dot(difference(b, a), towards) > 0.0 { b } else { a };
        let least = 4.0 * self.flush;
        let reach = dot(difference(other, end), towards) + lander.reach(negated(normal), towards, least);
        self.is_near(inner, end, AT_END)
            && reach >= least
            && !self.is_covered(record, end, normal)
            && self.any_around(record, end, &|other| self.continues(other, end, normal, towards))
    }

    /// Returns true if a contact of a static body lies beside the centre of mass of the other body, and reaches an end of an
    /// edge that is in an inner corner.
    pub(in crate::sim) fn is_cut(&self, body: u32, surface: Surface<'_>) -> bool {
        if surface.is_centred() {
            return false;
        }
        let Surface { points, normal, .. } = surface;
        let (record, own) = self.own(body);
        let Some(edge) = self.edge_along(own, normal) else { return false };
        [edge, edge + 1].into_iter().any(|end| {
            let end = self.vertex(own, end);
            points.iter().any(|&(point, _)| self.is_near(point, end, AT_END))
                && self.is_covered(record, end, normal)
        })
    }

    /// Returns the position of the record of a body, and the outline of the body.
    fn own(&self, body: u32) -> (usize, Outline) {
        let record = self.record(body);
        (record, Outline { first: self.words[record + 2] as usize, count: self.words[record + 3] as usize })
    }

    /// Returns true if the distance of two points is at most `limit`. The unit of the limit is [`Seams::flush`].
    fn is_near(&self, point: [f32; 2], other: [f32; 2], limit: f32) -> bool {
        let apart = difference(point, other);
        dot(apart, apart).sqrt() <= limit * self.flush
    }

    /// Returns true if an outline has an edge with the outward normal `normal` that passes through `end`, and continues from
    /// `end` in the direction `towards`.
    fn continues(&self, of: Outline, end: [f32; 2], normal: [f32; 2], towards: [f32; 2]) -> bool {
        self.edge_along(of, normal).is_some_and(|edge| {
            let [a, b] = [0, 1].map(|k| difference(self.vertex(of, edge + k), end));
            let [x, y] = [dot(a, towards), dot(b, towards)];
            let is_in_line = dot(a, self.outward(of, edge)).abs() <= self.flush;
            is_in_line && x.min(y) <= 2.0 * self.flush && x.max(y) > 4.0 * self.flush
        })
    }
}
