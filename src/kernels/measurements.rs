//! Candidate pairs to measurements: evaluated in f64 on the host; a device proposes the edges that they are over.

use crate::answers::distance::Distance;
use crate::answers::manifold::Manifold;
use crate::answers::penetration::Penetration;
use crate::geometry::limits::checked_distance;
#[cfg(feature = "gpu")]
use std::borrow::Cow;
use std::mem::MaybeUninit;

#[cfg(feature = "gpu")]
use bytemuck::Pod;
use glam::DVec2;

#[cfg(feature = "gpu")]
use super::cpu::measure::Proposal;
use super::cpu::measure::{Measured, Select};
use super::log::Log;
use super::proposer::{Edges, Known, Proposer};
#[cfg(feature = "gpu")]
use crate::answers::pair::PairEdge;
#[cfg(feature = "gpu")]
use crate::answers::results::Relation;
use crate::base::error::Result;
#[cfg(feature = "gpu")]
use crate::base::side::PairSide;
use crate::geometry::Aabb;
#[cfg(feature = "gpu")]
use crate::packed::layout::{EDGE_OF_B, EdgeRecord, FIGURE_INDEX, ManifoldRecord, UNCERTAIN_FIGURE};

/// Something that is measured of a pair of convex pieces.
pub(crate) trait Figure: Copy + Send + Sync + 'static {
    /// What the caller gets.
    type Output: Clone + Send + Sync;

    /// The measurement, in f64 and of the caller's unit, written where it is to be: to copy what was just written takes long.
    fn measure<'o, S: Select>(
        self,
        pair: Measured<'_, '_, S>,
        out: &'o mut MaybeUninit<Self::Output>,
    ) -> &'o mut Self::Output;
}

/// Measures the distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PieceDistances {
    /// A distance is at most this if and only if the true one is.
    pub(crate) within: f64,
}

impl PieceDistances {
    /// Without a distance that matters.
    pub(crate) const ALL: Self = Self { within: f64::MAX };
}

impl Figure for PieceDistances {
    type Output = Distance;

    #[inline(always)]
    fn measure<'o, S: Select>(
        self,
        pair: Measured<'_, '_, S>,
        out: &'o mut MaybeUninit<Distance>,
    ) -> &'o mut Distance {
        pair.distance(self.within, out)
    }
}
/// Measures the penetration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PiecePenetrations;

impl Figure for PiecePenetrations {
    type Output = Penetration;

    #[inline(always)]
    fn measure<'o, S: Select>(
        self,
        pair: Measured<'_, '_, S>,
        out: &'o mut MaybeUninit<Penetration>,
    ) -> &'o mut Penetration {
        out.write(pair.penetration())
    }
}
/// Computes the manifold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PieceManifolds {
    /// In the caller's unit, 0 or more.
    margin: f64,
}

impl PieceManifolds {
    /// An error where the margin is no distance.
    pub(crate) fn new(margin: f64) -> Result<Self> {
        Ok(Self { margin: checked_distance("margin", margin)? })
    }
}

impl Figure for PieceManifolds {
    type Output = Manifold;

    #[inline(always)]
    fn measure<'o, S: Select>(
        self,
        pair: Measured<'_, '_, S>,
        out: &'o mut MaybeUninit<Manifold>,
    ) -> &'o mut Manifold {
        pair.manifold(self.margin, out)
    }
}
/// A kernel on a device.
#[cfg(feature = "gpu")]
pub(crate) trait Shader: 'static {
    /// What it gives of a pair.
    type Record: Pod + Send + Sync;
    /// The files of its source that no other kernel has, and their name.
    const SOURCE: (&'static str, &'static [&'static str]);
    /// Whether its polygons move.
    const MOVES: bool;
}

/// The edge that measurements of a pair are over.
#[cfg(feature = "gpu")]
pub(crate) struct SoleEdges;

#[cfg(feature = "gpu")]
impl Shader for SoleEdges {
    type Record = EdgeRecord;
    const SOURCE: (&'static str, &'static [&'static str]) =
        ("sat2d sole edge", crate::packed::wgsl::wgsl!("sole_edge"));
    const MOVES: bool = false;
}

/// The contact points of worlds.
#[cfg(feature = "gpu")]
#[cfg_attr(not(any(feature = "sim", test)), allow(dead_code, reason = "worlds are not built"))]
pub(crate) struct WorldManifolds;

#[cfg(feature = "gpu")]
impl Shader for WorldManifolds {
    type Record = ManifoldRecord;
    const SOURCE: (&'static str, &'static [&'static str]) =
        ("sat2d manifold", crate::packed::wgsl::wgsl!("closest", "manifold"));
    const MOVES: bool = false;
}

/// What a record counts from, and in what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Where A's anchor lies in the world.
    pub(crate) origin: DVec2,
    /// In the caller's unit.
    pub(crate) quantum: f64,
}

impl Proposer<'_> {
    /// The edge of each pair of which the device is certain. Nothing on a CPU, where no kernel proposes edges.
    #[cfg_attr(not(feature = "gpu"), allow(clippy::unused_async, unused_variables))]
    pub(crate) async fn edges(
        &mut self,
        edges: Edges,
        pairs: &[[u32; 2]],
        known: &mut Known,
        log: &mut Log,
    ) -> Result<()> {
        known.edges.clear();
        #[cfg(feature = "gpu")]
        if let Self::Gpu(session) = self {
            let quantum = session.packed().grid.quantum;
            let is_wanted = |relation: &Relation| match edges {
                Edges::None => false,
                Edges::Meeting => *relation != Relation::Disjoint,
                Edges::All => true,
            };
            let wanted: Cow<'_, [[u32; 2]]> = match edges {
                Edges::None => return Ok(()),
                Edges::All => Cow::Borrowed(pairs),
                Edges::Meeting => {
                    let wanted = pairs.iter().zip(&known.relations).filter(|(_, known)| is_wanted(known));
                    wanted.map(|(pair, _)| *pair).collect()
                }
            };
            let records = session.figures::<SoleEdges>(&wanted, 0.0, None, &mut log.timings).await?;
            let mut found = records.iter().map(|record| record.and_then(|record| proposal(record, quantum)));
            if edges == Edges::All {
                known.edges.extend(found);
            } else {
                let of_pair = |known: &Relation| if is_wanted(known) { found.next().flatten() } else { None };
                known.edges.extend(known.relations.iter().map(of_pair));
            }
        }
        Ok(())
    }
}

/// The edge of a record that is certain.
#[cfg(feature = "gpu")]
fn proposal(EdgeRecord { separation, edge }: EdgeRecord, quantum: f64) -> Option<Proposal> {
    let side = if edge & EDGE_OF_B == 0 { PairSide::A } else { PairSide::B };
    let index = edge & FIGURE_INDEX;
    let proposal = Proposal {
        edge: (index != FIGURE_INDEX).then_some(PairEdge { side, index }),
        separation: f64::from(separation) * quantum,
    };
    (edge & UNCERTAIN_FIGURE == 0).then_some(proposal)
}

/// Of which [`crate::FIGURE_BOUND`] is a part, in the caller's unit.
pub(crate) fn size_of_pair(boxes: [Aabb; 2]) -> f64 {
    let [(a, extent_a), (b, extent_b)] =
        boxes.map(|b| ((b.min + b.max) * 0.5, ((b.max - b.min) * 0.5).max_element()));
    extent_a + extent_b + (a - b).abs().max_element()
}
