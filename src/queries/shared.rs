//! Queries that share one walk over the candidate pairs of a join.

use std::time::Duration;

use super::drive::Query;
use super::join::Meetings;
use super::joins::{JoinQuery, Request, UsedOptions};
use super::kinds::{Distances, Manifolds, Penetrations, Relations};
use super::measuring_join::{Measuring, Ranked};
use super::nearest_pieces::MANY_PAIRS;
use super::walk::{Walk, Walked};
use crate::answers::distance::Distance;
use crate::answers::envelope::Answers;
use crate::answers::manifold::Manifold;
use crate::answers::measured::MeasuredPair;
use crate::answers::penetration::Penetration;
use crate::answers::results::{Keep, RelatedPair};
use crate::base::error::Result;
use crate::geometry::limits::checked_distance;
use crate::geometry::{Pieces, PolygonSet, Shapes};
use crate::kernels::log::Log;
use crate::kernels::measurements::{PieceDistances, PieceManifolds, PiecePenetrations};
use crate::kernels::proposer::{Hint, Known, Proposer, Uses};

/// A query, or a tuple of queries, on all pairs of a walk.
pub(super) trait Part<A, B>: JoinQuery<A, B> {
    /// What the query keeps while the driver walks.
    type State<'a>: Query;
    /// Whether the query measures.
    const MEASURES: bool;

    fn uses(&self) -> UsedOptions;

    /// How far apart the boxes of two pieces may be and still matter.
    fn reach(&self, request: &Request<'_>) -> Result<f64>;

    /// A query that needs a walk of its own runs here.
    async fn begin<'a>(self, walk: &Walk<'a>, request: &Request<'a>) -> Result<Self::State<'a>>;

    /// Whether the query needs no pair of the shared walk.
    fn is_idle<'a>(_state: &Self::State<'a>) -> bool {
        false
    }

    /// Time of walks of its own.
    fn time_apart<'a>(_state: &Self::State<'a>) -> Duration {
        Duration::ZERO
    }

    fn finish<'a>(state: Self::State<'a>, walked: &mut Walked) -> Result<Self::Output>;
}

/// Runs a query, or a tuple of queries, in one walk.
async fn run<A, B, Q: Part<A, B>>(query: Q, request: Request<'_>) -> Result<Q::Output> {
    request.check_options(query.uses())?;
    let mut walk = walk_of(&request);
    walk.reach = query.reach(&request)?;
    if Q::MEASURES {
        walk.sort();
    }
    let mut state = query.begin(&walk, &request).await?;
    let mut walked = if Q::is_idle(&state) {
        Walked { choice: request.backends.choice.clone(), log: Log::new() }
    } else {
        request.backends.measure(&walk, &mut state).await?
    };
    walked.log.timings.measure += Q::time_apart(&state);
    Q::finish(state, &mut walked)
}

/// A walk over all pairs whose boxes meet.
fn walk_of<'a>(request: &Request<'a>) -> Walk<'a> {
    let mut walk = Walk::new(request.a, request.other);
    walk.drive = request.drive;
    walk
}

/// A program that only queries relations contains none of the code that measures.
impl JoinQuery for Relations {
    type Output = Answers<RelatedPair>;

    async fn run(self, request: Request<'_>) -> Result<Self::Output> {
        request.check_options(self.uses())?;
        let walk = walk_of(&request);
        let mut state = self.begin(&walk, &request).await?;
        let mut walked = request.backends.walk(&walk, &mut state).await?;
        Self::finish(state, &mut walked)
    }
}

/// The queries that measure.
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

/// A tuple of queries, or a query that may be left out.
macro_rules! compound_queries {
    ($(<$($of:ident),+> $query:ty => $output:ty;)+) => {$(
        impl<A, B, $($of: Part<A, B>),+> JoinQuery<A, B> for $query {
            type Output = $output;

            async fn run(self, request: Request<'_>) -> Result<Self::Output> {
                run::<A, B, Self>(self, request).await
            }
        }
    )+};
}

