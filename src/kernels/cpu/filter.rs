//! The certified filter in f32. It decides that two polygons are disjoint or that they overlap, or it is uncertain. It
//! bounds its own rounding error.
//!
//! This filter is the scalar twin of `shaders/filter.wgsl`. It has the same functions, with the same names and in the
//! same order, and processes one edge or one vertex at a time. [`side_of`] derives the bound for both filters.

use glam::{IVec2, Vec2};

pub(crate) use super::{FLUSH, SLACK};
use crate::packed::grid::ROUNDING;
use crate::packed::layout::{BLOCK_VERTICES, DISJOINT, OVERLAPPING, Placement, Polygon, UNCERTAIN};
use crate::packed::pack::Records;

/// The arithmetic operations of the filter. The filter's bound covers their rounding errors. Tests replace these
/// operations, to try every rounding that WGSL allows and to inject faults.
pub(crate) trait Arithmetic: Copy {
    fn add(a: f32, b: f32) -> f32 {
        a + b
    }
    fn sub(a: f32, b: f32) -> f32 {
        a - b
    }
    fn mul(a: f32, b: f32) -> f32 {
        a * b
    }
    fn dot(a: Vec2, b: Vec2) -> f32 {
        Self::add(Self::mul(a.x, b.x), Self::mul(a.y, b.y))
    }
    /// Returns the lesser number, as WGSL defines `min`. Unlike `f32::min`, it does not handle NaN, which never occurs
    /// here.
    fn min(a: f32, b: f32) -> f32 {
        if b < a { b } else { a }
    }
    fn add2(a: Vec2, b: Vec2) -> Vec2 {
        Vec2::new(Self::add(a.x, b.x), Self::add(a.y, b.y))
    }
    fn sub2(a: Vec2, b: Vec2) -> Vec2 {
        Vec2::new(Self::sub(a.x, b.x), Self::sub(a.y, b.y))
    }
    fn from_integer(a: IVec2) -> Vec2 {
        a.as_vec2()
    }
    fn bound(bound: f32) -> f32 {
        bound
    }
    fn edge_count(vertex_count: u32) -> u32 {
        vertex_count
    }
}

/// The f32 arithmetic of this machine, without changes.
#[derive(Clone, Copy)]
pub(crate) struct Native;
impl Arithmetic for Native {}

/// The factors of the bound on the error of a separation, for the edges of one polygon. [`edge_relation`] computes the
/// bound from these factors and adds a term for the rounding of a dot product.
#[derive(Clone, Copy)]
struct Side {
    /// The vector from the anchor of the edges' polygon to the anchor of the other polygon.
    origin: Vec2,
    /// The error of a separation per unit of the edge's length.
    slope: f32,
    /// The error of a separation per unit of the distance between the edge's first vertex and the other polygon's
    /// anchor.
    turn: f32,
    /// The part of the error that is the same for all edges of the polygon.
    intercept: f32,
}

/// Applies the placement of a polygon to a vertex. The result is relative to the polygon's anchor.
fn place<F: Arithmetic>(placement: &Placement, v: Vec2) -> Vec2 {
    let r = Vec2::from(placement.rotation);
    let turned =
        Vec2::new(F::sub(F::mul(r.x, v.x), F::mul(r.y, v.y)), F::add(F::mul(r.y, v.x), F::mul(r.x, v.y)));
    F::add2(turned, placement.offset.into())
}

/// Returns a vertex of a polygon at the polygon's pose, relative to its anchor.
fn placed_vertex<F: Arithmetic>(records: &Records, polygon: u32, index: u32) -> Vec2 {
    let Polygon { first_block, .. } = records.polygons[polygon as usize];
    let block = records.blocks[(first_block + index / BLOCK_VERTICES) as usize];
    let lane = (index % BLOCK_VERTICES) as usize;
    let v = Vec2::new(block.x[lane], block.y[lane]);
    records.placements.get(polygon as usize).map_or(v, |placement| place::<F>(placement, v))
}

