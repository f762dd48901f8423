//! Explains a relation: every axis that the separating axis theorem tests, with the projections of both polygons.

mod axes;
mod boundary;
mod dyadic;
#[cfg(not(target_family = "wasm"))]
mod edges;
mod objects;
mod point;
mod separation;
mod touch;

use glam::DVec2;

use crate::answers::results::Relation;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::geometry::{ConvexPolygon, Piece, PolygonSet, Pose};
use crate::kernels::cpu::reference;
use crate::queries::of_pieces::pieces;

#[cfg(not(target_family = "wasm"))]
pub use edges::EdgeExplanation;
pub use objects::ObjectExplanation;
pub use point::PointExplanation;
pub use separation::SeparatingTranslation;

/// The separating axis theorem applied to two convex polygons, A and B. An axis is the direction of an edge normal. The
/// projection of a polygon onto an axis is an interval.
///
/// Lengths and coordinates are in the caller's unit. Each measurement is an f64. It is computed by exact arithmetic, and is
/// rounded only once or twice, at the end. Small values therefore keep their precision, even if the coordinates are large. The
/// relation is exact, and does not depend on a rounded value.
///
/// ```
/// use sat2d::{ConvexPolygon, Explanation, Relation};
/// let a = ConvexPolygon::new(&[[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [0.0, 2.0]])?;
/// let b = ConvexPolygon::new(&[[3.0, 0.0], [6.0, 0.0], [6.0, 4.0], [3.0, 4.0]])?;
/// let explanation = Explanation::new(&a, &b)?;
/// assert_eq!(explanation.relation, Relation::Overlapping);
/// // Two rectangles side by side have two axes, each with two edges of both.
/// assert_eq!(explanation.axes.len(), 2);
/// let least = explanation.deciding_axis();
/// assert_eq!((least.edges_a.as_slice(), least.edges_b.as_slice()), (&[1, 3][..], &[1, 3][..]));
/// assert_eq!((least.interval_a, least.interval_b, least.overlap), ([0.0, 4.0], [3.0, 6.0], 1.0));
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The exact relation of the two polygons.
    pub relation: Relation,
    /// The vertices of A in world coordinates, counter-clockwise. Edge `i` runs from vertex `i` to the next vertex. If
    /// A has a pose, the vertices are rounded to f64.
    pub vertices_a: Vec<DVec2>,
    /// The vertices of B in world coordinates, counter-clockwise. Edge `i` runs from vertex `i` to the next vertex. If
    /// B has a pose, the vertices are rounded to f64.
    pub vertices_b: Vec<DVec2>,
    /// The origin of the projections: the projection of this point onto every axis is 0. By default, the origin is (0,
    /// 0) in world coordinates. If the polygons are far from (0, 0) compared with their size, the origin is the lower
    /// left corner of the bounding box of both polygons.
    pub origin: DVec2,
    /// The axes of both polygons: first in the order of A's edges, then in the order of B's edges. Parallel edges share
    /// one axis.
    pub axes: Vec<Axis>,
    /// Index in `axes` of the axis with the least overlap. If several axes have the same least overlap, `deciding` is
    /// the first of these axes. If the polygons are disjoint, the deciding axis is the axis with the widest gap. If the
    /// polygons overlap, the deciding axis has the direction of the least translation that separates the polygons.
    pub deciding: usize,
}

/// One axis, and the projections of both polygons onto this axis.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Axis {
    /// Unit vector in the direction of the axis: the outward normal of the first edge in `edges_a`, or in `edges_b` if
    /// `edges_a` is empty.
    pub normal: DVec2,
    /// The edges of A that are perpendicular to the axis. At most two edges of A are perpendicular to an axis. Two such
    /// edges face in opposite directions. Exact arithmetic decides whether an edge is perpendicular to the axis.
    pub edges_a: Vec<usize>,
    /// The edges of B that are perpendicular to the axis.
    pub edges_b: Vec<usize>,
    /// The projection of A: the least and the greatest value of `normal · (v - origin)` over the vertices `v` of A.
    pub interval_a: [f64; 2],
    /// The projection of B: the least and the greatest value of `normal · (v - origin)` over the vertices `v` of B.
    pub interval_b: [f64; 2],
    /// If the projections are apart, `overlap` is the negated gap between them. Otherwise, `overlap` is the least
    /// distance by which B must move along the axis so that the projections meet only at their ends. B may move in
    /// either direction. The sign is exact: `overlap` is negative if and only if the axis separates the polygons, and 0
    /// if and only if the projections have one common point. `overlap` is the f64 nearest to the exact value, so the
    /// deciding axis has the least `overlap`. `overlap` is more precise than the difference between the ends of the
    /// intervals.
    pub overlap: f64,
    /// The direction in which B moves in the least translation: `normal` or its opposite.
    pub toward_b: DVec2,
}

impl Axis {
    /// Returns `true` if the two projections have no common point. The answer is exact. If the answer is `true`, the
    /// polygons have no common point.
    #[must_use]
    pub fn separates(&self) -> bool {
        self.overlap < 0.0
    }

    /// Returns whether the rounded ends of the intervals agree with the exact sign of the overlap.
    #[must_use]
    pub fn ends_agree(&self) -> bool {
        let ([a_min, a_max], [b_min, b_max]) = (self.interval_a, self.interval_b);
        let by_ends = (a_max - b_min).min(b_max - a_min);
        by_ends.partial_cmp(&0.0) == self.overlap.partial_cmp(&0.0)
    }
}

impl Explanation {
    /// Explains the relation of two convex polygons.
    ///
    /// # Errors
    /// Does not fail for polygons from [`ConvexPolygon::new`].
    pub fn new(a: &ConvexPolygon, b: &ConvexPolygon) -> Result<Self> {
        let piece = |polygon| Piece { vertices: ConvexPolygon::vertices(polygon), pose: Pose::IDENTITY };
        Ok(Self::of(piece(a), piece(b)))
    }

    /// Explains the relation of two pieces: the piece with index `piece_a` in `a`, and the piece with index `piece_b`
    /// in `b`. `a` and `b` may be the same set.
    ///
    /// # Errors
    /// Returns [`Error::UnknownPolygon`] if an index names a piece that does not exist.
    pub fn of_pieces(a: &PolygonSet, piece_a: usize, b: &PolygonSet, piece_b: usize) -> Result<Self> {
        let (a, b) = pieces(a, piece_a, b, piece_b)?;
        Ok(Self::of(a, b))
    }

    fn of(a: Piece<'_>, b: Piece<'_>) -> Self {
        let (vertices_a, vertices_b) = (world(a), world(b));
        let origin = axes::origin(&vertices_a, &vertices_b);
        let (axes, deciding) = axes::all(a, b, origin);
        Self { relation: reference::relation(a, b), vertices_a, vertices_b, origin, axes, deciding }
    }

    /// Returns the axis with the least overlap.
    #[must_use]
    pub fn deciding_axis(&self) -> &Axis {
        &self.axes[self.deciding]
    }
}

/// Returns the vertices of a piece in world coordinates. The vertices are rounded if the piece has a pose.
fn world(piece: Piece<'_>) -> Vec<DVec2> {
    if piece.pose == Pose::IDENTITY {
        return piece.vertices.to_vec();
    }
    piece.vertices.iter().map(|&v| piece.pose.apply(v)).collect()
}
