//! Writes the report as one self-contained HTML page with tables and plots, in light and dark colours.

use std::fmt::Write;

use super::analysis;
use super::bars;
use super::plan::with_commas;
use super::plots::{self, Bar, Series, colour, css};
use super::report::{Report, Row, STAGES, Timeline};
use super::table::{self, break_even_line, kernel_name, kernel_rates, ms, operation_rates, scaled};

const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#fff;--ink:#1a1a1a;--line:#8884;--bad:#c62828}\
@media(prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e6e6e6;--bad:#ff7b72}}\
body{background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:80rem;padding:0 1rem}\
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums;display:block;overflow-x:auto}\
th,td{padding:.15rem .6rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}\
th:first-child,td:first-child,td.text,th.text{text-align:left}\
tr.wrong td{color:var(--bad);font-weight:bold}.bad{color:var(--bad)}\
.key span{display:inline-block;margin-right:1.2em}.key i{display:inline-block;width:.9em;height:.9em;margin-right:.4em;vertical-align:-.1em}\
pre{overflow-x:auto}h2{margin-top:2.5rem}h3{margin:1.2rem 0 0}";

/// The index of the colour for the rest of the time, which belongs to no stage.
const REST: usize = 8;

/// Appends a formatted line to a string. Writing to a string cannot fail.
macro_rules! add {
    ($out:expr, $($part:tt)*) => { let _ = writeln!($out, $($part)*); };
}

