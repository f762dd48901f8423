//! Runs Rust code for Python: without Python's lock, in a thread pool of a given size, and until Ctrl-C.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use pyo3::Borrowed;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sat2d::Progress;

use crate::failure::Failure;

/// The time between two checks for Python signals during a call.
const POLL: Duration = Duration::from_millis(50);
/// The time between two attempts of a call to take a lock that another thread holds.
const LOCK_POLL: Duration = Duration::from_millis(1);
/// The greatest number of threads that a call may request.
const MAX_THREADS: usize = 1024;

/// The value of the option `threads`. `None` is the default number of threads.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Threads(Option<usize>);

impl<'py> FromPyObject<'_, 'py> for Threads {
    type Error = PyErr;

    /// Reads `None` or an integer from 1 to [`MAX_THREADS`]. Another value is an error that names the limits.
    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_none() {
            return Ok(Self(None));
        }
        let threads = value.extract::<usize>().ok().filter(|threads| (1..=MAX_THREADS).contains(threads));
        threads.map(|threads| Self(Some(threads))).ok_or_else(|| {
            let given = value.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
            let message = format!("threads = {given}; give a number from 1 to {MAX_THREADS}, or None");
            Failure::Option(message).raise(value.py())
        })
    }
}

/// The state of a call: whether it is cancelled, and its progress.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    is_cancelled: AtomicBool,
    stage: Mutex<&'static str>,
    /// The number of candidate pairs that the call has decided so far.
    decided: AtomicU64,
}

thread_local! {
    /// The Python object that receives the progress of this thread's calls. `None` if progress is not reported.
    static REPORT: RefCell<Option<Py<PyAny>>> = const { RefCell::new(None) };
}

/// Sets the Python object that receives the progress of this thread's calls. About 20 times per second, it is called with the
/// stage and the number of decided pairs. `None` ends the reports.
#[pyfunction]
#[pyo3(signature = (report))]
pub(crate) fn report_to(report: Option<Py<PyAny>>) {
    // The old object is dropped only after the borrow ends. Its finaliser may run Python code that borrows `REPORT`
    // again.
    let old = REPORT.replace(report);
    drop(old);
}

/// The payload of the panic that ends the work of a cancelled call.
struct Cancelled;

impl Watch {
    /// Calls `report` with the stage and the number of decided pairs. Does nothing if `report` is `None`.
    fn report(&self, py: Python<'_>, report: Option<&Py<PyAny>>) -> PyResult<()> {
        let Some(report) = report else { return Ok(()) };
        let stage = *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        report.call1(py, (stage, self.decided.load(Ordering::Relaxed))).map(drop)
    }

    /// Returns whether the call is cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Unwinds if the call is cancelled. `resume_unwind` does not call the panic hook, so nothing is printed.
    pub(crate) fn check(&self) {
        if self.is_cancelled() {
            resume_unwind(Box::new(Cancelled));
        }
    }
}

/// Stores the progress of a query, and unwinds if the call is cancelled. Unwinding is safe here, because the query reports its
/// progress on its own thread, between two chunks of pairs.
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

/// Runs `work` in a pool of `threads` threads, without Python's lock. By default, the pool has one thread per core,
/// or as many as `RAYON_NUM_THREADS` says. Signals are handled during the work. If a handler raises an exception, the work is
/// cancelled, and the exception is the result.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    threads: Threads,
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
                // The send cannot fail, because the receiver waits for the result.
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
            // Reports the last progress. An exception of the report is ignored, because the exception of the signal is
            // already the result.
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
    /// The addresses of the locks that this thread holds in calls that have not ended.
    static HELD: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    /// Whether this thread is running the handlers of Python signals during a call.
    static IN_HANDLER: Cell<bool> = const { Cell::new(false) };
}

/// Runs the Python handlers of the signals that have arrived.
fn run_handlers(py: Python<'_>) -> PyResult<()> {
    let before = IN_HANDLER.replace(true);
    let result = py.check_signals();
    IN_HANDLER.set(before);
    result
}

/// A held lock, with access to its content. Dropping it releases the lock.
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

/// Takes a lock, and waits until no other thread holds it. Do not call this on a thread of the pool: while such a
/// thread waits for a part of its work, it may run another call. That call would wait for a lock that its own thread
/// holds.
///
/// A signal handler runs on the thread of the call that it interrupts. If that call holds a lock, the handler gets
/// [`Failure::Busy`] for every lock that is not free. If it waited instead, it could wait for its own thread, directly
/// or through another thread.
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

/// The thread pools of this process, by their number of threads.
#[derive(Default)]
struct Pools {
    process: u32,
    pools: HashMap<Option<usize>, Arc<ThreadPool>>,
}

static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

fn pool(Threads(threads): Threads) -> Result<Arc<ThreadPool>, Failure> {
    let mut all = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    let pools = all.get_or_insert_default();
    if pools.process != process {
        // The threads of a pool do not survive a fork. The pools of the parent process are leaked, because their locks may be
        // held.
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

/// Builds a thread pool. If the system refuses some of the threads, for example because of a limit on the address space, the
/// pool has fewer threads.
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

/// Returns the number of threads that a call uses if it requests `threads` threads, or the default number for `None`.
#[pyfunction]
#[pyo3(signature = (threads=Threads::default()))]
pub(crate) fn thread_count(py: Python<'_>, threads: Threads) -> PyResult<usize> {
    run(py, threads, |_| Ok(rayon::current_num_threads()))
}
