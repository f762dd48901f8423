//! Relations of given pairs.

use crate::answers::backend::Choice;
use crate::answers::results::{Counts, Relation, Timings};
#[cfg(doc)]
use crate::{Engine, Prepared};

/// The result of [`Engine::relations`] and [`Prepared::relations`]. All counts are numbers of pairs of pieces.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Relations {
    /// The relation of each pair, in the order of the given pairs.
    pub relations: Vec<Relation>,
    /// The backend that decided the pairs, and the reason.
    pub choice: Choice,
    /// Numbers of candidate pairs, of uncertain pairs and of results.
    pub counts: Counts,
    /// How long each stage took.
    pub timings: Timings,
}

/// The result of [`Prepared::hits`]. All counts are numbers of pairs of pieces. The counts cover all given pairs, both
/// returned and left out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Hits {
    /// The kept pairs in the given order, each with its relation.
    pub pairs: Vec<([u32; 2], Relation)>,
    /// The backend that decided the pairs, and the reason.
    pub choice: Choice,
    /// Numbers of candidate pairs, of uncertain pairs and of results.
    pub counts: Counts,
    /// How long each stage took.
    pub timings: Timings,
}
