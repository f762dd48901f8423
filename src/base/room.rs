//! Vectors that tasks fill in parallel. Each task writes its own part. The memory is not filled with zeros first, because this
//! could take as long as the writes of the tasks.

use std::convert::Infallible;
use std::mem::MaybeUninit;

use crate::base::error::Result;
use crate::base::large_pages::try_with_room;
#[cfg(not(all(target_family = "wasm", not(target_feature = "atomics"))))]
use crate::base::parallel::prelude::*;

/// The part of a vector that a task has not written yet.
#[derive(Debug)]
pub(crate) struct Room<'a, T>(&'a mut [MaybeUninit<T>]);

impl<'a, T: Copy> Room<'a, T> {
    /// Writes values after the values that were written before. Returns the written values, which the caller may
    /// change.
    ///
    /// # Panics
    /// Panics if there are more values than room, or fewer values than the iterator states.
    #[inline(always)]
    #[expect(unsafe_code)]
    pub(crate) fn write(&mut self, values: impl ExactSizeIterator<Item = T>) -> &'a mut [T] {
        let (out, rest) = std::mem::take(&mut self.0).split_at_mut(values.len());
        self.0 = rest;
        let mut count = 0;
        for (out, value) in out.iter_mut().zip(values) {
            out.write(value);
            count += 1;
        }
        assert!(count == out.len(), "as many values as they say");
        let out: *mut [MaybeUninit<T>] = out;
        // SAFETY: `out` was borrowed for the whole lifetime, every slot has been written, and a slot has the same layout as its
        // value.
        unsafe { &mut *(out as *mut [T]) }
    }

    /// Copies values to the place after the values that were written before.
    ///
    /// # Panics
    /// Panics if there are more values than room.
    #[inline]
    #[expect(unsafe_code)]
    pub(crate) fn copy(&mut self, values: &[T]) {
        let (out, rest) = std::mem::take(&mut self.0).split_at_mut(values.len());
        self.0 = rest;
        let values: *const [T] = values;
        // SAFETY: a slot has the same layout as its value, and an initialized value is also a valid slot.
        out.copy_from_slice(unsafe { &*(values as *const [MaybeUninit<T>]) });
    }
}

/// Builds two vectors from parts. Calls `work` for each part, and `work` writes one part of each vector. Returns the two
/// vectors and the results of `work` in the order of the parts, or the first error of `work`.
///
/// # Panics
/// Panics if `work` returns without writing all of its parts.
pub(crate) fn filled<A: Copy + Send, B: Copy + Send, R: Send>(
    lengths: &[(usize, usize)],
    work: impl Fn(usize, &mut Room<'_, A>, &mut Room<'_, B>) -> Result<R> + Sync + Send,
) -> Result<(Vec<A>, Vec<B>, Vec<R>)> {
    let (count_a, count_b) = counted(lengths);
    let (mut a, mut b) = (try_with_room(count_a)?, try_with_room(count_b)?);
    let done = append_to_both(&mut a, &mut b, lengths, work)?;
    Ok((a, b, done))
}

