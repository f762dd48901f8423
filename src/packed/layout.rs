//! The records and constants that the host passes to a device. This file is the Rust side of the interface between Rust
//! and WGSL.
//!
//! `shaders/layout.wgsl` defines the records and parameters that shaders read, with the same names, and with the same
//! fields at the same offsets. A test compares the two definitions. Lengths are in quanta of the scene (see
//! [`crate::packed::grid`]), so the product of two lengths cannot overflow in f32.

use bytemuck::{Pod, Zeroable};

use crate::answers::bounds::FIGURE_BOUND;

/// The code of a pair of polygons without a common point.
pub const DISJOINT: u32 = 0;
/// The code of a pair of polygons that have common points but no common interior. No filter gives this code, because
/// only exact arithmetic can.
pub(crate) const TOUCHING: u32 = 1;
/// The code of a pair of polygons whose interiors meet.
pub const OVERLAPPING: u32 = 2;
/// The code of a pair that a filter cannot decide.
pub const UNCERTAIN: u32 = 3;

/// The number of bits of a code in the packed answer of a kernel.
pub const BITS_PER_CODE: u32 = 2;
/// The number of codes in a word of the packed answer of a kernel. The code of the first pair is in the lowest bits.
pub const CODES_PER_WORD: u32 = 32 / BITS_PER_CODE;
/// The number of invocations in a workgroup. It is a multiple of [`CODES_PER_WORD`].
pub(crate) const WORKGROUP_SIZE: u32 = 64;

/// The number of vertices in a [`Block`].
pub(crate) const BLOCK_VERTICES: u32 = 4;
/// The greatest number of vertices of a polygon that fits its record.
pub(crate) const MAX_POLYGON_VERTICES: u32 = (1 << COUNT_BITS) - 1;
/// The number of bits of [`Polygon::bounds`] that hold the number of vertices.
pub(crate) const COUNT_BITS: u32 = 12;
/// The number of bits of [`Polygon::bounds`] that hold one bound. They are the highest bits of an f32 below the sign
/// bit: 8 bits of the exponent and 2 bits of the mantissa.
pub(crate) const BOUND_BITS: u32 = 10;

/// Four vertices of a polygon, counter-clockwise. In the last block of a polygon, unused lanes repeat the first vertex.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Block {
    /// The x coordinates of the four vertices, in quanta.
    pub(crate) x: [f32; 4],
    /// The y coordinates of the four vertices, in quanta.
    pub(crate) y: [f32; 4],
}

/// The data of a polygon that a kernel reads with one load, without the vertices.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Polygon {
    /// A point of the scene's integer grid near the polygon.
    pub(crate) anchor: [i32; 2],
    /// The index of the polygon's first block in the list of all blocks.
    pub(crate) first_block: u32,
    /// Three values, from the lowest bit: the number of vertices ([`COUNT_BITS`]), a bound on the error of a coordinate
    /// ([`BOUND_BITS`]), and a bound on the magnitude of a coordinate ([`BOUND_BITS`]). The bounds hold for each coordinate
    /// of each vertex after the placement. A bound consists of the highest bits of an f32, rounded up.
    pub(crate) bounds: u32,
}

impl Polygon {
    /// Returns the record of a polygon. If the polygon has more than [`MAX_POLYGON_VERTICES`] vertices, the record has
    /// 0 vertices and no blocks, and no kernel decides its pairs.
    pub(crate) fn new(anchor: [i32; 2], first_block: u32, count: u32, error: f32, radius: f32) -> Self {
        let count = if count > MAX_POLYGON_VERTICES { 0 } else { count };
        let bounds =
            count | upper_bits(error) << COUNT_BITS | upper_bits(radius) << (COUNT_BITS + BOUND_BITS);
        Self { anchor, first_block, bounds }
    }

    /// Returns the number of vertices, or 0 if the polygon has too many vertices for its record.
    pub(crate) fn vertex_count(self) -> u32 {
        self.bounds & MAX_POLYGON_VERTICES
    }

    /// Returns the number of blocks that the vertices fill.
    pub fn block_count(self) -> u32 {
        self.vertex_count().div_ceil(BLOCK_VERTICES)
    }

    /// Returns the bound on the error of each coordinate of each placed vertex.
    #[allow(dead_code, reason = "for the twin of the shader")]
    pub(crate) fn error(self) -> f32 {
        f32::from_bits((self.bounds >> COUNT_BITS & ((1 << BOUND_BITS) - 1)) << (31 - BOUND_BITS))
    }

