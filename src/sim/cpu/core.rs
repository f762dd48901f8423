//! The core of one body, placed anywhere.

use super::super::bodies::BodyState;
use super::place::{Placing, TURNING};
use crate::narrow_phase::cpu::records::{Head, LANES, View};

/// Vertices of one body, in quanta, about its anchor.
#[derive(Default)]
pub(super) struct Core {
    head: Head,
    x: [f32; LANES + 1],
    y: [f32; LANES + 1],
    /// Of a core of more than [`LANES`] vertices: a row of x, then one of y.
    rows: Vec<f32>,
    count: usize,
}

impl Core {
    /// Places the vertices of a shape, relative to its centre of mass, by the anchor, offset and rotation of a state.
    #[inline(always)]
    pub(super) fn place(&mut self, placing: &Placing<'_>, state: &BodyState, vertices: &[[f32; 2]]) {
        self.resize(vertices.len());
        let mut radius = 0.0f32;
        for (k, &v) in vertices.iter().enumerate() {
            let [x, y] = placing.vertex(state, v);
            self.set(k, x, y);
            radius = radius.max(x.abs()).max(y.abs());
        }
        self.close();
        self.head = Head {
            anchor: state.anchor,
            radius,
            error: radius * TURNING,
            vertex_count: vertices.len() as u32,
        };
    }

    #[inline(always)]
    fn resize(&mut self, count: usize) {
        self.count = count;
        if count > LANES {
            self.rows.resize(2 * (count + 1), 0.0);
        }
    }

    #[inline(always)]
    fn set(&mut self, k: usize, x: f32, y: f32) {
        if self.count > LANES {
            (self.rows[k], self.rows[self.count + 1 + k]) = (x, y);
        } else {
            (self.x[k], self.y[k]) = (x, y);
        }
    }

    /// Repeats the first vertices after the last.
    #[inline(always)]
    fn close(&mut self) {
        if self.count > LANES {
            let count = self.count;
            (self.rows[count], self.rows[2 * count + 1]) = (self.rows[0], self.rows[count + 1]);
            return;
        }
        for k in self.count..=LANES {
            (self.x[k], self.y[k]) = (self.x[k - self.count], self.y[k - self.count]);
        }
    }

    #[inline(always)]
    pub(super) fn view(&self) -> View<'_> {
        if self.count > LANES {
            let (x, y) = self.rows.split_at(self.count + 1);
            View { head: &self.head, x, y }
        } else {
            View { head: &self.head, x: &self.x, y: &self.y }
        }
    }
}