/// Appends parts of the given lengths to `values`. `work` writes each part.
///
/// # Panics
/// Panics if the capacity is too small, or if `work` returns without writing all of its part.
pub(crate) fn append<T: Copy + Send>(
    values: &mut Vec<T>,
    lengths: &[usize],
    work: impl Fn(usize, &mut Room<'_, T>) + Sync + Send,
) {
    let lengths: Vec<_> = lengths.iter().map(|&length| (length, 0)).collect();
    let Ok(_) = append_to_both(values, &mut Vec::<()>::new(), &lengths, |part, room, _| {
        work(part, room);
        Ok::<(), Infallible>(())
    });
}

/// Appends parts of the given lengths to two vectors. `work` writes one part of each vector. Returns the results of
/// `work`. If `work` fails, the function returns the first error, and appends nothing.
///
/// # Panics
/// Panics if the capacity of a vector is too small, or if `work` returns without writing all of its parts.
pub(crate) fn append_to_both<A: Copy + Send, B: Copy + Send, R: Send, E: Send>(
    a: &mut Vec<A>,
    b: &mut Vec<B>,
    lengths: &[(usize, usize)],
    work: impl Fn(usize, &mut Room<'_, A>, &mut Room<'_, B>) -> std::result::Result<R, E> + Sync + Send,
) -> std::result::Result<Vec<R>, E> {
    #[cfg(all(target_family = "wasm", not(target_feature = "atomics")))]
    return one_by_one(a, b, lengths, work);
    #[cfg(not(all(target_family = "wasm", not(target_feature = "atomics"))))]
    side_by_side(a, b, lengths, work)
}

/// Appends parts to two vectors on all threads. [`append_to_both`] describes the arguments. Returns the first error of
/// `work`.
#[cfg(not(all(target_family = "wasm", not(target_feature = "atomics"))))]
#[expect(unsafe_code)]
fn side_by_side<A: Copy + Send, B: Copy + Send, R: Send, E: Send>(
    a: &mut Vec<A>,
    b: &mut Vec<B>,
    lengths: &[(usize, usize)],
    work: impl Fn(usize, &mut Room<'_, A>, &mut Room<'_, B>) -> std::result::Result<R, E> + Sync + Send,
) -> std::result::Result<Vec<R>, E> {
    let (more_a, more_b) = counted(lengths);
    let (count_a, count_b) = (a.len() + more_a, b.len() + more_b);
    let mut parts = Vec::with_capacity(lengths.len());
    let (mut rest_a, mut rest_b) = (a.spare_capacity_mut(), b.spare_capacity_mut());
    for &(length_a, length_b) in lengths {
        let (part_a, part_b);
        (part_a, rest_a) = rest_a.split_at_mut(length_a);
        (part_b, rest_b) = rest_b.split_at_mut(length_b);
        parts.push((Room(part_a), Room(part_b)));
    }
    // The results are collected first, so that the reported error does not depend on the threads.
    let done: Vec<_> = parts
        .into_par_iter()
        .enumerate()
        .map(|(part, (mut a, mut b))| {
            let done = work(part, &mut a, &mut b)?;
            assert!(a.0.is_empty() & b.0.is_empty(), "part {part} is written to its end");
            Ok(done)
        })
        .collect();
    let done = done.into_iter().collect::<std::result::Result<_, E>>()?;
    // SAFETY: the parts are the first slots after the existing values in each vector, and every part was written to its end.
    unsafe {
        a.set_len(count_a);
        b.set_len(count_b);
    }
    Ok(done)
}

/// Appends parts to two vectors on a single thread, for browsers without shared memory. [`append_to_both`] describes the
/// arguments. Returns the first error of `work`. The function keeps no list of parts, because a WebAssembly module would
/// contain the code of the list for each type.
#[cfg(any(test, all(target_family = "wasm", not(target_feature = "atomics"))))]
#[expect(unsafe_code)]
fn one_by_one<A: Copy, B: Copy, R, E>(
    a: &mut Vec<A>,
    b: &mut Vec<B>,
    lengths: &[(usize, usize)],
    work: impl Fn(usize, &mut Room<'_, A>, &mut Room<'_, B>) -> std::result::Result<R, E>,
) -> std::result::Result<Vec<R>, E> {
    let before = (a.len(), b.len());
    let mut all = Vec::with_capacity(lengths.len());
    for (part, &(length_a, length_b)) in lengths.iter().enumerate() {
        let (count_a, count_b) = (a.len() + length_a, b.len() + length_b);
        let mut room_a = Room(&mut a.spare_capacity_mut()[..length_a]);
        let mut room_b = Room(&mut b.spare_capacity_mut()[..length_b]);
        let done = work(part, &mut room_a, &mut room_b);
        let is_written = room_a.0.is_empty() & room_b.0.is_empty();
        match done {
            Ok(done) => all.push(done),
            Err(error) => {
                a.truncate(before.0);
                b.truncate(before.1);
                return Err(error);
            }
        }
        assert!(is_written, "part {part} is written to its end");
        // SAFETY: the part is the first slots after the existing values in each vector, and was written to its end.
        unsafe {
            a.set_len(count_a);
            b.set_len(count_b);
        }
    }
    Ok(all)
}

/// Returns the sum of the first lengths and the sum of the second lengths.
fn counted(lengths: &[(usize, usize)]) -> (usize, usize) {
    lengths.iter().fold((0, 0), |(a, b), part| (a + part.0, b + part.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::Error;
    use crate::base::large_pages::with_room;

    /// Returns the vectors that [`filled`] should return, built by pushing one value after another.
    fn pushed(lengths: &[(usize, usize)]) -> (Vec<u64>, Vec<u32>, Vec<usize>) {
        let (mut a, mut b, mut done) = (vec![], vec![], vec![]);
        for (part, &(length_a, length_b)) in lengths.iter().enumerate() {
            a.extend((0..length_a as u64).map(|k| k * 3 + part as u64));
            b.extend((0..length_b as u32).map(|k| k + 7));
            done.push(length_a + part);
        }
        (a, b, done)
    }

    #[test]
    fn parts_are_where_they_would_have_been_pushed() {
        let many: Vec<_> = (0..1000).map(|k| (k * 7919 % 601, k % 3)).collect();
        for lengths in [&[][..], &[(0, 0)], &[(3, 1), (0, 2), (5, 0)], &many] {
            let found = filled(lengths, |part, a: &mut Room<'_, u64>, b: &mut Room<'_, u32>| {
                let (length_a, length_b) = lengths[part];
                // The part is written in two steps, and the values of the first step are changed afterwards.
                let first = a.write((0..length_a / 2).map(|_| 0));
                a.write((length_a / 2..length_a).map(|k| k as u64 * 3 + part as u64));
                first.iter_mut().zip(0..).for_each(|(out, k)| *out = k * 3 + part as u64);
                b.write((0..length_b).map(|k| k as u32 + 7));
                Ok(length_a + part)
            });
            assert_eq!(found.expect("no error"), pushed(lengths));
        }
    }

    #[test]
    fn parts_are_appended_where_they_would_have_been_pushed() {
        let many: Vec<_> = (0..1000).map(|k| k * 7919 % 601).collect();
        let mut found = vec![7u32];
        let mut pushed = found.clone();
        for lengths in [&[][..], &[0], &[3, 0, 5], &many] {
            found.reserve(lengths.iter().sum());
            append(&mut found, lengths, |part, room| {
                let (before, length) = (lengths[part] / 3, lengths[part] as u32);
                let first: Vec<u32> = (0..before).map(|k| k as u32 + length).collect();
                room.copy(&first);
                room.write((before..lengths[part]).map(|k| k as u32 + length));
            });
            pushed.extend(
                lengths.iter().flat_map(|&length| (0..length as u32).map(move |k| k + length as u32)),
            );
            assert_eq!(found, pushed);
        }
    }

    #[test]
    fn one_thread_appends_what_several_do() {
        let lengths: Vec<_> = (0..300).map(|k| (k * 7919 % 61, k % 3)).collect();
        let (count_a, count_b) = counted(&lengths);
        for failing in [None, Some(0), Some(200)] {
            let write = |part: usize, a: &mut Room<'_, u64>, b: &mut Room<'_, u32>| {
                if failing == Some(part) {
                    return Err(part);
                }
                a.write((0..lengths[part].0).map(|k| k as u64 + part as u64));
                b.write((0..lengths[part].1).map(|k| (k * part) as u32));
                Ok(part)
            };
            let made = || {
                let (mut a, mut b) = (with_room::<u64>(count_a + 1), with_room::<u32>(count_b + 1));
                a.push(7);
                b.push(8);
                (a, b)
            };
            let ((mut a, mut b), (mut c, mut d)) = (made(), made());
            let done = one_by_one(&mut a, &mut b, &lengths, write);
            assert_eq!(done, append_to_both(&mut c, &mut d, &lengths, write));
            assert_eq!(done.is_err(), failing.is_some());
            assert!(a == c && b == d && (failing.is_none() || a == [7]), "{failing:?}");
        }
    }

    #[test]
    #[should_panic(expected = "part 1 is written to its end")]
    fn what_is_not_written_is_not_appended_one_by_one() {
        let (mut values, mut none) = (Vec::with_capacity(5), Vec::new());
        let _ = one_by_one(
            &mut values,
            &mut none,
            &[(1, 0), (2, 0)],
            |_, room: &mut Room<'_, u8>, _: &mut Room<'_, ()>| {
                room.write(std::iter::once(1));
                Ok::<(), ()>(())
            },
        );
    }

    #[test]
    #[should_panic(expected = "part 1 is written to its end")]
    fn what_is_not_written_is_not_appended() {
        let mut values = Vec::with_capacity(5);
        append(&mut values, &[1, 2], |_, room: &mut Room<'_, u8>| {
            room.write(std::iter::once(1));
        });
    }

    #[test]
    fn the_first_error_is_told() {
        let found = filled(&[(1, 0); 100], |part, a: &mut Room<'_, u8>, _: &mut Room<'_, u8>| {
            if part % 30 == 20 {
                return Err(Error::TooFewVertices { polygon: part, ring: 0, count: 0 });
            }
            a.write(std::iter::once(1));
            Ok(())
        });
        assert!(matches!(found, Err(Error::TooFewVertices { polygon: 20, .. })));
    }

    #[test]
    #[should_panic(expected = "part 1 is written to its end")]
    fn a_part_that_is_not_written_is_not_handed_out() {
        let _ = filled(&[(1, 0), (2, 0)], |_, a: &mut Room<'_, u8>, _: &mut Room<'_, u8>| {
            a.write(std::iter::once(1));
            Ok(())
        });
    }
}
