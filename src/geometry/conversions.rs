//! Conversions from and to the types of the crate `geo-types`.

use bytemuck::TransparentWrapper;
use geo_types::{Coord, Geometry, GeometryCollection, LineString, MultiPolygon, Polygon, Rect, Triangle};
use glam::DVec2;

use super::{Aabb, ConvexPolygon, PolygonObject};
use crate::base::error::{Error, Result};

/// Wraps a `Coord`, so that the constructors accept the coordinates as a vertex.
#[derive(Clone, Copy, TransparentWrapper)]
#[repr(transparent)]
struct Vertex(Coord<f64>);

impl From<Vertex> for DVec2 {
    fn from(Vertex(Coord { x, y }): Vertex) -> Self {
        Self::new(x, y)
    }
}

/// Wraps a ring, so that the constructors read its vertices without a copy.
struct Ring<'a>(&'a LineString<f64>);

impl AsRef<[Vertex]> for Ring<'_> {
    fn as_ref(&self) -> &[Vertex] {
        Vertex::wrap_slice(&self.0.0)
    }
}

/// Returns the rings of a polygon: the shell, then the holes.
fn rings(polygon: &Polygon<f64>) -> Vec<Ring<'_>> {
    std::iter::once(polygon.exterior()).chain(polygon.interiors()).map(Ring).collect()
}

/// Returns whether a polygon is empty: none of its rings has a vertex.
fn is_empty(polygon: &Polygon<f64>) -> bool {
    std::iter::once(polygon.exterior()).chain(polygon.interiors()).all(|ring| ring.0.is_empty())
}

fn coord(v: DVec2) -> Coord<f64> {
    Coord { x: v.x, y: v.y }
}

fn vector(Coord { x, y }: Coord<f64>) -> DVec2 {
    DVec2::new(x, y)
}

/// Builds an object with [`PolygonObject::from_polygon`]. A polygon without vertices becomes [`PolygonObject::empty`].
///
/// ```
/// use sat2d::{PolygonObject, geo_types::{Polygon, polygon}};
/// let square = polygon!(
///     exterior: [(x: 0.0, y: 0.0), (x: 3.0, y: 0.0), (x: 3.0, y: 3.0), (x: 0.0, y: 3.0)],
///     interiors: [[(x: 1.0, y: 1.0), (x: 2.0, y: 1.0), (x: 2.0, y: 2.0)]],
/// );
/// let object = PolygonObject::try_from(&square)?;
/// assert!(object.pieces().len() > 1);
/// // The hole is counter-clockwise.
/// assert_eq!(object.cleanup().reversed_rings, 1);
/// assert_eq!(PolygonObject::try_from(&Polygon::empty())?, PolygonObject::empty());
/// # Ok::<(), sat2d::Error>(())
/// ```
impl TryFrom<&Polygon<f64>> for PolygonObject {
    type Error = Error;

    fn try_from(polygon: &Polygon<f64>) -> Result<Self> {
        if is_empty(polygon) {
            return Ok(Self::empty());
        }
        Self::from_polygon(&rings(polygon))
    }
}

/// Builds an object with [`PolygonObject::from_multi_polygon`], and leaves out polygons without vertices. If no polygon
/// has a vertex, the result is [`PolygonObject::empty`]. An error names a polygon by its index in the `MultiPolygon`.
impl TryFrom<&MultiPolygon<f64>> for PolygonObject {
    type Error = Error;

    fn try_from(polygons: &MultiPolygon<f64>) -> Result<Self> {
        let kept: Vec<_> = polygons.0.iter().filter(|polygon| !is_empty(polygon)).map(rings).collect();
        if kept.is_empty() {
            return Ok(Self::empty());
        }
        Self::from_multi_polygon(&kept).map_err(|error| {
            // The index in the error counts only the kept polygons. Finds the index of the polygon in the
            // `MultiPolygon`.
            let all = polygons.0.iter().enumerate();
            all.filter_map(|(i, polygon)| Some(Self::try_from(polygon).err()?.at_polygon(i)))
                .next()
                .unwrap_or(error)
        })
    }
}

/// Builds an object whose only piece is the rectangle. A rectangle without an interior is an error.
impl TryFrom<&Rect<f64>> for PolygonObject {
    type Error = Error;

    fn try_from(rect: &Rect<f64>) -> Result<Self> {
        ConvexPolygon::try_from(rect).map(Self::from)
    }
}

/// Builds an object whose only piece is the triangle. A triangle without an interior is an error.
impl TryFrom<&Triangle<f64>> for PolygonObject {
    type Error = Error;

    fn try_from(triangle: &Triangle<f64>) -> Result<Self> {
        ConvexPolygon::try_from(triangle).map(Self::from)
    }
}

/// Converts a `Polygon`, a `MultiPolygon`, a `Rect` or a `Triangle`, or a `GeometryCollection` that contains exactly one
/// of these. The collection may also contain exactly one collection, and so on. For every other geometry, the
/// conversion returns [`Error::NotPolygonal`].
///
/// ```
/// use sat2d::{PolygonObject, geo_types::{Geometry, Line, Rect, coord}};
/// let (low, high) = (coord! { x: 0.0, y: 0.0 }, coord! { x: 2.0, y: 1.0 });
/// let object = PolygonObject::try_from(&Geometry::from(Rect::new(low, high)))?;
/// assert_eq!(object.pieces()[0].vertices().len(), 4);
/// let line = PolygonObject::try_from(&Geometry::from(Line::new(low, high)));
/// assert!(line.is_err_and(|error| error.to_string().starts_with("a Line is not polygonal; give")));
/// # Ok::<(), sat2d::Error>(())
/// ```
impl TryFrom<&Geometry<f64>> for PolygonObject {
    type Error = Error;

