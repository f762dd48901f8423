//! Finds the points within a distance of polygons.

use glam::DVec2;

use super::covered::Covered;
use crate::answers::distance::Distance;
use crate::answers::envelope::Answers;
use crate::answers::measured::MeasuredPair;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::engine::Engine;
use crate::geometry::limits::check_points;
use crate::geometry::{PolygonSet, Rounded, RoundedSet};
use crate::queries::kinds::Distances;
use crate::queries::progress::Progress;
use crate::queries::walk::grown;

/// The pairs of a point and an object that are at most a given distance apart.
#[derive(Debug)]
pub struct PointsWithin {
    /// The points that may be found, as shapes of radius 0. [`MeasuredPair::piece_a`] is the index of such a shape.
    pub shapes: RoundedSet,
    /// The pairs with their distances, sorted by point, then by object. [`MeasuredPair::a`] is the index among all points.
    pub found: Answers<MeasuredPair<Distance>>,
}

impl PointsWithin {
    /// Finds all pairs of a point and an object of `set` that are at most `within` apart, in the unit of the coordinates.
    ///
    /// # Errors
    /// Returns the errors of [`Distances`] and of [`PolygonSet::check_pieces`]. Returns [`Error::Point`](crate::Error::Point) for the
    /// first point with a coordinate that is NaN, infinite or out of range.
    pub fn find(
        engine: &Engine,
        points: &[DVec2],
        set: &PolygonSet,
        within: f64,
        progress: Option<&dyn Progress>,
    ) -> Result<Self> {
        check_points(points)?;
        set.check_pieces()?;
        let near = Covered::may_pay(points.len(), set.piece_count())
            .then(|| Covered::by(points, &grown(&set.piece_boxes(), Rounded::plain(set), within)))
            .flatten();
        let shapes = RoundedSet::of_points(near.as_ref().map_or(points, |near| &near.positions))?;
        let mut join = engine.join(&shapes, set).within(within);
        if let Some(progress) = progress {
            join = join.progress(progress);
        }
        let mut found = join.query(Distances)?;
        if let Some(near) = near {
            found.items.par_iter_mut().for_each(|pair| pair.a = near.indices[pair.a as usize]);
        }
        Ok(Self { shapes, found })
    }
}

#[cfg(all(test, feature = "scenes"))]
#[allow(clippy::unwrap_used, reason = "a failed test panics")]
mod tests {
    use super::*;
    use crate::answers::backend::Backend;
    use crate::geometry::Aabb;
    use crate::kernels::test_scenes::Random;
    use crate::points::tests::{outlined, points_beside, scenes};

    /// Returns unit squares, 100 apart, with integer coordinates.
    fn squares() -> PolygonSet {
        let square = |k: u32| {
            let [x, y] = [f64::from(k % 8), f64::from(k / 8)].map(|i| 100.0 * i);
            [[x, y], [x + 1.0, y], [x + 1.0, y + 1.0], [x, y + 1.0]]
        };
        PolygonSet::from_convex_rings(&(0..64).map(square).collect::<Vec<_>>()).unwrap()
    }

    /// Returns integer points up to 6 units from the squares, and many points between the squares.
    fn points() -> Vec<DVec2> {
        let mut random = Random(41);
        let mut integer = |from: f64, to: f64| (from + (to - from) * random.unit()).round();
        let place = |k: u32| {
            if !k.is_multiple_of(8) {
                return DVec2::new(integer(0.0, 800.0), integer(0.0, 800.0));
            }
            let corner = DVec2::new(integer(0.0, 7.0), integer(0.0, 7.0)) * 100.0;
            corner + DVec2::new(integer(-6.0, 7.0), integer(-6.0, 7.0))
        };
        (0..8000).map(place).collect()
    }

    #[test]
    fn points_far_from_all_polygons_change_no_distance() {
        let engine = Engine::new(Backend::Cpu).unwrap();
        for (name, set) in scenes().into_iter().chain([("outlined", outlined())]) {
            let points = points_beside(&set);
            let size =
                (set.object_aabbs().into_iter().fold(Aabb::EMPTY, Aabb::union).max).abs().max_element();
            for within in [0.0, 1e-3 * size] {
                let found = PointsWithin::find(&engine, &points, &set, within, None).unwrap();
                assert!(found.shapes.object_count() <= points.len() / 2, "{name}, {within}");
                let all = RoundedSet::of_points(&points).unwrap();
                let expected = engine.join(&all, &set).within(within).query(Distances).unwrap();
                let of_all = |&pair: &MeasuredPair<Distance>| MeasuredPair { piece_a: pair.a, ..pair };
                assert!(found.found.iter().map(of_all).eq(expected.items), "{name}, {within}");
            }
        }
    }

    #[test]
    fn a_point_that_is_out_of_range_is_an_error_with_its_index() {
        let engine = Engine::new(Backend::Cpu).unwrap();
        let mut points = points();
        points[7000] = DVec2::new(1.0, f64::NAN);
        let error = PointsWithin::find(&engine, &points, &squares(), 1.0, None).unwrap_err();
        assert!(matches!(error, crate::Error::Point { point: 7000, .. }), "{error}");
    }

    #[test]
    fn points_at_exactly_the_distance_are_found_beside_many_that_are_far() {
        let (set, points) = (squares(), points());
        let engine = Engine::new(Backend::Cpu).unwrap();
        // Points have the distance 5 beside a square, and from its corners, as 3 * 3 + 4 * 4 = 5 * 5.
        for within in [0.0, 1.0, 5.0, 5f64.next_down(), 15.0, 2000.0] {
            let PointsWithin { shapes, found } =
                PointsWithin::find(&engine, &points, &set, within, None).unwrap();
            assert_eq!(shapes.object_count() < points.len(), within <= 15.0, "{within}");
            let mut expected = Vec::new();
            for (a, &point) in (0..).zip(&points) {
                for (b, aabb) in (0..).zip(set.piece_aabbs()) {
                    let apart = (aabb.min - point).max(point - aabb.max).max(DVec2::ZERO).length();
                    if apart <= within {
                        expected.push((a, b, apart));
                    }
                }
            }
            let rows: Vec<_> = found.iter().map(|pair| (pair.a, pair.b, pair.measurement.distance)).collect();
            assert_eq!(rows, expected, "{within}");
            assert!(rows.len() > 10, "{within}");
            let of_shape = |pair: &MeasuredPair<Distance>| {
                let cores = Rounded::of(&shapes).cores;
                cores.piece_vertices(pair.piece_a as usize) == [points[pair.a as usize]]
            };
            assert!(found.iter().all(of_shape), "{within}");
        }
    }
}