compound_queries! {
    <Q> Option<Q> => Option<Q::Output>;
    <P, Q> (P, Q) => (P::Output, Q::Output);
    <P, Q, R> (P, Q, R) => (P::Output, Q::Output, R::Output);
    <P, Q, R, S> (P, Q, R, S) => (P::Output, Q::Output, R::Output, S::Output);
}

impl Part<PolygonSet, PolygonSet> for Relations {
    type State<'a> = Meetings<'a>;
    const MEASURES: bool = false;

    fn uses(&self) -> UsedOptions {
        UsedOptions { keep: true, check: true, within: false }
    }

    fn reach(&self, _: &Request<'_>) -> Result<f64> {
        Ok(0.0)
    }

    async fn begin<'a>(self, walk: &Walk<'a>, request: &Request<'a>) -> Result<Meetings<'a>> {
        Ok(Meetings::new(walk, request.keep.unwrap_or_default(), request.check))
    }

    fn finish<'a>(state: Meetings<'a>, walked: &mut Walked) -> Result<Self::Output> {
        state.finish(walked)
    }
}

/// A measurement, and the relations by which its pairs are kept.
type Measured<'a, F> = (Measuring<'a, F>, Option<Meetings<'a>>);

/// Begins a measurement. `default` is what the measurement keeps by itself.
fn measured<'a, F: Ranked>(
    walk: &Walk<'a>,
    figure: F,
    is_of_meeting: bool,
    keep: Option<Keep>,
    default: Option<Keep>,
) -> Measured<'a, F> {
    let keep = keep.filter(|_| keep != default);
    (Measuring::new(walk, figure, is_of_meeting), keep.map(|keep| Meetings::new(walk, keep, false)))
}

fn finish_measured<F: Ranked>(
    (measuring, meetings): Measured<'_, F>,
    walked: &mut Walked,
) -> Result<Answers<MeasuredPair<F::Output>>> {
    kept(measuring.finish(walked)?, meetings, walked)
}

/// The measurements of the pairs that are kept by their relation.
fn kept<T>(
    mut answers: Answers<MeasuredPair<T>>,
    meetings: Option<Meetings<'_>>,
    walked: &mut Walked,
) -> Result<Answers<MeasuredPair<T>>> {
    if let Some(meetings) = meetings {
        let mut kept = meetings.finish(walked)?.into_iter().peekable();
        answers.items.retain(|pair| {
            let key = (pair.a, pair.b);
            while kept.next_if(|kept| (kept.a, kept.b) < key).is_some() {}
            kept.next_if(|kept| (kept.a, kept.b) == key).is_some()
        });
    }
    Ok(answers)
}

impl<A: Shapes, B: Shapes> Part<A, B> for Penetrations {
    type State<'a> = Measured<'a, PiecePenetrations>;
    const MEASURES: bool = true;

    fn uses(&self) -> UsedOptions {
        UsedOptions { keep: true, check: false, within: false }
    }

    fn reach(&self, _: &Request<'_>) -> Result<f64> {
        Ok(0.0)
    }

    async fn begin<'a>(self, walk: &Walk<'a>, request: &Request<'a>) -> Result<Self::State<'a>> {
        Ok(measured(walk, PiecePenetrations, !walk.is_rounded(), request.keep, Some(Keep::Meeting)))
    }

    fn finish<'a>(state: Self::State<'a>, walked: &mut Walked) -> Result<Self::Output> {
        finish_measured(state, walked)
    }
}

impl<A: Shapes, B: Shapes> Part<A, B> for Manifolds {
    type State<'a> = Measured<'a, PieceManifolds>;
    const MEASURES: bool = true;

    fn uses(&self) -> UsedOptions {
        UsedOptions { keep: true, check: false, within: false }
    }

    fn reach(&self, _: &Request<'_>) -> Result<f64> {
        checked_distance("margin", self.margin)
    }

