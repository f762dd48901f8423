//! Runs queries on the pairs of pieces that a caller passes.

use super::drive::Query;
use super::given::{Given, PieceQuery};
use super::impacts::check_motions;
use super::kinds::{Containments, Distances, Hits, Impacts, Manifolds, Penetrations, Relations};
use super::kinds_of_areas::{IntersectionArea, Iou};
use super::lists::{HitList, ImpactList, List, Measurements, RelationList};
use super::shape_containments::shape_containments;
use super::shape_relations::shape_relation;
use crate::answers::area::Overlap;
use crate::answers::backend::Choice;
use crate::answers::containment::Containment;
use crate::answers::distance::Distance;
use crate::answers::envelope::Answers;
use crate::answers::impact::TimeOfImpact;
use crate::answers::manifold::Manifold;
use crate::answers::penetration::Penetration;
use crate::answers::results::Relation;
use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::base::side::PairSide;
use crate::geometry::{PolygonSet, Rounded, RoundedSet, Shapes};
use crate::kernels::impacts::Motions;
use crate::kernels::log::Log;
use crate::kernels::measurements::{Figure, PieceDistances, PieceManifolds, PiecePenetrations};

/// A query, or a tuple of two queries, on a list of pairs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot share a pass over pairs of pieces of `{A}` and `{B}`",
    note = "a pair of queries has two of `Relations`, `Hits`, `Distances`, `Penetrations`, `Manifolds`, `IntersectionArea` and `Iou`"
)]
pub(super) trait ListPart<A, B>: PieceQuery<A, B> {
    /// The state of the query while it runs over the pairs.
    type State<'a>: Query;