    /// Returns the bound on the magnitude of each coordinate of each placed vertex.
    #[allow(dead_code, reason = "for the twin of the shader")]
    pub(crate) fn radius(self) -> f32 {
        f32::from_bits(self.bounds >> (COUNT_BITS + BOUND_BITS) << (31 - BOUND_BITS))
    }
}

/// Returns the highest [`BOUND_BITS`] bits of `x` below the sign bit, rounded up. `x` must not be negative.
fn upper_bits(x: f32) -> u32 {
    let rest = 31 - BOUND_BITS;
    (x.to_bits() + ((1 << rest) - 1)) >> rest
}

/// The placement of a polygon relative to its anchor. The vertices are `rotation * v + offset`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Placement {
    /// The position of the shape's origin relative to the anchor, in quanta.
    pub(crate) offset: [f32; 2],
    /// The cosine and the sine of the rotation.
    pub(crate) rotation: [f32; 2],
}

impl Placement {
    /// The placement of a polygon without rotation and offset.
    pub(crate) const STILL: Self = Self { offset: [0.0; 2], rotation: [1.0, 0.0] };
}

/// The parameters of a dispatch of the relation kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct RelationParams {
    /// The index of the first pair to decide. It is a multiple of `WORKGROUP_SIZE`.
    pub first_pair: u32,
    /// One past the index of the last pair to decide.
    pub end_pair: u32,
    /// The number of workgroups in a row of the dispatch.
    pub groups_x: u32,
    /// The index of the first polygon of the second set. It is added to the second index of each pair.
    pub b_offset: u32,
    /// The maximum number of iterations of the kernel's inner loop for a pair. A pair that needs more iterations is
    /// uncertain.
    pub most_turns: u32,
    /// For the area kernel: the least common area of a pair, in square quanta.
    pub least_area: f32,
    /// For the area kernel: the least ratio of the common area of a pair to the sum of the two areas.
    pub least_part: f32,
}

/// A candidate: a point and a polygon that may contain the point.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct PointCandidate {
    /// The position of the point relative to the anchor of the polygon, in quanta.
    pub(crate) offset: [f32; 2],
    /// The bound on the error of each coordinate of the offset, in quanta.
    pub(crate) error: f32,
    /// The index of the candidate's polygon among the packed polygons.
    pub(crate) polygon: u32,
}

/// The parameters of a dispatch of the point kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct PointParams {
    /// The number of candidates that the kernel decides.
    pub(crate) candidate_count: u32,
    /// The number of workgroups in a row of the dispatch.
    pub(crate) groups_x: u32,
}

/// The number of words at the start of the caller's buffer for hits, before the first hit.
pub(crate) const HEADER_WORDS: u32 = 4;
/// The number of bits of a hit that hold the index of its pair. The higher bits hold its code.
pub(crate) const HIT_INDEX_BITS: u32 = u32::BITS - BITS_PER_CODE;

/// The parameters of the passes that compact hits.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct HitsParams {
    /// The number of words that hold the codes of all pairs.
    pub(crate) word_count: u32,
    /// The number of workgroups in a row of the dispatch.
    pub(crate) groups_x: u32,
    /// The number of workgroups that have codes to process.
    pub(crate) group_count: u32,
    /// The number of hits that fit in the caller's buffer.
    pub(crate) capacity: u32,
}

/// The bit of a record's word that is set if the kernel is uncertain of the measurement. The words are
/// [`EdgeRecord::edge`], [`ManifoldRecord::edge`] and [`ImpactRecord::word`].
pub(crate) const UNCERTAIN_FIGURE: u32 = 1 << 31;
/// The bit of [`EdgeRecord::edge`] and [`ManifoldRecord::edge`] that is set if the edge belongs to B.
pub(crate) const EDGE_OF_B: u32 = 1 << 30;
/// The bits of [`EdgeRecord::edge`] and of [`ManifoldRecord::edge`] that hold an index.
pub(crate) const FIGURE_INDEX: u32 = EDGE_OF_B - 1;

