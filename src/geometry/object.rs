use glam::DVec2;

use super::{ConvexPolygon, Fill, decompose};
use crate::base::error::{Error, Result};

/// Counts of the irregularities that the library cleaned up in the input. No cleanup changes the region that the input
/// describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cleanup {
    /// Number of vertices that are equal to the vertex before them. The count does not include a last vertex of a ring
    /// that repeats the first vertex.
    pub repeated_vertices: usize,
    /// Number of vertices in the middle of a straight edge.
    pub collinear_vertices: usize,
    /// Number of reversed rings: clockwise shells and counter-clockwise holes.
    pub reversed_rings: usize,
    /// Number of edges, or parts of edges, that the rings traverse more than once.
    pub retraced_edges: usize,
    /// Number of points at which a ring touches itself or another ring of its polygon. The count does not include
    /// contacts along an edge.
    pub touching_vertices: usize,
}

impl std::ops::AddAssign for Cleanup {
    fn add_assign(&mut self, other: Self) {
        self.repeated_vertices += other.repeated_vertices;
        self.collinear_vertices += other.collinear_vertices;
        self.reversed_rings += other.reversed_rings;
        self.retraced_edges += other.retraced_edges;
        self.touching_vertices += other.touching_vertices;
    }
}

/// One object of a join. An object is a region, stored as a list of convex pieces. The union of the pieces is the
/// region.
///
/// The region of a polygon is the interior of its rings by the even-odd rule. An edge that is traversed twice counts
/// twice. The region of a MultiPolygon is the union of its polygons. These polygons may touch or overlap. The vertices
/// of pieces are input vertices only, so the union of the pieces is exactly the input region.
///
/// ```
/// use sat2d::PolygonObject;
/// let l_shape = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
/// let object = PolygonObject::from_polygon(&[l_shape])?;
/// assert_eq!(object.pieces().len(), 2);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolygonObject {
    /// The content, or `None` for an object without pieces. A feature without a geometry then takes only the memory of
    /// a pointer.
    content: Option<Box<Content>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Content {
    pieces: Vec<ConvexPolygon>,
    cleanup: Cleanup,
}

impl PolygonObject {
    /// Returns an object without a region. The object meets no other object.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// Builds an object from the rings of one polygon: the shell, then the holes. A ring may run clockwise or
    /// counter-clockwise. The last vertex of a ring may repeat the first vertex.
    ///
    /// `from_polygon` accepts retraced edges, rings that touch themselves or each other, and collinear edges that
    /// overlap. [`PolygonObject::cleanup`] counts these irregularities. `from_polygon` also accepts a hole without an
    /// interior. A hole without an interior leaves the region unchanged.
    ///
    /// # Errors
    /// - [`Error::NotFinite`] and [`Error::OutOfRange`] for an invalid coordinate.
    /// - [`Error::TooFewVertices`] and [`Error::ZeroArea`] if the shell is a point or lies on a line.
    /// - [`Error::CrossingSegments`] if two segments cross in their interiors.
    /// - [`Error::HoleOutsideShell`] if a part of a hole lies outside the shell.
    /// - [`Error::EmptyRegion`] if the interior of the rings is empty.
    /// - [`Error::TooMany`] if there are too many vertices for 32-bit indices.
    /// - [`Error::Decomposition`] if an internal check fails.
    ///
    /// In an error, the index of the polygon is 0. The index of a vertex is its position in the list of the vertices of
    /// all rings.
    ///
    /// ```
    /// use sat2d::PolygonObject;
    /// let shell = vec![[0.0, 0.0], [6.0, 0.0], [6.0, 6.0], [0.0, 6.0]];
    /// // The hole is counter-clockwise like the shell, and one corner of the hole is on an edge of the shell.
    /// let hole = vec![[3.0, 0.0], [4.0, 2.0], [2.0, 2.0]];
    /// let object = PolygonObject::from_polygon(&[shell, hole])?;
    /// assert_eq!(object.cleanup().touching_vertices, 1);
    /// assert_eq!(object.cleanup().reversed_rings, 1);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    pub fn from_polygon<R: AsRef<[V]>, V: Into<DVec2> + Copy>(rings: &[R]) -> Result<Self> {
        let rings: Vec<Vec<DVec2>> =
            rings.iter().map(|r| r.as_ref().iter().map(|&v| v.into()).collect()).collect();
        let (pieces, cleanup) = decompose::polygon(&rings)?;
        Ok(Self::new(pieces, cleanup))
    }

    /// Builds an object from several polygons, each given by its rings. The region is the union of the polygons.
    ///
    /// # Errors
    /// Returns the errors of [`PolygonObject::from_polygon`], with the index of the invalid polygon. Returns
    /// [`Error::EmptyRegion`] if there are no polygons.
    pub fn from_multi_polygon<P: AsRef<[R]>, R: AsRef<[V]>, V: Into<DVec2> + Copy>(
        polygons: &[P],
    ) -> Result<Self> {
        let (mut pieces, mut cleanup) = (Vec::new(), Cleanup::default());
        for (index, rings) in polygons.iter().enumerate() {
            let part = Self::from_polygon(rings.as_ref()).map_err(|e| e.at_polygon(index))?;
            cleanup += part.cleanup();
            pieces.extend(part.content.into_iter().flat_map(|content| content.pieces));
        }
        if pieces.is_empty() {
            return Err(Error::EmptyRegion { polygon: 0, near: None });
        }
        Ok(Self::new(pieces, cleanup))
    }

    /// Builds an object from rings that may cross. Also returns an upper bound of the distance by which a point of the
    /// boundary was moved, in the caller's unit. Returns the errors of [`decompose::filled()`].
    pub(crate) fn from_filled(rings: &[Vec<DVec2>], fill: Fill) -> Result<(Self, f64)> {
        let (pieces, displacement) = decompose::filled(rings, fill)?;
        Ok((Self::new(pieces, Cleanup::default()), displacement))
    }

    /// Adds the pieces of another polygon.
    pub(crate) fn append(&mut self, part: Self) {
        match (&mut self.content, part.content) {
            (Some(content), Some(part)) => {
                content.pieces.extend(part.pieces);
                content.cleanup += part.cleanup;
            }
            (content @ None, part) => *content = part,
            (Some(_), None) => {}
        }
    }

    /// Returns the object moved by the vector `way`, or `None` if a coordinate would be rounded or would leave the
    /// accepted range.
    pub(crate) fn moved_exactly(&self, way: DVec2) -> Option<Self> {
        let pieces = self.pieces().iter().map(|piece| piece.moved_exactly(way)).collect::<Option<_>>()?;
        Some(Self::new(pieces, self.cleanup()))
    }

    /// Returns the convex pieces.
    #[must_use]
    pub fn pieces(&self) -> &[ConvexPolygon] {
        self.content.as_deref().map_or(&[], |content| &content.pieces)
    }

    /// Returns the counts of the irregularities that were cleaned up in the input.
    #[must_use]
    pub fn cleanup(&self) -> Cleanup {
        self.content.as_deref().map_or_else(Cleanup::default, |content| content.cleanup)
    }

    fn new(pieces: Vec<ConvexPolygon>, cleanup: Cleanup) -> Self {
        let content = (!pieces.is_empty()).then(|| Box::new(Content { pieces, cleanup }));
        Self { content }
    }
}

impl From<ConvexPolygon> for PolygonObject {
    fn from(polygon: ConvexPolygon) -> Self {
        let cleanup = polygon.cleanup();
        Self::new(vec![polygon], cleanup)
    }
}
