//! Measures one pair of pieces immediately in f64, without an engine, a device or packing.
//!
//! Measurements have the same digits as the measurements of a query on many pairs. Relations are exact. For many pairs,
//! an [`Engine`] is far faster.

use crate::answers::distance::Distance;
use crate::answers::impact::{TimeOfImpact, TimeOfImpactOptions};
use crate::answers::manifold::Manifold;
use crate::answers::pair::Motion;
use crate::answers::penetration::Penetration;
use crate::answers::results::Relation;
use crate::base::error::{Error, Result};
use crate::base::side::PairSide;
use crate::geometry::{Piece, PolygonSet};
use crate::kernels::cpu::figures::impact;
use crate::kernels::cpu::measure::measure_one;
use crate::kernels::cpu::reference as exact;
use crate::kernels::measurements::Figure;
use crate::kernels::measurements::PieceManifolds;
use crate::kernels::measurements::{PieceDistances, PiecePenetrations};
use crate::queries::impacts::check_motion;
#[cfg(doc)]
use crate::{Distances, Engine, Impacts, Manifolds, Penetrations};

/// Returns a piece of `a` and a piece of `b`, or an error for an index that is out of range.
pub(crate) fn pieces<'a>(
    a: &'a PolygonSet,
    piece_a: usize,
    b: &'a PolygonSet,
    piece_b: usize,
) -> Result<(Piece<'a>, Piece<'a>)> {
    for (index, count) in [(piece_a, a.piece_count()), (piece_b, b.piece_count())] {
        if index >= count {
            return Err(Error::UnknownPolygon { pair: 0, index, count });
        }
    }
    Ok((a.piece(piece_a), b.piece(piece_b)))
}

/// Measures two pieces. Returns an error if a set has no such piece.
fn measured<F: Figure>(
    figure: F,
    a: &PolygonSet,
    piece_a: usize,
    b: &PolygonSet,
    piece_b: usize,
) -> Result<F::Output> {
    let (first, second) = pieces(a, piece_a, b, piece_b)?;
    let internal = [a.internal_edges(piece_a), b.internal_edges(piece_b)];
    Ok(measure_one(figure, [first, second], internal, None))
}

impl Relation {
    /// Decides the exact relation of a convex piece of `a` and a convex piece of `b`. `a` and `b` may be the same set.
    ///
    /// # Errors
    /// Returns [`Error::UnknownPolygon`] if an index names a piece that does not exist.
    ///
    /// ```
    /// use sat2d::{PolygonSet, Relation};
    ///
    /// let set = PolygonSet::from_convex_rings(&[
    ///     [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
    ///     [[1.0, 0.5], [2.0, 0.5], [2.0, 1.5], [1.0, 1.5]],
    /// ])?;
    /// assert_eq!(Relation::of_pieces(&set, 0, &set, 1)?, Relation::Touching);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn of_pieces(a: &PolygonSet, piece_a: usize, b: &PolygonSet, piece_b: usize) -> Result<Self> {
        let (a, b) = pieces(a, piece_a, b, piece_b)?;
        Ok(exact::relation(a, b))
    }
}

impl Penetration {
    /// Measures the penetration of a piece of `a` and a piece of `b`. The query [`Penetrations`] does the same for many
    /// pairs.
    ///
    /// # Errors
    /// Fails in the same cases as [`Relation::of_pieces`].
    ///
    /// ```
    /// use sat2d::{Penetration, PolygonSet, glam::DVec2};
    ///
    /// let set = PolygonSet::from_convex_rings(&[
    ///     [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]],
    ///     [[1.5, 0.0], [4.0, 0.0], [4.0, 2.0], [1.5, 2.0]],
    /// ])?;
    /// let found = Penetration::of_pieces(&set, 0, &set, 1)?;
    /// assert_eq!((found.depth(), found.normal), (0.5, DVec2::X));
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn of_pieces(a: &PolygonSet, piece_a: usize, b: &PolygonSet, piece_b: usize) -> Result<Self> {
        measured(PiecePenetrations, a, piece_a, b, piece_b)
    }
}

