//! The place to which a reader adds the polygons or the points of the feature that it decodes.

use sat2d::glam::DVec2;
use sat2d::internal::check_points;

use crate::chunk::Chunk;
use crate::collector::Decoded;
use crate::name::{Name, Naming};
use crate::{Error, ReadCounts, Result};

/// The place to which a decoder adds the polygons or the points of one feature.
pub(crate) struct Region<'a> {
    pub(crate) chunk: &'a mut Chunk,
    /// The points of all features so far: the points of earlier features, followed by the points of this feature.
    pub(crate) points: &'a mut Vec<DVec2>,
    /// The index in `points` of the first point of this feature.
    pub(crate) first_point: usize,
    pub(crate) counts: &'a mut ReadCounts,
    /// The SRID that the geometry of this feature states, or 0 if it states none.
    pub(crate) srid: &'a mut u32,
}

impl Region<'_> {
    /// Keeps the SRID that a geometry states. An SRID below 1 states no system. Returns an error if another part of the same
    /// geometry states another SRID.
    pub(crate) fn state_srid(&mut self, srid: i64) -> Result<()> {
        let Some(srid) = u32::try_from(srid).ok().filter(|&srid| srid > 0) else { return Ok(()) };
        if *self.srid != 0 && *self.srid != srid {
            let problem =
                format!("its parts state the SRIDs {} and {srid}; write the geometry again", self.srid);
            return Err(Error::Malformed { problem });
        }
        *self.srid = srid;
        Ok(())
    }

    /// Ends the geometry of this feature, and updates the counts. `positions` is the number of positions in the geometry, and
    /// `empty_polygons` is the number of polygons without a position. Returns an error if a point of the feature is not
    /// accepted.
    pub(crate) fn finish(self, positions: usize, empty_polygons: usize) -> Result<()> {
        if positions == 0 {
            self.counts.empty_geometries += 1;
        } else {
            self.counts.empty_polygons += empty_polygons;
        }
        Ok(check_points(&self.points[self.first_point..])?)
    }
}

/// Returns a feature whose region `decode` adds. If decoding fails, the feature has no region.
pub(crate) fn decoded(
    name: Name,
    naming: Naming<'_>,
    chunk: &mut Chunk,
    points: &mut Vec<DVec2>,
    decode: impl FnOnce(Region<'_>) -> Result<()>,
) -> Decoded {
    let ids_missing = usize::from(naming.property.is_some() && name.id.is_none());
    let mut counts = ReadCounts { features: 1, ids_missing, ..ReadCounts::default() };
    let (mark, first_point) = (chunk.mark(), points.len());
    let mut srid = 0;
    let result = decode(Region { chunk, points, first_point, counts: &mut counts, srid: &mut srid });
    if result.is_err() {
        srid = 0;
        chunk.truncate(mark);
        points.truncate(first_point);
        counts = ReadCounts { features: 1, ids_missing, ..ReadCounts::default() };
    }
    chunk.end_feature();
    Decoded { name, counts, srid, points: result.map(|()| points.len() - first_point) }
}