/// Returns the outward normal of the edge from `p` to `q`. The normal is as long as the edge.
fn outward_normal<F: Arithmetic>(p: Vec2, q: Vec2) -> Vec2 {
    Vec2::new(F::sub(q.y, p.y), F::sub(p.x, q.x))
}

/// Returns the least projection of the vertices on `direction`. There must be at least one vertex.
fn least_projection<F: Arithmetic>(direction: Vec2, mut vertices: impl Iterator<Item = Vec2>) -> f32 {
    let first = vertices.next().map_or(0.0, |v| F::dot(direction, v));
    vertices.fold(first, |least, v| F::min(least, F::dot(direction, v)))
}

/// Bounds the error of a separation.
///
/// For the edge (p, q) of A and the vertices b of B, let `N` be the outward normal of the true edge. The pair is
/// disjoint if `min N.(b - p) > 0` for some edge of A or B, and overlapping if the minimum is < 0 for all edges. The
/// code computes
///
/// ```text
/// n = normal(p, q)    o = anchor_b - anchor_a    d = o - p    s = min n.v + n.d   over the vertices v of B
/// ```
///
/// The unit of length is the quantum. p and q are relative to A's anchor, and v is relative to B's anchor. Write u for
/// [`ROUNDING`], |x|₁ for |x.x| + |x.y|, |x| for the greater of |x.x| and |x.y|, and a·b for |a.x||b.x| + |a.y||b.y|.
/// The error of each coordinate of A's placed vertices is at most eA, and of B's at most eB. Both are `Polygon::error`,
/// which includes the rounding of the rotation and translation on the device. r is a bound on |v|. To first order, the
/// terms are (in the manner of Shewchuk 1997):
///
/// | source | at most |
/// |---|---|
/// | rounding of n, times the lever (the vector from p to b) | u (r n₁ + n·d) |
/// | error of n from the errors eA of its vertices, times the lever | 2 eA (2 r + d₁) |
/// | errors of p and b | (eA + eB) n₁ |
/// | rounding of n.v: two products and a sum, r n₁ each at most | 2 u r n₁ |
/// | rounding of o, from integers | u n·o |
/// | rounding of d | u n·d |
/// | rounding of n.d: two products and a sum | 2 u n·d |
/// | rounding of the last sum, where s is near the bound | u s |
///
/// The errors of both ends and the rounding of o may make the lever longer than r and d. The bound therefore uses
/// `reach` = r + eA + eB + u o₁ instead of r. The error eA may be large relative to n and d. Because n·o <= |o| n₁, the
/// sum is
///
/// ```text
/// (u (3 reach + |o|) + eA + eB) n₁ + 4 u n·d + 2 eA d₁ + 4 eA reach
/// ```
///
/// All terms except n and d are the same for all edges of A. A fused multiply-add only removes rounding errors. WGSL
/// may reassociate operations only if the result is at least as accurate. [`SLACK`] covers second-order terms, the last
/// row and the rounding of the bound. [`FLUSH`] covers flushed subnormals.
fn side_of(origin: Vec2, radius_b: f32, error_a: f32, error_b: f32) -> Side {
    let errors = error_a + error_b;
    let o = origin.abs();
    let reach = radius_b + errors + ROUNDING * (o.x + o.y);
    Side {
        origin,
        slope: SLACK * (ROUNDING * (3.0 * reach + o.x.max(o.y)) + errors),
        turn: SLACK * (2.0 * error_a),
        intercept: SLACK * (4.0 * error_a * reach) + FLUSH,
    }
}

