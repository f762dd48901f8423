//! Splits the region of rings that cross into convex pieces.
//!
//! A crossing is a rational point, and a vertex of a piece is an f64. The edges are cut at the rounded crossings, which moves
//! the edges a little. The moved edges may cross again, so the cuts are repeated. If edges still cross after some rounds, all
//! vertices are rounded to a grid, on which no edges cross.

use std::collections::HashMap;

use glam::DVec2;

use super::mesh::{Failure, Haste, Mesh, OUTER_FACE};
use super::{PATIENCE, pieces, region, without_idle_vertices};
use crate::base::error::{Error, Result};
use crate::base::sorting::{sort_by, sort_unstable};
use crate::geometry::outline::{Cut, LeafPairs, Loops, by_way};
use crate::geometry::{ConvexPolygon, Fill};

/// The number of rounds that leave the vertices where they are. Usually one or two are enough. If two edges nearly coincide,
/// their crossing may move by only a unit of the last place in each round.
const EXACT_ROUNDS: usize = 4;
/// The number of rounds after which the edges must not cross any more. One round on a grid is enough.
const MOST_ROUNDS: usize = 16;

/// Returns convex pieces of the region of rings by a rule, and how far a point of the boundary was moved at most. There are no
/// pieces if rounding has closed a thin region.
///
/// # Errors
/// [`Error::Decomposition`] if edges still cross after many rounds.
pub(crate) fn filled(rings: &[Vec<DVec2>], fill: Fill) -> Result<(Vec<ConvexPolygon>, f64)> {
    let (rings, displacement) = without_crossings(rings)?;
    let Graph { points, edges, weights } = Graph::of(&rings, fill);
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

/// Cuts the edges of rings at their crossings and at vertices that lie on them. Returns the rings, whose edges then meet at
/// vertices only or are equal, and how far a point was moved at most.
fn without_crossings(rings: &[Vec<DVec2>]) -> Result<(Vec<Vec<DVec2>>, f64)> {
    let (mut rings, mut displacement) = (rings.to_vec(), 0.0);
    let (mut loops, mut leaf_pairs) = (Loops::default(), LeafPairs::default());
    rings.iter_mut().for_each(remove_repeated);
    for round in 0..MOST_ROUNDS {
        if round >= EXACT_ROUNDS {
            let (rounded, moved) = loops.rounded(&rings, &mut leaf_pairs);
            rings = rounded;
            rings.iter_mut().for_each(remove_repeated);
            displacement += moved;
        }
        let cuts = loops.cuts(&rings, &mut leaf_pairs);
        if cuts.is_empty() {
            return Ok((rings, displacement));
        }
        let mut by_edge: HashMap<[u32; 2], Vec<DVec2>> = HashMap::new();
        for Cut { ring, edge, at } in cuts {
            by_edge.entry([ring, edge]).or_default().push(at);
        }
        let mut moved = 0.0f64;
        for (number, ring) in (0..).zip(&mut rings) {
            let mut cut = Vec::with_capacity(ring.len());
            for (edge, &from) in (0..).zip(ring.iter()) {
                cut.push(from);
                let Some(points) = by_edge.get_mut(&[number, edge]) else { continue };
                let to = ring[(edge as usize + 1) % ring.len()];
                sort_by(points, |&p, &q| by_way(from, to, p, q));
                for &point in points.iter() {
                    moved = moved.max(distance_to_line(from, to, point));
                    cut.push(point);
                }
            }
            remove_repeated(&mut cut);
            *ring = cut;
        }
        displacement += moved;
    }
    Err(Error::Decomposition { polygon: 0, problem: "edges that were cut at rounded crossings still cross" })
}

/// Removes vertices that equal the next vertex.
fn remove_repeated(ring: &mut Vec<DVec2>) {
    ring.dedup();
    while ring.len() > 1 && ring.first() == ring.last() {
        ring.pop();
    }
}

/// The edges of rings that meet at vertices only, each once.
struct Graph {
    points: Vec<DVec2>,
    edges: Vec<[u32; 2]>,
    /// How often the rings traverse each edge forward, minus how often backward.
    weights: Vec<i32>,
}

impl Graph {
    fn of(rings: &[Vec<DVec2>], fill: Fill) -> Self {
        let (mut points, mut numbers) = (Vec::new(), HashMap::new());
        let mut steps: Vec<([u32; 2], i32)> = Vec::new();
        for ring in rings {
            let mut number = |v: DVec2| {
                // Adding 0 turns -0 into 0, which compares equal.
                *numbers.entry((v + 0.0).to_array().map(f64::to_bits)).or_insert_with(|| {
                    points.push(v);
                    points.len() as u32 - 1
                })
            };
            let walk: Vec<u32> = ring.iter().map(|&v| number(v)).collect();
            for (i, &from) in walk.iter().enumerate() {
                let to = walk[(i + 1) % walk.len()];
                if from != to {
                    steps.push(([from.min(to), from.max(to)], if from < to { 1 } else { -1 }));
                }
            }
        }
        sort_unstable(&mut steps);
        let (mut edges, mut weights) = (Vec::new(), Vec::new());
        for of_edge in steps.chunk_by(|a, b| a.0 == b.0) {
            let weight = of_edge.iter().map(|(_, step)| step).sum();
            // An edge with the same state on both sides changes nothing.
            if match fill {
                Fill::EvenOdd => weight % 2 != 0,
                Fill::NonZero => weight != 0,
            } {
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

/// Whether each face is inside by a rule.
fn inside(mesh: &Mesh, weights: &[i32], fill: Fill) -> Vec<bool> {
    // What the winding number gains from the right side of a half-edge to its left side.
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

/// The distance of a rounded crossing from its edge.
fn distance_to_line(from: DVec2, to: DVec2, point: DVec2) -> f64 {
    let way = to - from;
    let length = way.length();
    if length > 0.0 { (way / length).perp_dot(point - from).abs() } else { 0.0 }
}
