//! `--stats`: writes counts, and the seconds of each stage, as JSON.

use std::io::Write;
use std::time::Duration;

use serde::Serialize;

use super::input::Side;
use super::measure::Answer;
use crate::error::{Error, Result};
use sat2d_io::Output;

/// The whole of it. Names are part of the interface.
#[derive(Debug, Serialize)]
pub(super) struct Statistics {
    version: &'static str,
    backend: &'static str,
    adapter: Option<String>,
    reason: String,
    threads: usize,
    a: SideStatistics,
    b: Option<SideStatistics>,
    pairs: PairStatistics,
    check: Option<CheckStatistics>,
    seconds: Seconds,
}

#[derive(Debug, Serialize)]
struct SideStatistics {
    objects: usize,
    points: usize,
    pieces: usize,
    vertices: usize,
    skipped_invalid: usize,
    null_geometries: usize,
    empty_geometries: usize,
    empty_polygons: usize,
    third_ordinates_ignored: usize,
    rings_closed: usize,
    ids_missing: usize,
    ids_repeated: usize,
    ids_told_apart: usize,
    ids_with_controls: usize,
    repeated_vertices: usize,
    collinear_vertices: usize,
    reversed_rings: usize,
    retraced_edges: usize,
    touching_vertices: usize,
}

#[derive(Debug, Serialize)]
struct PairStatistics {
    /// The number of candidate pairs of objects. It is not counted if A has points.
    candidates_of_objects: Option<u64>,
    candidates_of_pieces: u64,
    /// The number of overlapping pairs. For points, the number of pairs with the relation `inside`.
    overlapping: u64,
    /// The number of touching pairs. For points, the number of pairs with the relation `boundary`.
    touching: u64,
    apart: u64,
    written: usize,
    uncertain: u64,
    oversized: u64,
    refined: u64,
}

#[derive(Debug, Serialize)]
struct CheckStatistics {
    pairs: u64,
    agreements: u64,
    disagreements: u64,
}

#[derive(Debug, Serialize)]
struct Seconds {
    read: f64,
    decompose: f64,
    pack: f64,
    broad_phase: f64,
    upload: f64,
    kernel: f64,
    readback: f64,
    exact: f64,
    check: f64,
    collect: f64,
    figures: f64,
    write: f64,
    total: f64,
}

impl Statistics {
    pub(super) fn new(a: &Side, b: Option<&Side>, answer: &Answer, total: Duration, write: Duration) -> Self {
        let Answer { join, figures, .. } = answer;
        let choice = &join.choice;
        let (counts, timings) = (&join.counts, &join.timings);
        let of_sides = |time: fn(&Side) -> Duration| (time(a) + b.map_or(Duration::ZERO, time)).as_secs_f64();
        Self {
            version: env!("CARGO_PKG_VERSION"),
            backend: choice.backend.name(),
            adapter: choice.adapter.clone(),
            reason: choice.reason.clone(),
            threads: rayon::current_num_threads(),
            a: SideStatistics::of(a),
            b: b.map(SideStatistics::of),
            pairs: PairStatistics {
                candidates_of_objects: a.features.points.is_empty().then_some(counts.candidate_object_pairs),
                candidates_of_pieces: counts.candidate_pairs,
                overlapping: counts.overlapping,
                touching: counts.touching,
                apart: answer.apart().unwrap_or(0),
                written: join.items.len(),
                uncertain: counts.uncertain,
                oversized: counts.oversized,
                refined: figures.refined,
            },
            check: join.check.as_ref().map(|report| CheckStatistics {
                pairs: report.pairs,
                agreements: report.agreements,
                disagreements: report.disagreement_count(),
            }),
            seconds: Seconds {
                read: of_sides(|s| s.features.read_time),
                decompose: of_sides(|s| s.features.decompose_time),
                pack: of_sides(|s| s.collect_time) + timings.pack.as_secs_f64(),
                broad_phase: timings.broad_phase.as_secs_f64(),
                upload: timings.upload.as_secs_f64(),
                kernel: timings.kernel.as_secs_f64(),
                readback: timings.readback.as_secs_f64(),
                exact: timings.exact.as_secs_f64(),
                check: timings.check.as_secs_f64(),
                collect: timings.collect.as_secs_f64(),
                figures: figures.time.as_secs_f64(),
                write: write.as_secs_f64(),
                total: total.as_secs_f64(),
            },
        }
    }

    /// Adds the number of written rows and the number of disjoint pairs, which a join of points does not store.
    pub(super) fn with_rows(mut self, written: usize, apart: u64) -> Self {
        (self.pairs.written, self.pairs.apart) = (written, apart);
        self
    }

    pub(super) fn write(&self, mut output: Output) -> Result<()> {
        let path = output.name().to_path_buf();
        let failed = |source: std::io::Error| Error::write(path.clone(), source);
        serde_json::to_writer_pretty(&mut output, self).map_err(|e| failed(e.into()))?;
        writeln!(output).map_err(failed)?;
        Ok(output.commit()?)
    }
}

impl SideStatistics {
    fn of(side: &Side) -> Self {
        let (counts, cleanup) = (&side.features.counts, &side.features.cleanup);
        Self {
            objects: side.set.object_count(),
            points: side.features.points.len(),
            pieces: side.set.piece_count(),
            vertices: side.set.vertex_count(),
            skipped_invalid: side.features.skipped.len(),
            null_geometries: counts.null_geometries,
            empty_geometries: counts.empty_geometries,
            empty_polygons: counts.empty_polygons,
            third_ordinates_ignored: counts.third_ordinates_ignored,
            rings_closed: counts.rings_closed,
            ids_missing: counts.ids_missing,
            ids_repeated: counts.ids_repeated,
            ids_told_apart: counts.ids_told_apart,
            ids_with_controls: counts.ids_with_controls,
            repeated_vertices: cleanup.repeated_vertices,
            collinear_vertices: cleanup.collinear_vertices,
            reversed_rings: cleanup.reversed_rings,
            retraced_edges: cleanup.retraced_edges,
            touching_vertices: cleanup.touching_vertices,
        }
    }
}