/// Tests one edge of A, given the least projection of B on the outward normal of the edge. Returns the code for
/// disjoint if the edge certainly separates the polygons, the code for overlapping if the edge certainly does not
/// separate them, and otherwise the code for uncertain.
fn edge_relation<F: Arithmetic>(p: Vec2, normal: Vec2, least: f32, side: Side) -> u32 {
    let to_b = F::sub2(side.origin, p);
    let separation = F::add(least, F::dot(normal, to_b));
    let (n, d) = (normal.abs(), to_b.abs());
    let rounding = side.slope * (n.x + n.y) + (SLACK * 4.0 * ROUNDING) * (n.x * d.x + n.y * d.y);
    let bound = F::bound(rounding + (side.turn * (d.x + d.y) + side.intercept));
    if separation > bound {
        DISJOINT
    } else if separation >= -bound {
        UNCERTAIN
    } else {
        OVERLAPPING
    }
}

/// Combines two codes: disjoint if either code is disjoint, otherwise the less certain code.
fn strongest(a: u32, b: u32) -> u32 {
    if a == DISJOINT || b == DISJOINT { DISJOINT } else { a.max(b) }
}

/// Tests the edges of polygon `a` against the vertices of polygon `b`. Returns the code for disjoint if one edge
/// certainly separates the polygons, the code for overlapping if certainly no edge of `a` separates them, and otherwise
/// the code for uncertain.
fn side_relation<F: Arithmetic>(records: &Records, a: u32, b: u32, side: Side) -> u32 {
    let [count_a, count_b] =
        [records.polygons[a as usize].vertex_count(), records.polygons[b as usize].vertex_count()];
    let mut verdict = OVERLAPPING;
    let mut p = placed_vertex::<F>(records, a, count_a - 1);
    for i in 0..F::edge_count(count_a) {
        let q = placed_vertex::<F>(records, a, i);
        let normal = outward_normal::<F>(p, q);
        let vertices = (0..count_b).map(|j| placed_vertex::<F>(records, b, j));
        let least = least_projection::<F>(normal, vertices);
        verdict = strongest(verdict, edge_relation::<F>(p, normal, least, side));
        if verdict == DISJOINT {
            return DISJOINT;
        }
        p = q;
    }
    verdict
}

/// Returns the position of a point relative to a polygon: [`DISJOINT`] if the point is outside, [`OVERLAPPING`] if it
/// is inside, or [`UNCERTAIN`]. This function is the twin of the function with the same name in `shaders/points.wgsl`.
///
/// For [`side_of`], a point is a polygon B with one vertex at its own anchor: r is 0, and o is the point relative to
/// A's anchor. `error` is the error of o, including the rounding of o.
#[cfg(feature = "gpu")]
pub(crate) fn point_relation<F: Arithmetic>(records: &Records, a: u32, offset: Vec2, error: f32) -> u32 {
    let polygon = records.polygons[a as usize];
    let side = side_of(offset, 0.0, polygon.error(), error);
    let mut verdict = OVERLAPPING;
    let mut p = placed_vertex::<F>(records, a, polygon.vertex_count() - 1);
    for i in 0..F::edge_count(polygon.vertex_count()) {
        let q = placed_vertex::<F>(records, a, i);
        let normal = outward_normal::<F>(p, q);
        verdict = strongest(verdict, edge_relation::<F>(p, normal, 0.0, side));
        if verdict == DISJOINT {
            return DISJOINT;
        }
        p = q;
    }
    verdict
}

/// Returns the relation of two polygons that both fit their records: [`DISJOINT`], [`OVERLAPPING`] or [`UNCERTAIN`].
pub(crate) fn relation<F: Arithmetic>(records: &Records, i: u32, j: u32) -> u32 {
    let [a, b] = [records.polygons[i as usize], records.polygons[j as usize]];
    let origin = F::from_integer(IVec2::from(b.anchor) - IVec2::from(a.anchor));
    let by_a = side_relation::<F>(records, i, j, side_of(origin, b.radius(), a.error(), b.error()));
    if by_a == DISJOINT {
        return DISJOINT;
    }
    strongest(by_a, side_relation::<F>(records, j, i, side_of(-origin, a.radius(), b.error(), a.error())))
}
