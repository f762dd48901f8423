//! Lists of measurements of pairs, and the pairs that they belong to.

use sat2d::{Distance, MeasuredPair, RelatedPair, Relation};

/// Returns the measurement of a pair, or `None` if the list has none. The list is sorted by the two indices of a pair.
/// `guess` is the index at which the measurement usually is, so the function looks there first.
pub(super) fn figure_of<'a, T>(
    figures: Option<&'a [MeasuredPair<T>]>,
    pair: &RelatedPair,
    guess: usize,
) -> Option<&'a MeasuredPair<T>> {
    let figures = figures?;
    let key = (pair.a, pair.b);
    if let Some(found) = figures.get(guess)
        && (found.a, found.b) == key
    {
        return Some(found);
    }
    figures.binary_search_by_key(&key, |found| (found.a, found.b)).ok().map(|place| &figures[place])
}

/// The remaining part of a sorted list of measurements. Each call of `find` drops all measurements before its pair, so
/// calls of `find` must follow the order of the list.
pub(super) struct Cursor<'a, T>(&'a [MeasuredPair<T>]);

impl<'a, T> Cursor<'a, T> {
    pub(super) fn of(figures: Option<&'a [MeasuredPair<T>]>) -> Self {
        Self(figures.unwrap_or_default())
    }

    pub(super) fn find(&mut self, pair: &RelatedPair) -> Option<&'a MeasuredPair<T>> {
        let key = (pair.a, pair.b);
        while let [first, rest @ ..] = self.0 {
            if (first.a, first.b) > key {
                return None;
            }
            self.0 = rest;
            if (first.a, first.b) == key {
                return Some(first);
            }
        }
        None
    }
}

/// Keeps the items for which `kept` yields true. `kept` must yield one value for each item, in order.
pub(super) fn retain<T>(items: &mut Vec<T>, mut kept: impl Iterator<Item = bool>) {
    items.retain(|_| kept.next().unwrap_or(false));
}

/// Merges two sorted lists of pairs. A pair of `near` that is not in `meeting` becomes a disjoint pair.
pub(super) fn with_near(meeting: &[RelatedPair], near: &[MeasuredPair<Distance>]) -> Vec<RelatedPair> {
    let mut meeting = meeting.iter().copied().peekable();
    let mut pairs = Vec::with_capacity(near.len());
    for &MeasuredPair { a, b, .. } in near {
        pairs.extend(std::iter::from_fn(|| meeting.next_if(|pair| (pair.a, pair.b) < (a, b))));
        let met = meeting.next_if(|pair| (pair.a, pair.b) == (a, b));
        pairs.push(met.unwrap_or(RelatedPair { a, b, relation: Relation::Disjoint }));
    }
    pairs.extend(meeting);
    pairs
}
