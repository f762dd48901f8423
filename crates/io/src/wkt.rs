//! Decodes well-known text into polygons or points: the variants of OGC 06-103r4 and of ISO 13249-3, and the extended
//! variant of PostGIS.

use sat2d::glam::DVec2;
use sat2d::internal::Shown;

use crate::geojson::quick::number;
use crate::region::Region;
use crate::{Error, Result, wkb};

/// The largest depth of nested collections that the decoder accepts.
const MAX_DEPTH: usize = 8;

/// Adds the geometry of a text to a region. The text is well-known text, or well-known binary in hexadecimal digits. An empty
/// text is a null geometry.
///
/// # Errors
/// Returns [`Error::Malformed`] if the text is neither of the two. Returns [`Error::UnsupportedGeometry`] for a geometry of
/// another type that has a position, and [`Error::Library`] for a point with a coordinate that is not accepted.
pub(crate) fn decode_text(text: &[u8], accepts_points: bool, region: Region<'_>) -> Result<()> {
    let text = text.trim_ascii();
    match text.first() {
        None => {
            region.counts.null_geometries += 1;
            Ok(())
        }
        Some(b'0'..=b'9' | b'\\') => {
            let digits = std::str::from_utf8(text)
                .map_err(|error| malformed(error.valid_up_to(), "is not UTF-8; write the file in UTF-8"))?;
            wkb::decode(&wkb::from_hex(digits)?, accepts_points, region)
        }
        Some(_) => decode(text, accepts_points, region),
    }
}

/// Adds the polygons or the points of one geometry to a region. Returns an error if the text is malformed or its type
/// is not supported. A collection counts as its only geometry with a position.
fn decode(text: &[u8], accepts_points: bool, region: Region<'_>) -> Result<()> {
    let mut decoder =
        Decoder { text, at: 0, accepts_points, region, positions: 0, empty_polygons: 0, members: 0 };
    decoder.srid()?;
    decoder.geometry(0)?;
    if decoder.skip_spaces().is_some() {
        return Err(decoder.unexpected("the end of the geometry"));
    }
    let Decoder { region, positions, empty_polygons, .. } = decoder;
    region.finish(positions, empty_polygons)
}

fn malformed(at: usize, problem: &str) -> Error {
    Error::Malformed { problem: format!("WKT: character {at} of the geometry {problem}") }
}

struct Decoder<'a, 'r> {
    text: &'a [u8],
    at: usize,
    accepts_points: bool,
    region: Region<'r>,
    positions: usize,
    empty_polygons: usize,
    /// The number of geometries that have a position. A collection itself does not count, only its members.
    members: usize,
}

