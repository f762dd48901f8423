//! The certified filter: disjoint, overlapping or uncertain, in f32, with a bound on its own error.
//!
//! The scalar twin of `shaders/filter.wgsl`: the same functions, the same names, the same order. [`error_bound`]
//! derives the bound for both.

use glam::{IVec2, Vec2};

use crate::layout::{DISJOINT, Instance, OVERLAPPING, Shape, UNCERTAIN};

/// The relative error of one f32 operation: WGSL may return either neighbour of the exact result.
pub(crate) const ROUNDING: f32 = f32::EPSILON;
/// Covers a relative 2^-6: the rounding of the bound itself, and products of errors that are small beside their factors.
pub(crate) const SLACK: f32 = 1.0 + 1.0 / 64.0;
/// Covers results below 2^-126, which a device may flush to zero, times the greatest lever (2^34), many times over.
pub(crate) const FLUSH: f32 = f32::from_bits((127 - 80) << 23);

/// The shapes that instances refer to, and their vertices.
#[derive(Clone, Copy)]
pub(crate) struct Shapes<'a> {
    pub(crate) shapes: &'a [Shape],
    pub(crate) vertices: &'a [[f32; 2]],
}

impl Shapes<'_> {
    fn shape_at(&self, index: u32) -> Shape {
        self.shapes[index as usize]
    }

    fn vertex_at(&self, index: u32) -> Vec2 {
        self.vertices[index as usize].into()
    }
}

/// The operations whose rounding the bound accounts for. Tests replace them: by every other rounding that WGSL
/// allows, and by broken ones.
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
    /// As WGSL has it: without the care that `f32::min` takes of NaN, which never occurs here.
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

/// The arithmetic of this machine.
#[derive(Clone, Copy)]
pub(crate) struct Native;
impl Arithmetic for Native {}

/// Turns a vector by `rotation` = (cos, sin), counter-clockwise.
fn rotate<F: Arithmetic>(rotation: Vec2, v: Vec2) -> Vec2 {
    Vec2::new(
        F::sub(F::mul(rotation.x, v.x), F::mul(rotation.y, v.y)),
        F::add(F::mul(rotation.y, v.x), F::mul(rotation.x, v.y)),
    )
}

/// Turns a vector by `rotation`, clockwise.
fn rotate_back<F: Arithmetic>(rotation: Vec2, v: Vec2) -> Vec2 {
    Vec2::new(
        F::add(F::mul(rotation.x, v.x), F::mul(rotation.y, v.y)),
        F::sub(F::mul(rotation.x, v.y), F::mul(rotation.y, v.x)),
    )
}

/// A vertex of an instance, relative to the instance's anchor.
fn place<F: Arithmetic>(instance: &Instance, vertex: Vec2) -> Vec2 {
    F::add2(rotate::<F>(instance.rotation.into(), vertex), instance.offset.into())
}

/// The outward normal of the edge from `p` to `q`, as long as the edge.
fn outward_normal<F: Arithmetic>(p: Vec2, q: Vec2) -> Vec2 {
    Vec2::new(F::sub(q.y, p.y), F::sub(p.x, q.x))
}

/// The least projection of the vertices of `shape` on `direction`.
fn least_projection<F: Arithmetic>(scene: Shapes<'_>, shape: Shape, direction: Vec2) -> f32 {
    let mut least = F::dot(direction, scene.vertex_at(shape.vertex_offset));
    for i in 1..shape.vertex_count {
        least = F::min(least, F::dot(direction, scene.vertex_at(shape.vertex_offset + i)));
    }
    least
}

