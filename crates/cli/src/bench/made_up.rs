//! A report with invented values, for tests.

use serde_json::json;

use super::report::{HITS_STAGES, Report, STAGES, Stage, ToHits};
use super::{analysis, bars};

fn row(contender: &str, count: usize, ms: f64) -> serde_json::Value {
    let time = json!({ "median_ms": ms, "least_ms": ms });
    let answer = json!({ "candidates": 9, "disjoint": 4, "touching": 0, "overlapping": 5, "hash": "" });
    let stages: Vec<_> =
        STAGES.iter().map(|name| json!({ "name": name, "median_ms": 1.0, "least_ms": 1.0 })).collect();
    json!({
        "scene": "boxes", "count": count, "vertices": 4 * count, "contender": contender, "threads": 2,
        "adapter": null, "is_software": false, "repeats": 1, "total": time, "runs_ms": [ms],
        "cpu_time": time, "stages": stages, "rest": time, "pairs_per_second": 1e6,
        "kernel_pairs_per_second": 1e6, "kernel_least_bytes": contender.starts_with("gpu").then_some(1e6), "uncertain": 0, "answer": answer,
        "expected": answer, "expected_was_stored": true, "is_right": true,
    })
}

pub(super) fn report() -> Report {
    let kernel = |name, run_time_checks, ms| {
        let time = json!({ "median_ms": ms, "least_ms": ms });
        json!({ "kernel": name, "run_time_checks": run_time_checks, "time": time, "wrong": 0, "uncertain": 0 })
    };
    let span = |chunk, stage, start: f64| json!({ "chunk": chunk, "stage": stage, "start_ms": start, "end_ms": start + 2.0 });
    let mut report: Report = serde_json::from_value(json!({
        "format": 1, "version": "0", "commit": "unknown", "optimised": true,
        "machine": { "cpu": "a", "cores": 2, "vectors": "b", "memory_bytes": null, "system": "c" },
        "adapters": [{ "contender": "gpu-0", "name": "<Card>", "interface": "i", "driver": "d",
            "is_hardware": true, "copy_bytes_per_second": 1e12, "operations_per_second": 2e12 }],
        "host_copy_bytes_per_second": 1e10, "quick": false, "seed": 1,
        "rows": [row("cpu-all", 1000, 1.0), row("gpu-0", 1000, 10.0), row("cpu-all", 100_000, 10.0),
            row("gpu-0", 100_000, 1.0)],
        "break_even": [],
        "kernels": [{ "scene": "boxes", "count": 1000, "contender": "gpu-0", "pairs": 9,
            "by_device_clock": true, "least_bytes": 1000, "moved_bytes": 2000, "operations": 3_000_000_000u64,
            "kernels": [kernel("relation", true, 3.0), kernel("relation", false, 3.0), kernel("plain", false, 6.0)] }],
        "timelines": [{ "scene": "boxes", "count": 1000, "contender": "gpu-0",
            "spans": [span(0, "upload", 0.0), span(0, "kernel", 2.0), span(1, "upload", 2.0)] }],
        "left_out": [], "failures": ["one & only"], "seconds": 1.0,
    }))
    .unwrap();
    // One row of hits is right and fast, and the other is wrong and slow. The rows of the CPU have no hits.
    for (row, is_right, rate) in [(1, true, 9e8), (3, false, 1e8)] {
        let row = &mut report.rows[row];
        row.to_hits = Some(ToHits {
            time: row.total,
            stages: HITS_STAGES.map(|name| Stage { name: name.into(), time: row.total }).into(),
            kernel_on_device: None,
            runs_ms: row.runs_ms.clone(),
            pairs_per_second: rate,
            answer: row.answer.clone(),
            is_right,
        });
    }
    report.break_even = analysis::break_even(&report);
    report.bars = bars::bars(&report);
    report
}
