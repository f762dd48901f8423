//! `sat2d bench`: measures the time of joins, stage by stage, on every backend of this machine, and checks the answers.

mod analysis;
mod bars;
mod candidates;
mod compare;
mod contender;
#[cfg(feature = "gpu")]
mod device;
mod expected;
mod html;
mod machine;
#[cfg(test)]
mod made_up;
mod measure;
mod plan;
mod plots;
mod report;
mod table;
mod worlds;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use schemars::Schema;

use super::outputs::{check_ending, write_whole};
use super::progress::Bar;
use super::schema::schema_of;
use super::terminal::{print_marked, tell};
use super::{Outcome, generate, use_threads};
use crate::error::{Error, Result};
use candidates::Candidates;
use contender::{Backends, Contender};
use expected::{SEED, Table};
use machine::Machine;
use measure::Round;
use plan::{Plan, with_commas};
use report::{FORMAT, Report};
use sat2d::scenes::Scene;
use sat2d_io::Output;
use sat2d_io::internal::identity;

const EXAMPLES: &str = "\
Examples:
  sat2d bench --quick
  sat2d bench --json before.json --html report.html
  sat2d bench --compare before.json
  sat2d bench --compare before.json after.json
  sat2d bench --worlds --count 10000,100000 --json worlds.json
  sat2d bench --scene boxes,crowd --count 100000 --threads 1,2,4,0 --backend cpu --repeats 15

Exit codes: 0 measured and every answer right, 1 an answer was wrong or a run failed, 2 error.";

/// Measure whole self-joins of generated scenes on the CPU and on every adapter, by stage.
///
/// The total time is from rings in memory to sorted pairs in memory. The report also has the rate from candidate pairs to
/// compacted hits, with a prepared set. The contenders (the CPU and the adapters) run in turn on the same input. Every answer
/// is compared with exact arithmetic, by counts and by a hash of the sorted pairs. Break-even is the size from which an adapter
/// is faster than all threads of the CPU. Software adapters are measured only on the smaller sizes: they prove answers, not speed.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Measure fewer sizes with fewer repeats, in less than a minute.
    #[arg(long)]
    quick: bool,
    /// Measure steps of simulated worlds instead: a pile of bodies, and particles among polygons, one polygon per 100 particles.
    ///
    /// --count is then the number of bodies, at most 10,000,000 [default: 10000,100000,1000000]. For a million bodies on hardware,
    /// the report says whether the two worlds reach 60 and 200 steps per second with less than 1,024 bytes of device memory per body.
    #[arg(long, conflicts_with_all = ["quick", "scene", "repeats", "html", "compare", "expected", "write_expected"])]
    worlds: bool,
    /// With --worlds: number of steps before the timed steps [default: 120]. The bodies come to rest in 120 steps. With fewer
    /// steps, the depth of overlaps is not checked.
    #[arg(long, value_name = "N", requires = "worlds", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    settle: Option<u32>,
    /// With --worlds: number of steps of each timed run [default: 20].
    #[arg(long, value_name = "N", requires = "worlds", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    run_steps: Option<u32>,
    /// Scenes, separated by commas [default: all].
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = generate::scene_parser())]
    scene: Vec<Scene>,
    /// Numbers of polygons, separated by commas [default: 1000,10000,100000,1000000].
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    count: Vec<u32>,
    /// Number of timed runs of each contender, after one untimed run [default: 5 to 25, more for shorter runs].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeats: Option<u32>,
    /// Numbers of CPU threads, separated by commas. 0 stands for all threads.
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1,0", value_parser = clap::value_parser!(u32).range(0..=4096))]
    threads: Vec<u32>,
    /// Which backends to measure.
    #[arg(long, value_enum, default_value_t = Backends::All)]
    backend: Backends,
    /// Time limit in seconds. Runs that would end later are not started, but listed [default: 480, with --quick 45].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    budget: Option<u32>,
    /// Write every number to FILE, with the machine, the adapters and the commit. `-` prints the JSON instead of the table.
    /// `sat2d schema bench` and `sat2d schema worlds` print the meaning of each field [default: sat2d-bench.json; none with --worlds].
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a report with plots to FILE, as one self-contained page [default: sat2d-bench.html].
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write only the files that --json and --html name.
    #[arg(long)]
    no_files: bool,
    /// Show the ratios of times to an earlier run, from FILE that the earlier run wrote with --json. With a second FILE, compare
    /// the two files and measure nothing.
    #[arg(long, value_name = "FILE", num_args = 1..=2)]
    compare: Vec<PathBuf>,
    /// Take the right answers from this file instead of the built-in table.
    #[arg(long, value_name = "FILE", hide = true)]
    expected: Option<PathBuf>,
    /// Instead of measuring, find the answers of the scenes and sizes by exact arithmetic and write them to FILE.
    #[arg(long, value_name = "FILE", hide = true)]
    write_expected: Option<PathBuf>,
}

