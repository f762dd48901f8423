//! Writes the report as text: one aligned line for each row.

use super::bars::{self, Bar};
use super::plan::with_commas;
use super::report::{BreakEven, HITS_STAGES, KernelTime, Report, Row, STAGES, Verdict};

/// Returns the lines that explain the columns of the table. They are printed before the first row.
pub(super) fn legend() -> Vec<String> {
    vec![
        "Times are medians in ms, from rings in memory to sorted pairs in memory; contenders take turns."
            .into(),
        "kernel: on an adapter, from submission until the host saw the end; device: the same by the device's own clock, if it has one."
            .into(),
        "cpu: CPU time of all threads. pairs/s: candidate pairs divided by the total time. right: every run gave the expected counts and hash.".into(),
        "to hits: candidate pairs per second, from pairs in memory to compacted hits in memory, for a prepared set."
            .into(),
    ]
}

pub(super) fn header() -> String {
    let stages: String = columns().map(|column| format!("{column:>9}")).collect();
    let (scene, count, contender) = ("scene", "polygons", "on");
    let (total, least, cpu, rate, hits) = ("total", "least", "cpu", "pairs/s", "to hits");
    format!(
        "{scene:<14}{count:>9}  {contender:<9}{stages}{total:>9}{least:>9}{cpu:>9}{rate:>9}{hits:>9}  answer"
    )
}

/// Returns the headings of the stage columns. The column `device` follows the column `kernel`.
pub(super) fn columns() -> impl Iterator<Item = &'static str> {
    STAGES
        .into_iter()
        .flat_map(|stage| [Some(short(stage)), (stage == "kernel").then_some("device")])
        .flatten()
}

/// Returns the cells of a row in the columns of stages, which [`columns`] names.
pub(super) fn stage_cells(row: &Row) -> impl Iterator<Item = String> {
    let on_device = row.kernel_on_device.map_or(0.0, |time| time.median_ms);
    let cells = move |stage: &super::report::Stage| {
        [Some(ms(stage.time.median_ms)), (stage.name == "kernel").then(|| ms(on_device))]
    };
    row.stages.iter().flat_map(cells).flatten()
}

/// Returns the short name of a stage for the heading of a column.
pub(super) fn short(stage: &str) -> &str {
    if stage == "broad phase" { "broad" } else { stage }
}

pub(super) fn line(row: &Row) -> String {
    let stages: String = stage_cells(row).map(|cell| format!("{cell:>9}")).collect();
    let (scene, contender) = (&row.scene, &row.contender);
    let count = with_commas(row.count as u64);
    let (total, least) = (ms(row.total.median_ms), ms(row.total.least_ms));
    let cpu = row.cpu_time.map_or_else(|| "?".into(), |time| ms(time.median_ms));
    let rate = scaled(row.pairs_per_second);
    let hits = row.to_hits.as_ref().map_or_else(|| "?".into(), |hits| scaled(hits.pairs_per_second));
    let answer = if row.all_right() { "right" } else { "WRONG" };
    format!(
        "{scene:<14}{count:>9}  {contender:<9}{stages}{total:>9}{least:>9}{cpu:>9}{rate:>9}{hits:>9}  {answer}"
    )
}

/// Formats a time: with three decimals below 0.1, two below 10, one below 100, and otherwise none. Returns a dash if the
/// time is 0 or less.
pub(super) fn ms(value: f64) -> String {
    match value {
        v if v <= 0.0 => "-".into(),
        v if v < 0.1 => format!("{v:.3}"),
        v if v < 10.0 => format!("{v:.2}"),
        v if v < 100.0 => format!("{v:.1}"),
        v => with_commas(v.round() as u64),
    }
}

/// Formats a value with a unit prefix, such as `12.3 M`.
pub(super) fn scaled(value: f64) -> String {
    let (divisor, unit) = match value {
        v if v >= 1e12 => (1e12, " T"),
        v if v >= 1e9 => (1e9, " G"),
        v if v >= 1e6 => (1e6, " M"),
        v if v >= 1e3 => (1e3, " k"),
        _ => (1.0, ""),
    };
    let value = value / divisor;
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$}{unit}")
}

