//! The names of features.

use crate::Id;

/// The values from which the name of a feature is chosen.
#[derive(Debug, Default)]
pub(crate) struct Name {
    /// The value that names the feature: the property of the naming rule, or the `id` if the rule has no property.
    /// `None` if the feature has no such value.
    pub(crate) id: Option<Id>,
    /// The feature's `id`, if the feature lacks the property [`Naming::property`] and [`Naming::keeps_ids`] is set. `None` in
    /// all other cases.
    pub(crate) own: Option<Id>,
}

/// The rule that determines the names of the features in a file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Naming<'a> {
    /// The property that names features. If `None`, features are named by their `id`.
    pub(crate) property: Option<&'a str>,
    /// Whether features that lack `property` keep their `id`, in case all features lack it.
    pub(crate) keeps_ids: bool,
}
