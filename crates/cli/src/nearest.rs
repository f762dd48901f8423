//! `join --nearest K`: the nearest features of each feature of A.

use clap::Args;

use crate::error::{Error, Result};
use sat2d::internal::EdgePairs;
use sat2d::{Answers, Distance, Join, MeasuredPair, Nearest, PolygonSet, RelatedPair, Relation, Relations};

/// The option for the number of nearest features.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct NearestArguments {
    /// Write the K nearest features of B for each feature of A, with the column `distance`, instead of the pairs that meet. In a
    /// join of one file, a feature is not its own neighbour. The rows of a feature are sorted by distance. If two distances are
    /// equal, the feature that comes first in its file is nearer. Distances are compared before they are written as short
    /// decimals. With --within D, features farther than D are left out.
    /// Example: sat2d join stops.geojson parks.geojson --nearest 3 --within 500
    #[arg(long, value_name = "K", allow_hyphen_values = true,
        conflicts_with_all = ["relation", "contains", "verify", "min_area", "min_iou", "keep"])]
    nearest: Option<usize>,

    /// With --nearest K, also write every feature that is at the same distance as the K-th nearest feature. With --nearest 1, the
    /// rows are all features at the least distance.
    #[arg(long, requires = "nearest")]
    ties: bool,
}

impl NearestArguments {
    /// Returns an error if K is 0, or if a measurement is requested that `--nearest` does not compute. `of_polygons` is the name
    /// of such a measurement, or `None` if there is none.
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

    /// Returns the query, or `None` without `--nearest`. `within` is the greatest distance, or `None` if there is no limit.
    pub(super) fn query(self, within: Option<f64>) -> Option<Nearest> {
        self.nearest.map(|k| Nearest { k, within, ties: self.ties })
    }
}

/// Returns two lists for the nearest polygons of each polygon of A: the pairs with their relations, and the distances of the
/// same pairs in the same order. Returns the errors of the queries.
pub(super) fn polygons(
    join: Join<'_>,
    (a, b): (&PolygonSet, Option<&PolygonSet>),
    query: Nearest,
) -> Result<(Answers<RelatedPair>, Answers<MeasuredPair<Distance>>)> {
    let found = join.query(query)?;
    let has_simple = |set: &PolygonSet| (0..set.piece_count()).all(|piece| set.piece_object(piece) == piece);
    let is_simple = has_simple(a) && b.is_none_or(has_simple);
    // Pieces of polygons whose rings cross have rounded vertices, so they cannot decide a relation.
    let is_rounded = |set: &PolygonSet| set.piece_displacement() > 0.0;
    let is_rounded = is_rounded(a) || b.is_some_and(is_rounded);
    // If the two measured pieces only touch, the relation of the objects is still unknown, because other pieces may
    // overlap.
    let is_open = |row: &MeasuredPair<Distance>| {
        let Distance { distance, separation, .. } = row.measurement;
        is_rounded || !is_simple && distance == 0.0 && separation >= 0.0
    };
    let open: Vec<[u32; 2]> = found.iter().filter(|row| is_open(row)).map(|row| [row.a, row.b]).collect();
    let on_edges = if open.is_empty() { None } else { EdgePairs::of([a, b.unwrap_or(a)]) };
    let on_edges = on_edges.map(|edges| edges.relations(&open));
    let of_all =
        if open.is_empty() || on_edges.is_some() { Vec::new() } else { join.query(Relations)?.items };
    let mut on_edges = on_edges.into_iter().flatten();
    let mut relation = |row: &MeasuredPair<Distance>| {
        let Distance { distance, separation, .. } = row.measurement;
        // A self-join has each pair once, with the smaller index first.
        let pair = if b.is_none() { (row.a.min(row.b), row.a.max(row.b)) } else { (row.a, row.b) };
        let listed =
            || of_all.binary_search_by_key(&pair, |found| (found.a, found.b)).map(|k| of_all[k].relation);
        if is_open(row) {
            on_edges.next().unwrap_or_else(|| listed().unwrap_or(Relation::Touching))
        } else if distance > 0.0 {
            Relation::Disjoint
        } else if separation < 0.0 {
            Relation::Overlapping
        } else {
            Relation::Touching
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
