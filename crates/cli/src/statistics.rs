//! `--stats`: writes counts, and the seconds of each stage, as JSON. The names of the fields are part of the interface.

use std::io::Write;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::Answer;
use super::input::Side;
use super::times::Times;
use crate::error::{Error, Result};
use sat2d_io::Output;

/// The statistics of one join: what was read, what was found, and the time of each stage in seconds.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "sat2d join --stats")]
pub(super) struct Statistics {
    /// Version of sat2d that wrote the file.
    version: &'static str,
    /// Backend that decided the pairs: `cpu` or `gpu`.
    backend: &'static str,
    /// Name of the GPU adapter. `null` if the backend is `cpu`.
    adapter: Option<String>,
    /// The reason why this backend decided the pairs.
    reason: String,
    /// Number of CPU threads.
    threads: usize,
    /// File A.
    a: SideStatistics,
    /// File B. `null` in a join of A with itself.
    b: Option<SideStatistics>,
    /// Counts of pairs.
    pairs: PairStatistics,
    /// The comparison with exact arithmetic. `null` without `--verify`.
    check: Option<CheckStatistics>,
    /// Wall-clock time of each stage, in seconds.
    seconds: Seconds,
}

/// Counts of one input file.
#[derive(Debug, Serialize, JsonSchema)]
struct SideStatistics {
    /// The coordinate reference system that the file states. `null` if the file states none.
    crs: Option<String>,
    /// Number of features, including skipped features and features without a region.
    objects: usize,
    /// Number of points of all Point and MultiPoint features. 0 if the file has polygons.
    points: usize,
    /// Number of convex pieces of the objects. `null` if the polygons were not split, because the join compared large polygons by
    /// their edges.
    pieces: Option<usize>,
    /// Number of vertices of the pieces. `null` if `pieces` is `null`.
    vertices: Option<usize>,
    /// Number of row groups of a Parquet file, or of groups of features in the index of a FlatGeobuf file. 0 for other formats.
    row_groups: usize,
    /// Number of row groups that were left out, because their boxes show that no pair has a feature in them. Only the
    /// ids of the features in these row groups were read.
    row_groups_left_out: usize,
    /// Number of invalid features that `--skip-invalid` left out.
    skipped_invalid: usize,
    /// Number of features that are valid only with the rule of `--fill`, because their rings cross or a hole leaves its shell.
    filled: usize,
    /// The greatest distance by which rounding moved a crossing of rings, in the unit of the coordinates. `null` if `pieces` is
    /// `null`.
    piece_displacement: Option<f64>,
    /// Number of features with a null geometry.
    null_geometries: usize,
    /// Number of features with a geometry without any position.
    empty_geometries: usize,
    /// Number of polygons without any position, in MultiPolygons that also have a polygon with positions.
    empty_polygons: usize,
    /// Number of positions with more than two coordinates. Further coordinates are ignored.
    third_ordinates_ignored: usize,
    /// Number of rings whose last position differs from the first. The reader closes these rings.
    rings_closed: usize,
    /// Number of features without the property of `--id`. The id of such a feature is its index in the input, from 0.
    ids_missing: usize,
    /// Number of features whose id equals the id of an earlier feature.
    ids_repeated: usize,
    /// Number of features that have no id, and whose index equals the id of another feature. Their ids in the output begin with
    /// `index:`.
    ids_told_apart: usize,
    /// Number of features with control characters in their id.
    ids_with_controls: usize,
    /// Number of vertices that equal the vertex before them.
    repeated_vertices: usize,
    /// Number of vertices in the middle of a straight edge.
    collinear_vertices: usize,
    /// Number of clockwise shells and counter-clockwise holes.
    reversed_rings: usize,
    /// Number of edges, or parts of edges, that the rings traverse more than once.
    retraced_edges: usize,
    /// Number of points at which a ring touches itself or another ring of its polygon. Contacts along an edge are not
    /// counted.
    touching_vertices: usize,
}

/// Counts of pairs. If a description does not say otherwise, a pair is an object of A and an object of B or, in a join of A
/// with itself, two objects of A. If a file has points, a pair is a feature of points and an object of the other file.
#[derive(Debug, Serialize, JsonSchema)]
struct PairStatistics {
    /// Number of pairs of objects whose boxes meet. `null` if a point was read from a file.
    candidates_of_objects: Option<u64>,
    /// Number of pairs of pieces whose boxes meet, or are at most the distance of `--within` apart. If one file has points,
    /// number of pairs of a point and a piece, and if both have, of points. With `--nearest`, number of pairs of pieces that
    /// were measured.
    candidates_of_pieces: u64,
    /// Number of pairs of whole polygons whose boxes meet, in a join of large polygons. The join compares their edges.
    candidates_of_polygons: u64,
    /// Number of overlapping pairs. For points and polygons, the number of pairs with the relation `inside`.
    overlapping: u64,
    /// Number of touching pairs. For points and polygons, the number of pairs with the relation `boundary`.
    touching: u64,
    /// Number of disjoint pairs that are within the distance of `--within` or among the pairs of `--nearest`. 0 without these
    /// options.
    apart: u64,
    /// Number of rows in the output. With `--count`, each feature of A has a row. With `--keep` in a join of one file, each feature
    /// that overlaps another feature has a row. Otherwise, each pair has a row.
    written: usize,
    /// Number of candidate pairs of pieces that the fast filter could not decide. Exact arithmetic decided these pairs.
    uncertain: u64,
    /// Number of candidate pairs of pieces that the CPU decided, because a polygon was too large for the device.
    oversized: u64,
    /// Number of pairs of pieces whose measurement needed f64, because f32 was not precise enough.
    refined: u64,
}

