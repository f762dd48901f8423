//! Formats measurements of pairs for output. A value from decimal input is written as a short decimal.

use sat2d::glam::DVec2;

use sat2d::internal::size_of_pair;
use sat2d::{
    Aabb, Closest, Contact, Distance, MEASUREMENT_BOUND, Manifold, MeasuredPair, Overlap, Penetration,
    PolygonSet,
};

use super::decimal::Decimals;

/// The greatest difference between a written and a computed value. For lengths and positions, it is a fraction of the
/// pair's size. For areas, it is a fraction of the area of the box. For an intersection over union, it is the
/// difference itself. The written value stays within [`MEASUREMENT_BOUND`], even if the error of the computation is
/// added.
pub const TOLERANCE: f64 = MEASUREMENT_BOUND / 4.0;
/// A magnitude of coordinates whose ulp is huge, so that only the tolerance limits the change of a value.
const ANY: f64 = 1e300;

/// Replaces measurements of the pairs of two sets by short decimals, for output.
#[derive(Clone, Copy, Debug)]
pub struct PairDecimals<'a> {
    sets: [&'a PolygonSet; 2],
    /// The limit of distances that the caller requested, or infinity. A written length does not exceed the limit if the
    /// computed length does not.
    within: f64,
}

impl<'a> PairDecimals<'a> {
    /// Creates the rule for the pairs of two sets. `within` is the limit of distances, or `None` if there is no limit.
    pub fn new(sets: [&'a PolygonSet; 2], within: Option<f64>) -> Self {
        Self { sets, within: within.unwrap_or(f64::INFINITY) }
    }

    /// Returns the distance of a pair for output, as a short decimal if one is near.
    pub fn distance(&self, found: &MeasuredPair<Distance>) -> f64 {
        self.decimals(found).length_within(found.measurement.distance, self.within)
    }

    /// Returns the closest points for output, or `None` if the two objects of the pair meet.
    pub fn closest(&self, found: &MeasuredPair<Distance>) -> Option<Closest> {
        let (closest, decimals) = (found.measurement.closest?, self.decimals(found));
        let [point_a, point_b] =
            [closest.point_a, closest.point_b].map(|point| self.place(found, decimals, point));
        // Points that differ must not become equal.
        Some(if point_a == point_b { closest } else { Closest { point_a, point_b, ..closest } })
    }

    /// Returns the penetration of a pair for output. The depth is a short decimal if one is near.
    pub fn penetration(&self, found: &MeasuredPair<Penetration>) -> Penetration {
        let separation = self.decimals(found).length(found.measurement.separation);
        Penetration { separation, ..found.measurement }
    }

    /// Returns the contact points of a pair for output. Positions and gaps are short decimals if such decimals are near.
    pub fn manifold(&self, found: &MeasuredPair<Manifold>) -> Manifold {
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
            // In most cases, the decimal equals the coordinate, so the search through the vertices is rare.
            let is_given = decimal != place[axis] && vertices().any(|vertex| vertex[axis] == place[axis]);
            if is_given { place[axis] } else { decimal }
        };
        DVec2::new(written(0), written(1))
    }

    /// Returns the rule for the two pieces whose measurement is `found`.
    fn decimals<T>(&self, found: &MeasuredPair<T>) -> Decimals {
        let [set_a, set_b] = self.sets;
        let boxes = [set_a.piece_aabb(found.piece_a as usize), set_b.piece_aabb(found.piece_b as usize)];
        let greatest = boxes.map(|aabb| aabb.min.abs().max(aabb.max.abs()).max_element());
        Decimals::new(greatest[0].max(greatest[1]), TOLERANCE * size_of_pair(boxes))
    }
}

/// Returns the areas of two objects for output. `boxes` are the boxes of the objects.
#[must_use]
pub fn written_overlap(found: Overlap, boxes: [Aabb; 2]) -> Overlap {
    let tolerances = boxes.map(|aabb| {
        let (size, greatest) = (aabb.max - aabb.min, aabb.min.abs().max(aabb.max.abs()).max_element());
        // A decimal coordinate is rounded by at most half an ulp. The error of an area is at most this rounding error
        // times the sides of the box.
        let rounding = 2.0 * (greatest.next_up() - greatest) * size.dot(DVec2::ONE);
        rounding.min(TOLERANCE * size.x * size.y)
    });
    let area = |area: f64, tolerance: f64| Decimals::new(ANY, tolerance).length(area);
    let common = area(found.area, tolerances[0].min(tolerances[1]));
    let iou = Decimals::new(ANY, TOLERANCE).length(found.iou);
    Overlap {
        area: common,
        // Only equal polygons have the value 1.
        iou: if iou >= 1.0 { found.iou } else { iou },
        area_a: area(found.area_a, tolerances[0]),
        area_b: area(found.area_b, tolerances[1]),
    }
}
