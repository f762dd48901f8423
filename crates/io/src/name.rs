//! The names of features.

use crate::Id;

/// The values from which the name of a feature is chosen.
#[derive(Debug, Default)]
pub(crate) struct Name {
    /// The value that names the feature: the value of the property [`Naming::property`], or the feature's `id` if
    /// `Naming::property` is `None`. `None` if the feature has no such value.
    pub(crate) id: Option<Id>,
    /// The feature's `id`, which becomes its name if no feature of the file has the property [`Naming::property`].
    /// `None` if the feature has no `id`, if it has the property, or if [`Naming::keeps_ids`] is `false`.
    pub(crate) own: Option<Id>,
}

/// The rule that determines the names of the features in a file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Naming<'a> {
    /// The property that names features. If `None`, features are named by their `id`.
    pub(crate) property: Option<&'a str>,
    /// Whether a feature without `property` keeps its `id`. The `id` is used if no feature of the file has the
    /// property.
    pub(crate) keeps_ids: bool,
}

/// The value of [`Name::id`] of each of consecutive features.
#[derive(Debug)]
pub(crate) enum Names {
    /// Any values.
    Any(Vec<Option<Id>>),
    /// Every feature has an integer. This form takes a third of the memory.
    #[cfg(feature = "arrow")]
    Integers(Vec<i64>),
}

impl Default for Names {
    fn default() -> Self {
        Self::Any(Vec::new())
    }
}

impl Names {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Any(names) => names.len(),
            #[cfg(feature = "arrow")]
            Self::Integers(integers) => integers.len(),
        }
    }

    /// Adds the value of a further feature.
    pub(crate) fn push(&mut self, id: Option<Id>) {
        match self {
            Self::Any(names) => names.push(id),
            #[cfg(feature = "arrow")]
            Self::Integers(integers) => {
                let before = std::mem::take(integers).into_iter().map(|integer| Some(Id::Integer(integer)));
                *self = Self::Any(before.chain([id]).collect());
            }
        }
    }

    /// Returns the number of features without a value.
    #[cfg(feature = "arrow")]
    pub(crate) fn missing_count(&self) -> usize {
        match self {
            Self::Any(names) => names.iter().filter(|name| name.is_none()).count(),
            Self::Integers(_) => 0,
        }
    }

    /// Appends the ids of the features to `ids`, which has the ids of all features before. A feature without a value gets its index.
    pub(crate) fn move_to(self, ids: &mut Vec<Id>) {
        let first = ids.len();
        match self {
            Self::Any(names) => {
                let names = names.into_iter().enumerate();
                ids.extend(names.map(|(index, id)| id.unwrap_or(Id::Index(first + index))));
            }
            #[cfg(feature = "arrow")]
            Self::Integers(integers) => ids.extend(integers.into_iter().map(Id::Integer)),
        }
    }
}

#[cfg(all(test, feature = "arrow"))]
mod tests {
    use super::*;

    #[test]
    fn integers_and_other_names_become_the_same_ids() {
        let mut integers = Names::Integers(vec![7, -3]);
        let mut any = Names::Any(vec![Some(Id::Integer(7)), Some(Id::Integer(-3))]);
        for names in [&mut integers, &mut any] {
            assert_eq!((names.len(), names.missing_count()), (2, 0));
            names.push(None);
            names.push(Some(Id::Text("a".into())));
            assert_eq!((names.len(), names.missing_count()), (4, 1));
        }
        let expected = [Id::Index(0), Id::Integer(7), Id::Integer(-3), Id::Index(3), Id::Text("a".into())];
        for names in [integers, any] {
            let mut ids = vec![Id::Index(0)];
            names.move_to(&mut ids);
            assert_eq!(ids, expected);
        }
    }
}
