//! Runs several queries of a join together, in one walk. A [`Walk`] is one pass over the candidate pairs of the join.

use std::time::Duration;

use super::drive::Query;
use super::join::Meetings;
use super::joins::{JoinQuery, Request, UsedOptions};
use super::kinds::{Distances, Manifolds, Penetrations, Relations};
use super::measuring_join::Measuring;
use super::walk::{Walk, Walked};
use crate::answers::distance::Distance;
use crate::answers::envelope::Answers;
use crate::answers::manifold::Manifold;
use crate::answers::measured::MeasuredPair;
use crate::answers::penetration::Penetration;
use crate::answers::results::RelatedPair;
use crate::base::error::Result;
use crate::geometry::limits::checked_distance;
use crate::geometry::{PolygonSet, Rounded, Shapes};
use crate::kernels::log::Log;
use crate::kernels::measurements::{PieceManifolds, PiecePenetrations};

/// A query, or a tuple of queries that run together, on all pairs of a [`Walk`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot share a walk with other queries on a join of `{A}` and `{B}`",
    note = "`Distances`, `Penetrations` and `Manifolds` can, and `Relations`, `IntersectionArea` and `Iou` on two `PolygonSet`s"
)]
pub(super) trait Part<A, B>: JoinQuery<A, B> {
    /// The state of the query during the shared walk.
    type State<'a>: Query;

    /// Returns the options of the join that the query uses. By default, the query uses only `keep`.
    fn uses(&self) -> UsedOptions {
        UsedOptions { keep: true, ..UsedOptions::NOTHING }
    }

    /// Returns whether the query measures pairs. If each object has one piece, the walk of such a query visits the pairs in the
    /// order of their objects. The measurements then arrive sorted, in several parts if there are very many.
    fn measures(&self) -> bool {
        true
    }

    /// Returns the reach of the query, in the caller's unit: the query needs only the pairs of pieces whose boxes are at most
    /// this distance apart. Returns an error if an option of the query is not accepted. By default, the reach is 0.
    fn reach(&self, _request: &Request<'_>) -> Result<f64> {
        Ok(0.0)
    }

    /// Creates the state of the query, or returns an error. A query that needs its own walk runs this walk here, and returns the
    /// errors of the walk.
    async fn begin<'a>(self, walk: &Walk<'a>, request: &Request<'a>) -> Result<Self::State<'a>>;

    /// Returns whether the query needs no pair of the shared walk.
    fn is_idle<'a>(_state: &Self::State<'a>) -> bool {
        false
    }

    /// Returns the time of the query's own walk, or 0 if it has none.
    fn own_walk_time<'a>(_state: &Self::State<'a>) -> Duration {
        Duration::ZERO
    }

    fn finish<'a>(state: Self::State<'a>, walked: &mut Walked) -> Result<Self::Output>;
}

/// Runs a query, or a tuple of queries, in one [`Walk`]. Returns an error if an option is not accepted, if an object cannot
/// be split into pieces, or if the walk or a query fails.
pub(super) async fn run<A, B, Q: Part<A, B>>(query: Q, request: Request<'_>) -> Result<Q::Output> {
    request.check_options(query.uses())?;
    let mut walk = walk_of(&request)?;
    walk.reach = query.reach(&request)?;
    if query.measures() {
        walk.sort();
    }
    let mut state = query.begin(&walk, &request).await?;
    let mut walked = if Q::is_idle(&state) {
        Walked { choice: request.backends.choice.clone(), log: Log::new() }
    } else {
        request.backends.measure(&walk, &mut state).await?
    };
    let own_walk_time = Q::own_walk_time(&state);
    walked.log.timings.measure += own_walk_time;
    walked.log.timings.total += own_walk_time;
    Q::finish(state, &mut walked)
}

