//! Required results of a benchmark: measured values that must stay above or below a bound.

use std::fmt;

use serde::Serialize;

/// A measured value, its bound, and whether the value satisfies the bound.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Bar {
    what: String,
    figure: f64,
    /// The side of the bound on which the value must be: `at least` or `at most`.
    side: &'static str,
    bound: f64,
    passes: bool,
}

impl Bar {
    pub(crate) fn at_least(what: String, figure: f64, bound: f64) -> Self {
        Self { what, figure, side: "at least", bound, passes: figure >= bound }
    }

    pub(crate) fn at_most(what: String, figure: f64, bound: f64) -> Self {
        Self { what, figure, side: "at most", bound, passes: figure <= bound }
    }

    pub(crate) fn passes(&self) -> bool {
        self.passes
    }

    /// Returns the bar with an additional condition: it passes only if `condition` is true as well.
    pub(crate) fn only_if(self, condition: bool) -> Self {
        Self { passes: self.passes && condition, ..self }
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, figure, side, bound, passes } = self;
        let verdict = if *passes { "pass" } else { "MISS" };
        if *bound < 100.0 {
            write!(f, "  {verdict}  {what:<66} {figure:>7.2}, {side} {bound}")
        } else {
            write!(f, "  {verdict}  {what:<66} {figure:>7.0}, {side} {bound:.0}")
        }
    }
}

/// The result of a stage of the benchmark.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verdict {
    /// Whether every answer of sat2d equals the exact or stored answer, and every world stays within its bounds.
    pub(crate) is_right: bool,
    /// Whether every bar passes.
    pub(crate) passes: bool,
}

impl Verdict {
    pub(crate) fn new(is_right: bool, bars: &[Bar]) -> Self {
        Self { is_right, passes: bars.iter().all(Bar::passes) }
    }
}

/// Prints the bars under a title, and the number of bars that pass.
pub(crate) fn print(bars: &[Bar]) {
    if bars.is_empty() {
        return;
    }
    println!("\nbars: {} of {} pass", bars.iter().filter(|bar| bar.passes).count(), bars.len());
    for bar in bars {
        println!("{bar}");
    }
}

/// Returns a text such as `1 thread` or `2 threads`.
pub(crate) fn threads(count: usize) -> String {
    format!("{count} thread{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_hold_on_their_side() {
        let verdict = |bar: Bar| bar.to_string().split_whitespace().next().map(str::to_owned);
        assert_eq!(verdict(Bar::at_least("a".into(), 5.0, 5.0)).as_deref(), Some("pass"));
        assert_eq!(verdict(Bar::at_least("a".into(), 4.9, 5.0)).as_deref(), Some("MISS"));
        assert_eq!(verdict(Bar::at_most("a".into(), 1.15, 1.15)).as_deref(), Some("pass"));
        assert_eq!(verdict(Bar::at_most("a".into(), 501.0, 500.0)).as_deref(), Some("MISS"));
        assert_eq!(verdict(Bar::at_least("a".into(), 6.0, 5.0).only_if(false)).as_deref(), Some("MISS"));
        assert_eq!(verdict(Bar::at_least("a".into(), 6.0, 5.0).only_if(true)).as_deref(), Some("pass"));
        let missed = Bar::at_least("a".into(), 4.9, 5.0);
        assert!(Verdict::new(false, &[]).passes && !Verdict::new(true, &[missed]).passes);
        // A time of 0 gives no speed.
        assert_eq!(verdict(Bar::at_least("a".into(), f64::NAN, 5.0)).as_deref(), Some("MISS"));
    }
}
