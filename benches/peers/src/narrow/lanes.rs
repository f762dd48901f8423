//! A simple vector kernel. It compares an edge of one polygon with eight vertices of the other polygon at a time.

use super::{Shapes, Verdicts, decide};
use crate::{AnyError, Rings};

/// The coordinates of eight vertices of one polygon.
#[derive(Clone, Copy, Debug)]
struct Block {
    x: [f32; 8],
    y: [f32; 8],
}

/// The vertices of all polygons in blocks. Copies of a polygon's last vertex fill its last block.
#[derive(Debug)]
pub(super) struct Lanes {
    blocks: Vec<Block>,
    /// The index of the first block and the number of vertices of each polygon.
    polygons: Vec<[u32; 2]>,
}

impl Lanes {
    pub(super) fn new(rings: &Rings) -> Self {
        let mut blocks = Vec::with_capacity(rings.iter().map(|ring| ring.len().div_ceil(8)).sum());
        let mut polygons = Vec::with_capacity(rings.len());
        for ring in rings {
            polygons.push([blocks.len() as u32, ring.len() as u32]);
            for part in ring.chunks(8) {
                let lane = |axis: usize| {
                    [0, 1, 2, 3, 4, 5, 6, 7].map(|i: usize| part[i.min(part.len() - 1)][axis] as f32)
                };
                blocks.push(Block { x: lane(0), y: lane(1) });
            }
        }
        Self { blocks, polygons }
    }

    #[inline(always)]
    fn meets(&self, a: u32, b: u32) -> bool {
        let polygon = |index: u32| {
            let [first, count] = self.polygons[index as usize].map(|x| x as usize);
            (&self.blocks[first..first + count.div_ceil(8)], count)
        };
        let ((a, count_a), (b, count_b)) = (polygon(a), polygon(b));
        !separates(a, count_a, b) && !separates(b, count_b, a)
    }
}

impl Shapes for Lanes {
    fn answer(&mut self, pairs: &[[u32; 2]]) -> Result<Verdicts, AnyError> {
        Ok(answer(self, pairs))
    }
}

/// Returns whether all vertices of `other` are on the outer side of some edge of `of`, which is counter-clockwise.
#[inline(always)]
fn separates(of: &[Block], count: usize, other: &[Block]) -> bool {
    let vertex = |i: usize| (of[i / 8].x[i % 8], of[i / 8].y[i % 8]);
    let mut p = vertex(count - 1);
    for i in 0..count {
        let q = vertex(i);
        let normal = (q.1 - p.1, p.0 - q.0);
        let mut least = [f32::INFINITY; 8];
        for block in other {
            for (lane, least) in least.iter_mut().enumerate() {
                let side = normal.0 * (block.x[lane] - p.0) + normal.1 * (block.y[lane] - p.1);
                *least = if side < *least { side } else { *least };
            }
        }
        let mut inside = false;
        for side in least {
            inside |= side <= 0.0;
        }
        if !inside {
            return true;
        }
        p = q;
    }
    false
}

/// Decides pairs, with AVX2 if the machine has it.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn answer(lanes: &Lanes, pairs: &[[u32; 2]]) -> Verdicts {
    #[target_feature(enable = "avx2,fma")]
    fn with_avx2(lanes: &Lanes, a: u32, b: u32) -> bool {
        lanes.meets(a, b)
    }
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the machine has the instructions that the function is compiled for.
        decide(pairs, |a, b| unsafe { with_avx2(lanes, a, b) })
    } else {
        decide(pairs, |a, b| lanes.meets(a, b))
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn answer(lanes: &Lanes, pairs: &[[u32; 2]]) -> Verdicts {
    decide(pairs, |a, b| lanes.meets(a, b))
}
