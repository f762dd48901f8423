//! Decodes well-known binary into polygons or points: the variants of OGC 06-103r4 and of ISO 13249-3, and the extended
//! variant of PostGIS. Every length is checked against the bytes that follow it.

use sat2d::glam::DVec2;

use crate::region::Region;
use crate::{Error, Result};

const POINT: u32 = 1;
const POLYGON: u32 = 3;
const MULTI_POINT: u32 = 4;
const MULTI_POLYGON: u32 = 6;
const COLLECTION: u32 = 7;

/// The largest depth of nested collections that the decoder accepts.
const MAX_DEPTH: usize = 8;

/// The size in bytes of the smallest geometry, which consists of a byte order, a type and a count.
const LEAST_BYTES: usize = 9;

/// Adds the polygons or the points of one geometry to a region. A collection counts as its only geometry with a
/// position.
///
/// # Errors
/// Returns [`Error::Malformed`] if the bytes are not well-known binary or state two SRIDs. Returns
/// [`Error::UnsupportedGeometry`] for a geometry of another type that has a position, and [`Error::Library`] for a point
/// with a coordinate that is not accepted.
pub(crate) fn decode(bytes: &[u8], accepts_points: bool, region: Region<'_>) -> Result<()> {
    if accepts_points && let Some(point) = usual_point(bytes) {
        region.points.push(point);
        return region.finish(1, 0);
    }
    let mut decoder = Decoder { bytes, at: 0, accepts_points, region, tally: Tally::default() };
    decoder.geometry(0)?;
    if decoder.at < bytes.len() {
        let (after, at) = (bytes.len() - decoder.at, decoder.at);
        return Err(malformed(format!("{after} bytes follow the geometry, which ends at byte {at}")));
    }
    let Decoder { region, tally, .. } = decoder;
    region.finish(tally.positions, tally.empty_polygons)
}

/// Returns the position of a two-dimensional little-endian point without an SRID, the usual form of a point. Returns `None` for
/// other geometries and for an empty point. [`Decoder`] decodes all forms, but takes several times as long.
#[inline]
pub(crate) fn usual_point(bytes: &[u8]) -> Option<DVec2> {
    const START: &[u8] = &[1, POINT as u8, 0, 0, 0];
    let position: &[u8; 16] = bytes.strip_prefix(START)?.try_into().ok()?;
    let [x, y] = self::position(position, true);
    (!(x.is_nan() && y.is_nan())).then_some(DVec2::new(x, y))
}

fn malformed(problem: String) -> Error {
    Error::Malformed { problem: format!("WKB: {problem}; write the geometry again") }
}

/// The numbers of positions, of empty polygons and of non-empty members that the decoder has found in a geometry so far.
#[derive(Default)]
struct Tally {
    positions: usize,
    empty_polygons: usize,
    /// The number of geometries that have a position. A collection itself does not count, only its members.
    members: usize,
}

/// The header of a geometry: its type, its dimensions, and the byte order of its numbers.
#[derive(Clone, Copy)]
struct Header {
    kind: u32,
    is_little: bool,
    /// The number of coordinates of each position in the geometry.
    dimensions: usize,
}

struct Decoder<'a, 'r> {
    bytes: &'a [u8],
    at: usize,
    accepts_points: bool,
    region: Region<'r>,
    tally: Tally,
}

impl Decoder<'_, '_> {
    fn take(&mut self, count: usize) -> Result<&[u8]> {
        match self.bytes.get(self.at..).and_then(|rest| rest.get(..count)) {
            Some(taken) => {
                self.at += count;
                Ok(taken)
            }
            None => Err(malformed(format!(
                "it ends after {} bytes, inside the {count} bytes from byte {} on",
                self.bytes.len(),
                self.at
            ))),
        }
    }