/// Bounds the error of a separation.
///
/// For the edge (p, q) of A and the vertices b of B, let `N` be the outward normal of the true edge. The pair is
/// disjoint if `min N.(b - p) > 0` for some edge of either, and overlapping if it is < 0 for all. Computed is
///
/// ```text
/// n = normal(p, q)    m = R n (R turns into B's frame)    o = offset_b + (anchor_b - anchor_a)    d = o - p
/// s = min m.v + n.d   over the vertices v of B's shape
/// ```
///
/// in units of the quantum, relative to A's anchor. Write u for [`ROUNDING`], |x|₁ for |x.x| + |x.y|, and a·b for
/// |a.x||b.x| + |a.y||b.y|. A's placed vertices are each off by at most eA, B's by eB ([`Instance::error`]), in each
/// coordinate; r bounds |v.x| and |v.y|, or |v| where B is turned. To first order, term by term (in the manner of
/// Shewchuk 1997):
///
/// | source | at most |
/// |---|---|
/// | n, rounded, times the lever from p to b | u (r n₁ + n·d) |
/// | n, from vertices off by eA, times the lever | 2 eA (2 r + d₁) |
/// | p and b off | (eA + eB) n₁ |
/// | m: exact where B is not turned; else 2.5 u r n₁, and eB holds 3 u r for it | 0 |
/// | m.v: two products and a sum, r n₁ each at most | 2 u r n₁ |
/// | anchors to f32, plus the offset | 2 u n·o |
/// | d | u n·d |
/// | n.d: two products and a sum | 2 u n·d |
/// | the last sum, where s is near the bound | u s |
///
/// The lever may be longer than r and d say by the errors of both ends and by the rounding of o, so r stands for
/// r + eA + eB + u o₁: what is off by eA may be large beside n and d. The sum is
/// `u (3 r n₁ + 4 n·d + 2 n·o) + (eA + eB) n₁ + 2 eA (2 r + d₁)`. A fused multiply-add only drops terms; WGSL may
/// reassociate only where that is at least as accurate. [`SLACK`] covers second-order terms, the last row and the
/// rounding of the bound; [`FLUSH`] covers flushed subnormals.
fn error_bound<F: Arithmetic>(
    normal: Vec2,
    origin: Vec2,
    to_b: Vec2,
    radius: f32,
    error_a: f32,
    error_b: f32,
) -> f32 {
    let n = normal.abs();
    let d = to_b.abs();
    let errors = error_a + error_b;
    let o = origin.abs();
    let reach = radius + errors + ROUNDING * (o.x + o.y);
    let length = n.x + n.y;
    let rounding = ROUNDING * (3.0 * reach * length + 4.0 * n.dot(d) + 2.0 * n.dot(o));
    let packing = errors * length + 2.0 * error_a * (2.0 * reach + d.x + d.y);
    F::bound(SLACK * (rounding + packing) + FLUSH)
}

/// What the edges of A say: disjoint if one of them separates, overlapping if none can, else uncertain.
fn side_relation<F: Arithmetic>(scene: Shapes<'_>, a: &Instance, b: &Instance) -> u32 {
    let shape_a = scene.shape_at(a.shape_index);
    let shape_b = scene.shape_at(b.shape_index);
    let delta = IVec2::from(b.anchor) - IVec2::from(a.anchor);
    let origin = F::add2(b.offset.into(), F::from_integer(delta));
    let mut verdict = OVERLAPPING;
    let mut p = place::<F>(a, scene.vertex_at(shape_a.vertex_offset + shape_a.vertex_count - 1));
    for i in 0..F::edge_count(shape_a.vertex_count) {
        let q = place::<F>(a, scene.vertex_at(shape_a.vertex_offset + i));
        let normal = outward_normal::<F>(p, q);
        let to_b = F::sub2(origin, p);
        let least = least_projection::<F>(scene, shape_b, rotate_back::<F>(b.rotation.into(), normal));
        let separation = F::add(least, F::dot(normal, to_b));
        let bound = error_bound::<F>(normal, origin, to_b, shape_b.radius, a.error, b.error);
        if separation > bound {
            return DISJOINT;
        }
        if separation >= -bound {
            verdict = UNCERTAIN;
        }
        p = q;
    }
    verdict
}

/// The relation of two instances: [`DISJOINT`], [`OVERLAPPING`] or [`UNCERTAIN`].
pub(crate) fn relation<F: Arithmetic>(scene: Shapes<'_>, a: &Instance, b: &Instance) -> u32 {
    let by_a = side_relation::<F>(scene, a, b);
    if by_a == DISJOINT {
        return DISJOINT;
    }
    let by_b = side_relation::<F>(scene, b, a);
    if by_b == DISJOINT {
        return DISJOINT;
    }
    by_a.max(by_b)
}
