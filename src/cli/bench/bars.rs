//! Figures that are to stay above or below a bound: what an adapter should reach.

use serde::{Deserialize, Serialize};

use super::plan::with_commas;
use super::report::{AdapterReport, RELATION, Report};
use super::table::scaled;

/// Candidate pairs a second, from pairs in memory to hits in memory.
const TO_HITS: f64 = 2e8;
/// Candidate pairs a second of the relation kernel alone, by scene.
const KERNEL: [(&str, f64); 2] = [("boxes", 5e9), ("ngons", 2.5e9)];
/// The relation kernel's time over that of the plain one, both without run-time checks.
const TO_PLAIN: f64 = 0.5;

/// A figure, its bound, and whether it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Bar {
    pub(super) what: String,
    pub(super) figure: f64,
    /// `at least` or `at most`.
    pub(super) side: String,
    pub(super) bound: f64,
    pub(super) passes: bool,
}

impl Bar {
    pub(super) fn at_least(what: String, figure: f64, bound: f64) -> Self {
        Self { what, figure, side: "at least".into(), bound, passes: figure >= bound }
    }

    pub(super) fn at_most(what: String, figure: f64, bound: f64) -> Self {
        Self { what, figure, side: "at most".into(), bound, passes: figure <= bound }
    }

    /// Passes only where this holds as well.
    fn only_if(self, condition: bool) -> Self {
        Self { passes: self.passes && condition, ..self }
    }

    pub(super) fn line(&self) -> String {
        let Self { what, figure, side, bound, passes } = self;
        let verdict = if *passes { "pass" } else { "MISS" };
        format!("{verdict}  {what:<84}{:>8}, {side} {}", scaled(*figure), scaled(*bound))
    }
}

/// `Bars: 3 of 4 pass`.
pub(super) fn title(bars: &[Bar]) -> String {
    format!("Bars: {} of {} pass", bars.iter().filter(|bar| bar.passes).count(), bars.len())
}

/// The bars of every adapter, each scene at its largest size: of hardware its rates, of a software adapter, whose speed says
/// nothing, the kernel beside the plain one.
pub(super) fn bars(report: &Report) -> Vec<Bar> {
    let of = |adapter: &AdapterReport| {
        if adapter.is_hardware {
            [rates_to_hits(report, &adapter.contender), kernel_rates(report, &adapter.contender)].concat()
        } else {
            ratios_to_plain(report, &adapter.contender)
        }
    };
    report.adapters.iter().flat_map(of).collect()
}

fn rates_to_hits(report: &Report, contender: &str) -> Vec<Bar> {
    let bar = |scene: &str| {
        let rows = report.rows.iter().filter(|row| row.scene == scene && row.contender == contender);
        let (count, hits) = rows
            .filter_map(|row| Some((row.count, row.to_hits.as_ref()?)))
            .max_by_key(|(count, _)| *count)?;
        let what = format!("{}: pairs to hits, pairs/s", place(contender, scene, count));
        Some(Bar::at_least(what, hits.pairs_per_second, TO_HITS).only_if(hits.is_right))
    };
    report.scenes().into_iter().filter_map(bar).collect()
}

fn kernel_rates(report: &Report, contender: &str) -> Vec<Bar> {
    let bar = |(scene, bound)| {
        let row = report.largest_kernels(scene, contender)?;
        let clock =
            if row.by_device_clock { "the device's clock" } else { "the host's clock, the device has none" };
        let what = format!("{}: kernel by {clock}, pairs/s", place(contender, scene, row.count));
        let rate = row.pairs as f64 / (row.relation()?.time.median_ms / 1e3);
        Some(Bar::at_least(what, rate, bound).only_if(row.by_device_clock))
    };
    KERNEL.into_iter().filter_map(bar).collect()
}

fn ratios_to_plain(report: &Report, contender: &str) -> Vec<Bar> {
    let bar = |scene: &str| {
        let row = report.largest_kernels(scene, contender)?;
        let ratio = row.ratio_to_plain(row.find(RELATION, false)?)?;
        let what = format!(
            "{}: kernel's time over the plain one's, both unchecked",
            place(contender, scene, row.count)
        );
        Some(Bar::at_most(what, ratio, TO_PLAIN))
    };
    report.scenes().into_iter().filter_map(bar).collect()
}

fn place(contender: &str, scene: &str, count: usize) -> String {
    format!("{contender}, {scene}, {}", with_commas(count as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::bench::made_up;

    fn lines(report: &Report) -> Vec<String> {
        let line = |bar: &Bar| bar.line().split_whitespace().collect::<Vec<_>>().join(" ");
        bars(report).iter().map(line).collect()
    }

    #[test]
    fn hardware_has_bars_for_its_rates_at_the_largest_size() {
        let mut report = made_up::report();
        let kernel_passes =
            "pass gpu-0, boxes, 1,000: kernel by the device's clock, pairs/s 6.00 G, at least 5.00 G";
        report.kernels[0].pairs = 18_000_000;
        let slow = "MISS gpu-0, boxes, 100,000: pairs to hits, pairs/s 100 M, at least 200 M";
        assert_eq!(lines(&report), [slow, kernel_passes]);

        // A wrong answer is no speed, nor is the host's clock the device's.
        let hits = report.rows[3].to_hits.as_mut().unwrap();
        hits.pairs_per_second = 2e8;
        report.kernels[0].by_device_clock = false;
        assert!(bars(&report).iter().all(|bar| bar.figure >= bar.bound && !bar.passes));
        assert_eq!(title(&bars(&report)), "Bars: 0 of 2 pass");
        report.rows[3].to_hits.as_mut().unwrap().is_right = true;
        assert_eq!(title(&bars(&report)), "Bars: 1 of 2 pass");

        // Other scenes have no bar for their kernel.
        report.kernels[0].scene = "crowd".into();
        assert_eq!(
            lines(&report),
            ["pass gpu-0, boxes, 100,000: pairs to hits, pairs/s 200 M, at least 200 M"]
        );
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
        // Without adapters there is nothing to reach.
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
