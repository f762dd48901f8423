//! Counts the pairs of each feature, for outputs that have counts instead of pairs.

use sat2d::Relation;

use crate::{IdRef, PairRow};

/// Returns, for each of the `features` features of A, the number of its pairs. A pair has the index of a feature of A,
/// then the index of a feature of B. In a self-join, a pair counts for both of its features.
#[must_use]
pub fn counts_of_pairs(
    pairs: impl IntoIterator<Item = [u32; 2]>,
    features: usize,
    is_self_join: bool,
) -> Vec<usize> {
    let mut counts = vec![0; features];
    for [a, b] in pairs {
        counts[a as usize] += 1;
        if is_self_join {
            counts[b as usize] += 1;
        }
    }
    counts
}

/// Returns the row of a feature of A that is in `count` pairs, for an output whose only column is
/// [`Column::Count`](crate::Column::Count).
#[must_use]
pub fn count_row(id: IdRef<'_>, count: usize) -> PairRow<'_> {
    let mut row = PairRow::new(id, id, Relation::Disjoint);
    row.count = Some(count);
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_of_a_self_join_counts_for_both_features() {
        let pairs = [[0, 1], [0, 3], [1, 3]];
        assert_eq!(counts_of_pairs(pairs, 4, true), [2, 2, 0, 2]);
        assert_eq!(counts_of_pairs(pairs, 2, false), [2, 1]);
    }
}
