//! `sat2d` finds which 2D polygons overlap and which only touch. `sat2d` tests millions of candidate pairs (pairs of
//! convex pieces whose bounding boxes meet) with the separating axis theorem.
//!
//! ```text
//! rings -> ConvexPolygon, PolygonObject   checked, tidied, split into convex pieces    geometry
//!       -> PolygonSet                     objects, pieces, shapes, poses
//!       -> candidate pairs                pieces whose closed boxes meet                broad_phase
//!       -> records                        f32 about anchors on an integer grid          packed
//!       -> codes                          disjoint, overlapping or uncertain, in f32    kernels
//!       -> relations                      the uncertain decided again, exactly          kernels::cpu::exact
//!       -> Answers                        strongest relation of each pair of objects    queries, answers
//! ```
//!
//! # Conventions
//!
//! - The y axis points up. Vertices are counter-clockwise. The library reverses clockwise input.
//!   [`ConvexPolygon::source_index`] maps each vertex to its index in the input.
//! - Lengths are in the caller's unit. Angles are in radians. Coordinates are f64. Each coordinate is 0 or has a
//!   magnitude from [`MIN_COORDINATE`] to [`MAX_COORDINATE`]. Any other coordinate is an error.
//! - Polygons are closed sets: the border belongs to the polygon. A [`Relation`] is [`Relation::Disjoint`] (no common
//!   point), [`Relation::Touching`] (common points, but no common interior) or [`Relation::Overlapping`] (the interiors
//!   meet). A relation equals the result of exact arithmetic on the given coordinates. With [`Keep`], the caller
//!   chooses which relations a join returns. The choice does not affect the arithmetic.
//! - Measurements (depths, gaps, distances, positions) that are returned to the host are computed in f64 from the given
//!   coordinates. The error of a measurement is at most [`MEASUREMENT_BOUND`] times the size of the pair. Simulations
//!   (`sim`) are computed in f32. The error of their measurements is at most [`FIGURE_BOUND`] times the size of the
//!   pair.
//! - Results are the same, in the same order, on the CPU and on a GPU, with any number of threads and any chunk size.
//!   Pairs are sorted by the indices of their objects in the input.
//! - CPU work runs in the current `rayon` thread pool.
//!
#![doc = include_str!("queries/queries.md")]
//!
//! # Features
//!
//! - `gpu` (default): adds the GPU backend. The crate re-exports `wgpu` as `sat2d::wgpu`.
//! - `scenes`: adds generators of the scenes that the benchmarks use.
//! - `sim`: adds simulations of bodies that move and collide.
//! - `geo-types`: adds conversions from and to the polygons, rectangles and triangles of the crate `geo-types`. The
//!   crate re-exports `geo_types` as `sat2d::geo_types`.
//! - `serde`: implements `Serialize` and `Deserialize` for answers, options and shapes.
//!
#![cfg_attr(feature = "serde", doc = include_str!("answers/serde.md"))]
//!
//! The crate `sat2d-io` reads and writes files. The crate `sat2d-cli` is the command-line program `sat2d`.

// docs.rs shows which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Only x86-64 uses the widest kernels. On other machines, only tests use them.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
// `internal` exports some items only with these features.
#![cfg_attr(not(all(feature = "gpu", feature = "scenes")), allow(unreachable_pub))]

mod answers;
mod base;
pub mod broad_phase;
mod engine;
mod geometry;
#[cfg(feature = "gpu")]
mod gpu;
#[doc(hidden)]
pub mod internal;
mod kernels;
mod packed;
mod points;
mod queries;
#[cfg(feature = "scenes")]
pub mod scenes;
#[cfg(feature = "sim")]
pub mod sim;
mod simd;

pub use answers::area::{MeasuredObjects, Overlap};
pub use answers::backend::{Backend, Choice};
pub use answers::bounds::{FIGURE_BOUND, MEASUREMENT_BOUND};
pub use answers::check::{CheckReport, DisagreeingPiece, Disagreement};
pub use answers::containment::{Containment, CoveringPair};
pub use answers::distance::{Closest, Distance};
pub use answers::envelope::Answers;
pub use answers::impact::{Impact, ImpactOutcome, TimeOfImpact, TimeOfImpactOptions};
pub use answers::manifold::{Contact, Manifold, RelativeVelocity};
pub use answers::measured::MeasuredPair;
pub use answers::pair::{Motion, PairEdge, PairFeature, PairFeatures};
pub use answers::penetration::Penetration;
pub use answers::points::{FirstHits, KeepPoints, PointCount, PointJoin, PointPair, PointRelation};
pub use answers::results::{Counts, Keep, RelatedPair, Relation, StageSpan, Timings};
pub use base::error::{Error, Result};
pub use base::side::PairSide;
pub use engine::Engine;
#[cfg(feature = "geo-types")]
pub use geo_types;
pub use geometry::{
    Aabb, Cleanup, ConvexPolygon, Coordinates, Fill, FromColumns, MAX_COORDINATE, MIN_COORDINATE, Offsets,
    PolygonColumns, PolygonObject, PolygonSet, Pose, RoundedSet, RoundedShape, Shapes,
};
pub use glam;
#[cfg(feature = "gpu")]
pub use gpu::adapter::{Adapter, adapters};
#[cfg(feature = "gpu")]
pub use kernels::gpu::encoder::RelationEncoder;
#[cfg(feature = "gpu")]
pub use kernels::gpu::read_hits::HostHits;
pub use points::PointOptions;
pub use points::join::{PointPairs, Points};
#[cfg(not(target_family = "wasm"))]
pub use queries::explain::EdgeExplanation;
pub use queries::explain::{Axis, Explanation, ObjectExplanation, PointExplanation, SeparatingTranslation};
pub use queries::given::{ObjectPairs, ObjectQuery, PiecePairs, PieceQuery, PreparedPairs};
pub use queries::joins::{Join, JoinQuery};
pub use queries::kinds::{
    Containments, Distances, Hits, Impacts, Manifolds, Nearest, Penetrations, Relations,
};
pub use queries::kinds_of_areas::{IntersectionArea, Iou};
pub use queries::prepared::Prepared;
pub use queries::progress::Progress;
#[cfg(feature = "gpu")]
pub use wgpu;

/// Compiles the code of README.md.
#[cfg(all(doctest, feature = "gpu"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// Compiles the code of the guide.
#[cfg(all(doctest, feature = "gpu", feature = "sim"))]
mod guide {
    #[doc = include_str!("../docs/guide/library.md")]
    struct Library;
    #[doc = include_str!("../docs/guide/device.md")]
    struct Device;
    #[doc = include_str!("../docs/guide/points.md")]
    struct Points;
    #[doc = include_str!("../docs/guide/simulation.md")]
    struct Simulation;
}