/// Returns the HTML page of a report. `comparison` has the lines of [`super::compare`], or is `None` without an earlier report.
pub(super) fn page(report: &Report, comparison: Option<&[String]>) -> String {
    let mut body = String::new();
    head(&mut body, report);
    problems(&mut body, report);
    if let Some(lines) = comparison {
        add!(body, "<h2>Comparison</h2>\n<pre>{}</pre>", escaped(&lines.join("\n")));
    }
    break_even(&mut body, report);
    stages(&mut body, report);
    rates(&mut body, report);
    roofline(&mut body, report);
    arithmetic(&mut body, report);
    kernels(&mut body, report);
    report.timelines.iter().for_each(|timeline| self::timeline(&mut body, timeline));
    bars(&mut body, report);
    hits_stages(&mut body, report);
    rows(&mut body, report);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>sat2d benchmark</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

fn head(out: &mut String, report: &Report) {
    add!(out, "<h1>sat2d benchmark</h1>");
    add!(
        out,
        "<p>Whole self-joins of generated scenes, from rings in memory to sorted pairs in memory; medians of runs in \
         turn. Every answer is compared with that of exact arithmetic.</p>"
    );
    let mut facts = vec![
        ("Version", format!("sat2d {}, commit {}", report.version, report.commit)),
        ("Machine", report.machine.line()),
    ];
    for adapter in &report.adapters {
        facts.push((&adapter.contender, adapter.line()));
    }
    if let Some(rate) = report.host_copy_bytes_per_second {
        facts.push(("Host copy", format!("{}B/s read and written, all threads", scaled(rate))));
    }
    let right = report.rows.iter().filter(|row| row.all_right()).count();
    facts.push(("Answers", format!("{right} of {} rows right", report.rows.len())));
    facts.push(("Took", format!("{:.0} s", report.seconds)));
    if !report.optimised {
        facts.push(("Note", "built without optimisation; the times mean nothing".into()));
    }
    add!(out, "<table>");
    for (name, fact) in facts {
        add!(out, "<tr><th>{}</th><td class=\"text\">{}</td></tr>", escaped(name), escaped(&fact));
    }
    add!(out, "</table>");
}

fn problems(out: &mut String, report: &Report) {
    for (title, class, lines) in [("Failed", "bad", &report.failures), ("Left out", "", &report.left_out)] {
        if lines.is_empty() {
            continue;
        }
        add!(out, "<h2 class=\"{class}\">{title}</h2>\n<ul class=\"{class}\">");
        lines.iter().for_each(|line| {
            add!(out, "<li>{}</li>", escaped(line));
        });
        add!(out, "</ul>");
    }
}

fn break_even(out: &mut String, report: &Report) {
    if report.break_even.is_empty() {
        return;
    }
    add!(out, "<h2>Break-even</h2>");
    add!(
        out,
        "<p>The time on the adapter over that of all threads of the CPU: above the line the CPU is faster.</p>"
    );
    for adapter in &report.adapters {
        add!(out, "<h3>{}: {}</h3>", escaped(&adapter.contender), escaped(&adapter.line()));
        let scenes = report.scenes();
        let series: Vec<Series> = scenes
            .iter()
            .enumerate()
            .map(|(index, scene)| {
                let points = analysis::ratios(report, scene, &adapter.contender);
                (index, points.into_iter().map(|(count, ratio)| (count as f64, ratio)).collect())
            })
            .collect();
        key(out, scenes.iter().copied().enumerate());
        plot(out, plots::lines(&series, "polygons", "time over the CPU's", Some(1.0)));
        add!(out, "<pre>");
        let of_adapter = |entry: &&super::report::BreakEven| entry.contender == adapter.contender;
        for entry in report.break_even.iter().filter(of_adapter) {
            add!(out, "{}", escaped(&break_even_line(entry)));
        }
        add!(out, "</pre>");
    }
}

/// Plots the time of each stage, in one plot for each scene. The plot is for the size that most contenders measured, or the
/// largest such size if there are several.
fn stages(out: &mut String, report: &Report) {
    add!(out, "<h2>Time by stage</h2>");
    let names = STAGES.iter().copied().enumerate();
    key(out, names.chain([(REST, "the rest")]));
    for scene in report.scenes() {
        let of_scene: Vec<&Row> = report.rows.iter().filter(|row| row.scene == scene).collect();
        let contenders = |count: usize| of_scene.iter().filter(|row| row.count == count).count();
        let most = of_scene.iter().map(|row| contenders(row.count)).max();
        let full = of_scene.iter().map(|row| row.count).filter(|&count| Some(contenders(count)) == most);
        let Some(count) = full.max() else { continue };
        let bars: Vec<Bar> =
            of_scene.iter().filter(|row| row.count == count).map(|row| stage_bar(row)).collect();
        add!(out, "<h3>{}, {} polygons</h3>", escaped(scene), with_commas(count as u64));
        plot(out, plots::bars(&bars, "ms", None));
    }
}

fn stage_bar(row: &Row) -> Bar {
    let mut end = 0.0;
    let mut parts = Vec::new();
    for (index, stage) in row.stages.iter().enumerate() {
        parts.push((end, end + stage.time.median_ms, index));
        end += stage.time.median_ms;
    }
    parts.push((end, end + row.rest.median_ms, REST));
    Bar { label: row.contender.clone(), parts }
}

fn rates(out: &mut String, report: &Report) {
    add!(out, "<h2>Candidate pairs a second</h2>");
    let contenders = report.contenders();
    key(out, contenders.iter().copied().enumerate());
    for scene in report.scenes() {
        let series: Vec<Series> = contenders
            .iter()
            .enumerate()
            .map(|(index, contender)| {
                let rows = report.rows.iter().filter(|row| row.scene == scene && row.contender == *contender);
                let mut points: Vec<(f64, f64)> =
                    rows.map(|row| (row.count as f64, row.pairs_per_second)).collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                (index, points)
            })
            .collect();
        add!(out, "<h3>{}</h3>", escaped(scene));
        plot(out, plots::lines(&series, "polygons", "candidate pairs a second", None));
    }
}

fn roofline(out: &mut String, report: &Report) {
    let known: Vec<(&str, f64)> = report
        .contenders()
        .into_iter()
        .filter_map(|contender| Some((contender, report.copy_bytes_per_second(contender)?)))
        .filter(|(contender, _)| !kernel_rates(report, contender).is_empty())
        .collect();
    if known.is_empty() {
        return;
    }
    add!(out, "<h2>Roofline</h2>");
    add!(
        out,
        "<p>Bytes a second that the relation kernel moves at least (each vertex and each pair read once, each answer \
         written), at the largest size of each scene; the line is the measured copy bandwidth, read and written.</p>"
    );
    for (contender, copy) in known {
        let rates = kernel_rates(report, contender);
        let bar = |(scene, rate): &(&str, f64)| {
            let share = 100.0 * rate / copy;
            Bar { label: format!("{scene} {share:.1}%"), parts: vec![(0.0, *rate, 0)] }
        };
        let bars: Vec<Bar> = rates.iter().map(bar).collect();
        add!(out, "<h3>{}: {}B/s</h3>", escaped(contender), scaled(copy));
        plot(out, plots::bars(&bars, "bytes a second", Some(copy)));
    }
}

fn arithmetic(out: &mut String, report: &Report) {
    for adapter in &report.adapters {
        let rates = operation_rates(report, &adapter.contender);
        let Some(peak) = adapter.operations_per_second.filter(|_| !rates.is_empty()) else { continue };
        let bar = |(scene, rate): &(&str, f64)| {
            let share = 100.0 * rate / peak;
            Bar { label: format!("{scene} {share:.1}%"), parts: vec![(0.0, *rate, 0)] }
        };
        let bars: Vec<Bar> = rates.iter().map(bar).collect();
        add!(out, "<h3>{}: {}op/s</h3>", escaped(&adapter.contender), scaled(peak));
        add!(
            out,
            "<p>Operations of f32 a second that the relation kernel does at least (additions, multiplications, minima, \
             maxima and comparisons; a disjoint pair of large polygons as if its first turn showed it); the line is what \
             the device does where nothing is loaded, products and sums, fused where it can.</p>"
        );
        plot(out, plots::bars(&bars, "operations a second", Some(peak)));
    }
}

fn kernels(out: &mut String, report: &Report) {
    if report.kernels.is_empty() {
        return;
    }
    add!(
        out,
        "<h2>Kernels</h2>\n<p>Dispatches alone, in turns on the same pairs; ratio: time over that of the plain kernel \
         without run-time checks. The plain kernel has no error bound: its wrong answers are counted.</p>\n<table>"
    );
    add!(
        out,
        "<tr><th>scene</th><th>polygons</th><th>on</th><th>kernel</th><th>ms</th><th>pairs/s</th><th>ratio</th>\
         <th>wrong</th><th>uncertain</th><th>clock</th></tr>"
    );
    for row in &report.kernels {
        for kernel in &row.kernels {
            let cells = [
                row.scene.clone(),
                with_commas(row.count as u64),
                row.contender.clone(),
                kernel_name(kernel),
                ms(kernel.time.median_ms),
                row.pairs_per_second(kernel).map_or_else(|| "-".into(), scaled),
                row.ratio_to_plain(kernel).map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
                kernel.wrong.to_string(),
                kernel.uncertain.to_string(),
                if row.by_device_clock { "device" } else { "host" }.into(),
            ];
            let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
            add!(out, "<tr>{cells}</tr>");
        }
    }
    add!(out, "</table>");
}

fn timeline(out: &mut String, timeline: &Timeline) {
    let mut names: Vec<&str> = Vec::new();
    let mut bars: Vec<Bar> = Vec::new();
    for span in &timeline.spans {
        let index = names.iter().position(|name| *name == span.stage).unwrap_or_else(|| {
            names.push(&span.stage);
            names.len() - 1
        });
        while bars.len() <= span.chunk {
            bars.push(Bar { label: format!("chunk {}", bars.len()), parts: Vec::new() });
        }
        bars[span.chunk].parts.push((span.start_ms, span.end_ms, index));
    }
    let Timeline { scene, count, contender, .. } = timeline;
    let title = format!("Chunks in flight: {contender}, {scene}, {} polygons", with_commas(*count as u64));
    add!(out, "<h2>{}</h2>", escaped(&title));
    key(out, names.into_iter().enumerate());
    plot(out, plots::bars(&bars, "ms", None));
}

fn bars(out: &mut String, report: &Report) {
    if report.bars.is_empty() {
        return;
    }
    add!(out, "<h2>{}</h2>\n<pre>", bars::title(&report.bars));
    report.bars.iter().for_each(|bar| {
        add!(out, "{}", escaped(&bar.line()));
    });
    add!(out, "</pre>");
}

fn hits_stages(out: &mut String, report: &Report) {
    let rows = table::hits_rows(report);
    if rows.is_empty() {
        return;
    }
    add!(
        out,
        "<h2>Pairs to hits on adapters</h2>\n<p>From candidate pairs in memory to compacted hits in memory, of a set that \
         is prepared: medians in ns a pair. Stages of chunks in flight overlap. Kernel: from submission until the host \
         looked; device: the same by the device's own clock, where it tells.</p>\n<table>"
    );
    let heads = ["scene", "polygons", "on"].iter().chain(&table::HITS_COLUMNS);
    let heads: String = heads.map(|head| format!("<th>{head}</th>")).collect();
    add!(out, "<tr>{heads}</tr>");
    for (row, cells) in rows {
        let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
        let (scene, contender) = (escaped(&row.scene), escaped(&row.contender));
        let count = with_commas(row.count as u64);
        add!(out, "<tr><td>{scene}</td><td>{count}</td><td>{contender}</td>{cells}</tr>");
    }
    add!(out, "</table>");
}

fn rows(out: &mut String, report: &Report) {
    add!(
        out,
        "<h2>All rows</h2>\n<p>Medians in ms, each column by itself: those of stages need not add up to that of the total. Kernel: on an adapter from submission until the host looked; device: the same by the device's own clock, where it tells. To hits: candidate pairs a second, from pairs in memory to compacted hits in memory, of a set that is prepared.</p>\n<table>\n<tr><th>scene</th><th>polygons</th><th>on</th>"
    );
    table::columns().for_each(|column| {
        add!(out, "<th>{column}</th>");
    });
    add!(
        out,
        "<th>total</th><th>least</th><th>CPU time</th><th>runs</th><th>pairs/s</th><th>to hits</th><th>answer</th></tr>"
    );
    for row in &report.rows {
        let class = if row.all_right() { "" } else { " class=\"wrong\"" };
        let (scene, contender) = (escaped(&row.scene), escaped(&row.contender));
        add!(
            out,
            "<tr{class}><td>{scene}</td><td>{}</td><td>{contender}</td>",
            with_commas(row.count as u64)
        );
        table::stage_cells(row).for_each(|cell| {
            add!(out, "<td>{cell}</td>");
        });
        add!(
            out,
            "<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            ms(row.total.median_ms),
            ms(row.total.least_ms),
            row.cpu_time.map(|time| ms(time.median_ms)).unwrap_or_default(),
            row.repeats,
            scaled(row.pairs_per_second),
            row.to_hits.as_ref().map(|hits| scaled(hits.pairs_per_second)).unwrap_or_default(),
            if row.all_right() { "right" } else { "WRONG" }
        );
    }
    add!(out, "</table>");
}

/// Writes a legend, which shows the colour of each name. `names` has the index of the colour, and the name.
fn key<'a>(out: &mut String, names: impl Iterator<Item = (usize, &'a str)>) {
    add!(out, "<p class=\"key\">");
    for (index, name) in names {
        add!(out, "<span><i style=\"background:{}\"></i>{}</span>", css(colour(index)), escaped(name));
    }
    add!(out, "</p>");
}