impl Distance {
    /// Measures the distance between a piece of `a` and a piece of `b`. The query [`Distances`] does the same for many
    /// pairs.
    ///
    /// # Errors
    /// Fails in the same cases as [`Relation::of_pieces`].
    ///
    /// ```
    /// use sat2d::{Distance, PolygonSet};
    ///
    /// let set = PolygonSet::from_convex_rings(&[
    ///     [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]],
    ///     [[5.0, 6.0], [7.0, 6.0], [7.0, 8.0], [5.0, 8.0]],
    /// ])?;
    /// assert_eq!(Distance::of_pieces(&set, 0, &set, 1)?.distance, 5.0);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn of_pieces(a: &PolygonSet, piece_a: usize, b: &PolygonSet, piece_b: usize) -> Result<Self> {
        measured(PieceDistances::ALL, a, piece_a, b, piece_b)
    }
}

impl Manifold {
    /// Computes the contact manifold of a piece of `a` and a piece of `b`. The query [`Manifolds`] does the same for many
    /// pairs. Pieces that are at most `margin` apart have contact points.
    ///
    /// # Errors
    /// Fails in the same cases as [`Relation::of_pieces`]. Returns [`Error::Option`] if the margin is negative, NaN or above
    /// [`crate::MAX_COORDINATE`].
    ///
    /// ```
    /// use sat2d::{Manifold, PolygonSet};
    ///
    /// let set = PolygonSet::from_convex_rings(&[
    ///     [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]],
    ///     [[1.5, 1.0], [4.0, 1.0], [4.0, 5.0], [1.5, 5.0]],
    /// ])?;
    /// let found = Manifold::of_pieces(&set, 0, &set, 1, 0.0)?;
    /// assert_eq!(found.points().len(), 2);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn of_pieces(
        a: &PolygonSet,
        piece_a: usize,
        b: &PolygonSet,
        piece_b: usize,
        margin: f64,
    ) -> Result<Self> {
        measured(PieceManifolds::new(margin)?, a, piece_a, b, piece_b)
    }
}

