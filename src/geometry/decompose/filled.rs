//! Splits the region of rings that cross into convex pieces.
//!
//! A crossing is a rational point, and a vertex of a piece is an f64. The edges are cut at the rounded crossings, which moves
//! the edges a little. The moved edges may cross again, so the cuts are repeated. If edges still cross after some rounds, all
//! vertices are rounded to a grid, on which no edges cross.

use glam::DVec2;

use super::lines_of_edges::Lines;
use super::mesh::{Failure, Haste, Mesh, OUTER_FACE};
use super::{PATIENCE, pieces, region, without_idle_vertices};
use crate::base::error::{Error, Result};
use crate::base::sorting::{sort_by, sort_unstable};
use crate::geometry::outline::{CutLimits, Excess, LeafPairs, Loops, by_way};
use crate::geometry::{ConvexPolygon, Fill};

/// The number of initial rounds, in which the vertices keep their coordinates, and the edges are only cut at rounded
/// crossings. Each later round first rounds the vertices to a grid. Usually one or two rounds are enough. If two edges
/// nearly coincide, their crossing may move by only one ulp in each round.
const EXACT_ROUNDS: usize = 4;
/// The maximum number of rounds, including the rounds without a grid. If edges still cross after the last round, the
/// polygon is an error. In practice, one round on a grid is enough.
const MOST_ROUNDS: usize = 16;
/// The maximum number of points at which the edges of one polygon are cut. A polygon that needs more cuts is an error.
/// The cuts and the mesh take about 200 bytes for each point. The limit is lower in tests, so that few edges reach it.
const MOST_CUTS: usize = if cfg!(test) { 1 << 16 } else { 1 << 24 };

/// Returns convex pieces of the region that rings enclose under a fill rule. Also returns an upper bound of the distance
/// by which a point of the boundary was moved, in the caller's unit. If rounding has closed a thin region, the list of
/// pieces is empty.
///
/// # Errors
/// Returns [`Error::Decomposition`] if edges still cross after many rounds or an internal check fails, and
/// [`Error::TooMany`] if edges cross at very many points.
pub(crate) fn filled(rings: &[Vec<DVec2>], fill: Fill) -> Result<(Vec<ConvexPolygon>, f64)> {
    filled_within(rings, fill, MOST_CUTS)
}

/// Returns the same pieces and the same bound as [`filled`], but cuts edges at no more than `most_cuts` points. Returns
/// the errors of [`filled`].
pub(super) fn filled_within(
    rings: &[Vec<DVec2>],
    fill: Fill,
    most_cuts: usize,
) -> Result<(Vec<ConvexPolygon>, f64)> {
    pieces_of(Lines::of_rings(rings), fill, most_cuts)
}

/// Returns convex pieces of the region that `lines` enclose under a fill rule. Also returns an upper bound of the distance
/// by which a point of the boundary was moved. Edges are cut at no more than `most_cuts` points. Returns the errors of
/// [`filled`].
pub(super) fn pieces_of(lines: Lines, fill: Fill, most_cuts: usize) -> Result<(Vec<ConvexPolygon>, f64)> {
    let (lines, displacement) = without_crossings(lines, fill, most_cuts)?;
    let Graph { points, edges, weights } = Graph::of(&lines, fill);
    if edges.is_empty() {
        return Ok((Vec::new(), displacement));
    }
    let mesh = triangulated(&points, &edges)?;
    let inside = inside(&mesh, &weights, fill);
    let is_boundary = |&half_edge: &u32| {
        let [left, right] = [half_edge, half_edge ^ 1].map(|side| mesh.face[side as usize] as usize);
        inside[left] != inside[right]
    };
    let boundary: Vec<[u32; 2]> =
        (0..mesh.origin.len() as u32).step_by(2).filter(is_boundary).map(|edge| mesh.ends(edge)).collect();
    let pieces = match without_idle_vertices(&points, &boundary) {
        None => pieces(&points, &mesh, &inside)?,
        Some(_) if boundary.is_empty() => Vec::new(),
        Some((points, edges)) => {
            let mesh = triangulated(&points, &edges)?;
            pieces(&points, &mesh, &region::inside_of_constraints(&mesh))?
        }
    };
    Ok((pieces, displacement))
}

