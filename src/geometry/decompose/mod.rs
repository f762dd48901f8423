//! Splits concave polygons and polygons with holes into convex pieces.
//!
//! The rings become constraints of a Delaunay triangulation. A triangle is inside if the number of constraints between
//! the triangle and infinity is odd. The code then merges triangles across each diagonal that convexity does not need
//! (Hertel and Mehlhorn 1983, "Fast Triangulation of Simple Polygons"). Exact predicates make every decision.

mod course;
mod filled;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test panics")]
mod filled_tests;
mod insertion_order;
mod lines;
mod lines_of_edges;
mod merge;
mod mesh;
mod region;
mod rings;
mod segments;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test panics")]
mod segments_tests;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test panics")]
mod tests;
mod traced;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test panics")]
mod traced_tests;

use glam::DVec2;

use self::course::Course;
pub(crate) use self::filled::filled;
pub(super) use self::insertion_order::along_curve;
use self::lines::Cuts;
pub(super) use self::lines::turn;
use self::mesh::{Failure, Haste, Mesh};
use self::region::Boundary;
use self::rings::Rings;
pub(super) use self::rings::check_vertex_count;
use super::{Cleanup, ConvexPolygon};
use crate::base::error::{Error, Result};

/// Returns the convex pieces of the even-odd interior of `rings`, and the counts of cleanups. The first ring is the
/// shell. In errors, the index of a vertex counts the vertices of all rings, and the index of the polygon is 0.
pub(crate) fn polygon(rings: &[Vec<DVec2>]) -> Result<(Vec<ConvexPolygon>, Cleanup)> {
    match convex(rings)? {
        Some(polygon) => {
            let cleanup = polygon.cleanup();
            Ok((vec![polygon], cleanup))
        }
        None => general(rings),
    }
}

/// Returns the boundary of the even-odd interior of `rings`, and the counts of cleanups. The boundary consists of
/// closed rings with the interior on their left. At a point where rings touch, the interior consists of several
/// sectors, and each corner of a ring encloses one of them.
///
/// # Errors
/// Returns the errors of [`polygon`].
pub(crate) fn outline(rings: &[Vec<DVec2>]) -> Result<(Vec<Vec<DVec2>>, Cleanup)> {
    if let Some(polygon) = convex(rings)? {
        return Ok((vec![polygon.vertices().to_vec()], polygon.cleanup()));
    }
    if let Some(outline) = traced::outline(&Rings::new(rings)?, rings)? {
        return Ok(outline);
    }
    triangulated_outline(rings)
}

/// Returns the boundary of the even-odd interior of `rings`, and the counts of cleanups, as [`outline`] does. Unlike
/// [`outline`], triangulates every polygon, even a single convex ring. Returns the errors of [`polygon`].
fn triangulated_outline(rings: &[Vec<DVec2>]) -> Result<(Vec<Vec<DVec2>>, Cleanup)> {
    let triangulation = Triangulation::of(rings, PATIENCE)?;
    let Triangulation { rings, mesh, inside, cleanup, .. } = &triangulation;
    let outline = region::outline(&rings.points, mesh, inside);
    if outline.is_empty() {
        return Err(rings.empty_region());
    }
    Ok((outline, *cleanup))
}

/// Checks the coordinates of rings, and that the shell is neither a point nor on one line. Returns the counts of
/// cleanups.
///
/// # Errors
/// Returns the errors of [`polygon`] about coordinates, numbers of vertices, and a shell without an area.
pub(super) fn check_rings(rings: &[Vec<DVec2>]) -> Result<Cleanup> {
    Rings::new(rings).map(|rings| rings.cleanup)
}

/// Returns [`Error::EmptyRegion`] for rings without an interior.
pub(super) fn empty_region(rings: &[Vec<DVec2>]) -> Error {
    Error::EmptyRegion { polygon: 0, near: rings.iter().flatten().next().map(|&p| p.into()) }
}

