//! A point and an object: why it is inside, on the boundary or outside.

use glam::DVec2;

use super::boundary::Edge;
use super::objects::pieces;
use super::{Axis, axes, boundary};
use crate::error::Result;
use crate::geometry::{Piece, PolygonSet, Pose};
use crate::points::{PointRelation, check_points, reference};

/// The separating axis theorem at work on a point and an object of convex pieces: the shadow of the piece that decides and
/// that of the point, which is one number, in every direction that an edge of the piece faces.
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
    /// Where the point lies to the object, exact.
    pub relation: PointRelation,
    /// Which piece is explained, counted within the object: of those with the strongest relation to the point the first;
    /// where it is outside of all, the nearest, by distances rounded to f64.
    pub piece: usize,
    /// How many pieces the object has.
    pub piece_count: usize,
    /// Where the point lies to that piece, exact: on its boundary, and yet inside of the object, where pieces meet.
    pub piece_relation: PointRelation,
    /// The vertices of the piece in the world, counter-clockwise. Rounded where it is posed.
    pub vertices: Vec<DVec2>,
    /// The point of the world that intervals are measured from, as in [`Explanation`](crate::Explanation).
    pub origin: DVec2,
    /// Every direction in which an edge of the piece faces, in the order of the edges; parallel edges share one. A is the
    /// piece, and B the point, which has no edges.
    pub axes: Vec<Axis>,
    /// Index in `axes` of the one with the least overlap, the first of several alike.
    pub deciding: usize,
    /// The point of the object's boundary that is nearest to the point, seen from outside or inside alike, rounded to f64.
    pub closest: DVec2,
    /// How far the edge that it is on is, rounded to f64; 0 on the boundary, and nowhere else. More precise than the distance
    /// to `closest`, which it is where another piece ends the edge. Posed vertices are rounded first.
    pub distance: f64,
    /// A point near `closest` that is on the boundary exactly: no farther from it than 2^-25 of an edge's length where that
    /// edge's ends have few bits, and farther, also on another edge, where they have many. None where f64 has none, and of posed
    /// objects.
    pub on_boundary: Option<DVec2>,
}

impl PointExplanation {
    /// Why a point lies to an object of a set as it does.
    ///
    /// # Errors
    /// [`Error::Point`](crate::Error::Point), [`Error::UnknownObject`](crate::Error::UnknownObject),
    /// [`Error::NoRegion`](crate::Error::NoRegion).
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
        // Two points that differ are at least so far apart.
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

    /// The axis with the least overlap.
    #[must_use]
    pub fn deciding_axis(&self) -> &Axis {
        &self.axes[self.deciding]
    }
}

/// The edges of a piece in the world.
fn edges(piece: Piece<'_>) -> Vec<Edge> {
    let place = |&v: &DVec2| if piece.pose == Pose::IDENTITY { v } else { piece.pose.apply(v) };
    let world: Vec<DVec2> = piece.vertices.iter().map(place).collect();
    (0..world.len()).map(|i| [world[i], world[(i + 1) % world.len()]]).collect()
}
