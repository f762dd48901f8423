//! Compares an earlier report with a later report.

use super::analysis::geometric_mean;
use super::plan::with_commas;
use super::report::{KernelRow, Report, Row, STAGES};
use super::table::{kernel_name, ms, short};

/// The common rows of two reports, and the differences that make a comparison doubtful.
#[derive(Debug)]
pub(super) struct Comparison {
    /// Differences between the two runs that may change times even if the code is the same, one line for each.
    pub(super) notes: Vec<String>,
    pub(super) rows: Vec<RowRatio>,
    /// One entry for each scene and contender: the scene, the contender, the geometric mean of the ratios over all sizes, and
    /// the number of sizes.
    pub(super) means: Vec<(String, String, f64, usize)>,
    /// The ratios of the old time to the new time of each kernel, measured by dispatches without joins.
    pub(super) kernels: Vec<KernelRatio>,
}

/// The comparison of one row of the newer report with the same row of the older report.
#[derive(Debug)]
pub(super) struct RowRatio {
    pub(super) scene: String,
    pub(super) count: usize,
    pub(super) contender: String,
    pub(super) old_ms: f64,
    pub(super) new_ms: f64,
    /// The ratio of the old report's median to the new report's median. A ratio above 1 means that the newer program is faster.
    pub(super) ratio: f64,
    /// The ratio of the old report's least time to the new report's least time.
    pub(super) least_ratio: f64,
    /// The ratio of the old report's median to the new report's median, on the path from candidate pairs to hits. `None` if one
    /// of the reports lacks this time.
    pub(super) hits_ratio: Option<f64>,
    /// For each of [`STAGES`], the ratio of the old report's median to the new report's median. `None` if the stage took no
    /// time in one report.
    pub(super) stage_ratios: Vec<Option<f64>>,
}

/// The comparison of one kernel that both reports have.
#[derive(Debug)]
pub(super) struct KernelRatio {
    pub(super) scene: String,
    pub(super) count: usize,
    pub(super) contender: String,
    pub(super) kernel: String,
    pub(super) old_ms: f64,
    pub(super) new_ms: f64,
}

pub(super) fn compare(old: &Report, new: &Report) -> Comparison {
    let rows: Vec<RowRatio> = new
        .rows
        .iter()
        .filter_map(|row| Some(ratio(old.find(&row.scene, row.count, &row.contender)?, row)))
        .collect();
    let mut means = Vec::new();
    for scene in new.scenes() {
        for contender in new.contenders() {
            let of = |row: &&RowRatio| row.scene == scene && row.contender == contender;
            let ratios: Vec<f64> = rows.iter().filter(of).map(|row| row.ratio).collect();
            if !ratios.is_empty() {
                means.push((scene.into(), contender.into(), geometric_mean(&ratios), ratios.len()));
            }
        }
    }
    let kernels = new.kernels.iter().flat_map(|row| kernel_ratios(old, row)).collect();
    Comparison { notes: notes(old, new, rows.len()), rows, means, kernels }
}

fn ratio(old: &Row, new: &Row) -> RowRatio {
    RowRatio {
        scene: new.scene.clone(),
        count: new.count,
        contender: new.contender.clone(),
        old_ms: old.total.median_ms,
        new_ms: new.total.median_ms,
        ratio: old.total.median_ms / new.total.median_ms,
        least_ratio: old.total.least_ms / new.total.least_ms,
        hits_ratio: (old.to_hits.as_ref().zip(new.to_hits.as_ref()))
            .map(|(old, new)| old.time.median_ms / new.time.median_ms),
        stage_ratios: STAGES.iter().map(|stage| stage_ratio(old, new, stage)).collect(),
    }
}

fn stage_ratio(old: &Row, new: &Row, stage: &str) -> Option<f64> {
    let [old, new] = [old.stage(stage)?.median_ms, new.stage(stage)?.median_ms];
    (old > 0.0 && new > 0.0).then(|| old / new)
}

/// Compares the kernels of the row `new` with the row of `old` for the same scene, size and adapter. Kernels that `old`
/// lacks are left out. The list is empty if `old` has no such row.
fn kernel_ratios(old: &Report, new: &KernelRow) -> Vec<KernelRatio> {
    let same =
        |row: &&KernelRow| (&row.scene, row.count, &row.contender) == (&new.scene, new.count, &new.contender);
    let Some(old) = old.kernels.iter().find(same) else { return Vec::new() };
    let ratio = |kernel: &super::report::KernelTime| {
        Some(KernelRatio {
            scene: new.scene.clone(),
            count: new.count,
            contender: new.contender.clone(),
            kernel: kernel_name(kernel),
            old_ms: old.find(&kernel.kernel, kernel.run_time_checks)?.time.median_ms,
            new_ms: kernel.time.median_ms,
        })
    };
    new.kernels.iter().filter_map(ratio).collect()
}

