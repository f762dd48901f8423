//! Polygons in columns: coordinates, and offsets that say where each ring, polygon and object begins.

use std::borrow::Cow;
use std::ops::Range;

use glam::DVec2;

use super::Fill;
use crate::base::error::{Error, Result};

/// The coordinates of all vertices, ring after ring, in the caller's unit.
#[derive(Clone, Copy, Debug)]
pub enum Coordinates<'a> {
    /// One pair `[x, y]` for each vertex.
    Interleaved(&'a [[f64; 2]]),
    /// The x coordinates in one slice, and the y coordinates in another slice.
    Separate {
        /// The x coordinates of all vertices.
        x: &'a [f64],
        /// The y coordinates of all vertices, in the order of the x coordinates.
        y: &'a [f64],
    },
}

/// Offsets into another column: item `i` consists of the items of that column from index `offsets[i]` up to, but not
/// including, index `offsets[i + 1]`. There is one offset more than there are items. The first offset need not be 0, so
/// a slice of a column is a column.
#[derive(Clone, Copy, Debug)]
pub enum Offsets<'a> {
    /// Offsets of 32 bits, which Arrow uses for lists.
    I32(&'a [i32]),
    /// Offsets of 64 bits, which Arrow uses for large lists, and NumPy for indices.
    I64(&'a [i64]),
}

impl<'a> From<&'a [i32]> for Offsets<'a> {
    fn from(offsets: &'a [i32]) -> Self {
        Self::I32(offsets)
    }
}

impl<'a> From<&'a [i64]> for Offsets<'a> {
    fn from(offsets: &'a [i64]) -> Self {
        Self::I64(offsets)
    }
}

impl Offsets<'_> {
    /// Returns the range that item `i` covers in the column that the offsets refer to. The offsets must be checked
    /// first.
    #[inline]
    fn range(self, i: usize) -> Range<usize> {
        match self {
            Self::I32(offsets) => offsets[i] as usize..offsets[i + 1] as usize,
            Self::I64(offsets) => offsets[i] as usize..offsets[i + 1] as usize,
        }
    }

    /// Checks the offsets of a column, and returns the number of items that they describe. Returns [`Error::Column`]
    /// if an offset decreases or lies outside a column of `count` items. `column` is the name of the offsets in the
    /// error.
    fn check(self, column: &'static str, count: usize) -> Result<usize> {
        match self {
            Self::I32(offsets) => check(column, offsets, count),
            Self::I64(offsets) => check(column, offsets, count),
        }
    }
}

fn check<T: Copy + Into<i64> + PartialOrd>(
    column: &'static str,
    offsets: &[T],
    count: usize,
) -> Result<usize> {
    let wrong = |index: usize, value: i64, problem| Err(Error::Column { column, index, value, problem });
    let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else {
        return wrong(0, 0, "has no entry; give one offset more than there are items");
    };
    if first.into() < 0 {
        return wrong(0, first.into(), "is negative; offsets count from 0");
    }
    if let Some(before) = offsets.windows(2).position(|pair| pair[1] < pair[0]) {
        return wrong(before + 1, offsets[before + 1].into(), "is less than the offset before it");
    }
    if u64::try_from(last.into()).is_ok_and(|last| last > count as u64) {
        return wrong(
            offsets.len() - 1,
            last.into(),
            "exceeds the number of items that the offsets refer to",
        );
    }
    Ok(offsets.len() - 1)
}

/// Polygons in columns, as in GeoArrow and in the ragged arrays of Shapely. The columns are borrowed and not copied.
///
/// The rings of a polygon are its shell, then its holes. The direction of a ring matters only under [`Fill::NonZero`]. The last
/// vertex of a ring may repeat its first vertex. An object without rings, or with empty rings only, has no region and meets
/// nothing.
///
/// ```
/// use sat2d::{Backend, Coordinates, Engine, PolygonColumns, PolygonSet, Relations};
/// // A triangle, and a square with a hole. The first polygon has ring 0, the second one has rings 1 and 2.
/// let xy = [
///     [0.0, 0.0], [2.0, 0.0], [0.0, 2.0],
///     [1.0, 0.0], [5.0, 0.0], [5.0, 4.0], [1.0, 4.0],
///     [2.0, 1.0], [2.0, 3.0], [4.0, 3.0], [4.0, 1.0],
/// ];
/// let rings = [0, 3, 7, 11];
/// let polygons = [0, 1, 3];
/// let columns = PolygonColumns::new(Coordinates::Interleaved(&xy), rings.as_slice()).polygons(polygons.as_slice());
/// let set = PolygonSet::from_columns(&columns)?;
/// assert_eq!(set.object_count(), 2);
/// assert_eq!(Engine::new(Backend::Cpu)?.self_join(&set).query(Relations)?.len(), 1);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PolygonColumns<'a> {
    coordinates: Coordinates<'a>,
    rings: Offsets<'a>,
    polygons: Option<Offsets<'a>>,
    objects: Option<Offsets<'a>>,
    fill: Option<Fill>,
}

