//! The queries that a caller can run on pairs.

#[cfg(doc)]
use crate::answers::bounds::MEASUREMENT_BOUND;
#[cfg(doc)]
use crate::answers::containment::{Containment, CoveringPair};
use crate::answers::impact::TimeOfImpactOptions;
#[cfg(doc)]
use crate::answers::impact::{ImpactOutcome, TimeOfImpact};
use crate::answers::pair::Motion;
use crate::answers::results::Keep;
#[cfg(doc)]
use crate::answers::results::{RelatedPair, Relation};
#[cfg(doc)]
use crate::base::error::Error;
#[cfg(doc)]
use crate::geometry::{PolygonSet, RoundedSet};
#[cfg(doc)]
use crate::queries::{given::PiecePairs, joins::Join};
#[cfg(doc)]
use crate::{Distance, MeasuredPair, Penetration};

/// Decides the [`Relation`] of pairs.
///
/// - On a [`Join`], the query returns a [`RelatedPair`] for each pair of objects that meet (touch or overlap).
///   [`Join::keep`] selects only touching or only overlapping pairs. The sets are [`PolygonSet`]s.
/// - On given pairs, the query returns the relation of each pair of pieces. The pieces may be near each other or far
///   apart. The relation of two polygons is exact. If a set is a [`RoundedSet`], the query computes the gap or the
///   depth of each pair in f64. The pair is touching if the gap or the depth is at most 2^-40 times the size of the
///   pair ([`MEASUREMENT_BOUND`] defines the size). Points, and segments of radius 0, have no interior. The relation of
///   such a point or segment and a shape that it meets is therefore touching.
///
/// ```
/// use sat2d::{Backend, ConvexPolygon, Engine, PolygonSet, Pose, Relation, Relations};
///
/// let square = ConvexPolygon::new(&[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])?;
/// let poses = [Pose::IDENTITY, Pose::from_translation([2.0, 2.0])?, Pose::new(0.5, [2.0, 0.0])?];
/// let set = PolygonSet::from_instances(&[square.into()], &poses.map(|pose| (0, pose)))?;
/// let engine = Engine::new(Backend::Cpu)?;
/// let found = engine.piece_pairs(&set, &set, &[[0, 1], [1, 2]]).query(Relations)?;
/// assert_eq!(found.items, [Relation::Touching, Relation::Overlapping]);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relations;

/// Selects the given pairs of pieces that have a wanted relation. The query returns each selected pair and its relation,
/// in the given order. The counts cover all given pairs. On a GPU, the host filters chunk n while the device runs chunk
/// n + 1.
///
/// ```
/// use sat2d::{Backend, Engine, Hits, Keep, PolygonSet, Relation};
///
/// let set = PolygonSet::from_convex_rings(&[
///     [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]],
///     [[1.0, 0.0], [3.0, 0.0], [1.0, 2.0]],
///     [[3.0, 0.0], [4.0, 0.0], [3.0, 1.0]],
/// ])?;
/// let engine = Engine::new(Backend::Cpu)?;
/// let pairs = [[1, 2], [0, 2], [0, 1]];
/// let hits = engine.piece_pairs(&set, &set, &pairs).query(Hits { keep: Keep::Meeting })?;
/// assert_eq!(hits.items, [([1, 2], Relation::Touching), ([0, 1], Relation::Overlapping)]);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// The relations that the query selects.
    pub keep: Keep,
}

/// Measures the [`Distance`] of each pair. The distance is 0 if and only if the two shapes meet. If the distance is
/// positive, the result includes the closest points.
///
/// - On a [`Join`], the query returns a [`MeasuredPair`] for each pair of objects that are at most a given distance
///   apart. [`Join::within`] sets this distance, and is required. The distance of two objects is the least distance
///   between their pieces. If several pairs of pieces have the least distance, the item describes the pair with the
///   lowest indices. A pair is in the result if and only if its true distance is at most the given distance, for every
///   f64 value of the distance. Two rounded shapes are in the result if the distance of their cores is at most the
///   exact sum of the given distance and the two radii. Each reported distance is at most the given distance.
/// - If the caller gives pairs of pieces, the query measures each of these pairs.
///
/// The error is at most [`MEASUREMENT_BOUND`] times the size of the pair.
///
/// ```
/// use sat2d::{Backend, Distances, Engine, PolygonSet};
///
/// let squares = PolygonSet::from_convex_rings(&[
///     [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
///     [[4.0, 5.0], [6.0, 5.0], [6.0, 6.0], [4.0, 6.0]],
///     [[90.0, 0.0], [91.0, 0.0], [91.0, 1.0], [90.0, 1.0]],
/// ])?;
/// let engine = Engine::new(Backend::Cpu)?;
/// let near = engine.self_join(&squares).within(7.5).query(Distances)?;
/// // 3 to the right and 4 up.
/// assert_eq!(near.iter().map(|pair| (pair.a, pair.b, pair.measurement.distance)).collect::<Vec<_>>(), [(0, 1, 5.0)]);
///
/// let found = engine.piece_pairs(&squares, &squares, &[[0, 2]]).query(Distances)?;
/// assert_eq!(found.items[0].distance, 89.0);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Distances;

