//! Measurements of pairs: of a list, and of a join.

use std::time::Duration;

use crate::answers::backend::Choice;
use crate::answers::impact::TimeOfImpact;
#[cfg(doc)]
use crate::{Engine, ImpactOutcome, Penetration};

/// The measurements of a list of pairs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answers<T> {
    /// The measurement of each pair, in the order of the given pairs.
    pub figures: Vec<T>,
    /// The backend that measured the pairs, and the reason.
    pub choice: Choice,
    /// Number of pairs that f32 could not decide. For times of impact, `refined` counts the pairs whose time was
    /// computed again in f64, on a CPU or on a GPU. For other measurements, `refined` counts the pairs for which the
    /// device could not select the deciding edge in f32. The host selected the edges of these pairs in f64. On a CPU,
    /// `refined` is 0 for other measurements, because no device selects edges.
    pub refined: u64,
    /// Wall-clock time of the query. The time includes packing the sets, unless [`Engine::prepare`] packed the sets
    /// before.
    pub time: Duration,
}

/// A measurement of two objects: the measurement of one pair of their pieces. The documentation of each join says
/// which pair of pieces is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectFigure<T> {
    /// Index of the object in the first set; in a self-join, the lower of the two indices.
    pub a: u32,
    /// Index of the object in the second set; in a self-join, the higher of the two indices.
    pub b: u32,
    /// Index of the piece of A that was measured.
    pub piece_a: u32,
    /// Index of the piece of B that was measured.
    pub piece_b: u32,
    /// The measurement of the two pieces.
    pub figure: T,
}

/// The result of a join that measures its pairs, such as [`Engine::self_join_within`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FigureJoin<T> {
    /// The pairs of objects, each once, sorted by `a`, then `b`.
    pub pairs: Vec<ObjectFigure<T>>,
    /// The backend that ran the join, and the reason.
    pub choice: Choice,
    /// Number of pairs of convex pieces that the join examined. The closed boxes of these pairs meet, or are within the
    /// distance of the join. For objects of many pieces, a join within a distance examines only the pairs of pieces
    /// that may be the nearest.
    pub candidate_pairs: u64,
    /// Number of pairs of pieces for which the device could not select the deciding edge with certainty in f32. The
    /// host selected the edge in f64. [`Penetration`] defines the deciding edge. On a CPU, the number is 0, because no
    /// device selects edges.
    pub refined: u64,
    /// Wall-clock time of the join.
    pub time: Duration,
}

/// Two objects that hit each other during a step, or overlap at the start of the step. If the search reached its
/// iteration limit, the two objects may hit each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectImpact {
    /// Index of the first object.
    pub a: u32,
    /// Index of the second object.
    pub b: u32,
    /// Indices of the pieces of A and B that touch first.
    pub pieces: [u32; 2],
    /// When and how the pieces meet. The outcome is never [`ImpactOutcome::Apart`].
    pub impact: TimeOfImpact,
}

/// The result of [`Engine::self_join_impacts`] and [`Engine::join_impacts`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ImpactJoin {
    /// The pairs of objects, each once, sorted by `a`, then `b`.
    pub pairs: Vec<ObjectImpact>,
    /// Number of pairs of convex pieces whose swept boxes meet. A swept box contains the path of a piece in the step.
    pub candidate_pairs: u64,
    /// Number of pairs of pieces whose time of impact was computed again in f64, because the error bound of the f32
    /// result was too large. The number depends on the backend.
    pub refined: u64,
    /// Wall-clock time of the join.
    pub time: Duration,
}
