//! The areas of the pairs that `join` finds: thresholds, the largest common area of each feature, and counts.

use clap::{Args, ValueEnum};

use super::input::Side;
use super::measure::number;
use crate::error::{Error, Result};
use sat2d::internal::Number;
use sat2d::{Aabb, Answers, Iou, MeasuredObjects, Overlap, PairSide, PolygonSet, RelatedPair};
use sat2d_io::internal::{AreaSelection, SelectedPairs, TOLERANCE, written_overlap};

/// The options that select pairs by their common areas, and the option that counts the pairs of each feature of A.
#[derive(Args, Debug, Default)]
pub(super) struct AreaArguments {
    /// Write only the pairs whose common area is at least X, in the square of the unit of the coordinates. X is compared with the
    /// area that `--with area` writes.
    #[arg(long, value_name = "X", allow_hyphen_values = true, value_parser = threshold, conflicts_with = "within")]
    min_area: Option<f64>,
    /// Write only the pairs whose intersection over union is at least X, from 0 to 1. X is compared
    /// with the value that `--with iou` writes.
    #[arg(long, value_name = "X", allow_hyphen_values = true, value_parser = threshold, conflicts_with = "within")]
    min_iou: Option<f64>,
    /// Write at most one pair of each feature of A: the pair with the largest common area. If several areas are equal, the
    /// feature of B that comes first in its file is chosen. A feature of A that overlaps no feature of B has no pair. In a join
    /// of one file, each feature that overlaps another feature has a row: `a` is the feature, and `b` is the other feature with
    /// which its common area is largest. Two features that choose each other have two rows.
    #[arg(long, value_name = "WHICH", value_enum, conflicts_with = "within")]
    keep: Option<KeepArgument>,
    /// Write the number of pairs of each feature of A, which may be 0, in the columns `a,count`, instead of the pairs. In a join
    /// of one file, a pair counts for both of its features. With --nearest or --keep, a row counts only for its first feature.
    #[arg(long, conflicts_with = "figures")]
    count: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KeepArgument {
    /// The largest common area.
    Largest,
}

/// Parses a threshold. Returns the errors of [`number`].
fn threshold(text: &str) -> std::result::Result<f64, String> {
    number(text, "give 0 for all pairs")
}

impl AreaArguments {
    /// Returns an error for an invalid threshold, and for options that exclude each other.
    pub(super) fn check(&self, is_of_touching: bool) -> Result<()> {
        let refused = |option, value: String, problem| Err(Error::Option { option, value, problem });
        // NaN is in no range, so this check rejects it, too.
        if let Some(area) = self.min_area.filter(|area| !(0.0..=f64::MAX).contains(area)) {
            let problem = match area {
                _ if area.is_nan() => "is not a number; give 0 or a greater number",
                _ if area < 0.0 => "is negative; give 0 or a greater number",
                _ => "is infinite; give 0 or a greater finite number",
            };
            return refused("--min-area", Number(area).to_string(), problem);
        }
        if let Some(iou) = self.min_iou.filter(|iou| !(0.0..=1.0).contains(iou)) {
            let problem = "is not an intersection over union; give a number from 0 to 1";
            return refused("--min-iou", Number(iou).to_string(), problem);
        }
        if is_of_touching && self.selects() {
            let problem =
                "has no common area; leave out --min-area, --min-iou and --keep, or use `overlapping`";
            return refused("--relation", "touching".into(), problem);
        }
        Ok(())
    }

    /// Returns whether an option selects pairs by their areas.
    pub(super) fn selects(&self) -> bool {
        self.selection().selects()
    }

    /// Returns the first given option that selects pairs by areas, with its value, or `None` if no such option was given. These
    /// options apply only to polygons.
    pub(super) fn of_polygons(&self) -> Option<(&'static str, String)> {
        let number = |value: Option<f64>| value.map(|value| Number(value).to_string());
        let keep = self.keep.map(|KeepArgument::Largest| "largest".to_owned());
        let options =
            [("--min-area", number(self.min_area)), ("--min-iou", number(self.min_iou)), ("--keep", keep)];
        options.into_iter().find_map(|(option, value)| Some((option, value?)))
    }

    /// Returns whether `--count` was given, so that the output has counts instead of pairs.
    pub(super) fn counts(&self) -> bool {
        self.count
    }