/// Returns the schema of the `--json` file without `--worlds`.
pub(super) fn schema() -> Schema {
    schema_of::<Report>()
}

/// Returns the schema of the `--json` file with `--worlds`.
pub(super) fn schema_of_worlds() -> Schema {
    schema_of::<worlds::Report>()
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    if let Some(path) = &arguments.write_expected {
        return write_expected(arguments, path);
    }
    if arguments.worlds {
        return run_worlds(arguments);
    }
    // Errors in the options are reported before the measurements, which take long.
    let old = arguments.compare.first().map(|path| Report::read(path)).transpose()?;
    let new = arguments.compare.get(1).map(|path| Report::read(path)).transpose()?;
    let outputs = Outputs::open(&Files::of(arguments))?;
    let table_is_wanted =
        ![&arguments.json, &arguments.html].into_iter().flatten().any(|path| path.as_os_str() == "-");
    let print = |lines: &[String], is_red: &dyn Fn(usize) -> bool| {
        if table_is_wanted { print_marked(lines, is_red) } else { Ok(()) }
    };
    let report = match new {
        Some(report) => report,
        None => {
            let table = arguments.expected.as_deref().map_or_else(Table::shipped, Table::read)?;
            let report = measure(arguments, &table, &print)?;
            print(&table::summary(&report), &|_| false)?;
            report
        }
    };
    let comparison = old.as_ref().map(|old| compare::compare(old, &report).lines(old, &report));
    if let Some(lines) = &comparison {
        print(lines, &|_| false)?;
    }
    let files = outputs.write(&report, comparison.as_deref())?;
    if !files.is_empty() {
        tell(&format!("wrote {}", files.join(" and ")));
    }
    for failure in &report.failures {
        tell(&format!("failed: {failure}"));
    }
    Ok(if report.failures.is_empty() { Outcome::Answered } else { Outcome::Disagreement })
}

fn run_worlds(arguments: &Arguments) -> Result<Outcome> {
    let outputs = Outputs::open(&Files { json: arguments.json.as_deref(), ..Files::default() })?;
    let table_is_wanted = arguments.json.as_ref().is_none_or(|path| path.as_os_str() != "-");
    let print = |lines: &[String], is_red: &dyn Fn(usize) -> bool| {
        if table_is_wanted { print_marked(lines, is_red) } else { Ok(()) }
    };
    let report = worlds::measure(arguments, &print)?;
    print(&report.summary(), &|_| false)?;
    if let Some(output) = outputs.json {
        write_json(output, &report)?;
    }
    report.failures.iter().for_each(|failure| tell(&format!("failed: {failure}")));
    Ok(if report.failures.is_empty() { Outcome::Answered } else { Outcome::Disagreement })
}

fn write_json(output: Output, report: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(report);
    let text = text.map_err(|e| Error::write(output.name(), e.into()))?;
    write_whole(output, (text + "\n").as_bytes())
}

/// The paths of the report's files. A path is `None` if the file is not written.
#[derive(Default)]
struct Files<'a> {
    json: Option<&'a Path>,
    html: Option<&'a Path>,
    /// The names of the files that have their default name, because the caller named no file.
    defaults: Vec<&'static str>,
}

