//! The names of features.

use std::collections::TryReserveError;

use sat2d::internal::try_reserve;

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
    /// Every feature has an integer.
    Integers(Vec<i64>),
    /// No feature has a value. The value is the number of features.
    Missing(usize),
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
            Self::Integers(integers) => integers.len(),
            Self::Missing(count) => *count,
        }
    }

    /// Adds the value of a further feature.
    pub(crate) fn push(&mut self, id: Option<Id>) {
        let before = match self {
            Self::Any(names) => return names.push(id),
            Self::Integers(integers) => {
                std::mem::take(integers).into_iter().map(|integer| Some(Id::Integer(integer))).collect()
            }
            Self::Missing(count) => vec![None; *count],
        };
        *self = Self::Any(before);
        self.push(id);
    }

    /// Returns the number of features without a value.
    #[cfg(feature = "arrow")]
    pub(crate) fn missing_count(&self) -> usize {
        match self {
            Self::Any(names) => names.iter().filter(|name| name.is_none()).count(),
            Self::Integers(_) => 0,
            Self::Missing(count) => *count,
        }
    }

    /// Returns the values in the form that takes the least memory, or an error if the system refuses the memory.
    pub(crate) fn in_short_form(self) -> Result<Self, TryReserveError> {
        let Self::Any(names) = self else { return Ok(self) };
        if names.iter().all(Option::is_none) {
            return Ok(Self::Missing(names.len()));
        }
        if !names.iter().all(|name| matches!(name, Some(Id::Integer(_)))) {
            return Ok(Self::Any(names));
        }
        let mut integers = Vec::new();
        try_reserve(&mut integers, names.len())?;
        integers.extend(names.into_iter().filter_map(|name| match name {
            Some(Id::Integer(integer)) => Some(integer),
            _ => None,
        }));
        Ok(Self::Integers(integers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_form_take_further_names() {
        let integer = |k| Some(Id::Integer(k));
        for (mut names, before) in [
            (Names::Integers(vec![7, -3]), vec![integer(7), integer(-3)]),
            (Names::Missing(2), vec![None, None]),
            (Names::Any(vec![None, integer(1)]), vec![None, integer(1)]),
            (Names::default(), vec![]),
        ] {
            assert_eq!(names.len(), before.len());
            names.push(None);
            names.push(Some(Id::Text("a".into())));
            let expected: Vec<Option<Id>> =
                before.into_iter().chain([None, Some(Id::Text("a".into()))]).collect();
            assert!(matches!(names, Names::Any(all) if all == expected));
        }
    }
}
