//! Two sets that are prepared once, for use with any number of lists of pairs.

use std::time::Duration;

use super::drive::{Drive, Query};
use super::given::PreparedPairs;
use super::lists::RelationList;
use super::sources::Source;
#[cfg(doc)]
use crate::Engine;
use crate::answers::backend::Choice;
use crate::answers::results::Timings;
use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::geometry::limits::check_sizes;
use crate::geometry::{Pieces, PolygonSet, Rounded};
use crate::kernels::backends::Backends;
use crate::kernels::impacts::{Motions, Moving};
use crate::kernels::log::Log;
use crate::kernels::proposer::{Hint, Lists, Proposer, Side, Spare};

/// Two sets, packed once into the records that the kernels of an engine read. Use a `Prepared` for several lists of
/// pairs. If you have only one list of pairs, use [`Engine::piece_pairs`]. On the CPU, `piece_pairs` can read some sets
/// without packing them first.
///
/// ```
/// use sat2d::{Backend, Engine, PolygonSet, Relation, Relations};
///
/// let set = PolygonSet::from_convex_rings(&[
///     [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
///     [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
///     [[3.0, 0.0], [4.0, 0.0], [3.0, 1.0]],
/// ])?;
/// let engine = Engine::new(Backend::Cpu)?;
/// let mut prepared = engine.prepare(&set, &set)?;
/// assert_eq!(prepared.piece_pairs(&[[0, 1]]).query(Relations)?.items, [Relation::Touching]);
/// assert_eq!(prepared.piece_pairs(&[[0, 2]]).query(Relations)?.items, [Relation::Disjoint]);
/// # Ok::<(), sat2d::Error>(())
/// ```
#[derive(Debug)]
pub struct Prepared<'a> {
    a: &'a PolygonSet,
    b: &'a PolygonSet,
    choice: Choice,
    proposer: Proposer<'a>,
    spare: Spare,
    /// The times of packing and of upload, which the first list of pairs reports.
    timings: Timings,
}

impl Backends {
    /// Packs two sets for queries that need the proposals of `hint` from the kernels. Returns an error if an object cannot be
    /// split into pieces, if a set is too large or does not fit in memory, or if the device fails.
    pub(crate) async fn prepare_on<'a>(
        &'a self,
        choice: Choice,
        [a, b]: [&'a PolygonSet; 2],
        lists: Lists,
        hint: Hint<'_>,
    ) -> Result<Prepared<'a>> {
        let mut log = Log::new();
        let start = Instant::now();
        let other = (!std::ptr::eq(a, b)).then_some(b);
        check_sizes(a, other)?;
        let (boxes_a, boxes_b) = (a.piece_boxes(), other.map(PolygonSet::piece_boxes));
        let side_a = Side { pieces: Pieces::of(a), boxes: &boxes_a };
        let side_b = boxes_b.as_deref().map(|boxes| Side { pieces: Pieces::of(b), boxes });
        log.timings.pack += start.elapsed();
        let proposer =
            Proposer::new::<RelationList>(self, choice.backend, (side_a, side_b), lists, hint, &mut log)
                .await?;
        Ok(Prepared { a, b, choice, proposer, spare: Spare::default(), timings: log.timings })
    }
}

impl<'a> Prepared<'a> {
    /// Returns the two sets as sides without radii.
    pub(crate) fn sides(&self) -> [Rounded<'a>; 2] {
        self.sets().map(Rounded::plain)
    }

    pub(crate) fn choice(&self) -> &Choice {
        &self.choice
    }

    pub(crate) fn sets(&self) -> [&'a PolygonSet; 2] {
        [self.a, self.b]
    }

    /// Returns the motion records of the pieces of both sets, or the error of the proposer.
    pub(crate) fn moving<'m>(&mut self, motions: Motions<'m>) -> Result<Moving<'m>> {
        let pieces = self.sets().map(Pieces::of);
        self.proposer.moving(motions, pieces)
    }

    /// Runs a query on the pairs of a source. Returns the errors of [`Drive::run`].
    pub(crate) async fn drive<'s, Q: Query>(
        &mut self,
        source: &mut impl Source<'s>,
        query: &mut Q,
        drive: Drive<'_>,
    ) -> Result<Log> {
        self.proposer.forget_submitted();
        let mut log = Log::new();
        log.timings = self.timings;
        log.timings.total = self.preparation();
        let pieces = self.sets().map(Pieces::of);
        let (proposer, spare) = (&mut self.proposer, &mut self.spare);
        drive.run(source, proposer, pieces, query, spare, &mut log).await?;
        self.timings = Timings::default();
        Ok(log)
    }

    /// Selects given pairs of pieces for a query. `pairs[i]` holds the index of a piece of the first set and the index
    /// of a piece of the second set. [`PreparedPairs::query`] runs a query on the pairs.
    pub fn piece_pairs<'p>(&'p mut self, pairs: &'p [[u32; 2]]) -> PreparedPairs<'p, 'a> {
        PreparedPairs::new(self, pairs)
    }

    /// Returns the time that the packing and the upload of the two sets took. After the first list of pairs, the method
    /// returns 0, because the timings of the first list include the packing and the upload.
    #[must_use]
    pub fn preparation(&self) -> Duration {
        self.timings.pack + self.timings.upload
    }
}
