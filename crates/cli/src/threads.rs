//! The thread pool in which all work runs.

use std::io;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::terminal::tell;
use crate::error::{Error, Result};

/// Creates the thread pool with `threads` threads. By default, it has one thread for each core, or as many as the
/// system allows.
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
    // There is one global pool in the life of a process, and that was it. All work starts on this thread, so that a pool
    // that has it serves as well; on its own it starts no other thread.
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

/// Some number of threads to measure with, after [`use_threads`].
#[derive(Debug)]
pub(super) struct Threads {
    /// The pool, or `None` for the pool of [`use_threads`].
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

    /// Runs `work` on one of the threads; its parallel loops use all of them.
    pub(super) fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => rayon::scope(|_| work()),
        }
    }
}

/// The number of threads that a pool can have if other code also needs threads: half of the threads that can be
/// started. The started threads end again. If none can be started, it is only the current thread.
fn possible_threads(
    cores: usize,
    mut start: impl FnMut(Receiver<()>) -> io::Result<JoinHandle<()>>,
) -> usize {
    let mut started = Vec::new();
    while started.len() < cores {
        // Each waits, so that they are there all together.
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
