//! Computes measurements of candidate pairs in f64 on the host. A device proposes the edges that the measurements use.

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
use crate::answers::bounds::FIGURE_BOUND;
#[cfg(feature = "gpu")]
use crate::answers::pair::PairEdge;
#[cfg(feature = "gpu")]
use crate::answers::results::Relation;
use crate::base::error::Result;
#[cfg(feature = "gpu")]
use crate::base::side::PairSide;
use crate::geometry::Aabb;
#[cfg(feature = "gpu")]
use crate::packed::layout::{EDGE_OF_B, EdgeRecord, FIGURE_INDEX, ManifoldRecord, Polygon, UNCERTAIN_FIGURE};

/// A kind of measurement of a pair of convex pieces, such as a distance.
pub(crate) trait Figure: Copy + Send + Sync + 'static {
    /// The type of the measurement that the caller gets.
    type Output: Clone + Send + Sync;

    /// Measures a pair in f64, in the caller's unit. Writes the result directly to its place in memory, because a copy
    /// of data that was just written is slow.
    fn measure<'o, S: Select>(
        self,
        pair: Measured<'_, '_, S>,
        out: &'o mut MaybeUninit<Self::Output>,
    ) -> &'o mut Self::Output;
}

/// The measurement of the distance between the two pieces of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PieceDistances {
    /// The limit on the distances of interest. A computed distance is at most the limit if and only if the true
    /// distance is at most the limit.
    pub(crate) within: f64,
}

impl PieceDistances {
    /// The measurement of distances without a limit.
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
/// The measurement of the penetration of the two pieces of a pair.
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
/// The measurement of the contact manifold of the two pieces of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PieceManifolds {
    /// The greatest gap of a contact point, in the caller's unit. It is 0 or more.
    margin: f64,
}

impl PieceManifolds {
    /// Returns the measurement of manifolds with the given margin. Returns an error if the margin is negative, NaN or
    /// more than 2^201.
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
/// A kernel on a device that computes a record for each pair.
#[cfg(feature = "gpu")]
pub(crate) trait Shader: 'static {
    /// The type of the record that the kernel writes for each pair.
    type Record: Pod + Send + Sync;
    /// The name of the kernel, and the texts of the source files that only this kernel uses.
    const SOURCE: (&'static str, &'static [&'static str]);
    /// Whether the kernel reads motions, because its polygons move.
    const MOVES: bool;
}

/// The kernel that finds the edge that determines the measurements of a pair.
#[cfg(feature = "gpu")]
pub(crate) struct SoleEdges;

#[cfg(feature = "gpu")]
impl Shader for SoleEdges {
    type Record = EdgeRecord;
    const SOURCE: (&'static str, &'static [&'static str]) =
        ("sat2d sole edge", crate::packed::wgsl::wgsl!("sole_edge"));
    const MOVES: bool = false;
}

/// The kernel that computes the contact manifolds of worlds.
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

/// The origin and the unit of the lengths in a kernel's record, with which the host converts them to the caller's unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The position of A's anchor in the world, in the caller's unit.
    pub(crate) origin: DVec2,
    /// The length of a quantum, in the caller's unit.
    pub(crate) quantum: f64,
}

impl Proposer<'_> {
    /// Sets `known.edges`, which has one entry for each pair: the edge that the device proposes, or `None`. The entry
    /// is `None` if the device is uncertain or if `edges` excludes the pair. With [`Edges::None`], the list stays
    /// empty. It also stays empty on the CPU, because no CPU kernel proposes edges. Returns a device error if the
    /// device fails.
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
            let packed = session.packed();
            let of_record = |(record, &[i, j]): (&Option<EdgeRecord>, &[u32; 2])| {
                let polygon = |index: u32| packed.records.polygons[index as usize];
                let size = packed_size(polygon(i), polygon(j + packed.b_offset));
                record.and_then(|record| proposal(record, size, quantum))
            };
            let mut found = records.iter().zip(&*wanted).map(of_record);
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

/// Returns the edge that a device's record proposes, with its gap. Returns `None` if the device is uncertain. `size` is the
/// size of the packed pair. The error of the record's gap is at most [`FIGURE_BOUND`] times this size. If the error may
/// change the sign of the gap, the returned gap is 0.
#[cfg(feature = "gpu")]
fn proposal(EdgeRecord { separation, edge }: EdgeRecord, size: f64, quantum: f64) -> Option<Proposal> {
    let side = if edge & EDGE_OF_B == 0 { PairSide::A } else { PairSide::B };
    let index = edge & FIGURE_INDEX;
    let separation = f64::from(separation);
    let has_sign = separation.abs() > 2.0 * FIGURE_BOUND * size;
    let proposal = Proposal {
        edge: (index != FIGURE_INDEX).then_some(PairEdge { side, index }),
        separation: if has_sign { separation * quantum } else { 0.0 },
    };
    (edge & UNCERTAIN_FIGURE == 0).then_some(proposal)
}

/// Returns an upper bound on the size of a packed pair, in quanta. `size_of_pair` of the shaders computes this size. If
/// a quantum is larger than the polygons, the vertices are far from their anchors, and the size of the packed pair is
/// much larger than the pair.
#[cfg(feature = "gpu")]
fn packed_size(a: Polygon, b: Polygon) -> f64 {
    let apart = |k: usize| (i64::from(a.anchor[k]) - i64::from(b.anchor[k])).unsigned_abs() as f64;
    f64::from(a.radius()) + f64::from(b.radius()) + apart(0).max(apart(1))
}

/// Returns the size of a pair, in the caller's unit, from the boxes of its two pieces: half of the longer side of each
/// box, plus the greater coordinate difference of the centres. The error bound [`crate::FIGURE_BOUND`] is relative to
/// this size.
pub fn size_of_pair(boxes: [Aabb; 2]) -> f64 {
    let [(a, extent_a), (b, extent_b)] =
        boxes.map(|b| ((b.min + b.max) * 0.5, ((b.max - b.min) * 0.5).max_element()));
    extent_a + extent_b + (a - b).abs().max_element()
}
