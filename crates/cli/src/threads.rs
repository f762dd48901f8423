//! The thread pool in which all work runs.

use std::io;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::terminal::tell;
use crate::error::{Error, Result};

/// Starts the global thread pool with `threads` threads. Returns an error if the system refuses them. If `threads` is `None`, the
/// pool has one thread per core, or fewer if the system refuses them.
pub(super) fn use_threads(threads: Option<usize>) -> Result<()> {
    if let Some(threads) = threads {
        return ThreadPoolBuilder::new().num_threads(threads).build_global().map_err(|_| refused(threads));
    }
    if ThreadPoolBuilder::new().build_global().is_ok() {
        return Ok(());
    }
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = possible_threads(cores, |wait| {
        std::thread::Builder::new().spawn(move || {
            let _ = wait.recv();
        })
    });
    // rayon allows one attempt to build the global pool per process, and that attempt failed. All work starts on this
    // thread, so a pool that includes this thread replaces the global pool. If such a pool has one thread, it starts no
    // other thread.
    let pool = ThreadPoolBuilder::new().num_threads(threads).use_current_thread().build();
    std::mem::forget(pool.map_err(|_| refused(threads))?);
    tell(&format!(
        "note: the system refused one thread per core; {threads} of {cores} are used (`--threads` sets the number)"
    ));
    Ok(())
}

fn refused(threads: usize) -> Error {
    let problem = "the system refused to start this many threads; give fewer";
    Error::Option { option: "--threads", value: threads.to_string(), problem }
}

/// A thread pool with a given number of threads, in which a benchmark runs. [`use_threads`] must have run before.
#[derive(Debug)]
pub(super) struct Threads {
    /// The pool, or `None` if the work runs in the global pool, which [`use_threads`] started.
    pool: Option<ThreadPool>,
}

impl Threads {
    /// Returns a pool with `threads` threads. If this is the number of threads that [`use_threads`] started, no other
    /// pool is created, because the system might refuse further threads.
    ///
    /// # Errors
    /// Returns [`Error::Option`] if the system refuses a thread.
    pub(super) fn new(threads: usize) -> Result<Self> {
        if threads == rayon::current_num_threads() {
            return Ok(Self { pool: None });
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        Ok(Self { pool: Some(pool.map_err(|_| refused(threads))?) })
    }

    /// Runs `work` on one of the threads. Parallel loops in `work` use all threads of the pool.
    pub(super) fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => rayon::scope(|_| work()),
        }
    }
}

/// Returns half of the number of threads that can be started, and at least 1. The other half is left for other code.
/// Starts up to `cores` threads for the trial with `start`, and ends them again.
fn possible_threads(
    cores: usize,
    mut start: impl FnMut(Receiver<()>) -> io::Result<JoinHandle<()>>,
) -> usize {
    let mut started = Vec::new();
    while started.len() < cores {
        // Each thread waits, so that all of them exist at the same time.
        let (go, wait) = channel();
        match start(wait) {
            Ok(thread) => started.push((go, thread)),
            Err(_) => break,
        }
    }
    let count = started.len();
    for (go, thread) in started {
        drop(go);
        let _ = thread.join();
    }
    (count / 2).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_threads_are_used_where_the_system_refuses() {
        for (cores, limit, expected) in [(16, 12, 6), (16, 3, 1), (16, 0, 1), (1, 0, 1), (4, 9, 2)] {
            let mut count = 0;
            let threads = possible_threads(cores, |wait| {
                count += 1;
                if count > limit {
                    return Err(io::ErrorKind::WouldBlock.into());
                }
                std::thread::Builder::new().spawn(move || {
                    let _ = wait.recv();
                })
            });
            assert_eq!(threads, expected, "{cores} {limit}");
            assert!(count <= cores.min(limit + 1));
        }
    }
}
