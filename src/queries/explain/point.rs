//! Explains the relation of a point and an object.

use glam::DVec2;

use super::boundary::Edge;
use super::objects::pieces;
use super::{Axis, axes, boundary, world};
use crate::answers::points::PointRelation;
use crate::base::error::Result;
use crate::geometry::limits::check_points;
use crate::geometry::{Piece, PolygonSet, Pose};
use crate::kernels::point::reference;

/// The separating axis theorem applied to a point and an object that consists of convex pieces. Each edge normal of the
/// explained piece is an axis. For every axis, the explanation contains the projection of the piece and the projection
/// of the point onto the axis. The projection of the point is one number.
///
/// ```
/// use sat2d::{PointExplanation, PointRelation, PolygonSet};
/// let set = PolygonSet::from_convex_rings(&[[[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [0.0, 2.0]]])?;
/// let found = PointExplanation::new([5.0, 1.0], &set, 0)?;
/// assert_eq!(found.relation, PointRelation::Outside);
/// let axis = found.deciding_axis();
/// assert_eq!((axis.interval_a, axis.interval_b, axis.overlap), ([0.0, 4.0], [5.0, 5.0], -1.0));
/// assert_eq!((found.closest.to_array(), found.distance), ([4.0, 1.0], 1.0));
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PointExplanation {
    /// The exact relation of the point to the object.
    pub relation: PointRelation,
    /// Index of the explained piece in the object. The explained piece is the first piece that contains the point in
    /// its interior. If there is no such piece, the explained piece is the first piece with the point on its boundary.
    /// If the point is outside all pieces, the explained piece is the nearest piece, by distances rounded to f64.
    pub piece: usize,
    /// The number of pieces of the object.
    pub piece_count: usize,
    /// The exact relation of the point to the piece. A point on the boundary of the piece can be inside the object,
    /// because other pieces may lie on the other side of the boundary.
    pub piece_relation: PointRelation,
    /// The vertices of the piece in world coordinates, counter-clockwise. If the piece has a pose, the vertices are
    /// rounded to f64.
    pub vertices: Vec<DVec2>,
    /// The origin of the projections: the projection of this point onto every axis is 0.
    /// [`Explanation::origin`](crate::Explanation::origin) says how it is chosen.
    pub origin: DVec2,
    /// The axes of the piece, in the order of its edges. Parallel edges share one axis. In each [`Axis`], A is the
    /// piece and B is the point. The point has no edges.
    pub axes: Vec<Axis>,
    /// Index in `axes` of the axis with the least overlap. If several axes have the same least overlap, `deciding` is
    /// the first of these axes.
    pub deciding: usize,
    /// The point on the object's boundary nearest to the given point, rounded to f64. The given point may be inside or
    /// outside the object.
    pub closest: DVec2,
    /// The distance of the given point from the edge on which `closest` lies, rounded to f64. The distance is 0 if and
    /// only if the point is on the boundary. `distance` is more precise than the distance of the given point from the
    /// rounded point `closest`. If the edge ends at `closest` because another piece covers the rest of the edge,
    /// `distance` is the distance from `closest`. If the object has a pose, the vertices are rounded to f64 before the
    /// distance is computed.
    pub distance: f64,
    /// A point near `closest` that is exactly on the boundary. If the coordinates of the edge have few significant bits, the
    /// distance of this point from `closest` is at most 2^-25 of the length of the edge. Otherwise the point may be farther away
    /// from `closest`, and may lie on another edge. If the given point is on the boundary, the value is the given point.
    /// Otherwise, the value is `None` if the search finds no such point, or if the object has a pose.
    pub on_boundary: Option<DVec2>,
}

impl PointExplanation {
    /// Explains the relation of a point and an object of a set.
    ///
    /// # Errors
    /// Returns [`Error::Point`](crate::Error::Point) for a coordinate that is not accepted. Returns
    /// [`Error::UnknownObject`](crate::Error::UnknownObject) if the set has no object with the given index. Returns
    /// [`Error::NoRegion`](crate::Error::NoRegion) if the object has no polygon.
    pub fn new(point: impl Into<DVec2>, set: &PolygonSet, object: usize) -> Result<Self> {
        let point = point.into();
        check_points(&[point])?;
        let range = pieces(set, object)?;
        let all: Vec<Piece<'_>> = range.clone().map(|piece| set.piece(piece)).collect();
        let relation = reference::relation_to_object(point, &all);
        let edges: Vec<Vec<Edge>> = all.iter().map(|&piece| edges(piece)).collect();
        let to_piece = |piece: usize| {
            edges[piece].iter().map(|&edge| boundary::distance(point, edge)).fold(f64::INFINITY, f64::min)
        };
        let relations = all.iter().map(|&piece| reference::relation_to_piece(point, piece));
        let (mut piece, mut piece_relation) = (0, PointRelation::Outside);
        for (index, found) in relations.enumerate() {
            if found > piece_relation {
                (piece, piece_relation) = (index, found);
            }
        }
        if piece_relation == PointRelation::Outside {
            let nearer = |&i: &usize, &j: &usize| to_piece(i).total_cmp(&to_piece(j));
            piece = (0..all.len()).min_by(nearer).unwrap_or(0);
        }
        let vertices: Vec<DVec2> = edges[piece].iter().map(|edge| edge[0]).collect();
        let origin = axes::origin(&vertices, &[point]);
        let (axes, deciding) =
            axes::all(all[piece], Piece { vertices: &[point], pose: Pose::IDENTITY }, origin);
        let is_outer = |piece: usize, edge: usize| {
            set.internal_edges(range.start + piece).is_none_or(|internal| !internal[edge])
        };
        let nearest = boundary::nearest(point, &edges, is_outer, &all);
        let on_the_point = relation == PointRelation::Boundary;
        let closest = if on_the_point { point } else { nearest.closest };
        // The distance between two different points is greater than 0, even if rounding makes it 0.
        let distance = if on_the_point { 0.0 } else { nearest.distance.max(f64::MIN_POSITIVE) };
        let on_boundary = if on_the_point { Some(point) } else { nearest.exact };
        Ok(Self {
            relation,
            piece,
            piece_count: all.len(),
            piece_relation,
            vertices,
            origin,
            axes,
            deciding,
            closest,
            distance,
            on_boundary,
        })
    }

    /// Returns the axis with the least overlap.
    #[must_use]
    pub fn deciding_axis(&self) -> &Axis {
        &self.axes[self.deciding]
    }
}

/// Returns the edges of a piece in world coordinates.
fn edges(piece: Piece<'_>) -> Vec<Edge> {
    let world = world(piece);
    (0..world.len()).map(|i| [world[i], world[(i + 1) % world.len()]]).collect()
}