    /// Returns the query for the areas of two sets. Rounding to a short decimal may make a written area greater than
    /// the computed area. The thresholds of the query are therefore a little less than the thresholds of the options.
    pub(super) fn query(&self, sets: [&PolygonSet; 2]) -> Iou {
        let less = |value: Option<f64>, by: f64| value.map_or(0.0, |value| (value - 2.0 * by).max(0.0));
        let greatest_box = |boxes: Vec<Aabb>| {
            let sizes = boxes.iter().map(|aabb| aabb.max - aabb.min);
            // An object without polygons has an empty box, whose size is negative. Such a box is left out.
            sizes.filter(|size| size.x > 0.0).map(|size| size.x * size.y).fold(0.0, f64::max)
        };
        // [`written_overlap`] changes a common area by at most `TOLERANCE` times the area of the smaller box of the two
        // objects. This is an upper bound on the area of the smaller box, for all pairs.
        let of_boxes = || greatest_box(sets[0].object_aabbs()).min(greatest_box(sets[1].object_aabbs()));
        let tolerance = if self.min_area.is_some() { TOLERANCE * of_boxes() } else { 0.0 };
        Iou { least: less(self.min_iou, TOLERANCE), least_area: less(self.min_area, tolerance) }
    }

    /// Selects pairs by the options for areas. `overlaps` has the areas of the pairs that overlap. Each other pair has the
    /// area 0. The pairs are sorted by their two indices. In a self-join, `--keep` selects a pair for each of its features.
    pub(super) fn select(
        &self,
        pairs: &[RelatedPair],
        overlaps: &Overlaps,
        is_self_join: bool,
    ) -> SelectedPairs {
        let areas: Vec<Overlap> =
            pairs.iter().map(|pair| overlaps.find(pair).unwrap_or(Overlaps::NOTHING)).collect();
        let pairs: Vec<[u32; 2]> = pairs.iter().map(|pair| [pair.a, pair.b]).collect();
        self.selection().select(&pairs, &areas, is_self_join)
    }

    fn selection(&self) -> AreaSelection {
        AreaSelection { min_area: self.min_area, min_iou: self.min_iou, largest: self.keep.is_some() }
    }
}

/// The areas of pairs of objects, in the form in which they are written. The pairs are sorted by their two indices.
#[derive(Debug)]
pub(super) struct Overlaps(Vec<MeasuredObjects<Overlap>>);

impl Overlaps {
    /// The areas of a pair of objects that do not overlap. The areas of the two objects are not computed for such a
    /// pair, so they are NaN.
    const NOTHING: Overlap = Overlap { area: 0.0, iou: 0.0, area_a: f64::NAN, area_b: f64::NAN };

    /// Converts the answers of the library. Areas that are very near a short decimal become this decimal.
    pub(super) fn of(found: Answers<MeasuredObjects<Overlap>>, sets: [&PolygonSet; 2]) -> Self {
        let [boxes_a, boxes_b] = sets.map(PolygonSet::object_aabbs);
        let written = |pair: MeasuredObjects<Overlap>| {
            let boxes = [boxes_a[pair.a as usize], boxes_b[pair.b as usize]];
            MeasuredObjects { measurement: written_overlap(pair.measurement, boxes), ..pair }
        };
        Self(found.items.into_iter().map(written).collect())
    }

    pub(super) fn find(&self, pair: &RelatedPair) -> Option<Overlap> {
        let key = (pair.a, pair.b);
        let place = self.0.binary_search_by_key(&key, |found| (found.a, found.b)).ok()?;
        Some(self.0[place].measurement)
    }

    #[cfg(test)]
    pub(super) fn first(&mut self) -> &mut Overlap {
        &mut self.0[0].measurement
    }
}

/// Adds the name of the feature and the path of its file to an error about the union of the polygons of one object. Returns
/// other errors unchanged.
pub(super) fn with_name(error: Error, a: &Side, b: Option<&Side>, paths: [&std::path::Path; 2]) -> Error {
    let Error::Library(sat2d::Error::Union { side, object, source }) = error else { return error };
    let (side, path) = match (side, b) {
        (PairSide::B, Some(b)) => (b, paths[1]),
        _ => (a, paths[0]),
    };
    let id = side.features.ids.get(object).map_or_else(|| object.to_string(), |id| id.to_string());
    Error::Union { path: path.into(), id, source }
}