/// Returns a walk over all pairs of pieces whose boxes meet. Returns the errors of [`PolygonSet::check_pieces`].
fn walk_of<'a>(request: &Request<'a>) -> Result<Walk<'a>> {
    request.a.cores.check_pieces()?;
    request.other.map_or(Ok(()), |side| side.cores.check_pieces())?;
    let mut walk = Walk::new(request.a.made(), request.other.map(Rounded::made));
    walk.drive = request.drive;
    Ok(walk)
}

/// This implementation is separate, so that a program that only queries relations contains no code for measurements.
impl JoinQuery for Relations {
    type Output = Answers<RelatedPair>;

    async fn run(self, request: Request<'_>) -> Result<Self::Output> {
        request.check_options(self.uses())?;
        // WebAssembly has only one of the two implementations, because both would make the page load slower.
        #[cfg(target_family = "wasm")]
        return on_pieces(self, &request).await;
        #[cfg(not(target_family = "wasm"))]
        match request.on_edges()? {
            None => on_pieces(self, &request).await,
            Some(answers) if !request.check => Ok(answers),
            Some(mut answers) => {
                let pieces = on_pieces(self, &request).await?;
                answers.add_check(&pieces, request.a.cores, request.other.map(|side| side.cores));
                Ok(answers)
            }
        }
    }
}

impl Relations {
    fn meetings<'a>(self, walk: &Walk<'a>, request: &Request<'_>) -> Meetings<'a> {
        Meetings::new(walk, request.keep.unwrap_or_default(), request.check)
    }
}

async fn on_pieces(relations: Relations, request: &Request<'_>) -> Result<Answers<RelatedPair>> {
    let walk = walk_of(request)?;
    let mut state = relations.meetings(&walk, request);
    let mut walked = request.backends.walk(&walk, &mut state).await?;
    state.finish(&mut walked)
}

/// Implements [`JoinQuery`] for the queries that measure.
macro_rules! measuring_queries {
    ($($query:ty => $output:ty;)+) => {$(
        impl<A: Shapes, B: Shapes> JoinQuery<A, B> for $query {
            type Output = Answers<MeasuredPair<$output>>;

            async fn run(self, request: Request<'_>) -> Result<Self::Output> {
                run::<A, B, Self>(self, request).await
            }
        }
    )+};
}

measuring_queries! {
    Distances => Distance;
    Penetrations => Penetration;
    Manifolds => Manifold;
}

impl<A, B, Q: Part<A, B>> JoinQuery<A, B> for Option<Q> {
    type Output = Option<Q::Output>;

    async fn run(self, request: Request<'_>) -> Result<Self::Output> {
        run::<A, B, Self>(self, request).await
    }
}

impl Part<PolygonSet, PolygonSet> for Relations {
    type State<'a> = Meetings<'a>;

    fn uses(&self) -> UsedOptions {
        UsedOptions { keep: true, check: true, within: false }
    }

    fn measures(&self) -> bool {
        false
    }

    async fn begin<'a>(self, walk: &Walk<'a>, request: &Request<'a>) -> Result<Meetings<'a>> {
        let meetings = self.meetings(walk, request);
        // The pieces of crossed objects are rounded, so edges decide. WebAssembly has no crossed objects.
        #[cfg(not(target_family = "wasm"))]
        let meetings = meetings.answered_by(if request.has_crossings() { request.on_edges()? } else { None });
        Ok(meetings)
    }

    fn finish<'a>(state: Meetings<'a>, walked: &mut Walked) -> Result<Self::Output> {
        state.finish(walked)
    }
}

impl<A: Shapes, B: Shapes> Part<A, B> for Penetrations {
    type State<'a> = Measuring<'a, PiecePenetrations>;

    async fn begin<'a>(self, walk: &Walk<'a>, request: &Request<'a>) -> Result<Self::State<'a>> {
        Ok(Measuring::new(walk, PiecePenetrations, !walk.is_rounded()).keep(request.keep))
    }

    fn finish<'a>(state: Self::State<'a>, walked: &mut Walked) -> Result<Self::Output> {
        state.finish(walked)
    }
}

