//! Requests large memory pages for large arrays. With pages of 4 KiB, the first access to each page takes longer than
//! the write itself. Later, each read far from the previous read also waits while the address of its page is looked up.
//! Pages of 2 MiB reduce the number of pages by a factor of 512.

use crate::base::error::{Error, Result};

/// Returns a vector with room for `count` values. The vector uses large pages if it is large enough.
pub(crate) fn with_room<T>(count: usize) -> Vec<T> {
    let mut values = Vec::with_capacity(count);
    ask_for_large_pages(&mut values);
    values
}

/// Returns a vector with room for `count` values, or [`Error::OutOfMemory`] if the system refuses the memory. The vector uses
/// large pages if it is large enough.
pub(crate) fn try_with_room<T>(count: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    crate::base::memory::try_reserve_exact(&mut values, count)
        .map_err(|_| Error::OutOfMemory { needed_bytes: count.saturating_mul(size_of::<T>()) })?;
    ask_for_large_pages(&mut values);
    Ok(values)
}

/// Requests large pages from the system for the unused room of a vector. Nothing changes if the system has no large
/// pages or does not support the request. If an allocator reuses the memory after the vector, the memory stays on large
/// pages.
#[cfg(target_os = "linux")]
#[expect(unsafe_code)]
pub fn ask_for_large_pages<T>(values: &mut Vec<T>) {
    use rustix::mm::{Advice, madvise};
    /// The size of a large page on most processors. If large pages are larger, this size is still a multiple of the
    /// small pages.
    const PAGE_BYTES: usize = 2 << 20;
    let room = values.as_mut_ptr().cast::<u8>();
    let bytes = values.capacity().saturating_mul(size_of::<T>());
    let before = room.addr().wrapping_neg() % PAGE_BYTES;
    // Only whole large pages within the allocation are requested.
    let whole = bytes.saturating_sub(before) / PAGE_BYTES * PAGE_BYTES;
    if whole == 0 {
        return;
    }
    // SAFETY: the range is within the vector's allocation, and this advice changes no contents and unmaps nothing.
    let asked = unsafe { madvise(room.add(before).cast(), whole, Advice::LinuxHugepage) };
    // A kernel without large pages returns an error. The error is ignored, because the memory works without large pages too.
    let _ = asked;
}

/// Does nothing: only Linux supports the request.
#[cfg(not(target_os = "linux"))]
pub fn ask_for_large_pages<T>(_values: &mut Vec<T>) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the mapping that contains an address may have large pages. Returns `None` if there is no such mapping.
    #[cfg(target_os = "linux")]
    fn may_be_large(address: usize) -> Option<bool> {
        let maps = std::fs::read_to_string("/proc/self/smaps").expect("Linux tells what is mapped");
        let mut is_here = false;
        for line in maps.lines() {
            let range = line.split(' ').next().and_then(|range| range.split_once('-'));
            let bounds =
                range.map(|(from, to)| [usize::from_str_radix(from, 16), usize::from_str_radix(to, 16)]);
            if let Some([Ok(from), Ok(to)]) = bounds {
                is_here = (from..to).contains(&address);
            } else if is_here && line.starts_with("VmFlags:") {
                return Some(line.split(' ').any(|flag| flag == "hg"));
            }
        }
        None
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn large_pages_are_asked_for_where_one_fits() {
        let has_them = std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists();
        let large: Vec<u64> = with_room(1 << 20);
        // The vector has 8 MiB, so the address 4 MiB after its start lies in a whole large page.
        assert_eq!(may_be_large(large.as_ptr().addr() + (4 << 20)), Some(has_them));
    }

    #[test]
    fn values_are_as_in_any_vector() {
        for count in [0, 1, 1000, (1 << 18) - 1, 1 << 18, 3_000_001] {
            let mut values = with_room(count);
            assert!(values.is_empty() && values.capacity() >= count);
            values.extend(0..count as u64);
            ask_for_large_pages(&mut values);
            let plain: Vec<u64> = (0..count as u64).collect();
            assert!(values == plain, "{count}");
        }
        assert!(with_room::<()>(usize::MAX).is_empty());
    }
}
