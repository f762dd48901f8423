//! The fast filter of the CPU backend: eight edges of one polygon at a time against the vertices of the other.
//!
//! It answers as [`super::filter`] does, from the same packed records, with half planes computed once a shape: the
//! support of a polygon in the direction of its own edge is the edge, so only the other polygon is projected. The
//! lanes are plain arrays; the compiler makes vector code of them, once for each instruction set named in
//! [`decide`], and the machine's is picked when it runs. Posed sets are left to [`super::filter`].
//!
//! # The bound
//!
//! For an edge (p, q) of A with the outward normal N, |N|₁ = 1, let `S = min N.(b - p)` over the vertices b of B. The
//! pair is disjoint if S > 0 for some edge of either, and overlapping if S < 0 for all. In quanta, relative to A's
//! anchor, with n the rounded normal, h the rounded projection of the edge on n, v the packed vertices of B and D the
//! difference of the anchors, computed is `s = min n.v + (n.D - h)`. With u = 2^-23, which is twice what this machine's
//! roundings are off by, rA and rB the radii, and eB the error of B's packed vertices, to first order:
//!
//! | source | at most |
//! |---|---|
//! | n, rounded from f64, times the lever from p to b | u/2 (rA + rB + D) |
//! | v | eB |
//! | n.v: two products and a sum | 2 u rB |
//! | D, from integers | u D |
//! | n.D | 2 u D |
//! | h, rounded: 1/2 u rA; of p or q, whichever is farther along n: u rA | 3/2 u rA |
//! | n.D - h | u (D + rA) |
//! | the last sum, where s is near the bound | u s |
//!
//! The same bound serves the edges of B: `u (3 (rA + rB) + 9/2 D) + max(eA, eB)`.

pub(super) mod edges;

use rayon::prelude::*;

use super::filter::{FLUSH, ROUNDING, SLACK};
use crate::geometry::PolygonSet;
use crate::layout::{DISJOINT, Instance, OVERLAPPING, Shape, UNCERTAIN};
use crate::pack::Packed;
use edges::{EdgeBlock, Edges, LANES};

/// What tests break on purpose.
pub(super) trait Steps: Copy {
    fn bound(bound: f32) -> f32 {
        bound
    }
    fn separation(s: f32) -> f32 {
        s
    }
    fn vertices(vertices: &[[f32; 2]]) -> &[[f32; 2]] {
        vertices
    }
    fn blocks(blocks: &[EdgeBlock]) -> &[EdgeBlock] {
        blocks
    }
}

/// The filter as it should be.
#[derive(Clone, Copy)]
pub(super) struct Whole;
impl Steps for Whole {}

/// Pairs that one task decides; a constant, so that tasks do not depend on the number of threads.
const TASK: usize = 4096;

/// The half planes of both sides of a join of static sets.
#[derive(Debug)]
pub(crate) struct HalfPlanes {
    a: Edges,
    /// None in a self-join, where B is A.
    b: Option<Edges>,
}

impl HalfPlanes {
    /// None where a set is posed.
    pub(crate) fn new(a: &PolygonSet, b: Option<&PolygonSet>, packed: &Packed) -> Option<Self> {
        if !a.is_static() || b.is_some_and(|b| !b.is_static()) {
            return None;
        }
        let edges = |set: &PolygonSet, first: usize| {
            Edges::new(
                set,
                |shape| packed.grid.position(packed.instances[first + shape].anchor.into()),
                packed.grid.quantum,
            )
        };
        Some(Self { a: edges(a, 0), b: b.map(|b| edges(b, packed.b_offset as usize)) })
    }
}

/// The filter's code of every pair, into `codes`, in the order of `pairs`.
pub(crate) fn filter_codes(planes: &HalfPlanes, packed: &Packed, pairs: &[[u32; 2]], codes: &mut Vec<u8>) {
    let scene = Scene { packed, a: &planes.a, b: planes.b.as_ref().unwrap_or(&planes.a) };
    codes.clear();
    codes.resize(pairs.len(), 0);
    pairs
        .par_chunks(TASK)
        .zip(codes.par_chunks_mut(TASK))
        .for_each(|(pairs, codes)| decide(scene, pairs, codes));
}

/// [`filter_codes`] by the instructions that every machine has.
#[cfg(all(test, feature = "scenes"))]
pub(super) fn without_vectors<S: Steps>(planes: &HalfPlanes, packed: &Packed, pairs: &[[u32; 2]]) -> Vec<u8> {
    let mut codes = vec![0; pairs.len()];
    let scene = Scene { packed, a: &planes.a, b: planes.b.as_ref().unwrap_or(&planes.a) };
    decide_in_lanes::<S>(scene, pairs, &mut codes);
    codes
}

#[derive(Clone, Copy)]
struct Scene<'a> {
    packed: &'a Packed,
    a: &'a Edges,
    b: &'a Edges,
}

