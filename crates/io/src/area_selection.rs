//! Selects the pairs of a join by their common areas.

use sat2d::Overlap;

/// The options that select pairs by their common areas.
///
/// ```
/// use sat2d::Overlap;
/// use sat2d_io::internal::{AreaSelection, DirectedPair};
///
/// let overlap = |area| Overlap { area, iou: 0.5, area_a: 9.0, area_b: 9.0 };
/// let (pairs, overlaps) = ([[0, 1], [0, 2], [1, 2]], [overlap(2.0), overlap(2.0), overlap(1.0)]);
/// let least = AreaSelection { min_area: Some(2.0), ..AreaSelection::default() };
/// assert_eq!(least.select(&pairs, &overlaps, true).kept, [true, true, false]);
///
/// let largest = AreaSelection { largest: true, ..AreaSelection::default() };
/// // In a join of two sets, each feature of A has at most one pair.
/// assert_eq!(largest.select(&pairs, &overlaps, false).kept, [true, false, true]);
/// // In a self-join, the rows are 0-1, 1-0 and 2-0.
/// let rows = [(0, false), (0, true), (1, true)].map(|(pair, is_swapped)| DirectedPair { pair, is_swapped });
/// assert_eq!(largest.select(&pairs, &overlaps, true).directed, Some(rows.to_vec()));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct AreaSelection {
    /// The least common area of a selected pair, or `None` for no limit.
    pub min_area: Option<f64>,
    /// The least intersection over union of a selected pair, or `None` for no limit.
    pub min_iou: Option<f64>,
    /// Whether each feature of A keeps only its pair with the largest common area. In a self-join, every feature keeps only its
    /// pair with the largest common area.
    pub largest: bool,
}

/// A row for one of the two features of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectedPair {
    /// Index of the pair in the list of selected pairs.
    pub pair: usize,
    /// Whether the row begins with the second feature of the pair.
    pub is_swapped: bool,
}

/// The pairs that an [`AreaSelection`] selects.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectedPairs {
    /// Whether each pair is selected.
    pub kept: Vec<bool>,
    /// The rows of the largest common areas in a self-join, sorted by the feature that the row begins with. `None` if the output
    /// has one row for each selected pair.
    pub directed: Option<Vec<DirectedPair>>,
}

impl AreaSelection {
    /// Returns whether any option is set.
    #[must_use]
    pub fn selects(&self) -> bool {
        self.min_area.is_some() || self.min_iou.is_some() || self.largest
    }

    /// Selects pairs. The pairs must be sorted by their two indices. `overlaps` has the areas of each pair, in the same
    /// order. A pair below [`AreaSelection::min_area`] or [`AreaSelection::min_iou`] is not selected.
    ///
    /// With [`AreaSelection::largest`], each feature selects its pair with the largest common area. Among pairs with
    /// equal areas, the feature selects the pair whose other feature has the lowest index. A pair without a common area
    /// is not selected.
    #[must_use]
    pub fn select(&self, pairs: &[[u32; 2]], overlaps: &[Overlap], is_self_join: bool) -> SelectedPairs {
        let (min_area, min_iou) = (self.min_area.unwrap_or(0.0), self.min_iou.unwrap_or(0.0));
        let is_enough = |overlap: &Overlap| overlap.area >= min_area && overlap.iou >= min_iou;
        if !self.largest {
            return SelectedPairs { kept: overlaps.iter().map(is_enough).collect(), directed: None };
        }
        let area = |overlap| if is_enough(overlap) { overlap.area } else { 0.0 };
        largest(pairs, overlaps.iter().map(area), is_self_join)
    }
}

/// Selects, for each feature of A, its pair with the largest area. In a self-join, selects such a pair for every
/// feature. `areas` yields the area of each pair.
fn largest(pairs: &[[u32; 2]], areas: impl Iterator<Item = f64>, is_self_join: bool) -> SelectedPairs {
    let sides = if is_self_join { 2 } else { 1 };
    let last = pairs.iter().flat_map(|pair| &pair[..sides]).max();
    let mut best = vec![(0.0, None); last.map_or(0, |&last| last as usize + 1)];
    for ((k, pair), area) in pairs.iter().enumerate().zip(areas) {
        // The pairs of a feature are sorted by the index of the other feature, so the first of several equal areas wins.
        for &feature in &pair[..sides] {
            let best = &mut best[feature as usize];
            if area > best.0 {
                *best = (area, Some(k));
            }
        }
    }
    let mut kept = vec![false; pairs.len()];
    best.iter().filter_map(|&(_, k)| k).for_each(|k| kept[k] = true);
    let directed = is_self_join.then(|| {
        let mut count = 0;
        let place = |&is_kept: &bool| {
            count += usize::from(is_kept);
            count - usize::from(is_kept)
        };
        let places: Vec<usize> = kept.iter().map(place).collect();
        let row = |(feature, &(_, k)): (usize, &(f64, Option<usize>))| {
            let k = k?;
            Some(DirectedPair { pair: places[k], is_swapped: pairs[k][0] as usize != feature })
        };
        best.iter().enumerate().filter_map(row).collect()
    });
    SelectedPairs { kept, directed }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGEST: AreaSelection = AreaSelection { min_area: None, min_iou: None, largest: true };

    fn overlaps(areas: &[f64]) -> Vec<Overlap> {
        areas.iter().map(|&area| Overlap { area, iou: area / 10.0, area_a: 9.0, area_b: 9.0 }).collect()
    }

    /// Returns the two features of each row.
    fn rows(pairs: &[[u32; 2]], selected: &SelectedPairs) -> Vec<[u32; 2]> {
        let kept: Vec<[u32; 2]> = pairs
            .iter()
            .zip(&selected.kept)
            .filter_map(|(&pair, &is_kept)| is_kept.then_some(pair))
            .collect();
        let row = |row: &DirectedPair| {
            let [a, b] = kept[row.pair];
            if row.is_swapped { [b, a] } else { [a, b] }
        };
        selected.directed.as_ref().map_or_else(|| kept.clone(), |directed| directed.iter().map(row).collect())
    }

    #[test]
    fn each_feature_of_a_self_join_has_its_best_partner() {
        // Features 1 and 4 have two equal areas each, feature 2 only touches, and feature 3 is in no pair.
        let pairs = [[0, 1], [0, 2], [0, 4], [1, 4], [1, 5]];
        let areas = overlaps(&[2.0, 0.0, 3.0, 3.0, 3.0]);
        assert_eq!(rows(&pairs, &LARGEST.select(&pairs, &areas, true)), [[0, 4], [1, 4], [4, 0], [5, 1]]);
        assert_eq!(rows(&pairs, &LARGEST.select(&pairs, &areas, false)), [[0, 4], [1, 4]]);
    }

    #[test]
    fn thresholds_come_before_the_largest_area() {
        let pairs = [[0, 1], [0, 2], [1, 2]];
        let areas = overlaps(&[1.0, 4.0, 2.0]);
        let least = AreaSelection { min_area: Some(2.0), ..AreaSelection::default() };
        assert_eq!(rows(&pairs, &least.select(&pairs, &areas, true)), [[0, 2], [1, 2]]);
        let both = AreaSelection { min_iou: Some(0.3), ..LARGEST };
        assert_eq!(rows(&pairs, &both.select(&pairs, &areas, true)), [[0, 2], [2, 0]]);
        assert!(rows(&[], &both.select(&[], &[], true)).is_empty());
    }
}
