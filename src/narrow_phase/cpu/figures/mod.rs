//! Figures of pairs on the CPU: eight edges at a time in f32, from the records that the filter reads; and in f64.

mod closest;
pub(crate) mod core_reference;
pub(crate) mod cores;
pub(crate) mod distance;
mod edges;
pub(crate) mod impact;
pub(crate) mod local;
pub(crate) mod manifold;
pub(crate) mod motion;
pub(crate) mod moving;
pub(crate) mod penetration;
pub(crate) mod reference;
pub(crate) mod touch;

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::records::{Head, LANES, Records, Small, View};
use super::simd::Scene;
use crate::narrow_phase::figures::Figure;
use crate::vector::{Instructions, Vectorised, prefetch, vectorised};

/// Pairs that one task takes.
const TASK: usize = 2048;
/// Pairs between asking for a record and reading it.
const AHEAD: usize = 8;

/// The figure of every pair, in the order of `pairs`, in quanta.
pub(crate) fn records_of<F: Figure>(
    scene: Scene<'_>,
    pairs: &[[u32; 2]],
    parameter: f32,
) -> Vec<Option<F::Record>> {
    let mut records = vec![Some(F::Record::zeroed()); pairs.len()];
    pairs
        .par_chunks(TASK)
        .zip(records.par_chunks_mut(TASK))
        .for_each(|(pairs, out)| vectorised(Task::<F> { scene, pairs, parameter, out }));
    records
}

struct Task<'a, F: Figure> {
    scene: Scene<'a>,
    pairs: &'a [[u32; 2]],
    parameter: f32,
    out: &'a mut [Option<F::Record>],
}

impl<F: Figure> Vectorised for Task<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self, i: I) {
        match (self.scene.a, self.scene.b) {
            (
                Records::Small { records: a, vertex_count: most_a },
                Records::Small { records: b, vertex_count: most_b },
            ) => {
                // What is beyond a polygon's last vertex are its first ones again.
                if most_a.max(most_b) <= &4 {
                    self.small::<I, 4>(i, a, b);
                } else {
                    self.small::<I, LANES>(i, a, b);
                }
            }
            (Records::Large(a), Records::Large(b)) => {
                for (k, (&[at_a, at_b], out)) in self.pairs.iter().zip(self.out).enumerate() {
                    if let Some(&[next_a, next_b]) = self.pairs.get(k + 2 * AHEAD) {
                        a.prefetch_head(next_a);
                        b.prefetch_head(next_b);
                    }
                    if let Some(&[next_a, next_b]) = self.pairs.get(k + AHEAD) {
                        a.prefetch_vertices(next_a);
                        b.prefetch_vertices(next_b);
                    }
                    *out = Some(F::record::<I, 0>(i, a.get(at_a), b.get(at_b), self.parameter));
                }
            }
            _ => unreachable!("both sides of a join are packed alike"),
        }
    }
}

impl<F: Figure> Task<'_, F> {
    #[inline(always)]
    fn small<I: Instructions, const VERTICES: usize>(self, i: I, a: &[Small], b: &[Small]) {
        for (k, (&[at_a, at_b], out)) in self.pairs.iter().zip(self.out).enumerate() {
            if let Some(&[next_a, next_b]) = self.pairs.get(k + AHEAD) {
                prefetch(&a[next_a as usize]);
                prefetch(&b[next_b as usize]);
            }
            let [a, b] = [view(&a[at_a as usize]), view(&b[at_b as usize])];
            *out = Some(F::record::<I, VERTICES>(i, a, b, self.parameter));
        }
    }
}

#[inline(always)]
fn view(small: &Small) -> View<'_> {
    View { head: &small.head, x: &small.x, y: &small.y }
}

/// The size of a pair, of which [`crate::FIGURE_BOUND`] is a part, in quanta.
#[inline(always)]
fn size_of_pair(a: &Head, b: &Head, o: [f32; 2]) -> f32 {
    a.radius + b.radius + super::simd::distance(o)
}