    async fn begin<'a>(self, walk: &Walk<'a>, request: &Request<'a>) -> Result<Self::State<'a>> {
        let is_of_meeting = self.margin == 0.0 && !walk.is_rounded();
        let default = (self.margin == 0.0).then_some(Keep::Meeting);
        Ok(measured(walk, PieceManifolds::new(self.margin)?, is_of_meeting, request.keep, default))
    }

    fn finish<'a>(state: Self::State<'a>, walked: &mut Walked) -> Result<Self::Output> {
        finish_measured(state, walked)
    }
}

/// Distances of a walk.
pub(super) struct Near<'a> {
    /// The query on the shared walk.
    shared: (Option<Measuring<'a, PieceDistances>>, Option<Meetings<'a>>),
    /// The distances of a walk that visits only the pieces that may be the nearest. Objects of very many pieces have it.
    apart: Option<Answers<MeasuredPair<Distance>>>,
}

impl Uses for Near<'_> {
    const RELATIONS: bool = true;
    const EDGES: bool = true;

    async fn propose(
        proposer: &mut Proposer<'_>,
        hint: Hint<'_>,
        chunk: (&[[u32; 2]], [Pieces<'_>; 2]),
        known: &mut Known,
        log: &mut Log,
    ) -> Result<()> {
        Measuring::<PieceDistances>::propose(proposer, hint, chunk, known, log).await
    }
}

impl Query for Near<'_> {
    fn hint(&self) -> Hint<'_> {
        self.shared.hint()
    }

    fn take(&mut self, pairs: &[[u32; 2]], known: &Known, log: &mut Log, chunk: u32) -> Result<()> {
        self.shared.take(pairs, known, log, chunk)
    }
}

/// A walk that only visits the pieces that may be the nearest, if objects have very many pieces.
fn walk_apart<'a>(request: &Request<'a>, within: f64) -> Option<Walk<'a>> {
    let mut walk = Walk::new(request.a, request.other);
    (walk.drive, walk.reach, walk.many_pairs) = (request.drive, within, MANY_PAIRS);
    walk.is_of_nearest().then_some(walk)
}

fn within_of(request: &Request<'_>) -> Result<f64> {
    checked_distance("within", request.within.unwrap_or(0.0))
}

impl<A: Shapes, B: Shapes> Part<A, B> for Distances {
    type State<'a> = Near<'a>;
    const MEASURES: bool = true;

    fn uses(&self) -> UsedOptions {
        UsedOptions { keep: true, check: false, within: true }
    }

    fn reach(&self, request: &Request<'_>) -> Result<f64> {
        let within = within_of(request)?;
        Ok(if walk_apart(request, within).is_some() { 0.0 } else { within })
    }

    async fn begin<'a>(self, walk: &Walk<'a>, request: &Request<'a>) -> Result<Near<'a>> {
        let within = within_of(request)?;
        let figure = PieceDistances { within };
        let meetings = request.keep.map(|keep| Meetings::new(walk, keep, false));
        let Some(own_walk) = walk_apart(request, within) else {
            return Ok(Near { shared: (Some(Measuring::new(walk, figure, false)), meetings), apart: None });
        };
        let mut query = Measuring::new(&own_walk, figure, false);
        let mut walked = request.backends.measure(&own_walk, &mut query).await?;
        Ok(Near { shared: (None, meetings), apart: Some(query.finish(&mut walked)?) })
    }

    fn is_idle<'a>(state: &Near<'a>) -> bool {
        matches!(state.shared, (None, None))
    }

    fn time_apart<'a>(state: &Near<'a>) -> Duration {
        state.apart.as_ref().map_or(Duration::ZERO, |answers| answers.timings.total)
    }

    fn finish<'a>(
        Near { shared: (measuring, meetings), apart }: Near<'_>,
        walked: &mut Walked,
    ) -> Result<Self::Output> {
        let answers = match (measuring, apart) {
            (Some(measuring), _) => measuring.finish(walked)?,
            (None, Some(answers)) => answers,
            (None, None) => unreachable!("distances are measured in one of two walks"),
        };
        kept(answers, meetings, walked)
    }
}