/// Finds the nearest objects: for each object of A, the `k` nearest objects of B, each with its [`Distance`]. In a
/// self-join, the query finds the `k` nearest other objects of each object.
///
/// The result is a [`MeasuredPair`] for each object of A and each of its nearest objects. The pairs are sorted by `a`,
/// then by the distance, then by `b`. An object of A has fewer than `k` pairs if fewer objects of B are within reach. With
/// `ties`, it has more than `k` pairs if further objects of B are at the same distance as the `k`th object. An object without a
/// region has no pairs.
///
/// - The distance of two objects is the least distance between their pieces. It is the distance that [`Distances`] measures: it
///   is 0 if and only if the objects meet, and its error is at most [`MEASUREMENT_BOUND`] times the size of the pair. If the
///   rings of an object cross, its pieces are rounded, and the distance is the distance of the rounded pieces. An object in a
///   hole of another object does not meet the other object. If several pairs of pieces have the least distance, the item
///   describes the pair with the lowest indices.
/// - The reported distances decide which objects are nearest. If reported distances are equal, the objects with the
///   lower indices come first. Two distances whose exact values differ by less than their errors may therefore be
///   reported as equal, or in either order. The reported distances are the same on each backend, for each number of threads
///   and for each order of the search. The chosen objects are therefore the same, too. In a self-join, the reported distance
///   of A from B equals the reported distance of B from A.
/// - The sets may be [`PolygonSet`]s or [`RoundedSet`]s, which include points (circles of radius 0), in any
///   combination.
///
/// The query searches a tree of the pieces of B for each object of A. If each object of B has one piece, the time for an
/// object of A grows with `k` and with the logarithm of the number of objects. Until `k` objects are found, the query also
/// measures all pieces of the objects that were found. The host does all of the work, even if the engine has a GPU. The
/// option [`Join::chunk_pairs`] has no effect.
///
/// # Errors
/// [`Error::Option`] if `k` is 0, if `within` is negative, NaN or above [`crate::MAX_COORDINATE`], or if one of the options
/// [`Join::keep`], [`Join::within`] and [`Join::check`] is set.
///
/// ```
/// use sat2d::{Backend, Engine, Nearest, PolygonSet};
///
/// let square = |x: f64, y: f64| [[x, y], [x + 1.0, y], [x + 1.0, y + 1.0], [x, y + 1.0]];
/// let houses = PolygonSet::from_convex_rings(&[square(0.0, 0.0), square(20.0, 0.0)])?;
/// let hydrants = PolygonSet::from_convex_rings(&[square(4.0, 5.0), square(0.5, 0.5), square(-6.0, 0.0)])?;
/// let engine = Engine::new(Backend::Cpu)?;
/// let query = Nearest { k: 2, within: Some(10.0), ..Nearest::default() };
/// let nearest = engine.join(&houses, &hydrants).query(query)?;
/// let rows: Vec<_> = nearest.iter().map(|row| (row.a, row.b, row.measurement.distance)).collect();
/// // The distance of house 0 from hydrants 0 and 2 is 5. No hydrant is within 10 of house 1.
/// assert_eq!(rows, [(0, 1, 0.0), (0, 0, 5.0)]);
///
/// let nearest = engine.join(&houses, &hydrants).query(Nearest { ties: true, ..query })?;
/// let rows: Vec<_> = nearest.iter().map(|row| (row.a, row.b, row.measurement.distance)).collect();
/// assert_eq!(rows, [(0, 1, 0.0), (0, 0, 5.0), (0, 2, 5.0)]);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The number of nearest objects of B for each object of A, 1 or more.
    pub k: usize,
    /// The greatest distance of a pair, in the caller's unit, from 0 to [`crate::MAX_COORDINATE`]. A pair is left out if
    /// its true distance is greater. If `None`, there is no limit.
    pub within: Option<f64>,
    /// Whether to find all objects of B at the distance of the `k`th nearest object. Two distances are equal if they are the same
    /// f64 number.
    pub ties: bool,
}

