//! The ids of the features of an input.

use std::collections::{HashSet, TryReserveError};
use std::hash::{BuildHasher as _, RandomState};

use rayon::prelude::*;
use sat2d::internal::{ask_for_large_pages, try_reserve};

use crate::name::Names;
use crate::{Id, IdRef};

/// The ids of the features of an input, in the order of the features. If a reader finds only integers, the list takes about 8 bytes
/// for each feature. If a reader finds no ids, the list takes no memory.
///
/// ```
/// use sat2d_io::{Id, IdRef, Ids};
/// let ids: Ids = [Id::Integer(7), Id::Text("a".into())].into_iter().collect();
/// assert_eq!((ids.len(), ids.of(1)), (2, IdRef::Text("a")));
/// assert_eq!(ids.get(2), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Ids(List);

#[derive(Clone, Debug)]
enum List {
    /// The id of each feature is its index. The value is the number of features.
    Indices(usize),
    Integers(Vec<i64>),
    Any(Vec<Id>),
}

impl Default for List {
    fn default() -> Self {
        Self::Indices(0)
    }
}

impl Ids {
    /// Returns the number of features.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            List::Indices(count) => *count,
            List::Integers(integers) => integers.len(),
            List::Any(ids) => ids.len(),
        }
    }

    /// Returns whether there are no features.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the id of a feature.
    ///
    /// # Panics
    /// Panics if there is no feature with the index `feature`.
    #[must_use]
    pub fn of(&self, feature: usize) -> IdRef<'_> {
        match &self.0 {
            List::Indices(count) => {
                assert!(feature < *count, "feature {feature} of {count} features");
                IdRef::Index(feature)
            }
            List::Integers(integers) => IdRef::Integer(integers[feature]),
            List::Any(ids) => IdRef::from(&ids[feature]),
        }
    }

    /// Returns the id of a feature, or `None` if there is no feature with the index `feature`.
    #[must_use]
    pub fn get(&self, feature: usize) -> Option<IdRef<'_>> {
        (feature < self.len()).then(|| self.of(feature))
    }

    /// Returns the id of each feature.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = IdRef<'_>> + ExactSizeIterator {
        (0..self.len()).map(|feature| self.of(feature))
    }

    /// Returns the ids if they may differ from integers and indices. Returns `None` if all of them are integers or indices.
    #[cfg(feature = "arrow")]
    pub(crate) fn as_any(&self) -> Option<&[Id]> {
        match &self.0 {
            List::Indices(_) | List::Integers(_) => None,
            List::Any(ids) => Some(ids),
        }
    }

    /// Returns the number of ids for which the list has memory.
    #[cfg(all(test, feature = "parquet"))]
    pub(crate) fn capacity(&self) -> usize {
        match &self.0 {
            List::Indices(_) => 0,
            List::Integers(integers) => integers.capacity(),
            List::Any(ids) => ids.capacity(),
        }
    }

    /// Adds the ids of further features. A feature without a name gets its index. When the list gets its form, it reserves memory for
    /// `expected` features.
    ///
    /// # Errors
    /// Returns an error if the system refuses the memory for `names`.
    pub(crate) fn append(&mut self, names: Names, expected: usize) -> Result<(), TryReserveError> {
        let names = names.in_short_form()?;
        if names.len() == 0 {
            return Ok(());
        }
        let first = self.len();
        match (&mut self.0, names) {
            (List::Indices(count), Names::Missing(more)) => *count += more,
            (List::Indices(0), Names::Integers(integers)) if integers.len() >= expected => {
                self.0 = List::Integers(integers);
            }
            (List::Indices(0), Names::Integers(integers)) => {
                let mut all = with_room(expected);
                extend(&mut all, integers.into_iter())?;
                self.0 = List::Integers(all);
            }
            (List::Integers(all), Names::Integers(integers)) => extend(all, integers.into_iter())?,
            (_, names) => {
                let all = self.make_any(expected)?;
                match names {
                    Names::Missing(count) => extend(all, (first..first + count).map(Id::Index))?,
                    Names::Integers(integers) => extend(all, integers.into_iter().map(Id::Integer))?,
                    Names::Any(names) => {
                        let names = names.into_iter().enumerate();
                        extend(all, names.map(|(index, id)| id.unwrap_or(Id::Index(first + index))))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds the ids of the features of another input, whose features follow.
    ///
    /// # Errors
    /// Returns an error if the system refuses the memory.
    pub(crate) fn append_input(&mut self, other: Self) -> Result<(), TryReserveError> {
        let first = self.len();
        match other.0 {
            List::Indices(count) => self.append(Names::Missing(count), 0),
            List::Integers(integers) => self.append(Names::Integers(integers), 0),
            List::Any(ids) => extend(
                self.make_any(0)?,
                ids.into_iter().map(|id| match id {
                    Id::Index(index) => Id::Index(first + index),
                    id => id,
                }),
            ),
        }
    }

    /// Changes the form to a list of any ids. The list has memory for `expected` ids, unless the system refuses it.
    fn make_any(&mut self, expected: usize) -> Result<&mut Vec<Id>, TryReserveError> {
        if !matches!(self.0, List::Any(_)) {
            let mut any = with_room(expected);
            match &self.0 {
                List::Indices(count) => extend(&mut any, (0..*count).map(Id::Index))?,
                List::Integers(integers) => extend(&mut any, integers.iter().copied().map(Id::Integer))?,
                List::Any(_) => {}
            }
            self.0 = List::Any(any);
        }
        match &mut self.0 {
            List::Any(ids) => Ok(ids),
            List::Indices(_) | List::Integers(_) => unreachable!("the form was changed"),
        }
    }

    /// Changes each index that is also the id of another feature, for example from `5` to `index:5`. If `index:5` is also an id, the
    /// new id is `index:index:5`, and so on. Returns the number of changed indices, and the number of ids that still repeat an
    /// earlier id.
    pub(crate) fn tell_apart(&mut self) -> (usize, usize) {
        match &mut self.0 {
            List::Indices(_) => (0, 0),
            List::Integers(integers) => (0, count_repeated_integers(integers)),
            List::Any(ids) => tell_apart(ids),
        }
    }

    /// Returns the number of ids with control characters.
    pub(crate) fn count_with_controls(&self) -> usize {
        match &self.0 {
            List::Indices(_) | List::Integers(_) => 0,
            List::Any(ids) => ids.par_iter().filter(|id| IdRef::from(*id).has_controls()).count(),
        }
    }
}

impl From<Vec<Id>> for Ids {
    fn from(ids: Vec<Id>) -> Self {
        Self(List::Any(ids))
    }
}

impl FromIterator<Id> for Ids {
    fn from_iter<I: IntoIterator<Item = Id>>(ids: I) -> Self {
        ids.into_iter().collect::<Vec<_>>().into()
    }
}

impl PartialEq for Ids {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<const COUNT: usize> PartialEq<[Id; COUNT]> for Ids {
    fn eq(&self, other: &[Id; COUNT]) -> bool {
        self.iter().eq(other.iter().map(IdRef::from))
    }
}

/// Returns an empty list with memory for `expected` items. A refusal of the memory is no error, because the items may be fewer.
fn with_room<T>(expected: usize) -> Vec<T> {
    let mut list = Vec::new();
    if try_reserve(&mut list, expected).is_ok() {
        ask_for_large_pages(&mut list);
    }
    list
}

/// Appends items to a list, or returns an error if the system refuses the memory.
fn extend<T>(list: &mut Vec<T>, items: impl ExactSizeIterator<Item = T>) -> Result<(), TryReserveError> {
    try_reserve(list, items.len())?;
    list.extend(items);
    Ok(())
}

/// Returns the number of integers that repeat an earlier integer.
fn count_repeated_integers(integers: &[i64]) -> usize {
    if integers.par_windows(2).all(|two| two[0] < two[1]) {
        return 0;
    }
    let mut sorted = integers.to_vec();
    sorted.par_sort_unstable();
    sorted.windows(2).filter(|two| two[0] == two[1]).count()
}

/// Tells ids apart, as [`Ids::tell_apart`] describes.
fn tell_apart(ids: &mut [Id]) -> (usize, usize) {
    let repeated = count_repeated(ids);
    if repeated == 0 {
        return (0, 0);
    }
    let given = ids.iter().filter(|id| !matches!(id, Id::Index(_)));
    let given: HashSet<String> = given.map(Id::to_string).collect();
    let mut told_apart = 0;
    for id in ids.iter_mut().filter(|id| matches!(id, Id::Index(_))) {
        let mut name = id.to_string();
        if !given.contains(&name) {
            continue;
        }
        // The loop ends, because each turn needs a longer name among the given ids. Two indices get different names,
        // because the names end in different numbers.
        while given.contains(&name) {
            name.insert_str(0, "index:");
        }
        *id = Id::Text(name.into());
        told_apart += 1;
    }
    (told_apart, if told_apart == 0 { repeated } else { count_repeated(ids) })
}

/// Returns the number of `ids` that repeat an earlier id.
fn count_repeated(ids: &[Id]) -> usize {
    // Compares the hashes first. They are small, and usually all differ.
    let state = RandomState::new();
    let hash = |id: &Id| match id {
        Id::Index(index) => state.hash_one(itoa::Buffer::new().format(*index)),
        Id::Integer(integer) => state.hash_one(itoa::Buffer::new().format(*integer)),
        Id::Number(text) | Id::Text(text) => state.hash_one(&**text),
        Id::Time(time) => state.hash_one(&*time.to_string()),
    };
    let mut hashes: Vec<u64> = ids.par_iter().map(hash).collect();
    hashes.par_sort_unstable();
    let suspects: HashSet<u64> = hashes.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0]).collect();
    if suspects.is_empty() {
        return 0;
    }
    let mut seen = HashSet::new();
    ids.iter().filter(|id| suspects.contains(&hash(id)) && !seen.insert(id.to_string())).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Id {
        Id::Text(text.into())
    }

    #[test]
    fn repeated_ids_are_counted_in_any_order() {
        for (integers, repeated) in [
            (vec![], 0),
            (vec![i64::MIN, -1, 7, i64::MAX], 0),
            (vec![1, 2, 2, 3], 1),
            (vec![3, 1, 2], 0),
            (vec![1, 3, 1, 3, 1], 3),
        ] {
            let any: Vec<Id> = integers.iter().copied().map(Id::Integer).collect();
            assert_eq!(count_repeated(&any), repeated, "{integers:?}");
            assert_eq!(count_repeated_integers(&integers), repeated, "{integers:?}");
        }
        assert_eq!(count_repeated(&[Id::Integer(1), Id::Integer(2), text("2")]), 1);
        assert_eq!(count_repeated(&[Id::Integer(1), Id::Number("1.0".into()), Id::Index(1)]), 1);
    }

    #[test]
    fn parts_of_every_kind_make_the_same_list_in_every_order() {
        let kinds = || {
            [
                Names::Missing(2),
                Names::Integers(vec![7, -3]),
                Names::Any(vec![Some(Id::Integer(4)), Some(Id::Integer(5))]),
                Names::Any(vec![None, None]),
                Names::Any(vec![Some(text("a")), None]),
                Names::Any(vec![None, Some(Id::Integer(9))]),
                Names::Any(vec![]),
            ]
        };
        let plain = |kind: usize, first: usize| {
            let index = |k| Id::Index(first + k);
            match kind {
                0 | 3 => vec![index(0), index(1)],
                1 => vec![Id::Integer(7), Id::Integer(-3)],
                2 => vec![Id::Integer(4), Id::Integer(5)],
                4 => vec![text("a"), index(1)],
                5 => vec![index(0), Id::Integer(9)],
                _ => vec![],
            }
        };
        for code in 0..7_usize.pow(3) {
            let order = [code % 7, code / 7 % 7, code / 49];
            let (mut ids, mut joined, mut expected) = (Ids::default(), Ids::default(), Vec::new());
            for kind in order {
                let names = |kind: usize| kinds().into_iter().nth(kind).unwrap_or_default();
                assert!(ids.append(names(kind), 3).is_ok());
                let mut input = Ids::default();
                assert!(input.append(names(kind), 0).is_ok());
                assert!(joined.append_input(input).is_ok());
                expected.extend(plain(kind, expected.len()));
            }
            let expected = Ids::from(expected);
            assert_eq!((ids.len(), &ids), (expected.len(), &expected), "{order:?}");
            assert_eq!(joined, expected, "{order:?}");
            let is_any = |kind: &usize| [4, 5].contains(kind);
            assert!(matches!(ids.0, List::Any(_)) || !order.iter().any(is_any), "{order:?}");
        }
    }

    #[test]
    fn lists_of_one_kind_have_a_short_form() {
        let mut ids = Ids::default();
        assert!(ids.append(Names::Any(vec![None; 3]), 9).is_ok() && ids.append(Names::Missing(2), 9).is_ok());
        assert!(matches!(ids.0, List::Indices(5)));
        let mut ids = Ids::default();
        assert!(ids.append(Names::Any(vec![Some(Id::Integer(1))]), 9).is_ok());
        assert!(ids.append(Names::Integers(vec![0]), 9).is_ok() && ids.append(Names::Missing(0), 9).is_ok());
        assert!(matches!(&ids.0, List::Integers(integers) if *integers == [1, 0]));
        assert_eq!((ids.tell_apart(), ids.count_with_controls()), ((0, 0), 0));
    }

    #[test]
    fn ids_with_controls_are_counted_and_indices_told_apart() {
        let mut ids = Ids::from(vec![text("a\u{1}"), Id::Index(1), text("1"), text("1")]);
        assert_eq!((ids.count_with_controls(), ids.tell_apart()), (1, (1, 1)));
        assert_eq!(ids, [text("a\u{1}"), text("index:1"), text("1"), text("1")]);
    }
}
