//! The driver: walks the candidate pairs of a query in chunks. Kernels propose answers for pairs, and the query decides
//! the remaining pairs on the host.
//!
//! For queries that use kernels, this file handles the chunks, the order of the chunks, the chunks in flight on a
//! device, the progress, and the times of the stages. Queries that compare the edges of polygons, and the query of the
//! nearest objects, have their own loops.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::sources::Source;
use crate::base::clock::Instant;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::geometry::Pieces;
use crate::kernels::log::{Log, Stage};
use crate::kernels::proposer::{Edges, Hint, Known, Proposer, Spare, Uses};
use crate::queries::progress::Progress;

/// A query on candidate pairs: decides the pairs, and keeps the answers.
pub(crate) trait Query: Uses {
    /// Returns the hint: the proposals that the query needs from the kernels for each pair.
    fn hint(&self) -> Hint<'_>;

    /// Converts a chunk of pairs of objects to the pairs of pieces that the kernels decide. Returns `None` if the
    /// source already yields pairs of pieces. A query that shares its walk with other queries returns `None`.
    fn pieces(&self, _pairs: &[[u32; 2]]) -> Option<Vec<[u32; 2]>> {
        None
    }

    /// Decides the pairs of a chunk from the proposals in `known`, and keeps the answers.
    ///
    /// # Errors
    /// Returns [`Error::OutOfMemory`] if the answers do not fit in memory.
    fn take(&mut self, pairs: &[[u32; 2]], known: &Known, log: &mut Log, chunk: u32) -> Result<()>;
}

impl<Q: Uses> Uses for Option<Q> {
    const RELATIONS: bool = Q::RELATIONS;
    const CONTAINMENTS: bool = Q::CONTAINMENTS;
    const EDGES: bool = Q::EDGES;
    const IMPACTS: bool = Q::IMPACTS;
}

/// An optional query. If it is `None`, it needs no proposals and keeps no answers.
impl<Q: Query> Query for Option<Q> {
    fn hint(&self) -> Hint<'_> {
        self.as_ref().map_or(Hint::default(), Q::hint)
    }

    fn take(&mut self, pairs: &[[u32; 2]], known: &Known, log: &mut Log, chunk: u32) -> Result<()> {
        self.as_mut().map_or(Ok(()), |query| query.take(pairs, known, log, chunk))
    }
}

/// Implements [`Query`] for a tuple of queries that run together, on the same chunks of pairs. The tuple uses the
/// kernels of all its queries.
macro_rules! together {
    ($($query:ident $place:tt),+) => {
        impl<$($query: Uses),+> Uses for ($($query),+) {
            const RELATIONS: bool = $($query::RELATIONS)||+;
            const CONTAINMENTS: bool = $($query::CONTAINMENTS)||+;
            const EDGES: bool = $($query::EDGES)||+;
            const IMPACTS: bool = $($query::IMPACTS)||+;
        }

        impl<$($query: Query),+> Query for ($($query),+) {
            fn hint(&self) -> Hint<'_> {
                Hint::NOTHING$(.and(self.$place.hint()))+
            }

            fn take(&mut self, pairs: &[[u32; 2]], known: &Known, log: &mut Log, chunk: u32) -> Result<()> {
                $(self.$place.take(pairs, known, log, chunk)?;)+
                Ok(())
            }
        }
    };
}

together!(P 0, Q 1);
together!(P 0, Q 1, R 2);
together!(P 0, Q 1, R 2, S 3);

/// The maximum size of a chunk of pairs, and the observer of the query's progress.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drive<'a> {
    /// The greatest number of pairs in a chunk.
    pub(crate) chunk_pairs: usize,
    pub(crate) progress: Option<&'a dyn Progress>,
}

impl Default for Drive<'_> {
    fn default() -> Self {
        Self { chunk_pairs: usize::MAX, progress: None }
    }
}

impl Drive<'_> {
    /// Reports to the observer, if there is one, that `pairs` pairs are decided.
    pub(super) fn report(self, pairs: u64) {
        self.progress.inspect(|progress| progress.decided(pairs));
    }

    /// Runs `query` on all pairs of `source`. Returns the first error of the source, the proposer or the query. `sides` must be the
    /// pieces with which the proposer was created.
    pub(crate) async fn run<'s, Q: Query>(
        self,
        source: &mut impl Source<'s>,
        proposer: &mut Proposer<'_>,
        sides: [Pieces<'_>; 2],
        query: &mut Q,
        spare: &mut Spare,
        log: &mut Log,
    ) -> Result<()> {
        let hint = query.hint();
        let has_edges = hint.edges != Edges::None;
        // The host waits while the edges of a chunk are measured, so more chunks in flight would gain nothing.
        let depth = if has_edges || hint.impacts.is_some() { 1 } else { proposer.depth() };
        let most = if has_edges { proposer.measured_pairs() } else { proposer.chunk_pairs() };
        let limit = self.chunk_pairs.min(most);
        let mut waiting = VecDeque::new();
        let (mut proposed, mut decided, mut is_at_end) = (0, 0, false);
        loop {
            if !is_at_end && waiting.len() < depth {
                let start = Instant::now();
                let mut memory = spare.pairs.pop().unwrap_or_default();
                let pairs = source.next_chunk(limit, &mut memory)?;
                if memory.capacity() > 0 {
                    spare.pairs.push(memory);
                }
                log.end(Stage::BroadPhase, proposed, start);
                match pairs {
                    None => is_at_end = true,
                    Some(pairs) => {
                        let pieces = query.pieces(&pairs);
                        proposer.submit(query.hint(), pieces.as_deref().unwrap_or(&pairs), log).await?;
                        waiting.push_back((pairs, pieces));
                        proposed += 1;
                    }
                }
                continue;
            }
            let Some((pairs, pieces)) = waiting.pop_front() else { return Ok(()) };
            let of_kernels = pieces.as_deref().unwrap_or(&pairs);
            proposer.collect::<Q>(query.hint(), sides, of_kernels, &mut spare.known, log, decided).await?;
            log.counts.candidate_pairs += pairs.len() as u64;
            query.take(&pairs, &spare.known, log, decided)?;
            let decided_pairs = source.visited().unwrap_or(log.counts.candidate_pairs);
            self.report(decided_pairs);
            if let Cow::Owned(pairs) = pairs {
                spare.pairs.push(pairs);
            }
            decided += 1;
        }
    }
}
