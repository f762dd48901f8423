//! Handles the case that the system refuses memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The system's allocator, for the program: where memory is refused that nobody can do without, the process ends as with any
/// other error, with a message, exit code 2 and no temporary file.
///
/// Stable Rust has no hook for refused memory. The standard library would abort the process. A handler of SIGABRT could
/// do the same as this allocator, but it would also receive the message that the standard library prints, and every
/// abort that a defect causes.
#[derive(Debug)]
pub(crate) struct Allocator;

// SAFETY: all is done by the system's allocator; what it refuses is either passed on or not returned from.
#[expect(unsafe_code)]
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        granted(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        granted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        granted(unsafe { System.realloc(memory, layout, size) }, size)
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Returns memory that the system gave. If the system refused it, returns null to callers that handle a refusal.
#[inline]
fn granted(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() && !sat2d::internal::may_be_refused() {
        refused(bytes)
    }
    memory
}

/// Ends the process, without a request for memory or a wait for a lock that this thread may hold.
#[cold]
fn refused(bytes: usize) -> ! {
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    if IS_ENDING.swap(true, Ordering::Relaxed) {
        // Another thread ends the process. It takes less than a second, unless it asks for memory itself, which is a defect.
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
    // Past the locks of the standard library. Where nobody listens, nobody is told.
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
