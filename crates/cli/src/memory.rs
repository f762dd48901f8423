//! Handles the case that the system refuses memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The allocator of the program, which calls the system's allocator. If the system refuses memory that the caller
/// needs, the process ends as with any other error: with a message, with exit code 2, and without temporary files.
///
/// Stable Rust has no hook for refused memory: the standard library prints a message and aborts the process. A handler
/// of SIGABRT could not replace this allocator. The message of the standard library would come first, and the handler
/// would also run for every abort that a defect causes.
#[derive(Debug)]
pub(crate) struct Allocator;

// SAFETY: The system's allocator does all work. A refusal is either returned to the caller or ends the process.
#[expect(unsafe_code)]
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller keeps the contract of this method, which is the contract of the system's allocator.
        granted(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller keeps the contract of this method, which is the contract of the system's allocator.
        granted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: The caller keeps the contract of this method, which is the contract of the system's allocator.
        granted(unsafe { System.realloc(memory, layout, size) }, size)
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: The caller keeps the contract of this method, which is the contract of the system's allocator.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Returns `memory`, the memory that the system gave. If the system refused the memory, returns null to a caller that handles a
/// refusal, and ends the process for any other caller.
#[inline]
fn granted(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() && !sat2d::internal::may_be_refused() {
        refused(bytes)
    }
    memory
}

/// Ends the process, because the system refused `bytes` bytes. Allocates no memory, and waits for no lock that this thread may
/// hold.
#[cold]
fn refused(bytes: usize) -> ! {
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    if IS_ENDING.swap(true, Ordering::Relaxed) {
        // Another thread is already ending the process, which takes less than a second. The wait has a limit, in case
        // that thread has a defect and never ends the process.
        std::thread::sleep(Duration::from_secs(10));
        exit();
    }
    let mut line = [0; 200];
    let mut rest = &mut line[..];
    let _ = writeln!(
        rest,
        "Error: out of memory: {bytes} bytes were refused; split the input, or give the process more memory"
    );
    let left = rest.len();
    let line = &line[..line.len() - left];
    sat2d_io::internal::remove_unfinished();
    // Writes directly to the descriptor, because this thread may hold the locks of the standard library. A failed write is
    // ignored.
    #[cfg(unix)]
    let _ = rustix::io::write(rustix::stdio::stderr(), line);
    #[cfg(not(unix))]
    let _ = std::io::stderr().write_all(line);
    exit()
}

#[cfg(unix)]
fn exit() -> ! {
    signal_hook::low_level::exit(2)
}

#[cfg(not(unix))]
fn exit() -> ! {
    std::process::exit(2)
}
