//! Runs work of Rust for Python: without Python's lock, in a thread pool of the caller's size, until Ctrl-C.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sat2d::Progress;

use crate::failure::Failure;

/// The time between two looks at the signals of Python.
const POLL: Duration = Duration::from_millis(50);
/// The time between two attempts to take a lock that another thread has.
const LOCK_POLL: Duration = Duration::from_millis(1);
/// The greatest number of threads of a call.
const MAX_THREADS: usize = 1024;

/// Ends work when the caller cancels it, and knows how far the work is.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    is_cancelled: AtomicBool,
    stage: Mutex<&'static str>,
    /// Candidate pairs decided so far.
    decided: AtomicU64,
}

thread_local! {
    /// The object of Python that calls of this thread report their progress to.
    static REPORT: RefCell<Option<Py<PyAny>>> = const { RefCell::new(None) };
}

/// Sets the object that the calls of this thread call with their stage and the number of decided pairs, about 20 times a
/// second. `None` ends the reports.
#[pyfunction]
#[pyo3(signature = (report))]
pub(crate) fn report_to(report: Option<Py<PyAny>>) {
    // The old object is dropped after the cell is free again, because its end may run code of Python.
    let old = REPORT.replace(report);
    drop(old);
}

/// The payload of the unwinding that ends cancelled work.
struct Cancelled;

impl Watch {
    /// Reports the stage and the number of decided pairs.
    fn report(&self, py: Python<'_>, report: Option<&Py<PyAny>>) -> PyResult<()> {
        let Some(report) = report else { return Ok(()) };
        let stage = *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        report.call1(py, (stage, self.decided.load(Ordering::Relaxed))).map(drop)
    }

    /// Whether the work is cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Unwinds if the work is cancelled. Unwinding skips the hook of panics, so that nothing is printed.
    pub(crate) fn check(&self) {
        if self.is_cancelled() {
            resume_unwind(Box::new(Cancelled));
        }
    }
}

/// A query reports its progress on the thread that runs it, between two chunks of pairs, where nothing is half done.
impl Progress for Watch {
    fn stage(&self, name: &'static str) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = name;
        self.check();
    }

    fn decided(&self, pairs: u64) {
        self.decided.store(pairs, Ordering::Relaxed);
        self.check();
    }
}

/// Runs `work` in a pool of `threads` threads, without Python's lock. `None` is the number of cores, or
/// `RAYON_NUM_THREADS`. Signals are handled meanwhile: an exception of a handler cancels the work, and is the result.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&Watch) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let watch = Watch::default();
    let report = REPORT.with_borrow(|report| report.as_ref().map(|report| report.clone_ref(py)));
    let mut signal = None;
    let result = py.detach(|| {
        let pool = pool(threads)?;
        let (sender, receiver) = sync_channel(1);
        pool.in_place_scope(|scope| {
            scope.spawn(|_| {
                let done = catch_unwind(AssertUnwindSafe(|| work(&watch)));
                // The receiver waits until it has received.
                let _ = sender.send(done);
            });
            loop {
                match receiver.recv_timeout(POLL) {
                    Ok(Ok(result)) => return result,
                    Ok(Err(payload)) => return Err(Failure::of_panic(&*payload)),
                    Err(RecvTimeoutError::Disconnected) => return Err(Failure::Defect("no result".into())),
                    Err(RecvTimeoutError::Timeout) if signal.is_none() => {
                        let look = |py: Python<'_>| {
                            run_handlers(py)?;
                            watch.report(py, report.as_ref())
                        };
                        signal = Python::try_attach(look).and_then(Result::err);
                        watch.is_cancelled.store(signal.is_some(), Ordering::Relaxed);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        })
    });
    match signal {
        Some(signal) => {
            // How far the work came. The signal is the result, whatever the report raises.
            let _ = watch.report(py, report.as_ref());
            Err(signal)
        }
        None => {
            let result = result.map_err(|failure| failure.raise(py))?;
            watch.report(py, report.as_ref())?;
            Ok(result)
        }
    }
}

thread_local! {
    /// The addresses of the locks that this thread has.
    static HELD: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    /// Whether this thread runs signal handlers in a call.
    static IN_HANDLER: Cell<bool> = const { Cell::new(false) };
}

/// Runs the handlers of signals that have arrived.
fn run_handlers(py: Python<'_>) -> PyResult<()> {
    let before = IN_HANDLER.replace(true);
    let result = py.check_signals();
    IN_HANDLER.set(before);
    result
}

/// The content of a lock. The lock is free again when this is dropped.
pub(crate) struct Held<'a, T> {
    content: MutexGuard<'a, T>,
    address: usize,
}