/// Decides a task with the widest vectors that the machine has.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn decide(scene: Scene<'_>, pairs: &[[u32; 2]], codes: &mut [u8]) {
    #[target_feature(enable = "avx2,fma")]
    fn with_avx2(scene: Scene<'_>, pairs: &[[u32; 2]], codes: &mut [u8]) {
        decide_in_lanes::<Whole>(scene, pairs, codes);
    }
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the machine has what the function is compiled for.
        unsafe { with_avx2(scene, pairs, codes) }
    } else {
        decide_in_lanes::<Whole>(scene, pairs, codes);
    }
}

/// Decides a task; every machine of the other kinds has the vectors that the compiler assumes (NEON on aarch64).
#[cfg(not(target_arch = "x86_64"))]
fn decide(scene: Scene<'_>, pairs: &[[u32; 2]], codes: &mut [u8]) {
    decide_in_lanes::<Whole>(scene, pairs, codes);
}

/// The safe code that every instruction set is compiled from.
#[inline(always)]
fn decide_in_lanes<S: Steps>(scene: Scene<'_>, pairs: &[[u32; 2]], codes: &mut [u8]) {
    for (&[a, b], code) in pairs.iter().zip(codes) {
        *code = relation::<S>(scene, a, b) as u8;
    }
}

#[inline(always)]
fn relation<S: Steps>(scene: Scene<'_>, a: u32, b: u32) -> u32 {
    let (a, b) =
        (&scene.packed.instances[a as usize], &scene.packed.instances[(b + scene.packed.b_offset) as usize]);
    let (shape_a, shape_b) =
        (&scene.packed.shapes[a.shape_index as usize], &scene.packed.shapes[b.shape_index as usize]);
    let d = [0, 1].map(|axis| (b.anchor[axis] - a.anchor[axis]) as f32);
    let bound = S::bound(error_bound(a, b, shape_a, shape_b, d));
    let edges_a = scene.a.of(a.shape_index as usize);
    let edges_b = scene.b.of((b.shape_index - scene.b_shape_offset()) as usize);
    let mut greatest = [f32::NEG_INFINITY; LANES];
    raise_by_separations::<S>(&mut greatest, edges_a, vertices(scene, shape_b), d);
    // Of small polygons the other side costs less than a branch that is taken now and then.
    if edges_a.len() > 1 && maximum(greatest) > bound {
        return DISJOINT;
    }
    raise_by_separations::<S>(&mut greatest, edges_b, vertices(scene, shape_a), d.map(|x| -x));
    let greatest = maximum(greatest);
    if greatest > bound {
        DISJOINT
    } else if greatest < -bound {
        OVERLAPPING
    } else {
        UNCERTAIN
    }
}

impl Scene<'_> {
    /// Index of the first shape of B in the pool of both sides.
    #[inline(always)]
    fn b_shape_offset(&self) -> u32 {
        // A static set has a shape an instance.
        self.packed.b_offset
    }
}

#[inline(always)]
fn vertices<'a>(scene: Scene<'a>, shape: &Shape) -> &'a [[f32; 2]] {
    &scene.packed.vertices[shape.vertex_offset as usize..(shape.vertex_offset + shape.vertex_count) as usize]
}

#[inline(always)]
fn error_bound(a: &Instance, b: &Instance, shape_a: &Shape, shape_b: &Shape, d: [f32; 2]) -> f32 {
    let distance = d[0].abs().max(d[1].abs());
    let rounding = ROUNDING * (3.0 * (shape_a.radius + shape_b.radius) + 4.5 * distance);
    SLACK * (rounding + a.error.max(b.error)) + FLUSH
}

/// Raises each lane of `greatest` to the greatest `s` over the edges that stand in that lane of `blocks`.
#[inline(always)]
fn raise_by_separations<S: Steps>(
    greatest: &mut [f32; LANES],
    blocks: &[EdgeBlock],
    vertices: &[[f32; 2]],
    d: [f32; 2],
) {
    for block in S::blocks(blocks) {
        let mut least = [f32::INFINITY; LANES];
        for v in S::vertices(vertices) {
            for ((least, x), y) in least.iter_mut().zip(block.x).zip(block.y) {
                *least = lesser(x * v[0] + y * v[1], *least);
            }
        }
        for (lane, greatest) in greatest.iter_mut().enumerate() {
            let s = least[lane] + (block.x[lane] * d[0] + block.y[lane] * d[1] - block.support[lane]);
            let s = S::separation(s);
            *greatest = if s > *greatest { s } else { *greatest };
        }
    }
}

/// The lesser of two numbers that are not NaN: one instruction, which `f32::min` is not.
#[inline(always)]
fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The greatest lane, by halves.
#[inline(always)]
fn maximum(lanes: [f32; LANES]) -> f32 {
    let greater = |a: f32, b: f32| if a > b { a } else { b };
    let [a, b, c, d, e, f, g, h] = lanes;
    let (ae, bf, cg, dh) = (greater(a, e), greater(b, f), greater(c, g), greater(d, h));
    greater(greater(ae, cg), greater(bf, dh))
}
