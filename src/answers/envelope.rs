//! The result of a query.

use crate::answers::backend::Choice;
use crate::answers::check::CheckReport;
use crate::answers::results::{Counts, StageSpan, Timings};

/// The result of a query: one item for each pair, and information about how the query ran.
///
/// A join returns items that name the two objects: [`RelatedPair`](crate::RelatedPair), [`MeasuredPair`](crate::MeasuredPair) or
/// [`CoveringPair`](crate::CoveringPair). Each pair of objects has at most one item. The items are sorted by `a`, then `b`. The
/// items of [`Nearest`](crate::Nearest) are sorted by `a`, then by the distance, then by `b`. A query of given pairs returns one
/// item for each given pair, in the given order. [`Hits`](crate::Hits) returns items only for the pairs that it selects.
///
/// ```
/// use sat2d::{Backend, Engine, PolygonSet, Relations};
///
/// let square = |x: f64| [[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]];
/// let set = PolygonSet::from_convex_rings(&[square(0.0), square(0.5), square(7.0)])?;
/// let engine = Engine::new(Backend::Cpu)?;
/// let meeting = engine.self_join(&set).query(Relations)?;
/// assert_eq!(meeting.len(), 1);
/// for pair in &meeting {
///     println!("{} and {} are {}", pair.a, pair.b, pair.relation);
/// }
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Answers<T> {
    /// The answers, in the order that the type describes.
    pub items: Vec<T>,
    /// The backend that ran the query, and the reason for the choice.
    pub choice: Choice,
    /// Numbers of candidate pairs, of uncertain pairs and of results.
    pub counts: Counts,
    /// The time of each stage. Queries that run together in one pass over the candidate pairs report the same timings.
    pub timings: Timings,
    /// The beginning and the end of each stage of each chunk of pairs, sorted by the beginning. On a GPU, the stages of
    /// several chunks run at the same time. The timeline is empty for given pairs, and for joins that query
    /// [`Containments`](crate::Containments) or [`Impacts`](crate::Impacts).
    pub timeline: Vec<StageSpan>,
    /// The comparison with exact arithmetic, or `None` if [`Join::check`](crate::Join::check) did not request it.
    pub check: Option<CheckReport>,
}

impl<T> Answers<T> {
    /// Returns the number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Iterates over the items.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// Returns answers without items and without a timeline.
    #[doc(hidden)]
    pub fn of_counts(choice: Choice, counts: Counts, timings: Timings, check: Option<CheckReport>) -> Self {
        Self { items: Vec::new(), choice, counts, timings, timeline: Vec::new(), check }
    }

    /// Replaces the items, and keeps the counts, the timings and the other data of the answers.
    #[doc(hidden)]
    pub fn with_items<U>(self, items: Vec<U>) -> Answers<U> {
        let Self { choice, counts, timings, timeline, check, .. } = self;
        Answers { items, choice, counts, timings, timeline, check }
    }
}

impl<T> IntoIterator for Answers<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Answers<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}
