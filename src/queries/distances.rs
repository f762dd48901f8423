//! Joins that measure distances. A distance query runs together with other queries in one [`Walk`]
//! over the candidate pairs, or in a walk of its own.

use std::time::Duration;

use super::drive::Query;
use super::join::Meetings;
use super::joins::{Request, UsedOptions};
use super::kinds::Distances;
use super::measuring_join::Measuring;
use super::nearest_pieces::MANY_PAIRS;
use super::shared::Part;
use super::walk::{Walk, Walked};
use crate::answers::distance::Distance;
use crate::answers::envelope::Answers;
use crate::answers::measured::MeasuredPair;
use crate::base::error::{Error, Result};
use crate::geometry::Shapes;
use crate::geometry::limits::checked_distance;
use crate::kernels::log::Log;
use crate::kernels::measurements::PieceDistances;
use crate::kernels::proposer::{Hint, Known, Uses};

/// The state of a query of distances, which collects measurements while the join visits the candidate pairs.
pub(super) struct Near<'a> {
    /// The measurement and the selection of pairs on the shared walk. The measurement is `None` if `apart` has the
    /// distances. The selection is `None` if the caller did not set [`Join::keep`](crate::Join::keep).
    shared: (Option<Measuring<'a, PieceDistances>>, Option<Meetings<'a>>),
    /// The distances from a separate walk over only the pieces that may be the nearest. `None` if no two objects can
    /// have very many pairs of pieces, because the distances then come from the shared walk.
    apart: Option<Answers<MeasuredPair<Distance>>>,
}

impl Uses for Near<'_> {
    const RELATIONS: bool = true;
    const EDGES: bool = true;
}

impl Query for Near<'_> {
    fn hint(&self) -> Hint<'_> {
        self.shared.hint()
    }

    fn take(&mut self, pairs: &[[u32; 2]], known: &Known, log: &mut Log, chunk: u32) -> Result<()> {
        self.shared.take(pairs, known, log, chunk)
    }
}

/// Returns a separate walk that visits only the pieces that may be the nearest. Returns `None` if no two objects can
/// have more than [`MANY_PAIRS`] pairs of pieces.
fn walk_apart<'a>(request: &Request<'a>, within: f64) -> Option<Walk<'a>> {
    let mut walk = Walk::new(request.a, request.other);
    (walk.drive, walk.reach, walk.many_pairs) = (request.drive, within, MANY_PAIRS);
    walk.is_of_nearest().then_some(walk)
}

fn within_of(request: &Request<'_>) -> Result<f64> {
    let Some(within) = request.within else {
        let (option, value) = ("within", "none".into());
        let problem = "must be given for `Distances`; `within(0.0)` returns the pairs that meet";
        return Err(Error::Option { option, value, problem });
    };
    checked_distance("within", within)
}

impl<A: Shapes, B: Shapes> Part<A, B> for Distances {
    type State<'a> = Near<'a>;

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

    fn own_walk_time<'a>(state: &Near<'a>) -> Duration {
        state.apart.as_ref().map_or(Duration::ZERO, |answers| answers.timings.total)
    }

    fn finish<'a>(state: Near<'a>, walked: &mut Walked) -> Result<Self::Output> {
        let Near { shared: (measuring, meetings), apart } = state;
        let mut answers = match (measuring, apart) {
            (Some(measuring), _) => measuring.finish(walked)?,
            (None, Some(answers)) => answers,
            (None, None) => unreachable!("distances are measured in one of two walks"),
        };
        if let Some(meetings) = meetings {
            let mut kept = meetings.pairs(walked)?.into_iter().peekable();
            answers.items.retain(|pair| {
                let key = (pair.a, pair.b);
                while kept.next_if(|kept| (kept.a, kept.b) < key).is_some() {}
                kept.next_if(|kept| (kept.a, kept.b) == key).is_some()
            });
        }
        Ok(answers)
    }
}