/// Returns the polygon if its shell is convex and each hole is an empty ring. Returns `None` for any other polygon.
/// Returns the errors of [`ConvexPolygon::new`], or [`Error::EmptyRegion`] if there are no rings.
fn convex(rings: &[Vec<DVec2>]) -> Result<Option<ConvexPolygon>> {
    let Some((shell, holes)) = rings.split_first() else {
        return Err(Error::EmptyRegion { polygon: 0, near: None });
    };
    if !holes.iter().all(Vec::is_empty) {
        return Ok(None);
    }
    match ConvexPolygon::new(shell) {
        Err(Error::NotConvex { .. }) => Ok(None),
        polygon => polygon.map(Some),
    }
}

/// The number of steps per segment that [`Haste::Within`] may take. If it would take more steps, [`Haste::AnyInput`] is
/// used. On maps, a few steps are enough. If no two segments overlap, the method takes at most 6 steps per segment on
/// average to find the edge at which an insertion begins, because the graph is planar.
const PATIENCE: usize = 64;

/// Returns the convex pieces of the even-odd interior of `rings`, and the counts of cleanups, as [`polygon`] does.
/// Unlike [`polygon`], triangulates every polygon, even a single convex ring. Returns the errors of [`polygon`].
fn general(rings: &[Vec<DVec2>]) -> Result<(Vec<ConvexPolygon>, Cleanup)> {
    general_within(rings, PATIENCE)
}

/// Triangulates `rings`. Returns the convex pieces of their even-odd interior, and the counts of cleanups. `patience`
/// is the number of steps per segment that the insertion may take. If the insertion takes more steps, overlapping
/// segments are cut and inserted by another method. Returns the errors of [`polygon`].
fn general_within(rings: &[Vec<DVec2>], patience: usize) -> Result<(Vec<ConvexPolygon>, Cleanup)> {
    let triangulation = Triangulation::of(rings, patience)?;
    let Triangulation { rings, mesh, inside, boundary, cleanup, haste } = &triangulation;
    // A vertex that is not on the region's boundary, such as the tip of a retraced spike, would only split pieces. Such
    // vertices are left out.
    let odd_edges = boundary.odd_edges(mesh);
    let pieces = match without_idle_vertices(&rings.points, &odd_edges) {
        None => pieces(&rings.points, mesh, inside)?,
        Some(_) if odd_edges.is_empty() => Vec::new(),
        Some((points, edges)) => {
            let mesh = match Mesh::new(&points, &edges, *haste) {
                Err(Failure::Tangled) => Mesh::new(&points, &edges, Haste::AnyInput),
                mesh => mesh,
            };
            let mesh = mesh.map_err(|failure| failed(rings, failure))?;
            let inside = region::inside_of_constraints(&mesh);
            pieces(&points, &mesh, &inside)?
        }
    };
    if pieces.is_empty() {
        return Err(rings.empty_region());
    }
    Ok((pieces, *cleanup))
}

/// The triangulation of the rings of a polygon, and whether each face is inside.
struct Triangulation {
    rings: Rings,
    mesh: Mesh,
    inside: Vec<bool>,
    boundary: Boundary,
    cleanup: Cleanup,
    /// The method that inserted the segments.
    haste: Haste,
}

impl Triangulation {
    fn of(rings: &[Vec<DVec2>], patience: usize) -> Result<Self> {
        let rings = Rings::new(rings)?;
        let (mesh, course, haste) = triangulated(&rings, patience)?;
        let mut boundary = Boundary::new(course, &mesh);
        let mut cleanup = rings.cleanup;
        cleanup.retraced_edges = boundary.retraced_edges;
        cleanup.touching_vertices = boundary.touching_vertices(&rings)?;
        let inside = boundary.inside(&rings, &mesh)?;
        Ok(Self { rings, mesh, inside, boundary, cleanup, haste })
    }
}

