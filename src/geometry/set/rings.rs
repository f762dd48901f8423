//! Copies rings into the vertices of a set, and cleans up each ring in place.

use std::marker::PhantomData;

use glam::DVec2;

use super::{Summary, check_count};
use crate::base::error::Result;
use crate::base::large_pages::with_room;
use crate::base::parallel::prelude::*;
use crate::base::room::{Room, append};
use crate::geometry::{Aabb, ConvexPolygon};
use crate::simd::{DoubleInstructions, OnDoubles, prefetch_lines};

/// Prefetch distance in rings: vertices are prefetched this many rings before they are read, because the caller's
/// vertices may be anywhere in memory.
const AHEAD: usize = 8;
/// The number of cache lines of a ring that are prefetched.
const LINES: usize = 2;
/// The delay, in rings, between writing a ring and reading it. A wide read directly after narrow writes would stall.
const LAG: usize = 4;

/// Whether two rings with four vertices each are checked together. The value is `false` in WebAssembly.
const PAIRS: bool = cfg!(not(target_family = "wasm"));

/// The rings of one task, and the memory into which the task writes their vertices and boxes.
pub(super) struct TakeRings<'a, 'v, 'b, R, V> {
    pub(super) rings: &'a [R],
    /// The index of the task's first ring among all rings.
    pub(super) first: usize,
    /// The memory that receives the vertices of the task's rings.
    pub(super) vertices: &'a mut Room<'v, DVec2>,
    /// The memory that receives the bounding box of each of the task's rings.
    pub(super) boxes: &'a mut Room<'b, Aabb>,
    pub(super) vertex: PhantomData<&'a V>,
}

/// The index and the number of vertices of each polygon that has fewer vertices than its ring.
pub(super) type Shorter = Vec<(u32, u32)>;

impl<R: AsRef<[V]>, V: Into<DVec2> + Copy> TakeRings<'_, '_, '_, R, V> {
    /// Copies the rings, cleans up each copy, and computes its box. Returns a summary of all rings, and the polygons that
    /// lost vertices. Returns the error of `tidy` for the first invalid ring.
    ///
    /// `tidy` cleans up the vertices of a ring in place, and returns the number of remaining vertices and their box.
    /// `clean_boxes` returns the boxes of two rings if both rings clearly need no cleanup, and `None` otherwise.
    #[inline(always)]
    pub(super) fn take(
        self,
        tidy: impl Fn(&mut [DVec2]) -> Result<(usize, Aabb)>,
        clean_boxes: impl Fn([&[DVec2; 4]; 2]) -> Option<[Aabb; 2]>,
    ) -> Result<(Summary, Shorter)> {
        let (mut summary, mut shorter) = (Summary::NONE, Vec::new());
        let mut written: [&mut [DVec2]; LAG] = Default::default();
        let mut is_taken = false;
        for k in 0..self.rings.len() + LAG {
            if let Some(ahead) = self.rings.get(k + AHEAD) {
                prefetch_lines(ahead.as_ref(), 0, LINES);
            }
            if k >= LAG && !std::mem::take(&mut is_taken) {
                let slots = [k % LAG, (k + 1) % LAG];
                // One branch tests the vertex counts of both rings. If the rings have many different counts, two
                // consecutive rings rarely have four vertices.
                let are_fours =
                    PAIRS && slots.iter().fold(true, |all, &slot| all & (written[slot].len() == 4));
                let [first, second] = slots.map(|slot| written[slot].first_chunk());
                let both = first.zip(second).filter(|_| are_fours);
                if let Some(around) = both.and_then(|(first, second)| clean_boxes([first, second])) {
                    self.boxes.write(around.into_iter());
                    around.iter().for_each(|&around| summary.add(around, 4));
                    slots.iter().for_each(|&slot| written[slot] = &mut []);
                    is_taken = true;
                } else {
                    let (polygon, out) = (self.first + k - LAG, std::mem::take(&mut written[slots[0]]));
                    let (count, around) = tidy(out).map_err(|error| error.at_polygon(polygon))?;
                    self.boxes.write(std::iter::once(around));
                    summary.add(around, count as u32);
                    if count < out.len() {
                        shorter.push((polygon as u32, count as u32));
                    }
                }
            }
            if let Some(ring) = self.rings.get(k) {
                written[k % LAG] = self.vertices.write(ring.as_ref().iter().map(|&v| v.into()));
            }
        }
        Ok((summary, shorter))
    }
}

impl<R: AsRef<[V]>, V: Into<DVec2> + Copy> OnDoubles for TakeRings<'_, '_, '_, R, V> {
    type Output = Result<(Summary, Shorter)>;

    #[inline(always)]
    fn run<I: DoubleInstructions>(self, i: I) -> Self::Output {
        self.take(|ring| ConvexPolygon::tidy_by(i, ring), |rings| ConvexPolygon::clean_boxes_by(i, rings))
    }
}

/// Moves the vertices of shapes together, so that there are no gaps between shapes, and updates `offsets`. `shorter` has
/// the index and the number of vertices of each shape that does not fill its part of `vertices`, in ascending order.
pub(super) fn close_gaps(vertices: &mut Vec<DVec2>, offsets: &mut [u32], shorter: &[(u32, u32)]) {
    let Some(&(first, _)) = shorter.first() else { return };
    let mut shorter = shorter.iter().peekable();
    let mut end = offsets[first as usize];
    for shape in first as usize..offsets.len() - 1 {
        let (start, next) = (offsets[shape], offsets[shape + 1]);
        let count = shorter.next_if(|s| s.0 as usize == shape).map_or(next - start, |s| s.1);
        vertices.copy_within(start as usize..(start + count) as usize, end as usize);
        offsets[shape] = end;
        end += count;
    }
    if let Some(last) = offsets.last_mut() {
        *last = end;
    }
    vertices.truncate(end as usize);
}

/// Returns two lists: the index of the first vertex of each list of rings in `runs`, and the index of the first vertex
/// of each ring. Both results end with the number of all vertices.
///
/// # Errors
/// Returns [`crate::Error::TooMany`] if there are too many vertices for 32-bit indices.
pub(super) fn ring_offsets<R: AsRef<[V]> + Sync, V>(runs: &[&[R]]) -> Result<(Vec<usize>, Vec<u32>)> {
    let length = |ring: &R| ring.as_ref().len();
    let (mut first_vertices, mut next) = (vec![0], 0);
    let ring_count: usize = runs.iter().map(|run| run.len()).sum();
    let mut offsets = with_room(ring_count + 1);
    if cfg!(target_family = "wasm") {
        for run in runs {
            for ring in *run {
                // The total is checked below. An offset that wraps here is never used.
                offsets.push(next as u32);
                next += length(ring);
            }
            first_vertices.push(next);
        }
    } else {
        let counts = runs.par_iter().map(|run| run.iter().map(length).sum::<usize>());
        for count in counts.collect() {
            next += count;
            first_vertices.push(next);
        }
        let lengths: Vec<usize> = runs.iter().map(|run| run.len()).collect();
        append(&mut offsets, &lengths, |run, room| {
            let mut next = first_vertices[run];
            room.write(runs[run].iter().map(|ring| {
                let first = next;
                next += length(ring);
                first as u32
            }));
        });
    }
    check_count("vertices", next)?;
    offsets.push(next as u32);
    Ok((first_vertices, offsets))
}
