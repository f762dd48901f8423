//! The one error type, grouped by stage. Every message names the item, the value and the remedy.

#[cfg(feature = "io")]
use std::path::{Path, PathBuf};

use crate::figures::PairSide;
#[cfg(feature = "io")]
use crate::shown::Shown;
use crate::shown::ShownValue;

/// A number in a message: with an exponent where it would have many zeros.
pub(crate) struct Number(pub(crate) f64);

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

/// What can go wrong, from the coordinates of a polygon to the writing of the answer.
///
/// Indices count from 0, in the caller's order. `polygon` is the index in the slice that was given, or of the
/// polygon within its MultiPolygon; `Error::Feature` (of the feature `io`) adds which feature of a file that was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    // ---- geometry in
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
    /// A coordinate is neither 0 nor of a magnitude from 2^-142 to 2^201, where exact predicates neither under- nor overflow.
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
    /// Fewer than three distinct vertices.
    #[error(
        "polygon {polygon}, ring {ring} has {count} distinct vertices; at least 3 are needed; drop the polygon or repair it"
    )]
    TooFewVertices {
        /// Index of the polygon.
        polygon: usize,
        /// Index of the ring; 0 is the shell.
        ring: usize,
        /// Distinct consecutive vertices found.
        count: usize,
    },
    /// All vertices lie on one line.
    #[error(
        "polygon {polygon}, ring {ring} has no area: all {count} vertices, from ({x}, {y}), lie on one line; drop the polygon"
    )]
    ZeroArea {
        /// Index of the polygon.
        polygon: usize,
        /// Index of the ring; 0 is the shell.
        ring: usize,
        /// Vertices given.
        count: usize,
        /// The x coordinate of the first.
        x: f64,
        /// The y coordinate of the first.
        y: f64,
    },
    /// The ring turns both ways, turns back on itself, or winds around more than once.
    #[error(
        "polygon {polygon} is not convex at vertex {vertex} ({x}, {y}); build it with `PolygonObject::from_polygon`, which splits it into convex pieces"
    )]
    NotConvex {
        /// Index of the polygon.
        polygon: usize,
        /// Index of the vertex, as given.
        vertex: usize,
        /// The x coordinate of the vertex.
        x: f64,
        /// The y coordinate of the vertex.
        y: f64,
    },
    /// Two segments of one polygon cross in the interior of both.
    #[error(
        "polygon {polygon}: segment {segment} of ring {ring}, from ({}, {}) to ({}, {}), crosses another segment of the polygon near ({}, {}); repair the polygon",
        from[0], from[1], to[0], to[1], near[0], near[1]
    )]
    CrossingSegments {
        /// Index of the polygon.
        polygon: usize,
        /// Ring of the segment; 0 is the shell.
        ring: usize,
        /// Index of the segment: it starts at the vertex of this index.
        segment: usize,
        /// Where the segment starts.
        from: [f64; 2],
        /// Where the segment ends.
        to: [f64; 2],
        /// A place near the crossing, rounded.
        near: [f64; 2],
    },
    /// A hole has a part outside of its shell.
    #[error("polygon {polygon}: hole {ring} leaves its shell at ({x}, {y}); repair the polygon")]
    HoleOutsideShell {
        /// Index of the polygon.
        polygon: usize,
        /// Index of the ring; 0 is the shell.
        ring: usize,
        /// A vertex of the part outside.
        x: f64,
        /// A vertex of the part outside.
        y: f64,
    },
    /// The even-odd interior of the rings is empty.
    #[error("polygon {polygon} has an empty interior: its rings{} enclose nothing; drop it", near.map(|[x, y]| format!(", from ({x}, {y}),")).unwrap_or_default())]
    EmptyRegion {
        /// Index of the polygon.
        polygon: usize,
        /// The first vertex, if there is any.
        near: Option<[f64; 2]>,
    },
    /// The triangulation of a polygon failed a check of its own: a defect of this library, not of the polygon.
    #[error(
        "polygon {polygon} could not be split into convex pieces: {problem}; this is a defect, please report it with the polygon"
    )]
    Decomposition {
        /// Index of the polygon.
        polygon: usize,
        /// Which check failed.
        problem: &'static str,
    },
    /// A pose holds a value that is not finite, out of range, or (cos, sin) is not a rotation.
    #[error("pose of instance {instance}: {name} = {} {problem}", Number(*value))]
    Pose {
        /// Index of the instance.
        instance: usize,
        /// Which component.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What is wrong with it and what to do.
        problem: &'static str,
    },
    /// A radius that is negative, not finite or out of range.
    #[error(
        "radius {} is neither 0 nor from 2^-142 to 2^201; give the distance from the core to the border", Number(*radius)
    )]
    Radius {
        /// As given.
        radius: f64,
    },
    /// A motion holds a value that is not finite, or goes too far in a step.
    #[error("motion of object {object} of {side}: {name} = {} {problem}", Number(*value))]
    Motion {
        /// Which of the two sets.
        side: PairSide,
        /// Index of the object.
        object: usize,
        /// Which component.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What is wrong with it and what to do.
        problem: &'static str,
    },
    /// A value of a body, of its shape or of its world that cannot be simulated.
    #[error("{name} = {} {problem}", Number(*value))]
    Body {
        /// Which value.
        name: &'static str,
        /// As given.
        value: f64,
        /// What is wrong with it and what to do.
        problem: &'static str,
    },
    /// A body that is not in the world.
    #[error(
        "there is no body in place {slot} of generation {generation}: it was removed, or is one of another world; use the ids that `World::add` gave"
    )]
    UnknownBody {
        /// The place that it names.
        slot: u32,
        /// How often the place was to have been given away before.
        generation: u32,
    },
    /// A body went farther from the world's origin than its grid reaches.
    #[error(
        "the body in place {slot} left the world: it would be at ({}, {}), over a million length units from its origin; remove bodies that fly away, or choose a larger length unit", Number(*x), Number(*y)
    )]
    LeftWorld {
        /// The place of the body.
        slot: u32,
        /// Where it would be.
        x: f64,
        /// Where it would be.
        y: f64,
    },
    /// An instance names a shape that does not exist.
    #[error("instance {instance} names shape {shape}, but there are {count} shapes")]
    UnknownShape {
        /// Index of the instance.
        instance: usize,
        /// The shape it names.
        shape: usize,
        /// How many there are.
        count: usize,
    },
    /// A pair names a piece that does not exist.
    #[error("pair {pair} names piece {index}, but the set has {count}; pieces count from 0")]
    UnknownPolygon {
        /// Index of the pair.
        pair: usize,
        /// The index it names.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// An object is named that does not exist.
    #[error("there is no object {index}: the set has {count}; objects count from 0")]
    UnknownObject {
        /// The index that was given.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A point has a coordinate that is not accepted.
    #[error("point {point}: ({}, {}) {problem}", Number(*x), Number(*y))]
    Point {
        /// Index of the point.
        point: usize,
        /// The x coordinate as given.
        x: f64,
        /// The y coordinate as given.
        y: f64,
        /// What is wrong with it and what to do.
        problem: &'static str,
    },
    /// A pair names a point that does not exist.
    #[error("pair {pair} names point {index}, but there are {count}; points count from 0")]
    UnknownPoint {
        /// Index of the pair.
        pair: usize,
        /// The index it names.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A question is asked of an object that has no region.
    #[error("object {index} has no polygon, so that it meets nothing and has no axes; name another")]
    NoRegion {
        /// The index that was given.
        index: usize,
    },
    /// More items than a 32-bit index can name.
    #[error("{count} {items} are more than the {limit} that can be joined at once; split the input")]
    TooMany {
        /// What is counted.
        items: &'static str,
        /// How many there are.
        count: usize,
        /// How many fit.
        limit: usize,
    },

    // ---- backend
    /// No adapter could be found for the GPU backend.
    #[error(
        "no GPU adapter: {reason}; install a Vulkan driver (Debian and Ubuntu: mesa-vulkan-drivers has a software one), or use the CPU backend"
    )]
    NoAdapter {
        /// What the search said.
        reason: String,
    },
    /// The adapter gave no device, the device lacks something, or it finished nothing for a minute.
    #[error("GPU device: {reason}; try another adapter or the CPU backend")]
    Device {
        /// What the driver said.
        reason: String,
    },
    /// The device went away during work; the results of the call are lost, the engine can be built anew.
    #[error("GPU device lost: {reason}; build the engine anew and run again")]
    DeviceLost {
        /// What the driver said.
        reason: String,
    },
    /// The device has no memory left for a buffer.
    #[error(
        "GPU out of memory: {reason}; {needed_bytes} bytes were asked for; use the CPU backend or split the input"
    )]
    OutOfDeviceMemory {
        /// Bytes of the buffer that was refused.
        needed_bytes: u64,
        /// What the driver said.
        reason: String,
    },
    /// A limit of the device is too small for the least possible chunk.
    #[error(
        "GPU limit {limit} is {available}, but at least {needed} is needed; use another adapter or the CPU backend"
    )]
    DeviceLimit {
        /// Name of the limit, as in WebGPU.
        limit: &'static str,
        /// What the device has.
        available: u64,
        /// What is needed.
        needed: u64,
    },
    /// An option has a value that makes no sense.
    #[error("{option} = {}: {problem}", ShownValue(value))]
    Option {
        /// Name of the option.
        option: &'static str,
        /// Its value.
        value: String,
        /// What is wrong and what to give.
        problem: &'static str,
    },

    /// What is made of the input does not fit this machine's memory.
    #[error(
        "out of memory: {needed_bytes} bytes were refused; split the input, or give the process more memory"
    )]
    OutOfMemory {
        /// Bytes that are needed in one place.
        needed_bytes: usize,
    },

    // ---- files
    /// A file cannot be opened or read.
    #[cfg(feature = "io")]
    #[error("cannot read {}: {source}", named(path, "standard input"))]
    Read {
        /// The file; `-` is standard input.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file cannot be written; the target is as it was before.
    #[cfg(feature = "io")]
    #[error("cannot write {}: {source}", named(path, "standard output"))]
    Write {
        /// The file; `-` is standard output.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// What a file holds does not fit this machine's memory.
    #[cfg(feature = "io")]
    #[error(
        "cannot read {}: out of memory: {needed_bytes} bytes were refused; split the input, or give the process more memory",
        named(path, "standard input")
    )]
    OutOfReadMemory {
        /// The file; `-` is standard input.
        path: PathBuf,
        /// Bytes that were asked for.
        needed_bytes: usize,
    },
    /// The text of a feature is longer than it may be.
    #[cfg(feature = "io")]
    #[error(
        "its text takes more than the {limit_bytes} bytes that one feature may; split it, or allow more (`--max-feature-mib`, in the library `ReadOptions::max_feature_bytes`)"
    )]
    FeatureTooLarge {
        /// How many bytes it may take.
        limit_bytes: usize,
    },
    /// A file is not what it should be.
    #[cfg(feature = "io")]
    #[error("{}, line {line}, column {column}: {problem}", named(path, "standard input"))]
    Syntax {
        /// The file; `-` is standard input.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        problem: String,
    },
    /// No feature of the input has the property that should name them.
    #[cfg(feature = "io")]
    #[error("{}: no feature has the property {}; name one that they have", all_named(paths), Shown(property))]
    IdProperty {
        /// The file, or each of several; `-` is standard input.
        paths: Vec<PathBuf>,
        /// Name of the property.
        property: String,
    },
    /// A geometry type that this question cannot be asked of.
    #[cfg(feature = "io")]
    #[error(
        "geometry type {} cannot be joined; only Polygon and MultiPolygon can, and, as the first of two files, Point and MultiPoint",
        Shown(kind)
    )]
    UnsupportedGeometry {
        /// The GeoJSON type.
        kind: String,
    },
    /// A ring or position that is not what GeoJSON says it should be.
    #[cfg(feature = "io")]
    #[error("{problem}")]
    Malformed {
        /// What is wrong and where.
        problem: String,
    },
    /// Something is wrong with one feature of a file.
    #[cfg(feature = "io")]
    #[error("{}, feature {feature}{}: {source}", named(path, "standard input"), id.as_ref().map(|id| format!(" (id {})", Shown(id))).unwrap_or_default())]
    Feature {
        /// The file; `-` is standard input.
        path: PathBuf,
        /// Index of the feature in its file, from 0.
        feature: usize,
        /// Its id, where it has one.
        id: Option<String>,
        /// What is wrong.
        source: Box<Error>,
    },
}

/// What messages call a file; `-` is one of the standard streams.
#[cfg(feature = "io")]
fn named(path: &Path, stream: &'static str) -> String {
    if path.as_os_str() == "-" { stream.into() } else { path.display().to_string() }
}

#[cfg(feature = "io")]
fn all_named(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| named(path, "standard input")).collect();
    names.join(" and ")
}

/// The result of anything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The same error, said of the polygon at `index`.
    #[must_use]
    pub fn at_polygon(mut self, index: usize) -> Self {
        match &mut self {
            Error::NotFinite { polygon, .. }
            | Error::OutOfRange { polygon, .. }
            | Error::TooFewVertices { polygon, .. }
            | Error::ZeroArea { polygon, .. }
            | Error::NotConvex { polygon, .. }
            | Error::CrossingSegments { polygon, .. }
            | Error::HoleOutsideShell { polygon, .. }
            | Error::Decomposition { polygon, .. }
            | Error::EmptyRegion { polygon, .. } => *polygon = index,
            _ => {}
        }
        self
    }
}
