//! Bounds for measured values, which are called *bars*. An adapter should stay above or below each bar.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plan::with_commas;
use super::report::{AREA, AdapterReport, KernelRow, RELATION, Report, Row};
use super::table::scaled;

/// The required number of candidate pairs per second, on the path from candidate pairs in memory to hits in memory.
const TO_HITS: f64 = 2e8;
/// A scene has a bar for its hits per second only if at most this share of its candidate pairs is uncertain. Above this
/// share, the rate depends mainly on the exact arithmetic of the host.
const MOST_UNCERTAIN: f64 = 0.01;
/// The scenes with a bar for the relation kernel. Each has the required number of candidate pairs per second, measured
/// by dispatches of the kernel alone.
const KERNEL: [(&str, f64); 2] = [("boxes", 5e9), ("ngons", 2.5e9)];
/// The scene with a bar for the area kernel, and the required number of candidate pairs per second, measured by
/// dispatches of the kernel alone.
const AREAS: (&str, f64) = ("boxes", 1e9);
/// The greatest ratio of the relation kernel's time to the plain kernel's time, both without run-time checks.
const TO_PLAIN: f64 = 0.5;
/// The least number of polygons that keeps an adapter's kernel busy. A kernel has a bar at each measured size that is
/// not below this number.
const KERNEL_COUNT: usize = 100_000;

/// A required result: a measured value, its bound, and whether the value is within the bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Bar {
    /// The measured quantity and its unit.
    pub(super) what: String,
    /// The measured value.
    pub(super) figure: f64,
    /// Whether the bound is the least or the greatest allowed value: `at least` or `at most`.
    pub(super) side: String,
    /// The bound, in the unit of the measured value.
    pub(super) bound: f64,
    /// Whether the value is within the bound, and the measurement is valid.
    pub(super) passes: bool,
}

impl Bar {
    pub(super) fn at_least(what: String, figure: f64, bound: f64) -> Self {
        Self { what, figure, side: "at least".into(), bound, passes: figure.is_finite() && figure >= bound }
    }

    pub(super) fn at_most(what: String, figure: f64, bound: f64) -> Self {
        Self { what, figure, side: "at most".into(), bound, passes: figure.is_finite() && figure <= bound }
    }

    /// Makes the bar pass only if the condition also holds.
    fn only_if(self, condition: bool) -> Self {
        Self { passes: self.passes && condition, ..self }
    }

    pub(super) fn line(&self) -> String {
        let Self { what, figure, side, bound, passes } = self;
        let verdict = if *passes { "pass" } else { "MISS" };
        format!("{verdict}  {what:<84}{:>8}, {side} {}", scaled(*figure), scaled(*bound))
    }
}

/// Returns a title such as `Bars: 3 of 4 pass`.
pub(super) fn title(bars: &[Bar]) -> String {
    format!("Bars: {} of {} pass", bars.iter().filter(|bar| bar.passes).count(), bars.len())
}

/// Returns the bars of all adapters. A hardware adapter has a bar for its rate of hits in each scene, at the largest
/// size, and bars for its kernels. A software adapter has only one kind of bar: the ratio of its kernel's time to the
/// plain kernel's time. Its speed has no meaning.
pub(super) fn bars(report: &Report) -> Vec<Bar> {
    let of = |adapter: &AdapterReport| {
        if adapter.is_hardware {
            [rates_to_hits, kernel_rates, area_rates].map(|rates| rates(report, &adapter.contender)).concat()
        } else {
            ratios_to_plain(report, &adapter.contender)
        }
    };
    report.adapters.iter().flat_map(of).collect()
}

/// Returns a line for each scene in which the rate of hits of a hardware adapter has no bar. The rate has no bar if
/// exact arithmetic on the host decides too many of the pairs.
pub(super) fn without_bar(report: &Report) -> Vec<String> {
    let hardware = report.adapters.iter().filter(|adapter| adapter.is_hardware);
    let of = |adapter: &AdapterReport| -> Vec<String> {
        let uncertain =
            to_hits(report, &adapter.contender).filter(|row| row.uncertain_share() > MOST_UNCERTAIN);
        let line = |row: &Row| {
            format!(
                "no bar for {}, pairs to hits: {:.1}% of the candidates are left to exact arithmetic on the host, more than {:.0}%",
                place(&row.contender, &row.scene, row.count),
                100.0 * row.uncertain_share(),
                100.0 * MOST_UNCERTAIN
            )
        };
        uncertain.map(line).collect()
    };
    hardware.flat_map(of).collect()
}

