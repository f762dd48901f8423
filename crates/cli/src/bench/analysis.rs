//! Derives break-even sizes from the rows of a report.

use super::contender::ALL_THREADS;
use super::report::{BreakEven, Report, Verdict};

/// Returns the break-even size of each adapter in each scene: the size from which the adapter is faster than all threads of the
/// CPU. The comparison uses the medians of the total times.
pub(super) fn break_even(report: &Report) -> Vec<BreakEven> {
    let mut found = Vec::new();
    for adapter in &report.adapters {
        for scene in report.scenes() {
            let points = ratios(report, scene, &adapter.contender);
            if let (Some((smallest, _)), Some((largest, _)), Some(verdict)) =
                (points.first(), points.last(), verdict(&points))
            {
                found.push(BreakEven {
                    scene: scene.into(),
                    contender: adapter.contender.clone(),
                    smallest: *smallest,
                    largest: *largest,
                    verdict,
                });
            }
        }
    }
    found
}

/// Returns a list with one entry for each measured size of a scene: the size, and the time of the adapter divided by
/// the time of all CPU threads. `contender` is the name of the adapter.
pub(super) fn ratios(report: &Report, scene: &str, contender: &str) -> Vec<(usize, f64)> {
    let rows = report.rows.iter().filter(|row| row.scene == scene && row.contender == contender);
    let mut points: Vec<(usize, f64)> = rows
        .filter_map(|row| {
            let cpu = report.find(scene, row.count, ALL_THREADS)?;
            Some((row.count, row.total.median_ms / cpu.total.median_ms))
        })
        .collect();
    points.sort_by_key(|point| point.0);
    points
}

/// Returns the sizes at which the adapter is faster than the CPU. `points` has each measured size and the ratio of the
/// adapter's time to the CPU's time, sorted by size. If the adapter is faster only at the largest sizes, the result has
/// the break-even size, which is interpolated linearly between two measured sizes, with both axes logarithmic. Returns
/// `None` if there are no points.
fn verdict(points: &[(usize, f64)]) -> Option<Verdict> {
    let &(_, last) = points.last()?;
    if last >= 1.0 {
        return Some(Verdict::Cpu);
    }
    let Some(below) = points.iter().rposition(|&(_, ratio)| ratio >= 1.0) else {
        return Some(Verdict::Adapter);
    };
    let ((n, r), (next_n, next_r)) = (points[below], points[below + 1]);
    let (n, next_n) = ((n as f64).ln(), (next_n as f64).ln());
    let share = r.ln() / (r.ln() - next_r.ln());
    Some(Verdict::AdapterFrom((n + share * (next_n - n)).exp()))
}

/// Returns the geometric mean of at least one positive number.
pub(super) fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len().max(1) as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_break_even_is_where_the_last_crossing_is() {
        assert_eq!(verdict(&[]), None);
        assert_eq!(verdict(&[(1000, 9.0), (10_000, 1.0)]), Some(Verdict::Cpu));
        assert_eq!(verdict(&[(1000, 0.9), (10_000, 0.5)]), Some(Verdict::Adapter));
        let Some(Verdict::AdapterFrom(size)) = verdict(&[(1000, 0.9), (10_000, 10.0), (100_000, 0.1)]) else {
            panic!("it crosses");
        };
        assert!((size / 31_622.8 - 1.0).abs() < 1e-3, "{size}");
    }

    #[test]
    fn means_are_geometric() {
        assert!((geometric_mean(&[1.0, 4.0]) - 2.0).abs() < 1e-12);
    }
}
