//! Decodes a geometry of a GeoPackage: a header, then well-known binary (OGC 12-128r19, 2.1.3).

use crate::region::Region;
use crate::{Error, Result, wkb};

/// The number of bytes of the magic number, the version, the flags and the reference system.
const HEADER: usize = 8;

const BIG_ENDIAN: u8 = 0;
const EMPTY: u8 = 1 << 4;
const EXTENDED: u8 = 1 << 5;
const RESERVED: u8 = 3 << 6;

/// Adds the geometry of a blob to a region. `srs` is the reference system of the layer. The box in the header is
/// ignored.
///
/// # Errors
/// Returns [`Error::Malformed`] if the header is not valid or contradicts the geometry or the layer, and the errors of
/// [`wkb::decode`].
pub(super) fn decode(blob: &[u8], srs: i64, accepts_points: bool, region: Region<'_>) -> Result<()> {
    let malformed = |problem: &str| Error::Malformed {
        problem: format!("GeoPackage: {problem}; write the geometry again"),
    };
    if !blob.starts_with(b"GP") || blob.len() < HEADER {
        return Err(malformed("its geometry does not begin with GP"));
    }
    let (version, flags) = (blob[2], blob[3]);
    if version != 0 {
        return Err(malformed(&format!("its geometry has the version {version}, which is not known")));
    }
    if flags & RESERVED != 0 {
        return Err(malformed(&format!("its geometry has the flags 0x{flags:02X}, which are not known")));
    }
    if flags & EXTENDED != 0 {
        return Err(malformed("its geometry has a type that only an extension knows"));
    }
    let number = [blob[4], blob[5], blob[6], blob[7]];
    let own = if flags & 1 == BIG_ENDIAN { i32::from_be_bytes(number) } else { i32::from_le_bytes(number) };
    // A number below 1 stands for an unknown system.
    if own > 0 && srs > 0 && i64::from(own) != srs {
        return Err(malformed(&format!("its geometry has the srs_id {own}, but its layer has {srs}")));
    }
    // The number of values of the bounding box.
    let envelope = match flags >> 1 & 7 {
        0 => 0,
        1 => 4,
        2 | 3 => 6,
        4 => 8,
        kind => return Err(malformed(&format!("its envelope has the kind {kind}, which does not exist"))),
    };
    let well_known = blob.get(HEADER + 8 * envelope..);
    let well_known = well_known.ok_or_else(|| malformed("its geometry ends in its envelope"))?;
    let Region { chunk, points, first_point, counts, srid } = region;
    let empty_before = counts.empty_geometries;
    wkb::decode(well_known, accepts_points, Region { chunk, points, first_point, counts, srid })?;
    if flags & EMPTY != 0 && counts.empty_geometries == empty_before {
        return Err(malformed("its header says that it is empty, but it has positions"));
    }
    Ok(())
}
