//! The temporary files of this process, for whoever ends the process.
//!
//! A process that ends for lack of memory, or by a signal, removes them by [`remove_all`], which allocates nothing and waits for no lock
//! for long: the thread that calls it may have been refused memory in the middle of anything, this module included.

use std::io;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// A path in the form that the system removes.
#[cfg(unix)]
type Name = std::ffi::CString;
#[cfg(not(unix))]
type Name = std::path::PathBuf;

/// A place for the name of a file that exists now. Places are never freed, but used again: there are as many as there ever were files
/// at once.
#[derive(Debug)]
struct Place {
    /// A `Box<Name>` of whoever takes it out, or null.
    name: AtomicPtr<Name>,
    next: Option<&'static Place>,
}

/// The place that was made last.
static PLACES: AtomicPtr<Place> = AtomicPtr::new(null_mut());
/// Whether a file is being made, or the process ends.
static IS_BUSY: AtomicBool = AtomicBool::new(false);

/// Held while a file is made, so that the file is listed or does not exist.
struct Making;

impl Making {
    /// Waits without end once the process ends.
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

/// A file that is listed until this is dropped.
#[derive(Debug)]
pub(super) struct Listed(&'static Place);

impl Listed {
    /// Lists the file at `path`, and makes it.
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
    /// The name, which nobody else takes then.
    #[expect(unsafe_code)]
    fn take(&self) -> Option<Box<Name>> {
        let name = self.name.swap(null_mut(), Ordering::AcqRel);
        // SAFETY: what is there comes from `Box::into_raw`, and the swap gives it to one caller.
        (!name.is_null()).then(|| unsafe { Box::from_raw(name) })
    }
}

fn places() -> impl Iterator<Item = &'static Place> {
    #[expect(unsafe_code)]
    // SAFETY: null, or a place that was leaked.
    let first = unsafe { PLACES.load(Ordering::Acquire).as_ref() };
    std::iter::successors(first, |place| place.next)
}

/// A place without a name; only one thread at a time looks for one.
fn free_place() -> &'static Place {
    let is_free = |place: &&Place| place.name.load(Ordering::Acquire).is_null();
    places().find(is_free).unwrap_or_else(|| {
        let place = Place { name: AtomicPtr::new(null_mut()), next: places().next() };
        let place = Box::leak(Box::new(place));
        PLACES.store(place, Ordering::Release);
        place
    })
}

/// Removes every file there is. No new one is made from then on, unless one takes longer than half a second to make. Allocates nothing.
pub(crate) fn remove_all() {
    // Half a second, for whoever is making a file. This thread may be doing so itself: then its file does not exist yet.
    for _ in 0..100 {
        if !IS_BUSY.swap(true, Ordering::Acquire) {
            break;
        }
        sleep(Duration::from_millis(5));
    }
    for place in places() {
        if let Some(name) = place.take() {
            remove(&name);
            // Freeing it might wait for a lock of the allocator.
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
    // A file that has just become its target is gone already.
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
