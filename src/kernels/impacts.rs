//! Computes times of impact of candidate pairs of moving polygons. A backend computes the times in f32. If f32 does not
//! decide a pair, the host computes the time in f64.

use glam::DVec2;

use super::cpu::figures::{impact, motion, moving, touch};
use super::log::Log;
use super::proposer::{Hint, Known, Proposer};
use crate::answers::impact::{ImpactOutcome, TimeOfImpact, TimeOfImpactOptions};
use crate::answers::pair::{Motion, PairFeature, PairFeatures};
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::geometry::Pieces;
use crate::kernels::measurements::Frame;
use crate::packed::layout::{
    FEATURE_IS_EDGE, IMPACT_HIT, IMPACT_OVERLAPS, IMPACT_STEPS_SHIFT, ImpactRecord, MotionRecord,
    UNCERTAIN_FIGURE,
};

/// The motion of each object of both sides, and the options of a query for times of impact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motions<'a> {
    pub(crate) of_a: &'a [Motion],
    pub(crate) of_b: &'a [Motion],
    pub(crate) options: &'a TimeOfImpactOptions,
}

/// The motions of a query. `records` has one record for each piece of A, and one record for each piece of B.
#[derive(Debug)]
pub(crate) struct Moving<'a> {
    motions: Motions<'a>,
    records: [Vec<MotionRecord>; 2],
}

/// Kernels use this tolerance in place of any greater tolerance, in quanta of the [`Grid`](crate::packed::grid::Grid).
/// It is greater than any distance, and a sum of a few such tolerances still fits an f32.
const MOST_TOLERANCE: f32 = f32::from_bits((127 + 50) << 23);

/// The kernel for times of impact.
#[cfg(feature = "gpu")]
pub(crate) struct TimesOfImpact;