/// A query that may be left out.
impl<A, B, Q: Part<A, B>> Part<A, B> for Option<Q> {
    type State<'a> = Option<Q::State<'a>>;
    const MEASURES: bool = Q::MEASURES;

    fn uses(&self) -> UsedOptions {
        self.as_ref().map_or(UsedOptions::NOTHING, Q::uses)
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

    fn time_apart<'a>(state: &Self::State<'a>) -> Duration {
        state.as_ref().map_or(Duration::ZERO, Q::time_apart)
    }

    fn finish<'a>(state: Self::State<'a>, walked: &mut Walked) -> Result<Self::Output> {
        state.map(|state| Q::finish(state, walked)).transpose()
    }
}

impl<A, B, P: Part<A, B>, Q: Part<A, B>> Part<A, B> for (P, Q) {
    type State<'a> = (P::State<'a>, Q::State<'a>);
    const MEASURES: bool = P::MEASURES || Q::MEASURES;

    fn uses(&self) -> UsedOptions {
        self.0.uses().or(self.1.uses())
    }

    fn reach(&self, request: &Request<'_>) -> Result<f64> {
        Ok(self.0.reach(request)?.max(self.1.reach(request)?))
    }

    async fn begin<'a>(self, walk: &Walk<'a>, request: &Request<'a>) -> Result<Self::State<'a>> {
        Ok((self.0.begin(walk, request).await?, self.1.begin(walk, request).await?))
    }

    fn is_idle<'a>(state: &Self::State<'a>) -> bool {
        P::is_idle(&state.0) && Q::is_idle(&state.1)
    }

    fn time_apart<'a>(state: &Self::State<'a>) -> Duration {
        P::time_apart(&state.0) + Q::time_apart(&state.1)
    }

    fn finish<'a>((p, q): Self::State<'a>, walked: &mut Walked) -> Result<Self::Output> {
        Ok((P::finish(p, walked)?, Q::finish(q, walked)?))
    }
}

/// A tuple of three or four queries runs as nested pairs.
macro_rules! nested {
    ($($query:ident)+, $flat:tt, $pairs:tt, $nested:ty) => {
        #[allow(non_snake_case, reason = "the name of a type is the name of its value")]
        impl<A, B, $($query: Part<A, B>),+> Part<A, B> for ($($query),+) {
                    type State<'a> = <$nested as Part<A, B>>::State<'a>;
            const MEASURES: bool = <$nested as Part<A, B>>::MEASURES;

            fn uses(&self) -> UsedOptions {
                let $flat = self;
                UsedOptions::NOTHING$(.or($query.uses()))+
            }

            fn reach(&self, request: &Request<'_>) -> Result<f64> {
                let $flat = self;
                Ok(0.0f64$(.max($query.reach(request)?))+)
            }

            async fn begin<'a>(self, walk: &Walk<'a>, request: &Request<'a>) -> Result<Self::State<'a>> {
                let $flat = self;
                Part::<A, B>::begin($pairs, walk, request).await
            }

            fn is_idle<'a>(state: &Self::State<'a>) -> bool {
                <$nested as Part<A, B>>::is_idle(state)
            }

            fn time_apart<'a>(state: &Self::State<'a>) -> Duration {
                <$nested as Part<A, B>>::time_apart(state)
            }

            fn finish<'a>(state: Self::State<'a>, walked: &mut Walked) -> Result<Self::Output> {
                let $pairs = <$nested as Part<A, B>>::finish(state, walked)?;
                Ok($flat)
            }
        }
    };
}

nested!(P Q R, (P, Q, R), ((P, Q), R), ((P, Q), R));
nested!(P Q R S, (P, Q, R, S), ((P, Q), (R, S)), ((P, Q), (R, S)));