/// For a pair of polygons, the edge with the greatest gap, and this gap in quanta. The measurements of the pair are
/// made at this edge.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct EdgeRecord {
    /// The gap of the edge in quanta: the greatest gap over the edges of both polygons.
    pub(crate) separation: f32,
    /// The index of the edge, with [`EDGE_OF_B`] if it is an edge of B. [`UNCERTAIN_FIGURE`] is set if another edge
    /// may have a greater gap. If both polygons are points, the index is [`FIGURE_INDEX`].
    pub(crate) edge: u32,
}

/// The bit of [`ImpactRecord::feature_a`] and `feature_b` that is set if the feature is an edge.
pub(crate) const FEATURE_IS_EDGE: u32 = 1 << 30;

/// The number of bits of each index in [`ContactRecord::feature`]. The index of A's feature is in the lowest bits, and
/// the index of B's feature follows.
pub(crate) const CONTACT_INDEX_BITS: u32 = 15;
/// The bit of [`ContactRecord::feature`] that is set if the feature of A is an edge. Otherwise, the feature is a vertex.
pub(crate) const EDGE_IN_A: u32 = 1 << 30;
/// The bit of [`ContactRecord::feature`] that is set if the feature of B is an edge. Otherwise, the feature is a vertex.
pub(crate) const EDGE_IN_B: u32 = 1 << 31;

/// A contact point of two polygons. Its lengths are in quanta.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct ContactRecord {
    /// The position half way between the two polygons, relative to A's anchor.
    pub(crate) position: [f32; 2],
    /// The gap between the two polygons at the position of the contact point.
    pub(crate) separation: f32,
    /// The vertex or edge of A, and the vertex or edge of B ([`CONTACT_INDEX_BITS`]).
    pub(crate) feature: u32,
}

/// The contact points of a pair, in quanta.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct ManifoldRecord {
    /// The unit normal of the contact, from A to B.
    pub(crate) normal: [f32; 2],
    /// The gap between the polygons along the normal.
    pub(crate) separation: f32,
    /// The index of the reference edge, with [`EDGE_OF_B`] if it is an edge of B. [`UNCERTAIN_FIGURE`] is set if the
    /// kernel is uncertain. Bits 28 and 29 hold the number of contact points.
    pub(crate) edge: u32,
    /// The contact points. Elements after the number of contact points have no meaning.
    pub(crate) points: [ContactRecord; 2],
}

/// The index of the lowest bit of [`ManifoldRecord::edge`] that holds the number of points.
pub(crate) const POINT_COUNT_SHIFT: u32 = 28;

/// The motion of a polygon over a step, in quanta.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct MotionRecord {
    /// The displacement of the centre of rotation over the step.
    pub(crate) linear: [f32; 2],
    /// The centre of rotation, relative to the polygon's anchor. If the polygon does not rotate, the centre is the
    /// anchor.
    pub(crate) centre: [f32; 2],
    /// The angle of the rotation over the step, in radians.
    pub(crate) angular: f32,
    /// An upper bound on the distance between any vertex and the centre of rotation.
    pub(crate) radius: f32,
    /// The bound on the distance by which the rounding of the motion displaces a vertex, for any vertex at any time. The
    /// bound is huge if kernels must not decide pairs with this motion.
    pub(crate) error: f32,
    /// A field without a meaning, which gives the record the size that WGSL requires.
    pub(crate) padding: f32,
}

/// The outcome in [`ImpactRecord::word`] if the two polygons do not hit each other.
pub(crate) const IMPACT_APART: u32 = 0;
/// The outcome in [`ImpactRecord::word`] if the two polygons hit each other.
pub(crate) const IMPACT_HIT: u32 = 1;
/// The outcome in [`ImpactRecord::word`] if the two polygons overlap at the start of the step.
pub(crate) const IMPACT_OVERLAPS: u32 = 2;
/// The number of low bits of [`ImpactRecord::word`] that hold the outcome. The higher bits hold the number of steps.
pub(crate) const IMPACT_STEPS_SHIFT: u32 = 2;

/// The time at which two moving polygons first touch, and the features that touch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct ImpactRecord {
    /// The time at which the polygons touch, as a fraction of the step. It is 1 if they stay apart, and 0 if they
    /// overlap at the start or the kernel is uncertain.
    pub(crate) time: f32,
    /// The feature of A that touches: the index of a vertex or an edge, and [`FEATURE_IS_EDGE`].
    pub(crate) feature_a: u32,
    /// The feature of B that touches: the index of a vertex or an edge, and [`FEATURE_IS_EDGE`].
    pub(crate) feature_b: u32,
    /// The outcome ([`IMPACT_APART`] and others), the number of steps ([`IMPACT_STEPS_SHIFT`]), and
    /// [`UNCERTAIN_FIGURE`].
    pub(crate) word: u32,
}

