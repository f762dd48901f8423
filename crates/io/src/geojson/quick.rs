//! Decodes the text of one feature into columns.
//!
//! Most features have a simple form. [`feature`] decodes such a feature in one pass, without an object for each
//! position. If [`feature`] finds anything that it cannot decode with certainty, it gives up, and the general parser
//! decodes the feature. Both give the same result, and only the general parser explains errors.

mod cursor;
pub(crate) mod number;
#[cfg(test)]
mod tests;

use sat2d::glam::DVec2;
use sat2d::internal::check_points;

use super::parse::{self, Feature, Geometry, Parsed};
use super::position::SyntaxError;
use super::scan::Element;
use super::{malformed, ordinates};
use crate::chunk::Chunk;
use crate::collector::Decoded;
use crate::name::{Name, Naming};
use crate::{Error, ReadCounts, Result};
use cursor::Cursor;

/// Decodes the text of an element, and appends exactly one feature to `chunk`. The feature has all polygons of the
/// geometry, including polygons without positions. Points are appended to `points`. A feature without a valid geometry
/// has no polygons and no points.
///
/// # Errors
/// Returns an error if the text is not JSON, or not a feature. In this case nothing is appended.
pub(super) fn decode(
    bytes: &[u8],
    element: &Element,
    naming: Naming<'_>,
    accepts_points: bool,
    chunk: &mut Chunk,
    points: &mut Vec<DVec2>,
) -> Result<Decoded, SyntaxError> {
    let (mark, point_count) = (chunk.mark(), points.len());
    if let Some(decoded) = feature(bytes, naming, accepts_points, chunk, points) {
        return Ok(decoded);
    }
    chunk.truncate(mark);
    points.truncate(point_count);
    general(bytes, element, naming, accepts_points, chunk, points)
}

/// Decodes the text of an element with the general parser, with the results and the errors of [`decode`].
fn general(
    bytes: &[u8],
    element: &Element,
    naming: Naming<'_>,
    accepts_points: bool,
    chunk: &mut Chunk,
    points: &mut Vec<DVec2>,
) -> Result<Decoded, SyntaxError> {
    let (name, geometry) = match parse::parse(bytes, element.in_collection, naming) {
        Ok(Parsed::Feature(Feature { name, geometry })) => {
            let is_read_as_0 = geometry.may_have_too_small() && ordinates::has_too_small(bytes);
            let error = if is_read_as_0 { malformed::too_small(bytes) } else { None };
            (name, error.map_or(Ok(geometry), Err))
        }
        Ok(Parsed::NoFeature(problem)) => return Err(SyntaxError::new(element.origin.place, problem)),
        Err(error) => {
            let (id, error) = malformed::explain(&error, bytes, &element.origin, naming.property)?;
            (Name { id, own: None }, Err(error))
        }
    };
    let mut counts = counts_of(&name, naming);
    let points = geometry.and_then(|geometry| append(&geometry, accepts_points, chunk, points, &mut counts));
    chunk.end_feature();
    Ok(Decoded { name, counts, srid: 0, points })
}

/// Returns the counts of a feature that do not depend on its geometry.
pub(super) fn counts_of(name: &Name, naming: Naming<'_>) -> ReadCounts {
    let ids_missing = usize::from(naming.property.is_some() && name.id.is_none());
    ReadCounts { features: 1, ids_missing, ..ReadCounts::default() }
}

/// Appends the polygons or the points of a geometry, and updates the counts. Returns the number of points, or an error if the
/// geometry is malformed or not supported.
fn append(
    geometry: &Geometry,
    accepts_points: bool,
    chunk: &mut Chunk,
    points: &mut Vec<DVec2>,
    counts: &mut ReadCounts,
) -> Result<usize> {
    match geometry {
        Geometry::Points { kind, coordinates } if accepts_points => {
            let positions = parse::positions(kind, coordinates.as_deref())?;
            counts.empty_geometries = usize::from(positions.is_empty());
            counts.third_ordinates_ignored = positions.iter().filter(|position| position.has_third).count();
            let start = points.len();
            points.extend(positions.into_iter().map(DVec2::from));
            if let Err(error) = check_points(&points[start..]) {
                points.truncate(start);
                return Err(error.into());
            }
            return Ok(points.len() - start);
        }
        Geometry::Points { kind, .. } => return Err(Error::UnsupportedGeometry { kind: (*kind).into() }),
        Geometry::Unsupported(kind) => return Err(Error::UnsupportedGeometry { kind: kind.clone() }),
        Geometry::Null => counts.null_geometries = 1,
        Geometry::Empty => counts.empty_geometries = 1,
        Geometry::Polygon(_) | Geometry::MultiPolygon(_) => {
            let mut tally = Tally::default();
            for rings in geometry.polygons() {
                for ring in rings {
                    chunk.coordinates.extend(ring.iter().map(|position| position.point.to_array()));
                    tally.third_ordinates += ring.iter().filter(|position| position.has_third).count();
                    tally.end_ring(chunk);
                }
                tally.end_polygon(chunk);
            }
            tally.count(counts);
        }
    }
    Ok(0)
}

/// The counts of polygons and rings while a geometry is decoded.
#[derive(Default)]
struct Tally {
    polygons: usize,
    empty_polygons: usize,
    third_ordinates: usize,
    rings_closed: usize,
    /// Whether the current polygon has a position so far.
    has_position: bool,
}

impl Tally {
    fn end_ring(&mut self, chunk: &mut Chunk) {
        let ring = chunk.open_ring();
        self.rings_closed += usize::from(ring.first() != ring.last());
        self.has_position |= !ring.is_empty();
        chunk.end_ring();
    }