    fn try_from(mut geometry: &Geometry<f64>) -> Result<Self> {
        while let Geometry::GeometryCollection(GeometryCollection(items)) = geometry
            && let [only] = &items[..]
        {
            geometry = only;
        }
        let kind = match geometry {
            Geometry::Polygon(polygon) => return polygon.try_into(),
            Geometry::MultiPolygon(polygons) => return polygons.try_into(),
            Geometry::Rect(rect) => return rect.try_into(),
            Geometry::Triangle(triangle) => return triangle.try_into(),
            Geometry::Point(_) => "Point",
            Geometry::Line(_) => "Line",
            Geometry::LineString(_) => "LineString",
            Geometry::MultiPoint(_) => "MultiPoint",
            Geometry::MultiLineString(_) => "MultiLineString",
            Geometry::GeometryCollection(_) => "GeometryCollection",
        };
        Err(Error::NotPolygonal { kind })
    }
}

/// Builds a convex polygon from the shell with [`ConvexPolygon::new`]. If a hole has a vertex, the conversion returns
/// [`Error::NotConvex`] for the first vertex of the hole. The index of the vertex is its position in the list of the
/// vertices of all rings. A polygon without vertices is an error, because a convex polygon has an interior.
impl TryFrom<&Polygon<f64>> for ConvexPolygon {
    type Error = Error;

    fn try_from(polygon: &Polygon<f64>) -> Result<Self> {
        let convex = Self::new(Ring(polygon.exterior()).as_ref())?;
        match polygon.interiors().iter().find_map(|hole| hole.0.first()) {
            None => Ok(convex),
            Some(&Coord { x, y }) => {
                Err(Error::NotConvex { polygon: 0, vertex: polygon.exterior().0.len(), x, y })
            }
        }
    }
}

/// Builds a convex polygon with the vertices of `Rect::to_polygon`, in the same order. A rectangle without an interior is
/// an error.
impl TryFrom<&Rect<f64>> for ConvexPolygon {
    type Error = Error;

    fn try_from(rect: &Rect<f64>) -> Result<Self> {
        let (low, high) = (rect.min(), rect.max());
        Self::new(&[[high.x, low.y], [high.x, high.y], [low.x, high.y], [low.x, low.y]])
    }
}

/// Builds a convex polygon with the vertices of the triangle. A triangle without an interior is an error.
impl TryFrom<&Triangle<f64>> for ConvexPolygon {
    type Error = Error;

    fn try_from(triangle: &Triangle<f64>) -> Result<Self> {
        Self::new(Vertex::wrap_slice(&triangle.to_array()))
    }
}

/// Builds a `Polygon` without holes. The vertices of the shell have the order of the convex polygon, and the first
/// vertex is repeated at the end.
///
/// ```
/// use sat2d::{ConvexPolygon, geo_types::Polygon};
/// let triangle = ConvexPolygon::new(&[[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])?;
/// let polygon = Polygon::from(&triangle);
/// assert_eq!(polygon.exterior().0.len(), 4);
/// assert_eq!(ConvexPolygon::try_from(&polygon)?.vertices(), triangle.vertices());
/// # Ok::<(), sat2d::Error>(())
/// ```
impl From<&ConvexPolygon> for Polygon<f64> {
    fn from(polygon: &ConvexPolygon) -> Self {
        let vertices = polygon.vertices();
        let mut shell = Vec::with_capacity(vertices.len() + 1);
        shell.extend(vertices.iter().chain(vertices.first()).map(|&v| coord(v)));
        Self::new(LineString(shell), Vec::new())
    }
}

impl From<Rect<f64>> for Aabb {
    fn from(rect: Rect<f64>) -> Self {
        Self { min: vector(rect.min()), max: vector(rect.max()) }
    }
}

/// Builds a `Rect` with the corners of the box. Returns [`Error::EmptyBox`] for a box that contains no point, such as
/// [`Aabb::EMPTY`], because a `Rect` always contains a point.
///
/// ```
/// use sat2d::{Aabb, geo_types::{Rect, coord}};
/// let unit = Aabb { min: [0.0, 0.0].into(), max: [1.0, 1.0].into() };
/// assert_eq!(Rect::try_from(unit)?.max(), coord! { x: 1.0, y: 1.0 });
/// assert!(Rect::try_from(Aabb::EMPTY).is_err());
/// # Ok::<(), sat2d::Error>(())
/// ```
impl TryFrom<Aabb> for Rect<f64> {
    type Error = Error;

    fn try_from(Aabb { min, max }: Aabb) -> Result<Self> {
        // A comparison with NaN is false, so a box with a NaN coordinate is an error.
        if min.x <= max.x && min.y <= max.y {
            return Ok(Self::new(coord(min), coord(max)));
        }
        Err(Error::EmptyBox { min: min.to_array(), max: max.to_array() })
    }
}
