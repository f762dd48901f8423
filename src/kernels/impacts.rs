//! Candidate pairs of moving polygons to times of impact: on a backend in f32, and again in f64 where that does not tell.

use glam::DVec2;

use super::NarrowPhase;
use super::cpu::figures::{impact, motion, moving, touch};
use crate::answers::impact::{ImpactOutcome, TimeOfImpact, TimeOfImpactOptions};
use crate::answers::pair::{Motion, PairFeature, PairFeatures};
use crate::answers::results::Timings;
use crate::base::error::Result;
use crate::base::parallel::prelude::*;
use crate::geometry::Pieces;
use crate::kernels::measurements::Frame;
use crate::packed::layout::{
    FEATURE_IS_EDGE, IMPACT_HIT, IMPACT_OVERLAPS, IMPACT_STEPS_SHIFT, ImpactRecord, MotionRecord,
    UNCERTAIN_FIGURE,
};

/// What is asked: a motion an object of either side.
#[derive(Clone, Copy)]
pub(crate) struct Motions<'a> {
    pub(crate) of_a: &'a [Motion],
    pub(crate) of_b: &'a [Motion],
    pub(crate) options: &'a TimeOfImpactOptions,
}

/// The same with the record of each piece, of A and of B.
pub(crate) struct Moving<'a> {
    motions: Motions<'a>,
    records: [Vec<MotionRecord>; 2],
}

/// Beyond any distance, in quanta, and with room for sums of such in f32.
const MOST_TOLERANCE: f32 = f32::from_bits((127 + 50) << 23);

/// The kernel.
#[cfg(feature = "gpu")]
pub(crate) struct TimesOfImpact;

#[cfg(feature = "gpu")]
impl super::measurements::Shader for TimesOfImpact {
    type Record = ImpactRecord;
    const SOURCE: (&'static str, &'static [&'static str]) =
        ("sat2d time of impact", crate::packed::wgsl::wgsl!("closest", "time_of_impact"));
    const MOVES: bool = true;
}

impl NarrowPhase<'_> {
    /// Makes the records of motions.
    pub(crate) fn moving<'a>(
        &mut self,
        motions: Motions<'a>,
        (a, b): (Pieces<'_>, Pieces<'_>),
    ) -> Result<Moving<'a>> {
        if let Self::Cpu(on_cpu) = self {
            // Anchors are those of the records.
            on_cpu.scene(a, b)?;
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

    /// When each pair of pieces touches, appended to `out` in the order of `pairs`, and how many were computed in f64.
    #[cfg_attr(not(feature = "gpu"), allow(clippy::unused_async))]
    pub(crate) async fn impacts(
        &mut self,
        moving: &Moving<'_>,
        (a, b): (Pieces<'_>, Pieces<'_>),
        pairs: &[[u32; 2]],
        out: &mut Vec<TimeOfImpact>,
        timings: &mut Timings,
    ) -> Result<u64> {
        let Motions { of_a, of_b, options } = moving.motions;
        let [records_a, records_b] = &moving.records;
        let records: Vec<Option<ImpactRecord>> = match self {
            Self::Cpu(on_cpu) => {
                let tolerance = ((options.tolerance / on_cpu.grid.quantum) as f32).min(MOST_TOLERANCE);
                let Some(scene) = on_cpu.scene(a, b)? else { return Ok(0) };
                moving::records_of(scene, [records_a, records_b], pairs, tolerance)
            }
            #[cfg(feature = "gpu")]
            Self::Gpu { session } => {
                let quantum = session.packed().grid.quantum;
                let tolerance = ((options.tolerance / quantum) as f32).min(MOST_TOLERANCE);
                let motions = Some([&records_a[..], &records_b[..]]);
                session.figures::<TimesOfImpact>(pairs, tolerance, motions, timings).await?
            }
            #[cfg(not(feature = "gpu"))]
            Self::Never(never, _) => match *never {},
        };
        #[cfg(not(feature = "gpu"))]
        let _ = timings;
        let figure_of = |(&[i, j], record): (&[u32; 2], &Option<ImpactRecord>)| {
            let (i, j) = (i as usize, j as usize);
            let pieces = (a.piece(i), b.piece(j));
            let motions = [&of_a[a.object(i)], &of_b[b.object(j)]];
            let certain = record.filter(|record| record.word & UNCERTAIN_FIGURE == 0);
            let found = certain.and_then(|record| answer(&record, pieces, motions, options));
            let refined = found.is_none();
            (found.unwrap_or_else(|| impact::time_of_impact(pieces.0, pieces.1, motions, options)), refined)
        };
        let found: Vec<(TimeOfImpact, bool)> = pairs.par_iter().zip(&records).map(figure_of).collect();
        let refined = found.iter().filter(|(_, refined)| *refined).count() as u64;
        out.extend(found.into_iter().map(|(found, _)| found));
        Ok(refined)
    }

    /// Where the anchor of a piece of A, or of B, lies.
    fn frame(&self, place: u32, of_b: bool) -> Frame {
        let (grid, anchor) = match self {
            Self::Cpu(on_cpu) => {
                let records = on_cpu.b.as_ref().filter(|_| of_b).or(on_cpu.a.as_ref());
                (on_cpu.grid, records.map_or([0, 0], |records| records.head(place).anchor))
            }
            #[cfg(feature = "gpu")]
            Self::Gpu { session } => {
                let packed = session.packed();
                let index = if of_b { place + packed.b_offset } else { place };
                (packed.grid, packed.records.polygons[index as usize].anchor)
            }
            #[cfg(not(feature = "gpu"))]
            Self::Never(never, _) => match *never {},
        };
        let origin: DVec2 = grid.position(anchor.into());
        Frame { origin, quantum: grid.quantum }
    }
}

/// A record as the caller gets it; none where it took more iterations than are allowed.
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