/// Returns, for each scene, the row of a contender at the largest size that has a rate of hits.
fn to_hits<'a>(report: &'a Report, contender: &'a str) -> impl Iterator<Item = &'a Row> {
    report.scenes().into_iter().filter_map(move |scene| {
        let rows = report.rows.iter().filter(|row| row.scene == scene && row.contender == contender);
        rows.filter(|row| row.to_hits.is_some()).max_by_key(|row| row.count)
    })
}

fn rates_to_hits(report: &Report, contender: &str) -> Vec<Bar> {
    let bar = |row: &Row| {
        let hits = row.to_hits.as_ref()?;
        let what = format!("{}: pairs to hits, pairs/s", place(contender, &row.scene, row.count));
        Some(Bar::at_least(what, hits.pairs_per_second, TO_HITS).only_if(hits.is_right))
    };
    let rows = to_hits(report, contender).filter(|row| row.uncertain_share() <= MOST_UNCERTAIN);
    rows.filter_map(bar).collect()
}

/// Returns the kernel rows of a contender in a scene, at each size that has a bar.
fn judged<'a>(report: &'a Report, scene: &'a str, contender: &'a str) -> impl Iterator<Item = &'a KernelRow> {
    let of = move |row: &&KernelRow| row.scene == scene && row.contender == contender;
    report.kernels.iter().filter(of).filter(|row| row.count >= KERNEL_COUNT)
}

fn kernel_rates(report: &Report, contender: &str) -> Vec<Bar> {
    let bar = |row: &KernelRow, bound| {
        let clock =
            if row.by_device_clock { "the device's clock" } else { "the host's clock, the device has none" };
        let what = format!("{}: kernel by {clock}, pairs/s", place(contender, &row.scene, row.count));
        // The rate is 0 if nothing was measured, so that the bar does not pass.
        let rate = row.relation().and_then(|kernel| row.pairs_per_second(kernel)).unwrap_or(0.0);
        Bar::at_least(what, rate, bound).only_if(row.by_device_clock)
    };
    let of_scene = |(scene, bound)| judged(report, scene, contender).map(move |row| bar(row, bound));
    KERNEL.into_iter().flat_map(of_scene).collect()
}

fn area_rates(report: &Report, contender: &str) -> Vec<Bar> {
    let (scene, bound) = AREAS;
    let bar = |row: &KernelRow| {
        let what = format!("{}: kernel of areas, pairs/s", place(contender, scene, row.count));
        let kernel = row.find(AREA, true)?;
        Some(Bar::at_least(what, row.pairs_per_second(kernel)?, bound).only_if(row.by_device_clock))
    };
    judged(report, scene, contender).filter_map(bar).collect()
}

fn ratios_to_plain(report: &Report, contender: &str) -> Vec<Bar> {
    let bar = |row: &KernelRow| {
        let what = format!(
            "{}: kernel's time over the plain one's, both unchecked",
            place(contender, &row.scene, row.count)
        );
        // The ratio is `None` if one of the two kernels was not measured. The bar then does not pass.
        let ratio = row.find(RELATION, false).and_then(|kernel| row.ratio_to_plain(kernel));
        Bar::at_most(what, ratio.unwrap_or(0.0), TO_PLAIN).only_if(ratio.is_some())
    };
    let of_scene = |scene| {
        let rows: Vec<&KernelRow> = judged(report, scene, contender).collect();
        // If the caller chose only sizes below `KERNEL_COUNT`, the ratio is taken at the largest of these sizes.
        if rows.is_empty() { report.largest_kernels(scene, contender).into_iter().collect() } else { rows }
    };
    report.scenes().into_iter().flat_map(of_scene).map(bar).collect()
}

