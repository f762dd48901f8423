//! The error type of the library, grouped by stage. Every message names the invalid item, the invalid value and the
//! remedy.

use crate::base::shown::ShownValue;
use crate::base::side::PairSide;

/// Formats a number for a message. A number that would need many zeros is written with an exponent.
#[derive(Clone, Copy, Debug)]
pub struct Number(pub f64);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let magnitude = self.0.abs();
        if magnitude >= 1e16 || (magnitude > 0.0 && magnitude < 1e-5) {
            write!(f, "{:e}", self.0)
        } else {
            write!(f, "{}", self.0)
        }
    }
}

/// The remedy for rings that are an error without a fill rule, but valid with one.
const REPAIR: &str = "repair the polygon, or choose a fill rule";

/// An error in the input, in an option, or on the device.
///
/// Indices count from 0, in the caller's order. `polygon` is the index of a polygon in the slice that the caller
/// passed, or in a MultiPolygon. The error of a file, in the crate `sat2d-io`, adds the index of the feature in its file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    // ---- geometry
    /// A coordinate is NaN or infinite.
    #[error(
        "polygon {polygon}, vertex {vertex}: ({x}, {y}) is not finite; drop the polygon or repair the vertex"
    )]
    NotFinite {
        /// Index of the polygon.
        polygon: usize,
        /// Index of the vertex.
        vertex: usize,
        /// The x coordinate as given.
        x: f64,
        /// The y coordinate as given.
        y: f64,
    },
    /// A coordinate is out of range. Each coordinate must be 0 or have a magnitude from 2^-142 to 2^201. In this range,
    /// exact predicates neither underflow nor overflow.
    #[error(
        "polygon {polygon}, vertex {vertex}: coordinate {value:e} is neither 0 nor between 2^-142 (1.8e-43) and 2^201 (3.2e60) in magnitude; rescale the input"
    )]
    OutOfRange {
        /// Index of the polygon.
        polygon: usize,
        /// Index of the vertex.
        vertex: usize,
        /// The coordinate as given.
        value: f64,
    },
    /// A ring has fewer than three distinct vertices.
    #[error(
        "polygon {polygon}, ring {ring} has {count} distinct vertices; at least 3 are needed; drop the polygon or repair it"
    )]
    TooFewVertices {
        /// Index of the polygon.
        polygon: usize,
        /// Index of the ring. Ring 0 is the shell.
        ring: usize,
        /// Number of vertices of the ring that differ from the vertex before them, but at least 1 unless the ring is
        /// empty.
        count: usize,
    },
    /// All vertices of a ring lie on one line.
    #[error(
        "polygon {polygon}, ring {ring} has no area: all {count} vertices, from ({x}, {y}), lie on one line; drop the polygon"
    )]
    ZeroArea {
        /// Index of the polygon.
        polygon: usize,
        /// Index of the ring. Ring 0 is the shell.
        ring: usize,
        /// Number of vertices given.
        count: usize,
        /// The x coordinate of the first vertex.
        x: f64,
        /// The y coordinate of the first vertex.
        y: f64,
    },
    /// The ring turns in both directions, turns back on itself, or winds around more than once.
    #[error(
        "polygon {polygon} is not convex at vertex {vertex} ({x}, {y}); build it with `PolygonObject::from_polygon`, which splits it into convex pieces"
    )]
    NotConvex {
        /// Index of the polygon.
        polygon: usize,
        /// Index of the vertex in the input.
        vertex: usize,
        /// The x coordinate of the vertex.
        x: f64,
        /// The y coordinate of the vertex.
        y: f64,
    },
    /// Two segments of one polygon cross in their interiors.
    #[error(
        "polygon {polygon}: segment {segment} of ring {ring}, from ({}, {}) to ({}, {}), crosses another segment of the polygon near ({}, {}); {remedy}",
        from[0], from[1], to[0], to[1], near[0], near[1], remedy = REPAIR
    )]
    CrossingSegments {
        /// Index of the polygon.
        polygon: usize,
        /// Index of the segment's ring. Ring 0 is the shell.
        ring: usize,
        /// Index of the segment: the index of the vertex that it starts at.
        segment: usize,
        /// Start of the segment.
        from: [f64; 2],
        /// End of the segment.
        to: [f64; 2],
        /// A point near the crossing, rounded.
        near: [f64; 2],
    },
    /// A part of a hole lies outside the shell of its polygon.
    #[error(
        "polygon {polygon}: hole {ring} leaves its shell at ({x}, {y}); {remedy}",
        remedy = REPAIR
    )]
    HoleOutsideShell {
        /// Index of the polygon.
        polygon: usize,
        /// Index of the ring. Ring 0 is the shell.
        ring: usize,
        /// The x coordinate of a vertex of the hole outside the shell, or of another point near the part outside.
        x: f64,
        /// The y coordinate of the same point.
        y: f64,
    },
    /// The interior of the rings is empty.
    #[error("polygon {polygon} has an empty interior: its rings{} enclose nothing; drop it", near.map(|[x, y]| format!(", from ({x}, {y}),")).unwrap_or_default())]
    EmptyRegion {
        /// Index of the polygon.
        polygon: usize,
        /// The first vertex, or `None` if the polygon has no vertices.
        near: Option<[f64; 2]>,
    },
    /// A geometry of the crate `geo-types` is neither a polygon nor a list of polygons.
    #[cfg(feature = "geo-types")]
    #[error(
        "a {kind} is not polygonal; give a Polygon, a MultiPolygon, a Rect or a Triangle, or a GeometryCollection of exactly one of these"
    )]
    NotPolygonal {
        /// Name of the variant of `geo_types::Geometry`, such as `LineString`.
        kind: &'static str,
    },
    /// A bounding box contains no point, so no `geo_types::Rect` is equal to it.
    #[cfg(feature = "geo-types")]
    #[error(
        "the box from ({}, {}) to ({}, {}) contains no point, so no Rect is equal to it; leave the box out",
        min[0], min[1], max[0], max[1]
    )]
    EmptyBox {
        /// The lower left corner of the box.
        min: [f64; 2],
        /// The upper right corner of the box.
        max: [f64; 2],
    },
    /// The split of a polygon into convex pieces failed an internal check. This is a defect of the library, not of the
    /// polygon.
    #[error(
        "polygon {polygon} could not be split into convex pieces: {problem}; this is a defect, please report it with the polygon"
    )]
    Decomposition {
        /// Index of the polygon.
        polygon: usize,
        /// The check that failed.
        problem: &'static str,
    },
    /// A pose is invalid: a value is NaN, infinite or out of range, or the cosine and the sine do not form a rotation.
    #[error("pose of instance {instance}: {name} = {} {problem}", Number(*value))]
    Pose {
        /// Index of the instance.
        instance: usize,
        /// Name of the component that has the invalid value.
        name: &'static str,
        /// The invalid value.
        value: f64,
        /// The reason why the value is invalid, and the remedy.
        problem: &'static str,
    },
    /// A radius is negative, NaN, infinite or out of range.
    #[error(
        "radius {} is neither 0 nor from 2^-142 to 2^201; give the distance from the core to the border", Number(*radius)
    )]
    Radius {
        /// The radius as given.
        radius: f64,
    },
    /// A motion has a value that is NaN or infinite, or moves or rotates an object too far in one step.
    #[error("motion of object {object} of {side}: {name} = {} {problem}", Number(*value))]
    Motion {
        /// The set that the object belongs to.
        side: PairSide,
        /// Index of the object. If the call names two pieces, this is the index of the piece.
        object: usize,
        /// Name of the component that has the invalid value.
        name: &'static str,
        /// The invalid value.
        value: f64,
        /// The reason why the value is invalid, and the remedy.
        problem: &'static str,
    },
    /// A body, a shape or an option of a world has a value that cannot be simulated.
    #[error("{name} = {} {problem}", Number(*value))]
    Body {
        /// Name of the value.
        name: &'static str,
        /// The value as given.
        value: f64,
        /// The reason why the value is invalid, and the remedy.
        problem: &'static str,
    },
    /// An id names a body that is not in the world.
    #[error(
        "no body has slot {slot} and generation {generation}: it was removed, or is in another world; use the ids that `World::add` returned"
    )]
    UnknownBody {
        /// The slot that the id names. A slot is a place for one body in the world.
        slot: u32,
        /// The generation of the id: the number of times that the slot had been reused before the id was created.
        generation: u32,
    },
    /// A body would move beyond the extent of the world's grid.
    #[error(
        "the body in slot {slot} left the world: it would be at ({}, {}), over a million length units from the origin; remove such bodies, or choose a larger length unit", Number(*x), Number(*y)
    )]
    LeftWorld {
        /// The slot of the body, which `BodyId::index` returns.
        slot: u32,
        /// The x coordinate of the position that the body would have.
        x: f64,
        /// The y coordinate of the position that the body would have.
        y: f64,
    },
    /// An instance of a set, or a body of a world, names a shape that does not exist.
    #[error("instance {instance} names shape {shape}, but there are {count} shapes")]
    UnknownShape {
        /// Index of the instance. For a body, this is the number of bodies in the world.
        instance: usize,
        /// Index of the shape that the instance or the body names.
        shape: usize,
        /// Number of shapes.
        count: usize,
    },
    /// A pair names a piece that does not exist.
    #[error("pair {pair} names piece {index}, but the set has {count}; pieces count from 0")]
    UnknownPolygon {
        /// Index of the pair, or 0 if the call names only one pair.
        pair: usize,
        /// Index of the piece that the pair names.
        index: usize,
        /// Number of pieces in the set.
        count: usize,
    },
    /// An index names an object that does not exist.
    #[error("there is no object {index}: the set has {count}; objects count from 0")]
    UnknownObject {
        /// The index as given.
        index: usize,
        /// Number of objects in the set.
        count: usize,
    },
    /// A coordinate of a point is not accepted.
    #[error("point {point}: ({}, {}) {problem}", Number(*x), Number(*y))]
    Point {
        /// Index of the point.
        point: usize,
        /// The x coordinate as given.
        x: f64,
        /// The y coordinate as given.
        y: f64,
        /// The reason why the point is invalid, and the remedy.
        problem: &'static str,
    },
    /// A pair names a point that does not exist.
    #[error("pair {pair} names point {index}, but there are {count}; points count from 0")]
    UnknownPoint {
        /// Index of the pair.
        pair: usize,
        /// Index of the point that the pair names.
        index: usize,
        /// Number of points.
        count: usize,
    },
    /// A query names an object that has no region.
    #[error("object {index} has no polygon, so it meets nothing and has no axes; name another")]
    NoRegion {
        /// Index of the object as given. For two objects that are in no set, 0 is the first object and 1 is the second.
        index: usize,
    },
    /// The polygons of one object overlap each other, and their union cannot be computed.
    #[error(
        "object {object} of {side}: its polygons overlap each other, and their union cannot be computed: {source}"
    )]
    Union {
        /// The set that the object belongs to.
        side: PairSide,
        /// Index of the object.
        object: usize,
        /// The reason why the union cannot be computed.
        source: Box<Error>,
    },
    /// The number of items exceeds a limit of the library or of a device, such as the range of a 32-bit index.
    #[error("{count} {items} exceed the limit of {limit}; split the input")]
    TooMany {
        /// Name of the items, such as `vertices`.
        items: &'static str,
        /// Number of items. If the library stopped counting at the limit, the true number may be greater.
        count: usize,
        /// Greatest accepted number of items.
        limit: usize,
    },

    /// An object of several polygons is invalid, or an object cannot be split into convex pieces.
    #[error("object {object}: {source}")]
    Object {
        /// Index of the object.
        object: usize,
        /// The error of the polygon that makes the object invalid. The index in the error counts the polygons of the
        /// object.
        source: Box<Error>,
    },
    /// A column has an entry that does not fit the other columns.
    #[error("column {column}, entry {index} = {value}: it {problem}")]
    Column {
        /// Name of the column, such as `rings`, `polygons`, `objects` or `y`.
        column: &'static str,
        /// Index of the entry.
        index: usize,
        /// The entry as given.
        value: i64,
        /// The reason why the entry is invalid, and the remedy.
        problem: &'static str,
    },

    // ---- backend
    /// No adapter was found for the GPU backend.
    #[error(
        "no GPU adapter: {reason}; install a Vulkan driver (Debian and Ubuntu: mesa-vulkan-drivers has a software one), or use the CPU backend"
    )]
    NoAdapter {
        /// The reason why no adapter was found.
        reason: String,
    },
    /// The adapter provided no device, the device lacks a required capability or rejected an operation, the device finished
    /// no work for a minute, or a browser would have to wait for the device.
    #[error("GPU device: {reason}; try another adapter or the CPU backend")]
    Device {
        /// The operation that failed. If the driver gave a message, `reason` is this message.
        reason: String,
    },
    /// The device was lost during work. The results of the call are lost. The caller can create a new engine.
    #[error("GPU device lost: {reason}; build a new engine and run again")]
    DeviceLost {
        /// The message of the driver.
        reason: String,
    },
    /// The device has no memory left for a buffer.
    #[error(
        "GPU out of memory: {reason}; {needed_bytes} bytes were requested; use the CPU backend or split the input"
    )]
    OutOfDeviceMemory {
        /// Size of the buffer that was refused, in bytes.
        needed_bytes: u64,
        /// The message of the driver.
        reason: String,
    },
    /// A limit of the device is too small for the work.
    #[error(
        "GPU limit {limit} is {available}, but at least {needed} is needed; use another adapter or the CPU backend"
    )]
    DeviceLimit {
        /// Name of the limit in WebGPU.
        limit: &'static str,
        /// Value of the limit on the device.
        available: u64,
        /// Value that the library needs.
        needed: u64,
    },
    /// An option or an argument has an invalid value, or cannot be used in this call.
    #[error("{option} = {}: {problem}", ShownValue(value))]
    Option {
        /// Name of the option or of the argument.
        option: &'static str,
        /// The value as given, or a description of it.
        value: String,
        /// The reason why the value is invalid, and the remedy.
        problem: &'static str,
    },

    /// Data that the library computes does not fit in the memory of this machine.
    #[error(
        "out of memory: {needed_bytes} bytes were refused; split the input, or give the process more memory"
    )]
    OutOfMemory {
        /// Size of the allocation that was refused, in bytes.
        needed_bytes: usize,
    },
}

