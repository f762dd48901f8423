//! Relations and several measurements of the same pairs, in one walk.

use std::time::Duration;

use super::join::Relations;
use super::measuring_join::Measuring;
use super::nearest_pieces::MANY_PAIRS;
use super::walk::Walk;
use crate::answers::distance::Distance;
use crate::answers::manifold::Manifold;
use crate::answers::measured::FigureJoin;
use crate::answers::penetration::Penetration;
use crate::answers::results::Join;
use crate::base::error::Result;
use crate::geometry::limits::checked_distance;
use crate::geometry::{PolygonSet, Rounded};
use crate::kernels::backends::Backends;
use crate::queries::options::JoinOptions;

/// What a caller asks for of all pairs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    /// The relations of pairs that meet.
    pub(crate) relations: bool,
    /// The distances of pairs that are at most this far apart.
    pub(crate) within: Option<f64>,
    /// The penetrations of pairs that meet.
    pub(crate) penetrations: bool,
    /// The manifolds of pairs that are at most this far apart.
    pub(crate) manifolds: Option<f64>,
}

/// The answers that were wanted.
pub(crate) struct Together {
    pub(crate) join: Option<Join>,
    pub(crate) distances: Option<FigureJoin<Distance>>,
    pub(crate) penetrations: Option<FigureJoin<Penetration>>,
    pub(crate) manifolds: Option<FigureJoin<Manifold>>,
}

impl Backends {
    /// Answers all queries in one walk. Only the distances of objects of very many pieces have a walk of their own, which visits the
    /// pairs of pieces that may be the nearest.
    pub(crate) async fn together(
        &self,
        a: &PolygonSet,
        other: Option<&PolygonSet>,
        options: &JoinOptions<'_>,
        wanted: &Wanted,
    ) -> Result<Together> {
        let (a, other) = (Rounded::plain(a), other.map(Rounded::plain));
        let mut walk = Walk::new(a, other);
        walk.drive = options.drive()?;
        let mut apart = None;
        if let Some(within) = wanted.within {
            walk.reach = checked_distance("distance", within)?;
            walk.many_pairs = MANY_PAIRS;
            if walk.is_of_nearest() {
                apart = Some(self.measured(&walk, Measuring::distances(&walk, within)?).await?);
                walk.reach = 0.0;
            }
            walk.many_pairs = usize::MAX;
        }
        let within = wanted.within.filter(|_| apart.is_none());
        walk.reach = walk.reach.max(wanted.manifolds.unwrap_or(0.0));
        if within.is_some() || wanted.penetrations || wanted.manifolds.is_some() {
            walk.sort();
        }
        let relations = wanted.relations.then(|| Relations::new(&walk, options));
        let distances = within.map(|within| Measuring::distances(&walk, within)).transpose()?;
        let penetrations = wanted.penetrations.then(|| Measuring::penetrations(&walk));
        let manifolds = wanted.manifolds.map(|margin| Measuring::manifolds(&walk, margin)).transpose()?;
        let mut query = ((relations, distances), (penetrations, manifolds));
        let mut walked = self.measure(&walk, &mut query).await?;
        let ((relations, distances), (penetrations, manifolds)) = query;
        walked.log.timings.measure += apart.as_ref().map_or(Duration::ZERO, |join| join.time);
        let near = distances.map(|query| query.finish(&mut walked)).transpose()?;
        Ok(Together {
            distances: apart.or(near),
            penetrations: penetrations.map(|query| query.finish(&mut walked)).transpose()?,
            manifolds: manifolds.map(|query| query.finish(&mut walked)).transpose()?,
            join: relations.map(|query| query.finish(walked)).transpose()?,
        })
    }
}