/// Triangulates the rings. Returns the mesh, the course of the rings over the mesh, and the method that inserted the
/// segments. Returns [`Error::CrossingSegments`] if segments cross, and [`Error::Decomposition`] if a check of the mesh
/// fails.
fn triangulated(rings: &Rings, patience: usize) -> Result<(Mesh, Course, Haste)> {
    let segments: Vec<[u32; 2]> = rings.segments.iter().map(|s| s.ends).collect();
    let haste = Haste::Within(segments.len().saturating_mul(patience));
    match Mesh::new(&rings.points, &segments, haste) {
        Ok(mesh) => {
            let course = Course::new(rings, &mesh, &Cuts::whole(&segments));
            Ok((mesh, course, haste))
        }
        Err(Failure::Tangled) => {
            let cuts = Cuts::disjoint(&rings.points, &segments);
            let mesh =
                Mesh::new(&rings.points, &cuts.ends, Haste::AnyInput).map_err(|failure| match failure {
                    Failure::Crossing { segment, other } => {
                        let segment = cuts.segment_over(segment);
                        failed(rings, Failure::Crossing { segment, other })
                    }
                    failure => failed(rings, failure),
                })?;
            let course = Course::new(rings, &mesh, &cuts);
            Ok((mesh, course, Haste::AnyInput))
        }
        Err(failure) => Err(failed(rings, failure)),
    }
}

/// Leaves out the points that are not the end of an edge. Returns the other points, and the edges as pairs of indices
/// in this shorter list. Returns `None` if every point is the end of an edge.
fn without_idle_vertices(points: &[DVec2], edges: &[[u32; 2]]) -> Option<(Vec<DVec2>, Vec<[u32; 2]>)> {
    let mut used = vec![false; points.len()];
    for &end in edges.iter().flatten() {
        used[end as usize] = true;
    }
    if used.iter().all(|&u| u) {
        return None;
    }
    let mut renumbered = vec![0; points.len()];
    let mut kept = Vec::new();
    for (i, &point) in points.iter().enumerate() {
        if used[i] {
            renumbered[i] = kept.len() as u32;
            kept.push(point);
        }
    }
    Some((kept, edges.iter().map(|e| e.map(|end| renumbered[end as usize])).collect()))
}

fn pieces(points: &[DVec2], mesh: &Mesh, inside: &[bool]) -> Result<Vec<ConvexPolygon>> {
    merge::convex_loops(points, mesh, inside)
        .iter()
        .map(|piece| {
            let vertices: Vec<DVec2> = piece.corners.iter().map(|&v| points[v as usize]).collect();
            ConvexPolygon::new(&vertices)
                .ok()
                .and_then(|polygon| polygon.with_internal_edges(&piece.internal))
                .ok_or(Error::Decomposition { polygon: 0, problem: "a merged piece is not convex" })
        })
        .collect()
}

fn failed(rings: &Rings, failure: Failure) -> Error {
    match failure {
        Failure::Crossing { segment, other } => {
            let [from, to] = rings.segments[segment].ends.map(|v| rings.points[v as usize]);
            let [p, q] = other.map(|v| rings.points[v as usize]);
            rings.crossing(segment, near_crossing(from, to, p, q))
        }
        Failure::Tangled => {
            Error::Decomposition { polygon: 0, problem: "segments that were cut apart still cross" }
        }
        Failure::Defect(problem) => Error::Decomposition { polygon: 0, problem },
    }
}

/// Returns the approximate crossing point of the segment from `from` to `to` and the segment from `p` to `q`. The point
/// appears only in messages, so rounding is harmless.
pub(super) fn near_crossing(from: DVec2, to: DVec2, p: DVec2, q: DVec2) -> DVec2 {
    let (a, b) = ((q - p).perp_dot(from - p), (q - p).perp_dot(to - p));
    let t = a / (a - b);
    if (0.0..=1.0).contains(&t) { from + (to - from) * t } else { from.midpoint(to) }
}
