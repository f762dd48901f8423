//! Decodes the geometry of a feature of FlatGeobuf.

use sat2d::glam::DVec2;

use super::buffer::{Damage, Table};
use crate::region::Region;
use crate::{Error, Result, wkb};

/// The code of FlatGeobuf for the geometry type Point.
const POINT: u8 = 1;
/// The code of FlatGeobuf for the geometry type Polygon.
const POLYGON: u8 = 3;
/// The code of FlatGeobuf for the geometry type MultiPoint.
const MULTI_POINT: u8 = 4;
/// The code of FlatGeobuf for the geometry type MultiPolygon.
const MULTI_POLYGON: u8 = 6;
/// The code of FlatGeobuf for the geometry type GeometryCollection.
const COLLECTION: u8 = 7;

/// The largest depth of nested collections that the decoder accepts.
const MAX_DEPTH: usize = 8;

/// The index of the geometry's field with the ends of the rings. The end of a ring is the number of vertices from the start
/// of the geometry to the end of the ring.
const ENDS: usize = 0;
/// The index of the geometry's field with the x and y coordinates of all positions.
const XY: usize = 1;
/// The index of the geometry's field with the z coordinates of all positions.
const Z: usize = 2;
/// The index of the geometry's field with the type of the geometry.
const KIND: usize = 6;
/// The index of the geometry's field with the parts of a multipolygon or a collection.
const PARTS: usize = 7;

/// The size in bytes of the x and y coordinates of one position.
const POSITION: usize = 16;

pub(super) fn malformed(problem: &str) -> Error {
    Error::Malformed { problem: format!("FlatGeobuf: {problem}; write the feature again") }
}

fn damaged(_: Damage) -> Error {
    malformed("an offset or a length leads out of the feature")
}

/// Adds the geometry of a feature of `size` bytes to a region. Returns an error if the geometry is malformed or not supported.
/// `kind` is the type of all geometries of the file, or 0 if each geometry has its own type.
pub(super) fn decode(
    geometry: &Table<'_>,
    kind: u8,
    size: usize,
    accepts_points: bool,
    region: Region<'_>,
) -> Result<()> {
    let mut decoder =
        Decoder { accepts_points, region, left: size, positions: 0, empty_polygons: 0, members: 0 };
    let kind = if kind == 0 { geometry.byte(KIND).map_err(damaged)? } else { kind };
    decoder.geometry(geometry, kind, 0)?;
    let Decoder { region, positions, empty_polygons, .. } = decoder;
    region.finish(positions, empty_polygons)
}

struct Decoder<'r> {
    accepts_points: bool,
    region: Region<'r>,
    /// The number of bytes of the feature that no geometry has used yet. The limit is necessary because several geometries of a
    /// damaged feature may refer to the same bytes.
    left: usize,
    positions: usize,
    empty_polygons: usize,
    /// The number of geometries that have a position. A collection itself does not count, only its members.
    members: usize,
}

