//! Decodes the contents of one record. Every length is checked against the bytes of the record.

use sat2d::glam::DVec2;
use sat2d::internal::check_points;

use super::nesting::{Ring, polygons};
use crate::region::Region;
use crate::{Error, Result};

/// The number of bytes of a position in two dimensions.
const POSITION: usize = 16;
/// The number of bytes of a box of four numbers.
const BOX: usize = 32;

/// Adds the geometry of a record to a region.
///
/// # Errors
/// Returns [`Error::Malformed`] if the record is damaged or its rings overlap too much ([`polygons`]). Returns
/// [`Error::UnsupportedGeometry`] for a geometry of another type that has a position, and [`Error::Library`] for a point
/// with a coordinate that is not accepted.
pub(super) fn decode(record: &[u8], accepts_points: bool, region: Region<'_>) -> Result<()> {
    let record = Record(record);
    let kind = record.integer(0)?;
    // The tens digit of the type says which further numbers a position has.
    let has_third = kind >= 10;
    let Region { chunk, points, first_point, counts, .. } = region;
    match kind {
        0 => counts.null_geometries += 1,
        1 | 11 | 21 => {
            let position = record.position(4)?;
            // Some programs write NaN for an empty point.
            if position.is_nan_mask().all() {
                counts.empty_geometries += 1;
            } else if accepts_points {
                points.push(position);
            } else {
                return Err(Error::UnsupportedGeometry { kind: "Point".into() });
            }
        }
        8 | 18 | 28 => {
            let count = record.count(4 + BOX, "points")?;
            let positions = record.positions(8 + BOX, count)?;
            if count == 0 {
                counts.empty_geometries += 1;
            } else if accepts_points {
                points.extend(positions.map(DVec2::from));
            } else {
                return Err(Error::UnsupportedGeometry { kind: "MultiPoint".into() });
            }
        }
        5 | 15 | 25 => {
            let part_count = record.count(4 + BOX, "parts")?;
            let count = record.count(8 + BOX, "points")?;
            let ends = record.part_ends(12 + BOX, part_count, count)?;
            let positions = record.positions(12 + BOX + 4 * part_count, count)?;
            counts.third_ordinates_ignored += if has_third { count } else { 0 };
            if count == 0 {
                counts.empty_geometries += 1;
                return Ok(());
            }
            let start = chunk.coordinates.len();
            chunk.coordinates.extend(positions);
            if let [_] = ends[..] {
                let ring = &chunk.coordinates[start..];
                counts.rings_closed += usize::from(ring.first() != ring.last());
                chunk.end_ring();
                chunk.end_polygon();
                return Ok(());
            }
            let positions = chunk.coordinates.split_off(start);
            let starts = std::iter::once(0).chain(ends.iter().copied());
            let rings: Vec<Ring<'_>> = starts
                .zip(&ends)
                .map(|(start, &end)| &positions[start..end])
                .filter(|ring| !ring.is_empty())
                .collect();
            let polygons = polygons(&rings).ok_or_else(|| {
                let count = rings.len();
                malformed(format!("its {count} rings lie in each other so often that the search for holes was given up; split the record"))
            })?;
            for polygon in polygons {
                for ring in polygon.into_iter().map(|ring| rings[ring]) {
                    counts.rings_closed += usize::from(ring.first() != ring.last());
                    chunk.coordinates.extend_from_slice(ring);
                    chunk.end_ring();
                }
                chunk.end_polygon();
            }
            return Ok(());
        }
        3 | 13 | 23 if record.count(8 + BOX, "points")? == 0 => counts.empty_geometries += 1,
        3 | 13 | 23 => return Err(Error::UnsupportedGeometry { kind: "PolyLine".into() }),
        31 => return Err(Error::UnsupportedGeometry { kind: "MultiPatch".into() }),
        other => {
            return Err(malformed(format!(
                "its type is {other}, which does not exist; write the file again"
            )));
        }
    }
    let points = &points[first_point..];
    counts.third_ordinates_ignored += if has_third { points.len() } else { 0 };
    Ok(check_points(points)?)
}

fn malformed(problem: String) -> Error {
    Error::Malformed { problem: format!("Shapefile record: {problem}") }
}

/// The contents of a record of a `.shp` file.
#[derive(Clone, Copy)]
struct Record<'a>(&'a [u8]);

impl<'a> Record<'a> {
    fn bytes(self, start: usize, count: usize) -> Result<&'a [u8]> {
        let bytes = self.0.get(start..).and_then(|rest| rest.get(..count));
        bytes.ok_or_else(|| {
            let length = self.0.len();
            malformed(format!(
                "it has {length} bytes, but its numbers need {}; write the file again",
                start + count
            ))
        })
    }

    fn integer(self, start: usize) -> Result<i32> {
        Ok(i32::from_le_bytes(self.bytes(start, 4)?.first_chunk().copied().unwrap_or_default()))
    }

    /// Reads a count of items. Returns an error if the record is too short for this number of items.
    fn count(self, start: usize, items: &str) -> Result<usize> {
        let count = self.integer(start)?;
        let room = self.0.len() / 4;
        usize::try_from(count).ok().filter(|&count| count <= room).ok_or_else(|| {
            malformed(format!(
                "it says that it has {count} {items}, but has {} bytes; write the file again",
                self.0.len()
            ))
        })
    }

    fn position(self, start: usize) -> Result<DVec2> {
        Ok(position(self.bytes(start, POSITION)?).into())
    }

    fn positions(
        self,
        start: usize,
        count: usize,
    ) -> Result<impl ExactSizeIterator<Item = [f64; 2]> + use<'a>> {
        Ok(self.bytes(start, POSITION * count)?.chunks_exact(POSITION).map(position))
    }

    /// Returns, for each part of the geometry, the index after the part's last position. Each part is a ring. Returns an error
    /// if the parts do not follow one another without gaps.
    fn part_ends(self, start: usize, part_count: usize, count: usize) -> Result<Vec<usize>> {
        let starts = self.bytes(start, 4 * part_count)?.chunks_exact(4);
        let starts = starts.map(|bytes| i32::from_le_bytes(bytes.first_chunk().copied().unwrap_or_default()));
        let mut ends = Vec::with_capacity(part_count);
        let mut last = 0;
        for (part, start) in starts.enumerate() {
            let start = usize::try_from(start)
                .ok()
                .filter(|&start| (last..=count).contains(&start) && (part > 0 || start == 0));
            let Some(start) = start else {
                return Err(malformed(format!(
                    "its part {part} does not begin where the part before it ends; write the file again"
                )));
            };
            if part > 0 {
                ends.push(start);
            }
            last = start;
        }
        if part_count > 0 {
            ends.push(count);
        } else if count > 0 {
            return Err(malformed(format!("it has {count} points, but no part; write the file again")));
        }
        Ok(ends)
    }
}

#[inline]
fn position(bytes: &[u8]) -> [f64; 2] {
    let number = |at: usize| f64::from_le_bytes(bytes[at..].first_chunk().copied().unwrap_or_default());
    [number(0), number(8)]
}