impl<'a> Files<'a> {
    /// Returns the paths of the files to write. A file that the caller did not name has a default name in the current
    /// folder. If `--compare` names the file with the default name, this file is not written.
    fn of(arguments: &'a Arguments) -> Self {
        let mut files =
            Files { json: arguments.json.as_deref(), html: arguments.html.as_deref(), ..Self::default() };
        // A comparison of two earlier reports has no new results to keep.
        if arguments.no_files || arguments.compare.len() == 2 {
            return files;
        }
        for (file, name) in [(&mut files.json, "sat2d-bench.json"), (&mut files.html, "sat2d-bench.html")] {
            let is_compared = || arguments.compare.iter().any(|old| is_same(old, Path::new(name)));
            if file.is_none() && is_compared() {
                tell(&format!(
                    "note: {name} is compared with and is not replaced; --json FILE keeps the new numbers"
                ));
            } else if file.is_none() {
                *file = Some(Path::new(name));
                files.defaults.push(name);
            }
        }
        files
    }
}

/// Returns whether two paths lead to the same existing file.
fn is_same(a: &Path, b: &Path) -> bool {
    identity(a).is_some_and(|file| identity(b) == Some(file))
}

/// The report's open files.
struct Outputs {
    json: Option<Output>,
    html: Option<Output>,
    defaults: Vec<&'static str>,
}

impl Outputs {
    fn open(files: &Files<'_>) -> Result<Self> {
        if let (Some(json), Some(html)) = (files.json, files.html)
            && is_same(json, html)
        {
            return Err(Error::Option {
                option: "--html",
                value: html.display().to_string(),
                problem: "is another output of this run; name another file",
            });
        }
        check_ending(
            "--json",
            files.json,
            &["json"],
            "names another format, but this report is JSON; end it in .json",
        )?;
        check_ending(
            "--html",
            files.html,
            &["html", "htm"],
            "names another format, but this report is HTML; end it in .html",
        )?;
        let open = |path: Option<&Path>| path.map(|path| Output::create(Some(path))).transpose();
        Ok(Self { json: open(files.json)?, html: open(files.html)?, defaults: files.defaults.clone() })
    }

    /// Writes the report to the output files, and commits them. Returns the names of the files that have their default name, or
    /// an error if a file cannot be written.
    fn write(self, report: &Report, comparison: Option<&[String]>) -> Result<Vec<&'static str>> {
        if let Some(output) = self.json {
            let text = report.to_json();
            let text = text.map_err(|e| Error::write(output.name(), e.into()))?;
            write_whole(output, text.as_bytes())?;
        }
        if let Some(output) = self.html {
            write_whole(output, html::page(report, comparison).as_bytes())?;
        }
        Ok(self.defaults)
    }
}

/// Runs all requested measurements, and prints one line for each row as it arrives. Returns an error if a contender or the input
/// of a round cannot be created, or if a line cannot be printed. A failed run is no error: the report lists it.
fn measure(arguments: &Arguments, table: &Table, print: Print<'_>) -> Result<Report> {
    use_threads(None)?;
    let bar = Bar::new();
    bar.message("starting the backends".into());
    let threads: Vec<usize> = arguments.threads.iter().map(|&threads| threads as usize).collect();
    let (contenders, missing) = contender::contenders(arguments.backend, &threads)?;
    let mut plan = plan_of(arguments);
    let mut report = empty_report(arguments.quick, &contenders);
    report.left_out = plan.left_out(arguments.quick);
    report.left_out.extend(missing);

    bar.message("copy bandwidth and arithmetic".into());
    for contender in &contenders {
        let rate = contender.copy_bytes_per_second();
        match &contender.adapter {
            None if contender.name == contender::ALL_THREADS => report.host_copy_bytes_per_second = rate,
            None => {}
            Some(adapter) => report.adapters.push(report::AdapterReport {
                copy_bytes_per_second: rate,
                operations_per_second: contender.operations_per_second(),
                ..adapter.clone()
            }),
        }
    }
    print_beside(&bar, print, &head(&report, &contenders), &|_| false)?;
    for (scene, count) in plan.rounds() {
        bar.message(format!("{scene}, {} polygons", with_commas(count as u64)));
        if contenders.iter().all(|contender| plan.refusal(scene, count, contender).is_some()) {
            let refusals = contenders.iter().filter_map(|c| plan.refusal(scene, count, c));
            refusals.for_each(|line| report.leave_out(line));
            continue;
        }
        let round = round(scene, count, table)?;
        let measured = measure::alternate(&round, &contenders, &mut plan);
        let lines: Vec<String> = measured.rows.iter().map(table::line).collect();
        print_beside(&bar, print, &lines, &|index| !measured.rows[index].all_right())?;
        report.rows.extend(measured.rows);
        measured.left_out.into_iter().for_each(|line| report.leave_out(line));
        report.failures.extend(measured.failures);
        measure::beside(&round, &contenders, &mut report);
    }
    drop(bar);
    report.break_even = analysis::break_even(&report);
    report.bars = bars::bars(&report);
    report.left_out.extend(bars::without_bar(&report));
    report.seconds = plan.elapsed().as_secs_f64();
    Ok(report)
}

