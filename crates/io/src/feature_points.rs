//! The points of an input, with the features that they belong to.

use sat2d::glam::DVec2;

/// The points of an input, in the order of its features. A feature has several points if it is a MultiPoint.
///
/// ```
/// use sat2d::glam::DVec2;
/// use sat2d_io::FeaturePoints;
///
/// let points: FeaturePoints = [(0, DVec2::ZERO), (2, DVec2::X), (2, DVec2::Y)].into_iter().collect();
/// assert_eq!(points.features(), [0, 2, 2]);
/// assert_eq!(points.of_feature(2), [DVec2::X, DVec2::Y]);
/// assert!(points.of_feature(1).is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeaturePoints {
    positions: Vec<DVec2>,
    features: Vec<u32>,
}

impl FeaturePoints {
    /// Returns the number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns whether there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Returns the position of each point, in the unit of the coordinates.
    #[must_use]
    pub fn positions(&self) -> &[DVec2] {
        &self.positions
    }

    /// Returns the index of each point's feature, in ascending order.
    #[must_use]
    pub fn features(&self) -> &[u32] {
        &self.features
    }

    /// Returns each point: the index of its feature, and its position.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, DVec2)> {
        self.features.iter().copied().zip(self.positions.iter().copied())
    }

    /// Returns the indices of the points of a feature. The range is empty if the feature has no points.
    #[must_use]
    pub fn range(&self, feature: u32) -> std::ops::Range<usize> {
        let start = self.features.partition_point(|&of| of < feature);
        start..start + self.features[start..].partition_point(|&of| of == feature)
    }

    /// Returns the positions of the points of a feature.
    #[must_use]
    pub fn of_feature(&self, feature: u32) -> &[DVec2] {
        &self.positions[self.range(feature)]
    }

    /// Returns the positions of the points, and the index of each point's feature.
    #[must_use]
    pub fn into_columns(self) -> (Vec<DVec2>, Vec<u32>) {
        (self.positions, self.features)
    }

    /// Reserves memory for `count` further points.
    pub(crate) fn try_reserve(&mut self, count: usize) -> Result<(), std::collections::TryReserveError> {
        sat2d::internal::try_reserve(&mut self.positions, count)?;
        sat2d::internal::try_reserve(&mut self.features, count)
    }

    /// Adds points after all others. The caller has reserved memory for them. `features` are the indices of their features, from
    /// `first` on.
    pub(crate) fn append(&mut self, first: usize, positions: &[DVec2], features: &[u32]) {
        self.positions.extend_from_slice(positions);
        self.features.extend(features.iter().map(|feature| first as u32 + feature));
    }

    /// Requests large memory pages for the memory that is reserved.
    pub(crate) fn ask_for_large_pages(&mut self) {
        sat2d::internal::ask_for_large_pages(&mut self.positions);
        sat2d::internal::ask_for_large_pages(&mut self.features);
    }
}

/// Collects points with the indices of their features. The indices must be in ascending order.
impl FromIterator<(u32, DVec2)> for FeaturePoints {
    fn from_iter<I: IntoIterator<Item = (u32, DVec2)>>(points: I) -> Self {
        let (features, positions): (Vec<u32>, Vec<DVec2>) = points.into_iter().unzip();
        debug_assert!(features.is_sorted(), "the features of the points are not in ascending order");
        Self { positions, features }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_found_by_their_feature() {
        let at = |k: u32| DVec2::splat(f64::from(k));
        let mut points: FeaturePoints = [(1, at(0)), (1, at(1)), (4, at(2))].into_iter().collect();
        assert!(points.try_reserve(2).is_ok());
        points.append(5, &[at(3), at(4)], &[0, 2]);
        assert_eq!((points.len(), points.features()), (5, &[1, 1, 4, 5, 7][..]));
        let ranges = [0, 1, 2, 4, 5, 6, 7, 8, u32::MAX].map(|feature| points.range(feature));
        assert_eq!(ranges, [0..0, 0..2, 2..2, 2..3, 3..4, 4..4, 4..5, 5..5, 5..5]);
        assert_eq!(points.of_feature(1), [at(0), at(1)]);
        assert_eq!(points.iter().nth(2), Some((4, at(2))));
        let (positions, features) = points.into_columns();
        assert_eq!((positions, features), ([0, 1, 2, 3, 4].map(at).to_vec(), vec![1, 1, 4, 5, 7]));
    }
}
