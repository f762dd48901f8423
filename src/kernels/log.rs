//! Counts, timings and the timeline of a query while it runs.

use crate::answers::backend::Choice;
use crate::answers::envelope::Answers;
use crate::answers::results::{Counts, StageSpan, Timings};
use crate::base::clock::Instant;
use crate::base::sorting::sort_by_key;

/// The counts, timings and spans of a running query.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) counts: Counts,
    pub(crate) timings: Timings,
    /// For each stage of each chunk on the host, its time span.
    pub(crate) spans: Vec<StageSpan>,
    pub(crate) start: Instant,
}

/// A stage of a query on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    BroadPhase,
    Pack,
    Kernel,
    Exact,
    Check,
    Measure,
    Collect,
}

impl Log {
    /// Returns an empty log of a query that begins now.
    pub(crate) fn new() -> Self {
        Self {
            counts: Counts::default(),
            timings: Timings::default(),
            spans: Vec::new(),
            start: Instant::now(),
        }
    }

    /// Returns the answers of a query that ends now. Adds the time since the start of the log to `timings.total`.
    pub(crate) fn answers<T>(&self, items: Vec<T>, choice: &Choice) -> Answers<T> {
        let mut timings = self.timings;
        timings.total += self.start.elapsed();
        let (choice, counts) = (choice.clone(), self.counts);
        Answers { items, choice, counts, timings, timeline: Vec::new(), check: None }
    }

    /// Returns the answers of a query over candidate pairs that ends now. Unlike [`Log::answers`], includes the
    /// timeline of the stages on the host.
    pub(crate) fn walk_answers<T>(&self, items: Vec<T>, choice: &Choice) -> Answers<T> {
        let mut timeline = self.spans.clone();
        sort_by_key(&mut timeline, |span| (span.begin, span.end));
        Answers { timeline, ..self.answers(items, choice) }
    }

    /// Records that a stage of a chunk ends now, and adds the time since `begin` to the timings of the stage.
    pub(crate) fn end(&mut self, stage: Stage, chunk: u32, begin: Instant) {
        let end = Instant::now();
        let since = |at: Instant| at.saturating_duration_since(self.start);
        let (name, total) = match stage {
            Stage::BroadPhase => ("broad phase", &mut self.timings.broad_phase),
            Stage::Pack => ("pack", &mut self.timings.pack),
            Stage::Kernel => ("kernel", &mut self.timings.kernel),
            Stage::Exact => ("exact", &mut self.timings.exact),
            Stage::Check => ("check", &mut self.timings.check),
            Stage::Measure => ("measure", &mut self.timings.measure),
            Stage::Collect => ("collect", &mut self.timings.collect),
        };
        let span = StageSpan { chunk, stage: name, begin: since(begin), end: since(end) };
        *total += span.end.saturating_sub(span.begin);
        self.spans.push(span);
    }
}
