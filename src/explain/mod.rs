//! Why two polygons lie as they do: every axis that the theorem tries, with the shadows of both polygons on it.

mod axes;
mod boundary;
mod dyadic;
mod objects;
mod point;
mod touch;

use glam::DVec2;

#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::figures::pieces;
use crate::geometry::{ConvexPolygon, Piece, PolygonSet, Pose};
use crate::narrow_phase::cpu::reference;
use crate::results::Relation;

pub use objects::ObjectExplanation;
pub use point::PointExplanation;

/// The separating axis theorem at work on two convex polygons.
///
/// Figures are f64, each computed from exact arithmetic and rounded once or twice at the end, so that those that are small
/// beside the coordinates keep their precision; the relation is the exact one, and never read off a figure.
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
    /// How the two lie to each other, exact.
    pub relation: Relation,
    /// The vertices of A in the world, counter-clockwise; edge `i` runs from vertex `i` to the next. Rounded where A is posed.
    pub vertices_a: Vec<DVec2>,
    /// Those of B.
    pub vertices_b: Vec<DVec2>,
    /// The point of the world that intervals are measured from: (0, 0), or, for polygons that lie far from there beside
    /// their size, the lower left corner of the box around both.
    pub origin: DVec2,
    /// Every direction in which an edge of either faces, those of A's edges first, in the order of the edges; parallel edges
    /// share one.
    pub axes: Vec<Axis>,
    /// Index in `axes` of the one with the least overlap, the first of them where several are alike: the one that separates
    /// most widely where the polygons are disjoint, and the least way out where they overlap.
    pub deciding: usize,
}

/// One direction, and the shadows of both polygons on a line in that direction.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Axis {
    /// Unit vector, outward from the first of `edges_a`, or of `edges_b` where there is none of A.
    pub normal: DVec2,
    /// The edges of A that are perpendicular to the axis: one, or two that face away from each other, or none. That they are
    /// is decided exactly.
    pub edges_a: Vec<usize>,
    /// Those of B.
    pub edges_b: Vec<usize>,
    /// Least and greatest `normal · (v - origin)` over the vertices of A.
    pub interval_a: [f64; 2],
    /// Those of B.
    pub interval_b: [f64; 2],
    /// The least translation along the axis, either way, after which the shadows meet in one point; where they are apart,
    /// the gap between them, negated. Its sign is exact: negative if and only if the axis separates, and 0 if and only if the
    /// shadows have one point in common. The nearest f64, so that the deciding axis has the least: more precise than the
    /// difference of the intervals' ends.
    pub overlap: f64,
    /// `normal` or its opposite: the direction in which B is moved for that.
    pub toward_b: DVec2,
}

impl Axis {
    /// Whether the shadows have no point in common, exact: then neither have the polygons.
    #[must_use]
    pub fn separates(&self) -> bool {
        self.overlap < 0.0
    }

    /// Whether the ends of the intervals, which are rounded, say of the shadows what the exact sign of the overlap says.
    #[must_use]
    pub fn ends_agree(&self) -> bool {
        let ([a_min, a_max], [b_min, b_max]) = (self.interval_a, self.interval_b);
        let by_ends = (a_max - b_min).min(b_max - a_min);
        by_ends.partial_cmp(&0.0) == self.overlap.partial_cmp(&0.0)
    }
}

impl Explanation {
    /// Why two convex polygons lie as they do.
    ///
    /// # Errors
    /// None for polygons that [`ConvexPolygon::new`] gave.
    pub fn new(a: &ConvexPolygon, b: &ConvexPolygon) -> Result<Self> {
        let piece = |polygon| Piece { vertices: ConvexPolygon::vertices(polygon), pose: Pose::IDENTITY };
        Ok(Self::of(piece(a), piece(b)))
    }

    /// Why two pieces of two sets, or of one given twice, lie as they do.
    ///
    /// # Errors
    /// [`Error::UnknownPolygon`] for an index beyond its set.
    pub fn of_pieces(a: &PolygonSet, piece_a: usize, b: &PolygonSet, piece_b: usize) -> Result<Self> {
        let (a, b) = pieces(a, piece_a, b, piece_b)?;
        Ok(Self::of(a, b))
    }

    fn of(a: Piece<'_>, b: Piece<'_>) -> Self {
        let world = |piece: Piece<'_>| -> Vec<DVec2> {
            if piece.pose == Pose::IDENTITY {
                return piece.vertices.to_vec();
            }
            piece.vertices.iter().map(|&v| piece.pose.apply(v)).collect()
        };
        let (vertices_a, vertices_b) = (world(a), world(b));
        let origin = axes::origin(&vertices_a, &vertices_b);
        let (axes, deciding) = axes::all(a, b, origin);
        Self { relation: reference::relation(a, b), vertices_a, vertices_b, origin, axes, deciding }
    }

    /// The axis with the least overlap.
    #[must_use]
    pub fn deciding_axis(&self) -> &Axis {
        &self.axes[self.deciding]
    }
}