impl Default for Nearest {
    /// Finds the nearest object of B at any distance. If several objects are nearest, finds the one with the lowest index.
    fn default() -> Self {
        Self { k: 1, within: None, ties: false }
    }
}

/// Measures the [`Penetration`] of each pair: the depth of the overlap, or the width of the gap.
///
/// - On a [`Join`], the query returns a [`MeasuredPair`] for each pair of objects that meet. For objects of several
///   pieces, the result is the penetration of the deepest pair of pieces. An internal edge is a cut between two pieces
///   of one object. The deciding edge is an internal edge only if all edges of the pieces are internal, or if the
///   pieces only touch. If A moves by the minimum translation vector, the two measured pieces no longer overlap. Other
///   pieces of the objects may still overlap.
/// - If the caller gives pairs of pieces, the query measures each of these pairs.
///
/// The depth is above 0 if and only if the two shapes overlap. The error is at most [`MEASUREMENT_BOUND`] times the
/// size of the pair.
///
/// ```
/// use sat2d::{Backend, Engine, Penetrations, PolygonSet};
///
/// let squares = PolygonSet::from_convex_rings(&[
///     [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]],
///     [[1.5, 0.5], [3.5, 0.5], [3.5, 2.5], [1.5, 2.5]],
/// ])?;
/// let found = Engine::new(Backend::Cpu)?.self_join(&squares).query(Penetrations)?;
/// let penetration = found.items[0].measurement;
/// assert_eq!(penetration.depth(), 0.5);
/// // The first square leaves the second square towards the left.
/// assert_eq!(penetration.minimum_translation_of_a().to_array(), [-0.5, 0.0]);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Penetrations;

/// Computes the contact manifold of pairs: at most two contact points, at which the two shapes meet or are at most
/// `margin` apart.
///
/// - On a [`Join`], the query returns a [`MeasuredPair`] for each pair of objects that meet or are at most `margin`
///   apart. If two objects of several pieces overlap, the result is the manifold of the deepest pair of pieces. The
///   reference edge of this manifold is not an internal edge, which is a cut between two pieces of one object. If the
///   objects only touch, the result is the manifold of the two pieces that touch along the longest segment.
/// - If the caller gives pairs of pieces, the query computes the manifold of each of these pairs.
///
/// Two convex polygons that meet have at least one contact point. Two convex polygons that are apart have a contact
/// point if and only if their distance is at most the margin. The errors of positions and gaps are at most
/// [`MEASUREMENT_BOUND`] times the size of the pair.
///
/// # Errors
/// The query returns [`Error::Option`] if the margin is negative, NaN or above [`crate::MAX_COORDINATE`].
///
/// ```
/// use sat2d::{Backend, Engine, Manifolds, PairFeature, PolygonSet};
///
/// let boxes = PolygonSet::from_convex_rings(&[
///     [[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [0.0, 1.0]],
///     [[3.0, 1.25], [5.0, 1.25], [5.0, 2.0], [3.0, 2.0]],
/// ])?;
/// let engine = Engine::new(Backend::Cpu)?;
/// assert!(engine.self_join(&boxes).query(Manifolds { margin: 0.0 })?.is_empty());
/// let manifold = engine.self_join(&boxes).query(Manifolds { margin: 0.5 })?.items[0].measurement;
/// // The contact spans the part of the first box's upper edge that is below the second box.
/// let places: Vec<_> = manifold.points().iter().map(|p| p.position.to_array()).collect();
/// assert_eq!(places, [[4.0, 1.125], [3.0, 1.125]]);
/// assert_eq!(manifold.points()[0].features.a, PairFeature::Vertex(2));
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Manifolds {
    /// The greatest gap of a contact point, 0 or more, in the caller's unit.
    pub margin: f64,
}