/// The comparison of the relations with exact arithmetic.
#[derive(Debug, Serialize, JsonSchema)]
struct CheckStatistics {
    /// Number of compared candidate pairs.
    pairs: u64,
    /// Number of pairs with equal relations.
    agreements: u64,
    /// Number of pairs with different relations.
    disagreements: u64,
    /// Number of pairs of objects that were not compared, because the rings of an object cross and its pieces are rounded.
    crossed_pairs: u64,
}

/// Wall-clock time of each stage, in seconds. On a GPU, stages of different chunks run at the same time, so the sum of the
/// stages may exceed the total.
#[derive(Debug, Serialize, JsonSchema)]
struct Seconds {
    /// Seconds to choose and to create the engine. If a GPU may be used, this includes the estimate of the number of candidate pairs
    /// and the search for an adapter.
    backend: f64,
    /// Seconds to read and parse the files.
    read: f64,
    /// Seconds to check the polygons, to split them into convex pieces, and to build the sets.
    decompose: f64,
    /// Seconds to pack the polygons for the filter.
    pack: f64,
    /// Seconds to find the candidate pairs.
    broad_phase: f64,
    /// Seconds to copy polygons and pairs to the device. 0 on the CPU.
    upload: f64,
    /// Seconds to run the fast filter that decides most pairs.
    kernel: f64,
    /// Seconds to copy results from the device. 0 on the CPU.
    readback: f64,
    /// Seconds to decide uncertain pairs by exact arithmetic.
    exact: f64,
    /// Seconds to compare the relations with exact arithmetic. 0 without `--verify`.
    check: f64,
    /// Seconds to combine the relations of pieces into relations of objects, and to sort the pairs.
    collect: f64,
    /// Seconds to measure pairs: their penetrations, distances, contact points and areas.
    figures: f64,
    /// Seconds to write the pairs and the picture.
    write: f64,
    /// Seconds from the start of the run until the statistics are written.
    total: f64,
}

impl Statistics {
    pub(super) fn new(a: &Side, b: Option<&Side>, answer: &Answer, times: Times) -> Self {
        let Answer { join, figures, .. } = answer;
        let choice = &join.choice;
        let (counts, timings) = (&join.counts, &join.timings);
        let has_points = [Some(a), b].into_iter().flatten().any(|side| !side.features.points.is_empty());
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
                candidates_of_objects: (!has_points).then_some(counts.candidate_object_pairs),
                candidates_of_pieces: counts.candidate_pairs - counts.polygon_pairs,
                candidates_of_polygons: counts.polygon_pairs,
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
                crossed_pairs: report.crossed_pairs,
            }),
            seconds: Seconds {
                backend: times.backend.as_secs_f64(),
                read: of_sides(|s| s.features.read_time),
                decompose: of_sides(|s| s.features.decompose_time),
                pack: timings.pack.as_secs_f64(),
                broad_phase: timings.broad_phase.as_secs_f64(),
                upload: timings.upload.as_secs_f64(),
                kernel: timings.kernel.as_secs_f64(),
                readback: timings.readback.as_secs_f64(),
                exact: timings.exact.as_secs_f64(),
                check: timings.check.as_secs_f64(),
                collect: timings.collect.as_secs_f64(),
                figures: figures.time.as_secs_f64(),
                write: times.write.as_secs_f64(),
                total: times.total().as_secs_f64(),
            },
        }
    }

    /// Replaces the numbers of written rows and of disjoint pairs. [`Statistics::new`] counts them in a list of pairs.
    /// If the rows are not the pairs of this list, the caller calls this method.
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
            crs: side.features.crs.as_ref().map(ToString::to_string),
            objects: side.set.object_count(),
            points: side.features.points.len(),
            pieces: side.set.made_piece_count(),
            vertices: side.set.made_piece_count().map(|_| side.set.vertex_count()),
            row_groups: side.features.row_groups.count,
            row_groups_left_out: side.features.row_groups.left_out,
            skipped_invalid: side.features.left_out.len(),
            filled: side.features.filled_count,
            piece_displacement: side.set.made_piece_count().map(|_| side.set.piece_displacement()),
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