/// The result type of all functions of the library that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Sets the index of the polygon in the error to `index`, and returns the error.
    #[must_use]
    pub fn at_polygon(mut self, index: usize) -> Self {
        if let Some(polygon) = self.polygon_mut() {
            *polygon = index;
        }
        self
    }

    /// Returns the remedy at the end of the message, if the remedy names the fill rule. A caller with another name for the rule
    /// can then replace the remedy. Returns `None` for all other messages.
    #[doc(hidden)]
    #[must_use]
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Error::CrossingSegments { .. } | Error::HoleOutsideShell { .. } => Some(REPAIR),
            Error::Object { source, .. } => source.remedy(),
            _ => None,
        }
    }

    /// Returns a reference to the index of the polygon in the error, or `None` if the error has no such index.
    pub(crate) fn polygon_mut(&mut self) -> Option<&mut usize> {
        match self {
            Error::NotFinite { polygon, .. }
            | Error::OutOfRange { polygon, .. }
            | Error::TooFewVertices { polygon, .. }
            | Error::ZeroArea { polygon, .. }
            | Error::NotConvex { polygon, .. }
            | Error::CrossingSegments { polygon, .. }
            | Error::HoleOutsideShell { polygon, .. }
            | Error::Decomposition { polygon, .. }
            | Error::EmptyRegion { polygon, .. } => Some(polygon),
            _ => None,
        }
    }
}
