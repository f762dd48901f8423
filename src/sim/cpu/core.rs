//! Places the core of one body at any pose.

use super::super::bodies::BodyState;
use super::super::shapes::Shape;
use super::place::{Placing, TURNING};
use crate::packed::records::{Head, LANES, Small, View};
use crate::simd::{Instructions, Lanes};

/// The vertices of one body at one pose, relative to the body's anchor, in quanta. A quantum is the spacing of the
/// world's grid.
#[derive(Default)]
pub(super) struct Core {
    small: Small,
    /// The vertices of a core with more than [`LANES`] vertices: a row of x, then a row of y. Each row ends with a copy of
    /// its first entry.
    rows: Vec<f32>,
}

impl Core {
    /// Computes the positions of the vertices of a shape at the anchor, offset and rotation of `state`.
    #[inline(always)]
    pub(super) fn place<I: Instructions>(
        &mut self,
        i: I,
        placing: &Placing<'_>,
        state: &BodyState,
        shape: &Shape,
    ) {
        let count = shape.vertex_count as usize;
        let radius = if count <= LANES {
            let [x, y] = placing.around(i, state, shape);
            let least = x.least().first().min(y.least().first());
            let greatest = x.greatest().first().max(y.greatest().first());
            for (to, row) in [&mut self.small.x, &mut self.small.y].into_iter().zip([x, y]) {
                to[..LANES].copy_from_slice(&row.to_array());
                to[LANES] = to[LANES - count];
            }
            greatest.max(-least)
        } else {
            self.place_large(placing, state, placing.shapes.core(shape))
        };
        self.small.head =
            Head { anchor: state.anchor, radius, error: radius * TURNING, vertex_count: shape.vertex_count };
    }

    /// Computes the rows of a core with more than [`LANES`] vertices. After the last vertex, each row repeats the first
    /// vertex. Returns the greatest magnitude of a coordinate.
    fn place_large(&mut self, placing: &Placing<'_>, state: &BodyState, vertices: &[[f32; 2]]) -> f32 {
        let (count, mut radius) = (vertices.len(), 0.0f32);
        self.rows.resize(2 * (count + 1), 0.0);
        for (k, &v) in vertices.iter().chain(&vertices[..1]).enumerate() {
            let [x, y] = placing.vertex(state, v);
            (self.rows[k], self.rows[count + 1 + k]) = (x, y);
            radius = radius.max(x.abs()).max(y.abs());
        }
        radius
    }

    #[inline(always)]
    pub(super) fn view(&self) -> View<'_> {
        let count = self.small.head.vertex_count as usize;
        if count <= LANES {
            return self.small.view();
        }
        let (x, y) = self.rows.split_at(count + 1);
        View { head: &self.small.head, x, y }
    }
}