fn plot(out: &mut String, plot: Result<String, Box<dyn std::error::Error>>) {
    match plot {
        Ok(svg) => out.push_str(&svg),
        Err(error) => {
            add!(out, "<p class=\"bad\">This plot cannot be drawn: {}</p>", escaped(&error.to_string()));
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{compare, made_up};

    #[test]
    fn a_page_shows_all_that_a_report_can_hold() {
        let report = made_up::report();
        let lines = compare::compare(&report, &report).lines(&report, &report);
        // The page has rows of joins, rows of the stages of joins, and rows of kernels alone.
        assert_eq!(
            lines.iter().filter(|line| line.starts_with("boxes ") && line.contains("gpu-0")).count(),
            8
        );
        assert!(lines.iter().any(|line| line.ends_with("    1.00  plain (unchecked)")), "{lines:#?}");
        let page = page(&report, Some(&lines));
        for part in [
            "about 10,000 polygons",
            "&lt;Card&gt;",
            "one &amp; only",
            "<h2>Chunks in flight: gpu-0, boxes, 1,000 polygons</h2>",
            "chunk 1",
            "<td>relation</td><td>3.00</td><td>3.00 k</td><td>0.50</td>",
            "<td>plain (unchecked)</td><td>6.00</td>",
            "<h2>Comparison</h2>",
            "<h3>gpu-0: 1.00 TB/s</h3>",
            "<h3>gpu-0: 2.00 Top/s</h3>",
            "boxes 50.0%",
            "<h2>Bars: 0 of 1 pass</h2>",
            "<td>900 M</td><td>right</td>",
            "<h2>Pairs to hits on adapters</h2>",
            "<th>kernel</th><th>device</th><th>readback</th>",
            "<tr class=\"wrong\"><td>boxes</td><td>100,000</td><td>gpu-0</td>",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("<Card>") && !page.contains("cannot be drawn"));
        // The plots are: break-even, stages, rates, roofline, arithmetic, and a timeline.
        assert_eq!(page.matches("<svg ").count(), 6);
    }
}