/// Returns the sections that follow the last row, such as break-even and failures.
pub(super) fn summary(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    let mut section = |title: &str, body: Vec<String>| {
        if !body.is_empty() {
            lines.push(String::new());
            lines.push(title.into());
            lines.extend(body.into_iter().map(|line| format!("  {line}")));
        }
    };
    section(
        "Break-even: below this size all threads of the CPU are faster than the adapter",
        report.break_even.iter().map(break_even_line).collect(),
    );
    section(
        "Pairs to hits on adapters, ns a pair: medians; stages of chunks in flight overlap",
        hits_stages(report),
    );
    section(
        "Copy bandwidth, bytes read and written per second, and the share of it that an adapter's kernel reaches",
        roofline(report),
    );
    section(
        "Arithmetic, operations of f32 per second without loads, and the share of it that the kernel reaches",
        arithmetic(report),
    );
    section(
        "Kernels alone: median of a dispatch, its ratio to the plain kernel without run-time checks, and wrong answers (plain has no error bound)",
        kernels(report),
    );
    section(&bars::title(&report.bars), report.bars.iter().map(Bar::line).collect());
    section("Left out", report.left_out.clone());
    section("FAILED", report.failures.clone());
    lines
}

pub(super) fn break_even_line(entry: &BreakEven) -> String {
    let sizes = format!("{} to {}", with_commas(entry.smallest as u64), with_commas(entry.largest as u64));
    format!(
        "{:<14}{:<9}{}",
        entry.scene,
        entry.contender,
        match entry.verdict {
            Verdict::Cpu => format!("the CPU is faster at the largest size measured ({sizes})"),
            Verdict::Adapter => format!("the adapter is faster at every size measured ({sizes})"),
            Verdict::AdapterFrom(count) => format!("about {} polygons", with_commas(count.round() as u64)),
        }
    )
}

/// Returns lines about the path from candidate pairs to hits: a header, then a line for each row of an adapter. A line
/// has the scene, the size, the adapter, and the columns [`HITS_COLUMNS`].
fn hits_stages(report: &Report) -> Vec<String> {
    let rows = hits_rows(report);
    if rows.is_empty() {
        return Vec::new();
    }
    let line = |scene: &str, count: &str, contender: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!("{cell:>9}")).collect();
        format!("{scene:<14}{count:>9}  {contender:<9}{cells}")
    };
    let mut lines = vec![line("scene", "polygons", "on", HITS_COLUMNS.map(String::from).into())];
    lines.extend(
        rows.into_iter()
            .map(|(row, cells)| line(&row.scene, &with_commas(row.count as u64), &row.contender, cells)),
    );
    lines
}

/// The names of the columns for the path from candidate pairs to hits: the stages of this path, the kernel's time by the
/// device's clock, and the total time.
pub(super) const HITS_COLUMNS: [&str; HITS_STAGES.len() + 2] =
    ["upload", "kernel", "device", "readback", "exact", "collect", "total"];

/// Returns each row of an adapter that has hits, with its cells in the columns [`HITS_COLUMNS`]. The times are in ns per
/// candidate pair.
pub(super) fn hits_rows(report: &Report) -> Vec<(&Row, Vec<String>)> {
    let cells = |row: &Row| {
        let hits = row.to_hits.as_ref().filter(|hits| !hits.stages.is_empty())?;
        let time = |&column: &&str| match column {
            "device" => hits.kernel_on_device,
            "total" => Some(hits.time),
            name => hits.stages.iter().find(|stage| stage.name == name).map(|stage| stage.time),
        };
        let a_pair = 1e6 / row.answer.candidates.max(1) as f64;
        let cell = |column: &&str| ms(time(column).map_or(0.0, |time| time.median_ms * a_pair));
        Some(HITS_COLUMNS.iter().map(cell).collect())
    };
    let of_adapters = report
        .adapters
        .iter()
        .flat_map(|adapter| report.rows.iter().filter(move |row| row.contender == adapter.contender));
    of_adapters.filter_map(|row| Some((row, cells(row)?))).collect()
}

/// Returns a line for each contender whose copy bandwidth is known. The line has the share of this bandwidth that the
/// contender's kernel reaches in each scene, at the largest size.
fn roofline(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    for contender in report.contenders() {
        let Some(copy) = report.copy_bytes_per_second(contender) else { continue };
        let shares: Vec<String> = kernel_rates(report, contender)
            .into_iter()
            .map(|(scene, rate)| format!("{scene} {:.0}%", 100.0 * rate / copy))
            .collect();
        let line = format!("{contender:<9}{:>8}B/s  {}", scaled(copy), shares.join(", "));
        lines.push(line.trim_end().into());
    }
    lines
}