    /// Returns an error if a field of the query has an invalid value.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Creates the state for a list of `count` pairs. Returns an error if the query does not fit the two sets, or if
    /// the answers do not fit in memory.
    fn begin(self, sides: [Rounded<'_>; 2], count: usize) -> Result<Self::State<'_>>;

    fn finish(state: Self::State<'_>, pairs: &[[u32; 2]], log: &Log, choice: &Choice) -> Self::Output;
}

/// Runs a query, or a tuple of two queries, on the pairs of pieces that the caller gave. Returns the errors of the
/// query and of the device.
async fn run<A, B, Q: ListPart<A, B>>(query: Q, given: Given<'_, '_>) -> Result<Q::Output> {
    let Given { prepared, sides, pairs, drive } = given;
    let mut state = query.begin(sides, pairs.len())?;
    let mut log = prepared.drive(&mut List::new(pairs, prepared.sets()), &mut state, drive).await?;
    log.counts.candidate_object_pairs = pairs.len() as u64;
    Ok(Q::finish(state, pairs, &log, prepared.choice()))
}

/// Implements [`PieceQuery`] for queries on a list. The flag says whether kernels propose relations for the query.
macro_rules! piece_queries {
    ($($(<$($of:ident: $bound:ident),+>)? ($a:ty, $b:ty) $query:ty => $output:ty, $needs:expr;)+) => {$(
        impl$(<$($of: $bound),+>)? PieceQuery<$a, $b> for $query {
            type Output = $output;
            const NEEDS_RELATIONS: bool = $needs;

            fn check(&self) -> Result<()> {
                ListPart::<$a, $b>::check(self)
            }

            async fn run(self, given: Given<'_, '_>) -> Result<Self::Output> {
                run::<$a, $b, Self>(self, given).await
            }
        }
    )+};
}

piece_queries! {
    (PolygonSet, PolygonSet) Relations => Answers<Relation>, true;
    (PolygonSet, RoundedSet) Relations => Answers<Relation>, false;
    (RoundedSet, PolygonSet) Relations => Answers<Relation>, false;
    (RoundedSet, RoundedSet) Relations => Answers<Relation>, false;
    (PolygonSet, PolygonSet) IntersectionArea => Answers<f64>, true;
    (PolygonSet, PolygonSet) Iou => Answers<Overlap>, true;
    (PolygonSet, PolygonSet) Hits => Answers<([u32; 2], Relation)>, true;
    <A: Shapes, B: Shapes> (A, B) Distances => Answers<Distance>, false;
    <A: Shapes, B: Shapes> (A, B) Penetrations => Answers<Penetration>, false;
    <A: Shapes, B: Shapes> (A, B) Manifolds => Answers<Manifold>, false;
}

impl<A, B, P: ListPart<A, B>, Q: ListPart<A, B>> PieceQuery<A, B> for (P, Q) {
    type Output = (P::Output, Q::Output);
    const NEEDS_RELATIONS: bool = P::NEEDS_RELATIONS || Q::NEEDS_RELATIONS;

    fn check(&self) -> Result<()> {
        ListPart::<A, B>::check(&self.0)?;
        ListPart::<A, B>::check(&self.1)
    }

    async fn run(self, given: Given<'_, '_>) -> Result<Self::Output> {
        run::<A, B, Self>(self, given).await
    }
}

impl<A, B, P: ListPart<A, B>, Q: ListPart<A, B>> ListPart<A, B> for (P, Q) {
    type State<'a> = (P::State<'a>, Q::State<'a>);

    fn begin(self, sides: [Rounded<'_>; 2], count: usize) -> Result<Self::State<'_>> {
        Ok((self.0.begin(sides, count)?, self.1.begin(sides, count)?))
    }

    fn finish((p, q): Self::State<'_>, pairs: &[[u32; 2]], log: &Log, choice: &Choice) -> Self::Output {
        (P::finish(p, pairs, log, choice), Q::finish(q, pairs, log, choice))
    }
}

impl ListPart<PolygonSet, PolygonSet> for Relations {
    type State<'a> = RelationList;

    fn begin(self, _: [Rounded<'_>; 2], count: usize) -> Result<RelationList> {
        RelationList::new(count)
    }

    fn finish(state: RelationList, _: &[[u32; 2]], log: &Log, choice: &Choice) -> Self::Output {
        let mut answers = log.answers(state.relations, choice);
        state.meeting.note(&mut answers.counts);
        answers
    }
}

impl ListPart<PolygonSet, PolygonSet> for Hits {
    type State<'a> = HitList;

    fn begin(self, _: [Rounded<'_>; 2], count: usize) -> Result<HitList> {
        Ok(HitList::new(count, self.keep))
    }

    fn finish(state: HitList, _: &[[u32; 2]], log: &Log, choice: &Choice) -> Self::Output {
        let mut answers = log.answers(state.hits, choice);
        state.meeting.note(&mut answers.counts);
        answers
    }
}

/// Converts the measurements of all pairs to answers, and stores the number of refined pairs in their counts.
fn measured<F: Figure>(state: Measurements<'_, F>, log: &Log, choice: &Choice) -> Answers<F::Output> {
    let mut answers = log.answers(state.figures, choice);
    answers.counts.refined = state.refined;
    answers
}

impl<A: Shapes, B: Shapes> ListPart<A, B> for Distances {
    type State<'a> = Measurements<'a, PieceDistances>;

    fn begin(self, sides: [Rounded<'_>; 2], count: usize) -> Result<Self::State<'_>> {
        Measurements::new(count, PieceDistances::ALL, sides)
    }

    fn finish(state: Self::State<'_>, _: &[[u32; 2]], log: &Log, choice: &Choice) -> Self::Output {
        measured(state, log, choice)
    }
}

impl<A: Shapes, B: Shapes> ListPart<A, B> for Penetrations {
    type State<'a> = Measurements<'a, PiecePenetrations>;

    fn begin(self, sides: [Rounded<'_>; 2], count: usize) -> Result<Self::State<'_>> {
        Measurements::new(count, PiecePenetrations, sides)
    }

    fn finish(state: Self::State<'_>, _: &[[u32; 2]], log: &Log, choice: &Choice) -> Self::Output {
        measured(state, log, choice)
    }
}

impl<A: Shapes, B: Shapes> ListPart<A, B> for Manifolds {
    type State<'a> = Measurements<'a, PieceManifolds>;

    fn check(&self) -> Result<()> {
        PieceManifolds::new(self.margin).map(|_| ())
    }

    fn begin(self, sides: [Rounded<'_>; 2], count: usize) -> Result<Self::State<'_>> {
        Measurements::new(count, PieceManifolds::new(self.margin)?, sides)
    }

    fn finish(state: Self::State<'_>, _: &[[u32; 2]], log: &Log, choice: &Choice) -> Self::Output {
        measured(state, log, choice)
    }
}

impl PieceQuery for Impacts<'_> {
    type Output = Answers<TimeOfImpact>;
    const NEEDS_RELATIONS: bool = false;

    fn check(&self) -> Result<()> {
        self.options.check()
    }

    async fn run(self, given: Given<'_, '_>) -> Result<Self::Output> {
        let Given { prepared, pairs, drive, .. } = given;
        let start = Instant::now();
        self.check()?;
        let sets = prepared.sets();
        check_motions(sets[0], self.motions_a, self.options.step, PairSide::A)?;
        check_motions(sets[1], self.motions_b, self.options.step, PairSide::B)?;
        let motions = Motions { of_a: self.motions_a, of_b: self.motions_b, options: &self.options };
        let mut state = ImpactList::new(pairs.len(), prepared.moving(motions)?, sets)?;
        let pack = start.elapsed();
        let mut log = prepared.drive(&mut List::new(pairs, sets), &mut state, drive).await?;
        log.counts.candidate_object_pairs = pairs.len() as u64;
        log.timings.pack += pack;
        log.timings.total += pack;
        let mut answers = log.answers(state.impacts, prepared.choice());
        answers.counts.refined = state.refined;
        Ok(answers)
    }
}

/// Implements the queries on pairs of pieces in which one piece or both pieces are rounded.
macro_rules! of_rounded {
    ($($a:ty, $b:ty;)+) => {$(
        impl ListPart<$a, $b> for Relations {
            type State<'a> = Measurements<'a, PiecePenetrations>;

            fn begin(self, sides: [Rounded<'_>; 2], count: usize) -> Result<Self::State<'_>> {
                Measurements::new(count, PiecePenetrations, sides)
            }

            fn finish(
                state: Self::State<'_>,
                pairs: &[[u32; 2]],
                log: &Log,
                choice: &Choice,
            ) -> Self::Output {
                let sides = state.sides;
                let answers = measured(state, log, choice);
                let relation = |(&pair, found): (&[u32; 2], &Penetration)| {
                    shape_relation(sides, pair, found.separation)
                };
                let relations: Vec<Relation> = pairs.iter().zip(&answers).map(relation).collect();
                let count = |of| relations.iter().filter(|&&relation| relation == of).count() as u64;
                let mut counts = answers.counts;
                counts.touching = count(Relation::Touching);
                counts.overlapping = count(Relation::Overlapping);
                Answers { counts, ..log.answers(relations, choice) }
            }
        }

        impl PieceQuery<$a, $b> for Containments {
            type Output = Answers<Containment>;
            const NEEDS_RELATIONS: bool = false;
            const IS_ON_HOST: bool = true;

            async fn run(self, given: Given<'_, '_>) -> Result<Self::Output> {
                let mut log = Log::new();
                let containments = shape_containments(given.sides, given.pairs)?;
                log.timings.exact = log.start.elapsed();
                log.timings.total = given.prepared.preparation();
                log.counts.candidate_pairs = given.pairs.len() as u64;
                log.counts.candidate_object_pairs = given.pairs.len() as u64;
                given.drive.report(given.pairs.len() as u64);
                Ok(log.answers(containments, given.prepared.choice()))
            }
        }
    )+};
}

of_rounded! {
    PolygonSet, RoundedSet;
    RoundedSet, PolygonSet;
    RoundedSet, RoundedSet;
}