    fn end_polygon(&mut self, chunk: &mut Chunk) {
        self.polygons += 1;
        self.empty_polygons += usize::from(!self.has_position);
        self.has_position = false;
        chunk.end_polygon();
    }

    fn count(&self, counts: &mut ReadCounts) {
        counts.third_ordinates_ignored = self.third_ordinates;
        counts.rings_closed = self.rings_closed;
        if self.empty_polygons == self.polygons {
            counts.empty_geometries = 1;
        } else {
            counts.empty_polygons = self.empty_polygons;
        }
    }
}

/// The geometry of a feature that has the simple form.
enum Shape {
    Null,
    Polygons(Tally),
    Points { count: usize, third_ordinates: usize },
}

/// Decodes a feature in the simple form: a Feature with a Polygon, a MultiPolygon, a Point, a MultiPoint or null. The
/// members may be in any order. Other members are allowed. Returns `None` if the general parser must decode the feature.
/// In this case the feature may be partly appended.
fn feature(
    bytes: &[u8],
    naming: Naming<'_>,
    accepts_points: bool,
    chunk: &mut Chunk,
    points: &mut Vec<DVec2>,
) -> Option<Decoded> {
    let mut text = Cursor::new(std::str::from_utf8(bytes).ok()?);
    let (mut is_feature, mut id, mut properties, mut shape) = (false, None, None, None);
    text.take(b'{')?;
    loop {
        match text.name()? {
            b"type" => {
                let is_repeated = std::mem::replace(&mut is_feature, true);
                if is_repeated || text.plain_string()? != b"Feature" {
                    return None;
                }
            }
            b"id" => set(&mut id, text.value()?)?,
            b"properties" if naming.property.is_some() => set(&mut properties, text.value()?)?,
            b"geometry" if text.take_word("null") => set(&mut shape, Shape::Null)?,
            b"geometry" => set(&mut shape, geometry(&mut text, accepts_points, chunk, points)?)?,
            // In a value without a Feature around it, these members belong to the geometry.
            b"coordinates" | b"geometries" => return None,
            _ => drop(text.value()?),
        }
        if !text.has_next(b'}')? {
            break;
        }
    }
    if !text.is_at_end() || !is_feature {
        return None;
    }
    let name = parse::name(id, properties, naming).ok()?;
    let mut counts = counts_of(&name, naming);
    let mut point_count = 0;
    match shape? {
        Shape::Null => counts.null_geometries = 1,
        Shape::Polygons(tally) => tally.count(&mut counts),
        Shape::Points { count, third_ordinates } => {
            counts.third_ordinates_ignored = third_ordinates;
            point_count = count;
        }
    }
    chunk.end_feature();
    Some(Decoded { name, counts, srid: 0, points: Ok(point_count) })
}

/// Stores a member in its slot. Returns `None` if the slot already has a member.
fn set<T>(slot: &mut Option<T>, value: T) -> Option<()> {
    if slot.is_some() {
        return None;
    }
    *slot = Some(value);
    Some(())
}

/// Decodes a geometry object. Returns `None` if the general parser must decode it.
fn geometry(
    text: &mut Cursor<'_>,
    accepts_points: bool,
    chunk: &mut Chunk,
    points: &mut Vec<DVec2>,
) -> Option<Shape> {
    let (mut depth, mut decoded) = (None, None);
    text.take(b'{')?;
    loop {
        match text.name()? {
            b"type" => {
                let of_type = match text.plain_string()? {
                    b"Polygon" => 3,
                    b"MultiPolygon" => 4,
                    b"Point" if accepts_points => 1,
                    b"MultiPoint" if accepts_points => 2,
                    _ => return None,
                };
                set(&mut depth, of_type)?;
            }
            b"coordinates" => {
                let depth = match depth {
                    Some(depth) => depth,
                    None => text.depth()?,
                };
                let shape = match depth {
                    1 | 2 => positions(text, depth == 2, points)?,
                    _ => polygons(text, depth == 4, chunk)?,
                };
                set(&mut decoded, (depth, shape))?;
            }
            b"geometries" => return None,
            _ => drop(text.value()?),
        }
        if !text.has_next(b'}')? {
            break;
        }
    }
    let (decoded_depth, shape) = decoded?;
    (depth? == decoded_depth).then_some(shape)
}

/// Decodes the coordinates of a Polygon or a MultiPolygon. Returns `None` if the general parser must decode them.
fn polygons(text: &mut Cursor<'_>, is_multi: bool, chunk: &mut Chunk) -> Option<Shape> {
    let mut tally = Tally::default();
    let mut polygon = |text: &mut Cursor<'_>| {
        text.array(|text| {
            text.array(|text| {
                let (position, has_third) = text.position()?;
                chunk.coordinates.push(position);
                tally.third_ordinates += usize::from(has_third);
                Some(())
            })?;
            tally.end_ring(chunk);
            Some(())
        })?;
        tally.end_polygon(chunk);
        Some(())
    };
    if is_multi {
        text.array(polygon)?
    } else {
        polygon(text)?
    }
    Some(Shape::Polygons(tally))
}

/// Decodes the coordinates of a Point or a MultiPoint with at least one position. Returns `None` if the general parser
/// must decode them.
fn positions(text: &mut Cursor<'_>, is_multi: bool, points: &mut Vec<DVec2>) -> Option<Shape> {
    let start = points.len();
    let mut third_ordinates = 0;
    let mut point = |text: &mut Cursor<'_>| {
        let (position, has_third) = text.position()?;
        points.push(position.into());
        third_ordinates += usize::from(has_third);
        Some(())
    };
    if is_multi {
        text.array(point)?
    } else {
        point(text)?
    }
    check_points(&points[start..]).ok()?;
    let count = points.len() - start;
    (count > 0).then_some(Shape::Points { count, third_ordinates })
}
