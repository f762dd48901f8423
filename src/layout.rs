//! The records and constants that cross from host to device: the border between Rust and WGSL.
//!
//! Every `repr(C)` record here stands in `shaders/layout.wgsl` under the same name, with the same fields at the same
//! offsets; a test compares the two. Lengths are in units of the scene's quantum (see [`crate::pack`]), so that no
//! product of them can overflow in f32.

use bytemuck::{Pod, Zeroable};

/// Code of a pair with no common point.
pub(crate) const DISJOINT: u32 = 0;
/// Code of a pair with common points but no common interior. Only exact arithmetic gives it.
pub(crate) const TOUCHING: u32 = 1;
/// Code of a pair whose interiors meet.
pub(crate) const OVERLAPPING: u32 = 2;
/// Code of a pair that f32 cannot decide.
pub(crate) const UNCERTAIN: u32 = 3;

/// Bits of a code in the packed answer.
pub(crate) const BITS_PER_CODE: u32 = 2;
/// Codes in a word of the packed answer, the first pair in the lowest bits.
pub(crate) const CODES_PER_WORD: u32 = 32 / BITS_PER_CODE;
/// Invocations in a workgroup; a multiple of [`CODES_PER_WORD`].
pub(crate) const WORKGROUP_SIZE: u32 = 64;

/// A convex shape: a run of vertices, counter-clockwise, relative to the shape's own origin.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct Shape {
    /// First vertex.
    pub(crate) vertex_offset: u32,
    /// Vertices, 3 or more.
    pub(crate) vertex_count: u32,
    /// At least the magnitude of any vertex: of each coordinate where no instance is turned, else Euclidean.
    pub(crate) radius: f32,
    /// Unused.
    pub(crate) padding: u32,
}

/// An instance of a shape: its vertices are `rotation * v + offset`, relative to its anchor.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct Instance {
    /// A point of the scene's integer grid near the instance.
    pub(crate) anchor: [i32; 2],
    /// The shape's origin relative to the anchor.
    pub(crate) offset: [f32; 2],
    /// Cosine and sine of the turn.
    pub(crate) rotation: [f32; 2],
    /// The shape.
    pub(crate) shape_index: u32,
    /// Bound on the error of each coordinate of each vertex placed by the device: packing, turn and move.
    pub(crate) error: f32,
}

/// Parameters of a relation dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct RelationParams {
    /// Pairs to decide.
    pub(crate) pair_count: u32,
    /// Workgroups in a row of the dispatch.
    pub(crate) groups_x: u32,
    /// Unused.
    pub(crate) padding: [u32; 2],
}

/// The constants that the shaders share with Rust, as WGSL.
#[cfg_attr(not(feature = "gpu"), allow(dead_code))]
pub(crate) fn wgsl_constants() -> String {
    format!(
        "const DISJOINT: u32 = {DISJOINT}u;\n\
         const TOUCHING: u32 = {TOUCHING}u;\n\
         const OVERLAPPING: u32 = {OVERLAPPING}u;\n\
         const UNCERTAIN: u32 = {UNCERTAIN}u;\n\
         const BITS_PER_CODE: u32 = {BITS_PER_CODE}u;\n\
         const CODES_PER_WORD: u32 = {CODES_PER_WORD}u;\n\
         const WORKGROUP_SIZE: u32 = {WORKGROUP_SIZE}u;\n"
    )
}
