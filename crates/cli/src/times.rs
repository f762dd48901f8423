//! The wall-clock times of a run, apart from the stages that the library measures.

use std::time::{Duration, Instant};

/// When a run began, and the times of the stages that only the program has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    begin: Instant,
    /// The time spent on choosing and creating the engine: the estimate of the number of candidate pairs, and the search for an
    /// adapter.
    pub(super) backend: Duration,
    /// The time spent on writing the output.
    pub(super) write: Duration,
}

impl Times {
    /// Returns the times of a run that begins now.
    pub(super) fn begin() -> Self {
        Self { begin: Instant::now(), backend: Duration::ZERO, write: Duration::ZERO }
    }

    /// Runs `create`, and adds its time to `backend`.
    pub(super) fn of_backend<T>(&mut self, create: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let created = create();
        self.backend += begin.elapsed();
        created
    }

    /// Returns the times with `write` as the time of writing.
    pub(super) fn with_write(self, write: Duration) -> Self {
        Self { write, ..self }
    }

    /// Returns the time since the run began.
    pub(super) fn total(&self) -> Duration {
        self.begin.elapsed()
    }
}
