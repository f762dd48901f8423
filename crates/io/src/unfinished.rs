//! The list of the temporary files of this process. The process removes these files if it ends early.
//!
//! If the process ends because of a signal, or because the system refuses memory, it calls [`remove_all`].
//! [`remove_all`] allocates no memory, and waits at most half a second for a lock. Memory may be refused anywhere in
//! the program, even in this module.

use std::io;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// A path in the form that the system's function for removing a file takes.
#[cfg(unix)]
type Name = std::ffi::CString;
#[cfg(not(unix))]
type Name = std::path::PathBuf;

/// A slot for the name of an existing temporary file. Slots are never freed, but reused. The number of slots is
/// therefore the greatest number of simultaneous temporary files.
#[derive(Debug)]
struct Place {
    /// A `Box<Name>`, or null. The thread that takes the pointer out owns the box.
    name: AtomicPtr<Name>,
    next: Option<&'static Place>,
}

/// The newest slot of the list of temporary files of this process, or null if the list is empty. [`Place::next`] is the next
/// older slot.
static PLACES: AtomicPtr<Place> = AtomicPtr::new(null_mut());
/// Whether a thread is creating a temporary file, or the process is ending.
static IS_BUSY: AtomicBool = AtomicBool::new(false);

/// A guard that a thread holds while it creates a temporary file. While no thread holds the guard, the list of
/// [`PLACES`] has every temporary file.
struct Making;

impl Making {
    /// Waits until no other thread is creating a file, and takes the guard. Waits forever if the process is ending.
    fn begin() -> Self {
        while IS_BUSY.swap(true, Ordering::Acquire) {
            sleep(Duration::from_millis(1));
        }
        Self
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        IS_BUSY.store(false, Ordering::Release);
    }
}

/// The entry of a temporary file in the list of temporary files. Dropping the value removes the entry.
#[derive(Debug)]
pub(super) struct Listed(&'static Place);

impl Listed {
    /// Adds `path` to the list, and then calls `make` to create the file. Returns the error of `make`, or an error if `path`
    /// cannot be stored in the list.
    pub(super) fn with<T>(path: &Path, make: impl FnOnce() -> io::Result<T>) -> io::Result<(Self, T)> {
        let name = Box::into_raw(Box::new(name_of(path)?));
        let _making = Making::begin();
        let listed = Self(free_place());
        listed.0.name.store(name, Ordering::Release);
        let made = make()?;
        Ok((listed, made))
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        drop(self.0.take());
    }
}

impl Place {
    /// Takes the name out of the slot, so that no other thread can take it afterwards. Returns `None` if the slot is
    /// empty.
    #[expect(unsafe_code)]
    fn take(&self) -> Option<Box<Name>> {
        let name = self.name.swap(null_mut(), Ordering::AcqRel);
        // SAFETY: a pointer in the slot comes from `Box::into_raw`, and the swap gives it to one caller only.
        (!name.is_null()).then(|| unsafe { Box::from_raw(name) })
    }
}

fn places() -> impl Iterator<Item = &'static Place> {
    #[expect(unsafe_code)]
    // SAFETY: the pointer is null or refers to a slot that was leaked.
    let first = unsafe { PLACES.load(Ordering::Acquire).as_ref() };
    std::iter::successors(first, |place| place.next)
}

/// Returns a slot that holds no name: an unused slot of the list, or a new slot. Only one thread at a time may call this
/// function.
fn free_place() -> &'static Place {
    let is_free = |place: &&Place| place.name.load(Ordering::Acquire).is_null();
    places().find(is_free).unwrap_or_else(|| {
        let place = Place { name: AtomicPtr::new(null_mut()), next: places().next() };
        let place = Box::leak(Box::new(place));
        PLACES.store(place, Ordering::Release);
        place
    })
}

/// Removes every temporary file. No new temporary file is created from then on, unless its creation takes longer than
/// half a second. Allocates no memory.
pub fn remove_all() {
    // Waits up to half a second for a thread that creates a file. If this thread itself is creating a file, the file
    // does not exist yet.
    for _ in 0..100 {
        if !IS_BUSY.swap(true, Ordering::Acquire) {
            break;
        }
        sleep(Duration::from_millis(5));
    }
    for place in places() {
        if let Some(name) = place.take() {
            remove(&name);
            // Freeing the name could wait for a lock of the allocator.
            std::mem::forget(name);
        }
    }
}

#[cfg(unix)]
fn name_of(path: &Path) -> io::Result<Name> {
    use std::os::unix::ffi::OsStrExt;
    Ok(Name::new(path.as_os_str().as_bytes())?)
}

#[cfg(unix)]
fn remove(name: &Name) {
    // The unlink fails if the file was already moved to its target.
    let _ = rustix::fs::unlink(name.as_c_str());
}

#[cfg(not(unix))]
fn name_of(path: &Path) -> io::Result<Name> {
    Ok(path.into())
}

#[cfg(not(unix))]
fn remove(name: &Name) {
    let _ = std::fs::remove_file(name);
}