/// A function that prints lines. The second argument returns whether the line at an index is red.
type Print<'a> = &'a dyn Fn(&[String], &dyn Fn(usize) -> bool) -> Result<()>;

/// Prints lines with `print` while the progress bar is hidden. Returns the error of `print`.
fn print_beside(bar: &Bar, print: Print<'_>, lines: &[String], is_red: &dyn Fn(usize) -> bool) -> Result<()> {
    let mut result = Ok(());
    bar.suspend(|| result = print(lines, is_red));
    result
}

fn plan_of(arguments: &Arguments) -> Plan {
    let scenes = if arguments.scene.is_empty() { Scene::ALL.to_vec() } else { arguments.scene.clone() };
    let mut counts: Vec<usize> = arguments.count.iter().map(|&count| count as usize).collect();
    counts.sort_unstable();
    counts.dedup();
    let counts = (!counts.is_empty()).then_some(counts);
    let budget = arguments.budget.unwrap_or(if arguments.quick { 45 } else { 480 });
    let repeats = arguments.repeats.map(|repeats| repeats as usize);
    Plan::new(arguments.quick, scenes, counts, repeats, Duration::from_secs(budget.into()))
}

fn empty_report(quick: bool, contenders: &[Contender]) -> Report {
    Report {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").into(),
        commit: machine::commit(),
        optimised: !cfg!(debug_assertions),
        machine: Machine::this(),
        adapters: Vec::with_capacity(contenders.len()),
        host_copy_bytes_per_second: None,
        quick,
        seed: SEED,
        rows: Vec::new(),
        break_even: Vec::new(),
        bars: Vec::new(),
        kernels: Vec::new(),
        timelines: Vec::new(),
        left_out: Vec::new(),
        failures: Vec::new(),
        seconds: 0.0,
    }
}

fn head(report: &Report, contenders: &[Contender]) -> Vec<String> {
    let mut lines =
        vec![format!("sat2d {}, commit {}", report.version, report.commit), report.machine.line()];
    for contender in contenders {
        let threads =
            if contender.threads == 1 { "1 thread".into() } else { format!("{} threads", contender.threads) };
        let what = contender.adapter.as_ref().map_or(threads, report::AdapterReport::line);
        lines.push(format!("{:<9}{what}", contender.name));
    }
    if !report.optimised {
        lines.push("note: built without optimisation; the times mean nothing".into());
    }
    lines.extend(table::legend());
    lines.push(String::new());
    lines.push(table::header());
    lines
}

/// Returns the input of a round: a scene and its right answer. The answer comes from `table`, or from exact arithmetic if the
/// table lacks it. Returns an error if the set or its broad phase fails.
fn round(scene: Scene, count: usize, table: &Table) -> Result<Round> {
    let rings = scene.generate(count, SEED);
    let stored = table.find(scene, count).cloned();
    let expected_was_stored = stored.is_some();
    let expected = stored.map_or_else(|| expected::exact(&rings), Ok)?;
    let candidates = Candidates::of(&rings)?;
    Ok(Round { scene, count, rings, candidates, expected, expected_was_stored })
}

fn write_expected(arguments: &Arguments, path: &Path) -> Result<Outcome> {
    let output = Output::create(Some(path))?;
    use_threads(None)?;
    let bar = Bar::new();
    let plan = plan_of(arguments);
    let mut table = Table::default();
    let mut rounds = plan.rounds();
    rounds.sort_by_key(|(scene, _)| Scene::ALL.iter().position(|s| s == scene));
    for (scene, count) in rounds {
        bar.message(format!("{scene}, {} polygons, exactly", with_commas(count as u64)));
        table.add(scene, count, expected::exact(&scene.generate(count, SEED))?);
    }
    write_whole(output, table.to_csv().as_bytes())?;
    Ok(Outcome::Answered)
}