impl TimeOfImpact {
    /// Computes when a piece of `a` and a piece of `b` first touch. The query [`Impacts`] does the same for many
    /// pairs. `motions` holds the motion of the piece of `a` and the motion of the piece of `b`.
    ///
    /// # Errors
    /// Fails in the same cases as [`Relation::of_pieces`]. For invalid options and motions, returns the errors of
    /// [`Impacts`].
    ///
    /// ```
    /// use sat2d::{ImpactOutcome, Motion, PolygonSet, TimeOfImpact, TimeOfImpactOptions, glam::DVec2};
    ///
    /// let wall = PolygonSet::from_convex_rings(&[[[10.0, -5.0], [10.01, -5.0], [10.01, 5.0], [10.0, 5.0]]])?;
    /// let bullet = PolygonSet::from_convex_rings(&[[[0.0, 0.0], [1.0, 0.0], [1.0, 0.5], [0.0, 0.5]]])?;
    /// let motions = [Motion { linear: DVec2::new(900.0, 0.0), ..Motion::REST }, Motion::REST];
    /// let options = TimeOfImpactOptions::new(0.001);
    /// let hit = TimeOfImpact::of_pieces(&bullet, 0, &wall, 0, &motions, &options)?;
    /// assert_eq!(hit.outcome, ImpactOutcome::Hit);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn of_pieces(
        a: &PolygonSet,
        piece_a: usize,
        b: &PolygonSet,
        piece_b: usize,
        motions: &[Motion; 2],
        options: &TimeOfImpactOptions,
    ) -> Result<Self> {
        options.check()?;
        check_motion(&motions[0], options.step, PairSide::A, piece_a)?;
        check_motion(&motions[1], options.step, PairSide::B, piece_b)?;
        let (a, b) = pieces(a, piece_a, b, piece_b)?;
        Ok(impact::time_of_impact(a, b, motions.each_ref(), options))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;
    use crate::answers::backend::Backend;
    use crate::glam::DVec2;
    use crate::queries::kinds::{Distances, Impacts, Manifolds, Penetrations, Relations};

    fn set() -> PolygonSet {
        PolygonSet::from_convex_rings(&[
            vec![[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]],
            vec![[1.5, 0.25], [3.0, 1.0], [1.75, 3.0]],
            vec![[2.0, 0.5], [4.0, 0.5], [4.0, 1.5], [3.0, 2.0]],
            vec![[9.0, 5.0], [10.0, 5.0], [9.5, 6.0]],
        ])
        .unwrap()
    }

    #[test]
    fn one_pair_has_the_figures_that_a_batch_gives_it() {
        let (set, engine) = (set(), Engine::new(Backend::Cpu).unwrap());
        let pairs: Vec<[u32; 2]> = (0..4).flat_map(|a| (0..4).map(move |b| [a, b])).collect();
        let relations = engine.piece_pairs(&set, &set, &pairs).query(Relations).unwrap().items;
        let penetrations = engine.piece_pairs(&set, &set, &pairs).query(Penetrations).unwrap().items;
        let distances = engine.piece_pairs(&set, &set, &pairs).query(Distances).unwrap().items;
        let manifolds =
            engine.piece_pairs(&set, &set, &pairs).query(Manifolds { margin: 0.5 }).unwrap().items;
        for (k, &pair) in pairs.iter().enumerate() {
            let [a, b] = pair.map(|piece| piece as usize);
            assert_eq!(Relation::of_pieces(&set, a, &set, b).unwrap(), relations[k], "{pair:?}");
            let bound = 20.0 * crate::FIGURE_BOUND;
            let depth = Penetration::of_pieces(&set, a, &set, b).unwrap().separation;
            assert!((depth - penetrations[k].separation).abs() <= bound, "{pair:?}");
            let distance = Distance::of_pieces(&set, a, &set, b).unwrap().distance;
            assert!((distance - distances[k].distance).abs() <= bound, "{pair:?}");
            let manifold = Manifold::of_pieces(&set, a, &set, b, 0.5).unwrap();
            assert_eq!(manifold.points().len(), manifolds[k].points().len(), "{pair:?}");
        }
    }

    #[test]
    fn one_pair_meets_when_a_batch_says() {
        let (set, engine) = (set(), Engine::new(Backend::Cpu).unwrap());
        let moving = Motion { linear: DVec2::new(7.0, 4.0), angular: 1.0, ..Motion::REST };
        let mut motions = [Motion::REST; 4];
        motions[0] = moving;
        let options = TimeOfImpactOptions::new(1e-3);
        let all = engine
            .piece_pairs(&set, &set, &[[0, 3]])
            .query(Impacts::new(&motions, &motions, options))
            .unwrap();
        let one = TimeOfImpact::of_pieces(&set, 0, &set, 3, &[moving, Motion::REST], &options).unwrap();
        assert_eq!(one.outcome, all.items[0].outcome);
        assert!((one.time - all.items[0].time).abs() < 1e-3, "{one:?} {:?}", all.items[0]);
    }

    #[test]
    fn what_is_no_piece_or_no_length_is_named() {
        let set = set();
        let unknown = |found: Result<()>, index| matches!(found, Err(Error::UnknownPolygon { index: named, count: 4, .. }) if named == index);
        assert!(unknown(Relation::of_pieces(&set, 5, &set, 0).map(drop), 5));
        assert!(unknown(Penetration::of_pieces(&set, 4, &set, 0).map(drop), 4));
        assert!(unknown(Distance::of_pieces(&set, 0, &set, 9).map(drop), 9));
        assert!(unknown(Manifold::of_pieces(&set, 7, &set, 0, 0.0).map(drop), 7));
        assert!(matches!(Manifold::of_pieces(&set, 0, &set, 1, -1.0), Err(Error::Option { .. })));
        let options = TimeOfImpactOptions::new(1e-3);
        let broken = Motion { angular: f64::NAN, ..Motion::REST };
        let found = TimeOfImpact::of_pieces(&set, 0, &set, 1, &[Motion::REST, broken], &options);
        assert!(matches!(found, Err(Error::Motion { side: PairSide::B, object: 1, name: "angular", .. })));
    }
}