impl Decoder<'_> {
    /// Counts `bytes` bytes of the feature as used. Returns an error if the feature has fewer unused bytes. Several
    /// geometries of the feature then refer to the same bytes.
    fn take(&mut self, bytes: usize) -> Result<()> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or_else(|| malformed("several of its parts have the same bytes"))?;
        Ok(())
    }

    /// Returns the bytes of the positions of a geometry. Returns an error if the positions are malformed.
    fn positions<'a>(&mut self, geometry: &Table<'a>) -> Result<&'a [u8]> {
        let bytes = geometry.vector(XY, 8).map_err(damaged)?;
        self.take(bytes.len())?;
        if bytes.len() % POSITION != 0 {
            return Err(malformed("the last of its positions has no y"));
        }
        let count = bytes.len() / POSITION;
        self.positions += count;
        let has_third = !geometry.vector(Z, 8).map_err(damaged)?.is_empty();
        self.region.counts.third_ordinates_ignored += if has_third { count } else { 0 };
        Ok(bytes)
    }

    fn geometry(&mut self, geometry: &Table<'_>, kind: u8, depth: usize) -> Result<()> {
        let before = self.positions;
        match kind {
            POINT | MULTI_POINT if self.accepts_points => self.points(geometry, kind)?,
            POLYGON => self.polygon(geometry)?,
            MULTI_POLYGON => {
                for part in geometry.tables(PARTS).map_err(damaged)? {
                    let part = part.map_err(damaged)?;
                    let kind = part.byte(KIND).map_err(damaged)?;
                    if kind != POLYGON && kind != 0 {
                        let name = wkb::name(kind.into());
                        return Err(malformed(&format!("a part of its MultiPolygon is a {name}")));
                    }
                    self.polygon(&part)?;
                }
            }
            COLLECTION if depth < MAX_DEPTH => {
                for part in geometry.tables(PARTS).map_err(damaged)? {
                    self.take(4)?;
                    let part = part.map_err(damaged)?;
                    self.geometry(&part, part.byte(KIND).map_err(damaged)?, depth + 1)?;
                }
                return Ok(());
            }
            kind => {
                let is_empty =
                    |field, size| geometry.vector(field, size).map(<[u8]>::is_empty).map_err(damaged);
                let is_nan = |bytes: &[u8; 8]| f64::from_le_bytes(*bytes).is_nan();
                let xy = geometry.vector(XY, 8).map_err(damaged)?;
                let has_no_position = xy.as_chunks().0.iter().all(is_nan) && (kind == POINT || xy.is_empty());
                if kind == 0 || !has_no_position || !is_empty(PARTS, 4)? {
                    return Err(Error::UnsupportedGeometry { kind: wkb::name(kind.into()) });
                }
            }
        }
        self.members += usize::from(self.positions > before);
        if self.members > 1 {
            return Err(Error::UnsupportedGeometry { kind: wkb::name(COLLECTION.into()) });
        }
        Ok(())
    }

    fn points(&mut self, geometry: &Table<'_>, kind: u8) -> Result<()> {
        let bytes = self.positions(geometry)?;
        if kind == POINT && bytes.len() > POSITION {
            return Err(malformed("its point has several positions"));
        }
        for position in bytes.as_chunks::<POSITION>().0 {
            let point = DVec2::from(position_of(position));
            // NaN coordinates are the only encoding of an empty point.
            if point.x.is_nan() && point.y.is_nan() {
                self.positions -= 1;
                continue;
            }
            self.region.points.push(point);
        }
        Ok(())
    }

    fn polygon(&mut self, polygon: &Table<'_>) -> Result<()> {
        let ends = polygon.vector(ENDS, 4).map_err(damaged)?;
        // The offset of a polygon in the multipolygon's list of parts takes four bytes.
        self.take(ends.len() + 4)?;
        let bytes = self.positions(polygon)?;
        let count = bytes.len() / POSITION;
        let mut start = 0;
        // A polygon of one ring may lack the list of the ends of rings.
        let only = [u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes()];
        let ends = if ends.is_empty() && count > 0 { &only[..] } else { ends.as_chunks().0 };
        for end in ends {
            let end = u32::from_le_bytes(*end) as usize;
            if end < start || end > count {
                return Err(malformed(&format!("a ring ends at {end}, outside of {start} to {count}")));
            }
            let ring = bytes[POSITION * start..POSITION * end].as_chunks().0;
            let (counts, chunk) = (&mut *self.region.counts, &mut *self.region.chunk);
            chunk.coordinates.extend(ring.iter().map(position_of));
            counts.rings_closed += usize::from(ring.first() != ring.last());
            chunk.end_ring();
            start = end;
        }
        if start != count {
            return Err(malformed(&format!("its rings end at {start}, but it has {count} positions")));
        }
        self.empty_polygons += usize::from(count == 0);
        self.region.chunk.end_polygon();
        Ok(())
    }
}

fn position_of(bytes: &[u8; POSITION]) -> [f64; 2] {
    let numbers = bytes.as_chunks::<8>().0;
    [f64::from_le_bytes(numbers[0]), f64::from_le_bytes(numbers[1])]
}