/// Returns, for each scene, its name and a lower bound of the bytes that the kernel moves per second, at the largest
/// size. The rates are from dispatches of the kernel alone, or from joins if no dispatches were measured.
pub(super) fn kernel_rates<'a>(report: &'a Report, contender: &str) -> Vec<(&'a str, f64)> {
    let rate = |scene: &'a str| {
        if let Some(row) = report.largest_kernels(scene, contender) {
            return Some((scene, row.bytes_per_second()?));
        }
        let rows = report.rows.iter().filter(|row| row.scene == scene && row.contender == contender);
        Some((scene, rows.max_by_key(|row| row.count)?.kernel_bytes_per_second()?))
    };
    report.scenes().into_iter().filter_map(rate).collect()
}

/// Returns a line for each adapter whose peak of f32 operations is known. The line has the share of this peak that the
/// adapter's kernel reaches in each scene, at the largest size.
fn arithmetic(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    for adapter in &report.adapters {
        let Some(peak) = adapter.operations_per_second else { continue };
        let shares: Vec<String> = operation_rates(report, &adapter.contender)
            .into_iter()
            .map(|(scene, rate)| format!("{scene} {:.0}%", 100.0 * rate / peak))
            .collect();
        lines.push(format!("{:<9}{:>8}op/s  {}", adapter.contender, scaled(peak), shares.join(", ")));
    }
    lines
}

/// Returns, for each scene, its name and a lower bound of the operations per second of the relation kernel. The rates
/// are from dispatches of the kernel alone, at the largest size.
pub(super) fn operation_rates<'a>(report: &'a Report, contender: &str) -> Vec<(&'a str, f64)> {
    let rate =
        |scene: &'a str| Some((scene, report.largest_kernels(scene, contender)?.operations_per_second()?));
    report.scenes().into_iter().filter_map(rate).collect()
}

/// Returns a line for each measured kernel.
fn kernels(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    for row in &report.kernels {
        for kernel in &row.kernels {
            let (scene, contender, count) = (&row.scene, &row.contender, with_commas(row.count as u64));
            let rate = row.pairs_per_second(kernel).map_or_else(|| "-".into(), scaled);
            let time = ms(kernel.time.median_ms);
            let what = kernel_name(kernel);
            let ratio = row.ratio_to_plain(kernel).map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
            let wrong = if kernel.wrong > 0 { format!("  {} wrong", kernel.wrong) } else { String::new() };
            lines.push(format!(
                "{scene:<14}{count:>9}  {contender:<9}{what:<21}{time:>9} ms{rate:>9} pairs/s{ratio:>7}{wrong}"
            ));
        }
    }
    lines
}

/// Returns the name of a kernel, with ` (unchecked)` if it has no run-time checks.
pub(super) fn kernel_name(kernel: &KernelTime) -> String {
    format!("{}{}", kernel.kernel, if kernel.run_time_checks { "" } else { " (unchecked)" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::made_up;
    use crate::bench::report::Figure;

    #[test]
    fn the_way_to_hits_is_told_of_adapters_a_pair() {
        let mut report = made_up::report();
        report.rows[3].answer.candidates = 1_000_000;
        let time = |ms| Figure { median_ms: ms, least_ms: ms };
        report.rows[3].to_hits.as_mut().unwrap().kernel_on_device = Some(time(0.25));
        let rows = hits_rows(&report);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[1].1, ["1.00", "1.00", "0.25", "1.00", "1.00", "1.00", "1.00"]);
        let lines = hits_stages(&report);
        assert!(lines[0].starts_with("scene ") && lines[2].starts_with("boxes           100,000  gpu-0 "));
        assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{lines:#?}");
        // A report that an earlier version wrote has no stages of the path to hits.
        report.rows.iter_mut().filter_map(|row| row.to_hits.as_mut()).for_each(|hits| hits.stages.clear());
        assert!(hits_stages(&report).is_empty());
    }

    #[test]
    fn the_device_tells_the_kernels_time_where_it_can() {
        let mut report = made_up::report();
        let row = &mut report.rows[3];
        assert_eq!((row.kernel_ms(), row.kernel_bytes_per_second()), (Some(1.0), Some(1e9)));
        row.kernel_on_device = Some(Figure { median_ms: 0.5, least_ms: 0.5 });
        assert_eq!((row.kernel_ms(), row.kernel_bytes_per_second()), (Some(0.5), Some(2e9)));
        assert_eq!(line(row).len(), line(&report.rows[2]).len());
        // For the CPU, the number of bytes that the kernel reads is unknown.
        assert_eq!(report.rows[2].kernel_bytes_per_second(), None);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(["-", "0.050", "1.23", "12.3", "1,234"], [0.0, 0.05, 1.234, 12.34, 1234.4].map(ms));
        assert_eq!(["7.00", "1.50 k", "23.5 M", "456 G"], [7.0, 1500.0, 23.46e6, 456e9].map(scaled));
    }
}
