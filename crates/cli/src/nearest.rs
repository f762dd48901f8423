//! `join --nearest K`: the nearest features of each feature of A.

use clap::Args;

use crate::error::{Error, Result};
use sat2d::{Answers, Distance, Join, MeasuredPair, Nearest, PolygonSet, RelatedPair, Relation, Relations};

/// How many nearest features are wanted.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct NearestArguments {
    /// Write, for each feature of A, its K nearest features of B instead of the pairs that meet, with the column `distance`.
    /// In a join of one file, the K nearest other features. The rows of a feature are sorted by the distance. Of equal
    /// distances, the first B in its file is nearer; distances are compared before they are written as short decimals. With
    /// --within D, features farther than D are left out. Example: sat2d join stops.geojson parks.geojson --nearest 3 --within 500
    #[arg(long, value_name = "K", allow_hyphen_values = true,
        conflicts_with_all = ["relation", "contains", "verify", "min_area", "min_iou", "keep", "count"])]
    nearest: Option<usize>,
}

impl NearestArguments {
    /// Returns an error if the number is 0, or if a measurement was requested that only pairs of polygons that meet have.
    pub(super) fn check(self, of_polygons: Option<String>) -> Result<()> {
        let refused = |option, value, problem| Err(Error::Option { option, value, problem });
        match (self.nearest, of_polygons) {
            (Some(0), _) => refused("--nearest", "0".into(), "finds nothing; give 1 or more"),
            (Some(_), Some(value)) => {
                refused("--with", value, "is not measured with --nearest; leave it out, or give `distance`")
            }
            _ => Ok(()),
        }
    }

    /// The query, within a distance if one is given.
    pub(super) fn query(self, within: Option<f64>) -> Option<Nearest> {
        self.nearest.map(|k| Nearest { k, within })
    }
}

/// The nearest polygons of each polygon of A, with their relations, and their distances in the same order.
pub(super) fn polygons(
    join: Join<'_>,
    (a, b): (&PolygonSet, Option<&PolygonSet>),
    query: Nearest,
) -> Result<(Answers<RelatedPair>, Answers<MeasuredPair<Distance>>)> {
    let found = join.query(query)?;
    let has_simple = |set: &PolygonSet| (0..set.piece_count()).all(|piece| set.piece_object(piece) == piece);
    let is_simple = has_simple(a) && b.is_none_or(has_simple);
    // Of two objects whose measured pieces touch, other pieces may overlap.
    let is_open =
        |row: &MeasuredPair<Distance>| row.measurement.distance == 0.0 && row.measurement.separation >= 0.0;
    let relations =
        if !is_simple && found.iter().any(is_open) { join.query(Relations)?.items } else { Vec::new() };
    let relation = |row: &MeasuredPair<Distance>| {
        let Distance { distance, separation, .. } = row.measurement;
        // A pair of one set is listed once.
        let pair = if b.is_none() { (row.a.min(row.b), row.a.max(row.b)) } else { (row.a, row.b) };
        let known = || {
            relations.binary_search_by_key(&pair, |found| (found.a, found.b)).map(|k| relations[k].relation)
        };
        match (distance > 0.0, separation < 0.0) {
            (true, _) => Relation::Disjoint,
            (_, true) => Relation::Overlapping,
            _ => known().unwrap_or(Relation::Touching),
        }
    };
    let pairs: Vec<_> =
        found.iter().map(|row| RelatedPair { a: row.a, b: row.b, relation: relation(row) }).collect();
    let count = |relation| pairs.iter().filter(|pair| pair.relation == relation).count() as u64;
    let mut counts = found.counts;
    (counts.overlapping, counts.touching) = (count(Relation::Overlapping), count(Relation::Touching));
    let join = Answers::<RelatedPair>::of_counts(found.choice.clone(), counts, found.timings, None);
    Ok((join.with_items(pairs), found))
}