    fn number(&mut self, is_little: bool) -> Result<u32> {
        let bytes = self.take(4)?.first_chunk().copied().unwrap_or_default();
        Ok(if is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    /// Reads a count of items. Each of these items takes at least `least_bytes`. Returns an error if the bytes after the count
    /// are too few for so many items.
    fn count(&mut self, is_little: bool, least_bytes: usize, items: &str) -> Result<usize> {
        let at = self.at;
        let count = self.number(is_little)? as usize;
        let room = (self.bytes.len() - self.at) / least_bytes;
        if count > room {
            let problem =
                format!("the count at byte {at} says {count} {items}, but the rest has room for {room}");
            return Err(malformed(problem));
        }
        Ok(count)
    }

    fn header(&mut self) -> Result<Header> {
        const Z: u32 = 1 << 31;
        const M: u32 = 1 << 30;
        const SRID: u32 = 1 << 29;
        let at = self.at;
        let order = self.take(1)?[0];
        if order > 1 {
            return Err(malformed(format!("the byte order at byte {at} is {order}, neither 0 nor 1")));
        }
        let is_little = order == 1;
        let code = self.number(is_little)?;
        if code & SRID != 0 {
            // PostGIS stores the SRID as a signed number.
            let srid = self.number(is_little)?.cast_signed();
            self.region.state_srid(srid.into())?;
        }
        let base = code & !(Z | M | SRID);
        let (kind, iso) = (base % 1000, base / 1000);
        if iso > 3 || (iso > 0 && code & (Z | M) != 0) {
            return Err(malformed(format!(
                "the type at byte {} is {code}, which no form of WKB has",
                at + 1
            )));
        }
        let has_z = code & Z != 0 || iso == 1 || iso == 3;
        let has_m = code & M != 0 || iso >= 2;
        Ok(Header { kind, is_little, dimensions: 2 + usize::from(has_z) + usize::from(has_m) })
    }

    fn geometry(&mut self, depth: usize) -> Result<()> {
        let header = self.header()?;
        let before = self.tally.positions;
        match header.kind {
            POINT | MULTI_POINT if self.accepts_points => self.points(header)?,
            POLYGON => self.polygon(header)?,
            MULTI_POLYGON => {
                for _ in 0..self.count(header.is_little, LEAST_BYTES, "polygons")? {
                    let member = self.member(POLYGON, "MultiPolygon")?;
                    self.polygon(member)?;
                }
            }
            COLLECTION if depth < MAX_DEPTH => {
                for _ in 0..self.count(header.is_little, LEAST_BYTES, "geometries")? {
                    self.geometry(depth + 1)?;
                }
                return Ok(());
            }
            _ => self.other(header)?,
        }
        self.tally.members += usize::from(self.tally.positions > before);
        if self.tally.members > 1 { Err(unsupported(COLLECTION)) } else { Ok(()) }
    }

    /// Reads the header of one part of a multi-geometry. Returns an error if the header is malformed, or if the part is not of
    /// the type `kind`. `whole` names the multi-geometry in messages.
    fn member(&mut self, kind: u32, whole: &str) -> Result<Header> {
        let at = self.at;
        let header = self.header()?;
        if header.kind != kind {
            let found = name(header.kind);
            return Err(malformed(format!("the part at byte {at} of a {whole} is a {found}")));
        }
        Ok(header)
    }

    /// Skips a geometry of a type that cannot be joined. Returns an error unless the geometry is empty.
    fn other(&mut self, header: Header) -> Result<()> {
        let is_empty = match header.kind {
            POINT => self.position(header)?.is_nan_mask().all(),
            // Each of these types begins with the number of its parts or positions.
            2 | 4 | 5 | 8..=12 | 15 | 16 => self.number(header.is_little)? == 0,
            _ => false,
        };
        if is_empty { Ok(()) } else { Err(unsupported(header.kind)) }
    }

    fn position(&mut self, header: Header) -> Result<DVec2> {
        let bytes = self.take(8 * header.dimensions)?;
        Ok(DVec2::from(position(bytes, header.is_little)))
    }

    fn points(&mut self, header: Header) -> Result<()> {
        let count = match header.kind {
            POINT => 1,
            _ => self.count(header.is_little, 5 + 16, "points")?,
        };
        for _ in 0..count {
            let of_point = if header.kind == POINT { header } else { self.member(POINT, "MultiPoint")? };
            let position = self.position(of_point)?;
            // NaN coordinates are the only encoding of an empty point.
            if position.x.is_nan() && position.y.is_nan() {
                continue;
            }
            self.tally.positions += 1;
            self.region.counts.third_ordinates_ignored += usize::from(of_point.dimensions > 2);
            self.region.points.push(position);
        }
        Ok(())
    }

    fn polygon(&mut self, Header { is_little, dimensions, .. }: Header) -> Result<()> {
        let before = self.tally.positions;
        for _ in 0..self.count(is_little, 4, "rings")? {
            let size = 8 * dimensions;
            let count = self.count(is_little, size, "positions")?;
            let start = self.region.chunk.coordinates.len();
            let at = self.at;
            self.take(count * size)?;
            let bytes = &self.bytes[at..self.at];
            let coordinates = &mut self.region.chunk.coordinates;
            if is_little && dimensions == 2 {
                // Two-dimensional little-endian positions are the usual case. The compiler can turn this loop into a copy.
                coordinates.extend(bytes.chunks_exact(16).map(|bytes| position(bytes, true)));
            } else {
                coordinates.extend(bytes.chunks_exact(size).map(|bytes| position(bytes, is_little)));
            }
            let ring = &coordinates[start..];
            self.region.counts.rings_closed += usize::from(ring.first() != ring.last());
            self.region.counts.third_ordinates_ignored += if dimensions > 2 { count } else { 0 };
            self.tally.positions += count;
            self.region.chunk.end_ring();
        }
        self.tally.empty_polygons += usize::from(self.tally.positions == before);
        self.region.chunk.end_polygon();
        Ok(())
    }
}

/// Returns the first two coordinates of the position at the start of `bytes`.
#[inline]
fn position(bytes: &[u8], is_little: bool) -> [f64; 2] {
    let number = |at: usize| {
        let bytes = bytes[at..].first_chunk().copied().unwrap_or_default();
        if is_little { f64::from_le_bytes(bytes) } else { f64::from_be_bytes(bytes) }
    };
    [number(0), number(8)]
}

fn unsupported(kind: u32) -> Error {
    Error::UnsupportedGeometry { kind: name(kind) }
}

/// Returns the name of a geometry type, from its code.
pub(crate) fn name(kind: u32) -> String {
    const NAMES: [&str; 18] = [
        "Geometry",
        "Point",
        "LineString",
        "Polygon",
        "MultiPoint",
        "MultiLineString",
        "MultiPolygon",
        "GeometryCollection",
        "CircularString",
        "CompoundCurve",
        "CurvePolygon",
        "MultiCurve",
        "MultiSurface",
        "Curve",
        "Surface",
        "PolyhedralSurface",
        "TIN",
        "Triangle",
    ];
    NAMES.get(kind as usize).map_or_else(|| format!("WKB type {kind}"), |&name| name.into())
}

/// Decodes well-known binary that is written as hexadecimal digits, with or without the prefix of PostgreSQL.
///
/// # Errors
/// Returns [`Error::Malformed`] if the text has another character, or an odd number of digits.
pub(crate) fn from_hex(text: &str) -> Result<Vec<u8>> {
    let digits = text.strip_prefix("\\x").unwrap_or(text);
    let value = |digit: u8| (digit as char).to_digit(16).map(|value| value as u8);
    if let Some(at) = digits.bytes().position(|digit| value(digit).is_none()) {
        return Err(malformed(format!("character {at} of the text is not a hexadecimal digit")));
    }
    if digits.len() % 2 == 1 {
        return Err(malformed(format!("the text has {} hexadecimal digits, an odd number", digits.len())));
    }
    let byte = |pair: &[u8]| pair.iter().fold(0, |byte, &digit| byte << 4 | value(digit).unwrap_or_default());
    Ok(digits.as_bytes().chunks_exact(2).map(byte).collect())
}

#[cfg(test)]
mod tests;
