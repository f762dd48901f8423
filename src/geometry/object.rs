use glam::DVec2;

use super::{ConvexPolygon, decompose};
use crate::error::{Error, Result};

/// What was tidied on the way in. None of it changes the region that the input means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleanup {
    /// Vertices equal to the one before them, the closing vertex of a closed ring not counted.
    pub repeated_vertices: usize,
    /// Vertices in the middle of a straight edge.
    pub collinear_vertices: usize,
    /// Rings given in the other direction than the one kept (shell counter-clockwise, hole clockwise).
    pub reversed_rings: usize,
    /// Edges, or parts of them, traversed more than once.
    pub retraced_edges: usize,
    /// Places where a ring meets itself or another ring of its polygon other than along an edge.
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

/// One object of a join: convex pieces whose union is the region meant.
///
/// The region of a polygon is the even-odd interior of its rings (an edge counts as often as it is traversed); that
/// of a multipolygon is the union of its polygons, which may touch or overlap. Pieces use input vertices only, so
/// their union is exactly the input.
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
    /// None of an object without pieces, so that a feature without a geometry takes a pointer and no more.
    content: Option<Box<Content>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Content {
    pieces: Vec<ConvexPolygon>,
    cleanup: Cleanup,
}

impl PolygonObject {
    /// An object without a region; it meets nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// An object from the rings of one polygon: the shell, then the holes, in any direction, closed or not.
    ///
    /// Edges that are retraced, rings that touch themselves or one another, and edges that overlap collinearly are
    /// accepted and counted in [`PolygonObject::cleanup`]; so is a hole without an interior, which takes nothing away.
    ///
    /// # Errors
    /// [`Error::NotFinite`] and [`Error::OutOfRange`]; [`Error::TooFewVertices`] and [`Error::ZeroArea`] where the
    /// shell is a point or lies on a line; [`Error::CrossingSegments`] where two segments cross in the interior of
    /// both; [`Error::HoleOutsideShell`]; [`Error::EmptyRegion`]; [`Error::TooMany`]. The polygon is named as 0;
    /// vertices count through all rings.
    ///
    /// ```
    /// use sat2d::PolygonObject;
    /// let shell = vec![[0.0, 0.0], [6.0, 0.0], [6.0, 6.0], [0.0, 6.0]];
    /// // Counter-clockwise too, and its corner on the shell's edge.
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

    /// An object from several polygons, each given by its rings; the region is their union.
    ///
    /// # Errors
    /// Those of [`PolygonObject::from_polygon`], naming the polygon.
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

    /// The same object elsewhere; none where that would round a coordinate, or is out of the accepted range.
    pub(crate) fn moved_exactly(&self, way: DVec2) -> Option<Self> {
        let pieces = self.pieces().iter().map(|piece| piece.moved_exactly(way)).collect::<Option<_>>()?;
        Some(Self::new(pieces, self.cleanup()))
    }

    /// The convex pieces.
    #[must_use]
    pub fn pieces(&self) -> &[ConvexPolygon] {
        self.content.as_deref().map_or(&[], |content| &content.pieces)
    }

    /// What was tidied on the way in.
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
