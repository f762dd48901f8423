//! Eight vertices of each of two polygons in f32: the edges of one in the lower half of a register, of the other in the
//! upper.

use glam::DVec2;

use super::{ROUNDING, Step, Steps, edge_lanes, relation_of};
use crate::narrow_phase::cpu::{FLUSH, SLACK};
use crate::vector::{DOUBLES, Doubles, Singles, WideInstructions};

/// The relation of two polygons of three to eight vertices.
#[inline(always)]
pub(super) fn relation<S: Steps, I: WideInstructions>(i: I, a: &[DVec2], b: &[DVec2], per_unit: f64) -> u32 {
    let by_edges = ByEdges::new::<S, I>(i, i.around(a), i.around(b), a[0], per_unit);
    let edges = S::edges(Step::Octagons, edge_lanes(a.len()) | edge_lanes(b.len()) << DOUBLES);
    relation_of(by_edges.separate() & edges, by_edges.may_separate(i) & edges)
}

/// What eight edges of one polygon say, then eight of the other.
#[derive(Clone, Copy)]
pub(super) struct ByEdges<V> {
    /// By how much all vertices of the other lie beyond the edge, times its length.
    pub(super) separation: V,
    /// On its error.
    pub(super) bound: V,
    /// The edge's outward normal, as long as the edge.
    pub(super) normal: [V; 2],
}

impl<V: Singles> ByEdges<V> {
    /// Of the polygons in the lanes of `a` and `b`; `origin` is a vertex of either.
    #[inline(always)]
    pub(super) fn new<S: Steps, I: WideInstructions<Singles = V>>(
        i: I,
        a: [I::Doubles; 2],
        b: [I::Doubles; 2],
        origin: DVec2,
        per_unit: f64,
    ) -> Self {
        let scale = i.doubles(per_unit);
        let origin = [i.doubles(-origin.x * per_unit), i.doubles(-origin.y * per_unit)];
        let [a_x, a_y] = [a[0].mul_add(scale, origin[0]), a[1].mul_add(scale, origin[1])];
        let [b_x, b_y] = [b[0].mul_add(scale, origin[0]), b[1].mul_add(scale, origin[1])];
        let normal_x = a_y.next().sub(a_y).rounded(b_y.next().sub(b_y));
        let normal_y = a_x.sub(a_x.next()).rounded(b_x.sub(b_x.next()));
        let (x, y) = (a_x.rounded(b_x), a_y.rounded(b_y));

        let along = |v_x: V, v_y: V| v_y.mul_add(normal_y, v_x.mul(normal_x));
        let mut least = along(i.of_other_half(x, 0), i.of_other_half(y, 0));
        for j in 1..S::vertex_count(Step::Octagons, DOUBLES) {
            least = least.min(along(i.of_other_half(x, j), i.of_other_half(y, j)));
        }
        let mut separation = least.sub(along(x, y));
        if S::flips(Step::Octagons) {
            separation = i.singles(0.0).sub(separation);
        }

        const OF_NORMAL: f64 = 8.0 * (f32::EPSILON / 2.0) as f64 * SLACK as f64;
        const OF_SQUARE: f64 = 16.0 * ROUNDING * SLACK as f64;
        let reach = x.abs().max(y.abs()).greatest();
        let slope = reach.mul(i.singles(S::bound(Step::Octagons, OF_NORMAL) as f32));
        let offset =
            reach.mul(reach).mul_add(i.singles(S::bound(Step::Octagons, OF_SQUARE) as f32), i.singles(FLUSH));
        let bound = normal_x.abs().add(normal_y.abs()).mul_add(slope, offset);
        Self { separation, bound, normal: [normal_x, normal_y] }
    }

    /// One bit for each edge that separates.
    #[inline(always)]
    pub(super) fn separate(self) -> u32 {
        self.separation.above(self.bound)
    }

    /// One bit for each edge of which it is not known that it does not separate.
    #[inline(always)]
    pub(super) fn may_separate<I: WideInstructions<Singles = V>>(self, i: I) -> u32 {
        self.separation.add(self.bound).not_below(i.singles(0.0))
    }
}