impl Decoder<'_, '_> {
    /// Skips white space. Returns the next character without moving over it, or `None` at the end of the text.
    #[inline]
    fn skip_spaces(&mut self) -> Option<u8> {
        loop {
            match self.text.get(self.at) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    #[cold]
    fn unexpected(&self, expected: &str) -> Error {
        const SHOWN: usize = 12;
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return malformed(
                self.at,
                &format!("is missing: the text ends where {expected} is expected; write the geometry again"),
            );
        }
        let found = String::from_utf8_lossy(&rest[..rest.len().min(SHOWN)]);
        malformed(
            self.at,
            &format!("begins `{}`, where {expected} is expected; write the geometry again", Shown(&found)),
        )
    }

    /// Skips white space, and moves over the next character if it is `character`. Returns whether the next character was
    /// `character`.
    #[inline]
    fn take(&mut self, character: u8) -> bool {
        let is_next = self.skip_spaces() == Some(character);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, character: u8) -> Result<()> {
        if self.take(character) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{}`", char::from(character))))
        }
    }

    /// Skips white space. Returns the letters that come next in the text, in upper case, without moving over them. Returns an
    /// empty text if no letter comes next.
    fn word(&mut self) -> String {
        self.skip_spaces();
        let rest = &self.text[self.at..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        String::from_utf8_lossy(&rest[..length]).to_uppercase()
    }

    /// Reads the prefix that states the reference system in the extended form, such as `SRID=4326;`. Returns an error if the
    /// prefix has no number or no semicolon.
    fn srid(&mut self) -> Result<()> {
        if self.word() != "SRID" {
            return Ok(());
        }
        let rest = &self.text[self.at + "SRID".len()..];
        let length = rest.iter().position(|&byte| byte == b';');
        let number = length.and_then(|length| {
            let number = rest[..length].trim_ascii_start().strip_prefix(b"=")?.trim_ascii();
            std::str::from_utf8(number).ok()?.parse::<i32>().ok()
        });
        let (Some(length), Some(number)) = (length, number) else {
            return Err(self.unexpected("`SRID=` with a number and `;`"));
        };
        self.at += "SRID".len() + length + 1;
        self.region.state_srid(number.into())
    }

    fn geometry(&mut self, depth: usize) -> Result<()> {
        let word = self.word();
        let whole = word.len();
        let name =
            ["ZM", "Z", "M"].iter().find_map(|&tag| word.strip_suffix(tag)).unwrap_or(&word).to_owned();
        // PostGIS, GDAL and ISO differ: the tag of the dimensions follows with or without a space.
        let known = NAMES.iter().find(|(upper, _)| *upper == word || *upper == name);
        let Some(&(kind, shown)) = known else {
            return Err(self.unexpected("the type of a geometry, such as POLYGON,"));
        };
        self.at += whole;
        let tag = self.word();
        if ["Z", "M", "ZM"].contains(&tag.as_str()) {
            self.at += tag.len();
        }
        let before = self.positions;
        if self.is_empty() {
            if kind == "POLYGON" {
                self.empty_polygons += 1;
                self.region.chunk.end_polygon();
            }
        } else {
            match kind {
                "POLYGON" => self.polygon()?,
                "MULTIPOLYGON" => self.list(|decoder| {
                    if decoder.is_empty() {
                        decoder.empty_polygons += 1;
                        decoder.region.chunk.end_polygon();
                        return Ok(());
                    }
                    decoder.polygon()
                })?,
                "POINT" if self.accepts_points => {
                    self.expect(b'(')?;
                    self.point()?;
                    self.expect(b')')?;
                }
                "MULTIPOINT" if self.accepts_points => self.list(|decoder| {
                    if decoder.is_empty() {
                        return Ok(());
                    }
                    // Each point may be in parentheses.
                    let is_closed = decoder.take(b'(');
                    decoder.point()?;
                    if is_closed { decoder.expect(b')') } else { Ok(()) }
                })?,
                "GEOMETRYCOLLECTION" if depth < MAX_DEPTH => {
                    return self.list(|decoder| decoder.geometry(depth + 1));
                }
                _ => return Err(Error::UnsupportedGeometry { kind: shown.into() }),
            }
        }
        self.members += usize::from(self.positions > before);
        if self.members > 1 {
            return Err(Error::UnsupportedGeometry { kind: "GeometryCollection".into() });
        }
        Ok(())
    }

    /// Moves over the word EMPTY if it comes next in the text. Returns whether the word was there.
    fn is_empty(&mut self) -> bool {
        if self.skip_spaces() == Some(b'(') {
            return false;
        }
        let is_empty = self.word() == "EMPTY";
        self.at += if is_empty { "EMPTY".len() } else { 0 };
        is_empty
    }

    /// Reads items in parentheses, with commas between them. Returns the error of `item`, or an error if a parenthesis is missing.
    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.expect(b'(')?;
        loop {
            item(self)?;
            if !self.take(b',') {
                return self.expect(b')');
            }
        }
    }

    fn polygon(&mut self) -> Result<()> {
        let before = self.positions;
        self.list(|decoder| {
            if !decoder.is_empty() {
                decoder.ring()?;
            }
            decoder.region.chunk.end_ring();
            Ok(())
        })?;
        self.empty_polygons += usize::from(self.positions == before);
        self.region.chunk.end_polygon();
        Ok(())
    }

    fn ring(&mut self) -> Result<()> {
        let start = self.region.chunk.coordinates.len();
        self.expect(b'(')?;
        loop {
            let position = self.position()?;
            self.region.chunk.coordinates.push(position);
            match self.text.get(self.at) {
                Some(b',') => self.at += 1,
                Some(b')') => break,
                _ => return Err(self.unexpected("`,` or `)`")),
            }
        }
        self.at += 1;
        let ring = &self.region.chunk.coordinates[start..];
        self.positions += ring.len();
        self.region.counts.rings_closed += usize::from(ring.first() != ring.last());
        Ok(())
    }

    fn point(&mut self) -> Result<()> {
        let position = DVec2::from(self.position()?);
        // Some programs write an empty point as NaN.
        if !position.is_nan_mask().all() {
            self.positions += 1;
            self.region.points.push(position);
        }
        Ok(())
    }

    /// Reads a position of two to four numbers, and the white space after it. Returns an error for any other text.
    #[inline]
    fn position(&mut self) -> Result<[f64; 2]> {
        let x = self.number()?;
        let y = self.number()?;
        let mut more = 0;
        while !matches!(self.skip_spaces(), None | Some(b',' | b')')) {
            if more == 2 {
                return Err(self.unexpected("`,` or `)` after four numbers"));
            }
            self.number()?;
            more += 1;
        }
        self.region.counts.third_ordinates_ignored += usize::from(more > 0);
        Ok([x, y])
    }

    #[inline]
    fn number(&mut self) -> Result<f64> {
        self.skip_spaces();
        let rest = &self.text[self.at..];
        let ends = |length: usize| {
            matches!(rest.get(length), None | Some(b' ' | b',' | b')' | b'\t' | b'\r' | b'\n'))
        };
        match number::parse(rest) {
            Some(number) if ends(number.length) => {
                self.at += number.length;
                Ok(number.value)
            }
            _ => self.other_number(),
        }
    }

    /// Reads a number in a form that JSON does not have, such as `.5`, `+1` or `nan`. Returns an error if the text is not a
    /// number, or if the number is outside the range of f64.
    #[cold]
    fn other_number(&mut self) -> Result<f64> {
        let rest = &self.text[self.at..];
        let is_end = |byte: &u8| matches!(byte, b' ' | b',' | b')' | b'(' | b'\t' | b'\r' | b'\n');
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        let token = &rest[..length];
        let value = std::str::from_utf8(token).ok().and_then(|text| text.parse::<f64>().ok());
        let has_digits = token.iter().any(u8::is_ascii_digit);
        let mantissa = token.split(|byte| matches!(byte, b'e' | b'E')).next().unwrap_or_default();
        let is_written_as_0 = !mantissa.iter().any(|byte| (b'1'..=b'9').contains(byte));
        match value {
            Some(value) if has_digits && (value.is_infinite() || (value == 0.0 && !is_written_as_0)) => {
                Err(malformed(
                    self.at,
                    "begins a number that is outside of the range of f64; write it in another unit",
                ))
            }
            Some(value) => {
                self.at += length;
                Ok(value)
            }
            None => Err(self.unexpected("a number")),
        }
    }
}

/// The names of the geometry types in well-known text, and in messages.
const NAMES: [(&str, &str); 16] = [
    ("POLYGON", "Polygon"),
    ("MULTIPOLYGON", "MultiPolygon"),
    ("POINT", "Point"),
    ("MULTIPOINT", "MultiPoint"),
    ("LINESTRING", "LineString"),
    ("MULTILINESTRING", "MultiLineString"),
    ("GEOMETRYCOLLECTION", "GeometryCollection"),
    ("LINEARRING", "LinearRing"),
    ("CIRCULARSTRING", "CircularString"),
    ("COMPOUNDCURVE", "CompoundCurve"),
    ("CURVEPOLYGON", "CurvePolygon"),
    ("MULTICURVE", "MultiCurve"),
    ("MULTISURFACE", "MultiSurface"),
    ("POLYHEDRALSURFACE", "PolyhedralSurface"),
    ("TIN", "TIN"),
    ("TRIANGLE", "Triangle"),
];

#[cfg(test)]
mod tests;