impl<A: Shapes, B: Shapes> Part<A, B> for Manifolds {
    type State<'a> = Measuring<'a, PieceManifolds>;

    fn reach(&self, _: &Request<'_>) -> Result<f64> {
        checked_distance("margin", self.margin)
    }

    async fn begin<'a>(self, walk: &Walk<'a>, request: &Request<'a>) -> Result<Self::State<'a>> {
        let is_of_meeting = self.margin == 0.0 && !walk.is_rounded();
        Ok(Measuring::new(walk, PieceManifolds::new(self.margin)?, is_of_meeting).keep(request.keep))
    }

    fn finish<'a>(state: Self::State<'a>, walked: &mut Walked) -> Result<Self::Output> {
        state.finish(walked)
    }
}

/// An optional query. If it is `None`, it needs no pair and has no answers.
impl<A, B, Q: Part<A, B>> Part<A, B> for Option<Q> {
    type State<'a> = Option<Q::State<'a>>;

    fn uses(&self) -> UsedOptions {
        self.as_ref().map_or(UsedOptions::NOTHING, Q::uses)
    }

    fn measures(&self) -> bool {
        self.as_ref().is_some_and(Q::measures)
    }

    fn reach(&self, request: &Request<'_>) -> Result<f64> {
        self.as_ref().map_or(Ok(0.0), |query| query.reach(request))
    }

    async fn begin<'a>(self, walk: &Walk<'a>, request: &Request<'a>) -> Result<Self::State<'a>> {
        match self {
            None => Ok(None),
            Some(query) => query.begin(walk, request).await.map(Some),
        }
    }

    fn is_idle<'a>(state: &Self::State<'a>) -> bool {
        state.as_ref().is_none_or(Q::is_idle)
    }

    fn own_walk_time<'a>(state: &Self::State<'a>) -> Duration {
        state.as_ref().map_or(Duration::ZERO, Q::own_walk_time)
    }

    fn finish<'a>(state: Self::State<'a>, walked: &mut Walked) -> Result<Self::Output> {
        state.map(|state| Q::finish(state, walked)).transpose()
    }
}

/// Implements [`JoinQuery`] and [`Part`] for a tuple of queries.
macro_rules! together {
    ($($query:ident $place:tt),+) => {
        impl<A, B, $($query: Part<A, B>),+> JoinQuery<A, B> for ($($query),+) {
            type Output = ($($query::Output),+);

            async fn run(self, request: Request<'_>) -> Result<Self::Output> {
                run::<A, B, Self>(self, request).await
            }
        }

        impl<A, B, $($query: Part<A, B>),+> Part<A, B> for ($($query),+) {
            type State<'a> = ($($query::State<'a>),+);

            fn uses(&self) -> UsedOptions {
                UsedOptions::NOTHING$(.or(self.$place.uses()))+
            }

            fn measures(&self) -> bool {
                $(self.$place.measures())||+
            }

            fn reach(&self, request: &Request<'_>) -> Result<f64> {
                Ok(0.0f64$(.max(self.$place.reach(request)?))+)
            }

            async fn begin<'a>(self, walk: &Walk<'a>, request: &Request<'a>) -> Result<Self::State<'a>> {
                Ok(($(self.$place.begin(walk, request).await?),+))
            }

            fn is_idle<'a>(state: &Self::State<'a>) -> bool {
                $($query::is_idle(&state.$place))&&+
            }

            fn own_walk_time<'a>(state: &Self::State<'a>) -> Duration {
                Duration::ZERO$( + $query::own_walk_time(&state.$place))+
            }

            fn finish<'a>(state: Self::State<'a>, walked: &mut Walked) -> Result<Self::Output> {
                Ok(($($query::finish(state.$place, walked)?),+))
            }
        }
    };
}

together!(P 0, Q 1);
together!(P 0, Q 1, R 2);
together!(P 0, Q 1, R 2, S 3);
