//! Stores the polygons of consecutive features in columns. Every reader produces chunks.

use sat2d::{Coordinates, Fill, PolygonColumns};

/// Polygons of consecutive features. A reader adds the vertices of a ring, then ends the ring. It ends a polygon after
/// the rings of the polygon, and a feature after the polygons of the feature.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chunk {
    /// The vertices of all rings, one ring after another.
    pub(crate) coordinates: Vec<[f64; 2]>,
    /// The offset in `coordinates` of the first vertex of each ring, followed by the number of vertices in complete
    /// rings.
    rings: Vec<i64>,
    /// The index of the first ring of each polygon, followed by the number of rings in complete polygons.
    polygons: Vec<i64>,
    /// The index of the first polygon of each feature, followed by the number of polygons in complete features.
    features: Vec<i64>,
}

/// The state of a chunk when [`Chunk::mark`] was called. [`Chunk::truncate`] restores this state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    coordinates: usize,
    rings: usize,
    polygons: usize,
    features: usize,
}

impl Default for Chunk {
    fn default() -> Self {
        Self { coordinates: Vec::new(), rings: vec![0], polygons: vec![0], features: vec![0] }
    }
}

impl Chunk {
    /// Ends the current ring. The ring has all vertices that were added since the last call.
    pub(crate) fn end_ring(&mut self) {
        self.rings.push(self.coordinates.len() as i64);
    }

    /// Ends the current polygon. The polygon has all rings that ended since the last call.
    pub(crate) fn end_polygon(&mut self) {
        self.polygons.push(self.rings.len() as i64 - 1);
    }

    /// Ends the current feature. The feature has all polygons that ended since the last call.
    pub(crate) fn end_feature(&mut self) {
        self.features.push(self.polygons.len() as i64 - 1);
    }

    /// Adds `count` features without polygons.
    #[cfg(feature = "arrow")]
    pub(crate) fn end_features(&mut self, count: usize) {
        self.features.resize(self.features.len() + count, self.polygons.len() as i64 - 1);
    }

    /// Reserves memory for `count` further features.
    #[cfg(feature = "arrow")]
    pub(crate) fn reserve(&mut self, count: usize) {
        self.features.reserve(count);
    }

    /// Returns the number of features that have ended.
    pub(crate) fn feature_count(&self) -> usize {
        self.features.len() - 1
    }

    /// Returns the number of polygons of a feature.
    pub(crate) fn polygon_count(&self, feature: usize) -> usize {
        (self.features[feature + 1] - self.features[feature]) as usize
    }

    /// Returns the number of rings that have ended.
    pub(crate) fn ring_count(&self) -> usize {
        self.rings.len() - 1
    }

    /// Returns whether the feature with the index `feature` has no vertex.
    pub(crate) fn is_empty(&self, feature: usize) -> bool {
        let rings = self.polygons[self.features[feature] as usize] as usize;
        let rings_end = self.polygons[self.features[feature + 1] as usize] as usize;
        self.rings[rings] == self.rings[rings_end]
    }

    /// Returns a copy of the chunk in which the features with the indices `emptied` have no polygons. `emptied` must
    /// be in ascending order.
    pub(crate) fn without(&self, emptied: &[usize]) -> Self {
        let mut kept = Self::default();
        for feature in 0..self.feature_count() {
            let polygons = match emptied.binary_search(&feature) {
                Ok(_) => 0..0,
                Err(_) => self.features[feature] as usize..self.features[feature + 1] as usize,
            };
            for polygon in polygons {
                for ring in self.polygons[polygon] as usize..self.polygons[polygon + 1] as usize {
                    let vertices = self.rings[ring] as usize..self.rings[ring + 1] as usize;
                    kept.coordinates.extend_from_slice(&self.coordinates[vertices]);
                    kept.end_ring();
                }
                kept.end_polygon();
            }
            kept.end_feature();
        }
        kept
    }

    /// Returns the vertices of the current ring, which were added since the end of the last ring.
    pub(crate) fn open_ring(&self) -> &[[f64; 2]] {
        &self.coordinates[self.rings.last().copied().unwrap_or(0) as usize..]
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            coordinates: self.coordinates.len(),
            rings: self.rings.len(),
            polygons: self.polygons.len(),
            features: self.features.len(),
        }
    }

    /// Removes everything that was added to the chunk since `mark` was taken.
    pub(crate) fn truncate(&mut self, mark: Mark) {
        self.coordinates.truncate(mark.coordinates);
        self.rings.truncate(mark.rings);
        self.polygons.truncate(mark.polygons);
        self.features.truncate(mark.features);
    }

    /// Returns the columns of the complete features. `fill` is the rule for rings that cross, or `None` if such rings
    /// are invalid.
    pub(crate) fn columns(&self, fill: Option<Fill>) -> PolygonColumns<'_> {
        let columns = PolygonColumns::new(Coordinates::Interleaved(&self.coordinates), self.rings.as_slice())
            .polygons(self.polygons.as_slice())
            .objects(self.features.as_slice());
        fill.map_or(columns, |fill| columns.fill(fill))
    }

    /// Returns the rings of each polygon of the feature with the index `feature`.
    #[cfg(test)]
    pub(crate) fn rings_of(&self, feature: usize) -> Vec<Vec<Vec<[f64; 2]>>> {
        let range = |ends: &[i64], item: usize| ends[item] as usize..ends[item + 1] as usize;
        let ring = |ring| self.coordinates[range(&self.rings, ring)].to_vec();
        let polygon = |polygon| range(&self.polygons, polygon).map(ring).collect();
        range(&self.features, feature).map(polygon).collect()
    }
}