impl<'a> PolygonColumns<'a> {
    /// Returns polygons of one ring each. `rings` are offsets into the coordinates.
    #[must_use]
    pub fn new(coordinates: Coordinates<'a>, rings: impl Into<Offsets<'a>>) -> Self {
        Self { coordinates, rings: rings.into(), polygons: None, objects: None, fill: None }
    }

    /// Sets the rings of each polygon: `polygons` are offsets into the rings.
    #[must_use]
    pub fn polygons(self, polygons: impl Into<Offsets<'a>>) -> Self {
        Self { polygons: Some(polygons.into()), ..self }
    }

    /// Sets the polygons of each object, such as the polygons of a MultiPolygon. `objects` are offsets into the
    /// polygons.
    #[must_use]
    pub fn objects(self, objects: impl Into<Offsets<'a>>) -> Self {
        Self { objects: Some(objects.into()), ..self }
    }

    /// Sets a rule for rings that cross, and for holes that leave their shell. Without a rule, such polygons are
    /// errors. The method does not exist in browsers.
    ///
    /// With a rule, a set keeps the rings of all polygons, whatever their size. [`Relations`](crate::Relations) and
    /// [`Containments`](crate::Containments) are exact, and so are the relations of points. All other queries use convex pieces,
    /// whose vertices at crossings are rounded (see
    /// [`PolygonSet::piece_displacement`](crate::PolygonSet::piece_displacement)).
    #[cfg(not(target_family = "wasm"))]
    #[must_use]
    pub fn fill(self, fill: Fill) -> Self {
        Self { fill: Some(fill), ..self }
    }

    /// Returns the fill rule that the caller set with [`PolygonColumns::fill`], or `None` if the caller set no rule. In
    /// WebAssembly, always returns `None`.
    pub(super) fn fill_rule(&self) -> Option<Fill> {
        if cfg!(target_family = "wasm") { None } else { self.fill }
    }

    /// Checks all offsets, and returns the number of objects. Returns [`Error::Column`] if an offset does not fit the
    /// column that it refers to, or if the columns x and y differ in length.
    pub(super) fn check(&self) -> Result<usize> {
        let vertices = match self.coordinates {
            Coordinates::Interleaved(points) => points.len(),
            Coordinates::Separate { x, y } if x.len() == y.len() => x.len(),
            Coordinates::Separate { x, y } => {
                let problem = "is the length of this column, but x has another length";
                let (index, value) = (x.len().min(y.len()), y.len() as i64);
                return Err(Error::Column { column: "y", index, value, problem });
            }
        };
        let rings = self.rings.check("rings", vertices)?;
        let polygons = self.polygons.map_or(Ok(rings), |polygons| polygons.check("polygons", rings))?;
        self.objects.map_or(Ok(polygons), |objects| objects.check("objects", polygons))
    }

    /// Returns whether the caller set the polygons of each object.
    pub(super) fn are_multi_polygons(&self) -> bool {
        self.objects.is_some()
    }

    /// Returns the range of the polygons of an object.
    #[inline]
    pub(super) fn polygons_of(&self, object: usize) -> Range<usize> {
        self.objects.map_or(object..object + 1, |objects| objects.range(object))
    }

    /// Returns the range of the rings of a polygon.
    #[inline]
    pub(super) fn rings_of(&self, polygon: usize) -> Range<usize> {
        self.polygons.map_or(polygon..polygon + 1, |polygons| polygons.range(polygon))
    }

    /// Returns the range of the vertices of a ring.
    #[inline]
    pub(super) fn vertices_of(&self, ring: usize) -> Range<usize> {
        self.rings.range(ring)
    }

    /// Returns a range of vertices as points. Interleaved coordinates are borrowed.
    pub(super) fn points(&self, vertices: Range<usize>) -> Cow<'a, [DVec2]> {
        match self.coordinates {
            Coordinates::Interleaved(points) => bytemuck::cast_slice(&points[vertices]).into(),
            Coordinates::Separate { x, y } => {
                let both = x[vertices.clone()].iter().zip(&y[vertices]);
                both.map(|(&x, &y)| DVec2::new(x, y)).collect::<Vec<_>>().into()
            }
        }
    }

    /// Returns the range of the vertices of all rings of consecutive objects.
    pub(super) fn span(&self, objects: Range<usize>) -> Range<usize> {
        let polygons = joined(objects, |object| self.polygons_of(object));
        let rings = joined(polygons, |polygon| self.rings_of(polygon));
        joined(rings, |ring| self.vertices_of(ring))
    }
}

/// Returns the range that consecutive items cover in a column: from the start of the first item to the end of the last
/// item. `of` returns the range of one item.
fn joined(items: Range<usize>, of: impl Fn(usize) -> Range<usize>) -> Range<usize> {
    if items.is_empty() { 0..0 } else { of(items.start).start..of(items.end - 1).end }
}
