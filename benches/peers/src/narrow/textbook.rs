//! The separating axis theorem as in textbooks.

use super::{Shapes, Verdicts, decide};
use crate::{AnyError, Rings};

/// The vertices of all polygons in one list.
#[derive(Debug)]
pub(crate) struct Textbook {
    vertices: Vec<[f32; 2]>,
    /// The index of the first vertex of each polygon, followed by the number of vertices of all polygons.
    first: Vec<u32>,
}

impl Textbook {
    pub(crate) fn new(rings: &Rings) -> Self {
        let mut vertices = Vec::with_capacity(rings.iter().map(Vec::len).sum());
        let mut first = Vec::with_capacity(rings.len() + 1);
        first.push(0);
        for ring in rings {
            vertices.extend(ring.iter().map(|v| [v[0] as f32, v[1] as f32]));
            first.push(vertices.len() as u32);
        }
        Self { vertices, first }
    }

    fn ring(&self, index: u32) -> &[[f32; 2]] {
        let index = index as usize;
        &self.vertices[self.first[index] as usize..self.first[index + 1] as usize]
    }

    /// Returns whether no edge normal of either polygon separates the two.
    pub(crate) fn meets(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.ring(a), self.ring(b));
        !separates(a, a, b) && !separates(b, a, b)
    }
}

impl Shapes for Textbook {
    fn answer(&mut self, pairs: &[[u32; 2]]) -> Result<Verdicts, AnyError> {
        Ok(decide(pairs, |a, b| self.meets(a, b)))
    }
}

/// Returns whether the projections of `a` and `b` on the normal of some edge of `of` have no common point.
fn separates(of: &[[f32; 2]], a: &[[f32; 2]], b: &[[f32; 2]]) -> bool {
    let mut p = of[of.len() - 1];
    of.iter().any(|&q| {
        let normal = [q[1] - p[1], p[0] - q[0]];
        p = q;
        let (min_a, max_a) = projection(a, normal);
        let (min_b, max_b) = projection(b, normal);
        max_a < min_b || max_b < min_a
    })
}

fn projection(ring: &[[f32; 2]], normal: [f32; 2]) -> (f32, f32) {
    ring.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(min, max), v| {
        let x = normal[0] * v[0] + normal[1] * v[1];
        (min.min(x), max.max(x))
    })
}