/// Cuts the edges of rings at their crossings and at vertices that lie on them, until any two edges either are equal or
/// meet at vertices only. Also returns an upper bound of the distance by which a point was moved: the sum of the
/// largest movements of all rounds. Returns the errors of [`filled`].
fn without_crossings(mut lines: Lines, fill: Fill, most_cuts: usize) -> Result<(Lines, f64)> {
    let mut displacement = 0.0;
    let (mut loops, mut leaf_pairs) = (Loops::default(), LeafPairs::default());
    let too_many = |excess| match excess {
        Excess::Cuts(count) => {
            let items = "cuts of one polygon's edges where its rings cross";
            Error::TooMany { items, count, limit: most_cuts }
        }
        Excess::Overlaps => {
            Error::Decomposition { polygon: 0, problem: "edges that were joined still overlap" }
        }
    };
    for round in 0..MOST_ROUNDS {
        if round >= EXACT_ROUNDS {
            let most = most_cuts.saturating_mul(lines.traversals());
            let rounded = loops.rounded(&lines.loops(), most, &mut leaf_pairs);
            let (vertices, moved) = rounded.map_err(too_many)?;
            lines.replace(&vertices);
            displacement += moved;
        }
        let mut limits = CutLimits { cuts: most_cuts.saturating_mul(lines.traversals()), has_overlaps: true };
        let mut cuts = loops.cuts(&lines.loops(), limits, &mut leaf_pairs);
        if cuts == Err(Excess::Overlaps) {
            lines = lines.without_overlaps(fill);
            limits = CutLimits { cuts: most_cuts.saturating_mul(lines.traversals()), has_overlaps: false };
            cuts = loops.cuts(&lines.loops(), limits, &mut leaf_pairs);
        }
        let mut cuts = cuts.map_err(too_many)?;
        if cuts.is_empty() {
            return Ok((lines, displacement));
        }
        sort_by(&mut cuts, |a, b| {
            (a.ring, a.edge).cmp(&(b.ring, b.edge)).then_with(|| {
                let [from, to] = lines.edge(a.ring, a.edge);
                by_way(from, to, a.at, b.at)
            })
        });
        displacement += lines.cut(&cuts);
    }
    Err(Error::Decomposition { polygon: 0, problem: "edges that were cut at rounded crossings still cross" })
}

/// The edges of rings that meet at vertices only. Edges that several rings traverse are stored once.
struct Graph {
    points: Vec<DVec2>,
    edges: Vec<[u32; 2]>,
    /// For each edge, the number of times that the rings traverse it forward, minus the number of times that they
    /// traverse it backward.
    weights: Vec<i32>,
}

impl Graph {
    fn of(lines: &Lines, fill: Fill) -> Self {
        let (points, steps) = lines.steps();
        let mut steps: Vec<([u32; 2], i32)> = steps
            .into_iter()
            .map(|([from, to], weight)| {
                ([from.min(to), from.max(to)], if from < to { weight } else { -weight })
            })
            .collect();
        sort_unstable(&mut steps);
        let (mut edges, mut weights) = (Vec::new(), Vec::new());
        for of_edge in steps.chunk_by(|a, b| a.0 == b.0) {
            let weight = of_edge.iter().map(|(_, step)| step).sum();
            if changes_state(fill, weight) {
                edges.push(of_edge[0].0);
                weights.push(weight);
            }
        }
        match without_idle_vertices(&points, &edges) {
            None => Self { points, edges, weights },
            Some((points, edges)) => Self { points, edges, weights },
        }
    }
}

/// Returns whether an edge may separate the inside from the outside under a fill rule. `weight` is the change of the
/// winding number across the edge.
pub(super) fn changes_state(fill: Fill, weight: i32) -> bool {
    match fill {
        Fill::EvenOdd => weight % 2 != 0,
        Fill::NonZero => weight != 0,
    }
}

fn triangulated(points: &[DVec2], edges: &[[u32; 2]]) -> Result<Mesh> {
    let defect = |failure| {
        let problem = match failure {
            Failure::Defect(problem) => problem,
            Failure::Crossing { .. } | Failure::Tangled => "edges that were cut apart still cross",
        };
        Error::Decomposition { polygon: 0, problem }
    };
    match Mesh::new(points, edges, Haste::Within(edges.len().saturating_mul(PATIENCE))) {
        Err(Failure::Tangled) => Mesh::new(points, edges, Haste::AnyInput).map_err(defect),
        mesh => mesh.map_err(defect),
    }
}

/// Returns for each face of the mesh whether the face is inside under a fill rule. `weights` has the number of forward
/// traversals minus the number of backward traversals of each edge.
fn inside(mesh: &Mesh, weights: &[i32], fill: Fill) -> Vec<bool> {
    // The change of the winding number from the right side of a half-edge to its left side.
    let mut gains = vec![0; mesh.origin.len()];
    for (&half_edge, &edge) in mesh.walk.iter().zip(&mesh.walk_segment) {
        gains[half_edge as usize] += weights[edge as usize];
        gains[half_edge as usize ^ 1] -= weights[edge as usize];
    }
    let mut windings: Vec<Option<i32>> = vec![None; mesh.face_count];
    windings[OUTER_FACE as usize] = Some(0);
    let of_face = |face: u32| move |&half_edge: &u32| mesh.face[half_edge as usize] == face;
    let mut open: Vec<(u32, i32)> =
        (0..mesh.face.len() as u32).filter(of_face(OUTER_FACE)).map(|half_edge| (half_edge ^ 1, 0)).collect();
    while let Some((half_edge, winding)) = open.pop() {
        let face = mesh.face[half_edge as usize] as usize;
        if windings[face].is_some() {
            continue;
        }
        let winding = winding + gains[half_edge as usize];
        windings[face] = Some(winding);
        let second = mesh.next[half_edge as usize];
        open.extend([second, mesh.next[second as usize]].map(|side| (side ^ 1, winding)));
    }
    windings.into_iter().map(|winding| winding.is_some_and(|winding| fill.contains(winding))).collect()
}
