//! Counts the steps of searches, so that tests can compare the growth of the work with the growth of the input.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts one box that a search of this thread compares, or one run of edges that it compares together.
#[inline(always)]
pub(super) fn count() {
    #[cfg(test)]
    STEPS.with(|steps| steps.set(steps.get() + 1));
}

/// Returns the number of boxes and runs of edges that searches of this thread compare during a call of `run`.
#[cfg(test)]
pub(crate) fn during(run: impl FnOnce()) -> u64 {
    let before = STEPS.with(std::cell::Cell::get);
    run();
    STEPS.with(std::cell::Cell::get) - before
}
