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
