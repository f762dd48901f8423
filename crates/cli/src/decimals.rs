//! Formats measurements of pairs for output. A value from decimal input is written as a short decimal.

use sat2d::glam::DVec2;

use sat2d::internal::size_of_pair;
use sat2d::{Closest, Contact, Distance, MEASUREMENT_BOUND, Manifold, MeasuredPair, Penetration, PolygonSet};
use sat2d_io::internal::Decimals;

/// The fraction of a pair's size by which a written value may differ from the computed value. Together with the error of the
/// computation, the written value stays within [`MEASUREMENT_BOUND`].
const TOLERANCE: f64 = MEASUREMENT_BOUND / 4.0;

/// Short decimals for the measurements of pairs of two sets.
#[derive(Clone, Copy)]
pub(super) struct PairDecimals<'a> {
    sets: [&'a PolygonSet; 2],
    /// The limit of distances. A length of at most this limit does not become greater than the limit.
    within: f64,
}

impl<'a> PairDecimals<'a> {
    /// Creates the decimals for two sets. `within` is the limit of distances, or `None` if there is no limit.
    pub(super) fn new(sets: [&'a PolygonSet; 2], within: Option<f64>) -> Self {
        Self { sets, within: within.unwrap_or(f64::INFINITY) }
    }

    pub(super) fn distance(&self, found: &MeasuredPair<Distance>) -> f64 {
        self.decimals(found).length_within(found.measurement.distance, self.within)
    }

    /// Returns the closest points, or `None` if the pair meets.
    pub(super) fn closest(&self, found: &MeasuredPair<Distance>) -> Option<Closest> {
        let (closest, decimals) = (found.measurement.closest?, self.decimals(found));
        let [point_a, point_b] =
            [closest.point_a, closest.point_b].map(|point| self.place(found, decimals, point));
        // Points that differ must not become equal.
        Some(if point_a == point_b { closest } else { Closest { point_a, point_b, ..closest } })
    }

    pub(super) fn penetration(&self, found: &MeasuredPair<Penetration>) -> Penetration {
        let separation = self.decimals(found).length(found.measurement.separation);
        Penetration { separation, ..found.measurement }
    }

    pub(super) fn manifold(&self, found: &MeasuredPair<Manifold>) -> Manifold {
        let (decimals, figure) = (self.decimals(found), found.measurement);
        let mut written = Manifold::without_points(figure.normal, figure.separation, figure.edge);
        for &contact in figure.points() {
            let position = self.place(found, decimals, contact.position);
            let separation = decimals.length_within(contact.separation, self.within);
            written.push_within(f64::INFINITY, Contact { position, separation, ..contact });
        }
        written
    }

    /// Returns a position for output. A coordinate that equals a coordinate of a vertex stays unchanged, so it can be found in
    /// the input.
    fn place<T>(&self, found: &MeasuredPair<T>, decimals: Decimals, place: DVec2) -> DVec2 {
        let [set_a, set_b] = self.sets;
        let vertices = || {
            let of_b = set_b.piece_vertices(found.piece_b as usize);
            set_a.piece_vertices(found.piece_a as usize).iter().chain(of_b)
        };
        let written = |axis: usize| {
            let decimal = decimals.place(place[axis]);
            // Few coordinates reach this search.
            let is_given = decimal != place[axis] && vertices().any(|vertex| vertex[axis] == place[axis]);
            if is_given { place[axis] } else { decimal }
        };
        DVec2::new(written(0), written(1))
    }

    /// Returns the decimals for the two measured pieces.
    fn decimals<T>(&self, found: &MeasuredPair<T>) -> Decimals {
        let [set_a, set_b] = self.sets;
        let boxes = [set_a.piece_aabb(found.piece_a as usize), set_b.piece_aabb(found.piece_b as usize)];
        let greatest = boxes.map(|aabb| aabb.min.abs().max(aabb.max.abs()).max_element());
        Decimals::new(greatest[0].max(greatest[1]), TOLERANCE * size_of_pair(boxes))
    }
}
