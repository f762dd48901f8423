//! Copies rings into the vertices of a set, and cleans up each ring in place.

use std::marker::PhantomData;

use glam::DVec2;

use crate::base::error::Result;
use crate::base::room::Room;
use crate::geometry::{Aabb, ConvexPolygon};
use crate::simd::{DoubleInstructions, OnDoubles, prefetch_lines};

/// Prefetch distance in rings: vertices are prefetched this many rings before they are read, because the caller's
/// vertices may be anywhere in memory.
const AHEAD: usize = 8;
/// The number of cache lines of a ring that are prefetched.
const LINES: usize = 2;
/// The delay, in rings, between writing a ring and reading it. A wide read directly after narrow writes would stall.
const LAG: usize = 4;

/// Rings to take in turn.
pub(super) struct TakeRings<'a, 'v, 'b, R, V> {
    pub(super) rings: &'a [R],
    /// Number of the first ring.
    pub(super) first: usize,
    /// Room for all vertices.
    pub(super) vertices: &'a mut Room<'v, DVec2>,
    pub(super) boxes: &'a mut Room<'b, Aabb>,
    pub(super) vertex: PhantomData<&'a V>,
}

/// The polygons that have fewer vertices than their rings, and how many.
pub(super) type Shorter = Vec<(u32, u32)>;

impl<R: AsRef<[V]>, V: Into<DVec2> + Copy> TakeRings<'_, '_, '_, R, V> {
    /// Takes the rings. `tidy` cleans up the vertices of a ring in place, and returns the number of remaining vertices
    /// and their box.
    #[inline(always)]
    pub(super) fn take(self, tidy: impl Fn(&mut [DVec2]) -> Result<(usize, Aabb)>) -> Result<Shorter> {
        let mut shorter = Vec::new();
        let mut written: [&mut [DVec2]; LAG] = Default::default();
        for k in 0..self.rings.len() + LAG {
            if let Some(ahead) = self.rings.get(k + AHEAD) {
                prefetch_lines(ahead.as_ref(), 0, LINES);
            }
            let slot = &mut written[k % LAG];
            if k >= LAG {
                let (polygon, out) = (self.first + k - LAG, std::mem::take(slot));
                let (count, around) = tidy(out).map_err(|error| error.at_polygon(polygon))?;
                self.boxes.write(std::iter::once(around));
                if count < out.len() {
                    shorter.push((polygon as u32, count as u32));
                }
            }
            if let Some(ring) = self.rings.get(k) {
                *slot = self.vertices.write(ring.as_ref().iter().map(|&v| v.into()));
            }
        }
        Ok(shorter)
    }
}

impl<R: AsRef<[V]>, V: Into<DVec2> + Copy> OnDoubles for TakeRings<'_, '_, '_, R, V> {
    type Output = Result<Shorter>;

    #[inline(always)]
    fn run<I: DoubleInstructions>(self, i: I) -> Result<Shorter> {
        self.take(|ring| ConvexPolygon::tidy_by(i, ring))
    }
}