impl<T> Drop for Held<'_, T> {
    fn drop(&mut self) {
        HELD.with_borrow_mut(|held| held.retain(|&address| address != self.address));
    }
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.content
    }
}

impl<T> DerefMut for Held<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.content
    }
}

/// The content of a lock, once no other thread uses it. Takes the lock outside the thread pool: a thread of the pool that waits
/// for a part of its work may start another call, which would wait for the same thread.
///
/// A signal handler runs on the thread of the call that it interrupts. If that call has locks, the handler gets [`Failure::Busy`] for
/// every lock that is not free: it would wait for itself, or for a thread that waits for it.
pub(crate) fn locked<'a, T>(py: Python<'_>, lock: &'a Mutex<T>) -> PyResult<Held<'a, T>> {
    let address = (&raw const *lock).addr();
    let content = loop {
        match lock.try_lock() {
            Ok(content) => break content,
            Err(TryLockError::Poisoned(content)) => break PoisonError::into_inner(content),
            Err(TryLockError::WouldBlock) => {
                if IN_HANDLER.get() && HELD.with_borrow(|held| !held.is_empty()) {
                    return Err(Failure::Busy.raise(py));
                }
                py.detach(|| std::thread::sleep(LOCK_POLL));
                run_handlers(py)?;
            }
        }
    };
    HELD.with_borrow_mut(|held| held.push(address));
    Ok(Held { content, address })
}

/// The pools of a process by their number of threads.
#[derive(Default)]
struct Pools {
    process: u32,
    pools: HashMap<Option<usize>, Arc<ThreadPool>>,
}

static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

fn pool(threads: Option<usize>) -> Result<Arc<ThreadPool>, Failure> {
    if threads.is_some_and(|threads| !(1..=MAX_THREADS).contains(&threads)) {
        let given = threads.unwrap_or_default();
        return Err(Failure::Option(format!(
            "threads = {given}; give a number from 1 to {MAX_THREADS}, or None"
        )));
    }
    let mut all = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    let pools = all.get_or_insert_default();
    if pools.process != process {
        // The threads of a pool do not survive a fork. The pools of the parent are left alone: their locks may be held.
        std::mem::forget(std::mem::take(&mut pools.pools));
        pools.process = process;
    }
    if let Some(pool) = pools.pools.get(&threads) {
        return Ok(pool.clone());
    }
    let pool = Arc::new(build(threads)?);
    pools.pools.insert(threads, pool.clone());
    Ok(pool)
}

/// Builds a pool, with fewer threads if the system refuses some, as under a limit on the address space.
fn build(threads: Option<usize>) -> Result<ThreadPool, Failure> {
    let named =
        |count| ThreadPoolBuilder::new().num_threads(count).thread_name(|k| format!("sat2d {k}")).build();
    let mut error = match named(threads.unwrap_or(0)) {
        Ok(pool) => return Ok(pool),
        Err(error) => error,
    };
    let mut count = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    while count > 1 {
        count /= 2;
        match named(count) {
            Ok(pool) => return Ok(pool),
            Err(next) => error = next,
        }
    }
    Err(Failure::Option(format!("no thread can be started: {error}; allow more threads or more memory")))
}

/// Returns the number of threads of a call.
#[pyfunction]
#[pyo3(signature = (threads=None))]
pub(crate) fn thread_count(py: Python<'_>, threads: Option<usize>) -> PyResult<usize> {
    run(py, threads, |_| Ok(rayon::current_num_threads()))
}