#[cfg(feature = "gpu")]
impl super::measurements::Shader for TimesOfImpact {
    type Record = ImpactRecord;
    const SOURCE: (&'static str, &'static [&'static str]) =
        ("sat2d time of impact", crate::packed::wgsl::wgsl!("closest", "time_of_impact"));
    const MOVES: bool = true;
}

impl Proposer<'_> {
    /// Creates the records of the motions of all pieces. On a CPU, packs the pieces first, and returns the error of
    /// [`super::proposer::OnCpu::scene`] if they cannot be packed.
    pub(crate) fn moving<'a>(&mut self, motions: Motions<'a>, [a, b]: [Pieces<'_>; 2]) -> Result<Moving<'a>> {
        match self {
            // The records of motions need the anchors of the polygons' records.
            Self::Cpu(on_cpu) => {
                on_cpu.scene([a, b])?;
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(_) => {}
        }
        let step = motions.options.step;
        let of = |pieces: Pieces<'_>, motions: &[Motion], frame: &(dyn Fn(u32) -> Frame + Sync)| {
            let record = |place: usize| {
                let Frame { origin, quantum } = frame(place as u32);
                motion::record(pieces.piece(place), &motions[pieces.object(place)], step, origin, quantum)
            };
            (0..pieces.count()).into_par_iter().map(record).collect()
        };
        let of_a = of(a, motions.of_a, &|place| self.frame(place, false));
        let of_b = of(b, motions.of_b, &|place| self.frame(place, true));
        Ok(Moving { motions, records: [of_a, of_b] })
    }

    /// Sets `known.impacts` to the impact of each pair, computed in f32 from the motions in `hint`. If `hint` has no
    /// motions, the list stays empty. Returns a device error, or on a CPU the error of packing the pieces.
    #[cfg_attr(not(feature = "gpu"), allow(clippy::unused_async, unused_variables))]
    pub(crate) async fn impacts(
        &mut self,
        hint: Hint<'_>,
        sides: [Pieces<'_>; 2],
        pairs: &[[u32; 2]],
        known: &mut Known,
        log: &mut Log,
    ) -> Result<()> {
        known.impacts.clear();
        let Some(moving) = hint.impacts else { return Ok(()) };
        let out = &mut known.impacts;
        let [records_a, records_b] = &moving.records;
        let in_quanta =
            |quantum: f64| ((moving.motions.options.tolerance / quantum) as f32).min(MOST_TOLERANCE);
        match self {
            Self::Cpu(on_cpu) => {
                let tolerance = in_quanta(on_cpu.grid.quantum);
                if let Some(scene) = on_cpu.scene(sides)? {
                    *out = moving::records_of(scene, [records_a, records_b], pairs, tolerance);
                }
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(session) => {
                let tolerance = in_quanta(session.packed().grid.quantum);
                let motions = Some([&records_a[..], &records_b[..]]);
                *out = session.figures::<TimesOfImpact>(pairs, tolerance, motions, &mut log.timings).await?;
            }
        }
        Ok(())
    }

    /// Returns the frame of a piece's record: the position of the piece's anchor, and the quantum. `place` is the index
    /// of the piece in A, or in B if `of_b` is set.
    fn frame(&self, place: u32, of_b: bool) -> Frame {
        let (grid, anchor) = match self {
            Self::Cpu(on_cpu) => {
                let records = on_cpu.b.as_ref().filter(|_| of_b).or(on_cpu.a.as_ref());
                (on_cpu.grid, records.map_or([0, 0], |records| records.head(place).anchor))
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(session) => {
                let packed = session.packed();
                let index = if of_b { place + packed.b_offset } else { place };
                (packed.grid, packed.records.polygons[index as usize].anchor)
            }
        };
        let origin: DVec2 = grid.position(anchor.into());
        Frame { origin, quantum: grid.quantum }
    }
}

impl Moving<'_> {
    /// Returns the time at which each pair of pieces first touches. Also returns the number of pairs whose time was
    /// computed in f64, because they have no f32 record or their record is uncertain.
    pub(crate) fn times_of_impact(
        &self,
        sides: [Pieces<'_>; 2],
        pairs: &[[u32; 2]],
        records: &[Option<ImpactRecord>],
    ) -> (Vec<TimeOfImpact>, u64) {
        let of_pair = |(&pair, &record): (&[u32; 2], _)| self.time_of_impact(sides, pair, record);
        let found: Vec<(TimeOfImpact, bool)> = pairs.par_iter().zip(records).map(of_pair).collect();
        let refined = found.iter().filter(|(_, is_refined)| *is_refined).count() as u64;
        (found.into_iter().map(|(impact, _)| impact).collect(), refined)
    }

    /// Returns the time at which two pieces first touch, from the record of a kernel or computed in f64. The flag is
    /// true if f64 computed the time.
    fn time_of_impact(
        &self,
        [a, b]: [Pieces<'_>; 2],
        [i, j]: [u32; 2],
        record: Option<ImpactRecord>,
    ) -> (TimeOfImpact, bool) {
        let Motions { of_a, of_b, options } = self.motions;
        let (i, j) = (i as usize, j as usize);
        let pieces = (a.piece(i), b.piece(j));
        let motions = [&of_a[a.object(i)], &of_b[b.object(j)]];
        let certain = record.filter(|record| record.word & UNCERTAIN_FIGURE == 0);
        let found = certain.and_then(|record| answer(&record, pieces, motions, options));
        let refined = found.is_none();
        (found.unwrap_or_else(|| impact::time_of_impact(pieces.0, pieces.1, motions, options)), refined)
    }
}

/// Converts a kernel's record of an impact to the caller's result. Returns `None` if the record took more iterations
/// than the options allow, or if its contact has no direction.
pub(in crate::kernels) fn answer(
    record: &ImpactRecord,
    pieces: (crate::geometry::Piece<'_>, crate::geometry::Piece<'_>),
    motions: [&Motion; 2],
    options: &TimeOfImpactOptions,
) -> Option<TimeOfImpact> {
    let iterations = record.word >> IMPACT_STEPS_SHIFT;
    if iterations > options.most_iterations {
        return None;
    }
    let outcome = match record.word & ((1 << IMPACT_STEPS_SHIFT) - 1) {
        IMPACT_HIT => ImpactOutcome::Hit,
        IMPACT_OVERLAPS => ImpactOutcome::OverlappingAtStart,
        _ => {
            return Some(TimeOfImpact { outcome: ImpactOutcome::Apart, time: 1.0, impact: None, iterations });
        }
    };
    let feature = |word: u32| {
        let index = word & (FEATURE_IS_EDGE - 1);
        if word & FEATURE_IS_EDGE == 0 { PairFeature::Vertex(index) } else { PairFeature::Edge(index) }
    };
    let features = PairFeatures { a: feature(record.feature_a), b: feature(record.feature_b) };
    let time = f64::from(record.time);
    let overlaps = outcome == ImpactOutcome::OverlappingAtStart;
    let impact = touch::impact(pieces, motions, features, time * options.step, overlaps)?;
    Some(TimeOfImpact { outcome, time, impact: Some(impact), iterations })
}