fn notes(old: &Report, new: &Report, common: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if old.machine != new.machine {
        notes.push("the machines differ, so the ratios measure more than the code".into());
        notes.push(format!("  old: {}", old.machine.line()));
        notes.push(format!("  new: {}", new.machine.line()));
    }
    let contenders = new.adapters.iter().chain(&old.adapters).map(|adapter| &adapter.contender);
    let contenders: std::collections::BTreeSet<_> = contenders.collect();
    for contender in contenders {
        let line = |report: &Report| {
            let adapter = report.adapters.iter().find(|adapter| adapter.contender == *contender);
            adapter.map_or_else(|| "none".into(), super::report::AdapterReport::line)
        };
        let (old, new) = (line(old), line(new));
        if old != new {
            notes.push(format!("{contender} differs: old {old}; new {new}"));
        }
    }
    if old.optimised != new.optimised {
        notes.push("one of the two programs was built without optimisation".into());
    }
    for (name, report) in [("old", old), ("new", new)] {
        let wrong = report.rows.iter().filter(|row| !row.all_right()).count();
        if wrong > 0 {
            notes.push(format!("{wrong} rows of the {name} report have wrong answers"));
        }
        let alone = report.rows.len() - common;
        if alone > 0 {
            notes.push(format!("{alone} rows of the {name} report have no counterpart and are not compared"));
        }
    }
    notes
}

impl Comparison {
    pub(super) fn lines(&self, old: &Report, new: &Report) -> Vec<String> {
        let mut lines = vec![
            format!(
                "Compared: old {} {}, new {} {}; ratio: old time over new, above 1 the new is faster",
                old.version, old.commit, new.version, new.commit
            ),
            format!(
                "{:<14}{:>10}  {:<9}{:>10}{:>10}{:>8}{:>14}{:>14}",
                "scene", "polygons", "on", "old ms", "new ms", "ratio", "least ratio", "hits ratio"
            ),
        ];
        lines.extend(self.rows.iter().map(|row| {
            format!(
                "{:<14}{:>10}  {:<9}{:>10}{:>10}{:>8.2}{:>14.2}{:>14}",
                row.scene,
                with_commas(row.count as u64),
                row.contender,
                ms(row.old_ms),
                ms(row.new_ms),
                row.ratio,
                row.least_ratio,
                row.hits_ratio.map_or_else(|| "-".into(), |ratio| format!("{ratio:.2}"))
            )
        }));
        lines.push("Stages, old time over new; a dash where a stage took no time".into());
        let stages: String = STAGES.iter().map(|stage| format!("{:>9}", short(stage))).collect();
        lines.push(format!("{:<14}{:>10}  {:<9}{stages}", "scene", "polygons", "on"));
        lines.extend(self.rows.iter().map(|row| {
            let ratio = |ratio: &Option<f64>| ratio.map_or_else(|| "-".into(), |ratio| format!("{ratio:.2}"));
            let ratios: String = row.stage_ratios.iter().map(|r| format!("{:>9}", ratio(r))).collect();
            format!("{:<14}{:>10}  {:<9}{ratios}", row.scene, with_commas(row.count as u64), row.contender)
        }));
        if !self.kernels.is_empty() {
            lines.push("Kernels alone".into());
        }
        lines.extend(self.kernels.iter().map(|kernel| {
            let KernelRatio { scene, count, contender, kernel, old_ms, new_ms } = kernel;
            let count = with_commas(*count as u64);
            let (ratio, old_ms, new_ms) = (old_ms / new_ms, ms(*old_ms), ms(*new_ms));
            format!("{scene:<14}{count:>10}  {contender:<9}{old_ms:>10}{new_ms:>10}{ratio:>8.2}  {kernel}")
        }));
        lines.push("Geometric means over the sizes".into());
        lines.extend(self.means.iter().map(|(scene, contender, mean, count)| {
            let sizes = if *count == 1 { "1 size".into() } else { format!("{count} sizes") };
            format!("{scene:<14}{:>10}  {contender:<9}{:>10}{:>10}{mean:>8.2}", "", sizes, "")
        }));
        lines.extend(self.notes.iter().map(|note| format!("note: {note}")));
        lines
    }
}