/// Decides whether one object of a pair covers the other object: the [`Containment`] of the pair.
///
/// - On a [`Join`], the query returns a [`CoveringPair`] for each pair in which either object covers the other.
///   [`Containment::a_covers_b`] selects one direction. The answer is exact.
/// - On given pairs of objects, the query returns the containment of each pair. The answer is exact.
/// - On given pairs of pieces, at least one set must be a [`RoundedSet`]. The query then computes in f64, on the CPU. A
///   shape also counts as covered if it extends beyond the other shape by at most 2^-40 times the size of the pair.
///
/// For rounded shapes, A covers B if A contains every point of B's border. Let r be the radius of A, and q the radius
/// of B. The core of a shape is a point, a segment or a convex polygon. The shape consists of all points whose distance
/// from the core is at most the radius.
///
/// - If r is at least q, A covers B if and only if every vertex of B's core is at most r - q away from A's core.
/// - Otherwise, A covers B if and only if every vertex of B's core lies inside A's core, and is at least q - r away
///   from the line of every edge of A's core. The points of A's core that are at least q - r away from these lines form
///   a convex polygon, so it is enough to test the vertices of B's core.
///
/// ```
/// use sat2d::{Backend, Containment, Containments, Engine, PolygonSet};
///
/// let square = |x: f64, side: f64| [[x, 0.0], [x + side, 0.0], [x + side, side], [x, side]];
/// let parcels = PolygonSet::from_convex_rings(&[square(0.0, 4.0), square(4.0, 4.0)])?;
/// let houses = PolygonSet::from_convex_rings(&[square(1.0, 1.0), square(3.5, 1.0), square(7.0, 1.0)])?;
/// let engine = Engine::new(Backend::Cpu)?;
/// let found = engine.join(&parcels, &houses).query(Containments)?;
/// let inside = found.iter().filter(|pair| pair.containment.a_covers_b());
/// // The second house lies across the border of the parcels.
/// assert_eq!(inside.map(|pair| (pair.a, pair.b)).collect::<Vec<_>>(), [(0, 0), (1, 2)]);
///
/// let given = engine.object_pairs(&houses, &parcels, &[[0, 0], [1, 0]]).query(Containments)?;
/// assert_eq!(given.items, [Containment::CoveredBy, Containment::Neither]);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Containments;

/// Computes when pairs of moving objects first touch during a step: the [`TimeOfImpact`] of each pair.
///
/// - On a [`Join`], the query returns a [`MeasuredPair`] for each pair of objects that come within the tolerance of
///   each other during the step (a *hit*), or that overlap at the start of the step. The result also contains the pairs
///   whose search reached the iteration limit without a decision. For each pair, the result names the pieces that touch
///   first. The outcome is never [`ImpactOutcome::Apart`].
/// - If the caller gives pairs of pieces, the query computes the time of impact of each of these pairs.
///
/// Each object has one motion, and all pieces of the object follow the motion. Each object moves through the whole
/// step: an object does not stop at an impact. The sets hold the objects at the start of the step.
///
/// # Errors
/// - The query returns [`Error::Option`] if the tolerance is not positive and finite, the step is negative or not
///   finite, the iteration limit is 0, or the number of motions differs from the number of objects. In a self-join, the
///   query also returns this error if the two lists of motions are not the same slice.
/// - The query returns [`Error::Motion`] if a motion is not finite. It also returns this error if the displacement or
///   the centre of a motion exceeds [`crate::MAX_COORDINATE`], if the rotation exceeds 2^30 radians in the step, or if a
///   velocity exceeds a quarter of [`f64::MAX`].
///
/// ```
/// use sat2d::{Backend, Engine, ImpactOutcome, Impacts, Motion, PolygonSet, TimeOfImpactOptions, glam::DVec2};
///
/// let square = |x: f64| [[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]];
/// let row = PolygonSet::from_convex_rings(&[square(0.0), square(3.0), square(9.0)])?;
/// let motions = [1.0, 0.0, -8.0].map(|speed| Motion { linear: DVec2::new(speed, 0.0), ..Motion::REST });
/// let engine = Engine::new(Backend::Cpu)?;
/// let found = engine.self_join(&row).query(Impacts::of_one_set(&motions, TimeOfImpactOptions::new(1e-3)))?;
/// assert_eq!(found.iter().map(|hit| (hit.a, hit.b)).collect::<Vec<_>>(), [(0, 2), (1, 2)]);
/// let impact = found.items[1].measurement;
/// assert_eq!(impact.outcome, ImpactOutcome::Hit);
/// assert!((impact.time - 5.0 / 8.0).abs() < 1e-3);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Impacts<'a> {
    /// The motion of each object of the first set.
    pub motions_a: &'a [Motion],
    /// The motion of each object of the second set. In a self-join, this must be the same slice as `motions_a`.
    pub motions_b: &'a [Motion],
    /// The tolerance for an impact, the duration of the step and the iteration limit.
    pub options: TimeOfImpactOptions,
}

impl<'a> Impacts<'a> {
    /// Creates the query for the objects of two sets.
    #[must_use]
    pub fn new(motions_a: &'a [Motion], motions_b: &'a [Motion], options: TimeOfImpactOptions) -> Self {
        Self { motions_a, motions_b, options }
    }

    /// Creates the query for the objects of one set, for a self-join or for pairs within the set.
    #[must_use]
    pub fn of_one_set(motions: &'a [Motion], options: TimeOfImpactOptions) -> Self {
        Self::new(motions, motions, options)
    }
}