fn place(contender: &str, scene: &str, count: usize) -> String {
    format!("{contender}, {scene}, {}", with_commas(count as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::made_up;

    fn lines(report: &Report) -> Vec<String> {
        let line = |bar: &Bar| bar.line().split_whitespace().collect::<Vec<_>>().join(" ");
        bars(report).iter().map(line).collect()
    }

    #[test]
    fn hardware_has_bars_for_its_rates() {
        let mut report = made_up::report();
        let slow = "MISS gpu-0, boxes, 100,000: pairs to hits, pairs/s 100 M, at least 200 M";
        // A kernel row with few polygons has no bar.
        report.kernels[0].pairs = 18_000_000;
        assert_eq!(lines(&report), [slow]);
        report.kernels[0].count = 100_000;
        let kernel_passes =
            "pass gpu-0, boxes, 100,000: kernel by the device's clock, pairs/s 6.00 G, at least 5.00 G";
        assert_eq!(lines(&report), [slow, kernel_passes]);

        // Each size of at least `KERNEL_COUNT` has a bar.
        let mut larger = report.kernels[0].clone();
        (larger.count, larger.pairs) = (1_000_000, 12_000_000);
        report.kernels.push(larger);
        let kernel_misses =
            "MISS gpu-0, boxes, 1,000,000: kernel by the device's clock, pairs/s 4.00 G, at least 5.00 G";
        assert_eq!(lines(&report), [slow, kernel_passes, kernel_misses]);
        report.kernels.pop();

        // A bar does not pass if the answer is wrong, or if the time is by the clock of the host.
        let hits = report.rows[3].to_hits.as_mut().unwrap();
        hits.pairs_per_second = 2e8;
        report.kernels[0].by_device_clock = false;
        assert!(bars(&report).iter().all(|bar| bar.figure >= bar.bound && !bar.passes));
        assert_eq!(title(&bars(&report)), "Bars: 0 of 2 pass");
        report.rows[3].to_hits.as_mut().unwrap().is_right = true;
        assert_eq!(title(&bars(&report)), "Bars: 1 of 2 pass");

        // Only the scenes of `KERNEL` have a bar for their kernel.
        report.kernels[0].scene = "crowd".into();
        assert_eq!(
            lines(&report),
            ["pass gpu-0, boxes, 100,000: pairs to hits, pairs/s 200 M, at least 200 M"]
        );
    }

    #[test]
    fn what_was_not_measured_passes_no_bar() {
        let mut report = made_up::report();
        report.kernels[0].count = 100_000;
        report.kernels[0].kernels.iter_mut().for_each(|kernel| kernel.time.median_ms = 0.0);
        let kernel =
            "MISS gpu-0, boxes, 100,000: kernel by the device's clock, pairs/s 0.00, at least 5.00 G";
        assert_eq!(lines(&report)[1], kernel);
        report.adapters[0].is_hardware = false;
        assert!(bars(&report).iter().all(|bar| bar.figure == 0.0 && !bar.passes));
        assert_eq!(bars(&report).len(), 1);
        for bar in [f64::INFINITY, f64::NAN].map(|figure| Bar::at_least("all".into(), figure, 1.0)) {
            assert!(!bar.passes);
        }
    }

    #[test]
    fn where_the_host_decides_much_the_rate_to_hits_is_not_judged() {
        let mut report = made_up::report();
        let judged = |report: &Report| lines(report).iter().any(|line| line.contains("pairs to hits"));
        report.rows[3].answer.candidates = 1000;
        report.rows[3].uncertain = 10;
        assert!(judged(&report) && without_bar(&report).is_empty());
        report.rows[3].uncertain = 11;
        assert!(!judged(&report));
        let line = "no bar for gpu-0, boxes, 100,000, pairs to hits: 1.1% of the candidates are left to exact arithmetic \
                    on the host, more than 1%";
        assert_eq!(without_bar(&report), [line]);
        // A software adapter has no bar for its rate of hits, and no line that says so.
        report.adapters[0].is_hardware = false;
        assert!(without_bar(&report).is_empty());
    }

    #[test]
    fn a_software_adapter_has_the_contest_with_the_plain_kernel_alone() {
        let mut report = made_up::report();
        report.adapters[0].is_hardware = false;
        assert_eq!(
            lines(&report),
            [
                "pass gpu-0, boxes, 1,000: kernel's time over the plain one's, both unchecked 0.50, at most 0.50"
            ]
        );
        report.kernels[0].kernels[1].time.median_ms = 3.1;
        assert_eq!(
            lines(&report),
            [
                "MISS gpu-0, boxes, 1,000: kernel's time over the plain one's, both unchecked 0.52, at most 0.50"
            ]
        );
        report.kernels.clear();
        assert!(bars(&report).is_empty());
        // Without adapters there are no bars.
        report.adapters.clear();
        assert!(bars(&report).is_empty());
    }

    #[test]
    fn bars_are_read_again_and_an_earlier_report_has_none() {
        let report = made_up::report();
        let mut value: serde_json::Value = serde_json::from_str(&report.to_json().unwrap()).unwrap();
        let again: Report = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(again.bars, report.bars);
        value.as_object_mut().unwrap().remove("bars");
        for row in value["rows"].as_array_mut().unwrap() {
            row.as_object_mut().unwrap().remove("to_hits");
        }
        let earlier: Report = serde_json::from_value(value).unwrap();
        assert!(earlier.bars.is_empty() && earlier.rows.iter().all(|row| row.to_hits.is_none()));
    }
}