/// The parameters of a dispatch that computes a measurement.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct FigureParams {
    /// The number of pairs that the kernel measures.
    pub(crate) pair_count: u32,
    /// The number of workgroups in a row of the dispatch.
    pub(crate) groups_x: u32,
    /// The index of the first polygon of the second set. It is added to the second index of each pair.
    pub(crate) b_offset: u32,
    /// The length that the kernel needs, in quanta. It is the margin of contact points or the tolerance of a time of
    /// impact.
    pub(crate) parameter: f32,
    /// The index of the first motion of the second set in the list of all motions.
    pub(crate) motion_offset: u32,
}

/// Returns the constants that the shaders share with Rust, as WGSL.
#[cfg_attr(not(feature = "gpu"), allow(dead_code))]
pub(crate) fn wgsl_constants() -> String {
    format!(
        "const DISJOINT: u32 = {DISJOINT}u;\n\
         const TOUCHING: u32 = {TOUCHING}u;\n\
         const OVERLAPPING: u32 = {OVERLAPPING}u;\n\
         const UNCERTAIN: u32 = {UNCERTAIN}u;\n\
         const BITS_PER_CODE: u32 = {BITS_PER_CODE}u;\n\
         const CODES_PER_WORD: u32 = {CODES_PER_WORD}u;\n\
         const WORKGROUP_SIZE: u32 = {WORKGROUP_SIZE}u;\n\
         const BLOCK_VERTICES: u32 = {BLOCK_VERTICES}u;\n\
         const HEADER_WORDS: u32 = {HEADER_WORDS}u;\n\
         const HIT_INDEX_BITS: u32 = {HIT_INDEX_BITS}u;\n\
         const COUNT_BITS: u32 = {COUNT_BITS}u;\n\
         const UNCERTAIN_FIGURE: u32 = {UNCERTAIN_FIGURE}u;\n\
         const EDGE_OF_B: u32 = {EDGE_OF_B}u;\n\
         const FIGURE_INDEX: u32 = {FIGURE_INDEX}u;\n\
         const FEATURE_IS_EDGE: u32 = {FEATURE_IS_EDGE}u;\n\
         const CONTACT_INDEX_BITS: u32 = {CONTACT_INDEX_BITS}u;\n\
         const EDGE_IN_A: u32 = {EDGE_IN_A}u;\n\
         const EDGE_IN_B: u32 = {EDGE_IN_B}u;\n\
         const IMPACT_APART: u32 = {IMPACT_APART}u;\n\
         const IMPACT_HIT: u32 = {IMPACT_HIT}u;\n\
         const IMPACT_OVERLAPS: u32 = {IMPACT_OVERLAPS}u;\n\
         const IMPACT_STEPS_SHIFT: u32 = {IMPACT_STEPS_SHIFT}u;\n\
         const POINT_COUNT_SHIFT: u32 = {POINT_COUNT_SHIFT}u;\n\
         const FIGURE_BOUND: f32 = {FIGURE_BOUND:?};\n\
         const BOUND_BITS: u32 = {BOUND_BITS}u;\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_rounded_up_by_less_than_a_third() {
        let mut x = f32::MIN_POSITIVE;
        while x < 1e30 {
            for value in [x, x.next_up(), x.next_down().max(f32::MIN_POSITIVE)] {
                let polygon = Polygon::new([0, 0], 0, 7, value, 3.0 * value);
                assert_eq!(polygon.vertex_count(), 7);
                let (error, radius) = (polygon.error(), polygon.radius());
                assert!(error >= value && error <= value * 1.26, "{value}: {error}");
                assert!(radius >= 3.0 * value && radius <= 3.0 * value * 1.26, "{value}: {radius}");
            }
            x *= 1.7;
        }
        assert_eq!(Polygon::new([0, 0], 0, 3, 0.0, 0.0).bounds, 3);
        assert_eq!(Polygon::new([0, 0], 0, MAX_POLYGON_VERTICES + 1, 0.0, 0.0).vertex_count(), 0);
    }
}
